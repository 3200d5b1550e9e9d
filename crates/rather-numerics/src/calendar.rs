//! Days since 1970-01-01 and dates of the Gregorian calendar, both ways (H. Hinnant, *chrono-compatible low-level date algorithms*): days are counted
//! since 0000-03-01 in eras of 400 years that begin in March, so that the leap day is the last of its year.

/// From 0000-03-01 to 1970-01-01.
const SHIFT: i64 = 719_468;
/// Days in 400 years.
const ERA: i64 = 146_097;

/// Days since 1970-01-01 of a date of the Gregorian calendar, which may be before it was in use.
///
/// # Examples
/// ```
/// assert_eq!(rather_numerics::calendar::days([2000, 3, 1]), 11_017.0);
/// ```
pub fn days([year, month, day]: [i64; 3]) -> f64 {
    let y = if month <= 2 { year - 1 } else { year };
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let of_era = y.rem_euclid(400);
    (y.div_euclid(400) * ERA + of_era * 365 + of_era / 4 - of_era / 100 + of_year - SHIFT) as f64
}

/// Year, month and day of a time in days since 1970-01-01.
///
/// # Examples
/// ```
/// assert_eq!(rather_numerics::calendar::civil(11_016.5), [2000, 2, 29]);
/// ```
pub fn civil(days: f64) -> [i64; 3] {
    let days = days.floor().clamp(-1e15, 1e15) as i64 + SHIFT;
    let of_era = days.rem_euclid(ERA);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = (month + 2) % 12 + 1;
    [year + 400 * days.div_euclid(ERA) + i64::from(month <= 2), month, day]
}
