//! Directory to canonical archive: the same tree gives the same bytes, the digest and the index entry, so that the three cannot drift apart.
//!
//! ```text
//! walk (through confine, junk left out) -> every check on the tree -> bytes -> every check on the bytes -> one rename
//! ```
//!
//! The tree is judged first, so that nothing is written of a tree that would be refused; then the bytes, by the same pass
//! that a client runs over them.

mod bytes;
mod compare;
mod index;
mod junk;
mod members;
mod options;
mod output;
mod site;
mod tree;

use std::path::Path;

use serde::Serialize;

pub use self::index::IndexEntry;
use self::members::TreeMembers;
pub use self::options::PackOptions;
pub use self::output::Saved;
pub use self::site::{SiteFile, SiteFileState, SiteReport, SiteSkill, pack_site};
use self::tree::Tree;
pub use self::tree::{LeftOut, LeftOutBecause};
use crate::artifact::{Artifact, VerifiedArtifact};
use crate::confine::Directory;
use crate::container::Members;
use crate::digest::Observed;
use crate::error::{Code, Error, Result};
use crate::escape::{Untrusted, escape};
use crate::pipeline::{Failure, check_members};
use crate::report::{Finding, Report};

/// The schema tag of a pack report; `/1` only grows.
const SCHEMA: &str = "skillx.pack/1";

/// A skill that was packed, and has passed every check as an archive. Nothing has been written yet.
#[derive(Debug, Clone)]
pub struct Packed {
    bytes: Vec<u8>,
    artifact: VerifiedArtifact,
    report: Report,
    left_out: Vec<LeftOut>,
    name: Untrusted,
    description: Untrusted,
    format: crate::Format,
    rules: crate::Options,
}

/// What packing saw and did: plain serialisable data, schema `skillx.pack/1`, which is `skillx.report/1` and more.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct PackReport {
    /// What `check` says of the bytes; of the directory, if that was refused. `output` is the archive that was written.
    #[serde(flatten)]
    pub report: Report,
    /// What writing the archive did; `None` if it was not asked for.
    pub saved: Option<Saved>,
    /// The sidecar that was written, or found right.
    pub sidecar: Option<String>,
    /// Whether a file was compared with the bytes, and nothing written.
    pub compared: bool,
    /// The entry for an index (Agent Skills Discovery RFC 0.2.0), where one was asked for.
    pub index_entry: Option<IndexEntry>,
    /// What was left out of the directory, at most 1000 names.
    pub left_out: Vec<LeftOut>,
}

/// Packs a skill's directory: flat, SKILL.md first, the rest by the bytes of its path; modes 0644 and 0755, no owner, one
/// time for all; empty directories kept, others implied. The result depends on nothing but the tree and the options.
///
/// Left out are version control, caches and the notes of file managers (`.git`, `__pycache__`, `node_modules`,
/// `.DS_Store` and their like), and what `.skillxignore` at the root names, in the syntax of gitignore(5). Links are
/// packed as links, never followed.
///
/// # Errors
/// What [`check_directory`](crate::check_directory) refuses, with the same codes; what
/// [`VerifiedArtifact::check`] refuses in the finished bytes; `io`, `cancelled`; `usage` for a `.skillxignore` that is
/// malformed.
pub fn pack(path: impl AsRef<Path>, options: &PackOptions) -> Result<Packed, Failure> {
    let path = path.as_ref();
    let mut checking = options.options.clone();
    checking.directory_name = directory_name(path);
    let mut report = checking.blank_report();
    report.artifact.source = Some(path.to_string_lossy().into_owned());
    match walk(path, options) {
        Ok(tree) => judge(&tree, path, &checking, options),
        Err(error) => Err(Failure::new(error, report)),
    }
}

fn walk(path: &Path, options: &PackOptions) -> Result<Tree> {
    let shown = || escape(path.as_os_str().as_encoded_bytes());
    let root = Directory::open_ambient(path, cap_std::ambient_authority())
        .map_err(|source| Error::io(format!("cannot open the directory `{}`", shown()), source))?;
    Tree::walk(root, options)
}

