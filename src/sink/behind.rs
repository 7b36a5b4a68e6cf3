//! Writes on a second thread, a few batches behind the pass: creating files costs as much as inflating them.
//!
//! The first members are written where they are met, so that small archives pay for no thread. From then on operations
//! are collected in batches and carried out in their order; the first that fails ends the writing. It was met before
//! anything that the pass has seen since, so its error comes first: [`Sink::settle`] waits for it.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{Builder, JoinHandle};

use super::{Sink, Tree};
use crate::confine::Directory;
use crate::error::{Code, Error, Result};
use crate::limits::has_processors;
use crate::policy::{SafeMode, SafePath, SafeTarget};

/// Operations, and bytes, that are carried out before a thread is worth its start.
const OPERATIONS_FIRST: usize = 96;
const BYTES_FIRST: usize = 512 * 1024;

/// What makes a batch full.
const BATCH_OPERATIONS: usize = 96;
const BATCH_BYTES: usize = 128 * 1024;

/// Batches that exist: being filled, waiting, or being carried out. They bound how far behind the thread runs.
const BATCHES: usize = 4;

/// A tree that may be written by another thread.
#[derive(Debug)]
pub(crate) struct Behind {
    place: Place,
    may_move: bool,
    operations: usize,
    bytes: usize,
}

#[derive(Debug)]
enum Place {
    /// Operations are carried out at once.
    Here(Tree),
    There(Writer),
    /// The thread is gone and took the tree with it, or an operation failed: nothing more is written.
    Lost,
}

/// The thread and the batch that it gets next.
#[derive(Debug)]
struct Writer {
    batch: Batch,
    full: Sender<Batch>,
    spare: Receiver<Batch>,
    /// Set by the thread when an operation has failed.
    failed: Arc<AtomicBool>,
    thread: JoinHandle<Option<(Tree, Result<()>)>>,
}

/// Operations in order, and the bytes they write.
#[derive(Debug, Default)]
struct Batch {
    operations: Vec<Operation>,
    bytes: Vec<u8>,
}

#[derive(Debug)]
enum Operation {
    Directory { ordinal: u64, path: SafePath },
    Begin { ordinal: u64, path: SafePath, mode: SafeMode },
    Write { bytes: Range<usize> },
    End,
    Copy { ordinal: u64, from: SafePath, to: SafePath, mode: SafeMode },
    Symlink { ordinal: u64, path: SafePath, target: SafeTarget },
    Restart,
}

impl Behind {
    pub(crate) fn new(tree: Tree) -> Self {
        Self { place: Place::Here(tree), may_move: false, operations: 0, bytes: 0 }
    }

    /// Allows a thread from here on.
    pub(crate) fn allow_thread(&mut self) {
        self.may_move = true;
    }

    /// See [`Tree::reveal`].
    pub(crate) fn reveal(&mut self) -> Result<()> {
        self.settle()?;
        match &mut self.place {
            Place::Here(tree) => tree.reveal(),
            _ => Err(gone()),
        }
    }

    /// See [`Tree::close`].
    pub(crate) fn close(&mut self) -> Option<Directory> {
        // Whoever closes without having settled throws the tree away.
        let _ = self.settle();
        match &mut self.place {
            Place::Here(tree) => tree.close(),
            _ => None,
        }
    }

    /// Carries an operation out, or puts it behind those that wait.
    fn submit(&mut self, bytes: &[u8], operation: Operation) -> Result<()> {
        self.move_if_worth_it(bytes.len());
        match &mut self.place {
            Place::Here(tree) => operation.carry_out(tree, bytes),
            Place::There(writer) if writer.failed.load(Ordering::Relaxed) => self.settle().and_then(|()| Err(gone())),
            Place::There(writer) => match writer.push(bytes, operation) {
                Ok(()) => Ok(()),
                Err(error) => self.settle().and(Err(error)),
            },
            Place::Lost => Err(gone()),
        }
    }

    fn move_if_worth_it(&mut self, bytes: usize) {
        if !self.may_move {
            return;
        }
        self.operations = self.operations.saturating_add(1);
        self.bytes = self.bytes.saturating_add(bytes);
        if self.operations < OPERATIONS_FIRST && self.bytes < BYTES_FIRST {
            return;
        }
        self.may_move = false;
        if !has_processors() {
            return;
        }
        self.place = match std::mem::replace(&mut self.place, Place::Lost) {
            Place::Here(tree) => Writer::start(tree),
            other => other,
        };
    }
}

impl Sink for Behind {
    fn directory(&mut self, ordinal: u64, path: &SafePath) -> Result<()> {
        self.submit(&[], Operation::Directory { ordinal, path: path.clone() })
    }

    fn begin(&mut self, ordinal: u64, path: &SafePath, mode: SafeMode) -> Result<()> {
        self.submit(&[], Operation::Begin { ordinal, path: path.clone(), mode })
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.submit(bytes, Operation::Write { bytes: 0..bytes.len() })
    }

    fn end(&mut self) -> Result<()> {
        self.submit(&[], Operation::End)
    }

