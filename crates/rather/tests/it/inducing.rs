//! Which items are inducing, which answers tell most, and how the prior is held.

use crate::common::{schema, se};
use proptest::prelude::*;
use rather::inducing::{Inducing, at_random, covering, informative, k_means};
use rather::inference::observations::Observations;
use rather::inference::prior::{Prior, Space};
use rather::inference::sites::update;
use rather::kernel::parse;
use rather::likelihood::Likelihoods;
use rather::points::Points;
use rather::representation::{Representation, Size, decide};
use rather::{Comparison, Error};

fn rows() -> impl Strategy<Value = Vec<[f64; 2]>> {
    // A coarse grid, so that some items coincide.
    prop::collection::vec((0..4u8, 0..4u8).prop_map(|(a, b)| [f64::from(a), f64::from(b)]), 1..20)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn chosen_items_are_some_of_all_and_different(rows in rows(), most in 1..25usize, seed in 0..50u64) {
        let points = Points::from_rows(&rows);
        let kernel = se(2, 4.0, 1.5);
        let ways = [
            Inducing::Covering.choose(&kernel, &points, most),
            Inducing::KMeans { seed }.choose(&kernel, &points, most),
            Inducing::Random { seed }.choose(&kernel, &points, most),
            Inducing::Informative.choose(&kernel, &points, most),
        ];
        for chosen in ways {
            let mut sorted = chosen.clone();
            sorted.sort_unstable();
            sorted.dedup();
            prop_assert_eq!(sorted.len(), chosen.len());
            prop_assert!(chosen.len() <= most && !chosen.is_empty());
            prop_assert!(chosen.iter().all(|&i| i < points.len()));
        }
        // One of several items that are the same is enough.
        let different: std::collections::HashSet<_> = rows.iter().map(|r| r.map(f64::to_bits)).collect();
        prop_assert!(k_means(&kernel, &points, most, seed).len() <= different.len());
        prop_assert!(covering(&kernel, &points, most, 1e-9).len() <= different.len());
        prop_assert_eq!(at_random(points.len(), most, seed), at_random(points.len(), most, seed));
    }

    /// What is taken keeps within the memory allowed; nothing is taken only if next to nothing would fit.
    #[test]
    fn what_is_chosen_fits(items in 2..200_000usize, pairs in 1..2_000_000usize, memory in 20..36u32, by_name: bool) {
        let memory = 1_u64 << memory;
        let size = Size { by_name, ..Size::new(items.min(2 * pairs), pairs) };
        let held = decide(Representation::Auto, size, memory);
        if let Ok(held) = held {
            prop_assert!(0 < held.estimated && held.estimated <= memory && held.allowed == memory);
        }
        match held.map(|held| held.representation) {
            Ok(Representation::Full) => {
                let nodes = size.items.min(pairs) as u64;
                let quick = if by_name { 2000 } else { 3000 };
                prop_assert!(nodes <= quick && 8 * nodes * nodes <= memory);
            }
            Ok(Representation::LowRank(features)) => {
                prop_assert!(!by_name && features > 0);
                prop_assert!(8 * (features * size.items) as u64 <= memory);
            }
            Ok(Representation::Sparse) => prop_assert!(by_name),
            Ok(Representation::Auto) => prop_assert!(false, "not decided"),
            Err(Error::Memory { needed, allowed }) => prop_assert!(allowed == memory && needed > allowed),
            Err(other) => prop_assert!(false, "{other}"),
        }
    }

    /// The first answer taken is that which takes most entropy off its projection, given none.
    #[test]
    fn the_most_telling_answer_is_the_first(rows in rows(), pairs in prop::collection::vec((0..20usize, 0..20usize), 1..12)) {
        let n = rows.len();
        prop_assume!(n > 1);
        let comparisons: Vec<Comparison> = pairs
            .iter()
            .map(|&(a, b)| Comparison { winner: a % n, loser: (a % n + 1 + b % (n - 1)) % n, count: 1.0 })
            .collect();
        let observations = Observations::new(&comparisons);
        let points = Points::from_rows(&rows).select(&observations.items);
        let prior = Prior::new(se(2, 4.0, 1.5).matrix(&points), &observations.edges, Space::Items).unwrap();
        let likelihoods = Likelihoods::new(1.0);
        let all = informative::answers(&prior, &observations.merged, &likelihoods, usize::MAX);
        let mut sorted = all.clone();
        sorted.sort_unstable();
        prop_assert_eq!(sorted, (0..observations.merged.len()).collect::<Vec<_>>());
        let nothing = vec![0.0; observations.edges.len()];
        let variance = prior.absorb(&nothing, &nothing).unwrap().variance;
        let told = |m: usize| {
            let o = &observations.merged[m];
            let v = variance[o.edge()];
            let site = update(likelihoods.of(o.answer), 0.0, 0.0, 0.0, v, 0.0);
            0.5 * (o.count() * site.tau * v).ln_1p()
        };
        let best = (0..all.len()).map(told).fold(0.0, f64::max);
        prop_assert!(told(all[0]) >= best - 1e-12, "{} {best}", told(all[0]));
        prop_assert_eq!(&informative::answers(&prior, &observations.merged, &likelihoods, 2)[..], &all[..2.min(all.len())]);
    }
}

/// After an answer about one pair, the same pair tells less than another one that is as uncertain.
#[test]
fn what_was_said_is_not_asked_for_again() {
    let kernel = parse("white", &schema(1), false).unwrap();
    let duel = |winner, loser| Comparison { winner, loser, count: 1.0 };
    // Each pair in both directions, so that a second answer about it is there to be taken.
    let observations = Observations::new(&[duel(0, 1), duel(1, 0), duel(2, 3), duel(3, 2)]);
    let points = Points::from_rows(&[[0.0], [1.0], [2.0], [3.0]]);
    let prior = Prior::new(kernel.matrix(&points), &observations.edges, Space::Items).unwrap();
    let taken = informative::answers(&prior, &observations.merged, &Likelihoods::new(1.0), 2);
    let edges: Vec<usize> = taken.iter().map(|&m| observations.merged[m].edge()).collect();
    assert_ne!(edges[0], edges[1]);
}

#[test]
fn what_does_not_go_together_is_said() {
    let size = Size::new(10, 20);
    let sentence = |asked, size| decide(asked, size, 1 << 30).unwrap_err().to_string();
    assert!(sentence(Representation::Sparse, size).contains("a sparse precision for kernels of effects"));
    assert!(
        sentence(Representation::LowRank(4), Size { by_name: true, ..size }).contains("sparse precision")
    );
    assert!(
        sentence(Representation::LowRank(4), Size { needs_full: true, ..size }).contains("full covariance")
    );
    let sentence = decide(Representation::Auto, Size::new(100_000, 100_000), 1 << 20);
    assert_eq!(
        sentence.unwrap_err().to_string(),
        "a fit of so many items and comparisons needs at least 136 MiB, and 1024 KiB are allowed; allow more"
    );
}
