//! Professional tennis, 1991 to 2017.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use flate2::read::GzDecoder;
use rather::answers::{Answer, Answers};
use rather::context::{ContextColumn, Sides};
use rather::features::{Column, ColumnValues};
use rather::inference::latent::chains::{Chains, begins};
use rather::inference::observations::Observations;
use rather::kernel::{Kernel, Schema, parse};
use rather::learn::choice::{KernelChoice, KernelSpec};
use rather::likelihood::{AnswerIndex, Likelihoods};
use rather::model::{Ep, FitSettings, Inference, Integration, Items, Model, PairEffect, Representation};
use rather::points::Points;
use rather_numerics::calendar::days;

use super::Options;
use crate::speed::cpu_seconds;

/// Matches in the order of their dates.
pub(crate) struct Matches {
    /// Days since 1970-01-01.
    day: Vec<f64>,
    winner: Vec<u32>,
    loser: Vec<u32>,
    surface: Vec<String>,
    players: usize,
    /// The day of each player's first match.
    first: Vec<f64>,
}

/// Years since a player's first match between which the common course of careers is a straight line.
const BENDS: [f64; 4] = [0.0, 1.0, 4.0, 9.0];

/// How much of each part of a career is over after so many days.
fn career(days: f64) -> [f64; BENDS.len()] {
    let years = days / 365.25;
    std::array::from_fn(|k| {
        let end = BENDS.get(k + 1).copied().unwrap_or(f64::INFINITY);
        (years.min(end) - BENDS[k]).max(0.0)
    })
}

pub(crate) fn read(data: &Path) -> Result<Matches> {
    let path = data.join("tennis_1991_2017/matches.csv.gz");
    let file = std::fs::File::open(&path).with_context(|| path.display().to_string())?;
    let mut out =
        Matches { day: vec![], winner: vec![], loser: vec![], surface: vec![], players: 0, first: vec![] };
    let mut players = std::collections::HashMap::new();
    for row in csv::Reader::from_reader(GzDecoder::new(file)).records() {
        let row = row?;
        // Four rows name one player twice, which says nothing.
        if row[1] == row[2] {
            continue;
        }
        let date: i64 = row[0].parse()?;
        out.day.push(days([date / 10_000, date / 100 % 100, date % 100]));
        let mut number = |name: &str| {
            let next = players.len() as u32;
            *players.entry(name.to_owned()).or_insert(next)
        };
        out.winner.push(number(&row[1]));
        out.loser.push(number(&row[2]));
        out.surface.push(row[3].to_owned());
    }
    ensure!(out.day.is_sorted(), "the matches must be in the order of their dates");
    out.players = players.len();
    out.first = vec![f64::INFINITY; out.players];
    for m in 0..out.day.len() {
        for player in [out.winner[m], out.loser[m]] {
            let known = &mut out.first[player as usize];
            *known = known.min(out.day[m]);
        }
    }
    Ok(out)
}

impl Matches {
    fn from(&self, day: f64) -> usize {
        self.day.partition_point(|&d| d < day)
    }

    /// How far the career of a player of a match is.
    fn career(&self, m: usize, player: u32) -> [f64; BENDS.len()] {
        career(self.day[m] - self.first[player as usize])
    }

    /// Two sides a match, the winner first.
    fn sides(&self, range: std::ops::Range<usize>) -> Sides {
        let both = |of: &dyn Fn(usize) -> f64| range.clone().flat_map(|m| [of(m); 2]).collect::<Vec<f64>>();
        let surface =
            range.clone().flat_map(|m| [self.surface[m].clone(), self.surface[m].clone()]).collect();
        let shared = |name: &str, values, date| ContextColumn {
            column: Column { name: name.into(), values },
            shared: true,
            date,
        };
        let of_career = |k: usize| {
            let ends = |m: usize| [self.winner[m], self.loser[m]].map(|player| self.career(m, player)[k]);
            let column = Column {
                name: format!("career{}", k + 1),
                values: ColumnValues::Numeric(range.clone().flat_map(ends).collect()),
            };
            ContextColumn { column, shared: false, date: false }
        };
        let mut columns = vec![
            shared("date", ColumnValues::Numeric(both(&|m| self.day[m])), true),
            shared("surface", ColumnValues::Text(surface), false),
        ];
        columns.extend((0..BENDS.len()).map(of_career));
        Sides {
            items: range.clone().flat_map(|m| [self.winner[m], self.loser[m]]).collect(),
            columns,
            ..Sides::default()
        }
    }

