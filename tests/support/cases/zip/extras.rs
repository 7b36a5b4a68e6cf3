//! Z12, Z19, Z21, X08: extra fields are well-formed, and none gives an entry another size, name, kind or content.

use super::super::{Case, Expect::*, Sheet};
use crate::support::tree;
use crate::support::zip::{Descriptor, Entry, ONES32, Zip, extra, unicode_path_extra, zip64_extra};

pub fn cases() -> Vec<Case> {
    let mut s = Sheet::new();
    framing(&mut s);
    refused_kinds(&mut s);
    zip64_needed(&mut s);
    zip64_redundant(&mut s);
    unicode_path(&mut s);
    s.done()
}

/// Seven bytes, stored.
fn x() -> Entry {
    Entry::file("x", "content")
}

fn skill(entry: Entry) -> Zip {
    Zip::skill().entry(entry)
}

fn taken(s: &mut Sheet, id: &str, what: &'static str, entry: Entry) {
    s.zip(id, what, skill(entry), Accepted).tree([tree::file("x", "content")]);
}

/// The extra field in both headers, and in each of them alone.
fn everywhere(s: &mut Sheet, id: &str, what: &'static str, bytes: &[u8], code: &'static str) {
    let both = x().with(|e| e.extra = bytes.to_vec());
    let local = x().with(|e| e.local.extra = Some(bytes.to_vec()));
    let central = x().with(|e| e.central.extra = Some(bytes.to_vec()));
    for (place, entry) in [("both", both), ("local", local), ("central", central)] {
        s.zip(format!("{id}-{place}"), what, skill(entry), Refused(code)).at(2);
    }
}

fn framing(s: &mut Sheet) {
    let time = extra(0x5455, [1, 0, 0, 0, 0]);
    for (id, bytes) in [
        ("past-end", vec![0x55, 0x54, 6, 0, 1, 2, 3, 4, 5]),
        ("past-end-empty", vec![0x55, 0x54, 1, 0]),
        ("stray-1", [&time[..], &[0]].concat()),
        ("stray-3", [&time[..], &[0, 0, 0]].concat()),
        ("only-nul", vec![0]),
    ] {
        everywhere(s, &format!("Z21-{id}"), "an extra field that is cut", &bytes, "zip-extra");
    }
    let sizes = zip64_extra(&[7, 7]);
    let name = unicode_path_extra(1, b"x", b"x");
    for (id, bytes) in [("zip64", &sizes), ("unicode", &name)] {
        everywhere(
            s,
            &format!("Z21-twice-{id}"),
            "a field that may occur once",
            &[&bytes[..], bytes].concat(),
            "zip-extra",
        );
    }
    taken(s, "Z21-twice-time", "any other field twice", x().with(|e| e.extra = [&time[..], &time].concat()));
    taken(s, "Z21-empty", "a field without data", x().with(|e| e.extra = extra(0xcafe, [])));
    taken(s, "Z21-four-nuls", "four NULs: an empty field with identifier 0", x().with(|e| e.extra = vec![0; 4]));
    taken(s, "Z21-long", "65,535 bytes of extra field", x().with(|e| e.extra = extra(0x5455, vec![0; 65_531])));
}

fn refused_kinds(s: &mut Sheet) {
    let attributes = [0xff, 0, 0, 0, 0, 0xed, 0xa1];
    everywhere(s, "X08-6c78", "attributes that make a link of it for bsdtar", &extra(0x6c78, attributes), "zip-extra");
    let asi = |mode: u16| [&[0; 4], &mode.to_le_bytes()[..], &[0; 8], b"SKILL.md"].concat();
    everywhere(
        s,
        "X08-756e",
        "ASi attributes that make a link of it for UnZip",
        &extra(0x756e, asi(0o120_777)),
        "zip-extra",
    );
    let aes = extra(0x9901, [2, 0, b'A', b'E', 3, 0, 0]);
    everywhere(s, "S12-9901", "an AES field without the method", &aes, "zip-extra");
    for id in 0x0014..=0x0019 {
        let bytes = extra(id, [0; 8]);
        everywhere(s, &format!("Z21-{id:04x}"), "a field of certificates or encryption", &bytes, "zip-extra");
    }
    for id in [0x0007, 0x0008, 0x000a, 0x000d, 0x0013, 0x001a, 0x5455, 0x6375, 0x7875, 0xcafe, 0xd935] {
        taken(
            s,
            &format!("Z21-ignored-{id:04x}"),
            "a field that changes nothing",
            x().with(|e| e.extra = extra(id, [0; 8])),
        );
        // Of no bytes it changes nothing either. (bsdtar gives up at an empty 0x5455.)
        taken(
            s,
            &format!("Z21-ignored-{id:04x}-empty"),
            "a field that changes nothing, without data",
            x().with(|e| e.extra = extra(id, [])),
        );
    }
}

