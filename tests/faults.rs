//! Faults of the machine: system calls of an install made to fail, and the process killed at them. The destination is as
//! before or complete, nothing is left (after a kill: nothing that the next run does not sweep), and the class is `failed`.
//!
//! Every call is hit once by default; `SKILLX_DENSE=1` takes every error at every call. Uses strace's injection; where
//! tracing is forbidden the test says so and is skipped.
#![allow(clippy::disallowed_methods, clippy::pedantic)]
#![cfg(target_os = "linux")]

mod support;

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

/// Cases: I06-fault.
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

/// Cases: I06-kill.
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

/// Cases: I07-no-exchange.
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

/// A small file system of its own. `None`, said in the output, where the machine forbids to mount one.
struct SmallDisk(tempfile::TempDir);

impl SmallDisk {
    fn mount(kind: &str, options: &str) -> Option<Self> {
        let place = temp_dir();
        let mut command = Command::new("mount");
        command.args(["-t", kind, "-o", options, kind]).arg(place.path());
        let mounted = command.output().is_ok_and(|output| output.status.success());
        if !mounted {
            println!("this machine forbids mounting a small file system");
        }
        mounted.then_some(Self(place))
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0.path()).status();
    }
}

/// Cases: R11-full.
#[test]
fn a_full_disk_is_named_and_nothing_is_left() {
    let place = temp_dir();
    let archive = place.path().join("big.tar.gz");
    let members = with_skill(vec![file("a/small", "x"), file("big", incompressible(2 << 20))]);
    std::fs::write(&archive, Carrier::TarGz.write(&members)).unwrap();
    let disk = SmallDisk::mount("tmpfs", "size=1m");
    let limited = disk.is_none();
    if limited {
        println!("instead, no file may grow beyond 1 MiB (RLIMIT_FSIZE), which is `io` and not `disk-full`");
    }
    let root = disk.as_ref().map_or(place.path(), |disk| disk.0.path()).join("root");
    std::fs::create_dir(&root).unwrap();
    for replace in [false, true] {
        if replace {
            std::fs::create_dir_all(root.join("deep/skill/old")).unwrap();
            std::fs::write(root.join("deep/skill/SKILL.md"), support::SKILL_MD).unwrap();
        }
        let before = tree::walk(&root);
        for more in [&[][..], &["--fsync"]] {
            let mut command = Command::new("sh");
            let script = if limited { "trap '' XFSZ; ulimit -f 2048" } else { ":" };
            command.arg("-c").arg(format!("{script}; exec \"$0\" \"$@\"")).arg(env!("CARGO_BIN_EXE_skillx"));
            command.args(["verify-extract", "--allow-unverified", "--json", "-o"]).arg(root.join("deep/skill"));
            command.arg(&archive).args(more).args(replace.then_some("--replace"));
            let outcome = observe(command, b"");
            assert_eq!(outcome.code, Some(3), "{}", outcome.out());
            let code = if limited { "io" } else { "disk-full" };
            assert_eq!(outcome.json().unwrap()["error"]["code"], code, "{}", outcome.out());
            assert_eq!(tree::walk(&root), before, "replace {replace}");
        }
    }
}

