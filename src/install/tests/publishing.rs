//! What becomes visible, when, and what happens to what stood there.

use std::os::unix::fs::{PermissionsExt as _, symlink};

use super::*;

fn staged(destination: &Path, replace: bool) -> Staging {
    let mut staging = Destination::open(destination, replace).unwrap().stage().unwrap();
    fill(&mut staging, "new");
    staging
}

/// Cases: X01-foldings.
#[test]
fn nothing_is_called_skill_md_before_the_end() {
    let place = tempfile::tempdir().unwrap();
    let destination = place.path().join("skill");
    let mut staging = Destination::open(&destination, false).unwrap().stage().unwrap();
    let names = [
        "SKILL.md",
        "a/skill.MD",
        "a/b/SKILL.md",
        "a/b/S\u{212a}ILL.md",
        "\u{17f}kill.md",
        "c/README.md",
        "a/b/c/SKILL.md/x",
    ];
    for name in names {
        write(&mut staging, name, name);
    }
    staging.sink().symlink(1, &path("d/SKILL.md"), &SafeTarget::for_test("../c/README.md")).unwrap();
    staging.sink().copy(1, &path("a/b/SKILL.md"), &path("e/Skill.md"), SafeMode::for_test(false)).unwrap();
    for line in listing(place.path()) {
        let name = line.split(" = ").next().unwrap().split(" -> ").next().unwrap();
        let folded = name.to_lowercase().replace('\u{17f}', "s");
        assert!(!folded.ends_with("skill.md"), "{line}");
    }
    staging.commit(&Commit { fsync: true, name: None }).unwrap();
    for name in names {
        assert_eq!(fs::read_to_string(destination.join(name)).unwrap(), name);
    }
    assert_eq!(fs::read_link(destination.join("d/SKILL.md")).unwrap(), Path::new("../c/README.md"));
    assert_eq!(fs::read_to_string(destination.join("e/Skill.md")).unwrap(), "a/b/SKILL.md");
    assert!(!listing(place.path()).iter().any(|line| line.contains(".skillx-")));
}

/// Cases: I04-private.
#[test]
fn staging_is_private_and_modes_are_plain() {
    let place = tempfile::tempdir().unwrap();
    let destination = place.path().join("skill");
    let staging = staged(&destination, false);
    let name = staging.place.name().to_owned();
    assert!(staging_dir::is_staging_name(&name));
    let mode = |path: &Path| fs::symlink_metadata(path).unwrap().permissions().mode() & 0o7777;
    assert_eq!(mode(&place.path().join(&name)), 0o700);
    assert_eq!(fs::read_dir(place.path().join(&name)).unwrap().count(), 1);
    staging.commit(&Commit::default()).unwrap();
    let umask = mode(&destination) ^ 0o755;
    for (name, bits) in [("", 0o755), ("SKILL.md", 0o644), ("scripts", 0o755), ("scripts/run.sh", 0o755)] {
        assert_eq!(mode(&destination.join(name)), bits & !umask, "{name}");
    }
}

#[test]
fn replace_exchanges_whole_trees() {
    let place = tempfile::tempdir().unwrap();
    let destination = place.path().join("skill");
    old_skill(&destination);
    for text in ["one", "two"] {
        let published = install(&destination, true, text).unwrap();
        assert!(published.replaced);
        assert_eq!(listing(&destination), filled(text));
        assert_eq!(listing(place.path()).len(), filled(text).len() + 1);
    }
}

/// Cases: I07-appears.
#[test]
fn the_first_to_publish_wins() {
    let place = tempfile::tempdir().unwrap();
    for (name, make) in [("new", false), ("empty", true)] {
        let destination = place.path().join(name);
        if make {
            fs::create_dir(&destination).unwrap();
        }
        let late = staged(&destination, false);
        let replacing = staged(&destination, true);
        install(&destination, false, "first").unwrap();
        assert_eq!(code(late.commit(&Commit::default())), "concurrent-install");
        assert_eq!(code(replacing.commit(&Commit::default())), "concurrent-install");
        assert_eq!(listing(&destination), filled("first"));
    }
    for (name, link) in [("file", false), ("link", true)] {
        let destination = place.path().join(name);
        let late = staged(&destination, false);
        if link {
            symlink("new", &destination).unwrap();
        } else {
            fs::write(&destination, "").unwrap();
        }
        assert_eq!(code(late.commit(&Commit::default())), "concurrent-install");
    }
    assert!(!listing(place.path()).iter().any(|line| line.contains(".skillx-")));
}

/// Cases: I08-threads.
#[test]
fn eight_at_once() {
    let place = tempfile::tempdir().unwrap();
    for round in 0..20 {
        let destination = place.path().join(format!("missing{round}/skill"));
        let codes: Vec<_> = std::thread::scope(|scope| {
            let runs: Vec<_> = (0..8)
                .map(|run| {
                    scope.spawn({
                        let destination = &destination;
                        move || code(install(destination, false, &format!("run {run}")))
                    })
                })
                .collect();
            runs.into_iter().map(|run| run.join().unwrap()).collect()
        });
        assert_eq!(codes.iter().filter(|code| **code == "accepted").count(), 1, "{codes:?}");
        assert!(
            codes.iter().all(|code| matches!(*code, "accepted" | "concurrent-install" | "dest-exists")),
            "{codes:?}"
        );
        assert_eq!(listing(&destination).len(), filled("").len());
        assert!(!listing(place.path()).iter().any(|line| line.contains(".skillx-")));
    }
}

