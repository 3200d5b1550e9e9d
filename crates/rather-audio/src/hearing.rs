//! What a setting does to the ear: speech lost, noise left, musical noise. Known for a scene, whose parts are
//! apart.
//!
//! Shadow filtering: the gains found from the mixture are applied to the clean speech and to the noise apart.

use crate::clip::SAMPLE_RATE;
use crate::quality::ACTIVE;
use crate::scene::Scene;
use crate::stft::{BINS, FRAME};
use crate::suppressor::Analysis;

/// Edges of the critical bands in Hz (Zwicker, 1961): 22 bands to 8 kHz.
const BARK: [usize; 22] = [
    0, 100, 200, 300, 400, 510, 630, 770, 920, 1080, 1270, 1480, 1720, 2000, 2320, 2700, 3150, 3700, 4400,
    5300, 6400, 7700,
];
const BANDS: usize = BARK.len();
/// Loudness of a band is its power to this exponent.
const LOUDNESS: f64 = 0.23;
/// Bands of speech count when within 30 dB of the loudest.
const AUDIBLE: f64 = 1e-3;
/// Bins in which musical noise is sought: 125 Hz to 7.9 kHz.
const MUSICAL_BINS: std::ops::RangeInclusive<usize> = 4..=252;

/// What a setting does to a scene.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Impression {
    /// The share of the speech's loudness that is lost, 0 to 1.
    pub speech_lost: f64,
    /// The loudness of the noise that is left, relative to all of it, 0 to 1.
    pub noise_left: f64,
    /// How much more the noise sparkles than before: the log of the ratio of $\overline{P^2}/\overline P^2$;
    /// 0 or more.
    pub musical: f64,
}

/// A scene prepared for judging settings: the power of speech and noise in all bins, and what they sound like
/// untreated.
#[derive(Debug, Clone)]
pub struct Hearing {
    speech: Vec<f64>,
    noise: Vec<f64>,
    /// Frames with speech.
    active: Vec<bool>,
    /// Bands of the speech that count.
    audible: [bool; BANDS],
    /// One over the mean power of the noise in each bin of the frames without speech.
    whitening: Vec<f64>,
    speech_loudness: f64,
    noise_loudness: f64,
    sparkle: f64,
}

impl Hearing {
    /// Listens to the parts of `scene`; `analysis` must be that of its mixture.
    pub fn new(scene: &Scene, analysis: &Analysis) -> Self {
        let speech = analysis.stft().analyse(scene.clean()).powers();
        let noise = analysis.stft().analyse(scene.noise()).powers();
        let active = active_frames(&speech);
        let mut hearing = Self {
            audible: audible_bands(&speech, &active),
            whitening: inverse_means(&noise, &active),
            speech,
            noise,
            active,
            speech_loudness: 0.0,
            noise_loudness: 0.0,
            sparkle: 0.0,
        };
        let untouched = vec![1.0; hearing.speech.len()];
        hearing.speech_loudness = hearing.speech_loudness(&untouched);
        hearing.noise_loudness = hearing.noise_loudness(&untouched);
        hearing.sparkle = hearing.sparkle(&untouched);
        hearing
    }

    /// What gains ([`BINS`] a frame) do to speech and noise.
    pub fn impression(&self, gains: &[f64]) -> Impression {
        Impression {
            speech_lost: 1.0 - self.speech_loudness(gains) / self.speech_loudness,
            noise_left: self.noise_loudness(gains) / self.noise_loudness,
            musical: (self.sparkle(gains) / self.sparkle).ln().max(0.0),
        }
    }

    /// The loudness of the speech, over its active frames and audible bands, after gains.
    fn speech_loudness(&self, gains: &[f64]) -> f64 {
        frames(&self.speech, gains, &self.active)
            .filter(|(_, _, active)| *active)
            .flat_map(|(speech, gains, _)| band_powers(speech, gains).into_iter().zip(self.audible))
            .filter(|(_, audible)| *audible)
            .map(|(power, _)| power.powf(LOUDNESS))
            .sum()
    }

    /// The loudness of the noise, over all frames and bands, after gains.
    fn noise_loudness(&self, gains: &[f64]) -> f64 {
        frames(&self.noise, gains, &self.active)
            .flat_map(|(noise, gains, _)| band_powers(noise, gains))
            .map(|power| power.powf(LOUDNESS))
            .sum()
    }

    /// $\overline{P^2}/\overline P^2$ of the noise after gains, over bins and frames without speech, each bin
    /// relative to its mean before.
    fn sparkle(&self, gains: &[f64]) -> f64 {
        let (mut first, mut second, mut cells) = (0.0, 0.0, 0.0);
        for (noise, gains, _) in frames(&self.noise, gains, &self.active).filter(|(_, _, active)| !active) {
            for k in MUSICAL_BINS {
                let power = gains[k] * gains[k] * noise[k] * self.whitening[k];
                first += power;
                second += power * power;
                cells += 1.0;
            }
        }
        if first > 0.0 { second * cells / (first * first) } else { 1.0 }
    }
}

/// Powers, gains and activity frame by frame.
fn frames<'a>(
    powers: &'a [f64],
    gains: &'a [f64],
    active: &'a [bool],
) -> impl Iterator<Item = (&'a [f64], &'a [f64], bool)> {
    let cells = powers.chunks_exact(BINS).zip(gains.chunks_exact(BINS));
    cells.zip(active).map(|((powers, gains), active)| (powers, gains, *active))
}

/// Frames whose power is within 40 dB of the loudest.
fn active_frames(speech: &[f64]) -> Vec<bool> {
    let powers: Vec<f64> = speech.chunks_exact(BINS).map(|frame| frame.iter().sum()).collect();
    let threshold = ACTIVE * powers.iter().copied().fold(0.0, f64::max);
    powers.iter().map(|p| *p > threshold).collect()
}

/// Bands whose mean power while there is speech is within 30 dB of the loudest's.
fn audible_bands(speech: &[f64], active: &[bool]) -> [bool; BANDS] {
    let mut sums = [0.0; BANDS];
    for (frame, _) in speech.chunks_exact(BINS).zip(active).filter(|(_, active)| **active) {
        sums.iter_mut().zip(band_powers(frame, &[1.0; BINS])).for_each(|(sum, p)| *sum += p);
    }
    let threshold = AUDIBLE * sums.iter().copied().fold(0.0, f64::max);
    sums.map(|sum| sum > threshold)
}

/// One over the mean power of each bin in the frames without speech.
fn inverse_means(noise: &[f64], active: &[bool]) -> Vec<f64> {
    let (mut sums, mut count) = (vec![0.0; BINS], 0.0);
    for (frame, _) in noise.chunks_exact(BINS).zip(active).filter(|(_, active)| !**active) {
        sums.iter_mut().zip(frame).for_each(|(sum, p)| *sum += p);
        count += 1.0;
    }
    sums.iter().map(|sum| if *sum > 0.0 { count / sum } else { 0.0 }).collect()
}

/// The power in each band of a frame after gains.
fn band_powers(frame: &[f64], gains: &[f64]) -> [f64; BANDS] {
    std::array::from_fn(|band| {
        let end = if band + 1 < BANDS { first_bin(BARK[band + 1]) } else { BINS };
        let bins = first_bin(BARK[band])..end;
        frame[bins.clone()].iter().zip(&gains[bins]).map(|(p, g)| g * g * p).sum()
    })
}

/// The first bin at a frequency or above.
fn first_bin(hertz: usize) -> usize {
    (hertz * FRAME).div_ceil(SAMPLE_RATE)
}
