//! libFuzzer's entry to `logic::staging`; the same function replays the corpus in `cargo test`.
#![no_main]

#[path = "../logic/mod.rs"]
mod logic;

libfuzzer_sys::fuzz_target!(|data: &[u8]| logic::staging::run(data));
