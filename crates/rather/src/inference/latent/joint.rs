//! The exact posterior of latent variables: one Cholesky factor of their whole precision.
//!
//! Dense where the variables are few, however many comparisons there are; else sparse, with the entries of the inverse that comparisons
//! ask for (the selected inverse).

use std::sync::Arc;

use super::layout::{Component, Layout, Row};
use super::steps::{inverse, minus, plus, transpose};
use crate::inference::Outcome;
use crate::inference::observations::Edge;
use crate::inference::prior::{Absorbed, GaussianPrior};
use crate::inference::sparse::Limits;
use crate::kernel::{Carrier, Kernel, Term};
use crate::points::Points;
use rather_numerics::linalg::sparse::{SelectedInverse, SparseCholesky, SparsePattern};
use rather_numerics::linalg::{
    Matrix, cholesky, dot, inverse_from_cholesky, product, product_transposed, solve_lower_transposed_vec,
    solve_lower_vec,
};
use rather_numerics::parallel;

/// Up to so many variables the precision is held in full.
const DENSE: usize = 400;
/// Projections that a thread is worth waking up for.
const MANY: usize = 2048;

/// Comparisons as linear functions of latent variables.
#[derive(Debug, Clone)]
pub struct Joint {
    layout: Arc<Layout>,
    rows: Arc<Rows>,
    /// `None` if the precision is held in full.
    pattern: Option<Arc<Pattern>>,
}

/// Sparse rows, one a projection, one after the other.
#[derive(Debug)]
struct Rows {
    begins: Vec<usize>,
    variables: Vec<u32>,
    factors: Vec<f64>,
}

/// Where a sparse precision holds what.
#[derive(Debug)]
pub struct Pattern {
    symbolic: Arc<SparsePattern>,
    /// The pairs of variables that it has an entry for, each once, in increasing order.
    ends: Vec<(u32, u32)>,
}

/// The prior at one setting of the kernel's parameters.
#[derive(Debug, Clone)]
pub struct JointPrior {
    joint: Joint,
    parameters: Vec<f64>,
    /// Its precision, in its lower triangle.
    precision: Lower,
    log_det: f64,
}

/// The lower triangle of a symmetric matrix of the variables.
#[derive(Debug, Clone)]
enum Lower {
    Dense(Matrix),
    /// The diagonal, and the entries at the pairs of the pattern.
    Sparse {
        diagonal: Vec<f64>,
        between: Vec<f64>,
        pattern: Arc<Pattern>,
    },
}

/// What Gaussian sites say of the variables together: $\sum_m\tau_mh_mh_m^\top$ and $\sum_m\nu_mh_m$.
#[derive(Debug, Clone)]
pub(crate) struct Summary {
    precision: Lower,
    shift: Vec<f64>,
}

/// A linear combination of variables, in increasing order. Slices, since millions of answers go over each of its pairs at every sweep.
#[derive(Clone, Copy)]
struct Combination<'a> {
    variables: &'a [u32],
    factors: &'a [f64],
}

impl<'a> Combination<'a> {
    fn iter(self) -> impl Iterator<Item = (usize, f64)> + Clone + 'a {
        self.variables.iter().map(|&i| i as usize).zip(self.factors.iter().copied())
    }

    /// The pairs of its variables, the smaller first, with the product of their factors.
    fn pairs(self) -> impl Iterator<Item = (usize, usize, f64)> + 'a {
        let rest = self.iter();
        self.iter()
            .enumerate()
            .flat_map(move |(k, (i, a))| rest.clone().skip(k).map(move |(j, b)| (i, j, a * b)))
    }

    /// The dot product with a vector of all variables.
    fn along(self, x: &[f64]) -> f64 {
        self.iter().map(|(i, a)| a * x[i]).sum()
    }

    /// $a^\top M a$ of a symmetric matrix of which the lower triangle is looked at.
    fn quadratic(self, matrix: &Matrix) -> f64 {
        let (rows, data) = (matrix.rows(), matrix.data());
        let mut sum = 0.0;
        for (k, (i, a)) in self.iter().enumerate() {
            let column = &data[i * rows..(i + 1) * rows];
            let below = self.variables[k + 1..].iter().zip(&self.factors[k + 1..]);
            let across: f64 = below.map(|(&j, b)| b * column[j as usize]).sum();
            sum += a * (a * column[i] + 2.0 * across);
        }
        sum
    }
}

