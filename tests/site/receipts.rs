//! Receipts (I13): written with a tree, and every way in which a tree can drift from them.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use serde_json::{Value, json};
use skillx_archive::{Artifact, Options, Receipt};

use crate::scene::Scene;
use crate::support::carrier::{Carrier, Member, dir, exec, file, hardlink, symlink as link, with_skill};
use crate::support::{SKILL_MD, sha256};

fn members() -> Vec<Member> {
    with_skill(vec![
        exec("scripts/run.sh", "echo"),
        file("docs/deep/guide.md", "# Guide\n"),
        hardlink("docs/copy.sh", "scripts/run.sh"),
        link("latest.md", "docs/deep/guide.md"),
        dir("empty"),
        file(".DS_Store", "noise"),
    ])
}

/// `demo` with `demo.json` as its receipt.
fn installed() -> Scene {
    let scene = Scene::new();
    let archive = Carrier::TarGz.write(&members());
    scene.put("demo.tar.gz", &archive);
    let digest = sha256(&archive);
    let args = ["verify-extract", "demo.tar.gz", "--digest", &digest, "--receipt", "demo.json"];
    let report = scene.answers(&args, 0, "");
    assert_eq!(report["receipt"], "demo.json");
    scene
}

fn verify(scene: &Scene, exit: i32, code: &str) -> Value {
    scene.answers(&["verify", "demo", "--receipt", "demo.json"], exit, code)
}

#[test]
fn a_receipt_names_every_file_as_it_was_written_and_nothing_else() {
    let scene = installed();
    let receipt: Value = serde_json::from_str(&scene.text("demo.json")).unwrap();
    let archive = fs::read(scene.path("demo.tar.gz")).unwrap();
    let run = json!({ "size": 4, "sha256": sha256(b"echo"), "executable": true });
    let with = |path: &str, mut file: Value| {
        file["path"] = json!(path);
        file
    };
    assert_eq!(receipt["schema"], "skillx.receipt/1");
    assert_eq!(receipt["name"], "demo");
    assert_eq!(receipt["description"], "A demo skill.");
    assert_eq!(receipt["url"], "demo.tar.gz");
    assert_eq!(receipt["index"], Value::Null);
    assert_eq!(receipt["digest"], sha256(&archive));
    assert_eq!(receipt["verified"], true);
    assert_eq!(receipt["format"], "tar.gz");
    assert!(receipt["time"].as_str().unwrap().ends_with('Z'));
    assert_eq!(
        receipt["files"],
        json!([
            { "path": "SKILL.md", "size": SKILL_MD.len(), "sha256": sha256(SKILL_MD), "executable": false },
            with("docs/copy.sh", run.clone()),
            { "path": "docs/deep/guide.md", "size": 8, "sha256": sha256(b"# Guide\n"), "executable": false },
            with("scripts/run.sh", run),
        ])
    );
    assert_eq!(receipt["links"], json!([{ "path": "latest.md", "target": "docs/deep/guide.md" }]));
    assert_eq!(receipt["directories"], json!(["docs", "docs/deep", "empty", "scripts"]));
    let answer = verify(&scene, 0, "");
    assert_eq!(answer["status"], "unchanged");
    assert_eq!(answer["receipt"]["files"], 4);
    assert_eq!(scene.names("."), ["demo", "demo.json", "demo.tar.gz"]);
}

#[test]
fn a_wrapper_that_is_taken_away_is_not_in_the_receipt() {
    let scene = Scene::new();
    scene.put("w.tar.gz", Carrier::TarGz.write(&[file("w/SKILL.md", SKILL_MD), file("w/a/b", "x")]));
    let args = ["verify-extract", "w.tar.gz", "--allow-unverified", "--strip-root", "-o", "w", "--receipt", "w.json"];
    scene.answers(&args, 0, "");
    let receipt = Receipt::open(scene.path("w.json")).unwrap();
    assert_eq!(receipt.files().map(|file| file.path.to_owned()).collect::<Vec<_>>(), ["SKILL.md", "a/b"]);
    assert!(!receipt.verified());
    assert!(receipt.verify(scene.path("w")).unwrap().is_unchanged());
}

