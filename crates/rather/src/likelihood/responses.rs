//! All answers of a fit: what was said, by whom, by which response model, and the likelihoods of it at a setting of their parameters.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::answer_model::AnswerModel;
use super::choice_set::{ChoiceSet, PartialOrder, SetChoice, SetLikelihood};
use super::graded::TIE;
use super::gumbel_set::GumbelSet;
use super::preference::Preference;
use super::response::{
    AnswerOption, BIAS, Kind, Lapses, Link, Parameter, RESPONSES, Reply, ResponseModel, Setting, Survey,
};
use super::{LAPSE, LOG_NOISE, Lapse, Likelihood, Measurement, Probit, Slopes};
use crate::parameter::Hyperparameter;

/// What an observation says: the place of its [`Reply`] among all that was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct AnswerIndex(pub u32);

impl AnswerIndex {
    /// "This rather than that": two noisy utilities were compared, and one had to be chosen.
    pub const CHOICE: Self = Self(0);
    /// One of two classes: one noisy utility was compared with nought.
    pub const LABEL: Self = Self(1);
}

/// What was said, and how people answer. The first two are always [`Reply::CHOICE`] and [`Reply::LABEL`], said or not.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Responses {
    /// All that was said, each once.
    #[serde(rename = "said")]
    pub replies: Vec<Reply>,
    /// How often.
    pub counts: Vec<f64>,
    /// The users' names.
    pub users: Vec<String>,
    /// How people answer.
    #[serde(rename = "manner")]
    pub response_model: ResponseModel,
}

impl Default for Responses {
    fn default() -> Self {
        Self {
            replies: vec![Reply::CHOICE, Reply::LABEL],
            counts: vec![0.0; 2],
            users: Vec::new(),
            response_model: ResponseModel::default(),
        }
    }
}

impl Responses {
    /// Whether nothing but plain comparisons and labels was said, by people who do not err otherwise than by noise.
    pub fn is_plain(&self) -> bool {
        self.replies.len() == 2 && self.response_model == ResponseModel::default()
    }

    /// Whether all answers are plain, or about sets of items with the noise that plain ones have.
    pub(crate) fn is_of_choices(&self) -> bool {
        let of_set =
            |reply: &Reply| PartialOrder::of_reply(reply).is_some_and(|order| order.reply() == *reply);
        self.replies.iter().skip(2).all(of_set) && self.response_model == ResponseModel::default()
    }

    /// Whether there are answers about sets of items, taken jointly.
    pub(crate) fn has_sets(&self) -> bool {
        self.replies.iter().any(|reply| PartialOrder::of_reply(reply).is_some())
    }

    /// Whether every likelihood is log-concave: lapses and outliers have heavier tails.
    pub fn is_log_concave(&self) -> bool {
        let ResponseModel { lapses, robust, .. } = self.response_model;
        !robust && matches!(lapses, Lapses::Never | Lapses::Rate(0.0))
    }

    /// Whether a sparse precision, to which a site adds an edge, can take these answers.
    pub(crate) fn has_sparse_precision(&self) -> bool {
        self.is_log_concave() && !self.response_model.pair_effect
    }

    /// Whether every answer is a choice, a tie, a grade or a label behind which is the noise of items, the same for all.
    pub(crate) fn has_one_noise(&self) -> bool {
        let kinds = [Reply::CHOICE, Reply::LABEL, Reply::TIE].map(|reply| reply.kind);
        let of_items = |reply: &Reply| kinds.contains(&reply.kind) && reply.noise == 1.0;
        self.has_sparse_precision() && !self.response_model.user_noise && self.replies.iter().all(of_items)
    }

    /// Every answer that could have been given in the place of `said` about the same projection, which is one of them unless they cannot be
    /// listed (a measured value): each with the sign with which it is about the projection.
    pub fn options(&self, said: &Reply) -> Vec<(Reply, f64)> {
        let option = |AnswerOption { datum, sign }: AnswerOption| {
            // The side is that of the item that the answer speaks for.
            (Reply { datum, side: if sign < 0.0 { -said.side } else { said.side }, ..*said }, sign)
        };
        said.kind.0.options(&self.survey(said.kind, 1.0)).into_iter().map(option).collect()
    }

