//! What was seen and done: plain serialisable data, schema `skillx.report/1`.

mod plugin;

use std::fmt;

use serde::Serialize;

pub use self::plugin::{
    ComponentState, PluginAnswer, PluginAuthor, PluginComponents, PluginManifest, PluginProblem, PluginReport,
    PluginServer, PluginSkillReport,
};

use crate::error::{Class, Code, Error, Severity};
use crate::limits::Limits;

/// The schema tag of every report; `/1` only grows.
pub(crate) const SCHEMA: &str = "skillx.report/1";

/// Most refusals, and most findings, that one report lists.
pub(crate) const MOST_REFUSALS: usize = 100;

/// Everything a run saw and did.
///
/// Names and texts in it are a stranger's: they are raw here. The program's JSON escapes everything outside printable
/// ASCII; whoever prints a field must escape it too.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Report {
    /// Always `skillx.report/1`.
    pub schema: &'static str,
    /// Who wrote the report.
    pub tool: Tool,
    /// The answer.
    pub verdict: Verdict,
    /// The file that was judged.
    pub artifact: ArtifactReport,
    /// The rules it was judged by.
    pub policy: PolicyReport,
    /// What SKILL.md says of itself, once it was found good.
    pub skill: Option<SkillReport>,
    /// What was loaded of the plugin, with the layout `plugin` alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plugin: Option<PluginReport>,
    /// Where the tree was published; `None` when nothing was written.
    pub output: Option<String>,
    /// Where its receipt was written; `None` if none was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receipt: Option<String>,
    /// Every member in archive order, as far as the run came.
    pub entries: Vec<EntryReport>,
    /// Sums over what is (or would be) written.
    pub totals: Totals,
    /// Worth saying, not refused.
    pub findings: Vec<Finding>,
    /// Every refusal met, in archive order, at most 100.
    pub refusals: Vec<Error>,
    /// What decided the verdict: the first refusal, or the failure.
    pub error: Option<Error>,
}

/// The program or library that wrote a report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Tool {
    /// `skillx-archive`.
    pub name: &'static str,
    /// Its version.
    pub version: &'static str,
}

impl Tool {
    /// This version of this crate.
    #[must_use]
    pub const fn this() -> Self {
        Self { name: env!("CARGO_PKG_NAME"), version: env!("CARGO_PKG_VERSION") }
    }
}

/// The answer of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Verdict {
    /// Every check passed.
    Accepted,
    /// There is no verdict: the machine, the call or the destination failed.
    Failed,
    /// The archive, or its digest, is at fault.
    Refused,
}

/// The file that was judged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ArtifactReport {
    /// Path, URL or `-` as the caller gave it.
    pub source: Option<String>,
    /// Its size; `None` if it was never read to its end.
    pub bytes: Option<u64>,
    /// `sha256:…` of its raw bytes.
    pub sha256: Option<String>,
    /// The digest that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// Whether the digest was checked and matched.
    pub verified: bool,
    /// Where the expected digest came from: `flag`, `sidecar`, `index` or `none`. A sidecar is no proof of origin.
    pub digest_source: &'static str,
    /// `tar.gz` or `zip`, once known.
    pub format: Option<&'static str>,
    /// What declared the format: `flag`, `content-type`, `extension` or `magic`.
    pub format_source: Option<&'static str>,
    /// How it was downloaded, if it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub download: Option<DownloadReport>,
}

/// How a file was downloaded. Everything the server said is a stranger's text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct DownloadReport {
    /// The address that the file came from, after redirects.
    pub url: String,
    /// The status of the last answer; `None` if nothing was asked because the cache had it.
    pub status: Option<u16>,
    /// The addresses that were redirected to, in order.
    pub redirects: Vec<String>,
    /// The `Content-Type`.
    pub content_type: Option<String>,
    /// The `Content-Encoding`, if the server applied one.
    pub content_encoding: Option<String>,
    /// The `Content-Length` that the server declared.
    pub content_length: Option<u64>,
    /// The `ETag`.
    pub etag: Option<String>,
    /// Whether the bytes came from the cache, where they are kept by digest, instead of the server.
    pub cached: bool,
}

impl DownloadReport {
    /// Of an archive that the cache had: nothing was asked.
    #[cfg(feature = "discovery")]
    pub(crate) fn cached(url: &str) -> Self {
        Self {
            url: url.to_owned(),
            status: None,
            redirects: Vec::new(),
            content_type: None,
            content_encoding: None,
            content_length: None,
            etag: None,
            cached: true,
        }
    }
}

