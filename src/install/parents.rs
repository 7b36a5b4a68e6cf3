//! The directories a destination lies in: missing ones are made, and exactly those removed again after a failure.

use std::ffi::OsString;
use std::io;

use super::destination::Place;
use crate::confine::{Directory, Identity};
use crate::error::{Error, Result};
use crate::escape::escape;

/// Permission bits of a parent, before the caller's umask.
const MODE: u32 = 0o755;
/// Times a parent is made again that another run, cleaning up, has removed in between.
const ATTEMPTS: u32 = 16;

/// Handles from the deepest directory that was there to the one the destination goes into.
#[derive(Debug)]
pub(super) struct Parents {
    anchor: Directory,
    below: Vec<Parent>,
}

#[derive(Debug)]
struct Parent {
    name: OsString,
    directory: Directory,
    /// Made by this run. Another one may have been faster.
    made: Option<Identity>,
}

impl Parents {
    /// Makes what is missing. Dropped, it is removed again, unless it is to be [kept](Self::keep).
    pub(super) fn make(place: Place) -> Result<Self> {
        let mut parents = Self { anchor: place.anchor, below: Vec::new() };
        for name in place.missing {
            if let Err(error) = parents.enter(&name) {
                let doing = format!("making the parent directory `{}`", escape(name.as_encoded_bytes()));
                return Err(Error::io(doing, error));
            }
        }
        Ok(parents)
    }

    /// The directory the destination goes into.
    pub(super) fn last(&self) -> &Directory {
        self.below.last().map_or(&self.anchor, |parent| &parent.directory)
    }

    fn enter(&mut self, name: &OsString) -> io::Result<()> {
        let above = self.last();
        let mut attempts = 0..ATTEMPTS;
        let (directory, made) = loop {
            let made = match above.create_dir(name, MODE) {
                Ok(()) => true,
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => false,
                Err(error) => return Err(error),
            };
            match above.open_dir(name) {
                Err(error) if error.kind() == io::ErrorKind::NotFound && attempts.next().is_some() => {}
                Err(error) => {
                    if made {
                        let _ = above.remove_dir(name);
                    }
                    return Err(error);
                }
                Ok(directory) => break (directory, made),
            }
        };
        // Without its identity it is not known later whether the name is still the directory that was made.
        let made = if made { Some(directory.own_metadata()) } else { None };
        match made.transpose() {
            Ok(made) => {
                self.below.push(Parent { name: name.clone(), directory, made: made.map(|own| own.identity) });
                Ok(())
            }
            Err(error) => {
                let _ = above.remove_dir(name);
                Err(error)
            }
        }
    }

    /// What was made stays.
    pub(super) fn keep(&mut self) {
        for parent in &mut self.below {
            parent.made = None;
        }
    }

    /// Removes what was made, from the deepest up, as far as it is still there, still the same and empty.
    pub(super) fn remove(&mut self) -> Result<()> {
        let mut result = Ok(());
        for index in (0..self.below.len()).rev() {
            let above = index.checked_sub(1).and_then(|above| self.below.get(above));
            let above = above.map_or(&self.anchor, |above| &above.directory);
            let Some(parent) = self.below.get(index) else { continue };
            let Some(identity) = parent.made else { continue };
            if above.holds(&parent.name, identity) {
                // Another install may be at work in there: then it is needed.
                let removed = above.remove_dir(&parent.name).or_else(|_| above.remove_dir(&parent.name));
                if let Err(error) = removed.or_else(not_empty) {
                    let doing = format!("removing the directory `{}`", escape(parent.name.as_encoded_bytes()));
                    result = result.and(Err(Error::io(doing, error)));
                }
            }
        }
        self.keep();
        result
    }
}

impl Drop for Parents {
    fn drop(&mut self) {
        // Whoever drops them has an error to tell that says more than what could not be removed.
        let _ = self.remove();
    }
}

fn not_empty(error: io::Error) -> io::Result<()> {
    match error.kind() {
        io::ErrorKind::DirectoryNotEmpty | io::ErrorKind::AlreadyExists | io::ErrorKind::NotFound => Ok(()),
        _ => Err(error),
    }
}
