//! P rows about the shape of a path: `..`, absolute, empty, normalisation, trailing slashes, NUL, encoding, lengths.

use super::{Case, Expect::*, Sheet};
use crate::support::carrier::{dir, file, hardlink, symlink};
use crate::support::tar::{Header, Tar};
use crate::support::tree;
use crate::support::zip::{Entry, Zip};

pub fn cases() -> Vec<Case> {
    let mut s = Sheet::new();
    traversal(&mut s);
    absolute_and_empty(&mut s);
    normalisation(&mut s);
    trailing_slash(&mut s);
    nul_and_encoding(&mut s);
    lengths(&mut s);
    s.done()
}

fn traversal(s: &mut Sheet) {
    for (id, name) in [
        ("P01-leading", "../pwn"),
        ("P01-only", ".."),
        ("P01-many", "../../../../../../etc/cron.d/pwn"),
        ("P01-behind-dot", "./../pwn"),
        ("P01-behind-slashes", ".//../pwn"),
        ("P02-climbs-out-inside", "a/../../pwn"),
        ("P03-stays-inside", "a/../b"),
        ("P03-at-end", "a/b/.."),
        ("P03-to-root", "a/../SKILL.md"),
    ] {
        s.both(id, "a `..` component", vec![file(name, "x")], Refused("path-traversal")).at(2);
    }
    s.both("P01-dir", "a `..` directory", vec![dir("../")], Refused("path-traversal")).at(2);
    s.both("P03-dir", "a directory with an inner `..`", vec![dir("a/../b/")], Refused("path-traversal")).at(2);
    s.both("P01-link", "a link named with `..`", vec![symlink("../l", "SKILL.md")], Refused("path-traversal")).at(2);
    s.both("P01-hardlink", "a hard link with `..`", vec![hardlink("../l", "SKILL.md")], Refused("path-traversal"))
        .at(2);
    s.both(
        "P01-is-not",
        "dots that are no `..`",
        vec![file("a..b", "1"), file("..c", "2"), file("d/..e/f", "3"), file(".h", "4"), file("...i/j", "5")],
        Accepted,
    );
    s.both(
        "P01-percent",
        "escapes that no archive reader decodes",
        vec![file("%2e%2e/pwn", "1"), file("a%2f..%2fb", "2"), file("~/x", "3"), file("$HOME", "4")],
        Accepted,
    );
    s.tar(
        "P01-prefix",
        "`..` in the ustar prefix",
        Tar::skill().member(Header::ustar(b'0', "pwn").prefix("../x"), "1"),
        Refused("path-traversal"),
    );
    s.tar(
        "P01-across-prefix",
        "`..` behind a prefix",
        Tar::skill().member(Header::ustar(b'0', "../pwn").prefix("a/b"), "1"),
        Refused("path-traversal"),
    );
    s.tar(
        "P01-pax",
        "`..` in a pax path over a harmless header name",
        Tar::skill().pax(&[("path", b"../pwn")]).file("ok", "1"),
        Refused("path-traversal"),
    );
    s.tar(
        "P01-gnu",
        "`..` in a GNU long name over a harmless header name",
        Tar::skill().long_name("../pwn").member(Header::gnu(b'0', "ok"), "1"),
        Refused("path-traversal"),
    );
    s.tar(
        "P01-hidden-header-name",
        "`..` in a header name that a pax path replaces is not a name",
        Tar::skill().pax(&[("path", b"ok")]).file("../pwn", "1"),
        Accepted,
    )
    .tree([tree::file("ok", "1")]);
    s.both(
        "P28-prefix-confusion",
        "a sibling of the destination whose name begins with the destination's",
        vec![file("../outevil/x", "1")],
        Refused("path-traversal"),
    );
}

