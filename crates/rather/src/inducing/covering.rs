//! Items that leave the least of all others open.

use crate::kernel::Kernel;
use crate::points::Points;
use rather_numerics::linalg::subtract_sum;
use rather_numerics::watch;

/// Positions of at most `most` of `points` that cover all of them: each next one is where the points chosen before leave the
/// largest share of the prior variance open, until that is at most `open` everywhere.
///
/// # Formula
/// Pivoted Cholesky: with the rows $r_k$ of the factor so far, the variance left open at $x_i$ is $d_i=k(x_i,x_i)-\sum_kr_{ki}^2$,
/// and the next row is $r_j=\big(k(x_p,x_j)-\sum_kr_{kp}r_{kj}\big)/\sqrt{d_p}$ at $p=\arg\max d_i/k(x_i,x_i)$. $O(NM^2)$ time and $O(NM)$
/// memory for $M$ of $N$ points.
///
/// # References
/// Fine and Scheinberg, *Efficient SVM training using low-rank kernel representations* (2001); as the greedy choice of inducing
/// inputs, Burt, Rasmussen and van der Wilk (2019).
///
/// # Examples
/// ```
/// use rather::kernel::{Schema, parse};
/// use rather::points::Points;
/// use rather::inducing::covering;
///
/// let kernel = parse("se", &Schema { names: vec!["x".into()], categorical: vec![false], context: 0 }, false)?;
/// let items = Points::from_rows(&[[0.0], [0.01], [5.0], [5.0]]);
/// assert_eq!(covering(&kernel, &items, 10, 0.01), [0, 2]); // the others are hardly different
/// # Ok::<(), rather::Error>(())
/// ```
pub fn covering(kernel: &Kernel, points: &Points, most: usize, open: f64) -> Vec<usize> {
    covering_while(kernel, points, most, |_, left| left > open)
}

/// As [`covering`], as long as `goes_on` says so, which is asked after the first item with the number chosen so far and the largest share that they leave open.
pub(crate) fn covering_while(
    kernel: &Kernel,
    points: &Points,
    most: usize,
    mut goes_on: impl FnMut(usize, f64) -> bool,
) -> Vec<usize> {
    let own = kernel.diagonal(points);
    let mut left = own.clone();
    // The rows of the factor, one after the other.
    let mut factor: Vec<f64> = Vec::new();
    let mut chosen = Vec::new();
    while chosen.len() < most.min(points.len()) && !watch::ends() {
        let share = |i: usize| if own[i] > 0.0 { left[i] / own[i] } else { 0.0 };
        let Some(pivot) = (0..points.len()).max_by(|&a, &b| share(a).total_cmp(&share(b)).then(b.cmp(&a)))
        else {
            break;
        };
        if chosen.is_empty() || goes_on(chosen.len(), share(pivot)) {
            let mut row = kernel.cross(points, &points.select(&[pivot])).col(0).to_vec();
            let of_pivot: Vec<f64> = factor.chunks_exact(points.len()).map(|row| row[pivot]).collect();
            subtract_sum(&factor, &of_pivot, &mut row);
            let root = left[pivot].max(f64::MIN_POSITIVE).sqrt();
            row.iter_mut().for_each(|entry| *entry /= root);
            left.iter_mut().zip(&row).for_each(|(left, entry)| *left = (*left - entry * entry).max(0.0));
            factor.extend(row);
            left[pivot] = 0.0;
            chosen.push(pivot);
        } else {
            break;
        }
    }
    chosen
}
