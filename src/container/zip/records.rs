//! The fixed records of a zip (APPNOTE 4.3) as they stand, and reading them from the file.
//!
//! Numbers that decide where something is or how much of it there is are called `declared_…`: they are what the archive
//! says, no more.

use crate::artifact::Spool;
use crate::container::format::unreadable;
use crate::error::Result;

pub(super) const LOCAL: [u8; 4] = *b"PK\x03\x04";
pub(super) const CENTRAL: [u8; 4] = *b"PK\x01\x02";
pub(super) const END: [u8; 4] = *b"PK\x05\x06";
pub(super) const END64: [u8; 4] = *b"PK\x06\x06";
pub(super) const LOCATOR: [u8; 4] = *b"PK\x06\x07";
pub(super) const DESCRIPTOR: [u8; 4] = *b"PK\x07\x08";

/// "The real value is in the zip64 field."
pub(super) const ONES16: u16 = u16::MAX;
pub(super) const ONES32: u32 = u32::MAX;

/// The longest of the fixed records.
const LONGEST: usize = End64::LEN;

/// A record of a fixed length that begins with a signature.
pub(super) trait Record: Sized {
    const LEN: usize;

    /// `None` if the signature is another one or the bytes do not suffice.
    fn parse(bytes: &[u8]) -> Option<Self>;
}

#[derive(Debug, Clone, Copy)]
pub(super) struct LocalHeader {
    pub(super) version: u16,
    pub(super) flags: u16,
    pub(super) method: u16,
    pub(super) declared_crc: u32,
    pub(super) declared_packed: u32,
    pub(super) declared_size: u32,
    pub(super) declared_name_len: u16,
    pub(super) declared_extra_len: u16,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct CentralHeader {
    pub(super) made_by: u16,
    pub(super) version: u16,
    pub(super) flags: u16,
    pub(super) method: u16,
    pub(super) declared_crc: u32,
    pub(super) declared_packed: u32,
    pub(super) declared_size: u32,
    pub(super) declared_name_len: u16,
    pub(super) declared_extra_len: u16,
    pub(super) declared_comment_len: u16,
    pub(super) disk: u16,
    pub(super) external: u32,
    pub(super) declared_offset: u32,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct End {
    pub(super) disk: u16,
    pub(super) directory_disk: u16,
    pub(super) declared_entries_here: u16,
    pub(super) declared_entries: u16,
    pub(super) declared_size: u32,
    pub(super) declared_offset: u32,
    pub(super) declared_comment_len: u16,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct End64 {
    pub(super) declared_len: u64,
    pub(super) version: u16,
    pub(super) disk: u32,
    pub(super) directory_disk: u32,
    pub(super) declared_entries_here: u64,
    pub(super) declared_entries: u64,
    pub(super) declared_size: u64,
    pub(super) declared_offset: u64,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Locator {
    pub(super) disk: u32,
    pub(super) declared_offset: u64,
    pub(super) declared_disks: u32,
}

impl CentralHeader {
    /// Bytes of the whole record.
    pub(super) fn full_len(&self) -> u64 {
        let variable = [self.declared_name_len, self.declared_extra_len, self.declared_comment_len];
        variable.iter().fold(Self::LEN as u64, |sum, len| sum.saturating_add(u64::from(*len)))
    }
}

impl LocalHeader {
    /// Bytes from its signature to the first byte of data.
    pub(super) fn full_len(&self) -> u64 {
        let variable = [self.declared_name_len, self.declared_extra_len];
        variable.iter().fold(Self::LEN as u64, |sum, len| sum.saturating_add(u64::from(*len)))
    }
}

impl Record for LocalHeader {
    const LEN: usize = 30;

    fn parse(bytes: &[u8]) -> Option<Self> {
        let mut fields = Fields::after(LOCAL, bytes)?;
        let (version, flags, method) = (fields.u16()?, fields.u16()?, fields.u16()?);
        fields.take(4)?; // time and date
        Some(Self {
            version,
            flags,
            method,
            declared_crc: fields.u32()?,
            declared_packed: fields.u32()?,
            declared_size: fields.u32()?,
            declared_name_len: fields.u16()?,
            declared_extra_len: fields.u16()?,
        })
    }
}

impl Record for CentralHeader {
    const LEN: usize = 46;

    fn parse(bytes: &[u8]) -> Option<Self> {
        let mut fields = Fields::after(CENTRAL, bytes)?;
        let (made_by, version, flags, method) = (fields.u16()?, fields.u16()?, fields.u16()?, fields.u16()?);
        fields.take(4)?; // time and date
        let (declared_crc, declared_packed, declared_size) = (fields.u32()?, fields.u32()?, fields.u32()?);
        let (declared_name_len, declared_extra_len) = (fields.u16()?, fields.u16()?);
        let (declared_comment_len, disk) = (fields.u16()?, fields.u16()?);
        fields.take(2)?; // internal attributes
        Some(Self {
            made_by,
            version,
            flags,
            method,
            declared_crc,
            declared_packed,
            declared_size,
            declared_name_len,
            declared_extra_len,
            declared_comment_len,
            disk,
            external: fields.u32()?,
            declared_offset: fields.u32()?,
        })
    }
}

impl Record for End {
    const LEN: usize = 22;

    fn parse(bytes: &[u8]) -> Option<Self> {
        let mut fields = Fields::after(END, bytes)?;
        Some(Self {
            disk: fields.u16()?,
            directory_disk: fields.u16()?,
            declared_entries_here: fields.u16()?,
            declared_entries: fields.u16()?,
            declared_size: fields.u32()?,
            declared_offset: fields.u32()?,
            declared_comment_len: fields.u16()?,
        })
    }
}

impl Record for End64 {
    const LEN: usize = 56;

    fn parse(bytes: &[u8]) -> Option<Self> {
        let mut fields = Fields::after(END64, bytes)?;
        let declared_len = fields.u64()?;
        fields.take(2)?; // made by
        Some(Self {
            declared_len,
            version: fields.u16()?,
            disk: fields.u32()?,
            directory_disk: fields.u32()?,
            declared_entries_here: fields.u64()?,
            declared_entries: fields.u64()?,
            declared_size: fields.u64()?,
            declared_offset: fields.u64()?,
        })
    }
}

impl Record for Locator {
    const LEN: usize = 20;

    fn parse(bytes: &[u8]) -> Option<Self> {
        let mut fields = Fields::after(LOCATOR, bytes)?;
        Some(Self { disk: fields.u32()?, declared_offset: fields.u64()?, declared_disks: fields.u32()? })
    }
}

/// Little-endian numbers from front to back; `None` where the bytes end.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fields<'b>(&'b [u8]);

impl<'b> Fields<'b> {
    pub(super) const fn new(bytes: &'b [u8]) -> Self {
        Self(bytes)
    }

    fn after(signature: [u8; 4], bytes: &'b [u8]) -> Option<Self> {
        bytes.strip_prefix(&signature).map(Self)
    }

    pub(super) const fn rest(&self) -> &'b [u8] {
        self.0
    }

    pub(super) fn take(&mut self, count: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*taken)
    }

    pub(super) fn u8(&mut self) -> Option<u8> {
        self.array().map(u8::from_le_bytes)
    }

    pub(super) fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }

    pub(super) fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    pub(super) fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }
}

