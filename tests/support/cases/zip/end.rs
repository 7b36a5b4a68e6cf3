//! Z06–Z10, Z24: one end record, at the end, and what it says is so.

use super::super::{Case, Expect::*, Sheet};
use crate::support::Carrier;
use crate::support::gzip::to_block;
use crate::support::tree;
use crate::support::zip::{Entry, ONES16, Zip};

pub fn cases() -> Vec<Case> {
    let mut s = Sheet::new();
    trailing(&mut s);
    several(&mut s);
    cut(&mut s);
    comments(&mut s);
    counts(&mut s);
    disks(&mut s);
    place(&mut s);
    empty(&mut s);
    s.done()
}

fn zip() -> Zip {
    Zip::skill().file("x", "content")
}

fn x_tree() -> [(String, tree::Node); 1] {
    [tree::file("x", "content")]
}

fn trailing(s: &mut Sheet) {
    let refused = Refused("zip-trailing-data");
    let with = |bytes: Vec<u8>| zip().with(|z| z.trailing = bytes);
    let block = to_block(zip().build().len());
    for (id, bytes) in [
        ("junk", b"JUNK".to_vec()),
        ("newline", b"\n".to_vec()),
        ("nuls-20", vec![0; 20]),
        ("nul", vec![0]),
        ("one-nul-short", vec![0; block - 1]),
        ("one-nul-over", vec![0; block + 1]),
        ("nuls-then-junk", [vec![0; block - 1], b"!".to_vec()].concat()),
        ("junk-to-block", vec![b' '; block]),
        ("long", vec![b'x'; 200_000]),
        ("long-nuls", vec![0; block + 20 * 512]),
    ] {
        s.zip(format!("Z06-{id}"), "something behind the end record", with(bytes), refused);
    }
    // A file that is a multiple of 512 by itself.
    let even = || {
        let empty = zip().file("z", "").build().len();
        zip().file("z", vec![b'.'; to_block(empty)])
    };
    assert_eq!(even().build().len() % 512, 0);
    let padded = |zeros: usize| even().with(|z| z.trailing = vec![0; zeros]);
    s.zip("Z06-10240-nuls", "10,240 NULs: one block too many", padded(10_240), refused);
    let tree = || [tree::file("x", "content"), tree::file("z", even().entries[2].data.clone())];
    s.zip("Z06-9728-nuls", "the most NULs that are padding", padded(9_728), Accepted).tree(tree());
    s.zip("Z06-512-nuls", "a block of NULs", padded(512), Accepted).tree(tree());
    let commented = || zip().with(|z| z.end.comment = b"a comment".to_vec());
    let block = to_block(commented().build().len());
    s.zip(
        "Z06-padded-comment",
        "padding behind a comment",
        commented().with(|z| z.trailing = vec![0; block]),
        Accepted,
    )
    .tree(x_tree());
}

fn several(s: &mut Sheet) {
    let refused = Refused("zip-eocd");
    let other = Zip::skill().file("y", "other").build();
    let with = |comment: &[u8]| zip().with(|z| z.end.comment = comment.to_vec());
    s.zip("Z07-zip-in-comment", "a whole zip in the comment", with(&other), refused);
    s.zip("Z07-end-in-comment", "an end record in the comment", with(&Zip::empty().build()), refused);
    s.zip("Z07-signature-in-comment", "its signature in the comment", with(b"PK\x05\x06"), refused);
    s.zip("Z07-two", "two zips, one behind the other", zip().with(|z| z.prefix = other.clone()), refused);
    s.zip(
        "Z07-two-unadjusted",
        "the same, offsets counted from the second",
        zip().with(|z| (z.prefix, z.unadjusted) = (other.clone(), true)),
        refused,
    );
    s.zip("Z07-empty-in-front", "an empty zip in front", zip().with(|z| z.prefix = Zip::empty().build()), refused);
    for (id, length) in [("long", 10), ("longer", ONES16), ("short", 3)] {
        s.zip(
            format!("Z07-comment-{id}"),
            "a comment of another length than the end record says",
            with(b"a comment").with(|z| z.end.comment_length = Some(length)),
            refused,
        );
    }
    s.zip(
        "Z07-no-comment",
        "a comment of which the end record says nothing",
        with(b"a comment").with(|z| z.end.comment_length = Some(0)),
        Refused("zip-trailing-data"),
    );
    let nested = zip().entry(Entry::file("inner.zip", &other));
    s.zip("Z07-nested-last", "a zip as the last file", nested, Accepted)
        .tree([tree::file("x", "content"), tree::file("inner.zip", &other)]);
    // Its end record says that its comment reaches to the end of the file.
    let inner = |length: u16| Zip::skill().with(|z| z.end.comment_length = Some(length)).build();
    let outer = |length: u16| zip().entry(Entry::file("inner.zip", inner(length)));
    let reach = outer(0).build().len() - outer(0).places().central;
    s.zip("Z07-nested-reaching", "a file whose end record also ends the archive", outer(reach as u16), refused);
    s.zip("Z07-nested-not-reaching", "the same, one byte short", outer(reach as u16 - 1), Accepted)
        .tree([tree::file("x", "content"), tree::file("inner.zip", inner(reach as u16 - 1))]);
}

