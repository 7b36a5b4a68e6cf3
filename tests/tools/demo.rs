//! The demo skill: everything an honest skill may hold that archive formats have trouble with.

use std::fs;
use std::path::Path;

use crate::support::tree::{Node, Tree, dir, exec, file, link};

/// A path of 150 bytes that ustar can still hold, split into prefix and name.
pub const SPLITTABLE: &str = "references/a-directory-with-a-name-of-some-length-that-pushes-all-below-it/\
     a-file-whose-name-alone-fits-the-hundred-bytes-of-a-header-but-not-with-its-path.md";
/// A name of 124 bytes: no ustar header holds it.
pub const LONG: &str = "a-file-name-that-is-longer-than-a-tar-header-can-hold-so-that-every-writer-needs-an-extension-\
     for-it-be-it-pax-or-gnu.txt";

/// A name of two-byte letters: byte 100 of its path lies inside one, with and without `./` before it.
fn letters() -> String {
    format!("references/{}.md", "é".repeat(55))
}

/// The demo skill.
pub fn skill() -> Tree {
    let mut tree = Tree::from([
        file(
            "SKILL.md",
            "---\nname: demo\ndescription: Shows what a skill may hold.\n---\n\n# Demo\n\nRun scripts/run.sh.\n",
        ),
        dir("assets"),
        file("assets/pixel.bin", (0..=255_u8).cycle().take(1000).collect::<Vec<u8>>()),
        file("assets/pixel copy (1) & more.bin", (0..=255_u8).cycle().take(1000).collect::<Vec<u8>>()),
        file("assets/large.dat", large()),
        file("assets/empty.txt", ""),
        dir("assets/drafts"),
        dir("references"),
        file("references/guide.md", "# Guide\n"),
        file("references/guía.md", "# Guía\n"),
        file("references/re\u{301}sume\u{301}.md", "decomposed\n"),
        file("references/手引き.md", "three bytes a letter\n"),
        file(&format!("references/{LONG}"), "a long name\n"),
        file(&letters(), "cut inside a letter\n"),
        file(SPLITTABLE, "a long path\n"),
        dir("scripts"),
        exec("scripts/run.sh", "#!/bin/sh\necho ran\n"),
        file("scripts/.hidden", "a dot file\n"),
        link("scripts/latest.sh", "run.sh"),
        link("references/start.md", "../SKILL.md"),
        link("docs", "references"),
        link("references/long.txt", LONG),
    ]);
    let parent = SPLITTABLE.rsplit_once('/').expect("the path has a parent").0;
    tree.extend([dir(parent)]);
    tree
}

/// What a ustar header can hold of it.
pub fn ustar() -> Tree {
    let fits = |path: &str| path.rsplit('/').next().is_some_and(|name| name.len() <= 100);
    let target = |node: &Node| !matches!(node, Node::Link(target) if target.len() > 100);
    skill().into_iter().filter(|(path, node)| fits(path) && target(node)).collect()
}

/// The skill as writers see it that follow links: each link is a copy of what it leads to.
pub fn followed(skill: &Tree) -> Tree {
    let mut tree = skill.clone();
    for (path, node) in skill {
        let Node::Link(target) = node else { continue };
        let target = resolve(path, target);
        tree.insert(path.clone(), skill[&target].clone());
        for (below, node) in skill.range(format!("{target}/")..format!("{target}0")) {
            let node = match node {
                Node::Link(inner) => skill[&resolve(below, inner)].clone(),
                other => other.clone(),
            };
            tree.insert(format!("{path}{}", &below[target.len()..]), node);
        }
    }
    tree
}

/// The skill as git has it: without empty directories.
pub fn without_empty_directories(skill: &Tree) -> Tree {
    let empty = |path: &str| !skill.keys().any(|other| other.starts_with(&format!("{path}/")));
    skill
        .iter()
        .filter(|(path, node)| **node != Node::Dir || !empty(path))
        .map(|(p, n)| (p.clone(), n.clone()))
        .collect()
}

/// The skill as a writer sees it that follows links to files, but not into directories.
pub fn without_linked_directories(followed: &Tree, skill: &Tree) -> Tree {
    let below =
        |path: &str| skill.iter().any(|(l, n)| matches!(n, Node::Link(_)) && path.starts_with(&format!("{l}/")));
    followed.iter().filter(|(path, _)| !below(path)).map(|(p, n)| (p.clone(), n.clone())).collect()
}

/// The skill as formats without permission bits have it.
pub fn without_modes(skill: &Tree) -> Tree {
    let plain = |node: &Node| match node {
        Node::File { bytes, .. } => Node::File { bytes: bytes.clone(), exec: false },
        other => other.clone(),
    };
    skill.iter().map(|(path, node)| (path.clone(), plain(node))).collect()
}

/// Puts a tree on disk; equal files become hard links, as backup tools and package caches leave them.
pub fn write(tree: &Tree, root: &Path) {
    for (path, node) in tree {
        let path = root.join(path);
        match node {
            Node::Dir => fs::create_dir(&path).expect("the test's directory is writable"),
            Node::File { bytes, exec } => {
                fs::write(&path, bytes).expect("the test's directory is writable");
                set_mode(&path, if *exec { 0o755 } else { 0o644 });
            }
            Node::Link(target) => symlink(target, &path),
            Node::Other => unreachable!("no skill holds special files"),
        }
    }
    let (one, two) = (root.join("assets/pixel copy (1) & more.bin"), root.join("assets/pixel.bin"));
    if one.is_file() && two.is_file() {
        fs::remove_file(&two).expect("the test's directory is writable");
        fs::hard_link(one, two).expect("the file system has hard links");
    }
}

fn resolve(link: &str, target: &str) -> String {
    let mut parts: Vec<&str> = link.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            ".." => _ = parts.pop(),
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

/// Over 1 MiB, a third of it compressible.
fn large() -> Vec<u8> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut bytes = Vec::new();
    while bytes.len() < 1_300_000 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        bytes.extend_from_slice(&state.to_le_bytes());
        bytes.extend_from_slice(b"same");
    }
    bytes
}

#[cfg(unix)]
fn set_mode(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("the file is the test's own");
}

#[cfg(unix)]
fn symlink(target: &str, path: &Path) {
    std::os::unix::fs::symlink(target, path).expect("the file system has links");
}
