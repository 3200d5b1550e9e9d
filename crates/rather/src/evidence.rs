//! The log evidence of a kernel and a noise, and its gradient.

use crate::Error;
use crate::inference::low_rank_gradient::{self, Fixpoint};
use crate::inference::observations::{Observation, Observations};
use crate::inference::prior::{Prior, Space};
use crate::inference::sites::Sites;
use crate::inference::{self, Method, Outcome, Settings, gradient};
use crate::kernel::Kernel;
use crate::likelihood::Values;
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
/// The variances, in that of a comparison's noise, that sweeps may do without at first, and how near they come to a fixpoint then: from nothing, and from
/// sites of a setting nearby.
const FROM_NOTHING: Rung = Rung { variance: 1e-4, tolerance: 1e-3 };
const FROM_NEARBY: Rung = Rung { variance: 1e-6, tolerance: 1e-6 };

/// The variance that is left out, and how near sweeps are to come to a fixpoint.
struct Rung {
    variance: f64,
    tolerance: f64,
}

/// What features that are left out while hyperparameters are learned may change of the log evidence, in nats.
pub(crate) const LEFT_OUT: f64 = 1e-3;
/// What they may change for every nat of the variance of an item, in that of a comparison's noise. (An item that was not compared would be off by as much
/// as its square root.)
const VARIANCE_LEFT_OUT: f64 = 1e-2;

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
        self.prior_but_for(kernel, 0.0)
    }

    /// As [`Problem::prior`], without features that answers with this noise tell no more of than changes the log evidence by `nats`: for the evidence and the
    /// sites, not for predictions.
    pub(crate) fn prior_of_answers(&self, kernel: &Kernel, noise: f64, nats: f64) -> Result<Prior, Error> {
        self.prior_but_for(kernel, self.negligible(noise, nats))
    }

    fn prior_but_for(&self, kernel: &Kernel, negligible: f64) -> Result<Prior, Error> {
        let edges = &self.observations.edges;
        if let Some(inducing) = self.inducing {
            return Prior::low_rank(kernel, self.points, edges, inducing).ok_or(Error::Covariance);
        }
        let space = self.space.unwrap_or_else(|| Space::cheaper(self.points.len(), edges.len()));
        let covariance = match space {
            Space::Items => kernel.lower_triangle(self.points),
            Space::Pairs => kernel.matrix(self.points),
        };
        Prior::but_for(covariance, edges, space, negligible).ok_or(Error::Covariance)
    }

    /// The variance of an item that may be left out: $n$ answers with the noise $s^2$ tell of a variance $\delta$ of every item about
    /// $\tfrac12\sum\tau\cdot2\delta\le n\delta/s^2$ nats, as none has a precision $\tau$ above $1/s^2$. 0 where answers have more than one noise.
    fn negligible(&self, noise: f64, nats: f64) -> f64 {
        let Observations { merged, responses, .. } = self.observations;
        if !responses.has_one_noise() {
            return 0.0;
        }
        let answers: f64 = merged.iter().map(Observation::count).sum();
        2.0 * noise * noise * nats * VARIANCE_LEFT_OUT.min(1.0 / answers.max(1.0))
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
        let (mut start, mut before) = (start, 0);
        for rung in self.rungs(&start, &prior, settings) {
            let Some(rougher) = prior.without(rung.variance * likelihoods.comparison.s().powi(2)) else {
                continue;
            };
            let rough = Settings { tolerance: rung.tolerance, sequential_sweeps: 0, ..*settings };
            // What is no fixpoint is no place to start from either.
            if let Some(found) = run(&rougher, start.clone(), &rough).filter(|found| found.trustworthy) {
                (start, before) = (found.sites, before + found.sweeps);
            }
        }
        let mut outcome = run(&prior, start, settings).ok_or(Error::Inference)?;
        outcome.sweeps += before;
        Ok(Evidence { prior, outcome })
    }

    /// With how few features the first sweeps from `start` find nearly the same sites, one step after the other; nothing where that would save nothing.
    fn rungs(&self, start: &Sites, prior: &Prior, settings: &Settings) -> &'static [Rung] {
        let few =
            self.method != Method::Ep || prior.rank() < MANY || settings.tolerance > FROM_NEARBY.tolerance;
        if few || !self.observations.responses.has_one_noise() {
            return &[];
        }
        let from_nothing = start.tau.iter().all(|&tau| tau == 0.0);
        if from_nothing { &[FROM_NOTHING, FROM_NEARBY] } else { &[FROM_NEARBY] }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::{Answer, Answers};
    use crate::kernel::{Schema, parse};
    use crate::likelihood::{Link, ResponseModel};
    use rather_numerics::random::{normals, stream, uniform};

    /// 900 answers about 120 items on a line, some of which are nearly the same, with ties if there are any.
    fn answers(at: &[f64], ties: bool) -> Vec<Answer> {
        let rng = &mut stream(3, 0);
        let mut one = || {
            let [i, j] = [(); 2].map(|()| (at.len() as f64 * uniform(rng)) as usize);
            let ahead = 2.0 * (5.0 * at[i]).sin() - 2.0 * (5.0 * at[j]).sin() + normals(1, rng)[0];
            let (winner, loser) = if ahead > 0.0 { (i, j) } else { (j, i) };
            let answer = match (ties, ahead.abs() < 0.3) {
                (true, true) => Answer::tie(i, j),
                (true, false) => Answer::better(winner, loser, 1),
                (false, _) => Answer::rather(winner, loser),
            };
            (i != j).then_some(answer)
        };
        (0..900).filter_map(|_| one()).collect()
    }

    #[test]
    fn features_that_are_left_out_change_the_evidence_by_no_more_than_said() {
        let mut at: Vec<f64> = normals(120, &mut stream(3, 1));
        (100..120).for_each(|i| at[i] = at[i - 100] + 1e-4);
        let schema = Schema { names: vec!["x".into()], categorical: vec![false], context: 0 };
        let mut fewer = 0;
        for (ties, link) in [(false, Link::Probit), (true, Link::Probit), (false, Link::Logistic)] {
            let response_model = ResponseModel { link, ..ResponseModel::default() };
            let said = answers(&at, ties);
            let observations = Observations::of(&Answers::from(said.as_slice()), &[], response_model);
            let rows: Vec<[f64; 1]> = observations.items.iter().map(|&i| [at[i]]).collect();
            let points = Points::from_rows(&rows);
            let of_items = Some(Space::Items);
            let problem = Problem {
                points: &points,
                observations: &observations,
                method: Method::Ep,
                space: of_items,
                inducing: None,
            };
            // Variance and lengthscale.
            for (expression, parameters, noise) in
                [("se", [9.0, 0.3], 1.0), ("matern52", [1.0, 0.5], 0.1), ("se", [20.0, 1.0], 0.02)]
            {
                let mut kernel = parse(expression, &schema, false).expect("a kernel");
                kernel.set_parameters(&parameters).expect("parameters");
                let settings = Settings { tolerance: 1e-10, ..Settings::default() };
                let under = |prior: Result<Prior, Error>| {
                    problem
                        .evaluate_under(prior.expect("a prior"), noise, None, &settings)
                        .expect("a fixpoint")
                };
                let all = under(problem.prior(&kernel));
                let some = under(problem.prior_of_answers(&kernel, noise, LEFT_OUT));
                fewer += all.prior.rank() - some.prior.rank();
                let off = some.outcome.log_evidence - all.outcome.log_evidence;
                assert!(off.abs() <= LEFT_OUT, "{expression}, ties {ties}, {link:?}: {off} nats");
                let means = some.outcome.posterior.mean.iter().zip(&all.outcome.posterior.mean);
                let off = means.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) / noise;
                assert!(off <= LEFT_OUT, "{expression}, ties {ties}, {link:?}: {off} of the noise");
            }
        }
        assert!(fewer > 50, "{fewer} features were left out");
    }
}
