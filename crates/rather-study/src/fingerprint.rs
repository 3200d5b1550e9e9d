//! Fingerprints of histories: the same number for the same history, on every machine and for every version of the compiler.

use crate::alternative::Alternative;
use crate::answer::Answer;

/// The 128-bit FNV-1a hash of a sequence of texts. It is no protection against somebody who wants two histories to have the
/// same fingerprint; whoever can write to the file needs none.
///
/// # References
/// Fowler, Noll, Vo, Eastlake and Hansen, *The FNV non-cryptographic hash algorithm* (IETF draft).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fingerprint(u128);

impl Fingerprint {
    const OFFSET: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;

    /// Of nothing.
    pub(crate) fn new() -> Self {
        Self(Self::OFFSET)
    }

    /// With `text` after what is there; its length keeps neighbours apart.
    pub(crate) fn text(self, text: &str) -> Self {
        self.bytes(text.as_bytes())
    }

    /// With `bytes` after what is there.
    pub(crate) fn bytes(mut self, bytes: &[u8]) -> Self {
        for byte in (bytes.len() as u64).to_le_bytes().iter().chain(bytes) {
            self.0 = (self.0 ^ u128::from(*byte)).wrapping_mul(Self::PRIME);
        }
        self
    }

    /// With an answer after what is there.
    pub(crate) fn answer<'a>(
        self,
        options: impl Iterator<Item = &'a Alternative>,
        answer: Answer,
        count: u32,
    ) -> Self {
        let options = options.fold(self, |so_far, option| so_far.text(&json(option)));
        options.text(&answer.name()).text(&count.to_string())
    }

    /// As text of 32 digits.
    pub(crate) fn hex(self) -> String {
        format!("{:032x}", self.0)
    }

    /// A number to seed a generator with.
    pub(crate) fn seed(self) -> u64 {
        (self.0 >> 64) as u64 ^ self.0 as u64
    }
}

/// An alternative as it is kept.
pub(crate) fn json(alternative: &Alternative) -> String {
    // Texts, numbers and maps with text keys can always be written; numbers are finite by construction.
    serde_json::to_string(alternative).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values_and_separated_texts() {
        // The draft's value for "a", without the length before it.
        let plain = Fingerprint((Fingerprint::OFFSET ^ 0x61).wrapping_mul(Fingerprint::PRIME));
        assert_eq!(plain.hex(), "d228cb696f1a8caf78912b704e4a8964");
        let of = |texts: &[&str]| texts.iter().fold(Fingerprint::new(), |f, t| f.text(t)).hex();
        assert_ne!(of(&["ab", "c"]), of(&["a", "bc"]));
        assert_ne!(of(&["ab"]), of(&["ab", ""]));
    }
}
