//! The step between "downloaded an Agent Skill" and "an agent runs with it": verifies and extracts a stranger's
//! `.tar.gz` or `.zip`, strictly.
//!
//! ```no_run
//! use skillx_archive::{Artifact, Digest, Options};
//!
//! # fn main() -> Result<(), skillx_archive::Error> {
//! # let text = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
//! let digest: Digest = text.parse()?;
//! let skill = Artifact::open("pdf.tar.gz")? // read once, hashed, capped
//!     .verify(&digest)? // or `digest-mismatch`
//!     .extract("skills/pdf", &Options::default())?; // complete, or nothing at all
//! println!("{}: {}", skill.name(), skill.description()); // a stranger's text, escaped
//! # Ok(())
//! # }
//! ```
//!
//! # What is promised
//!
//! 1. **Digest first.** No parser sees a byte before the SHA-256 of the raw bytes has matched: only
//!    [`Artifact::verify`] makes a [`VerifiedArtifact`], and what was hashed is what is parsed.
//! 2. **One meaning or none.** What readers disagree on because of the archive is refused with a named [`Code`].
//! 3. **Nothing outside, nothing partial.** All work happens in a private directory beside the destination; one rename
//!    publishes it.
//! 4. **Bounded.** Time, memory, disk and entries are linear in the input and capped by [`Limits`], counted on real bytes.
//! 5. **Explained.** An [`Error`] has a stable code, the entry, the byte offset, the reason and the remedy, and cannot harm
//!    the terminal or log it is printed in.
//!
//! The formats and the obligations of a client are those of the Agent Skills Discovery RFC 0.2.0 ("Archive
//! Distribution", "Integrity and Verification"). `DESIGN.md` has every rule with its reason, `SECURITY.md` what is the
//! caller's part.
//!
//! Without default features (`cli` is the program, `discovery` addresses and the rules of downloads, `http` the network)
//! this is the extractor alone.
#![forbid(unsafe_code)]
#![warn(clippy::redundant_clone, clippy::use_self)]
// Nothing that a hostile file can reach may panic.
#![cfg_attr(
    not(test),
    deny(
        clippy::arithmetic_side_effects,
        clippy::expect_used,
        clippy::indexing_slicing,
        clippy::panic,
        clippy::string_slice,
        clippy::unreachable,
        clippy::unwrap_used
    )
)]

mod artifact;
mod cancel;
mod catalog;
mod confine;
mod container;
mod digest;
#[cfg(feature = "discovery")]
pub mod discovery;
mod error;
mod escape;
#[cfg(feature = "discovery")]
pub mod fetch;
mod install;
#[cfg(any(feature = "discovery", feature = "plugin"))]
mod json;
mod layout;
mod limits;
#[cfg(feature = "pack")]
mod pack;
mod pipeline;
mod policy;
mod receipt;
mod report;
mod sink;
#[cfg(feature = "discovery")]
pub mod site;

pub use self::artifact::{Artifact, ArtifactWriter, VerifiedArtifact};
pub use self::cancel::Cancel;
#[cfg(feature = "discovery")]
pub use self::catalog::SiteCatalog;
pub use self::catalog::{Catalog, CatalogOptions, CatalogSkill, Loaded, Presentation, Prompt, Skipped, Standing};
pub use self::container::Format;
pub use self::digest::{Digest, DigestError, Observed};
pub use self::error::{Class, Code, Entry, Error, Explanation, Kind, Result, Severity, UnknownCode};
pub use self::escape::{Escaped, Untrusted, escape};
#[cfg(feature = "plugin")]
pub use self::layout::plugin::{
    Author, Boundary, Component, Manifest, Plugin, PluginSkill, Problem, Server, Transport, expand_placeholders,
};
pub use self::layout::{Layout, SkillMd, WebKeys};
pub use self::limits::{Limits, SizeError, parse_size};
#[cfg(feature = "pack")]
pub use self::pack::{
    IndexEntry, LeftOut, LeftOutBecause, PackOptions, PackReport, Packed, Saved, SiteFile, SiteFileState, SiteReport,
    SiteSkill, pack, pack_site,
};
pub use self::pipeline::{Failure, Options, Progress, Skill, check_directory};
pub use self::policy::Links;
pub use self::receipt::{Change, ChangeKind, Drift, Receipt, ReceiptFile, ReceiptLink, skills_in};
pub use self::report::{
    ArtifactReport, ComponentState, DownloadReport, EntryKind, EntryPath, EntryReport, Finding, PluginAnswer,
    PluginAuthor, PluginComponents, PluginManifest, PluginProblem, PluginReport, PluginServer, PluginSkillReport,
    PolicyReport, RateLimitReport, Report, SkillReport, Tool, Totals, Verdict, WebReport,
};
pub use cap_std;
