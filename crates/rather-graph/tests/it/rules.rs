//! The rules of the factor graph: against the reference's figures, against conditioning one joint Gaussian on random
//! trees, and what is refused.

use crate::common::{GOLDEN, golden, matrix, near, vector};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use rand_chacha::ChaCha8Rng;
use rather_graph::{
    Addition, AdditionMultiplication, Constant, Equality, EqualityMultiplication, Graph, GraphError, Message,
    Messages, Multiplication, Node, Open, Prior, Problem, Schedule, Step,
};
use rather_numerics::linalg::{Matrix, product, singular_values};
use rather_numerics::random::{normal, stream, uniform};
use serde_json::Value;

// ---- what the tests share ------------------------------------------------------------------------------------

fn rows<const R: usize, const C: usize>(rows: [[f64; C]; R]) -> Matrix {
    Matrix::from_fn(R, C, |i, j| rows[i][j])
}

fn moment(json: &Value) -> Message {
    Message::moment(vector(&json["mu"]), matrix(&json["Sigma"])).unwrap()
}

fn information(json: &Value) -> Message {
    Message::information(vector(&json["xi"]), matrix(&json["Upsilon"])).unwrap()
}

fn equals_golden(found: &Message, json: &Value, what: &str) {
    if json.get("mu").is_some() {
        let found = found.to_moment().unwrap();
        near(found.mean(), &vector(&json["mu"]), GOLDEN, what);
        near(found.covariance().data(), matrix(&json["Sigma"]).data(), GOLDEN, what);
    }
    if json.get("xi").is_some() {
        let found = found.to_information().unwrap();
        near(found.shift(), &vector(&json["xi"]), GOLDEN, what);
        near(found.precision().data(), matrix(&json["Upsilon"]).data(), GOLDEN, what);
    }
}

// ---- the reference's figures --------------------------------------------------------------------------------------

#[test]
fn rules_equal_the_reference_in_every_mixture_of_forms() {
    let json = golden();
    let json = &json["rules"];
    let inputs = &json["inputs"];
    let forms = |name: &str| [moment(&inputs[name]), information(&inputs[name])];
    let (a, row) = (matrix(&inputs["A"]), matrix(&inputs["A_row"]));
    let flat = Message::flat(2);
    for x in forms("X") {
        for y in forms("Y") {
            let to = |node: &dyn Node, port, incoming: [&Message; 3]| node.send(port, &incoming).unwrap();
            equals_golden(&to(&Equality, 2, [&x, &y, &flat]), &json["equality"], "equality");
            equals_golden(&to(&Addition, 2, [&x, &y, &flat]), &json["addition_fwd"], "addition");
            let backward = &json["addition_bwd_X_from_Z_is_X_and_Y"];
            equals_golden(&to(&Addition, 0, [&flat, &y, &x]), backward, "addition, to x");
            let node = AdditionMultiplication::new("A", a.clone()).unwrap();
            equals_golden(&to(&node, 2, [&x, &y, &flat]), &json["addition_mult_X_plus_A_Y"], "x + A y");
        }
        let node = Multiplication::new("A", a.clone()).unwrap();
        equals_golden(&node.send(1, &[&x, &flat]).unwrap(), &json["mult_fwd"], "A x");
        let node = Multiplication::new("J", row.clone()).unwrap();
        equals_golden(&node.send(1, &[&x, &Message::flat(1)]).unwrap(), &json["mult_fwd_row"], "J x");
        for scalar in forms("scalar") {
            let node = EqualityMultiplication::new("J", row.clone()).unwrap();
            let found = node.send(2, &[&x, &scalar, &flat]).unwrap();
            equals_golden(&found, &json["equality_mult_row"], "equality-multiplication");
            let found = node.send(0, &[&flat, &scalar, &x]).unwrap();
            equals_golden(&found, &json["equality_mult_row"], "equality-multiplication, to x");
        }
    }
    for y in forms("Y") {
        let node = Multiplication::new("A", a.clone()).unwrap();
        equals_golden(&node.send(0, &[&flat, &y]).unwrap(), &json["mult_bwd"], "backward through A");
    }
    for scalar in forms("scalar") {
        let node = Multiplication::new("J", row.clone()).unwrap();
        equals_golden(&node.send(0, &[&flat, &scalar]).unwrap(), &json["mult_bwd_row"], "backward through J");
    }
    let degenerate = moment(&json["equality_degenerate"]["X"]);
    for y in forms("Y") {
        let found = Equality.send(2, &[&degenerate, &y, &flat]).unwrap();
        equals_golden(&found, &json["equality_degenerate"], "equality of a degenerate message");
    }
}

