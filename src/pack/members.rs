//! A tree read as the archive it will be: what the checks see before a byte is written.

use cap_std::fs::File;

use super::tree::{ItemKind, Tree};
use crate::confine::read_piece;
use crate::container::{Encoding, Member, Members, RawKind};
use crate::error::{Error, Result};
use crate::escape::escape;
use crate::limits::Budget;

/// Bytes of a file read at a time.
const PIECE: usize = 64 * 1024;

pub(super) struct TreeMembers<'t> {
    tree: &'t Tree,
    next: usize,
    file: Option<File>,
    piece: Vec<u8>,
}

impl<'t> TreeMembers<'t> {
    pub(super) fn new(tree: &'t Tree) -> Self {
        Self { tree, next: 0, file: None, piece: vec![0; PIECE] }
    }
}

impl Members for TreeMembers<'_> {
    fn next(&mut self, budget: &mut Budget) -> Result<Option<Member<'_>>> {
        budget.tick()?;
        self.file = None;
        let Some(item) = self.tree.items().get(self.next) else { return Ok(None) };
        self.next = self.next.saturating_add(1);
        let kind = match &item.kind {
            ItemKind::Directory => RawKind::Directory,
            ItemKind::File { executable } => {
                self.file = Some(self.tree.open(item)?.0);
                RawKind::File { executable: *executable }
            }
            ItemKind::Symlink { target } => RawKind::Symlink { target },
            ItemKind::Special => RawKind::Special { what: "a device, FIFO or socket" },
        };
        let (ordinal, name) = (self.next as u64, &item.path);
        Ok(Some(Member { ordinal, offset: 0, name, encoding: Encoding::Utf8, kind, kind_conflict: None }))
    }

    fn data(&mut self, budget: &mut Budget) -> Result<Option<&[u8]>> {
        budget.tick()?;
        let Some(file) = &mut self.file else { return Ok(None) };
        match read_piece(file, &mut self.piece) {
            Ok(piece) => Ok(Some(piece).filter(|piece| !piece.is_empty())),
            Err(error) => {
                let item = self.next.checked_sub(1).and_then(|last| self.tree.items().get(last));
                let path = item.map(|item| item.path.as_slice()).unwrap_or_default();
                Err(Error::io(format!("cannot read `{}`", escape(path)), error))
            }
        }
    }

    fn position(&self) -> u64 {
        0
    }
}
