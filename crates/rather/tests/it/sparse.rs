//! Sparse precisions: the factor and the inverse's entries against dense ones, messages against both.

use std::sync::Arc;

use proptest::prelude::*;
use rather::acquisition::Acquisition;
use rather::answers::Answer;
use rather::features::{Column, ColumnValues};
use rather::inference::ep;
use rather::inference::gradient;
use rather::inference::observations::Observations;
use rather::inference::prior::{GaussianPrior, Prior, Space};
use rather::inference::sites::Sites;
use rather::inference::sparse::{Field, Limits, Neighbours, Precision, SparsePrior, graph::Graph, probe};
use rather::inference::{Factors, Outcome, Settings, Status};
use rather::learn::choice::{KernelChoice, KernelSpec};
use rather::likelihood::{Lapses, Likelihoods, Link, ResponseModel};
use rather::model::{Ep, FitSettings, Inference, Integration, Items, Model, PairEffect, SparseFit};
use rather::representation::Representation;
use rather::{Comparison, Error, Person};
use rather_numerics::linalg::sparse::SparsePattern;
use rather_numerics::linalg::{Matrix, cholesky, inverse_from_cholesky};
use rather_numerics::random::{stream, uniform};

/// `diag(d) + Laplacian`, dense.
fn dense(diagonal: &[f64], ends: &[(usize, usize)], weights: &[f64]) -> Matrix {
    let mut q = Matrix::zeros(diagonal.len(), diagonal.len());
    diagonal.iter().enumerate().for_each(|(i, d)| q[(i, i)] = *d);
    for (&(i, j), w) in ends.iter().zip(weights) {
        q[(i, i)] += w;
        q[(j, j)] += w;
        q[(i, j)] -= w;
        q[(j, i)] -= w;
    }
    q
}

/// The inverse and the log determinant.
fn dense_inverse(mut q: Matrix) -> (Matrix, f64) {
    assert!(cholesky(&mut q));
    let log_det = 2.0 * (0..q.rows()).map(|i| q[(i, i)].ln()).sum::<f64>();
    (inverse_from_cholesky(&q), log_det)
}

fn symmetric(c: &Matrix, i: usize, j: usize) -> f64 {
    c[(i.max(j), i.min(j))]
}

fn difference(c: &Matrix, i: usize, j: usize) -> f64 {
    c[(i, i)] + c[(j, j)] - 2.0 * symmetric(c, i, j)
}

/// `edges` different pairs of `nodes` nodes, by lot.
fn random_pairs(nodes: usize, edges: usize, seed: u64) -> Vec<(usize, usize)> {
    let mut rng = stream(seed, 7);
    let mut draw = || (uniform(&mut rng) * nodes as f64) as usize;
    let mut ends: Vec<(usize, usize)> = (0..edges)
        .map(|_| (draw(), draw()))
        .filter(|(i, j)| i != j)
        .map(|(i, j)| (i.min(j), i.max(j)))
        .collect();
    ends.sort_unstable();
    ends.dedup();
    ends
}

fn grid(side: usize) -> Vec<(usize, usize)> {
    let right = (0..side * side).filter(|i| i % side + 1 < side).map(|i| (i, i + 1));
    sorted(right.chain((0..side * (side - 1)).map(|i| (i, i + side))).collect())
}

/// Edges of a graph are in increasing order.
fn sorted(mut ends: Vec<(usize, usize)>) -> Vec<(usize, usize)> {
    ends.sort_unstable();
    ends
}

/// The same in 32 bits.
fn narrow(ends: &[(usize, usize)]) -> Vec<(u32, u32)> {
    ends.iter().map(|&(i, j)| (i as u32, j as u32)).collect()
}

/// A tree: every node but the first hangs on an earlier one.
fn tree(nodes: usize, seed: u64) -> Vec<(usize, usize)> {
    let mut rng = stream(seed, 3);
    sorted((1..nodes).map(|i| ((uniform(&mut rng) * i as f64) as usize, i)).collect())
}

fn numbers(n: usize, low: f64, high: f64, seed: u64) -> Vec<f64> {
    let mut rng = stream(seed, 11);
    (0..n).map(|_| low * (high / low).powf(uniform(&mut rng))).collect()
}

/// Relative closeness.
fn near(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance * a.abs().max(b.abs()).max(1e-300)
}

