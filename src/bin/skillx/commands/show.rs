//! `skillx show`: the body of a skill, or one file of it, as it was installed.

use std::fmt::Write as _;

use serde::Serialize;
use skillx_archive::{Catalog, CatalogOptions, Error, Standing, Tool, Verdict};

use super::{Outcome, directory_of_skills};
use crate::args::Show;
use crate::render::Output;

/// What was read: `skillx.show/1`.
#[derive(Debug, Serialize)]
pub(crate) struct Answer {
    schema: &'static str,
    tool: Tool,
    verdict: Verdict,
    pub(crate) name: String,
    path: Option<String>,
    pub(crate) standing: Option<Standing>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hex: Option<String>,
    pub(crate) error: Option<Error>,
}

pub(crate) fn run(command: &Show, output: &Output) -> Outcome {
    let mut answer = Answer {
        schema: "skillx.show/1",
        tool: Tool::this(),
        verdict: Verdict::Accepted,
        name: command.name.clone(),
        path: command.path.clone(),
        standing: None,
        text: None,
        hex: None,
        error: None,
    };
    match read(command) {
        Ok((bytes, standing)) => {
            answer.standing = Some(standing);
            if output.is_json() {
                match String::from_utf8(bytes) {
                    Ok(text) => answer.text = Some(text),
                    Err(error) => {
                        answer.hex = Some(hex(error.as_bytes()));
                    }
                }
                output.shown(&answer);
            } else {
                output.shown(&answer);
                output.raw(&bytes);
            }
        }
        Err(error) => {
            answer.verdict = match Outcome::of(Some(&error)) {
                Outcome::Refused => Verdict::Refused,
                _ => Verdict::Failed,
            };
            answer.error = Some(error);
            output.shown(&answer);
        }
    }
    Outcome::of(answer.error.as_ref())
}

fn hex(bytes: &[u8]) -> String {
    let mut text = String::new();
    for byte in bytes {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

fn read(command: &Show) -> Result<(Vec<u8>, Standing), Error> {
    let options = CatalogOptions::default().allow_modified(command.allow_modified);
    let catalog = Catalog::open_with(directory_of_skills(command.directory.as_deref()), &options)?;
    match &command.path {
        Some(path) => catalog.resource_with_standing(&command.name, path),
        None => {
            let skill = catalog.load(&command.name)?;
            Ok((skill.body().as_bytes().to_vec(), skill.standing()))
        }
    }
}
