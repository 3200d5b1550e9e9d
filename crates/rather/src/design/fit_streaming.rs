//! What is believed after the answers so far, heard one after the other.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::answer::have_thresholds;
use super::fit::{check, fit, only_pairs};
use super::thresholds::{Learn, Setting, settle};
use super::{Column, History, Kept, Outcome, Prior, Thresholds, Trial, observations};
use crate::Error;
use crate::belief::Belief;
use crate::inducing::covering;
use crate::likelihood::{AnswerIndex, Reply, Responses};
use crate::points::Points;
use crate::posterior::Posterior;
use crate::streaming::{Forgetting, Settings, StreamingModel};

/// The largest number of basis points.
const BASIS: usize = 64;
/// The share of an item's variance that they may leave open before there is another.
const OPEN: f64 = 1e-3;
/// Answers that are revisited. As many as anybody gives in a study; older ones keep what they said when they came.
const MEMORY: usize = 2048;
/// Sweeps over them in the end: what one pass leaves out is mostly made up for by the first.
const SWEEPS: usize = 5;
/// Answers at the beginning that hyperparameters and thresholds are learned from, at most.
const FIRST: usize = 100;

/// How the answers of a history are taken in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Inference {
    /// All together, by expectation propagation ([`fit`]).
    #[default]
    Ep,
    /// One after the other ([`fit_streaming`]).
    Streaming,
}

/// The posterior over the utilities of items like `points` after hearing the answers of `duels` in their order, by the
/// [streaming model](StreamingModel) with a basis of at most 64 of the items compared. Where they are fewer and nothing is forgotten
/// it is that of [`fit`], but that hyperparameters and thresholds are learned from the first hundred answers, by expectation
/// propagation, and then held; and a tie that is split counts as a whole answer each way.
///
/// The prior's noise, lengthscales and variance are those of [`fit`].
///
/// # Errors
/// Those of [`fit`], and [`Error::Parameter`] for a forgetting out of range.
///
/// # Examples
/// ```
/// use rather::design::{Outcome, Column, Trial, Prior, fit_streaming};
/// use rather::search::Domain;
/// use rather::streaming::Forgetting;
///
/// let domain = Domain::unit_box(1);
/// let points = domain.points(&[vec![0.2], vec![0.7]]);
/// let duel = |answer| Trial::pair(0, 1, Some(answer));
/// let duels = [duel(Outcome::Left), duel(Outcome::Left), duel(Outcome::Right), duel(Outcome::Right)];
/// let forgetting = Forgetting::Power { half_life: 2.0 };
/// let posterior = fit_streaming(&points, &Column::of_domain(&domain), &duels, &Prior::default(), forgetting)?;
/// let utilities = posterior.utilities(&points).mean;
/// assert!(utilities[1] > utilities[0]); // the last answers count most
/// # Ok::<(), rather::Error>(())
/// ```
pub fn fit_streaming(
    points: &Points,
    columns: &[Column],
    duels: &[Trial],
    prior: &Prior,
    forgetting: Forgetting,
) -> Result<Belief, Error> {
    fit_streaming_keeping(points, columns, duels, (prior, forgetting), &Kept::default())
}

/// As [`fit_streaming`], where hyperparameters may be `kept` from an earlier fit of the same columns, prior and way of forgetting.
///
/// # Errors
/// As [`fit_streaming`].
pub fn fit_streaming_keeping(
    points: &Points,
    columns: &[Column],
    duels: &[Trial],
    (prior, forgetting): (&Prior, Forgetting),
    kept: &Kept,
) -> Result<Belief, Error> {
    check(points, columns, duels)?;
    only_pairs(duels)?;
    let items = observations(duels).items;
    if items.is_empty() {
        return fit(points, columns, &[], prior);
    }
    let what = Learn { kernel: prior.learn, most: FIRST };
    let history = History { trials: duels, half_life: forgetting.half_life() };
    let settings = settle(points, prior.kernels(columns)?, history, &what, kept)?;
    let compared = points.select(&items);
    let one =
        |setting: &Setting| Ok((setting.weight, stream(points, &compared, duels, setting, forgetting)?));
    Ok(Belief::average(settings.iter().map(one).collect::<Result<_, Error>>()?))
}

