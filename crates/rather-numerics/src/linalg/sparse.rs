//! Sparse positive definite matrices: a Cholesky factor that keeps most zeros, and the inverse at the factor's entries.
//!
//! Beside `linalg.rs` the only file that names the linear-algebra library. The order of elimination is by approximate minimum
//! degree (Amestoy, Davis and Duff 1996), the factor is held in supernodes: neighbouring columns of like pattern, as dense blocks.

use std::sync::Arc;

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::sparse::linalg::SupernodalThreshold;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LltRef, SymbolicCholesky, SymbolicCholeskyRaw, SymmetricOrdering,
    factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Accum, Conj, Mat, MatRef, Par, Side};

use super::Matrix;
use crate::{parallel, watch};

/// The zeros of `Q = diag(d) + sum_e w_e (u_i - u_j)(u_i - u_j)'`, a weighted graph Laplacian with a diagonal, and of its
/// Cholesky factor: found once, good for any `d` and `w`.
#[derive(Debug)]
pub struct SparsePattern {
    nodes: usize,
    /// The lower triangle of `Q`, column by column.
    columns: Vec<usize>,
    rows: Vec<usize>,
    /// Where the triangle holds each node's diagonal entry and each edge's.
    of_node: Vec<usize>,
    of_edge: Vec<usize>,
    ends: Vec<(u32, u32)>,
    symbolic: SymbolicCholesky<usize>,
    /// The supernode of each column of the factor.
    block_of: Vec<usize>,
}

/// Operations for an entry of the factor, in units of the library (40), from which on columns are held in supernodes: trees are below.
const IN_SUPERNODES: f64 = 0.1;
/// Rows of a block up to which loops are quicker than matrix products.
const SMALL: usize = 16;
/// Pairs that one thread works on at a time.
const PAIRS: usize = 256;

/// A Cholesky factor of such a matrix.
#[derive(Debug, Clone)]
pub struct SparseCholesky {
    pattern: Arc<SparsePattern>,
    values: Vec<f64>,
}

/// Entries of the inverse.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SelectedInverse {
    /// Its diagonal, one a node.
    pub diagonal: Vec<f64>,
    /// Its entry at the ends of each edge.
    pub between: Vec<f64>,
}

impl SparsePattern {
    /// The pattern for `nodes` nodes and the given pairs of different ones, and its order of elimination. `None` if there is no
    /// node, or no memory for it.
    pub fn new(nodes: usize, ends: &[(u32, u32)]) -> Option<Self> {
        if nodes == 0 {
            return None;
        }
        let ordered = |&(i, j): &(u32, u32)| (i.min(j), i.max(j));
        let mut below: Vec<(u32, u32)> =
            (0..nodes as u32).map(|i| (i, i)).chain(ends.iter().map(ordered)).collect();
        below.sort_unstable();
        below.dedup();
        let mut columns = vec![0; nodes + 1];
        below.iter().for_each(|&(column, _)| columns[column as usize + 1] += 1);
        (0..nodes).for_each(|j| columns[j + 1] += columns[j]);
        let rows: Vec<usize> = below.iter().map(|&(_, row)| row as usize).collect();
        drop(below);
        let at = |i: usize, j: usize| {
            let (column, row) = (i.min(j), i.max(j));
            columns[column] + rows[columns[column]..columns[column + 1]].partition_point(|&r| r < row)
        };
        let of_node = (0..nodes).map(|i| at(i, i)).collect();
        let of_edge = ends.iter().map(|&(i, j)| at(i as usize, j as usize)).collect();
        let params = CholeskySymbolicParams {
            supernodal_flop_ratio_threshold: SupernodalThreshold(IN_SUPERNODES),
            ..Default::default()
        };
        // A large graph takes minutes in which the library of linear algebra hears nothing.
        let (columns, rows, symbolic) = watch::unless_ended(move || {
            let lower = SymbolicSparseColMatRef::new_checked(nodes, nodes, &columns, None, &rows);
            let symbolic = factorize_symbolic_cholesky(lower, Side::Lower, SymmetricOrdering::Amd, params);
            (columns, rows, symbolic)
        })?;
        let symbolic = symbolic.ok()?;
        let block_of = blocks_of_columns(&symbolic);
        Some(Self { nodes, of_node, of_edge, ends: ends.to_vec(), symbolic, columns, rows, block_of })
    }

