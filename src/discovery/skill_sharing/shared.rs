//! One entry of an index of shared skills.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

use super::raw;
use crate::error::Error;
use crate::escape::{Untrusted, escape};
use crate::fetch::Url;

/// A skill that somebody shares: a name, and where the service behind it is described.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SharedSkill {
    /// Unique in its index.
    #[serde(serialize_with = "raw")]
    pub id: Untrusted,
    /// Its name.
    #[serde(serialize_with = "raw")]
    pub name: Untrusted,
    /// What kind of thing it is.
    pub capability_type: CapabilityType,
    /// What it does.
    #[serde(serialize_with = "raw")]
    pub description: Untrusted,
    /// Where it is described: a whole address.
    #[serde(serialize_with = "address")]
    pub descriptor_url: Url,
    /// Who may see and use it.
    pub access: Access,
    /// Its version.
    #[serde(serialize_with = "raw")]
    pub version: Untrusted,
}

/// What kind of thing a shared skill is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum CapabilityType {
    /// A service that is called.
    Api,
    /// Something to read.
    Knowledge,
    /// An extension of a client.
    Plugin,
    /// A piece of work that is done elsewhere.
    Task,
}

/// Who may see and use a shared skill (section 5.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Access {
    /// Seen and used by those who are authenticated.
    Private,
    /// Seen and used by everybody.
    Public,
    /// Seen by everybody, used by those who are authenticated.
    Restricted,
}

impl SharedSkill {
    /// An entry for an index of one's own.
    #[must_use]
    pub fn new(id: &str, name: &str, capability_type: CapabilityType, descriptor_url: Url, access: Access) -> Self {
        Self {
            id: Untrusted::new(id),
            name: Untrusted::new(name),
            capability_type,
            description: Untrusted::new(name),
            descriptor_url,
            access,
            version: Untrusted::new("1.0.0"),
        }
    }

    /// The same with this description.
    #[must_use]
    pub fn describe(mut self, description: &str) -> Self {
        self.description = Untrusted::new(description);
        self
    }

    /// The same with this version.
    #[must_use]
    pub fn version(mut self, version: &str) -> Self {
        self.version = Untrusted::new(version);
        self
    }

    /// Whether its id is `{reverse_domain}.{skill_name}-v{major_version}` (section 5.7, a recommendation).
    #[must_use]
    pub fn has_recommended_id(&self) -> bool {
        let Some((path, major)) = self.id.as_raw().rsplit_once("-v") else { return false };
        let is_number = !major.is_empty() && major.bytes().all(|byte| byte.is_ascii_digit());
        let label = |label: &str| {
            !label.is_empty()
                && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
                && !label.starts_with('-')
                && !label.ends_with('-')
        };
        // A domain has two labels at least, and the skill one.
        is_number && path.split('.').count() >= 3 && path.split('.').all(label)
    }

    pub(super) fn empty_field(&self) -> Option<&'static str> {
        [("id", &self.id), ("name", &self.name), ("description", &self.description), ("version", &self.version)]
            .into_iter()
            .find(|(_, text)| text.as_raw().trim().is_empty())
            .map(|(field, _)| field)
    }
}

impl CapabilityType {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Api, Self::Knowledge, Self::Plugin, Self::Task];

    /// The name in an index and in `?type=`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Api => "api",
            Self::Knowledge => "knowledge",
            Self::Plugin => "plugin",
            Self::Task => "task",
        }
    }
}

impl Access {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Private, Self::Public, Self::Restricted];

    /// The name in an index.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Private => "private",
            Self::Public => "public",
            Self::Restricted => "restricted",
        }
    }
}

impl fmt::Display for CapabilityType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for CapabilityType {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        Self::ALL.into_iter().find(|known| known.as_str() == text).ok_or_else(|| {
            Error::usage(format_args!("`{}` is none of api, knowledge, plugin, task", escape(text.as_bytes())))
        })
    }
}

fn address<S: serde::Serializer>(url: &Url, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(url.as_str())
}
