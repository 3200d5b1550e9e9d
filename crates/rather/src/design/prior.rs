//! What is believed before the first answer.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::Error;
use crate::kernel::{
    Active, Categorical, Kernel, Matern12, Matern32, Matern52, Multiscale, SquaredExponential, Stationary,
    White,
};
use crate::points::Points;
use crate::search::{Dimension, Domain};

/// How smooth utilities are: the kernel on numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Family {
    /// Squared exponential and multiscale, by the evidence of the answers, from ten on; squared exponential where nothing is learned.
    Auto,
    /// Squared exponential.
    Se,
    /// Squared exponentials of two lengthscales: smooth, with small details.
    Multiscale,
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
            Self::Auto => "auto",
            Self::Se => "se",
            Self::Multiscale => "multiscale",
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
            "auto" => Ok(Self::Auto),
            "se" => Ok(Self::Se),
            "multiscale" => Ok(Self::Multiscale),
            "matern12" => Ok(Self::Matern12),
            "matern32" => Ok(Self::Matern32),
            "matern52" => Ok(Self::Matern52),
            _ => Err(Error::UnknownKernel {
                name: text.into(),
                meant: None,
                known: "auto, se, multiscale, matern12, matern32, matern52".into(),
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
/// exchangeable kernel; items without features are independent. Where there are several of them, utilities are a sum of main effects and an
/// interaction ([`Prior::additive`]). Distances grow with the
/// square root of the number of columns, so beyond [`Prior::FEW`] columns the lengthscales do, too: otherwise a table with
/// many features would make all items strangers to each other.
///
/// # Formula
/// With $k_0$ on all numbers, $k_1,\dots,k_K$ on a category each and $k_c$ on all categories, of variance 1,
/// $$ k=\tfrac{\sigma^2}3\Big(k_0+\tfrac1K\sum_{c=1}^Kk_c+k_0k_c\Big), $$
/// each term with a variance and lengthscales of its own where they are learned; without numbers the variance is that of two terms.
///
/// # References
/// Ru, Alvi, Nguyen, Osborne and Roberts, *Bayesian optimisation over multiple continuous and categorical inputs* (2020), ICML, section 4, for
/// the sum of the parts and their product.
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
    /// Whether numbers and each category have a main effect besides what they make together; else their product is all there is, as in
    /// studies made before there was a choice: what was said of one category then tells nothing about another.
    #[serde(default)]
    pub additive: bool,
}

impl Default for Prior {
    fn default() -> Self {
        Self { family: Family::Auto, lengthscale: 0.3, sd: 1.0, learn: true, additive: true }
    }
}

impl Prior {
    /// The noise of one item: $1/\sqrt2$, so that the noise of a difference is 1.
    pub const NOISE: f64 = std::f64::consts::FRAC_1_SQRT_2;
    /// The number of columns of numbers up to which a lengthscale is what it says.
    pub const FEW: usize = 4;

    /// Before any answer, how probable it is that utilities have details.
    const PROBABLE_DETAILS: f64 = 0.3;

    /// The kernels on items with these columns that answers choose among, the first as [`Prior::kernel`] has it, with the probabilities that they
    /// have before. More than one if the family is [`Family::Auto`], some columns are numbers, and kernels are learned.
    ///
    /// # Errors
    /// As [`Prior::kernel`].
    pub(super) fn kernels(&self, columns: &[Column]) -> Result<Vec<(f64, Kernel)>, Error> {
        let has_numbers = columns.iter().any(|column| matches!(column, Column::Number { .. }));
        if self.family != Family::Auto || !self.learn || !has_numbers {
            return Ok(vec![(1.0, self.kernel(columns)?)]);
        }
        let details = Self { family: Family::Multiscale, ..*self }.kernel(columns)?;
        let probable = Self::PROBABLE_DETAILS;
        Ok(vec![(1.0 - probable, self.kernel(columns)?), (probable, details)])
    }

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
        let numbers = Some(Active { dims: numbers, lengthscales }).filter(|active| !active.dims.is_empty());
        let numbers = numbers.map(|active| self.on_numbers(active));
        Ok(self.combined(numbers, categories))
    }

    /// The kernel on numbers and those on categories, together of the prior's variance.
    fn combined(&self, numbers: Option<Kernel>, categories: Vec<usize>) -> Kernel {
        let variance = self.sd * self.sd;
        let blocks = usize::from(numbers.is_some()) + categories.len();
        let on =
            |categories: Vec<usize>| Kernel::atom(Categorical { active: Active::isotropic(categories, 1.0) });
        let all = |categories: Vec<usize>| -> Kernel {
            let of_categories = (!categories.is_empty()).then(|| on(categories));
            match (numbers.clone(), of_categories) {
                (None, None) => Kernel::atom(White),
                (Some(one), None) | (None, Some(one)) => one,
                (Some(numbers), Some(of_categories)) => Kernel::Product(vec![numbers, of_categories]),
            }
        };
        if !self.additive || blocks < 2 {
            return all(categories).scaled(variance);
        }
        // A share of the variance each: the numbers, the categories together, and what is left to their interaction.
        let shares = usize::from(numbers.is_some()) + 2;
        let share = variance / shares as f64;
        let each = share / categories.len() as f64;
        let mut terms: Vec<Kernel> = numbers.iter().map(|numbers| numbers.clone().scaled(share)).collect();
        terms.extend(categories.iter().map(|&category| on(vec![category]).scaled(each)));
        terms.push(all(categories).scaled(share));
        Kernel::Sum(terms)
    }

    fn on_numbers(&self, active: Active) -> Kernel {
        match self.family {
            Family::Auto | Family::Se => Kernel::atom(Stationary::new(active, SquaredExponential)),
            Family::Multiscale => Kernel::atom(Stationary::new(active, Multiscale)),
            Family::Matern12 => Kernel::atom(Stationary::new(active, Matern12)),
            Family::Matern32 => Kernel::atom(Stationary::new(active, Matern32)),
            Family::Matern52 => Kernel::atom(Stationary::new(active, Matern52)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two settings that differ in one of two categories, and two that differ in everything.
    const POINTS: [[f64; 3]; 3] = [[0.2, 0.0, 1.0], [0.2, 1.0, 1.0], [0.8, 1.0, 0.0]];
    const COLUMNS: [Column; 3] = [Column::Number { range: 1.0 }, Column::Category, Column::Category];

    #[test]
    fn main_effects_and_their_interaction_share_the_variance() {
        let prior = Prior { sd: 2.0, ..Prior::default() };
        let k = prior.kernel(&COLUMNS).unwrap().matrix(&Points::from_rows(&POINTS));
        let (number, level) = (f64::exp(-0.5 * (0.6_f64 / 0.3).powi(2)), f64::exp(-1.0));
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} {b}");
        close(k[(0, 0)], 4.0);
        close(k[(0, 1)], 4.0 / 3.0 * (1.0 + 0.5 * (level + 1.0) + level));
        close(k[(0, 2)], 4.0 / 3.0 * (number + level + number * level * level));
        let product = Prior { additive: false, ..prior }.kernel(&COLUMNS).unwrap();
        close(product.matrix(&Points::from_rows(&POINTS))[(0, 2)], 4.0 * number * level * level);
    }

    /// One column, or numbers alone, have nothing to interact with.
    #[test]
    fn nothing_is_added_up_where_there_is_one_part() {
        let number = Column::Number { range: 1.0 };
        for columns in [&[] as &[Column], &[number], &[number, number], &[Column::Category]] {
            let of = |additive| Prior { additive, ..Prior::default() }.kernel(columns).unwrap().parameters();
            assert_eq!(format!("{:?}", of(true)), format!("{:?}", of(false)));
        }
    }

    /// Studies made before there was a choice say nothing of it, and go on as they were.
    #[test]
    fn a_prior_without_the_choice_is_a_product() {
        let old: Prior =
            serde_json::from_str(r#"{"family":"se","lengthscale":0.3,"sd":1.0,"learn":true}"#).unwrap();
        assert_eq!(old, Prior { family: Family::Se, additive: false, ..Prior::default() });
    }
}
