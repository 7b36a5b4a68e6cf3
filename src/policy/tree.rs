//! The archive's own tree: who stands where, under folding. Collisions and link targets are looked up here.
//!
//! Names are not kept: a node is found by keyed hashes of its components, so memory does not grow with their length.

use std::collections::HashMap;
use std::collections::hash_map::{Entry, RandomState};
use std::hash::{BuildHasher as _, Hasher as _};

use caseless::Caseless as _;
use unicode_normalization::UnicodeNormalization as _;

use super::Fault;
use super::path::SafePath;
use crate::error::{Code, Error};
use crate::limits::Budget;

/// A place in the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct NodeId(u32);

/// What a member puts at its path.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node {
    pub(super) kind: NodeKind,
    /// macOS metadata, which is not written.
    pub(super) noise: bool,
    pub(super) ordinal: u64,
    /// The member that holds the content: another one for a hard link.
    pub(super) source: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NodeKind {
    Directory,
    /// `bytes` once it has been read to its end.
    File {
        executable: bool,
        bytes: Option<u64>,
    },
    Symlink,
}

#[derive(Debug)]
struct Place {
    node: Node,
    parent: NodeId,
    /// Hash of the component as it is spelled.
    exact: u128,
    /// Announced by a member of its own, rather than implied by one below it.
    explicit: bool,
}

/// All members so far, and the directories they imply.
#[derive(Debug)]
pub(super) struct Tree {
    places: Vec<Place>,
    children: HashMap<(NodeId, u128), NodeId>,
    hashers: (RandomState, RandomState),
    folded: String,
    directories: u64,
}

const ROOT: NodeId = NodeId(0);

impl Default for Tree {
    fn default() -> Self {
        let node = Node { kind: NodeKind::Directory, noise: false, ordinal: 0, source: 0 };
        Self {
            places: vec![Place { node, parent: ROOT, exact: 0, explicit: true }],
            children: HashMap::new(),
            hashers: (RandomState::new(), RandomState::new()),
            folded: String::new(),
            directories: 0,
        }
    }
}

impl Tree {
    /// Puts a member at its path, and the directories it implies, or says what stands in the way.
    pub(super) fn insert(&mut self, path: &SafePath, node: Node, budget: &mut Budget) -> Result<NodeId, Fault> {
        let mut at = ROOT;
        let mut components = path.components().peekable();
        while let Some(component) = components.next() {
            let exact = self.hash(component);
            let key = (at, self.folded_hash(component));
            let is_last = components.peek().is_none();
            let next = NodeId(u32::try_from(self.places.len()).unwrap_or(u32::MAX));
            let found = match self.children.entry(key) {
                Entry::Occupied(occupied) => *occupied.get(),
                Entry::Vacant(vacant) => {
                    let node = if is_last { node } else { Node { kind: NodeKind::Directory, ..node } };
                    if !is_last {
                        budget.entry().map_err(Fault::Exhausted)?;
                    }
                    vacant.insert(next);
                    let is_new = node.kind == NodeKind::Directory && !node.noise;
                    self.directories = self.directories.saturating_add(u64::from(is_new));
                    self.places.push(Place { node, parent: at, exact, explicit: is_last });
                    at = next;
                    continue;
                }
            };
            let Some(place) = self.places.get_mut(found.0 as usize) else { return Err(Error::new(Code::Io).into()) };
            if is_last {
                meet(place, exact, &node)?;
                // An implied directory is now announced; noise once implied by a real member is a real directory.
                place.explicit = true;
            } else {
                pass_through(place, exact)?;
            }
            if !node.noise && std::mem::take(&mut place.node.noise) {
                self.directories = self.directories.saturating_add(1);
            }
            at = found;
        }
        Ok(at)
    }

    pub(super) fn complete(&mut self, id: NodeId, size: u64) {
        if let Some(Place { node: Node { kind: NodeKind::File { bytes, .. }, .. }, .. }) =
            self.places.get_mut(id.0 as usize)
        {
            *bytes = Some(size);
        }
    }

    pub(super) fn directories(&self) -> u64 {
        self.directories
    }

    /// Source, mode and size of an earlier regular file that was written.
    pub(super) fn finished_file(&self, path: &SafePath) -> Option<(u64, bool, u64)> {
        let mut at = ROOT;
        for component in path.components() {
            at = self.child(at, component)?;
        }
        match self.node(at)? {
            Node { kind: NodeKind::File { executable, bytes: Some(bytes) }, noise: false, source, .. } => {
                Some((*source, *executable, *bytes))
            }
            _ => None,
        }
    }

    pub(super) fn node(&self, id: NodeId) -> Option<&Node> {
        self.places.get(id.0 as usize).map(|place| &place.node)
    }

