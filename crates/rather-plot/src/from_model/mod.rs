//! The data of figures, taken from a learned model.
//!
//! | figure | function | shows |
//! |---|---|---|
//! | [`Utility`](crate::Utility) | [`utility`] | the utility along one feature, the others held |
//! | [`Effect`](crate::Effect) | [`effect`] | the difference to a reference along one feature |
//! | [`Map`](crate::Map) | [`map`] | the utility over two features, the others held |
//! | [`Surface`](crate::Surface) | [`evidence`] | the evidence over two hyperparameters |
//! | [`ChoiceMatrix`](crate::ChoiceMatrix) | [`choices`] | the best items against each other |
//! | [`ChoiceMap`](crate::ChoiceMap) | [`choice_map`] | values of a feature against each other |
//! | [`Ranking`](crate::Ranking) | [`ranking`] | the best items with intervals |
//! | [`Careers`](crate::Careers) | [`careers`] | the best items over time |
//! | [`Users`](crate::Users) | [`users`] | how users differ |
//! | [`SegmentChart`](crate::SegmentChart) | [`segments`] | how groups of users differ |
//! | [`Reliability`](crate::Reliability) | [`reliability`] | predictions of comparisons not learned from |

mod careers;
mod choices;
mod effect;
mod evidence;
mod map;
mod ranking;
mod reliability;
mod section;
mod segments;
mod users;
mod utility;

pub use careers::careers;
pub use choices::{choice_map, choices};
pub use effect::effect;
pub use evidence::{EvidenceGrid, evidence};
pub use map::map;
pub use ranking::ranking;
pub use reliability::reliability;
pub use segments::segments;
pub use users::users;
pub use utility::utility;

/// Name and unit of utilities, where the noise of one item has this standard deviation.
fn utility_name(noise: f64) -> String {
    if noise == 1.0 {
        "utility (in item-noise sd)".to_owned()
    } else if noise == std::f64::consts::FRAC_1_SQRT_2 {
        "utility (in comparison-noise sd)".to_owned()
    } else {
        format!("utility (noise of one item: {})", crate::text::number(noise, 3))
    }
}

/// Which of so many items are among those `compared`.
fn compared(items: usize, compared: &[usize]) -> Vec<bool> {
    let mut known = vec![false; items];
    compared.iter().for_each(|&i| known[i] = true);
    known
}
