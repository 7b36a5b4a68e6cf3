//! libFuzzer's entry to `logic::tar_structure`; the same function replays the corpus in `cargo test`.
#![no_main]

#[path = "../logic/mod.rs"]
mod logic;

libfuzzer_sys::fuzz_target!(|data: &[u8]| logic::tar_structure::run(data));
