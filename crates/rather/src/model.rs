//! A model: items by name, the comparisons learned from, the kernel and noise learned, the posterior.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::evidence::{Evidence, Problem};
use crate::features::{Column, ColumnValues, Encoder, FeatureNotice};
use crate::inference::observations::Observations;
use crate::inference::prior::Space;
use crate::inference::sites::Sites;
use crate::inference::{Method, Settings, Status};
use crate::kernel::Kernel;
use crate::learn::choice::{KernelChoice, Options, Tried, choose};
use crate::learn::{Hyperparameter, Hyperparameters, Units};
use crate::points::Points;
use crate::posterior::{Moments, Posterior};
use crate::{Comparison, Error};

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
}

impl Default for FitSettings {
    fn default() -> Self {
        Self {
            kernel: KernelChoice::Auto { ard: false },
            method: Method::Ep,
            space: None,
            units: Units::default(),
            fixed: Vec::new(),
            priors: true,
            raw_features: false,
            inference: Settings::default(),
        }
    }
}

/// Something worth knowing about a fit that is no error.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Notice {
    /// About a feature.
    Feature {
        /// What.
        notice: FeatureNotice,
    },
    /// Inference stopped before its tolerance.
    NotConverged {
        /// Largest mismatch left.
        residual: f64,
        /// Sweeps used.
        sweeps: usize,
    },
    /// The optimiser stopped before its tolerance.
    NotMaximised,
    /// A learned hyperparameter sits at a bound.
    AtBound {
        /// Its name.
        name: String,
        /// The bound.
        value: f64,
    },
    /// No answer contradicts the learned utilities, so the evidence does not tell how small the noise is.
    Consistent {
        /// The ratio of the prior variance to the squared noise at which learning stopped.
        ratio: f64,
    },
    /// Without features, groups of items that were never compared with each other share no scale.
    Disconnected {
        /// Number of groups.
        groups: usize,
    },
}

impl std::fmt::Display for Notice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Feature { notice } => notice.fmt(f),
            Self::NotConverged { residual, sweeps } => write!(
                f,
                "inference did not converge: the moments still differ by {residual:.1e} after {sweeps} sweeps; \
                 a larger noise (--fix noise=...) makes it easier"
            ),
            Self::NotMaximised => write!(f, "learning stopped before the evidence was at its maximum"),
            Self::AtBound { name, value } => {
                write!(
                    f,
                    "{name} = {value:.3e} is at the end of its range: the comparisons do not determine it"
                )
            }
            Self::Consistent { ratio } => write!(
                f,
                "no comparison contradicts the learned utilities, so they do not tell how small the noise is: \
                 learning stopped at a variance of {ratio:.3} times the squared noise"
            ),
            Self::Disconnected { groups } => write!(
                f,
                "the comparisons fall into {groups} groups of items never compared with each other: utilities are \
                 comparable within a group only"
            ),
        }
    }
}

/// What a fit found, besides the posterior.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FitReport {
    /// Number of comparisons, repeated ones counted.
    pub comparisons: f64,
    /// Log evidence in nats.
    pub log_evidence: f64,
    /// Sweeps of inference, over all settings of the chosen kernel that were tried.
    pub sweeps: usize,
    /// Largest mismatch of moments left.
    pub residual: f64,
    /// How inference ended.
    pub status: Status,
    /// Settings of the hyperparameters that were tried.
    pub evaluations: usize,
    /// The kernels that were tried.
    pub tried: Vec<Tried>,
    /// What is worth knowing.
    pub notices: Vec<Notice>,
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
    report: FitReport,
    posterior: Posterior,
}

