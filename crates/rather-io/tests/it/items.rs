//! Tables of items: what is read, and the sentences on what is not.

use crate::folder::Folder;
use rather::features::ColumnValues::{self, Numeric, Text};

fn column(table: &str, categorical: &[&str]) -> Result<ColumnValues, String> {
    let items = Folder::new().items_with(table, categorical)?;
    Ok(items.columns.into_iter().next().unwrap().values)
}

fn text(values: &[&str]) -> ColumnValues {
    Text(values.iter().map(|&value| value.to_owned()).collect())
}

fn error(table: impl AsRef<[u8]>) -> String {
    Folder::new().items(table).unwrap_err()
}

/// The sentence on items of which a value is missing, where none may be.
fn complete(table: &str) -> String {
    Folder::new().complete_items(table).unwrap_err()
}

/// How columns were read, and the notes.
fn told(table: &str) -> (String, Vec<String>) {
    let folder = Folder::new();
    let items = folder.items(table).unwrap();
    (rather_io::told(&items.told), items.notes.iter().map(|note| folder.sentence(note)).collect())
}

#[test]
fn how_columns_were_read_is_told() {
    let (columns, notes) = told(
        "tea;price;kind;share;fair;since;notes;id\n\
         A;8,5;Low;45%;true;2026-01-31;one;3\nB;12;low;7 %;false;2026-02-01;two;1\nC;1.250,75;high;12%;true;2026-02-02;three;2\n\
         D;;high;NA;true;2026-02-03;four;9\n",
    );
    assert_eq!(
        columns,
        "price: numbers with decimal commas (1 missing, taken for the mean); kind: 3 categories (\"Low\", \"low\": the same?); \
         share: percent (1 missing, taken for the mean); fair: true or false; since: dates (days since 1970-01-01); \
         notes: description (not used); id: numbers"
    );
    assert_eq!(
        notes,
        [
            "items.csv: in the column \"kind\", \"Low\", \"low\" are different; write them alike if they are the same",
            "items.csv: \"id\" is a different whole number for every item, and is used as a feature; leave it out unless near numbers mean \
          like items"
        ]
    );
    assert_eq!(told("tea,price\nA,€8.5\nB,€12\n").0, "price: amounts of money");
}

#[test]
fn the_index_of_a_data_frame_is_left_out() {
    let items = Folder::new().items(",tea,price\n0,Assam,1\n1,Oolong,2\n").unwrap();
    assert_eq!(
        (items.keys.as_slice(), items.key_name.as_str()),
        (&["Assam".to_owned(), "Oolong".to_owned()][..], "tea")
    );
    assert_eq!(items.columns.len(), 1);
    assert!(
        items.notes[0]
            .to_string()
            .ends_with("the first column counts the rows and was left out; the key is \"tea\"")
    );
    // Where the second column is no key, the numbers are.
    assert_eq!(Folder::new().items(",price\n0,4\n1,5\n").unwrap().keys, ["0", "1"]);
    assert_eq!(Folder::new().items(",kind\n0,black\n1,black\n").unwrap().keys, ["0", "1"]);
}

#[test]
fn missing_values_are_kept_as_such() {
    let items = Folder::new().items("tea,price,kind\nA,1,black\nB,,NA\nC,NaN,green\nD,3,green\n").unwrap();
    let Numeric(prices) = &items.columns[0].values else { panic!("prices are numbers") };
    assert_eq!(prices.iter().map(|price| price.is_nan()).collect::<Vec<_>>(), [false, true, true, false]);
    assert_eq!(items.columns[1].values, text(&["black", rather_io::MISSING, "green", "green"]));
    assert_eq!((items.told[0].missing, items.told[1].missing), (2, 1));
}

#[test]
fn json_is_a_table() {
    let lines = "{\"tea\": \"Assam\", \"price\": 8.5, \"at\": [1, 2]}\n\n{\"price\": null, \"tea\": \"Oolong\", \"at\": [3, 4.5]}\n";
    let array =
        "[{\"tea\": \"Assam\", \"price\": 8.5, \"at\": [1, 2]}, {\"tea\": \"Oolong\", \"at\": [3, 4.5]}]";
    for table in [lines, array] {
        let items = Folder::new().items(table).unwrap();
        assert_eq!(items.keys, ["Assam", "Oolong"]);
        let names: Vec<_> = items.columns.iter().map(|column| column.name.as_str()).collect();
        assert_eq!(names, ["price", "at_1", "at_2"]);
        assert_eq!(items.columns[2].values, Numeric(vec![2.0, 4.5]));
        assert_eq!(items.told[0].missing, 1);
    }
    assert!(error("{\"tea\": \"Assam\"}\n{\"tea\": \n").contains("could not read items.csv as JSON"));
    assert_eq!(
        error("{\"tea\": \"A\"}\n\n{\"tea\": \"A\"}\n"),
        "items.csv, line 3: the key \"A\" is already in line 1; every item needs its own key"
    );
}

