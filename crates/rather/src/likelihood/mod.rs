//! Likelihoods: what an answer says about the projection `z` of the utilities that it is about.
//!
//! A likelihood is one factor `t(z)`. Inference asks it for two things: the moments of `t(z) N(z | m, v)`,
//! handed over as a finished Gaussian site (expectation propagation), and its log with derivatives at a
//! point (Laplace). Each likelihood is the only place that knows its own formulas; one without closed moments has them by quadrature.
//!
//! One fit may hold answers of several kinds ([`Response`]): [`Responses`] knows what was said and which parameters that brings, and has
//! the likelihood of everything at one setting of them ([`Likelihoods`]).

mod answer_model;
mod averages;
#[doc(hidden)]
pub mod choice;
#[doc(hidden)]
pub mod choice_set;
#[doc(hidden)]
pub mod difference;
mod few_points;
#[doc(hidden)]
pub mod gaussian;
#[doc(hidden)]
pub mod good;
#[doc(hidden)]
pub mod graded;
#[doc(hidden)]
pub mod gumbel_set;
#[doc(hidden)]
pub mod interval;
pub(crate) mod lanes;
#[doc(hidden)]
pub mod lapse;
#[doc(hidden)]
pub mod logistic;
#[doc(hidden)]
pub mod measured;
mod measurement;
#[doc(hidden)]
pub mod preference;
#[doc(hidden)]
pub mod probit;
mod probit_series;
#[doc(hidden)]
pub mod probits;
#[doc(hidden)]
pub mod product;
#[doc(hidden)]
pub mod quadrature;
#[doc(hidden)]
pub mod rating;
#[doc(hidden)]
pub mod response;
#[doc(hidden)]
pub mod responses;
mod sigmoids;
#[doc(hidden)]
pub mod student;
mod two_probits;

#[doc(hidden)]
pub use answer_model::{AnswerModel, Average, Averages};
pub use gaussian::Gaussian;
pub use interval::Interval;
pub use lapse::Lapse;
pub use logistic::Logistic;
#[doc(hidden)]
pub use measurement::{Measurement, Predictive, Shape};
pub use preference::Preference;
pub use probit::Probit;
#[doc(hidden)]
pub use response::responses as kinds;
pub use response::{
    AnswerOption, Kind, Lapses, Link, Parameter, RESPONSES, Reply, Response, ResponseLikelihood,
    ResponseModel, Setting, Survey, register,
};
pub(crate) use responses::PAIR_EFFECT;
#[doc(hidden)]
pub use responses::{AnswerIndex, Likelihoods};
pub use responses::{Responses, Values};
pub use student::Student;

/// Derivatives in what a likelihood depends on, one a slot; the likelihood says which slots it uses.
pub type Slopes = [f64; 5];

/// The slot of the logarithm of the noise.
pub const LOG_NOISE: usize = 0;
/// The slot of the logit of the lapse rate.
pub const LAPSE: usize = 4;
/// No dependence on anything.
pub const NO_SLOPES: Slopes = [0.0; 5];

/// The result of matching the moments of `t(z) N(z | mean, variance)`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tilted {
    /// `log of the integral of t(z) N(z | mean, variance)`.
    pub log_z: f64,
    /// The site's precision.
    pub tau: f64,
    /// The site's precision times its mean.
    pub nu: f64,
    /// The derivatives of `log_z`.
    pub d: Slopes,
}

/// `log t(z)` and its derivatives at one point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LogDensity {
    /// `log t(z)`.
    pub value: f64,
    /// First derivative in `z`.
    pub first: f64,
    /// Minus the second derivative in `z`: the precision of the Laplace site.
    pub precision: f64,
    /// Third derivative in `z`.
    pub third: f64,
    /// Derivatives of `value` in the slots.
    pub value_d: Slopes,
    /// Derivatives of `first` in the slots.
    pub first_d: Slopes,
    /// Derivatives of `precision` in the slots.
    pub precision_d: Slopes,
}

/// Where a likelihood bends, so that quadrature looks there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Curvatures {
    /// Two places, or one twice; those that are infinite do not count.
    pub at: [f64; 2],
    /// The distance over which `log t` has about one shape.
    pub width: f64,
}

/// A factor `t(z)` on one projection of the utilities.
pub trait Likelihood: Send + Sync {
    /// Moments of `t(z) N(z | mean, variance)` as a site; `variance` may be 0. By [`quadrature`] unless there are closed ones.
    fn tilt(&self, mean: f64, variance: f64) -> Tilted {
        quadrature::tilt(self, mean, variance)
    }

    /// `log t(z)` with its derivatives.
    fn log_density(&self, z: f64) -> LogDensity;

    /// What moments need of [`Likelihood::log_density`]: the value, its first derivative, minus the second, and the derivatives in the slots. To be
    /// written where it is cheaper alone.
    #[doc(hidden)]
    fn height(&self, z: f64) -> (quadrature::Height, Slopes) {
        let LogDensity { value, first, precision, value_d, .. } = self.log_density(z);
        (quadrature::Height { value, first, precision }, value_d)
    }

    /// This likelihood, if it has the logistic link and nothing else: a product of several then shares their exponentials.
    #[doc(hidden)]
    fn as_logistic(&self) -> Option<&Logistic> {
        None
    }

    /// The probit between two thresholds that this is, if it is one and nothing else: those about many pairs are worked on side by side.
    #[doc(hidden)]
    fn between(&self) -> Option<probits::Between> {
        None
    }

    /// Where quadrature must look closely; without a word, nowhere.
    fn bends(&self) -> Curvatures {
        Curvatures { at: [f64::INFINITY; 2], width: 1.0 }
    }

    /// The distance from the real line within which `log t` has no singularity; 0 where that is not known. Quadrature needs few points for a
    /// belief much narrower than that.
    fn analytic_within(&self) -> f64 {
        0.0
    }

    /// Whether `log t` is concave, so that a belief keeps a single mode.
    fn is_log_concave(&self) -> bool {
        true
    }

    /// Whether `log t` is quadratic: the site is the factor itself.
    fn is_gaussian(&self) -> bool {
        false
    }

    /// Whether `t` is the probability of one of several answers, so that it is known to be at most 1.
    fn is_probability(&self) -> bool {
        false
    }

    /// The probability of the answer when `z ~ N(mean, variance)`: `exp(log_z)` of [`Likelihood::tilt`].
    fn probability(&self, mean: f64, variance: f64) -> f64 {
        self.tilt(mean, variance).log_z.exp()
    }
}

impl Likelihood for Box<dyn Likelihood> {
    fn tilt(&self, mean: f64, variance: f64) -> Tilted {
        self.as_ref().tilt(mean, variance)
    }

    fn log_density(&self, z: f64) -> LogDensity {
        self.as_ref().log_density(z)
    }

    fn height(&self, z: f64) -> (quadrature::Height, Slopes) {
        self.as_ref().height(z)
    }

    fn as_logistic(&self) -> Option<&Logistic> {
        self.as_ref().as_logistic()
    }

    fn between(&self) -> Option<probits::Between> {
        self.as_ref().between()
    }

    fn bends(&self) -> Curvatures {
        self.as_ref().bends()
    }

    fn analytic_within(&self) -> f64 {
        self.as_ref().analytic_within()
    }

    fn is_log_concave(&self) -> bool {
        self.as_ref().is_log_concave()
    }

    fn is_gaussian(&self) -> bool {
        self.as_ref().is_gaussian()
    }

    fn is_probability(&self) -> bool {
        self.as_ref().is_probability()
    }
}
