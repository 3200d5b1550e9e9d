//! Learning the hyperparameters of the collaborative model, every setting starting from where the best one so far converged.

use super::{Collaborative, Data, Settings};
use crate::Error;
use crate::many::learning::{Learned, Learning, maximise};

/// Maximises the log evidence (times weak priors) from the values in `start`. The first setting is fitted from all of
/// the settings' random starts, the others from the best one's result.
///
/// # Errors
/// As [`Collaborative::fit`] at the start, and [`Collaborative::gradient`].
pub fn learn(
    data: &Data<'_>,
    start: &Learning,
    settings: &Settings,
) -> Result<Learned<Collaborative>, Error> {
    let fit = |here: &Learning, best: Option<&Collaborative>| {
        let (kernel, prior) = (&here.items.kernel, here.user_prior());
        match best {
            Some(best) => best.refit(data, kernel, &prior, settings),
            None => Collaborative::fit(data, kernel, &prior, settings),
        }
    };
    maximise(start, fit, |model| model.gradient(data))
}
