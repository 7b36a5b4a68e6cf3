//! T rows about pax headers: record grammar, sizes that disagree, duplicates, globals, vendor keys.

use super::{Case, Expect::*, Sheet};
use crate::support::SKILL_MD;
use crate::support::tar::{Header, Tar, record, record_as, records};
use crate::support::tree;

pub fn cases() -> Vec<Case> {
    let mut s = Sheet::new();
    size_conflict(&mut s);
    size_forms(&mut s);
    scope(&mut s);
    grammar(&mut s);
    lengths(&mut s);
    values(&mut s);
    global(&mut s);
    vendor(&mut s);
    s.done()
}

fn smuggled() -> Vec<u8> {
    Tar::empty().file("smuggled.txt", "pwn").unended()
}

fn size_conflict(s: &mut Sheet) {
    let refused = Refused("tar-size-conflict");
    let with = |pax: &str, header: u64| {
        let member = Header::ustar(b'0', "outer").size(header);
        Tar::skill().pax(&[("size", pax.as_bytes())]).header(member).data(smuggled()).file("after", "1")
    };
    s.tar("T01-header-zero", "a pax size over a header size of zero", with("1024", 0), refused).at(2);
    s.tar("T02-pax-zero", "a pax size of zero over a header size", with("0", 1024), refused).at(2);
    s.tar("T01-header-other", "a pax size over another header size", with("1024", 512), refused).at(2);
    s.tar("T01-off-by-one", "a pax size one less than the header's", with("1023", 1024), refused).at(2);
    s.tar("T01-equal", "a pax size equal to the header's", with("1024", 1024), Accepted)
        .tree([tree::file("outer", smuggled()), tree::file("after", "1")]);
    s.tar("T01-both-zero", "a pax size of zero over zero", Tar::skill().pax(&[("size", b"0")]).file("a", ""), Accepted)
        .tree([tree::file("a", "")]);
    let at_octal_limit = Tar::skill().pax(&[("size", b"8589934591")]).header(Header::ustar(b'0', "a").size(0));
    s.stream(
        "T01-fits-octal",
        "the largest size that octal can hold, and zero in the header",
        at_octal_limit.unended(),
        refused,
    );
    for (id, header) in [("zero", 0), ("sevens", 0o77777777777)] {
        let beyond = Tar::skill().pax(&[("size", b"8589934592")]).header(Header::ustar(b'0', "a").size(header));
        s.stream(
            format!("T01-beyond-octal-{id}"),
            "a size that octal cannot hold, and nothing",
            beyond.unended(),
            Refused("tar-truncated"),
        );
    }
    let other = Tar::skill().pax(&[("size", b"8589934592")]).header(Header::ustar(b'0', "a").size(5));
    s.stream(
        "T01-beyond-octal-other",
        "a size that octal cannot hold, and another in the header",
        other.unended(),
        refused,
    );
    let base256 = Header::ustar(b'0', "a").base256(crate::support::tar::SIZE, 1 << 34);
    let equal = Tar::skill().pax(&[("size", b"17179869184")]).header(base256);
    s.stream("T01-base256-equal", "pax and base-256 agree, and nothing", equal.unended(), Refused("tar-truncated"));
}

fn size_forms(s: &mut Sheet) {
    let with = |size: &[u8]| Tar::skill().pax(&[("size", size)]).file("a", "1").file("b", "2");
    for (id, size) in [
        ("plus", &b"+1"[..]),
        ("minus", b"-1"),
        ("empty", b""),
        ("space-after", b"1 "),
        ("space-before", b" 1"),
        ("hex", b"0x1"),
        ("fraction", b"1.0"),
        ("exponent", b"1e0"),
        ("letters", b"one"),
        ("nul", b"1\0"),
        ("newline", b"1\n"),
        ("arabic-digit", b"\xd9\xa1"),
        ("2-63", b"9223372036854775808"),
        ("2-64", b"18446744073709551616"),
        ("2-64-plus-1", b"18446744073709551617"),
        ("many-digits", b"100000000000000000000000000000000000000001"),
    ] {
        s.tar(format!("T05-{id}"), "a pax size that is no plain number", with(size), Refused("pax-malformed")).at(2);
    }
    let most = Tar::skill().pax(&[("size", b"9223372036854775807")]).header(Header::ustar(b'0', "a"));
    s.stream("T05-most", "the largest pax size, and nothing", most.unended(), Refused("tar-truncated"));
}

