//! INT and TERM: stop the run, let it clean up, and exit with 128 + the signal's number.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use skillx_archive::Cancel;

/// Which signal came, if any.
#[derive(Debug, Clone)]
pub(crate) struct Interrupt {
    signal: Arc<AtomicUsize>,
    idle: Arc<AtomicBool>,
}

impl Interrupt {
    /// From here on a signal cancels runs that hold `cancel`. Before [`begin`](Self::begin) nothing needs cleaning up,
    /// so there the program ends at once, even while it waits for input. All of it is done by the handlers: starting a
    /// thread that waits for signals takes longer than extracting a small skill.
    pub(crate) fn install(cancel: &Cancel) -> Self {
        let interrupt = Self { signal: Arc::default(), idle: Arc::new(AtomicBool::new(true)) };
        for (signal, number) in [(SIGINT, 2), (SIGTERM, 15)] {
            // In this order. Where a handler cannot be had, the signal acts as it does by default.
            let _ = flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&interrupt.idle));
            let _ = flag::register_usize(signal, Arc::clone(&interrupt.signal), number);
            let _ = flag::register(signal, cancel.flag());
        }
        interrupt
    }

    /// Something now has to be cleaned up: a signal only sets the flag.
    pub(crate) fn begin(&self) {
        self.idle.store(false, Ordering::SeqCst);
    }

    /// The exit code for the signal that came.
    pub(crate) fn exit_code(&self) -> Option<u8> {
        let signal = self.signal.load(Ordering::SeqCst);
        u8::try_from(signal).ok().filter(|signal| *signal > 0).map(|signal| 128 + signal)
    }
}
