//! The library as a client sees it: every way in, every way to read, every way out, and what errors and reports carry.
#![allow(clippy::items_after_statements, clippy::disallowed_methods)] // Tests look at the file system as it is.

mod errors;
mod extract;
mod input;
mod limits;
mod options;
mod read;
mod run;
#[path = "../support/mod.rs"]
mod support;
mod threads;

use serde_json::Value;
use skillx_archive::{Artifact, Digest, Failure, Options, Report, VerifiedArtifact};

use support::carrier::{Carrier, Member, dir, exec, file, hardlink, symlink, with_skill};

/// A skill with one member of each kind, and its members.
fn demo_members() -> Vec<Member> {
    with_skill(vec![
        dir("scripts"),
        exec("scripts/run.sh", "#!/bin/sh\necho hello\n"),
        file("references/guide.md", "# Guide\n".repeat(40)),
        file("assets/empty", ""),
        hardlink("references/copy.md", "references/guide.md"),
        symlink("latest.md", "references/guide.md"),
    ])
}

fn demo() -> Vec<u8> {
    tar_gz(&demo_members())
}

fn tar_gz(members: &[Member]) -> Vec<u8> {
    Carrier::TarGz.write(members)
}

fn digest_of(bytes: &[u8]) -> Digest {
    support::sha256(bytes).parse().expect("a digest")
}

/// Checked against the digest that it has.
fn verified(bytes: &[u8]) -> VerifiedArtifact {
    Artifact::from_bytes(bytes).verify(&digest_of(bytes)).expect("its own digest")
}

/// A skill and these members, checked.
fn check(members: Vec<Member>, options: &Options) -> Report {
    verified(&tar_gz(&with_skill(members))).check(options)
}

fn code_of(report: &Report) -> Option<&'static str> {
    report.error.as_ref().map(|error| error.code().as_str())
}

fn json(report: &Report) -> Value {
    serde_json::to_value(report).expect("a report can be written")
}

/// What a report says of the content, without where the bytes came from.
fn content(report: &Report) -> Value {
    let mut value = json(report);
    for key in ["source", "format_source"] {
        value["artifact"].as_object_mut().expect("an object").remove(key);
    }
    value
}

fn failure<T>(outcome: Result<T, Failure>) -> Failure {
    outcome.err().expect("this must fail")
}

/// Names in a directory, sorted.
fn names(directory: &std::path::Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).expect("a directory of the test");
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}
