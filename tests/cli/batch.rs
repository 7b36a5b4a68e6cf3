//! `check` on many inputs: order, exit code, one fault ends only its own input; directories as inputs.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::Value;

use crate::support::carrier::file;
use crate::support::run::{Outcome, observe};
use crate::{Scene, assert_report, demo, mkfifo, named, tar_gz, traversal};

const GO: &str = "--allow-unverified";

/// The JSON lines of a batch.
fn lines(outcome: &Outcome) -> Vec<Value> {
    assert_eq!(outcome.dirt(), Vec::<String>::new());
    assert!(outcome.stdout.is_empty() || outcome.stdout.ends_with(b"\n"));
    outcome.out().lines().map(|line| serde_json::from_str(line).expect("a JSON line")).collect()
}

fn sources(lines: &[Value]) -> Vec<&str> {
    lines.iter().map(|line| line["artifact"]["source"].as_str().unwrap()).collect()
}

/// Good, bad, missing (`3`) and without a digest where none is allowed to be.
fn mixed() -> Scene {
    let scene = Scene::new();
    scene.put("good.tar.gz", demo());
    scene.put("bad.tar.gz", traversal());
    scene
}

#[test]
fn results_come_one_line_each_in_the_order_of_the_inputs() {
    let scene = mixed();
    let large = tar_gz(&crate::support::carrier::with_skill(vec![file("large", vec![1; 5 << 20])]));
    scene.put("large.tar.gz", large);
    let inputs = ["large.tar.gz", "bad.tar.gz", "good.tar.gz", "missing.tar.gz", "large.tar.gz", "good.tar.gz"];
    for jobs in ["-j1", "-j2", "-j6", "-j100"] {
        let outcome = scene.run(&[&["check", GO, "--json", jobs][..], &inputs].concat());
        assert_eq!(outcome.code, Some(3), "{jobs}");
        let lines = lines(&outcome);
        assert_eq!(sources(&lines), inputs, "{jobs}");
        for (line, exit) in lines.iter().zip([0, 1, 0, 3, 0, 0]) {
            assert_report(line, exit);
        }
    }
    let text = scene.run(&[&["check", GO, "-j2"][..], &inputs].concat());
    assert!(text.stdout.is_empty());
    let text = text.err();
    assert!(text.find("bad.tar.gz").unwrap() < text.find("missing.tar.gz").unwrap(), "{text}");
    assert_eq!(text.matches("ok: ").count(), 4, "{text}");
}

#[test]
fn a_failure_comes_before_a_refusal_and_a_refusal_before_acceptance() {
    let scene = mixed();
    for (inputs, exit) in [
        (&["good.tar.gz"][..], 0),
        (&["good.tar.gz", "good.tar.gz"], 0),
        (&["bad.tar.gz", "good.tar.gz"], 1),
        (&["good.tar.gz", "bad.tar.gz"], 1),
        (&["missing.tar.gz", "bad.tar.gz", "good.tar.gz"], 3),
        (&["bad.tar.gz", "missing.tar.gz"], 3),
        (&["missing.tar.gz", "good.tar.gz"], 3),
    ] {
        for jobs in ["1", "2"] {
            let outcome = scene.run(&[&["check", GO, "-j", jobs][..], inputs].concat());
            assert_eq!(outcome.code, Some(exit), "{inputs:?}");
        }
    }
    // A wrong call for one input is worse than a refusal of another, and better than a failure.
    scene.put("good.tar.gz.sha256", "no digest");
    assert_eq!(scene.run(&["check", GO, "good.tar.gz", "bad.tar.gz"]).code, Some(2));
    assert_eq!(scene.run(&["check", GO, "good.tar.gz", "missing.tar.gz", "bad.tar.gz"]).code, Some(3));
}

#[test]
fn a_panic_in_one_input_is_reported_as_such_and_ends_only_that_one() {
    if !cfg!(debug_assertions) {
        return; // The seam is not in release builds.
    }
    let scene = mixed();
    scene.put("panic.tar.gz", demo());
    for jobs in ["-j1", "-j2"] {
        let mut command =
            scene.command(&["check", GO, "--json", jobs, "good.tar.gz", "panic.tar.gz", "bad.tar.gz", "good.tar.gz"]);
        command.env("SKILLX_TEST_PANIC", "panic.tar.gz").env("RUST_BACKTRACE", "1");
        let outcome = observe(command, b"");
        assert_eq!(outcome.code, Some(3));
        let lines = lines(&outcome);
        assert_eq!(sources(&lines), ["good.tar.gz", "panic.tar.gz", "bad.tar.gz", "good.tar.gz"]);
        for (line, exit) in lines.iter().zip([0, 3, 1, 0]) {
            assert_report(line, exit);
        }
        assert_eq!(lines[1]["error"]["code"], "internal");
        assert!(outcome.err().contains("internal error"), "{}", outcome.err());
    }
    let mut command = scene.command(&["check", GO, "panic.tar.gz"]);
    command.env("SKILLX_TEST_PANIC", "panic.tar.gz");
    let outcome = observe(command, b"");
    assert_eq!(outcome.code, Some(3));
    assert!(outcome.err().contains("error[internal]"), "{}", outcome.err());
    assert_eq!(outcome.dirt(), Vec::<String>::new());
}