impl Summary {
    fn take(&mut self, rows: &Rows, tau: &[f64], nu: &[f64]) {
        for (e, (&tau, &nu)) in tau.iter().zip(nu).enumerate() {
            let row = rows.row(e);
            self.precision.add_site(row, tau);
            row.iter().for_each(|(i, a)| self.shift[i] += nu * a);
        }
    }
}

/// A precision that was factorised, with what is known of its inverse.
#[derive(Debug, Clone)]
pub enum Factor {
    /// The lower triangles of the factor and of the inverse.
    Dense { factor: Matrix, inverse: Matrix },
    /// The factor, and the inverse at the entries of the pattern.
    Sparse { factor: SparseCholesky, inverse: SelectedInverse, pattern: Arc<Pattern> },
}

impl Rows {
    /// The rows of comparisons between `points`.
    fn of(layout: &Layout, points: &Points, edges: &[Edge], parameters: &[f64]) -> Self {
        let mut out = Self { begins: vec![0], variables: Vec::new(), factors: Vec::new() };
        let mut row = Row::default();
        for edge in edges {
            row.entries.clear();
            add_edge(layout, points, edge, parameters, &mut row);
            row.merge();
            out.push(&row.entries);
        }
        out
    }

    /// One row.
    fn single(entries: &[(usize, f64)]) -> Self {
        let mut out = Self { begins: vec![0], variables: Vec::new(), factors: Vec::new() };
        out.push(entries);
        out
    }

    fn push(&mut self, entries: &[(usize, f64)]) {
        self.variables.extend(entries.iter().map(|&(variable, _)| variable as u32));
        self.factors.extend(entries.iter().map(|&(_, factor)| factor));
        self.begins.push(self.variables.len());
    }

    fn row(&self, e: usize) -> Combination<'_> {
        let range = self.begins[e]..self.begins[e + 1];
        Combination { variables: &self.variables[range.clone()], factors: &self.factors[range] }
    }

    fn len(&self) -> usize {
        self.begins.len() - 1
    }
}

/// The difference of two points, or one of them.
fn row(layout: &Layout, points: &Points, edge: &Edge, parameters: &[f64]) -> Row {
    let mut row = Row::default();
    add_edge(layout, points, edge, parameters, &mut row);
    row
}

fn add_edge(layout: &Layout, points: &Points, edge: &Edge, parameters: &[f64], row: &mut Row) {
    layout.add(points, edge.plus(), 1.0, parameters, row);
    if let Some(minus) = edge.minus() {
        layout.add(points, minus, -1.0, parameters, row);
    }
}

impl Lower {
    fn zeros(variables: usize, pattern: Option<&Arc<Pattern>>) -> Self {
        match pattern {
            None => Self::Dense(Matrix::zeros(variables, variables)),
            Some(pattern) => Self::Sparse {
                diagonal: vec![0.0; variables],
                between: vec![0.0; pattern.ends.len()],
                pattern: Arc::clone(pattern),
            },
        }
    }

    /// Adds to the entry of variables `i <= j`.
    fn add(&mut self, i: usize, j: usize, value: f64) {
        match self {
            Self::Dense(matrix) => matrix[(j, i)] += value,
            Self::Sparse { diagonal, .. } if i == j => diagonal[i] += value,
            Self::Sparse { between, pattern, .. } => {
                if let Some(place) = pattern.place(i, j) {
                    between[place] += value;
                }
            }
        }
    }

    /// Adds the precision of a site on a linear combination.
    fn add_site(&mut self, row: Combination<'_>, tau: f64) {
        let Self::Dense(matrix) = self else {
            return row.pairs().for_each(|(i, j, ab)| self.add(i, j, tau * ab));
        };
        let rows = matrix.rows();
        for (k, (i, a)) in row.iter().enumerate() {
            let column = &mut matrix.data_mut()[i * rows..(i + 1) * rows];
            for (&j, b) in row.variables[k..].iter().zip(&row.factors[k..]) {
                column[j as usize] += tau * (a * b);
            }
        }
    }

