//! A tree to bytes: the two writers, with every choice fixed.

mod tar;
mod zip;

use std::io::{self, Cursor, Read, Seek, SeekFrom, Write};

use cap_std::fs::File;

use super::options::PackOptions;
use super::tree::{Item, Tree};
use crate::container::Format;
use crate::error::{Code, Error, Result};
use crate::escape::escape;

/// Level 9 of deflate: archives are packed once and fetched often.
const LEVEL: u32 = 9;
/// Mode bits of files, of executables and directories, of links.
const PLAIN: u32 = 0o644;
const OPEN: u32 = 0o755;

/// The archive. Its bytes depend on the tree and the options, and on nothing else.
pub(super) fn write(tree: &Tree, options: &PackOptions) -> Result<Vec<u8>> {
    match options.format() {
        Format::TarGz => tar::write(tree, options),
        Format::Zip => zip::write(tree, options),
    }
}

/// Called before every member: time to stop?
fn pause(options: &PackOptions) -> Result<()> {
    if options.options.cancel.is_cancelled() { Err(Error::new(Code::Cancelled)) } else { Ok(()) }
}

fn failed(item: &Item, source: io::Error) -> Error {
    match source.kind() {
        io::ErrorKind::FileTooLarge => too_large(),
        _ => Error::io(format!("cannot pack `{}`", escape(&item.path)), source),
    }
}

fn unfinished(source: io::Error) -> Error {
    match source.kind() {
        io::ErrorKind::FileTooLarge => too_large(),
        _ => Error::io("cannot finish the archive", source),
    }
}

fn too_large() -> Error {
    Error::with(Code::LimitArchive, "the archive becomes larger than its limit")
}

/// Memory that takes as many bytes as an archive may have.
#[derive(Debug)]
struct Capped {
    bytes: Cursor<Vec<u8>>,
    most: u64,
}

impl Capped {
    fn new(options: &PackOptions) -> Self {
        Self { bytes: Cursor::new(Vec::new()), most: options.options.limits.archive }
    }

    fn into_bytes(self) -> Vec<u8> {
        self.bytes.into_inner()
    }
}

impl Write for Capped {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        if self.bytes.position().saturating_add(buffer.len() as u64) > self.most {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.bytes.write(buffer)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for Capped {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.bytes.seek(to)
    }
}

fn text_of(bytes: &[u8]) -> Result<&str> {
    std::str::from_utf8(bytes).map_err(|_| Error::with(Code::Internal, "an accepted name that is not UTF-8"))
}

/// A file that gives exactly as many bytes as it was said to have.
struct Exact {
    file: File,
    left: u64,
}

impl Exact {
    fn open(tree: &Tree, item: &Item) -> Result<Self> {
        let (file, metadata) = tree.open(item)?;
        Ok(Self { file, left: metadata.length })
    }
}

impl Read for Exact {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let changed = || io::Error::other("the file changed while it was read");
        let most = usize::try_from(self.left).unwrap_or(usize::MAX).min(buffer.len());
        if self.left == 0 {
            return match self.file.read(&mut [0])? {
                0 => Ok(0),
                _ => Err(changed()),
            };
        }
        match self.file.read(buffer.get_mut(..most).unwrap_or_default())? {
            0 if most > 0 => Err(changed()),
            count => {
                self.left = self.left.saturating_sub(count as u64);
                Ok(count)
            }
        }
    }
}
