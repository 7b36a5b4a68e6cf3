//! `skillx remove`: a skill, its receipt and its line in the lock file.

use skillx_archive::site::remove;

use super::Outcome;
use crate::args::Remove;
use crate::render::Output;

pub(crate) fn run(command: &Remove, output: &Output) -> Outcome {
    let report = remove(&command.directory, &command.name, command.force);
    output.remove(&report);
    Outcome::of(report.error.as_ref())
}
