//! What is believed of the items' utilities, and how much less where votes of the same voter are not independent.

use super::Cast;
use super::board::relative;
use crate::Error;
use crate::kernel::Kernel;
use crate::model::Model;
use crate::points::Points;
use crate::posterior::Joint;
use rather_numerics::linalg::{Matrix, product, product_transposed};
use std::collections::BTreeMap;

/// A Gaussian over the utilities of all items.
#[derive(Debug, Clone)]
pub struct Belief {
    /// Means and covariances.
    pub joint: Joint,
    /// By how much voters widen the standard deviation of an item on average, as a factor; `None` if votes count as independent.
    pub widened: Option<f64>,
}

/// Voters from which on the spread of what they voted is an estimate of what they share.
const VOTERS: usize = 20;

/// What the model believes of the utilities of its items, with intervals by voters where there are many of them.
///
/// # Formula
/// With the posterior covariance $\Sigma$ of items and weights and the gradients $g_v$ of the log likelihoods of votes at the mean,
/// $\Sigma+\Sigma\Big(\sum_c s_cs_c^\top-\sum_vg_vg_v^\top\Big)\Sigma$ with $s_c$ the sum of the gradients of a voter's votes: the covariances of votes of the same
/// voter are added to what the posterior has of independent votes, and nothing changes where everybody votes once. No standard deviation becomes smaller.
///
/// # References
/// Liang and Zeger, *Longitudinal data analysis using generalized linear models* (1986), Biometrika 73.
///
/// # Errors
/// Those of a posterior that has no covariance of all items.
pub fn belief(cast: &Cast<'_>) -> Result<Belief, Error> {
    let model = cast.model;
    let items = model.points();
    let plain = |joint| Ok(Belief { joint, widened: None });
    let by_voters = cast.by_voter().len() >= VOTERS && cast.knows_voters();
    let columns = by_voters.then(|| weighed(cast)).flatten();
    let Some(columns) = columns else { return plain(model.belief().joint_of_all(items)) };
    // The utilities of all items, and what a unit of each column adds.
    let n = items.len();
    let mut rows: Vec<f64> = (0..n).flat_map(|i| items.row(i).to_vec()).collect();
    for &column in &columns {
        let mut more = items.row(0).to_vec();
        more[column] += 1.0;
        rows.extend(more);
    }
    let ids = (0..n).map(|i| items.id(i)).chain(columns.iter().map(|_| items.id(0))).collect();
    let all = model.belief().joint_of_all(&Points::new(ids, items.dims(), rows));
    let linear = Matrix::from_fn(n + columns.len(), n + columns.len(), |i, j| match () {
        () if i == j => 1.0,
        () if i >= n && j == 0 => -1.0,
        () => 0.0,
    });
    let sigma = product_transposed(&product(&linear, &all.covariance), &linear);
    let shared = shared(cast, &columns);
    let moved = product(&sigma, &product(&shared, &sigma));
    let own = Matrix::from_fn(n, n, |i, j| all.covariance[(i, j)]);
    let covariance = sound(Matrix::from_fn(n, n, |i, j| own[(i, j)] + moved[(i, j)]), &own);
    let mean = all.mean[..n].to_vec();
    let [plain, joint] = [own, covariance].map(|covariance| Joint { mean: mean.clone(), covariance });
    // Of what a board shows: utilities relative to the average, whose own variance is the prior's.
    let sds = |joint: &Joint| relative(joint, None).into_iter().map(|(_, sd)| sd).sum::<f64>();
    let widened = sds(&joint) / sds(&plain).max(f64::MIN_POSITIVE);
    Ok(Belief { joint, widened: Some(widened) })
}

/// The columns of points that only weights look at, if besides them every utility is an effect of the item.
fn weighed(cast: &Cast<'_>) -> Option<Vec<usize>> {
    let (kernel, context) = (&cast.model.hyperparameters().kernel, cast.model.items().context());
    let features = cast.model.items().features().dims();
    let (mut columns, mut effects) = (Vec::new(), 0);
    for term in kernel.terms() {
        match weights_of(term) {
            Some(own) => columns.extend(own),
            None if term.columns().is_empty() => effects += 1,
            None => return None,
        }
    }
    columns.sort_unstable();
    columns.dedup();
    let dims = features + context.map_or(0, |_| cast.model.points().dims() - features);
    (effects > 0 && columns.len() == dims && !cast.sides.are_teams()).then_some(columns)
}

