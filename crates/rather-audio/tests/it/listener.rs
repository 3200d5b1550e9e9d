//! Utilities and answers of the simulated listener.

use rather_audio::Demo;
use rather_audio::listener::{RANGE, Taste, grid};
use rather_numerics::random;
use rather_numerics::special::normal;

#[test]
fn utilities_span_the_range_over_the_grid() {
    let demo = Demo::new(2);
    for dimensions in [1, 2] {
        let listener = demo.listener(dimensions).expect("a listener");
        let utilities: Vec<f64> = grid(dimensions)
            .expect("one or two dimensions")
            .iter()
            .map(|theta| listener.utility(theta).expect("a setting"))
            .collect();
        let (least, most) = utilities.iter().fold((f64::MAX, f64::MIN), |(a, b), u| (a.min(*u), b.max(*u)));
        assert_eq!((least, most), (0.0, RANGE));
        assert_eq!(demo.utility(listener.favourite()).expect("a setting"), Some(RANGE));
    }
}

/// Whatever the over-subtraction, a floor of 0 dB is the untreated sound.
#[test]
fn the_untreated_edge_is_one_sound() {
    let demo = Demo::new(2);
    let edge = |t: f64| demo.utility(&[t, 0.0]).expect("a setting").expect("a listener");
    assert!([0.3, 1.0].iter().all(|t| edge(*t) == edge(0.0)));
}

/// 1,000 answers to one pair: their share of yes is within four standard deviations of the probit.
#[test]
fn answers_follow_the_probit() {
    let demo = Demo::new(2);
    let listener = demo.listener(1).expect("a listener");
    let (first, second) = ([0.3], [0.6]);
    let difference =
        listener.utility(&first).expect("a setting") - listener.utility(&second).expect("a setting");
    let expected = normal::cdf(difference);
    let mut rng = random::stream(5, 0);
    let n = 1000;
    let yes = (0..n).filter(|_| listener.prefers(&first, &second, &mut rng).expect("settings")).count();
    let share = yes as f64 / f64::from(n);
    let sd = (expected * (1.0 - expected) / f64::from(n)).sqrt();
    assert!((share - expected).abs() < 4.0 * sd, "{share} against {expected}");
}

#[test]
fn answers_are_the_same_under_a_seed() {
    let demo = Demo::new(2);
    let listener = demo.listener(1).expect("a listener");
    let answers = |seed| -> Vec<bool> {
        let mut rng = random::stream(seed, 0);
        (0..50)
            .map(|i| listener.prefers(&[0.3], &[f64::from(i) / 50.0], &mut rng).expect("settings"))
            .collect()
    };
    assert_eq!(answers(1), answers(1));
    assert_ne!(answers(1), answers(2));
}

#[test]
fn wrong_questions_are_refused() {
    let demo = Demo::new(2);
    let listener = demo.listener(1).expect("a listener");
    assert!(listener.utility(&[0.1, 0.2]).is_err() && listener.utility(&[2.0]).is_err());
    assert!(demo.utility(&[0.1; 3]).is_err() && demo.utility(&[]).is_err());
    assert!(demo.listener(0).is_none() && demo.listener(3).is_none());
    assert!(Taste::new(f64::NAN).is_err() && Taste::new(1.1).is_err() && Taste::new(0.3).is_ok());
}