#[test]
fn other_files_have_their_sentences() {
    assert_eq!(
        error(b"\xd0\xcf\x11\xe0\x14\x00"),
        "items.csv looks like an old Excel workbook, and tables are CSV, JSON, Parquet or Excel workbooks; save it as .xlsx or CSV"
    );
    assert_eq!(
        error("winner,loser\nA,B\nA,C\n"),
        "items.csv looks like a table of answers (\"winner\", \"loser\"), and a table of items is needed; are the two tables exchanged?"
    );
}

#[test]
fn comments_stand_before_the_header() {
    assert_eq!(column("# teas of today\nitem,x\nA,1\nB,2\n", &[]), Ok(Numeric(vec![1.0, 2.0])));
    assert_eq!(
        error("# teas\nitem,x\nA,1\nA,2\n"),
        "items.csv, line 4: the key \"A\" is already in line 3; every item needs its own key"
    );
}

#[test]
fn keys_and_features_are_read() {
    let items = Folder::new()
        .items(
            "\u{feff} Car ,price, sold ,maker\r\n A ,1.5,true,\"Müller, \"\"the\"\" Co\"\r\nB,-2,FALSE,x\r\n",
        )
        .unwrap();
    assert_eq!(items.key_name, "Car");
    assert_eq!(items.keys, ["A", "B"]);
    assert_eq!((items.index("A"), items.index("B"), items.index("a")), (Some(0), Some(1), None));
    let names: Vec<_> = items.columns.iter().map(|column| column.name.as_str()).collect();
    assert_eq!(names, ["price", "sold", "maker"]);
    assert_eq!(items.columns[0].values, Numeric(vec![1.5, -2.0]));
    assert_eq!(items.columns[1].values, Numeric(vec![1.0, 0.0]));
    assert_eq!(items.columns[2].values, text(&["Müller, \"the\" Co", "x"]));
}

#[test]
fn keys_alone_are_enough() {
    let items = Folder::new().items("item\nA\nB").unwrap();
    assert_eq!((items.len(), items.columns.len()), (2, 0));
    assert!(!items.is_empty());
}

#[test]
fn other_separators_are_understood() {
    assert_eq!(column("item;x\nA;1\nB;2\n", &[]), Ok(Numeric(vec![1.0, 2.0])));
    assert_eq!(column("item\tx\nA\t1\nB\t2,5\nC\ta\n", &[]), Ok(text(&["1", "2,5", "a"])));
}

#[test]
fn types_are_inferred() {
    assert_eq!(column("item,x\nA,red\nB,1\nC,blue\n", &[]), Ok(text(&["red", "1", "blue"])));
    assert_eq!(column("item,x\nA,1\nB,2\n", &["X"]), Ok(text(&["1", "2"])));
    assert_eq!(column("item,x\nA,nan\nB,blue\nC,red\n", &[]), Ok(text(&["missing", "blue", "red"])));
    assert!(column("item,x\nA,true\nB,1\n", &[]).is_err());
}

#[test]
fn a_number_of_100_digits_is_a_number() {
    let digits = "1234567890".repeat(10);
    assert_eq!(column(&format!("item,x\nA,{digits}\n"), &[]), Ok(Numeric(vec![digits.parse().unwrap()])));
}

#[test]
fn missing_and_empty_files() {
    let folder = Folder::new();
    let missing = rather_io::read_items(&folder.path("items.csv"), &Default::default()).unwrap_err();
    assert_eq!(folder.sentence(&missing), "items.csv does not exist; check its name and folder");
    for empty in ["", "\u{feff}", "\n\n"] {
        assert_eq!(
            error(empty),
            "items.csv is empty; its first line must be a header with the names of the columns"
        );
    }
    assert_eq!(error("item,price\n"), "items.csv has a header but no items; write one line for each item");
}

