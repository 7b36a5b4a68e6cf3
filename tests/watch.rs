//! What others see while skillx works: a watcher walks the parent directory in a tight loop while refused, killed and
//! successful runs go by. No SKILL.md may be seen before the verdict, at any depth. Then: modes under every umask, and
//! what a later run sweeps away.
#![cfg(unix)]
#![allow(clippy::disallowed_methods)] // Tests look at the file system as it is.

mod support;

use std::collections::BTreeSet;
use std::fs;
use std::io::Read as _;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use skillx_archive::{Artifact, Options};
use unicode_normalization::UnicodeNormalization as _;

use support::carrier::{Carrier, Member, dir, exec, file, hardlink, symlink as link, with_skill};
use support::gzip::Gzip;
use support::run::observe;
use support::tar::Tar;
use support::{SKILL_MD, temp_dir, tree};

/// Created last of all, when nothing can be refused any more.
const MARK: &str = "zzz-last";

/// A file that some file system or client could take for SKILL.md.
#[derive(Debug)]
struct Sighting {
    directory: PathBuf,
    #[allow(dead_code)] // Shown when a test fails.
    name: String,
    /// What lay beside it, from the same listing.
    beside: BTreeSet<String>,
    /// What lies at the root of the tree now, if it is still there.
    root: Option<BTreeSet<String>>,
}

struct Watcher {
    stop: Arc<AtomicBool>,
    rounds: Arc<AtomicU64>,
    thread: JoinHandle<Vec<Sighting>>,
}

impl Watcher {
    fn over(parent: &Path) -> Self {
        let (stop, rounds) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let (parent, stopped, counted) = (parent.to_owned(), stop.clone(), rounds.clone());
        let thread = std::thread::spawn(move || {
            let mut seen = Vec::new();
            while !stopped.load(Ordering::Relaxed) {
                look(&parent, &parent, &mut seen);
                counted.fetch_add(1, Ordering::Relaxed);
            }
            seen
        });
        Self { stop, rounds, thread }
    }

    /// Waits until one more whole round has been walked.
    fn settle(&self) {
        let now = self.rounds.load(Ordering::Relaxed);
        while self.rounds.load(Ordering::Relaxed) < now + 2 {
            std::thread::yield_now();
        }
    }

    fn seen(self) -> Vec<Sighting> {
        self.settle();
        self.stop.store(true, Ordering::Relaxed);
        self.thread.join().expect("the watcher goes on whatever it meets")
    }
}

/// Walks everything below a directory, follows nothing, reads what can be read.
fn look(parent: &Path, directory: &Path, seen: &mut Vec<Sighting>) {
    let Ok(entries) = fs::read_dir(directory) else { return };
    let entries: Vec<_> = entries.flatten().collect();
    for entry in &entries {
        let name = entry.file_name().to_string_lossy().into_owned();
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_dir() {
            look(parent, &entry.path(), seen);
            continue;
        }
        if is_skill_md(&name) {
            let beside = entries.iter().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
            let inside = directory.strip_prefix(parent).unwrap();
            let root = parent.join(inside.iter().take(root_depth(inside)).collect::<PathBuf>());
            seen.push(Sighting { directory: inside.to_owned(), name, beside, root: list(&root) });
        }
        if kind.is_file()
            && let Ok(file) = fs::File::open(entry.path())
        {
            let _ = file.take(4096).read_to_end(&mut Vec::new());
        }
    }
}

/// A published tree lies directly in the parent, one that is still staged one level deeper.
fn root_depth(inside: &Path) -> usize {
    if inside.iter().next().is_some_and(|name| is_staging(&name.to_string_lossy())) { 2 } else { 1 }
}

fn list(directory: &Path) -> Option<BTreeSet<String>> {
    let entries = fs::read_dir(directory).ok()?;
    Some(entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect())
}

fn is_skill_md(name: &str) -> bool {
    let compatible: String = name.nfkc().collect();
    compatible.to_uppercase().to_lowercase() == "skill.md"
}

fn is_staging(name: &str) -> bool {
    name.starts_with(".skillx-")
}

