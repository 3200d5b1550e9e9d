//! R's default random numbers, with which the authors drew their synthetic data: Mersenne Twister seeded by
//! `set.seed`, normal numbers by inversion.

use rather_numerics::special::normal;

const N: usize = 624;
const M: usize = 397;

/// R's generator.
pub(super) struct RRandom {
    state: [u32; N],
    next: usize,
}

impl RRandom {
    /// `set.seed(seed)`: the seed is scrambled by 50 steps of a congruential generator, whose next 625 outputs, the first
    /// left out, are the state.
    pub(super) fn new(seed: u32) -> Self {
        let mut s = seed;
        let mut step = || {
            s = s.wrapping_mul(69069).wrapping_add(1);
            s
        };
        (0..51).for_each(|_| {
            step();
        });
        let mut state = [0; N];
        state.iter_mut().for_each(|x| *x = step());
        Self { state, next: N }
    }

    fn refill(&mut self) {
        for i in 0..N {
            let y = (self.state[i] & 0x8000_0000) | (self.state[(i + 1) % N] & 0x7fff_ffff);
            let twist = if y & 1 == 1 { 0x9908_b0df } else { 0 };
            self.state[i] = self.state[(i + M) % N] ^ (y >> 1) ^ twist;
        }
        self.next = 0;
    }

    /// `runif(1)`.
    pub(super) fn uniform(&mut self) -> f64 {
        if self.next == N {
            self.refill();
        }
        let mut y = self.state[self.next];
        self.next += 1;
        y ^= y >> 11;
        y ^= (y << 7) & 0x9d2c_5680;
        y ^= (y << 15) & 0xefc6_0000;
        y ^= y >> 18;
        const SCALE: f64 = 2.328_306_436_538_696_3e-10;
        let half = 0.5 * SCALE;
        (f64::from(y) * SCALE).clamp(half, 1.0 - half)
    }

    /// `rnorm(1)`: two uniforms make one of 53 bits, which is inverted.
    pub(super) fn normal(&mut self) -> f64 {
        const BIG: f64 = 134_217_728.0; // 2^27
        let high = (BIG * self.uniform()).floor();
        normal::quantile((high + self.uniform()) / BIG)
    }

    /// `rnorm(n)`.
    pub(super) fn normals(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.normal()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What R prints after `set.seed(1)`, to its seven digits and one more.
    #[test]
    fn first_numbers_of_seed_1() {
        let mut r = RRandom::new(1);
        for expected in [0.26550866, 0.37212390, 0.57285336] {
            assert!((r.uniform() - expected).abs() < 1e-8);
        }
        let mut r = RRandom::new(1);
        for expected in [-0.62645381, 0.18364332, -0.83562861] {
            assert!((r.normal() - expected).abs() < 1e-8);
        }
    }
}
