//! The command line of what agents use: catalogs, skills on demand; and of what the program says of itself.

#![allow(clippy::doc_markdown, reason = "help texts are no Markdown")]

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum};
use skillx_archive::Presentation;

pub(super) const CATALOG_EXAMPLES: &str = "\
Examples:
  skillx catalog skills
  skillx catalog skills --prompt on-demand     (for a system prompt; load_skill gives the bodies)
  skillx catalog --tool-schema                 (the definition of load_skill)
  skillx show -d skills pdf                    (what load_skill returns)";

pub(super) const SHOW_EXAMPLES: &str = "\
Examples:
  skillx show -d skills pdf
  skillx show -d skills pdf references/forms.md > forms.md

A skill with a receipt is shown only if it is what was installed. In a pipe the text comes as it is, on a terminal escaped.";

#[derive(Debug, ClapArgs)]
pub(crate) struct Catalog {
    /// The directory that the skills lie in [default: skills, or the current directory where there is none]
    #[arg(value_name = "DIR")]
    pub(crate) directory: Option<PathBuf>,
    /// Print a block for a system prompt
    #[arg(long, value_enum, value_name = "HOW")]
    pub(crate) prompt: Option<PromptArg>,
    /// Print the definition of the tool load_skill
    #[arg(long, conflicts_with = "prompt")]
    pub(crate) tool_schema: bool,
    /// Use skills that are not what their receipts say
    #[arg(long)]
    pub(crate) allow_modified: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Show {
    /// The directory that the skills lie in [default: skills, or the current directory where there is none]
    #[arg(short, long, value_name = "DIR")]
    pub(crate) directory: Option<PathBuf>,
    /// The skill
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// A file of it [default: the body of SKILL.md]
    #[arg(value_name = "PATH")]
    pub(crate) path: Option<String>,
    /// Show it even if it is not what its receipt says
    #[arg(long)]
    pub(crate) allow_modified: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_enum, value_name = "SHELL")]
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Man {
    /// The page of one command [default: that of skillx]
    #[arg(value_name = "COMMAND")]
    pub(crate) command: Option<String>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum PromptArg {
    /// Names, descriptions and every body
    All,
    /// Names and descriptions; load_skill gives the bodies
    OnDemand,
    /// Names and descriptions, and where each SKILL.md is
    Filesystem,
}

impl From<PromptArg> for Presentation {
    fn from(prompt: PromptArg) -> Self {
        match prompt {
            PromptArg::All => Self::All,
            PromptArg::OnDemand => Self::OnDemand,
            PromptArg::Filesystem => Self::Filesystem,
        }
    }
}
