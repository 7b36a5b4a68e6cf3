//! The YAML block at the top of SKILL.md, parsed within a tight budget.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_saphyr::{DuplicateKeyPolicy, MergeKeyPolicy};

use crate::error::{Code, Error, Result};
use crate::escape::escape;

/// Largest block in bytes.
const MOST_BYTES: usize = 64 * 1024;
/// Most YAML nodes, and levels of nesting. Real ones have a dozen, and two.
const MOST_NODES: usize = 2000;
const MOST_DEPTH: usize = 8;

/// Keys that the Agent Skills specification knows.
const KNOWN: [&str; 6] = ["name", "description", "license", "compatibility", "metadata", "allowed-tools"];

/// What was found in the block.
#[derive(Debug, Default)]
pub(super) struct Frontmatter {
    pub(super) name: Scalar,
    pub(super) description: Scalar,
    pub(super) unknown_keys: Vec<String>,
    pub(super) web: Web,
    pub(super) has_allowed_tools: bool,
}

/// The keys of Web Skills; unknown to the Agent Skills specification.
#[derive(Debug, Default)]
pub(super) struct Web {
    /// In the order of [`WEB`].
    pub(super) texts: [Scalar; WEB.len()],
    pub(super) rate_limit: RateLimit,
}

/// `rate_limit` of Web Skills.
#[derive(Debug, Default)]
pub(super) struct RateLimit {
    pub(super) agent: Scalar,
    pub(super) api: Scalar,
}

/// Keys that Web Skills gives a text.
pub(super) const WEB: [&str; 6] = ["version", "auth", "base_url", "author", "api_version", "contact"];

/// The value of a key that must be a string.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) enum Scalar {
    #[default]
    Missing,
    Other,
    Text(String),
}

/// A SKILL.md taken apart: the YAML block, the line it begins on, and the rest.
pub(super) struct Parts<'t> {
    pub(super) block: &'t str,
    pub(super) body: &'t str,
}

/// Splits at line-anchored `---` lines. `text` has no byte order mark any more.
pub(super) fn split(text: &str) -> Result<Parts<'_>> {
    let invalid = |why: &str| Error::with(Code::SkillMdInvalid, why);
    let (first, rest) = cut_line(text);
    if !is_marker(first) {
        return Err(invalid("SKILL.md does not begin with a line `---`"));
    }
    let mut at = 0;
    while let Some(remaining) = rest.get(at..).filter(|remaining| !remaining.is_empty()) {
        let (line, after) = cut_line(remaining);
        if is_marker(line) {
            return Ok(Parts { block: rest.get(..at).unwrap_or_default(), body: after });
        }
        at = rest.len().saturating_sub(after.len());
    }
    Err(invalid("the frontmatter of SKILL.md is not closed by a line `---`"))
}

fn cut_line(text: &str) -> (&str, &str) {
    text.split_once('\n').unwrap_or((text, ""))
}

fn is_marker(line: &str) -> bool {
    line.trim_end_matches([' ', '\t', '\r']) == "---"
}

/// Parses the block: a mapping without aliases, anchors, merges and repeated keys.
pub(super) fn parse(block: &str) -> Result<Frontmatter> {
    if block.len() > MOST_BYTES {
        let detail = format!("the frontmatter of SKILL.md is larger than {MOST_BYTES} bytes");
        return Err(Error::with(Code::SkillMdInvalid, detail));
    }
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_aliases: 0,
            max_anchors: 0,
            max_documents: 1,
            max_nodes: MOST_NODES,
            max_events: MOST_NODES * 2,
            max_depth: MOST_DEPTH,
            flow_nesting_limit: MOST_DEPTH,
            max_total_scalar_bytes: MOST_BYTES,
        },
        duplicate_keys: DuplicateKeyPolicy::Error,
        merge_keys: MergeKeyPolicy::Error,
    };
    serde_saphyr::from_str_with_options(block, options).map_err(|error| explain(&error, block))
}

/// Says where the YAML is wrong, quotes the line, and names the classic mistake.
fn explain(error: &serde_saphyr::Error, block: &str) -> Error {
    let error = error.without_snippet();
    let message = error.to_string();
    let message = message.lines().next().unwrap_or_default();
    // The parser counts from the block's first line; the place is given below as the file has it.
    let message = message.rsplit_once(" at line ").map_or(message, |(message, _)| message);
    let message = escape(message.as_bytes()).to_string();
    let Some(location) = error.location() else {
        return Error::with(Code::SkillMdInvalid, format!("the frontmatter of SKILL.md is not valid: {message}"));
    };
    // The block begins on the second line of the file.
    let (line, column) = (location.line(), location.column());
    let quoted = line
        .checked_sub(1)
        .and_then(|index| usize::try_from(index).ok())
        .and_then(|index| block.lines().nth(index))
        .unwrap_or_default();
    let detail = format!(
        "the frontmatter of SKILL.md is not valid at line {}, column {column}: {message}: `{}`",
        line.saturating_add(1),
        escape(quoted.as_bytes())
    );
    let error = Error::with(Code::SkillMdInvalid, detail);
    if has_unquoted_colon(quoted) {
        return error.hint("publisher: the value contains `: ` without quotes, which YAML reads as a second key; put the value in double quotes");
    }
    error
}

