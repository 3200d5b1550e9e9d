//! What is believed before the first answer.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::Error;
use crate::kernel::{
    Active, Categorical, Kernel, Matern12, Matern32, Matern52, SquaredExponential, Stationary, White,
};
use crate::points::Points;
use crate::search::{Dimension, Domain};

/// How smooth utilities are: the kernel on numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Family {
    /// Squared exponential.
    Se,
    /// Matérn 1/2.
    Matern12,
    /// Matérn 3/2.
    Matern32,
    /// Matérn 5/2.
    Matern52,
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Se => "se",
            Self::Matern12 => "matern12",
            Self::Matern32 => "matern32",
            Self::Matern52 => "matern52",
        })
    }
}

impl FromStr for Family {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        match text.trim().to_ascii_lowercase().as_str() {
            "se" => Ok(Self::Se),
            "matern12" => Ok(Self::Matern12),
            "matern32" => Ok(Self::Matern32),
            "matern52" => Ok(Self::Matern52),
            _ => Err(Error::UnknownKernel {
                name: text.into(),
                meant: None,
                known: "se, matern12, matern32, matern52".into(),
            }),
        }
    }
}

/// A feature of the items, as the prior must know it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "kind")]
pub enum Column {
    /// Numbers that spread over `range`.
    Number {
        /// Largest less smallest.
        range: f64,
    },
    /// Indices of categories.
    Category,
}

impl Column {
    /// The columns of a pool; `categorical` tells which hold categories. A constant column has range 1.
    ///
    /// # Errors
    /// [`Error::Length`] if `categorical` is not one entry a column.
    pub fn of_pool(points: &Points, categorical: &[bool]) -> Result<Vec<Self>, Error> {
        if categorical.len() != points.dims() {
            let (expected, found) = (points.dims(), categorical.len());
            return Err(Error::Length { what: "categorical", expected, found });
        }
        Ok(categorical.iter().enumerate().map(|(d, &c)| Self::of_column(points, d, c)).collect())
    }

    fn of_column(points: &Points, d: usize, categorical: bool) -> Self {
        if categorical {
            return Self::Category;
        }
        let values = || (0..points.len()).map(|i| points.row(i)[d]);
        let range = values().fold(f64::MIN, f64::max) - values().fold(f64::MAX, f64::min);
        Self::Number { range: if range > 0.0 && range.is_finite() { range } else { 1.0 } }
    }

    /// The columns of a domain's settings.
    pub fn of_domain(domain: &Domain) -> Vec<Self> {
        let column = |d: &Dimension| match d {
            Dimension::Continuous | Dimension::Integer { .. } => Self::Number { range: 1.0 },
            Dimension::Categorical { .. } => Self::Category,
        };
        domain.dimensions.iter().map(column).collect()
    }
}

/// The prior over utilities. The unit is the noise of a duel.
///
/// Numbers get a stationary kernel with a lengthscale of [`Prior::lengthscale`] of each column's range, categories the
/// exchangeable kernel, both together their product; items without features are independent. Distances grow with the
/// square root of the number of columns, so beyond [`Prior::FEW`] columns the lengthscales do, too: otherwise a table with
/// many features would make all items strangers to each other.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Prior {
    /// The kernel on numbers.
    pub family: Family,
    /// Its lengthscale, as a share of each column's range.
    pub lengthscale: f64,
    /// Standard deviation of a utility, in units of the duel noise.
    pub sd: f64,
    /// Whether lengthscales and variance are learned, from the first answer on, with log-normal priors around these values: what is believed is an
    /// average over their posterior.
    pub learn: bool,
}

impl Default for Prior {
    fn default() -> Self {
        Self { family: Family::Se, lengthscale: 0.3, sd: 1.0, learn: true }
    }
}

impl Prior {
    /// The noise of one item: $1/\sqrt2$, so that the noise of a difference is 1.
    pub const NOISE: f64 = std::f64::consts::FRAC_1_SQRT_2;
    /// The number of columns of numbers up to which a lengthscale is what it says.
    pub const FEW: usize = 4;

    /// The kernel on items with these columns.
    ///
    /// # Errors
    /// [`Error::Parameter`] if the lengthscale or the standard deviation is not positive and finite.
    pub fn kernel(&self, columns: &[Column]) -> Result<Kernel, Error> {
        for (name, value) in [("lengthscale", self.lengthscale), ("sd", self.sd)] {
            if !(value > 0.0 && value.is_finite()) {
                let requirement = "it must be positive and finite";
                return Err(Error::Parameter { name: name.into(), value, requirement });
            }
        }
        let (mut numbers, mut lengthscales, mut categories) = (Vec::new(), Vec::new(), Vec::new());
        for (d, column) in columns.iter().enumerate() {
            match column {
                Column::Number { range } => {
                    numbers.push(d);
                    lengthscales.push(self.lengthscale * range);
                }
                Column::Category => categories.push(d),
            }
        }
        let many = (numbers.len() as f64 / Self::FEW as f64).sqrt().max(1.0);
        lengthscales.iter_mut().for_each(|l| *l *= many);
        let mut factors = Vec::new();
        if !numbers.is_empty() {
            factors.push(self.on_numbers(Active { dims: numbers, lengthscales }));
        }
        if !categories.is_empty() {
            factors.push(Kernel::atom(Categorical { active: Active::isotropic(categories, 1.0) }));
        }
        let kernel = match factors.len() {
            0 => Kernel::atom(White),
            1 => factors.remove(0),
            _ => Kernel::Product(factors),
        };
        Ok(kernel.scaled(self.sd * self.sd))
    }

    fn on_numbers(&self, active: Active) -> Kernel {
        match self.family {
            Family::Se => Kernel::atom(Stationary::new(active, SquaredExponential)),
            Family::Matern12 => Kernel::atom(Stationary::new(active, Matern12)),
            Family::Matern32 => Kernel::atom(Stationary::new(active, Matern32)),
            Family::Matern52 => Kernel::atom(Stationary::new(active, Matern52)),
        }
    }
}
