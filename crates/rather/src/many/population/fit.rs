//! Fitting a model of many users to tables.

use super::kernels::{Choice, sample};
use super::spread::{Spread, spread};
use super::{Fitted, Kind, Population, PopulationData, PopulationNotice, PopulationSettings};
use crate::Error;
use crate::catalogue::{Catalogue, Items};
use crate::features::Encoder;
use crate::inference::Settings as Inference;
use crate::kernel::parse;
use crate::learn::choice::Options;
use crate::learn::{Hyperparameters, Units};
use crate::many::collaborative::{self, Data};
use crate::many::items::Items as Embedding;
use crate::many::kronecker::{self, KroneckerSettings};
use crate::many::learning::Learning;
use crate::many::memory::{Crowd, population};
use crate::many::{
    Collaborative, Hierarchical, HierarchicalSettings, Kronecker, PerUser, Pooled, UserAnswers, UserModel,
    UserPrior,
};
use crate::memory;
use crate::model::Naming;
use crate::points::Points;
use rather_numerics::lbfgs::Stop;
use rather_numerics::watch;

/// Where the part of a user that features do not explain, and the variance of the population mean, start.
const INDIVIDUAL: f64 = 0.5;
const COMMON: f64 = 0.5;
/// A part of a user above this, that features do not explain, leaves the features next to nothing.
const ALONE: f64 = 0.95;
/// Users, and items, beyond which kernels over them are approximated from as many inducing ones.
const INDUCING_USERS: usize = 200;
const INDUCING_ITEMS: usize = 400;
/// Features of users times features of items up to which a Kronecker model's hyperparameters are learned in reasonable time.
const KRONECKER_LEARNS: usize = 400;
/// Users that a hierarchical model's shrinkage is chosen from.
const SHRINKAGE_LEARNS: usize = 100;
/// Users that a collaborative model's hyperparameters are learned from.
const COLLABORATIVE_LEARNS: usize = 100;

/// What all kinds start from.
struct Prepared<'a> {
    points: &'a Points,
    users: Option<&'a Points>,
    user_encoder: &'a Encoder,
    answers: &'a UserAnswers,
    items: Hyperparameters,
    settings: &'a PopulationSettings,
    progress: &'a (dyn Fn(&str) + Sync),
}

/// A fit, with what it learned about users.
struct Done {
    fitted: Fitted,
    items: Hyperparameters,
    users: Option<Hyperparameters>,
    prior: UserPrior,
}

/// A collaborative fit.
struct Tied {
    done: Done,
    evidence: f64,
    /// The mean log loss of answers foreseen from others; `None` if there are too few.
    loss: Option<f64>,
}

impl Population {
    /// Learns from what many users said. `progress` hears in words what is being done.
    ///
    /// # Errors
    /// Those of [`UserAnswers::of`], [`Encoder::encode`], of the kernel's expression and hyperparameters, and of the kind's
    /// own fit; [`Error::Memory`] before it begins if it needs more memory than it may take.
    pub fn fit(
        data: &PopulationData<'_>,
        settings: &PopulationSettings,
        progress: &(dyn Fn(&str) + Sync),
    ) -> Result<Self, Error> {
        let kind = settings.kind;
        let progress = &|what: &str| {
            watch::doing(what);
            progress(what);
        };
        let answers = UserAnswers::of(
            &data.users.keys,
            data.items.keys.len(),
            data.answers.iter(),
            settings.response_model,
        )?;
        let (items, item_notices) = Catalogue::fit(data.items, settings.raw_features)?;
        let (users, user_notices) = if kind.uses_user_features() {
            Catalogue::fit(data.users, false)?
        } else {
            Catalogue::fit(&Items { keys: data.users.keys.clone(), columns: Vec::new() }, false)?
        };
        let crowd = crowd(&answers, items.points(), users.points(), settings.functions, data.answers.len());
        memory::allow(population(kind, &crowd), settings.memory)?;
        let (schema, units) = (items.encoder().schema(), items.encoder().units());
        let choice =
            Choice { points: items.points(), schema: &schema, feature_units: &units, settings, progress };
        let (hyperparameters, tried) = match kind {
            Kind::Pooled => choice.learn(&answers.pooled())?,
            _ => choice.learn(&answers)?,
        };
        let has_features = users.points().dims() > 0;
        let prepared = Prepared {
            points: items.points(),
            users: has_features.then_some(users.points()),
            user_encoder: users.encoder(),
            answers: &answers,
            items: hyperparameters,
            settings,
            progress,
        };
        progress(&format!("the {} model", kind.name()));
        let Done { fitted, items: hyperparameters, users: user_hyperparameters, prior } = prepared.fit()?;
        let mut notices: Vec<PopulationNotice> =
            item_notices.into_iter().map(|notice| PopulationNotice::Items { notice }).collect();
        notices.extend(user_notices.into_iter().map(|notice| PopulationNotice::Users { notice }));
        if !kind.uses_user_features() && !data.users.columns.is_empty() {
            notices.push(PopulationNotice::UnusedUserFeatures { kind });
        }
        let unlike = prior.kernel.is_none() || prior.individual > ALONE;
        if has_features && kind.uses_user_features() && unlike {
            notices.push(PopulationNotice::FeaturesWithoutEffect);
        }
        let mut out = Self {
            kind,
            items,
            users,
            answers,
            hyperparameters,
            user_hyperparameters,
            user_prior: prior,
            tried,
            notices,
            naming: Naming::default(),
            fitted,
        };
        let of_fit = out.model().report().notices.clone();
        out.notices.extend(of_fit.into_iter().map(|notice| PopulationNotice::Fit { notice }));
        Ok(out)
    }
}

