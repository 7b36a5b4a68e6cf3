//! Names that clients look for, and what stands in for them while a tree may yet be refused.

use std::borrow::Cow;
use std::fmt::Write as _;

use caseless::compatibility_caseless_match_str;

use crate::policy::SafePath;

/// The names that make a directory a skill or a plugin.
const MARKERS: [&str; 2] = ["SKILL.md", "plugin.json"];

/// The members that stand under another name.
#[derive(Debug)]
pub(super) struct Hidden {
    token: String,
    paths: Vec<SafePath>,
}

impl Hidden {
    pub(super) fn new(token: &str) -> Self {
        Self { token: token.to_owned(), paths: Vec::new() }
    }

    /// The same with nothing hidden yet.
    pub(super) fn fresh(&self) -> Self {
        Self::new(&self.token)
    }

    /// The name a new member is written under; remembers it if that is not its own.
    pub(super) fn hide<'a>(&mut self, path: &SafePath, name: &'a str) -> Cow<'a, str> {
        let written = self.name_of(name);
        if let Cow::Owned(_) = written {
            self.paths.push(path.clone());
        }
        written
    }

    /// The name a member with this name stands under.
    pub(super) fn name_of<'a>(&self, name: &'a str) -> Cow<'a, str> {
        if is_marker(name) { Cow::Owned(self.stand_in(name)) } else { Cow::Borrowed(name) }
    }

    /// The other name: the token, whose random bits no archive knows, and the name itself in hex. Two members that are
    /// different for the policy stay different.
    pub(super) fn stand_in(&self, name: &str) -> String {
        let mut stand_in = format!("{}-", self.token);
        for byte in name.bytes() {
            // Writing to a String cannot fail.
            let _ = write!(stand_in, "{byte:02x}");
        }
        stand_in
    }

    /// What was hidden, deepest first, the root's last.
    pub(super) fn take(&mut self) -> Vec<SafePath> {
        let mut paths = std::mem::take(&mut self.paths);
        paths.sort_by_cached_key(|path| std::cmp::Reverse(path.components().count()));
        paths
    }
}

/// Whether some file system or client could take the name for one of them: any case, any normalisation, full-width letters,
/// and the letters that only meet in upper case (dotless i, long s).
fn is_marker(name: &str) -> bool {
    if name.is_ascii() {
        return MARKERS.iter().any(|marker| name.eq_ignore_ascii_case(marker));
    }
    let upper: String = name.chars().flat_map(char::to_uppercase).collect();
    MARKERS.iter().any(|marker| {
        compatibility_caseless_match_str(name, marker) || compatibility_caseless_match_str(&upper, marker)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_folding_is_hidden_and_nothing_else() {
        let foldings = [
            "SKILL.md",
            "skill.md",
            "plugin.json",
            "Plugin.JSON",
            "plug\u{131}n.j\u{17f}on",
            "Skill.MD",
            "S\u{212a}ILL.md",
            "\u{17f}kill.md",
            "sk\u{131}ll.md",
            "\u{ff33}\u{ff2b}\u{ff29}\u{ff2c}\u{ff2c}.md",
        ];
        for name in foldings {
            assert!(is_marker(name), "{name}");
        }
        for name in
            ["SKILLS.md", "SKILL.md.txt", "skill", "README.md", "gu\u{ed}a.md", "ＳKILLS.md", "md", "plugins.json"]
        {
            assert!(!is_marker(name), "{name}");
        }
    }

    #[test]
    fn stand_ins_differ_and_fit_into_a_component() {
        let hidden = Hidden::new(".skillx-00112233445566778899aabbccddeeff");
        assert_eq!(hidden.stand_in("SKILL.md"), ".skillx-00112233445566778899aabbccddeeff-534b494c4c2e6d64");
        assert_ne!(hidden.stand_in("SKILL.md"), hidden.stand_in("skill.md"));
        let widest: String = "SKILL.md".chars().map(|_| '\u{1d412}').collect();
        assert!(hidden.stand_in(&widest).len() < 255);
        assert_eq!(hidden.name_of("README.md"), "README.md");
    }
}
