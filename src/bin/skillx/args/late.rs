//! Arguments of a subcommand that clap builds only where they are asked for.

use std::ops::Deref;

use clap::{ArgMatches, Args, Command, Error, FromArgMatches};

/// What a subcommand takes, built when it is the one that was called, or when its help is shown. Building the arguments of
/// all of them takes longer than extracting a small skill.
#[derive(Debug)]
pub(crate) struct Late<T>(T);

impl<T> Deref for Late<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: Args> Args for Late<T> {
    fn augment_args(command: Command) -> Command {
        command.defer(|command| described_as(&command.clone(), T::augment_args(command)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        command.defer(|command| described_as(&command.clone(), T::augment_args_for_update(command)))
    }
}

impl<T: FromArgMatches> FromArgMatches for Late<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        T::from_arg_matches(matches).map(Self)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        self.0.update_from_arg_matches(matches)
    }
}

/// The arguments bring the documentation of their groups with them: what the command says of itself stays.
fn described_as(own: &Command, built: Command) -> Command {
    let built = match own.get_about() {
        Some(about) => built.about(about.clone()),
        None => built,
    };
    match own.get_long_about() {
        Some(about) => built.long_about(about.clone()),
        None => built,
    }
}
