//! Gauss-Legendre quadrature over a panel.

/// Nodes and weights of the Gauss-Legendre rule of 20 points on -1 to 1, the positive half (Abramowitz and Stegun 1964,
/// table 25.4).
const HALF: [(f64, f64); 10] = [
    (0.076_526_521_133_497_33, 0.152_753_387_130_725_85),
    (0.227_785_851_141_645_07, 0.149_172_986_472_603_75),
    (0.373_706_088_715_419_56, 0.142_096_109_318_382_05),
    (0.510_867_001_950_827_1, 0.131_688_638_449_176_63),
    (0.636_053_680_726_515, 0.118_194_531_961_518_42),
    (0.746_331_906_460_150_8, 0.101_930_119_817_240_44),
    (0.839_116_971_822_218_8, 0.083_276_741_576_704_75),
    (0.912_234_428_251_326, 0.062_672_048_334_109_06),
    (0.963_971_927_277_913_8, 0.040_601_429_800_386_94),
    (0.993_128_599_185_094_9, 0.017_614_007_139_152_12),
];

/// Points of a panel.
pub const POINTS: usize = 2 * HALF.len();

/// Nodes and weights of the rule of 20 points from `a` to `b`: exact for polynomials of a degree below 40, and to the last digits for
/// what is analytic in an ellipse around the panel that reaches a quarter of its width beyond either end.
pub fn panel(a: f64, b: f64) -> impl Iterator<Item = (f64, f64)> {
    let (middle, half) = (0.5 * (a + b), 0.5 * (b - a));
    let at = move |&(x, w): &(f64, f64)| [(middle - half * x, half * w), (middle + half * x, half * w)];
    HALF.iter().flat_map(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panel_integrates() {
        let total: f64 = panel(1.0, 3.0).map(|(x, w)| w * x.powi(7)).sum();
        assert!((total / (6560.0 / 8.0) - 1.0).abs() < 1e-14);
        let decay: f64 = panel(0.0, 1.0).map(|(x, w)| w * (-8.0 * x).exp()).sum();
        assert!((decay * 8.0 / (1.0 - (-8.0_f64).exp()) - 1.0).abs() < 1e-14);
    }
}
