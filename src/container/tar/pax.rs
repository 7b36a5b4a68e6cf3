//! pax extended headers (POSIX.1-2001): records of `LENGTH key=value` and a newline.

use super::NO_VOLUMES;
use crate::error::{Code, Error, Result};
use crate::escape::escape;

/// What a pax header says of its member. Every key that is not here is ignored.
#[derive(Debug, Default)]
pub(super) struct Pax {
    pub(super) path: Option<Vec<u8>>,
    pub(super) linkpath: Option<Vec<u8>>,
    pub(super) declared_size: Option<u64>,
}

impl Pax {
    /// The records of an `x` header.
    pub(super) fn parse(payload: &[u8]) -> Result<Self> {
        let mut pax = Self::default();
        let (mut binary, mut beyond_ascii) = (false, false);
        for record in Records(payload) {
            let (key, value) = record?;
            beyond_ascii |= !value.is_ascii();
            match Key::of(key)? {
                Key::Path => once(&mut pax.path, key, text(key, value, Code::PathNul)?)?,
                Key::LinkPath => once(&mut pax.linkpath, key, text(key, value, Code::LinkTargetInvalid)?)?,
                Key::Size => once(&mut pax.declared_size, key, size(value)?)?,
                // bsdtar under LC_ALL=C, beside a value beyond ASCII. Every reader takes the bytes as they are: if they are
                // UTF-8, there is one reading, and if a name is not, it is refused as any other.
                Key::HeaderCharset if value == b"BINARY" => binary = true,
                Key::HeaderCharset => charset(value)?,
                Key::Ignored => {}
            }
        }
        // No writer has a reason to.
        if binary && !beyond_ascii { charset(b"BINARY") } else { Ok(()) }?;
        Ok(pax)
    }

    /// The records of a `g` header: anything but what changes members.
    pub(super) fn check_global(payload: &[u8]) -> Result<()> {
        for record in Records(payload) {
            let (key, _) = record?;
            if Key::of(key)? != Key::Ignored {
                return Err(Error::with(
                    Code::PaxGlobalMember,
                    format!("a global pax header sets `{}` for all entries", escape(key)),
                ));
            }
        }
        Ok(())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Key {
    HeaderCharset,
    Ignored,
    LinkPath,
    Path,
    Size,
}

impl Key {
    fn of(key: &[u8]) -> Result<Self> {
        let refused = |code| Err(Error::with(code, format!("a pax header has the key `{}`", escape(key))));
        match key {
            b"path" => Ok(Self::Path),
            b"linkpath" => Ok(Self::LinkPath),
            b"size" => Ok(Self::Size),
            b"hdrcharset" => Ok(Self::HeaderCharset),
            b"SCHILY.realsize" | b"SUN.holesdata" => refused(Code::SparseUnsupported),
            b"GNU.dumpdir" => refused(Code::UnsupportedEntryType),
            _ if key.starts_with(b"GNU.sparse.") => refused(Code::SparseUnsupported),
            _ if key.starts_with(b"GNU.volume.") => {
                refused(Code::UnsupportedEntryType).map_err(|error: Error| error.hint(NO_VOLUMES))
            }
            _ => Ok(Self::Ignored),
        }
    }
}

/// Key and value of each record.
struct Records<'a>(&'a [u8]);

impl<'a> Iterator for Records<'a> {
    type Item = Result<(&'a [u8], &'a [u8])>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let record = split_record(self.0);
        // After a malformed record nothing can be found again.
        self.0 = record.as_ref().map(|(_, rest)| *rest).unwrap_or_default();
        Some(record.map(|(record, _)| record))
    }
}

type Split<'a> = ((&'a [u8], &'a [u8]), &'a [u8]);

fn split_record(records: &[u8]) -> Result<Split<'_>> {
    let malformed = |detail: &str| Error::with(Code::PaxMalformed, format!("a pax record {detail}"));
    let digits = records.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (length, _) = records.split_at_checked(digits).unwrap_or_default();
    let declared_length = decimal(length)
        .and_then(|length| usize::try_from(length).ok())
        .ok_or_else(|| malformed("does not begin with its length"))?;
    let (record, rest) =
        records.split_at_checked(declared_length).ok_or_else(|| malformed("is longer than its header"))?;
    let body = record.get(digits..).unwrap_or_default();
    let body = body.strip_prefix(b" ").ok_or_else(|| malformed("has no space after its length"))?;
    let body = body.strip_suffix(b"\n").ok_or_else(|| malformed("does not end in a newline"))?;
    if body.split(|byte| *byte == b'\n').skip(1).any(looks_like_a_record) {
        return Err(malformed("has a line in it that readers which split at newlines take for a record of its own"));
    }
    let equals = body.iter().position(|byte| *byte == b'=').ok_or_else(|| malformed("has no `=`"))?;
    let (key, value) = body.split_at_checked(equals).unwrap_or_default();
    if key.is_empty() || key.contains(&0) {
        return Err(malformed("has an empty key or a NUL in it"));
    }
    Ok(((key, value.get(1..).unwrap_or_default()), rest))
}

/// A newline in a value is fine (attributes have them), unless what follows would set a key that matters.
fn looks_like_a_record(line: &[u8]) -> bool {
    let digits = line.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (_, rest) = line.split_at_checked(digits).unwrap_or_default();
    let key = rest.strip_prefix(b" ").and_then(|rest| rest.split(|byte| *byte == b'=').next());
    digits > 0 && key.is_some_and(|key| !matches!(Key::of(key), Ok(Key::Ignored)))
}

/// Decimal digits without sign, blanks or leading zeros; below 2^63.
fn decimal(digits: &[u8]) -> Option<u64> {
    match digits {
        [b'0'] => return Some(0),
        [b'0', ..] | [] => return None,
        _ => {}
    }
    let mut value: u64 = 0;
    for digit in digits {
        let digit = digit.checked_sub(b'0').filter(|digit| *digit < 10)?;
        value = value.checked_mul(10)?.checked_add(u64::from(digit))?;
    }
    (value < 1 << 63).then_some(value)
}

fn size(value: &[u8]) -> Result<u64> {
    decimal(value).ok_or_else(|| {
        Error::with(Code::PaxMalformed, format!("the pax size `{}` is not a number below 2^63", escape(value)))
    })
}

fn text(key: &[u8], value: &[u8], nul: Code) -> Result<Vec<u8>> {
    if value.is_empty() {
        return Err(Error::with(Code::PaxMalformed, format!("the pax key `{}` is empty", escape(key))));
    }
    if value.contains(&0) {
        return Err(Error::with(nul, format!("the pax key `{}` has a NUL in its value", escape(key))));
    }
    Ok(value.to_vec())
}

fn charset(value: &[u8]) -> Result<()> {
    match value {
        b"ISO-IR 10646 2000 UTF-8" | b"UTF-8" => Ok(()),
        _ => {
            let error =
                Error::with(Code::PathNotUtf8, format!("a pax header declares the character set `{}`", escape(value)));
            Err(error.hint("publisher: pack under a UTF-8 locale: LC_ALL=C.UTF-8 tar ... (bsdtar: LC_ALL=en_US.UTF-8)"))
        }
    }
}

fn once<T>(slot: &mut Option<T>, key: &[u8], value: T) -> Result<()> {
    if slot.replace(value).is_some() {
        return Err(Error::with(Code::PaxDuplicate, format!("a pax header sets `{}` twice", escape(key))));
    }
    Ok(())
}
