//! tar, with our own framing: members in archive order, each with the extensions that belong to it applied.
//!
//! Where this reader is stricter or looser than POSIX pax and GNU tar, and why:
//!
//! - **ustar and GNU magic only.** Headers before ustar (v7) leave kinds to guesswork: `tar-dialect`.
//! - **No pax header together with GNU `L`/`K` on one member, no pax header before a GNU member**: readers differ on
//!   which wins (`mixed-tar-dialect`). `L`/`K` before ustar members are read alike everywhere and accepted.
//! - **pax `size` must equal the header's**, unless the header cannot hold it: readers that obey one of two values see
//!   other members (`tar-size-conflict`).
//! - **`path`, `linkpath` and `size` once each, non-empty, and never in a global header.** POSIX lets an empty value
//!   delete the key, and the last of several win; readers do neither alike.
//! - **Every other pax key is ignored, whatever its value.** Owners, times and attributes are never restored, so their
//!   values cannot matter; keys that change content or framing (`GNU.sparse.*`, `SCHILY.realsize` …) are refused.
//! - **`hdrcharset` only UTF-8**, and names only UTF-8: POSIX allows any.
//! - **Unknown types are refused**; POSIX says to read them as files.
//! - **Contiguous files (`7`), sparse files, volume labels, multi-volume and dump members are refused**: see the codes.
//! - **Directories and links have no payload.** POSIX lets a directory's size be a quota; some readers skip the bytes
//!   and others read them as members.
//! - **A link name on a non-link is refused**: some readers drop such a member.
//! - **All eight numeric fields must be numbers**, used or not, because some readers stop silently at junk. Leading
//!   spaces, blank fields (a size by NULs only), missing terminators and base-256 in either dialect are what real writers produce: accepted.
//! - **A GNU header with bytes where ustar has its prefix is refused**: half of the readers take them for one.
//! - **Signed checksums are refused**; some old writers summed signed bytes.
//! - **Two zero blocks, then only zeros, to the end of the gzip stream.** POSIX stops looking after two zero blocks;
//!   readers then disagree on what follows. Padding inside a member's last block may hold anything: nobody reads it.

mod block;
mod header;
mod numeric;
mod pax;

use self::block::Blocks;
use self::header::{Header, Kind};
use self::pax::Pax;
use super::gzip::Gzip;
use super::{Encoding, Member, Members, RawKind};
use crate::artifact::Spool;
use crate::error::{Code, Error, Result};
use crate::limits::Budget;

/// Largest size that the header's eleven octal digits can hold.
const MOST_OCTAL_SIZE: u64 = 0o777_7777_7777;
/// What to do about labels and volumes.
const NO_VOLUMES: &str = "publisher: pack without a label and in one volume: tar without -V (--label) and -M";

/// The members of a gzip-compressed tar archive.
#[derive(Debug)]
pub(crate) struct TarMembers<'a> {
    blocks: Blocks<'a>,
    ordinal: u64,
    name: Vec<u8>,
    target: Vec<u8>,
    done: bool,
    /// A global header was the last thing read: it needs a member behind it, or some readers fail.
    after_global: bool,
}

/// Extension headers that wait for their member.
#[derive(Debug, Default)]
struct Pending {
    pax: Option<Pax>,
    long_name: Option<Vec<u8>>,
    long_link: Option<Vec<u8>>,
}

impl<'a> TarMembers<'a> {
    pub(crate) fn open(spool: &'a Spool, threads: usize) -> Result<Self> {
        let blocks = Blocks::new(Gzip::open(spool, threads)?);
        Ok(Self { blocks, ordinal: 0, name: Vec::new(), target: Vec::new(), done: false, after_global: false })
    }

