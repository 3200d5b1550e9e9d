//! Swiss Jura: 339 places "prefer" the metal of which they have more, relative to the other places.

use std::path::Path;

use anyhow::{Context, Result};

use super::{DataSet, Labels, answers_to, full_numbers};

/// Metals standardised over all places; the metals' features are those at the twenty places that the authors set aside.
pub(super) fn read(folder: &Path, labels: Labels) -> Result<DataSet> {
    let folder = folder.join("houlsby-processed/jura");
    let rows = full_numbers(&folder.join("jura.dat"))?;
    let n = rows.len() as f64;
    let standardised = |c: usize| {
        let column: Vec<f64> = rows.iter().map(|r| r[4 + c]).collect();
        let mean = column.iter().sum::<f64>() / n;
        let sd = (column.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0)).sqrt();
        column.into_iter().map(move |x| (x - mean) / sd).collect::<Vec<f64>>()
    };
    let metals: Vec<Vec<f64>> = (0..7).map(standardised).collect();
    let items = full_numbers(&folder.join("itemFeatures.txt"))?;
    let users = full_numbers(&folder.join("userFeatures.txt"))?;
    let mut first_wins = Vec::new();
    for user in &users {
        let at = rows.iter().position(|r| r[0] == user[0] && r[1] == user[1]);
        let at = at.context("a place of userFeatures.txt is not in jura.dat")?;
        let ratings: Vec<f64> = metals.iter().map(|m| m[at]).collect();
        first_wins.push(answers_to(&ratings, labels));
    }
    Ok(DataSet { name: "jura", items, users, first_wins, training: 15, draws_users: true })
}