    fn blocks(&self) -> Blocks<'_> {
        Blocks { symbolic: self.symbolic.raw(), of_column: &self.block_of }
    }

    /// Number of entries that the factor is held in.
    pub fn entries(&self) -> usize {
        self.symbolic.len_val()
    }

    /// Floating-point operations of a factorisation and the selected inverse, about.
    pub fn work(&self) -> f64 {
        let blocks = self.blocks();
        (0..blocks.len())
            .map(|s| {
                let (own, below) = (blocks.width(s) as f64, blocks.below(s).len() as f64);
                own * own * own + 3.0 * own * below * (own + below)
            })
            .sum()
    }

    /// Whether a factorisation takes many operations for each of its entries, so that it is done in supernodes: not of a tree.
    pub fn is_wide(&self) -> bool {
        matches!(self.symbolic.raw(), SymbolicCholeskyRaw::Supernodal(_))
    }

    /// The factor of the matrix with the given diagonal part `d` (one a node) and weights `w` (one an edge). `None` if it is
    /// not positive definite.
    pub fn factorise(self: &Arc<Self>, diagonal: &[f64], weights: &[f64]) -> Option<SparseCholesky> {
        let mut q = vec![0.0; self.rows.len()];
        diagonal.iter().zip(&self.of_node).for_each(|(d, &at)| q[at] += d);
        for ((&w, &at), &(i, j)) in weights.iter().zip(&self.of_edge).zip(&self.ends) {
            q[at] -= w;
            q[self.of_node[i as usize]] += w;
            q[self.of_node[j as usize]] += w;
        }
        self.factorise_values(&q)
    }

    /// The factor of any symmetric matrix with this pattern, by its diagonal entries (one a node) and its entries at the ends of each edge. `None`
    /// if it is not positive definite.
    pub fn factorise_entries(self: &Arc<Self>, diagonal: &[f64], between: &[f64]) -> Option<SparseCholesky> {
        let mut q = vec![0.0; self.rows.len()];
        diagonal.iter().zip(&self.of_node).for_each(|(d, &at)| q[at] += d);
        between.iter().zip(&self.of_edge).for_each(|(entry, &at)| q[at] += entry);
        self.factorise_values(&q)
    }

    /// The factor of the matrix whose lower triangle holds `q`, in its order.
    fn factorise_values(self: &Arc<Self>, q: &[f64]) -> Option<SparseCholesky> {
        if !q.iter().all(|x| x.is_finite()) {
            return None;
        }
        let structure =
            SymbolicSparseColMatRef::new_checked(self.nodes, self.nodes, &self.columns, None, &self.rows);
        let mut values = vec![0.0; self.entries()];
        let scratch = self.symbolic.factorize_numeric_llt_scratch::<f64>(Par::Seq, Default::default());
        let mut memory = MemBuffer::try_new(scratch).ok()?;
        self.symbolic
            .factorize_numeric_llt(
                &mut values,
                SparseColMatRef::new(structure, q),
                Side::Lower,
                Default::default(),
                Par::Seq,
                MemStack::new(&mut memory),
                Default::default(),
            )
            .ok()?;
        Some(SparseCholesky { pattern: self.clone(), values })
    }
}

