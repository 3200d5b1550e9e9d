//! A model: items by name, the comparisons learned from, the kernel and noise learned, the posterior.

mod answers;
mod average;
mod batch;
mod expected;
mod fit;
pub(crate) mod loading;
mod low_rank;
mod naming;
mod notice;
mod pair_effect;
mod parts;
mod report;
mod sparse;
mod stream;
mod worth;

pub use low_rank::{Effect, LowRankFit};
pub use naming::Naming;
pub use notice::Notice;
pub(crate) use parts::from_sites;
pub use parts::{ModelHeader, ModelParts, RivalParts};
pub use report::FitReport;
pub use sparse::SparseFit;
pub use stream::{StreamingFit, StreamingSettings};

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::Error;
use crate::belief::Belief;
use crate::evidence::Problem;
use crate::exact::ExactSettings;
use crate::features::{Column, ColumnValues, Encoder};
use crate::inducing::Inducing;
use crate::inference::observations::Observations;
use crate::inference::prior::Space;
use crate::inference::{Method, Settings};
use crate::learn::choice::KernelChoice;
use crate::learn::{Hyperparameters, Units};
use crate::likelihood::Manner;
use crate::points::Points;
use crate::posterior::{Moments, Posterior};
use crate::representation::{self, Representation};

/// Items as a table gives them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Items {
    /// The items' names, each once.
    pub keys: Vec<String>,
    /// Their features, and labels.
    pub columns: Vec<Column>,
}

/// How to fit.
#[derive(Debug, Clone, PartialEq)]
pub struct FitSettings {
    /// Which kernel.
    pub kernel: KernelChoice,
    /// How the posterior is approximated.
    pub method: Method,
    /// Over what; the cheaper space if `None`.
    pub space: Option<Space>,
    /// How the prior is held.
    pub representation: Representation,
    /// Which items are inducing, where it is held by features of low rank.
    pub inducing: Inducing,
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
    /// How far inference goes.
    pub inference: Settings,
    /// How [`Method::Exact`] samples.
    pub exact: ExactSettings,
    /// How [`Method::Streaming`] listens.
    pub streaming: StreamingSettings,
    /// How people answer.
    pub manner: Manner,
    /// Whether pairs have random effects, if [`FitSettings::manner`] does not say that they have.
    pub pair_effect: PairEffect,
    /// Whether predictions average over the posterior of the hyperparameters.
    pub integration: Integration,
}

/// Whether predictions average over the posterior of the hyperparameters, where they are known badly:
/// where answers are few.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Integration {
    /// Up to 700 items, with expectation propagation or Laplace's approximation and the full covariance.
    #[default]
    Auto,
    /// With any number of items; [`Error::Integration`] with other ways of inference.
    Always,
    /// No: they are those of the maximum of evidence times prior (type II maximum a posteriori).
    Off,
}

/// Whether all answers about one pair share a random effect ([`Manner::pair_effect`]): whether repeated answers agree more than independent noise
/// has them agree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PairEffect {
    /// If the evidence is clearly higher with it, where pairs are compared repeatedly and inference is expectation propagation.
    #[default]
    Auto,
    /// They have none.
    Off,
}

impl Default for FitSettings {
    fn default() -> Self {
        Self {
            kernel: KernelChoice::Auto { ard: false },
            method: Method::Ep,
            space: None,
            representation: Representation::default(),
            inducing: Inducing::default(),
            memory: representation::MEMORY,
            units: Units::default(),
            fixed: Vec::new(),
            priors: true,
            raw_features: false,
            inference: Settings::default(),
            exact: ExactSettings::default(),
            streaming: StreamingSettings::default(),
            manner: Manner::default(),
            pair_effect: PairEffect::default(),
            integration: Integration::default(),
        }
    }
}

/// A learned model.
#[derive(Debug, Clone)]
pub struct Model {
    keys: Vec<String>,
    positions: HashMap<String, usize>,
    labels: Option<Column>,
    encoder: Encoder,
    points: Points,
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
    /// The items' names.
    pub fn keys(&self) -> &[String] {
        &self.keys
    }

    /// The position of the item called `key`.
    pub fn position(&self, key: &str) -> Option<usize> {
        self.positions.get(key).copied()
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

    /// A text for item `i` to show beside its name, if the table has a column of labels.
    pub fn label(&self, i: usize) -> Option<&str> {
        match &self.labels.as_ref()?.values {
            ColumnValues::Text(values) => values.get(i).map(String::as_str),
            ColumnValues::Numeric(_) => None,
        }
    }

    /// All items of the model's table, encoded.
    pub fn points(&self) -> &Points {
        &self.points
    }

    /// The items that occur in a comparison, as positions in [`Model::points`].
    pub fn compared(&self) -> &[usize] {
        &self.observations.items
    }

    /// The comparisons learned from, merged. Their `items` are positions in [`Model::points`]; with
    /// `points().select(&observations().items)` they make a [`Problem`], to ask for the evidence of other settings.
    pub fn observations(&self) -> &Observations {
        &self.observations
    }

    /// Encodes a table of items, new or known; an item that has a known one's name is taken to be that one.
    ///
    /// # Errors
    /// Those of [`Encoder::encode`].
    pub fn encode(&self, items: &Items) -> Result<Points, Error> {
        let mut unknown = self.keys.len() as u64;
        let ids = items
            .keys
            .iter()
            .map(|key| match self.position(key) {
                Some(known) => known as u64,
                None => {
                    unknown += 1;
                    unknown - 1
                }
            })
            .collect();
        self.encoder.encode(&items.columns, ids)
    }

    /// How features are encoded.
    pub fn encoder(&self) -> &Encoder {
        &self.encoder
    }

    /// The kernel and the noise.
    pub fn hyperparameters(&self) -> &Hyperparameters {
        &self.hyperparameters
    }

    /// The hyperparameters in the user's units: a lengthscale of one standardised feature is multiplied by its
    /// standard deviation, so that it is in the units of the table.
    pub fn reported_hyperparameters(&self) -> Vec<(String, f64)> {
        let parameters = self.hyperparameters.kernel.parameters();
        let units = self.encoder.units();
        let unit = |i: usize| parameters.get(i).and_then(|p| p.dim).map_or(1.0, |d| units[d]);
        let entries = self.hyperparameters.entries.iter().enumerate();
        entries.map(|(i, e)| (e.name.clone(), e.value * unit(i))).collect()
    }

    /// The kernel as an expression.
    pub fn kernel_expression(&self) -> String {
        self.hyperparameters.kernel.describe(&self.encoder.schema())
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
        self.belief.relative_utilities(points, &self.points.select(&self.observations.items))
    }

    /// Items by decreasing mean utility.
    pub fn rank(&self, points: &Points) -> Vec<Ranked> {
        let Moments { mean, variance } = self.utilities(points);
        let mut ranking: Vec<Ranked> = (0..points.len())
            .map(|item| Ranked { item, mean: mean[item], sd: variance[item].sqrt() })
            .collect();
        ranking.sort_by(|a, b| b.mean.total_cmp(&a.mean).then(a.item.cmp(&b.item)));
        ranking
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