/// A pax header is for one member.
fn scope(s: &mut Sheet) {
    let two = Tar::skill().pax(&[("size", b"5")]).file("a", "12345").file("b", "123");
    s.tar("T04-size", "a size does not reach the second file", two, Accepted)
        .tree([tree::file("a", "12345"), tree::file("b", "123")]);
    let two = Tar::skill().pax(&[("path", b"x")]).file("a", "1").file("b", "2");
    s.tar("T04-path", "a path does not reach the second file", two, Accepted)
        .tree([tree::file("x", "1"), tree::file("b", "2")]);
    let two = Tar::skill().pax(&[("linkpath", b"SKILL.md")]).symlink("s", "x").symlink("t", "s");
    s.tar("T04-linkpath", "a link path does not reach the second link", two, Accepted)
        .tree([tree::link("s", "SKILL.md"), tree::link("t", "s")]);
    let dangling = Refused("dangling-extension");
    s.tar(
        "T10-two",
        "two pax headers in a row",
        Tar::skill().pax(&[("path", b"x")]).pax(&[("path", b"y")]).file("a", "1"),
        dangling,
    );
    s.tar(
        "T10-two-different",
        "two pax headers that do not even meet",
        Tar::skill().pax(&[("path", b"x")]).pax(&[("mtime", b"1")]).file("a", "1"),
        dangling,
    );
    s.tar(
        "T10-before-global",
        "a pax header before a global one",
        Tar::skill().pax(&[("path", b"x")]).global(&[("comment", b"c")]).file("a", "1"),
        dangling,
    );
    s.tar("T12-end", "a pax header before the end", Tar::skill().pax(&[("path", b"x")]), dangling);
    s.tar("T12-end-comment", "a harmless pax header before the end", Tar::skill().pax(&[("comment", b"x")]), dangling);
    s.stream(
        "T12-cut",
        "a pax header, and the stream ends",
        Tar::skill().pax(&[("path", b"x")]).unended(),
        Refused("tar-no-end"),
    );
    let x = Header::gnu(b'x', "x");
    s.tar(
        "T03-gnu-magic",
        "a pax header under GNU magic",
        Tar::skill().member(x, record("path", "x")).file("a", "1"),
        Refused("mixed-tar-dialect"),
    );
    let gnu = Header::gnu(b'0', "a");
    s.tar(
        "T03-gnu-member",
        "a pax header before a GNU member",
        Tar::skill().pax(&[("path", b"x")]).member(gnu, "1"),
        Refused("mixed-tar-dialect"),
    );
    let duplicate = Refused("pax-duplicate");
    for key in ["path", "linkpath", "size"] {
        for (id, first, second) in [("different", "SKILL.md", "1"), ("same", "1", "1")] {
            let (first, second) = if key == "size" { ("1", second) } else { (first, second) };
            let twice = [record(key, first), record("comment", "between"), record(key, second)].concat();
            let member = Tar::skill().pax_raw(twice);
            let member = if key == "linkpath" { member.symlink("s", "SKILL.md") } else { member.file("a", "1") };
            s.tar(format!("T06-{key}-{id}"), "a key that matters, twice", member, duplicate);
        }
    }
    let twice = [record("mtime", "1"), record("mtime", "2"), record("comment", "a"), record("comment", "b")].concat();
    s.tar("T06-others", "keys that do not matter, twice", Tar::skill().pax_raw(twice).file("a", "1"), Accepted)
        .tree([tree::file("a", "1")]);
}

