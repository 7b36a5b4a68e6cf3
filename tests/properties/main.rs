//! Properties of both formats over generated trees, names and damage.
//!
//! `PROPTEST_CASES=5000 cargo test --test properties` runs more cases of each property than the default 64; a failing case
//! is shrunk and printed whole.
#![allow(clippy::disallowed_methods)] // Tests look at the file system as it is.

mod damage;
mod names;
mod round_trip;
#[path = "../support/mod.rs"]
mod support;
mod trees;

use std::path::Path;

use proptest::test_runner::Config;
use serde_json::Value;
use skillx_archive::{Artifact, Error, Limits, Options, Report, VerifiedArtifact};

use support::temp_dir;

/// Cases of each property.
const DEFAULT_CASES: u32 = 64;

fn config() -> Config {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(DEFAULT_CASES);
    Config { cases, failure_persistence: None, max_shrink_iters: 4000, ..Config::default() }
}

/// Read in the ways that bytes arrive: at once into memory; in pieces of these sizes, into memory and into a file.
fn ways_in(bytes: &[u8], pieces: &[usize]) -> Vec<VerifiedArtifact> {
    let digest = support::sha256(bytes).parse().expect("a digest");
    let mut artifacts = vec![Artifact::from_bytes(bytes)];
    for memory in [u64::MAX, 0] {
        let mut limits = Limits::default();
        limits.spool_memory = memory;
        let reader = Pieces { bytes, sizes: pieces.iter().copied().cycle() };
        artifacts.push(Artifact::from_reader(reader, &limits).expect("no limit is met"));
    }
    artifacts.into_iter().map(|artifact| artifact.verify(&digest).expect("the same bytes")).collect()
}

struct Pieces<'a, I> {
    bytes: &'a [u8],
    sizes: I,
}

impl<I: Iterator<Item = usize>> std::io::Read for Pieces<'_, I> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let size = self.sizes.next().unwrap_or(1).clamp(1, buffer.len());
        self.bytes.read(&mut buffer[..size])
    }
}

/// Checks an archive in every way it can arrive, extracts it, and holds the answers against each other. Returns the
/// report of `check`; an accepted archive has become the directory `out`.
fn judge(bytes: &[u8], pieces: &[usize], options: &Options, parent: &Path) -> Report {
    let mut artifacts = ways_in(bytes, pieces);
    let reports: Vec<Report> = artifacts.iter().map(|artifact| artifact.check(options)).collect();
    let first = plain(&reports[0]);
    for other in &reports[1..] {
        assert_eq!(plain(other), first, "the way the bytes arrive changes the answer");
    }
    let report = reports.into_iter().next().expect("one way at least");
    assert_ne!(report.error.as_ref().map(Error::code), Some(skillx_archive::Code::LimitTime), "it hangs");
    let out = parent.join("out");
    match artifacts.swap_remove(2).extract(&out, options) {
        Ok(skill) => {
            assert!(report.error.is_none(), "extracted what check refuses: {:?}", report.error);
            let mut extracted = plain(skill.report());
            extracted["output"] = Value::Null;
            assert_eq!(extracted, first, "extraction reports something else");
        }
        Err(failure) => {
            let error = report.error.as_ref().expect("check accepts what extraction refuses");
            assert_eq!(facts(failure.error()), facts(error), "another refusal than that of check");
            assert_eq!(report.refusals.first().map(facts), Some(facts(error)));
            assert_eq!(std::fs::read_dir(parent).unwrap().count(), 0, "something was left behind");
        }
    }
    report
}

/// A report without the way the bytes arrived.
fn plain(report: &Report) -> Value {
    serde_json::to_value(report).expect("a report can be written")
}

fn facts(error: &Error) -> (&'static str, String, Option<u64>) {
    (error.code().as_str(), error.to_string(), error.offset())
}

/// Options that a caller may choose among.
fn options(choice: u8) -> Options {
    let mut limits = Limits::default();
    limits.time = std::time::Duration::from_secs(30);
    let options = Options::default().limits(limits);
    let options = if choice & 1 == 0 { options } else { options.layout(skillx_archive::Layout::Any) };
    let options = if choice & 2 == 0 { options } else { options.strip_root(true) };
    if choice & 0b1100 == 0b1100 { options.links(skillx_archive::Links::Deny) } else { options }
}
