//! Which figures a study has, and their data.
//!
//! | study | figures |
//! |---|---|
//! | items | `ranking` |
//! | one parameter | `utility-1`, `acquisition-1`, `choices-1` |
//! | two parameters of numbers | `map`, then for each parameter `utility-`, `choices-` |
//! | others | `utility-` for each parameter: slices through the recommendation |

use std::collections::BTreeMap;

use rather_plot::{Acquisition, Along, ChoiceMap, Duel, Map, MapItem, RankedItem, Ranking, Utility};
use rather_study::definition::Subject;
use rather_study::study::{Place, Snapshot};
use rather_study::{Alternative, Answer, Definition, Error};

use super::Drawing;
use super::section::{Section, is_number};
use crate::view::FigureView;

/// Values along a line, along each side of a map, along each side of a map of choices.
const LINE: usize = 121;
const MAP: usize = 33;
const CHOICES: usize = 41;
/// Items in a ranking.
const RANKED: usize = 40;
/// Settings on a map have no names; the recommendation has.
const BEST: &str = "best";
const UTILITY: &str = "utility (in sd of the noise)";

/// The figures of a study, in the order to show them; `address` makes an address of a kind.
pub fn views(definition: &Definition, address: impl Fn(&str) -> String) -> Vec<FigureView> {
    let view = |kind: String, title: String, text: String| {
        let url = address(&kind);
        FigureView { kind, title, text, url }
    };
    let space = match &definition.subject {
        Subject::Items(_) => {
            let text = "Items by mean utility with 95 % intervals; the same numbers are in the table of the ranking.";
            return vec![view("ranking".into(), "Ranking".into(), text.into())];
        }
        Subject::Parameters(space) => space,
    };
    let mut all = Vec::new();
    if let [x, y] = space.parameters.as_slice()
        && is_number(&x.range)
        && is_number(&y.range)
    {
        let text = format!(
            "Two maps over {} and {}: the mean utility and its standard deviation. Dots are settings compared.",
            x.name, y.name
        );
        all.push(view("map".into(), "Utility and its uncertainty".into(), text));
    }
    for (parameter, n) in space.parameters.iter().zip(1..) {
        let name = &parameter.name;
        let title = if space.parameters.len() == 1 {
            "Utility and its uncertainty".to_owned()
        } else {
            format!("Along {name}")
        };
        let text =
            format!("The mean utility along {name} with its 95 % band, and below it an arc for each answer.");
        all.push(view(format!("utility-{n}"), title, text));
        if space.parameters.len() == 1 && definition.policy.acquisition.is_closed_form() {
            let text =
                format!("The value of a comparison at each value of {name}, and the one that is asked next.");
            all.push(view(format!("acquisition-{n}"), "Where it asks next".into(), text));
        }
        if space.parameters.len() <= 2 && is_number(&parameter.range) {
            let text = format!(
                "The probability that one value of {name} is preferred to another, for all pairs; dots are answers."
            );
            all.push(view(format!("choices-{n}"), format!("Which {name} is preferred to which"), text));
        }
    }
    all
}

/// What a figure is drawn from, besides what was learned.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    /// Units of parameters.
    pub units: &'a BTreeMap<String, String>,
    /// The recommendation: slices go through it.
    pub best: &'a Alternative,
    /// The duel that is asked next, if that is decided.
    pub next: Option<(&'a Alternative, &'a Alternative)>,
}

/// The data of the figure of this kind; `None` if there is no such figure.
///
/// # Errors
/// If the snapshot is of another study.
pub fn drawing(kind: &str, snapshot: &Snapshot, context: &Context<'_>) -> Result<Option<Drawing>, Error> {
    if !views(snapshot.definition(), str::to_owned).iter().any(|view| view.kind == kind) {
        return Ok(None);
    }
    let space = match &snapshot.definition().subject {
        Subject::Items(items) => return Ok(Some(ranking(snapshot, items.keys.len()))),
        Subject::Parameters(space) => space,
    };
    let Some(section) = Section::new(space, context.best, context.units) else { return Ok(None) };
    let figure = Figure { snapshot, section, context };
    let (name, number) = kind.rsplit_once('-').unwrap_or((kind, "1"));
    let i = number.parse::<usize>().map_or(0, |n| n.saturating_sub(1));
    match name {
        "map" => figure.map().map(Some),
        "utility" => figure.utility(i).map(Some),
        "acquisition" => figure.acquisition(i),
        "choices" => figure.choices(i).map(Some),
        _ => Ok(None),
    }
}

/// The first places of the ranking.
fn ranking(snapshot: &Snapshot, items: usize) -> Drawing {
    let places = snapshot.ranking(0..RANKED);
    let left_out = items - places.len();
    let item = |place: Place| RankedItem {
        name: place.item,
        mean: place.utility.mean,
        sd: place.utility.sd,
        compared: place.compared,
    };
    Drawing::Ranking(Ranking {
        items: places.into_iter().map(item).collect(),
        left_out,
        zero: None,
        utility: UTILITY.to_owned(),
    })
}

