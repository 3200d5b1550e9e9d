//! Tables of comparisons and of pairs: what is read, and the sentences on what is not.

use crate::folder::Folder;
use rather::Comparison;
use rather::answers::Answer;
use rather_io::{AnswerTable, Rankings, Reading, Tied, answers_of, read_answers, settle};

/// What a table says, and its notes.
struct Read {
    comparisons: Vec<Comparison>,
    ties: Vec<(usize, usize)>,
    users: Vec<String>,
    /// The users of the comparisons and of the ties.
    by: (Vec<u32>, Vec<u32>),
    notes: Vec<String>,
}

impl Read {
    fn new(table: AnswerTable) -> Self {
        let notes = table.notes.iter().map(ToString::to_string).collect();
        let answers = settle(vec![table], Tied::Kept).unwrap();
        let ties: Vec<Answer> = answers.answers.iter().filter(Answer::is_tie).collect();
        let by = answers.comparisons_by_user().filter_map(|(user, _)| user).collect();
        Self {
            comparisons: answers.comparisons(),
            ties: ties.iter().map(|tie| (tie.plus, tie.minus.unwrap())).collect(),
            by: (by, ties.iter().filter_map(|tie| tie.reply.user).collect()),
            users: answers.users,
            notes,
        }
    }
}

fn read(table: impl AsRef<[u8]>) -> Result<Read, String> {
    let folder = Folder::new();
    folder.comparisons(&folder.named(&["A", "B", "C", "Tuna"]), table).map(Read::new)
}

fn error(table: impl AsRef<[u8]>) -> String {
    read(table).err().unwrap()
}

fn won(winner: usize, loser: usize, count: u32) -> Comparison {
    Comparison { winner, loser, count: count.into() }
}

#[test]
fn duels_are_read() {
    let table = read("winner,loser\nA,B\n B ,\"A\"\nA,B\n").unwrap();
    assert_eq!(table.comparisons, [won(0, 1, 1), won(1, 0, 1), won(0, 1, 1)]);
    assert_eq!((table.ties.len(), table.users.len(), table.notes.len()), (0, 0, 0));
}

#[test]
fn users_and_counts_are_read() {
    let table = read("user,Loser,winner,count\nann,A,B,3\nbob,A,C,4294967295\nann,C,A,1\n").unwrap();
    assert_eq!(table.comparisons, [won(1, 0, 3), won(2, 0, u32::MAX), won(0, 2, 1)]);
    assert_eq!(table.users, ["ann", "bob"]);
    assert_eq!(table.by.0, [0, 1, 0]);
}

#[test]
fn outcomes_are_read() {
    let table = read(
        "left,right,outcome,user\nA,B,left,x\nA,B,Right,y\nA,C,tie,x\nA,C,=,y\nB,A,draw,y\nA,B,B,x\nA,B,A,x\n",
    )
    .unwrap();
    assert_eq!(table.comparisons, [won(0, 1, 1), won(1, 0, 1), won(1, 0, 1), won(0, 1, 1)]);
    assert_eq!(table.ties, [(0, 2), (0, 2), (1, 0)]);
    assert_eq!(table.by, (vec![0, 1, 0, 0], vec![0, 1, 1]));
    assert_eq!(read("left,right,winner\nA,B,right\n").unwrap().comparisons, [won(1, 0, 1)]);
    assert_eq!(read("left,right,outcome\nA,B,tie\n").unwrap().ties, [(0, 1)]);
}

#[test]
fn rankings_are_read() {
    let table = read("user,ranking\nx,C > A = B > Tuna\ny,A\n").unwrap();
    assert_eq!(table.comparisons, [won(2, 0, 1), won(2, 1, 1), won(2, 3, 1), won(0, 3, 1), won(1, 3, 1)]);
    assert_eq!(table.ties, [(0, 1)]);
    // Who ranked a single item has said nothing.
    assert_eq!((table.users, table.by), (vec!["x".to_owned()], (vec![0; 5], vec![0])));
    assert_eq!(table.notes[0].split(": ").last(), Some("skipped 1 ranking of fewer than two items"));

    let table = read("rank_1,rank_2,rank_3\nC,A,B\nB,A,\n,,\n").unwrap();
    assert_eq!(table.comparisons, [won(2, 0, 1), won(2, 1, 1), won(0, 1, 1), won(1, 0, 1)]);
    assert_eq!(table.notes.len(), 1);
}

