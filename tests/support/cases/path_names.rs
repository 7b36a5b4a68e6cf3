//! P rows about whole names: Windows device names, trailing dots and spaces, short names, `.git`, look-alikes of SKILL.md;
//! each with near misses that have to pass.

use super::{Case, Expect::*, Sheet};
use crate::support::carrier::{dir, file, symlink};

pub fn cases() -> Vec<Case> {
    let mut s = Sheet::new();
    devices(&mut s);
    trailing(&mut s);
    short_names(&mut s);
    git(&mut s);
    lookalikes(&mut s);
    s.done()
}

fn devices(s: &mut Sheet) {
    for name in [
        "CON",
        "con",
        "Con",
        "PRN",
        "AUX",
        "NUL",
        "nul",
        "COM1",
        "com9",
        "LPT1",
        "lpt9",
        "COM0",
        "LPT0",
        "CONIN$",
        "conout$",
        "nul.txt",
        "CON.md",
        "aux.tar.gz",
        "com1.x",
        "a/prn",
        "aux/x",
        "a/CON/b",
        "con .txt",
        "NUL  .a.b",
        "lPt3.c",
    ] {
        let id = format!("P23-{}", name.replace(['/', ' '], "_"));
        s.both(id, "a device name", vec![file(name, "1")], Refused("path-reserved-name")).at(2);
    }
    for (id, name) in [
        ("P23-superscript-1", "COM\u{b9}"),
        ("P23-superscript-2", "com\u{b2}.txt"),
        ("P23-superscript-3", "LPT\u{b3}/x"),
    ] {
        s.both(id, "a device name with a superscript digit", vec![file(name, "1")], Refused("path-reserved-name"))
            .at(2);
    }
    s.both("P23-dir", "a directory with a device name", vec![dir("aux/")], Refused("path-reserved-name")).at(2);
    s.both("P23-link", "a link with a device name", vec![symlink("nul", "SKILL.md")], Refused("path-reserved-name"))
        .at(2);
    let fine = [
        "console",
        "CONS",
        "xcon",
        "a.con",
        "con_",
        "con-1",
        "COM",
        "COM10",
        "com1x",
        "COMa",
        "LPT",
        "LPT10",
        "lpt-1",
        "auxiliary",
        "null",
        "nul_",
        "prn2",
        "COM\u{2074}",
        "COM\u{661}",
        "conin",
        "CONIN",
        "_nul.txt",
        ".con",
    ];
    for name in fine {
        let id =
            format!("P23-near-{}", name.escape_unicode().to_string().replace(|c: char| !c.is_ascii_alphanumeric(), ""));
        s.both(id, "nearly a device name", vec![file(name, "1")], Accepted);
    }
}

fn trailing(s: &mut Sheet) {
    for (id, name) in [
        ("P24-dot", "name."),
        ("P24-space", "name "),
        ("P24-dots", "a.."),
        ("P24-three-dots", "..."),
        ("P24-dot-space", "a. "),
        ("P24-space-only", " "),
        ("P24-parent-dot", "d./x"),
        ("P24-parent-space", "d /x"),
        ("P24-extension-space", "a.md "),
        ("P24-deep", "a/b/c."),
    ] {
        s.both(id, "a trailing dot or space", vec![file(name, "1")], Refused("path-trailing-dot-space")).at(2);
    }
    s.both("P24-dir", "a directory with a trailing dot", vec![dir("d./")], Refused("path-trailing-dot-space")).at(2);
    s.both(
        "P24-dir-apple",
        "`._.` as a directory is no macOS noise",
        vec![dir("._./")],
        Refused("path-trailing-dot-space"),
    )
    .at(2);
    s.both(
        "P24-near",
        "dots and spaces elsewhere",
        vec![file(".x", "1"), file("a .b", "2"), file(" c", "3")],
        Accepted,
    );
}

fn short_names(s: &mut Sheet) {
    for name in [
        "GIT~1/config",
        "git~1",
        "PROGRA~1",
        "ABCDEF~1",
        "ABCDE~12",
        "A~123456",
        "x~1.txt",
        "ABCDEF~1.TXT",
        "v1~2",
        "a/b~1",
        "SKILL~1.MD",
        "x~1.m",
    ] {
        let id = format!("P25-{}", name.replace('/', "_"));
        s.both(id, "an 8.3 short name", vec![file(name, "1")], Refused("path-short-name")).at(2);
    }
    s.both("P25-dir", "a directory with a short name", vec![dir("a/GIT~1/")], Refused("path-short-name")).at(2);
    for name in [
        "ABCDEFG~1",
        "ABCDEF~12",
        "A~1234567",
        "x~1.html",
        "ABCDEF~1.TEXT",
        "x~",
        "x~a",
        "x~1a",
        "~",
        "backup~2024",
        "a~1.tar.gz",
        "file.md~",
        "#file~1#",
        "x-1.txt",
        "a.b~1",
        "x~1_.t",
    ] {
        let id = format!("P25-near-{}", name.replace('/', "_"));
        s.both(id, "nearly a short name", vec![file(name, "1")], Accepted);
    }
}

