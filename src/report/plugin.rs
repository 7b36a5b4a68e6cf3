//! What was seen of a plugin: `plugin` in `skillx.report/1`, and `skillx.plugin/1` for one in a directory.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Finding, Tool, Verdict};
use crate::error::{Class, Code, Error};

/// A plugin that was loaded, possibly in part. Texts in it are a stranger's, and raw.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct PluginReport {
    /// What plugin.json says.
    pub manifest: PluginManifest,
    /// What became of each component type.
    pub components: PluginComponents,
    /// The skills that conform, in the order of their directories.
    pub skills: Vec<PluginSkillReport>,
    /// The servers that a client can use, in the order of mcp.json.
    pub servers: Vec<PluginServer>,
    /// What was given up, each at the narrowest boundary.
    pub problems: Vec<PluginProblem>,
}

/// The fields of plugin.json that have a meaning; absent ones are left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the names are those of plugin.json")]
pub struct PluginManifest {
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<PluginAuthor>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub homepage: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repository: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub license: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub keywords: Vec<String>,
    /// Namespaces; their values are not looked at.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub extensions: Vec<String>,
}

/// `author` of plugin.json.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the names are those of plugin.json")]
pub struct PluginAuthor {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

/// What became of each component type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct PluginComponents {
    /// `skills/`.
    pub skills: ComponentState,
    /// `mcp.json`.
    pub mcp: ComponentState,
}

/// What became of one component type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ComponentState {
    /// It is not there, which is no error.
    Absent,
    /// It is there and cannot be used as a whole.
    Invalid,
    /// It was loaded, less the entries among the problems.
    Loaded,
}

/// A skill of a plugin.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct PluginSkillReport {
    /// Its directory below `skills/`.
    pub directory: String,
    /// Its name.
    pub name: String,
    /// Its description.
    pub description: String,
}

/// An MCP server of a plugin.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
#[non_exhaustive]
#[allow(missing_docs, reason = "the names are those of mcp.json")]
pub enum PluginServer {
    Stdio {
        name: String,
        command: String,
        args: Vec<String>,
        env: BTreeMap<String, String>,
        /// `None`: the plugin's root.
        cwd: Option<String>,
    },
    StreamableHttp {
        name: String,
        url: String,
        headers: BTreeMap<String, String>,
    },
}

/// Something that was given up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct PluginProblem {
    /// `component-type`, `skill`, `server` or `path`.
    pub boundary: &'static str,
    /// What it is about: `skills` or `mcp`, a directory, a server's name, a path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// The code of the finding.
    pub code: Code,
    /// The code of what is wrong; the same where there is no other.
    pub cause: Code,
    /// What happened, escaped.
    pub message: String,
}

/// The answer about a plugin in a directory: schema `skillx.plugin/1`.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct PluginAnswer {
    /// Always `skillx.plugin/1`.
    pub schema: &'static str,
    /// Who wrote it.
    pub tool: Tool,
    /// Accepted if plugin.json is good, however little else is.
    pub verdict: Verdict,
    /// The directory as the caller gave it.
    pub source: String,
    /// What was loaded; `None` if the plugin is rejected.
    pub plugin: Option<PluginReport>,
    /// Worth saying.
    pub findings: Vec<Finding>,
    /// Why the plugin is rejected, or could not be read.
    pub error: Option<Error>,
}

impl PluginAnswer {
    /// The answer about a plugin that was loaded.
    #[must_use]
    pub fn loaded(source: impl Into<String>, plugin: PluginReport, findings: Vec<Finding>) -> Self {
        Self { plugin: Some(plugin), findings, ..Self::blank(source.into(), Verdict::Accepted) }
    }

    /// The answer about one that was not.
    #[must_use]
    pub fn rejected(source: impl Into<String>, error: Error) -> Self {
        let verdict = if error.class() == Class::Refused { Verdict::Refused } else { Verdict::Failed };
        Self { error: Some(error), ..Self::blank(source.into(), verdict) }
    }

    fn blank(source: String, verdict: Verdict) -> Self {
        Self {
            schema: "skillx.plugin/1",
            tool: Tool::this(),
            verdict,
            source,
            plugin: None,
            findings: Vec::new(),
            error: None,
        }
    }
}
