//! The network: one request over HTTP/1.1 and TLS, by ureq and rustls. The only network code there is.

use std::fmt;
use std::io::{self, Read};

use ureq::config::Config;
use ureq::tls::{PemItem, RootCerts, TlsConfig, parse_pem};
use ureq::unversioned::transport::{ConnectProxyConnector, Connector as _, RustlsConnector};
use ureq::{Agent, Proxy, ProxyProtocol};

use super::connection::{Ends, Line, Names, Patience};
use super::hop::{Answer, Fetch, Headers, Hop};
use super::url::Url;
use crate::error::{Code, Error, Result};
use crate::escape::escape;

/// The network (feature `http`): HTTP/1.1 over TLS, certificates checked against Mozilla's roots, which are built in.
///
/// One connection a request, nothing kept between two: no cookies, no credentials, no proxy from the environment. The
/// addresses that a host name has are checked, and those are connected to, so that a name cannot change between check
/// and use. There is no way to skip the check of certificates.
///
/// ```no_run
/// use skillx_archive::{Cancel, Digest, Limits, Options};
/// use skillx_archive::fetch::{Download, Https, Rules, Url};
///
/// # fn main() -> Result<(), skillx_archive::Error> {
/// let url: Url = "https://example.com/pdf.tar.gz".parse()?;
/// let (rules, limits) = (Rules::default().typed(&url), Limits::default());
/// let (artifact, fetched) = Download::new(&url).artifact(&Https::new(), &rules, &limits, &Cancel::new())?;
/// # let text = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
/// let digest: Digest = text.parse()?;
/// let skill = fetched.verify(artifact, &digest)?.extract("skills/pdf", &Options::default())?;
/// # let _ = skill;
/// # Ok::<(), skillx_archive::Error>(())
/// # }
/// ```
#[derive(Clone)]
pub struct Https {
    roots: RootCerts,
    proxy: Option<Proxy>,
}

impl Default for Https {
    fn default() -> Self {
        Self::new()
    }
}

impl Https {
    /// With the built-in roots and without a proxy.
    #[must_use]
    pub fn new() -> Self {
        Self { roots: RootCerts::WebPki, proxy: None }
    }

    /// With these certificate authorities (PEM) in place of the built-in ones.
    ///
    /// # Errors
    /// `usage` if the text is not PEM or holds no certificate.
    pub fn with_roots(mut self, pem: &[u8]) -> Result<Self> {
        let mut roots = Vec::new();
        for item in parse_pem(pem) {
            match item {
                Ok(PemItem::Certificate(certificate)) => roots.push(certificate),
                Ok(_) => {}
                Err(error) => return Err(Error::usage(format!("the certificate authorities are not PEM: {error}"))),
            }
        }
        if roots.is_empty() {
            return Err(Error::usage("there is no certificate among the certificate authorities"));
        }
        self.roots = RootCerts::new_with_certs(&roots);
        Ok(self)
    }

    /// Through this proxy (`http://host:port` or `https://host:port`), with CONNECT. The proxy then resolves host names and
    /// connects: only addresses that stand in an address itself are checked here, the rest is the proxy's to do.
    ///
    /// # Errors
    /// `usage` if this is not the address of such a proxy.
    pub fn with_proxy(mut self, address: &str) -> Result<Self> {
        let wrong = || Error::usage("the proxy must be given as http://host:port or https://host:port");
        let proxy = Proxy::new(address).map_err(|_| wrong())?;
        if !matches!(proxy.protocol(), ProxyProtocol::Http | ProxyProtocol::Https) {
            return Err(wrong());
        }
        self.proxy = Some(proxy);
        Ok(self)
    }

