//! The answers that are kept, in memory set aside once unless they are very many.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::settings::Settings;
use crate::likelihood::product::Product;
use crate::likelihood::quadrature::Part;
use crate::likelihood::{AnswerIndex, Gaussian, Interval, Lapse, Likelihood, Likelihoods, Probit, Tilted};

/// What was answered about the projection $z$.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Kind {
    /// The first item was preferred to the second: $z$ is the difference of their utilities.
    #[serde(rename = "duel")]
    Choice,
    /// The noisy difference of the first item's utility and the second's lies between two thresholds: a tie, or a preference of some
    /// strength. Of one who answers at random, a fair coin decides whether it is said.
    Between {
        /// The lower one.
        lower: f64,
        /// The upper one, above it; none if `None`.
        upper: Option<f64>,
    },
    /// The item is of the positive class: $z$ is its utility.
    Positive,
    /// The item is not of the positive class.
    Negative,
    /// The item's utility was measured.
    Value {
        /// As so much.
        value: f64,
        /// With noise of this standard deviation.
        noise: f64,
    },
    /// One of the answers that the model's [`Responses`](crate::likelihood::Responses) have, about a difference of utilities or about one.
    Response {
        /// Which.
        answer: AnswerIndex,
        /// Whether it is about the projection turned round.
        reversed: bool,
        /// Whether it is about two items.
        pair: bool,
    },
    /// A pair of an answer about a set, which is one of the model's responses. Such an answer is kept as all pairs of its items, one after the other, the
    /// better place first.
    OfSet {
        /// Which.
        answer: AnswerIndex,
        /// The place of the pair among all.
        pair: u8,
        /// How many there are.
        pairs: u8,
    },
}

impl Kind {
    /// Whether it is about two items.
    pub(super) fn is_pair(self) -> bool {
        matches!(
            self,
            Self::Choice | Self::Between { .. } | Self::Response { pair: true, .. } | Self::OfSet { .. }
        )
    }

    /// The answer about a set that it is a pair of.
    pub(super) fn set(self) -> Option<AnswerIndex> {
        match self {
            Self::OfSet { answer, .. } => Some(answer),
            _ => None,
        }
    }

    /// Whether it is record `n` of an answer whose first one is `first`.
    pub(super) fn is_record(self, n: usize, first: Self) -> bool {
        match (self, first) {
            (Self::OfSet { answer, pair, pairs }, Self::OfSet { answer: whole, pairs: all, .. }) => {
                (answer, usize::from(pair), pairs) == (whole, n, all)
            }
            _ => n == 0,
        }
    }

    /// How many of these an answer is kept as.
    pub(super) fn records(self) -> usize {
        match self {
            Self::OfSet { pairs, .. } => usize::from(pairs).max(1),
            _ => 1,
        }
    }

    /// Whether a measured value and its noise, or two thresholds, are what they must be.
    pub(super) fn is_sound(self) -> bool {
        match self {
            Self::Value { value, noise } => value.is_finite() && noise.is_finite() && noise > 0.0,
            Self::Between { lower, upper } => {
                lower.is_finite() && upper.is_none_or(|upper| upper.is_finite() && upper > lower)
            }
            Self::OfSet { pair, pairs, .. } => pair < pairs,
            Self::Choice | Self::Positive | Self::Negative | Self::Response { .. } => true,
        }
    }

    /// The likelihood's moments for $z\sim\mathcal N(m,v)$, as a site on $z$. Allocates nothing.
    pub(super) fn tilt(self, with: (&Settings, &Likelihoods), mean: f64, variance: f64) -> Tilted {
        self.said(with, |likelihood, sign| {
            let tilted = likelihood.tilt(sign * mean, variance);
            Tilted { nu: sign * tilted.nu, ..tilted }
        })
    }

