//! A model as a file holds it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::average;
use super::fit::compared_items;
use super::sparse::{Sparse, limits_of};
use super::{FitReport, Model, Naming};
use crate::Error;
use crate::answers::{Answer, Answers};
use crate::belief::Belief;
use crate::bounds;
use crate::catalogue::Catalogue;
use crate::context::Context;
use crate::evidence::Problem;
use crate::exact::{ExactPosterior, ExactSettings};
use crate::features::{Column, Encoder};
use crate::inference::observations::{Observation, Observations};
use crate::inference::prior::Space;
use crate::inference::sites::Sites;
use crate::inference::{Factors, Method, Settings};
use crate::kernel::Kernel;
use crate::learn::{Hyperparameter, Hyperparameters};
use crate::likelihood::choice_set::PartialOrder;
use crate::likelihood::{Lapses, Responses, Values};
use crate::points::Points;
use crate::posterior::{Mixture, Moments, Posterior};
use crate::streaming::{State, StreamedPosterior, StreamingModel};

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
    /// Positions of the inducing items among the compared ones, if the prior is of low rank.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inducing: Option<Vec<usize>>,
    /// The kernel.
    pub kernel: Kernel,
    /// Its parameters and the noise.
    pub hyperparameters: Vec<Hyperparameter>,
    /// The kernels that predictions average over besides this one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rivals: Vec<RivalParts>,
    /// What the fit found.
    pub report: FitReport,
    /// How the draws were made, if inference is exact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exact: Option<ExactSettings>,
    /// All that a streaming model is, if inference is streaming.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub streaming: Option<State>,
    /// What was said, and how people answer, if there is more than plain comparisons.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub responses: Option<Responses>,
    /// How the table called items and ratings, if otherwise than by text.
    #[serde(default, skip_serializing_if = "Naming::is_default")]
    pub naming: Naming,
    /// The columns of comparisons, if they have any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<Context>,
}

/// A kernel that predictions average over besides the best one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RivalParts {
    /// Its weight; that of the best one is what all these leave of 1.
    pub weight: f64,
    /// The kernel.
    pub kernel: Kernel,
    /// Its parameters, the noise and those of the answers.
    pub hyperparameters: Vec<Hyperparameter>,
}

/// All of a model, as a file holds it: the header, and arrays.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelParts {
    /// Words and a few numbers.
    pub header: ModelHeader,
    /// Encoded features, row by row.
    pub features: Vec<f64>,
    /// The item of each side, if comparisons have columns, or of each member of a team; else empty.
    pub sides: Vec<u64>,
    /// The encoded columns of each of them, row by row.
    pub columns: Vec<f64>,
    /// How many members each team has, if teams are compared; else empty.
    pub team_sizes: Vec<u64>,
    /// How much each member counts.
    pub team_weights: Vec<f64>,
    /// Winners of the merged comparisons, as positions among the items, or the sides.
    pub winners: Vec<u64>,
    /// Losers.
    pub losers: Vec<u64>,
    /// How often each was said; of answers with weights their sum, rounded up.
    pub counts: Vec<u64>,
    /// How much each counts, if not as often as it was said: the sum of its answers' weights
    /// ([`FitSettings::half_life`](super::FitSettings::half_life)). Else empty.
    pub weights: Vec<f64>,
    /// Precision of each site; 0 for a streaming model, whose belief is in the header. After those of the best kernel come those of the others, if
    /// predictions average over several.
    pub tau: Vec<f64>,
    /// Shift of each site, as the precisions.
    pub nu: Vec<f64>,
    /// Of each merged answer, twice the place of what was said among all that was said, and one more if it speaks against a single item;
    /// empty if all are plain comparisons. What is said of one item has it as winner and loser.
    pub answers: Vec<u64>,
    /// The draws of exact inference ([`ExactPosterior::draws`]), else empty.
    pub draws: Vec<f64>,
}

impl Model {
    /// What was said in merged answer `m`, as [`ModelParts::answers`].
    fn said_in_file(&self, m: usize) -> u64 {
        let o = self.observations.merged[m];
        let against = self.observations.edges[o.edge()].minus().is_none() && o.sign() < 0.0;
        2 * u64::from(o.answer.0) + u64::from(against)
    }

