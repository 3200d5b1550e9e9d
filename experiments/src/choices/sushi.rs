//! Rankings of ten kinds of sushi: seven of them are ranked, and the pairs with the other three predicted.

use std::path::Path;

use anyhow::{Context, Result};
use rather::answers::Answer;
use rather::evaluate::Calibration;
use rather::many::Kind;
use rather_numerics::random::{stream, uniform};

use super::{fit, named, predicted, scores};

const KINDS: usize = 10;
const RANKED: usize = 7;
/// A noise that is next to none. Everybody ranks once, so that noise and taste are not told apart by these answers; and the pairs that are held out are of the same
/// ranking, whose noise is what people like at that moment.
const WITHIN: [(&str, f64); 2] = [("noise", 0.05), ("variance", 1.0)];

pub(super) fn run(data: &Path, people: usize) -> Result<()> {
    let rankings = read(&data.join("sushi/rankings_a.csv"), people)?;
    let mut rng = stream(2, 0);
    let (mut jointly, mut as_pairs, mut held_out) = (Vec::new(), Vec::new(), Vec::new());
    for (user, ranking) in rankings.iter().enumerate() {
        let mut hidden = Vec::new();
        while hidden.len() < KINDS - RANKED {
            let place = (uniform(&mut rng) * KINDS as f64) as usize;
            if !hidden.contains(&place) {
                hidden.push(place);
            }
        }
        let known: Vec<usize> = (0..KINDS).filter(|k| !hidden.contains(k)).map(|k| ranking[k]).collect();
        jointly.push(Answer::ordered(&known, RANKED - 1, 0)?.by(user));
        for a in 0..KINDS {
            for b in a + 1..KINDS {
                let pair = Answer::rather(ranking[a], ranking[b]).by(user);
                let is_hidden = hidden.contains(&a) || hidden.contains(&b);
                if is_hidden { held_out.push(pair) } else { as_pairs.push(pair) }
            }
        }
    }
    println!("sushi: {people} people, rankings of {RANKED} of {KINDS}, {} held-out pairs", held_out.len());
    let ways = [
        ("jointly, noise within the ranking", &jointly, &WITHIN[..]),
        ("jointly, noise of a new answer", &jointly, &[]),
        ("as independent pairs", &as_pairs, &[]),
    ];
    for (name, answers, fixed) in ways {
        for kind in [Kind::Hierarchical, Kind::Collaborative] {
            let (model, seconds) = fit(kind, ("white", fixed), (&named(KINDS), &named(people)), answers)?;
            let tested = predicted(&model, &held_out)?;
            let (loss, _) = scores(&tested);
            let calibration = Calibration::default_bins(&tested);
            println!(
                "{name}, {}: log loss {loss:.4}, calibration error {:.4}, {seconds:.1} CPU s",
                kind.name(),
                calibration.error()
            );
            for bin in calibration.bins {
                let (Some(predicted), Some(observed)) = (bin.predicted, bin.observed) else { continue };
                println!(
                    "  {:.1} to {:.1}: predicted {predicted:.3}, observed {observed:.3}, {} pairs",
                    bin.from, bin.to, bin.count
                );
            }
        }
    }
    Ok(())
}

/// Rankings, the best item first.
fn read(path: &Path, people: usize) -> Result<Vec<Vec<usize>>> {
    let mut reader = csv::Reader::from_path(path).with_context(|| path.display().to_string())?;
    let header = reader.headers()?.clone();
    let first = header.iter().position(|name| name == "rank_1").context("no column rank_1")?;
    let mut out = Vec::new();
    for row in reader.records().take(people) {
        let row = row?;
        out.push((0..KINDS).map(|k| row[first + k].parse()).collect::<Result<_, _>>()?);
    }
    Ok(out)
}
