//! Participants who learn from each other: the tenth needs fewer duels than the first.

use rather_numerics::random::{normals, stream};
use rather_study::definition::{Items, Pooling, Subject};
use rather_study::{Alternative, Answer, Ask, Definition, Study};
use std::path::Path;

const ITEMS: usize = 12;
/// Within so much of the best, in units of the duel noise, an item is good enough.
const GOOD: f64 = 0.5;

fn definition(model: Pooling, world: u64) -> Definition {
    let keys = (0..ITEMS).map(|i| format!("i{i}")).collect();
    let mut definition = Definition::new(Subject::Items(Items { keys, columns: Vec::new() }));
    definition.participants.model = model;
    definition.seed = world;
    definition.time_limit = 600.0;
    definition
}

/// Listeners of similar taste: what all share, and a little of their own.
fn utilities(world: u64, listener: usize) -> Vec<f64> {
    let common = normals(ITEMS, &mut stream(11, world));
    let own = normals(ITEMS, &mut stream(12 + world, listener as u64));
    common.iter().zip(own).map(|(c, o)| 2.5 * c + 0.5 * o).collect()
}

fn item(side: &Alternative) -> usize {
    let Alternative::Item(key) = side else { panic!("{side}") };
    key[1..].parse().unwrap()
}

/// Answers `duels` duels; returns after how many the recommendation was good enough and stayed so.
fn listen(study: &mut Study, world: u64, listener: usize, duels: usize) -> usize {
    let name = format!("listener {listener:02}");
    let utilities = utilities(world, listener);
    let best = utilities.iter().copied().fold(f64::MIN, f64::max);
    let noise = normals(duels, &mut stream(100 + world, listener as u64));
    let mut needed = 0;
    for (n, noise) in noise.iter().enumerate() {
        let Ask::Duel(asked) = study.ask(&name).unwrap() else { panic!() };
        let difference = utilities[item(&asked.left)] - utilities[item(&asked.right)] + noise;
        let answer = if difference > 0.0 { Answer::Left } else { Answer::Right };
        study.tell(&name, Some(asked.number), answer, None).unwrap();
        let advice = study.advice(&name).unwrap();
        if best - utilities[item(&advice.recommended)] > GOOD {
            needed = n + 1;
        }
    }
    needed
}

fn listeners(folder: &Path, model: Pooling, world: u64) -> Vec<usize> {
    let path = folder.join(format!("{model:?}{world}.study"));
    let mut study = Study::create(&path, "listeners", &definition(model, world)).unwrap();
    (0..10).map(|listener| listen(&mut study, world, listener, 14)).collect()
}

/// In three worlds, because how lucky one listener's answers are makes more of a difference than anything else.
#[test]
fn the_tenth_needs_fewer_duels_than_the_first() {
    let folder = tempfile::tempdir().unwrap();
    let mut sums = [[0; 2]; 2];
    for world in 0..3 {
        let alone = listeners(folder.path(), Pooling::Separate, world);
        let among = listeners(folder.path(), Pooling::Collaborative, world);
        println!("alone {alone:?}, among others {among:?}");
        // The first two have nobody to learn from.
        assert_eq!(among[..2], alone[..2]);
        for (sum, all) in sums.iter_mut().zip([&alone, &among]) {
            sum[0] += all[..5].iter().sum::<usize>();
            sum[1] += all[5..].iter().sum::<usize>();
        }
    }
    let [alone, among] = sums;
    assert!(among[1] < among[0], "the last five among others: {sums:?}");
    assert!(3 * among[1] <= 2 * alone[1], "the last five among others and alone: {sums:?}");
}

/// The same answers give the same questions, in whatever order the file is opened, and settings of parameters work, too.
#[test]
fn settings_are_learned_from_others() {
    let folder = tempfile::tempdir().unwrap();
    let text = "seed = 3\ntime_limit = 600\n[parameters]\ngain = { type = \"float\", low = 0, high = 1 }\n\
                [participants]\nmodel = \"collaborative\"\n";
    let definition = rather_study::definition::read_toml_text(text, Path::new(".")).unwrap();
    let path = folder.path().join("gain.study");
    let mut study = Study::create(&path, "gain", &definition).unwrap();
    let gain = |side: &Alternative| match side {
        Alternative::Setting(setting) => {
            let text = setting.to_string();
            text.rsplit('=').next().unwrap().trim().parse::<f64>().unwrap()
        }
        Alternative::Item(_) => panic!(),
    };
    let answer = |study: &mut Study, who: &str, duels: usize| {
        for _ in 0..duels {
            let Ask::Duel(asked) = study.ask(who).unwrap() else { panic!() };
            // All like about 0.7.
            let off = |side| (gain(side) - 0.7_f64).abs();
            let left = off(&asked.left) < off(&asked.right);
            study
                .tell(who, Some(asked.number), if left { Answer::Left } else { Answer::Right }, None)
                .unwrap();
        }
    };
    for who in ["ann", "bob", "cid"] {
        answer(&mut study, who, 6);
    }
    answer(&mut study, "dan", 2);
    let advice = study.advice("dan").unwrap();
    assert!((gain(&advice.recommended) - 0.7).abs() < 0.15, "{}", advice.recommended);
    let mut again = Study::open(&path, None).unwrap();
    let sides = |study: &mut Study| {
        let snapshot = study.snapshot("dan").unwrap();
        snapshot.posterior().utilities(&rather::points::Points::from_rows(&[[0.2], [0.7]])).mean
    };
    assert_eq!(sides(&mut study), sides(&mut again));
}

#[test]
fn believer_has_no_collaborative_posterior() {
    let mut definition = definition(Pooling::Collaborative, 0);
    definition.policy.acquisition = "believer".parse().unwrap();
    let fault = definition.check().unwrap_err().to_string();
    assert!(
        fault.contains(
            "believer draws from the exact posterior, which the model \"collaborative\" has none of"
        ),
        "{fault}"
    );
}