/// SKILL.md first, more of the kind deeper down, and enough between them and the end that a run can be watched.
fn members() -> Vec<Member> {
    let mut members = with_skill(vec![
        file("nested/SKILL.md", SKILL_MD),
        file("nested/deep/er/skill.md", SKILL_MD),
        file("foldings/a/Skill.MD", SKILL_MD),
        file("foldings/b/S\u{212a}ILL.md", SKILL_MD),
        file("foldings/c/\u{17f}kill.md", SKILL_MD),
        hardlink("nested/copy/SKILL.md", "SKILL.md"),
        exec("run.sh", "#!/bin/sh\n"),
        dir("empty"),
    ]);
    members.extend((0..60).map(|number| file(format!("many/{}/f{number}", number % 5), vec![7; 3000])));
    members.push(link("links/SKILL.md", "../SKILL.md"));
    members.push(link(MARK, "run.sh"));
    members
}

fn good() -> Vec<u8> {
    Carrier::TarGz.write(&members())
}

/// Archives that are complete to the eye and refused at the very end, each by another room.
fn refused() -> Vec<(&'static str, Vec<u8>)> {
    let with = |member: Member| Carrier::TarGz.write(&[members(), vec![member]].concat());
    let tar = |end: fn(Tar) -> Vec<u8>| {
        end(members().iter().filter(|member| member.target.is_empty()).fold(Tar::empty(), |tar, member| {
            if member.kind == support::Kind::Dir {
                tar.dir(&member.name)
            } else {
                tar.file(&member.name, &member.content)
            }
        }))
    };
    vec![
        ("path-traversal", with(file("../x", ""))),
        ("path-collision", with(file("RUN.sh", ""))),
        ("link-target-missing", with(link("l", "nowhere"))),
        ("gzip-crc", Gzip::new(tar(Tar::end)).with(|gzip| gzip.crc ^= 1).build()),
        ("tar-no-end", Gzip::new(tar(Tar::unended)).build()),
        ("wrapper-directory", Carrier::TarGz.write(&[file("w/SKILL.md", SKILL_MD), file("w/x", vec![1; 9000])])),
        ("skill-md-invalid", Carrier::TarGz.write(&[file("SKILL.md", "none"), file("x/SKILL.md", SKILL_MD)])),
    ]
}

