//! The local header, and its comparison with the directory record.

use super::descriptor::Truth;
use super::entry::FLAG_DESCRIPTOR;
use super::extra::{Number, resolve};
use super::records::{CentralHeader, Fields, LocalHeader, ONES32, Record, Source};
use crate::error::{Code, Error, Result};
use crate::escape::escape;

/// A local header with its variable parts.
#[derive(Debug)]
pub(super) struct Local {
    pub(super) header: LocalHeader,
    name: Vec<u8>,
    pub(super) extra: Vec<u8>,
}

impl Default for Local {
    fn default() -> Self {
        let header = LocalHeader {
            version: 0,
            flags: 0,
            method: 0,
            declared_crc: 0,
            declared_packed: 0,
            declared_size: 0,
            declared_name_len: 0,
            declared_extra_len: 0,
        };
        Self { header, name: Vec::new(), extra: Vec::new() }
    }
}

impl Local {
    pub(super) fn read(&mut self, source: Source<'_>, offset: u64) -> Result<()> {
        self.header = source
            .record::<LocalHeader>(offset)?
            .ok_or_else(|| Error::with(Code::ZipHeaderMismatch, "no local header stands where the directory says"))?;
        let name = offset.saturating_add(LocalHeader::LEN as u64);
        source.refill(name, self.header.declared_name_len, &mut self.name)?;
        let extra = name.saturating_add(u64::from(self.header.declared_name_len));
        source.refill(extra, self.header.declared_extra_len, &mut self.extra)
    }

    /// Name, method and flags are the same as in the directory. Version, times and other extra fields are not compared:
    /// real writers differ there, and no reader makes anything else of the entry.
    pub(super) fn compare(&self, central: &CentralHeader, name: &[u8]) -> Result<()> {
        let detail = if self.name != name {
            format!("the name is `{}` in the local header, `{}` in the directory", escape(&self.name), escape(name))
        } else if self.header.method != central.method {
            let (local, central) = (self.header.method, central.method);
            format!("the compression method is {local} in the local header, {central} in the directory")
        } else if self.header.flags != central.flags {
            let (local, central) = (self.header.flags, central.flags);
            format!("the flags are 0x{local:04x} in the local header, 0x{central:04x} in the directory")
        } else {
            return Ok(());
        };
        Err(Error::with(Code::ZipHeaderMismatch, detail))
    }
}

/// CRC and sizes of the local header, resolved, are those of the directory. With flag bit 3 they need not be there yet.
pub(super) fn check_numbers(local: &LocalHeader, zip64: Option<&[u8]>, truth: Truth) -> Result<()> {
    if local.flags & FLAG_DESCRIPTOR != 0 {
        return check_announced(local, zip64, truth);
    }
    let [size, packed] = resolve(
        zip64,
        [Number::size("size", local.declared_size), Number::size("packed size", local.declared_packed)],
    )?;
    if local.declared_crc != truth.crc {
        return Err(Error::with(
            Code::ZipHeaderMismatch,
            format!("the CRC is {:08x} in the local header, {:08x} in the directory", local.declared_crc, truth.crc),
        ));
    }
    let pairs = [("packed size", packed, truth.packed), ("size", size, truth.size)];
    match pairs.into_iter().find(|(_, local, central)| local != central) {
        Some((what, local, central)) => Err(Error::with(
            Code::ZipHeaderMismatch,
            format!("the {what} is {local} in the local header, {central} in the directory"),
        )),
        None => Ok(()),
    }
}

/// With flag bit 3: each number is zero, all ones or true. A size of all ones refers to the zip64 field, which is then
/// there (without it bsdtar takes all ones for the size) and says zero or the truth.
fn check_announced(local: &LocalHeader, zip64: Option<&[u8]>, truth: Truth) -> Result<()> {
    if !matches!(local.declared_crc, 0 | ONES32) && local.declared_crc != truth.crc {
        return Err(untrue("CRC", &format!("{:08x}", local.declared_crc), &format!("{:08x}", truth.crc)));
    }
    let sizes = [("size", local.declared_size, truth.size), ("packed size", local.declared_packed, truth.packed)];
    for (what, found, expected) in sizes {
        if found == ONES32 && zip64.is_none() {
            return Err(Error::with(Code::ZipZip64, format!("the {what} is all ones, but there is no zip64 field")));
        }
        if found != ONES32 {
            check_size(what, u64::from(found), expected)?;
        }
    }
    let Some(data) = zip64 else { return Ok(()) };
    let mut fields = Fields::new(data);
    // Both sizes (APPNOTE 4.5.3), or the only one that the header refers to.
    let both = data.len() == 16;
    for (what, _, expected) in sizes.into_iter().filter(|(_, short, _)| both || *short == ONES32) {
        check_size(what, fields.u64().ok_or_else(|| wrong_length(data))?, expected)?;
    }
    if fields.rest().is_empty() && !data.is_empty() { Ok(()) } else { Err(wrong_length(data)) }
}

fn check_size(what: &str, found: u64, expected: u64) -> Result<()> {
    if found == 0 || found == expected {
        return Ok(());
    }
    Err(untrue(what, &found.to_string(), &expected.to_string()))
}

fn wrong_length(data: &[u8]) -> Error {
    let length = data.len();
    Error::with(
        Code::ZipZip64,
        format!("the zip64 field has {length} bytes, which does not fit the numbers it has to give"),
    )
}

fn untrue(what: &str, found: &str, expected: &str) -> Error {
    Error::with(
        Code::ZipDataDescriptor,
        format!(
            "the {what} in the local header is {found}; with flag bit 3 it may be left out, else it must be {expected}"
        ),
    )
}
