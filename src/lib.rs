//! skillx
#![forbid(unsafe_code)]
#![allow(dead_code)]

mod artifact;
mod cancel;
mod confine;
mod container;
mod digest;
mod error;
mod escape;
mod install;
mod limits;
mod policy;
mod report;
mod sink;

pub use self::artifact::{Artifact, ArtifactWriter, VerifiedArtifact};
pub use self::cancel::Cancel;
pub use self::container::Format;
pub use self::digest::{Digest, DigestError, Observed};
pub use self::error::{Class, Code, Entry, Error, Explanation, Kind, Result, UnknownCode};
pub use self::escape::Untrusted;
pub use self::limits::{Limits, SizeError, parse_size};
pub use self::report::{
    ArtifactReport, EntryKind, EntryPath, EntryReport, Finding, PolicyReport, Report, SkillReport, Tool, Totals,
    Verdict,
};
pub use cap_std;