/// A number of bytes in words.
pub(super) fn bytes(count: u64) -> String {
    if count == 1 { "1 byte".to_owned() } else { format!("{count} bytes") }
}

/// The raw file, read at any place.
#[derive(Debug, Clone, Copy)]
pub(super) struct Source<'a>(pub(super) &'a Spool);

impl Source<'_> {
    pub(super) fn len(self) -> u64 {
        self.0.len()
    }

    /// The record at `offset`; `None` if another thing, or nothing, stands there.
    pub(super) fn record<R: Record>(self, offset: u64) -> Result<Option<R>> {
        let mut bytes = [0; LONGEST];
        let wanted = bytes.get_mut(..R::LEN).unwrap_or_default();
        let count = self.0.read_at(offset, wanted).map_err(unreadable)?;
        Ok(wanted.get(..count).and_then(R::parse))
    }

    /// Whether these four bytes stand at `offset`.
    pub(super) fn has(self, offset: u64, signature: [u8; 4]) -> Result<bool> {
        let mut bytes = [0; 4];
        let count = self.0.read_at(offset, &mut bytes).map_err(unreadable)?;
        Ok(count == bytes.len() && bytes == signature)
    }

    /// As many bytes from `offset` on as the buffer takes and the file has.
    pub(super) fn read(self, offset: u64, buffer: &mut [u8]) -> Result<&[u8]> {
        let count = self.0.read_at(offset, buffer).map_err(unreadable)?;
        Ok(buffer.get(..count).unwrap_or_default())
    }

    /// Exactly `declared_len` bytes, or as many as there are, into a buffer that is used again and again: at most 64 KiB.
    pub(super) fn refill(self, offset: u64, declared_len: u16, buffer: &mut Vec<u8>) -> Result<()> {
        buffer.resize(usize::from(declared_len), 0);
        let count = self.0.read_at(offset, buffer).map_err(unreadable)?;
        buffer.truncate(count);
        Ok(())
    }
}
