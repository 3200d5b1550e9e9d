//! What may be answered to a question, with which probability: the answers' likelihoods as functions of the utilities, and their averages.

use std::fmt;
use std::sync::{Arc, OnceLock};

use super::Likelihood;
use super::averages::Table;
use rather_numerics::special::normal::{cdf, pdf};

/// The answers to a question about $z$, the difference $f(x)-f(x')$ of the utilities of the item shown on the right and of the one on the
/// left: each answer $y$ with its probability $p_y(z)$ by a model's own likelihoods, ties, grades, lapses, the link and an advantage of the
/// left included.
///
/// A plain choice with normal noise has closed forms ([`AnswerModel::closed_form`]). Everything else is averaged over
/// $z\sim\mathcal N(m,v)$ by one-dimensional integrals ([`AnswerModel::averages`]).
///
/// # Examples
/// ```
/// use rather::acquisition::AnswerModel;
/// use rather::answers::Answer;
/// use rather::model::{FitSettings, Items, Model};
///
/// let plain = AnswerModel::probit(1.0);
/// assert_eq!(plain.probabilities(0.0, 3.0), [0.5, 0.5]);
///
/// let items = Items { keys: vec!["tea".into(), "coffee".into()], columns: vec![] };
/// let answers = [Answer::better(0, 1, 1), Answer::tie(0, 1)];
/// let model = Model::fit_answers(&items, &answers, &[], &FitSettings::default(), &|_| ())?;
/// // The right one is better, a tie, the left one is better.
/// let p = model.posterior()?.answer_model().probabilities(0.0, 1.0);
/// assert!(p.len() == 3 && (p.iter().sum::<f64>() - 1.0).abs() < 1e-9);
/// # Ok::<(), rather::Error>(())
/// ```
#[derive(Clone)]
pub struct AnswerModel {
    source: Source,
    s: f64,
    is_symmetric: bool,
    /// The answers are about $a+bz$: $a$ and $b$.
    line: (f64, f64),
    table: Arc<OnceLock<Table>>,
}

/// Where the probabilities of the answers come from.
#[derive(Clone)]
pub(super) enum Source {
    /// One of two must be chosen, with normal noise of so large a standard deviation.
    Probit(f64),
    /// Each answer's likelihood, with the sign with which it is about $z$.
    Likelihoods(Vec<(f64, Arc<dyn Likelihood>)>),
    /// Those of another model of $z$ with an independent normal part of so large a variance.
    Blurred(Box<AnswerModel>, f64),
}

/// The average of a function $g$ over $z\sim\mathcal N(m,v)$.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Average {
    /// $\mathbb E g(z)$.
    pub value: f64,
    /// Its derivative in $m$, $\mathbb E g'(z)$.
    pub d_mean: f64,
    /// Its derivative in $v$, $\frac12\mathbb E g''(z)$.
    pub d_variance: f64,
    /// $\mathbb E g'''(z)$, where it was asked for.
    pub(crate) third: f64,
    /// $v \mathbb E g''''(z)$, where it was asked for.
    pub(crate) fourth: f64,
}

/// Averages over $z\sim\mathcal N(m,v)$ of what an [`AnswerModel`] says.
#[derive(Debug, Clone, PartialEq)]
pub struct Averages {
    /// The probability of each answer, $\mathbb E p_y(z)$, from "the right one" to "the left one".
    pub answers: Vec<Average>,
    /// The entropy of the answer once $z$ is known, in bits: $-\mathbb E\sum_yp_y(z)\log_2p_y(z)$.
    pub entropy: Average,
    /// $\mathbb E\sum_yp_y(z)^2$: the probability that the same question has the same answer twice.
    pub squares: Average,
}

impl AnswerModel {
    /// One of the two must be chosen: $p(z)=\Phi(z/s)$ for the right one, with normal noise of standard deviation `s`.
    pub fn probit(s: f64) -> Self {
        Self::from(Source::Probit(s), s, true)
    }

    /// Answers by their likelihoods, each with the sign with which it is about $z$; from "the right one" to "the left one".
    pub(crate) fn of_likelihoods(
        answers: Vec<(f64, Arc<dyn Likelihood>)>,
        s: f64,
        is_symmetric: bool,
    ) -> Self {
        Self::from(Source::Likelihoods(answers), s, is_symmetric)
    }

    fn from(source: Source, s: f64, is_symmetric: bool) -> Self {
        Self { source, s, is_symmetric, line: (0.0, 1.0), table: Arc::default() }
    }

    /// The answers where they are about $z+e$ with $e\sim\mathcal N(0,`variance`)$.
    pub(crate) fn blurred(self, variance: f64) -> Self {
        let is_symmetric = self.is_symmetric;
        match self.source {
            _ if variance == 0.0 => self,
            Source::Probit(s) => Self::probit((s * s + variance).sqrt()),
            Source::Likelihoods(_) | Source::Blurred(..) => {
                let s = self.s;
                Self::from(Source::Blurred(Box::new(self), variance), s, is_symmetric)
            }
        }
    }

    /// The answers where they are about `offset + slope z`.
    pub(crate) fn on_line(self, offset: f64, slope: f64) -> Self {
        Self { line: (offset, slope), is_symmetric: false, ..self }
    }

    /// The standard deviation of the noise of a difference, lapses and the like aside.
    pub fn s(&self) -> f64 {
        self.s
    }

    /// The standard deviation of the noise, if one of the two must be chosen and nothing but normal noise is between: where a closed form
    /// is all there is to say.
    pub fn closed_form(&self) -> Option<f64> {
        match self.source {
            Source::Probit(s) if self.line == (0.0, 1.0) => Some(s),
            _ => None,
        }
    }

