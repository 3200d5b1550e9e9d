//! PrefLib's files of orders: `soc`, `soi`, `toc`, `toi`.
//!
//! # References
//! Mattei and Walsh, *PrefLib: a library for preferences* (2013), and the description of the formats on preflib.org. Both the
//! present form, with a header of `# KEY: value`, and the form before 2022, whose first lines are numbers, are read.

use super::{Foreign, Format, Known, MOST_ANSWERS, line};
use crate::Error;
use crate::alternative::Alternative;
use crate::answer::Answer;
use crate::definition::{Definition, Subject};
use crate::study::Study;
use rather_io::{Position, quote};
use rather_numerics::order;
use std::collections::{BTreeMap, HashSet};
use std::fmt::Write;
use std::path::Path;

/// An order: the best first, those that are tied together.
type Order = Vec<Vec<usize>>;

/// Writes every answer as an order of two.
pub(super) fn write_answers(
    study: &mut Study,
    participants: &[String],
    format: Format,
) -> Result<String, Error> {
    let mut names = Names::of(study.definition());
    let mut orders: BTreeMap<Order, u64> = BTreeMap::new();
    for name in participants {
        for entry in study.history(name)?.entries.iter().filter(|e| e.is_answer()) {
            let (left, right) = (entry.left.to_string(), entry.right.to_string());
            let (left, right) = (names.number(&left), names.number(&right));
            // An order does not say how much better.
            let order = match entry.answer.plain() {
                Answer::Left => vec![vec![left], vec![right]],
                Answer::Right => vec![vec![right], vec![left]],
                Answer::Tie => vec![vec![left.min(right), left.max(right)]],
                _ => continue,
            };
            *orders.entry(order).or_default() += u64::from(entry.count);
        }
    }
    let ties: u64 = orders.iter().filter(|(order, _)| order.len() == 1).map(|(_, n)| n).sum();
    if ties > 0 && format == Format::Soi {
        let were = if ties == 1 { "is 1 tie" } else { &format!("are {ties} ties") };
        return Err(Error::Format(format!(
            "there {were} among the answers, and soi has none; export toi instead"
        )));
    }
    let description = "Answers of a study of paired comparisons: each answer is an order of two alternatives";
    Ok(file(study, format, &names.names, &orders, description))
}

/// Writes each participant's ranking, as learned.
pub(super) fn write_rankings(
    study: &mut Study,
    participants: &[String],
    format: Format,
) -> Result<String, Error> {
    let Subject::Items(items) = &study.definition().subject else {
        let problem =
            "a complete order needs a list of items, and this study compares settings; export soi instead";
        return Err(Error::Format(problem.to_owned()));
    };
    let names = items.keys.clone();
    let mut orders: BTreeMap<Order, u64> = BTreeMap::new();
    for participant in participants {
        if study.history(participant)?.answers() == 0 {
            continue;
        }
        let order = order_by(&study.utilities(participant)?);
        if let (Some(tied), Format::Soc) = (order.iter().find(|tier| tier.len() > 1), format) {
            return Err(Error::Format(format!(
                "the answers of {participant} do not distinguish {} and {}, and soc has no ties; export toc instead",
                quote(&names[tied[0]]),
                quote(&names[tied[1]])
            )));
        }
        *orders.entry(order).or_default() += 1;
    }
    let description = "Rankings by mean utility, learned from the answers of a study of paired comparisons";
    Ok(file(study, format, &names, &orders, description))
}

/// Utilities that differ by less than this are the same: rounding is all that parts them.
const SAME: f64 = 1e-9;

fn order_by(utilities: &[f64]) -> Order {
    let all = order::descending(utilities);
    let mut order = Order::new();
    for i in all {
        match order.last_mut() {
            Some(tier) if utilities[tier[0]] - utilities[i] < SAME => tier.push(i),
            _ => order.push(vec![i]),
        }
    }
    order.iter_mut().for_each(|tier| tier.sort_unstable());
    order
}

/// Names of alternatives, with their numbers.
struct Names {
    names: Vec<String>,
    numbers: BTreeMap<String, usize>,
}

impl Names {
    fn of(definition: &Definition) -> Self {
        let names = match &definition.subject {
            Subject::Items(items) => items.keys.clone(),
            Subject::Parameters(_) => Vec::new(),
        };
        let numbers = names.iter().cloned().zip(0..).collect();
        Self { names, numbers }
    }

    /// The number of a name; settings get theirs as they come.
    fn number(&mut self, name: &str) -> usize {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        self.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), self.names.len() - 1);
        self.names.len() - 1
    }
}

