//! The flags of `skillx pack`.

use std::path::{Path, PathBuf};

use clap::{ArgAction, Args as ClapArgs};
use skillx_archive::{Cancel, Error, Format, Options, PackOptions};

use super::{LimitArgs, LinksArg, deny};

pub(super) const EXAMPLES: &str = "\
Examples:
  skillx pack skills/pdf                        (writes pdf.tar.gz)
  skillx pack skills/pdf -o dist/pdf.zip --sidecar
  skillx pack skills/pdf -o pdf.tar.gz --index-entry --url https://example.com/pdf.tar.gz
  skillx pack skills/pdf --check pdf.tar.gz     (is the committed archive up to date?)
  skillx pack --site public skills/*            (index and archives, for any static host)

The same tree gives the same bytes on every machine. Names in DIR/.skillxignore are left out, as in a .gitignore.
SOURCE_DATE_EPOCH sets the time of every entry.";

#[derive(Debug, ClapArgs)]
pub(crate) struct Pack {
    /// The skill's directory; with --site, one or more
    #[arg(value_name = "DIR", required = true)]
    pub(crate) directories: Vec<PathBuf>,
    /// The archive, - for standard output [default: the skill's name, in the current directory]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// The archive's format [default: as the output's name says, else tar.gz]
    #[arg(long, value_name = "tar.gz|zip", value_parser = ["tar.gz", "zip"])]
    format: Option<String>,
    /// Write FILE.sha256 beside the archive
    #[arg(long)]
    pub(crate) sidecar: bool,
    /// Print the entry for an index (Agent Skills Discovery RFC 0.2.0)
    #[arg(long, requires = "url")]
    pub(crate) index_entry: bool,
    /// Where the archive will be published: https, or relative to the index
    #[arg(long, value_name = "URL", requires = "index_entry")]
    pub(crate) url: Option<String>,
    /// Write nothing: say whether FILE is what DIR packs to
    #[arg(long, value_name = "FILE", conflicts_with = "output")]
    pub(crate) check: Option<PathBuf>,
    /// Write a whole site below OUT: .well-known/agent-skills/ with an index and every DIR's skill
    #[arg(long, value_name = "OUT", conflicts_with_all = ["output", "check", "sidecar", "index_entry"])]
    pub(crate) site: Option<PathBuf>,
    /// With --site: skills.txt at the root, too (Web Skills Protocol)
    #[arg(long, requires = "site")]
    pub(crate) skills_txt: bool,
    /// Links inside the skill: pack them as links, or refuse
    #[arg(long, value_enum, default_value_t = LinksArg::Keep, help_heading = "Rules")]
    links: LinksArg,
    /// Refuse what is only a finding: its code, or all (repeatable)
    #[arg(long, value_name = "CODE|all", action = ArgAction::Append, help_heading = "Rules")]
    deny: Vec<String>,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}

impl Pack {
    /// The rules, without a place for the output.
    pub(crate) fn options(&self, cancel: &Cancel) -> Result<PackOptions, Error> {
        let options = Options::default().cancel(cancel).links(self.links.into()).limits(self.limits.limits());
        let mut pack = PackOptions::default().rules(deny(options, &self.deny)?);
        if let Some(format) = self.declared_format()? {
            pack = pack.format_as(format);
        }
        match std::env::var_os("SOURCE_DATE_EPOCH") {
            None => Ok(pack),
            Some(text) => match text.to_str().map(str::parse) {
                Some(Ok(seconds)) => pack.modified(seconds),
                _ => Err(Error::usage("SOURCE_DATE_EPOCH is not a number of seconds")),
            },
        }
    }

    /// `--format`, or what the name of the output declares. They may not disagree: clients go by the name.
    fn declared_format(&self) -> Result<Option<Format>, Error> {
        let flag = self.format.as_deref().and_then(|text| text.parse::<Format>().ok());
        let file = self.output.as_deref().or(self.check.as_deref());
        match (flag, file.and_then(Path::file_name)) {
            (flag, Some(name)) => match (flag, Format::from_file_name(&name.to_string_lossy())) {
                (Some(flag), Some(name)) if flag != name => {
                    Err(Error::usage(format!("--format {flag}, but the file's name says {name}")))
                }
                (flag, name) => Ok(flag.or(name)),
            },
            (flag, None) => Ok(flag),
        }
    }
}