    /// As [`Kind::tilt`], of the likelihood to the power `weight`.
    pub(super) fn tilt_power(
        self,
        with: (&Settings, &Likelihoods),
        weight: f64,
        mean: f64,
        variance: f64,
    ) -> Tilted {
        if weight == 1.0 {
            return self.tilt(with, mean, variance);
        }
        self.said(with, |likelihood, sign| {
            Product::new(vec![Part { likelihood, sign, count: weight }]).tilt(mean, variance).0
        })
    }

    /// What `then` makes of the likelihood and of the sign of the projection that it is about.
    fn said<T>(
        self,
        (settings, likelihoods): (&Settings, &Likelihoods),
        then: impl FnOnce(&dyn Likelihood, f64) -> T,
    ) -> T {
        let lapse = |probit| Lapse::new(probit, settings.lapse);
        match self {
            Self::Between { lower, upper } => {
                let s = std::f64::consts::SQRT_2 * settings.noise;
                let meant = Interval::new(lower, upper.unwrap_or(f64::INFINITY), s);
                then(&Lapse::of(meant, settings.lapse, 0.5), 1.0)
            }
            Self::Choice => then(&lapse(Probit::comparison(settings.noise)), 1.0),
            Self::Positive => then(&lapse(Probit::label(settings.noise)), 1.0),
            Self::Negative => then(&lapse(Probit::label(settings.noise)), -1.0),
            Self::Response { answer, reversed, .. } => {
                then(likelihoods.of(answer), if reversed { -1.0 } else { 1.0 })
            }
            Self::OfSet { answer, .. } => then(likelihoods.of(answer), 1.0),
            Self::Value { value, noise } => then(&Gaussian::new(value, noise), 1.0),
        }
    }
}

/// A site on the latent value $z=u+e$, $e\sim\mathcal N(0,D)$.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub(super) struct Site {
    pub(super) tau: f64,
    pub(super) nu: f64,
}

impl Site {
    /// The site as the basis sees it, on $u$: $\tau_u=\tau/(1+D\tau)$, $\nu_u=\nu/(1+D\tau)$.
    pub(super) fn seen_through(self, residual: f64) -> Self {
        let widening = 1.0 + residual * self.tau;
        Self { tau: self.tau / widening, nu: self.nu / widening }
    }

    /// The site of so many times the same.
    pub(super) fn times(self, weight: f64) -> Self {
        Self { tau: weight * self.tau, nu: weight * self.nu }
    }
}

/// One kept answer, or a pair of one about a set, without its features and items.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct Kept {
    pub(super) kind: Kind,
    /// The items' identities; of a single item twice the same.
    pub(super) ids: [u64; 2],
    /// The power of the likelihood: how often it was given, if that is not once.
    #[serde(default = "once", skip_serializing_if = "is_once")]
    pub(super) weight: f64,
    /// What the basis leaves open of $z$.
    pub(super) residual: f64,
    /// Of the answer as it counts when it is the newest. Of a set, of the answer given once, as the basis sees it.
    pub(super) site: Site,
    /// The log of the probability that the answer had when it came; of a set the first pair has it.
    pub(super) log_probability: f64,
}

impl Kept {
    /// The site as the basis sees it.
    pub(super) fn seen(&self) -> Site {
        match self.kind {
            Kind::OfSet { .. } => self.site.times(self.weight),
            _ => self.site.seen_through(self.residual),
        }
    }
}

fn once() -> f64 {
    1.0
}

fn is_once(&weight: &f64) -> bool {
    weight == 1.0
}

/// So many answers have their room before they come.
const SET_ASIDE: usize = 1024;

/// A ring of answers, oldest first: up to `capacity` of them, or of pairs of those about sets, each with its whitened features and its items' rows.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Answers {
    capacity: usize,
    width: usize,
    dims: usize,
    first: usize,
    len: usize,
    kept: Vec<Kept>,
    /// `width` numbers an answer.
    features: Vec<f64>,
    /// Two rows of `dims` numbers an answer.
    rows: Vec<f64>,
}

