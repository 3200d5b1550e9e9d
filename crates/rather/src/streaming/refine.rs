//! Expectation propagation over the answers that are kept.

use std::ops::Range;

use super::answers::Site;
use super::belief::{Along, Belief};
use super::forgetting::Forgetting;
use super::model::StreamingModel;
use super::smooth::{self, Smoothed};

/// How a refinement ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Refined {
    /// Sweeps made.
    pub sweeps: usize,
    /// The largest change of a marginal in the last sweep: of the mean in standard deviations, of the variance relative.
    pub residual: f64,
    /// Expectation propagation's log evidence of all answers, those no longer kept as they were when they came.
    pub log_evidence: f64,
}

/// Sweeps after which the belief is computed anew from its sites.
const REBUILD: usize = 10;
/// Cavities wider than this many times the marginal are rounding.
const NARROWEST_CAVITY: f64 = 1e-12;
/// Sweeps stop where nothing changes any more.
const AT_REST: f64 = 1e-13;

/// A new site and how far it is from the old one.
pub(super) struct Revisited {
    pub(super) site: Site,
    pub(super) mismatch: f64,
    /// `log Z` less the log integral of the cavity times the old site: the answer's part of the evidence. Of a set, the first pair has it.
    pub(super) log_evidence: f64,
    /// Of a pair of a set, the derivative of `log Z` in what the basis leaves open of it.
    pub(super) d_residual: f64,
}

impl StreamingModel {
    /// Revisits the answers that are kept, `sweeps` times or until nothing changes. Two or three sweeps bring the belief within
    /// a few thousandths of the batch's, and take away the dependence on the order of the answers.
    ///
    /// With a drift, the answers' moments are those of their own time (a smoother). With a half-life, an answer is its likelihood to the
    /// power of its weight of now.
    ///
    /// # References
    /// Minka, *Expectation propagation for approximate Bayesian inference* (2001); with a basis, Naish-Guzman and Holden,
    /// *The generalized FITC approximation* (2008).
    pub fn refine(&mut self, sweeps: usize) -> Refined {
        let mut refined = Refined { sweeps: 0, residual: f64::INFINITY, log_evidence: self.log_evidence };
        if self.answers.len() == 0 {
            return Refined { residual: 0.0, ..refined };
        }
        let mut step = 1.0;
        while refined.sweeps < sweeps && refined.residual > AT_REST {
            let before = refined.residual;
            refined.residual = match self.settings.forgetting {
                Forgetting::Drift { .. } => self.parallel_sweep(step),
                _ => self.sweep(refined.sweeps.is_multiple_of(REBUILD)),
            };
            refined.sweeps += 1;
            if refined.residual > before {
                step *= 0.5;
            }
        }
        let _rebuilt = self.rebuild();
        if let Some(log_evidence) = self.expectation_propagation_evidence() {
            self.log_evidence = self.weight_of_base() * self.forgotten_log_evidence + log_evidence;
        }
        Refined { log_evidence: self.log_evidence, ..refined }
    }

    /// The new site of the `n`-th oldest answer where its projection has the moments `along`; `None` if the cavity is no
    /// Gaussian, as may happen with lapses.
    pub(super) fn revisit(&self, n: usize, along: Along) -> Option<Revisited> {
        let kept = self.answers.get(n);
        let (old, weight) = (self.site(n), self.weight(n));
        let shrink = 1.0 - old.tau * along.variance;
        if shrink.is_nan() || shrink < NARROWEST_CAVITY {
            return None;
        }
        let cavity = Along {
            mean: (along.mean - old.nu * along.variance) / shrink,
            variance: along.variance / shrink,
        };
        // What the basis leaves open has the answer's weight, too.
        let variance = cavity.variance + kept.residual / weight;
        let with = (&self.settings, &*self.likelihoods);
        let tilted = kept.kind.tilt_power(with, weight * kept.weight, cavity.mean, variance);
        let site = Site { tau: tilted.tau / weight, nu: tilted.nu / weight };
        let new = site.seen_through(kept.residual).times(weight);
        let (d_tau, d_nu) = (new.tau - old.tau, new.nu - old.nu);
        let widening = 1.0 + d_tau * along.variance;
        let mismatch = (d_tau.abs() * along.variance)
            .max((d_nu - d_tau * along.mean).abs() * along.variance.sqrt())
            / widening;
        let log_evidence = tilted.log_z - Belief::log_integral(cavity, old.tau, old.nu);
        (widening > 0.0 && mismatch.is_finite()).then_some(Revisited {
            site,
            mismatch,
            log_evidence,
            d_residual: 0.0,
        })
    }

    /// One answer after the other, the belief with it.
    fn sweep(&mut self, rebuild: bool) -> f64 {
        if rebuild {
            let _rebuilt = self.rebuild();
        }
        let each = self.answers.each();
        each.into_iter().filter_map(|of_answer| self.visit(of_answer)).fold(0.0, f64::max)
    }

    /// One answer anew, the belief with it; the mismatch that it had, or `None` if nothing is changed.
    pub(super) fn visit(&mut self, of_answer: Range<usize>) -> Option<f64> {
        let n = of_answer.start;
        if self.answers.get(n).kind.set().is_some() {
            return self.visit_set(of_answer);
        }
        let along = self.belief.along(self.answers.features(n), &mut self.scratch);
        let Revisited { site, mismatch, .. } = self.revisit(n, along)?;
        let of_basis = self.answers.get(n).residual;
        let (old, new) = (self.site(n), site.seen_through(of_basis).times(self.weight(n)));
        let absorbed = self.belief.absorb(&mut self.scratch, along, new.tau - old.tau, new.nu - old.nu);
        absorbed.then(|| {
            self.answers.get_mut(n).site = site;
            mismatch
        })
    }

    /// The records of one answer from a smoothed state.
    fn revisit_answer(&self, of_answer: Range<usize>, smoothed: &Smoothed) -> Option<Vec<Revisited>> {
        let n = of_answer.start;
        match self.answers.get(n).kind.set() {
            Some(_) => self.revisit_set(of_answer, |n| smoothed.answers[n].along),
            None => self.revisit(n, smoothed.answers[n].along).map(|revisited| vec![revisited]),
        }
    }

    /// All answers from one smoothed state, `step` of the way.
    fn parallel_sweep(&mut self, step: f64) -> f64 {
        let Some(smoothed) = smooth::run(self) else { return 0.0 };
        let mut residual = 0.0_f64;
        for of_answer in self.answers.each() {
            let Some(revisited) = self.revisit_answer(of_answer.clone(), &smoothed) else { continue };
            for (n, Revisited { site, mismatch, .. }) in of_answer.zip(revisited) {
                let old = &mut self.answers.get_mut(n).site;
                old.tau += step * (site.tau - old.tau);
                old.nu += step * (site.nu - old.nu);
                residual = residual.max(mismatch);
            }
        }
        residual
    }

    /// Expectation propagation's log evidence of the answers kept, at the sites as they are.
    pub(super) fn expectation_propagation_evidence(&mut self) -> Option<f64> {
        let smoothed = smooth::run(self)?;
        let mut total = smoothed.log_integral;
        for of_answer in self.answers.each() {
            let revisited = self.revisit_answer(of_answer, &smoothed)?;
            total += revisited.iter().map(|r| r.log_evidence).sum::<f64>();
        }
        total.is_finite().then_some(total)
    }
}
