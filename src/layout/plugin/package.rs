//! What the rules ask of a package, wherever it lies: in a directory, or in an archive that is being judged.

use std::ffi::OsString;

use super::skill::PluginSkill;
use crate::error::Result;
use crate::report::Finding;

/// Most bytes of plugin.json, of mcp.json and of a SKILL.md.
pub(crate) const MOST_DOCUMENT: u64 = 1 << 20;

/// Most names in `skills/`.
pub(crate) const MOST_CHILDREN: usize = 4096;

/// What a path of the package resolves to, links followed as long as they stay inside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Absent,
    Directory,
    File,
    /// A device, FIFO or socket, or a chain of links that has no end.
    Other,
    /// Somewhere above the root.
    Outside,
}

/// What was found at the place of a file.
#[derive(Debug)]
pub(crate) enum Looked<T> {
    Found(T),
    /// More bytes than anybody reads.
    TooLarge,
    /// No file: one of the other places.
    No(Place),
}

/// A SKILL.md, judged: loaded or not, and what is worth saying of it.
#[derive(Debug)]
pub(crate) struct Judged {
    pub(crate) outcome: Result<PluginSkill>,
    pub(crate) findings: Vec<Finding>,
}

/// A plugin's files. Paths are relative, separated by `/`, and may hold `.` and `..`.
pub(crate) trait Package {
    /// Where a path leads.
    fn place(&mut self, path: &str) -> Result<Place>;

    /// The names in a directory, in byte order, at most one more than [`MOST_CHILDREN`].
    /// A name that is no text is there if it may be a directory's.
    fn names(&mut self, path: &str) -> Result<Vec<OsString>>;

    /// The content of a file of at most [`MOST_DOCUMENT`] bytes.
    fn document(&mut self, path: &str) -> Result<Looked<Vec<u8>>>;

    /// The skill in a directory below `skills/`.
    fn skill(&mut self, directory: &str) -> Result<Looked<Judged>>;
}

/// Where a path leads by its letters alone, below a place with nothing in it.
pub(crate) fn lexical(path: &str, depth: usize) -> Place {
    let mut depth = depth;
    for component in path.split('/') {
        match component {
            "" | "." => {}
            ".." => match depth.checked_sub(1) {
                Some(less) => depth = less,
                None => return Place::Outside,
            },
            _ => depth = depth.saturating_add(1),
        }
    }
    Place::Absent
}
