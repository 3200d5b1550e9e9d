//! The main paper's protocol: so many users, random pairs of each for training, for a pool of questions and for testing;
//! features standardised, and lengthscales by a rule.

use rand_chacha::ChaCha8Rng;
use rather::answers::Answer;
use rather::many::UserAnswers;
use rather::points::Points;
use rather_numerics::random::{stream, uniform};

use super::data::{DataSet, pairs};

/// How many users take part, and what each of them answers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sizes {
    pub(super) users: usize,
    pub(super) training: usize,
    /// Pairs that may be asked.
    pub(super) pool: usize,
    /// Pairs to predict, at most.
    pub(super) test: usize,
}

impl Sizes {
    /// Table 2: 100 users, no pool, and all that is not for training is for testing.
    pub(super) fn table2(data: &DataSet) -> Self {
        Self { users: 100, training: data.training, pool: 0, test: usize::MAX }
    }
}

/// Pairs of items, winner first.
pub(super) type Won = Vec<(usize, usize)>;

/// One random split.
pub(super) struct Split {
    pub(super) items: Points,
    pub(super) users: Points,
    /// The training pairs of all users.
    pub(super) answers: UserAnswers,
    /// The same, for each user.
    pub(super) training: Vec<Won>,
    /// For each user, the pairs that may be asked.
    pub(super) pool: Vec<Won>,
    /// For each user, the pairs to predict.
    pub(super) test: Vec<Won>,
    /// `sqrt(median of squared distances / 2)` over pairs of items, and of users. The paper says "median distance", which
    /// is `sqrt(2)` times as long; the authors' programs have this.
    pub(super) item_lengthscale: f64,
    pub(super) user_lengthscale: f64,
}

impl Split {
    /// The first `users` users alone.
    pub(super) fn first(&self, users: usize) -> anyhow::Result<Self> {
        let rows: Vec<usize> = (0..users).collect();
        self.with_training(&rows, self.training[..users].to_vec())
    }

    /// Some users, with other training pairs.
    pub(super) fn with_training(&self, users: &[usize], training: Vec<Won>) -> anyhow::Result<Self> {
        let of = |won: &[Won]| users.iter().map(|&u| won[u].clone()).collect();
        Ok(Self {
            items: self.items.clone(),
            users: self.users.select(users),
            answers: answers(self.items.len(), &training)?,
            training,
            pool: of(&self.pool),
            test: of(&self.test),
            ..*self
        })
    }
}

/// Split number `split` of a data set: a function of its number alone.
pub(super) fn split(data: &DataSet, split: u64, sizes: &Sizes) -> anyhow::Result<Split> {
    let mut rng = stream(split, 0);
    let mut chosen: Vec<usize> = (0..data.users.len()).collect();
    if data.draws_users {
        shuffle(&mut chosen, &mut rng);
    }
    chosen.truncate(sizes.users);
    let all = pairs(data.items.len());
    let (mut training, mut pool, mut test) = (Vec::new(), Vec::new(), Vec::new());
    for &from in &chosen {
        let mut order: Vec<usize> = (0..all.len()).collect();
        shuffle(&mut order, &mut rng);
        let ends = |p: usize| if data.first_wins[from][p] { all[p] } else { (all[p].1, all[p].0) };
        let mut won = order.into_iter().map(ends);
        training.push(won.by_ref().take(sizes.training).collect());
        pool.push(won.by_ref().take(sizes.pool).collect());
        test.push(won.take(sizes.test).collect());
    }
    let items = standardised(&data.items);
    let users = standardised(&chosen.iter().map(|&u| data.users[u].clone()).collect::<Vec<_>>());
    Ok(Split {
        answers: answers(items.len(), &training)?,
        training,
        pool,
        test,
        item_lengthscale: lengthscale(&items),
        user_lengthscale: lengthscale(&users),
        items,
        users,
    })
}

/// What the users, one entry each, said about so many items.
pub(super) fn answers(items: usize, said: &[Won]) -> anyhow::Result<UserAnswers> {
    let one = |(user, won): (usize, &Won)| -> Vec<Answer> {
        won.iter().map(|&(winner, loser)| Answer::rather(winner, loser).by(user)).collect()
    };
    let all: Vec<Answer> = said.iter().enumerate().flat_map(one).collect();
    Ok(UserAnswers::new(said.len(), items, &all)?)
}

pub(super) fn shuffle<T>(x: &mut [T], rng: &mut ChaCha8Rng) {
    for i in (1..x.len()).rev() {
        x.swap(i, (uniform(rng) * (i + 1) as f64) as usize);
    }
}

/// Columns of mean 0 and standard deviation 1 (divisor `n - 1`); a constant column is 0.
pub(super) fn standardised(rows: &[Vec<f64>]) -> Points {
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

pub(super) fn lengthscale(points: &Points) -> f64 {
    let n = points.len();
    let squared =
        |i: usize, j: usize| rather_numerics::linalg::squared_distance(points.row(i), points.row(j));
    let mut all: Vec<f64> = pairs(n).into_iter().map(|(i, j)| squared(i, j)).collect();
    all.sort_by(f64::total_cmp);
    let median = 0.5 * (all[(all.len() - 1) / 2] + all[all.len() / 2]);
    (0.5 * median).sqrt()
}
