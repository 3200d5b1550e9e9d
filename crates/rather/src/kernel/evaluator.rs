//! A kernel at single points, without allocating: for what must answer at once, on a small device.

use super::Kernel;
use super::atom::{Items, Pairs};
use crate::points::Points;

/// Fixed points, with which the covariances of one other point at a time are wanted.
///
/// After it is made, no call allocates memory.
///
/// # Examples
/// ```
/// use rather::kernel::{Evaluator, Schema, parse};
/// use rather::points::Points;
///
/// let kernel = parse("se", &Schema { names: vec!["x".into()], categorical: vec![false], context: 0 }, false)?;
/// let points = Points::from_rows(&[[0.0], [1.0]]);
/// let mut column = [0.0; 2];
/// let mut evaluator = Evaluator::new(&points);
/// evaluator.column(&kernel, (7, &[1.0]), &mut column);
/// assert_eq!(column[1], evaluator.between(&kernel, (7, &[1.0]), (8, &[1.0])));
/// # Ok::<(), rather::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Evaluator {
    fixed: Items,
    one: Items,
    other: Items,
}

impl Evaluator {
    /// For the covariances with `points`.
    pub fn new(points: &Points) -> Self {
        let single = Items::new(&Points::new(vec![0], points.dims(), vec![0.0; points.dims()]));
        Self { fixed: Items::new(points), one: single.clone(), other: single }
    }

    /// Writes $k(x_i,x)$ for every fixed point $x_i$ and the point $x$ with an identity and features.
    ///
    /// # Panics
    /// Here and in the next: if an atom asks for a column that the points do not have ([`Kernel::check`]), or `out` is not
    /// as long as there are points.
    pub fn column(&mut self, kernel: &Kernel, (id, row): (u64, &[f64]), out: &mut [f64]) {
        self.other.set(0, id, row);
        kernel.values(&Pairs::new(&self.fixed, 0..self.fixed.len(), &self.other, 0), out);
    }

    /// $k(x,x')$.
    pub fn between(
        &mut self,
        kernel: &Kernel,
        (id, row): (u64, &[f64]),
        (other_id, other_row): (u64, &[f64]),
    ) -> f64 {
        self.one.set(0, id, row);
        self.other.set(0, other_id, other_row);
        let mut value = [0.0];
        kernel.values(&Pairs::new(&self.one, 0..1, &self.other, 0), &mut value);
        value[0]
    }
}
