//! One entry of `mcpServers` (Agent Plugins 1.0.0, sections 7.2.1 and 9): exactly one of three closed variants.

use super::package::{Package, Place};
use super::remote;
use crate::error::{Code, Error, Result};
use crate::escape::{Untrusted, escape};
use crate::json::{Object, Value};
use crate::report::PluginServer;

const ROOT: &str = "${PLUGIN_ROOT}";
const DATA: &str = "${PLUGIN_DATA}";

/// A server that a client could start or connect to.
///
/// Everything in it is a stranger's text, as it stands in the file. `${PLUGIN_ROOT}` and `${PLUGIN_DATA}` are for the
/// launcher to expand ([`expand`]), in `args`, in the values of `env` and in `cwd`; whatever else looks like a
/// placeholder is literal text.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Server {
    /// The name of the entry.
    pub name: Untrusted,
    /// How to reach it.
    pub transport: Transport,
}

/// The transports that a client has to know.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Transport {
    /// A process that talks over its standard streams.
    #[non_exhaustive]
    Stdio {
        /// One token: a bare name, or `./…` inside the plugin. Never expanded, never a shell command.
        command: String,
        /// Its arguments.
        args: Vec<String>,
        /// Variables laid over the environment; never `PLUGIN_ROOT` or `PLUGIN_DATA`, which the launcher sets.
        env: Vec<(String, String)>,
        /// `None`: the plugin's root. Else `./…`, `${PLUGIN_ROOT}[/…]` or `${PLUGIN_DATA}[/…]`, contained by its letters
        /// and, where it lies in the package, by what its links lead to. A launcher checks a path below
        /// `PLUGIN_DATA` again, on the disk.
        cwd: Option<String>,
    },
    /// A remote server.
    #[non_exhaustive]
    StreamableHttp {
        /// Absolute, without user and fragment; `https`, or a loopback address.
        url: String,
        /// Fixed headers, unique whatever their case.
        headers: Vec<(String, String)>,
    },
}

/// Replaces `${PLUGIN_ROOT}` and `${PLUGIN_DATA}`, once: what comes in by it is not looked through again.
///
/// ```
/// let text = "--db=${PLUGIN_DATA}/db ${HOME} ${PLUGIN_ROOT}";
/// let expanded = skillx_archive::expand_placeholders(text, "/p", "/d/${PLUGIN_ROOT}");
/// assert_eq!(expanded, "--db=/d/${PLUGIN_ROOT}/db ${HOME} /p");
/// ```
#[must_use]
pub fn expand(text: &str, root: &str, data: &str) -> String {
    let mut expanded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${PLUGIN_") {
        expanded.push_str(before);
        if let Some(after) = after.strip_prefix("ROOT}") {
            expanded.push_str(root);
            rest = after;
        } else if let Some(after) = after.strip_prefix("DATA}") {
            expanded.push_str(data);
            rest = after;
        } else {
            expanded.push_str("${PLUGIN_");
            rest = after;
        }
    }
    expanded.push_str(rest);
    expanded
}

pub(super) fn parse(name: &str, value: &Value, package: &mut dyn Package) -> Result<Server> {
    let Value::Object(entry) = value else { return Err(invalid(format_args!("is {}, not an object", value.kind()))) };
    let transport = match text(entry, "type")? {
        None => return Err(invalid(format_args!("lacks the required field `type`"))),
        Some("stdio") => stdio(entry, package)?,
        Some("streamable-http") => {
            let (url, headers) = remote(entry)?;
            Transport::StreamableHttp { url, headers }
        }
        Some("sse") => {
            remote(entry)?;
            let detail = "its transport `sse` is valid and not supported";
            return Err(Error::with(Code::PluginTransportUnsupported, detail));
        }
        Some(other) => return Err(invalid(format_args!("has the unknown `type` `{}`", escape(other.as_bytes())))),
    };
    Ok(Server { name: Untrusted::new(name), transport })
}

fn stdio(entry: &Object, package: &mut dyn Package) -> Result<Transport> {
    close(entry, &["type", "command", "args", "env", "cwd"])?;
    let Some(command) = text(entry, "command")? else {
        return Err(invalid("lacks the required field `command`"));
    };
    check_command(command, package)?;
    let args = match get(entry, "args")? {
        None => Vec::new(),
        Some(Value::Array(args)) => args.iter().enumerate().map(argument).collect::<Result<_>>()?,
        Some(other) => return Err(wrong("args", other, "an array")),
    };
    let env = strings(entry, "env")?;
    if let Some((reserved, _)) = env.iter().find(|(name, _)| matches!(name.as_str(), "PLUGIN_ROOT" | "PLUGIN_DATA")) {
        return Err(invalid(format_args!("sets `env.{reserved}`, which is for the client to set")));
    }
    let mut names = std::collections::HashSet::new();
    if let Some((name, _)) = env.iter().find(|(name, _)| !names.insert(name)) {
        return Err(invalid(format_args!("has `env.{}` twice", escape(name.as_bytes()))));
    }
    let cwd = text(entry, "cwd")?;
    if let Some(cwd) = cwd {
        check_cwd(cwd, package)?;
    }
    Ok(Transport::Stdio { command: command.to_owned(), args, env, cwd: cwd.map(str::to_owned) })
}

fn argument((index, value): (usize, &Value)) -> Result<String> {
    match value {
        Value::String(text) => Ok(text.clone()),
        other => Err(wrong(&format!("args[{index}]"), other, "a string")),
    }
}

