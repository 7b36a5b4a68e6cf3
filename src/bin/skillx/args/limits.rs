//! The flags that change limits.

use std::num::NonZeroU64;
use std::time::Duration;

use clap::Args as ClapArgs;
use skillx_archive::{Limits, parse_size};

/// What a run may cost.
#[derive(Debug, Clone, ClapArgs)]
#[allow(clippy::struct_field_names)] // They are the flags' names.
pub(crate) struct LimitArgs {
    /// Size of the archive file [default: 32M]
    #[arg(long, value_name = "SIZE", value_parser = parse_size, help_heading = "Limits")]
    max_archive: Option<u64>,
    /// Bytes written in all [default: 100M]
    #[arg(long, value_name = "SIZE", value_parser = parse_size, help_heading = "Limits")]
    max_total: Option<u64>,
    /// Bytes of one file [default: 50M]
    #[arg(long, value_name = "SIZE", value_parser = parse_size, help_heading = "Limits")]
    max_file: Option<u64>,
    /// Entries, implied directories included [default: 4096]
    #[arg(long, value_name = "N", help_heading = "Limits")]
    max_entries: Option<NonZeroU64>,
    /// Levels of a path [default: 24]
    #[arg(long, value_name = "N", help_heading = "Limits")]
    max_depth: Option<NonZeroU64>,
    /// Unpacked bytes for each byte of the archive, once past 8 MiB [default: 200]
    #[arg(long, value_name = "N", help_heading = "Limits")]
    max_ratio: Option<NonZeroU64>,
    /// Seconds for the whole run [default: 120]
    #[arg(long, value_name = "SECONDS", help_heading = "Limits")]
    max_time: Option<NonZeroU64>,
}

impl LimitArgs {
    /// The limits, with those that were given in place of the defaults.
    pub(crate) fn limits(&self) -> Limits {
        let mut limits = Limits::default();
        let set = |field: &mut u64, given: Option<u64>| *field = given.unwrap_or(*field);
        set(&mut limits.archive, self.max_archive);
        set(&mut limits.total, self.max_total);
        set(&mut limits.file, self.max_file);
        set(&mut limits.entries, self.max_entries.map(NonZeroU64::get));
        set(&mut limits.depth, self.max_depth.map(NonZeroU64::get));
        set(&mut limits.ratio, self.max_ratio.map(NonZeroU64::get));
        limits.time = self.max_time.map_or(limits.time, |seconds| Duration::from_secs(seconds.get()));
        limits
    }
}