/// Kinds of change, with paths.
type Changes = &'static [(&'static str, &'static str)];

/// Cases: I13-drift.
#[test]
fn every_kind_of_drift_is_seen() {
    let edits: [(&str, fn(&Scene), Changes); 19] = [
        ("same size", |s| s.put("demo/scripts/run.sh", "ECHO"), &[("changed", "scripts/run.sh")]),
        ("longer", |s| s.put("demo/SKILL.md", "---\nname: demo\n"), &[("changed", "SKILL.md")]),
        ("added file", |s| s.put("demo/docs/x.pyc", ""), &[("added", "docs/x.pyc")]),
        ("added tree", |s| s.put("demo/new/a/b", ""), &[("added", "new")]),
        ("hidden", |s| s.put("demo/.mcp.json", ""), &[("added", ".mcp.json")]),
        ("removed", |s| fs::remove_file(s.path("demo/docs/copy.sh")).unwrap(), &[("removed", "docs/copy.sh")]),
        ("removed tree", |s| fs::remove_dir_all(s.path("demo/docs")).unwrap(), &[("removed", "docs")]),
        ("removed empty", |s| fs::remove_dir(s.path("demo/empty")).unwrap(), &[("removed", "empty")]),
        ("not executable", |s| mode(s, "demo/scripts/run.sh", 0o644), &[("mode", "scripts/run.sh")]),
        ("executable", |s| mode(s, "demo/SKILL.md", 0o744), &[("mode", "SKILL.md")]),
        ("set-user-ID", |s| mode(s, "demo/scripts/run.sh", 0o4755), &[("mode", "scripts/run.sh")]),
        ("other umask", |s| mode(s, "demo/SKILL.md", 0o600), &[]),
        ("link", |s| relink(s, "demo/latest.md", "SKILL.md"), &[("link", "latest.md")]),
        ("link out", |s| relink(s, "demo/latest.md", "/etc/passwd"), &[("link", "latest.md")]),
        ("file to link", |s| relink(s, "demo/SKILL.md", "latest.md"), &[("retyped", "SKILL.md")]),
        (
            "directory to link",
            |s| {
                fs::rename(s.path("demo/docs"), s.path("elsewhere")).unwrap();
                symlink("../elsewhere", s.path("demo/docs")).unwrap();
            },
            &[("retyped", "docs")],
        ),
        (
            "root to link",
            |s| {
                fs::rename(s.path("demo"), s.path("elsewhere")).unwrap();
                symlink("elsewhere", s.path("demo")).unwrap();
            },
            &[("retyped", ".")],
        ),
        ("gone", |s| fs::remove_dir_all(s.path("demo")).unwrap(), &[("removed", ".")]),
        (
            "file to directory",
            |s| {
                fs::remove_file(s.path("demo/scripts/run.sh")).unwrap();
                fs::create_dir_all(s.path("demo/scripts/run.sh/x")).unwrap();
            },
            &[("retyped", "scripts/run.sh")],
        ),
    ];
    for (name, edit, expected) in edits {
        let scene = installed();
        edit(&scene);
        let (exit, code) = if expected.is_empty() { (0, "") } else { (1, "tree-changed") };
        let answer = verify(&scene, exit, code);
        let changes: Vec<_> = answer["changes"].as_array().unwrap().iter().collect();
        let found: Vec<_> =
            changes.iter().map(|c| (c["change"].as_str().unwrap(), c["path"].as_str().unwrap())).collect();
        assert_eq!(found, expected, "{name}");
    }
}

fn mode(scene: &Scene, path: &str, mode: u32) {
    fs::set_permissions(scene.path(path), fs::Permissions::from_mode(mode)).unwrap();
}

fn relink(scene: &Scene, path: &str, target: &str) {
    fs::remove_file(scene.path(path)).unwrap();
    symlink(target, scene.path(path)).unwrap();
}

