//! What went wrong: facts only (code, entry, offset, detail), no type of another room.

mod codes;
mod table;

use std::fmt;
use std::io;
use std::sync::Arc;

pub use self::codes::{Explanation, Severity, UnknownCode};
pub use self::table::Code;
use crate::escape::{Escaped, escape};

/// The result of everything in this crate that can refuse or fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A refusal or failure: a stable [`Code`], and where it was met.
///
/// `Display` gives one line: what happened, with every name of the archive escaped. Why it matters and what to do are
/// [`why`](Self::why) and [`help`](Self::help).
#[derive(Clone)]
pub struct Error(Box<Inner>);

#[derive(Clone)]
struct Inner {
    code: Code,
    detail: String,
    entry: Option<Entry>,
    offset: Option<u64>,
    hint: Option<String>,
    status: Option<u16>,
    source: Option<Arc<io::Error>>,
}

/// The member an error is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    ordinal: u64,
    name: String,
}

/// What a caller has to tell apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// The caller asked to stop.
    Cancelled,
    /// This machine, this call or this destination could not do it. Says nothing about the archive.
    Failed,
    /// The archive or the digest is at fault: the same answer on every machine.
    Refused,
}

/// Who has to act; decides the exit code of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Class {
    /// Exit code 3: the machine or the destination.
    Failed,
    /// Worth saying, not refused unless the caller denies it; then it counts as refused.
    Finding,
    /// Exit code 1: the archive, digest or site.
    Refused,
    /// Exit code 2: the call.
    Usage,
}

impl Error {
    /// An error with the table's own words.
    #[must_use]
    pub(crate) fn new(code: Code) -> Self {
        Self::with(code, code.explain().what)
    }

    /// An error with words of its own. Text from an archive must have gone through `escape` before.
    pub(crate) fn with(code: Code, detail: impl Into<String>) -> Self {
        Self(Box::new(Inner {
            code,
            detail: detail.into(),
            entry: None,
            offset: None,
            hint: None,
            status: None,
            source: None,
        }))
    }

    /// A failed call to the operating system, `doing` says which. Full disks and quotas get their own code.
    pub(crate) fn io(doing: impl Into<String>, source: io::Error) -> Self {
        let code = match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Code::DiskFull,
            _ => Code::Io,
        };
        let mut error = Self::with(code, doing);
        error.0.source = Some(Arc::new(source));
        error
    }

    /// The same error at a byte offset, unless it has one already.
    pub(crate) fn at(mut self, offset: u64) -> Self {
        self.0.offset.get_or_insert(offset);
        self
    }

    /// The same error about a member, unless it has one already.
    pub(crate) fn in_entry(mut self, ordinal: u64, name: &[u8]) -> Self {
        self.0.entry.get_or_insert_with(|| Entry { ordinal, name: escape(name).to_string() });
        self
    }

    /// The same error with advice that fits this case better than the table's.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.0.hint = Some(hint.into());
        self
    }

    /// The same error about an answer of HTTP with this status.
    #[cfg(feature = "discovery")]
    pub(crate) fn of_status(mut self, status: u16) -> Self {
        self.0.status = Some(status);
        self
    }

    /// The status of HTTP that it is about, if it is about one.
    #[must_use]
    pub fn status(&self) -> Option<u16> {
        self.0.status
    }

    /// A wrong call: class `usage`, in the words given. For programs built on this library.
    #[must_use]
    pub fn usage(detail: impl fmt::Display) -> Self {
        Self::of(Code::Usage, detail)
    }

    /// An error in the words given, which are escaped. For programs built on this library.
    #[must_use]
    pub fn of(code: Code, detail: impl fmt::Display) -> Self {
        Self::with(code, Escaped::of(detail.to_string().as_bytes()).to_string())
    }

    /// The same error with other advice than the table's, as it stands. For programs built on this library.
    #[must_use]
    pub fn with_help(self, help: impl Into<String>) -> Self {
        self.hint(help)
    }

    /// Whether the archive is at fault, the machine, or the caller stopped it.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match (self.0.code, self.class()) {
            (Code::Cancelled, _) => Kind::Cancelled,
            (_, Class::Refused) => Kind::Refused,
            _ => Kind::Failed,
        }
    }

    /// The class that decides the exit code of the program.
    #[must_use]
    pub fn class(&self) -> Class {
        match self.0.code.class() {
            Class::Finding => Class::Refused,
            class => class,
        }
    }

    /// The stable code.
    #[must_use]
    pub fn code(&self) -> Code {
        self.0.code
    }

    /// The member it is about, where it is about one.
    #[must_use]
    pub fn entry(&self) -> Option<&Entry> {
        self.0.entry.as_ref()
    }

    /// Where: tar offsets count bytes of the uncompressed archive, gzip and zip offsets bytes of the file.
    #[must_use]
    pub fn offset(&self) -> Option<u64> {
        self.0.offset
    }

    /// What happened, without the entry; names are escaped.
    #[must_use]
    pub fn detail(&self) -> &str {
        &self.0.detail
    }

    /// Why this is refused or failed.
    #[must_use]
    pub fn why(&self) -> &'static str {
        self.0.code.explain().why
    }

    /// What the publisher or the user should do.
    #[must_use]
    pub fn help(&self) -> &str {
        let general = self.0.code.explain().help;
        self.0.hint.as_deref().unwrap_or(general)
    }

    /// The operating system's own error, where there was one.
    #[must_use]
    pub fn io_error(&self) -> Option<&io::Error> {
        self.0.source.as_deref()
    }
}

impl Entry {
    /// Its number in the archive, counted from 1. Extension headers are not members.
    #[must_use]
    pub fn ordinal(&self) -> u64 {
        self.ordinal
    }

    /// Its name, escaped and capped: safe to print.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(entry) = &self.0.entry {
            write!(f, "entry {} `{}`: ", entry.ordinal, entry.name)?;
        }
        f.write_str(&self.0.detail)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("Error");
        out.field("code", &self.0.code.as_str()).field("detail", &self.0.detail);
        if let Some(entry) = &self.0.entry {
            out.field("entry", entry);
        }
        if let Some(offset) = self.0.offset {
            out.field("offset", &offset);
        }
        if let Some(source) = &self.0.source {
            out.field("source", source);
        }
        out.finish()
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source.as_deref().map(|source| source as _)
    }
}

impl serde::Serialize for Error {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeMap;

        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("class", &self.class())?;
        map.serialize_entry("code", &self.code())?;
        match &self.0.source {
            Some(source) => map.serialize_entry("message", &format!("{self}: {source}"))?,
            None => map.serialize_entry("message", &self.to_string())?,
        }
        if let Some(entry) = &self.0.entry {
            map.serialize_entry("entry", &entry.name)?;
            map.serialize_entry("ordinal", &entry.ordinal)?;
        }
        if let Some(offset) = self.0.offset {
            map.serialize_entry("offset", &offset)?;
        }
        map.serialize_entry("help", self.help())?;
        map.end()
    }
}
