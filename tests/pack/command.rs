//! The command: where the archive goes, what is replaced, sidecar, index entry, comparison.

use super::*;

#[test]
fn the_default_place_is_the_skill_s_name_in_the_current_directory() {
    let place = Place::new();
    let outcome = place.good(&["pack", "demo"]);
    assert_eq!(outcome.out(), "demo.tar.gz\n");
    place.good(&["pack", "demo", "--format", "zip"]);
    assert!(place.path("demo.zip").is_file());
    place.put("demo/SKILL.md", "---\nname: ../evil\ndescription: d\n---\n");
    let answer = place.json(&["pack", "demo"], 1);
    assert_eq!(answer["error"]["code"], "skill-name-form");
    place.good(&["pack", "demo", "-o", "named.tar.gz"]);
}

#[test]
fn the_output_s_name_declares_the_format_and_may_not_contradict_the_flag() {
    let place = Place::new();
    for (name, format) in
        [("a.tar.gz", "tar.gz"), ("a.tgz", "tar.gz"), ("a.zip", "zip"), ("a.skill", "zip"), ("a", "tar.gz")]
    {
        assert_eq!(place.json(&["pack", "demo", "-o", name], 0)["artifact"]["format"], format, "{name}");
        place.good(&["check", name, "--allow-unverified"]);
    }
    assert_eq!(place.json(&["pack", "demo", "-o", "b.zip", "--format", "tar.gz"], 2)["error"]["code"], "usage");
    assert!(!place.path("b.zip").exists());
}

#[test]
fn only_an_archive_is_replaced_and_what_is_the_same_stays() {
    let place = Place::new();
    assert_eq!(place.json(&["pack", "demo", "-o", "x/y/a.tar.gz"], 0)["saved"], "created");
    let before = fs::metadata(place.path("x/y/a.tar.gz")).unwrap().modified().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(20));
    assert_eq!(place.json(&["pack", "demo", "-o", "x/y/a.tar.gz"], 0)["saved"], "unchanged");
    assert_eq!(fs::metadata(place.path("x/y/a.tar.gz")).unwrap().modified().unwrap(), before);
    place.put("demo/new", "");
    assert_eq!(place.json(&["pack", "demo", "-o", "x/y/a.tar.gz"], 0)["saved"], "replaced");
    place.put("empty", "");
    assert_eq!(place.json(&["pack", "demo", "-o", "empty"], 0)["saved"], "replaced");
    place.put("notes.tar.gz", "precious");
    place.put("target", "precious");
    fs::create_dir(place.path("directory")).unwrap();
    std::os::unix::fs::symlink("target", place.path("link")).unwrap();
    for (name, code) in [("notes.tar.gz", "dest-exists"), ("directory", "dest-exists"), ("link", "dest-is-symlink")] {
        assert_eq!(place.json(&["pack", "demo", "-o", name], 3)["error"]["code"], code, "{name}");
    }
    assert_eq!(fs::read(place.path("notes.tar.gz")).unwrap(), b"precious");
    assert_eq!(fs::read(place.path("target")).unwrap(), b"precious");
    let names: Vec<_> = fs::read_dir(place.path("x/y")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["a.tar.gz"], "no temporary file is left");
}

#[test]
fn an_archive_goes_to_standard_output_alone() {
    let place = Place::new();
    let outcome = place.good(&["pack", "demo", "-o", "-"]);
    assert_eq!(outcome.stdout, place.packed(Format::TarGz).bytes());
    for flag in [&["--json"][..], &["--sidecar"], &["--index-entry", "--url", "x"]] {
        assert_eq!(place.run(&[&["pack", "demo", "-o", "-"], flag].concat()).code, Some(2), "{flag:?}");
    }
}

#[test]
fn the_sidecar_is_what_sha256sum_writes_and_never_promises_old_bytes() {
    let place = Place::new();
    let answer = place.json(&["pack", "demo", "-o", "d/my demo.zip", "--sidecar"], 0);
    assert_eq!(answer["sidecar"], "d/my demo.zip.sha256");
    let hex = answer["artifact"]["sha256"].as_str().unwrap()[7..].to_owned();
    assert_eq!(fs::read_to_string(place.path("d/my demo.zip.sha256")).unwrap(), format!("{hex}  my demo.zip\n"));
    place.good(&["verify-extract", "d/my demo.zip", "-o", "out1"]);
    // A sidecar that is there is kept up to date.
    place.put("demo/new", "");
    assert_eq!(place.json(&["pack", "demo", "-o", "d/my demo.zip"], 0)["sidecar"], "d/my demo.zip.sha256");
    place.good(&["verify-extract", "d/my demo.zip", "-o", "out2"]);
    assert!(place.json(&["pack", "demo", "-o", "d/other.zip"], 0)["sidecar"].is_null());
    place.put("d/large.zip.sha256", vec![b'x'; 5000]);
    assert_eq!(place.json(&["pack", "demo", "-o", "d/large.zip", "--sidecar"], 3)["error"]["code"], "dest-exists");
}

