//! Spaces of parameters: what a setting may be, and the unit cube that a search moves in.
//!
//! | parameter | values | in the unit cube |
//! |---|---|---|
//! | float, linear | `low` to `high` | $(x-l)/(h-l)$ |
//! | float, log | `low` to `high`, both positive | $\ln(x/l)/\ln(h/l)$ |
//! | float with a step | $l, l+\delta,\dots,h$ | $(x-l)/(h-l)$ |
//! | integer | $l, l+1,\dots,h$ | $(x-l)/(h-l)$ |
//! | categorical | the choices | number of the choice, from 0 |
//!
//! The coordinates are those of [`rather::search::Domain`].

use crate::alternative::{Setting, Value};
use rather::search::{Dimension, Domain};
use rather_io::quote;
use serde::{Deserialize, Serialize};

/// How a float fills its range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scale {
    /// Equal differences count alike.
    #[default]
    Linear,
    /// Equal ratios count alike.
    Log,
}

/// The values that a parameter may take.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase", deny_unknown_fields)]
pub enum Range {
    /// Numbers between two bounds.
    Float {
        /// The smallest value.
        low: f64,
        /// The largest value.
        high: f64,
        /// How the range is filled.
        #[serde(default)]
        scale: Scale,
        /// The distance between neighbouring values, if not all values are allowed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        step: Option<f64>,
    },
    /// Whole numbers between two bounds.
    Integer {
        /// The smallest value.
        low: i64,
        /// The largest value.
        high: i64,
    },
    /// One of a few names.
    Categorical {
        /// The names.
        choices: Vec<String>,
    },
}

/// A named parameter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its values.
    pub range: Range,
}

/// Something wrong with a parameter: which of its entries, and the rest of the sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// `low`, `high`, `step`, `choices`, or nothing for the parameter as a whole.
    pub entry: Option<&'static str>,
    /// What is wrong and what to do.
    pub problem: String,
}

fn fault(entry: &'static str, problem: impl Into<String>) -> Fault {
    Fault { entry: Some(entry), problem: problem.into() }
}

/// Numbers beyond this have no finite square.
const LARGEST: f64 = 1e150;
/// Levels of a dimension are numbered exactly as `f64`, and a table of them fits in memory.
const MOST_LEVELS: f64 = 1e6;
/// A step divides a range if the quotient is this near to a whole number.
const DIVIDES: f64 = 1e-9;
/// Significant digits of a proposed float, relative to its range (linear) or itself (log): more would only make a setting
/// hard to read and to type.
const DIGITS: i32 = 4;

impl Range {
    /// Whether the range makes sense.
    ///
    /// # Errors
    /// The entry to blame and what to do about it.
    pub fn check(&self) -> Result<(), Fault> {
        match self {
            Self::Float { low, high, scale, step } => check_float(*low, *high, *scale, *step),
            Self::Integer { low, high } => check_integer(*low, *high),
            Self::Categorical { choices } => check_choices(choices),
        }
    }

    /// The dimension that stands for the parameter.
    pub fn dimension(&self) -> Dimension {
        match self {
            Self::Float { step: None, .. } => Dimension::Continuous,
            Self::Float { low, high, step: Some(step), .. } => {
                Dimension::Integer { levels: ((high - low) / step).round() as usize + 1 }
            }
            Self::Integer { low, high } => Dimension::Integer { levels: (high - low) as usize + 1 },
            Self::Categorical { choices } => Dimension::Categorical { levels: choices.len() },
        }
    }

