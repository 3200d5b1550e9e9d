//! Kinds of answers: what may be said, which parameters that brings, and the likelihood of what was said.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{PoisonError, RwLock};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::choice::{Choice, Label};
use super::choice_set::{SetChoice, SetLikelihood};
use super::difference::Difference;
use super::good::Good;
use super::graded::Graded;
use super::measured::Measured;
use super::rating::Rating;
use super::{LOG_NOISE, Likelihood, Measurement};
use crate::Error;
use crate::parameter::Hyperparameter;

/// The kinds of answers that a file may name. A new one is a file beside this and a line here.
pub static RESPONSES: &[&dyn Response] =
    &[&Choice, &Label, &Graded, &Difference, &Rating, &Measured, &Good, &SetChoice];

/// The largest number that people are asked for: more answers no page can show.
const MOST_OF_SCALE: u8 = 10;

/// Those of a user's own.
static OWN: RwLock<Vec<&'static dyn Response>> = RwLock::new(Vec::new());

/// Makes a kind of answer of one's own known to tables, model files and studies, in this process. The same kind may be registered again.
///
/// # Errors
/// [`Error::ResponseName`] if another one has its name or its column.
pub fn register(response: &'static dyn Response) -> Result<(), Error> {
    let mut own = OWN.write().unwrap_or_else(PoisonError::into_inner);
    let known = |r: &&'static dyn Response| r.name() == response.name();
    if own.iter().any(known) {
        return Ok(());
    }
    let column = |r: &&'static dyn Response| r.column().is_some() && r.column() == response.column();
    if RESPONSES.iter().chain(own.iter()).any(|r| known(r) || column(r)) {
        return Err(Error::ResponseName { name: response.name() });
    }
    own.push(response);
    Ok(())
}

/// The kinds of answers that there are, one's own after those of [`RESPONSES`].
pub fn responses() -> Vec<Kind> {
    let own = OWN.read().unwrap_or_else(PoisonError::into_inner);
    RESPONSES.iter().chain(own.iter()).map(|&response| Kind(response)).collect()
}

/// A kind of answer.
pub trait Response: fmt::Debug + Send + Sync {
    /// Its name, which no other has.
    fn name(&self) -> &'static str;

    /// The parameters of its likelihoods besides the noise of an item, for the answers in `survey`; those that other kinds have
    /// too, by the same name, are the same parameter.
    fn parameters(&self, survey: &Survey<'_>) -> Vec<Hyperparameter>;

    /// The likelihood of one answer at a setting of the parameters, and how it depends on them.
    fn likelihood(&self, said: &Reply, at: &Setting<'_>) -> ResponseLikelihood;

    /// Of an answer that is a number with noise: the measurement that it is. Its distribution is what is predicted.
    fn measurement(&self, _said: &Reply, _at: &Setting<'_>) -> Option<Measurement> {
        None
    }

    /// Of an answer about a set of items: the factor of their utilities that it is, in the place of [`Response::likelihood`].
    #[doc(hidden)]
    fn set(&self, _said: &Reply, _at: &Setting<'_>) -> Option<SetLikelihood> {
        None
    }

    /// Whether `datum` can be said.
    fn accepts(&self, datum: f64) -> bool;

    /// Of a kind of answer that compares two items by a whole number: the largest number that people are asked for, up to 10.
    /// Studies then ask for a number from minus to plus this, positive where the left item is better; the datum of such an answer
    /// ([`Reply::datum`]) is the size of the number, and it speaks for the better item. For 0 the likelihood must be even. `None` for other kinds.
    fn comparison_scale(&self) -> Option<u8> {
        None
    }

    /// The column of a table whose cells are answers of this kind: about the item in the column `item`, or, of a kind with a
    /// [`Response::comparison_scale`], about the items in `left` and `right`, as a number that is positive where `left` is better. `None` for a
    /// kind that is not read so.
    fn column(&self) -> Option<&'static str> {
        None
    }

    /// The datum of a cell of [`Response::column`], of an answer about one item.
    ///
    /// # Errors
    /// What a cell must be, as the end of a sentence: "must be a whole number".
    fn read(&self, _cell: &str) -> Result<f64, &'static str> {
        Err("is of a kind that tables do not have")
    }

    /// Every answer that can be given, in an order from one end to the other, if they can be listed: one who is not attending gives each of
    /// them with the same probability. Nothing of measured values.
    fn options(&self, _survey: &Survey<'_>) -> Vec<AnswerOption> {
        Vec::new()
    }
}

/// An answer that can be given.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AnswerOption {
    /// Its datum.
    pub datum: f64,
    /// 1 if it speaks for the first item, or for the one item, -1 if against it.
    pub sign: f64,
}

