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

use super::observations::Edge;
use super::prior::{Absorbed, GaussianPrior};
use graph::{each_into, sum};

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
    projections: Projections,
    /// How much the ends of each edge are alike, zero if they are no neighbours; empty if nobody has neighbours.
    alike: Arc<[f64]>,
}

/// What answers are about.
#[derive(Debug, Clone)]
enum Projections {
    /// The differences along the edges of the graph, in their order: nothing needs to be held.
    Edges,
    /// Any projections, with the edge of the graph that each lives on, `None` for a single item.
    Listed(Arc<[(Edge, Option<u32>)]>),
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
            // Items are numbered with 32 bits, as those of edges are.
            (i.min(j) as u32, i.max(j) as u32)
        };
        u32::try_from(items).ok()?;
        let of = |e: &Edge| e.minus().map(|minus| ordered(e.plus(), minus));
        let mut ends: Vec<(u32, u32)> = projections.iter().filter_map(of).collect();
        ends.extend(neighbours.iter().map(|n| ordered(n.one, n.other)));
        if !ends.is_sorted() {
            ends.sort_unstable();
        }
        ends.dedup();
        ends.shrink_to_fit();
        let same = |(e, &(i, j)): (&Edge, &(u32, u32))| *e == Edge::between(i as usize, j as usize);
        let are_edges = ends.len() == projections.len() && projections.iter().zip(&ends).all(same);
        let at = |pair: (u32, u32)| ends.partition_point(|&e| e < pair);
        let listed = |e: &Edge| (*e, of(e).map(|pair| at(pair) as u32));
        let held = if are_edges {
            Projections::Edges
        } else {
            Projections::Listed(projections.iter().map(listed).collect())
        };
        let mut alike = vec![0.0; if neighbours.is_empty() { 0 } else { ends.len() }];
        neighbours.iter().for_each(|n| alike[at(ordered(n.one, n.other))] += n.weight);
        let graph = Arc::new(Graph::new(items, ends, limits)?);
        Some(Self { graph, projections: held, alike: alike.into() })
    }

    /// Number of projections.
    fn projections(&self) -> usize {
        match &self.projections {
            Projections::Edges => self.graph.edges(),
            Projections::Listed(all) => all.len(),
        }
    }

    /// A number for every projection, in memory that is there: `along` tells it for an edge, `of` for an item.
    fn each_projection(
        &self,
        memory: Vec<f64>,
        along: impl Fn(usize, usize, u32) -> f64 + Send + Sync,
        of: impl Fn(usize) -> f64 + Send + Sync,
    ) -> Vec<f64> {
        match &self.projections {
            Projections::Edges => each_into(memory, self.graph.edges(), |e| {
                let (i, j) = self.graph.ends_of(e);
                along(i, j, e as u32)
            }),
            Projections::Listed(all) => each_into(memory, all.len(), |p| match all[p] {
                (projection, Some(edge)) => {
                    along(projection.plus(), projection.minus().unwrap_or(projection.plus()), edge)
                }
                (projection, None) => of(projection.plus()),
            }),
        }
    }

    /// Sum over projections of `value_p a_p`, a vector over nodes.
    pub(super) fn scatter(&self, values: &[f64]) -> Vec<f64> {
        match &self.projections {
            Projections::Edges => self.graph.gather(|_| 0.0, |e| (values[e], -values[e])),
            Projections::Listed(all) => {
                let mut out = vec![0.0; self.graph.nodes()];
                for ((projection, _), value) in all.iter().zip(values) {
                    out[projection.plus()] += value;
                    projection.minus().into_iter().for_each(|minus| out[minus] -= value);
                }
                out
            }
        }
    }

    /// The precision `diag(diagonal) + sum_e weights_e a_e a_e' + sum_p tau_p a_p a_p'` with weights along the edges of the graph, in the memory of an earlier
    /// one.
    pub(super) fn precision(
        &self,
        mut diagonal: Vec<f64>,
        mut weights: Vec<f64>,
        tau: &[f64],
        messages: Option<messages::Messages>,
    ) -> Option<Precision> {
        weights.resize(self.graph.edges(), 0.0);
        match &self.projections {
            Projections::Edges => weights.iter_mut().zip(tau).for_each(|(w, tau)| *w += tau),
            Projections::Listed(all) => {
                for ((projection, edge), tau) in all.iter().zip(tau) {
                    match edge {
                        Some(edge) => weights[*edge as usize] += tau,
                        None => diagonal[projection.plus()] += tau,
                    }
                }
            }
        }
        Precision::new(&self.graph, diagonal, weights, messages)
    }

    /// The projections of values at the nodes.
    fn project(&self, nodes: &[f64], memory: Vec<f64>) -> Vec<f64> {
        self.each_projection(memory, |i, j, _| nodes[i] - nodes[j], |i| nodes[i])
    }

    /// The variances of the projections.
    pub(super) fn variances(&self, precision: &Precision, memory: Vec<f64>) -> Vec<f64> {
        match &self.projections {
            Projections::Edges => precision.edge_variances_into(memory),
            Projections::Listed(_) => {
                let (along, items) = (precision.edge_variances(), precision.node_variances());
                self.each_projection(memory, |_, _, edge| along[edge as usize], |i| items[i])
            }
        }
    }

    /// The same field, whose variances are by messages.
    pub(crate) fn by_messages(&self) -> Self {
        Self { graph: Arc::new(self.graph.by_messages()), ..self.clone() }
    }

    /// The graph of items that are compared or neighbours.
    pub fn graph(&self) -> &Graph {
        &self.graph
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
    /// let ends = [Edge::between(0, 2)];
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
    /// The prior variance of an item without neighbours.
    pub(crate) fn variance(&self) -> f64 {
        1.0 / self.diagonal
    }

    /// The field.
    pub fn field(&self) -> &Field {
        &self.field
    }

    /// The precision `Q_0 + sum_e tau_e a_e a_e'`, in the memory of an earlier one.
    fn precision(&self, tau: &[f64], earlier: Option<Precision>) -> Option<Precision> {
        let (mut weights, messages) = earlier.map_or((Vec::new(), None), Precision::into_memory);
        weights.clear();
        weights.extend_from_slice(&self.springs);
        self.field.precision(vec![self.diagonal; self.field.graph.nodes()], weights, tau, messages)
    }

    /// The gradient of the log evidence at a fixpoint of expectation propagation, where the sites do not count:
    /// for any parameter of the prior's precision, `- m' dQ_0 m / 2 - tr(Q^-1 dQ_0) / 2 + tr(Q_0^-1 dQ_0) / 2` with the posterior means `m`.
    ///
    /// It takes variances of items and along edges only. Where these come by messages it is the gradient of the evidence that is
    /// reported, the Bethe one. `None` if the posterior is not one of a sparse prior.
    pub fn gradient(&self, posterior: &Absorbed) -> Option<Gradient> {
        let Absorbed { weights: mean, precision, .. } = posterior;
        let precision = precision.as_deref()?;
        let variances = precision.node_variances();
        let items = self.diagonal * sum(mean.len(), |i| mean[i] * mean[i] + variances[i]);
        let (mut springs, mut before) = (0.0, 0.0);
        if !self.springs.is_empty() {
            let along = precision.edge_variances();
            let graph = &self.field.graph;
            springs = sum(graph.edges(), |e| {
                let (i, j) = graph.ends_of(e);
                let difference = mean[i] - mean[j];
                self.springs[e] * (difference * difference + along[e])
            });
            before = sum(graph.edges(), |e| self.springs[e] * self.between[e]);
        }
        Some(Gradient {
            log_variance: 0.5 * (items + springs - mean.len() as f64),
            log_coupling: 0.5 * (before - springs),
        })
    }
}

