//! How well a model predicts answers that it has not learned from.

mod calibration;
mod davidson;
mod elo;
mod folds;
mod game;
mod paired;
mod question;
mod scores;
mod tested;

pub use calibration::{Bin, Calibration};
#[doc(hidden)]
pub use davidson::davidson;
#[doc(hidden)]
pub use elo::elo;
#[doc(hidden)]
pub use folds::{About, Fold, blocks, compared, levels, projections, rolling, split_by};
pub use folds::{By, split};
#[doc(hidden)]
pub use game::{OfGames, of_folds};
#[doc(hidden)]
pub use paired::Paired;
#[doc(hidden)]
pub use question::{Question, Questions};
pub use scores::Scores;
#[doc(hidden)]
pub use tested::Placed;
pub use tested::Tested;

use std::ops::Range;

use crate::Error;
use crate::answers::{Answer, Answers};
use crate::comparisons::Edge;
use crate::context::Sides;
use crate::features::Encoder;
use crate::learn::choice::{KernelChoice, KernelSpec};
use crate::likelihood::ResponseModel;
use crate::likelihood::{AnswerIndex, Likelihoods, Predictive, Reply};
use crate::many::UserModel;
use crate::model::{Ep, FitSettings, Inference, Integration, Items, Laplace, Model, PairEffect};
use crate::points::Points;
use crate::posterior::{Asked, Moments, edges_of, of_answers, of_moments};
use crate::representation::Representation;
use rather_numerics::parallel;

/// Answers of any kinds by `users`, about items or about sides of comparisons that have columns.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct Data<'a> {
    pub items: &'a Items,
    pub sides: Option<&'a Sides>,
    pub answers: &'a Answers,
    pub users: &'a [String],
}

impl Data<'_> {
    /// The answers about the items, or teams, that the sides are of: what is the same in another context.
    pub fn about_entrants(&self) -> Vec<Answer> {
        let entrant = |side: usize| self.sides.map_or(side, |sides| sides.items[side] as usize);
        self.answers.iter().map(|answer| answer.renumbered(entrant)).collect()
    }

    /// So many parts at random, each with the others to learn from ([`By`] tells what is held out together).
    ///
    /// # Errors
    /// [`Error::HoldOut`] if items without features are to be held out; [`Error::Parameter`] for too few or too many parts;
    /// [`Error::EmptyTraining`].
    pub fn folds(&self, by: By, parts: usize, seed: u64, raw: bool) -> Result<Vec<Fold>, Error> {
        if by == By::Items && Encoder::fit(&self.items.columns, raw).0.features.is_empty() {
            return Err(Error::HoldOut);
        }
        folds::folds(&self.about_entrants(), by, parts, seed)
    }

    /// Some of the answers.
    fn select(&self, rows: &[usize]) -> Answers {
        let all: Vec<Answer> = self.answers.iter().collect();
        rows.iter().map(|&row| all[row]).collect()
    }

    /// Learns from all, and tests on `test`, answers about items or about sides of their own.
    ///
    /// # Errors
    /// As [`hold_out`]; those of [`Model::encode_sides`].
    pub fn hold_out(
        &self,
        (test, sides): (&Answers, Option<&Sides>),
        settings: &FitSettings,
    ) -> Result<Vec<Tested>, Error> {
        test.check(sides.map_or(self.items.keys.len(), |sides| sides.items.len()))?;
        let (items, answers, users) = (self.items, self.answers.clone(), self.users);
        let model = match self.sides {
            None => Model::fit_given(items, answers, users, settings, &|_| ())?,
            Some(sides) => Model::fit_in_context(items, sides, answers, users, settings, &|_| ())?,
        };
        if !model.report().trustworthy {
            return Err(Error::Inference);
        }
        match sides {
            None => tested(&model, model.points(), test),
            Some(sides) => {
                let found = tested(&model, &model.encode_sides(sides)?, test)?;
                // Sides are numbered as they come; of two items that comes first which is first among the items.
                let is_turned = |answer: Answer| {
                    let (a, b) = answer.pair().unwrap_or_default();
                    sides.items[a.min(b)] > sides.items[a.max(b)]
                };
                let in_order = |(t, answer): (Tested, Answer)| if is_turned(answer) { t.turned() } else { t };
                Ok(found.into_iter().zip(test.iter()).map(in_order).collect())
            }
        }
    }

    /// Tests each of the `folds` on a model of its training answers, hyperparameters learned anew. `progress` hears of every fold.
    ///
    /// # Errors
    /// As [`Data::hold_out`].
    pub fn validate(
        &self,
        folds: &[Fold],
        settings: &FitSettings,
        progress: &dyn Fn(usize),
    ) -> Result<Vec<Vec<Tested>>, Error> {
        let one = |(at, fold): (usize, &Fold)| {
            let (training, test) = (self.select(&fold.training), self.select(&fold.test));
            let found = Data { answers: &training, ..*self }.hold_out((&test, self.sides), settings)?;
            progress(at);
            Ok(found)
        };
        folds.iter().enumerate().map(one).collect()
    }
}

