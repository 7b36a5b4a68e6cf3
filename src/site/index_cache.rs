//! Indexes that are kept as long as their servers allow (RFC 9111): `Cache-Control`, `ETag`, `Last-Modified`.
//!
//! The cache is the user's own directory. What is in it is checked as if it had just come: addresses against the rules, the
//! body by the reader of indexes. A file that cannot be read, or was written by another version, is as good as none.

use std::path::Path;
use std::time::{Duration, SystemTime};

use http::{HeaderName, HeaderValue, Request, Response};
use http_cache_semantics::{AfterResponse, CacheOptions, CachePolicy};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::index::Received;
use crate::confine::Directory;
use crate::discovery::AgentSkills;
use crate::fetch::{Fetched, Rules, Url};
use crate::install::Home;

/// The directory of indexes in the cache.
const INDEXES: &str = "indexes";
/// Longest time that an index is used without asking: a site that was taken over for an hour must not be believed for a year.
const MOST_AGE: Duration = Duration::from_secs(24 * 3600);
/// Largest file: an index as a JSON text, and what is known of it.
const MOST_BYTES: u64 = 8 << 20;

/// The directory of indexes.
pub(super) struct IndexCache {
    directory: Directory,
}

/// An index that is kept, or could be.
pub(super) struct Kept {
    url: Url,
    redirects: Vec<Url>,
    policy: CachePolicy,
    validators: Validators,
    body: Vec<u8>,
}

/// What the server can be asked with, whether it has changed.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Validators {
    etag: Option<String>,
    last_modified: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct File {
    requested: String,
    url: String,
    redirects: Vec<String>,
    policy: CachePolicy,
    validators: Validators,
    body: String,
}

impl IndexCache {
    /// `None` if there can be no cache: then there is none.
    pub(super) fn open(path: &Path) -> Option<Self> {
        let mut home = Home::make(&path.join(INDEXES)).ok()?;
        home.keep();
        let directory = home.directory().try_clone().ok()?;
        Some(Self { directory })
    }

    /// What is kept for an address.
    pub(super) fn get(&self, address: &Url) -> Option<Kept> {
        let (file, metadata) = self.directory.open_file(name(address)).ok()?;
        if metadata.length > MOST_BYTES {
            return None;
        }
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut std::io::Read::take(file, MOST_BYTES), &mut bytes).ok()?;
        let file: File = serde_json::from_slice(&bytes).ok()?;
        if file.requested != address.as_str() || file.body.len() as u64 > AgentSkills::MOST_BYTES {
            return None;
        }
        let redirects: Option<Vec<Url>> = file.redirects.iter().map(|url| url.parse().ok()).collect();
        Some(Kept {
            url: file.url.parse().ok()?,
            redirects: redirects?,
            policy: file.policy,
            validators: file.validators,
            body: file.body.into_bytes(),
        })
    }

    /// Keeps an index. If that fails, the next run asks the server.
    pub(super) fn put(&self, address: &Url, kept: &Kept) {
        let Ok(body) = String::from_utf8(kept.body.clone()) else { return };
        let file = File {
            requested: address.as_str().to_owned(),
            url: kept.url.as_str().to_owned(),
            redirects: kept.redirects.iter().map(|url| url.as_str().to_owned()).collect(),
            policy: kept.policy.clone(),
            validators: kept.validators.clone(),
            body,
        };
        let Ok(bytes) = serde_json::to_vec(&file) else { return };
        let name = name(address);
        // Two runs at once each write a file of their own; the last rename stands.
        let pending = format!("{name}.{}", std::process::id());
        let _ = self.directory.remove_file(&pending);
        let written = self
            .directory
            .create_file(&pending, 0o600)
            .and_then(|mut file| std::io::Write::write_all(&mut file, &bytes))
            .and_then(|()| self.directory.rename(&pending, &self.directory, &name));
        if written.is_err() {
            let _ = self.directory.remove_file(&pending);
        }
    }

    /// Forgets an index.
    pub(super) fn remove(&self, address: &Url) {
        let _ = self.directory.remove_file(name(address));
    }
}

impl Kept {
    pub(super) fn new(fetched: &Fetched, body: Vec<u8>, now: SystemTime) -> Self {
        // A private cache, and no guessing: without a word from the server it is asked again.
        let options = CacheOptions { shared: false, cache_heuristic: 0.0, ..CacheOptions::default() };
        let policy = CachePolicy::new_options(&request(fetched.requested()), &response(fetched), now, options);
        Self {
            url: fetched.url().clone(),
            redirects: fetched.redirects().to_vec(),
            policy,
            validators: Validators::of(fetched),
            body,
        }
    }

    /// Whether the rules of this run would let it be fetched.
    pub(super) fn is_allowed(&self, rules: &Rules) -> bool {
        self.redirects.len() <= rules.redirects
            && self.redirects.iter().chain([&self.url]).all(|url| rules.check_url(url).is_ok())
    }

    pub(super) fn is_fresh(&self, now: SystemTime) -> bool {
        !self.policy.is_stale(now) && self.policy.age(now) < MOST_AGE
    }

    pub(super) fn is_storable(&self) -> bool {
        self.policy.is_storable()
    }

    pub(super) fn etag(&self) -> Option<&str> {
        self.validators.etag.as_deref()
    }

    pub(super) fn last_modified(&self) -> Option<&str> {
        self.validators.last_modified.as_deref()
    }

    /// The same index, after the server has said that it is still good.
    pub(super) fn revalidated(mut self, fetched: &Fetched, now: SystemTime) -> Self {
        let after = self.policy.after_response(&request(fetched.requested()), &response(fetched), now);
        // Where the answer names no validator (Python's http.server), the old policy stands: the next run asks again.
        if let AfterResponse::NotModified(policy, _) = after {
            self.policy = policy;
        }
        self
    }

    pub(super) fn received(&self, cached: &'static str) -> Received {
        Received { url: self.url.clone(), redirects: self.redirects.clone(), body: self.body.clone(), cached }
    }
}

impl Validators {
    /// None, if the index was changed in the second in which it was sent: servers that make validators of whole seconds (nginx,
    /// http.server) may give those of the next change too (RFC 9110, section 8.8.2.2).
    fn of(fetched: &Fetched) -> Self {
        let header = |name| fetched.headers().only(name).map(str::to_owned);
        let last_modified = header("last-modified");
        if last_modified.is_some() && last_modified == header("date") {
            return Self::default();
        }
        Self { etag: header("etag"), last_modified }
    }
}

fn request(url: &Url) -> Request<()> {
    let mut request = Request::new(());
    if let Ok(uri) = url.as_str().parse() {
        *request.uri_mut() = uri;
    }
    request
}

/// Status and headers; what is no header for the library is left out.
fn response(fetched: &Fetched) -> Response<()> {
    let mut response = Response::new(());
    if let Ok(status) = http::StatusCode::from_u16(fetched.status()) {
        *response.status_mut() = status;
    }
    for (name, value) in fetched.headers().iter() {
        if let (Ok(name), Ok(value)) = (HeaderName::from_bytes(name.as_bytes()), HeaderValue::from_str(value)) {
            response.headers_mut().append(name, value);
        }
    }
    response
}

/// A name that says nothing, and that no address can choose.
fn name(address: &Url) -> String {
    let mut name = String::new();
    for byte in Sha256::digest(address.as_str().as_bytes()) {
        let _ = std::fmt::Write::write_fmt(&mut name, format_args!("{byte:02x}"));
    }
    name
}
