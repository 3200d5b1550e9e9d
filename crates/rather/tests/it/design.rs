//! What a chooser must do for a person: sensible duels whatever the history, the same ones under the same seed, and a
//! recommendation that gets better.

use std::collections::HashSet;

use proptest::prelude::*;
use rather::Error;
use rather::belief::Belief;
use rather::design::{
    Among, Column, Family, Opponent, Outcome, Policy, Pool, Prior, Proposal, Request, Trial, fit, never,
    next_in_domain, next_in_pool, observations, recommend_in_domain, recommend_in_pool, regret_in_domain,
    regret_in_pool,
};
use rather::evidence::Problem;
use rather::inference::prior::Space;
use rather::inference::{Method, Settings};
use rather::points::Points;
use rather::posterior::Posterior;
use rather::search::{Dimension, Domain};
use rather_numerics::random::{stream, uniform};
use rayon::prelude::*;

const POLICIES: [(&str, Opponent); 26] = [
    ("bald", Opponent::Winner),
    ("bald", Opponent::Best),
    ("bald", Opponent::Any),
    ("bald-quadrature", Opponent::Winner),
    ("entropy", Opponent::Any),
    ("committee:10", Opponent::Any),
    ("committee:10", Opponent::Winner),
    ("ivm", Opponent::Winner),
    ("random", Opponent::Any),
    ("random", Opponent::Winner),
    ("ucb:2", Opponent::Winner),
    ("improvement", Opponent::Best),
    ("absolute-ucb:1", Opponent::Winner),
    ("absolute-improvement", Opponent::Winner),
    ("eubo", Opponent::Any),
    ("qeubo:2", Opponent::Any),
    ("thompson", Opponent::Any),
    ("thompson", Opponent::Best),
    ("uncertain", Opponent::Best),
    ("believer", Opponent::Winner),
    ("best", Opponent::Any),
    ("best", Opponent::Winner),
    ("knowledge-gradient", Opponent::Any),
    ("knowledge-gradient", Opponent::Winner),
    ("max-value-entropy", Opponent::Winner),
    ("max-value-entropy", Opponent::Best),
];

fn policy(name: &str, opponent: Opponent) -> Policy {
    Policy { acquisition: name.parse().unwrap(), opponent, initial: Some(1) }
}

fn pool(n: usize) -> Pool {
    Pool::new(Domain::unit_box(2).points(&Domain::unit_box(2).fill(n, 9)), &[false, false]).unwrap()
}

fn believe_in_pool(pool: &Pool, duels: &[Trial]) -> Belief {
    fit(&pool.points, &pool.columns, duels, &Prior::default()).unwrap()
}

fn believe_in_domain(domain: &Domain, settings: &[Vec<f64>], duels: &[Trial]) -> Belief {
    fit(&domain.points(settings), &Column::of_domain(domain), duels, &Prior::default()).unwrap()
}

fn ask_pool(pool: &Pool, duels: &[Trial], policy: &Policy, seed: u64) -> Proposal<usize> {
    let posterior = believe_in_pool(pool, duels);
    next_in_pool(&Request { posterior: &posterior, trials: duels, policy, seed, stop: &never }, pool).unwrap()
}

fn ask_domain(
    domain: &Domain,
    settings: &[Vec<f64>],
    duels: &[Trial],
    policy: &Policy,
    seed: u64,
) -> Proposal<Vec<f64>> {
    let posterior = believe_in_domain(domain, settings, duels);
    next_in_domain(
        &Request { posterior: &posterior, trials: duels, policy, seed, stop: &never },
        domain,
        settings,
    )
    .unwrap()
}

/// A person who likes settings near the middle of a third, answers with a little noise, and sometimes has no opinion.
fn answer(left: &[f64], right: &[f64], seed: u64, duel: usize) -> Option<Outcome> {
    let utility = |x: &[f64]| -8.0 * x.iter().map(|x| (x - 0.35).powi(2)).sum::<f64>();
    let mut rng = stream(seed, duel as u64);
    match (uniform(&mut rng), uniform(&mut rng)) {
        (u, _) if u < 0.05 => None,
        (u, _) if u < 0.15 => Some(Outcome::Split),
        (_, u) if u < 1.0 / (1.0 + (utility(right) - utility(left)).exp()) => Some(Outcome::Left),
        _ => Some(Outcome::Right),
    }
}

