//! Text about what was packed.

use std::io::{self, Write};

use skillx_archive::{EntryPath, LeftOut, LeftOutBecause, PackReport, Saved, SiteFileState, SiteReport, escape};

use super::text::{self, DIM, GOOD, NOTE};

/// Most names that a person is told of.
const MOST_NAMES: usize = 20;

pub(super) fn report(out: &mut dyn Write, packed: &PackReport, quiet: bool) -> io::Result<()> {
    let report = &packed.report;
    if report.error.is_some() || quiet {
        // A comparison writes nothing anyway.
        let after = if packed.compared || report.error.is_none() { "" } else { "nothing was written" };
        return text::report(out, report, quiet, after);
    }
    text::findings(out, report)?;
    let source = escape(report.artifact.source.as_deref().unwrap_or_default().as_bytes()).to_string();
    let digest = report.artifact.sha256.as_deref().unwrap_or_default();
    let what = match (packed.saved, &report.output) {
        _ if packed.compared => "is what the archive holds, to the byte".to_owned(),
        (Some(saved), Some(file)) => format!("{} {}", verb(saved), text::plain_path(file)),
        _ => "packed".to_owned(),
    };
    writeln!(out, "{GOOD}ok{GOOD:#}: {source}: {what}: {digest}")?;
    if let Some(skill) = &report.skill {
        let (name, description) = (escape(skill.name.as_bytes()), escape(skill.description.as_bytes()));
        writeln!(out, "  {DIM}skill{DIM:#}    {name} - {description}")?;
    }
    let bytes = report.artifact.bytes.unwrap_or_default();
    let format = report.artifact.format.unwrap_or_default();
    writeln!(out, "  {DIM}content{DIM:#}  {}; {bytes} bytes of {format}", text::content(report))?;
    if let Some(sidecar) = &packed.sidecar {
        writeln!(out, "  {DIM}sidecar{DIM:#}  {}", text::plain_path(sidecar))?;
    }
    left_out(out, &packed.left_out)
}

/// A site: its skills, what happened to its files, and what was refused.
pub(super) fn site(out: &mut dyn Write, report: &SiteReport, quiet: bool) -> io::Result<()> {
    for skill in &report.skills {
        let source = escape(skill.source.as_bytes()).to_string();
        if !quiet {
            for finding in &skill.findings {
                let severity = finding.severity.as_str();
                writeln!(out, "{NOTE}{severity}[{}]{NOTE:#}: {source}: {}", finding.code, finding.message)?;
            }
        }
        for refusal in &skill.refusals {
            text::error(out, refusal)?;
            writeln!(out, "  {DIM}skill{DIM:#}    {source}")?;
        }
        if let (Some(entry), false) = (&skill.entry, quiet) {
            writeln!(out, "{GOOD}ok{GOOD:#}: {source}: {} {}: {}", entry.kind, entry.name, entry.digest)?;
            left_out(out, &skill.left_out)?;
        }
    }
    if let Some(error) = &report.error {
        let is_said = report.skills.iter().any(|skill| !skill.refusals.is_empty());
        if !is_said || error.class() != skillx_archive::Class::Refused {
            text::error(out, error)?;
        }
        // Files are written only when every skill has passed.
        return if report.files.is_empty() { writeln!(out, "nothing was written") } else { Ok(()) };
    }
    if quiet {
        return Ok(());
    }
    for file in &report.files {
        let state = match file.state {
            SiteFileState::Created => "wrote",
            SiteFileState::Replaced => "replaced",
            SiteFileState::Removed => "removed, no skill has it any more:",
            SiteFileState::Kept => "kept, not removed, it is not what the index said:",
            _ => "unchanged",
        };
        writeln!(out, "  {DIM}{state}{DIM:#} {}", escape(file.path.as_bytes()))?;
    }
    Ok(())
}

fn verb(saved: Saved) -> &'static str {
    match saved {
        Saved::Created => "wrote",
        Saved::Replaced => "replaced",
        _ => "unchanged",
    }
}

fn left_out(out: &mut dyn Write, left_out: &[LeftOut]) -> io::Result<()> {
    for item in left_out.iter().take(MOST_NAMES) {
        let path = match &item.path {
            EntryPath::Text(text) => escape(text.as_bytes()).to_string(),
            EntryPath::Bytes(bytes) => escape(bytes).to_string(),
            _ => String::new(),
        };
        let because = match item.because {
            LeftOutBecause::Output => "the archive itself, or its sidecar",
            LeftOutBecause::Skillxignore => ".skillxignore",
            _ => "never part of a skill",
        };
        writeln!(out, "  {DIM}left out{DIM:#} {path} ({because})")?;
    }
    match left_out.len().checked_sub(MOST_NAMES) {
        Some(more) if more > 0 => writeln!(out, "  {DIM}left out{DIM:#} and {more} more"),
        _ => Ok(()),
    }
}
