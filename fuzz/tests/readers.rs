//! Every reader on its corpus, and on some thousand mutations with a fixed seed. `cargo run --release -p rather-fuzz` does more.

use rather_fuzz::mutate::{Dice, mutate};
use rather_fuzz::{TARGETS, corpus, sealed};

/// Inputs for a reader with a share of one hundredth.
const INPUTS: usize = 100;

#[test]
fn no_input_brings_a_reader_down() {
    for reader in TARGETS {
        let corpus = corpus::inputs(reader.name);
        corpus.iter().for_each(|input| (reader.run)(input));
        let mut dice = Dice(u64::from(reader.share));
        for _ in 0..INPUTS * reader.share as usize {
            let [input, other] = [dice.below(corpus.len()), dice.below(corpus.len())].map(|i| &corpus[i]);
            (reader.run)(&mutate(input, other, &mut dice));
        }
    }
}

/// The checksum of a model file finds every change of a single bit, wherever it is.
#[test]
fn every_flipped_bit_of_a_model_file_is_found() {
    let path = std::path::Path::new("m.rather");
    let read = |bytes: &[u8]| {
        rather_io::model_file::from_bytes(path, bytes).and_then(|file| rather_io::saved_of(path, file))
    };
    let sealed: Vec<Vec<u8>> =
        corpus::inputs("models").into_iter().filter(|bytes| sealed::has_checksum(bytes)).collect();
    assert!(sealed.len() > 10, "only {} model files have a checksum", sealed.len());
    let mut checked = 0;
    for (number, mut bytes) in sealed.into_iter().enumerate() {
        assert!(read(&bytes).is_ok());
        for at in 0..bytes.len() {
            // All bits of the first file, one in each byte of the others.
            for bit in (0..8).filter(|bit| number == 0 || at % 8 == *bit) {
                bytes[at] ^= 1 << bit;
                assert!(read(&bytes).is_err(), "bit {bit} of byte {at} of file {number}");
                bytes[at] ^= 1 << bit;
                checked += 1;
            }
        }
    }
    assert!(checked >= 12_000, "only {checked} bits");
}
