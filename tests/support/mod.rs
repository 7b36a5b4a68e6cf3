//! What the tests share: builders of right and wrong archives, a catalogue of forged cases, and the `skillx` program under
//! observation. Every test file says `mod support;` and uses what it needs.
// Each test file compiles this for itself and uses a part of it. Tables of bytes are read as tables, and the fence around
// the file system is for the program: a test has to look from outside.
#![allow(dead_code, unused_imports, unused_qualifications, unreachable_pub)]
#![allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::disallowed_methods)]

pub mod carrier;
pub mod cases;
pub mod gzip;
pub mod run;
pub mod tar;
pub mod tree;
pub mod zip;

pub use self::carrier::{Carrier, Kind, Member};

/// The SKILL.md that a case starts with unless it is about SKILL.md.
pub const SKILL_MD: &[u8] = b"---\nname: demo\ndescription: A demo skill.\n---\n";

/// `sha256:` and 64 lower-case hex digits.
pub fn sha256(bytes: &[u8]) -> String {
    use sha2::{Digest, Sha256};
    let hex: String = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{hex}")
}

/// A directory that goes away with the value.
pub fn temp_dir() -> tempfile::TempDir {
    tempfile::Builder::new().prefix("skillx-test-").tempdir().expect("the system has a temporary directory")
}
