//! Speech in noise, with both kept apart.

use crate::clip::{Clip, SAMPLE_RATE, check_samples};
use crate::error::Error;
use crate::quality::{active_rms, energy};

/// Samples of noise alone that open a scene: half a second.
pub const OPENING: usize = SAMPLE_RATE / 2;
/// The highest sample of the mixture: 6 dB below full scale, so that no setting comes near it.
pub(crate) const PEAK: f64 = 0.5;
/// A ratio beyond this leaves nothing of the weaker sound.
const LARGEST_SNR: f64 = 100.0;

/// A mixture and what it is made of: `mixture = clean + noise`, sample by sample.
#[derive(Debug, Clone)]
pub struct Scene {
    clean: Vec<f64>,
    noise: Vec<f64>,
    mixture: Clip,
}

impl Scene {
    /// Speech at a signal-to-noise ratio in dB, after half a second of noise alone; the highest sample of the
    /// mixture is half of full scale. The ratio is that of the speech where it is active (within 40 dB of its
    /// loudest 16 ms), so that pauses do not count, to the noise.
    ///
    /// # Errors
    /// Noise that is not half a second longer than the speech; silent speech or noise; samples that are not
    /// finite; a ratio beyond ±100 dB; a clip too short or too long.
    ///
    /// # Examples
    /// ```
    /// use rather_audio::noise::Noise;
    /// use rather_audio::scene::{OPENING, Scene};
    /// use rather_audio::voice::Voice;
    ///
    /// let speech = Voice::new(1).speak(3.0);
    /// let noise = Noise::White.samples(OPENING + speech.len(), &mut rather_numerics::random::stream(1, 0));
    /// let scene = Scene::mix(&speech, &noise, 5.0)?;
    /// assert!(scene.clean()[..OPENING].iter().all(|x| *x == 0.0));
    /// # Ok::<(), rather_audio::Error>(())
    /// ```
    pub fn mix(speech: &[f64], noise: &[f64], snr_db: f64) -> Result<Self, Error> {
        if noise.len() != speech.len() + OPENING {
            return Err(Error::Length {
                what: "noise",
                expected: speech.len() + OPENING,
                found: noise.len(),
            });
        }
        if snr_db.is_nan() || snr_db.abs() > LARGEST_SNR {
            return Err(Error::Range { what: "SNR", requirement: "between -100 and 100 dB", value: snr_db });
        }
        check_samples(speech)?;
        check_samples(noise)?;
        let (speech_level, noise_level) = (active_rms(speech), (energy(noise) / noise.len() as f64).sqrt());
        if speech_level == 0.0 || noise_level == 0.0 {
            return Err(Error::Silent);
        }
        let loudness = speech_level / noise_level * 10f64.powf(-snr_db / 20.0);
        let mut clean = vec![0.0; OPENING];
        clean.extend_from_slice(speech);
        let mut noise: Vec<f64> = noise.iter().map(|x| x * loudness).collect();
        let scale = PEAK / peak(clean.iter().zip(&noise).map(|(s, n)| s + n));
        clean.iter_mut().chain(&mut noise).for_each(|x| *x *= scale);
        let mixture = Clip::new(clean.iter().zip(&noise).map(|(s, n)| s + n).collect())?;
        Ok(Self { clean, noise, mixture })
    }

    /// The speech alone, with silence in the place of the opening.
    pub fn clean(&self) -> &[f64] {
        &self.clean
    }

    /// The noise alone.
    pub fn noise(&self) -> &[f64] {
        &self.noise
    }

    /// What is heard.
    pub fn mixture(&self) -> &Clip {
        &self.mixture
    }
}

/// The largest magnitude.
pub(crate) fn peak(samples: impl Iterator<Item = f64>) -> f64 {
    samples.map(f64::abs).fold(0.0, f64::max)
}
