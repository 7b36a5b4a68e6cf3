//! T rows about numbers in tar headers: octal with every padding, blanks, base-256, junk; in all eight fields, used or not.

use super::{Case, Expect::*, Sheet};
use crate::support::tar::{DEV_MAJOR, GID, Header, MODE, MTIME, NUMERIC, SIZE, Tar, UID};
use crate::support::tree;

pub fn cases() -> Vec<Case> {
    let mut s = Sheet::new();
    junk(&mut s);
    forms(&mut s);
    size_forms(&mut s);
    base256_sizes(&mut s);
    base256_others(&mut s);
    s.done()
}

fn a() -> Header {
    Header::ustar(b'0', "a")
}

fn junk(s: &mut Sheet) {
    let refused = Refused("tar-numeric");
    for (name, field) in NUMERIC {
        for (id, text) in [
            ("letters", "001zz"),
            ("only-letters", "zz"),
            ("eight", "0008"),
            ("minus", "-1"),
            ("plus", "+1"),
            ("hex", "0x1"),
            ("digit-after-nul", "1\x001"),
            ("digit-after-space", "1 1"),
            ("nul-first", "\x001"),
            ("tab", "1\t"),
            ("junk-after-nul", "1\0z"),
        ] {
            let member = Tar::skill().member(a().set(field, text), "").file("after", "1");
            s.tar(format!("T20-{name}-{id}"), "junk in a numeric field", member, refused).at(2);
        }
        let last = a().poke(field.0 + field.1 - 1, "x");
        s.tar(
            format!("T20-{name}-last"),
            "junk in the last byte of the field",
            Tar::skill().member(last, "").file("after", "1"),
            refused,
        )
        .at(2);
        let delete = Tar::skill().member(a().set(field, "\x7f1"), "");
        s.tar(format!("T20-{name}-delete"), "a DEL before the digits: no sign of base-256", delete, refused);
    }
    s.tar(
        "X07-gnu",
        "junk in an unused field under GNU magic",
        Tar::skill().member(Header::gnu(b'0', "a").set(DEV_MAJOR, "zz"), "1"),
        refused,
    );
    s.tar(
        "X07-dir",
        "junk in the mtime of a directory",
        Tar::skill().header(Header::ustar(b'5', "d/").set(MTIME, "zz")),
        refused,
    );
    s.tar(
        "X07-link",
        "junk in the size of a link",
        Tar::skill().header(Header::ustar(b'2', "l").link("SKILL.md").set(SIZE, "zz")),
        refused,
    );
    let pax = Tar::skill().header(Header::ustar(b'x', "x").set(UID, "zz"));
    s.tar("X07-pax", "junk in an unused field of a pax header", pax, refused);
    let long = Tar::skill()
        .member(Header::gnu(b'L', "././@LongLink").set(MTIME, "zz"), "a\0")
        .member(Header::gnu(b'0', "a"), "1");
    s.tar("X07-gnu-l", "junk in an unused field of a long name header", long, refused);
}

fn forms(s: &mut Sheet) {
    for (name, field) in NUMERIC {
        if name == "size" {
            continue;
        }
        let width = field.1;
        for (id, text) in [
            ("blank-nul", vec![0; width]),
            ("blank-space", vec![b' '; width]),
            ("space-nul", b"644 \0".to_vec()),
            ("spaces", b"644  ".to_vec()),
            ("nul-space", b"644\0 ".to_vec()),
            ("leading-spaces", b"  644 ".to_vec()),
            ("full", vec![b'0'; width]),
            ("full-sevens", vec![b'7'; width]),
            ("one-digit", b"1".to_vec()),
            ("space-then-nuls", b" \0\0".to_vec()),
        ] {
            s.tar(
                format!("T20-{name}-form-{id}"),
                "a number in an unusual form",
                Tar::skill().member(a().set(field, text), "1"),
                Accepted,
            )
            .tree([maybe_exec(name, id)]);
        }
    }
}

/// A mode of sevens has its x bits set, and so has a mode of one.
fn maybe_exec(field: &str, form: &str) -> (String, tree::Node) {
    if field == "mode" && ["full-sevens", "one-digit"].contains(&form) {
        tree::exec("a", "1")
    } else {
        tree::file("a", "1")
    }
}

fn size_forms(s: &mut Sheet) {
    for (id, text) in [
        ("usual", &b"00000000005\0"[..]),
        ("space-nul", b"00000005 \0"),
        ("short", b"5"),
        ("leading-spaces", b"          5 "),
        ("full", b"000000000005"),
        ("space", b"00000000005 "),
        ("nul-space", b"5\0 \0 \0"),
    ] {
        let tar = Tar::skill().member(a().set(SIZE, text), "12345").file("b", "2");
        s.tar(format!("T20-size-form-{id}"), "a size in an unusual form", tar, Accepted)
            .tree([tree::file("a", "12345"), tree::file("b", "2")]);
    }
    for (id, text) in [("nul", &[0_u8; 12])] {
        let tar = Tar::skill().member(a().set(SIZE, text), "").file("b", "2");
        s.tar(format!("T20-size-blank-{id}"), "a blank size is zero", tar, Accepted)
            .tree([tree::file("a", ""), tree::file("b", "2")]);
    }
    let most = Tar::skill().header(a().set(SIZE, "777777777777"));
    s.stream("T20-size-full-sevens", "the largest octal size, and nothing", most.unended(), Refused("tar-truncated"));
}

