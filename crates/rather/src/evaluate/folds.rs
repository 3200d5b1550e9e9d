//! What is learned from and what is tested on.

use std::collections::BTreeSet;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use crate::Error;
use crate::answers::Answer;
use crate::likelihood::choice_set::PartialOrder;

/// What is held out together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum By {
    /// All answers about the same two items, or about one, tested once on a model of those in the other parts: what was said of a pair is never
    /// known from who said it before, and three rows are the same as one with a count of 3.
    #[default]
    Pairs,
    /// What one user said of the same two items, or of one: others' answers about them may be learned from.
    PairsOfUsers,
    /// Every answer by itself: that of a pair may be known from others about it.
    Comparisons,
    /// Users of whom nothing is known yet: all answers of a user are in one part.
    Users,
    /// Items of which nothing is known yet: all answers that name an item of the part are tested, on a model of those
    /// that name none. A comparison of two items in different parts is tested twice. Only features can tell something
    /// about such items.
    Items,
}

/// Comparisons to learn from and comparisons to test, as positions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fold {
    /// To learn from.
    pub training: Vec<usize>,
    /// To test.
    pub test: Vec<usize>,
}

/// Splits `n` numbers into `folds` parts at random, as equal in size as can be: the same under the same seed.
pub fn split(n: usize, folds: usize, seed: u64) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..n).collect();
    order.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
    let mut parts = vec![Vec::new(); folds];
    for (place, row) in order.into_iter().enumerate() {
        parts[place % folds].push(row);
    }
    parts
}

/// Splits rows into `folds` parts at random, so that rows with the same key are in one part: the same under the same seed, in whatever
/// order the rows come.
///
/// # Examples
/// ```
/// use rather::evaluate::split_by;
///
/// let parts = split_by(&["b", "a", "b", "c"], 2, 0);
/// let part_of = |row: usize| parts.iter().position(|part| part.contains(&row));
/// assert_eq!(part_of(0), part_of(2));
/// ```
pub fn split_by<K: Ord + Copy>(keys: &[K], folds: usize, seed: u64) -> Vec<Vec<usize>> {
    let mut distinct = keys.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    let mut part = vec![0; distinct.len()];
    for (number, places) in split(distinct.len(), folds, seed).into_iter().enumerate() {
        places.into_iter().for_each(|place| part[place] = number);
    }
    let mut rows = vec![Vec::new(); folds];
    for (row, key) in keys.iter().enumerate() {
        rows[part[distinct.partition_point(|known| known < key)]].push(row);
    }
    rows
}

/// What an answer is about: its items in increasing order, counted from 1, and 0 in the place of those that there are not.
pub type About = [u32; PartialOrder::MOST];

/// What each answer is about: one item, the two of a pair, or a set.
pub fn projections(answers: &[Answer]) -> Vec<About> {
    let of = |answer: &Answer| {
        let mut items: Vec<u32> = answer.items().map(|item| item as u32 + 1).collect();
        items.sort_unstable();
        let mut about = [0; PartialOrder::MOST];
        about.iter_mut().zip(items).for_each(|(to, item)| *to = item);
        about
    };
    answers.iter().map(of).collect()
}

/// The folds of `answers`: as many as `folds`, at random under `seed`.
///
/// # Errors
/// [`Error::Parameter`] unless there are at least two folds, and a compared pair (or an item) for each;
/// [`Error::EmptyTraining`] if holding out the items of a part leaves nothing to learn from.
pub(super) fn folds(answers: &[Answer], by: By, folds: usize, seed: u64) -> Result<Vec<Fold>, Error> {
    let check = |there: usize, requirement: &'static str| {
        let fits = (2..=there).contains(&folds);
        let wrong = || Error::Parameter { name: "folds".into(), value: folds as f64, requirement };
        fits.then_some(()).ok_or_else(wrong)
    };
    match by {
        By::Pairs => {
            let keys = projections(answers);
            check(distinct(&keys), "there must be at least two, and a compared pair for each")?;
            Ok(by_keys(&keys, folds, seed))
        }
        By::PairsOfUsers => {
            let of = answers.iter().map(Answer::user);
            let keys: Vec<_> = of.zip(projections(answers)).collect();
            check(distinct(&keys), "there must be at least two, and a pair that a user compared for each")?;
            Ok(by_keys(&keys, folds, seed))
        }
        By::Comparisons => {
            check(answers.len(), "there must be at least two, and a comparison for each")?;
            Ok(by_keys(&(0..answers.len()).collect::<Vec<_>>(), folds, seed))
        }
        By::Users => {
            let keys: Vec<_> = answers.iter().map(Answer::user).collect();
            check(distinct(&keys), "there must be at least two, and a user for each")?;
            Ok(by_keys(&keys, folds, seed))
        }
        By::Items => {
            let items = compared(answers);
            check(items.len(), "there must be at least two, and a compared item for each")?;
            by_items(answers, &items, folds, seed)
        }
    }
}