fn start(parent: &Path, archive: &Path, more: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_skillx"));
    command.args(["verify-extract", "--allow-unverified", "-q", "-o"]).arg(parent.join("out")).args(more).arg(archive);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// The root of a published tree.
fn whole() -> BTreeSet<String> {
    let roots = members().into_iter().map(|member| String::from_utf8(member.name).unwrap());
    roots.map(|name| name.split('/').next().unwrap().to_owned()).collect()
}

/// A sighting is fine only when nothing could be refused any more: in a tree that is complete.
fn is_early(sighting: &Sighting) -> bool {
    let inside = &sighting.directory;
    let staged = root_depth(inside) == 2;
    if !staged && !inside.starts_with("out") {
        return true;
    }
    let at_root = inside.iter().count() == root_depth(inside);
    if at_root {
        return sighting.beside != whole();
    }
    // Deeper: published meanwhile, or the mark is there.
    sighting.root.as_ref().is_some_and(|root| !root.contains(MARK))
}

/// Cases: X01-refused.
#[test]
fn no_skill_md_is_ever_seen_of_an_archive_that_is_refused() {
    let (archives, parent) = (temp_dir(), temp_dir());
    let watcher = Watcher::over(parent.path());
    for (code, bytes) in refused() {
        let archive = archives.path().join("a.tar.gz");
        fs::write(&archive, &bytes).unwrap();
        let report = Artifact::from_bytes(bytes).trust_without_digest().check(&Options::default());
        assert_eq!(report.error.map(|error| error.code().as_str()), Some(code));
        for _ in 0..2 {
            assert_eq!(start(parent.path(), &archive, &[]).wait().unwrap().code(), Some(1), "{code}");
            assert_eq!(tree::walk(parent.path()), tree::Tree::new(), "{code}");
        }
    }
    let seen = watcher.seen();
    assert!(seen.is_empty(), "{seen:#?}");
}

/// Cases: X01-accepted.
#[test]
fn a_successful_run_shows_a_skill_md_only_in_a_complete_tree() {
    let (archives, parent) = (temp_dir(), temp_dir());
    let archive = archives.path().join("a.tar.gz");
    fs::write(&archive, good()).unwrap();
    let watcher = Watcher::over(parent.path());
    for _ in 0..6 {
        assert_eq!(start(parent.path(), &archive, &[]).wait().unwrap().code(), Some(0));
        watcher.settle();
        let differences =
            tree::differences(&support::carrier::expected_tree(&members()), &tree::walk(&parent.path().join("out")));
        assert_eq!(differences, Vec::<String>::new());
        assert_eq!(list(parent.path()).unwrap().len(), 1, "only the skill is left");
        // Out of the watcher's sight in one step, and out of its hands: so it never sees a half removed one.
        fs::rename(parent.path().join("out"), archives.path().join("gone")).unwrap();
        watcher.settle();
        fs::remove_dir_all(archives.path().join("gone")).unwrap();
    }
    let seen = watcher.seen();
    assert!(seen.iter().any(|sighting| sighting.directory == Path::new("out")), "the watcher is awake");
    let early: Vec<_> = seen.iter().filter(|sighting| is_early(sighting)).collect();
    assert!(early.is_empty(), "{early:#?}");
}

/// Cases: I06-killed-writing.
#[test]
fn a_killed_run_leaves_nothing_that_loads_and_the_next_run_sweeps_it_away() {
    let (archives, parent) = (temp_dir(), temp_dir());
    let archive = archives.path().join("a.tar.gz");
    fs::write(&archive, good()).unwrap();
    let watcher = Watcher::over(parent.path());
    let mut abandoned = 0;
    for round in 0..24 {
        let mut child = start(parent.path(), &archive, &[]);
        if round % 3 != 0 {
            // Killed in the middle of writing; else at any time since the start.
            while list(parent.path()).unwrap().is_empty() && child.try_wait().unwrap().is_none() {
                std::hint::spin_loop();
            }
        }
        std::thread::sleep(Duration::from_millis(round / 3 * 3));
        child.kill().unwrap();
        child.wait().unwrap();
        let left = list(parent.path()).unwrap();
        abandoned += usize::from(left.iter().any(|name| is_staging(name)));
        if left.contains("out") {
            assert_eq!(list(&parent.path().join("out")).unwrap(), whole(), "complete or not at all");
            fs::rename(parent.path().join("out"), archives.path().join("gone")).unwrap();
            watcher.settle();
            fs::remove_dir_all(archives.path().join("gone")).unwrap();
        }
    }
    assert!(abandoned >= 3, "only {abandoned} runs were killed while they wrote");
    assert_eq!(start(parent.path(), &archive, &[]).wait().unwrap().code(), Some(0));
    assert_eq!(list(parent.path()).unwrap(), BTreeSet::from(["out".to_owned()]), "everything else was swept away");
    let seen = watcher.seen();
    let early: Vec<_> = seen.iter().filter(|sighting| is_early(sighting)).collect();
    assert!(early.is_empty(), "{early:#?}");
}

/// Cases: X01-exchange.
#[test]
fn an_exchange_shows_the_old_skill_or_the_new_one_and_no_mixture() {
    let (archives, parent) = (temp_dir(), temp_dir());
    let archive = archives.path().join("a.tar.gz");
    fs::write(&archive, good()).unwrap();
    let old = BTreeSet::from(["SKILL.md".to_owned(), "old".to_owned()]);
    let mut seen = Vec::new();
    for _ in 0..5 {
        fs::create_dir(parent.path().join("out")).unwrap();
        for name in &old {
            fs::write(parent.path().join("out").join(name), SKILL_MD).unwrap();
        }
        let watcher = Watcher::over(parent.path());
        watcher.settle();
        assert_eq!(start(parent.path(), &archive, &["--replace"]).wait().unwrap().code(), Some(0));
        seen.extend(watcher.seen());
        assert_eq!(list(parent.path()).unwrap().len(), 1);
        fs::remove_dir_all(parent.path().join("out")).unwrap();
    }
    for at in ["out old", "out new"] {
        let is = |sighting: &&Sighting| {
            sighting.directory == Path::new("out") && sighting.beside.contains("old") == at.ends_with("old")
        };
        assert!(seen.iter().any(|sighting| is(&sighting)), "{at} was seen");
    }
    // The old tree has no directories: who looked into one and then found the old root had looked across the exchange.
    let across = |sighting: &Sighting| {
        let deeper = sighting.directory.iter().count() > root_depth(&sighting.directory);
        deeper && sighting.root.as_ref().is_some_and(|root| root.contains("old"))
    };
    let is_wrong = |sighting: &&Sighting| sighting.beside != old && !across(sighting) && is_early(sighting);
    let early: Vec<_> = seen.iter().filter(is_wrong).collect();
    assert!(early.is_empty(), "{early:#?}");
}

/// Cases: X01-steps.
#[test]
fn at_no_step_of_a_run_is_there_a_skill_md() {
    let mut archives = refused();
    archives.push(("", good()));
    for (code, bytes) in archives {
        let parent = temp_dir();
        let (path, steps) = (parent.path().to_owned(), Arc::new(AtomicU64::new(0)));
        let counted = steps.clone();
        let options = Options::default().on_progress(move |_| {
            let mut seen = Vec::new();
            look(&path, &path, &mut seen);
            assert!(seen.is_empty(), "{seen:#?}");
            counted.fetch_add(1, Ordering::Relaxed);
        });
        let outcome = Artifact::from_bytes(bytes).trust_without_digest().extract(parent.path().join("out"), &options);
        assert_eq!(outcome.map_err(|failure| failure.code().as_str()).err().unwrap_or_default(), code);
        assert!(steps.load(Ordering::Relaxed) >= 1, "{code}: somebody looked");
    }
}

/// Extracts under a umask, given in octal; returns the exit code.
fn under_umask(umask: &str, directory: &Path, out: &str) -> Option<i32> {
    let mut command = Command::new("sh");
    let script = "umask \"$1\" && exec \"$0\" verify-extract a.tar.gz --allow-unverified -o \"$2\"";
    command.args(["-c", script, env!("CARGO_BIN_EXE_skillx"), umask, out]).current_dir(directory);
    observe(command, b"").code
}

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).unwrap().permissions().mode() & 0o7777
}

