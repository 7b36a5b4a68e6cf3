//! What a run may cost: the limits, and the budget that counts real bytes against them.

use std::fmt;
use std::time::{Duration, Instant};

use crate::cancel::Cancel;
use crate::error::{Code, Error, Result};

const KIB: u64 = 1024;
const MIB: u64 = 1024 * KIB;

/// Headers and padding that the inflater may give out beyond the written bytes: a sum, and so much for each entry.
const FRAMING: u64 = 16 * MIB;
const FRAMING_PER_ENTRY: u64 = 2 * KIB;

/// The limits of a run. Every one is counted on real bytes as they appear, never on a number that the archive declares.
///
/// Start from the defaults and change fields; there is no "unlimited".
///
/// ```
/// let mut limits = skillx_archive::Limits::default();
/// limits.total = 500 << 20; // bytes
/// let options = skillx_archive::Options::default().limits(limits);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct Limits {
    /// Size of the archive file in bytes. **Default 32 MiB.** Code `limit-archive`.
    pub archive: u64,
    /// Archives up to this many bytes are held in memory, larger ones in an unnamed temporary file. **Default 64 MiB.**
    pub spool_memory: u64,
    /// Bytes written, copies of hard links included. **Default 100 MiB.** Code `limit-total`.
    ///
    /// Counted apart: bytes out of the inflater, at most this + [`entries`](Self::entries) × 2 KiB + 16 MiB.
    pub total: u64,
    /// Bytes of one file. **Default 50 MiB.** Code `limit-file`.
    pub file: u64,
    /// Members and implied directories. **Default 4096.** Code `limit-entries`. Extension headers: twice as many.
    pub entries: u64,
    /// Levels of a path; `a/b` has 2. **Default 24.** Code `path-too-deep`.
    pub depth: u64,
    /// Bytes of a path. **Default 512.** Code `path-too-long`.
    pub path: u64,
    /// Bytes of one component of a path. **Default 255.** Code `component-too-long`.
    pub component: u64,
    /// Bytes of a link target. **Default 1024.** Code `link-target-invalid`.
    pub link_target: u64,
    /// Bytes of one pax header or GNU long name, and of all global pax headers. **Default 64 KiB.** Code `limit-metadata`.
    pub extension: u64,
    /// Bytes of all extension headers, or of the central directory of a zip. **Default 8 MiB.** Code `limit-metadata`.
    pub extension_total: u64,
    /// Bytes out of the inflater for each byte of the archive, once past [`ratio_floor`](Self::ratio_floor).
    /// **Default 200.** Code `limit-ratio`.
    pub ratio: u64,
    /// Below this many bytes of output the ratio is not looked at. **Default 8 MiB.**
    pub ratio_floor: u64,
    /// Bytes of SKILL.md. **Default 1 MiB.** Code `skill-md-invalid`.
    pub skill_md: u64,
    /// The whole run, from the first archive byte parsed. **Default 120 s.** Code `limit-time`, never a verdict.
    #[serde(rename = "time_seconds", serialize_with = "seconds")]
    pub time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            archive: 32 * MIB,
            spool_memory: 64 * MIB,
            total: 100 * MIB,
            file: 50 * MIB,
            entries: 4096,
            depth: 24,
            path: 512,
            component: 255,
            link_target: KIB,
            extension: 64 * KIB,
            extension_total: 8 * MIB,
            ratio: 200,
            ratio_floor: 8 * MIB,
            skill_md: MIB,
            time: Duration::from_secs(120),
        }
    }
}

fn seconds<S: serde::Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(time.as_secs())
}

/// What one run has used up so far.
#[derive(Debug)]
pub(crate) struct Budget {
    limits: Limits,
    cancel: Cancel,
    started: Instant,
    archive_bytes: u64,
    inflated: u64,
    inflated_most: u64,
    written: u64,
    in_file: u64,
    entries: u64,
    extensions: u64,
    extension_bytes: u64,
    global_bytes: u64,
}