fn base256_sizes(s: &mut Sheet) {
    for (id, size) in [
        ("one", 1_usize),
        ("one-byte", 255),
        ("two-bytes", 256),
        ("block", 512),
        ("two-bytes-more", 1025),
        ("three-bytes", 65_536),
    ] {
        let data = vec![b'x'; size];
        let tar = Tar::skill().member(a().base256(SIZE, size as i128), &data).file("b", "2");
        s.tar(format!("T19-size-{id}"), "a small size in base-256", tar, Accepted)
            .tree([tree::file("a", &data), tree::file("b", "2")]);
    }
    let zero = Tar::skill().member(a().base256(SIZE, 0), "").file("b", "2");
    s.tar("T19-size-zero", "a size of zero in base-256", zero, Accepted)
        .tree([tree::file("a", ""), tree::file("b", "2")]);
    let gnu = Tar::skill().member(Header::gnu(b'0', "a").base256(SIZE, 3), "123");
    s.tar("T19-size-gnu", "a size in base-256 under GNU magic", gnu, Accepted).tree([tree::file("a", "123")]);
    for (id, bytes) in [
        ("minus-one", vec![0xff; 12]),
        ("minus-256", [vec![0xff; 11], vec![0]].concat()),
        ("minus-huge", [vec![0xc0], vec![0; 11]].concat()),
        ("sign-bit-only", [vec![0x80, 0, 0, 0, 0x80], vec![0; 7]].concat()),
        ("two-to-64", [vec![0x80, 0, 0, 1], vec![0; 8]].concat()),
        ("two-to-64-plus-5", [vec![0x80, 0, 0, 1], vec![0; 7], vec![5]].concat()),
        ("two-to-88", [vec![0x81], vec![0; 11]].concat()),
        ("most-positive", [vec![0xbf], vec![0xff; 11]].concat()),
    ] {
        let tar = Tar::skill().header(a().set(SIZE, bytes));
        s.tar(format!("T19-size-{id}"), "a size that is negative or too large", tar, Refused("tar-numeric")).at(2);
    }
    for exponent in [33, 34, 40, 48, 56, 62] {
        let tar = Tar::skill().header(a().base256(SIZE, 1 << exponent));
        s.stream(format!("T19-size-2-{exponent}"), "a huge size, and nothing", tar.unended(), Refused("tar-truncated"));
    }
    let most = || a().base256(SIZE, i128::from(i64::MAX));
    s.stream(
        "T34-size-most",
        "the largest size there is, and nothing",
        Tar::skill().header(most()).unended(),
        Refused("tar-truncated"),
    );
    s.stream(
        "T34-size-most-twice",
        "the largest size twice: no sum may overflow",
        Tar::skill().header(most()).header(most()).unended(),
        Refused("tar-truncated"),
    );
}

fn base256_others(s: &mut Sheet) {
    let numbers = [
        ("zero", 0_i128),
        ("one", 1),
        ("one-byte", 0xff),
        ("two-bytes", 0xffff),
        ("three-bytes", 0xff_ffff),
        ("four-bytes", 0xffff_ffff),
        ("five-bytes", 0xff_ffff_ffff),
        ("six-bytes", 0xffff_ffff_ffff),
        ("53-bits", (1 << 53) - 1),
        ("minus-one", -1),
        ("minus-two-to-40", -(1 << 40)),
    ];
    for (name, field) in [("uid", UID), ("gid", GID), ("mtime", MTIME), ("devmajor", DEV_MAJOR)] {
        for (id, number) in numbers {
            for (magic, header) in [("ustar", a()), ("gnu", Header::gnu(b'0', "a"))] {
                let tar = Tar::skill().member(header.base256(field, number), "1");
                s.tar(format!("T19-{name}-{id}-{magic}"), "an ignored number in base-256", tar, Accepted)
                    .tree([tree::file("a", "1")]);
            }
        }
    }
    let negative = Tar::skill().member(a().set(MTIME, [0xff; 12]), "1");
    s.tar("T33-mtime-negative", "a time before 1970, as GNU tar writes it", negative, Accepted)
        .tree([tree::file("a", "1")]);
    let mode = Tar::skill().member(a().base256(MODE, 0o755), "1");
    s.tar("T19-mode", "a mode in base-256", mode, Accepted).tree([tree::exec("a", "1")]);
}
