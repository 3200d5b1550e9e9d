//! What was learned of parameters as one picture: along each parameter through the recommendation, and over two of them as a map.
//!
//! These are numbers; `pages/picture.rs` draws them, and `picture.js` reads them to answer the pointer.

use std::collections::BTreeMap;

use rather_numerics::special::normal;
use rather_study::analysis::advice::Estimate;
use rather_study::definition::Subject;
use rather_study::space::{Parameter, Range, Scale, Space};
use rather_study::study::Snapshot;
use rather_study::{Alternative, Error, Value};
use serde::{Deserialize, Serialize};

use super::axis::{self, Tick};
use super::numbers::{Fineness, with_unit};
use super::section::{Section, Values, is_number};

/// Values along a curve, and along each side of a map.
const LINE: usize = 81;
const MAP: usize = 41;

/// What was learned of parameters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Picture {
    /// The recommendation.
    pub best: Alternative,
    /// A curve a parameter, in their order; the others have the values of the recommendation.
    pub curves: Vec<Curve>,
    /// Over two parameters of numbers.
    pub map: Option<Map>,
}

/// What is known along a parameter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    /// The parameter.
    pub axis: Axis,
    /// Of each value of it.
    pub known: Known,
    /// The answers about settings on the way, as places on the axis.
    pub compared: Vec<f64>,
    /// Where the options of one comparison lie, A first.
    pub pair: Vec<f64>,
    /// The first and the last value that is about as good as the recommendation, as places on the axis.
    pub good: (f64, f64),
}

/// What is known over two parameters; the first varies fastest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Map {
    /// The first parameter.
    pub x: Axis,
    /// The second parameter.
    pub y: Axis,
    /// Of each pair of values.
    pub known: Known,
    /// The settings that were compared, as places on both axes.
    pub compared: Vec<(f64, f64)>,
    /// Where the options of one comparison lie, A first.
    pub pair: Vec<(f64, f64)>,
    /// The mean utility from which on a setting is about as good as the recommendation.
    pub good: f64,
}

/// A parameter with some of its values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Axis {
    /// Its name.
    pub name: String,
    /// Its unit, or nothing.
    pub unit: String,
    /// Whether it has choices, which have no places between them.
    pub choices: bool,
    /// The values, as the API takes them.
    pub values: Vec<Value>,
    /// The values as people read them.
    pub labels: Vec<String>,
    /// Where they stand.
    pub places: Vec<f64>,
    /// What is written beside it.
    pub ticks: Vec<Tick>,
    /// Where the recommendation stands.
    pub best: f64,
}

/// What is known of some settings, a number each: utilities relative to the average of the settings compared.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Known {
    /// Mean utility.
    pub mean: Vec<f64>,
    /// Its standard deviation.
    pub sd: Vec<f64>,
    /// The probability that the setting is better than the recommendation.
    pub better: Vec<f64>,
}

/// The value of a parameter that is recommended, and which others are about as good.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct GoodRange {
    /// The parameter.
    pub name: String,
    /// The value, as finely as the range of good ones allows, with its unit.
    pub value: String,
    /// Which values are about as good: `−20 to −8 dB`, or other choices; nothing if no other is.
    pub others: String,
    /// Whether these are choices.
    pub choices: bool,
}

/// The picture, with marks where `pair` lies, and of each parameter the values that are about as good as the recommendation; `None` if items
/// are compared.
///
/// # Errors
/// If `best` is no setting of the study.
pub fn of(
    snapshot: &Snapshot,
    best: &Alternative,
    pair: &[Alternative],
    units: &BTreeMap<String, String>,
) -> Result<Option<(Picture, Vec<GoodRange>)>, Error> {
    let Subject::Parameters(space) = &snapshot.definition().subject else { return Ok(None) };
    let Some(section) = Section::new(space, best, units) else { return Ok(None) };
    let limit = snapshot.definition().stop.regret;
    let drawing = Drawing { snapshot, space, section, best, pair, units, limit };
    let (mut curves, mut ranges) = (Vec::new(), Vec::new());
    for (i, parameter) in space.parameters.iter().enumerate() {
        let (curve, range) = drawing.curve(i, parameter)?;
        curves.push(curve);
        ranges.push(range);
    }
    Ok(Some((Picture { best: best.clone(), curves, map: drawing.map()? }, ranges)))
}