/// What the memory of a fit depends on.
fn crowd(answers: &UserAnswers, items: &Points, users: &Points, functions: usize, given: usize) -> Crowd {
    let inducing = items.len() > 2 * INDUCING_ITEMS && items.dims() > 0;
    Crowd {
        users: answers.users(),
        items: items.len(),
        columns: items.dims().max(users.dims()),
        features: if inducing { INDUCING_ITEMS } else { items.len() },
        user_features: if users.dims() > 0 { users.len().min(2 * INDUCING_USERS) } else { 0 },
        pairs: answers.edges().len(),
        records: answers.records().len(),
        answers: given,
        functions: functions.min(items.len().saturating_sub(1)).min(answers.users()).max(1),
    }
}

impl Prepared<'_> {
    fn fit(self) -> Result<Done, Error> {
        let (points, answers) = (self.points, self.answers);
        let (kernel, values) = (&self.items.kernel, self.items.values());
        let fitted = match self.settings.kind {
            Kind::PerUser => Fitted::PerUser(PerUser::fit(points, answers, kernel, values)?),
            Kind::Pooled => Fitted::Pooled(Pooled::fit(points, answers, kernel, values)?),
            Kind::Hierarchical => {
                let settings = HierarchicalSettings { values, ..HierarchicalSettings::default() };
                (self.progress)("what users have in common");
                let sampled = sample(answers, SHRINKAGE_LEARNS);
                let few = sampled.as_ref().map_or(answers, |(_, answers)| answers);
                let shrinkage = Some(Hierarchical::choose(points, few, kernel, &settings)?);
                let settings = HierarchicalSettings { shrinkage, ..settings };
                (self.progress)("the hierarchical model");
                Fitted::Hierarchical(Hierarchical::fit(points, answers, kernel, &settings)?)
            }
            Kind::Kronecker => return self.kronecker(),
            Kind::Collaborative => return self.collaborative(),
        };
        Ok(Done { fitted, items: self.items, users: None, prior: UserPrior::exchangeable(0.0) })
    }

    /// The kernel over users' features, of variance 1: the item kernel sets the scale.
    fn user_kernel(&self) -> Result<Option<Hyperparameters>, Error> {
        let Some(points) = self.users else { return Ok(None) };
        let (schema, units) = (self.user_encoder.schema(), self.user_encoder.units());
        let options = Options {
            schema: &schema,
            units: Units::ComparisonNoise,
            fixed: &[("variance".into(), 1.0)],
            feature_units: &units,
            priors: self.settings.priors,
            inference: Inference::default(),
        };
        let mut out = Hyperparameters::new(parse("se", &schema, false)?, points, &options)?;
        if let Some(noise) = out.entries.last_mut() {
            noise.fixed = true;
        }
        Ok(Some(out))
    }

    /// The item kernel as each user's own answers have it, all of it fixed, its variance multiplied by a `share`, unless that was fixed before; then the
    /// second value is `true`.
    fn known_kernel(&self, share: f64) -> Result<(Hyperparameters, bool), Error> {
        let mut items = self.items.clone();
        let is_fixed = items.variances().into_iter().any(|i| items.entries[i].fixed);
        if !is_fixed {
            items.multiply_variance(share)?;
        }
        items.entries.iter_mut().for_each(|e| e.fixed = true);
        Ok((items, is_fixed))
    }

    fn data(&self) -> Data<'_> {
        Data { items: self.points, users: self.users, answers: self.answers }
    }

    fn kronecker(self) -> Result<Done, Error> {
        if self.users.is_none() {
            // Without features every user is one; before learning, which takes long.
            let items = Embedding::new(&self.items.kernel, self.points, None)?;
            Kronecker::check_size(self.answers.users(), items.rank())?;
        }
        let settings = KroneckerSettings { values: self.items.values(), ..KroneckerSettings::default() };
        let (items, is_fixed) = self.known_kernel(1.0 / (1.0 + COMMON))?;
        let start = Learning {
            items,
            users: self.user_kernel()?,
            individual: INDIVIDUAL,
            learn_individual: true,
            common: COMMON,
            learn_common: true,
            keep_total: !is_fixed,
            stop: Stop { steps: 30, ..Stop::default() },
        };
        let most = (KRONECKER_LEARNS / self.points.len().max(1)).max(2);
        let learned = match sample(self.answers, most) {
            Some((picked, answers)) => {
                let users = self.users.map(|points| points.select(&picked));
                let data = Data { items: self.points, users: users.as_ref(), answers: &answers };
                kronecker::learn(&data, &start, &settings)?.at
            }
            None => kronecker::learn(&self.data(), &start, &settings)?.at,
        };
        let prior = learned.user_prior();
        let model = Kronecker::fit(&self.data(), &learned.items.kernel, &prior, &settings)?;
        Ok(Done { fitted: Fitted::Kronecker(model), items: learned.items, users: learned.users, prior })
    }

    /// The kernel stays as each user's own answers have it, its variance shared out among the functions: with many functions, most of
    /// them without support, the evidence asks for a variance that predicts less well. What ties users together is learned, and the
    /// multiple of the variance that makes up for functions without support is the one that foresees most of what users said
    /// ([`spread`]). Users' features count if the evidence is larger with them, and they foresee no less: the evidence of
    /// factors that are independent by assumption may also be larger where what is known of each user is lost.
    fn collaborative(self) -> Result<Done, Error> {
        let alone = self.tied(None)?;
        let Some(kernel) = self.user_kernel()? else { return Ok(alone.done) };
        let featured = self.tied(Some(kernel))?;
        if featured.evidence <= alone.evidence {
            return Ok(alone.done);
        }
        Ok(match (featured.loss, alone.loss) {
            (Some(with), Some(without)) if with > without => alone.done,
            _ => featured.done,
        })
    }

    /// A collaborative model with or without a kernel over users' features.
    fn tied(&self, users: Option<Hyperparameters>) -> Result<Tied, Error> {
        let functions = self.functions();
        let (items, is_fixed) = self.known_kernel(1.0 / functions as f64)?;
        let features = self.users.filter(|_| users.is_some());
        let settings = collaborative::Settings {
            functions,
            values: items.values(),
            seed: self.settings.seed,
            inducing_items: self.inducing_items(),
            ..collaborative::Settings::default()
        };
        let start = Learning {
            items,
            individual: if users.is_some() { INDIVIDUAL } else { 1.0 },
            learn_individual: users.is_some(),
            users,
            common: COMMON,
            learn_common: true,
            keep_total: false,
            stop: Stop { steps: 15, gradient: 0.1, decrease: 1e-2, ..Stop::default() },
        };
        (self.progress)("how alike users are");
        let rough = collaborative::Settings { tolerance: 1e-2, cycles: 100, ..settings.clone() };
        let sampled = sample(self.answers, COLLABORATIVE_LEARNS);
        let (few, answers) = match &sampled {
            Some((picked, answers)) => (features.map(|points| points.select(picked)), answers),
            None => (features.cloned(), self.answers),
        };
        let data = Data { items: self.points, users: few.as_ref(), answers };
        let mut learned = collaborative::learn(&data, &start, &rough)?.at;
        (self.progress)("how far tastes differ");
        let Spread { multiple, inflation, newcomer_inflation, loss } =
            spread(&data, &learned, &rough, is_fixed)?;
        learned.items.multiply_variance(multiple)?;
        (self.progress)("the collaborative model");
        let prior = learned.user_prior();
        let users = self.answers.users();
        let inducing_users = (prior.kernel.is_some() && users > 2 * INDUCING_USERS)
            .then(|| (0..INDUCING_USERS).map(|k| k * users / INDUCING_USERS).collect());
        let settings = collaborative::Settings { inducing_users, inflation, newcomer_inflation, ..settings };
        let data = Data { users: features, answers: self.answers, ..data };
        let model = Collaborative::fit(&data, &learned.items.kernel, &prior, &settings)?;
        let evidence = model.log_evidence();
        let fitted = Fitted::Collaborative(model);
        Ok(Tied { done: Done { fitted, items: learned.items, users: learned.users, prior }, evidence, loss })
    }

    /// As many latent functions as asked for, and no more than users who answered, or than items less one.
    fn functions(&self) -> usize {
        let said = self.answers.users() - self.answers.silent();
        self.settings.functions.min(said).min(self.points.len().saturating_sub(1)).max(1)
    }

    /// Evenly picked items, if there are many with features.
    fn inducing_items(&self) -> Option<Vec<usize>> {
        let n = self.points.len();
        let many = n > 2 * INDUCING_ITEMS && self.points.dims() > 0;
        many.then(|| (0..INDUCING_ITEMS).map(|k| k * n / INDUCING_ITEMS).collect())
    }
}
