//! K rows: wrapper directories, `--strip-root`, and layouts.

use super::{Case, Expect::*, Sheet};
use crate::support::SKILL_MD;
use crate::support::carrier::{Member, dir, file, hardlink, skill_md, symlink};
use crate::support::tar::Tar;
use crate::support::tree;

pub fn cases() -> Vec<Case> {
    let mut s = Sheet::new();
    wrapper(&mut s);
    strip(&mut s);
    strip_outside(&mut s);
    strip_rules(&mut s);
    layout_any(&mut s);
    s.done()
}

fn wrapped(name: &str) -> Member {
    file(format!("{name}/SKILL.md"), SKILL_MD)
}

fn wrapper(s: &mut Sheet) {
    let refused = Refused("wrapper-directory");
    s.both_bare(
        "K-wrapper",
        "everything below one directory",
        vec![dir("demo/"), wrapped("demo"), file("demo/a", "1")],
        refused,
    );
    s.both_bare("K-wrapper-implied", "the directory itself is not listed", vec![wrapped("demo")], refused);
    s.both_bare(
        "K-wrapper-dot",
        "the directory behind `./`",
        vec![dir("./"), dir("./demo/"), wrapped("./demo")],
        refused,
    );
    s.both_bare(
        "K-wrapper-npm",
        "the layout of an npm package",
        vec![wrapped("package"), file("package/package.json", "{}")],
        refused,
    );
    s.both_bare(
        "K-wrapper-escape",
        "a wrapper whose name has to be quoted",
        vec![wrapped("d\u{e9}mo \u{6280}")],
        refused,
    );
    let missing = Refused("skill-md-missing");
    s.both_bare("K-two-dirs", "two directories, a SKILL.md in each", vec![wrapped("a"), wrapped("b")], missing);
    s.both_bare(
        "K-dir-and-file",
        "a directory with SKILL.md and a file beside it",
        vec![wrapped("demo"), file("README.md", "1")],
        missing,
    );
    s.both_bare("K-too-deep", "SKILL.md two levels down", vec![wrapped("skills/demo")], missing);
    s.both_bare("K-wrapper-lower", "a wrapper with a look-alike", vec![file("demo/skill.md", "1")], missing);
}

fn strip(s: &mut Sheet) {
    let flag = ["--strip-root"];
    let a = [tree::file("a", "1")];
    let cases: [(&str, Vec<Member>); 5] = [
        ("K-strip", vec![dir("demo/"), wrapped("demo"), file("demo/a", "1")]),
        ("K-strip-implied", vec![wrapped("demo"), file("demo/a", "1")]),
        ("K-strip-dot", vec![dir("./"), dir("./demo/"), wrapped("./demo"), file("./demo/a", "1")]),
        ("K-strip-slashes", vec![wrapped("demo/"), file("demo/./a", "1")]),
        ("K-strip-late-dir", vec![wrapped("demo"), file("demo/a", "1"), dir("demo/")]),
    ];
    for (id, members) in cases {
        s.both_bare(id, "the wrapper is taken off", members, Accepted).args(&flag).tree(a.clone());
    }
    s.both_bare(
        "K-strip-flat",
        "a flat archive passes unchanged",
        vec![skill_md(), file("a", "1"), file("b/c", "2")],
        Accepted,
    )
    .args(&flag);
    s.both_bare(
        "K-strip-flat-dir-first",
        "a flat archive whose first member is a directory",
        vec![dir("b/"), skill_md(), file("b/c", "2")],
        Accepted,
    )
    .args(&flag);
    s.both_bare(
        "K-strip-flat-file-first",
        "a flat archive whose first member lies in a directory",
        vec![file("b/c", "2"), skill_md()],
        Accepted,
    )
    .args(&flag);
    s.both_bare(
        "K-strip-flat-dot",
        "a flat archive behind `./`",
        vec![dir("./"), file("./SKILL.md", SKILL_MD), file("./b/c", "2")],
        Accepted,
    )
    .args(&flag);
    let deep = |levels: usize| file(format!("w/{}", vec!["d"; levels].join("/")), "1");
    s.both_bare("K-strip-depth", "24 levels below the wrapper", vec![wrapped("w"), deep(24)], Accepted)
        .args(&flag)
        .tree_bare(crate::support::carrier::expected_tree(&[skill_md(), file(vec!["d"; 24].join("/"), "1")]));
    let git = Tar::empty().global(&[("comment", b"0123456789abcdef0123456789abcdef01234567")]).dir("demo-1.0/");
    let git = git.file("demo-1.0/SKILL.md", SKILL_MD).file("demo-1.0/a", "1");
    s.tar("K-strip-git", "git archive with a prefix", git, Accepted).args(&flag).tree(a);
}