    /// Reads up to the next member's own header, collecting its extensions.
    fn next_header(&mut self, budget: &mut Budget) -> Result<Option<(Header, Pending, u64)>> {
        let mut pending = Pending::default();
        loop {
            let offset = self.blocks.position();
            let Some(block) = self.blocks.header(budget)? else {
                if !pending.is_empty() || self.after_global && self.ordinal > 0 {
                    return Err(self.blame(Code::DanglingExtension, b"", offset));
                }
                self.blocks.end(budget)?;
                return Ok(None);
            };
            if offset == 0 && block.begins_like_another_format() {
                let error = Error::with(
                    Code::TarHeader,
                    "the tar stream begins like another kind of archive, and some readers unpack that",
                );
                return Err(self.locate(error, block.name(), offset));
            }
            let header = Header::parse(&block).map_err(|error| self.locate(error, block.name(), offset))?;
            self.after_global = header.kind == Kind::GlobalPax;
            let outcome = match header.kind {
                // What its name is does not matter (and bsdtar and tar-stream put a link name beside it).
                kind if kind.is_extension() && header.name_field().is_empty() => {
                    Err(Error::with(Code::TarHeader, "an extension header has no name: node-tar passes it over then"))
                }
                Kind::Pax => self.pax(&header, &mut pending, budget),
                Kind::GlobalPax => self.global_pax(&header, &pending, budget),
                Kind::LongName => self.long(&header, &mut pending, budget, false),
                Kind::LongLink => self.long(&header, &mut pending, budget, true),
                _ => return Ok(Some((header, pending, offset))),
            };
            outcome.map_err(|error| self.locate(error, header.name_field(), offset))?;
        }
    }

    fn pax(&mut self, header: &Header, pending: &mut Pending, budget: &mut Budget) -> Result<()> {
        if pending.pax.is_some() {
            return Err(Error::with(Code::DanglingExtension, "a second pax header precedes the same entry"));
        }
        if header.gnu || pending.has_gnu() {
            return Err(Error::new(Code::MixedTarDialect));
        }
        budget.extension(header.declared_size)?;
        let payload = self.blocks.payload(header.declared_size, budget)?;
        pending.pax = Some(Pax::parse(&payload)?);
        Ok(())
    }

    fn global_pax(&mut self, header: &Header, pending: &Pending, budget: &mut Budget) -> Result<()> {
        if !pending.is_empty() {
            return Err(Error::new(Code::DanglingExtension));
        }
        if header.gnu {
            return Err(Error::new(Code::MixedTarDialect));
        }
        budget.extension(header.declared_size)?;
        budget.global_extension(header.declared_size)?;
        let payload = self.blocks.payload(header.declared_size, budget)?;
        Pax::check_global(&payload)
    }

    fn long(&mut self, header: &Header, pending: &mut Pending, budget: &mut Budget, link: bool) -> Result<()> {
        if pending.pax.is_some() {
            return Err(Error::new(Code::MixedTarDialect));
        }
        let slot = if link { &mut pending.long_link } else { &mut pending.long_name };
        if slot.is_some() {
            return Err(Error::with(Code::DanglingExtension, "a second GNU long name precedes the same entry"));
        }
        budget.extension(header.declared_size)?;
        let (mut payload, padded_with_nuls) = self.blocks.payload_and_padding(header.declared_size, budget)?;
        let end = match payload.iter().position(|byte| *byte == 0) {
            Some(end) => end,
            // As Perl's Archive::Tar writes it. GNU tar and Python go on reading in the rest of the block.
            None if padded_with_nuls && !payload.is_empty() => payload.len(),
            None => {
                let error = Error::with(Code::TarHeader, "no NUL ends a GNU long name, where some readers go on");
                return Err(error.hint("publisher: pack with GNU tar, bsdtar or Python"));
            }
        };
        if payload.iter().skip(end).any(|byte| *byte != 0) {
            let code = if link { Code::LinkTargetInvalid } else { Code::PathNul };
            return Err(Error::with(code, "a GNU long name has bytes after its NUL"));
        }
        payload.truncate(end);
        *slot = Some(payload);
        Ok(())
    }

