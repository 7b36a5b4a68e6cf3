//! What may be fetched: schemes, hosts, addresses, hops, sizes and deadlines. One value, consulted for every hop.

use std::net::IpAddr;
use std::time::Duration;

use super::address::{Reach, reach};
use super::url::Url;
use crate::error::{Code, Error, Result};
use crate::escape::escape;

/// The rules of downloads. Start from the defaults and change fields.
///
/// The driver ([`Download`](super::Download)) asks them about every address before it is fetched, redirects included, and
/// about the network address that was connected to. A [`Fetch`](super::Fetch) of your own cannot weaken them.
///
/// ```
/// use skillx_archive::fetch::{Rules, Url};
/// let index: Url = "https://example.com/index.json".parse()?;
/// let rules = Rules::default().typed(&index);
/// assert!(rules.check_url(&index).is_ok());
/// let metadata: Url = "https://169.254.169.254/".parse()?;
/// assert_eq!(rules.check_url(&metadata).unwrap_err().code(), "private-address");
/// # Ok::<(), skillx_archive::Error>(())
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Rules {
    /// Most redirects that are followed. **Default 5.** Code `too-many-redirects`.
    pub redirects: usize,
    /// Whether plain http may be fetched. A redirect from https to http is refused even then. **Default no.** Code
    /// `url-scheme`.
    pub allow_http: bool,
    /// Which hosts may be on this machine or in a private network. **Default none.** Code `private-address`.
    pub private: Private,
    /// Hosts that may be fetched from: `example.com`, `example.com:8443`, or `*.example.com` for names below it. Empty: any.
    /// The host that the user typed is always among them. **Default any.** Code `host-not-allowed`.
    pub hosts: Vec<String>,
    /// Bytes of the headers of one answer. **Default 64 KiB.** Code `http-malformed`.
    pub header_bytes: usize,
    /// Until a connection stands, name resolution and TLS included. **Default 15 s.** Code `timeout`.
    pub connect: Duration,
    /// Between two bytes from the server. **Default 30 s.** Code `timeout`.
    pub idle: Duration,
    /// The whole download, redirects included. **Default 300 s.** Code `timeout`.
    pub total: Duration,
    typed: Option<Url>,
}

/// Which hosts may be on this machine or in a private network.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Private {
    /// None but the loopback address that the user typed.
    #[default]
    Deny,
    /// The hosts named here, spelled as in an address.
    Hosts(Vec<String>),
    /// All: whoever is asked for an address may name any machine that this one reaches.
    Allow,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            redirects: 5,
            allow_http: false,
            private: Private::Deny,
            hosts: Vec::new(),
            header_bytes: 64 << 10,
            connect: Duration::from_secs(15),
            idle: Duration::from_secs(30),
            total: Duration::from_secs(300),
            typed: None,
        }
    }
}

impl Rules {
    /// The same rules for what begins at an address that the user typed.
    ///
    /// If it is a loopback address (`http://127.0.0.1:8000/…`, `localhost`), it and what lies on the same origin may be
    /// fetched, over plain http too. Never say this of an address that somebody else wrote.
    #[must_use]
    pub fn typed(mut self, url: &Url) -> Self {
        self.typed = Some(url.clone());
        self
    }

    /// Whether an address may be asked for.
    ///
    /// # Errors
    /// `url-scheme`, `host-not-allowed`, or `private-address` where the host is a special address, or `localhost`.
    pub fn check_url(&self, url: &Url) -> Result<()> {
        if !url.is_https() && !self.allow_http && !self.is_typed_loopback(url) {
            return Err(Error::with(Code::UrlScheme, format!("`{url}` is plain http, only https is fetched")));
        }
        if !self.allows_host(url) {
            let host = escape(url.host().as_bytes());
            return Err(Error::with(Code::HostNotAllowed, format!("`{url}` is on `{host}`, which is not allowed")));
        }
        match url.literal() {
            Some(address) => self.check_address(url, address),
            None if url.is_loopback() => self.check_address(url, IpAddr::from([127, 0, 0, 1])),
            None => Ok(()),
        }
    }

