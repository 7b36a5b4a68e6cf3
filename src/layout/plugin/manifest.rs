//! plugin.json (Agent Plugins 1.0.0, section 5): a closed schema with exactly two deviations that are not fatal.

use crate::error::{Code, Error, Result};
use crate::escape::{Untrusted, escape};
use crate::json::{self, Object, Value};
use crate::policy::is_device_name;
use crate::report::Finding;

/// The version this crate knows, and the identifiers that name it. They are names: nothing is ever fetched from there.
pub(super) const VERSION: &str = "1.0.0";
const SCHEMA: &str = "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json";

/// Longest name, in characters.
const MOST_NAME: usize = 64;

/// Every top-level field there is.
const KNOWN: [&str; 10] = [
    "$schema",
    "name",
    "version",
    "description",
    "author",
    "homepage",
    "repository",
    "license",
    "keywords",
    "extensions",
];

/// What plugin.json says. Nothing but the name has a form: a version need not be one, nor a URL or a licence.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Manifest {
    /// 1 to 64 of `a-z`, `0-9`, `-` and `.`, alphanumeric at both ends, no `--` and no `..`.
    pub name: Untrusted,
    /// Semantic Versioning is recommended, not asked for.
    pub version: Option<Untrusted>,
    /// What the plugin is for.
    pub description: Option<Untrusted>,
    /// Who wrote it.
    pub author: Option<Author>,
    /// Documentation.
    pub homepage: Option<Untrusted>,
    /// Sources.
    pub repository: Option<Untrusted>,
    /// An SPDX identifier is recommended, not asked for.
    pub license: Option<Untrusted>,
    /// Tags.
    pub keywords: Vec<Untrusted>,
    /// The namespaces of other clients' data. What they hold has not been looked at.
    pub extensions: Vec<Untrusted>,
}

/// Who wrote a plugin; each field may be missing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Author {
    /// A name.
    pub name: Option<Untrusted>,
    /// An address; its form is not checked.
    pub email: Option<Untrusted>,
    /// A URL; its form is not checked.
    pub url: Option<Untrusted>,
}

/// How far down plugin.json is looked at: the members of `author`, the kinds of the values in `extensions`.
const MOST_LEVELS: u32 = 3;

/// Parses plugin.json; what is ignored without harm becomes a finding.
pub(super) fn parse(bytes: &[u8], findings: &mut Vec<Finding>) -> Result<Manifest> {
    let value =
        json::parse_levels(bytes, MOST_LEVELS).map_err(|fault| invalid(format_args!("is not valid JSON: {fault}")))?;
    let Value::Object(object) = &value else {
        return Err(invalid(format_args!("holds {}, not an object", value.kind())));
    };
    select_rules(object)?;
    for (field, _) in object.iter().filter(|(field, _)| !KNOWN.contains(field)) {
        let message = format!("plugin.json: the field `{}` is unknown and ignored", escape(field.as_bytes()));
        findings.push(Finding::new(Code::PluginUnknownField, Some("plugin.json"), message));
    }
    let name = required(object, "name")?;
    check_name(name)?;
    let text = |field: &str| optional(object, field, field).map(|text| text.map(Untrusted::new));
    Ok(Manifest {
        name: Untrusted::new(name),
        version: text("version")?,
        description: text("description")?,
        author: author(object)?,
        homepage: text("homepage")?,
        repository: text("repository")?,
        license: text("license")?,
        keywords: keywords(object)?,
        extensions: extensions(object, findings)?,
    })
}

/// The version decides which rules apply, before any of them is looked at.
fn select_rules(object: &Object) -> Result<()> {
    let schema = required(object, "$schema")?;
    if schema == SCHEMA {
        return Ok(());
    }
    Err(Error::with(
        Code::PluginVersionUnsupported,
        format!("plugin.json targets {}, this client knows version {VERSION}", named_version(schema, "plugin")),
    ))
}

/// The version in an identifier of this family, or the identifier.
pub(super) fn named_version(schema: &str, document: &str) -> String {
    let version = schema
        .strip_prefix("https://agent-plugins.org/schemas/")
        .and_then(|rest| rest.strip_suffix(&format!("/{document}.schema.json")))
        .filter(|version| !version.is_empty() && !version.contains('/'));
    match version {
        Some(version) => format!("version {}", escape(version.as_bytes())),
        None => format!("the unknown schema `{}`", escape(schema.as_bytes())),
    }
}

