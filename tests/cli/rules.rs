//! Flags that change the rules: the wrapper, links, findings, layout, limits.

use crate::support::SKILL_MD;
use crate::support::carrier::{file, hardlink, skill_md, symlink, with_skill};
use crate::{Scene, names, tar_gz};

const GO: &str = "--allow-unverified";

fn scene(archives: &[(&str, Vec<u8>)]) -> Scene {
    let scene = Scene::new();
    for (name, bytes) in archives {
        scene.put(name, bytes);
    }
    scene
}

#[test]
fn a_wrapper_is_named_and_taken_away_when_asked_for() {
    let wrapped = tar_gz(&[file("my-skill-1.0/SKILL.md", SKILL_MD), file("my-skill-1.0/a/b", "x")]);
    let flat = tar_gz(&[skill_md(), file("a/b", "x")]);
    let two = tar_gz(&[file("w/SKILL.md", SKILL_MD), file("v/x", "")]);
    let scene = scene(&[("wrapped.tar.gz", wrapped), ("flat.tar.gz", flat), ("two.tar.gz", two)]);
    for command in ["verify-extract", "check", "list"] {
        let report = scene.answers(&[command, "wrapped.tar.gz", GO], 1, "wrapper-directory");
        let error = &report["error"];
        assert!(error["message"].as_str().unwrap().contains("`my-skill-1.0`"), "{error}");
        assert!(error["help"].as_str().unwrap().contains("--strip-root"), "{error}");
    }
    scene.answers(&["verify-extract", "wrapped.tar.gz", GO, "--strip-root", "-o", "out"], 0, "");
    assert_eq!(names(&scene.path("out")), ["SKILL.md", "a"]);
    scene.answers(&["verify-extract", "flat.tar.gz", GO, "--strip-root", "-o", "out2"], 0, "");
    assert_eq!(names(&scene.path("out2")), ["SKILL.md", "a"]);
    let report = scene.answers(&["check", "two.tar.gz", GO, "--strip-root"], 1, "wrapper-directory");
    assert!(report["error"]["message"].as_str().unwrap().contains("v/x"), "{report:#}");
    scene.answers(&["check", "two.tar.gz", GO], 1, "skill-md-missing");
}

#[test]
fn links_are_kept_or_denied() {
    let soft = tar_gz(&with_skill(vec![symlink("l", "SKILL.md")]));
    let hard = tar_gz(&with_skill(vec![hardlink("h", "SKILL.md")]));
    let scene = scene(&[("soft.tar.gz", soft), ("hard.tar.gz", hard)]);
    for archive in ["soft.tar.gz", "hard.tar.gz"] {
        scene.answers(&["check", archive, GO], 0, "");
        let report = scene.answers(&["check", archive, GO, "--links", "keep"], 0, "");
        assert_eq!(report["policy"]["links"], "keep");
        let report = scene.answers(&["verify-extract", archive, GO, "--links", "deny"], 1, "links-denied");
        assert_eq!(report["policy"]["links"], "deny");
        assert_eq!(report["error"]["ordinal"], 2);
    }
    assert_eq!(scene.names(), ["hard.tar.gz", "soft.tar.gz"]);
}

#[test]
fn findings_refuse_where_they_are_denied() {
    let text = "---\nname: Bad_Form\ndescription: d\nsurprise: 1\n---\n";
    let scene = scene(&[("a.tar.gz", tar_gz(&[file("SKILL.md", text)]))]);
    let report = scene.answers(&["check", "a.tar.gz", GO], 0, "");
    let found: Vec<_> = report["findings"].as_array().unwrap().iter().map(|finding| &finding["code"]).collect();
    assert_eq!(found, ["skill-name-form", "skill-unknown-key"]);
    assert_eq!(report["findings"][0]["path"], "SKILL.md");
    for (deny, codes) in [
        (&["--deny", "skill-name-form"][..], &["skill-name-form"][..]),
        (&["--deny=skill-unknown-key"], &["skill-unknown-key"]),
        (&["--deny", "skill-unknown-key", "--deny", "skill-name-form"], &["skill-name-form", "skill-unknown-key"]),
        (&["--deny", "all"], &["skill-name-form", "skill-unknown-key"]),
        (&["--deny", "skill-bom", "--deny", "all"], &["skill-name-form", "skill-unknown-key"]),
    ] {
        let report = scene.answers(&[&["check", "a.tar.gz", GO][..], deny].concat(), 1, codes[0]);
        let refused: Vec<_> = report["refusals"].as_array().unwrap().iter().map(|error| &error["code"]).collect();
        assert_eq!(refused, codes, "{deny:?}");
        scene.answers(&[&["verify-extract", "a.tar.gz", GO, "-o", "x"][..], deny].concat(), 1, codes[0]);
    }
    scene.answers(&["check", "a.tar.gz", GO, "--deny", "skill-bom"], 0, "");
    assert_eq!(scene.names(), ["a.tar.gz"]);
}

#[test]
fn only_findings_can_be_denied() {
    let scene = Scene::with_demo();
    for code in ["path-traversal", "io", "no-such-code", "", "ALL", "Skill-Bom"] {
        for command in ["verify-extract", "check", "list"] {
            scene.answers(&[command, "demo.tar.gz", GO, "--deny", code], 2, "usage");
        }
    }
    let report =
        scene.answers(&["check", "demo.tar.gz", GO, "--deny", "skill-bom", "--deny", "skill-name-form"], 0, "");
    assert_eq!(report["policy"]["deny"], serde_json::json!(["skill-bom", "skill-name-form"]));
    scene.answers(&["check", "demo.tar.gz", GO, "--deny", "all"], 1, "portability-links");
    scene.put("plain.tar.gz", tar_gz(&with_skill(vec![])));
    let report = scene.answers(&["check", "plain.tar.gz", GO, "--deny", "all"], 0, "");
    assert_eq!(report["policy"]["deny"], serde_json::json!(["all"]));
}

#[test]
fn size_flags_bound_what_they_say() {
    let members = with_skill(vec![file("a/b/c", vec![7; 1000]), file("d", vec![8; 500])]);
    let total = 1500 + SKILL_MD.len();
    let scene = scene(&[("a.tar.gz", tar_gz(&members))]);
    for (flag, most, code) in [
        ("--max-file", 1000, "limit-file"),
        ("--max-total", total, "limit-total"),
        // Three members and two implied directories.
        ("--max-entries", 5, "limit-entries"),
        ("--max-depth", 3, "path-too-deep"),
    ] {
        let at = |value: usize| format!("{flag}={value}");
        for command in [&["check"][..], &["verify-extract", "-o", "out"]] {
            scene.answers(&[command, &["a.tar.gz", GO, &at(most - 1)]].concat(), 1, code);
            assert_eq!(scene.names(), ["a.tar.gz"]);
        }
        scene.answers(&["check", "a.tar.gz", GO, &at(most)], 0, "");
    }
}

#[test]
fn a_ratio_bounds_what_is_beyond_eight_mebibytes() {
    let scene = scene(&[("zeros.tar.gz", tar_gz(&with_skill(vec![file("zeros", vec![0; 9 << 20])])))]);
    scene.answers(&["check", "zeros.tar.gz", GO], 1, "limit-ratio");
    scene.answers(&["check", "zeros.tar.gz", GO, "--max-ratio", "2000"], 0, "");
}
