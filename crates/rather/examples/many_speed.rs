//! Seconds of fitting the models of many users, and what becomes of them as users become more.
//!
//! `cargo run --release --example many_speed` fits the collaborative model to 100 up to 10,000 users, and then to 10,000 with
//! all 45 pairs of ten items each; with `-- USERS ANSWERS FUNCTIONS` every model and setting is fitted to data of that size.

use std::time::Instant;

use rather::answers::Answer;
use rather::kernel::{Kernel, Schema, parse};
use rather::many::collaborative::{Data, Settings, Weights};
use rather::many::{
    Collaborative, Hierarchical, HierarchicalSettings, PerUser, UserAnswers, UserModel, UserPrior,
};
use rather::points::Points;
use rather_numerics::random::{normal, normals, stream, uniform};

fn main() -> Result<(), rather::Error> {
    let arguments: Vec<usize> = std::env::args().skip(1).filter_map(|a| a.parse().ok()).collect();
    let argument = |i: usize, default: usize| arguments.get(i).copied().unwrap_or(default);
    if arguments.is_empty() {
        return growth();
    }
    every_model(argument(0, 100), argument(1, 20), argument(2, 20))
}

/// Ten items in the plane, and answers of users whose tastes are sums of five functions.
struct Made {
    items: Points,
    answers: UserAnswers,
    kernel: Kernel,
}

impl Made {
    fn new(users: usize, each: usize) -> Result<Self, rather::Error> {
        let mut rng = stream(1, 0);
        let rows: Vec<[f64; 2]> = (0..10).map(|_| [normal(&mut rng), normal(&mut rng)]).collect();
        let items = Points::from_rows(&rows);
        let schema = Schema { names: vec!["x".into(), "y".into()], categorical: vec![false; 2], context: 0 };
        let mut kernel: Kernel = parse("se", &schema, false)?;
        kernel.set_parameters(&[1.0, 1.0])?;
        let latent: Vec<Vec<f64>> = (0..5).map(|_| normals(10, &mut rng)).collect();
        let mut said = Vec::new();
        for user in 0..users {
            let w = normals(5, &mut rng);
            let mut pairs: Vec<(usize, usize)> =
                (0..10).flat_map(|i| (i + 1..10).map(move |j| (i, j))).collect();
            for _ in 0..each.min(45) {
                let (i, j) = pairs.swap_remove((uniform(&mut rng) * pairs.len() as f64) as usize);
                let g: f64 = w.iter().zip(&latent).map(|(w, f)| w * (f[i] - f[j])).sum();
                let (winner, loser) = if g + normal(&mut rng) > 0.0 { (i, j) } else { (j, i) };
                said.push(Answer::rather(winner, loser).by(user));
            }
        }
        Ok(Self { answers: UserAnswers::new(users, 10, &said)?, items, kernel })
    }

    fn data(&self) -> Data<'_> {
        Data { items: &self.items, users: None, answers: &self.answers }
    }
}

/// The default model over numbers of users, with the exponent of users in the seconds, and the largest memory held.
fn growth() -> Result<(), rather::Error> {
    let settings = Settings::default();
    let fit = |users: usize, each: usize| -> Result<(f64, f64), rather::Error> {
        let made = Made::new(users, each)?;
        let start = Instant::now();
        let model = Collaborative::fit(&made.data(), &made.kernel, &UserPrior::exchangeable(0.5), &settings)?;
        let seconds = start.elapsed().as_secs_f64();
        let cycles = model.report().cycles as f64;
        println!("{users:>6} users x {each} answers: {seconds:8.3} s, {cycles} cycles");
        Ok((seconds, cycles))
    };
    fit(100, 20)?;
    let (mut whole, mut cycle) = (Vec::new(), Vec::new());
    for users in [100, 300, 1000, 3000, 10_000] {
        let (seconds, cycles) = fit(users, 20)?;
        whole.push((users as f64, seconds));
        cycle.push((users as f64, seconds / cycles));
    }
    println!(
        "seconds grow with the power {:.2} of users, those of a cycle {:.2}",
        exponent(&whole),
        exponent(&cycle)
    );
    fit(10_000, 45)?;
    if let Some(memory) = peak_memory() {
        println!("largest memory held: {memory:.0} MB");
    }
    Ok(())
}

/// The slope of the logarithms, by least squares.
fn exponent(points: &[(f64, f64)]) -> f64 {
    let n = points.len() as f64;
    let (mx, my) = points.iter().fold((0.0, 0.0), |(a, b), (x, y)| (a + x.ln() / n, b + y.ln() / n));
    let (sxy, sxx) = points
        .iter()
        .fold((0.0, 0.0), |(a, b), (x, y)| (a + (x.ln() - mx) * (y.ln() - my), b + (x.ln() - mx).powi(2)));
    sxy / sxx
}

/// In megabytes, where the system tells.
fn peak_memory() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|l| l.starts_with("VmHWM:"))?;
    let kilobytes: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes / 1024.0)
}

fn every_model(users: usize, each: usize, functions: usize) -> Result<(), rather::Error> {
    let made = Made::new(users, each)?;
    let Made { items, answers, kernel } = &made;
    let time = |name: &str, fit: &dyn Fn() -> Result<Box<dyn UserModel>, rather::Error>| {
        let start = Instant::now();
        let model = fit()?;
        let seconds = start.elapsed().as_secs_f64();
        let r = model.report();
        println!(
            "{name:<28} {seconds:8.3} s  {:>4} cycles  residual {:.1e}  skipped {:>5}  log Z {:.4}",
            r.cycles, r.residual, r.skipped, r.log_evidence
        );
        Ok::<(), rather::Error>(())
    };
    for (common, weights) in [
        (0.0, Weights::PerFunction),
        (0.5, Weights::PerFunction),
        (0.0, Weights::Joint),
        (0.5, Weights::Joint),
    ] {
        for inner_sweeps in [1, 2, 3] {
            let settings = Settings { functions, weights, inner_sweeps, ..Settings::default() };
            time(&format!("collaborative {common} {weights:?} {inner_sweeps}"), &|| {
                let prior = UserPrior::exchangeable(common);
                Ok(Box::new(Collaborative::fit(&made.data(), kernel, &prior, &settings)?))
            })?;
        }
    }
    time("per user", &|| Ok(Box::new(PerUser::fit(items, answers, kernel, 0.5_f64.sqrt())?)))?;
    time("hierarchical", &|| {
        Ok(Box::new(Hierarchical::fit(items, answers, kernel, &HierarchicalSettings::default())?))
    })
}
