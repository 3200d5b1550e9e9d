//! The waits between two questions: scoring pairs of a pool, and one ask (belief and search) of a pool and of a box.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use rather::acquisition::pool::{Pairs, best_pairs};
use rather::acquisition::{self, Acquisition, Component, PoolUtilities, Prepared, suggest};
use rather::design::{
    Column, Opponent, Outcome, Policy, Pool, Prior, Request, Trial, fit, never, next_in_domain, next_in_pool,
};
use rather::search::Domain;
use rather_numerics::random::{stream, uniform};

/// Duels of random settings by a person who likes small numbers.
fn duels(settings: &[Vec<f64>], n: usize) -> Vec<Trial> {
    let mut rng = stream(1, 0);
    let mut any = |n: usize| (uniform(&mut rng) * n as f64) as usize;
    (0..n)
        .map(|_| {
            let left = any(settings.len());
            let right = (left + 1 + any(settings.len() - 1)) % settings.len();
            let sum = |i: usize| settings[i].iter().sum::<f64>();
            let answer = if sum(left) < sum(right) { Outcome::Left } else { Outcome::Right };
            Trial::pair(left, right, Some(answer))
        })
        .collect()
}

fn pool(items: usize) -> (Pool, Vec<Vec<f64>>) {
    let domain = Domain::unit_box(4);
    let settings = domain.fill(items, 2);
    (Pool::new(domain.points(&settings), &[false; 4]).expect("a pool"), settings)
}

/// All pairs of 200 items (19,900) and of 450 (101,025), after 500 duels of the first 200.
fn pairs(c: &mut Criterion) {
    let (pool, settings) = pool(450);
    let duels = duels(&settings[..200], 500);
    let posterior = fit(&pool.points, &pool.columns, &duels, &Prior::default()).expect("a posterior");
    for items in [200, 450] {
        let chosen: Vec<usize> = (0..items).collect();
        let joint = posterior.joint(&pool.points.select(&chosen)).expect("a covariance");
        let mut group = c.benchmark_group(format!("all pairs of {items} items"));
        group.sample_size(10).throughput(Throughput::Elements((items * (items - 1) / 2) as u64));
        group.bench_function("joint", |b| b.iter(|| posterior.joint(&pool.points.select(&chosen))));
        let components =
            [Component::new(joint.clone(), posterior.gaussian().expect("a covariance").answer_model())];
        let names = [
            "bald",
            "bald-quadrature",
            "entropy",
            "ivm",
            "uncertain",
            "eubo",
            "committee:10",
            "thompson",
            "best",
        ];
        for name in names {
            let acquisition: Acquisition = name.parse().expect("a name");
            group.bench_function(BenchmarkId::from_parameter(name), |b| {
                b.iter(|| {
                    let prepared = Prepared::new(acquisition, &components, 0).expect("draws");
                    best_pairs(&prepared, &Pairs::All, &|_, _| true, black_box(1), &never)
                });
            });
        }
    }
}

/// The best five of 100,000 given pairs of 2,000 items, after 3,000 duels: the belief and five searches, each as if the pairs before had been answered.
fn suggestions(c: &mut Criterion) {
    let (pool, settings) = pool(2_000);
    let posterior =
        fit(&pool.points, &pool.columns, &duels(&settings, 3_000), &Prior::default()).expect("a posterior");
    let mut rng = stream(2, 0);
    let mut any = |n: usize| (uniform(&mut rng) * n as f64) as usize;
    let pairs: Vec<(usize, usize)> = (0..100_000)
        .map(|_| {
            let one = any(2_000);
            (one, (one + 1 + any(1_999)) % 2_000)
        })
        .collect();
    let utilities = PoolUtilities::of(&posterior, &pool.points).expect("utilities");
    let mut group = c.benchmark_group("suggest");
    group.sample_size(10).throughput(Throughput::Elements(pairs.len() as u64));
    let wanted =
        acquisition::Request::new("bald".parse().expect("a name"), Pairs::Given(black_box(&pairs)), 5, 0);
    group.bench_function("5 of 100000 pairs of 2000 items", |b| b.iter(|| suggest(&utilities, &wanted)));
}

fn ask(c: &mut Criterion) {
    let mut group = c.benchmark_group("ask");
    group.sample_size(10);
    let policies = [Policy::default(), Policy::default().with_opponent(Opponent::Any)];
    for (dims, answers) in [(1, 60), (2, 60), (4, 60), (4, 200)] {
        let domain = Domain::unit_box(dims);
        let settings = domain.fill(answers, 3);
        let (points, columns) = (domain.points(&settings), Column::of_domain(&domain));
        let duels = duels(&settings, answers);
        let prior = Prior::default();
        let of_box = |what: &str| format!("{what}, box of {dims}, {answers} answers");
        group.bench_function(of_box("belief"), |b| b.iter(|| fit(&points, &columns, &duels, &prior)));
        for policy in &policies {
            group.bench_function(of_box(&format!("belief and search, {}", policy.opponent)), |b| {
                b.iter(|| {
                    let posterior = fit(&points, &columns, &duels, &prior).expect("a posterior");
                    let request =
                        Request { posterior: &posterior, trials: &duels, policy, seed: 0, stop: &never };
                    next_in_domain(&request, &domain, &settings)
                });
            });
        }
    }
    let (pool, settings) = pool(200);
    let duels = duels(&settings, 500);
    for policy in &policies {
        group.bench_function(
            format!("belief and search, {}, 200 items, 500 answers", policy.opponent),
            |b| {
                b.iter(|| {
                    let posterior =
                        fit(&pool.points, &pool.columns, &duels, &Prior::default()).expect("a posterior");
                    let request =
                        Request { posterior: &posterior, trials: &duels, policy, seed: 0, stop: &never };
                    next_in_pool(&request, &pool)
                });
            },
        );
    }
}

criterion_group!(benches, pairs, suggestions, ask);
criterion_main!(benches);
