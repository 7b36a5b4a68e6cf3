//! The sink that writes nothing: `check` and `list` are an extraction into it.

use super::Sink;
use crate::error::Result;
use crate::policy::{SafeMode, SafePath, SafeTarget};

/// Writes nothing.
#[derive(Debug, Default)]
pub(crate) struct Null;

impl Sink for Null {
    fn directory(&mut self, _: u64, _: &SafePath) -> Result<()> {
        Ok(())
    }

    fn begin(&mut self, _: u64, _: &SafePath, _: SafeMode) -> Result<()> {
        Ok(())
    }

    fn write(&mut self, _: &[u8]) -> Result<()> {
        Ok(())
    }

    fn end(&mut self) -> Result<()> {
        Ok(())
    }

    fn copy(&mut self, _: u64, _: &SafePath, _: &SafePath, _: SafeMode) -> Result<()> {
        Ok(())
    }

    fn symlink(&mut self, _: u64, _: &SafePath, _: &SafeTarget) -> Result<()> {
        Ok(())
    }

    fn restart(&mut self) -> Result<()> {
        Ok(())
    }
}
