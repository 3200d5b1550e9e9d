//! Linear elliptical slice sampling of the noisy differences.

use rand_chacha::ChaCha8Rng;

use super::differences::NoisyDifferences;
use rather_numerics::random::uniform;

/// Moves `y`, a point of $\mathcal N(0,S)$ given $y>0$, along a random ellipse through it; never rejects.
///
/// # Formula
/// For $\nu\sim\mathcal N(0,S)$ the ellipse $y\cos\theta+\nu\sin\theta$ leaves $\mathcal N(0,S)$ unchanged, and $\theta$ is
/// drawn uniformly from its part inside the orthant. The orthant is a cone, so each variable is positive on a half circle
/// around $\arctan(\nu_m/y_m)$, all of which hold $\theta=0$; they meet in one arc,
/// $$ -\operatorname{arccot}\max_m\frac{\nu_m}{y_m}<\theta<\operatorname{arccot}\Big(-\min_m\frac{\nu_m}{y_m}\Big), $$
/// found without sorting angles. A draw of $\nu$ is $P^\top w+s e$ with fresh $w$ and $e$: nothing of size
/// $t\times t$ is needed.
///
/// # References
/// Gessner, Kanjilal and Hennig, *Integrals over Gaussians under linear domain constraints* (2020), AISTATS, section 2.1;
/// Murray, Adams and MacKay, *Elliptical slice sampling* (2010), AISTATS.
pub fn rotate(differences: &NoisyDifferences, y: &mut [f64], rng: &mut ChaCha8Rng) {
    let direction = differences.draw(rng);
    let ratios = || direction.iter().zip(y.iter()).map(|(n, y)| n / y);
    let (highest, lowest) = (ratios().fold(f64::MIN, f64::max), ratios().fold(f64::MAX, f64::min));
    let (from, to) = (-f64::atan2(1.0, highest), f64::atan2(1.0, -lowest));
    let (sin, cos) = (from + (to - from) * uniform(rng)).sin_cos();
    for (y, n) in y.iter_mut().zip(&direction) {
        // Rounding must not lead out of the orthant.
        *y = (*y * cos + n * sin).max(f64::MIN_POSITIVE);
    }
}

/// One iteration: [`rotate`], then data augmentation, $w$ given $y$ and $y$ given $w$.
///
/// Each leaves the distribution unchanged, and each moves well where the other does not: rotation where the noise is low
/// and the comparisons hang together, augmentation where they are many and noisy, so that the orthant is narrow.
///
/// # References
/// Albert and Chib, *Bayesian analysis of binary and polychotomous response data* (1993), JASA 88, for augmentation.
pub fn iterate(differences: &NoisyDifferences, y: &mut [f64], rng: &mut ChaCha8Rng) {
    rotate(differences, y, rng);
    let z = differences.differences_given(y, rng);
    differences.redraw(&z, y, rng);
}
