//! One pass over the members: container, policy and budget into a sink. Verdicts first, links and layout last.

mod again;
mod find;
mod named;
#[cfg(feature = "plugin")]
mod plugin;

use self::again::{LinkedSkill, content};
use super::describe::{denied_finding, describe, entry_of};
use super::options::{Options, Progress};
use crate::container::{Member, Members};
use crate::error::{Class, Code, Error, Kind, Result};
use crate::escape::escape;
use crate::layout::{Content, Findings, Layout, Shape, SkillMd};
use crate::limits::Budget;
use crate::policy::{Admitted, Fault, Link, LinkTarget, NodeId, Policy, SafePath};
use crate::report::{EntryPath, Finding, MOST_REFUSALS, Report, Totals};
use crate::sink::Sink;

/// Ordinal of refusals that are about the archive as a whole.
const WHOLE: u64 = u64::MAX;

/// Whether a policy refusal ends the pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// `check`, `list`: find every refusal.
    Collect,
    /// Extraction: the first one decides.
    First,
}

/// A pass that is under way.
struct Pass<'o, 's> {
    options: &'o Options,
    mode: Mode,
    sink: &'s mut dyn Sink,
    /// Cleared by the first refusal: nothing more is written.
    writing: bool,
    policy: Policy,
    budget: &'s mut Budget,
    shape: Shape,
    /// Where the header of the current member begins.
    offset: u64,
    /// Only of a skill: with the layout `any` nothing is known of what the files are for.
    findings: Option<Findings>,
    refusals: Vec<(u64, Error)>,
    skill: Option<SkillMd>,
    #[cfg(feature = "plugin")]
    plugin: Option<crate::layout::plugin::Plugin>,
    /// A SKILL.md that was refused has been reported; its absence need not be.
    skill_reported: bool,
    /// SKILL.md came as a hard link: its content is read again from the member that brought it.
    linked_skill: Option<LinkedSkill>,
    report: &'s mut Report,
}

/// How the loop over the members ended.
enum End {
    Complete,
    /// Stopped at the first refusal.
    Stopped,
    /// With `--strip-root`: this path lies outside the wrapper.
    OutsideWrapper(String),
}

/// Opens the members from their beginning.
pub(super) type Source<'a> = dyn FnMut(&mut Budget) -> Result<Box<dyn Members + 'a>> + 'a;

/// Runs members through every check into `sink`, filling `report`. `Ok` only if nothing refuses them.
pub(super) fn run(
    source: &mut Source<'_>,
    budget: &mut Budget,
    options: &Options,
    mode: Mode,
    sink: &mut dyn Sink,
    report: &mut Report,
) -> Result<Content> {
    let mut outside = None;
    loop {
        let mut members = source(budget)?;
        let strip = options.strip_root && outside.is_none();
        let mut pass = Pass::new(options, mode, strip, budget, sink, report);
        match pass.members(members.as_mut()) {
            // The first member made this look like a wrapper, a later one shows that it is none: read it as it stands.
            Ok(End::OutsideWrapper(path)) => {
                outside = Some(path);
                pass.restart()?;
            }
            Ok(End::Complete) => {
                if let Some(linked) = pass.linked_skill.take() {
                    let mut budget = pass.budget.restarted();
                    let mut members = source(&mut budget)?;
                    let kept = content(members.as_mut(), linked.source, &mut budget, options.limits.skill_md)?;
                    pass.offset = linked.offset;
                    pass.judge_skill_md(&kept, linked.bytes, linked.entry, linked.ordinal);
                }
                pass.judge_links();
                #[cfg(feature = "plugin")]
                if let Err(error) = pass.judge_plugin(source, outside.as_deref()) {
                    return pass.verdict(Some(error));
                }
                return pass.finish(outside.as_deref());
            }
            Ok(End::Stopped) => return pass.verdict(None),
            Err(error) => return pass.verdict(Some(error)),
        }
    }
}

impl<'o, 's> Pass<'o, 's> {
    fn new(
        options: &'o Options,
        mode: Mode,
        strip_root: bool,
        budget: &'s mut Budget,
        sink: &'s mut dyn Sink,
        report: &'s mut Report,
    ) -> Self {
        Self {
            options,
            mode,
            sink,
            writing: true,
            policy: Policy::new(options.links, strip_root, options.layout == Layout::Skill),
            budget,
            shape: Shape::of(options.layout),
            offset: 0,
            findings: (options.layout == Layout::Skill).then(Findings::default),
            refusals: Vec::new(),
            skill: None,
            #[cfg(feature = "plugin")]
            plugin: None,
            skill_reported: false,
            linked_skill: None,
            report,
        }
    }

