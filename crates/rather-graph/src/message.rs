//! Gaussian messages, in the form in which they were given.

use crate::algebra::{
    GeneralisedInverse, congruence, congruence_transposed, finite, generalised_inverse, inverse, largest,
    symmetrised,
};
use crate::error::{GraphError, Problem};
use rather_numerics::linalg::{Matrix, symmetric_eigen};

/// A mean $\mu$ and a covariance $\Sigma\succeq0$, which may be singular: 0 is a constant.
#[derive(Debug, Clone, PartialEq)]
pub struct Moment {
    pub(crate) mean: Vec<f64>,
    pub(crate) covariance: Matrix,
}

impl Moment {
    /// The mean $\mu$.
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// The covariance $\Sigma$.
    pub fn covariance(&self) -> &Matrix {
        &self.covariance
    }
}

/// A precision $\Upsilon\succeq0$, which may be singular (0 says nothing), and the shift $\xi=\Upsilon\mu$ in its range.
#[derive(Debug, Clone, PartialEq)]
pub struct Information {
    pub(crate) shift: Vec<f64>,
    pub(crate) precision: Matrix,
}

impl Information {
    /// The shift $\xi$: precision times mean, where there is a mean.
    pub fn shift(&self) -> &[f64] {
        &self.shift
    }

    /// The precision $\Upsilon$.
    pub fn precision(&self) -> &Matrix {
        &self.precision
    }
}

/// A Gaussian message $\mu(x)\propto\mathcal N(x;\mu,\Sigma)$ or $\exp(\xi^\top x-\tfrac12x^\top\Upsilon x)$.
///
/// It stays in the form it was made in. The other form is computed on demand, and does not exist if the matrix is
/// singular: the pseudo-inverse of a singular covariance is not its precision (it says "unknown" where the truth is "known
/// exactly"), so the conversion is an error.
///
/// # References
/// Loeliger, *An Introduction to Factor Graphs* (2004), section 5; Schoonderbeek (2014), Table I.
///
/// # Examples
/// ```
/// use rather_graph::Message;
/// use rather_numerics::linalg::Matrix;
///
/// let x = Message::moment(vec![0.7], Matrix::from_fn(1, 1, |_, _| 0.4))?;
/// assert!((x.to_information()?.shift()[0] - 1.75).abs() < 1e-15);
/// assert!(Message::constant(&[0.7]).to_information().is_err()); // its precision would be infinite
/// assert!(Message::flat(1).to_moment().is_err()); // it has no mean
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    /// In moment form.
    Moment(Moment),
    /// In information form.
    Information(Information),
}

/// Exact messages may differ by this share of their size before they contradict each other,
const AGREEMENT: f64 = 1e-8;
/// and by this much, where two exact messages about larger things have met in a point near 0 and left nothing but rounding.
const ROUNDING: f64 = 1e-12;

impl Message {
    /// A message in moment form.
    ///
    /// # Errors
    /// [`GraphError::Message`] if the shapes differ, a number is not finite, or the covariance is not symmetric positive
    /// semi-definite.
    pub fn moment(mean: Vec<f64>, covariance: Matrix) -> Result<Self, GraphError> {
        check(
            &mean,
            &covariance,
            "the covariance is not symmetric",
            "the covariance has a negative eigenvalue",
        )?;
        Ok(Self::Moment(Moment { mean, covariance: symmetrised(&covariance) }))
    }

    /// A message in information form.
    ///
    /// # Errors
    /// [`GraphError::Message`] as [`Message::moment`], and if the shift is not in the range of the precision.
    pub fn information(shift: Vec<f64>, precision: Matrix) -> Result<Self, GraphError> {
        check(
            &shift,
            &precision,
            "the precision is not symmetric",
            "the precision has a negative eigenvalue",
        )?;
        let precision = symmetrised(&precision);
        let outside = generalised_inverse(&precision).map_or(f64::INFINITY, |g| g.outside(&shift));
        if outside > AGREEMENT * largest(&shift) {
            return Err(GraphError::Message {
                problem: "the shift leaves the range of the precision: it pulls where the precision says nothing",
            });
        }
        Ok(Self::Information(Information { shift, precision }))
    }

    /// `x = value` for certain.
    pub fn constant(value: &[f64]) -> Self {
        Self::Moment(Moment::exactly(value.to_vec()))
    }

    /// Nothing is said about the `n` numbers of an edge.
    pub fn flat(n: usize) -> Self {
        Self::Information(Information { shift: vec![0.0; n], precision: Matrix::zeros(n, n) })
    }

    /// $\mathcal N(\mu,\sigma^2)$ in one dimension.
    ///
    /// # Errors
    /// As [`Message::moment`].
    pub fn scalar(mean: f64, variance: f64) -> Result<Self, GraphError> {
        Self::moment(vec![mean], Matrix::from_fn(1, 1, |_, _| variance))
    }

    pub(crate) fn of_moments(mean: Vec<f64>, covariance: Matrix) -> Result<Self, Problem> {
        if !finite(&mean, &covariance) {
            return Err(Problem::NotFinite);
        }
        Ok(Self::Moment(Moment { mean, covariance: symmetrised(&covariance) }))
    }

    pub(crate) fn of_information(shift: Vec<f64>, precision: Matrix) -> Result<Self, Problem> {
        if !finite(&shift, &precision) {
            return Err(Problem::NotFinite);
        }
        Ok(Self::Information(Information { shift, precision: symmetrised(&precision) }))
    }