/// Equation 5 of the thesis prints a sum of densities; the message of an addition is their convolution.
#[test]
fn addition_is_a_convolution() {
    let (m, v) = ([0.7, -1.1], [1.3, 0.6]);
    let density =
        |k: usize, x: f64| (-(x - m[k]).powi(2) / (2.0 * v[k])).exp() / (std::f64::consts::TAU * v[k]).sqrt();
    // The trapezoid rule on a Gaussian is exact to rounding at this spacing.
    let grid = || (-160..=160).map(|i| f64::from(i) * 0.1);
    let total = |z: f64| grid().map(|x| density(0, x) * density(1, z - x)).sum::<f64>() * 0.1;
    let mass: Vec<f64> = grid().map(total).collect();
    let norm: f64 = mass.iter().sum();
    let mean = grid().zip(&mass).map(|(z, p)| z * p).sum::<f64>() / norm;
    let variance = grid().zip(&mass).map(|(z, p)| (z - mean).powi(2) * p).sum::<f64>() / norm;
    let [x, y] = [0, 1].map(|k| Message::scalar(m[k], v[k]).unwrap());
    let found = Addition.send(2, &[&x, &y, &Message::flat(1)]).unwrap().to_moment().unwrap();
    near(found.mean(), &[mean], 1e-12, "mean");
    near(found.covariance().data(), &[variance], 1e-12, "variance");
}

// ---- random trees against one joint Gaussian ----------------------------------------------------------------------

/// A factor as the judge sees it: linear equations between edges, or a Gaussian known beforehand.
enum Factor {
    /// `sum of matrix_k x_k = 0`.
    Equations(Vec<(usize, Matrix)>),
    /// `x = mean + root e` with independent standard normal `e`.
    Gaussian { edge: usize, mean: Vec<f64>, root: Matrix },
}

struct Tree {
    graph: Graph,
    lengths: Vec<usize>,
    factors: Vec<Factor>,
}

fn identity(n: usize, scale: f64) -> Matrix {
    Matrix::from_fn(n, n, |i, j| if i == j { scale } else { 0.0 })
}

fn gaussian_matrix(rows: usize, cols: usize, rng: &mut ChaCha8Rng) -> Matrix {
    Matrix::from_fn(rows, cols, |_, _| normal(rng))
}

/// Of full rank, and with singular values within a factor of ten: the judge's digits are not the matter here.
fn random_matrix(rows: usize, cols: usize, rng: &mut ChaCha8Rng) -> Matrix {
    loop {
        let a = gaussian_matrix(rows, cols, rng);
        let (_, s, _) = singular_values(&a).unwrap();
        if s[s.len() - 1] > 0.1 * s[0] {
            return a;
        }
    }
}

fn pick(n: usize, rng: &mut ChaCha8Rng) -> usize {
    ((uniform(rng) * n as f64) as usize).min(n - 1)
}

impl Tree {
    /// Up to twelve inner nodes, then a prior, a constant, or nothing at every loose end.
    fn random(seed: u64) -> Self {
        let rng = &mut stream(seed, 0);
        let mut tree = Self { graph: Graph::new(), lengths: Vec::new(), factors: Vec::new() };
        let first = 1 + pick(3, rng);
        let mut loose = vec![tree.edge(first)];
        let inner = pick(8, rng);
        for _ in 0..inner {
            let at = pick(loose.len(), rng);
            let edge = loose.swap_remove(at);
            loose.extend(tree.grow(edge, rng));
        }
        // The first edge was joined on one side only.
        loose.push(0);
        for edge in loose {
            tree.end(edge, rng);
        }
        tree
    }

    fn edge(&mut self, length: usize) -> usize {
        self.graph.edge(&format!("x{}", self.lengths.len()), length).unwrap();
        self.lengths.push(length);
        self.lengths.len() - 1
    }

    fn node(&mut self, node: impl Node + 'static, edges: &[usize]) {
        let ids: Vec<_> = edges.iter().map(|&e| self.graph.edge_at(e).unwrap()).collect();
        self.graph.node(&format!("n{}", self.graph.nodes()), node, &ids).unwrap();
    }

