//! Answers about sets of items, taken jointly: one factor, kept as all pairs of its items.

use std::ops::Range;

use super::answers::{Kept, Kind, Site};
use super::belief::{Along, Belief};
use super::model::{Answered, NO_RESPONSE, StreamingModel, widening_last};
use super::refine::Revisited;
use crate::answers::Answer;
use crate::inference::observations::pairs_of;
use crate::inference::set_factor::{self, Differences};
use crate::likelihood::AnswerIndex;
use crate::likelihood::choice_set::ChoiceSet;
use crate::points::Points;
use crate::{Error, Unsupported};
use rather_numerics::linalg::Matrix;

/// The pairs of a set as the basis sees them: the features of their differences, and what is left open of each.
struct Pairs {
    features: Vec<Vec<f64>>,
    residuals: Vec<f64>,
}

impl StreamingModel {
    /// An answer about a set of `items`, taken jointly, that is one of the model's responses; `set` are the items in the order in which it puts them
    /// ([`Answer::ordered`]).
    ///
    /// The belief about the differences of the items is moment-matched by expectation propagation inside the answer, with what the basis leaves open of
    /// them as a part of the noise. The site is a Gaussian on these differences, one a pair: an answer about $n$ items takes $O(n^2M^2)$.
    ///
    /// # Errors
    /// As [`StreamingModel::observe`]; [`Unsupported::JointAnswers`] with a half-life.
    pub fn observe_set(
        &mut self,
        items: &Points,
        set: &[usize],
        answer: AnswerIndex,
    ) -> Result<Answered, Error> {
        self.update_set(items, set, answer, 1.0)
    }

    /// As [`StreamingModel::observe_set`], of an answer that counts as so many.
    pub(super) fn update_set(
        &mut self,
        items: &Points,
        set: &[usize],
        answer: AnswerIndex,
        weight: f64,
    ) -> Result<Answered, Error> {
        if self.settings.forgetting.half_life().is_some() {
            return Err(Unsupported::JointAnswers.into());
        }
        let reply = self.responses.replies.get(answer.0 as usize).ok_or(NO_RESPONSE)?;
        let (Some(&first), true) = (set.first(), set.len() > 2) else { return Err(NO_RESPONSE) };
        self.check_items(items, &Answer::of_set(first, set[1..].iter().copied(), *reply))?;
        let likelihoods = std::sync::Arc::clone(&self.likelihoods);
        let factor = likelihoods.set(answer).ok_or(NO_RESPONSE)?;
        let pairs: Vec<(usize, usize)> = pairs_of(set).collect();
        let Pairs { features, residuals } = self.project_pairs(items, &pairs)?;
        let mut belief = self.belief.clone();
        if !self.settings.forgetting.advance(&mut belief) {
            return Err(Error::Inference);
        }
        let mut along = |p: &Vec<f64>| belief.along(p, &mut self.scratch);
        let before: Vec<Along> = features.iter().map(&mut along).collect();
        let of_pairs: Vec<(f64, f64)> = before.iter().map(|a| (a.mean, a.variance)).collect();
        let nothing = vec![0.0; pairs.len()];
        let rest = rest(factor, &residuals);
        let updated = set_factor::of_moments(factor, &of_pairs, (&nothing, &nothing), rest.as_ref());
        let sites: Vec<Site> = updated.each().map(|u| Site { tau: u.tau, nu: u.nu }).collect();
        for k in widening_last(0..pairs.len(), |k| sites[k].tau) {
            let Site { tau, nu } = sites[k].times(weight);
            let along = belief.along(&features[k], &mut self.scratch);
            if !belief.absorb(&mut self.scratch, along, tau, nu) {
                return Err(Error::Inference);
            }
        }
        let log_probability = weight * updated.first.log_evidence;
        if !log_probability.is_finite() || updated.first.mismatch == f64::INFINITY {
            return Err(Error::Inference);
        }
        self.belief = belief;
        let record = |(pair, (&site, &residual)): (usize, (&Site, &f64))| Kept {
            kind: Kind::OfSet { answer, pair: pair as u8, pairs: pairs.len() as u8 },
            ids: [pairs[pair].0, pairs[pair].1].map(|item| items.id(item)),
            weight,
            residual,
            site,
            log_probability: if pair == 0 { log_probability } else { 0.0 },
        };
        let kept: Vec<Kept> = sites.iter().zip(&residuals).enumerate().map(record).collect();
        self.make_room(&kept);
        if kept.len() <= self.answers.capacity() {
            for ((kept, features), &(a, b)) in kept.iter().zip(&features).zip(&pairs) {
                self.answers.push(*kept, features, [items.row(a), items.row(b)]);
            }
        }
        self.log_evidence += log_probability;
        // The basis grows to where it leaves most open.
        let widest = (0..pairs.len()).max_by(|&k, &l| residuals[k].total_cmp(&residuals[l])).unwrap_or(0);
        self.features.copy_from_slice(&features[widest]);
        let Along { mean, variance } = before[widest];
        let residual = residuals[widest];
        let answered = Answered { log_probability, mean, variance: variance + residual, residual };
        let (a, b) = pairs[widest];
        self.learn_from_time_to_time(answered, [a, b].map(|item| (items.id(item), items.row(item))));
        Ok(answered)
    }

