//! The comparisons whose answers would tell most.

use rather::acquisition::{Acquisition, batch, believer};
use rather::design::never;
use rather::points::Points;
use rather::search::pool::{Pairs, Scored};

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
    model: &rather::model::Model,
    pool: &Points,
    question: &Question,
) -> Result<Vec<Scored>, rather::Error> {
    let &Question { acquisition, opponent, n, seed } = question;
    match acquisition {
        Acquisition::Qeubo { q: q @ 3.. } => return Err(rather::Error::ChoiceOfTwo { q }),
        _ if opponent.is_none() && acquisition.needs_opponent() => {
            return Err(rather::Error::NeedsOpponent { acquisition: acquisition.to_string() });
        }
        _ => {}
    }
    let posterior = model.posterior()?;
    let joint = believer::posterior(&acquisition, posterior, seed)?.joint(pool);
    if joint.mean.iter().any(|m| !m.is_finite()) {
        return Err(rather::Error::Inference);
    }
    let pairs = opponent.map_or(Pairs::All, Pairs::Against);
    let request =
        batch::Request { acquisition, s: posterior.s(), pairs, allowed: &|_, _| true, seed, stop: &never };
    batch::greedy(&request, joint, n)
}
