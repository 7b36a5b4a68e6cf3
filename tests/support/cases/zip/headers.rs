//! Z01, Z16–Z18, Z20, Z22, X11: the two headers of an entry say the same, and nothing that readers treat differently.

use super::super::{Case, Expect::*, Sheet};
use crate::support::tree;
use crate::support::zip::{DOS, Entry, FLAG_UTF8, NTFS, OSX, Zip};

pub fn cases() -> Vec<Case> {
    let mut s = Sheet::new();
    disagreement(&mut s);
    harmless_differences(&mut s);
    methods(&mut s);
    flags(&mut s);
    versions(&mut s);
    encodings(&mut s);
    comments(&mut s);
    s.done()
}

fn x() -> Entry {
    Entry::file("x", "content")
}

fn skill(entry: Entry) -> Zip {
    Zip::skill().entry(entry)
}

fn disagreement(s: &mut Sheet) {
    let changes: [(&str, fn(&mut Entry)); 22] = [
        ("local-name", |e| e.local.name = Some(b"y".to_vec())),
        ("local-name-longer", |e| e.local.name = Some(b"xx".to_vec())),
        ("local-name-traversal", |e| e.local.name = Some(b"../x".to_vec())),
        ("local-name-slash", |e| e.local.name = Some(b"x/".to_vec())),
        ("local-name-case", |e| e.local.name = Some(b"X".to_vec())),
        ("central-name", |e| e.central.name = Some(b"y".to_vec())),
        ("central-name-skill", |e| e.central.name = Some(b"SKILL.md".to_vec())),
        ("local-method", |e| e.local.method = Some(8)),
        ("central-method", |e| e.central.method = Some(8)),
        ("local-method-bzip2", |e| e.local.method = Some(12)),
        ("local-flag-utf8", |e| e.local.flags = Some(FLAG_UTF8)),
        ("central-flag-utf8", |e| e.central.flags = Some(FLAG_UTF8)),
        ("central-flag-level", |e| e.central.flags = Some(2)),
        ("local-crc", |e| e.local.crc = Some(1)),
        ("local-crc-zero", |e| e.local.crc = Some(0)),
        ("central-crc", |e| e.central.crc = Some(1)),
        ("local-packed", |e| e.local.packed = Some(6)),
        ("local-packed-zero", |e| e.local.packed = Some(0)),
        ("central-packed", |e| e.central.packed = Some(8)),
        ("local-size", |e| e.local.size = Some(8)),
        ("local-size-zero", |e| e.local.size = Some(0)),
        ("central-size", |e| e.central.size = Some(6)),
    ];
    for (id, change) in changes {
        s.zip(
            format!("Z01-{id}"),
            "local header and directory disagree",
            skill(x().with(change)).file("z", "1"),
            Refused("zip-header-mismatch"),
        )
        .at(2);
    }
    // A bit that only one header sets decides whether something follows the data.
    for (id, change) in [
        ("local-flag-descriptor", (|e| e.local.flags = Some(8)) as fn(&mut Entry)),
        ("central-flag-descriptor", |e| e.central.flags = Some(8)),
    ] {
        s.zip(
            format!("Z01-{id}"),
            "one of the headers promises a descriptor",
            skill(x().deflated().with(change)).file("z", "1"),
            Refused("zip-header-mismatch"),
        )
        .at(2);
    }
}

fn harmless_differences(s: &mut Sheet) {
    let changes: [(&str, fn(&mut Entry)); 6] = [
        ("version", |e| e.local.version = Some(45)),
        ("central-version", |e| e.central.version = Some(63)),
        ("time", |e| e.local.time = Some(0x5a5a)),
        ("date", |e| e.central.date = Some(0x5a5a)),
        ("extra", |e| e.local.extra = Some(crate::support::zip::extra(0x5455, [1, 0, 0, 0, 0]))),
        ("internal", |e| e.central.internal = 0xffff),
    ];
    for (id, change) in changes {
        s.zip(
            format!("Z01-other-{id}"),
            "a field that may differ, or means nothing",
            skill(x().with(change)).file("z", "1"),
            Accepted,
        )
        .tree([tree::file("x", "content"), tree::file("z", "1")]);
    }
}

fn methods(s: &mut Sheet) {
    for method in [1, 2, 5, 6, 7, 9, 10, 12, 13, 14, 19, 20, 93, 94, 95, 96, 97, 98, 99, 100, 0xffff] {
        s.zip(
            format!("Z16-{method}"),
            "a method that is neither store nor deflate",
            skill(x().with(|e| e.method = method)),
            Refused("zip-method"),
        )
        .at(2);
    }
    s.zip("Z16-0", "store", skill(x()), Accepted).tree([tree::file("x", "content")]);
    s.zip("Z16-8", "deflate", skill(x().deflated()), Accepted).tree([tree::file("x", "content")]);
}