#[test]
fn factor_and_selected_inverse_equal_dense_ones() {
    let star: Vec<(usize, usize)> = (1..60).map(|i| (0, i)).collect();
    let clique: Vec<(usize, usize)> = (0..30).flat_map(|i| (0..i).map(move |j| (j, i))).collect();
    let chain: Vec<(usize, usize)> = (1..200).map(|i| (i - 1, i)).collect();
    let cases = [
        (1, Vec::new()),
        (5, Vec::new()),
        (60, star),
        (30, clique),
        (200, chain),
        (12 * 12, grid(12)),
        (120, random_pairs(120, 180, 1)),
        (90, random_pairs(90, 900, 2)),
        (150, random_pairs(150, 60, 3)),
        (150, tree(150, 4)),
    ];
    for (nodes, ends) in cases {
        let (d, w) = (numbers(nodes, 0.01, 1.0, 5), numbers(ends.len(), 0.1, 10.0, 6));
        let pattern = Arc::new(SparsePattern::new(nodes, &narrow(&ends)).unwrap());
        let factor = pattern.factorise(&d, &w).unwrap();
        let (inverse, log_det) = dense_inverse(dense(&d, &ends, &w));
        let selected = factor.selected_inverse();
        // The condition number is at most 1e5, so twelve digits less five, and a margin of a thousand.
        assert!((factor.log_det() - log_det).abs() < 1e-9 * (1.0 + log_det.abs()));
        (0..nodes).for_each(|i| assert!(near(selected.diagonal[i], inverse[(i, i)], 1e-9)));
        let pairs: Vec<(usize, usize)> = (0..nodes).map(|i| (i, (i * 7 + 3) % nodes)).collect();
        let between = factor.difference_variances(&pairs);
        for (&(i, j), &v) in pairs.iter().zip(&between).filter(|((i, j), _)| i != j) {
            assert!(near(v, difference(&inverse, i, j), 1e-8), "{v} {}", difference(&inverse, i, j));
        }
        for (&(i, j), &c) in ends.iter().zip(&selected.between) {
            assert!((c - symmetric(&inverse, i, j)).abs() < 1e-9 * inverse[(i, i)].max(inverse[(j, j)]));
        }
        let mut x = Matrix::from_fn(nodes, 2, |i, j| if i == j % nodes { 1.0 } else { 0.0 });
        factor.solve(&mut x);
        (0..nodes)
            .for_each(|i| assert!((x[(i, 0)] - symmetric(&inverse, i, 0)).abs() < 1e-9 * inverse[(0, 0)]));
    }
}

/// Expectation propagation as far as it goes.
const FAR: Settings =
    Settings { tolerance: 1e-11, sweeps: 400, sequential_sweeps: 0, factors: Factors::Pair };

fn run(prior: &dyn GaussianPrior, observations: &Observations, noise: f64) -> Outcome {
    let start = Sites::empty(observations.merged.len());
    ep::run(prior, &observations.merged, &Likelihoods::new(noise), start, &FAR).unwrap()
}

fn field(observations: &Observations, neighbours: &[Neighbours], limits: &Limits) -> Field {
    Field::new(observations.items.len(), &observations.edges, neighbours, limits).unwrap()
}

/// Comparisons along the edges, a third of them against the numbers' order.
fn comparisons(ends: &[(usize, usize)], seed: u64) -> Vec<Comparison> {
    let mut rng = stream(seed, 5);
    let mut one = |&(i, j): &(usize, usize)| {
        let (winner, loser) = if uniform(&mut rng) < 0.3 { (j, i) } else { (i, j) };
        Comparison { winner, loser, count: 1.0 + (3.0 * uniform(&mut rng)).floor() }
    };
    ends.iter().map(&mut one).collect()
}

/// The same prior over items, whole.
fn whole(covariance: Matrix, observations: &Observations) -> Prior {
    Prior::new(covariance, &observations.edges, Space::Items).unwrap()
}

fn white(n: usize, variance: f64) -> Matrix {
    Matrix::from_fn(n, n, |i, j| if i == j { variance } else { 0.0 })
}

