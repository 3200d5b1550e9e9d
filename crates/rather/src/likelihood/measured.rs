//! Measured values, and bounds on them.

use super::response::{Kind, Reply, Response, ResponseLikelihood, Setting, Survey};
use super::{Gaussian, Interval, LOG_NOISE, Likelihood, Measurement, Shape, Student};
use crate::parameter::Hyperparameter;

/// A measured value $y=c+af+e$ of an item's utility $f$, or a bound on it ("at least 3", censored).
///
/// # Formula
/// $e$ is normal with standard deviation $\sigma$ (`value.sd`), or has Student's distribution with scale $\sigma$ and $\nu$ degrees
/// of freedom (`value.freedom`) if people's values may be outliers. $c$ is `value.offset`; $a$ is `value.scale` where other answers fix the scale of
/// utilities, else it is set from the spread of the values and the kernel's variance is what is learned. A bound has normal noise.
///
/// # References
/// Rasmussen and Williams (2006), section 2.2; Tobin, *Estimation of relationships for limited dependent variables* (1958),
/// Econometrica 26, for bounds.
#[derive(Debug, Clone, Copy)]
pub struct Measured;

/// Variance of utilities relative to that of the noise of an item, which values start from.
const TYPICAL_RATIO: f64 = 10.0;
const SCALE_SD: f64 = 1.5;
const FREEDOM_SD: f64 = 0.7;

impl Reply {
    /// The value `y` was measured.
    pub fn measured(y: f64) -> Self {
        Self::new(Kind(&Measured), y)
    }

    /// The value is at least `y`.
    pub fn at_least(y: f64) -> Self {
        Self { side: 1, ..Self::measured(y) }
    }

    /// The value is at most `y`.
    pub fn at_most(y: f64) -> Self {
        Self { side: -1, ..Self::measured(y) }
    }
}

impl Response for Measured {
    fn name(&self) -> &'static str {
        "measured"
    }

    fn accepts(&self, datum: f64) -> bool {
        datum.is_finite()
    }

    fn parameters(&self, survey: &Survey<'_>) -> Vec<Hyperparameter> {
        let total: f64 = survey.replies.iter().map(|(_, count)| count).sum();
        let average = |f: &dyn Fn(f64) -> f64| {
            survey.replies.iter().map(|(said, count)| count * f(said.datum)).sum::<f64>() / total
        };
        let mean = average(&|y| y);
        let sd = average(&|y| (y - mean).powi(2)).sqrt();
        let sd = if sd > 0.0 { sd } else { mean.abs().max(1.0) };
        let scale = sd / (survey.noise * TYPICAL_RATIO.sqrt());
        let mut scale = Hyperparameter::positive("value.scale", scale, SCALE_SD);
        if survey.alone {
            (scale.fixed, scale.prior) = (true, None);
        }
        let mut out = vec![
            Hyperparameter::anywhere("value.offset", mean, sd),
            scale,
            Hyperparameter::positive("value.sd", 0.3 * sd, SCALE_SD),
        ];
        if survey.response_model.robust {
            out.push(Hyperparameter::positive("value.freedom", 4.0, FREEDOM_SD));
        }
        out
    }

    fn measurement(&self, said: &Reply, at: &Setting<'_>) -> Option<Measurement> {
        let [offset, scale, sd] = ["value.offset", "value.scale", "value.sd"].map(|name| at.find(name));
        let shape = at.find("value.freedom").map_or(Shape::Normal, |freedom| Shape::Student(freedom.value));
        Some(Measurement {
            value: (said.side == 0).then_some(said.datum)?,
            line: [offset?.value, scale?.value],
            noise: sd?.value * at.factor,
            shape,
            rounded: false,
        })
    }

    fn likelihood(&self, said: &Reply, at: &Setting<'_>) -> ResponseLikelihood {
        let [Some(offset), Some(scale), Some(sd)] =
            ["value.offset", "value.scale", "value.sd"].map(|name| at.find(name))
        else {
            // Without its parameters a value says nothing.
            return ResponseLikelihood::new(Box::new(Gaussian::new(said.datum, f64::INFINITY)));
        };
        let noise = sd.value * at.factor;
        let line = [offset.value, scale.value];
        if said.side != 0 {
            let bound = (said.datum - offset.value) / scale.value;
            let (slot, likelihood) = if said.side > 0 {
                (Interval::LOWER, Interval::new(bound, f64::INFINITY, noise / scale.value))
            } else {
                (Interval::UPPER, Interval::new(f64::NEG_INFINITY, bound, noise / scale.value))
            };
            let by_scale = -1.0 / scale.value;
            return ResponseLikelihood::new(Box::new(likelihood))
                .on_log(LOG_NOISE, sd)
                .on(LOG_NOISE, scale, by_scale)
                .on(slot, offset, by_scale)
                .on(slot, scale, bound * by_scale);
        }
        let (likelihood, freedom): (Box<dyn Likelihood>, _) = match at.find("value.freedom") {
            Some(freedom) => (Box::new(Student::new(said.datum, line, noise, freedom.value)), Some(freedom)),
            None => (Box::new(Gaussian::new(said.datum, noise).of_line(line)), None),
        };
        let stated = ResponseLikelihood::new(likelihood)
            .on_log(LOG_NOISE, sd)
            .on(Gaussian::OFFSET, offset, 1.0)
            .on_log(Gaussian::LOG_SCALE, scale);
        freedom.into_iter().fold(stated, |stated, f| stated.on_log(Student::LOG_FREEDOM, f))
    }
}
