//! The sink that writes nothing itself: it hashes what passes on its way to another one.

use std::collections::BTreeMap;

use sha2::{Digest as _, Sha256};

use super::clock;
use super::format::{Facts, Node, Receipt};
use crate::digest::Digest;
use crate::error::{Code, Error, Result};
use crate::policy::{SafeMode, SafePath, SafeTarget};
use crate::sink::Sink;

/// Notes every member that the sink below has taken.
pub(crate) struct Recorder<'s> {
    below: &'s mut dyn Sink,
    nodes: BTreeMap<String, Node>,
    open: Option<Open>,
}

/// The file that is being written.
struct Open {
    path: String,
    executable: bool,
    size: u64,
    hash: Sha256,
}

impl<'s> Recorder<'s> {
    pub(crate) fn over(below: &'s mut dyn Sink) -> Self {
        Self { below, nodes: BTreeMap::new(), open: None }
    }

    /// The receipt of everything that was written.
    pub(crate) fn finish(self, facts: Facts) -> Receipt {
        Receipt::new(facts, clock::now(), self.nodes)
    }

    /// Notes a member, and the directories it lies in.
    fn note(&mut self, path: &str, node: Node) {
        let mut above = path;
        while let Some((directory, _)) = above.rsplit_once('/') {
            if self.nodes.contains_key(directory) {
                break;
            }
            self.nodes.insert(directory.to_owned(), Node::Directory);
            above = directory;
        }
        self.nodes.insert(path.to_owned(), node);
    }
}

impl Sink for Recorder<'_> {
    fn directory(&mut self, ordinal: u64, path: &SafePath) -> Result<()> {
        self.below.directory(ordinal, path)?;
        self.note(path.as_str(), Node::Directory);
        Ok(())
    }

    fn begin(&mut self, ordinal: u64, path: &SafePath, mode: SafeMode) -> Result<()> {
        self.below.begin(ordinal, path, mode)?;
        let path = path.as_str().to_owned();
        self.open = Some(Open { path, executable: mode.executable(), size: 0, hash: Sha256::new() });
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.below.write(bytes)?;
        if let Some(open) = &mut self.open {
            open.size = open.size.saturating_add(bytes.len() as u64);
            open.hash.update(bytes);
        }
        Ok(())
    }

    fn end(&mut self) -> Result<()> {
        self.below.end()?;
        if let Some(Open { path, executable, size, hash }) = self.open.take() {
            let sha256 = Digest::from_bytes(hash.finalize().into());
            self.note(&path, Node::File { size, sha256, executable });
        }
        Ok(())
    }

    fn copy(&mut self, ordinal: u64, from: &SafePath, to: &SafePath, mode: SafeMode) -> Result<()> {
        self.below.copy(ordinal, from, to, mode)?;
        let Some(Node::File { size, sha256, .. }) = self.nodes.get(from.as_str()).cloned() else {
            return Err(Error::with(Code::Internal, format!("`{}` was copied before it was written", from.escaped())));
        };
        self.note(to.as_str(), Node::File { size, sha256, executable: mode.executable() });
        Ok(())
    }

    fn symlink(&mut self, ordinal: u64, path: &SafePath, target: &SafeTarget) -> Result<()> {
        self.below.symlink(ordinal, path, target)?;
        self.note(path.as_str(), Node::Link { target: target.as_str().to_owned() });
        Ok(())
    }

    fn restart(&mut self) -> Result<()> {
        (self.nodes, self.open) = (BTreeMap::new(), None);
        self.below.restart()
    }

    fn settle(&mut self) -> Result<()> {
        self.below.settle()
    }

    fn threads(&self) -> usize {
        self.below.threads()
    }
}
