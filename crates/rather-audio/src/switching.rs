//! Changing from one sound to another while it plays, without a click.
//!
//! All settings of a clip keep time with it: sample `n` of one is sample `n` of any other. So a player
//! changes over at the same position, and fades for some milliseconds, since even then the two differ by a
//! step.

/// Samples of a fade that is not heard: 10 ms.
pub const FADE: usize = 160;

/// Plays `first`, and from sample `at` on `second` at the same position, over a fade of `length` samples
/// shaped like half a cosine. The weights add up to one: both sounds hold the same speech, so amplitudes add,
/// not powers.
///
/// As long as the shorter of the two.
///
/// # Examples
/// ```
/// use rather_audio::switching::{FADE, crossfade};
///
/// let played = crossfade(&[0.0; 1000], &[1.0; 1000], 300, FADE);
/// assert!(played.windows(2).all(|w| (0.0..0.01).contains(&(w[1] - w[0])))); // no step
/// ```
pub fn crossfade(first: &[f64], second: &[f64], at: usize, length: usize) -> Vec<f64> {
    let weight = |n: usize| match n.checked_sub(at) {
        None => 0.0,
        Some(since) if since >= length => 1.0,
        Some(since) => 0.5 - 0.5 * (std::f64::consts::PI * since as f64 / length as f64).cos(),
    };
    let mix = |(n, (a, b)): (usize, (&f64, &f64))| (1.0 - weight(n)) * a + weight(n) * b;
    first.iter().zip(second).enumerate().map(mix).collect()
}

/// The largest second difference $|x_{n+1}-2x_n+x_{n-1}|$: what a step adds to smooth sound is heard as a click.
pub fn roughness(samples: &[f64]) -> f64 {
    samples.windows(3).map(|w| (w[2] - 2.0 * w[1] + w[0]).abs()).fold(0.0, f64::max)
}