impl SparseCholesky {
    /// `x <- Q^-1 x`, column by column.
    ///
    /// # Panics
    /// If `x` has not as many rows as there are nodes.
    pub fn solve(&self, x: &mut Matrix) {
        let symbolic = &self.pattern.symbolic;
        let mut memory = MemBuffer::new(symbolic.solve_in_place_scratch::<f64>(x.cols(), Par::Seq));
        let factor = LltRef::new(symbolic, &self.values);
        factor.solve_in_place_with_conj(Conj::No, x.view_mut(), Par::Seq, MemStack::new(&mut memory));
    }

    /// `log |Q|`.
    pub fn log_det(&self) -> f64 {
        let blocks = self.pattern.blocks();
        let block = |s: usize| {
            let height = blocks.height(s);
            let values = &self.values[blocks.values(s)];
            (0..blocks.width(s)).map(|j| values[j * height + j].ln()).sum::<f64>()
        };
        2.0 * (0..blocks.len()).map(block).sum::<f64>()
    }

    /// `(u_i - u_j)' Q^-1 (u_i - u_j) = |L^-1 (u_i - u_j)|^2` for pairs of nodes: a solve along the two paths to the root of the
    /// elimination tree each, and no subtraction of nearly equal numbers.
    pub fn difference_variances(&self, pairs: &[(usize, usize)]) -> Vec<f64> {
        let blocks = self.pattern.blocks();
        let symbolic = &self.pattern.symbolic;
        let place = |i: usize| symbolic.perm().map_or(i, |p| p.arrays().1[i]);
        let some = |block: usize| -> Vec<f64> {
            let pairs = &pairs[block * PAIRS..pairs.len().min((block + 1) * PAIRS)];
            let mut left = vec![0.0; self.pattern.nodes];
            let one = |&(i, j): &(usize, usize)| self.along_paths(&blocks, place(i), place(j), &mut left);
            pairs.iter().map(one).collect()
        };
        parallel::map(pairs.len().div_ceil(PAIRS), 1, some).concat()
    }

    /// `|L^-1 (u_i - u_j)|^2` for rows `i` and `j` of the factor. `left` is what remains of the right side: zero before and after.
    fn along_paths(&self, blocks: &Blocks<'_>, i: usize, j: usize, left: &mut [f64]) -> f64 {
        left[i] += 1.0;
        left[j] -= 1.0;
        let mut paths = [Some(blocks.of_column[i]), Some(blocks.of_column[j])];
        let mut sum = 0.0;
        while let Some(s) = paths.into_iter().flatten().min() {
            let (begin, width, height) = (blocks.begin(s), blocks.width(s), blocks.height(s));
            let below = blocks.below(s);
            for (k, column) in self.values[blocks.values(s)].chunks(height).enumerate() {
                let x = left[begin + k] / column[k];
                left[begin + k] = 0.0;
                sum += x * x;
                (k + 1..width).for_each(|r| left[begin + r] -= column[r] * x);
                below.iter().zip(&column[width..]).for_each(|(&row, l)| left[row] -= l * x);
            }
            let parent = below.first().map(|&row| blocks.of_column[row]);
            paths.iter_mut().filter(|p| **p == Some(s)).for_each(|p| *p = parent);
        }
        sum
    }