impl Budget {
    /// The clock starts here: create it when the first archive byte is about to be parsed.
    pub(crate) fn new(limits: &Limits, cancel: &Cancel, archive_bytes: u64) -> Self {
        let framing = limits.entries.saturating_mul(FRAMING_PER_ENTRY).saturating_add(FRAMING);
        Self {
            inflated_most: limits.total.saturating_add(framing),
            limits: limits.clone(),
            cancel: cancel.clone(),
            started: Instant::now(),
            archive_bytes,
            inflated: 0,
            written: 0,
            in_file: 0,
            entries: 0,
            extensions: 0,
            extension_bytes: 0,
            global_bytes: 0,
        }
    }

    /// The same limits and the same clock for a second reading of the archive.
    pub(crate) fn restarted(&self) -> Self {
        Self { started: self.started, ..Self::new(&self.limits, &self.cancel, self.archive_bytes) }
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Bytes that the inflater has given out.
    pub(crate) fn inflated_so_far(&self) -> u64 {
        self.inflated
    }

    /// Time and cancellation: called at least once for every block of data and every member.
    pub(crate) fn tick(&self) -> Result<()> {
        if self.cancel.is_cancelled() {
            return Err(Error::new(Code::Cancelled));
        }
        if self.started.elapsed() > self.limits.time {
            let limit = self.limits.time.as_secs();
            return Err(Error::with(Code::LimitTime, format!("the run took longer than {limit} s")));
        }
        Ok(())
    }

    /// Bytes that came out of the inflater (for stored members: out of the file).
    pub(crate) fn inflate(&mut self, bytes: usize) -> Result<()> {
        self.tick()?;
        self.inflated = self.inflated.saturating_add(bytes as u64);
        if self.inflated > self.inflated_most {
            let most = self.inflated_most;
            return Err(Error::with(
                Code::LimitTotal,
                format!("the archive unpacks to more than {most} bytes, headers and padding included"),
            ));
        }
        let allowed = self.archive_bytes.saturating_mul(self.limits.ratio);
        if self.inflated > self.limits.ratio_floor && self.inflated > allowed {
            let ratio = self.limits.ratio;
            return Err(Error::with(
                Code::LimitRatio,
                format!("the archive expands to more than {ratio} times its size"),
            ));
        }
        Ok(())
    }

    /// One more member or implied directory.
    pub(crate) fn entry(&mut self) -> Result<()> {
        self.tick()?;
        self.entries = self.entries.saturating_add(1);
        if self.entries > self.limits.entries {
            let most = self.limits.entries;
            return Err(Error::with(
                Code::LimitEntries,
                format!("the archive has more than {most} entries, implied directories included"),
            ));
        }
        Ok(())
    }

    /// A new file begins.
    pub(crate) fn begin_file(&mut self) {
        self.in_file = 0;
    }

    /// Bytes of the current file that are about to be written (of a hard link: copied; of noise: left out).
    pub(crate) fn file_bytes(&mut self, bytes: u64) -> Result<()> {
        self.in_file = self.in_file.saturating_add(bytes);
        if self.in_file > self.limits.file {
            let most = self.limits.file;
            return Err(Error::with(Code::LimitFile, format!("the file is larger than {most} bytes")));
        }
        self.written = self.written.saturating_add(bytes);
        if self.written > self.limits.total {
            let most = self.limits.total;
            return Err(Error::with(Code::LimitTotal, format!("the content is larger than {most} bytes")));
        }
        Ok(())
    }

    /// One extension header whose payload is said to have so many bytes: asked before the payload is read.
    pub(crate) fn extension(&mut self, declared_bytes: u64) -> Result<()> {
        self.tick()?;
        self.extensions = self.extensions.saturating_add(1);
        if self.extensions > self.limits.entries.saturating_mul(2) {
            let most = self.limits.entries.saturating_mul(2);
            return Err(Error::with(Code::LimitEntries, format!("there are more than {most} extension headers")));
        }
        if declared_bytes > self.limits.extension {
            let most = self.limits.extension;
            return Err(Error::with(
                Code::LimitMetadata,
                format!("an extension header of {declared_bytes} bytes is larger than {most} bytes"),
            ));
        }
        self.metadata(declared_bytes)
    }

    /// Bytes of metadata held or walked through: extension payloads, central directory records.
    pub(crate) fn metadata(&mut self, bytes: u64) -> Result<()> {
        self.extension_bytes = self.extension_bytes.saturating_add(bytes);
        if self.extension_bytes > self.limits.extension_total {
            let most = self.limits.extension_total;
            return Err(Error::with(Code::LimitMetadata, format!("there are more than {most} bytes of metadata")));
        }
        Ok(())
    }

    /// Bytes of a global pax header, besides being an extension.
    pub(crate) fn global_extension(&mut self, declared_bytes: u64) -> Result<()> {
        self.global_bytes = self.global_bytes.saturating_add(declared_bytes);
        if self.global_bytes > self.limits.extension {
            let most = self.limits.extension;
            return Err(Error::with(Code::LimitMetadata, format!("global pax headers take more than {most} bytes")));
        }
        Ok(())
    }
}

/// Whether this machine can run two threads at once: asked only where a thread would be worth it, as Linux answers it
/// from a dozen files.
pub(crate) fn has_processors() -> bool {
    std::thread::available_parallelism().is_ok_and(|processors| processors.get() > 1)
}

/// The text is not a size; the message says what is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SizeError;

impl fmt::Display for SizeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "not a size: write a positive number of bytes, with a unit if you like (10M and 10MiB are 10 x 1024 x 1024, 10MB is 10 x 1000 x 1000)",
        )
    }
}