    /// What a file needs to hold.
    pub fn to_parts(&self) -> ModelParts {
        let merged = &self.observations.merged;
        // Labels are about single items: which of them are negative stands with the answers.
        let pairs = self.observations.edges.iter().all(|edge| edge.minus().is_some());
        let plain = pairs && self.observations.responses.is_plain();
        let whole = merged.iter().all(|o| o.count().fract() == 0.0);
        let nothing = Sites::empty(merged.len());
        let streaming = self.belief.streaming();
        let teams = self.sides.as_ref().filter(|sides| sides.are_teams());
        let sites = Some(self.belief.sites()).filter(|sites| !sites.is_empty()).unwrap_or(vec![&nothing]);
        let ends: Vec<(usize, usize)> = (0..merged.len()).map(|m| self.observations.ends(m)).collect();
        ModelParts {
            header: ModelHeader {
                keys: self.keys().to_vec(),
                labels: self.items.labels().cloned(),
                encoder: self.encoder().clone(),
                method: self.method,
                space: self.belief.space(),
                inducing: self.inducing.clone(),
                kernel: self.hyperparameters.kernel.clone(),
                hyperparameters: self.hyperparameters.entries.clone(),
                rivals: self.rival_parts(),
                report: self.report.clone(),
                exact: self.belief.exact().map(|exact| *exact.settings()),
                streaming: streaming.map(|streamed| streamed.model().state()),
                responses: (!plain).then(|| (*self.observations.responses).clone()),
                naming: self.naming.clone(),
                context: self.items.context().cloned(),
            },
            features: rows(self.items.features(), 0),
            sides: self.sides.as_ref().map_or(Vec::new(), |s| (0..s.rows()).map(|i| s.id(i)).collect()),
            columns: self.sides.as_ref().map_or(Vec::new(), |s| rows(s, self.items.features().dims())),
            team_sizes: teams
                .map_or(Vec::new(), |t| (0..t.len()).map(|i| t.members(i).count() as u64).collect()),
            team_weights: teams.map_or(Vec::new(), |t| {
                (0..t.len()).flat_map(|i| t.members(i)).map(|(_, weight)| weight).collect()
            }),
            winners: ends.iter().map(|e| e.0 as u64).collect(),
            losers: ends.iter().map(|e| e.1 as u64).collect(),
            counts: merged.iter().map(|o| o.count().ceil() as u64).collect(),
            weights: if whole { Vec::new() } else { merged.iter().map(Observation::count).collect() },
            tau: sites.iter().flat_map(|sites| &sites.tau).copied().collect(),
            nu: sites.iter().flat_map(|sites| &sites.nu).copied().collect(),
            answers: if plain {
                Vec::new()
            } else {
                (0..merged.len()).map(|m| self.said_in_file(m)).collect()
            },
            draws: self.belief.exact().map_or(Vec::new(), ExactPosterior::draws),
        }
    }

    fn rival_parts(&self) -> Vec<RivalParts> {
        let weights = self.belief.mixture().map_or(&[][..], |mixture| &mixture.components()[1..]);
        let part = |(h, (weight, _)): (&Hyperparameters, &(f64, Posterior))| RivalParts {
            weight: *weight,
            kernel: h.kernel.clone(),
            hyperparameters: h.entries.clone(),
        };
        self.rivals.iter().zip(weights).map(part).collect()
    }

