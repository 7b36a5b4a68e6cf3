//! The sink that writes: members become files, directories and links below one directory handle.
//!
//! The tree is private (0700 above it) and links are created last, so that nothing a handle leads to can be a link of
//! the archive. What is called SKILL.md in any folding stands under another name until [`Tree::reveal`], so that no
//! client that walks or watches the folder can load a skill that may yet be refused.

mod cache;
mod hidden;

use std::io::Write as _;

use cap_std::fs::File;

use self::cache::Handles;
use self::hidden::Hidden;
use super::Sink;
use crate::confine::{Directory, read_piece};
use crate::error::{Error, Result};
use crate::escape::escape;
use crate::policy::{SafeMode, SafePath, SafeTarget};

/// Bytes of a file copied at a time.
const PIECE: usize = 64 * 1024;

/// A tree being written.
#[derive(Debug)]
pub(crate) struct Tree {
    handles: Handles,
    hidden: Hidden,
    open: Option<Open>,
}

/// The file that is being written.
#[derive(Debug)]
struct Open {
    ordinal: u64,
    file: File,
    path: SafePath,
}

impl Tree {
    /// Writes into an empty directory that nobody else can reach. `token` begins the name of every hidden file: it holds
    /// random bits, so that no archive can name one.
    pub(crate) fn new(root: Directory, token: &str) -> Self {
        Self { handles: Handles::new(root, token), hidden: Hidden::new(token), open: None }
    }

    /// Gives every SKILL.md its name, deepest first and that of the root last. Only for a tree that has passed every
    /// check and is about to be published.
    pub(crate) fn reveal(&mut self) -> Result<()> {
        if let Some(open) = &self.open {
            return Err(out_of_order("a file was left unfinished", &open.path));
        }
        for path in self.hidden.take() {
            let (directory, name) = path.split();
            let directory = self.handles.enter(directory)?;
            directory
                .rename_new(self.hidden.stand_in(name), directory, name)
                .map_err(|error| Error::io(doing("giving its name to", &path), error))?;
        }
        Ok(())
    }

    /// Closes every handle, and gives away that of the root: nothing more is written. Cleaning up needs as many handles
    /// as writing did.
    pub(crate) fn close(&mut self) -> Option<Directory> {
        self.open = None;
        self.handles.close()
    }

    fn create(&mut self, path: &SafePath, mode: SafeMode) -> Result<File> {
        let (directory, name) = path.split();
        let name = self.hidden.hide(path, name);
        let created = self.handles.run_in(directory, |directory| directory.create_file(&*name, mode.bits()))?;
        created.map_err(|error| Error::io(doing("creating", path), error))
    }
}

impl Sink for Tree {
    fn directory(&mut self, ordinal: u64, path: &SafePath) -> Result<()> {
        self.handles.make(path.as_str()).map_err(|error| about(error, ordinal, path))
    }

    fn begin(&mut self, ordinal: u64, path: &SafePath, mode: SafeMode) -> Result<()> {
        let file = self.create(path, mode).map_err(|error| about(error, ordinal, path))?;
        self.open = Some(Open { ordinal, file, path: path.clone() });
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        let Some(open) = &mut self.open else {
            return Err(Error::io("writing to no file", std::io::ErrorKind::InvalidInput.into()));
        };
        open.file
            .write_all(bytes)
            .map_err(|error| about(Error::io(doing("writing", &open.path), error), open.ordinal, &open.path))
    }

    fn end(&mut self) -> Result<()> {
        self.open = None;
        Ok(())
    }

    fn copy(&mut self, ordinal: u64, from: &SafePath, to: &SafePath, mode: SafeMode) -> Result<()> {
        self.duplicate(from, to, mode).map_err(|error| about(error, ordinal, to))
    }

    fn symlink(&mut self, ordinal: u64, path: &SafePath, target: &SafeTarget) -> Result<()> {
        self.link(path, target).map_err(|error| about(error, ordinal, path))
    }

    fn restart(&mut self) -> Result<()> {
        self.open = None;
        self.hidden = self.hidden.fresh();
        self.handles.clear()
    }
}

impl Tree {
    /// A file with the content of an earlier one.
    fn duplicate(&mut self, from: &SafePath, to: &SafePath, mode: SafeMode) -> Result<()> {
        if let Some(open) = &self.open {
            return Err(out_of_order("a file was left unfinished", &open.path));
        }
        let (directory, name) = from.split();
        let name = self.hidden.name_of(name);
        let source = self.handles.enter(directory)?;
        let reading = |error| Error::io(doing("reading", from), error);
        let (mut source, _) = source.open_file(&*name).map_err(reading)?;
        let mut copy = self.create(to, mode)?;
        let mut piece = vec![0; PIECE];
        loop {
            let bytes = read_piece(&mut source, &mut piece).map_err(reading)?;
            if bytes.is_empty() {
                return Ok(());
            }
            copy.write_all(bytes).map_err(|error| Error::io(doing("writing", to), error))?;
        }
    }

    fn link(&mut self, path: &SafePath, target: &SafeTarget) -> Result<()> {
        let (directory, name) = path.split();
        let name = self.hidden.hide(path, name);
        let directory = self.handles.enter(directory)?;
        directory.symlink(target.as_str(), &*name).map_err(|error| Error::io(doing("linking", path), error))
    }
}

fn about(error: Error, ordinal: u64, path: &SafePath) -> Error {
    error.in_entry(ordinal, path.as_str().as_bytes())
}

fn doing(what: &str, path: &SafePath) -> String {
    format!("{what} `{}` in the staging directory", escape(path.as_str().as_bytes()))
}

/// The pipeline's fault: reported rather than written wrongly.
fn out_of_order(what: &str, path: &SafePath) -> Error {
    Error::io(doing(what, path), std::io::ErrorKind::InvalidInput.into())
}