fn grammar(s: &mut Sheet) {
    let bad: [(&str, Vec<u8>); 28] = [
        ("too-long", record_as("13", "path", "xyz")),
        ("much-too-long", record_as("99999", "path", "xyz")),
        ("too-short", record_as("11", "path", "xyz")),
        ("one-short-two-records", [record_as("11", "path", "xyz"), record("mtime", "1")].concat()),
        ("zero", record_as("0", "path", "xyz")),
        ("one", record_as("1", "path", "xyz")),
        ("two", record_as("2", "path", "xyz")),
        ("three", record_as("3", "path", "xyz")),
        ("leading-zeros", record_as("0012", "path", "x")),
        ("leading-zero", record_as("012", "path", "xy")),
        ("leading-space", record_as(" 12", "path", "xy")),
        ("plus", record_as("+13", "path", "xyz")),
        ("minus", record_as("-13", "path", "xyz")),
        ("hex", record_as("0xd", "path", "xyz")),
        ("empty-length", record_as("", "path", "xyz")),
        ("letters", record_as("xx", "path", "xyz")),
        ("2-64", record_as("18446744073709551628", "path", "xyz")),
        ("many-digits", record_as("9".repeat(60), "path", "xyz")),
        ("no-equals", b"12 path xyz\n".to_vec()),
        ("no-final-newline", b"12 path=xyz!".to_vec()),
        ("no-space", b"12path=xyz!\n".to_vec()),
        ("tab", b"12\tpath=xyz\n".to_vec()),
        ("empty-key", record("", "xyz")),
        ("nul-in-key", record("pa\0th", "xyz")),
        ("only-length", b"5 \n".to_vec()),
        ("trailing-junk", [record("path", "xyz"), b"junk".to_vec()].concat()),
        ("trailing-newline", [record("path", "xyz"), b"\n".to_vec()].concat()),
        ("trailing-nul", [record("path", "xyz"), b"\0".to_vec()].concat()),
    ];
    for (id, payload) in bad {
        s.tar(
            format!("T07-{id}"),
            "a pax record that breaks the grammar",
            Tar::skill().pax_raw(payload.clone()).file("a", "1"),
            Refused("pax-malformed"),
        )
        .at(2);
        // Trailing bytes come after a whole path record, which is a refusal of its own in a global header.
        if !id.starts_with("trailing-") {
            s.tar(
                format!("T07-global-{id}"),
                "the same in a global header",
                Tar::skill().global_raw(payload).file("a", "1"),
                Refused("pax-malformed"),
            );
        }
    }
    for key in ["path", "linkpath"] {
        let member = Tar::skill().pax(&[(key, b"")]);
        let member = if key == "path" { member.file("a", "1") } else { member.symlink("s", "SKILL.md") };
        s.tar(format!("T09-{key}"), "an empty value of a key that matters", member, Refused("pax-malformed"));
    }
    let skip = [record("mtime", "1"), b"garbage".to_vec(), record("path", "x")].concat();
    s.tar(
        "T07-garbage-between",
        "garbage between two records",
        Tar::skill().pax_raw(skip).file("a", "1"),
        Refused("pax-malformed"),
    );
    let blank = [record("path", "x"), vec![b' '; 20]].concat();
    s.tar(
        "T07-trailing-spaces",
        "spaces after the records",
        Tar::skill().pax_raw(blank).file("a", "1"),
        Refused("pax-malformed"),
    );
}

/// Where the number of digits changes, two lengths are right for one text.
fn lengths(s: &mut Sheet) {
    let accepted = |s: &mut Sheet, id: &str, length: &str, value: &str| {
        let bytes = record_as(length, "path", value);
        assert_eq!(bytes.len().to_string(), length, "{id}");
        s.tar(id, "a record length where the digits change", Tar::skill().pax_raw(bytes).file("a", "1"), Accepted)
            .tree([tree::file(value, "1")]);
    };
    accepted(s, "T07-length-9", "9", "x");
    accepted(s, "T07-length-10", "10", "x");
    accepted(s, "T07-length-11", "11", "xy");
    let v = |bytes: usize| "v".repeat(bytes);
    accepted(s, "T07-length-98", "98", &v(89));
    accepted(s, "T07-length-99", "99", &v(90));
    accepted(s, "T07-length-100", "100", &v(90));
    accepted(s, "T07-length-101", "101", &v(91));
    for length in [999_usize, 1000, 9999, 10_000] {
        let digits = length.to_string();
        let comment = record_as(&digits, "comment", "c".repeat(length - digits.len() - 10));
        assert_eq!(comment.len(), length);
        s.tar(format!("T07-length-{length}"), "a long record", Tar::skill().pax_raw(comment).file("a", "1"), Accepted)
            .tree([tree::file("a", "1")]);
    }
}

