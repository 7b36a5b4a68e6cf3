//! Which paths name a place for a skill, and what may stand there.

use std::os::unix::fs::symlink;

use cap_std::ambient_authority;
use cap_std::fs::Dir;

use super::*;
use crate::confine::Directory;

fn open(path: &Path, replace: bool) -> &'static str {
    code(Destination::open(path, replace))
}

#[test]
fn a_new_directory_is_made_with_its_parents() {
    let place = tempfile::tempdir().unwrap();
    for (index, name) in ["a", "b/", "c/.", "d/x/y/z", "./e//f/./g"].iter().enumerate() {
        let destination = place.path().join(name);
        let published = install(&destination, false, "new").unwrap();
        assert!(!published.replaced);
        assert_eq!(listing(&destination), filled("new"), "{index}");
        assert!(published.directory.metadata("SKILL.md").is_ok());
        assert_eq!(code(install(&destination, false, "new")), "dest-exists");
    }
    assert!(!listing(place.path()).iter().any(|name| is_staging(name)));
}

#[test]
fn an_empty_directory_is_taken() {
    let place = tempfile::tempdir().unwrap();
    for (name, replace) in [("one", false), ("two", true)] {
        let destination = place.path().join(name);
        fs::create_dir(&destination).unwrap();
        install(&destination, replace, "new").unwrap();
        assert_eq!(listing(&destination), filled("new"));
    }
}

#[test]
fn what_is_in_the_way_is_said() {
    let place = tempfile::tempdir().unwrap();
    let at = |name: &str| place.path().join(name);
    fs::create_dir_all(at("full/x")).unwrap();
    fs::write(at("file"), "").unwrap();
    fs::create_dir(at("empty")).unwrap();
    symlink("empty", at("link")).unwrap();
    symlink("nowhere", at("dangling")).unwrap();
    old_skill(&at("skill"));
    symlink("skill", at("skill-link")).unwrap();
    fs::create_dir_all(at("directory/SKILL.md")).unwrap();
    fs::create_dir(at("linked")).unwrap();
    symlink("../skill/SKILL.md", at("linked/SKILL.md")).unwrap();
    fs::create_dir(at("lower")).unwrap();
    fs::write(at("lower/skill.md"), "").unwrap();
    let before = listing(place.path());
    let cases = [
        ("full", "dest-exists", "dest-not-a-skill"),
        ("full/", "dest-exists", "dest-not-a-skill"),
        ("file", "dest-exists", "dest-not-a-skill"),
        ("file/", "dest-exists", "dest-not-a-skill"),
        ("link", "dest-is-symlink", "dest-is-symlink"),
        ("link/", "dest-is-symlink", "dest-is-symlink"),
        ("link/.", "dest-is-symlink", "dest-is-symlink"),
        ("dangling", "dest-is-symlink", "dest-is-symlink"),
        ("dangling/x", "dest-is-symlink", "dest-is-symlink"),
        ("skill", "dest-exists", "accepted"),
        ("skill-link", "dest-is-symlink", "dest-is-symlink"),
        ("directory", "dest-exists", "dest-not-a-skill"),
        ("linked", "dest-exists", "dest-not-a-skill"),
        ("lower", "dest-exists", "dest-not-a-skill"),
        ("file/x", "io", "io"),
        ("full/..", "dest-exists", "dest-not-a-skill"),
        ("missing/../x", "io", "io"),
        ("empty", "accepted", "accepted"),
        ("link/x", "accepted", "accepted"),
        (".skillx-00112233445566778899aabbccddeeff", "usage", "usage"),
        (".skillx-00112233445566778899aabbccddeef", "accepted", "accepted"),
    ];
    for (name, kept, replaced) in cases {
        assert_eq!(open(&at(name), false), kept, "{name}");
        assert_eq!(open(&at(name), true), replaced, "{name} with replace");
    }
    for name in ["", ".", "..", "/", "../.."] {
        let expected = if name.is_empty() { ("usage", "usage") } else { ("dest-exists", "dest-not-a-skill") };
        assert_eq!((open(Path::new(name), false), open(Path::new(name), true)), expected, "{name}");
    }
    let deep = "x/".repeat(40);
    assert_eq!(open(&at(&deep), false), "usage");
    assert_eq!(listing(place.path()), before);
}

