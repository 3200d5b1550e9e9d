//! The tables, each as decided comparisons of items.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, bail};
use flate2::read::GzDecoder;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rather::features::{Column, ColumnValues};
use rather::model::Items;

use super::folds;

/// Items with their features, and who was preferred to whom.
pub(crate) struct Table {
    pub(crate) items: Items,
    pub(crate) comparisons: Vec<(usize, usize)>,
}

pub(crate) const NAMES: [&str; 16] = [
    "sound_quality",
    "sound_fields",
    "food_gel_flavour",
    "beans_tricot",
    "ukpconvarg1",
    "car_preferences_1",
    "car_preferences_2",
    "football",
    "ice_hockey",
    "baseball",
    "sushi_a",
    "sushi_b",
    "genai_bench",
    "image_quality_lightfields",
    "machine_cpu",
    "boston_housing",
];

/// Groups of arguments: the crowd compares within a group.
const TOPICS: usize = 4;
/// People whose orders of sushi are taken.
const PEOPLE: usize = 300;
/// Pairs compared more often than this are thinned.
const OFTEN: usize = 20;
/// Comparisons of items by a known number.
const KNOWN_PAIRS: usize = 600;

pub(crate) fn read(name: &str, folder: &Path) -> Result<Table> {
    let open = |path: &str| Rows::read(&folder.join(path));
    let sports = |file: &str| open(&format!("sports_results/{file}.csv"));
    match name {
        "sound_quality" => sound_quality(&open("sound_quality/comparisons.csv.gz")?),
        "sound_fields" => {
            counted(&open("sound_fields/comparisons.csv")?, ["field_1", "field_2", "wins_1", "wins_2"])?.with(
                &open("sound_fields/fields.csv")?,
                "field",
                &["direct_sound", "reflection", "reverberation"],
                &[],
            )
        }
        "food_gel_flavour" => {
            let named = ["column_item", "row_item", "column_wins", "row_wins"];
            counted(&open("food_gel_flavour/comparisons.csv")?, named)?.with(
                &open("food_gel_flavour/items.csv")?,
                "item",
                &["flavour", "gel"],
                &[],
            )
        }
        "beans_tricot" => beans(&open("beans_tricot/trials.csv")?),
        "ukpconvarg1" => {
            arguments(&open("ukpconvarg1/pairs_crowd.csv.gz")?, &open("ukpconvarg1/arguments.csv.gz")?)
        }
        "car_preferences_1" | "car_preferences_2" => {
            let file = |what| format!("car_preferences/exp{}_{what}.csv", &name[name.len() - 1..]);
            let layout: &[&str] = if name.ends_with('2') { &["drive_layout"] } else { &[] };
            let categories = [&["body_type", "transmission", "fuel"], layout].concat();
            cars(&open(&file("prefs"))?)?.with(
                &open(&file("items"))?,
                "item",
                &["engine_capacity_l"],
                &categories,
            )
        }
        "football" => results(&sports("football_premier_league_2008_2013")?, ["home", "away"], ["1", "-1"]),
        "ice_hockey" => {
            results(&sports("ice_hockey_ncaa_2009_2010")?, ["visitor", "opponent"], ["1.0", "0.0"])
        }
        "baseball" => {
            counted(&sports("baseball_1987")?, ["home_team", "away_team", "home_wins", "away_wins"])
        }
        "sushi_a" => sushi(&open("sushi/rankings_a.csv")?)?.with(
            &open("sushi/items_a.csv")?,
            "item_a_id",
            &["oiliness", "eat_frequency", "normalized_price", "sold_frequency"],
            &["style", "major_group", "minor_group"],
        ),
        "sushi_b" => sushi(&open("sushi/rankings_b.csv")?)?.with(
            &open("sushi/items_b.csv")?,
            "item_id",
            &["oiliness", "eat_frequency", "normalized_price", "sold_frequency"],
            &["style", "major_group", "minor_group"],
        ),
        "genai_bench" => judges(&open("genai_bench/votes.csv.gz")?),
        "image_quality_lightfields" => light_fields(&open("image_quality_lightfields/answers.csv.gz")?),
        "machine_cpu" => {
            let features = ["syct", "mmin", "mmax", "cach", "chmin", "chmax"];
            known(&open("machine_cpu/machine_cpu.csv")?, "perf", &features)
        }
        "boston_housing" => {
            let features = [
                "crim", "zn", "indus", "chas", "nox", "rm", "age", "dis", "rad", "tax", "ptratio", "black",
                "lstat",
            ];
            known(&open("boston_housing/boston_housing.csv")?, "medv", &features)
        }
        other => bail!("there is no table {other:?}; the tables are {}", NAMES.join(", ")),
    }
}

