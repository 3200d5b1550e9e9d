//! Columns of a Parquet file, and their values as text.

use crate::number;
use half::f16;
use parquet::basic::{ConvertedType, LogicalType, Repetition, TimeUnit, Type as Physical};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::DataType;
use parquet::errors::ParquetError;
use parquet::schema::types::{ColumnDescriptor, SchemaDescriptor, Type};
use rather_numerics::calendar;
use std::io::Write;

/// The most digits of a decimal number that 128 bits hold.
const DIGITS: i32 = 38;
const NANOSECONDS: i64 = 1_000_000_000;
const SECONDS_A_DAY: i64 = 86_400;

/// A column at the root of the schema.
#[derive(Debug, Clone)]
pub(crate) struct Column {
    pub(crate) name: String,
    /// How its values are written; `None` if they have no text form.
    form: Option<Form>,
    /// The first of the columns that it is stored in, and how many these are.
    leaf: usize,
    leaves: usize,
    levels: Levels,
    /// Of which type it is, in words.
    pub(crate) kind: String,
}

/// The definition levels of a column.
#[derive(Debug, Clone, Copy)]
struct Levels {
    /// From where on a list has an element; `None` if values are no lists.
    element: Option<i16>,
    /// Where there is a value.
    value: i16,
}

/// How the values of a column are written as text.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Form {
    Boolean,
    Integer,
    /// Integers without a sign.
    Unsigned,
    Half,
    Float,
    Text,
    /// Whole numbers with a point before so many digits.
    Decimal(usize),
    /// Days since 1970-01-01.
    Date,
    /// Times of the day, of which so many make a second.
    Time(i64),
    /// Times since 1970-01-01, of which so many make a second, and whether they are in UTC.
    Timestamp(i64, bool),
}

/// Values of a column: the text of each, and where each row's begin if they are lists.
#[derive(Debug, Default)]
pub(crate) struct Values {
    text: Vec<u8>,
    ends: Vec<usize>,
    /// As many as there are rows, and one.
    pub(crate) starts: Option<Vec<usize>>,
}

impl Values {
    /// The text of a value; none if it is missing.
    pub(crate) fn text(&self, at: usize) -> &[u8] {
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[start..self.ends[at]]
    }

    /// Bytes of text.
    pub(crate) fn bytes(&self) -> usize {
        self.text.len()
    }
}

/// The columns at the root of a schema, in its order.
pub(crate) fn columns(schema: &SchemaDescriptor) -> Vec<Column> {
    let mut next = 0;
    let fields = schema.root_schema().get_fields().iter().enumerate();
    fields
        .map(|(root, field)| {
            let leaf = next;
            next += (leaf..schema.num_columns())
                .take_while(|&leaf| schema.get_column_root_idx(leaf) == root)
                .count();
            Column::new(field, leaf, next - leaf, schema)
        })
        .collect()
}

impl Column {
    fn new(field: &Type, leaf: usize, leaves: usize, schema: &SchemaDescriptor) -> Self {
        let (element, descriptor) = (element(field), (leaves == 1).then(|| schema.column(leaf)));
        let is_plain = field.is_primitive() && element.is_none();
        let form = descriptor
            .as_ref()
            .and_then(|descriptor| Form::of(descriptor))
            .filter(|form| is_plain || (element.is_some() && form.is_number()));
        let value = descriptor.map_or(0, |descriptor| descriptor.max_def_level());
        let levels = Levels { element, value };
        Self { name: field.name().trim().to_owned(), form, leaf, leaves, levels, kind: kind(field) }
    }

    /// The columns of the file that it is stored in.
    pub(crate) fn leaves(&self) -> std::ops::Range<usize> {
        self.leaf..self.leaf + self.leaves
    }

    pub(crate) fn is_list_of_numbers(&self) -> bool {
        self.levels.element.is_some() && self.form.is_some()
    }

    /// Whether a value has a text form.
    pub(crate) fn has_text_form(&self) -> bool {
        self.levels.element.is_none() && self.form.is_some()
    }

