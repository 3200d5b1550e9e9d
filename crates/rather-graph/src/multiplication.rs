//! The multiplication node: a matrix times a vector.

use crate::algebra::{complement, congruence, generalised_inverse, inverse, minus, transpose};
use crate::equality_multiplication::conditioned;
use crate::error::{GraphError, Problem};
use crate::message::{Information, Message, Moment};
use crate::node::{Node, named};
use rather_numerics::linalg::{Matrix, product, singular_values, transpose_product};

/// $Y=AX$ for a matrix $A$ of any shape and rank.
///
/// # Formula
/// Forward in moment form: $\mu_Y=A\mu_X$, $\Sigma_Y=A\Sigma_XA^\top$. Backward in information form: $\xi_X=A^\top\xi_Y$,
/// $\Upsilon_X=A^\top\Upsilon_YA$. Both hold for any $A$.
///
/// The other two go through the singular value decomposition $A=USV^\top$ of rank $r$. Forward in information form: the null
/// space $N$ of $A$ is integrated out (Schur complement),
/// $$ \Upsilon_w=V_1^\top\Upsilon_XV_1-V_1^\top\Upsilon_XN(N^\top\Upsilon_XN)^{+}N^\top\Upsilon_XV_1, $$
/// and $y=U_1Sw$, which has a precision if $A$ has full row rank, and a covariance if $\Upsilon_w$ is invertible. Backward in
/// moment form: $y$ is conditioned on $U_2^\top y=0$ (for a tall $A$ this is weighted least squares), and
/// $w=S^{-1}U_1^\top y$ has a covariance if $A$ has full column rank, and a precision if what is left of $\Sigma_Y$ is invertible.
/// Where neither form exists, the rule says so.
///
/// # References
/// Schoonderbeek (2014), Table I rows 3 and 4; the footnotes' conditions (symmetric positive definite $A$) are not the right
/// ones.
#[derive(Debug, Clone, PartialEq)]
pub struct Multiplication {
    a: Matrix,
    name: String,
    parts: Decomposition,
}

/// $A=U_1SV_1^\top$ and the spaces that it misses.
#[derive(Debug, Clone, PartialEq)]
struct Decomposition {
    u: Matrix,
    s: Vec<f64>,
    v: Matrix,
    /// Basis of the complement of the range.
    unreached: Matrix,
    /// Basis of the null space.
    null: Matrix,
}

/// Singular values below this share of the largest count as zero.
const RANK: f64 = 1e-12;

impl Decomposition {
    fn new(a: &Matrix) -> Option<Self> {
        let (u, s, v) = singular_values(a)?;
        let smallest = RANK * s.first().copied().unwrap_or(0.0);
        let rank = s.iter().filter(|&&s| s > smallest).count();
        let columns = |m: &Matrix, from: usize, to: usize| {
            Matrix::from_fn(m.rows(), to - from, |i, j| m[(i, from + j)])
        };
        Some(Self {
            unreached: columns(&u, rank, u.cols()),
            null: columns(&v, rank, v.cols()),
            u: columns(&u, 0, rank),
            v: columns(&v, 0, rank),
            s: s[..rank].to_vec(),
        })
    }
}

impl Multiplication {
    /// The node of a matrix, named as it is drawn.
    ///
    /// # Errors
    /// [`GraphError::Model`] if the matrix is empty or holds something that is not a finite number.
    pub fn new(name: &str, a: Matrix) -> Result<Self, GraphError> {
        let whole = a.rows() > 0 && a.cols() > 0;
        match Decomposition::new(&a).filter(|_| whole) {
            Some(parts) => Ok(Self { a, name: name.into(), parts }),
            None => Err(GraphError::Model {
                what: "matrix",
                expected: "finite numbers, at least one".into(),
                found: if whole { "others".into() } else { "none".into() },
            }),
        }
    }

    /// The matrix $A$.
    pub fn matrix(&self) -> &Matrix {
        &self.a
    }

    /// The message about `A X`.
    pub(crate) fn forward(&self, x: &Message) -> Result<Message, Problem> {
        match x {
            Message::Moment(x) => {
                Message::of_moments(self.a.times(&x.mean), congruence(&self.a, &x.covariance))
            }
            Message::Information(x) => self.forward_information(x),
        }
    }

    fn forward_information(&self, x: &Information) -> Result<Message, Problem> {
        let Decomposition { u, s, v, unreached, null } = &self.parts;
        let null_precision = transpose_product(null, &product(&x.precision, null));
        let null_inverse = generalised_inverse(&null_precision).ok_or(Problem::NotFinite)?.matrix;
        let cross = transpose_product(v, &product(&x.precision, null));
        let gain = product(&cross, &null_inverse);
        let shift = minus(&v.transpose_times(&x.shift), &gain.times(&null.transpose_times(&x.shift)));
        let whole = transpose_product(v, &product(&x.precision, v));
        let (shift, precision) =
            complement(shift, &whole, &product(&gain, &transpose(&cross))).ok_or(Problem::NotFinite)?;
        if unreached.cols() == 0 {
            let back = Matrix::from_fn(u.rows(), s.len(), |i, k| u[(i, k)] / s[k]);
            return Message::of_information(back.times(&shift), congruence(&back, &precision));
        }
        let w = Information { shift, precision };
        let w = Message::from(w).moment_on("port x").map_err(|_| Problem::NoForm)?;
        let out = Matrix::from_fn(u.rows(), s.len(), |i, k| u[(i, k)] * s[k]);
        Message::of_moments(out.times(&w.mean), congruence(&out, &w.covariance))
    }

    /// The message about `X` from one about `A X`.
    pub(crate) fn backward(&self, y: &Message) -> Result<Message, Problem> {
        match y {
            Message::Information(y) => {
                let x = y.through(&self.a);
                Message::of_information(x.shift, x.precision)
            }
            Message::Moment(y) => self.backward_moment(y),
        }
    }

    fn backward_moment(&self, y: &Moment) -> Result<Message, Problem> {
        let Decomposition { u, s, v, unreached, null } = &self.parts;
        if null.cols() > 0
            && let Some(precision) = inverse(&y.covariance)
        {
            let x = Information { shift: precision.times(&y.mean), precision }.through(&self.a);
            return Message::of_information(x.shift, x.precision);
        }
        let mut inside = y.clone();
        if unreached.cols() > 0 {
            let nought = Moment::exactly(vec![0.0; unreached.cols()]);
            inside = conditioned(y, &nought, &transpose(unreached))?;
        }
        let back = Matrix::from_fn(s.len(), u.rows(), |k, i| u[(i, k)] / s[k]);
        let w = inside.times(&back);
        if null.cols() == 0 {
            return Message::of_moments(v.times(&w.mean), congruence(v, &w.covariance));
        }
        let w = Message::from(w).information_on("port y").map_err(|_| Problem::NoForm)?;
        let x = w.through(&transpose(v));
        Message::of_information(x.shift, x.precision)
    }
}

impl Node for Multiplication {
    fn symbol(&self) -> String {
        self.name.clone()
    }

    fn ports(&self) -> Vec<String> {
        named(["x", "y"])
    }

    fn points_out(&self, port: usize) -> bool {
        port == 1
    }

    fn lengths(&self, _given: &[usize]) -> Vec<usize> {
        vec![self.a.cols(), self.a.rows()]
    }

    fn send(&self, port: usize, incoming: &[&Message]) -> Result<Message, Problem> {
        if port == 1 { self.forward(incoming[0]) } else { self.backward(incoming[1]) }
    }
}
