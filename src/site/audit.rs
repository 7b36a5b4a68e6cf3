//! A site as a client finds it: the index and every artifact, fetched and judged, nothing installed: `skillx.audit/1`.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use serde::Serialize;

use super::Site;
use super::index::Listing;
use super::report::{EntryStatus, IndexEntry, IndexReport, IndexSource, fault};
use crate::discovery::Entry;
use crate::error::{Class, Code, Error};
use crate::pipeline::Options;
use crate::report::{DownloadReport, Finding, Report, SkillReport, Tool, Totals, Verdict};

/// What a conforming client gets from a site: `skillx.audit/1`.
///
/// Names and texts in it are a stranger's: they are raw here, as in [`Report`].
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct AuditReport {
    /// Always `skillx.audit/1`.
    pub schema: &'static str,
    /// Who wrote it.
    pub tool: Tool,
    /// Accepted if every entry that is not passed over can be used, and there is one.
    pub verdict: Verdict,
    /// The index, if there was one that could be read.
    pub index: Option<IndexSource>,
    /// Its entries, in the order in which they stand.
    pub entries: Vec<AuditEntry>,
    /// Worth saying about the index as a whole.
    pub findings: Vec<Finding>,
    /// Why there is no index, or which entry cannot be used.
    pub error: Option<Error>,
}

/// One entry, and what came of its artifact.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct AuditEntry {
    /// The entry as it stands in the index. Its status is that of the artifact: `usable` only if every check passed.
    #[serde(flatten)]
    pub entry: IndexEntry,
    /// The digest that the artifact turned out to have.
    pub sha256: Option<String>,
    /// Its size.
    pub bytes: Option<u64>,
    /// `tar.gz`, `zip` or `skill-md`, once known.
    pub format: Option<&'static str>,
    /// How it was downloaded: status, redirects, types.
    pub download: Option<DownloadReport>,
    /// What SKILL.md says of itself.
    pub skill: Option<SkillReport>,
    /// Sums over what would be written.
    pub totals: Option<Totals>,
    /// Every refusal met, at most 100.
    pub refusals: Vec<Error>,
}

impl Site<'_> {
    /// Fetches what every entry of an index offers and runs every check that an install would run, `jobs` at a time. Nothing
    /// is written, and nothing is taken from a cache: what is reported is what the servers send now.
    #[must_use]
    pub fn audit(
        &self,
        listing: &Listing,
        options: &Options,
        allow_unverified: bool,
        jobs: NonZeroUsize,
    ) -> AuditReport {
        let site = Self { cache: None, ..self.clone() };
        let IndexReport { entries: described, findings, .. } = listing.report(allow_unverified);
        let work: Vec<_> = listing.index().entries().iter().zip(described).collect();
        let next = AtomicUsize::new(0);
        let done = Mutex::new(Vec::with_capacity(work.len()));
        let judge = || {
            loop {
                let position = next.fetch_add(1, Ordering::Relaxed);
                let Some((entry, described)) = work.get(position) else { return };
                let judged = site.judge(listing, entry, described.clone(), options, allow_unverified);
                done.lock().unwrap_or_else(PoisonError::into_inner).push((position, judged));
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..jobs.get().min(work.len()).max(1) {
                // Without a thread to be had, this one does the work.
                let _ = std::thread::Builder::new().spawn_scoped(scope, judge);
            }
            judge();
        });
        let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
        done.sort_by_key(|(position, _)| *position);
        let entries: Vec<_> = done.into_iter().map(|(_, entry)| entry).collect();
        let error = verdict_on(&entries);
        AuditReport {
            schema: "skillx.audit/1",
            tool: Tool::this(),
            verdict: fault(error.as_ref()),
            index: Some(listing.source()),
            entries,
            findings,
            error,
        }
    }

    fn judge(
        &self,
        listing: &Listing,
        entry: &Entry,
        described: IndexEntry,
        options: &Options,
        allow_unverified: bool,
    ) -> AuditEntry {
        let mut judged = AuditEntry {
            entry: described,
            sha256: None,
            bytes: None,
            format: None,
            download: None,
            skill: None,
            totals: None,
            refusals: Vec::new(),
        };
        if judged.entry.status != EntryStatus::Usable {
            return judged;
        }
        match self.check_and_tell(listing, entry, options, allow_unverified, &mut judged.download) {
            Ok(report) => judged.take(report),
            Err(error) => judged.fail(error),
        }
        judged
    }
}

