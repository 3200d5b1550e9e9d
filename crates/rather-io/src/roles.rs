//! What the columns of a table that is no file mean, by their names alone.

use crate::names::{self, Pair};

/// The columns whose presence tells the form of answers, under the names of their roles.
const FORMS: [&str; 9] = ["item", "ranking", "rank", "rank_1", "choice", "best", "worst", "task", "option_1"];

/// The roles of columns that are called by another usual name in their field, and which column has each. What is called by the name of a role
/// keeps it, and of an answer about items, options or rankings only who gave it and how often is looked for.
///
/// # Examples
/// ```
/// let header = ["model_a", "model_b", "winner", "judge"].map(String::from);
/// let found = rather_io::roles(&header);
/// assert_eq!(found, [("left", 0), ("right", 1), ("outcome", 2), ("user", 3)]);
/// ```
pub fn roles(header: &[String]) -> Vec<(&'static str, usize)> {
    let header: Vec<String> = header.iter().map(|name| names::plain(name)).collect();
    let at = |name: &str| header.iter().position(|other| other == name);
    let mut found = sides(&header);
    let shown =
        found.iter().any(|(role, _)| *role == "left") || (at("left").is_some() && at("right").is_some());
    let settled = ["outcome", "probability", "difference"].iter().any(|role| at(role).is_some());
    if shown && !settled && at("loser").is_none() {
        let answer = ["outcome", "probability", "difference"]
            .into_iter()
            .find_map(|role| alias(&header, role, &found));
        found.extend(answer);
    }
    for role in ["user", "count"] {
        if at(role).is_none() {
            let named = alias(&header, role, &found);
            found.extend(named);
        }
    }
    found
}

/// The two columns of the items of a comparison, where they are called otherwise than `left` and `right` or `winner` and `loser`.
fn sides(header: &[String]) -> Vec<(&'static str, usize)> {
    let at = |name: &str| header.iter().position(|other| other == name);
    let known = |pair: Pair| pair.roles().is_some_and(|roles| roles.iter().all(|role| at(role).is_some()));
    if known(Pair::Became) || known(Pair::Shown) || FORMS.iter().any(|name| at(name).is_some()) {
        return Vec::new();
    }
    for pair in [Pair::Became, Pair::Shown] {
        let columns = pair.names().into_iter().find_map(|[one, other]| Some([at(&one)?, at(&other)?]));
        if let (Some(roles), Some(columns)) = (pair.roles(), columns) {
            return roles.into_iter().zip(columns).collect();
        }
    }
    Vec::new()
}

/// The first column called by another name of `role` that has no role yet.
fn alias(
    header: &[String],
    role: &'static str,
    taken: &[(&'static str, usize)],
) -> Option<(&'static str, usize)> {
    let is_free = |column: &usize| taken.iter().all(|(_, other)| other != column);
    let named = |name: &&str| header.iter().position(|other| other == name).filter(is_free);
    names::of_role(role).iter().find_map(named).map(|column| (role, column))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_names_have_roles() {
        let found = |header: &str| roles(&header.split(',').map(String::from).collect::<Vec<_>>());
        assert_eq!(found("winner,loser,weight"), [("count", 2)]);
        assert_eq!(found("chosen,rejected"), [("winner", 0), ("loser", 1)]);
        assert_eq!(found("left,right,winner"), [("outcome", 2)]);
        assert_eq!(found("left,right,outcome,winner"), []);
        assert_eq!(found("Model A,Model B,Winner"), [("left", 0), ("right", 1), ("outcome", 2)]);
        assert_eq!(found("home_team,away_team,margin"), [("left", 0), ("right", 1), ("difference", 2)]);
        assert_eq!(found("item,rating,annotator"), [("user", 2)]);
        assert_eq!(found("choice,option_1,option_2,a,b"), []);
        assert_eq!(found("better"), []);
    }
}
