//! How segments of users differ.

use rather::many::{Population, Segments};

use super::utility_name;
use crate::{Error, SegmentChart, SegmentLine};

/// The `top` items that differ most between so many segments of users, or as many as stand apart most clearly.
///
/// # Errors
/// [`Error::Model`].
pub fn segments(population: &Population, number: Option<usize>, top: usize) -> Result<SegmentChart, Error> {
    let found = Segments::of(population, number, 0)?;
    let order = found.most_different();
    let (shown, rest) = order.split_at(top.min(order.len()));
    let line = |(at, segment): (usize, &rather::many::Segment)| SegmentLine {
        name: format!("segment {at} ({:.0} %)", 100.0 * segment.share),
        means: shown.iter().map(|&item| segment.mean[item]).collect(),
    };
    Ok(SegmentChart {
        items: shown.iter().map(|&item| population.items().keys()[item].clone()).collect(),
        segments: (1..).zip(&found.segments).map(line).collect(),
        left_out: rest.len(),
        utility: utility_name(population.hyperparameters().noise()),
    })
}
