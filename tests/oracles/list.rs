//! docs/oracles.md is the closed list: every line names a test that there is, and the code takes out no other lines.

use std::fs;
use std::path::Path;

/// Number and test of each line of the table.
fn lines() -> Vec<(usize, String)> {
    let page = fs::read_to_string("docs/oracles.md").unwrap();
    let rows =
        page.lines().filter(|line| line.starts_with("| ") && line.chars().nth(2).is_some_and(|c| c.is_ascii_digit()));
    let row = |line: &str| {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        let number = cells[0].parse().unwrap_or_else(|_| panic!("no number: {line}"));
        (number, cells.last().unwrap().trim_matches('`').to_owned())
    };
    rows.map(row).collect()
}

#[test]
fn every_line_names_a_test_that_needs_it() {
    let lines = lines();
    assert!(lines.len() >= 10, "the table has {} lines", lines.len());
    let tests = fs::read_to_string("tests/oracles/lines.rs").unwrap();
    for (at, (number, test)) in lines.iter().enumerate() {
        assert_eq!(*number, at + 1, "the lines are numbered");
        assert!(test.starts_with(&format!("line_{number}_")), "line {number} names `{test}`");
        assert!(tests.contains(&format!("#[test]\nfn {test}() {{")), "line {number}: there is no test `{test}`");
    }
    let named = tests.matches("\nfn line_").count();
    assert_eq!(named, lines.len(), "a test of a line that is not in the list");
}

#[test]
fn the_code_takes_out_nothing_but_lines_of_the_list() {
    let most = lines().len();
    let mut used = Vec::new();
    for file in
        ["tests/oracles/readers.rs", "fuzz/logic/oracle"].into_iter().flat_map(|path| crate::all(Path::new(path)))
    {
        let text = fs::read_to_string(&file).unwrap();
        for rest in text.split("Line ").skip(1) {
            let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
            let number: usize = digits.parse().unwrap_or_else(|_| panic!("{}: which line? {rest:.20}", file.display()));
            assert!((1..=most).contains(&number), "{}: there is no line {number}", file.display());
            used.push(number);
        }
    }
    assert!(used.len() >= 12, "lines used: {used:?}");
}
