//! How fast: builds a corpus, extracts it with skillx and with the readers found on this machine, and prints ratios.
//!
//! ```text
//! cargo build --release
//! cargo run --release --example compare                      five archives, both formats, all readers
//! cargo run --release --example compare -- --growth          10 to 100,000 entries, 1 KB to 1 GB, with memory
//! cargo run --release --example compare -- --batch           `check -j` over 1,000 archives
//! cargo run --release --example compare -- --catalog         level 1 of a folder of 1,000 skills
//! options: --rounds N (default 7), --only skill,repo,many,large,random, --skillx PATH, --place DIR (default /dev/shm)
//! ```
//!
//! The ruler is `bare`: a mode of this program that reads, hashes, inflates and writes, and checks nothing at all. The
//! programs take turns (a b c a b c …), so that a machine that drifts drifts for all; a ratio is the median of the ratios
//! of the rounds. Readers that check no digest run after `sha256sum`, as a careful user would have it.
#![allow(clippy::disallowed_methods, clippy::pedantic)] // a tool for developers, not the extractor

mod bare;
mod corpus;
mod folder;
mod growth;
mod measure;
mod readers;

use std::path::PathBuf;
use std::process::ExitCode;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// What the command line asks for.
struct Wish {
    rounds: usize,
    only: Vec<String>,
    skillx: PathBuf,
    place: PathBuf,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match arguments.first().map(String::as_str) {
        Some("bare") => bare::extract(&arguments[1], &arguments[2]),
        Some("measure") => measure::child(&arguments[1..]),
        _ => tables(&arguments),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("compare: {error}");
            ExitCode::FAILURE
        }
    }
}

fn tables(arguments: &[String]) -> Outcome<()> {
    let (mut growth, mut batch, mut catalog) = (false, false, false);
    let own = std::env::current_exe()?;
    let release = own.parent().and_then(|examples| examples.parent()).ok_or("where is target/release?")?;
    let place = if PathBuf::from("/dev/shm").is_dir() { "/dev/shm".into() } else { std::env::temp_dir() };
    let mut wish =
        Wish { rounds: 7, only: corpus::KINDS.map(str::to_owned).to_vec(), skillx: release.join("skillx"), place };
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let mut value = || rest.next().ok_or_else(|| format!("{argument} needs a value"));
        match argument.as_str() {
            "--growth" => growth = true,
            "--batch" => batch = true,
            "--catalog" => catalog = true,
            "--rounds" => wish.rounds = value()?.parse()?,
            "--only" => wish.only = value()?.split(',').map(str::to_owned).collect(),
            "--skillx" => wish.skillx = value()?.into(),
            "--place" => wish.place = value()?.into(),
            other => {
                return Err(format!(
                    "unknown argument {other}; the head of examples/compare/main.rs says what there is"
                )
                .into());
            }
        }
    }
    if !wish.skillx.is_file() {
        return Err(format!("there is no {}: cargo build --release", wish.skillx.display()).into());
    }
    if catalog {
        return folder::level_1(&wish);
    }
    match (growth, batch) {
        (true, _) => growth::entries_and_bytes(&wish),
        (_, true) => growth::batch(&wish),
        _ => readers::compare(&wish),
    }
}
