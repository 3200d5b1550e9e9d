//! Learning both kernels of the Kronecker model by its evidence, every setting starting from the sites of the last one.

use super::gradient::in_covariances;
use super::{Data, Kronecker, KroneckerSettings};
use crate::Error;
use crate::inference::sites::Sites;
use crate::many::learning::{Gradient, Learned, Learning, maximise};
use rather_numerics::linalg::dot;

impl Kronecker {
    /// The gradient of the log evidence, for the data that the model was fitted to.
    pub fn gradient(&self, data: &Data<'_>) -> Gradient {
        let phi = self.items.features();
        let g = in_covariances(&self.prior, phi, data.answers.edges(), &self.observations, &self.outcome);
        let users = g.users.rows();
        let mut out = Gradient {
            items: self.items.kernel().gradient(self.items.points(), &g.items),
            individual: (0..users).map(|u| g.users[(u, u)]).sum(),
            common: g.users.data().iter().sum(),
            ..Gradient::default()
        };
        if let (Some(kernel), Some(points)) = (&self.users.prior.kernel, data.users) {
            let share = self.users.prior.share;
            out.share = dot(kernel.matrix(points).data(), g.users.data());
            out.users = kernel.gradient(points, &g.users).into_iter().map(|g| share * g).collect();
        }
        out
    }
}

/// Maximises the log evidence, times weak priors, from the values in `start`.
///
/// # Errors
/// As [`Kronecker::fit`] at the start.
pub fn learn(
    data: &Data<'_>,
    start: &Learning,
    settings: &KroneckerSettings,
) -> Result<Learned<Kronecker>, Error> {
    let mut sites: Option<Sites> = None;
    let fit = |here: &Learning, _: Option<&Kronecker>| {
        let (kernel, prior) = (&here.items.kernel, here.user_prior());
        let model = Kronecker::build(data, kernel, &prior, settings, sites.as_ref(), None)?;
        sites = Some(model.outcome.sites.clone());
        Ok(model)
    };
    maximise(start, fit, |model| Ok(model.gradient(data)))
}
