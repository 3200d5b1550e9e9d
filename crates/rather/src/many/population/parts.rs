//! A model of many users as a file holds it.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

use super::{Fitted, Kind, Population, PopulationNotice};
use crate::Error;
use crate::answers::Answer;
use crate::bounds;
use crate::catalogue::Catalogue;
use crate::features::{Column, Encoder};
use crate::inference::observations::pairs_of;
use crate::inference::sites::Sites;
use crate::inference::{Method, Settings};
use crate::kernel::Kernel;
use crate::learn::choice::Tried;
use crate::learn::{Hyperparameter, Hyperparameters};
use crate::likelihood::Responses;
use crate::likelihood::choice_set::PartialOrder;
use crate::many::collaborative::{self, Data, Saved, Weights};
use crate::many::common_prior::CommonPrior;
use crate::many::kronecker::KroneckerSettings;
use crate::many::{
    Collaborative, Hierarchical, Items, Kronecker, PerUser, Pooled, Record, Report, Shrinkage, UserAnswers,
    UserModel, UserPrior,
};
use crate::model::Naming;
use crate::points::Points;
use rather_numerics::linalg::Matrix;

/// The part of a model that is words and a few numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PopulationHeader {
    /// Which model.
    pub kind: Kind,
    /// The items' names.
    pub items: Vec<String>,
    /// A column of labels.
    pub labels: Option<Column>,
    /// How items' features are encoded.
    pub item_encoder: Encoder,
    /// The users' names.
    pub users: Vec<String>,
    /// How users' features are encoded.
    pub user_encoder: Encoder,
    /// The item kernel.
    pub kernel: Kernel,
    /// Its parameters and the noise.
    pub hyperparameters: Vec<Hyperparameter>,
    /// How alike users are taken to be.
    pub user_part: UserPart,
    /// Item kernels that were tried.
    pub tried: Vec<Tried>,
    /// How the fit went.
    pub report: Report,
    /// What is worth knowing.
    pub notices: Vec<PopulationNotice>,
    /// Number of latent functions of a collaborative model, else 0.
    pub functions: usize,
    /// Inducing items of a collaborative model.
    pub inducing_items: Option<Vec<usize>>,
    /// Its inducing users.
    pub inducing_users: Option<Vec<usize>>,
    /// What the posterior variances of its users are multiplied by; `None` of other models, and if by nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inflation: Option<f64>,
    /// What those of newcomers are multiplied by; `None` likewise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub newcomer_inflation: Option<f64>,
    /// What was said, and how people answer, if there is more than plain comparisons.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub responses: Option<Responses>,
    /// The prior of what users of a hierarchical model have in common, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shrinkage: Option<Shrinkage>,
    /// How the tables called items and users, if otherwise than by text.
    #[serde(default, skip_serializing_if = "Naming::is_default")]
    pub naming: Naming,
}

/// The prior covariance of users.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct UserPart {
    /// The kernel over users' features, if it is used.
    pub kernel: Option<Kernel>,
    /// Its parameters and the noise, which is not used.
    pub hyperparameters: Vec<Hyperparameter>,
    /// What it is multiplied with.
    pub share: f64,
    /// The variance that each user has alone.
    pub individual: f64,
    /// The variance of what all users share.
    pub common: f64,
}

/// All of a model, as a file holds it: the header, and arrays by name.
#[derive(Debug, Clone, PartialEq)]
pub struct PopulationParts {
    /// Words and a few numbers.
    pub header: PopulationHeader,
    /// Numbers: `item_features` and `user_features` (row by row), `tau` and `nu` (one entry a record), and those of the kind.
    pub floats: BTreeMap<&'static str, Vec<f64>>,
    /// Whole numbers: `user`, `winner`, `loser` and `count`, one entry a record; where there is more than plain comparisons, `answer`, too: twice the
    /// place of what was said among all that was, and one more if it speaks against a single item, which is winner and loser.
    pub integers: BTreeMap<&'static str, Vec<u64>>,
}

