//! Faults of the machine: system calls of an install made to fail, and the process killed at them. The destination is as
//! before or complete, nothing is left (after a kill: nothing that the next run does not sweep), and the class is `failed`.
//!
//! Every call is hit once by default; `SKILLX_DENSE=1` takes every error at every call. Uses strace's injection; where
//! tracing is forbidden the test says so and is skipped.
#![allow(clippy::disallowed_methods, clippy::pedantic)]
#![cfg(target_os = "linux")]

mod support;

use std::path::Path;
use std::process::Command;

use support::carrier::{Carrier, dir, exec, file, symlink, with_skill};
use support::run::observe;
use support::{temp_dir, tree};

/// Calls by which an install changes or looks at the file system, and the errors that they may well return.
const CALLS: &[(&str, &[&str])] = &[
    ("mkdirat", &["ENOSPC", "EACCES", "EDQUOT"]),
    ("openat2", &["EMFILE", "EIO", "ENFILE"]),
    ("write", &["ENOSPC", "EIO", "EDQUOT"]),
    ("symlinkat", &["EPERM", "ENOSPC"]),
    ("renameat2", &["EIO", "EPERM", "ENOSPC"]),
    ("renameat", &["EIO"]),
    ("flock", &["ENOLCK"]),
    ("syncfs", &["EIO", "ENOSPC"]),
    ("unlinkat", &["EIO"]),
    ("fsync", &["EIO"]),
];

/// No install of the demo makes more calls of one kind than this.
const MOST_CALLS: usize = 60;

struct Scene {
    place: tempfile::TempDir,
    old: tree::Tree,
    new: tree::Tree,
    digest: String,
}

impl Scene {
    fn new() -> Self {
        let place = temp_dir();
        let scene = |text: &str| {
            let members =
                with_skill(vec![file("a/b.md", text), exec("run.sh", text), dir("e"), symlink("l", "a/b.md")]);
            (Carrier::TarGz.write(&members), support::carrier::expected_tree(&members))
        };
        let (old_bytes, old) = scene("old");
        let (bytes, new) = scene("new");
        std::fs::write(place.path().join("old.tar.gz"), old_bytes).unwrap();
        std::fs::write(place.path().join("new.tar.gz"), &bytes).unwrap();
        Self { place, old, new, digest: support::sha256(&bytes) }
    }

    fn parent(&self) -> std::path::PathBuf {
        self.place.path().join("parent")
    }

    /// The parent as it is before a run: with the old skill, or empty.
    fn reset(&self, replace: bool) {
        let _ = std::fs::remove_dir_all(self.parent());
        std::fs::create_dir(self.parent()).unwrap();
        if replace {
            let outcome = self.install("old.tar.gz", &["--allow-unverified"], &[]);
            assert_eq!(outcome.code, Some(0), "{}", outcome.err());
        }
    }

    fn install(&self, archive: &str, flags: &[&str], strace: &[String]) -> support::run::Outcome {
        let program = env!("CARGO_BIN_EXE_skillx");
        let mut command = if strace.is_empty() { Command::new(program) } else { Command::new("strace") };
        if !strace.is_empty() {
            command.args(["-f", "-qq", "-o", "/dev/null"]).args(strace).arg(program);
        }
        command.args(["verify-extract", archive, "-o", "parent/skill", "--json"]).args(flags);
        command.current_dir(self.place.path());
        observe(command, b"")
    }

    fn new_install(&self, replace: bool, strace: &[String]) -> support::run::Outcome {
        let mut flags = vec!["--digest", self.digest.as_str(), "--fsync"];
        if replace {
            flags.push("--replace");
        }
        self.install("new.tar.gz", &flags, strace)
    }

    /// The destination is complete (`true`) or as before, and nothing else is beside it.
    fn settle(&self, replace: bool, what: &str) -> bool {
        let names: Vec<_> = tree::walk(&self.parent()).into_keys().filter(|path| !path.contains('/')).collect();
        let skill = self.parent().join("skill");
        let found = if skill.exists() { Some(tree::walk(&skill)) } else { None };
        assert!(names.iter().all(|name| name == "skill"), "{what}: left behind: {names:?}");
        match found {
            Some(found) if found == self.new => true,
            Some(found) if replace && found == self.old => false,
            None if !replace => false,
            other => panic!(
                "{what}: the destination is neither as before nor complete: {:?}",
                other.map(|t| t.into_keys().collect::<Vec<_>>())
            ),
        }
    }
}