/// The posterior under these hyperparameters.
fn stream(
    points: &Points,
    compared: &Points,
    duels: &[Trial],
    Setting { kernel, thresholds, .. }: &Setting,
    forgetting: Forgetting,
) -> Result<Posterior, Error> {
    let basis = compared.select(&covering(kernel, compared, BASIS, OPEN));
    let settings = Settings { noise: Prior::NOISE, memory: MEMORY, forgetting, ..Settings::default() };
    let mut model = StreamingModel::new(kernel.clone(), basis, settings)?;
    let thresholds = have_thresholds(duels).then_some(thresholds);
    let responses = observations(duels).responses;
    if let Some(thresholds) = thresholds {
        let values = thresholds.values(&responses, 1.0);
        model = model.with_responses(Arc::clone(&responses), values);
    }
    for duel in duels {
        hear(&mut model, points, duel, (thresholds, &responses))?;
    }
    model.refine(SWEEPS);
    model.posterior()
}

/// Takes in one duel; without thresholds there are neither ties nor grades nor numbers.
fn hear(
    model: &mut StreamingModel,
    points: &Points,
    duel: &Trial,
    (thresholds, responses): (Option<&Thresholds>, &Responses),
) -> Result<(), Error> {
    let &Trial { left, right, answer, .. } = duel;
    let Some(answer) = answer else { return Ok(()) };
    let (better, worse) = if answer.strength() < 0 { (right, left) } else { (left, right) };
    match (answer, thresholds) {
        (Outcome::Split, _) => {
            model.answer(points, left, right)?;
            model.answer(points, right, left)?;
        }
        (Outcome::By { kind, number }, _) => {
            let reply = Reply::new(kind, f64::from(number.unsigned_abs()));
            let known = responses.replies.iter().position(|known| known.key() == reply.key());
            // What there is not is refused.
            let index = AnswerIndex(known.and_then(|at| u32::try_from(at).ok()).unwrap_or(u32::MAX));
            model.observe(points, (better, Some(worse)), index, false)?;
        }
        (_, Some(thresholds)) => {
            model.answer_between(points, better, worse, thresholds.bounds(answer))?;
        }
        (_, None) => {
            model.answer(points, better, worse)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Domain;

    fn history(answers: &[Outcome]) -> (Points, Vec<Column>, Vec<Trial>) {
        let domain = Domain::unit_box(1);
        let points = domain.points(&[vec![0.1], vec![0.3], vec![0.6], vec![0.9]]);
        let pairs = [(0, 1), (2, 1), (3, 2), (0, 3), (1, 3)];
        let duels = answers.iter().zip(pairs.iter().cycle());
        let duels = duels.map(|(&a, &(left, right))| Trial::pair(left, right, Some(a))).collect();
        (points, Column::of_domain(&domain), duels)
    }

    #[test]
    fn what_is_not_forgotten_is_believed_as_by_the_batch() {
        use Outcome::{Left, Right};
        // Every pair once: answers about one pair are one factor to the batch, and several to a stream.
        let (points, columns, duels) = history(&[Left, Right, Right, Left, Right]);
        let prior = Prior::default();
        let batch = fit(&points, &columns, &duels, &prior).unwrap().utilities(&points);
        let heard =
            fit_streaming(&points, &columns, &duels, &prior, Forgetting::Never).unwrap().utilities(&points);
        // Five sweeps of expectation propagation in the order of the answers come this close to its fixed point.
        for (a, b) in batch.mean.iter().zip(&heard.mean) {
            assert!((a - b).abs() < 1e-3, "{batch:?} {heard:?}");
        }
        for (a, b) in batch.variance.iter().zip(&heard.variance) {
            assert!((a - b).abs() < 1e-3, "{batch:?} {heard:?}");
        }
    }

    #[test]
    fn ties_pull_together_and_skips_say_nothing() {
        let (points, columns, mut duels) = history(&[Outcome::Left, Outcome::Tie, Outcome::Left]);
        let prior = Prior::default();
        let spread = |duels: &[Trial]| {
            let u = fit_streaming(&points, &columns, duels, &prior, Forgetting::Never).unwrap();
            u.differences(&points, &[(2, 1)]).variance[0]
        };
        let with = spread(&duels);
        duels[1].answer = None;
        assert!(with < spread(&duels));
        let nothing = [Trial::pair(0, 1, None)];
        let before = fit_streaming(&points, &columns, &nothing, &prior, Forgetting::Never).unwrap();
        assert!(before.utilities(&points).mean.iter().all(|&m| m == 0.0));
    }

    #[test]
    fn learned_hyperparameters_follow_the_answers_and_stay_finite() {
        let answers: Vec<Outcome> =
            (0..60).map(|i| if i % 5 == 0 { Outcome::Left } else { Outcome::Right }).collect();
        let (points, columns, duels) = history(&answers);
        let prior = Prior { learn: true, ..Prior::default() };
        let belief =
            fit_streaming(&points, &columns, &duels, &prior, Forgetting::Drift { half_life: 10.0 }).unwrap();
        assert!(belief.utilities(&points).mean.iter().all(|m| m.is_finite()));
    }
}
