//! The command line: the only place that knows clap.

mod agents;
mod late;
mod limits;
mod network;
mod pack;
mod site;

use std::ffi::OsString;
use std::num::NonZeroU64;
use std::path::PathBuf;

use self::agents::{CATALOG_EXAMPLES, SHOW_EXAMPLES};
pub(crate) use self::agents::{Catalog, Completions, Man, Show};
use clap::builder::TypedValueParser as _;
use clap::{ArgAction, Args as ClapArgs, FromArgMatches as _, Parser, Subcommand, ValueEnum};
use skillx_archive::{Code, Digest, Error, Format, Layout, Limits, Links, Options};

use self::late::Late;
pub(crate) use self::limits::LimitArgs;
pub(crate) use self::network::NetworkArgs;
pub(crate) use self::pack::Pack;
pub(crate) use self::site::{Index, Install, Remove};

const EXAMPLES: &str = "\
Examples:
  skillx verify-extract skill.tar.gz --digest sha256:… -o skills/pdf
  skillx verify-extract skill.tar.gz            (digest from skill.tar.gz.sha256, directory from the skill's name)
  skillx verify-extract https://example.com/pdf.tar.gz --digest sha256:…
  skillx install example.com --all
  skillx check skill.tar.gz --allow-unverified
  skillx explain path-traversal

Exit codes: 0 accepted, 1 refused, 2 wrong call, 3 failed (disk, destination, time).";

const VERIFY_EXTRACT_EXAMPLES: &str = "\
Examples:
  skillx verify-extract skill.tar.gz --digest sha256:… -o skills/pdf
  skillx verify-extract https://example.com/pdf.tar.gz --digest sha256:… -o skills/pdf
  curl -sL https://example.com/pdf.tar.gz | skillx verify-extract - --digest sha256:… -o skills/pdf
  skillx verify-extract new.tar.gz -o skills/pdf --replace

Without --digest, a sidecar file ARCHIVE.sha256 in the same directory is used. It proves that the download is complete,
not where it comes from. None is fetched for an address: what lies beside the archive proves no more than the archive.";

const CHECK_EXAMPLES: &str = "\
Examples:
  skillx check skill.tar.gz --allow-unverified
  skillx check dist/*.tar.gz --digests SHA256SUMS --json
  skillx check https://example.com/                  (a site: its index and every artifact, nothing is installed)
  find . -name '*.zip' -print0 | skillx check --files-from - -0 -j2 --allow-unverified";

const VERIFY_EXAMPLES: &str = "\
Examples:
  skillx verify skills/pdf
  skillx verify skills                          (every skill in it)
  skillx verify pdf --receipt pdf.receipt.json  (from verify-extract --receipt)

A receipt shows what has changed since the skill was installed. It lies where the skill lies: whoever may change the one
may change the other, so it is no protection against an attacker on this machine.";

const PLUGIN_EXAMPLES: &str = "\
Examples:
  skillx plugin ./reports-plugin
  skillx plugin ./reports-plugin --json
  skillx verify-extract plugin.tar.gz --layout plugin --digest sha256:…     (the same rules, before anything is published)

Exit codes: 0 the plugin loads, possibly in part; 1 it is rejected.";

/// Verifies and extracts Agent Skill archives, strictly.
#[derive(Debug, Parser)]
#[command(name = "skillx", version = concat!(env!("CARGO_PKG_VERSION"), " (skillx-archive)"), after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) everywhere: Everywhere,
    #[command(subcommand)]
    pub(crate) command: Command,
}

impl Args {
    /// What this process was called with.
    pub(crate) fn of_this_process() -> Result<Self, clap::Error> {
        let words: Vec<OsString> = std::env::args_os().collect();
        Self::of_one_command(&words).map_or_else(|| Self::try_parse_from(&words), Ok)
    }

    /// A good call whose first word is a command. The others are then not built at all: with every argument that all of them
    /// take, that would be a third of the time of a small skill. `None` for anything else, which needs them to say why.
    fn of_one_command(words: &[OsString]) -> Option<Self> {
        let name = words.get(1)?;
        let all = Command::augment_subcommands(clap::Command::new("skillx"));
        let one = all.find_subcommand(name)?.clone();
        let mut parser = Everywhere::augment_args(clap::Command::new("skillx").subcommand(one));
        let matches = parser.try_get_matches_from_mut(words).ok()?;
        Self::from_arg_matches(&matches).ok()
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Check the digest, then every other rule, then extract
    #[command(after_help = VERIFY_EXTRACT_EXAMPLES)]
    VerifyExtract(Late<VerifyExtract>),
    /// Run every check on archives, and write nothing
    #[command(after_help = CHECK_EXAMPLES)]
    Check(Late<Check>),
    /// List the entries of an archive with their verdicts
    List(Late<List>),
    /// Show what a site publishes
    #[command(after_help = site::INDEX_EXAMPLES)]
    Index(Late<Index>),
    /// Install skills from a site
    #[command(after_help = site::INSTALL_EXAMPLES)]
    Install(Late<Install>),
    /// Remove an installed skill
    #[command(after_help = site::REMOVE_EXAMPLES)]
    Remove(Late<Remove>),
    /// Compare installed skills with their receipts
    #[command(after_help = VERIFY_EXAMPLES)]
    Verify(Late<Verify>),
    /// Pack a directory into a canonical archive, or several into a whole site
    #[command(after_help = pack::EXAMPLES)]
    Pack(Late<Pack>),
    /// Load a plugin from a directory as a client would, and say what was given up
    #[command(after_help = PLUGIN_EXAMPLES)]
    Plugin(Late<Plugin>),
    /// The skills of a directory by name and description, for people or for a prompt
    #[command(after_help = CATALOG_EXAMPLES)]
    Catalog(Late<Catalog>),
    /// Print the body of a skill, or one file of it
    #[command(after_help = SHOW_EXAMPLES)]
    Show(Late<Show>),
    /// Print what a shell needs to complete the command line
    Completions(Late<Completions>),
    /// Print the manual page
    Man(Late<Man>),
    /// Say what a code means, why it is refused and what to do
    Explain(Late<Explain>),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct VerifyExtract {
    /// The archive: a file, an https address, or - for standard input
    #[arg(value_name = "ARCHIVE|URL")]
    pub(crate) archive: PathBuf,
    /// The promised SHA-256: sha256:HEX, or the 64 hex digits alone
    #[arg(long, value_name = "DIGEST")]
    pub(crate) digest: Option<String>,
    /// The skill's own directory [default: the skill's name, in the current directory]
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    /// The name that the index promised; refuse any other (never renames)
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Exchange an older skill at the destination for this one, in one step
    #[arg(long)]
    pub(crate) replace: bool,
    /// Make the result survive a power loss
    #[arg(long)]
    pub(crate) fsync: bool,
    /// Write a receipt of every file, for skillx verify
    #[arg(long, value_name = "FILE")]
    pub(crate) receipt: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) shared: Shared,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Check {
    /// Archives, their https addresses, skill directories, - for standard input, or sites: an origin or the address of an index
    #[arg(value_name = "ARCHIVE|DIR|URL")]
    pub(crate) inputs: Vec<PathBuf>,
    /// The promised SHA-256, where there is one input
    #[arg(long, value_name = "DIGEST", conflicts_with_all = ["digests", "files_from"])]
    pub(crate) digest: Option<String>,
    /// A file of digests as sha256sum writes it, one line an input
    #[arg(long, value_name = "SUMS")]
    pub(crate) digests: Option<PathBuf>,
    /// Read more inputs from a file, one a line (- for standard input)
    #[arg(long, value_name = "FILE")]
    pub(crate) files_from: Option<PathBuf>,
    /// Inputs in --files-from end in NUL instead of a newline
    #[arg(short = '0', long, requires = "files_from")]
    pub(crate) null: bool,
    /// Inputs checked at a time
    #[arg(short, long, value_name = "N", default_value = "1")]
    pub(crate) jobs: NonZeroU64,
    #[command(flatten)]
    pub(crate) shared: Shared,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct List {
    /// The archive: a file, an https address, or - for standard input
    #[arg(value_name = "ARCHIVE|URL")]
    pub(crate) archive: PathBuf,
    /// The promised SHA-256: sha256:HEX, or the 64 hex digits alone
    #[arg(long, value_name = "DIGEST")]
    pub(crate) digest: Option<String>,
    #[command(flatten)]
    pub(crate) shared: Shared,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Verify {
    /// Installed skills, or directories of them
    #[arg(value_name = "PATH", required = true)]
    pub(crate) paths: Vec<PathBuf>,
    /// The receipt that verify-extract --receipt wrote [default: .skillx/NAME.json beside the skill]
    #[arg(long, value_name = "FILE")]
    pub(crate) receipt: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Plugin {
    /// The plugin's directory
    #[arg(value_name = "DIR")]
    pub(crate) directory: PathBuf,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Explain {
    /// The code, as an error shows it in brackets; without it: all codes
    #[arg(value_name = "CODE")]
    pub(crate) code: Option<String>,
}

/// What verify-extract, check and list have in common.
#[derive(Debug, Clone, ClapArgs)]
pub(crate) struct Shared {
    /// What must be in the archive
    #[arg(long, value_enum, default_value_t = LayoutArg::Skill, help_heading = "Rules")]
    layout: LayoutArg,
    /// Links inside the skill: keep them, or refuse the archive
    #[arg(long, value_enum, default_value_t = LinksArg::Keep, help_heading = "Rules")]
    links: LinksArg,
    /// Take a wrapper directory away
    #[arg(long, help_heading = "Rules")]
    strip_root: bool,
    /// Refuse what is only a finding: its code, or all (repeatable)
    #[arg(long, value_name = "CODE|all", action = ArgAction::Append, help_heading = "Rules")]
    deny: Vec<String>,
    /// Go on without a digest: nothing then proves what the file is
    #[arg(long, help_heading = "Rules")]
    pub(crate) allow_unverified: bool,
    /// The declared format, where neither name nor sender says it
    #[arg(long, value_name = "tar.gz|zip", value_parser = ["tar.gz", "zip"], help_heading = "Rules")]
    format: Option<String>,
    #[command(flatten)]
    limits: LimitArgs,
    #[command(flatten)]
    pub(crate) network: NetworkArgs,
}

/// What every command takes.
#[derive(Debug, Clone, ClapArgs)]
pub(crate) struct Everywhere {
    /// How results are written
    #[arg(long, value_name = "FORMAT", value_parser = message_format(), default_value = "human", global = true, help_heading = "Output")]
    pub(crate) message_format: MessageFormat,
    /// Short for --message-format json
    #[arg(long, global = true, help_heading = "Output")]
    pub(crate) json: bool,
    /// Errors only
    #[arg(short, long, global = true, help_heading = "Output")]
    pub(crate) quiet: bool,
    /// When to use colours
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = Color::Auto, global = true, help_heading = "Output")]
    pub(crate) color: Color,
    /// No progress on a terminal
    #[arg(long, global = true, help_heading = "Output")]
    pub(crate) no_progress: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MessageFormat {
    Github,
    Human,
    Json,
    Sarif,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    Auto,
    Always,
    Never,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum LayoutArg {
    /// A skill: SKILL.md at the root
    Skill,
    /// A plugin: plugin.json at the root
    Plugin,
    /// Anything: the archive's own rules only
    Any,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum LinksArg {
    Keep,
    Deny,
}

fn message_format() -> impl clap::builder::TypedValueParser<Value = MessageFormat> {
    clap::builder::PossibleValuesParser::new(["human", "json", "sarif", "github"]).map(|text| match text.as_str() {
        "github" => MessageFormat::Github,
        "json" => MessageFormat::Json,
        "sarif" => MessageFormat::Sarif,
        _ => MessageFormat::Human,
    })
}

impl Shared {
    /// The limits, with those that were given in place of the defaults.
    pub(crate) fn limits(&self) -> Limits {
        self.limits.limits()
    }

    /// The library's options.
    pub(crate) fn options(&self) -> Result<Options, Error> {
        let layout = match self.layout {
            LayoutArg::Skill => Layout::Skill,
            LayoutArg::Plugin => Layout::Plugin,
            LayoutArg::Any => Layout::Any,
        };
        let options = Options::default()
            .layout(layout)
            .links(self.links.into())
            .strip_root(self.strip_root)
            .limits(self.limits());
        deny(options, &self.deny)
    }

    /// Whether any layout is good enough.
    pub(crate) fn any_layout(&self) -> bool {
        matches!(self.layout, LayoutArg::Any)
    }

    /// The format that was declared.
    pub(crate) fn format(&self) -> Option<Format> {
        self.format.as_deref().and_then(|text| text.parse().ok())
    }
}

/// Options under which these findings refuse.
fn deny(options: Options, codes: &[String]) -> Result<Options, Error> {
    codes.iter().try_fold(options, |options, text| match text.as_str() {
        "all" => Ok(options.deny_all()),
        _ => match text.parse::<Code>() {
            Ok(code) if code.is_finding() => Ok(options.deny(code)),
            Ok(_) => Err(Error::usage(format!("--deny {text}: this is no finding, it always refuses"))),
            Err(_) => Err(Error::usage(format!("--deny {text}: there is no such code; `skillx explain` lists them"))),
        },
    })
}

impl From<LinksArg> for Links {
    fn from(links: LinksArg) -> Self {
        match links {
            LinksArg::Keep => Self::Keep,
            LinksArg::Deny => Self::Deny,
        }
    }
}

/// `sha256:HEX`, or on the command line the hex digits alone.
pub(crate) fn parse_digest(text: &str) -> Result<Digest, Error> {
    let bare = text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    Ok(if bare { Digest::from_hex(text)? } else { text.parse()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_read_alike_with_one_command_and_with_all() {
        for line in [
            "skillx check a.tar.gz b.zip -j 4 --json --deny all --max-total 2G",
            "skillx verify-extract - --digest x -o d --replace --message-format json --color never",
            "skillx install example.com --all -q",
            "skillx explain",
            "skillx man check",
            "skillx completions zsh --no-progress",
        ] {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            let one = Args::of_one_command(&words).map(|args| format!("{args:?}"));
            let all = Args::try_parse_from(&words).map(|args| format!("{args:?}"));
            assert_eq!(one, all.ok(), "{line}");
            assert!(one.is_some(), "{line}");
        }
        for line in ["skillx", "skillx chekc", "skillx check --help", "skillx check -j 0", "skillx --json check a"] {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            assert!(Args::of_one_command(&words).is_none(), "{line}");
        }
    }

    #[test]
    fn a_command_says_of_itself_what_it_does() {
        let mut all = <Args as clap::CommandFactory>::command();
        let said = |all: &clap::Command| -> Vec<_> {
            all.get_subcommands().map(|one| one.get_about().map(ToString::to_string)).collect()
        };
        let before = said(&all);
        assert!(before.iter().all(Option::is_some));
        all.build();
        // clap's own `help` comes last.
        assert_eq!(said(&all).get(..before.len()), Some(before.as_slice()));
    }
}
