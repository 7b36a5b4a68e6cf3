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

/// With flag bit 3: each number is zero, all ones or true, in the header and in a zip64 field.
fn check_announced(local: &LocalHeader, zip64: Option<&[u8]>, truth: Truth) -> Result<()> {
    let short = [
        ("CRC", local.declared_crc, u64::from(truth.crc)),
        ("packed size", local.declared_packed, truth.packed),
        ("size", local.declared_size, truth.size),
    ];
    for (what, found, expected) in short {
        if !matches!(found, 0 | ONES32) && u64::from(found) != expected {
            let show = |number: u64| if what == "CRC" { format!("{number:08x}") } else { number.to_string() };
            return Err(untrue(what, &show(u64::from(found)), &show(expected)));
        }
    }
    let Some(data) = zip64 else { return Ok(()) };
    let mut fields = Fields::new(data);
    let long = [("size", local.declared_size, truth.size), ("packed size", local.declared_packed, truth.packed)];
    // Both sizes (APPNOTE 4.5.3), or the only one that the header refers to.
    let both = data.len() == 16;
    for (what, _, expected) in long.into_iter().filter(|(_, short, _)| both || *short == ONES32) {
        match fields.u64() {
            Some(0 | u64::MAX) => {}
            Some(found) if found == expected => {}
            Some(found) => return Err(untrue(what, &found.to_string(), &expected.to_string())),
            None => return Err(wrong_length(data)),
        }
    }
    if fields.rest().is_empty() && !data.is_empty() { Ok(()) } else { Err(wrong_length(data)) }
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
        format!("the {what} in the local header is {found}; with flag bit 3 it must be zero, all ones or {expected}"),
    )
}
