//! One file of an installed skill: the bytes that are returned are the bytes that were hashed.

use std::io::{self, Read as _};
use std::path::Path;

use cap_std::ambient_authority;
use sha2::{Digest as _, Sha256};

use super::format::{Node, Receipt};
use crate::confine::Directory;
use crate::digest::Digest;
use crate::error::{Code, Error, Result};
use crate::escape::escape;

impl Receipt {
    /// Checks bytes that were read as the content of `path`.
    ///
    /// # Errors
    /// `tree-changed` if they are not what was installed there, or nothing or no file was.
    pub fn check(&self, path: &str, content: &[u8]) -> Result<()> {
        let shown = escape(path.as_bytes());
        let changed = |what: &str| Err(Error::with(Code::TreeChanged, format!("`{shown}` {what}")));
        match self.node(path) {
            Some(Node::File { size, sha256, .. }) => {
                let same =
                    content.len() as u64 == *size && Digest::from_bytes(Sha256::digest(content).into()) == *sha256;
                if same { Ok(()) } else { changed("has other content than was installed") }
            }
            Some(Node::Directory) => changed("was installed as a directory"),
            Some(Node::Link { .. }) => changed("was installed as a link"),
            None => changed("was not installed"),
        }
    }

    /// Reads one file of the skill at `skill` and checks it: what is returned is what was hashed. The path is one of this
    /// receipt's files; no link in it is followed.
    ///
    /// # Errors
    /// `tree-changed` if what is there is not what was installed; `io` if it cannot be read.
    pub fn read(&self, skill: impl AsRef<Path>, path: &str) -> Result<Vec<u8>> {
        let skill = skill.as_ref();
        let tree = Directory::open_ambient(skill, ambient_authority()).map_err(|error| {
            Error::io(format!("opening the directory `{}`", escape(skill.as_os_str().as_encoded_bytes())), error)
        })?;
        self.read_in(&tree, path)
    }

    /// As [`read`](Self::read), for a skill whose directory is held open.
    pub(crate) fn read_in(&self, tree: &Directory, path: &str) -> Result<Vec<u8>> {
        let shown = escape(path.as_bytes());
        let changed = |what: &str| Error::with(Code::TreeChanged, format!("`{shown}` {what}"));
        // Only a path that the receipt names is walked: it has passed the rules for paths.
        let Some(Node::File { size, .. }) = self.node(path) else {
            return Err(changed("was not installed as a file"));
        };
        let failed = |error: io::Error| match error.kind() {
            io::ErrorKind::PermissionDenied => Error::io(format!("opening `{shown}`"), error),
            io::ErrorKind::NotFound => changed("is gone"),
            // A link or another kind of thing on the way.
            _ => changed("is no longer a file in the directories it was installed in"),
        };
        let (above, name) = path.rsplit_once('/').map_or((None, path), |(above, name)| (Some(above), name));
        let mut directory = tree.try_clone().map_err(failed)?;
        for component in above.into_iter().flat_map(|above| above.split('/')) {
            directory = directory.open_dir(component).map_err(failed)?;
        }
        let (file, metadata) = directory.open_file(name).map_err(failed)?;
        if metadata.length != *size {
            return Err(changed("has another size than was installed"));
        }
        let mut content = Vec::new();
        file.take(size.saturating_add(1))
            .read_to_end(&mut content)
            .map_err(|error| Error::io(format!("reading `{shown}`"), error))?;
        self.check(path, &content)?;
        Ok(content)
    }
}
