//! The sounds of speech: where the formants go, for how long, and what excites them.
//!
//! Formants after Peterson and Barney (1952) and Klatt (1980), in Hz for a grown man; names are ARPABET.

/// A stretch of sound with one excitation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Segment {
    /// Milliseconds.
    pub(super) length: f64,
    /// The first three formants at its start and its end; `None` borrows the next segment's.
    pub(super) formants: Option<[[f64; 3]; 2]>,
    /// Amplitude of the voice.
    pub(super) voice: f64,
    /// Amplitude of breath through the formants.
    pub(super) breath: f64,
    /// Noise at a narrow place, if there is any.
    pub(super) friction: Friction,
    /// How much wider than a vowel's the formants are (nasals).
    pub(super) damping: f64,
    /// May be lengthened by stress and at the end of a sentence.
    pub(super) vowel: bool,
}

/// A band of noise: amplitude, centre and width in Hz.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Friction {
    pub(super) amplitude: f64,
    pub(super) centre: f64,
    pub(super) width: f64,
}

/// The first formant in Hz of a vowel that needs neither push nor restraint.
const EVEN: f64 = 400.0;

const NO_FRICTION: Friction = Friction { amplitude: 0.0, centre: 3000.0, width: 3000.0 };

const SILENT: Segment = Segment {
    length: 0.0,
    formants: None,
    voice: 0.0,
    breath: 0.0,
    friction: NO_FRICTION,
    damping: 1.0,
    vowel: false,
};

/// Nothing for so many milliseconds.
pub(super) fn pause(length: f64) -> Segment {
    Segment { length, formants: Some([[500.0, 1500.0, 2500.0]; 2]), ..SILENT }
}

/// The segments of a phone; `None` for a name that is none.
pub(super) fn segments(name: &str) -> Option<Vec<Segment>> {
    vowel(name).or_else(|| sonorant(name)).map(|s| vec![s]).or_else(|| fricative(name)).or_else(|| stop(name))
}

fn vowel(name: &str) -> Option<Segment> {
    let steady = |length, f: [f64; 3]| (length, [f, f]);
    let (length, formants) = match name {
        "IY" => steady(125.0, [290.0, 2200.0, 2950.0]),
        "IH" => steady(95.0, [400.0, 1920.0, 2550.0]),
        "EH" => steady(115.0, [540.0, 1780.0, 2480.0]),
        "AE" => steady(150.0, [660.0, 1700.0, 2420.0]),
        "AA" => steady(150.0, [730.0, 1120.0, 2450.0]),
        "AO" => steady(150.0, [580.0, 880.0, 2430.0]),
        "UH" => steady(95.0, [450.0, 1050.0, 2300.0]),
        "UW" => steady(130.0, [320.0, 950.0, 2250.0]),
        "AH" => steady(95.0, [580.0, 1280.0, 2450.0]),
        "ER" => steady(130.0, [480.0, 1280.0, 1680.0]),
        "EY" => (155.0, [[490.0, 1900.0, 2550.0], [330.0, 2180.0, 2750.0]]),
        "AY" => (180.0, [[710.0, 1180.0, 2480.0], [390.0, 1980.0, 2600.0]]),
        "OY" => (200.0, [[550.0, 880.0, 2400.0], [390.0, 1920.0, 2600.0]]),
        "OW" => (160.0, [[540.0, 1020.0, 2350.0], [380.0, 850.0, 2300.0]]),
        "AW" => (185.0, [[710.0, 1280.0, 2480.0], [430.0, 960.0, 2350.0]]),
        _ => return None,
    };
    // Open vowels come out louder; speakers even that out in part.
    let voice = (EVEN / formants[0][0]).sqrt();
    Some(Segment { length, formants: Some(formants), voice, vowel: true, ..SILENT })
}

