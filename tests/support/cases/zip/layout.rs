//! Z02–Z05, Z23, Z26: every byte belongs to one record, and every local header to one record of the directory.

use super::super::{Case, Expect::*, Sheet};
use crate::support::SKILL_MD;
use crate::support::tree;
use crate::support::zip::{Descriptor, Entry, Zip};

pub fn cases() -> Vec<Case> {
    let mut s = Sheet::new();
    hidden(&mut s);
    missing(&mut s);
    overlap(&mut s);
    gaps(&mut s);
    further_records(&mut s);
    order(&mut s);
    s.done()
}

fn x() -> Entry {
    Entry::file("x", "content")
}

fn hidden(s: &mut Sheet) {
    let refused = Refused("zip-hidden-entry");
    let hidden = |e: Entry| e.with(|e| e.central.omit = true);
    s.zip(
        "Z02-between",
        "a local header that the directory does not list",
        Zip::skill().entry(hidden(x())).file("y", "1"),
        refused,
    );
    s.zip(
        "Z02-first",
        "the same before all others",
        Zip::empty().entry(hidden(x())).file("SKILL.md", SKILL_MD),
        refused,
    );
    s.zip("Z02-last", "the same before the directory", Zip::skill().entry(hidden(x())), refused);
    s.zip(
        "Z02-streamed",
        "the same, deflated, with a descriptor",
        Zip::skill().entry(hidden(x().deflated().streamed(Descriptor::default()))).file("y", "1"),
        refused,
    );
    let twice = Zip::skill().entry(hidden(Entry::file("SKILL.md", "---\nname: evil\n---\n")));
    s.zip("Z02-skill-md", "a second SKILL.md for readers of streams", twice, refused);
    s.zip("Z02-all", "a directory without records", Zip::empty().entry(hidden(x())), refused);
    let after_descriptor = Zip::skill().entry(x().deflated().streamed(Descriptor::default())).entry(hidden(x()));
    s.zip("Z02-after-descriptor", "the same behind a descriptor", after_descriptor, refused);
    s.zip("Z02-listed", "all of them listed", Zip::skill().entry(x()).file("y", "1"), Accepted)
        .tree([tree::file("x", "content"), tree::file("y", "1")]);
}

fn missing(s: &mut Sheet) {
    let refused = Refused("zip-header-mismatch");
    let omitted = x().with(|e| e.local.omit = true);
    s.zip("Z03-no-local", "a directory record without a local header", Zip::skill().entry(omitted.clone()), refused)
        .at(2);
    s.zip(
        "Z03-no-local-between",
        "the same, pointing to the next one's header",
        Zip::skill().entry(omitted).file("y", "1"),
        Refused("zip-overlap"),
    );
    for (id, signature) in [("zero", 0), ("central", 0x0201_4b50), ("split", 0x3030_4b50)] {
        s.zip(
            format!("Z03-signature-{id}"),
            "a wrong signature of a local header",
            Zip::skill().entry(x().with(|e| e.local.signature = Some(signature))),
            refused,
        )
        .at(2);
    }
    s.zip(
        "Z03-central-signature",
        "a wrong signature of a directory record",
        Zip::skill().entry(x().with(|e| e.central.signature = Some(0x0201_4b51))),
        refused,
    );
    let at = Zip::skill().entry(x()).places();
    for (id, offset) in [
        ("before", at.locals[1] - 1),
        ("behind", at.locals[1] + 1),
        ("directory", at.central),
        ("end", at.end),
        ("outside", 0x7fff_ffff),
    ] {
        s.zip(
            format!("Z03-offset-{id}"),
            "a directory record that points past its local header",
            Zip::skill().entry(x().with(|e| e.central.offset = Some(offset as u32))),
            refused,
        );
    }
}

fn overlap(s: &mut Sheet) {
    let refused = Refused("zip-overlap");
    s.zip(
        "Z04-same-local",
        "two directory records for one local header",
        Zip::skill().entry(x()).with(|z| z.central_order = Some(vec![0, 1, 1])),
        refused,
    );
    let other_name = x().with(|e| (e.name, e.local.omit) = (b"y".to_vec(), true));
    let at = Zip::skill().places().central as u32;
    let other_name = other_name.with(|e| e.central.offset = Some(at));
    s.zip("Z04-kernel", "two names for one local header", Zip::skill().entry(x()).entry(other_name), refused);

    // Fifield: the header of the second is part of the data of the first.
    let inner = Zip::empty().entry(x());
    let quoted = inner.build()[..inner.places().central].to_vec();
    let begin = Zip::skill().places().central + 30 + "outer".len();
    let outer = Entry::file("outer", quoted);
    let kernel = x().with(|e| (e.local.omit, e.central.offset) = (true, Some(begin as u32)));
    s.zip(
        "Z04-quoted",
        "an entry inside the data of another",
        Zip::skill().entry(outer.clone()).entry(kernel),
        refused,
    )
    .at(2);
    s.zip("Z04-unquoted", "the same data, not listed: just data", Zip::skill().entry(outer.clone()), Accepted)
        .tree([tree::file("outer", outer.data)]);

    let long = x().with(|e| {
        (e.local.packed, e.central.packed) = (Some(11), Some(11));
        (e.local.size, e.central.size) = (Some(11), Some(11));
    });
    s.zip("Z04-into-next", "data that reaches into the next header", Zip::skill().entry(long).file("y", "1"), refused)
        .at(2);
    let long_extra = x().with(|e| e.local.extra_length = Some(200));
    s.zip("Z04-extra-into-next", "a local header that does", Zip::skill().entry(long_extra).file("y", "1"), refused)
        .at(2);
}

