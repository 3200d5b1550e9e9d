//! A sound as the suppressor takes it: one channel at 16 kHz, finite, of bearable length.

use crate::error::Error;

/// Samples a second of every sound in this crate.
pub const SAMPLE_RATE: usize = 16_000;
/// The shortest clip, in seconds: the noise alone, then something to hear.
pub const SHORTEST: f64 = 0.5;
/// The longest clip, in seconds. A duel of clips is heard again and again: a minute is beyond anyone's patience.
pub const LONGEST: f64 = 60.0;

/// Beyond this a sample is an accident of units, and squares of squares would come near overflow.
const LARGEST: f64 = 1e6;

/// One channel at [`SAMPLE_RATE`], full scale 1, every sample finite, [`SHORTEST`] to [`LONGEST`] seconds.
#[derive(Debug, Clone, PartialEq)]
pub struct Clip {
    samples: Vec<f64>,
}

impl Clip {
    /// Takes samples at 16 kHz.
    ///
    /// # Errors
    /// A clip too short or too long; a sample that is not finite or beyond a million times full scale.
    ///
    /// # Examples
    /// ```
    /// use rather_audio::clip::Clip;
    ///
    /// assert!(Clip::new(vec![0.0; 16_000]).is_ok());
    /// let error = Clip::new(vec![0.0; 100]).unwrap_err();
    /// assert!(error.to_string().starts_with("the sound lasts 0.01 s; at least 0.5 s are needed"));
    /// ```
    pub fn new(samples: Vec<f64>) -> Result<Self, Error> {
        let seconds = seconds(samples.len());
        if seconds < SHORTEST {
            return Err(Error::TooShort { seconds, least: SHORTEST });
        }
        if seconds > LONGEST {
            return Err(Error::TooLong { seconds, most: LONGEST });
        }
        check_samples(&samples)?;
        Ok(Self { samples })
    }

    /// The samples.
    pub fn samples(&self) -> &[f64] {
        &self.samples
    }

    /// How long it lasts.
    pub fn seconds(&self) -> f64 {
        seconds(self.samples.len())
    }

    /// The same sound, `factor` times as loud.
    #[must_use]
    pub(crate) fn scaled(mut self, factor: f64) -> Self {
        self.samples.iter_mut().for_each(|x| *x *= factor);
        self
    }
}

/// How long `samples` samples last, in seconds.
pub fn seconds(samples: usize) -> f64 {
    samples as f64 / SAMPLE_RATE as f64
}

/// Every sample is finite and of a magnitude that can be squared twice.
pub(crate) fn check_samples(samples: &[f64]) -> Result<(), Error> {
    match samples.iter().position(|x| x.is_nan() || x.abs() > LARGEST) {
        None => Ok(()),
        Some(i) if samples[i].is_finite() => Err(Error::OverScale { seconds: seconds(i), value: samples[i] }),
        Some(i) => Err(Error::NotFinite { seconds: seconds(i) }),
    }
}
