//! Predictions that average over the kernels that the evidence cannot tell apart.

use rather::Comparison;
use rather::features::{Column, ColumnValues};
use rather::learn::choice::{KernelChoice, KernelSpec};
use rather::model::{FitSettings, Items, Model, ModelParts};

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
    let said = pairs.map(|(winner, loser)| Comparison { winner, loser, count: 1 });
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
    assert!(weights.len() > 1 && weights.is_sorted_by(|a, b| a >= b), "{weights:?}");
    assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    // The weights are those of the report, and the odds are those of the scores.
    let tried = &model.report().tried;
    let mut told: Vec<(f64, f64)> = tried.iter().map(|t| (t.weight, t.score)).filter(|t| t.0 > 0.0).collect();
    told.sort_by(|a, b| b.0.total_cmp(&a.0));
    assert_eq!(told.len(), weights.len());
    for ((weight, score), own) in told.iter().zip(&weights) {
        assert!((weight - own).abs() < 1e-12);
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
fn a_kernel_that_is_given_stands_alone() {
    let (items, said) = teas();
    let kernel = KernelChoice::Given(KernelSpec { expression: "white".into(), ard: false });
    let model =
        Model::fit(&items, &said, &FitSettings { kernel, ..FitSettings::default() }, &|_| ()).unwrap();
    assert!(model.belief().mixture().is_none() && model.report().tried[0].weight == 0.0);
}
