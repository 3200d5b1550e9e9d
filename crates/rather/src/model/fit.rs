//! Learning a model: what all ways of fitting share.

use std::borrow::Cow;

use super::Ep;
use super::average;
use super::batch;
use super::columns;
use super::notice::bound_notices;
use super::pair_effect::with_pair_effect;
use super::sparse::Sparse;
use super::stream::Stream;
use super::{
    FitReport, FitSettings, Inference, Integration, Items, Model, Naming, Notice, StreamingSettings,
};
use crate::answers::{Answer, Answers};
use crate::belief::Belief;
use crate::catalogue::Catalogue;
use crate::context::Sides;
use crate::evidence::Problem;
use crate::exact::differences;
use crate::half_life;
use crate::inference::observations::{Given, Observations};
use crate::inference::sparse::Limits;
use crate::inference::{Method, Outcome, Status};
use crate::kernel::{Carrier, Schema, Term, parse};
use crate::learn::choice::{KernelChoice, KernelSpec, Options, Tried};
use crate::learn::{Hyperparameters, Learned};
use crate::memory::{self, Size};
use crate::points::Points;
use crate::representation::Because;
use crate::representation::{self, Decision, Representation};
use crate::{Comparison, Error};
use rather_numerics::watch;

/// What a way of fitting found: all that a model is besides its table and what was said.
pub(super) struct Found {
    pub(super) hyperparameters: Hyperparameters,
    /// Positions of the inducing items among the compared ones, if there are any.
    pub(super) inducing: Option<Vec<usize>>,
    pub(super) report: FitReport,
    pub(super) belief: Belief,
    /// By which approximation, if by another than was asked for.
    pub(super) method: Option<Method>,
    /// Those of the kernels that are averaged with the best one, in their order.
    pub(super) rivals: Vec<Hyperparameters>,
}

