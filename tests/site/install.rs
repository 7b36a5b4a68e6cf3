//! `skillx install` against a site on loopback: the way it goes, and every way in which it must not go.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::{Value, json};
use skillx_archive::Receipt;

use crate::scene::Scene;
use crate::server::{Client, Request, Server};
use crate::support::carrier::{Carrier, exec, file, symlink as link};
use crate::support::sha256;
use crate::web::{INDEX, Web, entry, skill, skill_md};

/// What came of each skill: name, status, code.
fn statuses(report: &Value) -> Vec<(String, String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let skills = report["skills"].as_array().unwrap().iter();
    skills.map(|skill| (text(&skill["name"]), text(&skill["status"]), text(&skill["error"]["code"]))).collect()
}

#[track_caller]
fn assert_statuses(report: &Value, expected: &[(&str, &str, &str)]) {
    let found = statuses(report);
    let found: Vec<_> = found.iter().map(|(a, b, c)| (a.as_str(), b.as_str(), c.as_str())).collect();
    assert_eq!(found, expected, "{report:#}");
}

#[test]
fn a_site_from_the_first_install_to_the_lock() {
    let (web, scene) = (Web::new(), Scene::new());
    let pdf =
        web.archive("pdf", Carrier::TarGz, &skill("pdf", vec![exec("scripts/run.sh", "echo"), link("l", "SKILL.md")]));
    let csv = web.archive("csv", Carrier::Zip, &skill("csv", vec![file("a.txt", "a")]));
    let note = web.skill_md("note", &skill_md("note"));
    let mut broken = entry("broken", "archive", "/broken.zip", "sha256:0");
    broken["description"] = json!("Is broken.");
    let future = entry("future", "bundle", "/future", "");
    web.index(&[pdf, csv.clone(), note.clone(), broken.clone(), future.clone()]);
    let url = web.url();

    // Two archives, one skill-md, one broken entry, one unknown type.
    let report = scene.answers(&["install", &url, "--all"], 1, "index-entry-invalid");
    assert_statuses(
        &report,
        &[
            ("pdf", "installed", ""),
            ("csv", "installed", ""),
            ("note", "installed", ""),
            ("broken", "refused", "index-entry-invalid"),
            ("future", "skipped", "index-type-unknown"),
        ],
    );
    assert_eq!(scene.names("skills"), [".skillx", "csv", "note", "pdf", "skillx.lock"]);
    assert_eq!(scene.names("skills/.skillx"), ["csv.json", "note.json", "pdf.json"]);
    assert_eq!(scene.names("skills/note"), ["SKILL.md"]);
    assert_eq!(scene.text("skills/pdf/scripts/run.sh"), "echo");
    let artifact = &report["skills"][0]["report"]["artifact"];
    assert_eq!((&artifact["digest_source"], &artifact["verified"]), (&json!("index"), &json!(true)));
    let receipt = Receipt::of(scene.path("skills/pdf")).unwrap().unwrap();
    assert_eq!(receipt.index(), Some(web.server.url(INDEX).as_str()));
    assert_eq!(receipt.url(), Some(web.server.url("/pdf.tar.gz").as_str()));
    assert_eq!(Receipt::of(scene.path("skills/note")).unwrap().unwrap().format(), "skill-md");
    let lock = scene.text("skills/skillx.lock");
    let pinned: Value = serde_json::from_str(&lock).unwrap();
    let names: Vec<_> = pinned["skills"].as_array().unwrap().iter().map(|pin| pin["name"].as_str().unwrap()).collect();
    assert_eq!((pinned["schema"].as_str(), names), (Some("skillx.lock/1"), vec!["csv", "note", "pdf"]));
    scene.run(&["verify", "skills"]);
    assert_eq!(scene.run(&["verify", "skills"]).code, Some(0));

    // Again: nothing but the index is asked for.
    let before = web.count();
    let report = scene.answers(&["install", &url, "--all", "--no-cache"], 1, "index-entry-invalid");
    assert_eq!(statuses(&report).iter().filter(|(_, status, _)| status == "unchanged").count(), 3);
    assert_eq!(web.asked(before), [INDEX]);
    assert_eq!(scene.text("skills/skillx.lock"), lock);

    // One digest changes: that skill is exchanged, and what changed is said.
    let members =
        skill("pdf", vec![exec("scripts/new.sh", "new"), file("scripts/run.sh", "echo"), link("l", "scripts")]);
    let pdf = web.archive("pdf", Carrier::TarGz, &members);
    web.index(&[pdf.clone(), csv.clone(), note.clone(), broken.clone(), future.clone()]);
    let before = web.count();
    let report = scene.answers(&["install", &url, "pdf", "csv"], 0, "");
    assert_statuses(&report, &[("pdf", "updated", ""), ("csv", "unchanged", "")]);
    assert_eq!(web.asked(before), [INDEX, "/pdf.tar.gz"]);
    let update = &report["skills"][0]["update"];
    assert_eq!(update["added"], json!(["scripts/new.sh"]));
    assert_eq!((&update["changed"], &update["new_links"]), (&json!(["l"]), &json!(["l"])));
    assert_eq!((&update["removed"], &update["new_executables"]), (&json!([]), &json!(["scripts/new.sh"])));
    assert!(scene.path("skills/pdf/scripts/new.sh").exists());

    // A tampered archive: the old tree stays.
    let tree = crate::support::tree::walk(&scene.path("skills/pdf"));
    let mut changed = pdf.clone();
    changed["digest"] = json!(sha256(b"promised"));
    web.index(&[changed, csv.clone()]);
    let report = scene.answers(&["install", &url, "pdf"], 1, "digest-mismatch");
    assert_statuses(&report, &[("pdf", "refused", "digest-mismatch")]);
    assert_eq!(
        crate::support::tree::differences(&tree, &crate::support::tree::walk(&scene.path("skills/pdf"))),
        Vec::<String>::new()
    );
    assert_eq!(scene.run(&["verify", "skills"]).code, Some(0));

    // An edited file is caught, and is not overwritten.
    scene.put("skills/csv/a.txt", "mine");
    scene.answers(&["verify", "skills/csv"], 1, "tree-changed");
    let csv = web.archive("csv", Carrier::Zip, &skill("csv", vec![file("a.txt", "theirs")]));
    web.index(&[pdf.clone(), csv.clone()]);
    scene.answers(&["install", &url, "csv"], 3, "local-edits");
    assert_eq!(scene.text("skills/csv/a.txt"), "mine");
    scene.answers(&["install", &url, "csv", "--force"], 0, "");
    assert_eq!(scene.text("skills/csv/a.txt"), "theirs");

    // The lock refuses what the index has changed, and touches nothing.
    scene.answers(&["install", &url, "pdf", "csv", "--locked"], 0, "");
    let other = web.archive("pdf", Carrier::TarGz, &skill("pdf", vec![]));
    let newer = web.archive("csv", Carrier::Zip, &skill("csv", vec![file("a.txt", "newer")]));
    web.index(&[pdf, newer]);
    let (lock, before) = (scene.text("skills/skillx.lock"), web.count());
    let report = scene.answers(&["install", &url, "pdf", "csv", "--locked"], 1, "lock-mismatch");
    assert_statuses(&report, &[("pdf", "untouched", ""), ("csv", "refused", "lock-mismatch")]);
    assert_eq!(web.asked(before), [INDEX]);
    // Rollback to an older archive is caught by the lock alone.
    web.index(&[other, csv]);
    scene.answers(&["install", &url, "--locked"], 1, "lock-mismatch");
    assert_eq!((scene.text("skills/skillx.lock"), scene.text("skills/csv/a.txt")), (lock, "theirs".to_owned()));

    // And it goes away whole.
    scene.answers(&["remove", "csv"], 0, "");
    assert_eq!(scene.names("skills"), [".skillx", "note", "pdf", "skillx.lock"]);
    assert!(!scene.text("skills/skillx.lock").contains("csv"));
}