impl GaussianPrior for SparsePrior {
    fn projections(&self) -> usize {
        self.field.projections()
    }

    fn absorb_into(&self, tau: &[f64], nu: &[f64], earlier: Absorbed) -> Option<Absorbed> {
        let Absorbed { weights: start, mean, variance, precision, .. } = earlier;
        let precision = self.precision(tau, precision.map(|p| *p))?;
        let weights = precision.solve_from(&self.field.scatter(nu), &start)?;
        Some(Absorbed {
            mean: self.field.project(&weights, mean),
            variance: self.field.variances(&precision, variance),
            weights,
            precision: Some(Box::new(precision)),
            ..Absorbed::default()
        })
    }

    /// As `2 nu'm - m'Qm`, which is as much off as the means are, squared.
    fn quadratic(&self, tau: &[f64], nu: &[f64], Absorbed { weights, mean, .. }: &Absorbed) -> f64 {
        let of_sites = sum(mean.len(), |p| (2.0 * nu[p] - tau[p] * mean[p]) * mean[p]);
        let of_items = sum(weights.len(), |i| weights[i] * weights[i]);
        let of_neighbours = sum(self.springs.len(), |e| {
            let (i, j) = self.field.graph.ends_of(e);
            self.springs[e] * (weights[i] - weights[j]).powi(2)
        });
        of_sites - self.diagonal * of_items - of_neighbours
    }

    /// By messages as much work as a few rounds of them, so not a part of every sweep.
    fn log_det(&self, posterior: &Absorbed) -> f64 {
        posterior.precision.as_ref().map_or(f64::NAN, |precision| precision.log_det() - self.log_det)
    }

    fn shift(&self, posterior: &Absorbed, x: &[f64]) -> Vec<f64> {
        let moved = posterior.precision.as_ref().and_then(|q| q.solve(&self.field.scatter(x)));
        // Conjugate gradients that found the means find these; if they do not, nothing is claimed to move.
        moved.map_or_else(|| vec![0.0; x.len()], |nodes| self.field.project(&nodes, Vec::new()))
    }
}
