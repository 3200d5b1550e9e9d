//! The costs that a person waits for: the scalar core, a covariance, a sweep beside one Cholesky and one inverse.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use rather::inference::observations::Edge;
use rather::inference::prior::{Absorbed, GaussianPrior, Prior, Space};
use rather::kernel::{Kernel, Schema, parse};
use rather::points::Points;
use rather_numerics::linalg::{Matrix, cholesky, inverse_from_cholesky};
use rather_numerics::special::probit::probit_moments;
use std::hint::black_box;

/// Items on a quasi-random lattice in four dimensions (Roberts' R4 sequence), standardised in spread.
fn items(n: usize) -> Points {
    let steps =
        [0.856_674_883_854_502_9, 0.733_891_856_627_126_2, 0.628_706_721_037_808_7, 0.538_597_257_223_607_3];
    let values = (0..n).flat_map(|i| steps.map(|s| ((i as f64 * s).fract() - 0.5) * 12f64.sqrt())).collect();
    Points::new((0..n as u64).collect(), 4, values)
}

fn kernel() -> Kernel {
    let schema = Schema {
        names: ["a", "b", "c", "d"].map(String::from).to_vec(),
        categorical: vec![false; 4],
        context: 0,
    };
    parse("matern32", &schema, false).expect("a kernel")
}

/// Three comparisons an item, with itself left out.
fn edges(n: usize) -> Vec<Edge> {
    (0..3 * n)
        .map(|m| (m % n, (m * 7 + 1 + m / n) % n))
        .filter(|(a, b)| a != b)
        .map(|(a, b)| Edge::between(a.min(b), a.max(b)))
        .collect()
}

fn scalar(c: &mut Criterion) {
    for beta in [-1e3, -3.0, 0.5, 4.0] {
        c.bench_function(&format!("probit_moments({beta})"), |b| b.iter(|| probit_moments(black_box(beta))));
    }
}

fn sweep(c: &mut Criterion) {
    let mut group = c.benchmark_group("sweep");
    group.sample_size(20);
    for n in [200, 500, 1000] {
        let covariance = kernel().matrix(&items(n));
        let edges = edges(n);
        let prior = Prior::new(covariance.clone(), &edges, Space::Items).expect("a covariance");
        let (tau, nu) = (vec![0.3; edges.len()], vec![0.1; edges.len()]);
        let mut memory = Absorbed::default();
        group.bench_function(BenchmarkId::new("sweep", n), |b| {
            b.iter(|| {
                memory = prior.absorb_into(&tau, &nu, std::mem::take(&mut memory)).expect("positive definite")
            });
        });
        let mut definite = covariance.clone();
        definite.add_diagonal(1.0);
        group.bench_function(BenchmarkId::new("cholesky + inverse", n), |b| {
            b.iter(|| factor_and_invert(definite.clone()));
        });
        group.bench_function(BenchmarkId::new("covariance", n), |b| b.iter(|| kernel().matrix(&items(n))));
    }
}

fn factor_and_invert(mut a: Matrix) -> Matrix {
    assert!(cholesky(&mut a));
    inverse_from_cholesky(&a)
}

criterion_group!(benches, scalar, sweep);
criterion_main!(benches);
