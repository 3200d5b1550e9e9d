//! How far tastes differ: the multiple of the item kernel's variance with which a collaborative model foresees answers best.
//!
//! The variance is shared out among all latent functions, and those without support take their shares with them: what is left is too small, so
//! that probabilities are too near a half. The evidence of factors that are independent by assumption does not tell by how much; answers that
//! are held out do.

use crate::Error;
use crate::many::collaborative::{Data, Settings};
use crate::many::learning::Learning;
use crate::many::{Collaborative, UserAnswers, UserModel};
use rather_numerics::watch;

/// Multiples of the variance are powers of this, at most so many steps above 1, tried as long as answers are foreseen better.
const STEP: f64 = 2.0;
const STEPS: usize = 3;
/// Parts of the answers, each of which is foreseen from the others.
const PARTS: usize = 4;
/// Answers with fewer in a part tell nothing.
const ENOUGH: usize = 8;

/// The chosen multiple, and what it foresees.
pub(super) struct Spread {
    pub(super) multiple: f64,
    /// The mean log loss of answers foreseen from others; `None` if there are too few.
    pub(super) loss: Option<f64>,
}

/// The multiple of the learned variance with the smallest loss; 1 if it `is_fixed`, or the answers are too few to tell.
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
        return Ok(Spread { multiple: 1.0, loss: None });
    }
    let of = |multiple: f64| {
        watch::check()?;
        loss(data, &parts, learned, settings, multiple)
    };
    let (mut multiple, mut least) = (1.0, of(1.0)?);
    for _ in 0..if is_fixed { 0 } else { STEPS } {
        let loss = of(STEP * multiple)?;
        if loss >= least {
            break;
        }
        (multiple, least) = (STEP * multiple, loss);
    }
    Ok(Spread { multiple, loss: Some(least) })
}

/// The answers without each part of them; none if they are too few.
fn parts(answers: &UserAnswers) -> Result<Vec<UserAnswers>, Error> {
    if answers.by_answer().count() < PARTS * ENOUGH {
        return Ok(Vec::new());
    }
    (0..PARTS).map(|part| answers.filter(|n, _| n % PARTS != part)).collect()
}

/// The mean log loss of every answer, foreseen from the parts that it is not in.
fn loss(
    data: &Data<'_>,
    parts: &[UserAnswers],
    learned: &Learning,
    settings: &Settings,
    multiple: f64,
) -> Result<f64, Error> {
    let mut items = learned.items.clone();
    super::fit::multiply_variance(&mut items, multiple)?;
    let prior = learned.user_prior();
    let (mut sum, mut count) = (0.0, 0.0);
    for (part, answers) in parts.iter().enumerate() {
        let model = Collaborative::fit(&Data { answers, ..*data }, &items.kernel, &prior, settings)?;
        let mut of_user = None;
        let held = data.answers.by_answer().enumerate().filter(|(n, _)| n % PARTS == part);
        for (_, of_answer) in held {
            // Answers are in the order of users.
            let user = of_answer[0].user;
            let posterior = match of_user.take() {
                Some((known, posterior)) if known == user => posterior,
                _ => model.user(user)?,
            };
            sum -= of_answer[0].count * model.log_predictive(&posterior, data.answers, of_answer);
            count += of_answer[0].count;
            of_user = Some((user, posterior));
        }
    }
    Ok(sum / count)
}
