//! The sink that keeps the bytes of one file in memory.

use super::Sink;
use crate::error::Result;
use crate::policy::{SafeMode, SafePath, SafeTarget};

/// Keeps one file. Its size is bounded by the budget before the bytes arrive here.
#[derive(Debug)]
pub(crate) struct Capture {
    wanted: String,
    open: bool,
    bytes: Option<Vec<u8>>,
    source: Option<String>,
}

impl Capture {
    pub(crate) fn new(wanted: impl Into<String>) -> Self {
        Self { wanted: wanted.into(), open: false, bytes: None, source: None }
    }

    /// The bytes, if the file was there.
    pub(crate) fn take(&mut self) -> Option<Vec<u8>> {
        self.bytes.take()
    }

    /// If the path is a hard link: the file that it is a copy of.
    pub(crate) fn source(&mut self) -> Option<String> {
        self.source.take()
    }
}

impl Sink for Capture {
    fn directory(&mut self, _: u64, _: &SafePath) -> Result<()> {
        Ok(())
    }

    fn begin(&mut self, _: u64, path: &SafePath, _: SafeMode) -> Result<()> {
        self.open = path.as_str() == self.wanted;
        if self.open {
            self.bytes = Some(Vec::new());
        }
        Ok(())
    }

    fn write(&mut self, piece: &[u8]) -> Result<()> {
        if let Some(bytes) = self.bytes.as_mut().filter(|_| self.open) {
            bytes.extend_from_slice(piece);
        }
        Ok(())
    }

    fn end(&mut self) -> Result<()> {
        self.open = false;
        Ok(())
    }

    fn copy(&mut self, _: u64, from: &SafePath, to: &SafePath, _: SafeMode) -> Result<()> {
        if to.as_str() == self.wanted {
            self.source = Some(from.as_str().to_owned());
        }
        Ok(())
    }

    fn symlink(&mut self, _: u64, _: &SafePath, _: &SafeTarget) -> Result<()> {
        Ok(())
    }

    fn restart(&mut self) -> Result<()> {
        (self.open, self.bytes, self.source) = (false, None, None);
        Ok(())
    }
}
