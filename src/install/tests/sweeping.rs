//! The sweep removes what killed runs left, and is no way to have anything else removed.

use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown, symlink};

use super::*;

/// A name in the form of a staging directory's.
fn name(last: u8) -> String {
    format!(".skillx-00112233445566778899aabbccddee{last:02x}")
}

/// What a run leaves when it is killed.
fn abandoned(at: &Path) {
    fs::create_dir_all(at.join("tree/a/b")).unwrap();
    fs::write(at.join("tree/SKILL.md"), "").unwrap();
    fs::write(at.join("tree/a/b/file"), "").unwrap();
    fs::set_permissions(at, fs::Permissions::from_mode(0o700)).unwrap();
}

fn sweep(place: &Path) {
    drop(Destination::open(&place.join("skill"), false).unwrap().stage().unwrap());
}

#[test]
fn abandoned_staging_directories_go() {
    let place = tempfile::tempdir().unwrap();
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("kept"), "").unwrap();
    abandoned(&place.path().join(name(1)));
    abandoned(&place.path().join(name(2)));
    symlink(outside.path(), place.path().join(name(2)).join("tree/a/link")).unwrap();
    // Killed between two steps of making or cleaning up.
    fs::create_dir(place.path().join(name(3))).unwrap();
    fs::set_permissions(place.path().join(name(3)), fs::Permissions::from_mode(0o700)).unwrap();
    // In a directory with the set-group-ID bit.
    abandoned(&place.path().join(name(4)));
    fs::set_permissions(place.path().join(name(4)), fs::Permissions::from_mode(0o2700)).unwrap();
    sweep(place.path());
    assert_eq!(listing(place.path()), [""; 0]);
    assert!(outside.path().join("kept").exists());
}

/// Cases: X03-else.
#[test]
fn everything_else_stays() {
    let place = tempfile::tempdir().unwrap();
    let outside = tempfile::tempdir().unwrap();
    abandoned(&outside.path().join("theirs"));
    let at = |last: u8| place.path().join(name(last));
    // A link to something that would do.
    symlink(outside.path().join("theirs"), at(1)).unwrap();
    // A file.
    fs::write(at(2), "").unwrap();
    // Other modes.
    for (last, mode) in [(3, 0o755), (4, 0o750), (5, 0o500), (6, 0o1700), (7, 0o4700)] {
        abandoned(&at(last));
        fs::set_permissions(at(last), fs::Permissions::from_mode(mode)).unwrap();
    }
    // Something besides the tree, so that it was not made here.
    abandoned(&at(9));
    fs::write(at(9).join("mine"), "").unwrap();
    fs::create_dir(at(10)).unwrap();
    fs::set_permissions(at(10), fs::Permissions::from_mode(0o700)).unwrap();
    fs::write(at(10).join("mine"), "").unwrap();
    // Another form of the name.
    let names = [
        ".skillx-".to_owned(),
        ".skillx-00112233445566778899AABBCCDDEEFF".to_owned(),
        format!("{}0", name(11)),
        name(11).trim_start_matches('.').to_owned(),
        name(11).replace("ee", "eg"),
        name(11)[..39].to_owned(),
    ];
    for name in &names {
        abandoned(&place.path().join(name));
    }
    let before = (listing(place.path()), listing(outside.path()));
    for _ in 0..2 {
        sweep(place.path());
    }
    assert_eq!((listing(place.path()), listing(outside.path())), before);
}

/// Cases: X03-foreign.
#[test]
fn another_users_staging_directory_stays() {
    let place = tempfile::tempdir().unwrap();
    let theirs = place.path().join(name(1));
    abandoned(&theirs);
    if chown(&theirs, Some(12345), None).is_err() {
        // Only root can give a directory away.
        return;
    }
    assert_eq!(fs::metadata(&theirs).unwrap().uid(), 12345);
    sweep(place.path());
    assert!(theirs.join("tree/SKILL.md").exists());
}

/// Cases: X03-live.
#[test]
fn a_live_staging_directory_stays() {
    let place = tempfile::tempdir().unwrap();
    let mut live = Destination::open(&place.path().join("live"), false).unwrap().stage().unwrap();
    fill(&mut live, "live");
    for _ in 0..3 {
        sweep(place.path());
    }
    live.commit(&Commit::default()).unwrap();
    assert_eq!(listing(&place.path().join("live")), filled("live"));
    assert_eq!(listing(place.path()).len(), filled("").len() + 1);
}

/// Cases: X03-mkdir.
#[test]
fn runs_and_sweeps_at_once_do_not_disturb_each_other() {
    let place = tempfile::tempdir().unwrap();
    std::thread::scope(|scope| {
        for run in 0..8 {
            let place = place.path();
            scope.spawn(move || {
                for round in 0..40 {
                    let destination = place.join(format!("skill-{run}"));
                    install(&destination, round > 0, "new").unwrap();
                    abandoned(&place.join(name(run * 16 + round % 4)));
                }
            });
        }
    });
    sweep(place.path());
    let left = listing(place.path());
    assert_eq!(left.len(), 8 * (filled("").len() + 1), "{left:?}");
}

/// Cases: X03-many.
#[test]
fn a_sweep_looks_at_a_bounded_number_of_names() {
    let place = tempfile::tempdir().unwrap();
    let planted = 300;
    for number in 0..planted {
        let at = place.path().join(format!(".skillx-{number:032x}"));
        fs::create_dir(&at).unwrap();
        fs::set_permissions(&at, fs::Permissions::from_mode(0o700)).unwrap();
    }
    sweep(place.path());
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), planted - 256, "256 at a time");
    sweep(place.path());
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
    // A crowd of other names: the sweep gives up, and the run goes on.
    for number in 0..=1 << 16 {
        fs::write(place.path().join(format!("n{number}")), "").unwrap();
    }
    abandoned(&place.path().join(name(1)));
    install(&place.path().join("skill"), false, "new").unwrap();
    assert_eq!(listing(&place.path().join("skill")), filled("new"));
}
