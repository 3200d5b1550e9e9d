//! Blocks of comparisons and shares of users, which share nothing but sums, find what all together find.

use rather::Comparison;
use rather::answers::Answer;
use rather::evidence::Problem;
use rather::inference::blocks::{Belief, Block, Natural};
use rather::inference::observations::Observations;
use rather::inference::{Factors, Method, Settings};
use rather::kernel::{Kernel, Schema, parse};
use rather::many::shares::{Share, Summary};
use rather::many::{Hierarchical, HierarchicalSettings, UserAnswers, UserModel};
use rather::points::Points;
use rather::posterior::{BlocksPosterior, Posterior};
use rather_numerics::random;

/// As far as inference goes.
const EXACT: Settings =
    Settings { tolerance: 1e-13, sweeps: 1000, sequential_sweeps: 0, factors: Factors::Answer };

fn se(variance: f64) -> Kernel {
    let schema = Schema { names: vec!["x".into(), "y".into()], categorical: vec![false, false], context: 0 };
    let mut kernel = parse("se", &schema, false).unwrap();
    kernel.set_parameters(&[variance, 0.5]).unwrap();
    kernel
}

fn items(n: usize) -> Points {
    let mut rng = random::stream(3, 0);
    let rows: Vec<[f64; 2]> =
        (0..n).map(|_| [random::uniform(&mut rng), random::uniform(&mut rng)]).collect();
    Points::from_rows(&rows)
}

fn comparisons(items: &Points, n: usize, seed: u64) -> Vec<Comparison> {
    let mut rng = random::stream(seed, 1);
    let mut some = || (random::uniform(&mut rng) * items.len() as f64) as usize;
    let pairs: Vec<(usize, usize)> = (0..n).map(|_| (some(), some())).filter(|(a, b)| a != b).collect();
    let utility = |i: usize| (5.0 * items.row(i)[0]).sin() + items.row(i)[1];
    let noisy = random::normals(pairs.len(), &mut rng);
    let said = |(&(a, b), e): (&(usize, usize), &f64)| {
        let first = utility(a) - utility(b) + 0.5 * e > 0.0;
        Comparison { winner: if first { a } else { b }, loser: if first { b } else { a }, count: 1.0 }
    };
    pairs.iter().zip(&noisy).map(said).collect()
}

fn sum(blocks: &[Block]) -> Natural {
    let mut out = Natural::nothing(blocks[0].features());
    blocks.iter().for_each(|block| out.add(&block.natural()).unwrap());
    out
}

/// Sites stay when the hyperparameters change; comparisons of one pair may be in several blocks; and predictions are those of the model that
/// has all comparisons.
#[test]
fn blocks_predict_as_all_together() {
    let points = items(80);
    // Few items and many comparisons: most pairs are in both blocks.
    let said = comparisons(&points, 4_000, 5);
    let inducing: Vec<usize> = (0..30).collect();
    let chosen = points.select(&inducing);
    let (first, second) = said.split_at(1_500);
    let start = se(1.0);
    let mut blocks = [first, second].map(|part| Block::new(&start, 1.0, &chosen, &points, part).unwrap());
    let settle = |blocks: &mut [Block; 2]| loop {
        let belief = Belief::new(&sum(blocks)).unwrap();
        let worst = blocks.iter_mut().map(|b| b.sweep(&belief, 0.7).residual).fold(0.0, f64::max);
        if worst < 1e-12 {
            break;
        }
    };
    settle(&mut blocks);
    let (kernel, noise) = (se(3.0), 0.8);
    blocks = blocks.map(|block| block.at(&kernel, noise).unwrap());
    assert!(blocks[0].natural().shift.iter().any(|x| *x != 0.0), "the sites are gone");
    settle(&mut blocks);
    let belief = Belief::new(&sum(&blocks)).unwrap();
    let found = BlocksPosterior::new(&kernel, noise, &chosen, &belief).unwrap();

    let observations = Observations::new(&said);
    let compared = points.select(&observations.items);
    let problem = Problem {
        points: &compared,
        observations: &observations,
        method: Method::Ep,
        space: None,
        inducing: Some(&inducing),
    };
    assert_eq!(observations.items.len(), points.len(), "positions are row numbers");
    let evidence = problem.evaluate(&kernel, noise, None, &EXACT).unwrap();
    let whole = Posterior::new(&problem, kernel, noise, evidence);
    // Blocks stop at 1e-12 of a posterior standard deviation; factors of condition 1e3 lie between.
    let near = |a: &[f64], b: &[f64]| {
        assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-9), "{a:?} {b:?}");
    };
    let new = items(95).select(&(60..95).collect::<Vec<_>>());
    let (a, b) = (found.utilities(&new), whole.utilities(&new));
    near(&a.mean, &b.mean);
    near(&a.variance, &b.variance);
    let (a, b) = (found.relative_utilities(&new, &points), whole.relative_utilities(&new, &points));
    near(&a.mean, &b.mean);
    near(&a.variance, &b.variance);
    let pairs = [(0, 1), (3, 30), (5, 2)];
    near(&found.probabilities(&new, &pairs), &whole.probabilities(&new, &pairs));
    near(found.covariance(&new).data(), whole.covariance(&new).data());
}

#[test]
fn shares_find_the_common_prior_of_all() {
    let points = items(25);
    let mut all = Vec::new();
    for user in 0..12 {
        let said = comparisons(&points, 20, 100 + user as u64);
        let of = |c: Comparison| Answer::rather(c.winner, c.loser).by(user).times(c.count);
        // Somebody says nothing.
        all.extend(said.into_iter().map(of).filter(|_| user != 7));
    }
    let (kernel, settings) = (se(1.0), HierarchicalSettings::default());
    let answers = UserAnswers::new(12, points.len(), &all).unwrap();
    let whole = Hierarchical::fit(&points, &answers, &kernel, &settings).unwrap();

    let share = |users: std::ops::Range<usize>| {
        let of = |a: &Answer| {
            let user = a.user().unwrap();
            users.contains(&user).then(|| a.by(user - users.start))
        };
        let answers = UserAnswers::new(users.len(), points.len(), all.iter().filter_map(of)).unwrap();
        Share::new(&points, &answers, &kernel, &settings).unwrap()
    };
    let mut shares = [share(0..5), share(5..12)];
    for iteration in 0..settings.iterations {
        let mut sum = Summary::nobody(shares[0].features());
        shares.iter().for_each(|share| sum.add(&share.summary().unwrap()).unwrap());
        assert_eq!(sum.users, 11.0);
        let (mean, covariance) = sum.expected(None);
        if iteration == 3 {
            shares[1] = share(5..12);
        }
        shares.iter_mut().for_each(|share| share.expect(&mean, &covariance).unwrap());
    }
    for user in 0..12 {
        let (expected, share) = (whole.user(user).unwrap(), &shares[usize::from(user >= 5)]);
        let found = share.user(if user >= 5 { user - 5 } else { user }).unwrap();
        // Every inference stops at 1e-8, and one of them started elsewhere.
        for (a, b) in found.mean.iter().zip(&expected.mean) {
            assert!((a - b).abs() < 1e-7, "{a} {b}");
        }
    }
    assert!(shares[0].expect(&[0.0], &rather_numerics::linalg::Matrix::zeros(1, 1)).is_err());
}