    fn fit(&self, range: std::ops::Range<usize>, options: &Options, fixed: &[(&str, f64)]) -> Result<Model> {
        let items = Items { keys: (0..self.players).map(|i| i.to_string()).collect(), columns: vec![] };
        let answers: Answers = (0..range.len()).map(|m| Answer::rather(2 * m, 2 * m + 1)).collect();
        let settings = FitSettings {
            kernel: KernelChoice::Given(KernelSpec { expression: options.kernel.clone(), ard: false }),
            inference: Inference::Ep(Ep {
                representation: Representation::Sparse,
                integration: Integration::Off,
                pair_effect: PairEffect::Off,
                ..Ep::default()
            }),
            response_model: options.response_model(),
            fixed: fixed.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect(),
            ..FitSettings::default()
        };
        Ok(Model::fit_in_context(&items, &self.sides(range), answers, &[], &settings, &|_| ())?)
    }
}

/// One fit of the matches of 2016 and 2017, at given and at learned hyperparameters.
pub(crate) fn fit(matches: &Matches, options: &Options) -> Result<()> {
    let first = matches.from(days([2016, 1, 1]));
    let range = first..matches.day.len();
    println!("one fit of {} matches of 2016 and 2017, {}", range.len(), options.kernel);
    let start = cpu_seconds();
    let learned = matches.fit(range.clone(), options, &[])?;
    println!("learned: {:.2} CPU s, {} evaluations", cpu_seconds() - start, learned.report().evaluations);
    let values: Vec<(String, f64)> = learned.reported_hyperparameters();
    println!("{values:?}, log evidence {:.2}", learned.report().log_evidence);
    let fixed: Vec<(&str, f64)> = values.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    let start = cpu_seconds();
    let model = matches.fit(range, options, &fixed)?;
    let report = model.report();
    println!(
        "at these hyperparameters: {:.2} CPU s, {} sweeps, residual {:.1e}, {:?}",
        cpu_seconds() - start,
        report.sweeps,
        report.residual,
        report.sparse
    );
    Ok(())
}

/// Cost over the number of matches; the exponent is fitted from 10,000 on.
pub(crate) fn scale(matches: &Matches, options: &Options) -> Result<()> {
    let mut costs: Vec<(f64, f64)> = Vec::new();
    for n in [2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000, 400_000, 600_000] {
        let last = matches.day.len();
        let fixed = [("white.variance", 1.0), ("white2.variance", 0.5), ("noise", 1.0)];
        let start = cpu_seconds();
        let model = matches.fit(last.saturating_sub(n)..last, options, &fixed)?;
        let seconds = cpu_seconds() - start;
        let report = model.report();
        println!("{n:>7} matches: {seconds:6.2} CPU s, {} sweeps, {:?}", report.sweeps, report.sparse);
        if n >= 10_000 {
            costs.push(((n as f64).ln(), seconds.ln()));
        }
    }
    let mean = |of: fn(&(f64, f64)) -> f64| costs.iter().map(of).sum::<f64>() / costs.len() as f64;
    let (x, y) = (mean(|c| c.0), mean(|c| c.1));
    let slope = costs.iter().map(|c| (c.0 - x) * (c.1 - y)).sum::<f64>()
        / costs.iter().map(|c| (c.0 - x).powi(2)).sum::<f64>();
    println!("exponent {slope:.2}");
    Ok(())
}

/// Each match from a day on predicted from all on earlier dates; hyperparameters learned on the time before.
pub(crate) fn rolling(matches: &Matches, options: &Options) -> Result<()> {
    let start = cpu_seconds();
    let test = matches.from(options.from);
    let learn_from = options.learn.map_or(0, |days| matches.from(options.from - days));
    let learned = matches.fit(learn_from..test, options, &[])?;
    println!(
        "{:?} ({} matches, {:.1} CPU s)",
        learned.reported_hyperparameters(),
        test - learn_from,
        cpu_seconds() - start
    );
    let mut problem = Rolling::new(matches, options, &learned)?;
    if !options.values.is_empty() {
        problem.kernel.set_parameters(&options.values)?;
    }
    if let Some(from) = options.choose {
        let from = matches.from(from);
        problem.choose(from..test)?;
        println!(
            "{:?} by predictions of {} matches, {:.1} CPU s",
            problem.values(),
            test - from,
            cpu_seconds() - start
        );
    }
    let often = Often { within: options.refine, after: 1 };
    let (loss, right) = problem.predictions(test..matches.from(options.until), often)?;
    println!("log loss {loss:.4}, accuracy {right:.4}; {:.1} CPU s", cpu_seconds() - start);
    Ok(())
}

/// How often to go back and forth over what was absorbed: over so many matches, once so many are new.
#[derive(Clone, Copy)]
struct Often {
    within: usize,
    after: usize,
}

/// All matches as one problem of filtering, with the kernel and the likelihoods of a model that was learned from some.
struct Rolling {
    kernel: Kernel,
    points: Points,
    observations: Observations,
    starts: Vec<usize>,
    chains: Chains,
    likelihoods: Likelihoods,
}

