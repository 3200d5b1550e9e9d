//! Missing values of features: predictions about as good as those of logistic regression on features that were filled with the mean, and the same in
//! the file.

use crate::folder::Folder;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rather::Comparison;
use rather::features::{ColumnValues, Encoding};
use rather::learn::choice::{KernelChoice, KernelSpec};
use rather::model::{FitSettings, Items, Model};
use std::fmt::Write;

const ITEMS: usize = 80;
const FEATURES: usize = 3;

/// Why a cell is missing.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Why {
    /// By chance.
    Chance,
    /// Because the item is liked little: nobody measured it.
    Utility,
}

/// A table of items of which so many cells in a hundred are missing, and comparisons of them: those learned from, and others.
fn made(missing: usize, why: Why, seed: u64) -> (String, [Vec<Comparison>; 2]) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let weights = [1.0, -0.7, 0.4];
    let features: Vec<[f64; FEATURES]> =
        (0..ITEMS).map(|_| std::array::from_fn(|_| rng.random_range(-2.0..2.0))).collect();
    let utility = |x: &[f64; FEATURES]| x.iter().zip(weights).map(|(x, w)| x * w).sum::<f64>();
    let utilities: Vec<f64> = features.iter().map(utility).collect();
    let mut in_order = utilities.clone();
    in_order.sort_by(f64::total_cmp);
    let bar = in_order[ITEMS * missing / 100];
    let mut table = "item,x0,x1,x2\n".to_owned();
    for (item, x) in features.iter().enumerate() {
        write!(table, "i{item}").unwrap();
        for x in x {
            let is_missing = match why {
                Why::Chance => rng.random_range(0..100) < missing,
                Why::Utility => utilities[item] < bar,
            };
            let cell = if is_missing { String::new() } else { x.to_string() };
            write!(table, ",{cell}").unwrap();
        }
        table.push('\n');
    }
    let mut duels = |n: usize| {
        let mut out = Vec::new();
        while out.len() < n {
            let (a, b) = (rng.random_range(0..ITEMS), rng.random_range(0..ITEMS));
            if a != b {
                let p = 1.0 / (1.0 + (utilities[b] - utilities[a]).exp());
                let (winner, loser) = if rng.random_bool(p) { (a, b) } else { (b, a) };
                out.push(Comparison { winner, loser, count: 1.0 });
            }
        }
        out
    };
    (table, [duels(1500), duels(1500)])
}

/// The log loss on `test` of logistic regression without a penalty, on columns filled with their means: 20 steps of Newton's method.
fn log_loss_of_regression(columns: &[Vec<f64>], [learned, test]: &[Vec<Comparison>; 2]) -> f64 {
    let filled: Vec<Vec<f64>> = columns
        .iter()
        .map(|column| {
            let known: Vec<f64> = column.iter().copied().filter(|x| !x.is_nan()).collect();
            let mean = known.iter().sum::<f64>() / known.len() as f64;
            column.iter().map(|x| if x.is_nan() { mean } else { *x }).collect()
        })
        .collect();
    let difference = |duel: &Comparison| -> [f64; FEATURES] {
        std::array::from_fn(|k| filled[k][duel.winner] - filled[k][duel.loser])
    };
    let share = |w: &[f64; FEATURES], d: &[f64; FEATURES]| {
        1.0 / (1.0 + (-w.iter().zip(d).map(|(w, d)| w * d).sum::<f64>()).exp())
    };
    let mut weights = [0.0; FEATURES];
    for _ in 0..20 {
        let (mut gradient, mut curvature) = ([0.0; FEATURES], [[0.0; FEATURES]; FEATURES]);
        for d in learned.iter().map(difference) {
            let p = share(&weights, &d);
            for i in 0..FEATURES {
                gradient[i] += (1.0 - p) * d[i];
                (0..FEATURES).for_each(|j| curvature[i][j] += p * (1.0 - p) * d[i] * d[j]);
            }
        }
        // Gauss's elimination of a positive definite system.
        for k in 0..FEATURES {
            for i in k + 1..FEATURES {
                let factor = curvature[i][k] / curvature[k][k];
                (k..FEATURES).for_each(|j| curvature[i][j] -= factor * curvature[k][j]);
                gradient[i] -= factor * gradient[k];
            }
        }
        for k in (0..FEATURES).rev() {
            let known: f64 = (k + 1..FEATURES).map(|j| curvature[k][j] * gradient[j]).sum();
            gradient[k] = (gradient[k] - known) / curvature[k][k];
        }
        weights.iter_mut().zip(gradient).for_each(|(w, step)| *w += step);
    }
    -test.iter().map(|duel| share(&weights, &difference(duel)).ln()).sum::<f64>() / test.len() as f64
}

