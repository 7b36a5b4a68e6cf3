//! An index of shared skills, from JSON: every field checked, every fault with its path.

use super::{Access, CapabilityType, Protocol, Provider, SharedSkill, SkillSharing, check_ids, form_of_id};
use crate::error::{Code, Error, Result};
use crate::escape::{Untrusted, escape};
use crate::fetch::Url;
use crate::json::{self, Object, Value};

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
    check_ids(
        skills
            .iter()
            .enumerate()
            .map(|(position, entry)| id_of(position, entry))
            .collect::<Vec<_>>()
            .iter()
            .map(String::as_str),
    )?;
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

/// The id of any entry, well-formed or not; one that has none counts as unique.
fn id_of(position: usize, entry: &Value) -> String {
    match entry {
        Value::Object(entry) => match entry.get("id") {
            Ok(Some(Value::String(id))) => id.clone(),
            _ => format!("\0{position}"),
        },
        _ => format!("\0{position}"),
    }
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
    let major = version.split('.').next().unwrap_or_default();
    if major != "1" {
        let detail = format!("$.protocol.version: version `{}` is not known, only 1.x is", escape(version.as_bytes()));
        return Err(Error::with(Code::IndexSchemaUnknown, detail));
    }
    Ok(Protocol { version: Untrusted::new(version) })
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
    Error::with(Code::IndexEntryInvalid, format!("{path}: {why}"))
}

/// What would make the index invalid makes only the entry so.
fn of_entry(error: &Error) -> Error {
    Error::with(Code::IndexEntryInvalid, error.detail())
}
