//! A flag by which another thread, or a signal, asks a run to stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Stops a run from another thread; clones share one flag.
///
/// The run ends with the code `cancelled` at its next step: at most one block of data or one system call later. Nothing
/// of it remains.
///
/// ```
/// let cancel = skillx_archive::Cancel::new();
/// let options = skillx_archive::Options::default().cancel(&cancel);
/// cancel.cancel(); // from anywhere
/// # let _ = options;
/// ```
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// A flag that is not set.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks every run that holds a clone to stop.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether somebody asked.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// The flag itself, `true` once somebody asked: for handlers of signals, and other places that may do no more than
    /// set one.
    #[must_use]
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0)
    }
}