/// Learns from `training` and tests on `test`, answers of any kinds by `users`.
///
/// # Errors
/// As [`Model::fit_answers`]; [`Error::NoComparisons`] and those of [`Answers::check`] also for `test`; [`Error::Inference`] if the model is not
/// to be trusted.
pub fn hold_out(
    items: &Items,
    training: Answers,
    test: &Answers,
    users: &[String],
    settings: &FitSettings,
) -> Result<Vec<Tested>, Error> {
    Data { items, sides: None, answers: &training, users }.hold_out((test, None), settings)
}

/// What a model predicts of `answers` about `points`, which it was not learned from.
///
/// # Examples
/// ```
/// use rather::answers::{Answer, Answers};
/// use rather::evaluate::{Scores, tested};
/// use rather::model::{FitSettings, Items, Model};
///
/// let items = Items { keys: vec!["tea".into(), "coffee".into(), "wine".into()], columns: vec![] };
/// let answers = [Answer::better(0, 1, 1).times(4), Answer::tie(0, 1).times(2), Answer::better(1, 2, 1).times(5)];
/// let model = Model::fit_answers(&items, &answers, &[], &FitSettings::default(), &|_| ())?;
/// let held_out: Answers = [Answer::better(0, 2, 1), Answer::tie(0, 2)].into_iter().collect();
/// let found = tested(&model, model.points(), &held_out)?;
/// assert!(found[0].of_answer() > found[1].of_answer());
/// assert!(Scores::of(&found).log_loss > 0.0);
/// # Ok::<(), rather::Error>(())
/// ```
pub fn tested(model: &Model, points: &Points, answers: &Answers) -> Result<Vec<Tested>, Error> {
    let Questions { responses, all } = Questions::of(&model.observations().responses, answers);
    let asked: Vec<Asked<'_>> = all.iter().map(|q| (q.about, q.options.as_slice())).collect();
    let predicted = model.expected(points, &asked, &responses);
    let mut found: Vec<Tested> = all.iter().zip(predicted).map(|(q, p)| Tested::answered(q, p)).collect();
    if all.iter().any(|question| question.measured.is_some()) {
        let about: Vec<Edge> = all.iter().map(|question| question.about).collect();
        place(&mut found, &all, &model.components(points, &about, &responses));
    }
    if all.iter().any(|question| question.set.is_some()) {
        let sets = all.iter().filter_map(|question| question.set.as_ref());
        let pairs: Vec<Edge> = sets.flat_map(|(_, items)| edges_of(items)).collect();
        place_sets(&mut found, &all, &model.components(points, &pairs, &responses));
    }
    Ok(found)
}

