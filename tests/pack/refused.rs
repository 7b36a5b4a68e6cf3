//! What `check` refuses is refused, with the same code, before anything is written; and no link is followed.

use super::*;

/// Refused with this code by `check DIR` and by `pack`, which leaves nothing.
#[track_caller]
fn refuses(place: &Place, code: &str) {
    let checked = place.json(&["check", "demo"], 1);
    let packed = place.json(&["pack", "demo", "-o", "out/a.tar.gz"], 1);
    for answer in [&checked, &packed] {
        assert_eq!((&answer["error"]["code"], &answer["verdict"]), (&code.into(), &"refused".into()), "{answer}");
    }
    assert!(packed["output"].is_null());
    assert!(!place.path("out").exists());
}

#[test]
fn what_check_refuses_is_refused_with_the_same_code_before_anything_is_written() {
    let cases: [(&str, &[&str]); 8] = [
        ("path-colon", &["a:b"]),
        ("path-backslash", &["a\\b"]),
        ("path-reserved-name", &["con.txt"]),
        ("path-trailing-dot-space", &["a."]),
        ("path-collision", &["A/x", "a/y"]),
        ("lookalike-skill-md", &["skill.md"]),
        ("path-control-char", &["a\nb"]),
        ("path-forbidden", &[".GIT/config"]),
    ];
    for (code, names) in cases {
        let place = Place::new();
        names.iter().for_each(|name| place.put(&format!("demo/{name}"), ""));
        refuses(&place, code);
    }
    let place = Place::new();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        place.path("demo/pipe"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR,
        0,
    )
    .unwrap();
    refuses(&place, "special-file");
}

#[test]
fn every_refusal_is_listed() {
    let place = Place::new();
    place.put("demo/a:b", "");
    place.put("demo/nul", "");
    let answer = place.json(&["pack", "demo"], 1);
    let codes: Vec<_> = answer["refusals"].as_array().unwrap().iter().map(|refusal| refusal["code"].as_str()).collect();
    assert_eq!(codes, [Some("path-colon"), Some("path-reserved-name")]);
}

#[test]
fn without_a_good_skill_md_nothing_is_packed() {
    let place = Place::new();
    place.put("demo/SKILL.md", "no frontmatter");
    refuses(&place, "skill-md-invalid");
    fs::remove_file(place.path("demo/SKILL.md")).unwrap();
    place.put("demo/x", "");
    refuses(&place, "skill-md-missing");
    std::os::unix::fs::symlink("x", place.path("demo/SKILL.md")).unwrap();
    refuses(&place, "skill-md-not-regular");
}

#[test]
fn links_are_packed_as_links_and_never_followed() {
    let place = Place::new();
    place.put("secret", "secret");
    for (target, code) in
        [("../secret", "link-escape"), ("/etc/passwd", "link-absolute"), ("none", "link-target-missing")]
    {
        std::os::unix::fs::symlink(target, place.path("demo/link")).unwrap();
        refuses(&place, code);
        fs::remove_file(place.path("demo/link")).unwrap();
    }
    // A directory that is a link is a link.
    fs::create_dir(place.path("other")).unwrap();
    place.put("other/secret", "secret");
    std::os::unix::fs::symlink("../other", place.path("demo/inner")).unwrap();
    refuses(&place, "link-escape");
    fs::remove_file(place.path("demo/inner")).unwrap();
    place.put("demo/a/x", "");
    std::os::unix::fs::symlink("a", place.path("demo/inner")).unwrap();
    assert_eq!(names(&place.packed(Format::Zip)), ["SKILL.md", "a/x", "inner"]);
    assert_eq!(place.json(&["pack", "demo", "--links", "deny"], 1)["error"]["code"], "links-denied");
    // The directory itself may be given by a link.
    std::os::unix::fs::symlink("demo", place.path("also")).unwrap();
    assert_eq!(packed(&place.path("also"), Format::Zip).bytes(), place.packed(Format::Zip).bytes());
}

#[test]
fn limits_and_denied_findings_refuse() {
    let place = Place::new();
    place.put("demo/big", vec![7; 10_000]);
    for (flags, code) in [
        (&["--max-file", "9999"][..], "limit-file"),
        (&["--max-total", "9999"], "limit-total"),
        (&["--max-entries", "1"], "limit-entries"),
        (&["--max-archive", "50"], "limit-archive"),
    ] {
        let answer = place.json(&[&["pack", "demo"], flags].concat(), 1);
        assert_eq!(answer["error"]["code"], code, "{answer}");
        assert!(!place.path("demo.tar.gz").exists());
    }
    // What deflate makes too small is refused as a client would: the finished bytes are checked.
    place.put("demo/zeros", vec![0; 20 << 20]);
    assert_eq!(place.json(&["pack", "demo"], 1)["error"]["code"], "limit-ratio");
    assert!(!place.path("demo.tar.gz").exists());
    let place = Place::new();
    fs::rename(place.path("demo"), place.path("other")).unwrap();
    let answer = place.json(&["pack", "other", "--deny", "skill-name-directory"], 1);
    assert_eq!(answer["error"]["code"], "skill-name-directory");
    assert_eq!(place.json(&["pack", "other"], 0)["findings"][0]["code"], "skill-name-directory");
}

#[test]
fn the_directory_has_a_name_also_where_it_is_a_dot() {
    let place = Place::new();
    fs::create_dir_all(place.path("demo/sub")).unwrap();
    for (directory, at) in [(".", "demo"), ("..", "demo/sub")] {
        let mut command =
            place.command(&["pack", directory, "-o", "/dev/null/none", "--json", "--deny", "skill-name-directory"]);
        command.current_dir(place.path(at));
        let answer = observe(command, b"").json().unwrap();
        assert_eq!(answer["error"]["class"], "failed", "{answer}");
        assert_eq!(answer["findings"].as_array().unwrap().len(), 0, "{answer}");
    }
}
