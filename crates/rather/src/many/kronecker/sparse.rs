//! The sparse form (Abbasnejad, Bonilla and Sanner, after the informative vector machine): keep the users and items whose answers tell most, and predict
//! from these.
//!
//! What is kept of the answers makes three readings. [`Selection::project`] is the one to use of these: all answers count, through the full posterior's
//! marginal of the kept utilities ([`Kronecker::compressed`] keeps directions in the place of users, and needs fewer). [`Selection::fit`] fits again on the answers inside, and [`Selection::restrict`] keeps these answers' sites, as Algorithm 1
//! of the paper returns them; both are there to be compared with.
//!
//! As printed, a score is added up at every visit of sequential EP, and counts the visits to within a percent: each visit
//! adds half of `ln 2`. Here each pair that a user was asked about is scored once, at convergence, by the entropy that its site takes from the
//! posterior, `delta = ln(1 + tau s) / 2` with `s` the variance of its cavity; that is the drop of the entropy of the two
//! utilities it compares.

use super::projection::Onto;
use super::{Data, Items, Kronecker, UserFeatures};
use crate::Error;
use crate::inference::Settings;
use crate::inference::sites::Sites;
use crate::many::answers::{Record, UserAnswers};
use rather_numerics::linalg::{Matrix, axpy, dot};
use rather_numerics::order::descending;

/// The users and items that a sparse fit keeps, in increasing order.
#[derive(Debug, Clone, PartialEq)]
pub struct Selection {
    /// Users.
    pub users: Vec<usize>,
    /// Items.
    pub items: Vec<usize>,
}

/// How much the answers about each user and each item have told, in nats.
#[derive(Debug, Clone, PartialEq)]
pub struct Scores {
    /// One a user.
    pub users: Vec<f64>,
    /// One an item.
    pub items: Vec<f64>,
}

impl Kronecker {
    /// The score of every user and item.
    pub fn scores(&self, answers: &UserAnswers) -> Scores {
        let mut out = Scores { users: vec![0.0; answers.users()], items: vec![0.0; answers.items()] };
        let (tau, _) = self.outcome.sites.by_edge(&self.observations, self.prior.asked.len());
        for ((asked, tau), v) in self.prior.asked.iter().zip(tau).zip(&self.outcome.posterior.variance) {
            // s = v / (1 - tau v), so 1 + tau s = 1 / (1 - tau v).
            let delta = -0.5 * (1.0 - tau * v).max(f64::MIN_POSITIVE).ln();
            let about = answers.edges()[asked.pair];
            out.users[asked.user] += delta;
            out.items[about.plus()] += delta;
            out.items[about.minus().unwrap_or(about.plus())] += delta;
        }
        out
    }
}

impl Kronecker {
    /// All users in an order of which every beginning is worth keeping: the next one adds the direction `q` to the features of those before in which
    /// the posterior has most that the prior has not, its mean and what the answers took from its variance,
    /// $$ \\sum_x (q^\\top m_x)^2+q^\\top(I-B^{-1})_{xx}q, $$
    /// over the features $x$ of items: orthogonal matching pursuit. Users who add no direction are not in it.
    pub fn informative_users(&self) -> Vec<usize> {
        let features = &self.users.features;
        let told = self.told_of_users();
        let whole: Vec<f64> = (0..features.cols()).map(|u| dot(features.col(u), features.col(u))).collect();
        // What of each user's features is left, and that times `told`.
        let mut left = features.clone();
        let mut weighed = Matrix::zeros(features.rows(), features.cols());
        (0..features.cols()).for_each(|u| weighed.col_mut(u).copy_from_slice(&told.times(features.col(u))));
        let mut order = Vec::new();
        while order.len() < features.rows() {
            let open = |u: usize| dot(left.col(u), left.col(u));
            let worth = |u: usize| dot(left.col(u), weighed.col(u)) / open(u);
            let candidates = (0..whole.len()).filter(|&u| open(u) > EXPLAINED * whole[u]);
            let best =
                candidates.map(|u| (u, worth(u))).max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
            let Some((next, _)) = best else { break };
            let length = open(next).sqrt();
            let direction: Vec<f64> = left.col(next).iter().map(|x| x / length).collect();
            let along = told.times(&direction);
            for u in 0..whole.len() {
                let part = -dot(&direction, left.col(u));
                axpy(part, &direction, left.col_mut(u));
                axpy(part, &along, weighed.col_mut(u));
            }
            order.push(next);
        }
        order
    }
}

impl Scores {
    /// The `users` users and `items` items with the largest scores.
    pub fn select(&self, users: usize, items: usize) -> Selection {
        Selection { users: largest(&self.users, users), items: largest(&self.items, items) }
    }
}

