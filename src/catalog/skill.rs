//! One skill of a catalog, and what is read of it.

use std::ffi::OsString;
use std::io::{self, Read as _};

use cap_std::fs::File;

use super::Catalog;
use crate::confine::{Directory, Identity, Inside, Kind};
use crate::error::{Code, Error, Result};
use crate::escape::{Untrusted, escape};
use crate::layout::SkillMd;
use crate::policy::SafePath;
use crate::receipt::Receipt;

/// A skill: its name and description.
#[derive(Debug)]
pub struct CatalogSkill {
    pub(super) name: Untrusted,
    pub(super) description: Untrusted,
    pub(super) directory: OsString,
    /// Which directory it was: what the name means later does not matter, and no handle is held open for it.
    pub(super) identity: Identity,
    pub(super) link: Option<Untrusted>,
    pub(super) receipt: Option<Receipt>,
    pub(super) standing: Standing,
}

/// What is known of a skill's content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Standing {
    /// It is not what its receipt says, and used all the same.
    Modified,
    /// There is a receipt, and SKILL.md is longer than what is read for a name and a description: its name and description
    /// are those that were installed, the rest is held against the receipt when it is loaded.
    Unread,
    /// There is no receipt, or one of an install without a promised digest: as it was installed, but nobody promised what.
    Unverified,
    /// There is a receipt of an install with a promised digest, and all that was read agrees with it.
    Verified,
}

/// A directory that is no usable skill, or a skill that cannot be loaded.
#[derive(Debug, Clone)]
pub struct Skipped {
    pub(super) directory: OsString,
    pub(super) name: Option<Untrusted>,
    pub(super) error: Error,
}

/// A skill whose body was loaded.
#[derive(Debug, Clone)]
pub struct Loaded {
    document: SkillMd,
    standing: Standing,
}

impl CatalogSkill {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &Untrusted {
        &self.name
    }

    /// Its description.
    #[must_use]
    pub fn description(&self) -> &Untrusted {
        &self.description
    }

    /// The name of its directory.
    #[must_use]
    pub fn directory(&self) -> &std::ffi::OsStr {
        &self.directory
    }

    /// Where the link leads by which it lies in the catalog's directory, if it is one.
    #[must_use]
    pub fn link(&self) -> Option<&Untrusted> {
        self.link.as_ref()
    }

    /// Its receipt, if it has one.
    #[must_use]
    pub fn receipt(&self) -> Option<&Receipt> {
        self.receipt.as_ref()
    }

    /// What is known of its content.
    #[must_use]
    pub fn standing(&self) -> Standing {
        self.standing
    }

    pub(super) fn load(&self, catalog: &Catalog) -> Result<Loaded> {
        let (bytes, true) = head(&self.tree(catalog)?, Catalog::MOST_SKILL_MD)? else {
            let most = Catalog::MOST_SKILL_MD;
            return Err(Error::with(
                Code::SkillMdInvalid,
                format!("SKILL.md of `{}` has more than {most} bytes", self.name),
            ));
        };
        let standing = self.check(catalog, "SKILL.md", &bytes, &[])?;
        let document = SkillMd::parse(&bytes)?;
        if document.name() != &self.name {
            let detail = format!("SKILL.md names the skill `{}` now, it was `{}`", document.name(), self.name);
            return Err(Error::with(Code::SkillNameMismatch, detail));
        }
        Ok(Loaded { document, standing })
    }

    /// Its directory, opened again: the one whose name and description were read.
    fn tree(&self, catalog: &Catalog) -> Result<Directory> {
        let other = || {
            let detail = format!("another directory stands where the skill `{}` was", self.name);
            Error::with(Code::TreeChanged, detail).hint("read the directory of skills again")
        };
        let place = catalog.place(&self.directory)?.ok_or_else(other)?;
        let found = place.tree.own_metadata().map_err(|error| Error::io("looking at a directory", error))?;
        let same = found.identity == self.identity && place.link == self.link;
        if same || catalog.allow_modified { Ok(place.tree) } else { Err(other()) }
    }