    fn agent(&self, hop: &Hop<'_>, patience: &Patience) -> Agent {
        let rules = hop.rules();
        let config = Config::builder()
            .http_status_as_error(false)
            // Redirects are ours to follow.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .proxy(self.proxy.clone())
            .user_agent(concat!("skillx-archive/", env!("CARGO_PKG_VERSION")))
            .max_response_header_size(rules.header_bytes)
            .timeout_connect(Some(rules.connect))
            .timeout_recv_response(Some(rules.idle))
            .timeout_global(Some(rules.total))
            .tls_config(TlsConfig::builder().root_certs(self.roots.clone()).build())
            .build();
        let connector =
            ().chain(ConnectProxyConnector::default())
                .chain(Line(patience.clone()))
                .chain(RustlsConnector::default())
                .chain(Ends(patience.clone()));
        Agent::with_parts(config, connector, Names(patience.clone()))
    }
}

impl Fetch for Https {
    fn hop(&self, hop: &Hop<'_>) -> Result<Answer> {
        hop.time_left()?;
        let patience = Patience::new(hop, self.proxy.is_some());
        let mut request = self.agent(hop, &patience).get(hop.url().as_str()).header("connection", "close");
        for (name, value) in hop.headers() {
            request = request.header(name, value);
        }
        let response = request.call().map_err(|error| translate(error, hop.url()))?;
        let (parts, body) = response.into_parts();
        let headers: Headers = parts.headers.iter().map(|(name, value)| (name.as_str(), value.as_bytes())).collect();
        Ok(Answer {
            status: parts.status.as_u16(),
            headers,
            body: Box::new(Body { inner: body.into_reader(), url: hop.url().clone(), patience: patience.clone() }),
            peer: patience.peer(),
        })
    }
}

/// A body whose errors are ours.
struct Body {
    inner: ureq::BodyReader<'static>,
    url: Url,
    patience: Patience,
}

impl Read for Body {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => error,
            _ => io::Error::other(translate(error.into(), &self.url)),
        })?;
        if count == 0 && self.patience.saw_excess() {
            let detail = format!("the server sent more than the length that it declared for `{}`", self.url);
            return Err(io::Error::other(Error::with(Code::LengthMismatch, detail)));
        }
        Ok(count)
    }
}

/// What went wrong, in our words and codes.
fn translate(error: ureq::Error, url: &Url) -> Error {
    let shown = |error: &dyn fmt::Display| escape(error.to_string().as_bytes()).to_string();
    match error {
        ureq::Error::Other(inner) => match inner.downcast::<Error>() {
            Ok(ours) => *ours,
            Err(other) => Error::with(Code::Network, format!("`{url}` cannot be fetched: {}", shown(&other))),
        },
        ureq::Error::Timeout(_) => Error::with(Code::Timeout, format!("the server of `{url}` took too long")),
        ureq::Error::Rustls(error) => tls(url, &shown(&error)),
        ureq::Error::Tls(why) => tls(url, why),
        ureq::Error::Io(error) => match error.get_ref().and_then(|inner| inner.downcast_ref::<Error>()) {
            Some(ours) => ours.clone(),
            // rustls gives its own errors as data that is invalid.
            None if error.kind() == io::ErrorKind::InvalidData => tls(url, &shown(&error)),
            None => Error::with(Code::Network, format!("the connection for `{url}` broke: {}", shown(&error))),
        },
        ureq::Error::Protocol(_)
        | ureq::Error::Http(_)
        | ureq::Error::LargeResponseHeader(..)
        | ureq::Error::BodyStalled => {
            Error::with(Code::HttpMalformed, format!("the answer for `{url}` cannot be read: {}", shown(&error)))
        }
        ureq::Error::BadUri(_) => {
            Error::with(Code::UrlInvalid, format!("`{url}` cannot be asked for: {}", shown(&error)))
        }
        other => Error::with(Code::Network, format!("`{url}` cannot be fetched: {}", shown(&other))),
    }
}

fn tls(url: &Url, why: &str) -> Error {
    Error::with(Code::Tls, format!("the server of `{url}` cannot be trusted: {why}"))
}

impl fmt::Debug for Https {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The address of a proxy may hold a password.
        f.debug_struct("Https").field("proxy", &self.proxy.is_some()).finish_non_exhaustive()
    }
}
