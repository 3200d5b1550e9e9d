//! Whether several people order things alike: Kendall's coefficient of concordance.

use rather_numerics::order::ascending;

/// Kendall's W of several people's values of the same things, the larger the better: 0 if their orders have nothing in common, 1 if they are the same. `None`
/// of fewer than two people or things, or if nobody tells any apart.
///
/// # Formula
/// $$W=\frac{12\sum_i(R_i-\bar R)^2}{m^2(n^3-n)-m\sum_j T_j}$$
/// with the sum of ranks $R_i$ of each of $n$ things over $m$ people; things that somebody has alike share the mean of their ranks, and $T_j$ sums $t^3-t$ over the
/// groups of $t$ that person $j$ has alike.
///
/// # References
/// Kendall and Babington Smith, *The problem of m rankings* (1939), Annals of Mathematical Statistics 10(3).
///
/// # Examples
/// ```
/// use rather_study::analysis::agreement::kendalls_w;
///
/// assert_eq!(kendalls_w(&[vec![1.0, 2.0, 3.0], vec![0.1, 0.2, 0.9]]), Some(1.0));
/// assert_eq!(kendalls_w(&[vec![1.0, 2.0, 3.0], vec![3.0, 2.0, 1.0]]), Some(0.0));
/// ```
pub fn kendalls_w(values: &[Vec<f64>]) -> Option<f64> {
    let (people, things) = (values.len(), values.first()?.len());
    if people < 2 || things < 2 || values.iter().any(|own| own.len() != things) {
        return None;
    }
    let mut sums = vec![0.0; things];
    let mut alike = 0.0;
    for own in values {
        alike += add_ranks(own, &mut sums);
    }
    let (m, n) = (people as f64, things as f64);
    let mean = m * (n + 1.0) / 2.0;
    let spread: f64 = sums.iter().map(|sum| (sum - mean) * (sum - mean)).sum();
    let most = m * m * (n * n * n - n) - m * alike;
    (most > 0.0).then(|| (12.0 * spread / most).clamp(0.0, 1.0))
}

/// Values that differ by less are rounding.
const ROUNDING: f64 = 1e-9;

/// Adds a person's ranks to `sums`; the correction for what they have alike.
fn add_ranks(values: &[f64], sums: &mut [f64]) -> f64 {
    let order = ascending(values);
    let mut correction = 0.0;
    let mut start = 0;
    for group in order.chunk_by(|&a, &b| values[b] - values[a] < ROUNDING) {
        let size = group.len() as f64;
        // Of ranks start + 1, ..., start + size.
        let rank = start as f64 + (size + 1.0) / 2.0;
        for &thing in group {
            sums[thing] += rank;
        }
        correction += size * size * size - size;
        start += group.len();
    }
    correction
}

#[cfg(test)]
mod tests {
    use super::*;

    /// X = [[.1, .5, .9, 1.2], [0, .4, 1.5, 1.1], [-1, -1, .2, .3]]
    /// R = np.array([[(np.array(x) < v).sum() + ((np.array(x) == v).sum() + 1) / 2 for v in x] for x in X]); m, n = R.shape
    /// S = ((R.sum(0) - R.sum() / n)**2).sum(); T = 6
    /// 12 * S / (m**2 * (n**3 - n) - m * T)
    #[test]
    fn concordance_of_three_one_of_whom_has_a_tie() {
        let three = [vec![0.1, 0.5, 0.9, 1.2], vec![0.0, 0.4, 1.5, 1.1], vec![-1.0, -1.0, 0.2, 0.3]];
        let found = kendalls_w(&three).unwrap();
        assert!((found - 0.885_057_471_264_367_8).abs() < 1e-12, "{found}");
        let rounded = [three[0].clone(), three[1].clone(), vec![-1.0, -1.0 + 1e-12, 0.2, 0.3]];
        assert_eq!(kendalls_w(&rounded), Some(found), "rounding tells nothing apart");
    }

    #[test]
    fn without_two_orders_there_is_none() {
        for none in [
            vec![],
            vec![vec![1.0, 2.0]],
            vec![vec![1.0], vec![2.0]],
            vec![vec![0.0; 3], vec![0.0; 3]],
            vec![vec![0.0, 1.0], vec![0.0]],
        ] {
            assert_eq!(kendalls_w(&none), None, "{none:?}");
        }
    }
}
