//! The next question about a set of items of a pool.

use super::policy::{self, Step};
use super::stop::by_hope;
use super::{Pool, Prior, Request, pool};
use crate::Error;
use crate::acquisition::sets::{self, Chooser, Effort, Search};
use crate::acquisition::{PoolUtilities, suggest};
use crate::likelihood::Link;
use rather_numerics::random::stream;

/// The items of the next question, in the order in which they are to be shown, and the information gain of which is the best, in nats; `None` for the
/// first questions, which only fill space.
type ProposedSet = (Vec<usize>, Option<f64>);

/// The next question about so many `options` of `pool`: at the beginning items that fill space, then those of which it tells most which is the best
/// ([`Person::suggest_sets`](crate::Person::suggest_sets)).
///
/// Never the set of the last question again, nor one that was skipped since the last answer, as long as another is found. The order of the items is
/// drawn by the seed and the number of questions so far.
///
/// # Errors
/// [`Error::Parameter`] for fewer than two options, more than twelve, or more than there are items; those of [`suggest`].
pub fn next_set_in_pool(request: &Request<'_>, pool: &Pool, options: usize) -> Result<ProposedSet, Error> {
    sets::check(options, pool.points.len())?;
    let (items, gain) = match policy::step(request, 0)? {
        Step::Fill => {
            let items = pool::fill(pool, request, options, &|_, _| true);
            (items.unwrap_or_else(|| (0..options).collect()), None)
        }
        Step::Any | Step::Best | Step::Winner(_) => most_informative(request, pool, options)?,
    };
    Ok((policy::shown(request.seed, request.trials.len(), items), gain))
}

fn most_informative(request: &Request<'_>, pool: &Pool, options: usize) -> Result<ProposedSet, Error> {
    let &Request { posterior, trials, stop, .. } = request;
    let seed = policy::draw_seed(request.seed, trials.len());
    let search = Search {
        items: pool.points.len(),
        chooser: Chooser { link: Link::Probit, noise: Prior::NOISE },
        pairs: &|wanted| suggest(&PoolUtilities::of(posterior, &pool.points)?, wanted),
        effort: Effort::BRIEF,
        draws: &|items, number| posterior.draws(&pool.points.select(items), number, &mut stream(seed, 6)),
        stop,
    };
    let forbidden = policy::forbidden_sets(trials);
    let mut found = search.sets((options, 1), seed)?;
    if found.iter().all(|set| is_one_of(&forbidden, &set.items)) {
        found.extend(search.sets((options, forbidden.len() + 1), seed)?);
    }
    let fresh = found.iter().find(|set| !is_one_of(&forbidden, &set.items)).or(found.first());
    Ok(fresh.map_or_else(|| ((0..options).collect(), None), |set| (set.items.clone(), Some(set.score))))
}

fn is_one_of(sets: &[Vec<usize>], items: &[usize]) -> bool {
    let mut items = items.to_vec();
    items.sort_unstable();
    sets.contains(&items)
}

/// The set of the item `recommended` and those that are the likeliest to be better, in the order in which they are to be shown; not one that must not
/// be asked next ([`next_set_in_pool`]). `None` if there is no other.
///
/// # Errors
/// [`Error::PoolItem`] if there is no item `recommended`; [`Error::Parameter`] as [`next_set_in_pool`].
pub fn check_set_in_pool(
    request: &Request<'_>,
    pool: &Pool,
    recommended: usize,
    options: usize,
) -> Result<Option<Vec<usize>>, Error> {
    let items = pool.points.len();
    sets::check(options, items)?;
    if recommended >= items {
        return Err(Error::PoolItem { item: recommended, items });
    }
    let others = (0..items).filter(|&item| item != recommended).collect();
    let rivals = by_hope(request.posterior, pool, recommended, others);
    let forbidden = policy::forbidden_sets(request.trials);
    let sets = rivals.windows(options - 1).map(|rivals| [rivals, &[recommended]].concat());
    let fresh = sets.into_iter().find(|set| !is_one_of(&forbidden, set));
    Ok(fresh.map(|set| policy::shown(request.seed, request.trials.len(), set)))
}
