//! From what a pass met to what the report says of it.

use crate::container::{Member, RawKind};
use crate::error::Error;
use crate::escape::escape;
use crate::report::{EntryKind, EntryPath, EntryReport, Finding};

/// Every member has one entry in the report, in archive order, and ordinals count from 1.
pub(super) fn entry_of(ordinal: u64) -> Option<usize> {
    usize::try_from(ordinal).ok().and_then(|ordinal| ordinal.checked_sub(1))
}

pub(super) fn denied_finding(finding: &Finding) -> Error {
    Error::with(finding.code, format!("{} (denied by --deny)", finding.message))
}

/// A member as it stands in the archive.
pub(super) fn describe(member: &Member<'_>) -> EntryReport {
    let (kind, executable, target) = match member.kind {
        RawKind::Directory => (EntryKind::Directory, false, None),
        RawKind::File { executable } => (EntryKind::File, executable, None),
        RawKind::HardLink { target } => (EntryKind::File, false, Some(target)),
        RawKind::Special { .. } => (EntryKind::Special, false, None),
        RawKind::Symlink { target } => (EntryKind::Symlink, false, Some(target)),
    };
    EntryReport {
        path: EntryPath::of(member.name),
        kind,
        bytes: 0,
        executable,
        link_target: target.map(shown_target),
        omitted: false,
        refused: None,
    }
}

/// A target as it stands; escaped and capped if it is not even text, and so will be refused.
fn shown_target(target: &[u8]) -> String {
    std::str::from_utf8(target).map_or_else(|_| escape(target).to_string(), str::to_owned)
}
