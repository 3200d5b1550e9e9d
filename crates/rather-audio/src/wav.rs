//! WAV files: read from the usual kinds, written as 16 bits mono at 16 kHz.

use crate::clip::{Clip, LONGEST, SAMPLE_RATE};
use crate::error::Error;
use crate::resample::to_sample_rate;

const PCM: u16 = 1;
const FLOAT: u16 = 3;
const EXTENSIBLE: u16 = 0xfffe;
/// Sampling rates that are read, in Hz.
const RATES: std::ops::RangeInclusive<u32> = 4_000..=384_000;

/// What other kinds of sound files start with, and where.
const OTHERS: [(usize, &[u8], &str); 8] = [
    (0, b"OggS", "it is an Ogg file"),
    (0, b"fLaC", "it is a FLAC file"),
    (0, b"ID3", "it is an MP3 file"),
    (0, &[0xff, 0xfb], "it is an MP3 file"),
    (0, &[0x1a, 0x45, 0xdf, 0xa3], "it is a WebM file"),
    (4, b"ftyp", "it is an MPEG-4 file"),
    (0, b"FORM", "it is an AIFF file"),
    (0, b"RF64", "it is an RF64 file"),
];

/// A sound as it was recorded.
#[derive(Debug, Clone, PartialEq)]
pub struct Recording {
    /// The sound at 16 kHz, channels averaged.
    pub clip: Clip,
    /// Samples a second in the file.
    pub rate: u32,
    /// The share of samples in the file at full scale, where a recording is clipped.
    pub clipped: f64,
}

/// Reads a WAV file: integers of 8, 16, 24 or 32 bits or floats of 32 or 64, any number of channels
/// (averaged), 4 to 384 kHz (resampled). A file cut off in its sound, or written to a pipe without a length,
/// is read as far as it goes.
///
/// # Errors
/// Bytes that are no WAV file, compressed sound, a length outside [`SHORTEST`](crate::clip::SHORTEST) to
/// [`LONGEST`] seconds, a sample that is not finite or far beyond full scale.
///
/// # Examples
/// ```
/// use rather_audio::wav;
///
/// let tone: Vec<f64> = (0..16_000).map(|n| 0.5 * (n as f64 * 0.1).sin()).collect();
/// let again = wav::read(&wav::write(&tone))?;
/// assert!(again.clip.samples().iter().zip(&tone).all(|(a, b)| (a - b).abs() < 1e-4)); // 16 bits
/// assert!(wav::read(b"OggS and so on").unwrap_err().to_string().contains("it is an Ogg file"));
/// # Ok::<(), rather_audio::Error>(())
/// ```
pub fn read(bytes: &[u8]) -> Result<Recording, Error> {
    let (format, data) = chunks(bytes)?;
    let frames = data.len() / format.frame();
    let length = frames as f64 / f64::from(format.rate);
    if length > LONGEST {
        return Err(Error::TooLong { seconds: length, most: LONGEST });
    }
    let mut clipped = 0;
    let mut samples = Vec::with_capacity(frames);
    for frame in data.chunks_exact(format.frame()) {
        let mut sum = 0.0;
        for bytes in frame.chunks_exact(format.width) {
            let value = format.sample(bytes);
            clipped += usize::from(value.abs() >= format.full_scale());
            sum += value;
        }
        samples.push(sum / f64::from(format.channels));
    }
    if let Some(n) = samples.iter().position(|x| !x.is_finite()) {
        return Err(Error::NotFinite { seconds: n as f64 / f64::from(format.rate) });
    }
    let clipped = clipped as f64 / (frames * usize::from(format.channels)).max(1) as f64;
    Ok(Recording { clip: Clip::new(to_sample_rate(&samples, format.rate))?, rate: format.rate, clipped })
}

/// Writes samples at 16 kHz as a WAV file of 16 bits, mono; what is beyond full scale is clipped.
pub fn write(samples: &[f64]) -> Vec<u8> {
    const WIDTH: u32 = 2;
    // 2^31 bytes are 18 hours: no clip comes near.
    let size = samples.len() as u32 * WIDTH;
    let rate = SAMPLE_RATE as u32;
    let mut bytes = Vec::with_capacity(44 + size as usize);
    bytes.extend_from_slice(b"RIFF");
    bytes.extend_from_slice(&(36 + size).to_le_bytes());
    bytes.extend_from_slice(b"WAVEfmt ");
    for (value, width) in [(16, 4), (1, 2), (1, 2), (rate, 4), (rate * WIDTH, 4), (WIDTH, 2), (8 * WIDTH, 2)]
    {
        bytes.extend_from_slice(&value.to_le_bytes()[..width]);
    }
    bytes.extend_from_slice(b"data");
    bytes.extend_from_slice(&size.to_le_bytes());
    for x in samples {
        bytes.extend_from_slice(&((x * 32_768.0).round().clamp(-32_768.0, 32_767.0) as i16).to_le_bytes());
    }
    bytes
}

