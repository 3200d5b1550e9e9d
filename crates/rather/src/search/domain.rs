//! Domains of settings: boxes of numbers, integers and categories.

use serde::{Deserialize, Serialize};

use crate::Error;
use crate::points::Points;
use rather_numerics::sobol::{Scrambling, Sobol};

/// One coordinate of a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "kind")]
pub enum Dimension {
    /// Any number from 0 to 1.
    Continuous,
    /// One of `levels` equally spaced numbers from 0 to 1, both included; the middle if there is one level only.
    Integer {
        /// Number of values, at least 1.
        levels: usize,
    },
    /// The index of one of `levels` categories, from 0.
    Categorical {
        /// Number of categories, at least 1.
        levels: usize,
    },
}

/// `x` between 0 and 1; 0 for NaN.
fn unit(x: f64) -> f64 {
    if x > 0.0 { x.min(1.0) } else { 0.0 }
}

impl Dimension {
    /// The allowed value nearest to `x`; the lowest for NaN.
    pub fn snap(self, x: f64) -> f64 {
        match self {
            Self::Continuous => unit(x),
            Self::Integer { levels: 0 | 1 } => 0.5,
            Self::Integer { levels } => {
                let steps = (levels - 1) as f64;
                (unit(x) * steps).round() / steps
            }
            Self::Categorical { levels } => x.round().max(0.0).min(levels.saturating_sub(1) as f64),
        }
    }

    /// The value at share `u` of this dimension, `u` between 0 and 1: every level has an equal share.
    fn at(self, u: f64) -> f64 {
        match self {
            Self::Continuous => u,
            Self::Integer { levels } => self.level((u * levels as f64) as usize),
            Self::Categorical { levels } => {
                ((u * levels as f64) as usize).min(levels.saturating_sub(1)) as f64
            }
        }
    }

    /// Value number `level`.
    fn level(self, level: usize) -> f64 {
        match self {
            Self::Integer { levels } if levels > 1 => level.min(levels - 1) as f64 / (levels - 1) as f64,
            Self::Integer { .. } | Self::Continuous => 0.5,
            Self::Categorical { levels } => level.min(levels.saturating_sub(1)) as f64,
        }
    }

    /// The number of values, if there is one.
    pub fn levels(self) -> Option<usize> {
        match self {
            Self::Continuous => None,
            Self::Integer { levels } | Self::Categorical { levels } => Some(levels),
        }
    }

    /// The values next to `x`: one level down and up for integers, all others for categories, none for numbers.
    fn neighbours(self, x: f64) -> Vec<f64> {
        match self {
            Self::Continuous | Self::Integer { levels: 0 | 1 } => Vec::new(),
            Self::Integer { levels } => {
                let here = (x * (levels - 1) as f64).round() as usize;
                let down = here.checked_sub(1);
                let up = Some(here + 1).filter(|&up| up < levels);
                down.into_iter().chain(up).map(|level| self.level(level)).collect()
            }
            Self::Categorical { levels } => (0..levels).map(|l| l as f64).filter(|&l| l != x).collect(),
        }
    }
}

/// All settings: one value for each dimension. A setting is a row of numbers, as [`Dimension`] says; kernels see it as
/// it is.
///
/// # Examples
/// ```
/// use rather::search::{Dimension, Domain};
///
/// let domain = Domain::new(vec![Dimension::Continuous, Dimension::Integer { levels: 3 }])?;
/// let mut setting = [0.3, 0.4];
/// domain.snap(&mut setting);
/// assert_eq!(setting, [0.3, 0.5]);
/// # Ok::<(), rather::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Domain {
    /// The coordinates.
    pub dimensions: Vec<Dimension>,
}

impl Domain {
    /// The domain with these dimensions.
    ///
    /// # Errors
    /// [`Error::Domain`] if it does not hold two settings: without a dimension, with a dimension without a level, or
    /// with one level in each.
    pub fn new(dimensions: Vec<Dimension>) -> Result<Self, Error> {
        let domain = Self { dimensions };
        domain.check()?;
        Ok(domain)
    }

    /// A box of continuous dimensions.
    pub fn unit_box(dims: usize) -> Self {
        Self { dimensions: vec![Dimension::Continuous; dims] }
    }

    /// Checks a domain from elsewhere.
    ///
    /// # Errors
    /// As [`Domain::new`].
    pub fn check(&self) -> Result<(), Error> {
        let problem = if self.dimensions.is_empty() {
            "has no dimension"
        } else if self.dimensions.iter().any(|d| d.levels() == Some(0)) {
            "has a dimension without a level"
        } else if self.dimensions.iter().all(|d| d.levels() == Some(1)) {
            "has a single setting, which nothing can be compared with"
        } else {
            return Ok(());
        };
        Err(Error::Domain { problem })
    }

    /// Number of dimensions.
    pub fn dims(&self) -> usize {
        self.dimensions.len()
    }

    /// The number of settings, if it is finite and below 2^64.
    pub fn size(&self) -> Option<usize> {
        self.dimensions.iter().try_fold(1_usize, |size, d| size.checked_mul(d.levels()?))
    }

    /// Checks that `setting` lies in the domain.
    ///
    /// # Errors
    /// [`Error::Length`] if it has another number of coordinates; [`Error::Setting`] for one out of range or between two
    /// levels.
    pub fn check_setting(&self, setting: &[f64]) -> Result<(), Error> {
        if setting.len() != self.dims() {
            return Err(Error::Length { what: "the setting", expected: self.dims(), found: setting.len() });
        }
        for (dimension, (&value, d)) in setting.iter().zip(&self.dimensions).enumerate() {
            // Levels may have been rounded on their way.
            if (value - d.snap(value)).abs() > 1e-9 || value.is_nan() {
                return Err(Error::Setting { dimension, value });
            }
        }
        Ok(())
    }

    /// Moves every coordinate to its nearest allowed value.
    pub fn snap(&self, setting: &mut [f64]) {
        setting.iter_mut().zip(&self.dimensions).for_each(|(x, d)| *x = d.snap(*x));
    }

    /// Settings as a kernel sees them, numbered in their order.
    pub fn points(&self, settings: &[Vec<f64>]) -> Points {
        Points::new((0..settings.len() as u64).collect(), self.dims(), settings.concat())
    }

    /// `n` settings that fill the domain evenly: the first points of a scrambled Sobol sequence
    /// ([`rather_numerics::sobol`]), each level of a dimension with an equal share.
    pub fn fill(&self, n: usize, seed: u64) -> Vec<Vec<f64>> {
        let depth = (usize::BITS - n.saturating_sub(1).leading_zeros()).min(32);
        let scrambling = Scrambling::new(seed, depth);
        // Beyond the dimensions there are, coordinates repeat under another scrambling.
        let known = self.dims().min(rather_numerics::sobol::DIMENSIONS);
        let Some(mut sobol) = Sobol::new(known) else { return Vec::new() };
        (0..n)
            .map(|_| {
                let point = sobol.next_point();
                let unit = |d: usize| scrambling.apply(d, point[d % known]);
                self.dimensions.iter().enumerate().map(|(d, dimension)| dimension.at(unit(d))).collect()
            })
            .collect()
    }

    /// The settings that differ from `setting` in one integer, by one level, or in one category.
    pub fn neighbours(&self, setting: &[f64]) -> Vec<Vec<f64>> {
        let mut out = Vec::new();
        for (d, dimension) in self.dimensions.iter().enumerate() {
            for value in dimension.neighbours(setting[d]) {
                let mut neighbour = setting.to_vec();
                neighbour[d] = value;
                out.push(neighbour);
            }
        }
        out
    }
}
