//! All that is reported of a board, for people and for programs.

use crate::audit::{self, Finding};
use crate::judges::{self, JudgeLine};
use crate::{Error, Learned, Options, Read, Scale, Z95};
use rather::acquisition::pool::Pairs;
use rather::acquisition::{MOST_ITEMS, Request};
use rather::arena::{self, Belief, Board, Cast};
use rather::features::{ColumnValues, Encoding};
use rather::inference::Status;
use rather::model::Model;
use rather::{Person, arena::Connection};
use rather_io::count;
use serde::Serialize;
use std::collections::HashMap;

/// All of it, as `rather arena --json` has it.
#[derive(Debug, Serialize)]
pub struct Report {
    /// The table.
    pub source: String,
    /// What was read of it.
    pub read: Read,
    /// What ratings are measured in.
    #[serde(flatten)]
    pub scale: Scale,
    /// The lines, the best first.
    pub board: Vec<Line>,
    /// One for each value of a column.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub boards: Vec<Level>,
    /// What the left side is worth.
    pub position: Option<Weight>,
    /// What style columns are worth.
    pub style: Vec<Weight>,
    /// The probability of a tie between two equals, if there are ties.
    pub tie_between_equals: Option<f64>,
    /// The rating from which on an item is more often good than bad, if both were voted.
    pub good_from: Option<f64>,
    /// The judges of the most votes.
    pub judges: Vec<JudgeLine>,
    /// Number of voters.
    pub voters: usize,
    /// The mean factor by which voters widen intervals, if they do.
    pub intervals_by_voters: Option<f64>,
    /// What the checks found.
    pub audit: Vec<Finding>,
    /// The most informative pairs to ask next.
    pub next: Vec<[String; 2]>,
    /// How many more votes separate the first from the second.
    pub votes_to_separate: Option<Separation>,
    /// The kernel.
    pub kernel: String,
    /// The log evidence.
    pub log_evidence: f64,
    /// Whether inference converged.
    pub converged: bool,
    /// What is worth knowing, in sentences.
    pub warnings: Vec<String>,
}

/// A line of a board.
#[derive(Debug, Serialize)]
pub struct Line {
    /// From 1.
    pub rank: usize,
    /// The item.
    pub item: String,
    /// Its rating.
    pub rating: f64,
    /// The lower end of its 95 % interval.
    pub lower: f64,
    /// The upper end.
    pub upper: f64,
    /// Votes about it.
    pub votes: f64,
    /// The probability that it is the best.
    pub probability_best: f64,
    /// The lower end of a 95 % interval of the rank.
    pub rank_low: usize,
    /// The upper end.
    pub rank_high: usize,
    /// The probability that it is above the next line.
    pub probability_above_next: Option<f64>,
    /// Items of one group cannot be told apart from its first.
    pub group: usize,
    /// Its rank on the board before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rank_before: Option<usize>,
    /// Its rating on the board before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rating_before: Option<f64>,
}

/// The board of a value of `--by`.
#[derive(Debug, Serialize)]
pub struct Level {
    /// The value.
    pub level: String,
    /// The lines, the best first.
    pub board: Vec<Line>,
}

/// What a column is worth.
#[derive(Debug, Serialize)]
pub struct Weight {
    /// The column.
    pub column: String,
    /// Points: of the left side, or of one standard deviation more of a style column.
    pub rating: f64,
    /// The lower end of its 95 % interval.
    pub lower: f64,
    /// The upper end.
    pub upper: f64,
    /// The probability that makes between two equals, of those that have a winner.
    pub probability: f64,
}

/// How many more votes about two items tell them apart.
#[derive(Debug, Serialize)]
pub struct Separation {
    /// The first item.
    pub first: String,
    /// The second item.
    pub second: String,
    /// `None` if they do not differ.
    pub votes: Option<u64>,
}

/// Pairs to ask next.
const NEXT: usize = 3;
/// More votes than these are never cast.
const NEVER: f64 = 1e9;