#[test]
fn values_that_are_not_numbers() {
    assert_eq!(
        error("item,price\nA,1\nB,cheap\n"),
        "items.csv, line 3, column \"price\": \"cheap\" is not a number; write a number, or pass \
         --categorical price to treat the column as categories"
    );
    assert_eq!(
        error("item,unit price\nA,1\nB,cheap\n"),
        "items.csv, line 3, column \"unit price\": \"cheap\" is not a number; write a number, or pass \
         --categorical \"unit price\" to treat the column as categories"
    );
    assert_eq!(
        complete("item,price\nA,1\nB,NaN\n"),
        "items.csv, line 3, column \"price\": \"NaN\" means a missing value; write a number, or remove \
         the line or the column"
    );
    assert_eq!(
        error("item,price\nA,-inf\nB,2\n"),
        "items.csv, line 2, column \"price\": \"-inf\" is not finite; write a finite number, or remove the \
         line or the column"
    );
    assert_eq!(
        complete("item,price\nA,1\nB, \n"),
        "items.csv, line 3, column \"price\": the cell is empty; fill it in, or remove the line or the column"
    );
}

#[test]
fn numbers_too_large_to_compute_with() {
    assert_eq!(
        error("item,price\nA,1e300\nB,1e300\n"),
        "items.csv, line 2, column \"price\": \"1e300\" is too large to compute with; give the column in a \
         larger unit, with values up to 1e150"
    );
    let digits = format!("1{}", "0".repeat(300));
    assert_eq!(
        error(format!("item,price\nA,1\nB,{digits}\n")),
        format!(
            "items.csv, line 3, column \"price\": \"{}…\" is too large to compute with; give the column in a \
             larger unit, with values up to 1e150",
            &digits[..40]
        )
    );
    assert!(error("item,price\nA,1e400\n").contains("\"1e400\" is too large to compute with"));
}

#[test]
fn keys_must_be_there_and_unique() {
    assert_eq!(
        error("item,x\nA,1\n\"B\",2\n\n A ,3\n"),
        "items.csv, line 5: the key \"A\" is already in line 2; every item needs its own key"
    );
    assert_eq!(
        error("item,x\nA,1\n ,2\n"),
        "items.csv, line 3, column \"item\": the cell is empty; fill it in, or remove the line or the column"
    );
}

#[test]
fn broken_lines() {
    assert_eq!(
        error("item,x,y\nA,\"1\n\",2\nB,1\n"),
        "items.csv, line 4: found 2 cells where the header has 3; complete the line, and put cells that \
         contain a separator in quotation marks"
    );
    assert_eq!(
        error("item,x\nA,1\nB,\"2\nC,3\n"),
        "items.csv, line 3: a quotation mark is opened and never closed; close it, or write \"\" for a \
         quotation mark inside a quoted cell"
    );
}

#[test]
fn texts_that_are_not_utf8() {
    assert_eq!(
        error(b"item,name\nA,tea\nB,caf\xe9\n"),
        "items.csv, line 3, column \"name\": the text is not UTF-8; save the file as UTF-8"
    );
    assert_eq!(
        error(b"item,caf\xe9\nA,tea\n"),
        "items.csv, line 1: the name of column 2 is not UTF-8 text; save the file as UTF-8"
    );
}

#[test]
fn columns_must_have_names_of_their_own() {
    assert_eq!(
        error("item,Price,price\nA,1,2\n"),
        "items.csv has two columns \"Price\" (upper and lower case are the same); rename or remove one"
    );
    assert_eq!(
        error("item,x,\nA,1,\n"),
        "items.csv: column 3 has no name; name it in the header or remove it"
    );
    let unknown = Folder::new().items_with("item,x,y\nA,1,2\n", &["z"]).unwrap_err();
    assert_eq!(unknown, "items.csv has no feature \"z\"; its features are \"x\", \"y\"");
}

#[test]
fn items_can_be_made_of_keys() {
    let make = |keys: [&str; 2]| {
        let keys = keys.map(str::to_owned).to_vec();
        rather_io::ItemTable::new("m.model".into(), "item".into(), keys, Vec::new())
    };
    assert_eq!(make(["A", "B"]).unwrap().index("B"), Some(1));
    assert_eq!(
        make(["A", "A"]).unwrap_err().to_string(),
        "m.model, row 2: the key \"A\" is already in row 1; every item needs its own key"
    );
}
