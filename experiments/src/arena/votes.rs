//! Made-up arenas: what models are worth, who votes how, and files of votes.

use anyhow::Result;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rather_numerics::random::{normal, stream, uniform};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

/// An arena; utilities are log odds.
#[derive(Debug, Clone, Copy)]
pub(super) struct Arena {
    pub(super) models: usize,
    pub(super) voters: usize,
    /// Standard deviations of what models are worth, and of what a voter thinks otherwise.
    pub(super) spread: f64,
    pub(super) taste: f64,
    /// What a logarithm more of tokens is worth, and the left side.
    pub(super) style: f64,
    pub(super) position: f64,
    /// The threshold of ties, and the quality below which both are bad.
    pub(super) tie: f64,
    pub(super) bar: f64,
    /// What the first model loses from the first day to the last.
    pub(super) drift: f64,
}

impl Arena {
    /// Independent votes with ties, and nothing else.
    pub(super) const PLAIN: Self = Self {
        models: 20,
        voters: 100_000,
        spread: 0.8,
        taste: 0.0,
        style: 0.0,
        position: 0.1,
        tie: 0.4,
        bar: f64::NEG_INFINITY,
        drift: 0.0,
    };
}

/// An arena with its models, and its votes one after another.
pub(super) struct World {
    arena: Arena,
    /// What each model is worth, and how long its answers are in logarithms.
    pub(super) worth: Vec<f64>,
    long: Vec<f64>,
    tastes: Vec<Vec<f32>>,
    rng: ChaCha8Rng,
}

/// A vote.
pub(super) struct Vote {
    pub(super) left: usize,
    pub(super) right: usize,
    pub(super) outcome: &'static str,
    pub(super) voter: usize,
    pub(super) tokens: [u32; 2],
}

impl World {
    pub(super) fn new(arena: Arena, seed: u64) -> Self {
        let mut rng = stream(seed, 0);
        let worth = (0..arena.models).map(|_| arena.spread * normal(&mut rng)).collect();
        let long = (0..arena.models).map(|_| 5.5 + 0.3 * normal(&mut rng)).collect();
        let own = if arena.taste > 0.0 { arena.voters } else { 0 };
        let mut taste = || (0..arena.models).map(|_| (arena.taste * normal(&mut rng)) as f32).collect();
        let tastes = (0..own).map(|_| taste()).collect();
        Self { arena, worth, long, tastes, rng }
    }

    /// The vote at this share of the time.
    pub(super) fn vote(&mut self, time: f64) -> Vote {
        let Self { arena, rng, .. } = self;
        let left = rng.random_range(0..arena.models);
        let right = (left + rng.random_range(1..arena.models)) % arena.models;
        let voter = rng.random_range(0..arena.voters);
        let tokens = [left, right].map(|m| (self.long[m] + 0.4 * normal(rng)).exp().max(1.0));
        // The difference of two Gumbel variables is logistic.
        let quality = [left, right].map(|m| {
            let taste = self.tastes.get(voter).map_or(0.0, |own| f64::from(own[m]));
            let lost = if m == 0 { arena.drift * time } else { 0.0 };
            self.worth[m] + taste - lost - (-uniform(rng).ln()).ln()
        });
        let z = quality[0] - quality[1] + arena.position + arena.style * (tokens[0] / tokens[1]).ln();
        let outcome = match z {
            _ if quality[0].max(quality[1]) < arena.bar => "both_bad",
            z if z.abs() < arena.tie => "tie",
            z if z > 0.0 => "model_a",
            _ => "model_b",
        };
        Vote { left, right, outcome, voter, tokens: tokens.map(|t| t as u32) }
    }

    /// A table of votes in CSV.
    pub(super) fn csv(&mut self, votes: usize) -> String {
        let mut out = "model_a,model_b,winner,judge,tokens_a,tokens_b\n".to_owned();
        for k in 0..votes {
            let Vote { left, right, outcome, voter, tokens: [a, b] } = self.vote(k as f64 / votes as f64);
            out += &format!("m{left},m{right},{outcome},u{voter},{a},{b}\n");
        }
        out
    }
}

/// Writes a file of votes with ties, both bad, style, voters and drift.
pub(super) fn generate(models: usize, votes: usize, out: &Path) -> Result<()> {
    let arena = Arena { models, voters: 50_000, style: 0.2, bar: -0.5, drift: 0.3, ..Arena::PLAIN };
    let mut world = World::new(arena, 1);
    let mut file = BufWriter::new(File::create(out)?);
    let is_json = out.extension().is_some_and(|e| e == "jsonl");
    if !is_json {
        writeln!(file, "model_a,model_b,winner,judge,date,tokens_a,tokens_b")?;
    }
    for k in 0..votes {
        let time = k as f64 / votes as f64;
        let Vote { left, right, outcome, voter, tokens: [a, b] } = world.vote(time);
        let day = (360.0 * time) as u32;
        let date = format!("2026-{:02}-{:02}", 1 + day / 30, 1 + day % 28);
        if is_json {
            writeln!(
                file,
                "{{\"model_a\":\"model-{left}\",\"model_b\":\"model-{right}\",\"winner\":\"{outcome}\",\"judge\":\"user{voter}\",\"date\":\"{date}\",\"tokens_a\":{a},\"tokens_b\":{b}}}"
            )?;
        } else {
            writeln!(file, "model-{left},model-{right},{outcome},user{voter},{date},{a},{b}")?;
        }
    }
    file.flush()?;
    println!("{votes} votes on {models} models: {}", out.display());
    Ok(())
}
