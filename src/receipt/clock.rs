//! The time of an install, as RFC 3339 in UTC.

use std::time::{SystemTime, UNIX_EPOCH};

const SECONDS_PER_DAY: u64 = 86_400;

/// Now, to the second.
pub(super) fn now() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    rfc3339(since.as_secs())
}

/// `2026-11-30T01:02:03Z`, from seconds since 1970. A year takes as many digits as it needs.
fn rfc3339(seconds: u64) -> String {
    let in_day = seconds % SECONDS_PER_DAY;
    let (year, month, day) = date(seconds / SECONDS_PER_DAY);
    let (hour, minute, second) = (in_day / 3600, in_day / 60 % 60, in_day % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// The Gregorian date, from days since 1970. Years are counted from March, so that the leap day comes last.
#[allow(clippy::arithmetic_side_effects, reason = "seconds in a u64 are fewer than 2^48 days")]
fn date(days: u64) -> (u64, u64, u64) {
    const TO_1970: u64 = 719_468;
    const PER_ERA: u64 = 146_097;
    let days = days + TO_1970;
    let (era, in_era) = (days / PER_ERA, days % PER_ERA);
    let year_of_era = (in_era - in_era / 1460 + in_era / 36_524 - in_era / (PER_ERA - 1)) / 365;
    let in_year = in_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * in_year + 2) / 153;
    let day = in_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    (era * 400 + year_of_era + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::rfc3339;

    #[test]
    fn dates_are_those_that_date_prints() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (951_868_800, "2000-03-01T00:00:00Z"),
            (1_709_164_800, "2024-02-29T00:00:00Z"),
            (1_735_689_599, "2024-12-31T23:59:59Z"),
            (1_796_000_523, "2026-11-30T01:02:03Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(rfc3339(seconds), text);
        }
    }
}
