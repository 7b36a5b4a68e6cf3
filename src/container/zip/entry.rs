//! One entry: its directory record and its local header, which must say the same, and the place of its data.

use super::descriptor::{self, Form, Truth};
use super::end::{NEWEST_VERSION, check_entry_comment};
use super::extra::Extras;
use super::gap;
use super::kind::{self, Kind, Shape};
use super::layout::{Slot, central_numbers};
use super::local::{self, Local};
use super::records::{CentralHeader, Record, Source, bytes};
use crate::container::Encoding;
use crate::error::{Code, Error, Result};
use crate::limits::Budget;

const STORED: u16 = 0;
const DEFLATED: u16 = 8;
const AES: u16 = 99;

const FLAG_ENCRYPTED: u16 = 1;
const FLAG_STRONG_ENCRYPTION: u16 = 1 << 6;
pub(super) const FLAG_DESCRIPTOR: u16 = 1 << 3;

/// Compression level (1, 2), data descriptor (3), UTF-8 (11): all other flags change the entry for some readers.
const FLAGS_ALLOWED: u16 = 0b0000_1000_0000_1110;

/// An entry whose headers agree. Sizes and CRC are what both say; the data has still to prove it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    pub(super) kind: Kind,
    pub(super) encoding: Encoding,
    pub(super) deflated: bool,
    /// Flag bit 3: readers of a stream find the end of its data by other means than its size.
    pub(super) streamed: bool,
    pub(super) data: u64,
    pub(super) declared_crc: u32,
    pub(super) declared_packed: u64,
    pub(super) declared_size: u64,
}

/// Buffers for the variable parts of headers, used for one entry after the other: at most 64 KiB each.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    /// The name of the entry read last.
    pub(super) name: Vec<u8>,
    extra: Vec<u8>,
    comment: Vec<u8>,
    local: Local,
}

/// The place of an entry among the others: the next local header (or the directory), and the directory.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    /// The number of the entry.
    pub(super) ordinal: u64,
    pub(super) next: u64,
    pub(super) directory: u64,
}

impl Entry {
    /// Reads both headers; what is wrong with them is about the entry whose name is then in `scratch`.
    pub(super) fn read(
        source: Source<'_>,
        slot: Slot,
        bounds: Bounds,
        scratch: &mut Scratch,
        budget: &Budget,
    ) -> Result<Self> {
        scratch.name.clear();
        let header = read_central(source, slot.central, scratch).map_err(|error| error.at(slot.central))?;
        scratch.local.read(source, slot.local).map_err(|error| error.at(slot.local))?;
        let Scratch { name, extra, comment, local } = scratch;
        let data = slot.local.saturating_add(local.header.full_len());
        if data > bounds.next {
            let next = bounds.next;
            return Err(Error::with(
                Code::ZipOverlap,
                format!("the local header ends at byte {data}, but the next record begins at byte {next}"),
            )
            .at(next));
        }
        let extras = Extras::parse(extra).map_err(|error| error.at(slot.central))?;
        let local_extras = Extras::parse(&local.extra).map_err(|error| error.at(slot.local))?;

        let methods = [header.method, local.header.method];
        let aes = methods.contains(&AES) && (extras.encrypted || local_extras.encrypted);
        refuse_encryption(header.flags | local.header.flags, aes).map_err(|error| error.at(slot.local))?;
        local.compare(&header, name).map_err(|error| error.at(slot.local))?;
        for (version, offset) in [(header.version, slot.central), (local.header.version, slot.local)] {
            check_version(version).map_err(|error| error.at(offset))?;
        }
        for (extras, offset) in [(&extras, slot.central), (&local_extras, slot.local)] {
            extras.check().map_err(|error| error.at(offset))?;
            extras.check_unicode_path(name).map_err(|error| error.at(offset))?;
        }
        check_flags_and_method(&header).map_err(|error| error.at(slot.central))?;
        check_entry_comment(comment).map_err(|error| error.at(slot.central))?;

        let numbers = central_numbers(&header, extras.zip64).map_err(|error| error.at(slot.central))?;
        let [declared_size, declared_packed, _, disk] = numbers;
        if disk != 0 {
            return Err(Error::with(Code::ZipMultiDisk, format!("the entry is on disk {disk}, it must be on disk 0"))
                .at(slot.central));
        }
        let truth = Truth { crc: header.declared_crc, packed: declared_packed, size: declared_size };
        local::check_numbers(&local.header, local_extras.zip64, truth).map_err(|error| error.at(slot.local))?;

        let entry = Self {
            kind: kind::kind(name, header.made_by, header.external),
            encoding: kind::encoding(name, header.flags, header.made_by),
            deflated: header.method == DEFLATED,
            streamed: header.flags & FLAG_DESCRIPTOR != 0,
            data,
            declared_crc: truth.crc,
            declared_packed,
            declared_size,
        };
        entry.check_place(source, bounds, truth, local_extras.zip64.is_some(), budget)?;
        entry.check_sizes().map_err(|error| error.at(slot.local))?;
        Ok(entry)
    }

