//! An installed tree against its receipt, for people.

use std::io::{self, Write};

use skillx_archive::escape;

use super::text::{DIM, GOOD, error, path};
use crate::commands::verify::Answer;

pub(super) fn answer(out: &mut dyn Write, answer: &Answer, quiet: bool) -> io::Result<()> {
    let shown = escape(answer.path.as_bytes());
    let Some(fault) = &answer.error else {
        if quiet {
            return Ok(());
        }
        let Some(receipt) = &answer.receipt else { return Ok(()) };
        let time = escape(receipt.time.as_bytes());
        let count = receipt.files;
        let files = if count == 1 { "file" } else { "files" };
        writeln!(out, "{GOOD}ok{GOOD:#}: {shown}: unchanged since {time}, {count} {files}")?;
        if let Some(digest) = &receipt.digest {
            writeln!(out, "  {DIM}digest{DIM:#}   {digest}")?;
        }
        return Ok(());
    };
    error(out, fault)?;
    for change in &answer.changes {
        writeln!(out, "  {:<8} {} - {}", change.kind.as_str(), path(&change.path), change.message)?;
    }
    if answer.truncated {
        writeln!(out, "  ... and more")?;
    }
    Ok(())
}