/// Cases: M08-umask.
#[test]
fn modes_are_those_of_the_umask_and_special_bits_are_never_set() {
    let directory = temp_dir();
    let members = [
        file("SKILL.md", SKILL_MD).mode(0o6666),
        file("plain", "").mode(0o1600),
        file("none", "").mode(0),
        exec("run", "").mode(0o7777),
        file("only-group-x", "").mode(0o2010),
        dir("d").mode(0o7000),
        file("implied/x", "").mode(0o4644),
        hardlink("copy", "run"),
    ];
    fs::write(directory.path().join("a.tar.gz"), Carrier::TarGz.write(&members)).unwrap();
    for umask in [0o000, 0o022, 0o027, 0o077, 0o002, 0o033] {
        let parent = format!("p{umask:03o}");
        let out = format!("{parent}/q/out");
        assert_eq!(under_umask(&format!("{umask:03o}"), directory.path(), &out), Some(0));
        let root = directory.path().join(&out);
        for (path, most) in [
            ("SKILL.md", 0o644),
            ("plain", 0o644),
            ("none", 0o644),
            ("run", 0o755),
            ("copy", 0o755),
            ("only-group-x", 0o755),
            ("d", 0o755),
            ("implied", 0o755),
            ("implied/x", 0o644),
            ("", 0o755),
            ("..", 0o755),
            ("../..", 0o755),
        ] {
            let (found, expected) = (mode(&root.join(path)), most & !umask);
            assert_eq!(found, expected, "`{path}` under {umask:03o}: {found:04o}, not {expected:04o}");
        }
    }
}