fn strip_outside(s: &mut Sheet) {
    let flag = ["--strip-root"];
    let refused = Refused("wrapper-directory");
    s.both_bare("K-strip-other-file", "a file beside the wrapper", vec![wrapped("demo"), file("other", "1")], refused)
        .args(&flag);
    s.both_bare("K-strip-other-dir", "a directory beside the wrapper", vec![wrapped("demo"), dir("other/")], refused)
        .args(&flag);
    s.both_bare("K-strip-other-skill", "two wrapped skills", vec![wrapped("a"), wrapped("b")], refused).args(&flag);
    s.both_bare(
        "K-strip-empty",
        "a wrapper without SKILL.md",
        vec![dir("demo/"), file("demo/a", "1")],
        Refused("skill-md-missing"),
    )
    .args(&flag);
    s.both_bare("K-strip-deeper", "SKILL.md two levels down", vec![wrapped("skills/demo")], refused).args(&flag);
    s.both_bare(
        "K-strip-link",
        "a wrapper that is a link",
        vec![symlink("demo", "real"), wrapped("real")],
        Refused("skill-md-missing"),
    )
    .args(&flag);
}

/// All rules see the paths without the wrapper.
fn strip_rules(s: &mut Sheet) {
    let flag = ["--strip-root"];
    let code = |s: &mut Sheet, id: &str, what: &'static str, member: Member, code: &'static str| {
        s.both_bare(id, what, vec![wrapped("w"), file("w/x", "1"), member], Refused(code)).args(&flag).at(3);
    };
    code(
        s,
        "X12-link",
        "a link that stays in the archive and leaves the skill",
        symlink("w/s", "../w/x"),
        "link-escape",
    );
    code(s, "X12-link-deep", "the same from one level down", symlink("w/a/s", "../../w/x"), "link-escape");
    code(s, "X12-hardlink-outside", "a hard link out of the wrapper", hardlink("w/h", "../x"), "link-escape");
    code(s, "K-strip-lookalike", "a look-alike at the stripped root", file("w/skill.md", "1"), "lookalike-skill-md");
    code(s, "K-strip-traversal", "`..` back out of the wrapper", file("w/../x", "1"), "path-traversal");
    code(s, "K-strip-duplicate", "a duplicate inside the wrapper", file("w//x", "2"), "duplicate-path");
    code(s, "K-strip-git-dir", "a git directory inside the wrapper", file("w/.git/config", "2"), "path-forbidden");
    let members = vec![wrapped("w"), file("w/x", "1"), symlink("w/a/s", "../x"), symlink("w/t", "x")];
    s.both_bare("K-strip-links", "links inside the skill", members, Accepted).args(&flag).tree([
        tree::file("x", "1"),
        tree::dir("a"),
        tree::link("a/s", "../x"),
        tree::link("t", "x"),
    ]);
    let hard = vec![wrapped("w"), file("w/x", "1"), hardlink("w/h", "w/x"), hardlink("w/i", "./w/x")];
    s.both_bare("K-strip-hardlink", "hard links name the whole path", hard, Accepted).args(&flag).tree([
        tree::file("x", "1"),
        tree::file("h", "1"),
        tree::file("i", "1"),
    ]);
    let not_wrapped = vec![wrapped("w"), file("w/x", "1"), hardlink("w/h", "x")];
    s.both_bare(
        "K-strip-hardlink-short",
        "a hard link without the wrapper in its target",
        not_wrapped,
        Refused("link-target-missing"),
    )
    .args(&flag)
    .at(3);
}

fn layout_any(s: &mut Sheet) {
    let flag = ["--layout", "any"];
    s.both_bare(
        "K-any",
        "no SKILL.md where none is asked for",
        vec![file("a", "1"), dir("b/"), symlink("c", "a")],
        Accepted,
    )
    .args(&flag)
    .tree_bare([tree::file("a", "1"), tree::dir("b"), tree::link("c", "a")].into());
    s.both_bare("K-any-wrapper", "a wrapper where any layout will do", vec![wrapped("demo")], Accepted)
        .args(&flag)
        .tree_bare([tree::dir("demo"), tree::file("demo/SKILL.md", SKILL_MD)].into());
    s.both_bare("K-any-invalid", "a broken SKILL.md where any layout will do", vec![file("SKILL.md", "x")], Accepted)
        .args(&flag)
        .tree_bare([tree::file("SKILL.md", "x")].into());
    s.both_bare(
        "K-any-traversal",
        "the path rules hold in any layout",
        vec![file("../x", "1")],
        Refused("path-traversal"),
    )
    .args(&flag);
    s.both_bare(
        "K-any-duplicate",
        "the collision rules hold in any layout",
        vec![file("a", "1"), file("A", "1")],
        Refused("path-collision"),
    )
    .args(&flag);
    s.both_bare("K-any-root-only", "only the root directory", vec![dir("./")], Accepted)
        .args(&flag)
        .tree_bare([].into());
    s.both_bare(
        "K-root-only",
        "only the root directory, where SKILL.md is asked for",
        vec![dir("./")],
        Refused("skill-md-missing"),
    );
}
