//! `skillx index`: what a site publishes, and whether a client could use any of it. Downloads the index alone.

use skillx_archive::site::{IndexReport, Listing, Site, parse_address};
use skillx_archive::{Cancel, Error};

use super::Outcome;
use crate::args::Index;
use crate::network::Network;
use crate::render::Output;

pub(crate) fn run(command: &Index, output: &Output) -> Outcome {
    let report = match list(command) {
        Ok(listing) => listing.report(command.allow_unverified),
        Err(error) => IndexReport::failed(error),
    };
    output.index(&report);
    Outcome::of(report.error.as_ref())
}

fn list(command: &Index) -> Result<Listing, Error> {
    let network = Network::new(&command.network)?;
    site(&network, &Cancel::new()).index_by(&parse_address(&command.url)?, command.protocol, token().as_deref())
}

/// The bearer token for skill-sharing indexes.
pub(super) fn token() -> Option<String> {
    std::env::var("SKILLX_TOKEN").ok().filter(|token| !token.is_empty())
}

/// A site through the client, rules and cache that the flags ask for.
pub(super) fn site<'n>(network: &'n Network, cancel: &Cancel) -> Site<'n> {
    let site = Site::new(&*network.fetch, network.rules.clone()).cancel(cancel);
    match &network.cache {
        Some(cache) => site.cache(cache),
        None => site,
    }
}
