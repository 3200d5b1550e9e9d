//! The result as one sentence: what is best, what else is about as good, and how sure that is.
//!
//! *About as good* is what is expected to be worse than the recommendation by no more than the study's limit of regret; the probability beside it
//! is that nothing at all is better by more than the same limit. Asking stops by that limit, too, so the three agree.

use crate::figures::picture::GoodRange;
use rather_study::Alternative;
use rather_study::study::Place;

/// So many items that are about as good are named.
const NAMED: usize = 3;
/// So many parameters are named in the sentence.
const PARAMETERS: usize = 3;

/// What is best, and the rest of the sentence, which may be nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Headline {
    /// `−14 dB`
    pub value: String,
    /// `anything from −20 to −8 dB is about as good`
    pub others: String,
}

impl Headline {
    /// Of a recommended setting.
    pub fn of_setting(ranges: &[GoodRange]) -> Self {
        match ranges {
            [one] => Self { value: one.value.clone(), others: alone(one) },
            several => Self { value: values(several), others: one_at_a_time(several) },
        }
    }

    /// Of a recommended item; `places` are the first ones of the ranking, and `limit` is how much worse is about as good.
    pub fn of_item(best: &Alternative, places: &[Place], limit: f64) -> Self {
        let value = best.to_string();
        let Some(own) = places.iter().find(|place| place.item == value) else {
            return Self { value, ..Self::default() };
        };
        let good = |place: &&Place| {
            place.compared && place.item != value && place.utility.mean >= own.utility.mean - limit
        };
        let names: Vec<String> = places.iter().filter(good).map(|place| place.item.clone()).collect();
        Self { others: are_good(&names), value }
    }
}

/// Of the only parameter.
fn alone(range: &GoodRange) -> String {
    match (range.others.as_str(), range.choices) {
        ("", _) => String::new(),
        (others, false) => format!("anything from {others} is about as good"),
        (others, true) => are_good(&others.split(", ").map(str::to_owned).collect::<Vec<_>>()),
    }
}

fn values(ranges: &[GoodRange]) -> String {
    let one = |range: &GoodRange| format!("{} {}", range.name, range.value);
    ranges.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn one_at_a_time(ranges: &[GoodRange]) -> String {
    let named: Vec<&GoodRange> = ranges.iter().filter(|range| !range.others.is_empty()).collect();
    if named.is_empty() || ranges.len() > PARAMETERS {
        return String::new();
    }
    let one = |range: &&GoodRange| format!("{} {}", range.name, range.others);
    format!("about as good, one changed at a time: {}", named.iter().map(one).collect::<Vec<_>>().join(", "))
}

/// `Assam and Sencha are about as good`.
fn are_good(names: &[String]) -> String {
    let shown = &names[..names.len().min(NAMED)];
    match (shown, names.len() - shown.len()) {
        ([], _) => String::new(),
        ([one], 0) => format!("{one} is about as good"),
        ([first @ .., last], 0) => format!("{} and {last} are about as good", first.join(", ")),
        (shown, more) => format!("{} and {more} more are about as good", shown.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(name: &str, value: &str, others: &str, choices: bool) -> GoodRange {
        GoodRange { name: name.into(), value: value.into(), others: others.into(), choices }
    }

    #[test]
    fn a_result_is_one_sentence() {
        let floor = range("floor", "−14 dB", "−20 to −8 dB", false);
        let grind = range("grind", "fine", "medium, coarse", true);
        let sentence = |ranges: &[GoodRange]| {
            let Headline { value, others } = Headline::of_setting(ranges);
            format!("{value}; {others}")
        };
        assert_eq!(
            sentence(std::slice::from_ref(&floor)),
            "−14 dB; anything from −20 to −8 dB is about as good"
        );
        assert_eq!(sentence(std::slice::from_ref(&grind)), "fine; medium and coarse are about as good");
        assert_eq!(
            sentence(&[floor.clone(), grind]),
            "floor −14 dB, grind fine; about as good, one changed at a time: floor −20 to −8 dB, grind medium, coarse"
        );
        assert_eq!(sentence(&[GoodRange { others: String::new(), ..floor }]), "−14 dB; ");
        let names = ["a", "b", "c", "d", "e"].map(str::to_owned);
        assert_eq!(are_good(&names), "a, b, c and 2 more are about as good");
    }
}
