//! A raw member in, a safe member or a refusal out. Pure functions: no file system, no container.
//!
//! `SafePath`, `SafeTarget` and `SafeMode` can only be made here. One `Policy` value per run holds what it has seen; it
//! is consulted once for every member, and once more at the end for the links.

mod character;
mod link;
mod mode;
mod path;
mod tree;

use std::collections::HashMap;

pub(crate) use self::character::{hides_text, is_printable};
pub(crate) use self::link::SafeTarget;
use self::link::Target;
pub(crate) use self::mode::SafeMode;
use self::path::{Rules, Spelled};
pub(crate) use self::path::{SafePath, is_device_name, skeleton};
pub(crate) use self::tree::NodeId;
use self::tree::{Node, NodeKind, Tree};
use crate::container::{Encoding, Member, RawKind};
use crate::error::{Code, Error, Result};
use crate::limits::Budget;

/// What happens to links that stay inside the skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Links {
    /// Any link refuses the archive.
    Deny,
    /// **The default.** Symbolic links inside the skill are kept, hard links become copies.
    #[default]
    Keep,
}

impl Links {
    /// `keep` or `deny`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Deny => "deny",
            Self::Keep => "keep",
        }
    }
}

/// The rules of a run, and what it has seen so far.
#[derive(Debug)]
pub(crate) struct Policy {
    links: Links,
    rules: Rules,
    strip: Strip,
    tree: Tree,
    /// macOS metadata outside the wrapper that is stripped: after stripping it would stand where the skill's own does.
    outside: Option<Tree>,
    /// Metadata that came before it was known which directory is the wrapper, and may lie in it.
    early: Vec<(SafePath, Node)>,
    /// Symbolic links in archive order; they are judged when the archive is known whole.
    pending: Vec<PendingLink>,
    /// How many of them have been judged.
    judged: usize,
    targets: HashMap<NodeId, Target>,
}

/// `--strip-root`.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Strip {
    No,
    /// The first member that is not noise decides.
    Undecided,
    Wrapper(String),
}

/// A symbolic link that waits for the end. Its target is kept once, with those of the others.
#[derive(Debug)]
struct PendingLink {
    ordinal: u64,
    offset: u64,
    node: NodeId,
    path: SafePath,
    resolved: bool,
}

/// A member that may go on.
#[derive(Debug)]
pub(crate) enum Admitted {
    /// A hard link: a copy of an earlier file of this size, which the member with the number `source` brought.
    Copy {
        path: SafePath,
        from: SafePath,
        source: u64,
        mode: SafeMode,
        bytes: u64,
    },
    Directory(SafePath),
    /// A regular file; call [`Policy::complete`] with its size when it has been read.
    File {
        path: SafePath,
        mode: SafeMode,
        node: NodeId,
    },
    /// macOS metadata: read past, counted, not written.
    Noise,
    /// The root directory itself (`./`), or the wrapper: nothing to do.
    Root,
    /// A symbolic link: judged at the end, by [`Policy::judge_next_link`].
    Symlink {
        path: SafePath,
    },
}

/// Why a member may not go on.
#[derive(Debug)]
pub(crate) enum Fault {
    /// The budget is used up: the pass ends here.
    Exhausted(Error),
    /// With `--strip-root`: the member lies outside the wrapper, so this archive has none.
    OutsideWrapper,
    /// The member is refused; the pass may go on to find more.
    Refused(Error),
}

/// A symbolic link that was let through when it came.
#[derive(Debug)]
pub(crate) struct Link {
    pub(crate) ordinal: u64,
    pub(crate) path: SafePath,
    pub(crate) target: LinkTarget,
}

/// Where it leads.
#[derive(Debug)]
pub(crate) enum LinkTarget {
    /// Resolved over the archive's own graph.
    Safe(SafeTarget),
    /// Not resolved, or not to be: for the report alone.
    Unresolved(String),
}

