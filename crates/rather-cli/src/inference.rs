//! Which flags belong to which way of inference, and the library's settings of that way.

use crate::args::{
    Hyperparameters, Inducing, Inference, ModelArgs, PairEffect, Representation, Space, Units,
};
use crate::failure::Failure;
use rather::exact::{ExactSettings, orthant::Quadrature};
use rather::inference::{self, prior};
use rather::many::Kind;
use rather::model;
use rather::representation::{self, FEATURES};

/// A flag: whether it is given, and the ways of inference that understand it.
struct Flag {
    name: &'static str,
    given: fn(&ModelArgs) -> bool,
    of: &'static [Inference],
}

use Inference::{Ep, Exact, Laplace, Streaming};

/// The flags that not every way of inference understands. The others belong to the model, whichever way its posterior is found.
static FLAGS: [Flag; 16] = [
    Flag { name: "--samples", given: |a| a.samples.is_some(), of: &[Exact] },
    Flag { name: "--basis", given: |a| a.basis.is_some(), of: &[Streaming] },
    Flag { name: "--keep", given: |a| a.keep.is_some(), of: &[Streaming] },
    Flag { name: "--half-life", given: |a| a.half_life.is_some(), of: &[Ep, Laplace, Exact, Streaming] },
    Flag { name: "--drift", given: |a| a.drift.is_some(), of: &[Streaming] },
    Flag { name: "--tolerance", given: |a| a.tolerance.is_some(), of: &[Ep, Laplace, Exact] },
    Flag { name: "--space items", given: |a| a.space == Space::Items, of: &[Ep, Laplace, Exact, Streaming] },
    Flag { name: "--space pairs", given: |a| a.space == Space::Pairs, of: &[Ep, Laplace, Exact] },
    Flag {
        name: "--representation full",
        given: |a| a.representation == Representation::Full,
        of: &[Ep, Laplace, Exact],
    },
    Flag {
        name: "--representation low-rank",
        given: |a| a.representation == Representation::LowRank,
        of: &[Ep],
    },
    Flag {
        name: "--representation sparse-precision",
        given: |a| a.representation == Representation::SparsePrecision,
        of: &[Ep],
    },
    Flag { name: "--inducing-points", given: |a| a.inducing_points.is_some(), of: &[Ep] },
    Flag { name: "--inducing", given: |a| a.inducing.is_some(), of: &[Ep] },
    Flag {
        name: "--hyperparameters integrate",
        given: |a| a.hyperparameters == Hyperparameters::Integrate,
        of: &[Ep, Laplace],
    },
    Flag {
        name: "--hyperparameters maximise",
        given: |a| a.hyperparameters == Hyperparameters::Maximise,
        of: &[Ep, Laplace, Exact, Streaming],
    },
    Flag { name: "--pair-effect learn", given: |a| a.pair_effect == PairEffect::Learn, of: &[Ep, Exact] },
];

/// The name on the command line.
fn name(way: Inference) -> &'static str {
    match way {
        Ep | Inference::Auto => "ep",
        Laplace => "laplace",
        Exact => "exact",
        Streaming => "streaming",
    }
}

/// Refuses flags that this way of inference does not understand.
fn check(args: &ModelArgs) -> Result<(), Failure> {
    let way = if args.inference == Inference::Auto { Ep } else { args.inference };
    let Some(flag) = FLAGS.iter().find(|flag| (flag.given)(args) && !flag.of.contains(&way)) else {
        return Ok(());
    };
    let names: Vec<&str> = flag.of.iter().map(|&way| name(way)).collect();
    let names = match names.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    };
    Err(Failure::User(format!("{} needs --inference {names}", flag.name)))
}

