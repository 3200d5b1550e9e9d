//! How many bytes a model of many users takes at its peak, as [`crate::memory`] counts them.

use super::Kind;
use super::collaborative::LARGEST_SUMS;
use crate::inference::ep::depth;
use crate::memory::{FEATURE, FEATURES_OF_A_PAIR, MATRICES, NAME, NUMBER, PAIR, SITE};

/// What the memory of a model of many users depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Crowd {
    /// Users, whether they answered or not.
    pub users: usize,
    /// Items.
    pub items: usize,
    /// Features of an item, and of a user.
    pub columns: usize,
    /// Features of the items' kernel at most: the items, or the inducing ones of a collaborative model.
    pub features: usize,
    /// Features of the users' kernel at most; 0 without one.
    pub user_features: usize,
    /// Distinct pairs that were compared.
    pub pairs: usize,
    /// Distinct answers: a user's own.
    pub records: usize,
    /// UserAnswers as they were given.
    pub answers: usize,
    /// Latent functions of a collaborative model.
    pub functions: usize,
}

/// An answer of a user as it was given, and while answers are merged.
const ANSWER_OF_A_USER: u64 = 112;
/// A distinct answer of a user, with its places by user and by pair, and the observation with its sites.
const RECORD: u64 = 160;
/// What is held of a user besides: where the answers begin, how inference ended.
const USER: u64 = 480;

/// Bytes of a model of many users.
pub fn population(kind: Kind, crowd: &Crowd) -> u64 {
    let [users, items, features, user_features, pairs, functions] =
        [crowd.users, crowd.items, crowd.features, crowd.user_features, crowd.pairs, crowd.functions]
            .map(|n| n as u64);
    let tables = (users + items) * (NAME + FEATURE * crowd.columns as u64)
        + crowd.answers as u64 * ANSWER_OF_A_USER
        + crowd.records as u64 * RECORD
        + users * USER
        + pairs * 3 * PAIR;
    // The items' kernel is learned from a few users alone, whatever the model: their posteriors, and a gradient.
    let kernel = NUMBER * MATRICES * items * items;
    let fit = match kind {
        Kind::PerUser => 0,
        Kind::Hierarchical => NUMBER * MATRICES * features * features,
        Kind::Pooled => NUMBER * MATRICES * items.min(pairs).pow(2) + pairs * FEATURES_OF_A_PAIR,
        // A factor, its inverse and what they are made of, in the product of both kernels' features. Smooth kernels have fewer than items.
        Kind::Kronecker => {
            let product = (features * users).min(super::Kronecker::LARGEST as u64);
            NUMBER * (4 * product * product + features * pairs + user_features * users)
        }
        // Two states at a time: of every function the sites and moments of users and pairs, and of every user the covariance of the weights. Besides
        // them the steps that acceleration remembers, and sums over all answers of each pair.
        Kind::Collaborative => {
            let state = functions * (users + pairs) * 4 * NUMBER
                + users * functions * functions * NUMBER
                + functions * 2 * features * features * NUMBER;
            let sites = crowd.records as u64 + functions * pairs;
            let history = 2 * SITE * (depth(sites as usize) as u64 + 2) * sites;
            let sums = NUMBER * (functions * pairs * 3 + LARGEST_SUMS.min(functions * functions * pairs));
            2 * state + history + sums + NUMBER * (features * (items + pairs) + user_features * users * 2)
        }
    };
    tables + kernel.max(fit)
}
