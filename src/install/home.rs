//! The directory that skills are installed into: opened or made, and what lies in it removed as a whole.

use std::ffi::OsStr;
use std::path::Path;

use super::destination::{Found, Place, authority, inspect};
use super::parents::Parents;
use super::staging_dir::{StagingDirectory, TREE};
use crate::confine::Directory;
use crate::error::{Code, Error, Result};
use crate::escape::escape;

/// A directory of skills, held open.
#[derive(Debug)]
pub(crate) struct Home {
    parents: Parents,
}

impl Home {
    /// Opens a directory, and makes it and its parents where they are missing. Dropped, what was made and is empty is removed
    /// again, unless it is to be [kept](Self::keep).
    pub(crate) fn make(path: &Path) -> Result<Self> {
        Ok(Self { parents: Parents::make(Place::find(path, authority())?)? })
    }

    /// Opens a directory that is there; `None` if it is not.
    pub(crate) fn open(path: &Path) -> Result<Option<Self>> {
        let place = Place::find(path, authority())?;
        if place.missing.is_empty() { Ok(Some(Self { parents: Parents::make(place)? })) } else { Ok(None) }
    }

    /// Its handle.
    pub(crate) fn directory(&self) -> &Directory {
        self.parents.last()
    }

    /// What was made stays.
    pub(crate) fn keep(&mut self) {
        self.parents.keep();
    }

    /// Removes a skill as a whole: by one rename it is gone from its place, then it is deleted. What `replace` would not
    /// exchange is not removed either. `false` if there was nothing.
    ///
    /// # Errors
    /// `dest-not-a-skill`, `dest-is-symlink`, `io`. What could not be deleted is left in a staging directory that the next
    /// install sweeps.
    pub(crate) fn remove(&self, name: &OsStr) -> Result<bool> {
        let parent = self.directory();
        let shown = escape(name.as_encoded_bytes());
        let failed = |error| Error::io(format!("removing `{shown}`"), error);
        let old = match inspect(parent, name, true)? {
            Found::Nothing => return Ok(false),
            Found::Empty => return parent.remove_dir(name).map(|()| true).map_err(failed),
            Found::Skill(old) => old,
        };
        let (mut place, tree) = StagingDirectory::create(parent)?;
        drop(tree);
        let moved = parent.rename_over_empty(name, place.directory(), TREE);
        if let Err(error) = moved {
            let _ = place.remove(parent);
            return Err(failed(error));
        }
        if !place.directory().holds(TREE, old) {
            // Somebody else's directory, put there since: it goes back.
            let back = place.directory().rename_new(TREE, parent, name);
            return Err(match back {
                Ok(()) => {
                    let _ = place.remove(parent);
                    Error::with(Code::ConcurrentInstall, format!("`{shown}` changed while it was being removed"))
                }
                Err(error) => {
                    place.abandon();
                    Error::io(format!("putting back `{shown}`, which changed while it was being removed"), error)
                }
            });
        }
        place.remove(parent)?;
        Ok(true)
    }
}
