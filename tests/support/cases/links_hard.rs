//! L rows about hard links, which only tar has: a copy of an earlier regular file, or refused.

use super::{Case, Expect::*, Sheet};
use crate::support::tar::{Header, Tar};
use crate::support::tree;

pub fn cases() -> Vec<Case> {
    let mut s = Sheet::new();
    inside(&mut s);
    refused(&mut s);
    payload(&mut s);
    s.done()
}

fn inside(s: &mut Sheet) {
    let base = || Tar::skill().file("t", "one").dir("a").member(Header::ustar(b'0', "a/x").mode(0o755), "two");
    for (id, target) in [("plain", "t"), ("dot-slash", "./t"), ("dots", ".//./t")] {
        s.tar(format!("L09-{id}"), "a hard link to an earlier file", base().hardlink("h", target), Accepted).tree([
            tree::file("t", "one"),
            tree::file("h", "one"),
            tree::dir("a"),
            tree::exec("a/x", "two"),
        ]);
    }
    s.tar(
        "L09-tar-dot",
        "hard links as `tar -C dir .` writes them",
        Tar::empty()
            .dir("./")
            .file("./SKILL.md", crate::support::SKILL_MD)
            .file("./a/t", "1")
            .hardlink("./b/h", "./a/t"),
        Accepted,
    )
    .tree([tree::dir("a"), tree::file("a/t", "1"), tree::dir("b"), tree::file("b/h", "1")]);
    s.tar(
        "L09-exec",
        "a hard link to an executable, with its mode",
        base().header(Header::ustar(b'1', "h").mode(0o755).link("a/x")),
        Accepted,
    )
    .tree([tree::file("t", "one"), tree::exec("h", "two"), tree::dir("a"), tree::exec("a/x", "two")]);
    s.tar("L09-skill-md", "a hard link to SKILL.md", Tar::skill().hardlink("copy.md", "SKILL.md"), Accepted)
        .tree([tree::file("copy.md", crate::support::SKILL_MD)]);
    s.tar("L09-empty", "a hard link to an empty file", Tar::skill().file("e", "").hardlink("h", "e"), Accepted)
        .tree([tree::file("e", ""), tree::file("h", "")]);
    s.tar(
        "L09-gnu",
        "a hard link under GNU magic",
        Tar::skill().member(Header::gnu(b'0', "t"), "1").header(Header::gnu(b'1', "h").link("t")),
        Accepted,
    )
    .tree([tree::file("t", "1"), tree::file("h", "1")]);
    let long = format!("{}/t", "d".repeat(120));
    s.tar(
        "L09-gnu-k",
        "a hard link whose target comes from K",
        Tar::skill().file_gnu_long(&long, "1").long_link(&long).header(Header::gnu(b'1', "h").link(&long)),
        Accepted,
    )
    .tree([tree::dir(&"d".repeat(120)), tree::file(&long, "1"), tree::file("h", "1")]);
    s.tar(
        "L09-pax",
        "a hard link whose target comes from pax",
        Tar::skill().file("t", "1").pax(&[("linkpath", b"t")]).hardlink("h", "nowhere"),
        Accepted,
    )
    .tree([tree::file("t", "1"), tree::file("h", "1")]);
    s.tar(
        "L12-link-to-hardlink",
        "a symbolic link to a hard link",
        base().hardlink("h", "t").symlink("s", "h"),
        Accepted,
    )
    .tree([
        tree::file("t", "one"),
        tree::file("h", "one"),
        tree::link("s", "h"),
        tree::dir("a"),
        tree::exec("a/x", "two"),
    ]);
}

