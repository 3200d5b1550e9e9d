//! The words of outcomes and labels.

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
    if ["tie", "draw", "="].contains(&lower.as_str()) {
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
