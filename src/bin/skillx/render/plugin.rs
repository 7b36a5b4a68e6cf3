//! A plugin as text: what it is, its skills and servers, and what was given up. Every text goes through `escape`.

use std::fmt::Write as _;
use std::io::{self, Write};

use skillx_archive::{ComponentState, PluginAnswer, PluginReport, PluginServer, escape};

use super::text::NOTE;

/// What is worth saying.
pub(super) fn notes(out: &mut dyn Write, answer: &PluginAnswer, quiet: bool) -> io::Result<()> {
    if quiet {
        return Ok(());
    }
    for finding in &answer.findings {
        writeln!(out, "{NOTE}note[{}]{NOTE:#}: {}", finding.code, finding.message)?;
    }
    Ok(())
}

/// The plugin, one line a component.
pub(super) fn listing(plugin: &PluginReport) -> String {
    let shown = |text: &str| escape(text.as_bytes()).to_string();
    let manifest = &plugin.manifest;
    let mut text = format!("plugin   {}", shown(&manifest.name));
    if let Some(version) = &manifest.version {
        let _ = write!(text, " {}", shown(version));
    }
    if let Some(description) = &manifest.description {
        let _ = write!(text, " - {}", shown(description));
    }
    text.push('\n');
    for skill in &plugin.skills {
        let _ = writeln!(text, "skill    {} - {}", shown(&skill.name), shown(&skill.description));
    }
    for server in &plugin.servers {
        let _ = match server {
            PluginServer::Stdio { name, command, .. } => {
                writeln!(text, "server   {} (stdio) {}", shown(name), shown(command))
            }
            PluginServer::StreamableHttp { name, url, .. } => {
                writeln!(text, "server   {} (streamable-http) {}", shown(name), shown(url))
            }
            _ => Ok(()),
        };
    }
    for (what, state) in [("skills", plugin.components.skills), ("mcp", plugin.components.mcp)] {
        if state == ComponentState::Invalid {
            let _ = writeln!(text, "invalid  {what}");
        }
    }
    for problem in &plugin.problems {
        if let Some(subject) = problem.subject.as_ref().filter(|_| problem.boundary != "component-type") {
            let _ = writeln!(text, "skipped  {} {} ({})", problem.boundary, shown(subject), problem.cause);
        }
    }
    text
}