fn unordered(a: usize, b: usize) -> (usize, usize) {
    (a.min(b), a.max(b))
}

fn study_of_pool(pool: &Pool, policy: &Policy, rounds: usize, seed: u64) -> Vec<Trial> {
    let mut duels: Vec<Trial> = Vec::new();
    for k in 0..rounds {
        let Proposal { left, right, score } = ask_pool(pool, &duels, policy, seed);
        // Asking is what takes the time: every fourth question is asked again, the first among them, which is not learned.
        if k % 4 == 0 {
            let again = ask_pool(pool, &duels, policy, seed);
            assert_eq!(
                (left, right, score),
                (again.left, again.right, again.score),
                "the same question again"
            );
        }
        assert_ne!(left, right, "{policy:?}");
        assert!(score.is_none_or(f64::is_finite), "{policy:?}: {score:?}");
        if let Some(last) = duels.last() {
            assert_ne!(unordered(left, right), unordered(last.left, last.right), "{policy:?}");
        }
        let answer = answer(pool.points.row(left), pool.points.row(right), seed, k);
        duels.push(Trial::pair(left, right, answer));
    }
    duels
}

#[test]
fn every_policy_asks_sensible_duels_of_a_pool() {
    let pool = pool(25);
    for (name, opponent) in POLICIES {
        let duels = study_of_pool(&pool, &policy(name, opponent), 14, 3);
        if opponent == Opponent::Winner {
            for k in 2..duels.len() {
                if let Some(winner) = duels[k - 1].winner() {
                    assert!(duels[k].left == winner || duels[k].right == winner, "{name}: the winner stays");
                }
            }
        }
    }
}

fn study_of_domain(
    domain: &Domain,
    policy: &Policy,
    rounds: usize,
    seed: u64,
) -> (Vec<Vec<f64>>, Vec<Trial>) {
    let (mut settings, mut duels): (Vec<Vec<f64>>, Vec<Trial>) = (Vec::new(), Vec::new());
    for k in 0..rounds {
        let found = ask_domain(domain, &settings, &duels, policy, seed);
        // Every fourth question again, as in a pool.
        if k % 4 == 0 {
            assert_eq!(found, ask_domain(domain, &settings, &duels, policy, seed), "the same question again");
        }
        assert_ne!(found.left, found.right, "{policy:?}");
        let answer = answer(&found.left, &found.right, seed, k);
        let [left, right] = [found.left, found.right].map(|setting| {
            assert_eq!(domain.check_setting(&setting), Ok(()), "{policy:?}");
            settings.iter().position(|s| *s == setting).unwrap_or_else(|| {
                let apart = |s: &Vec<f64>| s.iter().zip(&setting).any(|(a, b)| (a - b).abs() >= 1e-3);
                assert!(settings.iter().all(apart), "{policy:?}: a new setting that is an old one");
                settings.push(setting);
                settings.len() - 1
            })
        });
        if let Some(last) = duels.last() {
            let last: &Trial = last;
            assert_ne!(unordered(left, right), unordered(last.left, last.right), "{policy:?}");
        }
        duels.push(Trial::pair(left, right, answer));
    }
    (settings, duels)
}

#[test]
fn every_policy_asks_sensible_duels_of_a_domain() {
    let mixed = Domain::new(vec![
        Dimension::Continuous,
        Dimension::Integer { levels: 4 },
        Dimension::Categorical { levels: 2 },
    ])
    .unwrap();
    // Five questions: the last one is asked again, and learned from answers.
    POLICIES.into_par_iter().for_each(|(name, opponent)| {
        study_of_domain(&Domain::unit_box(2), &policy(name, opponent), 5, 4);
        study_of_domain(&mixed, &policy(name, opponent), 5, 5);
    });
}