#[test]
fn a_flood_of_added_files_is_cut_and_names_are_shown_escaped() {
    let scene = installed();
    for number in 0..1500 {
        scene.put(format!("demo/docs/{number}"), "");
    }
    scene.put("demo/\x1b[31m::error", "");
    let answer = verify(&scene, 1, "tree-changed");
    assert_eq!(answer["changes"].as_array().unwrap().len(), 1000);
    assert_eq!(answer["truncated"], true);
    let outcome = scene.run(&["verify", "demo", "--receipt", "demo.json"]);
    assert_eq!((outcome.code, outcome.dirt()), (Some(1), Vec::<String>::new()));
}

#[test]
fn a_tree_without_a_receipt_is_unverified() {
    let scene = Scene::new();
    scene.put("skills/demo/SKILL.md", SKILL_MD);
    let answer = scene.answers(&["verify", "skills/demo"], 1, "receipt-missing");
    assert_eq!(answer["status"], "unverified");
    scene.answers(&["verify", "skills/missing/demo"], 3, "io");
    scene.answers(&["verify", "skills/demo", "--receipt", "no.json"], 1, "receipt-missing");
    assert_eq!(Receipt::of(scene.path("skills/demo")).unwrap(), None);
}

/// As `install` leaves it.
fn store() -> Scene {
    let scene = installed();
    fs::create_dir_all(scene.path("skills/.skillx")).unwrap();
    fs::rename(scene.path("demo"), scene.path("skills/demo")).unwrap();
    fs::rename(scene.path("demo.json"), scene.path("skills/.skillx/demo.json")).unwrap();
    scene
}

#[test]
fn a_directory_of_skills_is_verified_whole() {
    let scene = store();
    scene.answers(&["verify", "skills/demo"], 0, "");
    scene.put("skills/other/SKILL.md", SKILL_MD);
    fs::copy(scene.path("skills/.skillx/demo.json"), scene.path("skills/.skillx/gone.json")).unwrap();
    let outcome = scene.run(&["verify", "skills", "--json"]);
    let answers: Vec<Value> = outcome.out().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let found: Vec<_> = answers.iter().map(|a| (a["path"].as_str().unwrap(), a["status"].as_str().unwrap())).collect();
    assert_eq!(found, [("skills/demo", "unchanged"), ("skills/gone", "changed"), ("skills/other", "unverified")]);
    assert_eq!(outcome.code, Some(1));
}

/// Cases: X18-link.
#[test]
fn a_store_that_is_a_link_is_not_followed() {
    let scene = store();
    fs::rename(scene.path("skills/.skillx"), scene.path("receipts")).unwrap();
    symlink("../receipts", scene.path("skills/.skillx")).unwrap();
    scene.answers(&["verify", "skills/demo"], 1, "receipt-invalid");
    fs::remove_file(scene.path("skills/.skillx")).unwrap();
    fs::create_dir(scene.path("skills/.skillx")).unwrap();
    symlink("../../receipts/demo.json", scene.path("skills/.skillx/demo.json")).unwrap();
    scene.answers(&["verify", "skills/demo"], 1, "receipt-invalid");
}

/// Cases: X18-paths.
#[test]
fn what_a_stranger_puts_into_a_receipt_leads_nowhere() {
    let scene = store();
    let good: Value = serde_json::from_str(&scene.text("skills/.skillx/demo.json")).unwrap();
    let edits: [(&str, fn(&mut Value)); 15] = [
        ("traversal", |r| r["files"][0]["path"] = json!("../../etc/passwd")),
        ("absolute", |r| r["files"][0]["path"] = json!("/etc/passwd")),
        ("dot", |r| r["files"][0]["path"] = json!("./SKILL.md")),
        ("twice", |r| r["files"][1]["path"] = json!("SKILL.md")),
        ("file and link", |r| r["links"][0]["path"] = json!("SKILL.md")),
        ("no directory", |r| r["directories"] = json!([])),
        ("below a file", |r| r["files"][1]["path"] = json!("SKILL.md/x")),
        ("control", |r| r["directories"][0] = json!("a\u{1b}b")),
        ("git", |r| r["links"][0]["path"] = json!(".git")),
        ("other schema", |r| r["schema"] = json!("skillx.receipt/2")),
        ("digest", |r| r["digest"] = json!("sha256:00")),
        ("file digest", |r| r["files"][0]["sha256"] = json!("md5:00")),
        ("size", |r| r["files"][0]["size"] = json!(-1)),
        ("no files", |r| drop(r.as_object_mut().unwrap().remove("files"))),
        ("no object", |r| *r = json!([])),
    ];
    for (name, edit) in edits {
        let mut receipt = good.clone();
        edit(&mut receipt);
        scene.put("skills/.skillx/demo.json", receipt.to_string());
        let answer = scene.answers(&["verify", "skills/demo"], 1, "receipt-invalid");
        assert_eq!(answer["status"], Value::Null, "{name}");
    }
    for bytes in [&b""[..], b"{", &[0xff; 10], &vec![b'['; 100_000], &vec![b' '; (16 << 20) + 1]] {
        scene.put("skills/.skillx/demo.json", bytes);
        scene.answers(&["verify", "skills/demo"], 1, "receipt-invalid");
    }
    let mut newer = good;
    newer["more"] = json!({ "a": 1 });
    scene.put("skills/.skillx/demo.json", newer.to_string());
    scene.answers(&["verify", "skills/demo"], 0, "");
}

