//! Hyperparameters of very many answers with the logistic link.

use rather::answers::Answer;
use rather::learn::choice::{KernelChoice, KernelSpec};
use rather::likelihood::{Link, ResponseModel};
use rather::model::{Ep, FitSettings, Inference, Integration, Items, Model, PairEffect};

const ITEMS: usize = 12;

/// A tournament of items of evenly spaced strengths, each pair compared `times` times in the expected shares, a fifth of them ties.
fn model(times: f64) -> Model {
    let keys = (0..ITEMS).map(|i| i.to_string()).collect();
    let mut answers = Vec::new();
    for i in 0..ITEMS {
        for j in 0..i {
            let first = 1.0 / (1.0 + (-0.2 * (i - j) as f64).exp());
            let count = |share: f64| (times * share).round().max(1.0);
            answers.push(Answer::better(i, j, 1).times(count(0.8 * first)));
            answers.push(Answer::better(j, i, 1).times(count(0.8 * (1.0 - first))));
            answers.push(Answer::tie(i, j).times(count(0.2)));
        }
    }
    let settings = FitSettings {
        kernel: KernelChoice::Given(KernelSpec { expression: "white".into(), ard: false }),
        inference: Inference::Ep(Ep {
            integration: Integration::Off,
            pair_effect: PairEffect::Off,
            ..Ep::default()
        }),
        response_model: ResponseModel { link: Link::Logistic, ..ResponseModel::default() },
        ..FitSettings::default()
    };
    Model::fit_answers(&Items { keys, columns: vec![] }, &answers, &[], &settings, &|_| ()).unwrap()
}

/// On either side of the number of answers from which on Laplace's evidence is maximised, the same is learned. The counts differ by 3 %, which moves
/// nothing else than their rounding: shares by less than .002, thresholds and strengths of order 1 by less than .01, and the variance, of which twelve
/// items tell little, by less than a fiftieth.
#[test]
fn laplace_learns_what_expectation_propagation_does() {
    let [few, many] = [299.0, 309.0].map(model);
    let total = |model: &Model| model.observations().merged.iter().map(|o| o.count()).sum::<f64>();
    assert!(total(&few) < 20_000.0 && total(&many) > 20_000.0, "{} and {}", total(&few), total(&many));
    for ((name, a), (_, b)) in few.reported_hyperparameters().iter().zip(many.reported_hyperparameters()) {
        assert!((a / b - 1.0).abs() < 0.02, "{name}: {a} by expectation propagation, {b} by Laplace");
    }
    let [a, b] = [&few, &many].map(|model| model.belief().utilities(model.points()).mean);
    a.iter().zip(&b).for_each(|(a, b)| assert!((a - b).abs() < 0.01, "{a} and {b}"));
}