/// Names of the arrays of numbers, which a file may hold.
impl PopulationParts {
    /// Arrays of every model.
    pub const FLOATS: [&'static str; 14] = [
        "counts",
        "item_features",
        "user_features",
        "tau",
        "nu",
        "prior_mean",
        "prior_root",
        "known_features",
        "function_tau",
        "function_nu",
        "weight_tau",
        "weight_nu",
        "weight_covariance",
        "total_covariance",
    ];
    /// Arrays of whole numbers.
    pub const INTEGERS: [&'static str; 6] = ["user", "winner", "loser", "count", "answer", "feature_items"];
}

impl Population {
    /// What a file needs to hold.
    pub fn to_parts(&self) -> PopulationParts {
        let in_file = |(record, answer)| rows_of(&answer).map(move |items| Row { record, answer, items });
        let rows: Vec<Row<'_>> = self.answers.rows().flat_map(in_file).collect();
        let column = |of: &dyn Fn(&Row<'_>) -> u64| rows.iter().map(of).collect::<Vec<u64>>();
        let mut integers = BTreeMap::from([
            ("user", column(&|row| row.record.user as u64)),
            ("winner", column(&|row| row.items.0 as u64)),
            ("loser", column(&|row| row.items.1 as u64)),
            ("count", column(&|row| row.answer.count.ceil() as u64)),
        ]);
        let plain = self.answers.is_plain();
        if !plain {
            let said = |row: &Row<'_>| 2 * u64::from(row.record.answer.0) + u64::from(!row.answer.positive);
            integers.insert("answer", column(&said));
        }
        let by_row = |points: &Points| (0..points.len()).flat_map(|i| points.row(i)).copied().collect();
        let mut floats = BTreeMap::from([
            ("item_features", by_row(self.items.points())),
            ("user_features", by_row(self.users.points())),
        ]);
        // Where a count is not a whole number, the numbers of the counts are here.
        if rows.iter().any(|row| row.answer.count.fract() != 0.0) {
            floats.insert("counts", rows.iter().map(|row| row.answer.count).collect());
        }
        let mut sites = |s: Sites| {
            floats.insert("tau", s.tau);
            floats.insert("nu", s.nu);
        };
        let (mut functions, mut inducing_items, mut inducing_users) = (0, None, None);
        let (mut shrinkage, mut inflation, mut newcomer_inflation) = (None, None, None);
        match &self.fitted {
            Fitted::PerUser(model) => sites(model.sites()),
            Fitted::Pooled(model) => sites(model.everyone().sites()),
            Fitted::Kronecker(model) => sites(model.sites().clone()),
            Fitted::Hierarchical(model) => {
                sites(model.fitted().sites());
                let (prior, items) = (model.common_prior(), model.items());
                floats.insert("prior_mean", prior.mean.clone());
                floats.insert("prior_root", prior.root().data().to_vec());
                // The prior is over the weights of these very features.
                floats.insert("known_features", items.features().data().to_vec());
                integers.insert("feature_items", items.base_ids());
                shrinkage = model.shrinkage().copied();
            }
            Fitted::Collaborative(model) => {
                let s = model.saved();
                sites(s.sites);
                for (name, data) in [
                    ("function_tau", s.item_tau),
                    ("function_nu", s.item_nu),
                    ("weight_tau", s.weight_tau),
                    ("weight_nu", s.weight_nu),
                    ("weight_covariance", s.weight_covariance),
                    ("total_covariance", s.total_covariance),
                ] {
                    floats.insert(name, data);
                }
                functions = model.settings().functions;
                inducing_items = model.settings().inducing_items.clone();
                inducing_users = model.settings().inducing_users.clone();
                let unless_one = |times: f64| Some(times).filter(|&times| times != 1.0);
                inflation = unless_one(model.settings().inflation);
                newcomer_inflation = unless_one(model.settings().newcomer_inflation);
            }
        }
        floats.retain(|_, data| !data.is_empty());
        let users = self.user_hyperparameters.as_ref();
        let header = PopulationHeader {
            kind: self.kind,
            items: self.items.keys().to_vec(),
            labels: self.items.labels().cloned(),
            item_encoder: self.items.encoder().clone(),
            users: self.users.keys().to_vec(),
            user_encoder: self.users.encoder().clone(),
            kernel: self.hyperparameters.kernel.clone(),
            hyperparameters: self.hyperparameters.entries.clone(),
            user_part: UserPart {
                kernel: self.user_prior.kernel.clone(),
                hyperparameters: users.map_or(Vec::new(), |h| h.entries.clone()),
                share: self.user_prior.share,
                individual: self.user_prior.individual,
                common: self.user_prior.common,
            },
            tried: self.tried.clone(),
            report: self.model().report().clone(),
            notices: self.notices.clone(),
            functions,
            inducing_items,
            inducing_users,
            inflation,
            newcomer_inflation,
            shrinkage,
            responses: (!plain).then(|| (**self.answers.responses()).clone()),
            naming: self.naming.clone(),
        };
        PopulationParts { header, floats, integers }
    }

    /// A model from what a file held. Nothing is learned again: posteriors follow from sites.
    ///
    /// # Errors
    /// [`Error::ModelParts`] if the parts do not fit together, whoever wrote them.
    pub fn from_parts(parts: PopulationParts) -> Result<Self, Error> {
        let PopulationParts { header, mut floats, mut integers } = parts;
        if floats.values().flatten().any(|x| !x.is_finite()) {
            return Err(broken("a number is not finite"));
        }
        bounds::check_numbers(floats.values())?;
        let mut float = |name: &str| floats.remove(name).unwrap_or_default();
        let side = |keys: &[String], labels: Option<Column>, encoder: &Encoder, features: Vec<f64>| {
            let dims = encoder.features.len();
            if features.len() != keys.len() * dims {
                return Err(broken("the features are not one row an item or user"));
            }
            let points = Points::new((0..keys.len() as u64).collect(), dims, features);
            Ok(Catalogue::new(keys.to_vec(), labels, encoder.clone(), points, None))
        };
        let items = side(&header.items, header.labels.clone(), &header.item_encoder, float("item_features"))?;
        let users = side(&header.users, None, &header.user_encoder, float("user_features"))?;
        if !items.is_distinct() || !users.is_distinct() {
            return Err(broken("a name appears twice"));
        }
        let answers = answers(&header, &mut integers, float("counts"))?;
        let sites = Sites { tau: float("tau"), nu: float("nu") };
        let expected = match header.kind {
            // Answers of several users may be the same.
            Kind::Pooled => answers.pooled().records().len(),
            _ => answers.records().len(),
        };
        if sites.tau.len() != expected || sites.nu.len() != expected {
            return Err(broken("the answers and their sites differ in number"));
        }
        if answers.is_plain() && sites.tau.iter().any(|&t| t < 0.0) {
            return Err(broken("a site has a negative precision"));
        }
        bounds::check(&sites, &[], &header.hyperparameters)?;
        bounds::check(&sites, &[], &header.user_part.hyperparameters)?;
        let hyperparameters =
            checked(&header.kernel, &header.hyperparameters, items.points(), Some(answers.responses()))?;
        let UserPart { kernel, hyperparameters: entries, share, individual, common } = &header.user_part;
        let user_hyperparameters = match kernel {
            Some(kernel) => Some(checked(kernel, entries, users.points(), None)?),
            None => None,
        };
        let parts = [*share, *individual, *common];
        if parts.iter().any(|x| !(0.0..=LARGEST_VARIANCE).contains(x)) {
            return Err(broken("a variance of users is negative or beyond 1e100"));
        }
        let user_prior = UserPrior {
            kernel: user_hyperparameters.as_ref().map(|h| h.kernel.clone()),
            share: *share,
            individual: *individual,
            common: *common,
        };
        let report = header.report.clone();
        let values = hyperparameters.values();
        let data = Data {
            items: items.points(),
            users: user_prior.kernel.is_some().then_some(users.points()),
            answers: &answers,
        };
        let kernel = &hyperparameters.kernel;
        let embedded = || Items::new(kernel, items.points(), None);
        let fitted = match header.kind {
            Kind::PerUser => {
                let items = embedded()?;
                let prior = CommonPrior::of_kernel(&items);
                Fitted::PerUser(PerUser::restore(items, &answers, &values, prior, &sites, report)?)
            }
            Kind::Pooled => {
                let items = embedded()?;
                let prior = CommonPrior::of_kernel(&items);
                let everyone = PerUser::restore(items, &answers.pooled(), &values, prior, &sites, report)?;
                Fitted::Pooled(Pooled::of(everyone, &answers))
            }
            Kind::Hierarchical => {
                let base = integers.remove("feature_items").unwrap_or_default();
                let items = Items::restore(kernel, items.points(), &base, &float("known_features"))
                    .ok_or(broken("the features of the common prior are not those of its items"))?;
                let (mean, root) = (float("prior_mean"), float("prior_root"));
                let rank = items.rank();
                let rows = root.len() / rank.max(1);
                if root.len() != rows * rank {
                    return Err(broken("the common prior has no covariance"));
                }
                let root = Matrix::from_fn(rows, rank, |i, j| root[j * rows + i]);
                let prior = CommonPrior::restore(&items, mean, root)
                    .ok_or(broken("the common prior is not one of its items"))?;
                let sound = |s: &Shrinkage| Shrinkage::new(s.strength, s.common).is_ok();
                if !header.shrinkage.as_ref().is_none_or(sound) {
                    return Err(broken("the prior of what users have in common is none"));
                }
                let fitted = PerUser::restore(items, &answers, &values, prior, &sites, report)?;
                Fitted::Hierarchical(Hierarchical::of(fitted, header.shrinkage))
            }
            Kind::Kronecker => {
                let settings =
                    KroneckerSettings { method: Method::Ep, values, inference: Settings::default() };
                Fitted::Kronecker(Kronecker::restore(&data, kernel, &user_prior, &settings, &sites, report)?)
            }
            Kind::Collaborative => {
                let (n, u) = (items.keys().len(), users.keys().len());
                let outside = |chosen: &Option<Vec<usize>>, n: usize| {
                    chosen.as_ref().is_some_and(|c| c.is_empty() || c.iter().any(|&i| i >= n))
                };
                if outside(&header.inducing_items, n) || outside(&header.inducing_users, u) {
                    return Err(broken("an inducing point is missing"));
                }
                let saved = Saved {
                    sites,
                    item_tau: float("function_tau"),
                    item_nu: float("function_nu"),
                    weight_tau: float("weight_tau"),
                    weight_nu: float("weight_nu"),
                    weight_covariance: float("weight_covariance"),
                    total_covariance: float("total_covariance"),
                };
                // Before anything as large as the functions' number says is made.
                if header.functions == 0 || saved.weight_tau.len() / header.functions != u {
                    return Err(broken("the latent functions are not those of its users and pairs"));
                }
                let settings = collaborative::Settings {
                    functions: header.functions,
                    weights: Weights::Auto,
                    values,
                    inducing_items: header.inducing_items.clone(),
                    inducing_users: header.inducing_users.clone(),
                    inflation: header.inflation.unwrap_or(1.0),
                    newcomer_inflation: header.newcomer_inflation.unwrap_or(1.0),
                    ..collaborative::Settings::default()
                };
                let model = Collaborative::restore(&data, kernel, &user_prior, &settings, saved, report)?;
                Fitted::Collaborative(model)
            }
        };
        let model = Self {
            kind: header.kind,
            items,
            users,
            answers,
            hyperparameters,
            user_hyperparameters,
            user_prior,
            tried: header.tried,
            notices: header.notices,
            naming: header.naming,
            fitted,
        };
        model.check_predictions()?;
        model.check_naming()?;
        Ok(model)
    }

    /// Whether what a model from a file predicts for some of its users are numbers.
    fn check_predictions(&self) -> Result<(), Error> {
        let (_, pairs) = bounds::probed(self.items.keys().len());
        for user in
            (0..self.users.keys().len()).step_by(self.users.keys().len().div_ceil(PROBED_USERS).max(1))
        {
            let found = self.model().predict(user, &pairs)?;
            bounds::check_predictions(&found.mean, &found.variance, &found.probability)?;
        }
        Ok(())
    }

    /// Whether the naming is one of this model's items and users.
    pub(super) fn check_naming(&self) -> Result<(), Error> {
        let levels = self.model().responses().likelihoods().levels(0.0, 1.0).len();
        let grades = self.answers.responses().grades();
        self.naming.check(self.items.keys(), self.users.keys(), (levels, grades))
    }
}

/// Of so many users the predictions are looked at.
const PROBED_USERS: usize = 32;

/// The largest variance of what users share, or do not.
const LARGEST_VARIANCE: f64 = 1e100;

fn broken(what: &'static str) -> Error {
    Error::ModelParts { what }
}

/// A row of a file, about an item or two.
struct Row<'a> {
    record: &'a Record,
    answer: Answer,
    items: (usize, usize),
}

/// The items of the rows of an answer: one row, or one a pair of a set.
fn rows_of(answer: &Answer) -> impl Iterator<Item = (usize, usize)> + use<> {
    let set: Vec<usize> = if answer.is_of_set() { answer.items().collect() } else { Vec::new() };
    let one = (!answer.is_of_set()).then_some((answer.plus, answer.minus.unwrap_or(answer.plus)));
    one.into_iter().chain(pairs_of(&set).collect::<Vec<_>>())
}

/// The records, which must be as [`UserAnswers`] merges and sorts them: sites go by their order.
fn answers(
    header: &PopulationHeader,
    integers: &mut BTreeMap<&'static str, Vec<u64>>,
    counts: Vec<f64>,
) -> Result<UserAnswers, Error> {
    let mut take = |name: &str| integers.remove(name).unwrap_or_default();
    let (user, winner, loser, count) = (take("user"), take("winner"), take("loser"), take("count"));
    let plain = Responses::default();
    let responses = header.responses.as_ref().unwrap_or(&plain);
    let numbers = if header.responses.is_some() { take("answer") } else { vec![0; user.len()] };
    let lengths = [winner.len(), loser.len(), count.len(), numbers.len()];
    if lengths.iter().any(|&n| n != user.len()) || ![0, user.len()].contains(&counts.len()) {
        return Err(broken("the answers are not complete"));
    }
    if !responses.is_sound() {
        return Err(broken("a response is not valid"));
    }
    let mut given: Vec<Answer> = Vec::with_capacity(user.len());
    let mut n = 0;
    while n < user.len() {
        let count = counts.get(n).copied().unwrap_or(count[n] as f64);
        if !(count > 0.0 && count <= f64::from(u32::MAX)) {
            return Err(broken("a count is not between 0 and 4294967295"));
        }
        let place = |x: u64| usize::try_from(x).map_err(|_| broken("an answer is of nobody"));
        let said = responses.replies.get((numbers[n] / 2) as usize);
        let said = *said.ok_or(broken("an answer has no response"))?;
        let (first, second) = (place(winner[n])?, place(loser[n])?);
        let (answer, rows) = match PartialOrder::of_reply(&said) {
            // The pairs of a set begin with those of its first item.
            Some(order) => {
                let others = loser.get(n..n + order.options() - 1);
                let others = others.ok_or(broken("a set has not all of its pairs"))?;
                (Answer::of_set(first, others.iter().map(|&item| item as usize), said), order.pairs())
            }
            None => {
                let is_pair = first != second || header.responses.is_none();
                (Answer::of(first, is_pair.then_some(second), said), 1)
            }
        };
        given.push(Answer { positive: numbers[n] % 2 == 0, ..answer.by(place(user[n])?).times(count) });
        n += rows;
    }
    let answers = UserAnswers::of(&header.users, header.items.len(), &given, responses.response_model)?;
    if !answers.answers().eq(given.iter().copied()) {
        return Err(broken("the answers are not in order"));
    }
    Ok(answers)
}

/// Hyperparameters that fit their kernel, and a kernel that fits its features.
fn checked(
    kernel: &Kernel,
    entries: &[Hyperparameter],
    points: &Points,
    responses: Option<&Responses>,
) -> Result<Hyperparameters, Error> {
    kernel.check(points.dims())?;
    let of_responses = responses.map_or(0, |responses| responses.parameters(1.0).len());
    if entries.len() != kernel.parameters().len() + 1 + of_responses {
        return Err(broken("the hyperparameters are not those of the kernel"));
    }
    let mut out = Hyperparameters { kernel: kernel.clone(), entries: entries.to_vec() };
    let values: Vec<f64> = entries.iter().map(|e| e.value).collect();
    out.set(&values)?;
    bounds::check_kernel(&out.kernel, points)?;
    let noise = out.noise();
    if noise.is_finite() && noise > 0.0 { Ok(out) } else { Err(broken("the noise is not positive")) }
}
