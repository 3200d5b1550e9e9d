//! Numbers of several pairs that are worked on side by side, on the vectors of the machine.

/// So many pairs; one where a machine is built for that has no vectors.
pub(crate) const LANES: usize = if cfg!(target_arch = "wasm32") { 1 } else { 8 };

/// A number of each.
pub(crate) type Lanes = [f64; LANES];

/// The largest count that is a power by multiplication.
const MOST_MULTIPLIED: f64 = 64.0;

/// The numbers of all lanes.
#[inline(always)]
pub(super) fn each(mut of: impl FnMut(usize) -> f64) -> Lanes {
    let mut out = [0.0; LANES];
    for (l, x) in out.iter_mut().enumerate() {
        *x = of(l);
    }
    out
}

/// Counts, as exponents.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Exponents {
    counts: Lanes,
    whole: [i64; LANES],
    /// Binary digits of the largest; none if they are no powers by multiplication.
    digits: Option<u32>,
}

impl Exponents {
    #[inline(always)]
    pub(super) fn new(counts: &Lanes) -> Self {
        let whole = counts.map(|count| count as i64);
        let most = counts.iter().copied().fold(0.0, f64::max);
        let are_whole = most <= MOST_MULTIPLIED && counts.iter().all(|count| count.fract() == 0.0);
        let digits = are_whole.then(|| i64::BITS - (most as i64).leading_zeros());
        Self { counts: *counts, whole, digits }
    }

    /// $x^n$.
    #[inline(always)]
    pub(super) fn power(&self, x: &Lanes) -> Lanes {
        let Some(digits) = self.digits else { return each(|l| x[l].powf(self.counts[l])) };
        let (mut out, mut square) = ([1.0; LANES], *x);
        for digit in 0..digits {
            for l in 0..LANES {
                out[l] *= if self.whole[l] >> digit & 1 == 1 { square[l] } else { 1.0 };
                square[l] *= square[l];
            }
        }
        out
    }
}
