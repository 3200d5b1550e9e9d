//! The best items.

use rather::Person;

use super::{compared, utility_name};
use crate::{RankedItem, Ranking};

/// The `top` best of the model's items with their utilities to a person.
pub fn ranking(person: &Person<'_>, top: usize) -> Ranking {
    let items = person.items();
    let known = compared(items.keys().len(), &person.compared());
    let all = person.rank(items.points());
    let left_out = all.len().saturating_sub(top);
    let item = |r: rather::model::Ranked| RankedItem {
        name: items.keys()[r.item].clone(),
        mean: r.mean,
        sd: r.sd,
        compared: known[r.item],
    };
    let utility = utility_name(person.hyperparameters().noise());
    Ranking { items: all.into_iter().take(top).map(item).collect(), left_out, utility, zero: None }
}
