//! `ARCHIVE.sha256` beside the archive: the forms that are read, and that a malformed one is never skipped.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use crate::{Scene, demo, hex, judge, mkfifo};

const ARCHIVE: &str = "demo.tar.gz";
const SIDECAR: &str = "demo.tar.gz.sha256";

/// Puts a sidecar there and says what `check` answers: exit code and error code.
fn answer(scene: &Scene, sidecar: impl AsRef<[u8]>) -> (i32, String) {
    scene.put(SIDECAR, sidecar);
    ask(scene, &[])
}

fn ask(scene: &Scene, more: &[&str]) -> (i32, String) {
    let outcome = scene.run(&[&["check", ARCHIVE, "--json"][..], more].concat());
    let report = outcome.json().unwrap();
    if outcome.code == Some(0) {
        assert_eq!(report["artifact"]["digest_source"], "sidecar");
        assert_eq!(report["artifact"]["verified"], true);
    }
    let code = report["error"]["code"].as_str().unwrap_or_default().to_owned();
    judge(&outcome, outcome.code.unwrap(), &code);
    (outcome.code.unwrap(), code)
}

#[track_caller]
fn assert_syntax(found: &(i32, String), what: &str) {
    assert_eq!((found.0, found.1.as_str()), (2, "digest-syntax"), "{what}");
}

/// Cases: X17-sidecar.
#[test]
fn every_form_that_the_usual_tools_write_is_read() {
    let scene = Scene::with_demo();
    let hex = hex(&demo());
    let forms = [
        format!("{hex}  demo.tar.gz\n"),
        format!("{hex}  demo.tar.gz"),
        format!("{hex} *demo.tar.gz\n"),
        format!("{hex}  ./demo.tar.gz\n"),
        format!("{hex}  dist/demo.tar.gz\n"),
        format!("{hex}  /home/ci/build/demo.tar.gz\n"),
        format!("SHA256 (demo.tar.gz) = {hex}\n"),
        format!("SHA256 (dist/demo.tar.gz) = {hex}"),
        format!("{hex}\n"),
        hex.clone(),
        format!("{hex}  demo.tar.gz\r\n"),
        format!("{hex} *demo.tar.gz\r\n"),
        format!("SHA256 (demo.tar.gz) = {hex}\r\n"),
        format!("{hex}\r\n"),
        format!("{hex}  demo.tar.gz\n\n"),
    ];
    for form in forms {
        assert_eq!(answer(&scene, &form), (0, String::new()), "{form:?}");
        let wrong = form.replacen(&hex, &"0".repeat(64), 1);
        assert_eq!(answer(&scene, &wrong), (1, "digest-mismatch".to_owned()), "{wrong:?}");
    }
    let text = scene.run(&["check", ARCHIVE, "--digest", &hex]);
    assert!(!text.err().contains("origin"));
    scene.put(SIDECAR, &hex);
    assert!(scene.run(&["check", ARCHIVE]).err().contains("no proof of origin"));
}

#[test]
fn of_several_lines_the_one_that_names_the_archive_counts() {
    let scene = Scene::with_demo();
    let (hex, zeros) = (hex(&demo()), "0".repeat(64));
    assert_eq!(answer(&scene, format!("{zeros}  other.zip\n{hex}  demo.tar.gz\n")).0, 0);
    assert_eq!(answer(&scene, format!("{hex}  demo.tar.gz\n{zeros}  other.zip\n")).0, 0);
    assert_eq!(answer(&scene, format!("{hex}  demo.tar.gz\n{hex}  demo.tar.gz\n")).0, 0);
    assert_eq!(answer(&scene, format!("{zeros}  demo.tar.gz\n{hex}  other.zip\n")).1, "digest-mismatch");
    for contradiction in [
        format!("{hex}  demo.tar.gz\n{zeros}  demo.tar.gz\n"),
        format!("{zeros}  demo.tar.gz\n{hex}  demo.tar.gz\n"),
        format!("{hex}\n{zeros}\n"),
        format!("{hex}\n{zeros}  demo.tar.gz\n"),
    ] {
        assert_syntax(&answer(&scene, &contradiction), &contradiction);
    }
}

