//! What a question tells where people tie, grade, lapse or favour a side: scores against sums over all answers and dense integrals over the
//! difference, with formulas of the likelihoods of their own.

mod manner;

use crate::common::{close, posterior_of, se};
use manner::{LAPSES, MANNERS, Manner, PLAIN, TIES, Truth, truth};
use rather::Error;
use rather::acquisition::pool::Pairs;
use rather::acquisition::{
    Acquisition, AcquisitionFunction, AnswerModel, Component, Contrast, Goal, PoolUtilities, Request, Score,
    Utilities, bald, scores, suggest,
};
use rather::answers::{Answer, Answers};
use rather::belief::Belief;
use rather::design::{Column, Outcome, Prior, Trial, fit_streaming};
use rather::inference::Settings;
use rather::inference::observations::Observations;
use rather::likelihood::{ResponseModel, Values};
use rather::many::{PerUser, UserAnswers, UserModel};
use rather::model::{FitSettings, Items, Model};
use rather::points::Points;
use rather::posterior::Joint;
use rather::search::Domain;
use rather_numerics::linalg::Matrix;

fn named(name: &str) -> Acquisition {
    name.parse().unwrap()
}

fn items() -> Points {
    Points::from_rows(&[[0.0], [0.4], [0.9], [1.1], [2.0]])
}

fn pairs() -> Vec<(usize, usize)> {
    (0..5).flat_map(|i| (0..5).map(move |j| (i, j))).filter(|(i, j)| i != j).collect()
}

/// Beliefs much narrower than the noise, much wider than the widest threshold, and where the rule changes.
#[test]
fn averages_are_integrals() {
    let beliefs = [
        (0.0, 0.01),
        (0.4, 0.02),
        (0.3, 0.0049),
        (-1.3, 0.04),
        (0.8, 0.05),
        (0.2, 0.3),
        (1.7, 1.0),
        (-2.0, 4.0),
        (6.0, 9.0),
        (0.5, 400.0),
        (30.0, 3_000.0),
    ];
    for manner in MANNERS {
        let model = manner.model();
        assert_eq!(model.closed_form().is_some(), manner.name == "plain");
        assert_eq!(model.is_symmetric(), manner.bias == 0.0, "{}", manner.name);
        for (mean, variance) in beliefs {
            let found = model.averages(mean, variance);
            let truth = manner.truth(mean, variance);
            let what = |of: &str| format!("{}, {of} at {mean}, {variance}", manner.name);
            assert_eq!(found.answers.len(), truth.p.len(), "{}", what("answers"));
            for (p, truth) in found.answers.iter().zip(&truth.p) {
                close(p.value, *truth, 1e-8, &what("probability"));
            }
            close(found.entropy.value, truth.entropy - truth.information, 2e-8, &what("entropy left"));
            let contrast = Contrast { mean, variance, base: 0.3 };
            let score = |name: &str| named(name).score(&contrast, &model).unwrap().value;
            close(score("bald-quadrature"), truth.information, 5e-8, &what("information"));
            close(score("entropy"), truth.entropy, 5e-8, &what("entropy"));
            close(score("uncertain"), truth.variance_of_probability, 5e-8, &what("variance"));
            close(score("ivm"), truth.narrowing, 1e-6, &what("narrowing"));
            // The closed form of plain choices is an approximation.
            let bald = if manner.name == "plain" { 0.003 } else { 5e-8 };
            close(score("bald"), truth.information, bald, &what("information"));
        }
        // What is known for certain is not asked.
        let known = model.averages(0.3, 0.0);
        for (p, truth) in known.answers.iter().zip(manner.at(0.3)) {
            close(p.value, truth, 1e-13, manner.name);
        }
    }
}

