//! Addresses and headers of remote servers (Agent Plugins 1.0.0, section 7.2.1).

use std::collections::HashSet;

use url::{Host, Url};

/// An absolute `https` URL without user and fragment, or `http` to this machine.
pub(super) fn check_url(text: &str) -> Result<(), &'static str> {
    // The parser would repair what follows: other clients do not, or repair it differently.
    if text.contains(|c: char| c.is_control() || c.is_whitespace() || c == '\\') {
        return Err("holds a space, a control character or a backslash");
    }
    let (scheme, rest) = text.split_once("://").ok_or("is not an absolute http or https URL")?;
    let secure = scheme.eq_ignore_ascii_case("https");
    if !secure && !scheme.eq_ignore_ascii_case("http") {
        return Err("is not an absolute http or https URL");
    }
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if authority.contains('@') {
        return Err("holds user information");
    }
    if text.contains('#') {
        return Err("holds a fragment");
    }
    let url = Url::parse(text).map_err(|_| "is no URL that can be read")?;
    let host = url.host().filter(|_| !authority.is_empty()).ok_or("names no host")?;
    if secure || is_loopback(&host) { Ok(()) } else { Err("is neither https nor an address of this machine") }
}

fn is_loopback(host: &Host<&str>) -> bool {
    match host {
        Host::Domain(name) => *name == "localhost",
        Host::Ipv4(address) => address.is_loopback(),
        Host::Ipv6(address) => address.to_canonical().is_loopback(),
    }
}

/// Names are tokens and unique whatever their case (RFC 9110, sections 5.1 and 5.6.2); values hold no line break.
pub(super) fn check_headers(headers: &[(String, String)]) -> Result<(), (&str, &'static str)> {
    let mut seen = HashSet::new();
    for (name, value) in headers {
        let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
        if name.is_empty() || !name.bytes().all(is_token) {
            return Err((name, "whose name is no HTTP field name"));
        }
        if value.bytes().any(|byte| byte < b' ' && byte != b'\t' || byte == 0x7f) {
            return Err((name, "whose value holds a control character"));
        }
        if !seen.insert(name.to_ascii_lowercase()) {
            return Err((name, "which is there twice but for its case"));
        }
    }
    Ok(())
}
