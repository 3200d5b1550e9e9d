//! Text: how wide it is, how it is cut and wrapped, how it is written in XML.
//!
//! Widths are those of DejaVu Sans, the widest of the fonts that a figure asks for: with any other, text still fits.

use unicode_width::UnicodeWidthChar;

/// The fonts, the first that there is. Verdana has nearly the widths of DejaVu Sans.
pub(crate) const FONTS: &str = "'DejaVu Sans',Verdana,'Segoe UI','Helvetica Neue',Arial,sans-serif";

/// Widths of the characters from space to tilde, in hundredths of the font's size.
const ASCII: [u8; 95] = [
    32, 40, 46, 84, 64, 95, 78, 27, 39, 39, 50, 84, 32, 36, 32, 34, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64,
    34, 34, 84, 84, 84, 53, 100, 68, 69, 70, 77, 63, 58, 77, 75, 29, 29, 66, 56, 86, 75, 79, 60, 79, 69, 63,
    61, 73, 68, 99, 69, 61, 69, 39, 34, 39, 84, 50, 50, 61, 63, 55, 63, 62, 35, 63, 63, 28, 28, 58, 28, 97,
    63, 61, 63, 63, 41, 52, 39, 63, 59, 82, 59, 59, 52, 64, 34, 64, 84,
];

/// How much wider bold text is.
pub(crate) const BOLD: f64 = 1.12;

fn char_width(c: char) -> f64 {
    match (c as usize).checked_sub(32).and_then(|i| ASCII.get(i)) {
        Some(&w) => f64::from(w) / 100.0,
        None => match c.width() {
            Some(0) | None => 0.0,
            Some(1) => 0.66,
            Some(_) => 1.05,
        },
    }
}

/// Width of `text` at font size `size`.
pub(crate) fn width(text: &str, size: f64) -> f64 {
    text.chars().map(char_width).sum::<f64>() * size
}

/// `text` if it is no wider than `room`, else as much of it as is, and an ellipsis.
pub(crate) fn truncate(text: &str, size: f64, room: f64) -> String {
    if width(text, size) <= room {
        return text.to_owned();
    }
    let room = room - width("…", size);
    let mut taken = 0.0;
    let kept: String = text
        .chars()
        .take_while(|&c| {
            taken += char_width(c) * size;
            taken <= room
        })
        .collect();
    // A joiner that has nothing to join any more.
    format!("{}…", kept.trim_end_matches(['\u{200d}', '\u{fe0f}']).trim_end())
}

/// `text` in lines no wider than `room`; a word that is wider is cut.
pub(crate) fn wrap(text: &str, size: f64, room: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if width(line, size) + width(" ", size) + width(word, size) <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(truncate(word, size, room)),
        }
    }
    lines
}

/// `text` as the content of an XML element or attribute. What XML 1.0 does not allow becomes U+FFFD, a line break or a tab
/// a space.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\t' | '\n' | '\r' => out.push(' '),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// A number in so many significant digits, without needless zeros.
pub(crate) fn number(x: f64, digits: usize) -> String {
    if x == 0.0 {
        return "0".to_owned();
    }
    let scientific = format!("{x:.*e}", digits.max(1) - 1);
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..6).contains(&exponent) {
        let decimals = usize::try_from(digits as i32 - 1 - exponent).unwrap_or(0);
        return minus(&trim_zeros(&format!("{x:.decimals$}")));
    }
    minus(&format!("{}×10{}", trim_zeros(mantissa), superscript(exponent)))
}

/// With a minus sign instead of a hyphen.
pub(crate) fn minus(text: &str) -> String {
    text.replace('-', "−")
}

pub(crate) fn trim_zeros(text: &str) -> String {
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text.to_owned()
    }
}

pub(crate) fn superscript(exponent: i32) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let digit = |c: char| c.to_digit(10).map_or('⁻', |d| DIGITS[d as usize]);
    exponent.to_string().chars().map(digit).collect()
}

/// `n` and a noun, in the plural unless `n` is 1.
pub(crate) fn counted(n: usize, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_are_short() {
        let cases = [(0.0, "0"), (1.0, "1"), (-0.25, "−0.25"), (12345.6, "12346"), (99.96, "99.96")];
        for (x, text) in cases {
            assert_eq!(number(x, 5), text);
        }
        assert_eq!(number(0.0012345, 3), "0.00123");
        assert_eq!(number(-2.5e-7, 3), "−2.5×10⁻⁷");
        assert_eq!(number(9.999e5, 2), "1×10⁶");
    }

    #[test]
    fn emoji_are_not_left_in_halves() {
        let family = "👨\u{200d}👩\u{200d}👧 tea";
        for room in 0..60 {
            let cut = truncate(family, 10.0, f64::from(room));
            assert!(!cut.contains("\u{200d}…"), "{cut}");
        }
    }

    proptest! {
        #[test]
        fn escaped_text_has_no_markup(text in any::<String>()) {
            let escaped = escape(&text);
            prop_assert!(!escaped.contains(['<', '>', '"', '\'']));
            prop_assert!(escaped.chars().all(|c| !c.is_control()));
            for (at, _) in escaped.match_indices('&') {
                let entity = escaped[at..].split(';').next().unwrap_or_default();
                prop_assert!(["&amp", "&lt", "&gt", "&quot", "&#39"].contains(&entity));
            }
        }

        #[test]
        fn cut_text_fits(text in any::<String>(), room in 10.0..200.0_f64) {
            prop_assert!(width(&truncate(&text, 12.0, room), 12.0) <= room.max(12.0) + 1e-9);
            for line in wrap(&text, 12.0, room) {
                prop_assert!(width(&line, 12.0) <= room.max(12.0) + 1e-9);
            }
        }
    }
}
