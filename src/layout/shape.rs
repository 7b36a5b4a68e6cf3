//! Where SKILL.md is, and where it would have been: the root, a wrapper directory, or nowhere.

use crate::error::{Code, Error, Result};
use crate::escape::escape;

/// What was seen of the tree's shape; fed with every path that is written.
#[derive(Debug, Default)]
pub(crate) struct Shape {
    has_skill_md: bool,
    /// First component of the first path; `None` once paths with other ones came.
    top: Option<String>,
    several_tops: bool,
    /// The first path outside `top`: what speaks against a wrapper.
    outside: Option<String>,
    /// The first SKILL.md that is not at the root.
    nested: Option<String>,
}

impl Shape {
    /// A path that is written, and whether it is a regular file (a hard link is not one here).
    pub(crate) fn see(&mut self, path: &str, is_regular: bool) {
        let (top, below) = path.split_once('/').unwrap_or((path, ""));
        self.has_skill_md |= path == "SKILL.md" && is_regular;
        if self.nested.is_none() && is_regular && path.ends_with("/SKILL.md") {
            self.nested = Some(path.to_owned());
        }
        match &self.top {
            None => self.top = Some(top.to_owned()),
            Some(first) if first != top => {
                self.several_tops = true;
                self.outside.get_or_insert_with(|| path.to_owned());
            }
            Some(_) => {}
        }
        // A file at the root is its own top, and no directory.
        self.several_tops |= below.is_empty() && is_regular;
    }

    /// Whether the root holds SKILL.md; if not, the error that helps best. `outside` is a path that lay outside the
    /// wrapper, where one was to be stripped.
    pub(crate) fn check(&self, outside: Option<&str>) -> Result<()> {
        if self.has_skill_md {
            return Ok(());
        }
        let wrapped = match (&self.top, &self.nested) {
            (Some(top), Some(nested)) => nested.strip_prefix(top.as_str()) == Some("/SKILL.md"),
            _ => false,
        };
        let shown = |text: &str| escape(text.as_bytes()).to_string();
        let top = self.top.as_deref().map(shown).unwrap_or_default();
        // The command is there to be copied: a name that a shell would act on does not belong in it.
        let is_plain = |name: &str| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
        let directory = if is_plain(&top) && !top.starts_with('-') { top.as_str() } else { "DIR" };
        match (&self.nested, outside.or(self.outside.as_deref())) {
            (Some(_), None) if wrapped && !self.several_tops => Err(Error::with(
                Code::WrapperDirectory,
                format!("the skill lies in the directory `{top}` inside the archive, not at its root"),
            )
            .hint(format!(
                "publisher: pack from inside: tar -czf skill.tar.gz -C {directory} . ; user: --strip-root takes `{top}` away"
            ))),
            (Some(_), Some(other)) if wrapped && outside.is_some() => Err(Error::with(
                Code::WrapperDirectory,
                format!("the skill lies in the directory `{top}`, but `{}` lies outside it", shown(other)),
            )
            .hint(format!("publisher: pack from inside: tar -czf skill.tar.gz -C {directory} ."))),
            (Some(nested), _) => Err(Error::with(
                Code::SkillMdMissing,
                format!("there is no SKILL.md at the root of the archive; there is one at `{}`", shown(nested)),
            )),
            (None, _) => Err(Error::new(Code::SkillMdMissing)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(paths: &[&str]) -> Option<Code> {
        let mut shape = Shape::default();
        for path in paths {
            shape.see(path.trim_end_matches('/'), !path.ends_with('/'));
        }
        shape.check(None).err().map(|error| error.code())
    }

    #[test]
    fn the_command_in_the_hint_names_no_directory_that_a_shell_would_act_on() {
        for (wrapper, named) in
            [("pdf-2.0", "-C pdf-2.0 ."), ("$(touch x)", "-C DIR ."), ("a b", "-C DIR ."), ("-x", "-C DIR .")]
        {
            let mut shape = Shape::default();
            shape.see(&format!("{wrapper}/SKILL.md"), true);
            let error = shape.check(None).unwrap_err();
            assert!(error.help().contains(named), "{}", error.help());
        }
    }

    #[test]
    fn a_wrapper_is_one_directory_with_everything_in_it() {
        assert_eq!(code(&["SKILL.md", "a/SKILL.md"]), None);
        for paths in [&["w/", "w/SKILL.md"][..], &["w/SKILL.md"], &["w/a/SKILL.md", "w/SKILL.md", "w/b"][..2]] {
            let expected = if paths[0] == "w/a/SKILL.md" { Code::SkillMdMissing } else { Code::WrapperDirectory };
            assert_eq!(code(paths), Some(expected), "{paths:?}");
        }
        for paths in [&["README.md", "w/SKILL.md"][..], &["w/SKILL.md", "v/x"], &["w/SKILL.md", "x"], &["a"], &[]] {
            assert_eq!(code(paths), Some(Code::SkillMdMissing), "{paths:?}");
        }
    }
}