    /// A model from what a file held. Nothing is learned or drawn again: the posterior follows from the sites, or from the
    /// draws.
    ///
    /// # Errors
    /// [`Error::ModelParts`] if the parts do not fit together, whoever wrote them.
    pub fn from_parts(parts: ModelParts) -> Result<Self, Error> {
        let ModelParts {
            header,
            features,
            sides,
            columns,
            team_sizes,
            team_weights,
            winners,
            losers,
            counts,
            weights,
            tau,
            nu,
            answers,
            draws,
        } = parts;
        let broken = |what: &'static str| Error::ModelParts { what };
        let n = header.keys.len();
        let dims = header.encoder.features.len();
        if features.len() != n * dims {
            return Err(broken("the features are not one row an item"));
        }
        let kernels = 1 + header.rivals.len();
        let sites = [tau.len(), nu.len()].iter().all(|&l| l == kernels * winners.len());
        if !sites
            || [losers.len(), counts.len()].iter().any(|&l| l != winners.len())
            || kernels > average::MOST
        {
            return Err(broken("the comparisons and their sites differ in number"));
        }
        let fits = |(&weight, &count): (&f64, &u64)| weight > 0.0 && weight <= count as f64;
        if !weights.is_empty() && (weights.len() != winners.len() || !weights.iter().zip(&counts).all(fits)) {
            return Err(broken("the weights are not one a comparison"));
        }
        if features.iter().chain(&tau).chain(&nu).chain(&draws).any(|x| !x.is_finite()) {
            return Err(broken("a number is not finite"));
        }
        bounds::check_numbers(std::iter::once(&draws))?;
        let plain = plain_responses(header.streaming.as_ref());
        let responses = header.responses.as_ref().unwrap_or(&plain);
        let numbers = if header.responses.is_some() { answers } else { vec![0; winners.len()] };
        if numbers.len() != winners.len() {
            return Err(broken("the answers and their items differ in number"));
        }
        if responses.users.len() > u32::MAX as usize || !responses.is_sound() {
            return Err(broken("a response is not valid"));
        }
        if counts.contains(&0) {
            return Err(broken("a count is 0"));
        }
        let (mut answers, mut row) = (Answers::default(), 0);
        while row < winners.len() {
            let (winner, loser, number) = (winners[row], losers[row], numbers[row]);
            let said = responses.replies.get((number / 2) as usize);
            let said = *said.ok_or(broken("an answer has no response"))?;
            let minus = (winner != loser || header.responses.is_none()).then_some(loser as usize);
            let (answer, rows) = match PartialOrder::of_reply(&said) {
                // The pairs of a set begin with those of its first item.
                Some(order) => {
                    let others = losers.get(row..row + order.options() - 1);
                    let others = others.ok_or(broken("a set has not all of its pairs"))?;
                    (Answer::of_set(winner as usize, others.iter().map(|&i| i as usize), said), order.pairs())
                }
                None => (Answer::of(winner as usize, minus, said), 1),
            };
            answers.push(Answer { positive: number % 2 == 0, ..answer });
            row += rows;
        }
        let own = Points::new((0..n as u64).collect(), dims, features.clone());
        let sides =
            known_sides(header.context.as_ref(), &own, (&sides, &columns), (&team_sizes, team_weights))?;
        let about = sides.as_ref().unwrap_or(&own);
        let dims = about.dims();
        answers.check(about.len())?;
        let mut observations = Observations::of(&answers, &responses.users, responses.response_model);
        if observations.merged.len() != winners.len() {
            return Err(broken("a comparison appears twice"));
        }
        // Sites belong to the merged comparisons, whose order is fixed; a file in another order is not ours.
        let ends = |m: usize| observations.ends(m);
        if (0..winners.len()).any(|m| ends(m) != (winners[m] as usize, losers[m] as usize)) {
            return Err(broken("the comparisons are not in order"));
        }
        // Many rows of a table may say the same, so that a count is beyond those of one row.
        observations.recount(counts.iter().map(|&count| count as f64));
        observations.weigh(&weights);
        let known = |kernel, entries| known_hyperparameters(kernel, entries, dims, &observations.responses);
        let hyperparameters = known(header.kernel, header.hyperparameters)?;
        let weights: Vec<f64> = header.rivals.iter().map(|rival| rival.weight).collect();
        let rivals = header.rivals.into_iter().map(|rival| known(rival.kernel, rival.hyperparameters));
        let rivals = rivals.collect::<Result<Vec<_>, Error>>()?;
        let mut of_kernels = each_sites(&tau, &nu, winners.len(), kernels);
        let all = || std::iter::once(&hyperparameters).chain(&rivals);
        for (sites, h) in of_kernels.iter().zip(all()) {
            bounds::check(sites, &features, &h.entries)?;
        }
        for h in all() {
            bounds::check_kernel(&h.kernel, about)?;
        }
        let sites = of_kernels.remove(0);
        let compared = about.select(&observations.items);
        check_inducing(header.inducing.as_deref(), compared.len(), header.method)?;
        let problem = Problem {
            points: &compared,
            observations: &observations,
            method: header.method.approximation(),
            space: Some(header.space),
            inducing: header.inducing.as_deref(),
        };
        let kernel = hyperparameters.kernel.clone();
        let belief = match (header.method, header.exact, &header.report.exact, header.streaming) {
            (Method::Ep, None, None, None) if draws.is_empty() && header.report.sparse.is_some() => {
                let limits = header.report.sparse.as_ref().map(limits_of).unwrap_or_default();
                let sparse = Sparse::new(&kernel, &compared, &observations, &limits)?;
                Belief::Sparse(Box::new(sparse.posterior(
                    &kernel,
                    &hyperparameters.values(),
                    &sites,
                    &AS_SAVED,
                )?))
            }
            (Method::Ep | Method::Laplace, None, None, None) if draws.is_empty() => {
                let best = from_sites(&problem, kernel, hyperparameters.values(), &sites)?;
                averaged(&problem, best, (&rivals, &weights), &of_kernels)?
            }
            (Method::Streaming, None, None, Some(state)) if draws.is_empty() => {
                Belief::Streaming(Box::new(resume(state, &hyperparameters, &observations.responses, dims)?))
            }
            (Method::Exact, Some(settings), Some(report), None) => {
                let (report, values) = (report.sampling, hyperparameters.values());
                let exact =
                    ExactPosterior::restore(&problem, kernel, values, &sites, &draws, report, &settings)?;
                Belief::Exact(Box::new(exact))
            }
            _ => return Err(broken("only exact inference has draws, only streaming inference a state")),
        };
        if belief.mixture().is_none() && !rivals.is_empty() {
            return Err(broken("only a model of answers by expectation propagation averages over kernels"));
        }
        let model = Self {
            items: Catalogue::new(header.keys, header.labels, header.encoder, own, header.context),
            compared: compared_items(&observations, sides.as_ref()),
            sides,
            method: header.method,
            hyperparameters,
            observations,
            inducing: header.inducing,
            rivals,
            report: header.report,
            belief,
            naming: header.naming,
        };
        model.check_predictions()?;
        model.check_naming()?;
        Ok(model)
    }