impl Table {
    /// So many comparisons at most, and the items in them: of whole pairs drawn at random, or, of pairs compared more than [`OFTEN`] times on
    /// average, the first ones of every pair.
    pub(crate) fn subsampled(self, most: usize, seed: u64) -> Self {
        if self.comparisons.len() <= most {
            return self;
        }
        let pairs = folds::pairs(&self.comparisons, seed);
        let each = if self.comparisons.len() > OFTEN * pairs.len() { most / pairs.len() } else { usize::MAX };
        let mut kept: Vec<usize> = Vec::new();
        for rows in pairs.iter().map(|rows| &rows[..rows.len().min(each)]) {
            if kept.len() + rows.len() <= most {
                kept.extend(rows);
            }
        }
        kept.sort_unstable();
        Self { comparisons: kept.into_iter().map(|k| self.comparisons[k]).collect(), ..self }
            .without_strangers()
    }

    /// Without the items that were never compared.
    fn without_strangers(self) -> Self {
        let mut used: Vec<usize> = self.comparisons.iter().flat_map(|&(a, b)| [a, b]).collect();
        used.sort_unstable();
        used.dedup();
        let place = |item: usize| used.binary_search(&item).unwrap_or(0);
        let column = |column: &Column| Column {
            name: column.name.clone(),
            values: match &column.values {
                ColumnValues::Numeric(x) => ColumnValues::Numeric(used.iter().map(|&i| x[i]).collect()),
                ColumnValues::Text(x) => ColumnValues::Text(used.iter().map(|&i| x[i].clone()).collect()),
            },
        };
        let keys = used.iter().map(|&i| self.items.keys[i].clone()).collect();
        let columns = self.items.columns.iter().map(column).collect();
        let comparisons = self.comparisons.iter().map(|&(a, b)| (place(a), place(b))).collect();
        Self { items: Items { keys, columns }, comparisons }
    }

    /// Of keys.
    pub(super) fn of(said: impl IntoIterator<Item = (String, String)>) -> Self {
        let mut number: HashMap<String, usize> = HashMap::new();
        let mut keys = Vec::new();
        let mut of = |key: String| {
            *number.entry(key).or_insert_with_key(|key| {
                keys.push(key.clone());
                keys.len() - 1
            })
        };
        let comparisons = said.into_iter().map(|(winner, loser)| (of(winner), of(loser))).collect();
        Self { items: Items { keys, columns: Vec::new() }, comparisons }
    }

    /// With features of the items, from a table by their keys.
    pub(super) fn with(
        mut self,
        rows: &Rows,
        key: &str,
        numbers: &[&str],
        categories: &[&str],
    ) -> Result<Self> {
        let keys = rows.column(key)?;
        let place: HashMap<&str, usize> = keys.iter().enumerate().map(|(i, key)| (key.as_str(), i)).collect();
        let row = |key: &String| place.get(key.as_str()).copied().with_context(|| format!("no item {key:?}"));
        let of: Vec<usize> = self.items.keys.iter().map(row).collect::<Result<_>>()?;
        for name in numbers {
            let all = rows.numbers(name)?;
            let values = ColumnValues::Numeric(of.iter().map(|&i| all[i]).collect());
            self.items.columns.push(Column { name: (*name).into(), values });
        }
        for name in categories {
            let all = rows.column(name)?;
            let values = ColumnValues::Text(of.iter().map(|&i| format!("c{}", all[i])).collect());
            self.items.columns.push(Column { name: (*name).into(), values });
        }
        Ok(self)
    }
}

/// A file with a header.
pub(super) struct Rows {
    header: Vec<String>,
    pub(super) rows: Vec<Vec<String>>,
}

impl Rows {
    pub(super) fn read(path: &Path) -> Result<Self> {
        let file = File::open(path).with_context(|| format!("cannot open {}", path.display()))?;
        let reader: Box<dyn Read> = if path.extension().is_some_and(|e| e == "gz") {
            Box::new(GzDecoder::new(file))
        } else {
            Box::new(file)
        };
        let mut reader = csv::Reader::from_reader(reader);
        let header = reader.headers()?.iter().map(String::from).collect();
        let rows =
            reader.records().map(|row| Ok(row?.iter().map(String::from).collect())).collect::<Result<_>>()?;
        Ok(Self { header, rows })
    }

