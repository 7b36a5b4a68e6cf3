//! RFC 1952, strictly: one member, its header bounded, its checksum always checked, nothing behind it but padding.
//!
//! The header and trailer are read here rather than by a library because each of their faults needs its own code and
//! byte offset; the deflate stream itself is flate2's work.

mod ahead;

use flate2::{Crc, Decompress, FlushDecompress, Status};

use self::ahead::Ahead;
use super::format::unreadable;
use super::signatures;
use crate::artifact::{Spool, SpoolReader};
use crate::error::{Code, Error, Result};
use crate::limits::{Budget, has_processors};

/// Bytes given out at a time: stays in the processor's cache between inflating and writing.
const WINDOW: usize = 64 * 1024;

/// Files from this size on are inflated on a thread of their own: starting one costs as much as inflating a few KiB.
const WORTH_A_THREAD: u64 = 256 * 1024;

/// Longest header: extra field, name and comment together.
const MOST_HEADER: u64 = 64 * 1024;

/// What bsdtar adds when it writes to a pipe: fewer NULs than this, up to a multiple of [`PADDING_UNIT`].
const MOST_PADDING: u64 = 10_240;
const PADDING_UNIT: u64 = 512;

/// The content of the one gzip member of a file.
#[derive(Debug)]
pub(crate) struct Gzip<'a> {
    pieces: Pieces<'a>,
    piece: Vec<u8>,
    start: usize,
    end: usize,
    given: u64,
    finished: bool,
}

/// Where the inflated pieces come from: the same pieces, and the same faults after the same pieces, either way.
#[derive(Debug)]
enum Pieces<'a> {
    Ahead(Ahead),
    Here(Box<Inflate<'a>>),
}

impl<'a> Gzip<'a> {
    /// Reads the header. With `threads` above 1, a large file is inflated on a second thread.
    pub(crate) fn open(spool: &'a Spool, threads: usize) -> Result<Self> {
        let mut input = spool.reader(0, u64::MAX);
        Header::read(&mut input)?;
        let start = input.position();
        let worth_it = threads > 1 && spool.len() >= WORTH_A_THREAD && has_processors();
        let ahead = if worth_it { Ahead::start(spool.clone(), start) } else { None };
        let pieces = ahead.map_or_else(|| Pieces::Here(Box::new(Inflate::new(spool, start))), Pieces::Ahead);
        Ok(Self { pieces, piece: Vec::new(), start: 0, end: 0, given: 0, finished: false })
    }

    /// Offset in the inflated stream of the next byte that `fill` gives.
    pub(crate) fn position(&self) -> u64 {
        self.given
    }

    /// The next inflated bytes; empty only at the end, and then trailer and padding have been checked.
    pub(crate) fn fill(&mut self, budget: &mut Budget) -> Result<&[u8]> {
        while self.start >= self.end && !self.finished {
            let length = match &mut self.pieces {
                Pieces::Ahead(ahead) => ahead.next(&mut self.piece)?,
                Pieces::Here(inflate) => inflate.next(&mut self.piece)?,
            };
            let Some(length) = length else {
                self.finished = true;
                break;
            };
            (self.start, self.end) = (0, length);
            budget.inflate(length).map_err(|error| error.at(self.given))?;
        }
        Ok(self.piece.get(self.start..self.end).unwrap_or_default())
    }

    /// Goes past bytes that `fill` gave.
    pub(crate) fn consume(&mut self, count: usize) {
        let count = count.min(self.end.saturating_sub(self.start));
        self.start = self.start.saturating_add(count);
        self.given = self.given.saturating_add(count as u64);
    }
}

/// The deflate stream behind the header, its trailer and what follows.
#[derive(Debug)]
struct Inflate<'a> {
    spool: &'a Spool,
    input: SpoolReader<'a>,
    file_len: u64,
    inflater: Decompress,
    crc: Crc,
    state: State,
}

/// Faults behind the deflate stream are reported once its last byte has been given out: refusals stay in archive order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Streaming,
    AtTrailer,
    Finished,
}