fn refused(s: &mut Sheet) {
    let base = || Tar::skill().file("t", "1").dir("d").symlink("l", "t").file("._n", "2");
    for (id, target, code) in [
        ("L07-absolute", "/etc/passwd", "link-absolute"),
        ("L07-outside", "../outside/secret", "link-escape"),
        ("L07-up-after-name", "d/../t", "link-escape"),
        ("L07-up-inside", "d/../../t", "link-escape"),
        ("L10-missing", "nowhere", "link-target-missing"),
        ("L10-self", "h", "link-target-missing"),
        ("L10-dir", "d", "link-target-missing"),
        ("L10-root", ".", "link-target-missing"),
        ("L08-symlink", "l", "link-target-missing"),
        ("L10-noise", "._n", "link-target-missing"),
        ("L10-case", "T", "link-target-missing"),
        ("L16-hard-backslash", "d\\t", "link-target-invalid"),
        ("L16-hard-colon", "C:t", "link-target-invalid"),
        ("L16-hard-control", "t\x1b", "link-target-invalid"),
        ("L16-hard-latin1", "", "link-target-invalid"),
    ] {
        let tar = if id == "L16-hard-latin1" { base().hardlink("h", b"caf\xe9") } else { base().hardlink("h", target) };
        s.tar(id, "a hard link that is no copy of an earlier file", tar, Refused(code)).at(6);
    }
    s.tar(
        "L10-forward",
        "a hard link to a later file",
        Tar::skill().hardlink("h", "t").file("t", "1"),
        Refused("link-target-missing"),
    )
    .at(2);
    s.tar(
        "L08-deep",
        "a hard link to a deeper link that would lead out from here",
        Tar::skill().file("x", "1").symlink("a/b/s", "../../x").hardlink("h", "a/b/s"),
        Refused("link-target-missing"),
    )
    .at(4);
    s.tar(
        "L08-escaping",
        "a hard link to an escaping link",
        Tar::skill().symlink("a/b/s", "../../../x").hardlink("h", "a/b/s"),
        Refused("link-escape"),
    )
    .at(2);
    s.tar(
        "L07-through-link",
        "a hard link whose target lies behind a link",
        Tar::skill().file("d/t", "1").symlink("l", "d").hardlink("h", "l/t"),
        Refused("link-target-missing"),
    )
    .at(4);
    s.tar(
        "L15-hard",
        "SKILL.md as a hard link: a copy of an earlier file, and judged as one",
        Tar::empty().file("t", crate::support::SKILL_MD).hardlink("SKILL.md", "t"),
        Accepted,
    );
    s.tar(
        "L15-hard-chain",
        "SKILL.md as a hard link to a hard link",
        Tar::empty().file("t", crate::support::SKILL_MD).hardlink("u", "t").hardlink("SKILL.md", "u").file("z", "2"),
        Accepted,
    );
    s.tar(
        "L15-hard-invalid",
        "SKILL.md as a hard link to what is no SKILL.md",
        Tar::empty().file("t", "no frontmatter").hardlink("SKILL.md", "t"),
        Refused("skill-md-invalid"),
    )
    .at(2);
    s.tar(
        "L13-hard-parent",
        "a hard link below a link",
        Tar::skill().file("d/t", "1").symlink("l", "d").hardlink("l/h", "d/t"),
        Refused("link-as-parent"),
    )
    .at(4);
}

fn payload(s: &mut Sheet) {
    // The payload is itself a header: some readers take it for the next member.
    let smuggled = Tar::empty().file("smuggled.txt", "pwn").unended();
    let header = || Header::ustar(b'1', "h").link("SKILL.md");
    s.tar(
        "L11-payload",
        "a hard link with a header as payload",
        Tar::skill().member(header(), &smuggled),
        Refused("payload-on-non-file"),
    )
    .at(2);
    s.tar(
        "L11-size-only",
        "a hard link with a size and no payload",
        Tar::skill().header(header().size(45)),
        Refused("payload-on-non-file"),
    )
    .at(2);
    s.tar("L11-one", "a hard link with one byte", Tar::skill().member(header(), "x"), Refused("payload-on-non-file"))
        .at(2);
    s.tar(
        "L11-pax",
        "a hard link with a payload that only pax tells of",
        Tar::skill().pax(&[("size", b"1024")]).header(header()).data(&smuggled),
        Refused("tar-size-conflict"),
    );
}
