//! The flags of everything that downloads.

use std::num::NonZeroU64;
use std::path::PathBuf;

use clap::Args as ClapArgs;

/// What may be fetched, and how.
#[derive(Debug, Clone, ClapArgs)]
pub(crate) struct NetworkArgs {
    /// Fetch over plain http too (a loopback address that you type needs no flag)
    #[arg(long, help_heading = "Network")]
    pub(crate) allow_http: bool,
    /// Fetch from this machine and private networks too, or only from the host named
    #[arg(
        long,
        value_name = "HOST",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "",
        action = clap::ArgAction::Append,
        help_heading = "Network"
    )]
    pub(crate) allow_private: Vec<String>,
    /// Fetch only from this host besides the one you type: HOST, HOST:PORT or *.DOMAIN (repeatable) [default: any]
    #[arg(long, value_name = "HOST", action = clap::ArgAction::Append, help_heading = "Network")]
    pub(crate) allow_host: Vec<String>,
    /// Certificate authorities (PEM) in place of the built-in ones
    #[arg(long, value_name = "FILE", help_heading = "Network")]
    pub(crate) cacert: Option<PathBuf>,
    /// Fetch through this proxy; the environment is not asked for one
    #[arg(long, value_name = "http://HOST:PORT", help_heading = "Network")]
    pub(crate) proxy: Option<String>,
    /// Seconds for one download, redirects included [default: 300]
    #[arg(long, value_name = "SECONDS", help_heading = "Network")]
    pub(crate) timeout: Option<NonZeroU64>,
    /// Neither take archives from the cache nor keep them there
    #[arg(long, help_heading = "Network")]
    pub(crate) no_cache: bool,
}
