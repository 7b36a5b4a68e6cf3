//! Mixed attacks: two or three faults of different rows in one archive, in every order and both formats. The archive is
//! refused, the first fault in archive order is named, `check` and extraction agree, and nothing is left behind.
//!
//! By default a seeded sample; `SKILLX_MIXED=all cargo test --test mixed` runs every combination, a number so many.
#![allow(clippy::disallowed_methods, clippy::pedantic)] // tests look at the file system from outside

mod mixed {
    pub mod blocks;
}
mod support;

use std::fs;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use mixed::blocks::{Block, Part, When, of};
use skillx_archive::{Artifact, Error, Options, Verdict};
use support::carrier::{skill_md, tar_member, zip_entry};
use support::gzip::Gzip;
use support::tar::Tar;
use support::zip::Zip;
use support::{Carrier, temp_dir};

/// Combinations of each format that run by default.
const SAMPLE: usize = 600;
const SEED: u64 = 0x5eed_0f5e_ed0f_5eed;

#[test]
fn mixed_faults_in_a_tar_gz_are_refused_and_the_first_is_named() {
    run(Carrier::TarGz);
}

#[test]
fn mixed_faults_in_a_zip_are_refused_and_the_first_is_named() {
    run(Carrier::Zip);
}

#[test]
fn each_fault_alone_is_refused_with_its_own_code() {
    let parent = temp_dir();
    for format in Carrier::ALL {
        let blocks = of(format);
        assert!(blocks.len() >= 25, "{format:?} has {} blocks", blocks.len());
        let faults: Vec<String> = blocks.iter().filter_map(|block| fault(format, &[block], parent.path())).collect();
        assert!(faults.is_empty(), "{}", faults.join("\n"));
    }
}

/// Tries combinations of a format, two at a time.
fn run(format: Carrier) {
    let blocks = of(format);
    let sample = match std::env::var("SKILLX_MIXED").as_deref() {
        Ok("all") => usize::MAX,
        Ok(number) => number.parse().expect("SKILLX_MIXED is `all` or a number"),
        Err(_) => SAMPLE,
    };
    let chosen = combinations(blocks.len(), sample);
    let next = AtomicUsize::new(0);
    let faults = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let parent = temp_dir();
                while let Some(combination) = chosen.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let combination: Vec<&Block> = combination.iter().map(|index| &blocks[*index]).collect();
                    faults.lock().unwrap().extend(fault(format, &combination, parent.path()));
                }
            });
        }
    });
    let faults = faults.into_inner().unwrap();
    let (count, all) = (faults.len(), chosen.len());
    assert!(faults.is_empty(), "{count} of {all} combinations:\n{}", faults[..count.min(20)].join("\n"));
}

/// Ordered choices of two and of three blocks, half of the sample each: the same ones every time.
fn combinations(blocks: usize, sample: usize) -> Vec<Vec<usize>> {
    let pairs = (0..blocks).flat_map(|a| (0..blocks).filter(move |b| *b != a).map(move |b| vec![a, b]));
    let mut chosen: Vec<Vec<usize>> = pairs.collect();
    let triples = chosen.iter().flat_map(|pair| {
        let others = (0..blocks).filter(|c| !pair.contains(c));
        others.map(|c| vec![pair[0], pair[1], c]).collect::<Vec<_>>()
    });
    let mut triples: Vec<Vec<usize>> = triples.collect();
    let mut state = SEED;
    shuffle(&mut chosen, &mut state);
    shuffle(&mut triples, &mut state);
    chosen.truncate(sample / 2);
    triples.truncate(sample - chosen.len());
    chosen.extend(triples);
    chosen
}

/// Fisher and Yates, with xorshift for dice.
fn shuffle<T>(values: &mut [T], state: &mut u64) {
    for last in (1..values.len()).rev() {
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        values.swap(last, (*state % (last as u64 + 1)) as usize);
    }
}

