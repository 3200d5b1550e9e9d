//! Tables of answers of any kind: what they become, and the sentences on what they cannot.

use crate::folder::Folder;
use rather::answers::{Answer, Answers};
use rather_io::{
    AnswerData, AnswerTable, Attributes, Error, ItemOptions, Rankings, Reading, Table, Tied, answers_of,
    items_in, items_of, read_answers, settle,
};

fn read_as(tables: &[&str], rankings: Rankings, tied: Tied) -> Result<AnswerData, String> {
    let folder = Folder::new();
    let items = folder.named(&["A", "B", "C", "D"]);
    let plain = |error: Error| folder.sentence(&error);
    let table = |(n, text): (usize, &&str)| {
        let reading = Reading { rankings, ..Reading::ANY };
        read_answers(&folder.write(&format!("t{n}.csv"), text), &items, &reading).map_err(plain)
    };
    let tables = tables.iter().enumerate().map(table).collect::<Result<Vec<_>, _>>()?;
    settle(tables, tied).map_err(plain)
}

fn read(table: &str) -> Vec<Answer> {
    read_as(&[table], Rankings::Pairs, Tied::Kept).unwrap().answers.iter().collect()
}

fn error(table: &str) -> String {
    read_as(&[table], Rankings::Pairs, Tied::Kept).unwrap_err()
}

#[test]
fn without_ties_and_grades_preferences_are_plain() {
    assert_eq!(read("winner,loser,count\nA,B,3\n"), [Answer::rather(0, 1).times(3)]);
    let shown = [Answer::rather(1, 0).shown_left(0), Answer::rather(0, 2).shown_left(0)];
    assert_eq!(read("left,right,outcome\nA,B,right\nA,C,>\n"), shown);
}

#[test]
fn ties_make_the_others_grades() {
    let table = "left,right,outcome,user\nA,B,tie,x\nB,C,left,y\n";
    let tie = Answer::tie(0, 1).shown_left(0).by(0);
    assert_eq!(read(table), [tie, Answer::better(1, 2, 1).shown_left(1).by(1)]);
    let dropped = read_as(&[table], Rankings::Pairs, Tied::Dropped).unwrap();
    assert_eq!(dropped.answers, Answers::from(&[Answer::rather(1, 2).shown_left(1).by(1)]));
    assert_eq!((dropped.ties, dropped.users), (1, vec!["x".to_owned(), "y".to_owned()]));
    let both: Vec<Answer> = read_as(&[table], Rankings::Pairs, Tied::Both).unwrap().answers.iter().collect();
    assert_eq!(both.len(), 3);
    assert_eq!(both[1], Answer::rather(1, 0).shown_left(0).by(0));
}

/// Words of strength become as many grades as there are, over all tables.
#[test]
fn strength_is_graded() {
    let words = "left,right,outcome\nA,B,much left\nA,C,a little right\nB,C,Slightly Left\n";
    let graded = [
        Answer::better(0, 1, 2).shown_left(0),
        Answer::better(2, 0, 1).shown_left(0),
        Answer::better(1, 2, 1).shown_left(1),
    ];
    assert_eq!(read(words), graded);
    let signs =
        read_as(&["left,right,outcome\nA,B,>>\nA,C,<\n", "winner,loser\nC,D\n"], Rankings::Pairs, Tied::Kept);
    let three = [
        Answer::better(0, 1, 2).shown_left(0),
        Answer::better(2, 0, 1).shown_left(0),
        Answer::better(2, 3, 1),
    ];
    assert_eq!(signs.unwrap().answers, Answers::from(&three));
}

#[test]
fn rankings_are_read_two_ways() {
    let table = "ranking\nA > B = C > D\n";
    let pairs = read(table);
    assert_eq!(pairs.len(), 6);
    assert_eq!(pairs[3], Answer::tie(1, 2));
    let adjacent = read_as(&[table], Rankings::Adjacent, Tied::Kept).unwrap().answers;
    let expected = [Answer::better(0, 1, 1), Answer::tie(1, 2), Answer::better(2, 3, 1)];
    assert_eq!(adjacent, Answers::from(&expected));
}

