//! No digest at hand: exit code 2, the digest of the file, and three ways out that work when they are copied.

use std::process::Command;

use crate::support::run::observe;
use crate::support::sha256;
use crate::{Scene, demo};

/// The program's answer, and the lines of it that are ways out.
fn ways(scene: &Scene, archive: &str) -> Vec<String> {
    let outcome = scene.run(&["check", archive]);
    assert_eq!(outcome.code, Some(2));
    assert!(outcome.stdout.is_empty());
    assert_eq!(outcome.dirt(), Vec::<String>::new());
    let text = outcome.err();
    assert!(text.contains("error[digest-missing]") && text.contains(&sha256(&demo())), "{text}");
    let is_way =
        |line: &&str| ["--digest ", "sha256sum ", "--allow-unverified"].iter().any(|way| line.starts_with(way));
    text.lines().map(str::trim).filter(is_way).map(str::to_owned).collect()
}

/// A line as somebody would paste it: flags behind the call, commands as they stand.
fn paste(scene: &Scene, archive: &str, way: &str) -> i32 {
    let script = if way.starts_with("--") {
        format!("\"$0\" check -q \"$1\" {way}")
    } else {
        format!("{way}\n\"$0\" check -q \"$1\"")
    };
    let mut command = Command::new("sh");
    command.args(["-c", &script, env!("CARGO_BIN_EXE_skillx"), archive]).current_dir(scene.root());
    observe(command, b"").code.expect("no signal")
}

#[test]
fn three_ways_out_are_shown_and_each_works_when_it_is_pasted() {
    let scene = Scene::with_demo();
    let ways = ways(&scene, "demo.tar.gz");
    assert_eq!(ways.len(), 3, "{ways:?}");
    for way in ways {
        assert_eq!(paste(&scene, "demo.tar.gz", &way), 0, "{way}");
        let _ = std::fs::remove_file(scene.path("demo.tar.gz.sha256"));
    }
}

#[test]
fn a_name_that_a_shell_would_act_on_is_quoted_in_what_is_to_be_pasted() {
    for name in
        ["two words.tar.gz", "it's.tar.gz", "$(touch pwned).tar.gz", "a;touch pwned;.tar.gz", "`touch pwned`.tgz"]
    {
        let scene = Scene::new();
        scene.put(name, demo());
        for way in ways(&scene, name).iter().filter(|way| way.starts_with("sha256sum")) {
            let code = paste(&scene, name, way);
            assert!(!scene.path("pwned").exists(), "pasting {way:?} ran a command of the name");
            assert_eq!(code, 0, "{way}");
        }
    }
}

#[test]
fn a_name_that_cannot_be_shown_as_it_is_is_not_offered_for_pasting_in_another_spelling() {
    let scene = Scene::new();
    let name = "gu\u{ed}a\u{202e}.tar.gz";
    scene.put(name, demo());
    for way in ways(&scene, name) {
        // Whatever is offered must work: a wrong file name does not.
        assert_eq!(paste(&scene, name, &way), 0, "{way}");
    }
}

#[test]
fn a_stream_has_no_sidecar_so_none_is_proposed() {
    let scene = Scene::new();
    let outcome = scene.feed(&["check", "-"], &demo());
    assert_eq!(outcome.code, Some(2));
    let text = outcome.err();
    assert!(text.contains(&format!("--digest {}", sha256(&demo()))) && text.contains("--allow-unverified"), "{text}");
    assert!(!text.contains("sha256sum"), "{text}");
}

#[test]
fn the_json_answer_has_the_digest_too() {
    let scene = Scene::with_demo();
    for command in ["verify-extract", "check", "list"] {
        let report = scene.answers(&[command, "demo.tar.gz"], 2, "digest-missing");
        assert_eq!(report["artifact"]["sha256"], sha256(&demo()));
        assert_eq!(report["artifact"]["bytes"], demo().len());
        assert_eq!(report["artifact"]["verified"], false);
        assert!(report["error"]["message"].as_str().unwrap().contains(&sha256(&demo())));
        assert!(report["error"]["help"].as_str().unwrap().contains("--allow-unverified"));
    }
    assert_eq!(scene.names(), ["demo.tar.gz"]);
}

/// Cases: D04-none.
#[test]
fn nothing_of_the_archive_is_parsed_before_there_is_a_digest() {
    let scene = Scene::new();
    scene.put("bad.tar.gz", crate::traversal());
    scene.put("none.tar.gz", "no archive");
    for name in ["bad.tar.gz", "none.tar.gz"] {
        let report = scene.answers(&["check", name], 2, "digest-missing");
        assert_eq!(report["entries"], serde_json::json!([]));
        assert_eq!(report["artifact"]["format"], serde_json::Value::Null);
    }
}
