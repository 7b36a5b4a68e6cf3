//! What the layout turned out to hold, and whether it is what was promised.

use super::{Pass, WHOLE};
use crate::error::{Code, Error};
use crate::escape::{Untrusted, escape};
use crate::layout::Content;

impl Pass<'_, '_> {
    pub(super) fn check_name(&mut self, document: &str, what: &str, found: &Untrusted) {
        if let Some(expected) = &self.options.expect_name
            && found.as_raw() != expected
        {
            let expected = escape(expected.as_bytes());
            let detail = format!("{document} names the {what} `{found}`, expected was `{expected}`");
            self.refuse(WHOLE, None, Error::with(Code::SkillNameMismatch, detail));
        }
    }

    /// What was found of the layout.
    pub(super) fn content(self) -> Content {
        #[cfg(feature = "plugin")]
        if let Some(plugin) = self.plugin {
            return Content::Plugin(Box::new(plugin));
        }
        self.skill.map_or(Content::Any, |skill| Content::Skill(Box::new(skill)))
    }
}