/// The log losses of a linear model and of regression on means.
fn losses(missing: usize, why: Why, seed: u64) -> [f64; 2] {
    let kernel = KernelSpec { expression: "linear".into(), ard: false };
    let settings = FitSettings { kernel: KernelChoice::Given(kernel), ..FitSettings::default() };
    let (table, duels) = made(missing, why, seed);
    let items = Folder::new().items(&table).unwrap();
    let columns: Vec<Vec<f64>> = items
        .columns
        .iter()
        .map(|column| match &column.values {
            ColumnValues::Numeric(values) => values.clone(),
            ColumnValues::Text(_) => panic!("{} is numbers", column.name),
        })
        .collect();
    let items = Items { keys: items.keys, columns: items.columns };
    let model = Model::fit(&items, &duels[0], &settings, &|_| ()).unwrap();
    let pairs: Vec<(usize, usize)> = duels[1].iter().map(|duel| (duel.winner, duel.loser)).collect();
    let logs = model.probabilities(model.points(), &pairs).into_iter().map(f64::ln);
    [-logs.sum::<f64>() / pairs.len() as f64, log_loss_of_regression(&columns, &duels)]
}

#[test]
fn of_values_missing_by_chance_predictions_are_as_good_as_those_of_regression_on_means() {
    for (missing, seed) in [(5, 1), (20, 2), (40, 3)] {
        let [loss, reference] = losses(missing, Why::Chance, seed);
        assert!(loss < reference + 0.01, "{missing} % missing: {loss}, not {reference}");
        assert!(loss < 0.67, "{missing} % missing: {loss} is no better than guessing");
    }
}

/// That a value is missing tells something of the item, which a mean hides.
#[test]
fn of_values_missing_because_of_the_utility_predictions_are_better() {
    for missing in [5, 20, 40] {
        let found: Vec<[f64; 2]> = (1..4).map(|seed| losses(missing, Why::Utility, seed)).collect();
        let mean = |at: usize| found.iter().map(|both| both[at]).sum::<f64>() / found.len() as f64;
        println!("{missing} % missing: {:.4}, regression on means {:.4}", mean(0), mean(1));
        assert!(found.iter().all(|[loss, reference]| loss < reference), "{missing} % missing: {found:?}");
    }
}

#[test]
fn a_model_file_knows_what_was_missing() {
    let folder = Folder::new();
    let items = folder.items("tea,price,kind\nA,1,black\nB,,NA\nC,4,green\nD,3,green\n").unwrap();
    let items = Items { keys: items.keys, columns: items.columns };
    let duels =
        [Comparison { winner: 0, loser: 1, count: 1.0 }, Comparison { winner: 2, loser: 3, count: 1.0 }];
    let model = Model::fit(&items, &duels, &FitSettings::default(), &|_| ()).unwrap();
    let names: Vec<&str> = model.encoder().features.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["price", "price is missing", "kind"]);
    let path = folder.path("m.rather");
    rather_io::save_model(&path, &model).unwrap();
    let loaded = rather_io::load_model(&path).unwrap();
    assert_eq!(loaded.encoder(), model.encoder());
    assert!(matches!(&loaded.encoder().features[1].1, Encoding::Missing { of } if of == "price"));
    // New items, one of them without a price and of a kind that nobody has seen.
    let new = folder.items("tea,price,kind\nE,,white\nF,2,green\n").unwrap();
    let points = loaded.encode(&Items { keys: new.keys, columns: new.columns }).unwrap();
    assert_eq!(points.row(0), [0.0, 1.0, 3.0]);
    assert_eq!(points.row(1)[1..], [0.0, 1.0]);
}

#[test]
fn features_as_they_are_have_no_mean_for_what_is_missing() {
    let items = Folder::new().items("tea,price\nA,1\nB,\nC,4\n").unwrap();
    let items = Items { keys: items.keys, columns: items.columns };
    let settings = FitSettings { raw_features: true, ..FitSettings::default() };
    let duels = [Comparison { winner: 0, loser: 1, count: 1.0 }];
    let error = Model::fit(&items, &duels, &settings, &|_| ()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the value of \"price\" in row 1 (counted from 0) is missing; give it, or leave the column out"
    );
}