impl Model {
    /// Learns from comparisons of `items`, numbered as in their table. `progress` hears of every kernel tried.
    ///
    /// # Errors
    /// [`Error::NoComparisons`]; [`Error::StreamSize`] and [`Unsupported::StreamingNoise`](crate::Unsupported::StreamingNoise) for what streaming inference does not take;
    /// [`Error::ExactSize`] for more comparisons than exact inference holds;
    /// [`Error::UnknownItem`] and [`Error::SelfComparison`] for a comparison that is
    /// none; and those of [`Catalogue::fit`] and [`learn::choice`](crate::learn::choice).
    ///
    /// # Examples
    /// ```
    /// use rather::features::{Column, ColumnValues};
    /// use rather::model::{FitSettings, Items, Model};
    /// use rather::Comparison;
    ///
    /// let price = Column { name: "price".into(), values: ColumnValues::Numeric(vec![1.0, 2.0, 3.0]) };
    /// let items = Items { keys: vec!["tea".into(), "coffee".into(), "wine".into()], columns: vec![price] };
    /// let rather = |winner, loser| Comparison { winner, loser, count: 3.0 };
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
        Self::fit_given(items, comparisons, &[], settings, progress)
    }

    /// Learns from answers of any kinds, given by `users`, who are numbered in them. Parameters of the likelihoods are learned beside
    /// those of the kernel. [`watch::Watch::finish`] ends learning with the best found so far.
    ///
    /// # Errors
    /// As [`Model::fit`]; [`Error::Cancelled`] if it was ended with nothing found yet; [`Error::Answer`]; [`Unsupported::PairEffect`](crate::Unsupported::PairEffect) and [`Unsupported::JointAnswers`](crate::Unsupported::JointAnswers).
    ///
    /// # Examples
    /// ```
    /// use rather::answers::Answer;
    /// use rather::model::{FitSettings, Items, Model};
    ///
    /// let items = Items { keys: vec!["tea".into(), "coffee".into(), "wine".into()], columns: vec![] };
    /// let answers = [
    ///     Answer::better(0, 1, 1).times(6),
    ///     Answer::tie(0, 1).times(3),
    ///     Answer::better(1, 2, 1).times(2),
    ///     Answer::tie(1, 2).times(4),
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
        answers: &[Answer],
        users: &[String],
        settings: &FitSettings,
        progress: &(dyn Fn(&Tried) + Sync),
    ) -> Result<Self, Error> {
        Self::fit_given(items, answers, users, settings, progress)
    }

    /// As [`Model::fit_answers`]; the answers' own memory is given back before learning begins.
    ///
    /// # Errors
    /// As [`Model::fit_answers`].
    pub fn fit_given(
        items: &Items,
        answers: impl Into<Answers>,
        users: &[String],
        settings: &FitSettings,
        progress: &(dyn Fn(&Tried) + Sync),
    ) -> Result<Self, Error> {
        Self::fit_sides(items, None, answers.into(), users, settings, progress)
    }

    /// As [`Model::fit_given`], from answers about sides of comparisons that have columns ([`Sides`]); what an answer calls an item is a side. With
    /// [`KernelChoice::Auto`] the columns that raise the log evidence enter the kernel, by forward selection: numbers of each side as `linear`,
    /// categories as `white`, dates as `wiener` or `matern32` of every item. [`FitReport::tried`] has what was tried. Columns that the kernel does not
    /// name are no part of the model.
    ///
    /// # Errors
    /// As [`Model::fit_answers`]; [`Error::UnknownItem`] for a side of no item; those of encoding the columns.
    pub fn fit_in_context(
        items: &Items,
        sides: &Sides,
        answers: impl Into<Answers>,
        users: &[String],
        settings: &FitSettings,
        progress: &(dyn Fn(&Tried) + Sync),
    ) -> Result<Self, Error> {
        let (about, answers) = (columns::About { items, sides, users }, answers.into());
        match &settings.kernel {
            KernelChoice::Auto { .. } if !sides.columns.is_empty() => {
                columns::choose(about, &answers, settings, progress)
            }
            KernelChoice::Given(spec) if about.has_others(spec) => {
                about.fit_named(spec, &answers, settings, progress)
            }
            _ => Self::fit_sides(items, Some(sides), answers, users, settings, progress),
        }
    }

    fn fit_sides(
        items: &Items,
        sides: Option<&Sides>,
        answers: Answers,
        users: &[String],
        settings: &FitSettings,
        progress: &(dyn Fn(&Tried) + Sync),
    ) -> Result<Self, Error> {
        let learned = |tried: &Tried| {
            watch::result(&tried.kernel.expression);
            progress(tried);
        };
        answers.check(sides.map_or(items.keys.len(), |sides| sides.items.len()))?;
        let convergence = settings.inference.convergence();
        convergence.check()?;
        let mut observations = Observations::of(&answers, users, settings.response_model);
        check_together(settings)?;
        if observations.has_sets() {
            check_sets(settings)?;
        }
        let answered: f64 = answers.iter().map(|answer| answer.count).sum();
        let method = settings.inference.method();
        // Only streaming inference and a half-life look at answers in the order in which they were given.
        let in_order = match &settings.inference {
            Inference::Streaming(streaming) => Some(streaming),
            _ => None,
        };
        let in_turn: Vec<Given> = match in_order {
            Some(_) => observations.given(&answers, settings.half_life).collect(),
            None => Vec::new(),
        };
        let of_sets = if in_order.is_some() { answers.of_sets().to_vec() } else { Vec::new() };
        if settings.half_life.is_some() {
            let weights = observations.weights(observations.given(&answers, settings.half_life));
            observations.weigh(&weights);
        }
        let given = answers.len();
        drop(answers);
        let (items, sides, feature_notices) = match sides {
            None => {
                Catalogue::fit(items, settings.raw_features).map(|(items, notices)| (items, None, notices))?
            }
            Some(sides) => {
                let (items, sides, notices) = Catalogue::fit_in_context(items, sides, settings.raw_features)?;
                (items, Some(sides), notices)
            }
        };
        let points = sides.as_ref().unwrap_or(items.points());
        let of_teams =
            points.are_teams().then(|| for_teams(settings, items.schema().features())).transpose()?;
        let settings = of_teams.as_ref().unwrap_or(settings);
        if method == Method::Exact {
            // Before learning, which may take long.
            differences::check_size(observations.differences())?;
        }
        // Sides are all compared, and may be very many.
        let compared = match observations.items.len() == points.len() {
            true => Cow::Borrowed(points),
            false => Cow::Owned(points.select(&observations.items)),
        };
        let (schema, units) = (items.schema(), items.units());
        if (schema.context > 0 || points.are_teams()) && settings.response_model.pair_effect {
            return Err(crate::Unsupported::PairEffect.into());
        }
        if let (Some(context), KernelChoice::Given(spec)) = (items.context(), &settings.kernel) {
            context.check_kernel(&parse(&spec.expression, &schema, spec.ard)?, &schema)?;
        }
        let options = Options {
            schema: &schema,
            units: settings.units,
            fixed: &settings.fixed,
            feature_units: &units,
            priors: settings.priors,
            inference: convergence,
        };
        let problem = Problem {
            points: &compared,
            observations: &observations,
            method: method.approximation(),
            space: settings.inference.space(),
            inducing: None,
        };
        let size = size_of(&problem, (&items, sides.as_ref(), given), settings, &options);
        let found = if let Some(streaming) = in_order {
            let basis = streaming.largest_basis(settings.kernel.is_by_name(&schema));
            memory::allow(
                memory::streaming(&size, basis, streaming.kept(settings.half_life)),
                settings.memory,
            )?;
            let stream = Stream {
                points,
                observations: &observations,
                given: &in_turn,
                of_sets: &of_sets,
                streaming,
                half_life: settings.half_life,
                options: &options,
            };
            stream.fit(&settings.kernel, &learned)?
        } else {
            let asked = settings.inference.representation();
            let mut held = representation::decide(asked, size, settings.memory)?;
            if points.are_teams() {
                held.because = Because::Needed;
            }
            if held.representation == Representation::Sparse {
                let left = settings.memory.saturating_sub(held.estimated + memory::factor(&size, 0));
                let limits = Limits::within(left);
                let held = |entries: Option<usize>| Decision {
                    estimated: held.estimated + entries.map_or(0, |entries| memory::factor(&size, entries)),
                    ..held
                };
                Sparse::fit(&compared, &observations, &limits, held, settings, &options, &learned)?
            } else {
                batch::fit(&problem, held, &size, settings, &options, &learned)?
            }
        };
        let found = match with_pair_effect(&problem, &found, &size, settings, &options, &learned)? {
            Some((better, responses)) => {
                observations.responses = responses;
                better
            }
            None => found,
        };
        let method = found.method.unwrap_or(method);
        let Found { hyperparameters, inducing, mut report, belief, rivals, .. } = found;
        let of_features = feature_notices.into_iter().map(|notice| Notice::Feature { notice });
        report.notices.splice(0..0, of_features);
        report.comparisons = answered;
        report.half_life = settings.half_life;
        let compared = compared_items(&observations, sides.as_ref());
        Ok(Self {
            items,
            sides,
            compared,
            method,
            hyperparameters,
            observations,
            inducing,
            rivals,
            report,
            belief,
            naming: Naming::default(),
        })
    }
}

