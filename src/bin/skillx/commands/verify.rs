//! `skillx verify`: installed trees against their receipts. Writes nothing.

use std::path::{Path, PathBuf};

use serde::Serialize;
use skillx_archive::{Change, Code, Error, Receipt, Tool, Verdict, skills_in};

use super::Outcome;
use crate::args::Verify;
use crate::render::Output;

/// What is said of one tree: `skillx.verify/1`.
#[derive(Debug, Serialize)]
pub(crate) struct Answer {
    schema: &'static str,
    tool: Tool,
    pub(crate) verdict: Verdict,
    pub(crate) path: String,
    pub(crate) status: Option<Status>,
    pub(crate) receipt: Option<Origin>,
    pub(crate) changes: Vec<Change>,
    pub(crate) truncated: bool,
    pub(crate) error: Option<Error>,
}

/// What is known of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Status {
    Changed,
    Unchanged,
    Unverified,
}

/// What the receipt says of where the tree came from.
#[derive(Debug, Serialize)]
pub(crate) struct Origin {
    name: Option<String>,
    index: Option<String>,
    url: Option<String>,
    pub(crate) digest: Option<String>,
    verified: bool,
    format: String,
    pub(crate) time: String,
    pub(crate) files: usize,
}

pub(crate) fn run(command: &Verify, output: &Output) -> Outcome {
    let mut outcome = Outcome::Accepted;
    for path in &command.paths {
        for answer in judge(path, command) {
            output.verification(&answer);
            outcome = outcome.worst(Outcome::of(answer.error.as_ref()));
        }
    }
    outcome
}

/// One tree, or every skill of a directory that has receipts.
fn judge(path: &Path, command: &Verify) -> Vec<Answer> {
    if let Some(receipt) = &command.receipt {
        let outcome = if command.paths.len() > 1 {
            Err(Error::usage("--receipt is for one tree"))
        } else {
            Receipt::open(receipt).map(Some)
        };
        return vec![answer(path, outcome)];
    }
    match Receipt::of(path) {
        Ok(None) => match skills_in(path) {
            Ok(Some(names)) => names
                .into_iter()
                .map(|name| {
                    let path = join(path, name.as_ref());
                    answer(&path, Receipt::of(&path))
                })
                .collect(),
            Ok(None) => vec![answer(path, Ok(None))],
            Err(error) => vec![answer(path, Err(error))],
        },
        receipt => vec![answer(path, receipt)],
    }
}

fn answer(path: &Path, receipt: Result<Option<Receipt>, Error>) -> Answer {
    let mut answer = Answer {
        schema: "skillx.verify/1",
        tool: Tool::this(),
        verdict: Verdict::Accepted,
        path: path.to_string_lossy().into_owned(),
        status: None,
        receipt: None,
        changes: Vec::new(),
        truncated: false,
        error: None,
    };
    if let Err(error) = compare(path, receipt, &mut answer) {
        answer.verdict = if error.kind() == skillx_archive::Kind::Refused { Verdict::Refused } else { Verdict::Failed };
        answer.error = Some(error);
    }
    answer
}

fn compare(path: &Path, receipt: Result<Option<Receipt>, Error>, answer: &mut Answer) -> Result<(), Error> {
    let Some(receipt) = receipt? else {
        answer.status = Some(Status::Unverified);
        return Err(Error::of(Code::ReceiptMissing, format!("`{}` is unverified: it has no receipt", path.display())));
    };
    answer.receipt = Some(Origin {
        name: receipt.name().map(str::to_owned),
        index: receipt.index().map(str::to_owned),
        url: receipt.url().map(str::to_owned),
        digest: receipt.digest().map(|digest| digest.to_string()),
        verified: receipt.verified(),
        format: receipt.format().to_owned(),
        time: receipt.time().to_owned(),
        files: receipt.files().count(),
    });
    let drift = receipt.verify(path)?;
    answer.status = Some(if drift.is_unchanged() { Status::Unchanged } else { Status::Changed });
    (answer.changes, answer.truncated) = (drift.changes, drift.truncated);
    match answer.changes.len() {
        0 => Ok(()),
        count => {
            let (more, s) = (if answer.truncated { "more than " } else { "" }, if count == 1 { "" } else { "s" });
            let what = format!("`{}` is not what was installed: {more}{count} change{s}", path.display());
            Err(Error::of(Code::TreeChanged, what))
        }
    }
}

/// `./x` is `x`: the shorter one is what people type.
fn join(parent: &Path, name: &Path) -> PathBuf {
    if parent == Path::new(".") { name.to_owned() } else { parent.join(name) }
}
