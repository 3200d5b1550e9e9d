//! One posterior by messages after another: means and variances follow the sites from where they were.

use rather::inference::observations::Edge;
use rather::inference::prior::{Absorbed, GaussianPrior};
use rather::inference::sparse::{Field, Limits, SparsePrior};
use rather_numerics::random::{normals, stream, uniform};

const NODES: usize = 200;
const EDGES: usize = 900;

/// Names that are compared at random.
fn prior(variance: f64) -> (SparsePrior, usize) {
    let mut rng = stream(3, 0);
    let mut below = |n: usize| (uniform(&mut rng) * n as f64) as usize;
    let mut ends: Vec<(usize, usize)> = (0..EDGES)
        .map(|_| {
            let i = below(NODES);
            let j = (i + 1 + below(NODES - 1)) % NODES;
            (i.min(j), i.max(j))
        })
        .collect();
    ends.sort_unstable();
    ends.dedup();
    let edges: Vec<Edge> = ends.iter().map(|&(i, j)| Edge::between(i, j)).collect();
    let field = Field::new(NODES, &edges, &[], &Limits::MESSAGES).unwrap();
    (field.prior(variance, 0.0).unwrap(), edges.len())
}

/// Sites, some of which say nothing.
fn sites(edges: usize, seed: u64) -> (Vec<f64>, Vec<f64>) {
    let mut rng = stream(seed, 1);
    let tau = (0..edges).map(|_| (uniform(&mut rng) - 0.2).max(0.0)).collect();
    (tau, normals(edges, &mut rng))
}

/// The largest differences of means, in standard deviations, and of variances, relative to them.
fn apart(a: &Absorbed, b: &Absorbed) -> [f64; 2] {
    let pairs = || a.variance.iter().zip(&b.variance);
    let of_means = a.mean.iter().zip(&b.mean).zip(&b.variance).map(|((a, b), v)| (a - b).abs() / v.sqrt());
    [of_means.fold(0.0, f64::max), pairs().map(|(a, b)| (a / b - 1.0).abs()).fold(0.0, f64::max)]
}

/// A thousandth of what they were off is left after one step, whatever the prior and the sites were before; a few steps leave nothing.
#[test]
fn what_is_left_shrinks_with_every_sweep() {
    let ((before, edges), (now, _)) = (prior(1.0), prior(4.0));
    let (tau, nu) = sites(edges, 1);
    let start = before.absorb_into(&tau, &nu, Absorbed::default()).unwrap();
    let (tau, nu) = sites(edges, 2);
    let exact = now.absorb_into(&tau, &nu, Absorbed::default()).unwrap();
    let moved = apart(&start, &exact);
    let mut here = now.absorb_into(&tau, &nu, start).unwrap();
    let left = apart(&here, &exact);
    // The worst of all projections is off by more than the whole is; ten times is ample.
    assert!(left.iter().zip(&moved).all(|(left, moved)| *left <= 0.01 * moved), "{left:?} of {moved:?}");
    let log_evidence =
        |posterior: &Absorbed| 0.5 * (now.quadratic(&tau, &nu, posterior) - now.log_det(posterior));
    // Both parts are flat at the exact solution, so they are off by squares of a thousandth, where one that is not flat would be off by that.
    let (off, whole) = ((log_evidence(&here) - log_evidence(&exact)).abs(), log_evidence(&exact).abs());
    assert!(off < 1e-5 * whole, "{off} of {whole}");
    for _ in 0..4 {
        here = now.absorb_into(&tau, &nu, here).unwrap();
    }
    let left = apart(&here, &exact);
    assert!(left.iter().all(|left| *left < 1e-8), "{left:?}");
}

/// Sites that fall silent all at once leave the prior, and none of their messages.
#[test]
fn silent_sites_leave_the_prior() {
    let (prior, edges) = prior(2.0);
    let (tau, nu) = sites(edges, 1);
    let said = prior.absorb_into(&tau, &nu, Absorbed::default()).unwrap();
    let silent = prior.absorb_into(&vec![0.0; edges], &vec![0.0; edges], said).unwrap();
    assert!(silent.variance.iter().all(|v| (v - 4.0).abs() < 1e-9));
    assert!(silent.mean.iter().all(|m| m.abs() < 1e-9) && prior.log_det(&silent).abs() < 1e-9);
}
