//! Ways to answer, and what follows from them by sums and integrals, with formulas of the likelihoods of their own.

use crate::common::{posterior_of, se};
use rather::acquisition::AnswerModel;
use rather::answers::{Answer, Answers};
use rather::inference::Settings;
use rather::inference::observations::Observations;
use rather::likelihood::{Lapses, Link, ResponseModel, Responses, Values};
use rather::points::Points;
use rather::posterior::Posterior;
use rather_numerics::special::normal::cdf;

/// A way to answer: the parameters of the library, and the same once more as the test knows it. The noise of a difference is 1.
#[derive(Debug, Clone, Copy)]
pub(super) struct Manner {
    pub(super) name: &'static str,
    /// Thresholds of a tie and of each further grade; there is a tie if the first is positive.
    pub(super) thresholds: &'static [f64],
    /// The largest grade.
    pub(super) grades: usize,
    pub(super) lapse: f64,
    pub(super) bias: f64,
    pub(super) logistic: bool,
}

pub(super) const PLAIN: Manner =
    Manner { name: "plain", thresholds: &[], grades: 1, lapse: 0.0, bias: 0.0, logistic: false };
pub(super) const TIES: Manner = Manner { name: "ties", thresholds: &[1.5], ..PLAIN };
pub(super) const LAPSES: Manner = Manner { name: "lapses", lapse: 0.3, ..PLAIN };

pub(super) const MANNERS: [Manner; 10] = [
    PLAIN,
    TIES,
    LAPSES,
    Manner { name: "grades", thresholds: &[0.0, 0.8, 1.1], grades: 3, ..PLAIN },
    Manner { name: "ties and grades", thresholds: &[0.6, 1.0], grades: 2, ..PLAIN },
    Manner { name: "logistic", logistic: true, ..PLAIN },
    Manner { name: "bias", bias: 0.9, ..PLAIN },
    Manner { name: "ties, rare lapses", lapse: 1e-5, ..TIES },
    Manner { name: "wide ties", thresholds: &[25.0], ..PLAIN },
    Manner { name: "everything", thresholds: &[0.7, 1.2], grades: 2, lapse: 0.1, bias: -0.5, logistic: true },
];

impl Manner {
    /// Something of all that may be said, about pairs of five items.
    pub(super) fn answers(&self) -> Vec<Answer> {
        let pairs = [(0, 1), (1, 2), (3, 2), (0, 1), (4, 0), (2, 0)];
        let mut out: Vec<Answer> = pairs
            .iter()
            .enumerate()
            .map(|(k, &(a, b))| match self.is_graded() {
                true => Answer::better(a, b, (k % self.grades) as u8 + 1),
                false => Answer::rather(a, b),
            })
            .map(|a| if self.bias == 0.0 { a } else { a.shown_left(a.pair().unwrap().0) })
            .collect();
        if self.ties() {
            out.push(Answer::tie(1, 3));
        }
        out
    }

    pub(super) fn ties(&self) -> bool {
        self.thresholds.first().is_some_and(|&t| t > 0.0)
    }

    pub(super) fn is_graded(&self) -> bool {
        !self.thresholds.is_empty()
    }

    pub(super) fn response_model(&self) -> ResponseModel {
        ResponseModel {
            link: if self.logistic { Link::Logistic } else { Link::Probit },
            lapses: if self.lapse > 0.0 { Lapses::Rate(self.lapse) } else { Lapses::Never },
            bias: self.bias != 0.0,
            ..ResponseModel::default()
        }
    }

    pub(super) fn observations(&self) -> Observations {
        Observations::of(&Answers::from(self.answers().as_slice()), &[], self.response_model())
    }

    pub(super) fn values(&self, responses: &Responses) -> Values {
        let noise = std::f64::consts::FRAC_1_SQRT_2;
        let of = |name: &str| match name {
            "tie" => self.thresholds[0],
            "bias" => self.bias,
            "grade[2]" => self.thresholds[1],
            "grade[3]" => self.thresholds[2],
            _ => panic!("{name} is no parameter of {}", self.name),
        };
        let others = responses.parameters(noise).into_iter().map(|p| of(&p.name));
        Values(std::iter::once(noise).chain(others).collect())
    }

    pub(super) fn model(&self) -> AnswerModel {
        let responses = self.observations().responses;
        responses.likelihoods(&self.values(&responses)).answer_model()
    }

