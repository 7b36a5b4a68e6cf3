//! Skill sharing 1.0.0, chapter 5: an index of services at a well-known address, at a registry, or none at all.
//!
//! What a skill is here is not a directory: a descriptor names a remote service. There is nothing to install.

mod read;
mod shared;

use serde::Serialize;

pub use self::shared::{Access, CapabilityType, SharedSkill};
use crate::error::{Code, Error, Result};
use crate::escape::{Untrusted, escape};
use crate::fetch::Url;
use crate::json::{self, Value};
use crate::report::Finding;

/// An index of shared skills, for those who read one and those who provide one.
///
/// ```
/// use skillx_archive::discovery::{CapabilityType, SkillSharing};
/// let index = SkillSharing::parse(br#"{
///   "protocol": { "version": "1.0.0" }, "provider": { "name": "Example" },
///   "skills": [{ "id": "com.example.translate-v1", "name": "Translate", "capability_type": "api",
///     "description": "Translates.", "descriptor_url": "https://example.com/translate.json",
///     "access": "private", "version": "2.1.0" }]
/// }"#)?;
/// assert_eq!(index.visible_to(false).skills().len(), 0);
/// assert_eq!(index.visible_to(true).filter(CapabilityType::Api).skills().len(), 1);
/// # Ok::<(), skillx_archive::Error>(())
/// ```
#[derive(Debug, Clone, Serialize)]
pub struct SkillSharing {
    protocol: Protocol,
    provider: Provider,
    skills: Vec<SharedSkill>,
    #[serde(skip)]
    refused: Vec<Error>,
    #[serde(skip)]
    findings: Vec<Finding>,
}

/// The version of the protocol.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Protocol {
    /// Semantic Versioning; 1.x is known.
    #[serde(serialize_with = "raw")]
    pub version: Untrusted,
}

/// Who provides the skills.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Provider {
    /// Their name.
    #[serde(serialize_with = "raw")]
    pub name: Untrusted,
    /// Their site, as it stands in the index.
    #[serde(serialize_with = "raw_option", skip_serializing_if = "Option::is_none")]
    pub url: Option<Untrusted>,
}

/// The description of one service: a JSON object whose members are the service's own business.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Descriptor {
    id: Option<Untrusted>,
    name: Option<Untrusted>,
    capability_type: Option<CapabilityType>,
    text: String,
}

impl SkillSharing {
    /// Where the index is, below an origin (RFC 8615).
    pub const WELL_KNOWN: &str = "/.well-known/skill-sharing";

    /// Largest index, in bytes: 1 MiB.
    pub const MOST_BYTES: u64 = 1 << 20;

    /// Largest descriptor, in bytes: 1 MiB.
    pub const MOST_DESCRIPTOR: u64 = 1 << 20;

    /// Most entries.
    pub const MOST_ENTRIES: usize = 1000;

    /// Reads an index. Unknown members are ignored; an entry that is not well-formed is refused alone.
    ///
    /// # Errors
    /// - `index-invalid`, with line and column or the JSON path: not JSON, a field is missing or of the wrong type;
    /// - `index-schema-unknown`: another major version of the protocol;
    /// - `index-duplicate-id`: two skills have one id (section 5.7);
    /// - `html-page`: a web page in its place.
    pub fn parse(bytes: &[u8]) -> Result<Self> {
        read::index(bytes).map_err(Self::advise)
    }

    /// The same error with advice that fits this protocol.
    pub(crate) fn advise(error: Error) -> Error {
        match error.code() {
            Code::IndexInvalid => error.hint(
                "publisher: serve {\"protocol\": {\"version\": \"1.0.0\"}, \"provider\": {\"name\": \"...\"}, \"skills\": [...]}; at most 1 MiB, 1000 entries, no key twice",
            ),
            Code::IndexSchemaUnknown => {
                error.hint("publisher: version 1.0.0 is \"protocol\": {\"version\": \"1.0.0\"}; 1.x is read, nothing else")
            }
            _ => error,
        }
    }

    /// An index of one's own.
    ///
    /// # Errors
    /// As [`validate`](Self::validate).
    pub fn new(provider: &str, url: Option<&Url>, skills: Vec<SharedSkill>) -> Result<Self> {
        let index = Self {
            protocol: Protocol { version: Untrusted::new("1.0.0") },
            provider: Provider { name: Untrusted::new(provider), url: url.map(|url| Untrusted::new(url.as_str())) },
            findings: skills.iter().filter_map(form_of_id).collect(),
            skills,
            refused: Vec::new(),
        };
        index.validate()?;
        Ok(index)
    }

    /// Whether the fields are filled and the ids unique (sections 5.2 and 5.7).
    ///
    /// # Errors
    /// `index-invalid` with the JSON path of an empty field; `index-duplicate-id`.
    pub fn validate(&self) -> Result<()> {
        let empty = |path: &str| Error::with(Code::IndexInvalid, format!("$.{path}: it is empty"));
        if self.provider.name.as_raw().is_empty() {
            return Err(empty("provider.name"));
        }
        for (position, skill) in self.skills.iter().enumerate() {
            if let Some(field) = skill.empty_field() {
                return Err(empty(&format!("skills[{position}].{field}")));
            }
        }
        check_ids(self.skills.iter().map(|skill| Some(skill.id.as_raw())))
    }

    /// What a request may see (section 5.5): everything if it is authenticated, else no private skill.
    #[must_use]
    pub fn visible_to(&self, authenticated: bool) -> Self {
        self.select(|skill| authenticated || skill.access != Access::Private)
    }

    /// All skills of this type and no others (section 5.6). Who may see them is not changed by it.
    #[must_use]
    pub fn filter(&self, capability_type: CapabilityType) -> Self {
        self.select(|skill| skill.capability_type == capability_type)
    }

