//! What columns are called: the names that people give to the roles of columns. One line to add one.

/// The two items as they were shown, the left one first.
const SHOWN: &[[&str; 2]] = &[
    ["left", "right"],
    ["a", "b"],
    ["option_a", "option_b"],
    ["left_item", "right_item"],
    ["left_id", "right_id"],
    ["home_team", "away_team"],
    ["home", "away"],
    ["white", "black"],
    ["first", "second"],
];

/// What stands before the two ends of [`ENDS`] in the names of the two items: `model_a`, `model_b`.
const STEMS: &[&str] = &[
    "item",
    "model",
    "player",
    "generator",
    "team",
    "system",
    "condition",
    "school",
    "object",
    "stimulus",
    "product",
    "candidate",
    "competitor",
    "contestant",
    "engine",
    "image",
    "brand",
    "entity",
    "sample",
    "id",
    "name",
    "response",
    "text",
    "output",
];

/// How the names of two items end, the left one first.
const ENDS: &[[&str; 2]] = &[["_a", "_b"], ["_1", "_2"], ["_left", "_right"], ["1", "2"], ["a", "b"]];

/// What a column of one side ends in after a line, the left one first.
pub(crate) const SIDES: [[&str; 2]; 4] = [["left", "right"], ["a", "b"], ["1", "2"], ["home", "away"]];

/// The two items by what became of them, the better one first.
const BECAME: &[[&str; 2]] = &[
    ["winner", "loser"],
    ["winner_name", "loser_name"],
    ["winner_id", "loser_id"],
    ["winning_item", "losing_item"],
    ["chosen", "rejected"],
    ["chosen_id", "rejected_id"],
    ["preferred", "rejected"],
    ["better", "worse"],
    ["won", "lost"],
];

/// How often the left item was preferred, and how often the right one; 1 or 0 where a row is one answer.
const VOTES: &[[&str; 2]] = &[
    ["votes_left", "votes_right"],
    ["votes_1", "votes_2"],
    ["votes_a", "votes_b"],
    ["wins_left", "wins_right"],
    ["wins_1", "wins_2"],
    ["wins_a", "wins_b"],
    ["win_1", "win_2"],
    ["win_a", "win_b"],
    ["win1", "win2"],
    ["winner_model_a", "winner_model_b"],
    ["home_wins", "away_wins"],
];

/// How often neither was preferred, beside [`VOTES`].
const TIED: &[&str] = &[
    "votes_equal",
    "votes_tie",
    "votes_ties",
    "ties",
    "tied",
    "tie",
    "winner_tie",
    "draws",
    "draw",
    "equal",
];

/// The score of the left item and that of the right one.
const SCORES: &[[&str; 2]] = &[
    ["home_score", "away_score"],
    ["home_goals", "away_goals"],
    ["score_left", "score_right"],
    ["score_1", "score_2"],
    ["score_a", "score_b"],
    ["score1", "score2"],
];

/// The other roles, each with its names.
const ROLES: &[(&str, &[&str])] = &[
    (
        "outcome",
        &[
            "winner",
            "result",
            "preferred",
            "preference",
            "choice",
            "label",
            "vote",
            "answer",
            "response",
            "judgement",
            "judgment",
            "verdict",
            "decision",
            "chosen",
            "selected",
            "is_a_selected",
            "left_wins",
            "a_wins",
            "winner_id",
            "winner_name",
            "score",
            "result_a",
            "outcome_a",
        ],
    ),
    ("probability", &["p", "prob", "probability_left", "p_left", "p_a"]),
    ("difference", &["margin", "score_difference", "goal_difference"]),
    (
        "user",
        &[
            "user_id",
            "judge",
            "judge_id",
            "voter",
            "voter_id",
            "annotator",
            "annotator_id",
            "rater",
            "rater_id",
            "participant",
            "participant_id",
            "subject",
            "subject_id",
            "observer",
            "observer_id",
            "student",
            "student_id",
            "respondent",
            "respondent_id",
            "assessor",
            "worker",
            "worker_id",
            "evaluator",
            "expert",
        ],
    ),
    ("count", &["counts", "weight", "weights", "frequency", "freq", "n_votes", "num_votes"]),
    ("item", &["item_id", "item_name", "stimulus", "object", "product", "product_id", "option", "model"]),
    (
        "task",
        &[
            "task_id",
            "obsnum",
            "obs_id",
            "obsid",
            "choice_set",
            "choice_situation",
            "situation",
            "scenario",
            "question",
            "ques",
            "qes",
            "card",
            "block",
        ],
    ),
    ("chosen", &["is_chosen", "choice_made", "picked"]),
    ("option", &["alternative", "alt", "alternative_id", "alt_id", "altid", "item", "item_id", "product"]),
    ("rating", &["stars"]),
    (
        "date",
        &["tstamp", "timestamp", "time", "datetime", "day", "created_at", "voted_at", "created", "utcdate"],
    ),
    (
        "vote_id",
        &[
            "battle_id",
            "question_id",
            "conversation_id",
            "conv_id",
            "example_id",
            "prompt_id",
            "instruction_id",
            "uuid",
        ],
    ),
];