    /// The same with more that may be said, which nobody has said; what was said keeps its place.
    pub fn with(&self, more: impl IntoIterator<Item = Reply>) -> Self {
        let mut out = self.clone();
        let mut known: HashSet<_> = out.replies.iter().map(Reply::key).collect();
        for said in more {
            if known.insert(said.key()) {
                out.replies.push(said);
                // Something that may be said is there to be counted, and counts for nothing.
                out.counts.push(f64::MIN_POSITIVE);
            }
        }
        out
    }

    /// The values of these parameters, where those of `learned` have `values`: parameters of the same name have the same value, others are at
    /// their starts.
    pub fn values(&self, learned: &Self, values: &Values) -> Values {
        let noise = values.noise();
        let known: Vec<(Hyperparameter, f64)> =
            learned.parameters(noise).into_iter().zip(values.0[1..].iter().copied()).collect();
        let of =
            |p: Hyperparameter| known.iter().find(|(l, _)| l.name == p.name).map_or(p.value, |(_, v)| *v);
        Values(std::iter::once(noise).chain(self.parameters(noise).into_iter().map(of)).collect())
    }

    /// Whether the parameters of this answer's likelihood are those of these answers.
    pub(crate) fn has_learned(&self, said: &Reply) -> bool {
        if [Reply::CHOICE.kind, Reply::LABEL.kind, Kind(&SetChoice)].contains(&said.kind) {
            return true;
        }
        let survey = self.survey(said.kind, 1.0);
        if said.kind == Reply::TIE.kind && survey.replies.is_empty() {
            // Differences tell of ties, too.
            return self.has_ties() && said.datum <= 1.0;
        }
        let ordered = !said.kind.0.options(&survey).is_empty();
        // A tie has a threshold of its own; other levels and grades have those up to the largest one.
        let is_tie = *said == Reply { side: said.side, user: said.user, noise: said.noise, ..Reply::TIE };
        survey.replies.iter().any(|(known, _)| known.datum == said.datum)
            || (!survey.replies.is_empty() && !is_tie && (!ordered || said.datum <= survey.largest()))
    }

    /// Whether what a stranger's file says was said can be taken at its word.
    pub(crate) fn is_sound(&self) -> bool {
        let sound = |said: &Reply| {
            said.datum.is_finite()
                && said.noise.is_finite()
                && said.noise > 0.0
                && (-1..=1).contains(&said.side)
                && said.user.is_none_or(|user| (user as usize) < self.users.len())
                && said.fits()
        };
        self.replies.starts_with(&[Reply::CHOICE, Reply::LABEL])
            && self.replies.iter().all(sound)
            && self.response_model.is_sound()
    }

    /// The kinds of answers that were given, in the order of [`RESPONSES`], then others.
    fn kinds(&self) -> Vec<Kind> {
        let used =
            || self.replies.iter().zip(&self.counts).filter(|(_, n)| **n > 0.0).map(|(said, _)| said.kind);
        let known = RESPONSES.iter().map(|&r| Kind(r)).filter(|kind| used().any(|k| k == *kind));
        let mut out: Vec<Kind> = known.collect();
        used().for_each(|kind| {
            if !out.contains(&kind) {
                out.push(kind);
            }
        });
        out
    }

