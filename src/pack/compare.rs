//! Whether an archive that exists is what a directory packs to, and what is different first.

use std::collections::BTreeMap;

use super::Packed;
use crate::artifact::Artifact;
use crate::error::{Code, Error, Result};
use crate::escape::escape;
use crate::layout::Layout;
use crate::pipeline::Options;
use crate::report::{EntryKind, EntryPath, EntryReport};

pub(super) fn compare(packed: &Packed, other: Artifact) -> Result<()> {
    let (expected, found) = (packed.digest(), other.digest());
    if expected == found {
        return Ok(());
    }
    // The limits of both runs are the same: what was packed is within them.
    let report = other.trust_without_digest().check(&Options::default().layout(Layout::Any));
    let difference = match &report.error {
        Some(error) => format!("it is no archive that passes the checks: {error}"),
        None => first_difference(&packed.report.entries, &report.entries),
    };
    let detail = format!("the file has {found}, the directory packs to {expected}: {difference}");
    Err(Error::with(Code::PackDiffers, detail))
}

fn first_difference(expected: &[EntryReport], found: &[EntryReport]) -> String {
    let by_path = |entries: &[EntryReport]| -> BTreeMap<String, EntryReport> {
        // Directories that hold something are written by some archivers and not by others.
        let named = entries.iter().filter(|entry| entry.kind != EntryKind::Directory);
        named.map(|entry| (shown(&entry.path), entry.clone())).collect()
    };
    let (expected_paths, found_paths) = (by_path(expected), by_path(found));
    let missing = expected_paths.keys().find(|path| !found_paths.contains_key(*path));
    let surplus = found_paths.keys().find(|path| !expected_paths.contains_key(*path));
    let other = expected_paths.iter().find_map(|(path, entry)| {
        let found = found_paths.get(path)?;
        let what = if found.kind != entry.kind || found.link_target != entry.link_target {
            "is of another kind"
        } else if found.bytes != entry.bytes {
            "has another size"
        } else if found.executable != entry.executable {
            "differs in its execute bit"
        } else {
            return None;
        };
        Some(format!("`{path}` {what}"))
    });
    match (missing, surplus, other) {
        (Some(path), ..) => format!("the archive lacks `{path}`"),
        (None, Some(path), _) => format!("the archive has `{path}`, the directory has not"),
        (None, None, Some(other)) => other,
        (None, None, None) if expected.iter().map(|entry| &entry.path).eq(found.iter().map(|entry| &entry.path)) => {
            "the same names and sizes; contents, times or compression differ".to_owned()
        }
        (None, None, None) => "the same names and sizes, in another order or with other directories".to_owned(),
    }
}

fn shown(path: &EntryPath) -> String {
    match path {
        EntryPath::Text(text) => escape(text.as_bytes()).to_string(),
        EntryPath::Bytes(bytes) => escape(bytes).to_string(),
    }
}
