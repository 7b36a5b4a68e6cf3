//! One entry of an index, judged alone: what it offers, or why it cannot be used.

use super::agent_skills::Version;
use super::json::Piece;
use crate::digest::Digest;
use crate::error::{Code, Error, Result};
use crate::escape::{Untrusted, escape};
use crate::fetch::Url;
use crate::layout::is_valid_name;
use crate::policy::SafePath;
use crate::report::Finding;

/// Longest description, in characters ("Index Format").
const MOST_DESCRIPTION: usize = 1024;
/// Most files of one entry of version 0.1.0.
const MOST_FILES: usize = 1000;

/// An entry of an index.
#[derive(Debug, Clone)]
pub struct Entry {
    pub(super) position: usize,
    pub(super) line: usize,
    pub(super) name: Option<Untrusted>,
    pub(super) kind: Option<Untrusted>,
    pub(super) description: Option<Untrusted>,
    pub(super) reference: Option<Untrusted>,
    pub(super) section: Option<Section>,
    pub(super) findings: Vec<Finding>,
    pub(super) outcome: Outcome,
}

/// The section of skills.txt that an entry stands in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Section {
    pub(crate) title: Untrusted,
    /// It may be passed over where there is little room.
    pub(crate) optional: bool,
}

/// What comes of an entry.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Outcome {
    /// A client can use it.
    Usable(Offer),
    /// Its type is unknown: passed over, as the specification wants.
    Skipped(Error),
    /// It is not well-formed, or its name is there twice.
    Refused(Error),
}

/// What an entry offers.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Offer {
    /// A `.tar.gz` or `.zip` with the whole directory.
    Archive {
        /// Where it is.
        url: Url,
        /// The digest of the file.
        digest: Digest,
    },
    /// SKILL.md alone.
    SkillMd {
        /// Where it is.
        url: Url,
        /// The digest of the file.
        digest: Digest,
    },
    /// Version 0.1.0, and SKILL.md of Web Skills: single files, without a digest.
    Files(Vec<RemoteFile>),
    /// Web Skills: an archive without a digest.
    UnprovenArchive {
        /// Where it is.
        url: Url,
    },
}

impl Offer {
    /// Whether there is no digest to hold it against.
    pub(crate) fn is_unproven(&self) -> bool {
        matches!(self, Self::Files(_) | Self::UnprovenArchive { .. })
    }
}

/// A file of an entry of version 0.1.0.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RemoteFile {
    /// Its path in the skill: clean components, separated by `/`.
    pub path: String,
    /// Where it is.
    pub url: Url,
}

impl Entry {
    /// Its place in the list, counted from 0.
    #[must_use]
    pub fn position(&self) -> usize {
        self.position
    }

    /// The line of the index on which it begins, counted from 1.
    #[must_use]
    pub fn line(&self) -> usize {
        self.line
    }

    /// Its name, if that is a string.
    #[must_use]
    pub fn name(&self) -> Option<&Untrusted> {
        self.name.as_ref()
    }

    /// Its type, if that is a string.
    #[must_use]
    pub fn kind(&self) -> Option<&Untrusted> {
        self.kind.as_ref()
    }

    /// Its description, if that is a string.
    #[must_use]
    pub fn description(&self) -> Option<&Untrusted> {
        self.description.as_ref()
    }

    /// Its `url`, as it stands in the index, if that is a string.
    #[must_use]
    pub fn reference(&self) -> Option<&Untrusted> {
        self.reference.as_ref()
    }

    /// The section of skills.txt that it stands in.
    pub(crate) fn section(&self) -> Option<&Section> {
        self.section.as_ref()
    }

    /// Worth saying about it, and no reason to refuse it.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// What comes of it.
    #[must_use]
    pub fn outcome(&self) -> &Outcome {
        &self.outcome
    }

    /// What it offers, if it can be used.
    ///
    /// # Errors
    /// Why it was refused or passed over.
    pub fn offer(&self) -> Result<&Offer, &Error> {
        match &self.outcome {
            Outcome::Usable(offer) => Ok(offer),
            Outcome::Skipped(error) | Outcome::Refused(error) => Err(error),
        }
    }

    pub(super) fn is_skipped(&self) -> bool {
        matches!(self.outcome, Outcome::Skipped(_))
    }

