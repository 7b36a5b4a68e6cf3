//! What does not belong in an archive: version control, caches, notes of file managers, and what `.skillxignore` names.

use std::io::Read as _;
use std::path::Path;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::tree::LeftOutBecause;
use crate::confine::{Directory, Kind};
use crate::error::{Error, Result};
use crate::escape::escape;

/// The file at the root that names what else is left out.
const IGNORE_FILE: &str = ".skillxignore";
/// Largest such file, in bytes.
const MOST_IGNORE_FILE: u64 = 1 << 20;

/// Only what is never part of a skill: an unknown file may be a signature, or data that a script reads.
const JUNK: &[&str] = &[
    // Version control.
    ".git",
    ".hg",
    ".svn",
    ".jj",
    ".bzr",
    // File managers and operating systems.
    ".DS_Store",
    "._*",
    "/__MACOSX/",
    ".Spotlight-V100",
    ".Trashes",
    ".fseventsd",
    "Thumbs.db",
    "desktop.ini",
    // What running the skill leaves behind.
    "__pycache__/",
    "*.py[co]",
    ".pytest_cache/",
    ".mypy_cache/",
    ".ruff_cache/",
    ".tox/",
    ".venv/",
    "node_modules/",
    // Our own.
    "/.skillxignore",
    ".skillx-*",
];

/// Decides on every name of a tree.
#[derive(Debug)]
pub(super) struct Junk {
    built_in: Gitignore,
    asked_for: Gitignore,
}

impl Junk {
    /// Reads `.skillxignore`, if there is one at the root.
    pub(super) fn open(root: &Directory) -> Result<Self> {
        let mut built_in = GitignoreBuilder::new("");
        for pattern in JUNK {
            built_in.add_line(None, pattern).map_err(|error| failed(&error))?;
        }
        let mut asked_for = GitignoreBuilder::new("");
        for (number, line) in read(root)?.lines().enumerate() {
            let line = line.strip_suffix('\r').unwrap_or(line);
            asked_for.add_line(None, line).map_err(|error| {
                let number = number.saturating_add(1);
                Error::usage(format_args!("{IGNORE_FILE}, line {number}: {error}"))
            })?;
        }
        Ok(Self {
            built_in: built_in.build().map_err(|error| failed(&error))?,
            asked_for: asked_for.build().map_err(|error| failed(&error))?,
        })
    }

    /// Why this path is left out, if it is. What `.skillxignore` says counts before the list above, `!name` included.
    pub(super) fn judge(&self, path: &Path, is_directory: bool) -> Option<LeftOutBecause> {
        match self.asked_for.matched(path, is_directory) {
            Match::Ignore(_) => Some(LeftOutBecause::Skillxignore),
            Match::Whitelist(_) => None,
            Match::None => self.built_in.matched(path, is_directory).is_ignore().then_some(LeftOutBecause::Junk),
        }
    }
}

fn failed(error: &ignore::Error) -> Error {
    Error::usage(format_args!("{IGNORE_FILE}: {error}"))
}

fn read(root: &Directory) -> Result<String> {
    let cannot = |source| Error::io(format!("cannot read `{IGNORE_FILE}`"), source);
    match root.metadata(IGNORE_FILE) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(String::new()),
        Err(error) => return Err(cannot(error)),
        Ok(found) if found.kind != Kind::File => {
            return Err(Error::usage(format_args!("{IGNORE_FILE} is no regular file")));
        }
        Ok(_) => {}
    }
    let (file, _) = root.open_file(IGNORE_FILE).map_err(cannot)?;
    let mut text = Vec::new();
    file.take(MOST_IGNORE_FILE.saturating_add(1)).read_to_end(&mut text).map_err(cannot)?;
    if text.len() as u64 > MOST_IGNORE_FILE {
        return Err(Error::usage(format_args!("{IGNORE_FILE} is larger than {MOST_IGNORE_FILE} bytes")));
    }
    String::from_utf8(text).map_err(|error| {
        let start = error.as_bytes().get(..error.utf8_error().valid_up_to().min(40)).unwrap_or_default();
        Error::usage(format_args!("{IGNORE_FILE} is not UTF-8, after `{}`", escape(start)))
    })
}
