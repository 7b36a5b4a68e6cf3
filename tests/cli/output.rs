//! The two streams: one line on stdout, everything else on stderr; quiet, colours, readers that go away; list and check.

use std::process::Stdio;

use crate::support::carrier::{file, symlink, with_skill};
use crate::support::run::observe;
use crate::{Scene, named, tar_gz, traversal};

const GO: &str = "--allow-unverified";

#[test]
fn success_prints_the_destination_on_stdout_and_nothing_else() {
    let scene = Scene::with_demo();
    let outcome = scene.run(&["verify-extract", "demo.tar.gz", GO, "-o", "sub/out"]);
    assert_eq!(outcome.code, Some(0));
    assert_eq!(outcome.out(), "sub/out\n");
    let text = outcome.err();
    assert!(text.contains("WITHOUT a digest") && text.contains("demo - A demo skill."), "{text}");
    let outcome = scene.run(&["verify-extract", "demo.tar.gz", GO]);
    assert_eq!(outcome.out(), "demo\n");
    // Checking makes nothing, so there is nothing to print.
    assert!(scene.run(&["check", "demo.tar.gz", GO]).stdout.is_empty());
}

#[test]
fn a_destination_is_printed_as_it_can_be_used() {
    let scene = Scene::with_demo();
    for name in ["with space", "back\\slash", "dollar$x"] {
        let outcome = scene.run(&["verify-extract", "demo.tar.gz", GO, "-o", name]);
        assert_eq!(outcome.out(), format!("{name}\n"));
        scene.assert_demo(name);
    }
}

#[test]
fn a_refusal_says_what_where_why_and_what_to_do() {
    let scene = Scene::new();
    scene.put("bad.tar.gz", traversal());
    let outcome = scene.run(&["verify-extract", "bad.tar.gz", GO, "-o", "out"]);
    assert_eq!(outcome.code, Some(1));
    assert!(outcome.stdout.is_empty());
    let text = outcome.err();
    let lines: Vec<_> = text.lines().collect();
    assert!(lines[0].starts_with("error[path-traversal]: entry 3 `../x`"), "{text}");
    assert!(lines[1].starts_with("  archive  bad.tar.gz, sha256:"), "{text}");
    assert!(lines[1].ends_with("byte 2048"), "{text}");
    assert!(lines[2].starts_with("  why      ") && lines[3].starts_with("  help     publisher:"), "{text}");
    assert_eq!(lines[4..], ["nothing was written"], "{text}");
}

#[test]
fn check_shows_every_refusal() {
    let scene = Scene::new();
    scene.put("bad.tar.gz", tar_gz(&with_skill(vec![file("a:b", ""), file("ok", ""), file("nul", "")])));
    let outcome = scene.run(&["check", "bad.tar.gz", GO]);
    assert_eq!(outcome.code, Some(1));
    let text = outcome.err();
    assert!(
        text.find("error[path-colon]: entry 2").unwrap() < text.find("error[path-reserved-name]: entry 4").unwrap()
    );
}

#[test]
fn who_unpacks_is_told_what_concerns_him_and_that_there_is_more() {
    let scene = Scene::with_demo();
    let shown = scene.run(&["check", "demo.tar.gz", GO]);
    assert_eq!(shown.err().matches("[portability-").count(), 2, "{}", shown.err());
    let extracted = scene.run(&["verify-extract", "demo.tar.gz", GO, "-o", "x"]);
    assert!(!extracted.err().contains("portability-"), "{}", extracted.err());
    assert!(extracted.err().contains("note: 2 findings are about other clients"), "{}", extracted.err());
    scene.put("form.tar.gz", named("Bad_Form"));
    let form = scene.run(&["verify-extract", "form.tar.gz", GO, "-o", "y"]);
    assert!(form.err().contains("note[skill-name-form]") && !form.err().contains("other clients"), "{}", form.err());
    // Denied, it is an error like any other.
    let denied = scene.run(&["verify-extract", "demo.tar.gz", GO, "-o", "z", "--deny", "portability-exec-bit"]);
    assert!(denied.code == Some(1) && denied.err().contains("error[portability-exec-bit]"), "{}", denied.err());
}

