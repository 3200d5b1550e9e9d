//! One run: labels are asked for one after another, and the performance on the test set is measured after each.

use std::cmp::Ordering;
use std::fmt;

use anyhow::Result;
use clap::ValueEnum;
use rand::RngExt;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rather::acquisition::{Contrast, bald, entropy, ivm};
use rather_numerics::linalg::Matrix;
use rather_numerics::random::stream;
use rather_numerics::special::normal::cdf;

use super::belief::{Belief, NOISE, PriorDraws};

/// A way to choose the next row: a column of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Choice {
    Bald,
    Random,
    Entropy,
    /// So many draws from the posterior vote; the most balanced vote is asked about.
    Committee(usize),
    Ivm,
}

/// The columns in the paper's order.
pub(super) const CHOICES: [Choice; 6] = [
    Choice::Bald,
    Choice::Random,
    Choice::Entropy,
    Choice::Committee(2),
    Choice::Committee(100),
    Choice::Ivm,
];

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bald => f.pad("BALD"),
            Self::Random => f.pad("random"),
            Self::Entropy => f.pad("entropy"),
            Self::Committee(members) => f.pad(&format!("QBC{members}")),
            Self::Ivm => f.pad("IVM"),
        }
    }
}

/// What performance on the test set is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Measure {
    /// The mean predictive probability of the true class.
    Probability,
    /// The share of rows whose more probable class is the true one.
    Accuracy,
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Probability => "mean probability of the true class",
            Self::Accuracy => "accuracy",
        })
    }
}

/// Rows split at random, and a row of each class to start from.
#[derive(Debug, Clone)]
pub(super) struct Split {
    pub(super) pool: Vec<usize>,
    pub(super) test: Vec<usize>,
    pub(super) start: [usize; 2],
}

impl Split {
    /// Split `number` of the rows, with this share of them in the pool.
    pub(super) fn new(positive: &[bool], share: f64, seed: u64, number: u64) -> Self {
        let mut rng = stream(seed, number);
        let mut rows: Vec<usize> = (0..positive.len()).collect();
        rows.shuffle(&mut rng);
        let test = rows.split_off((share * positive.len() as f64).round() as usize);
        let first = |class: bool| rows.iter().copied().find(|&row| positive[row] == class);
        let start = [first(false).unwrap_or(rows[0]), first(true).unwrap_or(rows[0])];
        Self { pool: rows, test, start }
    }
}

/// One split with the covariance of all rows, on which every method runs.
pub(super) struct Trial<'a> {
    pub(super) covariance: &'a Matrix,
    pub(super) positive: &'a [bool],
    pub(super) split: &'a Split,
    /// For committees.
    pub(super) prior: &'a PriorDraws,
    pub(super) measure: Measure,
    /// Labels at which a run ends.
    pub(super) most: usize,
}

