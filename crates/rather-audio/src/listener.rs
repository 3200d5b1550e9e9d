//! A listener made of arithmetic: a utility of settings with an optimum inside, and answers that can err.

use crate::error::Error;
use crate::hearing::{Hearing, Impression};
use crate::setting::Setting;
use crate::suppressor::Analysis;
use rand_chacha::ChaCha8Rng;
use rather_numerics::random;
use rather_numerics::special::normal;
use std::sync::Arc;

/// From the worst setting to the best, in units of the probit's noise: extremes are told apart almost surely
/// ($\Phi(4)=0.99997$), near neighbours by little more than chance.
pub const RANGE: f64 = 4.0;
/// What a unit of musical noise costs beside a whole loss of speech or a whole noise.
const MUSICAL_COST: f64 = 0.04;
/// Settings along an axis over which the range is taken: floor alone, and each of two.
const GRID: [usize; 2] = [41, 15];

/// What a listener minds more: losing speech (towards 1) or hearing noise (towards 0).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Taste {
    weight: f64,
}

impl Taste {
    /// Wants quiet.
    pub const QUIET: Self = Self { weight: 0.5 };
    /// Wants both.
    pub const BALANCED: Self = Self { weight: 0.65 };
    /// Wants clear speech.
    pub const CLEAR: Self = Self { weight: 0.8 };

    /// The weight of lost speech against noise, between 0 and 1.
    ///
    /// # Errors
    /// A weight outside 0 to 1.
    pub fn new(weight: f64) -> Result<Self, Error> {
        if (0.0..=1.0).contains(&weight) {
            return Ok(Self { weight });
        }
        Err(Error::Range { what: "the weight of lost speech", requirement: "between 0 and 1", value: weight })
    }

    /// The weight of lost speech.
    pub fn weight(self) -> f64 {
        self.weight
    }

    /// $-\big[w d^2+(1-w) n^2+0.04 q\big]$ with speech lost $d$, noise left $n$, musical noise $q$: 0
    /// would be clean speech. The squares put the best setting inside the square of settings, not on its
    /// border.
    pub fn judge(self, impression: &Impression) -> f64 {
        let Impression { speech_lost, noise_left, musical } = *impression;
        let clean = self.weight * speech_lost * speech_lost + (1.0 - self.weight) * noise_left * noise_left;
        -(clean + MUSICAL_COST * musical)
    }
}

/// A listener to one scene, for settings with one coordinate or two.
#[derive(Debug, Clone)]
pub struct Listener {
    analysis: Arc<Analysis>,
    hearing: Arc<Hearing>,
    taste: Taste,
    dimensions: usize,
    worst: f64,
    best: f64,
    favourite: Vec<f64>,
}

impl Listener {
    /// Listens to a grid of settings (41 with one coordinate, 15 by 15 with two) to know the worst and the best.
    ///
    /// # Errors
    /// Neither one coordinate nor two.
    pub fn new(
        analysis: Arc<Analysis>,
        hearing: Arc<Hearing>,
        taste: Taste,
        dimensions: usize,
    ) -> Result<Self, Error> {
        let mut listener = Self {
            analysis,
            hearing,
            taste,
            dimensions,
            worst: 0.0,
            best: f64::NEG_INFINITY,
            favourite: Vec::new(),
        };
        for theta in grid(dimensions)? {
            let judgement = listener.judgement(&Setting::at(&theta)?);
            listener.worst = listener.worst.min(judgement);
            if judgement > listener.best {
                (listener.best, listener.favourite) = (judgement, theta);
            }
        }
        Ok(listener)
    }

    /// The utility of a setting: 0 for the worst of the grid, [`RANGE`] for the best.
    ///
    /// # Errors
    /// A wrong number of coordinates, or one outside 0 to 1.
    pub fn utility(&self, theta: &[f64]) -> Result<f64, Error> {
        if theta.len() != self.dimensions {
            return Err(Error::Coordinates { found: theta.len() });
        }
        let judgement = self.judgement(&Setting::at(theta)?);
        Ok(RANGE * (judgement - self.worst) / (self.best - self.worst).max(f64::MIN_POSITIVE))
    }

    /// The best setting of the grid.
    pub fn favourite(&self) -> &[f64] {
        &self.favourite
    }

    /// Whether the first of two settings is preferred: true with probability $\Phi(u_1-u_2)$.
    ///
    /// # Errors
    /// As [`utility`](Self::utility).
    pub fn prefers(&self, first: &[f64], second: &[f64], rng: &mut ChaCha8Rng) -> Result<bool, Error> {
        let difference = self.utility(first)? - self.utility(second)?;
        Ok(random::uniform(rng) < normal::cdf(difference))
    }

    fn judgement(&self, setting: &Setting) -> f64 {
        self.taste.judge(&self.hearing.impression(&self.analysis.gains(setting)))
    }
}

/// Settings on a regular grid over the unit interval or square, borders included.
///
/// # Errors
/// Neither one dimension nor two.
pub fn grid(dimensions: usize) -> Result<Vec<Vec<f64>>, Error> {
    let axis = |n: usize| (0..n).map(move |i| i as f64 / (n - 1) as f64);
    match dimensions {
        1 => Ok(axis(GRID[0]).map(|t| vec![t]).collect()),
        2 => Ok(axis(GRID[1]).flat_map(|s| axis(GRID[1]).map(move |t| vec![s, t])).collect()),
        found => Err(Error::Coordinates { found }),
    }
}
