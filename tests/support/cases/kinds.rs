//! S rows: what is neither file, directory nor link; payload where none belongs; zip members whose headers disagree on the
//! kind; encrypted ones.

use super::{Case, Expect::*, Sheet};
use crate::support::carrier::{Kind, file, special};
use crate::support::gzip::{deflate, gzip};
use crate::support::tar::{Header, Tar, V7};
use crate::support::tree;
use crate::support::zip::{DOS, Descriptor, Entry, NTFS, OSX, Zip, extra};

pub fn cases() -> Vec<Case> {
    let mut s = Sheet::new();
    special_files(&mut s);
    tar_types(&mut s);
    tar_payload(&mut s);
    zip_directories(&mut s);
    zip_kinds(&mut s);
    zip_encrypted(&mut s);
    nested(&mut s);
    s.done()
}

fn special_files(s: &mut Sheet) {
    for (id, kind) in [
        ("S01-fifo", Kind::Fifo),
        ("S01-char", Kind::CharDevice),
        ("S01-block", Kind::BlockDevice),
        ("S01-socket", Kind::Socket),
    ] {
        s.both(id, "a special file", vec![special(kind, "x")], Refused("special-file")).at(2);
        s.both(
            format!("{id}-noise"),
            "a special file named like macOS noise",
            vec![special(kind, "._x")],
            Refused("special-file"),
        )
        .at(2);
    }
    let stdin = Entry::file("-", "content from a pipe").unix_mode(0o010_600);
    s.zip(
        "S01-stdin",
        "content marked as FIFO, as Info-ZIP does from stdin",
        Zip::skill().entry(stdin),
        Refused("special-file"),
    );
    s.tar(
        "S01-device-numbers",
        "a device with numbers",
        Tar::skill().header(
            Header::ustar(b'3', "null")
                .octal(crate::support::tar::DEV_MAJOR, 1)
                .octal(crate::support::tar::DEV_MINOR, 3),
        ),
        Refused("special-file"),
    );
}

fn tar_types(s: &mut Sheet) {
    for kind in *b"789sZABCDEFGHIJMNOPQRTUVWXYabcdefhijklmnopqrtuvwyz" {
        let row = if kind == b'7' { "S03" } else { "S02" };
        let id = format!("{row}-type-{}", char::from(kind));
        s.tar(
            id,
            "a type that readers treat differently",
            Tar::skill().member(Header::ustar(kind, "x"), ""),
            Refused("unsupported-entry-type"),
        )
        .at(2);
    }
    for kind in [0x01, b' ', b'!', b'/', b':', 0x7f, 0x80, 0xff] {
        let id = format!("S02-type-{kind:02x}");
        s.tar(
            id,
            "a type outside letters and digits",
            Tar::skill().member(Header::ustar(kind, "x"), ""),
            Refused("unsupported-entry-type"),
        )
        .at(2);
    }
    for kind in *b"7VMDNAX" {
        let row = match kind {
            b'7' => "S03",
            b'X' => "S05",
            _ => "S04",
        };
        let id = format!("{row}-gnu-{}", char::from(kind));
        let payload = if kind == b'X' { crate::support::tar::record("path", "evil") } else { b"payload".to_vec() };
        let tar = Tar::skill().member(Header::gnu(kind, "x"), payload).file("y", "1");
        s.tar(id, "a GNU or Solaris type with a payload", tar, Refused("unsupported-entry-type")).at(2);
    }
    contiguous_and_solaris(s);
    s.tar(
        "S04-label-v7",
        "a volume label as GNU tar writes it, without a magic",
        Tar::empty().header(Header::gnu(b'V', "label").magic(V7)).file("SKILL.md", crate::support::SKILL_MD),
        Refused("unsupported-entry-type"),
    )
    .at(1);
    s.tar(
        "S04-label-first",
        "a volume label before all else",
        Tar::empty().header(Header::gnu(b'V', "label")).file("SKILL.md", crate::support::SKILL_MD),
        Refused("unsupported-entry-type"),
    )
    .at(1);
    s.tar(
        "T30-sparse-old",
        "an old GNU sparse file",
        Tar::skill().header(sparse_header()).data("data"),
        Refused("sparse-unsupported"),
    )
    .at(2);
    s.tar(
        "T30-sparse-empty",
        "a sparse type without a map",
        Tar::skill().member(Header::gnu(b'S', "x"), "1"),
        Refused("sparse-unsupported"),
    )
    .at(2);
}

