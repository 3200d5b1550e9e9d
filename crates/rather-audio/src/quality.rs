//! How near a treated sound is to the clean one: segmental SNR and SI-SDR. No listener judges by them alone.

use crate::clip::SAMPLE_RATE;
use crate::error::Error;

/// Samples of a segment: 16 ms.
const SEGMENT: usize = 256;
/// A segment holds speech when its power is within 40 dB of the loudest.
pub(crate) const ACTIVE: f64 = 1e-4;
/// What a segment's SNR is clipped to, in dB.
const CLIP: [f64; 2] = [-10.0, 35.0];
/// What a measure of the whole clip leaves out: its opening of noise alone.
const OPENING: usize = SAMPLE_RATE / 2;

/// Two measures in dB.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quality {
    /// See [`segmental_snr`].
    pub segmental_snr: f64,
    /// See [`si_sdr`].
    pub si_sdr: f64,
}

/// Both measures of `treated` against `clean`.
///
/// # Errors
/// Sounds of different lengths.
pub fn quality(clean: &[f64], treated: &[f64]) -> Result<Quality, Error> {
    Ok(Quality { segmental_snr: segmental_snr(clean, treated)?, si_sdr: si_sdr(clean, treated)? })
}

/// Segmental SNR in dB: over frames of 16 ms that hold speech, the mean of
/// $10\log_{10}\big(\sum s^2/\sum(s-\hat s)^2\big)$ clipped to -10…35 dB; -10 when there is no speech.
///
/// # Errors
/// Sounds of different lengths.
///
/// # Examples
/// ```
/// use rather_audio::quality::segmental_snr;
///
/// let clean = vec![1.0; 1024];
/// let treated = vec![0.9; 1024];
/// assert!((segmental_snr(&clean, &treated)? - 20.0).abs() < 1e-9);
/// # Ok::<(), rather_audio::Error>(())
/// ```
pub fn segmental_snr(clean: &[f64], treated: &[f64]) -> Result<f64, Error> {
    same_length(clean, treated)?;
    let threshold = ACTIVE * segment_energies(clean).fold(0.0, f64::max);
    let (mut sum, mut segments) = (0.0, 0.0);
    for (s, y) in clean.chunks_exact(SEGMENT).zip(treated.chunks_exact(SEGMENT)) {
        let signal = energy(s);
        if signal > 0.0 && signal >= threshold {
            let error: f64 = s.iter().zip(y).map(|(s, y)| (s - y).powi(2)).sum();
            sum += decibels(signal / error).clamp(CLIP[0], CLIP[1]);
            segments += 1.0;
        }
    }
    Ok(if segments > 0.0 { sum / segments } else { CLIP[0] })
}

/// The scale-invariant signal-to-distortion ratio in dB (Le Roux and others, 2019):
/// $10\log_{10}\Vert as\Vert ^2/\Vert \hat s-as\Vert ^2$ with $a=\hat s^\top s/s^\top s$, without the first half second. At
/// most 300 dB, at least -300.
///
/// # Errors
/// Sounds of different lengths.
///
/// # Examples
/// ```
/// use rather_audio::quality::si_sdr;
///
/// let clean: Vec<f64> = (0..16_000).map(|n| (n as f64 * 0.05).sin()).collect();
/// let louder: Vec<f64> = clean.iter().map(|x| 3.0 * x).collect();
/// assert!(si_sdr(&clean, &louder)? > 250.0); // only scaled: no distortion
/// # Ok::<(), rather_audio::Error>(())
/// ```
pub fn si_sdr(clean: &[f64], treated: &[f64]) -> Result<f64, Error> {
    same_length(clean, treated)?;
    let opening = OPENING.min(clean.len());
    let (s, y) = (&clean[opening..], &treated[opening..]);
    let product: f64 = s.iter().zip(y).map(|(s, y)| s * y).sum();
    let a = product / energy(s).max(f64::MIN_POSITIVE);
    let error: f64 = s.iter().zip(y).map(|(s, y)| (y - a * s).powi(2)).sum();
    Ok(decibels(a * a * energy(s) / error.max(f64::MIN_POSITIVE)).clamp(-300.0, 300.0))
}

/// The root mean square of the segments that hold sound (within 40 dB of the loudest): the level one hears.
pub fn active_rms(samples: &[f64]) -> f64 {
    let threshold = ACTIVE * segment_energies(samples).fold(0.0, f64::max);
    let (sum, segments) = segment_energies(samples)
        .filter(|e| *e > 0.0 && *e >= threshold)
        .fold((0.0, 0.0), |(sum, n), e| (sum + e, n + 1.0));
    if segments > 0.0 { (sum / (segments * SEGMENT as f64)).sqrt() } else { 0.0 }
}

fn segment_energies(samples: &[f64]) -> impl Iterator<Item = f64> {
    samples.chunks_exact(SEGMENT).map(energy)
}

/// The sum of squares.
pub(crate) fn energy(samples: &[f64]) -> f64 {
    samples.iter().map(|x| x * x).sum()
}

fn decibels(ratio: f64) -> f64 {
    10.0 * ratio.log10()
}

fn same_length(clean: &[f64], treated: &[f64]) -> Result<(), Error> {
    if clean.len() == treated.len() {
        return Ok(());
    }
    Err(Error::Length { what: "the treated sound", expected: clean.len(), found: treated.len() })
}