fn absolute_and_empty(s: &mut Sheet) {
    for (id, name) in [
        ("P04-absolute", "/tmp/x"),
        ("P04-double", "//tmp/x"),
        ("P22-unc-slashes", "//server/share/x"),
        ("P04-dot", "/./x"),
        ("P04-home", "/root/.ssh/authorized_keys"),
    ] {
        s.both(id, "an absolute name", vec![file(name, "x")], Refused("absolute-path")).at(2);
    }
    s.both("P04-dir", "an absolute directory", vec![dir("/tmp/")], Refused("absolute-path")).at(2);
    s.tar(
        "P04-prefix",
        "an absolute ustar prefix",
        Tar::skill().member(Header::ustar(b'0', "x").prefix("/tmp"), "1"),
        Refused("absolute-path"),
    );
    for (id, name) in [("P05-empty", ""), ("P05-slash", "/"), ("P05-slashes", "///")] {
        s.both(id, "a name without a component", vec![file(name, "")], Refused("path-empty")).at(2);
    }
    s.tar(
        "P05-pax-slash",
        "only slashes, from pax",
        Tar::skill().pax(&[("path", b"//")]).file("a", ""),
        Refused("path-empty"),
    );
    s.tar(
        "P05-gnu-empty",
        "an empty GNU long name",
        Tar::skill().long_name("").member(Header::gnu(b'0', "a"), ""),
        Refused("path-empty"),
    );
    s.tar("P06-root-dir-slash", "the root as Python names it under an empty name", Tar::skill().dir("/"), Accepted)
        .tree([]);
    s.both("P06-root-dir", "the root as a directory", vec![dir("./"), file("./a", "1")], Accepted);
    s.tar(
        "P06-root-dir-bare",
        "the root as `.`",
        Tar::empty().dir(".").file("SKILL.md", crate::support::SKILL_MD),
        Accepted,
    )
    .tree([]);
    s.both("P06-root-dir-long", "the root in other spellings", vec![dir("././"), dir(".//"), dir("./")], Accepted);
    s.tar("P07-root-file", "the root as a file", Tar::skill().file(".", "1"), Refused("path-empty")).at(2);
    s.zip("P07-root-file.zip", "the root as a file", Zip::skill().file(".", "1"), Refused("path-empty")).at(2);
    s.both("P07-root-link", "the root as a link", vec![symlink(".", "a"), dir("a")], Refused("path-empty")).at(2);
    s.both("P07-empty-link", "a link without a name", vec![symlink("", "a"), dir("a")], Refused("path-empty")).at(2);
    s.both(
        "P07-root-link-dots",
        "the root as a link, longer",
        vec![symlink("./.", "a"), dir("a")],
        Refused("path-empty"),
    )
    .at(2);
    s.both("P07-root-hardlink", "the root as a hard link", vec![hardlink(".", "SKILL.md")], Refused("path-empty"))
        .at(2);
}

fn normalisation(s: &mut Sheet) {
    s.both(
        "P08-dot-slash",
        "names as `tar -C dir .` writes them",
        vec![dir("./a"), file("./a/b", "1"), file("././c", "2")],
        Accepted,
    );
    s.both(
        "P09-inner",
        "doubled slashes and inner dots",
        vec![file("a//b", "1"), file("a/./c", "2"), file("a/.//./d", "3"), dir("e//f/")],
        Accepted,
    );
    s.tar(
        "P08-skill-md",
        "SKILL.md itself behind `./`",
        Tar::empty().dir("./").file("./SKILL.md", crate::support::SKILL_MD),
        Accepted,
    )
    .tree([]);
    s.tar(
        "P09-prefix-slash",
        "a prefix that ends in a slash",
        Tar::skill().member(Header::ustar(b'0', "c").prefix("a/b/"), "1"),
        Accepted,
    )
    .tree([tree::dir("a"), tree::dir("a/b"), tree::file("a/b/c", "1")]);
}

