//! The loop: one hop after the other, each under the rules, and the body of the last one handed on, counted.

use std::fmt;
use std::io::{self, Read, Write};
use std::sync::Arc;
use std::time::Instant;

use super::fetched::Fetched;
use super::hop::{Answer, Fetch, Hop, time_left};
use super::rules::Rules;
use super::url::Url;
use crate::artifact::Artifact;
use crate::cancel::Cancel;
use crate::error::{Code, Error, Result};
use crate::escape::escape;
use crate::limits::Limits;

/// Bytes read at a time.
const PIECE: usize = 64 * 1024;
/// What is kept of the body's beginning, to say what it is when it is not what was asked for.
const HEAD: usize = 512;

/// One download to be made: where from, and what to ask with.
#[derive(Clone)]
pub struct Download {
    url: Url,
    accept: Option<String>,
    if_none_match: Option<String>,
    if_modified_since: Option<String>,
    authorization: Option<String>,
    most: u64,
    too_large: TooLarge,
    on_progress: Option<Arc<dyn Fn(Received) + Send + Sync>>,
}

/// What comes of a body with more bytes than are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TooLarge {
    Cut,
    Refused(Code),
}

/// How far a download has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Received {
    /// Bytes of the body so far.
    pub bytes: u64,
    /// How many the server says there will be: a stranger's number.
    pub declared: Option<u64>,
}

impl Download {
    /// Of this address. Without [`most`](Self::most), up to 32 MiB.
    #[must_use]
    pub fn new(url: &Url) -> Self {
        Self {
            url: url.clone(),
            accept: None,
            if_none_match: None,
            if_modified_since: None,
            authorization: None,
            most: Limits::default().archive,
            too_large: TooLarge::Refused(Code::LimitArchive),
            on_progress: None,
        }
    }

    /// The `Accept` header. **Default `*/*`.**
    #[must_use]
    pub fn accept(mut self, types: &str) -> Self {
        self.accept = Some(types.to_owned());
        self
    }

    /// Asks with `If-None-Match`: the answer may then be [`Fetched::not_modified`].
    #[must_use]
    pub fn if_none_match(mut self, etag: &str) -> Self {
        self.if_none_match = Some(etag.to_owned());
        self
    }

    /// Asks with `If-Modified-Since`: the answer may then be [`Fetched::not_modified`].
    #[must_use]
    pub fn if_modified_since(mut self, date: &str) -> Self {
        self.if_modified_since = Some(date.to_owned());
        self
    }

    /// The `Authorization` header: sent to the origin of the address, and never across a redirect to another, not even to
    /// come back.
    #[must_use]
    pub fn authorization(mut self, value: &str) -> Self {
        self.authorization = Some(value.to_owned());
        self
    }

    /// Most bytes of the body, and the code of the error when there are more.
    #[must_use]
    pub fn most(mut self, bytes: u64, too_large: Code) -> Self {
        (self.most, self.too_large) = (bytes, TooLarge::Refused(too_large));
        self
    }

    /// Bytes of the body that are wanted: the rest is not read, and is no error.
    #[must_use]
    pub fn cut_at(mut self, bytes: u64) -> Self {
        (self.most, self.too_large) = (bytes, TooLarge::Cut);
        self
    }

    /// Called for every piece that arrives.
    #[must_use]
    pub fn on_progress(mut self, show: impl Fn(Received) + Send + Sync + 'static) -> Self {
        self.on_progress = Some(Arc::new(show));
        self
    }

    /// Fetches into a new artifact, within [`Limits::archive`]; the format is declared by the answer's `Content-Type`, else
    /// by the extension of the address that was asked for, else of the one it led to. Then [`Fetched::verify`].
    ///
    /// # Errors
    /// Those of [`run`](Self::run).
    pub fn artifact(
        self,
        fetch: &dyn Fetch,
        rules: &Rules,
        limits: &Limits,
        cancel: &Cancel,
    ) -> Result<(Artifact, Fetched)> {
        let mut writer = Artifact::writer(limits);
        let fetched = self.most(limits.archive, Code::LimitArchive).run(fetch, rules, cancel, &mut writer)?;
        let mut artifact = writer.finish()?;
        fetched.describe(&mut artifact);
        Ok((artifact, fetched))
    }

