//! A zip file as the crate `zip` reads it.

use std::io::{Cursor, Read as _};

use zip::{System, ZipArchive};

use super::Reading;
use super::tree::{Node, Tree, normal};

/// The whole tree. That the crate cannot find or read an entry of what skillx accepts is a difference like any other.
pub(super) fn read(file: &[u8]) -> Reading {
    let mut tree = Tree::default();
    // Line 17: it gives up on extra fields that say nothing to anybody, before it has read a thing.
    let Ok(mut archive) = ZipArchive::new(Cursor::new(file)) else { return Reading::Partial(tree) };
    for at in 0..archive.len() {
        let mut entry = archive.by_index(at).expect("the crate `zip` finds what skillx accepts");
        // As bytes: what the crate makes of a name without the flag is a guess.
        let name = normal(entry.name_raw());
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).expect("the crate `zip` reads what skillx accepts");
        let node = if entry.is_dir() {
            assert!(bytes.is_empty(), "a directory has no content");
            Node::Directory
        } else if entry.is_symlink() {
            Node::Link(String::from_utf8(bytes).expect("an accepted target is UTF-8"))
        } else {
            // Line 5: of the mode, only whether anyone may execute it, and that where the archive was made on Unix.
            let exec = entry.unix_mode().filter(|_| entry.system() == System::Unix).map(|mode| mode & 0o111 != 0);
            Node::File { bytes, exec }
        };
        match name {
            Some(name) => tree.add(&name, node),
            None => assert_eq!(node, Node::Directory, "the root is a directory"),
        }
    }
    Reading::Complete(tree)
}
