//! Whether answers are as noisy as a model expects: infit and outfit.

use serde::Serialize;

/// Mean squares of the residuals of answers. Near 1 the answers are as noisy as the model expects; above, they go against it more often (misfit); below,
/// they follow it more closely than chance would have it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct MeanSquares {
    /// Number of comparisons with a preference.
    pub comparisons: usize,
    /// Weighted by information: comparisons of what is nearly alike count most.
    pub infit: f64,
    /// Each comparison counts the same: sensitive to single answers against clear odds.
    pub outfit: f64,
}

/// No answer is less likely: one alone would make the outfit no number.
const LEAST: f64 = 1e-9;

impl MeanSquares {
    /// Those of answers, each by the probability that the model gave to what was said. `None` if there are none.
    ///
    /// # Formula
    /// With the probability $p_k$ of what was said, the residual is $1-p_k$ and its variance $p_k(1-p_k)$:
    /// $$\text{infit}=\frac{\sum_k(1-p_k)^2}{\sum_k p_k(1-p_k)},\qquad\text{outfit}=\frac1n\sum_k\frac{1-p_k}{p_k}.$$
    ///
    /// # References
    /// Wright and Masters, *Rating Scale Analysis* (1982), chapter 5; of judges: Pollitt, *The method of adaptive comparative judgement* (2012), Assessment in
    /// Education 19(3).
    ///
    /// # Examples
    /// ```
    /// use rather_study::analysis::agreement::MeanSquares;
    ///
    /// let even = MeanSquares::of([0.5, 0.5]).unwrap();
    /// assert_eq!((even.infit, even.outfit), (1.0, 1.0));
    /// assert!(MeanSquares::of([0.9, 0.9, 0.1]).unwrap().outfit > 3.0);
    /// ```
    pub fn of(probabilities: impl IntoIterator<Item = f64>) -> Option<Self> {
        let (mut comparisons, mut squares, mut variances, mut standardised) = (0, 0.0, 0.0, 0.0);
        for p in probabilities {
            let p = p.clamp(LEAST, 1.0 - LEAST);
            comparisons += 1;
            squares += (1.0 - p) * (1.0 - p);
            variances += p * (1.0 - p);
            standardised += (1.0 - p) / p;
        }
        (comparisons > 0).then(|| Self {
            comparisons,
            infit: squares / variances,
            outfit: standardised / comparisons as f64,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// p = np.array([.9, .6, .7, .5, .2])
    /// ((1 - p)**2).sum() / (p * (1 - p)).sum(), ((1 - p) / p).mean()
    #[test]
    fn mean_squares_of_five() {
        let found = MeanSquares::of([0.9, 0.6, 0.7, 0.5, 0.2]).unwrap();
        assert_eq!(found.comparisons, 5);
        assert!((found.infit - 1.210_526_315_789_473_7).abs() < 1e-12, "{found:?}");
        assert!((found.outfit - 1.241_269_841_269_841_3).abs() < 1e-12, "{found:?}");
        assert_eq!(MeanSquares::of([]), None);
        assert!(MeanSquares::of([0.0, 1.0]).unwrap().outfit.is_finite());
    }
}
