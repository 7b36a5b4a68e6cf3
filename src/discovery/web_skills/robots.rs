//! robots.txt (RFC 9309): whether the addresses of a site may be fetched. The protocol does not override it.

use std::fmt::Write as _;

use robotstxt::matcher::{RobotsMatchStrategy, RobotsMatcher};

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
        Self(Rules::Text(plain(&text)))
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
                    && RobotsMatcher::<Longest>::default().one_agent_allowed_by_robots(
                        text,
                        Self::AGENT,
                        &plain(url.as_str()),
                    )
            }
        }
    }
}

/// The longest rule that matches decides (section 2.2.2), each matched in one walk along the path. The matcher that comes with
/// the parser takes the product of their lengths, and does not see that `*aa` matches `abaa`.
#[derive(Default)]
struct Longest;

impl RobotsMatchStrategy for Longest {
    fn match_allow(&self, path: &str, pattern: &str) -> i32 {
        if matches(path, pattern) { i32::try_from(pattern.len()).unwrap_or(i32::MAX) } else { -1 }
    }

    fn match_disallow(&self, path: &str, pattern: &str) -> i32 {
        self.match_allow(path, pattern)
    }
}

/// `*` stands for any characters, `$` at the end for the end of the path (section 2.2.3). Each part between two stars is taken
/// where it first occurs: what matches further on matches from there, too.
fn matches(path: &str, pattern: &str) -> bool {
    let (pattern, to_the_end) = pattern.strip_suffix('$').map_or((pattern, false), |pattern| (pattern, true));
    let mut parts = pattern.split('*').peekable();
    let Some(mut rest) = parts.next().and_then(|first| path.strip_prefix(first)) else { return false };
    if parts.peek().is_none() {
        return !to_the_end || rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if to_the_end && parts.peek().is_none() {
            return rest.ends_with(part);
        }
        let Some((_, after)) = rest.split_once(part) else { return false };
        rest = after;
    }
    true
}

/// Percent-encoded octets as they are compared (section 2.2.2): those of unreserved characters decoded, the others in capitals.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('%') {
        plain.push_str(before);
        let octet = after.get(..2).filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        match octet.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') => {
                plain.push(char::from(byte));
            }
            Some(byte) => {
                let _ = write!(plain, "%{byte:02X}");
            }
            None => {
                plain.push('%');
                rest = after;
                continue;
            }
        }
        rest = after.get(2..).unwrap_or_default();
    }
    plain.push_str(rest);
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn robots(rules: &str) -> Robots {
        Robots::parse(format!("User-agent: *\n{rules}\n").as_bytes())
    }

    fn allows(rules: &str, path: &str) -> bool {
        robots(rules).allows(&format!("https://example.com{path}").parse().unwrap())
    }

    /// By the letter of section 2.2.3: a star takes nothing or one more character.
    fn matches_by_the_letter(path: &[u8], pattern: &[u8]) -> bool {
        match (pattern, path) {
            ([], _) => true,
            ([b'$'], path) => path.is_empty(),
            ([b'*', rest @ ..], path) => {
                matches_by_the_letter(path, rest)
                    || path.split_first().is_some_and(|(_, path)| matches_by_the_letter(path, pattern))
            }
            ([one, pattern @ ..], [other, path @ ..]) => one == other && matches_by_the_letter(path, pattern),
            (_, []) => false,
        }
    }

    #[test]
    fn one_walk_along_the_path_matches_what_the_letter_matches() {
        // Every pattern and path of a small alphabet.
        let words = |letters: &[char], most: usize| {
            let mut words = vec![String::new()];
            let mut from = 0;
            for _ in 0..most {
                let to = words.len();
                for at in from..to {
                    words.extend(letters.iter().map(|letter| format!("{}{letter}", words[at])).collect::<Vec<_>>());
                }
                from = to;
            }
            words
        };
        for pattern in words(&['a', 'b', '*', '$'], 4) {
            for path in words(&['a', 'b', '$'], 4) {
                let letter = matches_by_the_letter(path.as_bytes(), pattern.as_bytes());
                assert_eq!(matches(&path, &pattern), letter, "{pattern:?} on {path:?}");
            }
        }
    }

    #[test]
    fn octets_are_compared_decoded_where_nobody_reserves_them() {
        for (rule, path) in [
            ("/skills/priv/", "/%73kills/priv/SKILL.md"),
            ("/skills/%70riv/", "/skills/priv/SKILL.md"),
            ("/a%2fb", "/a%2Fb"),
            ("/caf\u{e9}", "/caf%c3%a9"),
            ("/%7euser", "/~user"),
        ] {
            assert!(!allows(&format!("Disallow: {rule}"), path), "{rule} {path}");
        }
        for (rule, path) in [("/a%2Fb", "/a/b"), ("/a/b", "/a%2Fb"), ("/%zz", "/%2525zz"), ("/x%", "/x")] {
            assert!(allows(&format!("Disallow: {rule}"), path), "{rule} {path}");
        }
        assert_eq!(plain("%41%2e%zz%4"), "A.%zz%4");
    }

    /// Both took minutes: the test runner's own patience is the bound.
    #[test]
    fn rules_full_of_wildcards_cost_no_more_than_their_length() {
        let path = format!("/{}/SKILL.md", "a".repeat(1900));
        assert!(!allows(&"Disallow: *a\n".repeat(38_000), &path));
        assert!(allows(&format!("Disallow: /{}*b\n", "*a".repeat(1000)).repeat(200), &path));
    }
}