    pub(super) fn resource(&self, catalog: &Catalog, path: &str) -> Result<(Vec<u8>, Standing)> {
        let path = SafePath::parse(&plain(path)).map_err(|error| {
            error.hint(format!("name a file of the skill `{}` by its path in the skill's directory", self.name))
        })?;
        let shown = escape(path.as_str().as_bytes()).to_string();
        let missing = |what: &str| {
            let error = Error::usage(format_args!("`{shown}` in the skill `{}` {what}", self.name));
            Err(error.hint(format!("the body of `{}` says which files it has", self.name)))
        };
        let failed = |error| Error::io(format!("reading `{shown}`"), error);
        let (file, length, real, links) = match self.tree(catalog)?.open_inside(path.as_str()).map_err(failed)? {
            Inside::File { file, metadata, path, links } => (file, metadata.length, path, links),
            Inside::Outside => {
                let detail = format!("`{shown}` leads out of the skill `{}`", self.name);
                return Err(Error::with(Code::LinkEscape, detail));
            }
            Inside::Directory(_) => return missing("is a directory"),
            Inside::Absent(_) => return missing("is not there"),
            Inside::Other => return missing("is no regular file"),
        };
        let most = Catalog::MOST_RESOURCE;
        let too_large = || Error::with(Code::LimitFile, format!("`{shown}` has more than {most} bytes"));
        if length > most {
            return Err(too_large());
        }
        let (bytes, whole) = contents(file, most).map_err(failed)?;
        if !whole {
            return Err(too_large());
        }
        let standing = self.check(catalog, &real, &bytes, &links)?;
        Ok((bytes, standing))
    }

    /// Holds bytes that were read against the receipt, and the links that led to them.
    pub(super) fn check(
        &self,
        catalog: &Catalog,
        path: &str,
        bytes: &[u8],
        links: &[(String, String)],
    ) -> Result<Standing> {
        let Some(receipt) = &self.receipt else { return Ok(self.standing) };
        let outcome = links
            .iter()
            .try_for_each(|(path, target)| {
                if receipt.links().any(|link| link.path == path && link.target == target) {
                    return Ok(());
                }
                let shown = escape(path.as_bytes());
                Err(Error::with(Code::TreeChanged, format!("the link `{shown}` is not what was installed")))
            })
            .and_then(|()| receipt.check(path, bytes));
        match outcome {
            Ok(()) if receipt.verified() => Ok(Standing::Verified),
            // As it was installed, but nobody promised what it was.
            Ok(()) => Ok(Standing::Unverified),
            Err(_) if catalog.allow_modified => Ok(Standing::Modified),
            Err(error) => Err(modified(&self.name, &error)),
        }
    }
}

impl Skipped {
    pub(super) fn of(skill: &CatalogSkill, error: Error) -> Self {
        Self { directory: skill.directory.clone(), name: Some(skill.name.clone()), error }
    }

    /// The name of the directory.
    #[must_use]
    pub fn directory(&self) -> &std::ffi::OsStr {
        &self.directory
    }

    /// Why it cannot be used.
    #[must_use]
    pub fn error(&self) -> &Error {
        &self.error
    }

    pub(super) fn is_called(&self, name: &str) -> bool {
        self.directory == name || self.name.as_ref().is_some_and(|own| own.as_raw() == name)
    }
}

impl Loaded {
    /// The skill's name.
    #[must_use]
    pub fn name(&self) -> &Untrusted {
        self.document.name()
    }

    /// The text behind the frontmatter: a stranger's.
    #[must_use]
    pub fn body(&self) -> &str {
        self.document.body()
    }

    /// The whole document.
    #[must_use]
    pub fn skill_md(&self) -> &SkillMd {
        &self.document
    }

    /// What is known of the bytes that this is made of.
    #[must_use]
    pub fn standing(&self) -> Standing {
        self.standing
    }
}

/// The beginning of a SKILL.md, and whether it is all. `skill-md-not-regular` if it is a link or anything but a file.
pub(super) fn head(tree: &Directory, most: u64) -> Result<(Vec<u8>, bool)> {
    let failed = |error| Error::io("reading SKILL.md", error);
    match tree.metadata("SKILL.md") {
        Ok(found) if found.kind == Kind::File => {}
        Ok(_) => return Err(Error::new(Code::SkillMdNotRegular)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(Error::with(Code::SkillMdMissing, "there is no SKILL.md in the directory"));
        }
        Err(error) => return Err(failed(error)),
    }
    let (file, _) = tree.open_file("SKILL.md").map_err(failed)?;
    contents(file, most).map_err(failed)
}

/// The path without `./` and doubled slashes, which people and models write.
fn plain(path: &str) -> String {
    if path.starts_with('/') {
        return path.to_owned();
    }
    path.split('/').filter(|component| !matches!(*component, "" | ".")).collect::<Vec<_>>().join("/")
}

pub(super) fn modified(name: &Untrusted, error: &Error) -> Error {
    let detail = format!("the skill `{name}` has changed since it was verified: {}", error.detail());
    Error::with(Code::TreeChanged, detail).hint("install it again, or say --allow-modified if the change is yours")
}

/// The bytes up to a limit, and whether they are all.
fn contents(file: File, most: u64) -> io::Result<(Vec<u8>, bool)> {
    let mut bytes = Vec::new();
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    let whole = bytes.len() as u64 <= most;
    bytes.truncate(usize::try_from(most).unwrap_or(usize::MAX));
    Ok((bytes, whole))
}
