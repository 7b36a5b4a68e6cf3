//! Clears away what killed runs have left beside the destination, and nothing else.
//!
//! A sweep deletes, so everything has to agree before it does: the name's form, a real directory, this user's, mode 0700,
//! on the parent's device, nothing in it but a tree, and a lock that nobody holds, on a file system where locks are known
//! to work. Everything goes by handle; whatever fails is left to the next run.

use std::ffi::{OsStr, OsString};
use std::io;

use super::staging_dir::{StagingDirectory, TREE, is_private, is_staging_name, random_name, remove};
use crate::confine::{Directory, Kind, current_user};

/// Names looked at in the parent: it may be a crowded directory.
const MOST_NAMES: usize = 1 << 16;
/// Staging directories looked at: the names may have been planted by another user.
const MOST_CANDIDATES: usize = 256;

/// Removes abandoned staging directories from `parent`.
pub(super) fn sweep(parent: &Directory, own: &StagingDirectory) {
    let candidates = candidates(parent, own.name());
    if candidates.is_empty() || !own.locks_work() {
        return;
    }
    let user = current_user();
    for name in candidates {
        // What cannot be looked at or removed stays.
        let _ = sweep_one(parent, &name, user);
    }
}

fn candidates(parent: &Directory, own: &str) -> Vec<OsString> {
    let Ok(entries) = parent.entries() else { return Vec::new() };
    entries
        .take(MOST_NAMES)
        .map_while(Result::ok)
        .filter(|entry| matches!(entry.kind, None | Some(Kind::Directory)))
        .map(|entry| entry.name)
        .filter(|name| name.to_str().is_some_and(|name| is_staging_name(name) && name != own))
        .take(MOST_CANDIDATES)
        .collect()
}

fn sweep_one(parent: &Directory, name: &OsStr, user: Option<u32>) -> io::Result<()> {
    let device = parent.own_metadata()?.identity.device();
    let named = parent.metadata(name)?;
    if !is_private(&named, user) || named.identity.device() != device {
        return Ok(());
    }
    let directory = parent.open_dir_same_device(name, device)?;
    let held = directory.own_metadata()?;
    // Locked: a run that is alive. Not this directory any more: its run was faster than we.
    if !is_private(&held, user) || !directory.try_lock()? || !parent.holds(name, held.identity) {
        return Ok(());
    }
    let mut foreign = false;
    directory.visit(|entry| {
        foreign = entry.name != TREE;
        !foreign
    })?;
    if foreign {
        return Ok(());
    }
    // Claimed by another name, which the next sweep knows as well. Its run, should it be alive and its lock unseen (on
    // another machine), looks for its own name before it publishes, and publishes nothing that is half removed.
    let claimed = random_name()?;
    parent.rename_new(name, parent, &claimed)?;
    remove(parent, claimed.as_ref(), &directory, held.identity)
}