impl<'a> Inflate<'a> {
    fn new(spool: &'a Spool, start: u64) -> Self {
        Self {
            spool,
            input: spool.reader(start, u64::MAX),
            file_len: spool.len(),
            inflater: Decompress::new(false),
            crc: Crc::new(),
            state: State::Streaming,
        }
    }

    /// Inflates the next piece; its length, or `None` after the last one, when all checks have passed.
    fn next(&mut self, piece: &mut Vec<u8>) -> Result<Option<usize>> {
        piece.resize(WINDOW, 0);
        let mut filled: usize = 0;
        while self.state == State::Streaming && filled < WINDOW {
            match self.step(piece.get_mut(filled..).unwrap_or_default()) {
                Ok(produced) => filled = filled.saturating_add(produced),
                // What was inflated before the fault comes first.
                Err(_) if filled > 0 => break,
                Err(error) => return Err(error),
            }
        }
        if filled == 0 && self.state == State::AtTrailer {
            self.trailer()?;
            self.tail()?;
            self.state = State::Finished;
        }
        Ok((filled > 0).then_some(filled))
    }

    fn step(&mut self, room: &mut [u8]) -> Result<usize> {
        let (before_in, before_out) = (self.inflater.total_in(), self.inflater.total_out());
        let offset = self.input.position();
        let input = self.input.fill().map_err(unreadable)?;
        let at_end = input.is_empty();
        let status = self
            .inflater
            .decompress(input, room, FlushDecompress::None)
            .map_err(|_| Error::new(Code::DeflateInvalid).at(offset))?;
        let consumed = self.inflater.total_in().saturating_sub(before_in);
        let produced = self.inflater.total_out().saturating_sub(before_out);
        self.input.consume(usize::try_from(consumed).unwrap_or(usize::MAX));
        let produced = usize::try_from(produced).unwrap_or(usize::MAX).min(room.len());
        self.crc.update(room.get(..produced).unwrap_or_default());
        match status {
            Status::StreamEnd => self.state = State::AtTrailer,
            Status::Ok | Status::BufError if produced == 0 && consumed == 0 => {
                let truncated = if at_end { Code::GzipTruncated } else { Code::DeflateInvalid };
                return Err(Error::new(truncated).at(self.input.position()));
            }
            Status::Ok | Status::BufError => {}
        }
        Ok(produced)
    }

    fn trailer(&mut self) -> Result<()> {
        let offset = self.input.position();
        let mut stored = [0; 8];
        for byte in &mut stored {
            *byte = next_byte(&mut self.input)?;
        }
        let [c0, c1, c2, c3, n0, n1, n2, n3] = stored;
        let (crc, found) = (u32::from_le_bytes([c0, c1, c2, c3]), self.crc.sum());
        if crc != found {
            return Err(Error::with(
                Code::GzipCrc,
                format!("the gzip checksum is {crc:08x}, the data has {found:08x}"),
            )
            .at(offset));
        }
        // RFC 1952: the length modulo 2^32, which is what flate2's counter keeps.
        let (length, found) = (u32::from_le_bytes([n0, n1, n2, n3]), self.crc.amount());
        if length != found {
            return Err(Error::with(
                Code::GzipCrc,
                format!("the gzip length is {length} (modulo 2^32), the data has {found}"),
            )
            .at(offset.saturating_add(4)));
        }
        Ok(())
    }

    fn tail(&mut self) -> Result<()> {
        let offset = self.input.position();
        let rest = self.file_len.saturating_sub(offset);
        let begin = self.input.fill().map_err(unreadable)?;
        if begin.starts_with(b"\x1f\x8b") {
            return Err(Error::new(Code::GzipMultiMember).at(offset));
        }
        let trailing = |detail: String| Error::with(Code::GzipTrailingData, detail).at(offset);
        let padded = rest < MOST_PADDING && self.file_len.is_multiple_of(PADDING_UNIT);
        if rest > 0 && !padded {
            return Err(trailing(format!("{rest} bytes follow the gzip member")));
        }
        for _ in 0..rest {
            if next_byte(&mut self.input)? != 0 {
                return Err(trailing(format!("{rest} bytes follow the gzip member, and not only NULs")));
            }
        }
        if ends_in_zip(self.spool)? {
            let detail = "the file is two archives in one: from its end it is a zip archive";
            return Err(Error::with(Code::FormatMismatch, detail).at(offset));
        }
        Ok(())
    }
}

