//! One 512-byte header: checksum, dialect, numbers and strings. POSIX.1-1988 ustar and the GNU variant.

use super::NO_VOLUMES;
use super::block::{BLOCK, Block};
use super::numeric::Number;
use crate::error::{Code, Error, Result};

/// A header whose fields have been checked.
#[derive(Debug)]
pub(super) struct Header {
    block: Block,
    /// GNU magic rather than ustar's.
    pub(super) gnu: bool,
    pub(super) kind: Kind,
    /// Size of the payload as this header says: non-negative, below 2^63.
    pub(super) declared_size: u64,
    /// Any execute bit of the mode.
    pub(super) executable: bool,
}

/// The type flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Directory,
    File,
    GlobalPax,
    HardLink,
    LongLink,
    LongName,
    Pax,
    Sparse,
    Special(&'static str),
    Symlink,
    Unsupported(u8),
}

impl Kind {
    const fn of(flag: u8) -> Self {
        match flag {
            b'0' | 0 => Self::File,
            b'1' => Self::HardLink,
            b'2' => Self::Symlink,
            b'3' => Self::Special("a character device"),
            b'4' => Self::Special("a block device"),
            b'5' => Self::Directory,
            b'6' => Self::Special("a FIFO"),
            b'K' => Self::LongLink,
            b'L' => Self::LongName,
            b'S' => Self::Sparse,
            b'g' => Self::GlobalPax,
            b'x' => Self::Pax,
            other => Self::Unsupported(other),
        }
    }

    pub(super) const fn is_extension(self) -> bool {
        matches!(self, Self::GlobalPax | Self::LongLink | Self::LongName | Self::Pax)
    }

    pub(super) const fn is_link(self) -> bool {
        matches!(self, Self::HardLink | Self::Symlink)
    }
}

/// Offsets and lengths of the fields.
const NAME: (usize, usize) = (0, 100);
const MODE: (usize, usize) = (100, 8);
const SIZE: (usize, usize) = (124, 12);
const CHECKSUM: (usize, usize) = (148, 8);
const TYPE: usize = 156;
const LINK_NAME: (usize, usize) = (157, 100);
const MAGIC: (usize, usize) = (257, 8);
const PREFIX: (usize, usize) = (345, 155);

/// Numeric fields that are ignored: uid, gid, mtime, devmajor, devminor. Junk in them stops some readers.
const IGNORED: [(&str, (usize, usize)); 5] =
    [("uid", (108, 8)), ("gid", (116, 8)), ("mtime", (136, 12)), ("devmajor", (329, 8)), ("devminor", (337, 8))];

impl Header {
    pub(super) fn parse(block: &Block) -> Result<Self> {
        check_sum(block)?;
        let gnu = match field(block, MAGIC) {
            b"ustar\x0000" => false,
            b"ustar  \0" => true,
            // How GNU tar writes the label of `-V`: some readers list it as a file, some pass it over.
            [0, 0, 0, 0, 0, 0, 0, 0] if block.0.get(TYPE) == Some(&b'V') => {
                return Err(Error::with(Code::UnsupportedEntryType, "the entry is a volume label").hint(NO_VOLUMES));
            }
            _ => return Err(Error::new(Code::TarDialect)),
        };
        for (name, at) in IGNORED {
            if Number::parse(field(block, at)).is_junk() {
                return Err(junk(name, field(block, at)));
            }
        }
        let declared_size = match Number::parse(field(block, SIZE)) {
            Number::Octal(_) if Number::is_blank_by_spaces(field(block, SIZE)) => {
                return Err(junk("size", field(block, SIZE)));
            }
            Number::Octal(size) | Number::Binary(size) => size,
            Number::OutOfRange => {
                return Err(Error::with(Code::TarNumeric, "the size is negative or 2^63 and more"));
            }
            Number::Junk => return Err(junk("size", field(block, SIZE))),
        };
        let executable = match Number::parse(field(block, MODE)) {
            Number::Octal(mode) | Number::Binary(mode) => mode & 0o111 != 0,
            Number::OutOfRange | Number::Junk => return Err(junk("mode", field(block, MODE))),
        };
        let kind = Kind::of(block.0.get(TYPE).copied().unwrap_or_default());
        // Its map lies where the next check looks.
        if kind == Kind::Sparse {
            return Err(Error::new(Code::SparseUnsupported));
        }
        if gnu && field(block, PREFIX).iter().any(|byte| *byte != 0) {
            return Err(Error::with(
                Code::TarHeader,
                "a GNU header has bytes in 345..500, where half of the readers look for a name prefix",
            ));
        }
        Ok(Self { block: block.clone(), gnu, kind, declared_size, executable })
    }