    /// Works out name, target and size from the header and its extensions.
    fn assemble(&mut self, header: &Header, pending: Pending) -> Result<()> {
        if header.gnu && pending.pax.is_some() {
            return Err(Error::new(Code::MixedTarDialect));
        }
        let pax = pending.pax.unwrap_or_default();
        self.blocks.begin(member_size(header, &pax)?);
        header.check_old_directory()?;
        self.name = match pax.path.or(pending.long_name) {
            Some(name) => name,
            None => header.name()?,
        };
        // What Python's tarfile calls the root when it adds a directory under an empty name; the same as `./`.
        if header.kind == Kind::Directory && self.name == b"/" {
            self.name = b"./".to_vec();
        }
        // Pax writers put something into the field, too; without it bsdtar makes an empty file of the link. (With a GNU `K`
        // it makes the link, and tar-rs leaves the field empty.)
        if pax.linkpath.is_some() && header.kind.is_link() && header.has_no_link_name() {
            let detail = "a link whose target stands in a pax header has no link name of its own";
            return Err(Error::with(Code::TarHeader, detail));
        }
        let target = match pax.linkpath.or(pending.long_link) {
            Some(target) => Some(target),
            None => header.link_name()?,
        };
        match (header.kind.is_link(), target) {
            (true, target) => self.target = target.unwrap_or_default(),
            (false, None) => self.target.clear(),
            (false, Some(_)) => {
                return Err(Error::with(Code::TarHeader, "an entry that is no link has a link name"));
            }
        }
        match header.kind {
            Kind::Unsupported(flag) => {
                let error =
                    Error::with(Code::UnsupportedEntryType, format!("the entry has type `{}`", flag.escape_ascii()));
                Err(if matches!(flag, b'M' | b'V') { error.hint(NO_VOLUMES) } else { error })
            }
            Kind::File => Ok(()),
            _ if self.blocks.remaining() > 0 => Err(Error::with(
                Code::PayloadOnNonFile,
                format!("the entry is no file and carries {} bytes of data", self.blocks.remaining()),
            )),
            _ => Ok(()),
        }
    }

    fn locate(&self, error: Error, name: &[u8], offset: u64) -> Error {
        error.at(offset).in_entry(self.ordinal.saturating_add(1), name)
    }

    fn blame(&self, code: Code, name: &[u8], offset: u64) -> Error {
        self.locate(Error::new(code), name, offset)
    }
}

/// The one size of a member, in which header and pax agree.
fn member_size(header: &Header, pax: &Pax) -> Result<u64> {
    let declared = header.declared_size;
    match pax.declared_size {
        None => Ok(declared),
        Some(size) if size == declared => Ok(size),
        // What Python, GNU tar (0) and bsdtar (all sevens) write where eleven digits do not suffice.
        Some(size) if size > MOST_OCTAL_SIZE && (declared == 0 || declared == MOST_OCTAL_SIZE) => Ok(size),
        Some(size) => Err(Error::with(
            Code::TarSizeConflict,
            format!("the header says {declared} bytes, its pax header says {size}"),
        )),
    }
}

impl Pending {
    fn has_gnu(&self) -> bool {
        self.long_name.is_some() || self.long_link.is_some()
    }

    fn is_empty(&self) -> bool {
        self.pax.is_none() && !self.has_gnu()
    }
}

impl Members for TarMembers<'_> {
    fn next(&mut self, budget: &mut Budget) -> Result<Option<Member<'_>>> {
        if self.done {
            return Ok(None);
        }
        self.blocks.skip_rest(budget).map_err(|error| error.in_entry(self.ordinal, &self.name))?;
        let Some((header, pending, offset)) = self.next_header(budget)? else {
            self.done = true;
            return Ok(None);
        };
        self.assemble(&header, pending).map_err(|error| self.locate(error, header.name_field(), offset))?;
        self.ordinal = self.ordinal.saturating_add(1);
        let kind = match header.kind {
            Kind::Directory => RawKind::Directory,
            Kind::HardLink => RawKind::HardLink { target: &self.target },
            Kind::Special(what) => RawKind::Special { what },
            Kind::Symlink => RawKind::Symlink { target: &self.target },
            _ => RawKind::File { executable: header.executable },
        };
        Ok(Some(Member {
            ordinal: self.ordinal,
            offset,
            name: &self.name,
            encoding: Encoding::Utf8,
            kind,
            kind_conflict: None,
        }))
    }

    fn data(&mut self, budget: &mut Budget) -> Result<Option<&[u8]>> {
        self.blocks.data(budget)
    }

    fn position(&self) -> u64 {
        self.blocks.position()
    }
}
