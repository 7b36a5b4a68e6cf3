//! A tree of files as a value, and the differences that docs/oracles.md takes out.

use std::collections::BTreeMap;

/// Path with `/` to what is there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Tree(BTreeMap<String, Node>);

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Node {
    Directory,
    File {
        bytes: Vec<u8>,
        /// `None`: the archive has no mode.
        exec: Option<bool>,
    },
    Link(String),
}

impl Node {
    /// Equal in all that both sides know.
    pub(crate) fn agrees_with(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::File { bytes, exec }, Self::File { bytes: others, exec: other }) => {
                bytes == others && (exec.is_none() || other.is_none() || exec == other)
            }
            _ => self == other,
        }
    }
}

impl Tree {
    /// Adds what an archive brings: a directory may come again, everything else once.
    pub(crate) fn add(&mut self, path: &str, node: Node) {
        if let Some(before) = self.0.insert(path.to_owned(), node) {
            assert_eq!((&before, self.0.get(path)), (&Node::Directory, Some(&Node::Directory)), "{path:?} came twice");
        }
    }

    pub(crate) fn get(&self, path: &str) -> Option<&Node> {
        self.0.get(path)
    }

    pub(crate) fn nodes(&self) -> impl Iterator<Item = (&str, &Node)> {
        self.0.iter().map(|(path, node)| (path.as_str(), node))
    }
}

/// Line 7 of docs/oracles.md: a name without `./`, `.`, `//` and a trailing slash; `None` for the root.
pub(crate) fn normal(name: &[u8]) -> Option<String> {
    let name = std::str::from_utf8(name).expect("an accepted name is UTF-8");
    let components: Vec<&str> = name.split('/').filter(|component| !matches!(*component, "" | ".")).collect();
    assert!(!name.starts_with('/') || components.is_empty(), "an accepted name is relative: {name:?}");
    assert!(!components.contains(&".."), "an accepted name has no `..`: {name:?}");
    (!components.is_empty()).then(|| components.join("/"))
}

/// The tree with the directories that its paths imply, and line 6: without macOS metadata (which implies nothing).
pub(crate) fn finished(tree: Tree) -> Tree {
    let is_file = |node: &Node| matches!(node, Node::File { .. });
    let is_noise = |path: &str, node: &Node| {
        let name = path.rsplit('/').next().unwrap_or_default();
        path.split('/').next() == Some("__MACOSX") || is_file(node) && (name == ".DS_Store" || name.starts_with("._"))
    };
    let mut finished = Tree(tree.0.into_iter().filter(|(path, node)| !is_noise(path, node)).collect());
    let paths: Vec<String> = finished.0.keys().cloned().collect();
    for path in &paths {
        for parent in path.match_indices('/').filter_map(|(at, _)| path.get(..at)) {
            let found = finished.0.entry(parent.to_owned()).or_insert(Node::Directory);
            assert_eq!(*found, Node::Directory, "{path:?} lies below something else");
        }
    }
    finished
}

/// Without the one directory that everything in a finished tree lies in; `None` if there is none.
pub(crate) fn stripped(tree: &Tree) -> Option<Tree> {
    let (root, node) = tree.nodes().next()?;
    if *node != Node::Directory {
        return None;
    }
    let inside = |path: &str| path.strip_prefix(root).and_then(|rest| rest.strip_prefix('/')).map(str::to_owned);
    let rest = tree.nodes().skip(1).map(|(path, node)| Some((inside(path)?, node.clone())));
    rest.collect::<Option<_>>().map(Tree)
}

/// One line for each difference.
pub(crate) fn differences(theirs: &Tree, ours: &Tree) -> Vec<String> {
    let mut lines = Vec::new();
    for (path, node) in theirs.nodes() {
        match ours.get(path) {
            None => lines.push(format!("skillx does not have {path:?}: {node:?}")),
            Some(our) if !our.agrees_with(node) => lines.push(format!("{path:?} is {node:?}, in skillx {our:?}")),
            Some(_) => {}
        }
    }
    for (path, node) in ours.nodes().filter(|(path, _)| theirs.get(path).is_none()) {
        lines.push(format!("only skillx has {path:?}: {node:?}"));
    }
    lines
}
