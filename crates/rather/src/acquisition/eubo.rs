//! Expected utility of the best option, of two.

use super::contrast::{Contrast, Score};
use super::improvement;

/// The expected utility of the better of the two items, $\mathbb E\max(f(x),f(x'))$: the opponent's mean plus the expected
/// improvement on it. With the opponent fixed it ranks challengers as [`improvement`] does.
///
/// # References
/// Lin, Astudillo, Frazier and Bakshy, *Preference exploration for efficient Bayesian optimization with multiple outcomes*
/// (2022), AISTATS.
pub fn score(contrast: &Contrast) -> Score {
    let improvement = improvement::score(contrast);
    Score { value: contrast.base + improvement.value, d_base: 1.0, ..improvement }
}