    /// Whether a redirect may lead from one address to the other: [`check_url`](Self::check_url), and no way back from
    /// https to http.
    ///
    /// # Errors
    /// Those of [`check_url`](Self::check_url).
    pub fn check_redirect(&self, from: &Url, to: &Url) -> Result<()> {
        if from.is_https() && !to.is_https() {
            let detail = format!("a redirect leads from https to plain http: `{to}`");
            return Err(Error::with(Code::UrlScheme, detail));
        }
        self.named_by(from).check_url(to)
    }

    /// The rules for addresses that are named by what came from `base`: an index, a redirect. The loopback address that the
    /// user typed stays open to what lies on its own origin, and to nobody else.
    #[must_use]
    pub fn named_by(&self, base: &Url) -> Self {
        let mut rules = self.clone();
        if rules.typed.as_ref().is_some_and(|typed| typed.is_loopback() && !typed.same_origin(base)) {
            rules.typed = None;
        }
        rules
    }

    /// Whether a connection for `url` may go to this network address: to be asked about every address that its host name
    /// resolves to, and about the one that was connected to.
    ///
    /// # Errors
    /// `private-address`
    pub fn check_address(&self, url: &Url, address: IpAddr) -> Result<()> {
        let what = match reach(address) {
            Reach::Public => return Ok(()),
            Reach::Loopback if self.is_typed_loopback(url) => return Ok(()),
            Reach::Loopback => "this machine",
            Reach::Special(what) => what,
        };
        let is_allowed = match &self.private {
            Private::Deny => false,
            Private::Hosts(hosts) => names(hosts, url),
            Private::Allow => true,
        };
        if is_allowed {
            return Ok(());
        }
        Err(Error::with(Code::PrivateAddress, format!("`{url}` leads to {address}, which is {what}")))
    }

    /// The loopback origin that the user typed.
    fn is_typed_loopback(&self, url: &Url) -> bool {
        self.typed.as_ref().is_some_and(|typed| typed.is_loopback() && typed.same_origin(url))
    }

    fn allows_host(&self, url: &Url) -> bool {
        let is_typed = self.typed.as_ref().is_some_and(|typed| typed.host() == url.host());
        self.hosts.is_empty() || is_typed || names(&self.hosts, url)
    }
}

