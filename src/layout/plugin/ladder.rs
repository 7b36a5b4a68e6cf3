//! The failure ladder (Agent Plugins 1.0.0, sections 4.1, 6.2, 7.1, 7.2.2): how far a failure reaches, and what is
//! given up for it. The narrowest boundary applies.

use crate::error::{Code, Error};
use crate::escape::{Untrusted, escape};
use crate::report::{Finding, PluginProblem};

/// A kind of thing that a plugin brings, each at its fixed place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Component {
    /// `skills/`.
    Skills,
    /// `mcp.json`.
    Mcp,
}

/// What a failure takes with it, from the widest to the narrowest.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Boundary {
    /// The plugin is rejected; nothing of it is discovered.
    Plugin,
    /// This component type is invalid; the other one is loaded.
    Component(Component),
    /// The skill in this directory below `skills/` is skipped.
    Skill(Untrusted),
    /// The server of this name is skipped.
    Server(Untrusted),
    /// Access to this path is denied.
    Path(Untrusted),
}

/// One failure, and where it stops.
#[derive(Debug, Clone)]
pub struct Problem {
    boundary: Boundary,
    code: Code,
    cause: Error,
}

impl Component {
    /// `skills` or `mcp`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Mcp => "mcp",
            Self::Skills => "skills",
        }
    }

    /// Where it lies in every plugin: the manifest cannot change it.
    #[must_use]
    pub const fn location(self) -> &'static str {
        match self {
            Self::Mcp => "mcp.json",
            Self::Skills => "skills",
        }
    }
}

impl Boundary {
    /// `plugin`, `component-type`, `skill`, `server` or `path`.
    #[must_use]
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Component(_) => "component-type",
            Self::Path(_) => "path",
            Self::Plugin => "plugin",
            Self::Server(_) => "server",
            Self::Skill(_) => "skill",
        }
    }

    /// What it is about, in the stranger's own letters; nothing for the plugin as a whole.
    #[must_use]
    pub fn subject(&self) -> Option<&str> {
        match self {
            Self::Component(component) => Some(component.as_str()),
            Self::Path(text) | Self::Server(text) | Self::Skill(text) => Some(text.as_raw()),
            Self::Plugin => None,
        }
    }

    /// The code under which a failure at this boundary is reported. The plugin is rejected with the cause's own.
    const fn code(&self, cause: Code) -> Code {
        match self {
            Self::Component(_) => Code::PluginComponentInvalid,
            Self::Path(_) => Code::PluginPathDenied,
            Self::Plugin => cause,
            Self::Server(_) => match cause {
                Code::PluginTransportUnsupported => cause,
                _ => Code::PluginServerSkipped,
            },
            Self::Skill(_) => Code::PluginSkillSkipped,
        }
    }
}

impl Problem {
    pub(super) fn new(boundary: Boundary, cause: Error) -> Self {
        Self { code: boundary.code(cause.code()), boundary, cause }
    }

    /// Where it stops.
    #[must_use]
    pub const fn boundary(&self) -> &Boundary {
        &self.boundary
    }

    /// The code under which it is reported.
    #[must_use]
    pub const fn code(&self) -> Code {
        self.code
    }

    /// What happened.
    #[must_use]
    pub const fn cause(&self) -> &Error {
        &self.cause
    }

    /// One line, escaped.
    #[must_use]
    pub fn message(&self) -> String {
        let subject = self.boundary.subject().map(|subject| escape(subject.as_bytes()).to_string()).unwrap_or_default();
        let given_up = match &self.boundary {
            Boundary::Component(component) => match component {
                Component::Mcp => "no MCP server of this plugin is loaded".to_owned(),
                Component::Skills => "no skill of this plugin is loaded".to_owned(),
            },
            Boundary::Path(_) => format!("access to `{subject}` is denied"),
            Boundary::Plugin => "the plugin is rejected".to_owned(),
            Boundary::Server(_) => format!("the server `{subject}` is skipped"),
            Boundary::Skill(_) => format!("the skill `{subject}` is skipped"),
        };
        match self.cause.io_error() {
            Some(error) => format!("{given_up}: {}: {}", self.cause, escape(error.to_string().as_bytes())),
            None => format!("{given_up}: {}", self.cause),
        }
    }

    /// As a finding of the report.
    pub(crate) fn to_finding(&self) -> Finding {
        let path = match &self.boundary {
            Boundary::Component(component) => component.location().to_owned(),
            Boundary::Path(path) => path.as_raw().to_owned(),
            Boundary::Plugin => "plugin.json".to_owned(),
            Boundary::Server(_) => Component::Mcp.location().to_owned(),
            Boundary::Skill(directory) => format!("skills/{}/SKILL.md", directory.as_raw()),
        };
        Finding::new(self.code, Some(&path), self.message())
    }

    /// As a member of `plugin.problems`.
    pub(crate) fn to_report(&self) -> PluginProblem {
        PluginProblem {
            boundary: self.boundary.as_str(),
            subject: self.boundary.subject().map(str::to_owned),
            code: self.code,
            cause: self.cause.code(),
            message: self.message(),
        }
    }
}

impl PartialEq for Problem {
    fn eq(&self, other: &Self) -> bool {
        (&self.boundary, self.code, self.message()) == (&other.boundary, other.code, other.message())
    }
}
