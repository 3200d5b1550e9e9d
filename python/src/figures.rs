//! Figures of plain numbers.

use pyo3::prelude::*;
use rather_plot::{Along, Duel, Look, Map, MapItem, RankedItem, Ranking, Utility};

use crate::errors::of_figure;

/// Width, height and title.
type Given = (Option<f64>, Option<f64>, Option<String>);
/// Name, mean, standard deviation, whether it was compared.
type Ranked = (String, f64, f64, bool);
/// Name, place along both axes, whether it was compared.
type Placed = (String, f64, f64, bool);

fn look((width, height, title): Given) -> Look {
    Look { width, height, title }
}

/// A utility along one feature, a `dict`.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Curve {
    feature: String,
    utility: String,
    numbers: Vec<f64>,
    /// Names of categories; none if the feature is a number.
    levels: Vec<String>,
    mean: Vec<f64>,
    sd: Vec<f64>,
    /// Places of the preferred and of the other side, and how often that was said.
    duels: Vec<(f64, f64, f64)>,
    held: String,
}

/// A utility over two features, a `dict`.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Field {
    x_name: String,
    y_name: String,
    x: Vec<f64>,
    y: Vec<f64>,
    mean: Vec<f64>,
    sd: Vec<f64>,
    items: Vec<Placed>,
    note: String,
}

/// Items with intervals, the best first, as SVG text.
#[pyfunction]
pub(crate) fn draw_ranking(
    items: Vec<Ranked>,
    left_out: usize,
    utility: String,
    given: Given,
) -> PyResult<String> {
    let items = items.into_iter().map(|(name, mean, sd, compared)| RankedItem { name, mean, sd, compared });
    let ranking = Ranking { items: items.collect(), left_out, utility, zero: None };
    Ok(ranking.draw(&look(given)).map_err(of_figure)?.into_svg())
}

/// A utility along one feature with its band, and the comparisons under it, as SVG text.
#[pyfunction]
pub(crate) fn draw_utility(curve: Curve, given: Given) -> PyResult<String> {
    let Curve { feature, utility, numbers, levels, mean, sd, duels, held } = curve;
    let along = if levels.is_empty() { Along::Numbers(numbers) } else { Along::Levels(levels) };
    let duels = duels.into_iter().map(|(winner, loser, count)| Duel { winner, loser, count }).collect();
    let figure = Utility { feature, utility, along, mean, sd, duels, held };
    Ok(figure.draw(&look(given)).map_err(of_figure)?.into_svg())
}

/// A utility over two features and how sure it is, as SVG text. `x` varies fastest.
#[pyfunction]
pub(crate) fn draw_map(field: Field, given: Given) -> PyResult<String> {
    let Field { x_name, y_name, x, y, mean, sd, items, note } = field;
    let items = items.into_iter().map(|(name, x, y, compared)| MapItem { name, x, y, compared }).collect();
    let map = Map { x_name, y_name, x, y, mean, sd, items, note };
    Ok(map.draw(&look(given)).map_err(of_figure)?.into_svg())
}
