//! libFuzzer's entry to `logic::agent_skills`; the same function replays the corpus in `cargo test`.
#![no_main]

#[path = "../logic/mod.rs"]
mod logic;

libfuzzer_sys::fuzz_target!(|data: &[u8]| logic::agent_skills::run(data));
