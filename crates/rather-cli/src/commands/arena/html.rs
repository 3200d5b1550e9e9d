//! A board on one page of HTML that needs nothing else.

use super::figure;
use super::text::{judge_cells, moved, next, notes, of_judges, percent, rating, read, sentences, told};
use crate::failure::Failure;
use crate::page::page as shell;
use crate::table::count;
use maud::{Markup, PreEscaped, html};
use rather_arena::{Line, Report};

/// The page.
pub(super) fn page(report: &Report) -> Result<String, Failure> {
    let figure = figure::board(report)?;
    let concerns: Vec<&rather_arena::Finding> =
        report.audit.iter().filter(|finding| finding.concern).collect();
    let title = format!("Leaderboard: {}", report.source);
    let body = html! {
        h1 { (title) }
        p.lead { (summary(report)) }
        @if !concerns.is_empty() {
            div.warning {
                h2 { "Look at this first" }
                ul { @for finding in &concerns { li { (finding.sentence) } } }
            }
        }
        (board(report, &report.board))
        p.note { (notes(report)) }
        figure { (PreEscaped(figure.as_svg())) }
        @for level in &report.boards {
            h2 { (level.level) }
            (board(report, &level.board))
        }
        @let sentences = sentences(report);
        @if !sentences.is_empty() {
            h2 { "Beside the ratings" }
            ul { @for sentence in &sentences { li { (sentence) } } }
        }
        (judges(report))
        h2 { "Audit" }
        ul { @for finding in &report.audit { li { @if finding.concern { strong { "Problem: " } } (finding.sentence) } } }
        h2 { "What to ask next" }
        p { (next(report)) }
        h2 { "Data and model" }
        p { (read(report)) }
        p { "Kernel: " code { (report.kernel) } ". Inference " (if report.converged { "converged" } else { "did not converge" }) "." }
        @if !report.warnings.is_empty() { ul { @for warning in &report.warnings { li { (warning) } } } }
        h2 { "How to read this page" }
        (reading())
    };
    Ok(shell(&title, body).into_string())
}

/// The result in a sentence or two.
fn summary(report: &Report) -> String {
    let Some(first) = report.board.first() else { return String::new() };
    let same = report.board.iter().filter(|line| line.group == 1).count();
    let sure = format!(
        "{} has the highest rating, and is the best with a probability of {}.",
        first.item,
        percent(first.probability_best)
    );
    match same {
        0 | 1 => format!("{sure} It is clearly better than all others."),
        2 => format!("{sure} One other item cannot be distinguished from it."),
        more => format!("{sure} {} other items cannot be distinguished from it.", more - 1),
    }
}

fn board(report: &Report, lines: &[Line]) -> Markup {
    let has_before = lines.iter().any(|line| line.rank_before.is_some());
    html! {
        div.wide tabindex="0" role="region" aria-label="Leaderboard" {
            table {
                thead { tr {
                    th.number { "Rank" } th { "Item" } th.number { (report.scale.name()) } th.interval { "95 % interval" } th.number { "Votes" }
                    th { "Ranks" } th.number { "P(best)" } th.number { "P(> next)" } th.number { "Group" }
                    @if has_before { th { "Before" } }
                } }
                tbody {
                    @for (at, line) in lines.iter().enumerate() {
                        tr.first[at > 0 && lines[at - 1].group != line.group] {
                            td.number { (line.rank) }
                            td { (line.item) }
                            td.number { (rating(report, line.rating)) }
                            td.interval { (rating(report, line.lower)) " to " (rating(report, line.upper)) }
                            td.number { (count(line.votes as u64)) }
                            td { (line.rank_low) " to " (line.rank_high) }
                            td.number { (percent(line.probability_best)) }
                            td.number { (line.probability_above_next.map(percent).unwrap_or_default()) }
                            td.number { (line.group) }
                            @if has_before { td { (moved(line)) } }
                        }
                    }
                }
            }
        }
    }
}

fn judges(report: &Report) -> Markup {
    let (names, rows) = judge_cells(report);
    let kept = told(&rows);
    html! {
        @if !rows.is_empty() {
            h2 { "Judges" }
            div.wide tabindex="0" role="region" aria-label="Judges" {
                table {
                    thead { tr { @for &i in &kept { th.number[i > 0] { (names[i]) } } } }
                    tbody { @for row in &rows { tr { @for &i in &kept { td.number[i > 0] { (row[i]) } } } } }
                }
            }
            p.note { (of_judges(&kept)) }
        }
    }
}

/// For those who have never seen a posterior.
fn reading() -> Markup {
    html! {
        dl {
            dt { "Rating" }
            dd { "How often an item is preferred, on a scale where only differences count." }
            dt { "95 % interval" }
            dd { "Given the votes, the true rating is in it with a probability of 95 %. Few votes make it wide, and so do voters who cast many." }
            dt { "Ranks" }
            dd { "The true rank is in this interval with a probability of 95 %." }
            dt { "P(best), P(> next)" }
            dd { "The probability that no other item is better, and that it is better than the one in the next line." }
            dt { "Group" }
            dd { "Items of one group cannot be distinguished from its first item; their order is a guess. A line in the table begins a new group." }
            dt { "What this page does not show" }
            dd { "It is about the people who voted, and about what they were shown." }
        }
    }
}