/// Tiny spaces: two items can only meet again; three never meet as the last two did.
#[test]
fn tiny_spaces_have_enough_duels() {
    POLICIES.into_par_iter().for_each(|(name, opponent)| {
        let policy = policy(name, opponent);
        let mut duels = Vec::new();
        for _ in 0..6 {
            let Proposal { left, right, .. } = ask_pool(&pool(2), &duels, &policy, 1);
            assert_eq!(unordered(left, right), (0, 1));
            duels.push(Trial::pair(left, right, Some(Outcome::Left)));
        }
        study_of_pool(&pool(3), &policy, 6, 1);
        let two = Domain::new(vec![Dimension::Categorical { levels: 2 }]).unwrap();
        let (mut settings, mut duels): (Vec<Vec<f64>>, Vec<Trial>) = (Vec::new(), Vec::new());
        for _ in 0..4 {
            let found = ask_domain(&two, &settings, &duels, &policy, 1);
            assert_ne!(found.left, found.right);
            settings = vec![found.left, found.right];
            duels = vec![Trial::pair(0, 1, Some(Outcome::Right))];
        }
        study_of_domain(&Domain::new(vec![Dimension::Integer { levels: 3 }]).unwrap(), &policy, 6, 1);
    });
}

/// One question fills the space, of four dimensions and more one for each, of many ten; or as many as are asked for.
#[test]
fn an_initial_design_comes_first() {
    let initial = |dims: usize, initial: Option<usize>| {
        let policy = Policy { initial, ..Policy::default() };
        let domain = Domain::unit_box(dims);
        let (mut settings, mut duels): (Vec<Vec<f64>>, Vec<Trial>) = (Vec::new(), Vec::new());
        loop {
            let next = ask_domain(&domain, &settings, &duels, &policy, 1);
            if next.score.is_some() {
                return duels.len();
            }
            duels.push(Trial::pair(settings.len(), settings.len() + 1, Some(Outcome::Left)));
            settings.extend([next.left, next.right]);
        }
    };
    for (dims, given, expected) in
        [(1, None, 1), (3, None, 1), (4, None, 4), (12, None, 10), (3, Some(5), 5), (3, Some(0), 1)]
    {
        assert_eq!(initial(dims, given), expected, "{dims} {given:?}");
    }
}

/// Duels that are skipped again and again are not asked again and again.
#[test]
fn skipped_duels_do_not_come_back_at_once() {
    let pool = pool(8);
    let policy = policy("bald-improvement", Opponent::Winner);
    let mut duels = vec![Trial::pair(2, 5, Some(Outcome::Left))];
    let mut asked = HashSet::new();
    for _ in 0..6 {
        let Proposal { left, right, .. } = ask_pool(&pool, &duels, &policy, 0);
        assert!(asked.insert(unordered(left, right)), "asked again: {left}, {right}");
        assert!(left == 2 || right == 2, "the winner of the last answer stays");
        duels.push(Trial::pair(left, right, None));
    }
}

#[test]
fn sides_are_balanced_and_not_to_be_guessed() {
    let pool = pool(12);
    let (mut left, mut orders) = (0, HashSet::new());
    for seed in 0..12 {
        let mut duels = vec![Trial::pair(0, 1, Some(Outcome::Left))];
        let mut order = Vec::new();
        for k in 1..12 {
            let next = ask_pool(&pool, &duels, &Policy::default(), seed);
            let winner = duels[k - 1].winner().unwrap();
            order.push(next.left == winner);
            duels.push(Trial::pair(next.left, next.right, Some(Outcome::Right)));
        }
        for block in order[3..].chunks_exact(4) {
            assert_eq!(block.iter().filter(|&&l| l).count(), 2, "two of every four");
        }
        left += order[3..].iter().filter(|&&l| l).count();
        orders.insert(order);
    }
    assert_eq!(left, 12 * 4);
    assert!(orders.len() > 6, "the order depends on the seed: {}", orders.len());
}

#[test]
fn items_without_features_and_constant_features_are_fine() {
    let names = Pool::new(Points::new((0..6).collect(), 0, Vec::new()), &[]).unwrap();
    let constant = Pool::new(Points::from_rows(&[[1.0, 0.0]; 4]), &[false, true]).unwrap();
    for (name, opponent) in POLICIES {
        study_of_pool(&names, &policy(name, opponent), 8, 2);
        study_of_pool(&constant, &policy(name, opponent), 5, 2);
    }
    let duels = study_of_pool(&names, &Policy::default(), 8, 2);
    let posterior = believe_in_pool(&names, &duels);
    assert!(recommend_in_pool(&posterior, &names, &duels, Among::Compared).is_some());
}

