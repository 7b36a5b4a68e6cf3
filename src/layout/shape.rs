//! Where the file is that makes a skill or plugin, and where it would have been: the root, a wrapper directory, or nowhere.

use super::Layout;
use crate::error::{Code, Error, Result};
use crate::escape::escape;

/// What was seen of the tree's shape; fed with every path that is written.
#[derive(Debug)]
pub(crate) struct Shape {
    /// SKILL.md or plugin.json, and what it makes.
    marker: &'static str,
    what: &'static str,
    missing: Code,
    has_marker: bool,
    /// First component of the first path; `None` once paths with other ones came.
    top: Option<String>,
    several_tops: bool,
    /// The first path outside `top`: what speaks against a wrapper.
    outside: Option<String>,
    /// The first such file that is not at the root.
    nested: Option<String>,
}

impl Shape {
    pub(crate) fn of(layout: Layout) -> Self {
        let (marker, what, missing) = match layout {
            #[cfg(feature = "plugin")]
            Layout::Plugin => ("plugin.json", "plugin", Code::PluginJsonMissing),
            Layout::Any | Layout::Skill => ("SKILL.md", "skill", Code::SkillMdMissing),
        };
        Self { marker, what, missing, has_marker: false, top: None, several_tops: false, outside: None, nested: None }
    }

    /// A path that is written, and whether it is a regular file (a hard link is not one here).
    pub(crate) fn see(&mut self, path: &str, is_regular: bool) {
        let (top, below) = path.split_once('/').unwrap_or((path, ""));
        self.has_marker |= path == self.marker && is_regular;
        if self.nested.is_none() && is_regular && self.follows(path) {
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

    /// Whether the path is that of such a file below a directory.
    fn follows(&self, path: &str) -> bool {
        path.strip_suffix(self.marker).is_some_and(|before| before.ends_with('/'))
    }

    /// Whether the root holds it; if not, the error that helps best. `outside` is a path that lay outside the
    /// wrapper, where one was to be stripped.
    pub(crate) fn check(&self, outside: Option<&str>) -> Result<()> {
        if self.has_marker {
            return Ok(());
        }
        let wrapped = match (&self.top, &self.nested) {
            (Some(top), Some(nested)) => nested.rsplit_once('/') == Some((top.as_str(), self.marker)),
            _ => false,
        };
        let (marker, what) = (self.marker, self.what);
        let shown = |text: &str| escape(text.as_bytes()).to_string();
        let top = self.top.as_deref().map(shown).unwrap_or_default();
        // The command is there to be copied: a name that a shell would act on does not belong in it.
        let is_plain = |name: &str| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
        let directory = if is_plain(&top) && !top.starts_with('-') { top.as_str() } else { "DIR" };
        match (&self.nested, outside.or(self.outside.as_deref())) {
            (Some(_), None) if wrapped && !self.several_tops => Err(Error::with(
                Code::WrapperDirectory,
                format!("the {what} lies in the directory `{top}` inside the archive, not at its root"),
            )
            .hint(format!(
                "publisher: pack from inside: tar -czf {what}.tar.gz -C {directory} . ; user: --strip-root takes `{top}` away"
            ))),
            (Some(_), Some(other)) if wrapped && outside.is_some() => Err(Error::with(
                Code::WrapperDirectory,
                format!("the {what} lies in the directory `{top}`, but `{}` lies outside it", shown(other)),
            )
            .hint(format!("publisher: pack from inside: tar -czf {what}.tar.gz -C {directory} ."))),
            (Some(nested), _) => Err(Error::with(
                self.missing,
                format!("there is no {marker} at the root of the archive; there is one at `{}`", shown(nested)),
            )),
            (None, _) => Err(Error::new(self.missing)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(paths: &[&str]) -> Option<Code> {
        let mut shape = Shape::of(Layout::Skill);
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
            let mut shape = Shape::of(Layout::Skill);
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