/// Read as files by most, and honoured as pax headers by most.
fn contiguous_and_solaris(s: &mut Sheet) {
    let refused = Refused("unsupported-entry-type");
    let what = "a contiguous file";
    s.tar("S03-data", what, Tar::skill().member(Header::ustar(b'7', "a"), "data").file("b", "1"), refused).at(2);
    s.tar("S03-pax", what, Tar::skill().pax(&[("path", b"a")]).member(Header::ustar(b'7', "x"), "1"), refused).at(2);
    let skill = Tar::empty().member(Header::ustar(b'7', "SKILL.md"), crate::support::SKILL_MD);
    s.tar("S03-skill-md", "SKILL.md as a contiguous file", skill, refused).at(1);
    s.tar("S03-slash", "a contiguous directory", Tar::skill().member(Header::ustar(b'7', "d/"), ""), refused).at(2);
    let next = |tar: Tar| tar.file("y", "1").file("z", "2");
    for (key, value) in [("path", "evil"), ("size", "0"), ("linkpath", "x"), ("comment", "x"), ("mtime", "1")] {
        let payload = crate::support::tar::record(key, value);
        let tar = next(Tar::skill().member(Header::ustar(b'X', "X.hdr"), payload));
        s.tar(format!("S05-{key}"), "a Solaris extended header", tar, refused).at(2);
    }
    s.tar("S05-empty", "a Solaris extended header", next(Tar::skill().member(Header::ustar(b'X', "x"), "")), refused)
        .at(2);
    let x = || Header::ustar(b'X', "x");
    let record = crate::support::tar::record("path", "evil");
    let what = "a Solaris extended header beside a pax one";
    s.tar("S05-after-pax", what, next(Tar::skill().pax(&[("path", b"a")]).member(x(), &record)), refused).at(2);
    s.tar("S05-before-pax", what, next(Tar::skill().member(x(), &record).pax(&[("path", b"a")])), refused).at(2);
    s.tar("S05-last", "a Solaris extended header at the end", Tar::skill().member(x(), &record), refused).at(2);
    let first = Tar::empty().member(x(), record).file("SKILL.md", crate::support::SKILL_MD);
    s.tar("S05-first", "a Solaris extended header before all else", first, refused).at(1);
}

/// Four bytes of data at the end of a hole of 4 GiB.
fn sparse_header() -> Header {
    Header::gnu(b'S', "hole")
        .size(4)
        .poke(386, b"00040000000\0")
        .poke(398, b"00000000004\0")
        .poke(483, b"00040000004\0")
}