/// Everything that inference says, against the whole covariance. The fixpoints are found to 1e-11 each.
fn agree(sparse: &Outcome, whole: &Outcome, tolerance: f64) {
    assert!(
        near(sparse.log_evidence, whole.log_evidence, tolerance),
        "{} {}",
        sparse.log_evidence,
        whole.log_evidence
    );
    assert!(
        (sparse.d_log_noise() - whole.d_log_noise()).abs() < tolerance * (1.0 + whole.d_log_noise().abs())
    );
    for (a, b) in sparse.posterior.mean.iter().zip(&whole.posterior.mean) {
        assert!((a - b).abs() < tolerance * (1.0 + b.abs()), "{a} {b}");
    }
    for (a, b) in sparse.posterior.variance.iter().zip(&whole.posterior.variance) {
        assert!(near(*a, *b, tolerance), "{a} {b}");
    }
}

#[test]
fn inference_equals_that_of_the_whole_covariance() {
    for (nodes, ends) in [(40, random_pairs(40, 90, 1)), (49, grid(7)), (30, tree(30, 2)), (2, vec![(0, 1)])]
    {
        let observations = Observations::new(&comparisons(&ends, 9));
        let n = observations.items.len();
        assert!(n <= nodes);
        let (variance, noise) = (3.0, 0.8);
        let prior = field(&observations, &[], &Limits::default()).prior(variance, 0.0).unwrap();
        let outcome = run(&prior, &observations, noise);
        assert_eq!(outcome.status, Status::Converged);
        let dense = whole(white(n, variance), &observations);
        let reference = run(&dense, &observations, noise);
        agree(&outcome, &reference, 1e-8);
        let ours = prior.gradient(&outcome.posterior).unwrap().log_variance;
        let (g, _) = gradient::in_covariance(dense, &observations.merged, reference);
        let theirs = variance * (0..n).map(|i| g[(i, i)]).sum::<f64>();
        assert!((ours - theirs).abs() < 1e-8 * (1.0 + theirs.abs()), "{ours} {theirs}");
    }
}

/// A grid of neighbours, whose utilities are compared across it.
fn on_a_grid() -> (Observations, Vec<Neighbours>) {
    let across: Vec<(usize, usize)> = random_pairs(36, 60, 4);
    let all: Vec<(usize, usize)> =
        (1..36).map(|i| (0, i)).chain(across.into_iter().filter(|e| e.0 > 0)).collect();
    let observations = Observations::new(&comparisons(&all, 3));
    let neighbours = grid(6).into_iter().zip(numbers(60, 0.5, 2.0, 8));
    (observations, neighbours.map(|((one, other), weight)| Neighbours { one, other, weight }).collect())
}

#[test]
fn neighbours_are_a_covariance_like_any_other() {
    let (observations, neighbours) = on_a_grid();
    let (variance, coupling, noise) = (5.0, 0.7, 1.0);
    let ends: Vec<(usize, usize)> = neighbours.iter().map(|n| (n.one, n.other)).collect();
    let weights: Vec<f64> = neighbours.iter().map(|n| coupling * n.weight / variance).collect();
    let (covariance, _) = dense_inverse(dense(&[1.0 / variance; 36], &ends, &weights));
    let prior = field(&observations, &neighbours, &Limits::default()).prior(variance, coupling).unwrap();
    let reference = run(&whole(covariance, &observations), &observations, noise);
    agree(&run(&prior, &observations, noise), &reference, 1e-8);
}

/// The gradient against central differences: their error is about 1e-10 / 1e-4 from the evidence's rounding and 1e-8 from the step.
fn gradient_is_that_of_the_evidence(limits: &Limits) {
    let (observations, neighbours) = on_a_grid();
    let field = field(&observations, &neighbours, limits);
    let at = |log_variance: f64, log_coupling: f64| -> (SparsePrior, Outcome) {
        let prior = field.prior(log_variance.exp(), log_coupling.exp()).unwrap();
        let outcome = run(&prior, &observations, 1.0);
        (prior, outcome)
    };
    let (x, y, h) = (1.2, -0.4, 1e-4);
    let (prior, outcome) = at(x, y);
    let gradient = prior.gradient(&outcome.posterior).unwrap();
    let evidence = |x, y| at(x, y).1.log_evidence;
    let in_variance = (evidence(x + h, y) - evidence(x - h, y)) / (2.0 * h);
    let in_coupling = (evidence(x, y + h) - evidence(x, y - h)) / (2.0 * h);
    assert!((gradient.log_variance - in_variance).abs() < 1e-5, "{gradient:?} {in_variance}");
    assert!((gradient.log_coupling - in_coupling).abs() < 1e-5, "{gradient:?} {in_coupling}");
}

