//! What was found and done, as plain serialisable data: `skillx.index/1` and `skillx.install/1`.
//!
//! Names and texts in it are a stranger's: they are raw here, as in [`Report`].

use serde::Serialize;

use super::update::Update;
use crate::error::{Class, Error};
use crate::report::{Finding, Report, Tool, Verdict};

/// What a site publishes: `skillx.index/1`.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct IndexReport {
    /// Always `skillx.index/1`.
    pub schema: &'static str,
    /// Who wrote it.
    pub tool: Tool,
    /// Accepted if a client could use at least one entry.
    pub verdict: Verdict,
    /// The index, if there was one that could be read.
    pub index: Option<IndexSource>,
    /// Its entries, in the order in which they stand.
    pub entries: Vec<IndexEntry>,
    /// Worth saying about the index as a whole.
    pub findings: Vec<Finding>,
    /// Why there is no index, or nothing in it can be used.
    pub error: Option<Error>,
}

/// Where an index came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct IndexSource {
    /// The address that was asked for.
    pub requested: String,
    /// The address that the index came from: references are resolved against it.
    pub url: String,
    /// The redirects between the two, in order.
    pub redirects: Vec<String>,
    /// `0.2.0`, or `0.1.0` if it has no `$schema`; of another protocol what its document says, else the version that is
    /// known.
    pub version: String,
    /// `web-skills` or `skill-sharing`; absent for an index of agent skills.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protocol: Option<&'static str>,
    /// Its size.
    pub bytes: u64,
    /// The digest of its bytes.
    pub sha256: String,
    /// `no`, `fresh` (from the cache, the server was not asked) or `revalidated` (the server said that it is still good).
    pub cached: &'static str,
}

/// One entry of an index.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct IndexEntry {
    /// Its place in the list, counted from 0.
    pub position: usize,
    /// The line on which it begins, counted from 1.
    pub line: usize,
    /// Its name, if that is a string.
    pub name: Option<String>,
    /// Its type, if that is a string.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// Its description, if that is a string.
    pub description: Option<String>,
    /// The address of the artifact, resolved; as it stands in the index if it cannot be.
    pub url: Option<String>,
    /// The digest of the artifact, if it is well-formed.
    pub digest: Option<String>,
    /// How many files it has, in version 0.1.0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<usize>,
    /// The heading it stands under, in Web Skills.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub section: Option<String>,
    /// It stands under `Optional`, in Web Skills: it may be passed over where there is little room.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub optional: bool,
    /// What a client can do with it.
    pub status: EntryStatus,
    /// Worth saying about it.
    pub findings: Vec<Finding>,
    /// Why it cannot be used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Error>,
}

/// What a client can do with an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum EntryStatus {
    /// Nothing: its artifact could not be had. Only an audit says so.
    Failed,
    /// Nothing: it is malformed, or its address is not one that is fetched.
    Refused,
    /// Call it: it names a remote service, and there is nothing to install.
    Service,
    /// Nothing: its type is unknown, and the specification wants it passed over.
    Skipped,
    /// Use it without proof: version 0.1.0 has no digests.
    Unverified,
    /// Download, verify and use it.
    Usable,
}

/// What an install did: `skillx.install/1`.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct InstallReport {
    /// Always `skillx.install/1`.
    pub schema: &'static str,
    /// Who wrote it.
    pub tool: Tool,
    /// The answer for all skills together: a failure before a refusal.
    pub verdict: Verdict,
    /// The index, if there was one that could be read.
    pub index: Option<IndexSource>,
    /// The directory of skills.
    pub directory: String,
    /// The lock file, if there is one now.
    pub lock: Option<String>,
    /// Every skill that was to be installed, in the order of the index.
    pub skills: Vec<SkillOutcome>,
    /// Worth saying about the index as a whole.
    pub findings: Vec<Finding>,
    /// The worst that happened.
    pub error: Option<Error>,
}

/// What came of one skill.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct SkillOutcome {
    /// Its name; null for an entry without one.
    pub name: Option<String>,
    /// What was done.
    pub status: Status,
    /// Its type, as the index has it.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// The address of the artifact.
    pub url: Option<String>,
    /// The digest that the index promises.
    pub digest: Option<String>,
    /// Where it is installed.
    pub output: Option<String>,
    /// What an update changed.
    pub update: Option<Update>,
    /// What was seen and done with the artifact, if it was looked at: `skillx.report/1`.
    pub report: Option<Box<Report>>,
    /// Worth saying.
    pub findings: Vec<Finding>,
    /// Why it was not installed.
    pub error: Option<Error>,
}

/// What was done with a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Status {
    /// It could not be installed, for a reason of this machine, the network or the destination.
    Failed,
    /// It is new.
    Installed,
    /// The site is at fault.
    Refused,
    /// Its type is unknown.
    Skipped,
    /// It is there already, with this digest. Nothing was downloaded.
    Unchanged,
    /// Nothing was tried: another skill differs from the lock file.
    Untouched,
    /// It took the place of another version.
    Updated,
}

impl InstallReport {
    /// A report of a run that has not begun.
    #[must_use]
    pub fn begin(directory: &std::path::Path) -> Self {
        Self {
            schema: "skillx.install/1",
            tool: Tool::this(),
            verdict: Verdict::Accepted,
            index: None,
            directory: directory.to_string_lossy().into_owned(),
            lock: None,
            skills: Vec::new(),
            findings: Vec::new(),
            error: None,
        }
    }

    /// Records what decided the verdict.
    pub fn decide(&mut self, error: Error) {
        self.verdict = fault(Some(&error));
        self.error = Some(error);
    }

    /// The worst that happened to a skill decides, unless something else did.
    pub(super) fn settle(&mut self) {
        let rank = |error: &&Error| match error.class() {
            Class::Failed => 3,
            Class::Usage => 2,
            _ => 1,
        };
        let skills = self.skills.iter().filter(|skill| skill.status != Status::Skipped);
        // The first of the worst: `max_by_key` would give the last.
        let worst = skills.filter_map(|skill| skill.error.as_ref()).rev().max_by_key(rank).cloned();
        if let (None, Some(worst)) = (&self.error, worst) {
            self.decide(worst);
        }
    }
}

impl IndexReport {
    /// Records what decided the verdict.
    pub fn decide(&mut self, error: Error) {
        self.verdict = fault(Some(&error));
        self.error = Some(error);
    }

    /// A report of an index that could not be read.
    #[must_use]
    pub fn failed(error: Error) -> Self {
        Self {
            schema: "skillx.index/1",
            tool: Tool::this(),
            verdict: fault(Some(&error)),
            index: None,
            entries: Vec::new(),
            findings: Vec::new(),
            error: Some(error),
        }
    }
}

/// The verdict for an error, or for none.
pub(super) fn fault(error: Option<&Error>) -> Verdict {
    match error.map(Error::class) {
        None => Verdict::Accepted,
        Some(Class::Refused) => Verdict::Refused,
        Some(_) => Verdict::Failed,
    }
}
