//! What a member is: by its name first, then by the attributes of its central record (APPNOTE 4.4.2, 4.4.15).

use crate::container::Encoding;

/// Hosts of "version made by" whose tools write UTF-8 names, flagged or not.
const UNIX: u8 = 3;
const DARWIN: u8 = 19;

/// DOS attributes. What is marked as a volume label is left out by `unzip` without a word.
const DOS_LABEL: u32 = 0x08;
const DOS_DIRECTORY: u32 = 0x10;
/// A Windows reparse point: 7-Zip reads the content as one and makes a link, every other reader a file.
const REPARSE_POINT: u32 = 0x400;

const FORMAT: u32 = 0o170_000;
const FIFO: u32 = 0o010_000;
const CHARACTER: u32 = 0o020_000;
const DIRECTORY: u32 = 0o040_000;
const BLOCK: u32 = 0o060_000;
const REGULAR: u32 = 0o100_000;
const LINK: u32 = 0o120_000;
const SOCKET: u32 = 0o140_000;
const ANY_EXECUTE: u32 = 0o111;

const FLAG_UTF8: u16 = 1 << 11;

/// What an entry is, and what contradicts it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Kind {
    pub(super) shape: Shape,
    pub(super) conflict: Option<&'static str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Directory,
    File { executable: bool },
    Special(&'static str),
    Symlink,
}

/// A trailing slash makes a directory and nothing else does. Unix types and execute bits count where the host is Unix;
/// bits that are absent contradict nothing, since many writers leave them out.
pub(super) fn kind(name: &[u8], made_by: u16, external: u32) -> Kind {
    let [_, host] = made_by.to_le_bytes();
    let mode = external >> 16;
    let format = mode & FORMAT;
    let dos_directory = external & DOS_DIRECTORY != 0;
    let dos_conflict = if external & DOS_LABEL != 0 {
        Some("its DOS attribute is a volume label, which some readers leave out")
    } else if host != UNIX && external & REPARSE_POINT != 0 {
        Some("its attribute is a reparse point, of which some readers make a link")
    } else {
        None
    };
    if name.ends_with(b"/") {
        let (shape, conflict) = match (host, format) {
            _ if dos_conflict.is_some() => (Shape::Directory, dos_conflict),
            (UNIX, REGULAR) => {
                (Shape::Directory, Some("the name ends in a slash, but its Unix type is a regular file"))
            }
            (UNIX, LINK) => (Shape::Directory, Some("the name ends in a slash, but its Unix type is a symbolic link")),
            (UNIX, 0 | DIRECTORY) => (Shape::Directory, None),
            (UNIX, other) => (Shape::Special(special(other)), None),
            (_, format) if has_link_bits(format) => (Shape::Directory, Some(FOREIGN_LINK)),
            _ => (Shape::Directory, None),
        };
        return Kind { shape, conflict };
    }
    let executable = host == UNIX && mode & ANY_EXECUTE != 0;
    let file = Shape::File { executable };
    let (shape, conflict) = match (host, format) {
        (UNIX, DIRECTORY) => (file, Some("its Unix type is a directory, but the name has no trailing slash")),
        _ if dos_conflict.is_some() => (file, dos_conflict),
        _ if dos_directory => (file, Some("its DOS attribute is a directory, but the name has no trailing slash")),
        (UNIX, 0 | REGULAR) => (file, None),
        (UNIX, LINK) => (Shape::Symlink, None),
        (UNIX, other) => (Shape::Special(special(other)), None),
        (_, format) if has_link_bits(format) => (file, Some(FOREIGN_LINK)),
        _ => (file, None),
    };
    Kind { shape, conflict }
}

/// Some readers look for the bits of a link alone, and so take types that no system has for links, too.
const fn has_link_bits(format: u32) -> bool {
    format & LINK == LINK
}

/// 7-Zip makes a link of it, the crate `zip` too, every other reader a file.
const FOREIGN_LINK: &str = "its attributes are those of a symbolic link, but it was not made on Unix";

const fn special(format: u32) -> &'static str {
    match format {
        FIFO => "FIFO",
        CHARACTER => "character device",
        BLOCK => "block device",
        SOCKET => "socket",
        _ => "file of an unknown type",
    }
}

/// Without flag bit 11 a name is in some code page (APPNOTE, appendix D), but what Unix and macOS tools write is UTF-8.
pub(super) fn encoding(name: &[u8], flags: u16, made_by: u16) -> Encoding {
    let [_, host] = made_by.to_le_bytes();
    if flags & FLAG_UTF8 != 0 || name.is_ascii() {
        Encoding::Utf8
    } else if matches!(host, UNIX | DARWIN) {
        Encoding::Unflagged
    } else {
        Encoding::Unknown
    }
}
