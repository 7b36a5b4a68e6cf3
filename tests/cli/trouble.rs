//! The machine says no: writes that fail, few handles, a current directory that is gone, names too long, a full stdout.
//! Each is a failure with exit code 3, and nothing is left behind.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::carrier::{file, with_skill};
use crate::support::run::{Outcome, observe};
use crate::{Scene, judge, tar_gz};

const GO: &str = "--allow-unverified";

/// The program with these arguments, after a shell has run `setup`.
fn after(scene: &Scene, setup: &str, args: &[&str]) -> Outcome {
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("{setup}\nexec \"$0\" \"$@\"")).arg(env!("CARGO_BIN_EXE_skillx")).args(args);
    command.current_dir(scene.root());
    observe(command, b"")
}

/// Cases: R11-limit.
#[test]
fn a_write_that_fails_half_way_leaves_nothing() {
    let scene = Scene::new();
    scene.put("a.tar.gz", tar_gz(&with_skill(vec![file("a/b", "x"), file("large", vec![7; 200_000])])));
    // No file may grow beyond a few KiB; the write fails instead of ending the program.
    let setup = "trap '' XFSZ; ulimit -f 8";
    let outcome = after(&scene, setup, &["verify-extract", "a.tar.gz", GO, "-o", "p/out", "--json"]);
    let report = judge(&outcome, 3, "io");
    assert_eq!(report["error"]["entry"], "large");
    assert_eq!(scene.names(), ["a.tar.gz"]);
    scene.put("out/SKILL.md", "---\nname: old\ndescription: Old.\n---\n");
    let before = scene.tree();
    let replace = ["verify-extract", "a.tar.gz", GO, "-o", "out", "--replace", "--json"];
    judge(&after(&scene, setup, &replace), 3, "io");
    assert_eq!(scene.tree(), before);
}

/// Cases: R12-handles.
#[test]
fn few_open_handles_are_enough_and_fewer_leave_nothing() {
    let scene = Scene::new();
    let path = |number: usize| {
        let levels: Vec<_> = (0..20).map(|level| format!("d{level}-{}", number % (level + 2))).collect();
        format!("{}/f{number}", levels.join("/"))
    };
    let members = (0..60).map(|number| file(path(number), "x")).collect();
    scene.put("a.tar.gz", tar_gz(&with_skill(members)));
    let run = |handles: u32, out: &str| {
        after(&scene, &format!("ulimit -n {handles}"), &["verify-extract", "a.tar.gz", GO, "-o", out, "--json"])
    };
    for handles in [200, 48, 20, 10] {
        judge(&run(handles, "enough"), 0, "");
        let _ = fs::remove_dir_all(scene.path("a.tar.gz.done"));
        fs::rename(scene.path("enough"), scene.path("a.tar.gz.done")).unwrap();
    }
    for handles in [7, 6] {
        judge(&run(handles, "p/too-few"), 3, "io");
        assert_eq!(scene.names(), ["a.tar.gz", "a.tar.gz.done"], "{handles} handles");
    }
}

#[test]
fn a_current_directory_that_is_gone_is_a_failure() {
    let scene = Scene::with_demo();
    let archive = scene.path("demo.tar.gz");
    let archive = archive.to_str().unwrap();
    for more in [&[][..], &["-o", "out"], &["-o", "p/out"]] {
        let args = [&["verify-extract", archive, GO, "--json"][..], more].concat();
        judge(&after(&scene, "mkdir gone && cd gone && rmdir ../gone", &args), 3, "io");
        assert_eq!(scene.names(), ["demo.tar.gz"]);
    }
    let absolute = scene.path("out");
    let args = ["verify-extract", archive, GO, "--json", "-o", absolute.to_str().unwrap()];
    judge(&after(&scene, "mkdir gone && cd gone && rmdir ../gone", &args), 0, "");
    scene.assert_demo("out");
}

#[test]
fn a_destination_whose_name_is_too_long_is_a_failure() {
    let scene = Scene::with_demo();
    let (longest, long) = ("n".repeat(255), "n".repeat(256));
    scene.answers(&["verify-extract", "demo.tar.gz", GO, "-o", &longest], 0, "");
    scene.assert_demo(&longest);
    fs::remove_dir_all(scene.path(&longest)).unwrap();
    for destination in [long.clone(), format!("p/{long}"), format!("{long}/p"), format!("p/{}x", "q/".repeat(3000))] {
        scene.answers(&["verify-extract", "demo.tar.gz", GO, "-o", &destination], 3, "io");
        assert_eq!(scene.names(), ["demo.tar.gz"]);
    }
    // Each missing parent is held open: there is a bound.
    scene.answers(&["verify-extract", "demo.tar.gz", GO, "-o", &format!("{}x", "q/".repeat(100))], 2, "usage");
    assert_eq!(scene.names(), ["demo.tar.gz"]);
}

