//! Rows of JSON: an array of objects, or one object after another (JSON lines). The keys are the columns.
//!
//! The bytes are read twice: once for the names of the columns, and once for the cells of those that are wanted, a row at a time. No row is kept.

use crate::error::Error;
use crate::place::Position;
use crate::table::{Row, RowId};
use serde::de::{Deserialize, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Number, Value};
use std::collections::BTreeMap;
use std::fmt;
use std::io::Write;
use std::ops::Range;
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

/// The rows.
#[derive(Debug)]
pub(crate) struct JsonRows {
    bytes: Vec<u8>,
    keys: Keys,
    /// Whether the rows are the elements of an array, and not lines.
    is_array: bool,
    /// Where the first object, or the array, begins, and where the next row does.
    start: usize,
    next: Place,
    /// Which columns are wanted; all if it is empty.
    wanted: Vec<bool>,
    /// The text of the cells of a row, and where each of them is.
    text: Vec<u8>,
    cells: Vec<Range<usize>>,
}

/// Where a row begins: its byte, its number, and its line.
#[derive(Debug, Clone, Copy)]
struct Place {
    byte: usize,
    row: u64,
    line: u64,
}

impl JsonRows {
    /// Reads the names of the columns.
    pub(crate) fn open(path: &Path, bytes: Vec<u8>) -> Result<(Vec<String>, Self), Error> {
        let blank = bytes.iter().take_while(|b| b.is_ascii_whitespace()).count();
        let start = wrapped(&bytes).unwrap_or(blank);
        let is_array = bytes.get(start) == Some(&b'[');
        let next = Place { byte: start, row: 0, line: 1 };
        let (keys, wanted) = (Keys::default(), Vec::new());
        let (text, cells) = (Vec::new(), Vec::new());
        let mut rows = Self { bytes, keys, is_array, start, next, wanted, text, cells };
        while let Some(from) = rows.begin(path)? {
            let Self { bytes, keys, .. } = &mut rows;
            let read = read_one(&bytes[from..], Header(keys));
            rows.end(path, from, read.map(|(_, length)| length))?;
        }
        rows.rewind();
        Ok((rows.keys.header.clone(), rows))
    }

    /// Fixes the columns to be read.
    pub(crate) fn select(&mut self, columns: &[usize]) {
        self.wanted = vec![false; self.keys.header.len()];
        columns.iter().for_each(|&column| self.wanted[column] = true);
    }

    /// Goes back to the first row, so that columns may be selected again.
    pub(crate) fn rewind(&mut self) {
        self.next = Place { byte: self.start, row: 0, line: 1 };
        self.wanted.clear();
    }

    /// Reads the next row; cells that it lacks are empty.
    pub(crate) fn read(&mut self, path: &Path, row: &mut Row) -> Result<bool, Error> {
        let Some(from) = self.begin(path)? else { return Ok(false) };
        row.id = RowId(if self.is_array { self.next.row } else { self.next.line });
        let Self { bytes, keys, wanted, text, cells, .. } = self;
        text.clear();
        cells.clear();
        cells.resize(keys.header.len(), 0..0);
        let read = read_one(&bytes[from..], Cells { keys, wanted, text, cells });
        self.end(path, from, read.map(|(_, length)| length))?;
        row.cells.clear();
        self.cells.iter().for_each(|cell| row.cells.push_field(&self.text[cell.clone()]));
        Ok(true)
    }

    /// The position of a row.
    pub(crate) fn position(&self, row: RowId) -> Position {
        if self.is_array { Position::Row(row.0) } else { Position::Line(row.0) }
    }

    /// Where the next object begins, if there is one; the lines before it are counted.
    fn begin(&mut self, path: &Path) -> Result<Option<usize>, Error> {
        let from = self.next.byte;
        let mut at = from;
        self.skip_blanks(&mut at);
        if self.is_array {
            let is_first = self.next.row == 0;
            let expected = if is_first { b'[' } else { b',' };
            match self.bytes.get(at) {
                Some(&byte) if byte == expected => at += 1,
                Some(b']') if !is_first => return Ok(None),
                _ => return Err(self.fault(path)),
            }
            self.skip_blanks(&mut at);
            if is_first && self.bytes.get(at) == Some(&b']') {
                return Ok(None);
            }
        } else if at == self.bytes.len() {
            return Ok(None);
        }
        self.next.row += 1;
        self.next.line += lines(&self.bytes[from..at]);
        Ok(Some(at))
    }

