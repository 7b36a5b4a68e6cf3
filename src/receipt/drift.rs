//! An installed tree against its receipt: what was added, changed, removed or retyped since.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read as _};
use std::path::Path;

use cap_std::fs::File;
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use super::format::{Node, Receipt};
use super::store::parent_of;
use crate::confine::{Directory, Kind, Metadata, read_piece};
use crate::digest::Digest;
use crate::error::{Error, Result};
use crate::escape::escape;
use crate::report::EntryPath;

/// Most changes that are listed; the walk ends there.
const MOST_CHANGES: usize = 1000;
/// Bytes read at a time.
const PIECE: usize = 64 * 1024;
/// Permission bits that no install gives: set-user-ID, set-group-ID, sticky.
const SPECIAL_BITS: u32 = 0o7000;

/// How a tree differs from its receipt.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Drift {
    /// What is different, by directory; at most 1000.
    pub changes: Vec<Change>,
    /// There are more than are listed.
    pub truncated: bool,
}

/// One difference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Change {
    /// What is different.
    #[serde(rename = "change")]
    pub kind: ChangeKind,
    /// Where: a stranger's text. Of a directory that was added, removed or retyped only itself is listed.
    #[serde(flatten)]
    pub path: EntryPath,
    /// What is different, in words; names are escaped.
    pub message: String,
}

/// The kinds of difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ChangeKind {
    /// It was not installed.
    Added,
    /// A file with other content.
    Changed,
    /// A link that leads elsewhere.
    Link,
    /// A file that was made executable, is so no longer, or has a special bit.
    Mode,
    /// It is gone.
    Removed,
    /// A file, directory or link where something else was installed.
    Retyped,
}

impl ChangeKind {
    /// `added`, `changed`, `link`, `mode`, `removed` or `retyped`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Changed => "changed",
            Self::Link => "link",
            Self::Mode => "mode",
            Self::Removed => "removed",
            Self::Retyped => "retyped",
        }
    }
}

impl Drift {
    /// The tree is what was installed.
    #[must_use]
    pub fn is_unchanged(&self) -> bool {
        self.changes.is_empty()
    }
}

impl Receipt {
    /// Compares the tree at `skill` with this receipt: every name, kind and link, and every byte of every file. Links are not
    /// followed, not even one at `skill` itself.
    ///
    /// # Errors
    /// `io` if something cannot be read. A tree that is gone is no error but a change.
    pub fn verify(&self, skill: impl AsRef<Path>) -> Result<Drift> {
        let (parent, name) = parent_of(skill.as_ref())?;
        self.verify_at(&parent, &name)
    }

    /// As [`verify`](Self::verify), for a name in a directory that is held open.
    pub(crate) fn verify_at(&self, parent: &Directory, name: &OsStr) -> Result<Drift> {
        let root = |kind, message: &str| Drift { changes: vec![change(kind, b".", message)], truncated: false };
        match parent.metadata(name) {
            Ok(Metadata { kind: Kind::Directory, .. }) => {}
            Ok(found) => {
                let message = format!("the skill's directory is {} now", describe(found.kind));
                return Ok(root(ChangeKind::Retyped, &message));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(root(ChangeKind::Removed, "the skill's directory is gone"));
            }
            Err(error) => return Err(failed("looking at", name.as_encoded_bytes(), error)),
        }
        let tree = parent.open_dir(name).map_err(|error| failed("opening", name.as_encoded_bytes(), error))?;
        self.verify_in(&tree)
    }

    /// As [`verify`](Self::verify), for a tree that is held open.
    pub(crate) fn verify_in(&self, tree: &Directory) -> Result<Drift> {
        let root = tree.try_clone().map_err(|error| failed("opening", b".", error))?;
        let mut walk = Walk { receipt: self, levels: Vec::new(), drift: Drift::default(), piece: vec![0; PIECE] };
        walk.descend(String::new(), root)?;
        while walk.step()? {}
        Ok(walk.drift)
    }
}

/// A walk through the directories that the receipt knows: as deep as those are, whatever lies there.
struct Walk<'r> {
    receipt: &'r Receipt,
    levels: Vec<Level>,
    drift: Drift,
    piece: Vec<u8>,
}

struct Level {
    /// Empty: the root.
    path: String,
    directory: Directory,
    /// What lies there, sorted.
    found: std::vec::IntoIter<OsString>,
}

