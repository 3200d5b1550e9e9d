//! Mutations of inputs: of bytes, of numbers in text and in binary, of lines, and of the JSON in a model file.

use crate::sealed;
use serde_json::{Value, json};

/// Pseudo-random numbers, the same for the same seed (SplitMix64; Steele, Lea and Flood 2014).
#[derive(Debug, Clone)]
pub struct Dice(pub u64);

impl Dice {
    /// The next number.
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`; 0 if `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        if n == 0 { 0 } else { (self.draw() % n as u64) as usize }
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}

/// Inputs grow to so many bytes and no further.
const LONGEST: usize = 1 << 16;
/// Numbers, words and signs that mean something to a reader.
const WORDS: [&str; 46] = [
    "0",
    "-0",
    "-1",
    "1e308",
    "-1e308",
    "1e-320",
    "1e999",
    "NaN",
    "inf",
    "-inf",
    "4294967295",
    "4294967296",
    "18446744073709551615",
    "-9223372036854775808",
    "0.1e-400",
    "007",
    "1_000",
    "\"",
    "\"\"",
    ",",
    ";",
    "\t",
    "\n",
    "\r\n",
    "\0",
    "\u{feff}",
    "é",
    "\u{202e}",
    " ",
    "=",
    ">",
    "<",
    ">>>",
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    "*",
    "+",
    "left",
    "tie",
    "true",
    "null",
    "ranking",
];
/// Numbers as bytes.
const FLOATS: [f64; 10] = [0.0, -0.0, -1.0, 1e308, -1e308, 1e-308, 1e154, f64::NAN, f64::INFINITY, 5e-324];
const WHOLE: [u64; 7] = [0, 1, 255, 1 << 31, 1 << 32, 1 << 63, u64::MAX];

/// Changes `input` in one to four places; `other` is another input of the same kind.
pub fn mutate(input: &[u8], other: &[u8], dice: &mut Dice) -> Vec<u8> {
    let mut bytes = input.to_vec();
    if dice.below(3) == 0
        && let Some(changed) = in_header(&bytes, dice)
    {
        return changed;
    }
    for _ in 0..=dice.below(4) {
        step(&mut bytes, other, dice);
        bytes.truncate(LONGEST);
    }
    if dice.below(8) > 0 {
        sealed::seal(&mut bytes);
    }
    bytes
}

fn step(bytes: &mut Vec<u8>, other: &[u8], dice: &mut Dice) {
    let at = dice.below(bytes.len());
    let end = bytes.len().min(at + 1 + dice.below(32));
    match dice.below(12) {
        0 if !bytes.is_empty() => bytes[at] ^= 1 << dice.below(8),
        1 if !bytes.is_empty() => bytes[at] = dice.draw() as u8,
        2 => bytes.truncate(at),
        3 => drop(bytes.drain(at..end)),
        4 => {
            // The same again, so often that counts overflow.
            let part = bytes[at..end].to_vec();
            let times = 1 << dice.below(8);
            insert(bytes, at, &part.repeat(times));
        }
        5 => insert(bytes, at, dice.pick(&WORDS).as_bytes()),
        6 => splice(bytes, at, other, dice),
        7 | 8 => number_in_text(bytes, dice),
        9 => number_in_binary(bytes, dice),
        10 => line(bytes, dice),
        _ => insert(bytes, at, &[dice.draw() as u8; 3]),
    }
}

fn insert(bytes: &mut Vec<u8>, at: usize, part: &[u8]) {
    drop(bytes.splice(at..at, part.iter().copied()));
}

/// The beginning of one input and the end of another.
fn splice(bytes: &mut Vec<u8>, at: usize, other: &[u8], dice: &mut Dice) {
    bytes.truncate(at);
    bytes.extend_from_slice(&other[dice.below(other.len())..]);
}

/// Puts an extreme number in the place of one that is written in digits.
fn number_in_text(bytes: &mut Vec<u8>, dice: &mut Dice) {
    let digits = |b: &u8| b.is_ascii_digit() || matches!(b, b'.' | b'-' | b'e');
    let from = dice.below(bytes.len());
    let Some(start) = bytes[from..].iter().position(|b| b.is_ascii_digit()).map(|i| from + i) else { return };
    let end = start + bytes[start..].iter().take_while(|b| digits(b)).count();
    drop(bytes.splice(start..end, dice.pick(&WORDS[..17]).bytes()));
}

/// Puts an extreme number in the place of eight bytes at a multiple of eight, or of four.
fn number_in_binary(bytes: &mut [u8], dice: &mut Dice) {
    let number = if dice.below(2) == 0 { dice.pick(&FLOATS).to_bits() } else { *dice.pick(&WHOLE) };
    let at = dice.below(bytes.len()) / 4 * 4;
    if let Some(place) = bytes.get_mut(at..at + 8) {
        place.copy_from_slice(&number.to_le_bytes());
    }
}

/// Repeats, removes or swaps lines.
fn line(bytes: &mut Vec<u8>, dice: &mut Dice) {
    let mut lines: Vec<Vec<u8>> = bytes.split(|&b| b == b'\n').map(<[u8]>::to_vec).collect();
    let (a, b) = (dice.below(lines.len()), dice.below(lines.len()));
    match dice.below(3) {
        0 => lines.insert(b, lines[a].clone()),
        1 => drop(lines.remove(a)),
        _ => lines.swap(a, b),
    }
    *bytes = lines.join(&b'\n');
}

/// A model file with a part of its header changed: of the JSON that describes the model, or of that which describes the tensors.
fn in_header(bytes: &[u8], dice: &mut Dice) -> Option<Vec<u8>> {
    let (mut outer, data) = sealed::split(bytes)?;
    let text = outer.get("__metadata__")?.get("header")?.as_str()?.to_owned();
    let mut inner: Value = serde_json::from_str(&text).ok()?;
    for _ in 0..=dice.below(2) {
        if dice.below(6) == 0 { spoil(&mut outer, dice) } else { spoil(&mut inner, dice) }
    }
    if let Some(place) = outer.get_mut("__metadata__").and_then(|m| m.get_mut("header")) {
        *place = Value::String(inner.to_string());
    }
    Some(sealed::join(&outer, data))
}

/// Puts something else in the place of a random part of a JSON value.
fn spoil(value: &mut Value, dice: &mut Dice) {
    let parts: Vec<&mut Value> = match value {
        Value::Array(parts) => parts.iter_mut().collect(),
        Value::Object(parts) => parts.values_mut().collect(),
        _ => Vec::new(),
    };
    if !parts.is_empty() && dice.below(16) > 0 {
        let at = dice.below(parts.len());
        return parts.into_iter().nth(at).into_iter().for_each(|part| spoil(part, dice));
    }
    let others = [
        json!(null),
        json!(0),
        json!(-1),
        json!(1e308),
        json!(-1e308),
        json!(1e-308),
        json!(1e100),
        json!(u64::MAX),
        json!(1),
        json!(""),
        json!([]),
        json!({}),
        json!(true),
        json!([0, 0]),
        json!("ep"),
        json!(1_000_000),
        json!("white"),
        json!(0.5),
    ];
    *value = dice.pick(&others).clone();
}
