//! skillx
#![forbid(unsafe_code)]
#![allow(dead_code)]
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
mod confine;
mod container;
mod digest;
mod error;
mod escape;
mod install;
mod layout;
mod limits;
mod pipeline;
mod policy;
mod report;
mod sink;

pub use self::artifact::{Artifact, ArtifactWriter, VerifiedArtifact};
pub use self::cancel::Cancel;
pub use self::container::Format;
pub use self::digest::{Digest, DigestError, Observed};
pub use self::error::{Class, Code, Entry, Error, Explanation, Kind, Result, UnknownCode};
pub use self::escape::{Escaped, Untrusted, escape};
pub use self::layout::{Layout, SkillMd};
pub use self::limits::{Limits, SizeError, parse_size};
pub use self::pipeline::{Failure, Options, Progress, Skill, check_directory};
pub use self::policy::Links;
pub use self::report::{
    ArtifactReport, EntryKind, EntryPath, EntryReport, Finding, PolicyReport, Report, SkillReport, Tool, Totals,
    Verdict,
};
pub use cap_std;
