//! Rankings: how they are printed.

use crate::failure::Failure;
use crate::pool::{Pool, too_far};
use crate::table::{Side, Table, count, number};
use rather::Person;
use rather::learn::Hyperparameters;
use rather::model::Ranked;
use serde::Serialize;

/// Half the width of a 95 % interval, in standard deviations.
const Z95: f64 = 1.959963984540054;

/// One line of a ranking.
#[derive(Debug, Serialize)]
pub(crate) struct Line<'a> {
    pub(crate) item: &'a str,
    pub(crate) mean: f64,
    pub(crate) sd: f64,
    pub(crate) rank: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) label: Option<&'a str>,
}

impl<'a> Line<'a> {
    /// The columns of CSV.
    pub(crate) const HEADER: [&'static str; 4] = ["item", "mean", "sd", "rank"];

    /// A row of CSV.
    pub(crate) fn row(&self) -> [String; 4] {
        [self.item.to_owned(), self.mean.to_string(), self.sd.to_string(), self.rank.to_string()]
    }

    /// The items of `pool` as `person` likes them, best first.
    pub(crate) fn all(person: &Person<'a>, pool: &'a Pool) -> Result<Vec<Self>, Failure> {
        let items = person.items();
        let line = |(rank, Ranked { item, mean, sd })| {
            let key = pool.keys[item].as_str();
            if !(mean.is_finite() && sd.is_finite()) {
                return Err(too_far(&format!("the utility of \"{key}\"")));
            }
            let label = items.position(key).and_then(|i| items.label(i));
            Ok(Self { item: key, mean, sd, rank, label })
        };
        (1..).zip(person.rank(&pool.points)).map(line).collect()
    }

    /// The first `shown` lines as a table for people, and how many more there are.
    pub(crate) fn table(lines: &[Self], shown: usize) -> String {
        let (lines, rest) = lines.split_at(shown.min(lines.len()));
        let mut table = Table::new([
            ("rank", Side::Right),
            ("item", Side::Left),
            ("label", Side::Left),
            ("utility", Side::Right),
            ("± sd", Side::Left),
            ("95 % interval", Side::Left),
        ]);
        let decimals = decimals(lines);
        for Line { item, mean, sd, rank, label } in lines {
            let shown = |x: f64| decimal(x, decimals);
            table.push([
                rank.to_string(),
                (*item).to_owned(),
                label.unwrap_or_default().to_owned(),
                shown(*mean),
                format!("± {}", shown(*sd)),
                format!("{} to {}", shown(mean - Z95 * sd), shown(mean + Z95 * sd)),
            ]);
        }
        let more = match rest.len() {
            0 => String::new(),
            more => format!("… and {} more\n", count(more as u64)),
        };
        table.render() + &more
    }
}

/// What utilities are measured in.
pub(crate) fn units(hyperparameters: &Hyperparameters) -> String {
    format!(
        "Utilities are relative to the average of the compared items. The standard deviation of the noise of one \
         item is {}.",
        number(hyperparameters.noise())
    )
}

/// `x` with so many decimals; powers of ten if it would be too long, and no minus before zero.
fn decimal(x: f64, decimals: usize) -> String {
    const LONG: f64 = 1e7;
    if x.abs() >= LONG {
        return number(x);
    }
    let text = format!("{x:.decimals$}");
    match text.strip_prefix('-') {
        Some(rest) if rest.chars().all(|c| matches!(c, '0' | '.')) => rest.to_owned(),
        _ => text,
    }
}

/// As many decimals as give the smallest standard deviation two digits.
fn decimals(lines: &[Line<'_>]) -> usize {
    const MOST: f64 = 12.0;
    let smallest = lines.iter().map(|line| line.sd).filter(|&sd| sd > 0.0).fold(f64::INFINITY, f64::min);
    if smallest.is_finite() { (1.0 - smallest.log10().floor()).clamp(0.0, MOST) as usize } else { 2 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn utilities_are_short() {
        for (x, text) in [(-0.04, "0.0"), (-0.06, "-0.1"), (12.34, "12.3"), (-4.2e150, "-4.200e150")] {
            assert_eq!(decimal(x, 1), text);
        }
    }

    #[test]
    fn the_smallest_deviation_has_two_digits() {
        let line = |sd| Line { item: "a", mean: 1.0, sd, rank: 1, label: None };
        for (sd, expected) in [(0.0084, 4), (0.5, 2), (3.0, 1), (250.0, 0), (0.0, 2)] {
            assert_eq!(decimals(&[line(sd)]), expected, "{sd}");
        }
        assert_eq!(decimals(&[line(0.0), line(0.5), line(0.03)]), 3);
    }
}
