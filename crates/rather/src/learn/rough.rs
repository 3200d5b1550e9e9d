//! Climbing the evidence where it is found in less time: with few items, where a smooth kernel lets them tell all others nearly; by a sparse precision for
//! items by name.

use std::cell::RefCell;

use super::{Hyperparameters, Learned, Setting, Warm, climb};
use crate::Error;
use crate::evidence::Problem;
use crate::inducing::covering;
use crate::inference::observations::Observations;
use crate::inference::prior::{Prior, Space};
use crate::inference::sites::Sites;
use crate::inference::sparse::{Field, Limits};
use crate::inference::{Method, Outcome, Settings, ep};
use crate::kernel::Kernel;
use rather_numerics::lbfgs;

/// The variance, in multiples of that of the noise of an item, that inducing items may leave of another. What is left joins the noise of the answers, so that
/// the evidence is off by far less than answers can tell.
const OPEN: f64 = 3e-4;
/// How many times as much may be left of a difference before the items are chosen again: twice as much are those of two items.
const SLACK: f64 = 8.0;
/// With more inducing items than one in so many the whole covariance is as quick.
const FEW: usize = 3;
/// With fewer items there is nothing to save.
const LEAST: usize = 100;

/// The most entries of the factor of a sparse precision, in shares of those of the full covariance: with more it is no quicker.
const SPARSE: f64 = 0.25;

/// A problem whose evidence is found in less time, if it is.
pub(super) struct Rough<'a> {
    problem: &'a Problem<'a>,
    way: Way,
}

enum Way {
    /// With inducing items, chosen anew whenever a setting of the hyperparameters asks for others.
    Few(RefCell<Vec<usize>>),
    /// By a sparse precision, the same evidence.
    Names(Field),
    /// There is no other way.
    Nothing,
}

impl<'a> Rough<'a> {
    pub(super) fn new(problem: &'a Problem<'a>, kernel: &Kernel) -> Self {
        Self { problem, way: Way::of(problem, kernel).unwrap_or(Way::Nothing) }
    }

    /// Whether there is less to do at this setting.
    pub(super) fn is_cheaper(&self, here: &Hyperparameters) -> bool {
        match &self.way {
            Way::Few(inducing) => self.prior(inducing, here).is_some(),
            Way::Names(_) => true,
            Way::Nothing => false,
        }
    }

    /// As [`climb`], in the quicker way wherever it is good enough; `seen` is called with every setting.
    pub(super) fn climb(
        &self,
        start: &Hyperparameters,
        settings: &Settings,
        stop: lbfgs::Stop,
        warm: Warm,
        goes_on: &dyn Fn() -> bool,
        seen: &dyn Fn(&Hyperparameters, &Setting),
    ) -> Result<Learned, Error> {
        climb(start, settings, stop, warm, goes_on, |here, sites, rough, sloped| {
            let found = self.infer(here, sites, rough, sloped)?;
            seen(here, &found);
            Ok(found)
        })
    }

    fn infer(
        &self,
        here: &Hyperparameters,
        sites: Option<Sites>,
        settings: &Settings,
        sloped: bool,
    ) -> Result<Setting, Error> {
        match &self.way {
            Way::Few(inducing) => {
                if let Some(prior) = self.prior(inducing, here) {
                    let inducing = inducing.borrow();
                    let few = Problem { inducing: Some(&inducing), ..self.problem.clone() };
                    return few.infer(here, prior, sites, settings, sloped);
                }
            }
            Way::Names(field) => return self.by_precision(field, here, sites, settings),
            Way::Nothing => {}
        }
        self.problem.infer(here, self.problem.prior(&here.kernel)?, sites, settings, sloped)
    }

    /// What inference finds under the sparse precision of the kernel `white`.
    fn by_precision(
        &self,
        field: &Field,
        here: &Hyperparameters,
        sites: Option<Sites>,
        settings: &Settings,
    ) -> Result<Setting, Error> {
        let Observations { merged, responses, .. } = self.problem.observations;
        let prior = here.kernel.white_variance().and_then(|variance| field.prior(variance, 0.0));
        let prior = prior.ok_or(Error::Covariance)?;
        let likelihoods = responses.likelihoods(&here.values());
        let sites = sites.unwrap_or_else(|| Sites::empty(merged.len()));
        let outcome = ep::run(&prior, merged, &likelihoods, sites, settings).ok_or(Error::Inference)?;
        let mut gradient = vec![prior.gradient(&outcome.posterior).ok_or(Error::Inference)?.log_variance];
        gradient.extend(&outcome.d_values);
        let Outcome { log_evidence, sweeps, sites, trustworthy, .. } = outcome;
        Ok(Setting { log_evidence, gradient, sweeps, sites, trustworthy })
    }

    /// The prior of few items, if those chosen last or others are enough.
    fn prior(&self, inducing: &RefCell<Vec<usize>>, here: &Hyperparameters) -> Option<Prior> {
        // What is an item's own, no other item tells.
        if !here.kernel.is_constant_given(&|_| true) {
            return None;
        }
        let open = OPEN * here.noise().powi(2);
        let enough = |prior: &Prior| prior.rest.iter().all(|&rest| rest <= SLACK * open);
        let of_chosen = || {
            let inducing = inducing.borrow();
            let edges = &self.problem.observations.edges;
            (!inducing.is_empty())
                .then(|| Prior::low_rank(&here.kernel, self.problem.points, edges, &inducing))
                .flatten()
                .filter(enough)
        };
        of_chosen().or_else(|| {
            let points = self.problem.points;
            let most = points.len().min(self.problem.observations.edges.len()) / FEW;
            let largest = here.kernel.diagonal(points).into_iter().fold(0.0, f64::max);
            let chosen = covering(&here.kernel, points, most, open / largest);
            // As many as there may be hardly ever leave as little as is asked for.
            let few = chosen.len() < most;
            *inducing.borrow_mut() = if few { chosen } else { Vec::new() };
            of_chosen()
        })
    }
}

impl Way {
    fn of(problem: &Problem<'_>, kernel: &Kernel) -> Option<Self> {
        let Observations { edges, responses, .. } = problem.observations;
        let items = problem.points.len();
        let may = problem.method == Method::Ep
            && problem.inducing.is_none()
            && problem.space != Some(Space::Pairs)
            && items >= LEAST;
        if !may {
            return None;
        }
        if kernel.white_variance().is_some() {
            if !responses.has_sparse_precision() || problem.observations.has_sets() {
                return None;
            }
            let field = Field::new(items, edges, &[], &Limits::default())?;
            let graph = field.graph();
            let sparse = graph.is_exact() && graph.entries() as f64 <= SPARSE * (items * items) as f64;
            return sparse.then_some(Self::Names(field));
        }
        // Answers are to be about differences with the noise that [`OPEN`] is measured by.
        responses.is_plain().then(|| Self::Few(RefCell::default()))
    }
}