#[test]
fn the_gradient_is_that_of_the_exact_evidence() {
    gradient_is_that_of_the_evidence(&Limits::default());
}

#[test]
fn the_gradient_is_that_of_the_bethe_evidence() {
    gradient_is_that_of_the_evidence(&Limits::MESSAGES);
}

fn precision(nodes: usize, ends: &[(usize, usize)], d: &[f64], w: &[f64], limits: &Limits) -> Precision {
    let graph = Arc::new(Graph::new(nodes, narrow(ends), limits).unwrap());
    Precision::new(&graph, d.to_vec(), w.to_vec(), None).unwrap()
}

/// Largest relative errors of the variances of nodes and along edges, and the error of the log determinant a node.
fn errors_of_messages(nodes: usize, ends: &[(usize, usize)], d: &[f64], w: &[f64]) -> [f64; 3] {
    let [exact, near] =
        [Limits { work: 1e12, bytes: 1 << 30 }, Limits::MESSAGES].map(|l| precision(nodes, ends, d, w, &l));
    assert!(exact.graph().is_exact() && !near.graph().is_exact());
    let largest =
        |a: Vec<f64>, b: Vec<f64>| a.iter().zip(&b).map(|(a, b)| (a / b - 1.0).abs()).fold(0.0, f64::max);
    [
        largest(near.node_variances(), exact.node_variances()),
        largest(near.edge_variances(), exact.edge_variances()),
        (near.log_det() - exact.log_det()).abs() / nodes as f64,
    ]
}

#[test]
fn messages_are_exact_on_trees() {
    let star: Vec<(usize, usize)> = (1..300).map(|i| (0, i)).collect();
    let chain: Vec<(usize, usize)> = (1..300).map(|i| (i - 1, i)).collect();
    let mut forest = tree(300, 6);
    forest.retain(|(_, i)| i % 5 > 0);
    for ends in [star, chain, tree(300, 5), forest, Vec::new()] {
        let errors =
            errors_of_messages(300, &ends, &numbers(300, 0.01, 1.0, 1), &numbers(ends.len(), 0.1, 10.0, 2));
        // Messages settle to 1e-12, and a factor loses at most the condition number, 1e5.
        assert!(errors.iter().all(|&e| e < 1e-9), "{errors:?}");
    }
}

#[test]
fn errors_of_messages_fall_with_the_degree() {
    // As after ten comparisons an edge's worth of information: d = 1 / variance = 0.1, sites of about 0.3.
    let d = vec![0.1; 2000];
    let mut errors = Vec::new();
    for degree in [3, 10, 20] {
        let ends = random_pairs(2000, 1000 * degree, 3);
        errors.push(errors_of_messages(2000, &ends, &d, &vec![0.3; ends.len()]));
    }
    let lattice = grid(44);
    errors.push(errors_of_messages(1936, &lattice, &d[..1936], &vec![0.3; lattice.len()]));
    println!("degree 3, 10, 20, grid: [items, differences, log determinant a node] {errors:?}");
    // Of differences, the less one edge of many says, the smaller the error.
    assert!(errors[0][1] > errors[1][1] && errors[1][1] > errors[2][1]);
    // On a random graph messages miss the variance that all items have in common, 1 / (d n) = 0.005 of about 0.17, and little else.
    assert!(errors[2][0] < 0.06 && errors[2][1] < 0.01);
    // A lattice, all short loops, is the worst case for the items.
    assert!(errors[..3].iter().all(|e| e[0] < errors[3][0]));
    assert!(errors.iter().all(|e| e[0] < 0.25 && e[1] < 0.12));
}

#[test]
fn a_probe_looks_at_no_more_than_it_needs() {
    let ends = grid(20);
    let (d, w) = (vec![0.1; 400], vec![0.3; ends.len()]);
    let of = |limits: &Limits, allowed: f64| {
        probe::probe(&precision(400, &ends, &d, &w, limits), 64, allowed, 1).unwrap()
    };
    let all = of(&Limits::MESSAGES, 2.0 * of(&Limits::MESSAGES, f64::INFINITY).largest);
    assert!(all.pairs > 60 && all.largest > 0.02, "{all:?}");
    // Far from good enough, and far better.
    assert!(of(&Limits::MESSAGES, 1e-6).pairs <= 2);
    assert_eq!(of(&Limits::MESSAGES, 1e3).pairs, 16);
    // Of two nodes that are not joined a probe compares with the sum of their variances, of an edge with its own: along those the factor is exact.
    let edges = precision(400, &ends, &d, &w, &Limits::default());
    let along: Vec<(usize, usize)> = ends.clone();
    let exact = edges.difference_variances(&along).unwrap();
    assert!(edges.edge_variances().iter().zip(&exact).all(|(a, b)| near(*a, *b, 1e-9)));
}

