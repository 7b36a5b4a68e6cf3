//! What must be in the tree, whoever packed it: a skill with its SKILL.md, or a plugin with its plugin.json.

mod content;
mod findings;
mod frontmatter;
#[cfg(feature = "plugin")]
pub(crate) mod plugin;
mod shape;
mod skill;

pub(crate) use self::content::Content;
pub(crate) use self::findings::{Findings, Whole};
pub(crate) use self::shape::Shape;
pub(crate) use self::skill::is_valid_name;
pub use self::skill::{SkillMd, WebKeys};

/// What an archive must contain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Layout {
    /// Anything: container and policy checks only.
    Any,
    /// A plugin: a valid plugin.json at the root, then its skills and servers (feature `plugin`).
    #[cfg(feature = "plugin")]
    Plugin,
    /// **The default.** A skill: a valid SKILL.md at the root.
    #[default]
    Skill,
}

impl Layout {
    /// `skill`, `plugin` or `any`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Any => "any",
            #[cfg(feature = "plugin")]
            Self::Plugin => "plugin",
            Self::Skill => "skill",
        }
    }
}
