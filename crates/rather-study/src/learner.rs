//! From answers to the model and back: alternatives become numbered items or points of the unit cube.
//!
//! Everything here is a pure function of the definition, the participant's name and the answers; only a deadline can make a
//! difference, and then says so.

mod choice;
mod groups;

pub use self::choice::{Choice, Cut};

use self::groups::Groups;
use crate::Error;
use crate::alternative::{Alternative, options};
use crate::analysis::advice;
use crate::answer::Answer;
use crate::definition::{Answers, Definition, Items, Pooling, Subject, Ties};
use crate::fingerprint::Fingerprint;
use crate::history::Entry;
use crate::space::Space;
use rather::belief::Belief;
use rather::design::{self, Column, Expected, History, Inference, Kept, Policy, Pool, Request, Trial};
use rather::features::{ColumnValues, Encoder};
use rather::points::Points;
use rather::search::Domain;
use rather_numerics::random;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// A study as a model sees it.
#[derive(Debug)]
pub(crate) struct Learner {
    pub(crate) definition: Definition,
    pub(crate) subject: Arena,
    /// Hyperparameters that were learned before.
    kept: Kept,
    /// How long the last choice took that was not made in haste, in microseconds, and less after each that was.
    pace: AtomicU64,
    /// The items among which a question is asked, if not all are compared with all.
    groups: Option<Groups>,
    /// What others' answers were last found to say, and which these were.
    expected: Mutex<Option<(Others, Arc<Option<Expected>>)>>,
}

const UNHEARD: &str = "the model \"collaborative\" does not use how much better: it counts as better, and no preference as half \
                       a comparison each way";

/// The duels of others, and the settings that they number.
type Others = (Vec<Vec<Trial>>, Vec<Vec<f64>>);

/// Numbers of settings by their coordinates, as bits.
type Numbers = HashMap<Vec<u64>, usize>;

/// What is compared, as a model sees it.
#[derive(Debug)]
pub(crate) enum Arena {
    /// The items of a list, numbered.
    Pool { pool: Pool, numbers: HashMap<String, usize>, keys: Vec<String> },
    /// The settings of a space.
    Domain { domain: Domain, columns: Vec<Column>, space: Space },
}

/// One answer of a history, as far as a model cares.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Said<'a> {
    pub(crate) left: &'a Alternative,
    pub(crate) right: &'a Alternative,
    pub(crate) others: &'a [Alternative],
    pub(crate) answer: Answer,
    pub(crate) count: u32,
}

impl<'a> Said<'a> {
    /// The options of the question, in their order.
    pub(crate) fn options(&self) -> impl Iterator<Item = &'a Alternative> + use<'a> {
        options(self.left, self.right, self.others)
    }
}

impl<'a> From<&'a Entry> for Said<'a> {
    fn from(Entry { left, right, others, answer, count, .. }: &'a Entry) -> Self {
        Self { left, right, others, answer: *answer, count: *count }
    }
}

/// A history as a model sees it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Record {
    /// The duels, by numbers of items or of `settings`.
    pub(crate) duels: Vec<Trial>,
    /// The distinct settings, in the order in which they came up; nothing for a list of items.
    pub(crate) settings: Vec<Vec<f64>>,
    /// The same as alternatives.
    pub(crate) alternatives: Vec<Alternative>,
    /// The duels of others, one list a person, by the same numbers, if they are learned from.
    pub(crate) others: Vec<Vec<Trial>>,
}

/// In less than this nothing is learned: a question is the best of a first look, by what was learned from earlier answers.
const HASTE: Duration = Duration::from_millis(70);
/// Of the time that a choice took, this part is forgotten with each that is made in haste.
const FORGOTTEN: u64 = 200;

