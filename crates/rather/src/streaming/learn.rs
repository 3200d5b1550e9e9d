//! Hyperparameters that follow the answers.

use super::basis::Basis;
use super::model::StreamingModel;
use crate::Error;
use crate::learn::LogNormal;
use rather_numerics::lbfgs::{self, Stop};

/// What a step of learning did.
#[derive(Debug, Clone, PartialEq)]
pub struct LearningStep {
    /// Log evidence of the answers kept plus log prior of the parameters, before and after.
    pub objective: [f64; 2],
    /// Number of settings tried.
    pub evaluations: usize,
    /// The kernel's parameters after it.
    pub parameters: Vec<f64>,
}

/// Sweeps over the answers at each setting that is tried; they start from the sites of the last.
const SWEEPS: usize = 4;
/// A parameter stays within this factor of its first value.
const REACH: f64 = 1e3;
/// Largest entry of the gradient that counts as none, in nats per factor e.
const FLAT: f64 = 1e-2;

impl StreamingModel {
    /// Sets the priors of the kernel's parameters, in their order, in the place of those around their first values. A standard
    /// deviation of 0 holds a parameter where it is.
    ///
    /// # Errors
    /// [`Error::Length`]; [`Error::Parameter`] for a median that is not positive, or a standard deviation that is negative.
    pub fn set_priors(&mut self, priors: Vec<LogNormal>) -> Result<(), Error> {
        let (expected, found) = (self.kernel().parameters().len(), priors.len());
        if expected != found {
            return Err(Error::Length { what: "the list of priors", expected, found });
        }
        let requirement = "a prior needs a positive median and a standard deviation that is not negative";
        for &LogNormal { median, sd } in &priors {
            let good = |x: f64, low: bool| x.is_finite() && low;
            for (name, value, sound) in
                [("median", median, good(median, median > 0.0)), ("prior sd", sd, good(sd, sd >= 0.0))]
            {
                if !sound {
                    return Err(Error::Parameter { name: name.into(), value, requirement });
                }
            }
        }
        self.priors = priors;
        Ok(())
    }

    /// Lets the kernel's parameters climb the evidence of the answers kept, by at most `steps` steps. Nothing changes if no
    /// answer is kept or no setting is better.
    ///
    /// Answers no longer kept stay what they said about the basis values.
    ///
    /// # References
    /// Wang and McKenna (2010), section 5, for the evidence; the thesis leaves it to future work (Schoonderbeek 2014,
    /// section IX).
    pub fn learn(&mut self, steps: usize) -> Option<LearningStep> {
        if self.answers.len() == 0 {
            return None;
        }
        let said = self.said_before();
        let start: Vec<f64> = self.kernel().parameters().iter().map(|p| p.value.ln()).collect();
        let range = |(prior, &x): (&LogNormal, &f64)| {
            let middle = prior.median.ln();
            if prior.sd == 0.0 { (x, x) } else { (middle - REACH.ln(), middle + REACH.ln()) }
        };
        let bounds: Vec<(f64, f64)> = self.priors.iter().zip(&start).map(range).collect();
        let mut best: Option<(f64, Self)> = None;
        let mut first = None;
        let mut latest = self.clone();
        let objective = |x: &[f64]| {
            let (value, gradient, tried) = self.try_parameters(x, &latest, said.as_ref())?;
            first.get_or_insert(value);
            if best.as_ref().is_none_or(|(reached, _)| value > *reached) {
                best = Some((value, tried.clone()));
            }
            latest = tried;
            Some((-value, gradient.iter().map(|g| -g).collect()))
        };
        let stop = Stop { gradient: FLAT, decrease: 1e-4, steps, ..Stop::default() };
        let found = lbfgs::minimise(objective, &start, &bounds, stop)?;
        let (value, model) = best?;
        let parameters = model.kernel().parameters().iter().map(|p| p.value).collect();
        *self = model;
        Some(LearningStep { objective: [first?, value], evaluations: found.evaluations, parameters })
    }

    /// Log evidence plus log prior at the logarithms `x` of the parameters, the gradient, and the model there; the sites start
    /// from those of `latest`.
    fn try_parameters(
        &self,
        x: &[f64],
        latest: &Self,
        said: Option<&super::rebase::Said>,
    ) -> Option<(f64, Vec<f64>, Self)> {
        let mut kernel = self.kernel().clone();
        kernel.set_parameters(&x.iter().map(|x| x.exp()).collect::<Vec<_>>()).ok()?;
        let basis = Basis::with_jitter(kernel, self.basis.points().clone(), self.settings.jitter).ok()?;
        let mut from = self.clone();
        for n in 0..self.answers.len() {
            // With what the basis left open there.
            *from.answers.get_mut(n) = *latest.answers.get(n);
        }
        let (mut tried, base) = from.with_kernel_of(basis, said)?;
        tried.refine(SWEEPS);
        let value = tried.expectation_propagation_evidence()? + base;
        // What was said before, in the whitened values of the new kernel.
        let moved = said.and_then(|_| tried.said_before()).map(|said| said.times(tried.weight_of_base()));
        let mut gradient = tried.evidence_gradient(moved.as_ref())?;
        let mut log_prior = 0.0;
        for ((g, x), prior) in gradient.iter_mut().zip(x).zip(&self.priors) {
            if prior.sd == 0.0 {
                *g = 0.0;
                continue;
            }
            let z = (x - prior.median.ln()) / prior.sd;
            log_prior -= 0.5 * z * z;
            *g -= z / prior.sd;
        }
        let value = value + log_prior;
        (value.is_finite() && gradient.iter().all(|g| g.is_finite())).then_some((value, gradient, tried))
    }
}
