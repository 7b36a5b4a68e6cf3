//! Plugins (Agent Plugins 1.0.0): plugin.json first, then `skills/` and `mcp.json`, each failure at the narrowest boundary.

mod folder;
mod ladder;
mod manifest;
mod mcp;
mod package;
mod remote;
mod server;
mod skill;

use cap_std::fs::Dir;

use self::folder::Folder;
pub use self::ladder::{Boundary, Component, Problem};
pub use self::manifest::{Author, Manifest};
pub(crate) use self::package::{Judged, Looked, MOST_CHILDREN, MOST_DOCUMENT, Package, Place, lexical};
pub use self::server::{Server, Transport, expand as expand_placeholders};
pub use self::skill::PluginSkill;
pub(crate) use self::skill::judge as judge_skill;
use crate::confine::Directory;
use crate::error::{Code, Error, Result};
use crate::escape::Untrusted;
use crate::report::{
    ComponentState, Finding, MOST_REFUSALS, PluginAuthor, PluginComponents, PluginManifest, PluginReport,
    PluginSkillReport,
};

/// A plugin that was loaded, possibly in part.
///
/// Its texts are a stranger's. Nothing of it has been started or fetched; what only a launcher can do (variables for a
/// process, its working directory on the disk, the handshake) is left to the client.
#[derive(Debug, Clone, PartialEq)]
pub struct Plugin {
    manifest: Manifest,
    skills: Vec<PluginSkill>,
    servers: Vec<Server>,
    components: PluginComponents,
    problems: Vec<Problem>,
    findings: Vec<Finding>,
}

impl Plugin {
    /// Loads the plugin in a directory: plugin.json, then its components.
    ///
    /// Links are followed as long as they lead to something inside. Files of more than 1 MiB are not read.
    ///
    /// ```no_run
    /// use skillx_archive::{Plugin, cap_std};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let dir = cap_std::fs::Dir::open_ambient_dir("plugins/reports", cap_std::ambient_authority())?;
    /// let plugin = Plugin::load(&dir)?;
    /// for problem in plugin.problems() {
    ///     eprintln!("{}: {}", problem.code(), problem.message());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The plugin is rejected, and nothing of it was discovered: `plugin-json-missing`, `plugin-json-invalid`,
    /// `plugin-version-unsupported`, `plugin-path-outside`; or plugin.json could not be read: `io`. Every other failure
    /// is among the [`problems`](Self::problems).
    pub fn load(dir: &Dir) -> Result<Self> {
        let mut folder = Self::folder(dir)?;
        let mut plugin = load(&mut folder)?;
        let denied = folder.links_outside().into_iter().filter(|path| !plugin.tells_of(path)).collect::<Vec<_>>();
        for path in denied {
            let cause = Error::with(Code::PluginPathOutside, "it is a link out of the plugin");
            plugin.problems.push(Problem::new(Boundary::Path(Untrusted::new(path)), cause));
        }
        Ok(plugin)
    }

    /// The content of one file of the package, links followed inside it.
    ///
    /// # Errors
    /// `plugin-path-outside`: access is denied, the last rung of the ladder. `usage` if there is no such file; `io`.
    pub fn read(dir: &Dir, path: &str) -> Result<Vec<u8>> {
        Self::folder(dir)?.read(path)
    }

    fn folder(dir: &Dir) -> Result<Folder> {
        let root = dir.try_clone().map_err(|error| Error::io("cannot open the plugin's directory again", error))?;
        Ok(Folder::new(Directory::from_dir(root)))
    }

    /// What plugin.json says.
    #[must_use]
    pub const fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The skills that conform, in the order of their directories.
    #[must_use]
    pub fn skills(&self) -> &[PluginSkill] {
        &self.skills
    }

    /// The servers that a client can use, in the order of mcp.json.
    #[must_use]
    pub fn servers(&self) -> &[Server] {
        &self.servers
    }

    /// What became of each component type.
    #[must_use]
    pub const fn components(&self) -> PluginComponents {
        self.components
    }

    /// What was given up, and where each failure stops.
    #[must_use]
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// Everything worth saying: what was ignored, and every problem.
    #[must_use]
    pub fn findings(&self) -> Vec<Finding> {
        let ignored = self.findings.iter().cloned();
        ignored.chain(self.problems.iter().map(Problem::to_finding)).take(MOST_REFUSALS).collect()
    }

    /// The report's form.
    #[must_use]
    pub fn to_report(&self) -> PluginReport {
        let raw = |text: &Untrusted| text.as_raw().to_owned();
        let some = |text: &Option<Untrusted>| text.as_ref().map(raw);
        let manifest = &self.manifest;
        PluginReport {
            manifest: PluginManifest {
                name: raw(&manifest.name),
                version: some(&manifest.version),
                description: some(&manifest.description),
                author: manifest.author.as_ref().map(|author| PluginAuthor {
                    name: some(&author.name),
                    email: some(&author.email),
                    url: some(&author.url),
                }),
                homepage: some(&manifest.homepage),
                repository: some(&manifest.repository),
                license: some(&manifest.license),
                keywords: manifest.keywords.iter().map(raw).collect(),
                extensions: manifest.extensions.iter().map(raw).collect(),
            },
            components: self.components,
            skills: self
                .skills
                .iter()
                .map(|skill| PluginSkillReport {
                    directory: raw(&skill.directory),
                    name: raw(&skill.name),
                    description: raw(&skill.description),
                })
                .collect(),
            servers: self.servers.iter().map(Server::to_report).collect(),
            problems: self.problems.iter().map(Problem::to_report).collect(),
        }
    }

