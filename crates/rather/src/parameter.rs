//! A parameter that is learned: within what bounds, along which coordinate, and the weak prior that keeps it from wandering off.

use serde::{Deserialize, Serialize};

/// A weak prior on the logarithm of a hyperparameter: normal around `ln median` with standard deviation `sd`. Of a hyperparameter
/// of another [`Scale`] it is normal in that coordinate.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LogNormal {
    /// The median of the parameter.
    pub median: f64,
    /// Standard deviation of its logarithm.
    pub sd: f64,
}

/// One hyperparameter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Hyperparameter {
    /// Its full name: `variance`, `lengthscale[price]`, `noise`.
    pub name: String,
    /// Its value, in the units of the encoded features.
    pub value: f64,
    /// Whether it stays as it is.
    pub fixed: bool,
    /// Its prior, if it has one.
    pub prior: Option<LogNormal>,
    /// The smallest and largest value that learning may try.
    pub bounds: (f64, f64),
    /// The coordinate that learning moves along.
    #[serde(default, skip_serializing_if = "Scale::is_log")]
    pub scale: Scale,
}

/// The coordinate in which a hyperparameter is learned, and in which its prior is normal.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scale {
    /// The logarithm, of a positive number.
    #[default]
    Log,
    /// The number itself, in multiples of this.
    Linear(f64),
    /// The logit, of a number between 0 and 1.
    Logit,
}

impl Scale {
    pub(crate) fn is_log(&self) -> bool {
        *self == Self::Log
    }

    /// The coordinate of a value.
    pub fn coordinate(self, value: f64) -> f64 {
        match self {
            Self::Log => value.ln(),
            Self::Linear(unit) => value / unit,
            Self::Logit => (value / (1.0 - value)).ln(),
        }
    }

    /// The value at a coordinate.
    pub fn value(self, x: f64) -> f64 {
        match self {
            Self::Log => x.exp(),
            Self::Linear(unit) => x * unit,
            Self::Logit => 1.0 / (1.0 + (-x).exp()),
        }
    }

    /// The derivative of the value in its coordinate.
    pub fn slope(self, value: f64) -> f64 {
        match self {
            Self::Log => value,
            Self::Linear(unit) => unit,
            Self::Logit => value * (1.0 - value),
        }
    }
}

impl Hyperparameter {
    /// A positive number around `median`; `sd` is the standard deviation of its logarithm.
    pub fn positive(name: &str, median: f64, sd: f64) -> Self {
        Self {
            name: name.into(),
            value: median,
            fixed: false,
            prior: Some(LogNormal { median, sd }),
            bounds: (median / REACH, median * REACH),
            scale: Scale::Log,
        }
    }

    /// A number around `centre`, with standard deviation `unit`.
    pub fn real(name: &str, centre: f64, unit: f64) -> Self {
        Self {
            name: name.into(),
            value: centre,
            fixed: false,
            prior: Some(LogNormal { median: centre, sd: 1.0 }),
            bounds: (centre - WIDEST * unit, centre + WIDEST * unit),
            scale: Scale::Linear(unit),
        }
    }

    /// A number that the utilities' own prior already places, about `centre` and in steps of `unit`: what is known here must not say more.
    pub fn anywhere(name: &str, centre: f64, unit: f64) -> Self {
        let prior = Some(LogNormal { median: centre, sd: ANYWHERE });
        Self { prior, ..Self::real(name, centre, unit) }
    }

    /// A share around `median`; `sd` is the standard deviation of its logit.
    pub fn share(name: &str, median: f64, sd: f64) -> Self {
        Self {
            name: name.into(),
            value: median,
            fixed: false,
            prior: Some(LogNormal { median, sd }),
            bounds: SHARES,
            scale: Scale::Logit,
        }
    }

    /// Where learning is.
    pub fn coordinate(&self) -> f64 {
        self.scale.coordinate(self.value)
    }

    /// How many standard deviations of its prior it is above the median; 0 without a prior.
    pub(crate) fn standardised(&self) -> f64 {
        let above = |prior: LogNormal| (self.coordinate() - self.scale.coordinate(prior.median)) / prior.sd;
        self.prior.map_or(0.0, above)
    }

    /// The ends of what learning may try.
    pub fn coordinate_bounds(&self) -> (f64, f64) {
        (self.scale.coordinate(self.bounds.0), self.scale.coordinate(self.bounds.1))
    }
}

/// Standard deviation, in units, of a number that is placed elsewhere.
const ANYWHERE: f64 = 10.0;
/// Standard deviations that a number may go from the centre of its prior.
const WIDEST: f64 = 20.0;
/// The smallest and the largest share.
const SHARES: (f64, f64) = (1e-4, 0.95);
/// How far a positive parameter may go from where its prior sits.
pub(crate) const REACH: f64 = 1e4;
