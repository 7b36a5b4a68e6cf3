//! The handle against planted links, odd names, deep trees and kinds that block.

#![allow(clippy::disallowed_methods, reason = "tests look at the file system from outside")]

use std::fs;
use std::io::{Read as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::Path;

use cap_std::ambient_authority;

use super::*;

fn place() -> (tempfile::TempDir, Directory) {
    let place = tempfile::tempdir().unwrap();
    let directory = Directory::open_ambient(place.path(), ambient_authority()).unwrap();
    (place, directory)
}

#[test]
fn only_single_clean_components_are_names() {
    let (place, directory) = place();
    fs::create_dir(place.path().join("a")).unwrap();
    for name in ["", ".", "..", "/", "a/", "a/.", "a/b", "/etc", "../a", "a\0"] {
        assert_eq!(directory.open_dir(name).unwrap_err().kind(), io::ErrorKind::InvalidInput, "{name:?}");
        assert_eq!(directory.create_dir(name, 0o755).unwrap_err().kind(), io::ErrorKind::InvalidInput, "{name:?}");
        assert_eq!(directory.remove_tree(name).unwrap_err().kind(), io::ErrorKind::InvalidInput, "{name:?}");
        assert_eq!(directory.metadata(name).unwrap_err().kind(), io::ErrorKind::InvalidInput, "{name:?}");
    }
    for name in ["a..b", "...", ".a", "\\", "a:b"] {
        directory.create_dir(name, 0o755).unwrap();
    }
}

#[test]
fn nothing_follows_a_link() {
    let (place, directory) = place();
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("file"), "outside").unwrap();
    symlink(outside.path(), place.path().join("dir")).unwrap();
    symlink(outside.path().join("file"), place.path().join("file")).unwrap();
    symlink(outside.path().join("new"), place.path().join("dangling")).unwrap();

    directory.open_dir("dir").unwrap_err();
    directory.open_dir_readable("dir").unwrap_err();
    let device = directory.own_metadata().unwrap().identity.device();
    directory.open_dir_same_device("dir", device).unwrap_err();
    directory.open_file("file").unwrap_err();
    directory.create_file("file", 0o644).unwrap_err();
    directory.create_file("dangling", 0o644).unwrap_err();
    directory.remove_tree("dir").unwrap_err();
    assert_eq!(directory.metadata("dir").unwrap().kind, Kind::Symlink);
    assert_eq!(directory.read_link("dir").unwrap(), outside.path().as_os_str());
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1);
    assert_eq!(fs::read(outside.path().join("file")).unwrap(), b"outside");
}

#[test]
fn only_regular_files_are_read_and_nothing_blocks() {
    let (place, directory) = place();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        place.path().join("fifo"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_raw_mode(0o600),
        0,
    )
    .unwrap();
    fs::create_dir(place.path().join("dir")).unwrap();
    fs::write(place.path().join("file"), "text").unwrap();
    assert_eq!(directory.open_file("fifo").unwrap_err().kind(), io::ErrorKind::InvalidInput);
    assert_eq!(directory.open_file("dir").unwrap_err().kind(), io::ErrorKind::InvalidInput);
    assert_eq!(directory.metadata("fifo").unwrap().kind, Kind::Other);
    let (mut file, metadata) = directory.open_file("file").unwrap();
    let mut text = String::new();
    file.read_to_string(&mut text).unwrap();
    assert_eq!((text.as_str(), metadata.length), ("text", 4));
}