    /// Where its data ends; a data descriptor may follow.
    pub(super) const fn data_end(&self) -> u64 {
        self.data.saturating_add(self.declared_packed)
    }

    /// Data and descriptor end exactly where the next record begins.
    fn check_place(&self, source: Source<'_>, bounds: Bounds, truth: Truth, wide: bool, budget: &Budget) -> Result<()> {
        let (packed, end) = (self.declared_packed, self.data_end());
        if end > bounds.directory {
            let room = bounds.directory.saturating_sub(self.data);
            return Err(Error::with(
                Code::ZipSizeMismatch,
                format!("the entry says it has {} of data, but only {room} lie before the directory", bytes(packed)),
            )
            .at(self.data));
        }
        if end > bounds.next {
            let next = bounds.next;
            return Err(Error::with(
                Code::ZipOverlap,
                format!("the data ends at byte {end}, but the next local header stands at byte {next}"),
            )
            .at(next));
        }
        let form = Form { wide, signed: !self.deflated };
        let descriptor = if self.streamed {
            descriptor::measure(source, end, bounds.next, truth, form).map_err(|error| error.at(end))?
        } else {
            0
        };
        let end = end.saturating_add(descriptor);
        if end < bounds.next {
            return Err(gap::error(source, end..bounds.next, Some(bounds.ordinal.saturating_add(1)), budget)?);
        }
        Ok(())
    }

    fn check_sizes(&self) -> Result<()> {
        let (packed, size) = (self.declared_packed, self.declared_size);
        let plain_directory = self.kind == Kind { shape: Shape::Directory, conflict: None };
        if plain_directory && (size != 0 || (!self.deflated && packed != 0)) {
            return Err(Error::with(
                Code::PayloadOnNonFile,
                format!("a directory says it holds {} ({packed} in the file), it must hold none", bytes(size)),
            ));
        }
        if !self.deflated && packed != size {
            return Err(Error::with(
                Code::ZipSizeMismatch,
                format!("a stored entry says it has {} in the file and {size} unpacked", bytes(packed)),
            ));
        }
        Ok(())
    }
}

/// The directory record, with its variable parts in `scratch`.
fn read_central(source: Source<'_>, offset: u64, scratch: &mut Scratch) -> Result<CentralHeader> {
    let Some(header) = source.record::<CentralHeader>(offset)? else {
        // It was there when the directory was walked through, and the bytes never change.
        return Err(Error::with(Code::ZipHeaderMismatch, "the directory record cannot be read"));
    };
    let mut at = offset.saturating_add(CentralHeader::LEN as u64);
    let parts = [
        (header.declared_name_len, &mut scratch.name),
        (header.declared_extra_len, &mut scratch.extra),
        (header.declared_comment_len, &mut scratch.comment),
    ];
    for (declared_len, buffer) in parts {
        source.refill(at, declared_len, buffer)?;
        at = at.saturating_add(u64::from(declared_len));
    }
    Ok(header)
}

/// Said by either header, it counts: bsdtar extracts what only the directory calls encrypted.
fn refuse_encryption(flags: u16, aes: bool) -> Result<()> {
    let how = if aes {
        "the method is 99 (AES)"
    } else if flags & FLAG_STRONG_ENCRYPTION != 0 {
        "flag bit 6 (strong encryption) is set"
    } else if flags & FLAG_ENCRYPTED != 0 {
        "flag bit 0 (encryption) is set"
    } else {
        return Ok(());
    };
    Err(Error::with(Code::ZipEncrypted, how))
}

fn check_version(version: u16) -> Result<()> {
    if version > NEWEST_VERSION {
        return Err(Error::with(
            Code::ZipVersion,
            format!("the entry needs version {version}, the newest is {NEWEST_VERSION}"),
        ));
    }
    Ok(())
}

fn check_flags_and_method(header: &CentralHeader) -> Result<()> {
    let refused = header.flags & !FLAGS_ALLOWED;
    if refused != 0 {
        let bit = refused.trailing_zeros();
        return Err(Error::with(
            Code::ZipFlag,
            format!("flag bit {bit} is set (flags 0x{:04x}), only bits 1, 2, 3 and 11 are taken", header.flags),
        ));
    }
    match header.method {
        STORED | DEFLATED => Ok(()),
        other => Err(Error::with(
            Code::ZipMethod,
            format!("compression method {other} ({}), only 0 (store) and 8 (deflate) are taken", method_name(other)),
        )),
    }
}

const fn method_name(method: u16) -> &'static str {
    match method {
        1..=6 => "legacy",
        9 => "deflate64",
        12 => "bzip2",
        14 => "lzma",
        93 => "zstd",
        95 => "xz",
        98 => "ppmd",
        AES => "AES",
        _ => "unknown",
    }
}
