//! The end of the file: the one end record (APPNOTE 4.3.16), zip64 (4.3.14, 4.3.15), the comment and the padding. Says
//! where the central directory is.

use std::ops::Range;

use super::super::signatures;
use super::gap;
use super::records::{CENTRAL, CentralHeader, END, End, End64, Locator, ONES16, ONES32, Record, Source, bytes};
use crate::error::{Code, Error, Result};
use crate::limits::Budget;

/// Fewer NULs than this may follow, if they bring the file to a multiple of `PADDING_UNIT`: bsdtar to a pipe.
const PADDING: u64 = 10_240;
const PADDING_UNIT: u64 = 512;

/// The end record begins somewhere in so many bytes from the end.
const TAIL: u64 = End::LEN as u64 + u16::MAX as u64 + PADDING;

const END64_LEN: u64 = End64::LEN as u64;

/// What the end record of a zip64 says of its own length, without the first 12 bytes (APPNOTE 4.3.14.1).
const END64_DECLARED: u64 = END64_LEN - 12;

/// Highest "version needed to extract" of the specification (APPNOTE 4.4.3.2).
pub(super) const NEWEST_VERSION: u16 = 63;

/// Where the central directory is, without a gap up to the end of the file.
#[derive(Debug, Clone)]
pub(super) struct Directory {
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) declared_entries: u64,
    /// Where the end record begins.
    pub(super) end_record: u64,
}

/// Finds the directory by the end record that ends the file, if that is the only candidate.
pub(super) fn directory(source: Source<'_>, budget: &Budget) -> Result<Directory> {
    let (at, end) = end_record(source, budget)?;
    let (numbers, directory_end) = match locator(source, at)? {
        Some(locator) => numbers64(source, at, &end, locator)?,
        None => (numbers(at, &end)?, at),
    };
    if numbers.entries_here != numbers.entries {
        let Numbers { entries_here, entries, .. } = numbers;
        return Err(Error::with(
            Code::ZipCount,
            format!("the end record counts {entries_here} entries on this disk and {entries} in all"),
        )
        .at(at));
    }
    let start = directory_start(source, &numbers, directory_end, at, budget)?;
    Ok(Directory { start, end: directory_end, declared_entries: numbers.entries, end_record: at })
}

/// The last bytes of the file, and how many NULs they end in.
struct Tail {
    bytes: Vec<u8>,
    start: u64,
    len: u64,
    nuls: u64,
}

impl Tail {
    fn read(source: Source<'_>) -> Result<Self> {
        let len = source.len();
        let start = len.saturating_sub(TAIL);
        let mut bytes = vec![0; usize::try_from(len.min(TAIL)).unwrap_or_default()];
        let count = source.read(start, &mut bytes)?.len();
        bytes.truncate(count);
        let nuls = bytes.iter().rev().take_while(|byte| **byte == 0).count() as u64;
        Ok(Self { bytes, start, len, nuls })
    }

    /// Every place where the signature of an end record stands, and the record where it is complete.
    fn candidates(&self) -> impl Iterator<Item = (u64, Option<End>)> {
        signatures(&self.bytes, &END).map(|at| {
            let record = self.bytes.get(at..).and_then(End::parse);
            (self.start.saturating_add(at as u64), record)
        })
    }

    /// Whether nothing but padding follows `end`.
    fn ends_at(&self, end: u64) -> bool {
        let rest = self.len.checked_sub(end);
        let padding = |rest| rest < PADDING && rest <= self.nuls && self.len.is_multiple_of(PADDING_UNIT);
        rest.is_some_and(|rest| rest == 0 || padding(rest))
    }

    fn slice(&self, range: Range<u64>) -> &[u8] {
        let index = |at: u64| usize::try_from(at.saturating_sub(self.start)).unwrap_or(usize::MAX);
        self.bytes.get(index(range.start)..index(range.end)).unwrap_or_default()
    }
}

/// The end record and its place: it ends the file, and no other place could be taken for one that does.
fn end_record(source: Source<'_>, budget: &Budget) -> Result<(u64, End)> {
    let tail = Tail::read(source)?;
    let mut found = None;
    let mut after = None;
    for (at, record) in tail.candidates() {
        let fitting = record.filter(|record| tail.ends_at(end_of(at, record)));
        match (fitting, found) {
            (Some(record), None) => found = Some((at, record)),
            (_, Some(_)) => after = Some(at),
            (None, None) => {}
        }
    }
    let Some((at, record)) = found else { return Err(no_end_record(source, &tail, budget)?) };
    if let Some(other) = after {
        return Err(Error::with(
            Code::ZipEocd,
            format!("there are two end records, at byte {at} and at byte {other}: readers differ on which one counts"),
        )
        .at(other));
    }
    check_comment(tail.slice(at.saturating_add(End::LEN as u64)..end_of(at, &record))).map_err(|error| error.at(at))?;
    Ok((at, record))
}

fn end_of(at: u64, record: &End) -> u64 {
    at.saturating_add(End::LEN as u64).saturating_add(u64::from(record.declared_comment_len))
}

