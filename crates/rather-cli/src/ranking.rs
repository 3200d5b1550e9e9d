//! Rankings: how they are printed.

use crate::failure::Failure;
use crate::pool::{Pool, too_far};
use crate::table::{Side, Table, count, number};
use rather::Person;
use rather::learn::Hyperparameters;
use rather::model::Ranked;
pub(crate) use rather_arena::Z95;
use serde::Serialize;

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
    /// The items of `pool` as `person` likes them, best first.
    pub(crate) fn all(person: &Person<'a>, pool: &'a Pool) -> Result<Vec<Self>, Failure> {
        Self::of(&person.rank(&pool.points), person, pool)
    }

    /// The lines of a ranking of `pool`.
    fn of(ranking: &[Ranked], person: &Person<'a>, pool: &'a Pool) -> Result<Vec<Self>, Failure> {
        let items = person.items();
        let line = |(rank, &Ranked { item, mean, sd })| {
            let key = pool.keys[item].as_str();
            if !(mean.is_finite() && sd.is_finite()) {
                return Err(too_far(&format!("the utility of \"{key}\"")));
            }
            let label = items.position(key).and_then(|i| items.label(i));
            Ok(Self { item: key, mean, sd, rank, label })
        };
        (1..).zip(ranking).map(line).collect()
    }

    /// The first `shown` lines as a table for people, and how many more there are.
    pub(crate) fn table(lines: &[Self], shown: usize) -> String {
        let mut table = Table::new(COLUMNS);
        let decimals = decimals(lines.iter().take(shown));
        lines.iter().take(shown).for_each(|line| table.push(line.cells(decimals)));
        table.render() + &more(lines.len(), shown)
    }

    fn cells(&self, decimals: usize) -> [String; COLUMNS.len()] {
        let Self { item, mean, sd, rank, label } = self;
        let shown = |x: f64| decimal(x, decimals);
        [
            rank.to_string(),
            (*item).to_owned(),
            label.unwrap_or_default().to_owned(),
            shown(*mean),
            format!("± {}", shown(*sd)),
            format!("{} to {}", shown(mean - Z95 * sd), shown(mean + Z95 * sd)),
        ]
    }
}

const SD: &str = "± sd";

/// The columns of a table of lines.
const COLUMNS: [(&str, Side); 6] = [
    ("rank", Side::Right),
    ("item", Side::Left),
    ("label", Side::Left),
    ("utility", Side::Right),
    (SD, Side::Left),
    ("95 % interval", Side::Left),
];

/// A line, and how surely the item stands there.
#[derive(Debug, Serialize)]
pub(crate) struct Placed<'a> {
    #[serde(flatten)]
    pub(crate) line: Line<'a>,
    #[serde(flatten)]
    pub(crate) place: Option<Place>,
}

/// How surely an item stands where it does.
#[derive(Debug, Serialize)]
pub(crate) struct Place {
    pub(crate) probability_best: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) probability_top: Option<f64>,
    pub(crate) rank_low: usize,
    pub(crate) rank_high: usize,
    pub(crate) group: usize,
}

impl<'a> Placed<'a> {
    /// The columns of CSV; the last is there if a probability of being among the best is asked for.
    pub(crate) const HEADER: [&'static str; 9] = [
        "item",
        "mean",
        "sd",
        "rank",
        "probability_best",
        "rank_low",
        "rank_high",
        "group",
        "probability_top",
    ];

    /// The items of `pool` as `person` likes them, best first; with the probabilities of being among the `top` best, if asked for.
    pub(crate) fn all(
        person: &Person<'a>,
        pool: &'a Pool,
        top: Option<usize>,
        seed: u64,
    ) -> Result<Vec<Self>, Failure> {
        let ranking = person.rank(&pool.points);
        let lines = Line::of(&ranking, person, pool)?;
        let standings = person.standings(&pool.points, &ranking, top.unwrap_or(1), seed)?;
        let mut places = standings.into_iter().map(|s| Place {
            probability_best: s.probability_best,
            probability_top: top.map(|_| s.probability_top),
            rank_low: s.rank_low,
            rank_high: s.rank_high,
            group: s.group,
        });
        Ok(lines.into_iter().map(|line| Self { line, place: places.next() }).collect())
    }

    /// A row of CSV.
    pub(crate) fn row(&self) -> [String; 9] {
        let Line { item, mean, sd, rank, .. } = self.line;
        let of = |cell: fn(&Place) -> String| self.place.as_ref().map(cell).unwrap_or_default();
        let top = self.place.as_ref().and_then(|p| p.probability_top);
        [
            item.to_owned(),
            mean.to_string(),
            sd.to_string(),
            rank.to_string(),
            of(|p| p.probability_best.to_string()),
            of(|p| p.rank_low.to_string()),
            of(|p| p.rank_high.to_string()),
            of(|p| p.group.to_string()),
            top.map(|p| p.to_string()).unwrap_or_default(),
        ]
    }

    /// The first `shown` lines as a table for people, and how many more there are; `top` as asked for.
    pub(crate) fn table(lines: &[Self], shown: usize, top: Option<usize>) -> String {
        let among = top.map_or_else(String::new, |top| format!("P(top {top})"));
        let places = [
            ("ranks", Side::Left),
            ("P(best)", Side::Right),
            (among.as_str(), Side::Right),
            ("group", Side::Right),
        ];
        let mut table = Table::new(
            COLUMNS
                .into_iter()
                .filter(|(name, _)| *name != SD)
                .chain(places)
                .filter(|(name, _)| !name.is_empty()),
        );
        let decimals = decimals(lines.iter().take(shown).map(|placed| &placed.line));
        for Self { line, place } in lines.iter().take(shown) {
            let percent = |p: f64| format!("{:.0} %", 100.0 * p);
            let of = |cell: &dyn Fn(&Place) -> String| place.as_ref().map(cell).unwrap_or_default();
            let cells = [
                of(&|p| format!("{} to {}", p.rank_low, p.rank_high)),
                of(&|p| percent(p.probability_best)),
                of(&|p| p.probability_top.map(percent).unwrap_or_default()),
                of(&|p| p.group.to_string()),
            ];
            let kept = cells.into_iter().enumerate().filter(|(i, _)| top.is_some() || *i != 2);
            // The interval says what the standard deviation does, and the page is narrow.
            let cells = line.cells(decimals).into_iter().zip(COLUMNS).filter(|(_, (name, _))| *name != SD);
            table.push(cells.map(|(cell, _)| cell).chain(kept.map(|(_, cell)| cell)));
        }
        table.render() + &more(lines.len(), shown)
    }
}

/// How many lines are not shown.
fn more(all: usize, shown: usize) -> String {
    match all.saturating_sub(shown) {
        0 => String::new(),
        more => format!("… and {} more\n", count(more as u64)),
    }
}

/// What the columns of places say.
pub(crate) const PLACES: &str = "Ranks (95 % interval) and probabilities are from joint draws of all utilities. Items of one group cannot be distinguished from its \
                                 first item; the first of the next group is worse than that with a probability of at least 97.5 %.";

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
fn decimals<'a>(lines: impl Iterator<Item = &'a Line<'a>>) -> usize {
    const MOST: f64 = 12.0;
    let smallest = lines.map(|line| line.sd).filter(|&sd| sd > 0.0).fold(f64::INFINITY, f64::min);
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
            assert_eq!(decimals([line(sd)].iter()), expected, "{sd}");
        }
        assert_eq!(decimals([line(0.0), line(0.5), line(0.03)].iter()), 3);
    }
}