/// Cases: I07-changes.
#[test]
fn a_target_that_changes_before_the_exchange_is_left_alone() {
    let place = tempfile::tempdir().unwrap();
    let destination = place.path().join("skill");
    let aside = place.path().join("aside");
    let run = |change: &dyn Fn()| {
        old_skill(&destination);
        let staging = staged(&destination, true);
        fs::rename(&destination, &aside).unwrap();
        change();
        let code = code(staging.commit(&Commit::default()));
        fs::remove_dir_all(&aside).unwrap();
        code
    };
    assert_eq!(run(&|| symlink(&aside, &destination).unwrap()), "dest-is-symlink");
    fs::remove_file(&destination).unwrap();
    assert_eq!(run(&|| fs::write(&destination, "").unwrap()), "dest-not-a-skill");
    fs::remove_file(&destination).unwrap();
    assert_eq!(run(&|| fs::create_dir_all(destination.join("theirs")).unwrap()), "dest-not-a-skill");
    assert_eq!(listing(&destination), ["theirs/"]);
    fs::remove_dir_all(&destination).unwrap();
    assert_eq!(run(&|| fs::create_dir(&destination).unwrap()), "accepted");
    assert_eq!(listing(&destination), filled("new"));
    fs::remove_dir_all(&destination).unwrap();
    assert_eq!(run(&|| {}), "accepted");
    assert_eq!(listing(&destination), filled("new"));
    assert!(!listing(place.path()).iter().any(|line| line.contains(".skillx-")));
}

/// Cases: I04-taken-away.
#[test]
fn a_staging_directory_that_was_tampered_with_is_not_published() {
    let place = tempfile::tempdir().unwrap();
    let destination = place.path().join("skill");
    let staging = staged(&destination, false);
    let inside = place.path().join(staging.place.name());
    fs::rename(inside.join("tree"), place.path().join("taken")).unwrap();
    fs::create_dir(inside.join("tree")).unwrap();
    assert_eq!(code(staging.commit(&Commit::default())), "io");
    assert!(!destination.exists());

    // Moved away as a whole. Nothing is removed by a name that is not ours any more.
    let staging = staged(&destination, false);
    let name = staging.place.name().to_owned();
    fs::rename(place.path().join(&name), place.path().join("moved")).unwrap();
    fs::create_dir(place.path().join(&name)).unwrap();
    assert_eq!(code(staging.commit(&Commit::default())), "io");
    assert!(!destination.exists());
    assert!(place.path().join(&name).exists());
}

/// Cases: R12-directories.
#[test]
fn more_directories_than_handles_are_written_in_any_order() {
    let place = tempfile::tempdir().unwrap();
    let destination = place.path().join("skill");
    let mut staging = Destination::open(&destination, false).unwrap().stage().unwrap();
    let names: Vec<_> = (0..50).map(|index| format!("d{}/{}f{index}", index % 25, "s/".repeat(index % 23))).collect();
    for name in &names {
        write(&mut staging, name, name);
    }
    write(&mut staging, "SKILL.md", "new");
    staging.commit(&Commit::default()).unwrap();
    for name in &names {
        assert_eq!(&fs::read_to_string(destination.join(name)).unwrap(), name);
    }
}

#[test]
fn an_unfinished_file_is_not_published() {
    let place = tempfile::tempdir().unwrap();
    let destination = place.path().join("skill");
    let mut staging = staged(&destination, false);
    staging.sink().begin(1, &path("open"), SafeMode::for_test(false)).unwrap();
    assert_eq!(code(staging.commit(&Commit::default())), "io");
    assert_eq!(listing(place.path()), [""; 0]);
    let mut staging = staged(&destination, false);
    assert_eq!(code(staging.sink().write(b"x")), "io");
    assert_eq!(code(staging.sink().begin(1, &path("SKILL.md"), SafeMode::for_test(false))), "io");
}

#[test]
fn a_tree_that_is_begun_again_is_empty() {
    let place = tempfile::tempdir().unwrap();
    let destination = place.path().join("skill");
    let mut staging = Destination::open(&destination, false).unwrap().stage().unwrap();
    write(&mut staging, "wrapper/SKILL.md", "first");
    write(&mut staging, "wrapper/a/b", "first");
    write(&mut staging, "other", "first");
    staging.sink().begin(1, &path("open"), SafeMode::for_test(false)).unwrap();
    staging.sink().restart().unwrap();
    fill(&mut staging, "second");
    staging.commit(&Commit::default()).unwrap();
    assert_eq!(listing(&destination), filled("second"));
}
