//! Models of exact inference.

use rather::answers::Answer;
use rather::check::{CheckSettings, Verdict, check};
use rather::exact::ExactSettings;
use rather::features::{Column, ColumnValues};
use rather::inference::{Method, Status};
use rather::learn::choice::{KernelChoice, KernelSpec};
use rather::likelihood::ResponseModel;
use rather::model::{Ep, Exact, FitSettings, Inference, Integration, Items, Model, Notice};
use rather::representation::Representation;
use rather::{Comparison, Error};

/// Eight items on a line, the better the higher, with answers that contradict it.
fn table(count: u32) -> (Items, Vec<Comparison>) {
    let price = ColumnValues::Numeric((0..8).map(f64::from).collect());
    let items = Items {
        keys: (0..8).map(|i| format!("t{i}")).collect(),
        columns: vec![Column { name: "price".into(), values: price }],
    };
    let pairs = [(7, 0), (6, 1), (5, 2), (4, 3), (6, 4), (2, 3), (5, 0), (7, 6), (1, 2), (3, 1)];
    (items, pairs.map(|(winner, loser)| Comparison { winner, loser, count: count.into() }).into())
}

fn settings(method: Method) -> FitSettings {
    let kernel = KernelChoice::Given(KernelSpec { expression: "se".into(), ard: false });
    FitSettings { inference: method.into(), kernel, ..FitSettings::default() }
}

fn fit(count: u32, settings: &FitSettings) -> Result<Model, Error> {
    let (items, comparisons) = table(count);
    Model::fit(&items, &comparisons, settings, &|_| ())
}

fn pairs() -> Vec<(usize, usize)> {
    (0..8).flat_map(|i| (0..8).map(move |j| (i, j))).collect()
}

#[test]
fn exact_inference_learns_as_ep_does_and_is_near_it() {
    // Exact inference is at the maximum of the evidence.
    let maximum = Inference::Ep(Ep { integration: Integration::Off, ..Ep::default() });
    let [ep, exact] = [maximum, Method::Exact.into()]
        .map(|inference| fit(1, &FitSettings { inference, ..settings(Method::Ep) }).unwrap());
    assert_eq!(ep.hyperparameters(), exact.hyperparameters());
    let report = exact.report().exact.unwrap();
    assert!(report.sampling.mixed() && report.sampling.draws == 4_000, "{report:?}");
    assert_eq!(report.approximate_log_evidence, ep.report().log_evidence);
    let z = report.log_evidence.unwrap();
    assert_eq!(exact.report().log_evidence, z.value);
    assert!((z.value - ep.report().log_evidence).abs() < 0.05 && z.error < 1e-3, "{z:?}");
    assert_eq!((exact.report().status, ep.report().exact), (Status::Converged, None));
    let [p, q] = [&ep, &exact].map(|m| m.probabilities(m.points(), &pairs()));
    assert!(p.iter().zip(&q).all(|(p, q)| (p - q).abs() < 0.03) && p != q);
    assert_eq!(exact.sharp_probabilities(exact.points(), &pairs()).unwrap(), q);
}

#[test]
fn the_same_seed_draws_the_same() {
    let seeded = |seed| {
        let exact = ExactSettings { seed, samples: 500, ..ExactSettings::default() };
        let model = fit(
            1,
            &FitSettings {
                inference: Inference::Exact(Exact { sampling: exact, ..Exact::default() }),
                ..settings(Method::Exact)
            },
        )
        .unwrap();
        model.probabilities(model.points(), &pairs())
    };
    assert_eq!(seeded(3), seeded(3));
    assert_ne!(seeded(3), seeded(4));
}

/// Nothing is drawn again: the draws are in the parts.
#[test]
fn parts_give_the_same_predictions() {
    let model = fit(2, &settings(Method::Exact)).unwrap();
    let again = Model::from_parts(model.to_parts()).unwrap();
    let [old, new] = [&model, &again].map(|m| (m.probabilities(m.points(), &pairs()), m.rank(m.points())));
    assert_eq!(old, new);
    assert_eq!(again.to_parts(), model.to_parts());
}

