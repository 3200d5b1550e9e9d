//! Which question to ask whom: acquisition functions over users.
//!
//! What a model believes about a user is a Gaussian over the items' utilities, so every function of
//! [`crate::acquisition`] applies to one user as it does to a single person. What many users add:
//!
//! - *Which user*: [`across_users`] compares the best questions of all users. Scores that are amounts of information
//!   ([`Acquisition::Bald`], [`Acquisition::Entropy`], both in bits) mean the same for everyone; a user of whom little is known
//!   then comes first (Houlsby et al. 2012, section 3).
//! - *A newcomer's first questions*: [`first_questions`] starts from what everyone else's answers say about someone new.
//!
//! What an answer says about the other users is not counted: it is second to what it says about the one who gives it.

use super::user_posterior::UserPosterior;
use super::{UserModel, check_user};
use crate::acquisition::pool::{Pairs, Scored};
use crate::acquisition::{Acquisition, batch};
use crate::points::Points;
use crate::posterior::Joint;
use crate::random::{stream, uniform};
use crate::{Comparison, Error, parallel};

/// What makes a question worth asking, and among which pairs.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// The value of a comparison.
    pub acquisition: Acquisition,
    /// Which pairs of the model's items are considered.
    pub pairs: Pairs<'a>,
    /// Seed of draws.
    pub seed: u64,
}

/// A question to a user.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Question {
    /// Whom to ask.
    pub user: usize,
    /// Which items.
    pub pair: (usize, usize),
    /// The acquisition function's value.
    pub score: f64,
}

impl Request<'_> {
    /// # Errors
    /// [`Error::UnknownItem`], whose row is the pair; [`Error::NeedsOpponent`]; [`Error::ChoiceOfTwo`];
    /// [`Error::ManyUsers`] for [`Acquisition::Believer`].
    fn check(&self, items: usize) -> Result<(), Error> {
        let unknown = |(row, &(i, j)): (usize, &(usize, usize))| {
            [i, j].into_iter().find(|&x| x >= items).map(|item| Error::UnknownItem { row, item, items })
        };
        let error = match (self.acquisition, self.pairs) {
            (Acquisition::Believer, _) => Some(Error::ManyUsers {
                model: "users'",
                problem: "has no exact posterior to draw from, which believer needs; take bald or improvement",
            }),
            (Acquisition::Qeubo { q }, _) if q != 2 => Some(Error::ChoiceOfTwo { q }),
            (_, Pairs::Against(opponent)) => unknown((0, &(opponent, opponent))),
            (a, _) if a.needs_opponent() => Some(Error::NeedsOpponent { acquisition: a.to_string() }),
            (_, Pairs::Given(pairs)) => pairs.iter().enumerate().find_map(unknown),
            (_, Pairs::All) => None,
        };
        error.map_or(Ok(()), Err)
    }
}

impl UserPosterior {
    /// The joint posterior over the model's known items, as acquisition functions take it.
    pub fn joint(&self, model: &(impl UserModel + ?Sized)) -> Joint {
        let (mean, covariance) = self.utilities(&model.items().known());
        Joint { mean, covariance }
    }
}

