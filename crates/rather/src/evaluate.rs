//! How well a model predicts comparisons that it has not learned from.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use crate::model::{FitSettings, Items, Model};
use crate::{Comparison, Error};

/// A probability as near as this to one half prefers neither item: the difference is rounding.
const EVEN: f64 = 1e-12;

/// Averages over tested comparisons, each weighted by its count.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scores {
    /// Share of comparisons whose winner had a probability above one half; one half, up to rounding, counts half.
    pub accuracy: f64,
    /// Mean of `-ln p` with `p` the probability of what was answered, in nats.
    pub log_loss: f64,
    /// Mean of `(1 - p)^2`.
    pub brier: f64,
    /// Number of comparisons, repeated ones counted.
    pub comparisons: f64,
}

impl Scores {
    /// What a probability of one half for everything has.
    pub const GUESSING: Self =
        Self { accuracy: 0.5, log_loss: std::f64::consts::LN_2, brier: 0.25, comparisons: 0.0 };

    /// The scores of `tested`: probabilities of what was answered, and how often it was. A probability of 0 counts
    /// as the smallest positive number, so that one answer does not make the log loss infinite.
    ///
    /// # Examples
    /// ```
    /// let scores = rather::evaluate::Scores::new(&[(0.8, 1.0), (0.5, 1.0), (0.4, 2.0)]);
    /// assert_eq!(scores.accuracy, 1.5 / 4.0);
    /// ```
    pub fn new(tested: &[(f64, f64)]) -> Self {
        let comparisons: f64 = tested.iter().map(|(_, count)| count).sum();
        let mean = |score: fn(f64) -> f64| {
            tested.iter().map(|&(p, count)| count * score(p)).sum::<f64>() / comparisons
        };
        Self {
            accuracy: mean(|p| if (p - 0.5).abs() <= EVEN { 0.5 } else { f64::from(u8::from(p > 0.5)) }),
            log_loss: mean(|p| -p.max(f64::MIN_POSITIVE).ln()),
            brier: mean(|p| (1.0 - p).powi(2)),
            comparisons,
        }
    }
}

/// Splits `n` numbers into `folds` parts at random, as equal in size as can be: the same under the same seed.
pub fn split(n: usize, folds: usize, seed: u64) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..n).collect();
    order.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
    let mut parts = vec![Vec::new(); folds];
    for (place, row) in order.into_iter().enumerate() {
        parts[place % folds].push(row);
    }
    parts
}

/// Learns from `training` and tests on `test`.
///
/// # Errors
/// As [`Model::fit`]; [`Error::NoComparisons`] also for `test`.
pub fn hold_out(
    items: &Items,
    training: &[Comparison],
    test: &[Comparison],
    settings: &FitSettings,
) -> Result<Scores, Error> {
    if test.is_empty() {
        return Err(Error::NoComparisons);
    }
    Ok(Scores::new(&tested(items, training, test, settings)?))
}

/// Splits comparisons into `folds` parts at random and tests each on a model of the others, its hyperparameters
/// learned anew. A repeated comparison stays in one part if it is one entry with a count. `progress` hears of every part.
///
/// # Errors
/// [`Error::Parameter`] unless there are at least two folds and a comparison for each; and as [`Model::fit`].
pub fn cross_validate(
    items: &Items,
    comparisons: &[Comparison],
    folds: usize,
    seed: u64,
    settings: &FitSettings,
    progress: &dyn Fn(usize),
) -> Result<Scores, Error> {
    if folds < 2 || folds > comparisons.len() {
        let requirement = "there must be at least two, and a comparison for each";
        return Err(Error::Parameter { name: "folds".into(), value: folds as f64, requirement });
    }
    let parts = split(comparisons.len(), folds, seed);
    let mut all = Vec::with_capacity(comparisons.len());
    for (at, part) in parts.iter().enumerate() {
        let others = parts.iter().enumerate().filter(|&(other, _)| other != at).flat_map(|(_, rows)| rows);
        let [training, test] =
            [others.copied().collect(), part.clone()].map(|rows: Vec<usize>| select(comparisons, &rows));
        all.extend(tested(items, &training, &test, settings)?);
        progress(at);
    }
    Ok(Scores::new(&all))
}

fn select(comparisons: &[Comparison], rows: &[usize]) -> Vec<Comparison> {
    rows.iter().map(|&row| comparisons[row]).collect()
}

/// The probability of each answer in `test`, and its count.
fn tested(
    items: &Items,
    training: &[Comparison],
    test: &[Comparison],
    settings: &FitSettings,
) -> Result<Vec<(f64, f64)>, Error> {
    let model = Model::fit(items, training, settings, &|_| ())?;
    let pairs: Vec<(usize, usize)> = test.iter().map(|c| (c.winner, c.loser)).collect();
    let probabilities = model.probabilities(model.points(), &pairs);
    Ok(probabilities.into_iter().zip(test).map(|(p, c)| (p, f64::from(c.count))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::choice::{KernelChoice, KernelSpec};

    #[test]
    fn parts_are_a_partition_and_follow_the_seed() {
        let parts = split(11, 3, 7);
        let mut sizes: Vec<usize> = parts.iter().map(Vec::len).collect();
        sizes.sort_unstable();
        assert_eq!(sizes, [3, 4, 4]);
        let mut all = parts.concat();
        all.sort_unstable();
        assert_eq!(all, (0..11).collect::<Vec<_>>());
        assert_eq!(split(11, 3, 7), parts);
        assert_ne!(split(11, 3, 8), parts);
    }

    #[test]
    fn guessing_is_what_it_says() {
        let scores = Scores::new(&[(0.5, 2.0), (0.5, 1.0)]);
        assert_eq!(scores, Scores { comparisons: 3.0, ..Scores::GUESSING });
        assert!(Scores::new(&[(0.0, 1.0)]).log_loss.is_finite());
    }

    #[test]
    fn an_order_is_predicted_from_the_other_parts() {
        let items = Items { keys: (0..5).map(|i| i.to_string()).collect(), columns: vec![] };
        let comparisons: Vec<Comparison> = (0..5)
            .flat_map(|winner| (winner + 1..5).map(move |loser| Comparison { winner, loser, count: 2 }))
            .collect();
        let kernel = KernelChoice::Given(KernelSpec { expression: "white".into(), ard: false });
        let settings = FitSettings { kernel, ..FitSettings::default() };
        let scores = cross_validate(&items, &comparisons, 10, 0, &settings, &|_| ()).unwrap();
        assert_eq!(scores.comparisons, 20.0);
        assert!(scores.accuracy > 0.7 && scores.log_loss < Scores::GUESSING.log_loss, "{scores:?}");
        let error = cross_validate(&items, &comparisons, 11, 0, &settings, &|_| ()).unwrap_err();
        assert!(matches!(error, Error::Parameter { .. }));
    }
}
