//! What a download brought: where from, with which headers, and what is wrong with it when its digest is not the promised one.

use super::hop::{Answer, Headers};
use super::url::Url;
use crate::artifact::{Artifact, Declared, VerifiedArtifact};
use crate::container::Format;
use crate::digest::Digest;
use crate::error::{Code, Error, Result};
use crate::escape::escape;
use crate::report::DownloadReport;

/// A finished download: everything but the body.
#[derive(Debug, Clone)]
pub struct Fetched {
    requested: Url,
    url: Url,
    redirects: Vec<Url>,
    status: u16,
    headers: Headers,
    bytes: u64,
    head: Vec<u8>,
    authorized: bool,
}

impl Fetched {
    pub(super) fn new(requested: &Url, url: Url, redirects: Vec<Url>, answer: &Answer, authorized: bool) -> Self {
        Self {
            requested: requested.clone(),
            url,
            redirects,
            status: answer.status,
            headers: answer.headers.clone(),
            bytes: 0,
            head: Vec::new(),
            authorized,
        }
    }

    pub(super) fn keep_head(&mut self, piece: &[u8], most: usize) {
        let room = most.saturating_sub(self.head.len()).min(piece.len());
        self.head.extend_from_slice(piece.get(..room).unwrap_or_default());
    }

    pub(super) fn complete(&mut self, bytes: u64) {
        self.bytes = bytes;
    }

    /// The address that was asked for.
    #[must_use]
    pub fn requested(&self) -> &Url {
        &self.requested
    }

    /// The address that the answer came from: the base for references in it (RFC 3986, section 5.1.3).
    #[must_use]
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// The addresses it was redirected to, in order; the last is [`url`](Self::url).
    #[must_use]
    pub fn redirects(&self) -> &[Url] {
        &self.redirects
    }

    /// The status: 200, or 304 when that was asked for.
    #[must_use]
    pub fn status(&self) -> u16 {
        self.status
    }

    /// Whether the request that was answered carried the credentials of [`Download::authorization`](super::Download::authorization):
    /// not if a redirect led to another origin on the way.
    #[must_use]
    pub fn authorized(&self) -> bool {
        self.authorized
    }

    /// Whether the server says that nothing has changed; there is no body then.
    #[must_use]
    pub fn not_modified(&self) -> bool {
        self.status == 304
    }

    /// All headers of the last answer: a stranger's text.
    #[must_use]
    pub fn headers(&self) -> &Headers {
        &self.headers
    }

    /// The `Content-Type`.
    #[must_use]
    pub fn content_type(&self) -> Option<&str> {
        self.headers.only("content-type")
    }

    /// The `Content-Encoding`, unless it is `identity`.
    #[must_use]
    pub fn content_encoding(&self) -> Option<&str> {
        self.headers
            .get("content-encoding")
            .filter(|value| !value.is_empty() && !value.eq_ignore_ascii_case("identity"))
    }

    /// The `Content-Length`: what the server declared. Where the body came in chunks it says nothing.
    #[must_use]
    pub fn declared_length(&self) -> Option<u64> {
        match self.headers.get("transfer-encoding") {
            Some(_) => None,
            None => self.headers.only("content-length")?.parse().ok(),
        }
    }

    /// The `ETag`.
    #[must_use]
    pub fn etag(&self) -> Option<&str> {
        self.headers.only("etag")
    }

    /// The `Cache-Control`.
    #[must_use]
    pub fn cache_control(&self) -> Option<&str> {
        self.headers.get("cache-control")
    }

    /// Bytes of the body.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Whether it is a web page: said to be, or beginning like one.
    #[must_use]
    pub fn is_html(&self) -> bool {
        let essence = self.content_type().and_then(|value| value.split(';').next()).map(str::trim).unwrap_or_default();
        let is_declared = ["text/html", "application/xhtml+xml"].iter().any(|html| essence.eq_ignore_ascii_case(html));
        let head = self.head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&self.head).trim_ascii_start();
        let begins = |tag: &[u8]| head.get(..tag.len()).is_some_and(|head| head.eq_ignore_ascii_case(tag));
        is_declared && !begins(b"\x1f\x8b") && !begins(b"PK") || begins(b"<!doctype html") || begins(b"<html")
    }

    /// Why this cannot be what was asked for, whatever its digest: a web page with status 200 (`html-page`).
    ///
    /// # Errors
    /// `html-page`
    pub fn check_page(&self) -> Result<()> {
        if !self.is_html() {
            return Ok(());
        }
        let begin = escape(self.head.get(..40.min(self.head.len())).unwrap_or_default()).to_string();
        let detail = format!("`{}` is a web page, sent with status 200; it begins with `{begin}`", self.url);
        Err(Error::with(Code::HtmlPage, detail))
    }

    /// Checks the artifact that was downloaded against its digest; when it does not match, says what the server did.
    ///
    /// # Errors
    /// `content-encoding` if the server encoded the file on the way, `html-page` if it sent a web page, else
    /// `digest-mismatch`.
    pub fn verify(&self, artifact: Artifact, digest: &Digest) -> Result<VerifiedArtifact> {
        artifact.verify(digest).map_err(|mismatch| self.explain(&mismatch))
    }

    /// The error that says more than this `digest-mismatch`, where the server's answer explains it.
    #[must_use]
    pub fn explain(&self, mismatch: &Error) -> Error {
        if mismatch.code() != Code::DigestMismatch {
            return mismatch.clone();
        }
        let detail = mismatch.detail();
        if let Some(coding) = self.content_encoding() {
            let coding = escape(coding.as_bytes());
            let detail = format!(
                "the server sent `{}` with Content-Encoding `{coding}` although it was asked for the file as it is (Accept-Encoding: identity): {detail}",
                self.url
            );
            return Error::with(Code::ContentEncoding, detail);
        }
        match self.check_page() {
            Err(page) => Error::with(Code::HtmlPage, format!("{}: {detail}", page.detail())),
            Ok(()) => mismatch.clone(),
        }
    }

    /// Tells the artifact where it came from, and what its server and its address declare it to be.
    pub(super) fn describe(&self, artifact: &mut Artifact) {
        let origin = artifact.origin_mut();
        origin.source = Some(self.requested.as_str().to_owned());
        let declared = self.content_type().and_then(Format::from_content_type);
        origin.declared = declared.map(|format| Declared { zip: format == Format::Zip, by: "content-type" });
        let names = [&self.requested, &self.url].map(|url| url.last_component().to_ascii_lowercase());
        let known = names.iter().find(|name| Format::from_file_name(name).is_some());
        origin.extension = known.cloned();
        origin.download = Some(self.report());
    }

    /// For reports.
    #[must_use]
    pub fn report(&self) -> DownloadReport {
        DownloadReport {
            url: self.url.as_str().to_owned(),
            status: Some(self.status),
            redirects: self.redirects.iter().map(|url| url.as_str().to_owned()).collect(),
            content_type: self.content_type().map(str::to_owned),
            content_encoding: self.content_encoding().map(str::to_owned),
            content_length: self.declared_length(),
            etag: self.etag().map(str::to_owned),
            cached: false,
        }
    }
}