    /// The coordinate of a value: a number from 0 to 1, or the number of a choice; `None` if the value is not allowed.
    pub fn coordinate(&self, value: &Value) -> Option<f64> {
        match (self, value) {
            (Self::Float { low, high, scale, step }, _) => {
                let x = value.number()?;
                if !(*low..=*high).contains(&x) {
                    return None;
                }
                match (step, scale) {
                    (Some(step), _) => {
                        let (level, levels) = ((x - low) / step, ((high - low) / step).round());
                        ((level - level.round()).abs() <= 1e-6).then(|| level.round() / levels)
                    }
                    (None, Scale::Linear) => Some((x - low) / (high - low)),
                    (None, Scale::Log) => Some((x / low).ln() / (high / low).ln()),
                }
            }
            (Self::Integer { low, high }, _) => {
                let x = value.whole()?;
                (*low..=*high).contains(&x).then(|| (x - low) as f64 / (high - low) as f64)
            }
            (Self::Categorical { choices }, Value::Text(name)) => {
                choices.iter().position(|choice| choice == name).map(|i| i as f64)
            }
            (Self::Categorical { .. }, _) => None,
        }
    }

    /// The value at a coordinate; floats are rounded to four digits.
    pub fn value(&self, coordinate: f64) -> Value {
        match self {
            Self::Float { low, step: Some(step), high, .. } => {
                let level = (coordinate * ((high - low) / step).round()).round();
                Value::Float(rounded(low + level * step, step * 1e-3).clamp(*low, *high))
            }
            Self::Float { low, high, scale, step: None } => {
                let u = coordinate.clamp(0.0, 1.0);
                let (x, size) = match scale {
                    Scale::Linear => (low + u * (high - low), high - low),
                    Scale::Log => {
                        let x = low * (u * (high / low).ln()).exp();
                        (x, x)
                    }
                };
                Value::Float(rounded(x, size * 10_f64.powi(-DIGITS)).clamp(*low, *high))
            }
            Self::Integer { low, high } => {
                Value::Integer(low + (coordinate * (high - low) as f64).round() as i64)
            }
            Self::Categorical { choices } => {
                Value::Text(choices.get(coordinate.round() as usize).cloned().unwrap_or_default())
            }
        }
    }

    /// The values allowed, in words.
    pub fn allowed(&self) -> String {
        match self {
            Self::Float { low, high, step: Some(step), .. } => {
                format!("a number from {low} to {high} in steps of {step}")
            }
            Self::Float { low, high, .. } => format!("a number from {low} to {high}"),
            Self::Integer { low, high } => format!("a whole number from {low} to {high}"),
            Self::Categorical { choices } => format!("one of {}", rather_io::list(choices)),
        }
    }

    /// Reads a value of this range as text.
    pub fn parse(&self, text: &str) -> Option<Value> {
        let value = match self {
            Self::Float { .. } => Value::Float(text.parse().ok()?),
            Self::Integer { .. } => Value::Integer(text.parse().ok()?),
            Self::Categorical { .. } => Value::Text(text.to_owned()),
        };
        self.coordinate(&value).map(|_| value)
    }
}

/// `x` rounded to the decimal place of `unit`, written with as few digits as that takes.
fn rounded(x: f64, unit: f64) -> f64 {
    let decimals = (-unit.log10().floor()).clamp(0.0, 300.0) as usize;
    // Through text, so that the result is the nearest number to a short decimal and prints as one.
    format!("{x:.decimals$}").parse().unwrap_or(x)
}