impl Learner {
    /// Prepares a study for learning.
    pub(crate) fn new(definition: Definition) -> Result<Self, Error> {
        let subject = match &definition.subject {
            Subject::Items(items) => {
                let columns = described(&definition, items);
                let (encoder, _) = Encoder::fit(&columns, false);
                let ids = (0..items.keys.len() as u64).collect();
                let points = encoder.encode(&columns, ids)?;
                let pool = Pool::new(points, &encoder.schema().categorical)?;
                let numbers = items.keys.iter().cloned().zip(0..).collect();
                Arena::Pool { pool, numbers, keys: items.keys.clone() }
            }
            Subject::Parameters(space) => {
                let domain = space.domain();
                domain.check()?;
                let columns = Column::of_domain(&domain);
                Arena::Domain { domain, columns, space: space.clone() }
            }
        };
        let groups = definition.groups().map(Groups::new);
        Ok(Self {
            definition,
            subject,
            kept: Kept::default(),
            pace: AtomicU64::new(0),
            groups,
            expected: Mutex::new(None),
        })
    }

    /// What is worth knowing about a definition, in words: columns of items that say nothing about which items are alike, and what is not
    /// heard of an answer.
    pub(crate) fn notes(definition: &Definition) -> Vec<String> {
        let mut notes: Vec<String> = match &definition.subject {
            Subject::Items(items) => {
                let found = Encoder::fit(&described(definition, items), false).1;
                found.iter().map(ToString::to_string).collect()
            }
            Subject::Parameters(_) => Vec::new(),
        };
        let shared = definition.participants.model == Pooling::Collaborative;
        if shared && matches!(definition.answers, Answers::Graded | Answers::Numbers(_)) {
            notes.push(UNHEARD.to_owned());
        }
        notes
    }

    /// The seed of everything random for a participant.
    pub(crate) fn seed(&self, participant: &str) -> u64 {
        Fingerprint::new().text(&self.definition.seed.to_string()).text(participant).seed()
    }

