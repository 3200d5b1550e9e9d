//! How well a model predicts, and means over splits.

use anyhow::Result;
use indicatif::{ProgressBar, ProgressStyle};
use rather::many::UserModel;
use serde::{Deserialize, Serialize};

/// Quality of predictions for pairs whose winner is known.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(super) struct Quality {
    /// Share of pairs predicted the wrong way round; a tie counts half.
    pub(super) error: f64,
    /// Share of pairs with a prediction of exactly one half.
    pub(super) undecided: f64,
    /// Mean log loss, in nats.
    pub(super) log_loss: f64,
}

/// Adds predictions up.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Tally {
    wrong: f64,
    undecided: f64,
    loss: f64,
    count: f64,
}

impl Tally {
    /// Takes in predictions of pairs, winner first: means, and probabilities.
    pub(super) fn add(&mut self, found: &rather::many::Prediction) {
        for (m, p) in found.mean.iter().zip(&found.probability) {
            let tied = f64::from(u8::from(*m == 0.0));
            self.wrong += if *m < 0.0 { 1.0 } else { 0.5 * tied };
            self.undecided += tied;
            self.loss -= p.ln();
            self.count += 1.0;
        }
    }

    pub(super) fn quality(&self) -> Quality {
        let n = self.count;
        Quality { error: self.wrong / n, undecided: self.undecided / n, log_loss: self.loss / n }
    }
}

/// Quality of predictions for known users' pairs, winner first.
pub(super) fn of_users(model: &dyn UserModel, test: &[Vec<(usize, usize)>]) -> Result<Quality> {
    let mut tally = Tally::default();
    for (user, pairs) in test.iter().enumerate() {
        tally.add(&model.predict(user, pairs)?);
    }
    Ok(tally.quality())
}

/// Mean and standard error.
pub(super) fn mean_and_error(x: impl IntoIterator<Item = f64>) -> (f64, f64) {
    let x: Vec<f64> = x.into_iter().collect();
    let n = x.len() as f64;
    let mean = x.iter().sum::<f64>() / n;
    let squares = x.iter().map(|v| (v - mean).powi(2)).sum::<f64>();
    (mean, (squares / (n - 1.0).max(1.0) / n).sqrt())
}

/// `mean ± standard error`.
pub(super) fn with_error(x: impl IntoIterator<Item = f64>) -> String {
    let (mean, error) = mean_and_error(x);
    format!("{mean:.4} ± {error:.4}")
}

/// A bar that says what is running and how long it will take.
pub(super) fn progress(length: u64, what: String) -> Result<ProgressBar> {
    let style = ProgressStyle::with_template("{msg:<28} {bar:40} {pos}/{len} {eta}")?;
    Ok(ProgressBar::new(length).with_style(style).with_message(what))
}
