//! Where in a file something stands, and how a value is shown in a message.

use std::fmt;
use std::path::PathBuf;

/// A row of a file, as its reader counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Position {
    /// The physical line of a text file on which the row begins; the header is line 1.
    Line(u64),
    /// The row of a file that has no lines; the first row of data is row 1.
    Row(u64),
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => write!(f, "line {line}"),
            Self::Row(row) => write!(f, "row {row}"),
        }
    }
}

/// A row of a file: `items.csv, line 3`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file, as its user named it.
    pub path: PathBuf,
    /// The row in it.
    pub position: Position,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}", self.path.display(), self.position)
    }
}

/// A cell of a file: `items.csv, line 3, column "price"`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell {
    /// The row.
    pub place: Place,
    /// The column's name.
    pub column: String,
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, column {}", self.place, quote(&self.column))
    }
}

/// The longest value a message shows whole, in characters.
const SHOWN: usize = 40;

/// A value of the user's in quotation marks: control characters escaped, long ones cut with `…`.
pub fn quote(value: &str) -> String {
    let mut shown = String::from("\"");
    for (i, c) in value.chars().enumerate() {
        if i == SHOWN {
            shown.push('…');
            break;
        }
        if c.is_control() { shown.extend(c.escape_default()) } else { shown.push(c) }
    }
    shown.push('"');
    shown
}

/// Names joined by commas, each as [`quote`] shows it; of a long list the first dozen.
pub fn list(names: &[String]) -> String {
    const LISTED: usize = 12;
    let mut shown: Vec<String> = names.iter().take(LISTED).map(|name| quote(name)).collect();
    if names.len() > LISTED {
        shown.push(format!("… ({} in all)", names.len()));
    }
    shown.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_shown_short_and_printable() {
        assert_eq!(quote("cheap"), "\"cheap\"");
        assert_eq!(quote("a\nb\u{7}"), "\"a\\nb\\u{7}\"");
        assert_eq!(quote(&"x".repeat(40)), format!("\"{}\"", "x".repeat(40)));
        assert_eq!(quote(&"é".repeat(41)), format!("\"{}…\"", "é".repeat(40)));
    }

    #[test]
    fn long_lists_are_cut() {
        let names: Vec<String> = (0..14).map(|i| i.to_string()).collect();
        assert!(list(&names).ends_with("\"11\", … (14 in all)"));
        assert_eq!(list(&names[..2]), "\"0\", \"1\"");
    }
}
