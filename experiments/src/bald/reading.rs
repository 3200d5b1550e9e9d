//! How many labels a learning curve needs, for each way to read "reach".

use clap::ValueEnum;

/// The number of labels that every curve starts with.
pub(super) const START: usize = 2;

/// The share of the whole pool's performance that is to be reached.
const SHARE: f64 = 0.95;

/// When has a method reached the target?
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Reading {
    /// A run has at the first number of labels that does; the average of runs.
    First,
    /// A run has at the number of labels from which it stays there; the average of runs.
    Stays,
    /// The first number of labels with which the average of the runs' curves does.
    Mean,
}

/// The curves of one method, one run each, with the performance of the run's whole pool.
pub(super) struct Curves<'a>(pub(super) Vec<(&'a [f64], f64)>);

/// An entry of the table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Count {
    /// Labels needed; where runs ended before, their last number counts.
    pub(super) labels: f64,
    /// Standard error of the mean, if runs are read one by one.
    pub(super) error: Option<f64>,
    /// Curves that ended before the target.
    pub(super) missed: usize,
}

impl Reading {
    /// The labels that a method needs.
    pub(super) fn count(self, curves: &Curves<'_>) -> Count {
        let read = match self {
            Self::First => first,
            Self::Stays => stays,
            Self::Mean => {
                let whole = mean_and_error(&curves.0.iter().map(|c| c.1).collect::<Vec<_>>()).0;
                let mean: Vec<f64> = curves.mean().into_iter().map(|(mean, _)| mean).collect();
                let at = first(&mean, SHARE * whole);
                return Count {
                    labels: at.unwrap_or_else(|| last(&mean)) as f64,
                    error: None,
                    missed: at.is_none().into(),
                };
            }
        };
        let each: Vec<Option<usize>> =
            curves.0.iter().map(|(curve, whole)| read(curve, SHARE * whole)).collect();
        let labels: Vec<f64> = each
            .iter()
            .zip(&curves.0)
            .map(|(at, (curve, _))| at.unwrap_or_else(|| last(curve)) as f64)
            .collect();
        let (mean, error) = mean_and_error(&labels);
        Count { labels: mean, error: Some(error), missed: each.iter().filter(|at| at.is_none()).count() }
    }
}

impl Curves<'_> {
    /// Mean and standard error of the performance at every number of labels that all runs have.
    pub(super) fn mean(&self) -> Vec<(f64, f64)> {
        let shortest = self.0.iter().map(|(curve, _)| curve.len()).min().unwrap_or(0);
        (0..shortest).map(|k| mean_and_error(&self.0.iter().map(|(c, _)| c[k]).collect::<Vec<_>>())).collect()
    }
}

fn first(curve: &[f64], target: f64) -> Option<usize> {
    curve.iter().position(|&value| value >= target).map(|at| at + START)
}

fn stays(curve: &[f64], target: f64) -> Option<usize> {
    let from = curve.iter().rposition(|&value| value < target).map_or(0, |below| below + 1);
    (from < curve.len()).then_some(from + START)
}

fn last(curve: &[f64]) -> usize {
    curve.len() + START - 1
}

/// The mean and its standard error.
pub(super) fn mean_and_error(x: &[f64]) -> (f64, f64) {
    let n = x.len() as f64;
    let mean = x.iter().sum::<f64>() / n;
    let squares = x.iter().map(|v| (v - mean).powi(2)).sum::<f64>();
    (mean, (squares / (n - 1.0).max(1.0) / n).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    const LUCKY: [f64; 5] = [0.5, 0.96, 0.7, 0.95, 0.99];
    const STEADY: [f64; 5] = [0.5, 0.6, 0.7, 0.8, 0.99];
    const NEVER: [f64; 3] = [0.5, 0.6, 0.7];

    #[test]
    fn a_lucky_hit_counts_for_the_first_reading_alone() {
        let lucky = Curves(vec![(&LUCKY, 1.0)]);
        assert_eq!(Reading::First.count(&lucky).labels, 3.0);
        assert_eq!(Reading::Stays.count(&lucky).labels, 5.0);
        assert_eq!(Reading::Mean.count(&lucky).labels, 3.0);
    }

    #[test]
    fn runs_are_read_one_by_one_or_after_averaging() {
        let both = Curves(vec![(&LUCKY, 1.0), (&STEADY, 1.0)]);
        assert_eq!(Reading::First.count(&both), Count { labels: 4.5, error: Some(1.5), missed: 0 });
        assert_eq!(Reading::Mean.count(&both), Count { labels: 6.0, error: None, missed: 0 });
    }

    #[test]
    fn a_run_that_ends_too_early_counts_with_its_last_number() {
        for reading in [Reading::First, Reading::Stays, Reading::Mean] {
            let count = reading.count(&Curves(vec![(&NEVER, 1.0)]));
            assert_eq!((count.labels, count.missed), (4.0, 1));
        }
    }

    #[test]
    fn the_target_is_a_share_of_the_run_s_own_whole_pool() {
        assert_eq!(Reading::First.count(&Curves(vec![(&NEVER, 0.63)])).labels, 3.0);
    }
}
