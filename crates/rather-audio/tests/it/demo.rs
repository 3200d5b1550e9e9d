//! From a seed and a setting to a sound file.

use rather_audio::Demo;
use rather_audio::demo::Options;
use rather_audio::level::Level;
use rather_audio::noise::Noise;
use rather_audio::quality::active_rms;
use rather_audio::scene::OPENING;
use rather_audio::wav::read;

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let theta = [0.3, 0.6];
    let render = |seed| Demo::new(seed).render(&theta).expect("a setting");
    assert!(render(7) == render(7) && render(7) != render(8));
}

/// For any seed: about 8 s, half a second of noise first, peaks at half of full scale, the ratio that was
/// asked for.
#[test]
fn every_seed_gives_a_clip_of_its_kind() {
    for seed in [0, 1, 2, 3, 10, 99, u64::MAX] {
        let demo = Demo::new(seed);
        assert!((demo.seconds() - 8.0).abs() < 0.1, "{}", demo.seconds());
        assert!(demo.notices().is_empty());
        let scene = demo.scene().expect("a built-in clip");
        let peak = scene.mixture().samples().iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        assert!((peak - 0.5).abs() < 1e-12);
        assert!(scene.clean()[..OPENING].iter().all(|x| *x == 0.0));
        let noise = scene.noise().iter().map(|x| x * x).sum::<f64>() / scene.noise().len() as f64;
        let ratio = 20.0 * (active_rms(&scene.clean()[OPENING..]) / noise.sqrt()).log10();
        assert!((ratio - 5.0).abs() < 1e-9, "{ratio}");
    }
}

/// The untreated edge is the clip itself, to 16 bits.
#[test]
fn the_untreated_sound_is_the_clip() {
    let demo = Demo::new(1);
    let played = read(&demo.render(&[0.7, 0.0]).expect("a setting")).expect("a WAV file").clip;
    let clip = demo.scene().expect("a built-in clip").mixture();
    assert!(played.samples().iter().zip(clip.samples()).all(|(a, b)| (a - b).abs() <= 0.51 / 32_768.0));
}

/// One factor for all settings: played alone or in a pair, a setting sounds the same.
#[test]
fn a_pair_sounds_like_its_parts() {
    let demo = Demo::new(1);
    let (first, second) = ([0.2], [0.9]);
    let pair = demo.render_pair(&first, &second, Level::Same).expect("settings");
    assert!(pair == [demo.render(&first).expect("a setting"), demo.render(&second).expect("a setting")]);
    let equal = demo.render_pair(&first, &second, Level::Loudness).expect("settings");
    assert!(pair != equal);
}

#[test]
fn options_are_checked() {
    let with = |options: Options| Demo::with(&options).map(|demo| demo.seconds()).map_err(|e| e.to_string());
    for noise in [Noise::White, Noise::Shaped, Noise::Modulated] {
        assert!(with(Options { noise, seconds: 3.0, ..Options::default() }).is_ok());
    }
    let snr = with(Options { snr_db: f64::NAN, ..Options::default() });
    assert_eq!(snr, Err("SNR must be between -100 and 100 dB, not NaN".into()));
    let length = with(Options { seconds: 500.0, ..Options::default() });
    assert_eq!(length, Err("the length of the speech must be between 1 and 55 s, not 500".into()));
    assert!(with(Options { seconds: 55.0, ..Options::default() }).is_ok());
    assert!(with(Options { seconds: 1.0, ..Options::default() }).is_ok());
}

/// A study's server shares one clip between threads.
#[test]
fn a_demo_is_shared_between_threads() {
    fn shared<T: Send + Sync + 'static>() {}
    shared::<Demo>();
}
