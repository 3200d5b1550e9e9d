//! The sum of many users' log evidences, each alone under one kernel: what one kernel for all is learned by.

use super::answers::UserAnswers;
use crate::Error;
use crate::evidence::Problem;
use crate::inference::observations::Observations;
use crate::inference::sites::Sites;
use crate::inference::{Method, Settings};
use crate::learn::Hyperparameters;
use crate::points::Points;
use rather_numerics::parallel;

/// Users who said something, each with the sites of the last setting.
#[derive(Debug, Clone)]
pub(super) struct Evidences {
    users: Vec<(Points, Observations, Option<Sites>)>,
}

impl Evidences {
    pub(super) fn new(points: &Points, answers: &UserAnswers) -> Self {
        let said =
            (0..answers.users()).filter(|&u| !answers.of_user(u).is_empty()).map(|u| answers.observations(u));
        Self { users: said.map(|o| (points.select(&o.items), o, None)).collect() }
    }

    /// The sum at a setting, and its gradient in the logarithms of the kernel's parameters and of the noise, and in the other parameters of the
    /// likelihoods.
    pub(super) fn at(&mut self, here: &Hyperparameters) -> Result<(f64, Vec<f64>), Error> {
        let one = |users: &mut [(Points, Observations, Option<Sites>)]| {
            let [(points, observations, sites)] = users else { return Err(Error::Inference) };
            let problem = Problem { points, observations, method: Method::Ep, space: None, inducing: None };
            let evidence =
                problem.evaluate(&here.kernel, here.values(), sites.as_ref(), &Settings::default())?;
            *sites = Some(evidence.outcome.sites.clone());
            Ok((evidence.outcome.log_evidence, problem.into_gradient(&here.kernel, evidence)))
        };
        let all: Vec<(f64, Vec<f64>)> = parallel::map_chunks(&mut self.users, 1, |_, user| one(user))
            .into_iter()
            .collect::<Result<_, Error>>()?;
        let (mut value, mut gradient) = (0.0, vec![0.0; here.entries.len()]);
        for (v, g) in &all {
            value += v;
            gradient.iter_mut().zip(g).for_each(|(sum, g)| *sum += g);
        }
        Ok((value, gradient))
    }
}
