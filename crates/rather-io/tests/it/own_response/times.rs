//! A kind of answer of one's own: how many times an item was taken. `python/examples/own_response.rs` has the same.

use rather::learn::Hyperparameter;
use rather::likelihood::{
    Likelihood, LogDensity, NO_SLOPES, Parameter, Reply, Response, ResponseLikelihood, Setting, Survey,
};

/// An item was taken `times`, a Poisson number of mean `rate exp(z)`.
struct Taken {
    times: f64,
    rate: f64,
}

const LOG_RATE: usize = 1;

impl Likelihood for Taken {
    fn log_density(&self, z: f64) -> LogDensity {
        let mean = self.rate * z.exp();
        let mut out = LogDensity {
            value: self.times * (self.rate.ln() + z) - mean,
            first: self.times - mean,
            precision: mean,
            third: -mean,
            value_d: NO_SLOPES,
            first_d: NO_SLOPES,
            precision_d: NO_SLOPES,
        };
        (out.value_d[LOG_RATE], out.first_d[LOG_RATE]) = (self.times - mean, -mean);
        out.precision_d[LOG_RATE] = mean;
        out
    }
}

/// How many times an item was taken: tables have it in the column `taken`.
#[derive(Debug)]
pub(crate) struct Times;

impl Response for Times {
    fn name(&self) -> &'static str {
        "times-taken"
    }

    fn column(&self) -> Option<&'static str> {
        Some("taken")
    }

    fn read(&self, cell: &str) -> Result<f64, &'static str> {
        cell.parse::<u32>().map(f64::from).map_err(|_| "must be a whole number, how many times it was taken")
    }

    fn accepts(&self, datum: f64) -> bool {
        datum >= 0.0 && datum.fract() == 0.0
    }

    fn parameters(&self, _: &Survey<'_>) -> Vec<Hyperparameter> {
        vec![Hyperparameter::positive("taken.rate", 3.0, 2.0)]
    }

    fn likelihood(&self, reply: &Reply, at: &Setting<'_>) -> ResponseLikelihood {
        let rate = at.find("taken.rate");
        let taken = Taken { times: reply.datum, rate: rate.map_or(1.0, |r: Parameter| r.value) };
        let stated = ResponseLikelihood::new(Box::new(taken));
        rate.into_iter().fold(stated, |stated, rate| stated.on_log(LOG_RATE, rate))
    }
}
