//! Answers about a set of options, taken jointly: the best, the worst, both, rankings. One noise an option and answer.

use super::Kind;
use super::choice::Choice;
use super::gumbel_set::GumbelSet;
use super::response::{Link, Reply, Response, ResponseLikelihood, Setting, Survey};
use crate::parameter::Hyperparameter;
use rather_numerics::linalg::{
    Matrix, cholesky, dot, product, solve_lower, solve_lower_transposed_vec, solve_lower_vec,
    transpose_product,
};
use rather_numerics::special::probit::probit_moments;

/// What is said of a set of options in their order: the first `top` are the best ones, best first, the last `bottom` the worst ones, worst last; of those
/// between is not known which is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PartialOrder {
    options: usize,
    top: usize,
    bottom: usize,
}

impl PartialOrder {
    /// The most options of a set.
    pub const MOST: usize = 12;

    /// An order of so many options; `None` if it says nothing, or there are fewer than three options or more than [`PartialOrder::MOST`].
    pub fn new(options: usize, top: usize, bottom: usize) -> Option<Self> {
        let fits = (3..=Self::MOST).contains(&options) && top + bottom > 0 && top + bottom <= options;
        // Where one option is left, its place is known: a full ranking.
        let full = top + bottom + 1 >= options;
        let (top, bottom) = if full { (options - 1, 0) } else { (top, bottom) };
        fits.then_some(Self { options, top, bottom })
    }

    /// The order that a datum of [`SetChoice`] stands for.
    fn of_datum(datum: f64) -> Option<Self> {
        if datum.fract() != 0.0 || !(0.0..f64::from(1 << 12)).contains(&datum) {
            return None;
        }
        let code = datum as usize;
        let order = Self { options: code & 15, top: code >> 4 & 15, bottom: code >> 8 };
        (Self::new(order.options, order.top, order.bottom) == Some(order)).then_some(order)
    }

    /// The order that a reply is, if it is about a set.
    pub(crate) fn of_reply(reply: &Reply) -> Option<Self> {
        if reply.kind == Kind(&SetChoice) { Self::of_datum(reply.datum) } else { None }
    }

    /// All pairs of places, in the order of the first and then of the second one.
    pub(crate) fn each_pair(self) -> impl Iterator<Item = (usize, usize)> {
        (0..self.options).flat_map(move |a| (a + 1..self.options).map(move |b| (a, b)))
    }

    /// Whether the order of a pair of options is known; pairs are numbered as [`PartialOrder::each_pair`] has them.
    pub(crate) fn orders(self, pair: usize) -> bool {
        let between = self.between();
        self.each_pair().nth(pair).is_some_and(|(a, b)| !(between.contains(&a) && between.contains(&b)))
    }

    /// As a reply.
    pub(crate) fn reply(self) -> Reply {
        Reply::new(Kind(&SetChoice), (self.options | self.top << 4 | self.bottom << 8) as f64)
    }

    /// Number of options.
    pub fn options(self) -> usize {
        self.options
    }

    /// Number of pairs of options.
    pub fn pairs(self) -> usize {
        self.options * (self.options - 1) / 2
    }

    /// The places between which the order of options is not known.
    pub(crate) fn between(self) -> std::ops::Range<usize> {
        self.top..self.options - self.bottom
    }

    /// Number of answers of this form about the same options: $n!/m!$ for $m$ options between.
    pub fn outcomes(self) -> f64 {
        (self.between().len() + 1..=self.options).map(|k| k as f64).product()
    }

    /// The comparisons that the others follow from, the better option first.
    pub(crate) fn edges(self) -> Vec<(usize, usize)> {
        let between = self.between();
        let chain = |places: std::ops::Range<usize>| places.clone().zip(places.skip(1));
        let best = between.clone().filter(|_| self.top > 0).map(|middle| (self.top - 1, middle));
        let worst = between.clone().filter(|_| self.bottom > 0).map(|middle| (middle, between.end));
        chain(0..self.top).chain(best).chain(worst).chain(chain(between.end..self.options)).collect()
    }
}

