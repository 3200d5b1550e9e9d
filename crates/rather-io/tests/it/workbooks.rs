//! Excel workbooks, and matrices of NumPy beside tables.

use crate::folder::Folder;
use proptest::prelude::*;
use rather::features::ColumnValues::{Numeric, Text};
use rather_io::{ItemOptions, ItemTable, Reading, Tied, read_answers, read_items, settle};
use std::fmt::Write as _;
use std::io::{Cursor, Write as _};
use zip::write::SimpleFileOptions;

/// A cell: a text, a number, a truth value, a date (a number in days since 1899-12-30 with a format of dates), a fault, or nothing.
enum Cell {
    Text(&'static str),
    Number(f64),
    Truth(bool),
    Date(f64),
    Fault(&'static str),
    Empty,
}
use Cell::{Date, Empty, Fault, Number, Text as Word, Truth};

/// An archive of these entries.
fn archive(entries: &[(&str, String)]) -> Vec<u8> {
    let mut out = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in entries {
        out.start_file(*name, SimpleFileOptions::default()).unwrap();
        out.write_all(text.as_bytes()).unwrap();
    }
    out.finish().unwrap().into_inner()
}

/// The rows of a sheet, from row `first` and column C on.
fn sheet(first: usize, rows: &[Vec<Cell>]) -> String {
    let mut out = String::from(
        "<worksheet xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"><sheetData>",
    );
    for (cells, row) in rows.iter().zip(first..) {
        write!(out, "<row r=\"{row}\">").unwrap();
        for (cell, column) in cells.iter().zip('C'..) {
            let at = format!("r=\"{column}{row}\"");
            match cell {
                Word(text) => write!(out, "<c {at} t=\"inlineStr\"><is><t>{text}</t></is></c>"),
                Number(x) => write!(out, "<c {at}><v>{x}</v></c>"),
                Truth(b) => write!(out, "<c {at} t=\"b\"><v>{}</v></c>", u8::from(*b)),
                Date(days) => write!(out, "<c {at} s=\"1\"><v>{days}</v></c>"),
                Fault(name) => write!(out, "<c {at} t=\"e\"><v>{name}</v></c>"),
                Empty => write!(out, "<c {at}/>"),
            }
            .unwrap();
        }
        out += "</row>";
    }
    out + "</sheetData></worksheet>"
}

/// A workbook of these sheets, of which the first may be hidden.
fn workbook(sheets: &[(&str, String)], hidden: bool) -> Vec<u8> {
    let number = |k: usize| k + 1;
    let named: String = (sheets.iter().enumerate())
        .map(|(k, (name, _))| {
            let state = if hidden && k == 0 { " state=\"hidden\"" } else { "" };
            format!("<sheet name=\"{name}\" sheetId=\"{n}\"{state} r:id=\"rId{n}\"/>", n = number(k))
        })
        .collect();
    let main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
    let office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    let package = "http://schemas.openxmlformats.org/package/2006/relationships";
    let targets: String = (0..sheets.len())
        .map(|k| {
            let n = number(k);
            format!(
                "<Relationship Id=\"rId{n}\" Type=\"{office}/worksheet\" Target=\"worksheets/sheet{n}.xml\"/>"
            )
        })
        .collect();
    let dates =
        "<cellXfs count=\"2\"><xf numFmtId=\"0\"/><xf numFmtId=\"14\" applyNumberFormat=\"1\"/></cellXfs>";
    let mut entries = vec![
        (
            "_rels/.rels",
            format!(
                "<Relationships xmlns=\"{package}\"><Relationship Id=\"rId1\" Type=\"{office}/officeDocument\" Target=\"xl/workbook.xml\"/></Relationships>"
            ),
        ),
        (
            "xl/workbook.xml",
            format!("<workbook xmlns=\"{main}\" xmlns:r=\"{office}\"><sheets>{named}</sheets></workbook>"),
        ),
        (
            "xl/_rels/workbook.xml.rels",
            format!("<Relationships xmlns=\"{package}\">{targets}</Relationships>"),
        ),
        ("xl/styles.xml", format!("<styleSheet xmlns=\"{main}\">{dates}</styleSheet>")),
    ];
    let names: Vec<String> =
        (0..sheets.len()).map(|k| format!("xl/worksheets/sheet{}.xml", number(k))).collect();
    entries.extend(names.iter().zip(sheets).map(|(name, (_, sheet))| (name.as_str(), sheet.clone())));
    archive(&entries)
}

fn teas() -> String {
    sheet(
        3,
        &[
            vec![Word("tea"), Word("price"), Word("black"), Word("since"), Word("kind")],
            vec![Word("Assam"), Number(8.5), Truth(true), Date(46053.0), Word("x")],
            vec![Word(" Oolong "), Number(7.0), Truth(false), Date(46054.5), Fault("#N/A")],
            vec![],
            vec![Number(3.0), Empty, Truth(true), Date(46055.0), Word("y")],
        ],
    )
}

fn items(folder: &Folder, name: &str) -> Result<ItemTable, String> {
    read_items(&folder.path(name), &ItemOptions::default()).map_err(|error| folder.sentence(&error))
}

#[test]
fn a_sheet_is_a_table() {
    let folder = Folder::new();
    folder.write("teas.xlsx", workbook(&[("Teas", teas())], false));
    let table = items(&folder, "teas.xlsx").unwrap();
    assert_eq!(table.keys, ["Assam", "Oolong", "3"]);
    let values: Vec<_> = table.columns.iter().map(|column| &column.values).collect();
    let Numeric(prices) = values[0] else { panic!("prices are numbers") };
    assert!(prices[..2] == [8.5, 7.0] && prices[2].is_nan());
    assert_eq!(values[1], &Numeric(vec![1.0, 0.0, 1.0]));
    // 31 January 2026, the next noon, and the day after.
    let day = rather_io::days("2026-01-31").unwrap();
    assert_eq!(values[2], &Numeric(vec![day, day + 1.5, day + 2.0]));
    assert_eq!(values[3], &Text(["x", "missing", "y"].map(str::to_owned).to_vec()));
    assert_eq!(table.notes, []);
    assert_eq!(rather_io::told(&table.told[2..3]), "since: dates (days since 1970-01-01)");
}

#[test]
fn sheets_have_names() {
    let folder = Folder::new();
    let votes = |winner, loser| {
        sheet(
            1,
            &[
                vec![Word("winner"), Word("loser")],
                vec![Word(winner), Word(loser)],
                vec![Word("Oolong"), Word("3")],
            ],
        )
    };
    let sheets = [("Teas", teas()), ("May", votes("Assam", "Oolong")), ("June 2", votes("Assam", "Olong"))];
    folder.write("all.xlsx", workbook(&sheets, false));
    let table = items(&folder, "all.xlsx").unwrap();
    assert_eq!(
        folder.sentence(&table.notes[0]),
        "all.xlsx: read the first sheet, \"Teas\"; all.xlsx#SHEET reads another one: \"May\", \"June 2\""
    );
    let table = items(&folder, "all.xlsx#Teas").unwrap();
    assert_eq!(table.notes, []);
    let read = |name: &str| {
        read_answers(&folder.path(name), &table, &Reading::ANY).map_err(|error| folder.sentence(&error))
    };
    let answers = settle(vec![read("all.xlsx#May").unwrap()], Tied::Kept).unwrap();
    assert_eq!(answers.comparisons().len(), 2);
    assert_eq!(
        read("all.xlsx#June 2").unwrap_err(),
        "all.xlsx#June 2, row 2, column \"loser\": there is no item \"Olong\" in all.xlsx#Teas; did you mean \"Oolong\"?"
    );
    assert_eq!(
        items(&folder, "all.xlsx#July").unwrap_err(),
        "all.xlsx#July has no sheet \"July\"; its sheets are \"Teas\", \"May\", \"June 2\""
    );
    // One that is hidden is read if it is named.
    folder.write("all.xlsx", workbook(&[("Notes", votes("a", "4")), ("Teas", teas())], true));
    assert_eq!(items(&folder, "all.xlsx").unwrap().keys[0], "Assam");
    assert_eq!(items(&folder, "all.xlsx#Notes").unwrap().keys, ["a", "Oolong"]);
}

#[test]
fn other_archives_have_their_sentences() {
    let folder = Folder::new();
    for (entry, sentence) in [
        (
            "content.xml",
            "looks like an OpenDocument table, and tables are CSV, JSON, Parquet or Excel workbooks; save it as .xlsx or CSV",
        ),
        (
            "xl/workbook.bin",
            "looks like a binary Excel workbook, and tables are CSV, JSON, Parquet or Excel workbooks; save it as .xlsx or CSV",
        ),
        (
            "votes.csv",
            "looks like an archive, and tables are CSV, JSON, Parquet or Excel workbooks; unpack it, and name a table in it",
        ),
    ] {
        folder.write("t.xlsx", archive(&[(entry, "x".to_owned())]));
        assert_eq!(items(&folder, "t.xlsx").unwrap_err(), format!("t.xlsx {sentence}"));
    }
    let ragged = sheet(1, &[vec![Word("tea"), Word("price")], vec![Word("Assam"), Number(1.0), Word("x")]]);
    folder.write("t.xlsx", workbook(&[("S", ragged)], false));
    assert!(
        items(&folder, "t.xlsx")
            .unwrap_err()
            .starts_with("t.xlsx, row 2: found 3 cells where the header has 2")
    );
    folder.write("t.xlsx", workbook(&[("S", sheet(1, &[]))], false));
    assert!(items(&folder, "t.xlsx").unwrap_err().starts_with("t.xlsx is empty"));
    folder.write("t.xlsx", workbook(&[], false));
    assert!(items(&folder, "t.xlsx").is_err());
}

#[test]
fn an_archive_that_expands_is_refused() {
    let folder = Folder::new();
    folder.write("t.xlsx", archive(&[("xl/workbook.xml", "<".to_owned()), ("x", " ".repeat(65 << 20))]));
    assert!(items(&folder, "t.xlsx").unwrap_err().contains("expands to more than 64 MiB"));
}

#[test]
fn a_wide_and_long_sheet_of_few_cells_is_refused() {
    let folder = Folder::new();
    let header = "<c r=\"A1\"><v>1</v></c><c r=\"XFD1\"><v>1</v></c>";
    let rows: String =
        (2..3000).map(|row| format!("<row r=\"{row}\"><c r=\"XFD{row}\"><v>1</v></c></row>")).collect();
    let main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
    let sheet = format!(
        "<worksheet xmlns=\"{main}\"><sheetData><row r=\"1\">{header}</row>{rows}</sheetData></worksheet>"
    );
    folder.write("t.xlsx", workbook(&[("S", sheet)], false));
    assert!(items(&folder, "t.xlsx").unwrap_err().contains("expands to more than"));
}

/// Numbers of 32 bits as `numpy.save` writes them.
fn matrix(shape: &str, numbers: &[f32]) -> Vec<u8> {
    let header = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}\n");
    let bytes: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
    [b"\x93NUMPY\x01\x00", &(header.len() as u16).to_le_bytes()[..], header.as_bytes(), &bytes].concat()
}

#[test]
fn a_matrix_stands_beside_a_table() {
    let folder = Folder::new();
    folder.write("teas.csv", "tea;price\nAssam;8,5\nOolong;7\n");
    folder.write("v.npy", matrix("(2, 3)", &[0.1, 1.0, -2.0, 0.5, 3.0, 1e10]));
    folder.write("w.npy", matrix("(2,)", &[4.0, 5.0]));
    let both = |name: &str| format!("{name}+{}", folder.path("v.npy").display());
    let table = items(&folder, &both("teas.csv")).unwrap();
    let names: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
    assert_eq!(names, ["price", "v_1", "v_2", "v_3"]);
    let values: Vec<_> = table.columns.into_iter().map(|column| column.values).collect();
    assert_eq!(
        values,
        [vec![8.5, 7.0], vec![0.1, 0.5], vec![1.0, 3.0], vec![-2.0, 1e10]].map(Numeric).to_vec()
    );
    let three = format!("{}+{}", both("teas.csv"), folder.path("w.npy").display());
    assert_eq!(items(&folder, &three).unwrap().columns.len(), 5);
    // Alone, with the number of the row as the key.
    let alone = items(&folder, "v.npy").unwrap();
    assert_eq!((alone.key_name.as_str(), alone.keys[1].as_str(), alone.columns.len()), ("row", "1", 3));
    // Of another number of rows.
    for (teas, more) in [("tea\nA\nB\nC\n", "more"), ("tea\nA\n", "fewer")] {
        folder.write("teas.csv", teas);
        let sentence = items(&folder, &both("teas.csv")).unwrap_err();
        let end = format!("has {more}; a matrix has a row for each row of the table, in the same order");
        assert!(
            sentence.starts_with("v.npy has 2 rows, and teas.csv+") && sentence.ends_with(&end),
            "{sentence}"
        );
    }
    folder.write("v.npy", "tea\n");
    let sentence = items(&folder, "v.npy").unwrap_err();
    assert_eq!(
        sentence,
        "could not read v.npy as a matrix of numbers: it is no array of NumPy; write it anew with numpy.save"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn mutated_bytes_make_items_or_an_error(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let folder = Folder::new();
        for (name, mut bytes) in [
            ("t.xlsx", workbook(&[("Teas", teas())], false)),
            ("v.npy", matrix("(2, 3)", &[0.1, 1.0, -2.0, 0.5, 3.0, 1e10])),
        ] {
            for (index, byte) in &changes {
                *index.get_mut(&mut bytes) = *byte;
            }
            folder.write(name, bytes);
            let _ = items(&folder, name);
        }
    }
}