    /// Goes on after an object that begins at `from` and has this length.
    fn end(
        &mut self,
        path: &Path,
        from: usize,
        length: Result<usize, serde_json::Error>,
    ) -> Result<(), Error> {
        let length = length.map_err(|_| self.fault(path))?;
        self.next.line += lines(&self.bytes[from..from + length]);
        self.next.byte = from + length;
        Ok(())
    }

    fn skip_blanks(&self, at: &mut usize) {
        *at += self.bytes[*at..].iter().take_while(|b| b.is_ascii_whitespace()).count();
    }

    /// What is wrong with the file, with its place in all of it.
    fn fault(&self, path: &Path) -> Error {
        type Object = BTreeMap<String, Value>;
        let source = match self.is_array {
            true => serde_json::from_slice::<Vec<Object>>(&self.bytes).err(),
            false => {
                serde_json::Deserializer::from_slice(&self.bytes).into_iter::<Object>().find_map(Result::err)
            }
        };
        // An array within an object, of which the reader above knows nothing.
        let source = source.unwrap_or_else(|| serde::de::Error::custom("the rows do not end as they should"));
        Error::Json { path: path.to_path_buf(), source }
    }
}

fn lines(bytes: &[u8]) -> u64 {
    bytes.iter().filter(|&&b| b == b'\n').count() as u64
}

/// Where the array of rows begins in a file that is one object with one key, `{"battles": [{...}, ...]}`.
fn wrapped(bytes: &[u8]) -> Option<usize> {
    let mut objects = serde_json::Deserializer::from_slice(bytes).into_iter::<BTreeMap<String, IgnoredAny>>();
    // The reader stops after the first object, which is all of the file or a line.
    let first = objects.next()?.ok()?;
    let (name, end) = (first.keys().next().filter(|_| first.len() == 1)?, objects.byte_offset());
    if !bytes[end..].trim_ascii().is_empty() {
        return None;
    }
    let key = serde_json::to_string(name).ok()?;
    let after = |from: usize, wanted: u8| {
        let at = from + bytes[from..].iter().take_while(|b| b.is_ascii_whitespace()).count();
        (bytes.get(at) == Some(&wanted)).then_some(at + 1)
    };
    let at = after(after(0, b'{')? - 1, b'{')?;
    let at = at + bytes[at..].iter().take_while(|b| b.is_ascii_whitespace()).count();
    let at = bytes[at..].starts_with(key.as_bytes()).then_some(at + key.len())?;
    let at = after(after(at, b':')?, b'[')?;
    after(at, b'{').map(|_| at - 1)
}

/// One value at the beginning of `bytes`, and how many of them it takes.
fn read_one<'b, S: DeserializeSeed<'b>>(
    bytes: &'b [u8],
    seed: S,
) -> Result<(S::Value, usize), serde_json::Error> {
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let value = seed.deserialize(&mut reader)?;
    // Only the iterator tells how many bytes were read.
    Ok((value, reader.into_iter::<IgnoredAny>().byte_offset()))
}

/// The keys of all objects, and the columns that they stand for.
#[derive(Debug, Default)]
struct Keys {
    header: Vec<String>,
    /// In the order in which they first occur.
    all: Vec<Key>,
}

/// A key; a list of numbers is a column a number, `embedding_1` and so on.
#[derive(Debug)]
struct Key {
    name: String,
    plain: Option<usize>,
    list: Vec<usize>,
}

impl Keys {
    /// The place of a key, which is mostly where it was in the row before.
    fn find(&self, guess: usize, name: &str) -> Option<usize> {
        let is = |key: &Key| key.name == name;
        if self.all.get(guess).is_some_and(is) { Some(guess) } else { self.all.iter().position(is) }
    }

