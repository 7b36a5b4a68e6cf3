//! Installed skills by progressive disclosure: name and description, then the body, then a single file.
//!
//! What is read is confined to the skill's own directory, and checked against its receipt where it has one: the bytes that
//! are returned are the bytes that were hashed. A name, description or body is a stranger's text.

mod names;
mod open;
mod prompt;
#[cfg(feature = "discovery")]
mod remote;
mod skill;

use std::path::{Path, PathBuf};

use cap_std::ambient_authority;

pub use self::prompt::{Presentation, Prompt};
#[cfg(feature = "discovery")]
pub use self::remote::SiteCatalog;
pub use self::skill::{CatalogSkill, Loaded, Skipped, Standing};
use crate::confine::Directory;
use crate::error::{Code, Error, Result};
use crate::escape::{Untrusted, escape};
use crate::report::Finding;

/// Known names that an error lists.
const MOST_NAMED: usize = 50;

/// The skills of one directory.
///
/// ```no_run
/// use skillx_archive::{Catalog, Presentation};
///
/// # fn main() -> Result<(), skillx_archive::Error> {
/// let catalog = Catalog::open("skills")?; // names and descriptions alone
/// let prompt = catalog.prompt(Presentation::OnDemand).text; // for the system prompt
/// let skill = catalog.load("pdf")?; // the body, when the model asks for it
/// let table = catalog.resource("pdf", "references/table.csv")?;
/// # let _ = (prompt, skill.body(), table);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Catalog {
    root: Directory,
    /// The directory as the caller gave it; `None` for one that was held open.
    path: Option<PathBuf>,
    allow_modified: bool,
    skills: Vec<CatalogSkill>,
    skipped: Vec<Skipped>,
    findings: Vec<Finding>,
}

/// How a catalog is read.
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub struct CatalogOptions {
    /// Whether a skill that is not what its receipt says is used all the same. **Default: no.**
    pub allow_modified: bool,
}

impl CatalogOptions {
    /// Uses skills that have changed since they were verified.
    #[must_use]
    pub const fn allow_modified(mut self, allow: bool) -> Self {
        self.allow_modified = allow;
        self
    }
}

impl Catalog {
    /// Bytes of a SKILL.md that are read for its name and description: 16 KiB.
    pub const MOST_HEAD: u64 = 16 << 10;

    /// Largest SKILL.md whose body is loaded: 1 MiB.
    pub const MOST_SKILL_MD: u64 = 1 << 20;

    /// Largest single file that is read: 50 MiB.
    pub const MOST_RESOURCE: u64 = 50 << 20;

    /// Reads the names and descriptions of the skills in a directory: level 1, at most 16 KiB a skill.
    ///
    /// Every immediate child with a regular `SKILL.md` is one; hidden ones are not looked at. Broken skills are
    /// [`skipped`](Self::skipped), and so are names that mean several skills, that a prompt cannot show as they are, or that
    /// a receipt gives to another directory. A child that is a link, as some installers make, is followed once and told.
    ///
    /// # Errors
    /// `io` if the directory cannot be read.
    pub fn open(directory: impl AsRef<Path>) -> Result<Self> {
        Self::open_with(directory, &CatalogOptions::default())
    }

    /// As [`open`](Self::open), with a choice.
    ///
    /// # Errors
    /// `io` if the directory cannot be read.
    pub fn open_with(directory: impl AsRef<Path>, options: &CatalogOptions) -> Result<Self> {
        let path = directory.as_ref();
        let root = Directory::open_ambient(path, ambient_authority()).map_err(|error| {
            Error::io(format!("opening the directory `{}`", escape(path.as_os_str().as_encoded_bytes())), error)
        })?;
        open::read(root, Some(path.to_owned()), options.allow_modified)
    }

    /// As [`open_with`](Self::open_with), for a directory that the caller holds open. Children that are links are skipped,
    /// since nothing says where they may lead.
    ///
    /// # Errors
    /// `io` if the directory cannot be read.
    pub fn open_in(directory: &cap_std::fs::Dir, options: &CatalogOptions) -> Result<Self> {
        let root = directory.try_clone().map_err(|error| Error::io("opening the directory again", error))?;
        open::read(Directory::from_dir(root), None, options.allow_modified)
    }

    /// The skills, in the order of their names.
    #[must_use]
    pub fn skills(&self) -> &[CatalogSkill] {
        &self.skills
    }

    /// What looked like a skill and cannot be used.
    #[must_use]
    pub fn skipped(&self) -> &[Skipped] {
        &self.skipped
    }

    /// Worth saying: links that were followed, names that are not those of their directories or look like another's, skills
    /// without a receipt beside others that have one.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// The body of a skill: level 2.
    ///
    /// # Errors
    /// `usage` with the names that are known; `tree-changed` if it is not what its receipt says; `skill-md-invalid`,
    /// `skill-name-mismatch` if it has changed since the catalog was read; `io`.
    pub fn load(&self, name: &str) -> Result<Loaded> {
        self.find(name)?.load(self)
    }

    /// One file of a skill: level 3. The path is relative to the skill's directory; links in it are followed inside that.
    ///
    /// # Errors
    /// As [`load`](Self::load); the codes of the rules for paths; `link-escape` if a link leads out of the skill;
    /// `limit-file` above 50 MiB; `usage` if there is no such file.
    pub fn resource(&self, name: &str, path: &str) -> Result<Vec<u8>> {
        self.resource_with_standing(name, path).map(|(bytes, _)| bytes)
    }

    /// As [`resource`](Self::resource), with what is known of the bytes: [`Standing::Modified`] if they are not what was
    /// installed (and [`CatalogOptions::allow_modified`] lets them through).
    ///
    /// # Errors
    /// Those of [`resource`](Self::resource).
    pub fn resource_with_standing(&self, name: &str, path: &str) -> Result<(Vec<u8>, Standing)> {
        self.find(name)?.resource(self, path)
    }

    /// The skill of this name.
    ///
    /// # Errors
    /// `usage` with the names that are known; why it was skipped, if it was.
    pub fn find(&self, name: &str) -> Result<&CatalogSkill> {
        if let Some(skill) = self.skills.iter().find(|skill| skill.name().as_raw() == name) {
            return Ok(skill);
        }
        if let Some(skipped) = self.skipped.iter().find(|skipped| skipped.is_called(name)) {
            return Err(skipped.error().clone());
        }
        let shown = escape(name.as_bytes());
        let known = listed("known are", self.skills.iter().map(CatalogSkill::name));
        Err(Error::with(Code::Usage, format!("there is no skill `{shown}`; {known}"))
            .hint("name one of the skills that are there"))
    }
}

/// The names that are known, for an error about one that is not.
fn listed<'n>(verb: &str, names: impl Iterator<Item = &'n Untrusted>) -> String {
    let mut names = names.map(|name| format!("`{name}`"));
    let mut listed: Vec<_> = names.by_ref().take(MOST_NAMED).collect();
    if names.next().is_some() {
        listed.push("…".to_owned());
    }
    if listed.is_empty() { "there are none".to_owned() } else { format!("{verb} {}", listed.join(", ")) }
}
