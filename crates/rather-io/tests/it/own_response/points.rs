//! A kind of answer of one's own that compares two items: which of them has more points from 1 to 5, and how many. The studio's tests have it, too.

use rather::learn::Hyperparameter;
use rather::likelihood::{
    Likelihood, LogDensity, NO_SLOPES, Parameter, Reply, Response, ResponseLikelihood, Setting, Survey,
};

/// The better item has `points` more, normal around `scale` times the difference of the utilities with a variance of 1.
struct Ahead {
    points: f64,
    scale: f64,
}

const LOG_SCALE: usize = 1;

impl Likelihood for Ahead {
    fn log_density(&self, z: f64) -> LogDensity {
        let Self { points, scale } = *self;
        let left = points - scale * z;
        let mut out = LogDensity {
            value: -0.5 * left * left - 0.5 * std::f64::consts::TAU.ln(),
            first: scale * left,
            precision: scale * scale,
            third: 0.0,
            value_d: NO_SLOPES,
            first_d: NO_SLOPES,
            precision_d: NO_SLOPES,
        };
        out.value_d[LOG_SCALE] = left * scale * z;
        out.first_d[LOG_SCALE] = scale * (left - scale * z);
        out.precision_d[LOG_SCALE] = 2.0 * scale * scale;
        out
    }
}

/// How many more points one of two items has: tables have it in the column `points`, studies ask for it.
#[derive(Debug)]
pub(crate) struct Points;

impl Response for Points {
    fn name(&self) -> &'static str {
        "points-ahead"
    }

    fn column(&self) -> Option<&'static str> {
        Some("points")
    }

    fn comparison_scale(&self) -> Option<u8> {
        Some(5)
    }

    fn accepts(&self, datum: f64) -> bool {
        (0.0..=5.0).contains(&datum) && datum.fract() == 0.0
    }

    fn parameters(&self, _: &Survey<'_>) -> Vec<Hyperparameter> {
        vec![Hyperparameter::positive("points.scale", 1.0, 1.0)]
    }

    fn likelihood(&self, reply: &Reply, at: &Setting<'_>) -> ResponseLikelihood {
        let scale = at.find("points.scale");
        let ahead = Ahead { points: reply.datum, scale: scale.map_or(1.0, |scale: Parameter| scale.value) };
        let stated = ResponseLikelihood::new(Box::new(ahead));
        scale.into_iter().fold(stated, |stated, scale| stated.on_log(LOG_SCALE, scale))
    }
}
