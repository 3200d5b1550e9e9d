//! The thesis' factor graphs, drawn from the graphs that run: figures 5, 8, 11, 12 and 13.

use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
use rather::likelihood::Probit;
use rather::points::Points;
use rather::streaming::Basis;
use rather_graph::{
    Approximation, Composite, LinearGaussian, Moment, RecursiveGp, Schedule, Scores, experiment_design,
    gp_prediction, kalman_section,
};
use rather_numerics::linalg::Matrix;
use rather_plot::{FactorGraph, Look};

use super::figures::save;
use super::world::{NOISE, grid, se};

pub(super) fn draw(folder: &Path) -> Result<()> {
    let basis = Basis::new(se(1, 4.0, 0.25), grid(1, 5))?;
    let items = grid(1, 9);
    let at = items.select(&[3]);

    let one = |x: f64| Matrix::from_fn(1, 1, |_, _| x);
    let model = LinearGaussian::new(one(1.0), one(1.0), one(1.0), one(0.1), one(0.5))?;
    inside(
        folder,
        "graph-05.svg",
        "Figure 5: a section of the Kalman filter",
        &kalman_section("Kalman", &model)?,
        1,
    )?;

    let prediction = gp_prediction("GPP", basis.weights(&at), basis.residual(&at))?;
    inside(folder, "graph-08.svg", "Figure 8: prediction by a Gaussian process", &prediction, 1)?;

    let mut regression = RecursiveGp::new(basis.clone())?;
    regression.value(&items, 3, 0.4, 0.01)?;
    chain(folder, "graph-11.svg", "Figure 11: recursive regression", &regression)?;

    let mut learning = RecursiveGp::new(basis.clone())?;
    for duel in [(3, 0), (3, 7)] {
        learning.duel(&items, duel, Arc::new(Probit::comparison(NOISE)), Approximation::Moments)?;
    }
    chain(folder, "graph-12.svg", "Figure 12: recursive preference learning, two answers", &learning)?;

    let scores = Scores::new("AL", items.len(), |values: &Moment| values.mean().to_vec());
    let settings: Points = items.clone();
    let parts = (basis.weights(&items), basis.residual(&items));
    let design = experiment_design("ED", parts, scores, settings)?;
    inside(folder, "graph-13.svg", "Figure 13: experiment design", &design, 1)
}

/// What is in a composite node, with the messages towards one of its outside edges.
fn inside(folder: &Path, name: &str, title: &str, node: &Composite, port: usize) -> Result<()> {
    let towards = Schedule::forward(node.graph(), node.outside()[port])?;
    let drawn = FactorGraph::new(&format!("Schoonderbeek, {title}"), node.graph(), &towards);
    save(folder, name, &drawn.draw(&Look::default())?)
}

fn chain(folder: &Path, name: &str, title: &str, gp: &RecursiveGp) -> Result<()> {
    let forward = Schedule::forward(gp.graph(), gp.state())?;
    let drawn = FactorGraph::new(&format!("Schoonderbeek, {title}"), gp.graph(), &forward);
    save(folder, name, &drawn.draw(&Look::default())?)
}
