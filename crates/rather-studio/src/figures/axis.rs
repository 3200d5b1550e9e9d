//! The axis of a parameter: where its values stand, and which of them are written beside it, in the parameter's own units.

use super::numbers::minus;
use rather_study::Value;
use rather_study::space::{Range, Scale};
use serde::{Deserialize, Serialize};

/// A value that is written beside an axis.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tick {
    /// Where it stands: 0 is the beginning of the axis, 1 its end.
    pub place: f64,
    /// What is written.
    pub label: String,
}

/// So many ticks an axis has at most, on a phone as well.
const MOST: usize = 6;

/// The ticks of a parameter's axis; none of choices, which are written out.
pub fn ticks(range: &Range) -> Vec<Tick> {
    let values = match *range {
        Range::Float { low, high, scale: Scale::Log, .. } => decades(low, high),
        Range::Float { low, high, .. } => steps(low, high, 0.0),
        Range::Integer { low, high } => steps(low as f64, high as f64, 1.0),
        Range::Categorical { .. } => Vec::new(),
    };
    values.into_iter().filter_map(|value| tick(range, value)).collect()
}

/// Where a value stands on its axis.
pub fn place(range: &Range, value: &Value) -> Option<f64> {
    match range {
        Range::Categorical { .. } => None,
        Range::Float { low, high, scale, .. } => {
            // A tick need not be a multiple of the step.
            let free = Range::Float { low: *low, high: *high, scale: *scale, step: None };
            free.coordinate(value)
        }
        Range::Integer { .. } => range.coordinate(value),
    }
}

fn tick(range: &Range, value: f64) -> Option<Tick> {
    let label = if (1e-4..1e7).contains(&value.abs()) || value == 0.0 {
        format!("{value}")
    } else {
        format!("{value:e}")
    };
    Some(Tick { place: place(range, &Value::Float(value))?, label: minus(&label) })
}

/// Round numbers between two: multiples of 1, 2 or 5 times a power of ten, and of `least` at least.
pub fn steps(low: f64, high: f64, least: f64) -> Vec<f64> {
    let rough = (high - low) / (MOST - 1) as f64;
    let ten = 10_f64.powf(rough.log10().floor());
    let step =
        [1.0, 2.0, 5.0, 10.0].map(|k| k * ten).into_iter().find(|&step| step >= rough).unwrap_or(rough);
    let step = step.max(least);
    let (first, last) = ((low / step - 1e-9).ceil() as i64, (high / step + 1e-9).floor() as i64);
    // As a quotient, so that 3 times 0.1 is 0.3.
    let of = |k: i64| if step < 1.0 { k as f64 / (1.0 / step).round() } else { k as f64 * step };
    (first..=last).map(of).collect()
}

/// Powers of ten, with 2 and 5 times them where these are few, and not all where they are many.
fn decades(low: f64, high: f64) -> Vec<f64> {
    let within = |x: &f64| *x >= low * (1.0 - 1e-9) && *x <= high * (1.0 + 1e-9);
    let (first, last) = (low.log10().floor() as i32, high.log10().ceil() as i32);
    let all = |factors: &[f64]| -> Vec<f64> {
        let of = |e: i32| {
            factors.iter().map(move |f| if e < 0 { f / 10_f64.powi(-e) } else { f * 10_f64.powi(e) })
        };
        (first..=last).flat_map(of).filter(within).collect()
    };
    let fine = all(&[1.0, 2.0, 5.0]);
    if fine.len() < 3 {
        return steps(low, high, 0.0);
    }
    if fine.len() <= MOST {
        return fine;
    }
    let tens = all(&[1.0]);
    let every = tens.len().div_ceil(MOST);
    tens.into_iter().step_by(every).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(range: &Range) -> String {
        ticks(range).into_iter().map(|tick| tick.label).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn ticks_are_in_the_units_of_the_parameter() {
        let float = |low, high, scale| Range::Float { low, high, scale, step: None };
        for (range, wanted) in [
            (float(0.05, 50.0, Scale::Log), "0.1 1 10"),
            (float(1.0, 20.0, Scale::Log), "1 2 5 10 20"),
            (float(1.0, 1.5, Scale::Log), "1 1.1 1.2 1.3 1.4 1.5"),
            (float(1e-9, 1e3, Scale::Log), "1e-9 1e-6 0.001 1 1000"),
            (float(-40.0, 0.0, Scale::Linear), "−40 −30 −20 −10 0"),
            (float(0.0, 1.0, Scale::Linear), "0 0.2 0.4 0.6 0.8 1"),
            (Range::Integer { low: 1, high: 4 }, "1 2 3 4"),
            (Range::Integer { low: 10, high: 25 }, "10 15 20 25"),
        ] {
            assert_eq!(labels(&range), wanted, "{range:?}");
        }
        let log = ticks(&float(0.01, 100.0, Scale::Log));
        assert!((log[2].place - 0.5).abs() < 1e-9, "{log:?}");
    }
}
