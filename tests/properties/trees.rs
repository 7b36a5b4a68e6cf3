//! Trees that every rule allows, as members in an order an archiver could have chosen.

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

use crate::support::carrier::{Member, dir, file, hardlink, skill_md, symlink};

/// Parts of names: letters of several scripts, composed and decomposed, an emoji, punctuation that is allowed.
const PARTS: &[&str] = &[
    "a",
    "b",
    "x",
    "0",
    "7",
    "-",
    "_",
    ".",
    "+",
    "(",
    ")",
    " ",
    "=",
    ",",
    "@",
    "tar",
    "\u{e9}",
    "e\u{301}",
    "\u{df}",
    "\u{3a9}",
    "\u{6f22}",
    "\u{5d0}",
    "\u{928}\u{92e}",
    "\u{1f600}",
    "\u{2764}\u{fe0f}",
    "\u{ac00}",
    "\u{1100}\u{1161}",
];

#[derive(Clone, Debug)]
enum Node {
    File { content: Vec<u8>, mode: u32 },
    Dir { mode: u32 },
    Soft(Index),
    Hard(Index),
}

/// One component: begins and ends with a letter, so that no rule about ends, devices or short names is met.
fn component() -> impl Strategy<Value = String> {
    let short = vec(prop::sample::select(PARTS), 0..6).prop_map(|parts| format!("k{}k", parts.concat()));
    let long = (200..254_usize).prop_map(|length| format!("k{}k", "n".repeat(length)));
    prop_oneof![20 => short, 1 => long]
}

fn content() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        4 => vec(any::<u8>(), 0..40),
        2 => vec(any::<u8>(), 500..1100),
        1 => (any::<u8>(), 60_000..140_000_usize).prop_map(|(byte, count)| vec![byte; count]),
        1 => Just(Vec::new()),
    ]
}

fn node() -> impl Strategy<Value = Node> {
    let mode = || prop_oneof![Just(0o644), Just(0o755), 0..0o1_0000_u32];
    prop_oneof![
        8 => (content(), mode()).prop_map(|(content, mode)| Node::File { content, mode }),
        3 => mode().prop_map(|mode| Node::Dir { mode }),
        2 => any::<Index>().prop_map(Node::Soft),
        2 => any::<Index>().prop_map(Node::Hard),
    ]
}

/// Members of a skill: unique under every folding, links to what is there, SKILL.md somewhere among them.
pub(crate) fn members(hard_links: bool) -> impl Strategy<Value = Vec<Member>> {
    let nodes = vec((vec(component(), 1..5), any::<Index>(), node()), 0..24);
    (nodes, any::<Index>()).prop_map(move |(nodes, skill_at)| assemble(nodes, skill_at, hard_links))
}

fn assemble(nodes: Vec<(Vec<String>, Index, Node)>, skill_at: Index, hard_links: bool) -> Vec<Member> {
    // Folded path -> whether it is a directory.
    let mut taken = BTreeMap::from([("skill.md".to_owned(), false)]);
    let mut spelled: BTreeMap<String, String> = BTreeMap::new();
    let (mut members, mut links) = (Vec::new(), Vec::new());
    let mut places: Vec<(String, bool)> = Vec::new();
    for (components, under, node) in nodes {
        // Some lie in a directory that is there already.
        let directories: Vec<_> = places.iter().filter(|(_, is_dir)| *is_dir).collect();
        let base = if components.len() % 2 == 0 || directories.is_empty() {
            None
        } else {
            Some(&directories[under.index(directories.len())].0)
        };
        let path: Vec<&str> =
            base.iter().flat_map(|base| base.split('/')).chain(components.iter().map(String::as_str)).collect();
        let path = path[..path.len().min(12)].join("/");
        let is_dir = matches!(node, Node::Dir { .. });
        if path.len() > 500 || !free(&taken, &spelled, &path) {
            continue;
        }
        claim(&mut taken, &mut spelled, &path, is_dir);
        match node {
            Node::File { content, mode } => members.push(file(&path, content).mode(mode)),
            Node::Dir { mode } => members.push(dir(&path).mode(mode)),
            Node::Soft(to) => links.push((path.clone(), to)),
            Node::Hard(to) => {
                let files: Vec<_> = members.iter().filter(|member| member.kind == crate::support::Kind::File).collect();
                match (hard_links, files.is_empty()) {
                    (true, false) => {
                        let target = files[to.index(files.len())].name.clone();
                        members.push(hardlink(&path, target));
                    }
                    _ => members.push(file(&path, "no link")),
                }
            }
        }
        places.push((path, is_dir));
    }
    let real: Vec<_> = members.iter().map(|member| String::from_utf8(member.name.clone()).unwrap()).collect();
    for (number, (path, to)) in links.into_iter().enumerate() {
        let above = |target: &str| path.starts_with(&format!("{target}/"));
        let Some(target) = (!real.is_empty()).then(|| &real[to.index(real.len())]).filter(|target| !above(target))
        else {
            continue;
        };
        let link = symlink(&path, relative(&path, target));
        // Anywhere in the archive: before its target, too.
        members.insert((number * 3).min(members.len()), link);
    }
    members.insert(skill_at.index(members.len() + 1), skill_md());
    members
}

/// From a link to a target, both from the root.
fn relative(from: &str, to: &str) -> String {
    let from: Vec<_> = from.split('/').collect();
    let to: Vec<_> = to.split('/').collect();
    let shared = from[..from.len() - 1].iter().zip(&to[..to.len() - 1]).take_while(|(a, b)| a == b).count();
    let up = vec![".."; from.len() - 1 - shared];
    [up, to[shared..].to_vec()].concat().join("/")
}

/// Whether a path may be added: it is nothing yet, and what lies above it is spelled the same and is no file.
fn free(taken: &BTreeMap<String, bool>, spelled: &BTreeMap<String, String>, path: &str) -> bool {
    let folded = fold(path);
    let above: Vec<_> = path.match_indices('/').map(|(at, _)| &path[..at]).collect();
    !taken.contains_key(&folded)
        && above.iter().all(|above| {
            let key = fold(above);
            taken.get(&key).is_none_or(|is_dir| *is_dir) && spelled.get(&key).is_none_or(|spelled| spelled == above)
        })
}

fn claim(taken: &mut BTreeMap<String, bool>, spelled: &mut BTreeMap<String, String>, path: &str, is_dir: bool) {
    for (at, _) in path.match_indices('/') {
        taken.insert(fold(&path[..at]), true);
        spelled.insert(fold(&path[..at]), path[..at].to_owned());
    }
    taken.insert(fold(path), is_dir);
    spelled.insert(fold(path), path.to_owned());
}

/// Canonical caseless match, component by component: what the design calls equal.
pub(crate) fn fold(path: &str) -> String {
    use caseless::Caseless as _;
    use unicode_normalization::UnicodeNormalization as _;
    path.nfd().default_case_fold().nfd().collect()
}
