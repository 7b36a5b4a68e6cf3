//! A skill in a plugin (Agent Plugins 1.0.0, section 7.1): it has to conform to the Agent Skills specification whole.

use super::package::Judged;
use crate::error::{Code, Error, Result};
use crate::escape::{Untrusted, escape};
use crate::layout::skill::{MOST_DESCRIPTION, SkillMd};
use crate::report::{Finding, MOST_REFUSALS};

/// A skill that the plugin brings.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PluginSkill {
    /// Its directory below `skills/`.
    pub directory: Untrusted,
    /// Its name: that of the directory.
    pub name: Untrusted,
    /// Its description, at most 1024 characters.
    pub description: Untrusted,
}

/// Judges the SKILL.md of one directory below `skills/`.
pub(crate) fn judge(directory: &str, bytes: &[u8]) -> Judged {
    let skill = match SkillMd::parse(bytes) {
        Ok(skill) => skill,
        Err(error) => return Judged { outcome: Err(error), findings: Vec::new() },
    };
    let path = format!("skills/{directory}/SKILL.md");
    let kept = |finding: &Finding| matches!(finding.code, Code::SkillUnknownKey | Code::SkillBom);
    let findings = skill.findings().into_iter().filter(kept).take(MOST_REFUSALS);
    let findings = findings.map(|finding| Finding { path: Some(path.clone()), ..finding }).collect();
    Judged { outcome: conforming(directory, &skill), findings }
}

/// For an archive of one skill these are findings; here the specification says that the skill is skipped.
fn conforming(directory: &str, skill: &SkillMd) -> Result<PluginSkill> {
    if !skill.has_valid_name() {
        let detail = format!("the name `{}` is not 1-64 of a-z, 0-9 and single inner hyphens", skill.name());
        return Err(Error::with(Code::SkillNameForm, detail));
    }
    if skill.name().as_raw() != directory {
        let shown = escape(directory.as_bytes());
        let detail = format!("the skill is called `{}`, its directory `{shown}`", skill.name());
        return Err(Error::with(Code::SkillNameDirectory, detail));
    }
    let length = skill.description().as_raw().chars().count();
    if length > MOST_DESCRIPTION {
        let detail = format!("the description has {length} characters, the specification allows {MOST_DESCRIPTION}");
        return Err(Error::with(Code::SkillDescriptionLong, detail));
    }
    Ok(PluginSkill {
        directory: Untrusted::new(directory),
        name: skill.name().clone(),
        description: skill.description().clone(),
    })
}