    /// How many numbers it is about.
    pub fn len(&self) -> usize {
        match self {
            Self::Moment(m) => m.mean.len(),
            Self::Information(i) => i.shift.len(),
        }
    }

    /// Whether it is about no number at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Mean and covariance.
    ///
    /// # Errors
    /// [`Problem::Improper`] if the precision is singular.
    pub fn to_moment(&self) -> Result<Moment, Problem> {
        self.moment_on("this edge")
    }

    pub(crate) fn moment_on(&self, port: &'static str) -> Result<Moment, Problem> {
        match self {
            Self::Moment(moment) => Ok(moment.clone()),
            Self::Information(Information { shift, precision }) => {
                let covariance = inverse(precision).ok_or(Problem::Improper { port })?;
                Ok(Moment { mean: covariance.times(shift), covariance })
            }
        }
    }

    /// Shift and precision.
    ///
    /// # Errors
    /// [`Problem::Exact`] if the covariance is singular.
    pub fn to_information(&self) -> Result<Information, Problem> {
        self.information_on("this edge")
    }

    pub(crate) fn information_on(&self, port: &'static str) -> Result<Information, Problem> {
        match self {
            Self::Information(information) => Ok(information.clone()),
            Self::Moment(Moment { mean, covariance }) => {
                let precision = inverse(covariance).ok_or(Problem::Exact { port })?;
                Ok(Information { shift: precision.times(mean), precision })
            }
        }
    }

    /// How different two messages are: 0 for the same numbers in the same form, relative to the larger; infinite in
    /// different forms or shapes.
    ///
    /// Improper messages are compared by shift and precision only, as they have no mean.
    pub fn distance(&self, other: &Self) -> f64 {
        let apart = |u: &[f64], v: &[f64], a: &Matrix, b: &Matrix| {
            if u.len() != v.len() {
                return f64::INFINITY;
            }
            let size = largest(a.data()).max(largest(b.data()));
            let length = largest(u).max(largest(v)).max(size.sqrt());
            let relative = |x: &[f64], y: &[f64], size: f64| {
                let change = x.iter().zip(y).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
                if change == 0.0 { 0.0 } else { change / size }
            };
            relative(u, v, length).max(relative(a.data(), b.data(), size))
        };
        match (self, other) {
            (Self::Moment(a), Self::Moment(b)) => apart(&a.mean, &b.mean, &a.covariance, &b.covariance),
            (Self::Information(a), Self::Information(b)) => {
                apart(&a.shift, &b.shift, &a.precision, &b.precision)
            }
            _ => f64::INFINITY,
        }
    }
}

fn check(
    vector: &[f64],
    matrix: &Matrix,
    asymmetric: &'static str,
    negative: &'static str,
) -> Result<(), GraphError> {
    let n = vector.len();
    let refuse = |problem| Err(GraphError::Message { problem });
    if n == 0 || matrix.rows() != n || matrix.cols() != n {
        return refuse("the vector and the sides of the matrix must have the same length, at least 1");
    }
    if !finite(vector, matrix) {
        return refuse("a number is not finite");
    }
    let size = largest(matrix.data());
    if (0..n).any(|i| (0..i).any(|j| (matrix[(i, j)] - matrix[(j, i)]).abs() > 1e-9 * size)) {
        return refuse(asymmetric);
    }
    match symmetric_eigen(matrix) {
        Some((values, _)) if values[0] >= -1e-9 * size => Ok(()),
        _ => refuse(negative),
    }
}

/// An error if `d`, which two exact messages of the given sizes should agree on, leaves the range of `sum`.
pub(crate) fn agree(sum: &GeneralisedInverse, d: &[f64], sizes: [f64; 3]) -> Result<(), Problem> {
    let by = sum.outside(d);
    let allowed = AGREEMENT * sizes.into_iter().fold(0.0, f64::max) + ROUNDING;
    if by > allowed { Err(Problem::Contradiction { by }) } else { Ok(()) }
}

impl Information {
    /// What this says about `X` if it was said about `A X`: $\xi_X=A^\top\xi$, $\Upsilon_X=A^\top\Upsilon A$, for any `A`.
    pub(crate) fn through(&self, a: &Matrix) -> Self {
        Self { shift: a.transpose_times(&self.shift), precision: congruence_transposed(a, &self.precision) }
    }

    /// What this says about `-X`.
    pub(crate) fn negated(&self) -> Self {
        Self { shift: self.shift.iter().map(|x| -x).collect(), precision: self.precision.clone() }
    }
}

impl Moment {
    /// A value known for certain.
    pub(crate) fn exactly(mean: Vec<f64>) -> Self {
        let n = mean.len();
        Self { mean, covariance: Matrix::zeros(n, n) }
    }

    /// What this says about `A X`: $A\mu$, $A\Sigma A^\top$.
    pub(crate) fn times(&self, a: &Matrix) -> Self {
        Self { mean: a.times(&self.mean), covariance: congruence(a, &self.covariance) }
    }

    /// What this says about `-X`.
    pub(crate) fn negated(&self) -> Self {
        Self { mean: self.mean.iter().map(|x| -x).collect(), covariance: self.covariance.clone() }
    }

    /// The largest mean or standard deviation.
    pub(crate) fn size(&self) -> f64 {
        largest(&self.mean).max(largest(self.covariance.data()).sqrt())
    }
}

impl From<Moment> for Message {
    fn from(moment: Moment) -> Self {
        Self::Moment(moment)
    }
}

impl From<Information> for Message {
    fn from(information: Information) -> Self {
        Self::Information(information)
    }
}
