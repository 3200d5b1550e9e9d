//! Votes as a model sees them.

use crate::answers::{Answer, Answers};
use crate::likelihood::{AnswerIndex, Likelihoods, Reply};
use crate::model::Model;
use crate::points::Points;
use rustc_hash::FxHashMap;

/// The votes that a model was learned from: the same votes are one cell.
#[derive(Debug)]
pub struct Cast<'a> {
    pub(super) model: &'a Model,
    /// What votes are about, as the model has it.
    pub(super) sides: &'a Points,
    /// The distinct votes.
    pub cells: Vec<Cell>,
    /// The cell of each answer, in their order.
    pub of: Vec<u32>,
    /// How often each answer was given.
    pub counts: Vec<f32>,
    by_voter: ByVoter,
}

/// Votes in the order of their voters: the cell of each, and how often it was cast.
#[derive(Debug, Default)]
struct ByVoter {
    /// Where those of each voter begin, and the end.
    starts: Vec<u32>,
    votes: Vec<(u32, f32)>,
    /// Whether the voter of every answer is known.
    complete: bool,
}

/// A vote that was cast, perhaps by many.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cell {
    /// What it speaks for, as a position among the sides; of a tie, one of the two.
    pub(super) plus: usize,
    /// What it speaks against, if it is about two.
    pub(super) minus: Option<usize>,
    /// The items of both.
    pub items: (usize, Option<usize>),
    /// Whether the first stood on the left; `None` if that is not known.
    pub first_left: Option<bool>,
    /// Whether it is for neither.
    pub tie: bool,
    /// How often it was cast.
    pub count: f64,
    /// $\partial\log p(y\mid z)/\partial z$ at the posterior mean, with $z$ the first utility minus the second.
    pub(super) score: f64,
    /// The probabilities, at the posterior mean, of a vote for the first, for neither, and for the second.
    pub chances: [f64; 3],
}

impl<'a> Cast<'a> {
    /// The votes `answers`, which `model` was learned from: `by` has the voter of each, one of so many, if they are known.
    pub fn new(model: &'a Model, answers: &Answers, by: &[u32], voters: usize) -> Self {
        let sides = model.sides();
        let f = model.belief().utilities(sides).mean;
        let likelihoods = model.belief().likelihoods();
        let responses = &model.observations().responses;
        let index: FxHashMap<_, u32> = responses.replies.iter().map(Reply::key).zip(0..).collect();
        let (mut known, mut cells, mut of) =
            (FxHashMap::default(), Vec::<Cell>::new(), Vec::with_capacity(answers.len()));
        let mut counts = Vec::with_capacity(answers.len());
        for ((plus, minus, said, _), answer) in answers.rows().zip(answers.iter()) {
            let cell = *known.entry((plus, minus, said)).or_insert_with(|| {
                let ordered = answer.in_order(&responses.response_model);
                let at = index.get(&ordered.reply.key()).copied().unwrap_or_default();
                cells.push(Cell::new(&answer, AnswerIndex(at), &f, sides, likelihoods));
                cells.len() - 1
            });
            cells[cell].count += answer.count;
            of.push(cell as u32);
            counts.push(answer.count as f32);
        }
        let by_voter = ByVoter::new(by, voters, &of, &counts);
        Self { model, sides, cells, of, counts, by_voter }
    }

    /// Number of items of the model.
    pub(super) fn items(&self) -> usize {
        self.model.keys().len()
    }

    /// For each voter, in their order, the cell of each of their votes, and how often it was cast.
    pub(super) fn by_voter(&self) -> impl ExactSizeIterator<Item = &[(u32, f32)]> + Clone {
        let ByVoter { starts, votes, .. } = &self.by_voter;
        starts.windows(2).map(|ends| &votes[ends[0] as usize..ends[1] as usize])
    }

    /// Whether the voter of every answer is known.
    pub(super) fn knows_voters(&self) -> bool {
        self.by_voter.complete
    }
}

impl ByVoter {
    /// Votes of whom is not known are left out.
    fn new(by: &[u32], voters: usize, of: &[u32], counts: &[f32]) -> Self {
        let mut starts = vec![0_u32; voters + 1];
        let known =
            || by.iter().map(|&voter| voter as usize).enumerate().filter(|(_, voter)| *voter < voters);
        known().for_each(|(_, voter)| starts[voter + 1] += 1);
        (0..voters).for_each(|voter| starts[voter + 1] += starts[voter]);
        let mut next = starts.clone();
        let mut votes = vec![(0, 0.0); starts[voters] as usize];
        for (at, voter) in known() {
            votes[next[voter] as usize] = (of[at], counts[at]);
            next[voter] += 1;
        }
        Self { starts, votes, complete: by.len() == of.len() }
    }
}

impl Cell {
    fn new(
        answer: &Answer,
        index: AnswerIndex,
        f: &[f64],
        sides: &Points,
        likelihoods: &Likelihoods,
    ) -> Self {
        let (plus, minus) = (answer.plus, answer.minus);
        let z = f[plus] - minus.map_or(0.0, |minus| f[minus]);
        let tie = minus.is_some() && answer.is_tie();
        // Observations of a tie are about the item of the smaller number first.
        let sign = if tie && minus.is_some_and(|minus| plus > minus) { -1.0 } else { 1.0 };
        let item = |side: usize| sides.id(side) as usize;
        Self {
            plus,
            minus,
            items: (item(plus), minus.map(item)),
            first_left: match answer.reply.side {
                0 => None,
                side => Some(side > 0),
            },
            tie,
            count: 0.0,
            score: sign * likelihoods.of(index).log_density(sign * z).first,
            chances: if minus.is_some() { likelihoods.chances(z) } else { [1.0, 0.0, 0.0] },
        }
    }

    /// The probability of what was voted.
    pub fn probability(&self) -> f64 {
        self.chances[usize::from(self.tie)]
    }

    /// The probability of the first, a tie counting half.
    pub(super) fn expected(&self) -> f64 {
        self.chances[0] + 0.5 * self.chances[1]
    }

    /// What was voted: 1 for the first, half for neither.
    pub(super) fn outcome(&self) -> f64 {
        if self.tie { 0.5 } else { 1.0 }
    }

    /// The variance of the outcome.
    pub(super) fn variance(&self) -> f64 {
        let expected = self.expected();
        (self.chances[0] + 0.25 * self.chances[1] - expected * expected).max(0.0)
    }
}
