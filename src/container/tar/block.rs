//! Physical framing: 512-byte blocks out of the gzip stream, payloads, padding and the end marker.

use super::super::gzip::Gzip;
use crate::error::{Code, Error, Result};
use crate::limits::Budget;

pub(super) const BLOCK: usize = 512;

/// One header block.
#[derive(Debug, Clone)]
pub(super) struct Block(pub(super) [u8; BLOCK]);

/// The stream as blocks. Keeps track of how much of the current member's payload is left.
#[derive(Debug)]
pub(super) struct Blocks<'a> {
    stream: Gzip<'a>,
    /// Payload bytes not yet given out.
    remaining: u64,
    /// Bytes after the payload up to the next block.
    padding: u64,
    /// Bytes given out by `data`, to be consumed by the next call.
    lent: usize,
}

impl Block {
    /// The bytes of a field; empty if the range were outside the block.
    pub(super) fn field(&self, start: usize, len: usize) -> &[u8] {
        self.0.get(start..start.saturating_add(len)).unwrap_or_default()
    }

    /// The name field up to its first NUL: for error messages.
    pub(super) fn name(&self) -> &[u8] {
        let field = self.field(0, 100);
        field.split(|byte| *byte == 0).next().unwrap_or_default()
    }

    /// bsdtar looks into a stream for further compression and other archives, however it came by it.
    pub(super) fn begins_like_another_format(&self) -> bool {
        const OTHERS: [&[u8]; 12] = [
            b"\x1f\x8b",
            b"\x1f\x9d",
            b"\x1f\xa0",
            b"BZh",
            b"\xfd7zXZ",
            b"\x28\xb5\x2f\xfd",
            b"\x04\x22\x4d\x18",
            b"LZIP",
            b"\x89LZO",
            b"7z\xbc\xaf",
            b"PK\x03\x04",
            b"#mtree",
        ];
        let uuencoded = self.0.strip_prefix(b"begin ").is_some_and(|rest| {
            let mode = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
            mode >= 3 && rest.get(mode) == Some(&b' ')
        });
        uuencoded || OTHERS.iter().any(|magic| self.0.starts_with(magic))
    }

    fn is_zero(&self) -> bool {
        self.0.iter().all(|byte| *byte == 0)
    }
}

impl<'a> Blocks<'a> {
    pub(super) fn new(stream: Gzip<'a>) -> Self {
        Self { stream, remaining: 0, padding: 0, lent: 0 }
    }

    pub(super) fn position(&self) -> u64 {
        self.stream.position().saturating_add(self.lent as u64)
    }

    pub(super) fn remaining(&self) -> u64 {
        self.remaining
    }

    /// The next header block, or `None` for the first zero block.
    pub(super) fn header(&mut self, budget: &mut Budget) -> Result<Option<Block>> {
        let offset = self.position();
        match self.block(budget)? {
            None => Err(Error::with(Code::TarNoEnd, "the archive ends without two zero blocks").at(offset)),
            Some(block) if block.is_zero() => Ok(None),
            Some(block) => Ok(Some(block)),
        }
    }

    /// After the first zero block: a second one, then only zeros up to the end of the stream.
    pub(super) fn end(&mut self, budget: &mut Budget) -> Result<()> {
        let offset = self.position();
        match self.block(budget) {
            Ok(Some(block)) if block.is_zero() => {}
            Ok(_) => {
                return Err(
                    Error::with(Code::TarNoEnd, "there is one zero block where the end marker has two").at(offset)
                );
            }
            Err(error) if error.code() == Code::TarTruncated => {
                return Err(Error::with(Code::TarNoEnd, "the archive ends inside its end marker").at(offset));
            }
            Err(error) => return Err(error),
        }
        loop {
            let offset = self.position();
            let rest = self.stream.fill(budget)?;
            if rest.is_empty() {
                return Ok(());
            }
            if let Some(at) = rest.iter().position(|byte| *byte != 0) {
                return Err(Error::new(Code::TarTrailingData).at(offset.saturating_add(at as u64)));
            }
            let count = rest.len();
            self.stream.consume(count);
        }
    }

    /// A member with a payload of this size begins.
    pub(super) fn begin(&mut self, declared_size: u64) {
        self.remaining = declared_size;
        self.padding =
            declared_size.checked_next_multiple_of(BLOCK as u64).map_or(0, |end| end.saturating_sub(declared_size));
    }

    /// The next piece of the payload, never empty; `None` at its end.
    pub(super) fn data(&mut self, budget: &mut Budget) -> Result<Option<&[u8]>> {
        self.settle();
        if self.remaining == 0 {
            return Ok(None);
        }
        let offset = self.stream.position();
        let available = self.stream.fill(budget)?;
        if available.is_empty() {
            let missing = self.remaining;
            return Err(
                Error::with(Code::TarTruncated, format!("the archive ends {missing} bytes too early")).at(offset)
            );
        }
        let take = usize::try_from(self.remaining).unwrap_or(usize::MAX).min(available.len());
        self.remaining = self.remaining.saturating_sub(take as u64);
        self.lent = take;
        Ok(available.get(..take))
    }

    /// Reads past what is left of the payload and its padding.
    pub(super) fn skip_rest(&mut self, budget: &mut Budget) -> Result<()> {
        while self.data(budget)?.is_some() {}
        self.remaining = std::mem::take(&mut self.padding);
        while self.data(budget)?.is_some() {}
        Ok(())
    }

    /// The whole payload of an extension header. Its size has been checked against the budget.
    pub(super) fn payload(&mut self, declared_size: u64, budget: &mut Budget) -> Result<Vec<u8>> {
        self.payload_and_padding(declared_size, budget).map(|(payload, _)| payload)
    }

    /// The same, and whether its last block is filled up with nothing but NULs.
    pub(super) fn payload_and_padding(&mut self, declared_size: u64, budget: &mut Budget) -> Result<(Vec<u8>, bool)> {
        self.begin(declared_size);
        let mut payload = Vec::new();
        while let Some(piece) = self.data(budget)? {
            payload.extend_from_slice(piece);
        }
        self.remaining = std::mem::take(&mut self.padding);
        let mut nuls = true;
        while let Some(piece) = self.data(budget)? {
            nuls &= piece.iter().all(|byte| *byte == 0);
        }
        Ok((payload, nuls))
    }

    /// One block, or `None` at the end of the stream.
    fn block(&mut self, budget: &mut Budget) -> Result<Option<Block>> {
        self.settle();
        let offset = self.stream.position();
        let mut block = [0; BLOCK];
        let mut filled = 0;
        while filled < BLOCK {
            let available = self.stream.fill(budget)?;
            if available.is_empty() {
                break;
            }
            let room = block.get_mut(filled..).unwrap_or_default();
            let count = room.len().min(available.len());
            for (to, from) in room.iter_mut().zip(available) {
                *to = *from;
            }
            filled = filled.saturating_add(count);
            self.stream.consume(count);
        }
        match filled {
            0 => Ok(None),
            BLOCK => Ok(Some(Block(block))),
            _ => Err(Error::with(Code::TarTruncated, "the archive ends inside a header block").at(offset)),
        }
    }

    fn settle(&mut self) {
        self.stream.consume(std::mem::take(&mut self.lent));
    }
}
