//! `skillx pack`: canonical bytes, what is left out and refused, sites, and that every reader opens what it writes.
#![cfg(unix)]
#![allow(clippy::disallowed_methods, clippy::pedantic)] // Tests look at the file system as it is.

mod canonical;
mod command;
mod left_out;
mod readers;
mod refused;
mod round_trip;
mod site;
#[path = "../support/mod.rs"]
mod support;
#[path = "../tools/mod.rs"]
mod tools;
#[path = "../properties/trees.rs"]
mod trees;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use skillx_archive::{Format, Options, PackOptions, Packed, pack};
use support::run::{Outcome, observe};
use support::tree::{self, Node, Tree};
use support::{SKILL_MD, temp_dir};

const FORMATS: [Format; 2] = [Format::TarGz, Format::Zip];

/// A directory of the test with the skill `demo` in it.
struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        let place = Self(temp_dir());
        place.put("demo/SKILL.md", SKILL_MD);
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn put(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    fn chmod(&self, name: &str, mode: u32) {
        fs::set_permissions(self.path(name), fs::Permissions::from_mode(mode)).unwrap();
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_skillx"));
        command.args(args).current_dir(self.0.path()).env_remove("SOURCE_DATE_EPOCH");
        command
    }

    fn run(&self, args: &[&str]) -> Outcome {
        observe(self.command(args), b"")
    }

    #[track_caller]
    fn good(&self, args: &[&str]) -> Outcome {
        let outcome = self.run(args);
        assert_eq!(outcome.code, Some(0), "{args:?}: {}", outcome.err());
        outcome
    }

    /// The one JSON line of a run that ends like this.
    #[track_caller]
    fn json(&self, args: &[&str], exit: i32) -> serde_json::Value {
        let outcome = self.run(&[args, &["--json"]].concat());
        assert_eq!(outcome.code, Some(exit), "{args:?}: {}{}", outcome.out(), outcome.err());
        outcome.json().unwrap()
    }

    fn packed(&self, format: Format) -> Packed {
        packed(&self.path("demo"), format)
    }
}

#[track_caller]
fn packed(directory: &Path, format: Format) -> Packed {
    pack(directory, &PackOptions::default().format_as(format)).unwrap_or_else(|failure| panic!("{failure:?}"))
}

/// The names in an archive, in its order, with a slash behind directories.
fn names(packed: &Packed) -> Vec<String> {
    match packed.bytes().starts_with(b"PK") {
        true => {
            let archive = zip::ZipArchive::new(std::io::Cursor::new(packed.bytes())).unwrap();
            (0..archive.len()).map(|index| archive.name_for_index(index).unwrap().unwrap().into_owned()).collect()
        }
        false => {
            let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(packed.bytes()));
            let entries = archive.entries().unwrap().map(Result::unwrap);
            entries.map(|entry| String::from_utf8(entry.path_bytes().into_owned()).unwrap()).collect()
        }
    }
}

/// Puts members on disk in this order, with these modes.
fn write_tree(members: &[&support::Member], root: &Path) {
    use support::Kind;

    fs::create_dir_all(root).unwrap();
    let mut modes = Vec::new();
    for member in members {
        let path = root.join(std::str::from_utf8(&member.name).unwrap());
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        match member.kind {
            Kind::Dir => fs::create_dir_all(&path).unwrap(),
            Kind::Symlink => {
                std::os::unix::fs::symlink(std::str::from_utf8(&member.target).unwrap(), &path).unwrap();
            }
            _ => {
                fs::write(&path, &member.content).unwrap();
                modes.push((path, (member.mode & 0o777) | 0o600));
            }
        }
    }
    for (path, mode) in modes {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }
}

#[track_caller]
fn assert_same(expected: &Tree, actual: &Tree) {
    assert_eq!(tree::differences(expected, actual), Vec::<String>::new());
}