#[test]
fn without_names_the_skills_are_listed() {
    let (web, scene) = (Web::new(), Scene::new());
    web.index(&[web.skill_md("note", &skill_md("note"))]);
    let outcome = scene.run(&["install", &web.url()]);
    assert_eq!(outcome.code, Some(2));
    assert!(outcome.out().contains("note - Does note."), "{}", outcome.out());
    let answer = scene.answers(&["install", &web.url()], 2, "usage");
    assert_eq!(answer["schema"], "skillx.index/1");
    assert!(!scene.path("skills").exists());
}

#[test]
fn a_name_that_is_not_there_stops_no_other() {
    let (web, scene) = (Web::new(), Scene::new());
    web.index(&[web.skill_md("note", &skill_md("note"))]);
    let report = scene.answers(&["install", &web.url(), "nothing", "note", "note", "-d", "a/b"], 1, "no-artifact");
    assert_statuses(&report, &[("nothing", "refused", "no-artifact"), ("note", "installed", "")]);
    assert_eq!(scene.names("a/b"), [".skillx", "note", "skillx.lock"]);
    scene.answers(&["install", &web.url(), "nothing", "-d", "c/d"], 1, "no-artifact");
    assert!(!scene.path("c").exists());
}

#[test]
fn the_worst_decides_and_the_rest_is_installed() {
    let (web, scene) = (Web::new(), Scene::new());
    let good = web.archive("good", Carrier::TarGz, &skill("good", vec![]));
    let hostile = web.archive("hostile", Carrier::TarGz, &skill("hostile", vec![file("../x", "out")]));
    let missing = entry("missing", "archive", "/missing.zip", &sha256(b""));
    let other_name = web.archive("promised", Carrier::Zip, &skill("other", vec![]));
    let no_skill = web.skill_md("plain", b"no frontmatter");
    web.index(&[hostile, missing, good, other_name, no_skill]);
    let report = scene.answers(&["install", &web.url(), "--all"], 3, "http-status");
    assert_statuses(
        &report,
        &[
            ("hostile", "refused", "path-traversal"),
            ("missing", "failed", "http-status"),
            ("good", "installed", ""),
            ("promised", "refused", "skill-name-mismatch"),
            ("plain", "refused", "skill-md-invalid"),
        ],
    );
    assert_eq!(scene.names("skills"), [".skillx", "good", "skillx.lock"]);
    assert_eq!(scene.names("skills/.skillx"), ["good.json"]);
}

