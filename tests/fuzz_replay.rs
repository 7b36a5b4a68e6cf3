//! Replays every fuzz corpus, and every fixture, through the fuzz targets' own functions: no fuzzer needed.

#![allow(clippy::disallowed_methods, clippy::pedantic, clippy::use_self, clippy::redundant_clone)]

#[path = "../fuzz/logic/mod.rs"]
mod logic;

use std::fs;
use std::path::Path;

use logic::support::files;

#[test]
fn the_corpus_of_every_target_replays() {
    for (name, run) in logic::TARGETS {
        let corpus = files(&Path::new("fuzz/corpus").join(name));
        assert!(!corpus.is_empty(), "fuzz/corpus/{name} is empty");
        for file in corpus {
            println!("{name}: {}", file.display());
            run(&fs::read(file).unwrap());
        }
    }
}

#[test]
fn every_fixture_goes_through_every_target() {
    for file in files(Path::new("fixtures")) {
        let bytes = fs::read(&file).unwrap();
        for (name, run) in logic::TARGETS {
            println!("{name}: {}", file.display());
            run(&bytes);
        }
    }
}