#[test]
fn a_directory_is_judged_as_if_it_were_packed() {
    let scene = Scene::with_demo();
    assert_eq!(scene.run(&["verify-extract", "demo.tar.gz", GO]).code, Some(0));
    let report = scene.answers(&["check", "demo"], 0, "");
    assert_eq!(report["artifact"]["source"], "demo");
    assert_eq!(report["artifact"]["sha256"], Value::Null);
    assert_eq!(report["artifact"]["bytes"], Value::Null);
    assert_eq!(report["artifact"]["verified"], false);
    assert_eq!(report["skill"]["name"], "demo");
    let found: Vec<_> = report["findings"].as_array().unwrap().iter().map(|finding| &finding["code"]).collect();
    assert_eq!(found, ["portability-links", "portability-exec-bit"]);
    let packed = scene.answers(&["check", "demo.tar.gz", GO], 0, "");
    assert_eq!(report["totals"], packed["totals"]);
    let text = scene.run(&["check", "demo/"]);
    assert_eq!(text.code, Some(0));
    assert!(text.err().contains("the directory passes every check"), "{}", text.err());
    symlink("demo", scene.path("link")).unwrap();
    let report = scene.answers(&["check", "link"], 0, "");
    assert_eq!(report["findings"][0]["code"], "skill-name-directory");
    scene.answers(&["check", "link", "--deny", "skill-name-directory"], 1, "skill-name-directory");
    scene.answers(&["check", "demo", "--links", "deny"], 1, "links-denied");
}

#[test]
fn a_directory_that_no_archive_should_be_made_of_is_refused() {
    let scene = Scene::new();
    let mut codes = Vec::new();
    let mut put = |path: &str, code: &'static str| {
        scene.put(format!("skill/{path}"), "x");
        codes.push(code);
    };
    // In byte order of the names, as they are met.
    put("a:b", "path-colon");
    put("aux", "path-reserved-name");
    put("gone./x", "path-trailing-dot-space");
    scene.put("skill/SKILL.md", crate::support::SKILL_MD);
    mkfifo(&scene.path("skill/pipe"));
    symlink("/etc/passwd", scene.path("skill/z-absolute")).unwrap();
    symlink("..", scene.path("skill/z-up")).unwrap();
    let report = scene.answers(&["check", "skill"], 1, "path-colon");
    let refused: Vec<_> =
        report["refusals"].as_array().unwrap().iter().map(|error| error["code"].as_str().unwrap()).collect();
    codes.extend(["special-file", "link-absolute", "link-escape"]);
    // A directory with a bad name is refused itself, and so is what lies in it.
    let mut seen = refused.clone();
    seen.dedup();
    assert_eq!(seen, codes, "{report:#}");
    fs::create_dir(scene.path("empty")).unwrap();
    scene.answers(&["check", "empty"], 1, "empty-archive");
    scene.put("other/x", "");
    scene.answers(&["check", "other"], 1, "skill-md-missing");
    scene.answers(&["check", "other", "--layout", "any"], 0, "");
    scene.put(".git-holder/.git/config", "");
    scene.answers(&["check", ".git-holder", "--layout", "any"], 1, "path-forbidden");
}

#[test]
fn directories_and_archives_go_together() {
    let scene = mixed();
    assert_eq!(scene.run(&["verify-extract", "good.tar.gz", GO]).code, Some(0));
    scene.put("empty.tar.gz", tar_gz(&[]));
    let outcome = scene.run(&["check", GO, "--json", "-j2", "demo", "empty.tar.gz", "demo", "good.tar.gz"]);
    assert_eq!(outcome.code, Some(1));
    assert_eq!(sources(&lines(&outcome)), ["demo", "empty.tar.gz", "demo", "good.tar.gz"]);
}

#[test]
fn limits_hold_for_directories() {
    let scene = Scene::new();
    scene.put("skill/SKILL.md", crate::support::SKILL_MD);
    scene.put("skill/a/b/c", "x".repeat(1000));
    for (flag, exit, code) in [
        ("--max-file=1000", 0, ""),
        ("--max-file=999", 1, "limit-file"),
        ("--max-entries=4", 0, ""),
        ("--max-entries=3", 1, "limit-entries"),
        ("--max-depth=3", 0, ""),
        ("--max-depth=2", 1, "path-too-deep"),
        ("--max-total=1046", 0, ""),
        ("--max-total=1045", 1, "limit-total"),
    ] {
        assert_eq!(crate::support::SKILL_MD.len(), 46);
        scene.answers(&["check", "skill", flag], exit, code);
    }
}

#[test]
fn nothing_is_written_by_a_check() {
    let scene = mixed();
    scene.put("named.tar.gz", named("made"));
    let before = scene.tree();
    scene.run(&["check", GO, "-j2", "good.tar.gz", "bad.tar.gz", "named.tar.gz", "missing"]);
    scene.run(&["list", GO, "good.tar.gz"]);
    assert_eq!(scene.tree(), before);
}
