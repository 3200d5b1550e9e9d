//! Items spread at random: the seeds of k-means++.

use crate::kernel::Kernel;
use crate::points::Points;
use rather_numerics::random;
use rather_numerics::watch;

/// Positions of at most `most` of `points`: the first uniform, each next one with a probability in proportion to its squared
/// distance to the nearest chosen before. Fewer where all others coincide with chosen ones.
///
/// # Formula
/// In the kernel's own metric, $d^2(x,y)=k(x,x)+k(y,y)-2k(x,y)$: what is far apart there differs in utility. $O(NM)$ covariances
/// for $M$ of $N$ points.
///
/// # References
/// Arthur and Vassilvitskii, *k-means++: the advantages of careful seeding* (2007), step 1.
///
/// # Examples
/// ```
/// use rather::inducing::k_means;
/// use rather::kernel::{Schema, parse};
/// use rather::points::Points;
///
/// let kernel = parse("se", &Schema { names: vec!["x".into()], categorical: vec![false], context: 0 }, false)?;
/// let items = Points::from_rows(&[[0.0], [0.0], [5.0], [5.0]]);
/// assert_eq!(k_means(&kernel, &items, 10, 1).len(), 2); // there are two places
/// # Ok::<(), rather::Error>(())
/// ```
pub fn k_means(kernel: &Kernel, points: &Points, most: usize, seed: u64) -> Vec<usize> {
    let mut rng = random::stream(seed, 0);
    let own = kernel.diagonal(points);
    // Before the first is chosen, all are equally far.
    let mut nearest = vec![1.0; points.len()];
    let mut chosen: Vec<usize> = Vec::new();
    while chosen.len() < most.min(points.len()) && !watch::ends() {
        let total: f64 = nearest.iter().sum();
        // Written so that a total that is no number ends it, too.
        if !(total > 0.0 && total.is_finite()) {
            break;
        }
        let next = position(&nearest, random::uniform(&mut rng) * total);
        let covariances = kernel.cross(points, &points.select(&[next]));
        for (i, nearest) in nearest.iter_mut().enumerate() {
            let distance = (own[i] + own[next] - 2.0 * covariances[(i, 0)]).max(0.0);
            // Rounding leaves something of the distance of equal points.
            let distance = if distance <= 1e-12 * own[next] { 0.0 } else { distance };
            *nearest = if chosen.is_empty() { distance } else { nearest.min(distance) };
        }
        nearest[next] = 0.0;
        chosen.push(next);
    }
    chosen
}

/// The position at which the running sum of `weights` passes `target`.
fn position(weights: &[f64], target: f64) -> usize {
    let mut sum = 0.0;
    let passed = |weight: &f64| {
        sum += weight;
        sum > target
    };
    let last = || weights.iter().rposition(|&w| w > 0.0).unwrap_or(0);
    weights.iter().position(passed).unwrap_or_else(last)
}
