//! The thesis' loop on the noise suppressor: BUILD a duel, EXECUTE it (make both sounds), OBSERVE the answer, ADAPT the belief.

use anyhow::{Context, Result};
use rather::points::Points;
use rather::streaming::{Settings, StreamingModel};
use rather_audio::demo::{Demo, Options as Scene};
use rather_audio::level::Level;
use rather_audio::listener::{Taste, grid as settings_of};
use rather_audio::noise::Noise;
use rather_audio::setting::Setting;
use rather_numerics::random::stream;

use super::Options;
use super::listener::Listener;
use super::rules::{Belief, Rule, best};
use super::tuning::{Inside, LENGTHSCALE, VARIANCE, Way, summary};
use super::world::{grid, se};

/// Duels of the session that is shown.
const SESSION: usize = 8;
/// Basis points of its model.
const BASIS: usize = 8;

const TASTES: [(&str, Taste); 3] = [
    ("quiet, w 0.5", Taste::QUIET),
    ("both, w 0.65", Taste::BALANCED),
    ("clear speech, w 0.8", Taste::CLEAR),
];

/// Rules, and the reference's quartiles and failures for the three tastes in shaped noise at 5 dB, with another voice.
const RULES: [(&str, Rule, [&str; 3]); 5] = [
    ("BALD challenger", Rule::Bald, ["8 (3-14), .02", "4 (3-7), .00", "4 (3-7), .00"]),
    ("UCB contrast, kappa 2", Rule::Ucb(2.0), ["6 (4-11), .02", "5 (3-8), .02", "4 (3-7), .00"]),
    ("EI contrast", Rule::Improvement, ["7 (4-19), .16", "6 (3-10), .02", "4 (3-9), .02"]),
    ("Eq 31, alpha 2", Rule::Printed(2.0), ["36 (3->40), .44", "13 (3-38), .22", "15 (4->40), .30"]),
    ("random challenger", Rule::Random, ["11 (5-25), .06", "6 (3-13), .00", "9 (4-16), .08"]),
];

pub(super) fn print(options: &Options) -> Result<()> {
    println!(
        "The noise suppressor and a simulated listener (thesis, section VIII); the floor of the gain is tuned\n"
    );
    for (name, taste) in TASTES {
        session(name, taste, options.seed)?;
    }
    table(options)
}

/// The built-in voice in shaped noise at 5 dB.
fn demo(taste: Taste) -> Result<Demo> {
    Ok(Demo::with(&Scene { noise: Noise::Shaped, snr_db: 5.0, taste, ..Scene::default() })?)
}

/// A listener to a clip, with the utility of every setting of the grid: 0 to 4.
fn listener(demo: &Demo) -> Result<Listener> {
    let settings = settings_of(1)?;
    let heard = |theta: &Vec<f64>| demo.utility(theta)?.context("a scene of our own has a listener");
    let utility = settings.iter().map(heard).collect::<Result<Vec<f64>>>()?;
    Ok(Listener::of(Points::from_rows(&settings.iter().map(|t| [t[0]]).collect::<Vec<_>>()), utility))
}

/// One session, duel by duel.
fn session(name: &str, taste: Taste, seed: u64) -> Result<()> {
    let demo = demo(taste)?;
    let listener = listener(&demo)?;
    let settings = &listener.candidates;
    let floor = |i: usize| -> Result<f64> { Ok(Setting::at(settings.row(i))?.floor_db()) };
    let kernel = se(1, VARIANCE, LENGTHSCALE);
    let mut model = StreamingModel::new(kernel.clone(), grid(1, BASIS), Settings::default())?;
    let rng = &mut stream(seed, 20);
    let mut winner = 0;
    println!("{name}: the best floor is {:.0} dB", floor(best(listener.utility.iter().copied()))?);
    println!("  {:>4} {:>16} {:>9} {:>12} {:>8}", "duel", "floors, dB", "answer", "best so far", "regret");
    for duel in 0..SESSION {
        let (mean, covariance) = (model.utilities(settings).mean, model.covariance(settings));
        let belief = Belief {
            mean: &mean,
            covariance: &covariance,
            candidates: settings,
            kernel: &kernel,
            heard: &[],
        };
        // BUILD: which two settings; EXECUTE: their sounds, as a person would hear them.
        let rule = if duel == 0 { Rule::RandomPair } else { Rule::Bald };
        let (a, b) = rule.next(&belief, winner, rng);
        let sounds = demo.render_pair(settings.row(a), settings.row(b), Level::Same)?;
        anyhow::ensure!(sounds[0].len() == sounds[1].len(), "the sounds of a duel last equally long");
        // OBSERVE, ADAPT.
        let first = listener.prefers(a, b, rng);
        let (won, lost) = if first { (a, b) } else { (b, a) };
        model.answer(settings, won, lost)?;
        winner = won;
        let now = best(model.utilities(settings).mean.into_iter());
        println!(
            "  {:>4} {:>16} {:>9} {:>9.0} dB {:>8.3}",
            duel + 1,
            format!("{:.0} and {:.0}", floor(a)?, floor(b)?),
            if first { "first" } else { "second" },
            floor(now)?,
            listener.regret(now)
        );
    }
    println!();
    Ok(())
}

/// How many duels it takes.
fn table(options: &Options) -> Result<()> {
    println!(
        "Duels until the recommendation stays within 5 % of the best: median (quartiles), share not there after 40; {} runs \
         (reference: 50, another voice)\n",
        options.runs
    );
    let listeners =
        TASTES.iter().map(|(_, taste)| listener(&demo(*taste)?)).collect::<Result<Vec<Listener>>>()?;
    print!("{:<24}", "rule");
    TASTES.iter().for_each(|(name, _)| print!(" {name:<36}"));
    println!();
    for (name, rule, reference) in RULES {
        print!("{name:<24}");
        for (listener, reference) in listeners.iter().zip(reference) {
            let s = summary(options, Way::winner_stays(rule, Inside::Revisits), |_| listener.clone())?;
            print!(" {:<36}", format!("{}  [{reference}]", s.short()));
        }
        println!();
    }
    println!();
    Ok(())
}