/// What is wrong with the answers to one combination, if anything.
fn fault(format: Carrier, blocks: &[&Block], parent: &Path) -> Option<String> {
    let names: Vec<&str> = blocks.iter().map(|block| block.name).collect();
    let problem = |text: String| Some(format!("{} [{}]: {text}", format.suffix(), names.join(", ")));
    let expected = expected(blocks);
    let artifact = Artifact::from_bytes(build(format, blocks)).trust_without_digest();
    let options = Options::default().most_threads(NonZeroUsize::new(2).unwrap());
    let checked = artifact.check(&options);
    if checked.verdict != Verdict::Refused {
        return problem(format!("check says {:?}", checked.verdict));
    }
    let found: Vec<Named> = checked.refusals.iter().map(Named::of).collect();
    if !(found.len() == expected.len() && found.iter().zip(&expected).all(|(found, wanted)| wanted.allows(found))) {
        return problem(format!("check finds {found:?}, not {expected:?}"));
    }
    let extracted = match artifact.extract(parent.join("out"), &options) {
        Err(failure) => failure,
        Ok(_) => return problem("it is extracted".to_owned()),
    };
    let first = describe(&checked.refusals[0]);
    for error in [Some(extracted.error()), extracted.report().error.as_ref(), checked.error.as_ref()] {
        let named = error.map(describe).unwrap_or_default();
        if named != first {
            return problem(format!("{named} is named, but check lists {first} first"));
        }
    }
    if fs::read_dir(parent).unwrap().next().is_some() {
        return problem("something is left behind".to_owned());
    }
    None
}

/// All that a refusal says.
fn describe(error: &Error) -> String {
    let entry = error.entry().map(|entry| (entry.ordinal(), entry.name().to_owned()));
    format!("{} {entry:?} {:?} {error}", error.code(), error.offset())
}

/// A refusal: its code and, where it is about one entry, the entry's number.
#[derive(Debug)]
struct Named {
    code: String,
    ordinal: Option<u64>,
}

impl Named {
    fn of(error: &Error) -> Self {
        Named { code: error.code().to_string(), ordinal: error.entry().map(|entry| entry.ordinal()) }
    }

    fn allows(&self, found: &Named) -> bool {
        self.code == found.code && (self.ordinal.is_none() || self.ordinal == found.ordinal)
    }
}

/// The refusals that `check` has to list, by the order of the rules in `docs/cases.md`.
fn expected(blocks: &[&Block]) -> Vec<Named> {
    let whole = |when: fn(When) -> Option<u8>| {
        let ranked = blocks.iter().filter_map(|block| Some((when(block.when)?, block.code)));
        ranked.min().map(|(_, code)| Named { code: code.to_owned(), ordinal: None })
    };
    // What is seen before the first entry comes alone.
    if let Some(first) = whole(|when| if let When::Opening(rank) = when { Some(rank) } else { None }) {
        return vec![first];
    }
    let (mut now, mut links) = (Vec::new(), Vec::new());
    // SKILL.md is entry 1.
    let mut next = 2;
    for block in blocks {
        let named = |at: u64| Named { code: block.code.to_owned(), ordinal: Some(next + at) };
        match block.when {
            When::Entry(at) => now.push(named(at)),
            When::Link(at) => links.push(named(at)),
            When::Container(at) => {
                now.push(named(at));
                return now;
            }
            When::Opening(_) | When::End(_) => {}
        }
        next += block.entries();
    }
    match whole(|when| if let When::End(rank) = when { Some(rank) } else { None }) {
        // With the end in doubt nobody knows what a link may point to.
        Some(last) => now.push(last),
        None => {
            now.extend(links);
            now.sort_by_key(|named| named.ordinal);
        }
    }
    now
}

/// A valid SKILL.md, then the blocks; what is about the whole archive is done at the end.
fn build(format: Carrier, blocks: &[&Block]) -> Vec<u8> {
    match format {
        Carrier::TarGz => {
            let start = tar_member(Tar::empty(), &skill_md());
            let tar = blocks.iter().fold(start, |tar, block| match &block.part {
                Part::Members(members) => members.iter().fold(tar, tar_member),
                Part::Tar(add, _) => add(tar),
                _ => tar,
            });
            let ends = |tar: Vec<u8>, block: &&Block| if let Part::TarEnd(end) = block.part { end(tar) } else { tar };
            let tar = blocks.iter().fold(tar.end(), ends);
            let gzip = blocks.iter().fold(Gzip::new(tar), |gzip, block| match block.part {
                Part::Gzip(change) => change(gzip),
                _ => gzip,
            });
            let tails =
                |file: Vec<u8>, block: &&Block| if let Part::Tail(tail) = block.part { tail(file) } else { file };
            blocks.iter().fold(gzip.build(), tails)
        }
        Carrier::Zip => {
            let start = Zip::empty().entry(zip_entry(&skill_md()));
            let zip = blocks.iter().fold(start, |zip, block| match &block.part {
                Part::Members(members) => members.iter().fold(zip, |zip, member| zip.entry(zip_entry(member))),
                Part::Zip(add, _) => add(zip),
                _ => zip,
            });
            let ends = |zip: Zip, block: &&Block| if let Part::ZipEnd(end) = block.part { end(zip) } else { zip };
            blocks.iter().fold(zip, ends).build()
        }
    }
}
