//! The store as `install` and `remove` use it: made, locked, written.

use std::ffi::OsStr;
use std::io;

use super::format::Receipt;
use super::place::Place;
use super::store::{STORE, Store, file_name};
use crate::confine::Directory;
use crate::error::{Code, Error, Result};
use crate::escape::escape;

impl Store {
    /// The store of a directory of skills, made if it has none.
    pub(crate) fn make(parent: &Directory) -> Result<Self> {
        match parent.create_dir(STORE, 0o755) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                return Err(Error::io(format!("making `{STORE}`"), error));
            }
            _ => {}
        }
        Self::find(parent)?.ok_or_else(|| Error::io(format!("making `{STORE}`"), io::ErrorKind::NotFound.into()))
    }

    /// Keeps other runs of skillx out of this directory of skills until the store is dropped.
    pub(crate) fn lock(&self, parent: &Directory) -> Result<()> {
        let locked = self.directory.try_lock();
        let own = self.directory.own_metadata().map_err(|error| Error::io(format!("looking at `{STORE}`"), error))?;
        // A run that ends takes its empty store away: this may be the one.
        if matches!(locked, Ok(false)) || !parent.holds(STORE, own.identity) {
            return Err(Error::with(
                Code::ConcurrentInstall,
                "another skillx is installing or removing skills in this directory",
            )
            .hint("wait until it has ended, then run this again"));
        }
        // Where locks do not work, the renames alone have to do.
        Ok(())
    }

    /// Where the receipt of a skill goes.
    pub(crate) fn place(&self, skill: &OsStr) -> Result<Place> {
        Place::within(&self.directory, file_name(skill))
    }

    /// The receipt of a skill. One that a killed run has left without its last rename counts, if the tree agrees with it.
    pub(crate) fn recover(&self, skill: &OsStr, tree: Option<&Directory>) -> Result<Option<Receipt>> {
        let place = self.place(skill)?;
        if let (Ok(Some(left)), Some(tree)) = (place.left_behind(), tree)
            && left.verify_in(tree)?.is_unchanged()
        {
            place.adopt()?;
        }
        self.read(skill)
    }

    /// Removes the receipt of a skill; it need not be there.
    pub(crate) fn remove(&self, skill: &OsStr) -> Result<()> {
        let failed =
            |error| Error::io(format!("removing the receipt of `{}`", escape(skill.as_encoded_bytes())), error);
        self.place(skill)?.remove_pending().map_err(failed)?;
        match self.directory.remove_file(file_name(skill)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed(error)),
            _ => Ok(()),
        }
    }

    /// Removes the store if nothing is in it. Only for who has locked it.
    pub(crate) fn tidy(self, parent: &Directory) {
        drop(self);
        // Whatever is in it keeps it there.
        let _ = parent.remove_dir(STORE);
    }
}
