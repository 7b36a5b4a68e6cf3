//! What each entry of an archive costs, at 10^3 and at 10^5 of them: instructions in user space and peak memory.
//!
//! `cargo run --release --example growth` prints a table and fails if an entry of the large archive costs more than 1.3
//! times one of the small; `-- --small 1000 --large 20000` for other sizes. Instructions are counted with `perf stat`, or
//! with valgrind where the machine has no counter to offer.
#![allow(clippy::disallowed_methods, clippy::pedantic, missing_docs, unreachable_pub)] // a tool for developers

mod measure;

use std::path::Path;
use std::process::{Command, ExitCode};

use measure::{Counter, KINDS, MOST, peak_memory, per_entry, write};
use skillx_archive::{Artifact, Limits, Options};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, how, archive] = &arguments[..]
        && flag == "--worker"
    {
        return work(how, Path::new(archive));
    }
    let number = |flag: &str, default| {
        let at = arguments.iter().position(|argument| argument == flag);
        at.and_then(|at| arguments.get(at + 1)?.parse().ok()).unwrap_or(default)
    };
    let (small, large) = (number("--small", 1000), number("--large", 100_000));
    let Some(counter) = Counter::find() else {
        println!("nothing here counts instructions: neither `perf stat -e instructions:u` nor valgrind works");
        return ExitCode::from(2);
    };
    println!("instructions by {counter:?}, entries {small} and {large}\n");
    println!("| what | run | instructions an entry, small | large | ratio | memory an entry, small | large |");
    println!("|---|---|---|---|---|---|---|");
    let mut wrong = 0;
    for kind in KINDS {
        for how in ["check", "extract"] {
            wrong += usize::from(!row(kind, how, counter, small, large));
        }
    }
    println!("\n{wrong} beyond {MOST}");
    if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Measures and prints one row; whether it is in bounds.
fn row(kind: &measure::Kind, how: &str, counter: Counter, small: usize, large: usize) -> bool {
    let directory = tempfile::tempdir().expect("a temporary directory");
    // The least that has the same shape: one entry, or one file with its directories.
    let sizes = [1, small, large];
    let costs: Vec<(u64, u64)> = sizes
        .iter()
        .map(|entries| {
            let mut worker = Command::new(std::env::current_exe().expect("this program has a path"));
            worker.args(["--worker", how]).arg(write(kind, *entries, directory.path()));
            let instructions = counter.count(&worker).expect("the worker ends well");
            (instructions, peak_memory(&worker).unwrap_or_default())
        })
        .collect();
    let instructions = [1, 2].map(|at| per_entry(costs[0].0, costs[at].0, sizes[at]));
    let memory = [1, 2].map(|at| per_entry(costs[0].1, costs[at].1, sizes[at]) * 1024.0);
    let ratio = instructions[1] / instructions[0];
    let [(before, after), (least, most)] = [instructions, memory].map(|[small, large]| (small, large));
    println!("| {} | {how} | {before:.0} | {after:.0} | {ratio:.2} | {least:.0} B | {most:.0} B |", kind.name);
    // A page more or less is nothing at the small size.
    ratio <= MOST && most <= MOST * least.max(4096.0 * 64.0 / small as f64)
}

/// One run in a process of its own.
fn work(how: &str, archive: &Path) -> ExitCode {
    let mut limits = Limits::default();
    (limits.archive, limits.total, limits.entries) = (1 << 30, 1 << 30, 1 << 20);
    (limits.extension_total, limits.ratio) = (1 << 30, 2000);
    limits.time = std::time::Duration::from_secs(3600);
    let options = Options::default().limits(limits.clone());
    let artifact = Artifact::open_with(archive, &limits).expect("the archive can be read").trust_without_digest();
    let code = if how == "check" {
        artifact.check(&options).error.map(|error| error.to_string())
    } else {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let extracted = artifact.extract(directory.path().join("skill"), &options);
        extracted.err().map(|failure| failure.to_string())
    };
    match code {
        None => ExitCode::SUCCESS,
        Some(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
