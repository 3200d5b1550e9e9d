//! A fitted model in a file, and back.

use super::{Data, Kronecker, KroneckerSettings};
use crate::Error;
use crate::inference::Settings;
use crate::inference::sites::Sites;
use crate::kernel::Kernel;
use crate::many::report::Report;
use crate::many::users::UserPrior;

impl Kronecker {
    /// The sites of all answers, in the order of their records.
    pub(in crate::many) fn sites(&self) -> &Sites {
        &self.outcome.sites
    }

    /// The posterior that follows from sites found earlier for the same answers.
    ///
    /// # Errors
    /// As [`Kronecker::fit`].
    pub(in crate::many) fn restore(
        data: &Data<'_>,
        item_kernel: &Kernel,
        user_prior: &UserPrior,
        settings: &KroneckerSettings,
        sites: &Sites,
        report: Report,
    ) -> Result<Self, Error> {
        let as_saved = Settings { sweeps: 0, sequential_sweeps: 0, ..settings.inference };
        let still = KroneckerSettings { inference: as_saved, ..settings.clone() };
        let restored = Self::build(data, item_kernel, user_prior, &still, Some(sites), None)?;
        Ok(Self { report, settings: settings.clone(), ..restored })
    }
}