    /// The entries of `Q^-1` where `Q` has one, by Takahashi's equations in blocks, from the last supernode to the first.
    ///
    /// # Formula
    /// For a supernode with columns $J$ and further rows $S$ of the factor, and $W=L_{SJ}L_{JJ}^{-1}$,
    /// $$ Z_{SJ}=-Z_{SS}W,\qquad Z_{JJ}=(L_{JJ}L_{JJ}^\top)^{-1}-W^\top Z_{SJ}, $$
    /// where $Z_{SS}$ is known from the later supernodes (Takahashi, Fagan and Chen 1973; Erisman and Tinney 1975).
    pub fn selected_inverse(&self) -> SelectedInverse {
        let pattern = &self.pattern;
        let blocks = pattern.blocks();
        let mut z = vec![0.0; self.values.len()];
        let mut scratch = Scratch::default();
        for s in (0..blocks.len()).rev().take_while(|_| !watch::ends()) {
            blocks.gather(&z, s, &mut scratch);
            let (values, z) = (&self.values[blocks.values(s)], &mut z[blocks.values(s)]);
            if blocks.width(s) == 1 || blocks.height(s) <= SMALL {
                invert_small(values, blocks.width(s), &mut scratch, z);
            } else {
                invert(values, blocks.width(s), &scratch.later, z);
            }
        }
        let place = pattern.symbolic.perm().map(|p| p.arrays().1.to_vec());
        let place = |i: usize| place.as_ref().map_or(i, |p| p[i]);
        let at = |i: usize, j: usize| {
            let (i, j) = (place(i), place(j));
            z[blocks.position(i.max(j), i.min(j))]
        };
        SelectedInverse {
            diagonal: (0..pattern.nodes).map(|i| at(i, i)).collect(),
            between: pattern.ends.iter().map(|&(i, j)| at(i as usize, j as usize)).collect(),
        }
    }
}

/// The equations of [`SparseCholesky::selected_inverse`] for a block of `width` columns, with $Z_{SS}$ in `later`.
fn invert(values: &[f64], width: usize, later: &[f64], z: &mut [f64]) {
    let height = values.len() / width;
    let block = MatRef::from_column_major_slice(values, height, width);
    let (top, bottom) = block.split_at_row(width);
    let later = MatRef::from_column_major_slice(later, height - width, height - width);
    let mut ratio = bottom.transpose().to_owned();
    solve_upper_triangular_in_place(top.transpose(), ratio.as_mut(), Par::Seq);
    let mut half = Mat::<f64>::identity(width, width);
    solve_lower_triangular_in_place(top, half.as_mut(), Par::Seq);
    let mut below = Mat::<f64>::zeros(height - width, width);
    let mut own = Mat::<f64>::zeros(width, width);
    matmul(below.as_mut(), Accum::Replace, later, ratio.transpose(), -1.0, Par::Seq);
    matmul(own.as_mut(), Accum::Replace, half.transpose(), half.as_ref(), 1.0, Par::Seq);
    matmul(own.as_mut(), Accum::Add, ratio.as_ref(), below.as_ref(), -1.0, Par::Seq);
    for (j, column) in z.chunks_mut(height).enumerate() {
        (0..width).for_each(|i| column[i] = 0.5 * (own[(i, j)] + own[(j, i)]));
        (width..height).for_each(|i| column[i] = below[(i - width, j)]);
    }
}

/// As [`invert`], column by column from the last one: in a block of a few rows, of which trees have nothing else, matrix products are all overhead.
/// The columns of the block that are done belong to what comes later, as in
/// $$ Z_{Tj}=-Z_{TT}w,\qquad Z_{jj}=L_{jj}^{-2}-w^\top Z_{Tj},\qquad w=L_{Tj}/L_{jj}, $$
/// with all rows $T$ below $j$.
fn invert_small(values: &[f64], width: usize, scratch: &mut Scratch, z: &mut [f64]) {
    let height = values.len() / width;
    let n = height - width;
    let Scratch { later, whole, .. } = scratch;
    whole.clear();
    whole.resize(height * height, 0.0);
    for (j, column) in later.chunks_exact(n.max(1)).enumerate() {
        whole[(width + j) * height + width..][..n].copy_from_slice(column);
    }
    for j in (0..width).rev() {
        let l = &values[j * height..][..height];
        let inverse = 1.0 / l[j];
        let mut own = inverse * inverse;
        for r in j + 1..height {
            let of_row = (j + 1..height).map(|c| whole[c * height + r] * l[c]).sum::<f64>();
            let entry = -of_row * inverse;
            own -= l[r] * inverse * entry;
            whole[j * height + r] = entry;
            whole[r * height + j] = entry;
        }
        whole[j * height + j] = own;
    }
    z.copy_from_slice(&whole[..width * height]);
}

