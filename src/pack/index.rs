//! The entry for an index (Agent Skills Discovery RFC 0.2.0, "Discovery Index"): made from what was packed.

use serde::Serialize;

use super::Packed;
use crate::container::Format;
use crate::error::{Code, Error, Result};
use crate::escape::Untrusted;
use crate::layout::is_valid_name;

/// The value of `$schema` in an index of RFC 0.2.0: an identifier that is never fetched.
pub(super) const SCHEMA: &str = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";
/// Most characters of a description in an index.
const MOST_DESCRIPTION: usize = 1024;

/// One skill in an index. Its members stand in the order of the specification.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct IndexEntry {
    /// 1 to 64 of a-z, 0-9 and single inner hyphens.
    pub name: String,
    /// `archive`, or `skill-md` for a plain SKILL.md.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// At most 1024 characters, as SKILL.md has it.
    pub description: String,
    /// Relative to the index, or absolute.
    pub url: String,
    /// `sha256:` and 64 lower-case hex digits, of the bytes at `url`.
    pub digest: String,
}

pub(super) fn archive_entry(packed: &Packed, url: &str) -> Result<IndexEntry> {
    check_url(url, packed.format)?;
    entry(packed, "archive", url.to_owned(), packed.digest().to_string())
}

pub(super) fn entry(packed: &Packed, kind: &'static str, url: String, digest: String) -> Result<IndexEntry> {
    valid_name(&packed.name)?;
    let description = packed.description.as_raw();
    let length = description.chars().count();
    if length > MOST_DESCRIPTION {
        return Err(Error::with(
            Code::SkillDescriptionLong,
            format!("the description has {length} characters, an index carries {MOST_DESCRIPTION}"),
        ));
    }
    let (name, description) = (packed.name.as_raw().to_owned(), description.to_owned());
    Ok(IndexEntry { name, kind, description, url, digest })
}

pub(super) fn valid_name(name: &Untrusted) -> Result<()> {
    if is_valid_name(name.as_raw()) {
        return Ok(());
    }
    let detail =
        format!("the name `{name}` is not 1-64 of a-z, 0-9 and single inner hyphens, so no file or index can bear it");
    Err(Error::with(Code::SkillNameForm, detail))
}

/// A relative reference or an https URL (RFC 3986), whose extension declares no other format than the archive has.
fn check_url(url: &str, format: Format) -> Result<()> {
    let wrong = |why: &str| Err(Error::usage(format_args!("the URL `{url}` {why}")));
    let allowed = |byte: u8| byte.is_ascii_graphic() && !b"<>\"{}|\\^`".contains(&byte);
    if url.is_empty() || !url.bytes().all(allowed) {
        return wrong("is empty, or has characters that a URL cannot have: write them as %XX");
    }
    let path = url.split(['?', '#']).next().unwrap_or_default();
    let scheme = path.split_once(':').map(|(scheme, _)| scheme).filter(|scheme| !scheme.contains('/'));
    match scheme {
        None => {}
        Some(scheme) if scheme.eq_ignore_ascii_case("https") && url.get(5..8) == Some("://") && url.len() > 8 => {}
        Some(_) => return wrong("is neither relative nor https: clients do not fetch it"),
    }
    match Format::from_file_name(path) {
        Some(other) if other != format => wrong(&format!("ends like a {other} archive, and this one is {format}")),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_relative_or_https() {
        for url in ["pdf.tar.gz", "a/pdf.tar.gz?v=1", "/x/pdf", "https://example.com/pdf.tgz", "HTTPS://e/", "//cdn/x"]
        {
            assert!(check_url(url, Format::TarGz).is_ok(), "{url}");
        }
        for url in
            ["", "a b", "http://e/x", "file:/x", "data:,x", "https:x", "https://", "javascript:x", "x.zip", "g\u{fc}"]
        {
            assert_eq!(check_url(url, Format::TarGz).unwrap_err().code(), Code::Usage, "{url}");
        }
        assert!(check_url("x.skill", Format::Zip).is_ok());
    }
}
