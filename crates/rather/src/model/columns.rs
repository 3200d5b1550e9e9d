//! Which columns of comparisons the kernel names where that is left to the evidence: forward selection of terms.
//!
//! The kernel of the items alone comes first. Then each column that is not in the kernel yet is added in the form of its kind ([`forms`]), and the one
//! of the largest log evidence stays if it has gained more than [`PRICE`]; until none has. A column that has gained nothing is not tried again.

use std::collections::{HashMap, HashSet};

use super::fit::effects;
use super::{Ep, FitSettings, Inference, Integration, Items, Model, Notice, PairEffect, Representation};
use crate::Error;
use crate::answers::Answers;
use crate::candidate::{KernelSpec, Tried};
use crate::context::{ContextColumn, Sides};
use crate::features::{Column, ColumnValues, Encoder};
use crate::kernel::{named_columns, quoted};
use crate::learn::choice::KernelChoice;
use rather_numerics::watch;

/// Nats that a term must gain to stay: odds of seven to one.
const PRICE: f64 = 2.0;
/// Categories of a column, at most.
const LEVELS: usize = 50;
/// Answers that the choice looks at where the prior has a sparse precision, and where it has not.
const SPARSE: usize = 5_000;
const FULL: usize = 800;
/// Answers up to which columns are tried where the prior has no sparse precision: the model's sides are about twice as many.
pub(super) const MOST_FULL: usize = 1_500;

/// What a model is learned from, its settings apart.
#[derive(Clone, Copy)]
pub(super) struct About<'a> {
    pub(super) items: &'a Items,
    pub(super) sides: &'a Sides,
    pub(super) users: &'a [String],
}

impl About<'_> {
    /// How many features the items have.
    fn features(&self, raw: bool) -> usize {
        Encoder::fit(&self.items.columns, raw).0.features.len()
    }

    /// Whether there are columns that the kernel does not name.
    pub(super) fn has_others(&self, spec: &KernelSpec) -> bool {
        let named = named_columns(&spec.expression);
        !self.sides.columns.iter().all(|c| is_among(&named, c))
    }

    /// A model of answers about the sides with the columns that the kernel names.
    ///
    /// # Errors
    /// As [`Model::fit_in_context`].
    pub(super) fn fit_named(
        &self,
        spec: &KernelSpec,
        answers: &Answers,
        settings: &FitSettings,
        progress: &(dyn Fn(&Tried) + Sync),
    ) -> Result<Model, Error> {
        self.sides.check(self.items.keys.len())?;
        answers.check(self.sides.items.len())?;
        let named = named_columns(&spec.expression);
        let columns = self.sides.columns.iter().filter(|c| is_among(&named, c));
        let columns: Vec<&str> = columns.map(|c| c.column.name.as_str()).collect();
        self.fit(&columns, answers, settings, progress)
    }

    /// A model of answers about the sides where these columns are all that there are.
    fn fit(
        &self,
        columns: &[&str],
        answers: &Answers,
        settings: &FitSettings,
        progress: &(dyn Fn(&Tried) + Sync),
    ) -> Result<Model, Error> {
        let (sides, place) = narrowed(self.sides, columns);
        let at = |side: usize| place[side] as usize;
        let answers: Answers = answers.iter().map(|answer| answer.renumbered(at)).collect();
        match sides {
            Some(sides) => Model::fit_in_context(self.items, &sides, answers, self.users, settings, progress),
            None => Model::fit_given(self.items, answers, self.users, settings, progress),
        }
    }
}

fn is_among(named: &[String], column: &ContextColumn) -> bool {
    named.iter().any(|name| name.eq_ignore_ascii_case(&column.column.name))
}

/// The sides where these columns are all that there are, each once, and the place of each side among them; without columns or teams, the places
/// of their items.
fn narrowed(sides: &Sides, columns: &[&str]) -> (Option<Sides>, Vec<u32>) {
    let kept: Vec<&ContextColumn> =
        sides.columns.iter().filter(|c| columns.contains(&c.column.name.as_str())).collect();
    if kept.is_empty() && sides.teams.is_empty() {
        return (None, sides.items.clone());
    }
    let codes: Vec<Vec<u64>> = kept.iter().map(|c| codes(&c.column.values)).collect();
    let mut known: HashMap<Vec<u64>, u32> = HashMap::new();
    let mut first = Vec::new();
    let place = |side: usize| {
        let what = codes.iter().map(|of| of[side]).chain([u64::from(sides.items[side])]).collect();
        let next = first.len() as u32;
        *known.entry(what).or_insert_with(|| {
            first.push(side);
            next
        })
    };
    let places = (0..sides.items.len()).map(place).collect();
    let columns = kept.into_iter().map(|c| {
        let values = match &c.column.values {
            ColumnValues::Numeric(all) => {
                ColumnValues::Numeric(first.iter().map(|&side| all[side]).collect())
            }
            ColumnValues::Text(all) => {
                ColumnValues::Text(first.iter().map(|&side| all[side].clone()).collect())
            }
        };
        let column = Column { name: c.column.name.clone(), values };
        ContextColumn { column, ..*c }
    });
    let columns = columns.collect();
    let items = first.iter().map(|&side| sides.items[side]).collect();
    (Some(Sides { items, columns, teams: sides.teams.clone() }), places)
}

