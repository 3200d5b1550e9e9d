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
