//! Tables that say who answered.

use std::path::Path;

use anyhow::{Result, bail};
use rather::model::Items;

use super::read::{Rows, Table};

pub(crate) const NAMES: [&str; 4] = ["sushi_a", "car_preferences_1", "car_preferences_2", "sound_quality"];

/// People whose orders of sushi are taken.
const PEOPLE: usize = 100;

/// Items with their features, and what each user preferred to what.
pub(crate) struct Crowd {
    pub(crate) items: Items,
    /// The winners and losers of each user's comparisons.
    pub(crate) users: Vec<Vec<(usize, usize)>>,
}

pub(crate) fn read(name: &str, folder: &Path) -> Result<Crowd> {
    let open = |path: &str| Rows::read(&folder.join(path));
    match name {
        "sushi_a" => sushi(&open("sushi/rankings_a.csv")?, &open("sushi/items_a.csv")?),
        "car_preferences_1" | "car_preferences_2" => {
            let file = |what| format!("car_preferences/exp{}_{what}.csv", &name[name.len() - 1..]);
            cars(&open(&file("prefs"))?, &open(&file("items"))?)
        }
        "sound_quality" => sound_quality(&open("sound_quality/comparisons.csv.gz")?),
        other => bail!("there is no table of users {other:?}; the tables are {}", NAMES.join(", ")),
    }
}

/// Every pair of each person's order.
fn sushi(orders: &Rows, items: &Rows) -> Result<Crowd> {
    let pairs = |row: &Vec<String>| {
        let order = row[1..].to_vec();
        let above = |i: usize| order[i + 1..].iter().map(|below| (order[i].clone(), below.clone())).collect();
        (0..order.len()).flat_map(|i| -> Vec<(String, String)> { above(i) }).collect::<Vec<_>>()
    };
    let people: Vec<Vec<(String, String)>> = orders.rows.iter().take(PEOPLE).map(pairs).collect();
    let users = people.iter().enumerate().flat_map(|(u, said)| vec![u.to_string(); said.len()]).collect();
    let table = Table::of(people.into_iter().flatten()).with(
        items,
        "item_a_id",
        &["oiliness", "eat_frequency", "normalized_price", "sold_frequency"],
        &["style", "major_group", "minor_group"],
    )?;
    Ok(Crowd::of(table, users))
}

/// Without the questions that check attention.
fn cars(rows: &Rows, items: &Rows) -> Result<Crowd> {
    let [user, a, b, control] = ["user", "preferred", "other", "is_control"].map(|name| rows.column(name));
    let (user, a, b, control) = (user?, a?, b?, control?);
    let asked = || (0..a.len()).filter(|&k| control[k] == "0");
    let table = Table::of(asked().map(|k| (a[k].clone(), b[k].clone()))).with(
        items,
        "item",
        &["engine_capacity_l"],
        &["body_type", "transmission", "fuel"],
    )?;
    Ok(Crowd::of(table, asked().map(|k| user[k].clone()).collect()))
}

fn sound_quality(rows: &Rows) -> Result<Crowd> {
    let [user, a, b, preferred] = ["listener", "mode_1", "mode_2", "preferred"].map(|name| rows.column(name));
    let (user, a, b, preferred) = (user?, a?, b?, preferred?);
    let other = |k: usize| if preferred[k] == a[k] { b[k].clone() } else { a[k].clone() };
    let table = Table::of((0..a.len()).map(|k| (preferred[k].clone(), other(k))));
    Ok(Crowd::of(table, user))
}

impl Crowd {
    /// The comparisons of a table by the users who made them, row by row.
    fn of(table: Table, by: Vec<String>) -> Self {
        let mut users: std::collections::BTreeMap<String, Vec<(usize, usize)>> = Default::default();
        for (user, said) in by.into_iter().zip(table.comparisons) {
            users.entry(user).or_default().push(said);
        }
        Self { items: table.items, users: users.into_values().collect() }
    }
}
