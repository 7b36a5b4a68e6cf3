//! Addresses: parsed once, http or https, with a host and without user information.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use url::Host;

use crate::error::{Code, Error, Result};
use crate::escape::escape;

/// Longest address, in bytes: what servers and browsers take, and more than anyone publishes.
const MOST: usize = 8192;

/// An http or https address with a host, without user information and without a fragment.
///
/// Parsed as browsers do (WHATWG URL Standard), so that what is checked is what other clients fetch; what that standard
/// would repair silently is refused: white space around it, tabs and line breaks in it, backslashes, one or three slashes
/// after the scheme. Hosts are normalised: internationalised names are punycode, and `0x7f.1`, `017700000001` and
/// `2130706433` are all `127.0.0.1`.
///
/// `Display` escapes and caps; [`as_str`](Self::as_str) is the whole address, always ASCII.
///
/// ```
/// use skillx_archive::fetch::Url;
/// let index: Url = "https://example.com/.well-known/agent-skills/index.json".parse()?;
/// let archive = index.join("pdf/v1.tar.gz")?;
/// assert_eq!(archive.as_str(), "https://example.com/.well-known/agent-skills/pdf/v1.tar.gz");
/// assert_eq!("https://user@example.com/".parse::<Url>().unwrap_err().code(), "url-userinfo");
/// assert_eq!(index.join("ftp://example.com/x").unwrap_err().code(), "url-scheme");
/// # Ok::<(), skillx_archive::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Url(url::Url);

impl Url {
    /// Resolves a reference against this address (RFC 3986, section 5).
    ///
    /// # Errors
    /// `url-invalid`, `url-scheme` or `url-userinfo`.
    pub fn join(&self, reference: &str) -> Result<Self> {
        inspect(reference)?;
        let joined = self.0.join(reference).map_err(|error| invalid(reference, &error.to_string()))?;
        Self::admit(joined, reference)
    }

    fn admit(mut url: url::Url, text: &str) -> Result<Self> {
        if !matches!(url.scheme(), "https" | "http") {
            let scheme = escape(url.scheme().as_bytes());
            let detail = format!("`{}` has the scheme `{scheme}`, only https is fetched", escape(text.as_bytes()));
            return Err(Error::with(Code::UrlScheme, detail));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(userinfo(text));
        }
        if url.host_str().is_none_or(str::is_empty) {
            return Err(invalid(text, "it has no host"));
        }
        // One dot at the end is the root of all names; any other empty label is none (RFC 1034, 3.1).
        let name = url.domain().map(|name| name.strip_suffix('.').unwrap_or(name));
        if name.is_some_and(|name| name.split('.').any(str::is_empty)) {
            return Err(invalid(text, "its host has an empty label"));
        }
        if url.as_str().len() > MOST {
            return Err(invalid(text, "it is longer than 8192 bytes"));
        }
        url.set_fragment(None);
        Ok(Self(url))
    }

    /// The whole address in its normal form. ASCII, and yet a stranger's text: print it with `Display`.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// Whether the scheme is https.
    #[must_use]
    pub fn is_https(&self) -> bool {
        self.0.scheme() == "https"
    }

    /// The host: a name (punycode, lower case) or an address (IPv6 in brackets).
    #[must_use]
    pub fn host(&self) -> &str {
        self.0.host_str().unwrap_or_default()
    }