/// The `n` questions to someone, best first, each chosen as if the earlier ones had been answered ([`batch::greedy`]); only
/// pairs that are `allowed`, and none twice. Fewer if there are no more.
///
/// # Errors
/// [`Error::UnknownItem`], whose row is the pair; [`Error::NeedsOpponent`] and [`Error::ChoiceOfTwo`] as for a single person;
/// [`Error::ManyUsers`] for [`Acquisition::Believer`]; [`Error::Covariance`].
///
/// # Examples
/// ```
/// use rather::acquisition::Acquisition;
/// use rather::kernel::{Schema, parse};
/// use rather::many::acquisition::{Request, questions};
/// use rather::many::{Answer, Answers, PerUser, UserModel};
/// use rather::points::Points;
/// use rather::acquisition::pool::Pairs;
///
/// let schema = Schema { names: vec!["price".into()], categorical: vec![false] };
/// let items = Points::from_rows(&[[0.0], [1.0], [5.0]]);
/// let answers = Answers::new(1, 3, &[Answer { user: 0, winner: 0, loser: 1, count: 1 }])?;
/// let model = PerUser::fit(&items, &answers, &parse("se", &schema, false)?, 0.7)?;
/// let request = Request { acquisition: Acquisition::Bald, pairs: Pairs::All, seed: 0 };
/// let next = questions(&model, &model.user(0)?, &request, &|_, _| true, 1)?;
/// // Nothing is known about the third item, and much about the other two.
/// assert_eq!(next[0].opponent, 2);
/// # Ok::<(), rather::Error>(())
/// ```
pub fn questions(
    model: &(impl UserModel + ?Sized),
    user: &UserPosterior,
    request: &Request<'_>,
    allowed: &dyn Fn(usize, usize) -> bool,
    n: usize,
) -> Result<Vec<Scored>, Error> {
    let Request { acquisition, pairs, seed } = *request;
    request.check(model.items().len())?;
    let s = model.likelihood().s();
    let stop = || false;
    batch::greedy(&batch::Request { acquisition, s, pairs, allowed, seed, stop: &stop }, user.joint(model), n)
}

/// The first questions to someone new, of whom features, some answers or nothing at all is known: those that tell most given
/// what everyone else's answers make one expect ([`UserModel::newcomer`]).
///
/// # Errors
/// As [`questions`] and [`UserModel::newcomer`].
pub fn first_questions(
    model: &(impl UserModel + ?Sized),
    features: Option<&Points>,
    answers: &[Comparison],
    request: &Request<'_>,
    allowed: &dyn Fn(usize, usize) -> bool,
    n: usize,
) -> Result<Vec<Scored>, Error> {
    questions(model, &model.newcomer(features, answers)?, request, allowed, n)
}

/// The `n` best questions to any of `users`, best first; only those that are `allowed` (user, item, item). A user's second
/// question is chosen, and scored, as if the first had been answered, so that many users are asked before one is asked
/// twice about nearly the same.
///
/// # Errors
/// As [`questions`], and [`Error::NewUser`].
pub fn across_users(
    model: &(impl UserModel + ?Sized),
    users: &[usize],
    request: &Request<'_>,
    allowed: &(dyn Fn(usize, usize, usize) -> bool + Sync),
    n: usize,
) -> Result<Vec<Question>, Error> {
    request.check(model.items().len())?;
    users.iter().try_for_each(|&user| check_user(user, model.users()))?;
    // The question after so many earlier ones.
    let after = |user: usize, earlier: usize| -> Result<Option<Question>, Error> {
        let own = Request { seed: seed_of(request.seed, user), ..*request };
        let batch = questions(model, &model.user(user)?, &own, &|i, j| allowed(user, i, j), earlier + 1)?;
        Ok(batch.get(earlier).map(|q| Question { user, pair: (q.challenger, q.opponent), score: q.score }))
    };
    let firsts = parallel::map(users.len(), 1, |u| after(users[u], 0).map(|first| (0, first)));
    let mut heads: Vec<(usize, Option<Question>)> = firsts.into_iter().collect::<Result<_, Error>>()?;
    let mut out = Vec::with_capacity(n.min(users.len()));
    while out.len() < n {
        let Some((at, best)) = first_largest(&heads) else { break };
        out.push(best);
        let earlier = heads[at].0 + 1;
        heads[at] = (earlier, if out.len() < n { after(best.user, earlier)? } else { None });
    }
    Ok(out)
}

/// The best question, and whose turn it is; the first of equal ones.
fn first_largest(heads: &[(usize, Option<Question>)]) -> Option<(usize, Question)> {
    let mut best: Option<(usize, Question)> = None;
    for (at, (_, head)) in heads.iter().enumerate() {
        if let Some(q) = head
            && best.is_none_or(|(_, b)| q.score > b.score)
        {
            best = Some((at, *q));
        }
    }
    best
}

/// Users draw independently of each other.
fn seed_of(seed: u64, user: usize) -> u64 {
    uniform(&mut stream(seed, user as u64)).to_bits()
}
