//! What cannot be reached through the public API: the reader alone, on bytes in memory and in a file.

use super::ZipMembers;
use crate::artifact::Artifact;
use crate::cancel::Cancel;
use crate::container::{Encoding, Members, RawKind};
use crate::error::Result;
use crate::limits::{Budget, Limits};

/// A member with its content, owned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Read {
    pub(super) offset: u64,
    pub(super) name: Vec<u8>,
    pub(super) kind: String,
    pub(super) conflict: Option<&'static str>,
    pub(super) encoding: Encoding,
    pub(super) content: Vec<u8>,
}

pub(super) fn read(bytes: &[u8], limits: &Limits) -> Result<Vec<Read>> {
    let artifact = Artifact::from_reader(bytes, limits)?;
    let mut budget = Budget::new(limits, &Cancel::new(), artifact.len());
    let mut members = ZipMembers::open(artifact.spool(), &mut budget)?;
    let mut all = Vec::new();
    while let Some(member) = members.next(&mut budget)? {
        assert_eq!(member.ordinal, all.len() as u64 + 1);
        let kind = match member.kind {
            RawKind::Directory => "directory".to_owned(),
            RawKind::File { executable } => format!("file{}", if executable { "+x" } else { "" }),
            RawKind::Symlink { target } => format!("-> {}", target.escape_ascii()),
            other => format!("{other:?}"),
        };
        let (conflict, encoding) = (member.kind_conflict, member.encoding);
        let mut read =
            Read { offset: member.offset, name: member.name.to_vec(), kind, conflict, encoding, content: Vec::new() };
        while let Some(piece) = members.data(&mut budget)? {
            assert!(!piece.is_empty());
            read.content.extend_from_slice(piece);
        }
        assert!(members.data(&mut budget)?.is_none());
        all.push(read);
    }
    Ok(all)
}
