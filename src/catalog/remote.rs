//! The skills of a site by progressive disclosure: its index is level 1, and only what is loaded is downloaded.

use super::prompt::{CLOSING, entry, opening};
use super::{Catalog, Loaded, Presentation, listed};
use crate::error::{Code, Error, Result};
use crate::escape::{Untrusted, escape};
use crate::site::{EntryStatus, Listing, Plan, Site};

/// The skills that an index offers, none of them downloaded until it is asked for.
///
/// What is loaded is installed first, as [`Site::install`] does it: fetched, held against the digest of the index, put
/// through every rule, written to the plan's directory with a receipt and a line in the lock file. What is there already
/// with the same digest is not downloaded again, and what has been changed since is not loaded (`local-edits`).
///
/// ```
/// use skillx_archive::{SiteCatalog, fetch::{Memory, Rules}, site::{Plan, Site, parse_address}};
/// let mut web = Memory::default();
/// let index = br#"{ "$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json", "skills": [] }"#;
/// web.page("https://example.com/.well-known/agent-skills/index.json", 200, &[], index);
///
/// let site = Site::new(&web, Rules::default());
/// let listing = site.index(&parse_address("example.com")?)?;
/// let catalog = SiteCatalog::new(site, listing, Plan::new("skills"));
/// assert_eq!(catalog.skills().count(), 0);
/// assert_eq!(catalog.load("pdf").unwrap_err().code(), "usage"); // and the names that are known
/// # Ok::<(), skillx_archive::Error>(())
/// ```
#[derive(Debug)]
pub struct SiteCatalog<'f> {
    site: Site<'f>,
    listing: Listing,
    plan: Plan,
    /// Positions in the index of what a client can use.
    usable: Vec<usize>,
}

impl<'f> SiteCatalog<'f> {
    /// The skills of an index. The plan says where they are installed, under which limits, and whether entries without a
    /// digest count; its names are not looked at.
    #[must_use]
    pub fn new(site: Site<'f>, listing: Listing, plan: Plan) -> Self {
        let entries = listing.report(plan.allow_unverified).entries;
        let usable = entries.iter().enumerate().filter(|(_, entry)| entry.status == EntryStatus::Usable);
        let usable = usable.map(|(position, _)| position).collect();
        Self { site, listing, plan, usable }
    }

    /// Names and descriptions as the index gives them, in its order: level 1. Nothing is downloaded.
    pub fn skills(&self) -> impl Iterator<Item = (&Untrusted, &Untrusted)> {
        let entries = self.listing.index().entries();
        let usable = self.usable.iter().filter_map(|position| entries.get(*position));
        usable.filter_map(|entry| entry.name().zip(entry.description()))
    }

    /// The list for a system prompt, as [`Catalog::prompt`] makes it with [`Presentation::OnDemand`].
    #[must_use]
    pub fn prompt(&self) -> String {
        let mut block = opening(Presentation::OnDemand);
        for (name, description) in self.skills() {
            entry(&mut block, name, description, None);
        }
        block.push_str(CLOSING);
        block
    }

    /// The body of a skill: level 2. Installs it first.
    ///
    /// # Errors
    /// `usage` with the names that are known; why it cannot be installed ([`Site::install`]); those of [`Catalog::load`].
    pub fn load(&self, name: &str) -> Result<Loaded> {
        self.installed(name)?.load(name)
    }

    /// One file of a skill: level 3. Installs the skill first.
    ///
    /// # Errors
    /// As [`load`](Self::load); those of [`Catalog::resource`].
    pub fn resource(&self, name: &str, path: &str) -> Result<Vec<u8>> {
        self.installed(name)?.resource(name, path)
    }

    /// The catalog of the plan's directory, with this skill in it.
    fn installed(&self, name: &str) -> Result<Catalog> {
        if !self.skills().any(|(known, _)| known.as_raw() == name) {
            return Err(self.unknown(name));
        }
        let mut plan = self.plan.clone();
        (plan.names, plan.all) = (vec![name.to_owned()], false);
        let report = self.site.install(&self.listing, &plan);
        let own = report.skills.into_iter().find_map(|skill| skill.error);
        match own.or(report.error) {
            Some(error) => Err(error),
            None => Catalog::open(&plan.directory),
        }
    }

    fn unknown(&self, name: &str) -> Error {
        let known = listed("it offers", self.skills().map(|(name, _)| name));
        let shown = escape(name.as_bytes());
        Error::with(Code::Usage, format!("the index offers no skill `{shown}` that can be used; {known}"))
            .hint("name one of the skills that are offered")
    }
}