    fn members(&mut self, members: &mut dyn Members) -> Result<End> {
        let mut any = false;
        loop {
            let position = members.position();
            let Some(member) = members.next(self.budget).map_err(|error| error.at(position))? else { break };
            any = true;
            let entry = self.report.entries.len();
            self.report.entries.push(describe(&member));
            let ordinal = member.ordinal;
            self.offset = member.offset;
            match self.policy.admit(&member, self.budget) {
                Ok(admitted) => {
                    self.find_in_name(&member);
                    let admitted = self.admitted(entry, &member, admitted);
                    self.store(members, entry, ordinal, admitted)?;
                }
                Err(Fault::Exhausted(error)) => return Err(error),
                Err(Fault::OutsideWrapper) => {
                    return Ok(End::OutsideWrapper(String::from_utf8_lossy(member.name).into_owned()));
                }
                Err(Fault::Refused(error)) => self.refuse(ordinal, Some(entry), error),
            }
            self.options.tell(self.progress());
            if self.may_stop() {
                return Ok(End::Stopped);
            }
        }
        if !any {
            return Err(Error::new(Code::EmptyArchive));
        }
        Ok(End::Complete)
    }

    /// In an extraction the first refusal in archive order decides. A link before it might still be refused, or a wrapper
    /// turn out to be none, and that is known only when the archive has been read whole.
    fn may_stop(&self) -> bool {
        self.mode == Mode::First && !self.refusals.is_empty() && self.policy.is_settled() && self.linked_skill.is_none()
    }

    /// Completes the report's entry for a member that was let through.
    fn admitted(&mut self, entry: usize, member: &Member<'_>, admitted: Admitted) -> Admitted {
        let Some(entry) = self.report.entries.get_mut(entry) else { return admitted };
        match &admitted {
            Admitted::Noise => entry.omitted = true,
            Admitted::Root => entry.path = EntryPath::Text(".".to_owned()),
            Admitted::Copy { path, from, mode, bytes, .. } => {
                entry.path = EntryPath::Text(path.as_str().to_owned());
                entry.link_target = Some(from.as_str().to_owned());
                (entry.executable, entry.bytes) = (mode.executable(), *bytes);
            }
            // The policy keeps both texts until the end; then they move here.
            Admitted::Symlink { .. } => (entry.path, entry.link_target) = (EntryPath::Text(String::new()), None),
            Admitted::File { path, .. } | Admitted::Directory(path) => {
                // Most names are clean as they stand: nothing to copy then.
                if member.name != path.as_str().as_bytes() {
                    entry.path = EntryPath::Text(path.as_str().to_owned());
                }
            }
        }
        admitted
    }

    fn store(&mut self, members: &mut dyn Members, entry: usize, ordinal: u64, admitted: Admitted) -> Result<()> {
        let path = match admitted {
            Admitted::Root => return Ok(()),
            Admitted::Noise => {
                let bytes = self.read(members, entry, ordinal, false, None)?;
                self.set_bytes(entry, bytes);
                return Ok(());
            }
            Admitted::File { path, mode, node } => {
                if self.writing {
                    self.sink.begin(ordinal, &path, mode)?;
                }
                self.file(members, entry, ordinal, &path, node)?;
                path
            }
            Admitted::Directory(path) => {
                if self.writing {
                    self.sink.directory(ordinal, &path)?;
                }
                self.shape.see(path.as_str(), false);
                path
            }
            Admitted::Copy { path, from, source, mode, bytes } => {
                self.budget.begin_file();
                self.budget.file_bytes(bytes).map_err(|error| about(error.at(self.offset), ordinal, &path))?;
                if self.writing {
                    self.sink.copy(ordinal, &from, &path, mode)?;
                }
                self.count_file(bytes);
                self.shape.see(path.as_str(), true);
                if self.options.layout == Layout::Skill && path.as_str() == "SKILL.md" {
                    self.linked_skill = Some(LinkedSkill { source, entry, ordinal, offset: self.offset, bytes });
                    return Ok(());
                }
                path
            }
            Admitted::Symlink { path } => {
                self.shape.see(path.as_str(), false);
                path
            }
        };
        self.check_skill_md_kind(&path, entry, ordinal);
        Ok(())
    }

    fn file(
        &mut self,
        members: &mut dyn Members,
        entry: usize,
        ordinal: u64,
        path: &SafePath,
        node: NodeId,
    ) -> Result<()> {
        let is_skill_md = self.options.layout == Layout::Skill && path.as_str() == "SKILL.md";
        let mut kept = is_skill_md.then(Vec::new);
        let bytes = self.read(members, entry, ordinal, true, kept.as_mut())?;
        if self.writing {
            self.sink.end()?;
        }
        self.policy.complete(node, bytes);
        self.set_bytes(entry, bytes);
        self.count_file(bytes);
        self.shape.see(path.as_str(), true);
        if let Some(kept) = kept {
            self.judge_skill_md(&kept, bytes, entry, ordinal);
        }
        Ok(())
    }