impl Model {
    /// Learns from comparisons of `items`, numbered as in their table. `progress` hears of every kernel tried.
    ///
    /// # Errors
    /// [`Error::NoComparisons`]; [`Error::UnknownItem`] and [`Error::SelfComparison`] for a comparison that is
    /// none; and those of [`Encoder::encode`] and [`choose`].
    ///
    /// # Examples
    /// ```
    /// use rather::features::{Column, ColumnValues};
    /// use rather::model::{FitSettings, Items, Model};
    /// use rather::Comparison;
    ///
    /// let price = Column { name: "price".into(), values: ColumnValues::Numeric(vec![1.0, 2.0, 3.0]) };
    /// let items = Items { keys: vec!["tea".into(), "coffee".into(), "wine".into()], columns: vec![price] };
    /// let rather = |winner, loser| Comparison { winner, loser, count: 3 };
    /// let model = Model::fit(&items, &[rather(0, 1), rather(1, 2)], &FitSettings::default(), &|_| ())?;
    /// let ranking = model.rank(model.points());
    /// assert_eq!(ranking[0].item, 0);
    /// assert!(model.probabilities(model.points(), &[(0, 2)])[0] > 0.8);
    /// # Ok::<(), rather::Error>(())
    /// ```
    pub fn fit(
        items: &Items,
        comparisons: &[Comparison],
        settings: &FitSettings,
        progress: &(dyn Fn(&Tried) + Sync),
    ) -> Result<Self, Error> {
        check_comparisons(items.keys.len(), comparisons)?;
        let (encoder, feature_notices) = Encoder::fit(&items.columns, settings.raw_features);
        let points = encoder.encode(&items.columns, (0..items.keys.len() as u64).collect())?;
        let observations = Observations::new(comparisons);
        let compared = points.select(&observations.items);
        let problem = Problem {
            points: &compared,
            observations: &observations,
            method: settings.method,
            space: settings.space,
        };
        let schema = encoder.schema();
        let options = Options {
            schema: &schema,
            units: settings.units,
            fixed: &settings.fixed,
            feature_units: &encoder.units(),
            priors: settings.priors,
            inference: settings.inference,
        };
        let (learned, tried) = choose(&problem, &settings.kernel, &options, progress)?;

        let hyperparameters = learned.hyperparameters;
        let evidence = problem.evaluate(
            &hyperparameters.kernel,
            hyperparameters.noise(),
            Some(&learned.sites),
            &settings.inference,
        )?;
        let outcome = &evidence.outcome;
        let labels = label_column(&items.columns, &feature_notices);
        let mut notices: Vec<Notice> =
            feature_notices.into_iter().map(|notice| Notice::Feature { notice }).collect();
        if outcome.status != Status::Converged {
            notices.push(Notice::NotConverged { residual: outcome.residual, sweeps: outcome.sweeps });
        }
        if !learned.converged {
            notices.push(Notice::NotMaximised);
        }
        notices.extend(bound_notices(&hyperparameters));
        if noise_is_open(&problem, &hyperparameters, &evidence, &settings.inference) {
            notices.push(Notice::Consistent { ratio: hyperparameters.ratio() });
        }
        if schema.names.is_empty() {
            let groups = observations.groups();
            if groups > 1 {
                notices.push(Notice::Disconnected { groups });
            }
        }
        let report = FitReport {
            comparisons: observations.total(),
            log_evidence: outcome.log_evidence,
            sweeps: learned.sweeps + outcome.sweeps,
            residual: outcome.residual,
            status: outcome.status,
            evaluations: learned.evaluations,
            tried,
            notices,
        };
        let posterior =
            Posterior::new(&problem, hyperparameters.kernel.clone(), hyperparameters.noise(), evidence);
        Ok(Self {
            positions: positions(&items.keys),
            labels,
            keys: items.keys.clone(),
            encoder,
            points,
            method: settings.method,
            hyperparameters,
            observations,
            report,
            posterior,
        })
    }

    /// The items' names.
    pub fn keys(&self) -> &[String] {
        &self.keys
    }

