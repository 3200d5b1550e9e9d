//! The ranking of a board: how surely each item stands where it does.

use crate::Error;
use crate::posterior::Joint;
use crate::standing::Standing;
use rather_numerics::linalg::Matrix;
use rather_numerics::order::descending;
use rather_numerics::random::stream;
use rather_numerics::special::normal;

/// Items by decreasing mean utility.
#[derive(Debug, Clone, PartialEq)]
pub struct Board {
    /// One an item, the best first.
    pub places: Vec<Place>,
}

/// Where an item stands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Place {
    /// The item, as a position among those of the board.
    pub item: usize,
    /// Mean utility, relative to the average of the board, or to an anchor.
    pub mean: f64,
    /// Its standard deviation.
    pub sd: f64,
    /// The probability of being better than the next one; `None` for the last.
    pub above_next: Option<f64>,
    /// How surely it stands there.
    pub standing: Standing,
}

impl Board {
    /// The board of some items, of whose utilities this is believed; relative to the item `anchor`, or else to the average.
    ///
    /// # Errors
    /// [`Error::Covariance`] if a covariance is not a finite number.
    pub fn new(joint: &Joint, anchor: Option<usize>, seed: u64) -> Result<Self, Error> {
        let n = joint.len();
        let order = descending(&joint.mean);
        let ranked = Joint {
            mean: order.iter().map(|&i| joint.mean[i]).collect(),
            covariance: Matrix::from_fn(n, n, |i, j| joint.covariance[(order[i], order[j])]),
        };
        let draws = ranked.draws(Standing::draws(n), &mut stream(seed, 5))?;
        let standings = Standing::all(&draws, 1);
        let relative =
            relative(&ranked, anchor.and_then(|item| order.iter().position(|&other| other == item)));
        let places = (0..n).zip(standings).map(|(at, standing)| Place {
            item: order[at],
            mean: relative[at].0,
            sd: relative[at].1,
            above_next: (at + 1 < n).then(|| {
                let (mean, variance) = ranked.difference(at, at + 1);
                if variance > 0.0 { normal::cdf(mean / variance.sqrt()) } else { 0.5 }
            }),
            standing,
        });
        Ok(Self { places: places.collect() })
    }
}

/// Means and standard deviations relative to one item, or to the average.
pub(super) fn relative(joint: &Joint, anchor: Option<usize>) -> Vec<(f64, f64)> {
    let (n, c) = (joint.len(), &joint.covariance);
    if let Some(anchor) = anchor {
        let one = |i| joint.difference(i, anchor);
        return (0..n).map(one).map(|(mean, variance)| (mean, variance.sqrt())).collect();
    }
    let share = 1.0 / n.max(1) as f64;
    let average = joint.mean.iter().sum::<f64>() * share;
    let with_average: Vec<f64> = (0..n).map(|i| c.col(i).iter().sum::<f64>() * share).collect();
    let of_average = with_average.iter().sum::<f64>() * share;
    let variance = |i: usize| (c[(i, i)] - 2.0 * with_average[i] + of_average).max(0.0);
    (0..n).map(|i| (joint.mean[i] - average, variance(i).sqrt())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_relative_to_the_average_or_an_anchor() {
        let joint = Joint {
            mean: vec![1.0, 4.0],
            covariance: Matrix::from_fn(2, 2, |i, j| f64::from(u8::from(i == j))),
        };
        let board = Board::new(&joint, None, 0).unwrap();
        assert_eq!((board.places[0].item, board.places[0].mean), (1, 1.5));
        // Of (x - y) / 2 with variances 1.
        assert!((board.places[0].sd - 0.5_f64.sqrt()).abs() < 1e-12);
        assert!((board.places[0].above_next.unwrap() - normal::cdf(3.0 / 2.0_f64.sqrt())).abs() < 1e-12);
        assert!(board.places[1].above_next.is_none());
        let board = Board::new(&joint, Some(0), 0).unwrap();
        assert_eq!((board.places[0].mean, board.places[1].mean, board.places[1].sd), (3.0, 0.0, 0.0));
    }
}