    pub(super) fn column(&self, name: &str) -> Result<Vec<String>> {
        let place =
            self.header.iter().position(|h| h == name).with_context(|| format!("no column {name:?}"))?;
        Ok(self.rows.iter().map(|row| row[place].clone()).collect())
    }

    fn numbers(&self, name: &str) -> Result<Vec<f64>> {
        let number = |text: &String| text.parse().with_context(|| format!("{name} {text:?} is no number"));
        self.column(name)?.iter().map(number).collect()
    }
}

/// Counts of wins of each side.
fn counted(rows: &Rows, [left, right, wins, losses]: [&str; 4]) -> Result<Table> {
    let (a, b) = (rows.column(left)?, rows.column(right)?);
    let mut said = Vec::new();
    for (k, (w, l)) in rows.numbers(wins)?.into_iter().zip(rows.numbers(losses)?).enumerate() {
        said.extend((0..w as usize).map(|_| (a[k].clone(), b[k].clone())));
        said.extend((0..l as usize).map(|_| (b[k].clone(), a[k].clone())));
    }
    Ok(Table::of(said))
}

/// Results of games; draws are left out.
fn results(rows: &Rows, [left, right]: [&str; 2], [won, lost]: [&str; 2]) -> Result<Table> {
    let (a, b, result) = (rows.column(left)?, rows.column(right)?, rows.column("result")?);
    let one = |k: usize| match result[k].as_str() {
        r if r == won => Some((a[k].clone(), b[k].clone())),
        r if r == lost => Some((b[k].clone(), a[k].clone())),
        _ => None,
    };
    Ok(Table::of((0..result.len()).filter_map(one)))
}

fn sound_quality(rows: &Rows) -> Result<Table> {
    let (a, b, preferred) = (rows.column("mode_1")?, rows.column("mode_2")?, rows.column("preferred")?);
    let other = |k: usize| if preferred[k] == a[k] { b[k].clone() } else { a[k].clone() };
    Ok(Table::of((0..a.len()).map(|k| (preferred[k].clone(), other(k)))))
}

/// The best before the middle one before the worst.
fn beans(rows: &Rows) -> Result<Table> {
    let varieties = ["variety_a", "variety_b", "variety_c"].map(|name| rows.column(name));
    let [a, b, c] = varieties;
    let varieties = [a?, b?, c?];
    let (best, worst) = (rows.column("best")?, rows.column("worst")?);
    let mut said = Vec::new();
    for k in 0..best.len() {
        let letter =
            |text: &str| "ABC".find(text).filter(|_| text.len() == 1).context("best and worst are letters");
        let (top, last) = (letter(&best[k])?, letter(&worst[k])?);
        let middle = 3 - top - last;
        for (winner, loser) in [(top, middle), (top, last), (middle, last)] {
            said.push((varieties[winner][k].clone(), varieties[loser][k].clone()));
        }
    }
    Ok(Table::of(said))
}

/// Every judgement of the crowd on the first groups, with numbers made from the text.
fn arguments(rows: &Rows, texts: &Rows) -> Result<Table> {
    let (a, b, winner) = (rows.column("argument_1")?, rows.column("argument_2")?, rows.column("winner")?);
    let (keys, topic, text) = (texts.column("argument")?, texts.numbers("topic_id")?, texts.column("text")?);
    let known: BTreeMap<&str, usize> = keys.iter().enumerate().map(|(i, key)| (key.as_str(), i)).collect();
    let one = |k: usize| {
        let wanted = known.get(a[k].as_str()).is_some_and(|&i| topic[i] < TOPICS as f64);
        match winner[k].as_str() {
            "1" if wanted => Some((a[k].clone(), b[k].clone())),
            "2" if wanted => Some((b[k].clone(), a[k].clone())),
            _ => None,
        }
    };
    let mut table = Table::of((0..winner.len()).filter_map(one));
    let of = |key: &String| text[known[key.as_str()]].as_str();
    let words = |t: &str| t.split_whitespace().count().max(1) as f64;
    type Measure<'a> = (&'a str, &'a dyn Fn(&str) -> f64);
    let measures: [Measure<'_>; 5] = [
        ("log_words", &|t| words(t).ln()),
        ("word_length", &|t| t.chars().filter(|c| c.is_alphabetic()).count() as f64 / words(t)),
        ("commas", &|t| t.matches(',').count() as f64 / words(t)),
        ("exclamations", &|t| t.matches('!').count() as f64 / words(t)),
        ("capitals", &|t| t.chars().filter(|c| c.is_uppercase()).count() as f64 / words(t)),
    ];
    for (name, measure) in measures {
        let values = table.items.keys.iter().map(|key| measure(of(key))).collect();
        table.items.columns.push(Column { name: name.into(), values: ColumnValues::Numeric(values) });
    }
    Ok(table)
}