/// The share of a prior variance below which nothing is left open.
const EXPLAINED: f64 = 1e-9;

fn largest(scores: &[f64], count: usize) -> Vec<usize> {
    let mut order = descending(scores);
    order.truncate(count);
    order.sort_unstable();
    order
}

impl Selection {
    /// The fewest users, in the order of [`Kronecker::informative_users`], with all items, whose projection loses at most `loss` of accuracy as the
    /// full model expects it ([`Kronecker::compressed`] has the formula), and the model that has them.
    ///
    /// # Errors
    /// As [`Selection::project`].
    pub fn within(full: &Kronecker, data: &Data<'_>, loss: f64) -> Result<(Self, Kronecker), Error> {
        let order = full.informative_users();
        let items: Vec<usize> = (0..data.answers.items()).collect();
        full.fewest(data.answers, (order.len(), loss), |users| {
            let mut first = order[..users].to_vec();
            first.sort_unstable();
            let selection = Self { users: first, items: items.clone() };
            selection.project(full, data).map(|model| (selection, model))
        })
    }

    /// The sparse model: the full posterior's marginal of the kept users' utilities of the kept items, and all else as the prior has it given these,
    /// $$ q(f_*)=\int p(f_*\mid f_S)\,q(f_S)\,df_S,\quad S=\text{users}\times\text{items}. $$
    /// All answers count, also those of users and about items that are not kept. In the features of the kept users and items, which span the
    /// space onto which weights and covariance are projected, so that predictions cost what these few cost.
    ///
    /// # Errors
    /// [`Error::Covariance`].
    pub fn project(&self, full: &Kronecker, data: &Data<'_>) -> Result<Kronecker, Error> {
        let items = Items::new(full.items.kernel(), data.items, Some(&self.items))?;
        let prior = &full.users.prior;
        let users = UserFeatures::new(prior, data.answers.users(), data.users, Some(&self.users))?;
        let onto = Onto { users: users.within(&full.users), items: items.within(&full.items) };
        Ok(full.projected(&onto, users, items))
    }

    /// The posterior that the full model's sites of the answers inside make, without a fit: what Algorithm 1 of the paper returns.
    ///
    /// # Errors
    /// As [`Selection::fit`].
    pub fn restrict(&self, full: &Kronecker, data: &Data<'_>) -> Result<Kronecker, Error> {
        let answers = self.answers(data.answers)?;
        let has = |of_answer: &[Record]| vec![self.has(data.answers, of_answer); of_answer.len()];
        let inside: Vec<bool> = data.answers.by_answer().flat_map(has).collect();
        let of = |sites: &[f64]| {
            sites.iter().zip(&inside).filter(|(_, inside)| **inside).map(|(x, _)| *x).collect()
        };
        let sites = Sites { tau: of(&full.outcome.sites.tau), nu: of(&full.outcome.sites.nu) };
        let as_it_is = Settings { sweeps: 0, sequential_sweeps: 0, ..full.settings.inference };
        let settings = super::KroneckerSettings { inference: as_it_is, ..full.settings.clone() };
        let inside = Data { answers: &answers, ..*data };
        Kronecker::build(&inside, full.items.kernel(), &full.users.prior, &settings, Some(&sites), Some(self))
    }

    /// Whether an answer is one of a kept user about kept items.
    fn has(&self, answers: &UserAnswers, of_answer: &[Record]) -> bool {
        let kept = |list: &[usize], x: usize| list.binary_search(&x).is_ok();
        let inside = |record: &Record| {
            let (i, j) = answers.ends(record);
            kept(&self.users, record.user) && kept(&self.items, i) && kept(&self.items, j)
        };
        of_answer.iter().all(inside)
    }

    /// The answers of the selected users among the selected items; users and items keep their numbers, so that a model
    /// fitted to them predicts for everyone.
    ///
    /// # Errors
    /// [`Error::NoComparisons`] if there is none.
    pub fn answers(&self, answers: &UserAnswers) -> Result<UserAnswers, Error> {
        answers.filter(|_, of_answer| self.has(answers, of_answer))
    }

    /// [`Kronecker::fit`] to the selected answers, in the features of the selected users and items
    /// alone, so that inference and prediction cost what these few cost. It predicts for all users and items.
    ///
    /// # Errors
    /// As [`Kronecker::fit`], and [`Selection::answers`].
    pub fn fit(&self, full: &Kronecker, data: &Data<'_>) -> Result<Kronecker, Error> {
        let answers = self.answers(data.answers)?;
        let inside = Data { answers: &answers, ..*data };
        let (items, users) = (full.items.kernel(), &full.users.prior);
        Kronecker::build(&inside, items, users, &full.settings, None, Some(self))
    }
}
