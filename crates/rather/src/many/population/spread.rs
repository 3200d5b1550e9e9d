//! How far tastes differ, and how sure one may be of them: the multiple of the item kernel's variance, and the inflation of posterior variances,
//! with which a collaborative model foresees answers best.
//!
//! The kernel's variance is shared out among all latent functions, and those without support take their shares with them: what is left is too small,
//! so that probabilities are too near a half. A posterior that is factorised over functions and weights is too narrow, so that they are too near
//! 0 and 1. The evidence of factors that are independent by assumption tells neither; answers that are held out do.

use crate::Error;
use crate::many::collaborative::{Data, Settings};
use crate::many::learning::Learning;
use crate::many::{Collaborative, UserAnswers, UserModel};
use rather_numerics::watch;

/// Multiples of the variance are powers of this, at most so many steps above 1, tried as long as answers are foreseen better.
const STEP: f64 = 2.0;
const STEPS: usize = 3;
/// Inflations of the posterior variance that are tried with each; they need no other fit.
const INFLATIONS: [f64; 7] = [1.0, 1.41, 2.0, 2.83, 4.0, 5.66, 8.0];
/// Parts of the answers, each of which is foreseen from the others.
const PARTS: usize = 4;
/// Answers with fewer in a part tell nothing.
const ENOUGH: usize = 8;

/// What was chosen, and what it foresees.
pub(super) struct Spread {
    pub(super) multiple: f64,
    pub(super) inflation: f64,
    /// The mean log loss of answers foreseen from others; `None` if there are too few.
    pub(super) loss: Option<f64>,
}

/// The multiple of the learned variance and the inflation with the smallest loss; a multiple of 1 if it `is_fixed`, and both are 1 if the answers
/// are too few to tell.
///
/// # Errors
/// Those of [`Collaborative::fit`].
pub(super) fn spread(
    data: &Data<'_>,
    learned: &Learning,
    settings: &Settings,
    is_fixed: bool,
) -> Result<Spread, Error> {
    let parts = parts(data.answers)?;
    if parts.is_empty() {
        return Ok(Spread { multiple: 1.0, inflation: 1.0, loss: None });
    }
    let of = |multiple: f64| {
        watch::check()?;
        let losses = losses(data, &parts, learned, settings, multiple)?;
        let least = (0..INFLATIONS.len()).min_by(|&a, &b| losses[a].total_cmp(&losses[b])).unwrap_or(0);
        Ok::<_, Error>((losses[least], INFLATIONS[least]))
    };
    let (mut multiple, (mut least, mut inflation)) = (1.0, of(1.0)?);
    for _ in 0..if is_fixed { 0 } else { STEPS } {
        let (loss, with) = of(STEP * multiple)?;
        if loss >= least {
            break;
        }
        (multiple, least, inflation) = (STEP * multiple, loss, with);
    }
    Ok(Spread { multiple, inflation, loss: Some(least) })
}

/// The answers without each part of them; none if they are too few.
fn parts(answers: &UserAnswers) -> Result<Vec<UserAnswers>, Error> {
    if answers.by_answer().count() < PARTS * ENOUGH {
        return Ok(Vec::new());
    }
    (0..PARTS).map(|part| answers.filter(|n, _| n % PARTS != part)).collect()
}

/// The mean log loss of every answer, foreseen from the parts that it is not in, with each inflation.
fn losses(
    data: &Data<'_>,
    parts: &[UserAnswers],
    learned: &Learning,
    settings: &Settings,
    multiple: f64,
) -> Result<[f64; INFLATIONS.len()], Error> {
    let mut items = learned.items.clone();
    items.multiply_variance(multiple)?;
    let prior = learned.user_prior();
    let (mut sums, mut count) = ([0.0; INFLATIONS.len()], 0.0);
    for (part, answers) in parts.iter().enumerate() {
        let model = Collaborative::fit(&Data { answers, ..*data }, &items.kernel, &prior, settings)?;
        let (known_items, mut of_user) = (model.items().known(), None);
        let held = data.answers.by_answer().enumerate().filter(|(n, _)| n % PARTS == part);
        for (_, of_answer) in held {
            // Answers are in the order of users.
            let user = of_answer[0].user;
            let posterior = match of_user.take() {
                Some((known, posterior)) if known == user => posterior,
                _ => model.user(user)?,
            };
            let found =
                model.log_predictive(&posterior, &known_items, (data.answers, of_answer), &INFLATIONS);
            sums.iter_mut().zip(found).for_each(|(sum, log)| *sum -= of_answer[0].count * log);
            count += of_answer[0].count;
            of_user = Some((user, posterior));
        }
    }
    Ok(sums.map(|sum| sum / count))
}