#[test]
fn an_answer_that_cannot_be_written_is_a_failure_and_not_a_broken_pipe() {
    if !Path::new("/dev/full").exists() {
        assert!(std::env::var_os("SKILLX_TEST_REQUIRE").is_none(), "/dev/full is missing");
        return;
    }
    let scene = Scene::with_demo();
    let calls: [&[&str]; 5] = [
        &["check", "demo.tar.gz", GO, "--json"],
        &["list", "demo.tar.gz", GO],
        &["list", "demo.tar.gz", GO, "--json"],
        &["explain"],
        &["explain", "--json"],
    ];
    for args in calls {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let status = scene.command(args).stdin(Stdio::null()).stdout(full).stderr(Stdio::null()).status().unwrap();
        assert_eq!(status.code(), Some(3), "{args:?}: a report was lost and nobody is told");
    }
}

/// Cases: R13-set-aside.
#[test]
fn nothing_is_set_aside_for_a_size_that_is_declared() {
    let scene = Scene::new();
    for case in crate::support::cases::all().into_iter().filter(|case| case.id.starts_with("R13-")) {
        let name = format!("{}.{}", case.id, case.format.flag());
        scene.put(&name, case.bytes());
        // 49 MiB are declared and a few bytes are there; no file may grow beyond 64 KiB, and 64 MiB of memory do.
        let setup = "trap '' XFSZ; ulimit -f 128; ulimit -v 400000";
        let outcome = after(&scene, setup, &["verify-extract", &name, GO, "-o", "p/out", "--json"]);
        judge(&outcome, case.exit(), case.code().unwrap_or_default());
        fs::remove_file(scene.path(&name)).unwrap();
        assert!(scene.names().is_empty());
    }
}

/// Cases: R09-stack.
#[test]
fn a_small_stack_is_enough_for_the_deepest_of_everything() {
    let scene = Scene::new();
    let cases = crate::support::cases::all().into_iter().filter(|case| {
        ["R09-", "P27-depth", "L14-chain", "R06-", "R08-deep"].iter().any(|row| case.id.starts_with(row))
    });
    for (number, case) in cases.enumerate() {
        let name = format!("{number}.{}", case.format.flag());
        scene.put(&name, case.bytes());
        let args = [&["verify-extract", &name, GO, "-o", "p/out", "--json"][..], &strings(&case.args)].concat();
        let outcome = after(&scene, "ulimit -s 512", &args);
        assert!(outcome.code.is_some(), "{}: {}", case.id, outcome.err());
        judge(&outcome, case.exit(), case.code().unwrap_or_default());
        fs::remove_file(scene.path(&name)).unwrap();
        let _ = fs::remove_dir_all(scene.path("p"));
    }
}

fn strings(args: &[String]) -> Vec<&str> {
    args.iter().map(String::as_str).collect()
}

/// Cases: R09-sweep.
#[test]
fn what_an_abandoned_run_left_is_removed_however_deep_it_is() {
    let scene = Scene::with_demo();
    let staging = scene.path(format!(".skillx-{}", "a".repeat(32)));
    fs::create_dir_all(staging.join("tree")).unwrap();
    fs::set_permissions(&staging, std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
    // Deeper than a path may be long, built from the inside out.
    let (grow, next) = (scene.path("grow"), scene.path("next"));
    fs::create_dir(&grow).unwrap();
    for level in 0..3000 {
        fs::create_dir(&next).unwrap();
        fs::rename(&grow, next.join("d")).unwrap();
        if level % 100 == 0 {
            fs::write(next.join("f"), "x").unwrap();
        }
        fs::rename(&next, &grow).unwrap();
    }
    fs::rename(&grow, staging.join("tree/d")).unwrap();
    let args = ["verify-extract", "demo.tar.gz", GO, "-o", "out", "--json"];
    judge(&after(&scene, "ulimit -s 512; ulimit -n 48", &args), 0, "");
    assert_eq!(scene.names(), ["demo.tar.gz", "out"]);
}
