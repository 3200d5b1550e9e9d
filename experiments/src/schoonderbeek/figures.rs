//! The thesis' figures 7, 9, 14, and the plots of 15.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use rather::points::Points;
use rather::streaming::{Settings, StreamingModel};
use rather_numerics::random::{normal, stream, uniform};
use rather_numerics::special::normal::cdf;
use rather_plot::{
    Along, ChoiceMap, Classification, Duel, Example, Figure, LearningCurve, Look, Regression, Series, Utility,
};

use super::listener::Listener;
use super::rules::{Belief, Rule, bald, best};
use super::world::{draw, grid, scattered, se};

/// Points along a side of the maps.
const SIDE: usize = 61;

pub(super) fn save(folder: &Path, name: &str, figure: &Figure) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("could not make {}", folder.display()))?;
    let path = folder.join(name);
    fs::write(&path, figure.as_svg()).with_context(|| format!("could not write {}", path.display()))?;
    println!("{}", path.display());
    Ok(())
}

pub(super) fn draw_all(folder: &Path, seed: u64) -> Result<()> {
    save(folder, "figure-07.svg", &prediction(seed)?.draw(&Look::default())?)?;
    save(folder, "figure-09.svg", &classification(seed)?.draw(&Look::default())?)?;
    save(folder, "figure-14.svg", &choices(seed)?.draw(&Look::default())?)?;
    let session = Session::run(seed, 14)?;
    save(folder, "figure-15-preference.svg", &session.preference()?.draw(&Look::default())?)?;
    save(folder, "figure-15-active-learning.svg", &session.scores().draw(&Look::default())?)?;
    save(folder, "figure-15-choices.svg", &session.choices().draw(&Look::default())?)
}

fn side() -> Vec<f64> {
    (0..SIDE).map(|i| i as f64 / (SIDE - 1) as f64).collect()
}

/// Figure 7: six noisy samples of a curve, and what a Gaussian process makes of them.
fn prediction(seed: u64) -> Result<Regression> {
    let rng = &mut stream(seed, 7);
    let (kernel, x) = (se(1, 1.0, 0.18), grid(1, 201));
    let truth = draw(&kernel, &x, rng);
    let mut model = StreamingModel::new(kernel, grid(1, 12), Settings::default())?;
    let mut samples = Vec::new();
    for k in 0..6 {
        let i = 10 + 32 * k + (16.0 * uniform(rng)) as usize;
        let y = truth[i] + 0.1 * normal(rng);
        model.measure(&x, i, y, 0.1)?;
        samples.push((x.row(i)[0], y));
    }
    let found = model.utilities(&x);
    Ok(Regression {
        title: "Schoonderbeek, Figure 7: a function from six noisy samples".into(),
        x_name: "x".into(),
        y_name: "f(x)".into(),
        x: (0..x.len()).map(|i| x.row(i)[0]).collect(),
        sd: found.variance.iter().map(|v| v.sqrt()).collect(),
        mean: found.mean,
        band: 1.0,
        truth,
        samples,
        note:
            "Recursive regression on 12 basis points, one sample at a time; noise of standard deviation 0.1."
                .into(),
    })
}

/// Figure 9: two classes over two inputs.
fn classification(seed: u64) -> Result<Classification> {
    let rng = &mut stream(seed, 9);
    let items = scattered(2, 80, rng);
    let mut model = StreamingModel::new(se(2, 4.0, 0.3), grid(2, 7), Settings::default())?;
    let mut examples = Vec::new();
    for i in 0..items.len() {
        let &[x, y] = items.row(i) else { continue };
        // Inside a ring around (0.45, 0.5), with some noise.
        let latent = 3.0 - 9.0 * (2.2 * ((x - 0.45).powi(2) + (y - 0.5).powi(2)).sqrt());
        let positive = uniform(rng) < cdf(latent + 1.0);
        model.label(&items, i, positive)?;
        examples.push(Example { x, y, positive });
    }
    model.refine(5);
    let map = grid(2, SIDE);
    Ok(Classification {
        title: "Schoonderbeek, Figure 9: which class an experiment is of".into(),
        x_name: "θ1".into(),
        y_name: "θ2".into(),
        class: "the class inside".into(),
        other: "the class outside".into(),
        x: side(),
        y: side(),
        probabilities: model.label_probabilities(&map),
        examples,
        note: "Recursive classification on 49 basis points, five revisits; 80 labels.".into(),
    })
}

/// `P(values[j] preferred to values[i])` at `j * n + i`.
fn choice_map(model: &StreamingModel, values: &[f64]) -> Vec<f64> {
    let points = Points::new((0..values.len() as u64).collect(), 1, values.to_vec());
    let n = values.len();
    let pairs: Vec<(usize, usize)> = (0..n * n).map(|k| (k / n, k % n)).collect();
    model.probabilities(&points, &pairs)
}

