//! libFuzzer's entry to `logic::web_skills`; the same function replays the corpus in `cargo test`.
#![no_main]

#[path = "../logic/mod.rs"]
mod logic;

libfuzzer_sys::fuzz_target!(|data: &[u8]| logic::web_skills::run(data));
