//! The streaming model: its belief, and what an answer does to it.

use std::ops::Range;
use std::sync::Arc;

use super::answers::{Answers, Kept, Kind, Site};
use super::basis::Basis;
use super::belief::Belief;
use super::sets::on_differences;
use super::settings::Settings;
use crate::Error;
use crate::answers::Answer;
use crate::inference::observations::Given;
use crate::kernel::Kernel;
use crate::learn::LogNormal;
use crate::likelihood::{AnswerIndex, Likelihoods, Reply, Responses, Values};
use crate::points::Points;
use rather_numerics::linalg::{Matrix, product, transpose_product};

/// A model of one person's taste that learns from one answer at a time.
///
/// A Gaussian process on a basis of $M$ points in item space. An answer costs $O(M^2)$ time and no allocation, however many
/// came before; [`StreamingModel::refine`] revisits those that are kept, and comes to rest at the batch's expectation
/// propagation.
///
/// # Formula
/// For an answer about $z=p^\top w+e$, $e\sim\mathcal N(0,D)$, with the belief $w\sim\mathcal N(\mu,\Sigma)$: $h=\Sigma p$,
/// $m=p^\top\mu$, $v=p^\top h+D$; the likelihood's site $(\tau,\nu)$ for $\mathcal N(m,v)$, seen through $D$, and
/// $$ \mu\mathrel{+}=h \frac{\nu_u-\tau_um}{1+\tau_up^\top h},\qquad \Sigma\mathrel{-}=hh^\top\frac{\tau_u}{1+\tau_up^\top h}. $$
///
/// # References
/// Schoonderbeek (2014), section V-B, with the prediction's whole variance and the prediction divided out (its own
/// recursion counts the prediction as data); Csató and Opper, *Sparse on-line Gaussian processes* (2002).
///
/// # Examples
/// ```
/// use rather::kernel::{Schema, parse};
/// use rather::points::Points;
/// use rather::streaming::{Settings, StreamingModel};
///
/// let mut kernel = parse("se", &Schema { names: vec!["volume".into()], categorical: vec![false], context: 0 }, false)?;
/// kernel.set_parameters(&[4.0, 0.25])?; // variance, lengthscale
/// let grid = Points::from_rows(&[[0.0], [0.2], [0.4], [0.6], [0.8], [1.0]]);
/// let mut model = StreamingModel::new(kernel, grid, Settings::default())?;
/// let settings = Points::from_rows(&[[0.1], [0.5], [0.9]]);
/// for _ in 0..3 {
///     model.answer(&settings, 1, 0)?; // the middle one rather than the soft one
///     model.answer(&settings, 1, 2)?; // rather than the loud one
/// }
/// assert!(model.probabilities(&settings, &[(1, 0)])[0] > 0.8);
/// # Ok::<(), rather::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct StreamingModel {
    pub(super) basis: Basis,
    pub(super) settings: Settings,
    /// What is believed now.
    pub(super) belief: Belief,
    /// What was believed before the oldest answer that is kept.
    pub(super) base: Belief,
    pub(super) answers: Answers,
    /// Answers so far, and those of them that are no longer kept.
    pub(super) count: u64,
    pub(super) forgotten: u64,
    /// Log evidence of the answers no longer kept, and of all.
    pub(super) forgotten_log_evidence: f64,
    pub(super) log_evidence: f64,
    /// Priors of the kernel's parameters, around their first values.
    pub(super) priors: Vec<LogNormal>,
    /// What [`Kind::Response`] is one of, its parameters' values, and the likelihoods there.
    pub(super) responses: Arc<Responses>,
    pub(super) values: Values,
    pub(super) likelihoods: Arc<Likelihoods>,
    /// $p$ and $h$ of the answer at hand.
    pub(super) features: Vec<f64>,
    pub(super) scratch: Vec<f64>,
}