    /// The position of the item called `key`.
    pub fn position(&self, key: &str) -> Option<usize> {
        self.positions.get(key).copied()
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
    pub fn posterior(&self) -> &Posterior {
        &self.posterior
    }

    /// Utilities relative to the average over the compared items.
    pub fn utilities(&self, points: &Points) -> Moments {
        self.posterior.relative_utilities(points, &self.points.select(&self.observations.items))
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
        self.posterior.probabilities(points, pairs)
    }

    /// What a file needs to hold.
    pub fn to_parts(&self) -> ModelParts {
        let sites = &self.posterior.outcome().sites;
        let merged = &self.observations.merged;
        let ends: Vec<(usize, usize)> = (0..merged.len()).map(|m| self.observations.ends(m)).collect();
        ModelParts {
            header: ModelHeader {
                keys: self.keys.clone(),
                labels: self.labels.clone(),
                encoder: self.encoder.clone(),
                method: self.method,
                space: self.posterior.prior().space,
                kernel: self.hyperparameters.kernel.clone(),
                hyperparameters: self.hyperparameters.entries.clone(),
                report: self.report.clone(),
            },
            features: (0..self.points.len()).flat_map(|i| self.points.row(i)).copied().collect(),
            winners: ends.iter().map(|e| e.0 as u64).collect(),
            losers: ends.iter().map(|e| e.1 as u64).collect(),
            counts: merged.iter().map(|o| o.count as u64).collect(),
            tau: sites.tau.clone(),
            nu: sites.nu.clone(),
        }
    }

    /// A model from what a file held. Nothing is learned again: the posterior follows from the sites.
    ///
    /// # Errors
    /// [`Error::ModelParts`] if the parts do not fit together, whoever wrote them.
    pub fn from_parts(parts: ModelParts) -> Result<Self, Error> {
        let ModelParts { header, features, winners, losers, counts, tau, nu } = parts;
        let broken = |what: &'static str| Error::ModelParts { what };
        let n = header.keys.len();
        let dims = header.encoder.features.len();
        if features.len() != n * dims {
            return Err(broken("the features are not one row an item"));
        }
        if [losers.len(), counts.len(), tau.len(), nu.len()].iter().any(|&l| l != winners.len()) {
            return Err(broken("the comparisons and their sites differ in number"));
        }
        if features.iter().chain(&tau).chain(&nu).any(|x| !x.is_finite()) {
            return Err(broken("a number is not finite"));
        }
        let comparisons: Vec<Comparison> = winners
            .iter()
            .zip(&losers)
            .zip(&counts)
            .map(|((&winner, &loser), &count)| {
                let count = u32::try_from(count).ok().filter(|&c| c > 0);
                let count = count.ok_or(broken("a count is not between 1 and 4294967295"))?;
                Ok(Comparison { winner: winner as usize, loser: loser as usize, count })
            })
            .collect::<Result<_, Error>>()?;
        check_comparisons(n, &comparisons)?;
        let observations = Observations::new(&comparisons);
        if observations.merged.len() != winners.len() {
            return Err(broken("a comparison stands twice"));
        }
        // Sites belong to the merged comparisons, whose order is fixed; a file in another order is not ours.
        if (0..winners.len()).any(|m| observations.ends(m) != (comparisons[m].winner, comparisons[m].loser)) {
            return Err(broken("the comparisons are not in order"));
        }
        header.kernel.check(dims)?;
        if header.hyperparameters.len() != header.kernel.parameters().len() + 1 {
            return Err(broken("the hyperparameters are not those of the kernel"));
        }
        let mut hyperparameters = Hyperparameters { kernel: header.kernel, entries: header.hyperparameters };
        let values: Vec<f64> = hyperparameters.entries.iter().map(|e| e.value).collect();
        hyperparameters.set(&values)?;
        let noise = hyperparameters.noise();
        if !(noise.is_finite() && noise > 0.0) {
            return Err(broken("the noise is not positive"));
        }
        let points = Points::new((0..n as u64).collect(), dims, features);
        let compared = points.select(&observations.items);
        let problem = Problem {
            points: &compared,
            observations: &observations,
            method: header.method,
            space: Some(header.space),
        };
        let as_saved = Settings { sweeps: 0, sequential_sweeps: 0, ..Settings::default() };
        let sites = Sites { tau, nu };
        let evidence: Evidence = problem.evaluate(&hyperparameters.kernel, noise, Some(&sites), &as_saved)?;
        let posterior = Posterior::new(&problem, hyperparameters.kernel.clone(), noise, evidence);
        Ok(Self {
            positions: positions(&header.keys),
            keys: header.keys,
            labels: header.labels,
            encoder: header.encoder,
            points,
            method: header.method,
            hyperparameters,
            observations,
            report: header.report,
            posterior,
        })
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

/// The part of a model that is words and a few numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelHeader {
    /// The items' names.
    pub keys: Vec<String>,
    /// A column of labels.
    pub labels: Option<Column>,
    /// How features are encoded.
    pub encoder: Encoder,
    /// How the posterior was approximated.
    pub method: Method,
    /// Over what.
    pub space: Space,
    /// The kernel.
    pub kernel: Kernel,
    /// Its parameters and the noise.
    pub hyperparameters: Vec<Hyperparameter>,
    /// What the fit found.
    pub report: FitReport,
}

/// All of a model, as a file holds it: the header, and arrays.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelParts {
    /// Words and a few numbers.
    pub header: ModelHeader,
    /// Encoded features, row by row.
    pub features: Vec<f64>,
    /// Winners of the merged comparisons, as positions among the items.
    pub winners: Vec<u64>,
    /// Losers.
    pub losers: Vec<u64>,
    /// How often each was said.
    pub counts: Vec<u64>,
    /// Precision of each site.
    pub tau: Vec<f64>,
    /// Shift of each site.
    pub nu: Vec<f64>,
}

fn check_comparisons(items: usize, comparisons: &[Comparison]) -> Result<(), Error> {
    if comparisons.is_empty() {
        return Err(Error::NoComparisons);
    }
    for (row, c) in comparisons.iter().enumerate() {
        if let Some(&item) = [c.winner, c.loser].iter().find(|&&i| i >= items) {
            return Err(Error::UnknownItem { row, item, items });
        }
        if c.winner == c.loser {
            return Err(Error::SelfComparison { row, item: c.winner });
        }
    }
    Ok(())
}

fn positions(keys: &[String]) -> HashMap<String, usize> {
    keys.iter().enumerate().map(|(i, key)| (key.clone(), i)).collect()
}

/// The first column that the encoder took for a label.
fn label_column(columns: &[Column], notices: &[FeatureNotice]) -> Option<Column> {
    let name = notices.iter().find_map(|n| match n {
        FeatureNotice::Label { name } => Some(name),
        FeatureNotice::Constant { .. } => None,
    })?;
    columns.iter().find(|c| &c.name == name).cloned()
}

fn bound_notices(h: &Hyperparameters) -> Vec<Notice> {
    h.free()
        .into_iter()
        .map(|i| &h.entries[i])
        .filter(|e| [e.bounds.0, e.bounds.1].iter().any(|b| (e.value / b).ln().abs() < 1e-6))
        .map(|e| Notice::AtBound { name: e.name.clone(), value: e.value })
        .collect()
}

/// Whether the evidence is no worse at a noise ten times smaller: the comparisons, all in the order of the learned
/// utilities, do not tell how small it is.
fn noise_is_open(
    problem: &Problem<'_>,
    h: &Hyperparameters,
    evidence: &Evidence,
    settings: &Settings,
) -> bool {
    let scale_is_free = h.free().into_iter().any(|i| {
        i + 1 == h.entries.len()
            || h.kernel.parameters().get(i).is_some_and(|p| p.role == crate::kernel::Role::Variance)
    });
    let mean = &evidence.outcome.posterior.mean;
    let consistent = problem.observations.merged.iter().all(|o| o.sign * mean[o.edge] > 0.0);
    if !(scale_is_free && consistent) {
        return false;
    }
    let rough = Settings { tolerance: settings.tolerance.max(1e-4), ..*settings };
    problem
        .evaluate(&h.kernel, 0.1 * h.noise(), None, &rough)
        .is_ok_and(|sharper| sharper.outcome.log_evidence > evidence.outcome.log_evidence - NO_WORSE)
}

/// Nats by which two settings of the noise must differ to be told apart.
const NO_WORSE: f64 = 1.0;
