//! Values of flags, with what to write instead of a wrong one.

use super::Lapse;

/// Reads `NAME=VALUE`. A feature's name may hold a `=` of its own.
pub(super) fn fixed(text: &str) -> Result<(String, f64), String> {
    let (name, value) = text.rsplit_once('=').ok_or("write NAME=VALUE, such as noise=0.5")?;
    let (name, value) = (name.trim(), value.trim());
    match value.parse::<f64>() {
        // The square of a noise is a number, too.
        Ok(number) if (1e-100..=1e100).contains(&number) => Ok((name.to_owned(), number)),
        Ok(_) => Err(format!("{name} must be positive, from 1e-100 to 1e100")),
        Err(_) => Err(format!("\"{value}\" is not a number")),
    }
}

pub(super) fn width(text: &str) -> Result<f64, String> {
    pixels(text, rather_plot::Look::WIDTHS)
}

pub(super) fn height(text: &str) -> Result<f64, String> {
    pixels(text, rather_plot::Look::HEIGHTS)
}

pub(super) fn pixels(text: &str, (low, high): (f64, f64)) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(x) if (low..=high).contains(&x) => Ok(x),
        _ => Err(format!("write a number of pixels from {low} to {high}")),
    }
}

pub(crate) fn half_life(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(x) if (1.0..=1e9).contains(&x) => Ok(x),
        _ => Err("write a number of answers from 1 to 1e9, such as 100".to_owned()),
    }
}

pub(super) fn lapse(text: &str) -> Result<Lapse, String> {
    match text.parse::<f64>() {
        _ if text.eq_ignore_ascii_case("learn") => Ok(Lapse::Learn),
        _ if text.eq_ignore_ascii_case("by-user") => Ok(Lapse::ByUser),
        Ok(x) if (0.0..=0.9).contains(&x) => Ok(Lapse::Share(x)),
        _ => Err("write a share from 0 to 0.9, such as 0.05, or learn, or by-user".to_owned()),
    }
}

pub(super) fn probability(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(p) if p > 0.0 && p < 1.0 => Ok(p),
        _ => Err("write a probability between 0 and 1, such as 0.5".to_owned()),
    }
}

pub(super) fn tolerance(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(x) if x > 0.0 && x < 1.0 => Ok(x),
        _ => Err("write a number between 0 and 1, such as 1e-8".to_owned()),
    }
}

/// Reads a number of bytes: `2G`, `500M`, `1.5GiB`.
pub(super) fn memory(text: &str) -> Result<u64, String> {
    rather_io::parse_bytes(text).ok_or_else(|| "write a number of bytes such as 2G or 500M".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fixed_values_are_positive_numbers() {
        assert_eq!(fixed("lengthscale[a=b] = 2"), Ok(("lengthscale[a=b]".into(), 2.0)));
        for text in ["noise", "noise=x", "noise=0", "noise=-1", "noise=1e101", "noise=inf", "noise=NaN"] {
            assert!(fixed(text).is_err(), "{text}");
        }
    }
}
