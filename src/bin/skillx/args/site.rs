//! The flags of `index`, `install` and `remove`.

use skillx_archive::site::Protocol;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args as ClapArgs;

use super::{NetworkArgs, Shared};

pub(super) const INDEX_EXAMPLES: &str = "\
Examples:
  skillx index example.com
  skillx index https://example.com/docs/.well-known/agent-skills/index.json --json

Environment:
  SKILLX_TOKEN  a bearer token for an index of skill sharing: sent to its origin with --protocol skill-sharing alone

Exit codes: 0 a client can use something, 1 nothing (or no index), 3 failed (network).";

pub(super) const INSTALL_EXAMPLES: &str = "\
Examples:
  skillx install example.com                    (lists what there is, exit code 2)
  skillx install example.com pdf csv
  skillx install example.com --all -d .claude/skills
  skillx install example.com --locked           (exactly what skillx.lock pins, or nothing)

Environment:
  SKILLX_TOKEN  a bearer token for an index of skill sharing: sent to its origin with --protocol skill-sharing alone

Each skill is verified and published alone: one failure stops no other. A skill that is there with the promised digest is
not downloaded again; another digest exchanges it as a whole. What you have changed is never overwritten without --force.";

pub(super) const REMOVE_EXAMPLES: &str = "\
Examples:
  skillx remove pdf
  skillx remove pdf -d .claude/skills";

#[derive(Debug, ClapArgs)]
pub(crate) struct Index {
    /// A host, an origin, or the whole address of an index; without a scheme it is https
    #[arg(value_name = "URL")]
    pub(crate) url: String,
    /// How the site says what it publishes [default: agent-skills, 0.1.0, web-skills, skill-sharing, the first that answers]
    #[arg(long, value_name = "PROTOCOL", value_parser = protocol())]
    pub(crate) protocol: Option<Protocol>,
    /// Count entries without digests (version 0.1.0, Web Skills) as usable
    #[arg(long, help_heading = "Rules")]
    pub(crate) allow_unverified: bool,
    #[command(flatten)]
    pub(crate) network: NetworkArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Install {
    /// A host, an origin, or the whole address of an index; without a scheme it is https
    #[arg(value_name = "URL")]
    pub(crate) url: String,
    /// How the site says what it publishes [default: agent-skills, 0.1.0, web-skills, skill-sharing, the first that answers]
    #[arg(long, value_name = "PROTOCOL", value_parser = protocol())]
    pub(crate) protocol: Option<Protocol>,
    /// The SHA-256 of the one skill that is named, where the site gives none
    #[arg(long, value_name = "DIGEST", conflicts_with = "all")]
    pub(crate) digest: Option<String>,
    /// The skills to install, by name
    #[arg(value_name = "NAME")]
    pub(crate) names: Vec<String>,
    /// Install every skill of the index
    #[arg(long, conflicts_with = "names")]
    pub(crate) all: bool,
    /// The directory of skills
    #[arg(short, long, value_name = "DIR", default_value = "skills")]
    pub(crate) directory: PathBuf,
    /// Install exactly what skillx.lock in the directory pins, or nothing
    #[arg(long)]
    pub(crate) locked: bool,
    /// Overwrite local edits, skills of other sites, and what skillx did not install
    #[arg(long)]
    pub(crate) force: bool,
    /// Make the result survive a power loss
    #[arg(long)]
    pub(crate) fsync: bool,
    /// Skills downloaded at a time
    #[arg(short, long, value_name = "N", default_value = "4")]
    pub(crate) jobs: NonZeroUsize,
    #[command(flatten)]
    pub(crate) shared: Shared,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Remove {
    /// The skill, by name
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// The directory of skills
    #[arg(short, long, value_name = "DIR", default_value = "skills")]
    pub(crate) directory: PathBuf,
    /// Remove it although it has been changed, or was not installed by skillx
    #[arg(long)]
    pub(crate) force: bool,
}

fn protocol() -> impl clap::builder::TypedValueParser<Value = Protocol> {
    use clap::builder::TypedValueParser as _;

    let names = Protocol::ALL.map(Protocol::as_str);
    clap::builder::PossibleValuesParser::new(names).map(|text| text.parse().unwrap_or(Protocol::AgentSkills))
}
