//! A second, shorter reading of the archive, for content that turned out to matter only later.

use crate::container::Members;
use crate::error::Result;
use crate::limits::Budget;

/// A SKILL.md that is a second name of an earlier file.
pub(super) struct LinkedSkill {
    pub(super) source: u64,
    pub(super) entry: usize,
    pub(super) ordinal: u64,
    pub(super) offset: u64,
    pub(super) bytes: u64,
}

/// The content of one member, as much as is looked at of a SKILL.md.
pub(super) fn content(members: &mut dyn Members, ordinal: u64, budget: &mut Budget, most: u64) -> Result<Vec<u8>> {
    while let Some(member) = members.next(budget)? {
        if member.ordinal == ordinal {
            break;
        }
    }
    let mut content = Vec::new();
    while let Some(piece) = members.data(budget)? {
        content.extend_from_slice(piece);
        if content.len() as u64 > most {
            break;
        }
    }
    Ok(content)
}
