//! Sorting a list by a simulated judge: how near the order is to the truth after parts of a standard trial, and how long choosing takes.
//!
//! A standard trial compares every pair once. The protocol is that of Mikhailiuk et al., *Active sampling for pairwise comparisons* (2020): qualities
//! spread over five standard deviations of the noise.

use std::time::Instant;

use anyhow::Result;
use rather::acquisition::Acquisition;
use rather_numerics::random::{normal, stream, uniform};
use rather_study::Answer;
use rather_study::definition::Items;
use rather_study::sort::{Settings, Sort};

use crate::context::rank_correlation;

/// Arguments of the experiment.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Numbers of items.
    #[arg(long, value_delimiter = ',', default_value = "20,40")]
    items: Vec<usize>,
    /// Lists of each length.
    #[arg(long, default_value_t = 30)]
    repeats: u64,
    /// Parts of a standard trial after which to look at the order, from 0 to 1; it ends after the largest.
    #[arg(long, value_delimiter = ',', default_value = "0.125,0.25,0.5,1", value_parser = part)]
    parts: Vec<f64>,
    /// Acquisition functions.
    #[arg(long, value_delimiter = ',', default_value = "order,bald,random")]
    acquisition: Vec<Acquisition>,
}

/// Over how many standard deviations of the noise of a comparison qualities spread.
const SPREAD: f64 = 5.0;

fn part(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|part| *part > 0.0 && *part <= 1.0)
        .ok_or_else(|| "write a part from 0 to 1".to_owned())
}

pub(crate) fn run(options: &Options) -> Result<()> {
    println!(
        "rank correlation with the truth after parts of a standard trial, mean of {} lists",
        options.repeats
    );
    let header: String = options.parts.iter().map(|part| format!("  {part:>5}")).collect();
    println!("items  acquisition   {header}   choosing, ms: median, largest");
    for &items in &options.items {
        for &acquisition in &options.acquisition {
            let mut sums = vec![0.0; options.parts.len()];
            let mut times: Vec<f64> = Vec::new();
            for seed in 0..options.repeats {
                let found = one(items, acquisition, seed, &options.parts, &mut times)?;
                sums.iter_mut().zip(found).for_each(|(sum, x)| *sum += x / options.repeats as f64);
            }
            times.sort_by(f64::total_cmp);
            let shown: String = sums.iter().map(|mean| format!("  {mean:.3}")).collect();
            println!(
                "{items:>5}  {:<13}{shown}   {:.1}, {:.1}",
                acquisition.to_string(),
                times[times.len() / 2],
                times[times.len() - 1]
            );
        }
    }
    Ok(())
}

/// The rank correlations of one list.
fn one(
    items: usize,
    acquisition: Acquisition,
    seed: u64,
    parts: &[f64],
    times: &mut Vec<f64>,
) -> Result<Vec<f64>> {
    let mut rng = stream(seed, 5);
    let truth: Vec<f64> = (0..items).map(|_| SPREAD * uniform(&mut rng)).collect();
    let table = Items { keys: (0..items).map(|i| format!("item {i}")).collect(), columns: vec![] };
    let folder = tempfile::tempdir()?;
    let all = (items * (items - 1) / 2) as f64;
    let settings = Settings { budget: all as u64, acquisition: Some(acquisition), ..Settings::new(items) };
    let mut sort = Sort::open(&folder.path().join("list.study"), &table, "Which is better?", seed, settings)?;
    let mut out = vec![0.0; parts.len()];
    let after = |part: f64| (part * all) as u64;
    for answers in 1..=parts.iter().copied().map(after).max().unwrap_or(0) {
        let start = Instant::now();
        let questions = sort.questions(1, &[])?;
        times.push(1e3 * start.elapsed().as_secs_f64());
        for question in questions {
            let ahead = truth[question.left] - truth[question.right] + normal(&mut rng);
            sort.tell("judge", question, if ahead > 0.0 { Answer::Left } else { Answer::Right })?;
        }
        for (&part, out) in parts.iter().zip(&mut out) {
            if answers == after(part)
                && let Some(model) = sort.model()?
            {
                *out = rank_correlation(&model.utilities(model.points()).mean, &truth);
            }
        }
    }
    Ok(out)
}
