//! One offer of an index, downloaded and verified: an archive, or files that come alone.

use super::Site;
use super::index::{Listing, no_digest};
use super::robots::Polite;
use crate::artifact::VerifiedArtifact;
use crate::confine::Directory;
use crate::digest::Digest;
use crate::discovery::{Entry, Offer, RemoteFile, WebSkills};
use crate::error::{Code, Error, Result};
use crate::fetch::{self, Download, Fetch, Rules, Url};
use crate::limits::Limits;
use crate::pipeline::{Failure, Loose, Options, Skill};
use crate::report::{DownloadReport, Report};

/// What was downloaded.
pub(super) struct Fetched {
    content: Content,
}

enum Content {
    Archive(Box<VerifiedArtifact>),
    Loose(Loose),
}

impl Site<'_> {
    /// Downloads what an entry offers and runs every check that an install would run; nothing is written.
    ///
    /// # Errors
    /// Why there is nothing to check: the entry cannot be used, the download failed, its digest did not match. What is wrong with
    /// the artifact itself is in [`Report::error`].
    pub fn check(&self, listing: &Listing, entry: &Entry, options: &Options, allow_unverified: bool) -> Result<Report> {
        self.check_and_tell(listing, entry, options, allow_unverified, &mut None)
    }

    /// As [`check`](Self::check); how the artifact was sent is told also where it is not what was promised.
    pub(super) fn check_and_tell(
        &self,
        listing: &Listing,
        entry: &Entry,
        options: &Options,
        allow_unverified: bool,
        sent: &mut Option<DownloadReport>,
    ) -> Result<Report> {
        let fetched = self.fetch(listing, entry, &options.limits, allow_unverified, sent)?;
        let name = entry.name().map(crate::escape::Untrusted::as_raw).unwrap_or_default();
        Ok(fetched.check(&options.clone().web(is_web(entry)).expect_name(name).cancel(&self.cancel)))
    }

    /// Downloads what an entry offers. Nothing is looked at before its digest has matched.
    pub(super) fn fetch(
        &self,
        listing: &Listing,
        entry: &Entry,
        limits: &Limits,
        allow_unverified: bool,
        sent: &mut Option<DownloadReport>,
    ) -> Result<Fetched> {
        let rules = listing.rules();
        let polite = listing.robots.as_ref().map(|memory| Polite::new(self.fetch, memory));
        let through = polite.as_ref().map_or(self.fetch, |polite| polite as &dyn Fetch);
        let capped = capped(entry, limits);
        let limits = capped.as_ref().unwrap_or(limits);
        match entry.offer().map_err(Clone::clone)? {
            Offer::Archive { url, digest } => {
                let archive = self.verified(through, url, digest, rules, limits, sent)?;
                Ok(Fetched { content: Content::Archive(Box::new(archive)) })
            }
            Offer::SkillMd { url, digest } => {
                let file = self.verified(through, url, digest, rules, limits, sent)?;
                Ok(Fetched { content: Content::Loose(Loose::skill_md(file)) })
            }
            offer if offer.is_unproven() && !allow_unverified => Err(no_digest(entry)),
            Offer::Files(files) => {
                let files = self.unverified(through, files, rules, limits)?;
                let loose = Loose::files(files, listing.url().as_str());
                Ok(Fetched { content: Content::Loose(loose) })
            }
            Offer::UnprovenArchive { url } => {
                let (artifact, answer) = Download::new(url).artifact(through, rules, limits, &self.cancel)?;
                answer.check_page()?;
                check_coding(url, &answer)?;
                *sent = artifact.download().cloned();
                Ok(Fetched { content: Content::Archive(Box::new(artifact.trust_without_digest())) })
            }
        }
    }

    fn verified(
        &self,
        fetch: &dyn Fetch,
        url: &Url,
        digest: &Digest,
        rules: &Rules,
        limits: &Limits,
        sent: &mut Option<DownloadReport>,
    ) -> Result<VerifiedArtifact> {
        if let Some(cached) = self.cache.as_ref().and_then(|cache| cache.get_for(url, digest, limits)) {
            return Ok(cached);
        }
        let (artifact, fetched) = Download::new(url).artifact(fetch, rules, limits, &self.cancel)?;
        *sent = artifact.download().cloned();
        let verified = fetched.verify(artifact, digest)?;
        if let Some(cache) = &self.cache {
            // Without it the next run downloads again.
            let _ = cache.put(&verified);
        }
        Ok(verified)
    }

    /// Version 0.1.0: together within the limit for one archive.
    fn unverified(
        &self,
        fetch: &dyn Fetch,
        files: &[RemoteFile],
        rules: &Rules,
        limits: &Limits,
    ) -> Result<Vec<(String, VerifiedArtifact)>> {
        let mut rest = limits.clone();
        let mut fetched = Vec::with_capacity(files.len());
        for RemoteFile { path, url } in files {
            let (artifact, answer) = Download::new(url).artifact(fetch, rules, &rest, &self.cancel)?;
            answer.check_page().or_else(|error| if is_page(path) { Ok(()) } else { Err(error) })?;
            check_coding(url, &answer)?;
            rest.archive = rest.archive.saturating_sub(artifact.len());
            fetched.push((path.clone(), artifact.trust_without_digest()));
        }
        Ok(fetched)
    }
}

/// Without a digest nobody could tell what was encoded on the way.
fn check_coding(url: &Url, answer: &fetch::Fetched) -> Result<()> {
    let Some(coding) = answer.content_encoding() else { return Ok(()) };
    let coding = crate::escape::escape(coding.as_bytes());
    let detail = format!("`{url}` came with Content-Encoding `{coding}`, which was not asked for");
    Err(Error::with(Code::ContentEncoding, detail))
}

/// Web Skills 0.1 bounds a SKILL.md that it points to, narrower than any archive.
fn capped(entry: &Entry, limits: &Limits) -> Option<Limits> {
    let is_archive = matches!(entry.offer(), Ok(Offer::Archive { .. } | Offer::UnprovenArchive { .. }));
    if is_archive || !is_web(entry) {
        return None;
    }
    let mut capped = limits.clone();
    capped.archive = capped.archive.min(WebSkills::MOST_SKILL_MD);
    Some(capped)
}

/// Whether it was listed by Web Skills, whose SKILL.md has keys of its own.
pub(super) fn is_web(entry: &Entry) -> bool {
    entry.section().is_some()
}

/// A file of a skill that may well be a web page.
fn is_page(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, extension)| matches!(extension, "html" | "htm" | "xhtml"))
}

impl Fetched {
    fn check(&self, options: &Options) -> Report {
        let report = match &self.content {
            Content::Archive(archive) => archive.check(options),
            Content::Loose(loose) => loose.check(options),
        };
        complete(report)
    }

    /// Extracts under a name in a directory.
    pub(super) fn extract_in(&self, parent: &Directory, name: &str, options: &Options) -> Result<Skill, Failure> {
        match &self.content {
            Content::Archive(archive) => archive.extract_in(parent.as_dir(), name, options),
            Content::Loose(loose) => loose.extract_in(parent, name, options),
        }
    }
}

/// What only the site knows of the artifact.
pub(super) fn complete(mut report: Report) -> Report {
    if report.artifact.expected.is_some() {
        report.artifact.digest_source = "index";
    }
    report
}
