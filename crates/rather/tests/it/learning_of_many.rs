//! Very many answers with the logistic link: their hyperparameters, and a prior that leaves much open.

use rather::answers::Answer;
use rather::context::{ContextColumn, Sides};
use rather::features::{Column, ColumnValues};
use rather::learn::choice::{KernelChoice, KernelSpec};
use rather::likelihood::{Link, ResponseModel};
use rather::model::{Ep, FitSettings, Inference, Integration, Items, Model, PairEffect, Representation};
use rather_numerics::random::{normal, stream, uniform};

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

/// Thousands of votes that pull at the same few variables under the wide prior that learning starts from: sweeps from nothing overshoot, and once found no way back.
#[test]
fn thousands_of_votes_on_few_variables_converge() {
    let (models, votes) = (150, 10_000);
    let mut rng = stream(6, 0);
    let worth: Vec<f64> = (0..models).map(|_| 0.8 * normal(&mut rng)).collect();
    let (mut items, mut columns, mut answers) = (Vec::new(), vec![Vec::new(); 4], Vec::new());
    for vote in 0..votes {
        let a = (uniform(&mut rng) * models as f64) as usize;
        let b = (a + 1 + (uniform(&mut rng) * (models - 1) as f64) as usize) % models;
        items.extend([a as u32, b as u32]);
        let mut up_to = |most: f64| (most * uniform(&mut rng)).floor();
        columns[0].extend([50.0 + up_to(850.0), 50.0 + up_to(850.0)]);
        columns[1..].iter_mut().for_each(|column| column.extend([up_to(9.0), up_to(9.0)]));
        let z = worth[a] - worth[b] + 0.2 * (columns[0][2 * vote] / columns[0][2 * vote + 1]).ln();
        let (left, right) = (2 * vote, 2 * vote + 1);
        let is_left = uniform(&mut rng) < 1.0 / (1.0 + (-z).exp());
        answers.push(if is_left { Answer::rather(left, right) } else { Answer::rather(right, left) });
    }
    let of = |(k, values): (usize, Vec<f64>)| {
        let column = Column { name: format!("style{k}"), values: ColumnValues::Numeric(values) };
        ContextColumn { column, shared: false, date: false }
    };
    let sides = Sides { items, columns: columns.into_iter().enumerate().map(of).collect(), teams: vec![] };
    let expression = "white[item] + linear[style0, style1, style2, style3]".to_owned();
    let settings = FitSettings {
        kernel: KernelChoice::Given(KernelSpec { expression, ard: false }),
        inference: Inference::Ep(Ep { representation: Representation::Sparse, ..Ep::default() }),
        response_model: ResponseModel { link: Link::Logistic, ..ResponseModel::default() },
        ..FitSettings::default()
    };
    let items = Items { keys: (0..models).map(|i| i.to_string()).collect(), columns: vec![] };
    let model = Model::fit_in_context(&items, &sides, &answers, &[], &settings, &|_| ()).unwrap();
    let report = model.report();
    assert!(report.trustworthy && report.residual < 1e-6, "{report:?}");
}
