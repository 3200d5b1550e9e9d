//! What ratings are measured in.

use crate::args::RatingUnits;
use crate::failure::Failure;
use rather::arena;
use rather::model::Model;
use serde::Serialize;

/// A rating of utilities.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Scale {
    pub(super) units: RatingUnits,
    /// The item of a fixed rating, and that rating.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) anchor: Option<(String, f64)>,
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
    pub(super) fn new(units: RatingUnits, anchor: Option<&str>, model: &Model) -> Result<Self, Failure> {
        let without = if units == RatingUnits::Elo { AVERAGE } else { 0.0 };
        let anchor = anchor.map(|text| anchored(text, without, model)).transpose()?;
        if units == RatingUnits::WinRate && anchor.is_some() {
            return Err(Failure::User("--units win-rate is against the average of the others and has no --anchor; leave one of them out".to_owned()));
        }
        // The scale of the logistic function of a difference, whose noise is that of two items.
        let k = 2.0_f64.sqrt() * model.hyperparameters().noise() * 3.0_f64.sqrt() / std::f64::consts::PI;
        let points = match units {
            RatingUnits::Elo => 400.0 / (k * 10.0_f64.ln()),
            RatingUnits::Jod => 1.0 / (k * 3.0_f64.ln()),
            RatingUnits::Utility | RatingUnits::WinRate => 1.0,
        };
        let base = anchor.as_ref().map_or(without, |(_, rating)| *rating);
        Ok(Self { units, anchor, points, base })
    }

    /// The position of the anchor among the items of a model.
    pub(super) fn anchor(&self, model: &Model) -> Option<usize> {
        self.anchor.as_ref().and_then(|(name, _)| model.position(name))
    }

    /// A rating with the ends of its interval, of a utility relative to the average or the anchor; `others` are the means of the others, for the rate of wins.
    pub(super) fn rating(&self, utility: [f64; 3], model: &Model, others: &[f64]) -> [f64; 3] {
        match self.units {
            RatingUnits::WinRate => utility.map(|x| 100.0 * win_rate(x, model, others)),
            _ => utility.map(|x| self.base + self.points * x),
        }
    }

    /// A difference of ratings; of rates of wins that of utilities.
    pub(super) fn difference(&self, utility: f64) -> f64 {
        self.points * utility
    }

    /// Decimals that a rating is shown with.
    pub(super) fn decimals(&self) -> usize {
        match self.units {
            RatingUnits::Elo => 0,
            RatingUnits::WinRate => 1,
            RatingUnits::Jod | RatingUnits::Utility => 2,
        }
    }

    /// What the numbers are called.
    pub(super) fn name(&self) -> &'static str {
        match self.units {
            RatingUnits::Elo => "rating",
            RatingUnits::Jod => "JOD",
            RatingUnits::Utility => "utility",
            RatingUnits::WinRate => "win rate, %",
        }
    }

    /// Which rating is fixed.
    pub(super) fn zero(&self) -> String {
        match (&self.anchor, self.units) {
            (Some((name, rating)), _) => {
                format!("\"{name}\" is fixed at {rating}, and intervals are of differences from it")
            }
            (None, RatingUnits::Elo) => format!("the average is {AVERAGE:.0}"),
            (None, RatingUnits::WinRate) => "50 is an even chance".to_owned(),
            (None, RatingUnits::Jod | RatingUnits::Utility) => "the average is 0".to_owned(),
        }
    }

    /// What they mean, in a sentence.
    pub(super) fn meaning(&self) -> String {
        let zero = self.zero();
        match self.units {
            RatingUnits::Elo => format!("Ratings are on Elo's scale: 400 points are odds of 10 to 1, and {zero}."),
            RatingUnits::Jod => format!("Ratings are just-objectionable differences: 1 is a preference of 75 %, and {zero}."),
            RatingUnits::Utility => format!("Ratings are utilities in standard deviations of the noise of one item, and {zero}."),
            RatingUnits::WinRate => {
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
fn anchored(text: &str, without: f64, model: &Model) -> Result<(String, f64), Failure> {
    if model.position(text).is_some() {
        return Ok((text.to_owned(), without));
    }
    let (name, rating) =
        text.rsplit_once('=').map_or((text, None), |(name, rating)| (name.trim(), Some(rating.trim())));
    if model.position(name).is_none() {
        let near = rather_io::closest(name, model.keys())
            .map_or(String::new(), |near| format!("; did you mean \"{near}\"?"));
        return Err(Failure::User(format!("--anchor \"{name}\" is not an item of the votes{near}")));
    }
    let rating = rating.map_or(Some(without), |rating| rating.parse().ok().filter(|x: &f64| x.is_finite()));
    rating.map(|rating| (name.to_owned(), rating)).ok_or_else(|| {
        Failure::User(format!("--anchor {text}: what follows = is not a number; write NAME=1114"))
    })
}