impl AuditEntry {
    fn take(&mut self, report: Report) {
        self.sha256 = report.artifact.sha256;
        self.bytes = report.artifact.bytes;
        self.format = report.artifact.format;
        self.download = report.artifact.download;
        self.skill = report.skill;
        self.totals = Some(report.totals);
        self.entry.findings.extend(report.findings);
        self.entry.findings.extend(self.odd_type());
        self.refusals = report.refusals;
        if let Some(error) = report.error {
            self.fail(error);
        }
    }

    fn fail(&mut self, error: Error) {
        self.entry.status = match error.class() {
            Class::Refused | Class::Finding => EntryStatus::Refused,
            _ => EntryStatus::Failed,
        };
        self.entry.error = Some(error);
    }

    /// The types that the RFC wants ("HTTP Considerations"). Clients that go by them fall back on the extension.
    fn odd_type(&self) -> Option<Finding> {
        let wanted: &[&str] = match self.format? {
            "tar.gz" => &["application/gzip"],
            "zip" => &["application/zip"],
            "skill-md" => &["text/markdown", "text/plain"],
            _ => return None,
        };
        let sent = self.download.as_ref()?.content_type.as_deref();
        let essence = sent.and_then(|sent| sent.split(';').next()).unwrap_or_default().trim();
        if wanted.iter().any(|wanted| essence.eq_ignore_ascii_case(wanted)) {
            return None;
        }
        let shown = match sent {
            Some(sent) => format!("as `{}`", crate::escape::escape(sent.as_bytes())),
            None => "without a Content-Type".to_owned(),
        };
        let text = format!("it is served {shown}; the specification wants {}", wanted.join(" or "));
        Some(Finding::new(Code::ContentTypeOdd, None, text))
    }
}

impl AuditReport {
    /// A report of a site whose index could not be read.
    #[must_use]
    pub fn failed(error: Error) -> Self {
        Self {
            schema: "skillx.audit/1",
            tool: Tool::this(),
            verdict: fault(Some(&error)),
            index: None,
            entries: Vec::new(),
            findings: Vec::new(),
            error: Some(error),
        }
    }
}

/// What is wrong with the site as a whole. That a server does not answer for an artifact is the site's fault here: a client gets
/// nothing from it. That this machine or the caller ended the run is not.
fn verdict_on(entries: &[AuditEntry]) -> Option<Error> {
    let faults = || entries.iter().filter(|entry| entry.entry.status != EntryStatus::Skipped);
    let own = |error: &&Error| matches!(error.code(), Code::Cancelled | Code::Io | Code::DiskFull | Code::Internal);
    let errors = || faults().filter_map(|entry| entry.entry.error.as_ref());
    if let Some(error) = errors().find(own) {
        return Some(error.clone());
    }
    let usable = entries.iter().filter(|entry| entry.entry.status == EntryStatus::Usable).count();
    let count = entries.len();
    if usable == 0 {
        let detail = match count {
            0 => "the index is empty".to_owned(),
            _ => format!("a client can use none of the {count} entries"),
        };
        return Some(Error::with(Code::NoArtifact, detail));
    }
    let bad = errors().count();
    let first = errors().next()?;
    let detail = format!("a client cannot use {bad} of the {count} entries; the first: [{}] {first}", first.code());
    Some(Error::with(Code::EntryUnusable, detail))
}
