//! I11 rows: what makes a SKILL.md one, and what about it is only worth a finding.

use super::{Case, Expect::*, Sheet};
use crate::support::carrier::{Carrier, dir, file, symlink};
use crate::support::tree;

pub fn cases() -> Vec<Case> {
    let mut s = Sheet::new();
    kinds(&mut s);
    frontmatter(&mut s);
    values(&mut s);
    findings(&mut s);
    sizes(&mut s);
    s.done()
}

fn kinds(s: &mut Sheet) {
    let refused = Refused("skill-md-not-regular");
    s.both_bare("L15-link", "SKILL.md as a link", vec![file("a/evil", "1"), symlink("SKILL.md", "a/evil")], refused);
    s.both_bare(
        "L15-link-first",
        "SKILL.md as a link to what follows",
        vec![symlink("SKILL.md", "t"), file("t", "1")],
        refused,
    );
    s.both_bare("I11-dir", "SKILL.md as a directory", vec![dir("SKILL.md/")], refused);
    s.both_bare("I11-dir-implied", "SKILL.md as an implied directory", vec![file("SKILL.md/x", "1")], refused);
    s.both_bare("I11-missing", "no SKILL.md", vec![file("README.md", "1")], Refused("skill-md-missing"));
    s.both_bare(
        "I11-missing-dirs",
        "only directories",
        vec![dir("scripts/"), dir("assets/")],
        Refused("skill-md-missing"),
    );
    s.both_bare(
        "I11-last",
        "SKILL.md as the last member",
        vec![file("a", "1"), dir("b/"), crate::support::carrier::skill_md()],
        Accepted,
    );
    s.both_bare("I11-exec", "an executable SKILL.md", vec![crate::support::carrier::skill_md().mode(0o755)], Accepted);
}

/// One archive in both formats whose SKILL.md is this.
fn skill(s: &mut Sheet, id: &str, what: &'static str, text: impl AsRef<[u8]>, expect: super::Expect) {
    s.both_bare(id, what, vec![file("SKILL.md", text)], expect);
}

