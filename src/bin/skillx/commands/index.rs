//! `skillx index`: what a site publishes, and whether a client could use any of it. Downloads the index alone.

use skillx_archive::site::{IndexReport, Listing, Protocol, Site, parse_address};
use skillx_archive::{Cancel, Code, Error};

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
    ask(&site(&network, &Cancel::new()), &command.url, command.protocol)
}

/// The list at what the user typed.
pub(super) fn ask(site: &Site<'_>, typed: &str, protocol: Option<Protocol>) -> Result<Listing, Error> {
    let address = parse_address(typed)?;
    let listing = site.index_by(&address, protocol, token().as_deref());
    listing.map_err(|error| {
        let is_secure_by_default = !typed.contains("://") && address.is_loopback();
        match error.code() {
            Code::Tls | Code::HttpMalformed | Code::Timeout if is_secure_by_default => {
                error.with_help(format!("without a scheme it is https; for plain http on this machine: http://{typed}"))
            }
            _ => error,
        }
    })
}

/// The bearer token for skill-sharing indexes.
fn token() -> Option<String> {
    // What is not UTF-8 is refused where it would be sent, as everything is that no header carries.
    let token = std::env::var_os("SKILLX_TOKEN")?.to_string_lossy().trim().to_owned();
    Some(token).filter(|token| !token.is_empty())
}

/// A site through the client, rules and cache that the flags ask for.
pub(super) fn site<'n>(network: &'n Network, cancel: &Cancel) -> Site<'n> {
    let site = Site::new(&*network.fetch, network.rules.clone()).cancel(cancel);
    match &network.cache {
        Some(cache) => site.cache(cache),
        None => site,
    }
}
