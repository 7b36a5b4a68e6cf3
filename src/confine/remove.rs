//! Removes a tree: by loop, with few handles at any depth, never through a link, never on another device.
//!
//! Deep trees are flattened on the way: a directory below the deepest open one is renamed up into the root of the tree
//! and found there when the root is looked at again. So neither the handles nor the memory grow with the tree.

use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind};

use super::{Directory, Entry, Kind};

/// Directories open at a time. Whoever wrote the tree had as many open and has closed them before this.
const DEPTH: usize = 16;
/// Subdirectories remembered per open directory; the rest is found by looking again.
const BATCH: usize = 128;
/// Looks at one directory, as long as each look removes something: more than a race between two programs needs, and
/// enough to flatten a million levels.
const ROUNDS: u32 = 1 << 16;
/// Names tried for a directory that is moved up: an earlier, interrupted removal may have left some.
const NAMES: u32 = 4096;

/// See [`Directory::remove_tree`].
pub(super) fn remove_tree(parent: &Directory, name: &OsStr) -> io::Result<()> {
    // An empty directory needs no handle: this works even when no more can be opened.
    match twice(None, || parent.remove_dir(name)) {
        Err(error) if error.kind() == ErrorKind::NotADirectory => return Err(error),
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Ok(()) => return Ok(()),
        Err(_) => {}
    }
    let device = twice(None, || parent.own_metadata())?.identity.device;
    let root = match twice(None, || parent.open_dir_same_device(name, device)) {
        Ok(root) => root,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    let mut removal = Removal { parent, device, levels: Vec::new(), moved: 0, error: None };
    removal.levels.push(Level::new(root, name.to_owned()));
    removal.run()
}

struct Removal<'a> {
    /// Where the tree lies: nothing of it but the tree is touched.
    parent: &'a Directory,
    device: u64,
    /// From the root of the tree down to the directory being emptied.
    levels: Vec<Level>,
    /// Number in the name of the next directory that is moved up.
    moved: u32,
    /// The first thing that could not be removed.
    error: Option<io::Error>,
}

/// An open directory that is being emptied.
struct Level {
    directory: Directory,
    /// Its name in the level above.
    name: OsString,
    /// Subdirectories seen and not yet gone into.
    pending: Vec<OsString>,
    rounds: u32,
    /// Whether anything went away since it was last looked at.
    progress: bool,
}

