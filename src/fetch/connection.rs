//! Under the HTTP library: the addresses that a name has are checked and then connected to, and every wait ends at a deadline
//! or when the caller asks to stop.

use std::fmt;
use std::io::{self, Read as _, Write as _};
use std::net::{IpAddr, SocketAddr, TcpStream, ToSocketAddrs as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use ureq::unversioned::resolver::{ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{
    Buffers, ConnectionDetails, Connector, Either, LazyBuffers, NextTimeout, Transport,
};

use super::hop::{Hop, time_left};
use super::rules::Rules;
use super::url::Url;
use crate::cancel::Cancel;
use crate::error::{Code, Error, Result};
use crate::escape::escape;

/// How long a wait lasts before the deadlines and the caller's flag are looked at again.
const SLICE: Duration = Duration::from_millis(100);

/// What one hop may do, shared by everything that waits for its server.
#[derive(Debug, Clone)]
pub(super) struct Patience(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    url: Url,
    rules: Rules,
    cancel: Cancel,
    /// The whole download.
    deadline: Instant,
    /// Until a connection stands.
    connected_by: Instant,
    /// The target is resolved and connected to by a proxy.
    proxied: bool,
    peer: OnceLock<IpAddr>,
    excess: AtomicBool,
}

impl Patience {
    pub(super) fn new(hop: &Hop<'_>, proxied: bool) -> Self {
        let now = Instant::now();
        let connected_by = now.checked_add(hop.rules().connect).unwrap_or(now).min(hop.deadline());
        Self(Arc::new(Shared {
            url: hop.url().clone(),
            rules: hop.rules().clone(),
            cancel: hop.cancel().clone(),
            deadline: hop.deadline(),
            connected_by,
            proxied,
            peer: OnceLock::new(),
            excess: AtomicBool::new(false),
        }))
    }

    /// The address that was connected to, unless a proxy did it.
    pub(super) fn peer(&self) -> Option<IpAddr> {
        self.0.peer.get().copied()
    }

    /// Whether the server had sent more when the body was complete.
    pub(super) fn saw_excess(&self) -> bool {
        self.0.excess.load(Ordering::Relaxed)
    }

    fn check_all(&self, addresses: &[SocketAddr]) -> Result<()> {
        if self.0.proxied {
            return Ok(());
        }
        addresses.iter().try_for_each(|address| self.0.rules.check_address(&self.0.url, address.ip()))
    }

    /// Runs what cannot be interrupted on a thread of its own, and stops waiting for it at `until`.
    fn wait_for<T: Send + 'static>(
        &self,
        until: Instant,
        work: impl FnOnce() -> io::Result<T> + Send + 'static,
    ) -> Result<io::Result<T>> {
        let (sender, receiver) = sync_channel(1);
        // A receiver that has gone away is no longer interested.
        let spawned = std::thread::Builder::new().spawn(move || drop(sender.send(work())));
        spawned.map_err(|error| Error::io("cannot start a thread for the connection", error))?;
        loop {
            time_left(self.0.deadline, &self.0.cancel)?;
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                let url = &self.0.url;
                return Err(Error::with(Code::Timeout, format!("`{url}` cannot be reached in time")));
            }
            match receiver.recv_timeout(left.min(SLICE)) {
                Ok(outcome) => return Ok(outcome),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(Err(io::ErrorKind::Interrupted.into())),
            }
        }
    }

    /// The length of the next wait, given when the current step began to wait.
    fn slice(&self, since: Instant, most: NextTimeout) -> Result<Duration> {
        let left = time_left(self.0.deadline, &self.0.cancel)?;
        let waited = since.elapsed();
        let allowed = self.0.rules.idle.min(*most.after);
        let rest = allowed.saturating_sub(waited);
        if rest.is_zero() {
            let url = &self.0.url;
            return Err(Error::with(Code::Timeout, format!("the server of `{url}` stopped answering")));
        }
        // No wait of zero: that would be one without an end.
        Ok(left.min(rest).min(SLICE).max(Duration::from_millis(1)))
    }
}

/// Our errors pass through the HTTP library as its own.
fn foreign(error: Error) -> ureq::Error {
    ureq::Error::Other(Box::new(error))
}

/// The system's resolver; what it answers is checked as a whole: a name with one private address among public ones is one
/// that can change its mind.
#[derive(Debug)]
pub(super) struct Names(pub(super) Patience);

impl Resolver for Names {
    fn resolve(
        &self,
        uri: &http::Uri,
        _: &ureq::config::Config,
        _: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let host = uri.host().unwrap_or_default().trim_start_matches('[').trim_end_matches(']').to_owned();
        let implied = if uri.scheme_str() == Some("http") { 80 } else { 443 };
        let port = uri.port_u16().unwrap_or(implied);
        let shown = escape(host.as_bytes()).to_string();
        let failed = |why: &str| {
            foreign(Error::with(Code::Network, format!("the host name `{shown}` cannot be resolved: {why}")))
        };
        let until = self.0.0.connected_by;
        let found = self.0.wait_for(until, move || Ok((host.as_str(), port).to_socket_addrs()?.collect::<Vec<_>>()));
        let found =
            found.map_err(foreign)?.map_err(|error| failed(&escape(error.to_string().as_bytes()).to_string()))?;
        if found.is_empty() {
            return Err(failed("it has no address"));
        }
        self.0.check_all(&found).map_err(foreign)?;
        let mut addresses = self.empty();
        let room = 16;
        found.into_iter().take(room).for_each(|address| addresses.push(address));
        Ok(addresses)
    }
}

/// Connects to the addresses that were checked, one after the other.
#[derive(Debug)]
pub(super) struct Line(pub(super) Patience);

