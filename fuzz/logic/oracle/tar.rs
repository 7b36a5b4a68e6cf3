//! A tar stream as the crate `tar` reads it.

use std::io::Read as _;

use tar::{Archive, EntryType};

use super::Reading;
use super::tree::{Node, Tree, normal};

/// The whole tree. That the crate fails on what skillx accepts is a difference like any other, with one exception.
pub(super) fn read(stream: &[u8]) -> Reading {
    let mut tree = Tree::default();
    let mut archive = Archive::new(stream);
    for entry in archive.entries().expect("the crate `tar` opens what skillx accepts") {
        let mut entry = match entry {
            Ok(entry) => entry,
            Err(error) if is_blank_size(&error) => return Reading::Partial(tree),
            Err(error) => panic!("the crate `tar` reads what skillx accepts: {error}"),
        };
        let kind = entry.header().entry_type();
        // Line 15: a global pax header is handed out like a member.
        if kind == EntryType::XGlobalHeader {
            continue;
        }
        let Some(path) = normal(without_nuls(&entry.path_bytes())) else {
            assert_eq!(kind, EntryType::Directory, "the root is a directory");
            continue;
        };
        let target = entry.link_name_bytes().map(|target| without_nuls(&target).to_vec());
        let node = match kind {
            EntryType::Regular => {
                // Line 5: of the mode, only whether anyone may execute it.
                let exec = entry.header().mode().ok().map(|mode| mode & 0o111 != 0);
                let mut bytes = Vec::new();
                entry.read_to_end(&mut bytes).expect("the crate `tar` reads what skillx accepts");
                Node::File { bytes, exec }
            }
            EntryType::Directory => Node::Directory,
            EntryType::Symlink => Node::Link(
                String::from_utf8(target.expect("a link has a target")).expect("an accepted target is UTF-8"),
            ),
            // Line 4: a hard link is a second name, a copy here.
            EntryType::Link => {
                let source = normal(&target.expect("a link has a target")).expect("a hard link names a file");
                tree.get(&source)
                    .unwrap_or_else(|| panic!("{path:?} is a link to {source:?}, which is not there"))
                    .clone()
            }
            kind => panic!("{path:?} has type {kind:?}"),
        };
        tree.add(&path, node);
    }
    Reading::Complete(tree)
}

/// Line 17: a size field of nothing but NULs is no number to the crate, and zero to all others.
fn is_blank_size(error: &std::io::Error) -> bool {
    error.to_string().starts_with("numeric field was not a number:  when getting size")
}

/// Line 16: of the NULs at the end of a GNU long name the crate takes one away.
fn without_nuls(name: &[u8]) -> &[u8] {
    let end = name.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    &name[..end]
}