    /// Reads a file to its end: into the sink (if it is `written`), and as much of it as SKILL.md may have into `kept`.
    fn read(
        &mut self,
        members: &mut dyn Members,
        entry: usize,
        ordinal: u64,
        written: bool,
        mut kept: Option<&mut Vec<u8>>,
    ) -> Result<u64> {
        let mut bytes: u64 = 0;
        let most_kept = usize::try_from(self.options.limits.skill_md).unwrap_or(usize::MAX).saturating_add(1);
        self.budget.begin_file();
        loop {
            let position = members.position();
            let piece = match members.data(self.budget) {
                Ok(Some(piece)) => piece,
                Ok(None) => {
                    if let Some(findings) = &mut self.findings {
                        findings.end();
                    }
                    return Ok(bytes);
                }
                Err(error) => return Err(self.blame(entry, ordinal, error.at(position))),
            };
            if let Err(error) = self.budget.file_bytes(piece.len() as u64) {
                return Err(self.blame(entry, ordinal, error.at(position)));
            }
            if written {
                self.find_in_piece(entry, bytes == 0, piece);
            }
            bytes = bytes.saturating_add(piece.len() as u64);
            if self.writing && written {
                self.sink.write(piece)?;
            }
            if let Some(kept) = &mut kept {
                let room = most_kept.saturating_sub(kept.len()).min(piece.len());
                kept.extend_from_slice(piece.get(..room).unwrap_or_default());
            }
            self.options.tell(self.progress());
        }
    }

    fn judge_skill_md(&mut self, bytes: &[u8], size: u64, entry: usize, ordinal: u64) {
        let most = self.options.limits.skill_md;
        let outcome = if size > most {
            Err(Error::with(Code::SkillMdInvalid, format!("SKILL.md has {size} bytes, the limit is {most}")))
        } else {
            SkillMd::parse(bytes)
        };
        match outcome {
            Ok(skill) => {
                // A file may have as many unknown keys as its budget allows.
                let found = if self.options.web { skill.web_findings() } else { skill.findings() };
                self.report.findings.extend(found.into_iter().take(MOST_REFUSALS));
                if let Some(findings) = &mut self.findings {
                    findings.skill_md(&skill);
                }
                self.skill = Some(skill);
            }
            Err(error) => {
                self.skill_reported = true;
                self.refuse(ordinal, Some(entry), error.in_entry(ordinal, b"SKILL.md"));
            }
        }
    }

    fn check_skill_md_kind(&mut self, path: &SafePath, entry: usize, ordinal: u64) {
        let is_skill = self.options.layout == Layout::Skill;
        let top = path.components().next();
        if !is_skill || top != Some("SKILL.md") || self.skill.is_some() || self.skill_reported {
            return;
        }
        self.skill_reported = true;
        let error = Error::new(Code::SkillMdNotRegular).in_entry(ordinal, path.as_str().as_bytes());
        self.refuse(ordinal, Some(entry), error);
    }

    /// The archive was read to its end: every link is judged over the whole tree.
    fn judge_links(&mut self) {
        while let Some((ordinal, outcome)) = self.policy.judge_next_link() {
            match outcome {
                Ok(()) => self.report.totals.links = self.report.totals.links.saturating_add(1),
                Err(error) => self.refuse(ordinal, entry_of(ordinal), error),
            }
        }
    }

    /// Layout, promised name, denied findings; then the links are made.
    fn finish(mut self, outside: Option<&str>) -> Result<Content> {
        if self.options.layout == Layout::Skill {
            self.check_layout(outside);
        }
        let links: Vec<Link> = self.policy.take_links().collect();
        self.find_in_whole(&links);
        self.check_denied();
        self.report.totals.directories = self.policy.directories();
        if self.refusals.is_empty() {
            self.make_links(links)?;
        } else {
            links.into_iter().for_each(|link| self.report_link(link));
        }
        self.verdict(None)
    }

    /// Creates the links; each then moves into the report.
    fn make_links(&mut self, links: Vec<Link>) -> Result<()> {
        let mut outcome = Ok(());
        for link in links {
            if let (Ok(()), LinkTarget::Safe(target)) = (&outcome, &link.target) {
                outcome = self.sink.symlink(link.ordinal, &link.path, target);
            }
            self.report_link(link);
        }
        outcome
    }

    fn report_link(&mut self, link: Link) {
        let entry = entry_of(link.ordinal).and_then(|entry| self.report.entries.get_mut(entry));
        let Some(entry) = entry else { return };
        entry.path = EntryPath::Text(link.path.into_string());
        entry.link_target = Some(match link.target {
            LinkTarget::Safe(target) => target.into_string(),
            LinkTarget::Unresolved(target) => target,
        });
    }

