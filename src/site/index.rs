//! The index of a site: downloaded or from the cache, read, and described.

use std::time::SystemTime;

use super::Site;
use super::index_cache::{IndexCache, Kept};
use super::neighbours::{Protocol, is_absent};
use super::report::{EntryStatus, IndexEntry, IndexReport, IndexSource, fault};
use super::robots::RobotsMemory;
use crate::artifact::Artifact;
use crate::digest::Digest;
use crate::discovery::{AgentSkills, Descriptor, Entry, Offer, Outcome, Version};
use crate::error::{Code, Error, Result};
use crate::escape::{Untrusted, escape};
use crate::fetch::{Download, Rules, Url};
use crate::report::{Finding, Tool};

/// An index that was fetched and read.
#[derive(Debug, Clone)]
pub struct Listing {
    /// A neighbouring protocol; `None` for an index of agent skills.
    pub(super) protocol: Option<Protocol>,
    /// The version as the document tells it, where it does.
    pub(super) told: Option<String>,
    pub(super) requested: Url,
    pub(super) url: Url,
    pub(super) redirects: Vec<Url>,
    pub(super) bytes: u64,
    pub(super) sha256: String,
    pub(super) cached: &'static str,
    pub(super) index: AgentSkills,
    pub(super) findings: Vec<Finding>,
    pub(super) rules: Rules,
    /// What robots.txt of the origins say, where they are to be obeyed.
    pub(super) robots: Option<RobotsMemory>,
    /// The one service that it describes, where it is no index.
    pub(super) descriptor: Option<Descriptor>,
}

/// An index as it was received.
pub(super) struct Received {
    pub(super) url: Url,
    pub(super) redirects: Vec<Url>,
    pub(super) body: Vec<u8>,
    /// `no`, `fresh` or `revalidated`.
    pub(super) cached: &'static str,
}

impl Site<'_> {
    /// Fetches the index at an address that the user typed, and reads it. If there is none at the well-known place, the
    /// place of version 0.1.0 is tried.
    ///
    /// # Errors
    /// Those of [`Download::run`] and of [`AgentSkills::parse`].
    pub fn index(&self, address: &Url) -> Result<Listing> {
        self.index_or_old(address).map_err(|(error, _)| error)
    }

    /// As [`index`](Self::index); the second error is what was at the place of version 0.1.0, if that was tried.
    pub(super) fn index_or_old(&self, address: &Url) -> Result<Listing, (Error, Option<Error>)> {
        let alone = |error| (error, None);
        let rules = self.rules.clone().typed(address);
        let mut findings = Vec::new();
        let (requested, received) = match self.receive_index(address, &rules) {
            Err(error)
                if (error.code() == Code::HttpStatus || is_absent(&error))
                    && address.path() == AgentSkills::WELL_KNOWN =>
            {
                let old = address.join(AgentSkills::WELL_KNOWN_0_1_0).map_err(alone)?;
                let received = match self.receive_index(&old, &rules) {
                    Ok(received) => received,
                    Err(second) => return Err((error, Some(second))),
                };
                let text = format!("there is nothing at `{address}`; the index is where version 0.1.0 had it");
                findings.push(Finding::new(Code::IndexSchemaMissing, None, text));
                (old, received)
            }
            received => (address.clone(), received.map_err(alone)?),
        };
        let index = AgentSkills::parse(&received.body, &received.url).map_err(alone)?;
        findings.extend(index.findings().iter().cloned());
        Ok(Listing {
            protocol: None,
            told: None,
            requested,
            bytes: received.body.len() as u64,
            sha256: Artifact::from_bytes(received.body).digest().to_string(),
            redirects: received.redirects,
            cached: received.cached,
            // What a redirect led to may not lead back to the loopback address that was typed.
            rules: rules.named_by(&received.url),
            url: received.url,
            index,
            findings,
            robots: None,
            descriptor: None,
        })
    }

    fn receive_index(&self, address: &Url, rules: &Rules) -> Result<Received> {
        let cache = self.cache.as_ref().and_then(|cache| IndexCache::open(cache.directory()));
        let kept = cache.as_ref().and_then(|cache| cache.get(address)).filter(|kept| kept.is_allowed(rules));
        let now = SystemTime::now();
        let mut download =
            Download::new(address).accept("application/json").most(AgentSkills::MOST_BYTES, Code::IndexInvalid);
        if let Some(kept) = &kept {
            if kept.is_fresh(now) {
                return Ok(kept.received("fresh"));
            }
            if let Some(etag) = kept.etag() {
                download = download.if_none_match(etag);
            } else if let Some(date) = kept.last_modified() {
                download = download.if_modified_since(date);
            }
        }
        let mut body = Vec::new();
        let fetched = download.run(self.fetch, rules, &self.cancel, &mut body)?;
        if fetched.not_modified() {
            let Some(kept) = kept else {
                return Err(Error::with(Code::HttpStatus, format!("the server answered 304 for `{address}` unasked")));
            };
            let kept = kept.revalidated(&fetched, now);
            if let Some(cache) = &cache {
                cache.put(address, &kept);
            }
            return Ok(kept.received("revalidated"));
        }
        fetched.check_page()?;
        if let Some(coding) = fetched.content_encoding() {
            let coding = escape(coding.as_bytes());
            let detail = format!("`{address}` came with Content-Encoding `{coding}`, which was not asked for");
            return Err(Error::with(Code::ContentEncoding, detail));
        }
        let kept = Kept::new(&fetched, body, now);
        if let Some(cache) = &cache {
            if kept.is_storable() { cache.put(address, &kept) } else { cache.remove(address) }
        }
        Ok(kept.received("no"))
    }
}