    fn find_or_add(&mut self, guess: usize, name: &str) -> usize {
        self.find(guess, name).unwrap_or_else(|| {
            self.all.push(Key { name: name.to_owned(), plain: None, list: Vec::new() });
            self.all.len() - 1
        })
    }

    fn column(&mut self, name: String) -> usize {
        self.header.iter().position(|known| *known == name).unwrap_or_else(|| {
            self.header.push(name);
            self.header.len() - 1
        })
    }

    /// Makes the columns of a value of this shape.
    fn add(&mut self, key: usize, shape: Shape) {
        let name = self.all[key].name.clone();
        match shape {
            Shape::One => {
                if self.all[key].plain.is_none() {
                    self.all[key].plain = Some(self.column(name));
                }
            }
            Shape::Numbers(length) => {
                for i in self.all[key].list.len()..length {
                    let column = self.column(format!("{name}_{}", i + 1));
                    self.all[key].list.push(column);
                }
            }
        }
    }
}

/// What a value is: one cell, or so many numbers.
enum Shape {
    One,
    Numbers(usize),
}

impl Shape {
    fn of<E: serde::de::Error>(value: &RawValue) -> Result<Self, E> {
        if !value.get().starts_with('[') {
            return Ok(Self::One);
        }
        let elements: Vec<&RawValue> = serde_json::from_str(value.get()).map_err(E::custom)?;
        let is_number = |value: &&RawValue| value.get().starts_with(|c: char| c == '-' || c.is_ascii_digit());
        let is_list = !elements.is_empty() && elements.iter().all(is_number);
        Ok(if is_list { Self::Numbers(elements.len()) } else { Self::One })
    }
}

/// Reads an object for its columns.
struct Header<'k>(&'k mut Keys);

/// Reads an object for its cells.
struct Cells<'k> {
    keys: &'k Keys,
    wanted: &'k [bool],
    text: &'k mut Vec<u8>,
    cells: &'k mut [Range<usize>],
}

const OBJECT: &str = "an object with a key a column";

impl<'de> DeserializeSeed<'de> for Header<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Header<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(OBJECT)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut guess = 0;
        while let Some(key) = map.next_key_seed(Name(|name: &str| self.0.find_or_add(guess, name)))? {
            guess = key + 1;
            self.0.add(key, Shape::of(map.next_value()?)?);
        }
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for Cells<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Cells<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(OBJECT)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Self { keys, wanted, text, cells } = self;
        let is_wanted = |column: usize| wanted.is_empty() || wanted[column];
        let mut guess = 0;
        while let Some(key) = map.next_key_seed(Name(|name: &str| keys.find(guess, name)))? {
            let Some(key) = key else {
                map.next_value::<IgnoredAny>()?;
                continue;
            };
            guess = key + 1;
            let Key { plain, list, .. } = &keys.all[key];
            if !plain.iter().chain(list).any(|&column| is_wanted(column)) {
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            let from = text.len();
            match map.next_value_seed(Text(text))? {
                None => {
                    if let Some(column) = *plain {
                        cells[column] = from..text.len();
                    }
                }
                Some(numbers) => {
                    for (number, &column) in numbers.iter().zip(list) {
                        let from = text.len();
                        put(text, number);
                        cells[column] = from..text.len();
                    }
                }
            }
        }
        Ok(())
    }
}

/// Reads a key, without spaces round it, and makes something of it.
struct Name<F>(F);

impl<'de, T, F: FnOnce(&str) -> T> DeserializeSeed<'de> for Name<F> {
    type Value = T;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<T, D::Error> {
        from.deserialize_str(self)
    }
}

impl<T, F: FnOnce(&str) -> T> Visitor<'_> for Name<F> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E>(self, name: &str) -> Result<T, E> {
        Ok((self.0)(name.trim()))
    }
}

/// Reads a value as the text of a cell, or as a list of numbers.
struct Text<'t>(&'t mut Vec<u8>);

impl Text<'_> {
    fn write(self, value: impl fmt::Display) -> Option<Vec<Number>> {
        put(self.0, &value);
        None
    }
}

