//! Names: what a path may look like, so that it means the same file on every platform.

use caseless::Caseless as _;
use unicode_normalization::UnicodeNormalization as _;

use super::character::first_offence;
use crate::error::{Code, Error, Result};
use crate::escape::{Escaped, escape};
use crate::limits::Limits;

/// A relative path of clean components, separated by `/`: at least one, none of them empty, `.` or `..`.
///
/// Only the policy makes one, so whoever holds one need not check it again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SafePath(String);

/// What of the path rules depends on the run.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rules {
    /// Whether names at the root that look like SKILL.md are refused.
    pub(super) root_look_alikes: bool,
}

/// A name taken apart: relative, UTF-8, without `.`, `..` and doubled slashes. Its components are not checked yet.
#[derive(Debug, Clone)]
pub(super) struct Spelled<'n> {
    components: Vec<&'n str>,
    ends_in_slash: bool,
}

impl SafePath {
    /// The components, from the root down.
    pub(crate) fn components(&self) -> impl Iterator<Item = &str> {
        self.0.split('/')
    }

    /// The path of the directory it lies in (`None`: the root), and its last component.
    pub(crate) fn split(&self) -> (Option<&str>, &str) {
        match self.0.rsplit_once('/') {
            Some((parent, name)) => (Some(parent), name),
            None => (None, &self.0),
        }
    }

    /// Levels: `a/b` has 2.
    pub(crate) fn depth(&self) -> usize {
        self.components().count()
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    pub(crate) fn into_string(self) -> String {
        self.0
    }

    /// A path from a file that a stranger may have written, such as a receipt: spelled the one way in which this room
    /// spells paths, and within every rule that does not depend on the run.
    pub(crate) fn parse(text: &str) -> Result<Self> {
        // Bytes bound the depth as well: a run may have allowed more levels than the default.
        let limits = Limits { path: 4096, depth: u64::MAX, ..Limits::default() };
        let spelled = Spelled::read(text.as_bytes())?;
        spelled.check(Rules { root_look_alikes: false }, false, &limits)?;
        let path = spelled.into_path();
        if path.0 == text { Ok(path) } else { Err(Error::with(Code::PathEmpty, "the path is not in its plain form")) }
    }

    pub(crate) fn escaped(&self) -> Escaped<'_> {
        escape(self.0.as_bytes())
    }

