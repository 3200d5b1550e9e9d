//! Scores of probabilities.

use super::Tested;

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

    /// The scores of predictions.
    pub fn of(tested: &[Tested]) -> Self {
        let answers: Vec<(f64, f64)> = tested.iter().map(|t| (t.of_answer(), t.count)).collect();
        Self::new(&answers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guessing_is_what_it_says() {
        let scores = Scores::new(&[(0.5, 2.0), (0.5, 1.0)]);
        assert_eq!(scores, Scores { comparisons: 3.0, ..Scores::GUESSING });
        assert!(Scores::new(&[(0.0, 1.0)]).log_loss.is_finite());
    }
}
