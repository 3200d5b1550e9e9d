//! Text tables for people, and numbers in them.

use crate::output::printable;
pub(crate) use rather_io::{count, counted};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The width that sentences keep within.
const PAGE: usize = 80;
/// Between two columns.
const GAP: &str = "  ";

/// On which side of its column a cell stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// Text; long ones are cut so that the table fits the page.
    Left,
    /// Numbers.
    Right,
}

/// Rows of cells under a header.
pub(crate) struct Table {
    sides: Vec<Side>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these columns.
    pub(crate) fn new<'a>(columns: impl IntoIterator<Item = (&'a str, Side)>) -> Self {
        let (names, sides) = columns.into_iter().map(|(name, side)| (name.to_owned(), side)).unzip();
        Self { sides, rows: vec![names] }
    }

    /// Adds a row.
    pub(crate) fn push(&mut self, row: impl IntoIterator<Item = String>) {
        self.rows.push(row.into_iter().map(|cell| printable(&cell)).collect());
    }

    /// The table as lines of text, as wide as the terminal if there is one, else as wide as its cells. A column that is empty in every row is left
    /// out.
    pub(crate) fn render(&self) -> String {
        let terminal = terminal_size::terminal_size_of(std::io::stdout());
        self.render_within(terminal.map_or(usize::MAX, |(width, _)| usize::from(width.0)))
    }

    /// As [`Table::render`], within so many columns.
    fn render_within(&self, page: usize) -> String {
        let widths = self.widths(page);
        let mut text = String::new();
        for row in &self.rows {
            let shown = (0..widths.len()).filter(|&i| widths[i] > 0);
            let cells: Vec<String> = shown.map(|i| pad(&row[i], widths[i], self.sides[i])).collect();
            text += cells.join(GAP).trim_end();
            text.push('\n');
        }
        text
    }

    /// The widths of the columns: as wide as their cells, but the widest texts give way where the page ends.
    fn widths(&self, page: usize) -> Vec<usize> {
        let mut widths = vec![0; self.sides.len()];
        for (i, width) in widths.iter_mut().enumerate() {
            if self.rows.iter().skip(1).any(|row| !row[i].is_empty()) {
                *width = self.rows.iter().map(|row| row[i].width()).max().unwrap_or(0);
            }
        }
        let shown = widths.iter().filter(|&&w| w > 0).count();
        let room = page.saturating_sub(GAP.len() * shown.saturating_sub(1));
        while widths.iter().sum::<usize>() > room {
            let texts = (0..widths.len()).filter(|&i| self.sides[i] == Side::Left);
            match texts.max_by_key(|&i| widths[i]) {
                Some(widest) if widths[widest] > self.rows[0][widest].width().max(6) => widths[widest] -= 1,
                _ => break,
            }
        }
        widths
    }
}

fn pad(cell: &str, width: usize, side: Side) -> String {
    let cell = shorten(cell, width);
    let space = " ".repeat(width.saturating_sub(cell.width()));
    match side {
        Side::Left => cell + &space,
        Side::Right => space + &cell,
    }
}

/// `text` in at most `width` columns of a terminal, cut with `…` if need be.
fn shorten(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut taken = 0;
    let mut out: String = text
        .chars()
        .take_while(|c| {
            taken += c.width().unwrap_or(0);
            taken < width
        })
        .collect();
    out.push('…');
    out
}

/// `text` in lines that fit the page.
pub(crate) fn wrap(text: &str) -> String {
    let (mut out, mut column) = (String::new(), 0);
    for word in text.split_whitespace() {
        let width = word.width();
        if column > 0 && column + 1 + width > PAGE {
            out.push('\n');
            column = 0;
        } else if column > 0 {
            out.push(' ');
            column += 1;
        }
        out += word;
        column += width;
    }
    out.push('\n');
    out
}

/// A number in four significant digits.
pub(crate) fn number(x: f64) -> String {
    let size = x.abs();
    if x == 0.0 || !x.is_finite() {
        return x.to_string();
    }
    if !(1e-4..1e6).contains(&size) {
        return format!("{x:.3e}");
    }
    // Rounding to four digits may carry: 9.9996 is 10.00.
    let exponent = format!("{x:.3e}").split('e').nth(1).and_then(|e| e.parse::<i32>().ok()).unwrap_or(0);
    format!("{x:.*}", usize::try_from(3 - exponent).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_four_digits() {
        let cases =
            [(0.0, "0"), (1.0, "1.000"), (9.9996, "10.00"), (-0.012345, "-0.01235"), (123456.7, "123457")];
        for (x, text) in cases {
            assert_eq!(number(x), text);
        }
        assert_eq!(number(1.5e-7), "1.500e-7");
        assert_eq!(number(2e300), "2.000e300");
    }

    #[test]
    fn counts_have_commas() {
        let cases = [(0, "0"), (999, "999"), (1000, "1,000"), (1234567, "1,234,567")];
        for (n, text) in cases {
            assert_eq!(count(n), text);
        }
        assert_eq!(counted(1, "item"), "1 item");
    }

    #[test]
    fn wide_names_are_cut_to_the_page() {
        let mut table = Table::new([("item", Side::Left), ("label", Side::Left), ("mean", Side::Right)]);
        table.push(["寿司".repeat(40), String::new(), "1.000".into()]);
        table.push(["a\u{1b}[31m".into(), String::new(), "2.000".into()]);
        let text = table.render_within(PAGE);
        assert!(text.lines().all(|line| line.width() <= PAGE), "{text}");
        // Nothing is cut that is read by a program.
        assert!(table.render_within(usize::MAX).contains(&"寿司".repeat(40)));
        assert!(text.contains('…') && !text.contains('\u{1b}') && !text.contains("label"));
    }

    #[test]
    fn long_text_is_wrapped() {
        let text = wrap(&"word ".repeat(40));
        assert!(text.lines().all(|line| line.len() <= PAGE));
        assert_eq!(text.split_whitespace().count(), 40);
    }
}
