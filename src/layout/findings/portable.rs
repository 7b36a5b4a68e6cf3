//! Which clients an accepted archive breaks in. Each fact is said once, with a count and the first path.

use super::{Said, Whole, shown};
use crate::error::Code;
use crate::report::{EntryKind, EntryPath, EntryReport};

/// What npx skills 1.7 and skill-deck allow.
const MOST_FILES: u64 = 1000;
const MOST_BYTES: u64 = 50 << 20;
/// What fast-agent downloads.
const MOST_ARCHIVE: u64 = 10 << 20;
/// What microsoft/agent-framework allows.
const FEW_FILES: u64 = 20;
const FEW_BYTES: u64 = 1 << 20;
/// What the name field of a tar header holds.
const SHORT_PATH: usize = 100;

pub(super) fn look(whole: Whole<'_>, dotted: u64, hard_links: u64, said: &mut Said) {
    let mut say = |code: Code, message: String| said.say(code, None, || message);
    if dotted > 0 {
        let text = "npx skills 1.7 fails, skill-deck and agentsync refuse the archive";
        say(Code::PortabilityDotEntries, format!("{} with `./`: {text}", of(dotted, "name begins", "names begin")));
    }
    let is_file = |entry: &&EntryReport| entry.kind == EntryKind::File && !entry.omitted;
    let files = whole.entries.iter().filter(is_file).count() as u64;
    let archive = whole.archive.unwrap_or_default();
    if files > MOST_FILES || whole.bytes > MOST_BYTES || archive > MOST_ARCHIVE {
        say(
            Code::PortabilityLarge,
            format!(
                "{}, {} bytes: npx skills 1.7 and skill-deck stop at 1000 files or 50 MiB, fast-agent at 50 MiB or an archive of 10 MiB",
                of(files, "file", "files"),
                whole.bytes
            ),
        );
    } else if files > FEW_FILES || whole.bytes > FEW_BYTES {
        let text = "microsoft/agent-framework stops at 20 files or 1 MiB";
        say(Code::PortabilitySmallLimits, format!("{}, {} bytes: {text}", of(files, "file", "files"), whole.bytes));
    }
    let links = hard_links.saturating_add(whole.links.len() as u64);
    if links > 0 {
        let text = "npx skills 1.7, skill-deck, fast-agent and mcpkit refuse the whole skill";
        say(Code::PortabilityLinks, format!("{}: {text}", of(links, "link", "links")));
    }
    let paths = || whole.entries.iter().filter_map(path_of).chain(whole.links.iter().copied());
    if !whole.is_zip {
        if let Some((count, first)) = count(paths().filter(|path| !path.is_ascii())) {
            let text = "npx skills 1.7 installs them under other names where only a pax header has them";
            say(
                Code::PortabilityNonAscii,
                format!("{} not ASCII, the first is `{}`: {text}", of(count, "name is", "names are"), shown(first)),
            );
        }
        if let Some((count, first)) = count(paths().filter(|path| path.len() > SHORT_PATH)) {
            let text = "npx skills 1.7 cuts them there";
            say(
                Code::PortabilityLongPaths,
                format!(
                    "{} longer than 100 bytes, the first is `{}`: {text}",
                    of(count, "path is", "paths are"),
                    shown(first)
                ),
            );
        }
    }
    let executable = whole.entries.iter().filter(is_file).filter(|entry| entry.executable).filter_map(path_of);
    if let Some((count, first)) = count(executable) {
        let text = "npx skills 1.7, skill-deck, gh skill and agent-framework install them without the execute bit";
        say(
            Code::PortabilityExecBit,
            format!("{} executable, the first is `{}`: {text}", of(count, "file is", "files are"), shown(first)),
        );
    }
}

fn of(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

fn path_of(entry: &EntryReport) -> Option<&str> {
    match &entry.path {
        EntryPath::Text(path) if !entry.omitted && !path.is_empty() => Some(path),
        _ => None,
    }
}

fn count<'p>(mut paths: impl Iterator<Item = &'p str>) -> Option<(u64, &'p str)> {
    let first = paths.next()?;
    Some(((paths.count() as u64).saturating_add(1), first))
}
