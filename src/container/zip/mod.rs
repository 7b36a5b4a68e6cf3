//! Zip, by a strict reader of its own (APPNOTE 6.3.10).
//!
//! Readers of a zip go by the directory at its end or by the local headers as they come, believe different fields, and
//! look for the end in different ways. Here an archive has to say the same to all of them: from byte 0 on, local
//! header, data and data descriptor of one entry touch those of the next, then follow the directory, the zip64 records
//! and the end record, and nothing else. Every field that decides what is written says the same wherever it stands, and
//! sizes and CRC are those of the data.
//!
//! # What is stricter than APPNOTE, and why
//!
//! - 4.1.9, 4.3.1: no self-extractor in front, no gap, no archive extra data record (4.3.11), no digital signature
//!   (4.3.13), nothing after the end but the NULs that bsdtar pads with. Other readers find other archives there.
//! - 4.3.6: the directory lists every local header, one each; two records for one header, or an entry that begins
//!   inside another, are refused.
//! - 4.3.9.3: a data descriptor may stand without its signature, unless its CRC reads as one. Its sizes have 64 bits
//!   exactly if the local header has a zip64 field: readers of a stream go by that. (Writers that stream 64-bit
//!   descriptors without one, for members over 4 GiB, are far beyond the limits.)
//! - 4.3.9: a *stored* member with a data descriptor is taken (bsdtar and client-zip write them) if the descriptor has
//!   its signature and the data holds no signature followed by the CRC of what is before it: bsdtar, reading from a
//!   pipe, ends the member at the first place that looks so.
//! - 4.3.14: the zip64 end record has no extensible data and touches its locator. It may be there without need (Ant,
//!   commons-compress write it so) if it agrees with the end record. The locator may count 0 disks for 1 (minizip).
//! - 4.3.16: exactly one place of the file can be taken for the end record, so none may stand in the comment.
//! - 4.4.1.3: the directory may list entries in another order than they have in the file, and some writers do (Haskell
//!   `zip`, OCaml `zipc`, the Android build tools). This is the one thing that two readers may see differently: it
//!   changes the order of a listing and nothing that is installed, as no entry may replace or fold into another.
//!   Members are handed out in the order of the file.
//! - 4.4.3: "version needed" is at most 63, and its upper byte zero (libarchive takes it for the host). Version 1.0
//!   with deflate is fine (git).
//! - 4.4.4: flag bits 1, 2, 3 and 11 only. No encryption of any kind (7.0).
//! - 4.4.5: methods 0 and 8 only.
//! - 4.4.8, 4.4.9: all ones in a 32-bit size or offset always needs a zip64 field. 65,535 entries without a zip64 end
//!   record are just so many (Python).
//! - 4.4.15: the attributes of a volume label (`unzip` leaves the entry out) and of a reparse point (7-Zip makes a link
//!   of it) are refused.
//! - 4.5: extra fields are well-formed, and those that give an entry another name, kind or content for the readers that
//!   know them are refused or must say the same.
//! - 4.4.12, 4.4.26: comments are text without control characters, those of entries without `PK`.
//!
//! # What is laxer
//!
//! - 4.5.3: the zip64 field may give more numbers than are missing, if every reading gives the same (torch and selenium
//!   wheels); in a local header it may give the true sizes where the directory has none (commons-compress).
//! - 4.4.4, 4.4.7: with flag bit 3 each of CRC and sizes in the local header may be zero, all ones or true, each by
//!   itself (bsdtar, Info-ZIP, Python). The data descriptor says it again. A size of all ones needs the zip64 field:
//!   bsdtar, reading from a pipe, makes a file of 4 GiB without one.
//! - A directory may have an empty deflate stream for data (jar), method 8 and no data (PHP), or a data descriptor.

mod data;
mod descriptor;
mod end;
mod entry;
mod extra;
mod gap;
mod kind;
mod layout;
mod local;
mod records;
#[cfg(test)]
mod tests;

use self::data::Body;
use self::end::Directory;
use self::entry::{Bounds, Entry, Scratch};
use self::kind::{Kind, Shape};
use self::layout::Slot;
use self::records::Source;
use super::{Member, Members, RawKind};
use crate::artifact::Spool;
use crate::error::{Code, Error, Result};
use crate::limits::Budget;

