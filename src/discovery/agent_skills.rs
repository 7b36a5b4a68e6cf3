//! The index of Agent Skills Discovery: version 0.2.0, and what is left of 0.1.0.

use std::collections::HashMap;

use super::entry::{Entry, Outcome};
use super::json;
use crate::digest::Digest;
use crate::error::{Code, Error, Result};
use crate::escape::{Untrusted, escape};
use crate::fetch::Url;
use crate::report::Finding;

/// `$schema` of version 0.2.0: a name, compared letter by letter and never fetched.
const SCHEMA_0_2_0: &str = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";

/// An index: its version, and its entries in the order in which they stand.
///
/// ```
/// use skillx_archive::{discovery::AgentSkills, fetch::Url};
/// let base: Url = "https://example.com/.well-known/agent-skills/index.json".parse()?;
/// let index = AgentSkills::parse(br#"{
///   "$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json",
///   "skills": [
///     { "name": "pdf", "type": "archive", "description": "Works with PDFs.", "url": "pdf.tar.gz", "digest": "sha256-x" },
///     { "name": "csv", "type": "task", "description": "Reads tables.", "url": "csv", "digest": "" }
///   ]
/// }"#, &base)?;
/// let codes: Vec<_> = index.entries().iter().map(|entry| entry.offer().unwrap_err().code()).collect();
/// assert_eq!(codes, ["index-entry-invalid", "index-type-unknown"]);
/// # Ok::<(), skillx_archive::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct AgentSkills {
    version: Version,
    entries: Vec<Entry>,
    findings: Vec<Finding>,
}

/// The version of an index, by its `$schema`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Version {
    /// No `$schema`: single files without digests.
    V0_1_0,
    /// `https://schemas.agentskills.io/discovery/0.2.0/schema.json`.
    V0_2_0,
}

impl Version {
    /// `0.1.0` or `0.2.0`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::V0_1_0 => "0.1.0",
            Self::V0_2_0 => "0.2.0",
        }
    }
}

impl AgentSkills {
    /// Where an index is, below the origin of a site (RFC 8615).
    pub const WELL_KNOWN: &str = "/.well-known/agent-skills/index.json";

    /// Where the index of version 0.1.0 was.
    pub const WELL_KNOWN_0_1_0: &str = "/.well-known/skills/index.json";

    /// Largest index, in bytes: 1 MiB.
    pub const MOST_BYTES: u64 = 1 << 20;

    /// Most entries of an index.
    pub const MOST_ENTRIES: usize = 1000;

    /// Reads an index. `base` is the address that it came from, after redirects: references in it are resolved against it
    /// (RFC 3986, section 5.1.3).
    ///
    /// Every entry is judged alone. Unknown members are ignored; entries of unknown type are skipped; a name that several
    /// entries have is refused for all of them.
    ///
    /// # Errors
    /// - `index-invalid`: not UTF-8, not JSON, a key twice at any depth, no list `skills`, too large;
    /// - `index-schema-unknown`: a `$schema` that is not known, with its text;
    /// - `html-page`: a web page in its place.
    pub fn parse(bytes: &[u8], base: &Url) -> Result<Self> {
        if bytes.len() as u64 > Self::MOST_BYTES {
            return Err(invalid(format!("it is larger than {} bytes", Self::MOST_BYTES)));
        }
        let text = std::str::from_utf8(bytes)
            .map_err(|error| invalid(format!("it is not UTF-8 (byte {})", error.valid_up_to())))?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        if text.trim_start().starts_with('<') {
            let shown = escape(text.trim_start().as_bytes().get(..40.min(text.trim_start().len())).unwrap_or_default());
            return Err(Error::with(
                Code::HtmlPage,
                format!("this is a web page and no index; it begins with `{shown}`"),
            ));
        }
        let root = json::read(text).map_err(invalid)?;
        let members = root.members().ok_or_else(|| invalid(format!("it is {}, not an object", root.kind())))?;
        let get = |name: &str| members.iter().find(|(found, _)| found == name).map(|(_, piece)| *piece);
        let version = match get("$schema") {
            None => Version::V0_1_0,
            Some(piece) => match piece.text() {
                Some(schema) if schema == SCHEMA_0_2_0 => Version::V0_2_0,
                Some(schema) => return Err(unknown_schema(&schema, piece.line())),
                None => {
                    let line = piece.line();
                    return Err(invalid(format!("line {line}, $.$schema: it is {}, not a string", piece.kind())));
                }
            },
        };
        let Some(skills) = get("skills") else {
            return Err(invalid("it has no list `skills`"));
        };
        let Some(elements) = skills.elements() else {
            let line = skills.line();
            return Err(invalid(format!("line {line}, $.skills: it is {}, not an array", skills.kind())));
        };
        if elements.len() > Self::MOST_ENTRIES {
            let most = Self::MOST_ENTRIES;
            return Err(invalid(format!("$.skills has {} entries, the limit is {most}", elements.len())));
        }
        let elements = elements.into_iter().enumerate();
        let mut entries: Vec<_> =
            elements.map(|(position, piece)| Entry::read(position, piece, version, base)).collect();
        refuse_duplicates(&mut entries);
        let mut findings = Vec::new();
        if version == Version::V0_1_0 {
            let text = "the index has no `$schema`: it is taken for version 0.1.0, whose files have no digests";
            findings.push(Finding::new(Code::IndexSchemaMissing, None, text));
        }
        Ok(Self { version, entries, findings })
    }

