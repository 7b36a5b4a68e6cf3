//! Installing for real, on a file system in memory, with a canary tree around the destination: archives over a tiny
//! alphabet of paths, with links among them and links planted beside the destination. Whatever happens, nothing outside
//! changes, and the destination is as before or exactly what the archive says.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::os::unix::fs::{MetadataExt as _, symlink};
use std::path::{Path, PathBuf};

use skillx_archive::{EntryKind, EntryPath, Layout, Links, Report, Verdict};

use super::forge::zip::{Entry, Zip};
use super::oracle::{self, Node, Tree};
use super::support::{SKILL_MD, artifact, check, finish, member, options};

const NAMES: [&[u8]; 6] = [b".", b"..", b"a", b"b", b"A", b"SKILL.md"];
const FLAGS: [u8; 8] = [b'0', b'0', b'5', b'2', b'1', b'2', b'0', b'5'];
const MOST_MEMBERS: u8 = 12;

thread_local! {
    static ARENA: RefCell<Arena> = RefCell::new(Arena::new());
}

pub(crate) fn run(data: &[u8]) {
    ARENA.with_borrow_mut(|arena| install(arena, data));
}

fn install(arena: &mut Arena, data: &[u8]) {
    let mut bytes = data.iter().copied();
    let mut next = || bytes.next().unwrap_or_default();
    let (choice, scene) = (next(), next());
    let is_zip = choice & 1 != 0;
    let mut options = options().strip_root(choice & 2 != 0).replace(scene & 8 != 0).fsync(scene & 0xf0 == 0xf0);
    if choice & 4 != 0 {
        options = options.layout(Layout::Any);
    }
    if choice & 0x18 == 0x18 {
        options = options.links(Links::Deny);
    }
    let members = members(arena, choice & 0x20 != 0, &mut next);
    let (content, file) = if is_zip { (Vec::new(), zip(&members)) } else { tar(&members) };
    let artifact = artifact(file.clone());
    let report = check(&artifact, &options);

    let before = Destination::ALL[usize::from(scene) % Destination::ALL.len()];
    arena.prepare(before);
    let inside = snapshot(&arena.destination());
    let outcome = artifact.extract(arena.destination(), &options);
    assert_eq!(arena.outside(), arena.before, "something changed outside the destination");
    let may_be_taken = match before {
        Destination::Absent | Destination::Empty => true,
        Destination::Old => scene & 8 != 0,
        Destination::File | Destination::Link | Destination::Dangling => false,
    };
    match outcome {
        Ok(skill) => {
            assert!(may_be_taken, "{before:?} was taken");
            assert_eq!(report.verdict, Verdict::Accepted, "installed what `check` refuses");
            assert_eq!(skill.report().entries, report.entries);
            let installed = installed(&arena.destination());
            if is_zip {
                oracle::agree_on_installed_zip(&file, &installed);
            } else {
                oracle::agree_on_installed_tar(&content, &installed);
            }
            agree_on_report(&report, &installed);
            arena.state = None;
        }
        Err(failure) => {
            assert_eq!(snapshot(&arena.destination()), inside, "a failure changed the destination");
            let refusal = report.error.as_ref().map(|error| error.code());
            if may_be_taken {
                assert_eq!(Some(failure.code()), refusal, "`check` and `extract` disagree: {failure}");
            }
        }
    }
}

/// Every entry of the report is on disk, as it says.
fn agree_on_report(report: &Report, installed: &Tree) {
    for entry in report.entries.iter().filter(|entry| !entry.omitted) {
        let EntryPath::Text(path) = &entry.path else { panic!("an accepted path is UTF-8") };
        let agrees = match (entry.kind, installed.get(path)) {
            (EntryKind::Directory, found) => path == "." || found == Some(&Node::Directory),
            (EntryKind::File, Some(Node::File { bytes, exec })) => {
                bytes.len() as u64 == entry.bytes && *exec == Some(entry.executable)
            }
            (EntryKind::Symlink, Some(Node::Link(target))) => entry.link_target.as_ref() == Some(target),
            _ => false,
        };
        assert!(agrees, "{entry:?} is {:?} on disk", installed.get(path));
    }
}