fn cut(s: &mut Sheet) {
    let (bytes, at) = zip().build_with_places();
    for (id, length) in [
        ("one-byte", bytes.len() - 1),
        ("end-signature", at.end + 4),
        ("end-record", at.end),
        ("directory", at.central + 20),
        ("data", at.central - 2),
        ("header", 20),
    ] {
        s.raw(
            format!("Z07-cut-{id}"),
            "a file that was cut",
            Carrier::Zip,
            bytes[..length].to_vec(),
            Refused("zip-eocd"),
        );
    }
    let nested = Zip::skill().entry(Entry::file("inner.zip", &bytes));
    let length = nested.places().end;
    s.raw(
        "Z07-cut-nested",
        "a file that was cut, with a whole zip in it",
        Carrier::Zip,
        nested.build()[..length].to_vec(),
        Refused("zip-eocd"),
    );
    s.zip("Z07-end-signature", "no end record", zip().with(|z| z.end.signature = Some(0)), Refused("zip-eocd"));
}

fn comments(s: &mut Sheet) {
    let with = |comment: &[u8]| zip().with(|z| z.end.comment = comment.to_vec());
    for (id, comment) in [
        ("text", &b"made by hand"[..]),
        ("utf8", "f\u{fc}r alle \u{1f600}".as_bytes()),
        ("latin1", b"f\xfcr alle"),
        ("lines", b"two\r\nlines\tand a tab\n"),
        ("pk", b"made by PKZIP"),
        ("long", &[b'c'; 65_535]),
    ] {
        s.zip(format!("Z08-{id}"), "a comment of text", with(comment), Accepted).tree(x_tree());
    }
    for (id, comment) in [
        ("nul", &b"a\0b"[..]),
        ("nuls", &[0; 40]),
        ("escape", b"\x1b[2J"),
        ("delete", b"a\x7f"),
        ("c1", "a\u{9b}31m".as_bytes()),
        ("local", b"PK\x03\x04"),
        ("central", b"PK\x01\x02"),
        ("end64", b"PK\x06\x06"),
        ("latin1-control", b"f\xfcr\x01"),
    ] {
        s.zip(format!("Z08-{id}"), "a comment with control bytes", with(comment), Refused("zip-comment"));
    }
}

fn counts(s: &mut Sheet) {
    let refused = Refused("zip-count");
    for (id, count) in [("less", 1), ("more", 3), ("zero", 0), ("ones", ONES16), ("wrapped", 2 + 256)] {
        s.zip(
            format!("Z09-{id}"),
            "a wrong number of entries",
            zip().with(|z| (z.end.count, z.end.count_here) = (Some(count), Some(count))),
            refused,
        );
        s.zip(format!("Z09-{id}-total"), "the same in all only", zip().with(|z| z.end.count = Some(count)), refused);
        s.zip(format!("Z09-{id}-here"), "the same here only", zip().with(|z| z.end.count_here = Some(count)), refused);
    }
    let at = Zip::skill().places().central_size;
    s.zip(
        "Z09-less-and-size",
        "the second record left out of number and size",
        zip().with(|z| {
            (z.end.count, z.end.count_here, z.end.size) = (Some(1), Some(1), Some(at as u32));
        }),
        refused,
    );
    s.lazy(
        "Z09-65537",
        "65,537 entries, counted modulo 65,536",
        Carrier::Zip,
        || (0..65_536).fold(Zip::skill(), |zip, n| zip.file(format!("{n}"), "")).build(),
        Refused("limit-entries"),
    );
}

fn disks(s: &mut Sheet) {
    let refused = Refused("zip-multi-disk");
    for disk in [1, ONES16] {
        s.zip(format!("Z10-this-{disk}"), "the end record on another disk", zip().with(|z| z.end.disk = disk), refused);
        s.zip(
            format!("Z10-central-{disk}"),
            "the directory on another disk",
            zip().with(|z| z.end.central_disk = disk),
            refused,
        );
        s.zip(
            format!("Z10-entry-{disk}"),
            "an entry on another disk",
            zip().with(|z| z.entries[1].central.disk = disk),
            refused,
        )
        .at(2);
    }
}

fn place(s: &mut Sheet) {
    let at = zip().places();
    for (id, size, offset) in [
        ("size-more", at.central_size + 1, at.central),
        ("offset-more", at.central_size, at.central + 1),
        ("both-shifted", at.central_size - 1, at.central + 1),
        ("huge", 0x7fff_ffff, 0x7fff_ffff),
    ] {
        s.zip(
            format!("Z-end-{id}"),
            "a directory that is not where the end record says",
            zip().with(|z| (z.end.size, z.end.offset) = (Some(size as u32), Some(offset as u32))),
            if id == "both-shifted" { Refused("zip-header-mismatch") } else { Refused("zip-eocd") },
        );
    }
    s.zip(
        "Z-end-record-over",
        "a directory record that runs over the end of the directory",
        zip().with(|z| z.entries[1].central.comment_length = Some(1)),
        Refused("zip-eocd"),
    );
}

fn empty(s: &mut Sheet) {
    s.zip("Z24-empty", "an end record and nothing else", Zip::empty(), Refused("empty-archive"));
    s.zip(
        "Z24-empty-comment",
        "an end record with a comment",
        Zip::empty().with(|z| z.end.comment = b"nothing".to_vec()),
        Refused("empty-archive"),
    );
    for length in [4, 10, 21] {
        s.raw(
            format!("Z24-cut-{length}"),
            "part of an end record",
            Carrier::Zip,
            Zip::empty().build()[..length].to_vec(),
            Refused("zip-eocd"),
        );
    }
    s.raw("Z24-zero", "no byte at all", Carrier::Zip, Vec::new(), Refused("not-an-archive"));
}
