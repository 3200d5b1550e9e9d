//! The short-time Fourier transform and its inverse, with perfect reconstruction.
//!
//! Frames of 512 samples (32 ms) every 256, a periodic square-root Hann window at both ends,
//! $w_n=\sqrt{\tfrac12-\tfrac12\cos(2\pi n/512)}=\sin(\pi n/512)$: the two windows of a sample multiply to a Hann
//! window, and Hann windows half a frame apart add up to one. The signal is set between 256 zeros before and
//! 512 after, so its first and last samples too lie under two frames.

use realfft::num_complex::Complex;
use realfft::{ComplexToReal, RealFftPlanner, RealToComplex};
use std::sync::Arc;

/// Samples of a frame.
pub const FRAME: usize = 512;
/// Samples from one frame to the next.
pub const HOP: usize = 256;
/// Frequency bins of a frame, 31.25 Hz apart, from 0 to 8 kHz.
pub const BINS: usize = FRAME / 2 + 1;

/// The transform: a window and two plans. Cheap to clone.
#[derive(Clone)]
pub struct Stft {
    window: Arc<[f64]>,
    forward: Arc<dyn RealToComplex<f64>>,
    inverse: Arc<dyn ComplexToReal<f64>>,
}

impl std::fmt::Debug for Stft {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Stft {{ frame: {FRAME}, hop: {HOP} }}")
    }
}

impl Default for Stft {
    fn default() -> Self {
        Self::new()
    }
}

impl Stft {
    /// Plans both directions.
    pub fn new() -> Self {
        let window = (0..FRAME).map(|n| (std::f64::consts::PI * n as f64 / FRAME as f64).sin()).collect();
        let mut planner = RealFftPlanner::new();
        Self { window, forward: planner.plan_fft_forward(FRAME), inverse: planner.plan_fft_inverse(FRAME) }
    }

    /// The spectra of all frames of `signal`.
    ///
    /// # Examples
    /// ```
    /// use rather_audio::stft::Stft;
    ///
    /// let signal: Vec<f64> = (0..1000).map(|n| (n as f64 * 0.1).sin()).collect();
    /// let stft = Stft::new();
    /// let again = stft.synthesise(&stft.analyse(&signal), |_, _| ());
    /// assert!(signal.iter().zip(&again).all(|(a, b)| (a - b).abs() < 1e-14));
    /// ```
    pub fn analyse(&self, signal: &[f64]) -> Spectrogram {
        let frames = frame_count(signal.len());
        let mut values = vec![Complex::default(); frames * BINS];
        let (mut frame, mut scratch) = (vec![0.0; FRAME], self.forward.make_scratch_vec());
        for (t, spectrum) in values.chunks_exact_mut(BINS).enumerate() {
            frame.fill(0.0);
            let (from, to) = span(t, signal.len());
            let offset = from + HOP - t * HOP;
            for ((y, x), w) in frame[offset..].iter_mut().zip(&signal[from..to]).zip(&self.window[offset..]) {
                *y = x * w;
            }
            self.forward
                .process_with_scratch(&mut frame, spectrum, &mut scratch)
                .expect("buffers of the planned lengths");
        }
        Spectrogram { values, samples: signal.len() }
    }

    /// The signal whose frames are `spectrogram`'s times real gains, overlapped and added.
    ///
    /// `gain` is called for each frame in turn with its number and [`BINS`] ones, which it may change.
    pub fn synthesise(&self, spectrogram: &Spectrogram, mut gain: impl FnMut(usize, &mut [f64])) -> Vec<f64> {
        let mut signal = vec![0.0; spectrogram.samples];
        let (mut frame, mut scratch) = (vec![0.0; FRAME], self.inverse.make_scratch_vec());
        let (mut spectrum, mut gains) = (vec![Complex::default(); BINS], vec![1.0; BINS]);
        for (t, values) in spectrogram.frames().enumerate() {
            gains.fill(1.0);
            gain(t, &mut gains);
            for ((s, v), g) in spectrum.iter_mut().zip(values).zip(&gains) {
                *s = v * (g / FRAME as f64);
            }
            self.inverse
                .process_with_scratch(&mut spectrum, &mut frame, &mut scratch)
                .expect("buffers of the planned lengths, real at both ends");
            let (from, to) = span(t, signal.len());
            let offset = from + HOP - t * HOP;
            for ((y, x), w) in signal[from..to].iter_mut().zip(&frame[offset..]).zip(&self.window[offset..]) {
                *y += x * w;
            }
        }
        signal
    }
}

/// Spectra of a signal's frames: complex, [`BINS`] a frame.
#[derive(Debug, Clone)]
pub struct Spectrogram {
    values: Vec<Complex<f64>>,
    samples: usize,
}

impl Spectrogram {
    /// How many frames.
    pub fn len(&self) -> usize {
        self.values.len() / BINS
    }

    /// Never: even an empty signal lies under two frames.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The spectra in the order of time.
    pub fn frames(&self) -> impl Iterator<Item = &[Complex<f64>]> {
        self.values.chunks_exact(BINS)
    }

    /// The periodograms $|Y|^2$, frame by frame.
    pub fn powers(&self) -> Vec<f64> {
        self.values.iter().map(Complex::norm_sqr).collect()
    }
}

/// Frames that touch `samples` samples with [`HOP`] zeros before them.
fn frame_count(samples: usize) -> usize {
    samples / HOP + 2
}

/// The samples that frame `t` covers.
fn span(t: usize, samples: usize) -> (usize, usize) {
    let end = (t * HOP + FRAME - HOP).min(samples);
    ((t * HOP).saturating_sub(HOP).min(end), end)
}
