//! What the tests with real tools share: finding and running tools, npm packages, and the trial that an archive stands:
//! packed by a tool, unpacked by the tool's own reader and by `skillx`, compared.
#![allow(dead_code, unreachable_pub, clippy::disallowed_methods)]

pub mod demo;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use crate::support::tree::{self, Tree};
use crate::support::{run, sha256, temp_dir};

/// Whether a missing tool is a failure (in CI) instead of a skip.
pub fn required() -> bool {
    std::env::var_os("SKILLX_TEST_REQUIRE").is_some_and(|value| value == "1")
}

/// Says that a test cannot run here.
pub fn skipped(why: &str) {
    assert!(!required(), "SKILLX_TEST_REQUIRE=1, but {why}");
    eprintln!("skipped: {why}");
}

/// Whether every tool is on the machine; says so if not.
pub fn have(tools: &[&str]) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let there = |tool: &str| std::env::split_paths(&path).any(|directory| directory.join(tool).is_file());
    match tools.iter().find(|tool| !there(tool)) {
        Some(tool) => {
            skipped(&format!("there is no `{tool}`"));
            false
        }
        None => true,
    }
}

/// Runs a bash script in a directory; whatever fails in it fails the test.
pub fn shell(directory: &Path, script: &str, environment: &[(&str, &Path)]) {
    if let Err(why) = try_shell(directory, script, environment) {
        panic!("{why}");
    }
}

/// Runs a bash script in a directory, with nothing of the caller's own configuration.
pub fn try_shell(directory: &Path, script: &str, environment: &[(&str, &Path)]) -> Result<(), String> {
    let mut command = Command::new("bash");
    command.arg("-c").arg(format!("set -euo pipefail; umask 022; {script}")).current_dir(directory);
    command.env("LC_ALL", "C.UTF-8").env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    // zip, unzip and tar take options from these.
    for variable in ["ZIPOPT", "ZIP", "UNZIP", "UNZIPOPT", "TAR_OPTIONS", "GZIP"] {
        command.env_remove(variable);
    }
    command.envs(environment.iter().map(|(name, value)| (*name, *value)));
    let outcome = run::observe(command, b"");
    let text = || format!("{script}\nended with {:?}\n{}{}", outcome.code, outcome.out(), outcome.err());
    if outcome.code == Some(0) { Ok(()) } else { Err(text()) }
}

/// A directory for downloads that outlives the test run.
pub fn cache(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&directory).expect("cargo's directory for tests is writable");
    directory
}

/// The directory in which these npm packages are installed, from the registry the first time.
pub fn npm(packages: &[&str]) -> Option<PathBuf> {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _turn = ONE_AT_A_TIME.lock();
    if !have(&["node", "npm"]) {
        return None;
    }
    let directory = cache("npm").join(packages.join("+").replace(['/', '@'], "_"));
    let done = directory.join("complete");
    if !done.is_file() {
        fs::create_dir_all(&directory).expect("cargo's directory for tests is writable");
        fs::write(directory.join("package.json"), "{}").expect("cargo's directory for tests is writable");
        let script = format!("npm install --no-audit --no-fund --ignore-scripts --silent {}", packages.join(" "));
        if let Err(why) = try_shell(&directory, &script, &[]) {
            skipped(&format!("npm packages cannot be installed: {why}"));
            return None;
        }
        fs::write(done, "").expect("cargo's directory for tests is writable");
    }
    Some(directory)
}

/// One archive of the demo skill, and the places where it is packed and unpacked.
pub struct Trial {
    temp: tempfile::TempDir,
    /// What the skill that is packed looks like.
    pub skill: Tree,
    archive: PathBuf,
    flags: Vec<&'static str>,
}

impl Trial {
    /// The demo skill on disk, about to become an archive with this extension.
    pub fn of(skill: Tree, extension: &str) -> Self {
        let temp = temp_dir();
        fs::create_dir(temp.path().join("skill")).expect("the test's directory is writable");
        demo::write(&skill, &temp.path().join("skill"));
        let archive = temp.path().join(format!("demo.{extension}"));
        Self { temp, skill, archive, flags: Vec::new() }
    }

