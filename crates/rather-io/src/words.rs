//! The words of outcomes and labels.

use crate::names;

/// What people write who choose none of the options that they were shown.
const NONE: &[&str] = &[
    "none",
    "none of these",
    "none of them",
    "none of the above",
    "neither",
    "neither of these",
    "no choice",
    "opt out",
    "opt-out",
    "optout",
    "no purchase",
];

/// Whether a choice is one for none of the options.
///
/// # Examples
/// ```
/// assert!(rather_io::is_none("None of these") && !rather_io::is_none("nonesuch"));
/// ```
pub fn is_none(value: &str) -> bool {
    NONE.contains(&value.trim().to_lowercase().as_str())
}

/// How strong a preference an outcome tells in words or signs: for the left 1 a little (`a little left`, `slightly left`), 2 plainly
/// (`left`, `>`), 3 much (`much left`, `>>`), 4 very much (`very much left`, `>>>`); negative for the right, 0 for a tie (`tie`, `draw`, `=`).
///
/// # Examples
/// ```
/// use rather_io::outcome_in_words;
///
/// assert_eq!(outcome_in_words("Much left"), Some(3));
/// assert_eq!(outcome_in_words("<"), Some(-2));
/// assert_eq!(outcome_in_words("Oolong"), None);
/// ```
pub fn outcome_in_words(value: &str) -> Option<i8> {
    let lower = value.trim().to_lowercase();
    if TIES.contains(&lower.as_str()) {
        return Some(0);
    }
    let signs = |sign: char| lower.len() <= 3 && lower.chars().all(|c| c == sign);
    if !lower.is_empty() && signs('>') {
        return Some(1 + lower.len() as i8);
    }
    if !lower.is_empty() && signs('<') {
        return Some(-1 - lower.len() as i8);
    }
    let (how, side) = lower.rsplit_once(' ').unwrap_or(("", &lower));
    let how = match how.trim() {
        "little" | "slightly" => "a little",
        how => how,
    };
    let strength = 1 + STRENGTHS.iter().position(|&word| word == how)? as i8;
    match side {
        "left" => Some(strength),
        "right" => Some(-strength),
        _ => None,
    }
}

/// The words of a tie.
const TIES: [&str; 9] =
    ["tie", "draw", "=", "tied", "drawn", "equal", "same", "no preference", "no_preference"];

/// Other words of the left item; of a tie; and of the right item.
const LEFT: &[&str] = &["a", "l", "first", "1st", "x", "h", "home", "w", "white", "one", "1-0", "+"];
const NEITHER: &[&str] = &[
    "both",
    "neither",
    "either",
    "c",
    "t",
    "d",
    "none",
    "1/2-1/2",
    "½-½",
    "undecided",
    "indifferent",
    "equally good",
    "x=y",
    "a=b",
];
const RIGHT: &[&str] = &["b", "r", "second", "2nd", "y", "away", "black", "two", "0-1", "-"];

/// As [`outcome_in_words`], in words that may well be keys of items: `A`, `L`, `first`, `model_a`, `left_wins`, `[[A>>B]]`, `both`, `1-0`.
///
/// # Examples
/// ```
/// use rather_io::side_in_words;
///
/// assert_eq!(side_in_words("[[A>>B]]"), Some(3));
/// assert_eq!(side_in_words("model_b"), Some(-2));
/// assert_eq!(side_in_words("Oolong"), None);
/// ```
pub fn side_in_words(value: &str) -> Option<i8> {
    let lower = value.to_lowercase();
    let bare = lower
        .trim_matches(|c: char| matches!(c, '[' | ']' | '(' | ')' | '"' | '\'' | '.') || c.is_whitespace());
    // Who is better by signs between the two.
    if let Some(at) = bare.find(['>', '<', '=']) {
        let end = bare.len() - bare.chars().rev().position(|c| matches!(c, '>' | '<' | '='))?;
        let (signs, sides) = (bare.get(at..end)?, [bare.get(..at)?.trim(), bare.get(end..)?.trim()]);
        let said = if signs == "~=" || signs == "==" { 0 } else { outcome_in_words(signs)? };
        return match (side(sides[0])?, side(sides[1])?) {
            (2, -2) => Some(said),
            (-2, 2) => Some(-said),
            _ => None,
        };
    }
    let ended = [" wins", "_wins", " win", "_win", " won", " is better", "_better", " better", " preferred"];
    let bare = ended.iter().find_map(|end| bare.strip_suffix(end)).unwrap_or(bare);
    side(bare.trim()).or_else(|| outcome_in_words(bare))
}