impl AnswerOption {
    /// For, and against.
    pub(super) fn either() -> Vec<Self> {
        [1.0, -1.0].map(|sign| Self { datum: 0.0, sign }).to_vec()
    }
}

/// A kind of answer, by reference; equal to another if the names are.
#[derive(Debug, Clone, Copy)]
pub struct Kind(pub &'static dyn Response);

impl Kind {
    /// The largest number that people are asked for, of a kind that compares two items by one ([`Response::comparison_scale`]).
    pub fn scale(self) -> Option<u8> {
        self.0.comparison_scale().map(|scale| scale.clamp(1, MOST_OF_SCALE))
    }

    /// What a cell of the column of this kind of answer ([`Response::column`]) says.
    ///
    /// # Errors
    /// As [`Response::read`]; for a datum that is none of this kind ([`Response::accepts`]).
    pub fn read(self, cell: &str) -> Result<Reply, &'static str> {
        let reply = Reply::new(self, self.0.read(cell)?);
        if reply.fits() { Ok(reply) } else { Err("is no answer of its kind") }
    }
}

impl Hash for Kind {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.name().hash(state);
    }
}

impl PartialEq for Kind {
    fn eq(&self, other: &Self) -> bool {
        self.0.name() == other.0.name()
    }
}

impl Eq for Kind {}

impl Serialize for Kind {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.0.name())
    }
}

impl<'de> Deserialize<'de> for Kind {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let name = String::deserialize(from)?;
        let known = responses().into_iter().find(|kind| kind.0.name() == name);
        known.ok_or_else(|| serde::de::Error::custom(format!("no kind of answer is called {name}")))
    }
}

/// What was said, whoever and whatever it is about.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    /// The kind of answer.
    pub kind: Kind,
    /// What was said: a grade, a level, a value; 0 where there is nothing more to say.
    pub datum: f64,
    /// Of a comparison: 1 if the item that counts positively was shown on the left, -1 if on the right, 0 if that is not known. Of a measured
    /// value: 1 if it is a lower bound, -1 if an upper one.
    pub side: i8,
    /// Who said it, if that matters.
    pub user: Option<u32>,
    /// The noise of this answer relative to that of others.
    pub noise: f64,
}

impl Reply {
    /// "This rather than that", where one of the two must be chosen.
    pub const CHOICE: Self = Self::plain(Kind(&Choice));
    /// "Of the class."
    pub const LABEL: Self = Self::plain(Kind(&Label));

    const fn plain(kind: Kind) -> Self {
        Self { kind, datum: 0.0, side: 0, user: None, noise: 1.0 }
    }

    /// An answer of `kind` with its `datum`.
    pub const fn new(kind: Kind, datum: f64) -> Self {
        Self { datum, ..Self::plain(kind) }
    }

    /// Whether its datum is one that this kind of answer has.
    pub fn fits(&self) -> bool {
        self.kind.0.accepts(self.datum)
    }

    /// What tells two answers apart, in an order.
    pub(crate) fn key(&self) -> (&'static str, u64, i8, Option<u32>, u64) {
        // The order of the bits, with the sign put right, is that of the numbers.
        let ordered = |x: f64| if x < 0.0 { !x.to_bits() } else { x.to_bits() ^ (1 << 63) };
        (self.kind.0.name(), ordered(self.datum), self.side, self.user, ordered(self.noise))
    }
}

/// The name of the parameter that is the advantage of the left.
pub(super) const BIAS: &str = "bias";

/// How the noise of a comparison is distributed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Link {
    /// Normal (Thurstone).
    #[default]
    Probit,
    /// Logistic, of the same standard deviation (Bradley and Terry).
    Logistic,
}

/// How often an answer is given at random.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Lapses {
    /// Never.
    #[default]
    Never,
    /// At this rate, from 0 to below 1.
    Rate(f64),
    /// At a rate that is learned.
    Learned,
    /// At rates that are learned, one a user: a user's log odds are normal around those of all.
    #[serde(rename = "by_user")]
    ByUser,
}

/// How people answer.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ResponseModel {
    /// The noise of comparisons.
    pub link: Link,
    /// How often an answer is given at random.
    pub lapses: Lapses,
    /// Whether what is on the left has an advantage, which is learned from answers that tell their sides.
    pub bias: bool,
    /// Whether every user has a noise of their own.
    pub user_noise: bool,
    /// Whether a measured value may be an outlier: Student's noise instead of normal noise.
    pub robust: bool,
    /// Whether every pair has a random effect of its own, which all answers about it share: over-dispersion of repeated answers.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub pair_effect: bool,
}

