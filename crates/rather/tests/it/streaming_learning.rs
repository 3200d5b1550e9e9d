//! Hyperparameters and the basis while answers come in.

use crate::common::se;
use rather::learn::LogNormal;
use rather::points::Points;
use rather::streaming::{Adaptation, Learning, Settings, StreamingModel};
use rather_numerics::linalg::{Matrix, cholesky, inverse_from_cholesky, mirror_lower, product};
use rather_numerics::random::{normal, normals, stream, uniform};

fn line(x: &[f64]) -> Points {
    Points::new((0..x.len() as u64).collect(), 1, x.to_vec())
}

fn grid(n: usize) -> Points {
    line(&(0..n).map(|i| i as f64 / (n - 1) as f64).collect::<Vec<_>>())
}

/// A taste drawn from a Gaussian process on a grid of 101 points, and duels of random points of the grid.
struct Taste {
    items: Points,
    utility: Vec<f64>,
}

impl Taste {
    fn draw(lengthscale: f64, seed: u64) -> Self {
        let items = grid(101);
        let mut l = se(1, 4.0, lengthscale).matrix(&items);
        l.add_diagonal(1e-8);
        assert!(cholesky(&mut l));
        let z = normals(101, &mut stream(seed, 0));
        let utility = (0..101).map(|i| (0..=i).map(|j| l[(i, j)] * z[j]).sum()).collect();
        Self { items, utility }
    }

    fn tell(&self, model: &mut StreamingModel, duels: usize, seed: u64) -> f64 {
        let rng = &mut stream(seed, 1);
        let mut loss = 0.0;
        for _ in 0..duels {
            let [a, b] = [(); 2].map(|()| (uniform(rng) * 101.0) as usize);
            if a == b {
                continue;
            }
            let won = self.utility[a] - self.utility[b] + normal(rng) > 0.0;
            let (winner, loser) = if won { (a, b) } else { (b, a) };
            loss -= model.answer(&self.items, winner, loser).unwrap().log_probability;
        }
        loss
    }
}

/// From a lengthscale four times too long and a variance ten times too small, learning comes near the truth, raises the
/// evidence, and predicts better than staying.
#[test]
fn hyperparameters_follow_the_answers() {
    let mut won = 0;
    for seed in 0..4 {
        let taste = Taste::draw(0.15, seed);
        let run = |learning| {
            let settings = Settings { learning, ..Settings::default() };
            let mut model = StreamingModel::new(se(1, 0.4, 0.6), grid(12), settings).unwrap();
            (taste.tell(&mut model, 200, seed + 10), model)
        };
        let (stayed, mut fixed) = run(None);
        let (learned, mut model) = run(Some(Learning::default()));
        let values: Vec<f64> = model.kernel().parameters().iter().map(|p| p.value).collect();
        let (a, b) = (fixed.refine(3).log_evidence, model.refine(3).log_evidence);
        println!(
            "variance {:.2}, lengthscale {:.3}; loss {learned:.1} for {stayed:.1}, evidence {b:.1} for {a:.1}",
            values[0], values[1]
        );
        assert!(b > a + 3.0, "evidence {b} for {a}");
        assert!(values[1] > 0.05 && values[1] < 0.4, "lengthscale {}", values[1]);
        won += usize::from(learned < stayed);
    }
    assert_eq!(won, 4);
}

#[test]
fn a_step_of_learning_never_lowers_its_objective() {
    let taste = Taste::draw(0.2, 5);
    let mut model =
        StreamingModel::new(se(1, 1.0, 0.5), grid(8), Settings { memory: 40, ..Settings::default() })
            .unwrap();
    assert!(model.learn(3).is_none()); // nothing to learn from
    for round in 0..4 {
        taste.tell(&mut model, 30, round);
        let climbed = model.learn(5).unwrap();
        assert!(climbed.objective[1] >= climbed.objective[0], "{climbed:?}");
        assert_eq!(climbed.parameters.len(), 2);
    }
    assert_eq!((model.answers() > 100, model.kept()), (true, 40));
}

/// A prior of no width holds a parameter; a wrong one is refused.
#[test]
fn a_parameter_can_be_held() {
    let taste = Taste::draw(0.2, 9);
    let mut model = StreamingModel::new(se(1, 1.0, 0.5), grid(8), Settings::default()).unwrap();
    taste.tell(&mut model, 80, 9);
    let prior = |median, sd| LogNormal { median, sd };
    assert!(model.set_priors(vec![prior(1.0, 1.0)]).is_err());
    assert!(model.set_priors(vec![prior(1.0, -1.0), prior(0.5, 1.0)]).is_err());
    assert!(model.set_priors(vec![prior(0.0, 1.0), prior(0.5, 1.0)]).is_err());
    model.set_priors(vec![prior(1.0, 0.0), prior(0.5, 1.0)]).unwrap();
    let climbed = model.learn(5).unwrap();
    assert!((climbed.parameters[0] - 1.0).abs() < 1e-15 && (climbed.parameters[1] - 0.5).abs() > 0.05);
}

fn inverse_and_log_det(a: &Matrix) -> (Matrix, f64) {
    let mut l = a.clone();
    assert!(cholesky(&mut l));
    let mut inverse = inverse_from_cholesky(&l);
    mirror_lower(&mut inverse);
    (inverse, 2.0 * (0..a.rows()).map(|i| l[(i, i)].ln()).sum::<f64>())
}