#[test]
fn parts_that_do_not_fit_are_refused() {
    let parts = fit(1, &settings(Method::Exact)).unwrap().to_parts();
    let refused = |change: &dyn Fn(&mut rather::model::ModelParts)| {
        let mut parts = parts.clone();
        change(&mut parts);
        matches!(Model::from_parts(parts), Err(Error::ModelParts { .. } | Error::Parameter { .. }))
    };
    assert!(refused(&|p| p.draws.truncate(p.draws.len() - 1)));
    assert!(refused(&|p| p.draws.clear()));
    assert!(refused(&|p| p.draws[0] = f64::NAN));
    assert!(refused(&|p| p.header.exact = None));
    assert!(refused(&|p| p.header.method = Method::Ep));
    assert!(refused(&|p| p.header.exact.as_mut().unwrap().samples = usize::MAX));
    assert!(refused(&|p| p.header.exact.as_mut().unwrap().chains = usize::MAX));
    assert!(refused(&|p| p.header.exact.as_mut().unwrap().chains = 0));
}

#[test]
fn too_few_draws_are_no_convergence() {
    let exact = ExactSettings { samples: 20, ..ExactSettings::default() };
    let model = fit(
        1,
        &FitSettings {
            inference: Inference::Exact(Exact { sampling: exact, ..Exact::default() }),
            ..settings(Method::Exact)
        },
    )
    .unwrap();
    assert_eq!(model.report().status, Status::Limit);
    let notices = &model.report().notices;
    assert!(notices.iter().any(|n| matches!(n, Notice::NotMixed { .. })), "{notices:?}");
    let found = check(&model, &CheckSettings { exact, ..CheckSettings::default() }).unwrap();
    assert_eq!(found.verdict, Verdict::Unsettled);
}

#[test]
fn too_many_comparisons_are_refused_before_learning() {
    let error = fit(501, &settings(Method::Exact)).unwrap_err();
    assert_eq!(error, Error::ExactSize { comparisons: 5_010.0, limit: 5_000 });
    let ep = fit(501, &settings(Method::Ep)).unwrap();
    assert!(matches!(check(&ep, &CheckSettings::default()), Err(Error::ExactSize { .. })));
}

#[test]
fn every_kind_of_model_can_be_checked() {
    let of = |method| {
        let model = fit(1, &settings(method)).unwrap();
        (check(&model, &CheckSettings::default()).unwrap(), model)
    };
    let [(ep, model), (exact, _), (laplace, _)] = [Method::Ep, Method::Exact, Method::Laplace].map(of);
    // Expectation propagation is what a model of exact inference is compared with, and its sites are the same.
    assert_eq!((ep.method, exact.method, laplace.method), (Method::Ep, Method::Ep, Method::Laplace));
    assert!((ep.agreement.means.largest - exact.agreement.means.largest).abs() < 1e-6);
    assert_eq!(ep.log_evidence, model.report().log_evidence);
    assert_eq!(ep.agreement.pairs, 28);
    let sharper = ep.sharper.unwrap();
    assert_eq!(sharper.pairs, 20);
    assert!(sharper.gaussian.largest == ep.agreement.probabilities.largest);
    let z = ep.exact_log_evidence.unwrap();
    assert!((z.value - ep.log_evidence).abs() < 0.05);
    assert!((laplace.log_evidence - laplace.exact_log_evidence.unwrap().value).abs() > 4.0 * z.error);
    assert!(ep.agreement.means.largest < laplace.agreement.means.largest);
    assert_ne!(ep.verdict, Verdict::Unsettled);
}

