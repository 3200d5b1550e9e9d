//! WAV files against another library's, sampling rates against tones, and bytes that are no WAV file.

use hound::{SampleFormat, WavSpec, WavWriter};
use proptest::prelude::*;
use rather_audio::resample::to_sample_rate;
use rather_audio::wav::{read, write};
use std::f64::consts::TAU;
use std::io::Cursor;

fn tone(hertz: f64, rate: u32, samples: usize) -> Vec<f64> {
    (0..samples).map(|n| 0.5 * (TAU * hertz * n as f64 / f64::from(rate)).sin()).collect()
}

/// The sound as another library writes it, the same in all channels.
fn foreign(samples: &[f64], channels: u16, rate: u32, bits: u16, float: bool) -> Vec<u8> {
    let sample_format = if float { SampleFormat::Float } else { SampleFormat::Int };
    let spec = WavSpec { channels, sample_rate: rate, bits_per_sample: bits, sample_format };
    let mut bytes = Cursor::new(Vec::new());
    let mut writer = WavWriter::new(&mut bytes, spec).expect("a format it knows");
    for x in samples {
        for _ in 0..channels {
            if float {
                writer.write_sample(*x as f32).expect("memory");
            } else {
                writer.write_sample((x * f64::from(1_u32 << (bits - 1))).round() as i32).expect("memory");
            }
        }
    }
    writer.finalize().expect("memory");
    bytes.into_inner()
}

/// Half a step of the coding.
#[test]
fn reads_what_another_library_writes() {
    let sound = tone(440.0, 16_000, 12_000);
    for channels in [1, 2, 6] {
        for (bits, float) in [(8, false), (16, false), (24, false), (32, false), (32, true)] {
            let recording = read(&foreign(&sound, channels, 16_000, bits, float)).expect("a WAV file");
            assert_eq!((recording.rate, recording.clipped), (16_000, 0.0));
            let step = if float { 2f64.powi(-24) } else { 2f64.powi(1 - i32::from(bits)) };
            let worst =
                recording.clip.samples().iter().zip(&sound).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(worst <= 0.5 * step * (1.0 + 1e-9), "{bits} bits, float {float}: {worst}");
        }
    }
}

#[test]
fn another_library_reads_what_we_write() {
    let sound = tone(440.0, 16_000, 12_000);
    let mut reader = hound::WavReader::new(Cursor::new(write(&sound))).expect("a WAV file");
    let spec = reader.spec();
    assert_eq!((spec.channels, spec.sample_rate, spec.bits_per_sample), (1, 16_000, 16));
    let values: Vec<i16> = reader.samples::<i16>().map(|x| x.expect("a sample")).collect();
    assert!(values.iter().zip(&sound).all(|(v, x)| (f64::from(*v) / 32_768.0 - x).abs() <= 0.5 / 32_768.0));
    assert_eq!(values.len(), sound.len());
}

#[test]
fn beyond_full_scale_is_clipped_not_wrapped() {
    let bytes = write(&[2.0, -2.0, 1.0, -1.0]);
    let values: Vec<i16> = bytes[44..].chunks(2).map(|b| i16::from_le_bytes([b[0], b[1]])).collect();
    assert_eq!(values, [32_767, -32_768, 32_767, -32_768]);
}

/// The usual rates, and one that shares no factor with ours. Ends left out, where a tone starts from silence.
#[test]
fn tones_keep_their_pitch_phase_and_level_at_any_rate() {
    for rate in [8_000, 11_025, 22_050, 32_000, 44_100, 44_101, 48_000, 96_000] {
        for hertz in [60.0, 1000.0, 3300.0, 6900.0] {
            if hertz > 0.45 * f64::from(rate) {
                continue;
            }
            let here = to_sample_rate(&tone(hertz, rate, rate as usize), rate);
            let expected = tone(hertz, 16_000, 16_000);
            assert_eq!(here.len(), 16_000);
            let worst = (1000..15_000).map(|n| (here[n] - expected[n]).abs()).fold(0.0, f64::max);
            // The Kaiser window's ripple, 90 dB below, and the interpolation between kernels.
            assert!(worst < 1e-4, "{hertz} Hz at {rate}: {worst}");
        }
    }
}