fn git(s: &mut Sheet) {
    for name in [".git/config", ".GIT/config", ".Git", ".gIt/hooks/post-checkout", "a/.git/config", "a/b/.GIT"] {
        let id = format!("P26-{}", name.replace('/', "_"));
        s.both(id, "a git directory", vec![file(name, "1")], Refused("path-forbidden")).at(2);
    }
    s.both("P26-dir", "a git directory entry", vec![dir(".git/")], Refused("path-forbidden")).at(2);
    s.both("P26-link", "a link named .git", vec![symlink(".git", "SKILL.md")], Refused("path-forbidden")).at(2);
    s.both(
        "P26-layout-any",
        "a git directory in any layout",
        vec![file(".git/config", "1")],
        Refused("path-forbidden"),
    )
    .args(&["--layout", "any"]);
    s.both(
        "P26-near",
        "what projects keep beside .git",
        vec![
            file(".gitignore", "1"),
            file(".gitattributes", "2"),
            file(".gitmodules", "3"),
            file(".github/workflows/ci.yml", "4"),
            file("git/config", "5"),
            file("a.git/x", "6"),
            file(".git2", "7"),
            file(".git-blame-ignore-revs", "8"),
            file("x.git", "9"),
        ],
        Accepted,
    );
    s.both(
        "P26-agent-config",
        "configuration that hosts load: worth a finding, not a refusal",
        vec![
            file(".claude/settings.json", "{}"),
            file(".mcp.json", "{}"),
            file(".envrc", "1"),
            file(".env", "2"),
            file("CLAUDE.md", "3"),
            file("AGENTS.md", "4"),
            file(".vscode/tasks.json", "{}"),
            file("hooks/pre", "5"),
            file("package.json", "{}"),
            file("sitecustomize.py", "6"),
            file("desktop.ini", "7"),
        ],
        Accepted,
    );
}

fn lookalikes(s: &mut Sheet) {
    for (id, name) in [
        ("P18-lower", "skill.md"),
        ("P18-extension", "SKILL.MD"),
        ("P18-title", "Skill.md"),
        ("P18-mixed", "sKiLl.Md"),
        ("P18-cyrillic-k", "S\u{41a}ILL.md"),
        ("P18-cyrillic-s", "\u{405}KILL.md"),
        ("P18-ukrainian-i", "SK\u{406}LL.md"),
        ("P18-full-width", "\u{ff33}\u{ff2b}\u{ff29}\u{ff2c}\u{ff2c}.md"),
        ("P18-dot-leader", "SKILL\u{2024}md"),
        ("P18-small-l", "SKlLL.md"),
        ("P18-digit-one", "SK1LL.md"),
        ("P18-rn", "SKILL.rnd"),
        ("P18-kelvin", "S\u{212a}ILL.md"),
        ("P18-long-s", "\u{17f}kill.md"),
        ("P18-cyrillic-lower", "\u{455}kill.md"),
        ("P18-mathematical", "\u{1d412}KILL.md"),
        ("P18-below", "skill.md/x"),
    ] {
        s.both(id, "a look-alike of SKILL.md at the root", vec![file(name, "1")], Refused("lookalike-skill-md")).at(2);
    }
    s.both("P18-dir", "a directory that looks like SKILL.md", vec![dir("Skill.md/")], Refused("lookalike-skill-md"))
        .at(2);
    s.both(
        "P18-link",
        "a link that looks like SKILL.md",
        vec![symlink("skill.md", "SKILL.md")],
        Refused("lookalike-skill-md"),
    )
    .at(2);
    s.both_bare(
        "P18-alone",
        "a look-alike without the real one",
        vec![file("skill.md", "1")],
        Refused("lookalike-skill-md"),
    )
    .at(1);
    s.both("P18-dot-slash", "a look-alike behind `./`", vec![file("./skill.md", "1")], Refused("lookalike-skill-md"))
        .at(2);
    s.both(
        "P18-near",
        "names that resemble SKILL.md in part",
        vec![
            file("SKILLS.md", "1"),
            file("SKILL.txt", "2"),
            file("SKILL", "3"),
            file("MY-SKILL.md", "4"),
            file("SKILL.md.bak", "5"),
            file("skill.mdx", "6"),
            file("skill-md", "7"),
            file("SKILL_md", "8"),
            file("README.md", "9"),
        ],
        Accepted,
    );
    s.both(
        "P18-deeper",
        "look-alikes and SKILL.md itself below the root",
        vec![file("a/skill.md", "1"), file("b/SKILL.md", "2"), file("c/S\u{41a}ILL.md", "3"), file("d/Skill.MD", "4")],
        Accepted,
    );
}
