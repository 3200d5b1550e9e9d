//! A Wiener-type noise suppressor whose settings cost one multiplication and an inverse transform each.
//!
//! The signal-to-noise ratio of a bin before it is seen, $\xi$, is estimated by the decision-directed rule of
//! Ephraim and Malah (IEEE Transactions on Acoustics, Speech, and Signal Processing, 1984, Eq. 51). Its
//! memory uses the plain Wiener gain, not the tuned one: $\xi$ then does not depend on the setting and is
//! found once a clip; and with a small over-subtraction fed back the recursion would have two rest points.

use crate::clip::Clip;
use crate::noise_power::NoisePower;
use crate::setting::Setting;
use crate::stft::{BINS, Spectrogram, Stft};

/// Weight of the last frame's estimate.
const MEMORY: f64 = 0.98;
/// The least a priori SNR, -25 dB: below it residual noise sounds musical.
const LEAST_SNR: f64 = 3.162_277_660_168_379_4e-3;

/// The suppressor, ready for any number of clips.
#[derive(Debug, Clone, Default)]
pub struct Suppressor {
    stft: Stft,
}

impl Suppressor {
    /// A suppressor.
    pub fn new() -> Self {
        Self::default()
    }

    /// Does once what all settings share: the spectra of the clip and the a priori SNR of every bin.
    ///
    /// # Examples
    /// ```
    /// use rather_audio::clip::Clip;
    /// use rather_audio::setting::Setting;
    /// use rather_audio::suppressor::Suppressor;
    ///
    /// // Half a second of noise, then a tone in it.
    /// let noise = |n: usize| ((n * n * 7919 % 65_537) as f64 / 65_537.0 - 0.5) * 0.1;
    /// let tone = |n: usize| if n < 8000 { 0.0 } else { 0.3 * (n as f64 * 0.2).sin() };
    /// let clip = Clip::new((0..16_000).map(|n| tone(n) + noise(n)).collect())?;
    ///
    /// let analysis = Suppressor::new().analyse(&clip);
    /// let quieter = analysis.render(&Setting::new(1.0, -20.0)?);
    /// let power = |x: &[f64]| x.iter().map(|v| v * v).sum::<f64>();
    /// assert!(power(&quieter[..8000]) < 0.1 * power(&clip.samples()[..8000]));
    /// assert!(power(&quieter[8000..]) > 0.9 * power(&clip.samples()[8000..]));
    /// # Ok::<(), rather_audio::Error>(())
    /// ```
    pub fn analyse(&self, clip: &Clip) -> Analysis {
        let spectrogram = self.stft.analyse(clip.samples());
        let snr = a_priori_snr(&spectrogram.powers());
        Analysis { stft: self.stft.clone(), spectrogram, snr }
    }
}

/// A clip taken apart: any setting can be heard from here.
#[derive(Debug, Clone)]
pub struct Analysis {
    stft: Stft,
    spectrogram: Spectrogram,
    snr: Vec<f64>,
}

impl Analysis {
    /// The clip with its noise suppressed; as many samples as the clip.
    pub fn render(&self, setting: &Setting) -> Vec<f64> {
        let floor = setting.floor();
        self.stft.synthesise(&self.spectrogram, |t, gains| {
            let snr = &self.snr[t * BINS..(t + 1) * BINS];
            gains.iter_mut().zip(snr).for_each(|(g, xi)| *g = gain(*xi, setting.over_subtraction(), floor));
        })
    }

    /// The gains of a setting, [`BINS`] a frame.
    pub fn gains(&self, setting: &Setting) -> Vec<f64> {
        let floor = setting.floor();
        self.snr.iter().map(|xi| gain(*xi, setting.over_subtraction(), floor)).collect()
    }

    /// How many frames.
    pub fn frames(&self) -> usize {
        self.spectrogram.len()
    }

    /// The transform it was made with.
    pub(crate) fn stft(&self) -> &Stft {
        &self.stft
    }
}

/// The gain $\max(\xi/(\xi+\beta), 10^{F/20})$: falls with over-subtraction, rises with the floor.
fn gain(snr: f64, over_subtraction: f64, floor: f64) -> f64 {
    (snr / (snr + over_subtraction)).max(floor)
}

/// The decision-directed a priori SNR of every bin, frame by frame:
/// $\xi=\max\big(0.98 a/\lambda+0.02\max(P/\lambda-1,0), 10^{-2.5}\big)$ with $a=(\xi/(\xi+1))^2P$ of the
/// last frame.
fn a_priori_snr(powers: &[f64]) -> Vec<f64> {
    let mut noise = NoisePower::from_opening(powers);
    let mut speech = vec![0.0; BINS];
    let mut snr = Vec::with_capacity(powers.len());
    for frame in powers.chunks_exact(BINS) {
        let noise = noise.update(frame);
        for ((speech, noise), power) in speech.iter_mut().zip(noise).zip(frame) {
            let now = (power / noise - 1.0).max(0.0);
            let xi = (MEMORY * *speech / noise + (1.0 - MEMORY) * now).max(LEAST_SNR);
            let wiener = xi / (xi + 1.0);
            *speech = wiener * wiener * power;
            snr.push(xi);
        }
    }
    snr
}