#[test]
fn the_best_of_several_beats_the_others() {
    let table = "choice,option_1,option_2,option_3\nB,A,B,D\nA,A,C,\n";
    let chosen = [Answer::rather(1, 0), Answer::rather(1, 3), Answer::rather(0, 2)];
    assert_eq!(read(table), chosen);
    assert_eq!(read_as(&[table], Rankings::Adjacent, Tied::Kept).unwrap().answers, Answers::from(&chosen));
}

/// The best and the worst of several, or one of them.
#[test]
fn the_worst_loses_to_the_others() {
    let both = "best,worst,option_1,option_2,option_3,option_4\nB,D,A,B,C,D\nA,C,A,C,,\n";
    let pairs = [(1, 0), (1, 2), (1, 3), (0, 3), (2, 3), (0, 2)];
    assert_eq!(read(both), pairs.map(|(winner, loser)| Answer::rather(winner, loser)));
    let adjacent = read_as(&[both], Rankings::Adjacent, Tied::Kept).unwrap().answers;
    // That the best is better than the worst follows.
    let neighbours = [(1, 0), (1, 2), (0, 3), (2, 3), (0, 2)];
    assert_eq!(adjacent, Answers::from(&neighbours.map(|(winner, loser)| Answer::rather(winner, loser))));
    let worst = "worst,option_1,option_2,option_3\nC,A,B,C\n";
    assert_eq!(read(worst), [Answer::rather(0, 2), Answer::rather(1, 2)]);
    assert_eq!(
        error("best,worst,option_1,option_2\nA,A,A,B\n"),
        "t0.csv, line 2: the item \"A\" appears in the ranking twice; keep one"
    );
    assert!(error("best,worst,option_1,option_2\nA,C,A,B\n").contains("C"));
    assert!(error("best,worst\nA,B\n").contains("option_1"));
}

#[test]
fn rows_are_taken_jointly() {
    let joint = |table: &str| -> Result<Vec<Answer>, String> {
        Ok(read_as(&[table], Rankings::Joint, Tied::Kept)?.answers.iter().collect())
    };
    let ordered = |items: &[usize], top, bottom| Answer::ordered(items, top, bottom).unwrap();
    assert_eq!(joint("ranking\nA > C > B > D\n").unwrap(), [ordered(&[0, 2, 1, 3], 3, 0)]);
    assert_eq!(joint("ranking\nD > A = B = C\n").unwrap(), [ordered(&[3, 0, 1, 2], 1, 0)]);
    assert_eq!(joint("ranking\nA > C = B > D\n").unwrap(), [ordered(&[0, 1, 2, 3], 1, 1)]);
    assert_eq!(
        joint("rank_1,rank_2,rank_3\nA,C,B\nB,A,\n").unwrap(),
        [ordered(&[0, 2, 1], 2, 0), Answer::rather(1, 0)]
    );
    assert_eq!(joint("choice,option_1,option_2,option_3\nB,A,B,D\n").unwrap(), [ordered(&[1, 0, 3], 1, 0)]);
    let maxdiff = "best,worst,option_1,option_2,option_3,option_4,user,count\nB,A,A,B,C,D,x,2\n";
    assert_eq!(joint(maxdiff).unwrap(), [ordered(&[1, 2, 3, 0], 1, 1).by(0).times(2)]);
    assert_eq!(joint("worst,option_1,option_2,option_3\nC,A,B,C\n").unwrap(), [ordered(&[0, 1, 2], 0, 1)]);
    // Two items are a comparison, or a tie.
    assert_eq!(joint("winner,loser\nA,B\n"), joint("ranking\nA > B\n"));
    assert_eq!(joint("ranking\nA > B\nA = B\n").unwrap()[1], Answer::tie(0, 1));
    let sentence = "t0.csv, line 2 has items of equal rank in two places, so it cannot be taken jointly; take it as pairs \
                    (--rankings pairs), or leave it out";
    assert_eq!(joint("ranking\nA = B > C = D\n").unwrap_err(), sentence);
    assert!(joint("ranking\nA = B = C\n").unwrap_err().contains("says of no item that it is better"));
}

