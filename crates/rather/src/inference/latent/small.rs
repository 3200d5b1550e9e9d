//! Small Gaussians in flat memory: a mean and a covariance, row by row, of as many components as the mean has.

/// Memory for intermediate results, so that nothing is allocated on the way.
#[derive(Debug, Clone, Default)]
pub(super) struct Scratch {
    a: Vec<f64>,
    b: Vec<f64>,
}

/// $\sum_ia_ib_i$.
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The mean and variance of $h^\top x$.
pub(super) fn along(h: &[f64], mean: &[f64], covariance: &[f64]) -> (f64, f64) {
    let d = h.len();
    let variance = (0..d).map(|i| h[i] * dot(&covariance[i * d..(i + 1) * d], h)).sum::<f64>();
    (dot(h, mean), variance)
}

/// Multiplies a Gaussian by $\exp(\nu u-\tau u^2/2)$ with $u=h^\top x$.
pub(super) fn multiply(
    mean: &mut [f64],
    covariance: &mut [f64],
    h: &[f64],
    (tau, nu): (f64, f64),
    scratch: &mut Scratch,
) {
    let d = h.len();
    scratch.a.clear();
    scratch.a.extend((0..d).map(|i| dot(&covariance[i * d..(i + 1) * d], h)));
    let along = &scratch.a;
    let (m, v) = (dot(h, mean), dot(h, along));
    let shrink = 1.0 / (1.0 + tau * v);
    let step = (nu - tau * m) * shrink;
    for i in 0..d {
        mean[i] += along[i] * step;
        let by = tau * shrink * along[i];
        for j in 0..d {
            covariance[i * d + j] -= by * along[j];
        }
    }
}

/// $\log\int\exp(\nu u-\tau u^2/2)N(u\mid m,v)du$.
pub(super) fn log_integral((tau, nu): (f64, f64), (m, v): (f64, f64)) -> f64 {
    let widening = 1.0 + tau * v;
    -0.5 * widening.ln() + (nu * m - 0.5 * tau * m * m + 0.5 * nu * nu * v) / widening
}

/// Multiplies a Gaussian by $\exp(\lambda^\top x-x^\top\Lambda x/2)$: the covariance is $(I+P\Lambda)^{-1}P$, the mean $(I+P\Lambda)^{-1}(m+P\lambda)$.
pub(super) fn combine(
    mean: &mut [f64],
    covariance: &mut [f64],
    shift: &[f64],
    precision: &[f64],
    scratch: &mut Scratch,
) {
    let d = mean.len();
    if d == 1 {
        let shrink = 1.0 / (1.0 + covariance[0] * precision[0]);
        mean[0] = (mean[0] + covariance[0] * shift[0]) * shrink;
        covariance[0] *= shrink;
        return;
    }
    let Scratch { a, b } = scratch;
    identity_plus_product(a, covariance, precision, d);
    // The right sides beside each other: the mean, then the covariance.
    b.clear();
    for i in 0..d {
        let row = &covariance[i * d..(i + 1) * d];
        b.push(mean[i] + dot(row, shift));
        b.extend_from_slice(row);
    }
    solve(a, b, d, d + 1);
    for i in 0..d {
        let row = &b[i * (d + 1)..(i + 1) * (d + 1)];
        mean[i] = row[0];
        covariance[i * d..(i + 1) * d].copy_from_slice(&row[1..]);
    }
    symmetrise(covariance, d);
}

/// What $\exp(\lambda^\top x'-x'^\top\Lambda x'/2)$ says of $x$ if $x'=Ax+q$, $q\sim N(0,Q)$, up to a constant: $\Lambda\leftarrow A^\top(I+\Lambda Q)^{-1}\Lambda A$,
/// $\lambda\leftarrow A^\top(I+\Lambda Q)^{-1}\lambda$.
pub(super) fn back(
    shift: &mut [f64],
    precision: &mut [f64],
    transition: &[f64],
    noise: &[f64],
    scratch: &mut Scratch,
) {
    let d = shift.len();
    if d == 1 {
        let shrink = transition[0] / (1.0 + precision[0] * noise[0]);
        shift[0] *= shrink;
        precision[0] *= shrink * transition[0];
        return;
    }
    let Scratch { a, b } = scratch;
    identity_plus_product(a, precision, noise, d);
    b.clear();
    for i in 0..d {
        b.push(shift[i]);
        b.extend_from_slice(&precision[i * d..(i + 1) * d]);
    }
    solve(a, b, d, d + 1);
    let at = |i: usize, j: usize| b[i * (d + 1) + j];
    // A' times the solution, then times A.
    a.clear();
    a.extend((0..d * d).map(|k| (0..d).map(|i| transition[i * d + k / d] * at(i, k % d + 1)).sum::<f64>()));
    for i in 0..d {
        shift[i] = (0..d).map(|k| transition[k * d + i] * at(k, 0)).sum();
        for j in 0..d {
            precision[i * d + j] = (0..d).map(|k| a[i * d + k] * transition[k * d + j]).sum();
        }
    }
    symmetrise(precision, d);
}

