//! MovieLens (1M): ten movies, users who rated at least seven of them.

use std::collections::HashMap;
use std::path::Path;

use anyhow::Result;
use rather_numerics::random::{normal, stream};

use super::{DataSet, Labels, answers_to, csv_rows, full_numbers, impute, number, one_hot};

/// The ten movies of the paper, in the order of the authors' features. They are not named there; they follow from
/// `sample(..., 10)` at R's seed 1 among the fifty most rated movies, and their genres agree with the feature file.
const MOVIES: [usize; 10] = [2762, 1617, 296, 3175, 593, 2791, 780, 1240, 2716, 1196];
const AGES: [&str; 7] = ["1", "18", "25", "35", "45", "50", "56"];
const OCCUPATIONS: usize = 21;
const LEAST_RATINGS: usize = 7;

/// In the authors' scripts, moreover, each movie's ratings stand in the column given by the movies' *order* instead of
/// their rank, so features and ratings are of different movies.
pub(super) fn read(folder: &Path, labels: Labels) -> Result<DataSet> {
    let items = full_numbers(&folder.join("houlsby-processed/movielens/itemFeatures.txt"))?;
    let folder = folder.join("movielens_1m");
    let mut rated: HashMap<usize, Vec<Option<f64>>> = HashMap::new();
    for row in csv_rows(&folder.join("ratings.csv.gz"))? {
        let movie: usize = number(&row[1])?;
        if let Some(item) = MOVIES.iter().position(|&m| m == movie) {
            let ratings = rated.entry(number(&row[0])?).or_insert_with(|| vec![None; MOVIES.len()]);
            ratings[item] = Some(number(&row[2])?);
        }
    }
    let mut kept: Vec<(usize, Vec<Option<f64>>)> =
        rated.into_iter().filter(|(_, r)| r.iter().flatten().count() >= LEAST_RATINGS).collect();
    kept.sort_by_key(|(user, _)| *user);
    let mut features = HashMap::new();
    for row in csv_rows(&folder.join("users.csv"))? {
        let age = AGES.iter().position(|a| *a == row[2]).unwrap_or(0);
        let gender = usize::from(row[1] == "M");
        let user: Vec<f64> = one_hot(gender, 2)
            .chain(one_hot(age, AGES.len()))
            .chain(one_hot(number(&row[3])?, OCCUPATIONS))
            .collect();
        features.insert(number::<usize>(&row[0])?, user);
    }
    let ratings: Vec<Vec<Option<f64>>> = kept.iter().map(|(_, r)| r.clone()).collect();
    let ratings = impute::nearest_neighbours(&ratings);
    let mut rng = stream(0, 0);
    let (mut users, mut first_wins) = (Vec::new(), Vec::new());
    for ((user, _), ratings) in kept.iter().zip(&ratings) {
        // Equal ratings are many: they are told apart by noise, and nothing can predict that.
        let noisy: Vec<f64> = ratings.iter().map(|r| r + 1e-5 * normal(&mut rng)).collect();
        let ratings = match labels {
            Labels::Items => noisy,
            Labels::Scripts => misplaced(&noisy),
        };
        first_wins.push(answers_to(&ratings, labels));
        users.push(features.get(user).cloned().unwrap_or_default());
    }
    Ok(DataSet { name: "movielens", items, users, first_wins, training: 20, draws_users: true })
}

/// Item `k`'s rating in column `order(MOVIES)[k]`.
fn misplaced(ratings: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..MOVIES.len()).collect();
    order.sort_by_key(|&k| MOVIES[k]);
    let mut out = vec![0.0; ratings.len()];
    for (k, &column) in order.iter().enumerate() {
        out[column] = ratings[k];
    }
    out
}