/// The columns of a term that is a weighted sum of them, the same for all items.
fn weights_of(term: &Kernel) -> Option<Vec<usize>> {
    use crate::kernel::Carrier;
    match term.latent().as_deref() {
        Some([only]) if !only.by_item && only.levels.is_empty() => match &only.carrier {
            Carrier::Weights { columns, .. } => Some(columns.clone()),
            _ => None,
        },
        _ => None,
    }
}

/// $\sum_cs_cs_c^\top-\sum_vg_vg_v^\top$ over items and columns.
fn shared(cast: &Cast<'_>, columns: &[usize]) -> Matrix {
    let n = cast.items();
    let items = cast.model.points();
    let size = n + columns.len();
    let mut out = Matrix::zeros(size, size);
    let gradient = |cell: &super::Cell| {
        let mut g: BTreeMap<usize, f64> = BTreeMap::new();
        let sides = [(Some(cell.plus), 1.0), (cell.minus, -1.0)];
        for (side, sign) in sides.into_iter().filter_map(|(side, sign)| Some((side?, sign))) {
            let item = cast.sides.id(side) as usize;
            *g.entry(item).or_default() += sign * cell.score;
            for (k, &column) in columns.iter().enumerate() {
                let x = cast.sides.row(side)[column] - items.row(item)[column];
                *g.entry(n + k).or_default() += sign * cell.score * x;
            }
        }
        g.into_iter().filter(|(_, x)| *x != 0.0)
    };
    // Those of all cells in one row, and where each begins.
    let (mut gradients, mut starts) = (Vec::with_capacity(3 * cast.cells.len()), vec![0]);
    for cell in &cast.cells {
        gradients.extend(gradient(cell));
        starts.push(gradients.len());
    }
    let mut sum = vec![0.0; size];
    // Entries on and below the diagonal, by columns: of many voters this is where the time goes.
    let mut touched = Vec::new();
    for votes in cast.by_voter() {
        touched.clear();
        for &(cell, count) in votes {
            let (g, count) = (&gradients[starts[cell as usize]..starts[cell as usize + 1]], f64::from(count));
            for (k, &(j, y)) in g.iter().enumerate() {
                if sum[j] == 0.0 {
                    touched.push(j);
                }
                sum[j] += count * y;
                let column = out.col_mut(j);
                g[k..].iter().for_each(|&(i, x)| column[i] -= count * x * y);
            }
        }
        touched.sort_unstable();
        touched.dedup();
        for (k, &j) in touched.iter().enumerate() {
            let (column, y) = (out.col_mut(j), sum[j]);
            touched[k..].iter().for_each(|&i| column[i] += sum[i] * y);
        }
        touched.iter().for_each(|&i| sum[i] = 0.0);
    }
    Matrix::from_fn(size, size, |i, j| out[(i.max(j), i.min(j))])
}

/// The covariance with no variance of any direction below that of `least`, up to rounding: where votes happen to cancel, voters are no reason to be surer.
fn sound(covariance: Matrix, least: &Matrix) -> Matrix {
    let n = covariance.rows();
    let more = Matrix::from_fn(n, n, |i, j| covariance[(i, j)] - least[(i, j)]);
    let Some((values, vectors)) = rather_numerics::linalg::symmetric_eigen(&more) else { return covariance };
    let kept = Matrix::from_fn(n, n, |i, k| vectors[(i, k)] * values[k].max(0.0).sqrt());
    let more = product_transposed(&kept, &kept);
    Matrix::from_fn(n, n, |i, j| least[(i, j)] + more[(i, j)])
}

/// What a model believes of the utilities of its items, votes taken as independent.
pub fn plain_belief(model: &Model) -> Joint {
    model.belief().joint_of_all(model.points())
}
