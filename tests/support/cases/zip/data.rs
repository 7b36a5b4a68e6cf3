//! Z14, Z15, Z25 and what is in links and directories: the data is what the headers say, to the last byte.

use super::super::{Case, Expect::*, Sheet};
use crate::support::Carrier;
use crate::support::gzip::{deflate, stored};
use crate::support::tree;
use crate::support::zip::{DOS, Descriptor, Entry, NTFS, Zip, extra};

pub fn cases() -> Vec<Case> {
    let mut s = Sheet::new();
    crc(&mut s);
    sizes(&mut s);
    deflate_streams(&mut s);
    links(&mut s);
    directories(&mut s);
    metadata(&mut s);
    s.done()
}

const CONTENT: &[u8] = b"some content, some content, some content";

fn x() -> Entry {
    Entry::file("x", CONTENT)
}

fn skill(entry: Entry) -> Zip {
    Zip::skill().entry(entry)
}

/// The same lie in both headers.
fn lie(entry: Entry, crc: Option<u32>, packed: Option<u32>, size: Option<u32>) -> Entry {
    entry.with(|e| {
        (e.local.crc, e.local.packed, e.local.size) = (crc, packed, size);
        (e.central.crc, e.central.packed, e.central.size) = (crc, packed, size);
    })
}

fn crc(s: &mut Sheet) {
    for (id, entry) in [("stored", x()), ("deflated", x().deflated()), ("empty", Entry::file("x", ""))] {
        let wrong = lie(entry, Some(0x1234_5678), None, None);
        s.zip(format!("Z14-crc-{id}"), "a wrong CRC in both headers", skill(wrong), Refused("zip-crc")).at(2);
    }
    let streamed = x().deflated().streamed(Descriptor { crc: Some(1), ..Descriptor::default() });
    let streamed = streamed.with(|e| e.central.crc = Some(1));
    s.zip("Z14-crc-streamed", "a wrong CRC in descriptor and directory", skill(streamed), Refused("zip-crc")).at(2);
    let changed = x().with(|e| e.body = Some(CONTENT.to_ascii_uppercase()));
    s.zip("Z14-changed", "other content under the same CRC", skill(changed), Refused("zip-crc")).at(2);
    let zero = lie(x(), Some(0), None, None);
    s.zip("Z14-crc-zero", "a CRC of zero, as if not known yet", skill(zero), Refused("zip-crc")).at(2);
}

fn sizes(s: &mut Sheet) {
    let refused = Refused("zip-size-mismatch");
    let length = CONTENT.len() as u32;
    for (id, size) in [("shorter", length - 1), ("longer", length + 1), ("zero", 0), ("huge", 0xffff_fff0)] {
        let deflated = lie(x().deflated(), None, None, Some(size));
        s.zip(format!("Z14-inflates-{id}"), "deflated data of another size", skill(deflated), refused).at(2);
        let stored = lie(x(), None, None, Some(size));
        s.zip(format!("Z15-stored-{id}"), "a stored member with two sizes", skill(stored), refused).at(2);
    }
    let last = lie(x(), None, Some(length + 1), Some(length + 1));
    s.zip("Z14-into-directory", "data that reaches into the directory", skill(last), refused).at(2);
    let huge = lie(x().deflated(), None, Some(0xffff_fff0), None);
    s.zip("Z14-packed-huge", "4 GiB of packed data", skill(huge), refused).at(2);
    let streamed = x().deflated().streamed(Descriptor { size: Some(3), ..Descriptor::default() });
    let streamed = streamed.with(|e| e.central.size = Some(3));
    s.zip("Z14-streamed-shorter", "a size in descriptor and directory", skill(streamed), refused).at(2);
    s.zip("Z14-exact", "everything as it should be", skill(x()).entry(Entry::file("y", CONTENT).deflated()), Accepted)
        .tree([tree::file("x", CONTENT), tree::file("y", CONTENT)]);
}

