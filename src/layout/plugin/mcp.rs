//! mcp.json (Agent Plugins 1.0.0, section 7.2): the document as a whole, then each server on its own.

use super::manifest::{VERSION, named_version};
use super::package::Package;
use super::server::{self, Server};
use crate::error::{Code, Error, Result};
use crate::escape::escape;
use crate::json::{self, Object, Value};

/// The identifier of the same version as plugin.json has to target.
const SCHEMA: &str = "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json";

/// How far down mcp.json is looked at: the strings in the lists and maps of a server.
const MOST_LEVELS: u32 = 5;

/// A server by its name: one of the closed variants, or why it is none.
pub(super) type Entry = (String, Result<Server>);

/// Parses mcp.json. An error invalidates the whole component type, one of an entry that server alone.
pub(super) fn parse(bytes: &[u8], package: &mut dyn Package) -> Result<Vec<Entry>> {
    let value =
        json::parse_levels(bytes, MOST_LEVELS).map_err(|fault| invalid(format_args!("is not valid JSON: {fault}")))?;
    let Value::Object(object) = &value else {
        return Err(invalid(format_args!("holds {}, not an object", value.kind())));
    };
    check_version(object)?;
    if let Some((field, _)) = object.iter().find(|(field, _)| !matches!(*field, "$schema" | "mcpServers")) {
        return Err(invalid(format_args!("has the unknown field `{}`", escape(field.as_bytes()))));
    }
    let servers = match get(object, "mcpServers")? {
        None => return Err(invalid(format_args!("lacks the required field `mcpServers`"))),
        Some(Value::Object(servers)) => servers,
        Some(other) => {
            return Err(invalid(format_args!("has {} in `mcpServers`, where an object belongs", other.kind())));
        }
    };
    Ok(entries(servers, package))
}

fn entries(servers: &Object, package: &mut dyn Package) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    let mut repeated = std::collections::HashSet::new();
    for (name, _) in servers.iter() {
        if !seen.insert(name) {
            repeated.insert(name);
        }
    }
    for (name, value) in servers.iter() {
        if !seen.remove(name) {
            continue;
        }
        let outcome = if repeated.contains(name) {
            Err(Error::with(Code::PluginServerSkipped, "there are two servers of this name"))
        } else {
            server::parse(name, value, package)
        };
        entries.push((name.to_owned(), outcome));
    }
    entries
}

/// plugin.json targets the one version this crate knows, so any other is a mismatch too.
fn check_version(object: &Object) -> Result<()> {
    match get(object, "$schema")? {
        None => Err(invalid(format_args!("lacks the required field `$schema`"))),
        Some(Value::String(schema)) if schema == SCHEMA => Ok(()),
        Some(Value::String(schema)) => Err(Error::with(
            Code::PluginVersionUnsupported,
            format!("mcp.json targets {}, plugin.json version {VERSION}", named_version(schema, "mcp")),
        )),
        Some(other) => Err(invalid(format_args!("has {} in `$schema`, where a string belongs", other.kind()))),
    }
}

fn get<'o>(object: &'o Object, field: &str) -> Result<Option<&'o Value>> {
    object.get(field).map_err(|_| invalid(format_args!("has the field `{field}` twice")))
}

fn invalid(what: impl std::fmt::Display) -> Error {
    Error::with(Code::PluginComponentInvalid, format!("mcp.json {what}"))
}
