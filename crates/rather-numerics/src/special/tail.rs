//! The left tail of the normal distribution, without exponentials and without cancellation.

/// The fit's one constant $K$: half of the polynomial's range is spent on $y<K$.
const K: f64 = 3.0;

/// Coefficients of $F$ by powers of $v$, from `references/tail.py`.
const F: [f64; 32] = [
    3.194025105750963,
    -1.1117266145642504,
    -0.42947100801620763,
    0.30086162157159085,
    0.17402927510751443,
    -0.0842949564248438,
    -0.08798147378623668,
    0.01312411820161599,
    0.041878258291737615,
    0.00733521331748031,
    -0.0162789535406517,
    -0.009113648744311571,
    0.003966307941466971,
    0.005667228415504208,
    0.0004778420860008222,
    -0.0023536890323191113,
    -0.001204059561895632,
    0.0005296722357863254,
    0.0007628553972722496,
    0.0001029439375912357,
    -0.0002902701001101725,
    -0.00017043198881310938,
    5.691371552315265e-05,
    9.29316155056186e-05,
    6.7036042685858185e-06,
    -3.180428622734799e-05,
    -8.563966955980693e-06,
    7.0866052768033685e-06,
    2.5770813600203534e-06,
    -9.288339218928157e-07,
    -3.0403079876326704e-07,
    5.200108541171254e-08,
];

/// The second tail of the continued fraction of Mills' ratio, for $y\ge0$.
///
/// # Formula
/// $$ k_2(y)=\cfrac{2}{y+\cfrac{3}{y+\cfrac{4}{y+\dots}}},\qquad
///    \frac{\phi(y)}{\Phi(-y)}=y+\frac{1}{y+k_2(y)} . $$
/// All about the tail follows from it by additions of positive numbers, so to full precision. The fraction itself
/// converges slowly for small $y$; computed is the polynomial $k_2(y) (y+K)=F\big(\frac{y-K}{y+K}\big)$ of degree 31,
/// exact to 4e-17 relative, which the map of $[0,\infty]$ to $[-1,1]$ makes good for all $y$ at once.
///
/// # References
/// Abramowitz and Stegun (1964), 26.2.14, for the fraction; Shepherd and Laframboise, *Chebyshev approximation of
/// (1 + 2x) exp(x²) erfc x* (1981), Mathematics of Computation 36, for the map.
#[inline(always)]
pub(super) fn tail_fraction(y: f64) -> f64 {
    let scale = 1.0 / (y + K);
    let v = 1.0 - 2.0 * K * scale;
    scale * polynomial(v)
}

/// $\phi(y)/\Phi(-y)$ for $y\ge0$, the inverse of Mills' ratio.
#[inline(always)]
pub(super) fn tail_ratio(y: f64) -> f64 {
    y + 1.0 / (y + tail_fraction(y))
}

/// $F(v)$ as four polynomials in $v^4$ side by side: a quarter of the waiting of Horner's rule.
#[inline(always)]
fn polynomial(v: f64) -> f64 {
    let v2 = v * v;
    let v4 = v2 * v2;
    let mut sums = [0.0; 4];
    for block in F.rchunks_exact(4) {
        for (sum, coefficient) in sums.iter_mut().zip(block) {
            *sum = *sum * v4 + coefficient;
        }
    }
    (sums[0] + sums[1] * v) + v2 * (sums[2] + sums[3] * v)
}
