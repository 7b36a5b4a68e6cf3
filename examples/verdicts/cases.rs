//! The cases: every archive in `fixtures/`, with what is declared of it there.

use std::fs;
use std::path::PathBuf;

#[derive(Debug)]
pub(crate) struct Case {
    /// File name without folder.
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    /// By its extension; the bytes may be something else.
    pub(crate) zip: bool,
    /// The code that skillx refuses it with, `-` if it does not.
    pub(crate) code: String,
    /// What skillx needs to be told for that verdict.
    pub(crate) flags: Vec<String>,
}

/// All of them: real ones first.
pub(crate) fn all() -> Vec<Case> {
    let demo = "demo.tar.gz accepted -\ndemo.zip accepted -\n".to_owned();
    let read = |file: &str| fs::read_to_string(file).unwrap_or_else(|error| panic!("{file}: {error}"));
    let folders = [
        ("fixtures/demo", demo),
        ("fixtures/tools", read("fixtures/tools/expected.txt")),
        ("fixtures/hostile", read("fixtures/hostile/expected.txt")),
    ];
    folders.iter().flat_map(|(folder, expected)| listed(folder, expected)).collect()
}

/// The lines of an `expected.txt`: file, verdict, code, flags.
fn listed(folder: &str, expected: &str) -> Vec<Case> {
    let lines = expected.lines().filter(|line| !line.starts_with('#'));
    let case = |line: &str| {
        let mut words = line.split_whitespace().map(str::to_owned);
        let (name, _verdict, code) = (words.next()?, words.next()?, words.next()?);
        let path = fs::canonicalize(format!("{folder}/{name}")).ok()?;
        Some(Case { zip: name.ends_with(".zip"), path, code, flags: words.collect(), name })
    };
    lines.map(|line| case(line).unwrap_or_else(|| panic!("{folder}/expected.txt: {line:?}"))).collect()
}