/// The member header, read past and checked; nothing in it is used (a file name in it is a stranger's).
struct Header<'r, 'a> {
    input: &'r mut SpoolReader<'a>,
    crc: Crc,
}

impl Header<'_, '_> {
    const HAS_CRC: u8 = 0b10;
    const HAS_EXTRA: u8 = 0b100;
    const HAS_NAME: u8 = 0b1000;
    const HAS_COMMENT: u8 = 0b1_0000;
    const RESERVED: u8 = 0b1110_0000;

    fn read(input: &mut SpoolReader<'_>) -> Result<()> {
        let mut header = Header { input, crc: Crc::new() };
        let mut fixed = [0; 10];
        for byte in &mut fixed {
            *byte = header.byte()?;
        }
        let [magic1, magic2, method, flags, ..] = fixed;
        let invalid = |detail: &str, offset| Err(Error::with(Code::GzipHeader, detail).at(offset));
        if (magic1, magic2) != (0x1f, 0x8b) {
            return invalid("the gzip signature is missing", 0);
        }
        if method != 8 {
            return invalid("the compression method is not deflate", 2);
        }
        if flags & Self::RESERVED != 0 {
            return invalid("reserved flag bits of the gzip header are set", 3);
        }
        if flags & Self::HAS_EXTRA != 0 {
            let declared_length = u16::from_le_bytes([header.byte()?, header.byte()?]);
            for _ in 0..declared_length {
                header.byte()?;
            }
        }
        for flag in [Self::HAS_NAME, Self::HAS_COMMENT] {
            while flags & flag != 0 && header.byte()? != 0 {}
        }
        if flags & Self::HAS_CRC != 0 {
            let found = header.crc.sum() & 0xffff;
            let offset = header.input.position();
            let stored = u16::from_le_bytes([header.byte()?, header.byte()?]);
            if u32::from(stored) != found {
                return invalid("the checksum of the gzip header is wrong", offset);
            }
        }
        Ok(())
    }

    fn byte(&mut self) -> Result<u8> {
        if self.input.position() >= MOST_HEADER {
            return Err(Error::with(Code::GzipHeader, format!("the gzip header is larger than {MOST_HEADER} bytes"))
                .at(MOST_HEADER));
        }
        let byte = next_byte(self.input)?;
        self.crc.update(&[byte]);
        Ok(byte)
    }
}

/// An end record whose comment ends exactly with the file (APPNOTE 4.3.16).
fn ends_in_zip(spool: &Spool) -> Result<bool> {
    const END_RECORD: usize = 22;
    const MOST_TAIL: usize = END_RECORD + 0xffff;
    let length = spool.len();
    let mut tail = vec![0; usize::try_from(length).unwrap_or(MOST_TAIL).min(MOST_TAIL)];
    let start = length.saturating_sub(tail.len() as u64);
    let count = spool.read_at(start, &mut tail).map_err(unreadable)?;
    tail.truncate(count);
    let ends_here = |record: &[u8]| {
        let comment = record.get(END_RECORD..).unwrap_or_default();
        let declared = record.get(20..22).and_then(|length| length.try_into().ok()).map(u16::from_le_bytes);
        record.len() >= END_RECORD && declared.map(usize::from) == Some(comment.len())
    };
    Ok(signatures(&tail, b"PK\x05\x06").any(|at| tail.get(at..).is_some_and(ends_here)))
}

fn next_byte(input: &mut SpoolReader<'_>) -> Result<u8> {
    let offset = input.position();
    match input.fill().map_err(unreadable)?.first() {
        Some(byte) => {
            let byte = *byte;
            input.consume(1);
            Ok(byte)
        }
        None => Err(Error::new(Code::GzipTruncated).at(offset)),
    }
}
