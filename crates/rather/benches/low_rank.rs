//! The product of a sweep with features of low rank, beside the rate at which this machine multiplies matrices; whole sweeps over the
//! number of comparisons. Prints figures, asserts nothing: `cargo bench -p rather --bench low_rank`.

use rather::inducing::covering;
use rather::inference::observations::{Edge, Observation};
use rather::inference::prior::Prior;
use rather::inference::sites::Sites;
use rather::inference::{Method, Settings, run};
use rather::kernel::{Kernel, Schema, parse};
use rather::likelihood::{AnswerIndex, Likelihoods};
use rather::points::Points;
use rather_numerics::linalg::{Matrix, identity_plus_symmetric_product_with, product_transposed};
use rather_numerics::random;
use std::hint::black_box;
use std::time::Instant;

fn seconds(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Rounds in which what is compared is measured side by side, as the machine's rate changes from one second to the next.
const ROUNDS: usize = 21;

fn matrix(rows: usize, cols: usize, seed: u64) -> Matrix {
    let mut rng = random::stream(seed, 0);
    Matrix::from_fn(rows, cols, |_, _| random::uniform(&mut rng) - 0.5)
}

/// Billions of multiplications with addition a second that the product needs, beside those of a square product. In a sweep the
/// product takes what was just made; what making it takes is measured alone and taken off.
fn product() {
    println!("symmetric product of a sweep, one thread (multiply-adds that it needs, a second)");
    for (rank, items) in [(100, 20_000), (256, 5_000), (256, 20_000), (512, 5_000)] {
        let (f, y) = (matrix(rank, items, 1), matrix(rank, 1024, 2));
        let square = matrix(1_000, 1_000, 3);
        let mut out = Matrix::zeros(rank, rank);
        let make = |_: usize, columns: &mut [f64]| columns.copy_from_slice(&y.data()[..columns.len()]);
        let mut columns = vec![0.0; rank * 1024];
        let reads = |first: usize, columns: &mut [f64]| {
            let own = &f.data()[first * rank..(items * rank).min((first + 1024) * rank)];
            columns[..own.len()].iter_mut().zip(own).for_each(|(c, f)| *c += f);
        };
        let needed = (rank * (rank + 1) / 2 * items) as f64;
        let (mut ours, mut whole, mut theirs) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            let all = seconds(|| identity_plus_symmetric_product_with(black_box(&f), make, &mut out));
            let making = seconds(|| {
                (0..items).step_by(1024).for_each(|first| {
                    make(first, &mut columns);
                    reads(first, &mut columns);
                });
            });
            let square = seconds(|| drop(black_box(product_transposed(black_box(&square), &square))));
            ours.push(needed / (all - making) / 1e9);
            whole.push(needed / all / 1e9);
            theirs.push(1e9 / square / 1e9);
        }
        let ratio = median(ours.iter().zip(&theirs).map(|(o, t)| o / t).collect());
        let (ours, whole, theirs) = (median(ours), median(whole), median(theirs));
        println!(
            "  {rank:4} features x {items:6} items: {ours:5.1} G/s ({whole:5.1} with reading); square 1,000: {theirs:5.1} G/s; ratio {ratio:.2}"
        );
    }
}

fn items(n: usize) -> Points {
    let mut rng = random::stream(7, 0);
    let rows: Vec<[f64; 4]> =
        (0..n).map(|_| std::array::from_fn(|_| 4.0 * random::uniform(&mut rng) - 2.0)).collect();
    Points::from_rows(&rows)
}

fn kernel() -> Kernel {
    let schema = Schema {
        names: ["a", "b", "c", "d"].map(String::from).to_vec(),
        categorical: vec![false; 4],
        context: 0,
    };
    parse("se", &schema, false).expect("a kernel")
}

/// Inference from nothing, for more and more comparisons of 20,000 items.
fn sweeps() {
    println!("expectation propagation to 1e-8 from nothing, 20,000 items, 100 features");
    let (points, kernel) = (items(20_000), kernel());
    let inducing = covering(&kernel, &points, 100, 0.0);
    let mut last: Option<(f64, f64)> = None;
    for count in [62_500, 125_000, 250_000, 500_000, 1_000_000] {
        let mut rng = random::stream(11, 0);
        let item = |u: f64| (u * points.len() as f64) as usize;
        let pairs: Vec<(usize, usize)> = (0..count)
            .map(|_| (item(random::uniform(&mut rng)), item(random::uniform(&mut rng))))
            .filter(|(a, b)| a != b)
            .collect();
        let utility = |i: usize| 2.0 * (points.row(i)[0]).sin() + points.row(i)[1];
        let edges: Vec<Edge> = pairs.iter().map(|&(a, b)| Edge::between(a, b)).collect();
        let observations: Vec<Observation> = pairs
            .iter()
            .enumerate()
            .map(|(edge, &(a, b))| {
                let noisy = utility(a) - utility(b) + random::normal(&mut rng);
                Observation::new(edge, noisy.signum(), 1.0, AnswerIndex::CHOICE)
            })
            .collect();
        let start = Instant::now();
        let prior = Prior::low_rank(&kernel, &points, &edges, &inducing).expect("a prior");
        let likelihoods = Likelihoods::new(0.7);
        let empty = Sites::empty(observations.len());
        let outcome = run(Method::Ep, &prior, &observations, &likelihoods, empty, &Settings::default())
            .expect("an outcome");
        let took = start.elapsed().as_secs_f64();
        let exponent = last.map(|(n, t)| (took / t).ln() / (edges.len() as f64 / n).ln());
        let exponent = exponent.map_or(String::new(), |e| format!(", exponent {e:.2}"));
        println!("  {:8} comparisons: {took:6.2} s, {} sweeps{exponent}", edges.len(), outcome.sweeps);
        last = Some((edges.len() as f64, took));
    }
}

fn main() {
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    one.install(product);
    sweeps();
}
