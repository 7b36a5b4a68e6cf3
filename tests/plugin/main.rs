//! Agent Plugins 1.0.0: every row of the specification's tables, in a directory and in an archive. `docs/conformance.md`
//! names these tests.
#![cfg(unix)]
#![allow(clippy::disallowed_methods, clippy::pedantic)] // Tests look at the file system as it is.

mod archive;
mod components;
mod ladder;
mod manifest;
mod program;
mod servers;
#[path = "../support/mod.rs"]
mod support;

use std::path::Path;

use skillx_archive::cap_std::ambient_authority;
use skillx_archive::cap_std::fs::Dir;
use skillx_archive::{Boundary, Code, Error, Plugin};

const PLUGIN_SCHEMA: &str = "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json";
const MCP_SCHEMA: &str = "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json";

/// A plugin in a directory of its own, beside a directory that is none of its business.
struct Package {
    directory: tempfile::TempDir,
}

impl Package {
    /// One with this plugin.json.
    fn with(manifest: &str) -> Self {
        let package = Self { directory: support::temp_dir() };
        package.put("plugin.json", manifest);
        package.put("../outside/SKILL.md", &skill("outside"));
        package.put("../outside/plugin.json", &minimal());
        package.put("../outside/mcp.json", &mcp(""));
        package
    }

    /// The least there can be.
    fn minimal() -> Self {
        Self::with(&minimal())
    }

    /// One with these servers.
    fn serving(servers: &str) -> Self {
        let package = Self::minimal();
        package.put("mcp.json", &mcp(servers));
        package
    }

    fn root(&self) -> std::path::PathBuf {
        self.directory.path().join("plugin")
    }

    fn put(&self, path: &str, text: &str) -> &Self {
        std::fs::create_dir_all(self.root()).unwrap();
        let path = self.root().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
        self
    }

    fn link(&self, path: &str, target: &str) -> &Self {
        let path = self.root().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(target, path).unwrap();
        self
    }

    fn remove(&self, path: &str) -> &Self {
        std::fs::remove_file(self.root().join(path)).unwrap();
        self
    }

    fn dir(&self) -> Dir {
        open(&self.root())
    }

    fn load(&self) -> Result<Plugin, Error> {
        Plugin::load(&self.dir())
    }

    #[track_caller]
    fn loads(&self) -> Plugin {
        self.load().unwrap_or_else(|error| panic!("{error}"))
    }

    /// Rejected as a whole, with this code and these words.
    #[track_caller]
    fn rejected(&self, code: Code, words: &str) {
        let error = self.load().expect_err("it is rejected");
        assert_eq!(error.code(), code, "{error}");
        assert!(error.to_string().contains(words), "{error}");
        assert!(error.to_string().bytes().all(|byte| (b' '..=b'~').contains(&byte)), "{error}");
    }
}

fn open(path: &Path) -> Dir {
    Dir::open_ambient_dir(path, ambient_authority()).unwrap()
}

fn minimal() -> String {
    manifest("")
}

/// plugin.json with more fields.
fn manifest(more: &str) -> String {
    format!("{{\"$schema\": \"{PLUGIN_SCHEMA}\", \"name\": \"reports\"{more}}}")
}

fn mcp(servers: &str) -> String {
    format!("{{\"$schema\": \"{MCP_SCHEMA}\", \"mcpServers\": {{{servers}}}}}")
}

fn skill(name: &str) -> String {
    format!("---\nname: {name}\ndescription: Use it for {name}.\n---\n# {name}\n")
}

/// Names of the skills that were loaded.
fn names(plugin: &Plugin) -> Vec<&str> {
    plugin.skills().iter().map(|skill| skill.name.as_raw()).collect()
}

fn servers(plugin: &Plugin) -> Vec<&str> {
    plugin.servers().iter().map(|server| server.name.as_raw()).collect()
}

/// Boundary, subject and cause of every problem.
fn problems(plugin: &Plugin) -> Vec<(&'static str, String, Code)> {
    let subject = |boundary: &Boundary| boundary.subject().unwrap_or_default().to_owned();
    let problems = plugin.problems().iter();
    problems.map(|p| (p.boundary().as_str(), subject(p.boundary()), p.cause().code())).collect()
}

fn findings(plugin: &Plugin) -> Vec<Code> {
    plugin.findings().iter().map(|finding| finding.code).collect()
}
