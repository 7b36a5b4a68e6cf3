//! `docs/conformance.md` names tests: each of them has to exist.

#![allow(clippy::disallowed_methods)] // Tests look at the file system as it is.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// `binary::function` of every `#[test]` in `tests/`.
fn tests() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for entry in fs::read_dir("tests").unwrap() {
        let path = entry.unwrap().path();
        let binary = path.file_stem().unwrap().to_str().unwrap().to_owned();
        collect(&path, &binary, &mut found);
    }
    found
}

fn collect(path: &Path, binary: &str, found: &mut BTreeSet<String>) {
    if path.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            collect(&entry.unwrap().path(), binary, found);
        }
        return;
    }
    if path.extension().is_none_or(|extension| extension != "rs") {
        return;
    }
    let text = fs::read_to_string(path).unwrap();
    let mut is_test = false;
    for line in text.lines().map(str::trim_start) {
        if let Some(rest) = line.strip_prefix("fn ") {
            if is_test {
                let name = rest.split(['(', '<']).next().unwrap();
                found.insert(format!("{binary}::{name}"));
            }
            is_test = false;
        } else if line == "#[test]" {
            is_test = true;
        }
    }
}

/// The names in the last column of every table.
fn named(document: &str) -> Vec<(usize, String)> {
    let mut names = Vec::new();
    for (line, text) in document.lines().enumerate().filter(|(_, text)| text.starts_with('|')) {
        let last = text.trim_end_matches('|').rsplit('|').next().unwrap();
        let quoted = last.split('`').skip(1).step_by(2).filter(|name| name.contains("::"));
        names.extend(quoted.map(|name| (line + 1, name.to_owned())));
    }
    names
}

#[test]
fn every_test_that_the_document_names_exists() {
    let document = fs::read_to_string("docs/conformance.md").unwrap();
    let (tests, named) = (tests(), named(&document));
    let missing: Vec<_> = named.iter().filter(|(_, name)| !tests.contains(name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
    assert!(named.len() > 60, "only {} names were found", named.len());
}

#[test]
fn every_row_names_a_test() {
    let document = fs::read_to_string("docs/conformance.md").unwrap();
    for (number, line) in document.lines().enumerate() {
        let is_row = line.starts_with('|') && !line.starts_with("| ---") && !line.ends_with("| test |");
        assert!(!is_row || line.contains("::"), "docs/conformance.md:{}: {line}", number + 1);
    }
}

#[test]
fn a_name_that_does_not_exist_is_noticed() {
    assert_eq!(named("| a | `b` | `x::y`, `x::z` |\n| - |\n"), [(1, "x::y".to_owned()), (1, "x::z".to_owned())]);
    assert!(!tests().contains("plugin::no_such_test"));
    assert!(tests().contains("conformance::a_name_that_does_not_exist_is_noticed"));
}