/// Differences of fourth order with a step of a hundredth, of which the averages' own error of 1e-9 takes 1e-7.
#[test]
fn derivatives_of_scores_equal_differences() {
    let closed = || Acquisition::all().filter(Acquisition::is_closed_form);
    for manner in MANNERS {
        let model = manner.model();
        for (mean, variance) in [(0.3, 0.02), (0.7, 0.4), (-1.2, 1.1), (2.0, 12.0), (-0.4, 90.0)] {
            for acquisition in closed() {
                let at = |mean: f64, variance: f64| {
                    acquisition.score(&Contrast { mean, variance, base: -0.2 }, &model).unwrap()
                };
                let here = at(mean, variance);
                // Functions of the order change over the width of the belief.
                let (by_mean, by_variance) = (0.01 * variance.sqrt().min(1.0), 0.01 * variance);
                let slope = |of: &dyn Fn(f64) -> f64, step: f64| {
                    (8.0 * (of(step) - of(-step)) - (of(2.0 * step) - of(-2.0 * step))) / (12.0 * step)
                };
                let what = format!("{acquisition}, {} at {mean}, {variance}", manner.name);
                let numeric = slope(&|by| at(mean + by, variance).value, by_mean);
                close(here.d_mean, numeric, 2e-6, &format!("{what}, mean"));
                let numeric = slope(&|by| at(mean, variance + by).value, by_variance);
                close(here.d_variance, numeric, 2e-6 * (1.0 + 1.0 / variance), &format!("{what}, variance"));
            }
        }
    }
}

/// Of fitted models: every pair within 0.002 bits of the information that its answer has, the best first.
#[test]
fn suggestions_are_those_of_all_outcomes() {
    let points = items();
    for manner in MANNERS {
        let posterior = manner.posterior(&points);
        let pool = PoolUtilities::new(&posterior, &points);
        let z = posterior.differences(&points, &pairs());
        // Left and right: the difference of the right one and the left one is minus that of the first and the second.
        let truths: Vec<Truth> =
            (0..pairs().len()).map(|k| manner.truth(-z.mean[k], z.variance[k])).collect();
        for (name, of) in [
            ("bald", (|t| t.information) as fn(&Truth) -> f64),
            ("entropy", |t| t.entropy),
            ("ivm", |t| t.narrowing),
            ("uncertain", |t| t.variance_of_probability),
        ] {
            let found = scores(&pool, named(name), &pairs(), 0).unwrap();
            for (k, pair) in pairs().iter().enumerate() {
                close(found[k], of(&truths[k]), 0.002, &format!("{name}, {}, {pair:?}", manner.name));
            }
            let next = suggest(&pool, &Request::new(named(name), Pairs::All, 1, 0)).unwrap()[0];
            let best = truths.iter().map(of).fold(f64::MIN, f64::max);
            close(next.score, best, 0.002, &format!("{name}, {}, the best", manner.name));
            // The order shown is the one that was scored.
            let shown = pairs().iter().position(|&pair| pair == (next.opponent, next.challenger)).unwrap();
            close(of(&truths[shown]), best, 0.002, &format!("{name}, {}, the best pair", manner.name));
        }
    }
}

/// Items of which nothing is known but means and variances, with what may be answered about them.
struct Independent {
    items: Vec<(f64, f64)>,
    answers: AnswerModel,
}

impl Utilities for Independent {
    fn items(&self) -> usize {
        self.items.len()
    }

    fn components(
        &self,
        items: &[usize],
        _acquisition: &Acquisition,
        _seed: u64,
    ) -> Result<Vec<Component<'_>>, Error> {
        let mean = items.iter().map(|&i| self.items[i].0).collect();
        let covariance =
            Matrix::from_fn(
                items.len(),
                items.len(),
                |i, j| if i == j { self.items[items[i]].1 } else { 0.0 },
            );
        Ok(vec![Component::new(Joint { mean, covariance }, self.answers.clone())])
    }
}

