//! `--replace`: exchanges whole skills, in one step, and only what skillx could have made.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use crate::support::carrier::file;
use crate::support::run::observe;
use crate::{Scene, judge, named, traversal};

const GO: &str = "--allow-unverified";

#[track_caller]
fn replace(scene: &Scene, destination: &str, exit: i32, code: &str) {
    scene.answers(&["verify-extract", "demo.tar.gz", GO, "--replace", "-o", destination], exit, code);
}

/// A scene with an older skill, with more in it than the new one, at each of these places.
fn with_old(places: &[&str]) -> Scene {
    let scene = Scene::with_demo();
    for place in places {
        scene.put(Path::new(place).join("SKILL.md"), "---\nname: old\ndescription: Old.\n---\n");
        scene.put(Path::new(place).join("deep/er/extra"), "not merged");
    }
    scene
}

/// Cases: X02-name.
#[test]
fn what_is_replaced_is_not_for_the_archive_to_choose() {
    let scene = with_old(&["demo"]);
    let before = scene.tree();
    scene.answers(&["verify-extract", "demo.tar.gz", GO, "--replace"], 2, "usage");
    assert_eq!(scene.tree(), before);
    scene.answers(&["verify-extract", "demo.tar.gz", GO, "--replace", "--name", "demo"], 0, "");
    scene.assert_demo("demo");
    scene.put("other.tar.gz", named("other"));
    scene.answers(&["verify-extract", "other.tar.gz", GO, "--replace", "--name", "demo"], 1, "skill-name-mismatch");
    scene.assert_demo("demo");
    scene.answers(&["verify-extract", "demo.tar.gz", GO, "--replace", "--name", "../demo"], 2, "usage");
}

/// Cases: I01-replace.
#[test]
fn an_older_skill_is_exchanged_whole_and_twice_works_too() {
    let scene = with_old(&["skill", "p/skill"]);
    for _ in 0..2 {
        for place in ["skill", "p/skill/"] {
            replace(&scene, place, 0, "");
            scene.assert_demo(place);
        }
    }
    assert_eq!(scene.names(), ["demo.tar.gz", "p", "skill"]);
    replace(&scene, "new", 0, "");
    scene.assert_demo("new");
    fs::create_dir(scene.path("empty")).unwrap();
    replace(&scene, "empty", 0, "");
    scene.assert_demo("empty");
    replace(&scene, "missing/parents/new", 0, "");
    scene.assert_demo("missing/parents/new");
    let durable = ["verify-extract", "demo.tar.gz", GO, "--replace", "--fsync", "-o", "skill"];
    scene.answers(&durable, 0, "");
}

/// Cases: I02-replace.
#[test]
fn only_what_looks_like_a_skill_is_replaced() {
    let scene = with_old(&["linked"]);
    scene.put("file", "keep");
    scene.put("directory/x", "keep");
    scene.put("lower/skill.md", "keep");
    fs::create_dir_all(scene.path("md-directory/SKILL.md")).unwrap();
    fs::create_dir(scene.path("md-link")).unwrap();
    symlink("../linked/SKILL.md", scene.path("md-link/SKILL.md")).unwrap();
    symlink("linked", scene.path("link")).unwrap();
    crate::mkfifo(&scene.path("fifo"));
    let before = scene.tree();
    for (place, code) in [
        ("file", "dest-not-a-skill"),
        ("fifo", "dest-not-a-skill"),
        ("directory", "dest-not-a-skill"),
        ("lower", "dest-not-a-skill"),
        ("md-directory", "dest-not-a-skill"),
        ("md-link", "dest-not-a-skill"),
        ("link", "dest-is-symlink"),
        ("link/", "dest-is-symlink"),
        (".", "dest-not-a-skill"),
        ("..", "dest-not-a-skill"),
        ("/", "dest-not-a-skill"),
        ("linked/..", "dest-not-a-skill"),
    ] {
        replace(&scene, place, 3, code);
        assert_eq!(scene.tree(), before, "{place}");
    }
    replace(&scene, "link/new", 0, "");
}

/// Cases: X02-in-use.
#[test]
fn the_current_directory_the_home_and_what_they_lie_in_are_never_replaced() {
    let scene = with_old(&["outer", "outer/cwd", "home", "home/below", "home/below/er"]);
    let archive = scene.path("demo.tar.gz");
    let before = scene.tree();
    let run = |directory: &str, home: &str, destination: &Path| {
        let mut command = scene.command(&["verify-extract", GO, "--replace", "--json", "-o"]);
        command.arg(destination).arg(&archive);
        command.current_dir(scene.path(directory)).env("HOME", scene.path(home));
        observe(command, b"")
    };
    for (directory, home, destination) in [
        ("outer/cwd", "", "outer"),
        ("outer/cwd", "", "outer/cwd"),
        ("outer/cwd/deep/er", "", "outer/cwd"),
        ("", "home", "home"),
        ("", "home/below", "home"),
        ("", "home/below/er", "home/below"),
        ("outer/cwd", "", "outer/cwd/../../outer"),
    ] {
        judge(&run(directory, home, &scene.path(destination)), 3, "dest-not-a-skill");
        assert_eq!(scene.tree(), before, "{destination} from {directory}, home {home}");
    }
    judge(&run("outer/cwd", "", Path::new("../../outer")), 3, "dest-not-a-skill");
    // What lies below them may be.
    judge(&run("outer", "home", &scene.path("outer/cwd")), 0, "");
    judge(&run("outer", "home", &scene.path("home/below")), 0, "");
    scene.assert_demo("outer/cwd");
    scene.assert_demo("home/below");
    judge(&run("", "missing", &scene.path("outer")), 0, "");
}