impl Listing {
    /// What was read.
    #[must_use]
    pub fn index(&self) -> &AgentSkills {
        &self.index
    }

    /// The address that was asked for.
    #[must_use]
    pub fn requested(&self) -> &Url {
        &self.requested
    }

    /// The address that the index came from: the base for references in it.
    #[must_use]
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// The protocol that answered.
    #[must_use]
    pub fn protocol(&self) -> Protocol {
        self.protocol.unwrap_or(match self.index.version() {
            Version::V0_1_0 => Protocol::AgentSkills010,
            Version::V0_2_0 => Protocol::AgentSkills,
        })
    }

    /// Gives an entry that has no digest the one that the user knows: then it is verified like any other.
    ///
    /// # Errors
    /// `no-artifact` if there is no such entry, `usage` if it has a digest of its own; why it cannot be used.
    pub fn promise(&mut self, name: &str, digest: Digest) -> Result<()> {
        self.index.promise(name, digest)
    }

    /// Whether it is plain that this is skill sharing, though nobody said so: an index of it, or a descriptor with a type of
    /// capability.
    pub(super) fn is_plainly_shared(&self) -> bool {
        self.descriptor.as_ref().is_none_or(|descriptor| descriptor.capability_type().is_some())
    }

    /// The rules that hold for what this index names.
    #[must_use]
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// What the index is, for reports.
    #[must_use]
    pub fn source(&self) -> IndexSource {
        IndexSource {
            requested: self.requested.as_str().to_owned(),
            url: self.url.as_str().to_owned(),
            redirects: self.redirects.iter().map(|url| url.as_str().to_owned()).collect(),
            version: match (&self.told, self.protocol) {
                (Some(told), _) => told.clone(),
                (None, Some(Protocol::SkillSharing)) => "1.0.0".to_owned(),
                (None, Some(_)) => "0.1".to_owned(),
                (None, None) => self.index.version().as_str().to_owned(),
            },
            protocol: self.protocol.map(Protocol::as_str),
            bytes: self.bytes,
            sha256: self.sha256.clone(),
            cached: self.cached,
        }
    }

