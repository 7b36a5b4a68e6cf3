//! What an archive of a layout turned out to hold.

#[cfg(feature = "plugin")]
use super::plugin::Plugin;
use super::skill::SkillMd;
use crate::escape::Untrusted;

/// What was found, once every check has passed.
#[derive(Debug, Clone)]
pub(crate) enum Content {
    /// Nothing was looked for.
    Any,
    #[cfg(feature = "plugin")]
    Plugin(Box<Plugin>),
    Skill(Box<SkillMd>),
}

impl Content {
    pub(crate) fn name(&self) -> Untrusted {
        match self {
            Self::Any => Untrusted::default(),
            #[cfg(feature = "plugin")]
            Self::Plugin(plugin) => plugin.manifest().name.clone(),
            Self::Skill(skill) => skill.name().clone(),
        }
    }

    pub(crate) fn description(&self) -> Untrusted {
        match self {
            Self::Any => Untrusted::default(),
            #[cfg(feature = "plugin")]
            Self::Plugin(plugin) => plugin.manifest().description.clone().unwrap_or_default(),
            Self::Skill(skill) => skill.description().clone(),
        }
    }

    /// The name, if it has the form that may be used as a path.
    pub(crate) fn directory(&self) -> Option<String> {
        match self {
            Self::Any => None,
            #[cfg(feature = "plugin")]
            Self::Plugin(plugin) => plugin.manifest().directory().map(str::to_owned),
            Self::Skill(skill) => skill.has_valid_name().then(|| skill.name().as_raw().to_owned()),
        }
    }

    pub(crate) fn into_skill(self) -> Option<SkillMd> {
        if let Self::Skill(skill) = self { Some(*skill) } else { None }
    }
}