/// Many pairs go by columns of the inverse, few by paths of the factor.
#[test]
fn differences_of_many_pairs_are_those_of_few() {
    let ends = random_pairs(90, 300, 2);
    let (d, w) = (numbers(90, 0.01, 1.0, 5), numbers(ends.len(), 0.1, 10.0, 6));
    let q = precision(90, &ends, &d, &w, &Limits::default());
    let all: Vec<(usize, usize)> = (0..90).flat_map(|i| (0..90).map(move |j| (j, i))).collect();
    let many = q.difference_variances(&all).unwrap();
    for (pair, many) in all.iter().zip(many) {
        let few = q.difference_variances(&[*pair]).unwrap()[0];
        // The larger variances of the two nodes cancel.
        assert!((many - few).abs() < 1e-10, "{pair:?} {many} {few}");
    }
}

/// Graphs at the edge: each must be solved both ways.
#[test]
fn extreme_graphs_converge() {
    let said = |winner, loser, count| Comparison { winner, loser, count };
    let cases = [
        ("one", vec![said(0, 1, 1.0)]),
        ("a million of one pair", vec![said(0, 1, 1_000_000.0)]),
        ("contradictory", vec![said(0, 1, 500_000.0), said(1, 0, 500_000.0)]),
        ("two groups", vec![said(0, 1, 1.0), said(2, 3, 2.0), said(3, 2, 1.0)]),
        ("a cycle", vec![said(0, 1, 3.0), said(1, 2, 3.0), said(2, 0, 3.0)]),
        ("a star", (1..500).map(|i| said(0, i, 1.0)).collect()),
        ("a clique", (0..40).flat_map(|i| (0..i).map(move |j| said(j, i, 1.0))).collect()),
    ];
    for (name, comparisons) in cases {
        let observations = Observations::new(&comparisons);
        for (limits, tolerance) in [(Limits::default(), 1e-6), (Limits::MESSAGES, 1e-6)] {
            let prior = field(&observations, &[], &limits).prior(10.0, 0.0).unwrap();
            let start = Sites::empty(observations.merged.len());
            let settings = Settings { tolerance, ..Settings::default() };
            let outcome =
                ep::run(&prior, &observations.merged, &Likelihoods::new(1.0), start, &settings).unwrap();
            assert_eq!(outcome.status, Status::Converged, "{name} {limits:?} {}", outcome.residual);
            assert!(outcome.log_evidence.is_finite() && outcome.log_evidence < 0.0, "{name}");
            assert!(outcome.posterior.variance.iter().all(|v| *v > 0.0 && *v < 20.0), "{name}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_comparisons_any_neighbours(
        pairs in prop::collection::vec((0..12usize, 0..12usize, 1..5u32), 1..30),
        alike in prop::collection::vec((0..12usize, 0..12usize, 0.1..3.0f64), 0..12),
        (log_variance, log_coupling, log_noise) in (-1.5..2.0f64, -2.0..1.0f64, -0.5..1.0f64),
    ) {
        let said: Vec<Comparison> = pairs
            .into_iter()
            .filter(|(a, b, _)| a != b)
            .map(|(winner, loser, count)| Comparison { winner, loser, count: count.into() })
            .collect();
        prop_assume!(!said.is_empty());
        let observations = Observations::new(&said);
        let n = observations.items.len();
        let neighbours: Vec<Neighbours> = alike
            .into_iter()
            .filter(|&(a, b, _)| a % n != b % n)
            .map(|(a, b, weight)| Neighbours { one: a % n, other: b % n, weight })
            .collect();
        let (variance, coupling, noise) = (log_variance.exp(), log_coupling.exp(), log_noise.exp());
        let ends: Vec<(usize, usize)> = neighbours.iter().map(|n| (n.one, n.other)).collect();
        let weights: Vec<f64> = neighbours.iter().map(|n| coupling * n.weight / variance).collect();
        let (covariance, _) = dense_inverse(dense(&vec![1.0 / variance; n], &ends, &weights));
        let prior = field(&observations, &neighbours, &Limits::default()).prior(variance, coupling).unwrap();
        let outcome = run(&prior, &observations, noise);
        agree(&outcome, &run(&whole(covariance, &observations), &observations, noise), 1e-7);
        // By messages the means are those of the sites they found, and all is within the prior.
        let near = field(&observations, &neighbours, &Limits::MESSAGES).prior(variance, coupling).unwrap();
        let near = run(&near, &observations, noise);
        prop_assert!(near.residual < 1e-8 && near.log_evidence.is_finite());
        prop_assert!(near.posterior.variance.iter().all(|v| *v > 0.0 && *v <= 2.0 * variance * (1.0 + 1e-9)));
    }
}

fn items(n: usize) -> Items {
    Items { keys: (0..n).map(|i| format!("item {i}")).collect(), columns: Vec::new() }
}

fn fit(n: usize, said: &[Comparison], representation: Representation) -> Model {
    fit_with(n, said, representation, &[])
}

fn fit_with(n: usize, said: &[Comparison], representation: Representation, fixed: &[(&str, f64)]) -> Model {
    fit_to(Settings::default(), n, said, representation, fixed)
}

fn fit_to(
    convergence: Settings,
    n: usize,
    said: &[Comparison],
    representation: Representation,
    fixed: &[(&str, f64)],
) -> Model {
    // A sparse precision knows no random effects of pairs.
    let (pair_effect, integration) = (PairEffect::Off, Integration::Off);
    let settings = FitSettings {
        inference: Inference::Ep(Ep {
            representation,
            pair_effect,
            integration,
            convergence,
            ..Ep::default()
        }),
        fixed: fixed.iter().map(|&(name, value)| (name.to_owned(), value)).collect(),
        ..FitSettings::default()
    };
    Model::fit(&items(n), said, &settings, &|_| ()).unwrap()
}

#[test]
fn a_model_says_the_same_as_with_the_whole_covariance() {
    // The last three items were never compared.
    let said = comparisons(&random_pairs(40, 120, 2), 7);
    let [sparse, whole] = [Representation::Sparse, Representation::Full].map(|r| fit(43, &said, r));
    assert!(matches!(sparse.report().sparse, Some(SparseFit::Factor { .. })));
    // The same climb from the same start, so the same end but for the tolerance of inference, 1e-4 while learning.
    let [ours, theirs] = [&sparse, &whole].map(|m| m.reported_hyperparameters()[0].1);
    assert!(near(ours, theirs, 1e-4), "{ours} {theirs}");
    // Means and variances follow the variance that was learned.
    assert!((sparse.report().log_evidence - whole.report().log_evidence).abs() < 1e-4);
    let [a, b] = [&sparse, &whole].map(|m| m.utilities(m.points()));
    assert!(a.mean.iter().zip(&b.mean).all(|(a, b)| (a - b).abs() < 1e-3));
    assert!(a.variance.iter().zip(&b.variance).all(|(a, b)| near(*a, *b, 1e-3)));
    let pairs: Vec<(usize, usize)> = (0..43).map(|i| (i, (i + 5) % 43)).chain([(7, 7)]).collect();
    let [a, b] = [&sparse, &whole].map(|m| m.probabilities(m.points(), &pairs));
    assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-4));
    let again = Model::from_parts(sparse.to_parts()).unwrap();
    assert_eq!(again.probabilities(again.points(), &pairs), sparse.probabilities(sparse.points(), &pairs));
}