/// What cannot be held at 16 kHz must vanish, not come back at another pitch.
#[test]
fn tones_above_8_khz_vanish() {
    for rate in [22_050, 44_100, 48_000, 96_000] {
        for hertz in [8_100.0, 9_500.0, 0.49 * f64::from(rate)] {
            let here = to_sample_rate(&tone(hertz, rate, rate as usize), rate);
            let worst = here[1000..15_000].iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            assert!(worst < 1e-4, "{hertz} Hz at {rate}: {worst}");
        }
    }
}

/// A header of one's own before a sound: format tag, width, other chunks, the length the data chunk claims.
fn homemade(tag: u16, width: u16, before: &[u8], claimed: u32, sound: &[u8]) -> Vec<u8> {
    let mut bytes = b"RIFF\xff\xff\xff\xffWAVE".to_vec();
    bytes.extend(before);
    bytes.extend(b"fmt \x10\0\0\0");
    bytes.extend(tag.to_le_bytes());
    bytes.extend(1_u16.to_le_bytes());
    bytes.extend(16_000_u32.to_le_bytes());
    bytes.extend((16_000 * u32::from(width)).to_le_bytes());
    bytes.extend(width.to_le_bytes());
    bytes.extend((8 * width).to_le_bytes());
    bytes.extend(b"data");
    bytes.extend(claimed.to_le_bytes());
    bytes.extend(sound);
    bytes
}

#[test]
fn reads_what_programs_really_write() {
    let sound = tone(440.0, 16_000, 12_000);
    let doubles: Vec<u8> = sound.iter().flat_map(|x| x.to_le_bytes()).collect();
    // Floats of 64 bits; a chunk of odd length and its padding; lengths left open by a pipe; a file cut off.
    for (before, claimed) in [
        (&b""[..], doubles.len() as u32),
        (&b"LIST\x03\0\0\0abc\0"[..], doubles.len() as u32),
        (&b""[..], 0),
        (&b""[..], u32::MAX),
        (&b""[..], 2 * doubles.len() as u32),
    ] {
        let recording = read(&homemade(3, 8, before, claimed, &doubles)).expect("a WAV file");
        assert_eq!(recording.clip.samples(), sound);
    }
}

#[test]
fn refuses_in_a_sentence() {
    let say = |bytes: &[u8]| read(bytes).expect_err("not to be read").to_string();
    let sound = [0_u8; 32_000];
    assert_eq!(
        say(b""),
        "this is not a WAV file: it does not start with RIFF and WAVE; save the sound as WAV (PCM) and try again"
    );
    assert!(say(b"ID3\x04 and so on").contains("it is an MP3 file"));
    assert!(say(b"\0\0\0\x20ftypM4A ").contains("it is an MPEG-4 file"));
    assert!(say(b"RIFF\0\0\0\0WAVE").contains("it has no sound"));
    assert_eq!(
        say(&homemade(7, 1, b"", 32_000, &sound)),
        "this WAV file has compressed sound (code 7); save it as PCM with 8, 16, 24 or 32 bits, or as float"
    );
    assert!(say(&homemade(1, 6, b"", 32_000, &sound)).contains("integers of 48 bits in 6 bytes"));
    assert!(
        say(&homemade(1, 2, b"", 2_000, &sound[..2_000]))
            .starts_with("the sound lasts 0.06 s; at least 0.5 s")
    );
    assert!(say(&homemade(1, 2, b"", 2_000_000, &[1; 2_000_000])).starts_with("the sound lasts 62.5 s"));
    let broken: Vec<u8> =
        [0.0, f64::INFINITY].repeat(8_000).iter().flat_map(|x: &f64| x.to_le_bytes()).collect();
    assert!(
        say(&homemade(3, 8, b"", 128_000, &broken))
            .starts_with("the sample at 0.000 s is not a finite number")
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Whatever is done to a header, the answer is a recording or a sentence.
    #[test]
    fn damaged_files_do_not_panic(
        damage in prop::collection::vec((0..60_usize, any::<u8>()), 0..6), length in 0..20_000_usize,
    ) {
        let mut bytes = foreign(&tone(440.0, 16_000, 9_000), 1, 16_000, 16, false);
        for (at, value) in damage {
            bytes[at] = value;
        }
        bytes.truncate(length);
        let _ = read(&bytes);
    }
}
