//! Z13, X10: a data descriptor stands where the flag says, and says what is true; nothing else could pass for it.

use super::super::{Case, Expect::*, Sheet};
use crate::support::gzip::crc32;
use crate::support::tree;
use crate::support::zip::{Descriptor, Entry, ONES32, Zip, zip64_extra};

pub fn cases() -> Vec<Case> {
    let mut s = Sheet::new();
    exact(&mut s);
    wrong(&mut s);
    width(&mut s);
    local_numbers(&mut s);
    fake(&mut s);
    s.done()
}

const CONTENT: &str = "some content, some content, some content";

fn streamed(descriptor: Descriptor) -> Entry {
    Entry::file("x", CONTENT).deflated().streamed(descriptor)
}

/// 64-bit sizes, announced by a zip64 field in the local header.
fn wide(descriptor: Descriptor) -> Entry {
    streamed(Descriptor { wide: true, ..descriptor }).with(|e| {
        (e.local.packed, e.local.size) = (Some(ONES32), Some(ONES32));
        e.local.extra = Some(zip64_extra(&[0, 0]));
    })
}

fn unsigned() -> Descriptor {
    Descriptor { signature: false, ..Descriptor::default() }
}

/// As a member in the middle and as the last one.
fn both_places(s: &mut Sheet, id: &str, what: &'static str, entry: &Entry, code: Option<&'static str>) {
    let content = tree::file("x", entry.data.clone());
    for (place, zip) in [
        ("middle", Zip::skill().entry(entry.clone()).file("z", "1")),
        ("last", Zip::skill().file("z", "1").entry(entry.clone())),
    ] {
        let id = format!("{id}-{place}");
        match code {
            Some(code) => s.zip(id, what, zip, Refused(code)).at(if place == "last" { 3 } else { 2 }),
            None => s.zip(id, what, zip, Accepted).tree([content.clone(), tree::file("z", "1")]),
        };
    }
}

fn exact(s: &mut Sheet) {
    both_places(s, "Z13-signed", "32 bits, signature", &streamed(Descriptor::default()), None);
    both_places(s, "Z13-unsigned", "32 bits, no signature", &streamed(unsigned()), None);
    both_places(s, "Z13-wide", "64 bits, signature", &wide(Descriptor::default()), None);
    both_places(s, "Z13-wide-unsigned", "64 bits, no signature", &wide(unsigned()), None);
    let stored = Entry::file("x", CONTENT).streamed(Descriptor::default());
    both_places(s, "Z13-stored", "a stored member", &stored, None);
    // bsdtar, reading from a pipe, finds the end of stored data by the signature.
    let code = Some("zip-data-descriptor");
    let stored = Entry::file("x", CONTENT).streamed(unsigned());
    both_places(s, "Z13-stored-unsigned", "a stored member, no signature", &stored, code);
    let stored = Entry::file("x", "").streamed(unsigned());
    both_places(s, "Z13-empty-unsigned", "an empty stored member, no signature", &stored, code);
    both_places(s, "Z13-empty", "an empty stored member", &Entry::file("x", "").streamed(Descriptor::default()), None);
    let empty = Entry::file("x", "").deflated().streamed(Descriptor::default());
    both_places(s, "Z13-empty-deflated", "an empty deflated member", &empty, None);
}

