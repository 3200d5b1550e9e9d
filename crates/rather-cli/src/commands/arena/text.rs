//! A board for people at a terminal.

use crate::table::{Side, Table, count, counted, wrap};
use rather_arena::{Line, Read, Report, Units, Weight};

/// All of it.
pub(super) fn page(report: &Report, shown: usize) -> String {
    let mut parts = vec![wrap(&read(report)), board(report, &report.board, shown), wrap(&notes(report))];
    for level in &report.boards {
        parts.push(format!("{}\n{}", level.level, board(report, &level.board, shown)));
    }
    parts.push(findings(report));
    parts.push(judges(report));
    parts.push(format!("Audit\n{}", audit(report)));
    parts.push(wrap(&next(report)));
    parts.retain(|part| !part.trim().is_empty());
    parts.join("\n")
}

/// What was read, in sentences.
pub(super) fn read(report: &Report) -> String {
    let Read { votes, items, ties, both_good, both_bad, .. } = report.read;
    if report.read.sources.is_empty() {
        return format!("{}: a board of {}.", report.source, counted(items as u64, "item"));
    }
    let share = |part: f64, what: &str| (part > 0.0).then(|| format!("{:.0} % {what}", 100.0 * part / votes));
    let shares = [share(ties, "ties"), share(both_good, "both good"), share(both_bad, "both bad")];
    let shares: Vec<String> = shares.into_iter().flatten().collect();
    let role = |role: &str| match role {
        "left" => "the left side".to_owned(),
        "right" => "the right side".to_owned(),
        "outcome" if shares.is_empty() => "the outcome".to_owned(),
        "outcome" => format!("the outcome ({})", shares.join(", ")),
        "user" => format!("the voter ({})", count(report.read.voters as u64)),
        "vote_id" => "the number of the vote".to_owned(),
        other => format!("the {other}"),
    };
    let columns: Vec<String> =
        report.read.columns.iter().map(|c| format!("{} is {}", c.column, role(c.role))).collect();
    let mut out = format!(
        "{}: {} on {}. {}.",
        report.read.sources.join(", "),
        counted(votes as u64, "vote"),
        counted(items as u64, "item"),
        columns.join("; ")
    );
    if !report.read.unused.is_empty() {
        out += &format!(" Not used: {}.", report.read.unused.join(", "));
    }
    if !report.read.numbers_of_sides.is_empty() {
        let names = report.read.numbers_of_sides.join(",");
        out += &format!(" Numbers of each side, whose effect can be taken out: --style {names}.");
    }
    if report.read.before > 0 {
        out += &format!(" Passed over: {} before the date.", counted(report.read.before, "vote"));
    }
    out
}

/// A number with the decimals of the scale.
pub(super) fn rating(report: &Report, x: f64) -> String {
    format!("{x:.*}", report.scale.decimals())
}

/// A probability; of one that is nearly 0 or 1 no more than that.
pub(super) fn percent(p: f64) -> String {
    match 100.0 * p {
        p if p > 0.0 && p < 0.5 => "<1 %".to_owned(),
        p if p > 99.5 && p < 100.0 => ">99 %".to_owned(),
        p => format!("{p:.0} %"),
    }
}

/// Where an item stood before.
pub(super) fn moved(line: &Line) -> String {
    match line.rank_before {
        None => "new".to_owned(),
        Some(before) if before == line.rank => "=".to_owned(),
        Some(before) if before > line.rank => format!("up from {before}"),
        Some(before) => format!("down from {before}"),
    }
}

fn board(report: &Report, lines: &[Line], shown: usize) -> String {
    let has_before = lines.iter().any(|line| line.rank_before.is_some());
    let mut columns = vec![
        ("rank", Side::Right),
        ("item", Side::Left),
        (report.scale.name(), Side::Right),
        ("95 % interval", Side::Left),
        ("votes", Side::Right),
        ("ranks", Side::Left),
        ("P(best)", Side::Right),
        ("P(> next)", Side::Right),
        ("group", Side::Right),
    ];
    if has_before {
        columns.push(("before", Side::Left));
    }
    let mut table = Table::new(columns);
    for line in lines.iter().take(shown) {
        let cells = [
            line.rank.to_string(),
            line.item.clone(),
            rating(report, line.rating),
            format!("{} to {}", rating(report, line.lower), rating(report, line.upper)),
            count(line.votes as u64),
            format!("{} to {}", line.rank_low, line.rank_high),
            percent(line.probability_best),
            line.probability_above_next.map(percent).unwrap_or_default(),
            line.group.to_string(),
        ];
        table.push(cells.into_iter().chain(has_before.then(|| moved(line))));
    }
    let more = lines.len().saturating_sub(shown);
    let more = if more > 0 { format!("… and {} more\n", count(more as u64)) } else { String::new() };
    table.render() + &more
}

/// How the table is to be read.
pub(super) fn notes(report: &Report) -> String {
    format!(
        "{} Ranks are 95 % intervals of the rank, P(best) and P(> next) the probabilities of being the best and above the next line. Items of one group cannot be \
         distinguished from its first item; the first of the next group is worse with a probability of at least 97.5 %.",
        report.scale.meaning()
    )
}