/// The roles that have one name.
const OTHERS: [&str; 10] =
    ["winner", "loser", "left", "right", "noise", "ranking", "rank", "choice", "value", "label"];

/// Pairs of names, the likelier first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pair {
    Shown,
    Became,
    Votes,
    Scores,
}

impl Pair {
    /// All pairs of names, the likelier first.
    pub(crate) fn names(self) -> Vec<[String; 2]> {
        let lines = match self {
            Self::Shown => SHOWN,
            Self::Became => BECAME,
            Self::Votes => VOTES,
            Self::Scores => SCORES,
        };
        let mut names: Vec<[String; 2]> = lines.iter().map(|line| line.map(str::to_owned)).collect();
        if self == Self::Shown {
            let ended =
                |stem: &'static str| ENDS.iter().map(move |ends| ends.map(|end| format!("{stem}{end}")));
            names.extend(STEMS.iter().flat_map(|&stem| ended(stem)));
        }
        names
    }

    /// The two roles, if columns may be given them.
    pub(crate) fn roles(self) -> Option<[&'static str; 2]> {
        match self {
            Self::Shown => Some(["left", "right"]),
            Self::Became => Some(["winner", "loser"]),
            Self::Votes | Self::Scores => None,
        }
    }
}

/// Whether a header is that of a table of comparisons.
pub(crate) fn are_of_answers(header: &[String]) -> bool {
    let header: Vec<String> = header.iter().map(|name| plain(name)).collect();
    let mut pairs = Pair::Became.names().into_iter().chain(Pair::Shown.names());
    pairs.any(|pair| pair.iter().all(|name| header.contains(name)))
}

/// Whether items are called so before their end: the `model` of `model_a`.
pub(crate) fn is_stem(word: &str) -> bool {
    STEMS.contains(&word) || ["option", "assistant", "answer", "choice"].contains(&word)
}

/// The other names of a role, the likelier first.
pub(crate) fn of_role(role: &str) -> &'static [&'static str] {
    ROLES.iter().find(|(known, _)| *known == role).map_or(&[], |(_, names)| names)
}

/// The names of ties beside votes.
pub(crate) fn of_ties() -> &'static [&'static str] {
    TIED
}

/// All roles that a column may be given.
pub(crate) fn roles() -> Vec<String> {
    ROLES.iter().map(|(role, _)| *role).chain(OTHERS).map(str::to_owned).collect()
}

/// A name without what does not matter: `Winner ID`, `winner-id` and `winner.id` are `winner_id`.
pub(crate) fn plain(name: &str) -> String {
    let plain = |c: char| if matches!(c, ' ' | '-' | '.') { '_' } else { c };
    name.trim().to_lowercase().chars().map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_written_as_they_are_compared_and_stand_once() {
        for pair in [Pair::Shown, Pair::Became, Pair::Votes, Pair::Scores] {
            let names = pair.names();
            for (i, name) in names.iter().enumerate() {
                assert!(name.iter().all(|name| plain(name) == *name) && name[0] != name[1], "{name:?}");
                assert!(!names[..i].contains(name), "{name:?}");
            }
        }
        for (role, names) in ROLES {
            assert!(names.iter().all(|name| plain(name) == *name && name != role), "{role}");
        }
        assert_eq!(plain(" Winner.ID"), "winner_id");
    }
}