fn frontmatter(s: &mut Sheet) {
    let invalid = Refused("skill-md-invalid");
    for (id, text) in [
        ("I11-empty", ""),
        ("I11-newline", "\n"),
        ("I11-no-frontmatter", "# A skill\n"),
        ("I11-not-closed", "---\nname: demo\ndescription: x\n"),
        ("I11-not-closed-indented", "---\nname: demo\ndescription: x\n  ---\n"),
        ("I11-only-fence", "---\n"),
        ("I11-only-fences", "---\n---\n"),
        ("I11-four-dashes", "----\nname: demo\ndescription: x\n----\n"),
        ("I11-two-dashes", "--\nname: demo\ndescription: x\n--\n"),
        ("I11-fence-text", "--- x\nname: demo\ndescription: x\n---\n"),
        ("I11-leading-newline", "\n---\nname: demo\ndescription: x\n---\n"),
        ("I11-leading-space", " ---\nname: demo\ndescription: x\n---\n"),
        ("I11-leading-text", "x\n---\nname: demo\ndescription: x\n---\n"),
        ("I11-list", "---\n- name: demo\n- description: x\n---\n"),
        ("I11-scalar", "---\nname\n---\n"),
        ("I11-null", "---\n~\n---\n"),
        ("I11-json-list", "---\n[name, description]\n---\n"),
        ("I11-broken", "---\nname: [demo\ndescription: x\n---\n"),
        ("I11-colon", "---\nname: demo\ndescription: use when: asked\n---\n"),
        ("I11-tab-indent", "---\nname: demo\ndescription: x\nmetadata:\n\ta: b\n---\n"),
        ("I11-quote-open", "---\nname: \"demo\ndescription: x\n---\n"),
        ("I11-name-twice", "---\nname: demo\nname: evil\ndescription: x\n---\n"),
        ("I11-toml", "+++\nname = \"demo\"\ndescription = \"x\"\n+++\n"),
    ] {
        skill(s, id, "frontmatter that is none", text, invalid);
    }
    skill(s, "I11-latin1", "not UTF-8 in the frontmatter", b"---\nname: demo\ndescription: caf\xe9\n---\n", invalid);
    skill(s, "I11-latin1-body", "not UTF-8 in the body", b"---\nname: demo\ndescription: x\n---\ncaf\xe9\n", invalid);
    let utf16: Vec<u8> = "---\nname: demo\ndescription: x\n---\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    skill(s, "I11-utf16", "UTF-16", utf16, invalid);
    let mut laughs = String::from("---\nname: demo\ndescription: x\na: &a [x, x, x, x, x, x, x, x, x]\n");
    for (this, last) in ('b'..='z').zip('a'..='y') {
        laughs += &format!(
            "{this}: &{this} [*{last}, *{last}, *{last}, *{last}, *{last}, *{last}, *{last}, *{last}, *{last}]\n"
        );
    }
    skill(s, "I11-laughs", "aliases that expand a billionfold", laughs + "---\n", invalid);
    let nested = format!("---\nname: demo\ndescription: x\na: {}{}\n---\n", "[".repeat(50_000), "]".repeat(50_000));
    skill(s, "I11-nesting", "50,000 nested lists", nested, invalid);
    for (id, text) in [
        ("K-crlf", "---\r\nname: demo\r\ndescription: x\r\n---\r\nbody\r\n"),
        ("K-no-body", "---\nname: demo\ndescription: x\n---"),
        ("K-json", "---\n{name: demo, description: x}\n---\n"),
        ("K-quoted", "---\nname: \"demo\"\ndescription: 'use when: asked'\n---\n"),
        ("K-folded", "---\nname: demo\ndescription: >\n  one\n  two\n---\n"),
        ("K-literal", "---\nname: demo\ndescription: |\n  one\n  two\n---\n"),
        ("K-dashes-inside", "---\nname: demo\ndescription: a --- b\n---\n"),
        ("K-fence-in-literal", "---\nname: demo\ndescription: |\n  a\n  ---\n  b\n---\n"),
        ("K-fence-in-body", "---\nname: demo\ndescription: x\n---\n\n---\n\nmore\n"),
        ("K-order", "---\ndescription: x\nlicense: MIT\nname: demo\n---\n"),
        ("K-comment", "---\n# a comment\nname: demo # another\ndescription: x\n---\n"),
        ("K-unicode", "---\nname: demo\ndescription: caf\u{e9} \u{6280}\u{80fd} \u{1f680}\n---\n"),
        ("K-tab-newline", "---\nname: demo\ndescription: \"a\\tb\\nc\"\n---\n"),
    ] {
        skill(s, id, "frontmatter in another form", text, Accepted);
    }
}

fn values(s: &mut Sheet) {
    let invalid = Refused("skill-md-invalid");
    for (id, text) in [
        ("I11-no-name", "---\ndescription: x\n---\n"),
        ("I11-no-description", "---\nname: demo\n---\n"),
        ("I11-name-empty", "---\nname: \"\"\ndescription: x\n---\n"),
        ("I11-description-empty", "---\nname: demo\ndescription: ''\n---\n"),
        ("I11-name-null", "---\nname:\ndescription: x\n---\n"),
        ("I11-description-null", "---\nname: demo\ndescription: ~\n---\n"),
        ("I11-name-list", "---\nname: [demo]\ndescription: x\n---\n"),
        ("I11-description-map", "---\nname: demo\ndescription: {a: b}\n---\n"),
        ("I11-name-number", "---\nname: 123\ndescription: x\n---\n"),
        ("I11-name-bool", "---\nname: true\ndescription: x\n---\n"),
        ("I11-upper-keys", "---\nName: demo\nDescription: x\n---\n"),
        ("X14-name-escape", "---\nname: \"a\\e[31m\"\ndescription: x\n---\n"),
        ("X14-description-escape", "---\nname: demo\ndescription: \"\\x1b]0;x\\x07\"\n---\n"),
        ("X14-name-newline-return", "---\nname: \"a\\rb\"\ndescription: x\n---\n"),
        ("X14-description-return", "---\nname: demo\ndescription: \"ok\\r\\u2714 verified\"\n---\n"),
        ("X14-description-nul", "---\nname: demo\ndescription: \"a\\0b\"\n---\n"),
        ("X14-description-backspace", "---\nname: demo\ndescription: \"a\\bb\"\n---\n"),
        ("X14-description-c1", "---\nname: demo\ndescription: \"a\\u009b31m\"\n---\n"),
        ("X14-description-delete", "---\nname: demo\ndescription: \"a\\x7f\"\n---\n"),
    ] {
        skill(s, id, "a name or description that is not usable text", text, invalid);
    }
}

