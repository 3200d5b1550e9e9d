//! `rather study best`.

use super::{describe, side};
use crate::args::BestArgs;
use crate::failure::Failure;
use crate::output::{Output, printable};
use crate::table::{Side, Table, count, counted, number};
use rather_study::Study;
use rather_study::analysis::advice::{Advice, Estimate, Stop};
use serde_json::{Value, json};

/// Runs the command.
pub(super) fn run(args: &BestArgs, mut out: Output) -> Result<(), Failure> {
    let (mut study, participant) = args.which.open(&mut out)?;
    let advice = study.advice(&participant)?;
    let top = usize::try_from(args.top).unwrap_or(usize::MAX);
    if !out.json {
        return out.text(&text(&study, &advice, top));
    }
    let ranking: Vec<Value> = advice
        .ranking
        .iter()
        .take(top)
        .map(|r| {
            let alternative = side(&study, &r.alternative);
            json!({"alternative": alternative, "utility": r.utility, "probability_best": r.probability_best, "comparisons": r.duels, "duels": r.duels})
        })
        .collect();
    out.json(&json!({
        "study": study.name(), "participant": participant, "answers": advice.answers,
        "recommended": side(&study, &advice.recommended), "utility": advice.utility,
        "probability_best": advice.probability_best, "expected_regret": advice.expected_regret,
        "regret_at_most": advice.regret_at_most, "limit": study.definition().stop.regret, "probability_good_enough": advice.probability_good_enough,
        "stop": advice.stop, "more_answers": advice.more_answers, "ranking": ranking,
    }))
}

/// The advice for people.
pub(super) fn text(study: &Study, advice: &Advice, top: usize) -> String {
    let limit = study.definition().stop.regret;
    let utility = advice.utility;
    let mut text = format!(
        "best so far: {}, after {}\n\n",
        printable(&describe(study, &advice.recommended)),
        counted(advice.answers as u64, "answer")
    );
    text += &format!(
        "  utility          {} above the average of those compared (95 %: {} to {})\n",
        number(mean_of(&utility)),
        number(utility.low),
        number(utility.high)
    );
    if let Some(probability) = advice.probability_best {
        text += &format!("  best             with probability {:.0} %\n", 100.0 * probability);
    }
    text += &format!("  good enough      with probability {:.0} %\n", 100.0 * advice.probability_good_enough);
    text += &format!(
        "  expected regret  {} (good enough below {limit}; with probability 90 % at most {})\n\n",
        number(advice.expected_regret),
        number(advice.regret_at_most)
    );
    text += &ranking(study, advice, top);
    text + "\n" + &stop(advice) + "\n"
}

/// The mean, where it is not an error of rounding.
fn mean_of(utility: &Estimate) -> f64 {
    const ROUNDING: f64 = 1e-9;
    if utility.mean.abs() < ROUNDING * utility.sd { 0.0 } else { utility.mean }
}

fn ranking(study: &Study, advice: &Advice, top: usize) -> String {
    let mut table = Table::new([
        ("rank", Side::Right),
        ("compared", Side::Left),
        ("utility", Side::Right),
        ("sd", Side::Right),
        ("best", Side::Right),
        ("comparisons", Side::Right),
    ]);
    for (rank, r) in (1..).zip(advice.ranking.iter().take(top)) {
        table.push([
            count(rank),
            describe(study, &r.alternative),
            format!("{:.2}", mean_of(&r.utility)),
            format!("{:.2}", r.utility.sd),
            r.probability_best.map_or(String::new(), |p| format!("{:.0} %", 100.0 * p)),
            count(r.duels as u64),
        ]);
    }
    let more = advice.ranking.len().saturating_sub(top);
    table.render() + &if more > 0 { format!("… and {} more\n", count(more as u64)) } else { String::new() }
}

/// Whether to stop, in words.
pub(super) fn stop(advice: &Advice) -> String {
    let more = match advice.more_answers {
        Some(0) => format!(
            "it is good enough to stop: with probability 90 % it loses at most {}",
            number(advice.regret_at_most)
        ),
        Some(more) => format!("about {} would make it good enough", counted(more as u64, "more answer")),
        None => "it would take hundreds of answers to be good enough".to_owned(),
    };
    match advice.stop {
        Stop::Finished => format!("all answers are given; {more}"),
        Stop::GoodEnough | Stop::GoOn => more,
    }
}
