//! The program as people and CI use it: exit codes, streams, digests, inputs, destinations, signals, batches.
#![cfg(unix)]
#![allow(clippy::disallowed_methods)] // Tests look at the file system as it is.

mod batch;
mod batch_lists;
mod destination;
mod digest;
mod digest_missing;
mod input;
mod output;
mod replace;
mod rules;
mod sidecar;
mod signals;
#[path = "../support/mod.rs"]
mod support;
mod trouble;
mod usage;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use support::carrier::{Carrier, Member, dir, exec, expected_tree, file, symlink, with_skill};
use support::run::{Outcome, observe};
use support::{sha256, tree};

/// A directory in which the program runs.
struct Scene {
    directory: tempfile::TempDir,
}

impl Scene {
    fn new() -> Self {
        Self { directory: support::temp_dir() }
    }

    /// One with the demo skill in it.
    fn with_demo() -> Self {
        let scene = Self::new();
        scene.put("demo.tar.gz", demo());
        scene
    }

    fn root(&self) -> &Path {
        self.directory.path()
    }

    fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.root().join(name)
    }

    fn put(&self, name: impl AsRef<Path>, bytes: impl AsRef<[u8]>) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }

    /// The program with these arguments, nothing on its standard input.
    fn command<S: AsRef<OsStr>>(&self, args: &[S]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_skillx"));
        command.args(args).current_dir(self.root());
        command
    }

    fn run<S: AsRef<OsStr>>(&self, args: &[S]) -> Outcome {
        observe(self.command(args), b"")
    }

    fn feed<S: AsRef<OsStr>>(&self, args: &[S], stdin: &[u8]) -> Outcome {
        observe(self.command(args), stdin)
    }

    /// Names in the directory, sorted.
    fn names(&self) -> Vec<String> {
        names(self.root())
    }

    fn tree(&self) -> tree::Tree {
        tree::walk(self.root())
    }

    #[track_caller]
    fn assert_demo(&self, at: &str) {
        let differences = tree::differences(&expected_tree(&demo_members()), &tree::walk(&self.path(at)));
        assert_eq!(differences, Vec::<String>::new(), "{at}");
    }

    /// Runs with `--json`; the exit code, the error's code (`""`: none) and its class have to be these.
    #[track_caller]
    fn answers(&self, args: &[&str], exit: i32, code: &str) -> Value {
        judge(&self.run(&[args, &["--json"]].concat()), exit, code)
    }
}

/// What every JSON answer has to be, whatever was asked.
#[track_caller]
fn judge(outcome: &Outcome, exit: i32, code: &str) -> Value {
    let report = outcome.json().unwrap_or_else(|error| panic!("{error}\nstderr: {}", outcome.err()));
    assert_eq!(report["error"]["code"].as_str().unwrap_or_default(), code, "{report:#}\nstderr: {}", outcome.err());
    assert_eq!(outcome.code, Some(exit), "{report:#}");
    assert_report(&report, exit);
    assert_eq!(outcome.dirt(), Vec::<String>::new());
    report
}

#[track_caller]
fn assert_report(report: &Value, exit: i32) {
    let (verdict, class) = match exit {
        0 => ("accepted", None),
        1 => ("refused", Some("refused")),
        2 => ("failed", Some("usage")),
        _ => ("failed", Some("failed")),
    };
    assert_eq!(report["schema"], "skillx.report/1");
    assert_eq!(report["verdict"], verdict, "{report:#}");
    assert_eq!(report["error"]["class"].as_str(), class, "{report:#}");
}

fn names(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).expect("a directory of the test");
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn demo_members() -> Vec<Member> {
    with_skill(vec![
        dir("scripts"),
        exec("scripts/run.sh", "#!/bin/sh\necho hello\n"),
        file("references/guide.md", "# Guide\n".repeat(40)),
        symlink("latest.md", "references/guide.md"),
    ])
}

fn demo() -> Vec<u8> {
    tar_gz(&demo_members())
}

/// Refused, but only after SKILL.md and one more file.
fn traversal() -> Vec<u8> {
    tar_gz(&with_skill(vec![file("ok.txt", "fine"), file("../x", "out")]))
}

/// A skill with this name in its frontmatter.
fn named(name: &str) -> Vec<u8> {
    tar_gz(&[file("SKILL.md", format!("---\nname: {name}\ndescription: A skill.\n---\n"))])
}

fn tar_gz(members: &[Member]) -> Vec<u8> {
    Carrier::TarGz.write(members)
}

fn hex(bytes: &[u8]) -> String {
    sha256(bytes)["sha256:".len()..].to_owned()
}

fn mkfifo(path: &Path) {
    let status = Command::new("mkfifo").arg(path).stdin(Stdio::null()).status().expect("mkfifo runs");
    assert!(status.success());
}
