//! The sparse form: keep the users and items whose answers tell most, and fit again on the answers among them
//! (Abbasnejad, Bonilla and Sanner, after the informative vector machine).
//!
//! As printed, a score is added up at every visit of sequential EP, and counts the visits to within a percent: each visit
//! adds half of `ln 2`. Here each pair that a user was asked about is scored once, at convergence, by the entropy that its site takes from the
//! posterior, `delta = ln(1 + tau s) / 2` with `s` the variance of its cavity; that is the drop of the entropy of the two
//! utilities it compares.

use super::{Data, Kronecker};
use crate::Error;
use crate::many::answers::{Record, UserAnswers};

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

impl Scores {
    /// The `users` users and `items` items with the largest scores.
    pub fn select(&self, users: usize, items: usize) -> Selection {
        Selection { users: largest(&self.users, users), items: largest(&self.items, items) }
    }
}

fn largest(scores: &[f64], count: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]).then(a.cmp(&b)));
    order.truncate(count);
    order.sort_unstable();
    order
}

impl Selection {
    /// The answers of the selected users among the selected items; users and items keep their numbers, so that a model
    /// fitted to them predicts for everyone.
    ///
    /// # Errors
    /// [`Error::NoComparisons`] if there is none.
    pub fn answers(&self, answers: &UserAnswers) -> Result<UserAnswers, Error> {
        let kept = |list: &[usize], x: usize| list.binary_search(&x).is_ok();
        let inside = |record: &Record| {
            let (i, j) = answers.ends(record);
            kept(&self.users, record.user) && kept(&self.items, i) && kept(&self.items, j)
        };
        answers.filter(|_, of_answer| of_answer.iter().all(inside))
    }

    /// The sparse model: [`Kronecker::fit`] to the selected answers, in the features of the selected users and items
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