/// One token: a bare name for the platform's search, or a path in the package.
fn check_command(command: &str, package: &mut dyn Package) -> Result<()> {
    let shown = escape(command.as_bytes());
    let bad = |why: &str| Err(invalid(format_args!("has the command `{shown}`, which {why}")));
    if command.is_empty() {
        return bad("is empty");
    }
    if command.contains(char::is_control) {
        return bad("holds a control character");
    }
    if command.contains('\\') {
        return bad("holds a backslash, which separates directories on Windows only");
    }
    if let Some(path) = command.strip_prefix("./") {
        if path.split('/').all(|component| matches!(component, "" | "." | "..")) {
            return bad("names no file");
        }
        return match package.place(path)? {
            Place::Outside => Err(outside("command", command)),
            // A file may be called so; where there is none, it is a command line for a shell.
            Place::Absent if command.contains(char::is_whitespace) => bad("is more than one token"),
            _ => Ok(()),
        };
    }
    if command.contains(char::is_whitespace) {
        return bad("is more than one token");
    }
    if command.contains(['/', ':']) || matches!(command, "." | "..") {
        return bad("is neither a bare name nor a path that begins with `./`");
    }
    Ok(())
}

/// `./…`, or a root and what lies below it.
fn check_cwd(cwd: &str, package: &mut dyn Package) -> Result<()> {
    let below = |root: &str| cwd.strip_prefix(root).filter(|rest| rest.is_empty() || rest.starts_with('/'));
    let shown = escape(cwd.as_bytes());
    if cwd.contains(char::is_control) || cwd.contains('\\') {
        return Err(invalid(format_args!("has the cwd `{shown}`, which holds a control character or a backslash")));
    }
    let place = if let Some(path) = below(DATA) {
        // The directory is the client's: by letters is all that can be said before there is one.
        super::package::lexical(path, 0)
    } else if let Some(path) = cwd.strip_prefix("./").or_else(|| below(ROOT)) {
        package.place(path)?
    } else {
        return Err(invalid(format_args!(
            "has the cwd `{shown}`, which begins neither with `./` nor with {ROOT} or {DATA}"
        )));
    };
    match place {
        Place::Outside => Err(outside("cwd", cwd)),
        _ => Ok(()),
    }
}

fn outside(field: &str, path: &str) -> Error {
    let shown = escape(path.as_bytes());
    Error::with(Code::PluginPathOutside, format!("its {field} `{shown}` leads out of the directory it belongs to"))
}

fn remote(entry: &Object) -> Result<(String, Vec<(String, String)>)> {
    close(entry, &["type", "url", "headers"])?;
    let Some(url) = text(entry, "url")? else { return Err(invalid("lacks the required field `url`")) };
    remote::check_url(url)
        .map_err(|why| invalid(format_args!("has the url `{}`, which {why}", escape(url.as_bytes()))))?;
    let headers = strings(entry, "headers")?;
    remote::check_headers(&headers)
        .map_err(|(name, why)| invalid(format_args!("has the header `{}`, {why}", escape(name.as_bytes()))))?;
    Ok((url.to_owned(), headers))
}

fn close(entry: &Object, known: &[&str]) -> Result<()> {
    match entry.iter().find(|(field, _)| !known.contains(field)) {
        None => Ok(()),
        Some((field, _)) => {
            Err(invalid(format_args!("has the field `{}`, which its type does not know", escape(field.as_bytes()))))
        }
    }
}

fn get<'o>(entry: &'o Object, field: &str) -> Result<Option<&'o Value>> {
    entry.get(field).map_err(|_| invalid(format_args!("has the field `{field}` twice")))
}

fn text<'o>(entry: &'o Object, field: &str) -> Result<Option<&'o str>> {
    match get(entry, field)? {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(other) => Err(wrong(field, other, "a string")),
    }
}

fn strings(entry: &Object, field: &str) -> Result<Vec<(String, String)>> {
    let object = match get(entry, field)? {
        None => return Ok(Vec::new()),
        Some(Value::Object(object)) => object,
        Some(other) => return Err(wrong(field, other, "an object")),
    };
    let pair = |(name, value): (&str, &Value)| match value {
        Value::String(text) => Ok((name.to_owned(), text.clone())),
        other => Err(wrong(&format!("{field}.{}", escape(name.as_bytes())), other, "a string")),
    };
    object.iter().map(pair).collect()
}

fn wrong(path: &str, found: &Value, wanted: &str) -> Error {
    invalid(format_args!("has {} in `{path}`, where {wanted} belongs", found.kind()))
}

fn invalid(what: impl std::fmt::Display) -> Error {
    Error::with(Code::PluginServerSkipped, format!("it {what}"))
}

impl Server {
    /// As a member of `plugin.servers`.
    pub(super) fn to_report(&self) -> PluginServer {
        let name = self.name.as_raw().to_owned();
        match &self.transport {
            Transport::Stdio { command, args, env, cwd } => PluginServer::Stdio {
                name,
                command: command.clone(),
                args: args.clone(),
                env: env.iter().cloned().collect(),
                cwd: cwd.clone(),
            },
            Transport::StreamableHttp { url, headers } => {
                PluginServer::StreamableHttp { name, url: url.clone(), headers: headers.iter().cloned().collect() }
            }
        }
    }
}
