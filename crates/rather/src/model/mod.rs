//! A model: items by name, the comparisons learned from, the kernel and noise learned, the posterior.

mod answers;
mod notice;
mod parts;
mod sparse;
mod stream;

pub use notice::Notice;
pub(crate) use parts::from_sites;
pub use parts::{ModelHeader, ModelParts};
pub use sparse::SparseFit;
pub use stream::{StreamingFit, StreamingSettings};

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::answers::Opinion;
use crate::belief::Belief;
use crate::evidence::Problem;
use crate::exact::{ExactFit, ExactPosterior, ExactSettings, differences};
use crate::features::{Column, ColumnValues, Encoder, FeatureNotice};
use crate::inducing::Inducing;
use crate::inference::observations::Observations;
use crate::inference::prior::Space;
use crate::inference::sparse::Limits;
use crate::inference::{Method, Settings, Status};
use crate::learn::choice::{KernelChoice, Options, Tried, choose};
use crate::learn::watch::Heard;
use crate::learn::{Hyperparameters, Learned, Units, Watch, coarse};
use crate::likelihood::Manner;
use crate::points::Points;
use crate::posterior::{Moments, Posterior};
use crate::representation::{self, Held, Representation, Size};
use crate::streaming::StreamedPosterior;
use crate::{Comparison, Error};
use notice::{bound_notices, noise_is_open};
use sparse::Sparse;
use stream::{Stream, Streamed};

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
        }
    }
}

/// A basis that leaves more than this share of the items' variance open, on average, is too small.
const WIDE_OPEN: f64 = 0.05;

/// What a fit found, besides the posterior.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FitReport {
    /// Number of comparisons, repeated ones counted.
    pub comparisons: f64,
    /// Log evidence in nats: the exact one if inference is exact and it is within reach.
    pub log_evidence: f64,
    /// Sweeps of inference, over all settings of the chosen kernel that were tried.
    pub sweeps: usize,
    /// Largest mismatch of moments left.
    pub residual: f64,
    /// How inference ended. Exact inference has converged if its draws may be trusted
    /// ([`Report::mixed`](crate::exact::Report::mixed)), whatever became of the expectation propagation it starts from.
    pub status: Status,
    /// Settings of the hyperparameters that were tried.
    pub evaluations: usize,
    /// The kernels that were tried.
    pub tried: Vec<Tried>,
    /// What is worth knowing.
    pub notices: Vec<Notice>,
    /// How the prior was held; streaming inference has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held: Option<Held>,
    /// How sampling went, if inference is exact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exact: Option<ExactFit>,
    /// What was heard and kept, if inference is streaming.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub streaming: Option<StreamingFit>,
    /// How it was solved for, if the prior has a sparse precision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sparse: Option<SparseFit>,
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
    report: FitReport,
    belief: Belief,
}