#[test]
fn the_index_entry_is_that_of_the_specification() {
    let place = Place::new();
    let outcome = place.good(&["pack", "demo", "--index-entry", "--url", "https://example.com/demo.tar.gz"]);
    let entry: serde_json::Value = serde_json::from_str(&outcome.out()).unwrap();
    let expected = serde_json::json!({
        "name": "demo",
        "type": "archive",
        "description": "A demo skill.",
        "url": "https://example.com/demo.tar.gz",
        "digest": support::sha256(&fs::read(place.path("demo.tar.gz")).unwrap()),
    });
    assert_eq!(entry, expected);
    assert_eq!(
        place.json(&["pack", "demo", "--index-entry", "--url", "demo.tar.gz"], 0)["index_entry"]["url"],
        "demo.tar.gz"
    );
    for url in ["http://example.com/x", "demo.zip", "a b", ""] {
        assert_eq!(place.json(&["pack", "demo", "--index-entry", "--url", url], 2)["error"]["code"], "usage", "{url}");
    }
    for call in [&["pack", "demo", "--index-entry"][..], &["pack", "demo", "--url", "x"]] {
        assert_eq!(place.run(call).code, Some(2), "{call:?}");
    }
    for (skill_md, code) in [
        ("---\nname: De\ndescription: d\n---\n".to_owned(), "skill-name-form"),
        (format!("---\nname: demo\ndescription: {}\n---\n", "d".repeat(1025)), "skill-description-long"),
    ] {
        place.put("demo/SKILL.md", skill_md);
        let answer = place.json(&["pack", "demo", "-o", "z.tar.gz", "--index-entry", "--url", "z.tar.gz"], 1);
        assert_eq!(answer["error"]["code"], code);
        assert!(!place.path("z.tar.gz").exists());
    }
}

#[test]
fn an_index_entry_with_a_stranger_s_text_harms_no_terminal_and_is_still_that_text() {
    let place = Place::new();
    let description = "gu\u{ed}a \u{202e} ::set-output ##[x] \u{1f600}";
    place.put("demo/SKILL.md", format!("---\nname: demo\ndescription: \"{description}\"\n---\n"));
    let outcome = place.good(&["pack", "demo", "--index-entry", "--url", "x"]);
    assert_eq!(outcome.dirt(), Vec::<String>::new());
    assert_eq!(outcome.ci_commands(), Vec::<String>::new());
    let entry: serde_json::Value = serde_json::from_str(&outcome.out()).unwrap();
    assert_eq!(entry["description"], description);
}

#[test]
fn check_says_whether_a_file_is_what_the_directory_packs_to() {
    let place = Place::new();
    place.put("demo/run", "x");
    for name in ["a.tar.gz", "a.zip"] {
        place.good(&["pack", "demo", "-o", name, "--sidecar"]);
        let answer = place.json(&["pack", "demo", "--check", name, "--sidecar"], 0);
        assert_eq!((&answer["compared"], &answer["saved"]), (&true.into(), &serde_json::Value::Null));
    }
    let differs = |args: &[&str], says: &str| {
        let answer = place.json(&[&["pack", "demo", "--check", "a.zip"], args].concat(), 1);
        assert_eq!(answer["error"]["code"], "pack-differs");
        assert!(answer["error"]["message"].as_str().unwrap().contains(says), "{answer}");
    };
    place.chmod("demo/run", 0o755);
    differs(&[], "`run` differs in its execute bit");
    place.chmod("demo/run", 0o644);
    place.put("demo/run", "y");
    differs(&[], "contents, times or compression");
    place.put("demo/run", "xy");
    differs(&[], "`run` has another size");
    fs::remove_file(place.path("demo/run")).unwrap();
    differs(&[], "the archive has `run`");
    place.put("demo/sun", "x");
    differs(&[], "the archive lacks `sun`");
    fs::rename(place.path("demo/sun"), place.path("demo/run")).unwrap();
    place.put("a.zip.sha256", format!("{}  a.zip\n", "0".repeat(64)));
    differs(&["--sidecar"], "the sidecar");
    place.put("a.zip", "no archive");
    differs(&[], "no archive that passes");
    assert_eq!(place.json(&["pack", "demo", "--check", "none.zip"], 3)["error"]["code"], "io");
}

#[test]
fn a_directory_that_is_none_is_a_failure_and_two_are_a_wrong_call() {
    let place = Place::new();
    assert_eq!(place.json(&["pack", "none"], 3)["error"]["code"], "io");
    assert_eq!(place.json(&["pack", "demo/SKILL.md"], 3)["error"]["code"], "io");
    assert_eq!(place.json(&["pack", "demo", "demo"], 2)["error"]["code"], "usage");
    assert_eq!(place.run(&["pack"]).code, Some(2));
}
