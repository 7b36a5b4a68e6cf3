//! Another process at work in the same places while installs run: it exchanges the parent, the staging directory, what is in
//! it and the destination, plants links, and sends signals. Nothing outside ever changes; a run ends with the right tree, or
//! with exit code 3 and a code of the destination; nothing is left.
//!
//! Each race goes a bounded number of rounds; `SKILLX_ROUNDS=500` makes them longer.
#![cfg(unix)]
#![allow(clippy::disallowed_methods, clippy::pedantic)] // tests look at the file system from outside

mod support;

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use support::carrier::{Carrier, dir, exec, expected_tree, file, symlink as link, with_skill};
use support::run::{Outcome, observe};
use support::{SKILL_MD, temp_dir, tree};

/// Rounds of a race unless `SKILLX_ROUNDS` says otherwise.
const ROUNDS: usize = 20;
/// What a run may say that lost against another process.
const LOST: [&str; 5] = ["concurrent-install", "dest-exists", "dest-is-symlink", "dest-not-a-skill", "io"];
/// Says which attack a process of this test binary is to run.
const ATTACK: &str = "SKILLX_TEST_ATTACK";

fn rounds() -> usize {
    std::env::var("SKILLX_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(ROUNDS)
}

/// A place with an archive, a parent for the destination, and a directory outside with things worth taking.
struct Scene {
    place: tempfile::TempDir,
    outside: tree::Tree,
    skill: tree::Tree,
    digest: String,
}

impl Scene {
    fn new() -> Self {
        let place = temp_dir();
        let members = with_skill(
            (0..40)
                .map(|number| file(format!("many/{}/f{number}", number % 4), vec![b'n'; 2000]))
                .chain([exec("run.sh", "#!/bin/sh\n"), dir("empty"), link("links/l", "../run.sh")])
                .collect(),
        );
        let bytes = Carrier::TarGz.write(&members);
        fs::write(place.path().join("a.tar.gz"), &bytes).unwrap();
        fs::create_dir(place.path().join("parent")).unwrap();
        // Everything that an install or a sweep could want: a skill, a staging directory's tree, names of the archive.
        for (name, text) in [
            ("SKILL.md", SKILL_MD),
            ("tree/SKILL.md", b"canary"),
            ("tree/many/0/f0", b"canary"),
            ("many/0/f0", b"canary"),
            ("run.sh", b"canary"),
        ] {
            let path = place.path().join("outside").join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        fs::set_permissions(place.path().join("outside"), fs::Permissions::from_mode(0o700)).unwrap();
        let outside = tree::walk(&place.path().join("outside"));
        Self { outside, skill: expected_tree(&members), digest: support::sha256(&bytes), place }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.place.path().join(name)
    }

    /// One install, started in this directory of the place.
    fn install(&self, directory: &str, destination: &str, flags: &[&str]) -> Outcome {
        let mut command = Command::new(env!("CARGO_BIN_EXE_skillx"));
        let archive = self.path("a.tar.gz");
        command.arg("verify-extract").arg(archive).args(["-o", destination, "--json", "--digest", &self.digest]);
        command.args(flags).current_dir(self.path(directory));
        observe(command, b"")
    }

    /// Success, or a failure that tells of the other process. Returns whether it was a success.
    #[track_caller]
    fn judge(&self, outcome: &Outcome) -> bool {
        let report = outcome.json().unwrap_or_else(|error| panic!("{error}: {}", outcome.err()));
        if outcome.code == Some(0) {
            return true;
        }
        let code = report["error"]["code"].as_str().unwrap_or_default();
        assert!(outcome.code == Some(3) && LOST.contains(&code), "{:?}: {}", outcome.code, report["error"]);
        assert_eq!(report["error"]["class"], "failed");
        false
    }

    #[track_caller]
    fn outside_is_untouched(&self) {
        let differences = tree::differences(&self.outside, &tree::walk(&self.path("outside")));
        assert_eq!(differences, Vec::<String>::new());
    }

    /// What lies in a directory, staging directories of this round included.
    fn names(&self, directory: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(directory)).into_iter().flatten().flatten();
        let mut names: Vec<_> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// Starts the other process.
    fn attack(&self, name: &str) -> Attack {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["the_other_process", "--exact", "--nocapture", "--test-threads=1"]);
        command.env(ATTACK, name).current_dir(self.place.path());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let attack = Attack(command.spawn().unwrap());
        let begun = Instant::now();
        while !self.path("attacking").exists() {
            assert!(begun.elapsed() < Duration::from_secs(60), "the other process does not begin");
            std::thread::sleep(Duration::from_millis(1));
        }
        attack
    }
}

/// The other process, until this goes.
struct Attack(Child);

impl Drop for Attack {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Not a test of its own: what the others start as a process, with its working directory in the scene.
#[test]
fn the_other_process() {
    let Ok(attack) = std::env::var(ATTACK) else { return };
    fs::write("attacking", "").unwrap();
    let mut turn = 0_usize;
    loop {
        turn = turn.wrapping_add(1);
        match attack.as_str() {
            "parent" => swap(Path::new("parent"), Path::new("away"), Path::new("outside")),
            "destination" => at_the_destination(turn),
            "old skill" => swap(Path::new("parent/skill"), Path::new("parent/away"), Path::new("../outside")),
            "staging" => in_staging(turn),
            "sweep" => before_a_sweep(turn),
            "archive" => {
                let _ = fs::copy(if turn.is_multiple_of(2) { "good" } else { "evil" }, "next");
                let _ = fs::rename("next", "a.tar.gz");
            }
            other => panic!("no attack is called {other}"),
        }
    }
}

/// Something away, a link to somewhere else in its place for a moment, and everything back.
fn swap(name: &Path, away: &Path, target: &Path) {
    if fs::rename(name, away).is_ok() {
        if symlink(target, name).is_ok() {
            pause();
            let _ = fs::remove_file(name);
        }
        if fs::rename(away, name).is_err() {
            // Something else stands there by now.
            let _ = fs::remove_dir_all(away);
        }
    }
    pause();
}

/// A moment of changing length.
fn pause() {
    let now = Instant::now();
    let moment = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().subsec_nanos() % 400_000;
    while now.elapsed() < Duration::from_nanos(u64::from(moment)) {
        std::hint::spin_loop();
    }
}

/// A link, a file, an empty directory: comes and goes. A published tree is not touched by any of it.
fn at_the_destination(turn: usize) {
    let skill = Path::new("parent/skill");
    match turn % 3 {
        0 => drop(symlink("../outside", skill)),
        1 => drop(fs::OpenOptions::new().write(true).create_new(true).open(skill)),
        _ => drop(fs::create_dir(skill)),
    }
    pause();
    let _ = if turn % 3 == 2 { fs::remove_dir(skill) } else { fs::remove_file(skill) };
    pause();
}

/// Staging directories, their trees and what is in them: exchanged for links to the outside, and back. Links are planted at
/// names that are still to come.
fn in_staging(turn: usize) {
    for entry in fs::read_dir("parent").into_iter().flatten().flatten() {
        let staging = entry.path();
        // Not through a link that an exchange of ours has left: that would be our hand, not the program's.
        let is_ours = staging.is_symlink() || staging.join("tree").is_symlink();
        if is_ours || !entry.file_name().to_string_lossy().starts_with(".skillx-") {
            continue;
        }
        let outside = std::env::current_dir().unwrap().join("outside");
        match turn % 4 {
            0 => swap(&staging, Path::new("away"), &outside),
            1 => swap(&staging.join("tree"), Path::new("away"), &outside.join("tree")),
            2 => swap(&staging.join("tree/many"), Path::new("away"), &outside.join("many")),
            _ => {
                let _ = symlink(outside.join("run.sh"), staging.join("tree/run.sh"));
                let _ = symlink(&outside, staging.join("tree/links"));
            }
        }
    }
    pause();
}

/// Names that a sweep looks for: directories that would do, and links to the outside, in turns.
fn before_a_sweep(turn: usize) {
    let name = format!("parent/.skillx-{:032x}", turn % 3);
    let name = Path::new(&name);
    if fs::create_dir(name).is_ok() {
        let _ = fs::set_permissions(name, fs::Permissions::from_mode(0o700));
        let _ = fs::create_dir(name.join("tree"));
        pause();
        let outside = std::env::current_dir().unwrap().join("outside");
        swap(&name.join("tree"), &name.join("away"), &outside.join("tree"));
        swap(name, Path::new("away"), &outside);
    }
    let _ = fs::remove_dir_all(name);
}

/// Cases: I03-inside.
#[test]
fn a_parent_that_is_exchanged_while_an_install_runs_in_it_leads_nowhere_else() {
    let scene = Scene::new();
    let working = fs::File::open(scene.path("parent")).unwrap();
    let attack = scene.attack("parent");
    let mut done = 0;
    for _ in 0..rounds() {
        // Started inside the parent, wherever that is called meanwhile.
        let mut command = Command::new(env!("CARGO_BIN_EXE_skillx"));
        command.arg("verify-extract").arg(scene.path("a.tar.gz"));
        command.args(["-o", "skill", "--json", "--digest", &scene.digest]);
        let inside = if Path::new("/proc/self/fd").exists() {
            use std::os::fd::AsRawFd as _;
            PathBuf::from(format!("/proc/{}/fd/{}", std::process::id(), working.as_raw_fd()))
        } else {
            scene.path("parent")
        };
        let outcome = observe(inside_of(command, &inside), b"");
        scene.outside_is_untouched();
        done += usize::from(scene.judge(&outcome));
        let found = tree::walk(&inside);
        if outcome.code == Some(0) {
            assert_eq!(tree::differences(&scene.skill, &tree::walk(&inside.join("skill"))), Vec::<String>::new());
            fs::remove_dir_all(inside.join("skill")).unwrap();
        } else {
            assert_eq!(found, tree::Tree::new(), "{}", outcome.out());
        }
        assert_eq!(fs::read_dir(&inside).unwrap().count(), 0);
    }
    drop(attack);
    assert!(done > 0, "no install came through");
}

fn inside_of(mut command: Command, directory: &Path) -> Command {
    command.current_dir(directory);
    command
}

/// Cases: I03-on-the-way.
#[test]
fn a_parent_that_is_exchanged_on_the_way_to_it_gets_a_whole_skill_or_none() {
    let scene = Scene::new();
    let attack = scene.attack("parent");
    for _ in 0..rounds() {
        // The caller's own path goes through the parent: where it leads when it is opened, there the skill goes.
        let outcome = scene.install("", "parent/skill", &[]);
        scene.judge(&outcome);
        for place in ["parent", "away", "outside"] {
            let skill = scene.path(place).join("skill");
            if !skill.is_dir() || scene.path(place).is_symlink() {
                continue;
            }
            // The other process may rename it while we look.
            let Ok(at) = fs::canonicalize(&skill) else { continue };
            if let Ok(gone) = take(&at, &scene.path("gone")) {
                assert_eq!(tree::differences(&scene.skill, &tree::walk(&gone)), Vec::<String>::new());
                fs::remove_dir_all(&gone).unwrap();
            }
        }
        scene.outside_is_untouched();
    }
    drop(attack);
    for place in ["parent", "away", "outside"] {
        assert!(!scene.names(place).iter().any(|name| name.starts_with(".skillx-")), "{place}");
    }
}

fn take(from: &Path, to: &Path) -> std::io::Result<PathBuf> {
    fs::rename(from, to)?;
    Ok(to.to_owned())
}

/// Cases: I05-planted.
#[test]
fn links_and_exchanges_inside_the_staging_directory_lead_nowhere() {
    let scene = Scene::new();
    let attack = scene.attack("staging");
    for round in 0..rounds() {
        let outcome = scene.install("", "parent/skill", if round % 2 == 0 { &[] } else { &["--fsync"] });
        scene.judge(&outcome);
        scene.outside_is_untouched();
        // Whoever may write into a directory of mode 0700 may also change what is published. Not ours to judge.
        let skill = scene.path("parent/skill");
        if skill.is_symlink() {
            fs::remove_file(&skill).unwrap();
        } else if skill.exists() {
            fs::remove_dir_all(&skill).unwrap();
        }
        scene.outside_is_untouched();
    }
    drop(attack);
}

/// Cases: I05-destination.
#[test]
fn what_comes_and_goes_at_the_destination_is_never_written_through() {
    let scene = Scene::new();
    let attack = scene.attack("destination");
    for round in 0..rounds() {
        let outcome = scene.install("", "parent/skill", if round % 2 == 0 { &[] } else { &["--replace"] });
        let done = scene.judge(&outcome);
        scene.outside_is_untouched();
        if done {
            let differences = tree::differences(&scene.skill, &tree::walk(&scene.path("parent/skill")));
            assert_eq!(differences, Vec::<String>::new());
            fs::remove_dir_all(take(&scene.path("parent/skill"), &scene.path("gone")).unwrap()).unwrap();
        }
        let left = scene.names("parent");
        assert!(left.iter().all(|name| name == "skill"), "{left:?}");
    }
    drop(attack);
}

/// Cases: I05-exchange.
#[test]
fn an_old_skill_that_is_exchanged_for_a_link_while_it_is_replaced_costs_nothing_outside() {
    let scene = Scene::new();
    let skill = scene.path("parent/skill");
    fs::create_dir(&skill).unwrap();
    fs::write(skill.join("SKILL.md"), SKILL_MD).unwrap();
    let attack = scene.attack("old skill");
    for _ in 0..rounds() {
        let outcome = scene.install("", "parent/skill", &["--replace"]);
        scene.judge(&outcome);
        scene.outside_is_untouched();
        // What came out of an exchange by mistake was put back, or is kept where no sweep takes it.
        for name in scene.names("parent").iter().filter(|name| name.starts_with(".skillx-")) {
            let mode = fs::metadata(scene.path("parent").join(name)).map(|meta| meta.permissions().mode() & 0o777);
            assert_eq!(mode.ok(), Some(0o500), "{name}");
        }
    }
    drop(attack);
}

/// Cases: D01-race.
#[test]
fn an_archive_that_is_exchanged_while_it_is_read_is_judged_as_it_was_hashed() {
    let scene = Scene::new();
    fs::rename(scene.path("a.tar.gz"), scene.path("good")).unwrap();
    let evil = Carrier::TarGz.write(&with_skill(vec![file("../evil", "x"), file("evil", vec![b'e'; 90_000])]));
    fs::write(scene.path("evil"), evil).unwrap();
    fs::copy(scene.path("good"), scene.path("a.tar.gz")).unwrap();
    let attack = scene.attack("archive");
    let (mut good, mut evil) = (0, 0);
    for _ in 0..rounds() {
        let outcome = scene.install("", "parent/skill", &[]);
        let report = outcome.json().unwrap();
        match outcome.code {
            Some(0) => {
                let differences = tree::differences(&scene.skill, &tree::walk(&scene.path("parent/skill")));
                assert_eq!(differences, Vec::<String>::new());
                fs::remove_dir_all(scene.path("parent/skill")).unwrap();
                good += 1;
            }
            code => {
                assert_eq!((code, report["error"]["code"].as_str()), (Some(1), Some("digest-mismatch")), "{report}");
                evil += 1;
            }
        }
        assert!(scene.names("parent").is_empty());
    }
    drop(attack);
    assert!(good + evil == rounds() && good > 0, "{good} good, {evil} evil");
}

/// Cases: I08-processes.
#[test]
fn of_eight_processes_at_one_destination_one_wins_and_the_others_say_so() {
    for replace in [false, true] {
        for round in 0..rounds().div_ceil(3) {
            let place = temp_dir();
            let mut trees = Vec::new();
            for number in 0..8 {
                let members = with_skill(vec![file("a/b", format!("of run {number}")), file("c", vec![7; 20_000])]);
                fs::write(place.path().join(format!("{number}.tar.gz")), Carrier::TarGz.write(&members)).unwrap();
                trees.push(expected_tree(&members));
            }
            if replace {
                fs::create_dir_all(place.path().join("p/skill/old")).unwrap();
                fs::write(place.path().join("p/skill/SKILL.md"), SKILL_MD).unwrap();
            }
            let start = |number: usize| {
                let mut command = Command::new(env!("CARGO_BIN_EXE_skillx"));
                command.args(["verify-extract", "--allow-unverified", "--json", "-o", "p/skill"]);
                command.arg(format!("{number}.tar.gz")).args(replace.then_some("--replace"));
                command.current_dir(place.path()).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
                command.spawn().unwrap()
            };
            let children: Vec<_> = (0..8).map(start).collect();
            let mut winners = Vec::new();
            for (number, child) in children.into_iter().enumerate() {
                let output = child.wait_with_output().unwrap();
                let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
                if output.status.code() == Some(0) {
                    winners.push(number);
                    continue;
                }
                let code = report["error"]["code"].as_str().unwrap_or_default();
                let told = if replace { &["concurrent-install"][..] } else { &["concurrent-install", "dest-exists"] };
                assert!(output.status.code() == Some(3) && told.contains(&code), "round {round}: {}", report["error"]);
            }
            assert!(if replace { !winners.is_empty() } else { winners.len() == 1 }, "round {round}: {winners:?}");
            let found = tree::walk(&place.path().join("p/skill"));
            assert!(winners.iter().any(|winner| trees[*winner] == found), "round {round}: a mixture: {found:?}");
            assert_eq!(fs::read_dir(place.path().join("p")).unwrap().count(), 1, "round {round}: something is left");
        }
    }
}

/// Cases: X03-race.
#[test]
fn what_is_planted_for_a_sweep_is_not_followed() {
    let scene = Scene::new();
    // A directory of another user that would do in every other way.
    let foreign = scene.path("parent/.skillx-ffffffffffffffffffffffffffffffff");
    fs::create_dir_all(foreign.join("tree")).unwrap();
    fs::set_permissions(&foreign, fs::Permissions::from_mode(0o700)).unwrap();
    let is_foreign = std::os::unix::fs::chown(&foreign, Some(12345), None).is_ok();
    if !is_foreign {
        println!("without root no directory belongs to somebody else: that part is left out");
        fs::remove_dir_all(&foreign).unwrap();
    }
    let attack = scene.attack("sweep");
    for _ in 0..rounds() {
        let outcome = scene.install("", "parent/skill", &[]);
        assert!(scene.judge(&outcome), "{}", outcome.out());
        scene.outside_is_untouched();
        fs::remove_dir_all(scene.path("parent/skill")).unwrap();
        assert!(!is_foreign || foreign.join("tree").exists(), "it belongs to another user");
    }
    drop(attack);
}

/// Cases: I06-signal.
#[test]
fn a_signal_at_any_moment_leaves_the_destination_as_before_or_complete() {
    let piece: Vec<u8> = (0..=255).cycle().take(4 << 10).collect();
    let members = with_skill((0..300).map(|number| file(format!("d{}/f{number}", number % 9), &piece)).collect());
    let place = temp_dir();
    fs::write(place.path().join("a.tar.gz"), Carrier::TarGz.write(&members)).unwrap();
    let new = expected_tree(&members);
    let start = |replace: bool| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_skillx"));
        command.args(["verify-extract", "--allow-unverified", "-q", "-o", "p/skill", "a.tar.gz"]);
        command.args(replace.then_some("--replace")).current_dir(place.path());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    };
    let begun = Instant::now();
    assert_eq!(start(false).wait().unwrap().code(), Some(0));
    let whole = begun.elapsed();
    fs::remove_dir_all(place.path().join("p")).unwrap();
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut ends = std::collections::BTreeMap::new();
    for round in 0..2 * rounds() {
        let replace = round % 4 >= 2;
        let old = [tree::file("SKILL.md", SKILL_MD), tree::file("old", "x")];
        if replace {
            fs::create_dir_all(place.path().join("p/skill")).unwrap();
            for (name, text) in [("SKILL.md", SKILL_MD), ("old", b"x")] {
                fs::write(place.path().join("p/skill").join(name), text).unwrap();
            }
        }
        let (signal, code) = if round % 2 == 0 { (Signal::INT, 130) } else { (Signal::TERM, 143) };
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let mut child = start(replace);
        std::thread::sleep(whole.mul_f64((state >> 33) as f64 / f64::from(1_u32 << 31)));
        kill_process(Pid::from_child(&child), signal).expect("the child has not been waited for");
        let status = child.wait().unwrap();
        let what = format!("round {round}, {signal:?}, replace {replace}: {status:?}");
        let skill = place.path().join("p/skill");
        let found = skill.exists().then(|| tree::walk(&skill));
        let is_before = if replace { found == Some(tree::Tree::from(old)) } else { !place.path().join("p").exists() };
        match status.code() {
            Some(0) => assert!(found.as_ref() == Some(&new), "{what}"),
            Some(found) if found == code => assert!(is_before, "{what}"),
            // Before it had a handler: nothing had been made.
            None if status.signal() == Some(signal.as_raw()) => assert!(is_before, "{what}"),
            _ => panic!("{what}"),
        }
        *ends.entry(status.code()).or_insert(0) += 1;
        if place.path().join("p").exists() {
            assert_eq!(fs::read_dir(place.path().join("p")).unwrap().count(), 1, "{what}: something is left");
            fs::remove_dir_all(place.path().join("p")).unwrap();
        }
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1, "{what}: something is left");
    }
    println!("exit codes of the signalled runs: {ends:?}");
}
