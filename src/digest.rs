//! SHA-256 digests: the one a publisher promised, and the one that was observed.

use std::fmt;
use std::str::FromStr;

use crate::error::{Code, Error};
use crate::escape::escape;

/// A promised digest: SHA-256 of the raw bytes of an archive file.
///
/// Parses exactly `sha256:` and 64 lower-case hex digits (Agent Skills Discovery RFC 0.2.0, "Integrity and
/// Verification"); nothing is repaired.
///
/// ```
/// use skillx_archive::Digest;
/// let hex = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
/// let digest: Digest = format!("sha256:{hex}").parse()?;
/// assert_eq!(digest.to_string(), format!("sha256:{hex}"));
/// assert!(hex.parse::<Digest>().is_err());
/// assert_eq!(Digest::from_hex(hex)?, digest);
/// # Ok::<(), skillx_archive::DigestError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Digest([u8; 32]);

/// The digest that bytes turned out to have. Not a [`Digest`]: checking an artifact against what it was observed to be
/// proves nothing, so [`verify`](crate::Artifact::verify) does not take it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Observed([u8; 32]);

/// The text is not a digest; the message says what is wrong with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DigestError {
    shown: String,
    reason: &'static str,
}

impl fmt::Display for DigestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not a digest: {}", self.shown, self.reason)
    }
}

impl std::error::Error for DigestError {}

impl Digest {
    /// The digest with these 32 bytes.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Parses 64 lower-case hex digits without the `sha256:` prefix, as `sha256sum` prints them.
    ///
    /// # Errors
    /// [`DigestError`] if the text is anything else.
    pub fn from_hex(hex: &str) -> Result<Self, DigestError> {
        parse_hex(hex).map_err(|reason| DigestError::new(hex, reason))
    }

    /// The 32 bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl Observed {
    pub(crate) const fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The 32 bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl FromStr for Digest {
    type Err = DigestError;

    fn from_str(text: &str) -> Result<Self, DigestError> {
        let parsed = match text.strip_prefix("sha256:") {
            Some(hex) => parse_hex(hex),
            None => Err(diagnose_prefix(text)),
        };
        parsed.map_err(|reason| DigestError::new(text, reason))
    }
}

fn parse_hex(hex: &str) -> Result<Digest, &'static str> {
    let digits = hex.as_bytes();
    if digits.iter().any(u8::is_ascii_uppercase) && digits.iter().all(u8::is_ascii_hexdigit) {
        return Err("the hex digits must be lower-case");
    }
    if digits.len() != 64 {
        return Err("a SHA-256 has 64 hex digits");
    }
    let mut bytes = [0; 32];
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        for digit in pair {
            let value = char::from(*digit).to_digit(16).and_then(|value| u8::try_from(value).ok());
            let value = value.ok_or("only the digits 0-9 and a-f may follow `sha256:`")?;
            *byte = *byte << 4 | value;
        }
    }
    Ok(Digest(bytes))
}

fn diagnose_prefix(text: &str) -> &'static str {
    if text.starts_with("sha256-") {
        "this is the SRI form; write `sha256:` and hex digits instead of base64"
    } else if text.is_empty() {
        "it is empty"
    } else if text.trim() != text {
        "it has white space around it"
    } else if text.to_ascii_lowercase().starts_with("sha256:") {
        "the prefix must be lower-case: `sha256:`"
    } else if text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        "the prefix `sha256:` is missing"
    } else if text.contains(':') {
        "only sha256 is known"
    } else {
        "it must be `sha256:` and 64 lower-case hex digits"
    }
}

impl DigestError {
    fn new(text: &str, reason: &'static str) -> Self {
        Self { shown: escape(text.as_bytes()).to_string(), reason }
    }
}

impl From<DigestError> for Error {
    fn from(error: DigestError) -> Self {
        Self::with(Code::DigestSyntax, error.to_string())
    }
}

impl PartialEq<Digest> for Observed {
    fn eq(&self, promised: &Digest) -> bool {
        self.0 == promised.0
    }
}

fn write_hex(bytes: &[u8; 32], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_str("sha256:")?;
    bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_hex(&self.0, f)
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_hex(&self.0, f)
    }
}

impl fmt::Display for Observed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_hex(&self.0, f)
    }
}

impl fmt::Debug for Observed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_hex(&self.0, f)
    }
}