/// Adds a text.
fn put(text: &mut Vec<u8>, value: &impl fmt::Display) {
    // A vector takes all that is written.
    drop(write!(text, "{value}"));
}

impl<'de> DeserializeSeed<'de> for Text<'_> {
    type Value = Option<Vec<Number>>;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Self::Value, D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Text<'_> {
    type Value = Option<Vec<Number>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Self::Value, E> {
        Ok(self.write(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Self::Value, E> {
        Ok(self.write(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Self::Value, E> {
        Ok(self.write(value))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Self::Value, E> {
        Ok(Number::from_f64(value).and_then(|value| self.write(value)))
    }

    fn visit_str<E>(self, value: &str) -> Result<Self::Value, E> {
        self.0.extend_from_slice(value.as_bytes());
        Ok(None)
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut all = Vec::new();
        while let Some(value) = seq.next_element::<Value>()? {
            all.push(value);
        }
        let number = |value: &Value| if let Value::Number(n) = value { Some(n.clone()) } else { None };
        match all.iter().map(number).collect::<Option<Vec<Number>>>() {
            Some(numbers) if !numbers.is_empty() => Ok(Some(numbers)),
            _ => Ok(self.write(Value::Array(all))),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        let value = Value::deserialize(serde::de::value::MapAccessDeserializer::new(map))?;
        Ok(self.write(value))
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

    fn rows(text: &str, columns: Option<&[usize]>) -> (Vec<String>, Vec<(u64, Vec<String>)>) {
        let path = Path::new("t.json");
        let (header, mut rows) = JsonRows::open(path, text.as_bytes().to_vec()).unwrap();
        columns.into_iter().for_each(|columns| rows.select(columns));
        let (mut row, mut out) = (Row::default(), Vec::new());
        while rows.read(path, &mut row).unwrap() {
            let cells = row.cells.iter().map(|cell| String::from_utf8(cell.to_vec()).unwrap());
            out.push((row.id.0, cells.collect()));
        }
        (header, out)
    }

    #[test]
    fn rows_are_read_one_by_one() {
        let text = "{\"a\": 1, \"b\": \"x\\n\"}\n\n{\"b\": null, \"c\": [1.5, 2],\n \"d\": {\"e\": [true]}}{\"a\": 2.0}";
        let (header, all) = rows(text, None);
        assert_eq!(header, ["a", "b", "c_1", "c_2", "d"]);
        assert_eq!(all[0], (1, ["1", "x\n", "", "", ""].map(str::to_owned).to_vec()));
        assert_eq!(all[1], (3, ["", "", "1.5", "2", "{\"e\":[true]}"].map(str::to_owned).to_vec()));
        assert_eq!(all[2], (4, ["2.0", "", "", "", ""].map(str::to_owned).to_vec()));
        assert_eq!(rows(text, Some(&[1])).1[0].1, ["", "x\n", "", "", ""]);
    }

    #[test]
    fn an_array_may_stand_in_an_object() {
        for text in ["[{\"a\": 1}, {\"a\": \"2\"}]", " {\"games\" : [ {\"a\": 1}, {\"a\": \"2\"}]}\n"] {
            let (header, all) = rows(text, None);
            assert_eq!((header, all[1].clone()), (vec!["a".to_owned()], (2, vec!["2".to_owned()])), "{text}");
        }
        // A line with a list of objects is a row.
        assert_eq!(rows("{\"a\": [{\"b\": 1}]}\n{\"a\": 1}", None).0, ["a"]);
    }

    #[test]
    fn faults_have_their_line() {
        for (text, place) in [
            ("{\"a\": 1}\n{\"a\": }\n", "line 2"),
            ("[{\"a\": 1},\n 5]", "line 2"),
            ("[{\"a\": 1}\n", "line 2"),
            ("{\"a\": 1}\n[]", "line 2"),
        ] {
            let error =
                JsonRows::open(Path::new("t.json"), text.as_bytes().to_vec()).map(|_| ()).unwrap_err();
            assert!(error.to_string().contains(place), "{text}: {error}");
        }
    }
}