    /// The values of the next `rows` rows, of which the file must have as many.
    pub(crate) fn read(&self, reader: &mut ColumnReader, rows: usize) -> Result<Values, ParquetError> {
        let form = self.form.ok_or_else(|| damaged("a column has no text form"))?;
        let levels = self.levels;
        match reader {
            ColumnReader::BoolColumnReader(r) => read(r, levels, rows, |v, out| written(out, *v)),
            ColumnReader::Int32ColumnReader(r) => read(r, levels, rows, |&v, out| match form {
                Form::Unsigned => written(out, v as u32),
                form => form.integer(v.into(), out),
            }),
            ColumnReader::Int64ColumnReader(r) => read(r, levels, rows, |&v, out| match form {
                Form::Unsigned => written(out, v as u64),
                form => form.integer(v, out),
            }),
            ColumnReader::Int96ColumnReader(r) => {
                read(r, levels, rows, |v, out| form.integer(v.to_nanos(), out))
            }
            ColumnReader::FloatColumnReader(r) => {
                read(r, levels, rows, |&v, out| written(out, number::short_text(v)))
            }
            ColumnReader::DoubleColumnReader(r) => {
                read(r, levels, rows, |&v, out| written(out, number::text(v)))
            }
            ColumnReader::ByteArrayColumnReader(r) => {
                read(r, levels, rows, |v, out| form.bytes(v.data(), out))
            }
            ColumnReader::FixedLenByteArrayColumnReader(r) => {
                read(r, levels, rows, |v, out| form.bytes(v.data(), out))
            }
        }
    }
}

/// The definition level from which on a list of values has an element: of a repeated value, of a group that says that it is a list of values, and of one
/// whose repeated part has the value by itself, as older files do.
fn element(field: &Type) -> Option<i16> {
    let info = field.get_basic_info();
    if field.is_primitive() {
        return (info.has_repetition() && info.repetition() == Repetition::REPEATED).then_some(1);
    }
    let is_list =
        info.logical_type_ref() == Some(&LogicalType::List) || info.converted_type() == ConvertedType::LIST;
    let [repeated] = field.get_fields() else { return None };
    let is_value = repeated.is_primitive() || matches!(repeated.get_fields(), [one] if one.is_primitive());
    let of_list = i16::from(info.has_repetition() && info.repetition() == Repetition::OPTIONAL);
    (is_list && is_value && repeated.get_basic_info().repetition() == Repetition::REPEATED)
        .then_some(of_list + 1)
}

/// A type in words.
fn kind(field: &Type) -> String {
    let info = field.get_basic_info();
    let logical = info.logical_type_ref().map(|logical| format!("{logical:?}"));
    let converted = info.converted_type();
    let known = logical.or_else(|| (converted != ConvertedType::NONE).then(|| converted.to_string()));
    match known {
        Some(known) => known,
        None if field.is_primitive() => field.get_physical_type().to_string(),
        None => "Struct".to_owned(),
    }
}