    /// Whether a failure at a narrower boundary than a path is about this one.
    fn tells_of(&self, path: &str) -> bool {
        self.problems.iter().any(|problem| match problem.boundary() {
            Boundary::Component(component) => path == component.location(),
            Boundary::Skill(directory) => {
                let directory = format!("skills/{}", directory.as_raw());
                path == directory || path.strip_prefix(&directory) == Some("/SKILL.md")
            }
            _ => false,
        })
    }
}

/// Loads a plugin, wherever its files are: the order and the boundaries of the specification.
pub(crate) fn load(package: &mut dyn Package) -> Result<Plugin> {
    let mut findings = Vec::new();
    let manifest = manifest::parse(&manifest_bytes(package)?, &mut findings)?;
    let absent = ComponentState::Absent;
    let mut plugin = Plugin {
        manifest,
        skills: Vec::new(),
        servers: Vec::new(),
        components: PluginComponents { skills: absent, mcp: absent },
        problems: Vec::new(),
        findings,
    };
    plugin.components.skills = plugin.settle(Component::Skills, |plugin| plugin.discover_skills(package));
    plugin.components.mcp = plugin.settle(Component::Mcp, |plugin| plugin.discover_servers(package));
    Ok(plugin)
}

/// The only place a manifest can be.
fn manifest_bytes(package: &mut dyn Package) -> Result<Vec<u8>> {
    let is = |what: &str| Err(Error::with(Code::PluginJsonMissing, format!("plugin.json {what}")));
    match package.document("plugin.json")? {
        Looked::Found(bytes) => Ok(bytes),
        Looked::TooLarge => {
            let detail = format!("plugin.json has more than {MOST_DOCUMENT} bytes");
            Err(Error::with(Code::PluginJsonInvalid, detail))
        }
        Looked::No(Place::Absent) => Err(Error::new(Code::PluginJsonMissing)),
        Looked::No(Place::Directory) => is("is a directory"),
        Looked::No(Place::Outside) => {
            Err(Error::with(Code::PluginPathOutside, "plugin.json does not resolve inside the plugin"))
        }
        Looked::No(_) => is("is not a regular file"),
    }
}

impl Plugin {
    /// A failure here takes one component type with it; the other is loaded.
    fn settle(
        &mut self,
        component: Component,
        discover: impl FnOnce(&mut Self) -> Result<ComponentState>,
    ) -> ComponentState {
        discover(self).unwrap_or_else(|cause| {
            self.problems.push(Problem::new(Boundary::Component(component), cause));
            ComponentState::Invalid
        })
    }

    /// Immediate children of `skills/` alone.
    fn discover_skills(&mut self, package: &mut dyn Package) -> Result<ComponentState> {
        match package.place("skills")? {
            Place::Absent => return Ok(ComponentState::Absent),
            Place::Directory => {}
            Place::Outside => return Err(outside(Component::Skills)),
            Place::File | Place::Other => return Err(wrong_kind("skills is not a directory")),
        }
        let names = package.names("skills")?;
        if names.len() > MOST_CHILDREN {
            return Err(wrong_kind(&format!("skills holds more than {MOST_CHILDREN} names")));
        }
        for name in names {
            let Some(name) = name.to_str() else {
                let cause = Error::with(Code::SkillNameForm, "the name of its directory is not UTF-8");
                let name = Untrusted::new(name.to_string_lossy());
                self.problems.push(Problem::new(Boundary::Skill(name), cause));
                continue;
            };
            let cause = match package.skill(name) {
                Ok(Looked::Found(judged)) => {
                    self.findings.extend(judged.findings);
                    self.findings.truncate(MOST_REFUSALS);
                    match judged.outcome {
                        Ok(skill) => {
                            self.skills.push(skill);
                            continue;
                        }
                        Err(error) => error,
                    }
                }
                Ok(Looked::TooLarge) => {
                    Error::with(Code::SkillMdInvalid, format!("SKILL.md has more than {MOST_DOCUMENT} bytes"))
                }
                Ok(Looked::No(Place::Outside)) => {
                    Error::with(Code::PluginPathOutside, "its SKILL.md does not resolve inside the plugin")
                }
                // No skill: a file, a directory without SKILL.md, or SKILL.md of another kind.
                Ok(Looked::No(_)) => continue,
                Err(error) => error,
            };
            self.problems.push(Problem::new(Boundary::Skill(Untrusted::new(name)), cause));
        }
        Ok(ComponentState::Loaded)
    }

    fn discover_servers(&mut self, package: &mut dyn Package) -> Result<ComponentState> {
        let bytes = match package.document("mcp.json")? {
            Looked::Found(bytes) => bytes,
            Looked::TooLarge => return Err(wrong_kind(&format!("mcp.json has more than {MOST_DOCUMENT} bytes"))),
            Looked::No(Place::Absent) => return Ok(ComponentState::Absent),
            Looked::No(Place::Outside) => return Err(outside(Component::Mcp)),
            Looked::No(_) => return Err(wrong_kind("mcp.json is not a regular file")),
        };
        for (name, outcome) in mcp::parse(&bytes, package)? {
            match outcome {
                Ok(server) => self.servers.push(server),
                Err(cause) => self.problems.push(Problem::new(Boundary::Server(Untrusted::new(name)), cause)),
            }
        }
        Ok(ComponentState::Loaded)
    }
}

fn wrong_kind(what: &str) -> Error {
    Error::with(Code::PluginComponentInvalid, what)
}

fn outside(component: Component) -> Error {
    let location = component.location();
    Error::with(Code::PluginPathOutside, format!("{location} does not resolve inside the plugin"))
}
