//! Which of the two formats an artifact has: what was declared must agree with the magic bytes.

use std::fmt;
use std::io;
use std::str::FromStr;

use crate::artifact::{Artifact, Declared, Origin, VerifiedArtifact};
use crate::error::{Code, Error, Result};
use crate::escape::escape;

/// The two formats of a skill archive (Agent Skills Discovery RFC 0.2.0, "Archive Distribution").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// A tar archive, compressed with gzip.
    TarGz,
    /// A zip archive.
    Zip,
}

/// Who said so: `flag`, `content-type`, `extension` or `magic`.
pub(crate) type FormatSource = &'static str;

impl Format {
    /// `tar.gz` or `zip`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::TarGz => "tar.gz",
            Self::Zip => "zip",
        }
    }

    /// The format that a `Content-Type` declares; `None` for generic and unknown types.
    #[must_use]
    pub fn from_content_type(value: &str) -> Option<Self> {
        let essence = value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        match essence.as_str() {
            "application/gzip" | "application/x-gzip" | "application/x-tgz" | "application/x-tar"
            | "application/x-gtar" => Some(Self::TarGz),
            "application/zip" | "application/x-zip-compressed" => Some(Self::Zip),
            _ => None,
        }
    }

    /// The format that the end of a file name declares, in whatever case; `None` for names that declare none.
    #[must_use]
    pub fn from_file_name(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        let ends = |suffixes: &[&str]| suffixes.iter().any(|suffix| name.ends_with(suffix));
        if ends(&[".tar.gz", ".tgz"]) {
            Some(Self::TarGz)
        } else if ends(&[".zip", ".skill"]) {
            Some(Self::Zip)
        } else {
            None
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Format {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text {
            "tar.gz" | "tgz" => Ok(Self::TarGz),
            "zip" => Ok(Self::Zip),
            _ => Err(Error::usage(format!("`{text}` is not a format: tar.gz or zip"))),
        }
    }
}

impl Artifact {
    /// Declares the format, as an index or a `Content-Type` does. It must agree with the bytes, else `format-mismatch`.
    #[must_use]
    pub fn with_format(mut self, format: Format) -> Self {
        self.origin_mut().declared = Some(Declared { zip: format == Format::Zip, by: "flag" });
        self
    }
}

impl VerifiedArtifact {
    /// Declares the format, as [`Artifact::with_format`] does.
    #[must_use]
    pub fn with_format(mut self, format: Format) -> Self {
        self.origin_mut().declared = Some(Declared { zip: format == Format::Zip, by: "flag" });
        self
    }
}

/// The format of an artifact, and who declared it.
pub(crate) fn resolve(artifact: &Artifact) -> Result<(Format, FormatSource)> {
    let mut head = [0; 512];
    let count = artifact.spool().read_at(0, &mut head).map_err(unreadable)?;
    let head = head.get(..count).unwrap_or_default();
    let magic = Magic::of(head);
    // A tar whose first header lies around the signature: readers that look for tar first would unpack that one.
    if is_plain_tar(head) && matches!(magic, Some(Magic::Ours(_))) {
        return Err(
            Error::with(Code::FormatMismatch, "the file is two archives in one: it is also a tar archive").at(0)
        );
    }
    match declared(artifact.origin()) {
        Some((format, by)) => match magic {
            Some(Magic::Ours(found)) if found == format => Ok((format, by)),
            Some(found) => Err(Error::with(
                Code::FormatMismatch,
                format!("declared as {format} (by {by}), but the bytes are {}", found.describe()),
            )
            .at(0)),
            None => Err(not_an_archive(head)),
        },
        None => match magic {
            Some(Magic::Ours(found)) => Ok((found, "magic")),
            Some(found) => Err(Error::with(Code::NotAnArchive, format!("the file is {}", found.describe())).at(0)),
            None => Err(not_an_archive(head)),
        },
    }
}

fn is_plain_tar(head: &[u8]) -> bool {
    head.get(257..262) == Some(b"ustar")
}

fn declared(origin: &Origin) -> Option<(Format, FormatSource)> {
    if let Some(Declared { zip, by }) = origin.declared {
        return Some((if zip { Format::Zip } else { Format::TarGz }, by));
    }
    let name = origin.extension.as_deref()?;
    Some((Format::from_file_name(name)?, "extension"))
}

fn not_an_archive(head: &[u8]) -> Error {
    let detail = match head.get(..24.min(head.len())) {
        Some(begin) if !begin.is_empty() => format!("the file is no archive; it begins with `{}`", escape(begin)),
        _ => "the file is empty".to_owned(),
    };
    Error::with(Code::NotAnArchive, detail).at(0)
}

pub(super) fn unreadable(source: io::Error) -> Error {
    Error::io("cannot read the private copy of the archive", source)
}

#[derive(Debug, Clone, Copy)]
enum Magic {
    Ours(Format),
    Other(&'static str),
}

impl Magic {
    fn of(head: &[u8]) -> Option<Self> {
        let known: [(&[u8], Self); 9] = [
            (b"\x1f\x8b", Self::Ours(Format::TarGz)),
            (b"PK\x03\x04", Self::Ours(Format::Zip)),
            (b"PK\x05\x06", Self::Ours(Format::Zip)),
            (b"PK\x07\x08", Self::Other("a split zip")),
            (b"\xfd7zXZ\x00", Self::Other("compressed with xz")),
            (b"\x28\xb5\x2f\xfd", Self::Other("compressed with zstd")),
            (b"BZh", Self::Other("compressed with bzip2")),
            (b"7z\xbc\xaf\x27\x1c", Self::Other("a 7z archive")),
            (b"Rar!", Self::Other("a RAR archive")),
        ];
        let found = known.into_iter().find(|(magic, _)| head.starts_with(magic)).map(|(_, found)| found);
        found.or_else(|| is_plain_tar(head).then_some(Self::Other("a tar archive without gzip")))
    }

    const fn describe(self) -> &'static str {
        match self {
            Self::Ours(Format::TarGz) => "compressed with gzip",
            Self::Ours(Format::Zip) => "a zip archive",
            Self::Other(what) => what,
        }
    }
}