    /// Adds another of the same form.
    fn add_all(&mut self, other: &Self) {
        let add = |to: &mut [f64], from: &[f64]| to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
        match (self, other) {
            (Self::Dense(to), Self::Dense(from)) => add(to.data_mut(), from.data()),
            (
                Self::Sparse { diagonal, between, .. },
                Self::Sparse { diagonal: more, between: others, .. },
            ) => {
                add(diagonal, more);
                add(between, others);
            }
            // One problem's are all of one form.
            _ => {}
        }
    }

    fn factorise(self) -> Option<Factor> {
        match self {
            Self::Dense(mut factor) => {
                if !cholesky(&mut factor) {
                    return None;
                }
                let inverse = inverse_from_cholesky(&factor);
                Some(Factor::Dense { factor, inverse })
            }
            Self::Sparse { diagonal, between, pattern } => {
                let factor = pattern.symbolic.factorise_entries(&diagonal, &between)?;
                let inverse = factor.selected_inverse();
                Some(Factor::Sparse { factor, inverse, pattern })
            }
        }
    }
}

impl Pattern {
    /// Where the pair of two variables, the smaller first, stands.
    fn place(&self, i: usize, j: usize) -> Option<usize> {
        self.ends.binary_search(&(i as u32, j as u32)).ok()
    }
}

impl Factor {
    /// The entry of the inverse at variables `i <= j`; of a sparse one only where the precision has an entry.
    fn inverse(&self, i: usize, j: usize) -> Option<f64> {
        match self {
            Self::Dense { inverse, .. } => Some(inverse[(j, i)]),
            Self::Sparse { inverse, .. } if i == j => Some(inverse.diagonal[i]),
            Self::Sparse { inverse, pattern, .. } => pattern.place(i, j).map(|place| inverse.between[place]),
        }
    }

    /// `a' Q^-1 a`, by the inverse where it is known, else by the factor.
    fn variance(&self, row: Combination<'_>, variables: usize) -> f64 {
        let known = match self {
            Self::Dense { inverse, .. } => Some(row.quadratic(inverse)),
            Self::Sparse { .. } => row.pairs().try_fold(0.0, |sum, (i, j, ab)| {
                Some(sum + if i == j { ab } else { 2.0 * ab } * self.inverse(i, j)?)
            }),
        };
        known
            .unwrap_or_else(|| {
                let mut a = vec![0.0; variables];
                row.iter().for_each(|(i, factor)| a[i] += factor);
                dot(&a, &self.solve(&a))
            })
            .max(0.0)
    }

    /// `Q^-1 b`.
    fn solve(&self, b: &[f64]) -> Vec<f64> {
        match self {
            Self::Dense { factor, .. } => {
                let mut x = b.to_vec();
                solve_lower_vec(factor, &mut x);
                solve_lower_transposed_vec(factor, &mut x);
                x
            }
            Self::Sparse { factor, .. } => {
                let mut x = Matrix::from_fn(b.len(), 1, |i, _| b[i]);
                factor.solve(&mut x);
                x.data().to_vec()
            }
        }
    }

    fn log_det(&self) -> f64 {
        match self {
            Self::Dense { factor, .. } => 2.0 * (0..factor.rows()).map(|i| factor[(i, i)].ln()).sum::<f64>(),
            Self::Sparse { factor, .. } => factor.log_det(),
        }
    }
}

impl Joint {
    /// The comparisons `edges` between `points`; `None` if the kernel has no latent variables, or the factor of their precision is beyond the
    /// limits.
    pub fn new(kernel: &Kernel, points: &Points, edges: &[Edge], limits: &Limits) -> Option<Self> {
        let layout = Layout::new(kernel, points)?;
        let variables = layout.variables();
        u32::try_from(variables).ok()?;
        if *limits == Limits::MESSAGES || layout.least_entries(points, edges) > limits.bytes as f64 / 16.0 {
            return None;
        }
        let rows = Rows::of(&layout, points, edges, &values(kernel));
        let pattern = match variables {
            ..=DENSE => None,
            _ => Some(Arc::new(pattern(&layout, &rows, limits)?)),
        };
        Some(Self { layout: Arc::new(layout), rows: Arc::new(rows), pattern })
    }