/// Not refused: real skills break such rules, and nothing depends on them here.
fn findings(s: &mut Sheet) {
    for (id, text) in [
        ("K-bom", "\u{feff}---\nname: demo\ndescription: x\n---\n"),
        ("K-name-upper", "---\nname: Demo Skill\ndescription: x\n---\n"),
        ("K-name-traversal", "---\nname: ../../x\ndescription: x\n---\n"),
        ("K-name-absolute", "---\nname: /etc/x\ndescription: x\n---\n"),
        ("K-name-device", "---\nname: con\ndescription: x\n---\n"),
        ("K-name-unicode", "---\nname: caf\u{e9}\ndescription: x\n---\n"),
        ("K-name-hyphens", "---\nname: -a--b-\ndescription: x\n---\n"),
        (
            "K-unknown-keys",
            "---\nname: demo\ndescription: x\nversion: 1.0.0\nauthor: {a: [b, c]}\nhooks:\n  - x\n---\n",
        ),
        ("K-allowed-tools", "---\nname: demo\ndescription: x\nallowed-tools: Bash(*)\n---\n!`id`\n"),
        ("X13-name-github", "---\nname: \"::error::x\"\ndescription: \"::add-mask::x\"\n---\n"),
        ("X13-name-azure", "---\nname: \"##vso[task.complete]x\"\ndescription: \"##[error]x\"\n---\n"),
        ("X13-description-lines", "---\nname: demo\ndescription: \"a\\n::error::x\\n##vso[x]\"\n---\n"),
        ("X14-description-bidi", "---\nname: demo\ndescription: \"a\\u202eb\\u2066c\"\n---\n"),
        ("X14-name-bidi", "---\nname: \"a\\u202eb\"\ndescription: x\n---\n"),
        ("A05-hidden-text", "---\nname: demo\ndescription: x\n---\na\u{200b}b\u{e0041}\u{202e}c<!-- x -->\n"),
        ("A05-control-body", "---\nname: demo\ndescription: x\n---\n\u{1b}[2J\u{7}\n"),
    ] {
        skill(s, id, "worth a finding, not a refusal", text, Accepted);
    }
    let name = format!("---\nname: {}\ndescription: x\n---\n", "n".repeat(65));
    skill(s, "K-name-65", "a name of 65 characters", name, Accepted);
    for length in [1024, 1025, 20_000] {
        let text = format!("---\nname: demo\ndescription: {}\n---\n", "\u{e9}".repeat(length));
        skill(s, &format!("K-description-{length}"), "a long description", text, Accepted);
    }
    s.both(
        "A09-second",
        "a second SKILL.md deeper in the tree",
        vec![file("sub/SKILL.md", "no frontmatter")],
        Accepted,
    );
    s.both(
        "A06-homoglyph",
        "two siblings that look alike",
        vec![file("s/install.sh", "1"), file("s/\u{456}nstall.sh", "2")],
        Accepted,
    );
    s.both(
        "A07-binary",
        "a program",
        vec![file("bin/x", b"\x7fELF\x02\x01\x01\0\0\0"), file("x.exe", b"MZ\0\0")],
        Accepted,
    );
}

fn sizes(s: &mut Sheet) {
    let of = |bytes: usize| {
        let mut text = b"---\nname: demo\ndescription: x\n---\n".to_vec();
        text.resize(bytes, b'x');
        text
    };
    for format in Carrier::ALL {
        let bytes = |size: usize| format.write(&[file("SKILL.md", of(size))]);
        let suffix = format.suffix();
        s.raw(format!("I11-1m.{suffix}"), "a SKILL.md of 1 MiB", format, bytes(1 << 20), Accepted)
            .tree_bare([tree::file("SKILL.md", of(1 << 20))].into());
        s.raw(
            format!("I11-1m-more.{suffix}"),
            "a SKILL.md of 1 MiB and one byte",
            format,
            bytes((1 << 20) + 1),
            Refused("skill-md-invalid"),
        );
    }
}