/// Without the control questions.
fn cars(rows: &Rows) -> Result<Table> {
    let (a, b, control) = (rows.column("preferred")?, rows.column("other")?, rows.column("is_control")?);
    let asked = (0..a.len()).filter(|&k| control[k] == "0");
    Ok(Table::of(asked.map(|k| (a[k].clone(), b[k].clone()))))
}

/// Neighbours in the orders of the first people.
fn sushi(rows: &Rows) -> Result<Table> {
    let orders = rows.rows.iter().take(PEOPLE);
    Ok(Table::of(orders.flat_map(|row| row[1..].windows(2).map(|two| (two[0].clone(), two[1].clone())))))
}

/// Of two judges of the same pair, the one who said what the human said is preferred.
fn judges(rows: &Rows) -> Result<Table> {
    let (task, pair, judge, vote) =
        (rows.column("task")?, rows.column("pair")?, rows.column("judge")?, rows.column("vote")?);
    let mut by_pair: BTreeMap<(&str, &str), Vec<usize>> = BTreeMap::new();
    for k in (0..task.len()).filter(|&k| judge[k] != "judge") {
        by_pair.entry((&task[k], &pair[k])).or_default().push(k);
    }
    let mut said = Vec::new();
    for rows in by_pair.values() {
        let Some(&human) = rows.iter().find(|&&k| judge[k] == "human") else { continue };
        let (right, wrong): (Vec<usize>, Vec<usize>) =
            rows.iter().filter(|&&k| k != human).partition(|&&k| vote[k] == vote[human]);
        for &winner in &right {
            // One a judge: all pairs of judges on one pair would say the same many times.
            if let Some(&loser) = wrong.get(winner % wrong.len().max(1)) {
                said.push((judge[winner].clone(), judge[loser].clone()));
            }
        }
    }
    Ok(Table::of(said))
}

/// A condition is a scene with a kind and a level of distortion.
fn light_fields(rows: &Rows) -> Result<Table> {
    let [scene, kind_1, level_1, kind_2, level_2, selected] =
        ["scene", "dist_type1", "dist_level1", "dist_type2", "dist_level2", "selected"]
            .map(|name| rows.column(name));
    let (scene, selected) = (scene?, selected?);
    let (kind, level) = ([kind_1?, kind_2?], [level_1?, level_2?]);
    let key = |k: usize, side: usize| format!("{}/{}/{}", scene[k], kind[side][k], level[side][k]);
    let one = |k: usize| {
        let first = selected[k] == "1";
        let (winner, loser) = if first { (0, 1) } else { (1, 0) };
        (key(k, winner), key(k, loser))
    };
    let same = |k: &usize| key(*k, 0) != key(*k, 1);
    let mut table = Table::of((0..selected.len()).filter(same).map(one));
    let part = |n: usize| -> Vec<String> {
        table.items.keys.iter().map(|key| key.split('/').nth(n).unwrap_or("").to_owned()).collect()
    };
    let level =
        part(2).iter().map(|x| x.parse().context("a level is a number")).collect::<Result<Vec<f64>>>()?;
    let (scene, kind) = (part(0), part(1));
    for (name, values) in [
        ("scene", ColumnValues::Text(scene)),
        ("kind", ColumnValues::Text(kind)),
        ("level", ColumnValues::Numeric(level)),
    ] {
        table.items.columns.push(Column { name: name.into(), values });
    }
    Ok(table)
}

/// Pairs drawn at random, of which the one with the larger target is preferred.
fn known(rows: &Rows, target: &str, features: &[&str]) -> Result<Table> {
    let value = rows.numbers(target)?;
    let rng = &mut ChaCha8Rng::seed_from_u64(0);
    let mut comparisons = Vec::new();
    while comparisons.len() < KNOWN_PAIRS {
        let (a, b) = (rng.random_range(0..value.len()), rng.random_range(0..value.len()));
        if value[a] > value[b] {
            comparisons.push((a, b));
        }
    }
    let number = |name: &&str| {
        Ok(Column { name: (*name).to_owned(), values: ColumnValues::Numeric(rows.numbers(name)?) })
    };
    let columns = features.iter().map(number).collect::<Result<_>>()?;
    let keys = (0..value.len()).map(|i| i.to_string()).collect();
    Ok(Table { items: Items { keys, columns }, comparisons }.without_strangers())
}
