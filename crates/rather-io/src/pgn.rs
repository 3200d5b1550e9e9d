//! Games of chess in portable game notation (PGN): a row a game, a column a tag. Moves are passed over.

use crate::error::Error;
use crate::memory_rows::MemoryRows;
use std::path::Path;

/// Whether bytes begin with a tag: `[Event "..."]`.
pub(crate) fn is_pgn(bytes: &[u8]) -> bool {
    let first = bytes.split(|&b| b == b'\n').map(<[u8]>::trim_ascii).find(|line| !line.is_empty());
    first.and_then(|line| std::str::from_utf8(line).ok()).and_then(tag).is_some()
}

/// The name and the value of `[White "Morphy"]`.
fn tag(line: &str) -> Option<(&str, String)> {
    let inside = line.trim().strip_prefix('[')?.strip_suffix(']')?;
    let (name, value) = inside.split_once(char::is_whitespace)?;
    let value = value.trim().strip_prefix('"')?.strip_suffix('"')?;
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_name.then(|| (name, value.replace("\\\"", "\"")))
}

/// Reads all games. A date with points, `1858.10.31`, becomes one with dashes, and one that is not known is empty.
pub(crate) fn read(path: &Path, bytes: &[u8]) -> Result<(Vec<String>, MemoryRows), Error> {
    // Older files are in Latin-1; their names stay what they are, letter for letter.
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().map(|&b| char::from(b)).collect(),
    };
    let mut header: Vec<String> = Vec::new();
    let mut rows: Vec<(u64, Vec<String>)> = Vec::new();
    let mut in_tags = false;
    for (line, number) in text.lines().zip(1..) {
        let Some((name, mut value)) = tag(line) else {
            in_tags &= line.trim().is_empty();
            continue;
        };
        if name.ends_with("Date") {
            value = if value.contains('?') { String::new() } else { value.replace('.', "-") };
        }
        let column = header.iter().position(|known| known == name).unwrap_or_else(|| {
            header.push(name.to_owned());
            header.len() - 1
        });
        let is_again = |rows: &[(u64, Vec<String>)]| {
            rows.last().is_some_and(|(_, cells)| cells.get(column).is_some_and(|cell| !cell.is_empty()))
        };
        // A game without moves ends where a tag comes again.
        if !in_tags || is_again(&rows) {
            rows.push((number, Vec::new()));
        }
        in_tags = true;
        if let Some((_, cells)) = rows.last_mut() {
            cells.resize(cells.len().max(column + 1), String::new());
            cells[column] = value;
        }
    }
    if rows.is_empty() {
        return Err(Error::EmptyFile { path: path.to_path_buf() });
    }
    Ok((header, MemoryRows::new(rows, true)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Row;

    #[test]
    fn games_are_rows() {
        let text = "[Event \"A \\\"cup\\\"\"]\n[Date \"1858.10.31\"]\n[White \"Morphy\"]\n[Black \"Duke\"]\n[Result \"1-0\"]\n\n\
                    1. e4 {[%clk 0:1] a \"word\"} e5 1-0\n\n[White \"Anderssen\"]\n[Black \"Morphy\"]\n[Result \"1/2-1/2\"]\n[Date \"????.??.??\"]\n\n*\n";
        assert!(is_pgn(text.as_bytes()) && !is_pgn(b"[[A>B]],x\n") && !is_pgn(b"{\"a\": 1}"));
        let (header, mut rows) = read(Path::new("t.pgn"), text.as_bytes()).unwrap();
        assert_eq!(header, ["Event", "Date", "White", "Black", "Result"]);
        let (mut row, mut all) = (Row::default(), Vec::new());
        while rows.read(header.len(), &mut row) {
            all.push((
                row.id().0,
                row.cells.iter().map(|c| String::from_utf8_lossy(c).into_owned()).collect::<Vec<_>>(),
            ));
        }
        assert_eq!(
            all[0],
            (1, ["A \"cup\"", "1858-10-31", "Morphy", "Duke", "1-0"].map(str::to_owned).to_vec())
        );
        assert_eq!(all[1], (9, ["", "", "Anderssen", "Morphy", "1/2-1/2"].map(str::to_owned).to_vec()));
        assert_eq!(all.len(), 2);
    }
}
