//! What a reader left in a directory, as a value: nothing followed, nothing opened but regular files.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::Path;

pub(crate) type Tree = BTreeMap<String, Node>;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Node {
    Directory,
    /// Content and whether anyone may execute it.
    File(Vec<u8>, bool),
    Link(String),
    Special(&'static str),
}

impl Node {
    /// In a few words.
    pub(crate) fn describe(&self) -> String {
        match self {
            Self::Directory => "a directory".to_owned(),
            Self::File(bytes, _) => format!("a file of {} bytes", bytes.len()),
            Self::Link(target) => format!("a link to {target}"),
            Self::Special(what) => format!("a {what}"),
        }
    }
}

/// Everything below a directory. Names are escaped to printable ASCII; in targets the directory's own path is `DIR`.
pub(crate) fn walk(root: &Path) -> Tree {
    let mut tree = Tree::new();
    let mut open = vec![(root.to_path_buf(), String::new())];
    while let Some((directory, prefix)) = open.pop() {
        for entry in fs::read_dir(&directory).into_iter().flatten().flatten() {
            let path = entry.path();
            let name = format!("{prefix}{}", shown(entry.file_name().as_bytes()));
            let Ok(meta) = fs::symlink_metadata(&path) else { continue };
            let kind = meta.file_type();
            let node = if kind.is_dir() {
                open.push((path, format!("{name}/")));
                Node::Directory
            } else if kind.is_symlink() {
                let target = fs::read_link(&path).unwrap_or_default();
                Node::Link(shown(target.as_os_str().as_bytes()).replace(&root.display().to_string(), "DIR"))
            } else if kind.is_file() {
                Node::File(fs::read(&path).unwrap_or_default(), meta.mode() & 0o111 != 0)
            } else if kind.is_fifo() {
                Node::Special("FIFO")
            } else {
                Node::Special(if kind.is_socket() { "socket" } else { "device" })
            };
            tree.insert(name, node);
        }
    }
    tree
}

fn shown(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    text.chars()
        .flat_map(|c| if c.is_ascii_graphic() || c == ' ' { vec![c] } else { c.escape_default().collect() })
        .collect()
}

/// Links that lead out of the tree: absolute ones, and those with more `..` than directories above them.
pub(crate) fn links_out(tree: &Tree) -> Vec<String> {
    let leads_out = |path: &str, target: &str| {
        let mut depth = path.matches('/').count();
        target.starts_with('/')
            || target.starts_with("DIR/..")
            || target.split('/').any(|component| match component {
                "" | "." => false,
                ".." => {
                    let out = depth == 0;
                    depth = depth.saturating_sub(1);
                    out
                }
                _ => {
                    depth += 1;
                    false
                }
            })
    };
    let link = |(path, node): (&String, &Node)| match node {
        Node::Link(target) if leads_out(path, target) => Some(path.clone()),
        _ => None,
    };
    tree.iter().filter_map(link).collect()
}

/// How a tree differs from another, the first few differences in words.
pub(crate) fn difference(from: &Tree, to: &Tree) -> String {
    let mut words = Vec::new();
    for (path, node) in from {
        match to.get(path) {
            None => words.push(format!("no `{}`", short(path))),
            Some(other) if other != node => words.push(match (node, other) {
                (Node::File(one, _), Node::File(two, _)) if one == two => {
                    format!("`{}` has another execute bit", short(path))
                }
                (Node::File(one, _), Node::File(two, _)) if one.len() == two.len() => {
                    format!("`{}` has other bytes", short(path))
                }
                _ => format!("`{}` is {}", short(path), short(&other.describe())),
            }),
            Some(_) => {}
        }
    }
    for (path, node) in to.iter().filter(|(path, _)| !from.contains_key(*path)) {
        words.push(format!("also `{}`, {}", short(path), short(&node.describe())));
    }
    let more = words.len().saturating_sub(3);
    words.truncate(3);
    if more > 0 {
        words.push(format!("{more} more"));
    }
    words.join("; ")
}

/// Long names make no page readable.
fn short(text: &str) -> String {
    const MOST: usize = 40;
    if text.len() <= MOST { text.to_owned() } else { format!("{}…", &text[..MOST]) }
}
