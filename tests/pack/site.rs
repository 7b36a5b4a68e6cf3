//! `pack --site`: a whole tree for a static host, and what a second run changes.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::*;

const WELL_KNOWN: &str = "site/.well-known/agent-skills";

fn two() -> Place {
    let place = Place::new();
    place.put("demo/scripts/run.sh", "#!/bin/sh\n");
    place.put("notes/SKILL.md", "---\nname: notes\ndescription: |\n  Two\n  lines\n---\n");
    place
}

fn index(place: &Place) -> Value {
    serde_json::from_slice(&fs::read(place.path(WELL_KNOWN).join("index.json")).unwrap()).unwrap()
}

/// Every file below the site with its content and time.
fn files(place: &Place) -> BTreeMap<String, (Vec<u8>, std::time::SystemTime)> {
    let root = place.path("site");
    let content = |(path, node): (String, Node)| match node {
        Node::File { bytes, .. } => {
            let time = fs::metadata(root.join(&path)).unwrap().modified().unwrap();
            Some((path, (bytes, time)))
        }
        _ => None,
    };
    tree::walk(&root).into_iter().filter_map(content).collect()
}

fn states(answer: &Value) -> BTreeMap<String, String> {
    let files = answer["files"].as_array().unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let short = |path: String| path.trim_start_matches(".well-known/agent-skills/").to_owned();
    files.iter().map(|file| (short(text(&file["path"])), text(&file["state"]))).collect()
}

fn expect(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(path, state)| ((*path).to_owned(), (*state).to_owned())).collect()
}

#[test]
fn a_site_has_an_index_archives_and_plain_skills_that_verify() {
    let place = two();
    let outcome = place.good(&["pack", "--site", "site", "notes", "demo"]);
    assert_eq!(outcome.out(), "site\n");
    let digest = |name: &str| support::sha256(&fs::read(place.path(WELL_KNOWN).join(name)).unwrap());
    let expected = json!({
        "$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json",
        "skills": [
            { "name": "demo", "type": "archive", "description": "A demo skill.", "url": "demo.tar.gz", "digest": digest("demo.tar.gz") },
            { "name": "notes", "type": "skill-md", "description": "Two\nlines\n", "url": "notes/SKILL.md", "digest": digest("notes/SKILL.md") },
        ],
    });
    assert_eq!(index(&place), expected);
    assert_eq!(
        fs::read(place.path(WELL_KNOWN).join("notes/SKILL.md")).unwrap(),
        fs::read(place.path("notes/SKILL.md")).unwrap()
    );
    let archive = format!("{WELL_KNOWN}/demo.tar.gz");
    place.good(&["verify-extract", &archive, "--digest", &digest("demo.tar.gz"), "--name", "demo", "-o", "out"]);
    assert_same(&tree::walk(&place.path("demo")), &tree::walk(&place.path("out")));
    assert_eq!(files(&place).len(), 3, "nothing else is there");
}

#[test]
fn a_second_run_changes_only_what_changed() {
    let place = two();
    let run = |args: &[&str]| place.json(&[&["pack", "--site", "site"], args].concat(), 0);
    run(&["demo", "notes"]);
    let before = files(&place);
    std::thread::sleep(std::time::Duration::from_millis(20));
    let same = run(&["demo", "notes"]);
    assert_eq!(
        states(&same),
        expect(&[("demo.tar.gz", "unchanged"), ("index.json", "unchanged"), ("notes/SKILL.md", "unchanged")])
    );
    assert_eq!(files(&place), before, "times included");
    place.put("demo/new", "");
    let changed = run(&["demo", "notes"]);
    assert_eq!(
        states(&changed),
        expect(&[("demo.tar.gz", "replaced"), ("index.json", "replaced"), ("notes/SKILL.md", "unchanged")])
    );
    let after = files(&place);
    let notes = ".well-known/agent-skills/notes/SKILL.md";
    assert_eq!(after[notes], before[notes]);
}

#[test]
fn what_no_index_published_is_not_written_over() {
    for (path, text) in [
        (format!("{WELL_KNOWN}/index.json"), "mine\n"),
        (format!("{WELL_KNOWN}/notes/SKILL.md"), "mine\n"),
        ("site/skills.txt".to_owned(), "my notes\n"),
    ] {
        let place = two();
        place.put(&path, text);
        let report = place.json(&["pack", "--site", "site", "demo", "notes", "--skills-txt"], 3);
        assert_eq!(report["error"]["code"], "dest-exists", "{path}");
        assert_eq!(fs::read_to_string(place.path(&path)).unwrap(), text);
    }
}