impl Answers {
    /// Room for `capacity` answers about items of `dims` features, with a basis of `width` points.
    pub(super) fn new(capacity: usize, width: usize, dims: usize) -> Self {
        // More is taken when it is needed: a file may ask for a million and hold three.
        let room = capacity.min(SET_ASIDE);
        Self {
            capacity,
            width,
            dims,
            first: 0,
            len: 0,
            kept: Vec::with_capacity(room),
            features: Vec::with_capacity(room * width),
            rows: Vec::with_capacity(room * 2 * dims),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn is_full(&self) -> bool {
        self.len == self.capacity
    }

    pub(super) fn capacity(&self) -> usize {
        self.capacity
    }

    /// The records of the answer whose first one is the `n`-th oldest.
    pub(super) fn answer_at(&self, n: usize) -> Range<usize> {
        n..(n + self.get(n).kind.records()).min(self.len)
    }

    /// The records of each answer.
    pub(super) fn each(&self) -> Vec<Range<usize>> {
        let first = (self.len > 0).then(|| self.answer_at(0));
        std::iter::successors(first, |last| (last.end < self.len).then(|| self.answer_at(last.end))).collect()
    }

    /// Lets the oldest record go.
    pub(super) fn pop(&mut self) {
        if self.len > 0 {
            self.first = if self.first + 1 == self.capacity { 0 } else { self.first + 1 };
            self.len -= 1;
        }
    }

    /// Where the `n`-th oldest answer is.
    fn slot(&self, n: usize) -> usize {
        let slot = self.first + n;
        if slot >= self.capacity { slot - self.capacity } else { slot }
    }

    pub(super) fn get(&self, n: usize) -> &Kept {
        &self.kept[self.slot(n)]
    }

    pub(super) fn get_mut(&mut self, n: usize) -> &mut Kept {
        let slot = self.slot(n);
        &mut self.kept[slot]
    }

    /// The features $p$ of the `n`-th oldest answer.
    pub(super) fn features(&self, n: usize) -> &[f64] {
        let slot = self.slot(n);
        &self.features[slot * self.width..(slot + 1) * self.width]
    }

    pub(super) fn features_mut(&mut self, n: usize) -> &mut [f64] {
        let slot = self.slot(n);
        &mut self.features[slot * self.width..(slot + 1) * self.width]
    }

    /// The rows of the two items (of a single one, twice the same).
    pub(super) fn rows(&self, n: usize) -> [&[f64]; 2] {
        let at = self.slot(n) * 2 * self.dims;
        [&self.rows[at..at + self.dims], &self.rows[at + self.dims..at + 2 * self.dims]]
    }

    /// Adds an answer; the oldest is overwritten if there is no more room. Allocates nothing up to
    /// [`SET_ASIDE`] answers, and from `capacity` on.
    pub(super) fn push(&mut self, kept: Kept, features: &[f64], rows: [&[f64]; 2]) {
        if self.capacity == 0 {
            return;
        }
        if self.is_full() {
            self.pop();
        }
        let (slot, d) = (self.slot(self.len), self.dims);
        self.len += 1;
        if slot == self.kept.len() {
            self.kept.push(kept);
            self.features.extend_from_slice(features);
            rows.iter().for_each(|row| self.rows.extend_from_slice(row));
            return;
        }
        self.kept[slot] = kept;
        self.features[slot * self.width..(slot + 1) * self.width].copy_from_slice(features);
        self.rows[slot * 2 * d..(2 * slot + 1) * d].copy_from_slice(rows[0]);
        self.rows[(2 * slot + 1) * d..(slot + 1) * 2 * d].copy_from_slice(rows[1]);
    }

    /// The same answers with room for features of another width, which are still to be computed.
    pub(super) fn with_width(&self, width: usize) -> Self {
        let mut out = Self::new(self.capacity, width, self.dims);
        let blank = vec![0.0; width];
        for n in 0..self.len() {
            out.push(*self.get(n), &blank, self.rows(n));
        }
        out
    }
}
