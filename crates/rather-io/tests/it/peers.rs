//! Tables as people of the field have them: read as they are, or with a role given to a column.

use crate::folder::Folder;
use rather_io::{AnswerTable, Reading, Tied, read_answers, settle};

/// A table: its name, its items, what it says of them, the roles it needs, and what is read: `winner>loser`, `left=right`, with a count if it is not 1.
struct Table {
    name: &'static str,
    items: &'static [&'static str],
    text: &'static str,
    roles: &'static [(&'static str, &'static str)],
    said: &'static [&'static str],
}

const TEAS: &[&str] = &["Assam", "Oolong", "Matcha"];
const MODELS: &[&str] = &["gpt-4", "claude", "llama"];

const fn plain(
    name: &'static str,
    items: &'static [&'static str],
    text: &'static str,
    said: &'static [&'static str],
) -> Table {
    Table { name, items, text, roles: &[], said }
}

const fn with(
    name: &'static str,
    text: &'static str,
    roles: &'static [(&'static str, &'static str)],
    said: &'static [&'static str],
) -> Table {
    Table { name, items: TEAS, text, roles, said }
}

const TABLES: &[Table] = &[
    // Arenas of language models.
    plain(
        "arena.csv",
        MODELS,
        "question_id,model_a,model_b,winner,judge\n1,gpt-4,claude,model_a,u1\n2,claude,llama,model_b,u2\n3,gpt-4,llama,tie,u1\n4,gpt-4,llama,tie (bothbad),u1\n",
        &["gpt-4>claude", "llama>claude", "gpt-4=llama", "gpt-4 bad", "llama bad"],
    ),
    plain(
        "one_hot.csv",
        MODELS,
        "id,model_a,model_b,prompt,response_a,response_b,winner_model_a,winner_model_b,winner_tie\n7,gpt-4,claude,\"Hi, there\",Hello,Hey,1,0,0\n8,llama,claude,x,y,z,0,0,1\n",
        &["gpt-4>claude", "llama=claude"],
    ),
    plain(
        "verdicts.csv",
        MODELS,
        "model_a,model_b,judgment\ngpt-4,claude,[[A>B]]\ngpt-4,claude,[[A>>B]]\nllama,claude,[[B>A]]\nllama,gpt-4,[[A=B]]\n",
        &["gpt-4>claude", "gpt-4>>claude", "claude>llama", "llama=gpt-4"],
    ),
    plain(
        "alpaca.csv",
        MODELS,
        "generator_1,generator_2,output_1,output_2,preference\ngpt-4,claude,a,b,1.0\ngpt-4,llama,a,b,2.0\nclaude,llama,a,b,1.5\n",
        &["gpt-4>claude", "llama>gpt-4", "claude=llama"],
    ),
    plain(
        "soft.csv",
        MODELS,
        "generator_1,generator_2,preference\ngpt-4,claude,1.25\n",
        &["gpt-4>claude*0.75", "claude>gpt-4*0.25"],
    ),
    plain("rlhf.csv", TEAS, "prompt,chosen,rejected\nWhich?,Assam,Oolong\n", &["Assam>Oolong"]),
    plain(
        "judge.csv",
        MODELS,
        "model_1,model_2,verdict\ngpt-4,claude,first\ngpt-4,llama,Second\nclaude,llama,same\n",
        &["gpt-4>claude", "llama>gpt-4", "claude=llama"],
    ),
    plain(
        "signs.csv",
        MODELS,
        "model_a,model_b,vote\ngpt-4,claude,1\ngpt-4,llama,-1\nclaude,llama,0\n",
        &["gpt-4>claude", "llama>gpt-4", "claude=llama"],
    ),
    // Votes on pairs.
    plain(
        "ab.csv",
        TEAS,
        "a,b,preferred\nAssam,Oolong,A\nAssam,Matcha,b\n",
        &["Assam>Oolong", "Matcha>Assam"],
    ),
    plain(
        "items.csv",
        TEAS,
        "item_1,item_2,result\nAssam,Oolong,1\nOolong,Assam,0\nAssam,Matcha,0.5\n",
        &["Assam>Oolong", "Assam>Oolong", "Assam=Matcha"],
    ),
    plain(
        "places.csv",
        TEAS,
        "item1,item2,choice\nAssam,Oolong,1\nOolong,Matcha,2\n",
        &["Assam>Oolong", "Matcha>Oolong"],
    ),
    plain(
        "options.csv",
        TEAS,
        "participant,option_a,option_b,answer\np1,Assam,Oolong,option_b\np1,Assam,Matcha,no preference\n",
        &["Oolong>Assam", "Assam=Matcha"],
    ),
    plain("named.csv", TEAS, "left,right,preferred\nAssam,Oolong,Oolong\n", &["Oolong>Assam"]),
    plain(
        "letters.csv",
        TEAS,
        "left,right,answer\nAssam,Oolong,L\nAssam,Oolong,R\nAssam,Oolong,equal\n",
        &["Assam>Oolong", "Oolong>Assam", "Assam=Oolong"],
    ),
    plain(
        "wins.csv",
        TEAS,
        "left_item,right_item,outcome\nAssam,Oolong,left_wins\nAssam,Matcha,right wins\nAssam,Matcha,both\nAssam,Matcha,neither\n",
        &["Assam>Oolong", "Matcha>Assam", "Assam=Matcha", "Assam=Matcha"],
    ),
    plain(
        "truth.csv",
        TEAS,
        "observer,condition_A,condition_B,is_A_selected\no1,Assam,Oolong,True\no1,Assam,Matcha,False\n",
        &["Assam>Oolong", "Matcha>Assam"],
    ),
    plain(
        "quality.csv",
        TEAS,
        "observer,condition_A,condition_B,is_A_selected\no1,Assam,Oolong,1\no1,Assam,Matcha,0\n",
        &["Assam>Oolong", "Matcha>Assam"],
    ),
    plain(
        "xy.csv",
        TEAS,
        "item_a,item_b,label\nAssam,Oolong,X\nAssam,Matcha,Y\n",
        &["Assam>Oolong", "Matcha>Assam"],
    ),
    // Counts.
    plain(
        "wide.csv",
        TEAS,
        "item_1,item_2,votes_1,votes_2,votes_equal\nAssam,Oolong,3,0,1\n",
        &["Assam>Oolong*3", "Assam=Oolong"],
    ),
    plain(
        "schools.csv",
        TEAS,
        "student,school1,school2,win1,win2,tied\n1,Assam,Oolong,1,0,0\n1,Assam,Matcha,0,0,1\n2,Oolong,Matcha,0,1,0\n2,Oolong,Assam,NA,NA,NA\n",
        &["Assam>Oolong", "Assam=Matcha", "Matcha>Oolong"],
    ),
    plain(
        "matrix.csv",
        TEAS,
        ",Assam,Oolong,Matcha\nAssam,0,2,1\nOolong,1,,0\nMatcha,0,3,0\n",
        &["Assam>Oolong*2", "Assam>Matcha", "Oolong>Assam", "Matcha>Oolong*3"],
    ),
    plain(
        "counts.csv",
        TEAS,
        "winner,loser,count\nAssam,Oolong,1.0\nOolong,Matcha,0.5\n",
        &["Assam>Oolong", "Oolong>Matcha*0.5"],
    ),
    // Sports.
    plain(
        "tennis.csv",
        TEAS,
        "tourney_date,winner_id,winner_name,loser_id,loser_name,score\n20170101,104,Assam,105,Oolong,6-3 6-2\n",
        &["Assam>Oolong"],
    ),
    plain(
        "chess.csv",
        TEAS,
        "White;Black;Result\nAssam;Oolong;1-0\nAssam;Matcha;0-1\nOolong;Matcha;1/2-1/2\n",
        &["Assam>Oolong", "Matcha>Assam", "Oolong=Matcha"],
    ),
    plain("players.tsv", TEAS, "player_1\tplayer_2\twinner\nAssam\tOolong\tOolong\n", &["Oolong>Assam"]),
    plain("ids.csv", &["1", "2", "17"], "Winner ID,Loser ID\n1,17\n2,1\n", &["1>17", "2>1"]),
    plain("numbers.csv", &["1", "2", "17"], "player_1,player_2,winner\n1,17,17\n2,1,2\n", &["17>1", "2>1"]),
    // Other formats.
    plain(
        "votes.jsonl",
        MODELS,
        "{\"model_a\": \"gpt-4\", \"model_b\": \"claude\", \"winner\": \"model_b\", \"meta\": {\"x\": 1}}\n{\"model_a\": \"llama\", \"model_b\": \"claude\", \"winner\": \"tie\"}\n",
        &["claude>gpt-4", "llama=claude"],
    ),
    plain("votes.json", TEAS, "[{\"chosen\": \"Assam\", \"rejected\": \"Oolong\"}]", &["Assam>Oolong"]),
    plain("commented.csv", TEAS, "# exported today\nwinner,loser\nAssam,Oolong\n", &["Assam>Oolong"]),
    plain("halves.csv", TEAS, "winner;loser;weight\nAssam;Oolong;0,5\n", &["Assam>Oolong*0.5"]),
    // Columns with names that nobody could guess.
    with(
        "german.csv",
        "besser;schlechter;wer\nAssam;Oolong;ann\n",
        &[("winner", "besser"), ("loser", "schlechter"), ("user", "wer")],
        &["Assam>Oolong"],
    ),
    with(
        "odd.csv",
        "s1,s2,resp\nAssam,Oolong,1\nMatcha,Oolong,0\n",
        &[("left", "s1"), ("right", "s2"), ("outcome", "resp")],
        &["Assam>Oolong", "Oolong>Matcha"],
    ),
    with(
        "long.csv",
        "tea,stars_given\nAssam,3\nOolong,4\n",
        &[("item", "tea"), ("rating", "stars_given")],
        &["Assam rated", "Oolong rated"],
    ),
];