#[test]
fn directories_in_use_are_not_replaced() {
    let place = tempfile::tempdir().unwrap();
    old_skill(&place.path().join("skill"));
    let parent = Directory::open_ambient(place.path(), ambient_authority()).unwrap();
    let check = |name: &str| {
        let directory = parent.open_dir(name).unwrap();
        guard::check_replaceable(&parent, name.as_ref(), &directory, ambient_authority())
    };
    check("skill").unwrap();

    // The current directory of this process, and what holds it, made to look like skills by a handle of their own.
    let here = std::env::current_dir().unwrap();
    for ancestor in here.ancestors().chain(std::env::home_dir().iter().map(std::path::PathBuf::as_path)) {
        let directory = Directory::open_ambient(ancestor, ambient_authority()).unwrap();
        let identity = directory.own_metadata().unwrap().identity;
        let near = |from: &Path| guard::is_or_holds(identity, from, ambient_authority()).unwrap();
        assert!(near(Path::new(".")) || near(&std::env::home_dir().unwrap()), "{}", ancestor.display());
    }
    let other = Directory::open_ambient(place.path(), ambient_authority()).unwrap();
    let identity = other.own_metadata().unwrap().identity;
    assert!(!guard::is_or_holds(identity, Path::new("."), ambient_authority()).unwrap());
    assert!(guard::is_or_holds(identity, &place.path().join("skill/old/deep"), ambient_authority()).unwrap());
    assert!(!guard::is_or_holds(identity, &place.path().join("none"), ambient_authority()).unwrap());
}

#[test]
fn one_name_in_a_directory_of_the_callers() {
    let place = tempfile::tempdir().unwrap();
    let dir = Dir::open_ambient_dir(place.path(), ambient_authority()).unwrap();
    let mut staging = Destination::within(&dir, "skill".as_ref(), false).unwrap().stage().unwrap();
    fill(&mut staging, "new");
    staging.commit(&Commit { fsync: true, name: Some("ignored") }).unwrap();
    assert_eq!(listing(&place.path().join("skill")), filled("new"));
    assert_eq!(code(Destination::within(&dir, "skill".as_ref(), false)), "dest-exists");
    for name in ["", ".", "..", "a/b", "/etc", "../x", "/"] {
        assert_eq!(code(Destination::within(&dir, name.as_ref(), false)), "usage", "{name}");
    }
}

#[test]
fn a_name_may_come_last() {
    let place = tempfile::tempdir().unwrap();
    old_skill(&place.path().join("there"));
    fs::create_dir(place.path().join("empty")).unwrap();
    let commit = |name: Option<&str>| {
        let mut staging = Destination::deferred(place.path()).unwrap().stage().unwrap();
        fill(&mut staging, "new");
        staging.commit(&Commit { fsync: false, name })
    };
    let before = listing(place.path());
    assert_eq!(code(commit(None)), "usage");
    assert_eq!(code(commit(Some("there"))), "dest-exists");
    assert_eq!(code(commit(Some("../x"))), "io");
    assert_eq!(code(commit(Some(".skillx-00112233445566778899aabbccddeeff"))), "usage");
    assert_eq!(listing(place.path()), before);
    assert_eq!(commit(Some("pdf")).unwrap().name, "pdf");
    commit(Some("empty")).unwrap();
    assert_eq!(listing(&place.path().join("pdf")), filled("new"));
    assert_eq!(listing(&place.path().join("empty")), filled("new"));
}

#[test]
fn parents_go_again_when_nothing_came_of_it() {
    let place = tempfile::tempdir().unwrap();
    let destination = place.path().join("a/b/c/skill");
    let staged = || Destination::open(&destination, false).unwrap().stage().unwrap();

    let mut staging = staged();
    fill(&mut staging, "new");
    assert!(place.path().join("a/b/c").exists());
    drop(staging);
    assert_eq!(listing(place.path()), [""; 0]);

    let mut staging = staged();
    fill(&mut staging, "new");
    staging.discard().unwrap();
    assert_eq!(listing(place.path()), [""; 0]);

    let panic = std::panic::catch_unwind(|| {
        let mut staging = staged();
        fill(&mut staging, "new");
        panic!("on purpose");
    });
    assert!(panic.is_err());
    assert_eq!(listing(place.path()), [""; 0]);

    // What somebody else put there in the meantime stays.
    let staging = staged();
    fs::write(place.path().join("a/b/theirs"), "").unwrap();
    drop(staging);
    assert_eq!(listing(place.path()), ["a/", "a/b/", "a/b/theirs = "]);

    // And so does a directory that was not made here, empty or not.
    fs::remove_file(place.path().join("a/b/theirs")).unwrap();
    drop(staged());
    assert_eq!(listing(place.path()), ["a/", "a/b/"]);

    // Put in the place of one that was.
    let staging = staged();
    fs::rename(place.path().join("a/b/c"), place.path().join("moved")).unwrap();
    fs::create_dir(place.path().join("a/b/c")).unwrap();
    drop(staging);
    assert_eq!(listing(place.path()), ["a/", "a/b/", "a/b/c/", "moved/"]);
}
