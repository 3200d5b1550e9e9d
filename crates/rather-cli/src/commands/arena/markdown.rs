//! A board as Markdown.

use super::text::{judge_cells, moved, next, notes, of_judges, percent, rating, read, sentences, told};
use crate::table::count;
use rather_arena::{Line, Report};

/// All of it.
pub(super) fn page(report: &Report, shown: usize) -> String {
    let mut out = format!(
        "# Leaderboard\n\n{}\n\n{}\n{}\n",
        escaped(&read(report)),
        board(report, &report.board, shown),
        escaped(&notes(report))
    );
    for level in &report.boards {
        out += &format!("\n## {}\n\n{}", escaped(&level.level), board(report, &level.board, shown));
    }
    let sentences = sentences(report);
    if !sentences.is_empty() {
        out += "\n## Beside the ratings\n\n";
        sentences.iter().for_each(|sentence| out += &format!("- {}\n", escaped(sentence)));
    }
    if !report.judges.is_empty() {
        let (names, rows) = judge_cells(report);
        let kept = told(&rows);
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        out += "\n## Judges\n\n";
        out += &line(kept.iter().map(|&i| names[i].to_owned()).collect());
        out += &line(kept.iter().map(|&i| if i == 0 { "---" } else { "--:" }.to_owned()).collect());
        rows.iter().for_each(|row| out += &line(kept.iter().map(|&i| escaped(&row[i])).collect()));
        out += &format!("\n{}\n", of_judges(&kept));
    }
    out += "\n## Audit\n\n";
    for finding in &report.audit {
        let mark = if finding.concern { "**!** " } else { "" };
        out += &format!("- {mark}{}\n", escaped(&finding.sentence));
    }
    format!("{out}\n{}\n", escaped(&next(report)))
}

fn board(report: &Report, lines: &[Line], shown: usize) -> String {
    let has_before = lines.iter().any(|line| line.rank_before.is_some());
    let (before, rule) = if has_before { (" before |", " --- |") } else { ("", "") };
    let mut out = format!(
        "| rank | item | {} | 95 % interval | votes | ranks | P(best) | P(> next) | group |{before}\n| --: | --- | --: | --- | --: | --- | --: | --: | --: |{rule}\n",
        report.scale.name()
    );
    for line in lines.iter().take(shown) {
        let before = if has_before { format!(" {} |", moved(line)) } else { String::new() };
        out += &format!(
            "| {} | {} | {} | {} to {} | {} | {} to {} | {} | {} | {} |{before}\n",
            line.rank,
            escaped(&line.item),
            rating(report, line.rating),
            rating(report, line.lower),
            rating(report, line.upper),
            count(line.votes as u64),
            line.rank_low,
            line.rank_high,
            percent(line.probability_best),
            line.probability_above_next.map(percent).unwrap_or_default(),
            line.group
        );
    }
    match lines.len().saturating_sub(shown) {
        0 => out,
        more => format!("{out}\n… and {} more\n", count(more as u64)),
    }
}

/// Text in which nothing is markup.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '|' | '*' | '_' | '`' | '<' | '>' | '[' | ']' | '\\' | '#') {
            out.push('\\');
        }
        out.push(if c.is_control() { ' ' } else { c });
    }
    out
}
