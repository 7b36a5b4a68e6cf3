//! One install for a process of its own: under another umask, under strace, or to be killed.
//!
//! `SKILLX_TEST_DRIVER=DESTINATION cargo test … driver::run -- --ignored --exact` with `SKILLX_TEST_REPLACE`,
//! `SKILLX_TEST_FSYNC`, `SKILLX_TEST_UMASK` and `SKILLX_TEST_HANDLES` as wanted.

use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use super::*;

#[test]
#[ignore = "started by other tests, or by hand"]
fn run() {
    let Some(destination) = std::env::var_os("SKILLX_TEST_DRIVER") else { return };
    if let Ok(umask) = std::env::var("SKILLX_TEST_UMASK") {
        let bits = u32::from_str_radix(&umask, 8).unwrap();
        rustix::process::umask(rustix::fs::Mode::from_raw_mode(bits));
    }
    if let Ok(handles) = std::env::var("SKILLX_TEST_HANDLES") {
        let most = Some(handles.parse().unwrap());
        let limit = rustix::process::Rlimit { current: most, maximum: most };
        rustix::process::setrlimit(rustix::process::Resource::Nofile, limit).unwrap();
    }
    let replace = std::env::var_os("SKILLX_TEST_REPLACE").is_some();
    let fsync = std::env::var_os("SKILLX_TEST_FSYNC").is_some();
    let installed = (|| {
        let mut staging = Destination::open(destination.as_ref(), replace)?.stage()?;
        let sink = staging.sink();
        for (name, executable) in [("SKILL.md", false), ("scripts/run.sh", true), ("scripts/lib/a", false)] {
            sink.begin(1, &path(name), SafeMode::for_test(executable))?;
            sink.write(b"new")?;
            sink.end()?;
        }
        sink.directory(1, &path("empty"))?;
        sink.copy(1, &path("SKILL.md"), &path("docs/copy.md"), SafeMode::for_test(false))?;
        sink.symlink(1, &path("docs/link"), &SafeTarget::for_test("copy.md"))?;
        staging.commit(&Commit { fsync, name: None })
    })();
    match installed {
        Ok(_) => println!("verdict: accepted"),
        Err(error) => println!("verdict: {} {error} {:?}", error.code(), error.io_error()),
    }
}

fn child(destination: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["install::tests::driver::run", "--ignored", "--exact", "--nocapture", "--test-threads=1"]);
    command.env("SKILLX_TEST_DRIVER", destination);
    command
}

/// Cases: M08-install.
#[test]
fn the_umask_applies_by_itself() {
    for (umask, directory, file, executable) in [
        ("000", 0o755, 0o644, 0o755),
        ("022", 0o755, 0o644, 0o755),
        ("077", 0o700, 0o600, 0o700),
        ("027", 0o750, 0o640, 0o750),
    ] {
        let place = tempfile::tempdir().unwrap();
        let destination = place.path().join("parent/skill");
        let output = child(&destination).env("SKILLX_TEST_UMASK", umask).output().unwrap();
        assert!(String::from_utf8_lossy(&output.stdout).contains("verdict: accepted"), "{output:?}");
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o7777;
        assert_eq!(mode(&place.path().join("parent")), directory, "{umask}");
        assert_eq!(mode(&destination), directory, "{umask}");
        assert_eq!(mode(&destination.join("scripts/lib")), directory, "{umask}");
        assert_eq!(mode(&destination.join("SKILL.md")), file, "{umask}");
        assert_eq!(mode(&destination.join("docs/copy.md")), file, "{umask}");
        assert_eq!(mode(&destination.join("scripts/run.sh")), executable, "{umask}");
    }
}

#[test]
fn a_umask_that_locks_the_owner_out_leaves_nothing() {
    for umask in ["777", "277", "477", "177", "700"] {
        let place = tempfile::tempdir().unwrap();
        let output = child(&place.path().join("skill")).env("SKILLX_TEST_UMASK", umask).output().unwrap();
        assert!(String::from_utf8_lossy(&output.stdout).contains("verdict: "), "{output:?}");
        assert!(place.path().join("skill").exists() || listing(place.path()).is_empty(), "{umask}");
    }
}

/// Cases: R12-install.
#[test]
fn running_out_of_handles_leaves_nothing() {
    let mut verdicts = std::collections::BTreeSet::new();
    for handles in 3..24 {
        for replace in [false, true] {
            let place = tempfile::tempdir().unwrap();
            let destination = place.path().join("a/skill");
            let mut command = child(&destination);
            command.env("SKILLX_TEST_HANDLES", handles.to_string());
            if replace {
                old_skill(&destination);
                command.env("SKILLX_TEST_REPLACE", "1");
            }
            let before = listing(place.path());
            let output = String::from_utf8(command.output().unwrap().stdout).unwrap();
            let verdict = output.split_once("verdict: ").unwrap().1.split_whitespace().next().unwrap().to_owned();
            let after = listing(place.path());
            if verdict == "accepted" {
                assert!(destination.join("docs/copy.md").exists(), "{handles}");
                assert!(!after.iter().any(|line| line.contains("skillx") || line.contains("old")), "{after:?}");
            } else {
                assert_eq!(after, before, "{handles}");
            }
            verdicts.insert(verdict);
        }
    }
    assert_eq!(verdicts.into_iter().collect::<Vec<_>>(), ["accepted", "io"]);
}
