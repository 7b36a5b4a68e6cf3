//! `skillx install`: index, downloads, every check, extraction, receipts, lock file.

use skillx_archive::site::{InstallReport, Plan};
use skillx_archive::{Cancel, Code, Error};

use super::{Outcome, index};
use crate::args::{Install, parse_digest};
use crate::interrupt::Interrupt;
use crate::network::Network;
use crate::progress;
use crate::render::Output;

pub(crate) fn run(command: &Install, output: &Output) -> Outcome {
    let cancel = Cancel::new();
    let interrupt = Interrupt::install(&cancel);
    let error = match install(command, &cancel, &interrupt, output) {
        Ok(error) => error,
        Err(error) => {
            let mut report = InstallReport::begin(&command.directory);
            report.decide(error.clone());
            output.install(&report);
            Some(error)
        }
    };
    match interrupt.exit_code() {
        Some(code) if error.as_ref().is_some_and(|error| error.code() == Code::Cancelled) => Outcome::Signal(code),
        _ => Outcome::of(error.as_ref()),
    }
}

/// Installs and shows what was done; the error is the worst that happened.
fn install(command: &Install, cancel: &Cancel, interrupt: &Interrupt, output: &Output) -> Result<Option<Error>, Error> {
    if command.shared.any_layout() {
        return Err(Error::usage("--layout any is for archives that are no skills; an index offers skills"));
    }
    let mut network = Network::new(&command.shared.network)?;
    network.fetch = progress::watch(network.fetch, output);
    let site = index::site(&network, cancel);
    let mut plan = Plan::new(&command.directory);
    plan.names.clone_from(&command.names);
    plan.all = command.all;
    plan.locked = command.locked;
    plan.force = command.force;
    plan.allow_unverified = command.shared.allow_unverified;
    plan.jobs = command.jobs;
    plan.options = command.shared.options()?.fsync(command.fsync);
    let mut listing = index::ask(&site, &command.url, command.protocol)?;
    if let Some(digest) = &command.digest {
        let [name] = command.names.as_slice() else { return Err(Error::usage("--digest is for one skill: name it")) };
        listing.promise(name, parse_digest(digest)?)?;
    }
    if plan.names.is_empty() && !plan.all && !plan.locked {
        let mut report = listing.report(plan.allow_unverified);
        let error = Error::usage("name the skills to be installed, or say --all");
        report.decide(error.clone());
        output.index(&report);
        return Ok(Some(error));
    }
    interrupt.begin();
    let report = site.install(&listing, &plan);
    progress::clear(output);
    output.install(&report);
    Ok(report.error)
}