/// A comment of the archive or of an entry: text. What may be in it is what Info-ZIP writes, line ends included;
/// signatures of records have control bytes, so none of them can stand in it.
fn check_comment(comment: &[u8]) -> Result<()> {
    let control = |character: char| character.is_control() && !matches!(character, '\t' | '\n' | '\r');
    let found = match std::str::from_utf8(comment) {
        Ok(text) => text.chars().find(|character| control(*character)).map(u32::from),
        Err(_) => comment.iter().find(|byte| byte.is_ascii() && control(char::from(**byte))).copied().map(u32::from),
    };
    match found {
        Some(character) => Err(Error::with(
            Code::ZipComment,
            format!("the comment of {} holds the control character U+{character:04X}", bytes(comment.len() as u64)),
        )),
        None => Ok(()),
    }
}

/// A comment of an entry may not hold `PK` either: it stands right before the next record's signature.
pub(super) fn check_entry_comment(comment: &[u8]) -> Result<()> {
    if comment.windows(2).any(|window| window == b"PK") {
        return Err(Error::with(Code::ZipComment, "the comment of the entry holds `PK`, with which records begin"));
    }
    check_comment(comment)
}

/// Why no end record ends the file: the last one there is says it.
fn no_end_record(source: Source<'_>, tail: &Tail, budget: &Budget) -> Result<Error> {
    let last = match tail.candidates().last() {
        Some((at, _)) => Some(at),
        None => last_signature(source, tail.start, budget)?,
    };
    let missing = "there is no end record: the file is cut, or no zip";
    let Some(at) = last else { return Ok(Error::with(Code::ZipEocd, missing).at(tail.len)) };
    let Some(record) = source.record::<End>(at)? else {
        return Ok(Error::with(Code::ZipEocd, "the file ends inside the end record").at(at));
    };
    let comment = record.declared_comment_len;
    let after = tail.len.saturating_sub(at.saturating_add(End::LEN as u64));
    let rest = tail.len.saturating_sub(end_of(at, &record));
    if rest == 0 {
        return Ok(Error::with(
            Code::ZipEocd,
            format!("the end record says its comment has {}, but {after} follow it", bytes(u64::from(comment))),
        )
        .at(at));
    }
    // Something may end in the data of a member that looks like an end record: then the true one was cut off.
    if !plausible(source, &record)? {
        return Ok(Error::with(Code::ZipEocd, missing).at(tail.len));
    }
    if comment > 0 && rest > tail.nuls {
        return Ok(Error::with(
            Code::ZipEocd,
            format!("the end record says its comment has {}, but {after} follow it", bytes(u64::from(comment))),
        )
        .hint("publisher: the comment's length is wrong, or something was appended; publish exactly what the zip tool wrote")
        .at(at));
    }
    let what = if rest <= tail.nuls {
        format!(
            "{} of NUL after the end of the zip; padding is less than {PADDING} bytes and ends at a multiple of \
             {PADDING_UNIT}",
            bytes(rest)
        )
    } else {
        format!("{} after the end of the zip", bytes(rest))
    };
    Ok(Error::with(Code::ZipTrailingData, what).at(end_of(at, &record)))
}

/// Whether the record leads to a directory.
fn plausible(source: Source<'_>, record: &End) -> Result<bool> {
    let elsewhere = record.declared_offset == ONES32;
    Ok(elsewhere || record.declared_size == 0 || source.has(u64::from(record.declared_offset), CENTRAL)?)
}

/// Looks for the last end record of a file that has something long behind it.
fn last_signature(source: Source<'_>, before: u64, budget: &Budget) -> Result<Option<u64>> {
    const STEP: usize = 64 * 1024;
    /// A signature that begins in the step and ends behind it counts too.
    const OVERHANG: usize = END.len() - 1;
    let mut buffer = vec![0; STEP + OVERHANG];
    let mut end = before;
    while end > 0 {
        budget.tick()?;
        let start = end.saturating_sub(STEP as u64);
        let most = usize::try_from(end.saturating_sub(start)).unwrap_or_default().saturating_add(OVERHANG);
        let step = source.read(start, buffer.get_mut(..most).unwrap_or_default())?;
        if let Some(at) = signatures(step, &END).last() {
            return Ok(Some(start.saturating_add(at as u64)));
        }
        end = start;
    }
    Ok(None)
}

/// What the end record, or the zip64 one, says of the directory.
#[derive(Debug, Clone, Copy)]
struct Numbers {
    entries_here: u64,
    entries: u64,
    size: u64,
    offset: u64,
}

/// The numbers of an archive without zip64 records. 65,535 entries is a number here, not a reference.
fn numbers(at: u64, end: &End) -> Result<Numbers> {
    if end.disk != 0 || end.directory_disk != 0 {
        return Err(several_disks(u64::from(end.disk), u64::from(end.directory_disk)).at(at));
    }
    if end.declared_size == ONES32 || end.declared_offset == ONES32 {
        return Err(Error::with(
            Code::ZipZip64,
            "the end record refers to a zip64 end record, but there is none before it",
        )
        .at(at));
    }
    Ok(Numbers {
        entries_here: u64::from(end.declared_entries_here),
        entries: u64::from(end.declared_entries),
        size: u64::from(end.declared_size),
        offset: u64::from(end.declared_offset),
    })
}