    /// Judges the element at `position` of the list.
    pub(super) fn read(position: usize, piece: Piece<'_>, version: Version, base: &Url) -> Self {
        let mut entry = Self {
            position,
            line: piece.line(),
            name: None,
            kind: None,
            description: None,
            reference: None,
            section: None,
            findings: Vec::new(),
            outcome: Outcome::Usable(Offer::Files(Vec::new())),
        };
        let reader = Reader { position, line: entry.line, members: piece.members() };
        entry.name = reader.peek("name");
        entry.kind = reader.peek("type");
        entry.description = reader.peek("description");
        entry.reference = reader.peek("url");
        let offer = match (&reader.members, version) {
            (None, _) => Err(reader.invalid(format!("it is {}, not an object", piece.kind()))),
            (Some(_), Version::V0_1_0) => reader.files(base),
            (Some(_), Version::V0_2_0) => match entry.unknown_type(&reader) {
                Some(error) => {
                    entry.findings.push(Finding::new(Code::IndexTypeUnknown, None, error.detail()));
                    entry.outcome = Outcome::Skipped(error);
                    return entry;
                }
                None => reader.artifact(base),
            },
        };
        if let Some(description) = &entry.description {
            let length = description.as_raw().chars().count();
            if length > MOST_DESCRIPTION {
                let text =
                    format!("the description has {length} characters, the specification allows {MOST_DESCRIPTION}");
                entry.findings.push(Finding::new(Code::SkillDescriptionLong, None, text));
            }
        }
        entry.outcome = offer.map_or_else(Outcome::Refused, Outcome::Usable);
        entry
    }

    fn unknown_type(&self, reader: &Reader<'_>) -> Option<Error> {
        let kind = self.kind.as_ref()?;
        if matches!(kind.as_raw(), "archive" | "skill-md") {
            return None;
        }
        let detail = format!("{}: the type `{kind}` is unknown; the entry is skipped", reader.place("type"));
        Some(Error::with(Code::IndexTypeUnknown, detail))
    }
}

/// The members of one entry.
struct Reader<'t> {
    position: usize,
    line: usize,
    members: Option<Vec<(String, Piece<'t>)>>,
}

