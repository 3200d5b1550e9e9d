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
    /// The ranked probability score of outcomes in their order: the mean of $\frac1{K-1}\sum_{k<K}(P_k-Y_k)^2$ with the sums $P_k$ and $Y_k$ of the first $k$; of two
    /// outcomes that of Brier. Not a number where nothing can be listed.
    ///
    /// # References
    /// Epstein, *A scoring system for probability forecasts of ranked categories* (1969), Journal of Applied Meteorology 8, from 0 to 1.
    pub rps: f64,
    /// The mean continuous ranked probability score of measured values and differences, in their unit
    /// ([`Predictive`](crate::likelihood::Predictive)); `None` where there are none.
    pub crps: Option<f64>,
    /// The shares of answers within their central predictive intervals of 50 and 95 %, of measured values, differences and more than two ordered
    /// outcomes; `None` where there are none.
    pub coverage: Option<[f64; 2]>,
    /// Number of answers, repeated ones counted.
    pub comparisons: f64,
}

/// The predictive intervals whose coverage is counted.
const LEVELS: [f64; 2] = [0.5, 0.95];

impl Scores {
    /// What a probability of one half for everything has.
    pub const GUESSING: Self = Self {
        accuracy: 0.5,
        log_loss: std::f64::consts::LN_2,
        brier: 0.25,
        rps: 0.25,
        crps: None,
        coverage: None,
        comparisons: 0.0,
    };

    /// The scores of choices between two: probabilities of what was answered, and how often it was.
    ///
    /// # Examples
    /// ```
    /// let scores = rather::evaluate::Scores::new(&[(0.8, 1.0), (0.5, 1.0), (0.4, 2.0)]);
    /// assert_eq!(scores.accuracy, 1.5 / 4.0);
    /// ```
    pub fn new(tested: &[(f64, f64)]) -> Self {
        let one = |&(p, count): &(f64, f64)| (count, vec![p, 1.0 - p], Some(0));
        Self::averages(tested.iter().map(one))
    }

    /// The scores of predictions. A probability of 0 counts as the smallest positive number, so that one answer does not make the log loss
    /// infinite.
    pub fn of(tested: &[Tested]) -> Self {
        let outcomes = Self::averages(tested.iter().map(|t| (t.count, t.predicted.clone(), t.given)));
        // Orders of sets have no order of their own.
        let in_order = || tested.iter().filter(|t| t.given.is_some() && t.has_order());
        let rps = mean(in_order().map(|t| (t.count, rps_of(&t.predicted, t.given.unwrap_or_default()))));
        let values = || tested.iter().filter_map(|t| Some((t.count, t.value?.crps)));
        let covered = |level: f64| {
            let of = |t: &Tested| Some((t.count, f64::from(u8::from(t.is_covered(level)?))));
            mean(tested.iter().filter_map(of))
        };
        let [half, most] = LEVELS.map(covered);
        let rps = rps.unwrap_or(f64::NAN);
        Self { crps: mean(values()), coverage: half.zip(most).map(|(a, b)| [a, b]), rps, ..outcomes }
    }

    /// What equal probabilities for all that could be answered have.
    pub fn guessing(tested: &[Tested]) -> Self {
        let equal = |t: &Tested| {
            let n = t.predicted.len();
            (t.count, vec![1.0 / n as f64; n], t.given)
        };
        Self::averages(tested.iter().filter(|t| t.given.is_some()).map(equal))
    }

    /// Of counts, the probabilities of all outcomes, and which of them was given; without that the one density.
    fn averages(scores: impl Iterator<Item = (f64, Vec<f64>, Option<usize>)>) -> Self {
        let [mut all, mut listed, mut accuracy, mut log_loss, mut brier, mut rps] = [0.0; 6];
        for (count, predicted, given) in scores {
            all += count;
            log_loss += count * -predicted[given.unwrap_or(0)].max(f64::MIN_POSITIVE).ln();
            if let Some(given) = given {
                listed += count;
                accuracy += count * accuracy_of(&predicted, given);
                brier += count * brier_of(&predicted, given);
                rps += count * rps_of(&predicted, given);
            }
        }
        Self {
            accuracy: accuracy / listed,
            log_loss: log_loss / all,
            brier: brier / listed,
            rps: rps / listed,
            comparisons: all,
            ..Self::GUESSING
        }
    }
}

/// The mean of values with weights; `None` of none.
fn mean(all: impl Iterator<Item = (f64, f64)>) -> Option<f64> {
    let (weight, sum) = all.fold((0.0, 0.0), |(weight, sum), (w, x)| (weight + w, sum + w * x));
    (weight > 0.0).then(|| sum / weight)
}

fn accuracy_of(predicted: &[f64], given: usize) -> f64 {
    let p = predicted[given];
    if predicted.iter().any(|other| *other > p + EVEN) {
        return 0.0;
    }
    1.0 / predicted.iter().filter(|other| (*other - p).abs() <= EVEN).count() as f64
}

fn brier_of(predicted: &[f64], given: usize) -> f64 {
    let gap = |(k, p): (usize, &f64)| if k == given { (1.0 - p).powi(2) } else { p * p };
    0.5 * predicted.iter().enumerate().map(gap).sum::<f64>()
}

fn rps_of(predicted: &[f64], given: usize) -> f64 {
    let mut sum = 0.0;
    let gap = |(k, p): (usize, &f64)| {
        sum += p;
        let reached = f64::from(u8::from(k >= given));
        (sum - reached).powi(2)
    };
    let last = predicted.len() - 1;
    predicted[..last].iter().enumerate().map(gap).sum::<f64>() / last.max(1) as f64
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
            value: None,
        };
        let all = [tested(&[0.2, 0.5, 0.3], Some(1), 2.0), tested(&[0.4, 0.2, 0.4], Some(0), 1.0)];
        let scores = Scores::of(&all);
        assert!((scores.accuracy - 2.5 / 3.0).abs() < 1e-15);
        let brier = (2.0 * 0.5 * (0.25 + 0.04 + 0.09) + 0.5 * (0.36 + 0.04 + 0.16)) / 3.0;
        assert!((scores.brier - brier).abs() < 1e-15);
        let rps = (2.0 * 0.5 * (0.04 + 0.09) + 0.5 * (0.36 + 0.16)) / 3.0;
        assert!((scores.rps - rps).abs() < 1e-15 && scores.crps.is_none());
        // Of the first, what lies below is 0.2 and up to it 0.7: within either interval; the second is the lowest, of 0.4.
        assert_eq!(scores.coverage, Some([1.0, 1.0]));
        let low =
            Scores::of(&[tested(&[0.02, 0.5, 0.48], Some(0), 1.0), tested(&[0.2, 0.5, 0.3], Some(0), 1.0)]);
        assert_eq!(low.coverage, Some([0.0, 0.5]));
        let guess = Scores::guessing(&all);
        assert!((guess.log_loss - 3.0_f64.ln()).abs() < 1e-15 && (guess.brier - 1.0 / 3.0).abs() < 1e-15);
        let density = Scores::of(&[tested(&[2.0], None, 1.0)]);
        assert!(density.accuracy.is_nan() && (density.log_loss + 2.0_f64.ln()).abs() < 1e-15);
    }
}
