//! Speed and quality of the exact samplers and of the evidence, by the number of comparisons of 50 items on a line:
//! `cargo run --release --example exact_speed -- [noise]`.

use std::time::Instant;

use rather::Comparison;
use rather::evidence::Problem;
use rather::exact::{ExactPosterior, ExactSettings, Sampler};
use rather::inference::Method;
use rather::inference::observations::Observations;
use rather::kernel::{Schema, parse};
use rather::points::Points;
use rather_numerics::special::normal;

/// Comparisons of items on a line by a wavy utility, with noise.
fn comparisons(items: usize, n: usize, noise: f64) -> (Points, Vec<Comparison>) {
    let mut rng = rather_numerics::random::stream(7, 0);
    let mut uniform = || rather_numerics::random::uniform(&mut rng);
    let x: Vec<[f64; 1]> = (0..items).map(|_| [uniform()]).collect();
    let utility = |i: usize| 1.3 * (9.0 * x[i][0]).sin();
    let answers = (0..n)
        .map(|_| {
            let (i, mut j) = ((uniform() * items as f64) as usize, (uniform() * items as f64) as usize);
            if i == j {
                j = (i + 1) % items;
            }
            let heard = utility(i) - utility(j) + 2.0_f64.sqrt() * noise * normal::quantile(uniform());
            let (winner, loser) = if heard > 0.0 { (i, j) } else { (j, i) };
            Comparison { winner, loser, count: 1.0 }
        })
        .collect();
    (Points::from_rows(&x), answers)
}

fn main() {
    let schema = Schema { names: vec!["x".into()], categorical: vec![false], context: 0 };
    let mut kernel = parse("se", &schema, false).expect("a kernel");
    kernel.set_parameters(&[1.0, 0.2]).expect("parameters");
    let noises = std::env::args()
        .nth(1)
        .and_then(|a| a.parse().ok())
        .map_or(vec![1.0, 0.3, 0.1, 0.03, 0.01], |n| vec![n]);
    println!(
        "noise    t sampler         seconds  draws  effective(f)  effective(y)  f/s  R-hat  acceptance  log evidence"
    );
    for noise in noises {
        for t in [20, 50, 100, 200] {
            let (points, answers) = comparisons(50, t, noise);
            let observations = Observations::new(&answers);
            let points = points.select(&observations.items);
            let problem = Problem {
                points: &points,
                observations: &observations,
                method: Method::Ep,
                space: None,
                inducing: None,
            };
            for sampler in [Sampler::MinimaxTilting, Sampler::Gibbs, Sampler::LinEss, Sampler::EpSlice] {
                if sampler == Sampler::MinimaxTilting && t > 200 {
                    continue;
                }
                let settings = ExactSettings { sampler, ..ExactSettings::default() };
                let start = Instant::now();
                let posterior = match ExactPosterior::new(&problem, kernel.clone(), noise, &settings) {
                    Ok(posterior) => posterior,
                    Err(e) => {
                        println!("{noise:<5} {t:>4} {sampler:?}: {e}");
                        continue;
                    }
                };
                let seconds = start.elapsed().as_secs_f64();
                let r = posterior.report();
                let start = Instant::now();
                let z = posterior.log_evidence();
                let z =
                    z.map_or_else(|| "out of reach".into(), |z| format!("{:.4} ± {:.4}", z.value, z.error));
                println!(
                    "{noise:<5} {t:>4} {:<14} {seconds:>9.2} {:>6} {:>13.0} {:>13.0} {:>6.0} {:>6.3} {:>10.4}  {z} ({:.2} s)",
                    format!("{sampler:?}"),
                    r.draws,
                    r.effective_samples,
                    r.effective_differences,
                    r.effective_samples / seconds,
                    r.r_hat,
                    r.acceptance.unwrap_or(f64::NAN),
                    start.elapsed().as_secs_f64()
                );
            }
        }
    }
}
