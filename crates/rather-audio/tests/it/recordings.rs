//! A recording of one's own: what it must hold, what is said about it.

use rather_audio::Demo;
use rather_audio::notice::Notice;
use rather_audio::scene::OPENING;
use rather_audio::wav::write;

/// The built-in clip as if someone had recorded it.
fn recorded() -> Vec<f64> {
    Demo::new(3).scene().expect("a built-in clip").mixture().samples().to_vec()
}

fn notices(samples: &[f64]) -> Vec<Notice> {
    Demo::from_wav(&write(samples)).expect("a recording").notices().to_vec()
}

/// The same sound up to 16 bits, and no utility, as nobody knows the clean speech.
#[test]
fn a_recording_is_treated_like_the_clip() {
    let (clip, own) = (Demo::new(3), Demo::from_wav(&write(&recorded())).expect("a recording"));
    assert_eq!(own.notices(), []);
    assert_eq!(own.utility(&[0.3]).expect("a setting"), None);
    assert_eq!(own.quality(&[0.3]).expect("a setting"), None);
    assert!(own.listener(1).is_none() && own.scene().is_none());
    assert!(own.utility(&[1.3]).is_err());
    let theta = [0.4, 0.4];
    let (a, b) = (clip.samples(&theta).expect("a setting"), own.samples(&theta).expect("a setting"));
    let worst = a.iter().zip(&b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(worst < 1e-3, "{worst}"); // steps of 3e-5, and gains that amplify them near the noise
}

/// The clip from where the speech sets in.
#[test]
fn speech_at_the_start_is_noticed() {
    let found = notices(&recorded()[OPENING + 1600..]);
    assert!(matches!(found[..], [Notice::LoudOpening { decibels }] if decibels > 5.0), "{found:?}");
    assert!(found[0].to_string().starts_with("the noise is learned from the first 0.25 s, and they are"));
}

#[test]
fn silence_at_the_start_is_noticed() {
    let mut samples = recorded();
    samples[..5000].fill(0.0);
    assert_eq!(notices(&samples), [Notice::SilentOpening]);
}

#[test]
fn a_clipped_recording_is_noticed() {
    let loud: Vec<f64> = recorded().iter().map(|x| 8.0 * x).collect();
    let found = notices(&loud);
    assert!(matches!(found[..], [Notice::Clipped { share }] if share > 0.001), "{found:?}");
}

/// 8 kHz: the header says so, the sound is then twice as long.
#[test]
fn a_low_rate_is_noticed() {
    let mut bytes = write(&recorded());
    bytes[24..28].copy_from_slice(&8000_u32.to_le_bytes());
    let demo = Demo::from_wav(&bytes).expect("a recording");
    assert_eq!(demo.notices(), [Notice::LowRate { rate: 8000 }]);
    assert!((demo.seconds() - 2.0 * Demo::new(3).seconds()).abs() < 1e-9);
}

#[test]
fn a_silent_recording_is_refused() {
    let error = Demo::from_wav(&write(&[0.0; 16_000])).expect_err("nothing to hear");
    assert_eq!(error.to_string(), "the sound is silent: no sample reaches a ten-millionth of full scale");
}