#[test]
fn a_sidecar_that_names_another_file_is_malformed() {
    let scene = Scene::with_demo();
    let hex = hex(&demo());
    for name in
        ["other.tar.gz", "demo.tar.gz.bak", "Demo.tar.gz", "demo.tar.gz ", " demo.tar.gz", "demo", "demo.tar.gz/x"]
    {
        assert_syntax(&answer(&scene, format!("{hex}  {name}\n")), name);
        assert_syntax(&answer(&scene, format!("SHA256 ({name}) = {hex}\n")), name);
    }
}

/// Cases: D03-sidecar.
#[test]
fn a_malformed_sidecar_is_never_skipped() {
    let scene = Scene::with_demo();
    let hex = hex(&demo());
    let malformed = [
        String::new(),
        "\n".to_owned(),
        "\r\n".to_owned(),
        "no digest\n".to_owned(),
        "<html>404</html>".to_owned(),
        hex.to_uppercase(),
        format!("{}  demo.tar.gz\n", hex.to_uppercase()),
        format!("SHA256 (demo.tar.gz) = {}\n", hex.to_uppercase()),
        format!("{}  demo.tar.gz\n", &hex[1..]),
        format!("{hex}0  demo.tar.gz\n"),
        format!("{hex} demo.tar.gz\n"),
        format!("{hex}\tdemo.tar.gz\n"),
        format!("{hex}  \n"),
        format!(" {hex}  demo.tar.gz\n"),
        format!("{hex} \n"),
        format!("SHA256 (demo.tar.gz)= {hex}\n"),
        format!("SHA256(demo.tar.gz)= {hex}\n"),
        format!("MD5 (demo.tar.gz) = {}\n", &hex[..32]),
        format!("SHA512 (demo.tar.gz) = {hex}{hex}\n"),
        format!("{hex}{hex}  demo.tar.gz\n"),
        format!("{hex}  demo.tar.gz\ngarbage\n"),
        format!("garbage\n{hex}  demo.tar.gz\n"),
        format!("\u{feff}{hex}  demo.tar.gz\n"),
        format!("{hex}  demo.tar.gz\0\n"),
    ];
    for text in malformed {
        assert_syntax(&answer(&scene, &text), &text);
        assert_syntax(&ask(&scene, &["--allow-unverified"]), &text);
    }
    assert_syntax(&answer(&scene, b"\xff\xfe not text"), "bytes that are no text");
    // UTF-16, as PowerShell writes it.
    let utf16: Vec<u8> = format!("{hex}  demo.tar.gz").encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_syntax(&answer(&scene, utf16), "UTF-16");
}

/// Cases: X22-size.
#[test]
fn a_sidecar_has_at_most_four_kib() {
    let scene = Scene::with_demo();
    let mut text = format!("{}  demo.tar.gz\n", hex(&demo()));
    text.push_str(&"\n".repeat(4096 - text.len()));
    assert_eq!(answer(&scene, &text).0, 0, "4 KiB exactly");
    text.push('\n');
    assert_syntax(&answer(&scene, &text), "4 KiB and one byte");
    fs::File::create(scene.path(SIDECAR)).unwrap().set_len(1 << 40).unwrap();
    assert_syntax(&ask(&scene, &[]), "a terabyte of nothing");
}

/// Cases: X22-fifo.
#[test]
fn only_a_regular_file_is_a_sidecar_and_nothing_else_is_waited_for() {
    let scene = Scene::with_demo();
    let sidecar = scene.path(SIDECAR);
    // Opening a FIFO that nobody writes to would wait for ever.
    mkfifo(&sidecar);
    assert_syntax(&ask(&scene, &[]), "a FIFO");
    assert_syntax(&ask(&scene, &["--allow-unverified"]), "a FIFO");
    fs::remove_file(&sidecar).unwrap();
    fs::create_dir(&sidecar).unwrap();
    assert_syntax(&ask(&scene, &[]), "a directory");
    fs::remove_dir(&sidecar).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(&sidecar).unwrap();
    assert_syntax(&ask(&scene, &[]), "a socket");
    fs::remove_file(&sidecar).unwrap();
    if Path::new("/dev/zero").exists() {
        symlink("/dev/zero", &sidecar).unwrap();
        assert_syntax(&ask(&scene, &[]), "a link to a device");
    }
}

