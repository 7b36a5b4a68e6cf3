//! What a user types: a host, an origin, or the whole address of an index.

use crate::discovery::AgentSkills;
use crate::error::Result;
use crate::fetch::Url;

/// The address of the index that is meant: an origin means its well-known path (RFC 8615), anything with a path of its own is
/// taken as it stands. Without a scheme it is https.
///
/// ```
/// let index = skillx_archive::site::parse_address("example.com")?;
/// assert_eq!(index.as_str(), "https://example.com/.well-known/agent-skills/index.json");
/// # Ok::<(), skillx_archive::Error>(())
/// ```
///
/// # Errors
/// `url-invalid`, `url-scheme`, `url-userinfo`.
pub fn parse_address(text: &str) -> Result<Url> {
    let url: Url = if text.contains("://") { text.parse()? } else { format!("https://{text}").parse()? };
    if url.path() == "/" && !url.as_str().contains('?') { url.join(AgentSkills::WELL_KNOWN) } else { Ok(url) }
}

#[cfg(test)]
mod tests {
    use super::parse_address;

    #[test]
    fn origins_hosts_and_indexes() {
        for (typed, meant) in [
            ("example.com", "https://example.com/.well-known/agent-skills/index.json"),
            ("example.com:8443/", "https://example.com:8443/.well-known/agent-skills/index.json"),
            ("https://example.com#x", "https://example.com/.well-known/agent-skills/index.json"),
            ("http://127.0.0.1:8000", "http://127.0.0.1:8000/.well-known/agent-skills/index.json"),
            (
                "example.com/docs/.well-known/agent-skills/index.json",
                "https://example.com/docs/.well-known/agent-skills/index.json",
            ),
            ("https://example.com/?site=1", "https://example.com/?site=1"),
        ] {
            assert_eq!(parse_address(typed).unwrap().as_str(), meant, "{typed}");
        }
        for (typed, code) in [
            ("", "url-invalid"),
            ("ftp://example.com", "url-scheme"),
            ("file:///etc/passwd", "url-scheme"),
            ("me@example.com", "url-userinfo"),
            ("../x", "url-invalid"),
            ("./x.zip", "url-invalid"),
            ("a..b", "url-invalid"),
            ("example.com./x", ""),
            ("exa mple.com", "url-invalid"),
        ] {
            let found = parse_address(typed).map_or_else(|error| error.code().as_str(), |_| "");
            assert_eq!(found, code, "{typed}");
        }
    }
}
