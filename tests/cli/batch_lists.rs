//! Lists: `--files-from` in its forms, `--digests`, and a thousand archives.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use serde_json::Value;

use crate::support::run::Outcome;
use crate::support::sha256;
use crate::{Scene, assert_report, demo, hex, judge, named, traversal};

const GO: &str = "--allow-unverified";

fn sources(outcome: &Outcome) -> Vec<String> {
    assert_eq!(outcome.dirt(), Vec::<String>::new());
    let line = |line: &str| serde_json::from_str::<Value>(line).expect("a JSON line");
    outcome.out().lines().map(|text| line(text)["artifact"]["source"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_list_names_one_input_a_line() {
    let scene = Scene::with_demo();
    scene.put("two words.tar.gz", demo());
    scene.put("bad.tar.gz", traversal());
    let expected = ["demo.tar.gz", "two words.tar.gz", "bad.tar.gz"];
    for list in [
        "demo.tar.gz\ntwo words.tar.gz\nbad.tar.gz\n",
        "demo.tar.gz\ntwo words.tar.gz\nbad.tar.gz",
        "demo.tar.gz\r\ntwo words.tar.gz\r\nbad.tar.gz\r\n",
        "\ndemo.tar.gz\n\n\ntwo words.tar.gz\nbad.tar.gz\n\n",
    ] {
        scene.put("list", list);
        let from_file = scene.run(&["check", GO, "--json", "--files-from", "list"]);
        assert_eq!((from_file.code, sources(&from_file)), (Some(1), expected.map(str::to_owned).to_vec()), "{list:?}");
        let from_stdin = scene.feed(&["check", GO, "--json", "-j2", "--files-from", "-"], list.as_bytes());
        assert_eq!(from_stdin.out(), from_file.out(), "{list:?}");
    }
    // Inputs on the command line come first.
    let outcome = scene.feed(&["check", GO, "--json", "--files-from", "-", "bad.tar.gz"], b"demo.tar.gz\n");
    assert_eq!(sources(&outcome), ["bad.tar.gz", "demo.tar.gz"]);
}

#[test]
fn a_list_that_ends_names_in_nul_can_name_every_file() {
    let scene = Scene::new();
    let names: [&[u8]; 5] = [b"new\nline.tgz", b"carriage\r", b" blank ", b"-", b"caf\xe9.tgz"];
    let mut list = Vec::new();
    for name in names {
        scene.put(OsStr::from_bytes(name), demo());
        list.extend_from_slice(if name == b"-" { b"./-" } else { name });
        list.push(0);
    }
    for end in [list.len(), list.len() - 1] {
        let outcome = scene.feed(&["check", GO, "--json", "-0", "--files-from", "-"], &list[..end]);
        assert_eq!(outcome.code, Some(0), "{}", outcome.out());
        assert_eq!(sources(&outcome).len(), 5);
        assert_eq!(sources(&outcome)[..2], ["new\nline.tgz", "carriage\r"]);
    }
    scene.put("list", &list);
    assert_eq!(scene.run(&["check", GO, "--json", "--null", "--files-from", "list"]).code, Some(0));
}

#[test]
fn an_empty_list_is_no_error_and_a_missing_one_is() {
    let scene = Scene::with_demo();
    let outcome = scene.feed(&["check", "--json", "--files-from", "-"], b"");
    assert_eq!((outcome.code, outcome.out().as_str()), (Some(0), ""));
    scene.answers(&["check", "--files-from", "missing"], 2, "usage");
    scene.answers(&["check", "--files-from", "."], 2, "usage");
    scene.answers(&["check"], 2, "usage");
    // One standard input cannot be two things.
    scene.answers(&["check", "-", "-"], 2, "usage");
    scene.answers(&["check", "--files-from", "-", "-"], 2, "usage");
    scene.put("list", "-\n-\n");
    scene.answers(&["check", "--files-from", "list"], 2, "usage");
}

#[test]
fn one_input_of_a_batch_may_be_standard_input() {
    let scene = Scene::with_demo();
    let outcome = scene.feed(&["check", GO, "--json", "-j2", "demo.tar.gz", "-", "demo.tar.gz"], &traversal());
    assert_eq!(
        (outcome.code, sources(&outcome)),
        (Some(1), ["demo.tar.gz", "-", "demo.tar.gz"].map(str::to_owned).to_vec())
    );
}

#[test]
fn digests_of_many_inputs_come_from_one_list() {
    let scene = Scene::with_demo();
    scene.put("dist/a.tar.gz", named("a"));
    scene.put("dist/b.tar.gz", named("b"));
    let (a, b) = (hex(&named("a")), hex(&named("b")));
    for sums in [
        format!("{a}  dist/a.tar.gz\n{b} *dist/b.tar.gz\n"),
        format!("{b}  ./dist/b.tar.gz\r\n{a}  ./dist/a.tar.gz\r\n"),
        format!("SHA256 (dist/a.tar.gz) = {a}\nSHA256 (dist/b.tar.gz) = {b}\n{a}  unused\n"),
    ] {
        scene.put("SUMS", sums);
        for inputs in [["dist/a.tar.gz", "dist/b.tar.gz"], ["./dist/b.tar.gz", "dist/a.tar.gz"]] {
            let outcome = scene.run(&[&["check", "--json", "-j2", "--digests", "SUMS"][..], &inputs].concat());
            assert_eq!(outcome.code, Some(0), "{}", outcome.out());
            for line in outcome.out().lines() {
                let line: Value = serde_json::from_str(line).unwrap();
                assert_eq!(line["artifact"]["verified"], true);
            }
        }
    }
    scene.put("SUMS", format!("{b}  dist/a.tar.gz\n{b}  dist/b.tar.gz\n"));
    let outcome = scene.run(&["check", "--json", "--digests", "SUMS", "dist/a.tar.gz", "dist/b.tar.gz"]);
    assert_eq!(outcome.code, Some(1));
    let lines: Vec<Value> = outcome.out().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[0]["error"]["code"], "digest-mismatch");
    assert_report(&lines[1], 0);
}

#[test]
fn an_input_that_the_list_does_not_name_has_no_digest() {
    let scene = Scene::with_demo();
    scene.put("SUMS", format!("{}  other.tar.gz\n", hex(&demo())));
    scene.answers(&["check", "--digests", "SUMS", "demo.tar.gz"], 2, "digest-missing");
    // A name is meant as it is written: no other file of that name in another directory.
    scene.put("SUMS", format!("{}  dist/demo.tar.gz\n", "0".repeat(64)));
    scene.answers(&["check", "--digests", "SUMS", "demo.tar.gz"], 2, "digest-missing");
}

/// Cases: D03-list.
#[test]
fn a_list_of_digests_that_cannot_be_used_is_a_wrong_call() {
    let scene = Scene::with_demo();
    let hex = hex(&demo());
    for sums in [
        String::new(),
        hex.clone(),
        "garbage\n".to_owned(),
        format!("{hex}  demo.tar.gz\ngarbage\n"),
        format!("{}  demo.tar.gz\n", hex.to_uppercase()),
    ] {
        scene.put("SUMS", &sums);
        scene.answers(&["check", "--digests", "SUMS", "demo.tar.gz"], 2, "digest-syntax");
        scene.answers(&["check", "--digests", "SUMS", "demo.tar.gz", GO], 2, "digest-syntax");
    }
    scene.answers(&["check", "--digests", "missing", "demo.tar.gz"], 2, "usage");
    // Two digests for one input are its own fault alone.
    scene.put("other.tar.gz", named("other"));
    let sums =
        format!("{hex}  demo.tar.gz\n{}  demo.tar.gz\n{}  other.tar.gz\n", "0".repeat(64), sha256(&named("other")));
    scene.put("SUMS", sums.replace("sha256:", ""));
    let outcome = scene.run(&["check", "--json", "--digests", "SUMS", "demo.tar.gz", "other.tar.gz"]);
    let lines: Vec<Value> = outcome.out().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((outcome.code, &lines[0]["error"]["code"]), (Some(2), &"digest-syntax".into()));
    assert_report(&lines[1], 0);
}

#[test]
fn one_digest_is_for_one_input() {
    let scene = Scene::with_demo();
    let digest = sha256(&demo());
    scene.answers(&["check", "demo.tar.gz", "--digest", &digest], 0, "");
    scene.answers(&["check", "demo.tar.gz", "demo.tar.gz", "--digest", &digest], 2, "usage");
    scene.answers(&["check", "demo.tar.gz", "--digest", &digest, "--digests", "SUMS"], 2, "usage");
    scene.put("list", "demo.tar.gz\n");
    scene.answers(&["check", "--files-from", "list", "--digest", &digest], 2, "usage");
    judge(&scene.feed(&["check", "-", "--json", "--digest", &digest], &demo()), 0, "");
}

#[test]
fn a_thousand_archives_keep_their_order_and_their_verdicts() {
    let scene = Scene::new();
    let (good, bad) = (demo(), traversal());
    let mut list = Vec::new();
    for number in 0..1000 {
        let name = format!("d{}/archive {number}.tar.gz", number % 10);
        // Every tenth is refused; number 777 is not there.
        if number != 777 {
            scene.put(&name, if number % 10 == 3 { &bad } else { &good });
        }
        list.extend_from_slice(name.as_bytes());
        list.push(0);
    }
    let outcome = scene.feed(&["check", GO, "--json", "--files-from", "-", "-0", "-j2"], &list);
    assert_eq!(outcome.code, Some(3));
    let text = outcome.out();
    let mut count = 0;
    for (number, line) in text.lines().enumerate() {
        let line: Value = serde_json::from_str(line).unwrap();
        assert_eq!(line["artifact"]["source"], format!("d{}/archive {number}.tar.gz", number % 10));
        let exit = match number {
            777 => 3,
            _ if number % 10 == 3 => 1,
            _ => 0,
        };
        assert_report(&line, exit);
        count += 1;
    }
    assert_eq!(count, 1000);
}