    /// A history as the model sees it. An answer that stands for several is that many duels.
    pub(crate) fn record<'a>(&self, said: impl IntoIterator<Item = Said<'a>>) -> Result<Record, Error> {
        self.record_among(said, Vec::new())
    }

    /// As [`Learner::record`], with what others said; their settings are numbered after the participant's own.
    pub(crate) fn record_among<'a>(
        &self,
        said: impl IntoIterator<Item = Said<'a>>,
        others: Vec<Vec<Said<'a>>>,
    ) -> Result<Record, Error> {
        let mut record = Record::default();
        let mut numbers = Numbers::new();
        record.duels = self.duels(said, &mut record, &mut numbers)?;
        for said in others {
            let duels = self.duels(said, &mut record, &mut numbers)?;
            record.others.push(duels);
        }
        Ok(record)
    }

    fn duels<'a>(
        &self,
        said: impl IntoIterator<Item = Said<'a>>,
        record: &mut Record,
        numbers: &mut Numbers,
    ) -> Result<Vec<Trial>, Error> {
        let mut duels = Vec::new();
        for said in said {
            let options: Vec<usize> =
                said.options().map(|side| self.number(side, record, numbers)).collect::<Result<_, _>>()?;
            let answer = match (said.answer, self.definition.ties) {
                (Answer::Tie, Ties::Drop) => None,
                (Answer::Tie, Ties::Both) => Some(design::Outcome::Split),
                (answer, _) => answer.to_design(self.definition.answers.numbers()),
            };
            let trial = Trial::set(&options, answer)?;
            duels.extend((0..said.count).map(|_| trial));
        }
        Ok(duels)
    }

    fn number(
        &self,
        side: &Alternative,
        record: &mut Record,
        settings: &mut Numbers,
    ) -> Result<usize, Error> {
        match (&self.subject, side) {
            (Arena::Pool { numbers, .. }, Alternative::Item(key)) => {
                let known = numbers.get(key).copied();
                known.ok_or_else(|| {
                    Error::Alternative(format!("there is no item {} in this study", rather_io::quote(key)))
                })
            }
            (Arena::Domain { space, .. }, Alternative::Setting(setting)) => {
                let point = space.coordinates(setting).map_err(Error::Alternative)?;
                let key = point.iter().map(|x| x.to_bits()).collect();
                if let Some(&known) = settings.get(&key) {
                    return Ok(known);
                }
                settings.insert(key, record.settings.len());
                record.settings.push(point);
                record.alternatives.push(side.clone());
                Ok(record.settings.len() - 1)
            }
            _ => Err(Error::Alternative(format!("{side} is of another kind than what this study compares"))),
        }
    }

    /// The alternative with this number.
    pub(crate) fn alternative(&self, record: &Record, number: usize) -> Alternative {
        match &self.subject {
            Arena::Pool { keys, .. } => Alternative::Item(keys[number].clone()),
            Arena::Domain { .. } => record.alternatives[number].clone(),
        }
    }

    /// The points that the record's numbers mean.
    pub(crate) fn points(&self, record: &Record) -> Points {
        match &self.subject {
            Arena::Pool { pool, .. } => pool.points.clone(),
            Arena::Domain { domain, .. } => domain.points(&record.settings),
        }
    }

    /// The features that the model sees.
    pub(crate) fn columns(&self) -> &[Column] {
        match &self.subject {
            Arena::Pool { pool, .. } => &pool.columns,
            Arena::Domain { columns, .. } => columns,
        }
    }

    /// What is believed after a history.
    pub(crate) fn fit(&self, record: &Record) -> Result<Belief, Error> {
        let (points, columns, prior) = (self.points(record), self.columns(), &self.definition.prior);
        let expected = match record.others.is_empty() {
            true => None,
            false => Some(self.expected(record, &points)?),
        };
        if let Some(expected) = expected.as_deref().and_then(Option::as_ref) {
            return Ok(expected.fit(&points, &record.duels)?.into());
        }
        Ok(match self.definition.inference {
            Inference::Ep => {
                let history = History { trials: &record.duels, half_life: self.definition.half_life };
                design::fit_keeping(&points, columns, history, prior, &self.kept)?
            }
            Inference::Streaming => {
                let how = (prior, self.definition.forgetting());
                design::fit_streaming_keeping(&points, columns, &record.duels, how, &self.kept)?
            }
        })
    }

    /// What is believed after a history while others wait: nothing is learned that was not learned before.
    fn fit_hastily(&self, record: &Record) -> Result<Belief, Error> {
        if !record.others.is_empty() || self.definition.inference != Inference::Ep {
            return self.fit(record);
        }
        let history = History { trials: &record.duels, half_life: self.definition.half_life };
        let (points, prior) = (self.points(record), &self.definition.prior);
        Ok(design::fit_hastily(&points, self.columns(), history, prior, &self.kept)?)
    }

    /// What others' answers make one expect: the same until one of them answers, or a setting is new.
    fn expected(&self, record: &Record, points: &Points) -> Result<Arc<Option<Expected>>, Error> {
        let key = (record.others.clone(), record.settings.clone());
        let kept = || self.expected.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, found)) = kept().as_ref().filter(|(known, _)| *known == key) {
            return Ok(Arc::clone(found));
        }
        let found = Expected::of(points, self.columns(), &record.others, &self.definition.prior)?;
        let found = Arc::new(found);
        *kept() = Some((key, Arc::clone(&found)));
        Ok(found)
    }

    /// The duel to ask after a history.
    pub(crate) fn next(
        &self,
        record: &Record,
        seed: u64,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Choice, Error> {
        self.choice(record, &self.fit(record)?, (seed, false), stop)
    }

    /// Whether a choice within this time is to be made in haste: there was not enough for the last one, or never is. Without a clock, as in a browser,
    /// every question follows from the answers alone.
    pub(crate) fn is_hasty(&self, limit: Duration) -> bool {
        let pace = Duration::from_micros(self.pace.load(Ordering::Relaxed));
        !cfg!(target_family = "wasm") && (limit < HASTE || limit < pace)
    }

    /// A choice took so long.
    pub(crate) fn took(&self, time: Duration) {
        self.pace.store(u64::try_from(time.as_micros()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    /// A choice was made in haste: after some of them it is tried again whether there is time.
    pub(crate) fn hurried(&self) {
        let pace = self.pace.load(Ordering::Relaxed);
        self.pace.store(pace - pace.div_ceil(FORGOTTEN), Ordering::Relaxed);
    }

    /// The duel to ask after a history while others wait: the best of a first look, by what was learned before.
    pub(crate) fn next_hastily(&self, record: &Record, seed: u64) -> Result<Choice, Error> {
        self.choice(record, &self.fit_hastily(record)?, (seed, true), &|| true)
    }

    /// The policy after a history. Answers of others are information about the space: then one question fills it, if nothing else is asked for.
    fn policy(&self, record: &Record) -> Policy {
        let policy = self.definition.policy;
        let usual = if record.others.is_empty() { None } else { Some(1) };
        Policy { initial: policy.initial.or(usual), ..policy }
    }

    fn choice(
        &self,
        record: &Record,
        posterior: &Belief,
        (seed, hasty): (u64, bool),
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Choice, Error> {
        let stopped = AtomicBool::new(hasty);
        let stop = || {
            let now = stop();
            stopped.fetch_or(now, Ordering::Relaxed);
            now
        };
        let policy = &self.policy(record);
        let request = Request { posterior, trials: &record.duels, policy, seed, stop: &stop };
        if let (Some(groups), Arena::Pool { pool, .. }) = (&self.groups, &self.subject) {
            let (items, score) = groups.next(&request, pool, self.definition.options)?;
            let options = items.into_iter().map(|item| self.alternative(record, item)).collect();
            return Choice::of(options, score, stopped.load(Ordering::Relaxed).then_some(Cut::Search));
        }
        let check = if hasty { None } else { advice::check(self, record, &request)? };
        if let Some(options) = check {
            return Choice::of(options, None, None);
        }
        let (options, score) = match &self.subject {
            Arena::Pool { pool, .. } if self.definition.is_of_sets() => {
                let (items, gain) = design::next_set_in_pool(&request, pool, self.definition.options)?;
                (items.into_iter().map(|item| self.alternative(record, item)).collect(), gain)
            }
            Arena::Pool { pool, .. } => {
                let found = design::next_in_pool(&request, pool)?;
                (
                    vec![self.alternative(record, found.left), self.alternative(record, found.right)],
                    found.score,
                )
            }
            Arena::Domain { domain, .. } => {
                let found = design::next_in_domain(&request, domain, &record.settings)?;
                let (left, right) = (self.setting(record, &found.left), self.setting(record, &found.right));
                let (left, right) = self.kept_apart(record, seed, left, right);
                (vec![left, right], found.score)
            }
        };
        Choice::of(options, score, stopped.load(Ordering::Relaxed).then_some(Cut::Search))
    }

    /// A question without a model: options at random, not those of the last question if there are others.
    pub(crate) fn without_model(&self, record: &Record, seed: u64) -> Result<Choice, Error> {
        let mut rng = random::stream(seed, record.duels.len() as u64);
        let mut one_of = |n: usize| ((random::uniform(&mut rng) * n as f64) as usize).min(n - 1);
        let options = match &self.subject {
            Arena::Pool { keys, .. } => {
                let among = match &self.groups {
                    Some(groups) => groups.turn(&record.duels, seed).1.to_vec(),
                    None => (0..keys.len()).collect(),
                };
                let (n, size) = (among.len(), self.definition.options);
                let last = record.duels.last().map(in_order);
                let named = |places: Vec<usize>| places.into_iter().map(|place| among[place]).collect();
                let set = std::iter::repeat_with(|| named(some_of(n, size, &mut one_of)))
                    .find(|items: &Vec<usize>| n == size || last.as_ref() != Some(&sorted(items.clone())));
                let set = set.unwrap_or_else(|| named((0..size).collect()));
                set.into_iter().map(|item| Alternative::Item(keys[item].clone())).collect()
            }
            Arena::Domain { domain, .. } => {
                let points = domain.fill(record.duels.len() * 2 + 2, seed);
                let (left, right) = (&points[points.len() - 2], &points[points.len() - 1]);
                let (left, right) = (self.setting(record, left), self.setting(record, right));
                let (left, right) = self.kept_apart(record, seed, left, right);
                vec![left, right]
            }
        };
        Choice::of(options, None, Some(Cut::Model))
    }

    /// The alternative at a point of the unit cube: the one that is known there, or a new one, rounded for people.
    pub(crate) fn setting(&self, record: &Record, point: &[f64]) -> Alternative {
        let Arena::Domain { space, .. } = &self.subject else { return Alternative::Item(String::new()) };
        match record.settings.iter().position(|known| known == point) {
            Some(known) => record.alternatives[known].clone(),
            None => Alternative::Setting(space.setting(point)),
        }
    }

    /// Two settings that rounding did not make one, nor the pair of the last duel: else the right one is replaced by another
    /// that fills the space.
    fn kept_apart(
        &self,
        record: &Record,
        seed: u64,
        left: Alternative,
        right: Alternative,
    ) -> (Alternative, Alternative) {
        let Arena::Domain { domain, .. } = &self.subject else { return (left, right) };
        let last = record.duels.last().map(|d| [&record.alternatives[d.left], &record.alternatives[d.right]]);
        let fits = |right: &Alternative| {
            *right != left && !last.is_some_and(|last| last == [&left, right] || last == [right, &left])
        };
        if fits(&right) {
            return (left, right);
        }
        const TRIED: usize = 64;
        let others = domain.fill(TRIED, seed).into_iter().map(|point| self.setting(record, &point));
        let other = others.into_iter().find(fits).unwrap_or(right);
        (left, other)
    }
}

/// So many different ones of `items`, each drawn by `one_of`.
fn some_of(items: usize, size: usize, one_of: &mut dyn FnMut(usize) -> usize) -> Vec<usize> {
    let mut some: Vec<usize> = Vec::with_capacity(size);
    while some.len() < size {
        let drawn = one_of(items - some.len());
        let item =
            sorted(some.clone()).into_iter().fold(drawn, |drawn, taken| drawn + usize::from(drawn >= taken));
        some.push(item);
    }
    some
}

fn sorted(mut items: Vec<usize>) -> Vec<usize> {
    items.sort_unstable();
    items
}

/// The items of a question in increasing order.
fn in_order(trial: &Trial) -> Vec<usize> {
    sorted(trial.items().collect())
}

/// The columns of items that are learned from: all but that of media, which names files, and that of groups, which is the same for all options of a
/// question.
fn described(definition: &Definition, items: &Items) -> Vec<rather::features::Column> {
    let media = definition.presentation.get("media").and_then(serde_json::Value::as_str);
    let hidden = [media, definition.within.as_deref()];
    items.columns.iter().filter(|column| !hidden.contains(&Some(column.name.as_str()))).cloned().collect()
}

/// The values of an item's features, for people.
pub(crate) fn features(definition: &Definition, key: &str) -> Vec<(String, crate::Value)> {
    let Subject::Items(items) = &definition.subject else { return Vec::new() };
    let Some(item) = items.keys.iter().position(|other| other == key) else { return Vec::new() };
    let value = |values: &ColumnValues| match values {
        ColumnValues::Numeric(x) => crate::Value::Float(x[item]),
        ColumnValues::Text(x) => crate::Value::Text(x[item].clone()),
    };
    items.columns.iter().map(|c| (c.name.clone(), value(&c.values))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::{Parameter, Range, Scale};

    fn skipped<'a>(left: &'a Alternative, right: &'a Alternative) -> Said<'a> {
        Said { left, right, others: &[], answer: Answer::Skip, count: 1 }
    }

    #[test]
    fn a_choice_that_took_long_is_made_in_haste_for_a_while() {
        let learner = Learner::new(Definition::of_items(["a", "b", "c"])).unwrap();
        let limit = Duration::from_millis(100);
        assert!(learner.is_hasty(Duration::from_millis(10)) && !learner.is_hasty(limit));
        learner.took(Duration::from_millis(150));
        assert!(learner.is_hasty(limit) && !learner.is_hasty(Duration::from_secs(1)));
        let hurries = (0..).take_while(|_| {
            learner.hurried();
            learner.is_hasty(limit)
        });
        // 150 (199 / 200)^n = 100.
        assert!((70..90).contains(&hurries.count()));
        learner.took(Duration::ZERO);
        learner.hurried();
        assert!(!learner.is_hasty(limit));
    }

    #[test]
    fn in_haste_the_winner_still_meets_a_challenger() {
        let range = Range::Float { low: 0.0, high: 1.0, scale: Scale::Linear, step: None };
        let space = Space { parameters: vec![Parameter { name: "x".into(), range }] };
        for definition in
            [Definition::of_items(["a", "b", "c", "d"]), Definition::new(Subject::Parameters(space))]
        {
            let learner = Learner::new(definition).unwrap();
            let mut said: Vec<(Alternative, Alternative, Answer)> = Vec::new();
            for n in 0..8 {
                let before = said.iter().map(|(left, right, answer)| Said {
                    left,
                    right,
                    others: &[],
                    answer: *answer,
                    count: 1,
                });
                let record = learner.record(before).unwrap();
                let hasty = learner.next_hastily(&record, 5).unwrap();
                assert_eq!(hasty.cut, Some(Cut::Search));
                if let Some((left, right, answer)) = said.last() {
                    let winner = if *answer == Answer::Left { left } else { right };
                    assert!(hasty.options().any(|option| option == winner), "{said:?}, {hasty:?}");
                }
                let answer = if n % 3 == 0 { Answer::Right } else { Answer::Left };
                said.push((hasty.left, hasty.right, answer));
            }
        }
    }

    #[test]
    fn without_a_model_sets_are_drawn() {
        let definition = Definition::of_items(["a", "b", "c", "d"]).asking(3, Answers::Best);
        let learner = Learner::new(definition).unwrap();
        let choice = learner.without_model(&Record::default(), 5).unwrap();
        let mut items: Vec<String> = choice.options().map(ToString::to_string).collect();
        items.sort();
        items.dedup();
        assert_eq!((items.len(), choice.cut), (3, Some(Cut::Model)));
    }

    #[test]
    fn without_a_model_duels_still_differ() {
        let range = Range::Float { low: 0.0, high: 1.0, scale: Scale::Linear, step: Some(0.5) };
        let space = Space { parameters: vec![Parameter { name: "x".into(), range }] };
        for definition in [Definition::of_items(["a", "b", "c"]), Definition::new(Subject::Parameters(space))]
        {
            let learner = Learner::new(definition).unwrap();
            let mut said: Vec<(Alternative, Alternative)> = Vec::new();
            for _ in 0..40 {
                let before = said.iter().map(|(left, right)| skipped(left, right));
                let Choice { left, right, cut, .. } =
                    learner.without_model(&learner.record(before).unwrap(), 5).unwrap();
                assert_eq!(cut, Some(Cut::Model));
                assert_ne!(left, right);
                if let Some((a, b)) = said.last() {
                    assert!((a, b) != (&left, &right) && (a, b) != (&right, &left), "{said:?}");
                }
                said.push((left, right));
            }
        }
        // Two items make one pair.
        let learner = Learner::new(Definition::of_items(["a", "b"])).unwrap();
        let (a, b) = (Alternative::Item("a".into()), Alternative::Item("b".into()));
        let said = [Said { answer: Answer::Left, ..skipped(&a, &b) }];
        let choice = learner.without_model(&learner.record(said).unwrap(), 5).unwrap();
        assert_ne!(choice.left, choice.right);
    }
}
