//! Times in the agent's format.

use super::super::ends::milliseconds;
use std::time::SystemTime;

/// Returns the current time as RFC 3339 with milliseconds.
pub(super) fn now() -> String {
    text(milliseconds(SystemTime::now()))
}

/// Formats milliseconds since 1970 as RFC 3339.
fn text(time: i64) -> String {
    let (days, time) = (time.div_euclid(86_400_000), time.rem_euclid(86_400_000));
    // Years begin in March, so that a leap day is the last day; 400 years have 146,097 days.
    let days = days + 719_468;
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = era * 400 + year + i64::from(month < 3);
    let (seconds, milliseconds) = (time / 1000, time % 1000);
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milliseconds:03}Z")
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn times_are_formatted_as_rfc_3339() {
        for (time, expected) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (1_740_824_430_456, "2025-03-01T10:20:30.456Z"),
            (1_709_251_199_999, "2024-02-29T23:59:59.999Z"),
            (1_735_689_600_000, "2025-01-01T00:00:00.000Z"),
            (4_102_444_799_000, "2099-12-31T23:59:59.000Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
        ] {
            assert_eq!(text(time), expected);
        }
    }
}