#[test]
fn a_refused_archive_replaces_nothing() {
    let scene = with_old(&["skill"]);
    scene.put("bad.tar.gz", traversal());
    let before = scene.tree();
    scene.answers(&["verify-extract", "bad.tar.gz", GO, "--replace", "-o", "skill"], 1, "path-traversal");
    let wrong = ["verify-extract", "demo.tar.gz", "--digest", &"0".repeat(64), "--replace", "-o", "skill"];
    scene.answers(&wrong, 1, "digest-mismatch");
    assert_eq!(scene.tree(), before);
}

/// Cases: I01-no-replace.
#[test]
fn without_replace_an_older_skill_stays() {
    let scene = with_old(&["skill"]);
    let before = scene.tree();
    scene.answers(&["verify-extract", "demo.tar.gz", GO, "-o", "skill"], 3, "dest-exists");
    assert_eq!(scene.tree(), before);
}

#[test]
fn what_stands_open_in_an_old_skill_can_be_read_to_its_end() {
    use std::io::Read as _;

    let scene = with_old(&["skill"]);
    let mut open = fs::File::open(scene.path("skill/SKILL.md")).unwrap();
    replace(&scene, "skill", 0, "");
    let mut text = String::new();
    open.read_to_string(&mut text).unwrap();
    assert!(text.contains("name: old"));
    scene.assert_demo("skill");
}

/// Cases: L18-replace, L18-taken.
#[test]
fn links_in_an_old_tree_are_not_written_through() {
    let scene = Scene::with_demo();
    scene.put("outside/run.sh", "outside");
    scene.put("outside/keep", "outside");
    // Links where the new skill has a directory, a file and SKILL.md's neighbours.
    let plant = |place: &str| {
        scene.put(Path::new(place).join("SKILL.md"), "---\nname: old\ndescription: Old.\n---\n");
        for (name, target) in [("scripts", "outside"), ("latest.md", "outside/keep"), ("references", "outside")] {
            symlink(scene.path(target), scene.path(place).join(name)).unwrap();
        }
    };
    plant("skill");
    let outside = tree(&scene, "outside");
    scene.answers(&["verify-extract", "demo.tar.gz", GO, "-o", "skill"], 3, "dest-exists");
    assert!(scene.path("skill/scripts").is_symlink());
    replace(&scene, "skill", 0, "");
    scene.assert_demo("skill");
    assert_eq!(tree(&scene, "outside"), outside);
    // Without a SKILL.md it is no skill, and stays with its links.
    plant("other");
    fs::remove_file(scene.path("other/SKILL.md")).unwrap();
    replace(&scene, "other", 3, "dest-not-a-skill");
    assert_eq!(tree(&scene, "outside"), outside);
    assert!(scene.path("other/references").is_symlink());
}

/// Cases: L19-update.
#[test]
fn an_update_is_never_laid_over_the_tree_before_it() {
    let scene = Scene::new();
    let first = [file("docs/real.md", "first"), crate::support::carrier::symlink("d", "docs"), file("gone", "first")];
    let second = [file("d/real.md", "second"), file("docs/other.md", "second")];
    for (name, members) in [("1.tar.gz", first.to_vec()), ("2.tar.gz", second.to_vec())] {
        scene.put(name, crate::tar_gz(&crate::support::carrier::with_skill(members)));
    }
    for archive in ["1.tar.gz", "2.tar.gz", "1.tar.gz", "2.tar.gz"] {
        scene.answers(&["verify-extract", archive, GO, "--replace", "-o", "skill"], 0, "");
    }
    // `d` was a link to `docs`: nothing of the second came in through it, and nothing of the first is left.
    let found = tree(&scene, "skill");
    let names: Vec<_> = found.keys().map(String::as_str).collect();
    assert_eq!(names, ["SKILL.md", "d", "d/real.md", "docs", "docs/other.md"]);
}

fn tree(scene: &Scene, at: &str) -> crate::support::tree::Tree {
    crate::support::tree::walk(&scene.path(at))
}

/// Cases: X02-deep.
#[test]
#[cfg(target_os = "linux")]
fn a_current_directory_too_deep_to_look_at_is_a_failure() {
    use std::os::fd::AsRawFd as _;

    let scene = with_old(&["skill"]);
    let (skill, archive) = (scene.path("skill"), scene.path("demo.tar.gz"));
    // More levels than a path can name, built from the inside out.
    let (grow, next) = (scene.path("grow"), scene.path("next"));
    fs::create_dir(&grow).unwrap();
    for _ in 0..4200 {
        fs::create_dir(&next).unwrap();
        fs::rename(&grow, next.join("d")).unwrap();
        fs::rename(&next, &grow).unwrap();
    }
    let mut deep = fs::File::open(&grow).unwrap();
    for _ in 0..6 {
        let inside = format!("/proc/self/fd/{}/{}", deep.as_raw_fd(), vec!["d"; 700].join("/"));
        deep = fs::File::open(inside).unwrap();
    }
    let mut command = scene.command(&["verify-extract", GO, "--replace", "--json", "-o"]);
    command.arg(&skill).arg(&archive);
    command.current_dir(format!("/proc/{}/fd/{}", std::process::id(), deep.as_raw_fd()));
    judge(&observe(command, b""), 3, "io");
    assert!(skill.join("deep/er/extra").exists());
    drop(deep);
    // The scene's own end would go down level by level.
    let status = std::process::Command::new("rm").arg("-rf").arg(&grow).status().unwrap();
    assert!(status.success());
}