fn invalid(what: impl std::fmt::Display) -> Error {
    Error::with(Code::PluginJsonInvalid, format!("plugin.json {what}"))
}

fn get<'o>(object: &'o Object, field: &str, path: &str) -> Result<Option<&'o Value>> {
    object.get(field).map_err(|_| invalid(format_args!("has the field `{path}` twice")))
}

fn required<'o>(object: &'o Object, field: &str) -> Result<&'o str> {
    match optional(object, field, field)? {
        None => Err(invalid(format_args!("lacks the required field `{field}`"))),
        Some("") => Err(invalid(format_args!("has an empty `{field}`"))),
        Some(text) => Ok(text),
    }
}

fn optional<'o>(object: &'o Object, field: &str, path: &str) -> Result<Option<&'o str>> {
    match get(object, field, path)? {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(other) => Err(invalid(format_args!("has {} in `{path}`, where a string belongs", other.kind()))),
    }
}

fn check_name(name: &str) -> Result<()> {
    let why = if name.chars().count() > MOST_NAME {
        "is longer than 64 characters"
    } else if !name.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.')) {
        "may hold only a-z, 0-9, `-` and `.`"
    } else if !name.starts_with(|c: char| c.is_ascii_alphanumeric())
        || !name.ends_with(|c: char| c.is_ascii_alphanumeric())
    {
        "must begin and end with a letter or digit"
    } else if name.contains("--") || name.contains("..") {
        "may not hold `--` or `..`"
    } else {
        return Ok(());
    };
    Err(invalid(format_args!("has the `name` `{}`, which {why}", escape(name.as_bytes()))))
}

fn author(object: &Object) -> Result<Option<Author>> {
    let author = match get(object, "author", "author")? {
        None => return Ok(None),
        Some(Value::Object(author)) => author,
        Some(other) => {
            return Err(invalid(format_args!("has {} in `author`, where an object belongs", other.kind())));
        }
    };
    if let Some((field, _)) = author.iter().find(|(field, _)| !matches!(*field, "name" | "email" | "url")) {
        return Err(invalid(format_args!("has the unknown field `author.{}`", escape(field.as_bytes()))));
    }
    let text = |field: &str| optional(author, field, &format!("author.{field}")).map(|text| text.map(Untrusted::new));
    Ok(Some(Author { name: text("name")?, email: text("email")?, url: text("url")? }))
}

fn keywords(object: &Object) -> Result<Vec<Untrusted>> {
    let keywords = match get(object, "keywords", "keywords")? {
        None => return Ok(Vec::new()),
        Some(Value::Array(keywords)) => keywords,
        Some(other) => {
            return Err(invalid(format_args!("has {} in `keywords`, where an array belongs", other.kind())));
        }
    };
    let keyword = |(index, value): (usize, &Value)| match value {
        Value::String(text) => Ok(Untrusted::new(text)),
        other => Err(invalid(format_args!("has {} in `keywords[{index}]`, where a string belongs", other.kind()))),
    };
    keywords.iter().enumerate().map(keyword).collect()
}

/// The namespaces. Their values have to be objects and are otherwise not looked at.
fn extensions(object: &Object, findings: &mut Vec<Finding>) -> Result<Vec<Untrusted>> {
    let extensions = match get(object, "extensions", "extensions")? {
        None => return Ok(Vec::new()),
        Some(Value::Object(extensions)) => extensions,
        Some(other) => {
            let message = format!("plugin.json: `extensions` is {}, not an object, and ignored", other.kind());
            findings.push(Finding::new(Code::PluginExtensionsIgnored, Some("plugin.json"), message));
            return Ok(Vec::new());
        }
    };
    let namespace = |(namespace, value): (&str, &Value)| match value {
        Value::Object(_) => Ok(Untrusted::new(namespace)),
        other => {
            let namespace = escape(namespace.as_bytes());
            let kind = other.kind();
            Err(invalid(format_args!("has {kind} in `extensions.{namespace}`, where an object belongs")))
        }
    };
    extensions.iter().map(namespace).collect()
}

impl Manifest {
    /// The name as a directory, unless it is that of a device on Windows.
    pub(crate) fn directory(&self) -> Option<&str> {
        let name = self.name.as_raw();
        (!is_device_name(name)).then_some(name)
    }
}
