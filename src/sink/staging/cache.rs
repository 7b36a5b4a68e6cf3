//! Directories of the tree: which were made, and the few that are held open.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io;

use crate::confine::{Directory, Entry};
use crate::error::{Error, Result};
use crate::escape::escape;

/// Handles held open besides that of the root. Archives list members directory by directory: a few do.
const HELD: usize = 16;

/// Permission bits of a directory, before the caller's umask.
const MODE: u32 = 0o755;

/// Makes and opens directories, one component at a time.
#[derive(Debug)]
pub(super) struct Handles {
    root: Option<Directory>,
    held: Vec<Held>,
    /// Counts uses, to know which handle was used longest ago.
    clock: u64,
    /// Hashes of the paths of directories that were made: whether one is there, without asking the file system.
    made: BTreeSet<(u64, u64)>,
    /// Has taken in random bits, so that no archive can be made to hit.
    hasher: DefaultHasher,
}

#[derive(Debug)]
struct Held {
    path: String,
    directory: Directory,
    used: u64,
}

impl Handles {
    /// `random` is something that no archive can know.
    pub(super) fn new(root: Directory, random: &str) -> Self {
        let mut hasher = DefaultHasher::new();
        random.hash(&mut hasher);
        Self { root: Some(root), held: Vec::new(), clock: 0, made: BTreeSet::new(), hasher }
    }

    fn hash(&self, path: &str) -> (u64, u64) {
        let mut hasher = self.hasher.clone();
        path.hash(&mut hasher);
        let half = hasher.finish();
        half.hash(&mut hasher);
        (half, hasher.finish())
    }

    fn root(&self) -> Result<&Directory> {
        self.root.as_ref().ok_or_else(closed)
    }

    /// Makes a directory and those it lies in, where they are missing.
    pub(super) fn make(&mut self, path: &str) -> Result<()> {
        if self.made.contains(&self.hash(path)) {
            return Ok(());
        }
        let (above, name) = match path.rsplit_once('/') {
            Some((above, name)) => (Some(above), name),
            None => (None, path),
        };
        create(self.enter(above)?, name, path)?;
        self.made.insert(self.hash(path));
        Ok(())
    }

    /// The handle of a directory (`None`: the root), made and opened as needed.
    pub(super) fn enter(&mut self, path: Option<&str>) -> Result<&Directory> {
        let Some(path) = path else { return self.root() };
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
            None => self.root.as_ref().ok_or_else(closed),
        }
    }

    /// Closes every handle, and gives away that of the root.
    pub(super) fn close(&mut self) -> Option<Directory> {
        self.held.clear();
        self.root.take()
    }

    /// Removes everything that was made, and forgets it.
    pub(super) fn clear(&mut self) -> Result<()> {
        self.held.clear();
        self.made.clear();
        let failed = |error| Error::io("emptying the staging directory", error);
        let root = self.root()?;
        // What is found does not grow while it is removed: the budget has bounded it.
        let entries = root.entries().and_then(Iterator::collect::<io::Result<Vec<_>>>).map_err(failed)?;
        for Entry { name, .. } in entries {
            match root.remove_file(&name) {
                Ok(()) => {}
                Err(_) => root.remove_tree(&name).map_err(failed)?,
            }
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
        let start = if done == 0 { 0 } else { done.saturating_add(1) };
        let rest = path.get(start..).unwrap_or_default();
        let name = rest.split('/').next().unwrap_or_default();
        let reached = path.get(..start.saturating_add(name.len())).unwrap_or_default();
        let above = match at.and_then(|index| self.held.get(index)) {
            Some(held) => &held.directory,
            None => self.root()?,
        };
        let hash = self.hash(reached);
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
                let index = self.held.len();
                self.held.push(held);
                index
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

/// The pipeline's fault: reported rather than written wrongly.
fn closed() -> Error {
    Error::io("writing to a closed tree", io::ErrorKind::InvalidInput.into())
}

fn doing(what: &str, path: &str) -> String {
    format!("{what} the directory `{}` in the staging directory", escape(path.as_bytes()))
}