/// Of two pairs, by the mean and the variance of their differences, which comes first: to a plain choice the first one; where ties may be said,
/// or many answers are lapses, the second one tells more.
#[test]
fn ties_and_lapses_change_which_pair_comes_first() {
    let first = |manner: Manner, pairs: [(f64, f64); 2]| {
        let items = pairs.iter().flat_map(|&(m, v)| [(m, 0.5 * v), (0.0, 0.5 * v)]).collect();
        let pool = Independent { items, answers: manner.model() };
        let given = [(0, 1), (2, 3)];
        let found = suggest(&pool, &Request::new(named("bald"), Pairs::Given(&given), 1, 0)).unwrap()[0];
        let truth = pairs.map(|(m, v)| manner.truth(m, v).information);
        close(found.score, truth[0].max(truth[1]), 0.002, manner.name);
        let place = given.iter().position(|&pair| pair == (found.challenger, found.opponent)).unwrap();
        assert_eq!(place, usize::from(truth[1] > truth[0]), "{}", manner.name);
        place
    };
    let (known, unlikely) = ([(1.0, 1.0), (2.5, 2.0)], [(3.0, 8.0), (0.5, 2.0)]);
    assert_eq!((first(PLAIN, known), first(TIES, known)), (0, 1));
    assert_eq!((first(PLAIN, unlikely), first(LAPSES, unlikely)), (0, 1));
}

/// Bald as if the answer were a plain choice is off by far more than what is asked for here.
#[test]
fn lapses_take_information_away() {
    let (mean, variance) = (0.2, 8.0);
    let plain = bald::score(&Contrast { mean, variance, base: 0.0 }, 1.0).value;
    let found = named("bald").score(&Contrast { mean, variance, base: 0.0 }, &LAPSES.model()).unwrap().value;
    assert!(plain > 2.0 * found, "{plain} {found}");
    let ties = Manner { thresholds: &[1.5], ..PLAIN };
    let more = named("bald").score(&Contrast { mean, variance, base: 0.0 }, &ties.model()).unwrap().value;
    assert!(more > 1.15 * plain, "three answers tell more than two: {more} {plain}");
}

/// Where the left has an advantage the two orders of a pair are two questions.
#[test]
fn a_position_bias_makes_the_order_matter() {
    let manner = Manner { name: "bias", bias: 0.9, ..PLAIN };
    let points = items();
    let posterior = manner.posterior(&points);
    let pool = PoolUtilities::new(&posterior, &points);
    let both = scores(&pool, named("bald"), &[(0, 2), (2, 0)], 0).unwrap();
    assert!((both[0] - both[1]).abs() > 0.004, "{both:?}");
    let given = [(0, 2)];
    let next = suggest(&pool, &Request::new(named("bald"), Pairs::Given(&given), 1, 0)).unwrap()[0];
    close(next.score, both[0].max(both[1]), 1e-12, "the better order");
    let left = if both[0] > both[1] { 0 } else { 2 };
    assert_eq!(next.opponent, left, "the opponent is shown on the left");
    // Against a given opponent that one is on the left.
    let against = suggest(&pool, &Request::new(named("bald"), Pairs::Against(2), 5, 0)).unwrap();
    let same = against.iter().find(|s| s.challenger == 0).unwrap();
    // It is chosen last or not, so its score is at most what it is alone.
    assert!(same.opponent == 2 && same.score <= both[1] + 1e-12);
}

