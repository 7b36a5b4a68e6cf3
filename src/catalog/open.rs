//! Level 1: the directory is listed, and of each SKILL.md no more than its frontmatter is read.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;

use super::Catalog;
use super::skill::{CatalogSkill, Skipped, Standing, head, modified};
use crate::confine::{Directory, Kind};
use crate::error::{Code, Error, Result};
use crate::escape::{Untrusted, escape};
use crate::layout::SkillMd;
use crate::receipt::{Receipt, Store};
use crate::report::Finding;

/// Most names in the directory.
const MOST_NAMES: usize = 1 << 16;

pub(super) fn read(root: Directory, path: Option<PathBuf>, allow_modified: bool) -> Result<Catalog> {
    let names = names(&root)?;
    let mut catalog =
        Catalog { root, path, allow_modified, skills: Vec::new(), skipped: Vec::new(), findings: Vec::new() };
    // Opened once for all skills. What is wrong with it concerns each of them.
    let store = Store::find(&catalog.root);
    for name in names {
        match catalog.child(&name, &store) {
            Ok(Some(skill)) => catalog.skills.push(skill),
            Ok(None) => {}
            Err((known, error)) => {
                catalog.skipped.push(Skipped { directory: name, name: known, error });
            }
        }
    }
    catalog.settle_names(store.as_ref().ok().and_then(Option::as_ref))?;
    catalog.skills.sort_by(|one, other| one.name.as_raw().cmp(other.name.as_raw()));
    Ok(catalog)
}

fn names(root: &Directory) -> Result<Vec<OsString>> {
    let failed = |error| Error::io("listing the directory of skills", error);
    let mut names = Vec::new();
    for entry in root.entries().map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let may_be_one = matches!(entry.kind, None | Some(Kind::Directory | Kind::Symlink));
        if may_be_one && !entry.name.as_encoded_bytes().starts_with(b".") {
            names.push(entry.name);
        }
        if names.len() > MOST_NAMES {
            return Err(Error::with(Code::LimitEntries, format!("the directory has more than {MOST_NAMES} entries")));
        }
    }
    names.sort();
    Ok(names)
}

/// Why a skill is skipped, with its name as far as that is known.
type Fault = (Option<Untrusted>, Error);

impl Catalog {
    /// One child of the directory; `None` if it is no skill and does not look like one.
    fn child(&mut self, name: &OsStr, store: &Result<Option<Store>>) -> Result<Option<CatalogSkill>, Fault> {
        let nameless = |error: Error| (None, error);
        let Some(place) = self.place(name).map_err(nameless)? else { return Ok(None) };
        let (bytes, whole) = match head(&place.tree, Self::MOST_HEAD) {
            Err(error) if error.code() == Code::SkillMdMissing => return Ok(None),
            result => result.map_err(nameless)?,
        };
        let document = frontmatter(&bytes, whole).map_err(nameless)?;
        let own = document.name().clone();
        let named = |error: Error| (Some(own.clone()), error);
        let receipt = place.receipt(name, store).map_err(named)?;
        let standing = match &receipt {
            None => Standing::Unverified,
            Some(receipt) => {
                // What was not read whole cannot be hashed; what is shown of it must still be what was installed.
                let same = if whole {
                    receipt.check("SKILL.md", &bytes)
                } else if receipt.name() == Some(own.as_raw())
                    && receipt.description() == Some(document.description().as_raw())
                {
                    Ok(())
                } else {
                    Err(Error::with(Code::TreeChanged, "SKILL.md has another name or description than was installed"))
                };
                match same {
                    Ok(()) if !receipt.verified() => Standing::Unverified,
                    Ok(()) if whole => Standing::Verified,
                    Ok(()) => Standing::Unread,
                    Err(_) if self.allow_modified => Standing::Modified,
                    Err(error) => return Err(named(modified(&own, &error))),
                }
            }
        };
        if let Some(target) = &place.link {
            let text = format!("the skill `{own}` lies behind a link to `{target}`");
            self.findings.push(Finding::new(Code::CatalogLink, name.to_str(), text));
        }
        if name.to_str() != Some(own.as_raw()) {
            let shown = escape(name.as_encoded_bytes());
            let text = format!("the skill is called `{own}`, its directory `{shown}`");
            self.findings.push(Finding::new(Code::SkillNameDirectory, name.to_str(), text));
        }
        let found = place.tree.own_metadata();
        let identity = found.map_err(|error| named(Error::io("looking at a directory", error)))?.identity;
        let (description, link) = (document.description().clone(), place.link);
        Ok(Some(CatalogSkill { name: own, description, directory: name.to_owned(), identity, link, receipt, standing }))
    }

