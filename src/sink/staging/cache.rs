//! Directories of the tree: which were made, and the few that are held open.

use std::collections::{BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io;

use crate::confine::{Directory, Entry, is_out_of_handles};
use crate::error::{Error, Result};
use crate::escape::escape;

/// Handles held open besides that of the root, if the system gives so many: members that come in turns out of a hundred
/// directories need no directory opened twice. Most limits on open files are 1,024, or 256.
const HELD: usize = 100;

/// Permission bits of a directory, before the caller's umask.
const MODE: u32 = 0o755;

/// Makes and opens directories, one component at a time.
#[derive(Debug)]
pub(super) struct Handles {
    root: Option<Directory>,
    /// By path. No archive can know how they are hashed.
    held: HashMap<String, Held>,
    /// Counts uses, to know which handle was used longest ago.
    clock: u64,
    /// Hashes of the paths of directories that were made: whether one is there, without asking the file system.
    made: BTreeSet<(u64, u64)>,
    /// Has taken in random bits, so that no archive can be made to hit.
    hasher: DefaultHasher,
}

#[derive(Debug)]
struct Held {
    directory: Directory,
    used: u64,
}

impl Handles {
    /// `random` is something that no archive can know.
    pub(super) fn new(root: Directory, random: &str) -> Self {
        let mut hasher = DefaultHasher::new();
        random.hash(&mut hasher);
        Self { root: Some(root), held: HashMap::new(), clock: 0, made: BTreeSet::new(), hasher }
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
        create(self.enter(above)?, name).map_err(|error| Error::io(doing("creating", path), error))?;
        self.made.insert(self.hash(path));
        Ok(())
    }

    /// The handle of a directory (`None`: the root), made and opened as needed.
    pub(super) fn enter(&mut self, path: Option<&str>) -> Result<&Directory> {
        let Some(path) = path else { return self.root() };
        if !self.held.contains_key(path) {
            let mut reached = self.nearest(path);
            while reached < path.len() {
                reached = self.descend(path, reached)?;
            }
        }
        self.clock = self.clock.saturating_add(1);
        let held = self.held.get_mut(path).ok_or_else(closed)?;
        held.used = self.clock;
        Ok(&held.directory)
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

    /// Length of the longest beginning of `path` whose directory is held; 0 stands for the root.
    fn nearest(&self, path: &str) -> usize {
        let mut above = path.rmatch_indices('/').map(|(at, _)| at);
        above.find(|at| path.get(..*at).is_some_and(|above| self.held.contains_key(above))).unwrap_or(0)
    }

    /// Opens the component of `path` after its first `done` bytes, whose directory is held, and holds it too. Returns
    /// the length of the path that is reached.
    fn descend(&mut self, path: &str, done: usize) -> Result<usize> {
        let start = if done == 0 { 0 } else { done.saturating_add(1) };
        let rest = path.get(start..).unwrap_or_default();
        let name = rest.split('/').next().unwrap_or_default();
        let end = start.saturating_add(name.len());
        let reached = path.get(..end).unwrap_or_default();
        let hash = self.hash(reached);
        let is_made = self.made.contains(&hash);
        let above = path.get(..done).unwrap_or_default();
        let directory = match open(self.above(above)?, name, is_made) {
            // Others are not needed now.
            Err(error) if is_out_of_handles(&error) => {
                self.release_but(above);
                open(self.above(above)?, name, is_made)
            }
            result => result,
        };
        let directory = directory.map_err(|error| Error::io(doing("making and opening", reached), error))?;
        self.made.insert(hash);
        self.hold(reached, directory);
        Ok(end)
    }

    /// Closes every handle but the root's and one.
    fn release_but(&mut self, kept: &str) {
        self.held.retain(|path, _| path == kept);
    }

    /// Runs something in a directory, and once more with no other handle held if the system has no more of them.
    pub(super) fn run_in<T>(
        &mut self,
        path: Option<&str>,
        run: impl Fn(&Directory) -> io::Result<T>,
    ) -> Result<io::Result<T>> {
        match run(self.enter(path)?) {
            Err(error) if is_out_of_handles(&error) => {
                self.release_but(path.unwrap_or_default());
                Ok(run(self.enter(path)?))
            }
            result => Ok(result),
        }
    }

    /// The root, or a directory that is held.
    fn above(&self, path: &str) -> Result<&Directory> {
        if path.is_empty() { self.root() } else { self.held.get(path).map(|held| &held.directory).ok_or_else(closed) }
    }

    /// Holds a handle, in the place of the one used longest ago if there are enough.
    fn hold(&mut self, path: &str, directory: Directory) {
        if self.held.len() >= HELD {
            let oldest = self.held.iter().min_by_key(|(_, held)| held.used).map(|(path, _)| path.clone());
            oldest.and_then(|path| self.held.remove(&path));
        }
        self.clock = self.clock.saturating_add(1);
        self.held.insert(path.to_owned(), Held { directory, used: self.clock });
    }
}

/// Opens a directory, and makes it where it is missing: `is_made` says that it was there once.
fn open(above: &Directory, name: &str, is_made: bool) -> io::Result<Directory> {
    if !is_made {
        create(above, name)?;
    }
    match above.open_dir(name) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            create(above, name)?;
            above.open_dir(name)
        }
        result => result,
    }
}

/// Makes a directory; it may be there: the policy has seen to it that no file is.
fn create(above: &Directory, name: &str) -> io::Result<()> {
    match above.create_dir(name, MODE) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
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
