//! Covariance functions: what the prior believes about utilities before any comparison.
//!
//! A [`Kernel`] is a tree. Its leaves ("atoms") are functions of two items with $k(x,x)=1$ (the linear one
//! excepted), each in a file of its own; its inner nodes scale, add and multiply:
//!
//! | atom | $k(x,x')$ | file |
//! |---|---|---|
//! | `se` | $\exp(-r^2/2)$ | `squared_exponential.rs` |
//! | `matern12`, `matern32`, `matern52` | $\exp(-r)$, $(1+s)e^{-s}$, $(1+s+s^2/3)e^{-s}$ | `matern.rs` |
//! | `rq` | $(1+r^2/2\alpha)^{-\alpha}$ | `rational_quadratic.rs` |
//! | `multiscale` | $0.97\,e^{-r^2/2}+0.03\,e^{-50r^2}$ | `multiscale.rs` |
//! | `periodic` | $\exp(-2\sum_c\sin^2(\pi d_c/p)/l_c^2)$ | `periodic.rs` |
//! | `linear` | $\sum_c x_cx'_c/l_c^2$ | `linear.rs` |
//! | `constant` | $1$ | `constant.rs` |
//! | `white` | $1$ for the same item, or for the same levels of the columns in brackets, else $0$ | `white.rs` |
//! | `wiener`, `iwiener` | Brownian motion from an item's first time, and its integral | `wiener.rs` |
//! | `categorical` | $\exp(-\sum_c[x_c\ne x'_c]/l_c)$ | `categorical.rs` |
//!
//! with $d_c=x_c-x'_c$ over the active columns $c$ and $r^2=\sum_c d_c^2/l_c^2$. They are a table, [`ATOMS`]: a new one is a file with an
//! implementation of [`Covariance`] (or of [`Profile`]) and its [`AtomKind`], and a line there. One's own, outside the library, is made known by
//! [`register`].
//!
//! # Example
//! ```
//! use rather::kernel::{parse, Schema};
//! use rather::points::Points;
//!
//! let schema = Schema { names: vec!["price".into(), "size".into()], categorical: vec![false, false], context: 0 };
//! let kernel = parse("se[price] + linear", &schema, false)?;
//! let items = Points::from_rows(&[[0.0, 1.0], [0.5, -1.0], [0.0, 1.0]]);
//! let covariance = kernel.matrix(&items);
//! assert_eq!(covariance[(0, 0)], covariance[(0, 2)]); // items 0 and 2 are identical
//! assert_eq!(kernel.parameter_names(&schema), ["se.variance", "lengthscale", "linear.variance"]);
//! # Ok::<(), rather::Error>(())
//! ```

mod active;
mod atom;
mod categorical;
mod composite;
mod conformance;
mod constant;
mod describe;
mod evaluator;
mod expression;
mod file;
mod latent;
mod linear;
mod matern;
mod multiscale;
mod names;
mod periodic;
mod process;
mod rational_quadratic;
mod sparse;
mod squared_exponential;
mod stationary;
mod table;
mod typical;
mod white;
mod wiener;

pub use crate::schema::Schema;
#[doc(hidden)]
pub use active::Active;
pub use atom::{Atom, Covariance, Pairs};
pub use conformance::check_covariance;
#[doc(hidden)]
pub use evaluator::Evaluator;
#[doc(hidden)]
pub use expression::named_columns;
pub use expression::parse;
#[doc(hidden)]
pub use latent::Latent;
#[doc(hidden)]
pub use process::Process;
pub use stationary::{Profile, Stationary};
pub use table::{ATOMS, AtomKind, Domain, register};

pub(crate) use categorical::Categorical;
pub(crate) use describe::quoted;
pub(crate) use latent::{Carrier, Term};
pub(crate) use matern::{Matern12, Matern32, Matern52};
pub(crate) use multiscale::Multiscale;
pub(crate) use squared_exponential::SquaredExponential;
pub(crate) use white::White;

use atom::Items;
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::points::Points;
use rather_numerics::linalg::{Matrix, mirror_lower};
use rather_numerics::{parallel, watch};

/// What a parameter is: its prior and its bounds, chosen elsewhere, depend on nothing more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// A variance, in squared units of utility.
    Variance,
    /// A lengthscale, in units of its feature.
    Lengthscale,
    /// A period, in units of the feature.
    Period,
    /// A number without unit that shapes the correlation.
    Shape,
}