/// Cases: I09-fat.
#[test]
fn a_file_system_that_folds_names_or_knows_no_links_gets_the_skill_or_a_failure_that_says_so() {
    let place = temp_dir();
    let image = place.path().join("image");
    std::fs::File::create(&image).unwrap().set_len(4 << 20).unwrap();
    let made = ["mkfs.vfat", "/sbin/mkfs.vfat", "/usr/sbin/mkfs.vfat"]
        .iter()
        .any(|tool| Command::new(tool).arg(&image).output().is_ok_and(|output| output.status.success()));
    let at = place.path().join("disk");
    std::fs::create_dir(&at).unwrap();
    let mount = |args: &[&str]| {
        Command::new(args[0]).args(&args[1..]).arg(&at).output().is_ok_and(|output| output.status.success())
    };
    if !made || !mount(&["mount", "-o", "loop", image.to_str().unwrap()]) {
        println!("skipped: no FAT file system can be made and mounted here");
        return;
    }
    let run = |name: &str, members: Vec<support::Member>| {
        let archive = place.path().join(name);
        std::fs::write(&archive, Carrier::TarGz.write(&with_skill(members))).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_skillx"));
        command.args(["verify-extract", "--allow-unverified", "--json", "-o"]).arg(at.join("Skill")).arg(archive);
        observe(command, b"")
    };
    let outcomes = [
        run("files.tar.gz", vec![file("a/b.md", "x"), file("a/C.md", "y"), exec("run.sh", "#!/bin/sh\n")]),
        run("files.tar.gz", vec![file("a/b.md", "x")]),
        run("links.tar.gz", vec![file("a/b.md", "x"), symlink("l", "a/b.md")]),
    ];
    let found: Vec<_> = tree::walk(&at).into_keys().collect();
    assert!(mount(&["umount"]));
    let codes = outcomes.map(|outcome| {
        let report = outcome.json().unwrap();
        (outcome.code, report["error"]["code"].as_str().unwrap_or_default().to_owned(), report["error"].to_string())
    });
    // Plain files get there; an existing destination is found in whatever spelling; links cannot be made, which is said.
    assert_eq!((codes[0].0, codes[0].1.as_str()), (Some(0), ""), "{}", codes[0].2);
    assert_eq!((codes[1].0, codes[1].1.as_str()), (Some(3), "dest-exists"), "{}", codes[1].2);
    assert_eq!(codes[2].0, Some(3), "{}", codes[2].2);
    assert!(!found.iter().any(|name| name.starts_with(".skillx-")), "{found:?}");
}

/// Cases: I14-links.
#[test]
fn a_link_that_cannot_be_made_is_named() {
    if !can_trace() {
        return;
    }
    let scene = Scene::new();
    for (error, code) in [("EPERM", "io"), ("EOPNOTSUPP", "io"), ("ENOSPC", "disk-full")] {
        scene.reset(false);
        let outcome = scene.new_install(false, &inject("symlinkat", &format!("error={error}"), 1));
        let report = outcome.json().unwrap();
        assert_eq!((outcome.code, report["error"]["code"].as_str()), (Some(3), Some(code)), "{}", report["error"]);
        let said = report["error"].to_string();
        assert!(said.contains("link"), "{said}");
        assert!(!scene.settle(false, error));
    }
}

/// Cases: I12-exec.
#[test]
fn nothing_of_an_archive_is_ever_executed() {
    if !can_trace() {
        return;
    }
    let place = temp_dir();
    let touch = |name: &str| format!("#!/bin/sh\ntouch {}/ran-{name}\n", place.path().display());
    let scripts = ["setup.py", "install.sh", "postinstall", "Makefile", ".envrc", "hooks/post-install", "conftest.py"];
    let mut members: Vec<_> = scripts.iter().map(|name| exec(name, touch(&name.replace('/', "-")))).collect();
    let hooks = "---\nname: demo\ndescription: d\nhooks:\n  PostInstall: ./install.sh\n---\n!`./install.sh`\n";
    members.push(file("SKILL.md", hooks));
    members.push(file("package.json", "{\"scripts\":{\"postinstall\":\"./install.sh\"}}"));
    std::fs::write(place.path().join("a.tar.gz"), Carrier::TarGz.write(&members)).unwrap();
    let log = place.path().join("log");
    let mut command = Command::new("strace");
    command.args(["-f", "-qq", "--trace=execve,execveat,fork,vfork", "-o"]).arg(&log).arg(env!("CARGO_BIN_EXE_skillx"));
    command.args(["verify-extract", "a.tar.gz", "--allow-unverified", "-o", "skill"]).current_dir(place.path());
    let outcome = observe(command, b"");
    assert_eq!(outcome.code, Some(0), "{}", outcome.err());
    let text = std::fs::read_to_string(&log).unwrap();
    let calls: Vec<_> = text.lines().filter(|line| line.contains("exec") || line.contains("fork(")).collect();
    assert_eq!(calls.len(), 1, "the program itself, and nothing else: {calls:#?}");
    let left: Vec<_> = tree::walk(place.path()).into_keys().filter(|name| name.starts_with("ran-")).collect();
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
