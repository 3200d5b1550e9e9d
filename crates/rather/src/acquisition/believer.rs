//! The hallucination believer.

use super::Acquisition;
use crate::Error;
use crate::posterior::Posterior;

/// The posterior under which `acquisition` is evaluated: for [`Acquisition::Believer`] the Gaussian given one draw of the
/// noisy differences behind the comparisons from their exact posterior ([`Posterior::given_a_draw`]), as if that draw had
/// been observed; for all others `posterior` as it is. To the resulting Gaussian a standard acquisition function is
/// applied, here expected improvement on the opponent. The randomness of the draw explores.
///
/// # Errors
/// As [`Posterior::given_a_draw`].
///
/// # References
/// Takeno, Nomura and Karasuyama, *Towards practical preferential Bayesian optimization with skew Gaussian processes*
/// (2023), arXiv:2302.01513, section 4.
pub fn posterior<'a>(
    acquisition: &Acquisition,
    posterior: &'a Posterior,
    seed: u64,
) -> Result<std::borrow::Cow<'a, Posterior>, Error> {
    match acquisition {
        Acquisition::Believer => posterior.given_a_draw(seed).map(std::borrow::Cow::Owned),
        _ => Ok(std::borrow::Cow::Borrowed(posterior)),
    }
}
