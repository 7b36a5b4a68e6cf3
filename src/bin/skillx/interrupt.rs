//! INT and TERM: stop the run, let it clean up, and exit with 128 + the signal's number.

use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use skillx_archive::Cancel;

/// Which signal came, if any.
#[derive(Debug, Clone)]
pub(crate) struct Interrupt {
    signal: Arc<AtomicI32>,
    busy: Arc<AtomicI32>,
}

impl Interrupt {
    /// From here on a signal cancels runs that hold `cancel`. Before [`begin`](Self::begin) nothing needs cleaning up,
    /// so there the program ends at once, even while it waits for input.
    pub(crate) fn install(cancel: &Cancel) -> Self {
        let interrupt = Self { signal: Arc::default(), busy: Arc::default() };
        let (ours, cancel) = (interrupt.clone(), cancel.clone());
        if let Ok(mut signals) = Signals::new([SIGINT, SIGTERM]) {
            // Without a thread to be had, signals act as they do by default.
            let _ = std::thread::Builder::new().spawn(move || {
                for signal in signals.forever() {
                    ours.signal.store(signal, Ordering::SeqCst);
                    cancel.cancel();
                    if ours.busy.load(Ordering::SeqCst) == 0 {
                        std::process::exit(128 + signal);
                    }
                }
            });
        }
        interrupt
    }

    /// Something now has to be cleaned up: a signal only sets the flag.
    pub(crate) fn begin(&self) {
        self.busy.fetch_add(1, Ordering::SeqCst);
    }

    /// The exit code for the signal that came.
    pub(crate) fn exit_code(&self) -> Option<u8> {
        let signal = self.signal.load(Ordering::SeqCst);
        u8::try_from(signal).ok().filter(|signal| *signal > 0).map(|signal| 128 + signal)
    }
}