/// Enough members that another thread writes them.
fn crowd() -> Vec<support::carrier::Member> {
    with_skill((0..500).map(|number| file(format!("d{}/f{number}", number % 7), format!("{number}"))).collect())
}

#[test]
fn a_call_that_fails_on_the_writing_thread_is_told_as_if_there_were_none() {
    if !can_trace() {
        return;
    }
    for (call, error, code) in
        [("openat2", "ENOSPC", "disk-full"), ("openat2", "EIO", "io"), ("write", "EDQUOT", "disk-full")]
    {
        for carrier in Carrier::ALL {
            let place = temp_dir();
            std::fs::write(place.path().join("a"), carrier.write(&crowd())).unwrap();
            let mut command = Command::new("strace");
            command.args(["-f", "-qq", "-o", "/dev/null"]).args(inject(call, &format!("error={error}"), 150));
            command.args([env!("CARGO_BIN_EXE_skillx"), "verify-extract", "a", "--allow-unverified", "-o", "out"]);
            command
                .args(["--format", if carrier == Carrier::Zip { "zip" } else { "tar.gz" }, "--json"])
                .current_dir(place.path());
            let outcome = observe(command, b"");
            let report: serde_json::Value = serde_json::from_slice(&outcome.stdout).unwrap();
            let what = format!("{call} {error} {carrier:?}: {}", report["error"]);
            assert_eq!(outcome.code, Some(3), "{what}");
            assert_eq!(report["error"]["code"], code, "{what}");
            // The thread's own 150th call; those of the first members are not its own.
            let ordinal = report["error"]["ordinal"].as_u64().unwrap_or_else(|| panic!("{what}"));
            assert!((140..300).contains(&ordinal), "{what}");
            let entries = report["entries"].as_array().unwrap();
            assert_eq!(entries.len() as u64, ordinal, "nothing after the member that failed: {what}");
            assert_eq!(entries.last().unwrap()["path"], report["error"]["entry"], "{what}");
            assert_eq!(tree::walk(place.path()).into_keys().collect::<Vec<_>>(), ["a"], "{what}");
        }
    }
}

/// Whether tracing works here.
fn can_trace() -> bool {
    let probe = Command::new("strace").args(["-qq", "-o", "/dev/null", "true"]).output();
    let works = probe.is_ok_and(|output| output.status.success());
    if !works {
        println!("skipped: strace is missing or this machine forbids tracing");
    }
    works
}

fn inject(call: &str, what: &str, at: usize) -> Vec<String> {
    vec![format!("--trace={call}"), format!("--inject={call}:{what}:when={at}")]
}

/// How many calls of a kind a whole install makes.
fn count(scene: &Scene, replace: bool, call: &str) -> usize {
    scene.reset(replace);
    let log = scene.place.path().join("log");
    let mut command = Command::new("strace");
    command.args(["-f", "-qq", "-o"]).arg(&log).arg(format!("--trace={call}")).arg(env!("CARGO_BIN_EXE_skillx"));
    command.args([
        "verify-extract",
        "new.tar.gz",
        "-o",
        "parent/skill",
        "--json",
        "--fsync",
        "--digest",
        &scene.digest,
    ]);
    if replace {
        command.arg("--replace");
    }
    command.current_dir(scene.place.path());
    assert_eq!(observe(command, b"").code, Some(0));
    let lines = std::fs::read_to_string(&log).unwrap();
    let count = lines.lines().filter(|line| line.contains(&format!("{call}("))).count();
    assert!(count <= MOST_CALLS, "{count} calls of {call}");
    count
}

fn is_dense() -> bool {
    std::env::var_os("SKILLX_DENSE").is_some()
}