    /// Joins a random node at a random port to `edge`; returns its other edges.
    fn grow(&mut self, edge: usize, rng: &mut ChaCha8Rng) -> Vec<usize> {
        let n = self.lengths[edge];
        let other = 1 + pick(3, rng);
        let kind = pick(5, rng);
        let port = pick(if kind == 2 { 2 } else { 3 }, rng);
        let through = kind > 2;
        // Lengths of the ports x, y, z: y goes through the matrix.
        let lengths = match (kind, port) {
            (2, 0) => vec![n, other],
            (2, _) => vec![other, n],
            (_, 1) if through => vec![other, n, other],
            (_, _) if through => vec![n, other, n],
            _ => vec![n; 3],
        };
        let edges: Vec<usize> =
            lengths.iter().enumerate().map(|(p, &l)| if p == port { edge } else { self.edge(l) }).collect();
        let (x, y) = (edges[0], edges[1]);
        let [nx, ny] = [lengths[0], lengths[1]];
        match kind {
            0 => {
                self.node(Equality, &edges);
                for other in [y, edges[2]] {
                    self.equations(vec![(x, identity(nx, 1.0)), (other, identity(nx, -1.0))]);
                }
            }
            1 => {
                self.node(Addition, &edges);
                let terms = [(x, 1.0), (y, 1.0), (edges[2], -1.0)];
                self.equations(terms.map(|(e, s)| (e, identity(nx, s))).to_vec());
            }
            2 => {
                let a = random_matrix(ny, nx, rng);
                self.node(Multiplication::new("A", a.clone()).unwrap(), &edges);
                self.equations(vec![(x, a), (y, identity(ny, -1.0))]);
            }
            3 => {
                let a = random_matrix(ny, nx, rng);
                self.node(EqualityMultiplication::new("A", a.clone()).unwrap(), &edges);
                self.equations(vec![(x, a), (y, identity(ny, -1.0))]);
                self.equations(vec![(x, identity(nx, 1.0)), (edges[2], identity(nx, -1.0))]);
            }
            _ => {
                let a = random_matrix(nx, ny, rng);
                self.node(AdditionMultiplication::new("A", a.clone()).unwrap(), &edges);
                self.equations(vec![(x, identity(nx, 1.0)), (y, a), (edges[2], identity(nx, -1.0))]);
            }
        }
        edges.into_iter().enumerate().filter(|&(p, _)| p != port).map(|(_, e)| e).collect()
    }

    fn equations(&mut self, terms: Vec<(usize, Matrix)>) {
        self.factors.push(Factor::Equations(terms));
    }

    fn end(&mut self, edge: usize, rng: &mut ChaCha8Rng) {
        let n = self.lengths[edge];
        let mean: Vec<f64> = (0..n).map(|_| normal(rng)).collect();
        let root = match pick(10, rng) {
            0 => return,
            1 => return self.node(Open, &[edge]),
            2 => {
                self.node(Constant::new("c", &mean), &[edge]);
                return self.factors.push(Factor::Gaussian { edge, mean, root: Matrix::zeros(n, 0) });
            }
            // A singular covariance.
            3 => gaussian_matrix(n, n - 1, rng),
            _ => random_matrix(n, n + 2, rng),
        };
        let covariance = product(&root, &Matrix::from_fn(root.cols(), n, |i, j| root[(j, i)]));
        let message = Message::moment(mean.clone(), covariance).unwrap();
        let message =
            if pick(2, rng) == 0 { message } else { message.to_information().map_or(message, Message::from) };
        self.node(Prior::new("N", message), &[edge]);
        self.factors.push(Factor::Gaussian { edge, mean, root });
    }
}

/// Everything at once: `v` all edges, `e` all standard normal sources, equations `C v = 0` and `v_l = m_l + R_l e_l`.
///
/// Among all `(e, v)` that satisfy the equations, `e` has its normal distribution: with `P` the projector on the directions
/// of `e` that are free, its covariance is `P` and its mean the shortest `e`. Only pseudo-inverses by singular values are
/// used, no rule of the graph.
struct Joint {
    /// `v = center + spread e'` where it is determined.
    center: Vec<f64>,
    spread: Matrix,
    /// Directions of `v` that nothing determines.
    free: Matrix,
    /// How badly the equations contradict each other.
    contradiction: f64,
    offsets: Vec<usize>,
}

/// Pseudo-inverse, and a basis of the null space.
fn pseudo_inverse(a: &Matrix) -> (Matrix, Matrix) {
    if a.cols() == 0 || a.rows() == 0 {
        return (Matrix::zeros(a.cols(), a.rows()), identity(a.cols(), 1.0));
    }
    let (u, s, v) = singular_values(a).unwrap();
    let rank = s.iter().filter(|&&x| x > 1e-9 * s[0]).count();
    let plus =
        Matrix::from_fn(a.cols(), a.rows(), |i, j| (0..rank).map(|k| v[(i, k)] * u[(j, k)] / s[k]).sum());
    (plus, Matrix::from_fn(a.cols(), a.cols() - rank, |i, k| v[(i, rank + k)]))
}