/// What a table says, as [`Table::said`] has it.
fn said(table: AnswerTable, items: &[&str]) -> Vec<String> {
    let answers = settle(vec![table], Tied::Kept).unwrap();
    let strongest = |a: &rather::answers::Answer| {
        !answers.grades.is_empty()
            && a.minus.is_some()
            && !a.is_tie()
            && answers.grades.len() == usize::from(a.reply.datum as u8)
    };
    let one = |a: rather::answers::Answer| {
        let times = if (a.count - 1.0).abs() < 1e-12 { String::new() } else { format!("*{}", a.count) };
        let what = match a.minus {
            Some(minus) if a.is_tie() => {
                // A tie is shown as its table has it.
                let [left, right] = if a.reply.side < 0 { [minus, a.plus] } else { [a.plus, minus] };
                format!("{}={}", items[left], items[right])
            }
            Some(minus) => {
                let sign = if answers.grades.len() > 1 && strongest(&a) { ">>" } else { ">" };
                format!("{}{sign}{}", items[a.plus], items[minus])
            }
            None if answers.levels.is_empty() => {
                format!("{} {}", items[a.plus], if a.reply.datum > 0.0 { "good" } else { "bad" })
            }
            None => format!("{} rated", items[a.plus]),
        };
        what + &times
    };
    answers.answers.iter().map(one).collect()
}