    /// What sites of these precisions and shifts, one a projection, say together.
    pub(crate) fn summary(&self, tau: &[f64], nu: &[f64]) -> Summary {
        let variables = self.layout.variables();
        let precision = Lower::zeros(variables, self.pattern.as_ref());
        let mut out = Summary { precision, shift: vec![0.0; variables] };
        out.take(&self.rows, tau, nu);
        out
    }

    /// Number of entries that the factor is held in.
    pub fn entries(&self) -> usize {
        let variables = self.layout.variables();
        self.pattern.as_ref().map_or(variables * variables, |pattern| pattern.symbolic.entries())
    }

    /// The prior of a kernel of the same form. `None` if a variance or a step is no number.
    pub fn prior(&self, kernel: &Kernel) -> Option<JointPrior> {
        let parameters = values(kernel);
        let mut precision = Lower::zeros(self.layout.variables(), self.pattern.as_ref());
        let mut log_det = 0.0;
        for component in &self.layout.components {
            let term = &self.layout.terms[component.term];
            if term.dynamics(&parameters).is_none() {
                for (k, variance) in term.variances(&parameters).into_iter().enumerate() {
                    precision.add(component.first + k, component.first + k, 1.0 / variance);
                    log_det -= variance.ln();
                }
            }
            each_step(component, term, &parameters, |first, transition, noise, _| {
                log_det -= add_step(&mut precision, first, transition, noise);
            });
        }
        log_det.is_finite().then(|| JointPrior { joint: self.clone(), parameters, precision, log_det })
    }
}

/// The values of a kernel's parameters.
pub(super) fn values(kernel: &Kernel) -> Vec<f64> {
    kernel.parameters().into_iter().map(|parameter| parameter.value).collect()
}

/// Hands out the steps of a process: the first variable of the state that is stepped to, the transition to it (`None` for the first) and the
/// covariance of what is new, with the time that passed.
fn each_step(
    component: &Component,
    term: &Term,
    parameters: &[f64],
    mut take: impl FnMut(usize, Option<&Matrix>, &Matrix, f64),
) {
    let Some(dynamics) = term.dynamics(parameters) else { return };
    let mut before = None;
    for (k, &time) in component.times.iter().enumerate() {
        let first = component.first + k * term.order();
        match before {
            None => take(first, None, &dynamics.initial(time - component.start), time - component.start),
            Some(before) => {
                take(
                    first,
                    Some(&dynamics.transition(time - before)),
                    &dynamics.noise(time - before),
                    time - before,
                );
            }
        }
        before = Some(time);
    }
}

/// Adds the precision of `x' - A x ~ N(0, Q)` for the state `x'` from the variable `first` on and `x` just before it. Returns `log |Q|`.
fn add_step(precision: &mut Lower, first: usize, transition: Option<&Matrix>, noise: &Matrix) -> f64 {
    let n = noise.rows();
    let inner = inverse(noise.clone());
    let mut add = |i0: usize, j0: usize, block: &Matrix| {
        for i in 0..n {
            for j in 0..n {
                if i0 + i <= j0 + j {
                    precision.add(i0 + i, j0 + j, block[(i, j)]);
                }
            }
        }
    };
    add(first, first, &inner);
    if let Some(a) = transition {
        let ahead = product(&inner, a);
        add(first - n, first - n, &product(&transpose(a), &ahead));
        add(first - n, first, &transpose(&Matrix::from_fn(n, n, |i, j| -ahead[(i, j)])));
    }
    let mut factor = noise.clone();
    if !cholesky(&mut factor) {
        return f64::NAN;
    }
    2.0 * (0..n).map(|i| factor[(i, i)].ln()).sum::<f64>()
}

