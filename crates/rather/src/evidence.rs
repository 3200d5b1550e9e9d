//! The log evidence of a kernel and a noise, and its gradient.

use crate::Error;
use crate::inference::low_rank_gradient::{self, Fixpoint};
use crate::inference::observations::Observations;
use crate::inference::prior::{Prior, Space};
use crate::inference::sites::Sites;
use crate::inference::{self, Method, Outcome, Settings, gradient};
use crate::kernel::Kernel;
use crate::likelihood::{Likelihoods, Values};
use crate::points::Points;

/// What is fixed while hyperparameters vary: the items answered about, the answers, and the way of inference.
#[derive(Debug, Clone)]
pub struct Problem<'a> {
    /// The items answered about, in the order of `observations.items`.
    pub points: &'a Points,
    /// The merged answers.
    pub observations: &'a Observations,
    /// How the posterior is approximated.
    pub method: Method,
    /// Over what; the cheaper space if `None`.
    pub space: Option<Space>,
    /// For a prior of low rank ([`Prior::low_rank`]): the positions of the inducing items among `points`. Expectation
    /// propagation only.
    pub inducing: Option<&'a [usize]>,
}

/// Features from which on sweeps with fewer are worth their while.
const MANY: usize = 100;
/// The variance, in that of a comparison's noise, that sweeps may do without at first; and how near they come to a fixpoint then.
const NEARLY: f64 = 1e-6;

/// The approximate posterior and evidence at one setting of the hyperparameters.
#[derive(Debug, Clone)]
pub struct Evidence {
    /// The prior that was used.
    pub prior: Prior,
    /// What inference found under it.
    pub outcome: Outcome,
}

impl Problem<'_> {
    /// Builds the prior of `kernel` over the items.
    ///
    /// # Errors
    /// [`Error::Covariance`] if the kernel's covariance holds something that is not a finite number.
    pub fn prior(&self, kernel: &Kernel) -> Result<Prior, Error> {
        let edges = &self.observations.edges;
        if let Some(inducing) = self.inducing {
            return Prior::low_rank(kernel, self.points, edges, inducing).ok_or(Error::Covariance);
        }
        let space = self.space.unwrap_or_else(|| Space::cheaper(self.points.len(), edges.len()));
        Prior::new(kernel.matrix(self.points), edges, space).ok_or(Error::Covariance)
    }

    /// Runs inference at one setting of the hyperparameters: the kernel's, and the noise per item (a standard deviation) with whatever
    /// other parameters the likelihoods have.
    ///
    /// # Errors
    /// [`Error::Covariance`] as [`Problem::prior`]; [`Error::Inference`] if the posterior broke down.
    pub fn evaluate(
        &self,
        kernel: &Kernel,
        values: impl Into<Values>,
        start: Option<&Sites>,
        settings: &Settings,
    ) -> Result<Evidence, Error> {
        self.evaluate_from(kernel, values, start.cloned(), settings)
    }

    /// As [`Problem::evaluate`], using up the sites that it starts from.
    pub(crate) fn evaluate_from(
        &self,
        kernel: &Kernel,
        values: impl Into<Values>,
        start: Option<Sites>,
        settings: &Settings,
    ) -> Result<Evidence, Error> {
        self.evaluate_under(self.prior(kernel)?, values, start, settings)
    }

    /// As [`Problem::evaluate`], under the prior that [`Problem::prior`] has made.
    pub(crate) fn evaluate_under(
        &self,
        prior: Prior,
        values: impl Into<Values>,
        start: Option<Sites>,
        settings: &Settings,
    ) -> Result<Evidence, Error> {
        let likelihoods = self.observations.responses.likelihoods(&values.into());
        let prior = prior.with_pair_effect(likelihoods.pair_variance());
        let merged = &self.observations.merged;
        let start = start.unwrap_or_else(|| Sites::empty(merged.len()));
        let run = |prior: &Prior, start, settings: &Settings| {
            inference::run(self.method, prior, merged, &likelihoods, start, settings)
        };
        let (start, before) = match self.nearly(&prior, &likelihoods, settings) {
            // What is no fixpoint is no place to start from either.
            Some((rougher, rough)) => match run(&rougher, start.clone(), &rough) {
                Some(found) if found.trustworthy => (found.sites, found.sweeps),
                _ => (start, 0),
            },
            None => (start, 0),
        };
        let mut outcome = run(&prior, start, settings).ok_or(Error::Inference)?;
        outcome.sweeps += before;
        Ok(Evidence { prior, outcome })
    }

    /// A prior of fewer features under which the first sweeps find nearly the same sites, and how far they are to go; `None` where it would save
    /// nothing.
    fn nearly(
        &self,
        prior: &Prior,
        likelihoods: &Likelihoods,
        settings: &Settings,
    ) -> Option<(Prior, Settings)> {
        let few = self.method != Method::Ep || prior.rank() < MANY || settings.tolerance > NEARLY;
        if few || !self.observations.responses.is_plain() {
            return None;
        }
        let rougher = prior.without(NEARLY * likelihoods.comparison.s().powi(2))?;
        Some((rougher, Settings { tolerance: NEARLY, sequential_sweeps: 0, ..*settings }))
    }

    /// The gradient of the log evidence in the logs of the kernel's parameters and of the noise, and in the likelihoods' other parameters
    /// themselves.
    pub fn gradient(&self, kernel: &Kernel, evidence: &Evidence) -> Vec<f64> {
        self.into_gradient(kernel, evidence.clone())
    }

    /// As [`Problem::gradient`], using up the evidence: its memory is that of the matrices needed on the way.
    pub fn into_gradient(&self, kernel: &Kernel, evidence: Evidence) -> Vec<f64> {
        let d_values = evidence.outcome.d_values.clone();
        if self.inducing.is_some() {
            let Evidence { prior, outcome } = &evidence;
            let at = Fixpoint::of(outcome, &self.observations.merged, prior.edges.len());
            let mut out = low_rank_gradient::in_kernel(kernel, self.points, prior, &at);
            out.extend(d_values);
            return out;
        }
        let (g, items) = gradient::in_covariance(evidence.prior, &self.observations.merged, evidence.outcome);
        let mut out = kernel.gradient(&self.points.select(&items), &g);
        out.extend(d_values);
        out
    }
}