/// How the samples of a file are coded.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Format {
    float: bool,
    channels: u16,
    rate: u32,
    /// Bytes of one sample of one channel.
    width: usize,
}

impl Format {
    /// The `fmt ` chunk. An extensible format names its real kind in its first bytes of a long identifier.
    fn parse(chunk: &[u8]) -> Result<Self, Error> {
        let (Some(mut tag), Some(channels), Some(rate), Some(block), Some(bits)) =
            (u16_at(chunk, 0), u16_at(chunk, 2), u32_at(chunk, 4), u16_at(chunk, 12), u16_at(chunk, 14))
        else {
            return Err(Error::NotWav { why: "its format chunk is too short" });
        };
        if tag == EXTENSIBLE {
            tag = u16_at(chunk, 24).ok_or(Error::NotWav { why: "its format chunk is too short" })?;
        }
        if tag != PCM && tag != FLOAT {
            return Err(Error::Unsupported { what: format!("compressed sound (code {tag})") });
        }
        if channels == 0 || block % channels != 0 {
            return Err(Error::NotWav { why: "its header contradicts itself" });
        }
        let (float, width) = (tag == FLOAT, usize::from(block / channels));
        if !matches!((float, width), (false, 1..=4) | (true, 4 | 8)) || usize::from(bits) > 8 * width {
            let kind = if float { "floats" } else { "integers" };
            return Err(Error::Unsupported { what: format!("{kind} of {bits} bits in {width} bytes") });
        }
        if !RATES.contains(&rate) {
            let requirement = "between 4000 and 384000 Hz";
            return Err(Error::Range { what: "the sampling rate", requirement, value: f64::from(rate) });
        }
        Ok(Self { float, channels, rate, width })
    }

    /// Bytes of one sample of all channels.
    fn frame(&self) -> usize {
        self.width * usize::from(self.channels)
    }

    /// A sample this large was clipped: the largest of 8 bits, or of the 16 that most sound once had.
    fn full_scale(&self) -> f64 {
        if self.width == 1 { 127.0 / 128.0 } else { 32_767.0 / 32_768.0 }
    }

    /// One sample, full scale 1. Integers of fewer bits than their bytes hold fill the upper ones.
    fn sample(&self, bytes: &[u8]) -> f64 {
        match (self.float, bytes) {
            (false, &[a]) => (f64::from(a) - 128.0) / 128.0,
            (false, &[a, b]) => f64::from(i16::from_le_bytes([a, b])) / 32_768.0,
            (false, &[a, b, c]) => f64::from(i32::from_le_bytes([0, a, b, c])) / 2_147_483_648.0,
            (false, &[a, b, c, d]) => f64::from(i32::from_le_bytes([a, b, c, d])) / 2_147_483_648.0,
            (true, &[a, b, c, d]) => f64::from(f32::from_le_bytes([a, b, c, d])),
            (true, &[a, b, c, d, e, f, g, h]) => f64::from_le_bytes([a, b, c, d, e, f, g, h]),
            // No other width passes the parser.
            _ => f64::NAN,
        }
    }
}

/// The format and the bytes of the sound.
fn chunks(bytes: &[u8]) -> Result<(Format, &[u8]), Error> {
    if let Some((.., why)) =
        OTHERS.iter().find(|(at, magic, _)| bytes.get(*at..).is_some_and(|b| b.starts_with(magic)))
    {
        return Err(Error::NotWav { why });
    }
    if !bytes.starts_with(b"RIFF") || bytes.get(8..12) != Some(b"WAVE".as_slice()) {
        return Err(Error::NotWav { why: "it does not start with RIFF and WAVE" });
    }
    let mut format = None;
    let mut at = 12;
    while let (Some(name), Some(length)) = (bytes.get(at..at + 4), u32_at(bytes, at + 4)) {
        let start = at + 8;
        let end = start.saturating_add(length as usize).min(bytes.len());
        match name {
            b"fmt " => format = Some(Format::parse(&bytes[start..end])?),
            b"data" => {
                let format = format.ok_or(Error::NotWav { why: "its sound comes before its format" })?;
                // A program that writes to a pipe cannot come back to fill in the length.
                return Ok((format, if length == 0 { &bytes[start..] } else { &bytes[start..end] }));
            }
            _ => {}
        }
        // Chunks start at even places.
        at = end + (length as usize & 1);
    }
    Err(Error::NotWav { why: "it has no sound (no data chunk)" })
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}
