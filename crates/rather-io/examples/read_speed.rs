//! How long a table of comparisons takes to read.
//!
//! ```text
//! cargo run --release -p rather-io --example read_speed [ROWS]
//! ```

use rather_io::{ItemOptions, Reading, Tied, read_answers, read_items, settle};
use std::fmt::Write;
use std::time::Instant;

const ITEMS: u64 = 100;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let rows: u64 = std::env::args().nth(1).map_or(Ok(1_000_000), |rows| rows.parse())?;
    let folder = tempfile::tempdir()?;
    let (items, duels) = (folder.path().join("items.csv"), folder.path().join("duels.csv"));
    let keys: Vec<String> = (0..ITEMS).map(|i| format!("key{i}")).collect();
    std::fs::write(&items, format!("item\n{}\n", keys.join("\n")))?;
    std::fs::write(&duels, table(&keys, rows)?)?;

    let items = read_items(&items, &ItemOptions::default())?;
    let mut seconds = f64::INFINITY;
    for _ in 0..5 {
        let start = Instant::now();
        let table = read_answers(&duels, &items, &Reading::default())?;
        assert_eq!(settle(vec![table], Tied::Kept)?.answers.len() as u64, rows);
        seconds = seconds.min(start.elapsed().as_secs_f64());
    }
    println!("{rows} comparisons in {seconds:.3} s, {:.0} ns each (best of 5)", seconds / rows as f64 * 1e9);
    Ok(())
}

/// Duels of items drawn by a small congruential generator.
fn table(keys: &[String], rows: u64) -> Result<String, std::fmt::Error> {
    let mut text = String::from("winner,loser\n");
    let mut state = 1u64;
    for _ in 0..rows {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let winner = (state >> 33) % ITEMS;
        let loser = (winner + 1 + (state >> 40) % (ITEMS - 1)) % ITEMS;
        writeln!(text, "{},{}", keys[winner as usize], keys[loser as usize])?;
    }
    Ok(text)
}