/// None of the options, where that could be chosen, is an option of every row: an item that the choices name, or one of the table of items.
#[test]
fn none_of_these_is_an_option() {
    let read = |table: &str| -> Result<(Vec<String>, Vec<Answer>), Error> {
        let table = || Table::of_csv("choices.csv".as_ref(), table.as_bytes().to_vec());
        let items = items_of(items_in(table()?, &[])?, &ItemOptions::default())?;
        let reading = Reading { rankings: Rankings::Joint, ..Reading::ANY };
        let answers = settle(vec![answers_of(table()?, &items, &reading)?], Tied::Kept)?.answers;
        Ok((items.keys, answers.iter().collect()))
    };
    let ordered = |items: &[usize], top, bottom| Answer::ordered(items, top, bottom).unwrap();
    let wide = "choice,option_1,option_2,option_3\nx,x,y,z\nNone of these,y,z,w\nz,w,z,\n";
    let (keys, answers) = read(wide).unwrap();
    assert_eq!(keys, ["x", "y", "z", "None of these", "w"]);
    assert_eq!(
        answers,
        [ordered(&[0, 1, 2, 3], 1, 0), ordered(&[3, 1, 2, 4], 1, 0), ordered(&[2, 4, 3], 1, 0)]
    );
    // With the worst beside the best it is between them.
    let maxdiff = "best,worst,option_1,option_2,option_3\nx,y,x,y,z\nnone,z,x,y,z\n";
    let (keys, answers) = read(maxdiff).unwrap();
    assert_eq!(keys, ["x", "y", "z", "none"]);
    assert_eq!(answers, [ordered(&[0, 2, 3, 1], 1, 1), ordered(&[3, 0, 1, 2], 1, 1)]);
    // One that is offered like others is no other option.
    assert_eq!(read("choice,option_1,option_2\nnone,x,none\nx,x,y\n").unwrap().1.len(), 2);
    // A row without attributes, in tables with a row an option.
    let long = "respondent,task,chosen,price,size\np,1,0,10,s\np,1,1,20,l\np,1,0,,\np,2,0,20,l\np,2,1,,\n";
    let (keys, answers) = read(long).unwrap();
    assert_eq!(keys, ["10, s", "20, l", "none"]);
    assert_eq!(answers, [ordered(&[1, 0, 2], 1, 0).by(0), Answer::rather(2, 1).by(0)]);
}

/// A row an option.
#[test]
fn tasks_are_read_from_rows_of_options() {
    let joint = |table: &str| -> Result<Vec<Answer>, String> {
        Ok(read_as(&[table], Rankings::Joint, Tied::Kept)?.answers.iter().collect())
    };
    let ordered = |items: &[usize], top, bottom| Answer::ordered(items, top, bottom).unwrap();
    let tasks = "respondent,task,alternative,chosen\n\
                 x,1,A,0\nx,1,B,1\nx,1,D,0\ny,1,C,1\ny,1,A,0\nx,2,C,0\nx,2,D,0\nx,2,A,1\n";
    let said = [ordered(&[1, 0, 3], 1, 0).by(0), Answer::rather(2, 0).by(1), ordered(&[0, 2, 3], 1, 0).by(0)];
    assert_eq!(joint(tasks).unwrap(), said);
    // In whatever order rows stand.
    let mixed = "user,choice_set,option,choice\n\
                 x,1,A,0\ny,1,C,1\nx,2,C,0\nx,1,B,1\nx,2,D,0\ny,1,A,0\nx,1,D,0\nx,2,A,1\n";
    let mut again = joint(mixed).unwrap();
    again.sort_by_key(|answer| said.iter().position(|other| other == answer));
    assert_eq!(again, said);
    let maxdiff = "user,task,item,chosen\nx,1,A,-1\nx,1,B,1\nx,1,C,0\nx,1,D,0\n";
    assert_eq!(joint(maxdiff).unwrap(), [ordered(&[1, 2, 3, 0], 1, 1).by(0)]);
    let ranks = "user,task,item,rank\nx,1,A,3\nx,1,B,1\nx,1,C,2\nx,1,D,\n";
    assert_eq!(joint(ranks).unwrap(), [ordered(&[1, 2, 0, 3], 3, 0).by(0)]);
    let pairs = read_as(&[tasks], Rankings::Pairs, Tied::Kept).unwrap().answers;
    assert_eq!(pairs.len(), 5);
    for (table, sentence) in [
        (
            "task,item,chosen\n1,A,x\n",
            "t0.csv, line 2, column \"chosen\": \"x\" is neither 1 (chosen) nor 0 (not chosen) nor -1 (the worst); write one of them",
        ),
        (
            "task,item,rank\n1,A,0\n",
            "t0.csv, line 2, column \"rank\": \"0\" is no rank; write 1 for the best option, 2 for the next one and so on",
        ),
        (
            "task,item,chosen\n1,A,1\n1,B,0\n2,A,0\n2,B,0\n",
            "t0.csv, line 4: in the task that begins here no option is chosen; mark one with 1, leave the task out, or, if none of these could be chosen, give every task an option without attributes for that",
        ),
        (
            "task,item,chosen\n1,A,1\n1,A,0\n",
            "t0.csv, line 3: the item \"A\" appears in the ranking twice; keep one",
        ),
    ] {
        assert_eq!(joint(table).unwrap_err(), sentence);
    }
    assert!(joint("task,chosen,price\n1,1,3\n1,0,4\n").unwrap_err().contains("\"option\""));
}