/// A number for each value, the same for equal ones.
fn codes(values: &ColumnValues) -> Vec<u64> {
    match values {
        ColumnValues::Numeric(all) => all.iter().map(|x| (x + 0.0).to_bits()).collect(),
        ColumnValues::Text(all) => {
            let mut known: HashMap<&str, u64> = HashMap::new();
            let mut codes = Vec::with_capacity(all.len());
            for text in all {
                let next = known.len() as u64;
                codes.push(*known.entry(text).or_insert(next));
            }
            codes
        }
    }
}

/// The terms by which a column may enter a kernel: a number of each side with a weight, a category of each side with an effect, a category of the
/// comparison with an effect for every item, and a date with a process for every item. None of other columns: a number that both sides share may be
/// anything, a duration or the number of a row.
fn forms(column: &ContextColumn) -> Vec<Form<'_>> {
    let name = quoted(&column.column.name);
    let terms = match (&column.column.values, column.shared) {
        (ColumnValues::Numeric(_), false) => vec![format!("linear[{name}]")],
        (ColumnValues::Numeric(_), true) if column.date => {
            vec![format!("white[item]*wiener[{name}]"), format!("white[item]*matern32[{name}]")]
        }
        (ColumnValues::Text(all), shared) => {
            let levels = all.iter().collect::<HashSet<_>>().len();
            match shared {
                _ if !(2..=LEVELS).contains(&levels) => Vec::new(),
                true => vec![format!("white[item]*white[{name}]")],
                false => vec![format!("white[{name}]")],
            }
        }
        _ => Vec::new(),
    };
    terms.into_iter().map(|term| Form { column: &column.column.name, term }).collect()
}

/// A term that may be added, and the column that it names.
#[derive(Clone)]
struct Form<'a> {
    column: &'a str,
    term: String,
}

/// The terms that were taken, and the score with them.
struct Step<'a> {
    taken: Vec<Form<'a>>,
    score: f64,
}

/// Learns from answers about sides; which of their columns the kernel names is for the evidence to say.
///
/// # Errors
/// As [`Model::fit_given`].
pub(super) fn choose(
    about: About<'_>,
    answers: &Answers,
    settings: &FitSettings,
    progress: &(dyn Fn(&Tried) + Sync),
) -> Result<Model, Error> {
    about.sides.check(about.items.keys.len())?;
    answers.check(about.sides.items.len())?;
    let without = |notice: Option<Notice>| {
        let mut model = about.fit(&[], answers, settings, progress)?;
        model.report.notices.extend(notice);
        Ok(model)
    };
    let open: Vec<Form<'_>> = about.sides.columns.iter().flat_map(forms).collect();
    if open.is_empty() {
        return without(None);
    }
    let features = about.features(settings.raw_features);
    let sparse = features == 0 || !about.sides.teams.is_empty();
    if !settings.tries_columns() || !sparse && answers.len() > MOST_FULL {
        let mut names: Vec<String> = open.iter().map(|form| form.column.to_owned()).collect();
        names.dedup();
        return without(Some(Notice::ColumnsNotTried { names }));
    }
    let most = if sparse { SPARSE } else { FULL };
    let sample = sampled(answers, most, settings.half_life.is_some());
    let trial = Trial { about, answers: &sample, settings: quick(settings), progress };
    let base = if sparse { trial.effects(features)? } else { trial.smooth()? };
    let (best, tried) = trial.select(&base, open);
    let is_whole = sample.len() == answers.len();
    let mut model = if best.taken.is_empty() {
        without(None)?
    } else {
        let kernel = KernelChoice::Given(with_terms(&base.spec, &best.taken));
        let columns: Vec<&str> = best.taken.iter().map(|form| form.column).collect();
        let mut model =
            about.fit(&columns, answers, &FitSettings { kernel, ..settings.clone() }, progress)?;
        model.report.tried = base.tried;
        model
    };
    if is_whole || !best.taken.is_empty() {
        model.report.tried.extend(tried);
    }
    if !is_whole {
        model.report.notices.push(Notice::ColumnsBySample { answers: sample.len() });
    }
    Ok(model)
}

