//! `skillx explain`: the table of codes, as the errors use it.

use skillx_archive::{Code, Error};

use super::Outcome;
use crate::args::Explain;
use crate::render::Output;

pub(crate) fn run(command: &Explain, output: &Output) -> Outcome {
    let Some(text) = &command.code else {
        output.codes(Code::ALL);
        return Outcome::Accepted;
    };
    match text.parse::<Code>() {
        Ok(code) => {
            output.code(code);
            Outcome::Accepted
        }
        Err(_) => {
            let error = Error::usage(format!("there is no code `{text}`; `skillx explain` lists all"));
            output.plain_error(&error);
            Outcome::Usage
        }
    }
}