impl Report {
    /// Looks at a model of votes. Its notices are for the caller to warn of.
    ///
    /// # Errors
    /// If an item that the options name is not there, or the model has no covariance of all items.
    pub fn new(learned: &Learned, options: &Options, seed: u64) -> Result<Self, Error> {
        let Learned { model, votes, .. } = learned;
        let scale = Scale::new(options.units, options.anchor.as_deref(), model)?;
        let cast = Cast::new(model, &votes.answers, &votes.by, votes.voters.len());
        let graph = arena::connection(&cast);
        let belief = arena::belief(&cast)?;
        let places = Board::new(&belief.joint, scale.anchor(model), seed)?;
        let mut board = lines(&places, &scale, model, &graph.votes);
        if let Some(before) = &votes.before {
            compare(&mut board, before, options, seed)?;
        }
        let voters = arena::voters(&cast);
        let judges = judges::lines(&cast, learned);
        let drift = arena::drift(&cast, &votes.days);
        let goodness = model.goodness(seed)?;
        let evidence = audit::Evidence {
            learned,
            graph: &graph,
            voters: &voters,
            judges: &judges,
            drift: &drift,
            goodness,
            belief: &belief,
        };
        let names = |row: usize| board[row].item.clone();
        Ok(Self {
            source: votes.read.sources.first().unwrap_or(&votes.name).clone(),
            boards: levels(model, options.by.as_deref(), &scale, &graph, seed)?,
            position: weight(model, "position", &scale, 1.0),
            style: votes
                .style
                .iter()
                .filter_map(|column| weight(model, column, &scale, deviation(model, column)))
                .collect(),
            tie_between_equals: Some(arena::chances(model, 0.0)[1]).filter(|&p| p > 0.0),
            good_from: (votes.read.both_good > 0.0 && votes.read.both_bad > 0.0)
                .then(|| good_from(model, &belief, &scale))
                .flatten(),
            voters: votes.voters.len(),
            intervals_by_voters: belief.widened,
            audit: audit::findings(&evidence),
            next: next(model, seed)?,
            votes_to_separate: (board.len() > 1).then(|| Separation {
                first: names(0),
                second: names(1),
                votes: separation(model, &belief, &places),
            }),
            kernel: model.kernel_expression(),
            log_evidence: model.report().log_evidence,
            converged: model.report().status == Status::Converged,
            warnings: Vec::new(),
            read: votes.read.clone(),
            judges,
            scale,
            board,
        })
    }

    /// What a board without a problem has none of: rows that were left out, and concerns of the audit.
    pub fn problems(&self) -> Vec<String> {
        let rows: u64 = self.read.left_out.iter().map(|one| one.rows).sum();
        let first = self
            .read
            .left_out
            .first()
            .map(|one| format!("{} rows were left out ({})", count(rows), one.first));
        let concerns = self
            .audit
            .iter()
            .filter(|f| f.concern && f.check != audit::ROWS)
            .map(|finding| finding.sentence.clone());
        first.into_iter().chain(concerns.map(|sentence| sentence.trim_end_matches('.').to_owned())).collect()
    }
}

/// The lines of a board.
fn lines(board: &Board, scale: &Scale, model: &Model, votes: &[f64]) -> Vec<Line> {
    let means: Vec<f64> = board.places.iter().map(|place| place.mean).collect();
    let line = |(at, place): (usize, &arena::Place)| {
        let ends = [place.mean, place.mean - Z95 * place.sd, place.mean + Z95 * place.sd];
        let others: Vec<f64> =
            means.iter().enumerate().filter(|(i, _)| *i != at).map(|(_, mean)| *mean).collect();
        let [rating, lower, upper] = scale.rating(ends, model, &others);
        Line {
            rank: at + 1,
            item: model.keys()[place.item].clone(),
            rating,
            lower,
            upper,
            votes: votes[place.item],
            probability_best: place.standing.probability_best,
            rank_low: place.standing.rank_low,
            rank_high: place.standing.rank_high,
            probability_above_next: place.above_next,
            group: place.standing.group,
            rank_before: None,
            rating_before: None,
        }
    };
    board.places.iter().enumerate().map(line).collect()
}

