//! The models of Table 2, and what they become with more of their settings learned.

use anyhow::Result;
use rather::kernel::{Kernel, Schema, parse};
use rather::learn::choice::Options;
use rather::learn::{Hyperparameters, Units};
use rather::many::Learning;
use rather::many::collaborative::{Data, PublishedScheme, Scheme, Settings, learn};
use rather::many::kronecker::{self, KroneckerSettings};
use rather::many::{
    Collaborative, Hierarchical, HierarchicalSettings, Kronecker, PerUser, UserAnswers, UserModel, UserPrior,
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
/// Inducing users of the published scheme, and of more users than `ALL_INDUCING`.
const INDUCING: usize = 25;
const ALL_INDUCING: usize = 200;

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

/// A fitted model, as what it is where a later fit may go on from it.
pub(super) enum Fitted {
    Collaborative(Box<Collaborative>),
    Other(Box<dyn UserModel>),
}

impl Fitted {
    pub(super) fn model(&self) -> &dyn UserModel {
        match self {
            Self::Collaborative(model) => model.as_ref(),
            Self::Other(model) => model.as_ref(),
        }
    }
}

impl Method {
    /// The method of this name.
    pub(super) fn named(name: &str) -> Option<Self> {
        METHODS.iter().find(|(_, n, _)| *n == name).map(|(method, _, _)| *method)
    }

    /// The users' prior and the settings of a collaborative model at given hyperparameters.
    fn collaborative(self, split: &Split) -> Result<Option<(UserPrior, Settings)>> {
        let users = squared_exponential(split.users.dims(), split.user_lengthscale)?;
        let with =
            |individual: f64| UserPrior { kernel: Some(users.clone()), share: 1.0, individual, common: 0.0 };
        let number = split.users.len();
        let few: Vec<usize> = (0..INDUCING.min(number)).collect();
        let settings = Settings::default();
        // The paper has so few inducing users, too.
        let by_users =
            Settings { inducing_users: (number > ALL_INDUCING).then(|| few.clone()), ..settings.clone() };
        Ok(Some(match self {
            Self::Cpu => (with(0.1), by_users),
            Self::CpuBare => (with(1e-5), by_users),
            Self::CpuPublished => {
                let scheme = Scheme::Published(PublishedScheme::default());
                (with(0.1), Settings { scheme, inducing_users: Some(few), ..settings })
            }
            Self::Cp => (UserPrior::exchangeable(0.0), settings),
            Self::CpDefault => (UserPrior::exchangeable(0.5), settings),
            _ => return Ok(None),
        }))
    }

    /// Fits the model to the training answers of a split; where it can, from where the fit of the same users' `earlier` answers ended.
    pub(super) fn fit_on(self, split: &Split, earlier: Option<(&Fitted, &UserAnswers)>) -> Result<Fitted> {
        let Some((prior, settings)) = self.collaborative(split)? else {
            return Ok(Fitted::Other(self.fit(split)?));
        };
        let data = Data { items: &split.items, users: Some(&split.users), answers: &split.answers };
        let model = match earlier {
            Some((Fitted::Collaborative(model), answers)) if settings.scheme == Scheme::Merged => {
                model.with_answers(&data, answers)?
            }
            _ => {
                let items = squared_exponential(split.items.dims(), split.item_lengthscale)?;
                Collaborative::fit(&data, &items, &prior, &settings)?
            }
        };
        Ok(Fitted::Collaborative(Box::new(model)))
    }

    /// Fits the model to the training answers of a split.
    pub(super) fn fit(self, split: &Split) -> Result<Box<dyn UserModel>> {
        let data = Data { items: &split.items, users: Some(&split.users), answers: &split.answers };
        let items = squared_exponential(split.items.dims(), split.item_lengthscale)?;
        let settings = Settings::default();
        match self {
            Self::Cpu | Self::CpuBare | Self::CpuPublished | Self::Cp | Self::CpDefault => {
                Ok(match self.fit_on(split, None)? {
                    Fitted::Collaborative(model) => model,
                    Fitted::Other(model) => model,
                })
            }
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
                    keep_total: false,
                    learn_common: false,
                    stop: Default::default(),
                };
                Ok(Box::new(learn(&data, &learning, &settings)?.model))
            }
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
                    keep_total: false,
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
                let users = squared_exponential(split.users.dims(), split.user_lengthscale)?;
                let prior = UserPrior { kernel: Some(users), share: 1.0, individual: 0.0, common: 0.0 };
                Ok(Box::new(Kronecker::fit(&data, &items, &prior, &KroneckerSettings::default())?))
            }
            Self::BoLearned | Self::BoOwn => {
                let own = self == Self::BoOwn;
                let learning = Learning {
                    items: hyperparameters(&split.items, split.item_lengthscale, &[])?,
                    users: Some(hyperparameters(&split.users, split.user_lengthscale, &["variance"])?),
                    individual: if own { 0.3 } else { 0.0 },
                    learn_individual: own,
                    common: 0.0,
                    keep_total: false,
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
