//! The approximate posterior while it is being fitted, and one cycle of the merged scheme.
//!
//! `q = prod_d N(w_d) N(f_d)`, full covariances over users and items, and a site for every answer by EP. Its
//! fixpoints are those of the published EP-VB scheme (Houlsby et al. 2012, supplement, section 4): the factor for
//! `g = w'h` sees `h_d` only through its moments at the compared pairs, so its message to `h_d` is the site (`c`, `l`)
//! below, whatever the prior's factor had sent, and that factor answers with exact Gaussian marginals.

use super::joint::JointWeights;
use super::settings::{Scheme, Settings, Weights};
use super::sides::{Half, ItemSide};
use crate::inference::set_factor;
use crate::inference::sites::{Sites, Updated, update};
use crate::likelihood::Likelihoods;
use crate::likelihood::choice_set::ChoiceSet;
use crate::many::answers::{Record, UserAnswers};
use crate::many::low_rank::LowRank;
use rather_numerics::random::{normals, stream};
use rather_numerics::{parallel, watch};

/// What is given while the posterior is fitted.
pub(super) struct Problem<'a> {
    pub(super) answers: &'a UserAnswers,
    pub(super) items: &'a ItemSide,
    pub(super) users: &'a LowRank,
    /// The variance of the users' mean, for [`Weights::Joint`].
    pub(super) common: f64,
    pub(super) likelihoods: &'a Likelihoods,
    pub(super) settings: &'a Settings,
    /// The projection of each record: read in every pass.
    pub(super) pair: Vec<u32>,
    /// Users per block of a sum over all answers.
    block: usize,
}

/// Blocks that a sum over answers is split into, at most.
const MOST_BLOCKS: usize = 32;
/// Records below which a pass is over before another thread has woken up.
const PARALLEL: usize = 16_384;

/// The approximate posterior.
#[derive(Debug, Clone)]
pub(super) struct State {
    /// One site an answer, in the orientation of its projection.
    pub(super) sites: Sites,
    /// The cavities that these sites were made from, in the same orientation.
    pub(super) cavities: Sites,
    /// `E g` of every record.
    pub(super) mean: Vec<f64>,
    /// `Var g`.
    pub(super) variance: Vec<f64>,
    /// Weights, one entry a latent function.
    pub(super) users: Vec<Half>,
    /// Latent functions.
    pub(super) items: Vec<Half>,
    /// Weights with a joint covariance, if so chosen.
    pub(super) joint: Option<JointWeights>,
    /// Updates left out so far.
    pub(super) skipped: usize,
}

impl<'a> Problem<'a> {
    pub(super) fn new(
        answers: &'a UserAnswers,
        items: &'a ItemSide,
        users: &'a LowRank,
        common: f64,
        (settings, likelihoods): (&'a Settings, &'a Likelihoods),
    ) -> Self {
        let (n, p) = (answers.records().len(), answers.edges().len());
        // A block adds up into an array of its own, which must be small next to the records.
        let blocks = (n / (4 * p)).clamp(1, MOST_BLOCKS);
        Self {
            answers,
            items,
            users,
            common,
            likelihoods,
            settings,
            pair: answers.records().iter().map(|r| r.edge as u32).collect(),
            block: answers.users().div_ceil(blocks).max(1),
        }
    }

    /// Shortest run of items of a parallel pass, so that small problems stay on one thread.
    pub(super) fn grain(&self, length: usize) -> usize {
        let n = self.answers.records().len().max(1);
        (length * PARALLEL / n).max(1)
    }
}

impl State {
    /// A random start: weights and functions drawn from their priors, sites made from the prior moments of `g`.
    ///
    /// All-zero means would be a stationary point, by the symmetry of `(W, H)` and `(-W, -H)`.
    pub(super) fn start(problem: &Problem<'_>, seed: u64) -> Option<Self> {
        let (answers, settings) = (problem.answers, problem.settings);
        let mut rng = stream(settings.seed, seed);
        let (user_variances, pair_variances) = (problem.users.variances(), problem.items.variances());
        let mut draw = |_| {
            let of_features = normals(problem.users.rank(), &mut rng);
            let own = normals(answers.users(), &mut rng);
            let mut weights = problem.users.features.transpose_times(&of_features);
            for ((w, z), rest) in weights.iter_mut().zip(&own).zip(&problem.users.rest) {
                *w += rest.sqrt() * z;
            }
            let values = problem.items.values(&normals(problem.items.rank(), &mut rng));
            (Half::guess(weights, user_variances.clone()), Half::guess(values, pair_variances.clone()))
        };
        let (users, items) = (0..settings.functions).map(&mut draw).unzip();
        Self::at(problem, users, items)
    }

