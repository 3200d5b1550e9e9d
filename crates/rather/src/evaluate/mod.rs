//! How well a model predicts answers that it has not learned from.

mod calibration;
mod folds;
mod question;
mod scores;
mod tested;

pub use calibration::{Bin, Calibration};
pub use folds::{By, split};
#[doc(hidden)]
pub use folds::{Fold, compared, folds, projections, split_by};
#[doc(hidden)]
pub use question::{Question, Questions};
pub use scores::Scores;
pub use tested::Tested;

use crate::Error;
use crate::answers::{Answer, Answers};
use crate::comparisons::Edge;
use crate::features::Encoder;
use crate::learn::choice::{KernelChoice, KernelSpec};
use crate::many::UserModel;
use crate::model::{Ep, FitSettings, Inference, Items, Model};
use crate::points::Points;
use crate::posterior::{Asked, of_moments};
use crate::representation::Representation;

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
    test.check(items.keys.len())?;
    let model = Model::fit_given(items, training, users, settings, &|_| ())?;
    if !model.report().trustworthy {
        return Err(Error::Inference);
    }
    tested(&model, model.points(), test)
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
    Ok(all.iter().zip(predicted).map(|(question, p)| Tested::answered(question, p)).collect())
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
    Ok(all.iter().zip(predicted).map(|(question, p)| Tested::answered(question, p)).collect())
}

/// Tests each part of the answers on a model of others, its hyperparameters learned anew ([`By`] tells which).
/// `progress` hears of every part.
///
/// # Errors
/// [`Error::EmptyTraining`]; [`Error::HoldOut`] if items without features are to be held out; and as [`hold_out`].
pub fn cross_validate(
    items: &Items,
    (answers, users): (&Answers, &[String]),
    (by, parts, seed): (By, usize, u64),
    settings: &FitSettings,
    progress: &dyn Fn(usize),
) -> Result<Vec<Tested>, Error> {
    if by == By::Items && Encoder::fit(&items.columns, settings.raw_features).0.features.is_empty() {
        return Err(Error::HoldOut);
    }
    let answers: Vec<Answer> = answers.iter().collect();
    let mut all = Vec::with_capacity(answers.len());
    for (at, fold) in folds(&answers, by, parts, seed)?.iter().enumerate() {
        let [training, test] =
            [&fold.training, &fold.test].map(|rows| rows.iter().map(|&r| answers[r]).collect::<Answers>());
        all.extend(hold_out(items, training, &test, users, settings)?);
        progress(at);
    }
    Ok(all)
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
        let validate =
            |by, parts| cross_validate(&items, (&answers, &[]), (by, parts, 0), &settings, &|_| ());
        let scores = Scores::of(&validate(By::Comparisons, 10).unwrap());
        assert_eq!(scores.comparisons, 20.0);
        assert!(scores.accuracy > 0.7 && scores.log_loss < Scores::GUESSING.log_loss, "{scores:?}");
        assert!(matches!(validate(By::Comparisons, 11), Err(Error::Parameter { .. })));
        assert_eq!(validate(By::Items, 2).unwrap_err(), Error::HoldOut);
    }
}
