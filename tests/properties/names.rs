//! Whatever an archive says, what is accepted has clean, unique paths inside the destination.

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::*;
use skillx_archive::{EntryKind, EntryPath, Report};

use crate::support::Kind;
use crate::support::carrier::{Carrier, Member, dir, exec, file, hardlink, skill_md, special, symlink};
use crate::support::tree::{Node, walk};
use crate::trees::fold;
use crate::{config, judge, options, temp_dir};

/// Components that meet a rule, nearly meet one, or are equal to another in some eyes.
const COMPONENTS: &[&str] = &[
    "a",
    "A",
    "b",
    "a b",
    "d",
    "x",
    "\u{e9}",
    "e\u{301}",
    "\u{c9}",
    "\u{df}",
    "ss",
    "\u{212a}",
    "k",
    "K",
    "\u{17f}",
    "s",
    "\u{3c3}",
    "\u{3c2}",
    "",
    ".",
    "..",
    "...",
    "a..b",
    ". .",
    "a.",
    "a ",
    " a",
    "con",
    "CON.txt",
    "cone",
    "nul",
    "aux.",
    "com1",
    "com\u{b9}",
    "lpt0",
    "GIT~1",
    "abcdefg~1",
    "~1",
    ".git",
    ".GIT",
    ".gitignore",
    ".git ",
    "SKILL.md",
    "skill.md",
    "SKILL.MD",
    "Skill.md ",
    "\u{405}KILL.md",
    ".DS_Store",
    "._a",
    "._",
    "__MACOSX",
    "a:b",
    "a\\b",
    "a*",
    "a?",
    "<a>",
    "a|b",
    "\"",
    "\u{0}",
    "\u{7f}",
    "\u{85}",
    "\u{1b}[m",
    "\u{202e}a",
    "\u{200b}",
    "\u{200d}",
    "\u{ad}",
    "\u{feff}",
    "\u{e000}",
    "\u{fdd0}",
    "\u{2028}",
    "\u{2800}",
    "\u{2764}\u{fe0f}",
    "1\u{fe0f}\u{20e3}",
    "a\u{fe0f}",
    "\u{10ffff}",
    "\u{1f468}\u{200d}\u{1f469}",
];

fn name() -> impl Strategy<Value = Vec<u8>> {
    let component = prop_oneof![
        8 => prop::sample::select(COMPONENTS).prop_map(|text| text.as_bytes().to_vec()),
        3 => "[a-z]{1,3}".prop_map(String::into_bytes),
        1 => "\\PC{1,4}".prop_map(String::into_bytes),
        1 => vec(any::<u8>(), 1..4),
        1 => (253..258_usize).prop_map(|count| vec![b'n'; count]),
    ];
    let joined = vec(component, 1..4).prop_map(|components| components.join(&b'/'));
    (joined, 0..20_u8).prop_map(|(name, style)| match style {
        0 => [b"/", &name[..]].concat(),
        1 => [&name[..], b"/"].concat(),
        2 => [b"./", &name[..]].concat(),
        _ => name,
    })
}

fn member() -> impl Strategy<Value = Member> {
    // Plain names more often than not: a single bad one refuses the whole archive.
    let plain = vec(prop::sample::select(&["a", "b", "c", "d", "e\u{301}", "k"][..]), 1..4)
        .prop_map(|components| components.join("/").into_bytes());
    let name = || prop_oneof![9 => plain.clone(), 1 => name()];
    (name(), name(), 0..20_u8, prop::sample::select(&[0o644, 0o755, 0o7777, 0][..])).prop_map(
        |(name, target, kind, mode)| match kind {
            0..=2 => dir(name),
            3..=4 => symlink(name, target),
            5 => symlink(name, [b"../", &target[..]].concat()),
            6 => hardlink(name, target),
            7 => exec(name, "x"),
            8 if mode == 0 => special(Kind::Fifo, name),
            _ => file(name, "content").mode(mode),
        },
    )
}

fn archive() -> impl Strategy<Value = (Carrier, Vec<Member>)> {
    (vec(member(), 0..6), 0..7_usize, any::<bool>()).prop_map(|(mut members, at, zip)| {
        members.insert(at.min(members.len()), skill_md());
        let carrier = if zip { Carrier::Zip } else { Carrier::TarGz };
        members.retain(|member| carrier.can_carry(std::slice::from_ref(member)));
        (carrier, members)
    })
}