/// A picture in the making.
struct Drawing<'a> {
    snapshot: &'a Snapshot,
    space: &'a Space,
    section: Section<'a>,
    best: &'a Alternative,
    pair: &'a [Alternative],
    units: &'a BTreeMap<String, String>,
    limit: f64,
}

impl Drawing<'_> {
    fn curve(&self, i: usize, parameter: &Parameter) -> Result<(Curve, GoodRange), Error> {
        let values = self.section.values(i, LINE);
        let (known, gains) = self.known(&self.section.line(i, &values))?;
        let axis = self.axis(i, &values);
        let good = Good::of(&gains, &axis, self.limit, &parameter.range);
        let range = self.good_range(parameter, &axis, &good);
        let compared = self.snapshot.compared();
        let compared = compared.iter().filter_map(|side| self.place(i, side)).collect();
        let pair = self.pair.iter().filter_map(|side| self.place(i, side)).collect();
        Ok((Curve { axis, known, compared, pair, good: (good.low, good.high) }, range))
    }

    fn map(&self) -> Result<Option<Map>, Error> {
        let [first, second] = self.space.parameters.as_slice() else { return Ok(None) };
        if !is_number(&first.range) || !is_number(&second.range) {
            return Ok(None);
        }
        let (x, y) = (self.section.values(0, MAP), self.section.values(1, MAP));
        let (known, _) = self.known(&self.section.plane((0, &x), (1, &y)))?;
        let compared = self.snapshot.compared();
        let place = |side: &Alternative| Some((self.place(0, side)?, self.place(1, side)?));
        let best = self.snapshot.utilities(std::slice::from_ref(self.best))?;
        Ok(Some(Map {
            x: self.axis(0, &x),
            y: self.axis(1, &y),
            known,
            compared: compared.iter().filter_map(place).collect(),
            pair: self.pair.iter().filter_map(place).collect(),
            good: best.first().map_or(0.0, |best| best.mean) - self.limit,
        }))
    }

    /// What is known of settings, and by how much their mean utilities exceed the recommendation's.
    fn known(&self, settings: &[Alternative]) -> Result<(Known, Vec<f64>), Error> {
        let utilities = self.snapshot.utilities(settings)?;
        let gains = self.snapshot.gains(settings, self.best)?;
        // The recommendation itself is neither better nor worse.
        let better = |gain: &Estimate| if gain.sd < 1e-6 { 0.5 } else { normal::cdf(gain.mean / gain.sd) };
        let known = Known {
            mean: utilities.iter().map(|u| short(u.mean)).collect(),
            sd: utilities.iter().map(|u| short(u.sd)).collect(),
            better: gains.iter().map(|gain| short(better(gain))).collect(),
        };
        Ok((known, gains.iter().map(|gain| gain.mean).collect()))
    }

    fn place(&self, i: usize, alternative: &Alternative) -> Option<f64> {
        let Alternative::Setting(setting) = alternative else { return None };
        let parameter = &self.space.parameters[i];
        place_of(&parameter.range, setting.get(&parameter.name)?)
    }

    fn axis(&self, i: usize, values: &Values) -> Axis {
        let Parameter { name, range } = &self.space.parameters[i];
        let values = values.values();
        let fineness = Fineness::of_one_in(range, values.len());
        let label = |value: &Value| value.number().map_or_else(|| value.to_string(), |x| fineness.write(x));
        Axis {
            name: name.clone(),
            unit: self.units.get(name).cloned().unwrap_or_default(),
            choices: !is_number(range),
            labels: values.iter().map(label).collect(),
            places: values.iter().filter_map(|value| place_of(range, value)).collect(),
            ticks: axis::ticks(range),
            best: self.place(i, self.best).unwrap_or_default(),
            values: values.to_vec(),
        }
    }

    fn good_range(&self, parameter: &Parameter, axis: &Axis, good: &Good) -> GoodRange {
        let name = parameter.name.clone();
        let best = match self.best {
            Alternative::Setting(setting) => setting.get(&name),
            Alternative::Item(_) => None,
        };
        let Some(best) = best else { return GoodRange { name, ..GoodRange::default() } };
        let Some(number) = best.number() else {
            let others = good.all.iter().map(|&i| &axis.values[i]).filter(|value| *value != best);
            let others: Vec<String> = others.map(Value::to_string).collect();
            return GoodRange { name, value: best.to_string(), others: others.join(", "), choices: true };
        };
        let ends =
            [good.low, good.high].map(|place| parameter.range.value(place).number().unwrap_or_default());
        let fineness = between(&parameter.range, ends, axis.values.len());
        let [low, high] = ends.map(|end| fineness.write(end));
        let others = match low == high {
            true => String::new(),
            false => format!("{low} to {}", with_unit(&high, &axis.unit)),
        };
        GoodRange { name, value: with_unit(&fineness.write(number), &axis.unit), others, choices: false }
    }
}

