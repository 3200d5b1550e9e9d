//! A fitted model in a file, and back.
//!
//! Kept are the sites that the answers give the latent functions and the weights: their posteriors follow by linear algebra in
//! whatever features of the kernels the reader's machine finds.

use super::gaussians::{Gaussians, columns, pack};
use super::joint::JointWeights;
use super::sides::Half;
use super::state::{State, UserWeights};
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
        match &self.state.weights {
            UserWeights::PerFunction(halves) => {
                out.weight_tau = all(&|d| halves[d].tau.clone());
                out.weight_nu = all(&|d| halves[d].nu.clone());
            }
            UserWeights::Joint(joint) => {
                out.weight_tau = all(&|d| joint.of_users.iter().map(|user| user.mean[d]).collect());
                out.weight_covariance =
                    joint.of_users.iter().flat_map(|user| user.full_covariance()).collect();
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
        let weights = if joint {
            joint_of(&saved, functions, users).map(UserWeights::Joint)
        } else {
            let of_users = |d| {
                let (tau, nu) = (row(&saved.weight_tau, d, users), row(&saved.weight_nu, d, users));
                Half::of_users(&prepared.users.low_rank, tau, nu)
            };
            (0..functions).map(of_users).collect::<Option<_>>().map(UserWeights::PerFunction)
        };
        let (Some(items), Some(weights)) = (items, weights) else { return Err(broken) };
        let mut state = State {
            cavities: Sites::empty(records),
            sites: saved.sites,
            mean: Vec::new(),
            variance: Vec::new(),
            weights,
            items,
            skipped: report.skipped,
        };
        state.refresh_moments(&prepared.problem(data.answers));
        (0..records).for_each(|n| state.refresh_cavity(n));
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
fn joint_of(saved: &Saved, functions: usize, users: usize) -> Option<JointWeights> {
    let squares = functions * functions;
    let mut of_users = Gaussians::zeros(users, functions);
    let mut total = vec![0.0; functions];
    for u in 0..users {
        let (covariance, mean) = of_users.get_mut(u);
        pack(&saved.weight_covariance[u * squares..(u + 1) * squares], functions, covariance);
        (0..functions).for_each(|d| mean[d] = saved.weight_tau[d * users + u]);
        axpy(1.0, mean, &mut total);
        if columns(covariance, functions).any(|(_, column)| column[0] <= 0.0) {
            return None;
        }
    }
    let total_covariance =
        Matrix::from_fn(functions, functions, |i, j| saved.total_covariance[j * functions + i]);
    // Only a fit asks for the divergence again, and then computes it.
    Some(JointWeights { of_users, divergence: 0.0, total, total_covariance })
}
