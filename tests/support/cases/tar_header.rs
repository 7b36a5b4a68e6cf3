//! T rows about a header as a whole: dialect and magic, checksum, prefix, link names where none belong.

use super::{Case, Expect::*, Sheet};
use crate::support::SKILL_MD;
use crate::support::tar::{GNU, Header, TAIL, Tar, UNAME, V7};
use crate::support::tree;

pub fn cases() -> Vec<Case> {
    let mut s = Sheet::new();
    magic(&mut s);
    checksum(&mut s);
    prefix(&mut s);
    gnu_area(&mut s);
    link_name(&mut s);
    ignored(&mut s);
    s.done()
}

fn magic(s: &mut Sheet) {
    let file = || Header::ustar(b'0', "a");
    for (id, magic) in [
        ("T22-v7", V7),
        ("T22-nul-version", b"ustar\0\0\0"),
        ("T22-spaces", b"ustar\0  "),
        ("T22-space-nul", b"ustar \0\0"),
        ("T22-version-01", b"ustar\x0001"),
        ("T22-upper", b"USTAR\x0000"),
        ("T22-no-nul", b"ustar000"),
        ("T22-gnu-one-space", b"ustar \0 "),
        ("T22-gnu-version", b"ustar  0"),
        ("T22-junk", b"garbage!"),
        ("T22-star", b"tar\0\0\0\0\0"),
    ] {
        s.tar(
            id,
            "a magic that is neither ustar nor GNU",
            Tar::skill().member(file().magic(magic), "1"),
            Refused("tar-dialect"),
        );
    }
    s.tar(
        "T22-v7-first",
        "an old header before all else",
        Tar::empty().member(Header::ustar(b'0', "SKILL.md").magic(V7), SKILL_MD),
        Refused("tar-dialect"),
    );
    let old = Header::ustar(0, "a").magic(V7).poke(329, [0; 16]);
    s.tar(
        "T22-v7-pure",
        "an old header with nothing behind the link name",
        Tar::skill().member(old, "1"),
        Refused("tar-dialect"),
    );
    s.tar("T22-gnu", "GNU magic", Tar::skill().member(file().magic(GNU), "1"), Accepted).tree([tree::file("a", "1")]);
    let mixed = Tar::empty()
        .member(Header::gnu(b'0', "SKILL.md"), SKILL_MD)
        .file("a", "1")
        .member(Header::gnu(b'0', "b"), "2")
        .member(Header::gnu(b'5', "c/"), "");
    s.tar("T23-mixed", "GNU and ustar members side by side", mixed, Accepted).tree([
        tree::file("a", "1"),
        tree::file("b", "2"),
        tree::dir("c"),
    ]);
}

fn checksum(s: &mut Sheet) {
    let file = || Header::ustar(b'0', "a");
    let refused = Refused("tar-checksum");
    let with = |header: Header| Tar::skill().member(header, "1");
    s.tar("T21-plus-one", "a sum one too high", with(file().checksum_off(1)), refused);
    s.tar("T21-minus-one", "a sum one too low", with(file().checksum_off(-1)), refused);
    s.tar("T21-zero", "a sum of zero", with(file().checksum_raw(b"000000\0 ")), refused);
    s.tar("T21-blank", "no sum", with(file().checksum_raw(&[0; 8])), refused);
    s.tar("T21-spaces", "a sum of spaces", with(file().checksum_raw(b"        ")), refused);
    let high = || file().set(UNAME, "\u{e9}\u{e8}");
    s.tar("T21-signed", "the signed sum of old systems", with(high().checksum_signed()), refused);
    s.tar("T21-unsigned", "the right sum over high bytes", with(high()), Accepted).tree([tree::file("a", "1")]);
    s.tar("T21-base256", "a sum in base-256", with(file().checksum_raw(&base256(file().size(1).sum()))), refused);
    s.tar(
        "T21-first",
        "a wrong sum in the first header",
        Tar::empty().member(Header::ustar(b'0', "SKILL.md").checksum_off(1), SKILL_MD),
        refused,
    );
    s.tar("T21-before-dialect", "a wrong sum in an old header", with(file().magic(V7).checksum_off(1)), refused);
    s.tar(
        "T21-pax",
        "a wrong sum in a pax header",
        Tar::skill().header(Header::ustar(b'x', "x").checksum_off(1)),
        refused,
    );
    s.tar(
        "T21-gnu-l",
        "a wrong sum in a long name header",
        Tar::skill().header(Header::gnu(b'L', "x").checksum_off(1)),
        refused,
    );
    s.tar(
        "T21-byte-changed",
        "a name changed after the sum was taken",
        with(Header::ustar(b'0', "b").checksum_raw(&spelled(&file(), "{:06o}\0 "))),
        refused,
    );
    for (id, form) in [
        ("usual", "{:06o}\0 "),
        ("space-nul", "{:06o} \0"),
        ("seven-nul", "{:07o}\0"),
        ("seven-space", "{:07o} "),
        ("eight", "{:08o}"),
        ("leading-spaces", "{:6o}\0 "),
        ("nuls", "{:06o}\0\0"),
        ("spaces", "{:06o}  "),
    ] {
        s.tar(
            format!("T21-form-{id}"),
            "the right sum in another form",
            with(file().checksum_raw(&spelled(&file(), form))),
            Accepted,
        )
        .tree([tree::file("a", "1")]);
    }
    for (id, form) in [
        ("junk", "{:06o}x "),
        ("digits-after-nul", "{:05o}\x001 "),
        ("letters", "zzzzzz\0 "),
        ("nine", "{:06o}\x009"),
        ("minus", "-{:05o}\0 "),
    ] {
        s.tar(
            format!("T21-junk-{id}"),
            "a sum with junk in its field",
            with(file().checksum_raw(&spelled(&file(), form))),
            Refused("tar-numeric"),
        );
    }
}

