//! How the joint posterior over some items changes with their features: what differentiation in reverse asks for.

use super::{Joint, Posterior};
use crate::points::Points;
use rather_numerics::linalg::{Matrix, axpy, product, solve_lower, solve_lower_transposed};
use rather_numerics::parallel;

impl Posterior {
    /// The joint posteriors over each `q` of `points`, in their order.
    ///
    /// # Panics
    /// If `q` is 0 or does not divide the number of points.
    pub fn joints(&self, points: &Points, q: usize) -> Vec<Joint> {
        parallel::map(blocks(points, q), 1, |b| self.joint(&points.select(&block(b, q))))
    }

    /// The gradient of $\sum_i a_i \mathrm E f(x_i)+\sum_{ij}B_{ij} \mathrm{Cov}(f(x_i),f(x_j))$ in the features of the items, `dims x items`:
    /// $$ g_i=G_iT^{-1}\Big(a_i\bar w+\sum_jS_{ij}(R^{-\top}\psi_j-\varphi_j)\Big)+\sum_jS_{ij} \partial_1k(x_i,x_j),\qquad S=B+B^\top, $$
    /// with $G_i$ the gradient of the covariances of $x_i$ with the nodes, $\varphi=T^{-\top}k$, $\psi=R^{-1}\varphi$ and $\partial_1$ the gradient by the
    /// first argument. It follows from $\mathrm{Cov}=k(x_i,x_j)-\varphi_i^\top\varphi_j+\psi_i^\top\psi_j$; `of_mean` is $a$ and `of_covariance` $B$, the
    /// derivatives of whatever is made of mean and covariance.
    ///
    /// # Panics
    /// If `of_mean` has not one entry an item, or `of_covariance` is not items x items.
    ///
    /// # Examples
    /// ```
    /// use rather::features::{Column, ColumnValues};
    /// use rather_numerics::linalg::Matrix;
    /// use rather::model::{FitSettings, Items, Model};
    /// use rather::points::Points;
    /// use rather::Comparison;
    ///
    /// let price = Column { name: "price".into(), values: ColumnValues::Numeric(vec![1.0, 2.0, 3.0]) };
    /// let items = Items { keys: vec!["tea".into(), "coffee".into(), "wine".into()], columns: vec![price] };
    /// let comparisons = [Comparison { winner: 0, loser: 1, count: 1.0 }, Comparison { winner: 1, loser: 2, count: 1.0 }];
    /// let model = Model::fit(&items, &comparisons, &FitSettings::default(), &|_| ())?;
    /// let between = Points::new(vec![3], 1, vec![0.5]);
    /// let slope = model.posterior()?.joint_gradient(&between, &[1.0], &Matrix::zeros(1, 1));
    /// assert!(slope[(0, 0)] < 0.0); // the mean utility falls with the price
    /// # Ok::<(), rather::Error>(())
    /// ```
    pub fn joint_gradient(&self, points: &Points, of_mean: &[f64], of_covariance: &Matrix) -> Matrix {
        let n = points.len();
        assert!(of_mean.len() == n, "of_mean must have one entry an item");
        assert!(
            of_covariance.rows() == n && of_covariance.cols() == n,
            "of_covariance must be items x items"
        );
        let both = Matrix::from_fn(n, n, |i, j| of_covariance[(i, j)] + of_covariance[(j, i)]);
        let along = self.along_nodes(points, of_mean, &both);
        let mut out = Matrix::zeros(points.dims(), n);
        for i in 0..n {
            let x = points.select(&[i]);
            let by_nodes = self.node_gradient(&x).times(along.col(i));
            let by_items = self.kernel.gradient_in_inputs(&x, points).times(both.col(i));
            let gradient = out.col_mut(i);
            axpy(1.0, &by_nodes, gradient);
            axpy(1.0, &by_items, gradient);
        }
        out
    }

    /// [`Posterior::joint_gradient`] for each `q` of `points`: `of_mean` has their entries one after the other, `of_covariance` the matrices of
    /// `q x q` numbers. The gradients come item by item.
    ///
    /// # Panics
    /// As [`Posterior::joints`], and if there are not as many derivatives.
    pub fn joint_gradients(
        &self,
        points: &Points,
        q: usize,
        of_mean: &[f64],
        of_covariance: &[f64],
    ) -> Vec<f64> {
        assert!(of_mean.len() == points.len(), "of_mean must have one entry an item");
        assert!(of_covariance.len() == points.len() * q, "of_covariance must have q entries an item");
        let gradient = |b: usize| {
            let first = b * q;
            let matrix = Matrix::from_fn(q, q, |i, j| of_covariance[(first + i) * q + j]);
            self.joint_gradient(&points.select(&block(b, q)), &of_mean[first..first + q], &matrix)
                .data()
                .to_vec()
        };
        parallel::map(blocks(points, q), 1, gradient).concat()
    }

    /// `T^-1 (a_i w + sum_j S_ij (R^-T psi_j - phi_j))`, one item a column.
    fn along_nodes(&self, points: &Points, of_mean: &[f64], both: &Matrix) -> Matrix {
        let e = self.embed(points);
        let mut change = e.shrunk;
        solve_lower_transposed(&self.outcome.posterior.factor, &mut change);
        change.data_mut().iter_mut().zip(e.features.data()).for_each(|(c, phi)| *c -= phi);
        let mut along = product(&change, both);
        for (i, &a) in of_mean.iter().enumerate() {
            axpy(a, &self.outcome.posterior.weights, along.col_mut(i));
        }
        solve_lower(&self.pivots, &mut along);
        along
    }
}

/// How many blocks of `q` there are.
fn blocks(points: &Points, q: usize) -> usize {
    assert!(q > 0 && points.len().is_multiple_of(q), "q must divide the number of points");
    points.len() / q
}

/// The positions of block `b` of `q` points.
fn block(b: usize, q: usize) -> Vec<usize> {
    (b * q..(b + 1) * q).collect()
}