    /// Entries that another protocol brought.
    pub(crate) fn of_entries(version: Version, mut entries: Vec<Entry>) -> Self {
        refuse_duplicates(&mut entries);
        Self { version, entries, findings: Vec::new() }
    }

    /// Gives an entry without a digest the one that the user knows.
    pub(crate) fn promise(&mut self, name: &str, digest: Digest) -> Result<()> {
        let found = self.entries.iter_mut().find(|entry| entry.name().is_some_and(|own| own.as_raw() == name));
        match found {
            Some(entry) => entry.promise(digest),
            None => {
                let shown = escape(name.as_bytes());
                Err(Error::with(Code::NoArtifact, format!("the index has no skill `{shown}`")))
            }
        }
    }

    /// Its version.
    #[must_use]
    pub fn version(&self) -> Version {
        self.version
    }

    /// Its entries, all of them, in the order in which they stand.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Worth saying about the index as a whole.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }
}

fn invalid(why: impl std::fmt::Display) -> Error {
    Error::with(Code::IndexInvalid, format!("the index cannot be read: {why}"))
}

fn unknown_schema(schema: &str, line: usize) -> Error {
    let shown = escape(schema.as_bytes());
    let detail = format!("line {line}, $.$schema: `{shown}` is not a known version of the index");
    let error = Error::with(Code::IndexSchemaUnknown, detail);
    let clean = schema.trim().trim_end_matches(['/', '#']);
    if clean == SCHEMA_0_2_0 || clean.replacen("http:", "https:", 1) == SCHEMA_0_2_0 {
        return error.hint(format!("publisher: it is compared letter by letter; write exactly {SCHEMA_0_2_0}"));
    }
    error
}

/// A name that several entries have is nobody's: neither the first nor the last is preferred. Skipped entries do not count.
fn refuse_duplicates(entries: &mut [Entry]) {
    let mut lines: HashMap<String, Vec<usize>> = HashMap::new();
    for entry in entries.iter().filter(|entry| !entry.is_skipped()) {
        if let Some(name) = entry.name().map(Untrusted::as_raw) {
            lines.entry(name.to_owned()).or_default().push(entry.line);
        }
    }
    for entry in entries.iter_mut().filter(|entry| !entry.is_skipped()) {
        let Some(name) = &entry.name else { continue };
        let Some(same) = lines.get(name.as_raw()).filter(|same| same.len() > 1) else { continue };
        let places: Vec<_> = same.iter().take(5).map(ToString::to_string).collect();
        let (line, position, count) = (entry.line, entry.position, same.len());
        let places = places.join(", ");
        let detail =
            format!("line {line}, $.skills[{position}].name: `{name}` is the name of {count} entries (lines {places})");
        entry.outcome = Outcome::Refused(Error::with(Code::IndexDuplicateName, detail));
    }
}
