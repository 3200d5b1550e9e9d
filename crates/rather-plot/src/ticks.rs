//! Where an axis has its ticks, and what stands beside them.
//!
//! Linear axes: multiples of 1, 2 or 5 times a power of ten (Heckbert, *Nice numbers for graph labels*, Graphics Gems 1990).
//! Logarithmic axes: powers of ten, with 3 or 2 and 5 between them where there is room; less than that, as linear ones.

use crate::text::{minus, superscript, trim_zeros};
use rather_numerics::calendar;

/// A mark on an axis.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Tick {
    /// Where.
    pub(crate) value: f64,
    /// What stands there.
    pub(crate) label: String,
}

/// Ticks in `[low, high]`, about `wanted` of them and at least two, in increasing order.
pub(crate) fn linear(low: f64, high: f64, wanted: usize) -> Vec<Tick> {
    let wanted = wanted.max(2);
    let span = high - low;
    let mut step = nice(span / wanted as f64);
    let mut values = multiples(low, high, step);
    while values.len() < 2 && step > 1e-12 * low.abs().max(high.abs()) {
        // A step of at most half the span has two multiples in it.
        step = nice(step / 2.5);
        values = multiples(low, high, step);
    }
    if values.len() < 2 || !values.windows(2).all(|w| w[0] < w[1]) {
        // Too narrow for its distance from 0: only the ends can be told apart.
        values = vec![low, high];
        return values.iter().map(|&value| Tick { value, label: minus(&value.to_string()) }).collect();
    }
    let largest = low.abs().max(high.abs());
    values.into_iter().map(|value| Tick { value, label: label(value, step, largest) }).collect()
}

/// Ticks at days since 1970-01-01 in `[low, high]`: first days of years or months, about `wanted` of them, or days where there are less than two.
pub(crate) fn dates(low: f64, high: f64, wanted: usize) -> Vec<Tick> {
    // Months between ticks: as many as there is room for.
    let months = (high - low) / 30.4375;
    let years = (1..=9).flat_map(|k| [1, 2, 5].map(|digit| 12 * digit * 10_i64.saturating_pow(k - 1)));
    let step =
        [1, 2, 3, 6].into_iter().chain(years).find(|&step| months / step as f64 <= wanted as f64 + 0.5);
    let Some(step) = step else { return linear(low, high, wanted) };
    let month = |days: f64| {
        let [year, month, _] = calendar::civil(days);
        12 * year + month - 1
    };
    let first = month(low).div_euclid(step) * step;
    let tick = |at: i64| {
        let (year, month) = (at.div_euclid(12), at.rem_euclid(12) + 1);
        let label = if step < 12 { format!("{year}-{month:02}") } else { minus(&year.to_string()) };
        Tick { value: calendar::days([year, month, 1]), label }
    };
    let ticks: Vec<Tick> = (first..=month(high)).step_by(step as usize).map(tick).collect();
    let ticks: Vec<Tick> = ticks.into_iter().filter(|t| (low..=high).contains(&t.value)).collect();
    if ticks.len() >= 2 {
        return ticks;
    }
    let day = |tick: Tick| {
        let [year, month, day] = calendar::civil(tick.value);
        Tick { label: format!("{year}-{month:02}-{day:02}"), ..tick }
    };
    let mut days: Vec<Tick> =
        linear(low.ceil(), high.floor().max(low.ceil() + 1.0), wanted.min(4)).into_iter().map(day).collect();
    days.dedup_by(|a, b| a.label == b.label);
    days
}

/// The nearest of 1, 2, 5, 10 times a power of ten.
fn nice(step: f64) -> f64 {
    let power = 10.0_f64.powf(step.log10().floor());
    let fraction = step / power;
    let nice = match fraction {
        f if f < 1.5 => 1.0,
        f if f < 3.5 => 2.0,
        f if f < 7.5 => 5.0,
        _ => 10.0,
    };
    nice * power
}

/// The multiples of `step` in the range; rounding must not cost the one at its end.
fn multiples(low: f64, high: f64, step: f64) -> Vec<f64> {
    let slack = 1e-9;
    let (first, last) = ((low / step - slack).ceil(), (high / step + slack).floor());
    if !(first.is_finite() && last.is_finite()) || last - first > 1000.0 {
        return Vec::new();
    }
    let mut at = first;
    let mut values = Vec::new();
    while at <= last {
        // As a quotient where that is exact, so that 0.3 is 0.3.
        let value = if step < 1.0 { at / (1.0 / step).round_if_whole() } else { at * step };
        values.push((value + 0.0).clamp(low, high));
        at += 1.0;
    }
    values
}

trait RoundIfWhole {
    fn round_if_whole(self) -> f64;
}

impl RoundIfWhole for f64 {
    fn round_if_whole(self) -> f64 {
        if (self - self.round()).abs() < 1e-6 * self.abs() { self.round() } else { self }
    }
}

/// A multiple of `step` as text; all labels of an axis have the same number of decimals.
fn label(value: f64, step: f64, largest: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let exponent = (largest.log10() + 1e-9).floor() as i32;
    let smallest = (step.log10() + 1e-9).floor() as i32;
    if exponent >= 6 || (smallest < -4 && exponent < -2) {
        let decimals = usize::try_from(exponent - smallest).unwrap_or(0).min(12);
        let mantissa = trim_zeros(&format!("{:.decimals$}", value / 10.0_f64.powi(exponent)));
        return minus(&format!("{mantissa}×10{}", superscript(exponent)));
    }
    minus(&format!("{value:.*}", usize::try_from(-smallest).unwrap_or(0).min(15)))
}