    fn survey(&self, kind: Kind, noise: f64) -> Survey<'_> {
        let all =
            || self.replies.iter().zip(&self.counts).map(|(&said, &n)| (said, n)).filter(|(_, n)| *n > 0.0);
        Survey {
            replies: all().filter(|(said, _)| said.kind == kind).collect(),
            alone: all().all(|(said, _)| said.kind == kind),
            users: &self.users,
            response_model: &self.response_model,
            noise,
        }
    }

    /// The parameters of the likelihoods besides the noise of an item, at their starts, where that noise is `noise`.
    pub fn parameters(&self, noise: f64) -> Vec<Hyperparameter> {
        let kinds = self.kinds();
        let mut out: Vec<Hyperparameter> = Vec::new();
        let mut add = |parameter: Hyperparameter| {
            if out.iter().all(|p| p.name != parameter.name) {
                out.push(parameter);
            }
        };
        let mut counted = false;
        for &kind in &kinds {
            let survey = self.survey(kind, noise);
            counted |= !kind.0.options(&survey).is_empty();
            kind.0.parameters(&survey).into_iter().for_each(&mut add);
        }
        match self.response_model.lapses {
            Lapses::Learned | Lapses::ByUser if counted => {
                add(Hyperparameter::share(LAPSE_RATE, LAPSE_START, LAPSE_SD))
            }
            _ => {}
        }
        if self.response_model.user_noise {
            let factor = |name: &String| Hyperparameter::positive(&factor_of(name), 1.0, FACTOR_SD);
            self.answering().into_iter().map(factor).for_each(&mut add);
        }
        if self.response_model.lapses == Lapses::ByUser && counted {
            let odds = |name: &String| Hyperparameter::positive(&odds_of(name), 1.0, ODDS_SD);
            self.answering().into_iter().map(odds).for_each(&mut add);
        }
        if self.response_model.pair_effect {
            add(Hyperparameter::positive(PAIR_EFFECT, noise * PAIR_EFFECT_START, PAIR_EFFECT_SD));
        }
        out
    }

    /// The users who gave an answer, in their order.
    fn answering(&self) -> Vec<&String> {
        let mut users: Vec<u32> = self.replies.iter().filter_map(|said| said.user).collect();
        users.sort_unstable();
        users.dedup();
        users.into_iter().filter_map(|user| self.users.get(user as usize)).collect()
    }

    /// The likelihoods at `values` of the noise and then the parameters; those that are not given are at their starts.
    pub fn likelihoods(&self, values: &Values) -> Likelihoods {
        let noise = values.noise();
        if self.is_plain() {
            return Likelihoods::new(noise);
        }
        let entries = self.parameters(noise);
        let mut all = values.0.clone();
        all.extend(entries.iter().skip(all.len() - 1).map(|e| e.value));
        let of_pairs = entries.iter().position(|e| e.name == PAIR_EFFECT);
        let pair_effect = of_pairs.map(|at| Parameter { index: at + 1, value: all[at + 1], slope: 1.0 });
        let chances = self.chances();
        let learned = entries.iter().position(|e| e.name == LAPSE_RATE).map_or(0.0, |at| all[at + 1]);
        let lapse = if let Lapses::Rate(rate) = self.response_model.lapses { rate } else { learned };
        let make = |said: &Reply| self.entry(said, &entries, &all, &chances);
        let levels = self.kinds().into_iter().find(|kind| kind.0.name() == "rating");
        let levels = levels.map_or(0, |kind| kind.0.options(&self.survey(kind, noise)).len());
        // After what was said comes what may be said of two items as they are shown.
        let mut number = self.replies.len() as u32..;
        let mut entries_of: Vec<Entry> = self.replies.iter().map(make).collect();
        let mut number_of = |said: &Reply| {
            entries_of.push(make(said));
            AnswerIndex(number.next().unwrap_or_default())
        };
        let shown = [1, -1].map(|side| number_of(&Reply { side, ..Reply::CHOICE }));
        let outcomes =
            self.outcomes().into_iter().map(|(name, sign, said)| (name, sign, number_of(&said))).collect();
        Likelihoods {
            comparison: Probit::comparison(noise),
            label: Probit::label(noise),
            parameters: entries.len(),
            pair_effect,
            entries: entries_of,
            shown,
            outcomes,
            is_probit: self.response_model.link == Link::Probit && lapse == 0.0,
            has_sides: entries.iter().any(|e| e.name == BIAS),
            levels: (0..levels).map(|level| make(&Reply::rated(level as u16))).collect(),
        }
    }

    /// What may be said of two items as they are shown, from the strongest preference for the left to that for the right, if that is
    /// more than which is preferred: there are ties or grades, or the left has an advantage.
    fn outcomes(&self) -> Vec<(Preference, f64, Reply)> {
        let survey = self.survey(Reply::TIE.kind, 1.0);
        let tied = self.has_ties();
        let graded = tied || !survey.replies.is_empty();
        if !graded && !self.response_model.bias {
            return Vec::new();
        }
        let said = |grade: u8| if graded { Reply::better(grade) } else { Reply::CHOICE };
        let left = |grade| (Preference::Left(grade), 1.0, Reply { side: 1, ..said(grade) });
        let right = |grade| (Preference::Right(grade), -1.0, Reply { side: -1, ..said(grade) });
        let tie = tied.then_some((Preference::Tie, 1.0, Reply { side: 1, ..Reply::TIE }));
        let best = survey.largest().max(1.0) as u8;
        (1..=best).rev().map(left).chain(tie).chain((1..=best).map(right)).collect()
    }

    /// Whether items may be equally good: ties were told, or differences that are whole numbers.
    pub fn has_ties(&self) -> bool {
        self.parameters(1.0).iter().any(|p| p.name == TIE)
    }

    /// How many grades of a preference may be said; 0 without ties and grades.
    pub fn grades(&self) -> usize {
        let survey = self.survey(Reply::TIE.kind, 1.0);
        if survey.replies.is_empty() && !self.has_ties() { 0 } else { survey.largest().max(1.0) as usize }
    }

    /// For each kind of answer, with what probability one who is not attending gives one of them; not for those that cannot be counted.
    fn chances(&self) -> Vec<(Kind, f64)> {
        let mut kinds = self.kinds();
        // What is predicted may not have been said.
        for kind in [Reply::CHOICE.kind, Reply::LABEL.kind] {
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        let of = |kind: Kind| (kind, kind.0.options(&self.survey(kind, 1.0)).len());
        let listed = kinds.into_iter().map(of).filter(|(_, options)| *options > 0);
        listed.map(|(kind, options)| (kind, 1.0 / options as f64)).collect()
    }

    fn entry(
        &self,
        said: &Reply,
        entries: &[Hyperparameter],
        values: &[f64],
        chances: &[(Kind, f64)],
    ) -> Entry {
        let find = |name: &str| {
            let at = entries.iter().position(|e| e.name == name)?;
            Some(Parameter { index: at + 1, value: values[at + 1], slope: 1.0 })
        };
        let of_user = |name: fn(&str) -> String| find(&name(self.users.get(said.user? as usize)?));
        let own = of_user(factor_of);
        let setting = Setting {
            response_model: &self.response_model,
            users: &self.users,
            noise: Parameter { index: 0, value: values[0], slope: values[0] },
            factor: said.noise * own.map_or(1.0, |f| f.value),
            entries,
            values,
        };
        let mut stated = said.kind.0.likelihood(said, &setting);
        if let Some(own) = own {
            stated = stated.on_log(LOG_NOISE, own);
        }
        if let Some(&(_, chance)) = chances.iter().find(|(kind, _)| *kind == said.kind) {
            let (learned, odds) = (find(LAPSE_RATE), of_user(odds_of));
            let rate = match self.response_model.lapses {
                Lapses::Rate(rate) => rate,
                _ => learned.map_or(0.0, |l| scaled(l.value, odds.map_or(1.0, |odds| odds.value))),
            };
            if rate > 0.0 {
                stated.likelihood = Box::new(Lapse::of(stated.likelihood, rate, chance));
            }
            if let Some(lapse) = learned {
                stated = stated.on(LAPSE, lapse, 1.0 / (lapse.value * (1.0 - lapse.value)));
            }
            if let Some(odds) = odds {
                stated = stated.on_log(LAPSE, odds);
            }
        }
        let measurement = said.kind.0.measurement(said, &setting);
        let set = said.kind.0.set(said, &setting);
        Entry { likelihood: Arc::from(stated.likelihood), depends: stated.depends, measurement, set }
    }
}

