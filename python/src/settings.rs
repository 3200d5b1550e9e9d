//! The settings of a fit, by the names that the program gives them.

use pyo3::prelude::*;
use rather::exact::ExactSettings;
use rather::exact::orthant::Quadrature;
use rather::inference;
use rather::learn::Units;
use rather::learn::choice::{KernelChoice, KernelSpec};
use rather::likelihood::{Lapses, Link, ResponseModel};
use rather::many::population::PopulationSettings;
use rather::model::{Ep, Exact, FitSettings, Inference, Integration, Laplace, PairEffect, StreamingSettings};
use rather::representation::{FEATURES, Representation};

use crate::errors::named;

/// Values outside this have no square.
const FIXABLE: std::ops::RangeInclusive<f64> = 1e-100..=1e100;

const LAPSE: &str = "a rate from 0 to below 1, \"learn\" or \"by_user\"";

/// The parameters of an estimator, a `dict`.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Parameters {
    kernel: String,
    ard: bool,
    inference: String,
    representation: String,
    n_inducing: Option<usize>,
    memory: Option<u64>,
    units: String,
    fixed: Vec<(String, f64)>,
    priors: bool,
    raw_features: bool,
    tolerance: f64,
    samples: Option<usize>,
    half_life: Option<f64>,
    drift: Option<f64>,
    seed: u64,
    link: String,
    lapse: Option<LapseRate>,
    bias: bool,
    user_noise: bool,
    robust: bool,
    pair_effect: String,
    hyperparameters: String,
}

/// A share of random answers, or "learn".
#[derive(FromPyObject)]
enum LapseRate {
    Rate(f64),
    Word(String),
}

impl Parameters {
    /// The library's settings.
    pub(crate) fn settings(self) -> PyResult<FitSettings> {
        let default = FitSettings::default();
        Ok(FitSettings {
            kernel: self.kernel(),
            inference: self.inference()?,
            half_life: self.half_life,
            memory: self.memory.unwrap_or(default.memory),
            units: self.units()?,
            priors: self.priors,
            raw_features: self.raw_features,
            response_model: self.response_model()?,
            fixed: checked(self.fixed)?,
        })
    }

    /// How the posterior is found. Parameters of other ways of inference are refused.
    fn inference(&self) -> PyResult<Inference> {
        let convergence = self.convergence()?;
        let representation = self.representation()?;
        let integration = match self.hyperparameters.as_str() {
            "auto" => Integration::Auto,
            "integrate" => Integration::Always,
            "maximise" => Integration::Off,
            other => return Err(unknown("hyperparameters", other, "auto, integrate or maximise")),
        };
        let way = if self.inference == "auto" { "ep" } else { self.inference.as_str() };
        let reduced = matches!(representation, Representation::LowRank(_) | Representation::Sparse);
        let own: [(&str, bool, &[&str]); 6] = [
            ("samples", self.samples.is_some(), &["exact"]),
            ("drift", self.drift.is_some(), &["streaming"]),
            ("n_inducing", self.n_inducing.is_some(), &["ep"]),
            ("representation", reduced, &["ep"]),
            ("hyperparameters=\"integrate\"", integration == Integration::Always, &["ep", "laplace"]),
            ("pair_effect=\"learn\"", self.pair_effect == "learn", &["ep", "exact"]),
        ];
        if let Some((name, _, ways)) = own.iter().find(|(_, given, ways)| *given && !ways.contains(&way)) {
            let ways: Vec<String> = ways.iter().map(|way| format!("inference=\"{way}\"")).collect();
            return Err(named("ParameterError", format!("{name} needs {}", ways.join(" or "))));
        }
        let pair_effect = if self.pair_effect == "off" { PairEffect::Off } else { PairEffect::Auto };
        match way {
            "ep" => Ok(Inference::Ep(Ep {
                representation,
                pair_effect,
                integration,
                convergence,
                ..Ep::default()
            })),
            "laplace" => Ok(Inference::Laplace(Laplace { integration, convergence, ..Laplace::default() })),
            "exact" => {
                let default = ExactSettings::default();
                let sampling = ExactSettings {
                    samples: self.samples.unwrap_or(default.samples),
                    seed: self.seed,
                    quadrature: Quadrature { seed: self.seed, ..default.quadrature },
                    ..default
                };
                Ok(Inference::Exact(Exact { sampling, convergence, ..Exact::default() }))
            }
            "streaming" => {
                let default = StreamingSettings::default();
                Ok(Inference::Streaming(StreamingSettings { drift: self.drift, ..default }))
            }
            other => Err(unknown("inference", other, "auto, ep, laplace, exact or streaming")),
        }
    }

