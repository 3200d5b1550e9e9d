//! What a listener tunes: how hard noise is pushed down, and how far at most.

use crate::error::Error;

/// Over-subtraction where nothing is over-subtracted: the Wiener gain. The one-parameter demo stays there.
pub const WIENER: f64 = 1.0;

const LEAST_OVER_SUBTRACTION: f64 = 0.05;
const OVER_SUBTRACTION_RANGE: f64 = 1000.0;
const DEEPEST_FLOOR: f64 = -40.0;

/// A setting of the suppressor: over-subtraction $\beta$ and the floor of the gain in dB.
///
/// # Examples
/// ```
/// use rather_audio::setting::Setting;
///
/// let wiener = Setting::new(1.0, -20.0)?;
/// assert_eq!(Setting::at(&[0.5])?, wiener); // one coordinate: the floor alone
/// assert_eq!(Setting::at(&[0.0, 1.0])?, Setting::new(0.05, -40.0)?);
/// # Ok::<(), rather_audio::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Setting {
    over_subtraction: f64,
    floor_db: f64,
}

impl Setting {
    /// Over-subtraction (0 or more; 1 is the Wiener gain) and the floor of the gain (0 dB or less).
    ///
    /// # Errors
    /// A number outside these ranges.
    pub fn new(over_subtraction: f64, floor_db: f64) -> Result<Self, Error> {
        if !(over_subtraction >= 0.0 && over_subtraction.is_finite()) {
            return Err(range("over-subtraction", "0 or more", over_subtraction));
        }
        if !(floor_db <= 0.0 && floor_db.is_finite()) {
            return Err(range("the floor", "0 dB or less", floor_db));
        }
        // Adding zero turns -0 into 0.
        Ok(Self { over_subtraction, floor_db: floor_db + 0.0 })
    }

    /// The setting at a point of the unit interval (floor alone, $\beta=1$) or unit square (over-subtraction,
    /// floor): $\beta=0.05\cdot1000^{t_1}$, $F=-40 t_2$ dB. The edge $t_2=0$ leaves the sound as it is.
    ///
    /// # Errors
    /// Another number of coordinates, or one outside 0 to 1.
    pub fn at(theta: &[f64]) -> Result<Self, Error> {
        if let Some(&value) = theta.iter().find(|t| !(0.0..=1.0).contains(*t)) {
            return Err(range("a coordinate of a setting", "between 0 and 1", value));
        }
        match *theta {
            [floor] => Self::new(WIENER, DEEPEST_FLOOR * floor),
            [over, floor] => {
                Self::new(LEAST_OVER_SUBTRACTION * OVER_SUBTRACTION_RANGE.powf(over), DEEPEST_FLOOR * floor)
            }
            _ => Err(Error::Coordinates { found: theta.len() }),
        }
    }

    /// Over-subtraction $\beta$.
    pub fn over_subtraction(&self) -> f64 {
        self.over_subtraction
    }

    /// The floor of the gain, in dB.
    pub fn floor_db(&self) -> f64 {
        self.floor_db
    }

    /// The floor as a factor on amplitudes.
    pub fn floor(&self) -> f64 {
        10f64.powf(self.floor_db / 20.0)
    }
}

fn range(what: &'static str, requirement: &'static str, value: f64) -> Error {
    Error::Range { what, requirement, value }
}
