//! Where a reader runs: a directory of its own that is thrown away, a canary around it, no privileges, and limits on time,
//! memory and what it may write.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::cases::Case;
use crate::reader::Reader;
use crate::tree::{self, Tree};

/// Seconds of wall-clock time, then `SIGKILL`.
pub(crate) const MOST_SECONDS: u32 = 20;
/// Bytes of address space, for all but those that reserve more before they begin.
pub(crate) const MOST_MEMORY: u64 = 1 << 30;
/// Bytes of the largest file.
pub(crate) const MOST_FILE: u64 = 64 << 20;
/// Who runs readers where the example is root.
const NOBODY: u32 = 65534;

/// What one reader did with one case.
#[derive(Debug)]
pub(crate) struct Run {
    /// `None`: not asked, the reader does not know the format.
    pub(crate) ended: Option<Ended>,
    pub(crate) tree: Tree,
    /// What changed around its directory.
    pub(crate) escaped: Vec<String>,
    /// Peak resident memory in KiB, of the largest process.
    pub(crate) peak: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended {
    Good,
    Failed,
    TimedOut,
}

/// The directory that holds all scenes.
pub(crate) struct Scenes {
    root: tempfile::TempDir,
    is_root: bool,
}

impl Scenes {
    pub(crate) fn new() -> Self {
        let root =
            tempfile::Builder::new().prefix("skillx-verdicts-").tempdir().expect("there is a temporary directory");
        fs::set_permissions(root.path(), fs::Permissions::from_mode(0o755)).expect("the directory is ours");
        Self { root, is_root: is_root() }
    }

    /// Lets the reader unpack the case, and looks at what it left.
    pub(crate) fn run(&self, reader: &Reader, case: &Case) -> Run {
        if !reader.reads(case.zip) {
            return Run { ended: None, tree: Tree::new(), escaped: Vec::new(), peak: 0 };
        }
        let scene = self.root.path().join("scene");
        let (archive, out) = (scene.join(&case.name), scene.join("around/out"));
        self.set(&scene, case);
        let before = around(&scene, &out);
        let report = self.root.path().join("report");
        let mut words: Vec<String> =
            reader.command.iter().map(|word| word.replace("{}", &archive.display().to_string())).collect();
        if reader.is_skillx() {
            words.extend(["--allow-unverified", "--output", "skill", "--json"].map(str::to_owned));
            words.extend(case.flags.iter().cloned());
        }
        let ended = self.observe(reader, &words, &out, &report);
        let outcome = fs::read_to_string(&report).unwrap_or_default();
        let mut numbers = outcome.split_whitespace().filter_map(|word| word.parse::<i64>().ok());
        let (code, peak) = (numbers.next().unwrap_or(-1), numbers.next().unwrap_or_default());
        // `timeout` says 124, or 137 if it had to kill.
        let ended = match (ended, code) {
            (false, _) => Ended::Failed,
            (true, 124 | 137) => Ended::TimedOut,
            (true, 0) => Ended::Good,
            (true, _) => Ended::Failed,
        };
        let tree = tree::walk(&if reader.is_skillx() { out.join("skill") } else { out.clone() });
        let escaped = changes(&before, &around(&scene, &out));
        self.clear(&scene);
        Run { ended: Some(ended), tree, escaped, peak }
    }

    /// The archive, the canary, and the empty directory to unpack into.
    fn set(&self, scene: &Path, case: &Case) {
        self.clear(scene);
        let around = scene.join("around");
        fs::create_dir_all(around.join("out")).expect("the scene is ours");
        for canary in ["around/canary", "around/x", "around/evil", "canary"] {
            fs::write(scene.join(canary), "canary").expect("the scene is ours");
        }
        fs::copy(&case.path, scene.join(&case.name)).expect("a fixture is readable");
        if self.is_root {
            for path in [scene.to_owned(), around.clone(), around.join("out"), around.join("canary"), around.join("x")]
            {
                chown(&path, Some(NOBODY), Some(NOBODY)).expect("root may give away");
            }
        }
    }