#[test]
fn before_the_first_answer_there_is_the_prior_and_no_recommendation() {
    let pool = pool(5);
    let posterior = believe_in_pool(&pool, &[]);
    let u = posterior.utilities(&pool.points);
    assert_eq!((u.mean, u.variance), (vec![0.0; 5], vec![Prior::default().sd.powi(2); 5]));
    assert_eq!(recommend_in_pool(&posterior, &pool, &[], Among::Compared), None);
    assert_eq!(recommend_in_pool(&posterior, &pool, &[], Among::All), Some(0));
    let domain = Domain::unit_box(2);
    let prior = believe_in_domain(&domain, &[], &[]);
    assert_eq!(domain.check_setting(&recommend_in_domain(&prior, &domain, &[], 0).unwrap()), Ok(()));
}

#[test]
fn a_split_tie_is_half_a_choice_each_way() {
    let duels = [
        Trial::pair(0, 1, Some(Outcome::Split)),
        Trial::pair(1, 2, Some(Outcome::Right)),
        Trial::pair(0, 2, None),
    ];
    let weights: Vec<f64> = observations(&duels).merged.iter().map(|o| o.count()).collect();
    assert_eq!(weights, [0.5, 0.5, 1.0]);
    assert_eq!(observations(&duels).total(), 2.0);
    let pool = pool(3);
    // The prior's variance is known, so that answers can only narrow what is believed.
    let prior = Prior { learn: false, ..Prior::default() };
    let believe = |duels: &[Trial]| fit(&pool.points, &pool.columns, duels, &prior).unwrap();
    let tie = believe(&duels[..1]);
    let z = tie.differences(&pool.points, &[(0, 1)]);
    assert!(z.mean[0].abs() < 1e-9);
    let choice = [Trial { answer: Some(Outcome::Left), ..duels[0] }];
    let before = believe(&[]).differences(&pool.points, &[(0, 1)]).variance[0];
    let after = believe(&choice).differences(&pool.points, &[(0, 1)]).variance[0];
    assert!(z.variance[0] < before && after < before);
    // The hallucinated draw takes ties too.
    assert!(
        tie.gaussian()
            .unwrap()
            .given_a_draw(0)
            .unwrap()
            .utilities(&pool.points)
            .mean
            .iter()
            .all(|m| m.is_finite())
    );
}

#[test]
fn answers_make_the_recommendation_better_and_its_regret_smaller() {
    let domain = Domain::unit_box(2);
    let (mut first, mut last, mut lost) = (0.0, 0.0, 0.0);
    for seed in 0..4 {
        let (settings, duels) = study_of_domain(&domain, &Policy::default(), 30, seed);
        let at = |n: usize| {
            let posterior = believe_in_domain(&domain, &settings, &duels[..n]);
            let best = recommend_in_domain(&posterior, &domain, &settings, seed).unwrap();
            (regret_in_domain(&posterior, &domain, &settings, &best, 0.2, seed).unwrap(), best)
        };
        let ((early, _), (late, best)) = (at(2), at(30));
        assert!(early.expected >= 0.0 && late.expected >= 0.0);
        assert!((0.0..=1.0).contains(&late.within));
        (first, last) = (first + early.expected, last + late.expected);
        lost += best.iter().map(|x| (x - 0.35f64).powi(2)).sum::<f64>();
    }
    assert!(last < 0.5 * first, "{last} of {first}");
    // A quarter of the range off in each coordinate would be 0.5.
    assert!(lost < 0.25, "{lost}");
}