fn read(table: &Table) -> Result<AnswerTable, String> {
    let folder = Folder::new();
    let items = folder.named(table.items);
    let path = folder.write(table.name, table.text);
    let roles: Vec<(String, String)> =
        table.roles.iter().map(|&(role, column)| (role.to_owned(), column.to_owned())).collect();
    read_answers(&path, &items, &Reading { roles: &roles, ..Reading::ANY })
        .map_err(|error| folder.sentence(&error))
}

#[test]
fn tables_are_read_as_they_are() {
    assert!(TABLES.len() >= 30 && TABLES.iter().filter(|table| table.roles.is_empty()).count() >= 24);
    let mut wrong = Vec::new();
    for table in TABLES {
        match read(table).map(|read| said(read, table.items)) {
            Ok(found) if found == table.said => {}
            found => wrong.push(format!("{}: {found:?}, not {:?}", table.name, table.said)),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_was_guessed_is_said() {
    let notes = |name: &str| -> Vec<String> {
        let table = TABLES.iter().find(|table| table.name == name).unwrap();
        let notes = read(table).unwrap().notes;
        notes.iter().map(|note| note.to_string().rsplit('/').next().unwrap().to_owned()).collect()
    };
    assert_eq!(
        notes("items.csv"),
        [
            "items.csv: read \"item_1\" as left, \"item_2\" as right, \"result\" as outcome",
            "items.csv: in the column \"result\", 1 is taken for \"item_1\", 0 for \"item_2\", and 0.5 for a tie"
        ]
    );
    let alpaca = &notes("soft.csv")[1];
    assert!(alpaca.ends_with("0 for a tie; fractions between are probabilities"), "{alpaca}");
    assert_eq!(notes("counts.csv").len(), 0);
}

#[test]
fn what_cannot_be_guessed_has_its_sentence() {
    let error = |text: &'static str, roles: &'static [(&'static str, &'static str)]| {
        read(&Table { name: "t.csv", items: TEAS, text, roles, said: &[] }).unwrap_err()
    };
    assert_eq!(
        error("best,worst\nAssam,Oolong\n", &[("winner", "bets")]),
        "t.csv has no column \"bets\"; its columns are \"best\", \"worst\""
    );
    assert!(
        error("winner,loser\nAssam,Oolong\n", &[("winer", "winner")])
            .starts_with("there is no role \"winer\"")
    );
    assert_eq!(
        error("left,right,outcome\nAssam,Oolong,1\nAssam,Oolong,3\n", &[]),
        "t.csv, column \"outcome\": the outcomes \"1\", \"3\" are not understood; write left, right or tie, or 1 (left), 0 (right) and 0.5 (tie), \
         or 1 (left) and 2 (right)"
    );
    assert_eq!(
        error("Assam,Oolong\nOolong,Matcha\n", &[]),
        "the first line of t.csv looks like data (\"Assam\", \"Oolong\"), but it must be a header with the names of the columns, such as \
         winner,loser; add one"
    );
}

#[test]
fn items_called_a_and_b_are_no_sides() {
    let folder = Folder::new();
    let items = folder.named(&["A", "B", "C"]);
    let path = folder.write("t.csv", "left,right,outcome\nB,A,A\n");
    let read = read_answers(&path, &items, &Reading::ANY).unwrap();
    assert_eq!(said(read, &["A", "B", "C"]), ["A>B"]);
    // Whoever writes A here may mean the item or the left one.
    let path = folder.write("t.csv", "left,right,outcome\nC,B,A\n");
    let error = folder.sentence(&read_answers(&path, &items, &Reading::ANY).unwrap_err());
    assert!(error.contains("\"A\" is no outcome"), "{error}");
}
