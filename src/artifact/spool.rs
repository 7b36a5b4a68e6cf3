//! The private copy of an archive: in memory up to a threshold, then in an unnamed temporary file.

use std::fs::File;
use std::io::{self, Write as _};
use std::sync::Arc;

/// Bytes of the file held at a time when the copy is not in memory.
const WINDOW: usize = 64 * 1024;

/// The bytes, shared and unchanging.
#[derive(Debug, Clone)]
pub(crate) struct Spool(Arc<Storage>);

#[derive(Debug)]
enum Storage {
    Memory(Vec<u8>),
    File { file: File, len: u64 },
}

/// Fills a spool.
#[derive(Debug)]
pub(super) struct Writer {
    threshold: u64,
    memory: Vec<u8>,
    file: Option<File>,
    len: u64,
}

/// Reads a range of a spool from front to back.
#[derive(Debug)]
pub(crate) struct SpoolReader<'a> {
    spool: &'a Spool,
    position: u64,
    end: u64,
    window: Vec<u8>,
    consumed: usize,
}

impl Spool {
    pub(super) fn in_memory(bytes: Vec<u8>) -> Self {
        Self(Arc::new(Storage::Memory(bytes)))
    }

    pub(crate) fn len(&self) -> u64 {
        match &*self.0 {
            Storage::Memory(bytes) => bytes.len() as u64,
            Storage::File { len, .. } => *len,
        }
    }

    /// Fills as much of `buffer` as there are bytes from `offset` on; returns how many.
    pub(crate) fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        match &*self.0 {
            Storage::Memory(bytes) => {
                let rest = usize::try_from(offset).ok().and_then(|start| bytes.get(start..)).unwrap_or_default();
                let count = rest.len().min(buffer.len());
                for (to, from) in buffer.iter_mut().zip(rest) {
                    *to = *from;
                }
                Ok(count)
            }
            Storage::File { file, .. } => {
                let mut filled = 0;
                while let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) {
                    match imp::read_at(file, offset.saturating_add(filled as u64), rest) {
                        Ok(0) => break,
                        Ok(count) => filled = filled.saturating_add(count),
                        Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                        Err(error) => return Err(error),
                    }
                }
                Ok(filled)
            }
        }
    }

    /// Reads the bytes from `start` to `end` (or to the end of the spool, whichever comes first).
    pub(crate) fn reader(&self, start: u64, end: u64) -> SpoolReader<'_> {
        let end = end.min(self.len());
        SpoolReader { spool: self, position: start.min(end), end, window: Vec::new(), consumed: 0 }
    }
}

impl Writer {
    pub(super) fn new(threshold: u64) -> Self {
        Self { threshold, memory: Vec::new(), file: None, len: 0 }
    }

    pub(super) fn len(&self) -> u64 {
        self.len
    }

    pub(super) fn reserve(&mut self, bytes: u64) {
        if let (true, Ok(bytes)) = (bytes <= self.threshold, usize::try_from(bytes)) {
            // Best effort: without the memory, growing step by step reports the error.
            let _ = self.memory.try_reserve_exact(bytes);
        }
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.len = self.len.saturating_add(bytes.len() as u64);
        if let Some(file) = &mut self.file {
            return file.write_all(bytes);
        }
        if self.len <= self.threshold {
            self.memory.try_reserve(bytes.len()).map_err(|_| io::Error::from(io::ErrorKind::OutOfMemory))?;
            self.memory.extend_from_slice(bytes);
            return Ok(());
        }
        let mut file = tempfile::tempfile()?;
        file.write_all(&self.memory)?;
        self.memory = Vec::new();
        file.write_all(bytes)?;
        self.file = Some(file);
        Ok(())
    }

    pub(super) fn finish(self) -> Spool {
        let len = self.len;
        Spool(Arc::new(match self.file {
            Some(file) => Storage::File { file, len },
            None => Storage::Memory(self.memory),
        }))
    }
}

impl SpoolReader<'_> {
    /// Offset in the file of the next byte that `fill` will give.
    pub(crate) fn position(&self) -> u64 {
        self.position
    }

    /// What comes next, as much as is at hand: never empty before the end of the range.
    pub(crate) fn fill(&mut self) -> io::Result<&[u8]> {
        if let Storage::Memory(bytes) = &*self.spool.0 {
            let start = usize::try_from(self.position).unwrap_or(usize::MAX);
            let end = usize::try_from(self.end).unwrap_or(usize::MAX);
            return Ok(bytes.get(start..end).unwrap_or_default());
        }
        if self.consumed >= self.window.len() {
            let rest = self.end.saturating_sub(self.position);
            let want = usize::try_from(rest).unwrap_or(WINDOW).min(WINDOW);
            self.window.resize(want, 0);
            self.consumed = 0;
            let count = self.spool.read_at(self.position, &mut self.window)?;
            self.window.truncate(count);
            if count < want {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        Ok(self.window.get(self.consumed..).unwrap_or_default())
    }

    /// Goes past bytes that `fill` gave.
    pub(crate) fn consume(&mut self, count: usize) {
        self.position = self.position.saturating_add(count as u64).min(self.end);
        self.consumed = self.consumed.saturating_add(count);
    }
}

#[cfg(unix)]
mod imp {
    use std::fs::File;
    use std::io;
    use std::os::unix::fs::FileExt;

    pub(super) fn read_at(file: &File, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        file.read_at(buffer, offset)
    }
}

#[cfg(windows)]
mod imp {
    use std::fs::File;
    use std::io;
    use std::os::windows::fs::FileExt;

    pub(super) fn read_at(file: &File, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        file.seek_read(buffer, offset)
    }
}