fn deflate_streams(s: &mut Sheet) {
    let with = |body: Vec<u8>| skill(x().deflated().with(|e| e.body = Some(body)));
    let stream = deflate(CONTENT, 9);
    for (id, tail) in [("one", &b"\0"[..]), ("text", b"hidden"), ("stream", &[3, 0])] {
        s.zip(
            format!("Z15-tail-{id}"),
            "something behind the end of the compressed data",
            with([&stream[..], tail].concat()),
            Refused("zip-size-mismatch"),
        )
        .at(2);
    }
    let invalid = Refused("deflate-invalid");
    s.zip("Z15-cut", "compressed data without an end", with(stream[..stream.len() - 1].to_vec()), invalid).at(2);
    s.zip("Z15-cut-early", "compressed data that hardly begins", with(stream[..1].to_vec()), invalid).at(2);
    s.zip("Z15-none", "no compressed data at all", with(Vec::new()), invalid).at(2);
    s.zip("Z15-reserved", "a block of the reserved type", with(vec![0b111, 0, 0]), invalid).at(2);
    s.zip("Z15-not-final", "blocks without a final one", with(b"\0\x01\0\xfe\xffx".to_vec()), invalid).at(2);
    let empty = Entry::file("x", "").deflated();
    s.zip(
        "Z15-empty-none",
        "an empty file with deflate and no data: readers differ",
        skill(empty.clone().with(|e| e.body = Some(Vec::new()))),
        invalid,
    )
    .at(2);
    for (id, body) in [("fixed", vec![3, 0]), ("stored", vec![1, 0, 0, 0xff, 0xff])] {
        let empty = empty.clone().with(|e| e.body = Some(body));
        s.zip(format!("Z15-empty-{id}"), "an empty file as a stream of nothing", skill(empty), Accepted)
            .tree([tree::file("x", "")]);
    }
    s.zip("Z15-stored-blocks", "deflate in stored blocks of a byte", with(stored(CONTENT, 1)), Accepted)
        .tree([tree::file("x", CONTENT)]);
    // Empty blocks: output never comes.
    let blocks = [vec![0, 0, 0, 0xff, 0xff].repeat(50_000), deflate(CONTENT, 9)].concat();
    s.zip("Z15-empty-blocks", "50,000 empty blocks before the data", with(blocks), Accepted)
        .tree([tree::file("x", CONTENT)]);
}

fn links(s: &mut Sheet) {
    let named = |length: usize| "n".repeat(length);
    for (id, length) in [("1025", 1025), ("70000", 70_000)] {
        s.zip(
            format!("L16-zip-{id}"),
            "a link target over the limit",
            skill(Entry::symlink("s", named(length))),
            Refused("link-target-invalid"),
        )
        .at(2);
    }
    let deflated = Entry::symlink("s", "SKILL.md").deflated();
    s.zip("L12-zip-deflated", "a deflated link target", skill(deflated), Accepted).tree([tree::link("s", "SKILL.md")]);
    let streamed = Entry::symlink("s", "SKILL.md").deflated().streamed(Descriptor::default());
    s.zip("L12-zip-streamed", "a link target with a descriptor", skill(streamed), Accepted)
        .tree([tree::link("s", "SKILL.md")]);
    let wrong = lie(Entry::symlink("s", "SKILL.md"), Some(1), None, None);
    s.zip("L17-zip-crc", "a link target with a wrong CRC", skill(wrong), Refused("zip-crc")).at(2);
    let empty = Entry::symlink("s", "");
    s.zip("L16-zip-empty", "an empty link target", skill(empty), Refused("link-target-invalid")).at(2);
}

