//! The figure of a board.

use crate::failure::Failure;
use rather_arena::{Report, Z95};
use rather_plot::{Figure, Look, RankedItem, Ranking};

/// So many items are in the figure.
const ITEMS: usize = 40;
/// The width in pixels: letters stay readable where it shrinks to the width of a telephone.
const WIDTH: f64 = 480.0;

/// Ratings with their intervals.
pub(super) fn board(report: &Report) -> Result<Figure, Failure> {
    let item = |line: &rather_arena::Line| RankedItem {
        name: line.item.clone(),
        mean: line.rating,
        sd: (line.upper - line.lower) / (2.0 * Z95),
        compared: true,
    };
    let items = report.board.iter().take(ITEMS).map(item).collect();
    let ranking = Ranking {
        items,
        left_out: report.board.len().saturating_sub(ITEMS),
        utility: report.scale.name().to_owned(),
        zero: Some(report.scale.zero()),
    };
    let look =
        Look { width: Some(WIDTH), title: Some("Ratings with 95 % intervals".to_owned()), ..Look::default() };
    ranking.draw(&look).map_err(|error| Failure::User(error.to_string()))
}
