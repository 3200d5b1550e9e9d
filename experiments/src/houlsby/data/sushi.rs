//! Sushi, set A: 5,000 people's orders of ten kinds.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Result;

use super::{DataSet, answers, csv_rows, number, one_hot};

/// The features of items, whose column `first` is the style.
fn item_features(rows: &[Vec<String>], first: usize) -> Result<Vec<Vec<f64>>> {
    let groups: Vec<usize> = rows.iter().map(|r| number(&r[first + 2])).collect::<Result<_>>()?;
    let kinds: Vec<usize> = groups.iter().copied().collect::<BTreeSet<_>>().into_iter().collect();
    let mut items = Vec::new();
    for (r, group) in rows.iter().zip(&groups) {
        let kind = kinds.iter().position(|k| k == group).unwrap_or(0);
        let binary = one_hot(number(&r[first])?, 2).chain(one_hot(number(&r[first + 1])?, 2));
        let mut row: Vec<f64> = binary.chain(one_hot(kind, kinds.len())).collect();
        for field in &r[first + 3..first + 7] {
            row.push(number(field)?);
        }
        items.push(row);
    }
    Ok(items)
}

/// Items one a row; each person's order of some of them, best first.
pub(in crate::houlsby) type ItemsAndOrders = (Vec<Vec<f64>>, Vec<Vec<usize>>);

/// Sushi, set B: features of 100 kinds, and each person's order of ten of them, best first.
pub(in crate::houlsby) fn read_b(folder: &Path) -> Result<ItemsAndOrders> {
    let folder = folder.join("sushi");
    let items = item_features(&csv_rows(&folder.join("items_b.csv"))?, 3)?;
    let order = |r: &Vec<String>| r[1..].iter().map(|item| number(item)).collect::<Result<Vec<usize>>>();
    let orders = csv_rows(&folder.join("rankings_b.csv"))?.iter().map(order).collect::<Result<_>>()?;
    Ok((items, orders))
}

/// Items: style, major and minor group (one-hot) and four numbers, as in the paper; item 5 of set A has the features of
/// salmon roe, its own (the authors gave it those of salmon). Users: gender, age, and where they live now.
pub(super) fn read(folder: &Path) -> Result<DataSet> {
    let folder = folder.join("sushi");
    let items = item_features(&csv_rows(&folder.join("items_a.csv"))?, 4)?;
    let rows = csv_rows(&folder.join("users.csv"))?;
    // Columns gender, age_group, prefecture_now, region_now, east_west_now; those with two values are one number.
    let mut users = vec![Vec::new(); rows.len()];
    for column in [1, 2, 7, 8, 9] {
        let values: Vec<usize> = rows.iter().map(|r| number(&r[column])).collect::<Result<_>>()?;
        let levels: Vec<usize> = values.iter().copied().collect::<BTreeSet<_>>().into_iter().collect();
        for (user, value) in users.iter_mut().zip(&values) {
            let level = levels.iter().position(|l| l == value).unwrap_or(0);
            match levels.len() {
                2 => user.push(level as f64),
                n => user.extend(one_hot(level, n)),
            }
        }
    }
    let mut first_wins = Vec::new();
    for r in csv_rows(&folder.join("rankings_a.csv"))? {
        let mut utilities = vec![0.0; items.len()];
        for (place, item) in r[1..].iter().enumerate() {
            utilities[number::<usize>(item)?] = -(place as f64);
        }
        first_wins.push(answers(&utilities));
    }
    Ok(DataSet { name: "sushi", items, users, first_wins, training: 20, draws_users: true })
}