impl ResponseModel {
    /// Whether it matters who gave an answer, of any kind.
    pub(crate) fn tells_users_apart(&self) -> bool {
        self.user_noise || self.lapses == Lapses::ByUser
    }

    /// Whether answers about sets can be taken jointly, with noise of this link alone.
    pub(crate) fn takes_sets(&self, link: Link) -> bool {
        self.link == link && self.lapses == Lapses::Never && !self.pair_effect
    }

    /// Whether the rate of lapses is one.
    pub fn is_sound(&self) -> bool {
        match self.lapses {
            Lapses::Rate(rate) => (0.0..1.0).contains(&rate),
            Lapses::Never | Lapses::Learned | Lapses::ByUser => true,
        }
    }
}

/// Whether `datum` is a whole number from 0 to `most`.
pub(super) fn counts_to(datum: f64, most: f64) -> bool {
    datum.fract() == 0.0 && (0.0..=most).contains(&datum)
}

/// What the parameters of a kind of answer start from.
#[derive(Debug)]
pub struct Survey<'a> {
    /// The distinct answers of this kind, each with how often it was given.
    pub replies: Vec<(Reply, f64)>,
    /// Whether no answer is of another kind.
    pub alone: bool,
    /// The users' names.
    pub users: &'a [String],
    /// How people answer.
    pub response_model: &'a ResponseModel,
    /// The noise of an item that learning starts from, in whose units thresholds are.
    pub noise: f64,
}

impl Survey<'_> {
    /// The largest datum; 0 without answers.
    pub fn largest(&self) -> f64 {
        self.replies.iter().map(|(said, _)| said.datum).fold(0.0, f64::max)
    }

    /// The advantage of the left, if it is learned and some answer tells its sides.
    pub fn bias(&self) -> Option<Hyperparameter> {
        let told = self.replies.iter().any(|(said, _)| said.side != 0);
        let unit = std::f64::consts::SQRT_2 * self.noise;
        (self.response_model.bias && told).then(|| Hyperparameter::real(BIAS, 0.0, unit))
    }
}

/// One parameter at a setting: its place, its value, and how the value moves with what gradients are in, which is the logarithm of the
/// noise and every other value itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parameter {
    /// The place among all values, of which the noise is the first.
    pub index: usize,
    /// The value.
    pub value: f64,
    /// The value's derivative in that: the noise itself, and 1.
    pub slope: f64,
}

/// A setting of the parameters, as one answer meets it.
#[derive(Debug)]
pub struct Setting<'a> {
    /// How people answer.
    pub response_model: &'a ResponseModel,
    /// The users' names.
    pub users: &'a [String],
    /// The noise of an item.
    pub noise: Parameter,
    /// What this answer's noise is multiplied with: its own and its user's factor.
    pub factor: f64,
    pub(super) entries: &'a [Hyperparameter],
    pub(super) values: &'a [f64],
}

impl Setting<'_> {
    /// The parameter called `name`, if there is one.
    pub fn find(&self, name: &str) -> Option<Parameter> {
        let at = self.entries.iter().position(|e| e.name == name)?;
        Some(Parameter { index: at + 1, value: self.values[at + 1], slope: 1.0 })
    }

    /// The noise of an item in this answer.
    pub fn item_noise(&self) -> f64 {
        self.noise.value * self.factor
    }
}

/// The likelihood of what was said.
pub struct ResponseLikelihood {
    pub(super) likelihood: Box<dyn Likelihood>,
    /// Slot of the likelihood, place among the values, factor.
    pub(super) depends: Vec<(usize, usize, f64)>,
}

impl ResponseLikelihood {
    /// A likelihood whose noise is a multiple of that of an item.
    pub fn noisy(likelihood: Box<dyn Likelihood>, at: &Setting<'_>) -> Self {
        Self::new(likelihood).on_log(LOG_NOISE, at.noise)
    }

    /// A likelihood that depends on nothing yet.
    pub fn new(likelihood: Box<dyn Likelihood>) -> Self {
        Self { likelihood, depends: Vec::new() }
    }

    /// What the likelihood calls `slot` moves by `factor` when the parameter moves by 1.
    #[must_use]
    pub fn on(mut self, slot: usize, parameter: Parameter, factor: f64) -> Self {
        self.depends.push((slot, parameter.index, factor * parameter.slope));
        self
    }

    /// What the likelihood calls `slot` is the logarithm of a multiple of the parameter.
    #[must_use]
    pub fn on_log(self, slot: usize, parameter: Parameter) -> Self {
        let factor = 1.0 / parameter.value;
        self.on(slot, parameter, factor)
    }
}