fn judge(tree: &Tree, path: &Path, checking: &crate::Options, options: &PackOptions) -> Result<Packed, Failure> {
    let source = Some(path.to_string_lossy().into_owned());
    let report =
        check_members(&mut |_| Ok(Box::new(TreeMembers::new(tree)) as Box<dyn Members + '_>), checking, source.clone());
    if let Some(error) = report.error.clone() {
        return Err(Failure::new(error, report));
    }
    let fail = |error: Error| {
        let mut report = checking.blank_report();
        report.artifact.source.clone_from(&source);
        Failure::new(error, report)
    };
    let bytes = bytes::write(tree, options).map_err(fail)?;
    let artifact = Artifact::from_bytes(bytes.clone()).with_format(options.format()).trust_without_digest();
    let mut report = artifact.check(checking);
    report.artifact.source.clone_from(&source);
    if let Some(error) = report.error.clone() {
        return Err(Failure::new(error, report));
    }
    let Some(skill) = &report.skill else {
        let error = Error::with(Code::Internal, "an accepted skill without a name");
        return Err(Failure::new(error, report));
    };
    Ok(Packed {
        name: Untrusted::new(&skill.name),
        description: Untrusted::new(&skill.description),
        left_out: tree.left_out().to_vec(),
        format: options.format(),
        rules: checking.clone(),
        bytes,
        artifact,
        report,
    })
}

/// The directory's own name, also where it is called `.` or `..`.
fn directory_name(path: &Path) -> Option<String> {
    let named = path.file_name().and_then(|name| name.to_str()).map(str::to_owned);
    named.or_else(|| output::name_of(path))
}

impl Packed {
    /// The archive.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The SHA-256 of [`bytes`](Self::bytes).
    #[must_use]
    pub fn digest(&self) -> Observed {
        self.artifact.artifact().digest()
    }

    /// The archive, as a client gets it.
    #[must_use]
    pub fn artifact(&self) -> &VerifiedArtifact {
        &self.artifact
    }

    /// The skill's name.
    #[must_use]
    pub fn name(&self) -> &Untrusted {
        &self.name
    }

    /// What `check` says of the archive: accepted, with the findings.
    #[must_use]
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// What is worth saying about it.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.report.findings
    }

    /// What was left out of the directory, at most 1000 names.
    #[must_use]
    pub fn left_out(&self) -> &[LeftOut] {
        &self.left_out
    }

    /// The file name it has by default: the skill's name, and `.tar.gz` or `.zip`.
    ///
    /// # Errors
    /// `skill-name-form` if the name is outside the specification's rule: such a name is never used as a path.
    pub fn file_name(&self) -> Result<String> {
        index::valid_name(&self.name)?;
        Ok(format!("{}.{}", self.name.as_raw(), self.format))
    }

    /// The entry for an index: name, type `archive`, description, `url`, digest (Agent Skills Discovery RFC 0.2.0,
    /// "Discovery Index").
    ///
    /// # Errors
    /// `skill-name-form`, `skill-description-long`: an index cannot carry these; `usage` if `url` is no relative or https
    /// URL, or its extension declares another format.
    pub fn index_entry(&self, url: &str) -> Result<IndexEntry> {
        index::archive_entry(self, url)
    }

    /// Whether these bytes are the archive: for archives that are kept under version control.
    ///
    /// # Errors
    /// `pack-differs`, with the first difference.
    pub fn compare(&self, other: Artifact) -> Result<()> {
        compare::compare(self, other)
    }

    /// Writes the archive by way of a temporary file and one rename. Missing parents are made. A file that holds the same
    /// bytes already is left alone; an older archive (a regular file that begins as one, or an empty file) is replaced.
    ///
    /// # Errors
    /// `dest-exists` for anything else that stands there, `dest-is-symlink`; `io`, `disk-full`.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<Saved> {
        output::save_archive(path.as_ref(), &self.bytes)
    }

    /// Writes `ARCHIVE.sha256` in the form of sha256sum beside an archive; returns its path.
    ///
    /// # Errors
    /// As [`save`](Self::save); the file replaced must be at most 4 KiB.
    pub fn save_sidecar(&self, archive: impl AsRef<Path>) -> Result<std::path::PathBuf> {
        output::save_sidecar(archive.as_ref(), &self.digest().to_string())
    }

    /// Whether there is a sidecar beside an archive, and it is the one that [`save_sidecar`](Self::save_sidecar) writes.
    ///
    /// # Errors
    /// `io` if it cannot be read, `pack-differs` if it is another one.
    pub fn compare_sidecar(&self, archive: impl AsRef<Path>) -> Result<std::path::PathBuf> {
        output::compare_sidecar(archive.as_ref(), &self.digest().to_string())
    }

    /// A report that says what was packed, and not yet what was done with it.
    #[must_use]
    pub fn pack_report(&self) -> PackReport {
        PackReport { left_out: self.left_out.clone(), ..PackReport::of(self.report.clone()) }
    }
}

impl PackReport {
    /// A report of what was refused or failed.
    #[must_use]
    pub fn of(mut report: Report) -> Self {
        report.schema = SCHEMA;
        Self { report, saved: None, sidecar: None, compared: false, index_entry: None, left_out: Vec::new() }
    }
}