/// The settings for teams, whose comparisons are rows of any length: a sparse precision, and if no kernel is asked for effects of the items and
/// weights of their features.
///
/// # Errors
/// [`Unsupported::Representation`](crate::Unsupported::Representation) if another representation or another way of inference is asked for.
fn for_teams(settings: &FitSettings, features: usize) -> Result<FitSettings, Error> {
    let refused = || Err(crate::Unsupported::Representation.into());
    let Inference::Ep(ep) = &settings.inference else { return refused() };
    if !matches!(ep.representation, Representation::Auto | Representation::Sparse) {
        return refused();
    }
    let kernel = match &settings.kernel {
        KernelChoice::Auto { ard } => KernelChoice::Given(KernelSpec { ard: *ard, ..effects(features) }),
        given => given.clone(),
    };
    let inference = Inference::Ep(Ep { representation: Representation::Sparse, ..ep.clone() });
    Ok(FitSettings { kernel, inference, ..settings.clone() })
}

/// The kernel of effects of the items, and of weights of their features.
pub(super) fn effects(features: usize) -> KernelSpec {
    let expression = if features > 0 { "linear + white" } else { "white" };
    KernelSpec { expression: expression.into(), ard: false }
}

/// The items that were compared, in increasing order; `sides` are what observations are about if not items.
pub(super) fn compared_items(observations: &Observations, sides: Option<&Points>) -> Vec<usize> {
    let Some(sides) = sides else { return observations.items.clone() };
    let members = observations.items.iter().flat_map(|&side| sides.members(side));
    let mut items: Vec<usize> = members.map(|(row, _)| sides.id(row) as usize).collect();
    items.sort_unstable();
    items.dedup();
    items
}