/// The items of a table that has none of its own.
#[test]
fn items_are_found_in_answers() {
    let read = |text: &str| {
        let table = || rather_io::Table::of_csv("t.csv".as_ref(), text.as_bytes().to_vec()).unwrap();
        let items =
            rather_io::items_of(rather_io::items_in(table(), &[]).unwrap(), &Default::default()).unwrap();
        let answers = rather_io::answers_of(table(), &items, &Reading::ANY).unwrap();
        (items.keys, items.columns.len(), settle(vec![answers], Tied::Kept).unwrap().answers.len())
    };
    let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
    assert_eq!(read("winner,loser\nx,y\nz,x\n"), (names(&["x", "y", "z"]), 0, 2));
    assert_eq!(read("ranking\nx > y > z\n"), (names(&["x", "y", "z"]), 0, 3));
    assert_eq!(read("item,rating\nx,3\ny,4\nx,2\n"), (names(&["x", "y"]), 0, 3));
    assert_eq!(read("task,option,chosen\n1,x,1\n1,y,0\n"), (names(&["x", "y"]), 0, 1));
    let conjoint =
        "id,task,chosen,price,drive,weights\n1,1,1,10,e,2\n1,1,0,12,e,2\n2,1,0,10,e,1\n2,1,1,10,g,1\n";
    assert_eq!(read(conjoint), (names(&["10, e", "12, e", "10, g"]), 2, 2));
}

#[test]
fn long_rows_are_not_taken_jointly() {
    let folder = Folder::new();
    let keys: Vec<String> = (0..13).map(|i| format!("k{i}")).collect();
    let items = folder.named(&keys.iter().map(String::as_str).collect::<Vec<_>>());
    let path = folder.write("long.csv", format!("ranking\n{}\n", keys.join(" > ")));
    let reading = Reading { rankings: Rankings::Joint, ..Reading::ANY };
    let sentence = folder.sentence(&read_answers(&path, &items, &reading).unwrap_err());
    assert!(sentence.starts_with("long.csv, line 2 is about more than 12 items"), "{sentence}");
}

#[test]
fn options_to_ask_about_are_read() {
    let folder = Folder::new();
    let items = folder.named(&["A", "B", "C", "D"]);
    let read = |text: &str| {
        let table = rather_io::Table::open(&folder.write("menus.csv", text)).unwrap();
        rather_io::options_of(table, &items).map_err(|error| folder.sentence(&error))
    };
    let found = read("option_1,option_2,option_3,user\nA,C,B,x\nD,A,,y\n").unwrap().unwrap();
    assert_eq!(
        (found.sets, found.users),
        (vec![vec![0, 2, 1], vec![3, 0]], Some(vec!["x".into(), "y".into()]))
    );
    assert!(read("left,right\nA,B\n").unwrap().is_err());
    assert_eq!(
        read("option_1,option_2\nA,\n").unwrap_err(),
        "menus.csv, line 2 names 1 options; name 2 to 12"
    );
    assert_eq!(
        read("option_1,option_2\nA,A\n").unwrap_err(),
        "menus.csv, line 2: the item \"A\" appears in the ranking twice; keep one"
    );
    assert!(read("option_1,option_2\n").unwrap_err().contains("no rows"));
}

