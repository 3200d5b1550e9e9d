//! From values to places along an axis.

use crate::ticks::{self, Tick};

/// An axis: its name (with the unit), its range, how values are spread over it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Axis {
    pub(crate) name: String,
    pub(crate) low: f64,
    pub(crate) high: f64,
    pub(crate) spread: Spread,
}

/// How values are spread over an axis.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Spread {
    Linear,
    Logarithmic,
    /// Fractions, labelled in per cent.
    Percent,
    /// Days since 1970-01-01, labelled as dates.
    Dates,
    /// Names at 0, 1, 2, …
    Levels(Vec<String>),
}

impl Axis {
    /// An axis over all `values`, with `margin` of the range free at either end; something around a lone value.
    pub(crate) fn over(name: &str, values: impl IntoIterator<Item = f64>, margin: f64) -> Self {
        let (low, high) = extent(values);
        let (low, high) = widened(low, high, margin);
        Self { name: name.to_owned(), low, high, spread: Spread::Linear }
    }

    /// A logarithmic axis over positive `values`.
    pub(crate) fn logarithmic(name: &str, values: impl IntoIterator<Item = f64>, margin: f64) -> Self {
        let (low, high) = extent(values.into_iter().map(f64::ln));
        let (low, high) = widened(low, high, margin);
        Self { name: name.to_owned(), low: low.exp(), high: high.exp(), spread: Spread::Logarithmic }
    }

    /// An axis of days since 1970-01-01 over all `values`.
    pub(crate) fn dates(name: &str, values: impl IntoIterator<Item = f64>) -> Self {
        Self { spread: Spread::Dates, ..Self::over(name, values, 0.0) }
    }

    /// An axis of names.
    pub(crate) fn levels(name: &str, levels: &[String]) -> Self {
        let high = levels.len() as f64 - 0.5;
        Self { name: name.to_owned(), low: -0.5, high, spread: Spread::Levels(levels.to_vec()) }
    }

    /// An axis of fractions in per cent.
    pub(crate) fn percent(name: &str, low: f64, high: f64) -> Self {
        Self { name: name.to_owned(), low, high, spread: Spread::Percent }
    }

    /// The place of `value`: 0 at the low end, 1 at the high one.
    pub(crate) fn place(&self, value: f64) -> f64 {
        match self.spread {
            Spread::Logarithmic => (value / self.low).ln() / (self.high / self.low).ln(),
            _ => (value - self.low) / (self.high - self.low),
        }
    }

    /// About `wanted` ticks; names all have one.
    pub(crate) fn ticks(&self, wanted: usize) -> Vec<Tick> {
        match &self.spread {
            Spread::Linear => ticks::linear(self.low, self.high, wanted),
            Spread::Logarithmic => ticks::logarithmic(self.low, self.high, wanted),
            Spread::Percent => {
                let mut ticks = ticks::linear(100.0 * self.low, 100.0 * self.high, wanted);
                for tick in &mut ticks {
                    tick.value /= 100.0;
                    tick.label += " %";
                }
                ticks
            }
            Spread::Dates => ticks::dates(self.low, self.high, wanted),
            Spread::Levels(levels) => levels
                .iter()
                .enumerate()
                .map(|(i, label)| Tick { value: i as f64, label: label.clone() })
                .collect(),
        }
    }
}

/// The smallest and the largest of `values`; 0 and 0 of none.
pub(crate) fn extent(values: impl IntoIterator<Item = f64>) -> (f64, f64) {
    let (low, high) =
        values.into_iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(x), b.max(x)));
    if low <= high { (low, high) } else { (0.0, 0.0) }
}

/// A range with room at its ends; of a range without width, one around it.
fn widened(low: f64, high: f64, margin: f64) -> (f64, f64) {
    let span = high - low;
    if span > 1e-9 * low.abs().max(high.abs()) && span.is_normal() {
        return (low - margin * span, high + margin * span);
    }
    let around = if low == 0.0 { 1.0 } else { 0.5 * low.abs() };
    (low - around, high + around)
}