/// The name of the rate of lapses.
const LAPSE_RATE: &str = "lapse";
const LAPSE_START: f64 = 0.05;
/// Two standard deviations are from 0.3 to 50 percent.
const LAPSE_SD: f64 = 1.5;
const FACTOR_SD: f64 = 0.5;
/// How users' log odds of a lapse differ: two standard deviations are from a seventh to seven times the odds of all.
const ODDS_SD: f64 = 1.0;
/// The name of the standard deviation of the pairs' random effects, its start in standard deviations of the noise of an item, and the spread of its prior.
pub(crate) const PAIR_EFFECT: &str = "pair_effect";
const PAIR_EFFECT_START: f64 = 0.5;
const PAIR_EFFECT_SD: f64 = 1.0;

/// The parameter by which the odds of a user's lapses are multiplied.
fn odds_of(user: &str) -> String {
    format!("lapse.odds[{user}]")
}

/// The probability whose odds are `factor` times those of `rate`.
fn scaled(rate: f64, factor: f64) -> f64 {
    factor * rate / (1.0 - rate + factor * rate)
}

fn factor_of(user: &str) -> String {
    format!("factor[{user}]")
}

/// The values of the noise of an item and of the other parameters of the likelihoods.
#[derive(Debug, Clone, PartialEq)]
pub struct Values(pub Vec<f64>);

impl Values {
    /// The standard deviation of the noise of an item.
    pub fn noise(&self) -> f64 {
        self.0[0]
    }
}

impl From<f64> for Values {
    /// A noise, and all else at its start.
    fn from(noise: f64) -> Self {
        Self(vec![noise])
    }
}

