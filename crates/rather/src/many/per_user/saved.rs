//! Users' posteriors in a file, and back.

use super::{Answered, CommonPrior, PerUser};
use crate::Error;
use crate::inference::sites::Sites;
use crate::inference::{Factors, Settings};
use crate::likelihood::Values;
use crate::many::answers::UserAnswers;
use crate::many::items::Items;
use crate::many::report::Report;

/// Inference that leaves sites as they are.
const AS_SAVED: Settings =
    Settings { tolerance: 1e-8, sweeps: 0, sequential_sweeps: 0, factors: Factors::Pair };

impl PerUser {
    /// The sites of all answers, in the order of their records.
    pub(in crate::many) fn sites(&self) -> Sites {
        let mut out = Sites::default();
        for answered in self.users.iter().flatten() {
            out.tau.extend(&answered.sites().tau);
            out.nu.extend(&answered.sites().nu);
        }
        out
    }

    /// The posteriors that follow from sites found earlier for the same answers.
    ///
    /// # Errors
    /// [`Error::Inference`] if no posterior follows from them.
    pub(in crate::many) fn restore(
        items: Items,
        answers: &UserAnswers,
        values: &Values,
        prior: CommonPrior,
        sites: &Sites,
        report: Report,
    ) -> Result<Self, Error> {
        let of_user = |user: usize| {
            let rows = answers.of_user(user);
            let own = Sites { tau: sites.tau[rows.clone()].to_vec(), nu: sites.nu[rows.clone()].to_vec() };
            (!rows.is_empty()).then(|| Answered::of_sites(own))
        };
        let earlier: Vec<Option<Answered>> = (0..answers.users()).map(of_user).collect();
        let restored = Self::under(prior, items, answers, values, &earlier, &AS_SAVED)?;
        Ok(Self { report, settings: Settings::default(), ..restored })
    }
}
