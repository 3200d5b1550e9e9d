//! What holds for every clip and every setting.

use proptest::prelude::*;
use rather_audio::suppressor::{Analysis, Suppressor};
use rather_audio::{Clip, Setting};
use rather_numerics::random;

/// Noise of a level, with tones that come and go, and an abrupt silence if asked for.
fn clip(seed: u64, samples: usize, noise: f64, silent_end: bool) -> Clip {
    let mut rng = random::stream(seed, 0);
    let pitch = 0.02 + 0.5 * random::uniform(&mut rng);
    let sound = (0..samples).map(|n| {
        let on = n > 6000 && (n / 2500) % 2 == 0;
        let tone = if on { 0.3 * (pitch * n as f64).sin() } else { 0.0 };
        if silent_end && 3 * n > 2 * samples { 0.0 } else { tone + noise * random::normal(&mut rng) }
    });
    Clip::new(sound.collect()).expect("a clip within limits")
}

fn analyse(clip: &Clip) -> Analysis {
    Suppressor::new().analyse(clip)
}

fn clips() -> impl Strategy<Value = Clip> {
    (any::<u64>(), 8_000_usize..20_000, -6.0_f64..0.0, any::<bool>())
        .prop_map(|(seed, samples, noise, silent_end)| clip(seed, samples, 10f64.powf(noise), silent_end))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Two windows multiply and add to one up to rounding: a few units of the largest sample's last place.
    #[test]
    fn a_floor_of_0_db_gives_the_clip_back(clip in clips(), over in 0.0..1.0_f64) {
        let again = analyse(&clip).render(&Setting::at(&[over, 0.0]).expect("a setting"));
        prop_assert_eq!(again.len(), clip.samples().len());
        let largest = clip.samples().iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        for (a, b) in again.iter().zip(clip.samples()) {
            prop_assert!((a - b).abs() <= 1e-14 * largest);
        }
    }

    #[test]
    fn the_gain_falls_with_over_subtraction_and_rises_with_the_floor(
        clip in clips(), a in 0.0..1.0_f64, b in 0.0..1.0_f64, other in 0.0..1.0_f64,
    ) {
        let analysis = analyse(&clip);
        let gains = |theta: [f64; 2]| analysis.gains(&Setting::at(&theta).expect("a setting"));
        let (less, more) = (a.min(b), a.max(b));
        let by_over_subtraction = (gains([less, other]), gains([more, other]));
        let by_floor = (gains([other, less]), gains([other, more]));
        for (higher, lower) in [by_over_subtraction, by_floor] {
            prop_assert!(higher.iter().zip(&lower).all(|(h, l)| h >= l));
            prop_assert!(higher.iter().chain(&lower).all(|g| (0.0..=1.0).contains(g)));
        }
    }

    /// Sound and gains do not depend on the unit of the samples, as long as they stand out of the 1e-12 that
    /// keeps digital silence apart from zero.
    #[test]
    fn a_louder_clip_gives_the_same_sound_louder(
        seed in any::<u64>(), theta in prop::array::uniform2(0.0..1.0_f64),
    ) {
        let soft = clip(seed, 12_000, 0.01, false);
        let loud = Clip::new(soft.samples().iter().map(|x| 8.0 * x).collect()).expect("a clip");
        let setting = Setting::at(&theta).expect("a setting");
        let (soft, loud) = (analyse(&soft).render(&setting), analyse(&loud).render(&setting));
        for (s, l) in soft.iter().zip(&loud) {
            prop_assert!((8.0 * s - l).abs() < 1e-7);
        }
    }
}

/// A minute of digital silence after noise: the tracked power decays, and nothing becomes infinite.
#[test]
fn long_silence_gives_numbers() {
    let mut rng = random::stream(1, 0);
    let mut sound = random::normals(16_000, &mut rng);
    sound.resize(59 * 16_000, 0.0);
    sound.extend((0..8000).map(|n| 0.3 * (0.1 * f64::from(n)).sin()));
    let clip = Clip::new(sound).expect("a clip");
    let heard = analyse(&clip).render(&Setting::new(1.0, -40.0).expect("a setting"));
    assert!(heard.iter().all(|x| x.is_finite()));
}

/// Silence from start to end stays silence.
#[test]
fn silence_stays_silence() {
    let clip = Clip::new(vec![0.0; 16_000]).expect("a clip");
    assert!(analyse(&clip).render(&Setting::new(1.0, -20.0).expect("a setting")).iter().all(|x| *x == 0.0));
}

#[test]
fn settings_outside_the_square_are_refused_in_a_sentence() {
    let say = |theta: &[f64]| Setting::at(theta).expect_err("no setting").to_string();
    assert_eq!(say(&[0.5, 1.5]), "a coordinate of a setting must be between 0 and 1, not 1.5");
    assert_eq!(say(&[f64::NAN]), "a coordinate of a setting must be between 0 and 1, not NaN");
    assert_eq!(say(&[0.1; 3]), "a setting has 1 coordinate (floor) or 2 (over-subtraction, floor), not 3");
    assert_eq!(
        Setting::new(1.0, 3.0).expect_err("louder").to_string(),
        "the floor must be 0 dB or less, not 3"
    );
    assert!(Setting::new(f64::INFINITY, -3.0).is_err() && Setting::new(-1.0, -3.0).is_err());
}

#[test]
fn clips_that_cannot_be_used_are_refused_in_a_sentence() {
    let say = |samples: Vec<f64>| Clip::new(samples).expect_err("no clip").to_string();
    let with = |value: f64| {
        let mut samples = vec![0.0; 16_000];
        samples[4000] = value;
        samples
    };
    assert_eq!(say(with(f64::NAN)), "the sample at 0.250 s is not a finite number; export the sound again");
    assert_eq!(
        say(with(1e200)),
        "the sample at 0.250 s is 1e200, where full scale is 1; scale the sound down"
    );
    assert_eq!(say(vec![0.0; 61 * 16_000]), "the sound lasts 61.0 s; at most 60 s are taken: cut it");
}