fn check_float(low: f64, high: f64, scale: Scale, step: Option<f64>) -> Result<(), Fault> {
    for (entry, bound) in [("low", low), ("high", high)] {
        if !(-LARGEST..=LARGEST).contains(&bound) {
            return Err(fault(
                entry,
                format!("{bound} is not a number to search with; write one within ±1e150"),
            ));
        }
    }
    if low >= high {
        return Err(fault("low", format!("low = {low} must be less than high = {high}")));
    }
    if scale == Scale::Log && low <= 0.0 {
        return Err(fault(
            "low",
            format!("low = {low} must be greater than 0 on a log scale; raise it or take scale = \"linear\""),
        ));
    }
    let Some(step) = step else { return Ok(()) };
    if scale == Scale::Log {
        return Err(fault("step", "a step needs a linear scale; remove the step or take scale = \"linear\""));
    }
    if !(step > 0.0 && step <= high - low) {
        return Err(fault(
            "step",
            format!(
                "step = {step} must be greater than 0 and at most {}, the width of the range",
                high - low
            ),
        ));
    }
    let steps = (high - low) / step;
    if steps >= MOST_LEVELS {
        return Err(fault("step", format!("step = {step} makes more than a million values; leave it out")));
    }
    if (steps - steps.round()).abs() > DIVIDES * steps.max(1.0) {
        let below = rounded(low + steps.floor() * step, step * 1e-3);
        return Err(fault(
            "step",
            format!(
                "steps of {step} from {low} do not meet high = {high}; set high = {below} or change the step"
            ),
        ));
    }
    Ok(())
}

fn check_integer(low: i64, high: i64) -> Result<(), Fault> {
    if low >= high {
        return Err(fault("low", format!("low = {low} must be less than high = {high}")));
    }
    if high.checked_sub(low).is_none_or(|width| width as f64 >= MOST_LEVELS) {
        return Err(fault(
            "high",
            format!("{low} to {high} are more than a million values; make it a float, or narrow the range"),
        ));
    }
    Ok(())
}

fn check_choices(choices: &[String]) -> Result<(), Fault> {
    if choices.len() < 2 {
        return Err(fault("choices", "a categorical parameter needs at least two choices"));
    }
    for (i, choice) in choices.iter().enumerate() {
        if choice.trim().is_empty() || choice.trim() != choice {
            return Err(fault(
                "choices",
                format!("the choice {} is empty or has spaces round it; write a plain name", quote(choice)),
            ));
        }
        if choices[..i].contains(choice) {
            return Err(fault("choices", format!("the choice {} appears twice; keep one", quote(choice))));
        }
    }
    Ok(())
}

/// All parameters of a study.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Space {
    /// The parameters, in their order.
    pub parameters: Vec<Parameter>,
}

/// Why something is no setting of a space, as the rest of a sentence.
pub type NotASetting = String;

impl Space {
    /// The unit cube, one dimension a parameter.
    pub fn domain(&self) -> Domain {
        Domain { dimensions: self.parameters.iter().map(|p| p.range.dimension()).collect() }
    }

    /// The setting at a point of the unit cube, whose floats are rounded to four digits.
    pub fn setting(&self, coordinates: &[f64]) -> Setting {
        let value = |(p, &c): (&Parameter, &f64)| (p.name.clone(), p.range.value(c));
        Setting { values: self.parameters.iter().zip(coordinates).map(value).collect() }
    }

    /// The point of a setting in the unit cube, one coordinate a parameter.
    ///
    /// # Errors
    /// If a parameter is missing, unknown, or has a value that is not allowed.
    pub fn coordinates(&self, setting: &Setting) -> Result<Vec<f64>, NotASetting> {
        if let Some((name, _)) = setting.values.iter().find(|(name, _)| self.parameter(name).is_none()) {
            let known: Vec<String> = self.parameters.iter().map(|p| p.name.clone()).collect();
            return Err(format!(
                "there is no parameter {}; the parameters are {}",
                quote(name),
                rather_io::list(&known)
            ));
        }
        self.parameters
            .iter()
            .map(|p| {
                let value = setting
                    .get(&p.name)
                    .ok_or_else(|| format!("it lacks the parameter {}", quote(&p.name)))?;
                p.range
                    .coordinate(value)
                    .ok_or_else(|| format!("{} = {value} must be {}", p.name, p.range.allowed()))
            })
            .collect()
    }