/// The right sum of this header with a payload of one byte, in the given form.
fn spelled(header: &Header, form: &str) -> [u8; 8] {
    let sum = header.clone().size(1).sum();
    let text = match form.split_once('{').and_then(|(before, rest)| Some((before, rest.split_once('}')?))) {
        None => form.to_owned(),
        Some((before, (":06o", after))) => format!("{before}{sum:06o}{after}"),
        Some((before, (":05o", after))) => format!("{before}{sum:05o}{after}"),
        Some((before, (":07o", after))) => format!("{before}{sum:07o}{after}"),
        Some((before, (":08o", after))) => format!("{before}{sum:08o}{after}"),
        Some((before, (":6o", after))) => format!("{before}{sum:6o}{after}"),
        Some(_) => panic!("no such form: {form}"),
    };
    let mut bytes = [0; 8];
    bytes[..text.len()].copy_from_slice(text.as_bytes());
    bytes
}

fn base256(sum: u32) -> [u8; 8] {
    let mut bytes = u64::from(sum).to_be_bytes();
    bytes[0] |= 0x80;
    bytes
}

fn prefix(s: &mut Sheet) {
    let b = || Header::ustar(b'0', "b");
    s.tar("T31-prefix", "prefix and name", Tar::skill().member(b().prefix("a"), "1"), Accepted)
        .tree([tree::dir("a"), tree::file("a/b", "1")]);
    s.tar(
        "T31-prefix-dir",
        "a directory with a prefix",
        Tar::skill().header(Header::ustar(b'5', "b/").prefix("a")),
        Accepted,
    )
    .tree([tree::dir("a"), tree::dir("a/b")]);
    // star and node-tar keep two more times behind the prefix; readers stop at its NUL, node-tar unless a newline follows.
    for (id, prefix) in [("nul", "a\0hidden"), ("newline", "a\0\n"), ("return", "\0\r")] {
        let tar = Tar::skill().member(b().prefix(prefix), "1");
        s.tar(
            format!("T31-prefix-{id}"),
            "bytes behind the NUL of the prefix that are no times",
            tar,
            Refused("tar-header"),
        );
    }
    s.tar(
        "T31-prefix-last",
        "the last byte of an empty prefix field",
        Tar::skill().member(b().poke(499, "x"), "1"),
        Refused("tar-header"),
    );
    for (id, flag, link) in [("symlink", b'2', "linkpath"), ("hard", b'1', "linkpath")] {
        let what = "a link whose target stands in a pax header, and nothing in its own: an empty file for bsdtar";
        let tar = Tar::skill().pax(&[(link, b"SKILL.md")]).member(Header::ustar(flag, "l"), "");
        s.tar(format!("L16-no-own-target-{id}"), what, tar, Refused("tar-header"));
        let tar = Tar::skill().pax(&[(link, b"SKILL.md")]).member(Header::ustar(flag, "l").link("SKIL"), "");
        s.tar(format!("L16-cut-own-target-{id}"), "the same with a cut target, as writers leave it", tar, Accepted);
    }
    let times = b().prefix("a").poke(476, "14524770400 ").poke(488, "14524770400 ");
    s.tar(
        "T31-prefix-times",
        "two times behind the prefix, as node-tar writes them",
        Tar::skill().member(times, "1"),
        Accepted,
    )
    .tree([tree::dir("a"), tree::file("a/b", "1")]);
    s.tar(
        "T31-empty-name",
        "a prefix and no name",
        Tar::skill().member(Header::ustar(b'0', "").prefix("a"), "1"),
        Refused("path-kind-mismatch"),
    );
    s.tar(
        "T31-latin1",
        "a prefix that is not UTF-8",
        Tar::skill().member(b().prefix(b"caf\xe9"), "1"),
        Refused("path-not-utf8"),
    );
    let split = Header::ustar(b'0', b"\xa9/x").prefix(b"caf\xc3");
    s.tar(
        "T31-split-character",
        "a character split between prefix and name",
        Tar::skill().member(split, "1"),
        Refused("path-not-utf8"),
    );
    s.tar(
        "T31-pax",
        "a prefix under a pax path does not count",
        Tar::skill().pax(&[("path", b"a")]).member(b().prefix("../x"), "1"),
        Accepted,
    )
    .tree([tree::file("a", "1")]);
    s.tar(
        "T31-gnu-l-ustar",
        "a prefix under a long name does not count",
        Tar::skill().long_name("a").member(b().prefix("../x"), "1"),
        Accepted,
    )
    .tree([tree::file("a", "1")]);
}

