//! A web that lives in memory: for tests of whatever is built on downloads.

use std::collections::HashMap;
use std::io::Cursor;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

use super::hop::{Answer, Fetch, Headers, Hop};
use super::url::Url;
use crate::error::{Code, Error, Result};

/// A [`Fetch`] that answers from memory: pages by address, `404` for everything else. It remembers what it was asked.
///
/// ```
/// use skillx_archive::{Cancel, fetch::{Download, Memory, Rules, Url}};
/// let mut web = Memory::default();
/// web.page("https://example.com/old.zip", 302, &[("location", "/new.zip")], b"");
/// web.page("https://example.com/new.zip", 200, &[("content-type", "application/zip")], b"PK");
/// let url: Url = "https://example.com/old.zip".parse()?;
/// let mut bytes = Vec::new();
/// let fetched = Download::new(&url).run(&web, &Rules::default(), &Cancel::new(), &mut bytes)?;
/// assert_eq!(bytes, b"PK");
/// assert_eq!(fetched.url().as_str(), "https://example.com/new.zip");
/// assert_eq!(web.asked().len(), 2);
/// # Ok::<(), skillx_archive::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct Memory {
    pages: HashMap<String, Page>,
    asked: Mutex<Vec<Asked>>,
}

#[derive(Debug, Clone)]
struct Page {
    status: u16,
    headers: Headers,
    body: Vec<u8>,
    peer: Option<IpAddr>,
}

/// One request that a [`Memory`] answered.
#[derive(Debug, Clone)]
pub struct Asked {
    /// The address asked for.
    pub url: Url,
    /// The headers that came with it.
    pub headers: Headers,
}

impl Memory {
    /// Puts a page at an address, in place of what was there.
    pub fn page(&mut self, url: &str, status: u16, headers: &[(&str, &str)], body: &[u8]) {
        let page = Page { status, headers: headers.iter().copied().collect(), body: body.to_vec(), peer: None };
        self.pages.insert(normal(url), page);
    }

    /// The page at this address comes from a host with this network address.
    pub fn hosted_at(&mut self, url: &str, peer: IpAddr) {
        if let Some(page) = self.pages.get_mut(&normal(url)) {
            page.peer = Some(peer);
        }
    }

    /// Every request so far, in order.
    #[must_use]
    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

fn normal(url: &str) -> String {
    url.parse::<Url>().map_or_else(|_| url.to_owned(), |url| url.as_str().to_owned())
}

impl Fetch for Memory {
    fn hop(&self, hop: &Hop<'_>) -> Result<Answer> {
        if hop.cancel().is_cancelled() {
            return Err(Error::new(Code::Cancelled));
        }
        let asked = Asked { url: hop.url().clone(), headers: hop.headers().collect() };
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).push(asked);
        let nothing = || Page { status: 404, headers: Headers::new(), body: Vec::new(), peer: None };
        let page = self.pages.get(hop.url().as_str()).cloned().unwrap_or_else(nothing);
        if let Some(peer) = page.peer {
            hop.check_address(peer)?;
        }
        Ok(Answer {
            status: page.status,
            headers: page.headers,
            body: Box::new(Cursor::new(page.body)),
            peer: page.peer,
        })
    }
}