/// Items in an order that nothing contradicts, with next to no noise: every draw puts the first far above the last.
#[test]
fn no_probability_is_certain_from_finitely_many_draws() {
    let items = Items { keys: (0..6).map(|i| format!("t{i}")).collect(), columns: vec![] };
    let duels: Vec<Comparison> = (0..6)
        .flat_map(|winner| (winner + 1..6).map(move |loser| Comparison { winner, loser, count: 4.0 }))
        .collect();
    let fixed = [("noise", 1e-3), ("variance", 25.0)].map(|(name, value)| (name.to_owned(), value)).to_vec();
    let kernel = KernelChoice::Given(KernelSpec { expression: "white".into(), ard: false });
    let settings = FitSettings { fixed, kernel, ..settings(Method::Exact) };
    let model = Model::fit(&items, &duels, &settings, &|_| ()).unwrap();
    let pairs: Vec<(usize, usize)> = (0..6).flat_map(|i| (0..6).map(move |j| (i, j))).collect();
    let found = model.probabilities(model.points(), &pairs);
    // What the draws alone say is certain, so that the tail beyond them is tested at all.
    let gaussian = model.posterior().unwrap().probabilities(model.points(), &pairs);
    for (&(i, j), (&p, &q)) in pairs.iter().zip(found.iter().zip(&gaussian)) {
        assert!(p > 0.0 && p < 1.0, "{i} {j}: {p}");
        let other = found[pairs.iter().position(|&other| other == (j, i)).unwrap()];
        // Thousands of roundings of numbers near 1.
        assert!((p + other - 1.0).abs() < 1e-12, "{i} {j}: {p} {other}");
        assert!(i == j || (p > 0.5) == (i < j), "{i} {j}: {p} {q}");
    }
    assert!(found[5] > 0.999, "{}", found[5]);
}

/// Of more comparisons than exact inference holds, some items and the answers among them are checked: the same under the same seed.
#[test]
fn a_part_of_a_large_model_is_checked() {
    let n = 400;
    let x = ColumnValues::Numeric((0..n).map(|i| (1.7 * i as f64).sin() * 3.0).collect());
    let items = Items {
        keys: (0..n).map(|i| format!("t{i}")).collect(),
        columns: vec![Column { name: "x".into(), values: x }],
    };
    let duels: Vec<Comparison> = (0..6_000_usize)
        .map(|row| {
            let (a, b) = (row * 7919 % n, (row * 104_729 + row / n + 1) % n);
            let (low, high) = (a.min(b), a.max(b));
            if row.is_multiple_of(3) { (low, high) } else { (high, low) }
        })
        .filter(|(a, b)| a != b)
        .map(|(winner, loser)| Comparison { winner, loser, count: 1.0 })
        .collect();
    let fixed = [("noise", 1.0), ("variance", 2.0), ("lengthscale", 1.0)];
    let fixed = fixed.map(|(name, value)| (name.to_owned(), value)).to_vec();
    let exact = ExactSettings { samples: 800, ..ExactSettings::default() };
    for representation in [Representation::Full, Representation::LowRank(20)] {
        let settings = FitSettings {
            inference: Inference::Ep(Ep { representation, ..Ep::default() }),
            fixed: fixed.clone(),
            ..settings(Method::Ep)
        };
        let model = Model::fit(&items, &duels, &settings, &|_| ()).unwrap();
        let check = |seed| {
            let exact = ExactSettings { seed, ..exact };
            check(&model, &CheckSettings { exact, part: 120, ..CheckSettings::default() }).unwrap()
        };
        let found = check(0);
        let part = found.part.unwrap();
        assert!(part.answers <= 120.0 && part.answers > 60.0 && part.items < n, "{part:?}");
        assert_ne!(found.verdict, Verdict::Unsettled);
        assert_eq!(check(0), found);
        assert_ne!(check(1), found);
    }
    let whole = fit(1, &settings(Method::Ep)).unwrap();
    assert_eq!(check(&whole, &CheckSettings::default()).unwrap().part, None);
}

/// Other answers than plain comparisons are checked against draws of the utilities themselves.
#[test]
fn ties_grades_and_labels_are_checked() {
    let (items, _) = table(1);
    let answers = [
        Answer::better(7, 0, 2),
        Answer::better(6, 1, 1),
        Answer::tie(5, 4).times(2),
        Answer::tie(2, 3),
        Answer::better(6, 4, 1),
        Answer::better(3, 1, 1),
        Answer::labelled(7, true),
        Answer::labelled(0, false),
    ];
    let of = |method| {
        let model = Model::fit_answers(&items, &answers, &[], &settings(method), &|_| ()).unwrap();
        check(&model, &CheckSettings::default()).unwrap()
    };
    let [ep, laplace] = [Method::Ep, Method::Laplace].map(of);
    assert!(ep.sampling.mixed() && ep.sampling.r_hat >= 1.0, "{:?}", ep.sampling);
    // Expectation propagation is near: nine answers of six kinds, as in the tests of its moments.
    assert!(ep.agreement.probabilities.largest < 0.03 && ep.agreement.means.largest < 0.1, "{ep:?}");
    assert!(laplace.agreement.means.largest > ep.agreement.means.largest);
    assert_eq!((ep.exact_log_evidence, ep.agreement.pairs), (None, 28));
}