/// Numbers that are needed for a block and then no more.
#[derive(Default)]
struct Scratch {
    /// $Z_{SS}$.
    later: Vec<f64>,
    /// The inverse's entries at all rows of a small block.
    whole: Vec<f64>,
    positions: Vec<usize>,
}

/// The supernodes of a factor, or its columns one by one: block `s` holds the columns `begin(s)..begin(s) + width(s)`, its rows are these and `below(s)`.
struct Blocks<'a> {
    symbolic: &'a SymbolicCholeskyRaw<usize>,
    /// The block of each column.
    of_column: &'a [usize],
}

fn blocks_of_columns(symbolic: &SymbolicCholesky<usize>) -> Vec<usize> {
    match symbolic.raw() {
        SymbolicCholeskyRaw::Simplicial(_) => (0..symbolic.ncols()).collect(),
        SymbolicCholeskyRaw::Supernodal(of) => {
            let ranges = of.supernode_begin().iter().zip(of.supernode_end());
            ranges.enumerate().flat_map(|(s, (&begin, &end))| (begin..end).map(move |_| s)).collect()
        }
    }
}

impl<'a> Blocks<'a> {
    fn len(&self) -> usize {
        match self.symbolic {
            SymbolicCholeskyRaw::Simplicial(_) => self.of_column.len(),
            SymbolicCholeskyRaw::Supernodal(of) => of.n_supernodes(),
        }
    }

    fn begin(&self, s: usize) -> usize {
        match self.symbolic {
            SymbolicCholeskyRaw::Simplicial(_) => s,
            SymbolicCholeskyRaw::Supernodal(of) => of.supernode_begin()[s],
        }
    }

    fn width(&self, s: usize) -> usize {
        match self.symbolic {
            SymbolicCholeskyRaw::Simplicial(_) => 1,
            SymbolicCholeskyRaw::Supernodal(of) => of.supernode_end()[s] - self.begin(s),
        }
    }

    /// The rows beyond its own columns, in increasing order.
    fn below(&self, s: usize) -> &'a [usize] {
        match self.symbolic {
            // The first row of a column is its own.
            SymbolicCholeskyRaw::Simplicial(of) => &of.row_idx()[of.col_ptr()[s] + 1..of.col_ptr()[s + 1]],
            SymbolicCholeskyRaw::Supernodal(of) => of.supernode(s).pattern(),
        }
    }

    fn height(&self, s: usize) -> usize {
        self.width(s) + self.below(s).len()
    }

    fn values(&self, s: usize) -> std::ops::Range<usize> {
        let begins = match self.symbolic {
            SymbolicCholeskyRaw::Simplicial(of) => of.col_ptr(),
            SymbolicCholeskyRaw::Supernodal(of) => of.col_ptr_for_val(),
        };
        begins[s]..begins[s + 1]
    }

    /// Where entry (`row`, `column`) of the lower triangle is held.
    fn position(&self, row: usize, column: usize) -> usize {
        let s = self.of_column[column];
        let (begin, width) = (self.begin(s), self.width(s));
        let row = if row < begin + width { row - begin } else { width + below_position(self.below(s), row) };
        self.values(s).start + (column - begin) * self.height(s) + row
    }

    /// `Z_SS` for the rows `S` below block `s`, from the blocks of these rows in `z`, column by column.
    fn gather(&self, z: &[f64], s: usize, Scratch { later, positions, .. }: &mut Scratch) {
        let rows = self.below(s);
        let n = rows.len();
        later.clear();
        later.resize(n * n, 0.0);
        let mut first = 0;
        while first < rows.len() {
            let block = self.of_column[rows[first]];
            let end = self.begin(block) + self.width(block);
            let last = rows.partition_point(|&r| r < end);
            // The rows of this run's block, by one walk along both lists.
            let (begin, width, below) = (self.begin(block), self.width(block), self.below(block));
            positions.clear();
            positions.extend(rows[first..last].iter().map(|r| r - begin));
            let mut walk = 0;
            for &row in &rows[last..] {
                walk += below_position(&below[walk..], row);
                positions.push(width + walk);
            }
            let (start, height) = (self.values(block).start, self.height(block));
            for j in first..last {
                let column = &z[start + (rows[j] - begin) * height..][..height];
                for i in j..rows.len() {
                    let value = column[positions[i - first]];
                    later[j * n + i] = value;
                    later[i * n + j] = value;
                }
            }
            first = last;
        }
    }
}

