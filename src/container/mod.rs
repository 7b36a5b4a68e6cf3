//! Verified bytes in, members out, in archive order, by pull. Touches no file system.
//!
//! A container knows its format and nothing of the policy: it hands out names, kinds and bytes as they stand, and
//! refuses only what has more than one structural reading.

mod format;
mod gzip;
mod tar;
mod zip;

pub use self::format::Format;
pub(crate) use self::format::resolve;
use self::tar::TarMembers;
use self::zip::ZipMembers;
use crate::artifact::Spool;
use crate::error::Result;
use crate::limits::Budget;

/// A member as it stands in the archive. Nothing in it has been checked against the policy.
#[derive(Debug)]
pub(crate) struct Member<'a> {
    /// Its number, counted from 1.
    pub(crate) ordinal: u64,
    /// Where its header begins.
    pub(crate) offset: u64,
    /// Its name, raw.
    pub(crate) name: &'a [u8],
    /// How sure the container is of the name's encoding.
    pub(crate) encoding: Encoding,
    /// What it is.
    pub(crate) kind: RawKind<'a>,
    /// The container's headers contradict each other on the kind: the policy refuses it (`path-kind-mismatch`).
    pub(crate) kind_conflict: Option<&'static str>,
}

/// What a member is, before any check.
#[derive(Debug, Clone, Copy)]
pub(crate) enum RawKind<'a> {
    Directory,
    File { executable: bool },
    HardLink { target: &'a [u8] },
    Special { what: &'static str },
    Symlink { target: &'a [u8] },
}

/// What the container says of a name's encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// UTF-8 by the format's rules.
    Utf8,
    /// Not said to be UTF-8, but written by hosts that write UTF-8: taken as UTF-8, and reported.
    Unflagged,
    /// Not UTF-8, or nobody can know: refused if it is not ASCII.
    Unknown,
}

/// Members by pull.
pub(crate) trait Members {
    /// The next member, or `None` once the archive has been read to its very end and every check passed. What is left
    /// of the current member's content is read and checked first.
    fn next(&mut self, budget: &mut Budget) -> Result<Option<Member<'_>>>;

    /// The next piece of the current file's content, never empty; `None` at its end.
    fn data(&mut self, budget: &mut Budget) -> Result<Option<&[u8]>>;

    /// Where the reader stands, for errors that the budget raises.
    fn position(&self) -> u64;
}

/// Opens an archive of a known format.
pub(crate) fn open<'a>(
    format: Format,
    spool: &'a Spool,
    threads: usize,
    budget: &mut Budget,
) -> Result<Box<dyn Members + 'a>> {
    Ok(match format {
        Format::TarGz => Box::new(TarMembers::open(spool, threads)?),
        Format::Zip => Box::new(ZipMembers::open(spool, budget)?),
    })
}

/// Where a signature stands in some bytes.
fn signatures<'b>(bytes: &'b [u8], signature: &'b [u8; 4]) -> impl Iterator<Item = usize> + 'b {
    memchr::memmem::find_iter(bytes, signature)
}