/// A GNU header keeps times and offsets where ustar has its prefix; some readers take them for a prefix all the same.
fn gnu_area(s: &mut Sheet) {
    let refused = Refused("tar-header");
    let gnu = || Header::gnu(b'0', "run.sh");
    s.tar("X04-prefix", "a prefix under GNU magic", Tar::skill().member(gnu().prefix("evil"), "1"), refused).at(2);
    s.tar(
        "X04-atime",
        "an access time under GNU magic",
        Tar::skill().member(gnu().poke(345, "14000000000\0"), "1"),
        refused,
    );
    s.tar("X04-first", "the first byte of the area", Tar::skill().member(gnu().poke(345, "x"), "1"), refused);
    s.tar("X04-last", "the last byte of the area", Tar::skill().member(gnu().poke(499, "x"), "1"), refused);
    s.tar(
        "X04-dir",
        "a directory with bytes in the area",
        Tar::skill().header(Header::gnu(b'5', "d/").poke(357, "1")),
        refused,
    );
    s.tar("X04-behind", "the bytes behind the area", Tar::skill().member(gnu().set(TAIL, "tar"), "1"), Accepted)
        .tree([tree::file("run.sh", "1")]);
    let long = Tar::skill().long_name("a").member(gnu().prefix("evil"), "1");
    s.tar("X04-long-name", "bytes in the area although a long name replaces the name", long, refused);
}

fn link_name(s: &mut Sheet) {
    let refused = Refused("tar-header");
    s.tar(
        "X05-file",
        "a link name on a file",
        Tar::skill().member(Header::ustar(b'0', "a").link("SKILL.md"), "1"),
        refused,
    )
    .at(2);
    s.tar(
        "X05-old-file",
        "a link name on the old file type",
        Tar::skill().member(Header::ustar(0, "a").link("SKILL.md"), "1"),
        refused,
    );
    s.tar(
        "X05-gnu-file",
        "a link name on a GNU file",
        Tar::skill().member(Header::gnu(b'0', "a").link("x"), "1"),
        refused,
    );
    s.tar("X05-dir", "a link name on a directory", Tar::skill().header(Header::ustar(b'5', "a/").link("x")), refused);
    s.tar(
        "X05-hidden",
        "a link name behind a NUL on a file",
        Tar::skill().member(Header::ustar(b'0', "a").poke(200, "x"), "1"),
        refused,
    );
    s.tar("X05-pax", "a pax link path on a file", Tar::skill().pax(&[("linkpath", b"x")]).file("a", "1"), refused);
    s.tar(
        "X05-gnu-k",
        "a long link on a file",
        Tar::skill().long_link("x").member(Header::gnu(b'0', "a"), "1"),
        refused,
    );
    s.tar("X05-pax-dir", "a pax link path on a directory", Tar::skill().pax(&[("linkpath", b"x")]).dir("a"), refused);
}

/// Fields that change nothing.
fn ignored(s: &mut Sheet) {
    let a = || Header::ustar(b'0', "a");
    let tree = || [tree::file("a", "1")];
    s.tar("M04-names", "owner names", Tar::skill().member(a().set(UNAME, "root").poke(297, "wheel"), "1"), Accepted)
        .tree(tree());
    s.tar(
        "M04-names-control",
        "owner names with control bytes",
        Tar::skill().member(a().set(UNAME, "\x1b[31mx"), "1"),
        Accepted,
    )
    .tree(tree());
    s.tar(
        "M04-names-full",
        "an owner name without a NUL",
        Tar::skill().member(a().set(UNAME, [b'u'; 32]), "1"),
        Accepted,
    )
    .tree(tree());
    s.tar("T22-tail", "bytes behind the prefix", Tar::skill().member(a().set(TAIL, "tar\0"), "1"), Accepted)
        .tree(tree());
}
