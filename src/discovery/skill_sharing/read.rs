//! An index of shared skills, from JSON: every field checked, every fault with its path.

use super::{Access, CapabilityType, Protocol, Provider, SharedSkill, SkillSharing, check_ids, form_of_id};
use crate::error::{Code, Error, Result};
use crate::escape::{Untrusted, escape};
use crate::fetch::Url;
use crate::json::{self, Object, Value};

const OF_ENTRY: &str = "publisher: an entry needs id, name, capability_type, description, descriptor_url, access and version; the other entries are not touched by it";

pub(super) fn index(bytes: &[u8]) -> Result<SkillSharing> {
    let value = document(bytes, "the index")?;
    let Value::Object(root) = &value else {
        return Err(invalid("$", format_args!("it is {}, not an object", value.kind())));
    };
    let protocol = protocol(root)?;
    let provider = provider(root)?;
    let skills = match get(root, "$", "skills")? {
        None => return Err(invalid("$.skills", "it is missing")),
        Some(Value::Array(skills)) => skills,
        Some(other) => return Err(invalid("$.skills", format_args!("it is {}, not an array", other.kind()))),
    };
    if skills.len() > SkillSharing::MOST_ENTRIES {
        let most = SkillSharing::MOST_ENTRIES;
        return Err(invalid("$.skills", format_args!("it has {} entries, the limit is {most}", skills.len())));
    }
    check_ids(skills.iter().map(id_of))?;
    let mut index = SkillSharing { protocol, provider, skills: Vec::new(), refused: Vec::new(), findings: Vec::new() };
    for (position, entry) in skills.iter().enumerate() {
        match skill(&format!("$.skills[{position}]"), entry) {
            Ok(skill) => {
                index.findings.extend(form_of_id(&skill));
                index.skills.push(skill);
            }
            Err(error) => index.refused.push(error),
        }
    }
    Ok(index)
}

/// The id of any entry, well-formed or not.
fn id_of(entry: &Value) -> Option<&str> {
    let Value::Object(entry) = entry else { return None };
    match entry.get("id") {
        Ok(Some(Value::String(id))) => Some(id),
        _ => None,
    }
}

/// Whether a document has what an index has and a descriptor has not.
pub(super) fn is_index(bytes: &[u8]) -> bool {
    let Ok(Value::Object(root)) = json::parse(bytes) else { return false };
    ["skills", "protocol"].iter().any(|member| !matches!(root.get(member), Ok(None)))
}

pub(super) fn document(bytes: &[u8], what: &str) -> Result<Value> {
    if bytes.len() as u64 > SkillSharing::MOST_BYTES {
        let most = SkillSharing::MOST_BYTES;
        return Err(Error::with(Code::IndexInvalid, format!("{what} is larger than {most} bytes")));
    }
    if bytes.trim_ascii_start().starts_with(b"<") {
        return Err(Error::with(Code::HtmlPage, format!("this is a web page in place of {what}")));
    }
    json::parse(bytes).map_err(|fault| Error::with(Code::IndexInvalid, format!("{what} is not valid JSON: {fault}")))
}

fn protocol(root: &Object) -> Result<Protocol> {
    let version = text(object(root, "$", "protocol")?, "$.protocol", "version")?;
    let shown = escape(version.as_bytes());
    let unknown =
        |why: &str| Err(Error::with(Code::IndexSchemaUnknown, format!("$.protocol.version: version `{shown}` {why}")));
    if !is_version(version) {
        return unknown("is not known: it has not the form MAJOR.MINOR.PATCH");
    }
    if version.split(['.', '-', '+']).next() != Some("1") {
        return unknown("is not known, only 1.x is");
    }
    Ok(Protocol { version: Untrusted::new(version) })
}

