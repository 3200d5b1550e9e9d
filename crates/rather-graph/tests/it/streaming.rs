//! The streaming model is the recursive Gaussian process in closed form.

use std::sync::Arc;

use crate::common::{line, near, se};
use rather::likelihood::{Likelihood, Probit};
use rather::points::Points;
use rather::streaming::{Basis, Settings, StreamingModel};
use rather_graph::{Approximation, RecursiveGp};
use rather_numerics::random::{normal, stream, uniform};

fn grid() -> Points {
    line(&[0.0, 0.14, 0.29, 0.43, 0.57, 0.71, 0.86, 1.0])
}

/// Random items on the line, and comparisons of them by a wavy taste: winner and loser.
fn listener(items: usize, answers: usize) -> (Points, Vec<(usize, usize)>) {
    let rng = &mut stream(1, 0);
    let x: Vec<f64> = (0..items).map(|_| uniform(rng)).collect();
    let taste = |x: f64| 2.0 * (5.0 * x).sin() + x;
    let answers = (0..answers)
        .map(|_| {
            let a = (uniform(rng) * items as f64) as usize;
            let b = (a + 1 + (uniform(rng) * (items - 1) as f64) as usize) % items;
            if taste(x[a]) - taste(x[b]) + normal(rng) > 0.0 { (a, b) } else { (b, a) }
        })
        .collect();
    (line(&x), answers)
}

#[test]
fn one_pass_equals_the_factor_graph() {
    let (items, answers) = listener(20, 40);
    let kernel = se(4.0, 0.2);
    let mut model = StreamingModel::new(kernel.clone(), grid(), Settings::default()).unwrap();
    let mut gp = RecursiveGp::new(Basis::new(kernel, grid()).unwrap()).unwrap();
    let probit: Arc<dyn Likelihood> = Arc::new(Probit::comparison(Settings::default().noise));
    for &(winner, loser) in &answers {
        model.answer(&items, winner, loser).unwrap();
        gp.duel(&items, (winner, loser), probit.clone(), Approximation::Moments).unwrap();
    }
    let graph = gp.posterior(1).unwrap();
    near(&model.basis_mean(), graph.mean(), 1e-9, "mean");
    near(model.basis_covariance().data(), graph.covariance().data(), 1e-9, "covariance");
    // Three passes over the graph and as many sweeps are on the same way, and at rest in the same place.
    model.refine(60);
    let graph = gp.posterior(40).unwrap();
    near(&model.basis_mean(), graph.mean(), 1e-9, "mean at rest");
}

/// A label is a comparison with an item of known utility 0; against the graph's response node.
#[test]
fn labels_are_recursive_classification() {
    let items = line(&[0.1, 0.3, 0.5, 0.8]);
    let kernel = se(2.0, 0.3);
    let mut gp = RecursiveGp::new(Basis::new(kernel.clone(), grid()).unwrap()).unwrap();
    let mut model = StreamingModel::new(kernel, grid(), Settings::default()).unwrap();
    let probit: Arc<dyn Likelihood> = Arc::new(Probit::label(Settings::default().noise));
    for (i, positive) in [true, true, false, false, true].into_iter().enumerate() {
        gp.label(&items, i % 4, positive, probit.clone(), Approximation::Moments).unwrap();
        model.label(&items, i % 4, positive).unwrap();
    }
    let graph = gp.posterior(1).unwrap();
    near(&model.basis_mean(), graph.mean(), 1e-9, "mean");
    near(model.basis_covariance().data(), graph.covariance().data(), 1e-9, "covariance");
    let p = model.label_probabilities(&items);
    assert!(p[1] > 0.5 && p[2] < 0.5, "{p:?}");
}