/// The factor has the covariance of all items, those never compared and those asked for twice included, so `suggest` has its scores.
#[test]
fn a_factor_has_the_covariance_of_all_items() {
    let said = comparisons(&random_pairs(40, 120, 2), 7);
    let [sparse, whole] =
        [Representation::Sparse, Representation::Full].map(|r| fit_with(43, &said, r, &[("variance", 2.0)]));
    let points = whole.points().select(&(0..43).chain([3, 42]).collect::<Vec<_>>());
    let [a, b] = [&sparse, &whole].map(|model| model.belief().joint(&points).unwrap());
    // Inference ends at 1e-8.
    let apart = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(apart(&a.mean, &b.mean) < 1e-6 && apart(a.covariance.data(), b.covariance.data()) < 1e-6);
    let pairs: Vec<(usize, usize)> = (0..43).flat_map(|i| (0..i).map(move |j| (i, j))).collect();
    for acquisition in ["bald", "eubo", "thompson", "max-value-entropy"] {
        let acquisition: Acquisition = acquisition.parse().unwrap();
        let scores =
            |model: &Model| Person::Single(model).scores(model.points(), acquisition, &pairs, 0).unwrap();
        assert!(apart(&scores(&sparse), &scores(&whole)) < 1e-5, "{acquisition}");
    }
}

