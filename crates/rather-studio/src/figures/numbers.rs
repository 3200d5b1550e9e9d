//! Numbers as people read them: no finer than what is known of them, and with a true minus.

use rather_study::space::{Range, Scale};

/// How finely numbers are written: fine enough for two digits of the width of the interval in which they lie.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fineness {
    /// Of an interval of this width.
    Width(f64),
    /// Of an interval whose ends have this ratio, as on a logarithmic axis.
    Ratio(f64),
    /// As whole numbers.
    Whole,
}

impl Fineness {
    /// Of values of a range that are told apart: a few hundred.
    pub fn of(range: &Range) -> Self {
        Self::of_one_in(range, 250)
    }

    /// Of neighbours among `n` values that fill a range.
    pub fn of_one_in(range: &Range, n: usize) -> Self {
        let gaps = (n.max(2) - 1) as f64;
        match *range {
            // Steps are written in full.
            Range::Float { step: Some(step), .. } => Self::Width(step),
            Range::Float { low, high, scale: Scale::Log, .. } => Self::Ratio((high / low).powf(10.0 / gaps)),
            Range::Float { low, high, .. } => Self::Width(10.0 * (high - low) / gaps),
            Range::Integer { .. } | Range::Categorical { .. } => Self::Whole,
        }
    }

    /// A number so written: `−12.5`.
    pub fn write(self, x: f64) -> String {
        let width = match self {
            Self::Width(width) => width,
            Self::Ratio(ratio) => x.abs() * ratio.ln(),
            Self::Whole => 10.0,
        };
        let digits = if width > 0.0 && width.is_finite() { width.log10().floor() as i32 - 1 } else { -3 };
        let unit = 10_f64.powi(digits);
        let text = format!("{:.*}", usize::try_from(-digits).unwrap_or(0), (x / unit).round() * unit);
        let short = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
        minus(if short == "-0" { "0" } else { short })
    }
}

/// A number with a true minus sign in the place of a hyphen; other texts stay as they are.
pub fn minus(text: &str) -> String {
    match text.strip_prefix('-') {
        Some(rest) if rest.starts_with(|c: char| c.is_ascii_digit()) => format!("−{rest}"),
        _ => text.to_owned(),
    }
}

/// With a unit after a thin space that does not break, if there is one.
pub fn with_unit(number: &str, unit: &str) -> String {
    if unit.is_empty() { number.to_owned() } else { format!("{number}\u{202f}{unit}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_no_finer_than_their_interval() {
        for (x, fineness, text) in [
            (-13.535, Fineness::Width(12.0), "−14"),
            (-13.535, Fineness::Width(3.2), "−13.5"),
            (-13.535, Fineness::Width(0.12), "−13.54"),
            (4.04, Fineness::Width(4.6), "4"),
            (-0.004, Fineness::Width(1.0), "0"),
            (1234.0, Fineness::Width(800.0), "1230"),
            (0.5, Fineness::Width(0.0), "0.5"),
            (1.868_1, Fineness::Ratio(5.0), "1.9"),
            (0.051_3, Fineness::Ratio(5.0), "0.051"),
            (40.4, Fineness::Ratio(5.0), "40"),
            (7.0, Fineness::Whole, "7"),
        ] {
            assert_eq!(fineness.write(x), text, "{x}, {fineness:?}");
        }
        assert_eq!(with_unit(&minus("-3"), "dB"), "−3\u{202f}dB");
        assert_eq!(minus("-fast"), "-fast");
    }
}