/// All ones in these fields of both headers, and these bytes as 0x0001.
fn ones(packed: bool, size: bool, zip64: Vec<u8>) -> Entry {
    x().with(|e| {
        for (packed_field, size_field) in
            [(&mut e.local.packed, &mut e.local.size), (&mut e.central.packed, &mut e.central.size)]
        {
            *packed_field = packed.then_some(ONES32);
            *size_field = size.then_some(ONES32);
        }
        e.extra = zip64;
    })
}

fn zip64_needed(s: &mut Sheet) {
    taken(s, "Z12-both-sizes", "both sizes in 0x0001", ones(true, true, zip64_extra(&[7, 7])));
    taken(s, "Z12-size", "the size in 0x0001", ones(false, true, zip64_extra(&[7])));
    taken(s, "Z12-packed", "the packed size in 0x0001", ones(true, false, zip64_extra(&[7])));
    let at = Zip::skill().places().central;
    let offset = x().with(|e| {
        e.central.offset = Some(ONES32);
        e.central.extra = Some(zip64_extra(&[at as u64]));
    });
    taken(s, "Z12-offset", "the offset in 0x0001", offset.clone());
    let disk = |disk: u32| {
        x().with(|e| {
            e.central.disk = 0xffff;
            e.central.extra = Some(extra(0x0001, disk.to_le_bytes()));
        })
    };
    taken(s, "Z12-disk", "the disk in 0x0001", disk(0));
    s.zip("Z12-disk-1", "another disk in 0x0001", skill(disk(1)), Refused("zip-multi-disk")).at(2);

    let refused = Refused("zip-zip64");
    for (id, packed, size) in [("both", true, true), ("size", false, true), ("packed", true, false)] {
        let none = ones(packed, size, Vec::new());
        s.zip(format!("Z12-{id}-no-field"), "all ones without 0x0001", skill(none), refused).at(2);
        let short = ones(packed, size, extra(0x0001, [7, 0, 0, 0]));
        s.zip(format!("Z12-{id}-short"), "0x0001 with too few bytes", skill(short), refused).at(2);
        let empty = ones(packed, size, extra(0x0001, []));
        s.zip(format!("Z12-{id}-empty"), "0x0001 without bytes", skill(empty), refused).at(2);
        let long = ones(packed, size, extra(0x0001, [&[7, 0, 0, 0, 0, 0, 0, 0].repeat(2)[..], &[0]].concat()));
        s.zip(format!("Z12-{id}-stray"), "0x0001 with a stray byte", skill(long), refused).at(2);
    }
    let no_offset = offset.clone().with(|e| e.central.extra = None);
    s.zip("Z12-offset-no-field", "an offset of all ones without 0x0001", skill(no_offset), refused).at(2);
    let elsewhere = offset.with(|e| e.central.extra = Some(zip64_extra(&[0])));
    s.zip("Z12-offset-shared", "an offset in 0x0001 that is another's", skill(elsewhere), Refused("zip-overlap"));
    let outside = x().with(|e| (e.central.offset, e.central.extra) = (Some(ONES32), Some(zip64_extra(&[u64::MAX]))));
    s.zip("Z12-offset-huge", "an offset of 2^64 - 1", skill(outside), Refused("zip-header-mismatch"));
    let huge = ones(true, true, zip64_extra(&[u64::MAX, u64::MAX]));
    s.zip("Z12-huge", "sizes of 2^64 - 1", skill(huge), Refused("zip-size-mismatch")).at(2);
    let disagree = x().zip64_local().with(|e| e.local.extra = Some(zip64_extra(&[8, 7])));
    s.zip("Z12-local-size", "a local 0x0001 with another size", skill(disagree), Refused("zip-header-mismatch")).at(2);
    let disagree = x().zip64_local().with(|e| e.local.extra = Some(zip64_extra(&[7, 6])));
    s.zip("Z12-local-packed", "the same for the packed size", skill(disagree), Refused("zip-header-mismatch")).at(2);
    taken(s, "Z12-local-only", "0x0001 in the local header only", x().zip64_local());
    // One number is missing, and the field gives three: which is it?
    let ambiguous = ones(true, false, zip64_extra(&[7, 8]));
    s.zip("Z12-ambiguous", "0x0001 whose first number is not the one needed", skill(ambiguous), refused).at(2);
}