fn values(s: &mut Sheet) {
    let a = [tree::file("a", "1")];
    for (id, key, value) in [
        ("T08-newline", "SCHILY.xattr.user.x", &b"one\ntwo\n"[..]),
        ("T08-other-record-inside", "SCHILY.xattr.user.x", b"x\n17 comment=../evil\n"),
        ("T08-no-record-inside", "SCHILY.xattr.user.x", b"x\npath=../evil\n 9 size=0\nsize 9\n"),
        ("T08-equals", "comment", b"a=b=c"),
        ("T08-equals-in-key", "LIBARCHIVE.xattr.a", b"=="),
        ("T08-binary", "SCHILY.xattr.user.x", &[0, 0xff, 0x80, 10, 0x1b]),
        ("T09-uname", "uname", b""),
        ("T09-gname", "gname", b""),
        ("T09-comment", "comment", b""),
        ("T09-mtime", "mtime", b""),
        ("T33-pax-mtime-20-digits", "mtime", b"99999999999999999999"),
        ("T33-pax-mtime-negative", "mtime", b"-1.5"),
        ("T33-pax-mtime-fraction", "mtime", b"1700000000.123456789123456789"),
        ("T33-pax-mtime-two-dots", "mtime", b"1.5.2"),
        ("T33-atime-junk", "atime", b"yesterday"),
        ("T33-uid-huge", "uid", b"99999999999999999999"),
        ("T33-uid-negative", "uid", b"-2"),
        ("T17-unknown", "FOO.bar", b"x"),
        ("T17-schily-fflags", "SCHILY.fflags", b"uappnd"),
        ("T17-schily-dev", "SCHILY.dev", b"2049"),
        ("T17-libarchive-xattr", "LIBARCHIVE.xattr.com.apple.provenance", b"AQAA"),
        ("T17-libarchive-creationtime", "LIBARCHIVE.creationtime", b"1700000000"),
        ("T17-selinux", "RHT.security.selinux", b"system_u:object_r:x"),
        ("M05-capability", "SCHILY.xattr.security.capability", b"\x01\0\0\x02"),
        ("M05-acl", "SCHILY.acl.access", b"user::rwx"),
        ("T17-case", "PATH", b"../evil"),
        ("T17-prefix", "path2", b"../evil"),
        ("T17-gnu-other", "GNU.sparsex", b"1"),
    ] {
        s.tar(id, "a value that changes nothing", Tar::skill().pax(&[(key, value)]).file("a", "1"), Accepted)
            .tree(a.clone());
    }
    for (id, key, value) in [
        ("T08-path-inside", "SCHILY.xattr.user.x", "x\n17 path=../evil\n"),
        ("T08-size-inside", "SCHILY.acl.access", "x\n9 size=0\n"),
        ("T08-link-inside", "comment", "\n14 linkpath=x"),
        ("T08-sparse-inside", "comment", "x\n22 GNU.sparse.major=1\n"),
        ("T08-inside-key", "a\n9 size", "0\n"),
    ] {
        let what = "a record inside a record, which readers that split at newlines obey";
        s.tar(id, what, Tar::skill().pax(&[(key, value.as_bytes())]).file("a", "1"), Refused("pax-malformed")).at(2);
        let id = id.replace("T08", "T15");
        s.tar(id, what, Tar::skill().global(&[(key, value.as_bytes())]).file("a", "1"), Refused("pax-malformed"));
    }
    let xattr = record("SCHILY.xattr.a=b", "c");
    s.tar(
        "T08-key-with-equals",
        "a record with two equals signs",
        Tar::skill().pax_raw(xattr).file("a", "1"),
        Accepted,
    )
    .tree(a.clone());
    for (id, value, expect) in [
        ("T18-utf8", "ISO-IR 10646 2000 UTF-8", Accepted),
        ("T18-binary", "BINARY", Accepted),
        ("T18-binary-lower", "binary", Refused("path-not-utf8")),
        ("T18-empty", "", Refused("path-not-utf8")),
        ("T18-utf16", "ISO-IR 10646 2000 UTF-16", Refused("path-not-utf8")),
        ("T18-latin1", "ISO-IR 8859 1 1998", Refused("path-not-utf8")),
    ] {
        let tar = Tar::skill().pax(&[("hdrcharset", value.as_bytes()), ("path", b"caf\xc3\xa9")]).file("x", "1");
        s.tar(id, "a declared character set", tar, expect);
    }
    binary(s);
    let guia = "references/gu\u{ed}a.md";
    s.tar(
        "A-pax-path",
        "a path beyond ASCII from pax",
        Tar::skill().pax(&[("path", guia.as_bytes())]).file("references/gu?a.md", "1"),
        Accepted,
    )
    .tree([tree::dir("references"), tree::file(guia, "1")]);
}

