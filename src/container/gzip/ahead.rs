//! Inflating on a second thread, a few pieces ahead of whoever writes them.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{Builder, JoinHandle};

use super::Inflate;
use crate::artifact::Spool;
use crate::error::{Code, Error, Result};

/// Pieces that exist: being inflated, waiting, or being written. They bound how far ahead the thread runs.
const PIECES: usize = 6;

type Piece = (Vec<u8>, usize);

/// The pieces of an [`Inflate`] that runs elsewhere.
#[derive(Debug)]
pub(super) struct Ahead {
    /// `None` once the thread is to end.
    channels: Option<Channels>,
    worker: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Channels {
    filled: Receiver<Result<Option<Piece>>>,
    spare: Sender<Vec<u8>>,
}

impl Ahead {
    /// `None` if there is no thread to be had.
    pub(super) fn start(spool: Spool, start: u64) -> Option<Self> {
        let (send, filled) = channel();
        let (spare, empty) = channel();
        for _ in 0..PIECES {
            spare.send(Vec::new()).ok()?;
        }
        let worker =
            Builder::new().name("skillx-inflate".to_owned()).spawn(move || run(&spool, start, &send, &empty)).ok()?;
        Some(Self { channels: Some(Channels { filled, spare }), worker: Some(worker) })
    }

    /// The next piece, in exchange for the one that was used up.
    pub(super) fn next(&mut self, piece: &mut Vec<u8>) -> Result<Option<usize>> {
        let gone = || Error::with(Code::Internal, "the inflating thread has gone away");
        let channels = self.channels.as_ref().ok_or_else(gone)?;
        let Some((filled, length)) = channels.filled.recv().map_err(|_| gone())?? else { return Ok(None) };
        let used = std::mem::replace(piece, filled);
        if used.capacity() > 0 {
            // The thread may have ended already.
            let _ = channels.spare.send(used);
        }
        Ok(Some(length))
    }
}

impl Drop for Ahead {
    fn drop(&mut self) {
        // Without its channels the thread ends after the piece it is at.
        self.channels = None;
        if let Some(worker) = self.worker.take() {
            let _ = worker.join();
        }
    }
}

fn run(spool: &Spool, start: u64, filled: &Sender<Result<Option<Piece>>>, empty: &Receiver<Vec<u8>>) {
    let mut inflate = Inflate::new(spool, start);
    while let Ok(mut piece) = empty.recv() {
        let outcome = inflate.next(&mut piece).map(|length| length.map(|length| (piece, length)));
        let goes_on = matches!(outcome, Ok(Some(_)));
        if filled.send(outcome).is_err() || !goes_on {
            return;
        }
    }
}
