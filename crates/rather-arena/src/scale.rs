//! What ratings are measured in.

use crate::{Error, Units};
use rather::arena;
use rather::model::Model;
use serde::Serialize;

/// A rating of utilities.
#[derive(Debug, Clone, Serialize)]
pub struct Scale {
    /// The unit.
    pub units: Units,
    /// The item of a fixed rating, and that rating.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub anchor: Option<(String, f64)>,
    /// Points of a unit of utility.
    #[serde(skip)]
    points: f64,
    /// The rating of utility 0: of the average, or of the anchor.
    #[serde(skip)]
    base: f64,
}

/// The average of Elo's ratings where nothing else is asked for.
const AVERAGE: f64 = 1000.0;

impl Scale {
    /// The scale that the flags ask for.
    pub(crate) fn new(units: Units, anchor: Option<&str>, model: &Model) -> Result<Self, Error> {
        let without = if units == Units::Elo { AVERAGE } else { 0.0 };
        let anchor = anchor.map(|text| anchored(text, without, model)).transpose()?;
        if units == Units::WinRate && anchor.is_some() {
            return Err(Error::Asked("--units win-rate is against the average of the others and has no --anchor; leave one of them out".to_owned()));
        }
        // The scale of the logistic function of a difference, whose noise is that of two items.
        let k = 2.0_f64.sqrt() * model.hyperparameters().noise() * 3.0_f64.sqrt() / std::f64::consts::PI;
        let points = match units {
            Units::Elo => 400.0 / (k * 10.0_f64.ln()),
            Units::Jod => 1.0 / (k * 3.0_f64.ln()),
            Units::Utility | Units::WinRate => 1.0,
        };
        let base = anchor.as_ref().map_or(without, |(_, rating)| *rating);
        Ok(Self { units, anchor, points, base })
    }

    /// The position of the anchor among the items of a model.
    pub(crate) fn anchor(&self, model: &Model) -> Option<usize> {
        self.anchor.as_ref().and_then(|(name, _)| model.position(name))
    }

    /// A rating with the ends of its interval, of a utility relative to the average or the anchor; `others` are the means of the others, for the rate of wins.
    pub(crate) fn rating(&self, utility: [f64; 3], model: &Model, others: &[f64]) -> [f64; 3] {
        match self.units {
            Units::WinRate => utility.map(|x| 100.0 * win_rate(x, model, others)),
            _ => utility.map(|x| self.base + self.points * x),
        }
    }

    /// A difference of ratings; of rates of wins that of utilities.
    pub(crate) fn difference(&self, utility: f64) -> f64 {
        self.points * utility
    }

    /// Decimals that a rating is shown with.
    pub fn decimals(&self) -> usize {
        match self.units {
            Units::Elo => 0,
            Units::WinRate => 1,
            Units::Jod | Units::Utility => 2,
        }
    }

    /// What the numbers are called.
    pub fn name(&self) -> &'static str {
        match self.units {
            Units::Elo => "rating",
            Units::Jod => "JOD",
            Units::Utility => "utility",
            Units::WinRate => "win rate, %",
        }
    }

    /// Which rating is fixed.
    pub fn zero(&self) -> String {
        match (&self.anchor, self.units) {
            (Some((name, rating)), _) => {
                format!("\"{name}\" is fixed at {rating}, and intervals are of differences from it")
            }
            (None, Units::Elo) => format!("the average is {AVERAGE:.0}"),
            (None, Units::WinRate) => "50 is an even chance".to_owned(),
            (None, Units::Jod | Units::Utility) => "the average is 0".to_owned(),
        }
    }

    /// What they mean, in a sentence.
    pub fn meaning(&self) -> String {
        let zero = self.zero();
        match self.units {
            Units::Elo => format!("Ratings are on Elo's scale: 400 points are odds of 10 to 1, and {zero}."),
            Units::Jod => format!("Ratings are just-objectionable differences: 1 is a preference of 75 %, and {zero}."),
            Units::Utility => format!("Ratings are utilities in standard deviations of the noise of one item, and {zero}."),
            Units::WinRate => {
                "The win rate is the probability of being preferred to one of the other items, a tie counting half, each with its mean utility.".to_owned()
            }
        }
    }
}

/// The mean probability of being preferred to items of these utilities, a tie counting half.
fn win_rate(utility: f64, model: &Model, others: &[f64]) -> f64 {
    let one = |other: &f64| {
        let [win, tie, _] = arena::chances(model, utility - other);
        win + 0.5 * tie
    };
    others.iter().map(one).sum::<f64>() / others.len().max(1) as f64
}

/// Reads `NAME=RATING`, or the name of an item alone. A name may have a `=` of its own.
fn anchored(text: &str, without: f64, model: &Model) -> Result<(String, f64), Error> {
    if model.position(text).is_some() {
        return Ok((text.to_owned(), without));
    }
    let (name, rating) =
        text.rsplit_once('=').map_or((text, None), |(name, rating)| (name.trim(), Some(rating.trim())));
    if model.position(name).is_none() {
        let near = rather_io::closest(name, model.keys())
            .map_or(String::new(), |near| format!("; did you mean \"{near}\"?"));
        return Err(Error::Asked(format!("--anchor \"{name}\" is not an item of the votes{near}")));
    }
    let rating = rating.map_or(Some(without), |rating| rating.parse().ok().filter(|x: &f64| x.is_finite()));
    rating.map(|rating| (name.to_owned(), rating)).ok_or_else(|| {
        Error::Asked(format!("--anchor {text}: what follows = is not a number; write NAME=1114"))
    })
}
