//! From a site to verified skills: the index, downloads side by side, receipts, updates, the lock file.
//!
//! A conforming client of the Agent Skills Discovery RFC 0.2.0: `docs/conformance.md` has every duty with the test that
//! shows it.

mod address;
mod artifact;
mod audit;
mod index;
mod index_cache;
mod install;
mod lock;
mod neighbours;
mod remove;
mod report;
mod robots;
mod skill;
mod update;

pub use self::address::parse_address;
pub use self::audit::{AuditEntry, AuditReport};
pub use self::index::Listing;
pub use self::install::Plan;
pub use self::neighbours::Protocol;
pub use self::remove::{RemoveReport, remove};
pub use self::report::{EntryStatus, IndexEntry, IndexReport, IndexSource, InstallReport, SkillOutcome, Status};
pub use self::update::Update;
use crate::cancel::Cancel;
use crate::fetch::{Cache, Fetch, Rules};

/// A site, asked through an HTTP stack and under rules.
///
/// ```
/// use skillx_archive::{fetch::{Memory, Rules}, site::{Site, parse_address}};
/// let mut web = Memory::default();
/// let index = br#"{ "$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json", "skills": [] }"#;
/// web.page("https://example.com/.well-known/agent-skills/index.json", 200, &[], index);
///
/// let site = Site::new(&web, Rules::default());
/// let listing = site.index(&parse_address("example.com")?)?;
/// assert!(listing.index().entries().is_empty());
/// assert_eq!(listing.report(false).error.unwrap().code(), "no-artifact");
/// # Ok::<(), skillx_archive::Error>(())
/// ```
#[derive(Clone)]
pub struct Site<'f> {
    fetch: &'f dyn Fetch,
    rules: Rules,
    cancel: Cancel,
    cache: Option<Cache>,
}

impl<'f> Site<'f> {
    /// Through this HTTP stack, under these rules. The address that is asked for counts as typed by the user: see
    /// [`Rules::typed`].
    #[must_use]
    pub fn new(fetch: &'f dyn Fetch, rules: Rules) -> Self {
        Self { fetch, rules, cancel: Cancel::new(), cache: None }
    }

    /// A flag by which another thread stops what is under way.
    #[must_use]
    pub fn cancel(mut self, cancel: &Cancel) -> Self {
        self.cancel = cancel.clone();
        self
    }

    /// The cache: artifacts by digest, indexes as their servers allow (RFC 9111). **Default: none.**
    #[must_use]
    pub fn cache(mut self, cache: &Cache) -> Self {
        self.cache = Some(cache.clone());
        self
    }
}

impl std::fmt::Debug for Site<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Site").field("rules", &self.rules).field("cache", &self.cache).finish_non_exhaustive()
    }
}