/// The likelihood of one thing said, and how its slots depend on the values.
#[derive(Clone)]
struct Entry {
    likelihood: Arc<dyn Likelihood>,
    depends: Vec<(usize, usize, f64)>,
    measurement: Option<Measurement>,
    /// The factor of an answer about a set of items.
    set: Option<SetLikelihood>,
}

/// The likelihoods of all that was said, at one setting of their parameters.
///
/// Noise belongs to the item and has the standard deviation `noise` each time an item is looked at: the difference of two
/// has `s = sqrt(2) noise`, the utility behind a class label `s = noise`.
#[derive(Clone)]
pub struct Likelihoods {
    /// A choice between two items by the noise alone: without lapses, bias or link.
    pub comparison: Probit,
    /// A class label by the noise alone.
    pub label: Probit,
    parameters: usize,
    /// The standard deviation of the pairs' random effects, if they have any.
    pair_effect: Option<Parameter>,
    entries: Vec<Entry>,
    shown: [AnswerIndex; 2],
    outcomes: Vec<(Preference, f64, AnswerIndex)>,
    /// Whether a choice that must be made is a probit.
    is_probit: bool,
    /// Whether the left has an advantage.
    has_sides: bool,
    levels: Vec<Entry>,
}

impl fmt::Debug for Likelihoods {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Likelihoods")
            .field("comparison", &self.comparison)
            .field("said", &self.entries.len())
            .field("parameters", &self.parameters)
            .finish_non_exhaustive()
    }
}

impl Likelihoods {
    /// The likelihoods of plain comparisons and labels at a noise of standard deviation `noise` an item.
    pub fn new(noise: f64) -> Self {
        let (comparison, label) = (Probit::comparison(noise), Probit::label(noise));
        let entry = |probit: Probit| Entry {
            likelihood: Arc::new(probit),
            depends: vec![(LOG_NOISE, 0, 1.0)],
            measurement: None,
            set: None,
        };
        Self {
            comparison,
            label,
            parameters: 0,
            pair_effect: None,
            entries: vec![entry(comparison), entry(label)],
            shown: [AnswerIndex::CHOICE; 2],
            outcomes: Vec::new(),
            is_probit: true,
            has_sides: false,
            levels: Vec::new(),
        }
    }

    /// The likelihood of one answer.
    pub fn of(&self, answer: AnswerIndex) -> &dyn Likelihood {
        self.entries[answer.0 as usize].likelihood.as_ref()
    }

    /// The measurement that an answer is, if it is one.
    pub(crate) fn measurement(&self, answer: AnswerIndex) -> Option<Measurement> {
        self.entries[answer.0 as usize].measurement
    }

    /// The factor of an answer about a set of items, if it is one. Its observations are all pairs of the set, one after the other.
    pub(crate) fn about_set(&self, answer: AnswerIndex) -> Option<&SetLikelihood> {
        self.entries[answer.0 as usize].set.as_ref()
    }

    /// [`Likelihoods::about_set`] with normal noise.
    pub(crate) fn set(&self, answer: AnswerIndex) -> Option<&ChoiceSet> {
        match self.about_set(answer)? {
            SetLikelihood::Normal(set) => Some(set),
            SetLikelihood::Gumbel(_) => None,
        }
    }

    /// [`Likelihoods::about_set`] with Gumbel noise.
    pub(crate) fn gumbel_set(&self, answer: AnswerIndex) -> Option<&GumbelSet> {
        match self.about_set(answer)? {
            SetLikelihood::Normal(_) => None,
            SetLikelihood::Gumbel(set) => Some(set),
        }
    }

    /// Whether all answers about sets of items have the noise of a link.
    pub(crate) fn sets_have(&self, link: Link) -> bool {
        let noise = |set: &SetLikelihood| match set {
            SetLikelihood::Normal(_) => Link::Probit,
            SetLikelihood::Gumbel(_) => Link::Logistic,
        };
        self.entries.iter().filter_map(|entry| entry.set.as_ref()).all(|set| noise(set) == link)
    }

    /// The likelihood of "left rather than right" where one must be chosen, as people answer.
    pub fn choice(&self) -> &dyn Likelihood {
        self.of(AnswerIndex::CHOICE)
    }

    /// "This rather than that", said of two items as they are shown, by somebody who must choose one: of the item on the left, and of the
    /// one on the right. A learned advantage of the left counts.
    pub fn shown(&self) -> [AnswerIndex; 2] {
        self.shown
    }