/// One member, for either container.
struct Member {
    flag: u8,
    name: Vec<u8>,
    link: Vec<u8>,
    payload: &'static [u8],
}

fn members(arena: &Arena, skill: bool, next: &mut impl FnMut() -> u8) -> Vec<Member> {
    let mut members = Vec::new();
    if skill {
        members.push(Member { flag: b'0', name: b"SKILL.md".to_vec(), link: Vec::new(), payload: SKILL_MD });
    }
    for _ in 0..next() % MOST_MEMBERS {
        let flag = FLAGS[usize::from(next() % 8)];
        let name = path(arena, next);
        let link = if matches!(flag, b'1' | b'2') { path(arena, next) } else { Vec::new() };
        let payload: &[u8] = match flag {
            b'0' if name.ends_with(b"SKILL.md") => SKILL_MD,
            b'0' => b"x",
            _ => b"",
        };
        members.push(Member { flag, name, link, payload });
    }
    members
}

/// Up to four components, and now and then the canary's own absolute path in front.
fn path(arena: &Arena, next: &mut impl FnMut() -> u8) -> Vec<u8> {
    let shape = next();
    let mut path = if shape & 0xf0 == 0xf0 { arena.canary_path() } else { Vec::new() };
    for at in 0..=shape % 4 {
        if at > 0 || !path.is_empty() {
            path.push(b'/');
        }
        path.extend_from_slice(NAMES[usize::from(next()) % NAMES.len()]);
    }
    if shape & 0x18 == 0x18 {
        path.push(b'/');
    }
    path
}

fn tar(members: &[Member]) -> (Vec<u8>, Vec<u8>) {
    let mut tar = Vec::new();
    for Member { flag, name, link, payload } in members {
        member(&mut tar, *flag, name, link, payload);
    }
    finish(tar)
}

/// A zip has no hard links: files instead.
fn zip(members: &[Member]) -> Vec<u8> {
    let entry = |member: &Member| match member.flag {
        b'5' => Entry::dir([member.name.as_slice(), b"/"].concat()),
        b'2' => Entry::symlink(&member.name, &member.link),
        _ => Entry::file(&member.name, member.payload),
    };
    members.iter().map(entry).fold(Zip::empty(), Zip::entry).build()
}

/// What stands at the destination before an install.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Destination {
    Absent,
    Empty,
    /// An older skill, with a link out of itself.
    Old,
    File,
    Link,
    Dangling,
}

impl Destination {
    const ALL: [Self; 8] =
        [Self::Absent, Self::Empty, Self::Old, Self::Absent, Self::Link, Self::File, Self::Dangling, Self::Old];
}

/// A directory of this thread: the canary, the parent of the destination, and links from there to the canary.
struct Arena {
    root: PathBuf,
    /// All but the destination, as it was made: nothing may ever change it.
    before: BTreeMap<PathBuf, Seen>,
    /// What stands at the destination, as far as it is known.
    state: Option<Destination>,
}

impl Arena {
    fn new() -> Self {
        let memory = Path::new("/dev/shm");
        let base = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
        let thread = format!("{:?}", std::thread::current().id()).replace(|c: char| !c.is_ascii_digit(), "");
        let root = base.join(format!("skillx-fuzz-{}-{thread}", std::process::id()));
        let _ = fs::remove_dir_all(&root);
        let (canary, parent) = (root.join("canary"), root.join("parent"));
        fs::create_dir_all(canary.join("a/b")).expect("the arena is writable");
        fs::create_dir_all(parent.join("A")).expect("the arena is writable");
        for file in [canary.join("SKILL.md"), canary.join("a/A"), parent.join("A/a"), root.join("b")] {
            fs::write(file, "canary").expect("the arena is writable");
        }
        for (target, link) in [
            ("../canary", "a"),
            ("../canary/a/A", "b"),
            ("../canary/SKILL.md", "SKILL.md"),
            ("../canary", ".skillx-00000000000000000000000000000000"),
        ] {
            symlink(target, parent.join(link)).expect("the arena is writable");
        }
        let mut arena = Self { root, before: BTreeMap::new(), state: None };
        arena.before = arena.outside();
        arena
    }