/// What an answer was before it was heard.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Answered {
    /// The log of the probability that the model gave it (of a measured value, of the density).
    pub log_probability: f64,
    /// Mean of $z$: the difference of utilities, or the utility.
    pub mean: f64,
    /// Its variance.
    pub variance: f64,
    /// The part of the variance that the basis leaves open.
    pub residual: f64,
}

pub(super) const NO_RESPONSE: Error =
    Error::ModelParts { what: "an answer is none of the streaming model's responses" };

impl StreamingModel {
    /// A model with `kernel` on the basis points `basis`, before any answer.
    ///
    /// Points should be at most 0.6 to 0.7 lengthscales apart along every feature: fewer lose information, more are safe.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a setting out of range; those of [`Basis::with_jitter`].
    pub fn new(kernel: Kernel, basis: Points, settings: Settings) -> Result<Self, Error> {
        settings.check()?;
        let sd = settings.learning.map_or(1.0, |l| l.prior_sd);
        let priors = kernel.parameters().iter().map(|p| LogNormal { median: p.value, sd }).collect();
        let basis = Basis::with_jitter(kernel, basis, settings.jitter)?;
        let n = basis.len();
        let answers = Answers::new(settings.memory, n, basis.points().dims());
        Ok(Self {
            belief: Belief::prior(n),
            base: Belief::prior(n),
            answers,
            count: 0,
            forgotten: 0,
            forgotten_log_evidence: 0.0,
            log_evidence: 0.0,
            priors,
            responses: Arc::default(),
            values: settings.noise.into(),
            likelihoods: Arc::new(Likelihoods::new(settings.noise)),
            features: vec![0.0; n],
            scratch: vec![0.0; n],
            basis,
            settings,
        })
    }

    /// The model with answers of every kind that `responses` have ([`StreamingModel::observe`]), at these values of their parameters.
    #[must_use]
    pub fn with_responses(self, responses: Arc<Responses>, values: Values) -> Self {
        let likelihoods = Arc::new(responses.likelihoods(&values));
        Self { responses, values, likelihoods, ..self }
    }

    /// An answer of any kind of the model's responses, about the difference of the utilities of `item` and `other`, or about that of `item`;
    /// or, `reversed`, about its negative.
    ///
    /// # Errors
    /// As [`StreamingModel::answer`]; [`Error::ModelParts`] for an answer that the responses do not have.
    pub fn observe(
        &mut self,
        items: &Points,
        (item, other): (usize, Option<usize>),
        answer: AnswerIndex,
        reversed: bool,
    ) -> Result<Answered, Error> {
        let kind = Kind::Response { answer, reversed, pair: other.is_some() };
        self.check_response(kind)?;
        self.update(items, (item, other), kind, 1.0)
    }

    /// Whether an answer is one of the model's responses.
    pub(super) fn check_response(&self, kind: Kind) -> Result<(), Error> {
        match kind {
            Kind::Response { answer, .. } if answer.0 as usize >= self.responses.replies.len() => {
                Err(NO_RESPONSE)
            }
            Kind::OfSet { answer, pairs, .. } => {
                let known = (answer.0 as usize) < self.responses.replies.len();
                let set = known.then(|| self.likelihoods.set(answer)).flatten().ok_or(NO_RESPONSE)?;
                if set.order().pairs() == usize::from(pairs) { Ok(()) } else { Err(NO_RESPONSE) }
            }
            _ => Ok(()),
        }
    }

