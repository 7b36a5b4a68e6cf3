//! Text for people: what happened, where, why, and what to do. Every name goes through `escape`.

use std::fmt::Write as _;
use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use skillx_archive::{Class, Code, EntryKind, EntryPath, EntryReport, Error, Finding, Report, Verdict, escape};

pub(super) const ERROR: Style = AnsiColor::Red.on_default().bold();
pub(super) const NOTE: Style = AnsiColor::Yellow.on_default().bold();
pub(super) const GOOD: Style = AnsiColor::Green.on_default().bold();
pub(super) const DIM: Style = Style::new().dimmed();

/// What is said of one input.
pub(super) fn report(out: &mut dyn Write, report: &Report, quiet: bool, after_refusal: &str) -> io::Result<()> {
    if !quiet {
        let extracting = !after_refusal.is_empty();
        if extracting { findings_of_use(out, report)? } else { findings(out, report)? }
    }
    if let Some(download) =
        report.artifact.download.as_ref().filter(|download| !quiet && !download.redirects.is_empty())
    {
        writeln!(out, "{DIM}redirected to{DIM:#} {}", escape(download.url.as_bytes()))?;
    }
    let Some(error) = &report.error else {
        return if quiet { Ok(()) } else { success(out, report) };
    };
    let class = error.class();
    let errors = if report.refusals.is_empty() { std::slice::from_ref(error) } else { &report.refusals };
    for error in errors {
        headline(out, error)?;
        writeln!(out, "  {DIM}archive{DIM:#}  {}", place(report, error))?;
        advice(out, error)?;
    }
    if class == Class::Usage || after_refusal.is_empty() {
        return Ok(());
    }
    writeln!(out, "{after_refusal}")
}

/// How it ended, in a line or two: what was found stands elsewhere.
pub(super) fn outcome(out: &mut dyn Write, report: &Report, quiet: bool) -> io::Result<()> {
    match &report.error {
        None if quiet => Ok(()),
        None => success(out, report),
        Some(error) => headline(out, error),
    }
}

/// What is worth saying, one line each.
pub(super) fn findings(out: &mut dyn Write, report: &Report) -> io::Result<()> {
    report.findings.iter().try_for_each(|found| finding(out, found))
}

/// The same for somebody who unpacks the archive: in which other clients it breaks is its publisher's business, and is
/// counted.
fn findings_of_use(out: &mut dyn Write, report: &Report) -> io::Result<()> {
    let (others, own): (Vec<_>, Vec<_>) =
        report.findings.iter().partition(|finding| finding.code.as_str().starts_with("portability-"));
    own.into_iter().try_for_each(|found| finding(out, found))?;
    match others.len() {
        0 => Ok(()),
        _ if report.error.is_some() => Ok(()),
        1 => writeln!(out, "{NOTE}note{NOTE:#}: 1 finding is about other clients; skillx check shows it"),
        count => writeln!(out, "{NOTE}note{NOTE:#}: {count} findings are about other clients; skillx check shows them"),
    }
}

fn finding(out: &mut dyn Write, finding: &Finding) -> io::Result<()> {
    let (severity, code) = (finding.severity.as_str(), finding.code.as_str());
    writeln!(out, "{NOTE}{severity}[{code}]{NOTE:#}: {}", finding.message)
}

/// An error that belongs to no input.
pub(super) fn error(out: &mut dyn Write, error: &Error) -> io::Result<()> {
    headline(out, error)?;
    advice(out, error)
}

fn headline(out: &mut dyn Write, error: &Error) -> io::Result<()> {
    write!(out, "{ERROR}error[{}]{ERROR:#}: {error}", error.code())?;
    if let Some(source) = error.io_error() {
        write!(out, ": {}", escape(source.to_string().as_bytes()))?;
    }
    writeln!(out)
}

fn advice(out: &mut dyn Write, error: &Error) -> io::Result<()> {
    writeln!(out, "  {DIM}why{DIM:#}      {}", error.why())?;
    writeln!(out, "  {DIM}help{DIM:#}     {}", error.help().replace("\n  ", "\n           "))
}

/// Archive, digest and byte offset.
fn place(report: &Report, error: &Error) -> String {
    let source = report.artifact.source.as_deref().unwrap_or("-");
    let mut text = escape(source.as_bytes()).to_string();
    if let Some(sha256) = &report.artifact.sha256 {
        let _ = write!(text, ", {sha256}");
    }
    if let Some(offset) = error.offset() {
        let code = error.code().as_str();
        let in_file =
            report.artifact.format != Some("tar.gz") || code.starts_with("gzip-") || code == "deflate-invalid";
        let what = if in_file { "byte" } else { "tar stream at byte" };
        let _ = write!(text, ", {what} {offset}");
    }
    text
}

