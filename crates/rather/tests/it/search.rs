//! Searches over pools and domains, against trying everything.

use proptest::prelude::*;
use rather::Error;
use rather::acquisition::pool::{Pairs, best_pairs};
use rather::acquisition::{Acquisition, AnswerModel, Component, Prepared, bald};
use rather::posterior::Joint;
use rather::search::maximise::{Effort, Objective, maximise};
use rather::search::{Dimension, Domain};
use rather_numerics::linalg::{Matrix, transpose_product};
use rather_numerics::random::{normals, stream};

fn joint(n: usize, seed: u64) -> Joint {
    let mut rng = stream(seed, 0);
    let a = Matrix::from_fn(n, n, |_, _| normals(1, &mut rng)[0] / (n as f64).sqrt());
    Joint { mean: normals(n, &mut rng), covariance: transpose_product(&a, &a) }
}

#[test]
fn the_best_pairs_are_those_that_trying_all_finds() {
    // More than one task looks at.
    let items = 100;
    let joint = joint(items, 1);
    for name in ["bald", "eubo", "thompson", "random", "committee:5"] {
        let components = [Component::new(joint.clone(), AnswerModel::probit(1.0))];
        let prepared = Prepared::new(name.parse().unwrap(), &components, 3).unwrap();
        let mut all: Vec<(usize, usize, f64)> = (0..items)
            .flat_map(|i| (i + 1..items).map(move |j| (i, j)))
            .map(|(i, j)| prepared.pair(i, j))
            .map(|s| (s.challenger, s.opponent, s.score))
            .collect();
        all.sort_by(|a, b| b.2.total_cmp(&a.2));
        let found = best_pairs(&prepared, &Pairs::All, &|_, _| true, 7, &|| false);
        let found: Vec<_> = found.iter().map(|s| (s.challenger, s.opponent, s.score)).collect();
        assert_eq!(found, all[..7], "{name}");
        let given: Vec<_> = (0..items).flat_map(|j| (0..j).map(move |i| (i, j))).collect();
        let again = best_pairs(&prepared, &Pairs::Given(&given), &|_, _| true, 7, &|| false);
        assert!(again.iter().map(|s| (s.challenger, s.opponent, s.score)).eq(found), "{name}");
        let odd = |i: usize, j: usize| (i + j) % 2 == 1;
        all.retain(|&(i, j, _)| odd(i, j));
        let found = best_pairs(&prepared, &Pairs::All, &odd, 1, &|| false);
        assert_eq!((found[0].challenger, found[0].opponent), (all[0].0, all[0].1), "{name}");
    }
}

/// Equal scores: the pair with the smaller numbers first, whatever the order of asking.
#[test]
fn ties_go_to_the_smaller_numbers() {
    let joint =
        Joint { mean: vec![0.0; 4], covariance: Matrix::from_fn(4, 4, |i, j| f64::from(u8::from(i == j))) };
    let components = [Component::new(joint.clone(), AnswerModel::probit(1.0))];
    let prepared = Prepared::new(Acquisition::new(&bald::Bald), &components, 0).unwrap();
    let given = [(3, 2), (1, 3), (0, 2), (0, 1), (2, 2)];
    let found = best_pairs(&prepared, &Pairs::Given(&given), &|_, _| true, 9, &|| false);
    let found: Vec<_> = found.iter().map(|s| (s.challenger, s.opponent)).collect();
    assert_eq!(found, [(0, 1), (0, 2), (1, 3), (3, 2)], "and no item against itself");
    let against = best_pairs(&prepared, &Pairs::Against(1), &|_, _| true, 1, &|| false);
    assert_eq!((against[0].challenger, against[0].opponent), (0, 1));
}

