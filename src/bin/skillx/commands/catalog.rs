//! `skillx catalog`: the skills of a directory, for people, for a prompt, or as JSON.

use serde::Serialize;
use skillx_archive::{Catalog, CatalogOptions, Error, Finding, Standing, Tool, Verdict};

use super::{Outcome, directory_of_skills};
use crate::args::Catalog as Command;
use crate::render::Output;

/// What is said of a directory of skills: `skillx.catalog/1`.
#[derive(Debug, Serialize)]
pub(crate) struct Answer {
    schema: &'static str,
    tool: Tool,
    pub(crate) verdict: Verdict,
    pub(crate) source: Option<String>,
    pub(crate) skills: Vec<Skill>,
    pub(crate) skipped: Vec<Skipped>,
    pub(crate) findings: Vec<Finding>,
    /// What was asked for: a block for a prompt, or the definition of the tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) text: Option<String>,
    pub(crate) error: Option<Error>,
}

/// One skill, as far as level 1 goes.
#[derive(Debug, Serialize)]
pub(crate) struct Skill {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) directory: String,
    pub(crate) standing: Standing,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) link: Option<String>,
}

/// A directory that is no usable skill.
#[derive(Debug, Serialize)]
pub(crate) struct Skipped {
    pub(crate) directory: String,
    pub(crate) error: Error,
}

impl Skipped {
    fn of(skipped: &skillx_archive::Skipped) -> Self {
        Self { directory: skipped.directory().to_string_lossy().into_owned(), error: skipped.error().clone() }
    }
}

pub(crate) fn run(command: &Command, output: &Output) -> Outcome {
    let mut answer = Answer {
        schema: "skillx.catalog/1",
        tool: Tool::this(),
        verdict: Verdict::Accepted,
        source: command.directory.as_ref().map(|directory| directory.to_string_lossy().into_owned()),
        skills: Vec::new(),
        skipped: Vec::new(),
        findings: Vec::new(),
        text: None,
        error: None,
    };
    if let Err(error) = fill(command, &mut answer) {
        answer.verdict = match Outcome::of(Some(&error)) {
            Outcome::Refused => Verdict::Refused,
            _ => Verdict::Failed,
        };
        answer.error = Some(error);
    }
    output.catalog(&answer);
    Outcome::of(answer.error.as_ref())
}

fn fill(command: &Command, answer: &mut Answer) -> Result<(), Error> {
    if command.tool_schema {
        answer.text = Some(Catalog::tool_schema());
    }
    if command.tool_schema && command.directory.is_none() {
        return Ok(());
    }
    let directory = directory_of_skills(command.directory.as_deref());
    answer.source = Some(directory.to_string_lossy().into_owned());
    let options = CatalogOptions::default().allow_modified(command.allow_modified);
    let catalog = Catalog::open_with(directory, &options)?;
    answer.skills = catalog
        .skills()
        .iter()
        .map(|skill| Skill {
            name: skill.name().as_raw().to_owned(),
            description: skill.description().as_raw().to_owned(),
            directory: skill.directory().to_string_lossy().into_owned(),
            standing: skill.standing(),
            link: skill.link().map(|link| link.as_raw().to_owned()),
        })
        .collect();
    answer.skipped = catalog.skipped().iter().map(Skipped::of).collect();
    answer.findings = catalog.findings().to_vec();
    if let Some(prompt) = command.prompt {
        let prompt = catalog.prompt(prompt.into());
        answer.text = Some(prompt.text);
        let left_out = prompt.left_out.iter().map(Skipped::of).collect::<Vec<_>>();
        answer.skills.retain(|skill| left_out.iter().all(|skipped| skipped.directory != skill.directory));
        answer.skipped.extend(left_out);
    }
    Ok(())
}