    /// An answer of a batch, whose likelihood counts to the power `weight`; about the items of `set`, if it is about a set.
    ///
    /// # Errors
    /// As [`StreamingModel::observe`].
    pub(crate) fn give(
        &mut self,
        items: &Points,
        given: &Given,
        set: Option<&[u32]>,
        weight: f64,
    ) -> Result<Answered, Error> {
        if let Some(set) = set {
            let set: Vec<usize> = set.iter().map(|&item| item as usize).collect();
            return self.update_set(items, &set, given.answer, weight);
        }
        let (item, other) = (given.item as usize, given.other.map(|other| other as usize));
        let (answer, reversed) = (given.answer, given.reversed);
        let (item, other, kind) = match (self.responses.is_plain(), other) {
            (true, Some(other)) if reversed => (other, Some(item), Kind::Choice),
            (true, Some(other)) => (item, Some(other), Kind::Choice),
            (true, None) => (item, None, if reversed { Kind::Negative } else { Kind::Positive }),
            (false, _) => (item, other, Kind::Response { answer, reversed, pair: other.is_some() }),
        };
        self.check_response(kind)?;
        self.update(items, (item, other), kind, weight)
    }

    /// "`winner` rather than `loser`", two of `items`. $O(M^2)$, and without allocation unless the model learns its
    /// hyperparameters or its basis and their turn has come.
    ///
    /// # Errors
    /// [`Error::UnknownItem`], [`Error::SelfComparison`]; [`Error::Length`] if items have another number of features than the
    /// basis; [`Error::Parameter`] for a feature that is not finite; [`Error::Inference`] if the numbers break down. The
    /// answer is then not counted.
    pub fn answer(&mut self, items: &Points, winner: usize, loser: usize) -> Result<Answered, Error> {
        self.update(items, (winner, Some(loser)), Kind::Choice, 1.0)
    }

    /// The noisy difference of the utilities of `item` and `other` lies between `lower` and `upper`, or above `lower` if that is `None`: a
    /// tie, or a preference of some strength ([`Graded`](crate::likelihood::graded::Graded)).
    ///
    /// # Errors
    /// As [`StreamingModel::answer`]; [`Error::Parameter`] for thresholds that are not finite or not in their order.
    pub fn answer_between(
        &mut self,
        items: &Points,
        item: usize,
        other: usize,
        (lower, upper): (f64, Option<f64>),
    ) -> Result<Answered, Error> {
        let kind = Kind::Between { lower, upper };
        if !kind.is_sound() {
            let requirement = "thresholds must be finite, the upper one above the lower one";
            let value = upper.filter(|_| lower.is_finite()).unwrap_or(lower);
            return Err(Error::Parameter { name: "threshold".into(), value, requirement });
        }
        self.update(items, (item, Some(other)), kind, 1.0)
    }

    /// "`item` is of the positive class", or is not.
    ///
    /// # Errors
    /// As [`StreamingModel::answer`].
    pub fn label(&mut self, items: &Points, item: usize, positive: bool) -> Result<Answered, Error> {
        self.update(items, (item, None), if positive { Kind::Positive } else { Kind::Negative }, 1.0)
    }

    /// The utility of `item` was measured as `value`, with noise of standard deviation `noise`.
    ///
    /// # Errors
    /// As [`StreamingModel::answer`]; [`Error::Parameter`] for a value or noise that is none.
    pub fn measure(
        &mut self,
        items: &Points,
        item: usize,
        value: f64,
        noise: f64,
    ) -> Result<Answered, Error> {
        let kind = Kind::Value { value, noise };
        if !kind.is_sound() {
            let requirement = "a measured value must be finite, and its noise positive and finite";
            let (name, wrong) = if value.is_finite() { ("noise", noise) } else { ("value", value) };
            return Err(Error::Parameter { name: name.into(), value: wrong, requirement });
        }
        self.update(items, (item, None), kind, 1.0)
    }

