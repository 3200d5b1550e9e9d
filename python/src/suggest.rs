//! The comparisons whose answers would tell most.

use rather::acquisition::pool::{Pairs, Scored};
use rather::acquisition::{Acquisition, Prepared, batch, believer};
use rather::design::never;
use rather::model::Model;
use rather::points::Points;
use rather::posterior::Joint;

/// What to ask.
pub(crate) struct Question {
    /// What makes a comparison useful.
    pub(crate) acquisition: Acquisition,
    /// The item that all others are set against, if there is one.
    pub(crate) opponent: Option<usize>,
    /// How many comparisons.
    pub(crate) n: usize,
    /// Seed of the functions that draw.
    pub(crate) seed: u64,
}

/// The best comparisons one after another, each as if the earlier ones had been answered.
pub(crate) fn suggest(
    model: &Model,
    pool: &Points,
    question: &Question,
) -> Result<Vec<Scored>, rather::Error> {
    let &Question { acquisition, opponent, n, seed } = question;
    of_two(acquisition)?;
    if opponent.is_none() && acquisition.needs_opponent() {
        return Err(rather::Error::NeedsOpponent { acquisition: acquisition.to_string() });
    }
    let posterior = model.posterior()?;
    let joint = joint(model, pool, acquisition, seed)?;
    let pairs = opponent.map_or(Pairs::All, Pairs::Against);
    let request =
        batch::Request { acquisition, s: posterior.s(), pairs, allowed: &|_, _| true, seed, stop: &never };
    batch::greedy(&request, joint, n)
}

/// The value of each of `pairs` of a pool: of setting the second of a pair against the first.
pub(crate) fn values(
    model: &Model,
    pool: &Points,
    pairs: &[(usize, usize)],
    acquisition: Acquisition,
    seed: u64,
) -> Result<Vec<f64>, rather::Error> {
    of_two(acquisition)?;
    let s = model.posterior()?.s();
    // What a closed form says of a pair does not depend on the rest of the pool, whose covariance may be large.
    let mut rows: Vec<usize> = (0..pool.len()).collect();
    if acquisition.is_closed_form() {
        rows = pairs.iter().flat_map(|&(left, right)| [left, right]).collect();
        rows.sort_unstable();
        rows.dedup();
    }
    let joint = joint(model, &pool.select(&rows), acquisition, seed)?;
    let prepared = Prepared::new(acquisition, &joint, s, seed)?;
    let place = |row: usize| rows.partition_point(|&other| other < row);
    Ok(pairs.iter().map(|&(left, right)| prepared.challenge(place(right), place(left))).collect())
}

/// What is believed of a pool, as an acquisition function looks at it.
fn joint(model: &Model, pool: &Points, acquisition: Acquisition, seed: u64) -> Result<Joint, rather::Error> {
    let joint = believer::posterior(&acquisition, model.posterior()?, seed)?.joint(pool);
    if joint.mean.iter().any(|m| !m.is_finite()) {
        return Err(rather::Error::Inference);
    }
    Ok(joint)
}

/// A comparison is a choice of two.
fn of_two(acquisition: Acquisition) -> Result<(), rather::Error> {
    match acquisition {
        Acquisition::Qeubo { q: q @ 3.. } => Err(rather::Error::ChoiceOfTwo { q }),
        _ => Ok(()),
    }
}
