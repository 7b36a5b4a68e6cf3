//! Z11: the zip64 end record and its locator, where every reader looks for them, saying what the end record says.

use super::super::{Case, Expect::*, Sheet};
use crate::support::tree;
use crate::support::zip::{ONES16, ONES32, Zip, Zip64};

pub fn cases() -> Vec<Case> {
    let mut s = Sheet::new();
    agreement(&mut s);
    place(&mut s);
    disks(&mut s);
    s.done()
}

/// The zip64 records without need: the end record says it all.
fn zip(zip64: Zip64) -> Zip {
    Zip::skill().file("x", "content").with(|z| z.zip64 = Some(zip64))
}

/// The end record refers to them for everything.
fn needed(zip64: Zip64) -> Zip {
    zip(zip64).with(|z| {
        (z.end.count_here, z.end.count) = (Some(ONES16), Some(ONES16));
        (z.end.size, z.end.offset) = (Some(ONES32), Some(ONES32));
    })
}

fn agreement(s: &mut Sheet) {
    let refused = Refused("zip-zip64");
    let at = zip(Zip64::default()).places();
    let (size, offset) = (at.central_size as u64, at.central as u64);
    let lies: [(&str, fn(&mut Zip64, u64), u64); 4] = [
        ("count-here", |z, v| z.count_here = Some(v), 1),
        ("count", |z, v| z.count = Some(v), 1),
        ("size", |z, v| z.size = Some(v), size - 1),
        ("offset", |z, v| z.offset = Some(v), offset + 1),
    ];
    for (id, lie, value) in lies {
        let mut zip64 = Zip64::default();
        lie(&mut zip64, value);
        s.zip(
            format!("Z11-disagree-{id}"),
            "the zip64 end record says something else than the end record",
            zip(zip64),
            refused,
        );
    }
    // Only the hidden record decides: what it says must be so.
    s.zip(
        "Z11-needed-count",
        "the zip64 end record counts one entry less",
        needed(Zip64 { count: Some(1), count_here: Some(1), ..Zip64::default() }),
        Refused("zip-count"),
    );
    s.zip(
        "Z11-needed-counts-differ",
        "its two counts differ",
        needed(Zip64 { count_here: Some(1), ..Zip64::default() }),
        Refused("zip-count"),
    );
    s.zip(
        "Z11-needed-size",
        "it gives a size that leads nowhere",
        needed(Zip64 { size: Some(u64::MAX), ..Zip64::default() }),
        Refused("zip-eocd"),
    );
    s.zip(
        "Z11-needed-offset",
        "it gives an offset that overflows",
        needed(Zip64 { offset: Some(u64::MAX), ..Zip64::default() }),
        Refused("zip-eocd"),
    );
    for (id, end) in [("size", (true, false)), ("offset", (false, true))] {
        s.zip(
            format!("Z11-sentinel-{id}"),
            "all ones in the end record without a zip64 end record",
            Zip::skill().with(|z| {
                z.end.size = end.0.then_some(ONES32);
                z.end.offset = end.1.then_some(ONES32);
            }),
            refused,
        );
    }
    let tree = || [tree::file("x", "content")];
    s.zip("Z11-agree", "zip64 records without need", zip(Zip64::default()), Accepted).tree(tree());
    s.zip("Z11-needed", "zip64 records that are needed", needed(Zip64::default()), Accepted).tree(tree());
    s.zip(
        "Z11-partly-needed",
        "zip64 records, one number of which is needed",
        zip(Zip64::default()).with(|z| z.end.offset = Some(ONES32)),
        Accepted,
    )
    .tree(tree());
    s.zip(
        "Z11-comment",
        "zip64 records and a comment",
        needed(Zip64::default()).with(|z| z.end.comment = b"a comment".to_vec()),
        Accepted,
    )
    .tree(tree());
}

fn place(s: &mut Sheet) {
    let refused = Refused("zip-zip64");
    let end64 = zip(Zip64::default()).places().end64 as u64;
    for (id, zip64) in [
        ("locator-before", Zip64 { locator_offset: Some(end64 - 3), ..Zip64::default() }),
        ("locator-behind", Zip64 { locator_offset: Some(end64 + 3), ..Zip64::default() }),
        ("locator-zero", Zip64 { locator_offset: Some(0), ..Zip64::default() }),
        ("locator-outside", Zip64 { locator_offset: Some(u64::MAX), ..Zip64::default() }),
        ("gap", Zip64 { gap: b"JUNK".to_vec(), ..Zip64::default() }),
        ("extensible", Zip64 { extensible: b"\x01\0\x04\0\0\0data".to_vec(), ..Zip64::default() }),
        ("length-short", Zip64 { length: Some(43), ..Zip64::default() }),
        ("length-long", Zip64 { length: Some(45), ..Zip64::default() }),
        ("length-zero", Zip64 { length: Some(0), ..Zip64::default() }),
        ("length-huge", Zip64 { length: Some(u64::MAX), ..Zip64::default() }),
        ("signature", Zip64 { signature: Some(0x0606_4b51), ..Zip64::default() }),
        ("no-record", Zip64 { omit_record: true, ..Zip64::default() }),
        ("no-locator", Zip64 { omit_locator: true, ..Zip64::default() }),
        ("locator-signature", Zip64 { locator_signature: Some(0x0706_4b51), ..Zip64::default() }),
    ] {
        s.zip(format!("Z11-{id}"), "zip64 records that only some readers find", zip(zip64.clone()), refused);
        s.zip(format!("Z11-{id}-needed"), "the same where they are needed", needed(zip64), refused);
    }
    s.zip(
        "Z11-before-end",
        "something between the locator and the end record",
        zip(Zip64::default()).with(|z| z.before_end = b"JUNK".to_vec()),
        refused,
    );
    s.zip(
        "Z11-before-record",
        "something between the directory and the zip64 end record",
        zip(Zip64::default()).with(|z| z.after_central = b"JUNK".to_vec()),
        Refused("zip-unaccounted-data"),
    );
    // A locator that is the end of a comment: readers that look for zip64 find it.
    let locator = [b"PK\x06\x07".to_vec(), vec![0; 12], vec![1, 0, 0, 0]].concat();
    s.zip(
        "Z11-locator-in-comment",
        "a locator at the end of the last member's comment",
        Zip::skill().file("x", "content").with(|z| z.entries[1].central.comment = locator),
        refused,
    );
}

fn disks(s: &mut Sheet) {
    let refused = Refused("zip-multi-disk");
    for (id, zip64) in [
        ("disk", Zip64 { disk: 1, ..Zip64::default() }),
        ("central-disk", Zip64 { central_disk: 1, ..Zip64::default() }),
        ("locator-disk", Zip64 { locator_disk: 1, ..Zip64::default() }),
        ("disks", Zip64 { locator_disks: Some(2), ..Zip64::default() }),
    ] {
        s.zip(format!("Z10-zip64-{id}"), "zip64 records of several disks", needed(zip64), refused);
    }
    s.zip(
        "Z10-zip64-no-disks",
        "a locator that counts no disk, as old minizip does",
        needed(Zip64 { locator_disks: Some(0), ..Zip64::default() }),
        Accepted,
    )
    .tree([tree::file("x", "content")]);
    s.zip(
        "Z10-zip64-ones",
        "all ones for the disks of the end record",
        needed(Zip64::default()).with(|z| (z.end.disk, z.end.central_disk) = (ONES16, ONES16)),
        Accepted,
    )
    .tree([tree::file("x", "content")]);
}
