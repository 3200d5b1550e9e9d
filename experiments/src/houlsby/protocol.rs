//! The main paper's protocol: 100 users, so many random training pairs each, the rest for testing; features standardised,
//! and lengthscales by a rule.

use rand_chacha::ChaCha8Rng;
use rather::many::{Answer, Answers};
use rather::points::Points;
use rather::random::{stream, uniform};

use super::data::{DataSet, pairs};

/// Users in the experiment.
const USERS: usize = 100;

/// One random split.
pub(super) struct Split {
    pub(super) items: Points,
    pub(super) users: Points,
    pub(super) answers: Answers,
    /// For each user, the pairs to predict, winner first.
    pub(super) test: Vec<Vec<(usize, usize)>>,
    /// `sqrt(median of squared distances / 2)` over pairs of items, and of users. The paper says "median distance", which
    /// is `sqrt(2)` times as long; the authors' programs have this.
    pub(super) item_lengthscale: f64,
    pub(super) user_lengthscale: f64,
}

/// Split number `split` of a data set: a function of its number alone.
pub(super) fn split(data: &DataSet, split: u64) -> anyhow::Result<Split> {
    let mut rng = stream(split, 0);
    let mut chosen: Vec<usize> = (0..data.users.len()).collect();
    if data.draws_users {
        shuffle(&mut chosen, &mut rng);
    }
    chosen.truncate(USERS);
    let all = pairs(data.items.len());
    let (mut said, mut test) = (Vec::new(), Vec::new());
    for (user, &from) in chosen.iter().enumerate() {
        let mut order: Vec<usize> = (0..all.len()).collect();
        shuffle(&mut order, &mut rng);
        let ends = |p: &usize| if data.first_wins[from][*p] { all[*p] } else { (all[*p].1, all[*p].0) };
        let (training, held_out) = order.split_at(data.training);
        said.extend(training.iter().map(ends).map(|(winner, loser)| Answer {
            user,
            winner,
            loser,
            count: 1,
        }));
        test.push(held_out.iter().map(ends).collect());
    }
    let items = standardised(&data.items);
    let users = standardised(&chosen.iter().map(|&u| data.users[u].clone()).collect::<Vec<_>>());
    Ok(Split {
        answers: Answers::new(chosen.len(), items.len(), &said)?,
        test,
        item_lengthscale: lengthscale(&items),
        user_lengthscale: lengthscale(&users),
        items,
        users,
    })
}

fn shuffle(x: &mut [usize], rng: &mut ChaCha8Rng) {
    for i in (1..x.len()).rev() {
        x.swap(i, (uniform(rng) * (i + 1) as f64) as usize);
    }
}

/// Columns of mean 0 and standard deviation 1 (divisor `n - 1`); a constant column is 0.
fn standardised(rows: &[Vec<f64>]) -> Points {
    let (n, dims) = (rows.len(), rows.first().map_or(0, Vec::len));
    let mut values = vec![0.0; n * dims];
    for c in 0..dims {
        let mean = rows.iter().map(|r| r[c]).sum::<f64>() / n as f64;
        let variance = rows.iter().map(|r| (r[c] - mean).powi(2)).sum::<f64>() / (n as f64 - 1.0);
        let sd = if variance > 0.0 { variance.sqrt() } else { 1.0 };
        (0..n).for_each(|i| values[i * dims + c] = (rows[i][c] - mean) / sd);
    }
    Points::new((0..n as u64).collect(), dims, values)
}

fn lengthscale(points: &Points) -> f64 {
    let n = points.len();
    let squared = |i: usize, j: usize| rather::linalg::squared_distance(points.row(i), points.row(j));
    let mut all: Vec<f64> = pairs(n).into_iter().map(|(i, j)| squared(i, j)).collect();
    all.sort_by(f64::total_cmp);
    let median = 0.5 * (all[(all.len() - 1) / 2] + all[all.len() / 2]);
    (0.5 * median).sqrt()
}
