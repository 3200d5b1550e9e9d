//! Two predictions of the same answers against each other.

use std::collections::BTreeMap;

use super::Tested;

/// By how much the log loss of one prediction is above that of another, and the standard error of that.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Paired {
    /// The mean of the differences, each weighted by its count.
    pub difference: f64,
    /// Its standard error: of sums over clusters, what is in one cluster need not be independent. Infinite if there is only one.
    pub error: f64,
}

impl Paired {
    /// `other` against `model`, answers in the same order; `clusters` says which belong together.
    ///
    /// # Formula
    /// With differences $d_i$ of the log losses, counts $n_i$, their weighted mean $\bar d$ and $G$ clusters,
    /// $$ s^2=\frac G{G-1}\frac{\sum_g\big(\sum_{i\in g}n_i(d_i-\bar d)\big)^2}{(\sum_in_i)^2}. $$
    ///
    /// # References
    /// Liang and Zeger, *Longitudinal data analysis using generalized linear models* (1986), Biometrika 73.
    pub fn new<K: Ord + Clone>(model: &[Tested], other: &[Tested], clusters: &[K]) -> Self {
        let loss = |t: &Tested| -t.of_answer().max(f64::MIN_POSITIVE).ln();
        let differences: Vec<(f64, f64)> =
            model.iter().zip(other).map(|(m, o)| (loss(o) - loss(m), m.count)).collect();
        let total: f64 = differences.iter().map(|(_, count)| count).sum();
        let difference = differences.iter().map(|(d, count)| d * count).sum::<f64>() / total;
        let mut sums: BTreeMap<K, f64> = BTreeMap::new();
        for ((d, count), cluster) in differences.iter().zip(clusters) {
            *sums.entry(cluster.clone()).or_default() += count * (d - difference);
        }
        let groups = sums.len() as f64;
        let square: f64 = sums.values().map(|sum| sum * sum).sum();
        let error =
            if groups > 1.0 { (groups / (groups - 1.0) * square).sqrt() / total } else { f64::INFINITY };
        Self { difference, error }
    }
}
