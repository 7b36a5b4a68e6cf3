//! Symbolic links: a target is judged by its letters when it comes, and over the archive's own graph at the end.

use std::collections::HashMap;

use super::character::first_offence;
use super::tree::{NodeId, NodeKind, Tree};
use crate::error::{Code, Error, Result};
use crate::escape::escape;
use crate::limits::Limits;

/// Links followed on the way to one target. Linux stops at 40, but nobody needs a chain of 9.
const MOST_STEPS: u32 = 8;

/// A relative link target that resolves to a file or directory of the archive, below its root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SafeTarget(String);

impl SafeTarget {
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    pub(crate) fn into_string(self) -> String {
        self.0
    }

    #[cfg(test)]
    pub(crate) fn for_test(text: &str) -> Self {
        Self(text.to_owned())
    }
}

/// A target whose letters are in order: so many levels up, then so many names down.
#[derive(Debug, Clone)]
pub(super) struct Target {
    text: String,
    up: usize,
    wants_directory: bool,
}

impl Target {
    /// Checks a raw target of a link that lies `depth` levels deep (1: at the root).
    pub(super) fn parse(raw: &[u8], depth: usize, limits: &Limits) -> Result<Self> {
        let invalid = |why: String| Error::with(Code::LinkTargetInvalid, why);
        if raw.is_empty() {
            return Err(invalid("the link target is empty".to_owned()));
        }
        if raw.len() as u64 > limits.link_target {
            let (bytes, most) = (raw.len(), limits.link_target);
            return Err(invalid(format!("the link target has {bytes} bytes, the limit is {most}")));
        }
        let shown = escape(raw);
        let text = std::str::from_utf8(raw).map_err(|_| invalid(format!("the link target `{shown}` is not UTF-8")))?;
        if text.starts_with('/') {
            return Err(Error::with(Code::LinkAbsolute, format!("the link points to the absolute path `{shown}`")));
        }
        if let Some((_, code)) = first_offence(text) {
            let why = code.explain().what.replace("the name", "the link target");
            return Err(invalid(format!("`{shown}`: {why}")));
        }
        let mut up: usize = 0;
        let mut down: usize = 0;
        for component in text.split('/') {
            match component {
                "" | "." => {}
                ".." if down > 0 => {
                    let detail = format!("the link target `{shown}` has `..` after a name");
                    return Err(Error::with(Code::LinkEscape, detail));
                }
                ".." => up = up.saturating_add(1),
                _ => down = down.saturating_add(1),
            }
        }
        let inside = depth.saturating_sub(1);
        if up > inside || up == inside && down == 0 {
            let where_to = if up > inside { "out of the skill directory" } else { "to the root of the skill" };
            return Err(Error::with(Code::LinkEscape, format!("the link to `{shown}` leads {where_to}")));
        }
        if down == 0 {
            return Err(Error::with(
                Code::LinkCycle,
                format!("the link to `{shown}` points to a directory above itself"),
            ));
        }
        let wants_directory = text.ends_with('/') || text.ends_with("/.");
        Ok(Self { text: text.to_owned(), up, wants_directory })
    }

    /// As it stands in the archive.
    #[cfg(feature = "plugin")]
    pub(super) fn as_str(&self) -> &str {
        &self.text
    }

    /// As it stands in the archive.
    pub(super) fn into_string(self) -> String {
        self.text
    }

    /// Once [`resolve`] has found it good.
    pub(super) fn into_safe(self) -> SafeTarget {
        SafeTarget(self.text)
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        self.text.split('/').filter(|component| !matches!(*component, "" | "." | ".."))
    }
}

/// Resolves one link, or says why it may not stand.
pub(super) fn resolve(tree: &Tree, targets: &HashMap<NodeId, Target>, link: NodeId) -> Result<()> {
    let Some(target) = targets.get(&link) else { return Err(Error::new(Code::LinkTargetInvalid)) };
    let shown = escape(target.text.as_bytes());
    let missing =
        || Error::with(Code::LinkTargetMissing, format!("the link points to `{shown}`, which is not in the archive"));
    let mut steps = 0;
    let end = follow(tree, targets, link, &mut steps)?.ok_or_else(missing)?;
    let node = tree.node(end).ok_or_else(missing)?;
    if node.noise {
        return Err(missing());
    }
    if Tree::is_root(end) {
        return Err(Error::with(Code::LinkEscape, format!("the link to `{shown}` leads to the root of the skill")));
    }
    if is_above(tree, end, link) {
        return Err(Error::with(Code::LinkCycle, format!("the link to `{shown}` points to a directory above itself")));
    }
    if target.wants_directory && node.kind != NodeKind::Directory {
        return Err(Error::with(
            Code::LinkTargetInvalid,
            format!("the link target `{shown}` ends in a slash and is a file"),
        ));
    }
    Ok(())
}

/// Where a link leads in the end; `None` if nowhere. At most [`MOST_STEPS`] links deep, so the recursion is bounded.
fn follow(tree: &Tree, targets: &HashMap<NodeId, Target>, link: NodeId, steps: &mut u32) -> Result<Option<NodeId>> {
    *steps = steps.saturating_add(1);
    if *steps > MOST_STEPS {
        return Err(Error::with(Code::LinkCycle, format!("the link takes more than {MOST_STEPS} steps to resolve")));
    }
    let Some(target) = targets.get(&link) else { return Ok(None) };
    let mut at = tree.parent(link);
    for _ in 0..target.up {
        at = tree.parent(at);
    }
    for name in target.names() {
        if tree.node(at).is_none_or(|node| node.kind != NodeKind::Directory) {
            return Ok(None);
        }
        let Some(next) = tree.child(at, name) else { return Ok(None) };
        at = next;
        if tree.node(at).is_some_and(|node| node.kind == NodeKind::Symlink) {
            match follow(tree, targets, at, steps)? {
                Some(end) => at = end,
                None => return Ok(None),
            }
        }
    }
    Ok(Some(at))
}

fn is_above(tree: &Tree, directory: NodeId, mut place: NodeId) -> bool {
    while !Tree::is_root(place) {
        place = tree.parent(place);
        if place == directory {
            return true;
        }
    }
    false
}