#[test]
fn what_no_skill_has_any_more_is_removed_if_it_is_ours() {
    let place = two();
    let run = |args: &[&str]| place.json(&[&["pack", "--site", "site"], args].concat(), 0);
    run(&["demo", "notes", "--skills-txt"]);
    let removed = run(&["notes"]);
    assert_eq!(
        states(&removed),
        expect(&[
            ("demo.tar.gz", "removed"),
            ("demo/SKILL.md", "removed"),
            ("index.json", "replaced"),
            ("notes/SKILL.md", "unchanged"),
        ])
    );
    assert!(!place.path(WELL_KNOWN).join("demo").exists());
    // From one file to a folder and to another format.
    place.put("notes/more", "");
    assert_eq!(states(&run(&["notes"]))["notes/SKILL.md"], "removed");
    assert_eq!(states(&run(&["notes", "--format", "zip"]))["notes.tar.gz"], "removed");
    // What is not what the index said stays, and so does what no index named.
    place.put(&format!("{WELL_KNOWN}/notes.zip"), "PK\u{3}\u{4} changed by hand");
    place.put(&format!("{WELL_KNOWN}/README.md"), "by hand");
    let kept = run(&["demo"]);
    assert_eq!(states(&kept)["notes.zip"], "kept");
    assert!(place.path(WELL_KNOWN).join("README.md").is_file());
    // An index that somebody else wrote deletes nothing of ours.
    place.put(
        &format!("{WELL_KNOWN}/index.json"),
        r#"{"skills":[{"name":"x","url":"../../../demo/SKILL.md","digest":"sha256:0"}]}"#,
    );
    run(&["demo"]);
    assert!(place.path("demo/SKILL.md").is_file());
}

#[test]
fn after_a_refusal_nothing_is_written_and_every_skill_is_heard() {
    let place = two();
    place.put("bad/SKILL.md", "none");
    place.put("worse/SKILL.md", "---\nname: Worse\ndescription: d\n---\n");
    let answer = place.json(&["pack", "--site", "site", "demo", "bad", "worse"], 1);
    let codes: Vec<_> =
        answer["skills"].as_array().unwrap().iter().map(|skill| &skill["refusals"][0]["code"]).collect();
    assert_eq!(codes, [&Value::Null, &"skill-md-invalid".into(), &"skill-name-form".into()]);
    assert_eq!(answer["error"]["code"], "skill-md-invalid");
    assert!(answer["output"].is_null());
    assert!(!place.path("site").exists());
    let text = place.run(&["pack", "--site", "site", "demo", "bad", "worse"]);
    assert!(text.err().contains("nothing was written") && text.out().is_empty(), "{}", text.err());
}

#[test]
fn two_skills_of_one_name_are_a_wrong_call() {
    let place = two();
    place.put("copy/SKILL.md", SKILL_MD);
    let answer = place.json(&["pack", "--site", "site", "demo", "copy"], 2);
    assert!(answer["error"]["message"].as_str().unwrap().contains("demo and copy"), "{answer}");
    assert!(!place.path("site").exists());
}

#[test]
fn skills_txt_links_to_every_skill_md() {
    let place = two();
    place.good(&["pack", "--site", "site", "demo", "notes", "--skills-txt"]);
    let text = fs::read_to_string(place.path("site/skills.txt")).unwrap();
    assert_eq!(text.lines().filter(|line| line.starts_with("# ")).count(), 1);
    for line in [
        "- [demo](.well-known/agent-skills/demo/SKILL.md): A demo skill.",
        "- [notes](.well-known/agent-skills/notes/SKILL.md): Two lines",
    ] {
        assert!(text.lines().any(|found| found == line), "{text}");
        let link = line.split(['(', ')']).nth(1).unwrap();
        assert!(place.path("site").join(link).is_file(), "{link}");
    }
    assert_eq!(place.run(&["pack", "demo", "--skills-txt"]).code, Some(2));
}

#[test]
fn links_in_the_way_are_not_followed() {
    let place = two();
    fs::create_dir_all(place.path("site")).unwrap();
    fs::create_dir_all(place.path("elsewhere/agent-skills")).unwrap();
    std::os::unix::fs::symlink("../elsewhere", place.path("site/.well-known")).unwrap();
    assert_eq!(place.json(&["pack", "--site", "site", "demo"], 3)["error"]["code"], "io");
    assert_eq!(fs::read_dir(place.path("elsewhere/agent-skills")).unwrap().count(), 0);
    fs::remove_file(place.path("site/.well-known")).unwrap();
    fs::create_dir_all(place.path(WELL_KNOWN)).unwrap();
    std::os::unix::fs::symlink("../../../elsewhere/x", place.path(WELL_KNOWN).join("demo.tar.gz")).unwrap();
    assert_eq!(place.json(&["pack", "--site", "site", "demo"], 3)["error"]["code"], "dest-is-symlink");
    assert!(!place.path("elsewhere/x").exists());
}