    fn select(&self, keep: impl Fn(&SharedSkill) -> bool) -> Self {
        Self { skills: self.skills.iter().filter(|skill| keep(skill)).cloned().collect(), ..self.clone() }
    }

    /// The type that an address asks for with `?type=`, if it is a known one.
    #[must_use]
    pub fn asked_type(address: &Url) -> Option<CapabilityType> {
        let (_, query) = address.as_str().split_once('?')?;
        query.split('&').find_map(|pair| pair.strip_prefix("type="))?.parse().ok()
    }

    /// The address of the index of an origin, filtered if a type is given.
    ///
    /// # Errors
    /// `url-invalid`.
    pub fn well_known(origin: &Url, capability_type: Option<CapabilityType>) -> Result<Url> {
        origin.origin().join(&with_type(Self::WELL_KNOWN, capability_type))
    }

    /// The address of a registry's query (section 5.4): `{registry}/skills`, filtered if a type is given.
    ///
    /// # Errors
    /// `url-invalid`.
    pub fn registry(registry: &Url, capability_type: Option<CapabilityType>) -> Result<Url> {
        let path = registry.path().trim_end_matches('/');
        registry.join(&with_type(&format!("{path}/skills"), capability_type))
    }

    /// The version of the protocol.
    #[must_use]
    pub fn protocol(&self) -> &Protocol {
        &self.protocol
    }

    /// Who provides the skills.
    #[must_use]
    pub fn provider(&self) -> &Provider {
        &self.provider
    }

    /// The skills that are well-formed, in the order in which they stand.
    #[must_use]
    pub fn skills(&self) -> &[SharedSkill] {
        &self.skills
    }

    /// Why the others were refused, each with its JSON path.
    #[must_use]
    pub fn refused(&self) -> &[Error] {
        &self.refused
    }

    /// Worth saying about the index.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }
}

impl Descriptor {
    /// Reads the descriptor of one service: any JSON object.
    ///
    /// # Errors
    /// `index-invalid`, with line and column; `html-page`.
    pub fn parse(bytes: &[u8]) -> Result<Self> {
        let advise = |error: Error| {
            if error.code() == Code::IndexInvalid { error.hint(OF_DESCRIPTOR) } else { error }
        };
        Self::read(bytes).map_err(advise)
    }

    fn read(bytes: &[u8]) -> Result<Self> {
        let object = match read::document(bytes, "the descriptor")? {
            Value::Object(object) => object,
            other => {
                return Err(Error::with(
                    Code::IndexInvalid,
                    format!("the descriptor is {}, not an object", other.kind()),
                ));
            }
        };
        let text = |field: &str| match object.get(field) {
            Ok(Some(Value::String(text))) => Ok(Some(Untrusted::new(text))),
            Ok(_) => Ok(None),
            Err(json::Repeated) => {
                Err(Error::with(Code::IndexInvalid, format!("the descriptor: $.{field} is there twice")))
            }
        };
        let (id, name) = (text("id")?, text("name")?);
        let capability_type = text("capability_type")?.and_then(|text| text.as_raw().parse().ok());
        Ok(Self { id, name, capability_type, text: String::from_utf8_lossy(bytes).into_owned() })
    }

    /// The description of a service that lies at an address of its own, where an index could lie as well. `None` for a
    /// document that has no id, or members of an index.
    pub(crate) fn at_its_own_address(bytes: &[u8]) -> Option<Self> {
        if read::is_index(bytes) {
            return None;
        }
        Self::parse(bytes).ok().filter(|descriptor| descriptor.id.is_some())
    }

    /// Its id, if it has one.
    #[must_use]
    pub fn id(&self) -> Option<&Untrusted> {
        self.id.as_ref()
    }

    /// Its name, if it has one.
    #[must_use]
    pub fn name(&self) -> Option<&Untrusted> {
        self.name.as_ref()
    }

    /// What kind of thing it is, if it says so.
    #[must_use]
    pub fn capability_type(&self) -> Option<CapabilityType> {
        self.capability_type
    }

    /// The document as it came: a stranger's text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }
}

const OF_DESCRIPTOR: &str =
    "publisher: a descriptor is one JSON object, with the id that the index gives; at most 1 MiB";

fn with_type(path: &str, capability_type: Option<CapabilityType>) -> String {
    match capability_type {
        Some(capability_type) => format!("{path}?type={}", capability_type.as_str()),
        None => path.to_owned(),
    }
}

/// Section 5.7. What has no id is like nothing else.
fn check_ids<'i>(ids: impl Iterator<Item = Option<&'i str>>) -> Result<()> {
    let mut seen = std::collections::HashMap::new();
    for (position, id) in ids.enumerate() {
        let Some(id) = id else { continue };
        if let Some(first) = seen.insert(id, position) {
            let shown = escape(id.as_bytes());
            let detail = format!("$.skills[{position}].id: `{shown}` is the id of $.skills[{first}] too");
            return Err(Error::with(Code::IndexDuplicateId, detail));
        }
    }
    Ok(())
}

/// The form that is recommended: `{reverse_domain}.{skill_name}-v{major_version}`.
fn form_of_id(skill: &SharedSkill) -> Option<Finding> {
    if skill.has_recommended_id() {
        return None;
    }
    let text = format!("the id `{}` has not the form reverse.domain.name-v1", skill.id);
    Some(Finding::new(Code::IndexIdForm, None, text))
}

fn raw<S: serde::Serializer>(text: &Untrusted, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(text.as_raw())
}

#[allow(clippy::ref_option, reason = "serde's signature")]
fn raw_option<S: serde::Serializer>(text: &Option<Untrusted>, serializer: S) -> Result<S::Ok, S::Error> {
    text.as_ref().map(Untrusted::as_raw).serialize(serializer)
}
