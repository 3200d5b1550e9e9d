//! What one feature does: the difference of utility to a reference.

use crate::{Along, Error, Figure, Look, Utility};

/// The difference of utility to the one at a reference value of a feature, with its own 95 % band.
#[derive(Debug, Clone, PartialEq)]
pub struct Effect {
    /// The feature, with its unit.
    pub feature: String,
    /// Its reference value.
    pub reference: String,
    /// Name and unit of utilities.
    pub utility: String,
    /// Where the difference is known.
    pub along: Along,
    /// Mean differences.
    pub mean: Vec<f64>,
    /// Their standard deviations: 0 at the reference.
    pub sd: Vec<f64>,
    /// At which values other features are held: a sentence, or nothing.
    pub held: String,
}

impl Effect {
    /// The figure.
    ///
    /// # Errors
    /// [`Error::Empty`], [`Error::Length`], [`Error::NotFinite`].
    pub fn draw(&self, look: &Look) -> Result<Figure, Error> {
        let title = look.title.clone().unwrap_or_else(|| format!("Effect of {}", self.feature));
        let utility = self.utility.strip_prefix("utility").unwrap_or_default();
        let curve = Utility {
            feature: self.feature.clone(),
            utility: format!("difference to {}{utility}", self.reference),
            along: self.along.clone(),
            mean: self.mean.clone(),
            sd: self.sd.clone(),
            duels: Vec::new(),
            held: self.held.clone(),
        };
        curve.draw(&Look { title: Some(title), ..look.clone() })
    }
}
