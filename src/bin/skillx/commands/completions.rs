//! `skillx completions`: what a shell needs to complete the command line.

use clap::CommandFactory as _;

use super::Outcome;
use crate::args::{Args, Completions};
use crate::render::Output;

pub(crate) fn run(command: &Completions, output: &Output) -> Outcome {
    let mut script = Vec::new();
    clap_complete::generate(command.shell, &mut Args::command(), "skillx", &mut script);
    output.own(&script);
    Outcome::Accepted
}
