//! What is believed after the answers of others, too.
//!
//! Others' answers make a collaborative model (Houlsby et al. 2012), which tells what to expect of somebody new; the
//! participant's own answers are folded into that by expectation propagation. The model of others does not see the
//! participant's answers, so however many others there are, their own answers are what moves a participant's utilities.

use super::fit::only_pairs;
use super::{Column, Outcome, Prior, Trial, fit, observations};
use crate::Error;
use crate::answers::{Answer, Answers};
use crate::belief::Belief;
use crate::kernel::Kernel;
use crate::many::collaborative::{Data, Settings};
use crate::many::{Collaborative, Items, Notice, UserAnswers, UserModel, UserPosterior, UserPrior, fold};
use crate::points::Points;
use crate::posterior::Posterior;

/// Others who must have answered before their answers tell anything about somebody new: of two people who agree on
/// something, a third may be expected to agree, too.
pub const FEWEST_OTHERS: usize = 2;
/// Latent functions, at most.
const FUNCTIONS: usize = 10;
/// The variance of what all people share, for one of what is each one's own. A study asks everybody the same question because
/// they are expected to agree to a good part.
const COMMON: f64 = 2.0;

/// The posterior over one participant's utilities of items like `points` after the answers of `duels` and the duels of
/// `others`, one list a person, all by the same numbers. While fewer than [`FEWEST_OTHERS`] of them have preferred anything, or their
/// answers are too few to find anything in, it is that of [`fit`].
///
/// An answer without a preference pulls two of the participant's own utilities together, as half a comparison each way; of others it
/// says nothing. How strong a preference is is not heard. Lengthscales and variance are those of `prior`, which are not learned here.
///
/// # Errors
/// As [`fit`], and those of [`Collaborative::fit`].
///
/// # Examples
/// ```
/// use rather::design::{Outcome, Column, Trial, Prior, fit_with_others};
/// use rather::search::Domain;
///
/// let domain = Domain::unit_box(1);
/// let points = domain.points(&[vec![0.1], vec![0.5], vec![0.9]]);
/// let duel = |left, right| Trial::pair(left, right, Some(Outcome::Left));
/// // Three others like the first setting best and the last one least.
/// let others = vec![vec![duel(0, 1), duel(1, 2), duel(0, 2)]; 3];
/// let posterior = fit_with_others(&points, &Column::of_domain(&domain), &[], &others, &Prior::default())?;
/// assert!(posterior.probabilities(&points, &[(0, 2)])[0] > 0.6);
/// # Ok::<(), rather::Error>(())
/// ```
pub fn fit_with_others(
    points: &Points,
    columns: &[Column],
    duels: &[Trial],
    others: &[Vec<Trial>],
    prior: &Prior,
) -> Result<Belief, Error> {
    super::fit::check(points, columns, duels)?;
    match Expected::of(points, columns, others, prior)? {
        Some(expected) => Ok(expected.fit(points, duels)?.into()),
        None => fit(points, columns, duels, prior),
    }
}

/// What the answers of others make one expect of somebody new: it does not depend on the answers of whoever that is.
#[derive(Debug, Clone)]
pub struct Expected {
    kernel: Kernel,
    items: Items,
    user: UserPosterior,
}

impl Expected {
    /// What the duels of `others` make one expect, for items like `points`; `None` while fewer than [`FEWEST_OTHERS`] have preferred
    /// anything, or their answers are too few to find anything in.
    ///
    /// # Errors
    /// Those of [`UserAnswers::new`] and [`Collaborative::fit`].
    pub fn of(
        points: &Points,
        columns: &[Column],
        others: &[Vec<Trial>],
        prior: &Prior,
    ) -> Result<Option<Self>, Error> {
        others.iter().try_for_each(|trials| only_pairs(trials))?;
        let said = preferences(others);
        let people = said.last().and_then(Answer::user).map_or(0, |last| last + 1);
        if people < FEWEST_OTHERS {
            return Ok(None);
        }
        let answers = UserAnswers::new(people, points.len(), &said)?;
        let functions = FUNCTIONS.min(people).min(points.len() - 1);
        // Everything together has the prior's variance.
        let sd = prior.sd / (functions as f64 * (1.0 + COMMON)).sqrt();
        let kernel = Prior { sd, ..*prior }.kernel(columns)?;
        let settings = Settings { functions, values: Prior::NOISE.into(), ..Settings::default() };
        let data = Data { items: points, users: None, answers: &answers };
        let model = Collaborative::fit(&data, &kernel, &UserPrior::exchangeable(COMMON), &settings)?;
        if model.report().notices.contains(&Notice::Collapsed) {
            return Ok(None);
        }
        let user = model.newcomer(None, &Answers::default())?;
        Ok(Some(Self { kernel, items: model.items().clone(), user }))
    }

    /// The posterior after somebody's own answers, about the same `points`.
    ///
    /// # Errors
    /// [`Error::Inference`] and [`Error::Covariance`] if the numbers break down.
    pub fn fit(&self, points: &Points, duels: &[Trial]) -> Result<Posterior, Error> {
        only_pairs(duels)?;
        let plain = |d: &Trial| Trial { answer: d.answer.map(Outcome::plain), ..*d };
        let own = observations(&duels.iter().map(plain).collect::<Vec<_>>());
        let user = if own.merged.is_empty() {
            self.user.clone()
        } else {
            fold(&self.items, Prior::NOISE, self.user.clone(), own)?
        };
        Posterior::of_weights(&self.kernel, points, (&user.mean, &user.covariance), user.scale, Prior::NOISE)
    }
}

/// What others preferred, people without a preference left out, the others numbered from 0.
fn preferences(others: &[Vec<Trial>]) -> Vec<Answer> {
    let choices = |duels: &Vec<Trial>| -> Vec<(usize, usize)> {
        let choice = |d: &Trial| d.winner().map(|winner| (winner, d.left + d.right - winner));
        duels.iter().filter_map(choice).collect()
    };
    let all = others.iter().map(choices).filter(|said| !said.is_empty()).enumerate();
    all.flat_map(|(user, said)| {
        said.into_iter().map(move |(winner, loser)| Answer::rather(winner, loser).by(user))
    })
    .collect()
}