    fn update(
        &mut self,
        items: &Points,
        (item, other): (usize, Option<usize>),
        kind: Kind,
        weight: f64,
    ) -> Result<Answered, Error> {
        let about = Answer::of(item, other, if other.is_some() { Reply::CHOICE } else { Reply::LABEL });
        self.check_items(items, &about)?;
        let row = |i: usize| (items.id(i), items.row(i));
        let residual = self.basis.project(row(item), other.map(row), &mut self.features);
        if !residual.is_finite() || self.features.iter().any(|x| !x.is_finite()) {
            return Err(Error::Inference);
        }
        if self.answers.is_full() && self.answers.len() > 0 && self.settings.forgetting.half_life().is_some()
        {
            // Before it can no longer change: what it says at the weight of now is not what it said when it came.
            let _mismatch = self.visit(0..1);
        }
        if !self.settings.forgetting.advance(&mut self.belief) {
            return Err(Error::Inference);
        }
        let along = self.belief.along(&self.features, &mut self.scratch);
        let variance = along.variance + residual;
        let with = (&self.settings, &*self.likelihoods);
        let tilted = kind.tilt_power(with, weight, along.mean, variance);
        let site = Site { tau: tilted.tau, nu: tilted.nu };
        let seen = site.seen_through(residual);
        if !tilted.log_z.is_finite() || !self.belief.absorb(&mut self.scratch, along, seen.tau, seen.nu) {
            // The belief has been advanced; without an answer it is no more than time that has passed.
            return Err(Error::Inference);
        }
        let other = other.unwrap_or(item);
        let ids = [items.id(item), items.id(other)];
        let kept = Kept { kind, ids, weight, residual, site, log_probability: tilted.log_z };
        self.make_room(&[kept]);
        self.answers.push(kept, &self.features, [items.row(item), items.row(other)]);
        self.log_evidence = self.settings.forgetting.weight(1) * self.log_evidence + tilted.log_z;
        let answered = Answered { log_probability: tilted.log_z, mean: along.mean, variance, residual };
        self.learn_from_time_to_time(answered, [(ids[0], items.row(item)), (ids[1], items.row(other))]);
        Ok(answered)
    }

    pub(super) fn check_items(&self, items: &Points, about: &Answer) -> Result<(), Error> {
        about.check(self.count as usize, items.len())?;
        let (expected, found) = (self.basis.points().dims(), items.dims());
        if expected != found {
            return Err(Error::Length { what: "an item's row of features", expected, found });
        }
        for item in about.items() {
            if let Some(dim) = items.row(item).iter().position(|x| !x.is_finite()) {
                let name = format!("feature {dim} of item {item} (both counted from 0)");
                let requirement = "it must be a finite number";
                return Err(Error::Parameter { name, value: items.row(item)[dim], requirement });
            }
        }
        Ok(())
    }

    /// Makes room for an answer that is believed already, which is these records: lets the oldest go into the base. Where there is no room for it at
    /// all, it goes itself.
    pub(super) fn make_room(&mut self, answer: &[Kept]) {
        self.count += 1;
        while self.answers.len() > 0 && self.answers.len() + answer.len() > self.answers.capacity() {
            let oldest = self.answers.answer_at(0);
            self.let_go(self.answers.get(0).log_probability);
            let mut base = std::mem::replace(&mut self.base, Belief::prior(0));
            let mut scratch = std::mem::take(&mut self.scratch);
            let _advanced = self.settings.forgetting.advance(&mut base);
            let _absorbed =
                self.absorb_kept(&mut base, oldest.clone(), &mut scratch, |n| self.answers.get(n).seen());
            (self.base, self.scratch) = (base, scratch);
            oldest.for_each(|_| self.answers.pop());
        }
        if answer.len() > self.answers.capacity() {
            self.let_go(answer[0].log_probability);
            // Where nothing is ever kept, the base is settled when it is needed.
            if self.answers.capacity() > 0 {
                self.settle_base();
            }
        }
    }

    fn let_go(&mut self, log_probability: f64) {
        self.forgotten += 1;
        self.forgotten_log_evidence =
            self.settings.forgetting.weight(1) * self.forgotten_log_evidence + log_probability;
    }

