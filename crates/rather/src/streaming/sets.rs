//! Answers about sets of items, taken jointly: one factor, kept as all pairs of its items.

use std::ops::Range;
use std::sync::Arc;

use super::answers::{Kept, Kind, Site};
use super::belief::{Along, Belief, Together};
use super::model::{Answered, NO_RESPONSE, StreamingModel};
use super::refine::Revisited;
use crate::answers::Answer;
use crate::inference::observations::pairs_of;
use crate::inference::set_factor::{self, Differences};
use crate::likelihood::AnswerIndex;
use crate::likelihood::choice_set::ChoiceSet;
use crate::points::Points;
use crate::{Error, Unsupported};
use rather_numerics::linalg::Matrix;

/// The pairs of a set as the basis sees them: their items, the features of their differences, and what is left open of each.
struct Pairs {
    items: Vec<(usize, usize)>,
    features: Vec<Vec<f64>>,
    residuals: Vec<f64>,
}

impl StreamingModel {
    /// An answer about a set of `items`, taken jointly, that is one of the model's responses; `set` are the items in the order in which it puts them
    /// ([`Answer::ordered`]).
    ///
    /// The belief about the differences of the items is moment-matched by expectation propagation inside the answer, with what the basis leaves open of
    /// them as a part of the noise. The site is a Gaussian on these differences, absorbed at once: $O(nM^2)$ for $n$ items, and $O(n^2M^2)$ for the features of all pairs.
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
        let reply = *self.responses.replies.get(answer.0 as usize).ok_or(NO_RESPONSE)?;
        let likelihoods = Arc::clone(&self.likelihoods);
        let factor = likelihoods.set(answer).ok_or(NO_RESPONSE)?;
        if set.len() != factor.order().options() {
            return Err(NO_RESPONSE);
        }
        self.check_items(items, &Answer::of_set(set[0], set[1..].iter().copied(), reply))?;
        let pairs = self.project_pairs(items, set)?;
        if !self.settings.forgetting.advance(&mut self.belief) {
            return Err(Error::Inference);
        }
        let at = self.belief.together(with_last(set.len()).map(|k| pairs.features[k].as_slice()));
        let before = each_pair(&at);
        let nothing = vec![0.0; before.len()];
        let rest = rest(factor, &pairs.residuals);
        let updated = set_factor::of_moments(factor, &before, (&nothing, &nothing), rest.as_ref());
        let sites: Vec<Site> = updated.each().map(|u| Site { tau: u.tau, nu: u.nu }).collect();
        let log_probability = weight * updated.first.log_evidence;
        let sound = log_probability.is_finite() && updated.first.mismatch.is_finite();
        if !sound || !self.absorb_sites(&at, sites.iter().map(|site| site.times(weight))) {
            return Err(Error::Inference);
        }
        self.keep_set(items, &pairs, answer, weight, (&sites, log_probability));
        self.log_evidence += log_probability;
        // The basis grows to where it leaves most open.
        let open = &pairs.residuals;
        let widest = (0..open.len()).max_by(|&k, &l| open[k].total_cmp(&open[l])).unwrap_or(0);
        self.features.copy_from_slice(&pairs.features[widest]);
        let ((mean, variance), residual) = (before[widest], open[widest]);
        let answered = Answered { log_probability, mean, variance: variance + residual, residual };
        let (a, b) = pairs.items[widest];
        self.learn_from_time_to_time(answered, [a, b].map(|item| (items.id(item), items.row(item))));
        Ok(answered)
    }

    fn project_pairs(&mut self, items: &Points, set: &[usize]) -> Result<Pairs, Error> {
        let row = |i: usize| (items.id(i), items.row(i));
        let mut out = Pairs { items: pairs_of(set).collect(), features: Vec::new(), residuals: Vec::new() };
        for &(a, b) in &out.items {
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

    /// Keeps an answer with its sites, if there is room for it.
    fn keep_set(
        &mut self,
        items: &Points,
        pairs: &Pairs,
        answer: AnswerIndex,
        weight: f64,
        (sites, log_probability): (&[Site], f64),
    ) {
        let record = |pair: usize| Kept {
            kind: Kind::OfSet { answer, pair: pair as u8, pairs: sites.len() as u8 },
            ids: <[usize; 2]>::from(pairs.items[pair]).map(|item| items.id(item)),
            weight,
            residual: pairs.residuals[pair],
            site: sites[pair],
            log_probability: if pair == 0 { log_probability } else { 0.0 },
        };
        let kept: Vec<Kept> = (0..sites.len()).map(record).collect();
        self.make_room(&kept);
        if kept.len() <= self.answers.capacity() {
            for ((kept, features), &(a, b)) in kept.iter().zip(&pairs.features).zip(&pairs.items) {
                self.answers.push(*kept, features, [items.row(a), items.row(b)]);
            }
        }
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
        let at = self.together(&self.belief, of_answer.clone());
        let pairs = each_pair(&at);
        let along = |n: usize| {
            let (mean, variance) = pairs[n - of_answer.start];
            Along { mean, variance }
        };
        let revisited = self.revisit_set(of_answer.clone(), along)?;
        let change = |(n, new): (usize, &Revisited)| {
            let old = self.answers.get(n);
            let site = Site { tau: new.site.tau - old.site.tau, nu: new.site.nu - old.site.nu };
            site.times(old.weight)
        };
        let changes: Vec<Site> = of_answer.clone().zip(&revisited).map(change).collect();
        if !self.absorb_sites(&at, changes.into_iter()) {
            return None;
        }
        for (n, Revisited { site, .. }) in of_answer.zip(&revisited) {
            self.answers.get_mut(n).site = *site;
        }
        Some(revisited[0].mismatch)
    }

    /// Multiplies the belief by sites on all pairs of a set; `false`, and nothing is changed, if it would be none.
    #[must_use]
    fn absorb_sites(&mut self, at: &Together, sites: impl Iterator<Item = Site>) -> bool {
        let (precision, shift) = on_differences(at, sites);
        self.belief.absorb_together(at, &precision, &shift).is_some()
    }

    /// The moments of the differences of a set's items to the last of them.
    pub(super) fn together(&self, belief: &Belief, of_answer: Range<usize>) -> Together {
        let (first, options) = (of_answer.start, options(of_answer.len()));
        belief.together(with_last(options).map(|k| self.answers.features(first + k)))
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

/// How many options have so many pairs.
fn options(pairs: usize) -> usize {
    (2..).find(|n| n * (n - 1) >= 2 * pairs).unwrap_or(2)
}

/// The places of the pairs with the last of so many options among all pairs.
fn with_last(options: usize) -> impl ExactSizeIterator<Item = usize> + Clone {
    (0..options - 1).map(move |i| i * (2 * options - i - 1) / 2 + options - 2 - i)
}

/// The sites of all pairs as one on the differences to the last option.
pub(super) fn on_differences(at: &Together, sites: impl Iterator<Item = Site>) -> (Matrix, Vec<f64>) {
    let (tau, nu): (Vec<f64>, Vec<f64>) = sites.map(|site| (site.tau, site.nu)).unzip();
    set_factor::on_differences(at.mean.len() + 1, &tau, &nu)
}

/// Mean and variance of all pairs, from the differences to the last option.
fn each_pair(at: &Together) -> Vec<(f64, f64)> {
    let last = at.mean.len();
    let places: Vec<usize> = (0..=last).collect();
    let mean = |i: usize| if i < last { at.mean[i] } else { 0.0 };
    let shared = |i: usize, j: usize| if i.max(j) < last { at.covariance[(i, j)] } else { 0.0 };
    let pair = |(i, j)| (mean(i) - mean(j), (shared(i, i) + shared(j, j) - 2.0 * shared(i, j)).max(0.0));
    pairs_of(&places).map(pair).collect()
}
