//! 100,000 items known by name only and 1,000,000 comparisons of pairs drawn at random: seconds, memory, and how good the
//! utilities are. `cargo bench -p rather --bench sparse [-- ITEMS COMPARISONS]`.

use std::time::Instant;

use rather::Comparison;
use rather::model::{Ep, FitSettings, Inference, Items, Model};
use rather::representation::Representation;
use rather_numerics::random::{normal, normals, stream, uniform};

/// The variance of the utilities that answers are made from; the noise per item is 1.
const VARIANCE: f64 = 4.0;
/// Pairs that are predicted.
const HELD_OUT: usize = 100_000;
/// Half the width of an interval that holds 90 %, in standard deviations.
const NINETY: f64 = 1.644_853_626_951_472_2;

fn answers(utility: &[f64], n: usize, seed: u64) -> Vec<Comparison> {
    let mut rng = stream(seed, 0);
    let items = utility.len() as f64;
    let mut out = Vec::with_capacity(n);
    while out.len() < n {
        let [a, b] = [0; 2].map(|_| (uniform(&mut rng) * items) as usize);
        if a == b {
            continue;
        }
        let noise = normal(&mut rng) - normal(&mut rng);
        let (winner, loser) = if utility[a] - utility[b] + noise > 0.0 { (a, b) } else { (b, a) };
        out.push(Comparison { winner, loser, count: 1.0 });
    }
    out
}

/// The most memory that the process has held, in MiB, where the system tells.
fn peak() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|l| l.starts_with("VmHWM"))?;
    Some(line.split_whitespace().nth(1)?.parse::<f64>().ok()? / 1024.0)
}

/// Seconds that the processors have worked for this process, all threads together: what a busy machine does not blur.
fn processor_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let ticks = after_name.split_whitespace().skip(11).take(2).filter_map(|t| t.parse::<f64>().ok());
    ticks.sum::<f64>() / 100.0
}

fn correlation(x: &[f64], y: &[f64]) -> f64 {
    let n = x.len() as f64;
    let mean = |v: &[f64]| v.iter().sum::<f64>() / n;
    let (mx, my) = (mean(x), mean(y));
    let sum = |f: &dyn Fn(usize) -> f64| (0..x.len()).map(f).sum::<f64>();
    let cross = sum(&|i| (x[i] - mx) * (y[i] - my));
    cross / (sum(&|i| (x[i] - mx).powi(2)) * sum(&|i| (y[i] - my).powi(2))).sqrt()
}

fn fit(name: &str, items: &Items, said: &[Comparison], settings: &FitSettings) -> Model {
    let (start, worked) = (Instant::now(), processor_seconds());
    let model = Model::fit(items, said, settings, &|_| ()).expect("a fit");
    let (seconds, worked) = (start.elapsed().as_secs_f64(), processor_seconds() - worked);
    let found = model.report();
    println!(
        "{name}: {seconds:.1} s ({worked:.1} processor seconds), {:?} after {} sweeps ({:.1e})",
        found.status, found.sweeps, found.residual
    );
    found.sparse.iter().for_each(|how| println!("  {how}"));
    for (name, value) in model.reported_hyperparameters() {
        println!("  {name} {value:.4}");
    }
    model
}

fn judge(model: &Model, utility: &[f64]) {
    let start = Instant::now();
    let moments = model.utilities(model.points());
    let ranked = start.elapsed().as_secs_f64();
    let compared = model.compared();
    let average = compared.iter().map(|&i| utility[i]).sum::<f64>() / compared.len() as f64;
    let off = |i: usize| (utility[i] - average - moments.mean[i]).abs();
    let covered = compared.iter().filter(|&&i| off(i) <= NINETY * moments.variance[i].sqrt()).count();
    println!(
        "  utilities of all items with intervals: {ranked:.2} s; correlation with the truth {:.4}; 90 % intervals hold {:.2} %",
        correlation(&moments.mean, utility),
        100.0 * covered as f64 / compared.len() as f64
    );
    let test = answers(utility, HELD_OUT, 2);
    let pairs: Vec<(usize, usize)> = test.iter().map(|c| (c.winner, c.loser)).collect();
    let start = Instant::now();
    let p = model.probabilities(model.points(), &pairs);
    let predicted = start.elapsed().as_secs_f64();
    println!(
        "  {HELD_OUT} held-out pairs: {predicted:.2} s, accuracy {:.4}, log loss {:.4}",
        p.iter().filter(|&&p| p > 0.5).count() as f64 / p.len() as f64,
        -p.iter().map(|p| p.ln()).sum::<f64>() / p.len() as f64
    );
    if let Some(peak) = peak() {
        println!("  peak memory so far {peak:.0} MiB");
    }
}

fn main() {
    let sizes: Vec<usize> = std::env::args().filter_map(|a| a.parse().ok()).collect();
    let (n, m) = (sizes.first().copied().unwrap_or(100_000), sizes.get(1).copied().unwrap_or(1_000_000));
    let utility: Vec<f64> = normals(n, &mut stream(0, 0)).iter().map(|x| x * VARIANCE.sqrt()).collect();
    let items = Items { keys: (0..n).map(|i| format!("item {i}")).collect(), columns: Vec::new() };
    let said = answers(&utility, m, 1);
    println!("{n} items, {m} comparisons of pairs drawn at random, {} threads", rayon::current_num_threads());
    let learned = FitSettings {
        inference: Inference::Ep(Ep { representation: Representation::Sparse, ..Ep::default() }),
        ..FitSettings::default()
    };
    let fixed = vec![("variance".to_owned(), VARIANCE), ("noise".to_owned(), 1.0)];
    let fixed = FitSettings { fixed, ..learned.clone() };
    judge(&fit("hyperparameters fixed", &items, &said, &fixed), &utility);
    judge(&fit("hyperparameters learned", &items, &said, &learned), &utility);
}