    /// Readers leave directories that nobody may enter.
    fn clear(&self, scene: &Path) {
        if !self.is_root {
            let _ = Command::new("chmod").args(["-R", "u+rwX"]).arg(scene).stderr(Stdio::null()).status();
        }
        let _ = fs::remove_dir_all(scene);
    }

    /// The example, measuring `prlimit`, `setpriv`, `timeout` and then the reader; whether that ran at all.
    fn observe(&self, reader: &Reader, words: &[String], out: &Path, report: &Path) -> bool {
        let own = std::env::current_exe().expect("the example knows its own file");
        let mut command = Command::new(own);
        command.arg("--measure").arg(report);
        command.args(["prlimit", "--core=0", &format!("--fsize={MOST_FILE}"), &format!("--cpu={MOST_SECONDS}")]);
        if !reader.reserves {
            command.arg(format!("--as={MOST_MEMORY}"));
        }
        command.args(privileges());
        command.args(["timeout", "--kill-after=1", &MOST_SECONDS.to_string()]);
        command.args(words).current_dir(out).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.env("LC_ALL", "C.UTF-8").env("HOME", out);
        for variable in ["TAR_OPTIONS", "GZIP", "UNZIP", "UNZIPOPT", "JAVA_TOOL_OPTIONS", "NODE_OPTIONS", "SKILLX_LOG"]
        {
            command.env_remove(variable);
        }
        command.status().is_ok_and(|status| status.success())
    }
}

/// `setpriv` and what it takes away: root becomes nobody, and nobody gains anything by a set-user-ID program.
fn privileges() -> Vec<String> {
    let mut words = vec!["setpriv".to_owned(), "--no-new-privs".to_owned()];
    if is_root() {
        words.extend([format!("--reuid={NOBODY}"), format!("--regid={NOBODY}")]);
        words.extend(["--clear-groups", "--inh-caps=-all"].map(str::to_owned));
    }
    words
}

/// A command without the rights of whoever runs the example, yet to be given its words.
pub(crate) fn unprivileged() -> Command {
    let words = privileges();
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).current_dir("/");
    command
}

fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0)
}

/// Runs a command and writes its exit code and the peak memory of the largest process to a file. The example as its own
/// child: a process that has run nothing else.
pub(crate) fn measure(report: &str, command: &[&str]) {
    use nix::sys::resource::{UsageWho, getrusage};

    let (program, arguments) = command.split_first().expect("a command");
    let status = Command::new(program).args(arguments).status();
    let code = status.ok().and_then(|status| status.code()).unwrap_or(-1);
    let peak = getrusage(UsageWho::RUSAGE_CHILDREN).map(|usage| usage.max_rss()).unwrap_or_default();
    fs::write(report, format!("{code} {peak}")).expect("the report is ours");
}

/// Everything in the scene but the reader's own directory: kind, content, permissions.
fn around(scene: &Path, out: &Path) -> BTreeMap<PathBuf, (u32, Vec<u8>)> {
    let mut seen = BTreeMap::new();
    let mut open = vec![scene.to_owned()];
    while let Some(path) = open.pop() {
        let Ok(meta) = fs::symlink_metadata(&path) else { continue };
        if meta.is_dir() && path != out {
            open.extend(fs::read_dir(&path).into_iter().flatten().flatten().map(|entry| entry.path()));
        }
        let content = if meta.is_file() { fs::read(&path).unwrap_or_default() } else { Vec::new() };
        // A reader may well set the permissions of the directory that it fills.
        let mode = if path == out { 0 } else { meta.mode() };
        seen.insert(path.strip_prefix(scene).unwrap_or(&path).to_owned(), (mode, content));
    }
    seen
}

fn changes(before: &BTreeMap<PathBuf, (u32, Vec<u8>)>, after: &BTreeMap<PathBuf, (u32, Vec<u8>)>) -> Vec<String> {
    let gone =
        before.keys().filter(|path| !after.contains_key(*path)).map(|path| format!("removed {}", path.display()));
    let new = after.iter().filter(|(path, seen)| before.get(*path) != Some(seen));
    let new = new.map(|(path, _)| {
        let verb = if before.contains_key(path) { "changed" } else { "made" };
        format!("{verb} {}", path.display())
    });
    gone.chain(new).collect()
}
