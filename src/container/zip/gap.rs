//! Bytes that belong to no record: what they are decides what is wrong.

use std::ops::Range;

use super::super::signatures;
use super::records::{CENTRAL, DESCRIPTOR, END, END64, End, LOCATOR, LocalHeader, Record, Source, bytes};
use crate::error::{Code, Error, Result};
use crate::limits::Budget;

/// The error for a gap. A local header at its beginning is that of a hidden entry; `ordinal` is its number in the file.
pub(super) fn error(source: Source<'_>, gap: Range<u64>, ordinal: Option<u64>, budget: &Budget) -> Result<Error> {
    let start = gap.start;
    let count = bytes(gap.end.saturating_sub(start));
    let error = if ends_in_archive(source, gap, budget)? {
        let what = "end in an end record of their own: two archives in one file";
        Error::with(Code::ZipEocd, format!("the {count} from byte {start} on {what}"))
    } else if let Some(header) = source.record::<LocalHeader>(start)? {
        let mut name = Vec::new();
        source.refill(start.saturating_add(LocalHeader::LEN as u64), header.declared_name_len, &mut name)?;
        let error = Error::with(
            Code::ZipHiddenEntry,
            format!("a local header stands at byte {start} that the directory does not list ({count})"),
        );
        match ordinal {
            Some(ordinal) => error.in_entry(ordinal, &name),
            None => error,
        }
    } else if source.has(start, CENTRAL)? {
        Error::with(
            Code::ZipCount,
            format!("a directory record stands at byte {start}, behind the end that the end record gives"),
        )
    } else if source.has(start, END64)? || source.has(start, LOCATOR)? {
        Error::with(
            Code::ZipZip64,
            format!("a zip64 record stands at byte {start}, where readers of zip64 do not look for it"),
        )
    } else if source.has(start, DESCRIPTOR)? {
        Error::with(
            Code::ZipDataDescriptor,
            format!("a data descriptor stands at byte {start} that the flags do not announce ({count})"),
        )
    } else {
        Error::with(Code::ZipUnaccountedData, format!("{count} from byte {start} on belong to no record"))
    };
    Ok(error.at(start))
}

/// Whether the bytes end in an end record: another archive in the same file.
fn ends_in_archive(source: Source<'_>, gap: Range<u64>, budget: &Budget) -> Result<bool> {
    const STEP: usize = 64 * 1024;
    let mut buffer = vec![0; STEP + End::LEN];
    let mut start = gap.start;
    while start < gap.end {
        budget.tick()?;
        let step = source.read(start, &mut buffer)?;
        for at in signatures(step, &END).take_while(|at| *at < STEP) {
            let Some(record) = step.get(at..).and_then(End::parse) else { continue };
            let end = start.saturating_add(at as u64).saturating_add(End::LEN as u64);
            if end.saturating_add(u64::from(record.declared_comment_len)) == gap.end {
                return Ok(true);
            }
        }
        start = start.saturating_add(STEP as u64);
    }
    Ok(false)
}