#[test]
fn any_failing_call_leaves_the_destination_as_before_or_complete() {
    if !can_trace() {
        return;
    }
    let scene = Scene::new();
    for replace in [false, true] {
        for (call, errors) in CALLS {
            for at in 1..=count(&scene, replace, call) {
                let picked = if is_dense() { errors.to_vec() } else { vec![errors[at % errors.len()]] };
                for error in picked {
                    let what = format!("{call} {at} fails with {error}, replace {replace}");
                    scene.reset(replace);
                    let outcome = scene.new_install(replace, &inject(call, &format!("error={error}"), at));
                    let complete = scene.settle(replace, &what);
                    // The report itself goes to stdout by write(2), and may be what fails.
                    let Ok(report) = outcome.json() else { continue };
                    match outcome.code {
                        Some(0) => assert!(complete, "{what}: success without a skill"),
                        // Only the answer could not be written at once.
                        Some(3) if report["error"].is_null() => assert!(complete, "{what}: no skill"),
                        Some(3) => assert_eq!(report["error"]["class"], "failed", "{what}"),
                        other => panic!("{what}: exit {other:?}: {}", report["error"]),
                    }
                    let full = ["ENOSPC", "EDQUOT"].contains(&error) && !report["error"].is_null();
                    if full && *call == "write" {
                        assert_eq!(report["error"]["code"], "disk-full", "{what}");
                    }
                }
            }
        }
    }
}

#[test]
fn a_kill_at_any_call_leaves_nothing_that_the_next_run_does_not_sweep() {
    if !can_trace() {
        return;
    }
    let scene = Scene::new();
    for replace in [false, true] {
        for (call, _) in CALLS {
            let step = if is_dense() { 1 } else { 2 };
            for at in (1..=count(&scene, replace, call)).step_by(step) {
                let what = format!("killed at {call} {at}, replace {replace}");
                scene.reset(replace);
                scene.new_install(replace, &inject(call, "signal=SIGKILL", at));
                let skill = scene.parent().join("skill");
                let found = skill.exists().then(|| tree::walk(&skill));
                let as_before = if replace { found.as_ref() == Some(&scene.old) } else { found.is_none() };
                assert!(as_before || found.as_ref() == Some(&scene.new), "{what}: the destination is a mixture");
                let outcome = scene.new_install(true, &[]);
                assert_eq!(outcome.code, Some(0), "{what}, then: {}", outcome.out());
                assert!(scene.settle(true, &what), "{what}: the next run");
            }
        }
    }
}

#[test]
fn a_file_system_without_exchange_says_so_and_changes_nothing() {
    if !can_trace() {
        return;
    }
    let scene = Scene::new();
    for error in ["EINVAL", "ENOSYS"] {
        scene.reset(true);
        let strace = [String::from("--trace=renameat2"), format!("--inject=renameat2:error={error}")];
        let outcome = scene.new_install(true, &strace);
        assert_eq!(outcome.code, Some(3), "{}", outcome.out());
        assert_eq!(outcome.json().unwrap()["error"]["code"], "replace-unsupported");
        assert!(!scene.settle(true, error));
    }
}

#[test]
fn a_full_disk_is_named_and_nothing_is_left() {
    let place = temp_dir();
    let disk = place.path().join("disk");
    std::fs::create_dir(&disk).unwrap();
    let mount =
        |args: &[&str]| Command::new(args[0]).args(&args[1..]).arg(&disk).status().is_ok_and(|status| status.success());
    if !mount(&["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs"]) {
        println!("skipped: this machine forbids mounting a small file system");
        return;
    }
    let members = with_skill(vec![file("big", incompressible(2 << 20))]);
    let archive = place.path().join("big.tar.gz");
    std::fs::write(&archive, Carrier::TarGz.write(&members)).unwrap();
    let run = |output: &Path| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_skillx"));
        command.args(["verify-extract", "--allow-unverified", "--json", "-o"]).arg(output).arg(&archive);
        observe(command, b"")
    };
    let outcome = run(&disk.join("deep/skill"));
    let left = tree::walk(&disk);
    assert!(mount(&["umount"]));
    assert_eq!(outcome.code, Some(3), "{}", outcome.out());
    assert_eq!(outcome.json().unwrap()["error"]["code"], "disk-full");
    assert!(left.is_empty(), "{left:?}");
}

/// Bytes that deflate cannot shrink, so that no ratio is exceeded before the disk is full.
fn incompressible(length: usize) -> Vec<u8> {
    let mut state: u32 = 1;
    let next = |_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    (0..length).map(next).collect()
}
