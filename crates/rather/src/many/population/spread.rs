//! How far tastes differ, and how sure one may be of them: the multiple of the item kernel's variance, and the inflation of posterior variances,
//! with which a collaborative model foresees answers best, of the users in the fit and of newcomers.
//!
//! The kernel's variance is shared out among all latent functions, and those without support take their shares with them: what is left is too small,
//! so that probabilities are too near a half. A posterior that is factorised over functions and weights is too narrow, so that they are too near
//! 0 and 1. The evidence of factors that are independent by assumption tells neither; answers that are held out do.

use crate::Error;
use crate::many::collaborative::{Data, Settings};
use crate::many::learning::Learning;
use crate::many::{Collaborative, UserAnswers, UserModel, UserPosterior};
use rather_numerics::watch;

/// Multiples of the variance are powers of this, at most so many steps above 1, tried as long as answers are foreseen better.
const STEP: f64 = 2.0;
const STEPS: usize = 3;
/// Inflations of the posterior variance that are tried with each; they need no other fit.
const INFLATIONS: [f64; 7] = [1.0, 1.41, 2.0, 2.83, 4.0, 5.66, 8.0];
/// And of newcomers' variances, which may also be too large: the prior of someone new is as wide as the factors have it.
const INFLATIONS_OF_NEWCOMERS: [f64; 8] = [0.25, 0.35, 0.5, 0.71, 1.0, 1.41, 2.0, 2.83];
/// One in so many of a newcomer's answers is given, and the others are foreseen.
const GIVEN: usize = 3;
/// Parts of the answers, each of which is foreseen from the others.
const PARTS: usize = 4;
/// Answers with fewer in a part tell nothing.
const ENOUGH: usize = 8;

/// What was chosen, and what it foresees.
pub(super) struct Spread {
    pub(super) multiple: f64,
    pub(super) inflation: f64,
    pub(super) newcomer_inflation: f64,
    /// The mean log loss of answers foreseen from others; `None` if there are too few.
    pub(super) loss: Option<f64>,
}

/// The multiple of the learned variance and the inflation with the smallest loss; a multiple of 1 if it `is_fixed`, and all are 1 if the answers
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
        return Ok(Spread { multiple: 1.0, inflation: 1.0, newcomer_inflation: 1.0, loss: None });
    }
    let of = |multiple: f64| {
        watch::check()?;
        let losses = losses(data, &parts, learned, settings, multiple)?;
        let least = least(&losses);
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
    let newcomer_inflation = of_newcomers(data, learned, settings, multiple)?;
    Ok(Spread { multiple, inflation, newcomer_inflation, loss: Some(least) })
}

fn least(losses: &[f64]) -> usize {
    (0..losses.len()).min_by(|&a, &b| losses[a].total_cmp(&losses[b])).unwrap_or(0)
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
    let mut sum = Losses::new(&INFLATIONS);
    for (part, answers) in parts.iter().enumerate() {
        let model = fit(&Data { answers, ..*data }, learned, settings, multiple)?;
        sum.add(&model, data.answers, |n, _| n % PARTS == part, |user| model.user(user))?;
    }
    Ok(sum.means())
}

/// Log losses of held-out answers, by what the posterior variances of those who gave them are multiplied by.
struct Losses<const N: usize> {
    inflations: &'static [f64; N],
    sums: [f64; N],
    count: f64,
}

impl<const N: usize> Losses<N> {
    fn new(inflations: &'static [f64; N]) -> Self {
        Self { inflations, sums: [0.0; N], count: 0.0 }
    }

    /// Adds those of the answers, by number and user, that are `held` out, by what is believed of each user.
    fn add(
        &mut self,
        model: &Collaborative,
        answers: &UserAnswers,
        held: impl Fn(usize, usize) -> bool,
        believed: impl Fn(usize) -> Result<UserPosterior, Error>,
    ) -> Result<(), Error> {
        let (known_items, mut of_user) = (model.items().known(), None);
        let held = answers.by_answer().enumerate().filter(|(n, of_answer)| held(*n, of_answer[0].user));
        for (_, of_answer) in held {
            // Answers are in the order of users.
            let user = of_answer[0].user;
            let posterior = match of_user.take() {
                Some((known, posterior)) if known == user => posterior,
                _ => believed(user)?,
            };
            let found = model.log_predictive(&posterior, &known_items, (answers, of_answer), self.inflations);
            self.sums.iter_mut().zip(found).for_each(|(sum, log)| *sum -= of_answer[0].count * log);
            self.count += of_answer[0].count;
            of_user = Some((user, posterior));
        }
        Ok(())
    }

    fn means(&self) -> [f64; N] {
        self.sums.map(|sum| sum / self.count)
    }
}

fn fit(
    data: &Data<'_>,
    learned: &Learning,
    settings: &Settings,
    multiple: f64,
) -> Result<Collaborative, Error> {
    let mut items = learned.items.clone();
    items.multiply_variance(multiple)?;
    Collaborative::fit(data, &items.kernel, &learned.user_prior(), settings)
}

/// The inflation with which most of what each part of the users said is foreseen from some of their answers and from the other users; 1 if they are
/// too few.
fn of_newcomers(
    data: &Data<'_>,
    learned: &Learning,
    settings: &Settings,
    multiple: f64,
) -> Result<f64, Error> {
    let is_given = |n: usize| n.is_multiple_of(GIVEN);
    let given = data.answers.filter(|n, _| is_given(n))?;
    let mut sum = Losses::new(&INFLATIONS_OF_NEWCOMERS);
    for part in 0..PARTS {
        watch::check()?;
        let is_new = |user: usize| user % PARTS == part && !given.of_user(user).is_empty();
        let others = data.answers.filter(|_, of_answer| !is_new(of_answer[0].user))?;
        if others.records().is_empty() {
            continue;
        }
        let model = fit(&Data { answers: &others, ..*data }, learned, settings, multiple)?;
        let believed = |user: usize| {
            let features = data.users.map(|points| points.select(&[user]));
            let said = (&given.observations(user), model.responses().likelihoods());
            model.factorised(features.as_ref(), said)
        };
        sum.add(&model, data.answers, |n, user| !is_given(n) && is_new(user), believed)?;
    }
    let few = (PARTS * ENOUGH) as f64;
    Ok(if sum.count < few { 1.0 } else { INFLATIONS_OF_NEWCOMERS[least(&sum.means())] })
}
