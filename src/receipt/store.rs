//! `DIR/.skillx`: the receipts of the skills in a directory. Opened no-follow: a repository can ship it as a link.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;

use cap_std::ambient_authority;

use super::format::{Receipt, invalid};
use super::place::{self, Place};
use crate::confine::{Directory, Kind};
use crate::error::{Code, Error, Result};
use crate::escape::escape;

/// The name of the store in the directory of skills.
pub(super) const STORE: &str = ".skillx";
/// Ends the name of every receipt in it.
const EXTENSION: &str = ".json";
/// Most receipts that are listed.
const MOST_RECEIPTS: usize = 1 << 16;

/// The receipts of one directory of skills.
#[derive(Debug)]
pub(crate) struct Store {
    pub(super) directory: Directory,
}

impl Store {
    /// The store of a directory of skills; `None` if it has none.
    pub(crate) fn find(parent: &Directory) -> Result<Option<Self>> {
        match parent.open_dir_readable(STORE) {
            Ok(directory) => Ok(Some(Self { directory })),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => match parent.metadata(STORE) {
                Ok(found) if found.kind != Kind::Directory => {
                    Err(invalid(format!("`{STORE}` is no directory but a link or file; links are not followed"))
                        .hint(format!("look at it and move it away: skillx makes a directory `{STORE}` of its own")))
                }
                _ => Err(Error::io(format!("opening `{STORE}`"), error)),
            },
        }
    }

    /// The receipt of a skill, by the name of its directory.
    pub(crate) fn read(&self, skill: &OsStr) -> Result<Option<Receipt>> {
        place::read(&self.directory, &file_name(skill))
    }

    /// The names of all skills that have a receipt.
    pub(crate) fn names(&self) -> Result<Vec<OsString>> {
        let failed = |error| Error::io(format!("listing `{STORE}`"), error);
        let mut names = Vec::new();
        for entry in self.directory.entries().map_err(failed)?.take(MOST_RECEIPTS) {
            let entry = entry.map_err(failed)?;
            let name = entry.name.to_str().and_then(|name| name.strip_suffix(EXTENSION));
            names.extend(name.filter(|name| !name.starts_with('.') && !name.is_empty()).map(OsString::from));
        }
        Ok(names)
    }
}

pub(super) fn file_name(skill: &OsStr) -> OsString {
    let mut name = skill.to_owned();
    name.push(EXTENSION);
    name
}

impl Receipt {
    /// The receipt of an installed skill: `DIR/.skillx/NAME.json` for the skill in `DIR/NAME`. `None`: the tree is
    /// unverified, nothing is known of where it came from.
    ///
    /// # Errors
    /// `receipt-invalid` if what is there is no receipt (links are not followed), `io` if it cannot be read.
    pub fn of(skill: impl AsRef<Path>) -> Result<Option<Self>> {
        let (parent, name) = parent_of(skill.as_ref())?;
        Self::find(&parent, &name)
    }

    /// As [`of`](Self::of), for a skill in a directory that is held open.
    pub(crate) fn find(parent: &Directory, name: &OsStr) -> Result<Option<Self>> {
        match Store::find(parent)? {
            Some(store) => store.read(name),
            None => Ok(None),
        }
    }

    /// A receipt by the caller's own path, as `verify-extract --receipt FILE` writes it.
    ///
    /// # Errors
    /// `receipt-missing` if there is no such file, `receipt-invalid` if it is no receipt, `io` if it cannot be read.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let place = Place::at(path)?;
        place::read(place.directory(), place.name())?.ok_or_else(|| {
            let shown = escape(path.as_os_str().as_encoded_bytes());
            Error::with(Code::ReceiptMissing, format!("there is no receipt `{shown}`"))
        })
    }
}

/// The directory that a skill lies in, held open, and the skill's name in it.
pub(super) fn parent_of(skill: &Path) -> Result<(Directory, OsString)> {
    let shown = || escape(skill.as_os_str().as_encoded_bytes()).to_string();
    // `.` has a name too.
    let absolute = std::path::absolute(skill).map_err(|error| Error::io(format!("finding `{}`", shown()), error))?;
    let (Some(name), Some(parent)) = (absolute.file_name(), absolute.parent()) else {
        return Err(Error::usage(format_args!("`{}` is no skill's directory: it has no name", skill.display())));
    };
    let parent = Directory::open_ambient(parent, ambient_authority())
        .map_err(|error| Error::io(format!("opening the directory of `{}`", shown()), error))?;
    Ok((parent, name.to_owned()))
}

/// The names of the skills in a directory that has receipts (`DIR/.skillx`), sorted: every directory, and every receipt
/// whose directory is gone. `None`: it has no receipts, so it is no such directory.
///
/// # Errors
/// `io` if it cannot be read, `receipt-invalid` if `.skillx` is no directory.
pub fn skills_in(directory: impl AsRef<Path>) -> Result<Option<Vec<OsString>>> {
    let path = directory.as_ref();
    let shown = escape(path.as_os_str().as_encoded_bytes());
    let failed = |doing: &str, error| Error::io(format!("{doing} `{shown}`"), error);
    let directory =
        Directory::open_ambient(path, ambient_authority()).map_err(|error| failed("opening the directory", error))?;
    let Some(store) = Store::find(&directory)? else { return Ok(None) };
    let mut names = store.names()?;
    for entry in directory.entries().map_err(|error| failed("listing", error))?.take(MOST_RECEIPTS) {
        let name = entry.map_err(|error| failed("listing", error))?.name;
        let is_skill = !name.as_encoded_bytes().starts_with(b".")
            && directory.metadata(&name).is_ok_and(|found| matches!(found.kind, Kind::Directory | Kind::Symlink));
        if is_skill {
            names.push(name);
        }
    }
    names.sort();
    names.dedup();
    Ok(Some(names))
}