#[test]
fn the_regret_of_a_pool_is_least_for_the_best() {
    let pool = pool(30);
    let duels = study_of_pool(&pool, &Policy::default(), 25, 8);
    let posterior = believe_in_pool(&pool, &duels);
    let best = recommend_in_pool(&posterior, &pool, &duels, Among::All).unwrap();
    let regret = |item| regret_in_pool(&posterior, &pool, item, 0.2, 1).unwrap();
    let worst = (0..30).min_by(|&a, &b| {
        let mean = posterior.utilities(&pool.points).mean;
        mean[a].total_cmp(&mean[b])
    });
    assert!(regret(best).expected < regret(worst.unwrap()).expected);
    assert!(regret(best).within > regret(worst.unwrap()).within);
    assert!(matches!(
        regret_in_pool(&posterior, &pool, 30, 0.2, 1),
        Err(Error::PoolItem { item: 30, items: 30 })
    ));
}

#[test]
fn more_items_than_fit_a_joint_covariance() {
    let pool = pool(3_000);
    let duels =
        [Trial::pair(2_990, 17, Some(Outcome::Left)), Trial::pair(2_990, 1_234, Some(Outcome::Right))];
    for (name, opponent) in
        [("bald", Opponent::Winner), ("thompson", Opponent::Winner), ("random", Opponent::Any)]
    {
        let next = ask_pool(&pool, &duels, &policy(name, opponent), 0);
        assert!(next.left != next.right);
        assert!(opponent == Opponent::Any || next.left == 1_234 || next.right == 1_234);
    }
}

/// What is believed is an average over hyperparameters, which are learned after each of the first ten answers and then on a schedule; between,
/// answers count by how probable they are under each.
#[test]
fn hyperparameters_are_averaged_over() {
    let domain = Domain::unit_box(1);
    let (settings, duels) = study_of_domain(&domain, &Policy::default(), 30, 2);
    let answered: Vec<Trial> = duels.into_iter().filter(|d| d.answer.is_some()).collect();
    let points = domain.points(&settings);
    let columns = Column::of_domain(&domain);
    let after = |n: usize, prior: &Prior| fit(&points, &columns, &answered[..n], prior).unwrap();
    // The variance of a setting far from all, which is the kernel's, the weight and the log evidence.
    let far = Points::from_rows(&[[40.0]]);
    let parts = |n: usize| -> Vec<(f64, f64, f64)> {
        let belief = after(n, &Prior::default());
        let part = |(weight, p): (f64, &Posterior)| {
            (p.utilities(&far).variance[0], weight, p.outcome().log_evidence)
        };
        belief.components().unwrap().into_iter().map(part).collect()
    };
    for n in [1, 5, 10] {
        assert!(parts(n).len() > 2, "few answers leave much open");
        assert!((parts(n).iter().map(|(_, weight, _)| weight).sum::<f64>() - 1.0).abs() < 1e-12);
    }
    assert_ne!(parts(9)[0].0, parts(10)[0].0);
    let (ten, fourteen, fifteen) = (parts(10), parts(14), parts(15));
    let mut shifts = Vec::new();
    for (variance, weight, log_evidence) in &fourteen {
        let (_, before, evidence_before) =
            ten.iter().find(|(v, ..)| v == variance).expect("nothing new until half as many again");
        shifts.push((weight / before).ln() - (log_evidence - evidence_before));
    }
    // The sites were found to a tolerance of 1e-3 when weights were, and start anew here.
    assert!(shifts.iter().all(|shift| (shift - shifts[0]).abs() < 1e-3), "{shifts:?}");
    assert!(fifteen.iter().all(|(variance, ..)| ten.iter().all(|(v, ..)| v != variance)));
    // As it is said, if it is not learned.
    let known = Prior { learn: false, ..Prior::default() };
    assert_eq!(after(20, &known).utilities(&far).variance[0], known.sd.powi(2));
}