    /// Whether what a model from a file predicts are numbers.
    fn check_predictions(&self) -> Result<(), Error> {
        let (chosen, pairs) = bounds::probed(self.points().len());
        let points = self.points().select(&chosen);
        let Moments { mean, variance } = self.belief.utilities(&points);
        bounds::check_predictions(&mean, &variance, &self.probabilities(&points, &pairs))
    }

    /// Whether the naming is one of this model's items, levels and grades.
    pub(super) fn check_naming(&self) -> Result<(), Error> {
        let first = self.points().select(&[0][..self.points().len().min(1)]);
        let levels = self.ratings(&first).first().map_or(0, Vec::len);
        self.naming.check(self.keys(), &[], (levels, self.observations.responses.grades()))
    }
}

/// The rows of points from a column on, one after the other.
fn rows(points: &Points, first: usize) -> Vec<f64> {
    (0..points.rows()).flat_map(|i| &points.row(i)[first..]).copied().collect()
}

/// The sides that comparisons with columns are about, if they have columns.
fn known_sides(
    context: Option<&Context>,
    items: &Points,
    (sides, columns): (&[u64], &[f64]),
    (team_sizes, team_weights): (&[u64], Vec<f64>),
) -> Result<Option<Points>, Error> {
    let broken = || Error::ModelParts { what: "the sides are not items in a context" };
    let Some(context) = context else {
        return if sides.is_empty() && columns.is_empty() { Ok(None) } else { Err(broken()) };
    };
    let known = |&side: &u64| usize::try_from(side).ok().filter(|&side| side < items.len());
    let of: Vec<usize> = sides.iter().map(known).collect::<Option<_>>().ok_or_else(broken)?;
    let width = context.columns();
    let finite = columns.iter().all(|x| x.is_finite());
    if !context.is_sound(items.len()) || columns.len() != sides.len() * width || !finite {
        return Err(broken());
    }
    let row = |(k, &item): (usize, &usize)| [items.row(item), &columns[k * width..(k + 1) * width]].concat();
    let rows = of.iter().enumerate().flat_map(row).collect();
    let rows = Points::new(sides.to_vec(), items.dims() + width, rows);
    if team_sizes.is_empty() && team_weights.is_empty() {
        return Ok(Some(rows));
    }
    let members = team_sizes.iter().try_fold(0_u64, |sum, size| sum.checked_add(*size));
    let sound = team_weights.len() == sides.len() && team_weights.iter().all(|weight| weight.is_finite());
    if members != Some(sides.len() as u64) || !sound {
        return Err(broken());
    }
    Ok(Some(rows.in_teams(team_sizes.iter().map(|&size| size as usize), team_weights)))
}

/// The responses of a file without any: plain comparisons. Earlier versions had the rate of lapses in the streaming state alone.
fn plain_responses(streaming: Option<&State>) -> Responses {
    let mut out = Responses::default();
    if let Some(rate) = streaming.map(State::lapse).filter(|&rate| rate > 0.0) {
        out.response_model.lapses = Lapses::Rate(rate);
    }
    out
}

