//! How much one pass on a coarse basis loses against the batch: in the log loss of choices between items that were never
//! compared, on tastes drawn from the prior.

use crate::common::se;
use rather::Comparison;
use rather::evidence::Problem;
use rather::inference::observations::Observations;
use rather::inference::{Method, Settings as Inference};
use rather::points::Points;
use rather::posterior::Posterior;
use rather::streaming::{Settings, StreamingModel};
use rather_numerics::linalg::cholesky;
use rather_numerics::random::{normals, stream, uniform};
use rather_numerics::special::normal::cdf;

const TESTS: usize = 101;
const PAIRS: usize = 1000;
const BASIS: usize = 8;

/// A taste of lengthscale 0.2 and standard deviation 2, duels of uniform pairs, and pairs to predict.
struct Case {
    items: Points,
    duels: Vec<(usize, usize)>,
    tests: Points,
    utility: Vec<f64>,
    pairs: Vec<(usize, usize)>,
}

impl Case {
    fn draw(duels: usize, seed: u64) -> Self {
        let rng = &mut stream(seed, duels as u64);
        let mut x: Vec<f64> = (0..TESTS).map(|i| i as f64 / (TESTS - 1) as f64).collect();
        x.extend((0..2 * duels).map(|_| uniform(rng)));
        let all = Points::new((0..x.len() as u64).collect(), 1, x);
        let mut l = se(1, 4.0, 0.2).matrix(&all);
        l.add_diagonal(4e-9);
        assert!(cholesky(&mut l));
        let z = normals(all.len(), rng);
        let utility: Vec<f64> = (0..all.len()).map(|i| (0..=i).map(|j| l[(i, j)] * z[j]).sum()).collect();
        let won = |m: usize, chance: f64| {
            let (a, b) = (2 * m, 2 * m + 1);
            if chance < cdf(utility[TESTS + a] - utility[TESTS + b]) { (a, b) } else { (b, a) }
        };
        let duels: Vec<(usize, usize)> = (0..duels).map(|m| won(m, uniform(rng))).collect();
        let mut any = || ((uniform(rng) * TESTS as f64) as usize).min(TESTS - 1);
        let pairs = (0..PAIRS).map(|_| (any(), any())).filter(|(a, b)| a != b).collect();
        let (first, rest): (Vec<usize>, Vec<usize>) = (0..all.len()).partition(|&i| i < TESTS);
        Self { items: all.select(&rest), duels, tests: all.select(&first), utility, pairs }
    }

    fn batch(&self) -> Vec<f64> {
        let said: Vec<Comparison> =
            self.duels.iter().map(|&(winner, loser)| Comparison { winner, loser, count: 1.0 }).collect();
        let observations = Observations::new(&said);
        let points = self.items.select(&observations.items);
        let problem = Problem {
            points: &points,
            observations: &observations,
            method: Method::Ep,
            space: None,
            inducing: None,
        };
        let (kernel, noise) = (se(1, 4.0, 0.2), Settings::default().noise);
        let evidence = problem.evaluate(&kernel, noise, None, &Inference::default()).unwrap();
        Posterior::new(&problem, kernel, noise, evidence).probabilities(&self.tests, &self.pairs)
    }

    fn one_pass(&self) -> Vec<f64> {
        let basis: Vec<f64> = (0..BASIS).map(|i| i as f64 / (BASIS - 1) as f64).collect();
        let basis = Points::new((0..BASIS as u64).collect(), 1, basis);
        let mut model = StreamingModel::new(se(1, 4.0, 0.2), basis, Settings::default()).unwrap();
        for &(winner, loser) in &self.duels {
            model.answer(&self.items, winner, loser).unwrap();
        }
        model.probabilities(&self.tests, &self.pairs)
    }

    /// The expected log loss of these probabilities under the truth.
    fn loss(&self, probabilities: &[f64]) -> f64 {
        let one = |(&(a, b), q): (&(usize, usize), &f64)| {
            let p = cdf(self.utility[a] - self.utility[b]);
            -p * q.ln() - (1.0 - p) * (1.0 - q).ln()
        };
        self.pairs.iter().zip(probabilities).map(one).sum::<f64>() / self.pairs.len() as f64
    }
}

#[test]
fn one_pass_on_eight_points_loses_less_than_a_hundredth() {
    for (duels, functions) in [(50, 20), (100, 20), (200, 10)] {
        let cases: Vec<Case> = (0..functions).map(|f| Case::draw(duels, f)).collect();
        let mean = |loss: &dyn Fn(&Case) -> f64| cases.iter().map(loss).sum::<f64>() / functions as f64;
        let (batch, one_pass) = (mean(&|c| c.loss(&c.batch())), mean(&|c| c.loss(&c.one_pass())));
        println!("{duels} duels: batch {batch:.4}, one pass {one_pass:.4}");
        assert!(one_pass < batch + 0.01, "{duels} duels: {one_pass} for {batch}");
    }
}
