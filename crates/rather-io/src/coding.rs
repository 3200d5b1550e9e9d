//! Numbers as outcomes: which side 1 stands for is told by all that the column has.

use crate::error::Error;
use crate::note::Note;
use crate::number;
use crate::table::Table;
use std::collections::BTreeSet;

/// How the outcomes of a column are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Coding {
    /// In words and signs, or as the key of the better item.
    Words,
    /// 1 is the left item, 0 the right one, and 0.5 a tie.
    Share,
    /// As [`Coding::Share`], and there are fractions: each is the probability that the left item is preferred.
    SoftShare,
    /// 1 is the left item, -1 the right one, and 0 a tie.
    Sign,
    /// 1 is the left item, 2 the right one, and 1.5 or 0 a tie.
    Place,
    /// As [`Coding::Place`], and there are fractions: 2 minus each is the probability that the left item is preferred.
    SoftPlace,
}

/// What a number says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Said {
    /// As words do: 2 for the left item, -2 for the right one, 0 for a tie.
    Outcome(i8),
    /// The probability that the left item is preferred.
    Probability(f64),
}

/// Rows after which a column that has had no number is taken for one of words.
const LOOKED_AT: usize = 100;
/// Distinct values that a sentence names.
const NAMED: usize = 12;

impl Coding {
    /// How the column `outcome` is written, beside the items in `sides`, with a note if it is by numbers.
    pub(crate) fn of(
        table: &mut Table,
        sides: [usize; 2],
        outcome: usize,
    ) -> Result<(Self, Option<Note>), Error> {
        let (mut seen, mut rows, mut are_keys) = (Seen::default(), 0, true);
        table.scan(&[sides[0], sides[1], outcome], |row| {
            rows += 1;
            let bytes = row.bytes(outcome);
            if let Some(value) = std::str::from_utf8(bytes).ok().and_then(parse) {
                seen.add(value);
                are_keys &= sides.iter().any(|&side| row.bytes(side) == bytes);
            }
            rows < LOOKED_AT || seen.any
        });
        // The key of the winner may be a number.
        if !seen.any || are_keys {
            return Ok((Self::Words, None));
        }
        let (path, column) = (table.path().to_path_buf(), table.header()[outcome].clone());
        let Some(coding) = seen.coding() else {
            let values = seen.named.iter().map(|&bits| ordered(bits).to_string()).collect();
            return Err(Error::UnknownCoding { path, column, values });
        };
        let sides = sides.map(|side| table.header()[side].clone());
        Ok((coding, Some(Note::Coding { path, column, sides, coding: coding.in_words() })))
    }

    /// What a cell says, if it is a number.
    pub(crate) fn read(self, text: &str) -> Option<Said> {
        self.says(parse(text)?)
    }

    fn says(self, value: f64) -> Option<Said> {
        let hard = |left: bool| Some(Said::Outcome(if left { 2 } else { -2 }));
        match self {
            Self::Words => None,
            Self::Sign if value == 0.0 => Some(Said::Outcome(0)),
            Self::Sign => hard(value > 0.0),
            Self::Share if value == 0.5 => Some(Said::Outcome(0)),
            Self::Share | Self::SoftShare if value == 1.0 || value == 0.0 => hard(value == 1.0),
            Self::Share | Self::SoftShare => Some(Said::Probability(value)),
            Self::Place | Self::SoftPlace if value == 0.0 => Some(Said::Outcome(0)),
            Self::Place if value == 1.5 => Some(Said::Outcome(0)),
            Self::Place | Self::SoftPlace if value == 1.0 || value == 2.0 => hard(value == 1.0),
            Self::Place | Self::SoftPlace => Some(Said::Probability(2.0 - value)),
        }
    }

    /// The codes of the left item, of the right one, and of a tie, with what fractions are.
    fn in_words(self) -> [&'static str; 4] {
        let fractions = "; fractions between are probabilities";
        match self {
            Self::Words => ["", "", "", ""],
            Self::Share => ["1", "0", "0.5", ""],
            Self::SoftShare => ["1", "0", "0.5", fractions],
            Self::Sign => ["1", "-1", "0", ""],
            Self::Place => ["1", "2", "1.5 or 0", ""],
            Self::SoftPlace => ["1", "2", "0", fractions],
        }
    }
}

/// Outcomes that a table has as numbers: 1 for the left item, and what all of them together tell for the right one and for a tie.
#[derive(Debug, Clone, PartialEq)]
pub enum Coded {
    /// 2 for the left item, -2 for the right one, 0 for a tie.
    Outcomes(Vec<i8>),
    /// There are fractions: probabilities that the left item is preferred.
    Probabilities(Vec<f64>),
}

