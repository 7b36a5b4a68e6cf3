//! A directory of skills as text. Every text goes through `escape`, but for what is made for a prompt.

use std::fmt::Write as _;
use std::io::{self, Write};

use skillx_archive::{Standing, escape};

use super::text::NOTE;
use crate::commands::catalog::Answer;

/// What is worth saying: broken skills first.
pub(super) fn notes(out: &mut dyn Write, answer: &Answer, quiet: bool) -> io::Result<()> {
    if quiet {
        return Ok(());
    }
    for skipped in &answer.skipped {
        let directory = escape(skipped.directory.as_bytes());
        let error = &skipped.error;
        write!(out, "{NOTE}skipped[{}]{NOTE:#}: `{directory}`: {error}", error.code())?;
        if let Some(source) = error.io_error() {
            write!(out, ": {}", escape(source.to_string().as_bytes()))?;
        }
        writeln!(out)?;
    }
    if answer.error.is_none() && answer.source.is_some() && answer.skills.is_empty() && answer.skipped.is_empty() {
        writeln!(
            out,
            "{NOTE}note{NOTE:#}: there are no skills; a skill is a directory with a SKILL.md, directly below DIR"
        )?;
    }
    for finding in &answer.findings {
        writeln!(out, "{NOTE}note[{}]{NOTE:#}: {}", finding.code, finding.message)?;
    }
    Ok(())
}

/// Of a text that is shown although it is not what was installed.
pub(super) fn modified(out: &mut dyn Write, name: &str) -> io::Result<()> {
    let shown = escape(name.as_bytes());
    writeln!(out, "{NOTE}note[tree-changed]{NOTE:#}: this is not what was installed as `{shown}`")
}

/// One line a skill.
pub(super) fn listing(answer: &Answer) -> String {
    let mut text = String::new();
    for skill in &answer.skills {
        let (name, description) = (escape(skill.name.as_bytes()), escape(skill.description.as_bytes()));
        let standing = match skill.standing {
            Standing::Verified => "verified",
            Standing::Modified => "modified",
            Standing::Unread => "unread",
            _ => "unverified",
        };
        let _ = writeln!(text, "{standing:<10}  {name} - {description}");
    }
    text
}

/// A stranger's text for a terminal: line by line, tabs kept, everything else escaped.
pub(super) fn for_terminal(bytes: &[u8]) -> String {
    let mut shown = String::new();
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        let (line, end) = line.strip_suffix(b"\n").map_or((line, ""), |line| (line, "\n"));
        for (number, part) in line.split(|byte| *byte == b'\t').enumerate() {
            if number > 0 {
                shown.push('\t');
            }
            let mut rest = part;
            // `escape` caps what it shows.
            while !rest.is_empty() {
                let (piece, after) = rest.split_at(rest.len().min(150));
                let _ = write!(shown, "{}", escape(piece));
                rest = after;
            }
        }
        shown.push_str(end);
    }
    shown
}
