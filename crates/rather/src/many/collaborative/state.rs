//! The approximate posterior while it is being fitted, and the parts of a cycle of the merged scheme.
//!
//! `q = prod_d N(w_d) N(f_d)`, full covariances over users and items, and a site for every answer by EP. Its
//! fixpoints are those of the published EP-VB scheme (Houlsby et al. 2012, supplement, section 4): the factor for
//! `g = w'h` sees `h_d` only through its moments at the compared pairs, so its message to `h_d` is the site (`c`, `l`)
//! below, whatever the prior's factor had sent, and that factor answers with exact Gaussian marginals.

use std::ops::Range;

use super::gaussians::dot;
use super::joint::{AtPairs, Course, JointWeights};
use super::settings::{Scheme, Settings, Weights};
use super::sides::{Half, ItemSide};
use crate::inference::set_factor;
use crate::inference::sites::{Sites, Updated, update};
use crate::likelihood::Likelihoods;
use crate::likelihood::choice_set::ChoiceSet;
use crate::many::answers::{Record, UserAnswers};
use crate::many::low_rank::LowRank;
use rather_numerics::random::{normals, stream};
use rather_numerics::{parallel, simd, watch};

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
    /// The users' weights.
    pub(super) weights: UserWeights,
    /// Latent functions.
    pub(super) items: Vec<Half>,
    /// Updates left out so far.
    pub(super) skipped: usize,
}

/// What is known of all users' weights.
#[derive(Debug, Clone)]
pub(super) enum UserWeights {
    /// One entry a latent function.
    PerFunction(Vec<Half>),
    /// One Gaussian over users and functions.
    Joint(JointWeights),
}

/// What an update makes of the answers of some users.
struct Updates {
    sites: Sites,
    cavities: Sites,
    /// The sum of the squared mismatches.
    squares: f64,
    /// Answers that are left as they are.
    skipped: usize,
}

impl UserWeights {
    /// Those of each function, where these are independent; none otherwise.
    pub(super) fn per_function(&self) -> &[Half] {
        match self {
            Self::PerFunction(halves) => halves,
            Self::Joint(_) => &[],
        }
    }