/// The items that `answers` are about, in order.
pub fn compared(answers: &[Answer]) -> Vec<usize> {
    let mut items: Vec<usize> = answers.iter().flat_map(Answer::items).collect();
    items.sort_unstable();
    items.dedup();
    items
}

/// One fold for each level, in the order of the levels: its answers are tested on a model of all others.
pub fn levels(of: &[usize]) -> Vec<Fold> {
    let mut distinct = of.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    let fold = |level: usize| {
        let (test, training) = (0..of.len()).partition(|&row| of[row] == level);
        Fold { training, test }
    };
    distinct.into_iter().map(fold).collect()
}

/// One fold for each period but the first: its answers are tested on a model of all periods before (rolling origin).
///
/// # References
/// Tashman, *Out-of-sample tests of forecasting accuracy* (2000), International Journal of Forecasting 16.
pub fn rolling(periods: &[i64]) -> Vec<Fold> {
    let mut distinct = periods.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    let fold = |period: i64| {
        let rows =
            |wanted: &dyn Fn(i64) -> bool| (0..periods.len()).filter(|&row| wanted(periods[row])).collect();
        Fold { training: rows(&|at| at < period), test: rows(&|at| at == period) }
    };
    distinct.into_iter().skip(1).map(fold).collect()
}

/// The number of a period of each time, of about so many periods of equally many answers: no time is in two.
pub fn blocks(times: &[f64], periods: usize) -> Vec<i64> {
    let mut sorted = times.to_vec();
    sorted.sort_by(f64::total_cmp);
    let first = |k: usize| sorted[(k * sorted.len() / periods).min(sorted.len() - 1)];
    let begins: Vec<f64> = (1..periods).map(first).collect();
    times.iter().map(|time| begins.iter().filter(|begin| time >= *begin).count() as i64).collect()
}

fn distinct<K: Ord>(keys: &[K]) -> usize {
    keys.iter().collect::<BTreeSet<_>>().len()
}

fn by_keys<K: Ord + Copy>(keys: &[K], folds: usize, seed: u64) -> Vec<Fold> {
    let parts = split_by(keys, folds, seed);
    let fold = |at: usize| {
        let others = parts.iter().enumerate().filter(|&(other, _)| other != at).flat_map(|(_, rows)| rows);
        let mut training: Vec<usize> = others.copied().collect();
        // In the order of the table, in which answers come to a stream and grow old.
        training.sort_unstable();
        Fold { training, test: parts[at].clone() }
    };
    (0..folds).map(fold).collect()
}