impl Form {
    fn of(column: &ColumnDescriptor) -> Option<Self> {
        let logical = column.logical_type_ref();
        let (converted, physical) = (column.converted_type(), column.physical_type());
        let is_integer = matches!(physical, Physical::INT32 | Physical::INT64);
        let is_bytes = matches!(physical, Physical::BYTE_ARRAY | Physical::FIXED_LEN_BYTE_ARRAY);
        let decimal = || {
            let scale = usize::try_from(column.type_scale()).ok()?;
            ((is_integer || is_bytes) && column.type_precision() <= DIGITS).then_some(Self::Decimal(scale))
        };
        let of_logical = match logical {
            Some(LogicalType::Float16) if physical == Physical::FIXED_LEN_BYTE_ARRAY => Some(Self::Half),
            Some(LogicalType::Decimal(_)) => decimal(),
            Some(LogicalType::String | LogicalType::Enum | LogicalType::Json)
                if physical == Physical::BYTE_ARRAY =>
            {
                Some(Self::Text)
            }
            Some(LogicalType::Date) if physical == Physical::INT32 => Some(Self::Date),
            Some(LogicalType::Time(time)) if is_integer => Some(Self::Time(a_second(&time.unit))),
            Some(LogicalType::Timestamp(time)) if physical == Physical::INT64 => {
                Some(Self::Timestamp(a_second(&time.unit), time.is_adjusted_to_u_t_c))
            }
            Some(LogicalType::Integer(integer)) if is_integer && !integer.is_signed => Some(Self::Unsigned),
            Some(LogicalType::Integer(_)) if is_integer => Some(Self::Integer),
            // What only says that all values are missing.
            Some(LogicalType::Unknown) | None => None,
            Some(_) => return None,
        };
        of_logical.or_else(|| {
            Some(match (converted, physical) {
                (ConvertedType::DECIMAL, _) => return decimal(),
                (ConvertedType::UTF8 | ConvertedType::ENUM | ConvertedType::JSON, Physical::BYTE_ARRAY) => {
                    Self::Text
                }
                (ConvertedType::DATE, Physical::INT32) => Self::Date,
                (ConvertedType::TIME_MILLIS, Physical::INT32) => Self::Time(1_000),
                (ConvertedType::TIME_MICROS, Physical::INT64) => Self::Time(1_000_000),
                (ConvertedType::TIMESTAMP_MILLIS, Physical::INT64) => Self::Timestamp(1_000, true),
                (ConvertedType::TIMESTAMP_MICROS, Physical::INT64) => Self::Timestamp(1_000_000, true),
                (
                    ConvertedType::UINT_8
                    | ConvertedType::UINT_16
                    | ConvertedType::UINT_32
                    | ConvertedType::UINT_64,
                    Physical::INT32 | Physical::INT64,
                ) => Self::Unsigned,
                (_, Physical::BOOLEAN) => Self::Boolean,
                (_, Physical::INT32 | Physical::INT64) => Self::Integer,
                (_, Physical::INT96) => Self::Timestamp(NANOSECONDS, false),
                (_, Physical::FLOAT | Physical::DOUBLE) => Self::Float,
                _ => return None,
            })
        })
    }

    fn is_number(self) -> bool {
        matches!(self, Self::Integer | Self::Unsigned | Self::Half | Self::Float)
    }

    /// Writes a value that is stored as an integer.
    fn integer(self, value: i64, out: &mut Vec<u8>) -> Result<(), ParquetError> {
        match self {
            Self::Decimal(scale) => decimal(value.into(), scale, out),
            Self::Date => date(value, out),
            Self::Time(second) => time(value, second, out),
            Self::Timestamp(second, in_utc) => {
                let day = SECONDS_A_DAY * second;
                date(value.div_euclid(day), out)?;
                out.push(b'T');
                time(value.rem_euclid(day), second, out)?;
                if in_utc {
                    out.push(b'Z');
                }
                Ok(())
            }
            _ => written(out, value),
        }
    }

    /// Writes a value that is stored as bytes.
    fn bytes(self, value: &[u8], out: &mut Vec<u8>) -> Result<(), ParquetError> {
        match (self, value) {
            (Self::Text, text) => {
                std::str::from_utf8(text).map_err(|_| damaged("a text is not in UTF-8"))?;
                out.extend_from_slice(text);
                Ok(())
            }
            (Self::Half, &[low, high]) => {
                written(out, number::short_text(f16::from_le_bytes([low, high]).to_f32()))
            }
            (Self::Decimal(scale), bytes) if bytes.len() <= size_of::<i128>() => {
                let sign = if bytes.first().is_some_and(|first| first & 0x80 != 0) { -1 } else { 0 };
                let whole = bytes.iter().fold(sign, |whole: i128, &byte| (whole << 8) | i128::from(byte));
                decimal(whole, scale, out)
            }
            _ => Err(damaged("a value is not of its column's type")),
        }
    }
}

/// How many of a unit of time make a second.
fn a_second(unit: &TimeUnit) -> i64 {
    match unit {
        TimeUnit::MILLIS => 1_000,
        TimeUnit::MICROS => 1_000_000,
        TimeUnit::NANOS => NANOSECONDS,
    }
}

fn written(out: &mut Vec<u8>, value: impl std::fmt::Display) -> Result<(), ParquetError> {
    Ok(write!(out, "{value}")?)
}