#[test]
fn a_new_file_is_new() {
    let (place, directory) = place();
    directory.create_file("file", 0o644).unwrap().write_all(b"one").unwrap();
    assert_eq!(directory.create_file("file", 0o644).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
    assert_eq!(fs::read(place.path().join("file")).unwrap(), b"one");
}

#[test]
fn renames_do_what_their_names_say() {
    let (place, directory) = place();
    fs::create_dir_all(place.path().join("old/x")).unwrap();
    fs::create_dir_all(place.path().join("new/y")).unwrap();
    fs::create_dir(place.path().join("empty")).unwrap();
    assert_eq!(directory.rename_new("new", &directory, "old").unwrap_err().kind(), io::ErrorKind::AlreadyExists);
    assert_eq!(directory.rename_new("new", &directory, "empty").unwrap_err().kind(), io::ErrorKind::AlreadyExists);
    directory.exchange("new", &directory, "old").unwrap();
    assert!(place.path().join("old/y").exists() && place.path().join("new/x").exists());
    directory.rename_over_empty("new", &directory, "empty").unwrap();
    assert!(place.path().join("empty/x").exists() && !place.path().join("new").exists());
    let full = directory.rename_over_empty("old", &directory, "empty").unwrap_err();
    assert_eq!(full.kind(), io::ErrorKind::DirectoryNotEmpty);
    assert_eq!(directory.exchange("old", &directory, "none").unwrap_err().kind(), io::ErrorKind::NotFound);
}

#[test]
fn a_lock_is_held_by_one_handle() {
    let (_place, directory) = place();
    directory.create_dir("lock", 0o700).unwrap();
    let first = directory.open_dir_readable("lock").unwrap();
    let second = directory.open_dir_readable("lock").unwrap();
    assert!(first.try_lock().unwrap());
    assert!(!second.try_lock().unwrap());
    drop(first);
    // A child that another test has just forked holds the handle too, until it runs its own program.
    let mut attempts = 0;
    while !second.try_lock().unwrap() {
        attempts += 1;
        assert!(attempts < 500, "the lock outlives its handle");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    second.sync_file_system().unwrap();
    second.sync().unwrap();
    directory.sync().unwrap_err();
    directory.reopen_readable().unwrap().sync().unwrap();
}

#[test]
fn a_tree_goes_and_what_its_links_point_to_stays() {
    let (place, directory) = place();
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("kept"), "").unwrap();
    let tree = place.path().join("tree");
    for index in 0..300 {
        let below = tree.join(format!("d{index}"));
        fs::create_dir_all(below.join("sub")).unwrap();
        fs::write(below.join("file"), "").unwrap();
        symlink(outside.path(), below.join("sub/link")).unwrap();
    }
    symlink(outside.path(), tree.join("link")).unwrap();
    symlink("..", tree.join("up")).unwrap();
    directory.remove_tree("tree").unwrap();
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
    assert!(outside.path().join("kept").exists());
    directory.remove_tree("tree").unwrap();
}

/// Makes a chain of directories deeper than any path may be long.
fn chain(place: &Path, depth: usize, visit: impl Fn(&Directory, usize)) {
    let mut at = Directory::open_ambient(place, ambient_authority()).unwrap();
    for level in 0..depth {
        at.create_dir("tree", 0o755).unwrap();
        at = at.open_dir("tree").unwrap();
        visit(&at, level);
    }
}

/// The limit holds for a whole process: run by the test below in one of its own.
#[test]
#[ignore = "started by another test"]
fn deep_tree() {
    let most = Some(32);
    let limit = rustix::process::Rlimit { current: most, maximum: most };
    rustix::process::setrlimit(rustix::process::Resource::Nofile, limit).unwrap();
    let (place, directory) = place();
    chain(place.path(), 2000, |at, level| {
        if level % 7 == 0 {
            at.create_file("file", 0o644).unwrap();
            at.create_dir(".skillx-removed-1", 0o755).unwrap();
        }
    });
    directory.remove_tree("tree").unwrap();
    assert!(directory.reopen_readable().unwrap().is_empty().unwrap());
    println!("removed");
}

/// Cases: R09-remove.
#[test]
fn a_deep_tree_needs_few_handles() {
    let child = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["confine::tests::deep_tree", "--ignored", "--exact", "--nocapture", "--test-threads=1"])
        .output()
        .unwrap();
    assert!(String::from_utf8_lossy(&child.stdout).contains("removed"), "{child:?}");
}

#[test]
fn what_cannot_be_removed_stays_alone() {
    let (place, directory) = place();
    // Something else is mounted on no test machine; another device is what the look at the handle says.
    fs::create_dir_all(place.path().join("tree/sub")).unwrap();
    let device = directory.own_metadata().unwrap().identity.device();
    let other = directory.open_dir_same_device("tree", device + 1).unwrap_err();
    assert_eq!(other.kind(), io::ErrorKind::CrossesDevices);
    assert!(directory.open_dir_same_device("tree", device).is_ok());
}

#[test]
fn read_only_directories_of_a_tree_are_removed() {
    let (place, directory) = place();
    chain(place.path(), 40, |at, _| {
        at.create_file("file", 0o444).unwrap();
    });
    let mut path = place.path().join("tree");
    let mut paths = vec![];
    while path.is_dir() {
        paths.push(path.clone());
        path.push("tree");
    }
    for path in paths.iter().rev() {
        fs::set_permissions(path, fs::Permissions::from_mode(0o555)).unwrap();
    }
    let mode = fs::metadata(place.path()).unwrap().mode();
    directory.remove_tree("tree").unwrap();
    assert_eq!(fs::metadata(place.path()).unwrap().mode(), mode);
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
}

#[test]
fn two_at_once_remove_one_tree() {
    let (place, directory) = place();
    for round in 0..5 {
        for index in 0..50 {
            fs::create_dir_all(place.path().join(format!("tree/a{index}/b/c/d"))).unwrap();
            fs::write(place.path().join(format!("tree/a{index}/b/file")), "").unwrap();
        }
        std::thread::scope(|scope| {
            let other = scope.spawn(|| directory.remove_tree("tree"));
            directory.remove_tree("tree").unwrap();
            other.join().unwrap().unwrap();
        });
        assert!(!place.path().join("tree").exists(), "{round}");
    }
}

#[test]
fn entries_are_listed_with_their_kinds() {
    let (place, directory) = place();
    let directory = directory.reopen_readable().unwrap();
    assert!(directory.is_empty().unwrap());
    fs::write(place.path().join("file"), "").unwrap();
    fs::create_dir(place.path().join("dir")).unwrap();
    symlink("file", place.path().join("link")).unwrap();
    let mut entries: Vec<_> = directory.entries().unwrap().map(Result::unwrap).collect();
    entries.sort_by(|one, other| one.name.cmp(&other.name));
    let names: Vec<_> = entries.iter().map(|entry| (entry.name.to_str().unwrap(), entry.kind)).collect();
    let expected = [("dir", Some(Kind::Directory)), ("file", Some(Kind::File)), ("link", Some(Kind::Symlink))];
    assert_eq!(names, expected);
    assert!(!directory.is_empty().unwrap());
}
