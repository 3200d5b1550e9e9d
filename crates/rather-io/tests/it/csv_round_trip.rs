//! Whatever a program writes as CSV is read as it was meant.

use crate::folder::Folder;
use proptest::prelude::*;
use rather::features::ColumnValues;
use rather_io::{Tied, settle};
use std::collections::BTreeSet;

/// Any text that is not empty and has no spaces at its ends, with what CSV must quote in good measure.
fn text() -> impl Strategy<Value = String> {
    let cell = prop_oneof!["[\",;\t\r\n a-c]{1,8}", "\\PC{1,6}", any::<String>()];
    cell.prop_map(|text| text.trim().to_owned()).prop_filter("empty", |text| !text.is_empty())
}

fn csv(header: &[&str], rows: &[Vec<String>], crlf: bool) -> Vec<u8> {
    let terminator = if crlf { csv::Terminator::CRLF } else { csv::Terminator::Any(b'\n') };
    let mut writer = csv::WriterBuilder::new().terminator(terminator).from_writer(Vec::new());
    writer.write_record(header).unwrap();
    rows.iter().for_each(|row| writer.write_record(row).unwrap());
    writer.into_inner().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn keys_texts_and_numbers_come_back(
        keys in prop::collection::btree_set(text(), 1..8),
        texts in prop::collection::vec(text(), 8),
        numbers in prop::collection::vec(-1e150..1e150, 8),
        crlf: bool,
    ) {
        let keys: Vec<String> = BTreeSet::into_iter(keys).collect();
        let rows: Vec<Vec<String>> = keys
            .iter()
            .zip(texts.iter().zip(&numbers))
            .map(|(key, (text, number))| vec![key.clone(), text.clone(), format!("{number:?}")])
            .collect();
        let n = keys.len();
        let items = Folder::new().items_with(csv(&["key", "text", "number"], &rows, crlf), &["text"]).unwrap();
        prop_assert_eq!(&items.keys, &keys);
        prop_assert_eq!(&items.columns[0].values, &ColumnValues::Text(texts[..n].to_vec()));
        prop_assert_eq!(&items.columns[1].values, &ColumnValues::Numeric(numbers[..n].to_vec()));
        for (i, key) in keys.iter().enumerate() {
            prop_assert_eq!(items.index(key), Some(i));
        }
    }

    #[test]
    fn any_key_can_be_compared(
        keys in prop::collection::btree_set(text(), 2..6),
        duels in prop::collection::vec((0usize..6, 1usize..6), 1..20),
    ) {
        let folder = Folder::new();
        let keys: Vec<String> = keys.into_iter().collect();
        let n = keys.len();
        let items = folder.items(csv(&["key"], &keys.iter().map(|key| vec![key.clone()]).collect::<Vec<_>>(), false));
        let pairs: Vec<(usize, usize)> =
            duels.iter().map(|&(i, d)| (i % n, (i % n + 1 + d % (n - 1)) % n)).collect();
        let rows: Vec<_> = pairs.iter().map(|&(i, j)| vec![keys[i].clone(), keys[j].clone()]).collect();
        let table = folder.comparisons(&items.unwrap(), csv(&["winner", "loser"], &rows, true)).unwrap();
        let read: Vec<_> = settle(vec![table], Tied::Kept).unwrap().comparisons().iter().map(|c| (c.winner, c.loser)).collect();
        prop_assert_eq!(read, pairs);
    }

    #[test]
    fn no_bytes_make_a_reader_panic(bytes in prop::collection::vec(prop_oneof![
        Just(b','), Just(b'"'), Just(b'\n'), Just(b'\r'), Just(b';'), Just(b'1'), Just(b'>'), any::<u8>(),
    ], 0..60)) {
        let folder = Folder::new();
        let items = folder.named(&["1", "2", "3"]);
        let _ = folder.items(&bytes);
        for header in ["", "winner,loser\n", "left,right,outcome\n", "ranking\n", "rank1,rank2,rank3\n"] {
            let _ = folder.comparisons(&items, [header.as_bytes(), &bytes].concat());
        }
    }
}