/// `key: text: more`, the most common mistake in descriptions.
fn has_unquoted_colon(line: &str) -> bool {
    let Some((_, value)) = line.split_once(": ") else { return false };
    let value = value.trim_start();
    !value.starts_with(['"', '\'', '|', '>', '[', '{']) && value.contains(": ")
}

impl<'de> Deserialize<'de> for Frontmatter {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Mapping)
    }
}

struct Mapping;

impl<'de> Visitor<'de> for Mapping {
    type Value = Frontmatter;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a mapping with the keys name and description")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Frontmatter, A::Error> {
        let mut found = Frontmatter::default();
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "name" => found.name = map.next_value()?,
                "description" => found.description = map.next_value()?,
                "rate_limit" => {
                    found.web.rate_limit = map.next_value()?;
                    found.unknown_keys.push(key);
                }
                known => {
                    let web = WEB.iter().position(|web| *web == known).and_then(|at| found.web.texts.get_mut(at));
                    match web {
                        Some(text) => *text = map.next_value()?,
                        None => drop(map.next_value::<IgnoredAny>()?),
                    }
                    found.has_allowed_tools |= known == "allowed-tools";
                    if !KNOWN.contains(&known) {
                        found.unknown_keys.push(key);
                    }
                }
            }
        }
        Ok(found)
    }
}

impl<'de> Deserialize<'de> for RateLimit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Limits)
    }
}

/// An object of two texts; anything else is passed over.
struct Limits;

impl<'de> Visitor<'de> for Limits {
    type Value = RateLimit;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a mapping with the keys agent and api")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<RateLimit, A::Error> {
        let mut found = RateLimit::default();
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "agent" => found.agent = map.next_value()?,
                "api" => found.api = map.next_value()?,
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(found)
    }

    fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut seq: A) -> Result<RateLimit, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(RateLimit::default())
    }

    fn visit_str<E>(self, _: &str) -> Result<RateLimit, E> {
        Ok(RateLimit::default())
    }

    fn visit_bool<E>(self, _: bool) -> Result<RateLimit, E> {
        Ok(RateLimit::default())
    }

    fn visit_i64<E>(self, _: i64) -> Result<RateLimit, E> {
        Ok(RateLimit::default())
    }

    fn visit_u64<E>(self, _: u64) -> Result<RateLimit, E> {
        Ok(RateLimit::default())
    }

    fn visit_i128<E>(self, _: i128) -> Result<RateLimit, E> {
        Ok(RateLimit::default())
    }

    fn visit_u128<E>(self, _: u128) -> Result<RateLimit, E> {
        Ok(RateLimit::default())
    }

    fn visit_f64<E>(self, _: f64) -> Result<RateLimit, E> {
        Ok(RateLimit::default())
    }

    fn visit_unit<E>(self) -> Result<RateLimit, E> {
        Ok(RateLimit::default())
    }

    fn visit_none<E>(self) -> Result<RateLimit, E> {
        Ok(RateLimit::default())
    }

    fn visit_bytes<E>(self, _: &[u8]) -> Result<RateLimit, E> {
        Ok(RateLimit::default())
    }
}

impl<'de> Deserialize<'de> for Scalar {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyValue)
    }
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Scalar;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<E>(self, text: &str) -> Result<Scalar, E> {
        Ok(Scalar::Text(text.to_owned()))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Scalar, E> {
        Ok(Scalar::Other)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Scalar, E> {
        Ok(Scalar::Other)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Scalar, E> {
        Ok(Scalar::Other)
    }

    fn visit_i128<E>(self, _: i128) -> Result<Scalar, E> {
        Ok(Scalar::Other)
    }

    fn visit_u128<E>(self, _: u128) -> Result<Scalar, E> {
        Ok(Scalar::Other)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Scalar, E> {
        Ok(Scalar::Other)
    }

    fn visit_unit<E>(self) -> Result<Scalar, E> {
        Ok(Scalar::Other)
    }

    fn visit_none<E>(self) -> Result<Scalar, E> {
        Ok(Scalar::Other)
    }

    fn visit_bytes<E>(self, _: &[u8]) -> Result<Scalar, E> {
        Ok(Scalar::Other)
    }

    fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut seq: A) -> Result<Scalar, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Scalar::Other)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Scalar, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Scalar::Other)
    }
}