impl Walk<'_> {
    /// Lists a directory; what the receipt knows and is not there is removed.
    fn descend(&mut self, path: String, directory: Directory) -> Result<()> {
        let listing = |error| failed("listing", shown(&path).as_bytes(), error);
        // A name more than can be listed as added, and all that were installed: no longer list is kept.
        let most = MOST_CHANGES.saturating_add(self.receipt.nodes().len()).saturating_add(1);
        let entries = directory.entries().map_err(listing)?.take(most);
        let found: io::Result<Vec<_>> = entries.map(|entry| Ok(entry?.name)).collect();
        let mut found = found.map_err(listing)?;
        found.sort();
        let prefix = if path.is_empty() { String::new() } else { format!("{path}/") };
        let below = self.receipt.nodes().range(prefix.clone()..).take_while(|(known, _)| known.starts_with(&prefix));
        let own = below.filter_map(|(known, _)| known.get(prefix.len()..)).filter(|name| !name.contains('/'));
        for name in own {
            if found.binary_search_by(|found| found.as_os_str().cmp(OsStr::new(name))).is_err() {
                let path = format!("{prefix}{name}");
                let text = "it is gone";
                push(&mut self.drift, ChangeKind::Removed, path.as_bytes(), text);
            }
        }
        self.levels.push(Level { path, directory, found: found.into_iter() });
        Ok(())
    }

    /// Looks at the next name; `false` at the end.
    fn step(&mut self) -> Result<bool> {
        if self.drift.truncated {
            return Ok(false);
        }
        let Some(level) = self.levels.last_mut() else { return Ok(false) };
        let Some(name) = level.found.next() else {
            self.levels.pop();
            return Ok(true);
        };
        let mut bytes = level.path.clone().into_bytes();
        if !bytes.is_empty() {
            bytes.push(b'/');
        }
        bytes.extend_from_slice(name.as_encoded_bytes());
        let metadata = match level.directory.metadata(&name) {
            Ok(metadata) => metadata,
            // Gone since it was listed.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                push(&mut self.drift, ChangeKind::Removed, &bytes, "it is gone");
                return Ok(true);
            }
            Err(error) => return Err(failed("looking at", &bytes, error)),
        };
        let path = std::str::from_utf8(&bytes).ok();
        let Some((path, node)) = path.and_then(|path| Some((path, self.receipt.node(path)?))) else {
            let text = format!("{} that was not installed", describe(metadata.kind));
            push(&mut self.drift, ChangeKind::Added, &bytes, &text);
            return Ok(true);
        };
        let failing = |doing| move |error| failed(doing, path.as_bytes(), error);
        match (node, metadata.kind) {
            (Node::Directory, Kind::Directory) => {
                let directory = level.directory.open_dir(&name).map_err(failing("opening"))?;
                self.descend(path.to_owned(), directory)?;
            }
            (Node::File { size, sha256, executable }, Kind::File) => {
                let (file, metadata) = level.directory.open_file(&name).map_err(failing("opening"))?;
                if let Some(text) = other_mode(metadata.mode, *executable) {
                    push(&mut self.drift, ChangeKind::Mode, &bytes, &text);
                }
                if metadata.length != *size {
                    let text = format!("it has {} bytes, {size} were installed", metadata.length);
                    push(&mut self.drift, ChangeKind::Changed, &bytes, &text);
                } else if !has_content(file, *size, *sha256, &mut self.piece).map_err(failing("reading"))? {
                    push(&mut self.drift, ChangeKind::Changed, &bytes, "it has other content than was installed");
                }
            }
            (Node::Link { target }, Kind::Symlink) => {
                let found = level.directory.read_link(&name).map_err(failing("reading"))?;
                if found != target.as_str() {
                    let (found, target) = (escape(found.as_encoded_bytes()), escape(target.as_bytes()));
                    let text = format!("the link leads to `{found}`, it was installed to lead to `{target}`");
                    push(&mut self.drift, ChangeKind::Link, &bytes, &text);
                }
            }
            (node, kind) => {
                let was = match node {
                    Node::Directory => "a directory",
                    Node::File { .. } => "a file",
                    Node::Link { .. } => "a link",
                };
                let text = format!("it is {} now, {was} was installed", describe(kind));
                push(&mut self.drift, ChangeKind::Retyped, &bytes, &text);
            }
        }
        Ok(true)
    }
}

fn push(drift: &mut Drift, kind: ChangeKind, path: &[u8], message: &str) {
    if drift.changes.len() < MOST_CHANGES {
        drift.changes.push(change(kind, path, message));
    } else {
        drift.truncated = true;
    }
}

fn change(kind: ChangeKind, path: &[u8], message: &str) -> Change {
    Change { kind, path: EntryPath::of(path), message: message.to_owned() }
}

/// What is wrong with the permission bits of a file, where there are any.
fn other_mode(mode: u32, executable: bool) -> Option<String> {
    if cfg!(not(unix)) {
        return None;
    }
    if mode & SPECIAL_BITS != 0 {
        return Some(format!("it has mode {mode:04o}: no install gives special bits"));
    }
    match (mode & 0o111 != 0, executable) {
        (true, false) => Some("it is executable, and was not installed so".to_owned()),
        (false, true) => Some("it is not executable any more".to_owned()),
        _ => None,
    }
}

/// Whether a file still has the content that was installed. A byte more is looked for: it may be growing.
fn has_content(file: File, size: u64, sha256: Digest, piece: &mut [u8]) -> io::Result<bool> {
    let mut rest = file.take(size.saturating_add(1));
    let (mut hash, mut read) = (Sha256::new(), 0_u64);
    loop {
        let piece = read_piece(&mut rest, piece)?;
        if piece.is_empty() {
            break;
        }
        read = read.saturating_add(piece.len() as u64);
        hash.update(piece);
    }
    Ok(read == size && Digest::from_bytes(hash.finalize().into()) == sha256)
}

const fn describe(kind: Kind) -> &'static str {
    match kind {
        Kind::Directory => "a directory",
        Kind::File => "a file",
        Kind::Other => "a device, FIFO or socket",
        Kind::Symlink => "a link",
    }
}

fn shown(path: &str) -> &str {
    if path.is_empty() { "." } else { path }
}

fn failed(doing: &str, path: &[u8], error: io::Error) -> Error {
    Error::io(format!("{doing} `{}`", escape(path)), error)
}
