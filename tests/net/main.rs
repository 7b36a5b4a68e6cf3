//! Downloads against servers that tell every lie a server can tell. Tests are named after the rows of docs/conformance.md.
#![cfg(all(unix, feature = "http"))]
#![allow(clippy::disallowed_methods, clippy::pedantic)] // Tests look at the file system as it is.

mod addresses;
mod audit;
mod bodies;
mod cli;
mod redirects;
#[path = "../support/server.rs"]
#[allow(dead_code, unused_imports, unused_qualifications, unreachable_pub)]
#[allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::disallowed_methods)]
mod server;
mod slow;
#[path = "../support/mod.rs"]
mod support;
mod tls;

use std::time::Duration;

use skillx_archive::fetch::{Download, Fetched, Https, Rules, Url};
use skillx_archive::{Cancel, Error};

use self::server::{Client, Request, Server};

/// Rules for a test: what begins at this address was typed, and nobody waits long.
fn rules(url: &Url) -> Rules {
    let mut rules = Rules::default().typed(url);
    (rules.connect, rules.idle, rules.total) =
        (Duration::from_secs(20), Duration::from_secs(20), Duration::from_secs(60));
    rules
}

fn url(text: &str) -> Url {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// What a download of this address brings.
fn get(address: &str) -> Result<(Fetched, Vec<u8>), Error> {
    let address = url(address);
    get_with(&Https::new(), &Download::new(&address), &rules(&address))
}

fn get_with(https: &Https, download: &Download, rules: &Rules) -> Result<(Fetched, Vec<u8>), Error> {
    let mut body = Vec::new();
    let fetched = download.run(https, rules, &Cancel::new(), &mut body)?;
    assert_eq!(fetched.bytes(), body.len() as u64);
    Ok((fetched, body))
}

/// The code of a download that must fail. Its text has to be harmless.
#[track_caller]
fn code<T: std::fmt::Debug>(outcome: Result<T, Error>) -> &'static str {
    let error = outcome.expect_err("this must not succeed");
    let text = format!("{error} {error:?}");
    assert!(text.bytes().all(|byte| (b' '..=b'~').contains(&byte)), "{text:?}");
    error.code().as_str()
}

/// A server that always says the same bytes.
fn saying(bytes: impl Into<Vec<u8>>) -> Server {
    let bytes = bytes.into();
    Server::plain(move |_: &Request, client: &mut Client<'_>| {
        client.send(&bytes);
    })
}
