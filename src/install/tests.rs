//! Destinations, staging, sweep and commit on a real file system.

#![allow(clippy::disallowed_methods, reason = "tests look at the file system from outside")]

mod destinations;
mod driver;
mod publishing;
mod sweeping;

use std::fs;
use std::path::Path;

use super::*;
use crate::policy::{SafeMode, SafePath, SafeTarget};
use crate::sink::Sink as _;

/// Everything below a directory, as `path`, `path/`, `path -> target` or `path = text`, sorted.
fn listing(root: &Path) -> Vec<String> {
    fn walk(directory: &Path, prefix: &str, into: &mut Vec<String>) {
        for entry in fs::read_dir(directory).unwrap() {
            let entry = entry.unwrap();
            let name = format!("{prefix}{}", entry.file_name().to_str().unwrap());
            let kind = entry.file_type().unwrap();
            if kind.is_dir() {
                walk(&entry.path(), &format!("{name}/"), into);
                into.push(format!("{name}/"));
            } else if kind.is_symlink() {
                into.push(format!("{name} -> {}", fs::read_link(entry.path()).unwrap().display()));
            } else if kind.is_file() {
                into.push(format!("{name} = {}", String::from_utf8_lossy(&fs::read(entry.path()).unwrap())));
            } else {
                into.push(name);
            }
        }
    }
    let mut found = Vec::new();
    walk(root, "", &mut found);
    found.sort();
    found
}

fn path(text: &str) -> SafePath {
    SafePath::for_test(text)
}

fn write(staging: &mut Staging, name: &str, text: &str) {
    let sink = staging.sink();
    sink.begin(
        1,
        &path(name),
        SafeMode::for_test(Path::new(name).extension().is_some_and(|extension| extension == "sh")),
    )
    .unwrap();
    sink.write(text.as_bytes()).unwrap();
    sink.end().unwrap();
}

/// A small skill with one of everything.
fn fill(staging: &mut Staging, text: &str) {
    write(staging, "SKILL.md", text);
    write(staging, "scripts/run.sh", "run");
    staging.sink().directory(1, &path("assets/empty")).unwrap();
    staging.sink().copy(1, &path("SKILL.md"), &path("docs/copy.md"), SafeMode::for_test(false)).unwrap();
    staging.sink().symlink(1, &path("docs/link"), &SafeTarget::for_test("../scripts/run.sh")).unwrap();
}

/// What `fill` makes.
fn filled(text: &str) -> Vec<String> {
    let lines = [
        format!("SKILL.md = {text}"),
        "assets/".to_owned(),
        "assets/empty/".to_owned(),
        "docs/".to_owned(),
        format!("docs/copy.md = {text}"),
        "docs/link -> ../scripts/run.sh".to_owned(),
        "scripts/".to_owned(),
        "scripts/run.sh = run".to_owned(),
    ];
    lines.to_vec()
}

fn install(destination: &Path, replace: bool, text: &str) -> Result<Published> {
    let mut staging = Destination::open(destination, replace)?.stage()?;
    fill(&mut staging, text);
    staging.commit(&Commit::default())
}

/// The code of what should have failed.
fn code<T>(result: Result<T>) -> &'static str {
    match result {
        Ok(_) => "accepted",
        Err(error) => error.code().as_str(),
    }
}

/// An older skill, made by hand.
fn old_skill(at: &Path) {
    fs::create_dir_all(at.join("old/deep")).unwrap();
    fs::write(at.join("SKILL.md"), "old").unwrap();
    fs::write(at.join("old/deep/file"), "old").unwrap();
}

fn is_staging(name: &str) -> bool {
    name.starts_with(".skillx-")
}
