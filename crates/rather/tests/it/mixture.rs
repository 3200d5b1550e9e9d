//! Predictions that average over the kernels that the evidence cannot tell apart.

use rather::Comparison;
use rather::features::{Column, ColumnValues};
use rather::learn::Hyperparameter;
use rather::learn::choice::{KernelChoice, KernelSpec};
use rather::model::{Ep, FitSettings, Inference, Integration, Items, Model, ModelParts, PairEffect};
use rather::representation::Representation;

/// A dozen answers about six items of two features.
fn teas() -> (Items, Vec<Comparison>) {
    let column = |name: &str, values: [f64; 6]| Column {
        name: name.into(),
        values: ColumnValues::Numeric(values.to_vec()),
    };
    let columns = vec![
        column("price", [3.0, 5.0, 2.0, 4.0, 9.0, 1.0]),
        column("minutes", [4.0, 2.0, 6.0, 4.0, 1.0, 5.0]),
    ];
    let pairs =
        [(0, 5), (1, 5), (4, 2), (1, 2), (3, 5), (0, 2), (1, 3), (0, 3), (4, 5), (1, 4), (0, 4), (3, 2)];
    let said = pairs.map(|(winner, loser)| Comparison { winner, loser, count: 1.0 });
    (Items { keys: (0..6).map(|i| format!("tea {i}")).collect(), columns }, said.to_vec())
}

fn every_pair() -> Vec<(usize, usize)> {
    (0..6).flat_map(|i| (0..6).map(move |j| (i, j))).filter(|(i, j)| i != j).collect()
}

#[test]
fn kernels_that_are_nearly_as_good_are_averaged() {
    let (items, said) = teas();
    let model = Model::fit(&items, &said, &FitSettings::default(), &|_| ()).unwrap();
    let mixture = model.belief().mixture().expect("a dozen answers do not tell kernels apart");
    let weights: Vec<f64> = mixture.components().iter().map(|(weight, _)| *weight).collect();
    assert!(weights.len() > 1 && weights[1..].is_sorted_by(|a, b| a >= b), "{weights:?}");
    assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    // The weights of a kernel's settings add up to that of the report, and the odds of kernels are those of the scores.
    let tried = &model.report().tried;
    let mut told: Vec<(f64, f64)> = tried.iter().map(|t| (t.weight, t.score)).filter(|t| t.0 > 0.0).collect();
    told.sort_by(|a, b| b.0.total_cmp(&a.0));
    assert!(told.len() > 1 && told.len() <= weights.len());
    for (weight, score) in &told {
        assert!(((weight / told[0].0).ln() - (score - told[0].1)).abs() < 1e-9);
    }
    // Probabilities are averages; means and variances are those of a mixture, so that a covariance agrees with them.
    let (points, pairs) = (model.points(), every_pair());
    let found = model.probabilities(points, &pairs);
    for (k, &pair) in pairs.iter().enumerate() {
        let each = mixture.components().iter().map(|(w, p)| w * p.probabilities(points, &[pair])[0]);
        assert!((found[k] - each.sum::<f64>()).abs() < 1e-12);
    }
    let (moments, joint) =
        (model.belief().differences(points, &pairs), model.belief().joint(points).unwrap());
    for (k, &(i, j)) in pairs.iter().enumerate() {
        let (mean, variance) = joint.difference(i, j);
        assert!((moments.mean[k] - mean).abs() < 1e-9 && (moments.variance[k] - variance).abs() < 1e-8);
    }
}

#[test]
fn a_file_holds_every_kernel() {
    let (items, said) = teas();
    let model = Model::fit(&items, &said, &FitSettings::default(), &|_| ()).unwrap();
    let text = serde_json::to_string(&model.to_parts().header).unwrap();
    let again = ModelParts { header: serde_json::from_str(&text).unwrap(), ..model.to_parts() };
    let again = Model::from_parts(again).unwrap();
    let bits = |model: &Model| -> Vec<u64> {
        model.probabilities(model.points(), &every_pair()).iter().map(|p| p.to_bits()).collect()
    };
    assert_eq!(bits(&model), bits(&again));
    // Weights that are none, and sites of fewer kernels, are refused.
    let mut broken = model.to_parts();
    broken.header.rivals[0].weight = 1.5;
    assert!(Model::from_parts(broken).is_err());
    let mut broken = model.to_parts();
    broken.header.rivals.pop();
    assert!(Model::from_parts(broken).is_err());
}

