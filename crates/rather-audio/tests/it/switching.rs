//! Nothing clicks when a listener changes from one setting to another while the clip plays.

use rather_audio::Demo;
use rather_audio::level::{LIMIT, Level, set_levels};
use rather_audio::quality::active_rms;
use rather_audio::switching::{FADE, crossfade, roughness};
use std::f64::consts::PI;

const PAIRS: [([f64; 2], [f64; 2]); 3] =
    [([0.4, 0.0], [0.4, 1.0]), ([0.2, 0.3], [0.9, 0.8]), ([1.0, 1.0], [0.0, 0.2])];

fn largest(samples: impl Iterator<Item = f64>) -> f64 {
    samples.map(f64::abs).fold(0.0, f64::max)
}

/// A fade with weights $w$ between sounds $d$ apart adds at most $2|w'||d'|+|w''||d|$ to the second
/// differences of the rougher one, with $|w'|\le\pi/2L$ and $|w''|\le\pi^2/2L^2$.
#[test]
fn a_fade_at_the_same_position_adds_no_click() {
    let demo = Demo::new(1);
    for (first, second) in PAIRS {
        let (a, b) = (demo.samples(&first).expect("a setting"), demo.samples(&second).expect("a setting"));
        let apart: Vec<f64> = a.iter().zip(&b).map(|(a, b)| a - b).collect();
        let length = FADE as f64;
        let added = PI / length * largest(apart.windows(2).map(|w| w[1] - w[0]))
            + PI * PI / (2.0 * length * length) * largest(apart.iter().copied());
        let limit = roughness(&a).max(roughness(&b)) + added;
        for at in (4000..120_000).step_by(977) {
            let played = crossfade(&a, &b, at, FADE);
            assert!(roughness(&played) <= limit * (1.0 + 1e-12));
            assert!(played[..at] == a[..at] && played[at + FADE..] == b[at + FADE..]);
        }
    }
}

/// The measure hears what it is for: in quiet sound a cut to another position stands out.
#[test]
fn a_cut_to_another_position_clicks() {
    let smooth = |n: usize| (n as f64 * 0.01).sin();
    let a: Vec<f64> = (0..2000).map(smooth).collect();
    let b: Vec<f64> = (150..2150).map(smooth).collect();
    assert!(roughness(&crossfade(&a, &b, 1000, 0)) > 100.0 * roughness(&a));
    assert!(roughness(&crossfade(&a, &b, 1000, FADE)) < 10.0 * roughness(&a));
}

/// Sample by sample the sounds of all settings belong together: their correlation is highest without a shift.
#[test]
fn settings_keep_time() {
    let demo = Demo::new(1);
    for (first, second) in PAIRS {
        let (a, b) = (demo.samples(&first).expect("a setting"), demo.samples(&second).expect("a setting"));
        assert_eq!(a.len(), b.len());
        let correlation = |shift: usize| -> f64 { a.iter().zip(&b[shift..]).map(|(x, y)| x * y).sum() };
        let backwards = |shift: usize| -> f64 { b.iter().zip(&a[shift..]).map(|(x, y)| x * y).sum() };
        assert!((1..40).all(|s| correlation(s) < correlation(0) && backwards(s) < correlation(0)));
    }
}

/// An extreme pair: a lot of noise taken away, or none.
#[test]
fn a_pair_is_played_at_one_level() {
    let demo = Demo::new(1);
    let (untreated, treated) =
        (demo.samples(&[0.0]).expect("a setting"), demo.samples(&[0.5]).expect("a setting"));
    let (mut a, mut b) = (untreated.clone(), treated.clone());
    set_levels(&mut a, &mut b, Level::Same);
    assert!((&a, &b) == (&untreated, &treated), "below the limit nothing changes");

    let (mut a, mut b): (Vec<f64>, Vec<f64>) =
        (untreated.iter().map(|x| 3.0 * x).collect(), treated.iter().map(|x| 3.0 * x).collect());
    set_levels(&mut a, &mut b, Level::Same);
    assert!((largest(a.iter().chain(&b).copied()) - LIMIT).abs() < 1e-12);
    let ratio = active_rms(&a) / active_rms(&b);
    assert!((ratio - active_rms(&untreated) / active_rms(&treated)).abs() < 1e-9 * ratio);

    let (mut a, mut b) = (untreated.clone(), treated.clone());
    set_levels(&mut a, &mut b, Level::Loudness);
    let (mut c, mut d) = (treated, untreated);
    set_levels(&mut c, &mut d, Level::Loudness);
    assert!(a.iter().zip(&d).chain(b.iter().zip(&c)).all(|(x, y)| (x - y).abs() < 1e-12)); // in either order
}
