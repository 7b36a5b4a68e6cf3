//! How a directory is packed.

use std::path::{Path, PathBuf};

use crate::container::Format;
use crate::error::{Error, Result};
use crate::pipeline::Options;

/// Latest time that a tar header can carry in octal digits: in the year 2242.
const LATEST: u64 = (1 << 33) - 1;

/// How a directory is packed. The default is what most publishers want.
///
/// ```
/// use skillx_archive::{Format, PackOptions};
/// let options = PackOptions::default().format_as(Format::Zip);
/// ```
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct PackOptions {
    pub(super) options: Options,
    format: Option<Format>,
    modified: u64,
    outputs: Vec<PathBuf>,
    output_directory: Option<PathBuf>,
}

impl PackOptions {
    /// The rules that tree and archive are judged by. **Default: [`Options::default`].** The layout is always `skill`.
    #[must_use]
    pub fn rules(mut self, options: Options) -> Self {
        self.options = options.layout(crate::Layout::Skill).strip_root(false);
        self
    }

    /// The archive's format. **Default: [`Format::TarGz`].**
    #[must_use]
    pub fn format_as(mut self, format: Format) -> Self {
        self.format = Some(format);
        self
    }

    /// The time that every member gets, in seconds since 1970 (`SOURCE_DATE_EPOCH`). **Default 0.** A zip archive holds
    /// times from 1980 to 2107 in steps of two seconds: others become the nearest.
    ///
    /// # Errors
    /// `usage` for times past the year 2242.
    pub fn modified(mut self, seconds: u64) -> Result<Self> {
        if seconds > LATEST {
            return Err(Error::usage(format_args!("the time {seconds} is more than {LATEST} seconds after 1970")));
        }
        self.modified = seconds;
        Ok(self)
    }

    /// A file that is to be written: it and its sidecar are left out, should they lie in the directory.
    #[must_use]
    pub fn output(mut self, path: impl Into<PathBuf>) -> Self {
        self.outputs.push(path.into());
        self
    }

    /// A directory to which the archive is to be written under its default name: it and its sidecar are left out.
    #[must_use]
    pub fn output_in(mut self, directory: impl Into<PathBuf>) -> Self {
        self.output_directory = Some(directory.into());
        self
    }

    pub(super) fn format(&self) -> Format {
        self.format.unwrap_or(Format::TarGz)
    }

    pub(super) fn seconds(&self) -> u64 {
        self.modified
    }

    pub(super) fn outputs(&self) -> &[PathBuf] {
        &self.outputs
    }

    pub(super) fn output_directory(&self) -> Option<&Path> {
        self.output_directory.as_deref()
    }
}
