//! Which comparisons are learned from, and which tested.

use std::collections::BTreeMap;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::read::Table;

const FOLDS: usize = 5;

/// Rows of the table.
pub(super) struct Fold {
    pub(super) train: Vec<usize>,
    pub(super) test: Vec<usize>,
}

/// Pairs, in random order, with the rows that are about them.
pub(super) fn pairs(comparisons: &[(usize, usize)], seed: u64) -> Vec<Vec<usize>> {
    let mut rows: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
    for (k, &(a, b)) in comparisons.iter().enumerate() {
        rows.entry((a.min(b), a.max(b))).or_default().push(k);
    }
    let mut rows: Vec<Vec<usize>> = rows.into_values().collect();
    rows.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
    rows
}

/// All answers about two items are in the same fold.
pub(super) fn by_pair(table: &Table, seed: u64) -> Vec<Fold> {
    let mut fold_of = vec![0; table.comparisons.len()];
    for (k, rows) in pairs(&table.comparisons, seed).iter().enumerate() {
        rows.iter().for_each(|&row| fold_of[row] = k % FOLDS);
    }
    folds(|row, fold| fold_of[row] == fold, fold_of.len())
}

/// A comparison is tested if one of its items is held out, and learned from if none is.
pub(super) fn by_item(table: &Table, seed: u64) -> Vec<Fold> {
    let mut items: Vec<usize> = (0..table.items.keys.len()).collect();
    items.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
    let mut fold_of = vec![0; items.len()];
    items.iter().enumerate().for_each(|(k, &item)| fold_of[item] = k % FOLDS);
    let held_out = |row: usize, fold| {
        let (a, b) = table.comparisons[row];
        fold_of[a] == fold || fold_of[b] == fold
    };
    folds(held_out, table.comparisons.len())
}

fn folds(is_test: impl Fn(usize, usize) -> bool, rows: usize) -> Vec<Fold> {
    let fold = |k| {
        let (test, train) = (0..rows).partition(|&row| is_test(row, k));
        Fold { train, test }
    };
    (0..FOLDS).map(fold).filter(|fold| !fold.train.is_empty() && !fold.test.is_empty()).collect()
}