#[test]
fn wrong_requests_say_why() {
    let pool = pool(4);
    let duels = [Trial::pair(0, 1, Some(Outcome::Left))];
    let posterior = believe_in_pool(&pool, &duels);
    let sentence = |policy: Policy| {
        let request =
            Request { posterior: &posterior, trials: &duels, policy: &policy, seed: 0, stop: &never };
        let error = next_in_pool(&request, &pool).unwrap_err();
        assert_eq!(
            Some(error.clone()),
            next_in_domain(&request, &Domain::unit_box(2), &[vec![0.0; 2], vec![1.0; 2]]).err()
        );
        error.to_string()
    };
    assert_eq!(
        sentence(policy("ucb:2", Opponent::Any)),
        "ucb:2 scores a challenger of a given opponent, so it cannot choose among all pairs; set the opponent to best or winner"
    );
    assert_eq!(
        sentence(policy("qeubo:3", Opponent::Any)),
        "qeubo:3 chooses among 3 items, and a comparison has two; use qeubo:2 or eubo"
    );
    let one = Points::from_rows(&[[0.0]]);
    assert_eq!(
        Pool::new(one, &[false]).unwrap_err().to_string(),
        "the pool has 1 items, and a comparison needs two; add items"
    );
    let bad = [(Trial::pair(0, 4, None), "names item 4"), (Trial::pair(2, 2, None), "with itself")];
    for (duel, part) in bad {
        let message = fit(&pool.points, &pool.columns, &[duel], &Prior::default()).unwrap_err().to_string();
        assert!(message.contains(part), "{message}");
    }
    for prior in [Prior { lengthscale: 0.0, ..Prior::default() }, Prior { sd: f64::NAN, ..Prior::default() }]
    {
        assert!(matches!(fit(&pool.points, &pool.columns, &[], &prior), Err(Error::Parameter { .. })));
    }
    assert!("wnner".parse::<Opponent>().unwrap_err().to_string().contains("winner, best and any"));
    assert!("rbf".parse::<Family>().is_err());
}