/// An average over kernels and hyperparameters: the entropy of what it predicts, less what is left under each part of it.
#[test]
fn a_mixture_is_scored_as_it_predicts() {
    let keys = (0..6).map(|i| format!("tea {i}")).collect();
    let column = |name: &str, values: [f64; 6]| rather::features::Column {
        name: name.into(),
        values: rather::features::ColumnValues::Numeric(values.to_vec()),
    };
    let columns = vec![
        column("price", [3.0, 5.0, 2.0, 4.0, 9.0, 1.0]),
        column("minutes", [4.0, 2.0, 6.0, 4.0, 1.0, 5.0]),
    ];
    let pairs =
        [(0, 5), (1, 5), (4, 2), (1, 2), (3, 5), (0, 2), (1, 3), (0, 3), (4, 5), (1, 4), (0, 4), (3, 2)];
    let mut answers: Vec<Answer> = pairs.iter().map(|&(w, l)| Answer::better(w, l, 1)).collect();
    let items = Items { keys, columns };
    for ties in [false, true] {
        if ties {
            answers.extend([Answer::tie(0, 1), Answer::tie(2, 5)]);
        }
        let said: Vec<Answer> = match ties {
            true => answers.clone(),
            false => pairs.iter().map(|&(w, l)| Answer::rather(w, l)).collect(),
        };
        let model = Model::fit_answers(&items, &said, &[], &FitSettings::default(), &|_| ()).unwrap();
        let mixture = model.belief().mixture().expect("few answers do not tell hyperparameters");
        let pool = PoolUtilities::of(model.belief(), model.points()).unwrap();
        let asked = [(0, 4), (1, 3), (5, 2)];
        let found = scores(&pool, named("bald-quadrature"), &asked, 0).unwrap();
        let entropies = scores(&pool, named("entropy"), &asked, 0).unwrap();
        for (k, &pair) in asked.iter().enumerate() {
            let predicted: Vec<f64> = match ties {
                true => model.outcomes(model.points(), &[pair])[0].iter().map(|(_, p)| *p).collect(),
                false => {
                    let p = model.probabilities(model.points(), &[pair])[0];
                    vec![p, 1.0 - p]
                }
            };
            let entropy: f64 = predicted.iter().map(|p| -p * p.log2()).sum();
            let left: f64 = mixture
                .components()
                .iter()
                .map(|(weight, p)| {
                    let z = p.differences(model.points(), &[pair]);
                    weight * p.answer_model().averages(-z.mean[0], z.variance[0]).entropy.value
                })
                .sum();
            close(entropies[k], entropy, 1e-7, "entropy");
            close(found[k], entropy - left, 1e-7, "information");
        }
        // Every function takes a mixture, and draws from it follow its weights.
        for acquisition in Acquisition::all().filter(|a| !a.conditions_on_a_draw()) {
            let kind = if acquisition.needs_opponent() { Pairs::Against(1) } else { Pairs::All };
            let next = suggest(&pool, &Request::new(acquisition, kind, 2, 0)).unwrap();
            assert!(next.len() == 2 && next.iter().all(|s| s.score.is_finite()), "{acquisition}: {next:?}");
        }
        let improvement = scores(&pool, named("improvement"), &asked, 0).unwrap();
        let each = mixture.components().iter().map(|(weight, p)| {
            let z = p.differences(model.points(), &[(4, 0)]);
            let contrast = Contrast { mean: z.mean[0], variance: z.variance[0], base: 0.0 };
            weight * named("improvement").score(&contrast, &AnswerModel::probit(1.0)).unwrap().value
        });
        close(improvement[0], each.sum(), 1e-9, "expected improvement");
    }
}