fn trailing_slash(s: &mut Sheet) {
    let mismatch = Refused("path-kind-mismatch");
    s.tar("P10-file", "a slash after a file", Tar::skill().file("a/", "1"), mismatch).at(2);
    s.both("P10-empty-file", "a slash after an empty file", vec![file("a/", "")], mismatch).at(2);
    s.both("P10-link", "a slash after a link", vec![symlink("s/", "SKILL.md")], mismatch).at(2);
    s.tar("P10-hardlink", "a slash after a hard link", Tar::skill().hardlink("h/", "SKILL.md"), mismatch).at(2);
    s.tar("P10-pax", "a slash from pax", Tar::skill().pax(&[("path", b"a/")]).file("a", "1"), mismatch);
    s.tar("P10-gnu", "a slash from L", Tar::skill().long_name("a/").member(Header::gnu(b'0', "a"), "1"), mismatch);
    s.tar("P11-old-slash", "the old file type with a slash", Tar::skill().member(Header::ustar(0, "a/"), ""), mismatch);
    let long = format!("{}/", "x".repeat(120));
    s.tar(
        "P11-old-long-slash",
        "the old file type, a slash only in the long name",
        Tar::skill().long_name(&long).member(Header::gnu(0, &long), "1"),
        mismatch,
    );
    s.tar(
        "P11-old-header-slash",
        "the old file type, a slash only in the header that the long name replaces",
        Tar::skill().long_name("a").member(Header::gnu(0, "a/"), "1"),
        mismatch,
    );
    s.tar(
        "P11-old-header-slash-pax",
        "the old file type, a slash only in the header that the pax path replaces",
        Tar::skill().pax(&[("path", b"a")]).member(Header::ustar(0, "a/"), "1"),
        mismatch,
    );
    s.tar("P11-old-file", "the old file type", Tar::skill().member(Header::ustar(0, "a"), "1"), Accepted)
        .tree([tree::file("a", "1")]);
    let cut = format!("{}/{}", "d".repeat(99), "f".repeat(20));
    s.tar(
        "P11-cut-at-slash",
        "a header name that the cut at 100 bytes leaves with a slash",
        Tar::skill().long_name(&cut).member(Header::gnu(b'0', &cut), "1"),
        Accepted,
    )
    .tree([tree::dir(&"d".repeat(99)), tree::file(&cut, "1")]);
    s.tar("P10-dir-without", "a directory without a slash", Tar::skill().dir("a").file("a/b", "1"), Accepted)
        .tree([tree::dir("a"), tree::file("a/b", "1")]);
}

fn nul_and_encoding(s: &mut Sheet) {
    s.both("P12-nul", "a NUL inside the name", vec![file(b"a\0b", "1")], Refused("path-nul")).at(2);
    s.both("P12-nul-end", "a NUL at the end of the name", vec![file(b"a\0", "1")], Refused("path-nul")).at(2);
    s.both("P12-nul-skill", "SKILL.md, a NUL and more", vec![file(b"SKILL.md\0x", "1")], Refused("path-nul")).at(2);
    s.both("P12-nul-first", "a NUL at the beginning", vec![file(b"\0a", "1")], Refused("path-nul")).at(2);
    s.tar(
        "P12-header-rest",
        "bytes after the NUL of the name field",
        Tar::skill().member(Header::ustar(b'0', "a").poke(50, "hidden"), "1"),
        Refused("path-nul"),
    );
    s.tar(
        "P12-header-last",
        "the last byte of the name field after a NUL",
        Tar::skill().member(Header::ustar(b'0', "a").poke(99, "x"), "1"),
        Refused("path-nul"),
    );
    s.tar(
        "P12-header-replaced",
        "bytes after the NUL of a name that pax replaces",
        Tar::skill().pax(&[("path", b"a")]).member(Header::ustar(b'0', "b").poke(50, "hidden"), "1"),
        Accepted,
    )
    .tree([tree::file("a", "1")]);
    for (id, bytes) in [
        ("P13-latin1", &b"caf\xe9"[..]),
        ("P13-lone-lead", b"caf\xc3"),
        ("P13-lone-tail", b"caf\xa9x"),
        ("P13-overlong-slash", b"a\xc0\xafb"),
        ("P13-overlong-dots", b"\xc0\xae\xc0\xae/x"),
        ("P13-overlong-nul", b"a\xc0\x80b"),
        ("P13-surrogate", b"a\xed\xa0\x80b"),
        ("P13-beyond-unicode", b"a\xf4\x90\x80\x80b"),
        ("P13-ff", b"\xff\xfe"),
        ("P13-cp437", b"\x81ber.txt"),
        ("P13-gbk", b"\xb2\xe2\xca\xd4.md"),
    ] {
        s.both(id, "bytes that are not UTF-8", vec![file(bytes, "1")], Refused("path-not-utf8")).at(2);
    }
    s.both("P13-dir", "a directory that is not UTF-8", vec![dir(b"caf\xe9/")], Refused("path-not-utf8")).at(2);
    s.both(
        "P13-scripts",
        "letters of many scripts",
        vec![
            file("caf\u{e9}.md", "1"),
            file("references/gu\u{ed}a.md", "2"),
            file("\u{6280}\u{80fd}/\u{8bf4}\u{660e}.md", "3"),
            file("\u{43d}\u{430}\u{432}\u{44b}\u{43a}", "4"),
            file("\u{645}\u{647}\u{627}\u{631}\u{629}", "5"),
            file("\u{5de}\u{5d9}\u{5d5}\u{5de}\u{5e0}\u{5d5}\u{5ea}", "6"),
            file("\u{915}\u{94c}\u{936}\u{932}", "7"),
            file("\u{d55c}\u{ae00}", "8"),
            file("\u{e17}\u{e31}\u{e01}\u{e29}\u{e30}", "9"),
            file("\u{10400}\u{20000}", "0"),
        ],
        Accepted,
    );
}