/// What has to hold of the paths of an accepted archive, by the letters of the design.
fn assert_clean(report: &Report) {
    let limits = &report.policy.limits;
    let mut folded: BTreeMap<String, (String, EntryKind)> = BTreeMap::new();
    for entry in report.entries.iter().filter(|entry| !entry.omitted) {
        assert!(entry.refused.is_none());
        let EntryPath::Text(path) = &entry.path else { panic!("accepted without being text: {:?}", entry.path) };
        assert_ne!(entry.kind, EntryKind::Special);
        if path == "." {
            assert_eq!(entry.kind, EntryKind::Directory);
            continue;
        }
        assert!(path.len() as u64 <= limits.path, "{path}");
        let components: Vec<_> = path.split('/').collect();
        assert!(components.len() as u64 <= limits.depth);
        for component in components {
            assert!(!["", ".", ".."].contains(&component), "{path:?}");
            assert!(component.len() as u64 <= limits.component);
            assert!(!component.ends_with(['.', ' ']), "{path:?}");
            assert!(!fold(component).eq(".git"), "{path:?}");
            let bad =
                |c: char| c.is_control() || "\\:*?\"<>|\u{202e}\u{200b}\u{200d}\u{ad}\u{feff}\u{2028}".contains(c);
            assert!(!component.contains(bad), "{path:?}");
            let stem = component.split('.').next().unwrap_or_default().trim_end().to_ascii_uppercase();
            assert!(!["CON", "PRN", "AUX", "NUL", "COM1", "LPT1"].contains(&stem.as_str()), "{path:?}");
        }
        let before = folded.insert(fold(path), (path.clone(), entry.kind));
        let both_directories = |kind| kind == EntryKind::Directory && entry.kind == EntryKind::Directory;
        assert!(before.is_none_or(|(other, kind)| other == *path && both_directories(kind)), "{path:?} twice");
    }
    // Implied directories: spelled one way, and never a file or link.
    for entry in report.entries.iter().filter(|entry| !entry.omitted) {
        let EntryPath::Text(path) = &entry.path else { continue };
        for (at, _) in path.match_indices('/') {
            let above = &path[..at];
            let (spelled, kind) =
                folded.entry(fold(above)).or_insert_with(|| (above.to_owned(), EntryKind::Directory)).clone();
            assert_eq!((spelled.as_str(), kind), (above, EntryKind::Directory), "above {path:?}");
        }
    }
}

/// What is on the disk is what the report says, and every link leads to something inside.
fn assert_on_disk(report: &Report, parent: &std::path::Path) {
    let names: Vec<_> = std::fs::read_dir(parent).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["out"], "something lies beside the destination");
    let root = parent.join("out");
    let tree = walk(&root);
    let inside = root.canonicalize().unwrap();
    for (path, node) in &tree {
        if let Node::Link(target) = node {
            assert!(!target.starts_with('/'));
            let real = root.join(path).canonicalize().expect("every link leads somewhere");
            assert!(real.starts_with(&inside) && real != inside, "{path:?} -> {target:?}");
        }
    }
    for entry in report.entries.iter().filter(|entry| !entry.omitted) {
        let EntryPath::Text(path) = &entry.path else { continue };
        let agrees = match (tree.get(path), entry.kind) {
            (Some(Node::Dir), EntryKind::Directory) => true,
            (Some(Node::File { bytes, exec }), EntryKind::File) => {
                bytes.len() as u64 == entry.bytes && *exec == entry.executable
            }
            (Some(Node::Link(target)), EntryKind::Symlink) => Some(target) == entry.link_target.as_ref(),
            (None, EntryKind::Directory) => path == ".",
            _ => false,
        };
        assert!(agrees, "{path:?}: {:?}, not {:?}", tree.get(path), entry.kind);
    }
    let totals = report.totals;
    assert_eq!(tree.len() as u64, totals.files + totals.directories + totals.links);
}

proptest! {
    #![proptest_config(proptest::test_runner::Config { cases: config().cases * 6, ..config() })]

    /// Cases: I09-unique.
    #[test]
    fn what_is_accepted_is_clean_unique_and_inside(
        (carrier, members) in archive(),
        pieces in vec(1..200_usize, 1..3),
        choice in any::<u8>(),
    ) {
        let parent = temp_dir();
        let options = options(choice);
        let report = judge(&carrier.write(&members), &pieces, &options, parent.path());
        if report.error.is_none() {
            assert_clean(&report);
            assert_on_disk(&report, parent.path());
        }
    }
}

#[test]
fn the_generator_makes_archives_of_both_verdicts() {
    use proptest::strategy::ValueTree as _;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut accepted = [0, 0];
    let mut codes = std::collections::BTreeSet::new();
    for _ in 0..600 {
        let (carrier, members) = archive().new_tree(&mut runner).unwrap().current();
        let artifact = skillx_archive::Artifact::from_bytes(carrier.write(&members)).trust_without_digest();
        match artifact.check(&options(0)).error {
            None => accepted[usize::from(carrier == Carrier::Zip)] += 1,
            Some(error) => drop(codes.insert(error.code().as_str())),
        }
    }
    assert!(accepted.iter().all(|count| *count >= 50), "{accepted:?} of 600 were accepted");
    assert!(codes.len() >= 15, "{codes:?}");
}
