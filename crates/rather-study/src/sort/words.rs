//! Which answer a judge's words are.

use crate::Answer;

/// The answer in words about these two items: one of them, 1 or 2, skip, or an outcome as tables have it.
///
/// # Examples
/// ```
/// use rather_study::{Answer, sort::in_words};
///
/// assert_eq!(in_words("green tea", "black tea", "green tea"), Some(Answer::Right));
/// assert_eq!(in_words("[[A>B]]", "black tea", "green tea"), Some(Answer::Left));
/// assert_eq!(in_words("milk", "black tea", "green tea"), None);
/// ```
pub fn in_words(text: &str, left: &str, right: &str) -> Option<Answer> {
    let text = text.trim();
    let preferred = match text {
        _ if text == left => 1,
        _ if text == right => -1,
        "1" => 1,
        "2" => -1,
        _ if text.eq_ignore_ascii_case("skip") => return Some(Answer::Skip),
        _ => rather_io::side_in_words(text)?,
    };
    Some(match preferred {
        1.. => Answer::Left,
        0 => Answer::Tie,
        _ => Answer::Right,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read() {
        for (text, answer) in [
            ("left", Answer::Left),
            (" B ", Answer::Right),
            ("1", Answer::Left),
            ("2", Answer::Right),
            ("tie", Answer::Tie),
            ("[[A>B]]", Answer::Left),
            ("green tea", Answer::Right),
            ("Skip", Answer::Skip),
        ] {
            assert_eq!(in_words(text, "black tea", "green tea"), Some(answer), "{text}");
        }
        for text in ["", "3", "tea", "I think the first"] {
            assert_eq!(in_words(text, "black tea", "green tea"), None, "{text}");
        }
        // An item called as the other side is itself.
        assert_eq!(in_words("right", "right", "wrong"), Some(Answer::Left));
    }
}