    /// The same setting with its parameters in the order of the space and numbers of the space's kind.
    ///
    /// # Errors
    /// As [`Space::coordinates`].
    pub fn normalised(&self, setting: &Setting) -> Result<Setting, NotASetting> {
        self.coordinates(setting)?;
        let value = |p: &Parameter| {
            let value = setting.get(&p.name)?;
            Some((
                p.name.clone(),
                match &p.range {
                    Range::Float { .. } => Value::Float(value.number()?),
                    Range::Integer { .. } => Value::Integer(value.whole()?),
                    Range::Categorical { .. } => value.clone(),
                },
            ))
        };
        Ok(Setting { values: self.parameters.iter().filter_map(value).collect() })
    }

    /// Reads a setting written as `gain = 5, mode = fast`.
    ///
    /// # Errors
    /// As [`Space::coordinates`], or if it is not written so.
    pub fn parse(&self, text: &str) -> Result<Setting, NotASetting> {
        let mut values: Vec<(String, Value)> = Vec::new();
        for part in text.split(',') {
            let (name, value) = part
                .split_once('=')
                .map(|(name, value)| (name.trim(), value.trim()))
                .ok_or_else(|| format!("write a setting as {}", self.example()))?;
            let Some(p) = self.parameter(name) else {
                let known: Vec<String> = self.parameters.iter().map(|p| p.name.clone()).collect();
                return Err(format!(
                    "there is no parameter {}; the parameters are {}",
                    quote(name),
                    rather_io::list(&known)
                ));
            };
            if values.iter().any(|(other, _)| *other == p.name) {
                return Err(format!("the parameter {} appears twice; keep one", quote(name)));
            }
            let value = p
                .range
                .parse(value)
                .ok_or_else(|| format!("{name} = {value} must be {}", p.range.allowed()))?;
            values.push((p.name.clone(), value));
        }
        self.normalised(&Setting { values })
    }

    /// A setting as [`Space::parse`] reads it.
    fn example(&self) -> String {
        let low = |p: &Parameter| format!("{}={}", p.name, p.range.value(0.0));
        self.parameters.iter().map(low).collect::<Vec<_>>().join(",")
    }

