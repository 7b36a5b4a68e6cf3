//! From what the readers left to what the table says.

use crate::cases::Case;
use crate::scene::{Ended, Run};
use crate::tree::{self, Node, Tree};

/// A case, and a verdict for each reader (`None`: it does not read the format).
pub(crate) struct Judged {
    pub(crate) case: Case,
    pub(crate) verdicts: Vec<Option<Verdict>>,
}

#[derive(Debug, Clone)]
pub(crate) struct Verdict {
    pub(crate) answer: Answer,
    /// Links left behind that lead out of the tree.
    pub(crate) links_out: usize,
    pub(crate) specials: usize,
    /// What changed outside the directory, in words.
    pub(crate) escaped: Vec<String>,
    /// In KiB.
    pub(crate) peak: i64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Answer {
    /// An error, and nothing left.
    Refused,
    /// An error, and so many entries left.
    RefusedLate(usize),
    /// The reference tree.
    Same,
    /// Another tree; how it differs.
    Other(String),
    /// Success, and an empty directory.
    Nothing,
    TimedOut,
}

pub(crate) fn judge(case: Case, runs: Vec<Run>) -> Judged {
    let reference = reference(&case, &runs);
    let verdicts = runs.iter().map(|run| verdict(run, reference.as_ref())).collect();
    Judged { case, verdicts }
}

/// What skillx makes of a case that it accepts; of any other, the tree that most readers make (the first, of several).
fn reference(case: &Case, runs: &[Run]) -> Option<Tree> {
    let trees: Vec<&Tree> = runs.iter().filter(|run| run.ended == Some(Ended::Good)).map(|run| &run.tree).collect();
    if case.code == "-" {
        return trees.first().map(|tree| (*tree).clone());
    }
    let votes = |tree: &Tree| trees.iter().filter(|other| alike(tree, other)).count();
    let mut best: Option<&Tree> = None;
    for tree in trees.iter().copied().filter(|tree| !tree.is_empty()) {
        if best.is_none_or(|best| votes(tree) > votes(best)) {
            best = Some(tree);
        }
    }
    best.cloned()
}

fn verdict(run: &Run, reference: Option<&Tree>) -> Option<Verdict> {
    let ended = run.ended?;
    let answer = match (ended, reference) {
        (Ended::TimedOut, _) => Answer::TimedOut,
        (Ended::Failed, _) if run.tree.is_empty() => Answer::Refused,
        (Ended::Failed, _) => Answer::RefusedLate(run.tree.len()),
        (Ended::Good, _) if run.tree.is_empty() => Answer::Nothing,
        (Ended::Good, Some(reference)) if alike(reference, &run.tree) => Answer::Same,
        (Ended::Good, reference) => {
            Answer::Other(tree::difference(&plain(reference.unwrap_or(&Tree::new())), &plain(&run.tree)))
        }
    };
    let specials = run.tree.values().filter(|node| matches!(node, Node::Special(_))).count();
    let links_out = tree::links_out(&run.tree).len();
    Some(Verdict { answer, links_out, specials, escaped: run.escaped.clone(), peak: run.peak })
}

/// Execute bits aside: some readers drop them all, which says nothing about the case.
fn alike(one: &Tree, other: &Tree) -> bool {
    plain(one) == plain(other)
}

fn plain(tree: &Tree) -> Tree {
    let node = |node: &Node| match node {
        Node::File(bytes, _) => Node::File(bytes.clone(), false),
        node => node.clone(),
    };
    tree.iter().map(|(path, found)| (path.clone(), node(found))).collect()
}
