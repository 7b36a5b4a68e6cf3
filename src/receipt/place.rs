//! Where a receipt goes: written under another name before the tree is published, renamed after.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read as _, Write as _};
use std::path::Path;

use cap_std::ambient_authority;

use super::format::{MOST_BYTES, Receipt, invalid};
use crate::confine::{Directory, Kind};
use crate::error::{Error, Result};
use crate::escape::escape;

/// A name in a directory that is held open.
#[derive(Debug)]
pub(crate) struct Place {
    directory: Directory,
    name: OsString,
}

/// A receipt that stands under another name, until its tree has been published. Dropped, it is removed.
#[derive(Debug)]
pub(crate) struct Pending<'p> {
    place: &'p Place,
    fsync: bool,
    published: bool,
}

impl Place {
    /// The caller's own path; links in its parents are followed.
    pub(crate) fn at(path: &Path) -> Result<Self> {
        let shown = escape(path.as_os_str().as_encoded_bytes());
        let Some(name) = path.file_name() else {
            return Err(Error::usage(format_args!("`{}` cannot be the name of a receipt", path.display())));
        };
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let directory = Directory::open_ambient(parent, ambient_authority())
            .map_err(|error| Error::io(format!("opening the directory of the receipt `{shown}`"), error))?;
        match directory.metadata(name) {
            Ok(found) if matches!(found.kind, Kind::Directory | Kind::Other) => {
                return Err(Error::usage(format_args!("the receipt `{}` is there and is no file", path.display())));
            }
            _ => {}
        }
        Ok(Self { directory, name: name.to_owned() })
    }

    /// A name in a directory.
    #[cfg(feature = "discovery")]
    pub(super) fn within(directory: &Directory, name: OsString) -> Result<Self> {
        let directory = directory.try_clone().map_err(|error| Error::io("opening the receipts again", error))?;
        Ok(Self { directory, name })
    }

    /// The directory it lies in.
    pub(crate) fn directory(&self) -> &Directory {
        &self.directory
    }

    /// Its name.
    pub(crate) fn name(&self) -> &OsStr {
        &self.name
    }

    /// Writes a receipt beside its place.
    pub(crate) fn write(&self, receipt: &Receipt, fsync: bool) -> Result<Pending<'_>> {
        let bytes = receipt.to_json()?;
        let failed = |error| Error::io(format!("writing the receipt `{}`", self.shown()), error);
        self.remove_pending().map_err(failed)?;
        let mut file = self.directory.create_file(self.pending_name(), 0o644).map_err(failed)?;
        let pending = Pending { place: self, fsync, published: false };
        file.write_all(&bytes).map_err(failed)?;
        if fsync {
            file.sync_all().map_err(failed)?;
        }
        Ok(pending)
    }

    /// The receipt that a run has left, which was killed between publishing a tree and its receipt.
    #[cfg(feature = "discovery")]
    pub(super) fn left_behind(&self) -> Result<Option<Receipt>> {
        read(&self.directory, &self.pending_name())
    }

    /// Takes what was left behind for the receipt.
    #[cfg(feature = "discovery")]
    pub(super) fn adopt(&self) -> Result<()> {
        Pending { place: self, fsync: false, published: false }.publish()
    }

    /// Removes what a killed run has left.
    pub(super) fn remove_pending(&self) -> io::Result<()> {
        match self.directory.remove_file(self.pending_name()) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Begins with a dot: no name of a skill does.
    fn pending_name(&self) -> OsString {
        let mut name = OsString::from(".");
        name.push(&self.name);
        name.push(".pending");
        name
    }

    fn shown(&self) -> impl std::fmt::Display {
        escape(self.name.as_encoded_bytes()).to_string()
    }
}

impl Pending<'_> {
    /// The tree is published: so is its receipt.
    pub(crate) fn publish(mut self) -> Result<()> {
        let Place { directory, name } = self.place;
        let failed = |error| {
            let shown = self.place.shown();
            Error::io(format!("the tree is complete, but its receipt `{shown}` could not be put in place"), error)
        };
        directory.rename(self.place.pending_name(), directory, name).map_err(failed)?;
        self.published = true;
        if self.fsync {
            directory.reopen_readable().and_then(|readable| readable.sync()).map_err(failed)?;
        }
        Ok(())
    }
}

impl Drop for Pending<'_> {
    fn drop(&mut self) {
        if !self.published {
            // Whoever drops it has an error to tell that says more.
            let _ = self.place.remove_pending();
        }
    }
}

/// A receipt by its name; `None` if there is none. A link, a FIFO or a directory is no receipt.
pub(super) fn read(directory: &Directory, name: &OsStr) -> Result<Option<Receipt>> {
    let shown = || escape(name.as_encoded_bytes()).to_string();
    let file = match directory.open_file(name) {
        Ok((file, _)) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => {
            return match directory.metadata(name) {
                Ok(found) if found.kind != Kind::File => Err(invalid(format!("`{}` is no regular file", shown()))),
                _ => Err(Error::io(format!("opening the receipt `{}`", shown()), error)),
            };
        }
    };
    let mut bytes = Vec::new();
    file.take(MOST_BYTES.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(|error| Error::io(format!("reading the receipt `{}`", shown()), error))?;
    Receipt::parse(&bytes).map(Some)
}
