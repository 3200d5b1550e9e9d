//! Numbers as people write them in a column: `8,5`, `1.234,50`, `8,500`, `45 %`, `€ 8.50`, dates and times.

use crate::context::{days, seconds};
use crate::number;
use serde::Serialize;

/// How the numbers of a column are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Written {
    /// As programs write them.
    #[serde(rename = "numbers")]
    Plain,
    /// With decimal commas.
    DecimalCommas,
    /// With separators between thousands.
    Thousands,
    /// In percent.
    Percent,
    /// With the sign of a currency.
    Currency,
    /// Dates, in days since 1970-01-01.
    Dates,
    /// Times of the day, in days.
    Times,
}

/// The numbers that all cells of a column are, if they are written in one of these ways; `semicolons` says that commas do not separate cells.
pub(crate) fn numbers(cells: &[&str], semicolons: bool) -> Option<(Vec<f64>, Written)> {
    let all =
        |read: &dyn Fn(&str) -> Option<f64>| cells.iter().map(|cell| read(cell)).collect::<Option<Vec<_>>>();
    if let Some(values) = all(&days) {
        return Some((values, Written::Dates));
    }
    if let Some(values) = all(&|cell| Some(seconds(cell)? / 86_400.0)) {
        return Some((values, Written::Times));
    }
    let commas =
        if semicolons { [Comma::Decimal, Comma::Thousands] } else { [Comma::Thousands, Comma::Decimal] };
    commas.into_iter().find_map(|comma| {
        let (sign, first) = undecorated(cells.first()?)?;
        let plain = |cell: &str| {
            let (other, number) = undecorated(cell)?;
            (other == sign).then(|| comma.read(number)).flatten()
        };
        let written = match sign {
            Some('%') => Written::Percent,
            Some(_) => Written::Currency,
            None if comma == Comma::Decimal && cells.iter().any(|cell| cell.contains(',')) => {
                Written::DecimalCommas
            }
            None => Written::Thousands,
        };
        debug_assert!(!first.is_empty());
        Some((all(&plain)?, written))
    })
}

/// What stands before or after a number, if anything does: a percent sign or that of a currency; and the number.
fn undecorated(cell: &str) -> Option<(Option<char>, &str)> {
    const SIGNS: [char; 7] = ['%', '$', '€', '£', '¥', '₹', '₩'];
    let cell = cell.trim();
    let sign = cell.chars().find(|c| SIGNS.contains(c));
    let number = match sign {
        None => cell,
        Some(sign) => cell.strip_prefix(sign).or_else(|| cell.strip_suffix(sign))?.trim(),
    };
    number.contains(|c: char| c.is_ascii_digit()).then_some((sign, number))
}

/// What a comma is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Comma {
    Decimal,
    Thousands,
}

impl Comma {
    fn read(self, text: &str) -> Option<f64> {
        let (decimal, thousands) = match self {
            Self::Decimal => (',', '.'),
            Self::Thousands => ('.', ','),
        };
        let is_group = |c: char| c == thousands || matches!(c, ' ' | '\u{a0}' | '\u{202f}' | '\'' | '’');
        let (whole, fraction) = text.split_once(decimal).unwrap_or((text, ""));
        let unsigned = whole.strip_prefix(['-', '+']).unwrap_or(whole);
        let mut groups = unsigned.split(is_group);
        let digits = |group: &str| group.bytes().all(|b| b.is_ascii_digit());
        let first = groups.next()?;
        let is_split = unsigned.contains(is_group);
        let first_fits = digits(first) && (!is_split || (1..=3).contains(&first.len()));
        if !first_fits
            || !groups.all(|group| group.len() == 3 && digits(group))
            || fraction.contains([',', '.'])
        {
            return None;
        }
        let whole: String = whole.chars().filter(|&c| !is_group(c)).collect();
        number::parse(&format!("{whole}.{fraction}")).ok()
    }
}

/// A number with a decimal comma as programs write it.
pub(crate) fn with_point(text: &str) -> String {
    text.replacen(',', ".", 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_people_write_them() {
        for (cells, semicolons, values, written) in [
            (&["8,5", "7", "12,25"][..], true, &[8.5, 7.0, 12.25][..], Written::DecimalCommas),
            (&["1.234,5", "8,5"], true, &[1234.5, 8.5], Written::DecimalCommas),
            (&["8,500", "1,234,567.5"], false, &[8500.0, 1_234_567.5], Written::Thousands),
            (&["8,500", "7"], true, &[8.5, 7.0], Written::DecimalCommas),
            (&["8,5", "7,25"], false, &[8.5, 7.25], Written::DecimalCommas),
            (&["1 234", "12 345 678"], false, &[1234.0, 12_345_678.0], Written::Thousands),
            (&["45%", "7.5 %"], false, &[45.0, 7.5], Written::Percent),
            (&["€8.5", "12 €"], false, &[8.5, 12.0], Written::Currency),
            (&["$1,200", "-$5"][..1], false, &[1200.0], Written::Currency),
            (&["1970-01-02", "1970-01-03T12:00"], false, &[1.0, 2.5], Written::Dates),
            (&["06:00", "12:00:00"], false, &[0.25, 0.5], Written::Times),
        ] {
            assert_eq!(numbers(cells, semicolons), Some((values.to_vec(), written)), "{cells:?}");
        }
        for cells in [
            &["45%", "7"][..],
            &["€5", "$5"],
            &["1,23,4"],
            &["cheap"],
            &["5 kg"],
            &["1.2.3"],
            &["%"],
            &["1970-01-02", "x"],
            &["1234,567 8"],
        ] {
            assert_eq!(numbers(cells, false), None, "{cells:?}");
        }
    }
}
