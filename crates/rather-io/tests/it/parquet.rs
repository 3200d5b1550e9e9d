//! Tables in Parquet read as the same tables in CSV do.

use crate::folder::Folder;
use arrow_array::builder::{ListBuilder, StringBuilder};
use arrow_array::types::{Float32Type, Int32Type, Int64Type};
use arrow_array::{
    ArrayRef, BooleanArray, Date32Array, Decimal128Array, DictionaryArray, FixedSizeListArray, Float16Array,
    Float32Array, Float64Array, Int64Array, LargeStringArray, ListArray, RecordBatch, StringArray,
    StringViewArray, Time64MicrosecondArray, TimestampMillisecondArray, TimestampNanosecondArray, UInt8Array,
    UInt32Array, UInt64Array,
};
use half::f16;
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;
use proptest::prelude::*;
use rather::Comparison;
use rather::features::ColumnValues::{Numeric, Text};
use rather_io::{ItemOptions, Reading, Tied, settle};
use std::path::PathBuf;
use std::sync::Arc;

fn write(folder: &Folder, name: &str, columns: Vec<(&str, ArrayRef)>) -> PathBuf {
    write_with(WriterProperties::default(), folder, name, columns)
}

fn write_with(
    properties: WriterProperties,
    folder: &Folder,
    name: &str,
    columns: Vec<(&str, ArrayRef)>,
) -> PathBuf {
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    folder.write(name, bytes)
}

fn list_of_texts() -> ListArray {
    let mut builder = ListBuilder::new(StringBuilder::new());
    for text in ["a", "b"] {
        builder.values().append_value(text);
        builder.append(true);
    }
    builder.finish()
}

/// Lists of numbers are embeddings: a column a number.
#[test]
fn lists_of_numbers_are_columns() {
    let folder = Folder::new();
    let keys = || -> ArrayRef { Arc::new(StringArray::from(vec!["A", "B", "C"])) };
    let price: ArrayRef = Arc::new(Float64Array::from(vec![1.0, 2.0, 4.0]));
    let of = |lists: Vec<Option<Vec<f32>>>| -> ArrayRef {
        let lists = lists.into_iter().map(|list| list.map(|list| list.into_iter().map(Some)));
        Arc::new(ListArray::from_iter_primitive::<Float32Type, _, _>(lists))
    };
    let fixed: ArrayRef = Arc::new(FixedSizeListArray::from_iter_primitive::<Int64Type, _, _>(
        [[1, 2], [3, 4], [5, 6]].map(|list| Some(list.map(Some))),
        2,
    ));
    let lists = of(vec![None, Some(vec![0.1, -2.0]), Some(vec![3.0, 0.5])]);
    let columns = vec![("key", keys()), ("at", lists), ("price", price), ("grid", fixed)];
    let items =
        rather_io::read_items(&write(&folder, "items.parquet", columns), &ItemOptions::default()).unwrap();
    let names: Vec<&str> = items.columns.iter().map(|column| column.name.as_str()).collect();
    assert_eq!(names, ["at_1", "at_2", "price", "grid_1", "grid_2"]);
    let numbers = |place: usize| match &items.columns[place].values {
        Numeric(values) => values.clone(),
        Text(_) => panic!("{} is numbers", names[place]),
    };
    assert!(numbers(0)[0].is_nan() && numbers(0)[1..] == [0.1, 3.0] && numbers(1)[1..] == [-2.0, 0.5]);
    assert_eq!((numbers(2), numbers(4)), (vec![1.0, 2.0, 4.0], vec![2.0, 4.0, 6.0]));

    let ragged = of(vec![Some(vec![1.0]), Some(vec![1.0]), Some(vec![1.0, 2.0])]);
    let path = write(&folder, "items.parquet", vec![("key", keys()), ("at", ragged)]);
    let error = rather_io::read_items(&path, &ItemOptions::default()).unwrap_err();
    assert_eq!(
        folder.sentence(&error),
        "items.parquet, column \"at\": row 3 has a list of 2 and the first has one of 1; write lists of one length"
    );
}