/// The pattern of the posterior's precision, if its factor is within the limits.
fn pattern(layout: &Layout, rows: &Rows, limits: &Limits) -> Option<Pattern> {
    let mut ends: Vec<(u32, u32)> = Vec::new();
    let mut add = |i: usize, j: usize| {
        if i < j {
            ends.push((i as u32, j as u32));
        }
    };
    (0..rows.len()).for_each(|e| rows.row(e).pairs().for_each(|(i, j, _)| add(i, j)));
    for component in &layout.components {
        let order = layout.terms[component.term].order();
        if let Carrier::Process { .. } = layout.terms[component.term].carrier {
            for k in 0..component.times.len() {
                let first = component.first + k * order;
                let before = if k > 0 { first - order } else { first };
                (before..first + order).for_each(|i| (first..first + order).for_each(|j| add(i, j)));
                (before..first).for_each(|i| (before..first).for_each(|j| add(i, j)));
            }
        }
    }
    ends.sort_unstable();
    ends.dedup();
    let symbolic = SparsePattern::new(layout.variables(), &ends)?;
    let within =
        symbolic.entries() <= limits.bytes / (2 * size_of::<f64>()) && symbolic.work() <= limits.work;
    within.then(|| Pattern { symbolic: Arc::new(symbolic), ends })
}

impl JointPrior {
    /// The gradient of the log evidence at a fixpoint in the logarithms of the kernel's parameters: the posterior expectation of the gradient of
    /// the variables' log prior density (Fisher's identity). `None` if the outcome is that of another prior.
    pub fn gradient(&self, outcome: &Outcome) -> Option<Vec<f64>> {
        Some(self.gradient_of(outcome.posterior.joint.as_deref()?, &outcome.posterior.weights))
    }

    /// The log evidence of sites that are held as they are, up to a constant, and its gradient in the logarithms of the kernel's parameters:
    /// at a fixpoint that of the evidence itself. Takes no time for comparisons, however many there are. `None` if the numbers break down.
    pub(crate) fn of_summary(&self, summary: &Summary) -> Option<(f64, Vec<f64>)> {
        let mut precision = self.precision.clone();
        precision.add_all(&summary.precision);
        let factor = precision.factorise()?;
        let mean = factor.solve(&summary.shift);
        let value = 0.5 * (dot(&summary.shift, &mean) + self.log_det - factor.log_det());
        value.is_finite().then(|| (value, self.gradient_of(&factor, &mean)))
    }

    /// The gradient of the log evidence for variables of this posterior.
    fn gradient_of(&self, factor: &Factor, mean: &[f64]) -> Vec<f64> {
        let second = |i: usize, j: usize| {
            let inverse = factor.inverse(i.min(j), i.max(j)).unwrap_or(0.0);
            inverse + mean[i] * mean[j]
        };
        let block = |i0: usize, j0: usize, n: usize| Matrix::from_fn(n, n, |i, j| second(i0 + i, j0 + j));
        let mut out = vec![0.0; self.parameters.len()];
        let layout = &self.joint.layout;
        for component in &layout.components {
            let term = &layout.terms[component.term];
            let variances = if term.dynamics(&self.parameters).is_none() {
                term.variances(&self.parameters)
            } else {
                Vec::new()
            };
            for (k, variance) in variances.into_iter().enumerate() {
                let i = component.first + k;
                let slope = 0.5 * (second(i, i) / variance - 1.0);
                term.variances.iter().for_each(|&place| out[place] += slope);
                if let Carrier::Weights { lengthscales, .. } = &term.carrier
                    && let Some(&place) = lengthscales.get(k.min(lengthscales.len().saturating_sub(1)))
                {
                    out[place] -= 2.0 * slope;
                }
            }
            let Some(dynamics) = term.dynamics(&self.parameters) else { continue };
            let Carrier::Process { lengthscale, .. } = term.carrier else { continue };
            each_step(component, term, &self.parameters, |first, transition, noise, dt| {
                let n = noise.rows();
                let inner = inverse(noise.clone());
                let own = block(first, first, n);
                let Some(a) = transition else {
                    let slope = 0.5 * (trace(&inner, &own) - n as f64);
                    term.variances.iter().for_each(|&place| out[place] += slope);
                    return;
                };
                let (before, across) = (block(first - n, first - n, n), block(first - n, first, n));
                let ahead = product(a, &before);
                let moved = product(a, &across);
                // E r r' for the innovation r = x' - A x, and E x r'.
                let residual =
                    plus(&minus(&minus(&own, &moved), &transpose(&moved)), &product_transposed(&ahead, a));
                let slope = 0.5 * (trace(&inner, &residual) - n as f64);
                term.variances.iter().for_each(|&place| out[place] += slope);
                if let Some(place) = lengthscale {
                    let s = dynamics.rate * dt;
                    let d_a = dynamics.process.transition_slope(s);
                    let d_q = super::steps::scaled(dynamics.process.noise_slope(s), dynamics.variance);
                    let with = minus(&across, &product_transposed(&before, a));
                    let spread = product(&inner, &d_q);
                    let by_rate = trace(&inner, &product(&d_a, &with)) - 0.5 * diagonal_sum(&spread)
                        + 0.5 * trace(&product(&spread, &inner), &residual);
                    out[place] -= by_rate;
                }
            });
        }
        out
    }

