//! What cannot be combined, and why: the whole list. Everything else works together: answers of every kind, ways of inference, models of
//! many users, commands.

use std::fmt;

/// Things that cannot be combined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unsupported {
    /// A representation of the prior with items that it is not for.
    Representation,
    /// Another representation than the full covariance, where something needs that: other ways of inference, hyperparameters integrated out.
    FullCovariance,
    /// The covariance of all items from a sparse precision.
    SparseCovariance,
    /// Random effects of pairs with Laplace's approximation or streaming inference, or of comparisons that have columns.
    PairEffect,
    /// Answers about sets of items, taken jointly, with what does not take them, or not with this noise.
    JointAnswers,
    /// One evidence over another, with a response model for which that is no nearer to exact, or for one of many users.
    EvidenceRatio,
    /// Noisy differences of answers that have none: other than plain comparisons and orders of sets, or with weights; or that are not independent, where
    /// they must be.
    NoisyDifferences,
    /// A noise learned by streaming inference.
    StreamingNoise,
    /// A collaborative model of likelihoods that are not log-concave.
    LogConcave,
    /// Draws of the exact posterior of one of many users: for an acquisition function that conditions on one, or of users who share functions.
    Draw,
}

/// One line each: what is not supported and why, and what to do instead.
static TABLE: [(Unsupported, &str, &str); 10] = [
    (
        Unsupported::Representation,
        "a low-rank covariance is for items with features, and a sparse precision for kernels of effects (`white`), weights (`linear`) and processes \
         in one column of comparisons, by expectation propagation; comparisons of teams need it",
        "use the other representation",
    ),
    (
        Unsupported::FullCovariance,
        "Laplace, exact inference, hyperparameters integrated out, and lapses, outliers and pair effects of items without features need the full \
         covariance",
        "do not choose another representation",
    ),
    (
        Unsupported::SparseCovariance,
        "this needs the covariance of all items, which a sparse precision does not give",
        "fit a model with another representation, on fewer items if necessary",
    ),
    (
        Unsupported::PairEffect,
        "a pair effect needs expectation propagation, and comparisons without columns",
        "use that, or switch the pair effect off",
    ),
    (
        Unsupported::JointAnswers,
        "answers about sets of items, taken jointly, need normal noise with expectation propagation, streaming or exact inference or, for one person, \
         logistic noise with Laplace's approximation, without lapses, pair effects, a half-life or messages",
        "use that, or take them as pairs",
    ),
    (
        Unsupported::EvidenceRatio,
        "ratios of evidences need the default response model and one person: with lapses or outliers they are not more exact, and with a pair \
         effect or many users they are not available",
        "use the plain probabilities",
    ),
    (
        Unsupported::NoisyDifferences,
        "minimax tilting, Gibbs and linear elliptical slice sampling draw the noisy differences of plain comparisons and of sets, which other answers \
         and answers with weights (of a half-life) do not have; the first two draw none of the best and the worst of a set, which hang together",
        "use the sampler auto or ep-slice",
    ),
    (
        Unsupported::StreamingNoise,
        "streaming inference does not learn the noise, which is free because a variance is fixed",
        "fix the noise too, or do not fix the variance",
    ),
    (
        Unsupported::LogConcave,
        "the collaborative model needs log-concave likelihoods, and lapses and outliers have none",
        "take another model, or leave them out",
    ),
    (
        Unsupported::Draw,
        "of one of many users there is no exact posterior to draw from, which acquisition functions that condition on a draw and, where users \
         share functions, checks need",
        "take bald or improvement, and check a per-user, pooled or hierarchical model",
    ),
];

impl Unsupported {
    /// All of them.
    pub fn all() -> impl Iterator<Item = Self> {
        TABLE.iter().map(|(this, ..)| *this)
    }
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match TABLE.iter().find(|(this, ..)| this == self) {
            Some((_, why, instead)) => write!(f, "{why}; {instead}"),
            None => f.write_str("this combination is not supported"),
        }
    }
}

impl std::error::Error for Unsupported {}