/// The loss of a point, against the divergence of two Gaussians worked out in full.
#[test]
fn what_a_point_carries_is_a_divergence() {
    let taste = Taste::draw(0.3, 6);
    let mut model = StreamingModel::new(se(1, 4.0, 0.3), grid(5), Settings::default()).unwrap();
    taste.tell(&mut model, 40, 6);
    let (mean, covariance, prior) =
        (model.basis_mean(), model.basis_covariance(), model.basis().covariance());
    for (i, loss) in model.basis_losses().into_iter().enumerate() {
        let rest: Vec<usize> = (0..5).filter(|&j| j != i).collect();
        // The other: the rest as believed, the point given the rest as in the prior: g_i = a'g_rest + e.
        let among = |m: &Matrix| Matrix::from_fn(4, 4, |r, c| m[(rest[r], rest[c])]);
        let (inverse, _) = inverse_and_log_det(&among(&prior));
        let cross: Vec<f64> = rest.iter().map(|&j| prior[(i, j)]).collect();
        let a = inverse.times(&cross);
        let left = prior[(i, i)] - a.iter().zip(&cross).map(|(x, y)| x * y).sum::<f64>();
        let kept = among(&covariance);
        let along = kept.times(&a);
        let mut other = Matrix::zeros(5, 5);
        let mut other_mean = mean.clone();
        for (r, &j) in rest.iter().enumerate() {
            for (c, &k) in rest.iter().enumerate() {
                other[(j, k)] = kept[(r, c)];
            }
            other[(i, j)] = along[r];
            other[(j, i)] = along[r];
        }
        other[(i, i)] = left + a.iter().zip(&along).map(|(x, y)| x * y).sum::<f64>();
        other_mean[i] = a.iter().zip(&rest).map(|(x, &j)| x * mean[j]).sum();
        let (precision, log_det) = inverse_and_log_det(&other);
        let (_, own) = inverse_and_log_det(&covariance);
        let trace: f64 = (0..5).map(|k| product(&precision, &covariance)[(k, k)]).sum();
        let d: Vec<f64> = mean.iter().zip(&other_mean).map(|(x, y)| x - y).collect();
        let quadratic: f64 = precision.times(&d).iter().zip(&d).map(|(x, y)| x * y).sum();
        let divergence = 0.5 * (trace - 5.0 + quadratic + log_det - own);
        assert!((loss - divergence).abs() < 1e-7 * (1.0 + divergence), "point {i}: {loss}, not {divergence}");
    }
}

/// A point added and dropped again leaves the belief as it was; dropping one that carries nothing changes nothing.
#[test]
fn points_come_and_go() {
    let taste = Taste::draw(0.3, 7);
    for memory in [100, 20, 0] {
        let settings = Settings { memory, ..Settings::default() };
        let mut model = StreamingModel::new(se(1, 4.0, 0.3), grid(5), settings).unwrap();
        taste.tell(&mut model, 40, 7);
        let before = model.basis_mean();
        let test = line(&[0.1, 0.4, 0.9]);
        model.add_basis_point(99, &[0.37]).unwrap();
        assert_eq!(model.basis().len(), 6);
        model.drop_basis_point(5).unwrap();
        for (a, b) in model.basis_mean().iter().zip(&before) {
            assert!((a - b).abs() < 1e-6, "{memory} kept: {a} {b}");
        }
        // Far from every item: it carries nothing.
        model.add_basis_point(100, &[9.0]).unwrap();
        let losses = model.basis_losses();
        assert!(losses[5] < 1e-9, "{losses:?}");
        let predicted = model.utilities(&test);
        model.drop_basis_point(5).unwrap();
        for (a, b) in model.utilities(&test).mean.iter().zip(&predicted.mean) {
            assert!((a - b).abs() < 1e-9);
        }
        assert!(model.add_basis_point(101, &[9.0]).is_some() && model.drop_basis_point(17).is_none());
    }
    let mut single = StreamingModel::new(se(1, 4.0, 0.3), line(&[0.0]), Settings::default()).unwrap();
    assert!(single.drop_basis_point(0).is_none());
}

/// From one basis point, the basis grows to where the answers are and stays within its budget; it then predicts nearly as
/// well as a grid made for the whole range.
#[test]
fn the_basis_grows_to_where_the_answers_are() {
    let taste = Taste::draw(0.2, 8);
    let run = |basis: Points, adaptation| {
        let settings = Settings { adaptation, ..Settings::default() };
        let mut model = StreamingModel::new(se(1, 4.0, 0.2), basis, settings).unwrap();
        let loss = taste.tell(&mut model, 200, 8);
        (loss, model.basis().len())
    };
    let (on_grid, _) = run(grid(10), None);
    let (single, _) = run(line(&[0.5]), None);
    let (grown, points) = run(line(&[0.5]), Some(Adaptation::default()));
    let tight = Adaptation { budget: 5, ..Adaptation::default() };
    let (little, few) = run(line(&[0.5]), Some(tight));
    println!(
        "loss on a grid {on_grid:.1}, on one point {single:.1}, grown to {points}: {grown:.1}, to {few}: {little:.1}"
    );
    assert!((6..=20).contains(&points) && few <= 5);
    assert!(grown < on_grid + 3.0 && little < single);
}