#[test]
fn other_columns_are_noted() {
    let table = read(",winner,time,loser\n1,A,noon,B\n").unwrap();
    assert_eq!(table.comparisons, [won(0, 1, 1)]);
    assert!(table.notes[0].ends_with("duels.csv: ignored the columns \"column 1\", \"time\""));
}

#[test]
fn unknown_items_and_their_neighbours() {
    assert_eq!(
        error("winner,loser\nA,B\nA,Tunna\n"),
        "duels.csv, line 3, column \"loser\": there is no item \"Tunna\" in items.csv; did you mean \"Tuna\"?"
    );
    assert_eq!(
        error("winner,loser\na,B\n"),
        "duels.csv, line 2, column \"winner\": there is no item \"a\" in items.csv; did you mean \"A\"?"
    );
    assert_eq!(
        error("ranking\nA > Squid\n"),
        "duels.csv, line 2, column \"ranking\": there is no item \"Squid\" in items.csv; add the item or \
         correct the key"
    );
    assert_eq!(
        error(b"winner,loser\nA,caf\xe9\n"),
        "duels.csv, line 2, column \"loser\": the text is not UTF-8; save the file as UTF-8"
    );
    assert_eq!(
        error("winner,loser\nA,\n"),
        "duels.csv, line 2, column \"loser\": the cell is empty; fill it in, or remove the line or the column"
    );
}

#[test]
fn an_item_against_itself() {
    let sentence = "duels.csv, line 3: the item \"A\" is compared with itself; name two different items";
    assert_eq!(error("winner,loser\nA,B\nA,A\n"), sentence);
    assert_eq!(error("left,right,outcome\nA,B,tie\nA,A,tie\n"), sentence);
    let twice = "duels.csv, line 2: the item \"A\" appears in the ranking twice; keep one";
    assert_eq!(error("ranking\nA > B = A\n"), twice);
    assert_eq!(error("rank1,rank2\nA,A\n"), twice);
}

#[test]
fn no_comparisons() {
    let sentence = "duels.csv has no comparisons; write at least one";
    assert_eq!(error("winner,loser\n"), sentence);
    assert_eq!(error("rank_1,rank_2\nA,\n"), sentence);
}

#[test]
fn broken_outcomes_counts_and_rankings() {
    assert_eq!(
        error("left,right,outcome\nA,B,perhaps\n"),
        "duels.csv, line 2, column \"outcome\": \"perhaps\" is no outcome; write left, right, tie (or draw, or =), \
         \"A\" or \"B\""
    );
    for count in ["0", "-1", "4294967297", "x"] {
        assert_eq!(
            error(format!("winner,loser,count\nA,B,{count}\n")),
            format!(
                "duels.csv, line 2, column \"count\": \"{count}\" is not a count; write a positive number \
                 up to 4294967295"
            )
        );
    }
    for ranking in ["A > > B", "A >", "=A > B"] {
        assert_eq!(
            error(format!("ranking\n{ranking}\n")),
            format!(
                "duels.csv, line 2, column \"ranking\": \"{ranking}\" is no ranking; write keys with > or = \
                 between them, such as a > b = c"
            )
        );
    }
    assert_eq!(
        error("rank_1,rank_2,rank_3\nA,,B\n"),
        "duels.csv, line 2, column \"rank_2\": the cell is empty though later ranks are filled; move the \
         later items up"
    );
}

#[test]
fn broken_headers() {
    assert_eq!(
        error("winner,looser\nA,B\n"),
        "duels.csv has no column \"loser\", which is needed with \"winner\"; its columns are \"winner\", \
         \"looser\""
    );
    assert!(
        error("best,worst\nA,C\n")
            .starts_with("the columns of duels.csv are \"best\", \"worst\", but they must be winner")
    );
}