impl Joint {
    fn new(tree: &Tree) -> Self {
        let mut offsets = vec![0];
        for &l in &tree.lengths {
            offsets.push(offsets[offsets.len() - 1] + l);
        }
        let total = offsets[tree.lengths.len()];
        let sources: usize = tree
            .factors
            .iter()
            .map(|f| if let Factor::Gaussian { root, .. } = f { root.cols() } else { 0 })
            .sum();
        // One system over (v, e).
        let (mut system, mut right) = (Vec::<Vec<f64>>::new(), Vec::new());
        let mut source = total;
        for factor in &tree.factors {
            match factor {
                Factor::Equations(terms) => {
                    for i in 0..terms[0].1.rows() {
                        let mut row = vec![0.0; total + sources];
                        for (edge, m) in terms {
                            for j in 0..m.cols() {
                                row[offsets[*edge] + j] += m[(i, j)];
                            }
                        }
                        system.push(row);
                        right.push(0.0);
                    }
                }
                Factor::Gaussian { edge, mean, root } => {
                    for i in 0..mean.len() {
                        let mut row = vec![0.0; total + sources];
                        row[offsets[*edge] + i] = 1.0;
                        for k in 0..root.cols() {
                            row[source + k] = -root[(i, k)];
                        }
                        system.push(row);
                        right.push(mean[i]);
                    }
                    source += root.cols();
                }
            }
        }
        let system = Matrix::from_fn(system.len(), total + sources, |i, j| system[i][j]);
        // All solutions are `start + N t`; `e` is the last part of them.
        let (plus, null) = pseudo_inverse(&system);
        let start = plus.times(&right);
        let contradiction =
            system.times(&start).iter().zip(&right).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        let part = |from: usize, n: usize| Matrix::from_fn(n, null.cols(), |i, j| null[(from + i, j)]);
        let (of_v, of_e) = (part(0, total), part(total, sources));
        // t minimises |e|^2 / 2: e is normal on the flat space `e0 + N_e t`; what N_e does not see is free.
        let (inverse, unseen) = pseudo_inverse(&of_e);
        let t = inverse.times(&start[total..].iter().map(|x| -x).collect::<Vec<_>>());
        let center = start[..total].iter().zip(of_v.times(&t)).map(|(a, b)| a + b).collect();
        // The covariance of t is (N_e' N_e)^+ = N_e^+ N_e^+'.
        Self {
            center,
            spread: product(&of_v, &inverse),
            free: product(&of_v, &unseen),
            contradiction,
            offsets,
        }
    }

    /// Mean and covariance of an edge, if it is determined.
    fn marginal(&self, edge: usize) -> Option<(Vec<f64>, Matrix)> {
        let range = self.offsets[edge]..self.offsets[edge + 1];
        let n = range.len();
        let row = |m: &Matrix| Matrix::from_fn(n, m.cols(), |i, j| m[(range.start + i, j)]);
        let (spread, free) = (row(&self.spread), row(&self.free));
        if free.data().iter().any(|x| x.abs() > 1e-9) {
            return None;
        }
        let transposed = Matrix::from_fn(spread.cols(), n, |i, j| spread[(j, i)]);
        Some((self.center[range].to_vec(), product(&spread, &transposed)))
    }
}

/// Rules and judge both lose digits to the conditioning of random matrices; relative to the largest entry of all marginals.
const JOINT: f64 = 1e-10;

/// What a random tree was good for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Agrees { edges: usize },
    NoForm,
    Contradicts,
}