    #[cfg(test)]
    pub(crate) fn for_test(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl<'n> Spelled<'n> {
    /// Takes a raw name apart.
    pub(super) fn read(name: &'n [u8]) -> Result<Self> {
        if name.iter().all(|byte| *byte == b'/') {
            return Err(Error::new(Code::PathEmpty));
        }
        if name.contains(&0) {
            return Err(Error::new(Code::PathNul));
        }
        let Ok(text) = std::str::from_utf8(name) else {
            return Err(Error::new(Code::PathNotUtf8));
        };
        if text.starts_with('/') {
            return Err(Error::new(Code::AbsolutePath));
        }
        let components: Vec<_> = text.split('/').filter(|component| !matches!(*component, "" | ".")).collect();
        if components.contains(&"..") {
            return Err(Error::with(
                Code::PathTraversal,
                "the name has a `..` component and would leave its directory",
            ));
        }
        Ok(Self { components, ends_in_slash: text.ends_with('/') || text.ends_with("/.") })
    }

    /// The skill directory itself.
    pub(super) fn is_root(&self) -> bool {
        self.components.is_empty()
    }

    pub(super) fn depth(&self) -> usize {
        self.components.len()
    }

    /// The first component.
    pub(super) fn top(&self) -> Option<&'n str> {
        self.components.first().copied()
    }

    /// The name ends in a slash, as only a directory's may.
    pub(super) fn says_directory(&self) -> bool {
        self.ends_in_slash
    }

    /// `__MACOSX` at the root, or anything below it.
    pub(super) fn is_below_noise_root(&self) -> bool {
        self.top() == Some("__MACOSX")
    }

    /// A name that macOS gives to its metadata files.
    pub(super) fn has_noise_name(&self) -> bool {
        self.components.last().is_some_and(|name| *name == ".DS_Store" || name.starts_with("._"))
    }

    /// The path below a wrapper; `None` if it does not lie there.
    pub(super) fn without(mut self, wrapper: &str) -> Option<Self> {
        if self.top() != Some(wrapper) {
            return None;
        }
        self.components.remove(0);
        Some(self)
    }

    /// Every rule for names. Noise may end in a dot: `._.` is what macOS tar writes for `.`.
    pub(super) fn check(&self, rules: Rules, noise: bool, limits: &Limits) -> Result<()> {
        let bytes = self.components.iter().map(|name| name.len().saturating_add(1)).sum::<usize>().saturating_sub(1);
        if bytes as u64 > limits.path {
            let most = limits.path;
            return Err(Error::with(Code::PathTooLong, format!("the path has {bytes} bytes, the limit is {most}")));
        }
        for component in &self.components {
            if let Some((character, code)) = first_offence(component) {
                let what = code.explain().what;
                return Err(Error::with(code, format!("{what} (U+{:04X})", u32::from(character))));
            }
        }
        let last = self.components.len().saturating_sub(1);
        for (at, component) in self.components.iter().enumerate() {
            check_component(component, noise && at == last, limits)?;
        }
        let depth = self.components.len() as u64;
        if depth > limits.depth {
            let most = limits.depth;
            return Err(Error::with(Code::PathTooDeep, format!("the path has {depth} levels, the limit is {most}")));
        }
        match self.top() {
            Some(top) if rules.root_look_alikes && looks_like_skill_md(top) => Err(Error::with(
                Code::LookalikeSkillMd,
                format!("`{}` looks like SKILL.md but is not", escape(top.as_bytes())),
            )),
            _ => Ok(()),
        }
    }

    /// The checked path. Call [`check`](Self::check) first.
    pub(super) fn into_path(self) -> SafePath {
        SafePath(self.components.join("/"))
    }
}

fn check_component(component: &str, noise: bool, limits: &Limits) -> Result<()> {
    let shown = || escape(component.as_bytes());
    if component.len() as u64 > limits.component {
        let (bytes, most) = (component.len(), limits.component);
        return Err(Error::with(Code::ComponentTooLong, format!("a component has {bytes} bytes, the limit is {most}")));
    }
    if component.ends_with(' ') || component.ends_with('.') && !noise {
        return Err(Error::with(Code::PathTrailingDotSpace, format!("`{}` ends in a dot or a space", shown())));
    }
    if is_device_name(component) {
        return Err(Error::with(Code::PathReservedName, format!("`{}` is a device on Windows", shown())));
    }
    if is_short_name(component) {
        return Err(Error::with(Code::PathShortName, format!("`{}` has the shape of a Windows short name", shown())));
    }
    if is_git_directory(component) {
        return Err(Error::with(Code::PathForbidden, format!("`{}` would be taken for a git repository", shown())));
    }
    Ok(())
}

/// CON, PRN, AUX, NUL, CONIN$, CONOUT$, COM0-9, LPT0-9 (and with the superscripts 1 to 3), with any extension.
pub(crate) fn is_device_name(component: &str) -> bool {
    let stem = component.split('.').next().unwrap_or_default().trim_end_matches(' ');
    let stem = stem.to_ascii_uppercase();
    if matches!(stem.as_str(), "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$") {
        return true;
    }
    let port = stem.strip_prefix("COM").or_else(|| stem.strip_prefix("LPT"));
    port.is_some_and(|port| {
        let mut characters = port.chars();
        let number = characters.next();
        let numbered = number.is_some_and(|c| matches!(c, '0'..='9' | '\u{b9}' | '\u{b2}' | '\u{b3}'));
        numbered && characters.next().is_none()
    })
}

/// At most 6 characters, `~`, digits: at most 8 characters in all; and at most one extension of at most 3.
fn is_short_name(component: &str) -> bool {
    let (base, extension) = component.split_once('.').unwrap_or((component, ""));
    let Some((prefix, digits)) = base.rsplit_once('~') else { return false };
    !digits.is_empty()
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && prefix.chars().count() <= 6
        && base.chars().count() <= 8
        && extension.chars().count() <= 3
        && !extension.contains('.')
}

/// `.git` under case folding, canonical or compatible.
fn is_git_directory(component: &str) -> bool {
    if component.is_ascii() {
        return component.eq_ignore_ascii_case(".git");
    }
    component.nfkc().default_case_fold().nfkc().eq(".git".chars())
}

/// The UTS 39 skeleton, taken before and after compatibility folding, is SKILL.md's; the name itself is not.
fn looks_like_skill_md(name: &str) -> bool {
    if name == "SKILL.md" || name.len() > 64 || is_far_from_skill_md(name) {
        return false;
    }
    let wanted = [skeleton("skill.md"), skeleton("SKILL.md"), fold(&skeleton("SKILL.md"))];
    forms(name).iter().any(|form| wanted.contains(form))
}

/// The ways in which a name is seen.
fn forms(name: &str) -> [String; 4] {
    let seen = skeleton(name);
    let seen_folded = fold(&seen);
    [skeleton(&fold(name)), skeleton(&seen_folded), seen, seen_folded]
}

/// Most names are ASCII, and end here: among ASCII characters only `s` looks like `s` and only `k` like `k`, in either case,
/// and none looks like nothing.
fn is_far_from_skill_md(name: &str) -> bool {
    let begins_alike = matches!(name.as_bytes(), [b's' | b'S', b'k' | b'K', ..]);
    name.is_ascii() && (!begins_alike || name.len() > "skill.rnd".len())
}

/// What a name looks like (UTS 39): two names with one skeleton can be taken for each other.
pub(crate) fn skeleton(text: &str) -> String {
    unicode_security::skeleton(text).collect()
}

fn fold(text: &str) -> String {
    text.nfkc().default_case_fold().nfkc().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn device_names() {
        for name in
            ["CON", "nul.txt", "aux", "COM1", "com0", "LPT9.tar.gz", "COM\u{b9}", "CONIN$", "conout$.x", "NUL .txt"]
        {
            assert!(is_device_name(name), "{name}");
        }
        for name in
            ["console", "nulls", "COM", "COM10", "COMX", "LPT", "con-tent", "a.con", "auxiliary.md", "COM\u{2074}"]
        {
            assert!(!is_device_name(name), "{name}");
        }
    }

    #[test]
    fn short_names() {
        for name in ["GIT~1", "A~1.TXT", "abcdef~1", "abcdef~1.md", "a~12345", "abcde~10", "~1", "a~b~1.c"] {
            assert!(is_short_name(name), "{name}");
        }
        for name in ["abcdefg~1", "abcdef~10", "a~", "a~1b", "~$doc.docx", "a~1.json", "a~1.tar.gz", "backup~", "a1"] {
            assert!(!is_short_name(name), "{name}");
        }
    }

    #[test]
    fn git_directories() {
        for name in [".git", ".GIT", ".Git", ".g\u{131}t\u{0}"] {
            assert_eq!(is_git_directory(name), name.is_ascii(), "{name}");
        }
        for name in ["\u{ff0e}git", ".\u{ff47}it", ".G\u{ff29}T"] {
            assert!(is_git_directory(name), "{name}");
        }
        for name in [".gitignore", ".github", "git", ".gi", ".gitt"] {
            assert!(!is_git_directory(name), "{name}");
        }
    }

    #[test]
    fn what_is_far_from_skill_md_has_no_form_of_it() {
        for character in ('\0'..='\x7f').map(String::from) {
            for form in forms(&character) {
                assert!(!form.is_empty(), "{character:?} is not seen: a longer name could look like a shorter one");
                let seen = form.chars().next().unwrap().to_ascii_lowercase();
                if matches!(seen, 's' | 'k') {
                    assert_eq!(character.to_ascii_lowercase(), seen.to_string(), "nothing else looks like it");
                }
            }
        }
        for wanted in ["skill.md", "SKILL.md"].iter().flat_map(|name| forms(name)) {
            assert!(!is_far_from_skill_md(&wanted), "{wanted}");
        }
    }

    #[test]
    fn look_alikes_of_skill_md() {
        for name in [
            "skill.md",
            "SKILL.MD",
            "Skill.md",
            "SKlLL.md",
            "SK1LL.md",
            "S\u{41a}ILL.md",
            "\u{405}KILL.md",
            "SKI\u{406}L.md",
            "\u{ff33}\u{ff2b}\u{ff29}\u{ff2c}\u{ff2c}.md",
            "SKILL.m\u{217e}",
            "\u{17f}kill.md",
            "S\u{212a}ILL.md",
            "sk\u{131}ll.md",
        ] {
            assert!(looks_like_skill_md(name), "{name}");
        }
        for name in
            ["SKILL.md", "SKILLS.md", "skill", "SKILL.txt", "README.md", "skill.md.bak", "my-skill.md", "SKULL.md"]
        {
            assert!(!looks_like_skill_md(name), "{name}");
        }
    }
}
