//! What is worth saying, as the pass comes by it.

use super::Pass;
use crate::container::{Encoding, Member};
use crate::error::Code;
use crate::escape::escape;
use crate::layout::Whole;
use crate::policy::Link;
use crate::report::{EntryPath, Finding, MOST_REFUSALS};

impl Pass<'_, '_> {
    pub(super) fn find_in_name(&mut self, member: &Member<'_>) {
        self.find_unflagged(member);
        if let Some(findings) = &mut self.findings {
            findings.member(member);
        }
    }

    /// A piece of a file that is written.
    pub(super) fn find_in_piece(&mut self, entry: usize, is_first: bool, piece: &[u8]) {
        let Some(findings) = &mut self.findings else { return };
        if !is_first {
            findings.more(piece);
        } else if let Some(EntryPath::Text(path)) = self.report.entries.get(entry).map(|entry| &entry.path) {
            findings.begin(path, piece);
        }
    }

    /// What only the whole archive shows.
    pub(super) fn find_in_whole(&mut self, links: &[Link]) {
        let Some(findings) = self.findings.take() else { return };
        let links: Vec<_> = links.iter().map(|link| link.path.as_str()).collect();
        let whole = Whole {
            entries: &self.report.entries,
            links: &links,
            bytes: self.report.totals.bytes,
            archive: self.report.artifact.bytes,
            is_zip: self.report.artifact.format == Some("zip"),
        };
        let room = MOST_REFUSALS.saturating_sub(self.report.findings.len());
        let found = findings.finish(whole);
        self.report.findings.extend(found.into_iter().take(room));
    }

    fn find_unflagged(&mut self, member: &Member<'_>) {
        let full = self.report.findings.len() >= MOST_REFUSALS;
        if member.encoding == Encoding::Unflagged && !member.name.is_ascii() && !full {
            let name = String::from_utf8_lossy(member.name);
            let message = format!("the name `{}` is not marked as UTF-8", escape(member.name));
            self.report.findings.push(Finding::new(Code::ZipNameUnflagged, Some(&name), message));
        }
    }
}
