//! Where a skill goes: the caller's path, taken apart once, and what stands there before the run.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;

use cap_std::fs::Dir;
use cap_std::{AmbientAuthority, ambient_authority};

use super::guard;
use super::staging_dir::is_staging_name;
use crate::confine::{Directory, Identity, Kind};
use crate::error::{Code, Error, Result};
use crate::escape::escape;

/// Most parents made for one destination: each is held open until the end.
const MOST_MISSING: usize = 32;

/// Looks at a destination that another run exchanges each time.
const MOST_LOOKS: usize = 16;

/// The names that make a directory a skill or a plugin.
pub(super) const MARKERS: [&str; 2] = ["SKILL.md", "plugin.json"];

/// A place for a skill, looked at and found usable; nothing has been made yet.
#[derive(Debug)]
pub(crate) struct Destination {
    place: Place,
    target: Target,
}

/// The deepest directory that is there, and the names of those that are missing below it.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) anchor: Directory,
    pub(super) missing: Vec<OsString>,
}

/// The last component, and what was found there.
#[derive(Debug, Clone)]
pub(super) enum Target {
    Named {
        name: OsString,
        found: Found,
        replace: bool,
    },
    /// The name is given at commit; nothing is ever replaced.
    Deferred,
}

/// What stands at a destination.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    Nothing,
    /// A directory without anything in it: it is taken.
    Empty,
    /// A directory that `replace` may exchange.
    Skill(Identity),
}

impl Destination {
    /// The skill's directory by the caller's path: links in it are followed, but not one in its last component.
    ///
    /// With `replace` an older skill may stand there.
    ///
    /// # Errors
    ///
    /// `dest-exists`, `dest-is-symlink`, `dest-not-a-skill`; `usage` for a path that cannot name a skill's directory.
    pub(crate) fn open(path: &Path, replace: bool) -> Result<Self> {
        if path.as_os_str().is_empty() {
            return Err(Error::usage("the output path is empty"));
        }
        // A trailing slash or `/.` changes nothing: it is never a reason to follow a link.
        let (Some(name), Some(parent)) = (path.file_name(), path.parent()) else {
            let code = if replace { Code::DestNotASkill } else { Code::DestExists };
            let path = escape(path.as_os_str().as_encoded_bytes());
            return Err(Error::with(
                code,
                format!("`{path}` names a directory that is in use, not a place for a skill"),
            )
            .hint("name the skill's own directory: --output DIR/NAME"));
        };
        Self::named(Place::find(parent, authority())?, name, replace)
    }

    /// One name in a directory that the caller holds open.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open).
    pub(crate) fn within(parent: &Dir, name: &OsStr, replace: bool) -> Result<Self> {
        let mut components = Path::new(name).components();
        let (Some(std::path::Component::Normal(only)), None) = (components.next(), components.next()) else {
            return Err(Error::usage("the output name must be a single path component"));
        };
        let parent = parent.try_clone().map_err(|error| Error::io("opening the output directory again", error))?;
        let place = Place { anchor: Directory::from_dir(parent), missing: Vec::new() };
        Self::named(place, only, replace)
    }

    /// A directory whose name is known only at commit, below the caller's path.
    ///
    /// # Errors
    ///
    /// `io` if the path is not that of a directory or of one that can be made.
    pub(crate) fn deferred(parent: &Path) -> Result<Self> {
        Ok(Self { place: Place::find(parent, authority())?, target: Target::Deferred })
    }

    fn named(place: Place, name: &OsStr, replace: bool) -> Result<Self> {
        check_name(name)?;
        let found = if place.missing.is_empty() { inspect(&place.anchor, name, replace)? } else { Found::Nothing };
        Ok(Self { place, target: Target::Named { name: name.to_owned(), found, replace } })
    }

    pub(super) fn into_parts(self) -> (Place, Target) {
        (self.place, self.target)
    }
}

