//! The utility over settings is worth tuning: inside the square there is something better than its border,
//! and what the listener likes best is not what a measure likes best.

use rather_audio::Demo;
use rather_audio::demo::Options;
use rather_audio::listener::{Taste, grid};
use rather_audio::noise::Noise;
use rather_audio::quality::Quality;

const TASTES: [Taste; 3] = [Taste::QUIET, Taste::BALANCED, Taste::CLEAR];

fn qualities(demo: &Demo) -> Vec<(Vec<f64>, Quality)> {
    let rate = |theta: Vec<f64>| {
        let quality = demo.quality(&theta).expect("a setting").expect("the clean speech is known");
        (theta, quality)
    };
    grid(2).expect("two dimensions").into_iter().map(rate).collect()
}

fn best(rated: &[(Vec<f64>, Quality)], by: impl Fn(&Quality) -> f64) -> (&[f64], f64) {
    let (theta, quality) = rated.iter().max_by(|a, b| by(&a.1).total_cmp(&by(&b.1))).expect("a grid");
    (theta, by(quality))
}

fn inside(theta: &[f64]) -> bool {
    theta.iter().all(|t| (1e-9..1.0 - 1e-9).contains(t))
}

/// 3 dB and more in both measures at some setting inside; each taste's favourite is inside too, with one
/// coordinate and with two, and falls short of the best SI-SDR.
#[test]
fn there_is_something_to_gain_and_no_measure_says_what() {
    for seed in 1..=3 {
        let demo = Demo::new(seed);
        let untreated = demo.quality(&[0.0]).expect("a setting").expect("the clean speech is known");
        let rated = qualities(&demo);
        for by in [|q: &Quality| q.segmental_snr, |q: &Quality| q.si_sdr] {
            let (theta, value) = best(&rated, by);
            assert!(value > by(&untreated) + 3.0, "seed {seed}: {} to {value} dB", by(&untreated));
            assert!(inside(theta), "seed {seed}: {theta:?}");
        }
        let (_, best_sdr) = best(&rated, |q| q.si_sdr);
        for taste in TASTES {
            let demo = Demo::with(&Options { seed, taste, ..Options::default() }).expect("options");
            let floor = demo.listener(1).expect("a listener").favourite();
            let both = demo.listener(2).expect("a listener").favourite();
            assert!(inside(floor) && inside(both), "seed {seed}, {taste:?}: {floor:?}, {both:?}");
            let sdr = demo.quality(both).expect("a setting").expect("the clean speech is known").si_sdr;
            assert!(sdr < best_sdr - 0.1, "seed {seed}, {taste:?}: {sdr} of {best_sdr} dB");
        }
    }
}

/// Who wants quiet pushes the noise down further than who wants clear speech.
#[test]
fn tastes_differ() {
    for noise in [Noise::White, Noise::Shaped, Noise::Modulated] {
        let floors = TASTES.map(|taste| {
            let demo = Demo::with(&Options { noise, taste, ..Options::default() }).expect("options");
            demo.listener(1).expect("a listener").favourite()[0]
        });
        assert!(floors[0] > floors[1] && floors[1] > floors[2], "{noise:?}: {floors:?}");
    }
}

/// By 4 % of the whole range, which a few dozen answers can tell.
#[test]
fn the_border_is_worse() {
    let demo = Demo::new(1);
    let listener = demo.listener(2).expect("a listener");
    let utilities = grid(2).expect("two dimensions").into_iter().map(|theta| {
        let utility = listener.utility(&theta).expect("a setting");
        (inside(&theta), utility)
    });
    let (inner, border): (Vec<_>, Vec<_>) = utilities.partition(|(inside, _)| *inside);
    let most = |all: Vec<(bool, f64)>| all.iter().map(|u| u.1).fold(0.0, f64::max);
    assert!(most(inner) > most(border) + 0.04 * 4.0);
}
