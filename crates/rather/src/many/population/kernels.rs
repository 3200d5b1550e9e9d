//! The item kernel, by the evidence of each user's own answers.
//!
//! Lengthscales and shapes are those of one user's utilities, whatever ties users together: they are learned from the sum of the
//! users' log evidences ([`PerUser::learn`]), of a sample of users if there are many.

use crate::Error;
use crate::inference::Settings;
use crate::kernel::{Schema, parse};
use crate::learn::choice::{KernelChoice, KernelSpec, Options, Tried};
use crate::learn::{Hyperparameters, Units};
use crate::many::{PerUser, UserAnswers, UserModel};
use crate::points::Points;

use super::PopulationSettings;

/// Answers, and users, that are enough to learn a few hyperparameters from.
const MOST_RECORDS: usize = 4_000;
const MOST_USERS: usize = 200;

/// Evenly picked users who answered, not more than `most` and not many more than [`MOST_RECORDS`] answers; `None` if that is
/// everyone.
pub(super) fn sample(answers: &UserAnswers, most: usize) -> Option<(Vec<usize>, UserAnswers)> {
    let said: Vec<usize> = (0..answers.users()).filter(|&u| !answers.of_user(u).is_empty()).collect();
    let per_user = answers.records().len().div_ceil(said.len().max(1));
    let n = most.min(MOST_USERS).min(MOST_RECORDS / per_user.max(1)).clamp(1, said.len().max(1));
    if n >= answers.users() || said.is_empty() {
        return None;
    }
    let picked: Vec<usize> = (0..n).map(|k| said[k * said.len() / n]).collect();
    let sampled = answers.select(&picked).ok()?;
    Some((picked, sampled))
}

/// What the choice of a kernel depends on.
pub(super) struct Choice<'a> {
    pub(super) points: &'a Points,
    pub(super) schema: &'a Schema,
    pub(super) feature_units: &'a [f64],
    pub(super) settings: &'a PopulationSettings,
    pub(super) progress: &'a (dyn Fn(&str) + Sync),
}

impl Choice<'_> {
    /// The best kernel for `answers`, and all that were tried.
    pub(super) fn learn(&self, answers: &UserAnswers) -> Result<(Hyperparameters, Vec<Tried>), Error> {
        let sampled = sample(answers, MOST_USERS);
        let answers = sampled.as_ref().map_or(answers, |(_, answers)| answers);
        let spec = |expression: &str, ard| KernelSpec { expression: expression.into(), ard };
        let specs = match &self.settings.kernel {
            KernelChoice::Given(given) => vec![given.clone()],
            KernelChoice::Auto { .. } if self.schema.features() == 0 => vec![spec("white", false)],
            KernelChoice::Auto { ard } => {
                self.candidates().into_iter().map(|expression| spec(expression, *ard)).collect()
            }
        };
        let mut best: Option<(Hyperparameters, f64)> = None;
        let mut tried = Vec::new();
        for spec in specs {
            (self.progress)(&format!("item kernel {}", spec.expression));
            let (found, here) = self.one(&spec, answers)?;
            if best.as_ref().is_none_or(|b| here.score > b.1) {
                best = Some((found, here.score));
            }
            tried.push(here);
        }
        best.map(|(found, _)| (found, tried)).ok_or(Error::Inference)
    }

    /// Names alone, and functions of the features with something of every item's own: the smoothest, and one in the middle (rougher ones
    /// are hardly told apart by a user's few answers).
    fn candidates(&self) -> Vec<&'static str> {
        if self.schema.categorical.contains(&false) {
            vec!["white", "se + white", "matern32 + white"]
        } else {
            vec!["white", "categorical + white"]
        }
    }

    fn one(&self, spec: &KernelSpec, answers: &UserAnswers) -> Result<(Hyperparameters, Tried), Error> {
        let options = Options {
            schema: self.schema,
            units: Units::ComparisonNoise,
            fixed: &self.settings.fixed,
            feature_units: self.feature_units,
            priors: self.settings.priors,
            inference: Settings::default(),
        };
        let kernel = parse(&spec.expression, self.schema, spec.ard)?;
        let mut start = Hyperparameters::for_answers(kernel, self.points, answers.responses(), &options)?;
        self.settle_noise(&mut start);
        let found = PerUser::learn(self.points, answers, &start)?;
        let fitted = PerUser::fit(self.points, answers, &found.kernel, found.values())?;
        let free = found.free().len() as f64;
        let score = fitted.log_evidence() + found.log_prior().0 - free;
        let tried = Tried { kernel: spec.clone(), log_evidence: fitted.log_evidence(), score, weight: 0.0 };
        Ok((found, tried))
    }

    /// The noise of a duel is the unit, unless the caller fixes the noise.
    fn settle_noise(&self, start: &mut Hyperparameters) {
        let place = start.noise_index();
        if let Some(noise) = start.entries.get_mut(place) {
            if !self.settings.fixed.iter().any(|(name, _)| name.eq_ignore_ascii_case("noise")) {
                noise.value = Units::ComparisonNoise.noise();
            }
            noise.fixed = true;
        }
    }
}
