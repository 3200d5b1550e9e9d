//! Whether things happen as often as predicted.

use super::Tested;
use super::scores::EVEN;

/// The bins that [`Calibration::default_bins`] sorts into.
const BINS: usize = 10;

/// One bin of a reliability table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bin {
    /// The smallest probability in the bin.
    pub from: f64,
    /// The largest; it belongs to the next bin, but for 1.
    pub to: f64,
    /// Mean of the predicted probabilities; `None` for an empty bin.
    pub predicted: Option<f64>,
    /// How often it came true; `None` for an empty bin.
    pub observed: Option<f64>,
    /// Number of predictions.
    pub count: f64,
}

/// A reliability table.
#[derive(Debug, Clone, PartialEq)]
pub struct Calibration {
    /// Bins of equal width from 0 to 1.
    pub bins: Vec<Bin>,
}

impl Calibration {
    /// The reliability of `tested` in `bins` bins: of a choice the probability that the item is preferred that comes first (the winner's alone
    /// would show a forecast as one-sided that is not), of answers with more outcomes those of all of them ([`Tested::forecasts`]).
    pub fn new(tested: &[Tested], bins: usize) -> Self {
        let bins = bins.max(1);
        let mut sums = vec![[0.0; 3]; bins];
        for (t, (p, came_true)) in
            tested.iter().flat_map(|t| t.forecasts().map(move |forecast| (t, forecast)))
        {
            let [count, predicted, observed] = &mut sums[(((p + EVEN) * bins as f64) as usize).min(bins - 1)];
            *count += t.count;
            *predicted += t.count * p;
            *observed += t.count * f64::from(u8::from(came_true));
        }
        let bin = |(i, &[count, predicted, observed]): (usize, &[f64; 3])| Bin {
            from: i as f64 / bins as f64,
            to: (i + 1) as f64 / bins as f64,
            predicted: (count > 0.0).then(|| predicted / count),
            observed: (count > 0.0).then(|| observed / count),
            count,
        };
        Self { bins: sums.iter().enumerate().map(bin).collect() }
    }

    /// In ten bins.
    pub fn default_bins(tested: &[Tested]) -> Self {
        Self::new(tested, BINS)
    }

    /// The expected calibration error: over the bins, each weighted by its count, the mean of
    /// `|observed - predicted|`.
    ///
    /// # References
    /// Pakdaman Naeini, Cooper and Hauskrecht, *Obtaining well calibrated probabilities using Bayesian binning* (2015),
    /// AAAI.
    ///
    /// # Examples
    /// ```
    /// use rather::Comparison;
    /// use rather::evaluate::{Calibration, Tested};
    ///
    /// // Of four predictions of 3/4 three came true, whoever is on the left.
    /// let answer = |winner, loser, count, p| Tested::new(&Comparison { winner, loser, count }, p);
    /// let tested = [answer(0, 1, 2.0, 0.75), answer(1, 0, 1.0, 0.25), answer(3, 2, 4.0, 0.9)];
    /// let error = Calibration::default_bins(&tested).error();
    /// assert!((error - (3.0 * (0.75 - 2.0 / 3.0) + 4.0 * 0.1) / 7.0).abs() < 1e-12);
    /// ```
    pub fn error(&self) -> f64 {
        let total: f64 = self.bins.iter().map(|b| b.count).sum();
        let gap = |b: &Bin| Some(b.count * (b.observed? - b.predicted?).abs());
        if total > 0.0 { self.bins.iter().filter_map(gap).sum::<f64>() / total } else { 0.0 }
    }
}