/// Which of two items a word names: 2 the left one, -2 the right one, 0 both alike.
fn side(word: &str) -> Option<i8> {
    let of = |word: &str| {
        let is = |words: &[&str]| words.contains(&word);
        match (is(LEFT) || word == "left", is(RIGHT) || word == "right", is(NEITHER)) {
            (true, _, _) => Some(2),
            (_, true, _) => Some(-2),
            (_, _, true) => Some(0),
            _ => None,
        }
    };
    // What `model_a` and `option 2` end in.
    let numbered = || {
        let (_, end) = word.rsplit_once(['_', ' ', '-']).filter(|(stem, _)| names::is_stem(stem))?;
        match end {
            "a" | "1" | "left" => Some(2),
            "b" | "2" | "right" => Some(-2),
            _ => None,
        }
    };
    of(word).or_else(numbered)
}

/// The words before a side for each strength of a preference, from 1.
const STRENGTHS: [&str; 4] = ["a little", "", "much", "very much"];

/// The word before a side for a strength.
pub(crate) fn of_strength(strength: u8) -> &'static str {
    usize::from(strength).checked_sub(1).and_then(|at| STRENGTHS.get(at)).copied().unwrap_or_default()
}

/// Of words about both of two items: whether both are good (`both good`, `both bad`, `tie (bothbad)`).
///
/// # Examples
/// ```
/// assert_eq!(rather_io::both_in_words("both bad"), Some(false));
/// ```
pub fn both_in_words(value: &str) -> Option<bool> {
    let letters: String = value.to_lowercase().chars().filter(char::is_ascii_alphabetic).collect();
    match letters.strip_prefix("tie").unwrap_or(&letters) {
        "bothgood" => Some(true),
        "bothbad" => Some(false),
        _ => None,
    }
}

/// Whether a word says that an item is of the class; `None` if it is no such word.
///
/// # Examples
/// ```
/// use rather_io::label_in_words;
///
/// assert_eq!(label_in_words("Yes"), Some(true));
/// assert_eq!(label_in_words("0"), Some(false));
/// assert_eq!(label_in_words("perhaps"), None);
/// ```
pub fn label_in_words(value: &str) -> Option<bool> {
    match value.trim().to_lowercase().as_str() {
        "yes" | "true" | "1" => Some(true),
        "no" | "false" | "0" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_have_many_words() {
        for (words, said) in [
            (
                &[
                    "A",
                    "L",
                    "first",
                    "model_a",
                    "option 1",
                    "left_wins",
                    "A wins",
                    "[[A]]",
                    "[[A>B]]",
                    "B<A",
                    "1-0",
                    "assistant a",
                    "X",
                ][..],
                Some(2),
            ),
            (&["b", "R", "Second", "model_b", "right wins", "[[B]]", "[[B>A]]", "A<B", "0-1", "Y"], Some(-2)),
            (&["both", "neither", "[[A=B]]", "1/2-1/2", "a=b", "[[C]]"], Some(0)),
            (&["[[A>>B]]"], Some(3)),
            (&["[[B>>A]]", "a<<b"], Some(-3)),
            (&["rather left", "not a", "A>A", "best", "", "a b", "1", "A>?"], None),
        ] {
            for word in words {
                assert_eq!(side_in_words(word), said, "{word}");
            }
        }
        assert_eq!(outcome_in_words("No preference"), Some(0));
    }
}
