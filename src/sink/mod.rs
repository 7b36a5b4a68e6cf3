//! Where safe members go: nowhere (check, list), into memory (one file), or into the staging directory.

mod behind;
mod capture;
mod null;
mod staging;

pub(crate) use self::behind::Behind;
pub(crate) use self::capture::Capture;
pub(crate) use self::null::Null;
pub(crate) use self::staging::Tree;
use crate::error::Result;
use crate::policy::{SafeMode, SafePath, SafeTarget};

/// Takes members that the policy has let through, in archive order; links come last.
///
/// A directory that a member lies in may never be announced: the sink makes it. Ordinals are those of the members, for
/// errors.
pub(crate) trait Sink {
    /// A directory; may be announced twice, or after members below it.
    fn directory(&mut self, ordinal: u64, path: &SafePath) -> Result<()>;

    /// A new file; its content follows by [`write`](Self::write), then [`end`](Self::end).
    fn begin(&mut self, ordinal: u64, path: &SafePath, mode: SafeMode) -> Result<()>;

    /// The next piece of the file's content.
    fn write(&mut self, bytes: &[u8]) -> Result<()>;

    /// The file is complete.
    fn end(&mut self) -> Result<()>;

    /// A new file with the content of an earlier, complete one (a hard link). The bytes are budgeted by the caller.
    fn copy(&mut self, ordinal: u64, from: &SafePath, to: &SafePath, mode: SafeMode) -> Result<()>;

    /// A symbolic link whose target has been resolved inside the archive.
    fn symlink(&mut self, ordinal: u64, path: &SafePath, target: &SafeTarget) -> Result<()>;

    /// Forgets everything: the archive is read again from its beginning.
    fn restart(&mut self) -> Result<()>;

    /// Waits until everything is done that was asked for. A sink that works behind its caller tells of a failure here, or
    /// at any later call.
    fn settle(&mut self) -> Result<()> {
        Ok(())
    }

    /// Threads that it has, or may still start.
    fn threads(&self) -> usize {
        0
    }
}
