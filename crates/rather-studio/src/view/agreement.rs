//! What several participants say together, and whether they agree.

use super::StudySummary;
use rather_study::Alternative;
use serde::{Deserialize, Serialize};

/// The result of several participants.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct AgreementView {
    /// The study.
    pub study: StudySummary,
    /// The scale separation reliability of items.
    pub reliability: Option<f64>,
    /// Kendall's W of the participants' own posterior means.
    pub concordance: Option<f64>,
    /// Whether `places` are settings of one parameter from end to end.
    pub is_curve: bool,
    /// Those who have answered.
    pub judges: Vec<JudgeView>,
    /// What is looked at, in the model of all answers: items, the best first, or settings.
    pub places: Vec<PlaceView>,
}

/// A participant.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct JudgeView {
    /// Their name.
    pub participant: String,
    /// How many of their comparisons have a preference.
    pub comparisons: usize,
    /// Mean squares of their answers under the model of all answers.
    pub infit: Option<f64>,
    /// The same, each comparison counting the same.
    pub outfit: Option<f64>,
    /// What is best of `places` in their own model.
    pub best: String,
    /// The mean utility of each place in their own model, relative to the average of all.
    pub utilities: Vec<f64>,
}

/// An item or a setting.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct PlaceView {
    /// Its name, or the setting in one line.
    pub label: String,
    /// What it is, for programs.
    pub alternative: Option<Alternative>,
    /// Mean utility, relative to the average of all places.
    pub mean: f64,
    /// Lower end of the 95 % interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// How many comparisons with a preference are about it.
    pub comparisons: usize,
    /// Mean squares of the answers about it.
    pub infit: Option<f64>,
    /// The same, each comparison counting the same.
    pub outfit: Option<f64>,
}