/// An answer about a set of options: $u_i=f_i+e_i$ with one noise $e_i$ an option and answer, of an item's standard deviation, and an order of the $u_i$
/// ([`PartialOrder`]).
///
/// # Formula
/// The best of $n$ says $u_1>u_j$ for all others, a ranking $u_1>u_2>\dots>u_n$. With normal noise the factor is moment-matched by expectation propagation over
/// these comparisons of $u$ ([`ChoiceSet::tilt`]); with the logistic link the noise is Gumbel's, and the factor is a product of softmax functions ([`GumbelSet`]). Of
/// two options it is the comparison of the two.
///
/// # References
/// Thurstone, *A law of comparative judgment* (1927); Herbrich, Minka and Graepel, *TrueSkill* (2007), for expectation propagation inside an answer.
#[derive(Debug, Clone, Copy)]
pub struct SetChoice;

impl Response for SetChoice {
    fn name(&self) -> &'static str {
        "set"
    }

    fn accepts(&self, datum: f64) -> bool {
        PartialOrder::of_datum(datum).is_some()
    }

    fn parameters(&self, _survey: &Survey<'_>) -> Vec<Hyperparameter> {
        Vec::new()
    }

    /// That of one pair of the set, if nothing else had been said.
    fn likelihood(&self, _said: &Reply, at: &Setting<'_>) -> ResponseLikelihood {
        Choice.likelihood(&Reply::CHOICE, at)
    }

    fn set(&self, said: &Reply, at: &Setting<'_>) -> Option<SetLikelihood> {
        let order = PartialOrder::of_datum(said.datum)?;
        Some(SetLikelihood::new(order, at.response_model.link, at.item_noise()))
    }
}

/// The factor of one answer about a set, by the noise of its options.
#[derive(Debug, Clone)]
pub enum SetLikelihood {
    /// Normal noise, for expectation propagation.
    Normal(ChoiceSet),
    /// Gumbel noise, for Laplace's approximation.
    Gumbel(GumbelSet),
}

impl SetLikelihood {
    /// An answer whose noise has the standard deviation `noise` an option: normal, or such that a comparison of two is logistic.
    pub fn new(order: PartialOrder, link: Link, noise: f64) -> Self {
        match link {
            Link::Probit => Self::Normal(ChoiceSet::new(order, noise)),
            Link::Logistic => Self::Gumbel(GumbelSet::new(order, noise)),
        }
    }

    /// What is said.
    pub fn order(&self) -> PartialOrder {
        match self {
            Self::Normal(set) => set.order(),
            Self::Gumbel(set) => set.order(),
        }
    }
}

/// The factor of one answer about a set, as a function of the utilities of its options.
#[derive(Debug, Clone)]
pub struct ChoiceSet {
    order: PartialOrder,
    edges: Vec<(usize, usize)>,
    noise: f64,
}

/// The moments of a factor of a set as a Gaussian site on the utilities of its options, which leaves their sum alone.
#[derive(Debug, Clone)]
pub struct TiltedSet {
    /// The logarithm of the probability of the answer.
    pub log_z: f64,
    /// The precision of the site: a Laplacian.
    pub precision: Matrix,
    /// Its precision times its mean; sums to 0.
    pub shift: Vec<f64>,
    /// The derivative of `log_z` in the covariance of the options' noisy utilities.
    pub slope: Matrix,
    /// The derivative of `log_z` in the logarithm of the noise.
    pub d_log_noise: f64,
}

/// The comparisons of noisy utilities that an answer is made of, at their moments.
pub(crate) struct Comparisons {
    /// The third to sixth cumulants of each one's tilted distribution, in standard deviations of its marginal.
    pub(crate) cumulants: Vec<[f64; 4]>,
    /// How the mean of each (a row), in standard deviations, moves with the utilities of the options.
    pub(crate) along: Matrix,
    /// The correlations of all.
    pub(crate) correlation: Matrix,
}

/// Sweeps over the comparisons of an answer.
const SWEEPS: usize = 500;
/// Sweeps after which half of an update is taken, and how near moments must come: far nearer than inference comes to its fixpoint.
const UNDAMPED: usize = 100;
const TOLERANCE: f64 = 1e-11;

impl ChoiceSet {
    /// An answer whose noise is `noise` an option.
    pub fn new(order: PartialOrder, noise: f64) -> Self {
        Self { order, edges: order.edges(), noise }
    }

    /// The standard deviation of the noise of an option.
    pub(crate) fn noise(&self) -> f64 {
        self.noise
    }

