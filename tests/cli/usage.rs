//! Wrong calls: exit code 2, in the form that was asked for, and nothing done. `explain` and help.

use skillx_archive::{Class, Code};

use crate::{Scene, judge};

#[test]
fn a_wrong_command_line_is_answered_in_json_where_json_was_asked_for() {
    let scene = Scene::with_demo();
    let wrong: [&[&str]; 20] = [
        &["--json"],
        &["--json", "no-such-command"],
        &["no-such-command", "--json"],
        &["verify-extract", "--json"],
        &["verify-extract", "demo.tar.gz", "--no-such-flag", "--json"],
        &["verify-extract", "demo.tar.gz", "second.tar.gz", "--json"],
        &["verify-extract", "demo.tar.gz", "--digest", "--json"],
        &["verify-extract", "demo.tar.gz", "--layout", "plug", "--message-format", "json"],
        &["verify-extract", "demo.tar.gz", "--links", "follow", "--message-format=json"],
        &["verify-extract", "demo.tar.gz", "--format", "rar", "--json"],
        &["verify-extract", "demo.tar.gz", "--max-entries", "0", "--json"],
        &["--message-format", "json", "check", "-j", "0", "demo.tar.gz"],
        &["check", "--json"],
        &["check", "--digest", "x", "--digests", "y", "demo.tar.gz", "--json"],
        &["check", "-0", "demo.tar.gz", "--json"],
        &["check", "demo.tar.gz", "--color", "sometimes", "--json"],
        &["check", "demo.tar.gz", "--json", "--message-format", "xml"],
        &["list", "--json"],
        &["explain", "a", "b", "--json"],
        &["list", "demo.tar.gz", "-q", "-q", "--json"],
    ];
    for args in wrong {
        let outcome = scene.run(args);
        judge(&outcome, 2, "usage");
        assert!(outcome.stderr.is_empty(), "{args:?}: {}", outcome.err());
    }
    assert_eq!(scene.names(), ["demo.tar.gz"]);
}

#[test]
fn a_wrong_command_line_is_answered_in_text_on_stderr_otherwise() {
    let scene = Scene::with_demo();
    for args in [&["check"][..], &["no-such-command"], &["check", "--no-such-flag"], &[]] {
        let outcome = scene.run(args);
        assert_eq!(outcome.code, Some(2), "{args:?}");
        assert!(outcome.stdout.is_empty(), "{args:?}: {}", outcome.out());
        assert!(!outcome.stderr.is_empty(), "{args:?}");
    }
    // After `--` it is the name of a file.
    let outcome = scene.run(&["check", "--allow-unverified", "--", "--json"]);
    assert_eq!(outcome.code, Some(3));
    assert!(outcome.stdout.is_empty(), "{}", outcome.out());
    assert!(outcome.err().contains("--json"), "{}", outcome.err());
}

#[test]
fn every_limit_has_a_flag_and_none_of_them_takes_zero() {
    let scene = Scene::with_demo();
    let flags = ["archive", "total", "file", "entries", "depth", "ratio", "time"];
    for flag in flags {
        let flag = format!("--max-{flag}");
        for value in ["0", "-1", "", "x", "1.5", "99999999999999999999999"] {
            for command in ["verify-extract", "check", "list"] {
                scene.answers(&[command, "demo.tar.gz", "--allow-unverified", &format!("{flag}={value}")], 2, "usage");
            }
        }
        scene.answers(&["check", "demo.tar.gz", "--allow-unverified", &flag, "1000"], 0, "");
    }
    for size in ["0K", "0MiB", "1X", "M", "10 M", "16E"] {
        scene.answers(&["check", "demo.tar.gz", "--allow-unverified", "--max-total", size], 2, "usage");
    }
}

#[test]
fn limits_that_were_given_stand_in_the_report() {
    let scene = Scene::with_demo();
    let args = ["--max-archive=2K", "--max-total=1MB", "--max-file=3kB", "--max-entries=9", "--max-depth=5"];
    let more = ["--max-ratio=7", "--max-time=11"];
    let report = scene.answers(&[&["check", "demo.tar.gz", "--allow-unverified"][..], &args, &more].concat(), 0, "");
    let limits = &report["policy"]["limits"];
    for (limit, value) in [
        ("archive", 2048),
        ("total", 1_000_000),
        ("file", 3000),
        ("entries", 9),
        ("depth", 5),
        ("ratio", 7),
        ("time_seconds", 11),
    ] {
        assert_eq!(limits[limit], value, "{limit}");
    }
}

#[test]
fn help_and_version_are_no_errors() {
    let scene = Scene::new();
    let version = scene.run(&["--version"]);
    assert_eq!(version.code, Some(0));
    assert_eq!(version.out(), format!("skillx {} (skillx-archive)\n", env!("CARGO_PKG_VERSION")));
    for command in ["", "verify-extract", "check", "list", "explain"] {
        let args: Vec<_> = command.split_whitespace().chain(["--help"]).collect();
        let help = scene.run(&args);
        assert_eq!(help.code, Some(0), "{command}");
        assert!(help.stderr.is_empty() && help.out().contains("Usage: skillx"), "{command}");
        if !["list", "explain"].contains(&command) {
            assert!(help.out().contains("Examples:"), "{command}");
        }
    }
}

#[test]
fn explain_lists_every_code_and_tells_each_ones_class() {
    let scene = Scene::new();
    let all = scene.run(&["explain"]);
    assert_eq!(all.code, Some(0));
    assert_eq!(all.out().lines().count(), Code::ALL.len());
    let json = scene.run(&["explain", "--json"]).json().unwrap();
    assert_eq!(json["schema"], "skillx.codes/1");
    assert_eq!(json["codes"].as_array().unwrap().len(), Code::ALL.len());
    for (code, described) in Code::ALL.iter().zip(json["codes"].as_array().unwrap()) {
        let row = code.explain();
        assert!(all.out().lines().any(|line| line.split(' ').next() == Some(row.code)), "{code}");
        let class = match row.class {
            Class::Failed => "failed",
            Class::Finding => "finding",
            Class::Usage => "usage",
            _ => "refused",
        };
        let fields = [("code", row.code), ("class", class), ("what", row.what), ("why", row.why), ("help", row.help)];
        for (field, value) in fields {
            assert_eq!(described[field], value, "{code}");
        }
    }
    // One by one: a sample of each class.
    for code in ["path-traversal", "digest-missing", "io", "skill-bom"] {
        let one = scene.run(&["explain", code, "--json"]).json().unwrap();
        assert_eq!(one["schema"], "skillx.code/1");
        assert!(json["codes"].as_array().unwrap().contains(&one), "{one}");
        let text = scene.run(&["explain", code]);
        assert_eq!(text.code, Some(0));
        assert!(text.stderr.is_empty());
        for field in ["what", "why", "help", "class"] {
            assert!(text.out().contains(one[field].as_str().unwrap()), "{code}: {field}: {}", text.out());
        }
    }
}

#[test]
fn explain_of_an_unknown_code_is_a_wrong_call() {
    let scene = Scene::new();
    for code in ["no-such-code", "Path-Traversal", "", "\u{1b}[31m\u{202e}::error::"] {
        judge(&scene.run(&["explain", code, "--json"]), 2, "usage");
        let text = scene.run(&["explain", code]);
        assert_eq!(text.code, Some(2));
        assert!(text.stdout.is_empty());
        assert_eq!(text.dirt(), Vec::<String>::new());
    }
}
