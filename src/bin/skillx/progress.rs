//! One changing line on a terminal, for runs that take a while.

use std::io::{IsTerminal as _, Write as _};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use skillx_archive::fetch::{Download, Received};
use skillx_archive::{Options, Progress};

use crate::render::Output;

/// Runs shorter than this show nothing.
const PATIENCE: Duration = Duration::from_millis(500);
const INTERVAL: Duration = Duration::from_millis(100);

/// Options that show progress, where it can be seen.
pub(crate) fn show(options: Options, output: &Output) -> Options {
    if !output.wants_progress() || !std::io::stderr().is_terminal() {
        return options;
    }
    let next = Mutex::new(Instant::now() + PATIENCE);
    options.on_progress(move |progress: Progress| {
        let Ok(mut next) = next.try_lock() else { return };
        let now = Instant::now();
        if now >= *next {
            *next = now + INTERVAL;
            let mib = progress.unpacked / (1 << 20);
            // A failed write to the terminal is no reason to stop.
            let _ = write!(std::io::stderr(), "\r{} entries, {mib} MiB\x1b[K", progress.entries);
        }
    })
}

/// A download that shows how far it has come, where it can be seen.
pub(crate) fn show_download(download: Download, output: &Output) -> Download {
    if !output.wants_progress() || !std::io::stderr().is_terminal() {
        return download;
    }
    let next = Mutex::new(Instant::now() + PATIENCE);
    download.on_progress(move |received: Received| {
        let Ok(mut next) = next.try_lock() else { return };
        let now = Instant::now();
        if now >= *next {
            *next = now + INTERVAL;
            let kib = received.bytes / 1024;
            let of = received.declared.map(|declared| format!(" of {}", declared / 1024)).unwrap_or_default();
            // A failed write to the terminal is no reason to stop.
            let _ = write!(std::io::stderr(), "\rdownloading, {kib}{of} KiB\x1b[K");
        }
    })
}

/// Takes the line away.
pub(crate) fn clear(output: &Output) {
    if output.wants_progress() && std::io::stderr().is_terminal() {
        let _ = write!(std::io::stderr(), "\r\x1b[K");
    }
}
