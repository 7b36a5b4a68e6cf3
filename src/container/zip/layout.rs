//! The strict layout: which entries there are and where, in the order of the file.

use super::end::Directory;
use super::extra::{Extras, Number, resolve};
use super::gap;
use super::records::{CentralHeader, LOCAL, LocalHeader, ONES32, Record, Source, bytes};
use crate::error::{Code, Error, Result};
use crate::limits::Budget;

/// One entry: where its two headers are. Everything else is read again when the entry is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Slot {
    pub(super) local: u64,
    pub(super) central: u64,
}

/// All entries in the order of their local headers. The first one stands at byte 0, and at every place there is a local
/// header; whether each ends where the next one begins is seen when it is read.
pub(super) fn slots(source: Source<'_>, directory: &Directory, budget: &mut Budget) -> Result<Vec<Slot>> {
    let mut slots = walk(source, directory, budget)?;
    slots.sort_unstable();
    let (mut ordinal, mut before) = (0_u64, None);
    for slot in &slots {
        budget.tick()?;
        ordinal = ordinal.saturating_add(1);
        check_slot(source, directory, *slot, before)
            .map_err(|error| name(source, slot.central, ordinal, error.at(slot.central)))?;
        before = Some(slot.local);
    }
    let first = slots.first().map_or(directory.start, |slot| slot.local);
    if first > 0 {
        return Err(gap::error(source, 0..first, Some(1), budget)?);
    }
    Ok(slots)
}

/// Walks through the directory, record by record. Nothing is kept before it has been counted.
fn walk(source: Source<'_>, directory: &Directory, budget: &mut Budget) -> Result<Vec<Slot>> {
    let mut slots = Vec::new();
    let mut extra = Vec::new();
    let mut position = directory.start;
    while position < directory.end {
        budget.tick()?;
        let ordinal = (slots.len() as u64).saturating_add(1);
        let Some(header) = source.record::<CentralHeader>(position)? else {
            return Err(no_record(source, directory, position, ordinal)?);
        };
        let next = position.saturating_add(header.full_len());
        if next > directory.end {
            let end = directory.end;
            return Err(Error::with(
                Code::ZipEocd,
                format!("directory record {ordinal} would end at byte {next}, the directory ends at byte {end}"),
            )
            .at(position));
        }
        budget.metadata(header.full_len()).map_err(|error| error.at(position))?;
        let most = budget.limits().entries;
        if ordinal > most {
            return Err(
                Error::with(Code::LimitEntries, format!("the directory has more than {most} entries")).at(position)
            );
        }
        let local = local_offset(source, &header, position, &mut extra)
            .map_err(|error| name(source, position, ordinal, error.at(position)))?;
        slots.push(Slot { local, central: position });
        position = next;
    }
    let (found, declared) = (slots.len() as u64, directory.declared_entries);
    if found != declared {
        return Err(Error::with(
            Code::ZipCount,
            format!("the end record says there are {declared} entries, the directory has {found}"),
        )
        .at(directory.end_record));
    }
    Ok(slots)
}

/// What stands in the directory in place of a record.
fn no_record(source: Source<'_>, directory: &Directory, position: u64, ordinal: u64) -> Result<Error> {
    let rest = bytes(directory.end.saturating_sub(position));
    let declared = directory.declared_entries;
    let signed = source.has(position, *b"PK\x05\x05")?;
    Ok(if signed || ordinal > declared {
        let what = if signed { "a digital signature" } else { "something" };
        Error::with(
            Code::ZipUnaccountedData,
            format!("{what} of {rest} stands in the directory behind its last record"),
        )
    } else {
        Error::with(
            Code::ZipHeaderMismatch,
            format!("record {ordinal} of {declared} should stand here in the directory, but there is none"),
        )
    }
    .at(position))
}

/// Where the record says that the local header is.
fn local_offset(source: Source<'_>, header: &CentralHeader, position: u64, extra: &mut Vec<u8>) -> Result<u64> {
    if header.declared_offset != ONES32 {
        return Ok(u64::from(header.declared_offset));
    }
    let before = (CentralHeader::LEN as u64).saturating_add(u64::from(header.declared_name_len));
    source.refill(position.saturating_add(before), header.declared_extra_len, extra)?;
    let [_, _, offset, _] = central_numbers(header, Extras::parse(extra)?.zip64)?;
    Ok(offset)
}

/// Unpacked size, packed size, offset and disk of a central record, resolved.
pub(super) fn central_numbers(header: &CentralHeader, zip64: Option<&[u8]>) -> Result<[u64; 4]> {
    resolve(
        zip64,
        [
            Number::size("size", header.declared_size),
            Number::size("packed size", header.declared_packed),
            Number::size("offset of the local header", header.declared_offset),
            Number::disk(header.disk),
        ],
    )
}

/// A local header stands where the directory says, before the directory, and no other entry begins there.
fn check_slot(source: Source<'_>, directory: &Directory, slot: Slot, before: Option<u64>) -> Result<()> {
    let Slot { local, .. } = slot;
    if before == Some(local) {
        return Err(Error::with(
            Code::ZipOverlap,
            format!("two directory records point to the local header at byte {local}"),
        ));
    }
    let start = directory.start;
    if local.checked_add(LocalHeader::LEN as u64).is_none_or(|end| end > start) {
        return Err(Error::with(
            Code::ZipHeaderMismatch,
            format!(
                "the directory points to byte {local} for the local header, but the directory begins at byte {start}"
            ),
        ));
    }
    if !source.has(local, LOCAL)? {
        return Err(Error::with(
            Code::ZipHeaderMismatch,
            format!("the directory points to byte {local}, but no local header stands there"),
        ));
    }
    Ok(())
}

/// The error with the name that the record in the directory gives.
fn name(source: Source<'_>, central: u64, ordinal: u64, error: Error) -> Error {
    let mut name = Vec::new();
    let header = source.record::<CentralHeader>(central);
    if let Ok(Some(header)) = header {
        let after = central.saturating_add(CentralHeader::LEN as u64);
        // The error at hand is the one to report.
        let _ = source.refill(after, header.declared_name_len, &mut name);
    }
    error.in_entry(ordinal, &name)
}
