//! The models of Table 2, and what they become with more of their settings learned.

use anyhow::Result;
use rather::kernel::{Kernel, Schema, parse};
use rather::learn::choice::Options;
use rather::learn::{Hyperparameters, Units};
use rather::many::Learning;
use rather::many::collaborative::{Data, PublishedScheme, Scheme, Settings, learn};
use rather::many::kronecker::{self, KroneckerSettings};
use rather::many::{
    Collaborative, Hierarchical, HierarchicalSettings, Kronecker, PerUser, UserModel, UserPrior,
};
use rather::points::Points;

use super::protocol::Split;

/// A way of fitting: a column of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    /// Collaborative, user features with 0.1 on the diagonal of their covariance (the authors' programs).
    Cpu,
    /// The same without the 0.1.
    CpuBare,
    /// The same with the users' own part learned by evidence.
    CpuLearned,
    /// As published: FITC with 25 users, pair values, annealed damping.
    CpuPublished,
    /// Collaborative without user features.
    Cp,
    /// The same with a population mean of variance 0.5, the library's default.
    CpDefault,
    /// The same with a population mean whose variance is learned by evidence.
    CpMean,
    /// Hierarchical, 20 EM iterations from lengthscale 1.
    Bi,
    /// Kronecker, lengthscales by the rule.
    Bo,
    /// Kronecker, lengthscales and amplitude by evidence.
    BoLearned,
    /// The same with the users' own part learned, too.
    BoOwn,
    /// Every user alone.
    Su,
}

/// All methods with their names and the published column each belongs to.
pub(super) const METHODS: [(Method, &str, &str); 12] = [
    (Method::Cpu, "CPU", "CPU"),
    (Method::CpuBare, "CPU-bare", "CPU"),
    (Method::CpuLearned, "CPU-learned", "CPU"),
    (Method::CpuPublished, "CPU-published", "CPU"),
    (Method::Cp, "CP", "CP"),
    (Method::CpDefault, "CP-default", "CP"),
    (Method::CpMean, "CP-mean", "CP"),
    (Method::Bi, "BI", "BI"),
    (Method::Bo, "BO", "BO"),
    (Method::BoLearned, "BO-learned", "BO"),
    (Method::BoOwn, "BO-own", "BO"),
    (Method::Su, "SU", "SU"),
];

/// Unit noise on a difference.
const NOISE: f64 = std::f64::consts::FRAC_1_SQRT_2;
/// Inducing users of the published scheme.
const INDUCING: usize = 25;

fn schema(dims: usize) -> Schema {
    Schema { names: (0..dims).map(|d| format!("x{d}")).collect(), categorical: vec![false; dims], context: 0 }
}

pub(super) fn squared_exponential(dims: usize, lengthscale: f64) -> Result<Kernel> {
    let mut kernel = parse("se", &schema(dims), false)?;
    kernel.set_parameters(&[1.0, lengthscale])?;
    Ok(kernel)
}

/// Hyperparameters at given values, with what is named in `fixed` held there.
fn hyperparameters(points: &Points, lengthscale: f64, fixed: &[&str]) -> Result<Hyperparameters> {
    let schema = schema(points.dims());
    let value = |name: &str| if name == "lengthscale" { lengthscale } else { 1.0 };
    let fixed: Vec<(String, f64)> = fixed.iter().map(|n| (n.to_string(), value(n))).collect();
    let options = Options {
        schema: &schema,
        units: Units::ComparisonNoise,
        fixed: &fixed,
        feature_units: &[],
        priors: true,
        inference: Default::default(),
    };
    let mut out = Hyperparameters::new(parse("se", &schema, false)?, points, &options)?;
    let noise = out.noise();
    out.set(&[1.0, lengthscale, noise])?;
    Ok(out)
}

impl Method {
    /// The method of this name.
    pub(super) fn named(name: &str) -> Option<Self> {
        METHODS.iter().find(|(_, n, _)| *n == name).map(|(method, _, _)| *method)
    }

    /// Fits the model to the training answers of a split.
    pub(super) fn fit(self, split: &Split) -> Result<Box<dyn UserModel>> {
        let data = Data { items: &split.items, users: Some(&split.users), answers: &split.answers };
        let items = squared_exponential(split.items.dims(), split.item_lengthscale)?;
        let users = squared_exponential(split.users.dims(), split.user_lengthscale)?;
        let settings = Settings::default();
        let with =
            |individual: f64| UserPrior { kernel: Some(users.clone()), share: 1.0, individual, common: 0.0 };
        let collaborative = |prior: &UserPrior, settings: &Settings| -> Result<Box<dyn UserModel>> {
            Ok(Box::new(Collaborative::fit(&data, &items, prior, settings)?))
        };
        match self {
            Self::Cpu => collaborative(&with(0.1), &settings),
            Self::CpuBare => collaborative(&with(1e-5), &settings),
            Self::CpuLearned => {
                let learning = Learning {
                    items: hyperparameters(
                        &split.items,
                        split.item_lengthscale,
                        &["variance", "lengthscale"],
                    )?,
                    users: Some(hyperparameters(
                        &split.users,
                        split.user_lengthscale,
                        &["variance", "lengthscale"],
                    )?),
                    individual: 0.3,
                    learn_individual: true,
                    common: 0.0,
                    learn_common: false,
                    stop: Default::default(),
                };
                Ok(Box::new(learn(&data, &learning, &settings)?.model))
            }
            Self::CpuPublished => {
                let settings = Settings {
                    scheme: Scheme::Published(PublishedScheme::default()),
                    inducing_users: Some((0..INDUCING.min(split.users.len())).collect()),
                    ..settings
                };
                collaborative(&with(0.1), &settings)
            }
            Self::Cp => collaborative(&UserPrior::exchangeable(0.0), &settings),
            Self::CpDefault => collaborative(&UserPrior::exchangeable(0.5), &settings),
            Self::CpMean => {
                let learning = Learning {
                    items: hyperparameters(
                        &split.items,
                        split.item_lengthscale,
                        &["variance", "lengthscale"],
                    )?,
                    users: None,
                    individual: 1.0,
                    learn_individual: false,
                    common: 0.5,
                    learn_common: true,
                    stop: Default::default(),
                };
                Ok(Box::new(learn(&data, &learning, &settings)?.model))
            }
            Self::Bi => {
                let kernel = squared_exponential(split.items.dims(), 1.0)?;
                let settings = HierarchicalSettings::default();
                Ok(Box::new(Hierarchical::fit(&split.items, &split.answers, &kernel, &settings)?))
            }
            Self::Bo => {
                Ok(Box::new(Kronecker::fit(&data, &items, &with(0.0), &KroneckerSettings::default())?))
            }
            Self::BoLearned | Self::BoOwn => {
                let own = self == Self::BoOwn;
                let learning = Learning {
                    items: hyperparameters(&split.items, split.item_lengthscale, &[])?,
                    users: Some(hyperparameters(&split.users, split.user_lengthscale, &["variance"])?),
                    individual: if own { 0.3 } else { 0.0 },
                    learn_individual: own,
                    common: 0.0,
                    learn_common: false,
                    stop: Default::default(),
                };
                let learned = kronecker::learn(&data, &learning, &KroneckerSettings::default())?;
                Ok(Box::new(learned.model))
            }
            Self::Su => Ok(Box::new(PerUser::fit(&split.items, &split.answers, &items, NOISE)?)),
        }
    }
}
