//! Parses times.

/// Parses a time in ISO 8601 like JavaScript, as milliseconds since 1970. A day
/// after the last day of the month counts as a day of the next month. A time
/// without an offset is UTC.
pub(super) fn milliseconds(text: &str) -> Option<i64> {
    let mut rest = Digits(text.as_bytes());
    let sign = rest.one_of(b"+-");
    let year = match sign {
        Some(sign) => {
            let year = rest.number(6)?;
            if sign == b'-' { -year } else { year }
        }
        None => rest.number(4)?,
    };
    let month = rest.number_after(b"-", 2)?.unwrap_or(1);
    let day = if rest.is_next(b'-') {
        rest.number_after(b"-", 2)?.unwrap_or(1)
    } else {
        1
    };
    let is_date = (1..=12).contains(&month) && (1..=31).contains(&day);
    let mut milliseconds = is_date.then(|| days(year, month) + day - 1)? * 86_400_000;
    if rest.one_of(b"T ").is_some() {
        let hour = rest.number(2)?;
        let minute = rest.number_after(b":", 2)??;
        let second = rest.number_after(b":", 2)?.unwrap_or(0);
        let fraction = if rest.one_of(b".").is_some() {
            rest.fraction()?
        } else {
            0
        };
        let is_midnight = hour == 24 && minute == 0 && second == 0 && fraction == 0;
        ((hour < 24 || is_midnight) && minute < 60 && second < 60).then_some(())?;
        milliseconds += ((hour * 60 + minute) * 60 + second) * 1000 + fraction;
        milliseconds -= rest.offset()? * 60_000;
    }
    let is_in_range = rest.0.is_empty() && milliseconds.abs() <= 8_640_000_000_000_000;
    is_in_range.then_some(milliseconds)
}

/// Parses a time with seconds and an offset on a valid day, as milliseconds since 1970.
pub(super) fn exact_milliseconds(text: &str) -> Option<i64> {
    let shape = b"0000-00-00T00:00:00";
    let (time, rest) = text.as_bytes().split_at_checked(shape.len())?;
    let has_shape = time.iter().zip(shape).all(|(byte, shape)| match shape {
        b'0' => byte.is_ascii_digit(),
        _ => byte == shape,
    });
    let zone = match rest.strip_prefix(b".") {
        Some(rest) => {
            let digits = rest.iter().take_while(|it| it.is_ascii_digit()).count();
            (digits > 0).then(|| &rest[digits..])?
        }
        None => rest,
    };
    let is_zone = match zone {
        b"Z" => true,
        [b'+' | b'-', h, i, b':', m, n] => {
            let is_number = [h, i, m, n].iter().all(|it| it.is_ascii_digit());
            is_number && (*h, *i) < (b'2', b'4') && *m < b'6'
        }
        _ => false,
    };
    let number = |range| std::str::from_utf8(&time[range]).ok()?.parse::<i64>().ok();
    let (year, month, day) = (number(0..4)?, number(5..7)?, number(8..10)?);
    let is_day =
        (1..=12).contains(&month) && day >= 1 && day <= days(year, month + 1) - days(year, month);
    (has_shape && is_zone && is_day && number(11..13)? < 24)
        .then(|| milliseconds(text))
        .flatten()
}

/// Returns the days from 1970 to the first of a month. Month 13 is the next January.
fn days(year: i64, month: i64) -> i64 {
    // Years are counted from March, so that a leap day is their last day.
    let months = year * 12 + month - 3;
    let (year, month) = (months.div_euclid(12), months.rem_euclid(12));
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    year * 365 + leap_days + (153 * month + 2) / 5 - 719_468
}

struct Digits<'t>(&'t [u8]);

impl Digits<'_> {
    fn is_next(&self, byte: u8) -> bool {
        self.0.first() == Some(&byte)
    }

    fn one_of(&mut self, bytes: &[u8]) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        bytes.contains(first).then(|| self.0 = rest)?;
        Some(*first)
    }

    /// Parses a number with this many digits.
    fn number(&mut self, digits: usize) -> Option<i64> {
        let (number, rest) = self.0.split_at_checked(digits)?;
        number.iter().all(u8::is_ascii_digit).then_some(())?;
        self.0 = rest;
        Some(
            number
                .iter()
                .fold(0, |sum, it| sum * 10 + i64::from(it - b'0')),
        )
    }

    /// Parses the number after one of these bytes, if one is next.
    fn number_after(&mut self, sign: &[u8], digits: usize) -> Option<Option<i64>> {
        match self.one_of(sign) {
            Some(_) => self.number(digits).map(Some),
            None => Some(None),
        }
    }

    /// Parses a fraction as milliseconds, rounded down.
    fn fraction(&mut self) -> Option<i64> {
        let digits = self.0.iter().take_while(|it| it.is_ascii_digit()).count();
        let (fraction, rest) = self.0.split_at_checked(digits)?;
        self.0 = rest;
        let digit = |at: usize| fraction.get(at).map_or(0, |it| i64::from(it - b'0'));
        (digits > 0).then(|| digit(0) * 100 + digit(1) * 10 + digit(2))
    }

    /// Parses the offset from UTC in minutes.
    fn offset(&mut self) -> Option<i64> {
        let Some(sign) = self.one_of(b"Z+-").filter(|it| *it != b'Z') else {
            return Some(0);
        };
        let hours = self.number(2)?;
        self.one_of(b":");
        let minutes = self.number(2)?;
        let offset = (hours < 24 && minutes < 60).then_some(hours * 60 + minutes)?;
        Some(if sign == b'-' { -offset } else { offset })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_javascript_reads_them() {
        // The expected times are those of `Date.parse`.
        for (text, time) in [
            ("2025-03-01T10:20:30.456Z", Some(1_740_824_430_456)),
            ("2025-03-01T10:20:30.4567891Z", Some(1_740_824_430_456)),
            ("2025-03-01T10:20:30.4Z", Some(1_740_824_430_400)),
            ("2025-03-01T10:20Z", Some(1_740_824_400_000)),
            ("2025-03-01T10:20:30+02:00", Some(1_740_817_230_000)),
            ("2025-02-30T00:00:00Z", Some(1_740_873_600_000)),
            ("2025-03-01", Some(1_740_787_200_000)),
            ("2025", Some(1_735_689_600_000)),
            ("1969-12-31T23:59:59.999Z", Some(-1)),
            ("0000-01-01T00:00:00Z", Some(-62_167_219_200_000)),
            ("2024-02-29T24:00:00Z", Some(1_709_251_200_000)),
            ("2025-13-01", None),
            ("2025-03-01T25:00:00Z", None),
            ("soon", None),
            ("", None),
        ] {
            assert_eq!(milliseconds(text), time, "{text}");
        }
    }

    #[test]
    fn exact_times_have_seconds_and_an_offset() {
        for (text, is_exact) in [
            ("2025-03-01T10:20:30Z", true),
            ("2025-03-01T10:20:30.5-01:30", true),
            ("2024-02-29T10:20:30Z", true),
            ("2025-02-29T10:20:30Z", false),
            ("2025-03-01T10:20Z", false),
            ("2025-03-01T10:20:30", false),
            ("2025-03-01T10:20:30.Z", false),
            ("2025-03-01 10:20:30Z", false),
            ("2025-03-01T24:00:00Z", false),
        ] {
            assert_eq!(exact_milliseconds(text).is_some(), is_exact, "{text}");
        }
    }
}
