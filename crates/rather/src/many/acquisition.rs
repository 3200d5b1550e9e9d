//! Which question to ask a user: acquisition functions of what a model of many users believes.
//!
//! What a model believes about a user is a Gaussian over the items' utilities, so every function of
//! [`crate::acquisition`] applies to one user as it does to a single person; to someone new ([`UserModel::newcomer`]) too, by what everyone else's
//! answers make one expect.
//!
//! What an answer says about the other users is not counted: it is second to what it says about the one who gives it.

use super::UserModel;
use super::user_posterior::UserPosterior;
use crate::Error;
use crate::acquisition::pool::{Pairs, Scored};
use crate::acquisition::{Acquisition, batch};
use crate::answers::check_known;
use crate::posterior::Joint;

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

impl Request<'_> {
    /// # Errors
    /// [`Error::UnknownItem`], whose row is the pair; [`Error::NeedsOpponent`]; [`Error::ChoiceOfTwo`];
    /// [`Error::ManyUsers`] for [`Acquisition::Believer`].
    fn check(&self, items: usize) -> Result<(), Error> {
        let unknown = |(row, &(i, j)): (usize, &(usize, usize))| check_known(row, [i, j], items).err();
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
/// use rather::answers::Answer;
/// use rather::acquisition::Acquisition;
/// use rather::kernel::{Schema, parse};
/// use rather::many::acquisition::{Request, questions};
/// use rather::many::{UserAnswers, PerUser, UserModel};
/// use rather::points::Points;
/// use rather::acquisition::pool::Pairs;
///
/// let schema = Schema { names: vec!["price".into()], categorical: vec![false] };
/// let items = Points::from_rows(&[[0.0], [1.0], [5.0]]);
/// let answers = UserAnswers::new(1, 3, &[Answer::rather(0, 1).by(0)])?;
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