/// Cases: M08-locked-out.
#[test]
fn a_umask_that_takes_the_owners_rights_away_leaves_nothing() {
    let directory = temp_dir();
    fs::write(directory.path().join("a.tar.gz"), good()).unwrap();
    for umask in ["700", "777", "300"] {
        assert_eq!(under_umask(umask, directory.path(), "p/out"), Some(3), "{umask}");
        assert_eq!(list(directory.path()).unwrap().len(), 1, "{umask}");
    }
}

/// Cases: I14-group.
#[test]
fn a_parent_whose_group_is_inherited_is_a_parent_like_any_other() {
    let directory = temp_dir();
    fs::write(directory.path().join("a.tar.gz"), good()).unwrap();
    fs::create_dir(directory.path().join("p")).unwrap();
    fs::set_permissions(directory.path().join("p"), fs::Permissions::from_mode(0o2775)).unwrap();
    assert_eq!(under_umask("002", directory.path(), "p/out"), Some(0));
    assert_eq!(list(&directory.path().join("p")).unwrap(), BTreeSet::from(["out".to_owned()]));
    for (path, node) in tree::walk(&directory.path().join("p/out")) {
        if matches!(node, tree::Node::File { .. }) {
            assert_eq!(mode(&directory.path().join("p/out").join(&path)) & 0o7000, 0, "{path}");
        }
    }
}

/// A name of the form that staging directories have.
fn staging_name(digit: char) -> String {
    format!(".skillx-{}", digit.to_string().repeat(32))
}

/// Cases: X03-program.
#[test]
fn a_sweep_takes_abandoned_staging_directories_and_nothing_else() {
    let directory = temp_dir();
    let at = |name: &str| directory.path().join(name);
    let make = |name: &str, bits: u32| {
        fs::create_dir_all(at(name).join("tree/deep")).unwrap();
        fs::write(at(name).join("tree/deep/file"), "x").unwrap();
        fs::set_permissions(at(name), fs::Permissions::from_mode(bits)).unwrap();
    };
    fs::write(at("a.tar.gz"), good()).unwrap();
    let (abandoned, empty) = (staging_name('a'), staging_name('0'));
    make(&abandoned, 0o700);
    fs::create_dir(at(&empty)).unwrap();
    fs::set_permissions(at(&empty), fs::Permissions::from_mode(0o700)).unwrap();
    let (open, linked, plain, foreign, locked) =
        (staging_name('b'), staging_name('c'), staging_name('d'), staging_name('e'), staging_name('f'));
    make(&open, 0o755);
    make("real", 0o700);
    symlink("real", at(&linked)).unwrap();
    fs::write(at(&plain), "a file").unwrap();
    make(&foreign, 0o700);
    fs::write(at(&foreign).join("mine"), "something that skillx does not make").unwrap();
    make(&locked, 0o700);
    let others = [".skillx-abc".to_owned(), ".skillx".to_owned(), staging_name('A'), format!("{}0", staging_name('1'))];
    others.iter().for_each(|name| make(name, 0o700));
    let holder = fs::File::open(at(&locked)).unwrap();
    rustix::fs::flock(&holder, rustix::fs::FlockOperation::NonBlockingLockExclusive).unwrap();
    assert_eq!(under_umask("022", directory.path(), "out"), Some(0));
    let left = list(directory.path()).unwrap();
    for name in [&abandoned, &empty] {
        assert!(!left.contains(name), "{name} was abandoned");
    }
    for name in [&open, &linked, &plain, &foreign, &locked].into_iter().chain(&others) {
        assert!(left.contains(name), "{name} is not for a sweep to take");
    }
    assert!(at("real/tree/deep/file").exists() && at(&foreign).join("tree/deep/file").exists());
    drop(holder);
    assert_eq!(under_umask("022", directory.path(), "out2"), Some(0));
    assert!(!list(directory.path()).unwrap().contains(&locked), "its run has ended");
}