#[test]
fn quiet_says_nothing_of_success_and_everything_of_errors() {
    let scene = Scene::new();
    scene.put("form.tar.gz", named("Bad_Form"));
    scene.put("bad.tar.gz", traversal());
    let loud = scene.run(&["check", "form.tar.gz", GO]);
    assert!(loud.err().contains("note[skill-name-form]"), "{}", loud.err());
    let quiet = scene.run(&["-q", "check", "form.tar.gz", GO]);
    assert_eq!((quiet.code, quiet.err().as_str(), quiet.out().as_str()), (Some(0), "", ""));
    let quiet = scene.run(&["verify-extract", "form.tar.gz", GO, "--quiet", "-o", "x"]);
    assert_eq!((quiet.code, quiet.err().as_str(), quiet.out().as_str()), (Some(0), "", "x\n"));
    let quiet = scene.run(&["check", "bad.tar.gz", GO, "-q"]);
    assert_eq!(quiet.code, Some(1));
    assert!(quiet.err().contains("error[path-traversal]") && quiet.err().contains("help"), "{}", quiet.err());
    let json = scene.run(&["check", "bad.tar.gz", GO, "-q", "--json"]);
    assert_eq!(json.json().unwrap()["verdict"], "refused");
}

#[test]
fn colours_come_when_asked_for_and_only_on_stderr() {
    let scene = Scene::with_demo();
    scene.put("bad.tar.gz", traversal());
    for archive in ["demo.tar.gz", "bad.tar.gz"] {
        let plain = scene.run(&["check", archive, GO]);
        for when in ["never", "auto"] {
            assert_eq!(scene.run(&["check", archive, GO, "--color", when]).err(), plain.err());
        }
        assert!(!plain.stderr.contains(&0x1b));
        let colored = scene.run(&["check", archive, GO, "--color", "always"]);
        assert!(colored.stderr.contains(&0x1b));
        assert!(!colored.stdout.contains(&0x1b));
        assert_eq!(without_colours(&colored.err()), plain.err());
        let json = scene.run(&["check", archive, GO, "--color", "always", "--json"]);
        assert!(!json.stdout.contains(&0x1b));
    }
    let mut command = scene.command(&["check", "bad.tar.gz", GO]);
    command.env("CLICOLOR_FORCE", "1").env("NO_COLOR", "1");
    assert!(!observe(command, b"").stdout.contains(&0x1b));
}

/// Takes away `ESC [ digits m`, the only sequences that may be there.
fn without_colours(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let mut clear = parts.next().unwrap().to_owned();
    for part in parts {
        let (number, rest) = part.split_once('m').expect("only colours");
        assert!(number.bytes().all(|byte| byte.is_ascii_digit() || byte == b';'), "{number:?}");
        clear.push_str(rest);
    }
    clear
}

