//! The builders and the catalogue themselves: what they call right, readers that are not ours read.

#![allow(clippy::disallowed_methods, clippy::pedantic, clippy::use_self, clippy::redundant_clone)]

mod support;

use std::collections::BTreeSet;
use std::io::{Cursor, Read};

use support::carrier::{self, Carrier};
use support::cases::{self, Bytes, Expect};

fn sample() -> Vec<carrier::Member> {
    carrier::with_skill(vec![
        carrier::dir("a/"),
        carrier::exec("a/run.sh", "#!/bin/sh\n"),
        carrier::file(format!("{}/x", "long".repeat(40)), "content"),
        carrier::symlink("l", "a/run.sh"),
        carrier::file("caf\u{e9}.md", ""),
    ])
}

#[test]
fn an_independent_reader_reads_the_tar_that_the_builder_calls_right() {
    let bytes = Carrier::TarGz.write(&sample());
    let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(&bytes[..]));
    let mut names = Vec::new();
    for entry in archive.entries().unwrap() {
        let mut entry = entry.unwrap();
        let mut content = Vec::new();
        entry.read_to_end(&mut content).unwrap();
        names.push((String::from_utf8(entry.path_bytes().into_owned()).unwrap(), content.len()));
    }
    let expected: Vec<_> =
        sample().iter().map(|m| (String::from_utf8(m.name.clone()).unwrap(), m.content.len())).collect();
    assert_eq!(names, expected);
}

#[test]
fn an_independent_reader_reads_the_zip_that_the_builder_calls_right() {
    let bytes = Carrier::Zip.write(&sample());
    let mut archive = zip::ZipArchive::new(Cursor::new(&bytes)).unwrap();
    assert_eq!(archive.len(), sample().len());
    for (index, member) in sample().iter().enumerate() {
        let mut entry = archive.by_index(index).unwrap();
        assert_eq!(entry.name_raw(), member.name);
        let mut content = Vec::new();
        entry.read_to_end(&mut content).unwrap();
        let expected = if member.kind == carrier::Kind::Symlink { &member.target } else { &member.content };
        assert_eq!(&content, expected);
    }
}

#[test]
fn every_case_has_an_id_of_its_own_and_says_what_it_is() {
    let mut ids = BTreeSet::new();
    let mut twice = Vec::new();
    for case in cases::all() {
        assert!(!case.what.is_empty(), "{}", case.id);
        assert!(case.id.bytes().all(|b| (b'!'..=b'~').contains(&b)), "{:?}", case.id);
        if !ids.insert(case.id.clone()) {
            twice.push(case.id);
        }
    }
    assert!(twice.is_empty(), "{twice:?}");
    assert!(ids.len() > 1000, "{}", ids.len());
}

#[test]
fn two_accepted_rows_do_not_hold_the_same_bytes() {
    let mut seen = std::collections::BTreeMap::new();
    for case in cases::all() {
        let Bytes::Now(bytes) = &case.bytes else { continue };
        if let Some((other, expect)) =
            seen.insert((support::sha256(bytes), case.format.flag(), case.args.clone()), (case.id.clone(), case.expect))
        {
            assert_eq!(expect, case.expect, "{other} and {} are one archive with two verdicts", case.id);
        }
        if case.expect == Expect::Accepted {
            assert!(case.ordinal.is_none(), "{}", case.id);
        }
    }
}
