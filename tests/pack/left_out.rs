//! What is left out, and named.

use super::*;

#[track_caller]
fn left_out(packed: &Packed) -> Vec<(String, String)> {
    let json = serde_json::to_value(packed.left_out()).unwrap();
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    json.as_array().unwrap().iter().map(|item| (text(&item["path"]), text(&item["because"]))).collect()
}

#[test]
fn version_control_caches_and_notes_are_left_out_and_named() {
    let place = Place::new();
    for junk in [
        ".git/HEAD",
        ".DS_Store",
        "a/.DS_Store",
        "a/._x",
        "__MACOSX/._y",
        "__pycache__/x.pyc",
        "a/x.pyc",
        "node_modules/m/index.js",
        "a/.git",
        "Thumbs.db",
    ] {
        place.put(&format!("demo/{junk}"), "junk");
    }
    place.put("demo/a/x.py", "kept");
    place.put("demo/.env.example", "kept");
    place.put("demo/skill.oms.sig", "kept");
    let named = [
        ".DS_Store",
        ".git",
        "Thumbs.db",
        "__MACOSX",
        "__pycache__",
        "a/.DS_Store",
        "a/._x",
        "a/.git",
        "a/x.pyc",
        "node_modules",
    ];
    for format in FORMATS {
        let packed = place.packed(format);
        assert_eq!(names(&packed), ["SKILL.md", ".env.example", "a/x.py", "skill.oms.sig"]);
        assert_eq!(left_out(&packed), named.map(|name| (name.to_owned(), "junk".to_owned())));
    }
    let err = place.good(&["pack", "demo"]).err();
    assert!(named.iter().all(|name| err.contains(&format!("left out {name} "))), "{err}");
}

#[test]
fn junk_never_changes_the_bytes() {
    let (clean, dirty) = (Place::new(), Place::new());
    for place in [&clean, &dirty] {
        place.put("demo/a/x", "x");
    }
    dirty.put("demo/a/.DS_Store", "");
    dirty.put("demo/__pycache__/x", "");
    std::os::unix::fs::symlink("/", dirty.path("demo/node_modules2")).unwrap();
    fs::rename(dirty.path("demo/node_modules2"), dirty.path("demo/.git")).unwrap();
    for format in FORMATS {
        assert_eq!(clean.packed(format).digest(), dirty.packed(format).digest());
    }
}

#[test]
fn skillxignore_has_the_syntax_of_gitignore_and_the_last_word() {
    let place = Place::new();
    place.put("demo/.skillxignore", "# notes\n*.log\r\n/drafts/\n!keep.log\n!*.pyc\nevals\n");
    for name in ["a.log", "keep.log", "sub/b.log", "drafts/x", "sub/drafts/y", "evals/z", "sub/evals", "m.pyc"] {
        place.put(&format!("demo/{name}"), "x");
    }
    let packed = place.packed(Format::TarGz);
    assert_eq!(names(&packed), ["SKILL.md", "keep.log", "m.pyc", "sub/drafts/y"]);
    let because: Vec<_> = left_out(&packed);
    assert_eq!(because[0], (".skillxignore".to_owned(), "junk".to_owned()));
    assert!(because[1..].iter().all(|(_, why)| why == "skillxignore"), "{because:?}");
}

#[test]
fn a_skillxignore_that_cannot_be_read_is_a_wrong_call() {
    for (text, says) in [(&b"[z-a]\n"[..], "line 1"), (b"ok\n\n[b-a]x\n", "line 3"), (b"\xff", "UTF-8")] {
        let place = Place::new();
        place.put("demo/.skillxignore", text);
        let answer = place.json(&["pack", "demo"], 2);
        assert!(answer["error"]["message"].as_str().unwrap().contains(says), "{answer}");
    }
    let place = Place::new();
    std::os::unix::fs::symlink("/etc/passwd", place.path("demo/.skillxignore")).unwrap();
    assert_eq!(place.json(&["pack", "demo"], 2)["error"]["code"], "usage");
}

#[test]
fn the_archive_that_is_made_does_not_hold_itself() {
    let place = Place::new();
    let inside = |args: &[&str]| {
        let mut command = place.command(args);
        command.current_dir(place.path("demo"));
        observe(command, b"")
    };
    for args in [&["pack", "."][..], &["pack", ".", "-o", "dist.zip"], &["pack", "../demo", "-o", "d/x.tar.gz"]] {
        let args = [args, &["--sidecar", "--json"]].concat();
        let first = inside(&args).json().unwrap();
        let second = inside(&args).json().unwrap();
        assert_eq!(first["artifact"]["sha256"], second["artifact"]["sha256"], "{args:?}: {second}");
        assert_eq!((&first["saved"], &second["saved"]), (&"created".into(), &"unchanged".into()), "{args:?}");
        let left_out = second["left_out"].as_array().unwrap();
        assert_eq!(left_out.iter().filter(|item| item["because"] == "output").count(), 2, "{second}");
        fs::remove_dir_all(place.path("demo")).unwrap();
        place.put("demo/SKILL.md", SKILL_MD);
    }
}
