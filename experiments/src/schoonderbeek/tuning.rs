//! How many duels until the best setting is found, by rule, by listener, by the inference inside the loop.

use anyhow::Result;
use rand_chacha::ChaCha8Rng;
use rather::points::Points;
use rather::streaming::{Basis, Settings, StreamingModel};
use rather_numerics::linalg::Matrix;
use rather_numerics::random::stream;
use rayon::prelude::*;

use super::Options;
use super::as_printed::{Recursion, Variant};
use super::listener::Listener;
use super::rules::{Belief, Incumbent, Rule, best};
use super::world::{grid, mean, quantile, se};

pub(super) const LENGTHSCALE: f64 = 0.25;
pub(super) const VARIANCE: f64 = 4.0;
/// The recommendation is good within this share of the range.
pub(super) const GOOD: f64 = 0.05;
const RANGE: f64 = 4.0;

/// The inference inside the loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Inside {
    /// A basis dense enough to be out of sight, and revisits after every answer.
    Revisits,
    /// One pass on a grid of so many points a side.
    OnePass(usize),
    /// The recursion as printed, on a grid of so many points a side.
    AsPrinted(usize),
}

/// A model in the loop.
enum Learner {
    Streaming(Box<StreamingModel>, usize),
    Printed(Box<Recursion>),
}

impl Learner {
    fn new(dims: usize, inside: Inside) -> Result<Self> {
        let kernel = se(dims, VARIANCE, LENGTHSCALE);
        let streaming = |side: usize, sweeps: usize| -> Result<Self> {
            let model = StreamingModel::new(kernel.clone(), grid(dims, side), Settings::default())?;
            Ok(Self::Streaming(Box::new(model), sweeps))
        };
        match inside {
            Inside::Revisits => streaming(dense(dims), 3),
            Inside::OnePass(side) => streaming(side, 0),
            Inside::AsPrinted(side) => {
                let basis = Basis::new(kernel, grid(dims, side))?;
                Ok(Self::Printed(Box::new(Recursion::new(basis, Variant::AsPrinted))))
            }
        }
    }

    fn answer(&mut self, items: &Points, winner: usize, loser: usize) -> Result<()> {
        match self {
            Self::Streaming(model, sweeps) => {
                model.answer(items, winner, loser)?;
                model.refine(*sweeps);
            }
            Self::Printed(recursion) => recursion.answer(items, winner, loser),
        }
        Ok(())
    }

    fn belief(&self, candidates: &Points) -> (Vec<f64>, Matrix) {
        match self {
            Self::Streaming(model, _) => (model.utilities(candidates).mean, model.covariance(candidates)),
            Self::Printed(recursion) => recursion.utilities(candidates),
        }
    }
}

/// Points a side of a basis that is out of sight: 0.4 lengthscales apart.
pub(super) fn dense(dims: usize) -> usize {
    if dims == 1 { 21 } else { 10 }
}

/// One way of tuning.
#[derive(Clone, Copy)]
pub(super) struct Way {
    rule: Rule,
    incumbent: Incumbent,
    inside: Inside,
}

impl Way {
    /// The thesis' protocol: the winner of a duel is in the next one.
    pub(super) fn winner_stays(rule: Rule, inside: Inside) -> Self {
        Self { rule, incumbent: Incumbent::Winner, inside }
    }
}

/// The regret of the recommendation after every duel.
fn tune(dims: usize, budget: usize, way: Way, listener: &Listener, rng: &mut ChaCha8Rng) -> Result<Vec<f64>> {
    let kernel = se(dims, VARIANCE, LENGTHSCALE);
    let mut learner = Learner::new(dims, way.inside)?;
    let (mut mean, mut covariance) = learner.belief(&listener.candidates);
    let (mut heard, mut regrets) = (Vec::new(), Vec::with_capacity(budget));
    let mut winner = 0;
    for duel in 0..budget {
        let belief = Belief {
            mean: &mean,
            covariance: &covariance,
            candidates: &listener.candidates,
            kernel: &kernel,
            heard: &heard,
        };
        let incumbent = match way.incumbent {
            Incumbent::Winner => winner,
            Incumbent::Best => best(mean.iter().copied()),
        };
        let rule = if duel == 0 { Rule::RandomPair } else { way.rule };
        let (a, b) = rule.next(&belief, incumbent, rng);
        let (won, lost) = if listener.prefers(a, b, rng) { (a, b) } else { (b, a) };
        winner = won;
        heard.extend([a, b]);
        learner.answer(&listener.candidates, won, lost)?;
        (mean, covariance) = learner.belief(&listener.candidates);
        regrets.push(listener.regret(best(mean.iter().copied())));
    }
    Ok(regrets)
}

