//! `skills.txt` (Web Skills Protocol 0.1, draft): a list in Markdown that links to each SKILL.md.

use std::fmt::Write as _;

use super::super::index::IndexEntry;
use super::{SKILL_MD, below};

pub(super) const NAME: &str = "skills.txt";

/// One H1, one section, one line a skill. Names are of a-z, 0-9 and hyphens; descriptions are a publisher's own text, made
/// one line here.
pub(super) fn text(entries: &[&IndexEntry]) -> String {
    let mut text = String::from(
        "# Skills\n\n> The skills of this site. Whole skills with their digests: .well-known/agent-skills/index.json\n\n## Skills\n\n",
    );
    for entry in entries {
        let description = entry.description.split_whitespace().collect::<Vec<_>>().join(" ");
        let name = &entry.name;
        let _ = writeln!(text, "- [{name}]({}): {description}", below(&format!("{name}/{SKILL_MD}")));
    }
    text
}