    /// Fetches, and writes the body into `into` as it comes: every hop checked, the body counted, nothing decoded.
    ///
    /// # Errors
    /// - refused: `url-scheme`, `url-userinfo`, `url-invalid`, `private-address`, `host-not-allowed`,
    ///   `too-many-redirects`, and the code given to [`most`](Self::most);
    /// - failed: `http-status` for anything but 200 (and 304 when asked for), `length-mismatch`, `timeout`, `network`,
    ///   `tls`, `http-malformed`, `cancelled`, and `io` or `disk-full` where `into` fails.
    ///
    /// On an error `into` may hold a part of the body: throw it away.
    pub fn run(&self, fetch: &dyn Fetch, rules: &Rules, cancel: &Cancel, into: &mut dyn Write) -> Result<Fetched> {
        let started = Instant::now();
        let deadline = started.checked_add(rules.total).unwrap_or(started);
        rules.check_url(&self.url)?;
        let mut redirects: Vec<Url> = Vec::new();
        let mut url = self.url.clone();
        let mut authorization = self.authorization.as_deref();
        loop {
            time_left(deadline, cancel)?;
            let hop = Hop { url: &url, headers: self.headers(authorization), rules, cancel, deadline };
            let answer = fetch.hop(&hop)?;
            if let Some(peer) = answer.peer {
                rules.check_address(&url, peer)?;
            }
            let Some(next) = redirect(&answer, &url)? else {
                let fetched = Fetched::new(&self.url, url, redirects, &answer, authorization.is_some());
                self.check_status(&fetched)?;
                check_transfer(&fetched)?;
                return self.receive(fetched, answer.body, deadline, cancel, into);
            };
            if redirects.len() >= rules.redirects {
                let detail = format!("there are more than {} redirects; the next leads to `{next}`", rules.redirects);
                return Err(Error::with(Code::TooManyRedirects, detail));
            }
            rules.check_redirect(&url, &next)?;
            if !url.same_origin(&next) {
                authorization = None;
            }
            redirects.push(next.clone());
            url = next;
        }
    }

    fn headers(&self, authorization: Option<&str>) -> Vec<(&'static str, String)> {
        let mut headers = vec![
            ("accept", self.accept.clone().unwrap_or_else(|| "*/*".to_owned())),
            // The digest is that of the file: nobody may compress it on the way.
            ("accept-encoding", "identity".to_owned()),
        ];
        let optional = [
            ("if-none-match", self.if_none_match.as_deref()),
            ("if-modified-since", self.if_modified_since.as_deref()),
            ("authorization", authorization),
        ];
        headers.extend(optional.into_iter().filter_map(|(name, value)| Some((name, value?.to_owned()))));
        headers
    }

    fn check_status(&self, fetched: &Fetched) -> Result<()> {
        let is_conditional = self.if_none_match.is_some() || self.if_modified_since.is_some();
        match fetched.status() {
            200 => Ok(()),
            304 if is_conditional => Ok(()),
            status => {
                let url = fetched.url();
                let detail = format!("the server answered {} for `{url}`", named(status));
                let error = Error::with(Code::HttpStatus, detail).of_status(status);
                Err(match status {
                    401 | 403 | 407 => {
                        error.hint("the server wants credentials or refuses access; ask whoever publishes there")
                    }
                    404 | 410 => error.hint("check the address; publisher: nothing is published there"),
                    429 | 503 => error.hint("the server is busy or limits requests; try again later"),
                    _ => error,
                })
            }
        }
    }