/// Which values of a parameter are about as good as the recommendation: their mean utility is less by no more than the study's limit.
struct Good {
    /// Their numbers; without a gap round the recommendation, where values have an order.
    all: Vec<usize>,
    /// The places of both ends, between values where the limit is met there.
    low: f64,
    high: f64,
}

impl Good {
    fn of(gains: &[f64], axis: &Axis, limit: f64, range: &Range) -> Self {
        let best = axis.best;
        if axis.choices {
            let all = (0..gains.len()).filter(|&i| gains[i] >= -limit).collect();
            return Self { all, low: best, high: best };
        }
        let continuous = matches!(range, Range::Float { step: None, .. });
        let run = |way: &mut dyn Iterator<Item = usize>| {
            let (mut end, mut gain, mut good) = (best, 0.0, Vec::new());
            for i in way {
                if gains[i] < -limit {
                    // Where a straight line between neighbours meets the limit.
                    let share = if continuous { (gain + limit) / (gain - gains[i]) } else { 0.0 };
                    end += share.clamp(0.0, 1.0) * (axis.places[i] - end);
                    break;
                }
                (end, gain) = (axis.places[i], gains[i]);
                good.push(i);
            }
            (end, good)
        };
        let places = &axis.places;
        let (low, mut all) = run(&mut (0..places.len()).rev().filter(|&i| places[i] <= best));
        let (high, more) = run(&mut (0..places.len()).filter(|&i| places[i] >= best));
        all.extend(more);
        all.sort_unstable();
        all.dedup();
        Self { all, low, high }
    }
}

/// Where a value stands on its axis; of choices their numbers.
fn place_of(range: &Range, value: &Value) -> Option<f64> {
    match range {
        Range::Categorical { .. } => range.coordinate(value),
        _ => axis::place(range, value),
    }
}

/// How finely values between two ends are written; `n` values of the range are looked at.
fn between(range: &Range, [low, high]: [f64; 2], n: usize) -> Fineness {
    match *range {
        Range::Integer { .. } => Fineness::Whole,
        // Steps are written in full.
        Range::Float { step: Some(step), .. } => Fineness::Width(step),
        // Where nothing else is about as good, neighbours are told apart.
        _ if high <= low => Fineness::of_one_in(range, n),
        Range::Float { scale: Scale::Log, .. } => Fineness::Ratio(high / low),
        _ => Fineness::Width(high - low),
    }
}

/// To a thousandth: more is neither seen nor meant.
fn short(x: f64) -> f64 {
    (x * 1e3).round() / 1e3
}
