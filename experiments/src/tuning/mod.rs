//! Tuning with simulated listeners: how many duels until the recommended setting is good, for each way to choose them.
//!
//! A listener has a known utility over the unit cube and answers duels with probit noise. After every answer the model
//! recommends a setting; its regret is a share of the utility's range. A run is good from the duel on from which the regret *stays* at
//! most 5 % to the end: the first duel within 5 % is luck as often as not.

mod listener;
mod strategy;

use anyhow::{Result, ensure};
use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;

use crate::policy::PriorOptions;
use listener::Listener;
use rather::design::Prior;
pub(crate) use strategy::number;
use strategy::{Candidates, STRATEGIES, Strategy};

/// The regret that counts as good.
const GOOD: f64 = 0.05;

/// Arguments of the experiment.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Numbers of dimensions.
    #[arg(long, value_delimiter = ',', default_values_t = [1, 2, 4])]
    dims: Vec<usize>,
    /// Listeners a row.
    #[arg(long, default_value_t = 50)]
    runs: u64,
    /// Duels a run: 40 in one dimension and 60 in more unless given.
    #[arg(long)]
    duels: Option<usize>,
    /// Only rows whose name contains this.
    #[arg(long, default_value = "")]
    only: String,
    /// Choose among the points of a grid (41 in one dimension, 15 a side in two) instead of the whole cube.
    #[arg(long)]
    grid: bool,
    /// Range of the utility, in units of the noise of a duel.
    #[arg(long, default_value_t = 4.0)]
    range: f64,
    /// Share of answers that are given at random.
    #[arg(long, default_value_t = 0.0)]
    lapse: f64,
    #[command(flatten)]
    prior: PriorOptions,
    /// Seed of the first listener.
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    ensure!(options.runs > 0, "--runs must be at least 1");
    ensure!((0.0..=1.0).contains(&options.lapse), "--lapse {} is not between 0 and 1", options.lapse);
    options.dims.iter().try_for_each(|&dims| table(dims, options))
}

fn table(dims: usize, options: &Options) -> Result<()> {
    let candidates = Candidates::new(dims, options.grid)?;
    let duels = options.duels.unwrap_or(if dims == 1 { 40 } else { 60 });
    ensure!(duels > 0, "--duels must be at least 1");
    let prior = options.prior.prior();
    println!(
        "{dims}-D, {candidates}, {} listeners of range {}, lapses {}; kernel {}, lengthscale {}, sd {}, {}",
        options.runs,
        options.range,
        options.lapse,
        prior.family,
        prior.lengthscale,
        prior.sd,
        if prior.learn { "learned on the way" } else { "fixed" }
    );
    println!(
        "for good: duels until the regret stays at most 5 %, median (quartiles); fail: more than 5 % after {duels}\n"
    );
    let marks: Vec<usize> = [10, 20, 40, 60].into_iter().filter(|&m| m < duels).chain([duels]).collect();
    let heads: String = marks.iter().map(|m| format!("{:>9}", format!("at {m}"))).collect();
    println!("{:<34} {:>16} {heads}   fail", "", "for good");
    for strategy in STRATEGIES.iter().filter(|s| s.name().contains(&options.only)) {
        let runs = runs(strategy, &candidates, dims, duels, &prior, options)?;
        println!("{}", row(strategy, &runs, &marks));
    }
    println!();
    Ok(())
}

/// The regret after each duel, one run a row.
fn runs(
    strategy: &Strategy,
    candidates: &Candidates,
    dims: usize,
    duels: usize,
    prior: &Prior,
    options: &Options,
) -> Result<Vec<Vec<f64>>> {
    let bar = ProgressBar::new(options.runs)
        .with_style(ProgressStyle::with_template("{bar:30} {pos}/{len} {msg}")?);
    bar.set_message(strategy.name());
    let one = |run: u64| {
        let mut listener = Listener::draw(dims, options.range, options.lapse, options.seed + run);
        let regrets = strategy.run(candidates, &mut listener, duels, prior, options.seed + run);
        bar.inc(1);
        regrets
    };
    let all = (0..options.runs).into_par_iter().map(one).collect();
    bar.finish_and_clear();
    all
}

fn row(strategy: &Strategy, runs: &[Vec<f64>], marks: &[usize]) -> String {
    let duels = runs[0].len();
    let mut good: Vec<usize> = runs.iter().map(|r| good_from(r)).collect();
    good.sort_unstable();
    let quantile = |q: f64| good[((good.len() - 1) as f64 * q).round() as usize];
    let shown = |n: usize| if n > duels { format!(">{duels}") } else { n.to_string() };
    let for_good = format!("{} ({}-{})", shown(quantile(0.5)), shown(quantile(0.25)), shown(quantile(0.75)));
    let regrets: String = marks
        .iter()
        .map(|&m| format!("{:>9.4}", runs.iter().map(|r| r[m - 1]).sum::<f64>() / runs.len() as f64))
        .collect();
    let failures = good.iter().filter(|&&n| n > duels).count() as f64 / runs.len() as f64;
    format!("{:<34} {for_good:>16} {regrets}   {failures:.2}", strategy.name())
}

/// The first duel from which the regret stays good, one past the last if it does not.
fn good_from(regrets: &[f64]) -> usize {
    regrets.iter().rposition(|&r| r > GOOD).map_or(1, |last_bad| last_bad + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lucky_hit_does_not_count() {
        assert_eq!(good_from(&[0.01, 0.2, 0.04, 0.03]), 3);
        assert_eq!(good_from(&[0.01, 0.02]), 1);
        assert_eq!(good_from(&[0.01, 0.2]), 3);
    }

    #[test]
    fn a_listener_s_utility_has_the_asked_range_and_its_best_setting_no_regret() {
        for dims in [1, 2, 4] {
            let listener = Listener::draw(dims, 4.0, 0.0, 7);
            let candidates = Candidates::new(dims, false).unwrap();
            let regrets: Vec<f64> = candidates.spread(500).iter().map(|x| listener.regret(x)).collect();
            // The range is that over a fine set of settings, so another setting may be a little outside.
            assert!(regrets.iter().all(|r| (-0.02..=1.02).contains(r)), "{regrets:?}");
        }
    }

    #[test]
    fn a_run_with_the_default_policy_finds_a_good_setting() {
        let candidates = Candidates::new(1, false).unwrap();
        let regrets = (0..4).map(|seed| {
            let mut listener = Listener::draw(1, 4.0, 0.0, seed);
            let run = STRATEGIES[0].run(&candidates, &mut listener, 25, &Prior::default(), seed).unwrap();
            run[24]
        });
        assert!(regrets.sum::<f64>() / 4.0 < GOOD);
    }
}