fn wrong(s: &mut Sheet) {
    let code = Some("zip-data-descriptor");
    let none = Descriptor { raw: Some(Vec::new()), ..Descriptor::default() };
    let right = streamed(Descriptor::default());
    let (data, packed) = (right.data.clone(), right.packed().len());
    for signature in [true, false] {
        let id = if signature { "signed" } else { "unsigned" };
        let base = Descriptor { signature, ..Descriptor::default() };
        for (what, descriptor) in [
            ("crc", Descriptor { crc: Some(crc32(&data) ^ 1), ..base.clone() }),
            ("crc-zero", Descriptor { crc: Some(0), ..base.clone() }),
            ("packed", Descriptor { packed: Some(packed as u64 + 1), ..base.clone() }),
            ("packed-zero", Descriptor { packed: Some(0), ..base.clone() }),
            ("packed-ones", Descriptor { packed: Some(u64::from(ONES32)), ..base.clone() }),
            ("size", Descriptor { size: Some(data.len() as u64 - 1), ..base.clone() }),
            ("swapped", Descriptor { packed: Some(data.len() as u64), size: Some(packed as u64), ..base.clone() }),
        ] {
            let id = format!("Z13-wrong-{what}-{id}");
            both_places(s, &id, "a descriptor that is not true", &streamed(descriptor), code);
        }
    }
    both_places(s, "Z13-missing", "a flag without a descriptor", &streamed(none), code);
    let stored_none = Entry::file("x", CONTENT).streamed(Descriptor { raw: Some(Vec::new()), ..Descriptor::default() });
    both_places(s, "Z13-missing-stored", "the same, stored", &stored_none, code);
    for (id, length) in [("4", 4), ("11", 11), ("12", 12), ("15", 15)] {
        let cut = Descriptor::default().build(&data, packed)[..length].to_vec();
        let cut = streamed(Descriptor { raw: Some(cut), ..Descriptor::default() });
        both_places(s, &format!("Z13-cut-{id}"), "a descriptor that is cut", &cut, code);
    }
    let long = [Descriptor::default().build(&data, packed), b"JUNK".to_vec()].concat();
    let long = streamed(Descriptor { raw: Some(long), ..Descriptor::default() });
    both_places(s, "Z13-long", "something behind the descriptor", &long, Some("zip-unaccounted-data"));
    let twice = [Descriptor::default().build(&data, packed), Descriptor::default().build(&data, packed)].concat();
    let twice = streamed(Descriptor { raw: Some(twice), ..Descriptor::default() });
    both_places(s, "Z13-twice", "two descriptors", &twice, code);
    let unannounced = streamed(Descriptor::default()).with(|e| {
        e.flags = 0;
        (e.local.crc, e.local.packed, e.local.size) = (None, None, None);
    });
    both_places(s, "Z13-unannounced", "a descriptor without the flag", &unannounced, code);
    // "~\xd0\xae\x0a" and the like: content whose CRC is the signature of a descriptor.
    let signature = crc_preimage(0x0807_4b50);
    assert_eq!(crc32(&signature), 0x0807_4b50);
    let ambiguous = Entry::file("x", &signature).deflated().streamed(unsigned());
    both_places(s, "Z13-crc-is-signature", "no signature, but a CRC that reads as one", &ambiguous, code);
    let plain = Entry::file("x", &signature).deflated().streamed(Descriptor::default());
    both_places(s, "Z13-crc-is-signature-signed", "the same with a signature", &plain, None);
}

/// Four bytes with this CRC: the sum is undone, bit by bit.
fn crc_preimage(wanted: u32) -> Vec<u8> {
    let state = (0..32)
        .fold(!wanted, |state, _| if state & 0x8000_0000 != 0 { (state ^ 0xedb8_8320) << 1 | 1 } else { state << 1 });
    (!state).to_le_bytes().to_vec()
}