impl Policy {
    pub(crate) fn new(links: Links, strip_root: bool, root_look_alikes: bool) -> Self {
        Self {
            links,
            rules: Rules { root_look_alikes },
            strip: if strip_root { Strip::Undecided } else { Strip::No },
            tree: Tree::default(),
            outside: None,
            early: Vec::new(),
            pending: Vec::new(),
            judged: 0,
            targets: HashMap::new(),
        }
    }

    /// Judges one member. The first rule broken decides; the order is documented in `docs/cases.md`.
    pub(crate) fn admit(&mut self, member: &Member<'_>, budget: &mut Budget) -> Result<Admitted, Fault> {
        let located = |error: Error| error.at(member.offset).in_entry(member.ordinal, member.name);
        self.judge(member, budget).map_err(|fault| match fault {
            Fault::Exhausted(error) => Fault::Exhausted(located(error)),
            Fault::Refused(error) => Fault::Refused(located(error)),
            Fault::OutsideWrapper => Fault::OutsideWrapper,
        })
    }

    /// The file at this node has been read to its end.
    pub(crate) fn complete(&mut self, node: NodeId, bytes: u64) {
        self.tree.complete(node, bytes);
    }

    /// Whether what comes later in the archive can no longer change the verdict on what came before: no link waits for
    /// its target, and no wrapper may turn out to be none.
    pub(crate) fn is_settled(&self) -> bool {
        self.pending.is_empty() && self.strip == Strip::No
    }

    /// Directories that members lie in or that were announced; the root and noise aside.
    pub(crate) fn directories(&self) -> u64 {
        self.tree.directories()
    }

    /// The archive is complete: resolves the next symbolic link, in archive order, over the archive's own graph.
    pub(crate) fn judge_next_link(&mut self) -> Option<(u64, Result<()>)> {
        let link = self.pending.get_mut(self.judged)?;
        self.judged = self.judged.saturating_add(1);
        let outcome = link::resolve(&self.tree, &self.targets, link.node)
            .map_err(|error| error.at(link.offset).in_entry(link.ordinal, link.path.as_str().as_bytes()));
        link.resolved = outcome.is_ok();
        Some((link.ordinal, outcome))
    }

    /// The paths and targets of all symbolic links, in archive order.
    #[cfg(feature = "plugin")]
    pub(crate) fn links(&self) -> impl Iterator<Item = (&str, &str)> {
        self.pending.iter().filter_map(|link| Some((link.path.as_str(), self.targets.get(&link.node)?.as_str())))
    }

    /// All symbolic links, in archive order: for the sink and the report. Nothing is copied.
    pub(crate) fn take_links(&mut self) -> impl Iterator<Item = Link> {
        let targets = &mut self.targets;
        std::mem::take(&mut self.pending).into_iter().filter_map(
            |PendingLink { ordinal, node, path, resolved, .. }| {
                let target = targets.remove(&node)?;
                let target = if resolved {
                    LinkTarget::Safe(target.into_safe())
                } else {
                    LinkTarget::Unresolved(target.into_string())
                };
                Some(Link { ordinal, path, target })
            },
        )
    }