/// Refuses flags that models of many users, which have ways of their own, do not understand.
pub(crate) fn check_many(args: &ModelArgs, kind: Kind) -> Result<(), Failure> {
    let way = match args.inference {
        Ep | Inference::Auto => None,
        other => Some(format!("--inference {}", name(other))),
    };
    let units = (args.units == Some(Units::ItemNoise)).then(|| "--units item-noise".to_owned());
    let flag = FLAGS.iter().find(|flag| (flag.given)(args)).map(|flag| flag.name.to_owned());
    match way.or(units).or(flag) {
        None => Ok(()),
        Some(flag) => Err(Failure::User(format!(
            "{flag} is for a model of one person (--model single), not for the {} model",
            kind.name()
        ))),
    }
}

/// The library's settings of the way of inference asked for.
pub(crate) fn settings(args: &ModelArgs, seed: u64) -> Result<model::Inference, Failure> {
    check(args)?;
    let representation = representation(args)?;
    let default = inference::Settings::default();
    let convergence =
        inference::Settings { tolerance: args.tolerance.unwrap_or(default.tolerance), ..default };
    let space = match args.space {
        Space::Items => Some(prior::Space::Items),
        Space::Pairs => Some(prior::Space::Pairs),
        Space::Auto => None,
    };
    let integration = match args.hyperparameters {
        Hyperparameters::Auto => model::Integration::Auto,
        Hyperparameters::Integrate => model::Integration::Always,
        Hyperparameters::Maximise => model::Integration::Off,
    };
    Ok(match args.inference {
        Ep | Inference::Auto => model::Inference::Ep(model::Ep {
            representation,
            inducing: inducing(args, seed),
            space,
            pair_effect: match args.pair_effect {
                PairEffect::Off => model::PairEffect::Off,
                PairEffect::Auto | PairEffect::Learn => model::PairEffect::Auto,
            },
            integration,
            convergence,
        }),
        Laplace => model::Inference::Laplace(model::Laplace { space, integration, convergence }),
        Exact => {
            let sampling = sampling(args.samples, seed);
            model::Inference::Exact(model::Exact { sampling, space, convergence })
        }
        Streaming => model::Inference::Streaming(streaming(args)),
    })
}

/// How the prior is represented; `--inducing-points R` implies low rank.
fn representation(args: &ModelArgs) -> Result<representation::Representation, Failure> {
    use representation::Representation as Chosen;
    let low_rank = args.inducing_points.is_some() || args.inducing.is_some();
    let features = args.inducing_points.map_or(FEATURES, |features| features as usize);
    match args.representation {
        Representation::Auto if args.inducing_points.is_some() => Ok(Chosen::LowRank(features)),
        Representation::LowRank => Ok(Chosen::LowRank(features)),
        Representation::Full | Representation::SparsePrecision if low_rank => {
            Err(Failure::User("--inducing-points and --inducing need --representation low-rank".to_owned()))
        }
        Representation::Auto if args.inducing.is_some() => {
            Err(Failure::User("--inducing needs --representation low-rank or --inducing-points".to_owned()))
        }
        Representation::Auto => Ok(Chosen::Auto),
        Representation::Full => Ok(Chosen::Full),
        Representation::SparsePrecision => Ok(Chosen::Sparse),
    }
}

fn inducing(args: &ModelArgs, seed: u64) -> rather::inducing::Inducing {
    use rather::inducing::Inducing as Chosen;
    match args.inducing {
        None | Some(Inducing::PivotedCholesky) => Chosen::Covering,
        Some(Inducing::KMeans) => Chosen::KMeans { seed },
        Some(Inducing::Random) => Chosen::Random { seed },
        Some(Inducing::Informative) => Chosen::Informative,
    }
}

fn streaming(args: &ModelArgs) -> model::StreamingSettings {
    model::StreamingSettings {
        basis: args.basis.map(usize::from),
        memory: args.keep.map(|keep| keep as usize),
        drift: args.drift,
    }
}

/// The library's settings of sampling.
pub(crate) fn sampling(samples: Option<u32>, seed: u64) -> ExactSettings {
    let default = ExactSettings::default();
    let quadrature = Quadrature { seed, ..default.quadrature };
    let samples = samples.map_or(default.samples, |samples| samples as usize);
    ExactSettings { samples, seed, quadrature, ..default }
}