/// The hyperparameters of a kernel and of answers, if they are those.
fn known_hyperparameters(
    kernel: Kernel,
    entries: Vec<Hyperparameter>,
    dims: usize,
    responses: &Responses,
) -> Result<Hyperparameters, Error> {
    let broken = |what: &'static str| Error::ModelParts { what };
    kernel.check(dims)?;
    let others = responses.parameters(1.0);
    let expected = kernel.parameters().len() + 1 + others.len();
    let named = entries.iter().rev().zip(others.iter().rev()).all(|(e, o)| e.name == o.name);
    if entries.len() != expected || !named {
        return Err(broken("the hyperparameters are not those of the kernel and the answers"));
    }
    let mut out = Hyperparameters { kernel, entries };
    let values: Vec<f64> = out.entries.iter().map(|e| e.value).collect();
    out.set(&values)?;
    if !(out.noise().is_finite() && out.noise() > 0.0) {
        return Err(broken("the noise is not positive"));
    }
    let values = out.values();
    if others.iter().zip(&values.0[1..]).any(|(o, &value)| !o.scale.coordinate(value).is_finite()) {
        return Err(broken("a parameter of the answers is out of its range"));
    }
    Ok(out)
}

/// The sites of each kernel, which stand one after the other.
fn each_sites(tau: &[f64], nu: &[f64], answers: usize, kernels: usize) -> Vec<Sites> {
    let one = |k: usize| {
        let own = k * answers..(k + 1) * answers;
        Sites { tau: tau[own.clone()].to_vec(), nu: nu[own].to_vec() }
    };
    (0..kernels).map(one).collect()
}

/// The average of the best kernel's posterior and those of its rivals, if there are any.
fn averaged(
    problem: &Problem<'_>,
    best: Posterior,
    (rivals, weights): (&[Hyperparameters], &[f64]),
    sites: &[Sites],
) -> Result<Belief, Error> {
    if rivals.is_empty() {
        return Ok(Belief::Gaussian(Box::new(best)));
    }
    let left = 1.0 - weights.iter().sum::<f64>();
    let is_weight = |w: f64| w.is_finite() && w > 0.0;
    if !weights.iter().chain([&left]).all(|&w| is_weight(w)) {
        return Err(Error::ModelParts { what: "the weights of the kernels do not add up to 1" });
    }
    let mut components = vec![(left, best)];
    for ((h, &weight), sites) in rivals.iter().zip(weights).zip(sites) {
        components.push((weight, from_sites(problem, h.kernel.clone(), h.values(), sites)?));
    }
    Ok(Belief::Mixture(Box::new(Mixture::as_weighted(components))))
}

/// Whether these can be the inducing items of so many.
fn check_inducing(inducing: Option<&[usize]>, compared: usize, method: Method) -> Result<(), Error> {
    let Some(inducing) = inducing else { return Ok(()) };
    let mut seen = vec![false; compared];
    let new = |&i: &usize| i < compared && !std::mem::replace(&mut seen[i], true);
    if method != Method::Ep || inducing.is_empty() || !inducing.iter().all(new) {
        return Err(Error::ModelParts { what: "the inducing points are not compared items" });
    }
    Ok(())
}

/// The streaming model of a state, which must be one of this kernel, this noise and so many features.
fn resume(
    state: State,
    h: &Hyperparameters,
    responses: &Arc<Responses>,
    dims: usize,
) -> Result<StreamedPosterior, Error> {
    let model = StreamingModel::resume_with(state, Arc::clone(responses), h.values())?;
    if *model.kernel() != h.kernel
        || model.settings().noise != h.noise()
        || model.basis().points().dims() != dims
    {
        return Err(Error::ModelParts {
            what: "the streaming state is of another kernel or of other features",
        });
    }
    StreamedPosterior::new(model)
}

/// The sites are those of a fixpoint: nothing is left to do.
const AS_SAVED: Settings =
    Settings { tolerance: 1e-8, sweeps: 0, sequential_sweeps: 0, factors: Factors::Pair };

/// The Gaussian posterior that belongs to known sites.
pub(crate) fn from_sites(
    problem: &Problem<'_>,
    kernel: Kernel,
    values: impl Into<Values>,
    sites: &Sites,
) -> Result<Posterior, Error> {
    let values = values.into();
    let evidence = problem.evaluate(&kernel, values.clone(), Some(sites), &AS_SAVED)?;
    Ok(Posterior::new(problem, kernel, values, evidence))
}