impl FitSettings {
    /// Whether the choice of the kernel tries columns of comparisons: by expectation propagation, with any prior but one of inducing items.
    #[doc(hidden)]
    pub fn tries_columns(&self) -> bool {
        let Inference::Ep(ep) = &self.inference else { return false };
        let is_low_rank = matches!(ep.representation, Representation::LowRank(_));
        matches!(self.kernel, KernelChoice::Auto { .. }) && !is_low_rank && !self.response_model.pair_effect
    }
}

/// The settings of a choice: the evidence is all that is asked for.
fn quick(settings: &FitSettings) -> FitSettings {
    let inference = match settings.inference.clone() {
        Inference::Ep(ep) => {
            Inference::Ep(Ep { integration: Integration::Off, pair_effect: PairEffect::Off, ..ep })
        }
        other => other,
    };
    FitSettings { inference, ..settings.clone() }
}

/// So many of the answers, from beginning to end; the last ones if the others are forgotten.
fn sampled(answers: &Answers, most: usize, last: bool) -> Answers {
    let n = answers.len();
    if last {
        return answers.iter().skip(n.saturating_sub(most)).collect();
    }
    // Of n answers the rows k n / most, rounded down.
    let is_first = |row: usize| row == 0 || row * most / n != (row - 1) * most / n;
    answers
        .iter()
        .enumerate()
        .filter(|(row, _)| n <= most || is_first(*row))
        .map(|(_, answer)| answer)
        .collect()
}

/// The kernel with terms more.
fn with_terms(base: &KernelSpec, terms: &[Form<'_>]) -> KernelSpec {
    let terms = terms.iter().map(|form| form.term.as_str());
    let words: Vec<&str> = std::iter::once(base.expression.as_str()).chain(terms).collect();
    KernelSpec { expression: words.join(" + "), ard: base.ard }
}

/// The kernel of the items alone.
struct Base {
    spec: KernelSpec,
    /// Its score as a kernel that is given.
    score: f64,
    /// What was tried to find it, and what its score is there.
    tried: Vec<Tried>,
    found: f64,
}

/// What the choice looks at.
struct Trial<'a> {
    about: About<'a>,
    answers: &'a Answers,
    settings: FitSettings,
    progress: &'a (dyn Fn(&Tried) + Sync),
}

impl<'a> Trial<'a> {
    /// The kernel of effects and weights of the items.
    fn effects(&self, features: usize) -> Result<Base, Error> {
        let spec = effects(features);
        let found = self.fit(&spec, &[])?;
        Ok(Base { spec, score: found.score, found: found.score, tried: vec![found] })
    }

    /// The kernel of the items' features.
    fn smooth(&self) -> Result<Base, Error> {
        let model = self.about.fit(&[], self.answers, &self.settings, self.progress)?;
        let mut tried = model.report.tried.clone();
        tried.iter_mut().for_each(|this| this.weight = 0.0);
        let best = tried.iter().max_by(|a, b| a.score.total_cmp(&b.score));
        let (ard, found) = best.map_or((false, 0.0), |best| (best.kernel.ard, best.score));
        let spec = KernelSpec { expression: model.kernel_expression(), ard };
        Ok(Base { score: self.fit(&spec, &[])?.score, spec, tried, found })
    }

    /// Learns the hyperparameters of the kernel with these terms.
    fn fit(&self, base: &KernelSpec, terms: &[Form<'_>]) -> Result<Tried, Error> {
        let kernel = KernelChoice::Given(with_terms(base, terms));
        let columns: Vec<&str> = terms.iter().map(|form| form.column).collect();
        let settings = FitSettings { kernel, ..self.settings.clone() };
        let model = self.about.fit(&columns, self.answers, &settings, self.progress)?;
        model.report.tried.first().cloned().ok_or(Error::Inference)
    }

    /// Forward selection; and all that was tried, its scores next to those of the base as it was found.
    fn select(&self, base: &Base, mut open: Vec<Form<'a>>) -> (Step<'a>, Vec<Tried>) {
        let mut best = Step { taken: Vec::new(), score: base.score };
        let mut tried = Vec::new();
        while !open.is_empty() && !watch::is_ending() {
            let before = best.score;
            let mut next = None;
            let mut gaining = Vec::new();
            for form in open {
                let taken = [best.taken.as_slice(), std::slice::from_ref(&form)].concat();
                // What cannot be learned, such as the effect of a column that is constant, is left out.
                let Ok(one) = self.fit(&base.spec, &taken) else { continue };
                let score = one.score - PRICE * taken.len() as f64;
                tried.push(Tried { score: score - base.score + base.found, ..one });
                if score > before {
                    gaining.push(form);
                    if next.as_ref().is_none_or(|next: &Step<'_>| score > next.score) {
                        next = Some(Step { taken, score });
                    }
                }
            }
            let Some(step) = next else { break };
            best = step;
            let is_open = |form: &Form<'_>| best.taken.iter().all(|taken| taken.column != form.column);
            open = gaining.into_iter().filter(is_open).collect();
        }
        (best, tried)
    }
}