/// The first duel from which the recommendation stays good; infinite if it is not at the end.
fn for_good(regrets: &[f64]) -> f64 {
    match regrets.iter().rposition(|&r| r > GOOD) {
        None => 1.0,
        Some(last) if last + 1 == regrets.len() => f64::INFINITY,
        Some(last) => last as f64 + 2.0,
    }
}

/// Quartiles of "for good", regret halfway, share of failures.
pub(super) struct Summary {
    budget: usize,
    quartiles: [f64; 3],
    regret: f64,
    fail: f64,
}

impl Summary {
    fn duels(&self) -> String {
        let duels = |x: f64| if x.is_finite() { format!("{x:.0}") } else { format!(">{}", self.budget) };
        let [low, middle, high] = self.quartiles.map(duels);
        format!("{middle} ({low}-{high})")
    }

    /// Without the regret.
    pub(super) fn short(&self) -> String {
        format!("{}, {:.2}", self.duels(), self.fail)
    }

    fn long(&self) -> String {
        format!("{}, {:.3}, {:.2}", self.duels(), self.regret, self.fail)
    }
}

/// Tunes once for every run, by the listener of its seed.
pub(super) fn summary(
    options: &Options,
    way: Way,
    listener: impl Fn(u64) -> Listener + Sync,
) -> Result<Summary> {
    let runs: Vec<(usize, Vec<f64>)> = (0..options.runs)
        .into_par_iter()
        .map(|run| {
            let seed = options.seed + run;
            let listener = listener(seed);
            let dims = listener.candidates.dims();
            let budget = if dims == 1 { 40 } else { 60 };
            Ok((budget, tune(dims, budget, way, &listener, &mut stream(seed, 2))?))
        })
        .collect::<Result<_>>()?;
    let settled: Vec<f64> = runs.iter().map(|(_, r)| for_good(r)).collect();
    Ok(Summary {
        budget: runs.first().map_or(0, |r| r.0),
        quartiles: [0.25, 0.5, 0.75].map(|q| quantile(&settled, q)),
        regret: mean(&runs.iter().map(|(budget, r)| r[budget / 2 - 1]).collect::<Vec<_>>()),
        fail: settled.iter().filter(|s| s.is_infinite()).count() as f64 / settled.len().max(1) as f64,
    })
}

struct Bench<'a> {
    options: &'a Options,
    dims: usize,
    range: f64,
    lapse: f64,
}

impl Bench<'_> {
    /// The same listeners for every rule.
    fn cell(&self, way: Way, reference: &str) -> Result<String> {
        let draw = |seed| Listener::draw(self.dims, self.range, self.lapse, &mut stream(seed, 1));
        Ok(format!("{}  [{reference}]", summary(self.options, way, draw)?.long()))
    }
}

/// The rules of the table, with the reference's rows for one and two dimensions.
const RULES: [(&str, Rule, Incumbent, &str, &str); 20] = [
    ("random pair", Rule::RandomPair, Incumbent::Winner, "12 (6-32), .036, .14", "54 (33->60), .094, .46"),
    ("random challenger", Rule::Random, Incumbent::Winner, "11 (6-23), .042, .04", "50 (30->60), .112, .34"),
    ("Eq 31, alpha 0.5", Rule::Printed(0.5), Incumbent::Winner, "35 (16->40), .163, .44", ">60, .339, .76"),
    ("Eq 31, alpha 1", Rule::Printed(1.0), Incumbent::Winner, "25 (4->40), .122, .34", ">60, .280, .62"),
    (
        "Eq 31, alpha 2",
        Rule::Printed(2.0),
        Incumbent::Winner,
        "17 (4->40), .101, .38",
        "40 (25->60), .141, .38",
    ),
    (
        "Eq 31, alpha 4",
        Rule::Printed(4.0),
        Incumbent::Winner,
        "15 (4->40), .090, .28",
        "49 (18->60), .060, .42",
    ),
    ("Eq 31 and 38, alpha 1", Rule::PrintedBoth(1.0), Incumbent::Winner, "13, .062, .34", ">60, .138, .56"),
    (
        "Eq 31 and 38, alpha 4",
        Rule::PrintedBoth(4.0),
        Incumbent::Winner,
        "5 (3-39), .045, .20",
        "34, .058, .30",
    ),
    ("EI, absolute sd", Rule::AbsoluteImprovement, Incumbent::Winner, "36, .163, .44", ">60, .313, .66"),
    ("EI contrast", Rule::Improvement, Incumbent::Winner, "5 (4-11), .012, .04", "55 (30->60), .131, .48"),
    (
        "EI contrast, best",
        Rule::Improvement,
        Incumbent::Best,
        "9 (4-17), .023, .08",
        "43 (24->60), .089, .36",
    ),
    ("UCB contrast, kappa 1", Rule::Ucb(1.0), Incumbent::Winner, "7 (4-17), .028, .06", "53, .167, .48"),
    (
        "UCB contrast, kappa 2",
        Rule::Ucb(2.0),
        Incumbent::Winner,
        "5 (3-8), .011, .02",
        "36 (20-55), .046, .20",
    ),
    (
        "UCB contrast, kappa 2, best",
        Rule::Ucb(2.0),
        Incumbent::Best,
        "6 (4-13), .013, .04",
        "25 (14-52), .050, .12",
    ),
    (
        "UCB contrast, kappa 3",
        Rule::Ucb(3.0),
        Incumbent::Winner,
        "5 (3-8), .008, .00",
        "28 (19-57), .044, .24",
    ),
    ("BALD challenger", Rule::Bald, Incumbent::Winner, "5 (3-8), .009, .00", "24 (17-37), .031, .06"),
    ("BALD challenger, best", Rule::Bald, Incumbent::Best, "6 (3-11), .019, .02", "32 (16-58), .048, .22"),
    ("BALD over pairs", Rule::BaldPair, Incumbent::Winner, "6 (4-10), .018, .00", "54 (41->60), .094, .42"),
    ("EUBO over pairs", Rule::EuboPair, Incumbent::Winner, "6 (4-12), .020, .10", "43 (26->60), .107, .32"),
    (
        "Thompson challenger",
        Rule::Thompson,
        Incumbent::Winner,
        "9 (4-20), .028, .06",
        "46 (26->60), .075, .28",
    ),
];