fn gaps(s: &mut Sheet) {
    let refused = Refused("zip-unaccounted-data");
    let zip = || Zip::skill().entry(x()).file("y", "1");
    for (id, bytes) in [("nul", &b"\0"[..]), ("text", b"JUNK"), ("central", b"\x01\x02PK\x03\x04")] {
        s.zip(
            format!("Z05-gap-{id}"),
            "bytes between two entries",
            zip().with(|z| z.entries[1].gap = bytes.to_vec()),
            refused,
        );
        s.zip(
            format!("Z05-before-central-{id}"),
            "bytes before the directory",
            zip().with(|z| z.before_central = bytes.to_vec()),
            refused,
        );
        s.zip(
            format!("Z05-after-central-{id}"),
            "bytes between the directory and the end record",
            zip().with(|z| z.after_central = bytes.to_vec()),
            refused,
        );
    }
    let counted = |bytes: &[u8]| {
        let size = zip().places().central_size + bytes.len();
        zip().with(|z| (z.after_central, z.end.size) = (bytes.to_vec(), Some(size as u32)))
    };
    s.zip("Z05-in-central", "bytes at the end of the directory, counted in its size", counted(b"JUNK"), refused);
    // What stands at byte 0 has to look like a zip; anything else is no archive at all.
    let end_only = b"PK\x05\x06 a stub that begins like an end record";
    for unadjusted in [false, true] {
        let id = if unadjusted { "unadjusted" } else { "adjusted" };
        let prefixed = |bytes: &[u8]| zip().with(|z| (z.prefix, z.unadjusted) = (bytes.to_vec(), unadjusted));
        s.zip(format!("Z05-prefix-{id}"), "something in front of the archive", prefixed(end_only), refused);
        s.zip(
            format!("Z26-sfx-{id}"),
            "a program in front of the archive",
            prefixed(b"MZ\x90\0\x03\0\0\0\x04\0\0\0"),
            Refused("not-an-archive"),
        );
        s.zip(
            format!("Z05-prefix-local-{id}"),
            "a local header in front of the archive",
            prefixed(b"PK\x03\x04 a stub that begins like a local header"),
            Refused("zip-hidden-entry"),
        );
    }
    s.zip(
        "Z05-short-size",
        "stored data with one byte more than the headers say",
        Zip::skill().entry(x().with(|e| e.body = Some(b"content!".to_vec())).with(|e| {
            (e.local.packed, e.central.packed) = (Some(7), Some(7));
        })),
        refused,
    );
    s.zip("Z05-none", "nothing of the kind", zip(), Accepted).tree([tree::file("x", "content"), tree::file("y", "1")]);
}

fn further_records(s: &mut Sheet) {
    let refused = Refused("zip-unaccounted-data");
    let signature = b"PK\x05\x05\x04\0sign";
    let zip = || Zip::skill().entry(x());
    let size = (zip().places().central_size + signature.len()) as u32;
    s.zip(
        "Z23-signature-inside",
        "a digital signature, counted in the directory's size",
        zip().with(|z| (z.after_central, z.end.size) = (signature.to_vec(), Some(size))),
        refused,
    );
    s.zip(
        "Z23-signature-behind",
        "a digital signature behind the directory",
        zip().with(|z| z.after_central = signature.to_vec()),
        refused,
    );
    s.zip(
        "Z23-archive-extra",
        "an archive extra data record",
        zip().with(|z| z.before_central = b"PK\x06\x08\x04\0\0\0data".to_vec()),
        refused,
    );
    s.zip(
        "Z23-apk-block",
        "an APK signing block before the directory",
        zip().with(|z| z.before_central = [&[24, 0, 0, 0, 0, 0, 0, 0][..], b"APK Sig Block 42"].concat()),
        refused,
    );
}

/// APPNOTE 4.4.1.3 allows it and some writers do it; what is installed is the same either way.
fn order(s: &mut Sheet) {
    let zip = || Zip::skill().entry(x()).entry(Entry::dir("d/")).file("d/y", "1");
    for (id, order) in [("reversed", vec![3, 2, 1, 0]), ("shuffled", vec![2, 0, 3, 1])] {
        s.zip(
            format!("Z-order-{id}"),
            "a directory in another order than the file",
            zip().with(|z| z.central_order = Some(order)),
            Accepted,
        )
        .tree([tree::file("x", "content"), tree::dir("d"), tree::file("d/y", "1")]);
    }
    s.zip(
        "Z-order-swapped",
        "two records that point to each other's local header",
        {
            let at = Zip::skill().file("x", "1").file("y", "1").places();
            Zip::skill()
                .entry(Entry::file("x", "1").with(|e| e.central.offset = Some(at.locals[2] as u32)))
                .entry(Entry::file("y", "1").with(|e| e.central.offset = Some(at.locals[1] as u32)))
        },
        Refused("zip-header-mismatch"),
    );
}
