//! The peers on the same folds: `peers/tables.py`.

use std::fs;
use std::io::Write;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use rather::features::ColumnValues;

use super::folds::Fold;
use super::read::Table;
use super::{Loss, Options};

/// The mean log loss of every peer.
pub(super) fn losses(table: &Table, folds: &[Fold], options: &Options) -> Result<Vec<Loss>> {
    let folder = std::env::temp_dir().join(format!("rather-tables-{}", std::process::id()));
    fs::create_dir_all(&folder)?;
    let problem = serde_json::json!({
        "features": features(table),
        "comparisons": table.comparisons,
        "folds": folds.iter().map(|f| serde_json::json!({ "train": f.train, "test": f.test })).collect::<Vec<_>>(),
        "seed": options.seed,
    });
    let path = folder.join("problem.json");
    fs::File::create(&path)?.write_all(problem.to_string().as_bytes())?;
    let mut command = Command::new(&options.python);
    for threads in ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"] {
        command.env(threads, "1");
    }
    let output = command.arg(options.drivers.join("tables.py")).arg(&path).output()?;
    fs::remove_dir_all(&folder)?;
    ensure!(output.status.success(), "the peers failed: {}", String::from_utf8_lossy(&output.stderr).trim());
    let text = String::from_utf8_lossy(&output.stdout);
    let losses: Vec<Loss> =
        serde_json::from_str(text.trim()).with_context(|| format!("the peers printed {text}"))?;
    Ok(losses)
}

/// The features of each item as numbers: categories are one column a level.
fn features(table: &Table) -> Vec<Vec<f64>> {
    let mut rows = vec![Vec::new(); table.items.keys.len()];
    for column in &table.items.columns {
        match &column.values {
            ColumnValues::Numeric(values) => rows.iter_mut().zip(values).for_each(|(row, &x)| row.push(x)),
            ColumnValues::Text(values) => {
                let mut levels: Vec<&String> = values.iter().collect();
                levels.sort_unstable();
                levels.dedup();
                for level in levels {
                    rows.iter_mut()
                        .zip(values)
                        .for_each(|(row, x)| row.push(f64::from(u8::from(x == level))));
                }
            }
        }
    }
    rows
}
