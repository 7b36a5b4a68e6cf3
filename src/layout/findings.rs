//! What is worth saying of an accepted archive: collected during the pass at the price of a few comparisons a member.
//!
//! Names are looked at once, at the end. Of contents only SKILL.md, the first bytes of each file, and a small
//! package.json are.

mod magic;
mod portable;
mod text;
mod tree;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::container::{Member, RawKind};
use crate::error::Code;
use crate::report::{EntryReport, Finding, MOST_REFUSALS};

/// Most findings of one code; what is beyond is counted.
const MOST_OF_ONE: u64 = 10;
/// As much of a package.json is kept as is looked at.
const MOST_MANIFEST: usize = 64 * 1024;

/// What has been found so far.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    said: Said,
    dotted: u64,
    hard_links: u64,
    /// The package.json that is being read.
    manifest: Option<(String, Vec<u8>)>,
}

/// Facts about the archive as a whole.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Whole<'r> {
    /// Every member. Links have no path here.
    pub(crate) entries: &'r [EntryReport],
    /// Paths of the symbolic links.
    pub(crate) links: &'r [&'r str],
    /// Bytes of content.
    pub(crate) bytes: u64,
    /// Bytes of the archive, if it is one.
    pub(crate) archive: Option<u64>,
    pub(crate) is_zip: bool,
}

/// Findings within their caps.
#[derive(Debug, Default)]
struct Said {
    findings: Vec<Finding>,
    counts: BTreeMap<Code, u64>,
}

impl Said {
    fn say(&mut self, code: Code, path: Option<&str>, message: impl FnOnce() -> String) {
        let count = self.counts.entry(code).or_default();
        *count = count.saturating_add(1);
        if *count <= MOST_OF_ONE && self.findings.len() < MOST_REFUSALS {
            self.findings.push(Finding::new(code, path, message()));
        }
    }
}

impl Findings {
    /// A member as it stands in the archive.
    pub(crate) fn member(&mut self, member: &Member<'_>) {
        let dotted = member.name.starts_with(b"./") && member.name.len() > 2;
        self.dotted = self.dotted.saturating_add(u64::from(dotted));
        let hard = matches!(member.kind, RawKind::HardLink { .. });
        self.hard_links = self.hard_links.saturating_add(u64::from(hard));
    }

    /// The first bytes of a file.
    pub(crate) fn begin(&mut self, path: &str, first: &[u8]) {
        if let Some((code, what)) = magic::recognise(path, first) {
            self.said.say(code, Some(path), || format!("`{}` is {what}", shown(path)));
        }
        self.manifest = tree::is_manifest(path).then(|| (path.to_owned(), Vec::new()));
        self.more(first);
    }

    /// What follows them.
    pub(crate) fn more(&mut self, piece: &[u8]) {
        if let Some((_, kept)) = &mut self.manifest {
            let room = MOST_MANIFEST.saturating_sub(kept.len()).min(piece.len());
            kept.extend_from_slice(piece.get(..room).unwrap_or_default());
        }
    }

    /// The file is complete.
    pub(crate) fn end(&mut self) {
        if let Some((path, kept)) = self.manifest.take()
            && let Some(script) = tree::install_script(&kept)
        {
            self.said.say(Code::ToolAutoload, Some(&path), || {
                format!("`{}` has the script `{script}`, which npm runs by itself", shown(&path))
            });
        }
    }

    /// The text of a SKILL.md that was found good.
    pub(crate) fn skill_md(&mut self, skill: &super::SkillMd) {
        text::look(skill, &mut self.said);
    }

    /// Everything that was found, with what only the whole shows.
    pub(crate) fn finish(mut self, whole: Whole<'_>) -> Vec<Finding> {
        tree::look(whole, &mut self.said);
        portable::look(whole, self.dotted, self.hard_links, &mut self.said);
        let Said { mut findings, counts } = self.said;
        for (code, count) in counts {
            let Some(more) = count.checked_sub(MOST_OF_ONE).filter(|more| *more > 0) else { continue };
            if let Some(last) = findings.iter_mut().rfind(|finding| finding.code == code) {
                let _ = write!(last.message, " (and {more} more)");
            }
        }
        findings
    }
}

fn shown(text: &str) -> crate::escape::Escaped<'_> {
    crate::escape::escape(text.as_bytes())
}
