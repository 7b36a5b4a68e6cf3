//! One request and its answer: what an HTTP stack has to do, and no more.

use std::fmt;
use std::io::Read;
use std::net::IpAddr;
use std::time::{Duration, Instant};

use super::rules::Rules;
use super::url::Url;
use crate::cancel::Cancel;
use crate::error::{Code, Error, Result};

/// An HTTP stack, asked for one request at a time: it follows no redirect, decodes nothing, keeps no cookies, adds no
/// credentials. Everything else (which addresses, how many redirects, how large, what the answer means) is decided by
/// [`Download`](super::Download), so a client with its own stack keeps the rules by implementing this one function.
pub trait Fetch: Send + Sync {
    /// Sends one GET request and returns the answer as soon as its headers are there.
    ///
    /// # Errors
    /// `network`, `tls`, `timeout`, `http-malformed`, `cancelled`, and what [`Hop::check_address`] says.
    fn hop(&self, hop: &Hop<'_>) -> Result<Answer>;
}

/// The request of one hop. The address in it has passed the rules.
#[derive(Debug)]
pub struct Hop<'a> {
    pub(super) url: &'a Url,
    pub(super) headers: Vec<(&'static str, String)>,
    pub(super) rules: &'a Rules,
    pub(super) cancel: &'a Cancel,
    pub(super) deadline: Instant,
}

impl<'a> Hop<'a> {
    /// Where to send it.
    #[must_use]
    pub fn url(&self) -> &'a Url {
        self.url
    }

    /// The headers to send besides `Host`, `Connection` and the like: `accept`, `accept-encoding: identity`, and what the
    /// caller of [`Download`](super::Download) added.
    pub fn headers(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.headers.iter().map(|(name, value)| (*name, value.as_str()))
    }

    /// Whether a connection may go to this network address: ask before connecting, about every address the name has.
    ///
    /// # Errors
    /// `private-address`
    pub fn check_address(&self, address: IpAddr) -> Result<()> {
        self.rules.check_address(self.url, address)
    }

    /// The rules in force: for their deadlines and sizes.
    #[must_use]
    pub fn rules(&self) -> &'a Rules {
        self.rules
    }

    /// When the whole download has to be done.
    #[must_use]
    pub fn deadline(&self) -> Instant {
        self.deadline
    }

    /// What is left until then.
    ///
    /// # Errors
    /// `timeout` if nothing is, `cancelled` if the caller asked to stop.
    pub fn time_left(&self) -> Result<Duration> {
        time_left(self.deadline, self.cancel)
    }

    /// The caller's flag, to be looked at while waiting.
    #[must_use]
    pub fn cancel(&self) -> &'a Cancel {
        self.cancel
    }
}

pub(super) fn time_left(deadline: Instant, cancel: &Cancel) -> Result<Duration> {
    if cancel.is_cancelled() {
        return Err(Error::new(Code::Cancelled));
    }
    let left = deadline.saturating_duration_since(Instant::now());
    if left.is_zero() { Err(Error::with(Code::Timeout, "the download took too long")) } else { Ok(left) }
}

/// What a server answered to one request.
pub struct Answer {
    /// The status code.
    pub status: u16,
    /// The headers as received.
    pub headers: Headers,
    /// The body as received, transfer coding (chunks) taken away, content coding not. An early end is
    /// [`UnexpectedEof`](std::io::ErrorKind::UnexpectedEof), a missed deadline [`TimedOut`](std::io::ErrorKind::TimedOut);
    /// an [`Error`] inside the [`std::io::Error`] is passed on.
    pub body: Box<dyn Read + Send>,
    /// The network address that was connected to; it is checked once more. `None` where the stack cannot tell: then
    /// nothing but [`Hop::check_address`] keeps private networks out.
    pub peer: Option<IpAddr>,
}

impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Answer")
            .field("status", &self.status)
            .field("headers", &self.headers)
            .field("peer", &self.peer)
            .finish_non_exhaustive()
    }
}

/// The headers of an answer: names in lower case, in the order received. Values are a stranger's text.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Headers(Vec<(String, String)>);

impl Headers {
    /// No headers.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a header; bytes that are not UTF-8 are replaced.
    pub fn push(&mut self, name: &str, value: &[u8]) {
        self.0.push((name.to_ascii_lowercase(), String::from_utf8_lossy(value).trim().to_owned()));
    }

    /// The value of a header, the first if there are several.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.iter().find(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// The value of a header; `None` also if there are several that differ.
    #[must_use]
    pub fn only(&self, name: &str) -> Option<&str> {
        let first = self.get(name)?;
        self.iter()
            .filter(|(found, _)| found.eq_ignore_ascii_case(name))
            .all(|(_, value)| value == first)
            .then_some(first)
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

impl<N: AsRef<str>, V: AsRef<[u8]>> FromIterator<(N, V)> for Headers {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(pairs: I) -> Self {
        let mut headers = Self::new();
        for (name, value) in pairs {
            headers.push(name.as_ref(), value.as_ref());
        }
        headers
    }
}

impl fmt::Debug for Headers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = self.iter().map(|(name, value)| {
            (crate::escape::escape(name.as_bytes()).to_string(), crate::escape::escape(value.as_bytes()).to_string())
        });
        f.debug_map().entries(shown).finish()
    }
}