#[test]
fn ratings_are_levels_and_values_may_be_bounds() {
    let two = ["user,item,rating\nx,A,3\ny,B,1\nx,C,4.5\n", "item,rating\nD,3\n"];
    let answers = read_as(&two, Rankings::Pairs, Tied::Kept).unwrap();
    assert_eq!(answers.levels, [1.0, 3.0, 4.5]);
    let rated = [
        Answer::rated(0, 1).by(0),
        Answer::rated(1, 0).by(1),
        Answer::rated(2, 2).by(0),
        Answer::rated(3, 1),
    ];
    assert_eq!(answers.answers, Answers::from(&rated));
    let values = read("item,value,noise\nA,2.5,1\nB,>10,2\nC,<-1,1\n");
    let said =
        [Answer::measured(0, 2.5), Answer::at_least(1, 10.0).with_noise(2.0), Answer::at_most(2, -1.0)];
    assert_eq!(values, said);
}

#[test]
fn what_is_wrong_has_a_sentence() {
    for (table, sentence) in [
        (
            "left,right,outcome\nA,B,rather left\n",
            "t0.csv, line 2, column \"outcome\": \"rather left\" is no outcome; write left, right, tie (or draw, or =), \
             \"A\" or \"B\"",
        ),
        (
            "item,rating\nA,good\n",
            "t0.csv, line 2, column \"rating\": \"good\" is not a number; write one such as 3.5 (a value may be a bound, \
             >3.5 or <3.5)",
        ),
        (
            "item,value\nA,>NaN\n",
            "t0.csv, line 2, column \"value\": \"NaN\" is not a number; write one such as 3.5 (a value may be a bound, \
             >3.5 or <3.5)",
        ),
        (
            "winner,loser,noise\nA,B,0\n",
            "t0.csv, line 2, column \"noise\": \"0\" is not a noise; write a positive number, 1 for an answer as noisy \
             as others",
        ),
        (
            "choice,option_1,option_2\nC,A,B\n",
            "t0.csv, line 2, column \"choice\": \"C\" is not among the options of its line; add it there or correct the \
             choice",
        ),
        ("item,rating\n", "t0.csv has no comparisons; write at least one"),
        (
            "item,label\nA,perhaps\n",
            "t0.csv, line 2, column \"label\": \"perhaps\" is not a label; write yes or no (or true and false, 1 and 0)",
        ),
        ("item,label\nA,yes\nB,1\n", "every label in t0.csv is \"yes\"; add items with the other label"),
    ] {
        assert_eq!(error(table), sentence);
    }
    let many: String = (0..101).map(|i| format!("A,{i}\n")).collect();
    assert_eq!(
        error(&format!("item,rating\n{many}")),
        "t0.csv has 101 different ratings, more than 100; call the column \"value\" instead of \"rating\""
    );
}

/// An order added by itself is the answer that a row of a table is.
#[test]
fn an_order_is_what_a_row_taken_jointly_is() {
    let row = "ranking,user,count\nA > B = C > D,x,2\nB > A,x,1\nC = D,x,1\n";
    let read = read_as(&[row], Rankings::Joint, Tied::Kept).unwrap();
    let mut table = AnswerTable::new(vec!["x".to_owned()], false);
    let once = Attributes { user: Some(0), ..Attributes::default() };
    table.order(&[0, 1, 2, 3], (1, 1), Attributes { count: 2.0, ..once }).unwrap();
    table.order(&[1, 0], (1, 0), once).unwrap();
    table.order(&[2, 3], (0, 0), once).unwrap();
    for (items, ends) in [(&[0][..], (1, 0)), (&[0, 1, 2], (0, 0)), (&[0, 1], (2, 1)), (&[0; 13], (1, 0))] {
        assert!(matches!(table.order(items, ends, once), Err(rather::Error::Parameter { .. })));
    }
    assert_eq!(settle(vec![table], Tied::Kept).unwrap(), read);
}
