//! Scores of probabilities.

use super::Tested;

/// Probabilities as near as this to each other are the same: the difference is rounding.
pub(super) const EVEN: f64 = 1e-12;

/// Averages over held-out answers, each weighted by its count.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scores {
    /// Share of answers that had the largest probability of all that could be answered; of $k$ equally probable ones, up to rounding, $1/k$.
    /// Not a number where nothing can be listed.
    pub accuracy: f64,
    /// Mean of $-\ln p$ with $p$ the probability of what was answered, in nats; of a measured value the density.
    pub log_loss: f64,
    /// Mean of $\frac12\sum_k(p_k-y_k)^2$ with $y_k$ 1 for what was answered, else 0: of two outcomes $(1-p)^2$. Not a number where nothing can be
    /// listed.
    ///
    /// # References
    /// Brier, *Verification of forecasts expressed in terms of probability* (1950), Monthly Weather Review 78, halved.
    pub brier: f64,
    /// Number of answers, repeated ones counted.
    pub comparisons: f64,
}

impl Scores {
    /// What a probability of one half for everything has.
    pub const GUESSING: Self =
        Self { accuracy: 0.5, log_loss: std::f64::consts::LN_2, brier: 0.25, comparisons: 0.0 };

    /// The scores of choices between two: probabilities of what was answered, and how often it was.
    ///
    /// # Examples
    /// ```
    /// let scores = rather::evaluate::Scores::new(&[(0.8, 1.0), (0.5, 1.0), (0.4, 2.0)]);
    /// assert_eq!(scores.accuracy, 1.5 / 4.0);
    /// ```
    pub fn new(tested: &[(f64, f64)]) -> Self {
        let both = |&(p, count): &(f64, f64)| Score { count, p, others: [1.0 - p], listed: true };
        Self::averages(tested.iter().map(both))
    }

    /// The scores of predictions. A probability of 0 counts as the smallest positive number, so that one answer does not make the log loss
    /// infinite.
    pub fn of(tested: &[Tested]) -> Self {
        Self::averages(tested.iter().map(|t| {
            let others = (0..t.predicted.len()).filter(|&k| t.given.is_some_and(|given| given != k));
            let others = others.map(|k| t.predicted[k]).collect::<Vec<f64>>();
            Score { count: t.count, p: t.of_answer(), others, listed: t.given.is_some() }
        }))
    }

    /// What equal probabilities for all that could be answered have.
    pub fn guessing(tested: &[Tested]) -> Self {
        Self::averages(tested.iter().filter(|t| t.given.is_some()).map(|t| {
            let p = 1.0 / t.predicted.len() as f64;
            Score { count: t.count, p, others: vec![p; t.predicted.len() - 1], listed: true }
        }))
    }

    fn averages<O: AsRef<[f64]>>(scores: impl Iterator<Item = Score<O>>) -> Self {
        let [mut all, mut listed, mut accuracy, mut log_loss, mut brier] = [0.0; 5];
        for score in scores {
            all += score.count;
            log_loss += score.count * -score.p.max(f64::MIN_POSITIVE).ln();
            if score.listed {
                listed += score.count;
                accuracy += score.count * score.accuracy();
                brier += score.count * score.brier();
            }
        }
        Self {
            accuracy: accuracy / listed,
            log_loss: log_loss / all,
            brier: brier / listed,
            comparisons: all,
        }
    }
}

/// One answer.
struct Score<O> {
    count: f64,
    /// Of what was answered.
    p: f64,
    /// Of what else could have been.
    others: O,
    /// Whether these are all.
    listed: bool,
}

impl<O: AsRef<[f64]>> Score<O> {
    fn accuracy(&self) -> f64 {
        let others = self.others.as_ref();
        if others.iter().any(|other| *other > self.p + EVEN) {
            return 0.0;
        }
        1.0 / (1 + others.iter().filter(|other| (*other - self.p).abs() <= EVEN).count()) as f64
    }

    fn brier(&self) -> f64 {
        0.5 * ((1.0 - self.p).powi(2) + self.others.as_ref().iter().map(|other| other * other).sum::<f64>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::likelihood::Reply;

    #[test]
    fn guessing_is_what_it_says() {
        let scores = Scores::new(&[(0.5, 2.0), (0.5, 1.0)]);
        assert_eq!(scores, Scores { comparisons: 3.0, ..Scores::GUESSING });
        assert!(Scores::new(&[(0.0, 1.0)]).log_loss.is_finite());
    }

    #[test]
    fn of_several_outcomes() {
        let tested = |predicted: &[f64], given, count| Tested {
            kind: Reply::TIE.kind,
            predicted: predicted.to_vec(),
            given,
            count,
        };
        let all = [tested(&[0.2, 0.5, 0.3], Some(1), 2.0), tested(&[0.4, 0.2, 0.4], Some(0), 1.0)];
        let scores = Scores::of(&all);
        assert!((scores.accuracy - 2.5 / 3.0).abs() < 1e-15);
        let brier = (2.0 * 0.5 * (0.25 + 0.04 + 0.09) + 0.5 * (0.36 + 0.04 + 0.16)) / 3.0;
        assert!((scores.brier - brier).abs() < 1e-15);
        let guess = Scores::guessing(&all);
        assert!((guess.log_loss - 3.0_f64.ln()).abs() < 1e-15 && (guess.brier - 1.0 / 3.0).abs() < 1e-15);
        let density = Scores::of(&[tested(&[2.0], None, 1.0)]);
        assert!(density.accuracy.is_nan() && (density.log_loss + 2.0_f64.ln()).abs() < 1e-15);
    }
}
