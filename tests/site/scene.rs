//! A directory in which the program runs, and what a run has to come to.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::support::run::{Outcome, observe};
use crate::support::{self};

pub(crate) struct Scene {
    directory: tempfile::TempDir,
}

impl Scene {
    pub(crate) fn new() -> Self {
        Self { directory: support::temp_dir() }
    }

    pub(crate) fn root(&self) -> &Path {
        self.directory.path()
    }

    pub(crate) fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.root().join(name)
    }

    pub(crate) fn put(&self, name: impl AsRef<Path>, bytes: impl AsRef<[u8]>) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }

    pub(crate) fn text(&self, name: impl AsRef<Path>) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// The program with these arguments, its cache in this directory.
    pub(crate) fn command<S: AsRef<OsStr>>(&self, args: &[S]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_skillx"));
        command.args(args).current_dir(self.root()).env("SKILLX_CACHE_DIR", self.path("cache"));
        command
    }

    pub(crate) fn run<S: AsRef<OsStr>>(&self, args: &[S]) -> Outcome {
        observe(self.command(args), b"")
    }

    /// Runs with `--json`; the exit code and the error's code (`""`: none) have to be these.
    #[track_caller]
    pub(crate) fn answers(&self, args: &[&str], exit: i32, code: &str) -> Value {
        let outcome = self.run(&[args, &["--json"]].concat());
        let answer = outcome.json().unwrap_or_else(|error| panic!("{error}\nstderr: {}", outcome.err()));
        assert_eq!(answer["error"]["code"].as_str().unwrap_or_default(), code, "{answer:#}\n{}", outcome.err());
        assert_eq!(outcome.code, Some(exit), "{answer:#}");
        assert_eq!(outcome.dirt(), Vec::<String>::new());
        answer
    }

    /// Names in a directory, sorted.
    pub(crate) fn names(&self, directory: impl AsRef<Path>) -> Vec<String> {
        let entries = std::fs::read_dir(self.path(directory)).expect("a directory of the test");
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}