#[test]
fn what_skillx_did_not_install_is_not_touched() {
    let (web, scene) = (Web::new(), Scene::new());
    web.index(&[web.skill_md("note", &skill_md("note"))]);
    let url = web.url();
    scene.put("skills/note/SKILL.md", "mine");
    scene.answers(&["install", &url, "note"], 3, "dest-exists");
    assert_eq!(scene.text("skills/note/SKILL.md"), "mine");
    scene.answers(&["remove", "note"], 1, "receipt-missing");
    scene.answers(&["install", &url, "note", "--force"], 0, "");
    assert_eq!(scene.text("skills/note/SKILL.md").as_bytes(), skill_md("note"));

    fs::rename(scene.path("skills/note"), scene.path("elsewhere")).unwrap();
    symlink("../elsewhere", scene.path("skills/note")).unwrap();
    for args in [vec!["install", url.as_str(), "note"], vec!["install", &url, "note", "--force"]] {
        scene.answers(&args, 3, "dest-is-symlink");
    }
    assert_eq!(scene.names("elsewhere"), ["SKILL.md"]);
    let report = scene.answers(&["remove", "note", "--force"], 3, "dest-is-symlink");
    assert!(report["error"]["help"].as_str().unwrap().contains("remove the link yourself"), "{report:#}");
    assert_eq!(scene.names("elsewhere"), ["SKILL.md"]);
    fs::remove_file(scene.path("skills/note")).unwrap();
    scene.put("skills/note", "a file");
    for args in [vec!["install", url.as_str(), "note"], vec!["install", &url, "note", "--force"]] {
        let report = scene.answers(&args, 3, "dest-exists");
        assert!(report["error"]["help"].as_str().unwrap().contains("-d DIR"), "{report:#}");
    }
    assert_eq!(scene.text("skills/note"), "a file");
}

