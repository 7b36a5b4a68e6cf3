//! Where a skill goes: `-o` in its forms, the skill's own name, and that a refusal leaves nothing at all.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use crate::support::carrier::{file, with_skill};
use crate::{Scene, demo, named, names, tar_gz, traversal};

const GO: &str = "--allow-unverified";

/// `verify-extract demo.tar.gz -o DESTINATION`.
#[track_caller]
fn extract(scene: &Scene, destination: &str, exit: i32, code: &str) -> serde_json::Value {
    scene.answers(&["verify-extract", "demo.tar.gz", GO, "-o", destination], exit, code)
}

#[test]
fn missing_parents_are_made_and_what_is_there_is_kept() {
    let scene = Scene::with_demo();
    scene.put("p/other", "keep");
    for destination in ["new", "p/q/r/new", "./dot/new", "p/../p/up", "trailing/", "double//slash", "inner/./dot/."] {
        let report = extract(&scene, destination, 0, "");
        assert_eq!(report["verdict"], "accepted");
        scene.assert_demo(destination);
    }
    let absolute = scene.path("abs/olute");
    extract(&scene, absolute.to_str().unwrap(), 0, "");
    scene.assert_demo("abs/olute");
    assert_eq!(fs::read_to_string(scene.path("p/other")).unwrap(), "keep");
    assert!(!scene.tree().keys().any(|name| name.contains(".skillx-")), "{:?}", scene.names());
}

/// Cases: I01-empty.
#[test]
fn an_empty_directory_is_taken() {
    let scene = Scene::with_demo();
    for destination in ["empty", "empty2/"] {
        fs::create_dir(scene.path(destination)).unwrap();
        fs::set_permissions(scene.path(destination), fs::Permissions::from_mode(0o700)).unwrap();
        extract(&scene, destination, 0, "");
        scene.assert_demo(destination);
    }
    assert_eq!(scene.names(), ["demo.tar.gz", "empty", "empty2"]);
}

/// Cases: I01-taken.
#[test]
fn anything_else_at_the_destination_is_left_as_it_is() {
    let scene = Scene::with_demo();
    scene.put("file", "keep");
    scene.put("full/x", "keep");
    fs::create_dir(scene.path("empty")).unwrap();
    symlink("empty", scene.path("link")).unwrap();
    symlink("nowhere", scene.path("dangling")).unwrap();
    symlink("link", scene.path("link2")).unwrap();
    crate::mkfifo(&scene.path("fifo"));
    let before = scene.tree();
    for (destination, code) in [
        ("file", "dest-exists"),
        ("full", "dest-exists"),
        ("full/", "dest-exists"),
        ("full/.", "dest-exists"),
        ("fifo", "dest-exists"),
        ("link", "dest-is-symlink"),
        ("link/", "dest-is-symlink"),
        ("link/.", "dest-is-symlink"),
        ("link2", "dest-is-symlink"),
        ("dangling", "dest-is-symlink"),
        ("dangling/", "dest-is-symlink"),
        (".", "dest-exists"),
        ("./", "dest-exists"),
        ("..", "dest-exists"),
        ("full/..", "dest-exists"),
        ("/", "dest-exists"),
    ] {
        let report = extract(&scene, destination, 3, code);
        assert_eq!(report["output"], serde_json::Value::Null, "{destination}");
    }
    for destination in ["file/x", "file/x/y", "fifo/x"] {
        extract(&scene, destination, 3, "io");
    }
    extract(&scene, "dangling/x", 3, "dest-is-symlink");
    extract(&scene, "", 2, "usage");
    assert_eq!(scene.tree(), before);
}

#[test]
fn a_link_in_the_parents_is_followed() {
    let scene = Scene::with_demo();
    fs::create_dir(scene.path("real")).unwrap();
    symlink("real", scene.path("link")).unwrap();
    extract(&scene, "link/out", 0, "");
    scene.assert_demo("real/out");
    extract(&scene, "link/more/out", 0, "");
    scene.assert_demo("real/more/out");
}

#[test]
fn the_destination_is_asked_for_before_anything_is_parsed() {
    let scene = Scene::new();
    scene.put("full/x", "keep");
    scene.put("none.tar.gz", "no archive");
    scene.answers(&["verify-extract", "none.tar.gz", GO, "-o", "full"], 3, "dest-exists");
    scene.answers(&["verify-extract", "none.tar.gz", GO, "-o", "new"], 1, "not-an-archive");
    // But never before the digest.
    let wrong = ["verify-extract", "none.tar.gz", "--digest", &"0".repeat(64), "-o", "full"];
    scene.answers(&wrong, 1, "digest-mismatch");
}

#[test]
fn without_o_the_skills_name_is_the_directory() {
    let scene = Scene::new();
    scene.put("a.tar.gz", named("pdf-tools"));
    let report = scene.answers(&["verify-extract", "a.tar.gz", GO], 0, "");
    assert_eq!(report["output"], "pdf-tools");
    assert_eq!(names(&scene.path("pdf-tools")), ["SKILL.md"]);
    scene.answers(&["verify-extract", "a.tar.gz", GO], 3, "dest-exists");
    fs::create_dir(scene.path("taken")).unwrap();
    scene.put("b.tar.gz", named("taken"));
    scene.answers(&["verify-extract", "b.tar.gz", GO], 0, "");
    assert_eq!(scene.names(), ["a.tar.gz", "b.tar.gz", "pdf-tools", "taken"]);
}