impl Model {
    /// Learns from comparisons of `items`, numbered as in their table. `progress` hears of every kernel tried.
    ///
    /// # Errors
    /// [`Error::NoComparisons`]; [`Error::StreamSize`] and [`Error::StreamNoise`] for what streaming inference does not take;
    /// [`Error::ExactSize`] for more comparisons than exact inference holds;
    /// [`Error::UnknownItem`] and [`Error::SelfComparison`] for a comparison that is
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
        let opinions: Vec<Opinion> =
            comparisons.iter().map(|c| Opinion::rather(c.winner, c.loser).times(c.count)).collect();
        Self::fit_answers(items, &opinions, &[], settings, progress)
    }

    /// Learns from answers of any kinds, given by `users`, who are numbered in them. Parameters of the likelihoods are learned beside
    /// those of the kernel.
    ///
    /// # Errors
    /// As [`Model::fit`]; [`Error::Opinion`]; and [`Error::OnlyDuels`] for other answers than plain comparisons, or people who err,
    /// with exact or streaming inference.
    ///
    /// # Examples
    /// ```
    /// use rather::answers::Opinion;
    /// use rather::model::{FitSettings, Items, Model};
    ///
    /// let items = Items { keys: vec!["tea".into(), "coffee".into(), "wine".into()], columns: vec![] };
    /// let answers = [
    ///     Opinion::better(0, 1, 1).times(6),
    ///     Opinion::tie(0, 1).times(3),
    ///     Opinion::better(1, 2, 1).times(2),
    ///     Opinion::tie(1, 2).times(4),
    /// ];
    /// let model = Model::fit_answers(&items, &answers, &[], &FitSettings::default(), &|_| ())?;
    /// let said = &model.outcomes(model.points(), &[(0, 2)])[0];
    /// assert_eq!(said.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["left", "tie", "right"]);
    /// assert!((said.iter().map(|(_, p)| p).sum::<f64>() - 1.0).abs() < 1e-9);
    /// assert!(said[0].1 > said[2].1);
    /// # Ok::<(), rather::Error>(())
    /// ```
    pub fn fit_answers(
        items: &Items,
        answers: &[Opinion],
        users: &[String],
        settings: &FitSettings,
        progress: &(dyn Fn(&Tried) + Sync),
    ) -> Result<Self, Error> {
        Self::fit_watched(items, answers, users, settings, &Heard(progress))
    }

    /// As [`Model::fit_answers`], followed by `watch`, which may end learning with the best found so far.
    ///
    /// # Errors
    /// As [`Model::fit_answers`].
    pub fn fit_watched(
        items: &Items,
        answers: &[Opinion],
        users: &[String],
        settings: &FitSettings,
        watch: &dyn Watch,
    ) -> Result<Self, Error> {
        let comparisons = answers::check(items.keys.len(), answers)?;
        let observations = Observations::of(answers, users, settings.manner);
        if matches!(settings.method, Method::Exact | Method::Streaming) && !observations.responses.is_plain()
        {
            return Err(Error::OnlyDuels);
        }
        let (encoder, feature_notices) = Encoder::fit(&items.columns, settings.raw_features);
        let points = encoder.encode(&items.columns, (0..items.keys.len() as u64).collect())?;
        if settings.method == Method::Exact {
            // Before learning, which may take long.
            differences::check_size(&observations.merged)?;
        }
        let compared = points.select(&observations.items);
        let (schema, units) = (encoder.schema(), encoder.units());
        let options = Options {
            schema: &schema,
            units: settings.units,
            fixed: &settings.fixed,
            feature_units: &units,
            priors: settings.priors,
            inference: settings.inference,
        };
        let labels = label_column(&items.columns, &feature_notices);
        let mut notices: Vec<Notice> =
            feature_notices.into_iter().map(|notice| Notice::Feature { notice }).collect();
        if settings.method == Method::Streaming {
            let stream = Stream {
                points: &points,
                observations: &observations,
                comparisons: &comparisons,
                settings,
                options: &options,
            };
            let streamed = stream.choose(&settings.kernel, watch)?;
            let table = (encoder, points, labels);
            return Self::streamed(items, table, observations, streamed, notices, settings);
        }
        let problem = Problem {
            points: &compared,
            observations: &observations,
            method: settings.method.approximation(),
            space: settings.space,
            inducing: None,
        };
        let held = hold(&problem, settings, &options)?;
        if held.representation == Representation::Sparse {
            let table = (encoder, points, labels);
            let sparse = Sparse::new(&observations, &Limits::within(settings.memory))?;
            return Self::sparse(items, table, &sparse, (settings, &options), (held, notices), watch);
        }
        let Chosen { learned, tried, inducing } = learn(&problem, held, settings, &options, watch)?;
        let problem = Problem { inducing: inducing.as_deref(), ..problem };
        let held = inducing.as_ref().map_or(held, |these| held.with_features(these.len()));

        let hyperparameters = learned.hyperparameters;
        let evidence = problem.evaluate(
            &hyperparameters.kernel,
            hyperparameters.values(),
            Some(&learned.sites),
            &settings.inference,
        )?;
        let outcome = &evidence.outcome;
        if settings.method != Method::Exact && outcome.status != Status::Converged {
            notices.push(Notice::NotConverged { residual: outcome.residual, sweeps: outcome.sweeps });
        }
        if watch.stops() {
            notices.push(Notice::Interrupted);
        } else if !learned.converged {
            notices.push(Notice::NotMaximised);
        }
        notices.extend(bound_notices(&hyperparameters));
        if !watch.stops() && noise_is_open(&problem, &hyperparameters, &evidence, &settings.inference) {
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
            held: Some(held),
            exact: None,
            streaming: None,
            sparse: None,
        };
        let (belief, report) = match settings.method {
            Method::Ep | Method::Laplace | Method::Streaming => {
                let (kernel, values) = (hyperparameters.kernel.clone(), hyperparameters.values());
                let posterior = Posterior::new(&problem, kernel, values, evidence);
                (Belief::Gaussian(Box::new(posterior)), report)
            }
            Method::Exact => {
                drop(evidence);
                let (kernel, noise) = (hyperparameters.kernel.clone(), hyperparameters.noise());
                let posterior = ExactPosterior::new(&problem, kernel, noise, &settings.exact)?;
                let report = report.sampled(&posterior);
                (Belief::Exact(Box::new(posterior)), report)
            }
        };
        Ok(Self {
            positions: positions(&items.keys),
            labels,
            keys: items.keys.clone(),
            encoder,
            points,
            method: settings.method,
            hyperparameters,
            observations,
            inducing,
            report,
            belief,
        })
    }

    /// The model of a pass that is over.
    fn streamed(
        items: &Items,
        (encoder, points, labels): (Encoder, Points, Option<Column>),
        observations: Observations,
        streamed: Streamed,
        mut notices: Vec<Notice>,
        settings: &FitSettings,
    ) -> Result<Self, Error> {
        let Streamed { model, hyperparameters, tried, sweeps, residual, evaluations } = streamed;
        let converged = residual <= settings.inference.tolerance;
        if !converged {
            notices.push(Notice::NotConverged { residual, sweeps });
        }
        notices.extend(bound_notices(&hyperparameters));
        let groups = if encoder.features.is_empty() { observations.groups() } else { 1 };
        if groups > 1 {
            notices.push(Notice::Disconnected { groups });
        }
        if model.basis().len() == settings.streaming.basis && model.open(&points) > WIDE_OPEN {
            notices.push(Notice::SmallBasis { points: model.basis().len() });
        }
        let report = FitReport {
            comparisons: observations.total(),
            log_evidence: model.log_evidence(),
            sweeps,
            residual,
            status: if converged { Status::Converged } else { Status::Limit },
            evaluations,
            tried,
            notices,
            held: None,
            exact: None,
            streaming: Some(StreamingFit {
                answers: model.answers(),
                kept: model.kept(),
                basis: model.basis().len(),
            }),
            sparse: None,
        };
        Ok(Self {
            positions: positions(&items.keys),
            labels,
            keys: items.keys.clone(),
            encoder,
            points,
            method: Method::Streaming,
            hyperparameters,
            observations,
            inducing: None,
            report,
            belief: Belief::Streaming(Box::new(StreamedPosterior::new(model)?)),
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

impl FitReport {
    /// With what sampling found in the place of what the approximation did.
    fn sampled(mut self, posterior: &ExactPosterior) -> Self {
        let exact = ExactFit::new(posterior, self.log_evidence);
        let report = &exact.sampling;
        self.status = if report.mixed() { Status::Converged } else { Status::Limit };
        if !report.mixed() {
            let (effective_samples, r_hat) = (report.effective_samples, report.r_hat);
            self.notices.push(Notice::NotMixed { effective_samples, r_hat });
        }
        match exact.log_evidence {
            Some(z) => self.log_evidence = z.value,
            None => self.notices.push(Notice::NoExactEvidence),
        }
        self.exact = Some(exact);
        self
    }
}

/// How the prior of this problem is to be held.
fn hold(problem: &Problem<'_>, settings: &FitSettings, options: &Options<'_>) -> Result<Held, Error> {
    let by_name = match &settings.kernel {
        KernelChoice::Given(given) => given.expression.trim().eq_ignore_ascii_case("white"),
        KernelChoice::Auto { .. } => options.schema.names.is_empty(),
    };
    let size = Size {
        items: problem.points.len(),
        pairs: problem.observations.edges.len(),
        by_name,
        needs_whole: settings.method != Method::Ep
            || settings.space.is_some()
            || (by_name && !problem.observations.responses.is_plain()),
    };
    representation::decide(settings.representation, size, settings.memory)
}

/// What learning chose.
struct Chosen {
    learned: Learned,
    tried: Vec<Tried>,
    /// The positions of the inducing items, if there are any.
    inducing: Option<Vec<usize>>,
}

/// Learns with the prior held that way.
fn learn(
    problem: &Problem<'_>,
    held: Held,
    settings: &FitSettings,
    options: &Options<'_>,
    watch: &dyn Watch,
) -> Result<Chosen, Error> {
    let Representation::LowRank(features) = held.representation else {
        let (learned, tried) = choose(problem, &settings.kernel, options, watch)?;
        return Ok(Chosen { learned, tried, inducing: None });
    };
    let items = &problem.observations.items;
    let inducing = match &settings.inducing {
        Inducing::Given(given) => {
            let position =
                |&item: &usize| items.binary_search(&item).map_err(|_| Error::InducingItem { item });
            Inducing::Given(given.iter().map(position).collect::<Result<_, _>>()?)
        }
        other => other.clone(),
    };
    let found = coarse::choose(problem, (&inducing, features), &settings.kernel, options, watch)?;
    Ok(Chosen { learned: found.learned, tried: found.tried, inducing: Some(found.inducing) })
}

pub(crate) fn check_comparisons(items: usize, comparisons: &[Comparison]) -> Result<(), Error> {
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
