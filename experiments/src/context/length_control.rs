//! AlpacaEval 2: rates of winning at equal lengths, from a judge's probabilities, beside the published length-controlled ones.

use std::path::Path;

use anyhow::{Context, Result};
use flate2::read::GzDecoder;
use rather::answers::Answer;
use rather::context::Sides;
use rather::likelihood::ResponseModel;

use super::{Names, column, fit, print_weights};
use crate::speed::cpu_seconds;

pub(super) fn run(data: &Path) -> Result<()> {
    let start = cpu_seconds();
    let folder = data.join("alpaca_eval_2");
    let path = folder.join("judgements.csv.gz");
    let file = std::fs::File::open(&path).with_context(|| path.display().to_string())?;
    let mut names = Names::default();
    let (mut items, mut lengths, mut answers) = (Vec::new(), Vec::new(), Vec::new());
    for row in csv::Reader::from_reader(GzDecoder::new(file)).records() {
        let row = row?;
        // Judgements of a model against itself say nothing.
        if row[0] == row[1] {
            continue;
        }
        let p: f64 = row[3].parse()?;
        let left = items.len();
        items.extend([names.number(&row[0]), names.number(&row[1])]);
        // In thousands of characters.
        lengths.extend([row[4].parse::<f64>()? / 1e3, row[5].parse::<f64>()? / 1e3]);
        if p > 0.0 {
            answers.push(Answer::rather(left, left + 1).times(p));
        }
        if p < 1.0 {
            answers.push(Answer::rather(left + 1, left).times(1.0 - p));
        }
    }
    let baseline = items[1];
    let sides = Sides { items, columns: vec![column("length", lengths, false, false)], teams: vec![] };
    println!("length control: {} judgements of {} models", sides.items.len() / 2, names.all.len());
    let published = published(&folder)?;
    for kernel in ["white[item]", "white[item] + linear[length]"] {
        let model = fit(names.all.clone(), &sides, &answers, kernel, ResponseModel::default())?;
        let points = model.points();
        let known = |i: &usize| published.contains_key(&names.all[*i]) && *i != baseline as usize;
        let asked: Vec<usize> = (0..names.all.len()).filter(known).collect();
        let pairs: Vec<(usize, usize)> = asked.iter().map(|&i| (i, baseline as usize)).collect();
        let rates = model.probabilities(points, &pairs);
        let theirs: Vec<f64> = asked.iter().map(|&i| published[&names.all[i]]).collect();
        println!(
            "{kernel:<30} rank correlation with the published rates of {} models {:.4}, {:.1} CPU s",
            asked.len(),
            rank_correlation(&rates, &theirs),
            cpu_seconds() - start
        );
        print_weights(&model);
    }
    Ok(())
}

/// The published length-controlled rates.
fn published(folder: &Path) -> Result<std::collections::HashMap<String, f64>> {
    let mut reader = csv::Reader::from_path(folder.join("published_rates.csv"))?;
    let at = reader.headers()?.iter().position(|name| name == "length_controlled_winrate");
    let at = at.context("there is no column of length-controlled rates")?;
    let mut out = std::collections::HashMap::new();
    for row in reader.records() {
        let row = row?;
        if let Ok(rate) = row[at].parse() {
            out.insert(row[0].to_owned(), rate);
        }
    }
    Ok(out)
}

/// Spearman's correlation of two lists without equal values.
pub(crate) fn rank_correlation(a: &[f64], b: &[f64]) -> f64 {
    let ranks = |values: &[f64]| -> Vec<f64> {
        let below = |x: f64| values.iter().filter(|y| **y < x).count() as f64;
        values.iter().map(|&x| below(x)).collect()
    };
    correlation(&ranks(a), &ranks(b))
}

/// Pearson's correlation.
pub(super) fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let n = a.len() as f64;
    let (ma, mb) = (a.iter().sum::<f64>() / n, b.iter().sum::<f64>() / n);
    let sum = |f: &dyn Fn(f64, f64) -> f64| a.iter().zip(b).map(|(&x, &y)| f(x - ma, y - mb)).sum::<f64>();
    sum(&|x, y| x * y) / (sum(&|x, _| x * x) * sum(&|_, y| y * y)).sqrt()
}
