//! Colours that colour-blind people can tell apart.
//!
//! Categories: Okabe and Ito, *Color universal design* (2008). Amounts: viridis (Smith and van der Walt 2015) and cividis
//! (Nuñez, Anderton and Renslow 2018, DOI 10.1371/journal.pone.0199239), interpolated between published values.
//! Around a centre: blue, white, orange. No figure tells anything by colour alone.

/// An sRGB colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Color(pub(crate) u8, pub(crate) u8, pub(crate) u8);

impl std::fmt::Display for Color {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "#{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }
}

pub(crate) const WHITE: Color = Color(255, 255, 255);
/// Text.
pub(crate) const INK: Color = Color(34, 34, 34);
/// Text of less weight: captions, tick labels.
pub(crate) const SOFT: Color = Color(85, 85, 85);
/// Axes.
pub(crate) const AXIS: Color = Color(120, 120, 120);
/// Grid lines.
pub(crate) const GRID: Color = Color(228, 228, 228);
/// Okabe and Ito's blue, for what matters most.
pub(crate) const BLUE: Color = Color(0, 114, 178);
/// Their vermillion, for its counterpart.
pub(crate) const VERMILLION: Color = Color(213, 94, 0);

/// Okabe and Ito's colours for series, those with the most contrast to white first; yellow is left out.
pub(crate) const SERIES: [Color; 7] = [
    BLUE,
    VERMILLION,
    Color(0, 158, 115),
    Color(204, 121, 167),
    Color(34, 34, 34),
    Color(230, 159, 0),
    Color(86, 180, 233),
];

const VIRIDIS: [Color; 9] = [
    Color(68, 1, 84),
    Color(71, 44, 122),
    Color(59, 81, 139),
    Color(44, 113, 142),
    Color(33, 144, 141),
    Color(39, 173, 129),
    Color(92, 200, 99),
    Color(170, 220, 50),
    Color(253, 231, 37),
];

const CIVIDIS: [Color; 9] = [
    Color(0, 34, 78),
    Color(18, 53, 112),
    Color(59, 73, 108),
    Color(87, 93, 109),
    Color(112, 113, 115),
    Color(138, 134, 120),
    Color(165, 156, 116),
    Color(195, 179, 105),
    Color(254, 232, 56),
];

const DIVERGING: [Color; 7] = [
    Color(166, 74, 0),
    Color(222, 134, 57),
    Color(246, 201, 158),
    Color(250, 250, 250),
    Color(164, 205, 232),
    Color(68, 150, 201),
    Color(0, 88, 146),
];

/// A map from `[0, 1]` to colours.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Ramp {
    /// Dark purple to yellow, for what the figure is about.
    Viridis,
    /// Dark blue to yellow, for a second amount.
    Cividis,
    /// Orange below one half, white there, blue above.
    Diverging,
}

impl Ramp {
    /// The colour at `t`, which is clamped to `[0, 1]`.
    pub(crate) fn at(self, t: f64) -> Color {
        let anchors: &[Color] = match self {
            Self::Viridis => &VIRIDIS,
            Self::Cividis => &CIVIDIS,
            Self::Diverging => &DIVERGING,
        };
        let place = t.clamp(0.0, 1.0) * (anchors.len() - 1) as f64;
        let low = (place.floor() as usize).min(anchors.len() - 2);
        let (a, b) = (anchors[low], anchors[low + 1]);
        let mix = |x: u8, y: u8| {
            (f64::from(x) + (f64::from(y) - f64::from(x)) * (place - low as f64)).round() as u8
        };
        Color(mix(a.0, b.0), mix(a.1, b.1), mix(a.2, b.2))
    }

    /// Colours of `n` bands, from the lowest to the highest.
    pub(crate) fn bands(self, n: usize) -> Vec<Color> {
        (0..n).map(|i| self.at(if n > 1 { i as f64 / (n - 1) as f64 } else { 0.5 })).collect()
    }
}

impl Color {
    /// Relative luminance (WCAG 2.2).
    fn luminance(self) -> f64 {
        let linear = |c: u8| {
            let c = f64::from(c) / 255.0;
            if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * linear(self.0) + 0.7152 * linear(self.1) + 0.0722 * linear(self.2)
    }

    /// Black or white, whichever is easier to read on this colour.
    pub(crate) fn readable_ink(self) -> Color {
        let l = self.luminance();
        if (l + 0.05) / (INK.luminance() + 0.05) >= 1.05 / (l + 0.05) { INK } else { WHITE }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequential_maps_grow_lighter_all_the_way() {
        for ramp in [Ramp::Viridis, Ramp::Cividis] {
            let light: Vec<f64> = ramp.bands(40).into_iter().map(Color::luminance).collect();
            assert!(light.windows(2).all(|w| w[0] < w[1]), "{ramp:?}");
        }
    }

    #[test]
    fn the_diverging_map_is_lightest_in_the_middle_and_even_at_its_ends() {
        let light: Vec<f64> = Ramp::Diverging.bands(7).into_iter().map(Color::luminance).collect();
        assert!(light[..4].windows(2).all(|w| w[0] < w[1]) && light[3..].windows(2).all(|w| w[0] > w[1]));
        assert!((light[0] - light[6]).abs() < 0.05);
    }

    #[test]
    fn text_on_a_colour_can_be_read() {
        for i in 0..=20 {
            for ramp in [Ramp::Viridis, Ramp::Cividis, Ramp::Diverging] {
                let color = ramp.at(f64::from(i) / 20.0);
                let (a, b) = (color.luminance() + 0.05, color.readable_ink().luminance() + 0.05);
                assert!(a.max(b) / a.min(b) > 4.0, "{color}");
            }
        }
    }
}