/// bsdtar under LC_ALL=C declares the bytes of a header to be just bytes, if one of them is beyond ASCII.
fn binary(s: &mut Sheet) {
    let file = |records: &[(&str, &[u8])]| Tar::skill().pax(records).file("x", "1");
    let charset = ("hdrcharset", &b"BINARY"[..]);
    let guia = "gu\u{ed}a.md".as_bytes();
    let what = "the character set BINARY beside a name beyond ASCII";
    let tree = [tree::file("gu\u{ed}a.md", "1")];
    s.tar("T18-binary-first", what, file(&[charset, ("path", guia)]), Accepted).tree(tree.clone());
    s.tar("T18-binary-last", what, file(&[("path", guia), charset]), Accepted).tree(tree.clone());
    s.tar("T18-binary-twice", what, file(&[charset, charset, ("path", guia)]), Accepted).tree(tree);
    let owner = file(&[charset, ("uname", "jos\u{e9}".as_bytes()), ("path", b"a")]);
    s.tar("T18-binary-owner", "the same beside an owner beyond ASCII", owner, Accepted).tree([tree::file("a", "1")]);
    let link = Tar::skill().file("gu\u{ed}a.md", "1").pax(&[charset, ("linkpath", guia)]).symlink("l", "gu?a.md");
    s.tar("T18-binary-link", "the same beside a target beyond ASCII", link, Accepted)
        .tree([tree::file("gu\u{ed}a.md", "1"), tree::link("l", "gu\u{ed}a.md")]);
    let refused = Refused("path-not-utf8");
    let what = "the character set BINARY beside a name that is not UTF-8";
    s.tar("T18-binary-latin1", what, file(&[charset, ("path", b"caf\xe9")]), refused).at(2);
    s.tar("T18-binary-cut", what, file(&[("path", b"caf\xc3"), charset]), refused).at(2);
    let what = "the character set BINARY where all is ASCII";
    s.tar("T18-binary-ascii", what, file(&[charset, ("path", b"a")]), refused).at(2);
    s.tar("T18-binary-alone", what, file(&[charset]), refused).at(2);
    let what = "the character set BINARY and another";
    s.tar(
        "T18-binary-and-latin1",
        what,
        file(&[charset, ("hdrcharset", b"ISO-IR 8859 1 1998"), ("path", guia)]),
        refused,
    );
}

fn global(s: &mut Sheet) {
    let refused = Refused("pax-global-member");
    s.tar("T15-path", "a path for all", Tar::skill().global(&[("path", b"x")]).file("a", "1"), refused);
    s.tar("T15-linkpath", "a link path for all", Tar::skill().global(&[("linkpath", b"x")]).file("a", "1"), refused);
    s.tar(
        "T15-size-zero",
        "a size of zero for all",
        Tar::skill().global(&[("size", b"0")]).file("a", smuggled()),
        refused,
    );
    s.tar(
        "T15-hdrcharset",
        "a character set for all",
        Tar::skill().global(&[("hdrcharset", b"BINARY")]).file("a", "1"),
        refused,
    );
    s.tar("T15-path-empty", "an empty path for all", Tar::skill().global(&[("path", b"")]).file("a", "1"), refused);
    s.tar(
        "T15-first",
        "a path for all, before all else",
        Tar::empty().global(&[("path", b"x")]).file("SKILL.md", SKILL_MD),
        refused,
    );
    let commit = b"0123456789abcdef0123456789abcdef01234567";
    let a = [tree::file("a", "1")];
    let git = Tar::empty().global(&[("comment", commit)]).file("SKILL.md", SKILL_MD).file("a", "1");
    s.tar("T16-git", "the commit comment of git archive", git, Accepted).tree(a.clone());
    let many = Tar::skill()
        .global(&[("comment", b"1")])
        .global(&[("mtime", b"1"), ("uid", b"0")])
        .global(&[("comment", b"2")])
        .file("a", "1");
    s.tar("T16-many", "several global headers", many, Accepted).tree(a.clone());
    let others =
        Tar::skill().global(&[("uname", b""), ("FOO.bar", b"x"), ("SCHILY.xattr.user.a", b"b\nc")]).file("a", "1");
    s.tar("T16-others", "other keys for all", others, Accepted).tree(a.clone());
    let both = Tar::skill().global(&[("comment", b"1")]).pax(&[("path", b"a")]).file("x", "1");
    s.tar("T16-then-pax", "a global header, then a pax header", both, Accepted).tree(a);
}