#[test]
fn every_type_of_column_is_read() {
    let folder = Folder::new();
    let path = write(
        &folder,
        "items.parquet",
        vec![
            ("id", Arc::new(Int64Array::from(vec![10, 20]))),
            ("f64", Arc::new(Float64Array::from(vec![0.1, 3.0]))),
            ("f32", Arc::new(Float32Array::from(vec![0.1, 1e10]))),
            ("u8", Arc::new(UInt8Array::from(vec![7, 255]))),
            ("truth", Arc::new(BooleanArray::from(vec![true, false]))),
            ("text", Arc::new(StringArray::from(vec![" a ", "b"]))),
            ("large", Arc::new(LargeStringArray::from(vec!["a", "b"]))),
            ("view", Arc::new(StringViewArray::from(vec!["a", "b"]))),
            ("dictionary", Arc::new(["x", "x"].into_iter().collect::<DictionaryArray<Int32Type>>())),
        ],
    );
    let items = rather_io::read_items(&path, &ItemOptions::default()).unwrap();
    assert_eq!(
        (items.key_name.as_str(), items.keys.as_slice()),
        ("id", ["10".into(), "20".into()].as_slice())
    );
    let values: Vec<_> = items.columns.into_iter().map(|column| column.values).collect();
    let text = |values: [&str; 2]| Text(values.map(str::to_owned).to_vec());
    assert_eq!(
        values,
        [
            Numeric(vec![0.1, 3.0]),
            Numeric(vec![0.1, 1e10]),
            Numeric(vec![7.0, 255.0]),
            Numeric(vec![1.0, 0.0]),
            text(["a", "b"]),
            text(["a", "b"]),
            text(["a", "b"]),
            text(["x", "x"]),
        ]
    );
}

/// Each as a person would write it, whatever it is stored as; a value that is missing is an empty cell.
#[test]
fn dates_times_and_decimals_are_read() {
    let folder = Folder::new();
    let half = |x: f32| f16::from_f32(x);
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("id", Arc::new(UInt64Array::from(vec![u64::MAX, 2, 3]))),
        ("u32", Arc::new(UInt32Array::from(vec![Some(u32::MAX), None, Some(1)]))),
        ("f16", Arc::new(Float16Array::from(vec![half(0.5), half(-2.0), half(3.0)]))),
        (
            "cost",
            Arc::new(
                Decimal128Array::from(vec![Some(-5), None, Some(12_345)])
                    .with_precision_and_scale(30, 2)
                    .unwrap(),
            ),
        ),
        ("small", Arc::new(Decimal128Array::from(vec![7, 8, -900]).with_precision_and_scale(5, 3).unwrap())),
    ];
    let path = write(&folder, "items.parquet", columns);
    let items = rather_io::read_items(&path, &ItemOptions::default()).unwrap();
    assert_eq!(items.keys, [u64::MAX.to_string(), "2".into(), "3".into()]);
    let texts = |name: &str| match &items.columns.iter().find(|c| c.name == name).unwrap().values {
        Text(values) => values.clone(),
        Numeric(values) => values.iter().map(f64::to_string).collect(),
    };
    assert_eq!(texts("u32"), ["4294967295", "NaN", "1"]);
    assert_eq!(texts("f16"), ["0.5", "-2", "3"]);
    assert_eq!(texts("cost"), ["-0.05", "NaN", "123.45"]);
    assert_eq!(texts("small"), ["0.007", "0.008", "-0.9"]);
    // Dates among features are days; as keys they are what they were read as.
    let keys = |column: ArrayRef| {
        let path = write(&folder, "items.parquet", vec![("item", column)]);
        rather_io::read_items(&path, &ItemOptions::default()).unwrap().keys
    };
    let utc = TimestampMillisecondArray::from(vec![951_782_400_000, -1]).with_timezone("UTC");
    assert_eq!(keys(Arc::new(Date32Array::from(vec![11_016, -1]))), ["2000-02-29", "1969-12-31"]);
    assert_eq!(
        keys(Arc::new(Time64MicrosecondArray::from(vec![3_723_000_040, 0]))),
        ["01:02:03.000040", "00:00:00"]
    );
    assert_eq!(keys(Arc::new(utc)), ["2000-02-29T00:00:00Z", "1969-12-31T23:59:59.999Z"]);
    assert_eq!(
        keys(Arc::new(TimestampNanosecondArray::from(vec![1, 0, 1_000_000_000]))),
        ["1970-01-01T00:00:00.000000001", "1970-01-01T00:00:00", "1970-01-01T00:00:01"]
    );
}

/// Groups of rows, pages and batches have ends of their own, and lists may lie across them.
#[test]
fn rows_go_on_from_group_to_group() {
    let folder = Folder::new();
    let rows: i64 = 5_000;
    let keys: ArrayRef = Arc::new(StringArray::from_iter_values((0..rows).map(|i| format!("k{i}"))));
    let x: ArrayRef = Arc::new((0..rows).map(|i| (i % 3 > 0).then_some(i)).collect::<Int64Array>());
    let at: ArrayRef = Arc::new(ListArray::from_iter_primitive::<Int64Type, _, _>(
        (0..rows).map(|i| (i % 7 > 0).then(|| [Some(i), (i % 5 > 0).then_some(-i)])),
    ));
    let properties = WriterProperties::builder()
        .set_max_row_group_row_count(Some(1_500))
        .set_data_page_row_count_limit(100)
        .set_write_batch_size(10)
        .build();
    let path = write_with(properties, &folder, "items.parquet", vec![("key", keys), ("at", at), ("x", x)]);
    let items = rather_io::read_items(&path, &ItemOptions::default()).unwrap();
    let numbers = |place: usize| match &items.columns[place].values {
        Numeric(values) => values.clone(),
        Text(_) => panic!("column {place} is numbers"),
    };
    let expected = |value: &dyn Fn(i64) -> Option<i64>| -> Vec<Option<f64>> {
        (0..rows).map(|i| value(i).map(|x| x as f64)).collect()
    };
    let found = |place: usize| -> Vec<Option<f64>> {
        numbers(place).into_iter().map(|x| (!x.is_nan()).then_some(x)).collect()
    };
    assert_eq!(items.keys.last().unwrap(), "k4999");
    assert_eq!(found(0), expected(&|i| (i % 7 > 0).then_some(i)));
    assert_eq!(found(1), expected(&|i| (i % 7 > 0 && i % 5 > 0).then_some(-i)));
    assert_eq!(found(2), expected(&|i| (i % 3 > 0).then_some(i)));
}