    /// Number of comparisons of noisy utilities that the answer is made of.
    pub(crate) fn comparisons_made(&self) -> usize {
        self.edges.len()
    }

    /// What is said.
    pub fn order(&self) -> PartialOrder {
        self.order
    }

    /// The moments under utilities `N(mean, covariance)`, of which only differences matter, with independent parts of covariance `rest` (each answer
    /// has its own) that the site is not about.
    ///
    /// With $A$ the comparisons, $T$ and $\nu$ their sites, $R$ the rest, $N=R+\sigma^2I$ and $M=ANA'$: the site is
    /// $\Lambda=A'(T^{-1}+M)^{-1}A$, $r=A'(I+TM)^{-1}\nu$.
    pub fn tilt(&self, mean: &[f64], covariance: &Matrix, rest: Option<&Matrix>) -> TiltedSet {
        let n = self.order.options;
        let mut noise = rest.cloned().unwrap_or_else(|| Matrix::zeros(n, n));
        noise.add_diagonal(self.noise * self.noise);
        let seen = Matrix::from_fn(n, n, |i, j| covariance[(i, j)] + noise[(i, j)]);
        let inner = Inner::settle(self.compared(&seen), self.differences(mean));
        let factor = inner.factor(&inner.prior);
        // What the comparisons take from the prior: T - T Sigma T, and nu - T m.
        let taken = inner.half(&factor);
        let pull = inner.reduced(&factor, &inner.prior, &inner.excess());
        let slope = self.over_options(|k, l| 0.5 * (pull[k] * pull[l] - dot(taken.col(k), taken.col(l))));
        // The same under the noise alone, for the site.
        let own = self.compared(&noise);
        let factor_of_noise = inner.factor(&own);
        let left = inner.half(&factor_of_noise);
        let precision = self.over_options(|k, l| dot(left.col(k), left.col(l)));
        let mut shift = vec![0.0; n];
        for (&(a, b), x) in self.edges.iter().zip(inner.reduced(&factor_of_noise, &own, &inner.nu)) {
            shift[a] += x;
            shift[b] -= x;
        }
        let trace: f64 = (0..n).map(|i| slope[(i, i)]).sum();
        TiltedSet {
            log_z: inner.log_z(&factor, &taken, &pull),
            precision,
            shift,
            d_log_noise: 2.0 * self.noise * self.noise * trace,
            slope,
        }
    }

    /// The comparisons of one answer as factors of their own, at the moments that [`ChoiceSet::tilt`] matches.
    pub(crate) fn comparisons(&self, mean: &[f64], covariance: &Matrix) -> Comparisons {
        let n = self.order.options;
        let mut noise = Matrix::zeros(n, n);
        noise.add_diagonal(self.noise * self.noise);
        let seen = Matrix::from_fn(n, n, |i, j| covariance[(i, j)] + noise[(i, j)]);
        let inner = Inner::settle(self.compared(&seen), self.differences(mean));
        let (covariance, mean) = inner.posterior(&inner.factor(&inner.prior));
        let cumulants = (0..mean.len()).map(|k| {
            let (m, v) = inner.cavity(k, mean[k], covariance[(k, k)]);
            let ratio = (v / covariance[(k, k)]).sqrt();
            let d = derivatives(m / v.sqrt());
            std::array::from_fn(|order| d[order] * ratio.powi(order as i32 + 3))
        });
        // Given the utilities, the mean of the comparisons is (I + M T)^-1 A f and more.
        let own = self.compared(&noise);
        let left = inner.half(&inner.factor(&own));
        let taken = product(&own, &transpose_product(&left, &left));
        let at = |k: usize, i: usize| {
            let signed = |l: usize| match self.edges[l] {
                (a, _) if a == i => 1.0,
                (_, b) if b == i => -1.0,
                _ => 0.0,
            };
            let all = (0..mean.len()).map(|l| taken[(k, l)] * signed(l));
            (signed(k) - all.sum::<f64>()) / covariance[(k, k)].sqrt()
        };
        let along = Matrix::from_fn(mean.len(), n, at);
        let scale = |k: usize, l: usize| (covariance[(k, k)] * covariance[(l, l)]).sqrt();
        Comparisons {
            cumulants: cumulants.collect(),
            along,
            correlation: Matrix::from_fn(mean.len(), mean.len(), |k, l| covariance[(k, l)] / scale(k, l)),
        }
    }