fn lengths(s: &mut Sheet) {
    let name = |bytes: usize| "n".repeat(bytes);
    s.both("P27-component-255", "a component of 255 bytes", vec![file(name(255), "1")], Accepted);
    s.both("P27-component-256", "a component of 256 bytes", vec![file(name(256), "1")], Refused("component-too-long"))
        .at(2);
    s.both("P27-component-300", "a component of 300 bytes", vec![file(name(300), "1")], Refused("component-too-long"))
        .at(2);
    let accents = |count: usize, rest: &str| format!("{}{rest}", "\u{e9}".repeat(count));
    s.both("P27-bytes-255", "255 bytes in 128 characters", vec![file(accents(127, "n"), "1")], Accepted);
    s.both(
        "P27-bytes-256",
        "256 bytes in 128 characters",
        vec![file(accents(128, ""), "1")],
        Refused("component-too-long"),
    )
    .at(2);
    s.both("P27-dir-256", "a directory of 256 bytes", vec![dir(name(256))], Refused("component-too-long")).at(2);
    s.both(
        "P27-parent-256",
        "an implied directory of 256 bytes",
        vec![file(format!("{}/x", name(256)), "1")],
        Refused("component-too-long"),
    );
    let path = |last: usize| format!("{}/{}/{}", name(200), name(200), name(last));
    s.both("P27-path-512", "a path of 512 bytes", vec![file(path(110), "1")], Accepted);
    s.both("P27-path-513", "a path of 513 bytes", vec![file(path(111), "1")], Refused("path-too-long")).at(2);
    s.both("P27-path-before-component", "too long in both ways", vec![file(name(513), "1")], Refused("path-too-long"))
        .at(2);
    s.both("P27-dir-path-513", "a directory path of 513 bytes", vec![dir(path(111))], Refused("path-too-long")).at(2);
    s.tar(
        "P27-gnu-path-513",
        "a path of 513 bytes from L",
        Tar::skill().long_name(path(111)).member(Header::gnu(b'0', path(111)), "1"),
        Refused("path-too-long"),
    );
    s.tar(
        "P27-ustar-256",
        "prefix and name filled to the last byte",
        Tar::skill().member(Header::ustar(b'0', name(100)).prefix("p".repeat(155)), "1"),
        Accepted,
    )
    .tree([tree::dir(&"p".repeat(155)), tree::file(&format!("{}/{}", "p".repeat(155), name(100)), "1")]);
    s.tar("P27-name-100", "a name field without a NUL", Tar::skill().file(name(100), "1"), Accepted)
        .tree([tree::file(&name(100), "1")]);
    let deep = |levels: usize| vec!["d"; levels].join("/");
    s.both("P27-depth-24", "24 levels", vec![file(deep(24), "1")], Accepted);
    s.both("P27-depth-25", "25 levels", vec![file(deep(25), "1")], Refused("path-too-deep")).at(2);
    s.both("P27-dir-depth-24", "a directory at level 24", vec![dir(deep(24))], Accepted);
    s.both("P27-dir-depth-25", "a directory at level 25", vec![dir(deep(25))], Refused("path-too-deep")).at(2);
    s.both("P27-depth-200", "200 levels", vec![file(deep(200), "1")], Refused("path-too-deep")).at(2);
    s.both("P27-depth-dots", "24 levels and dots between", vec![file(deep(24).replace('/', "/./"), "1")], Accepted);
    s.both("P27-max-depth", "two levels where two are allowed", vec![file("a/b", "1")], Accepted)
        .args(&["--max-depth", "2"]);
    s.both(
        "P27-max-depth-more",
        "three levels where two are allowed",
        vec![file("a/b/c", "1")],
        Refused("path-too-deep"),
    )
    .args(&["--max-depth", "2"])
    .at(2);
    s.zip(
        "P27-zip-65535",
        "a name of 65,535 bytes",
        Zip::skill().entry(Entry::file("z".repeat(65_535), "1")),
        Refused("path-too-long"),
    );
}