/// The probabilities of the answers about sets, under beliefs about the pairs of all sets, one set after the other.
fn place_sets(tested: &mut [Tested], questions: &[Question], beliefs: &[(f64, Moments, Likelihoods)]) {
    let mut next = 0;
    let asked = questions.iter().enumerate().filter_map(|(at, question)| {
        let (answer, items) = question.set.as_ref()?;
        let own = next..next + items.len() * (items.len() - 1) / 2;
        next = own.end;
        Some((at, *answer, own))
    });
    let asked: Vec<(usize, AnswerIndex, Range<usize>)> = asked.collect();
    let one = |k: usize| {
        let (_, answer, own) = &asked[k];
        let (mut predicted, mut place) = (Vec::new(), None);
        for (weight, moments, likelihoods) in beliefs {
            let Some(set) = likelihoods.about_set(*answer) else { continue };
            let pairs = Moments {
                mean: moments.mean[own.clone()].to_vec(),
                variance: moments.variance[own.clone()].to_vec(),
            };
            let (of_answers, given) = of_answers(set, &pairs);
            predicted.resize(of_answers.len(), 0.0);
            predicted.iter_mut().zip(of_answers).for_each(|(sum, p)| *sum += weight * p);
            place = given;
        }
        (predicted, place)
    };
    let found = parallel::map(asked.len(), 1, one);
    for ((at, ..), (predicted, given)) in asked.iter().zip(found) {
        tested[*at].predicted = predicted;
        tested[*at].given = given;
    }
}

/// Where the measured numbers among the answers lie in their predicted distributions, mixtures of Gaussian beliefs about the projections.
fn place(tested: &mut [Tested], questions: &[Question], beliefs: &[(f64, Moments, Likelihoods)]) {
    for (at, (tested, question)) in tested.iter_mut().zip(questions).enumerate() {
        let Some((answer, sign)) = question.measured else { continue };
        let part = |(weight, moments, likelihoods): &(f64, Moments, Likelihoods)| {
            Some((*weight, sign * moments.mean[at], moments.variance[at], likelihoods.measurement(answer)?))
        };
        let parts: Vec<_> = beliefs.iter().filter_map(part).collect();
        if let Some((.., measurement)) = parts.first().copied() {
            tested.value = Some(Placed::new(&Predictive::of(parts.into_iter()), measurement.value));
        }
    }
}

/// As [`tested`], of what a model of many users predicts of `answers` of one of them, about the items that it knows.
///
/// # Errors
/// [`Error::NewUser`], and those of [`Answers::check`].
pub fn tested_of_user(model: &dyn UserModel, user: usize, answers: &Answers) -> Result<Vec<Tested>, Error> {
    answers.check(model.items().len())?;
    let learned = model.responses();
    let Questions { responses, all } = Questions::of(learned.responses(), answers);
    let likelihoods = responses.likelihoods(&responses.values(learned.responses(), learned.values()));
    let about: Vec<Edge> = all.iter().map(|question| question.about).collect();
    let asked: Vec<Asked<'_>> = all.iter().map(|q| (q.about, q.options.as_slice())).collect();
    let moments = model.user(user)?.projections(&model.items().known(), &about);
    let predicted = of_moments(&moments, &asked, &likelihoods);
    let mut found: Vec<Tested> = all.iter().zip(predicted).map(|(q, p)| Tested::answered(q, p)).collect();
    let sets = all.iter().filter_map(|question| question.set.as_ref());
    let pairs: Vec<Edge> = sets.flat_map(|(_, items)| edges_of(items)).collect();
    let of_sets = model.user(user)?.projections(&model.items().known(), &pairs);
    place_sets(&mut found, &all, &[(1.0, of_sets, likelihoods.clone())]);
    place(&mut found, &all, &[(1.0, moments, likelihoods)]);
    Ok(found)
}