#[test]
fn pairs_are_read() {
    let folder = Folder::new();
    let items = folder.named(&["A", "B"]);
    for (header, pair) in
        [("left,right", (0, 1)), ("LEFT,Right", (0, 1)), ("b,a", (1, 0)), ("loser,winner", (1, 0))]
    {
        assert_eq!(folder.pairs(&items, format!("{header}\nA,B\n")).unwrap().pairs, [pair]);
    }
    assert_eq!(folder.pairs(&items, "a,b,note\nA,B,x\n").unwrap().notes.len(), 1);
    for (table, sentence) in [
        ("left,right\n", "pairs.csv has no rows; write at least one"),
        (
            "left,right\nA,A\n",
            "pairs.csv, line 2: the item \"A\" is compared with itself; name two different items",
        ),
        (
            "left,right\nA,C\n",
            "pairs.csv, line 2, column \"right\": there is no item \"C\" in items.csv; add the item or correct the key",
        ),
        (
            "left,x\nA,B\n",
            "pairs.csv has no column \"right\", which is needed with \"left\"; its columns are \"left\", \"x\"",
        ),
        (
            "x,y\nA,B\n",
            "the columns of pairs.csv are \"x\", \"y\", but they must be left and right, or winner and loser, or a and b; rename them",
        ),
    ] {
        assert_eq!(folder.pairs(&items, table).unwrap_err(), sentence);
    }
}

/// The comparisons of rankings grow with the square of their length: the limit is looked at before any of them is made.
#[test]
fn rankings_of_too_many_comparisons_are_refused_by_line() {
    let folder = Folder::new();
    let keys: Vec<String> = (0..2_000).map(|i| format!("k{i}")).collect();
    let names: Vec<&str> = keys.iter().map(String::as_str).collect();
    let items = folder.named(&names);
    let row = names.join(" > ");
    let table = format!("ranking\n{row}\n{row}\n{row}\n{row}\n");
    let sentence = "duels.csv, line 4: a ranking of 2000 items makes 1999000 comparisons, and all rankings together may make \
                    5000000; rank fewer items, or compare neighbours only (--rankings adjacent)";
    assert_eq!(folder.comparisons(&items, &table).unwrap_err(), sentence);
    let path = folder.write("duels.csv", &table);
    let answers = |rankings| read_answers(&path, &items, &Reading { rankings, ..Reading::ANY });
    assert_eq!(folder.sentence(&answers(Rankings::Pairs).unwrap_err()), sentence);
    let adjacent = settle(vec![answers(Rankings::Adjacent).unwrap()], Tied::Kept).unwrap();
    assert_eq!(adjacent.answers.len(), 4 * 1_999);
}

/// A comparison a row is no more than what the file says, however many rows there are.
#[test]
fn rows_of_two_are_not_counted_as_rankings() {
    let folder = Folder::new();
    let items = folder.named(&["a", "b", "c"]);
    let read = |table: &str| {
        let table = rather_io::Table::open(&folder.write("duels.csv", table)).unwrap();
        let reading = Reading { most_of_rankings: 0, ..Reading::COMPARISONS };
        answers_of(table, &items, &reading).map(|table| Read::new(table).comparisons.len())
    };
    assert_eq!(read("winner,loser\na,b\nb,c\n").unwrap(), 2);
    assert_eq!(read("ranking\na > b\nb > c\n").unwrap(), 2);
    assert!(read("ranking\na > b > c\n").is_err());
}

/// A long row and a wide header take time in proportion to their length: squares of these would take minutes.
#[test]
fn long_rankings_and_wide_headers_are_read() {
    let folder = Folder::new();
    let keys: Vec<String> = (0..200_000).map(|i| format!("k{i}")).collect();
    let names: Vec<&str> = keys.iter().map(String::as_str).collect();
    let items = folder.named(&names);
    let path = folder.write("duels.csv", format!("ranking\n{}\n", names.join(">")));
    let table =
        read_answers(&path, &items, &Reading { rankings: Rankings::Adjacent, ..Reading::ANY }).unwrap();
    let answers = settle(vec![table], Tied::Kept).unwrap();
    assert_eq!(answers.answers.len(), 199_999);
    let options: Vec<String> = (1..=names.len()).map(|i| format!("option_{i}")).collect();
    let table = format!("choice,{}\nk7,{}\n", options.join(","), names.join(","));
    assert_eq!(Read::new(folder.comparisons(&items, table).unwrap()).comparisons.len(), 199_999);
    let wide = folder.items(format!("key,{}\na,{}\n", names.join(","), vec!["1"; names.len()].join(",")));
    assert_eq!(wide.unwrap().columns.len(), 200_000);
}
