//! Very many users of a collaborative model: what they cost.

use std::time::Instant;

use anyhow::{Result, anyhow};
use rather::answers::Answer;
use rather::kernel::{Kernel, Schema, parse};
use rather::many::collaborative::{Data, Settings};
use rather::many::{Collaborative, UserAnswers, UserModel, UserPrior};
use rather::points::Points;
use rather_numerics::linalg::cholesky;
use rather_numerics::random;

use super::world::{LENGTHSCALE, World};
use crate::speed::{cpu_seconds, peak_memory};

const USERS: [usize; 3] = [1_000, 10_000, 100_000];
const ITEMS: usize = 100;
/// Answers of each user.
const EACH: usize = 20;
/// Latent functions of the made-up users.
const FUNCTIONS: usize = 3;
/// The number of users at which the fit is compared with one to a smaller tolerance.
const COMPARED: usize = 10_000;
/// Its tolerance, as a share of the default one.
const CLOSER: f64 = 1e-2;
/// The variance of what all users have in common.
const COMMON: f64 = 0.25;

/// A kernel over items, and functions drawn from it.
fn functions(points: &Points, rng: &mut rand_chacha::ChaCha8Rng) -> Result<(Kernel, Vec<Vec<f64>>)> {
    let names = (0..points.dims()).map(|d| format!("x{d}")).collect();
    let schema = Schema { names, categorical: vec![false; points.dims()], context: 0 };
    let mut kernel = parse("se", &schema, false)?;
    kernel.set_parameters(&[1.0, LENGTHSCALE])?;
    let mut factor = kernel.matrix(points);
    // Rounding.
    factor.add_diagonal(1e-9);
    if !cholesky(&mut factor) {
        return Err(anyhow!("the covariance of the items has no factor"));
    }
    let mut draw = || {
        let z = random::normals(points.len(), rng);
        (0..points.len()).map(|i| (0..=i).map(|j| factor[(i, j)] * z[j]).sum()).collect()
    };
    let drawn = (0..FUNCTIONS).map(|_| draw()).collect();
    Ok((kernel, drawn))
}

/// Users who weigh the functions each in their own way.
fn answers(users: usize, functions: &[Vec<f64>], rng: &mut rand_chacha::ChaCha8Rng) -> Vec<Answer> {
    let mut said = Vec::with_capacity(users * EACH);
    for user in 0..users {
        let mut weights = random::normals(FUNCTIONS, rng);
        weights[0] += 1.0;
        for _ in 0..EACH {
            let mut item = |from: usize| (random::uniform(rng) * from as f64) as usize;
            let i = item(ITEMS);
            let j = (i + 1 + item(ITEMS - 1)) % ITEMS;
            let z: f64 = weights.iter().zip(functions).map(|(w, f)| w * (f[i] - f[j])).sum();
            let (winner, loser) = if z + random::normal(rng) > 0.0 { (i, j) } else { (j, i) };
            said.push(Answer::rather(winner, loser).by(user));
        }
    }
    said
}

/// Ten times more users take ten times as long.
pub(super) fn table(seed: u64) -> Result<()> {
    println!(
        "\ncollaborative models of users without features: {ITEMS} items, {EACH} answers a user, hyperparameters fixed"
    );
    let points = World::draw(ITEMS, seed).points;
    let mut rng = random::stream(seed, 4);
    let (kernel, functions) = functions(&points, &mut rng)?;
    for users in USERS {
        let answers = UserAnswers::new(users, ITEMS, answers(users, &functions, &mut rng))?;
        let data = Data { items: &points, users: None, answers: &answers };
        let (start, cpu) = (Instant::now(), cpu_seconds());
        let prior = UserPrior::exchangeable(COMMON);
        let model = Collaborative::fit(&data, &kernel, &prior, &Settings::default())?;
        println!(
            "{users:7} users: {:6.1} s, {:6.1} CPU s, {} cycles, log evidence {:.1}, peak memory of the process {:.0} MB",
            start.elapsed().as_secs_f64(),
            cpu_seconds() - cpu,
            model.report().cycles,
            model.log_evidence(),
            peak_memory().unwrap_or(f64::NAN) / 1e6,
        );
        if users == COMPARED {
            let tolerance = CLOSER * Settings::default().tolerance;
            let closer =
                Collaborative::fit(&data, &kernel, &prior, &Settings { tolerance, ..Settings::default() })?;
            compare(&model, &closer)?;
        }
    }
    Ok(())
}

/// How far a fit is from `closer`, one on the same data to a smaller tolerance.
fn compare(model: &Collaborative, closer: &Collaborative) -> Result<()> {
    let pairs: Vec<_> = (0..ITEMS).map(|i| (i, (i + ITEMS / 2 - 1) % ITEMS)).collect();
    let (mut largest, mut squares, mut count) = (0.0_f64, 0.0, 0.0);
    for user in 0..model.users() {
        let (ours, theirs) = (model.predict(user, &pairs)?, closer.predict(user, &pairs)?);
        for (p, q) in ours.probability.iter().zip(&theirs.probability) {
            let off = (p - q).abs();
            largest = largest.max(off);
            squares += off * off;
            count += 1.0;
        }
    }
    println!(
        "        to a tolerance of {CLOSER} times as much: {} cycles to a change of {:.1e}, log evidence {:.3} against {:.3}; probabilities of {count} \
         predictions differ by {:.1e} (root mean square) and {largest:.1e} at most",
        closer.report().cycles,
        closer.report().residual,
        closer.log_evidence(),
        model.log_evidence(),
        f64::sqrt(squares / count),
    );
    Ok(())
}