#[test]
fn a_search_that_is_stopped_has_found_something() {
    let joint = joint(200, 2);
    let components = [Component::new(joint.clone(), AnswerModel::probit(1.0))];
    let prepared = Prepared::new(Acquisition::new(&bald::Bald), &components, 0).unwrap();
    let stopped = best_pairs(&prepared, &Pairs::All, &|_, _| true, 1, &|| true);
    assert_eq!(stopped.len(), 1);
    let whole = best_pairs(&prepared, &Pairs::All, &|_, _| true, 1, &|| false);
    assert!(whole[0].score >= stopped[0].score);
}

fn mixed() -> Domain {
    Domain::new(vec![
        Dimension::Continuous,
        Dimension::Integer { levels: 5 },
        Dimension::Categorical { levels: 3 },
        Dimension::Continuous,
    ])
    .unwrap()
}

#[test]
fn domains_without_two_settings_are_refused() {
    let sentence = |dimensions: Vec<Dimension>| Domain::new(dimensions).unwrap_err().to_string();
    assert_eq!(sentence(vec![]), "the domain has no dimension; give it at least two settings");
    assert_eq!(
        sentence(vec![Dimension::Continuous, Dimension::Integer { levels: 0 }]),
        "the domain has a dimension without a level; give it at least two settings"
    );
    let one = vec![Dimension::Integer { levels: 1 }, Dimension::Categorical { levels: 1 }];
    assert!(matches!(Domain::new(one), Err(Error::Domain { .. })));
    assert!(Domain::new(vec![Dimension::Integer { levels: 1 }, Dimension::Continuous]).is_ok());
}

#[test]
fn settings_are_checked() {
    let domain = mixed();
    assert_eq!(domain.check_setting(&[0.3, 0.25, 2.0, 1.0]), Ok(()));
    assert!(matches!(domain.check_setting(&[0.3]), Err(Error::Length { expected: 4, found: 1, .. })));
    for (dimension, bad) in [(0, -0.1), (0, f64::NAN), (1, 0.3), (2, 3.0), (2, 0.5), (3, 1.1)] {
        let mut setting = [0.3, 0.25, 2.0, 1.0];
        setting[dimension] = bad;
        let found = domain.check_setting(&setting);
        assert!(matches!(found, Err(Error::Setting { dimension: d, .. }) if d == dimension), "{found:?}");
    }
}

#[test]
fn filling_gives_every_level_its_share() {
    let domain = mixed();
    let settings = domain.fill(240, 5);
    assert_eq!(settings, domain.fill(240, 5));
    assert_ne!(settings, domain.fill(240, 6));
    assert!(settings.iter().all(|s| domain.check_setting(s).is_ok()));
    for (d, levels) in [(1, 5), (2, 3)] {
        for level in 0..levels {
            let value = if d == 1 { level as f64 / 4.0 } else { level as f64 };
            let share = settings.iter().filter(|s| (s[d] - value).abs() < 1e-12).count();
            // A scrambled net of 256 points, cut short.
            assert!(share.abs_diff(240 / levels) <= 8, "{share} of 240 at level {level} of {levels}");
        }
    }
    let quarter = settings.iter().filter(|s| s[0] < 0.25).count();
    assert!(quarter.abs_diff(60) <= 8, "{quarter}");
    // More points go on where fewer end only in the same net; any number is allowed.
    assert_eq!(domain.fill(0, 1), Vec::<Vec<f64>>::new());
    assert_eq!(domain.fill(1, 1).len(), 1);
}

#[test]
fn neighbours_differ_in_one_level() {
    let neighbours = mixed().neighbours(&[0.5, 0.0, 1.0, 0.2]);
    assert_eq!(neighbours, [[0.5, 0.25, 1.0, 0.2], [0.5, 0.0, 0.0, 0.2], [0.5, 0.0, 2.0, 0.2]]);
    assert_eq!(mixed().size(), None);
    let levels =
        Domain::new(vec![Dimension::Integer { levels: 7 }, Dimension::Categorical { levels: 3 }]).unwrap();
    assert_eq!(levels.size(), Some(21));
}

