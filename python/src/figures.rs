//! Figures of models and of plain numbers, and the numbers in them.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use rather::Person;
use rather_plot::{
    Along, ChoiceMap, ChoiceMatrix, Duel, Error, Figure, Look, Map, MapItem, RankedItem, Ranking, Utility,
    from_model,
};

use crate::errors::of_figure;
use crate::fit;
use crate::model::Model;

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

/// What a figure of a model shows.
pub(crate) enum Shown {
    Ranking(Ranking),
    Choices(ChoiceMatrix),
    Utility(Utility),
    ChoiceMap(ChoiceMap),
    Map(Map),
}

/// The figure called `kind`: `ranking` or `choices` of the `top` best items, `utility` or `choice-map` along one feature, `map` over two. Of one of
/// many users the ranking alone.
pub(crate) fn of(
    person: &Person<'_>,
    kind: &str,
    features: &[String],
    top: Option<usize>,
) -> Result<Shown, Error> {
    let feature = |i: usize| features.get(i).map_or("", String::as_str);
    let ranking = || Ok(Shown::Ranking(from_model::ranking(person, top.unwrap_or(60))));
    let Person::Single(model) = *person else { return ranking() };
    match kind {
        "choices" => Ok(Shown::Choices(from_model::choices(model, top.unwrap_or(40)))),
        "choice-map" => from_model::choice_map(model, feature(0)).map(Shown::ChoiceMap),
        "utility" => from_model::utility(model, feature(0)).map(Shown::Utility),
        "map" => from_model::map(model, feature(0), feature(1)).map(Shown::Map),
        _ => ranking(),
    }
}

impl Shown {
    pub(crate) fn draw(&self, look: &Look) -> Result<Figure, Error> {
        match self {
            Self::Ranking(figure) => figure.draw(look),
            Self::Choices(figure) => figure.draw(look),
            Self::Utility(figure) => figure.draw(look),
            Self::ChoiceMap(figure) => figure.draw(look),
            Self::Map(figure) => figure.draw(look),
        }
    }
}

/// The numbers that a figure of a model shows, by name.
#[pyfunction]
#[pyo3(signature = (model, kind, features, top=None))]
pub(crate) fn figure_data<'py>(
    py: Python<'py>,
    model: &Model,
    kind: &str,
    features: Vec<String>,
    top: Option<usize>,
) -> PyResult<Bound<'py, PyDict>> {
    let person = model.person()?;
    let shown = fit::run(py, None, || of(&person, kind, &features, top))?.map_err(of_figure)?;
    let out = PyDict::new(py);
    match shown {
        Shown::Ranking(Ranking { items, utility, .. }) => {
            out.set_item("names", items.iter().map(|item| item.name.as_str()).collect::<Vec<_>>())?;
            out.set_item("mean", items.iter().map(|item| item.mean).collect::<Vec<_>>())?;
            out.set_item("sd", items.iter().map(|item| item.sd).collect::<Vec<_>>())?;
            out.set_item("utility", utility)?;
        }
        Shown::Choices(ChoiceMatrix { names, probabilities, .. }) => {
            out.set_item("names", names)?;
            out.set_item("probabilities", probabilities)?;
        }
        Shown::Utility(Utility { feature, utility, along, mean, sd, .. }) => {
            let (numbers, levels) = match along {
                Along::Numbers(numbers) => (numbers, Vec::new()),
                Along::Levels(levels) => (Vec::new(), levels),
            };
            out.set_item("feature", feature)?;
            out.set_item("utility", utility)?;
            out.set_item("numbers", numbers)?;
            out.set_item("levels", levels)?;
            out.set_item("mean", mean)?;
            out.set_item("sd", sd)?;
        }
        Shown::ChoiceMap(ChoiceMap { feature, values, probabilities, .. }) => {
            out.set_item("feature", feature)?;
            out.set_item("values", values)?;
            out.set_item("probabilities", probabilities)?;
        }
        Shown::Map(Map { x_name, y_name, x, y, mean, sd, .. }) => {
            out.set_item("x_name", x_name)?;
            out.set_item("y_name", y_name)?;
            out.set_item("x", x)?;
            out.set_item("y", y)?;
            out.set_item("mean", mean)?;
            out.set_item("sd", sd)?;
        }
    }
    Ok(out)
}

/// A drawing in SVG as a PNG file, `scale` pixels for every unit of it.
#[pyfunction]
pub(crate) fn png<'py>(py: Python<'py>, svg: String, scale: f64) -> PyResult<Bound<'py, PyBytes>> {
    let drawn = fit::run(py, None, || rather_plot::to_png(&svg, scale))?.map_err(of_figure)?;
    Ok(PyBytes::new(py, &drawn))
}
