//! How a model is learned: its flags, and what they may be.

use super::values::*;
use clap::{Args, ValueEnum};

// Not a doc comment: rustdoc takes brackets for links.
const FIX: &str = "Do not learn a hyperparameter: lengthscale=2, variance=1, noise=0.5, \"lengthscale[price]=3\" \
                   (repeatable); in the units that fit prints; noise is the standard deviation of one item";

const INFERENCE: &str = "How the posterior is computed; auto is ep";
/// Draws that may be asked for: 100,000 of 5,000 comparisons fill 4 GB.
pub(super) const MOST_SAMPLES: std::ops::RangeInclusive<i64> = 4..=100_000;

const REPRESENTATION: &str = "How the prior covariance of the items is represented; auto takes full if it is quick and fits into --memory";

/// How a model is learned.
#[derive(Debug, Args)]
#[command(next_help_heading = "Model")]
pub(crate) struct ModelArgs {
    #[arg(long, value_name = "EXPR", default_value = "auto", help = kernel_help())]
    pub(crate) kernel: String,
    /// A lengthscale for each feature
    #[arg(long)]
    pub(crate) ard: bool,
    #[arg(long, value_name = "NAME=VALUE", value_parser = fixed, help = FIX)]
    pub(crate) fix: Vec<(String, f64)>,
    /// Use numbers as they are, not standardised
    #[arg(long)]
    pub(crate) raw_features: bool,
    /// Switch off the weak priors on hyperparameters
    #[arg(long)]
    pub(crate) no_priors: bool,
    /// Unit of utilities: the standard deviation of the noise of one item, or of a comparison [default: item-noise]
    #[arg(long, value_enum)]
    pub(crate) units: Option<Units>,
    #[arg(long, value_enum, default_value_t = Inference::Auto, help = INFERENCE)]
    pub(crate) inference: Inference,
    /// Number of draws of --inference exact [default: 4000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(MOST_SAMPLES))]
    pub(crate) samples: Option<u32>,
    /// Maximum number of basis points of --inference streaming, chosen among the items: time grows with their square [default: 64; for items
    /// without features all, up to 1,000]
    #[arg(long, value_name = "M", value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(crate) basis: Option<u16>,
    /// Number of answers that --inference streaming keeps, to refine and to learn hyperparameters from [default: 512; with --half-life N
    /// five times N, up to 2,048]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=100_000))]
    pub(crate) keep: Option<u32>,
    /// Exponential forgetting: an answer after which N others were given counts half; its likelihood is raised to the power 2^(-age/N). The last
    /// row of the table is the newest answer [default: all count the same]
    #[arg(long, value_name = "N", value_parser = half_life)]
    pub(crate) half_life: Option<f64>,
    /// With --inference streaming: the preferences themselves drift, as a random walk (Ornstein-Uhlenbeck) that returns to the prior; the
    /// correlation of a utility with its value N answers earlier is one half [default: no drift]
    #[arg(long, value_name = "N", value_parser = half_life, conflicts_with = "half_life")]
    pub(crate) drift: Option<f64>,
    /// Lapse rate: the share of answers given at random, such as 0.05; learn, or by-user: each user's own (needs a column user)
    /// [default: 0]
    #[arg(long, value_name = "RATE|learn|by-user", value_parser = lapse)]
    pub(crate) lapse: Option<Lapse>,
    /// Distribution of the noise: normal (probit, Thurstone), or logistic (Bradley-Terry)
    #[arg(long, value_enum, default_value_t = Link::Probit)]
    pub(crate) link: Link,
    /// Random effect of every pair, for over-dispersed answers: auto learns it where pairs are compared repeatedly, the evidence supports it and intervals are noticeably wider with it
    #[arg(long, value_enum, default_value_t = PairEffect::Auto)]
    pub(crate) pair_effect: PairEffect,
    /// Which hyperparameters predictions are made with
    #[arg(long, value_enum, default_value_t = Hyperparameters::Auto)]
    pub(crate) hyperparameters: Hyperparameters,
    /// Compute over items or over pairs of items; auto takes the cheaper one
    #[arg(long, value_enum, default_value_t = Space::Auto)]
    pub(crate) space: Space,
    #[arg(long, value_enum, default_value_t = Representation::Auto, help = REPRESENTATION)]
    pub(crate) representation: Representation,
    /// Maximum number of inducing points, for --representation low-rank [default: as many as are needed, up to 512]
    #[arg(long, alias = "sparse", value_name = "R", value_parser = clap::value_parser!(u32).range(1..=20_000))]
    pub(crate) inducing_points: Option<u32>,
    /// How inducing points are chosen among the items [default: pivoted-cholesky]
    #[arg(long, value_enum)]
    pub(crate) inducing: Option<Inducing>,
    /// Memory limit of the fit, tables and answers included, the program itself not; a fit that needs more is refused before it starts
    /// [default: 2G]; the variable also limits the reading of model files
    #[arg(long, env = "RATHER_MEMORY", hide_env_values = true, value_name = "BYTES", value_parser = memory)]
    pub(crate) memory: Option<u64>,
    /// Largest difference of the moments at which inference counts as converged, at most 0.001; below 1e-8, items by name are solved for
    /// exactly wherever memory allows [default: 1e-8, and 1e-6 where variances are found by messages]
    #[arg(long, value_name = "X", value_parser = tolerance)]
    pub(crate) tolerance: Option<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Hyperparameters {
    /// Average over their posterior, up to 700 items
    Auto,
    /// Average over their posterior
    Integrate,
    /// Take those of maximal evidence (type II maximum a posteriori)
    Maximise,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PairEffect {
    /// By evidence, where pairs are compared repeatedly
    Auto,
    /// Always
    Learn,
    /// Never
    Off,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Ties {
    /// A difference below a threshold, which is learned
    Learn,
    /// Left out
    Drop,
    /// One comparison each way
    Both,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Link {
    Probit,
    Logistic,
}

/// How often an answer is given at random.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Lapse {
    Share(f64),
    Learn,
    ByUser,
}

impl ModelArgs {
    /// A flag that needs several users.
    pub(crate) fn of_users(&self) -> Option<&'static str> {
        (self.lapse == Some(Lapse::ByUser)).then_some("--lapse by-user")
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Units {
    ItemNoise,
    #[value(alias = "duel-noise")]
    ComparisonNoise,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Inference {
    /// Expectation propagation
    Ep,
    /// Laplace's approximation
    Laplace,
    /// Sampling, up to 5,000 comparisons, at hyperparameters learned by expectation propagation
    Exact,
    /// Online (assumed density filtering): one pass over the answers in the order of their table, for many answers or preferences that drift
    Streaming,
    Auto,
}

/// What is held out together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum By {
    Pairs,
    Comparisons,
    Items,
    Users,
    /// What has one value in this column of the comparisons, or of a date lies in one period.
    Column(String),
}

impl By {
    pub(crate) fn parse(text: &str) -> Result<Self, std::convert::Infallible> {
        Ok(match text.to_lowercase().as_str() {
            "pair" | "pairs" => Self::Pairs,
            "comparison" | "comparisons" => Self::Comparisons,
            "item" | "items" => Self::Items,
            "user" | "users" => Self::Users,
            _ => Self::Column(text.to_owned()),
        })
    }

    /// The column of the comparisons, if it is one.
    pub(crate) fn column(&self) -> Option<&str> {
        match self {
            Self::Column(name) => Some(name),
            Self::Pairs | Self::Comparisons | Self::Items | Self::Users => None,
        }
    }
}

impl serde::Serialize for By {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(match self {
            Self::Pairs => "pairs",
            Self::Comparisons => "comparisons",
            Self::Items => "items",
            Self::Users => "users",
            Self::Column(name) => name,
        })
    }
}

/// What `evaluate` compares a model with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum BaselineName {
    /// Items by name: the kernel `white`, ridge Thurstone or Bradley-Terry.
    Names,
    /// Features alone: the kernel `linear`.
    Linear,
    /// How often what is answered: no utilities.
    BaseRates,
    /// Strengths with a share of ties.
    Davidson,
    /// Elo's ratings.
    Elo,
}

impl BaselineName {
    /// All, in the order in which they are shown.
    const ALL: [Self; 5] = [Self::Names, Self::Linear, Self::BaseRates, Self::Davidson, Self::Elo];

    /// As it is written after `--baselines`.
    fn flag(self) -> &'static str {
        match self {
            Self::Names => "names",
            Self::Linear => "linear",
            Self::BaseRates => "base-rates",
            Self::Davidson => "davidson",
            Self::Elo => "elo",
        }
    }
}

/// The baselines that are asked for, in the order in which they are shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Baselines(pub(crate) Vec<BaselineName>);

impl Default for Baselines {
    fn default() -> Self {
        Self(BaselineName::ALL.to_vec())
    }
}

impl Baselines {
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        match text.trim().to_lowercase().as_str() {
            "all" => return Ok(Self::default()),
            "none" => return Ok(Self(Vec::new())),
            _ => {}
        }
        let mut named = Vec::new();
        for name in text.split(',') {
            let same =
                |known: &&BaselineName| known.flag().eq_ignore_ascii_case(&name.trim().replace('_', "-"));
            named.push(*BaselineName::ALL.iter().find(same).ok_or_else(|| {
                let known = BaselineName::ALL.map(BaselineName::flag).join(", ");
                format!("there is no baseline \"{}\"; write all, none, or some of {known}", name.trim())
            })?);
        }
        Ok(Self(BaselineName::ALL.into_iter().filter(|known| named.contains(known)).collect()))
    }
}