    /// The logarithm of the probability of the answer, as [`ChoiceSet::tilt`] has it.
    pub(crate) fn log_probability(&self, mean: &[f64], covariance: &Matrix) -> f64 {
        let mut seen = covariance.clone();
        seen.add_diagonal(self.noise * self.noise);
        let inner = Inner::settle(self.compared(&seen), self.differences(mean));
        let factor = inner.factor(&inner.prior);
        let pull = inner.reduced(&factor, &inner.prior, &inner.excess());
        inner.log_z(&factor, &inner.half(&factor), &pull)
    }

    /// `A x`.
    fn differences(&self, x: &[f64]) -> Vec<f64> {
        self.edges.iter().map(|&(a, b)| x[a] - x[b]).collect()
    }

    /// `A C A'`.
    fn compared(&self, c: &Matrix) -> Matrix {
        let at = |k: usize, l: usize| {
            let ((a, b), (p, q)) = (self.edges[k], self.edges[l]);
            (c[(a, p)] - c[(b, p)]) - (c[(a, q)] - c[(b, q)])
        };
        Matrix::from_fn(self.edges.len(), self.edges.len(), at)
    }

    /// `A' X A` of a symmetric `X`.
    fn over_options(&self, x: impl Fn(usize, usize) -> f64) -> Matrix {
        let mut out = Matrix::zeros(self.order.options, self.order.options);
        for (k, &(a, b)) in self.edges.iter().enumerate() {
            for (l, &(p, q)) in self.edges.iter().enumerate() {
                let x = x(k, l);
                out[(a, p)] += x;
                out[(b, q)] += x;
                out[(a, q)] -= x;
                out[(b, p)] -= x;
            }
        }
        out
    }
}

/// Expectation propagation of comparisons without noise, `h_k > 0`, under `h ~ N(mean, prior)`.
struct Inner {
    prior: Matrix,
    mean: Vec<f64>,
    tau: Vec<f64>,
    nu: Vec<f64>,
}

impl Inner {
    /// Sweeps over the comparisons, one after the other, until moments agree.
    fn settle(prior: Matrix, mean: Vec<f64>) -> Self {
        let edges = mean.len();
        let (mut sigma, mut m) = (prior.clone(), mean.clone());
        let mut out = Self { prior, mean, tau: vec![0.0; edges], nu: vec![0.0; edges] };
        let mut best = f64::INFINITY;
        for sweep in 0..SWEEPS {
            let step = if sweep < UNDAMPED { 1.0 } else { 0.5 };
            let mut worst = 0.0_f64;
            for k in 0..edges {
                let (v, mean) = (sigma[(k, k)], m[k]);
                let (_, tau, nu) = positive(out.cavity(k, mean, v));
                let (d_tau, d_nu) = (step * (tau - out.tau[k]), step * (nu - out.nu[k]));
                let gain = 1.0 / (1.0 + d_tau * v);
                worst = worst.max((d_tau.abs() * v).max((d_nu - d_tau * mean).abs() * v.sqrt()) * gain);
                out.tau[k] += d_tau;
                out.nu[k] += d_nu;
                let column = sigma.col(k).to_vec();
                for (j, &c) in column.iter().enumerate() {
                    m[j] += (d_nu - d_tau * mean) * gain * c;
                    let taken = d_tau * gain * c;
                    sigma.col_mut(j).iter_mut().zip(&column).for_each(|(s, x)| *s -= taken * x);
                }
            }
            // Rounding is all that is left once moments no longer come nearer.
            if worst <= TOLERANCE || (worst >= best && worst < TOLERANCE.sqrt()) {
                break;
            }
            best = best.min(worst);
        }
        out
    }

    /// The marginal of comparison `k` without its own site.
    fn cavity(&self, k: usize, mean: f64, v: f64) -> (f64, f64) {
        let left = (1.0 - self.tau[k] * v).max(f64::EPSILON);
        ((mean - self.nu[k] * v) / left, v / left)
    }

