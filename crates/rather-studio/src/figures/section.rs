//! A cut through a space of parameters: one or two of them vary, the others are held.

use std::collections::BTreeMap;

use rather_plot::Along;
use rather_study::alternative::{Alternative, Setting, Value};
use rather_study::space::{Range, Scale, Space};

/// A space with the setting at which parameters are held.
#[derive(Debug)]
pub(super) struct Section<'a> {
    space: &'a Space,
    held: Setting,
    units: &'a BTreeMap<String, String>,
}

/// The values of a parameter that a figure has, and how they stand on its axis.
#[derive(Debug)]
pub(super) struct Values {
    values: Vec<Value>,
    pub(super) along: Along,
}

impl<'a> Section<'a> {
    /// `None` if `held` is no setting of the space.
    pub(super) fn new(
        space: &'a Space,
        held: &Alternative,
        units: &'a BTreeMap<String, String>,
    ) -> Option<Self> {
        let Alternative::Setting(held) = held else { return None };
        let held = space.normalised(held).ok()?;
        Some(Self { space, held, units })
    }

    /// Name, unit and scale of a parameter, for an axis.
    pub(super) fn name(&self, i: usize) -> String {
        let parameter = &self.space.parameters[i];
        let unit = self.units.get(&parameter.name).map(|unit| format!(" ({unit})")).unwrap_or_default();
        let scale = if is_log(&parameter.range) { ", log₁₀" } else { "" };
        format!("{}{unit}{scale}", parameter.name)
    }

    /// About `n` values of a parameter over its range; all of them if there are fewer.
    pub(super) fn values(&self, i: usize, n: usize) -> Values {
        let range = &self.space.parameters[i].range;
        if let Range::Categorical { choices } = range {
            let values = choices.iter().cloned().map(Value::Text).collect();
            return Values { values, along: Along::Levels(choices.clone()) };
        }
        let mut values: Vec<Value> = (0..n).map(|k| range.value(k as f64 / (n - 1) as f64)).collect();
        values.dedup();
        let numbers = values.iter().map(|value| on_axis(range, value)).collect();
        Values { values, along: Along::Numbers(numbers) }
    }

    /// The settings where parameter `i` has each of `values`.
    pub(super) fn line(&self, i: usize, values: &Values) -> Vec<Alternative> {
        values.values.iter().map(|value| Alternative::Setting(self.with(&self.held, i, value))).collect()
    }

    /// The settings where `i` and `j` have each pair of values; `i` varies fastest.
    pub(super) fn plane(&self, (i, x): (usize, &Values), (j, y): (usize, &Values)) -> Vec<Alternative> {
        let row = |value: &Value| self.with(&self.held, j, value);
        let cell = |setting: &Setting, value: &Value| Alternative::Setting(self.with(setting, i, value));
        y.values
            .iter()
            .map(row)
            .flat_map(|s| x.values.iter().map(move |v| cell(&s, v)).collect::<Vec<_>>())
            .collect()
    }

    fn with(&self, setting: &Setting, i: usize, value: &Value) -> Setting {
        let mut setting = setting.clone();
        setting.values[i].1 = value.clone();
        setting
    }

    /// Where an alternative stands on the axis of a parameter.
    pub(super) fn place(&self, i: usize, alternative: &Alternative) -> Option<f64> {
        let Alternative::Setting(setting) = alternative else { return None };
        let parameter = &self.space.parameters[i];
        let value = setting.get(&parameter.name)?;
        match &parameter.range {
            Range::Categorical { choices } => {
                choices.iter().position(|c| Value::Text(c.clone()) == *value).map(|k| k as f64)
            }
            range => Some(on_axis(range, value)),
        }
    }

    /// At which values the others are held: a sentence, or nothing.
    pub(super) fn sentence(&self, varying: &[usize]) -> String {
        let others = self.held.values.iter().enumerate().filter(|(i, _)| !varying.contains(i));
        let others: Vec<String> = others.map(|(_, (name, value))| format!("{name} {value}")).collect();
        if others.is_empty() {
            String::new()
        } else {
            format!("The others are fixed at {}.", others.join(", "))
        }
    }
}

impl Values {
    /// In their order.
    pub(super) fn values(&self) -> &[Value] {
        &self.values
    }

    /// As numbers, if they are.
    pub(super) fn numbers(&self) -> Option<Vec<f64>> {
        match &self.along {
            Along::Numbers(numbers) => Some(numbers.clone()),
            Along::Levels(_) => None,
        }
    }
}

/// Whether a parameter has an axis of numbers.
pub(super) fn is_number(range: &Range) -> bool {
    !matches!(range, Range::Categorical { .. })
}

fn is_log(range: &Range) -> bool {
    matches!(range, Range::Float { scale: Scale::Log, .. })
}

fn on_axis(range: &Range, value: &Value) -> f64 {
    let number = value.number().unwrap_or_default();
    if is_log(range) { number.log10() } else { number }
}
