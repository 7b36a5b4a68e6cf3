//! Single files read as if they were an archive of themselves: a `skill-md` entry of an index, or the files of version 0.1.0.

use super::Mode;
use super::extract::{Input, Skill, install};
use super::options::Options;
use super::{Failure, pass, tell};
use crate::artifact::{Spool, VerifiedArtifact};
use crate::confine::Directory;
use crate::container::{Encoding, Member, Members, RawKind};
use crate::error::{Error, Result};
use crate::install::Destination;
use crate::layout::Content;
use crate::limits::Budget;
use crate::report::{ArtifactReport, Report};
use crate::sink::{Null, Sink};

/// Bytes of a file read at a time.
const PIECE: usize = 64 * 1024;

/// Files that each came alone, with the paths they get. They pass every rule that members of an archive pass.
#[derive(Debug)]
pub(crate) struct Loose {
    files: Vec<(String, VerifiedArtifact)>,
    format: &'static str,
    source: Option<String>,
}

impl Loose {
    /// SKILL.md alone.
    pub(crate) fn skill_md(file: VerifiedArtifact) -> Self {
        let source = file.artifact().origin().source.clone();
        Self { files: vec![("SKILL.md".to_owned(), file)], format: "skill-md", source }
    }

    /// Several files below one address.
    pub(crate) fn files(files: Vec<(String, VerifiedArtifact)>, source: &str) -> Self {
        Self { files, format: "files", source: Some(source.to_owned()) }
    }

    /// As [`VerifiedArtifact::check`].
    pub(crate) fn check(&self, options: &Options) -> Report {
        let mut report = self.begin(options);
        if let Err(error) = self.run(options, Mode::Collect, &mut Null, &mut report) {
            report.decide(error);
        }
        report
    }

    /// As [`VerifiedArtifact::extract_in`].
    pub(crate) fn extract_in(&self, parent: &Directory, name: &str, options: &Options) -> Result<Skill, Failure> {
        let destination = || Destination::within(parent.as_dir(), name.as_ref(), options.replace);
        install(self, options, name.as_ref(), destination)
    }
}

impl Input for Loose {
    fn begin(&self, options: &Options) -> Report {
        let mut report = options.blank_report();
        let only = match self.files.as_slice() {
            [(_, file)] if self.format == "skill-md" => Some(file),
            _ => None,
        };
        report.artifact = ArtifactReport {
            source: self.source.clone(),
            bytes: only.map(|file| file.artifact().len()),
            sha256: only.map(|file| file.artifact().digest().to_string()),
            expected: only.and_then(|file| file.expected()).map(ToString::to_string),
            verified: only.is_some_and(|file| file.expected().is_some()),
            format: Some(self.format),
            format_source: Some("index"),
            download: only.and_then(|file| file.artifact().origin().download.clone()),
            ..ArtifactReport::default()
        };
        report
    }

    fn run(&self, options: &Options, mode: Mode, sink: &mut dyn Sink, report: &mut Report) -> Result<Content> {
        // No ratio: nothing is inflated.
        let mut budget = Budget::new(&options.limits, &options.cancel, u64::MAX);
        let mut source = |_: &mut Budget| {
            let rest = self.files.iter();
            Ok(Box::new(Files { rest, ordinal: 0, open: None, piece: vec![0; PIECE] }) as Box<dyn Members + '_>)
        };
        let skill = pass::run(&mut source, &mut budget, options, mode, sink, report)?;
        tell(report, &skill, options);
        Ok(skill)
    }
}

/// The files, one after the other.
struct Files<'l> {
    rest: std::slice::Iter<'l, (String, VerifiedArtifact)>,
    ordinal: u64,
    open: Option<(&'l Spool, u64)>,
    piece: Vec<u8>,
}

impl Members for Files<'_> {
    fn next(&mut self, budget: &mut Budget) -> Result<Option<Member<'_>>> {
        budget.tick()?;
        let Some((path, file)) = self.rest.next() else { return Ok(None) };
        self.ordinal = self.ordinal.saturating_add(1);
        self.open = Some((file.artifact().spool(), 0));
        let kind = RawKind::File { executable: false };
        let (ordinal, name) = (self.ordinal, path.as_bytes());
        Ok(Some(Member { ordinal, offset: 0, name, encoding: Encoding::Utf8, kind, kind_conflict: None }))
    }

    fn data(&mut self, budget: &mut Budget) -> Result<Option<&[u8]>> {
        budget.tick()?;
        let Some((spool, at)) = &mut self.open else { return Ok(None) };
        let failed = |error| Error::io("cannot read what was downloaded", error);
        let count = spool.read_at(*at, &mut self.piece).map_err(failed)?;
        *at = at.saturating_add(count as u64);
        Ok(self.piece.get(..count).filter(|piece| !piece.is_empty()))
    }

    fn position(&self) -> u64 {
        0
    }
}
