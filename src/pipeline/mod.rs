//! Artifact and options in, report out: the only room that knows the order of things.
//!
//! digest (before this room) -> container -> policy -> budget -> sink -> links -> layout -> commit.

mod describe;
mod extract;
mod folder;
#[cfg(feature = "discovery")]
mod loose;
mod options;
mod pass;

use std::fmt;

pub use self::extract::Skill;
pub use self::folder::check_directory;
#[cfg(feature = "pack")]
pub(crate) use self::folder::check_members;
#[cfg(feature = "discovery")]
pub(crate) use self::loose::Loose;
pub use self::options::{Options, Progress};
#[cfg(feature = "discovery")]
pub(crate) use self::options::{ReceiptPlace, ReceiptRequest};
use self::pass::Mode;
use crate::artifact::VerifiedArtifact;
use crate::container;
use crate::error::{Code, Entry, Error, Kind, Result};
use crate::escape::escape;
use crate::layout::{Content, SkillMd};
use crate::limits::Budget;
use crate::report::{ArtifactReport, PolicyReport, Report, SkillReport};
use crate::sink::{Capture, Null, Sink};

/// Why an archive was not extracted, with the report of everything that was seen until then.
///
/// Behaves like the [`Error`] in it, and turns into it with `?`.
#[derive(Debug, Clone)]
pub struct Failure {
    error: Error,
    report: Box<Report>,
}

impl VerifiedArtifact {
    /// Runs every check and writes nothing: the same pass as extraction, so both always agree.
    ///
    /// A refusal by the policy does not end the pass (at most 100 are listed); a broken container or an exceeded limit
    /// does. [`Report::error`] is what extraction would fail with.
    #[must_use]
    pub fn check(&self, options: &Options) -> Report {
        let mut report = begin(self, options);
        if let Err(error) = run(self, options, Mode::Collect, &mut Null, &mut report) {
            report.decide(error);
        }
        report
    }

    /// Runs every check and returns SKILL.md, without writing anything.
    ///
    /// # Errors
    /// What [`extract`](Self::extract) would fail with; `usage` if the options' layout is not [`Layout::Skill`].
    ///
    /// [`Layout::Skill`]: crate::Layout::Skill
    pub fn skill(&self, options: &Options) -> Result<SkillMd, Failure> {
        let mut report = begin(self, options);
        match run(self, options, Mode::First, &mut Null, &mut report) {
            Ok(content) => content
                .into_skill()
                .ok_or_else(|| Failure::new(Error::usage("only the layout `skill` has a SKILL.md to return"), report)),
            Err(error) => Err(Failure::new(error, report)),
        }
    }

    /// Runs every check and returns the content of one file, without writing anything. Hard links are files.
    ///
    /// # Errors
    /// What [`extract`](Self::extract) would fail with; `usage` if the archive has no such file.
    pub fn read(&self, path: &str, options: &Options) -> Result<Vec<u8>, Failure> {
        let mut wanted = path.to_owned();
        // A hard link names an earlier file, so this ends; two rounds are all it takes, because that file is a real one
        // or again a link to an earlier one.
        loop {
            let mut report = begin(self, options);
            let mut capture = Capture::new(wanted);
            if let Err(error) = run(self, options, Mode::First, &mut capture, &mut report) {
                return Err(Failure::new(error, report));
            }
            match (capture.take(), capture.source()) {
                (Some(bytes), _) => return Ok(bytes),
                (None, Some(source)) => wanted = source,
                (None, None) => {
                    let shown = escape(path.as_bytes());
                    return Err(Failure::new(Error::usage(format!("the archive has no file `{shown}`")), report));
                }
            }
        }
    }
}

/// The pass over an artifact, and what it says of itself in the report.
fn run(
    artifact: &VerifiedArtifact,
    options: &Options,
    mode: Mode,
    sink: &mut dyn Sink,
    report: &mut Report,
) -> Result<Content> {
    let artifact = artifact.artifact();
    if artifact.len() > options.limits.archive {
        let most = options.limits.archive;
        return Err(Error::with(Code::LimitArchive, format!("the archive is larger than {most} bytes")));
    }
    let (format, by) = container::resolve(artifact)?;
    report.artifact.format = Some(format.as_str());
    report.artifact.format_source = Some(by);
    let spool = artifact.spool();
    let mut budget = Budget::new(&options.limits, &options.cancel, spool.len());
    let threads = options.threads().saturating_sub(sink.threads());
    let mut source = |budget: &mut Budget| container::open(format, spool, threads, budget);
    let content = pass::run(&mut source, &mut budget, options, mode, sink, report)?;
    tell(report, &content, options);
    Ok(content)
}

fn tell(report: &mut Report, content: &Content, options: &Options) {
    match content {
        Content::Any => {}
        #[cfg(feature = "plugin")]
        Content::Plugin(plugin) => report.plugin = Some(plugin.to_report()),
        Content::Skill(skill) => {
            report.skill = Some(SkillReport {
                name: skill.name().as_raw().to_owned(),
                description: skill.description().as_raw().to_owned(),
                web: options.web.then(|| skill.web_keys().to_report()),
            });
        }
    }
}

fn begin(verified: &VerifiedArtifact, options: &Options) -> Report {
    let artifact = verified.artifact();
    let mut report = options.blank_report();
    report.artifact = ArtifactReport {
        source: artifact.origin().source.clone(),
        bytes: Some(artifact.len()),
        sha256: Some(artifact.digest().to_string()),
        expected: verified.expected().map(ToString::to_string),
        verified: verified.expected().is_some(),
        download: artifact.origin().download.clone(),
        ..ArtifactReport::default()
    };
    report
}

impl Options {
    /// A report of a run under these options that has not begun: for failures before there is an artifact.
    #[must_use]
    pub fn blank_report(&self) -> Report {
        let policy = PolicyReport {
            layout: self.layout.as_str(),
            links: self.links.as_str(),
            deny: self.deny.names(),
            limits: self.limits.clone(),
        };
        Report::begin(ArtifactReport::default(), policy)
    }
}

impl Failure {
    pub(crate) fn new(error: Error, mut report: Report) -> Self {
        report.decide(error.clone());
        Self { error, report: Box::new(report) }
    }

    /// The error.
    #[must_use]
    pub fn error(&self) -> &Error {
        &self.error
    }

    /// Everything that was seen until then.
    #[must_use]
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// The report, taken out.
    #[must_use]
    pub fn into_report(self) -> Report {
        *self.report
    }

    /// See [`Error::kind`].
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.error.kind()
    }

    /// See [`Error::code`].
    #[must_use]
    pub fn code(&self) -> Code {
        self.error.code()
    }

    /// See [`Error::entry`].
    #[must_use]
    pub fn entry(&self) -> Option<&Entry> {
        self.error.entry()
    }

    /// See [`Error::offset`].
    #[must_use]
    pub fn offset(&self) -> Option<u64> {
        self.error.offset()
    }

    /// See [`Error::help`].
    #[must_use]
    pub fn help(&self) -> &str {
        self.error.help()
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl std::error::Error for Failure {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        std::error::Error::source(&self.error)
    }
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        failure.error
    }
}
