//! `skillx plugin`: a plugin in a directory, loaded as a client would.

use skillx_archive::cap_std::ambient_authority;
use skillx_archive::cap_std::fs::Dir;
use skillx_archive::{Code, Error, PluginAnswer, escape};

use super::Outcome;
use crate::args::Plugin;
use crate::render::Output;

pub(crate) fn run(command: &Plugin, output: &Output) -> Outcome {
    let source = command.directory.to_string_lossy().into_owned();
    let answer = match load(command) {
        Ok(plugin) => PluginAnswer::loaded(source, plugin.to_report(), plugin.findings()),
        Err(error) => PluginAnswer::rejected(source, error),
    };
    output.plugin(&answer);
    Outcome::of(answer.error.as_ref())
}

fn load(command: &Plugin) -> Result<skillx_archive::Plugin, Error> {
    let directory = Dir::open_ambient_dir(&command.directory, ambient_authority()).map_err(|error| {
        let shown = escape(command.directory.as_os_str().as_encoded_bytes());
        Error::of(Code::Io, format_args!("cannot open the directory `{shown}`: {error}"))
    })?;
    skillx_archive::Plugin::load(&directory)
}
