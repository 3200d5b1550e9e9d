//! A model: items by name, the comparisons learned from, the kernel and noise learned, the posterior.

mod answers;
mod average;
mod batch;
mod columns;
mod expected;
mod fit;
mod inference;
pub(crate) mod loading;
mod low_rank;
mod naming;
mod notice;
mod pair_effect;
mod parts;
mod report;
mod sparse;
mod stream;
mod weights;
mod worth;

pub use crate::belief::Belief;
pub use crate::catalogue::{Catalogue, Items};
pub use crate::inducing::Inducing;
pub use crate::inference::prior::Space;
pub use crate::inference::{Method, Settings as Convergence, Status};
pub use crate::representation::{Because, Decision, Representation};
pub use inference::{Ep, Exact, Inference, Integration, Laplace, PairEffect};
#[doc(hidden)]
pub use low_rank::Effect;
pub use low_rank::LowRankFit;
pub use naming::Naming;
pub use notice::Notice;
pub(crate) use parts::from_sites;
#[doc(hidden)]
pub use parts::{ModelHeader, ModelParts, RivalParts};
pub use report::FitReport;
pub use sparse::SparseFit;
pub use stream::{StreamingFit, StreamingSettings};
#[doc(hidden)]
pub use weights::Exchanged;
pub(crate) use weights::{exchanged, weights};

use crate::Error;
use crate::context::Sides;
use crate::evidence::Problem;
use crate::features::{ColumnValues, Encoder};
use crate::inference::observations::Observations;
use crate::learn::choice::KernelChoice;
use crate::learn::{Hyperparameters, Units};
use crate::likelihood::ResponseModel;
use crate::points::Points;
use crate::posterior::{Moments, Posterior};
use crate::representation;
use rather_numerics::order;

/// How to fit.
#[derive(Debug, Clone, PartialEq)]
pub struct FitSettings {
    /// Which kernel.
    pub kernel: KernelChoice,
    /// How the posterior is found.
    pub inference: Inference,
    /// Bytes that the fit may take: what [`Representation::Auto`] keeps to.
    pub memory: u64,
    /// The scale of utilities, unless a variance is fixed.
    pub units: Units,
    /// Hyperparameters that are not learned: names and values, in the units of the table.
    pub fixed: Vec<(String, f64)>,
    /// Weak priors on the hyperparameters.
    pub priors: bool,
    /// Use numbers as they are, not standardised.
    pub raw_features: bool,
    /// How people answer.
    pub response_model: ResponseModel,
    /// The number of answers after which an answer counts half: once $a$ others were given after it, it enters with the likelihood
    /// $p(y\mid z)^{2^{-a/h}}$, and so it does into the evidence by which hyperparameters are learned. The last answer is the newest; one with a
    /// count is as many answers. `None` if all count the same.
    ///
    /// # References
    /// Ibrahim and Chen, *Power prior distributions for regression models* (2000).
    pub half_life: Option<f64>,
}

impl Default for FitSettings {
    fn default() -> Self {
        Self {
            kernel: KernelChoice::Auto { ard: false },
            inference: Inference::default(),
            memory: representation::MEMORY,
            units: Units::default(),
            fixed: Vec::new(),
            priors: true,
            raw_features: false,
            response_model: ResponseModel::default(),
            half_life: None,
        }
    }
}

/// A learned model.
#[derive(Debug, Clone)]
pub struct Model {
    items: Catalogue,
    /// The sides that were compared, if comparisons have columns; else they are the items.
    sides: Option<Points>,
    /// The items that were compared.
    compared: Vec<usize>,
    method: Method,
    hyperparameters: Hyperparameters,
    observations: Observations,
    /// Positions of the inducing items among the compared ones; `None` if the prior is not of low rank.
    inducing: Option<Vec<usize>>,
    /// Those of the kernels that predictions average over besides the best one, in the order of the belief's components.
    rivals: Vec<Hyperparameters>,
    report: FitReport,
    belief: Belief,
    naming: Naming,
}

impl Model {
    /// The items.
    pub fn items(&self) -> &Catalogue {
        &self.items
    }

    /// The items' names.
    pub fn keys(&self) -> &[String] {
        self.items.keys()
    }