    fn destination(&self) -> PathBuf {
        self.root.join("parent/dest")
    }

    fn canary_path(&self) -> Vec<u8> {
        self.root.join("canary").into_os_string().into_encoded_bytes()
    }

    fn prepare(&mut self, wanted: Destination) {
        if self.state == Some(wanted) {
            return;
        }
        let destination = self.destination();
        match fs::symlink_metadata(&destination) {
            Ok(found) if found.is_dir() => fs::remove_dir_all(&destination).expect("the arena is writable"),
            Ok(_) => fs::remove_file(&destination).expect("the arena is writable"),
            Err(_) => {}
        }
        let made = match wanted {
            Destination::Absent => Ok(()),
            Destination::Empty => fs::create_dir(&destination),
            Destination::Old => fs::create_dir(&destination)
                .and_then(|()| fs::write(destination.join("SKILL.md"), SKILL_MD))
                .and_then(|()| symlink("../../canary/a", destination.join("a"))),
            Destination::File => fs::write(&destination, "x"),
            Destination::Link => symlink("../canary", &destination),
            Destination::Dangling => symlink("nowhere", &destination),
        };
        made.expect("the arena is writable");
        self.state = Some(wanted);
    }

    /// Everything in the arena but the destination, with every change visible. The parent's own times do change.
    fn outside(&self) -> BTreeMap<PathBuf, Seen> {
        let mut seen = snapshot(&self.root);
        let destination = self.destination();
        seen.retain(|path, _| !path.starts_with(&destination));
        if let Some(parent) = seen.get_mut(&self.root.join("parent")) {
            (parent.times, parent.links) = ([0; 4], 0);
        }
        seen
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

/// What a change of any kind changes: the times of status and content, to the nanosecond, among it.
#[derive(Debug, PartialEq, Eq)]
struct Seen {
    inode: u64,
    mode: u32,
    links: u64,
    size: u64,
    times: [i64; 4],
}

impl Seen {
    fn of(found: &Metadata) -> Self {
        let size = if found.is_dir() { 0 } else { found.size() };
        let times = [found.mtime(), found.mtime_nsec(), found.ctime(), found.ctime_nsec()];
        Self { inode: found.ino(), mode: found.mode(), links: found.nlink(), size, times }
    }
}

/// A path and everything below it, nothing followed.
fn snapshot(root: &Path) -> BTreeMap<PathBuf, Seen> {
    let mut seen = BTreeMap::new();
    let mut open = vec![root.to_owned()];
    while let Some(path) = open.pop() {
        let Ok(found) = fs::symlink_metadata(&path) else { continue };
        if found.is_dir() {
            open.extend(fs::read_dir(&path).expect("the arena is readable").map(|entry| entry.unwrap().path()));
        }
        seen.insert(path, Seen::of(&found));
    }
    seen
}

/// The tree at the destination, its permissions checked on the way.
fn installed(root: &Path) -> Tree {
    let mut tree = Tree::default();
    let mut open = vec![(root.to_owned(), String::new())];
    while let Some((directory, prefix)) = open.pop() {
        for entry in fs::read_dir(&directory).expect("what was installed is readable") {
            let entry = entry.expect("what was installed is readable");
            let path = entry.path();
            let name = format!("{prefix}{}", entry.file_name().to_str().expect("an installed name is UTF-8"));
            let found = fs::symlink_metadata(&path).expect("what was installed is readable");
            let node = if found.is_dir() {
                open.push((path, format!("{name}/")));
                Node::Directory
            } else if found.is_symlink() {
                Node::Link(fs::read_link(&path).unwrap().into_os_string().into_string().unwrap())
            } else {
                assert!(found.is_file() && found.nlink() == 1, "{name:?} is a file of its own");
                Node::File { bytes: fs::read(&path).unwrap(), exec: Some(found.mode() & 0o111 != 0) }
            };
            assert!(found.is_symlink() || found.mode() & 0o7022 == 0, "{name:?} has mode {:o}", found.mode());
            tree.add(&name, node);
        }
    }
    tree
}
