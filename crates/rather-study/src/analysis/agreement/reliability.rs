//! How much of the differences between utilities is known: the scale separation reliability.

use crate::analysis::advice::Estimate;

/// The scale separation reliability (SSR): the part of the variance of utilities that is not their uncertainty, from 0 (nothing is known of their order) to 1.
/// `None` of fewer than two.
///
/// # Formula
/// $$\mathrm{SSR}=\frac{\sum_i m_i^2}{\sum_i m_i^2+\sum_i s_i^2}$$
/// of posterior means $m_i$ and standard deviations $s_i$ of utilities relative to their average. The denominator is what the posterior expects of the
/// squares of true utilities. With estimates $\hat m_i$ by maximum likelihood, which spread by as much more as they are unsure, the same quantity
/// is $(\mathrm{var}\,\hat m-\overline{s^2})/\mathrm{var}\,\hat m$.
///
/// # References
/// Verhavert, De Maeyer, Donche and Coertjens, *Scale separation reliability: what does it mean in the context of comparative judgment?* (2018), Applied
/// Psychological Measurement 42(6); of posterior means: Adams, *Reliability as a measurement design effect* (2005), Studies in Educational Evaluation 31.
///
/// # Examples
/// ```
/// use rather_study::analysis::advice::Estimate;
/// use rather_study::analysis::agreement::scale_separation_reliability;
///
/// let at = |mean: f64, sd: f64| Estimate { mean, sd, low: mean - 2.0 * sd, high: mean + 2.0 * sd };
/// assert_eq!(scale_separation_reliability(&[at(-1.0, 0.5), at(1.0, 0.5)]), Some(0.8));
/// ```
pub fn scale_separation_reliability(utilities: &[Estimate]) -> Option<f64> {
    let sum = |of: fn(&Estimate) -> f64| utilities.iter().map(|u| of(u) * of(u)).sum::<f64>();
    let (known, unsure) = (sum(|u| u.mean), sum(|u| u.sd));
    (utilities.len() > 1 && known + unsure > 0.0).then(|| known / (known + unsure))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// m = np.array([-1.2, -.3, .1, .5, .9]); s = np.array([.4, .35, .3, .35, .5])
    /// (m**2).sum() / ((m**2).sum() + (s**2).sum())
    #[test]
    fn the_reliability_of_five() {
        let five = [(-1.2, 0.4), (-0.3, 0.35), (0.1, 0.3), (0.5, 0.35), (0.9, 0.5)];
        let five = five.map(|(mean, sd): (f64, f64)| Estimate::new(mean, sd * sd));
        let reliability = scale_separation_reliability(&five).unwrap();
        assert!((reliability - 0.777_279_521_674_140_5).abs() < 1e-12, "{reliability}");
        assert_eq!(scale_separation_reliability(&five[..1]), None);
        assert_eq!(scale_separation_reliability(&[Estimate::new(0.0, 0.0); 2]), None);
    }
}
