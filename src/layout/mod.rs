//! What must be in the tree, whoever packed it: the shape of a skill, and its SKILL.md.

mod frontmatter;
mod shape;
mod skill;

pub(crate) use self::shape::Shape;
pub use self::skill::SkillMd;
pub(crate) use self::skill::is_valid_name;

/// What an archive must contain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Layout {
    /// Anything: container and policy checks only.
    Any,
    /// **The default.** A skill: a valid SKILL.md at the root.
    #[default]
    Skill,
}

impl Layout {
    /// `skill` or `any`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Any => "any",
            Self::Skill => "skill",
        }
    }
}