#[test]
fn a_reader_of_stdout_that_has_gone_away_is_no_failure() {
    let scene = Scene::with_demo();
    let many = (0..3000).map(|number| file(format!("directory/with-a-long-name-{number:04}"), "")).collect();
    scene.put("many.tar.gz", tar_gz(&with_skill(many)));
    let commands: [(&[&str], i32); 8] = [
        (&["verify-extract", "demo.tar.gz", GO], 0),
        (&["verify-extract", "demo.tar.gz", GO, "--json", "-o", "out"], 0),
        (&["check", "many.tar.gz", GO, "--json"], 0),
        (&["list", "many.tar.gz", GO], 0),
        (&["list", "many.tar.gz", GO, "--json"], 0),
        (&["explain"], 0),
        (&["explain", "--json"], 0),
        (&["--help"], 0),
    ];
    for (args, exit) in commands {
        for closed in [true, false] {
            let (reader, writer) = std::io::pipe().unwrap();
            let mut command = scene.command(args);
            command.stdout(writer).stdin(Stdio::null()).stderr(Stdio::piped());
            if closed {
                drop(reader);
                let output = command.output().unwrap();
                assert_eq!(output.status.code(), Some(exit), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
            } else {
                // `| head -c 1`: gone in the middle.
                let mut child = command.spawn().unwrap();
                drop(command);
                let _ = std::io::Read::read(&mut &reader, &mut [0]);
                drop(reader);
                let code = child.wait().unwrap().code();
                // The directory of the first round is there now.
                let taken = args[0] == "verify-extract";
                assert_eq!(code, Some(if taken { 3 } else { exit }), "{args:?}");
            }
        }
    }
    scene.assert_demo("demo");
    scene.assert_demo("out");
}

/// Cases: O07-list.
#[test]
fn list_gives_the_verdicts_of_check() {
    let scene = Scene::with_demo();
    let all_kinds = vec![
        file("a:b", ""),
        file(".DS_Store", "noise"),
        symlink("out", "../x"),
        file(b"\xff\xfe", "hex"),
        file("gu\u{ed}a.md", "fine"),
    ];
    scene.put("bad.tar.gz", tar_gz(&with_skill(all_kinds)));
    let cut = crate::demo();
    scene.put("cut.tar.gz", &cut[..cut.len() / 2]);
    scene.put("none.tar.gz", "no archive");
    for archive in ["demo.tar.gz", "bad.tar.gz", "cut.tar.gz", "none.tar.gz", "missing.tar.gz"] {
        for options in [&[GO][..], &[], &[GO, "--layout", "any"], &[GO, "--links", "deny"]] {
            let [list, check] =
                ["list", "check"].map(|command| scene.run(&[&[command, archive, "--json"][..], options].concat()));
            assert_eq!(list.code, check.code, "{archive} {options:?}");
            assert_eq!(list.json().unwrap(), check.json().unwrap(), "{archive} {options:?}");
        }
    }
    let text = scene.run(&["list", "bad.tar.gz", GO]);
    assert_eq!(text.code, Some(1));
    let out = text.out();
    let lines: Vec<_> = out.lines().collect();
    assert_eq!(lines.len(), 7, "{out}");
    assert!(lines[1].ends_with("a:b  refused[path-colon]"), "{out}");
    assert!(lines[2].contains("left out"), "{out}");
    assert!(lines[3].contains("out -> ../x") && lines[3].ends_with("refused[link-escape]"), "{out}");
    assert!(lines[4].contains("hex:fffe") && lines[4].ends_with("refused[path-not-utf8]"), "{out}");
    assert!(lines[5].ends_with(r"gu\u{ed}a.md"), "{out}");
    assert_eq!(lines[6], "refused");
    let good = scene.run(&["list", "demo.tar.gz", GO]);
    assert_eq!((good.code, good.out().lines().last()), (Some(0), Some("accepted")));
}

#[test]
fn the_report_goes_to_stdout_even_when_stderr_is_closed() {
    let scene = Scene::new();
    scene.put("bad.tar.gz", traversal());
    let script = r#""$0" check bad.tar.gz --allow-unverified --json 2>&-; echo "exit $?""#;
    let mut command = std::process::Command::new("sh");
    command.args(["-c", script, env!("CARGO_BIN_EXE_skillx")]).current_dir(scene.root());
    let text = observe(command, b"").out();
    assert!(text.starts_with("{\"schema\"") && text.ends_with("exit 1\n"), "{text}");
    let script = script.replace(" --json", "");
    let mut command = std::process::Command::new("sh");
    command.args(["-c", &script, env!("CARGO_BIN_EXE_skillx")]).current_dir(scene.root());
    assert_eq!(observe(command, b"").out(), "exit 1\n");
}