    fn parameter(&self, name: &str) -> Option<&Parameter> {
        self.parameters.iter().find(|p| p.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn float(low: f64, high: f64, scale: Scale, step: Option<f64>) -> Range {
        Range::Float { low, high, scale, step }
    }

    fn space() -> Space {
        let parameter = |name: &str, range| Parameter { name: name.into(), range };
        Space {
            parameters: vec![
                parameter("gain", float(0.0, 20.0, Scale::Linear, None)),
                parameter("rate", float(0.01, 100.0, Scale::Log, None)),
                parameter("level", float(-1.0, 1.0, Scale::Linear, Some(0.1))),
                parameter("taps", Range::Integer { low: 1, high: 8 }),
                parameter("mode", Range::Categorical { choices: vec!["fast".into(), "fine".into()] }),
            ],
        }
    }

    #[test]
    fn nonsense_has_its_sentence() {
        for (range, entry, start) in [
            (float(3.0, 1.0, Scale::Linear, None), "low", "low = 3 must be less than high = 1"),
            (float(0.0, 1.0, Scale::Log, None), "low", "low = 0 must be greater than 0 on a log scale"),
            (float(0.0, f64::INFINITY, Scale::Linear, None), "high", "inf is not a number"),
            (float(f64::NAN, 1.0, Scale::Linear, None), "low", "NaN is not a number"),
            (
                float(0.0, 10.0, Scale::Linear, Some(3.0)),
                "step",
                "steps of 3 from 0 do not meet high = 10; set high = 9",
            ),
            (
                float(0.0, 1.0, Scale::Linear, Some(-1.0)),
                "step",
                "step = -1 must be greater than 0 and at most 1",
            ),
            (
                float(0.0, 1.0, Scale::Linear, Some(1e-9)),
                "step",
                "step = 0.000000001 makes more than a million",
            ),
            (float(1.0, 2.0, Scale::Log, Some(0.5)), "step", "a step needs a linear scale"),
            (Range::Integer { low: 2, high: 2 }, "low", "low = 2 must be less than high = 2"),
            (Range::Integer { low: i64::MIN, high: i64::MAX }, "high", "-9223372036854775808 to"),
            (Range::Categorical { choices: vec!["a".into()] }, "choices", "a categorical parameter needs"),
            (
                Range::Categorical { choices: vec!["a".into(), "a".into()] },
                "choices",
                "the choice \"a\" appears twice",
            ),
            (
                Range::Categorical { choices: vec!["a".into(), " b".into()] },
                "choices",
                "the choice \" b\" is empty",
            ),
        ] {
            let found = range.check().unwrap_err();
            assert!(found.entry == Some(entry) && found.problem.starts_with(start), "{found:?}");
        }
        assert!(space().parameters.iter().all(|p| p.range.check().is_ok()));
    }

    #[test]
    fn settings_are_short_and_within_bounds() {
        let space = space();
        let setting = space.setting(&[0.123_456, 0.5, 0.65, 1.0, 1.0]);
        assert_eq!(setting.to_string(), "gain = 2.469, rate = 1, level = 0.3, taps = 8, mode = fine");
        let (level, taps) = (Dimension::Integer { levels: 21 }, Dimension::Integer { levels: 8 });
        assert_eq!(space.domain().dimensions[2..], [level, taps, Dimension::Categorical { levels: 2 }]);
        assert_eq!(
            space.setting(&[0.0; 5]).to_string(),
            "gain = 0, rate = 0.01, level = -1, taps = 1, mode = fast"
        );
        let narrow = float(1.000_01, 1.000_02, Scale::Linear, None);
        assert_eq!(narrow.value(0.5), Value::Float(1.000_015));
    }

    #[test]
    fn settings_are_read_from_text() {
        let space = space();
        let text = "mode=fine, gain = 3,rate=0.5,level=-0.3,taps=2";
        let setting = space.parse(text).unwrap();
        assert_eq!(setting.to_string(), "gain = 3, rate = 0.5, level = -0.3, taps = 2, mode = fine");
        for (text, sentence) in [
            ("gain=3", "it lacks the parameter \"rate\""),
            ("gain=30,rate=1", "gain = 30 must be a number from 0 to 20"),
            ("taps=2.5", "taps = 2.5 must be a whole number from 1 to 8"),
            ("level=0.05", "level = 0.05 must be a number from -1 to 1 in steps of 0.1"),
            ("mode=slow", "mode = slow must be one of \"fast\", \"fine\""),
            (
                "gian=3",
                "there is no parameter \"gian\"; the parameters are \"gain\", \"rate\", \"level\", \"taps\", \"mode\"",
            ),
            ("gain=3,gain=3", "the parameter \"gain\" appears twice; keep one"),
            ("3", "write a setting as gain=0,rate=0.01,level=-1,taps=1,mode=fast"),
        ] {
            assert_eq!(space.parse(text).unwrap_err(), sentence);
        }
    }

    proptest! {
        /// The way there and back again moves a float by its rounding only, and a second time not at all.
        #[test]
        fn encoding_round_trips(u in 0.0..1.0_f64, v in 0.0..1.0_f64, level in 0..21_u8, taps in 0..8_u8, mode in 0..2_u8) {
            let space = space();
            let point = [u, v, f64::from(level) / 20.0, f64::from(taps) / 7.0, f64::from(mode)];
            let setting = space.setting(&point);
            let back = space.coordinates(&setting).unwrap();
            for (a, b) in point.iter().zip(&back) {
                prop_assert!((a - b).abs() <= 1e-4, "{point:?} {back:?}");
            }
            prop_assert_eq!(space.setting(&back), setting.clone());
            let text = serde_json::to_string(&setting).unwrap();
            prop_assert_eq!(serde_json::from_str::<Setting>(&text).unwrap(), setting);
        }
    }
}
