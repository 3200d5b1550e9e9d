//! What the voice says, and when: sentences in ARPABET, set out in time.

use super::phone::{Segment, pause, segments};
use rand_chacha::ChaCha8Rng;
use rather_numerics::random;

/// Sentences of our own. A digit after a vowel is its stress; a comma is a short pause.
const SENTENCES: [&str; 7] = [
    // Which of these would you rather hear?
    "W IH1 CH AH0 V DH IY1 Z W UH0 D Y UW0 R AE1 DH ER0 HH IH1 R .",
    // The evening was quiet, and the sea was calm.
    "DH AH0 IY1 V N IH0 NG W AH0 Z K W AY1 AH0 T , AH0 N DH AH0 S IY1 W AH0 Z K AA1 M .",
    // Shall we walk along the river again?
    "SH AE1 L W IY0 W AO1 K AH0 L AO1 NG DH AH0 R IH1 V ER0 AH0 G EH1 N ?",
    // My sister showed us a much shorter way home.
    "M AY1 S IH1 S T ER0 SH OW1 D AH0 S AH0 M AH1 CH SH AO1 R T ER0 W EY1 HH OW1 M .",
    // Five boats came in before the storm.
    "F AY1 V B OW1 T S K EY1 M IH1 N B IH0 F AO1 R DH AH0 S T AO1 R M .",
    // Is there some tea for the visitors too?
    "IH1 Z DH EH0 R S AH0 M T IY1 F ER0 DH AH0 V IH1 Z AH0 T ER0 Z T UW1 ?",
    // Now the garden is full of yellow leaves.
    "N AW1 DH AH0 G AA1 R D AH0 N IH0 Z F UH1 L AH0 V Y EH1 L OW0 L IY1 V Z .",
];

/// Milliseconds between sentences, and at a comma.
const BETWEEN: f64 = 420.0;
const COMMA: f64 = 170.0;
/// An unstressed vowel is this much of a stressed one, in length and in loudness.
const UNSTRESSED: [f64; 2] = [0.62, 0.75];
/// The last vowel of a sentence and what follows it last so much longer.
const FINAL: f64 = 1.45;

/// Segments one after another, and where sentences lie (in milliseconds).
#[derive(Debug, Clone)]
pub(super) struct Speech {
    pub(super) segments: Vec<Segment>,
    pub(super) sentences: Vec<Sentence>,
}

/// A sentence in time: where it starts and ends, the middles of its stressed vowels, whether its pitch rises.
#[derive(Debug, Clone)]
pub(super) struct Sentence {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) accents: Vec<f64>,
    pub(super) asks: bool,
}

impl Speech {
    /// How long it lasts.
    pub(super) fn milliseconds(&self) -> usize {
        self.segments.iter().map(|s| s.length).sum::<f64>().round() as usize
    }
}

/// A sentence before it has a place in time: its segments, the middles of its stressed vowels, whether it asks.
struct Spoken {
    segments: Vec<Segment>,
    accents: Vec<f64>,
    asks: bool,
}

/// The segments of a phone, and whether it is stressed.
struct Phone {
    segments: Vec<Segment>,
    stressed: bool,
}

/// As many sentences, in random order, as come nearest to `seconds`; then spoken a little faster or slower to
/// fit.
pub(super) fn compose(seconds: f64, rng: &mut ChaCha8Rng) -> Speech {
    let target = 1000.0 * seconds;
    let mut chosen: Vec<Spoken> = Vec::new();
    let mut length = 0.0;
    let mut bag: Vec<usize> = Vec::new();
    loop {
        if bag.is_empty() {
            bag = (0..SENTENCES.len()).collect();
        }
        let next = (random::uniform(rng) * bag.len() as f64) as usize;
        let sentence = spoken(SENTENCES[bag.swap_remove(next)]);
        let more: f64 = sentence.segments.iter().map(|s| s.length).sum::<f64>() + BETWEEN;
        if !chosen.is_empty() && length + 0.5 * more > target {
            break;
        }
        length += more;
        chosen.push(sentence);
    }
    set_out(chosen, (target / length).clamp(0.8, 1.25))
}

/// Sentences one after another, each followed by a pause, at a pace.
fn set_out(chosen: Vec<Spoken>, pace: f64) -> Speech {
    let mut speech = Speech { segments: Vec::new(), sentences: Vec::new() };
    let mut at = 0.0;
    for Spoken { segments, accents, asks } in chosen {
        let from = at;
        for segment in segments {
            at += segment.length * pace;
            speech.segments.push(Segment { length: segment.length * pace, ..segment });
        }
        let accents = accents.iter().map(|a| from + a * pace).collect();
        speech.sentences.push(Sentence { from: from as usize, to: at as usize, accents, asks });
        speech.segments.push(pause(BETWEEN * pace));
        at += BETWEEN * pace;
    }
    speech
}

/// Reads a sentence: lengths and loudness by stress and place.
fn spoken(text: &str) -> Spoken {
    let phones: Vec<Phone> = text.split_whitespace().filter_map(phone).collect();
    let last = phones.iter().rposition(|p| p.segments[0].vowel).unwrap_or(0);
    let (mut segments, mut accents, mut at) = (Vec::new(), Vec::new(), 0.0);
    for (i, phone) in phones.iter().enumerate() {
        for segment in &phone.segments {
            let mut segment = *segment;
            if segment.vowel && !phone.stressed {
                segment.length *= UNSTRESSED[0];
                segment.voice *= UNSTRESSED[1];
            }
            if i >= last {
                segment.length *= FINAL;
            }
            if segment.vowel && phone.stressed {
                accents.push(at + 0.5 * segment.length);
            }
            at += segment.length;
            segments.push(segment);
        }
    }
    Spoken { segments, accents, asks: text.ends_with('?') }
}

/// A phone by its name with its stress; the end of a sentence is none.
fn phone(word: &str) -> Option<Phone> {
    if word == "," {
        return Some(Phone { segments: vec![pause(COMMA)], stressed: false });
    }
    let name = word.trim_end_matches(|c: char| c.is_ascii_digit());
    segments(name).map(|segments| Phone { segments, stressed: word.ends_with('1') })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_phone_of_every_sentence_is_known() {
        for word in SENTENCES.iter().flat_map(|s| s.split_whitespace()).filter(|w| !matches!(*w, "." | "?")) {
            assert!(phone(word).is_some(), "{word}");
        }
    }

    #[test]
    fn speech_has_about_the_length_asked_for() {
        for seed in 0..50 {
            for seconds in [5.0, 7.5, 20.0] {
                let speech = compose(seconds, &mut random::stream(seed, 0));
                let found = speech.milliseconds() as f64 / 1000.0;
                assert!((found / seconds - 1.0).abs() < 0.01, "{found} s for {seconds} s");
            }
        }
    }
}