/// The rules a run judged by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct PolicyReport {
    /// `skill`, `plugin` or `any`.
    pub layout: &'static str,
    /// `keep` or `deny`.
    pub links: &'static str,
    /// Findings that refuse.
    pub deny: Vec<&'static str>,
    /// The limits in force.
    pub limits: Limits,
}

/// What SKILL.md says of itself: a stranger's text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct SkillReport {
    /// Its name.
    pub name: String,
    /// Its description.
    pub description: String,
    /// The keys of Web Skills, of a skill that was listed there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub web: Option<WebReport>,
}

/// What SKILL.md says beyond that in Web Skills: a stranger's text.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct WebReport {
    /// The version of the skill.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// How its service is used: `none`, `api-key`, `bearer`, `oauth2`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auth: Option<String>,
    /// What its requests begin with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
    /// Who wrote it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// The version of the service.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api_version: Option<String>,
    /// Whom to ask.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contact: Option<String>,
    /// How often it may be used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate_limit: Option<RateLimitReport>,
}

/// How often a service may be used: a stranger's text.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct RateLimitReport {
    /// What an agent should keep to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// What the service enforces.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api: Option<String>,
}

/// One member of the archive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct EntryReport {
    /// Its path: normalised if it was accepted, as it stands if not.
    #[serde(flatten)]
    pub path: EntryPath,
    /// What it is.
    pub kind: EntryKind,
    /// Bytes of content.
    pub bytes: u64,
    /// Whether it is a file that is made executable.
    pub executable: bool,
    /// Where a link leads, as it stands in the archive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link_target: Option<String>,
    /// `true` for macOS metadata: checked, counted, not written.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub omitted: bool,
    /// The code of its refusal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<Code>,
}

/// A path as text, or as bytes where it is not UTF-8.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub enum EntryPath {
    /// UTF-8 text.
    #[serde(rename = "path")]
    Text(String),
    /// Bytes that are not UTF-8: `path_hex` in JSON, lower-case.
    #[serde(rename = "path_hex", serialize_with = "serialize_hex")]
    Bytes(Vec<u8>),
}

impl EntryPath {
    pub(crate) fn of(bytes: &[u8]) -> Self {
        match std::str::from_utf8(bytes) {
            Ok(text) => Self::Text(text.to_owned()),
            Err(_) => Self::Bytes(bytes.to_vec()),
        }
    }
}

fn serialize_hex<S: serde::Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    struct Hex<'a>(&'a [u8]);

    impl fmt::Display for Hex<'_> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
        }
    }

    serializer.collect_str(&Hex(bytes))
}

/// What a member is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum EntryKind {
    /// A directory.
    Directory,
    /// A regular file, or a hard link that becomes a copy.
    File,
    /// A device, FIFO or socket: always refused.
    Special,
    /// A symbolic link.
    Symlink,
}

/// Sums over what is (or would be) written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Totals {
    /// Regular files.
    pub files: u64,
    /// Directories, implied ones included, the root not.
    pub directories: u64,
    /// Symbolic links.
    pub links: u64,
    /// Bytes of content.
    pub bytes: u64,
}

/// Something worth saying that is not refused by default.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Finding {
    /// Its stable code; `--deny CODE` makes it a refusal.
    pub code: Code,
    /// How much it weighs: `note` or `warning`.
    pub severity: Severity,
    /// The member it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// What was found; names are escaped.
    pub message: String,
}

impl Finding {
    pub(crate) fn new(code: Code, path: Option<&str>, message: impl Into<String>) -> Self {
        Self { code, severity: code.severity(), path: path.map(str::to_owned), message: message.into() }
    }
}

impl Report {
    /// A report of a run that has not begun.
    #[must_use]
    pub fn begin(artifact: ArtifactReport, policy: PolicyReport) -> Self {
        Self {
            schema: SCHEMA,
            tool: Tool::this(),
            verdict: Verdict::Accepted,
            artifact,
            policy,
            skill: None,
            plugin: None,
            output: None,
            receipt: None,
            entries: Vec::new(),
            totals: Totals::default(),
            findings: Vec::new(),
            refusals: Vec::new(),
            error: None,
        }
    }

    /// Records what decided the verdict.
    pub fn decide(&mut self, error: Error) {
        self.verdict = match error.class() {
            Class::Refused => Verdict::Refused,
            _ => Verdict::Failed,
        };
        if self.verdict == Verdict::Refused && self.refusals.is_empty() {
            self.refusals.push(error.clone());
        }
        self.error = Some(error);
    }
}

impl Default for ArtifactReport {
    fn default() -> Self {
        Self {
            source: None,
            bytes: None,
            sha256: None,
            expected: None,
            verified: false,
            digest_source: "none",
            format: None,
            format_source: None,
            download: None,
        }
    }
}
