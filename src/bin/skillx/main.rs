//! The `skillx` program: arguments in, exit code out. Everything it knows about archives is in the library.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing))]

mod args;
mod commands;
mod digests;
mod input;
mod interrupt;
mod network;
mod progress;
mod render;

use std::process::ExitCode;

use skillx_archive::Error;

use crate::args::{Args, Command};
use crate::commands::Outcome;
use crate::render::Output;

fn main() -> ExitCode {
    let args = match Args::of_this_process() {
        Ok(args) => args,
        Err(error) => return render::usage(&error),
    };
    let output = Output::new(&args.everywhere);
    if output.is_for_ci() && !matches!(args.command, Command::Check(_)) {
        output.plain_error(&Error::usage("--message-format sarif and github are for `check`"));
        output.finish();
        return Outcome::Usage.into();
    }
    let class = match &args.command {
        Command::VerifyExtract(command) => commands::verify_extract::run(command, &output),
        Command::Check(command) => commands::check::run(command, &output),
        Command::List(command) => commands::list::run(command, &output),
        Command::Index(command) => commands::index::run(command, &output),
        Command::Install(command) => commands::install::run(command, &output),
        Command::Remove(command) => commands::remove::run(command, &output),
        Command::Verify(command) => commands::verify::run(command, &output),
        Command::Pack(command) => commands::pack::run(command, &output),
        Command::Plugin(command) => commands::plugin::run(command, &output),
        Command::Catalog(command) => commands::catalog::run(command, &output),
        Command::Show(command) => commands::show::run(command, &output),
        Command::Completions(command) => commands::completions::run(command, &output),
        Command::Man(command) => commands::man::run(command, &output),
        Command::Explain(command) => commands::explain::run(command, &output),
    };
    output.finish();
    render::settle(class).into()
}
