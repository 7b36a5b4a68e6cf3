//! libFuzzer's entry to `logic::skill_sharing`; the same function replays the corpus in `cargo test`.
#![no_main]

#[path = "../logic/mod.rs"]
mod logic;

libfuzzer_sys::fuzz_target!(|data: &[u8]| logic::skill_sharing::run(data));
