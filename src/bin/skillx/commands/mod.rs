//! One file a command. Each returns the class of its outcome, which is the exit code.

pub(crate) mod catalog;
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod explain;
pub(crate) mod index;
pub(crate) mod install;
pub(crate) mod list;
pub(crate) mod man;
pub(crate) mod pack;
pub(crate) mod plugin;
pub(crate) mod remove;
pub(crate) mod show;
pub(crate) mod verify;
pub(crate) mod verify_extract;

use std::path::Path;
use std::process::ExitCode;

use skillx_archive::{Class, Error, Report};

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Exit code 0.
    Accepted,
    /// Exit code 1.
    Refused,
    /// Exit code 2.
    Usage,
    /// Exit code 3.
    Failed,
    /// 128 + the number of the signal.
    Signal(u8),
}

impl Outcome {
    pub(crate) fn of(error: Option<&Error>) -> Self {
        match error.map(Error::class) {
            None => Self::Accepted,
            Some(Class::Refused) => Self::Refused,
            Some(Class::Usage) => Self::Usage,
            Some(_) => Self::Failed,
        }
    }

    pub(crate) fn of_report(report: &Report) -> Self {
        Self::of(report.error.as_ref())
    }

    /// The outcome of several inputs: a failure before a wrong call before a refusal.
    pub(crate) fn worst(self, other: Self) -> Self {
        let rank = |outcome| match outcome {
            Self::Accepted => 0,
            Self::Refused => 1,
            Self::Usage => 2,
            Self::Failed => 3,
            Self::Signal(_) => 4,
        };
        if rank(other) > rank(self) { other } else { self }
    }
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        Self::from(match outcome {
            Outcome::Accepted => 0,
            Outcome::Refused => 1,
            Outcome::Usage => 2,
            Outcome::Failed => 3,
            Outcome::Signal(code) => code,
        })
    }
}

/// Where skills are looked for, unless it is said: where `skillx install` puts them, if there is such a directory here.
fn directory_of_skills(given: Option<&Path>) -> &Path {
    let installed = Path::new("skills");
    given.unwrap_or(if installed.is_dir() { installed } else { Path::new(".") })
}