    /// The port, given or implied by the scheme.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.0.port_or_known_default().unwrap_or_default()
    }

    /// The path, percent-encoded, beginning with a slash.
    #[must_use]
    pub fn path(&self) -> &str {
        self.0.path()
    }

    /// The last component of the path, percent-encoded; empty where the path ends in a slash. Good for guessing a format by
    /// its extension, never as the name of a file.
    #[must_use]
    pub fn last_component(&self) -> &str {
        self.path().rsplit('/').next().unwrap_or_default()
    }

    /// Whether scheme, host and port are the same (RFC 6454).
    #[must_use]
    pub fn same_origin(&self, other: &Self) -> bool {
        self.0.origin() == other.0.origin()
    }

    /// Scheme, host and port, with a path of `/`.
    #[must_use]
    pub fn origin(&self) -> Self {
        let mut origin = self.0.clone();
        origin.set_path("/");
        origin.set_query(None);
        Self(origin)
    }

    /// The host as an address, where it is one.
    pub(crate) fn literal(&self) -> Option<IpAddr> {
        match self.0.host()? {
            Host::Domain(_) => None,
            Host::Ipv4(address) => Some(address.into()),
            Host::Ipv6(address) => Some(address.into()),
        }
    }

    /// Whether the host is this machine by definition: 127.0.0.0/8, `::1`, `localhost` and names below it (RFC 6761).
    #[must_use]
    pub fn is_loopback(&self) -> bool {
        match self.literal() {
            Some(address) => address.is_loopback(),
            None => {
                let name = self.host().trim_end_matches('.');
                name == "localhost" || name.ends_with(".localhost")
            }
        }
    }
}

impl FromStr for Url {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        inspect(text)?;
        let parsed = url::Url::parse(text).map_err(|error| invalid(text, &error.to_string()))?;
        Self::admit(parsed, text)
    }
}

/// What the URL Standard would repair, so that two readers of the same text could fetch different things.
fn inspect(text: &str) -> Result<()> {
    if text.len() > MOST {
        return Err(invalid(text, "it is longer than 8192 bytes"));
    }
    if text.trim() != text {
        return Err(invalid(text, "it has white space around it"));
    }
    if text.chars().any(char::is_control) {
        return Err(invalid(text, "it contains a control character"));
    }
    if text.contains('\\') {
        return Err(invalid(text, "it contains a backslash"));
    }
    let rest = match scheme_of(text) {
        Some((scheme, rest)) if matches!(scheme.to_ascii_lowercase().as_str(), "http" | "https") => {
            if !rest.starts_with("//") {
                return Err(invalid(text, "`//` and a host must follow the scheme"));
            }
            rest
        }
        Some((scheme, _)) => {
            let detail = format!(
                "`{}` has the scheme `{}`, only https is fetched",
                escape(text.as_bytes()),
                escape(scheme.to_ascii_lowercase().as_bytes())
            );
            return Err(Error::with(Code::UrlScheme, detail));
        }
        None => text,
    };
    let Some(after) = rest.strip_prefix("//") else { return Ok(()) };
    let authority = after.split(['/', '?', '#']).next().unwrap_or_default();
    if authority.is_empty() {
        return Err(invalid(text, "it has no host"));
    }
    if authority.contains('@') {
        return Err(userinfo(text));
    }
    Ok(())
}

/// The scheme and what follows its colon (RFC 3986, section 3.1).
fn scheme_of(text: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = text.split_once(':')?;
    let begins = scheme.starts_with(|first: char| first.is_ascii_alphabetic());
    let continues = scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'));
    (begins && continues).then_some((scheme, rest))
}

fn invalid(text: &str, why: &str) -> Error {
    Error::with(Code::UrlInvalid, format!("`{}` is not an address that can be fetched: {why}", escape(text.as_bytes())))
}

/// The text is not repeated: what stands before the `@` may be a password.
fn userinfo(text: &str) -> Error {
    let after = text.split_once('@').map_or("", |(_, after)| after);
    let host = after.split(['/', '?', '#']).next().unwrap_or_default();
    let host = host.rsplit('@').next().unwrap_or_default();
    Error::with(Code::UrlUserinfo, format!("the address names a user or password for `{}`", escape(host.as_bytes())))
}

impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        escape(self.as_str().as_bytes()).fmt(f)
    }
}

impl fmt::Debug for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Url({self})")
    }
}