#[test]
fn a_skill_of_another_site_is_not_replaced() {
    let (web, other, scene) = (Web::new(), Web::new(), Scene::new());
    web.index(&[web.skill_md("note", &skill_md("note"))]);
    other.index(&[other.skill_md("note", b"---\nname: note\ndescription: Another.\n---\n")]);
    scene.answers(&["install", &web.url(), "note"], 0, "");
    // The same host, another port: another site (RFC 6454).
    scene.answers(&["install", &other.url(), "--all"], 3, "dest-exists");
    let elsewhere = other.server.url_as("localhost", "");
    let report = scene.answers(&["install", &elsewhere, "--all"], 3, "dest-exists");
    assert!(report["error"]["message"].as_str().unwrap().contains("came from"), "{report:#}");
    assert_eq!(scene.text("skills/note/SKILL.md").as_bytes(), skill_md("note"));
    scene.answers(&["install", &elsewhere, "--all", "--force"], 0, "");
}

#[test]
fn a_store_or_lock_that_a_repository_brings_as_a_link_is_not_written_through() {
    let (web, scene) = (Web::new(), Scene::new());
    web.index(&[web.skill_md("note", &skill_md("note"))]);
    fs::create_dir_all(scene.path("outside")).unwrap();
    fs::create_dir_all(scene.path("skills")).unwrap();
    symlink("../outside", scene.path("skills/.skillx")).unwrap();
    scene.answers(&["install", &web.url(), "note"], 1, "receipt-invalid");
    assert_eq!((scene.names("outside"), scene.names("skills")), (vec![], vec![".skillx".to_owned()]));
    fs::remove_file(scene.path("skills/.skillx")).unwrap();
    symlink("../outside/file", scene.path("skills/skillx.lock")).unwrap();
    scene.put("outside/file", "{}");
    scene.answers(&["install", &web.url(), "note"], 1, "lock-invalid");
    assert_eq!((scene.names("skills"), scene.text("outside/file")), (vec!["skillx.lock".to_owned()], "{}".to_owned()));
}

#[test]
fn files_without_digests_are_taken_only_when_asked_for() {
    let (web, scene) = (Web::new(), Scene::new());
    let body = json!({ "skills": [{ "name": "old", "description": "Does old.", "files": ["SKILL.md", "a/b.txt"] }] });
    web.page("/.well-known/skills/index.json", 200, &[], body.to_string());
    web.page("/.well-known/skills/old/SKILL.md", 200, &[], skill_md("old"));
    web.page("/.well-known/skills/old/a/b.txt", 200, &[], "b");
    let url = web.url();
    scene.answers(&["index", &url], 1, "no-artifact");
    scene.answers(&["index", &url, "--allow-unverified"], 0, "");
    let report = scene.answers(&["install", &url, "old"], 2, "digest-missing");
    assert_statuses(&report, &[("old", "failed", "digest-missing")]);
    assert!(!scene.path("skills").exists());
    let report = scene.answers(&["install", &url, "old", "--allow-unverified"], 0, "");
    assert_eq!(report["skills"][0]["report"]["artifact"]["verified"], false);
    assert_eq!(scene.text("skills/old/a/b.txt"), "b");
    let receipt = Receipt::of(scene.path("skills/old")).unwrap().unwrap();
    assert_eq!((receipt.format(), receipt.digest(), receipt.verified()), ("files", None, false));
    // Without a digest nothing says that it is the same: it is fetched again, and nothing is pinned.
    let report = scene.answers(&["install", &url, "old", "--allow-unverified"], 0, "");
    assert_statuses(&report, &[("old", "updated", "")]);
    assert!(!scene.path("skills/skillx.lock").exists());
}