    /// What the site publishes, entry by entry, and whether a client could use any of it. Entries of version 0.1.0 count only
    /// with `allow_unverified`.
    #[must_use]
    pub fn report(&self, allow_unverified: bool) -> IndexReport {
        let entries: Vec<_> = self.index.entries().iter().map(|entry| self.entry(entry, allow_unverified)).collect();
        let usable =
            entries.iter().filter(|entry| matches!(entry.status, EntryStatus::Usable | EntryStatus::Service)).count();
        let error = (usable == 0).then(|| {
            let detail = match entries.len() {
                0 => "the index is empty".to_owned(),
                1 => "the one entry of the index cannot be used".to_owned(),
                count => format!("none of the {count} entries of the index can be used"),
            };
            let error = Error::with(Code::NoArtifact, detail);
            let is_unverified = entries.iter().any(|entry| entry.status == EntryStatus::Unverified);
            match (self.protocol, self.index.version()) {
                (Some(Protocol::SkillSharing), _) => error.hint(
                    "publisher: list skills that everybody may see; user: private ones are shown to those who send a token: SKILLX_TOKEN and --protocol skill-sharing",
                ),
                (Some(_), _) if is_unverified => error.hint(
                    "Web Skills has no digests; user: --digest for one skill, or --allow-unverified, which takes files without proof",
                ),
                (Some(_), _) => error.hint("publisher: correct the entries that are refused; each says why"),
                (None, Version::V0_1_0) => error.hint(
                    "publisher: publish version 0.2.0, with a digest for each skill; user: --allow-unverified takes files without a digest",
                ),
                (None, Version::V0_2_0) => error,
            }
        });
        let verdict = fault(error.as_ref());
        let findings = self.findings.clone();
        IndexReport {
            schema: "skillx.index/1",
            tool: Tool::this(),
            verdict,
            index: Some(self.source()),
            entries,
            findings,
            error,
        }
    }

    fn entry(&self, entry: &Entry, allow_unverified: bool) -> IndexEntry {
        let raw = |text: Option<&Untrusted>| text.map(|text| text.as_raw().to_owned());
        let mut findings = entry.findings().to_vec();
        let (mut url, mut digest, mut files) = (None, None, None);
        let (status, error) = match entry.outcome() {
            Outcome::Skipped(error) => (EntryStatus::Skipped, Some(error.clone())),
            Outcome::Refused(error)
                if self.protocol == Some(Protocol::SkillSharing) && error.code() == Code::NoArtifact =>
            {
                (EntryStatus::Service, None)
            }
            Outcome::Refused(error) => (EntryStatus::Refused, Some(error.clone())),
            Outcome::Usable(offer) => {
                let (status, error) = match self.check_offer(offer) {
                    Err(error) => (EntryStatus::Refused, Some(error)),
                    Ok(()) if !allow_unverified && offer.is_unproven() => {
                        (EntryStatus::Unverified, Some(no_digest(entry)))
                    }
                    Ok(()) => (EntryStatus::Usable, None),
                };
                match offer {
                    Offer::Archive { url: at, digest: promised } | Offer::SkillMd { url: at, digest: promised } => {
                        if at.host() != self.url.host() {
                            let host = escape(at.host().as_bytes()).to_string();
                            let text = format!("the artifact lies on another host: `{host}`");
                            findings.push(Finding::new(Code::IndexOtherHost, None, text));
                        }
                        url = Some(at.as_str().to_owned());
                        digest = Some(promised.to_string());
                    }
                    Offer::Files(list) => files = Some(list.len()),
                    Offer::UnprovenArchive { url: at } => url = Some(at.as_str().to_owned()),
                }
                (status, error)
            }
        };
        IndexEntry {
            position: entry.position(),
            line: entry.line(),
            name: raw(entry.name()),
            kind: raw(entry.kind()),
            description: raw(entry.description()),
            url: url.or_else(|| raw(entry.reference())),
            digest,
            files,
            section: raw(entry.section().map(|section| &section.title)),
            optional: entry.section().is_some_and(|section| section.optional),
            status,
            findings,
            error,
        }
    }

    /// Whether the rules let any of it be fetched.
    pub(super) fn check_offer(&self, offer: &Offer) -> Result<()> {
        match offer {
            Offer::Archive { url, .. } | Offer::SkillMd { url, .. } | Offer::UnprovenArchive { url } => {
                self.rules.check_url(url)
            }
            Offer::Files(files) => files.iter().try_for_each(|file| self.rules.check_url(&file.url)),
        }
    }
}

/// An entry of version 0.1.0 without `--allow-unverified`.
pub(super) fn no_digest(entry: &Entry) -> Error {
    let name = entry.name().map(ToString::to_string).unwrap_or_default();
    if entry.section().is_some() {
        return Error::with(Code::DigestMissing, format!("`{name}` comes without a digest: Web Skills has none")).hint(
            "user: --digest gives the one that you know, --allow-unverified takes the file as it is; nothing then proves what it is",
        );
    }
    Error::with(Code::DigestMissing, format!("`{name}` comes without a digest: version 0.1.0 of the index has none"))
        .hint("publisher: publish version 0.2.0; user: --allow-unverified takes the files as they are")
}