fn judge(seed: u64) -> Verdict {
    let tree = Tree::random(seed);
    let joint = Joint::new(&tree);
    let mut messages = Messages::new(&tree.graph);
    let root = tree.graph.edge_at(0).unwrap();
    let run = |messages: &mut Messages| -> Result<Vec<Message>, GraphError> {
        Schedule::forward(&tree.graph, root)?
            .then(&Schedule::backward(&tree.graph, root)?)
            .run(&tree.graph, messages)?;
        (0..tree.graph.edges())
            .map(|e| messages.marginal(&tree.graph, tree.graph.edge_at(e).unwrap()))
            .collect()
    };
    let marginals = match run(&mut messages) {
        Ok(marginals) => marginals,
        Err(GraphError::Rule { problem: Problem::NoForm, .. }) => return Verdict::NoForm,
        Err(
            GraphError::Rule { problem: Problem::Contradiction { .. }, .. }
            | GraphError::Marginal { problem: Problem::Contradiction { .. }, .. },
        ) => {
            assert!(joint.contradiction > 1e-9, "seed {seed}: no contradiction, but {}", joint.contradiction);
            return Verdict::Contradicts;
        }
        Err(other) => panic!("seed {seed}: {other}"),
    };
    let known: Vec<_> = (0..marginals.len()).map(|e| joint.marginal(e)).collect();
    let size = known
        .iter()
        .flatten()
        .flat_map(|(m, c)| m.iter().chain(c.data()))
        .fold(1.0, |a: f64, b| a.max(b.abs()));
    let mut edges = 0;
    for (e, (found, expected)) in marginals.iter().zip(&known).enumerate() {
        match (found.to_moment(), expected) {
            (Ok(found), Some((mean, covariance))) => {
                let pairs = found.mean().iter().zip(mean);
                for (f, x) in pairs.chain(found.covariance().data().iter().zip(covariance.data())) {
                    assert!(
                        (f - x).abs() <= JOINT * size,
                        "seed {seed}, x{e}: {found:?}, not {mean:?} {covariance:?}"
                    );
                }
                edges += 1;
            }
            (Err(_), None) => {}
            (found, expected) => panic!("seed {seed}, x{e}: {found:?}, not {expected:?}"),
        }
    }
    Verdict::Agrees { edges }
}

proptest! {
    // The same trees every time: one in ten thousand is so badly conditioned that the judge itself has no ten digits.
    #![proptest_config(ProptestConfig { cases: 300, rng_seed: RngSeed::Fixed(5), ..ProptestConfig::default() })]
    #[test]
    fn random_trees_equal_conditioning_the_joint_gaussian(seed in 0_u64..1 << 40) {
        judge(seed);
    }
}

/// The trees above are not mostly refused.
#[test]
fn most_random_trees_have_all_their_messages() {
    let verdicts: Vec<Verdict> = (0..300).map(judge).collect();
    let of = |wanted: fn(&Verdict) -> bool| verdicts.iter().filter(|v| wanted(v)).count();
    let agree = of(|v| matches!(v, Verdict::Agrees { edges } if *edges > 0));
    let (no_form, contradict) = (of(|v| *v == Verdict::NoForm), of(|v| *v == Verdict::Contradicts));
    println!("{agree} agree, {no_form} without a form, {contradict} contradict themselves");
    assert!(agree > 200, "{agree} of 300");
}

// ---- traps --------------------------------------------------------------------------------------------------------

/// Known exactly is not unknown: a pseudo-inverse of a singular covariance is no precision.
#[test]
fn a_singular_covariance_has_no_precision() {
    let exact = Message::moment(vec![1.0, -2.0], rows([[1.0, 0.0], [0.0, 0.0]])).unwrap();
    assert!(matches!(exact.to_information(), Err(Problem::Exact { .. })));
    let improper = Message::information(vec![1.0, 0.0], rows([[1.0, 0.0], [0.0, 0.0]])).unwrap();
    assert!(matches!(improper.to_moment(), Err(Problem::Improper { .. })));
    // In units a million times apart a proper message is still proper.
    let units = Message::moment(vec![0.0; 2], rows([[1e12, 0.0], [0.0, 1e-12]])).unwrap();
    assert!(units.to_information().is_ok());
}

#[test]
fn contradictions_are_errors_that_name_node_and_edge() {
    let mut graph = Graph::new();
    let [x, y, z] = ["x", "y", "z"].map(|name| graph.edge(name, 1).unwrap());
    graph.node("one", Constant::new("1", &[1.0]), &[x]).unwrap();
    graph.node("two", Constant::new("2", &[2.0]), &[y]).unwrap();
    let same = graph.node("same", Equality, &[x, y, z]).unwrap();
    let mut messages = Messages::new(&graph);
    let error = Schedule::forward(&graph, z).unwrap().run(&graph, &mut messages).unwrap_err();
    assert_eq!(
        error.to_string(),
        "node \"same\" cannot send a message on edge \"z\": two exact messages contradict each other by 1e0"
    );
    // Equal constants do not.
    let mut graph = Graph::new();
    let [x, y, z] = ["x", "y", "z"].map(|name| graph.edge(name, 1).unwrap());
    graph.node("one", Constant::new("1", &[1.0]), &[x]).unwrap();
    graph.node("another", Constant::new("1", &[1.0]), &[y]).unwrap();
    graph.node("same", Equality, &[x, y, z]).unwrap();
    let mut messages = Messages::new(&graph);
    Schedule::forward(&graph, z).unwrap().run(&graph, &mut messages).unwrap();
    assert_eq!(messages.marginal(&graph, z).unwrap().to_moment().unwrap().mean(), [1.0]);
    assert!(messages.send(&graph, Step { node: same, edge: z }).is_ok());
}

