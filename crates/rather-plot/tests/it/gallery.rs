//! One of each figure, from data made up by formulas: the same on every machine.

use crate::recursive;
use rather_plot::{
    Acquisition, Along, Bin, Career, Careers, Choice, ChoiceMap, ChoiceMatrix, Duel, Error, Figure,
    LearningCurve, Look, Map, MapItem, Mark, RankedItem, Ranking, Reliability, Series, Surface, Utility,
};

/// Names that are hard to draw.
const HARD: [&str; 6] = [
    "<b>Assam & \"Co\"</b>",
    "a name that is much too long to stand beside anything in a figure of ordinary width, whatever one does",
    "tea 🍵 with 'quotes'",
    "茶",
    "Šípkový čaj",
    "",
];

fn name(i: usize) -> String {
    HARD.get(i).map_or_else(|| format!("item {}", i + 1), |hard| (*hard).to_owned())
}

fn steps(low: f64, high: f64, n: usize) -> Vec<f64> {
    (0..n).map(|i| low + (high - low) * i as f64 / (n - 1) as f64).collect()
}

/// Something between 0 and 1 that looks random.
fn jumble(i: usize) -> f64 {
    (i * 7919 % 1009) as f64 / 1009.0
}

fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

pub(crate) fn utility(duels: usize) -> Utility {
    let x = steps(2.0, 20.0, 61);
    let duel = |i| {
        let (a, b) = (2.0 + 18.0 * jumble(i + 1), 2.0 + 18.0 * jumble(3 * i + 17));
        let better = (a - 12.0).abs() < (b - 12.0).abs();
        let (winner, loser) = if better { (a, b) } else { (b, a) };
        Duel { winner, loser, count: 1.0 + (i % 3) as f64 }
    };
    Utility {
        feature: "price (€ per 100 g)".into(),
        utility: "utility (in item-noise sd)".into(),
        mean: x.iter().map(|x| 1.5 - 0.03 * (x - 12.0).powi(2)).collect(),
        sd: x.iter().map(|x| 0.2 + 0.01 * (x - 11.0).abs()).collect(),
        along: Along::Numbers(x),
        duels: (0..duels).map(duel).collect(),
        held: "Others at their mean or most common value (kind: black, minutes: 3.2).".into(),
    }
}

pub(crate) fn acquisition() -> Acquisition {
    let x = steps(-40.0, 0.0, 81);
    Acquisition {
        feature: "floor (dB)".into(),
        score: "gain (bits)".into(),
        scores: x.iter().map(|x| 0.2 * (x / 6.0).sin().powi(2) * (1.0 + x / 80.0)).collect(),
        along: Along::Numbers(x),
        asked: Some(-9.25),
        against: Some(-18.0),
        held: String::new(),
    }
}

pub(crate) fn levels() -> Utility {
    Utility {
        feature: "kind".into(),
        along: Along::Levels(
            ["black", "green", "herbal <blend>", "oolong", "white"].map(Into::into).to_vec(),
        ),
        mean: vec![0.4, 1.2, -1.0, 0.9, 0.1],
        sd: vec![0.2, 0.3, 0.4, 0.25, 0.6],
        duels: vec![
            Duel { winner: 1.0, loser: 0.0, count: 6.0 },
            Duel { winner: 0.0, loser: 2.0, count: 2.0 },
            Duel { winner: 3.0, loser: 2.0, count: 4.0 },
            Duel { winner: 3.0, loser: 3.0, count: 1.0 },
            Duel { winner: 1.0, loser: 4.0, count: 1.0 },
        ],
        held: String::new(),
        utility: "utility".into(),
    }
}