fn flags(s: &mut Sheet) {
    for bit in [4, 5, 7, 8, 9, 10, 12, 13, 14, 15] {
        s.zip(
            format!("Z17-bit-{bit}"),
            "a flag that readers treat differently",
            skill(x().deflated().with(|e| e.flags |= 1 << bit)),
            Refused("zip-flag"),
        )
        .at(2);
    }
    for bit in [1, 2, 11] {
        s.zip(
            format!("Z17-bit-{bit}"),
            "a flag that changes nothing",
            skill(x().deflated().with(|e| e.flags |= 1 << bit)),
            Accepted,
        )
        .tree([tree::file("x", "content")]);
    }
    let masked = x().with(|e| e.flags |= 1 | 1 << 13);
    s.zip("Z17-masked-encrypted", "masked headers of an encrypted entry", skill(masked), Refused("zip-encrypted"));
    let strong = x().with(|e| e.flags |= 1 << 6);
    s.zip("S12-bit-6", "strong encryption without bit 0", skill(strong), Refused("zip-encrypted")).at(2);
    let local = x().with(|e| e.local.flags = Some(1));
    s.zip("S12-local", "encrypted by the local header only", skill(local), Refused("zip-encrypted")).at(2);
    let aes_without_bit = x().with(|e| {
        e.method = 99;
        e.extra = crate::support::zip::extra(0x9901, [2, 0, b'A', b'E', 3, 0, 0]);
    });
    s.zip("S12-aes-no-flag", "AES without the flag", skill(aes_without_bit), Refused("zip-encrypted")).at(2);
}

fn versions(s: &mut Sheet) {
    for version in [64, 99, 0xff, 0x0314, 0xffff] {
        s.zip(
            format!("Z18-{version}"),
            "a version that no specification has",
            skill(x().with(|e| e.version = version)),
            Refused("zip-version"),
        )
        .at(2);
        s.zip(
            format!("Z18-{version}-local"),
            "the same in the local header only",
            skill(x().with(|e| e.local.version = Some(version))),
            Refused("zip-version"),
        );
        s.zip(
            format!("Z18-{version}-central"),
            "the same in the directory only",
            skill(x().with(|e| e.central.version = Some(version))),
            Refused("zip-version"),
        );
    }
    for version in [0, 10, 20, 45, 63] {
        s.zip(
            format!("Z18-{version}"),
            "a version that is fine, with deflate",
            skill(x().deflated().with(|e| e.version = version)),
            Accepted,
        )
        .tree([tree::file("x", "content")]);
    }
}

fn encodings(s: &mut Sheet) {
    let refused = Refused("path-not-utf8");
    let named = |name: &[u8], flags: u16, host: u8| Entry::file(name, "1").with(|e| e.flags = flags).host(host);
    let utf8 = "caf\u{e9}".as_bytes();
    for (id, name, flags, host, expect) in [
        ("flagged", utf8, FLAG_UTF8, 3, Accepted),
        ("flagged-dos", utf8, FLAG_UTF8, DOS, Accepted),
        ("unflagged-unix", utf8, 0, 3, Accepted),
        ("unflagged-osx", utf8, 0, OSX, Accepted),
        ("unflagged-dos", utf8, 0, DOS, refused),
        ("unflagged-ntfs", utf8, 0, NTFS, refused),
        ("unflagged-11", utf8, 0, 11, refused),
        ("cp437-unix", b"caf\x82", 0, 3, refused),
        ("cp437-dos", b"caf\x82", 0, DOS, refused),
        ("latin1-unix", b"caf\xe9", 0, 3, refused),
        ("cp932", b"\x83\x65\x83\x58\x83\x67", 0, DOS, refused),
        ("flagged-latin1", b"caf\xe9", FLAG_UTF8, 3, refused),
        ("flagged-overlong", b"a\xc0\xafb", FLAG_UTF8, 3, refused),
        ("flagged-surrogate", b"a\xed\xa0\x80", FLAG_UTF8, 3, refused),
        ("ascii-dos", b"cafe", 0, DOS, Accepted),
        ("ascii-flagged", b"cafe", FLAG_UTF8, DOS, Accepted),
    ] {
        let rows = s.zip(format!("Z20-{id}"), "the encoding of a name", skill(named(name, flags, host)), expect);
        if expect == Accepted {
            rows.tree([tree::file(std::str::from_utf8(name).expect("accepted names are UTF-8"), "1")]);
        } else {
            rows.at(2);
        }
    }
    let gbk = named(b"\xc1\xb4\xc1\xb4", 0, DOS);
    s.zip("X11-gbk", "GBK bytes without a flag", skill(gbk), refused).at(2);
    let gbk_as_utf8 = named(b"\xd0\xa1\xd0\xa1", 0, DOS);
    s.zip("X11-gbk-utf8", "GBK bytes that happen to be UTF-8", skill(gbk_as_utf8), refused).at(2);
    let unflagged = || skill(named(utf8, 0, 3));
    s.zip("Z20-unflagged-denied", "an unflagged name where that is denied", unflagged(), Refused("zip-name-unflagged"))
        .args(&["--deny", "zip-name-unflagged"]);
}

fn comments(s: &mut Sheet) {
    let with = |comment: &[u8]| skill(x().with(|e| e.central.comment = comment.to_vec()));
    for (id, comment) in [
        ("local", &b"PK\x03\x04hello"[..]),
        ("end", b"PK\x05\x06"),
        ("pk", b"made by PKZIP"),
        ("ends-in-pk", b"PK"),
        ("escape", b"\x1b]0;pwn\x07"),
        ("nul", b"a\0"),
        ("c1", "\u{9b}31m".as_bytes()),
    ] {
        s.zip(format!("Z22-{id}"), "a comment that could be a record", with(comment), Refused("zip-comment")).at(2);
    }
    for (id, comment) in [
        ("text", &b"the content"[..]),
        ("utf8", "\u{1f600}".as_bytes()),
        ("latin1", b"f\xfcr"),
        ("lines", b"a\r\nb\tc"),
        ("long", &[b'c'; 65_535]),
    ] {
        s.zip(format!("Z22-{id}"), "a comment of text", with(comment), Accepted).tree([tree::file("x", "content")]);
    }
}
