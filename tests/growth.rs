//! What an entry costs does not grow with their number: a small sample of `cargo run --release --example growth`.
//!
//! Where nothing counts instructions (neither `perf stat` nor valgrind) the test says so and is skipped.
#![cfg(target_os = "linux")]
#![allow(dead_code, unreachable_pub, clippy::disallowed_methods, clippy::pedantic)]

#[path = "../examples/growth/measure.rs"]
mod measure;

use std::process::Command;

use measure::{Counter, KINDS, MOST, per_entry, write};

/// Entries of the smaller and of the larger archive.
const SIZES: [usize; 2] = [64, 400];

/// Cases: R08-growth.
#[test]
fn instructions_for_an_entry_do_not_grow_with_the_number_of_entries() {
    let Some(counter) = Counter::find() else {
        println!("skipped: nothing here counts instructions");
        return;
    };
    let mut wrong = Vec::new();
    for kind in KINDS {
        let directory = tempfile::tempdir().unwrap();
        let [one, small, large] = [1, SIZES[0], SIZES[1]].map(|entries| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_skillx"));
            command.args(["check", "--allow-unverified", "-q", "--max-ratio", "2000"]);
            command.arg(write(kind, entries, directory.path()));
            counter.count(&command).unwrap_or_else(|| panic!("{}: {entries} entries are not accepted", kind.name))
        });
        let costs = [per_entry(one, small, SIZES[0]), per_entry(one, large, SIZES[1])];
        println!(
            "{}: {:.0} instructions an entry of {}, {:.0} of {}",
            kind.name, costs[0], SIZES[0], costs[1], SIZES[1]
        );
        if costs[1] > MOST * costs[0] {
            wrong.push(format!("{}: {costs:?}", kind.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