    fn judge(&mut self, member: &Member<'_>, budget: &mut Budget) -> Result<Admitted, Fault> {
        budget.entry().map_err(Fault::Exhausted)?;
        check_encoding(member)?;
        let spelled = Spelled::read(member.name)?;
        let is_directory = matches!(member.kind, RawKind::Directory);
        let depth = spelled.depth();
        let was_undecided = self.strip == Strip::Undecided;
        let spelled = self.strip_wrapper(spelled, is_directory, matches!(member.kind, RawKind::File { .. }))?;
        if was_undecided {
            self.enter_wrapper(member.ordinal, budget)?;
        }
        let Some(spelled) = spelled else { return root(member) };
        if spelled.is_root() {
            return if is_directory { root(member) } else { Err(Error::new(Code::PathEmpty).into()) };
        }
        let below_noise = spelled.is_below_noise_root();
        let noise = below_noise || matches!(member.kind, RawKind::File { .. }) && spelled.has_noise_name();
        spelled.check(self.rules, noise, budget.limits())?;
        check_kind(member)?;
        if spelled.says_directory() && !is_directory {
            return Err(
                Error::with(Code::PathKindMismatch, "the name ends in a slash, but the entry is no directory").into()
            );
        }
        let is_link = matches!(member.kind, RawKind::Symlink { .. } | RawKind::HardLink { .. });
        if is_link && (below_noise || spelled.has_noise_name()) {
            return Err(Error::with(Code::LinkTargetInvalid, "a link has a name of macOS metadata").into());
        }
        if is_link && self.links == Links::Deny {
            return Err(Error::new(Code::LinksDenied).into());
        }
        let outside = noise && self.strip != Strip::No && spelled.depth() == depth;
        let path = spelled.into_path();
        if outside {
            let kind = match member.kind {
                RawKind::Special { what } => return Err(special(what)),
                RawKind::Directory => NodeKind::Directory,
                _ => NodeKind::File { executable: false, bytes: None },
            };
            let node = Node { kind, noise, ordinal: member.ordinal, source: member.ordinal };
            self.outside.get_or_insert_default().insert(&path, node, budget)?;
            if self.strip == Strip::Undecided && !below_noise {
                self.early.push((path, node));
            }
            return Ok(Admitted::Noise);
        }
        self.place(member, path, noise, budget)
    }

    fn place(
        &mut self,
        member: &Member<'_>,
        path: SafePath,
        noise: bool,
        budget: &mut Budget,
    ) -> Result<Admitted, Fault> {
        let node = |kind| Node { kind, noise, ordinal: member.ordinal, source: member.ordinal };
        match member.kind {
            RawKind::Directory => {
                self.tree.insert(&path, node(NodeKind::Directory), budget)?;
                Ok(if noise { Admitted::Noise } else { Admitted::Directory(path) })
            }
            RawKind::File { executable } => {
                let node = self.tree.insert(&path, node(NodeKind::File { executable, bytes: None }), budget)?;
                let mode = SafeMode::new(executable);
                Ok(if noise { Admitted::Noise } else { Admitted::File { path, mode, node } })
            }
            RawKind::HardLink { target } => {
                let from = self.hard_link_source(target, budget)?;
                let (source, executable, bytes) = self.tree.finished_file(&from).ok_or_else(|| {
                    Error::with(
                        Code::LinkTargetMissing,
                        format!("the hard link points to `{}`, which is no earlier regular file", from.escaped()),
                    )
                })?;
                let kind = NodeKind::File { executable, bytes: Some(bytes) };
                // A link to a link is a copy of the same first file.
                self.tree.insert(&path, Node { source, ..node(kind) }, budget)?;
                Ok(Admitted::Copy { path, from, source, mode: SafeMode::new(executable), bytes })
            }
            RawKind::Special { what } => Err(special(what)),
            RawKind::Symlink { target } => {
                let target = Target::parse(target, path.depth(), budget.limits())?;
                let node = self.tree.insert(&path, node(NodeKind::Symlink), budget)?;
                self.targets.insert(node, target);
                let (ordinal, offset) = (member.ordinal, member.offset);
                self.pending.push(PendingLink { ordinal, offset, node, path: path.clone(), resolved: false });
                Ok(Admitted::Symlink { path })
            }
        }
    }