    /// Whether it does not matter which of the two is on the left.
    pub fn is_symmetric(&self) -> bool {
        self.is_symmetric
    }

    /// The probability of each answer where $z\sim\mathcal N($`mean`$,$`variance`$)$, from "the right one" to "the left one".
    pub fn probabilities(&self, mean: f64, variance: f64) -> Vec<f64> {
        self.predicted(mean, variance).iter().map(|p| p.value).collect()
    }

    /// [`AnswerModel::probabilities`] with their derivatives.
    pub(crate) fn predicted(&self, mean: f64, variance: f64) -> Vec<Average> {
        let Some(s) = self.closed_form() else { return self.averages(mean, variance).answers };
        let sd = (s * s + variance).sqrt();
        let u = mean / sd;
        let slope = pdf(u) / sd;
        let one = |sign: f64| Average {
            value: cdf(sign * u),
            d_mean: sign * slope,
            d_variance: -0.5 * sign * slope * u / sd,
            ..Average::default()
        };
        vec![one(1.0), one(-1.0)]
    }

    /// What is to be said of the answer where $z\sim\mathcal N($`mean`$,$`variance`$)$, with its derivatives: absolute errors are about
    /// 1e-8.
    ///
    /// # Formula
    /// Where the belief is wider than a fraction of the noise, by the trapezoidal rule on one grid for all beliefs, which covers what lies
    /// between the tails; the derivatives by Stein's identity, $\partial_m^n\mathbb Eg=\mathbb E[g \mathrm{He}_ n((z-m)/\sqrt v)]/v^{n/2}$.
    /// Where it is narrower, by Gauss-Hermite quadrature of $g$ and its own derivatives.
    pub fn averages(&self, mean: f64, variance: f64) -> Averages {
        self.averages_of(mean, variance, false)
    }

    /// As [`AnswerModel::averages`], with the third and the fourth derivative in the mean.
    pub(crate) fn averages_and_curvatures(&self, mean: f64, variance: f64) -> Averages {
        self.averages_of(mean, variance, true)
    }

    fn averages_of(&self, mean: f64, variance: f64, curvatures: bool) -> Averages {
        let (offset, slope) = self.line;
        let table = self.table.get_or_init(|| Table::new(&self.source));
        let (mean, variance) = (offset + slope * mean, slope * slope * variance);
        let all = table.averages(&self.source, mean, variance, curvatures);
        if self.line == (0.0, 1.0) {
            return all;
        }
        let along = |a: Average| Average {
            value: a.value,
            d_mean: slope * a.d_mean,
            d_variance: slope * slope * a.d_variance,
            third: slope.powi(3) * a.third,
            fourth: slope * slope * a.fourth,
        };
        let answers = all.answers.into_iter().map(along).collect();
        Averages { answers, entropy: along(all.entropy), squares: along(all.squares) }
    }

    /// The position of the most probable answer where $z$ is known.
    pub(crate) fn most_probable(&self, z: f64) -> usize {
        let p = self.source.at(self.line.0 + self.line.1 * z);
        (0..p.len()).rev().max_by(|&a, &b| p[a][0].total_cmp(&p[b][0])).unwrap_or_default()
    }
}

impl fmt::Debug for AnswerModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AnswerModel")
            .field("s", &self.s)
            .field("closed_form", &self.closed_form())
            .field("is_symmetric", &self.is_symmetric)
            .finish_non_exhaustive()
    }
}

impl Source {
    /// The probability of each answer at $z$, and its first three derivatives.
    pub(super) fn at(&self, z: f64) -> Vec<[f64; 4]> {
        match self {
            Self::Probit(s) => [1.0, -1.0].map(|sign| derivatives(&super::Probit::of(*s), sign, z)).to_vec(),
            Self::Likelihoods(all) => all.iter().map(|(sign, l)| derivatives(l.as_ref(), *sign, z)).collect(),
            Self::Blurred(base, variance) => {
                let averages = base.averages_and_curvatures(z, *variance).answers.into_iter();
                averages.map(|a| [a.value, a.d_mean, 2.0 * a.d_variance, a.third]).collect()
            }
        }
    }

    /// The lowest and the highest place where a likelihood bends, and over which distance.
    pub(super) fn bends(&self) -> (f64, f64, f64) {
        match self {
            Self::Probit(s) => (0.0, 0.0, *s),
            Self::Likelihoods(all) => {
                let of = |(sign, l): &(f64, Arc<dyn Likelihood>)| {
                    let bends = l.bends();
                    bends.at.map(|z| (sign * z, bends.width))
                };
                let all = all.iter().flat_map(of).filter(|(z, _)| z.is_finite());
                let widest = (f64::INFINITY, f64::NEG_INFINITY, f64::INFINITY);
                let found = all.fold(widest, |(l, h, w), (z, wide)| (l.min(z), h.max(z), w.min(wide)));
                if found.0.is_finite() { found } else { (0.0, 0.0, 1.0) }
            }
            Self::Blurred(base, variance) => {
                let (low, high, width) = base.source.bends();
                (low, high, (width * width + variance).sqrt())
            }
        }
    }
}

/// $t(\pm z)$ with its first three derivatives in $z$.
fn derivatives<L: Likelihood + ?Sized>(likelihood: &L, sign: f64, z: f64) -> [f64; 4] {
    let at = likelihood.log_density(sign * z);
    let p = at.value.exp();
    if p == 0.0 {
        return [0.0; 4];
    }
    let (a, b, c) = (sign * at.first, -at.precision, sign * at.third);
    [p, p * a, p * (a * a + b), p * (a * a * a + 3.0 * a * b + c)]
}