/// Figure 14: the probability of every choice between two settings, from comparisons of some.
fn choices(seed: u64) -> Result<ChoiceMap> {
    let rng = &mut stream(seed, 14);
    let items = scattered(1, 60, rng);
    let taste = |x: f64| 3.0 * (-(x - 0.35).powi(2) / 0.04).exp() + 1.2 * x;
    let mut model = StreamingModel::new(se(1, 4.0, 0.2), grid(1, 9), Settings::default())?;
    let mut duels = Vec::new();
    for m in 0..30 {
        let (a, b) = (2 * m, 2 * m + 1);
        let [xa, xb] = [a, b].map(|i| items.row(i)[0]);
        let (winner, loser) = if uniform(rng) < cdf(taste(xa) - taste(xb)) { (a, b) } else { (b, a) };
        model.answer(&items, winner, loser)?;
        duels.push(Duel { winner: items.row(winner)[0], loser: items.row(loser)[0], count: 1.0 });
    }
    model.refine(5);
    Ok(ChoiceMap {
        feature: "θ".into(),
        values: side(),
        probabilities: choice_map(&model, &side()),
        duels,
        held:
            "Schoonderbeek, Figure 14: anti-symmetric about the diagonal, as the preference kernel makes it."
                .into(),
    })
}

/// Figure 15: a session of tuning with a simulated listener, winner stays, BALD challenger.
struct Session {
    model: StreamingModel,
    listener: Listener,
    duels: Vec<Duel>,
    winner: usize,
}

impl Session {
    fn run(seed: u64, duels: usize) -> Result<Self> {
        let rng = &mut stream(seed, 15);
        let listener = Listener::draw(1, 4.0, 0.0, rng);
        let kernel = se(1, 4.0, 0.25);
        let model = StreamingModel::new(kernel.clone(), grid(1, 8), Settings::default())?;
        let mut session = Self { model, listener, duels: Vec::new(), winner: 0 };
        for n in 0..duels {
            let (mean, covariance) = session.belief();
            let candidates = &session.listener.candidates;
            let belief =
                Belief { mean: &mean, covariance: &covariance, candidates, kernel: &kernel, heard: &[] };
            let rule = if n == 0 { Rule::RandomPair } else { Rule::Bald };
            let (a, b) = rule.next(&belief, session.winner, rng);
            let (won, lost) = if session.listener.prefers(a, b, rng) { (a, b) } else { (b, a) };
            session.model.answer(candidates, won, lost)?;
            let [winner, loser] = [won, lost].map(|i| candidates.row(i)[0]);
            session.duels.push(Duel { winner, loser, count: 1.0 });
            session.winner = won;
        }
        session.model.refine(3);
        Ok(session)
    }

    fn belief(&self) -> (Vec<f64>, rather_numerics::linalg::Matrix) {
        let candidates = &self.listener.candidates;
        (self.model.utilities(candidates).mean, self.model.covariance(candidates))
    }

    fn values(&self) -> Vec<f64> {
        (0..self.listener.candidates.len()).map(|i| self.listener.candidates.row(i)[0]).collect()
    }

    fn preference(&self) -> Result<Utility> {
        let candidates = &self.listener.candidates;
        let found = self.model.relative_utilities(candidates, candidates);
        let recommended = candidates.row(best(found.mean.iter().copied()))[0];
        let truth = candidates.row(best(self.listener.utility.iter().copied()))[0];
        Ok(Utility {
            feature: "setting".into(),
            utility: "utility (noise sd of a comparison)".into(),
            along: Along::Numbers(self.values()),
            mean: found.mean,
            sd: found.variance.iter().map(|v| v.sqrt()).collect(),
            duels: self.duels.clone(),
            held: format!(
                "Schoonderbeek, Figure 15: the preference function after {} duels; best {recommended:.2}, in truth {truth:.2}.",
                self.duels.len()
            ),
        })
    }

    /// What the next challenger is chosen by, and what the thesis' equation 31 would choose by.
    fn scores(&self) -> LearningCurve {
        let candidates = &self.listener.candidates;
        let contrast = self.model.contrasts(candidates, self.winner);
        let absolute = self.model.utilities(candidates);
        let scaled = |scores: Vec<f64>| {
            let (low, high) = scores.iter().fold((f64::MAX, f64::MIN), |(l, h), &s| (l.min(s), h.max(s)));
            scores.iter().map(|s| (s - low) / (high - low).max(1e-300)).collect()
        };
        let n = candidates.len();
        let information = (0..n).map(|i| bald(contrast.mean[i], contrast.variance[i])).collect();
        let printed = (0..n).map(|i| absolute.mean[i] + absolute.variance[i]).collect();
        let series = |name: &str, scores: Vec<f64>| Series {
            name: name.into(),
            x: self.values(),
            mean: scaled(scores),
            ..Series::default()
        };
        LearningCurve {
            title: "Schoonderbeek, Figure 15: which setting to play against the winner".into(),
            x_name: "setting".into(),
            y_name: "score, scaled to [0, 1]".into(),
            series: vec![series("information (BALD)", information), series("equation 31", printed)],
            note: "Equation 31 adds the variance of the utility itself, which is mostly its unknown level."
                .into(),
            ..LearningCurve::default()
        }
    }

    fn choices(&self) -> ChoiceMap {
        ChoiceMap {
            feature: "setting".into(),
            values: side(),
            probabilities: choice_map(&self.model, &side()),
            duels: self.duels.clone(),
            held: "Schoonderbeek, Figure 15.".into(),
        }
    }
}
