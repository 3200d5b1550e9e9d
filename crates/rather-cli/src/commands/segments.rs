//! `rather segments`: groups of people who like the same things.

use crate::args::SegmentsArgs;
use crate::failure::Failure;
use crate::fitted::Fitted;
use crate::output::Output;
use crate::table::{Side, Table, wrap};
use rather::many::{Population, Segments};
use serde::Serialize;

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct Report<'a> {
    segments: Vec<Line<'a>>,
    silhouette: f64,
    members: Vec<MemberLine<'a>>,
}

#[derive(Debug, Serialize)]
struct Line<'a> {
    segment: usize,
    share: f64,
    /// Mean utilities of the items, the best first.
    utilities: Vec<ItemLine<'a>>,
}

#[derive(Debug, Serialize)]
struct ItemLine<'a> {
    item: &'a str,
    mean: f64,
}

#[derive(Debug, Serialize)]
struct MemberLine<'a> {
    user: &'a str,
    segment: usize,
    probability: f64,
}

/// Runs the command.
pub(crate) fn run(args: &SegmentsArgs, seed: u64, mut out: Output) -> Result<(), Failure> {
    let fitted = Fitted::open(&args.model, &mut out)?;
    let Some(population) = fitted.many() else {
        return Err(Failure::User(format!(
            "{} is a model of one person, and segments are of many; rather fit --model hierarchical learns the preferences of each user",
            args.model.display()
        )));
    };
    let found = Segments::of(population, args.number, seed)?;
    let report = Report::new(population, &found);
    if out.json {
        return out.json(&report);
    }
    if args.csv {
        let row = |line: &MemberLine<'_>| {
            [line.user.to_owned(), line.segment.to_string(), line.probability.to_string()]
        };
        return out.csv(["user", "segment", "probability"], report.members.iter().map(row));
    }
    out.text(&text(population, &found, args.top))
}

impl<'a> Report<'a> {
    fn new(population: &'a Population, found: &Segments) -> Self {
        let (items, users) = (population.items().keys(), population.users().keys());
        let line = |(at, segment): (usize, &rather::many::Segment)| {
            let mut utilities: Vec<ItemLine<'a>> =
                items.iter().zip(&segment.mean).map(|(item, &mean)| ItemLine { item, mean }).collect();
            utilities.sort_by(|a, b| b.mean.total_cmp(&a.mean));
            Line { segment: at + 1, share: segment.share, utilities }
        };
        let member = |member: &rather::many::Member| MemberLine {
            user: &users[member.user],
            segment: member.segment + 1,
            probability: member.probability,
        };
        Self {
            segments: found.segments.iter().enumerate().map(line).collect(),
            silhouette: found.silhouette,
            members: found.members.iter().map(member).collect(),
        }
    }
}

/// The items that tell segments apart most, and how surely people belong to theirs.
fn text(population: &Population, found: &Segments, top: usize) -> String {
    let names = (1..).zip(&found.segments).map(|(at, s)| format!("segment {at} ({:.0} %)", 100.0 * s.share));
    let names: Vec<String> = names.collect();
    let columns = [("item", Side::Left), ("everyone", Side::Right)];
    let of_segments = names.iter().map(|name| (name.as_str(), Side::Right));
    let mut table = Table::new(columns.into_iter().chain(of_segments));
    let items = population.items().keys();
    for item in found.most_different().into_iter().take(top) {
        let means = found.segments.iter().map(|s| s.mean[item]);
        let cells = std::iter::once(found.everyone(item)).chain(means).map(|mean| format!("{mean:.2}"));
        table.push(std::iter::once(items[item].clone()).chain(cells));
    }
    let people = found.members.len();
    let sure = found.members.iter().map(|member| member.probability).sum::<f64>() / people.max(1) as f64;
    let clear = if found.silhouette >= Segments::CLEAR {
        "they stand apart"
    } else {
        "below .25 people differ by degrees rather than in kind, and segments are no more than a summary"
    };
    let which = if items.len() > top { "The items that differ most between segments. " } else { "" };
    let notes = format!(
        "{which}Mean utilities, relative to the average item, of {people} people. A person belongs to their segment with a probability of {sure:.2} on average \
         (--csv has everybody's). Silhouette {:.2}: {clear}.",
        found.silhouette
    );
    format!("{}\n{}", table.render(), wrap(&notes))
}