/// Whether these settings go together.
fn check_together(settings: &FitSettings) -> Result<(), Error> {
    settings.half_life.map_or(Ok(()), half_life::check)?;
    if let (Some(value), Inference::Streaming(StreamingSettings { drift: Some(_), .. })) =
        (settings.half_life, &settings.inference)
    {
        let requirement =
            "preferences that drift are forgotten by that; give a half-life or a drift, not both";
        return Err(Error::Parameter { name: "half-life".into(), value, requirement });
    }
    let method = settings.inference.method();
    if settings.response_model.pair_effect && matches!(method, Method::Laplace | Method::Streaming) {
        return Err(crate::Unsupported::PairEffect.into());
    }
    let reduced =
        matches!(settings.inference.representation(), Representation::LowRank(_) | Representation::Sparse);
    if settings.inference.integration() == Integration::Always && reduced {
        return Err(crate::Unsupported::FullCovariance.into());
    }
    Ok(())
}

/// Whether answers about sets of items can be taken jointly with these settings.
fn check_sets(settings: &FitSettings) -> Result<(), Error> {
    let link = settings.inference.method().link_of_sets();
    match settings.response_model.takes_sets(link) && settings.half_life.is_none() {
        true => Ok(()),
        false => Err(crate::Unsupported::JointAnswers.into()),
    }
}

/// What is worth knowing of a climb of the evidence and of inference at its end. `open` says whether the evidence is no worse at a much
/// smaller noise.
pub(super) fn after_learning(
    learned: &Learned,
    outcome: &Outcome,
    open: impl FnOnce() -> bool,
) -> Vec<Notice> {
    let mut out = Vec::new();
    if outcome.status != Status::Converged || !outcome.trustworthy {
        out.push(Notice::NotConverged { residual: outcome.residual, sweeps: outcome.sweeps });
    }
    if outcome.clipped > 0 {
        out.push(Notice::Clipped { projections: outcome.clipped });
    }
    if watch::is_ending() {
        out.push(Notice::Interrupted);
    } else if !learned.converged {
        out.push(Notice::NotMaximised);
    }
    out.extend(bound_notices(&learned.hyperparameters));
    // A fit that is to end need not know.
    if watch::all_or_nothing(|| Ok::<_, Error>(open())).unwrap_or(false) {
        out.push(Notice::Consistent { ratio: learned.hyperparameters.ratio() });
    }
    out
}

/// Items by name share no scale where they were never compared.
pub(super) fn disconnected(observations: &Observations, compared: &Points) -> Option<Notice> {
    let groups = observations.groups(compared);
    (groups > 1).then_some(Notice::Disconnected { groups })
}

/// What the memory of this problem depends on, with so many items in their table and so many answers given.
fn size_of(
    problem: &Problem<'_>,
    (items, sides, answers): (&Catalogue, Option<&Points>, usize),
    settings: &FitSettings,
    options: &Options<'_>,
) -> Size {
    let by_name = has_latent_variables(settings, options.schema);
    let observations = problem.observations;
    let draws = match &settings.inference {
        Inference::Exact(exact) => Some((observations.differences() as usize, exact.sampling.samples)),
        _ => None,
    };
    Size {
        items: problem.points.len(),
        pairs: observations.edges.len(),
        table: items.keys().len(),
        sides: sides.map_or(0, Points::len),
        columns: problem.points.dims(),
        states: states(settings, options.schema),
        answers,
        merged: observations.merged.len(),
        draws,
        by_name,
        others: if draws.is_some() {
            0
        } else {
            average::others(problem.points.len(), settings, options.schema, &observations.responses)
        },
        needs_full: settings.inference.method() != Method::Ep
            || settings.inference.integration() == Integration::Always
            || settings.inference.space().is_some()
            || (by_name && !observations.responses.has_sparse_precision()),
    }
}

/// Components of the states in time that a side depends on, of a kernel that was given.
fn states(settings: &FitSettings, schema: &Schema) -> usize {
    let KernelChoice::Given(spec) = &settings.kernel else { return 0 };
    let terms = parse(&spec.expression, schema, spec.ard).ok().and_then(|kernel| kernel.latent());
    let is_process = |term: &&Term| matches!(term.carrier, Carrier::Process { .. });
    terms.iter().flatten().filter(is_process).map(Term::order).sum()
}

/// Whether the prior may have a sparse precision: items are known by name only; or the kernel has latent variables, and comparisons have columns or
/// it is asked for.
fn has_latent_variables(settings: &FitSettings, schema: &Schema) -> bool {
    let wanted = schema.context > 0 || settings.inference.representation() == Representation::Sparse;
    let latent = |spec: &KernelSpec| {
        parse(&spec.expression, schema, spec.ard).is_ok_and(|kernel| kernel.latent().is_some())
    };
    match &settings.kernel {
        KernelChoice::Given(spec) if wanted && latent(spec) => true,
        other => other.is_by_name(schema),
    }
}
