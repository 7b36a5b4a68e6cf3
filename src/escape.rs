//! One way to print a stranger's text: printable ASCII stays, everything else is escaped, and it is capped.
//!
//! CI systems act on printable ASCII too (`::error`, `##vso[`, `##[`, `##teamcity[`), so these prefixes are broken up.

use std::fmt::{self, Write as _};

/// Longest text printed, in characters of the original.
const CAP: usize = 200;

/// A stranger's text, held raw; `Display` escapes and caps it.
///
/// Skill names and descriptions are chosen by whoever wrote the skill. Printing them must not move the cursor, forge a
/// log line or talk to a CI system; [`as_raw`](Self::as_raw) is the named way out.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct Untrusted(String);

impl Untrusted {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text as it stands in the archive: do not print it, do not use it as a path.
    #[must_use]
    pub fn as_raw(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Untrusted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        escape(self.0.as_bytes()).fmt(f)
    }
}

impl fmt::Debug for Untrusted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Untrusted(\"{self}\")")
    }
}

/// `Display` of a stranger's bytes; made by [`escape`].
#[derive(Debug, Clone, Copy)]
pub struct Escaped<'a> {
    bytes: &'a [u8],
    cap: usize,
}

/// A stranger's text as printable ASCII, at most 200 characters of it: safe for terminals, logs and CI output.
///
/// ```
/// let shown = skillx_archive::escape("a\u{202e}b\x1b[31m".as_bytes()).to_string();
/// assert_eq!(shown, r"a\u{202e}b\u{1b}[31m");
/// ```
#[must_use]
pub fn escape(bytes: &[u8]) -> Escaped<'_> {
    Escaped { bytes, cap: CAP }
}

impl<'a> Escaped<'a> {
    /// The bytes as printable ASCII, whole: for our own messages that quote already capped text.
    pub(crate) fn of(bytes: &'a [u8]) -> Self {
        Self { bytes, cap: usize::MAX }
    }
}

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut written: usize = 0;
        let mut previous = ' ';
        for chunk in self.bytes.utf8_chunks() {
            for character in chunk.valid().chars() {
                if written == self.cap {
                    return f.write_str("...");
                }
                written = written.saturating_add(1);
                write_char(f, character, previous)?;
                previous = character;
            }
            for byte in chunk.invalid() {
                if written == self.cap {
                    return f.write_str("...");
                }
                written = written.saturating_add(1);
                previous = ' ';
                write!(f, "\\x{byte:02x}")?;
            }
        }
        Ok(())
    }
}

fn write_char(f: &mut fmt::Formatter<'_>, character: char, previous: char) -> fmt::Result {
    match character {
        '\\' => f.write_str("\\\\"),
        // `::` begins a command in a GitHub log, `##` in Azure's and TeamCity's.
        ':' | '#' if character == previous => write!(f, "\\u{{{:x}}}", u32::from(character)),
        ' '..='~' => f.write_char(character),
        _ => write!(f, "\\u{{{:x}}}", u32::from(character)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printable_ascii_stays_and_everything_else_is_escaped() {
        assert_eq!(escape(b"a b/c.md").to_string(), "a b/c.md");
        assert_eq!(escape(b"\x1b[31m\r\n\x00").to_string(), r"\u{1b}[31m\u{d}\u{a}\u{0}");
        assert_eq!(escape("gu\u{ed}a\u{202e}".as_bytes()).to_string(), r"gu\u{ed}a\u{202e}");
        assert_eq!(escape(b"caf\xe9\\").to_string(), r"caf\xe9\\");
    }

    #[test]
    fn ci_commands_are_broken() {
        for command in ["::error::x", "##vso[task]", "##[error]", "##teamcity[x]", ":::", "###"] {
            let text = escape(command.as_bytes()).to_string();
            assert!(!text.contains("::") && !text.contains("##"), "{text}");
        }
    }

    #[test]
    fn long_text_is_capped() {
        assert_eq!(escape(&[b'a'; 200]).to_string().len(), 200);
        assert!(escape(&[b'a'; 201]).to_string().ends_with("a..."));
        assert!(escape(&[0xff; 10_000]).to_string().len() < 1000);
    }
}