    fn response_model(&self) -> PyResult<ResponseModel> {
        let link = match self.link.as_str() {
            "probit" => Link::Probit,
            "logistic" => Link::Logistic,
            other => return Err(unknown("link", other, "probit or logistic")),
        };
        let lapses = match &self.lapse {
            None => Lapses::Never,
            Some(LapseRate::Rate(rate)) if (0.0..1.0).contains(rate) => Lapses::Rate(*rate),
            Some(LapseRate::Word(word)) if word == "learn" => Lapses::Learned,
            Some(LapseRate::Word(word)) if word == "by_user" => Lapses::ByUser,
            Some(LapseRate::Rate(rate)) => return Err(unknown("lapse", &rate.to_string(), LAPSE)),
            Some(LapseRate::Word(word)) => return Err(unknown("lapse", word, LAPSE)),
        };
        let pair_effect = match self.pair_effect.as_str() {
            "auto" | "off" => false,
            "learn" => true,
            other => return Err(unknown("pair_effect", other, "auto, learn or off")),
        };
        let (bias, user_noise, robust) = (self.bias, self.user_noise, self.robust);
        Ok(ResponseModel { link, lapses, bias, user_noise, robust, pair_effect })
    }

    fn kernel(&self) -> KernelChoice {
        choice(&self.kernel, self.ard)
    }

    fn representation(&self) -> PyResult<Representation> {
        match (self.representation.as_str(), self.n_inducing) {
            ("auto", None) => Ok(Representation::Auto),
            ("full" | "whole", None) => Ok(Representation::Full),
            ("sparse-precision" | "sparse", None) => Ok(Representation::Sparse),
            ("full" | "whole" | "sparse-precision" | "sparse", Some(_)) => Err(named(
                "ParameterError",
                "n_inducing needs representation=\"low-rank\" or \"auto\"".to_owned(),
            )),
            ("auto" | "low-rank", inducing) => Ok(Representation::LowRank(inducing.unwrap_or(FEATURES))),
            (other, _) => Err(unknown("representation", other, "auto, full, low-rank or sparse-precision")),
        }
    }

    fn units(&self) -> PyResult<Units> {
        match self.units.as_str() {
            "item-noise" => Ok(Units::ItemNoise),
            "comparison-noise" | "duel-noise" => Ok(Units::ComparisonNoise),
            other => Err(unknown("units", other, "item-noise or comparison-noise")),
        }
    }

    fn convergence(&self) -> PyResult<inference::Settings> {
        let tolerance = self.tolerance;
        if tolerance > 0.0 && tolerance <= 1e-3 {
            return Ok(inference::Settings { tolerance, ..Default::default() });
        }
        Err(named(
            "ParameterError",
            format!("tolerance={tolerance} must be positive and at most 0.001, such as 1e-8"),
        ))
    }
}

fn choice(kernel: &str, ard: bool) -> KernelChoice {
    match kernel.trim() {
        auto if auto.eq_ignore_ascii_case("auto") => KernelChoice::Auto { ard },
        expression => KernelChoice::Given(KernelSpec { expression: expression.to_owned(), ard }),
    }
}

/// The parameters of an estimator of many users that concern the item kernel, a `dict`.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct KernelParameters {
    kernel: String,
    ard: bool,
    fixed: Vec<(String, f64)>,
    priors: bool,
    raw_features: bool,
    seed: u64,
}

impl KernelParameters {
    /// These settings with the kernel's.
    pub(crate) fn population(self, settings: PopulationSettings) -> PyResult<PopulationSettings> {
        Ok(PopulationSettings {
            kernel: choice(&self.kernel, self.ard),
            fixed: checked(self.fixed)?,
            priors: self.priors,
            raw_features: self.raw_features,
            seed: self.seed,
            // There is no parameter for it.
            memory: u64::MAX,
            ..settings
        })
    }
}

fn checked(fixed: Vec<(String, f64)>) -> PyResult<Vec<(String, f64)>> {
    match fixed.iter().find(|(_, value)| !FIXABLE.contains(value)) {
        Some((name, value)) => Err(named(
            "HyperparameterError",
            format!("fixed[{name:?}] is {value}; it must be positive, from 1e-100 to 1e100"),
        )),
        None => Ok(fixed),
    }
}

fn unknown(parameter: &str, value: &str, known: &str) -> PyErr {
    named("ParameterError", format!("{parameter}={value:?} is not known; take {known}"))
}
