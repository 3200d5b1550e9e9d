//! Times as people and other programs write them: `2026-11-21T09:30:00.250Z`.

/// A time in milliseconds since 1970, as RFC 3339 writes it.
///
/// # Examples
/// ```
/// assert_eq!(rather_study::time::format(1_000_000_000_123), "2001-09-09T01:46:40.123Z");
/// ```
pub fn format(milliseconds: i64) -> String {
    let (days, rest) = (milliseconds.div_euclid(DAY), milliseconds.rem_euclid(DAY));
    let (year, month, day) = date(days);
    let (hour, minute, second) = (rest / HOUR, rest / MINUTE % 60, rest / 1000 % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{:03}Z", rest % 1000)
}

/// Reads what [`format()`] writes; the fraction may be left out, and there may be an offset instead of the `Z`.
pub fn parse(text: &str) -> Option<i64> {
    let number = |range: std::ops::Range<usize>| {
        let digits = text.get(range)?;
        digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse::<i64>().ok()).flatten()
    };
    let is = |at: usize, what: &[u8]| text.as_bytes().get(at).is_some_and(|b| what.contains(b));
    if !(is(4, b"-") && is(7, b"-") && is(10, b"Tt ") && is(13, b":") && is(16, b":")) {
        return None;
    }
    let (year, month, day) = (number(0..4)?, number(5..7)?, number(8..10)?);
    let (hour, minute, second) = (number(11..13)?, number(14..16)?, number(17..19)?);
    let days = days(year, month, day);
    // A day that is none comes back as another.
    if date(days) != (year, month, day) || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let rest = text.get(19..)?;
    let digits = rest.strip_prefix('.').map_or(0, |r| r.bytes().take_while(u8::is_ascii_digit).count());
    let (fraction, zone) = if digits > 0 { rest.split_at(digits + 1) } else { ("", rest) };
    let milliseconds =
        if digits > 0 { (format!("0{fraction}").parse::<f64>().ok()? * 1e3) as i64 } else { 0 };
    Some(days * DAY + hour * HOUR + minute * MINUTE + second * 1000 + milliseconds - offset(zone)?)
}

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// The milliseconds that a zone is ahead.
fn offset(zone: &str) -> Option<i64> {
    if zone.eq_ignore_ascii_case("z") {
        return Some(0);
    }
    let sign = match zone.as_bytes().first()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let (hours, minutes) = zone.get(1..)?.split_once(':')?;
    Some(sign * (hours.parse::<u8>().ok()? as i64 * HOUR + minutes.parse::<u8>().ok()? as i64 * MINUTE))
}

/// Days since 1970 of a date of the Gregorian calendar. Years begin in March here, so that the leap day is their last.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// Year, month and day of a number of days since 1970.
fn date(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let (era, of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let shifted_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    (year + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_times() {
        for (milliseconds, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (-1, "1969-12-31T23:59:59.999Z"),
            (4_102_444_799_999, "2099-12-31T23:59:59.999Z"),
        ] {
            assert_eq!(format(milliseconds), text);
            assert_eq!(parse(text), Some(milliseconds));
        }
        assert_eq!(parse("2001-09-09T03:46:40+02:00"), Some(1_000_000_000_000));
        assert_eq!(parse("2001-09-09 01:46:40.5Z"), Some(1_000_000_000_500));
        for text in [
            "",
            "2001-09-09",
            "2001-02-29T00:00:00Z",
            "2001-13-01T00:00:00Z",
            "2001-09-09T01:46:40",
            "2001-09-09T24:00:00Z",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn round_trip(milliseconds in 0..253_402_300_800_000_i64) {
            proptest::prop_assert_eq!(parse(&format(milliseconds)), Some(milliseconds));
        }
    }
}
