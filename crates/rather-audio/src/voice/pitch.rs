//! The melody of a sentence: it falls, rises at stressed vowels, and ends low, or high when it asks.

use super::sentence::Speech;
use super::track::glide;

/// From the start of a sentence to its end, relative to the voice's pitch.
const DECLINATION: [f64; 2] = [1.12, 0.86];
/// How far a stressed vowel lifts it, and over how many milliseconds to each side.
const ACCENT: f64 = 0.17;
const ACCENT_WIDTH: f64 = 75.0;
/// The last milliseconds of a sentence, and where they lead.
const ENDING: f64 = 280.0;
const FALL: f64 = -0.16;
const RISE: f64 = 0.38;

/// The pitch at every millisecond, relative to the voice's.
pub(super) fn melody(speech: &Speech) -> Vec<f64> {
    let mut melody = vec![1.0; speech.milliseconds()];
    for sentence in &speech.sentences {
        let (from, to) = (sentence.from, sentence.to);
        let length = (to - from).max(1) as f64;
        for (ms, value) in melody[from..to].iter_mut().enumerate() {
            let at = ms as f64;
            let end = ((at - (length - ENDING)) / ENDING).max(0.0);
            let accents: f64 = sentence
                .accents
                .iter()
                .map(|peak| (-0.5 * ((at + from as f64 - peak) / ACCENT_WIDTH).powi(2)).exp())
                .sum();
            *value = DECLINATION[0]
                + (DECLINATION[1] - DECLINATION[0]) * at / length
                + ACCENT * accents
                + if sentence.asks { RISE } else { FALL } * end * end;
        }
    }
    glide(&mut melody, 15.0);
    melody
}

/// No voice holds a pitch: it wanders by up to 1.5 % (the flutter of Klatt and Klatt, 1990), `ms`
/// milliseconds in.
pub(super) fn flutter(ms: f64) -> f64 {
    let wave = |hertz: f64| (std::f64::consts::TAU * hertz * ms / 1000.0).sin();
    1.0 + 0.005 * (wave(12.7) + wave(7.1) + wave(4.7))
}