    /// The Cholesky factor of `I + S K S`, `S` the roots of the sites' precisions.
    fn factor(&self, k: &Matrix) -> Matrix {
        let root = |i: usize| self.tau[i].sqrt();
        let mut b = Matrix::from_fn(k.rows(), k.cols(), |i, j| root(i) * k[(i, j)] * root(j));
        b.add_diagonal(1.0);
        // At least the identity, so that it has one unless a number is none.
        if !cholesky(&mut b) {
            b.data_mut().fill(f64::NAN);
        }
        b
    }

    /// `L^-1 S` for a factor `L` of [`Inner::factor`]; its columns' inner products are `(T^-1 + K)^-1`.
    fn half(&self, factor: &Matrix) -> Matrix {
        let edges = self.tau.len();
        let mut out = Matrix::from_fn(edges, edges, |i, j| if i == j { self.tau[i].sqrt() } else { 0.0 });
        solve_lower(factor, &mut out);
        out
    }

    /// `(I + T K)^-1 x` for the factor of `K`: `x - S B^-1 S K x`.
    fn reduced(&self, factor: &Matrix, k: &Matrix, x: &[f64]) -> Vec<f64> {
        let root = |i: usize| self.tau[i].sqrt();
        let mut y = k.times(x);
        y.iter_mut().enumerate().for_each(|(i, y)| *y *= root(i));
        solve_lower_vec(factor, &mut y);
        solve_lower_transposed_vec(factor, &mut y);
        x.iter().zip(&y).enumerate().map(|(i, (x, y))| x - root(i) * y).collect()
    }

    /// `nu - T mean`: what the sites say that the prior does not.
    fn excess(&self) -> Vec<f64> {
        self.nu.iter().zip(&self.tau).zip(&self.mean).map(|((n, t), g)| n - t * g).collect()
    }

    /// The covariance and the mean of all comparisons, with all sites.
    fn posterior(&self, factor: &Matrix) -> (Matrix, Vec<f64>) {
        let taken = product(&self.half(factor), &self.prior);
        let covariance = Matrix::from_fn(self.tau.len(), self.tau.len(), |k, l| {
            self.prior[(k, l)] - dot(taken.col(k), taken.col(l))
        });
        let moved = self.prior.times(&self.reduced(factor, &self.prior, &self.excess()));
        (covariance, moved.iter().zip(&self.mean).map(|(d, g)| d + g).collect())
    }

    /// The logarithm of the approximate probability that all are positive, from `half` and `pull`, `nu - T m`.
    fn log_z(&self, factor: &Matrix, half: &Matrix, pull: &[f64]) -> f64 {
        let edges = self.tau.len();
        let taken = product(half, &self.prior);
        let moved = self.prior.times(pull);
        let mut out = -(0..edges).map(|k| factor[(k, k)].ln()).sum::<f64>();
        for (k, moved) in moved.into_iter().enumerate() {
            let v = self.prior[(k, k)] - dot(taken.col(k), taken.col(k));
            let (tau, nu, g) = (self.tau[k], self.nu[k], self.mean[k]);
            let (m, vc) = self.cavity(k, g + moved, v);
            let shrink = v / vc;
            let (log_z, ..) = positive((m, vc));
            out += log_z - 0.5 * shrink.ln()
                + 0.5 * shrink * (tau * m * m - 2.0 * nu * m - nu * nu * vc)
                + 0.5 * ((nu - tau * g) * moved + g * (2.0 * nu - tau * g));
        }
        out
    }
}

/// The third to sixth derivatives of `log Phi`: cumulants of a standard normal distribution that is cut off at `-beta`.
fn derivatives(beta: f64) -> [f64; 4] {
    let p = probit_moments(beta);
    // r' = -w, t' = q and q' = -w' with w = r t.
    let (sum, gap) = (p.t + p.r, p.q - p.w);
    let first = p.r * p.q - p.w * p.t;
    let second = -first * sum - 2.0 * p.w * p.q;
    let third = -second * sum - 3.0 * first * gap;
    let fourth = -third * sum - 4.0 * second * gap + 6.0 * first * first;
    [-first, -second, -third, -fourth]
}

/// The log probability that a Gaussian of this mean and variance is positive, and the site `(tau, nu)` of that.
fn positive((mean, variance): (f64, f64)) -> (f64, f64, f64) {
    let scale = variance.sqrt();
    let beta = mean / scale;
    let p = probit_moments(beta);
    (p.log_cdf, p.w / (variance * p.q), (p.t - beta * p.q) / (scale * p.q))
}
