//! `skillx verify-extract`: digest, every check, extraction.

use std::path::Path;

use skillx_archive::{Cancel, Code, Error, Options, Report, Skill};

use super::Outcome;
use crate::args::{VerifyExtract, parse_digest};
use crate::input::{self, Promise, Run};
use crate::interrupt::Interrupt;
use crate::network;
use crate::progress;
use crate::render::Output;

pub(crate) fn run(command: &VerifyExtract, output: &Output) -> Outcome {
    let cancel = Cancel::new();
    let interrupt = Interrupt::install(&cancel);
    let mut known = Options::default().limits(command.shared.limits()).blank_report();
    known.artifact.source = Some(command.archive.to_string_lossy().into_owned());
    let report = match extract(command, &cancel, &interrupt, output, &mut known) {
        Ok(report) => report,
        Err(error) => {
            known.decide(error);
            known
        }
    };
    progress::clear(output);
    output.report(&report, "nothing was written");
    match interrupt.exit_code() {
        Some(code) if report.error.as_ref().is_some_and(|error| error.code() == Code::Cancelled) => {
            Outcome::Signal(code)
        }
        _ => Outcome::of_report(&report),
    }
}

fn extract(
    command: &VerifyExtract,
    cancel: &Cancel,
    interrupt: &Interrupt,
    output: &Output,
    known: &mut Report,
) -> Result<Report, Error> {
    if command.replace && command.output.is_none() && command.name.is_none() {
        return Err(Error::usage(
            "--replace needs --output or --name: what is replaced is not for the archive to choose",
        ));
    }
    if command.shared.any_layout() && command.output.is_none() {
        return Err(Error::usage("--layout any needs --output: there is no skill name to use"));
    }
    let mut options = command.shared.options()?.replace(command.replace).fsync(command.fsync).cancel(cancel);
    if let Some(file) = &command.receipt {
        options = options.receipt(file);
    }
    if let Some(name) = &command.name {
        options = options.expect_name(name);
    }
    input::restart(known, &options);
    let given = command.digest.as_deref().map(parse_digest).transpose()?;
    let given = given.map(|digest| Promise { digest, source: "flag" });
    let is_remote = network::address(&command.archive).is_some();
    if is_remote {
        // A download can be told to stop, and says so.
        interrupt.begin();
    }
    let run = Run { cancel, output };
    let artifact = input::load(&command.archive, given, &command.shared, run, known)?;
    if !is_remote {
        interrupt.begin();
    }
    progress::clear(output);
    let options = progress::show(options, output);
    let extracted = match &command.output {
        Some(directory) => artifact.extract(directory, &options),
        None => artifact.extract_by_name(Path::new("."), &options),
    };
    let report = match extracted {
        Ok(skill) => Skill::into_report(skill),
        Err(failure) => failure.into_report(),
    };
    Ok(input::complete(report, known))
}
