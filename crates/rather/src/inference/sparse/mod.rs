//! A Gaussian prior with a sparse precision, for items that are known by name only or by who their neighbours are.
//!
//! The items' utilities are a Gaussian Markov field: `Q_0 = (I + rho L) / variance` with the Laplacian `L` of a graph of neighbours (Rue and Held
//! 2005, chapter 3). Without neighbours it is the kernel `white`. A comparison's site adds its precision to an edge, so the posterior's
//! precision is a weighted Laplacian with a diagonal, too, as sparse as the comparisons are.
//!
//! Where its Cholesky factor is small enough ([`Limits`]), all is exact: one factorisation and the inverse at its entries a sweep. Else
//! (comparisons of items drawn at random fill the factor) variances come from messages ([`messages`]), means from conjugate gradients,
//! and [`probe`] tells how far the variances are off.

mod conjugate;
pub mod graph;
pub mod messages;
pub mod precision;
pub mod probe;

use std::sync::Arc;

pub use graph::{Graph, Limits};
pub use precision::Precision;

use super::Outcome;
use super::observations::Edge;
use super::prior::{Absorbed, GaussianPrior, scatter};
use graph::{each, sum};

/// Two items that are alike, and how much.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Neighbours {
    /// One item.
    pub one: usize,
    /// The other.
    pub other: usize,
    /// How much they are alike: positive.
    pub weight: f64,
}

/// A Markov field over items and the projections that answers are about: all of the prior but its hyperparameters.
#[derive(Debug, Clone)]
pub struct Field {
    graph: Arc<Graph>,
    projections: Vec<Edge>,
    /// The edge of the graph that each projection lives on; `None` for a single item.
    edge_of: Vec<Option<u32>>,
    /// How much the ends of each edge are alike, zero if they are no neighbours; empty if nobody has neighbours.
    alike: Vec<f64>,
}

/// The field at one setting of its hyperparameters.
#[derive(Debug, Clone)]
pub struct SparsePrior {
    field: Field,
    diagonal: f64,
    /// `rho / variance` times the weights of neighbours; empty if nobody has any.
    springs: Vec<f64>,
    /// `log |Q_0|`.
    log_det: f64,
    /// The prior variances of the differences between neighbours.
    between: Vec<f64>,
}

/// The gradient of the log evidence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gradient {
    /// In the log of the variance.
    pub log_variance: f64,
    /// In the log of the coupling `rho`.
    pub log_coupling: f64,
}

impl Field {
    /// The field over `items` items, for projections over them. `None` if there are more than 32 bits count.
    ///
    /// # Panics
    /// If a projection or a pair of neighbours is not about two different ones of the items: a mistake of the calling code.
    pub fn new(
        items: usize,
        projections: &[Edge],
        neighbours: &[Neighbours],
        limits: &Limits,
    ) -> Option<Self> {
        let ordered = |i: usize, j: usize| {
            assert!(i != j && i.max(j) < items, "an edge joins two different items");
            (i.min(j), i.max(j))
        };
        let of = |e: &Edge| e.minus.map(|minus| ordered(e.plus, minus));
        let mut ends: Vec<(usize, usize)> = projections.iter().filter_map(of).collect();
        ends.extend(neighbours.iter().map(|n| ordered(n.one, n.other)));
        ends.sort_unstable();
        ends.dedup();
        let at = |pair: (usize, usize)| ends.partition_point(|&e| e < pair);
        let edge_of = projections.iter().map(|e| of(e).map(|pair| at(pair) as u32)).collect();
        let mut alike = vec![0.0; if neighbours.is_empty() { 0 } else { ends.len() }];
        neighbours.iter().for_each(|n| alike[at(ordered(n.one, n.other))] += n.weight);
        let graph = Arc::new(Graph::new(items, ends, limits)?);
        Some(Self { graph, projections: projections.to_vec(), edge_of, alike })
    }

    /// The graph of items that are compared or neighbours.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Whether anybody has neighbours.
    pub fn has_neighbours(&self) -> bool {
        !self.alike.is_empty()
    }

