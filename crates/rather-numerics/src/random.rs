//! Random numbers: streams of one seed, uniform and normal numbers.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use crate::special::normal;

/// Stream `stream` of `seed`: independent of all others, the same on every machine and for any number of threads.
pub fn stream(seed: u64, stream: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(stream);
    rng
}

/// A number uniform on the middles of 2^52 equal parts of 0 to 1, so neither 0 nor 1.
pub fn uniform(rng: &mut ChaCha8Rng) -> f64 {
    middle(rng.next_u64() >> 12)
}

/// The middle of part `index` of 2^52 equal parts of 0 to 1.
pub(super) fn middle(index: u64) -> f64 {
    const PART: f64 = 1.0 / (1_u64 << 52) as f64;
    (index as f64 + 0.5) * PART
}

/// A standard normal number.
pub fn normal(rng: &mut ChaCha8Rng) -> f64 {
    normal::quantile(uniform(rng))
}

/// `n` independent standard normal numbers.
pub fn normals(n: usize, rng: &mut ChaCha8Rng) -> Vec<f64> {
    (0..n).map(|_| normal(rng)).collect()
}