fn tar_payload(s: &mut Sheet) {
    let refused = Refused("payload-on-non-file");
    let smuggled = Tar::empty().file("smuggled.txt", "pwn").unended();
    s.tar(
        "S06-dir",
        "a directory with a header as payload",
        Tar::skill().member(Header::ustar(b'5', "dd/"), &smuggled),
        refused,
    )
    .at(2);
    s.tar("S06-dir-one", "a directory with one byte", Tar::skill().member(Header::ustar(b'5', "dd/"), "x"), refused)
        .at(2);
    s.tar(
        "S06-dir-size",
        "a directory with a size and no payload",
        Tar::skill().header(Header::ustar(b'5', "dd/").size(4096)),
        refused,
    )
    .at(2);
    s.tar(
        "S06-root",
        "the root directory with a payload",
        Tar::skill().member(Header::ustar(b'5', "./"), &smuggled),
        refused,
    )
    .at(2);
    s.tar(
        "S06-macosx",
        "a directory that is left out, with a payload",
        Tar::skill().member(Header::ustar(b'5', "__MACOSX/"), &smuggled),
        refused,
    );
    s.tar(
        "S07-symlink",
        "a symbolic link with a header as payload",
        Tar::skill().member(Header::ustar(b'2', "s").link("SKILL.md"), &smuggled),
        refused,
    )
    .at(2);
    s.tar(
        "S07-symlink-size",
        "a symbolic link with a size and no payload",
        Tar::skill().header(Header::ustar(b'2', "s").link("SKILL.md").size(8)),
        refused,
    );
    s.tar(
        "S06-dir-base256",
        "a directory whose size is one in base-256",
        Tar::skill().header(Header::ustar(b'5', "dd/").base256(crate::support::tar::SIZE, 1)).data("x"),
        refused,
    );
    s.tar(
        "S06-dir-pax",
        "a directory with a payload that only pax tells of",
        Tar::skill().pax(&[("size", b"1024")]).header(Header::ustar(b'5', "dd/")).data(&smuggled),
        Refused("tar-size-conflict"),
    );
    s.tar(
        "S06-dir-both",
        "a directory with a payload that pax and header tell of",
        Tar::skill().pax(&[("size", b"1024")]).header(Header::ustar(b'5', "dd/").size(1024)).data(&smuggled),
        refused,
    );
}

fn zip_directories(s: &mut Sheet) {
    let refused = Refused("payload-on-non-file");
    let dir = || Entry::dir("d/");
    s.zip(
        "S08-data",
        "a directory with stored data",
        Zip::skill().entry(dir().with(|e| e.data = b"payload".to_vec())),
        refused,
    )
    .at(2);
    let deflated = dir().with(|e| e.data = b"payload".to_vec()).deflated();
    s.zip("S08-data-deflated", "a directory with deflated data", Zip::skill().entry(deflated), refused).at(2);
    let empty_stream = || dir().with(|e| e.body = Some(vec![3, 0])).deflated();
    s.zip(
        "S08-empty-deflate",
        "an empty deflate stream, as jar writes it",
        Zip::skill().entry(empty_stream()),
        Accepted,
    )
    .tree([tree::dir("d")]);
    let five = dir().with(|e| e.body = Some(vec![1, 0, 0, 0xff, 0xff])).deflated();
    s.zip(
        "S08-empty-stored-block",
        "an empty stored block, as some deflaters write it",
        Zip::skill().entry(five),
        Accepted,
    )
    .tree([tree::dir("d")]);
    let nothing = dir().with(|e| e.body = Some(Vec::new())).deflated();
    s.zip("S08-method-only", "deflate without a stream, as PHP writes it", Zip::skill().entry(nothing), Accepted)
        .tree([tree::dir("d")]);
    let descriptor = dir().streamed(Descriptor::default());
    s.zip("S08-descriptor", "a descriptor, as client-zip writes it", Zip::skill().entry(descriptor), Accepted)
        .tree([tree::dir("d")]);
    let descriptor = empty_stream().streamed(Descriptor::default());
    s.zip("S08-deflate-descriptor", "an empty stream and a descriptor", Zip::skill().entry(descriptor), Accepted)
        .tree([tree::dir("d")]);
    let lie = dir().with(|e| e.body = Some(deflate(b"payload", 6))).deflated();
    s.zip("S08-hidden-data", "a directory of size 0 whose stream is not empty", Zip::skill().entry(lie), refused).at(2);
}