/// Puts the ranks and ratings of the board before beside those of today.
fn compare(board: &mut [Line], before: &Model, options: &Options, seed: u64) -> Result<(), Error> {
    let Ok(scale) = Scale::new(options.units, options.anchor.as_deref(), before) else { return Ok(()) };
    let joint = arena::plain_belief(before);
    let places = Board::new(&joint, scale.anchor(before), seed)?;
    let votes = vec![0.0; before.keys().len()];
    let known: HashMap<String, (usize, f64)> = lines(&places, &scale, before, &votes)
        .into_iter()
        .map(|line| (line.item, (line.rank, line.rating)))
        .collect();
    for line in board {
        let of = known.get(&line.item);
        (line.rank_before, line.rating_before) = (of.map(|of| of.0), of.map(|of| of.1));
    }
    Ok(())
}

/// A board for each value of a column.
fn levels(
    model: &Model,
    by: Option<&str>,
    scale: &Scale,
    graph: &Connection,
    seed: u64,
) -> Result<Vec<Level>, Error> {
    let (Some(by), Some(context)) = (by, model.items().context()) else { return Ok(Vec::new()) };
    let of = context.encoder.features.iter().find(|(name, _)| name.eq_ignore_ascii_case(by));
    let Some((_, Encoding::Categorical { levels })) = of else { return Ok(Vec::new()) };
    let mut model = model.clone();
    let mut boards = Vec::new();
    for level in levels {
        model.look_at(by, &ColumnValues::Text(vec![level.clone()]))?;
        let board = Board::new(&arena::plain_belief(&model), scale.anchor(&model), seed)?;
        boards.push(Level { level: level.clone(), board: lines(&board, scale, &model, &graph.votes) });
    }
    Ok(boards)
}

/// What `units` of a column are worth, if it has a weight.
fn weight(model: &Model, column: &str, scale: &Scale, units: f64) -> Option<Weight> {
    let (_, mean, sd) = model.weights().into_iter().find(|(name, ..)| name.eq_ignore_ascii_case(column))?;
    let (mean, sd) = (mean * units, sd * units);
    let [first, _, second] = arena::chances(model, mean);
    Some(Weight {
        column: column.to_owned(),
        rating: scale.difference(mean),
        lower: scale.difference(mean - Z95 * sd),
        upper: scale.difference(mean + Z95 * sd),
        probability: first / (first + second),
    })
}

/// The standard deviation of a column of numbers.
fn deviation(model: &Model, column: &str) -> f64 {
    let features =
        model.items().context().map(|context| context.encoder.features.as_slice()).unwrap_or_default();
    match features.iter().find(|(name, _)| name.eq_ignore_ascii_case(column)) {
        Some((_, Encoding::Numeric { scale, .. })) => *scale,
        _ => 1.0,
    }
}

/// The rating of the threshold above which an item is good.
fn good_from(model: &Model, belief: &Belief, scale: &Scale) -> Option<f64> {
    let (_, threshold) = model.reported_hyperparameters().into_iter().find(|(name, _)| name == "good")?;
    let mean = &belief.joint.mean;
    let zero = match scale.anchor(model) {
        Some(anchor) => mean[anchor],
        None => mean.iter().sum::<f64>() / mean.len() as f64,
    };
    let relative: Vec<f64> = mean.iter().map(|f| f - zero).collect();
    Some(scale.rating([threshold - zero; 3], model, &relative)[0])
}

/// The most informative pairs.
fn next(model: &Model, seed: u64) -> Result<Vec<[String; 2]>, Error> {
    // Of very many names the covariances alone would take longer than the fit.
    let many = model.keys().len() > MOST_ITEMS && model.hyperparameters().kernel.is_white();
    if model.keys().len() < 2 || many {
        return Ok(Vec::new());
    }
    let acquisition =
        "bald".parse().map_err(|_| Error::Unreliable("no acquisition function bald".to_owned()))?;
    let request = Request::new(acquisition, Pairs::All, NEXT, seed);
    let found = Person::Single(model).suggest(model.points(), &request)?;
    let name = |item: usize| model.keys()[item].clone();
    Ok(found.iter().map(|pair| [name(pair.opponent), name(pair.challenger)]).collect())
}

/// How many more votes separate the first from the second.
fn separation(model: &Model, belief: &Belief, board: &Board) -> Option<u64> {
    let [first, second] = [board.places[0].item, board.places[1].item];
    let votes = arena::votes_to_separate(model, &belief.joint, first, second)?;
    // Votes of the same voter count for less.
    let votes = votes * belief.widened.map_or(1.0, |factor| factor * factor);
    (votes < NEVER).then_some(votes.ceil() as u64)
}
