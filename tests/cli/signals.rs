//! INT and TERM: at once while input is awaited, with everything cleaned up while members are written.

use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::support::carrier::{file, with_skill};
use crate::{Scene, demo, mkfifo, tar_gz};

const GO: &str = "--allow-unverified";
const BOTH: [(Signal, i32); 2] = [(Signal::INT, 130), (Signal::TERM, 143)];

fn send(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).expect("the child is there");
}

/// How the child ended, and how long it took.
fn ended(child: &mut Child) -> (Option<i32>, Duration) {
    let since = Instant::now();
    while since.elapsed() < Duration::from_secs(60) {
        if let Some(status) = child.try_wait().unwrap() {
            return (status.code().or(status.signal().map(|signal| -signal)), since.elapsed());
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    let _ = child.kill();
    panic!("the program did not end");
}

fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    let since = Instant::now();
    while !condition() {
        assert!(since.elapsed() < Duration::from_secs(30), "waited too long for {what}");
        std::thread::sleep(Duration::from_micros(200));
    }
}

/// Waits until the program has set up its handlers, INT and TERM both.
fn wait_for_handler(child: &Child) {
    let status = format!("/proc/{}/status", child.id());
    if Path::new(&status).exists() {
        let caught = || {
            let status = std::fs::read_to_string(&status).ok()?;
            let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:"))?;
            u64::from_str_radix(mask.trim(), 16).ok()
        };
        wait_until("the program to begin", || caught().is_some_and(|mask| mask >> 1 & 1 == 1 && mask >> 14 & 1 == 1));
        // The last of the three steps of a handler follows at once.
        std::thread::sleep(Duration::from_millis(20));
    } else {
        std::thread::sleep(Duration::from_millis(500));
    }
}

#[test]
fn a_signal_while_a_slow_stream_is_read_ends_the_program_at_once() {
    for (signal, code) in BOTH {
        let scene = Scene::new();
        let mut command = scene.command(&["verify-extract", "-", GO, "-o", "p/out"]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        for byte in &demo()[..10] {
            stdin.write_all(&[*byte]).unwrap();
            stdin.flush().unwrap();
        }
        wait_for_handler(&child);
        send(&child, signal);
        let (ended, took) = ended(&mut child);
        assert_eq!(ended, Some(code));
        assert!(took < Duration::from_secs(5), "{took:?}");
        assert!(scene.names().is_empty());
        drop(stdin);
    }
}

#[test]
fn a_signal_while_a_fifo_has_no_writer_ends_the_program_at_once() {
    for (signal, code) in BOTH {
        let scene = Scene::new();
        mkfifo(&scene.path("pipe.tar.gz"));
        let mut command = scene.command(&["verify-extract", "pipe.tar.gz", GO]);
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        wait_for_handler(&child);
        send(&child, signal);
        assert_eq!(ended(&mut child).0, Some(code));
        assert_eq!(scene.names(), ["pipe.tar.gz"]);
    }
}

/// Long enough to be caught in the middle: many files, and much in them.
fn long() -> Vec<u8> {
    let piece: Vec<u8> = (0..=255).cycle().take(16 << 10).collect();
    tar_gz(&with_skill((0..3000).map(|number| file(format!("d{}/f{number}", number % 50), &piece)).collect()))
}

#[test]
fn a_signal_during_extraction_takes_everything_away_that_was_made() {
    let long = long();
    for (signal, code) in BOTH {
        let mut caught = false;
        for _ in 0..10 {
            let scene = Scene::new();
            scene.put("a.tar.gz", &long);
            let mut command = scene.command(&["verify-extract", "a.tar.gz", GO, "-o", "p/q/out", "--json"]);
            let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
            // Staging is at work when its first directories are there.
            let staging = scene.path("p/q");
            wait_until("the staging directory", || {
                let found = std::fs::read_dir(&staging).into_iter().flatten().flatten();
                let trees = found.map(|entry| entry.path().join("tree"));
                trees.into_iter().any(|tree| std::fs::read_dir(tree).is_ok_and(|entries| entries.count() > 5))
                    || staging.join("out").exists()
            });
            send(&child, signal);
            let output = child.wait_with_output().unwrap();
            if output.status.code() == Some(0) {
                continue;
            }
            caught = true;
            assert_eq!(output.status.code(), Some(code));
            assert_eq!(scene.names(), ["a.tar.gz"], "staging and parents are gone");
            let line: serde_json::Value = serde_json::from_slice(&output.stdout).expect("one JSON line");
            assert_eq!(line["error"]["code"], "cancelled");
            assert_eq!((&line["verdict"], &line["error"]["class"]), (&"failed".into(), &"failed".into()));
            break;
        }
        assert!(caught, "every run was faster than the signal");
    }
}

#[test]
fn a_signal_during_an_exchange_leaves_the_old_skill_or_the_new_one_whole() {
    let long = long();
    for wait in [0, 5, 20, 60, 150, 300] {
        let scene = Scene::new();
        scene.put("a.tar.gz", &long);
        scene.put("out/SKILL.md", "---\nname: old\ndescription: Old.\n---\n");
        let mut command = scene.command(&["verify-extract", "a.tar.gz", GO, "-o", "out", "--replace"]);
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        wait_for_handler(&child);
        std::thread::sleep(Duration::from_millis(wait));
        send(&child, Signal::TERM);
        let code = ended(&mut child).0;
        let files = scene.tree().keys().filter(|path| path.starts_with("out/")).count();
        match code {
            Some(143) => assert_eq!(files, 1, "after {wait} ms"),
            Some(0) => assert_eq!(files, 3000 + 50 + 1, "after {wait} ms"),
            other => panic!("{other:?} after {wait} ms"),
        }
        assert_eq!(scene.names(), ["a.tar.gz", "out"], "after {wait} ms");
    }
}