/// The place of `row` in an increasing list that holds it: by steps that double, for it is mostly near the front.
fn below_position(rows: &[usize], row: usize) -> usize {
    let mut reach = 1;
    while reach < rows.len() && rows[reach] < row {
        reach *= 2;
    }
    rows[..rows.len().min(reach + 1)].partition_point(|&r| r < row)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{stream, uniform};

    /// A star, a chain, and a lattice of `side * side` nodes whose rows are joined, too.
    fn graphs(side: u32) -> [(Vec<(u32, u32)>, bool); 3] {
        let nodes = side * side;
        let star = (1..nodes).map(|i| (0, i)).collect();
        let chain = (1..nodes).map(|i| (i - 1, i)).collect();
        let lattice = (0..nodes).flat_map(|i| {
            let right = (i % side + 1 < side).then_some((i, i + 1));
            right.into_iter().chain((i + side < nodes).then_some((i, i + side)))
        });
        [(star, false), (chain, false), (lattice.collect(), true)]
    }

    /// Column by column and in supernodes, small blocks and large: the inverse's entries are those that a solve finds, whose product with the
    /// matrix is the identity.
    #[test]
    fn the_inverse_is_that_of_the_matrix() {
        let (side, mut rng) = (12, stream(1, 0));
        for (ends, is_wide) in graphs(side) {
            let nodes = (side * side) as usize;
            let pattern = Arc::new(SparsePattern::new(nodes, &ends).unwrap());
            assert_eq!(pattern.is_wide(), is_wide);
            let diagonal: Vec<f64> = (0..nodes).map(|_| 0.1 + uniform(&mut rng)).collect();
            let weights: Vec<f64> = ends.iter().map(|_| 3.0 * uniform(&mut rng)).collect();
            let factor = pattern.factorise(&diagonal, &weights).unwrap();
            let mut inverse = Matrix::from_fn(nodes, nodes, |i, j| f64::from(u8::from(i == j)));
            factor.solve(&mut inverse);
            // Q times the inverse is the identity.
            for column in 0..nodes {
                let x = inverse.col(column);
                let mut product: Vec<f64> = diagonal.iter().zip(x).map(|(d, x)| d * x).collect();
                for (&(i, j), w) in ends.iter().zip(&weights) {
                    let through = w * (x[i as usize] - x[j as usize]);
                    product[i as usize] += through;
                    product[j as usize] -= through;
                }
                product[column] -= 1.0;
                assert!(product.iter().all(|x| x.abs() < 1e-11));
            }
            let found = factor.selected_inverse();
            assert!((0..nodes).all(|i| (found.diagonal[i] - inverse[(i, i)]).abs() < 1e-11));
            let entries = ends.iter().zip(&found.between);
            assert_eq!(found.between.len(), ends.len());
            for (&(i, j), between) in entries {
                assert!((between - inverse[(i as usize, j as usize)]).abs() < 1e-11);
            }
            let pairs: Vec<(usize, usize)> = (1..nodes).map(|i| (i, 7 * i % (i + 1))).collect();
            for (&(i, j), variance) in pairs.iter().zip(factor.difference_variances(&pairs)) {
                let exact = inverse[(i, i)] + inverse[(j, j)] - 2.0 * inverse[(i, j)];
                assert!((variance - exact).abs() < 1e-11);
            }
        }
    }
}
