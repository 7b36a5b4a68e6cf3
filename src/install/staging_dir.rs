//! `PARENT/.skillx-<128 random bits>/`, private to one run, with the tree inside.
//!
//! The directory itself is the lock: no lock file is left by anyone. A sweep may lock a directory before the run that
//! made it does; then that run takes another name.

use std::fmt::Write as _;
use std::io;

use crate::confine::{Directory, Identity, Kind, Metadata, current_user};
use crate::error::{Error, Result};

/// Begins the name of every staging directory.
const PREFIX: &str = ".skillx-";
/// Random bytes in the name; each makes two hexadecimal digits.
const RANDOM: usize = 16;
/// Names tried before giving up: each other one was taken by a sweep in the moment it was made.
const ATTEMPTS: u32 = 64;
/// Permission bits of the tree, before the caller's umask.
const TREE_MODE: u32 = 0o755;
/// Permission bits of the directory around it.
const MODE: u32 = 0o700;

/// The name of the tree in its staging directory.
pub(super) const TREE: &str = "tree";

/// A staging directory of this run: held open, locked where locks work.
#[derive(Debug)]
pub(super) struct StagingDirectory {
    name: String,
    directory: Directory,
    identity: Identity,
    tree: Identity,
    locked: bool,
    present: bool,
}

impl StagingDirectory {
    /// Makes one, and the tree in it. After a failure nothing is left.
    pub(super) fn create(parent: &Directory) -> Result<(Self, Directory)> {
        let doing = "making a staging directory beside the destination";
        let user = current_user();
        for _ in 0..ATTEMPTS {
            let name = random_name().map_err(|error| Error::io("drawing a random name", error))?;
            match parent.create_dir(&name, MODE) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                result => result.map_err(|error| Error::io(doing, error))?,
            }
            let entered = Self::enter(parent, &name, user);
            if let Ok(Some(entered)) = entered {
                return Ok(entered);
            }
            // It is empty, whoever has it now. Any error on the way says more than one here.
            let _ = parent.remove_dir(&name).or_else(|_| parent.remove_dir(&name));
            entered.map_err(|error| Error::io(doing, error))?;
        }
        Err(Error::io(doing, io::Error::other("every name was taken away at once")))
    }

    /// Opens and locks a directory just made and makes the tree in it; `None` if somebody else has it now.
    fn enter(parent: &Directory, name: &str, user: Option<u32>) -> io::Result<Option<(Self, Directory)>> {
        let directory = match parent.open_dir_readable(name) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            result => result?,
        };
        let local = directory.is_on_local_disk();
        let locked = match directory.try_lock() {
            Ok(true) => true,
            Ok(false) => return Ok(None),
            // Without a lock others could sweep it: where locks are known to work they have to.
            Err(error) if local => return Err(error),
            Err(_) => false,
        };
        let own = directory.own_metadata()?;
        if !parent.holds(name, own.identity) || (local && Some(own.owner) != user) {
            return Ok(None);
        }
        if local && !is_private(&own, user) {
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, "the umask takes the owner's own rights away"));
        }
        directory.create_dir(TREE, TREE_MODE)?;
        let tree = directory.open_dir(TREE).and_then(|tree| Ok((tree.own_metadata()?.identity, tree)));
        match tree {
            Ok((identity, tree)) => {
                let name = name.to_owned();
                let place = Self { name, directory, identity: own.identity, tree: identity, locked, present: true };
                Ok(Some((place, tree)))
            }
            Err(error) => {
                let _ = directory.remove_dir(TREE).or_else(|_| directory.remove_dir(TREE));
                Err(error)
            }
        }
    }

    /// Its name in the parent.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Its handle.
    pub(super) fn directory(&self) -> &Directory {
        &self.directory
    }

    /// Whether the directory and its tree are still the ones that were made. A sweep that does not see the lock (from
    /// another machine) renames the directory before it touches the tree.
    pub(super) fn is_untouched(&self, parent: &Directory) -> bool {
        parent.holds(&self.name, self.identity) && self.directory.holds(TREE, self.tree)
    }

    /// What the tree was when it was made.
    pub(super) fn tree(&self) -> Identity {
        self.tree
    }

    /// Whether locks are known to work here: this one is locked, and a second handle to it cannot be.
    pub(super) fn locks_work(&self) -> bool {
        self.locked
            && self.directory.is_on_local_disk()
            && self.directory.reopen_readable().and_then(|second| second.try_lock()).is_ok_and(|second| !second)
    }

    /// Removes it with whatever is in it. May be called again.
    pub(super) fn remove(&mut self, parent: &Directory) -> Result<()> {
        if !self.present {
            return Ok(());
        }
        self.present = false;
        remove(parent, self.name.as_ref(), &self.directory, self.identity)
            .map_err(|error| Error::io(format!("removing the staging directory `{}`", self.name), error))
    }

    /// Leaves it where it is, in a state that no sweep takes it.
    pub(super) fn abandon(&mut self) {
        self.present = false;
        // Best effort: if this fails too, a later sweep removes it.
        let _ = self.directory.set_mode(0o500);
    }
}

/// Removes a staging directory that is held open: the tree through the handle, then the empty rest by name.
///
/// A SKILL.md or plugin.json at the root of the tree goes first: what is half removed must not load.
pub(super) fn remove(
    parent: &Directory,
    name: &std::ffi::OsStr,
    directory: &Directory,
    identity: Identity,
) -> io::Result<()> {
    if let Ok(tree) = directory.open_dir(TREE) {
        for marker in super::destination::MARKERS {
            // It may not be there; if it cannot be removed, neither can the tree.
            let _ = tree.remove_file(marker);
        }
    }
    directory.remove_tree(TREE)?;
    if !parent.holds(name, identity) {
        return Ok(());
    }
    match parent.remove_dir(name).or_else(|_| parent.remove_dir(name)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Whether a directory is one that only `user` can enter. A set-group-ID bit is inherited from the parent.
pub(super) fn is_private(found: &Metadata, user: Option<u32>) -> bool {
    found.kind == Kind::Directory && Some(found.owner) == user && found.mode & !0o2000 == MODE
}

/// Whether a name has the form of a staging directory's.
pub(super) fn is_staging_name(name: &str) -> bool {
    name.strip_prefix(PREFIX).is_some_and(|digits| {
        digits.len() == 2 * RANDOM && digits.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'))
    })
}

/// A name for a staging directory that nobody can guess.
pub(super) fn random_name() -> io::Result<String> {
    let mut random = [0; RANDOM];
    getrandom::fill(&mut random).map_err(|error| match error.raw_os_error() {
        Some(code) => io::Error::from_raw_os_error(code),
        None => io::Error::other(error.to_string()),
    })?;
    let mut name = String::from(PREFIX);
    for byte in random {
        // Writing to a String cannot fail.
        let _ = write!(name, "{byte:02x}");
    }
    Ok(name)
}