impl<In: Transport> Connector<In> for Line {
    type Out = Either<In, Wire>;

    fn connect(&self, details: &ConnectionDetails<'_>, chained: Option<In>) -> Result<Option<Self::Out>, ureq::Error> {
        if let Some(tunnel) = chained {
            return Ok(Some(Either::A(tunnel)));
        }
        let addresses: Vec<SocketAddr> = details.addrs.iter().copied().collect();
        let stream = self.0.connect(&addresses).map_err(foreign)?;
        let buffers = LazyBuffers::new(details.config.input_buffer_size(), details.config.output_buffer_size());
        Ok(Some(Either::B(Wire { stream, buffers, patience: self.0.clone() })))
    }
}

impl Patience {
    fn connect(&self, addresses: &[SocketAddr]) -> Result<TcpStream> {
        // Once more, right here: whatever gave us these addresses, only what has been checked is connected to.
        self.check_all(addresses)?;
        let mut last = None;
        let mut to_go = u32::try_from(addresses.len()).unwrap_or(u32::MAX);
        for address in addresses.iter().copied() {
            // Each gets its share, so that one silent address does not use up the time of the others.
            let left = self.0.connected_by.saturating_duration_since(Instant::now());
            let share = left.checked_div(to_go).unwrap_or(left).max(SLICE);
            to_go = to_go.saturating_sub(1);
            let until = Instant::now().checked_add(share).unwrap_or(self.0.connected_by);
            let stream = match self.wait_for(until, move || TcpStream::connect_timeout(&address, share)) {
                Ok(Ok(stream)) => stream,
                Ok(Err(error)) => {
                    last = Some(self.unreachable(address, &error));
                    continue;
                }
                Err(error) if error.code() == Code::Timeout && to_go > 0 => {
                    last = Some(error);
                    continue;
                }
                Err(error) => return Err(error),
            };
            return self.prepared(stream);
        }
        Err(last.unwrap_or_else(|| Error::new(Code::Network)))
    }

    fn prepared(&self, stream: TcpStream) -> Result<TcpStream> {
        let failed = |error| Error::io("cannot set up the connection", error);
        stream.set_nodelay(true).map_err(failed)?;
        let peer = stream.peer_addr().map_err(failed)?;
        self.check_all(&[peer])?;
        if !self.0.proxied {
            let _ = self.0.peer.set(peer.ip());
        }
        Ok(stream)
    }

    fn unreachable(&self, address: SocketAddr, error: &io::Error) -> Error {
        let url = &self.0.url;
        let why = escape(error.to_string().as_bytes()).to_string();
        let code = if error.kind() == io::ErrorKind::TimedOut { Code::Timeout } else { Code::Network };
        Error::with(code, format!("cannot connect to {address} for `{url}`: {why}"))
    }
}

/// A TCP connection whose waits are short, so that deadlines and the caller's flag are seen.
pub(super) struct Wire {
    stream: TcpStream,
    buffers: LazyBuffers,
    patience: Patience,
}

impl Transport for Wire {
    fn buffers(&mut self) -> &mut dyn Buffers {
        &mut self.buffers
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), ureq::Error> {
        let mut since = Instant::now();
        let mut sent = 0;
        while sent < amount {
            let slice = self.patience.slice(since, timeout).map_err(foreign)?;
            self.stream.set_write_timeout(Some(slice))?;
            let rest = self.buffers.output().get(sent..amount).unwrap_or_default();
            match self.stream.write(rest) {
                Ok(0) => return Err(io::Error::from(io::ErrorKind::WriteZero).into()),
                Ok(count) => (sent, since) = (sent.saturating_add(count), Instant::now()),
                Err(error) if is_pause(&error) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, ureq::Error> {
        let since = Instant::now();
        loop {
            let slice = self.patience.slice(since, timeout).map_err(foreign)?;
            self.stream.set_read_timeout(Some(slice))?;
            let room = self.buffers.input_append_buf();
            match self.stream.read(room) {
                Ok(count) => {
                    self.buffers.input_appended(count);
                    return Ok(count > 0);
                }
                Err(error) if is_pause(&error) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// No connection is used twice.
    fn is_open(&mut self) -> bool {
        false
    }
}

fn is_pause(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut | io::ErrorKind::Interrupted)
}

impl fmt::Debug for Wire {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Wire").field("stream", &self.stream).finish_non_exhaustive()
    }
}

/// Above everything: sees what is left over when a body is complete and the connection is given up.
#[derive(Debug)]
pub(super) struct Ends(pub(super) Patience);

#[derive(Debug)]
pub(super) struct End<T: Transport> {
    inner: T,
    patience: Patience,
}

impl<In: Transport> Connector<In> for Ends {
    type Out = End<In>;

    fn connect(&self, _: &ConnectionDetails<'_>, chained: Option<In>) -> Result<Option<Self::Out>, ureq::Error> {
        Ok(chained.map(|inner| End { inner, patience: self.0.clone() }))
    }
}

impl<T: Transport> Transport for End<T> {
    fn buffers(&mut self) -> &mut dyn Buffers {
        self.inner.buffers()
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), ureq::Error> {
        self.inner.transmit_output(amount, timeout)
    }

    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, ureq::Error> {
        self.inner.await_input(timeout)
    }

    fn is_open(&mut self) -> bool {
        self.inner.is_open()
    }

    fn is_tls(&self) -> bool {
        self.inner.is_tls()
    }
}

impl<T: Transport> Drop for End<T> {
    fn drop(&mut self) {
        if !self.inner.buffers().input().is_empty() {
            self.patience.0.excess.store(true, Ordering::Relaxed);
        }
    }
}