impl serde::Serialize for Url {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(text: &str) -> &'static str {
        text.parse::<Url>().map_or_else(|error| error.code().as_str(), |url| panic!("{text} became {}", url.as_str()))
    }

    #[test]
    fn only_http_and_https_are_addresses() {
        for text in [
            "file:///etc/passwd",
            "ftp://example.com/",
            "data:,x",
            "javascript:alert(1)",
            "gopher://x/",
            "FILE:/x",
            "ws://x/",
        ] {
            assert_eq!(code(text), "url-scheme", "{text}");
        }
    }

    #[test]
    fn user_information_is_refused_and_not_repeated() {
        for text in [
            "https://user@example.com/",
            "https://user:secret@example.com/",
            "https://@example.com/",
            "https://:@example.com/",
            "http://a@b@c/",
        ] {
            assert_eq!(code(text), "url-userinfo", "{text}");
        }
        let error = "https://user:secret@example.com/x".parse::<Url>().unwrap_err();
        assert!(!error.to_string().contains("secret") && error.to_string().contains("example.com"), "{error}");
        let base: Url = "https://example.com/a".parse().unwrap();
        assert_eq!(base.join("//user@example.org/").unwrap_err().code(), "url-userinfo");
        // An @ elsewhere is nothing special.
        assert!(base.join("@types/node.tar.gz").is_ok() && "https://example.com/@a?b=c@d".parse::<Url>().is_ok());
    }

    #[test]
    fn what_would_be_repaired_is_refused() {
        for text in [
            "",
            " https://example.com/",
            "https://example.com/ ",
            "https://example.com/a\tb",
            "https://exa\nmple.com/",
            "https:\\\\example.com\\x",
            "https://example.com\\@evil.example/",
            "https:example.com",
            "https:/example.com/x",
            "https:///example.com/x",
            "https://",
            "https://?x",
            "example.com/x",
            "/x",
            "https://exa mple.com/",
            "https://[::1/",
            "https://example.com:99999/",
            "https://256.256.256.256/",
            "https://[fe80::1%25eth0]/",
        ] {
            assert_eq!(code(text), "url-invalid", "{text:?}");
        }
        let long = format!("https://example.com/{}", "a".repeat(MOST));
        assert_eq!(code(&long), "url-invalid");
    }

    #[test]
    fn hosts_have_one_spelling() {
        for (text, host) in [
            ("https://0x7f.1/", "127.0.0.1"),
            ("https://017700000001/", "127.0.0.1"),
            ("https://2130706433/", "127.0.0.1"),
            ("https://127.1/", "127.0.0.1"),
            ("https://%31%32%37.0.0.1/", "127.0.0.1"),
            ("https://\u{ff11}\u{ff12}\u{ff17}\u{3002}0.0.1/", "127.0.0.1"),
            ("https://[0:0:0:0:0:ffff:7f00:1]/", "[::ffff:7f00:1]"),
            ("https://EXAMPLE.com/", "example.com"),
            ("https://b\u{fc}cher.example/", "xn--bcher-kva.example"),
        ] {
            assert_eq!(text.parse::<Url>().unwrap().host(), host, "{text}");
        }
    }

    #[test]
    fn references_resolve_as_rfc_3986_says() {
        let base: Url = "https://example.com/.well-known/agent-skills/index.json?x#y".parse().unwrap();
        for (reference, resolved) in [
            ("a/SKILL.md", "https://example.com/.well-known/agent-skills/a/SKILL.md"),
            ("/a.zip", "https://example.com/a.zip"),
            ("../x.zip", "https://example.com/.well-known/x.zip"),
            ("../../../../x.zip", "https://example.com/x.zip"),
            ("//cdn.example.org/x.zip", "https://cdn.example.org/x.zip"),
            ("https://cdn.example.org/x.zip#part", "https://cdn.example.org/x.zip"),
            ("my skill.zip", "https://example.com/.well-known/agent-skills/my%20skill.zip"),
            ("?v=2", "https://example.com/.well-known/agent-skills/index.json?v=2"),
            ("a:b.zip", ""),
            ("///x", ""),
        ] {
            let joined = base.join(reference);
            assert_eq!(joined.as_ref().map_or("", Url::as_str), resolved, "{reference}");
        }
    }
}
