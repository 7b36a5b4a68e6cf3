//! What a site publishes, and what was installed from it, for people. Every name goes through `escape`.

use std::fmt::Write as _;
use std::io::{self, Write};

use skillx_archive::site::{EntryStatus, IndexReport, InstallReport, RemoveReport, SkillOutcome, Status, Update};
use skillx_archive::{Error, Finding, WebReport, escape};

use super::text::{DIM, ERROR, GOOD, NOTE, error};

/// Most names of one kind that are listed.
const MOST: usize = 20;

/// One line an entry: for stdout.
pub(super) fn listing(report: &IndexReport) -> String {
    let mut text = String::new();
    for entry in &report.entries {
        let status = match entry.status {
            EntryStatus::Usable => "usable",
            EntryStatus::Service => "service",
            EntryStatus::Skipped => "skipped",
            EntryStatus::Unverified => "unverified",
            _ => "refused",
        };
        let shown = |text: &Option<String>| escape(text.as_deref().unwrap_or("-").as_bytes()).to_string();
        let (kind, name, description) = (shown(&entry.kind), shown(&entry.name), shown(&entry.description));
        let optional = if entry.optional { " (optional)" } else { "" };
        let _ = writeln!(text, "{status:<10}  {kind:<8}  {name}{optional} - {description}");
    }
    text
}

/// What is said about an index besides its entries.
pub(super) fn index(out: &mut dyn Write, report: &IndexReport, quiet: bool) -> io::Result<()> {
    if !quiet {
        if let Some(index) = &report.index {
            let (url, version) = (escape(index.url.as_bytes()), escape(index.version.as_bytes()));
            let protocol = index.protocol.unwrap_or("agent-skills");
            writeln!(out, "{DIM}index{DIM:#}     {url} ({protocol} {version}, {} bytes)", index.bytes)?;
        }
        let of_entries = report.entries.iter().flat_map(|entry| &entry.findings);
        findings(out, report.findings.iter().chain(of_entries))?;
    }
    for entry in report.entries.iter().filter(|entry| entry.status == EntryStatus::Refused) {
        if let Some(fault) = &entry.error {
            brief(out, fault)?;
        }
    }
    report.error.as_ref().map_or(Ok(()), |fault| error(out, fault))
}

/// The directories of the skills that are there now: for stdout.
pub(super) fn destinations(report: &InstallReport) -> Vec<String> {
    report.skills.iter().filter(|skill| skill.error.is_none()).filter_map(|skill| skill.output.clone()).collect()
}

/// What was done with each skill.
pub(super) fn install(out: &mut dyn Write, report: &InstallReport, quiet: bool) -> io::Result<()> {
    if !quiet {
        findings(out, report.findings.iter())?;
    }
    for skill in &report.skills {
        outcome(out, skill, quiet)?;
    }
    let shown = |fault: &Error| report.skills.iter().filter_map(|skill| skill.error.as_ref()).any(|e| same(e, fault));
    match &report.error {
        Some(fault) if !shown(fault) => error(out, fault),
        _ => Ok(()),
    }
}

fn same(a: &Error, b: &Error) -> bool {
    a.code() == b.code() && a.detail() == b.detail()
}