    /// Starts from given halves, with sites made from the prior moments of `g`. The first sweeps come before the next
    /// update of the sites: a guess with the prior's variances is no marginal that a cavity could be taken from.
    pub(super) fn at(problem: &Problem<'_>, users: Vec<Half>, items: Vec<Half>) -> Option<Self> {
        let answers = problem.answers;
        let n = answers.records().len();
        let (user_variances, pair_variances) = (problem.users.variances(), problem.items.variances());
        let d = users.len() as f64;
        let mut out = Self {
            sites: Sites::empty(n),
            cavities: Sites::empty(n),
            mean: vec![0.0; n],
            variance: vec![0.0; n],
            joint: (problem.settings.weights == Weights::Joint).then(|| {
                JointWeights::guess(users.iter().map(|h| h.posterior.mean.clone()).collect(), &user_variances)
            }),
            users,
            items,
            skipped: 0,
        };
        for (i, r) in answers.records().iter().enumerate() {
            out.variance[i] = d * user_variances[r.user] * pair_variances[r.edge];
        }
        let undamped = 1.0;
        out.update_sites(problem, undamped);
        out.refresh_moments(problem);
        if matches!(problem.settings.scheme, Scheme::Merged) {
            out.sweeps(problem)?;
        }
        Some(out)
    }

    /// One cycle: a damped update of all sites, a few sweeps over the functions; returns the undamped change, as the root of its
    /// mean square over the answers, or `None` if the numbers broke down. The largest change of any answer would make the
    /// number of cycles grow with the number of users.
    pub(super) fn cycle(&mut self, problem: &Problem<'_>) -> Option<f64> {
        let before = self.mean.clone();
        let mismatch = self.update_sites(problem, problem.settings.damping);
        self.sweeps(problem)?;
        let known = |n: &usize| self.is_known(*n);
        let open = (0..before.len()).filter(|n| !known(n));
        let squares = open.map(|n| (self.mean[n] - before[n]).powi(2) / self.variance[n]);
        let moved = (squares.sum::<f64>() / before.len().max(1) as f64).sqrt();
        let change = mismatch.max(moved);
        change.is_finite().then_some(change)
    }

    /// Sweeps over the latent functions with the sites held fixed, and the moments of `g` that result.
    pub(super) fn sweeps(&mut self, problem: &Problem<'_>) -> Option<()> {
        let records = problem.answers.records();
        let weighted = |x: &[f64]| -> Vec<f64> { x.iter().zip(records).map(|(x, r)| x * r.count).collect() };
        let (tau, nu) = (weighted(&self.sites.tau), weighted(&self.sites.nu));
        for _ in 0..problem.settings.inner_sweeps {
            if self.joint.is_some() {
                self.joint_sweep(problem, &tau, &nu)?;
            } else {
                for d in 0..self.items.len() {
                    if watch::ends() {
                        return None;
                    }
                    self.step(problem, d, &tau, &nu)?;
                }
            }
        }
        self.refresh_moments(problem);
        Some(())
    }

    /// One EP update of every answer's site, of which the share `damping` is taken; returns the root mean square of the
    /// mismatch of marginal and tilted moments. A site whose cavity would have a negative precision is left as it is.
    pub(super) fn update_sites(&mut self, problem: &Problem<'_>, damping: f64) -> f64 {
        let mut squares = 0.0;
        let mut first = 0;
        for of_answer in problem.answers.by_answer() {
            let n = first;
            first += of_answer.len();
            let r = of_answer[0];
            let updated = match problem.likelihoods.set(r.answer) {
                Some(set) => match self.updated_set(set, n, of_answer) {
                    updated if updated.first.mismatch.is_finite() => updated,
                    _ => {
                        self.skipped += 1;
                        continue;
                    }
                },
                None if self.is_known(n) => continue,
                None if !self.refresh_cavity(n) => {
                    self.skipped += 1;
                    continue;
                }
                None => {
                    let (tau, nu) = (self.sites.tau[n], r.sign * self.sites.nu[n]);
                    let (m, v) = (r.sign * self.mean[n], self.variance[n]);
                    Updated::one(update(problem.likelihoods.of(r.answer), tau, nu, m, v, 0.0))
                }
            };
            for (k, (r, new)) in of_answer.iter().zip(updated.each()).enumerate() {
                squares += new.mismatch * new.mismatch;
                let (tau, nu) = (self.sites.tau[n + k], self.sites.nu[n + k]);
                self.sites.tau[n + k] = tau + damping * (new.tau - tau);
                self.sites.nu[n + k] = nu + damping * (r.sign * new.nu - nu);
            }
        }
        (squares / self.mean.len().max(1) as f64).sqrt()
    }