fn directories(s: &mut Sheet) {
    let refused = Refused("payload-on-non-file");
    let dir = || Entry::dir("d/");
    let sized = lie(dir(), None, None, Some(7));
    s.zip("S08-size", "a directory with a size and no data", skill(sized), refused).at(2);
    let packed = lie(dir().with(|e| e.body = Some(b"payload".to_vec())), None, None, None);
    s.zip("S08-packed", "a stored directory of size 0 with data", skill(packed), refused).at(2);
    let tail = dir().deflated().with(|e| e.body = Some([&[3, 0][..], b"payload"].concat()));
    s.zip("S08-tail", "an empty stream and more", skill(tail), refused).at(2);
    let broken = dir().deflated().with(|e| e.body = Some(b"payload".to_vec()));
    s.zip("S08-broken", "a directory with data that is no stream", skill(broken), refused).at(2);
    let quoted = Zip::empty().file("smuggled.txt", "1");
    let quoted = quoted.build()[..quoted.places().central].to_vec();
    s.zip("S08-quoted", "a directory whose data is an entry", skill(dir().with(|e| e.data = quoted)), refused).at(2);
    let dos = dir().host(DOS).external(0x10).with(|e| e.data = b"payload".to_vec());
    s.zip("S08-dos", "a DOS directory with data", skill(dos), refused).at(2);
    let conflict = Entry::file("d/", "payload");
    s.zip("S09-slash-data", "a file with a slash and data", skill(conflict), Refused("path-kind-mismatch")).at(2);
    for (id, entry) in [
        ("file-dos", Entry::file("x", "1").host(DOS).external(0x08)),
        ("file-unix", Entry::file("x", "1").external(0o100_644 << 16 | 0x08)),
        ("dir-dos", Entry::dir("x/").host(DOS).external(0x18)),
        ("file-archive", Entry::file("x", "1").host(DOS).external(0x28)),
    ] {
        let what = "a volume label: UnZip leaves it out";
        s.zip(format!("S09-label-{id}"), what, skill(entry), Refused("path-kind-mismatch")).at(2);
    }
    // A reparse buffer of Linux on Windows, which says that `x` is a link to SKILL.md.
    let target = [&2_u32.to_le_bytes()[..], b"SKILL.md"].concat();
    let buffer = [&0xa000_001d_u32.to_le_bytes()[..], &[target.len() as u8, 0, 0, 0], &target].concat();
    let reparse = |host: u8, external: u32| Entry::file("x", &buffer).host(host).external(external);
    for (id, entry) in [
        ("dos", reparse(DOS, 0x400)),
        ("dos-archive", reparse(DOS, 0x420)),
        ("dos-unix-bits", reparse(DOS, 0o100_644 << 16 | 0x8400)),
        ("11", reparse(11, 0x400)),
        ("ntfs", reparse(NTFS, 0x400)),
        ("no-buffer", Entry::file("x", "1").host(DOS).external(0x400)),
        ("dir", Entry::dir("x/").host(DOS).external(0x410)),
    ] {
        let what = "a reparse point: 7-Zip makes a link of it";
        s.zip(format!("X09-reparse-{id}"), what, skill(entry), Refused("path-kind-mismatch")).at(2);
    }
    s.zip("X09-no-reparse", "its content without the attribute", skill(reparse(DOS, 0x20)), Accepted)
        .tree([tree::file("x", &buffer)]);
    s.zip(
        "X09-reparse-unix",
        "the attribute of a host that has none",
        skill(reparse(3, 0o100_644 << 16 | 0x400)),
        Accepted,
    )
    .tree([tree::file("x", &buffer)]);
    let attributes = Entry::file("x", "1").host(DOS).external(0xe7);
    s.zip("S09-other-attributes", "all other DOS attributes", skill(attributes), Accepted).tree([tree::file("x", "1")]);
    let link = Entry::symlink("d/", "SKILL.md");
    s.zip("S09-slash-link", "a link with a slash and a target", skill(link), Refused("path-kind-mismatch")).at(2);
}

fn metadata(s: &mut Sheet) {
    s.lazy(
        "Z25-extras",
        "200 directory records with 65,535 bytes of extra field",
        Carrier::Zip,
        || heavy(200, |e| e.central.extra = Some(extra(0x5455, vec![0; 65_531]))),
        Refused("limit-metadata"),
    );
    s.lazy(
        "Z25-comments",
        "200 directory records with 65,535 bytes of comment",
        Carrier::Zip,
        || heavy(200, |e| e.central.comment = vec![b'c'; 65_535]),
        Refused("limit-metadata"),
    );
    s.lazy(
        "Z25-below",
        "120 of them: below the limit",
        Carrier::Zip,
        || heavy(120, |e| e.central.extra = Some(extra(0x5455, vec![0; 65_531]))),
        Accepted,
    );
    s.lazy(
        "Z25-local-extras",
        "local extra fields are not kept",
        Carrier::Zip,
        || heavy(200, |e| e.local.extra = Some(extra(0x5455, vec![0; 65_531]))),
        Accepted,
    );
}

fn heavy(count: usize, change: fn(&mut Entry)) -> Vec<u8> {
    (0..count).fold(Zip::skill(), |zip, n| zip.entry(Entry::file(format!("f{n}"), "").with(change))).build()
}
