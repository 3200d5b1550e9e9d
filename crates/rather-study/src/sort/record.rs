//! How the judges did.

use super::Told;
use rather::model::Model;
use serde::Serialize;

/// A judge, as all answers have it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Record {
    /// Its name.
    pub name: String,
    /// Answers.
    pub answers: u64,
    /// Questions that it skipped.
    pub skipped: u64,
    /// Standard deviation of the noise relative to that of all judges, where there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub noise: Option<f64>,
    /// The share of the answers that prefer the item which stands higher in the end; ties count half.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agreement: Option<f64>,
}

impl Record {
    /// Of judges with these names.
    pub(super) fn all(
        names: Vec<String>,
        answers: &[Told],
        skipped: &[Told],
        model: Option<&Model>,
    ) -> Vec<Self> {
        let mean = model.map(|model| model.utilities(model.points()).mean);
        let hyperparameters = model.map(Model::reported_hyperparameters).unwrap_or_default();
        let one = |(judge, name): (usize, String)| {
            let own =
                |told: &[Told]| told.iter().filter(|told| told.judge == judge).copied().collect::<Vec<_>>();
            let (answers, skipped) = (own(answers), own(skipped));
            let factor = format!("factor[{name}]");
            Self {
                noise: hyperparameters.iter().find(|(known, _)| *known == factor).map(|(_, value)| *value),
                agreement: mean.as_ref().and_then(|mean| agreement(&answers, mean)),
                answers: answers.len() as u64,
                skipped: skipped.len() as u64,
                name,
            }
        };
        names.into_iter().enumerate().map(one).collect()
    }
}

/// The share of answers that agree with these utilities; nothing without an answer.
fn agreement(answers: &[Told], mean: &[f64]) -> Option<f64> {
    let agrees = |told: &Told| {
        let ahead = mean[told.question.left] - mean[told.question.right];
        match told.answer.strength() {
            Some(strength) if strength != 0 => f64::from(u8::from(ahead * f64::from(strength) > 0.0)),
            _ => 0.5,
        }
    };
    (!answers.is_empty()).then(|| answers.iter().map(agrees).sum::<f64>() / answers.len() as f64)
}
