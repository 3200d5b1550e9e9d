//! What is worth knowing about a recording before tuning by it.

use crate::clip::SAMPLE_RATE;
use crate::quality::energy;
use crate::wav::Recording;
use std::fmt;

/// Samples that the noise is learned from: 0.25 s.
const OPENING: usize = SAMPLE_RATE / 4;
/// The opening may be this much louder than the quietest tenth of the clip, as a ratio of powers: 5 dB.
const LOUDER: f64 = 3.16;
/// Below -90 dB of full scale there is nothing in 16 bits.
const NOTHING: f64 = 1e-9;
/// More clipped samples than this are heard.
const CLIPPED: f64 = 1e-4;

/// Something about a recording that spoils the suppression or the comparison. Not an error: the clip is used.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Notice {
    /// The noise is learned from the opening, and that is louder than quiet parts further on.
    LoudOpening {
        /// By how many dB.
        decibels: f64,
    },
    /// The opening is digital silence.
    SilentOpening,
    /// Samples at full scale.
    Clipped {
        /// Their share, 0 to 1.
        share: f64,
    },
    /// The file was sampled at less than 16 kHz.
    LowRate {
        /// Samples a second.
        rate: u32,
    },
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LoudOpening { decibels } => write!(
                f,
                "the noise is learned from the first 0.25 s, and they are {decibels:.0} dB louder than the \
                 quietest parts of the clip: if someone speaks there, speech will be taken for noise; start \
                 with half a second of noise"
            ),
            Self::SilentOpening => write!(
                f,
                "the noise is learned from the first 0.25 s, and they are silent: noise will be taken for \
                 speech until it is found; cut the silence"
            ),
            Self::Clipped { share } => write!(
                f,
                "{:.2} % of the samples are at full scale: the recording is clipped, which no setting repairs",
                100.0 * share
            ),
            Self::LowRate { rate } => {
                write!(f, "the file has {rate} samples a second: there is nothing above {} Hz", rate / 2)
            }
        }
    }
}

/// What there is to say about a recording.
pub fn notices(recording: &Recording) -> Vec<Notice> {
    let mut notices = Vec::new();
    notices.extend(opening(recording.clip.samples()));
    if recording.clipped > CLIPPED {
        notices.push(Notice::Clipped { share: recording.clipped });
    }
    if (recording.rate as usize) < SAMPLE_RATE {
        notices.push(Notice::LowRate { rate: recording.rate });
    }
    notices
}

/// The first quarter of a second against the quietest tenth of all quarters.
fn opening(samples: &[f64]) -> Option<Notice> {
    let powers = |x: &[f64]| -> Vec<f64> {
        x.windows(OPENING).step_by(OPENING / 4).map(|w| energy(w) / OPENING as f64).collect()
    };
    let mut rest = powers(samples);
    let first = *rest.first()?;
    rest.sort_by(f64::total_cmp);
    if first < NOTHING {
        return (*rest.last()? > NOTHING).then_some(Notice::SilentOpening);
    }
    let ratio = first / rest[rest.len() / 10].max(NOTHING);
    (ratio > LOUDER).then_some(Notice::LoudOpening { decibels: 10.0 * ratio.log10() })
}
