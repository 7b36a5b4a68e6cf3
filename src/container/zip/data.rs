//! The content of one member: inflated or as stored, counted and summed up as it is given out, and compared with what
//! its headers say.

use flate2::{Crc, Decompress, FlushDecompress, Status};

use super::descriptor;
use super::entry::Entry;
use super::kind::Shape;
use super::records::{Source, bytes};
use crate::artifact::SpoolReader;
use crate::container::format::unreadable;
use crate::error::{Code, Error, Result};
use crate::limits::Budget;

/// Most bytes given out at a time, and most packed bytes taken between two looks at the clock.
const PIECE: usize = 64 * 1024;

/// The data of the members, one after the other; inflater and buffer serve all of them.
#[derive(Debug)]
pub(super) struct Body<'a> {
    source: Source<'a>,
    reader: SpoolReader<'a>,
    inflater: Decompress,
    output: Vec<u8>,
    crc: Crc,
    /// Bytes given out and not yet gone past (stored members).
    pending: usize,
    given: u64,
    entry: Option<Entry>,
}

impl<'a> Body<'a> {
    pub(super) fn new(source: Source<'a>) -> Self {
        Self {
            source,
            reader: source.0.reader(0, 0),
            inflater: Decompress::new(false),
            output: vec![0; PIECE],
            crc: Crc::new(),
            pending: 0,
            given: 0,
            entry: None,
        }
    }

    /// The next pieces are this entry's.
    pub(super) fn begin(&mut self, entry: Entry) {
        self.reader = self.source.0.reader(entry.data, entry.data_end());
        self.inflater.reset(false);
        self.crc = Crc::new();
        self.pending = 0;
        self.given = 0;
        self.entry = Some(entry);
    }

    /// Offset in the file of what is read next.
    pub(super) fn position(&self) -> u64 {
        self.reader.position()
    }

    /// The next piece, never empty. `None` once the data has ended and is what the headers say.
    pub(super) fn piece(&mut self, budget: &mut Budget) -> Result<Option<&[u8]>> {
        let Some(entry) = self.entry else { return Ok(None) };
        let inflating = entry.deflated && !is_empty_directory(&entry);
        let step = if inflating { self.inflate(&entry, budget) } else { self.stored(&entry, budget) };
        let count = step.map_err(|error| error.at(self.position()))?;
        if count == 0 {
            return Ok(None);
        }
        let given = if inflating { &*self.output } else { self.reader.fill().map_err(unreadable)? };
        Ok(given.get(..count))
    }

    /// How many bytes come next out of the file; 0 at the end. They are gone past the next time.
    fn stored(&mut self, entry: &Entry, budget: &mut Budget) -> Result<usize> {
        self.reader.consume(std::mem::take(&mut self.pending));
        let offset = self.reader.position();
        if offset >= entry.data_end() {
            self.finish(entry)?;
            return Ok(0);
        }
        let window = self.reader.fill().map_err(unreadable)?;
        let piece = window.get(..window.len().min(PIECE)).unwrap_or_default();
        budget.inflate(piece.len())?;
        if entry.streamed {
            descriptor::sum_and_watch(&mut self.crc, self.source, piece, offset)?;
        } else {
            self.crc.update(piece);
        }
        self.pending = piece.len();
        self.given = self.given.saturating_add(piece.len() as u64);
        Ok(piece.len())
    }

    /// How many bytes have come out of the inflater; 0 at the end.
    fn inflate(&mut self, entry: &Entry, budget: &mut Budget) -> Result<usize> {
        loop {
            let input = self.reader.fill().map_err(unreadable)?;
            let input = input.get(..input.len().min(PIECE)).unwrap_or_default();
            let cut = input.is_empty();
            let (taken, made) = (self.inflater.total_in(), self.inflater.total_out());
            let status = self
                .inflater
                .decompress(input, &mut self.output, FlushDecompress::None)
                .map_err(|_| Error::with(Code::DeflateInvalid, "the compressed data is damaged"))?;
            let taken = self.inflater.total_in().saturating_sub(taken);
            let made = self.inflater.total_out().saturating_sub(made);
            self.reader.consume(usize::try_from(taken).unwrap_or(usize::MAX));

            let count = usize::try_from(made).unwrap_or(usize::MAX);
            budget.inflate(count)?;
            self.given = self.given.saturating_add(made);
            if self.given > entry.declared_size {
                let size = entry.declared_size;
                return Err(Error::with(
                    Code::ZipSizeMismatch,
                    format!("the data inflates to more than the {} that the headers say", bytes(size)),
                ));
            }
            self.crc.update(self.output.get(..count).unwrap_or_default());
            let ended = status == Status::StreamEnd;
            if ended {
                self.finish(entry)?;
            } else if taken == 0 && made == 0 {
                let what = if cut { "the compressed data ends too early" } else { "the compressed data is damaged" };
                return Err(Error::with(Code::DeflateInvalid, what));
            }
            if made > 0 || ended {
                return Ok(count);
            }
        }
    }

    /// The data has ended by itself: nothing may be left over, and count and CRC must be what the headers say.
    fn finish(&mut self, entry: &Entry) -> Result<()> {
        self.entry = None;
        let left = entry.data_end().saturating_sub(self.reader.position());
        if left > 0 {
            let packed = entry.declared_packed;
            return Err(Error::with(
                Code::ZipSizeMismatch,
                format!("the compressed data ends {} before the {packed} that the headers say", bytes(left)),
            ));
        }
        let (given, size) = (self.given, entry.declared_size);
        if given != size {
            return Err(Error::with(
                Code::ZipSizeMismatch,
                format!("the data inflates to {}, the headers say {size}", bytes(given)),
            ));
        }
        let (found, expected) = (self.crc.sum(), entry.declared_crc);
        if found != expected {
            return Err(Error::with(
                Code::ZipCrc,
                format!("the CRC of the data is {found:08x}, the headers say {expected:08x}"),
            ));
        }
        Ok(())
    }
}

/// Method deflate and no byte of data: what PHP writes for a directory. (For a file it is no deflate stream.)
fn is_empty_directory(entry: &Entry) -> bool {
    entry.kind.shape == Shape::Directory && entry.declared_packed == 0
}