impl Removal<'_> {
    fn run(mut self) -> io::Result<()> {
        let mut result = Ok(());
        while let Some(level) = self.levels.last_mut() {
            if let Some(name) = level.pending.pop() {
                self.enter(name);
            } else if level.rounds == 0 {
                self.look();
            } else {
                result = self.leave();
            }
        }
        // The last one left is the root: if that is gone, what failed on the way does not matter any more.
        result.map_err(|error| self.error.unwrap_or(error))
    }

    fn look(&mut self) {
        if let Some(Err(error)) = self.levels.last_mut().map(Level::look) {
            self.error.get_or_insert(error);
        }
    }

    /// Opens a subdirectory of the last level as a level of its own, or moves it up to the root.
    fn enter(&mut self, name: OsString) {
        let full = self.levels.len() >= DEPTH;
        let Some(level) = self.levels.last_mut() else { return };
        if full {
            return self.move_up(&name);
        }
        match twice(Some(&level.directory), || level.directory.open_dir_same_device(&name, self.device)) {
            Ok(directory) => self.levels.push(Level::new(directory, name)),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            // Empty, so that it need not be opened; or no directory any more.
            Err(_) if level.directory.remove_dir(&name).is_ok() || level.directory.remove_file(&name).is_ok() => {
                level.progress = true;
            }
            Err(error) => {
                self.error.get_or_insert(error);
            }
        }
    }

    /// Removes the last level, which is empty now; if it is not, and something went away, it is looked at again.
    fn leave(&mut self) -> io::Result<()> {
        let Some(level) = self.levels.pop() else { return Ok(()) };
        let above = self.levels.last_mut();
        let result = match &above {
            Some(above) => twice(Some(&above.directory), || above.directory.remove_dir(&level.name)),
            None => twice(None, || self.parent.remove_dir(&level.name)),
        };
        match result {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                if level.progress && level.rounds < ROUNDS {
                    self.levels.push(level);
                    self.look();
                } else if error.kind() != ErrorKind::DirectoryNotEmpty {
                    let same = error.raw_os_error().map(io::Error::from_raw_os_error);
                    self.error.get_or_insert_with(|| same.unwrap_or_else(|| error.kind().into()));
                }
                Err(error)
            }
            _ => {
                if let Some(above) = above {
                    above.progress = true;
                }
                Ok(())
            }
        }
    }

    /// Moves a subdirectory of the last level into the root.
    fn move_up(&mut self, name: &OsStr) {
        let result = self.rename_up(name);
        let last = self.levels.len().saturating_sub(1);
        for (index, level) in self.levels.iter_mut().enumerate() {
            level.progress |= result.is_ok() && (index == 0 || index == last);
        }
        if let Err(error) = result {
            self.error.get_or_insert(error);
        }
    }

    fn rename_up(&mut self, name: &OsStr) -> io::Result<()> {
        let (Some(root), Some(level)) = (self.levels.first(), self.levels.last()) else { return Ok(()) };
        let mut result = Ok(());
        for _ in 0..NAMES {
            let free = format!(".skillx-removed-{}", self.moved);
            self.moved = self.moved.wrapping_add(1);
            let rename = || level.directory.rename(name, &root.directory, &free);
            result = twice(Some(&level.directory), rename);
            if result.as_ref().is_err_and(|error| error.kind() == ErrorKind::PermissionDenied) {
                // A move rewrites the directory's own `..`: it must be writable itself.
                let _ = level.directory.open_dir_readable(name).and_then(|below| below.set_mode(0o700));
                result = rename();
            }
            match &result {
                Err(error) if is_taken(error) => {}
                Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
                _ => break,
            }
        }
        result
    }
}

impl Level {
    fn new(directory: Directory, name: OsString) -> Self {
        Self { directory, name, pending: Vec::new(), rounds: 0, progress: false }
    }

    /// Removes what is no directory and notes what is one. The first error is returned after the rest has been seen.
    fn look(&mut self) -> io::Result<()> {
        self.rounds = self.rounds.saturating_add(1);
        self.progress = false;
        let mut result = self.list();
        if result.is_err() && self.pending.is_empty() && !self.progress {
            // A listing that breaks off is no reason to give up yet.
            result = self.list();
        }
        result
    }

    fn list(&mut self) -> io::Result<()> {
        let Self { directory, pending, progress, .. } = self;
        let is_directory = |name: &OsStr| directory.metadata(name).is_ok_and(|found| found.kind == Kind::Directory);
        let mut first = None;
        let listed = directory.visit(|Entry { name, kind }| {
            if kind != Some(Kind::Directory) {
                match twice(Some(directory), || directory.remove_file(&name)) {
                    // The listing did not tell, or not the truth any more.
                    Err(error) if error.kind() != ErrorKind::NotFound && !is_directory(&name) => {
                        first.get_or_insert(error);
                        return true;
                    }
                    Err(error) if error.kind() != ErrorKind::NotFound => {}
                    _ => {
                        *progress = true;
                        return true;
                    }
                }
            }
            if pending.len() < BATCH {
                pending.push(name);
            }
            true
        });
        first.map_or(listed, Err)
    }
}

/// A rename met something that it does not replace.
fn is_taken(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::DirectoryNotEmpty | ErrorKind::AlreadyExists | ErrorKind::NotADirectory)
}

/// Calls again after an error that may have been a passing one. A directory of the tree (never the one it lies in) that
/// its owner made read-only is made writable in between.
fn twice<T>(directory: Option<&Directory>, mut call: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    match call() {
        Err(error) if error.kind() == ErrorKind::NotFound || is_taken(&error) => Err(error),
        Err(error) => {
            if let (ErrorKind::PermissionDenied, Some(directory)) = (error.kind(), directory) {
                // Best effort: the second call says what came of it.
                let _ = directory.set_mode(0o700);
            }
            call()
        }
        result => result,
    }
}
