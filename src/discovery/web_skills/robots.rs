//! robots.txt (RFC 9309): whether the addresses of a site may be fetched. The protocol does not override it.

use std::fmt::Write as _;

use robotstxt::DefaultMatcher;

use crate::fetch::Url;

/// The rules of a site for this client.
///
/// ```
/// use skillx_archive::{discovery::Robots, fetch::Url};
/// let robots = Robots::parse(b"User-agent: *\nDisallow: /skills/private/\n");
/// let url = |text: &str| text.parse::<Url>();
/// assert!(robots.allows(&url("https://example.com/skills/search/SKILL.md")?));
/// assert!(!robots.allows(&url("https://example.com/skills/private/SKILL.md")?));
/// # Ok::<(), skillx_archive::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Robots(Rules);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Rules {
    AllowAll,
    DenyAll,
    /// ASCII alone: whatever else there was is percent-encoded.
    Text(String),
}

impl Robots {
    /// Where the rules are, below an origin.
    pub const LOCATION: &str = "/robots.txt";

    /// The name by which the rules may speak of this client.
    pub const AGENT: &str = "skillx";

    /// Bytes that are read: 500 KiB (section 2.5). What is beyond is ignored, with the line that is cut there.
    pub const MOST_BYTES: u64 = 500 << 10;

    /// Longest address that is matched, in bytes: what a rule with many wildcards costs grows with it.
    pub(crate) const MOST_ADDRESS: usize = 2048;

    /// The rules in a robots.txt.
    #[must_use]
    pub fn parse(bytes: &[u8]) -> Self {
        let most = usize::try_from(Self::MOST_BYTES).unwrap_or(usize::MAX);
        let bytes = match bytes.get(..most) {
            // A line that is cut could forbid more, or less, than the whole one.
            Some(read) if bytes.len() > most => {
                read.get(..read.iter().rposition(|byte| *byte == b'\n').unwrap_or(0)).unwrap_or_default()
            }
            _ => bytes,
        };
        let mut text = String::new();
        // Paths are compared percent-encoded (section 2.2.2).
        for &byte in bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes) {
            if byte.is_ascii() {
                text.push(char::from(byte));
            } else {
                let _ = write!(text, "%{byte:02X}");
            }
        }
        Self(Rules::Text(text))
    }

    /// There is no robots.txt (a status from 400 to 499): everything may be fetched (section 2.3.1.3).
    #[must_use]
    pub const fn absent() -> Self {
        Self(Rules::AllowAll)
    }

    /// It cannot be had (a status from 500 on, no connection): nothing may be fetched (section 2.3.1.4).
    #[must_use]
    pub const fn unreachable() -> Self {
        Self(Rules::DenyAll)
    }

    /// Whether this client may fetch an address of the site. An address of more than 2048 bytes may not.
    #[must_use]
    pub fn allows(&self, url: &Url) -> bool {
        match &self.0 {
            Rules::AllowAll => true,
            Rules::DenyAll => false,
            Rules::Text(text) => {
                url.as_str().len() <= Self::MOST_ADDRESS
                    && DefaultMatcher::default().one_agent_allowed_by_robots(text, Self::AGENT, url.as_str())
            }
        }
    }
}
