//! Sounds on their way to a browser: WAV files of whole numbers as FLAC, which has the same samples in fewer bytes.

use super::{Format, Media};
use flac_codec::encode::{FlacSampleWriter, Options};
use std::io::Cursor;

/// Of smaller files there is nothing to save.
const SMALLEST: usize = 32 * 1024;

/// The same sound as FLAC, or as it is: if it is no WAV file, small, of other samples than whole numbers of 16 or 24 bits, damaged, or not smaller so.
pub fn packed(media: Media) -> Media {
    let fits = media.format == Format::Wav && media.bytes.len() >= SMALLEST;
    match fits.then(|| encoded(&media.bytes)).flatten() {
        Some(flac) if flac.len() < media.bytes.len() => Media { format: Format::Flac, bytes: flac.into() },
        _ => media,
    }
}

/// A WAV file as FLAC. The fastest settings: whoever asks waits for it.
fn encoded(wav: &[u8]) -> Option<Vec<u8>> {
    let reader = hound::WavReader::new(wav).ok()?;
    let spec = reader.spec();
    let whole = spec.sample_format == hound::SampleFormat::Int && matches!(spec.bits_per_sample, 16 | 24);
    let channels = u8::try_from(spec.channels).ok()?;
    let samples: Vec<i32> = reader.into_samples().collect::<Result<_, _>>().ok().filter(|_| whole)?;
    let (bits, total) = (u32::from(spec.bits_per_sample), samples.len() as u64);
    let mut flac = Cursor::new(Vec::new());
    let options = Options::fast().no_padding();
    let mut writer =
        FlacSampleWriter::new(&mut flac, options, spec.sample_rate, bits, channels, Some(total)).ok()?;
    writer.write(&samples).and_then(|()| writer.finalize()).ok()?;
    Some(flac.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;
    use flac_codec::decode::{FlacSampleReader, Metadata};

    /// A WAV file of so many bits with these samples, whose number is a multiple of the channels.
    fn wav(bits: u16, channels: u16, samples: &[i32]) -> Media {
        let spec = hound::WavSpec {
            channels,
            sample_rate: 48_000,
            bits_per_sample: bits,
            sample_format: hound::SampleFormat::Int,
        };
        let mut file = Cursor::new(Vec::new());
        let mut writer = hound::WavWriter::new(&mut file, spec).unwrap();
        for &sample in samples {
            writer.write_sample(sample).unwrap();
        }
        writer.finalize().unwrap();
        Media::of(file.into_inner()).unwrap()
    }

    /// A swelling tone with both extremes, silence, and some noise.
    fn tone(bits: u16, n: usize) -> Vec<i32> {
        let most = (1_i64 << (bits - 1)) - 1;
        let sample = |i: usize| match i {
            0 => -most - 1,
            1 => most,
            _ if i < 1000 => 0,
            _ => {
                let noise = (i * 2_654_435_761) % 97;
                (most as f64 * 0.5 * (i as f64 / n as f64) * (i as f64 * 0.01).sin()) as i64 + noise as i64
            }
        };
        (0..n).map(|i| sample(i) as i32).collect()
    }

    #[test]
    fn every_sample_is_the_same() {
        for (bits, channels, n) in [(16, 1, 40_000), (16, 2, 60_002), (24, 2, 40_000), (24, 6, 60_000)] {
            let samples = tone(bits, n);
            let packed = packed(wav(bits, channels, &samples));
            assert_eq!(packed.format, Format::Flac, "{bits} bits, {channels} channels");
            // Browsers, and another decoder, are asked in the studio's other tests.
            let reader = FlacSampleReader::new(packed.bytes.as_ref()).unwrap();
            assert_eq!(
                (reader.sample_rate(), reader.bits_per_sample(), reader.channel_count()),
                (48_000, u32::from(bits), u8::try_from(channels).unwrap())
            );
            assert_eq!(reader.into_iter().collect::<Result<Vec<_>, _>>().unwrap(), samples);
        }
    }

    #[test]
    fn what_cannot_be_packed_stays_as_it_is() {
        let small = wav(16, 1, &tone(16, 1000));
        let coarse = wav(8, 1, &tone(8, 40_000).iter().map(|&x| x.clamp(-128, 127)).collect::<Vec<_>>());
        let mut cut = wav(16, 1, &tone(16, 40_000));
        cut.bytes = cut.bytes.slice(..50_000);
        let text = Media::of(vec![b'a'; 50_000]).unwrap();
        for media in [small, coarse, cut, text] {
            assert_eq!(packed(media.clone()), media);
        }
    }
}