impl<'t> Reader<'t> {
    fn get(&self, name: &str) -> Option<Piece<'t>> {
        self.members.iter().flatten().find(|(found, _)| found == name).map(|(_, piece)| *piece)
    }

    fn peek(&self, name: &str) -> Option<Untrusted> {
        self.get(name).and_then(Piece::text).map(Untrusted::new)
    }

    /// Where a member is, or would be.
    fn place(&self, name: &str) -> String {
        let line = self.get(name).map_or(self.line, Piece::line);
        format!("line {line}, $.skills[{}].{name}", self.position)
    }

    fn invalid(&self, why: impl std::fmt::Display) -> Error {
        let detail = format!("line {}, $.skills[{}]: {why}", self.line, self.position);
        Error::with(Code::IndexEntryInvalid, detail)
    }

    fn wrong(&self, name: &str, why: impl std::fmt::Display) -> Error {
        Error::with(Code::IndexEntryInvalid, format!("{}: {why}", self.place(name)))
    }

    /// The text of a required member.
    fn text(&self, name: &str) -> Result<String> {
        let Some(piece) = self.get(name) else { return Err(self.missing(name)) };
        let text = piece.text().ok_or_else(|| self.wrong(name, format!("it is {}, not a string", piece.kind())))?;
        if text.trim().is_empty() { Err(self.wrong(name, "it is empty")) } else { Ok(text) }
    }

    /// Says what stands there in its place, where that has been seen in the wild.
    fn missing(&self, name: &str) -> Error {
        let instead = match name {
            "digest" => ["sha256", "sha-256", "hash", "checksum", "integrity"].as_slice(),
            "url" => &["path", "href", "file", "files", "package"],
            "type" => &["kind", "format"],
            "description" => &["summary", "desc"],
            _ => &["id", "title"],
        };
        let Some(instead) = instead.iter().find(|other| self.get(other).is_some()) else {
            return self.wrong(name, "it is missing");
        };
        let error = self.wrong(name, format!("it is missing; `{instead}` is not a member of this format"));
        match (name, *instead) {
            ("digest", "sha256" | "sha-256" | "hash" | "checksum") => {
                error.hint("publisher: write \"digest\": \"sha256:\" and the 64 lower-case hex digits")
            }
            ("url", "files" | "package") => error.hint(
                "publisher: this is the form of another draft; version 0.2.0 wants one url and one digest for each skill",
            ),
            _ => error,
        }
    }

    fn name(&self) -> Result<String> {
        let name = self.text("name")?;
        if is_valid_name(&name) {
            return Ok(name);
        }
        let shown = escape(name.as_bytes());
        let detail = format!("{}: `{shown}` is not 1-64 of a-z, 0-9 and single inner hyphens", self.place("name"));
        Err(Error::with(Code::SkillNameForm, detail))
    }

    fn url(&self, base: &Url) -> Result<Url> {
        let reference = self.text("url")?;
        base.join(&reference).map_err(|error| {
            Error::with(error.code(), format!("{}: {}", self.place("url"), error.detail())).hint(error.help())
        })
    }

    fn digest(&self) -> Result<Digest> {
        let text = self.text("digest")?;
        text.parse().map_err(|error| {
            // Not `digest-syntax`: that is the fault of whoever calls, this one is the site's.
            self.wrong("digest", error)
                .hint("publisher: write \"sha256:\" and the 64 lower-case hex digits of the file as it is served")
        })
    }

    /// Version 0.2.0.
    fn artifact(&self, base: &Url) -> Result<Offer> {
        self.name()?;
        let kind = self.text("type")?;
        self.text("description")?;
        let (url, digest) = (self.url(base)?, self.digest()?);
        Ok(if kind == "archive" { Offer::Archive { url, digest } } else { Offer::SkillMd { url, digest } })
    }

    /// Version 0.1.0: `files` lie below the directory of the index, in one that is called like the skill.
    fn files(&self, base: &Url) -> Result<Offer> {
        let name = self.name()?;
        self.text("description")?;
        let Some(piece) = self.get("files") else {
            if self.get("url").is_some() || self.get("digest").is_some() || self.get("type").is_some() {
                let error = self.wrong("files", "it is missing; the entry has members of version 0.2.0");
                return Err(error.hint(
                    "publisher: the index lacks \"$schema\": \"https://schemas.agentskills.io/discovery/0.2.0/schema.json\"; without it this is version 0.1.0",
                ));
            }
            return Err(self.wrong("files", "it is missing"));
        };
        let files =
            piece.elements().ok_or_else(|| self.wrong("files", format!("it is {}, not an array", piece.kind())))?;
        if files.len() > MOST_FILES {
            return Err(self.wrong("files", format!("it has {} elements, the limit is {MOST_FILES}", files.len())));
        }
        let mut offered: Vec<RemoteFile> = Vec::with_capacity(files.len());
        for (index, file) in files.into_iter().enumerate() {
            let place = format!("line {}, $.skills[{}].files[{index}]", file.line(), self.position);
            let wrong = |why: String| Error::with(Code::IndexEntryInvalid, format!("{place}: {why}"));
            let Some(path) = file.text() else {
                let error = wrong(format!("it is {}, not a string", file.kind()));
                return Err(error.hint(
                    "publisher: lists of paths with digests are a draft that was never released; version 0.2.0 has one url and one digest for each skill",
                ));
            };
            let shown = escape(path.as_bytes());
            if !path.bytes().all(|byte| matches!(byte, b' '..=b'~') && !b"\\?#[]".contains(&byte)) {
                return Err(wrong(format!("`{shown}` has characters that version 0.1.0 does not allow")));
            }
            let safe = SafePath::parse(&path)
                .map_err(|error| wrong(format!("`{shown}` breaks the rule {}: {}", error.code(), error.detail())))?;
            if offered.iter().any(|other| other.path == path) {
                return Err(wrong(format!("`{shown}` is there twice")));
            }
            let url = base.join(&format!("{name}/{}", safe.as_str().replace('%', "%25")))?;
            offered.push(RemoteFile { path: safe.into_string(), url });
        }
        if !offered.iter().any(|file| file.path == "SKILL.md") {
            return Err(self.wrong("files", "SKILL.md is not among them"));
        }
        Ok(Offer::Files(offered))
    }
}
