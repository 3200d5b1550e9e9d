//! By how much one item was better than another: goals, points, seconds.

use super::choice::between;
use super::graded::TIE;
use super::response::{BIAS, Kind, Link, Parameter, Reply, Response, ResponseLikelihood, Setting, Survey};
use super::{Gaussian, Interval, LOG_NOISE, Likelihood, Measurement, Shape, Student};
use crate::parameter::Hyperparameter;

/// A difference $y=a(z+b+e)$ of two items: $e$ is the noise of a comparison, so that $y>0$ means what a win means, and $b$ the advantage of
/// the left.
///
/// # Formula
/// Differences that are all whole numbers are rounded: $a(z+b+e)$ is within one half of $y$, and what is less than one half is a tie. With
/// the threshold $c$ of a tie (`tie`, the same as that of ties that were told), $a=1/(2c)$ and
/// $$ t(z)=\Phi\Big(\frac{(2y+1)c-b-z}{s}\Big)-\Phi\Big(\frac{(2y-1)c-b-z}{s}\Big). $$
/// Others have the density of $\mathcal N(y; a(z+b), a^2s^2)$ with $a$ learned (`difference.scale`), and so have all if values may be
/// outliers: then with Student's noise of `difference.freedom` degrees of freedom.
///
/// # References
/// Glickman and Stern, *A state-space model for National Football League scores* (1998), Journal of the American Statistical Association 93;
/// for rounding, Agresti, *Analysis of ordinal paired comparison data* (1992), Applied Statistics 41, with equal steps.
#[derive(Debug, Clone, Copy)]
pub struct Difference;

/// The name of the parameter $a$.
const SCALE: &str = "difference.scale";
const FREEDOM: &str = "difference.freedom";
/// Variance of differences of utilities relative to that of the noise of a comparison, which the scale starts from.
const TYPICAL_RATIO: f64 = 2.0;
const SCALE_SD: f64 = 1.5;
const FREEDOM_SD: f64 = 0.7;

impl Reply {
    /// The one that it speaks for was better by `y`.
    pub fn difference(y: f64) -> Self {
        Self::new(Kind(&Difference), y)
    }

    /// Whether it tells by how much one of two items was better.
    pub(crate) fn is_difference(&self) -> bool {
        self.kind == Kind(&Difference)
    }
}

/// Whether all of them are whole numbers.
fn are_whole(survey: &Survey<'_>) -> bool {
    survey.replies.iter().all(|(said, _)| said.datum.fract() == 0.0)
}

impl Response for Difference {
    fn name(&self) -> &'static str {
        "difference"
    }

    fn accepts(&self, datum: f64) -> bool {
        datum.is_finite()
    }

    /// The seven points of a comparison category rating: ITU-T Recommendation P.800 (1996), annex E.
    fn comparison_scale(&self) -> Option<u8> {
        Some(3)
    }

    fn parameters(&self, survey: &Survey<'_>) -> Vec<Hyperparameter> {
        let total: f64 = survey.replies.iter().map(|(_, count)| count).sum();
        let square: f64 = survey.replies.iter().map(|(said, count)| count * said.datum * said.datum).sum();
        let size = if square > 0.0 { (square / total).sqrt() } else { 1.0 };
        let scale = size / (std::f64::consts::SQRT_2 * survey.noise * (1.0 + TYPICAL_RATIO).sqrt());
        let mut out = match are_whole(survey) {
            true => vec![Hyperparameter::positive(TIE, 0.5 / scale, SCALE_SD)],
            false => vec![Hyperparameter::positive(SCALE, scale, SCALE_SD)],
        };
        if survey.response_model.robust {
            out.push(Hyperparameter::positive(FREEDOM, 4.0, FREEDOM_SD));
        }
        out.extend(survey.bias());
        out
    }

    fn measurement(&self, said: &Reply, at: &Setting<'_>) -> Option<Measurement> {
        let bias = at.find(BIAS).map_or(0.0, |bias| f64::from(said.side) * bias.value);
        let freedom = at.find(FREEDOM);
        let scale = at.find(SCALE);
        let a = scale.map_or_else(|| Some(0.5 / at.find(TIE)?.value), |scale| Some(scale.value))?;
        let rounded = scale.is_none() && freedom.is_none();
        let shape = match freedom {
            Some(freedom) => Shape::Student(freedom.value),
            None if rounded && at.response_model.link == Link::Logistic => Shape::Logistic,
            None => Shape::Normal,
        };
        let noise = a * std::f64::consts::SQRT_2 * at.item_noise();
        Some(Measurement { value: said.datum, line: [a * bias, a], noise, shape, rounded })
    }

    fn likelihood(&self, said: &Reply, at: &Setting<'_>) -> ResponseLikelihood {
        let side = f64::from(said.side);
        let bias = at.find(BIAS).filter(|_| said.side != 0);
        let freedom = at.find(FREEDOM);
        match (at.find(SCALE), at.find(TIE)) {
            (None, Some(tie)) if freedom.is_none() => rounded(said.datum, tie, (bias, side), at),
            (Some(scale), _) => density(said.datum, (scale.value, scale, 1.0), freedom, (bias, side), at),
            (None, Some(tie)) => {
                let scale = 0.5 / tie.value;
                density(said.datum, (scale, tie, -scale / tie.value), freedom, (bias, side), at)
            }
            // Without its parameter a difference says nothing.
            (None, None) => ResponseLikelihood::new(Box::new(Gaussian::new(said.datum, f64::INFINITY))),
        }
    }
}

/// Half a unit either way, where half a unit is the threshold `tie`.
fn rounded(
    y: f64,
    tie: Parameter,
    (bias, side): (Option<Parameter>, f64),
    at: &Setting<'_>,
) -> ResponseLikelihood {
    let [low, high] = [2.0 * y - 1.0, 2.0 * y + 1.0];
    let shift = bias.map_or(0.0, |b| side * b.value);
    let s = std::f64::consts::SQRT_2 * at.item_noise();
    let likelihood = between(low * tie.value - shift, high * tie.value - shift, s, at.response_model.link);
    let out = ResponseLikelihood::noisy(likelihood, at).on(Interval::LOWER, tie, low).on(
        Interval::UPPER,
        tie,
        high,
    );
    bias.into_iter().fold(out, |out, b| out.on(Interval::LOWER, b, -side).on(Interval::UPPER, b, -side))
}

/// The density at `y`, for the scale `a` that moves by `slope` when `parameter` moves by 1.
fn density(
    y: f64,
    (a, parameter, slope): (f64, Parameter, f64),
    freedom: Option<Parameter>,
    (bias, side): (Option<Parameter>, f64),
    at: &Setting<'_>,
) -> ResponseLikelihood {
    let shift = bias.map_or(0.0, |b| side * b.value);
    let noise = a * std::f64::consts::SQRT_2 * at.item_noise();
    let line = [a * shift, a];
    let likelihood: Box<dyn Likelihood> = match freedom {
        Some(freedom) => Box::new(Student::new(y, line, noise, freedom.value)),
        None => Box::new(Gaussian::new(y, noise).of_line(line)),
    };
    let mut out = ResponseLikelihood::noisy(likelihood, at)
        .on(LOG_NOISE, parameter, slope / a)
        .on(Gaussian::LOG_SCALE, parameter, slope / a)
        .on(Gaussian::OFFSET, parameter, slope * shift);
    if let Some(b) = bias {
        out = out.on(Gaussian::OFFSET, b, a * side);
    }
    freedom.into_iter().fold(out, |out, f| out.on_log(Student::LOG_FREEDOM, f))
}
