//! What a client gets from a site, for people: each entry with what was sent for it. Every name goes through `escape`.

use std::io::{self, Write};

use skillx_archive::site::{AuditEntry, AuditReport, EntryStatus};
use skillx_archive::{Error, escape};

use super::text::{DIM, ERROR, GOOD, NOTE, error};

pub(super) fn audit(out: &mut dyn Write, report: &AuditReport, quiet: bool) -> io::Result<()> {
    if !quiet {
        if let Some(index) = &report.index {
            let (url, version) = (escape(index.url.as_bytes()), escape(index.version.as_bytes()));
            writeln!(out, "{DIM}index{DIM:#}     {url} (version {version}, {} bytes)", index.bytes)?;
        }
        for finding in &report.findings {
            writeln!(out, "{NOTE}note[{}]{NOTE:#}: {}", finding.code, finding.message)?;
        }
    }
    for audited in &report.entries {
        if !quiet || audited.entry.error.is_some() && audited.entry.status != EntryStatus::Skipped {
            entry(out, audited, quiet)?;
        }
    }
    match &report.error {
        Some(fault) => error(out, fault),
        None if quiet => Ok(()),
        None => {
            let count = report.entries.iter().filter(|entry| entry.entry.status == EntryStatus::Usable).count();
            let skills = if count == 1 { "skill" } else { "skills" };
            writeln!(
                out,
                "{GOOD}accepted{GOOD:#}: a client gets {count} {skills} from this site; nothing was installed"
            )
        }
    }
}

fn entry(out: &mut dyn Write, audited: &AuditEntry, quiet: bool) -> io::Result<()> {
    let entry = &audited.entry;
    let shown = |text: Option<&str>| escape(text.unwrap_or("-").as_bytes()).to_string();
    let (style, status) = match entry.status {
        EntryStatus::Usable => (GOOD, "usable"),
        EntryStatus::Skipped => (NOTE, "skipped"),
        EntryStatus::Unverified => (NOTE, "unverified"),
        EntryStatus::Failed => (ERROR, "failed"),
        _ => (ERROR, "refused"),
    };
    writeln!(out, "{style}{status:<10}{style:#}  {}  {}", shown(entry.kind.as_deref()), shown(entry.name.as_deref()))?;
    if let Some(url) = entry.url.as_deref().filter(|_| !quiet) {
        writeln!(out, "  {DIM}from{DIM:#}     {}", shown(Some(url)))?;
    }
    if let Some(download) = audited.download.as_ref().filter(|_| !quiet) {
        for hop in &download.redirects {
            writeln!(out, "  {DIM}to{DIM:#}       {}", shown(Some(hop)))?;
        }
        let (kind, bytes) = (shown(download.content_type.as_deref()), audited.bytes.unwrap_or_default());
        writeln!(out, "  {DIM}sent{DIM:#}     {kind}, {bytes} bytes, {}", shown(audited.sha256.as_deref()))?;
    }
    if let Some(skill) = audited.skill.as_ref().filter(|_| !quiet) {
        writeln!(out, "  {DIM}skill{DIM:#}    {}", shown(Some(&skill.name)))?;
    }
    for finding in entry.findings.iter().filter(|_| !quiet) {
        writeln!(out, "  {NOTE}note[{}]{NOTE:#}: {}", finding.code, finding.message)?;
    }
    match (&entry.error, entry.status) {
        (Some(reason), EntryStatus::Skipped | EntryStatus::Unverified) => {
            writeln!(out, "  {DIM}reason{DIM:#}   {reason}")
        }
        (Some(_), _) if !audited.refusals.is_empty() => faults(out, &audited.refusals),
        (Some(fault), _) => faults(out, std::slice::from_ref(fault)),
        (None, _) => Ok(()),
    }
}

fn faults(out: &mut dyn Write, faults: &[Error]) -> io::Result<()> {
    faults.iter().try_for_each(|fault| error(out, fault))
}
