//! Numbers written as text.

/// Why a text is not a number to compute with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    Text,
    NaN,
    Infinite,
    TooLarge,
}

/// Larger numbers have no finite square.
const LARGEST: f64 = 1e150;

/// The number written as `text`.
pub(crate) fn parse(text: &str) -> Result<f64, Fault> {
    let value: f64 = text.parse().map_err(|_| Fault::Text)?;
    if value.is_nan() {
        Err(Fault::NaN)
    } else if value.abs() <= LARGEST {
        Ok(value)
    } else if text.contains(|c: char| c.is_ascii_digit()) {
        // Also those that are infinite in f64, such as 1e400.
        Err(Fault::TooLarge)
    } else {
        Err(Fault::Infinite)
    }
}

/// Whether `text` is a number, be it one to compute with or not.
pub(crate) fn is_number(text: &str) -> bool {
    parse(text) != Err(Fault::Text)
}

/// A number as text that reads back as the same: whole numbers without a point, since they may be keys.
pub(crate) fn text(value: f64) -> String {
    whole(value).unwrap_or_else(|| format!("{value:?}"))
}

/// The same of a number of half the precision.
pub(crate) fn short_text(value: f32) -> String {
    whole(f64::from(value)).unwrap_or_else(|| format!("{value:?}"))
}

fn whole(value: f64) -> Option<String> {
    /// Every whole number up to here has a float of its own.
    const WHOLE: f64 = 9_007_199_254_740_992.0;
    (value.fract() == 0.0 && value.abs() <= WHOLE).then(|| format!("{value:.0}"))
}

/// The truth value written as `text`.
pub(crate) fn parse_bool(text: &str) -> Option<bool> {
    if text.eq_ignore_ascii_case("true") {
        Some(true)
    } else if text.eq_ignore_ascii_case("false") {
        Some(false)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_back_as_they_were() {
        assert_eq!((text(3.0), text(-0.0).parse::<f64>()), ("3".to_owned(), Ok(-0.0)));
        assert_eq!(short_text(0.1), "0.1");
        for v in [1e300, 0.1, -2.5e-7, f64::MAX, 9e15, 1e16] {
            assert_eq!(text(v).parse::<f64>().unwrap(), v);
        }
        assert_eq!(text(f64::NAN), "NaN");
    }

    #[test]
    fn numbers_are_finite_and_have_a_square() {
        assert_eq!(parse("-1.5e3"), Ok(-1500.0));
        assert_eq!(parse(".5"), Ok(0.5));
        assert_eq!(parse(&"1234567890".repeat(10)), Ok(1.234_567_890_123_456_8e99));
        assert_eq!(parse("1e-400"), Ok(0.0));
        for text in ["NaN", "nan", "-nan"] {
            assert_eq!(parse(text), Err(Fault::NaN), "{text}");
        }
        for text in ["inf", "-Infinity", "+INF"] {
            assert_eq!(parse(text), Err(Fault::Infinite), "{text}");
        }
        for text in ["1e300", "-1e151", "1e400"] {
            assert_eq!(parse(text), Err(Fault::TooLarge), "{text}");
        }
        for text in ["", "cheap", "1,5", "1 000", "0x10", "1_000"] {
            assert_eq!(parse(text), Err(Fault::Text), "{text}");
        }
    }
}