#[test]
fn rows_are_named_by_number() {
    let folder = Folder::new();
    let key: ArrayRef = Arc::new(StringArray::from(vec!["A", "B"]));
    for (value, sentence) in [
        (Some(f64::NAN), "\"NaN\" means a missing value; write a number, or remove the line or the column"),
        (None, "the cell is empty; fill it in, or remove the line or the column"),
        (
            Some(f64::INFINITY),
            "\"inf\" is not finite; write a finite number, or remove the line or the column",
        ),
    ] {
        let values: ArrayRef = Arc::new(Float64Array::from(vec![Some(1.0), value]));
        let path = write(&folder, "items.parquet", vec![("key", key.clone()), ("x", values)]);
        let complete = ItemOptions { complete: true, ..ItemOptions::default() };
        let error = rather_io::read_items(&path, &complete).unwrap_err();
        assert_eq!(folder.sentence(&error), format!("items.parquet, row 2, column \"x\": {sentence}"));
    }
    let texts: ArrayRef = Arc::new(list_of_texts());
    let path = write(&folder, "items.parquet", vec![("key", key), ("x", texts)]);
    let error = rather_io::read_items(&path, &ItemOptions::default()).unwrap_err();
    assert!(folder.sentence(&error).starts_with("items.parquet, column \"x\": the type List"), "{error}");
}

#[test]
fn only_the_columns_that_matter_are_read() {
    let folder = Folder::new();
    let items = folder.named(&["1", "2", "3"]);
    // More rows than a batch has.
    let rows = 20_000;
    let winners = Float64Array::from_iter_values((0..rows).map(|i| f64::from(i % 3 + 1)));
    let losers = Int64Array::from_iter_values((0..rows).map(|i| i64::from((i + 1) % 3 + 1)));
    let nested: ArrayRef = Arc::new(ListArray::from_iter_primitive::<Int64Type, _, _>(
        (0..rows).map(|i| Some([Some(i64::from(i))])),
    ));
    let path = write(
        &folder,
        "duels.PARQUET",
        vec![("Loser", Arc::new(losers)), ("turns", nested), ("winner", Arc::new(winners))],
    );
    let table = rather_io::read_answers(&path, &items, &Reading::COMPARISONS).unwrap();
    let note = folder.sentence(&table.notes[0]);
    let answers = settle(vec![table], Tied::Kept).unwrap();
    let expected: Vec<_> =
        (0..rows as usize).map(|i| Comparison { winner: i % 3, loser: (i + 1) % 3, count: 1.0 }).collect();
    assert_eq!(answers.comparisons(), expected);
    assert_eq!(note, "duels.PARQUET: ignored the column \"turns_1\"");

    let few = folder.named(&["1", "2"]);
    let error = rather_io::read_answers(&path, &few, &Reading::COMPARISONS).unwrap_err();
    assert_eq!(
        folder.sentence(&error),
        "duels.PARQUET, row 2, column \"Loser\": there is no item \"3\" in items.csv; add the item or correct \
         the key"
    );
}

#[test]
fn what_is_not_parquet_is_an_error() {
    let folder = Folder::new();
    let path = folder.write("items.parquet", "item,x\nA,1\n");
    let error = rather_io::read_items(&path, &ItemOptions::default()).unwrap_err();
    assert!(folder.sentence(&error).starts_with("could not read items.parquet as Parquet: "), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn mutated_bytes_make_items_or_an_error(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let folder = Folder::new();
        let keys = StringArray::from_iter_values((0..100).map(|i| format!("key {i}")));
        let values = Float64Array::from_iter_values((0..100).map(f64::from));
        let path = write(&folder, "items.parquet", vec![("key", Arc::new(keys)), ("x", Arc::new(values))]);
        let mut bytes = std::fs::read(&path).unwrap();
        for (index, byte) in changes {
            *index.get_mut(&mut bytes) = byte;
        }
        let _ = rather_io::read_items(&folder.write("items.parquet", bytes), &ItemOptions::default());
    }
}
