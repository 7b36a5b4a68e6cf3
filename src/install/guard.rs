//! What `replace` may take away: only what an earlier install could have made, and nothing that is in use.

use std::ffi::OsStr;
use std::io;
use std::path::Path;

use cap_std::AmbientAuthority;

use super::destination::MARKERS;
use crate::confine::{Directory, Identity, Kind};
use crate::error::{Code, Error, Result};
use crate::escape::escape;

/// Longest way up from a directory to the root.
const MOST_LEVELS: usize = 4096;

/// Checks that a directory (found under `name`, held open) is skill-shaped, not mounted, not `/`, and neither the
/// current directory nor `$HOME` nor an ancestor of one of them: else `dest-not-a-skill`.
pub(super) fn check_replaceable(
    parent: &Directory,
    name: &OsStr,
    directory: &Directory,
    authority: AmbientAuthority,
) -> Result<()> {
    let shown = escape(name.as_encoded_bytes());
    let failed = |error| Error::io(format!("looking at the destination `{shown}`"), error);
    let refused = |what: &str| Err(Error::with(Code::DestNotASkill, format!("the destination `{shown}` {what}")));
    let mut is_ours = false;
    for marker in MARKERS {
        match directory.metadata(marker) {
            Ok(found) if found.kind == Kind::File => is_ours = true,
            Ok(_) => return refused(&format!("has a {marker} that is not a regular file")),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(failed(error)),
        }
    }
    if !is_ours {
        return refused("has no SKILL.md and no plugin.json");
    }
    if parent.is_mount_point(name).map_err(failed)? {
        return refused("is a mount point");
    }
    let identity = directory.own_metadata().map_err(failed)?.identity;
    if is_or_holds(identity, Path::new("."), authority).map_err(failed)? {
        return refused("is the current directory or holds it");
    }
    if let Some(home) = std::env::home_dir()
        && is_or_holds(identity, &home, authority).map_err(failed)?
    {
        return refused("is the home directory or holds it");
    }
    Ok(())
}

/// Whether a directory is the one at `path` or one that it lies in. `/` holds everything.
pub(super) fn is_or_holds(identity: Identity, path: &Path, authority: AmbientAuthority) -> io::Result<bool> {
    use io::ErrorKind::{NotADirectory, NotFound, PermissionDenied};

    let mut at = match Directory::open_ambient(path, authority) {
        // A home that is not there, or another user's (`HOME` of a container's root), is not what was opened.
        Err(error) if matches!(error.kind(), NotFound | NotADirectory | PermissionDenied) => return Ok(false),
        result => result?,
    };
    let mut here = at.own_metadata()?.identity;
    for _ in 0..MOST_LEVELS {
        if here == identity {
            return Ok(true);
        }
        at = match at.open_ambient_parent(authority) {
            Err(error) if error.kind() == PermissionDenied => return Ok(false),
            result => result?,
        };
        let above = at.own_metadata()?.identity;
        if above == here {
            return Ok(false);
        }
        here = above;
    }
    Err(io::Error::other("the current or home directory lies too deep"))
}