/// A random effect that all answers to a pair share: what they say of the utilities, by an integral over both.
#[test]
fn answers_that_share_an_effect_tell_less_of_the_utilities() {
    let points = Points::from_rows(&[[0.0], [1.0], [2.2]]);
    let response_model = ResponseModel { pair_effect: true, ..ResponseModel::default() };
    for ties in [false, true] {
        let mut answers = vec![Answer::rather(0, 1).times(3), Answer::rather(1, 0)];
        if ties {
            answers = vec![Answer::better(0, 1, 1).times(3), Answer::better(1, 0, 1), Answer::tie(0, 1)];
        }
        answers.push(if ties { Answer::better(2, 1, 1) } else { Answer::rather(2, 1) });
        let observations = Observations::of(&Answers::from(answers.as_slice()), &[], response_model);
        let (effect, tie) = (1.2_f64, 0.7);
        let mut values = vec![std::f64::consts::FRAC_1_SQRT_2];
        values.extend(observations.responses.parameters(values[0]).iter().map(|p| match p.name.as_str() {
            "tie" => tie,
            _ => effect,
        }));
        let posterior =
            posterior_of(&points, &observations, se(1, 4.0, 0.5), Values(values), &Settings::default());
        let manner = Manner { thresholds: if ties { &[0.7] } else { &[] }, ..PLAIN };
        let pool = PoolUtilities::new(&posterior, &points);
        let asked = [(0, 2), (2, 0), (0, 1), (1, 0)];
        let found = scores(&pool, named("bald-quadrature"), &asked, 0).unwrap();
        let entropies = scores(&pool, named("entropy"), &asked, 0).unwrap();
        for (k, &(left, right)) in asked.iter().enumerate() {
            let z = posterior.differences(&points, &[(right, left)]);
            let (m, v) = (z.mean[0], z.variance[0]);
            let p: Vec<f64> = match ties {
                true => posterior.outcomes(&points, &[(right, left)])[0].iter().map(|(_, p)| *p).collect(),
                false => {
                    let p = posterior.probabilities(&points, &[(right, left)])[0];
                    vec![p, 1.0 - p]
                }
            };
            let entropy: f64 = p.iter().map(|p| -p * p.log2()).sum();
            close(entropies[k], entropy, 1e-7, "the answer that is predicted");
            if k >= 2 {
                // The effect of this pair is partly known, and the more the difference is off from what was said the more so.
                assert!(
                    found[k] > 0.0
                        && found[k]
                            < bald::quadrature(&Contrast { mean: m, variance: v, base: 0.0 }, 1.0)
                                .value
                                .max(0.3)
                );
                continue;
            }
            let blurred = |z: f64| truth(z, effect * effect, &|u| manner.at(u)).p;
            let (sd, steps) = (v.sqrt(), 60);
            let noise: f64 = (-steps..=steps)
                .map(|t| {
                    let (t, step) = (f64::from(t) * 0.15, 0.15);
                    let weight = step * (-0.5 * t * t).exp() / std::f64::consts::TAU.sqrt();
                    weight * blurred(m + sd * t).iter().map(|p| -p * p.log2()).sum::<f64>()
                })
                .sum();
            close(found[k], entropy - noise, 1e-6, "information about the utilities");
        }
        close(found[2], found[3], 1e-9, "either order");
    }
}

/// Minus the variance of the difference: what is known best comes first, and what is left of the next is its score.
#[derive(Debug)]
struct Precision;

impl AcquisitionFunction for Precision {
    fn name(&self) -> &'static str {
        "precision"
    }

    fn title(&self) -> &'static str {
        "best known difference"
    }

    fn meaning(&self) -> &'static str {
        "minus the variance of the difference"
    }

    fn goal(&self) -> Goal {
        Goal::Baseline
    }

    fn score(&self, contrast: &Contrast, _answers: &AnswerModel, _setting: f64) -> Option<Score> {
        Some(Score { value: -contrast.variance, d_variance: -1.0, ..Score::default() })
    }
}