fn success(out: &mut dyn Write, report: &Report) -> io::Result<()> {
    let artifact = &report.artifact;
    let source = escape(artifact.source.as_deref().unwrap_or("-").as_bytes()).to_string();
    let proof = match (artifact.verified, artifact.digest_source) {
        (true, "sidecar") => "digest matches its sidecar (which is no proof of origin): ",
        (true, _) => "digest verified: ",
        (false, _) if artifact.sha256.is_none() => "the directory passes every check",
        (false, _) => "accepted WITHOUT a digest: ",
    };
    let digest = artifact.sha256.as_deref().unwrap_or_default();
    writeln!(out, "{GOOD}ok{GOOD:#}: {source}: {proof}{digest}")?;
    if let Some(skill) = &report.skill {
        let (name, description) = (escape(skill.name.as_bytes()), escape(skill.description.as_bytes()));
        writeln!(out, "  {DIM}skill{DIM:#}    {name} - {description}")?;
    }
    if let Some(plugin) = &report.plugin {
        let name = escape(plugin.manifest.name.as_bytes());
        let (skills, servers) = (plugin.skills.len(), plugin.servers.len());
        writeln!(out, "  {DIM}plugin{DIM:#}   {name}, {skills} skills, {servers} servers")?;
    }
    writeln!(out, "  {DIM}content{DIM:#}  {}", content(report))
}

/// How much there is of what.
pub(super) fn content(report: &Report) -> String {
    let totals = &report.totals;
    let count = |number: u64, one: &str, many: &str| format!("{number} {}", if number == 1 { one } else { many });
    let omitted = report.entries.iter().filter(|entry| entry.omitted).count() as u64;
    let mut parts = vec![count(totals.files, "file", "files"), count(totals.directories, "directory", "directories")];
    if totals.links > 0 {
        parts.push(count(totals.links, "link", "links"));
    }
    parts.push(count(totals.bytes, "byte", "bytes"));
    if omitted > 0 {
        parts.push(format!("{omitted} of macOS metadata left out"));
    }
    parts.join(", ")
}

/// One line an entry.
pub(super) fn listing(report: &Report) -> String {
    let mut text = String::new();
    for entry in &report.entries {
        let kind = match entry.kind {
            EntryKind::Directory => 'd',
            EntryKind::File if entry.executable => 'x',
            EntryKind::File => '-',
            EntryKind::Symlink => 'l',
            _ => '!',
        };
        let _ = write!(text, "{kind} {:>10}  {}", entry.bytes, shown(entry));
        if let Some(target) = &entry.link_target {
            let _ = write!(text, " -> {}", escape(target.as_bytes()));
        }
        match (entry.refused, entry.omitted) {
            (Some(code), _) => {
                let _ = write!(text, "  refused[{code}]");
            }
            (None, true) => text.push_str("  left out (macOS metadata)"),
            (None, false) => {}
        }
        text.push('\n');
    }
    let verdict = match report.verdict {
        Verdict::Accepted => "accepted",
        Verdict::Refused => "refused",
        _ => "no verdict",
    };
    let _ = writeln!(text, "{verdict}");
    text
}

fn shown(entry: &EntryReport) -> String {
    path(&entry.path)
}

/// A path that may be a stranger's.
pub(super) fn path(path: &EntryPath) -> String {
    match path {
        EntryPath::Text(text) => escape(text.as_bytes()).to_string(),
        EntryPath::Bytes(bytes) => {
            // As the JSON has them, and cut like any other name.
            let mut hex = String::from("hex:");
            for byte in bytes.iter().take(100) {
                let _ = write!(hex, "{byte:02x}");
            }
            if bytes.len() > 100 { hex + "..." } else { hex }
        }
        _ => String::new(),
    }
}

/// The destination as it can be copied into a shell, unless it holds what a terminal would act on.
pub(super) fn plain_path(path: &str) -> String {
    let shown = Error::of(Code::Io, path).detail().to_owned();
    if shown == path.replace('\\', r"\\") { path.to_owned() } else { shown }
}

/// One code.
pub(super) fn code(code: Code) -> String {
    let row = code.explain();
    format!(
        "{}\n  what   {}\n  why    {}\n  help   {}\n  class  {}\n",
        row.code,
        row.what,
        row.why,
        row.help,
        class_text(row.class)
    )
}

/// All codes, one a line.
pub(super) fn codes(codes: &[Code]) -> String {
    let mut text = String::new();
    for code in codes {
        let row = code.explain();
        let _ = writeln!(text, "{:<24} {:<8} {}", row.code, short_class(row.class), row.what);
    }
    text
}

fn class_text(class: Class) -> &'static str {
    match class {
        Class::Failed => "failed: says nothing about the archive (exit code 3)",
        Class::Finding => "finding: reported, refused only with --deny (then exit code 1)",
        Class::Usage => "usage: the call is at fault (exit code 2)",
        _ => "refused: what was read is at fault, on every machine (exit code 1)",
    }
}

fn short_class(class: Class) -> &'static str {
    match class {
        Class::Failed => "failed",
        Class::Finding => "finding",
        Class::Usage => "usage",
        _ => "refused",
    }
}
