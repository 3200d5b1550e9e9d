//! A kind of answer of a user's own: from a table to a model file and back, without a change to the library or the reader.

mod points;
mod times;

use points::Points;
use rather::features::{Column, ColumnValues};
use rather::likelihood::{Kind, register};
use rather::model::{FitSettings, Items, Model};
use rather_io::{ItemTable, Reading, Tied};
use times::Times;

#[test]
fn a_kind_of_answer_of_ones_own_goes_from_a_table_to_a_model_file_and_back() {
    register(&Times).unwrap();
    register(&Times).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sold.csv");
    let keys: Vec<String> = ["tea", "coffee", "wine", "water"].map(str::to_owned).to_vec();
    let known = ItemTable::new("the table".into(), "item".to_owned(), keys.clone(), Vec::new()).unwrap();
    std::fs::write(&path, "item,taken,user\ntea,9,ann\ncoffee,five,ann\n").unwrap();
    let wrong = rather_io::read_answers(&path, &known, &Reading::ANY).unwrap_err().to_string();
    assert!(wrong.ends_with("\"five\" must be a whole number, how many times it was taken"), "{wrong}");
    assert!(wrong.contains("line 3"), "{wrong}");
    std::fs::write(&path, "item,taken\ntea,9\ncoffee,5\nwine,2\nwater,1\ntea,7\n").unwrap();
    let read = rather_io::read_answers(&path, &known, &Reading::ANY).unwrap();
    let found = rather_io::settle(vec![read], Tied::Kept).unwrap();
    assert!(found.answers.iter().all(|answer| answer.reply.kind == Kind(&Times)));
    let price = Column { name: "price".into(), values: ColumnValues::Numeric(vec![1.0, 2.0, 3.0, 4.0]) };
    let items = Items { keys, columns: vec![price] };
    let model = Model::fit_given(&items, found.answers, &[], &FitSettings::default(), &|_| ()).unwrap();
    let ranking: Vec<usize> = model.rank(model.points()).iter().map(|r| r.item).collect();
    assert_eq!(ranking, [0, 1, 2, 3]);
    assert!(model.reported_hyperparameters().iter().any(|(name, rate)| name == "taken.rate" && *rate > 0.0));
    let file = folder.path().join("sold.rather");
    rather_io::save_model(&file, &model).unwrap();
    let again = rather_io::load_model(&file).unwrap();
    assert_eq!(again.utilities(again.points()), model.utilities(model.points()));
}

#[test]
fn a_kind_of_ones_own_that_compares_is_read_beside_two_items() {
    register(&Points).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("judged.csv");
    let keys: Vec<String> = ["tea", "coffee", "wine"].map(str::to_owned).to_vec();
    let known = ItemTable::new("the table".into(), "item".to_owned(), keys.clone(), Vec::new()).unwrap();
    let read = |text: &str| {
        std::fs::write(&path, text).unwrap();
        rather_io::read_answers(&path, &known, &Reading::ANY)
    };
    let wrong = read("left,right,points\ntea,coffee,2\ntea,wine,7\n").unwrap_err().to_string();
    assert!(wrong.contains("line 3") && wrong.ends_with("\"7\" is no answer of its kind"), "{wrong}");
    let table = read("left,right,points\ntea,coffee,2\nwine,coffee,-1\nwine,tea,-4\n").unwrap();
    let found = rather_io::settle(vec![table], Tied::Kept).unwrap();
    let told: Vec<_> = found.answers.iter().map(|a| (a.pair().unwrap(), a.reply.datum)).collect();
    assert_eq!(told, [((0, 1), 2.0), ((1, 2), 1.0), ((0, 2), 4.0)]);
    let items = Items { keys, columns: Vec::new() };
    let model = Model::fit_given(&items, found.answers, &[], &FitSettings::default(), &|_| ()).unwrap();
    let ranking: Vec<usize> = model.rank(model.points()).iter().map(|r| r.item).collect();
    assert_eq!(ranking, [0, 1, 2]);
    let file = folder.path().join("judged.rather");
    rather_io::save_model(&file, &model).unwrap();
    let again = rather_io::load_model(&file).unwrap();
    assert_eq!(again.utilities(again.points()), model.utilities(model.points()));
}