    /// What may be said of two items as they are shown: with which sign it is about the difference of the left one's utility and the right
    /// one's, and as which answer. Empty if only who is preferred can be said, and sides do not matter.
    pub fn outcomes(&self) -> &[(Preference, f64, AnswerIndex)] {
        &self.outcomes
    }

    /// Every answer to two items as they are shown, from "the right one" to "the left one", with the sign with which it is about the difference
    /// of the right one's utility and the left one's.
    pub(crate) fn answers(&self) -> Vec<(f64, AnswerIndex)> {
        match self.outcomes.as_slice() {
            [] => vec![(1.0, AnswerIndex::CHOICE), (-1.0, AnswerIndex::CHOICE)],
            outcomes => outcomes.iter().rev().map(|&(_, sign, answer)| (-sign, answer)).collect(),
        }
    }

    /// What may be answered to two items as they are shown, a random effect of the pair aside.
    pub fn answer_model(&self) -> AnswerModel {
        let s = self.comparison.s();
        if self.is_probit && self.outcomes.is_empty() {
            return AnswerModel::probit(s);
        }
        let of = |(sign, answer): (f64, AnswerIndex)| {
            (sign, Arc::clone(&self.entries[answer.0 as usize].likelihood))
        };
        let answers = self.answers().into_iter().map(of).collect();
        AnswerModel::of_likelihoods(answers, s, !self.has_sides)
    }

    /// The levels of a rating of an item, the highest first, as functions of its utility; `None` if there are no ratings.
    pub fn rating_model(&self) -> Option<AnswerModel> {
        let levels = || self.levels.iter().rev().map(|level| (1.0, Arc::clone(&level.likelihood)));
        let s = self.label.s();
        (!self.levels.is_empty()).then(|| AnswerModel::of_likelihoods(levels().collect(), s, false))
    }

    /// [`Likelihoods::outcomes`] of two items whose difference of utilities is `N(mean, variance)`, with their probabilities.
    pub fn outcome_probabilities(&self, mean: f64, variance: f64) -> Vec<(Preference, f64)> {
        let one = |&(name, sign, answer): &(Preference, f64, AnswerIndex)| {
            (name, self.of(answer).probability(sign * mean, variance))
        };
        self.outcomes.iter().map(one).collect()
    }

    /// The probabilities that the first of two items is preferred, neither, and the second, where the difference of their utilities is `z` and the first one
    /// is on the left if that matters.
    pub(crate) fn chances(&self, z: f64) -> [f64; 3] {
        let of = |answer: AnswerIndex, z: f64| self.of(answer).log_density(z).value.exp();
        if self.outcomes.is_empty() {
            let first = of(AnswerIndex::CHOICE, z);
            return [first, 0.0, 1.0 - first];
        }
        let mut out = [0.0; 3];
        for &(preference, sign, answer) in &self.outcomes {
            let place = match preference {
                Preference::Left(_) => 0,
                Preference::Tie => 1,
                Preference::Right(_) => 2,
            };
            out[place] += of(answer, sign * z);
        }
        out
    }

    /// The probabilities of the levels of a rating, the lowest first, of an item whose utility is `N(mean, variance)`; empty if
    /// there are no ratings.
    pub fn levels(&self, mean: f64, variance: f64) -> Vec<f64> {
        self.levels.iter().map(|entry| entry.likelihood.probability(mean, variance)).collect()
    }

    /// Number of values: the noise and the other parameters.
    pub fn values(&self) -> usize {
        self.parameters + 1
    }

    /// The variance of the random effect of a pair, which is added to the difference of its utilities; 0 if there is none.
    pub fn pair_variance(&self) -> f64 {
        self.pair_effect.map_or(0.0, |sd| sd.value * sd.value)
    }

    /// Adds what the derivative of the log evidence in [`Likelihoods::pair_variance`] is in the values.
    pub(crate) fn add_slope_of_pairs(&self, d_variance: f64, to: &mut [f64]) {
        if let Some(Parameter { index, value, slope }) = self.pair_effect {
            to[index] += d_variance * 2.0 * value * slope;
        }
    }

    /// Adds, `weight` times, what the derivatives in the slots of an answer's likelihood are in the log of the noise and in the other values.
    pub fn add_slopes(&self, answer: AnswerIndex, slopes: &Slopes, weight: f64, to: &mut [f64]) {
        for &(slot, index, factor) in &self.entries[answer.0 as usize].depends {
            to[index] += weight * (factor * slopes[slot]);
        }
    }
}
