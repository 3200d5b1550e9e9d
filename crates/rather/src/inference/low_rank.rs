//! A prior of low rank: features of a few inducing items, and what they leave of each comparison.
//!
//! With inducing items `U` and `K_UU = T'T`, an item has the features `phi(x) = T^-T k(U, x)` and a projection `p = phi(x) - phi(x')`.
//! What the features leave of its variance, `d = k(x, x) + k(x', x') - 2 k(x, x') - p'p`, is taken to be independent of all else, so
//! that it joins the noise of the answer: FITC in the space of comparisons (Houlsby et al. 2012, supplement, section 4.4). A sweep
//! costs `O(N R^2 + M R)` for `N` items, `M` projections and `R` features: sums over comparisons are sums over the edges of a graph of items.

use super::observations::Edge;
use super::prior::{Prior, Space, neighbours};
use crate::kernel::Kernel;
use crate::points::Points;
use rather_numerics::linalg::{Matrix, TriangularFeatures, dot, solve_lower_transposed, squared_distance};

impl Prior {
    /// The prior of `kernel` over `points` by the features of the items at the positions `inducing`, for projections `edges`
    /// over `points`. `None` if the covariance holds something that is not a number.
    ///
    /// With all items inducing it is the same prior as [`Prior::new`]'s.
    ///
    /// # Examples
    /// ```
    /// use rather::inference::observations::Edge;
    /// use rather::inference::prior::Prior;
    /// use rather::kernel::{Schema, parse};
    /// use rather::points::Points;
    ///
    /// let kernel = parse("se", &Schema { names: vec!["x".into()], categorical: vec![false], context: 0 }, false)?;
    /// let items = Points::from_rows(&[[0.0], [0.5], [1.0]]);
    /// let edges = [Edge::between(0, 1), Edge::between(1, 2)];
    /// let prior = Prior::low_rank(&kernel, &items, &edges, &[0, 2]).unwrap();
    /// assert_eq!(prior.rank(), 2);
    /// assert!(prior.rest.iter().all(|&d| d > 0.0 && d < 0.1)); // the two ends nearly tell the middle
    /// # Ok::<(), rather::Error>(())
    /// ```
    pub fn low_rank(kernel: &Kernel, points: &Points, edges: &[Edge], inducing: &[usize]) -> Option<Self> {
        let chosen = points.select(inducing);
        let triangle = TriangularFeatures::new(kernel.matrix(&chosen))?;
        let rank = triangle.features.rows();
        let pivots: Vec<usize> = triangle.order[..rank].iter().map(|&u| inducing[u]).collect();
        let order = order(&pivots, points.len());
        let features = features(kernel, points, &order, &triangle.features);
        let rest = rest(kernel, points, edges, &order, &features)?;
        let mut node_of = vec![0; order.len()];
        order.iter().enumerate().for_each(|(node, &i)| node_of[i] = node);
        let renamed = |e: &Edge| Edge::new(node_of[e.plus()], e.minus().map(|m| node_of[m]));
        let node_edges: Vec<Edge> = edges.iter().map(renamed).collect();
        Some(Self {
            triangular: rank,
            space: Space::Items,
            items: points.len(),
            item_edges: edges.to_vec(),
            means: vec![0.0; edges.len()],
            low_rank: true,
            independent: false,
            neighbours: neighbours(&node_edges, order.len()),
            edges: node_edges,
            features,
            order,
            rest,
        })
    }
}

/// The pivots, then all others.
fn order(pivots: &[usize], items: usize) -> Vec<usize> {
    let mut first = vec![false; items];
    pivots.iter().for_each(|&p| first[p] = true);
    pivots.iter().copied().chain((0..items).filter(|&i| !first[i])).collect()
}

/// `T^-T k(U, x)` for all items in `order`, the first of which are the pivots, whose features are the triangle itself.
fn features(kernel: &Kernel, points: &Points, order: &[usize], triangle: &Matrix) -> Matrix {
    let rank = triangle.rows();
    let pivots = Matrix::from_fn(rank, rank, |i, j| triangle[(i, j)]);
    let mut features = kernel.cross(&points.select(&order[..rank]), &points.select(order));
    solve_lower_transposed(&pivots, &mut features);
    for j in 0..rank {
        features.col_mut(j).copy_from_slice(pivots.col(j));
    }
    features
}

/// What the features leave of the variance of every projection. `None` if a covariance is not a number.
fn rest(
    kernel: &Kernel,
    points: &Points,
    edges: &[Edge],
    order: &[usize],
    features: &Matrix,
) -> Option<Vec<f64>> {
    let mut node_of = vec![0; order.len()];
    order.iter().enumerate().for_each(|(node, &i)| node_of[i] = node);
    let own = kernel.diagonal(points);
    let between = kernel.between_pairs(points, edges);
    let one = |(edge, k): (&Edge, &f64)| {
        let plus = features.col(node_of[edge.plus()]);
        match edge.minus() {
            Some(minus) => {
                let prior = own[edge.plus()] + own[minus] - 2.0 * k;
                prior - squared_distance(plus, features.col(node_of[minus]))
            }
            None => own[edge.plus()] - dot(plus, plus),
        }
    };
    let rest: Vec<f64> = edges.iter().zip(&between).map(one).collect();
    rest.iter().all(|d| d.is_finite()).then(|| rest.into_iter().map(|d| d.max(0.0)).collect())
}
