//! Whether votes can be trusted: one check a function.

use crate::judges::JudgeLine;
use crate::learn::Learned;
use rather::Goodness;
use rather::arena::{Belief, Connection, Drift, Suspicion, Voters};
use rather_io::{count, counted, quote};
use serde::Serialize;

/// What a check found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Finding {
    /// What was looked at.
    pub check: &'static str,
    /// Whether it is a problem.
    pub concern: bool,
    /// What was found.
    pub sentence: String,
}

/// What the checks look at.
pub(crate) struct Evidence<'a> {
    pub(crate) learned: &'a Learned,
    pub(crate) graph: &'a Connection,
    pub(crate) voters: &'a Voters,
    pub(crate) judges: &'a [JudgeLine],
    pub(crate) drift: &'a [Drift],
    pub(crate) goodness: Option<Goodness>,
    pub(crate) belief: &'a Belief,
}

/// A posterior predictive probability below which something does not fit.
const SMALL: f64 = 0.05;
/// An item with fewer votes than this share of the median has too few.
const LOPSIDED: f64 = 0.1;
/// A voter of more than this share of all votes counts too much, where there are enough others.
const LOUD: f64 = 0.2;
const OTHERS: usize = 5;
/// Names in a sentence.
const NAMED: usize = 3;
/// The probability that an arena without drift is found to have one.
const FALSE_ALARM: f64 = 0.01;
/// Standard errors beyond which a judge prefers a side.
const SIDED: f64 = 3.0;

/// The check of the rows that were left out.
pub const ROWS: &str = "rows";

/// All that was found.
pub(crate) fn findings(of: &Evidence<'_>) -> Vec<Finding> {
    let checks: [fn(&Evidence<'_>) -> Option<Finding>; 10] =
        [rows, connected, one_sided, balance, cycles, repeats, loud, clustered, suspicious, drifting];
    checks.into_iter().filter_map(|check| check(of)).collect()
}

fn finding(check: &'static str, concern: bool, sentence: String) -> Finding {
    Finding { check, concern, sentence }
}

impl Evidence<'_> {
    fn name(&self, item: usize) -> String {
        quote(&self.learned.model.keys()[item])
    }

    /// Some names, and how many more there are.
    fn names(&self, items: impl ExactSizeIterator<Item = usize>) -> String {
        let more = items.len().saturating_sub(NAMED);
        let named: Vec<String> = items.take(NAMED).map(|item| self.name(item)).collect();
        match more {
            0 => named.join(", "),
            more => format!("{} and {more} more", named.join(", ")),
        }
    }

    fn voter(&self, voter: usize) -> String {
        quote(&self.learned.votes.voters[voter])
    }
}

fn rows(of: &Evidence<'_>) -> Option<Finding> {
    let left_out = &of.learned.votes.read.left_out;
    if left_out.is_empty() {
        return None;
    }
    let each = left_out.iter().map(|one| {
        let [singular, plural] = one.flaw.in_words();
        format!(
            "{} {} (the first: {})",
            count(one.rows),
            if one.rows == 1 { singular } else { plural },
            one.first
        )
    });
    Some(finding(ROWS, true, format!("Left out: {}.", each.collect::<Vec<_>>().join("; "))))
}

fn connected(of: &Evidence<'_>) -> Option<Finding> {
    let groups = &of.graph.groups;
    let (compared, all) = of.graph.pairs;
    if groups.len() > 1 {
        let small = groups[1..].iter().take(NAMED).map(|group| of.names(group.iter().copied()));
        return Some(finding(
            "connection",
            true,
            format!(
                "No chain of comparisons joins {} groups of items; ranks across groups are the prior's. Apart from the largest: {}. Compare items of different groups.",
                groups.len(),
                small.collect::<Vec<_>>().join("; ")
            ),
        ));
    }
    Some(finding(
        "connection",
        false,
        format!(
            "All items are joined by comparisons; {} of {} pairs were compared.",
            count(compared as u64),
            count(all as u64)
        ),
    ))
}

fn one_sided(of: &Evidence<'_>) -> Option<Finding> {
    let items = &of.graph.one_sided;
    (!items.is_empty()).then(|| {
        let verb = if items.len() == 1 { "has" } else { "have" };
        let sentence = format!(
            "{} {verb} won or lost every vote; the prior alone keeps the rating finite.",
            of.names(items.iter().copied())
        );
        finding("one-sided items", false, sentence)
    })
}

fn balance(of: &Evidence<'_>) -> Option<Finding> {
    let votes = &of.graph.votes;
    let mut sorted = votes.clone();
    sorted.sort_by(f64::total_cmp);
    let (least, median, most) = (*sorted.first()?, sorted[sorted.len() / 2], *sorted.last()?);
    let few: Vec<usize> = (0..votes.len()).filter(|&i| votes[i] < LOPSIDED * median).collect();
    let spread = format!(
        "an item has {} to {} votes (median {})",
        count(least as u64),
        count(most as u64),
        count(median as u64)
    );
    Some(match few.is_empty() {
        true => finding("balance", false, format!("Votes are spread over the items: {spread}.")),
        false => finding(
            "balance",
            true,
            format!(
                "Votes are spread unevenly: {spread}; fewer than a tenth of the median {} {}.",
                if few.len() == 1 { "has" } else { "have" },
                of.names(few.iter().copied())
            ),
        ),
    })
}

fn cycles(of: &Evidence<'_>) -> Option<Finding> {
    let fit = of.goodness.filter(|fit| fit.triads > 0)?;
    let concern = fit.circular_p < SMALL;
    let verdict = match concern {
        true => "more than one scale explains: several criteria or audiences may be mixed (--by)",
        false => "as many as the noise of votes explains",
    };
    let are = if fit.circular == 1 { "is" } else { "are" };
    Some(finding(
        "cycles",
        concern,
        format!(
            "Of {} {} {are} circular (A over B over C over A) where {:.1} are expected (p {:.3}): {verdict}.",
            counted(fit.triads as u64, "triad"),
            count(fit.circular as u64),
            fit.expected_circular,
            fit.circular_p
        ),
    ))
}

fn repeats(of: &Evidence<'_>) -> Option<Finding> {
    let fit = of.goodness.filter(|fit| fit.repeated_pairs > 0)?;
    let concern = fit.dispersion_p < SMALL;
    let verdict = match concern {
        true => "vary more than independent votes on one scale do, so that intervals may be too narrow",
        false => "vary as independent votes on one scale do",
    };
    Some(finding(
        "repeated pairs",
        concern,
        format!(
            "Votes about {} compared repeatedly {verdict}: chi-square {:.2} a pair, where about 1 is expected (p {:.3}).",
            counted(fit.repeated_pairs as u64, "pair"),
            fit.dispersion,
            fit.dispersion_p
        ),
    ))
}

fn loud(of: &Evidence<'_>) -> Option<Finding> {
    let votes = &of.voters.votes;
    let all: f64 = votes.iter().sum();
    let (loudest, most) = votes.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1))?;
    let voters = votes.iter().filter(|&&own| own > 0.0).count();
    (voters > OTHERS).then(|| {
        let share = 100.0 * most / all;
        let concern = *most > LOUD * all;
        let more = if concern { ": the board is largely one voter's" } else { "" };
        let sentence = format!(
            "Of {} voters, {} has cast the most votes, {} ({share:.1} %){more}.",
            count(voters as u64),
            of.voter(loudest),
            count(*most as u64)
        );
        finding("loudest voter", concern, sentence)
    })
}