fn zip_kinds(s: &mut Sheet) {
    let mismatch = Refused("path-kind-mismatch");
    let x = || Entry::file("x", "");
    for (id, entry) in [
        ("S09-dos-dir-no-slash", x().host(DOS).external(0x10)),
        ("S09-dos-dir-no-slash-unix", x().external(0o100_644 << 16 | 0x10)),
        ("S09-unix-dir-no-slash", x().unix_mode(0o040_755)),
        ("S09-file-with-slash", Entry::file("x/", "").unix_mode(0o100_644)),
        ("S09-link-with-slash", Entry::file("x/", "").unix_mode(0o120_777)),
        ("X09-link-host-dos", Entry::symlink("x", "SKILL.md").host(DOS)),
        ("X09-link-host-ntfs-11", Entry::symlink("x", "SKILL.md").host(11)),
        ("X09-link-host-ntfs-10", Entry::symlink("x", "SKILL.md").host(NTFS)),
        ("X09-link-host-osx", Entry::symlink("x", "SKILL.md").host(OSX)),
        ("X09-link-host-vms", Entry::symlink("x", "SKILL.md").host(2)),
    ] {
        s.zip(id, "the headers disagree on the kind", Zip::skill().entry(entry), mismatch).at(2);
    }
    for (id, entry) in [
        ("S09-no-type-bits", x().unix_mode(0o644)),
        ("S09-no-attributes", x().external(0)),
        ("S09-dos-archive-bit", x().host(DOS).external(0x20)),
        ("S09-dos-unix-bits", x().host(DOS).unix_mode(0o100_644)),
        ("S09-ntfs", x().host(NTFS).external(0x20)),
        ("S09-osx", x().host(OSX).unix_mode(0o100_644)),
        ("S09-unknown-host", x().host(200).external(0)),
    ] {
        s.zip(id, "a file whose attributes contradict nothing", Zip::skill().entry(entry), Accepted)
            .tree([tree::file("x", "")]);
    }
    for (id, entry) in [
        ("S09-dir-dos", Entry::dir("x/").host(DOS).external(0x10)),
        ("S09-dir-no-attributes", Entry::dir("x/").external(0)),
        ("S09-dir-dos-no-attributes", Entry::dir("x/").host(DOS).external(0)),
        ("S09-dir-unix-bits-only", Entry::dir("x/").unix_mode(0o040_755)),
        ("S09-dir-no-type-bits", Entry::dir("x/").unix_mode(0o755)),
        ("S09-dir-dos-file-bits", Entry::dir("x/").host(DOS).unix_mode(0o100_644)),
    ] {
        s.zip(id, "a directory whose attributes contradict nothing", Zip::skill().entry(entry), Accepted)
            .tree([tree::dir("x")]);
    }
    for (id, kind) in [("fifo", 0o010_000), ("char", 0o020_000), ("block", 0o060_000), ("socket", 0o140_000)] {
        let entry = x().host(DOS).unix_mode(kind | 0o644);
        s.zip(format!("S01-host-dos-{id}"), "type bits of a host that has none", Zip::skill().entry(entry), Accepted)
            .tree([tree::file("x", "")]);
        let entry = Entry::file("x/", "").unix_mode(kind | 0o644);
        s.zip(format!("S01-slash-{id}"), "a special file with a slash", Zip::skill().entry(entry), mismatch).at(2);
    }
    let unknown = x().unix_mode(0o170_000);
    s.zip("S01-unknown-type-bits", "type bits that mean nothing", Zip::skill().entry(unknown), Refused("special-file"));
}

fn zip_encrypted(s: &mut Sheet) {
    let encrypted = Refused("zip-encrypted");
    let x = || Entry::file("x", "content");
    s.zip("S12-both", "encrypted", Zip::skill().entry(x().with(|e| e.flags |= 1)), encrypted);
    let central = x().with(|e| e.central.flags = Some(1));
    s.zip("S12-central", "encrypted by the central record only", Zip::skill().entry(central), encrypted);
    let strong = x().with(|e| e.flags |= 1 << 6 | 1);
    s.zip("S12-strong", "strong encryption", Zip::skill().entry(strong), encrypted);
    let aes = x().with(|e| {
        e.flags |= 1;
        (e.local.method, e.central.method) = (Some(99), Some(99));
        e.extra = extra(0x9901, [2, 0, b'A', b'E', 3, 0, 0]);
    });
    s.zip("S12-aes", "AES", Zip::skill().entry(aes), encrypted);
}

fn nested(s: &mut Sheet) {
    let inner = Zip::skill().file("../x", "1").build();
    let tar = gzip(Tar::skill().file("/abs", "1").end());
    let members = vec![file("inner.zip", inner), file("inner.tar.gz", &tar), file("deep/r.gz", tar.clone())];
    s.both("S11-nested", "archives inside are plain files", members, Accepted);
}
