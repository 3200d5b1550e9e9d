//! A fitted model in a file, and back.
//!
//! Kept are the sites that the answers give the latent functions and the weights: their posteriors follow by linear algebra in
//! whatever features of the kernels the reader's machine finds.

use super::joint::JointWeights;
use super::sides::Half;
use super::state::State;
use super::{Collaborative, Data, Prepared, Run, Settings, Weights};
use crate::Error;
use crate::inference::Status;
use crate::inference::sites::Sites;
use crate::kernel::Kernel;
use crate::many::report::Report;
use crate::many::users::UserPrior;
use rather_numerics::linalg::{Matrix, axpy};

/// The state of a fitted model, in arrays.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Saved {
    /// The answers' sites, one a record.
    pub sites: Sites,
    /// Precisions of the sites on each latent function, function by function, one a pair.
    pub item_tau: Vec<f64>,
    /// Their shifts.
    pub item_nu: Vec<f64>,
    /// For weights per function: precisions of the sites on each function's weights, one a user. For joint weights: their
    /// means.
    pub weight_tau: Vec<f64>,
    /// The shifts; nothing for joint weights.
    pub weight_nu: Vec<f64>,
    /// Joint weights: the covariance of every user's, user by user.
    pub weight_covariance: Vec<f64>,
    /// Joint weights: the covariance of the sum of all users' weights.
    pub total_covariance: Vec<f64>,
}

impl Collaborative {
    /// What a file needs to hold beside the data, the kernels, the settings and the report.
    pub fn saved(&self) -> Saved {
        let all = |of: &dyn Fn(usize) -> Vec<f64>| (0..self.state.items.len()).flat_map(of).collect();
        let mut out = Saved {
            sites: self.state.sites.clone(),
            item_tau: all(&|d| self.state.items[d].tau.clone()),
            item_nu: all(&|d| self.state.items[d].nu.clone()),
            ..Saved::default()
        };
        match &self.state.joint {
            None => {
                out.weight_tau = all(&|d| self.state.users[d].tau.clone());
                out.weight_nu = all(&|d| self.state.users[d].nu.clone());
            }
            Some(joint) => {
                out.weight_tau = all(&|d| self.state.users[d].posterior.mean.clone());
                out.weight_covariance = joint.covariance.iter().flat_map(Matrix::data).copied().collect();
                out.total_covariance = joint.total_covariance.data().to_vec();
            }
        }
        out
    }

    /// The model that [`Collaborative::saved`] came from. Nothing is learned again.
    ///
    /// # Errors
    /// [`Error::ModelParts`] if the arrays are not those of the data; else as [`Collaborative::fit`].
    pub fn restore(
        data: &Data<'_>,
        item_kernel: &Kernel,
        user_prior: &UserPrior,
        settings: &Settings,
        saved: Saved,
        report: Report,
    ) -> Result<Self, Error> {
        let prepared = Prepared::new(data, item_kernel, user_prior, settings)?;
        let functions = settings.functions;
        let (users, pairs) = (data.answers.users(), data.answers.edges().len());
        let joint = prepared.settings.weights == Weights::Joint;
        let records = data.answers.records().len();
        let squares = if joint { functions * functions } else { 0 };
        let sizes = [
            (saved.sites.tau.len(), records),
            (saved.sites.nu.len(), records),
            (saved.item_tau.len(), functions * pairs),
            (saved.item_nu.len(), functions * pairs),
            (saved.weight_tau.len(), functions * users),
            (saved.weight_nu.len(), if joint { 0 } else { functions * users }),
            (saved.weight_covariance.len(), users * squares),
            (saved.total_covariance.len(), squares),
        ];
        if sizes.iter().any(|(found, expected)| found != expected) {
            return Err(Error::ModelParts {
                what: "the latent functions are not those of its users and pairs",
            });
        }
        let broken = Error::ModelParts { what: "the latent functions have no posterior" };
        let row = |all: &[f64], d: usize, n: usize| all[d * n..(d + 1) * n].to_vec();
        let of_items =
            |d| Half::of_items(&prepared.side, row(&saved.item_tau, d, pairs), row(&saved.item_nu, d, pairs));
        let items: Option<Vec<Half>> = (0..functions).map(of_items).collect();
        let weights: Option<(Vec<Half>, Option<JointWeights>)> = if joint {
            joint_of(&saved, functions, users).map(|(halves, joint)| (halves, Some(joint)))
        } else {
            let of_users = |d| {
                let (tau, nu) = (row(&saved.weight_tau, d, users), row(&saved.weight_nu, d, users));
                Half::of_users(&prepared.users.low_rank, tau, nu)
            };
            (0..functions).map(of_users).collect::<Option<_>>().map(|halves| (halves, None))
        };
        let (Some(items), Some((weights, joint))) = (items, weights) else { return Err(broken) };
        let mut state = State {
            cavities: Sites::empty(records),
            sites: saved.sites,
            mean: Vec::new(),
            variance: Vec::new(),
            users: weights,
            items,
            joint,
            skipped: report.skipped,
        };
        state.refresh_moments(&prepared.problem(data.answers));
        (0..records).for_each(|n| {
            state.refresh_cavity(n);
        });
        let run = Run {
            state,
            log_evidence: report.log_evidence,
            status: Status::Converged,
            residual: report.residual,
            cycles: report.cycles,
        };
        let model = prepared.finish(data.answers, run, Vec::new())?;
        Ok(Self { report, ..model })
    }
}

/// Weights that are joint over functions; `None` if a covariance has a variance below zero.
fn joint_of(saved: &Saved, functions: usize, users: usize) -> Option<(Vec<Half>, JointWeights)> {
    let squares = functions * functions;
    let matrix = |data: &[f64]| Matrix::from_fn(functions, functions, |i, j| data[j * functions + i]);
    let covariance: Vec<Matrix> =
        (0..users).map(|u| matrix(&saved.weight_covariance[u * squares..(u + 1) * squares])).collect();
    if covariance.iter().any(|s| (0..functions).any(|d| s[(d, d)] <= 0.0)) {
        return None;
    }
    let mut total = vec![0.0; functions];
    let halves: Vec<Half> = (0..functions)
        .map(|d| {
            let mean = saved.weight_tau[d * users..(d + 1) * users].to_vec();
            axpy(1.0, &[mean.iter().sum()], &mut total[d..=d]);
            Half::guess(mean, covariance.iter().map(|s| s[(d, d)]).collect())
        })
        .collect();
    let total_covariance = matrix(&saved.total_covariance);
    // Only a fit asks for the divergence again, and then computes it.
    Some((halves, JointWeights { covariance, divergence: 0.0, total, total_covariance }))
}
