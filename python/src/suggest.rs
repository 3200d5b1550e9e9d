//! The acquisition functions, and the comparisons whose answers would tell most.

use pyo3::prelude::*;
use rather::acquisition::pool::{Pairs, Scored};
use rather::acquisition::{Acquisition, Request};

/// Row numbers of left and right, and score.
pub(crate) type Suggested = (usize, usize, f64);

/// The `n` best comparisons, against `opponent` if there is one.
pub(crate) fn request(
    acquisition: Acquisition,
    opponent: Option<usize>,
    n: usize,
    seed: u64,
) -> Request<'static> {
    Request::new(acquisition, opponent.map_or(Pairs::All, Pairs::Against), n, seed)
}

/// What was found, as Python takes it.
pub(crate) fn rows(found: &[Scored]) -> Vec<Suggested> {
    found.iter().map(|s| (s.opponent, s.challenger, s.score)).collect()
}

/// The acquisition functions there are: name, what the score means, whether an opponent is needed.
#[pyfunction]
pub(crate) fn acquisitions() -> Vec<(String, &'static str, bool)> {
    Acquisition::all().map(|a| (a.to_string(), a.meaning(), a.needs_opponent())).collect()
}