/// Ties, grades and a position bias: outcomes are averages over the draws that sum to one, near those of expectation propagation, and depend on the
/// side.
#[test]
fn exact_inference_takes_every_answer_to_a_comparison() {
    let (items, _) = table(1);
    let shown = |a, b, grade| Answer::better(a, b, grade).shown_left(a);
    let answers = [
        shown(7, 0, 2).times(2),
        shown(6, 1, 2),
        shown(5, 2, 1),
        shown(6, 4, 1),
        shown(2, 3, 1),
        shown(1, 3, 1),
        Answer::tie(4, 3).shown_left(4).times(3),
        Answer::tie(7, 6).shown_left(6),
    ];
    let fixed = [
        ("variance", 4.0),
        ("lengthscale", 1.5),
        ("noise", 1.0),
        ("tie", 0.5),
        ("grade[2]", 1.0),
        ("bias", 0.6),
    ];
    let fixed: Vec<(String, f64)> = fixed.map(|(name, value)| (name.to_owned(), value)).into();
    let of = |method| {
        let response_model = ResponseModel { bias: true, ..ResponseModel::default() };
        let settings = FitSettings { response_model, fixed: fixed.clone(), ..settings(method) };
        Model::fit_answers(&items, &answers, &[], &settings, &|_| ()).unwrap()
    };
    let [ep, exact] = [Method::Ep, Method::Exact].map(of);
    assert!(exact.report().exact.unwrap().sampling.mixed(), "{:?}", exact.report().exact);
    assert!(exact.report().notices.contains(&Notice::NoExactEvidence));
    let [p, q] = [&ep, &exact].map(|m| m.outcomes(m.points(), &pairs()));
    for (p, q) in p.iter().zip(&q) {
        assert_eq!((p.len(), q.len()), (5, 5));
        assert!((q.iter().map(|(_, p)| p).sum::<f64>() - 1.0).abs() < 1e-9);
        // Expectation propagation is a few hundredths off at most where answers are few; the draws have an error of a hundredth.
        assert!(p.iter().zip(q).all(|((n, p), (m, q))| n == m && (p - q).abs() < 0.04), "{p:?} {q:?}");
    }
    let swapped = exact.shown_probabilities(exact.points(), &[(0, 5), (5, 0)]);
    assert!(swapped[0] + swapped[1] > 1.05, "the left has an advantage: {swapped:?}");
    assert_eq!(Model::from_parts(exact.to_parts()).unwrap().to_parts(), exact.to_parts());
}

/// Random effects of pairs, which are integrated out: near expectation propagation, for compared pairs and others.
#[test]
fn exact_inference_takes_pair_effects() {
    let (items, comparisons) = table(6);
    let answers: Vec<Answer> =
        comparisons.iter().map(|c| Answer::rather(c.winner, c.loser).times(c.count)).collect();
    let fixed = [("variance", 2.0), ("lengthscale", 1.5), ("noise", 1.0), ("pair_effect", 1.0)];
    let fixed: Vec<(String, f64)> = fixed.map(|(name, value)| (name.to_owned(), value)).into();
    let of = |method| {
        let response_model = ResponseModel { pair_effect: true, ..ResponseModel::default() };
        let settings = FitSettings { response_model, fixed: fixed.clone(), ..settings(method) };
        let model = Model::fit_answers(&items, &answers, &[], &settings, &|_| ()).unwrap();
        model.probabilities(model.points(), &pairs())
    };
    let [p, q] = [Method::Ep, Method::Exact].map(of);
    assert!(p.iter().zip(&q).all(|(p, q)| (p - q).abs() < 0.03), "{p:?} {q:?}");
}
