//! Tables of items, answers and pairs: CSV, gzip and Parquet.

use rather_io::{ItemOptions, ItemTable, Rankings, Reading, Table, Tied};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// The items that answers are about.
static ITEMS: LazyLock<ItemTable> = LazyLock::new(|| named(["A", "B", "C", "D", "Tuna", "left", "7", "é"]));
/// The users who are known.
static USERS: LazyLock<ItemTable> = LazyLock::new(|| named(["ann", "bob", "7"]));

fn named<const N: usize>(names: [&str; N]) -> ItemTable {
    let names = names.map(str::to_owned).to_vec();
    ItemTable::new(PathBuf::from("items.csv"), "item".to_owned(), names, Vec::new()).expect("names differ")
}

pub(super) fn items(bytes: &[u8]) {
    read_items("t.csv", bytes);
}

pub(super) fn comparisons(bytes: &[u8]) {
    if let Ok(table) = open("t.csv", bytes) {
        drop(rather_io::answers_of(table, &ITEMS, &Reading::COMPARISONS));
    }
}

/// Answers of all forms, as each of the ways in which they are asked for.
pub(super) fn answers(bytes: &[u8]) {
    read_answers("t.csv", bytes);
}

pub(super) fn pairs(bytes: &[u8]) {
    if let Ok(table) = open("t.csv", bytes)
        && let Ok(Err(table)) = rather_io::singles_of(table, &ITEMS)
    {
        drop(rather_io::pairs_of(table, &ITEMS, &[]));
    }
}

/// The bytes as a gzip file, of a table of items or of answers.
pub(super) fn gzip(bytes: &[u8]) {
    read_items("t.csv.gz", bytes);
    read_answers("t.csv.gz", bytes);
}

pub(super) fn parquet(bytes: &[u8]) {
    read_items("t.parquet", bytes);
    read_answers("t.parquet", bytes);
}

fn open(name: &str, bytes: &[u8]) -> Result<Table, rather_io::Error> {
    Table::from_bytes(Path::new(name), bytes.to_vec())
}

fn read_items(name: &str, bytes: &[u8]) {
    let Ok(table) = open(name, bytes) else { return };
    let Ok(items) = rather_io::items_of(table, &ItemOptions::default()) else { return };
    for column in &items.columns {
        if let rather::features::ColumnValues::Numeric(values) = &column.values {
            // A missing number is NaN.
            assert!(!values.iter().any(|x| x.is_infinite()), "a feature is infinite");
        }
    }
}

fn read_answers(name: &str, bytes: &[u8]) {
    for (rankings, tied, users) in
        [(Rankings::Pairs, Tied::Kept, None), (Rankings::Adjacent, Tied::Both, Some(&*USERS))]
    {
        let Ok(table) = open(name, bytes) else { return };
        if let Ok(answers) =
            rather_io::answers_of(table, &ITEMS, &Reading { users, rankings, ..Reading::ANY })
        {
            drop(rather_io::settle(vec![answers], tied));
        }
    }
}