#[test]
fn a_graph_is_checked_as_it_grows() {
    let mut graph = Graph::new();
    let [x, y, z] = [("x", 2), ("y", 2), ("z", 1)].map(|(name, n)| graph.edge(name, n).unwrap());
    let say = |error: Result<_, GraphError>| error.map(|_: rather_graph::NodeId| ()).unwrap_err().to_string();
    assert!(say(graph.node("sum", Addition, &[x, y])).contains("3 edges (x, y, z), but 2"));
    assert_eq!(
        say(graph.node("sum", Addition, &[x, y, z])),
        "edge \"z\" carries 1 numbers, but node \"sum\" needs 2 there"
    );
    graph.node("a", Open, &[x]).unwrap();
    graph.node("b", Open, &[x]).unwrap();
    let text = say(graph.node("c", Open, &[x]));
    assert!(
        text.contains("\"x\" already joins \"b\" and \"a\"") || text.contains("\"a\" and \"b\""),
        "{text}"
    );
    assert!(say(graph.node("a", Open, &[y])).contains("two nodes called \"a\""));
    assert!(graph.edge("x", 1).unwrap_err().to_string().contains("two edges called \"x\""));
    assert!(graph.edge("nothing", 0).is_err());
    assert!(say(graph.node("loop", Equality, &[y, y, y])).contains("already joins"));
}

#[test]
fn a_cycle_needs_an_order() {
    let mut graph = Graph::new();
    let [a, b, c, d] = ["a", "b", "c", "d"].map(|name| graph.edge(name, 1).unwrap());
    graph.node("first", Equality, &[a, b, c]).unwrap();
    graph.node("second", Equality, &[b, c, d]).unwrap();
    let error = Schedule::forward(&graph, d).unwrap_err().to_string();
    assert!(error.contains("cycle"), "{error}");
    assert!(Schedule::every(&graph).run(&graph, &mut Messages::new(&graph)).is_ok());
}

#[test]
fn messages_that_are_none_are_refused() {
    let asymmetric = Message::moment(vec![0.0; 2], rows([[1.0, 0.5], [0.0, 1.0]]));
    let negative = Message::moment(vec![0.0; 2], rows([[1.0, 2.0], [2.0, 1.0]]));
    let outside = Message::information(vec![0.0, 1.0], rows([[1.0, 0.0], [0.0, 0.0]]));
    let short = Message::moment(vec![0.0], rows([[1.0, 0.0], [0.0, 1.0]]));
    let nan = Message::scalar(f64::NAN, 1.0);
    for message in [asymmetric, negative, outside, short, nan] {
        assert!(matches!(message, Err(GraphError::Message { .. })), "{message:?}");
    }
}

/// A tall matrix with nothing known in some direction: neither form holds the result, the joined node can.
#[test]
fn a_rule_without_a_form_says_so() {
    let tall = rows([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]);
    let node = Multiplication::new("A", tall.clone()).unwrap();
    let partly = Message::information(vec![1.0, 0.0], rows([[1.0, 0.0], [0.0, 0.0]])).unwrap();
    assert_eq!(node.send(1, &[&partly, &Message::flat(3)]), Err(Problem::NoForm));
    let wide = Message::moment(vec![0.0; 3], identity(3, 1.0)).unwrap();
    let joined = AdditionMultiplication::new("A", tall).unwrap();
    let found = joined.send(2, &[&wide, &partly, &Message::flat(3)]).unwrap();
    // As the limit of a flat direction of variance 1e9.
    let limit = Message::moment(vec![1.0, 0.0], rows([[1.0, 0.0], [0.0, 1e9]])).unwrap();
    let limit = joined.send(2, &[&wide, &limit, &Message::flat(3)]).unwrap().to_information().unwrap();
    let found = found.to_information().unwrap();
    near(found.shift(), limit.shift(), 1e-6, "shift");
    near(found.precision().data(), limit.precision().data(), 1e-6, "precision");
}