#[test]
fn an_index_is_kept_as_its_server_allows() {
    let (web, scene) = (Web::new(), Scene::new());
    let url = web.url();
    let note = web.skill_md("note", &skill_md("note"));
    let cached = |args: &[&str]| {
        let before = web.count();
        let answer = scene.answers(&[&["index", url.as_str()], args].concat(), 0, "");
        (answer["index"]["cached"].as_str().unwrap().to_owned(), web.count() - before)
    };
    let is = |cached: &str, requests: usize| (cached.to_owned(), requests);
    // Without a word from the server it is asked again each time.
    web.index(std::slice::from_ref(&note));
    assert_eq!((cached(&[]), cached(&[])), (is("no", 1), is("no", 1)));
    // An ETag: asked whether it is still good.
    web.index_with(&[("ETag", "\"1\"")], std::slice::from_ref(&note));
    assert_eq!((cached(&[]), cached(&[])), (is("no", 1), is("revalidated", 1)));
    web.index_with(&[("ETag", "\"2\"")], &[note.clone(), web.skill_md("more", &skill_md("more"))]);
    assert_eq!((cached(&[]), cached(&[])), (is("no", 1), is("revalidated", 1)));
    // Fresh: not asked at all, unless the user wants it.
    web.index_with(&[("Cache-Control", "max-age=600")], std::slice::from_ref(&note));
    assert_eq!((cached(&[]), cached(&[])), (is("no", 1), is("fresh", 0)));
    assert_eq!(cached(&["--no-cache"]), is("no", 1));
    scene.answers(&["install", &url, "note"], 0, "");
    // no-store: not kept.
    fs::remove_dir_all(scene.path("cache")).unwrap();
    web.index_with(&[("Cache-Control", "no-store"), ("ETag", "\"3\"")], &[note]);
    assert_eq!((cached(&[]), cached(&[])), (is("no", 1), is("no", 1)));
    // What somebody has put into the cache is looked at as if it had just come.
    web.index_with(&[("Cache-Control", "max-age=600")], &[]);
    scene.answers(&["index", &url], 1, "no-artifact");
    for entry in fs::read_dir(scene.path("cache/indexes")).unwrap() {
        fs::write(entry.unwrap().path(), "{}").unwrap();
    }
    scene.answers(&["index", &url], 1, "no-artifact");
}

#[test]
fn a_validator_of_the_second_of_the_change_is_not_believed() {
    let (web, scene) = (Web::new(), Scene::new());
    let date = "Mon, 30 Nov 2026 01:02:03 GMT";
    let headers = |modified| [("ETag", "\"1\""), ("Date", date), ("Last-Modified", modified)];
    let note = web.skill_md("note", &skill_md("note"));
    let url = web.url();
    let cached = || scene.answers(&["index", &url], 0, "")["index"]["cached"].as_str().unwrap().to_owned();
    web.index_with(&headers(date), std::slice::from_ref(&note));
    assert_eq!([cached(), cached()], ["no", "no"]);
    web.index_with(&headers("Mon, 30 Nov 2026 01:02:02 GMT"), &[note]);
    assert_eq!([cached(), cached()], ["no", "revalidated"]);
}

#[test]
fn a_run_that_was_killed_before_the_last_rename_is_recovered() {
    let (web, scene) = (Web::new(), Scene::new());
    web.index(&[web.skill_md("note", &skill_md("note"))]);
    let url = web.url();
    scene.answers(&["install", &url, "note"], 0, "");
    // The tree is published, its receipt still has its other name.
    fs::rename(scene.path("skills/.skillx/note.json"), scene.path("skills/.skillx/.note.json.pending")).unwrap();
    scene.answers(&["verify", "skills/note"], 1, "receipt-missing");
    let report = scene.answers(&["install", &url, "note"], 0, "");
    assert_statuses(&report, &[("note", "unchanged", "")]);
    assert_eq!(scene.names("skills/.skillx"), ["note.json"]);
    // A receipt that does not fit the tree is not taken.
    let receipt = scene.text("skills/.skillx/note.json").replace("sha256:", "sha256:0").replacen("00", "0", 1);
    scene.put("skills/.skillx/.note.json.pending", receipt);
    assert_statuses(&scene.answers(&["install", &url, "note"], 0, ""), &[("note", "unchanged", "")]);
}

#[test]
fn two_runs_in_one_directory_do_not_mix() {
    let scene = Scene::new();
    let body = skill_md("note");
    let digest = sha256(&body);
    let waiting = std::sync::Arc::new(std::sync::Barrier::new(2));
    let held = std::sync::Arc::clone(&waiting);
    let server = Server::plain(move |request: &Request, client: &mut Client<'_>| {
        if request.path() == "/SKILL.md" {
            held.wait();
            held.wait();
            return client.answer(200, &[], &body);
        }
        let index =
            json!({ "$schema": crate::indexes::SCHEMA, "skills": [entry("note", "skill-md", "/SKILL.md", &digest)] });
        client.answer(200, &[], index.to_string().as_bytes());
    });
    let url = server.url("");
    std::thread::scope(|scope| {
        let first = scope.spawn(|| scene.answers(&["install", &url, "note"], 0, ""));
        waiting.wait();
        scene.answers(&["install", &url, "note"], 3, "concurrent-install");
        scene.answers(&["remove", "note"], 3, "concurrent-install");
        waiting.wait();
        first.join().unwrap();
    });
    assert_eq!(scene.names("skills"), [".skillx", "note", "skillx.lock"]);
}