/// Of 1,200 names with 15,000 random pairs the factor is nearly dense: messages, which are as accurate, take its place.
#[test]
fn an_expensive_factor_gives_way_to_messages_that_are_as_accurate() {
    let said = comparisons(&random_pairs(1_200, 15_000, 4), 11);
    let [sparse, whole] = [Representation::Sparse, Representation::Full]
        .map(|r| fit_with(1_200, &said, r, &[("variance", 2.0)]));
    assert!(
        matches!(sparse.report().sparse, Some(SparseFit::Messages { .. })),
        "{:?}",
        sparse.report().sparse
    );
    let others = (0..1_200).map(|i| (i, (i * 7 + 1) % 1_200)).filter(|(a, b)| a != b);
    let pairs: Vec<(usize, usize)> =
        said.iter().map(|c| (c.winner, c.loser)).take(1_000).chain(others).collect();
    let [a, b] = [&sparse, &whole].map(|model| model.probabilities(model.points(), &pairs));
    // An error of 3 % of a variance is one of at most .004.
    assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 0.004));

    // Who asks for more than by default has the factor.
    let more = Settings { tolerance: 1e-9, ..Settings::default() };
    let exact = fit_to(more, 1_200, &said, Representation::Sparse, &[("variance", 2.0)]);
    assert!(matches!(exact.report().sparse, Some(SparseFit::Factor { .. })), "{:?}", exact.report().sparse);
    let c = exact.probabilities(exact.points(), &pairs);
    // The noise is learned, to where the evidence hardly rises.
    assert!(c.iter().zip(&b).all(|(c, b)| (c - b).abs() < 5e-4));
}

/// The pattern of a factor is not looked for where messages are known to be accurate.
#[test]
fn messages_come_first_among_many_names() {
    let said = comparisons(&random_pairs(40_000, 170_000, 4), 11);
    let model = fit_with(40_000, &said, Representation::Sparse, &[("variance", 2.0)]);
    match &model.report().sparse {
        Some(SparseFit::Messages { entries: 0, differences: Some(probe) }) => {
            assert!(probe.pairs >= 16 && probe.largest < 0.02, "{probe:?}");
        }
        other => panic!("{other:?}"),
    }
}

/// What messages leave out is measured: around a ring, and between nodes that are not joined. An edge of a tree is exact.
#[test]
fn errors_of_differences_are_measured() {
    let error = |ends: &[(u32, u32)], nodes: usize| {
        let graph = Arc::new(Graph::new(nodes, ends.to_vec(), &Limits::MESSAGES).unwrap());
        let weights = vec![5.0; ends.len()];
        let precision = Precision::new(&graph, vec![0.1; nodes], weights.clone(), None).unwrap();
        let all: Vec<(usize, usize)> = (0..nodes).flat_map(|i| (0..i).map(move |j| (j, i))).collect();
        let ends: Vec<(usize, usize)> = ends.iter().map(|&(i, j)| (i as usize, j as usize)).collect();
        let (exact, _) = dense_inverse(dense(&vec![0.1; nodes], &ends, &weights));
        let along = precision.edge_variances();
        let variances = precision.node_variances();
        let of = |&(i, j): &(usize, usize)| {
            let near = graph.edge(i, j).map_or(variances[i] + variances[j], |e| along[e]);
            (near / difference(&exact, i, j) - 1.0).abs()
        };
        // So many are drawn that none is missed.
        let probed = probe::probe(&precision, 500, 2.0, 0).unwrap().largest;
        (probed, all.iter().map(of).fold(0.0, f64::max))
    };
    for (ends, nodes) in [(&[(0, 1), (0, 3), (1, 2), (2, 3)][..], 4), (&[(0, 1), (1, 2)][..], 3)] {
        let (probed, largest) = error(ends, nodes);
        assert!(near(probed, largest, 1e-5) && largest > 0.02, "{probed} {largest}");
    }
    let (probed, _) = error(&[(0, 1)], 2);
    assert!(probed < 1e-6, "{probed}");
}