pub(crate) fn map(items: usize) -> Map {
    let (x, y) = (steps(0.0, 10.0, 41), steps(-1.0, 1.0, 41));
    let at =
        |f: fn(f64, f64) -> f64| y.iter().flat_map(|&y| x.iter().map(move |&x| f(x, y))).collect::<Vec<_>>();
    Map {
        x_name: "price (€)".into(),
        y_name: "strength".into(),
        mean: at(|x, y| 2.0 * (-((x - 6.0) / 3.0).powi(2) - (y - 0.2).powi(2)).exp() - 0.7),
        sd: at(|x, y| 0.3 + 0.05 * ((x - 5.0).powi(2) + 10.0 * y * y).sqrt()),
        items: (0..items)
            .map(|i| MapItem {
                name: name(i),
                x: 0.5 + 9.0 * jumble(i + 3),
                y: -0.9 + 1.8 * jumble(5 * i + 11),
                compared: i % 5 != 4,
            })
            .collect(),
        note: "Utility in item-noise sd; 0 is the average of the compared items.".into(),
        x,
        y,
    }
}

pub(crate) fn surface() -> Surface {
    let x: Vec<f64> = steps(-3.0, 3.0, 41).into_iter().map(f64::exp).collect();
    let y: Vec<f64> = steps(-4.0, 4.0, 41).into_iter().map(f64::exp).collect();
    let value =
        |x: f64, y: f64| -210.0 - 8.0 * (x.ln() + 0.4 * y.ln() - 0.5).powi(2) - 2.0 * (y.ln() - 1.0).powi(2);
    let fails = |x: f64, y: f64| x > 15.0 && y > 40.0;
    let log_evidence =
        y.iter().flat_map(|&y| x.iter().map(move |&x| (!fails(x, y)).then(|| value(x, y)))).collect();
    Surface {
        x_name: "lengthscale (in standard deviations of the features)".into(),
        y_name: "variance (in squared units of utility)".into(),
        logarithmic: true,
        x,
        y,
        log_evidence,
        marks: vec![Mark { name: "learned".into(), x: 1.3, y: 3.0 }],
        note: "What was learned also weighs the weak priors.".into(),
    }
}

pub(crate) fn choices(n: usize) -> ChoiceMatrix {
    let p = |i: usize, j: usize| logistic((j as f64 - i as f64) * 8.0 / (n as f64 + 4.0));
    ChoiceMatrix {
        names: (0..n).map(name).collect(),
        probabilities: (0..n * n).map(|k| p(k / n, k % n)).collect(),
        made: (0..2 * n)
            .map(|k| Choice { winner: k * 31 % n, loser: (k * 17 + 3) % n })
            .filter(|c| c.winner != c.loser)
            .collect(),
        left_out: if n > 20 { 112 } else { 0 },
    }
}

pub(crate) fn choice_map() -> ChoiceMap {
    let values = steps(0.0, 10.0, 41);
    let utility = |x: f64| (x - 2.0) * (8.0 - x) * 0.2;
    let probabilities = values
        .iter()
        .flat_map(|&a| values.iter().map(move |&b| (a, b)))
        .map(|(a, b)| logistic(utility(a) - utility(b)))
        .collect();
    let duels = utility_duels();
    ChoiceMap { feature: "price (€)".into(), values, probabilities, duels, held: String::new() }
}

fn utility_duels() -> Vec<Duel> {
    (0..25)
        .map(|i| Duel { winner: 3.0 + 5.0 * jumble(i + 2), loser: 10.0 * jumble(9 * i + 5), count: 1.0 })
        .collect()
}

pub(crate) fn ranking(n: usize) -> Ranking {
    let item = |i: usize| RankedItem {
        name: name(i),
        mean: 2.0 - 4.0 * (i as f64 + 0.5) / n as f64,
        sd: 0.3 + 0.4 * jumble(i),
        compared: i % 4 != 3,
    };
    Ranking {
        items: (0..n).map(item).collect(),
        left_out: if n > 50 { 140 } else { 0 },
        zero: None,
        utility: "utility (in item-noise sd)".into(),
    }
}