    fn receive(
        &self,
        mut fetched: Fetched,
        mut body: Box<dyn Read + Send>,
        deadline: Instant,
        cancel: &Cancel,
        into: &mut dyn Write,
    ) -> Result<Fetched> {
        if fetched.not_modified() {
            return Ok(fetched);
        }
        let declared = fetched.declared_length();
        if let (TooLarge::Refused(code), true) = (self.too_large, declared.is_some_and(|bytes| bytes > self.most)) {
            return Err(self.too_large(code, &fetched));
        }
        let mut piece = vec![0; PIECE];
        let mut bytes: u64 = 0;
        loop {
            time_left(deadline, cancel)?;
            let count = match body.read(&mut piece) {
                Ok(0) => break,
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(broken_off(error, bytes, &fetched)),
            };
            let room = self.most.saturating_sub(bytes);
            bytes = bytes.saturating_add(count as u64);
            let mut received = piece.get(..count).unwrap_or_default();
            if bytes > self.most {
                match self.too_large {
                    TooLarge::Refused(code) => return Err(self.too_large(code, &fetched)),
                    TooLarge::Cut => received = received.get(..usize::try_from(room).unwrap_or(0)).unwrap_or_default(),
                }
            }
            fetched.keep_head(received, HEAD);
            into.write_all(received)
                .map_err(|error| inner(error, |error| Error::io("cannot keep what was downloaded", error)))?;
            if let Some(show) = &self.on_progress {
                show(Received { bytes, declared });
            }
            if bytes > self.most {
                fetched.complete(self.most);
                return Ok(fetched);
            }
        }
        if let Some(declared) = declared.filter(|declared| *declared != bytes) {
            let detail = format!("`{}` is {bytes} bytes, the server declared {declared}", fetched.url());
            return Err(Error::with(Code::LengthMismatch, detail));
        }
        fetched.complete(bytes);
        Ok(fetched)
    }

    fn too_large(&self, code: Code, fetched: &Fetched) -> Error {
        Error::with(code, format!("`{}` is larger than {} bytes", fetched.url(), self.most))
    }
}

/// Chunks are the one transfer coding that is taken away on the way here (RFC 9112, section 6.1).
fn check_transfer(fetched: &Fetched) -> Result<()> {
    let foreign = fetched.headers().iter().find(|(name, value)| {
        name.eq_ignore_ascii_case("transfer-encoding")
            && !value.eq_ignore_ascii_case("chunked")
            && !value.eq_ignore_ascii_case("identity")
    });
    let Some((_, value)) = foreign else { return Ok(()) };
    let coding = escape(value.as_bytes());
    let detail =
        format!("the server of `{}` used the transfer coding `{coding}`, which nobody asked for", fetched.url());
    Err(Error::with(Code::HttpMalformed, detail))
}

/// Where the answer sends us, if it does.
fn redirect(answer: &Answer, from: &Url) -> Result<Option<Url>> {
    if !matches!(answer.status, 301 | 302 | 303 | 307 | 308) {
        return Ok(None);
    }
    let status = answer.status;
    let Some(location) = answer.headers.only("location") else {
        let detail = format!("the server answered {status} for `{from}` without saying where to, or in two ways");
        return Err(Error::with(Code::HttpStatus, detail));
    };
    from.join(location).map(Some)
}

/// The error that an [`io::Error`] carries inside, or another one made of it.
fn inner(error: io::Error, otherwise: impl FnOnce(io::Error) -> Error) -> Error {
    match error.get_ref().and_then(|inside| inside.downcast_ref::<Error>()) {
        Some(inside) => inside.clone(),
        None => otherwise(error),
    }
}

fn broken_off(error: io::Error, bytes: u64, fetched: &Fetched) -> Error {
    inner(error, |error| {
        let url = fetched.url();
        match error.kind() {
            io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => {
                Error::with(Code::Timeout, format!("the server stopped sending `{url}` after {bytes} bytes"))
            }
            io::ErrorKind::UnexpectedEof => {
                let declared = fetched.declared_length().map(|declared| format!(" of {declared}")).unwrap_or_default();
                Error::with(Code::LengthMismatch, format!("`{url}` broke off after {bytes}{declared} bytes"))
            }
            _ => {
                let why = escape(error.to_string().as_bytes()).to_string();
                Error::with(Code::Network, format!("`{url}` broke off after {bytes} bytes: {why}"))
            }
        }
    })
}

fn named(status: u16) -> String {
    let name = match status {
        204 => "No Content",
        206 => "Partial Content",
        304 => "Not Modified",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        406 => "Not Acceptable",
        407 => "Proxy Authentication Required",
        410 => "Gone",
        416 => "Range Not Satisfiable",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        _ => return status.to_string(),
    };
    format!("{status} {name}")
}

impl fmt::Debug for Download {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // No credentials in logs.
        f.debug_struct("Download").field("url", &self.url).field("most", &self.most).finish_non_exhaustive()
    }
}