/// Ticks of a logarithmic axis in `[low, high]`, both positive: at least two, in increasing order.
pub(crate) fn logarithmic(low: f64, high: f64, wanted: usize) -> Vec<Tick> {
    let wanted = wanted.max(3);
    let decades = (high / low).log10();
    let stride = ((decades / wanted as f64).ceil() as i32).max(1);
    let sets: [(&[f64], i32); 3] = [(&[1.0, 2.0, 5.0], 1), (&[1.0, 3.0], 1), (&[1.0], stride)];
    for (digits, stride) in sets {
        let values = powers(low, high, digits, stride);
        if (3..=wanted + 1).contains(&values.len()) {
            return values.into_iter().map(|value| Tick { value, label: log_label(value) }).collect();
        }
    }
    linear(low, high, wanted.min(5))
}

fn powers(low: f64, high: f64, digits: &[f64], stride: i32) -> Vec<f64> {
    let (first, last) = ((low.log10().floor()) as i32, high.log10().ceil() as i32);
    (first..=last)
        .filter(|k| k.rem_euclid(stride) == 0)
        .flat_map(|k| digits.iter().map(move |d| d * 10.0_f64.powi(k)))
        .filter(|v| (low..=high).contains(v))
        .collect()
}

fn log_label(value: f64) -> String {
    if (9.9e-4..1.1e5).contains(&value) {
        return crate::text::number(value, 3);
    }
    let exponent = (value.log10() + 1e-9).floor() as i32;
    let mantissa = (value / 10.0_f64.powi(exponent)).round();
    let power = format!("10{}", superscript(exponent));
    if mantissa == 1.0 { power } else { format!("{mantissa}×{power}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn labels(ticks: &[Tick]) -> Vec<&str> {
        ticks.iter().map(|t| t.label.as_str()).collect()
    }

    #[test]
    fn ticks_are_nice() {
        assert_eq!(labels(&linear(0.0, 1.0, 5)), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"].map(zero));
        assert_eq!(labels(&linear(-3.2, 4.1, 4)), ["−2", "0", "2", "4"]);
        assert_eq!(labels(&linear(2e6, 4e6, 4))[0], "2×10⁶");
        assert_eq!(labels(&logarithmic(0.01, 100.0, 6)), ["0.01", "0.1", "1", "10", "100"]);
        assert_eq!(labels(&logarithmic(0.9, 11.0, 6)), ["1", "2", "5", "10"]);
        assert_eq!(labels(&logarithmic(1e-12, 1e12, 6))[0], "10⁻¹²");
    }

    #[test]
    fn dates_are_years_months_or_days() {
        let day = |y, m, d| calendar::days([y, m, d]);
        let years = dates(day(1991, 3, 1), day(2017, 12, 31), 7);
        assert_eq!(labels(&years), ["1995", "2000", "2005", "2010", "2015"]);
        assert_eq!(years[0].value, day(1995, 1, 1));
        assert_eq!(
            labels(&dates(day(2026, 1, 10), day(2026, 5, 2), 5)),
            ["2026-02", "2026-03", "2026-04", "2026-05"]
        );
        assert_eq!(labels(&dates(day(2026, 1, 10), day(2026, 1, 12), 4)).first(), Some(&"2026-01-10"));
    }

    fn zero(label: &'static str) -> &'static str {
        if label == "0.0" { "0" } else { label }
    }

    fn sound(ticks: &[Tick], low: f64, high: f64) -> Result<(), TestCaseError> {
        prop_assert!(ticks.len() >= 2, "{ticks:?}");
        prop_assert!(ticks.iter().all(|t| (low..=high).contains(&t.value)), "{ticks:?}");
        prop_assert!(ticks.windows(2).all(|w| w[0].value < w[1].value), "{ticks:?}");
        prop_assert!(ticks.windows(2).all(|w| w[0].label != w[1].label), "{ticks:?}");
        Ok(())
    }

    proptest! {
        #[test]
        fn linear_ticks_are_inside_and_rise(
            middle in -1e3..1e3_f64, scale in -12..12_i32, log_span in -9.0..6.0_f64, wanted in 2..12_usize
        ) {
            let unit = 10.0_f64.powi(scale);
            let span = middle.abs().max(1.0) * 10.0_f64.powf(log_span);
            let (low, high) = ((middle - span) * unit, (middle + span) * unit);
            let ticks = linear(low, high, wanted);
            sound(&ticks, low, high)?;
            prop_assert!(ticks.len() <= 3 * wanted + 2, "{ticks:?}");
        }

        #[test]
        fn logarithmic_ticks_are_inside_and_rise(
            log_low in -20.0..20.0_f64, decades in 0.01..20.0_f64, wanted in 3..10_usize
        ) {
            let (low, high) = (10.0_f64.powf(log_low), 10.0_f64.powf(log_low + decades));
            sound(&logarithmic(low, high, wanted), low, high)?;
        }
    }
}