    /// A hard link names its source by a path from the archive's root.
    fn hard_link_source(&mut self, target: &[u8], budget: &Budget) -> Result<SafePath, Fault> {
        let as_link = |error: Error| match error.code() {
            Code::AbsolutePath => Error::new(Code::LinkAbsolute),
            Code::PathTraversal => Error::new(Code::LinkEscape),
            _ => Error::with(Code::LinkTargetInvalid, format!("the hard link's target: {}", error.detail())),
        };
        if target.len() as u64 > budget.limits().link_target {
            let (bytes, most) = (target.len(), budget.limits().link_target);
            let detail = format!("the hard link's target has {bytes} bytes, the limit is {most}");
            return Err(Error::with(Code::LinkTargetInvalid, detail).into());
        }
        let spelled = Spelled::read(target).map_err(as_link)?;
        let says_directory = spelled.says_directory();
        let stripped = match &self.strip {
            Strip::Wrapper(wrapper) => spelled.without(wrapper),
            Strip::No | Strip::Undecided => Some(spelled),
        };
        let missing = || Error::with(Code::LinkTargetMissing, "the hard link points to no earlier regular file");
        let spelled = stripped.filter(|spelled| !spelled.is_root()).ok_or_else(missing)?;
        spelled.check(self.rules, true, budget.limits()).map_err(as_link)?;
        if says_directory {
            return Err(Error::with(Code::LinkTargetInvalid, "the hard link's target ends in a slash").into());
        }
        Ok(spelled.into_path())
    }

    /// Takes the wrapper off, if there is one: `None` is the wrapper itself.
    fn strip_wrapper<'n>(
        &mut self,
        spelled: Spelled<'n>,
        is_directory: bool,
        is_file: bool,
    ) -> Result<Option<Spelled<'n>>, Fault> {
        let noise = spelled.is_below_noise_root() || is_file && spelled.has_noise_name();
        if self.strip == Strip::Undecided && !noise && !spelled.is_root() {
            self.strip = match spelled.top() {
                Some(top) if spelled.depth() > 1 || is_directory => Strip::Wrapper(top.to_owned()),
                _ => Strip::No,
            };
            // There is no wrapper, so what came before was not outside one.
            if self.strip == Strip::No && self.outside.is_some() {
                return Err(Fault::OutsideWrapper);
            }
        }
        let Strip::Wrapper(wrapper) = &self.strip else { return Ok(Some(spelled)) };
        if spelled.is_root() || spelled.top() != Some(wrapper) {
            return if noise || spelled.is_root() { Ok(Some(spelled)) } else { Err(Fault::OutsideWrapper) };
        }
        let inner = spelled.without(wrapper);
        Ok(inner.filter(|inner| !(inner.is_root() && is_directory)))
    }

    /// Once it is known which directory the wrapper is: it has a name that nothing outside it may have too, and metadata that
    /// came before lies in it after all, where no other member may stand in its place.
    fn enter_wrapper(&mut self, ordinal: u64, budget: &mut Budget) -> Result<(), Fault> {
        let Strip::Wrapper(wrapper) = &self.strip else { return Ok(()) };
        let node = Node { kind: NodeKind::Directory, noise: true, ordinal, source: ordinal };
        let path = Spelled::read(wrapper.as_bytes())?.into_path();
        self.outside.get_or_insert_default().insert(&path, node, budget)?;
        for (path, node) in std::mem::take(&mut self.early) {
            if let Some(inner) = Spelled::read(path.as_str().as_bytes())?.without(wrapper) {
                self.tree.insert(&inner.into_path(), node, budget)?;
            }
        }
        Ok(())
    }
}

/// The root itself, or the wrapper: nothing is made of it, and yet it has to be a directory and nothing else.
fn root(member: &Member<'_>) -> Result<Admitted, Fault> {
    check_kind(member)?;
    Ok(Admitted::Root)
}

fn special(what: &str) -> Fault {
    Error::with(Code::SpecialFile, format!("the entry is {what}")).into()
}

fn check_kind(member: &Member<'_>) -> Result<()> {
    match member.kind_conflict {
        Some(conflict) => Err(Error::with(Code::PathKindMismatch, conflict)),
        None => Ok(()),
    }
}

/// A name outside ASCII whose encoding nobody can know is not guessed at.
fn check_encoding(member: &Member<'_>) -> Result<()> {
    if member.encoding == Encoding::Unknown && !member.name.is_ascii() {
        return Err(Error::with(
            Code::PathNotUtf8,
            "the name is not ASCII, not marked as UTF-8, and written by a host that uses code pages",
        ));
    }
    Ok(())
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self::Refused(error)
    }
}
