//! `skillx remove`: a skill, its receipt and its line in the lock file.

use std::ffi::OsStr;
use std::path::Path;

use serde::Serialize;

use super::lock::Lock;
use super::report::fault;
use crate::confine::{Directory, Kind};
use crate::error::{Code, Error, Result};
use crate::escape::escape;
use crate::install::Home;
use crate::layout::is_valid_name;
use crate::receipt::{Receipt, Store};
use crate::report::{Tool, Verdict};

/// What was removed: `skillx.remove/1`.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct RemoveReport {
    /// Always `skillx.remove/1`.
    pub schema: &'static str,
    /// Who wrote it.
    pub tool: Tool,
    /// Accepted if it is gone.
    pub verdict: Verdict,
    /// The skill that was meant.
    pub name: String,
    /// The directory of skills.
    pub directory: String,
    /// The directory that was removed; null if nothing was.
    pub removed: Option<String>,
    /// Why nothing was removed, or not everything.
    pub error: Option<Error>,
}

/// Removes an installed skill with its receipt and its line in the lock file. Without `force` only one that has a receipt and has
/// not been changed since.
#[must_use]
pub fn remove(directory: &Path, name: &str, force: bool) -> RemoveReport {
    let mut report = RemoveReport {
        schema: "skillx.remove/1",
        tool: Tool::this(),
        verdict: Verdict::Accepted,
        name: name.to_owned(),
        directory: directory.to_string_lossy().into_owned(),
        removed: None,
        error: None,
    };
    if let Err(error) = remove_from(directory, name, force, &mut report) {
        report.verdict = fault(Some(&error));
        report.error = Some(error);
    }
    report
}

fn remove_from(path: &Path, name: &str, force: bool, report: &mut RemoveReport) -> Result<()> {
    let shown = escape(name.as_bytes()).to_string();
    if !is_valid_name(name) {
        return Err(Error::usage(format!("`{shown}` is no name of a skill")));
    }
    let missing = || Error::usage(format!("there is no skill `{shown}` in `{}`", path.display()));
    let home = Home::open(path)?.ok_or_else(missing)?;
    let directory = home.directory();
    let store = Store::find(directory)?;
    if let Some(store) = &store {
        store.lock(directory)?;
    }
    let tree = match directory.metadata(name) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        found => Some(found.map_err(|error| Error::io(format!("looking at `{shown}`"), error))?),
    };
    let receipt = match store.as_ref().map(|store| store.read(OsStr::new(name))).transpose() {
        Err(error) if !force || error.code() != Code::ReceiptInvalid => return Err(error),
        receipt => receipt.ok().flatten().flatten(),
    };
    if tree.is_none() && receipt.is_none() {
        return Err(missing());
    }
    if tree.as_ref().is_some_and(|tree| tree.kind == Kind::Symlink) {
        return Err(Error::with(Code::DestIsSymlink, format!("`{name}` is a symbolic link: skillx did not make it"))
            .hint("remove the link yourself; what it leads to is left alone either way"));
    }
    if tree.is_some() && !force {
        check_unchanged(directory, name, receipt.as_ref())?;
    }
    if home.remove(OsStr::new(name))? {
        report.removed = Some(path.join(name).to_string_lossy().into_owned());
    }
    // The tree first: a receipt without a tree is known to be one, a tree without a receipt is unverified.
    if let Some(store) = store {
        store.remove(OsStr::new(name))?;
        store.tidy(directory);
    }
    if let Some(mut lock) = Lock::read(directory)?
        && lock.remove(name)
    {
        lock.write(directory)?;
    }
    Ok(())
}

/// Somebody's work is not removed, and what skillx has not installed neither.
fn check_unchanged(directory: &Directory, name: &str, receipt: Option<&Receipt>) -> Result<()> {
    let Some(receipt) = receipt else {
        return Err(Error::with(
            Code::ReceiptMissing,
            format!("`{name}` has no receipt: it was not installed by skillx"),
        )
        .hint("look at it; --force removes it all the same"));
    };
    let drift = receipt.verify_at(directory, OsStr::new(name))?;
    if drift.is_unchanged() {
        return Ok(());
    }
    Err(Error::with(Code::LocalEdits, format!("`{name}` has been changed since it was installed"))
        .hint("see skillx verify for the changes; keep a copy, then say --force to remove them"))
}