/// What else was learned, a sentence each.
pub(super) fn sentences(report: &Report) -> Vec<String> {
    let unit = match report.scale.units {
        Units::Elo => " points",
        Units::Jod => " JOD",
        Units::Utility | Units::WinRate => " of utility",
    };
    let decimals = report.scale.decimals().max(if report.scale.units == Units::Elo { 1 } else { 2 });
    let worth = |w: &Weight| {
        format!(
            "{:+.decimals$}{unit} (95 %: {:+.decimals$} to {:+.decimals$}), a probability of {:.1} % between equals",
            w.rating,
            w.lower,
            w.upper,
            100.0 * w.probability
        )
    };
    let mut out = Vec::new();
    if let Some(position) = &report.position {
        out.push(format!("Position: the left side is worth {}.", worth(position)));
    }
    for style in &report.style {
        out.push(format!(
            "Style: one standard deviation more of {} is worth {}; ratings are without it.",
            style.column,
            worth(style)
        ));
    }
    if let Some(tie) = report.tie_between_equals {
        out.push(format!("Ties: two equals tie with a probability of {:.0} %.", 100.0 * tie));
    }
    if let Some(good) = report.good_from {
        out.push(format!("Quality: an item is more often good than bad from {} on.", rating(report, good)));
    }
    out
}

fn findings(report: &Report) -> String {
    sentences(report).iter().map(|sentence| wrap(sentence)).collect()
}

/// The cells of the table of judges, under their names; columns that say nothing are empty.
pub(super) fn judge_cells(report: &Report) -> (Vec<&'static str>, Vec<Vec<String>>) {
    let share = |x: Option<f64>| x.map(|x| format!("{:.0} %", 100.0 * x)).unwrap_or_default();
    let names = vec!["judge", "votes", "agrees", "expected", "left", "ties", "flips", "noise", "lapses"];
    let rows = report.judges.iter().map(|j| {
        vec![
            j.judge.clone(),
            count(j.votes as u64),
            share(j.agreement),
            share(j.expected_agreement),
            j.left
                .zip(j.left_error)
                .map(|(left, error)| format!("{:+.1} ± {:.1} %", 100.0 * left, 100.0 * error))
                .unwrap_or_default(),
            share(j.ties),
            if j.swapped > 0 { format!("{} of {}", j.flipped, j.swapped) } else { String::new() },
            j.noise.map(|noise| format!("{noise:.2}")).unwrap_or_default(),
            share(j.lapse),
        ]
    });
    (names, rows.collect())
}

/// The columns of the table of judges, by their places, in which there is something.
pub(super) fn told(rows: &[Vec<String>]) -> Vec<usize> {
    let columns = rows.first().map_or(0, Vec::len);
    (0..columns).filter(|&i| rows.iter().any(|row| !row[i].is_empty())).collect()
}

/// What the table of judges says in the columns `told`.
pub(super) fn of_judges(told: &[usize]) -> String {
    let notes = [
        (
            2,
            "Agrees: the share of votes with a winner that are for the item of the higher rating, and what the model expects.",
        ),
        (4, "Left: the share of votes for the left side beyond that, with its standard error."),
        (6, "Flips: pairs voted on in both orders whose winner changed with the side."),
        (7, "Noise is relative to that of the others."),
        (8, "A lapse is a vote at random."),
    ];
    let of: Vec<&str> =
        notes.iter().filter(|(column, _)| told.contains(column)).map(|(_, note)| *note).collect();
    of.join(" ")
}

/// So many judges are shown at a terminal.
const SHOWN: usize = 12;

fn judges(report: &Report) -> String {
    if report.judges.is_empty() {
        return String::new();
    }
    let (names, mut rows) = judge_cells(report);
    let more = report.voters.saturating_sub(SHOWN.min(rows.len()));
    rows.truncate(SHOWN);
    let told = told(&rows);
    let mut table =
        Table::new(told.iter().map(|&i| (names[i], if i == 0 { Side::Left } else { Side::Right })));
    rows.iter().for_each(|row| table.push(told.iter().map(|&i| row[i].clone())));
    let more = if more > 0 { format!("… and {} more\n", count(more as u64)) } else { String::new() };
    table.render() + &more + &wrap(&of_judges(&told))
}

fn audit(report: &Report) -> String {
    let one = |finding: &rather_arena::Finding| {
        let mark = if finding.concern { "!" } else { "-" };
        let text = wrap(&format!("{mark} {}", finding.sentence));
        text.lines()
            .enumerate()
            .map(|(i, line)| format!("{}{line}\n", if i > 0 { "  " } else { "" }))
            .collect::<String>()
    };
    report.audit.iter().map(one).collect()
}

/// What to ask next.
pub(super) fn next(report: &Report) -> String {
    let mut out = Vec::new();
    if !report.next.is_empty() {
        let pairs: Vec<String> = report.next.iter().map(|[a, b]| format!("{a} against {b}")).collect();
        out.push(format!("Ask next: {}.", pairs.join("; ")));
    }
    if let Some(apart) = &report.votes_to_separate {
        out.push(match apart.votes {
            Some(0) => {
                format!("{} is above {} with a probability of at least 97.5 %.", apart.first, apart.second)
            }
            Some(votes) => format!(
                "About {} more votes between them would separate {} from {}, if they differ as it looks now.",
                count(votes),
                apart.first,
                apart.second
            ),
            None => format!(
                "{} and {} do not differ, as it looks now; no number of votes would separate them.",
                apart.first, apart.second
            ),
        });
    }
    out.join(" ")
}
