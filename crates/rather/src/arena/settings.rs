//! How a board is learned.

use crate::answers::Answers;
use crate::kernel::quoted;
use crate::learn::Units;
use crate::learn::choice::{KernelChoice, KernelSpec};
use crate::likelihood::{Lapses, Link, ResponseModel};
use crate::model::{Ep, FitSettings, Inference, Integration, PairEffect};

/// The kernel of a board: an effect of every item, the side where it is known, the style columns, and what items do otherwise where `by` has another value.
pub fn kernel(sided: bool, style: &[String], by: Option<&str>) -> String {
    let mut terms =
        vec![if sided || !style.is_empty() || by.is_some() { "white[item]" } else { "white" }.to_owned()];
    terms.extend(by.map(|by| format!("white[item]*white[{}]", quoted(by))));
    terms.extend(sided.then(|| "linear[position]".to_owned()));
    terms.extend(style.iter().map(|column| format!("linear[{}]", quoted(column))));
    terms.join(" + ")
}

/// Votes from which on the hyperparameters are known so well that averaging over them changes nothing.
const MANY: f64 = 20_000.0;

/// The settings of a board with this kernel: Bradley and Terry's link, and where answers name users, who are judges, a noise and a lapse rate of each.
pub fn settings(kernel: String, answers: &Answers) -> FitSettings {
    let of_judges = answers.distinct().any(|answer| answer.user().is_some());
    let total: f64 = answers.iter().map(|answer| answer.count).sum();
    let integration = if total > MANY { Integration::Off } else { Integration::Auto };
    FitSettings {
        kernel: KernelChoice::Given(KernelSpec { expression: kernel, ard: false }),
        inference: Inference::Ep(Ep { integration, pair_effect: PairEffect::Off, ..Ep::default() }),
        units: Units::ItemNoise,
        response_model: ResponseModel {
            link: Link::Logistic,
            user_noise: of_judges,
            lapses: if of_judges { Lapses::ByUser } else { Lapses::Never },
            ..ResponseModel::default()
        },
        ..FitSettings::default()
    }
}
