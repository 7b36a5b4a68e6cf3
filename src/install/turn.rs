//! One run at a time exchanges an older skill: the skill that is to go is the lock.
//!
//! Without it two runs that exchange at once, and find that what came out is not what they had looked at, put back each
//! other's trees: then the one that stands is not that of a run that has said so.

use std::ffi::OsStr;
use std::io;
use std::time::{Duration, Instant};

use crate::confine::{Directory, Identity};
use crate::error::{Code, Error, Result};
use crate::escape::escape;

/// How long others are waited for. An exchange takes milliseconds.
const MOST_PATIENCE: Duration = Duration::from_secs(5);
/// How often the lock is asked for.
const PAUSE: Duration = Duration::from_millis(2);

/// The right to exchange one older skill, given back when dropped.
#[derive(Debug)]
pub(super) struct Turn {
    /// The older skill, locked where locks work; `None` where it cannot be opened for that.
    _locked: Option<Directory>,
}

impl Turn {
    /// Waits for the turn to exchange the skill `old`; `None` if it does not stand there any more.
    ///
    /// # Errors
    /// `concurrent-install` if another run keeps it for too long.
    pub(super) fn wait(parent: &Directory, name: &OsStr, old: Identity) -> Result<Option<Self>> {
        let directory = match parent.open_dir_readable(name) {
            Ok(directory) => directory,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            // It may still be exchanged: that needs no right to read it.
            Err(_) => return Ok(parent.holds(name, old).then_some(Self { _locked: None })),
        };
        let since = Instant::now();
        loop {
            match directory.try_lock() {
                // Where there are no locks, what came out of the exchange is all there is to go by.
                Ok(true) | Err(_) => break,
                Ok(false) if since.elapsed() < MOST_PATIENCE => std::thread::sleep(PAUSE),
                Ok(false) => {
                    let shown = escape(name.as_encoded_bytes());
                    let detail = format!("another run keeps the destination `{shown}` locked");
                    return Err(Error::with(Code::ConcurrentInstall, detail));
                }
            }
        }
        let is_old = directory.own_metadata().is_ok_and(|own| own.identity == old);
        Ok((is_old && parent.holds(name, old)).then_some(Self { _locked: Some(directory) }))
    }
}