#[test]
fn a_kernel_that_is_given_has_its_hyperparameters_integrated() {
    let (items, said) = teas();
    let kernel = KernelChoice::Given(KernelSpec { expression: "white".into(), ard: false });
    let settings = FitSettings { kernel, ..FitSettings::default() };
    let fit = |settings: &FitSettings| Model::fit(&items, &said, settings, &|_| ()).unwrap();
    let model = fit(&settings);
    assert_eq!(
        model.belief().mixture().unwrap().components().len(),
        7,
        "a variance, and three each of more and less"
    );
    assert!(model.report().tried[0].weight == 0.0);
    let alone = fit(&FitSettings {
        inference: Inference::Ep(Ep { integration: Integration::Off, ..Ep::default() }),
        ..settings.clone()
    });
    assert!(alone.belief().mixture().is_none());
    assert_eq!(alone.hyperparameters(), model.hyperparameters());
    let fixed = fit(&FitSettings {
        fixed: vec![("variance".into(), 2.0), ("noise".into(), 1.0)],
        ..settings.clone()
    });
    assert!(fixed.belief().mixture().is_none(), "there is nothing to integrate over");
    for representation in [Representation::LowRank(3), Representation::Sparse] {
        let ep = Ep { integration: Integration::Always, representation, ..Ep::default() };
        let asked = FitSettings { inference: Inference::Ep(ep), ..settings.clone() };
        assert_eq!(
            Model::fit(&items, &said, &asked, &|_| ()).unwrap_err(),
            rather::Unsupported::FullCovariance.into()
        );
    }
}

/// Against sums over a fine grid of the two hyperparameters. Some of the answers contradict others: answers that no utilities contradict leave
/// the variance without a bound but its prior's, and the second moments are those of the prior's tail.
#[test]
fn integrals_over_hyperparameters_are_those_of_a_grid() {
    let (items, mut said) = teas();
    let reversed =
        said.iter().step_by(3).map(|c| Comparison { winner: c.loser, loser: c.winner, count: 1.0 });
    let reversed: Vec<Comparison> = reversed.collect();
    said.iter_mut().for_each(|comparison| comparison.count = 2.0);
    said.extend(reversed);
    let kernel = KernelChoice::Given(KernelSpec { expression: "se".into(), ard: false });
    let settings = FitSettings {
        inference: Inference::Ep(Ep { pair_effect: PairEffect::Off, ..Ep::default() }),
        kernel,
        ..FitSettings::default()
    };
    let pairs = every_pair();
    let fit = |settings: &FitSettings| Model::fit(&items, &said, settings, &|_| ()).unwrap();
    let (integrated, maximum) = (
        fit(&settings),
        fit(&FitSettings {
            inference: Inference::Ep(Ep {
                integration: Integration::Off,
                pair_effect: PairEffect::Off,
                ..Ep::default()
            }),
            ..settings.clone()
        }),
    );
    let names: Vec<&str> = maximum.hyperparameters().entries.iter().map(|e| e.name.as_str()).collect();
    assert_eq!(names, ["variance", "lengthscale", "noise"]);
    let (variance, lengthscale) =
        (&maximum.hyperparameters().entries[0], &maximum.hyperparameters().entries[1]);
    let (mut total, mut sums, mut squares) = (0.0, vec![0.0; pairs.len()], vec![0.0; pairs.len()]);
    let mut means = vec![0.0; pairs.len()];
    // Five standard deviations of the prior about its median, in steps of a third.
    let steps = || (-15..=15).map(|k| f64::from(k) / 3.0);
    for (a, b) in steps().flat_map(|a| steps().map(move |b| (a, b))) {
        let at = |e: &Hyperparameter, z: f64| e.prior.unwrap().median * (z * e.prior.unwrap().sd).exp();
        let fixed = vec![
            ("variance".to_owned(), at(variance, a)),
            ("lengthscale".to_owned(), at(lengthscale, b)),
            ("noise".to_owned(), 1.0),
        ];
        let Ok(model) = Model::fit(&items, &said, &FitSettings { fixed, ..settings.clone() }, &|_| ()) else {
            continue;
        };
        let weight = (model.report().log_evidence - 0.5 * (a * a + b * b)).exp();
        total += weight;
        let found = model.belief().differences(model.points(), &pairs);
        for k in 0..pairs.len() {
            sums[k] += weight * model.probabilities(model.points(), &pairs[k..=k])[0];
            means[k] += weight * found.mean[k];
            squares[k] += weight * (found.variance[k] + found.mean[k].powi(2));
        }
    }
    // Mean errors of the probabilities, and of the logarithms of the standard deviations.
    let off = |model: &Model| -> (f64, f64) {
        let probabilities = model.probabilities(model.points(), &pairs);
        let moments = model.belief().differences(model.points(), &pairs);
        let error = |k: usize| (probabilities[k] - sums[k] / total).abs();
        let variance = |k: usize| squares[k] / total - (means[k] / total).powi(2);
        let narrow = |k: usize| 0.5 * (moments.variance[k] / variance(k)).ln().abs();
        let mean = |of: &dyn Fn(usize) -> f64| (0..pairs.len()).map(of).sum::<f64>() / pairs.len() as f64;
        (mean(&error), mean(&narrow))
    };
    let ((p, sd), (p_maximum, sd_maximum)) = (off(&integrated), off(&maximum));
    println!("probabilities {p:.4} (maximum {p_maximum:.4}), log sd {sd:.3} (maximum {sd_maximum:.3})");
    // Five points in the place of 961, of a posterior with heavy tails.
    assert!(p < 0.7 * p_maximum, "{p} {p_maximum}");
    assert!(sd < 0.5 * sd_maximum, "{sd} {sd_maximum}");
}