proptest! {
    #[test]
    fn snapping_gives_the_nearest_setting(x in prop::collection::vec(-1.0..4.0f64, 4)) {
        let domain = mixed();
        let mut snapped = x.clone();
        domain.snap(&mut snapped);
        prop_assert_eq!(domain.check_setting(&snapped), Ok(()));
        let again = { let mut again = snapped.clone(); domain.snap(&mut again); again };
        prop_assert_eq!(&again, &snapped);
        for d in 0..4 {
            for other in domain.fill(64, 0) {
                prop_assert!((snapped[d] - x[d]).abs() <= (other[d] - x[d]).abs() + 1e-12);
            }
        }
    }
}

/// A wavy function with one top higher than the others.
struct Waves {
    tops: Vec<(Vec<f64>, f64)>,
}

impl Objective for Waves {
    fn values(&self, settings: &[Vec<f64>]) -> Vec<f64> {
        settings.iter().map(|x| self.gradient(x).unwrap().0).collect()
    }

    fn gradient(&self, x: &[f64]) -> Option<(f64, Vec<f64>)> {
        let (mut value, mut slope) = (0.0, vec![0.0; x.len()]);
        for (top, height) in &self.tops {
            let r2: f64 = x.iter().zip(top).map(|(x, t)| ((x - t) / 0.15).powi(2)).sum();
            let bump = height * (-0.5 * r2).exp();
            value += bump;
            slope
                .iter_mut()
                .zip(x.iter().zip(top))
                .for_each(|(s, (x, t))| *s += bump * (t - x) / (0.15 * 0.15));
        }
        Some((value, slope))
    }
}

#[test]
fn the_highest_top_is_found_inside_and_on_the_border() {
    let box2 = Domain::unit_box(2);
    for top in [vec![0.31, 0.77], vec![0.0, 0.4], vec![1.0, 1.0]] {
        let waves = Waves { tops: vec![(top.clone(), 1.0), (vec![0.6, 0.2], 0.8), (vec![0.9, 0.5], 0.7)] };
        let found = maximise(&waves, &box2, &[], &Effort::default(), 0, &|| false);
        assert!(found[0].setting.iter().zip(&top).all(|(f, t)| (f - t).abs() < 0.01), "{:?}", found[0]);
        assert!(found.windows(2).all(|w| w[0].value >= w[1].value));
        assert_eq!(found, maximise(&waves, &box2, &[], &Effort::default(), 0, &|| false));
        let stopped = maximise(&waves, &box2, &[], &Effort::default(), 0, &|| true);
        assert!(stopped[0].value <= found[0].value && stopped[0].value > 0.5);
    }
}

/// Numbers, integers and categories together: as good as trying every level with a fine grid.
#[test]
fn levels_and_numbers_are_searched_together() {
    let domain = Domain::new(vec![
        Dimension::Continuous,
        Dimension::Integer { levels: 9 },
        Dimension::Categorical { levels: 4 },
    ])
    .unwrap();
    for seed in 0..10 {
        let mut rng = stream(seed, 0);
        let mut tops = Vec::new();
        for mut top in domain.fill(6, seed) {
            // The bumps of neighbouring categories hardly touch.
            top[1] += 0.03;
            tops.push((top, 0.5 + 0.5 * rather_numerics::random::uniform(&mut rng)));
        }
        let waves = Waves { tops };
        let found = maximise(&waves, &domain, &[], &Effort::default(), seed, &|| false);
        assert_eq!(domain.check_setting(&found[0].setting), Ok(()));
        let mut best = f64::MIN;
        for a in 0..=200 {
            for b in 0..9 {
                for c in 0..4 {
                    let x = vec![f64::from(a) / 200.0, f64::from(b) / 8.0, f64::from(c)];
                    best = best.max(waves.gradient(&x).unwrap().0);
                }
            }
        }
        assert!(found[0].value >= best - 1e-3, "seed {seed}: {} where {best} is there", found[0].value);
    }
}