#[test]
fn what_a_sparse_model_cannot_say_is_an_error() {
    let said = [Comparison { winner: 0, loser: 1, count: 1.0 }];
    let model = fit(3, &said, Representation::Sparse);
    assert_eq!(model.posterior().err(), Some(rather::Unsupported::SparseCovariance.into()));
    assert_eq!(
        model.sharp_probabilities(model.points(), &[(0, 1)]).err(),
        Some(rather::Unsupported::SparseCovariance.into())
    );
    let settings = FitSettings {
        inference: Inference::Ep(Ep { representation: Representation::Sparse, ..Ep::default() }),
        ..FitSettings::default()
    };
    let lapses = ResponseModel { lapses: Lapses::Rate(0.1), ..ResponseModel::default() };
    let lapses = FitSettings { response_model: lapses, ..settings.clone() };
    assert!(matches!(Model::fit(&items(3), &said, &lapses, &|_| ()).err(), Some(Error::Unsupported(_))));
    let spec = KernelSpec { expression: "se".into(), ard: false };
    let other = FitSettings { kernel: KernelChoice::Given(spec), ..settings };
    let price = Column { name: "price".into(), values: ColumnValues::Numeric(vec![1.0, 2.0, 4.0]) };
    let priced = Items { columns: vec![price], ..items(3) };
    assert!(matches!(Model::fit(&priced, &said, &other, &|_| ()).err(), Some(Error::Unsupported(_))));
}

/// Half the threads, the same bits.
#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let ends = random_pairs(20_000, 60_000, 1);
    let (d, w) = (numbers(20_000, 0.1, 1.0, 1), numbers(ends.len(), 0.1, 1.0, 2));
    let pull = numbers(20_000, 0.1, 1.0, 3);
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let q = precision(20_000, &ends, &d, &w, &Limits::MESSAGES);
            (q.log_det(), q.solve(&pull), q.node_variances(), q.edge_variances())
        })
    };
    assert_eq!(on(1), on(3));
}

/// Answers of every kind about names: by the sparse factor as by the full covariance.
#[test]
fn answers_of_every_kind_are_as_with_the_full_covariance() {
    let names = Items { keys: (0..9).map(|i| format!("i{i}")).collect(), columns: Vec::new() };
    let answers: Vec<Answer> = (0..40_usize)
        .map(|k| {
            let (a, b) = (k % 9, (k + 1 + k / 9) % 9);
            let (better, worse) = if (a > b) != (k % 5 == 0) { (a, b) } else { (b, a) };
            match k % 4 {
                0 => Answer::tie(a, b).shown_left(a),
                1 => Answer::better(better, worse, 1 + (k / 4 % 2) as u8).shown_left(b),
                2 => Answer::rated(a, (a / 3) as u16),
                _ => Answer::labelled(b, b > 4),
            }
        })
        .collect();
    let response_model = ResponseModel { bias: true, link: Link::Logistic, ..ResponseModel::default() };
    let kernel = KernelChoice::Given(KernelSpec { expression: "white".into(), ard: false });
    let of = |representation| {
        let ep = Ep { representation, integration: Integration::Off, ..Ep::default() };
        let settings = FitSettings {
            inference: Inference::Ep(ep),
            kernel: kernel.clone(),
            response_model,
            ..FitSettings::default()
        };
        Model::fit_answers(&names, &answers, &[], &settings, &|_| ()).unwrap()
    };
    let [full, sparse] = [Representation::Full, Representation::Sparse].map(of);
    assert!(sparse.report().sparse.is_some());
    // Both stop where steps no longer change the evidence noticeably.
    let [a, b] = [&full, &sparse].map(|model| model.report().log_evidence);
    assert!((a - b).abs() < 1e-4, "{a} and {b}");
    let pairs = [(0, 8), (3, 4), (7, 2)];
    let close = |a: f64, b: f64| assert!((a - b).abs() < 2e-3, "{a} and {b}");
    for (a, b) in full.outcomes(full.points(), &pairs).iter().zip(sparse.outcomes(sparse.points(), &pairs)) {
        assert!(a.len() == 5 && b.len() == 5);
        a.iter().zip(&b).for_each(|((name, p), (other, q))| {
            assert_eq!(name, other);
            close(*p, *q);
        });
    }
    for (a, b) in full.ratings(full.points()).iter().zip(sparse.ratings(sparse.points())) {
        a.iter().zip(&b).for_each(|(p, q)| close(*p, *q));
    }
}