/// The members of a zip, in the order of the file.
#[derive(Debug)]
pub(crate) struct ZipMembers<'a> {
    source: Source<'a>,
    directory: Directory,
    slots: Vec<Slot>,
    /// Members handed out so far; the number of the current one.
    ordinal: usize,
    scratch: Scratch,
    body: Body<'a>,
    target: Vec<u8>,
}

impl<'a> ZipMembers<'a> {
    /// Reads the end of the file and goes through the directory once: there is one end record, every entry that it
    /// counts has a local header of its own, and the first one begins the file. The rest is checked entry by entry.
    pub(crate) fn open(spool: &'a Spool, budget: &mut Budget) -> Result<Self> {
        let source = Source(spool);
        let directory = end::directory(source, budget)?;
        let slots = layout::slots(source, &directory, budget)?;
        Ok(Self {
            source,
            directory,
            slots,
            ordinal: 0,
            scratch: Scratch::default(),
            body: Body::new(source),
            target: Vec::new(),
        })
    }

    /// Headers of the next entry; its content is read from here on.
    fn advance(&mut self, slot: Slot, budget: &mut Budget) -> Result<Entry> {
        let directory = self.directory.start;
        let next = self.slots.get(self.ordinal).map_or(directory, |slot| slot.local);
        let bounds = Bounds { ordinal: self.ordinal as u64, next, directory };
        let entry = Entry::read(self.source, slot, bounds, &mut self.scratch, budget)?;
        self.body.begin(entry);
        self.target.clear();
        match entry.kind {
            Kind { shape: Shape::Symlink, conflict: None } => self.read_target(budget)?,
            Kind { shape: Shape::Directory, conflict: None } => self.read_nothing(budget)?,
            _ => {}
        }
        Ok(entry)
    }

    /// The content of a symbolic link is its target.
    fn read_target(&mut self, budget: &mut Budget) -> Result<()> {
        let most = budget.limits().link_target;
        while let Some(piece) = self.body.piece(budget)? {
            if (self.target.len() as u64).saturating_add(piece.len() as u64) > most {
                return Err(Error::with(
                    Code::LinkTargetInvalid,
                    format!("the link target is longer than {most} bytes"),
                ));
            }
            self.target.extend_from_slice(piece);
        }
        Ok(())
    }

    /// The data of a directory is none, or a deflate stream of nothing.
    fn read_nothing(&mut self, budget: &mut Budget) -> Result<()> {
        let outcome = self.body.piece(budget).map(|piece| piece.is_some());
        match outcome {
            Ok(false) => Ok(()),
            Err(error) if !matches!(error.code(), Code::ZipSizeMismatch | Code::DeflateInvalid) => Err(error),
            _ => {
                Err(Error::with(Code::PayloadOnNonFile, "a directory carries data that is not an empty deflate stream"))
            }
        }
    }

    fn about_current(&self, error: Error) -> Error {
        error.in_entry(self.ordinal as u64, &self.scratch.name)
    }
}

impl Members for ZipMembers<'_> {
    fn next(&mut self, budget: &mut Budget) -> Result<Option<Member<'_>>> {
        while self.data(budget)?.is_some() {}
        let Some(slot) = self.slots.get(self.ordinal).copied() else { return Ok(None) };
        self.ordinal = self.ordinal.saturating_add(1);
        let entry = self.advance(slot, budget).map_err(|error| self.about_current(error))?;
        let kind = match entry.kind.shape {
            Shape::Directory => RawKind::Directory,
            Shape::File { executable } => RawKind::File { executable },
            Shape::Special(what) => RawKind::Special { what },
            Shape::Symlink => RawKind::Symlink { target: &self.target },
        };
        Ok(Some(Member {
            ordinal: self.ordinal as u64,
            offset: slot.local,
            name: &self.scratch.name,
            encoding: entry.encoding,
            kind,
            kind_conflict: entry.kind.conflict,
        }))
    }

    fn data(&mut self, budget: &mut Budget) -> Result<Option<&[u8]>> {
        let (ordinal, name) = (self.ordinal as u64, &self.scratch.name);
        self.body.piece(budget).map_err(|error| error.in_entry(ordinal, name))
    }

    fn position(&self) -> u64 {
        self.body.position()
    }
}