    fn copy(&mut self, ordinal: u64, from: &SafePath, to: &SafePath, mode: SafeMode) -> Result<()> {
        self.submit(&[], Operation::Copy { ordinal, from: from.clone(), to: to.clone(), mode })
    }

    fn symlink(&mut self, ordinal: u64, path: &SafePath, target: &SafeTarget) -> Result<()> {
        self.submit(&[], Operation::Symlink { ordinal, path: path.clone(), target: target.clone() })
    }

    fn restart(&mut self) -> Result<()> {
        self.submit(&[], Operation::Restart)
    }

    fn settle(&mut self) -> Result<()> {
        match std::mem::replace(&mut self.place, Place::Lost) {
            Place::There(writer) => {
                let (tree, outcome) = writer.finish()?;
                // A tree in which something failed is good for nothing but being thrown away.
                if outcome.is_ok() {
                    self.place = Place::Here(tree);
                }
                outcome
            }
            other => {
                self.place = other;
                Ok(())
            }
        }
    }

    fn threads(&self) -> usize {
        usize::from(self.may_move || matches!(self.place, Place::There(_)))
    }
}

impl Drop for Behind {
    fn drop(&mut self) {
        // Nothing may be written any more when the directory is removed.
        let _ = self.settle();
    }
}

impl Writer {
    /// If there is no thread to be had, the tree stays.
    fn start(tree: Tree) -> Place {
        let (full, work) = channel();
        let (give_back, spare) = channel();
        let failed = Arc::new(AtomicBool::new(false));
        for _ in 1..BATCHES {
            // The receiver is here.
            let _ = give_back.send(Batch::default());
        }
        // The tree goes over by a channel: a thread that cannot be started would take it with it.
        let (hand_over, take) = channel();
        let flag = Arc::clone(&failed);
        let spawned =
            Builder::new().name("skillx-write".to_owned()).spawn(move || run(&take, &work, &give_back, &flag));
        let Ok(thread) = spawned else { return Place::Here(tree) };
        match hand_over.send(tree) {
            Ok(()) => Place::There(Self { batch: Batch::default(), full, spare, failed, thread }),
            Err(back) => Place::Here(back.0),
        }
    }

    fn push(&mut self, bytes: &[u8], operation: Operation) -> Result<()> {
        self.batch.push(bytes, operation);
        if self.batch.operations.len() < BATCH_OPERATIONS && self.batch.bytes.len() < BATCH_BYTES {
            return Ok(());
        }
        let spare = self.spare.recv().map_err(|_| gone())?;
        let full = std::mem::replace(&mut self.batch, spare);
        self.full.send(full).map_err(|_| gone())
    }

    /// Sends what is left, and waits for all of it.
    fn finish(self) -> Result<(Tree, Result<()>)> {
        // If the thread is gone, joining says so.
        let _ = self.full.send(self.batch);
        drop(self.full);
        self.thread.join().ok().flatten().ok_or_else(gone)
    }
}

impl Batch {
    fn push(&mut self, bytes: &[u8], operation: Operation) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        let end = self.bytes.len();
        match (self.operations.last_mut(), operation) {
            // Pieces of one file lie side by side: one call writes them.
            (Some(Operation::Write { bytes }), Operation::Write { .. }) => bytes.end = end,
            (_, Operation::Write { .. }) => self.operations.push(Operation::Write { bytes: start..end }),
            (_, operation) => self.operations.push(operation),
        }
    }
}

/// The thread: carries batches out until there are no more, or one has failed.
fn run(
    take: &Receiver<Tree>,
    work: &Receiver<Batch>,
    give_back: &Sender<Batch>,
    failed: &AtomicBool,
) -> Option<(Tree, Result<()>)> {
    let mut tree = take.recv().ok()?;
    let mut outcome = Ok(());
    while let Ok(mut batch) = work.recv() {
        for operation in batch.operations.drain(..) {
            if outcome.is_ok() {
                outcome = operation.carry_out(&mut tree, &batch.bytes);
            }
        }
        if outcome.is_err() {
            failed.store(true, Ordering::Relaxed);
        }
        batch.bytes.clear();
        // The pass may have ended.
        let _ = give_back.send(batch);
    }
    Some((tree, outcome))
}

impl Operation {
    /// `bytes` are those of the batch.
    fn carry_out(&self, tree: &mut Tree, bytes: &[u8]) -> Result<()> {
        match self {
            Self::Directory { ordinal, path } => tree.directory(*ordinal, path),
            Self::Begin { ordinal, path, mode } => tree.begin(*ordinal, path, *mode),
            Self::Write { bytes: range } => tree.write(bytes.get(range.clone()).unwrap_or_default()),
            Self::End => tree.end(),
            Self::Copy { ordinal, from, to, mode } => tree.copy(*ordinal, from, to, *mode),
            Self::Symlink { ordinal, path, target } => tree.symlink(*ordinal, path, target),
            Self::Restart => tree.restart(),
        }
    }
}

/// Only after another error, or a panic.
fn gone() -> Error {
    Error::with(Code::Internal, "the writing thread has gone away")
}
