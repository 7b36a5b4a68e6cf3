//! Extra fields (APPNOTE 4.5): well-formed, none that changes the entry for some readers, and what zip64 (0x0001) and
//! the Unicode path (0x7075) say.

use flate2::Crc;

use super::records::{Fields, bytes};
use crate::error::{Code, Error, Result};
use crate::escape::escape;

const ZIP64: u16 = 0x0001;
const UNICODE_PATH: u16 = 0x7075;
const AES: u16 = 0x9901;
/// Extended local attributes: bsdtar takes kind and mode from them, nobody else does.
const EXTENDED_ATTRIBUTES: u16 = 0x6c78;
/// Attributes of `ASi`: `UnZip` makes a symbolic link of a file whose mode there says so.
const ASI: u16 = 0x756e;
/// Certificates and encryption of the central directory (APPNOTE 4.5.3, 7.0).
const SECURITY: std::ops::RangeInclusive<u16> = 0x0014..=0x0019;

/// The fields that mean something here. Every other one is ignored.
#[derive(Debug, Default)]
pub(super) struct Extras<'b> {
    pub(super) zip64: Option<&'b [u8]>,
    pub(super) unicode_path: Option<&'b [u8]>,
    /// An identifier of a field that is refused.
    refused: Option<u16>,
    pub(super) encrypted: bool,
}

/// The mode stands behind a CRC.
fn makes_a_link(asi: &[u8]) -> bool {
    let mode = asi.get(4..6).and_then(|mode| mode.try_into().ok()).map_or(0, u16::from_le_bytes);
    mode & 0xf000 == 0xa000
}

impl<'b> Extras<'b> {
    pub(super) fn parse(extra: &'b [u8]) -> Result<Self> {
        let mut extras = Self::default();
        let mut fields = Fields::new(extra);
        while !fields.rest().is_empty() {
            let left = fields.rest().len();
            let (Some(id), Some(declared_len)) = (fields.u16(), fields.u16()) else {
                return Err(Error::with(
                    Code::ZipExtra,
                    format!("the extra field ends in {} that are no field: one has at least 4", bytes(left as u64)),
                ));
            };
            let left = fields.rest().len();
            let Some(data) = fields.take(usize::from(declared_len)) else {
                return Err(Error::with(
                    Code::ZipExtra,
                    format!("extra field 0x{id:04x} says it has {}, {left} are left", bytes(u64::from(declared_len))),
                ));
            };
            extras.add(id, data)?;
        }
        Ok(extras)
    }

    fn add(&mut self, id: u16, data: &'b [u8]) -> Result<()> {
        let once = match id {
            ZIP64 => &mut self.zip64,
            UNICODE_PATH => &mut self.unicode_path,
            AES => {
                self.encrypted = true;
                return Ok(());
            }
            _ => {
                if id == EXTENDED_ATTRIBUTES || SECURITY.contains(&id) || id == ASI && makes_a_link(data) {
                    self.refused.get_or_insert(id);
                }
                return Ok(());
            }
        };
        if once.replace(data).is_some() {
            return Err(Error::with(Code::ZipExtra, format!("extra field 0x{id:04x} occurs twice")));
        }
        Ok(())
    }

    /// Refuses what changes the entry for some readers.
    pub(super) fn check(&self) -> Result<()> {
        let refused = self.refused.or(self.encrypted.then_some(AES));
        match refused {
            Some(id) => Err(Error::with(
                Code::ZipExtra,
                format!("extra field 0x{id:04x} gives the entry another meaning for readers that know it"),
            )),
            None => Ok(()),
        }
    }

