//! Gaussian processes in time as Markov processes: the state-space form of a covariance function.
//!
//! The state holds the process and its derivatives, each scaled so that it has no unit of time: $x=(f,f'/\lambda,f''/\lambda^2)$. Over the time
//! $\Delta$, with $s=\lambda\Delta$,
//! $$ x(t+\Delta)=A(s)x(t)+q,\qquad q\sim N(0,\sigma^2Q(s)),\qquad x\sim N(0,\sigma^2P_0). $$
//! $A(s)=e^{Fs}$, and $Q(s)=c\int_0^s p(u)p(u)^\top e^{-2u} du$ for the response $p(u)e^{-u}$ to a push of the highest derivative, so that short steps lose
//! no digits.
//!
//! # References
//! Hartikainen and Särkkä, *Kalman filtering and smoothing solutions to temporal Gaussian process regression models* (2010), section 3;
//! Särkkä and Solin, *Applied stochastic differential equations* (2019), chapter 12.

use rather_numerics::linalg::Matrix;

/// A Markov process whose first component is the utility.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Process {
    /// Ornstein-Uhlenbeck: the kernel `matern12`.
    Matern12,
    /// The kernel `matern32`.
    Matern32,
    /// The kernel `matern52`.
    Matern52,
    /// Brownian motion from 0 at its start.
    Wiener,
    /// The integral of a Brownian motion, from 0 with slope 0 at its start.
    IntegratedWiener,
}

/// Powers of time in the response of a state: at most $u^2$.
const POWERS: usize = 3;

impl Process {
    /// Number of components of the state.
    pub(crate) fn order(self) -> usize {
        match self {
            Self::Matern12 | Self::Wiener => 1,
            Self::Matern32 | Self::IntegratedWiener => 2,
            Self::Matern52 => 3,
        }
    }

    /// Whether it starts from 0 somewhere, and knows no lengthscale.
    pub(crate) fn has_start(self) -> bool {
        matches!(self, Self::Wiener | Self::IntegratedWiener)
    }

    /// $\lambda$ for a lengthscale: $\sqrt{2\nu}/l$, or 1.
    pub(crate) fn rate(self, lengthscale: Option<f64>) -> f64 {
        let root = match self {
            Self::Matern12 | Self::Wiener | Self::IntegratedWiener => 1.0,
            Self::Matern32 => 3.0_f64.sqrt(),
            Self::Matern52 => 5.0_f64.sqrt(),
        };
        lengthscale.map_or(1.0, |l| root / l)
    }

    /// $A(s)$.
    pub(crate) fn transition(self, s: f64) -> Matrix {
        let e = if self.has_start() { 1.0 } else { (-s).exp() };
        let h = 0.5 * s * s;
        match self {
            Self::Wiener | Self::Matern12 => square([[e]]),
            Self::IntegratedWiener => square([[1.0, s], [0.0, 1.0]]),
            Self::Matern32 => square([[e * (1.0 + s), e * s], [-e * s, e * (1.0 - s)]]),
            Self::Matern52 => square([
                [e * (1.0 + s + h), e * (s + 2.0 * h), e * h],
                [-e * h, e * (1.0 + s - 2.0 * h), e * (s - h)],
                [e * (h - s), e * (2.0 * h - 3.0 * s), e * (1.0 - 2.0 * s + h)],
            ]),
        }
    }

    /// $s\,dA/ds=sFA(s)$.
    pub(crate) fn transition_slope(self, s: f64) -> Matrix {
        let drift = match self {
            Self::Wiener => square([[0.0]]),
            Self::Matern12 => square([[-1.0]]),
            Self::IntegratedWiener => square([[0.0, 1.0], [0.0, 0.0]]),
            Self::Matern32 => square([[0.0, 1.0], [-1.0, -2.0]]),
            Self::Matern52 => square([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [-1.0, -3.0, -3.0]]),
        };
        let a = self.transition(s);
        let n = self.order();
        Matrix::from_fn(n, n, |i, j| s * (0..n).map(|k| drift[(i, k)] * a[(k, j)]).sum::<f64>())
    }

    /// The polynomial of each component's response, by powers of $u$.
    fn response(self) -> Vec<[f64; POWERS]> {
        match self {
            Self::Wiener | Self::Matern12 => vec![[1.0, 0.0, 0.0]],
            Self::IntegratedWiener => vec![[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]],
            Self::Matern32 => vec![[0.0, 1.0, 0.0], [1.0, -1.0, 0.0]],
            Self::Matern52 => vec![[0.0, 0.0, 0.5], [0.0, 1.0, -0.5], [1.0, -2.0, 0.5]],
        }
    }

    /// The intensity $c$ of the push, for a stationary variance of 1.
    fn intensity(self) -> f64 {
        match self {
            Self::Wiener | Self::IntegratedWiener => 1.0,
            Self::Matern12 => 2.0,
            Self::Matern32 => 4.0,
            Self::Matern52 => 16.0 / 3.0,
        }
    }

    /// $Q(s)$.
    pub(crate) fn noise(self, s: f64) -> Matrix {
        let decay = if self.has_start() { 0.0 } else { 2.0 };
        let moments: [f64; 2 * POWERS - 1] = std::array::from_fn(|k| moment(k as u32, decay, s));
        let (p, c) = (self.response(), self.intensity());
        let entry = |i: usize, j: usize| {
            let terms = (0..POWERS).flat_map(|a| (0..POWERS).map(move |b| (a, b)));
            c * terms.map(|(a, b)| p[i][a] * p[j][b] * moments[a + b]).sum::<f64>()
        };
        Matrix::from_fn(p.len(), p.len(), entry)
    }

    /// $s\,dQ/ds$.
    pub(crate) fn noise_slope(self, s: f64) -> Matrix {
        let decay = if self.has_start() { 1.0 } else { (-2.0 * s).exp() };
        let at = |q: [f64; POWERS]| q[0] + s * (q[1] + s * q[2]);
        let p: Vec<f64> = self.response().into_iter().map(at).collect();
        let scale = s * self.intensity() * decay;
        Matrix::from_fn(p.len(), p.len(), |i, j| scale * p[i] * p[j])
    }

    /// The covariance of the state at its first time, `since` after the start of processes that have one (in the units of $s$).
    pub(crate) fn initial(self, since: f64) -> Matrix {
        match self {
            Self::Wiener | Self::IntegratedWiener => self.noise(since),
            Self::Matern12 => square([[1.0]]),
            Self::Matern32 => square([[1.0, 0.0], [0.0, 1.0]]),
            Self::Matern52 => {
                let third = 1.0 / 3.0;
                square([[1.0, 0.0, -third], [0.0, third, 0.0], [-third, 0.0, 1.0]])
            }
        }
    }
}

fn square<const N: usize>(rows: [[f64; N]; N]) -> Matrix {
    Matrix::from_fn(N, N, |i, j| rows[i][j])
}

/// $\int_0^s u^ke^{-cu}du$ by its series where $cs$ is small, else by recursion from $k=0$.
fn moment(k: u32, c: f64, s: f64) -> f64 {
    let x = c * s;
    if x < 1.0 {
        // s^(k+1) sum_j (-x)^j / (j! (k+1+j)).
        let (mut term, mut sum) = (1.0, 0.0);
        for j in 0..24 {
            sum += term / f64::from(k + 1 + j);
            term *= -x / f64::from(j + 1);
        }
        return s.powi(k as i32 + 1) * sum;
    }
    let end = (-x).exp();
    (1..=k).fold(-(-x).exp_m1() / c, |below, j| (f64::from(j) * below - s.powi(j as i32) * end) / c)
}