/// A figure of a space of parameters in the making.
struct Figure<'a> {
    snapshot: &'a Snapshot,
    section: Section<'a>,
    context: &'a Context<'a>,
}

impl Figure<'_> {
    /// The answers that had a winner, as values of a parameter.
    fn duels(&self, i: usize) -> Vec<Duel> {
        let duel = |d: &rather_study::study::Compared| {
            let (winner, loser) = match d.answer.plain() {
                Answer::Left => (&d.left, &d.right),
                Answer::Right => (&d.right, &d.left),
                _ => return None,
            };
            let (winner, loser) = (self.section.place(i, winner)?, self.section.place(i, loser)?);
            Some(Duel { winner, loser, count: f64::from(d.count) })
        };
        self.snapshot.duels.iter().filter_map(duel).collect()
    }

    fn utility(&self, i: usize) -> Result<Drawing, Error> {
        let values = self.section.values(i, LINE);
        let (mean, sd) = self.estimates(&self.section.line(i, &values))?;
        Ok(Drawing::Utility(Utility {
            feature: self.section.name(i),
            utility: UTILITY.to_owned(),
            along: values.along,
            mean,
            sd,
            duels: self.duels(i),
            held: self.section.sentence(&[i]),
        }))
    }

    fn estimates(&self, alternatives: &[Alternative]) -> Result<(Vec<f64>, Vec<f64>), Error> {
        Ok(self.snapshot.utilities(alternatives)?.into_iter().map(|u| (u.mean, u.sd)).unzip())
    }

    fn map(&self) -> Result<Drawing, Error> {
        let (x, y) = (self.section.values(0, MAP), self.section.values(1, MAP));
        let (mean, sd) = self.estimates(&self.section.plane((0, &x), (1, &y)))?;
        let compared = self.snapshot.compared();
        let best = self.context.best;
        let item = |alternative: &Alternative| {
            let (x, y) = (self.section.place(0, alternative)?, self.section.place(1, alternative)?);
            let name = if alternative == best { BEST } else { "" };
            Some(MapItem { name: name.to_owned(), x, y, compared: compared.contains(alternative) })
        };
        let unseen = (!compared.contains(best)).then_some(best);
        let items: Vec<MapItem> = compared.iter().chain(unseen).filter_map(item).collect();
        Ok(Drawing::Map(Map {
            x_name: self.section.name(0),
            y_name: self.section.name(1),
            x: x.numbers().unwrap_or_default(),
            y: y.numbers().unwrap_or_default(),
            mean,
            sd,
            items,
            note: format!("The {UTILITY}; 0 is the average of the settings compared."),
        }))
    }

    fn acquisition(&self, i: usize) -> Result<Option<Drawing>, Error> {
        let opponent = self.snapshot.last_winner().unwrap_or_else(|| self.context.best.clone());
        let values = self.section.values(i, LINE);
        let Some(scores) = self.snapshot.scores(&self.section.line(i, &values), &opponent)? else {
            return Ok(None);
        };
        let asked = self.context.next.map(|(a, b)| if *a == opponent { b } else { a });
        Ok(Some(Drawing::Acquisition(Acquisition {
            feature: self.section.name(i),
            score: format!("acquisition ({})", self.snapshot.definition().policy.acquisition),
            along: values.along,
            scores,
            asked: asked.and_then(|a| self.section.place(i, a)),
            against: self.section.place(i, &opponent),
            held: self.section.sentence(&[i]),
        })))
    }

    fn choices(&self, i: usize) -> Result<Drawing, Error> {
        let values = self.section.values(i, CHOICES);
        let line = self.section.line(i, &values);
        // One half of the map says the other: P(b, a) = 1 - P(a, b).
        let pairs: Vec<(usize, usize)> = (0..line.len()).flat_map(|j| (0..j).map(move |i| (j, i))).collect();
        let sides: Vec<_> = pairs.iter().map(|&(j, i)| (line[j].clone(), line[i].clone())).collect();
        let mut probabilities = vec![0.5; line.len() * line.len()];
        for (&(j, i), p) in pairs.iter().zip(self.snapshot.probabilities(&sides)?) {
            probabilities[j * line.len() + i] = p;
            probabilities[i * line.len() + j] = 1.0 - p;
        }
        let numbers = match values.along {
            Along::Numbers(numbers) => numbers,
            Along::Levels(_) => Vec::new(),
        };
        Ok(Drawing::Choices(ChoiceMap {
            feature: self.section.name(i),
            values: numbers,
            probabilities,
            duels: self.duels(i),
            held: self.section.sentence(&[i]),
        }))
    }
}
