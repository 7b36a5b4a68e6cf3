//! Downloads: addresses, the rules they are fetched by, and the one loop that follows redirects under them.
//!
//! The network is behind [`Fetch`], which sends one request and follows nothing. [`Download`] does the rest: each address
//! passes the [`Rules`], redirects are followed here and re-checked, the body is counted and handed on as received. Nothing
//! is decoded, so that the SHA-256 is that of the bytes that came (Agent Skills Discovery RFC 0.2.0, "Integrity and
//! Verification", "HTTP Considerations").
//!
//! ```
//! use skillx_archive::{Cancel, Digest, Limits, fetch::{Download, Memory, Rules, Url}};
//! let mut web = Memory::default();
//! web.page("https://example.com/pdf.zip", 200, &[("content-encoding", "gzip")], b"decoded by nobody");
//!
//! let url: Url = "https://example.com/pdf.zip".parse()?;
//! let rules = Rules::default().typed(&url);
//! let (artifact, fetched) = Download::new(&url).artifact(&web, &rules, &Limits::default(), &Cancel::new())?;
//! let promised = Digest::from_bytes([0; 32]);
//! // Not `digest-mismatch`: the server compressed what it was asked to send as it is.
//! assert_eq!(fetched.verify(artifact, &promised).unwrap_err().code(), "content-encoding");
//! # Ok::<(), skillx_archive::Error>(())
//! ```

mod address;
mod cache;
#[cfg(feature = "http")]
mod connection;
mod download;
mod fetched;
mod hop;
#[cfg(feature = "http")]
mod https;
mod memory;
mod rules;
mod url;

pub use self::cache::Cache;
pub use self::download::{Download, Received};
pub use self::fetched::Fetched;
pub use self::hop::{Answer, Fetch, Headers, Hop};
#[cfg(feature = "http")]
pub use self::https::Https;
pub use self::memory::{Asked, Memory};
pub use self::rules::{Private, Rules};
pub use self::url::Url;
