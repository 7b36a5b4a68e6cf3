//! Second opinions: what skillx accepts, other readers read to the same names, kinds, link targets and bytes.
//!
//! What is taken out before the comparison is the closed list in docs/oracles.md, by its numbers there; each function that
//! takes something out says which.

mod tar;
mod tar_codec;
mod tree;
mod zip;

use std::collections::BTreeMap;

use skillx_archive::{EntryKind, EntryPath, Options, Report, VerifiedArtifact};

pub(crate) use self::tree::{Node, Tree};

/// What another reader made of an archive.
enum Reading {
    Complete(Tree),
    /// It gave up, for a reason that docs/oracles.md knows: all that it read until then must be ours, too.
    Partial(Tree),
}

impl Reading {
    fn agrees_with(&self, reader: &str, ours: &Tree) {
        match self {
            Self::Complete(theirs) => same(reader, theirs, ours),
            Self::Partial(theirs) => part_of(reader, theirs, ours),
        }
    }
}

/// The tar stream inside an accepted archive, read by the crates `tar` and `tar-codec`.
pub(crate) fn agree_on_tar(stream: &[u8], artifact: &VerifiedArtifact, options: &Options, report: &Report) {
    let ours = ours(artifact, options, report);
    tar::read(stream).agrees_with("tar", &ours);
    tar_codec::read(stream).agrees_with("tar-codec", &ours);
}

/// An accepted gzip file: its one member is inflated, then as [`agree_on_tar`].
pub(crate) fn agree_on_tar_gz(file: &[u8], artifact: &VerifiedArtifact, options: &Options, report: &Report) {
    use std::io::Read as _;

    let mut stream = Vec::new();
    flate2::read::GzDecoder::new(file).read_to_end(&mut stream).expect("what skillx accepts, flate2 inflates");
    agree_on_tar(&stream, artifact, options, report);
}

/// An accepted zip file, read by the crate `zip`.
pub(crate) fn agree_on_zip(file: &[u8], artifact: &VerifiedArtifact, options: &Options, report: &Report) {
    zip::read(file).agrees_with("zip", &ours(artifact, options, report));
}

/// What was installed from a tar stream is what the crate `tar` reads in it.
pub(crate) fn agree_on_installed_tar(stream: &[u8], installed: &Tree) {
    tar::read(stream).agrees_with("tar", installed);
}

/// What was installed from a zip file is what the crate `zip` reads in it.
pub(crate) fn agree_on_installed_zip(file: &[u8], installed: &Tree) {
    zip::read(file).agrees_with("zip", installed);
}

/// What skillx says and gives of an archive that it accepts.
fn ours(artifact: &VerifiedArtifact, options: &Options, report: &Report) -> Tree {
    let mut tree = Tree::default();
    for entry in report.entries.iter().filter(|entry| !entry.omitted) {
        let EntryPath::Text(path) = &entry.path else { panic!("an accepted path is UTF-8") };
        let node = match entry.kind {
            EntryKind::Directory if path == "." => continue,
            EntryKind::Directory => Node::Directory,
            EntryKind::File => {
                let bytes = match entry.bytes {
                    0 => Vec::new(),
                    _ => artifact.read(path, options).expect("an accepted archive gives each of its files"),
                };
                assert_eq!(bytes.len() as u64, entry.bytes, "{path:?}");
                Node::File { bytes, exec: Some(entry.executable) }
            }
            EntryKind::Symlink => Node::Link(entry.link_target.clone().expect("a link has a target")),
            _ => panic!("an accepted archive has no special files"),
        };
        tree.add(path, node);
    }
    tree::finished(tree)
}

fn same(reader: &str, theirs: &Tree, ours: &Tree) {
    let theirs = tree::finished(theirs.clone());
    // A wrapper that `strip_root` took away is still in the other reader's tree.
    let stripped = tree::stripped(&theirs).map(tree::finished);
    let differences = tree::differences(&theirs, ours);
    if !differences.is_empty() && !stripped.is_some_and(|stripped| tree::differences(&stripped, ours).is_empty()) {
        panic!("`{reader}` reads another tree than skillx:\n{}", differences.join("\n"));
    }
}

/// For a reader that gave up on the archive: all that it read until then is ours too.
fn part_of(reader: &str, theirs: &Tree, ours: &Tree) {
    let missing = |theirs: &Tree| {
        let ours = BTreeMap::from_iter(ours.nodes());
        let wrong = theirs.nodes().filter(|(path, node)| !ours.get(path).is_some_and(|ours| ours.agrees_with(node)));
        wrong.map(|(path, node)| format!("{path:?}: {node:?}")).collect::<Vec<_>>()
    };
    let theirs = tree::finished(theirs.clone());
    let stripped = tree::stripped(&theirs).map(tree::finished);
    let wrong = missing(&theirs);
    if !wrong.is_empty() && !stripped.is_some_and(|stripped| missing(&stripped).is_empty()) {
        panic!("`{reader}` reads what skillx does not have:\n{}", wrong.join("\n"));
    }
}