    /// The name as the header alone gives it.
    pub(super) fn name(&self) -> Result<Vec<u8>> {
        let name = terminated(field(&self.block, NAME)).ok_or_else(|| {
            Error::with(Code::PathNul, "the name field has bytes after its NUL, where some readers go on")
        })?;
        if self.gnu {
            return Ok(name.to_vec());
        }
        let all = field(&self.block, PREFIX);
        let prefix = all.split(|byte| *byte == 0).next().unwrap_or_default();
        // Behind the prefix's NUL node-tar and star keep two more times. Readers stop at the NUL, but node-tar does so only
        // if no newline follows.
        let times = all.get(prefix.len()..).unwrap_or_default();
        if !times.iter().all(|byte| matches!(byte, b'0'..=b'9' | b' ' | 0)) {
            return Err(Error::with(Code::TarHeader, "the prefix field has bytes after its NUL that are no times"));
        }
        Ok(if prefix.is_empty() { name.to_vec() } else { [prefix, b"/", name].concat() })
    }

    /// The link name, if there is one.
    pub(super) fn link_name(&self) -> Result<Option<Vec<u8>>> {
        let all = field(&self.block, LINK_NAME);
        match terminated(all) {
            Some([]) => Ok(None),
            Some(name) => Ok(Some(name.to_vec())),
            None if self.kind.is_link() => {
                Err(Error::with(Code::LinkTargetInvalid, "the link name field has bytes after its NUL"))
            }
            None => Ok(Some(all.to_vec())),
        }
    }

    /// The link name field begins with NUL.
    pub(super) fn has_no_link_name(&self) -> bool {
        field(&self.block, LINK_NAME).first() == Some(&0)
    }

    /// Before ustar, a slash at the end of a NUL-typed name made a directory; some readers still look at this name,
    /// even when an extension gives another one.
    pub(super) fn check_old_directory(&self) -> Result<()> {
        let old_type = self.block.0.get(TYPE) == Some(&0);
        if old_type && self.name_field().ends_with(b"/") {
            return Err(Error::with(
                Code::PathKindMismatch,
                "the entry has the old file type and a header name that ends in a slash",
            ));
        }
        Ok(())
    }

    /// The name field up to its first NUL.
    pub(super) fn name_field(&self) -> &[u8] {
        self.block.name()
    }
}

fn field(block: &Block, (start, len): (usize, usize)) -> &[u8] {
    block.field(start, len)
}

/// A string field: up to the first NUL, with nothing but NULs behind; `None` if there is more.
fn terminated(field: &[u8]) -> Option<&[u8]> {
    let end = field.iter().position(|byte| *byte == 0).unwrap_or(field.len());
    let (text, rest) = field.split_at_checked(end)?;
    rest.iter().all(|byte| *byte == 0).then_some(text)
}

fn check_sum(block: &Block) -> Result<()> {
    let stored = field(block, CHECKSUM);
    let (start, len) = CHECKSUM;
    let as_spaces = (0..BLOCK).zip(block.0).map(|(at, byte)| {
        let inside = at >= start && at < start.saturating_add(len);
        if inside { b' ' } else { byte }
    });
    let found: u64 = as_spaces.clone().map(u64::from).sum();
    match Number::parse(stored) {
        Number::Octal(sum) if sum == found => Ok(()),
        Number::Octal(sum) => {
            let signed: i64 = as_spaces.map(|byte| i64::from(byte.cast_signed())).sum();
            let detail = format!("the header checksum is {sum}, its bytes add up to {found}");
            let error = Error::with(Code::TarChecksum, detail);
            let old = u64::try_from(signed) == Ok(sum);
            Err(if old {
                error.hint("publisher: an old tool summed signed bytes; pack with a current tar")
            } else {
                error
            })
        }
        Number::Junk => Err(junk("checksum", stored)),
        Number::Binary(_) | Number::OutOfRange => {
            Err(Error::with(Code::TarChecksum, "the header checksum is not an octal number"))
        }
    }
}

fn junk(name: &str, found: &[u8]) -> Error {
    Error::with(Code::TarNumeric, format!("the {name} field `{}` is not a number", crate::escape::escape(found)))
}