    /// The directory that a place lies in; the root lies in itself.
    pub(super) fn parent(&self, id: NodeId) -> NodeId {
        self.places.get(id.0 as usize).map_or(ROOT, |place| place.parent)
    }

    /// The member of exactly this name in a directory.
    pub(super) fn child(&self, directory: NodeId, component: &str) -> Option<NodeId> {
        let mut folded = String::new();
        let key = (directory, self.hash(fold(component, &mut folded)));
        let found = *self.children.get(&key)?;
        let place = self.places.get(found.0 as usize)?;
        (place.exact == self.hash(component)).then_some(found)
    }

    pub(super) fn is_root(id: NodeId) -> bool {
        id == ROOT
    }

    fn hash(&self, text: &str) -> u128 {
        let half = |state: &RandomState| {
            let mut hasher = state.build_hasher();
            hasher.write(text.as_bytes());
            hasher.finish()
        };
        u128::from(half(&self.hashers.0)) << 64 | u128::from(half(&self.hashers.1))
    }

    fn folded_hash(&mut self, component: &str) -> u128 {
        let mut buffer = std::mem::take(&mut self.folded);
        let hash = self.hash(fold(component, &mut buffer));
        self.folded = buffer;
        hash
    }
}

/// Two members at one path.
fn meet(place: &Place, exact: u128, newcomer: &Node) -> Result<(), Error> {
    check_spelling(place, exact)?;
    let earlier = place.node.ordinal;
    let error = |code, detail: &str| Err(Error::with(code, format!("{detail} (entry {earlier})")));
    let is_file = |kind| matches!(kind, NodeKind::File { .. });
    match (place.node.kind, newcomer.kind) {
        (NodeKind::Directory, NodeKind::Directory) => Ok(()),
        (NodeKind::Directory, NodeKind::Symlink) if !place.explicit => {
            error(Code::LinkAsParent, "a link stands where another entry needs a directory")
        }
        (NodeKind::Directory, kind) | (kind, NodeKind::Directory) if is_file(kind) => {
            error(Code::FileDirConflict, "the path is used as a file and as a directory")
        }
        _ => error(Code::DuplicatePath, "the same path was used before"),
    }
}

/// A member below an earlier one.
fn pass_through(place: &Place, exact: u128) -> Result<(), Error> {
    check_spelling(place, exact)?;
    let earlier = place.node.ordinal;
    match place.node.kind {
        NodeKind::Directory => Ok(()),
        NodeKind::Symlink => {
            Err(Error::with(Code::LinkAsParent, format!("the entry lies below a link (entry {earlier})")))
        }
        NodeKind::File { .. } => {
            Err(Error::with(Code::FileDirConflict, format!("the entry lies below a file (entry {earlier})")))
        }
    }
}

fn check_spelling(place: &Place, exact: u128) -> Result<(), Error> {
    if place.exact == exact {
        return Ok(());
    }
    let earlier = place.node.ordinal;
    Err(Error::with(
        Code::PathCollision,
        format!("the path differs from an earlier one only in case or Unicode form (entry {earlier})"),
    ))
}

/// Unicode canonical caseless match (section 3.13, D145): NFD, fold, NFD.
fn fold<'b>(component: &str, buffer: &'b mut String) -> &'b str {
    buffer.clear();
    if component.is_ascii() {
        buffer.push_str(component);
        buffer.make_ascii_lowercase();
    } else {
        buffer.extend(component.nfd().default_case_fold().nfd());
    }
    buffer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folding_is_the_canonical_caseless_match() {
        let same = |a: &str, b: &str| {
            let (mut one, mut two) = (String::new(), String::new());
            fold(a, &mut one) == fold(b, &mut two)
        };
        for (a, b) in [
            ("README", "readme"),
            ("caf\u{e9}", "cafe\u{301}"),
            ("stra\u{df}e", "STRASSE"),
            ("\u{fb01}x", "fix"),
            ("\u{212a}", "k"),
            ("\u{3a3}", "\u{3c2}"),
            ("\u{1fc3}", "\u{397}\u{399}"),
            ("\u{212b}", "\u{e5}"),
        ] {
            assert!(same(a, b), "{a} {b}");
        }
        for (a, b) in [("\u{131}", "i"), ("\u{130}", "i"), ("a", "b"), ("\u{ff41}", "a"), ("\u{2460}", "1")] {
            assert!(!same(a, b), "{a} {b}");
        }
    }

    #[test]
    fn unicode_versions_are_pinned() {
        // A new version changes which names collide: look at the change before raising these.
        assert_eq!(unicode_normalization::UNICODE_VERSION, (18, 0, 0));
        assert_eq!(caseless::UNICODE_VERSION, (16, 0, 0));
        assert_eq!(unicode_security::UNICODE_VERSION, (18, 0, 0));
        assert_eq!(unicode_properties::UNICODE_VERSION, (18, 0, 0));
    }
}