/// What a whole column of `numbers` says; `None` if no coding has all of them.
///
/// # Examples
/// ```
/// use rather_io::{Coded, coded};
///
/// assert_eq!(coded(&[1.0, 0.0, 0.5]), Some(Coded::Outcomes(vec![2, -2, 0])));
/// assert_eq!(coded(&[1.0, 2.0]), Some(Coded::Outcomes(vec![2, -2])));
/// assert_eq!(coded(&[1.0, 0.3]), Some(Coded::Probabilities(vec![1.0, 0.3])));
/// assert_eq!(coded(&[7.0]), None);
/// ```
pub fn coded(numbers: &[f64]) -> Option<Coded> {
    let mut seen = Seen::default();
    numbers.iter().for_each(|&value| seen.add(value));
    let coding = seen.coding()?;
    let said: Vec<Said> = numbers.iter().map(|&value| coding.says(value)).collect::<Option<_>>()?;
    if !seen.soft {
        let outcome = |said: &Said| if let Said::Outcome(outcome) = said { Some(*outcome) } else { None };
        return Some(Coded::Outcomes(said.iter().filter_map(outcome).collect()));
    }
    let probability = |said: &Said| match *said {
        Said::Outcome(outcome) => 0.5 + 0.25 * f64::from(outcome),
        Said::Probability(p) => p,
    };
    Some(Coded::Probabilities(said.iter().map(probability).collect()))
}

/// A number, or a truth value as 1 or 0.
fn parse(text: &str) -> Option<f64> {
    let truth = || number::parse_bool(text).map(|truth| f64::from(u8::from(truth)));
    number::parse(text).ok().or_else(truth)
}

/// The values of a column, as far as they tell its coding.
#[derive(Debug, Default)]
struct Seen {
    any: bool,
    /// Bits that sort as the numbers do, of some of them.
    named: BTreeSet<i64>,
    /// Whether there is a number outside -1, 0, 1; outside 0 to 1; outside 0 and 1 to 2.
    beyond_sign: bool,
    beyond_share: bool,
    beyond_place: bool,
    /// Whether there is a fraction that is neither 0.5 nor 1.5.
    soft: bool,
}

impl Seen {
    fn add(&mut self, value: f64) {
        self.any = true;
        self.beyond_sign |= ![-1.0, 0.0, 1.0].contains(&value);
        self.beyond_share |= !(0.0..=1.0).contains(&value);
        self.beyond_place |= value != 0.0 && !(1.0..=2.0).contains(&value);
        self.soft |= value.fract() != 0.0 && value != 0.5 && value != 1.5;
        if self.named.len() < NAMED {
            self.named.insert(sortable(value + 0.0));
        }
    }

    fn coding(&self) -> Option<Coding> {
        match (self.beyond_share, self.beyond_sign, self.beyond_place) {
            (false, _, _) => Some(if self.soft { Coding::SoftShare } else { Coding::Share }),
            (_, false, _) => Some(Coding::Sign),
            (_, _, false) => Some(if self.soft { Coding::SoftPlace } else { Coding::Place }),
            _ => None,
        }
    }
}

fn sortable(value: f64) -> i64 {
    let bits = value.to_bits() as i64;
    bits ^ (((bits >> 63) as u64) >> 1) as i64
}

fn ordered(bits: i64) -> f64 {
    f64::from_bits((bits ^ (((bits >> 63) as u64) >> 1) as i64) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn coding(values: &[f64]) -> Option<Coding> {
        let mut seen = Seen::default();
        values.iter().for_each(|&value| seen.add(value));
        seen.coding()
    }

    #[test]
    fn all_values_tell_the_coding() {
        for (values, expected) in [
            (&[1.0, 0.0][..], Some(Coding::Share)),
            (&[1.0], Some(Coding::Share)),
            (&[0.0, 0.5], Some(Coding::Share)),
            (&[0.0, 0.5, 0.3], Some(Coding::SoftShare)),
            (&[1.0, -1.0], Some(Coding::Sign)),
            (&[0.0, -1.0], Some(Coding::Sign)),
            (&[1.0, 2.0], Some(Coding::Place)),
            (&[1.0, 2.0, 0.0, 1.5], Some(Coding::Place)),
            (&[1.0, 1.73], Some(Coding::SoftPlace)),
            (&[1.0, 2.0, 3.0], None),
            (&[-1.0, 0.5], None),
            (&[0.5, 2.0], None),
        ] {
            assert_eq!(coding(values), expected, "{values:?}");
        }
    }

    #[test]
    fn numbers_say_what_their_coding_tells() {
        use Said::{Outcome, Probability};
        for (coding, text, said) in [
            (Coding::Share, "1", Some(Outcome(2))),
            (Coding::Share, "False", Some(Outcome(-2))),
            (Coding::Share, "0.5", Some(Outcome(0))),
            (Coding::SoftShare, "0.5", Some(Probability(0.5))),
            (Coding::Sign, "-1", Some(Outcome(-2))),
            (Coding::Place, "2.0", Some(Outcome(-2))),
            (Coding::SoftPlace, "1.75", Some(Probability(0.25))),
            (Coding::Share, "tie", None),
        ] {
            assert_eq!(coding.read(text), said, "{coding:?} {text}");
        }
        assert_eq!(ordered(sortable(-1.5)), -1.5);
        assert!(
            sortable(-1.5) < sortable(-1.0)
                && sortable(-1.0) < sortable(0.0)
                && sortable(0.5) < sortable(2.0)
        );
    }
}
