//! Data descriptors (APPNOTE 4.3.9): the record behind the data of a streamed member, and what could pass for one.

use flate2::Crc;

use super::super::signatures;
use super::records::{DESCRIPTOR, Fields, Source, bytes as count};
use crate::error::{Code, Error, Result};

/// The longest form: signature, CRC, two 64-bit sizes.
const LONGEST: usize = 24;

/// What a descriptor has to say.
#[derive(Debug, Clone, Copy)]
pub(super) struct Truth {
    pub(super) crc: u32,
    pub(super) packed: u64,
    pub(super) size: u64,
}

/// How a descriptor has to look.
#[derive(Debug, Clone, Copy)]
pub(super) struct Form {
    /// 64-bit sizes: exactly if the local header has a zip64 field. Readers of a stream go by that.
    pub(super) wide: bool,
    /// With a signature: the end of stored data is found by nothing else.
    pub(super) signed: bool,
}

/// The length of the descriptor at `start`, which says exactly the truth.
pub(super) fn measure(source: Source<'_>, start: u64, boundary: u64, truth: Truth, form: Form) -> Result<u64> {
    let Form { wide, signed } = form;
    let room = boundary.saturating_sub(start);
    let mut buffer = [0; LONGEST];
    let bytes = source.read(start, &mut buffer)?;
    let bytes = bytes.get(..usize::try_from(room).unwrap_or(usize::MAX)).unwrap_or(bytes);
    if says(bytes, true, truth, wide) {
        return Ok(if wide { 24 } else { 16 });
    }
    if says(bytes, false, truth, wide) {
        if signed {
            return Err(wrong("the data descriptor of a stored entry has no signature".to_owned()));
        }
        // A CRC that equals the signature would be taken for it.
        if truth.crc.to_le_bytes() == DESCRIPTOR {
            return Err(wrong("the data descriptor has no signature, and a CRC that reads as one".to_owned()));
        }
        return Ok(if wide { 20 } else { 12 });
    }
    if room > 0 && (says(bytes, true, truth, !wide) || says(bytes, false, truth, !wide)) {
        let (found, rule) = if wide { (32, "with") } else { (64, "without") };
        let error =
            wrong(format!("the data descriptor has {found}-bit sizes {rule} a zip64 field in the local header"));
        let hint = "publisher: do not force zip64 on streams (yazl: leave forceZip64Format out), or write to a file";
        return Err(error.hint(hint));
    }
    Err(wrong(if room == 0 {
        "flag bit 3 promises a data descriptor, but none follows the data".to_owned()
    } else {
        let Truth { crc, packed, size } = truth;
        format!(
            "the {} behind the data are no data descriptor that says CRC {crc:08x}, packed size {packed}, size {size}, \
             as the directory does",
            count(room)
        )
    }))
}

fn wrong(detail: String) -> Error {
    Error::with(Code::ZipDataDescriptor, detail)
}

/// Whether the bytes begin with this form of descriptor, saying the truth.
fn says(bytes: &[u8], signed: bool, truth: Truth, wide: bool) -> bool {
    let bytes = match (signed, bytes.strip_prefix(&DESCRIPTOR)) {
        (true, Some(rest)) => rest,
        (true, None) => return false,
        (false, _) => bytes,
    };
    let mut fields = Fields::new(bytes);
    let crc = fields.u32();
    let mut size = || if wide { fields.u64() } else { fields.u32().map(u64::from) };
    crc == Some(truth.crc) && size() == Some(truth.packed) && size() == Some(truth.size)
}

/// Signature and CRC.
const TELLTALE: usize = 8;

/// Sums up the next piece of a stored member with flag bit 3, which stands at `offset` of the file, and looks for what
/// a reader of a stream would take for its descriptor: the signature and the CRC of all data before it. (bsdtar goes by
/// these two alone, whatever the sizes are.) What begins in the piece and ends behind it is seen too.
///
/// The sum runs along, so every byte is summed up once.
pub(super) fn sum_and_watch(crc: &mut Crc, source: Source<'_>, piece: &[u8], offset: u64) -> Result<()> {
    let border = piece.len().saturating_sub(TELLTALE.saturating_sub(1));
    watch(crc, piece, border, offset)?;
    let mut buffer = [0; 2 * (TELLTALE - 1)];
    let offset = offset.saturating_add(border as u64);
    let tail = source.read(offset, &mut buffer)?;
    watch(crc, tail, piece.len().saturating_sub(border), offset)
}

/// Sums up `bytes` as far as `border`, and compares what begins there.
fn watch(crc: &mut Crc, bytes: &[u8], border: usize, offset: u64) -> Result<()> {
    let mut summed = 0;
    for at in signatures(bytes, &DESCRIPTOR).take_while(|at| *at < border) {
        crc.update(bytes.get(summed..at).unwrap_or_default());
        summed = at;
        let mut fields = Fields::new(bytes.get(at..).unwrap_or_default());
        fields.take(DESCRIPTOR.len());
        if fields.u32() == Some(crc.sum()) {
            return Err(wrong(
                "the data holds a data descriptor that fits the data before it: a reader of a stream would end the \
                 entry there"
                    .to_owned(),
            )
            .at(offset.saturating_add(at as u64)));
        }
    }
    crc.update(bytes.get(summed..border).unwrap_or_default());
    Ok(())
}