/// How long a period of time is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Period {
    Year,
    Month,
    Week,
    Day,
    /// So many days, or units of a number.
    Days(f64),
}

impl Period {
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        match text.to_lowercase().as_str() {
            "year" => Ok(Self::Year),
            "month" => Ok(Self::Month),
            "week" => Ok(Self::Week),
            "day" => Ok(Self::Day),
            number => match number.parse() {
                Ok(days) if days > 0.0 && f64::is_finite(days) => Ok(Self::Days(days)),
                _ => Err("write year, month, week, day, or a positive number of days".to_owned()),
            },
        }
    }

    /// The number of the period of a time, in days since 1970-01-01 where it is a date.
    pub(crate) fn number(self, time: f64) -> i64 {
        let [year, month, _] = rather_numerics::calendar::civil(time);
        match self {
            Self::Year => year,
            Self::Month => 12 * year + month,
            // 1970-01-05 was a Monday.
            Self::Week => ((time - 4.0) / 7.0).floor() as i64,
            Self::Day => time.floor() as i64,
            Self::Days(days) => (time / days).floor() as i64,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Representation {
    Auto,
    /// Full covariance
    #[value(alias = "whole")]
    Full,
    /// Low-rank covariance (FITC) of inducing points
    LowRank,
    /// Sparse precision, for items without features
    #[value(alias = "sparse")]
    SparsePrecision,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Inducing {
    /// Greedily, by the variance that is left unexplained
    #[value(alias = "covering")]
    PivotedCholesky,
    /// By k-means++
    KMeans,
    /// Uniformly at random
    Random,
    /// By the information in the answers (informative vector machine)
    Informative,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Space {
    Items,
    #[value(alias = "duels")]
    Pairs,
    Auto,
}

/// The kernels that there are.
fn kernel_help() -> String {
    let mut names: Vec<&str> = rather::kernel::ATOMS.iter().map(|kind| kind.name).collect();
    // Effects of items and of levels have one name.
    names.dedup();
    format!(
        "auto (chosen by evidence), or {} with + and *, on columns of items or of comparisons if need be: \"se[price] + linear\"",
        names.join(", ")
    )
}