    /// The Unicode path, where there is one, must be this very name.
    pub(super) fn check_unicode_path(&self, name: &[u8]) -> Result<()> {
        let Some(data) = self.unicode_path else { return Ok(()) };
        let mut fields = Fields::new(data);
        let (Some(version), Some(declared_crc)) = (fields.u8(), fields.u32()) else {
            let length = data.len();
            return Err(Error::with(
                Code::ZipUnicodePath,
                format!("the Unicode path field has {length} bytes, at least 5 are needed"),
            ));
        };
        if version != 1 {
            return Err(Error::with(
                Code::ZipUnicodePath,
                format!("the Unicode path field has version {version}, only 1 is known"),
            ));
        }
        let mut crc = Crc::new();
        crc.update(name);
        if crc.sum() != declared_crc {
            let expected = crc.sum();
            return Err(Error::with(
                Code::ZipUnicodePath,
                format!(
                    "the Unicode path field is for a name with CRC {declared_crc:08x}, this one has {expected:08x}"
                ),
            ));
        }
        if fields.rest() != name {
            let other = escape(fields.rest());
            return Err(Error::with(Code::ZipUnicodePath, format!("the Unicode path field gives the name `{other}`")));
        }
        Ok(())
    }
}

/// A number of a header that the zip64 field may carry instead.
#[derive(Debug, Clone, Copy)]
pub(super) struct Number {
    pub(super) what: &'static str,
    pub(super) declared: u64,
    /// The value that means "see the zip64 field".
    pub(super) ones: u64,
    pub(super) wide: bool,
}

impl Number {
    pub(super) const fn size(what: &'static str, declared: u32) -> Self {
        Self { what, declared: declared as u64, ones: u32::MAX as u64, wide: true }
    }

    pub(super) const fn disk(declared: u16) -> Self {
        Self { what: "disk", declared: declared as u64, ones: u16::MAX as u64, wide: false }
    }

    const fn elsewhere(&self) -> bool {
        self.declared == self.ones
    }

    fn read(&self, fields: &mut Fields<'_>) -> Option<u64> {
        if self.wide { fields.u64() } else { fields.u32().map(u64::from) }
    }
}

/// The real numbers: from the zip64 field where the header has all ones, else from the header.
///
/// The field holds the missing numbers in order and nothing else (APPNOTE 4.5.3). Some writers give all numbers from
/// the first on, needed or not: that is taken if both ways to read it give the same, and what is there twice is equal.
pub(super) fn resolve<const N: usize>(zip64: Option<&[u8]>, numbers: [Number; N]) -> Result<[u64; N]> {
    let declared = numbers.map(|number| number.declared);
    let Some(data) = zip64 else {
        // All ones in the disk number without a zip64 field is a disk number, and refused as one.
        return match numbers.iter().find(|number| number.wide && number.elsewhere()) {
            Some(Number { what, .. }) => {
                Err(Error::with(Code::ZipZip64, format!("the {what} is all ones, but there is no zip64 field")))
            }
            None => Ok(declared),
        };
    };
    let length = data.len();
    let wrong_length = || {
        Error::with(
            Code::ZipZip64,
            format!("the zip64 field has {length} bytes, which does not fit the numbers it has to give"),
        )
    };

    let mut needed = Fields::new(data);
    let mut resolved = declared;
    for (number, value) in numbers.iter().zip(&mut resolved).filter(|(number, _)| number.elsewhere()) {
        *value = number.read(&mut needed).ok_or_else(wrong_length)?;
    }
    if needed.rest().is_empty() && length > 0 {
        return Ok(resolved);
    }

    let mut all = Fields::new(data);
    for (number, value) in numbers.iter().zip(resolved) {
        if all.rest().is_empty() {
            // Not given this way to read it.
            if number.elsewhere() {
                return Err(wrong_length());
            }
            continue;
        }
        let (what, given) = (number.what, number.read(&mut all).ok_or_else(wrong_length)?);
        if given != value {
            return Err(Error::with(
                Code::ZipZip64,
                format!("the zip64 field gives {given} as the {what}, where other readers find {value}"),
            ));
        }
    }
    if all.rest().is_empty() && length > 0 { Ok(resolved) } else { Err(wrong_length()) }
}