    /// The position of the item called `key`.
    pub fn position(&self, key: &str) -> Option<usize> {
        self.items.position(key)
    }

    /// How the table called items and ratings.
    pub fn naming(&self) -> &Naming {
        &self.naming
    }

    /// The model with another [`Model::naming`].
    ///
    /// # Errors
    /// [`Error::ModelParts`] if keys are no whole numbers where names are said to be, or there are not as many ratings as levels, or words
    /// as grades.
    pub fn with_naming(self, naming: Naming) -> Result<Self, Error> {
        let model = Self { naming, ..self };
        model.check_naming()?;
        Ok(model)
    }

    /// As [`Catalogue::label`].
    pub fn label(&self, i: usize) -> Option<&str> {
        self.items.label(i)
    }

    /// All items of the model's table, encoded.
    pub fn points(&self) -> &Points {
        self.items.points()
    }

    /// The items that occur in a comparison, as positions in [`Model::points`].
    pub fn compared(&self) -> &[usize] {
        &self.compared
    }

    /// What answers are about: the items, or sides of comparisons that have columns.
    pub(crate) fn sides(&self) -> &Points {
        self.sides.as_ref().unwrap_or(self.points())
    }

    /// What was compared, in the order of the observations' `items`: the items, or sides of comparisons that have columns.
    #[doc(hidden)]
    pub fn compared_points(&self) -> Points {
        self.sides.as_ref().unwrap_or(self.points()).select(&self.observations.items)
    }

    /// Looks at items in a context from now on: where a column of comparisons has this value, one number (days since 1970-01-01 for a date) or
    /// one name of a category. Without a word it is the mean of a number, the latest time, and no level of a category.
    ///
    /// # Errors
    /// [`Error::UnknownFeature`] for a column that comparisons do not have, [`Error::FeatureKind`] for a value of the other kind,
    /// [`Error::FeatureRange`] for a number too far from those learned from.
    pub fn look_at(&mut self, column: &str, value: &ColumnValues) -> Result<(), Error> {
        self.items.look_at(column, value)
    }

    /// Items with these features, and no columns besides, where [`Model::look_at`] says.
    #[doc(hidden)]
    pub fn in_context(&self, features: Points) -> Points {
        self.items.context().map_or_else(|| features.clone(), |context| context.place(&features))
    }

    /// The items that merged comparison `m` is for and against, as positions in [`Model::points`]; as [`Observations::ends`].
    #[doc(hidden)]
    pub fn ends(&self, m: usize) -> (usize, usize) {
        let (plus, minus) = self.observations.ends(m);
        match &self.sides {
            Some(sides) => {
                let first = |side| sides.members(side).next().map_or(0, |(row, _)| sides.id(row) as usize);
                (first(plus), first(minus))
            }
            None => (plus, minus),
        }
    }

    /// The names of the columns that kernels see: the items' features, then the columns of comparisons.
    #[doc(hidden)]
    pub fn columns(&self) -> Vec<String> {
        self.items.schema().names
    }

    /// Sides of comparisons to ask about.
    ///
    /// # Errors
    /// Those of [`Encoder::encode`]; [`Unsupported::Representation`](crate::Unsupported::Representation) for teams, if the model is not one of
    /// teams.
    pub fn encode_sides(&self, sides: &Sides) -> Result<Points, Error> {
        if !sides.teams.is_empty() && !self.sides.as_ref().is_some_and(Points::are_teams) {
            return Err(crate::Unsupported::Representation.into());
        }
        self.items.sides(sides)
    }

    /// The comparisons learned from, merged. With [`Model::compared_points`] they make a [`Problem`], to ask for the evidence of other settings.
    pub fn observations(&self) -> &Observations {
        &self.observations
    }

    /// Encodes a table of items, new or known; an item that has a known one's name is taken to be that one.
    ///
    /// # Errors
    /// Those of [`Encoder::encode`].
    pub fn encode(&self, items: &Items) -> Result<Points, Error> {
        self.items.encode(items)
    }

    /// How features are encoded.
    pub fn encoder(&self) -> &Encoder {
        self.items.encoder()
    }

