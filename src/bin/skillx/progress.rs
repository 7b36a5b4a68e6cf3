//! One changing line on a terminal, for runs that take a while.

use std::io::{IsTerminal as _, Read, Write as _};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use skillx_archive::fetch::{Answer, Download, Fetch, Hop, Received};
use skillx_archive::{Error, Options, Progress};

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

/// A client whose downloads, side by side as they may be, show how far they have come together, where it can be seen.
pub(crate) fn watch(fetch: Box<dyn Fetch>, output: &Output) -> Box<dyn Fetch> {
    if !output.wants_progress() || !std::io::stderr().is_terminal() {
        return fetch;
    }
    let show = |requests: u64, bytes: u64| {
        // A failed write to the terminal is no reason to stop.
        let _ = write!(std::io::stderr(), "\rdownloading, {requests} requests, {} KiB\x1b[K", bytes / 1024);
    };
    Box::new(Watched { fetch, sum: Arc::new(Sum::new(Instant::now() + PATIENCE, show)) })
}

struct Watched {
    fetch: Box<dyn Fetch>,
    sum: Arc<Sum>,
}

/// What came by all connections.
struct Sum {
    requests: AtomicU64,
    bytes: AtomicU64,
    next: Mutex<Instant>,
    show: Box<dyn Fn(u64, u64) + Send + Sync>,
}

impl Sum {
    fn new(next: Instant, show: impl Fn(u64, u64) + Send + Sync + 'static) -> Self {
        Self { requests: AtomicU64::new(0), bytes: AtomicU64::new(0), next: Mutex::new(next), show: Box::new(show) }
    }

    fn add(&self, bytes: usize) {
        let sum = self.bytes.fetch_add(bytes as u64, Ordering::Relaxed).saturating_add(bytes as u64);
        let Ok(mut next) = self.next.try_lock() else { return };
        let now = Instant::now();
        if now >= *next {
            *next = now + INTERVAL;
            (self.show)(self.requests.load(Ordering::Relaxed), sum);
        }
    }
}

impl Fetch for Watched {
    fn hop(&self, hop: &Hop<'_>) -> Result<Answer, Error> {
        self.sum.requests.fetch_add(1, Ordering::Relaxed);
        let mut answer = self.fetch.hop(hop)?;
        answer.body = Box::new(Counted { body: answer.body, sum: Arc::clone(&self.sum) });
        Ok(answer)
    }
}

struct Counted {
    body: Box<dyn Read + Send>,
    sum: Arc<Sum>,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.body.read(buffer)?;
        self.sum.add(count);
        Ok(count)
    }
}

/// Takes the line away.
pub(crate) fn clear(output: &Output) {
    if output.wants_progress() && std::io::stderr().is_terminal() {
        let _ = write!(std::io::stderr(), "\r\x1b[K");
    }
}

#[cfg(test)]
mod tests {
    use skillx_archive::Cancel;
    use skillx_archive::fetch::{Memory, Rules, Url};

    use super::*;

    #[test]
    fn what_is_watched_arrives_and_is_counted() {
        let mut web = Memory::default();
        web.page("https://example.com/a", 200, &[], &[7; 5000]);
        let seen = Arc::new(Mutex::new(Vec::new()));
        let shown = Arc::clone(&seen);
        let sum = Sum::new(Instant::now(), move |requests, bytes| shown.lock().unwrap().push((requests, bytes)));
        let watched = Watched { fetch: Box::new(web), sum: Arc::new(sum) };
        let url: Url = "https://example.com/a".parse().unwrap();
        let mut body = Vec::new();
        Download::new(&url).run(&watched, &Rules::default().typed(&url), &Cancel::new(), &mut body).unwrap();
        assert_eq!(body, [7; 5000]);
        assert_eq!(watched.sum.bytes.load(Ordering::Relaxed), 5000);
        let seen = seen.lock().unwrap();
        assert!(seen.first().is_some_and(|(requests, bytes)| *requests == 1 && *bytes > 0), "{seen:?}");
    }
}