fn width(s: &mut Sheet) {
    let code = Some("zip-data-descriptor");
    for signature in [true, false] {
        let id = if signature { "signed" } else { "unsigned" };
        let base = Descriptor { signature, ..Descriptor::default() };
        let unannounced = streamed(Descriptor { wide: true, ..base.clone() });
        both_places(s, &format!("Z13-wide-unannounced-{id}"), "64 bits without a local 0x0001", &unannounced, code);
        let narrow = streamed(base).with(|e| {
            (e.local.packed, e.local.size) = (Some(ONES32), Some(ONES32));
            e.local.extra = Some(zip64_extra(&[0, 0]));
        });
        both_places(s, &format!("Z13-narrow-announced-{id}"), "32 bits with a local 0x0001", &narrow, code);
    }
    let high = wide(Descriptor { packed: Some(1 << 40), ..Descriptor::default() });
    both_places(s, "Z13-wide-high", "64 bits with a wrong upper half", &high, code);
    let central = wide(Descriptor::default()).with(|e| {
        let (size, packed) = (e.data.len() as u64, e.packed().len() as u64);
        (e.central.packed, e.central.size) = (Some(ONES32), Some(ONES32));
        e.central.extra = Some(zip64_extra(&[size, packed]));
    });
    both_places(s, "Z13-wide-central", "64 bits everywhere", &central, None);
}

fn local_numbers(s: &mut Sheet) {
    let right = streamed(Descriptor::default());
    let (crc, packed, size) = (crc32(&right.data), right.packed().len() as u32, right.data.len() as u32);
    for (id, local) in [
        ("zeros", (0, 0, 0)),
        ("crc-ones", (ONES32, 0, 0)),
        ("true", (crc, packed, size)),
        ("size-only", (0, 0, size)),
        ("crc-only", (crc, 0, 0)),
        ("mixed", (ONES32, packed, 0)),
    ] {
        let entry = streamed(Descriptor::default())
            .with(|e| (e.local.crc, e.local.packed, e.local.size) = (Some(local.0), Some(local.1), Some(local.2)));
        both_places(s, &format!("Z13-local-{id}"), "numbers in the local header beside a descriptor", &entry, None);
    }
    for (id, local) in [
        ("crc", (crc ^ 1, 0, 0)),
        ("packed", (0, packed - 1, 0)),
        ("size", (0, 0, size + 1)),
        ("swapped", (0, size, packed)),
    ] {
        let entry = streamed(Descriptor::default())
            .with(|e| (e.local.crc, e.local.packed, e.local.size) = (Some(local.0), Some(local.1), Some(local.2)));
        let what = "a number in the local header that is neither zero, all ones nor true";
        both_places(s, &format!("Z13-local-wrong-{id}"), what, &entry, Some("zip-data-descriptor"));
    }
    for (id, local) in [("ones", (0, ONES32, ONES32)), ("size-ones", (0, 0, ONES32)), ("packed-ones", (0, ONES32, 0))] {
        let entry = streamed(Descriptor::default())
            .with(|e| (e.local.crc, e.local.packed, e.local.size) = (Some(local.0), Some(local.1), Some(local.2)));
        let what = "a size of all ones without 0x0001: 4 GiB for bsdtar";
        both_places(s, &format!("Z13-local-{id}"), what, &entry, Some("zip-zip64"));
    }
    let sizes = |values: &[u64]| wide(Descriptor::default()).with(|e| e.local.extra = Some(zip64_extra(values)));
    let (packed, size) = (u64::from(packed), u64::from(size));
    for (id, values) in [("true", [size, packed]), ("zeros", [0, 0]), ("mixed", [size, 0])] {
        both_places(s, &format!("Z13-zip64-{id}"), "numbers in a local 0x0001", &sizes(&values), None);
    }
    for (id, values) in [
        ("size", [size + 1, 0]),
        ("packed", [0, packed + 1]),
        ("swapped", [packed, size]),
        ("ones", [u64::MAX, u64::MAX]),
    ] {
        let code = Some("zip-data-descriptor");
        both_places(s, &format!("Z13-zip64-wrong-{id}"), "an untrue local 0x0001", &sizes(&values), code);
    }
    for (id, values) in [("one", &[0][..]), ("three", &[0, 0, 0]), ("none", &[])] {
        let what = "a local 0x0001 of another length";
        both_places(s, &format!("Z13-zip64-length-{id}"), what, &sizes(values), Some("zip-zip64"));
    }
}