    /// The kernel and the noise.
    pub fn hyperparameters(&self) -> &Hyperparameters {
        &self.hyperparameters
    }

    /// The settings of the best kernel that predictions average over, with their weights, the maximum first.
    pub(crate) fn settings_of_kernel(&self) -> Vec<(f64, &Hyperparameters)> {
        let weights = self.belief.mixture().map_or_else(|| vec![1.0], |mixture| mixture.weights());
        let all = weights.into_iter().zip(std::iter::once(&self.hyperparameters).chain(&self.rivals));
        let best = &self.hyperparameters.kernel;
        let schema = self.items.schema();
        let is_best = |h: &Hyperparameters| {
            h.kernel.describe(&schema) == best.describe(&schema)
                && h.kernel.parameters().len() == best.parameters().len()
        };
        all.filter(|(_, h)| is_best(h)).collect()
    }

    /// The hyperparameters in the user's units: a lengthscale of one standardised feature is multiplied by its
    /// standard deviation, so that it is in the units of the table.
    pub fn reported_hyperparameters(&self) -> Vec<(String, f64)> {
        self.items.in_units(&self.hyperparameters)
    }

    /// The kernel as an expression.
    pub fn kernel_expression(&self) -> String {
        self.hyperparameters.kernel.describe(&self.items.schema())
    }

    /// How the posterior was approximated.
    pub fn method(&self) -> Method {
        self.method
    }

    /// What the fit found.
    pub fn report(&self) -> &FitReport {
        &self.report
    }

    /// The posterior over utilities.
    pub fn belief(&self) -> &Belief {
        &self.belief
    }

    /// The Gaussian with the posterior's means and covariances.
    ///
    /// # Errors
    /// As [`Belief::gaussian`].
    pub fn posterior(&self) -> Result<&Posterior, Error> {
        self.belief.gaussian()
    }

    /// Positions of the inducing items among the compared ones, if the prior is held by features of low rank.
    pub fn inducing(&self) -> Option<&[usize]> {
        self.inducing.as_deref()
    }

    /// What was learned from, for the compared items as [`Points`], by the Gaussian approximation that learned, with the whole prior.
    pub(crate) fn problem<'a>(&'a self, compared: &'a Points) -> Problem<'a> {
        Problem {
            points: compared,
            observations: &self.observations,
            method: self.method.approximation(),
            space: self.inducing.is_none().then(|| self.belief.space()),
            inducing: None,
        }
    }

    /// Utilities relative to the average over the compared items.
    pub fn utilities(&self, points: &Points) -> Moments {
        self.belief.relative_utilities(points, &self.points().select(&self.compared))
    }

    /// Items by decreasing mean utility.
    pub fn rank(&self, points: &Points) -> Vec<Ranked> {
        Ranked::all(&self.utilities(points))
    }

    /// The probability that the left item of each pair of positions in `points` is preferred.
    pub fn probabilities(&self, points: &Points, pairs: &[(usize, usize)]) -> Vec<f64> {
        self.belief.probabilities(points, pairs)
    }

    /// As [`Model::probabilities`], nearer to exact and slower ([`Posterior::sharp_probabilities`]).
    ///
    /// # Errors
    /// As [`Posterior::sharp_probabilities`].
    pub fn sharp_probabilities(&self, points: &Points, pairs: &[(usize, usize)]) -> Result<Vec<f64>, Error> {
        self.belief.sharp_probabilities(points, pairs)
    }
}

/// One line of a ranking.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ranked {
    /// The item, as a position among the points ranked.
    pub item: usize,
    /// Mean utility, relative to the average over the compared items.
    pub mean: f64,
    /// Its standard deviation.
    pub sd: f64,
}

impl Ranked {
    /// All items by decreasing mean; equal means in their order.
    pub(crate) fn all(utilities: &Moments) -> Vec<Self> {
        let moments = utilities.mean.iter().zip(&utilities.variance).enumerate();
        let mut all: Vec<Self> =
            moments.map(|(item, (&mean, variance))| Self { item, mean, sd: variance.sqrt() }).collect();
        order::sort_descending(&mut all, |one| one.mean);
        all
    }
}
