//! zip: deflate, made by Unix, UTF-8 names marked as such, no extra fields.

use std::io;

use zip::result::ZipError;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, System, ZipWriter};

use super::{Capped, Exact, LEVEL, OPEN, PLAIN, failed, pause, text_of, unfinished};
use crate::error::Result;
use crate::pack::options::PackOptions;
use crate::pack::tree::{ItemKind, Tree};

const DAY: u64 = 24 * 60 * 60;

pub(super) fn write(tree: &Tree, options: &PackOptions) -> Result<Vec<u8>> {
    let mut archive = ZipWriter::new(Capped::new(options));
    let common = SimpleFileOptions::default()
        .system(System::Unix)
        .last_modified_time(date_time(options.seconds()))
        .compression_method(CompressionMethod::Stored);
    for item in tree.items() {
        pause(options)?;
        let name = text_of(&item.path)?;
        match &item.kind {
            ItemKind::File { executable } => {
                let mut content = Exact::open(tree, item)?;
                let mode = if *executable { OPEN } else { PLAIN };
                let with = common.unix_permissions(mode).large_file(content.left > u64::from(u32::MAX));
                // Nothing has nothing to deflate.
                let with = if content.left == 0 {
                    with
                } else {
                    with.compression_method(CompressionMethod::Deflated).compression_level(Some(i64::from(LEVEL)))
                };
                archive
                    .start_file(name, with)
                    .map_err(plain)
                    .and_then(|()| io::copy(&mut content, &mut archive))
                    .map(drop)
            }
            ItemKind::Symlink { target } => {
                archive.add_symlink(name, text_of(target)?, common.unix_permissions(0o777)).map_err(plain)
            }
            // Special files were refused before.
            ItemKind::Directory | ItemKind::Special => {
                archive.add_directory(name, common.unix_permissions(OPEN)).map_err(plain)
            }
        }
        .map_err(|source| failed(item, source))?;
    }
    Ok(archive.finish().map_err(|error| unfinished(plain(error)))?.into_bytes())
}

fn plain(error: ZipError) -> io::Error {
    match error {
        ZipError::Io(error) => error,
        other => io::Error::other(other),
    }
}

/// The time in UTC as zip has it: from 1980 to 2107, in steps of two seconds; the nearest end for others.
fn date_time(seconds: u64) -> DateTime {
    let (mut year, mut days) = (1970_u16, seconds / DAY);
    loop {
        let length = if is_leap(year) { 366 } else { 365 };
        if days < length {
            break;
        }
        days = days.saturating_sub(length);
        year = year.saturating_add(1);
    }
    if year < 1980 {
        return DateTime::DEFAULT;
    }
    let february = if is_leap(year) { 29 } else { 28 };
    let mut month = 1_u8;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if days < length {
            break;
        }
        days = days.saturating_sub(length);
        month = month.saturating_add(1);
    }
    let small = |number: u64| u8::try_from(number).unwrap_or_default();
    let (hour, minute, second) = (seconds % DAY / 3600, seconds % 3600 / 60, seconds % 60);
    let day = small(days).saturating_add(1);
    DateTime::from_date_and_time(year, month, day, small(hour), small(minute), small(second & !1)).unwrap_or_else(
        |_| {
            // Only a year past 2107 is left.
            DateTime::from_date_and_time(2107, 12, 31, 23, 59, 58).unwrap_or(DateTime::DEFAULT)
        },
    )
}

fn is_leap(year: u16) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

#[cfg(test)]
mod tests {
    use super::date_time;

    #[test]
    fn times_are_those_of_utc() {
        for (seconds, shown) in [
            (0, "1980-01-01 00:00:00"),
            (315_532_799, "1980-01-01 00:00:00"),
            (315_532_801, "1980-01-01 00:00:00"),
            (951_782_400, "2000-02-29 00:00:00"),
            (1_735_689_599, "2024-12-31 23:59:58"),
            (4_354_819_199, "2107-12-31 23:59:58"),
            (8_589_934_591, "2107-12-31 23:59:58"),
        ] {
            assert_eq!(date_time(seconds).to_string(), shown, "{seconds}");
        }
    }
}