    /// The moments of the pairs of a set, in the direction of its order.
    fn of_pairs(&self, first: usize, of_answer: &[Record]) -> Vec<(f64, f64)> {
        let moments = |(n, r): (usize, &Record)| (r.sign * self.mean[n], self.variance[n]);
        (first..).zip(of_answer).map(moments).collect()
    }

    /// The update of an answer about a set, whose records begin with the `first`.
    fn updated_set(&self, set: &ChoiceSet, first: usize, of_answer: &[Record]) -> Updated {
        let of_pairs = self.of_pairs(first, of_answer);
        let own = first..first + of_answer.len();
        let nu: Vec<f64> =
            self.sites.nu[own.clone()].iter().zip(of_answer).map(|(nu, r)| r.sign * nu).collect();
        set_factor::of_moments(set, &of_pairs, (&self.sites.tau[own], &nu), None)
    }

    /// Whether a record is of items with equal features, which a kernel of features takes for equal: their difference is 0, and an
    /// answer says nothing of it. It needs no site.
    fn is_known(&self, n: usize) -> bool {
        self.variance[n] <= 0.0
    }

    /// Takes a site out of its marginal; `false`, and the old cavity stays, if nothing would be left.
    pub(super) fn refresh_cavity(&mut self, n: usize) -> bool {
        let (m, v) = (self.mean[n], self.variance[n]);
        let tau = 1.0 / v - self.sites.tau[n];
        let valid = tau > 0.0 && tau.is_finite();
        if valid {
            (self.cavities.tau[n], self.cavities.nu[n]) = (tau, m / v - self.sites.nu[n]);
        }
        valid
    }

    /// The two steps for latent function `d`, with the residual `R = nu - tau (E g - w h)` of the records.
    ///
    /// `W`: `tau_u = sum tau (h^2 + v_h)`, `nu_u = sum R h`. `F`: `c_p = sum tau (w^2 + v_w)`, `l_p = sum R w`.
    fn step(&mut self, problem: &Problem<'_>, d: usize, tau: &[f64], nu: &[f64]) -> Option<()> {
        let (old, h) = (&self.users[d].posterior.mean, &self.items[d].posterior);
        let users = problem.answers.users();
        let of_user = |u: usize| {
            let (mut t, mut s) = (0.0, 0.0);
            for n in problem.answers.of_user(u) {
                let p = problem.pair[n] as usize;
                let residual = nu[n] - tau[n] * (self.mean[n] - old[u] * h.mean[p]);
                t += tau[n] * (h.mean[p] * h.mean[p] + h.variance[p]);
                s += residual * h.mean[p];
            }
            (t, s)
        };
        let sums = parallel::map(users, problem.grain(users), of_user);
        let (t, s): (Vec<f64>, Vec<f64>) = sums.into_iter().unzip();
        let new = Half::of_users(problem.users, t, s)?;
        let w = &new.posterior;
        let (c, l) = self.sum_over_users(problem, |n, u, p| {
            let residual = nu[n] - tau[n] * (self.mean[n] - old[u] * h.mean[p]);
            (tau[n] * (w.mean[u] * w.mean[u] + w.variance[u]), residual * w.mean[u])
        });
        let items = Half::of_items(problem.items, c, l)?;
        self.replace(problem, d, Some(new), items);
        Some(())
    }

    /// Two sums over all records of each pair, in blocks of users whose number depends on the data only.
    pub(super) fn sum_over_users(
        &self,
        problem: &Problem<'_>,
        term: impl Fn(usize, usize, usize) -> (f64, f64) + Sync,
    ) -> (Vec<f64>, Vec<f64>) {
        let (users, pairs) = (problem.answers.users(), problem.answers.edges().len());
        let of_block = |block: usize| {
            let (mut c, mut l) = (vec![0.0; pairs], vec![0.0; pairs]);
            for u in block * problem.block..((block + 1) * problem.block).min(users) {
                for n in problem.answers.of_user(u) {
                    let p = problem.pair[n] as usize;
                    let (x, y) = term(n, u, p);
                    c[p] += x;
                    l[p] += y;
                }
            }
            (c, l)
        };
        let blocks = users.div_ceil(problem.block);
        let parts = parallel::map(blocks, problem.grain(blocks), of_block);
        let add = |mut sum: Vec<f64>, part: &[f64]| {
            sum.iter_mut().zip(part).for_each(|(s, x)| *s += x);
            sum
        };
        parts.iter().skip(1).fold(parts[0].clone(), |(c, l), part| (add(c, &part.0), add(l, &part.1)))
    }