/// A parameter of a kernel: a positive number, learned on a logarithmic scale.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Parameter {
    /// Its name without the atom or the feature it belongs to; [`Kernel::parameter_names`] gives full names.
    pub name: String,
    /// Its value, positive and finite.
    pub value: f64,
    /// What it is.
    pub role: Role,
    /// The one column it acts on: that of an ARD lengthscale, or of an atom with a single active column.
    pub dim: Option<usize>,
}

/// A covariance function over items. See the [module](self) for its atoms, and [`parse`] to make one.
#[derive(Debug, Clone, PartialEq)]
pub enum Kernel {
    /// A covariance function of its own.
    Atom(Atom),
    /// `variance` times `kernel`.
    Scaled {
        /// The factor, in squared units of utility.
        variance: f64,
        /// What it multiplies.
        kernel: Box<Kernel>,
    },
    /// The sum of its terms: independent contributions to the utility.
    Sum(Vec<Kernel>),
    /// The product of its factors: items are alike if they are alike in every factor.
    Product(Vec<Kernel>),
}

/// A kernel as the code over trees sees it: one of three inner nodes, or any atom.
enum Node<'a> {
    Atom(&'a dyn Covariance),
    Scaled(f64, &'a Kernel),
    Sum(&'a [Kernel]),
    Product(&'a [Kernel]),
}

impl Kernel {
    fn node(&self) -> Node<'_> {
        match self {
            Self::Atom(atom) => Node::Atom(atom.0.as_ref()),
            Self::Scaled { variance, kernel } => Node::Scaled(*variance, kernel),
            Self::Sum(terms) => Node::Sum(terms),
            Self::Product(factors) => Node::Product(factors),
        }
    }

    /// The parameters' places, in the order of [`Kernel::parameters`].
    fn parameters_mut(&mut self) -> Vec<&mut f64> {
        match self {
            Self::Atom(atom) => atom.0.parameters_mut(),
            Self::Scaled { variance, kernel } => {
                std::iter::once(variance).chain(kernel.parameters_mut()).collect()
            }
            Self::Sum(parts) | Self::Product(parts) => {
                parts.iter_mut().flat_map(Self::parameters_mut).collect()
            }
        }
    }

    /// The kernel that is this atom.
    pub fn atom(atom: impl Covariance + 'static) -> Self {
        Self::Atom(Atom(Box::new(atom)))
    }

    /// This kernel times `variance`.
    #[must_use]
    pub fn scaled(self, variance: f64) -> Self {
        Self::Scaled { variance, kernel: Box::new(self) }
    }

    /// All parameters in a fixed order: a variance before what it scales, parts from left to right.
    pub fn parameters(&self) -> Vec<Parameter> {
        match self.node() {
            Node::Atom(atom) => atom.parameters(),
            Node::Scaled(variance, kernel) => {
                let own =
                    Parameter { name: "variance".into(), value: variance, role: Role::Variance, dim: None };
                std::iter::once(own).chain(kernel.parameters()).collect()
            }
            Node::Sum(parts) | Node::Product(parts) => parts.iter().flat_map(Self::parameters).collect(),
        }
    }

    /// The columns of the items' features that it looks at, in their order.
    pub fn columns(&self) -> Vec<usize> {
        let mut columns = match self.node() {
            Node::Atom(atom) => atom.active().map_or(Vec::new(), |active| active.dims.clone()),
            Node::Scaled(_, kernel) => kernel.columns(),
            Node::Sum(parts) | Node::Product(parts) => parts.iter().flat_map(Self::columns).collect(),
        };
        columns.sort_unstable();
        columns.dedup();
        columns
    }

    /// The lengthscales of the stationary atoms: the atom's name, the column, and the lengthscale in units of the column as points have it.
    pub(crate) fn lengthscales(&self) -> Vec<(&'static str, usize, f64)> {
        match self.node() {
            Node::Atom(atom) => match atom.active().filter(|a| !a.lengthscales.is_empty()) {
                // The weights of `linear` have an inverse lengthscale, which is no distance.
                Some(active) if atom.name() != "linear" => {
                    active.inverse_scales().map(|(dim, inverse)| (atom.name(), dim, 1.0 / inverse)).collect()
                }
                _ => Vec::new(),
            },
            Node::Scaled(_, kernel) => kernel.lengthscales(),
            Node::Sum(parts) | Node::Product(parts) => parts.iter().flat_map(Self::lengthscales).collect(),
        }
    }

    /// The terms of the outermost sum.
    pub(crate) fn terms(&self) -> &[Self] {
        if let Self::Sum(terms) = self { terms } else { std::slice::from_ref(self) }
    }

    /// This kernel without its term `white`, with the place of that term's variance among the [`Kernel::parameters`]; `None` if it has no or several
    /// such terms, or no other.
    pub(crate) fn without_white(&self) -> Option<(Self, usize)> {
        let terms = self.terms();
        let at = terms.iter().position(|term| term.white_variance().is_some())?;
        let others: Vec<Self> = [&terms[..at], &terms[at + 1..]].concat();
        let only = !others.is_empty() && others.iter().all(|term| term.white_variance().is_none());
        only.then(|| (Self::Sum(others), self.term_sizes()[..at].iter().sum()))
    }

    /// Whether it is the same for all items where these columns are.
    pub(crate) fn is_constant_given(&self, same: &dyn Fn(usize) -> bool) -> bool {
        match self.node() {
            Node::Atom(atom) => match atom.active() {
                Some(active) => active.dims.iter().all(|&dim| same(dim)),
                None => !atom.is_independent(),
            },
            Node::Scaled(_, kernel) => kernel.is_constant_given(same),
            Node::Sum(parts) | Node::Product(parts) => parts.iter().all(|part| part.is_constant_given(same)),
        }
    }

    /// How many parameters each term of the outermost sum has.
    pub(crate) fn term_sizes(&self) -> Vec<usize> {
        self.terms().iter().map(|term| term.parameters().len()).collect()
    }

    /// Sets all parameters, in the order of [`Kernel::parameters`].
    ///
    /// # Errors
    /// [`Error::Length`] if their number is another, [`Error::Parameter`] if one is not positive and finite;
    /// the kernel is then as it was.
    pub fn set_parameters(&mut self, values: &[f64]) -> Result<(), Error> {
        let parameters = self.parameters();
        if values.len() != parameters.len() {
            let (expected, found) = (parameters.len(), values.len());
            return Err(Error::Length { what: "kernel parameters", expected, found });
        }
        for (parameter, &value) in parameters.iter().zip(values) {
            check_positive(&parameter.name, value)?;
        }
        for (place, &value) in self.parameters_mut().into_iter().zip(values) {
            *place = value;
        }
        Ok(())
    }

    /// Checks that this kernel can act on items of `dims` columns: for kernels that come from a file.
    ///
    /// # Errors
    /// [`Error::KernelShape`] if an atom asks for a column that is not there, has the wrong number of
    /// lengthscales or none at all, or a sum or product is empty; [`Error::Parameter`] as
    /// [`Kernel::set_parameters`].
    pub fn check(&self, dims: usize) -> Result<(), Error> {
        for parameter in self.parameters() {
            check_positive(&parameter.name, parameter.value)?;
        }
        match self.node() {
            Node::Atom(atom) => match atom.active() {
                Some(active) => active.check(atom.name(), dims),
                None => Ok(()),
            },
            Node::Scaled(_, kernel) => kernel.check(dims),
            Node::Sum([]) => Err(Error::KernelShape { kernel: "sum", problem: "it has no terms" }),
            Node::Product([]) => Err(Error::KernelShape { kernel: "product", problem: "it has no factors" }),
            Node::Sum(parts) | Node::Product(parts) => parts.iter().try_for_each(|part| part.check(dims)),
        }
    }

    /// The covariance matrix of `a`, `n` x `n`: entry `(i, j)` is $k(a_i,a_j)$, exactly symmetric.
    ///
    /// # Panics
    /// Here and in the next three: if an atom asks for a column that `a` does not have ([`Kernel::check`]).
    pub fn matrix(&self, a: &Points) -> Matrix {
        let mut matrix = self.lower_triangle(a);
        mirror_lower(&mut matrix);
        matrix
    }

    /// The lower triangle of [`Kernel::matrix`], and 0 above it.
    pub(crate) fn lower_triangle(&self, a: &Points) -> Matrix {
        let items = Items::new(a);
        let mut matrix = Matrix::zeros(a.len(), a.len());
        for_each_column(&mut matrix, |j, column| self.values(&Pairs::below(&items, j), &mut column[j..]));
        matrix
    }

    /// The covariances of `a` with `b`, `a.len()` x `b.len()`: entry `(i, j)` is $k(a_i,b_j)$.
    pub fn cross(&self, a: &Points, b: &Points) -> Matrix {
        let (rows, others) = (Items::new(a), Items::new(b));
        let mut matrix = Matrix::zeros(a.len(), b.len());
        for_each_column(&mut matrix, |j, column| {
            self.values(&Pairs::new(&rows, 0..a.len(), &others, j), column);
        });
        matrix
    }

    /// The variances $k(a_i,a_i)$.
    pub fn diagonal(&self, a: &Points) -> Vec<f64> {
        let items = Items::new(a);
        let mut diagonal = vec![0.0; a.len()];
        for (i, variance) in diagonal.iter_mut().enumerate() {
            self.values(&Pairs::new(&items, i..i + 1, &items, i), std::slice::from_mut(variance));
        }
        diagonal
    }

    /// The gradient of the covariances of one item with `others` by that item's features, `x.dims()` x `others.len()`:
    /// entry $(c,j)$ is $\partial k(x,b_j)/\partial x_c$. It is 0 for columns of categories, and by convention 0 where
    /// `matern12` has no slope, at $x=b_j$.
    ///
    /// # Panics
    /// If `x` is not one item; else as [`Kernel::matrix`].
    pub fn gradient_in_inputs(&self, x: &Points, others: &Points) -> Matrix {
        assert!(x.len() == 1, "x must be one item");
        let (x_item, items) = (Items::new(x), Items::new(others));
        let mut out = Matrix::zeros(x.dims(), others.len());
        let pairs = Pairs::new(&items, 0..others.len(), &x_item, 0);
        self.add_input_gradient(&pairs, &vec![1.0; others.len()], &mut out);
        out
    }

    /// The gradient of $\sum_{ij}W_{ij}k(a_i,a_j)$ by the logarithm of every parameter, in the order of
    /// [`Kernel::parameters`]:
    /// $$ g_\theta=\sum_{ij}W_{ij} \frac{\partial k(a_i,a_j)}{\partial\log\theta}. $$
    /// `weights` is $W$, `n` x `n` and symmetric: only its lower triangle is read. The time is that of a few
    /// calls of [`Kernel::matrix`], the memory is a few columns.
    ///
    /// # Panics
    /// If `weights` is not `n` x `n`.
    pub fn gradient(&self, a: &Points, weights: &Matrix) -> Vec<f64> {
        let (n, count) = (a.len(), self.parameters().len());
        assert!(weights.rows() == n && weights.cols() == n, "weights must be n x n");
        let items = Items::new(a);
        // A few columns at a time, added up in their order, whoever made them: the same bits for any number of threads.
        let strip_gradient = |k: usize| {
            let (mut column, mut sum, mut gradient) =
                (Vec::with_capacity(n), vec![0.0; count], vec![0.0; count]);
            for j in k * STRIP..n.min((k + 1) * STRIP) {
                column.clear();
                column.extend(weights.col(j)[j..].iter().map(|w| 2.0 * w));
                column[0] *= 0.5;
                gradient.fill(0.0);
                self.contract(&Pairs::below(&items, j), &column, &mut gradient);
                sum.iter_mut().zip(&gradient).for_each(|(sum, g)| *sum += g);
            }
            sum
        };
        let grain = if n >= PARALLEL { 1 } else { n.max(1) };
        let parts: Vec<Vec<f64>> = parallel::map(n.div_ceil(STRIP), grain, |k| {
            if watch::ends() { Vec::new() } else { strip_gradient(k) }
        });
        let mut gradient = vec![0.0; count];
        for part in &parts {
            gradient.iter_mut().zip(part).for_each(|(sum, g)| *sum += g);
        }
        gradient
    }
}

/// From this many rows on, columns are filled in parallel.
const PARALLEL: usize = 256;

/// Columns that one piece of work is.
const STRIP: usize = 16;

fn check_positive(name: &str, value: f64) -> Result<(), Error> {
    if value.is_finite() && value > 0.0 {
        return Ok(());
    }
    Err(Error::Parameter { name: name.into(), value, requirement: "it must be positive and finite" })
}

fn for_each_column(matrix: &mut Matrix, fill: impl Fn(usize, &mut [f64]) + Sync) {
    let rows = matrix.rows();
    if rows >= PARALLEL {
        parallel::for_each_chunk(matrix.data_mut(), rows, fill);
    } else if rows > 0 {
        matrix.data_mut().chunks_mut(rows).enumerate().for_each(|(j, column)| fill(j, column));
    }
}