fn zip64_redundant(s: &mut Sheet) {
    let at = Zip::skill().places().central as u64;
    let central = |values: &[u64]| x().with(|e| e.central.extra = Some(zip64_extra(values)));
    let local = |values: &[u64]| x().with(|e| e.local.extra = Some(zip64_extra(values)));
    taken(s, "Z12-redundant-1", "0x0001 without need: size", central(&[7]));
    taken(s, "Z12-redundant-2", "0x0001 without need: both sizes", central(&[7, 7]));
    taken(s, "Z12-redundant-3", "0x0001 without need: sizes and offset", central(&[7, 7, at]));
    let all = zip64_extra(&[7, 7, at]);
    let all = extra(0x0001, [&all[4..], &[0; 4]].concat());
    taken(s, "Z12-redundant-4", "0x0001 without need: all of it", x().with(|e| e.central.extra = Some(all.clone())));
    taken(s, "Z12-redundant-local", "0x0001 without need in the local header", local(&[7, 7]));
    let partly = x().with(|e| {
        (e.central.packed, e.central.size, e.central.extra) = (Some(ONES32), Some(ONES32), Some(all));
    });
    taken(s, "Z12-partly", "0x0001 with more than is missing", partly);

    let refused = Refused("zip-zip64");
    for (id, entry) in [
        ("size", central(&[8])),
        ("zero", central(&[0, 0])),
        ("packed", central(&[7, 6])),
        ("offset", central(&[7, 7, 0])),
        ("ones", central(&[u64::MAX, u64::MAX])),
        ("four", central(&[7, 7, at, 0])),
        ("local-size", local(&[8, 7])),
        ("local-packed", local(&[7, 8])),
        ("local-three", local(&[7, 7, at])),
    ] {
        s.zip(
            format!("Z12-redundant-wrong-{id}"),
            "0x0001 without need that says something else",
            skill(entry),
            refused,
        )
        .at(2);
    }
    let announced = x().deflated().streamed(Descriptor::default()).with(|e| e.central.extra = Some(zip64_extra(&[8])));
    s.zip("Z12-redundant-wrong-streamed", "the same with a descriptor", skill(announced), refused).at(2);
}

fn unicode_path(s: &mut Sheet) {
    let refused = "zip-unicode-path";
    taken(s, "Z19-equal", "0x7075 with the same name", x().with(|e| e.extra = unicode_path_extra(1, b"x", b"x")));
    let central = x().with(|e| e.central.extra = Some(unicode_path_extra(1, b"x", b"x")));
    taken(s, "Z19-equal-central", "the same in the directory only", central);
    for (id, bytes) in [
        ("other", unicode_path_extra(1, b"x", b"y")),
        ("traversal", unicode_path_extra(1, b"x", b"../x")),
        ("skill-md", unicode_path_extra(1, b"x", b"SKILL.md")),
        ("longer", unicode_path_extra(1, b"x", b"xx")),
        ("slash", unicode_path_extra(1, b"x", b"x/")),
        ("empty", unicode_path_extra(1, b"x", b"")),
        ("crc", unicode_path_extra(1, b"y", b"x")),
        ("crc-and-name", unicode_path_extra(1, b"y", b"y")),
        ("version-0", unicode_path_extra(0, b"x", b"x")),
        ("version-2", unicode_path_extra(2, b"x", b"x")),
        ("short", extra(0x7075, [1, 0, 0, 0])),
        ("no-data", extra(0x7075, [])),
    ] {
        everywhere(s, &format!("Z19-{id}"), "0x7075 that is not the name", &bytes, refused);
    }
}