    /// The belief from the base and the sites of the answers kept; sheds the rounding of many small updates. `false` if a
    /// site does not fit any more (the belief is then as it was).
    #[must_use]
    pub(super) fn rebuild(&mut self) -> bool {
        let Some(mut belief) = self.base_now() else { return false };
        let mut scratch = vec![0.0; belief.len()];
        for of_answer in self.answers.each() {
            if !self.walk(&mut belief)
                || self.absorb_kept(&mut belief, of_answer, &mut scratch, |n| self.site(n)).is_none()
            {
                return false;
            }
        }
        self.belief = belief;
        true
    }

    /// Multiplies a belief by the sites of one answer that is kept. Returns the log of the integral, or `None` if a site does not fit.
    pub(super) fn absorb_kept(
        &self,
        belief: &mut Belief,
        of_answer: Range<usize>,
        scratch: &mut [f64],
        site: impl Fn(usize) -> Site,
    ) -> Option<f64> {
        let first = of_answer.start;
        if self.answers.get(first).kind.set().is_some() {
            let at = self.together(belief, of_answer.clone());
            let (precision, shift) = on_differences(&at, of_answer.map(site));
            return belief.absorb_together(&at, &precision, &shift);
        }
        let seen = site(first);
        let along = belief.along(self.answers.features(first), scratch);
        let absorbed = belief.absorb(scratch, along, seen.tau, seen.nu);
        absorbed.then(|| Belief::log_integral(along, seen.tau, seen.nu))
    }

    /// How much the `n`-th oldest answer that is kept counts now; `self.answers.len()` are those kept.
    pub(super) fn weight(&self, n: usize) -> f64 {
        self.settings.forgetting.weight(self.answers.len() - 1 - n)
    }

    /// How much the newest answer that is no longer kept counts now.
    pub(super) fn weight_of_base(&self) -> f64 {
        self.settings.forgetting.weight(self.answers.len())
    }

    /// The site of the `n`-th oldest answer that is kept, on $u$, as much as it counts now.
    pub(super) fn site(&self, n: usize) -> Site {
        self.answers.get(n).seen().times(self.weight(n))
    }

    /// The base, as much as it counts now; `None` if the numbers break down.
    pub(super) fn base_now(&self) -> Option<Belief> {
        let mut base = self.base.clone();
        base.raise(self.weight_of_base()).then_some(base)
    }

    /// A step of the taste itself, if it walks. What answers count less for is in their weights.
    #[must_use]
    pub(super) fn walk(&self, belief: &mut Belief) -> bool {
        self.settings.forgetting.half_life().is_some() || self.settings.forgetting.advance(belief)
    }

    /// Number of answers so far.
    pub fn answers(&self) -> u64 {
        self.count
    }

    /// Number of answers that are kept.
    pub fn kept(&self) -> usize {
        self.answers.each().len()
    }

    /// Log evidence of all answers so far, in nats: the sum of the log probabilities that each had when it came, or, since the
    /// last [`StreamingModel::refine`], expectation propagation's evidence of the answers kept instead of their sum. Of answers with weights
    /// ([`Forgetting::Power`](super::Forgetting::Power)) each counts as much as its weight.
    pub fn log_evidence(&self) -> f64 {
        self.log_evidence
    }

    /// The basis.
    pub fn basis(&self) -> &Basis {
        &self.basis
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The kernel, with the parameters of the moment.
    pub fn kernel(&self) -> &Kernel {
        self.basis.kernel()
    }

    /// Mean of the basis values $g(X_b)$.
    pub fn basis_mean(&self) -> Vec<f64> {
        self.basis.factor().times(&self.belief.mean)
    }

    /// Covariance of the basis values.
    pub fn basis_covariance(&self) -> Matrix {
        let l = self.basis.factor();
        let half = product(l, &self.belief.covariance);
        let transposed = |m: &Matrix| Matrix::from_fn(m.cols(), m.rows(), |i, j| m[(j, i)]);
        transpose_product(&transposed(&half), &transposed(l))
    }
}