#[test]
fn settings_are_saved_as_text() {
    let policy = policy("ucb:1.5", Opponent::Best);
    let json = serde_json::to_string(&policy).unwrap();
    assert_eq!(json, r#"{"acquisition":"ucb:1.5","opponent":"best","initial":1}"#);
    assert_eq!(serde_json::from_str::<Policy>(&json).unwrap(), policy);
    assert_eq!(serde_json::from_str::<Policy>("{}").unwrap(), Policy::default());
    let prior = Prior { family: Family::Matern52, ..Prior::default() };
    assert_eq!(serde_json::from_str::<Prior>(&serde_json::to_string(&prior).unwrap()).unwrap(), prior);
    assert!(serde_json::from_str::<Policy>(r#"{"acquisition":"bold"}"#).is_err());
    for family in ["auto", "se", "multiscale", "matern12", "matern32", "matern52"] {
        assert_eq!(family.parse::<Family>().unwrap().to_string(), family);
    }
}

/// Answers without noise about a wave on a slope, which is a tenth as long: the squared exponential alone until there are ten of them, and then what is
/// `multiscale` alone, once that is far more probable.
#[test]
fn details_are_believed_in_where_answers_tell_of_them() {
    let domain = Domain::unit_box(1);
    let settings: Vec<Vec<f64>> = (0..30).map(|i| vec![f64::from(i) / 29.0]).collect();
    let (points, columns) = (domain.points(&settings), Column::of_domain(&domain));
    let utility = |i: usize| 2.0 * settings[i][0] + 0.3 * (settings[i][0] * 60.0).sin();
    let pairs = (0..30).flat_map(|i| [1, 2, 3].map(|step| (i, i + step))).filter(|&(_, j)| j < 30);
    let trials: Vec<Trial> = pairs
        .map(|(i, j)| {
            let answer = if utility(i) > utility(j) { Outcome::Left } else { Outcome::Right };
            Trial::pair(i, j, Some(answer))
        })
        .flat_map(|trial| [trial; 4])
        .collect();
    let means = |family: Family, trials: &[Trial]| {
        fit(&points, &columns, trials, &Prior { family, ..Prior::default() }).unwrap().utilities(&points).mean
    };
    assert_eq!(means(Family::Auto, &trials[..9]), means(Family::Se, &trials[..9]));
    let [auto, smooth, details] =
        [Family::Auto, Family::Se, Family::Multiscale].map(|family| means(family, &trials));
    let apart = |a: &[f64]| a.iter().zip(&auto).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(apart(&details) < 1e-9 && apart(&smooth) > 0.1, "{} {}", apart(&details), apart(&smooth));
}

/// After one answer between items of one kind nothing is known of several hyperparameters, whose posterior then has no directions of its own: those
/// that an eigendecomposition finds depend on the last bits, and once decided what a duel is worth (by 5 %).
#[test]
fn rounding_does_not_decide_what_a_duel_is_worth() {
    let worth = |relative: f64| {
        let prices = [0.1, 0.3, 0.45, 0.6, 0.9];
        let rows: [[f64; 2]; 5] = std::array::from_fn(|i| {
            let sign = if i % 2 == 0 { 1.0 } else { -1.0 };
            [prices[i] * (1.0 + sign * relative), f64::from(i % 2 == 0)]
        });
        let pool = Pool::new(Points::from_rows(&rows), &[false, true]).unwrap();
        let policy = policy("bald-improvement", Opponent::Winner);
        let next = ask_pool(&pool, &[Trial::pair(0, 2, Some(Outcome::Left))], &policy, 3);
        next.score.unwrap()
    };
    let exact = worth(0.0);
    for relative in [2.3e-16, 5e-16, 1e-15, 1e-14, 1e-13] {
        let score = worth(relative);
        // Moments of the answers are known to 1e-8 where inference ends.
        assert!((score - exact).abs() < 1e-7, "{relative}: {score} and {exact}");
    }
}

/// Where both items are chosen there is nobody to improve on; every other function stays, BALD too when there is an opponent again.
#[test]
fn the_default_acquisition_function_gives_way_without_an_opponent() {
    let usual = Policy { initial: Some(1), ..Policy::default() };
    assert_eq!(usual, policy("bald-improvement:1.5", Opponent::Winner));
    assert_eq!(usual.with_opponent(Opponent::Best), policy("bald-improvement", Opponent::Best));
    assert_eq!(usual.with_opponent(Opponent::Any), policy("bald", Opponent::Any));
    for opponent in [Opponent::Winner, Opponent::Best, Opponent::Any] {
        for name in ["bald", "bald-improvement:2", "eubo"] {
            assert_eq!(policy(name, Opponent::Best).with_opponent(opponent), policy(name, opponent));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whatever was asked and answered before.
    #[test]
    fn any_history_has_a_next_duel(
        history in prop::collection::vec((0..6usize, 1..6usize, 0..7u8), 0..20),
        which in 0..POLICIES.len(),
        seed: u64,
    ) {
        let all = [Outcome::Left, Outcome::Right, Outcome::Split, Outcome::Tie, Outcome::MuchLeft, Outcome::MuchRight];
        let (name, opponent) = POLICIES[which];
        // The believer draws plain comparisons only.
        let said = |n: u8| {
            let answer = all.get(usize::from(n).wrapping_sub(1)).copied();
            if name == "believer" { answer.map(Outcome::plain) } else { answer }
        };
        let duels: Vec<Trial> = history
            .iter()
            .map(|&(a, step, n)| Trial::pair(a, (a + step) % 6, said(n)))
            .collect();
        let (policy, pool) = (policy(name, opponent), pool(6));
        let next = ask_pool(&pool, &duels, &policy, seed);
        prop_assert_ne!(next.left, next.right);
        if let Some(last) = duels.last() {
            prop_assert_ne!(unordered(next.left, next.right), unordered(last.left, last.right));
        }
        let domain = Domain::unit_box(2);
        let settings = domain.fill(6, 9);
        let next = ask_domain(&domain, &settings, &duels, &policy, seed);
        prop_assert_ne!(&next.left, &next.right);
    }

    /// A deadline that has passed: still a duel.
    #[test]
    fn a_search_cut_short_has_a_duel(which in 0..POLICIES.len(), seed: u64) {
        let (name, opponent) = POLICIES[which];
        let policy = policy(name, opponent);
        let duels = [Trial::pair(0, 1, Some(Outcome::Left))];
        let domain = Domain::unit_box(2);
        let settings = domain.fill(2, 3);
        let posterior = believe_in_domain(&domain, &settings, &duels);
        let request = Request { posterior: &posterior, trials: &duels, policy: &policy, seed, stop: &|| true };
        let next = next_in_domain(&request, &domain, &settings).unwrap();
        prop_assert_ne!(next.left, next.right);
    }
}

/// Settings close to each other: a belief leaves out features that tell a thousandth of a standard deviation. Their squares
/// enter the moments, so 1e-4 is ample.
#[test]
fn negligible_features_are_left_out_and_not_missed() {
    let domain = Domain::unit_box(2);
    let columns = Column::of_domain(&domain);
    let settings = domain.fill(120, 4);
    let points = domain.points(&settings);
    let best = |i: usize| (settings[i][0] - 0.3).abs() + (settings[i][1] - 0.6).abs();
    let duels: Vec<Trial> = (1..120)
        .map(|i| {
            Trial::pair(i, i - 1, Some(if best(i) < best(i - 1) { Outcome::Left } else { Outcome::Right }))
        })
        .collect();
    let prior = Prior { learn: false, ..Prior::default() };
    let found = fit(&points, &columns, &duels, &prior).unwrap();
    let observations = observations(&duels);
    let compared = points.select(&observations.items);
    let problem = Problem {
        points: &compared,
        observations: &observations,
        method: Method::Ep,
        space: Some(Space::Items),
        inducing: None,
    };
    let kernel = prior.kernel(&columns).unwrap();
    let evidence = problem.evaluate(&kernel, Prior::NOISE, None, &Settings::default()).unwrap();
    let whole = Posterior::new(&problem, kernel, Prior::NOISE, evidence);
    assert!(found.gaussian().unwrap().prior().rank() < whole.prior().rank());
    let (found, whole) = (found.utilities(&points), whole.utilities(&points));
    for (a, b) in found.mean.iter().zip(&whole.mean).chain(found.variance.iter().zip(&whole.variance)) {
        assert!((a - b).abs() < 1e-4, "{a} {b}");
    }
}

#[test]
fn a_recommendation_is_checked_against_a_far_alternative() {
    use rather::design::stop;
    let policy = Policy::default();
    // Of a list: any other item, but not the pair that was just answered.
    let pool = pool(5);
    let duels = [Trial::pair(0, 3, Some(Outcome::Left))];
    let posterior = believe_in_pool(&pool, &duels);
    let request = Request { posterior: &posterior, trials: &duels, policy: &policy, seed: 1, stop: &never };
    let next = stop::check_in_pool(&request, &pool, 0).unwrap().unwrap();
    let other = if next.left == 0 { next.right } else { next.left };
    assert!((next.left == 0) != (next.right == 0) && other != 3, "{next:?}");
    assert!(stop::is_checked_in_pool(&duels, 0) && !stop::is_checked_in_pool(&duels, 1));
    let skipped = [duels[0], Trial::pair(1, 2, None)];
    assert!(stop::is_checked_in_pool(&skipped, 0), "what was skipped says nothing");
    assert_eq!(stop::check_in_pool(&request, &pool, 9).unwrap_err(), Error::PoolItem { item: 9, items: 5 });
    // Of parameters: a setting that differs by a quarter of a range.
    let domain = Domain::unit_box(2);
    let settings = vec![vec![0.5, 0.5], vec![0.55, 0.52], vec![0.9, 0.1]];
    let posterior = believe_in_domain(&domain, &settings, &duels[..0]);
    for seed in 0..10 {
        let request = Request { posterior: &posterior, trials: &[], policy: &policy, seed, stop: &never };
        let next = stop::check_in_domain(&request, &domain, &settings, &settings[0]).unwrap().unwrap();
        let rival = if next.left == settings[0] { &next.right } else { &next.left };
        assert!(rival.iter().zip(&settings[0]).any(|(a, b)| (a - b).abs() >= 0.25), "{next:?}");
    }
    let answered = |left, right| [Trial::pair(left, right, Some(Outcome::Right))];
    let checked = |trials: &[Trial]| stop::is_checked_in_domain(trials, &settings, &settings[0]);
    assert!(!checked(&answered(0, 1)), "they are all but the same");
    assert!(checked(&answered(1, 2)) && checked(&answered(2, 0)));
    assert!(!checked(&[]));
    assert_eq!(stop::fewest_answers(&Column::of_domain(&domain)), 11);
}