/// Cases: I10-frontmatter.
#[test]
fn a_strangers_name_never_becomes_a_path_that_is_no_name() {
    for name in
        ["../up", "/tmp/x", "a/b", ".", "..", "Upper", "under_score", "con", "-flag", "'a b'", "a..b", "\"\\u202e\""]
    {
        let scene = Scene::new();
        scene.put("in/a.tar.gz", named(name));
        fs::create_dir(scene.path("in/cwd")).unwrap();
        let before = scene.tree();
        let mut command = scene.command(&["verify-extract", "../a.tar.gz", GO, "--json"]);
        command.current_dir(scene.path("in/cwd"));
        let outcome = crate::support::run::observe(command, b"");
        let report = crate::judge(&outcome, 2, "usage");
        assert!(report["error"]["help"].as_str().unwrap().contains("--output"), "{report:#}");
        assert_eq!(scene.tree(), before, "{name}");
        // With a directory of the caller's own it is only a finding.
        scene.answers(&["verify-extract", "in/a.tar.gz", GO, "-o", "x"], 0, "");
    }
}

#[test]
fn the_last_component_of_o_is_never_compared_with_the_name() {
    let scene = Scene::with_demo();
    let report = extract(&scene, "anything-else", 0, "");
    let found: Vec<_> = report["findings"].as_array().unwrap().iter().map(|finding| &finding["code"]).collect();
    assert_eq!(found, ["portability-links", "portability-exec-bit"]);
}

#[test]
fn a_promised_name_is_compared_and_never_renames() {
    let scene = Scene::with_demo();
    scene.answers(&["verify-extract", "demo.tar.gz", GO, "--name", "other"], 1, "skill-name-mismatch");
    scene.answers(&["verify-extract", "demo.tar.gz", GO, "--name", "Demo", "-o", "x"], 1, "skill-name-mismatch");
    scene.answers(&["verify-extract", "demo.tar.gz", GO, "--name", "../demo"], 1, "skill-name-mismatch");
    assert_eq!(scene.names(), ["demo.tar.gz"]);
    scene.answers(&["verify-extract", "demo.tar.gz", GO, "--name", "demo"], 0, "");
    scene.assert_demo("demo");
    scene.answers(&["verify-extract", "demo.tar.gz", GO, "--name", "demo", "-o", "elsewhere"], 0, "");
    scene.assert_demo("elsewhere");
}

#[test]
fn a_refusal_leaves_nothing_not_even_an_empty_parent() {
    let scene = Scene::new();
    let big = tar_gz(&with_skill(vec![file("big", vec![7; 100_000]), file("d/e/f", "x"), file("d/../../x", "")]));
    let cut = demo();
    let archives: [(&str, Vec<u8>, &str); 5] = [
        ("traversal.tar.gz", traversal(), "path-traversal"),
        ("late.tar.gz", big, "path-traversal"),
        ("cut.tar.gz", cut[..cut.len() - 4].to_vec(), "gzip-truncated"),
        ("none.tar.gz", b"no".to_vec(), "not-an-archive"),
        ("no-skill.tar.gz", tar_gz(&[file("a/b/c", "x")]), "skill-md-missing"),
    ];
    for (name, bytes, _) in &archives {
        scene.put(name, bytes);
    }
    fs::create_dir(scene.path("empty")).unwrap();
    scene.put("kept/file", "keep");
    let before = scene.tree();
    for (name, _, code) in archives {
        for destination in ["new", "p/q/r/new", "kept/p/new", "empty", "empty/new"] {
            scene.answers(&["verify-extract", name, GO, "-o", destination], 1, code);
            assert_eq!(scene.tree(), before, "{name} to {destination}");
        }
        scene.answers(&["verify-extract", name, GO], 1, code);
        assert_eq!(scene.tree(), before, "{name}");
    }
}

#[test]
fn an_output_name_that_a_sweep_could_take_is_a_wrong_call() {
    let scene = Scene::with_demo();
    let name = format!(".skillx-{}", "0123456789abcdef".repeat(2));
    extract(&scene, &name, 2, "usage");
    extract(&scene, &format!("p/{name}/"), 2, "usage");
    assert_eq!(scene.names(), ["demo.tar.gz"]);
    extract(&scene, ".skillx-but-not-quite", 0, "");
}

#[test]
fn the_layout_any_needs_a_destination() {
    let scene = Scene::new();
    scene.put("a.tar.gz", tar_gz(&[file("x", "y")]));
    scene.answers(&["verify-extract", "a.tar.gz", GO, "--layout", "any"], 2, "usage");
    scene.answers(&["verify-extract", "a.tar.gz", GO, "--layout", "any", "--name", "x"], 2, "usage");
    let report = scene.answers(&["verify-extract", "a.tar.gz", GO, "--layout", "any", "-o", "x"], 0, "");
    assert_eq!(report["skill"], serde_json::Value::Null);
    assert_eq!(names(&scene.path("x")), ["x"]);
    scene.answers(&["check", "a.tar.gz", GO, "--layout", "any"], 0, "");
}

#[test]
fn durable_installation_gives_the_same_tree() {
    let scene = Scene::with_demo();
    scene.answers(&["verify-extract", "demo.tar.gz", GO, "-o", "p/out", "--fsync"], 0, "");
    scene.assert_demo("p/out");
}

/// Cases: I14-work-tree.
#[test]
fn a_destination_inside_a_work_tree_is_like_any_other() {
    let scene = Scene::with_demo();
    scene.put("repo/.git/HEAD", "ref: refs/heads/main\n");
    scene.put("repo/.git/hooks/post-checkout", "#!/bin/sh\ntouch ran\n");
    scene.put("repo/file", "theirs");
    let before = scene.tree();
    scene.answers(&["verify-extract", "demo.tar.gz", GO, "-o", "repo/skills/demo"], 0, "");
    scene.assert_demo("repo/skills/demo");
    fs::remove_dir_all(scene.path("repo/skills")).unwrap();
    assert_eq!(scene.tree(), before, "nothing but the skill was made");
}
