//! How a table called what a model numbers.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::Error;
use crate::likelihood::Preference;

/// How a table called what a model numbers, so that a model from a file can be asked, and answers, in the same words.
///
/// # Examples
/// ```
/// use rather::Comparison;
/// use rather::model::{FitSettings, Items, Model, Naming};
///
/// let items = Items { keys: vec!["7".into(), "12".into()], columns: vec![] };
/// let duels = [Comparison { winner: 1, loser: 0, count: 3.0 }];
/// let model = Model::fit(&items, &duels, &FitSettings::default(), &|_| ())?;
/// let model = model.with_naming(Naming { integer_items: true, ..Naming::default() })?;
/// assert!(model.naming().integer_items);
/// # Ok::<(), rather::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Naming {
    /// Whether the items' names are whole numbers, which the keys are in decimal digits; text otherwise.
    pub integer_items: bool,
    /// The same for users, of a model that has them by name.
    pub integer_users: bool,
    /// The ratings that the levels stand for, the lowest first; empty without ratings, or where the levels themselves were given.
    pub levels: Vec<f64>,
    /// The words before a side that the grades of a preference stand for, the weakest first ("a little", "", "much"); empty without
    /// grades, or where the grades themselves were given.
    pub grades: Vec<String>,
    /// The columns of the table of items that was learned from, with those that are no features, in their order; empty where they are not told.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<String>,
}

impl Naming {
    /// What may be said, in the words of the table.
    pub(crate) fn outcomes(&self, all: Vec<Vec<(Preference, f64)>>) -> Vec<Vec<(String, f64)>> {
        let name = |(outcome, p): (Preference, f64)| (outcome.name(&self.grades), p);
        all.into_iter().map(|outcomes| outcomes.into_iter().map(name).collect()).collect()
    }

    /// Whether this is what a table without whole numbers and without ratings has.
    pub(crate) fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// Whether keys, users, so many levels and so many grades can be called so.
    pub(crate) fn check(
        &self,
        items: &[String],
        users: &[String],
        (levels, grades): (usize, usize),
    ) -> Result<(), Error> {
        let whole = |keys: &[String]| keys.iter().all(|key| is_integer(key));
        if (self.integer_items && !whole(items)) || (self.integer_users && !whole(users)) {
            return Err(Error::ModelParts {
                what: "the names are not integers, though the model declares them as such",
            });
        }
        let ordered = self.levels.is_sorted_by(|a, b| a < b) && self.levels.iter().all(|l| l.is_finite());
        if !ordered || !(self.levels.is_empty() || self.levels.len() == levels) {
            return Err(Error::ModelParts { what: "the ratings are not those of its levels" });
        }
        let words: BTreeSet<&String> = self.grades.iter().collect();
        let short = words.iter().all(|word| word.len() <= LONGEST);
        let told = self.grades.is_empty() || self.grades.len() == grades;
        if !(told && short && words.len() == self.grades.len()) {
            return Err(Error::ModelParts { what: "the words for grades are not those of its grades" });
        }
        Ok(())
    }
}

/// The most characters of a whole number or of a word for a grade, far beyond any that is meant; reading digits takes time in the square
/// of their number.
const LONGEST: usize = 100;

/// Whether a text is a whole number as it is printed: digits without leading zeros, with a minus sign before a negative one.
fn is_integer(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let canonical = text == "0" || (!digits.is_empty() && !digits.starts_with('0'));
    text.len() <= LONGEST && canonical && digits.bytes().all(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_are_those_that_are_printed_so() {
        for text in ["0", "7", "-12", "123456789012345678901234567890"] {
            assert!(is_integer(text), "{text}");
        }
        for text in ["", "-", "-0", "007", "+1", "1.0", "1 ", "a", "١"] {
            assert!(!is_integer(text), "{text}");
        }
    }

    #[test]
    fn names_and_levels_must_be_those_of_the_model() {
        let keys = |keys: &[&str]| keys.iter().map(|&k| k.to_owned()).collect::<Vec<_>>();
        let (numbers, texts) = (keys(&["1", "2"]), keys(&["1", "tea"]));
        let naming = Naming { integer_items: true, levels: vec![1.0, 2.5], ..Naming::default() };
        assert_eq!(naming.check(&numbers, &texts, (2, 0)), Ok(()));
        for (items, levels) in [(&texts, 2), (&numbers, 3)] {
            assert!(naming.check(items, &[], (levels, 0)).is_err());
        }
        for levels in [vec![2.0, 1.0], vec![1.0, 1.0], vec![1.0, f64::NAN], vec![1.0, f64::INFINITY]] {
            assert!(Naming { levels, ..Naming::default() }.check(&[], &[], (2, 0)).is_err());
        }
        let graded =
            |words: &[&str]| Naming { grades: keys(words), ..Naming::default() }.check(&[], &[], (0, 2));
        assert!(graded(&["", "much"]).is_ok() && graded(&[]).is_ok());
        for wrong in [&["much"][..], &["much", "much"], &["", &"m".repeat(101)]] {
            assert!(graded(wrong).is_err(), "{wrong:?}");
        }
    }
}