fn file(
    study: &Study,
    format: Format,
    names: &[String],
    orders: &BTreeMap<Order, u64>,
    description: &str,
) -> String {
    let title = match study.definition().title.as_str() {
        "" => study.name(),
        title => title,
    };
    let today = crate::time::format(study.created());
    let today = today.split('T').next().unwrap_or_default();
    let voters: u64 = orders.values().sum();
    let mut out = String::new();
    for (key, value) in [
        ("FILE NAME", format!("{}.{format}", study.name())),
        ("TITLE", title.to_owned()),
        ("DESCRIPTION", description.to_owned()),
        ("DATA TYPE", format.to_string()),
        (
            "MODIFICATION TYPE",
            if matches!(format, Format::Soi | Format::Toi) { "original" } else { "induced" }.to_owned(),
        ),
        ("RELATES TO", String::new()),
        ("RELATED FILES", String::new()),
        ("PUBLICATION DATE", today.to_owned()),
        ("MODIFICATION DATE", today.to_owned()),
        ("NUMBER ALTERNATIVES", names.len().to_string()),
        ("NUMBER VOTERS", voters.to_string()),
        ("NUMBER UNIQUE ORDERS", orders.len().to_string()),
    ] {
        out += format!("# {key}: {value}").trim_end();
        out.push('\n');
    }
    for (name, number) in names.iter().zip(1..) {
        let _ = writeln!(out, "# ALTERNATIVE NAME {number}: {name}");
    }
    let mut lines: Vec<(&Order, &u64)> = orders.iter().collect();
    // The most frequent first, as PrefLib has them.
    order::sort_descending(&mut lines, |(_, count)| **count as f64);
    for (order, count) in lines {
        let tiers: Vec<String> = order.iter().map(|tier| tier_text(tier)).collect();
        let _ = writeln!(out, "{count}: {}", tiers.join(","));
    }
    out
}

fn tier_text(tier: &[usize]) -> String {
    let numbers: Vec<String> = tier.iter().map(|i| (i + 1).to_string()).collect();
    if tier.len() == 1 { numbers.concat() } else { format!("{{{}}}", numbers.join(",")) }
}

/// Reads orders. Every two members of one make an answer.
pub(super) fn read(path: &Path, bytes: &[u8], definition: &Definition) -> Result<Vec<Foreign>, Error> {
    let bytes = rather_io::decompress(path, bytes.to_vec())?;
    let text = String::from_utf8(bytes).map_err(|_| Error::NotUtf8 { path: path.to_path_buf() })?;
    let lines: Vec<(u64, &str)> =
        (1..).zip(text.lines().map(str::trim)).filter(|(_, l)| !l.is_empty()).collect();
    let wrong = |number: u64, problem: String| line(path, Position::Line(number), problem);
    let (names, orders) = match lines.first() {
        Some((_, first)) if first.starts_with('#') => present_form(&lines),
        Some(_) => earlier_form(&lines),
        None => return Err(rather_io::Error::NoComparisons { path: path.to_path_buf() }.into()),
    }
    .map_err(|(number, problem)| wrong(number, problem))?;
    let known = Known::of(definition);
    let mut alternatives: BTreeMap<usize, Alternative> = BTreeMap::new();
    let mut answers = Vec::new();
    let (mut total, mut sides) = (0_u64, super::Sides::default());
    for (number, count, order) in orders {
        // An order stands for as many answers as it has pairs of members: too many are refused before they are made.
        let members = order.iter().map(Vec::len).sum::<usize>() as u64;
        let answers_of_order = (members * members.saturating_sub(1) / 2).saturating_mul(u64::from(count));
        total = total.saturating_add(answers_of_order);
        if total > MOST_ANSWERS {
            return Err(wrong(number, too_many(members, answers_of_order, count)));
        }
        for &member in order.iter().flatten() {
            if let std::collections::btree_map::Entry::Vacant(vacant) = alternatives.entry(member) {
                let (at, name) = names.get(&member).ok_or_else(|| {
                    wrong(
                        number,
                        format!("there is no alternative {member}; the header names {}", names.len()),
                    )
                })?;
                vacant.insert(known.parse(name).map_err(|problem| wrong(*at, problem))?);
            }
        }
        for (upper, lower, tie) in pairs(&order) {
            let position = Position::Line(number);
            let (upper, lower) = known
                .two_sides(&alternatives[&upper], &alternatives[&lower])
                .map_err(|problem| wrong(number, problem))?;
            let (left, right, answer) = sides.place(upper, lower, tie, count);
            let others = Vec::new();
            answers.push(Foreign {
                participant: None,
                left,
                right,
                others,
                answer,
                count,
                time: None,
                position,
            });
        }
    }
    if answers.is_empty() {
        return Err(rather_io::Error::NoComparisons { path: path.to_path_buf() }.into());
    }
    Ok(answers)
}

fn too_many(members: u64, answers: u64, count: u32) -> String {
    let given = if count == 1 { String::new() } else { format!(", given {count} times,") };
    format!(
        "an order of {members} alternatives{given} makes {answers} answers, and a study takes up to {MOST_ANSWERS} at once; import fewer \
         orders, or shorter ones"
    )
}

