//! How surely items stand where a ranking has them.

use rather_numerics::linalg::Matrix;
use rather_numerics::order::descending;

/// How surely an item stands where a ranking has it, from joint draws of all utilities.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Standing {
    /// The probability that no other item of the ranking is better.
    pub probability_best: f64,
    /// The probability of being among so many best as was asked for.
    pub probability_top: f64,
    /// The lower end of the 95 % interval of the rank, 1 for the best.
    pub rank_low: usize,
    /// Its upper end.
    pub rank_high: usize,
    /// The group of the item, from 1: neighbours that cannot be distinguished from the first of them. An item begins a new group if the first of the group before it
    /// is better with a probability of at least 97.5 %.
    pub group: usize,
}

/// The probability from which on the first of a group is better than an item that does not belong to it.
const APART: f64 = 0.975;
/// Probabilities between which 95 % lie.
const ENDS: [f64; 2] = [0.025, 0.975];

impl Standing {
    /// So many draws for a ranking of this length: 4,000, of more than 1,000 items fewer, 1,000 at least.
    pub(crate) fn draws(items: usize) -> usize {
        (4_000_000 / items.max(1)).clamp(1_000, 4_000)
    }

    /// Of items in the order of the ranking, one a row of `draws`, and the `top` best.
    pub(crate) fn all(draws: &Matrix, top: usize) -> Vec<Self> {
        let (items, number) = (draws.rows(), draws.cols());
        let share = 1.0 / number.max(1) as f64;
        let mut ranks: Vec<Vec<u32>> = vec![Vec::with_capacity(number); items];
        let mut best = vec![0.0; items];
        for k in 0..number {
            let drawn = draws.col(k);
            let order = descending(drawn);
            let (mut above, nothing) = (0, nothing(drawn));
            for same in order.chunk_by(|&a, &b| drawn[a] - drawn[b] <= nothing) {
                for &i in same {
                    ranks[i].push(above + 1);
                    if above == 0 {
                        best[i] += share / same.len() as f64;
                    }
                }
                above += same.len() as u32;
            }
        }
        let groups = groups(draws);
        let one = |(i, mut ranks): (usize, Vec<u32>)| {
            ranks.sort_unstable();
            let at = |p: f64| {
                let place = (p * number as f64) as usize;
                ranks.get(place.min(number.saturating_sub(1))).map_or(0, |&rank| rank as usize)
            };
            let within = ranks.partition_point(|&rank| rank as usize <= top);
            Self {
                probability_best: best[i],
                probability_top: within as f64 * share,
                rank_low: at(ENDS[0]),
                rank_high: at(ENDS[1]),
                group: groups[i],
            }
        };
        ranks.into_iter().enumerate().map(one).collect()
    }
}

/// A difference within one draw that is rounding: items with the same features have the same utility.
fn nothing(drawn: &[f64]) -> f64 {
    let high = drawn.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let low = drawn.iter().copied().fold(f64::INFINITY, f64::min);
    1e-7 * (high - low)
}

/// The group of each row.
fn groups(draws: &Matrix) -> Vec<usize> {
    let (mut first, mut group) = (0, 1);
    let nothing: Vec<f64> = (0..draws.cols()).map(|k| nothing(draws.col(k))).collect();
    (0..draws.rows())
        .map(|i| {
            let better = |k: usize| {
                let apart = draws[(first, k)] - draws[(i, k)];
                if apart > nothing[k] {
                    1.0
                } else if apart < -nothing[k] {
                    0.0
                } else {
                    0.5
                }
            };
            let above: f64 = (0..draws.cols()).map(better).sum();
            if above >= APART * draws.cols() as f64 && i > first {
                (first, group) = (i, group + 1);
            }
            group
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three items in four draws, counted by hand.
    #[test]
    fn ranks_are_counted() {
        let draws =
            Matrix::from_fn(3, 4, |i, k| [[9.0, 9.0, 9.0, 5.0], [5.0, 5.0, 1.0, 5.0], [1.0; 4]][i][k]);
        let all = Standing::all(&draws, 2);
        let best: Vec<f64> = all.iter().map(|s| s.probability_best).collect();
        assert_eq!(best, [0.875, 0.125, 0.0]);
        let top: Vec<f64> = all.iter().map(|s| s.probability_top).collect();
        assert_eq!(top, [1.0, 1.0, 0.25]);
        assert_eq!((all[1].rank_low, all[1].rank_high), (1, 2));
        assert_eq!((all[2].rank_low, all[2].rank_high), (2, 3));
        // The first is above the second in three draws and a half, above the third in all.
        assert_eq!(all.iter().map(|s| s.group).collect::<Vec<_>>(), [1, 1, 2]);
    }
}