    /// Puts new halves in their places, and their change into `E g`.
    pub(super) fn replace(&mut self, problem: &Problem<'_>, d: usize, users: Option<Half>, items: Half) {
        let old_w = users.map(|new| std::mem::replace(&mut self.users[d], new).posterior.mean);
        let old_h = std::mem::replace(&mut self.items[d], items).posterior.mean;
        let (w, h) = (&self.users[d].posterior.mean, &self.items[d].posterior.mean);
        let old_w = old_w.as_ref().unwrap_or(w);
        let records = problem.answers.records();
        parallel::for_each_chunk(&mut self.mean, PARALLEL, |chunk, means| {
            for (n, mean) in (chunk * PARALLEL..).zip(means) {
                let (u, p) = (records[n].user, problem.pair[n] as usize);
                *mean += w[u] * h[p] - old_w[u] * old_h[p];
            }
        });
    }

    /// `E g = sum_d w h` and `Var g = sum_d w^2 v_h + v_w h^2 + v_w v_h` of every record, afresh.
    pub(super) fn refresh_moments(&mut self, problem: &Problem<'_>) {
        let records = problem.answers.records();
        let (users, items, joint) = (&self.users, &self.items, &self.joint);
        let moments = |n: usize| {
            let (u, p) = (records[n].user, problem.pair[n] as usize);
            let (mut m, mut v) = (0.0, 0.0);
            for (w, h) in users.iter().zip(items) {
                let (w, vw) = (w.posterior.mean[u], w.posterior.variance[u]);
                let (h, vh) = (h.posterior.mean[p], h.posterior.variance[p]);
                m += w * h;
                v += w * w * vh + vw * (h * h + vh);
            }
            (m, v + joint.as_ref().map_or(0.0, |j| j.cross_variance(u, |d| items[d].posterior.mean[p])))
        };
        let all = parallel::map(records.len(), PARALLEL, moments);
        (self.mean, self.variance) = all.into_iter().unzip();
    }

    /// The log evidence (corrected (44) to (52) of the supplement in natural parameters; at a fixpoint the published
    /// scheme's):
    /// `sum [log Phi + Psi(cavity) - Psi(site + cavity) - tau (m^2 + v) / 2 + nu m] - KL(q(W)) - KL(q(F))`.
    pub(super) fn log_evidence(&mut self, problem: &Problem<'_>) -> f64 {
        let mut sum = 0.0;
        let mut first = 0;
        for of_answer in problem.answers.by_answer() {
            let n = first;
            first += of_answer.len();
            let r = &of_answer[0];
            if let Some(set) = problem.likelihoods.set(r.answer) {
                let site = |n: usize| {
                    let (m, v) = (self.mean[n], self.variance[n]);
                    self.sites.nu[n] * m - 0.5 * self.sites.tau[n] * (m * m + v)
                };
                let updated = self.updated_set(set, n, of_answer).first;
                sum += r.count
                    * match updated.mismatch.is_finite() {
                        true => updated.log_evidence + (n..first).map(site).sum::<f64>(),
                        // Without a cavity the answer is as likely as its marginal says.
                        false => set_factor::log_probability(set, &self.of_pairs(n, of_answer)),
                    };
                continue;
            }
            if self.is_known(n) {
                sum += r.count * problem.likelihoods.of(r.answer).tilt(r.sign * self.mean[n], 0.0).log_z;
                continue;
            }
            self.refresh_cavity(n);
            let (t1, n1) = (self.sites.tau[n], self.sites.nu[n]);
            let (t2, n2) = (self.cavities.tau[n], self.cavities.nu[n]);
            let (m, v) = (self.mean[n], self.variance[n]);
            let log_z = problem.likelihoods.of(r.answer).tilt(r.sign * n2 / t2, 1.0 / t2).log_z;
            let sites = n1 * m - 0.5 * t1 * (m * m + v);
            sum += r.count * (log_z + log_integral(t2, n2) - log_integral(t1 + t2, n1 + n2) + sites);
        }
        let weights = match &self.joint {
            Some(joint) => joint.divergence,
            None => self.users.iter().map(|h| h.divergence).sum(),
        };
        sum - weights - self.items.iter().map(|h| h.divergence).sum::<f64>()
    }
}

/// `Psi`: the log of the integral of `exp(nu x - tau x^2 / 2)`, less `log(2 pi) / 2`.
pub(super) fn log_integral(tau: f64, nu: f64) -> f64 {
    0.5 * nu * nu / tau - 0.5 * tau.ln()
}
