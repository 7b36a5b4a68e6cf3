//! Second opinions from outside: whatever skillx accepts, of the fixtures and of the fuzz corpora, other programs unpack to the
//! same tree, normalised by nothing but the closed list in docs/oracles.md. Each line of that list names the test here that
//! shows the difference, so no line stays that nobody needs. (The crates `tar`, `tar-codec` and `zip` are asked inside the
//! fuzz targets, which `tests/fuzz_replay.rs` runs over the same archives.)
//!
//! `SKILLX_ORACLES=FOLDER` takes a folder of fuzz inputs in place of `fuzz/corpus`, one folder for each target in it.
#![cfg(unix)]
#![allow(clippy::disallowed_methods, clippy::pedantic)] // tests stage files of their own
#![allow(clippy::type_complexity, clippy::unnecessary_operation, unreachable_pub)]

#[path = "../fuzz/logic/mod.rs"]
#[allow(clippy::all, clippy::use_self, clippy::redundant_clone, unused)]
mod logic;
mod oracles {
    pub mod found;
    pub mod lines;
    pub mod list;
    pub mod readers;
}
mod support;
mod tools;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use logic::support::files;
use oracles::readers::{self, READERS, Reader};
use skillx_archive::{Artifact, Layout, Options};
use support::tree::{self, Tree};
use support::{sha256, temp_dir};

/// An archive that skillx accepts, and what it installs.
struct Accepted {
    /// Where it came from.
    origin: String,
    bytes: Vec<u8>,
    tree: Tree,
}

#[test]
fn every_reader_unpacks_what_skillx_accepts_to_the_same_tree() {
    let accepted = accepted();
    assert!(accepted.len() >= 40, "only {} archives are accepted", accepted.len());
    let mut faults = Vec::new();
    for reader in READERS.iter().filter(|reader| tools::have(reader.tools)) {
        faults.extend(disagreements(reader, &accepted));
    }
    assert!(faults.is_empty(), "{} disagreements:\n{}", faults.len(), faults.join("\n"));
}

/// Lets one reader unpack all archives of its format in one go.
fn disagreements(reader: &Reader, accepted: &[Accepted]) -> Vec<String> {
    let temp = temp_dir();
    let of_its_format = accepted.iter().filter(|archive| is_zip(&archive.bytes) == reader.zip);
    let asked: Vec<&Accepted> = of_its_format.filter(|archive| !readers::left_out(reader, &archive.bytes)).collect();
    for (at, archive) in asked.iter().enumerate() {
        fs::create_dir_all(temp.path().join(format!("out/{at}"))).unwrap();
        fs::write(temp.path().join(format!("{at}.archive")), &archive.bytes).unwrap();
    }
    readers::unpack_all(reader, temp.path(), asked.len());
    let mut faults = Vec::new();
    for (at, archive) in asked.iter().enumerate() {
        let gave_up = fs::read_to_string(temp.path().join(format!("{at}.status"))).unwrap_or_default().trim() != "0";
        let theirs = tree::walk(&temp.path().join(format!("out/{at}")));
        let (theirs, ours) = readers::normalised(reader, theirs, &archive.tree, &archive.bytes);
        let mut differences = tree::differences(&theirs, &ours);
        if gave_up {
            // What it did read must be the same; what it did not reach says nothing.
            differences.retain(|line| !line.starts_with("unexpected"));
        }
        if !differences.is_empty() {
            faults.push(format!("{} reads {} otherwise: {differences:?}", reader.name, archive.origin));
        }
    }
    faults
}

fn is_zip(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PK")
}

/// Every fixture and every archive that the fuzz corpora stand for, each once, if it is accepted as it stands.
fn accepted() -> Vec<Accepted> {
    let mut found: BTreeMap<String, (String, Vec<u8>)> = BTreeMap::new();
    let mut add = |origin: String, bytes: Vec<u8>| {
        found.entry(sha256(&bytes)).or_insert((origin, bytes));
    };
    for file in files(Path::new("fixtures")) {
        add(file.display().to_string(), fs::read(&file).unwrap());
    }
    let corpora = std::env::var_os("SKILLX_ORACLES").map_or_else(|| PathBuf::from("fuzz/corpus"), PathBuf::from);
    for (target, run) in logic::TARGETS {
        for file in files(&corpora.join(target)) {
            for bytes in logic::support::archives_of(*run, &fs::read(&file).unwrap()) {
                add(file.display().to_string(), bytes);
            }
        }
    }
    found.into_values().filter_map(|(origin, bytes)| install(origin, bytes)).collect()
}

fn install(origin: String, bytes: Vec<u8>) -> Option<Accepted> {
    let temp = temp_dir();
    let place = temp.path().join("ours");
    let options = Options::default().layout(Layout::Any);
    Artifact::from_bytes(bytes.clone()).trust_without_digest().extract(&place, &options).ok()?;
    Some(Accepted { origin, bytes, tree: tree::walk(&place) })
}

/// A file, or the files below a folder.
fn all(path: &Path) -> Vec<PathBuf> {
    if path.is_file() { vec![path.to_owned()] } else { files(path) }
}