#[test]
fn a_refused_archive_leaves_no_receipt_and_an_older_one_stays() {
    let scene = Scene::new();
    let bad = Carrier::TarGz.write(&with_skill(vec![file("ok", "x"), file("../x", "out")]));
    scene.put("bad.tar.gz", bad);
    scene.put("old.json", "old");
    let args = |receipt| ["verify-extract", "bad.tar.gz", "--allow-unverified", "-o", "x", "--receipt", receipt];
    scene.answers(&args("new.json"), 1, "path-traversal");
    scene.answers(&args("old.json"), 1, "path-traversal");
    scene.answers(&args("missing/new.json"), 3, "io");
    fs::create_dir(scene.path("folder")).unwrap();
    scene.answers(&args("folder"), 2, "usage");
    assert_eq!(scene.names("."), ["bad.tar.gz", "folder", "old.json"]);
    assert_eq!(scene.text("old.json"), "old");
}

#[test]
fn a_destination_in_use_leaves_no_receipt() {
    let scene = installed();
    let args = ["verify-extract", "demo.tar.gz", "--allow-unverified", "--receipt", "second.json"];
    scene.answers(&args, 3, "dest-exists");
    assert!(!scene.path("second.json").exists());
    assert_eq!(scene.names(".").iter().filter(|name| name.contains("pending")).count(), 0);
}

#[test]
fn the_library_reads_what_was_hashed_and_nothing_else() {
    let scene = Scene::new();
    let options = Options::default().receipt(scene.path("demo.json"));
    let artifact = Artifact::from_bytes(Carrier::TarGz.write(&members())).trust_without_digest();
    let skill = artifact.extract(scene.path("demo"), &options).unwrap();
    let receipt = Receipt::open(scene.path("demo.json")).unwrap();
    assert_eq!(skill.receipt(), Some(&receipt));
    let read = |path: &str| receipt.read(scene.path("demo"), path).map_err(|error| error.code().as_str());
    assert_eq!(read("docs/deep/guide.md").unwrap(), b"# Guide\n");
    assert_eq!(receipt.check("docs/deep/guide.md", b"# Guide\n").ok(), Some(()));
    for path in ["docs", "latest.md", "nothing", "../demo/SKILL.md", "/etc/passwd", ".", ""] {
        assert_eq!(read(path), Err("tree-changed"), "{path}");
        assert_eq!(receipt.check(path, b"").unwrap_err().code(), "tree-changed");
    }
    scene.put("demo/SKILL.md", b"---\nname: demo\ndescription: A dEmo skill.\n---\n");
    assert_eq!(read("SKILL.md"), Err("tree-changed"));
    fs::remove_file(scene.path("demo/scripts/run.sh")).unwrap();
    assert_eq!(read("scripts/run.sh"), Err("tree-changed"));
    fs::rename(scene.path("demo/docs"), scene.path("docs")).unwrap();
    symlink("../docs", scene.path("demo/docs")).unwrap();
    assert_eq!(read("docs/deep/guide.md"), Err("tree-changed"), "through a link");
}