/// bsdtar takes it for the size, the others pass it over.
fn realsize(s: &mut Sheet) {
    let refused = Refused("sparse-unsupported");
    let what = "a second size that one reader obeys";
    for (id, size) in [("zero", "0"), ("less", "1"), ("same", "4"), ("more", "1028"), ("most", "9223372036854775807")] {
        let tar = Tar::skill().pax(&[("SCHILY.realsize", size.as_bytes())]).file("a", "data").file("b", "1");
        s.tar(format!("X06-{id}"), what, tar, refused).at(2);
    }
    let both = Tar::skill().pax(&[("size", b"4"), ("SCHILY.realsize", b"4")]).file("a", "data");
    s.tar("X06-beside-size", what, both, refused).at(2);
    let on_link = Tar::skill().pax(&[("SCHILY.realsize", b"512")]).symlink("l", "SKILL.md").file("b", "1");
    s.tar("X06-link", what, on_link, refused).at(2);
    let global = Tar::skill().global(&[("SCHILY.realsize", b"4")]).file("a", "data");
    s.tar("X06-global", what, global, refused);
    for key in ["SCHILY.realsize2", "schily.realsize", "SCHILY.realsiz", "X.SCHILY.realsize"] {
        let tar = Tar::skill().pax(&[(key, b"9999")]).file("a", "data");
        s.tar(format!("X06-near-{key}"), "a key that only looks like it", tar, Accepted)
            .tree([tree::file("a", "data")]);
    }
}

fn vendor(s: &mut Sheet) {
    for (key, value, code) in [
        ("GNU.sparse.major", "1", "sparse-unsupported"),
        ("GNU.sparse.minor", "0", "sparse-unsupported"),
        ("GNU.sparse.name", "big", "sparse-unsupported"),
        ("GNU.sparse.realsize", "4611686018427387904", "sparse-unsupported"),
        ("GNU.sparse.size", "1", "sparse-unsupported"),
        ("GNU.sparse.map", "0,1", "sparse-unsupported"),
        ("GNU.sparse.offset", "0", "sparse-unsupported"),
        ("GNU.sparse.numblocks", "1000000", "sparse-unsupported"),
        ("SCHILY.realsize", "9999", "sparse-unsupported"),
        ("SUN.holesdata", " 0 100 ", "sparse-unsupported"),
        ("GNU.volume.label", "x", "unsupported-entry-type"),
        ("GNU.volume.filename", "x", "unsupported-entry-type"),
        ("GNU.dumpdir", "Yx\0", "unsupported-entry-type"),
    ] {
        let pax = Tar::skill().pax(&[(key, value.as_bytes())]).file("a", "1");
        s.tar(format!("T17-{key}"), "a key that changes what the member is", pax, Refused(code)).at(2);
        if key == "SCHILY.realsize" {
            realsize(s);
        }
        let global = Tar::skill().global(&[(key, value.as_bytes())]).file("a", "1");
        s.tar(format!("T17-global-{key}"), "the same for all members", global, Refused(code));
    }
    let one_zero = records(&[
        ("GNU.sparse.major", b"1"),
        ("GNU.sparse.minor", b"0"),
        ("GNU.sparse.name", b"big"),
        ("GNU.sparse.realsize", b"4611686018427387904"),
    ]);
    let mut map = b"1\n0\n1\n".to_vec();
    map.resize(512, 0);
    map.push(b'x');
    let sparse = Tar::skill().pax_raw(one_zero).file("GNUSparseFile.0/big", map);
    s.tar("T30-pax-1-0", "a sparse file of 2^62 bytes", sparse, Refused("sparse-unsupported")).at(2);
}
