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
    assert_eq!(column("item,x\nA,nan\nB,blue\nC,red\n", &[]), Ok(text(&["nan", "blue", "red"])));
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
        error("item,price\nA,1\nB,NaN\n"),
        "items.csv, line 3, column \"price\": \"NaN\" means a missing value; write a number, or remove \
         the line or the column"
    );
    assert_eq!(
        error("item,price\nA,-inf\nB,2\n"),
        "items.csv, line 2, column \"price\": \"-inf\" is not finite; write a finite number, or remove the \
         line or the column"
    );
    assert_eq!(
        error("item,price\nA,1\nB, \n"),
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