fn by_items(answers: &[Answer], items: &[usize], folds: usize, seed: u64) -> Result<Vec<Fold>, Error> {
    let mut part = vec![0; items.last().map_or(0, |last| last + 1)];
    for (number, places) in split(items.len(), folds, seed).into_iter().enumerate() {
        places.into_iter().for_each(|place| part[items[place]] = number);
    }
    (0..folds)
        .map(|at| {
            let touched = |&row: &usize| answers[row].items().any(|item| part[item] == at);
            let (test, training): (Vec<usize>, Vec<usize>) = (0..answers.len()).partition(touched);
            if training.is_empty() {
                return Err(Error::EmptyTraining { part: at + 1, parts: folds });
            }
            Ok(Fold { training, test })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn tables() -> impl Strategy<Value = Vec<Answer>> {
        let pair = (0..12_usize, 0..11_usize, 1..4_u32).prop_map(|(winner, other, count)| {
            Answer::rather(winner, if other < winner { other } else { other + 1 }).times(count)
        });
        prop::collection::vec(pair, 2..60)
    }

    proptest! {
        #[test]
        fn every_comparison_is_tested_once(table in tables(), k in 2..9_usize, seed: u64) {
            match folds(&table, By::Pairs, k, seed) {
                Ok(folds) => {
                    let mut tested: Vec<usize> = folds.iter().flat_map(|f| f.test.clone()).collect();
                    tested.sort_unstable();
                    prop_assert_eq!(tested, (0..table.len()).collect::<Vec<_>>());
                    let pairs = projections(&table);
                    for fold in &folds {
                        let mut all = [fold.training.clone(), fold.test.clone()].concat();
                        all.sort_unstable();
                        prop_assert_eq!(all, (0..table.len()).collect::<Vec<_>>());
                        let tested: BTreeSet<_> = fold.test.iter().map(|&row| pairs[row]).collect();
                        prop_assert!(fold.training.iter().all(|&row| !tested.contains(&pairs[row])));
                        prop_assert!(fold.training.is_sorted());
                    }
                }
                Err(error) => {
                    let distinct = projections(&table).into_iter().collect::<BTreeSet<_>>().len();
                    prop_assert!(k > distinct, "{}", error);
                }
            }
        }

        #[test]
        fn no_held_out_item_is_learned_from(table in tables(), k in 2..9_usize, seed: u64) {
            let items = compared(&table);
            match folds(&table, By::Items, k, seed) {
                Ok(folds) => {
                    prop_assert_eq!(folds.len(), k);
                    let mut tested = vec![0; table.len()];
                    let mut unseen = std::collections::BTreeSet::new();
                    for fold in &folds {
                        let known = compared(&fold.training.iter().map(|&row| table[row]).collect::<Vec<_>>());
                        let named = |item: &usize| known.contains(item);
                        for &row in &fold.test {
                            tested[row] += 1;
                            let ends: Vec<usize> = [Some(table[row].plus), table[row].minus].into_iter().flatten().collect();
                            prop_assert!(!ends.iter().all(named), "a tested comparison has no unseen item");
                            unseen.extend(ends.into_iter().filter(|item| !named(item)));
                        }
                        prop_assert_eq!(fold.test.len() + fold.training.len(), table.len());
                    }
                    // Each item is unseen in its own part, and a comparison is tested in those of its two items.
                    prop_assert_eq!(unseen.into_iter().collect::<Vec<_>>(), items);
                    prop_assert!(tested.iter().all(|n| (1..=2).contains(n)));
                }
                Err(Error::EmptyTraining { .. }) => {}
                Err(error) => prop_assert!(k > items.len(), "{}", error),
            }
        }
    }

    /// A row with a count and as many rows are the same data: every pair is in the same part.
    #[test]
    fn counts_and_rows_are_split_alike() {
        let rows: Vec<Answer> = (0..40).map(|i| Answer::rather(i % 9, 9 + i % 4).times(3)).collect();
        let repeated: Vec<Answer> = rows.iter().rev().flat_map(|a| [a.times(1); 3]).collect();
        let parts = |table: &[Answer]| -> Vec<BTreeSet<About>> {
            let folds = folds(table, By::Pairs, 5, 3).unwrap();
            folds.iter().map(|fold| fold.test.iter().map(|&row| projections(table)[row]).collect()).collect()
        };
        assert_eq!(parts(&rows), parts(&repeated));
    }

    #[test]
    fn users_and_rows_are_held_out() {
        let table: Vec<Answer> = (0..24).map(|i| Answer::rather(i % 4, 4).by(i % 6)).collect();
        for fold in folds(&table, By::Users, 3, 1).unwrap() {
            let who = |rows: &[usize]| rows.iter().map(|&row| table[row].user()).collect::<BTreeSet<_>>();
            assert_eq!(who(&fold.test).len(), 2);
            assert!(who(&fold.test).is_disjoint(&who(&fold.training)));
        }
        // Four pairs, and 24 rows.
        assert!(folds(&table, By::Pairs, 5, 1).is_err() && folds(&table, By::Users, 7, 1).is_err());
        let rows = folds(&table, By::Comparisons, 12, 1).unwrap();
        assert!(rows.iter().all(|fold| fold.test.len() == 2 && fold.training.len() == 22));
        let own = folds(&table, By::PairsOfUsers, 12, 1).unwrap();
        assert!(own.iter().all(|fold| fold.test.len() == 2));
    }

    #[test]
    fn parts_are_a_partition_and_follow_the_seed() {
        let parts = split(11, 3, 7);
        let mut sizes: Vec<usize> = parts.iter().map(Vec::len).collect();
        sizes.sort_unstable();
        assert_eq!(sizes, [3, 4, 4]);
        let mut all = parts.concat();
        all.sort_unstable();
        assert_eq!(all, (0..11).collect::<Vec<_>>());
        assert_eq!(split(11, 3, 7), parts);
        assert_ne!(split(11, 3, 8), parts);
    }
}