    pub(super) fn posterior(&self, points: &Points) -> Posterior {
        let observations = self.observations();
        let values = self.values(&observations.responses);
        posterior_of(points, &observations, se(1, 6.0, 0.6), values, &Settings::default())
    }

    /// The distribution function of the noise.
    pub(super) fn noise(&self, x: f64) -> f64 {
        if !self.logistic {
            return cdf(x);
        }
        1.0 / (1.0 + (-x * std::f64::consts::PI / 3.0_f64.sqrt()).exp())
    }

    /// The probabilities of all answers at the difference `z` of right and left, from the right to the left: `z` with noise, less the left's
    /// advantage, lies between two neighbours of all thresholds.
    pub(super) fn at(&self, z: f64) -> Vec<f64> {
        let mut cuts: Vec<f64> = vec![0.0];
        if self.is_graded() {
            let sums = self.thresholds.iter().scan(0.0, |sum, t| {
                *sum += t;
                Some(*sum)
            });
            cuts = sums.collect();
            if cuts[0] == 0.0 {
                cuts.remove(0);
                cuts = cuts.iter().map(|c| -c).rev().chain([0.0]).chain(cuts.clone()).collect();
            } else {
                cuts = cuts.iter().map(|c| -c).rev().chain(cuts.clone()).collect();
            }
        }
        let below: Vec<f64> = cuts.iter().map(|c| self.noise(c - z + self.bias)).collect();
        let above: Vec<f64> = cuts.iter().map(|c| self.noise(z - self.bias - c)).collect();
        let mut p = vec![below[0]];
        // The difference of the smaller tails, which does not cancel.
        let pairs = below.windows(2).zip(above.windows(2));
        p.extend(pairs.map(|(b, a)| if b[0] < 0.5 { b[1] - b[0] } else { a[0] - a[1] }));
        p.push(above[above.len() - 1]);
        p.reverse();
        let n = p.len() as f64;
        p.iter().map(|p| self.lapse / n + (1.0 - self.lapse) * p).collect()
    }

    /// Everything about one Gaussian belief.
    pub(super) fn truth(&self, mean: f64, variance: f64) -> Truth {
        truth(mean, variance, &|z| self.at(z))
    }
}

/// What follows from a belief and from the probabilities of all answers.
#[derive(Debug, Default)]
pub(super) struct Truth {
    pub(super) p: Vec<f64>,
    pub(super) entropy: f64,
    pub(super) information: f64,
    pub(super) variance_of_probability: f64,
    /// The expected fall of the entropy of the difference by matched moments.
    pub(super) narrowing: f64,
    /// The expected variance of the difference after the answer.
    pub(super) left: f64,
}

/// The trapezoidal rule with steps of a hundredth of the noise or of the belief, whatever is smaller: nearly exact for what is smooth over
/// either.
pub(super) fn truth(mean: f64, variance: f64, at: &dyn Fn(f64) -> Vec<f64>) -> Truth {
    let sd = variance.sqrt();
    let step = (0.1 * sd).min(0.03);
    let steps = (10.0 * sd / step).ceil() as i64;
    let n = at(0.0).len();
    let (mut moments, mut noise, mut squares) = (vec![[0.0; 3]; n], 0.0, 0.0);
    for k in -steps..=steps {
        let t = k as f64 * step;
        let weight = step * (-0.5 * t * t / variance).exp() / (sd * std::f64::consts::TAU.sqrt());
        for (moments, p) in moments.iter_mut().zip(at(mean + t)) {
            noise -= if p > 0.0 { weight * p * p.log2() } else { 0.0 };
            squares += weight * p * p;
            (0..3).for_each(|power| moments[power] += weight * p * t.powi(power as i32));
        }
    }
    let p: Vec<f64> = moments.iter().map(|m| m[0]).collect();
    let entropy: f64 = p.iter().filter(|&&p| p > 0.0).map(|p| -p * p.log2()).sum();
    let after: Vec<f64> = moments.iter().map(|m| m[2] / m[0] - (m[1] / m[0]).powi(2)).collect();
    let each = || p.iter().zip(&after).filter(|(p, _)| **p > 1e-7);
    Truth {
        entropy,
        information: entropy - noise,
        variance_of_probability: 0.5 * (squares - p.iter().map(|p| p * p).sum::<f64>()),
        narrowing: each().map(|(p, left)| -0.5 * p * (left / variance).log2()).sum(),
        left: each().map(|(p, left)| p * left).sum(),
        p,
    }
}
