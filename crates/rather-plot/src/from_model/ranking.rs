//! The best items.

use rather::model::Model;

use super::{compared, utility_name};
use crate::{RankedItem, Ranking};

/// The `top` best items of the model with their utilities.
pub fn ranking(model: &Model, top: usize) -> Ranking {
    let known = compared(model);
    let all = model.rank(model.points());
    let left_out = all.len().saturating_sub(top);
    let item = |r: rather::model::Ranked| RankedItem {
        name: model.keys()[r.item].clone(),
        mean: r.mean,
        sd: r.sd,
        compared: known[r.item],
    };
    Ranking { items: all.into_iter().take(top).map(item).collect(), left_out, utility: utility_name(model) }
}