    /// What the posterior says of new comparisons between `points`: the means and variances of their differences.
    pub fn moments(&self, posterior: &Absorbed, points: &Points, edges: &[Edge]) -> (Vec<f64>, Vec<f64>) {
        let Some(factor) = posterior.joint.as_deref() else {
            return (vec![0.0; edges.len()], vec![0.0; edges.len()]);
        };
        let variables = self.joint.layout.variables();
        let one = |edge: &Edge| {
            let row = row(&self.joint.layout, points, edge, &self.parameters);
            let merged = row.merged();
            let mean = merged.iter().map(|&(i, a)| a * posterior.weights[i]).sum::<f64>();
            (mean, factor.variance(Rows::single(&merged).row(0), variables) + row.rest())
        };
        parallel::map(edges.len(), 256, |e| one(&edges[e])).into_iter().unzip()
    }

    /// The means and variances of the utilities of `points` relative to their average over `reference`.
    pub(crate) fn relative(
        &self,
        posterior: &Absorbed,
        points: &Points,
        reference: &Points,
    ) -> (Vec<f64>, Vec<f64>) {
        let n = points.len();
        let Some(factor) = posterior.joint.as_deref() else { return (vec![0.0; n], vec![0.0; n]) };
        let layout = &self.joint.layout;
        // Of teams the members.
        let share = 1.0 / reference.rows().max(1) as f64;
        let mut average = Row::default();
        (0..reference.rows())
            .for_each(|i| layout.add_one(reference, i, share, &self.parameters, &mut average));
        // What does not depend on the item is the same for all and cancels. Taken out of both sides, it leaves variables of one item, whose
        // covariances are known without solving for them.
        let mut common = Row::default();
        if reference.rows() > 0 {
            layout.add_one(reference, 0, -1.0, &self.parameters, &mut common);
            common.entries.retain(|&(variable, _)| layout.is_shared(variable));
        }
        average.entries.extend(&common.entries);
        let mut dense = vec![0.0; layout.variables()];
        average.entries.iter().for_each(|&(i, a)| dense[i] += a);
        let with_average = factor.solve(&dense);
        let (own, mean) = (dot(&dense, &with_average), dot(&dense, &posterior.weights));
        let one = |i: usize| {
            let mut row = Row::default();
            layout.add(points, i, 1.0, &self.parameters, &mut row);
            row.entries.extend(&common.entries);
            let merged = row.merged();
            let along = |x: &[f64]| merged.iter().map(|&(v, a)| a * x[v]).sum::<f64>();
            let variance =
                factor.variance(Rows::single(&merged).row(0), dense.len()) - 2.0 * along(&with_average) + own;
            row.rests.extend(average.rests.iter().map(super::layout::Rest::negative));
            (along(&posterior.weights) - mean, variance.max(0.0) + row.rest())
        };
        parallel::map(n, 64, one).into_iter().unzip()
    }