/// Every two members of an order, the higher one first, and whether they are tied.
fn pairs(order: &Order) -> Vec<(usize, usize, bool)> {
    let members: Vec<(usize, usize)> = order
        .iter()
        .enumerate()
        .flat_map(|(tier, members)| members.iter().map(move |&m| (tier, m)))
        .collect();
    let mut out = Vec::new();
    for (i, &(upper, first)) in members.iter().enumerate() {
        for &(lower, second) in &members[i + 1..] {
            out.push((first, second, upper == lower));
        }
    }
    out
}

/// A mistake in a line.
type Wrong = (u64, String);
/// The names of alternatives by their numbers, with their lines, and the orders with lines and counts.
type Content = (BTreeMap<usize, (u64, String)>, Vec<(u64, u32, Order)>);

fn present_form(lines: &[(u64, &str)]) -> Result<Content, Wrong> {
    let (mut names, mut orders) = (BTreeMap::new(), Vec::new());
    for &(number, text) in lines {
        let Some(header) = text.strip_prefix('#') else {
            let (count, order) = text
                .split_once(':')
                .ok_or_else(|| (number, format!("{} is no order; write COUNT: 1,2,3", quote(text))))?;
            orders.push((
                number,
                super::count(count.trim()).map_err(|e| (number, e))?,
                order_of(number, order)?,
            ));
            continue;
        };
        let Some((key, value)) = header.split_once(':') else { continue };
        if let Some(alternative) = key.trim().strip_prefix("ALTERNATIVE NAME") {
            let alternative = alternative.trim();
            let alternative = alternative
                .parse()
                .map_err(|_| (number, format!("{} is no number of an alternative", quote(alternative))))?;
            names.insert(alternative, (number, value.trim().to_owned()));
        }
    }
    Ok((names, orders))
}

/// The number of alternatives, a line `number,name` each, a line of three numbers, and lines `count,1,2,3`.
fn earlier_form(lines: &[(u64, &str)]) -> Result<Content, Wrong> {
    let (number, first) = lines[0];
    let n: usize = first.parse().map_err(|_| {
        (
            number,
            format!(
                "{} is no beginning of a PrefLib file, which is a header of \"# KEY: value\"",
                quote(first)
            ),
        )
    })?;
    let end = lines[lines.len() - 1].0;
    let mut names = BTreeMap::new();
    for &(number, text) in lines.iter().skip(1).take(n) {
        let named = text.split_once(',').and_then(|(i, name)| Some((i.trim().parse().ok()?, name.trim())));
        let (i, name) = named
            .ok_or_else(|| (number, format!("{} names no alternative; write NUMBER,NAME", quote(text))))?;
        names.insert(i, (number, name.to_owned()));
    }
    // The number is the file's word, and may be the largest there is.
    if lines.len() < n.saturating_add(2) {
        return Err((
            end,
            format!(
                "the file ends here, but {n} alternatives and a line of counts must follow the first line"
            ),
        ));
    }
    let mut orders = Vec::new();
    for &(number, text) in &lines[n + 2..] {
        let (count, order) = text
            .split_once(',')
            .ok_or_else(|| (number, format!("{} is no order; write COUNT,1,2,3", quote(text))))?;
        orders.push((number, super::count(count.trim()).map_err(|e| (number, e))?, order_of(number, order)?));
    }
    Ok((names, orders))
}

/// An order such as `3,{1,4},2`.
fn order_of(line: u64, text: &str) -> Result<Order, Wrong> {
    let wrong = || (line, format!("{} is no order; write numbers such as 3,{{1,4}},2", quote(text)));
    let (mut order, mut seen) = (Order::new(), HashSet::new());
    let mut tied = false;
    for part in text.split(',').map(str::trim) {
        let (open, part) = part.strip_prefix('{').map_or((false, part), |rest| (true, rest));
        let (close, part) = part.strip_suffix('}').map_or((false, part), |rest| (true, rest));
        if (open && tied) || (close && !open && !tied) {
            return Err(wrong());
        }
        let member: usize = part.trim().parse().map_err(|_| wrong())?;
        if !seen.insert(member) {
            return Err((line, format!("alternative {member} appears in the order twice; keep one")));
        }
        match order.last_mut() {
            Some(tier) if tied => tier.push(member),
            _ => order.push(vec![member]),
        }
        tied = (tied || open) && !close;
    }
    if tied { Err(wrong()) } else { Ok(order) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_read_with_their_ties() {
        assert_eq!(order_of(1, "3,{1,4},2"), Ok(vec![vec![3], vec![1, 4], vec![2]]));
        assert_eq!(order_of(1, " {1 , 2} "), Ok(vec![vec![1, 2]]));
        assert_eq!(order_of(1, "{1},2"), Ok(vec![vec![1], vec![2]]));
        for text in ["", "1,,2", "{1,2", "1}", "{1,{2}", "a", "1,2,1"] {
            assert!(order_of(1, text).is_err(), "{text}");
        }
    }

    #[test]
    fn equal_utilities_are_tied() {
        assert_eq!(order_by(&[0.0, 1.0, 0.0, -1.0, 1.0 + 1e-12]), [vec![1, 4], vec![0, 2], vec![3]]);
    }
}