/// Cases: X22-link.
#[test]
fn a_sidecar_that_is_a_link_is_read_or_refused_but_never_skipped() {
    let scene = Scene::with_demo();
    let sidecar = scene.path(SIDECAR);
    scene.put("real", format!("{}  demo.tar.gz\n", "0".repeat(64)));
    symlink("real", &sidecar).unwrap();
    let (exit, code) = ask(&scene, &["--allow-unverified"]);
    assert!([(1, "digest-mismatch"), (2, "digest-syntax")].contains(&(exit, &*code)), "{exit} {code}");
    fs::remove_file(&sidecar).unwrap();
    symlink("nowhere", &sidecar).unwrap();
    assert_syntax(&ask(&scene, &[]), "a link that leads nowhere");
    assert_syntax(&ask(&scene, &["--allow-unverified"]), "a link that leads nowhere");
    fs::remove_file(&sidecar).unwrap();
    symlink(SIDECAR, &sidecar).unwrap();
    assert_syntax(&ask(&scene, &["--allow-unverified"]), "a link to itself");
}

#[test]
fn the_sidecar_lies_beside_the_archive_as_it_was_named() {
    let scene = Scene::new();
    scene.put("dist/demo.tar.gz", demo());
    scene.put("dist/demo.tar.gz.sha256", format!("{}  demo.tar.gz\n", hex(&demo())));
    scene.answers(&["check", "dist/demo.tar.gz"], 0, "");
    let absolute = scene.path("dist/demo.tar.gz");
    scene.answers(&["check", absolute.to_str().unwrap()], 0, "");
    // Not the one in the current directory.
    scene.put("demo.tar.gz.sha256", "no digest");
    scene.answers(&["check", "dist/demo.tar.gz"], 0, "");
    // A link to the archive has its own sidecar or none.
    symlink("dist/demo.tar.gz", scene.path("link.tar.gz")).unwrap();
    scene.answers(&["check", "link.tar.gz"], 2, "digest-missing");
    scene.put("link.tar.gz.sha256", hex(&demo()));
    scene.answers(&["check", "link.tar.gz"], 0, "");
}

#[test]
fn names_that_sha256sum_escapes_are_read_as_they_are_meant() {
    let scene = Scene::new();
    for (name, written) in [("a\nb.tgz", "a\\nb.tgz"), ("back\\slash.tgz", "back\\\\slash.tgz")] {
        scene.put(name, demo());
        let output = std::process::Command::new("sha256sum").arg(name).current_dir(scene.root()).output();
        let sums = output.map(|output| output.stdout).unwrap_or_default();
        let expected = format!("\\{}  {written}\n", hex(&demo()));
        if !sums.is_empty() {
            assert_eq!(String::from_utf8(sums).unwrap(), expected, "what the tool writes");
        }
        scene.put(format!("{name}.sha256"), &expected);
        scene.answers(&["check", name], 0, "");
    }
}

#[test]
fn an_archive_that_is_called_like_a_sidecar_is_an_archive() {
    let scene = Scene::new();
    scene.put("x.sha256", demo());
    scene.answers(&["check", "x.sha256"], 2, "digest-missing");
    scene.put("x.sha256.sha256", hex(&demo()));
    scene.answers(&["check", "x.sha256"], 0, "");
    // The sidecar of a file that is not there helps nobody.
    scene.put("gone.tar.gz.sha256", hex(&demo()));
    scene.answers(&["check", "gone.tar.gz"], 3, "io");
}
