//! What a file is by its first bytes: programs in machine code, and archives.

use crate::error::Code;

/// Where a tar header has its magic.
const TAR_MAGIC: usize = 257;

/// What the first bytes say, if it is worth saying.
pub(super) fn recognise(path: &str, first: &[u8]) -> Option<(Code, &'static str)> {
    let starts = |magic: &[u8]| first.starts_with(magic);
    let native = |what| Some((Code::NativeExecutable, what));
    let archive = |what| Some((Code::NestedArchive, what));
    match first {
        [0x7f, b'E', b'L', b'F', ..] => native("an ELF binary"),
        [0xfe, 0xed, 0xfa, 0xce | 0xcf, ..] | [0xce | 0xcf, 0xfa, 0xed, 0xfe, ..] => native("a Mach-O binary"),
        // Java class files begin alike; a universal binary holds a handful of architectures.
        [0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 1..=20, ..] => native("a universal Mach-O binary"),
        [b'M', b'Z', ..] if is_portable_executable(first) => native("a Windows program"),
        _ if starts(b"PK\x03\x04") && !is_document(path) => archive("a zip archive"),
        _ if starts(b"\x1f\x8b\x08") => archive("compressed with gzip"),
        _ if starts(b"7z\xbc\xaf\x27\x1c") => archive("a 7z archive"),
        _ if starts(b"Rar!\x1a\x07") => archive("a RAR archive"),
        _ if starts(b"\xfd7zXZ\0") => archive("compressed with xz"),
        _ if starts(b"BZh") && first.get(4..10) == Some(b"1AY&SY") => archive("compressed with bzip2"),
        _ if starts(b"\x28\xb5\x2f\xfd") => archive("compressed with zstd"),
        _ if first.get(TAR_MAGIC..).is_some_and(|rest| rest.starts_with(b"ustar")) => archive("a tar archive"),
        _ => None,
    }
}

/// The offset at 0x3c leads to `PE\0\0`, where that is among the first bytes; text can begin with MZ.
fn is_portable_executable(first: &[u8]) -> bool {
    let Some(Ok(offset)) = first.get(0x3c..0x40).map(<[u8; 4]>::try_from) else { return false };
    let offset = usize::try_from(u32::from_le_bytes(offset)).unwrap_or(usize::MAX);
    first.get(offset..).is_some_and(|rest| rest.starts_with(b"PE\0\0"))
}

/// Office documents and their like are zip archives, and honest ones.
fn is_document(path: &str) -> bool {
    let extension = path.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase()).unwrap_or_default();
    ["docx", "dotx", "docm", "pptx", "potx", "pptm", "xlsx", "xltx", "xlsm", "odt", "ods", "odp", "odg", "epub", "vsdx"]
        .contains(&extension.as_str())
}
