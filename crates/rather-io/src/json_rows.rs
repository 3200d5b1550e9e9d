//! Rows of JSON: an array of objects, or one object after another (JSON lines). The keys are the columns.

use crate::error::Error;
use crate::memory_rows::MemoryRows;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;
use std::fmt;
use std::path::Path;

/// Whether bytes look like JSON: they begin with an object, or an array of them.
pub(crate) fn is_json(bytes: &[u8]) -> bool {
    let mut letters = bytes.iter().filter(|b| !b.is_ascii_whitespace());
    match letters.next() {
        Some(b'{') => matches!(letters.next(), Some(b'"' | b'}')),
        Some(b'[') => matches!(letters.next(), Some(b'{' | b']')),
        _ => false,
    }
}

/// Reads all rows.
pub(crate) fn read(path: &Path, bytes: &[u8]) -> Result<(Vec<String>, MemoryRows), Error> {
    let fault = |source| Error::Json { path: path.to_path_buf(), source };
    let is_array = bytes.trim_ascii_start().starts_with(b"[");
    let mut table = Builder::default();
    if is_array {
        let all: Vec<Record> = serde_json::from_slice(bytes).map_err(fault)?;
        all.into_iter().zip(1..).for_each(|(record, row)| table.add(record, row));
    } else {
        let mut records = serde_json::Deserializer::from_slice(bytes).into_iter::<Record>();
        let (mut from, mut line) = (0, 1);
        loop {
            // Where the next object begins.
            let end = records.byte_offset();
            let start = end + bytes[end..].iter().take_while(|b| b.is_ascii_whitespace()).count();
            line += bytes[from..start].iter().filter(|&&b| b == b'\n').count() as u64;
            from = start;
            match records.next() {
                Some(record) => table.add(record.map_err(fault)?, line),
                None => break,
            }
        }
    }
    let Builder { header, rows } = table;
    Ok((header, MemoryRows::new(rows, !is_array)))
}

/// The columns in the order in which they first occur, and the cells of every row.
#[derive(Default)]
struct Builder {
    header: Vec<String>,
    rows: Vec<(u64, Vec<String>)>,
}

impl Builder {
    fn add(&mut self, record: Record, position: u64) {
        let mut cells = vec![String::new(); self.header.len()];
        for (place, (name, text)) in record.cells().into_iter().enumerate() {
            // Rows have their keys in the same order, mostly.
            let known = self.header.get(place).is_some_and(|known| *known == name);
            let column =
                if known { Some(place) } else { self.header.iter().position(|known| *known == name) };
            let column = column.unwrap_or_else(|| {
                self.header.push(name);
                cells.push(String::new());
                self.header.len() - 1
            });
            cells[column] = text;
        }
        self.rows.push((position, cells));
    }
}

/// An object with its keys in their order.
struct Record(Vec<(String, Value)>);

impl Record {
    /// Names and texts; a list of numbers is a column a number, `embedding_1` and so on.
    fn cells(self) -> Vec<(String, String)> {
        let mut out = Vec::with_capacity(self.0.len());
        for (name, value) in self.0 {
            match value {
                Value::Array(all) if !all.is_empty() && all.iter().all(Value::is_number) => {
                    out.extend(all.iter().zip(1..).map(|(x, i)| (format!("{name}_{i}"), x.to_string())));
                }
                Value::Null => out.push((name, String::new())),
                Value::String(text) => out.push((name, text)),
                other => out.push((name, other.to_string())),
            }
        }
        out
    }
}

impl<'de> Deserialize<'de> for Record {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Fields;
        impl<'de> Visitor<'de> for Fields {
            type Value = Record;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object with a key a column")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Record, A::Error> {
                let mut fields = Vec::new();
                while let Some((name, value)) = map.next_entry::<String, Value>()? {
                    fields.push((name.trim().to_owned(), value));
                }
                Ok(Record(fields))
            }
        }
        from.deserialize_map(Fields)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_told_from_csv() {
        for text in ["{\"a\": 1}", " [ {\"a\":1}]", "[]"] {
            assert!(is_json(text.as_bytes()), "{text}");
        }
        for text in ["", "{a},b\n", "[A>B],x\n", "winner,loser\n"] {
            assert!(!is_json(text.as_bytes()), "{text}");
        }
    }
}
