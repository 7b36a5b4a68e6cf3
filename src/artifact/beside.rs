//! Hashing on a second thread while the next piece is read and kept.

use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::thread::{Builder, JoinHandle};

use sha2::{Digest as _, Sha256};

/// Pieces that exist: being read, waiting, or being hashed.
const PIECES: usize = 4;

/// A piece, and how much of it is filled.
type Piece = (Vec<u8>, usize);

/// The thread that hashes. It ends by itself, a few pieces after this is dropped.
#[derive(Debug)]
pub(super) struct Beside {
    filled: SyncSender<Piece>,
    spare: Receiver<Vec<u8>>,
    worker: JoinHandle<Sha256>,
}

impl Beside {
    /// Goes on from what has been hashed so far; `None` if there is no thread to be had.
    pub(super) fn start(so_far: &Sha256, piece: usize) -> Option<Self> {
        let (filled, full) = sync_channel::<Piece>(PIECES);
        let (give, spare) = channel();
        for _ in 0..PIECES {
            give.send(vec![0; piece]).ok()?;
        }
        let mut hasher = so_far.clone();
        let work = move || {
            for (piece, length) in full {
                hasher.update(piece.get(..length).unwrap_or_default());
                // Nobody reads any more: the sum is not asked for, either.
                let _ = give.send(piece);
            }
            hasher
        };
        let worker = Builder::new().name("skillx-hash".to_owned()).spawn(work).ok()?;
        Some(Self { filled, spare, worker })
    }

    /// A piece to read into, waited for; `None` if the thread has gone away.
    pub(super) fn room(&self) -> Option<Vec<u8>> {
        self.spare.recv().ok()
    }

    /// What has been read comes next in the sum.
    pub(super) fn sum(&self, piece: Vec<u8>, length: usize) {
        // A thread that has gone away is noticed at the next piece, or at the end.
        let _ = self.filled.send((piece, length));
    }

    /// The sum of all of it; `None` if the thread has gone away.
    pub(super) fn finish(self) -> Option<Sha256> {
        drop(self.filled);
        self.worker.join().ok()
    }
}
