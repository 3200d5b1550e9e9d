//! What the recommendation loses where a study says "good enough", against what it announces.

use anyhow::Result;
use rather::design::Policy;
use rather_numerics::random::{stream, uniform};
use rather_study::Alternative;
use rather_study::analysis::advice::Stop;
use rather_study::definition::Subject;
use rather_study::space::{Parameter, Range, Scale, Space};

use super::Options;
use super::person::{Person, each, numbers};
use crate::policy::Named;

/// People who answer so many questions and are not told to stop are not counted.
const MOST: usize = 60;
const HEIGHT: f64 = 3.0;

/// The taste of a row's people.
struct Row {
    name: &'static str,
    dims: usize,
    /// Between which the width of a bump lies, as a share of the range; none for people who want as much as there is.
    widths: Option<(f64, f64)>,
}

const ROWS: [Row; 5] = [
    Row { name: "narrow bumps, 1-D", dims: 1, widths: Some((0.10, 0.15)) },
    Row { name: "wide bumps, 1-D", dims: 1, widths: Some((0.2, 0.3)) },
    Row { name: "narrow bumps, 2-D", dims: 2, widths: Some((0.10, 0.15)) },
    Row { name: "wide bumps, 2-D", dims: 2, widths: Some((0.2, 0.3)) },
    Row { name: "monotone, 1-D", dims: 1, widths: None },
];

/// How a study ended.
struct End {
    answers: usize,
    announced: f64,
    at_most: f64,
    regret: f64,
}

pub(super) fn run(options: &Options) -> Result<()> {
    println!(
        "Regret at \"good enough\", in units of the noise; utilities have a range of {HEIGHT}, {} people a row\n",
        options.repeats
    );
    println!(
        "| policy | people | stopped by {MOST} | answers, mean | announced | true | ratio | true above twice the announced | at most (90 %) | true above it | true above twice it |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    for Named { name, policy } in &options.policies {
        let mut all = Vec::new();
        for (number, row) in ROWS.iter().enumerate() {
            let study = |person| study(options, row, *policy, options.seed(10 + number as u64, person));
            let ends: Vec<End> = each(options.repeats, study)?.into_iter().flatten().collect();
            print(name, row.name, &ends, options.repeats);
            all.extend(ends);
        }
        print(name, "all", &all, options.repeats * ROWS.len() as u64);
    }
    Ok(())
}

fn print(policy: &str, name: &str, ends: &[End], people: u64) {
    let mean = |of: fn(&End) -> f64| ends.iter().map(of).sum::<f64>() / ends.len() as f64;
    let (announced, regret) = (mean(|e| e.announced), mean(|e| e.regret));
    let share = |above: fn(&End) -> bool| {
        100.0 * ends.iter().filter(|end| above(end)).count() as f64 / ends.len() as f64
    };
    let twice = share(|e| e.regret > 2.0 * e.announced);
    println!(
        "| {policy} | {name} | {} of {people} | {:.1} | {announced:.3} | {regret:.3} | {:.2} | {twice:.1} % | {:.3} | {:.1} % | {:.1} % |",
        ends.len(),
        mean(|e| e.answers as f64),
        regret / announced,
        mean(|e| e.at_most),
        share(|e| e.regret > e.at_most),
        share(|e| e.regret > 2.0 * e.at_most),
    );
}

fn study(options: &Options, row: &Row, policy: Policy, seed: u64) -> Result<Option<End>> {
    let parameter = |name: &&str| {
        let range = Range::Float { low: 0.0, high: 1.0, scale: Scale::Linear, step: None };
        Parameter { name: (*name).into(), range }
    };
    let parameters = ["x", "y"][..row.dims].iter().map(parameter).collect();
    let rng = &mut stream(seed, 0);
    let centre: Vec<f64> = (0..row.dims).map(|_| uniform(rng)).collect();
    let share = uniform(rng);
    let utility = |alternative: &Alternative| {
        let x = numbers(alternative);
        match row.widths {
            None => HEIGHT * x[0],
            Some((low, high)) => {
                let width = low + share * (high - low);
                let off = x.iter().zip(&centre).map(|(x, c)| (x - c).powi(2)).sum::<f64>();
                HEIGHT * (-0.5 * off / (width * width)).exp()
            }
        }
    };
    let definition = options.definition(Subject::Parameters(Space { parameters }), policy, seed);
    let mut person = Person::new(&definition, seed, &utility)?;
    for answers in 1..=MOST {
        person.answer()?;
        let advice = person.advice()?;
        if advice.stop == Stop::GoodEnough {
            let regret = HEIGHT - person.utility(&advice.recommended);
            return Ok(Some(End {
                answers,
                announced: advice.expected_regret,
                at_most: advice.regret_at_most,
                regret,
            }));
        }
    }
    Ok(None)
}
