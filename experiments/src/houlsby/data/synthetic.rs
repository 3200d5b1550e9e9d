//! The synthetic data of Table 2, bit for bit: one draw of R's generator at seed 1.

use std::path::Path;

use anyhow::{Context, Result, ensure};

use super::{DataSet, full_numbers, missing, pairs};
use crate::houlsby::r_random::RRandom;
use rather_numerics::linalg::{Matrix, cholesky};

const ITEMS: usize = 10;
const USERS: usize = 100;
const FUNCTIONS: usize = 5;

/// Uniform features of mean 0 and variance 1, column by column.
fn features(r: &mut RRandom, rows: usize) -> Vec<Vec<f64>> {
    let mut out = vec![vec![0.0; 2]; rows];
    for c in 0..2 {
        out.iter_mut().for_each(|row| row[c] = (r.uniform() - 0.5) * 12.0_f64.sqrt());
    }
    out
}

fn squared_exponential(a: &[f64], b: &[f64]) -> f64 {
    let d2: f64 = a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum();
    (-0.5 * d2).exp()
}

/// The lower Cholesky factor of a covariance with 1e-5 on its diagonal.
fn factor(mut k: Matrix) -> Matrix {
    k.add_diagonal(1e-5);
    assert!(cholesky(&mut k), "a covariance with 1e-5 on its diagonal is positive definite");
    k
}

/// `L z` for the lower triangle of `l`.
fn times(l: &Matrix, z: &[f64]) -> Vec<f64> {
    (0..z.len()).map(|i| (0..=i).map(|j| l[(i, j)] * z[j]).sum()).collect()
}

/// The draw of 1,000 users that the experiments with active learning need.
pub(super) fn read(folder: &Path) -> Result<DataSet> {
    let folder = folder.join("houlsby-processed/synthetic");
    let items = full_numbers(&folder.join("itemFeatures.txt"))?;
    let users = full_numbers(&folder.join("userFeatures.txt"))?;
    let path = folder.join("dataset.txt.gz");
    let file = std::fs::File::open(&path).with_context(|| missing(&path))?;
    let text = std::io::read_to_string(flate2::read::GzDecoder::new(file))?;
    let all = pairs(items.len());
    let mut first_wins = vec![vec![false; all.len()]; users.len()];
    let mut found = 0;
    for line in text.lines() {
        let row: Vec<f64> =
            line.split_whitespace().map(str::parse).collect::<Result<_, _>>().context("no number")?;
        ensure!(row.len() == 6, "{}: a row has {} numbers instead of 6", path.display(), row.len());
        let item = |f: &[f64]| items.iter().position(|i| (i[0] - f[0]).abs() + (i[1] - f[1]).abs() < 1e-9);
        let (a, b) = (item(&row[..2]).context("unknown item")?, item(&row[2..4]).context("unknown item")?);
        let pair = all.iter().position(|&p| p == (a.min(b), a.max(b))).context("an item against itself")?;
        let user = row[4] as usize;
        ensure!((1..=users.len()).contains(&user), "{}: there is no user {user}", path.display());
        first_wins[user - 1][pair] = (row[5] > 0.0) == (a < b);
        found += 1;
    }
    ensure!(found == users.len() * all.len(), "{} is not complete", path.display());
    Ok(DataSet { name: "synthetic", items, users, first_wins, training: 30, draws_users: true })
}

pub(super) fn draw() -> DataSet {
    let mut r = RRandom::new(1);
    let (items, users) = (features(&mut r, ITEMS), features(&mut r, USERS));
    let of_users = factor(Matrix::from_fn(USERS, USERS, |u, v| squared_exponential(&users[u], &users[v])));
    let k = |i: usize, j: usize| squared_exponential(&items[i], &items[j]);
    let all = pairs(ITEMS);
    let of_pairs = factor(Matrix::from_fn(all.len(), all.len(), |p, q| {
        let ((i, j), (m, n)) = (all[p], all[q]);
        k(i, m) + k(j, n) - k(i, n) - k(j, m)
    }));
    let w: Vec<Vec<f64>> = (0..FUNCTIONS).map(|_| times(&of_users, &r.normals(USERS))).collect();
    let h: Vec<Vec<f64>> = (0..FUNCTIONS).map(|_| times(&of_pairs, &r.normals(all.len()))).collect();
    let first_wins = (0..USERS)
        .map(|u| {
            let noise = r.normals(all.len());
            let g = |p: usize| (0..FUNCTIONS).map(|d| w[d][u] * h[d][p]).sum::<f64>();
            (0..all.len()).map(|p| g(p) + noise[p] > 0.0).collect()
        })
        .collect();
    DataSet { name: "synthetic", items, users, first_wins, training: 30, draws_users: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the authors' file holds: the first and last users' answers, and how many of all are "first".
    #[test]
    fn is_the_authors_draw() {
        let data = draw();
        assert!((data.items[0][0] + 0.81230182).abs() < 1e-8 && (data.items[0][1] + 1.01853395).abs() < 1e-8);
        let text =
            |u: usize| -> String { data.first_wins[u].iter().map(|&x| if x { '+' } else { '-' }).collect() };
        assert_eq!(text(0), "+------+-------+++----++----++++-++++++-++++-");
        assert_eq!(text(99), "+----+-------+-----++++---++++++++++-+----+-+");
        let plus: usize = data.first_wins.iter().map(|u| u.iter().filter(|&&x| x).count()).sum();
        assert_eq!(plus, 2263);
    }
}