/// Whether a list of hosts names the host of this address.
fn names(hosts: &[String], url: &Url) -> bool {
    let host = url.host().trim_end_matches('.');
    hosts.iter().any(|pattern| {
        let pattern = pattern.to_ascii_lowercase();
        match pattern.strip_prefix("*.") {
            Some(parent) => host.strip_suffix(parent).is_some_and(|rest| rest.len() > 1 && rest.ends_with('.')),
            None => pattern == host || pattern == format!("{host}:{}", url.port()),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        text.parse().unwrap()
    }

    fn code(outcome: Result<()>) -> &'static str {
        outcome.map_or_else(|error| error.code().as_str(), |()| "")
    }

    #[test]
    fn a_typed_loopback_address_opens_its_own_origin_and_nothing_else() {
        let rules = Rules::default().typed(&url("http://127.0.0.1:8000/index.json"));
        for (other, expected) in [
            ("http://127.0.0.1:8000/a.zip", ""),
            ("http://127.0.0.1:8001/a.zip", "url-scheme"),
            ("https://127.0.0.1:8000/a.zip", "private-address"),
            ("https://127.0.0.2/", "private-address"),
            ("https://[::1]/", "private-address"),
            ("https://localhost/", "private-address"),
            ("https://a.localhost./", "private-address"),
            ("http://example.com/", "url-scheme"),
            ("https://example.com/", ""),
        ] {
            assert_eq!(code(rules.check_url(&url(other))), expected, "{other}");
        }
        assert_eq!(code(Rules::default().check_url(&url("http://127.0.0.1:8000/"))), "url-scheme");
        assert_eq!(code(Rules::default().check_url(&url("https://localhost/"))), "private-address");
        // A typed private address is no loopback address.
        let rules = Rules::default().typed(&url("https://192.168.1.5/"));
        assert_eq!(code(rules.check_url(&url("https://192.168.1.5/"))), "private-address");
        // A typed localhost that somebody's resolver sends elsewhere.
        let rules = Rules::default().typed(&url("http://localhost/"));
        assert_eq!(code(rules.check_address(&url("http://localhost/"), [10, 0, 0, 1].into())), "private-address");
        assert_eq!(code(rules.check_address(&url("http://localhost/"), [127, 0, 0, 1].into())), "");
    }

    #[test]
    fn nobody_else_leads_back_to_the_typed_loopback_address() {
        let (typed, public) = (url("https://localhost:8443/"), url("https://example.com/"));
        let rules = Rules::default().typed(&typed);
        assert_eq!(code(rules.check_redirect(&typed, &url("https://localhost:8443/a"))), "");
        assert_eq!(code(rules.check_redirect(&typed, &public)), "");
        assert_eq!(code(rules.check_redirect(&public, &url("https://localhost:8443/a"))), "private-address");
        assert_eq!(code(rules.named_by(&public).check_url(&typed)), "private-address");
        assert_eq!(code(rules.named_by(&typed).check_url(&typed)), "");
        // A typed host that is not this machine stays on the list of allowed hosts.
        let mut rules = Rules::default().typed(&public);
        rules.hosts = vec!["cdn.example".into()];
        assert_eq!(code(rules.check_redirect(&url("https://cdn.example/"), &public)), "");
    }

    #[test]
    fn private_hosts_are_allowed_by_name() {
        let rules =
            Rules { private: Private::Hosts(vec!["intranet.example".into(), "[fd00::1]".into()]), ..Rules::default() };
        assert_eq!(code(rules.check_address(&url("https://intranet.example/x"), [10, 0, 0, 1].into())), "");
        assert_eq!(code(rules.check_address(&url("https://other.example/x"), [10, 0, 0, 1].into())), "private-address");
        assert_eq!(code(rules.check_url(&url("https://[fd00::1]/"))), "");
        let rules = Rules { private: Private::Allow, ..Rules::default() };
        assert_eq!(code(rules.check_url(&url("https://169.254.169.254/"))), "");
        assert_eq!(code(rules.check_url(&url("http://127.0.0.1/"))), "url-scheme");
    }

    #[test]
    fn an_allow_list_binds_every_hop_and_knows_the_typed_host() {
        let rules = Rules {
            hosts: vec!["cdn.example".into(), "*.Files.example".into(), "p.example:8443".into()],
            ..Rules::default()
        };
        let rules = rules.typed(&url("https://example.com/"));
        for (address, expected) in [
            ("https://example.com/x", ""),
            ("https://cdn.example/x", ""),
            ("https://cdn.example./x", ""),
            ("https://a.files.example/x", ""),
            ("https://files.example/x", "host-not-allowed"),
            ("https://evilfiles.example/x", "host-not-allowed"),
            ("https://p.example:8443/x", ""),
            ("https://p.example/x", "host-not-allowed"),
            ("https://evil.example/x", "host-not-allowed"),
        ] {
            assert_eq!(code(rules.check_url(&url(address))), expected, "{address}");
        }
    }

    #[test]
    fn no_redirect_leads_back_to_http() {
        let rules = Rules { allow_http: true, ..Rules::default() };
        let (secure, plain) = (url("https://example.com/"), url("http://example.com/"));
        assert_eq!(code(rules.check_redirect(&plain, &secure)), "");
        assert_eq!(code(rules.check_redirect(&plain, &plain)), "");
        assert_eq!(code(rules.check_redirect(&secure, &plain)), "url-scheme");
    }
}
