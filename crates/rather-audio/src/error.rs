//! What can be wrong with a sound or a setting.

/// Why a sound could not be read or treated.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A sample is infinite or no number.
    #[error("the sample at {seconds:.3} s is not a finite number; export the sound again")]
    NotFinite {
        /// Where, in seconds from the start.
        seconds: f64,
    },
    /// A sample is far outside full scale.
    #[error("the sample at {seconds:.3} s is {value:e}, where full scale is 1; scale the sound down")]
    OverScale {
        /// Where, in seconds from the start.
        seconds: f64,
        /// The sample.
        value: f64,
    },
    /// There is too little of it.
    #[error(
        "the sound lasts {seconds:.2} s; at least {least} s are needed, the first 0.25 s of them noise alone"
    )]
    TooShort {
        /// How long it is.
        seconds: f64,
        /// How long it must be.
        least: f64,
    },
    /// There is too much of it.
    #[error("the sound lasts {seconds:.1} s; at most {most} s are taken: cut it")]
    TooLong {
        /// How long it is (at least: reading stops at the limit).
        seconds: f64,
        /// How long it may be.
        most: f64,
    },
    /// Nothing is to be heard.
    #[error("the sound is silent: no sample reaches a ten-millionth of full scale")]
    Silent,
    /// Two sounds that belong together differ in length.
    #[error("{what} has {found} samples where {expected} are needed")]
    Length {
        /// Which sound.
        what: &'static str,
        /// How many samples it must have.
        expected: usize,
        /// How many it has.
        found: usize,
    },
    /// A number is outside the range in which it means something.
    #[error("{what} must be {requirement}, not {value}")]
    Range {
        /// Which number.
        what: &'static str,
        /// What it must be.
        requirement: &'static str,
        /// What it is.
        value: f64,
    },
    /// A point of the parameter space has a wrong number of coordinates.
    #[error("a setting has 1 coordinate (floor) or 2 (over-subtraction, floor), not {found}")]
    Coordinates {
        /// How many were given.
        found: usize,
    },
    /// The bytes are no WAV file.
    #[error("this is not a WAV file: {why}; save the sound as WAV (PCM) and try again")]
    NotWav {
        /// What is missing.
        why: &'static str,
    },
    /// A WAV file of a kind that is not read.
    #[error("this WAV file has {what}; save it as PCM with 8, 16, 24 or 32 bits, or as float")]
    Unsupported {
        /// What it holds.
        what: String,
    },
}