    /// The directory of a child; `None` if it is something else. A link is followed once: what it names must be a directory
    /// itself.
    pub(super) fn place(&self, name: &OsStr) -> Result<Option<Place>> {
        let failed = |error| Error::io(format!("opening `{}`", escape(name.as_encoded_bytes())), error);
        match self.root.metadata(name).map_err(failed)?.kind {
            Kind::Directory => {
                let tree = self.root.open_dir(name).map_err(failed)?;
                Ok(Some(Place { tree, link: None, beside: None }))
            }
            Kind::Symlink => {
                let target = self.root.read_link(name).map_err(failed)?;
                let shown = escape(target.as_encoded_bytes()).to_string();
                let Some(path) = &self.path else {
                    return Err(Error::with(
                        Code::LinkEscape,
                        format!("it is a link to `{shown}`, and nothing says where links may lead"),
                    ));
                };
                match follow(&path.join(&target)) {
                    Ok(Some((tree, beside))) => {
                        Ok(Some(Place { tree, link: Some(Untrusted::new(target.to_string_lossy())), beside }))
                    }
                    Ok(None) => {
                        Err(Error::with(Code::LinkCycle, format!("it is a link to `{shown}`, which is a link again")))
                    }
                    // A link to a file is no skill; one that leads nowhere was to be one.
                    Err(error) if error.kind() == io::ErrorKind::NotADirectory => Ok(None),
                    Err(error) if error.kind() == io::ErrorKind::NotFound => Err(Error::with(
                        Code::LinkTargetMissing,
                        format!("it is a link to `{shown}`, which is not there"),
                    )),
                    Err(error) => Err(failed(error)),
                }
            }
            Kind::File | Kind::Other => Ok(None),
        }
    }
}

/// Where a skill lies.
pub(super) struct Place {
    pub(super) tree: Directory,
    /// The link that led there.
    pub(super) link: Option<Untrusted>,
    /// Behind a link: the directory that it lies in, and its name there.
    beside: Option<Home>,
}

type Home = (Directory, OsString);

impl Place {
    /// Its receipt: from the store of the catalog's directory, or else, behind a link, from the one beside the skill.
    fn receipt(&self, name: &OsStr, store: &Result<Option<Store>>) -> Result<Option<Receipt>> {
        let own = match store {
            Ok(Some(store)) => store.read(name)?,
            Ok(None) => None,
            Err(error) => return Err(error.clone()),
        };
        match (own, &self.beside) {
            (None, Some((home, name))) => match Store::find(home)? {
                Some(store) => store.read(name),
                None => Ok(None),
            },
            (own, _) => Ok(own),
        }
    }
}

/// Opens the directory that a link names; `None` if that is a link again.
fn follow(path: &Path) -> io::Result<Option<(Directory, Option<Home>)>> {
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return Ok(Some((Directory::open_ambient(path, ambient_authority())?, None)));
    };
    let parent = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
    let parent = Directory::open_ambient(parent, ambient_authority())?;
    match parent.metadata(name)?.kind {
        Kind::Directory => {
            let tree = parent.open_dir(name)?;
            Ok(Some((tree, Some((parent, name.to_owned())))))
        }
        Kind::Symlink => Ok(None),
        Kind::File | Kind::Other => Err(io::ErrorKind::NotADirectory.into()),
    }
}

/// The document, of which no more than the frontmatter need be there.
fn frontmatter(bytes: &[u8], whole: bool) -> Result<SkillMd> {
    if whole {
        return SkillMd::parse(bytes);
    }
    // The cut may lie inside of a character of the body.
    let text = bytes.utf8_chunks().next().map(|chunk| chunk.valid()).unwrap_or_default();
    let cut = bytes.len().saturating_sub(text.len()) < 4;
    if !cut {
        return SkillMd::parse(bytes);
    }
    SkillMd::parse(text.as_bytes()).map_err(|error| {
        let most = Catalog::MOST_HEAD;
        Error::with(error.code(), format!("within the first {most} bytes: {}", error.detail())).hint(error.help())
    })
}