/// The settings of a baseline that knows items by name only (Bayesian Thurstone): the kernel `white`. Of the fixed hyperparameters it has the
/// `noise`, the `variance`, and those of the answers.
pub fn without_features(settings: &FitSettings) -> FitSettings {
    let known = |(name, _): &&(String, f64)| {
        let lower = name.to_lowercase();
        let base = lower.rsplit('.').next().and_then(|last| last.split('[').next()).unwrap_or_default();
        lower == "variance" || !["variance", "lengthscale", "period", "alpha"].contains(&base)
    };
    let inference = match settings.inference.clone() {
        Inference::Ep(ep) => Inference::Ep(Ep { representation: Representation::Auto, ..ep }),
        other => other,
    };
    FitSettings {
        kernel: KernelChoice::Given(KernelSpec { expression: "white".into(), ard: false }),
        fixed: settings.fixed.iter().filter(known).cloned().collect(),
        inference,
        ..settings.clone()
    }
}

/// The settings of a baseline that knows items by weights of their features only: the kernel `linear`, and else as [`without_features`].
#[doc(hidden)]
pub fn linear(settings: &FitSettings) -> FitSettings {
    let kernel = KernelChoice::Given(KernelSpec { expression: "linear".into(), ard: false });
    FitSettings { kernel, ..without_features(settings) }
}

/// The settings of a baseline that knows how often what is answered, whatever it is about: the kernel `white` with next to no variance. What is left
/// are the thresholds of ties and ratings, the mean and the spread of values, and the advantage of the left; where labels are among `answers`, an offset that
/// all items share.
#[doc(hidden)]
pub fn base_rates(settings: &FitSettings, answers: &Answers) -> FitSettings {
    let names = without_features(settings);
    let of_answers =
        |(name, _): &&(String, f64)| !["variance", "noise"].contains(&name.to_lowercase().as_str());
    let mut fixed: Vec<(String, f64)> = names.fixed.iter().filter(of_answers).cloned().collect();
    fixed.push(("noise".into(), 1.0));
    // Labels are about a threshold of zero; of other answers an offset tells nothing.
    let kernel = if answers.distinct().any(|answer| answer.reply.kind == Reply::LABEL.kind) {
        fixed.extend([("white.variance".into(), NEXT_TO_NOTHING), ("constant.variance".into(), OFFSET)]);
        KernelChoice::Given(KernelSpec { expression: "white + constant".into(), ard: false })
    } else {
        fixed.push(("variance".into(), NEXT_TO_NOTHING));
        names.kernel
    };
    let response_model =
        ResponseModel { bias: true, user_noise: false, pair_effect: false, ..names.response_model };
    let integration = Integration::Off;
    let inference = match names.inference {
        Inference::Laplace(laplace) => Inference::Laplace(Laplace { integration, ..laplace }),
        _ => Inference::Ep(Ep { pair_effect: PairEffect::Off, integration, ..Ep::default() }),
    };
    FitSettings { kernel, fixed, response_model, inference, half_life: None, ..names }
}

/// The variance of utilities that stand for none, where the noise of an item has the variance 1.
const NEXT_TO_NOTHING: f64 = 1e-8;
/// The prior variance of an offset in the same unit: any frequency.
const OFFSET: f64 = 9.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_is_predicted_from_the_other_parts() {
        let items = Items { keys: (0..5).map(|i| i.to_string()).collect(), columns: vec![] };
        let answers: Answers = (0..5)
            .flat_map(|winner| (winner + 1..5).map(move |loser| Answer::rather(winner, loser).times(2)))
            .collect();
        let settings = without_features(&FitSettings::default());
        let data = Data { items: &items, sides: None, answers: &answers, users: &[] };
        let validate = |by, parts| {
            let folds = data.folds(by, parts, 0, false)?;
            Ok(data.validate(&folds, &settings, &|_| ())?.concat())
        };
        let scores = Scores::of(&validate(By::Pairs, 10).unwrap());
        assert_eq!(scores.comparisons, 20.0);
        assert!(scores.accuracy > 0.7 && scores.log_loss < Scores::GUESSING.log_loss, "{scores:?}");
        assert!(matches!(validate(By::Pairs, 11), Err(Error::Parameter { .. })));
        assert_eq!(validate(By::Items, 2).unwrap_err(), Error::HoldOut);
    }
}