fn outcome(out: &mut dyn Write, skill: &SkillOutcome, quiet: bool) -> io::Result<()> {
    let name = escape(skill.name.as_deref().unwrap_or("-").as_bytes());
    let what = match skill.status {
        Status::Installed => "installed",
        Status::Updated => "updated",
        Status::Unchanged => "unchanged, nothing was downloaded",
        Status::Skipped => "skipped",
        Status::Untouched => "left as it is",
        _ => "not installed",
    };
    if let Some(fault) = skill.error.as_ref().filter(|_| skill.status != Status::Skipped) {
        writeln!(out, "{ERROR}{name}{ERROR:#}: {what}")?;
        return error(out, fault);
    }
    if quiet {
        return Ok(());
    }
    writeln!(out, "{GOOD}{name}{GOOD:#}: {what}")?;
    let is_new = matches!(skill.status, Status::Installed | Status::Updated);
    if let (Some(digest), Some(url), true) = (&skill.digest, &skill.url, is_new) {
        writeln!(out, "  {DIM}from{DIM:#}     {}, {}", escape(url.as_bytes()), escape(digest.as_bytes()))?;
    }
    if let Some(update) = &skill.update {
        changes(out, update)?;
    } else if let Some(report) = &skill.report {
        let executables: Vec<_> = report.entries.iter().filter(|entry| entry.executable && !entry.omitted).collect();
        if !executables.is_empty() {
            writeln!(out, "  {DIM}scripts{DIM:#}  {} executable, none was run", executables.len())?;
        }
    }
    if let Some(keys) = skill.report.as_ref().and_then(|report| report.skill.as_ref()?.web.as_ref()) {
        web(out, keys)?;
    }
    let of_report = skill.report.iter().flat_map(|report| &report.findings);
    findings(out, skill.findings.iter().chain(of_report))
}

/// What a skill of Web Skills says of itself and of the service behind it.
fn web(out: &mut dyn Write, keys: &WebReport) -> io::Result<()> {
    let limit = keys.rate_limit.as_ref();
    let shown = [
        ("version", &keys.version),
        ("auth", &keys.auth),
        ("base_url", &keys.base_url),
        ("author", &keys.author),
        ("api_version", &keys.api_version),
        ("contact", &keys.contact),
        ("rate_limit.agent", limit.map_or(&None, |limit| &limit.agent)),
        ("rate_limit.api", limit.map_or(&None, |limit| &limit.api)),
    ];
    for (key, value) in shown.into_iter().filter_map(|(key, value)| Some((key, value.as_ref()?))) {
        writeln!(out, "  {key:<16}  {}", escape(value.as_bytes()))?;
    }
    Ok(())
}

/// What an update brought.
fn changes(out: &mut dyn Write, update: &Update) -> io::Result<()> {
    let groups = [
        ("added", &update.added),
        ("changed", &update.changed),
        ("removed", &update.removed),
        ("new executable", &update.new_executables),
        ("new link", &update.new_links),
    ];
    for (what, paths) in groups {
        for path in paths.iter().take(MOST) {
            writeln!(out, "  {what:<14}  {}", escape(path.as_bytes()))?;
        }
        if paths.len() > MOST {
            writeln!(out, "  {what:<14}  ... and {} more", paths.len() - MOST)?;
        }
    }
    if let Some(description) = &update.description {
        let shown = |text: &Option<String>| escape(text.as_deref().unwrap_or("-").as_bytes()).to_string();
        writeln!(out, "  {:<14}  {}", "description", shown(&description.from))?;
        writeln!(out, "  {:<14}  {}", "  is now", shown(&description.to))?;
    }
    Ok(())
}

pub(super) fn remove(out: &mut dyn Write, report: &RemoveReport, quiet: bool) -> io::Result<()> {
    match &report.error {
        Some(fault) => error(out, fault),
        None if quiet => Ok(()),
        None => writeln!(out, "{GOOD}{}{GOOD:#}: removed", escape(report.name.as_bytes())),
    }
}

fn findings<'f>(out: &mut dyn Write, findings: impl Iterator<Item = &'f Finding>) -> io::Result<()> {
    for finding in findings {
        let code = finding.code.as_str();
        writeln!(out, "{NOTE}note[{code}]{NOTE:#}: {}", finding.message)?;
    }
    Ok(())
}

/// An error in one line, and what to do.
fn brief(out: &mut dyn Write, fault: &Error) -> io::Result<()> {
    writeln!(out, "{ERROR}error[{}]{ERROR:#}: {fault}", fault.code())?;
    writeln!(out, "  {DIM}help{DIM:#}     {}", fault.help().replace("\n  ", "\n           "))
}