impl Trial<'_> {
    /// The performance with the labels of the whole pool.
    pub(super) fn whole(&self) -> Result<f64> {
        let all = self.split.pool.iter().map(|&row| (row, self.positive[row])).collect();
        Ok(self.performance(&Belief::new(self.covariance, all)?))
    }

    /// The performance with 2 labels, 3, and so on.
    pub(super) fn run(&self, choice: Choice, rng: &mut ChaCha8Rng) -> Result<Vec<f64>> {
        let Split { pool, start, .. } = self.split;
        let mut rest: Vec<usize> = pool.iter().copied().filter(|row| !start.contains(row)).collect();
        let mut belief = Belief::new(self.covariance, start.map(|row| (row, self.positive[row])).to_vec())?;
        let mut out = vec![self.performance(&belief)];
        while belief.labelled.len() < self.most && !rest.is_empty() {
            let row = rest.swap_remove(self.choose(choice, &belief, &rest, rng));
            belief = belief.told(row, self.positive[row])?;
            out.push(self.performance(&belief));
        }
        Ok(out)
    }

    fn performance(&self, belief: &Belief<'_>) -> f64 {
        let test = &self.split.test;
        let sum: f64 = match self.measure {
            Measure::Accuracy => {
                let right = |(mean, &row): (f64, &usize)| match mean.total_cmp(&0.0) {
                    Ordering::Equal => 0.5,
                    side => f64::from(u8::from((side == Ordering::Greater) == self.positive[row])),
                };
                belief.means(test).into_iter().zip(test).map(right).sum()
            }
            Measure::Probability => {
                let moments = belief.moments(test);
                let true_class = |((mean, variance), &row): ((&f64, &f64), &usize)| {
                    let z = mean / (NOISE * NOISE + variance).sqrt();
                    cdf(if self.positive[row] { z } else { -z })
                };
                moments.mean.iter().zip(&moments.variance).zip(test).map(true_class).sum()
            }
        };
        sum / test.len() as f64
    }

    /// The position in `rest` of the row to ask about.
    fn choose(&self, choice: Choice, belief: &Belief<'_>, rest: &[usize], rng: &mut ChaCha8Rng) -> usize {
        let by = |score: &dyn Fn(&Contrast) -> f64| -> Vec<f64> {
            let moments = belief.moments(rest);
            let both = moments.mean.iter().zip(&moments.variance);
            both.map(|(&mean, &variance)| score(&Contrast { mean, variance, base: 0.0 })).collect()
        };
        let scores = match choice {
            Choice::Bald => by(&|contrast| bald::score(contrast, NOISE).value),
            Choice::Entropy => by(&|contrast| entropy::score(contrast, NOISE).value),
            // Averaged over both answers: told the answer, as where it was first published, it does far worse here.
            Choice::Ivm => by(&|contrast| ivm::score(contrast, NOISE).value),
            Choice::Random => vec![0.0; rest.len()],
            Choice::Committee(members) => {
                let draws = belief.draws(rest, &self.prior.draw(members, rng), rng);
                let votes = |j: usize| (0..members).filter(|&m| draws[(j, m)] > 0.0).count();
                (0..rest.len()).map(|j| votes(j).min(members - votes(j)) as f64).collect()
            }
        };
        largest(&scores, rng)
    }
}

/// The position of the largest score; of several, one at random.
fn largest(scores: &[f64], rng: &mut ChaCha8Rng) -> usize {
    let best = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let ties: Vec<usize> = (0..scores.len()).filter(|&i| scores[i] == best).collect();
    ties[rng.random_range(0..ties.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_split_has_every_row_once_and_starts_with_both_classes() {
        let positive: Vec<bool> = (0..41).map(|i| i % 5 == 0).collect();
        let split = Split::new(&positive, 0.5, 1, 3);
        let mut all: Vec<usize> = split.pool.iter().chain(&split.test).copied().collect();
        all.sort_unstable();
        assert_eq!(all, (0..41).collect::<Vec<_>>());
        assert_eq!(split.pool.len(), 21);
        assert!(!positive[split.start[0]] && positive[split.start[1]]);
        assert!(split.start.iter().all(|row| split.pool.contains(row)));
    }

    #[test]
    fn of_equal_scores_any_is_chosen() {
        let mut rng = stream(0, 0);
        let chosen: Vec<usize> = (0..50).map(|_| largest(&[1.0, 3.0, 2.0, 3.0], &mut rng)).collect();
        assert!(chosen.contains(&1) && chosen.contains(&3) && !chosen.contains(&0) && !chosen.contains(&2));
    }

    /// Points on a line, the class their side: every method ends with the performance of the whole pool once it has
    /// all labels, whatever the order in which it asked.
    #[test]
    fn every_method_ends_at_the_whole_pool() {
        let x: Vec<f64> = (0..24).map(|i| (f64::from(i) - 11.5) / 4.0).collect();
        let positive: Vec<bool> = x.iter().map(|&x| x > 0.0).collect();
        let covariance = Matrix::from_fn(24, 24, |i, j| 9.0 * (-0.5 * (x[i] - x[j]).powi(2)).exp());
        let split = Split::new(&positive, 0.5, 0, 0);
        let prior = PriorDraws::new(&covariance).unwrap();
        for measure in [Measure::Probability, Measure::Accuracy] {
            let trial = Trial {
                covariance: &covariance,
                positive: &positive,
                split: &split,
                prior: &prior,
                measure,
                most: 100,
            };
            let whole = trial.whole().unwrap();
            for choice in CHOICES {
                let curve = trial.run(choice, &mut stream(0, 1)).unwrap();
                assert_eq!(curve.len(), 11);
                // Inference stops when its moments agree to 1e-5.
                assert!((curve[10] - whole).abs() < 1e-4, "{choice}: {} against {whole}", curve[10]);
            }
        }
    }
}
