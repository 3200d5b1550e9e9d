//! The data of figures, taken from a learned model.
//!
//! | figure | function | shows |
//! |---|---|---|
//! | [`Utility`](crate::Utility) | [`utility`] | the utility along one feature, the others held |
//! | [`Map`](crate::Map) | [`map`] | the utility over two features, the others held |
//! | [`Surface`](crate::Surface) | [`evidence`] | the evidence over two hyperparameters |
//! | [`ChoiceMatrix`](crate::ChoiceMatrix) | [`choices`] | the best items against each other |
//! | [`ChoiceMap`](crate::ChoiceMap) | [`choice_map`] | values of a feature against each other |
//! | [`Ranking`](crate::Ranking) | [`ranking`] | the best items with intervals |
//! | [`Reliability`](crate::Reliability) | [`reliability`] | predictions of comparisons not learned from |

mod choices;
mod evidence;
mod map;
mod ranking;
mod reliability;
mod section;
mod utility;

pub use choices::{choice_map, choices};
pub use evidence::{EvidenceGrid, evidence};
pub use map::map;
pub use ranking::ranking;
pub use reliability::reliability;
pub use utility::utility;

use rather::model::Model;

/// Name and unit of the model's utilities.
fn utility_name(model: &Model) -> String {
    let noise = model.hyperparameters().noise();
    if noise == 1.0 {
        "utility (in item-noise sd)".to_owned()
    } else {
        format!("utility (noise of one item: {})", crate::text::number(noise, 3))
    }
}

/// Which of the model's items were in a comparison.
fn compared(model: &Model) -> Vec<bool> {
    let mut compared = vec![false; model.keys().len()];
    for &i in model.compared() {
        compared[i] = true;
    }
    compared
}