#[test]
fn remove_takes_only_what_was_installed() {
    let (web, scene) = (Web::new(), Scene::new());
    web.index(&[web.skill_md("note", &skill_md("note"))]);
    scene.answers(&["install", &web.url(), "note"], 0, "");
    for name in ["../note", ".", "..", "", "a/b", "NOTE", ".skillx"] {
        scene.answers(&["remove", name], 2, "usage");
    }
    scene.answers(&["remove", "missing"], 2, "usage");
    scene.answers(&["remove", "note", "-d", "missing"], 2, "usage");
    scene.put("skills/note/mine.txt", "mine");
    scene.answers(&["remove", "note"], 3, "local-edits");
    assert_eq!(scene.text("skills/note/mine.txt"), "mine");
    let answer = scene.answers(&["remove", "note", "--force"], 0, "");
    assert_eq!(answer["removed"], "skills/note");
    assert_eq!(scene.names("skills"), ["skillx.lock"]);
}

#[test]
fn what_people_see_is_harmless_and_says_what_was_done() {
    let (web, scene) = (Web::new(), Scene::new());
    let pdf = web.archive("pdf", Carrier::TarGz, &skill("pdf", vec![exec("run", "x")]));
    let mut evil = entry("\x1b[31m", "\u{202e}task", "x", "::error::");
    evil["description"] = json!("##vso[task]\n\r\x1b[2J");
    web.index(&[pdf, evil]);
    let outcome = scene.run(&["install", &web.url(), "--all"]);
    assert_eq!((outcome.code, outcome.dirt()), (Some(0), Vec::<String>::new()), "{}", outcome.err());
    assert_eq!(outcome.out(), "skills/pdf\n");
    assert!(
        outcome.err().contains("pdf: installed") && outcome.err().contains("1 executable, none was run"),
        "{}",
        outcome.err()
    );
    let outcome = scene.run(&["index", &web.url()]);
    assert_eq!(outcome.dirt(), Vec::<String>::new());
    assert!(!outcome.out().contains("##") && !outcome.err().contains("::error"), "{}", outcome.out());
    web.remove("/pdf.tar.gz");
    let pdf = web.archive("pdf", Carrier::TarGz, &skill("pdf", vec![exec("run", "x"), exec("evil\u{1f600}", "y")]));
    web.index(&[pdf]);
    let outcome = scene.run(&["install", &web.url(), "--all"]);
    assert_eq!((outcome.code, outcome.dirt()), (Some(0), Vec::<String>::new()), "{}", outcome.err());
    assert!(outcome.err().contains("new executable"), "{}", outcome.err());
}

#[test]
fn a_description_that_differs_is_told() {
    let (web, scene) = (Web::new(), Scene::new());
    let mut note = web.skill_md("note", &skill_md("note"));
    note["description"] = json!("Does something else.");
    web.index(&[note, web.skill_md("same", &skill_md("same"))]);
    let report = scene.answers(&["install", &web.url(), "--all"], 0, "");
    let findings = |index: usize| report["skills"][index]["findings"][0]["code"].clone();
    assert_eq!((findings(0), findings(1)), (json!("index-description-differs"), Value::Null));
}

#[test]
fn nothing_that_was_installed_is_run() {
    let (web, scene) = (Web::new(), Scene::new());
    let mark = scene.path("ran");
    let script = format!("#!/bin/sh\ntouch '{}'\n", mark.display());
    let names = ["scripts/install.sh", "postinstall", "hooks/post-checkout", "setup.py", ".envrc"];
    let members = names.iter().map(|name| exec(*name, script.clone())).collect();
    web.index(&[web.archive("pdf", Carrier::TarGz, &skill("pdf", members))]);
    scene.answers(&["install", &web.url(), "pdf"], 0, "");
    scene.answers(&["verify", "skills"], 0, "");
    scene.answers(&["remove", "pdf"], 0, "");
    assert!(!mark.exists());
}

