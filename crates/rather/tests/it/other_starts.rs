//! Maxima of the evidence that a climb from lengthscales of the range does not see.

use crate::common::schema;
use rather::evidence::Problem;
use rather::inference::observations::Observations;
use rather::inference::{Method, Settings};
use rather::kernel::parse;
use rather::learn::choice::{KernelChoice, Options, choose};
use rather::learn::{Hyperparameters, Units, maximise, restart};
use rather::points::Points;
use rather::{Comparison, Error};
use rather_numerics::lbfgs;
use rather_numerics::random::{normals, stream, uniform};
use std::f64::consts::TAU;

/// Answers about items in a square, or on a line, whose utilities are a wave in every feature besides a slope.
struct Waves<const D: usize> {
    items: usize,
    answers: usize,
    side: f64,
    period: f64,
    seed: u64,
}

impl Waves<1> {
    fn on_a_line(seed: u64, period: f64) -> Self {
        Self { items: 120, answers: 300, side: 10.0, period, seed }
    }
}

impl Waves<2> {
    fn in_a_square(seed: u64, period: f64) -> Self {
        Self { items: 200, answers: 600, side: 5.0, period, seed }
    }
}

impl<const D: usize> Waves<D> {
    fn draw(&self) -> (Vec<[f64; D]>, Vec<Comparison>) {
        let rng = &mut stream(self.seed, 0);
        let at: Vec<[f64; D]> = (0..self.items).map(|_| [(); D].map(|()| self.side * uniform(rng))).collect();
        let wave = |x: &f64| (TAU / self.period * x).sin();
        let utility = |i: usize| at[i].iter().map(wave).sum::<f64>() + 0.2 * at[i][0];
        let mut one = || {
            let [i, j] = [(); 2].map(|()| (self.items as f64 * uniform(rng)) as usize);
            let first = utility(i) - utility(j) + 0.3 * normals(1, rng)[0] > 0.0;
            let (winner, loser) = if first { (i, j) } else { (j, i) };
            (i != j).then(|| Comparison { winner, loser, count: 1_u32.into() })
        };
        let said = (0..self.answers).filter_map(|_| one()).collect();
        (at, said)
    }
}

/// Checks that what is found from other starts is as good as what is found from the truth, with and without `white`, and that the default kernel has a
/// lengthscale shorter than the wave if `auto`; for how many of the two kernels the first climb ended elsewhere.
fn hidden<const D: usize>(waves: &Waves<D>, auto: bool) -> Result<usize, Error> {
    let schema = schema(D);
    let units = [1.0; D];
    let options = Options {
        schema: &schema,
        units: Units::default(),
        fixed: &[],
        feature_units: &units,
        priors: true,
        inference: Settings::default(),
    };
    let (at, said) = waves.draw();
    let observations = Observations::new(&said);
    let points = Points::from_rows(&at).select(&observations.items);
    let problem = Problem {
        points: &points,
        observations: &observations,
        method: Method::Ep,
        space: None,
        inducing: None,
    };
    let stop = lbfgs::Stop { gradient: 5e-3, decrease: 1e-4, ..lbfgs::Stop::default() };
    let settings = &options.inference;
    let climb = |start: &Hyperparameters| maximise(&problem, start, settings, stop, None, &|| true);
    let mut hidden = 0;
    let about = format!("seed {}, period {}, {D} features", waves.seed, waves.period);
    for (expression, own) in [("se", None), ("se + white", Some(0.2))] {
        let kernel = parse(expression, &schema, false)?;
        let mut start = Hyperparameters::for_answers(kernel, &points, &observations.responses, &options)?;
        let first = climb(&start)?;
        let found = restart(&problem, first.clone(), settings, &|| true)?.objective;
        let truth: Vec<f64> = [20.0, waves.period / 5.0].into_iter().chain(own).chain([1.0]).collect();
        start.set(&truth)?;
        let expected = climb(&start)?.objective;
        // Maxima are found to 0.01 nats.
        assert!(
            found > expected - 0.01,
            "{expression}, {about}: {found} from {}, from the truth {expected}",
            first.objective
        );
        hidden += usize::from(found > first.objective + 3.0);
    }
    if auto {
        let found = choose(&problem, &KernelChoice::Auto { ard: false }, &options, &|_| ())?;
        let chosen = &found.learned.hyperparameters;
        let lengthscale = chosen.free_lengthscales().first().map(|&i| chosen.entries[i].value);
        assert!(lengthscale.is_some_and(|l| l < waves.period), "{about}: {lengthscale:?}");
    }
    Ok(hidden)
}

/// A climb from lengthscales of the range takes a wave that is much shorter for noise, or for what items have of their own, and ends tens of nats below the
/// maximum.
#[test]
fn a_short_wave_is_found_on_a_line() -> Result<(), Error> {
    let mut all = 0;
    for seed in 0..2 {
        for period in [0.3, 0.5, 0.8] {
            // A wave as short as twice the distance between items is hardly more than what they have of their own.
            all += hidden(&Waves::on_a_line(seed, period), period > 0.4)?;
        }
    }
    assert!(all > 8, "{all} of 12 were hidden");
    Ok(())
}

/// In a square so short a wave asks for more inducing items than are quicker than all.
#[test]
fn a_short_wave_is_found_in_a_square() -> Result<(), Error> {
    let all = hidden(&Waves::in_a_square(0, 1.2), false)? + hidden(&Waves::in_a_square(1, 2.0), false)?;
    assert!(all > 1, "{all} of 4 were hidden");
    Ok(())
}
