//! Where archives come from: files, standard input, FIFOs, descriptors.

use std::io::Write;
use std::os::unix::fs::symlink;
use std::process::Command;

use crate::support::run::observe;
use crate::{Scene, demo, hex, judge, mkfifo};

#[test]
fn standard_input_is_an_archive() {
    let scene = Scene::new();
    let digest = hex(&demo());
    let outcome = scene.feed(&["verify-extract", "-", "--digest", &digest, "-o", "out", "--json"], &demo());
    let report = judge(&outcome, 0, "");
    assert_eq!(report["artifact"]["source"], "-");
    assert_eq!(report["artifact"]["format_source"], "magic");
    scene.assert_demo("out");
    let outcome = scene.feed(&["verify-extract", "-", "--allow-unverified"], &demo());
    assert_eq!((outcome.code, outcome.out().as_str()), (Some(0), "demo\n"));
    for command in ["check", "list"] {
        judge(&scene.feed(&[command, "-", "--digest", &digest, "--json"], &demo()), 0, "");
        judge(&scene.feed(&[command, "-", "--digest", &digest, "--json"], b"x"), 1, "digest-mismatch");
    }
}

#[test]
fn a_declared_format_holds_for_a_stream() {
    let scene = Scene::new();
    let run = |format: &str, bytes: &[u8]| {
        scene.feed(&["check", "-", "--allow-unverified", "--json", "--format", format], bytes)
    };
    let report = judge(&run("tar.gz", &demo()), 0, "");
    assert_eq!(report["artifact"]["format_source"], "flag");
    judge(&run("zip", &demo()), 1, "format-mismatch");
    judge(&run("zip", b""), 1, "not-an-archive");
    judge(&scene.feed(&["check", "-", "--allow-unverified", "--json"], b""), 1, "not-an-archive");
}

#[test]
fn the_extension_declares_the_format_of_a_file() {
    let scene = Scene::new();
    for (name, exit, code) in [("a.zip", 1, "format-mismatch"), ("a.skill", 1, "format-mismatch"), ("a.tgz", 0, "")] {
        scene.put(name, demo());
        scene.answers(&["check", name, "--allow-unverified"], exit, code);
        let report = scene.answers(&["check", name, "--allow-unverified", "--format", "tar.gz"], 0, "");
        assert_eq!(report["artifact"]["format_source"], "flag");
    }
}

#[test]
fn a_fifo_is_read_as_a_stream_to_its_end() {
    let scene = Scene::new();
    let fifo = scene.path("pipe.tar.gz");
    mkfifo(&fifo);
    let writer = std::thread::spawn(move || {
        let mut fifo = std::fs::OpenOptions::new().write(true).open(fifo).unwrap();
        for piece in demo().chunks(100) {
            fifo.write_all(piece).unwrap();
        }
    });
    let report = scene.answers(&["verify-extract", "pipe.tar.gz", "--digest", &hex(&demo()), "-o", "out"], 0, "");
    writer.join().unwrap();
    assert_eq!(report["artifact"]["bytes"], demo().len());
    scene.assert_demo("out");
}

#[test]
fn a_file_descriptor_is_an_input() {
    let scene = Scene::with_demo();
    let digest = hex(&demo());
    for (number, script) in [
        r#""$0" verify-extract /dev/fd/0 --digest "$1" -o "$2" < demo.tar.gz"#,
        r#"cat demo.tar.gz | "$0" verify-extract /dev/fd/0 --digest "$1" -o "$2""#,
        r#"cat demo.tar.gz | "$0" verify-extract /dev/stdin --digest "$1" -o "$2""#,
        r#""$0" verify-extract /dev/fd/7 --digest "$1" -o "$2" 7< demo.tar.gz"#,
        r#"cat demo.tar.gz | "$0" verify-extract /dev/fd/7 --digest "$1" -o "$2" 7<&0 < /dev/null"#,
    ]
    .iter()
    .enumerate()
    {
        let out = format!("out{number}");
        let mut command = Command::new("sh");
        command.args(["-c", script, env!("CARGO_BIN_EXE_skillx"), &digest, &out]).current_dir(scene.root());
        let outcome = observe(command, b"");
        assert_eq!(outcome.code, Some(0), "{script}: {}", outcome.err());
        scene.assert_demo(&out);
    }
}

#[test]
fn a_link_to_an_archive_is_followed_and_a_file_called_dash_is_a_file() {
    let scene = Scene::new();
    scene.put("store/real", demo());
    symlink("store/real", scene.path("link.tar.gz")).unwrap();
    scene.answers(&["check", "link.tar.gz", "--digest", &hex(&demo())], 0, "");
    scene.put("-", demo());
    scene.answers(&["check", "./-", "--digest", &hex(&demo())], 0, "");
    scene.put("--json", demo());
    scene.answers(&["check", "--allow-unverified", "--json", "--digest", &hex(&demo()), "--json"], 2, "usage");
}

#[test]
fn what_cannot_be_read_is_a_failure() {
    let scene = Scene::new();
    std::fs::create_dir(scene.path("directory.tar.gz")).unwrap();
    symlink("loop", scene.path("loop")).unwrap();
    symlink("nowhere", scene.path("dangling")).unwrap();
    scene.put("file", "");
    for input in ["missing.tar.gz", "loop", "dangling", "file/x"] {
        for command in ["verify-extract", "check", "list"] {
            let report = scene.answers(&[command, input, "--allow-unverified"], 3, "io");
            assert_eq!(report["artifact"]["source"], input);
            assert_eq!(report["artifact"]["bytes"], serde_json::Value::Null);
        }
    }
    scene.answers(&["verify-extract", "directory.tar.gz", "--allow-unverified"], 3, "io");
    let text = scene.run(&["check", "missing.tar.gz"]).err();
    assert!(text.contains("error[io]") && text.contains("missing.tar.gz") && text.contains("No such file"), "{text}");
}

#[test]
fn a_name_so_long_that_it_leaves_no_room_for_a_sidecar_is_a_name() {
    let scene = Scene::new();
    let name = format!("{}.tar.gz", "n".repeat(245));
    scene.put(&name, demo());
    scene.answers(&["check", &name, "--digest", &hex(&demo())], 0, "");
    scene.answers(&["check", &name, "--allow-unverified"], 0, "");
    scene.answers(&["check", &name], 2, "digest-missing");
}

#[test]
fn an_archive_over_its_limit_is_refused_before_it_was_read_whole() {
    let scene = Scene::with_demo();
    let size = demo().len();
    let limit = |value: usize| format!("--max-archive={value}");
    scene.answers(&["check", "demo.tar.gz", "--allow-unverified", &limit(size)], 0, "");
    scene.answers(&["check", "demo.tar.gz", "--allow-unverified", &limit(size - 1)], 1, "limit-archive");
    // Also where the digest would not have matched: it cannot be known.
    let wrong = ["check", "demo.tar.gz", "--digest", &"0".repeat(64), &limit(size - 1)];
    scene.answers(&wrong, 1, "limit-archive");
    if std::path::Path::new("/dev/zero").exists() {
        scene.answers(&["check", "/dev/zero", "--allow-unverified", "--max-archive", "1M"], 1, "limit-archive");
    }
    std::fs::File::create(scene.path("huge.tar.gz")).unwrap().set_len(1 << 40).unwrap();
    scene.answers(&["check", "huge.tar.gz", "--allow-unverified"], 1, "limit-archive");
}