/// Data that a reader of a stream would end at another place.
fn fake(s: &mut Sheet) {
    let code = Some("zip-data-descriptor");
    let before = b"what comes before\n";
    let hidden = Zip::empty().file("hidden", "evil");
    let hidden = hidden.build()[..hidden.places().central].to_vec();
    let with = |descriptor: Vec<u8>| [&before[..], &descriptor, &hidden, b"tail"].concat();
    let stored = |data: Vec<u8>| Entry::file("x", data).streamed(Descriptor::default());
    let fitting = || Descriptor::default().build(before, before.len());
    both_places(s, "X10-fitting", "a fitting descriptor in stored data", &stored(with(fitting())), code);
    let at_start = [Descriptor::default().build(b"", 0), hidden.clone()].concat();
    both_places(s, "X10-at-start", "one that fits no data at all", &stored(at_start), code);
    let wide = Descriptor { wide: true, ..Descriptor::default() }.build(before, before.len());
    both_places(s, "X10-wide", "one with 64-bit sizes", &stored(with(wide)), code);
    // bsdtar goes by the CRC alone.
    let sizes = Descriptor { packed: Some(1), size: Some(1), ..Descriptor::default() }.build(before, before.len());
    both_places(s, "X10-crc-only", "one whose sizes do not fit", &stored(with(sizes)), code);
    let far = [vec![b'.'; 70_000], Descriptor::default().build(&vec![b'.'; 70_000], 70_000), hidden.clone()].concat();
    both_places(s, "X10-far", "one that stands far behind", &stored(far), code);
    for shift in 0..8 {
        // Across the border between two pieces of 64 KiB.
        let before = vec![b'.'; 65_536 - shift];
        let data = [&before[..], &Descriptor::default().build(&before, before.len()), &hidden].concat();
        both_places(s, &format!("X10-border-{shift}"), "one between two pieces", &stored(data), code);
    }
    let twice = [&b"PK\x07\x08"[..], b"PK\x07\x08PK\x07\x08"].concat();
    let second = [&twice[..], &Descriptor::default().build(&twice, twice.len()), &hidden].concat();
    both_places(s, "X10-behind-others", "one behind some that do not fit", &stored(second), code);
    let end = [&before[..], &b"PK\x07\x08"[..], &crc32(before).to_le_bytes()[..]].concat();
    both_places(s, "X10-at-end", "one of which the data holds the begin", &stored(end), code);

    let true_numbers = |e: Entry| {
        let (crc, length) = (crc32(&e.data), e.data.len() as u32);
        e.with(|e| (e.local.crc, e.local.packed, e.local.size) = (Some(crc), Some(length), Some(length)))
    };
    both_places(
        s,
        "X10-true-numbers",
        "the same with true sizes in the header",
        &true_numbers(stored(with(fitting()))),
        code,
    );

    let other_crc = Descriptor { crc: Some(1), ..Descriptor::default() }.build(before, before.len());
    both_places(s, "X10-not-fitting", "a descriptor that does not fit", &stored(with(other_crc)), None);
    both_places(s, "X10-signature", "its signature alone", &stored(with(b"PK\x07\x08".to_vec())), None);
    let unsigned = unsigned().build(before, before.len());
    both_places(
        s,
        "X10-unsigned",
        "a fitting one without a signature: no reader looks for it",
        &stored(with(unsigned)),
        None,
    );
    let archive = Zip::skill().entry(streamed(Descriptor::default())).entry(stored(b"more".to_vec())).build();
    both_places(s, "X10-nested", "a whole zip with descriptors, stored", &stored(archive), None);
    let plain = Entry::file("x", with(fitting()));
    both_places(s, "X10-no-flag", "the same data without the flag", &plain, None);
    let deflated = Entry::file("x", with(fitting())).deflated().streamed(Descriptor::default());
    both_places(s, "X10-deflated", "the same data deflated", &deflated, None);
}