pub(crate) fn learning_curve(n: usize) -> LearningCurve {
    let x = [50.0, 100.0, 200.0, 300.0, 500.0, 700.0, 1000.0];
    let series = |i: usize| Series {
        name: ["EP, squared exponential", "Laplace", "linear kernel", "without features", "random order"][i]
            .into(),
        x: x.to_vec(),
        mean: x.iter().map(|x: &f64| 0.09 + 0.01 * i as f64 + 2.0 / (x + 20.0 * i as f64)).collect(),
        standard_error: x.iter().map(|x| 0.03 / x.sqrt() * (1.0 + i as f64)).collect(),
    };
    LearningCurve {
        title: "Boston housing: error against the number of labels".into(),
        x_name: "comparisons".into(),
        y_name: "share of wrong predictions".into(),
        logarithmic: n > 3,
        series: (0..n).map(series).collect(),
        note: "20 repeats.".into(),
    }
}

pub(crate) fn careers(n: usize) -> Careers {
    let career = |i: usize| {
        let begins = 12_000.0 + 700.0 * i as f64;
        let times: Vec<f64> = (0..40).map(|k| begins + (18_500.0 - begins) * f64::from(k) / 39.0).collect();
        let years = |t: f64| (t - begins) / 365.25;
        Career {
            name: ["Ann", "Bob", "Cleopatra", "Dan", "Eve", "Fay", "Gil", "Hal", "Ida", "Jo"][i].into(),
            mean: times.iter().map(|&t| 1.5 - 0.15 * i as f64 + (years(t) / 3.0 + i as f64).sin()).collect(),
            sd: times.iter().map(|&t| 0.15 + 0.03 * (years(t) - 6.0).abs()).collect(),
            times,
        }
    };
    Careers {
        time: "date".into(),
        dates: true,
        utility: "utility (in item-noise sd)".into(),
        careers: (0..n).map(career).collect(),
        note: String::new(),
    }
}

pub(crate) fn reliability() -> Reliability {
    let bin = |i: usize| {
        let low = i as f64 / 10.0;
        let (predicted, count) = (low + 0.02 + 0.06 * jumble(i + 4), 60.0 - 10.0 * (i as f64 - 3.0).abs());
        let observed = 0.5 + 0.85 * (predicted - 0.5) + 0.1 * (jumble(7 * i + 2) - 0.5);
        Bin { low, high: low + 0.1, predicted, observed, count }
    };
    Reliability {
        bins: (0..9).map(bin).filter(|b| b.count > 0.0).collect(),
        note: "Tested on later.csv.".into(),
    }
}

/// All of them, by name.
pub(crate) fn all() -> Vec<(&'static str, Result<Figure, Error>)> {
    let look = Look::default();
    let narrow = Look { width: Some(420.0), title: Some("A <title> & more 🍵".into()), ..Look::default() };
    vec![
        ("utility", utility(40).draw(&look)),
        ("utility-many", utility(400).draw(&look)),
        ("utility-levels", levels().draw(&look)),
        ("utility-narrow", utility(12).draw(&narrow)),
        ("acquisition", acquisition().draw(&look)),
        ("map", map(9).draw(&look)),
        ("map-60", map(60).draw(&look)),
        ("factor-graph", recursive::factor_graph(3).draw(&look)),
        ("regression", recursive::regression().draw(&look)),
        ("classification", recursive::classification().draw(&look)),
        ("evidence", surface().draw(&look)),
        ("choices-3", choices(3).draw(&look)),
        ("choices", choices(10).draw(&look)),
        ("choices-60", choices(60).draw(&look)),
        ("choice-map", choice_map().draw(&look)),
        ("ranking-3", ranking(3).draw(&look)),
        ("ranking-60", ranking(60).draw(&look)),
        ("learning-curve", learning_curve(2).draw(&look)),
        ("learning-curve-5", learning_curve(5).draw(&look)),
        ("careers", careers(3).draw(&look)),
        ("careers-10", careers(10).draw(&look)),
        ("reliability", reliability().draw(&look)),
    ]
}
