//! UK general election of 2010: 264 constituencies "vote" on eight parties.

use std::path::Path;

use anyhow::{Context, Result};
use rather_numerics::random::{normal, stream};

use super::{DataSet, Labels, answers_to, full_numbers, impute, numbers};

/// Those with at least six parties standing, missing votes imputed; the parties' features are the votes in the twenty
/// constituencies that the authors set aside.
pub(super) fn read(folder: &Path, labels: Labels) -> Result<DataSet> {
    let folder = folder.join("houlsby-processed/election");
    let rows = numbers(&folder.join("all_polling_data.dat"), Some('\t'))?;
    let kept: Vec<&Vec<Option<f64>>> = rows.iter().filter(|r| r[3..].iter().flatten().count() >= 6).collect();
    let votes: Vec<Vec<Option<f64>>> = kept.iter().map(|r| r[3..].to_vec()).collect();
    let votes = impute::nearest_neighbours(&votes);
    let items = full_numbers(&folder.join("itemFeatures.txt"))?;
    let users = full_numbers(&folder.join("userFeatures.txt"))?;
    let mut rng = stream(0, 0);
    let mut first_wins = Vec::new();
    for user in &users {
        let here = |r: &&Vec<Option<f64>>| r[1] == Some(user[0]) && r[2] == Some(user[1]);
        let at =
            kept.iter().position(here).context("a constituency of userFeatures.txt is not in the polls")?;
        // Ties between imputed votes are broken by noise.
        let ratings: Vec<f64> = votes[at].iter().map(|v| v + 1e-5 * normal(&mut rng)).collect();
        first_wins.push(answers_to(&ratings, labels));
    }
    Ok(DataSet { name: "election", items, users, first_wins, training: 20, draws_users: true })
}
