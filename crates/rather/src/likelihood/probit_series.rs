//! The normal density and its integral near a threshold, as power series: at the points of a rule, of several pairs side by side.

use super::lanes::{LANES, Lanes, each};

/// The points of the rule: the mean and so many on either side of it.
pub(super) const POINTS: usize = 7;
pub(super) const ASIDE: usize = POINTS / 2;

/// Terms of a series at most, an even number, and the size of those that are left out, at points whose weights are below a thousandth.
const TERMS: usize = 18;
const LEFT: f64 = 5e-14;
/// $1/(k+1)$.
const RECIPROCALS: [f64; TERMS] = {
    let mut out = [1.0; TERMS];
    let mut k = 0;
    while k < TERMS {
        out[k] = 1.0 / (k + 1) as f64;
        k += 1;
    }
    out
};

/// $E(h)=\phi(\alpha-h)/\phi(\alpha)=e^{\alpha h-h^2/2}$ and its integral from 0 to $h$, at every point.
pub(super) type Near = [[Lanes; 2]; POINTS];

/// The larger of two numbers, by one instruction.
#[inline(always)]
fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// [`Near`] thresholds at $\alpha$ from the mean, where points are at 0, $h_1$, $-h_1$, $h_2$ and so on: by the power series $E=\sum_ke_kh^k$ with
/// $(k+1)e_{k+1}=\alpha e_k-e_{k-1}$, from $E'=(\alpha-h)E$, whose even and odd parts serve both sides.
#[inline(always)]
pub(super) fn near(at: &Lanes, h: &[Lanes; ASIDE]) -> Near {
    let furthest = &h[ASIDE - 1];
    let (mut series, mut terms) = ([[1.0; LANES]; TERMS], 2);
    series[1] = *at;
    let mut power = *furthest;
    // After two terms that are small there are none but smaller ones.
    while terms < TERMS {
        let mut sizes = [0.0; LANES];
        for _ in 0..2 {
            let (one, two) = (series[terms - 1], series[terms - 2]);
            power = each(|l| power[l] * furthest[l]);
            series[terms] = each(|l| (at[l] * one[l] - two[l]) * RECIPROCALS[terms - 1]);
            sizes = each(|l| larger(sizes[l], series[terms][l].abs() * power[l]));
            terms += 1;
        }
        if sizes.into_iter().fold(0.0, larger) <= LEFT {
            break;
        }
    }
    let mut out = [[[1.0; LANES], [0.0; LANES]]; POINTS];
    for (side, h) in h.iter().enumerate() {
        let squared = each(|l| h[l] * h[l]);
        let (mut even, mut odd, mut even_integral, mut odd_integral) =
            ([0.0; LANES], [0.0; LANES], [0.0; LANES], [0.0; LANES]);
        for k in (0..terms).step_by(2).rev() {
            for l in 0..LANES {
                even[l] = even[l] * squared[l] + series[k][l];
                odd[l] = odd[l] * squared[l] + series[k + 1][l];
                even_integral[l] = even_integral[l] * squared[l] + series[k][l] * RECIPROCALS[k];
                odd_integral[l] = odd_integral[l] * squared[l] + series[k + 1][l] * RECIPROCALS[k + 1];
            }
        }
        for l in 0..LANES {
            let (d, i) = (h[l] * odd[l], h[l] * odd_integral[l]);
            out[2 * side + 1][0][l] = even[l] + d;
            out[2 * side + 2][0][l] = even[l] - d;
            out[2 * side + 1][1][l] = h[l] * (even_integral[l] + i);
            out[2 * side + 2][1][l] = -h[l] * (even_integral[l] - i);
        }
    }
    out
}