#[test]
fn an_archive_of_a_site_passes_every_rule_or_is_not_installed() {
    let (web, scene) = (Web::new(), Scene::new());
    let bad = [
        ("dots", vec![file("a/../../x", "")], "path-traversal"),
        ("root", vec![file("/x", "")], "absolute-path"),
        ("link", vec![link("l", "../../x")], "link-escape"),
        ("hard", vec![crate::support::carrier::hardlink("h", "../x")], "link-escape"),
        ("bomb", vec![file("zeros", vec![0; 9 << 20])], "limit-ratio"),
    ];
    let entries: Vec<_> =
        bad.iter().map(|(name, members, _)| web.archive(name, Carrier::TarGz, &skill(name, members.clone()))).collect();
    web.index(&entries);
    let report = scene.answers(&["install", &web.url(), "--all"], 1, "path-traversal");
    let expected: Vec<_> = bad.iter().map(|(name, _, code)| (*name, "refused", *code)).collect();
    assert_statuses(&report, &expected);
    assert!(!scene.path("skills").exists());
}

/// An ordinary site: made by `skillx pack --site`, served by Python's http.server.
#[test]
fn a_site_made_by_pack_and_served_by_an_ordinary_server() {
    use std::io::BufRead as _;
    use std::process::{Command, Stdio};

    let scene = Scene::new();
    scene.put("pdf/SKILL.md", skill_md("pdf"));
    scene.put("pdf/scripts/run.sh", "echo");
    scene.put("note/SKILL.md", skill_md("note"));
    let pack = || {
        let _ = fs::remove_dir_all(scene.path("site"));
        let outcome = scene.run(&["pack", "--site", "site", "pdf", "note"]);
        assert_eq!(outcome.code, Some(0), "{}", outcome.err());
    };
    pack();
    let mut python = Command::new("python3")
        .args(["-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", "."])
        .current_dir(scene.root())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("python3 runs");
    let mut line = String::new();
    std::io::BufReader::new(python.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let port = line.split(" port ").nth(1).and_then(|rest| rest.split(' ').next()).expect("a port").to_owned();
    let url = format!("http://127.0.0.1:{port}/site/.well-known/agent-skills/index.json");
    let run = |args: &[&str], exit: i32| {
        let outcome = scene.run(&[&["install", &url], args, &["--json"]].concat());
        let report = outcome.json().unwrap();
        assert_eq!(outcome.code, Some(exit), "{report:#}");
        report
    };
    let first = run(&["--all"], 0);
    let again = run(&["--all"], 0);
    scene.put("pdf/scripts/run.sh", "echo 2");
    pack();
    let updated = run(&["--all"], 0);
    let locked = run(&["--locked"], 0);
    python.kill().unwrap();
    python.wait().unwrap();
    let of = |report: &Value| statuses(report).into_iter().map(|(name, status, _)| (name, status)).collect::<Vec<_>>();
    let is = |note: &str, pdf: &str| vec![("note".to_owned(), note.to_owned()), ("pdf".to_owned(), pdf.to_owned())];
    let sorted = |mut list: Vec<(String, String)>| {
        list.sort();
        list
    };
    assert_eq!(sorted(of(&first)), is("installed", "installed"));
    assert_eq!(sorted(of(&again)), is("unchanged", "unchanged"));
    assert_eq!(sorted(of(&updated)), is("unchanged", "updated"));
    assert_eq!(sorted(of(&locked)), is("unchanged", "unchanged"));
    assert_eq!(scene.text("skills/pdf/scripts/run.sh"), "echo 2");
    assert_eq!(scene.run(&["verify", "skills"]).code, Some(0));
    // And an agent gets what the publisher wrote.
    let catalog = scene.answers(&["catalog", "skills"], 0, "");
    let listed: Vec<_> = catalog["skills"].as_array().unwrap().iter().collect();
    let named = |name: &str| listed.iter().any(|skill| skill["name"] == name && skill["standing"] == "verified");
    assert!(listed.len() == 2 && named("note") && named("pdf"), "{catalog:#}");
    let shown = |args: &[&str]| scene.run(&[&["show", "-d", "skills"], args].concat());
    assert!(String::from_utf8(skill_md("pdf")).unwrap().ends_with(shown(&["pdf"]).out().trim_start()));
    assert_eq!(shown(&["pdf", "scripts/run.sh"]).out(), "echo 2");
}
