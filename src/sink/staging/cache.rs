//! Directories of the tree: which were made, and the few that are held open.

use std::collections::HashSet;
use std::hash::{BuildHasher as _, RandomState};
use std::io;

use crate::confine::{Directory, Kind};
use crate::error::{Error, Result};
use crate::escape::escape;

/// Handles held open besides that of the root. Archives list members directory by directory: a few do.
const HELD: usize = 16;

/// Permission bits of a directory, before the caller's umask.
const MODE: u32 = 0o755;

/// Makes and opens directories, one component at a time.
#[derive(Debug)]
pub(super) struct Handles {
    root: Directory,
    held: Vec<Held>,
    /// Counts uses, to know which handle was used longest ago.
    clock: u64,
    /// Hashes of the paths of directories that were made: whether one is there, without asking the file system. A false
    /// hit only means that opening it fails, which is then made good.
    made: HashSet<u64>,
    hasher: RandomState,
}

#[derive(Debug)]
struct Held {
    path: String,
    directory: Directory,
    used: u64,
}

impl Handles {
    pub(super) fn new(root: Directory) -> Self {
        Self { root, held: Vec::new(), clock: 0, made: HashSet::new(), hasher: RandomState::new() }
    }

    pub(super) fn root(&self) -> &Directory {
        &self.root
    }

    /// Makes a directory and those it lies in, where they are missing.
    pub(super) fn make(&mut self, path: &str) -> Result<()> {
        if self.made.contains(&self.hasher.hash_one(path)) {
            return Ok(());
        }
        match path.rsplit_once('/') {
            Some((above, name)) => {
                let hash = self.hasher.hash_one(path);
                create(self.enter(Some(above))?, name, path)?;
                self.made.insert(hash);
            }
            None => {
                create(&self.root, path, path)?;
                self.made.insert(self.hasher.hash_one(path));
            }
        }
        Ok(())
    }

    /// The handle of a directory (`None`: the root), made and opened as needed.
    pub(super) fn enter(&mut self, path: Option<&str>) -> Result<&Directory> {
        let Some(path) = path else { return Ok(&self.root) };
        let mut at = self.nearest(path);
        loop {
            let done = at.and_then(|index| self.held.get(index)).map_or(0, |held| held.path.len());
            if done == path.len() {
                break;
            }
            at = Some(self.descend(at, path, done)?);
        }
        self.clock = self.clock.saturating_add(1);
        match at.and_then(|index| self.held.get_mut(index)) {
            Some(held) => {
                held.used = self.clock;
                Ok(&held.directory)
            }
            None => Ok(&self.root),
        }
    }

    /// Closes every handle but that of the root.
    pub(super) fn close(&mut self) {
        self.held.clear();
    }

    /// Removes everything that was made, and forgets it.
    pub(super) fn clear(&mut self) -> io::Result<()> {
        self.close();
        self.made.clear();
        let names: Vec<_> = self.root.entries()?.collect::<io::Result<_>>()?;
        for entry in names {
            let is_directory = self.root.metadata(&entry.name)?.kind == Kind::Directory;
            if is_directory { self.root.remove_tree(&entry.name)? } else { self.root.remove_file(&entry.name)? }
        }
        Ok(())
    }

    /// The held directory that is `path` or lies nearest above it.
    fn nearest(&self, path: &str) -> Option<usize> {
        let above = |held: &Held| {
            path.strip_prefix(held.path.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let candidates = self.held.iter().enumerate().filter(|(_, held)| above(held));
        candidates.max_by_key(|(_, held)| held.path.len()).map(|(index, _)| index)
    }

    /// Opens the component of `path` after its first `done` bytes, below the held directory `at`, and holds it.
    fn descend(&mut self, at: Option<usize>, path: &str, done: usize) -> Result<usize> {
        let rest = path.get(done..).unwrap_or_default().trim_start_matches('/');
        let name = rest.split('/').next().unwrap_or_default();
        let reached = path.get(..path.len() - rest.len() + name.len()).unwrap_or_default();
        let above = at.and_then(|index| self.held.get(index)).map_or(&self.root, |held| &held.directory);
        let hash = self.hasher.hash_one(reached);
        if !self.made.contains(&hash) {
            create(above, name, reached)?;
        }
        let directory = match above.open_dir(name) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                create(above, name, reached)?;
                above.open_dir(name)
            }
            result => result,
        };
        let directory = directory.map_err(|error| Error::io(doing("opening", reached), error))?;
        self.made.insert(hash);
        Ok(self.hold(reached, directory))
    }

    /// Holds a handle, in the place of the one used longest ago if there are enough.
    fn hold(&mut self, path: &str, directory: Directory) -> usize {
        self.clock = self.clock.saturating_add(1);
        let held = Held { path: path.to_owned(), directory, used: self.clock };
        let full = self.held.len() >= HELD;
        let oldest = self.held.iter_mut().enumerate().min_by_key(|(_, held)| held.used);
        match oldest {
            Some((index, oldest)) if full => {
                *oldest = held;
                index
            }
            _ => {
                self.held.push(held);
                self.held.len() - 1
            }
        }
    }
}

/// Makes a directory; it may be there: the policy has seen to it that no file is.
fn create(above: &Directory, name: &str, path: &str) -> Result<()> {
    match above.create_dir(name, MODE) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(Error::io(doing("creating", path), error)),
        _ => Ok(()),
    }
}

fn doing(what: &str, path: &str) -> String {
    format!("{what} the directory `{}` in the staging directory", escape(path.as_bytes()))
}