/// $m\leftarrow Am$, $P\leftarrow APA^\top+Q$.
pub(super) fn ahead(
    mean: &mut [f64],
    covariance: &mut [f64],
    transition: &[f64],
    noise: &[f64],
    scratch: &mut Scratch,
) {
    let d = mean.len();
    if d == 1 {
        mean[0] *= transition[0];
        covariance[0] = transition[0] * transition[0] * covariance[0] + noise[0];
        return;
    }
    let Scratch { a, b } = scratch;
    b.clear();
    b.extend((0..d).map(|i| dot(&transition[i * d..(i + 1) * d], mean)));
    mean.copy_from_slice(b);
    a.clear();
    a.extend((0..d * d).map(|k| {
        let (i, j) = (k / d, k % d);
        (0..d).map(|l| transition[i * d + l] * covariance[l * d + j]).sum::<f64>()
    }));
    for i in 0..d {
        for j in 0..d {
            covariance[i * d + j] =
                noise[i * d + j] + dot(&a[i * d..(i + 1) * d], &transition[j * d..(j + 1) * d]);
        }
    }
    symmetrise(covariance, d);
}

/// The slopes of $\log\int N(x\mid m,P)\exp(\lambda^\top x-x^\top\Lambda x/2)dx$: $r=(I+\Lambda P)^{-1}(\lambda-\Lambda m)$ in the mean, and twice that in the
/// covariance, $rr^\top-(I+\Lambda P)^{-1}\Lambda$.
pub(super) fn slopes(
    mean: &[f64],
    covariance: &[f64],
    shift: &[f64],
    precision: &[f64],
    scratch: &mut Scratch,
) -> (Vec<f64>, Vec<f64>) {
    let d = mean.len();
    let Scratch { a, b } = scratch;
    identity_plus_product(a, precision, covariance, d);
    b.clear();
    for i in 0..d {
        let row = &precision[i * d..(i + 1) * d];
        b.push(shift[i] - dot(row, mean));
        b.extend_from_slice(row);
    }
    solve(a, b, d, d + 1);
    let r: Vec<f64> = (0..d).map(|i| b[i * (d + 1)]).collect();
    let curvature = (0..d * d).map(|k| r[k / d] * r[k % d] - b[(k / d) * (d + 1) + 1 + k % d]).collect();
    (r, curvature)
}

fn identity_plus_product(out: &mut Vec<f64>, left: &[f64], right: &[f64], d: usize) {
    out.clear();
    out.extend((0..d * d).map(|k| {
        let (i, j) = (k / d, k % d);
        let product = (0..d).map(|l| left[i * d + l] * right[l * d + j]).sum::<f64>();
        product + if i == j { 1.0 } else { 0.0 }
    }));
}

fn symmetrise(a: &mut [f64], d: usize) {
    for i in 0..d {
        for j in 0..i {
            let mean = 0.5 * (a[i * d + j] + a[j * d + i]);
            (a[i * d + j], a[j * d + i]) = (mean, mean);
        }
    }
}

/// $A^{-1}B$ in the place of $B$, $d\times n$, by elimination with row exchanges; uses up $A$.
fn solve(a: &mut [f64], b: &mut [f64], d: usize, n: usize) {
    for k in 0..d {
        let pivot = (k..d).max_by(|&i, &j| a[i * d + k].abs().total_cmp(&a[j * d + k].abs())).unwrap_or(k);
        if pivot != k {
            (0..d).for_each(|j| a.swap(k * d + j, pivot * d + j));
            (0..n).for_each(|j| b.swap(k * n + j, pivot * n + j));
        }
        let inverse = 1.0 / a[k * d + k];
        for i in k + 1..d {
            let by = a[i * d + k] * inverse;
            if by != 0.0 {
                (k..d).for_each(|j| a[i * d + j] -= by * a[k * d + j]);
                (0..n).for_each(|j| b[i * n + j] -= by * b[k * n + j]);
            }
        }
    }
    for k in (0..d).rev() {
        let inverse = 1.0 / a[k * d + k];
        (0..n).for_each(|j| b[k * n + j] *= inverse);
        for i in 0..k {
            let by = a[i * d + k];
            (0..n).for_each(|j| b[i * n + j] -= by * b[k * n + j]);
        }
    }
}
