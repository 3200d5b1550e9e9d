//! Rows of a sheet of an Excel workbook (`.xlsx`).

use crate::error::Error;
use crate::limits;
use crate::memory_rows::MemoryRows;
use crate::note::Note;
use crate::number;
use crate::place::{Place, Position};
use calamine::{DataRef, ExcelDateTime, Reader, SheetType, SheetVisible, Xlsx};
use rather_numerics::order;
use std::io::{self, Cursor, Read};
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use zip::ZipArchive;

/// How a workbook begins, as all archives of its kind do.
pub(crate) const MAGIC: &[u8] = b"PK\x03\x04";

/// A sheet that was read.
pub(crate) struct Sheet {
    pub(crate) header: Vec<String>,
    pub(crate) rows: MemoryRows,
    /// That there are others, if none was named.
    pub(crate) note: Option<Note>,
}

/// A cell with a text: its row and column, from 0.
type Filled = (u32, u32, String);

/// Reads the sheet of this name, or the first one that is not hidden. The first row that is not empty is the header.
pub(crate) fn read(path: &Path, sheet: Option<&str>, bytes: Vec<u8>) -> Result<Sheet, Error> {
    check(path, &bytes)?;
    let size = bytes.len();
    let (names, chosen, cells) = guarded(path, || {
        let mut workbook = Xlsx::new(Cursor::new(bytes))?;
        let shown = |sheet: &&calamine::Sheet| {
            sheet.typ == SheetType::WorkSheet && sheet.visible == SheetVisible::Visible
        };
        let shown: Vec<String> =
            workbook.sheets_metadata().iter().filter(shown).map(|sheet| sheet.name.clone()).collect();
        let chosen = match sheet {
            Some(name) => workbook.sheet_names().into_iter().find(|known| known == name),
            None => shown.first().cloned(),
        };
        let cells = chosen.as_ref().map_or(Ok(Vec::new()), |name| filled(&mut workbook, name))?;
        Ok::<_, calamine::XlsxError>((shown, chosen, cells))
    })?;
    let Some(chosen) = chosen else {
        let sheet = sheet.unwrap_or_default().to_owned();
        return Err(Error::NoSheet { path: path.to_path_buf(), sheet, known: names });
    };
    let others = names.len() - 1;
    let note = (sheet.is_none() && others > 0).then(|| Note::FirstSheet {
        path: path.to_path_buf(),
        sheet: chosen,
        others: names[1..].to_vec(),
    });
    let (header, rows) = table(path, cells, size)?;
    Ok(Sheet { header, rows, note })
}

/// All cells of a sheet that are not empty, row by row.
fn filled(workbook: &mut Xlsx<Cursor<Vec<u8>>>, name: &str) -> Result<Vec<Filled>, calamine::XlsxError> {
    let (mut reader, mut cells) = (workbook.worksheet_cells_reader(name)?, Vec::new());
    while let Some(cell) = reader.next_cell()? {
        let (row, column) = cell.get_position();
        let text = text(cell.get_value());
        if !text.is_empty() {
            cells.push((row, column, text));
        }
    }
    order::sort_by_key(&mut cells, |&(row, column, _)| i64::from(row) << 32 | i64::from(column));
    Ok(cells)
}

/// The header, and the rows below it, which end where the header does; of a file of so many bytes.
fn table(path: &Path, cells: Vec<Filled>, size: usize) -> Result<(Vec<String>, MemoryRows), Error> {
    let left = cells.iter().map(|&(_, column, _)| column).min().unwrap_or_default();
    let mut rows: Vec<(u64, Vec<String>)> = Vec::new();
    let mut room = limits::expanded(size) / size_of::<String>() as u64;
    for (row, column, text) in cells {
        let (row, place) = (u64::from(row) + 1, (column - left) as usize);
        if rows.last().is_none_or(|last| last.0 != row) {
            rows.push((row, Vec::new()));
        }
        let width = rows.first().map_or(0, |header| header.1.len());
        if rows.len() > 1 && place >= width {
            let place = Place { path: path.to_path_buf(), position: Position::Row(row) };
            return Err(Error::RaggedRow { place, found: (column - left) as usize + 1, expected: width });
        }
        let Some((_, cells)) = rows.last_mut() else { continue };
        // Cells that are empty take room, too.
        let added = (place + 1).saturating_sub(cells.len()) as u64;
        room = room.checked_sub(added).ok_or_else(|| limits::expands(path, size))?;
        cells.resize(place + 1, String::new());
        cells[place] = text;
    }
    let header = if rows.is_empty() { Vec::new() } else { rows.remove(0).1 };
    Ok((header, MemoryRows::new(rows, false)))
}

/// A cell as it would stand in CSV.
fn text(value: &DataRef<'_>) -> String {
    match value {
        DataRef::Empty => String::new(),
        DataRef::Int(value) => value.to_string(),
        DataRef::Float(value) => number::text(*value),
        DataRef::String(text) | DataRef::DateTimeIso(text) | DataRef::DurationIso(text) => {
            text.trim().to_owned()
        }
        DataRef::SharedString(text) => text.trim().to_owned(),
        DataRef::Bool(value) => value.to_string(),
        DataRef::DateTime(time) => time_text(time),
        DataRef::Error(error) => error.to_string(),
    }
}

/// A date, a time of the day, or both.
fn time_text(time: &ExcelDateTime) -> String {
    let (year, month, day, hour, minute, second, _) = time.to_ymd_hms_milli();
    let date = format!("{year:04}-{month:02}-{day:02}");
    let clock = format!("{hour:02}:{minute:02}:{second:02}");
    match time.as_f64() {
        days if time.is_duration() && days >= 1.0 => number::text(days),
        days if days < 1.0 => clock,
        days if days.fract() == 0.0 => date,
        _ => format!("{date}T{clock}"),
    }
}

/// That an archive is a workbook, and does not expand to much more than its size.
fn check(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let most = limits::expanded(bytes.len());
    let (names, size) = guarded(path, || {
        let mut archive = ZipArchive::new(Cursor::new(bytes))?;
        let mut size = 0;
        for at in 0..archive.len() {
            // What it says of its size may be wrong.
            let entry = archive.by_index(at)?;
            size += io::copy(&mut entry.take((most + 1).saturating_sub(size)), &mut io::sink())?;
        }
        let names: Result<Vec<String>, zip::result::ZipError> =
            archive.file_names().map(|name| name.map(std::borrow::Cow::into_owned)).collect();
        names.map(|names| (names, size))
    })?;
    if size > most {
        return Err(limits::expands(path, bytes.len()));
    }
    let has = |name: &str| names.iter().any(|known| known == name);
    let other = |kind, remedy| Err(Error::OtherFormat { path: path.to_path_buf(), kind, remedy });
    match () {
        () if has("xl/workbook.xml") => Ok(()),
        () if has("xl/workbook.bin") => other("a binary Excel workbook", "save it as .xlsx or CSV"),
        () if has("content.xml") => other("an OpenDocument table", "save it as .xlsx or CSV"),
        () => other("an archive", "unpack it, and name a table in it"),
    }
}

/// The result of a function of a library that may panic on damaged files.
fn guarded<T, E>(path: &Path, read: impl FnOnce() -> Result<T, E>) -> Result<T, Error>
where
    E: std::error::Error + Send + Sync + 'static,
{
    let fault = |source| Error::Workbook { path: path.to_path_buf(), source };
    match panic::catch_unwind(AssertUnwindSafe(read)) {
        Ok(result) => result.map_err(|error| fault(Box::new(error))),
        Err(_) => Err(fault("the file is damaged".into())),
    }
}