impl Place {
    pub(super) fn find(path: &Path, authority: AmbientAuthority) -> Result<Self> {
        let doing = |path: &Path| format!("opening the directory `{}`", escape(path.as_os_str().as_encoded_bytes()));
        let mut missing = Vec::new();
        let mut at = path;
        loop {
            let here = if at.as_os_str().is_empty() { Path::new(".") } else { at };
            match Directory::open_ambient(here, authority) {
                Ok(anchor) => {
                    missing.reverse();
                    return Self { anchor, missing }.checked(path);
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    // `..` after something that is not there leads nowhere.
                    let (Some(name), Some(above)) = (at.file_name(), at.parent()) else {
                        return Err(Error::io(doing(here), error));
                    };
                    if missing.len() == MOST_MISSING {
                        let path = escape(path.as_os_str().as_encoded_bytes());
                        return Err(Error::usage(format_args!(
                            "more than {MOST_MISSING} parent directories of `{path}` are missing"
                        )));
                    }
                    missing.push(name.to_owned());
                    at = above;
                }
                Err(error) => return Err(Error::io(doing(here), error)),
            }
        }
    }

    /// A missing directory whose name is there is a link that leads nowhere.
    fn checked(self, path: &Path) -> Result<Self> {
        match self.missing.first().map(|name| self.anchor.metadata(name)) {
            Some(Ok(found)) if found.kind == Kind::Symlink => {
                let path = escape(path.as_os_str().as_encoded_bytes());
                Err(Error::with(
                    Code::DestIsSymlink,
                    format!("a parent of `{path}` is a symbolic link that leads nowhere"),
                ))
            }
            _ => Ok(self),
        }
    }
}

/// The one place where this crate takes authority over the whole file system: to open the caller's path, and to ask
/// which directories are in use.
pub(super) fn authority() -> AmbientAuthority {
    ambient_authority()
}

/// A name that a later sweep could take for an abandoned staging directory is no name for a skill.
pub(super) fn check_name(name: &OsStr) -> Result<()> {
    if name.to_str().is_some_and(is_staging_name) {
        return Err(Error::usage("the output name has the form of a staging directory"));
    }
    Ok(())
}

/// What stands under a name, if a skill may go there.
///
/// Other runs may exchange it in the meantime. What was opened is then not what stands there, and what it holds (an old
/// skill loses its SKILL.md first) tells nothing: the look is repeated.
pub(super) fn inspect(parent: &Directory, name: &OsStr, replace: bool) -> Result<Found> {
    for _ in 0..MOST_LOOKS {
        if let Some(found) = look(parent, name, replace)? {
            return Ok(found);
        }
    }
    let shown = escape(name.as_encoded_bytes());
    Err(Error::with(Code::ConcurrentInstall, format!("the destination `{shown}` changes whenever it is looked at")))
}

/// One look; `None` if it was at something that does not stand there any more.
fn look(parent: &Directory, name: &OsStr, replace: bool) -> Result<Option<Found>> {
    let shown = escape(name.as_encoded_bytes());
    let failed = |error| Error::io(format!("looking at the destination `{shown}`"), error);
    let refused = |code, what: &str| Err(Error::with(code, format!("the destination `{shown}` {what}")));
    let found = match parent.metadata(name) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Some(Found::Nothing)),
        result => result.map_err(failed)?,
    };
    match found.kind {
        Kind::Directory => {}
        Kind::Symlink => return refused(Code::DestIsSymlink, "is a symbolic link"),
        Kind::File | Kind::Other if replace => return refused(Code::DestNotASkill, "is not a directory"),
        Kind::File | Kind::Other => return refused(Code::DestExists, "already exists and is not a directory"),
    }
    let directory = match parent.open_dir_readable(name) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied && !replace => {
            return refused(Code::DestExists, "already exists and cannot be read");
        }
        result => result.map_err(failed)?,
    };
    let identity = directory.own_metadata().map_err(failed)?.identity;
    // What fails is no fault of the destination either if it does not stand there any more.
    let judge = || {
        if !directory.is_empty().map_err(failed)? {
            if !replace {
                return refused(Code::DestExists, "already exists and is not empty");
            }
            return guard::check_replaceable(parent, name, &directory, authority())
                .map(|()| Some(Found::Skill(identity)));
        }
        if parent.is_mount_point(name).map_err(failed)? {
            return refused(Code::DestExists, "is a mount point: it cannot be replaced by a rename");
        }
        Ok(Some(Found::Empty))
    };
    let judged = judge();
    if parent.holds(name, identity) { judged } else { Ok(None) }
}
