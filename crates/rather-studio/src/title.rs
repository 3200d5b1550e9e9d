//! What a study may be called.

/// A longer title is a mistake.
const LONGEST: usize = 120;

/// Whether a title is one line of text. An empty one is for whoever asks to judge.
///
/// # Errors
/// The sentence that says what is wrong.
pub fn check(title: &str) -> Result<(), String> {
    if title.chars().count() > LONGEST {
        return Err(format!("a title has at most {LONGEST} characters; shorten it"));
    }
    if title.chars().any(|c| c.is_control() || is_of_direction(c)) {
        return Err("a title is one line of plain text; remove what is not seen".to_owned());
    }
    Ok(())
}

/// Whether a character turns the direction of the text after it, by which a title could be made to read as another.
fn is_of_direction(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn a_title_is_a_line_of_text() {
        for fine in ["", "Tea", "שלום", "Thé & café, 2nd"] {
            assert_eq!(check(fine), Ok(()));
        }
        for bad in ["a\nb", "bell\u{7}", "\u{202e}live", &"x".repeat(121)] {
            assert!(check(bad).is_err(), "{bad:?}");
        }
    }
}