pub(super) fn print(options: &Options) -> Result<()> {
    println!(
        "Tuning by duels (thesis, sections VI and VIII): a listener's range of 4, answers probit, {} runs (reference: 50)\n\
         median (quartiles) of the duel from which the recommendation stays within 5 % of the best, mean regret halfway, \
         share not there at the end [reference]\n\
         the incumbent is the winner of the last duel unless it is \"best\": the best mean\n",
        options.runs
    );
    let bench = |dims, range, lapse| Bench { options, dims, range, lapse };
    println!("{:<30} {:<58} 2-D, 60 duels", "rule", "1-D, 40 duels");
    for (name, rule, incumbent, one, two) in RULES {
        let way = Way { rule, incumbent, inside: Inside::Revisits };
        let (a, b) = (bench(1, RANGE, 0.0).cell(way, one)?, bench(2, RANGE, 0.0).cell(way, two)?);
        println!("{name:<30} {a:<58} {b}");
    }
    println!(
        "\n{:<30} {:<58} faint preference (a range of 2)",
        "harder listeners, 1-D", "10 % of answers at random"
    );
    let harder = [
        ("BALD challenger", Rule::Bald, "8, -, .04", "11, -, .12"),
        ("UCB contrast, kappa 2", Rule::Ucb(2.0), "6, -, .02", "11, -, .10"),
        ("EI contrast", Rule::Improvement, "7, -, .06", "15, -, .18"),
        ("EUBO over pairs", Rule::EuboPair, "8, -, .12", "18, -, .30"),
        ("Eq 31, alpha 1", Rule::Printed(1.0), "18, -, .36", ">40, -, .56"),
        ("random pair", Rule::RandomPair, "16, -, .16", "25, -, .28"),
    ];
    for (name, rule, lapsing, faint) in harder {
        let way = Way { rule, incumbent: Incumbent::Winner, inside: Inside::Revisits };
        let (a, b) = (bench(1, RANGE, 0.1).cell(way, lapsing)?, bench(1, 2.0, 0.0).cell(way, faint)?);
        println!("{name:<30} {a:<58} {b}");
    }
    println!("\n{:<30} {:<58} 2-D", "inside the loop, BALD", "1-D");
    let inside = [
        ("revisits", [Inside::Revisits; 2], "5, -, .00", "24, -, .06"),
        ("one pass, a dense basis", [Inside::OnePass(21), Inside::OnePass(10)], "4, -, .00", "22, -, .10"),
        ("one pass, 6 a side", [Inside::OnePass(6); 2], "4, -, .00", "22, -, .12"),
        ("as printed, 6 a side", [Inside::AsPrinted(6); 2], "24, -, .44", ">60, -, .62"),
    ];
    for (name, inside, one, two) in inside {
        let way = |inside| Way { rule: Rule::Bald, incumbent: Incumbent::Winner, inside };
        let (a, b) = (
            bench(1, RANGE, 0.0).cell(way(inside[0]), one)?,
            bench(2, RANGE, 0.0).cell(way(inside[1]), two)?,
        );
        println!("{name:<30} {a:<58} {b}");
    }
    println!();
    Ok(())
}
