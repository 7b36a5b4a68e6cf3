//! `skillx man`: a page in roff, of the program or of one command.

use clap::CommandFactory as _;
use skillx_archive::{Error, escape};

use super::Outcome;
use crate::args::{Args, Man};
use crate::render::Output;

pub(crate) fn run(command: &Man, output: &Output) -> Outcome {
    match page(command) {
        Ok(page) => {
            output.own(&page);
            Outcome::Accepted
        }
        Err(error) => {
            output.plain_error(&error);
            Outcome::of(Some(&error))
        }
    }
}

fn page(command: &Man) -> Result<Vec<u8>, Error> {
    let mut of = Args::command();
    of.build();
    if let Some(name) = &command.command {
        let found = of.find_subcommand(name).cloned();
        of = found.ok_or_else(|| {
            Error::usage(format_args!("there is no command `{}`; see skillx --help", escape(name.as_bytes())))
        })?;
    }
    let mut page = Vec::new();
    let written = clap_mangen::Man::new(of).render(&mut page);
    written.map_err(|error| Error::of(skillx_archive::Code::Io, format_args!("writing the page: {error}")))?;
    Ok(page)
}