    /// The covariances of the utilities of `points`, by one solution a point.
    pub fn covariance(&self, posterior: &Absorbed, points: &Points) -> Matrix {
        let n = points.len();
        let Some(factor) = posterior.joint.as_deref() else { return Matrix::zeros(n, n) };
        let layout = &self.joint.layout;
        let row_of = |edge: Edge| row(layout, points, &edge, &self.parameters);
        let each: Vec<_> =
            (0..n).map(|i| row_of(Edge::alone(i))).map(|row| (row.merged(), row.rest())).collect();
        // What two points have independently of all variables: in common what is lost where one is taken from the other.
        let open = |i: usize, j: usize| match (each[i].1, each[j].1) {
            (own, _) if i == j => own,
            (one, other) if one > 0.0 && other > 0.0 => {
                0.5 * (one + other - row_of(Edge::between(i, j)).rest())
            }
            _ => 0.0,
        };
        let column = |j: usize| -> Vec<f64> {
            let mut dense = vec![0.0; layout.variables()];
            each[j].0.iter().for_each(|&(variable, a)| dense[variable] += a);
            let solved = factor.solve(&dense);
            let along = |i: usize| each[i].0.iter().map(|&(variable, a)| a * solved[variable]).sum::<f64>();
            (0..=j).map(|i| along(i) + open(i, j)).collect()
        };
        let columns = parallel::map(n, 8, column);
        Matrix::from_fn(n, n, |i, j| columns[i.max(j)][i.min(j)])
    }

    /// The posterior means and variances of the variables of one term's group of one point, if the fit had that group.
    pub fn effect(
        &self,
        posterior: &Absorbed,
        term: usize,
        points: &Points,
        i: usize,
    ) -> Option<Vec<(f64, f64)>> {
        let factor = posterior.joint.as_deref()?;
        let first = self.joint.layout.components[self.joint.layout.component(term, points, i)?].first;
        let each = first..first + self.joint.layout.terms[term].order();
        each.map(|v| Some((posterior.weights[v], factor.inverse(v, v)?))).collect()
    }
}

/// `tr(A B)` for symmetric `A`.
fn trace(a: &Matrix, b: &Matrix) -> f64 {
    (0..a.rows()).map(|i| (0..a.rows()).map(|j| a[(i, j)] * b[(i, j)]).sum::<f64>()).sum()
}

fn diagonal_sum(a: &Matrix) -> f64 {
    (0..a.rows()).map(|i| a[(i, i)]).sum()
}

impl GaussianPrior for JointPrior {
    fn projections(&self) -> usize {
        self.joint.rows.len()
    }

    fn absorb_into(&self, tau: &[f64], nu: &[f64], earlier: Absorbed) -> Option<Absorbed> {
        let rows = &self.joint.rows;
        let mut summary =
            Summary { precision: self.precision.clone(), shift: vec![0.0; self.joint.layout.variables()] };
        summary.take(rows, tau, nu);
        let factor = summary.precision.factorise()?;
        let weights = factor.solve(&summary.shift);
        let variables = weights.len();
        let mean = |e: usize| rows.row(e).along(&weights);
        Some(Absorbed {
            mean: parallel::map_into(earlier.mean, rows.len(), MANY, mean),
            variance: parallel::map_into(earlier.variance, rows.len(), MANY, |e| {
                factor.variance(rows.row(e), variables)
            }),
            log_det: factor.log_det() - self.log_det,
            weights,
            joint: Some(Box::new(factor)),
            ..Absorbed::default()
        })
    }

    fn shift(&self, posterior: &Absorbed, x: &[f64]) -> Vec<f64> {
        let rows = &self.joint.rows;
        let Some(factor) = posterior.joint.as_deref() else { return vec![0.0; x.len()] };
        let mut shift = vec![0.0; self.joint.layout.variables()];
        for (e, x) in x.iter().enumerate() {
            rows.row(e).iter().for_each(|(i, a)| shift[i] += x * a);
        }
        let moved = factor.solve(&shift);
        (0..rows.len()).map(|e| rows.row(e).along(&moved)).collect()
    }
}
