//! Cells of tables that a spreadsheet takes for text, whatever somebody called an item.

/// A cell that is no formula: one that begins as formulas do stands behind an apostrophe, which spreadsheets take for the mark of a text. Numbers stay.
pub fn safe(cell: &str) -> String {
    let formula = cell.starts_with(['=', '+', '-', '@', '\t', '\r']) && cell.parse::<f64>().is_err();
    if formula { format!("'{cell}") } else { cell.to_owned() }
}

/// The cell that [`safe`] made this one of.
pub fn read(cell: &str) -> &str {
    match cell.strip_prefix('\'') {
        Some(rest) if safe(rest) != rest => rest,
        _ => cell,
    }
}

/// A table with every cell changed by `change`; what is no table stays as it is.
pub fn each_cell(table: &[u8], change: impl Fn(&str) -> String) -> Vec<u8> {
    let changed = || -> Result<Vec<u8>, csv::Error> {
        let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(table);
        let mut writer = csv::WriterBuilder::new().flexible(true).from_writer(Vec::new());
        for record in reader.records() {
            writer.write_record(record?.iter().map(&change))?;
        }
        writer.into_inner().map_err(|e| e.into_error().into())
    };
    changed().unwrap_or_else(|_| table.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_texts_and_come_back() {
        for (cell, shown) in [
            ("=1+2", "'=1+2"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("-3 dB", "'-3 dB"),
            ("-3.5", "-3.5"),
            ("tea", "tea"),
            ("'quoted", "'quoted"),
        ] {
            assert_eq!(safe(cell), shown);
            assert_eq!(read(shown), cell);
        }
        let table = b"left,right\n=1,\"a, b\"\n";
        let shown = each_cell(table, safe);
        assert_eq!(shown, b"left,right\n'=1,\"a, b\"\n");
        assert_eq!(each_cell(&shown, |cell| read(cell).to_owned()), table);
    }
}