fn sonorant(name: &str) -> Option<Segment> {
    let (length, voice, damping, formants) = match name {
        "W" => (65.0, 0.85, 1.0, [300.0, 680.0, 2200.0]),
        "Y" => (60.0, 0.9, 1.0, [280.0, 2150.0, 2950.0]),
        "R" => (65.0, 0.8, 1.0, [340.0, 1120.0, 1560.0]),
        "L" => (65.0, 0.8, 1.3, [360.0, 1050.0, 2700.0]),
        "M" => (70.0, 0.95, 2.0, [260.0, 1050.0, 2250.0]),
        "N" => (65.0, 0.95, 2.0, [260.0, 1600.0, 2600.0]),
        "NG" => (75.0, 0.95, 2.0, [260.0, 2000.0, 2700.0]),
        _ => return None,
    };
    Some(Segment { length, formants: Some([formants; 2]), voice, damping, ..SILENT })
}

/// Formants a fricative leads to, its noise, its voice.
fn fricative(name: &str) -> Option<Vec<Segment>> {
    let labial = [320.0, 1080.0, 2250.0];
    let dental = [320.0, 1400.0, 2550.0];
    let alveolar = [320.0, 1650.0, 2600.0];
    let palatal = [310.0, 1880.0, 2550.0];
    let noise = |amplitude, centre, width| Friction { amplitude, centre, width };
    let (length, formants, friction, voice) = match name {
        "F" => (90.0, labial, noise(0.10, 5000.0, 5000.0), 0.0),
        "TH" => (90.0, dental, noise(0.09, 5500.0, 4500.0), 0.0),
        "S" => (105.0, alveolar, noise(0.42, 6000.0, 2400.0), 0.0),
        "SH" => (110.0, palatal, noise(0.46, 3300.0, 1800.0), 0.0),
        "V" => (60.0, labial, noise(0.05, 5000.0, 5000.0), 0.40),
        "DH" => (50.0, dental, noise(0.04, 5500.0, 4500.0), 0.45),
        "Z" => (75.0, alveolar, noise(0.22, 6000.0, 2400.0), 0.32),
        "ZH" => (75.0, palatal, noise(0.25, 3300.0, 1800.0), 0.32),
        "HH" => return Some(vec![Segment { length: 60.0, breath: 0.075, ..SILENT }]),
        _ => return None,
    };
    Some(vec![Segment { length, formants: Some([formants; 2]), voice, friction, ..SILENT }])
}

/// A stop: closed, released with a burst, then breath before the voice returns (voiceless) or not.
fn stop(name: &str) -> Option<Vec<Segment>> {
    let noise = |amplitude, centre, width| Friction { amplitude, centre, width };
    let (formants, burst) = match name {
        "P" | "B" => ([280.0, 850.0, 2200.0], noise(0.18, 1100.0, 1600.0)),
        "T" | "D" => ([280.0, 1700.0, 2650.0], noise(0.36, 4200.0, 3000.0)),
        "K" | "G" => ([280.0, 1900.0, 2300.0], noise(0.34, 2000.0, 1100.0)),
        "CH" => return affricate("SH", 0.0),
        "JH" => return affricate("ZH", 0.14),
        _ => return None,
    };
    let formants = Some([formants; 2]);
    let voiced = matches!(name, "B" | "D" | "G");
    let closure = Segment { length: 55.0, formants, voice: if voiced { 0.14 } else { 0.0 }, ..SILENT };
    let release = Segment { length: 12.0, formants, friction: burst, ..SILENT };
    let breath = Segment { length: 38.0, breath: 0.06, ..SILENT };
    Some(if voiced { vec![closure, release] } else { vec![closure, release, breath] })
}

/// A closure that opens into a fricative.
fn affricate(into: &str, voice: f64) -> Option<Vec<Segment>> {
    let mut opened = fricative(into)?;
    let closure = Segment { length: 45.0, voice, formants: opened[0].formants, ..SILENT };
    opened[0].length = 75.0;
    opened.insert(0, closure);
    Some(opened)
}