    fn divergence(&self) -> f64 {
        match self {
            Self::PerFunction(halves) => halves.iter().map(|half| half.divergence).sum(),
            Self::Joint(joint) => joint.divergence,
        }
    }
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
        let blocks = (n / (4 * p).max(1)).clamp(1, MOST_BLOCKS);
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
            (weights, Half::guess(values, pair_variances.clone()))
        };
        let (means, items): (Vec<Vec<f64>>, Vec<Half>) = (0..settings.functions).map(&mut draw).unzip();
        let weights = match settings.weights {
            Weights::Joint => UserWeights::Joint(JointWeights::guess(&means, &user_variances)),
            _ => {
                let half = |mean| Half::guess(mean, user_variances.clone());
                UserWeights::PerFunction(means.into_iter().map(half).collect())
            }
        };
        let n = answers.records().len();
        let d = items.len() as f64;
        let mut out = Self {
            sites: Sites::empty(n),
            cavities: Sites::empty(n),
            mean: vec![0.0; n],
            variance: vec![0.0; n],
            weights,
            items,
            skipped: 0,
        };
        for (i, r) in answers.records().iter().enumerate() {
            out.variance[i] = d * user_variances[r.user] * pair_variances[r.edge];
        }
        // Sites are made from the prior moments of `g`. Sweeps come before their next update: a guess with the prior's variances is no marginal
        // that a cavity could be taken from.
        let undamped = 1.0;
        out.update_sites(problem, undamped);
        out.refresh_moments(problem);
        if matches!(problem.settings.scheme, Scheme::Merged) {
            out.sweeps(problem, Course::InTurn)?;
        }
        Some(out)
    }

    /// Sweeps over weights and latent functions with the sites held fixed, and the moments of `g` that result; with weights that are joint over
    /// functions these may be rotated into each other first. Returns what the sweeps moved the functions, in standard deviations of `g`, as the root
    /// of the mean square over the answers.
    pub(super) fn sweeps(&mut self, problem: &Problem<'_>, course: Course) -> Option<f64> {
        let records = problem.answers.records();
        let weighted = |x: &[f64]| -> Vec<f64> { x.iter().zip(records).map(|(x, r)| x * r.count).collect() };
        let (tau, nu) = (weighted(&self.sites.tau), weighted(&self.sites.nu));
        let before = match &mut self.weights {
            UserWeights::Joint(joint) => joint.sweeps(problem, &mut self.items, (&tau, &nu), course)?,
            UserWeights::PerFunction(_) => {
                let before = AtPairs::of(&self.items);
                self.sweeps_per_function(problem, &tau, &nu)?;
                before
            }
        };
        self.refresh_moments(problem);
        Some(self.moved_from(&self.means_under(problem, &before)))
    }

    /// How far the means of `g` are from others, in standard deviations, as the root of the mean square over the answers.
    pub(super) fn moved_from(&self, before: &[f64]) -> f64 {
        let open = (0..before.len()).filter(|n| !self.is_known(*n));
        let squares = open.map(|n| (self.mean[n] - before[n]).powi(2) / self.variance[n]);
        (squares.sum::<f64>() / before.len().max(1) as f64).sqrt()
    }

    fn sweeps_per_function(&mut self, problem: &Problem<'_>, tau: &[f64], nu: &[f64]) -> Option<()> {
        for _ in 0..problem.settings.inner_sweeps {
            for d in 0..self.items.len() {
                if watch::ends() {
                    return None;
                }
                self.step(problem, d, tau, nu)?;
            }
        }
        Some(())
    }

    /// One EP update of every answer's site, of which the share `damping` is taken; returns the root mean square of the
    /// mismatch of marginal and tilted moments. A site whose cavity would have a negative precision is left as it is.
    pub(super) fn update_sites(&mut self, problem: &Problem<'_>, damping: f64) -> f64 {
        let users = problem.answers.users();
        let run = problem.grain(users);
        let of_run =
            |run_of: usize| self.updates(problem, run_of * run..((run_of + 1) * run).min(users), damping);
        let all = parallel::map(users.div_ceil(run), 1, of_run);
        let mut squares = 0.0;
        for updates in &all {
            squares += updates.squares;
            self.skipped += updates.skipped;
        }
        let joined = |of: fn(&Updates) -> &[f64]| all.iter().flat_map(of).copied().collect();
        self.sites = Sites { tau: joined(|all| &all.sites.tau), nu: joined(|all| &all.sites.nu) };
        self.cavities = Sites { tau: joined(|all| &all.cavities.tau), nu: joined(|all| &all.cavities.nu) };
        (squares / self.mean.len().max(1) as f64).sqrt()
    }

    /// The updates of some users' answers.
    fn updates(&self, problem: &Problem<'_>, users: Range<usize>, damping: f64) -> Updates {
        let first = problem.answers.of_user(users.start).start;
        let last = problem.answers.of_user(users.end - 1).end;
        let own = |sites: &Sites| Sites {
            tau: sites.tau[first..last].to_vec(),
            nu: sites.nu[first..last].to_vec(),
        };
        let mut out =
            Updates { sites: own(&self.sites), cavities: own(&self.cavities), squares: 0.0, skipped: 0 };
        let mut n = first;
        for of_answer in problem.answers.by_answer_of(users) {
            self.update_answer(problem, n, of_answer, (damping, first), &mut out);
            n += of_answer.len();
        }
        out
    }

    /// The update of one answer, whose records begin with number `n`, in what begins with number `first`.
    fn update_answer(
        &self,
        problem: &Problem<'_>,
        n: usize,
        of_answer: &[Record],
        (damping, first): (f64, usize),
        out: &mut Updates,
    ) {
        let r = of_answer[0];
        let updated = match problem.likelihoods.set(r.answer) {
            Some(set) => Some(self.updated_set(set, n, of_answer)).filter(|u| u.first.mismatch.is_finite()),
            None if self.is_known(n) => return,
            None => self.cavity(n).map(|cavity| {
                (out.cavities.tau[n - first], out.cavities.nu[n - first]) = cavity;
                let (tau, nu) = (self.sites.tau[n], r.sign * self.sites.nu[n]);
                let (m, v) = (r.sign * self.mean[n], self.variance[n]);
                Updated::one(update(problem.likelihoods.of(r.answer), tau, nu, m, v, 0.0))
            }),
        };
        let Some(updated) = updated else {
            out.skipped += 1;
            return;
        };
        let places = n - first..;
        for ((place, r), new) in places.zip(of_answer).zip(updated.each()) {
            out.squares += new.mismatch * new.mismatch;
            let (tau, nu) = (out.sites.tau[place], out.sites.nu[place]);
            out.sites.tau[place] = tau + damping * (new.tau - tau);
            out.sites.nu[place] = nu + damping * (r.sign * new.nu - nu);
        }
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
    pub(super) fn is_known(&self, n: usize) -> bool {
        self.variance[n] <= 0.0
    }

    /// The marginal of a record without its site, as precision and shift; `None` if nothing would be left.
    fn cavity(&self, n: usize) -> Option<(f64, f64)> {
        let (m, v) = (self.mean[n], self.variance[n]);
        let tau = 1.0 / v - self.sites.tau[n];
        (tau > 0.0 && tau.is_finite()).then(|| (tau, m / v - self.sites.nu[n]))
    }

    /// Takes a site out of its marginal; where nothing would be left, the old cavity stays.
    pub(super) fn refresh_cavity(&mut self, n: usize) {
        if let Some(cavity) = self.cavity(n) {
            (self.cavities.tau[n], self.cavities.nu[n]) = cavity;
        }
    }

    /// The two steps for latent function `d`, with the residual `R = nu - tau (E g - w h)` of the records.
    ///
    /// `W`: `tau_u = sum tau (h^2 + v_h)`, `nu_u = sum R h`. `F`: `c_p = sum tau (w^2 + v_w)`, `l_p = sum R w`.
    fn step(&mut self, problem: &Problem<'_>, d: usize, tau: &[f64], nu: &[f64]) -> Option<()> {
        let (old, h) = (&self.weights.per_function()[d].posterior.mean, &self.items[d].posterior);
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
        self.replace(problem, d, new, items);
        Some(())
    }

    /// Two sums over all records of each pair, in blocks of users whose number depends on the data only.
    fn sum_over_users(
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
    fn replace(&mut self, problem: &Problem<'_>, d: usize, users: Half, items: Half) {
        let UserWeights::PerFunction(weights) = &mut self.weights else { return };
        let old_w = std::mem::replace(&mut weights[d], users).posterior.mean;
        let old_h = std::mem::replace(&mut self.items[d], items).posterior.mean;
        let (w, h) = (&weights[d].posterior.mean, &self.items[d].posterior.mean);
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
        let place = |n: usize| (records[n].user, problem.pair[n] as usize);
        let all = match &self.weights {
            UserWeights::Joint(joint) => {
                let at_pairs = AtPairs::of(&self.items);
                let moments = |n: usize| {
                    let (user, pair) = place(n);
                    simd::vectorised(
                        #[inline(always)]
                        || at_pairs.moments(pair, &joint.of_users.get(user)),
                    )
                };
                parallel::map(records.len(), PARALLEL, moments)
            }
            UserWeights::PerFunction(weights) => {
                let moments = |n: usize| {
                    let (u, p) = place(n);
                    let (mut m, mut v) = (0.0, 0.0);
                    for (w, h) in weights.iter().zip(&self.items) {
                        let (w, vw) = (w.posterior.mean[u], w.posterior.variance[u]);
                        let (h, vh) = (h.posterior.mean[p], h.posterior.variance[p]);
                        m += w * h;
                        v += w * w * vh + vw * (h * h + vh);
                    }
                    (m, v)
                };
                parallel::map(records.len(), PARALLEL, moments)
            }
        };
        (self.mean, self.variance) = all.into_iter().unzip();
    }

    /// `E g` of every record if the functions were others.
    fn means_under(&self, problem: &Problem<'_>, functions: &AtPairs) -> Vec<f64> {
        let records = problem.answers.records();
        let mean = |n: usize| {
            let (user, h) = (records[n].user, functions.at(problem.pair[n] as usize).0);
            match &self.weights {
                UserWeights::Joint(joint) => dot(joint.of_users.get(user).mean, h),
                UserWeights::PerFunction(halves) => {
                    halves.iter().zip(h).map(|(half, h)| half.posterior.mean[user] * h).sum()
                }
            }
        };
        parallel::map(records.len(), PARALLEL, mean)
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
        sum - self.weights.divergence() - self.items.iter().map(|h| h.divergence).sum::<f64>()
    }
}

/// `Psi`: the log of the integral of `exp(nu x - tau x^2 / 2)`, less `log(2 pi) / 2`.
pub(super) fn log_integral(tau: f64, nu: f64) -> f64 {
    0.5 * nu * nu / tau - 0.5 * tau.ln()
}
