//! How loud two sounds of a duel are played: the louder one must not win by being louder.

use crate::quality::{ACTIVE, energy};
use crate::scene::peak;

/// The highest sample that is played, half a decibel below full scale.
pub const LIMIT: f64 = 0.944;

const SEGMENT: usize = 256;

/// How the levels of a pair are set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Level {
    /// Both by the same factor: what a setting does to the level is part of what is judged.
    #[default]
    Same,
    /// Both equally loud, in the segments where both are active.
    Loudness,
}

/// Sets the levels of a pair in place. Both sounds get the same limit to their peaks: when one would pass it,
/// both are turned down.
///
/// # Examples
/// ```
/// use rather_audio::level::{LIMIT, Level, set_levels};
///
/// let (mut first, mut second) = (vec![0.2; 512], vec![1.5; 512]);
/// set_levels(&mut first, &mut second, Level::Same);
/// assert!((second[0] - LIMIT).abs() < 1e-15 && (second[0] / first[0] - 7.5).abs() < 1e-12);
/// set_levels(&mut first, &mut second, Level::Loudness);
/// assert!((first[0] - second[0]).abs() < 1e-12);
/// ```
pub fn set_levels(first: &mut [f64], second: &mut [f64], level: Level) {
    if level == Level::Loudness {
        // Meeting in the middle: the pair sounds the same in either order.
        let (a, b) = loudness(first, second);
        if a > 0.0 && b > 0.0 {
            scale(first, (b / a).sqrt());
            scale(second, (a / b).sqrt());
        }
    }
    let highest = peak(first.iter().chain(second.iter()).copied());
    if highest > LIMIT {
        scale(first, LIMIT / highest);
        scale(second, LIMIT / highest);
    }
}

/// Turns one sound down to the limit when it passes it.
pub(crate) fn limit(samples: &mut [f64]) {
    let highest = peak(samples.iter().copied());
    if highest > LIMIT {
        scale(samples, LIMIT / highest);
    }
}

/// The root mean squares of two sounds over the segments in which both are within 40 dB of their loudest.
fn loudness(first: &[f64], second: &[f64]) -> (f64, f64) {
    let energies = |x: &[f64]| -> Vec<f64> { x.chunks(SEGMENT).map(energy).collect() };
    let (a, b) = (energies(first), energies(second));
    let loudest = |x: &[f64]| x.iter().copied().fold(0.0, f64::max);
    let (most_a, most_b) = (loudest(&a), loudest(&b));
    let both = a.iter().zip(&b).filter(|(a, b)| **a >= ACTIVE * most_a && **b >= ACTIVE * most_b);
    let (a, b) = both.fold((0.0, 0.0), |(x, y), (a, b)| (x + a, y + b));
    (a.sqrt(), b.sqrt())
}

fn scale(samples: &mut [f64], factor: f64) {
    samples.iter_mut().for_each(|x| *x *= factor);
}