/// `1`, `1.0` or `1.0.0`, as Semantic Versioning writes numbers, and what it allows behind them.
fn is_version(text: &str) -> bool {
    let (numbers, suffix) = text.find(['-', '+']).map_or((text, None), |at| {
        let (numbers, suffix) = text.split_at(at);
        (numbers, Some(suffix))
    });
    let number = |part: &str| {
        !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()) && (part == "0" || !part.starts_with('0'))
    };
    let parts: Vec<_> = numbers.split('.').collect();
    let identifier = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    parts.len() <= 3
        && parts.iter().all(|part| number(part))
        && suffix.is_none_or(|suffix| {
            let (before, build) =
                suffix.split_once('+').map_or((suffix, None), |(before, build)| (before, Some(build)));
            let release = before.strip_prefix('-');
            parts.len() == 3
                && (before.is_empty() || release.is_some_and(|release| release.split('.').all(identifier)))
                && build.is_none_or(|build| build.split('.').all(identifier))
        })
}

fn provider(root: &Object) -> Result<Provider> {
    let provider = object(root, "$", "provider")?;
    let url = match get(provider, "$.provider", "url")? {
        None => None,
        Some(Value::String(url)) => Some(Untrusted::new(url)),
        Some(other) => return Err(invalid("$.provider.url", format_args!("it is {}, not a string", other.kind()))),
    };
    Ok(Provider { name: Untrusted::new(text(provider, "$.provider", "name")?), url })
}

fn skill(path: &str, entry: &Value) -> Result<SharedSkill> {
    let Value::Object(entry) = entry else {
        return Err(wrong(path, format_args!("it is {}, not an object", entry.kind())));
    };
    let text = |field: &str| text(entry, path, field).map_err(|error| of_entry(&error));
    let listed = |field: &str, names: &[&str]| {
        let found = text(field)?;
        let known = names.iter().position(|name| *name == found);
        known.ok_or_else(|| {
            let found = escape(found.as_bytes());
            wrong(&format!("{path}.{field}"), format_args!("`{found}` is none of {}", names.join(", ")))
        })
    };
    let capability_type = listed("capability_type", &CapabilityType::ALL.map(CapabilityType::as_str))?;
    let access = listed("access", &Access::ALL.map(Access::as_str))?;
    let impossible = || wrong(path, "it is of no known kind");
    let descriptor_url = text("descriptor_url")?;
    let descriptor_url: Url = descriptor_url.parse().map_err(|error: Error| {
        Error::with(error.code(), format!("{path}.descriptor_url: {}", error.detail())).hint(error.help())
    })?;
    Ok(SharedSkill {
        id: Untrusted::new(text("id")?),
        name: Untrusted::new(text("name")?),
        capability_type: CapabilityType::ALL.get(capability_type).copied().ok_or_else(impossible)?,
        description: Untrusted::new(text("description")?),
        descriptor_url,
        access: Access::ALL.get(access).copied().ok_or_else(impossible)?,
        version: Untrusted::new(text("version")?),
    })
}

fn get<'o>(object: &'o Object, path: &str, field: &str) -> Result<Option<&'o Value>> {
    object.get(field).map_err(|_| invalid(&format!("{path}.{field}"), "it is there twice"))
}

fn object<'o>(root: &'o Object, path: &str, field: &str) -> Result<&'o Object> {
    let path = format!("{path}.{field}");
    match get(root, "$", field)? {
        None => Err(invalid(&path, "it is missing")),
        Some(Value::Object(found)) => Ok(found),
        Some(other) => Err(invalid(&path, format_args!("it is {}, not an object", other.kind()))),
    }
}

fn text<'o>(object: &'o Object, path: &str, field: &str) -> Result<&'o str> {
    let at = format!("{path}.{field}");
    match get(object, path, field)? {
        None => Err(invalid(&at, "it is missing")),
        Some(Value::String(text)) if text.trim().is_empty() => Err(invalid(&at, "it is empty")),
        Some(Value::String(text)) => Ok(text),
        Some(other) => Err(invalid(&at, format_args!("it is {}, not a string", other.kind()))),
    }
}

fn invalid(path: &str, why: impl std::fmt::Display) -> Error {
    Error::with(Code::IndexInvalid, format!("{path}: {why}"))
}

fn wrong(path: &str, why: impl std::fmt::Display) -> Error {
    Error::with(Code::IndexEntryInvalid, format!("{path}: {why}")).hint(OF_ENTRY)
}

/// What would make the index invalid makes only the entry so.
fn of_entry(error: &Error) -> Error {
    Error::with(Code::IndexEntryInvalid, error.detail()).hint(OF_ENTRY)
}
