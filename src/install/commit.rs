//! The one rename that publishes a tree.

use std::ffi::OsStr;
use std::io;

use super::destination::{check_name, inspect};
use super::staging_dir::TREE;
use super::turn::Turn;
use super::{Found, Staging, Target};
use crate::confine::{Directory, Identity, is_unsupported};
use crate::error::{Code, Error, Result};
use crate::escape::{Escaped, escape};

/// How to publish.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Commit<'a> {
    /// Write everything to the disk first, and the new name after: then it also survives a power failure.
    pub(crate) fsync: bool,
    /// The name of a destination that was opened without one; any other keeps its own.
    pub(crate) name: Option<&'a str>,
}

/// A tree at its destination.
#[derive(Debug)]
pub(crate) struct Published {
    /// The tree's root.
    #[cfg_attr(not(test), allow(dead_code, reason = "the tests look at what was published through it"))]
    pub(crate) directory: Directory,
    /// Its name in the parent.
    pub(crate) name: std::ffi::OsString,
    /// Whether an older skill stood there; it is removed, or will be by the next run.
    pub(crate) replaced: bool,
}

/// Runs that may come first, one after the other.
const MOST_TURNS: u32 = 64;

/// How the tree came to its place.
enum Way {
    New,
    /// What stood there is in the staging directory now.
    Exchanged,
}

impl Staging {
    /// Publishes the tree: complete or not at all.
    ///
    /// # Errors
    ///
    /// `concurrent-install` if the destination appeared meanwhile, `dest-*` if it changed or, for a name given only now,
    /// was there; `replace-unsupported`; `io` and `disk-full`. After an error the destination is as it was, except when
    /// only the last sync (after the rename) failed: then it is complete.
    pub(crate) fn commit(mut self, how: &Commit<'_>) -> Result<Published> {
        let (name, found, replace) = match (self.target.clone(), how.name) {
            (Target::Named { name, found, replace }, _) => (name, found, replace),
            (Target::Deferred, Some(name)) => {
                let name = std::ffi::OsString::from(name);
                check_name(&name)?;
                let found = inspect(self.parents.last(), &name, false)?;
                (name, found, false)
            }
            (Target::Deferred, None) => return Err(Error::usage("the output directory has no name")),
        };
        // Opened while nothing has happened yet: what can fail afterwards is the disk alone.
        let parent = if how.fsync { Some(self.parents.last().reopen_readable()) } else { None };
        let parent =
            parent.transpose().map_err(|error| Error::io("opening the parent directory for syncing", error))?;
        self.sink.reveal()?;
        let Some(directory) = self.sink.close() else {
            return Err(Error::io("publishing a closed tree", io::ErrorKind::InvalidInput.into()));
        };
        if how.fsync {
            self.place
                .directory()
                .sync_file_system()
                .map_err(|error| Error::io("syncing the staging directory", error))?;
        }
        if !self.place.is_untouched(self.parents.last()) {
            let moved = io::Error::from(io::ErrorKind::NotFound);
            return Err(Error::io("publishing: the staging directory is not where it was made", moved));
        }
        let way = match found {
            Found::Nothing => self.publish_new(&name),
            Found::Empty => self.publish_over_empty(&name),
            Found::Skill(_) => self.publish_exchanged(&name, replace),
        }?;
        self.parents.keep();
        let synced = parent.map_or(Ok(()), |parent| parent.sync());
        // An old tree, or an empty directory, that cannot be removed now is swept by the next run.
        let _ = self.clean();
        synced.map_err(|error| {
            let name = escape(name.as_encoded_bytes());
            Error::io(
                format!("syncing the directory of `{name}`, which is complete but may not survive a power failure"),
                error,
            )
        })?;
        Ok(Published { directory, name, replaced: matches!(way, Way::Exchanged) })
    }

    fn publish_new(&self, name: &OsStr) -> Result<Way> {
        let result = self.place.directory().rename_new(TREE, self.parents.last(), name);
        self.arrived(name, result)
    }

    fn publish_over_empty(&self, name: &OsStr) -> Result<Way> {
        let result = self.place.directory().rename_over_empty(TREE, self.parents.last(), name);
        self.arrived(name, result)
    }

    /// What a rename came to. One that reports an error may have happened all the same (a network file system that
    /// repeats a request): then the tree stands at its place.
    fn arrived(&self, name: &OsStr, result: io::Result<()>) -> Result<Way> {
        let shown = escape(name.as_encoded_bytes());
        match result {
            Ok(()) => Ok(Way::New),
            Err(_) if self.parents.last().holds(name, self.place.tree()) => Ok(Way::New),
            Err(error) if is_taken(&error) => Err(Error::with(
                Code::ConcurrentInstall,
                format!("the destination `{shown}` appeared while this run was working"),
            )),
            Err(error) => Err(Error::io(format!("publishing `{shown}`"), error)),
        }
    }

    /// Exchanges the tree with an older skill, after a last look at it.
    fn publish_exchanged(&mut self, name: &OsStr, replace: bool) -> Result<Way> {
        let shown = escape(name.as_encoded_bytes());
        for _ in 0..MOST_TURNS {
            let old = match inspect(self.parents.last(), name, replace)? {
                Found::Skill(old) => old,
                // Taken away meanwhile.
                Found::Nothing => return self.publish_new(name),
                Found::Empty => return self.publish_over_empty(name),
            };
            if let Some(_turn) = Turn::wait(self.parents.last(), name, old)? {
                return self.exchange(name, old);
            }
        }
        let detail = format!("the destination `{shown}` was replaced by others whenever this run wanted to");
        Err(Error::with(Code::ConcurrentInstall, detail))
    }

    fn exchange(&mut self, name: &OsStr, old: Identity) -> Result<Way> {
        let shown = escape(name.as_encoded_bytes());
        match self.place.directory().exchange(TREE, self.parents.last(), name) {
            Ok(()) => {}
            Err(_) if self.parents.last().holds(name, self.place.tree()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => return self.publish_new(name),
            Err(error) if is_unsupported(&error) || error.kind() == io::ErrorKind::CrossesDevices => {
                return Err(Error::new(Code::ReplaceUnsupported));
            }
            Err(error) => return Err(Error::io(format!("exchanging `{shown}`"), error)),
        }
        if self.came_out(old) { Ok(Way::Exchanged) } else { Err(self.undo(name)) }
    }

    /// Whether what came out of an exchange is what was looked at before it.
    fn came_out(&self, old: Identity) -> bool {
        (0..2).any(|_| self.place.directory().holds(TREE, old))
    }

    /// Something else came out of the exchange: it is not ours to remove.
    fn undo(&mut self, name: &OsStr) -> Error {
        let shown = escape(name.as_encoded_bytes());
        match self.place.directory().exchange(TREE, self.parents.last(), name) {
            Ok(()) => Error::with(
                Code::ConcurrentInstall,
                format!("the destination `{shown}` changed while it was being replaced"),
            ),
            Err(error) => {
                let kept = Escaped::of(self.place.name().as_bytes()).to_string();
                self.place.abandon();
                Error::io(
                    format!(
                        "putting back `{shown}`, which changed while it was being replaced and is now in `{kept}/{TREE}`"
                    ),
                    error,
                )
            }
        }
    }
}

/// A rename met something that it does not replace.
fn is_taken(error: &io::Error) -> bool {
    use io::ErrorKind::{AlreadyExists, DirectoryNotEmpty, IsADirectory, NotADirectory};

    matches!(error.kind(), AlreadyExists | DirectoryNotEmpty | IsADirectory | NotADirectory)
}