impl std::error::Error for SizeError {}

/// Parses a size in bytes as coreutils do: `4096`, `10K`, `10KiB`, `10KB`, up to `E`.
///
/// # Errors
/// [`SizeError`] for anything else, for zero, and for more than 2^64 - 1.
///
/// ```
/// assert_eq!(skillx_archive::parse_size("10M"), Ok(10 << 20));
/// assert_eq!(skillx_archive::parse_size("1GB"), Ok(1_000_000_000));
/// assert!(skillx_archive::parse_size("0").is_err());
/// ```
pub fn parse_size(text: &str) -> Result<u64, SizeError> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at_checked(digits).ok_or(SizeError)?;
    let number: u64 = number.parse().map_err(|_| SizeError)?;
    let (letter, base) = match unit.as_bytes() {
        [] => (b'-', 1),
        [letter] | [letter, b'i', b'B'] => (*letter, 1024),
        [letter, b'B'] => (*letter, 1000),
        _ => return Err(SizeError),
    };
    let power = match letter {
        b'-' => 0,
        b'K' | b'k' => 1,
        b'M' => 2,
        b'G' => 3,
        b'T' => 4,
        b'P' => 5,
        b'E' => 6,
        _ => return Err(SizeError),
    };
    let unit = u64::checked_pow(base, power).ok_or(SizeError)?;
    number.checked_mul(unit).filter(|bytes| *bytes > 0).ok_or(SizeError)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_parse_as_coreutils_do() {
        for (text, bytes) in [("1", 1), ("512", 512), ("1K", 1024), ("1k", 1024), ("1KiB", 1024), ("1KB", 1000)] {
            assert_eq!(parse_size(text), Ok(bytes), "{text}");
        }
        for text in ["", "0", "0M", "-1", "+1", "1 M", "M", "1X", "1Mi", "1b", "1.5M", "16E", "99999999999999999999"] {
            assert_eq!(parse_size(text), Err(SizeError), "{text}");
        }
        assert_eq!(parse_size("15E"), Ok(15 << 60));
    }

    #[test]
    fn the_exact_limit_passes_and_one_more_does_not() {
        let limits = Limits { file: 10, total: 15, ..Limits::default() };
        let mut budget = Budget::new(&limits, &Cancel::new(), 1);
        budget.begin_file();
        budget.file_bytes(10).unwrap();
        assert_eq!(budget.file_bytes(1).unwrap_err().code(), Code::LimitFile);
        let mut budget = Budget::new(&limits, &Cancel::new(), 1);
        for bytes in [10, 5] {
            budget.begin_file();
            budget.file_bytes(bytes).unwrap();
        }
        assert_eq!(budget.file_bytes(1).unwrap_err().code(), Code::LimitTotal);
    }
}