/// The second of a batch is chosen as if the first had been answered: of a pair that was compared before, all its answers are one factor.
#[test]
fn a_batch_looks_ahead_with_one_factor_a_pair() {
    // The third item is like the second one, so that what is learned of one is learned of the other.
    let points = Points::from_rows(&[[0.0], [5.0], [5.004]]);
    for manner in [PLAIN, Manner { thresholds: &[0.5], ..LAPSES }] {
        let mut answers = match manner.is_graded() {
            true => vec![Answer::better(0, 1, 1).times(2), Answer::better(1, 0, 1), Answer::tie(0, 1)],
            false => vec![Answer::rather(0, 1).times(3), Answer::rather(1, 0)],
        };
        answers.iter_mut().for_each(|a| a.reply.side = 0);
        let given = answers.clone();
        // Only one pair is compared, so that its factor is exact; the third item is known to the kernel alone.
        let observations = Observations::of(&Answers::from(answers.as_slice()), &[], manner.response_model());
        let values = manner.values(&observations.responses);
        let posterior = posterior_of(&points, &observations, se(1, 4.0, 0.01), values, &Settings::default());
        let pool = PoolUtilities::new(&posterior, &points);
        // All at one: the variance of the compared pair is expected to fall to that under all answers and one more.
        let prior = 8.0;
        let said = |z: f64| -> f64 {
            let of = |a: &Answer| {
                // The probability of the answer, where z is the first item's utility less the second's.
                let p = manner.at(if a.pair() == Some((0, 1)) { z } else { -z });
                let p = if a.is_tie() { p[1] } else { p[0] };
                p.powi(a.count as i32)
            };
            given.iter().map(of).product()
        };
        // The density given what was said, normalised, so that it stands for the belief.
        let (step, reach) = (0.01, 30.0);
        let grid: Vec<f64> = (0..(2.0 * reach / step) as usize).map(|k| k as f64 * step - reach).collect();
        let density: Vec<f64> = grid.iter().map(|z| said(*z) * (-0.5 * z * z / prior).exp()).collect();
        let moments = |weigh: &dyn Fn(f64) -> f64| {
            let sums = grid.iter().zip(&density).fold([0.0; 3], |[a, b, c], (z, d)| {
                let w = d * weigh(*z);
                [a + w, b + w * z, c + w * z * z]
            });
            (sums[0], sums[2] / sums[0] - (sums[1] / sums[0]).powi(2))
        };
        let (mass, before) = moments(&|_| 1.0);
        let outcomes = manner.at(0.0).len();
        let expected: f64 = (0..outcomes)
            .map(|y| {
                let (p, left) = moments(&|z| manner.at(z)[y]);
                p / mass * left
            })
            .sum();
        let joint = posterior.joint(&points);
        close(joint.difference(0, 1).1, before, 1e-5, "the belief is exact");
        let mut narrowed = joint.clone();
        narrowed.shrink(0, 1, (1.0 - expected / before) / before);
        close(narrowed.difference(0, 1).1, expected, 1e-5, "what shrinks");
        let given = [(0, 1), (0, 2)];
        let request = Request::new(Acquisition::new(&Precision), Pairs::Given(&given), 2, 0);
        let found = suggest(&pool, &request).unwrap();
        assert_eq!((found[0].challenger, found[0].opponent), (0, 1));
        close(-found[1].score, narrowed.difference(0, 2).1, 1e-5, "after the compared pair");
        // Two factors, one of those given and one of the new answer, would expect something else.
        let (mean, variance) = joint.difference(0, 1);
        let left = manner.truth(mean, variance).left;
        assert!((left - expected).abs() > 1e-3 * expected, "{left} {expected}");
    }
}

/// A rating's levels are answers about one utility.
#[test]
fn ratings_tell_of_one_item() {
    let answers: Vec<Answer> =
        [(0, 3), (1, 2), (2, 1), (3, 0), (4, 2), (0, 2)].iter().map(|&(i, l)| Answer::rated(i, l)).collect();
    let items = Items { keys: (0..5).map(|i| format!("i{i}")).collect(), columns: vec![] };
    let model = Model::fit_answers(&items, &answers, &[], &FitSettings::default(), &|_| ()).unwrap();
    let posterior = model.posterior().unwrap();
    let ratings = posterior.rating_model().expect("levels");
    let utility = posterior.utilities(model.points());
    for i in 0..5 {
        let (mean, variance) = (utility.mean[i], utility.variance[i]);
        let mut levels = posterior.ratings(model.points())[i].clone();
        levels.reverse();
        let found = ratings.probabilities(mean, variance);
        found.iter().zip(&levels).for_each(|(a, b)| close(*a, *b, 1e-8, "level"));
        let entropy: f64 = levels.iter().map(|p| -p * p.log2()).sum();
        // The belief cut to a point is the level's own probability.
        let truth = truth(mean, variance, &|z| ratings.probabilities(z, 0.0));
        let contrast = Contrast { mean, variance, base: 0.0 };
        close(named("entropy").score(&contrast, &ratings).unwrap().value, entropy, 1e-7, "entropy");
        close(
            named("bald").score(&contrast, &ratings).unwrap().value,
            truth.information,
            1e-7,
            "information",
        );
    }
    assert!(PLAIN.posterior(&self::items()).rating_model().is_none());
}