    fn project_pairs(&mut self, items: &Points, pairs: &[(usize, usize)]) -> Result<Pairs, Error> {
        let row = |i: usize| (items.id(i), items.row(i));
        let mut out = Pairs { features: Vec::new(), residuals: Vec::new() };
        for &(a, b) in pairs {
            let mut features = vec![0.0; self.basis.len()];
            let residual = self.basis.project(row(a), Some(row(b)), &mut features);
            if !residual.is_finite() || features.iter().any(|x| !x.is_finite()) {
                return Err(Error::Inference);
            }
            out.features.push(features);
            out.residuals.push(residual);
        }
        Ok(out)
    }

    /// The new sites of the pairs of an answer where their projections have the moments `along`; `None` if the cavity is no Gaussian.
    pub(super) fn revisit_set(
        &self,
        of_answer: Range<usize>,
        along: impl Fn(usize) -> Along,
    ) -> Option<Vec<Revisited>> {
        let kept: Vec<&Kept> = of_answer.clone().map(|n| self.answers.get(n)).collect();
        let factor = self.likelihoods.set(kept[0].kind.set()?)?;
        let of_pairs: Vec<(f64, f64)> = of_answer.map(along).map(|a| (a.mean, a.variance)).collect();
        let (tau, nu): (Vec<f64>, Vec<f64>) = kept.iter().map(|k| (k.site.tau, k.site.nu)).unzip();
        let residuals: Vec<f64> = kept.iter().map(|kept| kept.residual).collect();
        let rest = rest(factor, &residuals);
        let updated = set_factor::of_moments(factor, &of_pairs, (&tau, &nu), rest.as_ref());
        let weight = kept[0].weight;
        let each = updated.each().map(|u| Revisited {
            site: Site { tau: u.tau, nu: u.nu },
            mismatch: u.mismatch,
            log_evidence: weight * u.log_evidence,
            d_residual: weight * u.d_rest,
        });
        updated.first.mismatch.is_finite().then(|| each.collect())
    }

    /// As [`StreamingModel::visit`], of an answer about a set.
    pub(super) fn visit_set(&mut self, of_answer: Range<usize>) -> Option<f64> {
        let mut scratch = std::mem::take(&mut self.scratch);
        let revisited = self.revisit_set(of_answer.clone(), |n| {
            let mut h = vec![0.0; self.belief.len()];
            self.belief.along(self.answers.features(n), &mut h)
        });
        let mismatch =
            revisited.and_then(|revisited| self.replace_sites(of_answer, &revisited, &mut scratch));
        self.scratch = scratch;
        mismatch
    }

    fn replace_sites(
        &mut self,
        of_answer: Range<usize>,
        revisited: &[Revisited],
        scratch: &mut [f64],
    ) -> Option<f64> {
        let change = |n: usize| {
            let (old, new) = (self.answers.get(n), revisited[n - of_answer.start].site);
            Site { tau: new.tau - old.site.tau, nu: new.nu - old.site.nu }.times(old.weight)
        };
        let mut belief: Belief = self.belief.clone();
        for n in widening_last(of_answer.clone(), |n| change(n).tau) {
            let Site { tau, nu } = change(n);
            let along = belief.along(self.answers.features(n), scratch);
            if !belief.absorb(scratch, along, tau, nu) {
                return None;
            }
        }
        self.belief = belief;
        for (n, Revisited { site, .. }) in of_answer.zip(revisited) {
            self.answers.get_mut(n).site = *site;
        }
        Some(revisited[0].mismatch)
    }

    /// Sees the sites of an answer through what the basis leaves open now, `residuals` of its pairs, in the place of what it left.
    pub(super) fn see_again(&mut self, of_answer: Range<usize>, residuals: &[f64]) -> Option<()> {
        let kept: Vec<Kept> = of_answer.clone().map(|n| *self.answers.get(n)).collect();
        let factor = self.likelihoods.set(kept[0].kind.set()?)?;
        let more: Vec<f64> = residuals.iter().zip(&kept).map(|(new, kept)| new - kept.residual).collect();
        let sites = match rest(factor, &more) {
            None => kept.iter().map(|kept| (kept.site.tau, kept.site.nu)).collect(),
            Some(more) => {
                let (tau, nu): (Vec<f64>, Vec<f64>) = kept.iter().map(|k| (k.site.tau, k.site.nu)).unzip();
                set_factor::seen_through(&more, (&tau, &nu))?
            }
        };
        for ((n, (tau, nu)), &residual) in of_answer.zip(sites).zip(residuals) {
            let kept = self.answers.get_mut(n);
            kept.site = Site { tau, nu };
            kept.residual = residual;
        }
        Some(())
    }
}

/// The covariance of the items' own parts, relative to the last item, from their variances in all pairs; `None` if there are none.
fn rest(factor: &ChoiceSet, residuals: &[f64]) -> Option<Matrix> {
    let of_pairs: Vec<(f64, f64)> = residuals.iter().map(|&r| (0.0, r)).collect();
    let some = residuals.iter().any(|&r| r != 0.0);
    some.then(|| Differences::of(factor.order().options(), &of_pairs).covariance)
}