/// A whole number with a point before its last `scale` digits.
fn decimal(whole: i128, scale: usize, out: &mut Vec<u8>) -> Result<(), ParquetError> {
    let digits = format!("{:0>1$}", whole.unsigned_abs(), scale + 1);
    let (before, after) = digits.split_at(digits.len() - scale);
    let (sign, point) = (if whole < 0 { "-" } else { "" }, if scale > 0 { "." } else { "" });
    Ok(write!(out, "{sign}{before}{point}{after}")?)
}

fn date(days: i64, out: &mut Vec<u8>) -> Result<(), ParquetError> {
    let [year, month, day] = calendar::civil(days as f64);
    Ok(write!(out, "{year:04}-{month:02}-{day:02}")?)
}

/// A time of the day, with three, six or nine digits of a second if it has a fraction.
fn time(value: i64, second: i64, out: &mut Vec<u8>) -> Result<(), ParquetError> {
    let seconds = value.div_euclid(second);
    let nanoseconds = value.rem_euclid(second) * (NANOSECONDS / second);
    write!(out, "{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)?;
    match nanoseconds {
        0 => Ok(()),
        n if n % 1_000_000 == 0 => Ok(write!(out, ".{:03}", n / 1_000_000)?),
        n if n % 1_000 == 0 => Ok(write!(out, ".{:06}", n / 1_000)?),
        n => Ok(write!(out, ".{n:09}")?),
    }
}

/// Reads rows of one column, its values by `write`.
fn read<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    levels: Levels,
    rows: usize,
    write: impl Fn(&T::T, &mut Vec<u8>) -> Result<(), ParquetError>,
) -> Result<Values, ParquetError> {
    let (mut defined, mut repeated, mut values) = (Vec::new(), Vec::new(), Vec::new());
    let (read, _, entries) =
        reader.read_records(rows, Some(&mut defined), Some(&mut repeated), &mut values)?;
    if read != rows {
        return Err(damaged("columns have different numbers of rows"));
    }
    let mut out = Values::default();
    let mut starts = Vec::new();
    let mut values = values.iter();
    for entry in 0..entries {
        // Where there are no levels every value is there.
        let defined = defined.get(entry).copied().unwrap_or(levels.value);
        if let Some(element) = levels.element {
            if repeated.get(entry).is_none_or(|&level| level == 0) {
                starts.push(out.ends.len());
            }
            if defined < element {
                continue;
            }
        }
        if defined == levels.value {
            let value = values.next().ok_or_else(|| damaged("there are fewer values than it says"))?;
            write(value, &mut out.text)?;
        }
        out.ends.push(out.text.len());
    }
    if levels.element.is_some() {
        starts.push(out.ends.len());
        out.starts = Some(starts);
    }
    let found = out.starts.as_ref().map_or(out.ends.len(), |starts| starts.len() - 1);
    if found == rows { Ok(out) } else { Err(damaged("columns have different numbers of rows")) }
}

pub(crate) fn damaged(how: &str) -> ParquetError {
    ParquetError::General(how.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(form: Form, value: i64) -> String {
        let mut out = Vec::new();
        form.integer(value, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn dates_and_times_are_written() {
        assert_eq!(text(Form::Date, 11_016), "2000-02-29");
        assert_eq!(text(Form::Date, -1), "1969-12-31");
        assert_eq!(text(Form::Time(1_000), 3_723_040), "01:02:03.040");
        assert_eq!(text(Form::Timestamp(1_000, true), -1), "1969-12-31T23:59:59.999Z");
        assert_eq!(text(Form::Timestamp(NANOSECONDS, false), 1), "1970-01-01T00:00:00.000000001");
        assert_eq!(text(Form::Timestamp(1_000_000, false), 951_782_400_000_000), "2000-02-29T00:00:00");
    }

    #[test]
    fn decimals_are_written() {
        assert_eq!(text(Form::Decimal(2), -5), "-0.05");
        assert_eq!(text(Form::Decimal(0), 12), "12");
        let of = |bytes: &[u8]| {
            let mut out = Vec::new();
            Form::Decimal(1).bytes(bytes, &mut out).map(|()| String::from_utf8(out).unwrap())
        };
        assert_eq!(of(&[0xff, 0xfe]).unwrap(), "-0.2");
        assert_eq!(of(&[1, 0]).unwrap(), "25.6");
        assert!(of(&[0; 17]).is_err());
    }
}