/// A model of many users scores one of them by what they answer.
#[test]
fn users_are_asked_by_their_own_likelihood() {
    let rows: Vec<[f64; 1]> = (0..5).map(|i| [0.7 * f64::from(i)]).collect();
    let points = Points::from_rows(&rows);
    let said: Vec<Answer> = TIES.answers().into_iter().enumerate().map(|(k, a)| a.by(k % 2)).collect();
    let answers = UserAnswers::new(2, 5, &said).unwrap();
    let values = TIES.values(answers.responses());
    let model = PerUser::fit(&points, &answers, &se(1, 3.0, 0.8), values).unwrap();
    let user = model.user(1).unwrap();
    let next = model.suggest(&user, &Request::new(named("bald"), Pairs::All, 1, 0)).unwrap()[0];
    let truth = |(i, j): (usize, usize)| {
        let z = model.predict(1, &[(i, j)]).unwrap();
        TIES.truth(z.mean[0], z.variance[0]).information
    };
    let best = pairs().into_iter().map(truth).fold(f64::MIN, f64::max);
    close(next.score, best, 1e-6, "information");
    close(truth((next.challenger, next.opponent)), best, 1e-6, "the pair");
}

/// Streaming models have the thresholds of a study's ties and the lapses of their settings.
#[test]
fn streams_are_asked_by_their_own_likelihood() {
    let domain = Domain::unit_box(1);
    let points = domain.points(&[vec![0.1], vec![0.5], vec![0.9]]);
    let duel = |left, right, answer| Trial::pair(left, right, Some(answer));
    let duels = [duel(0, 1, Outcome::Left), duel(1, 2, Outcome::Tie), duel(0, 2, Outcome::MuchLeft)];
    let columns = Column::of_domain(&domain);
    let never = rather::streaming::Forgetting::Never;
    let prior = Prior { learn: false, ..Prior::default() };
    let posterior = fit_streaming(&points, &columns, &duels, &prior, never).unwrap();
    let batch = rather::design::fit(&points, &columns, &duels, &prior).unwrap();
    let of = |p: &Belief| p.gaussian().unwrap().answer_model().probabilities(0.4, 1.3);
    assert_eq!(of(&posterior).len(), 5);
    of(&posterior).iter().zip(of(&batch)).for_each(|(a, b)| close(*a, b, 1e-9, "outcome"));
    let settings = rather::streaming::Settings { lapse: 0.2, ..Default::default() };
    let mut model =
        rather::streaming::StreamingModel::new(se(1, 1.0, 0.5), points.clone(), settings).unwrap();
    model.answer(&points, 0, 1).unwrap();
    let heard = model.posterior().unwrap();
    let z = heard.differences(&points, &[(0, 2)]);
    let p = heard.answer_model().probabilities(z.mean[0], z.variance[0])[0];
    close(p, model.probabilities(&points, &[(0, 2)])[0], 1e-8, "lapses included");
}

/// A belief that is no number gives a score that is none.
#[test]
fn what_is_no_number_stays_none() {
    for manner in MANNERS {
        let found = manner.model().averages(f64::NAN, 1.0);
        assert!(found.entropy.value.is_nan(), "{}", manner.name);
        for (mean, variance) in [(1e6, 1.0), (-1e6, 1e-18), (0.0, 1e13), (3.0, 0.0)] {
            let found = manner.model().averages(mean, variance);
            let sum: f64 = found.answers.iter().map(|a| a.value).sum();
            close(sum, 1.0, 1e-8, manner.name);
            assert!(found.entropy.value.is_finite() && found.entropy.d_mean.is_finite());
        }
    }
}

#[test]
fn a_plain_model_keeps_its_closed_form() {
    let points = items();
    let posterior = PLAIN.posterior(&points);
    assert_eq!(posterior.answer_model().closed_form(), Some(posterior.s()));
    let z = posterior.differences(&points, &[(3, 1)]);
    let contrast = Contrast { mean: z.mean[0], variance: z.variance[0], base: 0.0 };
    let pool = PoolUtilities::new(&posterior, &points);
    let found = scores(&pool, named("bald"), &[(1, 3)], 0).unwrap()[0];
    // The variance of a difference by way of a covariance or of features.
    close(found, bald::score(&contrast, posterior.s()).value, 1e-9, "bald");
}