fn clustered(of: &Evidence<'_>) -> Option<Finding> {
    let voters = of.learned.votes.voters.len();
    if let Some(factor) = of.belief.widened {
        return Some(finding(
            "clustered votes",
            false,
            format!(
                "Intervals are by {} voters (cluster-robust sandwich): on average {:.0} % wider than if all votes were independent.",
                count(voters as u64),
                100.0 * (factor - 1.0)
            ),
        ));
    }
    let sentence = match (voters, of.learned.by_judge) {
        (_, false) if of.learned.votes.is_saved => "A saved board keeps no voters: votes count as independent.".to_owned(),
        (0, _) => "No column names voters: votes count as independent, and intervals are too narrow if few people cast many.".to_owned(),
        (_, true) => format!("Each of {} has a noise and a lapse rate of their own in the model.", counted(voters as u64, "judge")),
        _ => format!("With {} intervals cannot be by voters: votes count as independent.", counted(voters as u64, "voter")),
    };
    Some(finding("clustered votes", false, sentence))
}

fn suspicious(of: &Evidence<'_>) -> Option<Finding> {
    let judged: Vec<&JudgeLine> = of.judges.iter().filter(|_| of.learned.by_judge).collect();
    let sided = judged
        .iter()
        .filter(|j| j.left.zip(j.left_error).is_some_and(|(left, error)| left.abs() > SIDED * error));
    let sided: Vec<String> = sided
        .map(|j| format!("{} ({:+.0} %)", quote(&j.judge), 100.0 * j.left.unwrap_or_default()))
        .collect();
    if of.learned.by_judge {
        return (!sided.is_empty()).then(|| {
            let sentence = format!(
                "Judges who prefer a side beyond what utilities explain (left positive): {}.",
                sided.join(", ")
            );
            finding("sided judges", true, sentence)
        });
    }
    if of.voters.votes.is_empty() {
        return None;
    }
    let found = &of.voters.suspicious;
    if found.is_empty() {
        return Some(finding(
            "suspicious voters",
            false,
            "No voter votes otherwise than the others beyond chance.".to_owned(),
        ));
    }
    let one = |(voter, why): &(usize, Suspicion)| {
        let why = match why {
            Suspicion::Improbable(z) => format!("against the others, {z:.1} sd"),
            Suspicion::Sided(z) if *z > 0.0 => format!("for the left side, {z:.1} sd"),
            Suspicion::Sided(z) => format!("for the right side, {:.1} sd", -z),
        };
        format!("{} ({why})", of.voter(*voter))
    };
    let named: Vec<String> = found.iter().take(NAMED).map(one).collect();
    let more = found.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let verb = if found.len() == 1 { "votes" } else { "vote" };
    Some(finding(
        "suspicious voters",
        true,
        format!(
            "{} {verb} otherwise than chance explains: {}{more}.",
            counted(found.len() as u64, "voter"),
            named.join(", ")
        ),
    ))
}

fn drifting(of: &Evidence<'_>) -> Option<Finding> {
    let all = of.drift;
    let limit = -rather_numerics::special::normal::quantile(FALSE_ALARM / (2 * all.len().max(1)) as f64);
    let found: Vec<&Drift> = all.iter().filter(|drift| drift.z.abs() > limit).collect();
    if all.is_empty() {
        return None;
    }
    if found.is_empty() {
        return Some(finding("drift", false, "Earlier and later votes agree about every item.".to_owned()));
    }
    let one = |drift: &&Drift| format!("{} ({:+.0} %)", of.name(drift.item), 100.0 * drift.change);
    let named: Vec<String> = found.iter().take(NAMED).map(one).collect();
    let more = found.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    Some(finding(
        "drift",
        true,
        format!(
            "Later votes see {} otherwise than earlier ones (share of votes won): {}{more}; --since DATE takes the later ones alone.",
            counted(found.len() as u64, "item"),
            named.join(", ")
        ),
    ))
}