    fn check_layout(&mut self, outside: Option<&str>) {
        if !self.skill_reported
            && let Err(error) = self.shape.check(outside)
        {
            self.refuse(WHOLE, None, error);
        }
        let Some(skill) = &self.skill else { return };
        let found = skill.name().clone();
        self.check_name("SKILL.md", "skill", &found);
        if let Some(directory) = &self.options.directory_name
            && found.as_raw() != directory
        {
            let message = format!("the skill is called `{found}`, its directory `{}`", escape(directory.as_bytes()));
            self.report.findings.push(Finding::new(Code::SkillNameDirectory, Some("SKILL.md"), message));
        }
    }

    fn check_denied(&mut self) {
        let denied = |finding: &&Finding| self.options.deny.contains(finding.code);
        let errors: Vec<_> = self.report.findings.iter().filter(denied).map(denied_finding).collect();
        for error in errors {
            self.refuse(WHOLE, None, error);
        }
    }

    fn refuse(&mut self, ordinal: u64, entry: Option<usize>, error: Error) {
        self.writing = false;
        let error = if entry.is_some() { error.at(self.offset) } else { error };
        if let Some(entry) = entry.and_then(|entry| self.report.entries.get_mut(entry)) {
            entry.refused = Some(error.code());
        }
        if self.refusals.len() < MOST_REFUSALS {
            self.refusals.push((ordinal, error));
            return;
        }
        // Links are judged last but may stand first: the latest refusal makes room.
        let latest = self.refusals.iter_mut().max_by_key(|(ordinal, _)| *ordinal);
        if let Some(latest) = latest.filter(|(latest, _)| *latest > ordinal) {
            *latest = (ordinal, error);
        }
    }

    /// Sorts the refusals into archive order and lets the first one decide.
    fn verdict(mut self, fatal: Option<Error>) -> Result<Content> {
        let links: Vec<Link> = self.policy.take_links().collect();
        for link in links {
            self.report_link(link);
        }
        let fatal = self.sink.settle().err().or(fatal);
        if let Some(error) = &fatal {
            self.forget_after(error);
        }
        self.refusals.sort_by_key(|(ordinal, _)| *ordinal);
        let mut refusals: Vec<_> = self.refusals.drain(..).map(|(_, error)| error).collect();
        if let Some(fatal) = fatal {
            match (fatal.class(), fatal.kind(), refusals.is_empty()) {
                (Class::Refused, ..) => refusals.push(fatal),
                (_, Kind::Cancelled, _) | (_, _, true) => return Err(fatal),
                // Out of time after a refusal: the archive stays refused.
                _ => {}
            }
        }
        if self.mode == Mode::First {
            refusals.truncate(1);
        }
        refusals.truncate(MOST_REFUSALS);
        let first = refusals.first().cloned();
        self.report.refusals = refusals;
        match first {
            Some(error) => Err(error),
            None => Ok(self.content()),
        }
    }

    /// A sink that works behind fails at a member before some that the pass has met already: without a thread it would
    /// have ended there.
    fn forget_after(&mut self, error: &Error) {
        let Some(entry) = error.entry().filter(|_| error.kind() == Kind::Failed) else { return };
        let ordinal = entry.ordinal();
        self.refusals.retain(|(refused, _)| *refused <= ordinal);
        self.report.entries.truncate(usize::try_from(ordinal).unwrap_or(usize::MAX));
    }

    /// Forgets what was reported under a wrapper that turned out to be none.
    fn restart(self) -> Result<()> {
        self.report.entries.clear();
        self.report.findings.clear();
        self.report.totals = Totals::default();
        *self.budget = self.budget.restarted();
        self.sink.restart()
    }

    fn set_bytes(&mut self, entry: usize, bytes: u64) {
        if let Some(entry) = self.report.entries.get_mut(entry) {
            entry.bytes = bytes;
        }
    }

    fn count_file(&mut self, bytes: u64) {
        let totals = &mut self.report.totals;
        totals.files = totals.files.saturating_add(1);
        totals.bytes = totals.bytes.saturating_add(bytes);
    }

    fn blame(&self, entry: usize, ordinal: u64, error: Error) -> Error {
        match self.report.entries.get(entry).map(|entry| &entry.path) {
            Some(EntryPath::Text(path)) => error.in_entry(ordinal, path.as_bytes()),
            Some(EntryPath::Bytes(_)) | None => error,
        }
    }

    fn progress(&self) -> Progress {
        Progress { entries: self.report.entries.len() as u64, unpacked: self.budget.inflated_so_far() }
    }
}

fn about(error: Error, ordinal: u64, path: &SafePath) -> Error {
    error.in_entry(ordinal, path.as_str().as_bytes())
}
