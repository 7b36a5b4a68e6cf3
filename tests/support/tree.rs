//! A directory as a value: what lies in it, comparable, with nothing followed.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Relative path with `/` -> what is there. A name that is not UTF-8 appears with replacement characters.
pub type Tree = BTreeMap<String, Node>;

#[derive(Clone, PartialEq, Eq)]
pub enum Node {
    Dir,
    File {
        bytes: Vec<u8>,
        exec: bool,
    },
    Link(String),
    /// A device, FIFO or socket.
    Other,
}

impl std::fmt::Debug for Node {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Node::Dir => f.write_str("dir"),
            Node::File { bytes, exec } => {
                let text = String::from_utf8_lossy(&bytes[..bytes.len().min(40)]);
                write!(f, "file({} bytes {text:?}{})", bytes.len(), if *exec { ", x" } else { "" })
            }
            Node::Link(target) => write!(f, "link({target:?})"),
            Node::Other => f.write_str("special"),
        }
    }
}

pub fn file(path: &str, bytes: impl AsRef<[u8]>) -> (String, Node) {
    (path.to_owned(), Node::File { bytes: bytes.as_ref().to_vec(), exec: false })
}

pub fn exec(path: &str, bytes: impl AsRef<[u8]>) -> (String, Node) {
    (path.to_owned(), Node::File { bytes: bytes.as_ref().to_vec(), exec: true })
}

pub fn dir(path: &str) -> (String, Node) {
    (path.to_owned(), Node::Dir)
}

pub fn link(path: &str, target: &str) -> (String, Node) {
    (path.to_owned(), Node::Link(target.to_owned()))
}

/// Everything below a directory, the directory itself not.
pub fn walk(root: &Path) -> Tree {
    let mut tree = Tree::new();
    let mut open = vec![(root.to_path_buf(), String::new())];
    while let Some((directory, prefix)) = open.pop() {
        for entry in fs::read_dir(&directory).expect("a directory of the test is readable") {
            let entry = entry.expect("a directory of the test is readable");
            let path = format!("{prefix}{}", entry.file_name().to_string_lossy());
            let meta = fs::symlink_metadata(entry.path()).expect("an entry of the test is readable");
            let node = if meta.is_dir() {
                open.push((entry.path(), format!("{path}/")));
                Node::Dir
            } else if meta.is_symlink() {
                Node::Link(fs::read_link(entry.path()).expect("a link is readable").to_string_lossy().into_owned())
            } else if meta.is_file() {
                Node::File {
                    bytes: fs::read(entry.path()).expect("a file is readable"),
                    exec: mode(&meta) & 0o111 != 0,
                }
            } else {
                Node::Other
            };
            tree.insert(path, node);
        }
    }
    tree
}

/// What is wrong with the permission bits below a directory: nothing may be beyond 0755 (directories, executables) or
/// 0644, have a special bit, or be closed to its owner.
pub fn bad_modes(root: &Path) -> Vec<String> {
    let mut bad = Vec::new();
    for (path, node) in walk(root) {
        let meta = fs::symlink_metadata(root.join(&path)).expect("an entry of the test is readable");
        let bits = mode(&meta);
        let (most, least) = match node {
            Node::Dir => (0o755, 0o700),
            Node::File { exec: true, .. } => (0o755, 0o700),
            Node::File { exec: false, .. } => (0o644, 0o600),
            Node::Link(_) | Node::Other => continue,
        };
        if cfg!(unix) && (bits & !most != 0 || bits & least != least) {
            bad.push(format!("{path} has mode {bits:04o}"));
        }
    }
    bad
}

#[cfg(unix)]
fn mode(meta: &fs::Metadata) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    meta.permissions().mode() & 0o7777
}

#[cfg(not(unix))]
fn mode(_: &fs::Metadata) -> u32 {
    0
}

/// The differences between two trees, one line each.
pub fn differences(expected: &Tree, actual: &Tree) -> Vec<String> {
    let mut lines = Vec::new();
    for (path, node) in expected {
        match actual.get(path) {
            None => lines.push(format!("missing {path:?}: {node:?}")),
            Some(other) if other != node => lines.push(format!("{path:?} is {other:?}, not {node:?}")),
            Some(_) => {}
        }
    }
    for (path, node) in actual.iter().filter(|(path, _)| !expected.contains_key(*path)) {
        lines.push(format!("unexpected {path:?}: {node:?}"));
    }
    lines
}