fn several_disks(this: u64, directory: u64) -> Error {
    Error::with(
        Code::ZipMultiDisk,
        format!("the end record is on disk {this} and the directory on disk {directory}; both must be 0"),
    )
}

/// What stands right before the end record is where every reader looks for zip64.
fn locator(source: Source<'_>, at: u64) -> Result<Option<Locator>> {
    match at.checked_sub(Locator::LEN as u64) {
        Some(place) => source.record(place),
        None => Ok(None),
    }
}

/// The numbers of the zip64 end record, and where that begins. It touches its locator, has no extensible data, and
/// agrees with the end record wherever that does not say all ones.
fn numbers64(source: Source<'_>, at: u64, end: &End, locator: Locator) -> Result<(Numbers, u64)> {
    let locator_at = at.saturating_sub(Locator::LEN as u64);
    let expected = locator_at.checked_sub(END64_LEN);
    let Locator { disk, declared_offset, declared_disks } = locator;
    if disk != 0 || declared_disks > 1 {
        return Err(Error::with(
            Code::ZipMultiDisk,
            format!("the zip64 locator says disk {disk} of {declared_disks}; it must be the only one"),
        )
        .at(locator_at));
    }
    let record = match expected {
        Some(expected) if expected == declared_offset => source.record::<End64>(expected)?,
        _ => None,
    };
    let (Some(place), Some(record)) = (expected, record) else {
        let expected = expected.unwrap_or_default();
        return Err(Error::with(
            Code::ZipZip64,
            format!(
                "the zip64 locator points to byte {declared_offset}; a zip64 end record must stand right before it, at \
                 byte {expected}"
            ),
        )
        .at(locator_at));
    };
    if record.declared_len != END64_DECLARED {
        let found = record.declared_len;
        return Err(Error::with(
            Code::ZipZip64,
            format!("the zip64 end record says it has {found} bytes, only {END64_DECLARED} are taken"),
        )
        .at(place));
    }
    if record.version > NEWEST_VERSION {
        let found = record.version;
        return Err(Error::with(
            Code::ZipVersion,
            format!("the zip64 end record needs version {found}, the newest is {NEWEST_VERSION}"),
        )
        .at(place));
    }
    if record.disk != 0 || record.directory_disk != 0 {
        return Err(several_disks(u64::from(record.disk), u64::from(record.directory_disk)).at(place));
    }
    let disks = [end.disk, end.directory_disk];
    if disks.iter().any(|disk| !matches!(*disk, 0 | ONES16)) {
        return Err(several_disks(u64::from(end.disk), u64::from(end.directory_disk)).at(at));
    }
    let ones16 = u64::from(ONES16);
    let ones32 = u64::from(ONES32);
    let pairs = [
        ("entries on this disk", u64::from(end.declared_entries_here), ones16, record.declared_entries_here),
        ("entries", u64::from(end.declared_entries), ones16, record.declared_entries),
        ("directory size", u64::from(end.declared_size), ones32, record.declared_size),
        ("directory offset", u64::from(end.declared_offset), ones32, record.declared_offset),
    ];
    if let Some((what, short, _, long)) =
        pairs.into_iter().find(|(_, short, ones, long)| short != ones && short != long)
    {
        return Err(Error::with(
            Code::ZipZip64,
            format!("{what}: the end record says {short}, the zip64 end record {long}"),
        )
        .at(at));
    }
    let numbers = Numbers {
        entries_here: record.declared_entries_here,
        entries: record.declared_entries,
        size: record.declared_size,
        offset: record.declared_offset,
    };
    Ok((numbers, place))
}

/// Where the directory begins: it must end where its end record begins. If it does not, the reason is looked for.
fn directory_start(source: Source<'_>, numbers: &Numbers, end: u64, at: u64, budget: &Budget) -> Result<u64> {
    let Numbers { size, offset, .. } = *numbers;
    let declared_end = offset.checked_add(size);
    if declared_end == Some(end) {
        return Ok(offset);
    }
    let first = CentralHeader::LEN as u64;
    if let Some(declared_end) = declared_end.filter(|declared_end| *declared_end < end) {
        // At its place, but too short; or at its end, with something in front of the archive.
        if size == 0 || source.has(offset, CENTRAL)? {
            return Err(gap::error(source, declared_end..end, None, budget)?);
        }
        let moved = end.saturating_sub(size);
        if size >= first && source.has(moved, CENTRAL)? {
            return Err(gap::error(source, 0..moved.saturating_sub(offset), Some(1), budget)?);
        }
    }
    Err(Error::with(
        Code::ZipEocd,
        format!(
            "the end record says the directory has {size} bytes from byte {offset} on, but it must end at byte {end}"
        ),
    )
    .at(at))
}