impl Rolling {
    fn new(matches: &Matches, options: &Options, learned: &Model) -> Result<Self> {
        // Times in the units that the kernel was learned in.
        let unit = unit_of_time(learned);
        let n = matches.from(options.until);
        let mut surfaces: Vec<&str> = matches.surface.iter().map(String::as_str).collect();
        surfaces.sort_unstable();
        surfaces.dedup();
        let (mut ids, mut rows) = (Vec::new(), Vec::new());
        for m in 0..n {
            let surface = surfaces.binary_search(&matches.surface[m].as_str()).unwrap_or(0) as f64;
            for player in [matches.winner[m], matches.loser[m]] {
                ids.push(u64::from(player));
                rows.extend([matches.day[m] / unit, matches.first[player as usize] / unit, surface]);
                rows.extend(matches.career(m, player));
            }
        }
        let columns = 3 + BENDS.len();
        let points = Points::new(ids, columns, rows);
        let mut names = vec!["date".to_owned(), String::new(), "surface".to_owned()];
        names.extend((1..=BENDS.len()).map(|k| format!("career{k}")));
        let categorical = names.iter().map(|name| name == "surface").collect();
        let schema = Schema { names, categorical, context: columns };
        let mut kernel = parse(&options.kernel, &schema, false)?;
        let h = learned.hyperparameters();
        let values: Vec<f64> = h.kernel.parameters().iter().map(|p| p.value).collect();
        kernel.set_parameters(&values)?;
        let answers: Answers = (0..n).map(|m| Answer::rather(2 * m, 2 * m + 1)).collect();
        let observations = Observations::of(&answers, &[], options.response_model());
        let chains =
            Chains::new(&kernel, &points, &observations.edges).context("the kernel has no chains")?;
        let starts = begins(&observations.merged, observations.edges.len());
        let likelihoods = observations.responses.likelihoods(&h.values());
        Ok(Self { kernel, points, observations, starts, chains, likelihoods })
    }

    fn values(&self) -> Vec<f64> {
        self.kernel.parameters().iter().map(|p| p.value).collect()
    }

    /// Log loss and accuracy of these matches, each predicted from all on earlier dates.
    fn predictions(&self, range: std::ops::Range<usize>, often: Often) -> Result<(f64, f64)> {
        let prior = self.chains.prior(&self.kernel).context("the kernel has no prior")?;
        let mut filter = prior.filter(&self.observations.merged, &self.starts, &self.likelihoods);
        let order: Vec<usize> = filter.order().iter().map(|&e| e as usize).collect();
        let day_of = |e: usize| self.points.row(self.observations.edges[e].plus())[0];
        filter.absorb(0..range.start);
        for _ in 0..3 {
            filter.refine(0..range.start);
        }
        let (mut loss, mut right, mut next, mut fresh) = (0.0, 0.0, range.start, 0);
        while next < range.end {
            let today = order[next..].iter().take_while(|&&e| day_of(e) == day_of(order[next])).count();
            for &e in &order[next..next + today] {
                let (mean, variance) = filter.predict(e);
                // All sides are numbered with the winner first.
                let p = self.likelihoods.of(AnswerIndex::CHOICE).probability(mean, variance);
                loss -= p.ln();
                right += if p == 0.5 { 0.5 } else { f64::from(u8::from(p > 0.5)) };
            }
            filter.absorb(next..next + today);
            next += today;
            fresh += today;
            if fresh >= often.after {
                filter.refine(next.saturating_sub(often.within)..next);
                fresh = 0;
            }
        }
        let tested = range.len() as f64;
        Ok((loss / tested, right / tested))
    }

    /// Takes the hyperparameters of the kernel, up to factors, that predict these matches best: one after the other, by ever smaller steps.
    fn choose(&mut self, range: std::ops::Range<usize>) -> Result<()> {
        let often = Often { within: 50_000, after: 500 };
        let mut best = self.predictions(range.clone(), often)?.0;
        println!("log loss {best:.5} at {:.4?}", self.values());
        for factor in [2.0, 1.4_f64] {
            for place in 0..self.values().len() {
                for step in [factor, 1.0 / factor] {
                    loop {
                        let known = self.values();
                        let mut tried = known.clone();
                        tried[place] *= step;
                        self.kernel.set_parameters(&tried)?;
                        let loss = self.predictions(range.clone(), often)?.0;
                        println!("log loss {loss:.5} at {tried:.4?}");
                        if loss >= best {
                            self.kernel.set_parameters(&known)?;
                            break;
                        }
                        best = loss;
                    }
                }
            }
        }
        Ok(())
    }
}

/// Days in a unit of the model's time.
fn unit_of_time(model: &Model) -> f64 {
    let encoder = model.items().context().map(|context| &context.encoder);
    let of_date =
        encoder.and_then(|e| e.features.iter().position(|(name, _)| name == "date").map(|c| e.units()[c]));
    of_date.unwrap_or(1.0)
}
