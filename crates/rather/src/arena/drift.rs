//! Do votes of different times agree?

use super::Cast;
use rather_numerics::order;

/// An item that later votes see otherwise than earlier ones.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Drift {
    /// The item.
    pub item: usize,
    /// What it won of its later votes beyond what the model expects, minus the same of its earlier ones, a share of a vote.
    pub change: f64,
    /// The change over its standard error.
    pub z: f64,
}

/// Votes about an item in a half of the time, below which nothing is said.
const FEWEST: f64 = 20.0;

/// The items that did otherwise in the later half of their votes than in the earlier one, the largest change first: `days` has the day of each answer of
/// `cast`. The model has one utility an item, so that both halves should be as it expects.
///
/// # Formula
/// With the residuals $r=y-\mathbb E y$ of the votes about an item and their variances, $z=(\bar r_2-\bar r_1)/\sqrt{\sum_2v/n_2^2+\sum_1v/n_1^2}$ for the
/// earlier and the later half.
pub fn drift(cast: &Cast<'_>, days: &[f32]) -> Vec<Drift> {
    let mut known: Vec<f32> = days.iter().copied().filter(|day| day.is_finite()).collect();
    if known.is_empty() || days.len() != cast.of.len() {
        return Vec::new();
    }
    let middle = known.len() / 2;
    let middle = *known.select_nth_unstable_by(middle, f32::total_cmp).1;
    // Count, residual and variance of each item, earlier and later.
    let mut halves = vec![[[0.0_f64; 3]; 2]; cast.items()];
    for ((&cell, &count), &day) in cast.of.iter().zip(&cast.counts).zip(days) {
        let cell = &cast.cells[cell as usize];
        let (first, Some(second)) = cell.items else { continue };
        if !day.is_finite() {
            continue;
        }
        let half = usize::from(day >= middle);
        let (count, residual) = (f64::from(count), cell.outcome() - cell.expected());
        for (item, sign) in [(first, 1.0), (second, -1.0)] {
            let of = &mut halves[item][half];
            of[0] += count;
            of[1] += count * sign * residual;
            of[2] += count * cell.variance();
        }
    }
    let one = |(item, [early, late]): (usize, &[[f64; 3]; 2])| {
        if early[0] < FEWEST || late[0] < FEWEST {
            return None;
        }
        let change = late[1] / late[0] - early[1] / early[0];
        let error = (late[2] / late[0].powi(2) + early[2] / early[0].powi(2)).sqrt();
        (error > 0.0).then(|| Drift { item, change, z: change / error })
    };
    let mut all: Vec<Drift> = halves.iter().enumerate().filter_map(one).collect();
    order::sort_descending(&mut all, |one| one.z.abs());
    all
}