    /// The prior `Q_0 = (I + coupling L) / variance`: an item without neighbours has this variance; the larger the
    /// coupling, the less neighbours differ. `None` if a number is out of its range, which is positive.
    ///
    /// # Examples
    /// ```
    /// use rather::inference::observations::Edge;
    /// use rather::inference::sparse::{Field, Limits, Neighbours};
    /// use rather::inference::prior::GaussianPrior;
    ///
    /// // Three items on a string; the two ends were compared.
    /// let ends = [Edge { plus: 0, minus: Some(2) }];
    /// let string = [(0, 1), (1, 2)].map(|(one, other)| Neighbours { one, other, weight: 1.0 });
    /// let field = Field::new(3, &ends, &string, &Limits::default()).unwrap();
    /// let prior = field.prior(4.0, 0.5).unwrap();
    /// let nothing_said = prior.absorb_into(&[0.0], &[0.0], Default::default()).unwrap();
    /// // e = (1, 0, -1) is an eigenvector of L with eigenvalue 1: e'Q_0^-1 e = 4 * 2 / (1 + 0.5).
    /// assert!((nothing_said.variance[0] - 8.0 / 1.5).abs() < 1e-12);
    /// ```
    pub fn prior(&self, variance: f64, coupling: f64) -> Option<SparsePrior> {
        if !(variance.is_finite() && variance > 0.0) {
            return None;
        }
        let (diagonal, nodes) = (1.0 / variance, self.graph.nodes());
        let springs: Vec<f64> = self.alike.iter().map(|w| coupling * w / variance).collect();
        let (log_det, between) = if springs.is_empty() {
            (nodes as f64 * diagonal.ln(), Vec::new())
        } else {
            let q = Precision::new(&self.graph, vec![diagonal; nodes], springs.clone(), None)?;
            (q.log_det(), q.edge_variances())
        };
        Some(SparsePrior { field: self.clone(), diagonal, springs, log_det, between })
    }
}

impl SparsePrior {
    /// The field.
    pub fn field(&self) -> &Field {
        &self.field
    }

    /// The precision `Q_0 + sum_e tau_e a_e a_e'`.
    fn precision(&self, tau: &[f64], earlier: Option<Precision>) -> Option<Precision> {
        let graph = &self.field.graph;
        let mut diagonal = vec![self.diagonal; graph.nodes()];
        let mut weights = self.springs.clone();
        weights.resize(graph.edges(), 0.0);
        for ((projection, edge), tau) in self.field.projections.iter().zip(&self.field.edge_of).zip(tau) {
            match edge {
                Some(edge) => weights[*edge as usize] += tau,
                None => diagonal[projection.plus] += tau,
            }
        }
        Precision::new(graph, diagonal, weights, earlier)
    }

    fn project(&self, nodes: &[f64]) -> Vec<f64> {
        let all = &self.field.projections;
        each(all.len(), |e| nodes[all[e].plus] - all[e].minus.map_or(0.0, |minus| nodes[minus]))
    }

    /// The gradient of the log evidence at a fixpoint of expectation propagation, where the sites do not count:
    /// for any parameter of the prior's precision, `- m' dQ_0 m / 2 - tr(Q^-1 dQ_0) / 2 + tr(Q_0^-1 dQ_0) / 2` with the posterior means `m`.
    ///
    /// It takes variances of items and along edges only. Where these come by messages it is the gradient of the evidence that is
    /// reported, the Bethe one. `None` if the outcome is not one of a sparse prior.
    pub fn gradient(&self, outcome: &Outcome) -> Option<Gradient> {
        let Absorbed { weights: mean, precision, .. } = &outcome.posterior;
        let precision = precision.as_deref()?;
        let variances = precision.node_variances();
        let items = self.diagonal * sum(mean.len(), |i| mean[i] * mean[i] + variances[i]);
        let (mut springs, mut before) = (0.0, 0.0);
        if !self.springs.is_empty() {
            let along = precision.edge_variances();
            let ends = &self.field.graph.ends;
            springs = sum(ends.len(), |e| {
                let difference = mean[ends[e].0] - mean[ends[e].1];
                self.springs[e] * (difference * difference + along[e])
            });
            before = sum(ends.len(), |e| self.springs[e] * self.between[e]);
        }
        Some(Gradient {
            log_variance: 0.5 * (items + springs - mean.len() as f64),
            log_coupling: 0.5 * (before - springs),
        })
    }
}

impl GaussianPrior for SparsePrior {
    fn projections(&self) -> usize {
        self.field.projections.len()
    }

    fn absorb_into(&self, tau: &[f64], nu: &[f64], earlier: Absorbed) -> Option<Absorbed> {
        let precision = self.precision(tau, earlier.precision.map(|p| *p))?;
        let pull = scatter(&self.field.projections, nu, self.field.graph.nodes());
        let weights = precision.solve(&pull, Some(&earlier.weights))?;
        let (items, along) = (precision.node_variances(), precision.edge_variances());
        let (all, edge_of) = (&self.field.projections, &self.field.edge_of);
        Some(Absorbed {
            mean: self.project(&weights),
            variance: each(all.len(), |e| edge_of[e].map_or(items[all[e].plus], |edge| along[edge as usize])),
            log_det: precision.log_det() - self.log_det,
            weights,
            precision: Some(Box::new(precision)),
            ..Absorbed::default()
        })
    }

    fn shift(&self, posterior: &Absorbed, x: &[f64]) -> Vec<f64> {
        let pull = scatter(&self.field.projections, x, self.field.graph.nodes());
        let moved = posterior.precision.as_ref().and_then(|q| q.solve(&pull, None));
        // Conjugate gradients that found the means find these; if they do not, nothing is claimed to move.
        moved.map_or_else(|| vec![0.0; x.len()], |nodes| self.project(&nodes))
    }
}