    /// More flags for `skillx`.
    pub fn flags(mut self, flags: &[&'static str]) -> Self {
        self.flags.extend_from_slice(flags);
        self
    }

    /// Where the skill that is packed lies.
    pub fn directory(&self) -> PathBuf {
        self.temp.path().join("skill")
    }

    /// Where the archive is to be.
    pub fn archive(&self) -> &Path {
        &self.archive
    }

    /// Packs with a script that runs inside the skill and writes `$OUT`; `$NODE_PATH` has the npm packages.
    pub fn pack(self, script: &str) -> Self {
        self.pack_with(script, Path::new(""))
    }

    pub fn pack_with(self, script: &str, npm: &Path) -> Self {
        let modules = npm.join("node_modules");
        shell(&self.directory(), script, &[("OUT", &self.archive), ("NODE_PATH", &modules)]);
        self
    }

    /// Unpacks with a script that reads `$IN` into its working directory.
    pub fn own_reader(&self, script: &str, npm: &Path) -> Tree {
        let own = self.temp.path().join("own");
        fs::create_dir(&own).expect("the test's directory is writable");
        let modules = npm.join("node_modules");
        shell(&own, script, &[("IN", &self.archive), ("NODE_PATH", &modules)]);
        tree::walk(&own)
    }

    /// What `skillx verify-extract` makes of the archive.
    pub fn extracted(&self) -> Tree {
        let bytes = fs::read(&self.archive).expect("the tool wrote an archive");
        let (archive, output) = (self.archive.display().to_string(), self.temp.path().join("ours"));
        let (digest, directory) = (sha256(&bytes), output.display().to_string());
        let mut args = vec!["verify-extract", &archive, "--digest", &digest, "-o", &directory, "--json"];
        args.extend_from_slice(&self.flags);
        let outcome = run::skillx(&args);
        let why = outcome.json().map(|report| report["error"]["message"].to_string());
        assert_eq!(outcome.code, Some(0), "{archive}: {why:?} {}", outcome.err());
        assert_eq!(tree::bad_modes(&output), Vec::<String>::new());
        tree::walk(&output)
    }

    /// The archive is accepted, comes out as the tool's own reader unpacks it, and nothing of the skill got lost.
    pub fn agrees_with(&self, own_reader: &str) {
        self.agrees_as(own_reader, Path::new(""), &self.skill);
    }

    /// Like `agrees_with`, where the tool makes something else of the skill: then `becomes` is what has to come out.
    pub fn agrees_as(&self, own_reader: &str, npm: &Path, becomes: &Tree) {
        let (own, ours) = (self.own_reader(own_reader, npm), self.extracted());
        assert_eq!(tree::differences(&own, &ours), Vec::<String>::new(), "skillx differs from the tool's own reader");
        assert_eq!(tree::differences(becomes, &ours), Vec::<String>::new(), "skillx differs from what was packed");
    }

    /// `verify-extract` refuses the archive with this code, says how to do better, and leaves nothing behind.
    pub fn is_refused_as(&self, code: &str) {
        let digest = sha256(&fs::read(&self.archive).expect("the tool wrote an archive"));
        let (archive, output) = (self.archive.display().to_string(), self.temp.path().join("ours"));
        let directory = output.display().to_string();
        let mut args = vec!["verify-extract", &archive, "--digest", &digest, "-o", &directory, "--json"];
        args.extend_from_slice(&self.flags);
        let outcome = run::skillx(&args);
        let error = outcome.json().expect("a report")["error"].clone();
        assert_eq!((error["code"].as_str(), outcome.code), (Some(code), Some(1)), "{}", error["message"]);
        assert!(error["help"].as_str().is_some_and(|help| !help.is_empty()), "{error}");
        assert!(!output.exists(), "{error}");
    }
}
