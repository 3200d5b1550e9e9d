//! Sobol sequences with Owen's scrambling.

use std::sync::OnceLock;

use crate::random::middle;

/// Dimensions there are.
pub const DIMENSIONS: usize = 1024;
/// Points there are in a sequence: `2^BITS`.
const BITS: usize = 32;

/// Polynomials and first direction integers, one dimension a line (`references/sobol.py`): the numbers of Joe and Kuo,
/// *Constructing Sobol sequences with better two-dimensional projections* (2008), SIAM J. Sci. Comput. 30,
/// doi:10.1137/070709359, file new-joe-kuo-6.21201.
const TABLE: &str = include_str!("sobol.txt");

/// The Sobol sequence, in the order of the Gray code.
///
/// # Formula
/// The direction integers follow from a primitive polynomial $x^s+a_1x^{s-1}+\dots+a_{s-1}x+1$ over GF(2) by
/// $$ m_k=2a_1m_{k-1}\oplus2^2a_2m_{k-2}\oplus\dots\oplus2^{s-1}a_{s-1}m_{k-s+1}\oplus2^sm_{k-s}\oplus m_{k-s}, $$
/// and point `i + 1` is point `i` with $m_k2^{-k}$ added bit by bit, `k` the place of the lowest zero bit of `i`.
///
/// # References
/// Bratley and Fox, *Algorithm 659: implementing Sobol's quasirandom sequence generator* (1988), ACM TOMS 14.
///
/// # Examples
/// ```
/// use rather_numerics::sobol::Sobol;
///
/// let mut sequence = Sobol::new(2).unwrap();
/// assert_eq!(sequence.next_point(), [0, 0]);
/// assert_eq!(sequence.next_point(), [1 << 31, 1 << 31]);
/// assert_eq!(sequence.next_point(), [3 << 30, 1 << 30]);
/// ```
#[derive(Debug, Clone)]
pub struct Sobol {
    point: Vec<u32>,
    index: u32,
    started: bool,
}

impl Sobol {
    /// The sequence in `dimensions` dimensions, at its start; `None` if there are not that many.
    pub fn new(dimensions: usize) -> Option<Self> {
        (dimensions <= DIMENSIONS).then(|| Self { point: vec![0; dimensions], index: 0, started: false })
    }

    /// The next point, as binary fractions of 32 digits.
    pub fn next_point(&mut self) -> &[u32] {
        if self.started {
            let place = (self.index.trailing_ones() as usize).min(BITS - 1);
            for (x, direction) in self.point.iter_mut().zip(&directions()[place * DIMENSIONS..]) {
                *x ^= direction;
            }
            self.index = self.index.wrapping_add(1);
        }
        self.started = true;
        &self.point
    }
}

/// Direction numbers, dimension by dimension within place by place.
fn directions() -> &'static [u32] {
    static DIRECTIONS: OnceLock<Vec<u32>> = OnceLock::new();
    DIRECTIONS.get_or_init(|| {
        let mut out = vec![0; BITS * DIMENSIONS];
        for (dimension, line) in TABLE.lines().enumerate() {
            let mut numbers = line.split(' ').filter_map(|n| n.parse().ok());
            let polynomial = numbers.next().unwrap_or(1);
            for (place, integer) in direction_integers(polynomial, numbers.collect()).into_iter().enumerate()
            {
                out[place * DIMENSIONS + dimension] = integer << (BITS - 1 - place);
            }
        }
        out
    })
}

/// The direction integers $m_1,m_2,\dots$ from a polynomial's bits and the first of them.
fn direction_integers(polynomial: u32, mut m: Vec<u32>) -> Vec<u32> {
    let degree = polynomial.ilog2() as usize;
    if degree == 0 {
        // The first dimension is van der Corput's sequence.
        return vec![1; BITS];
    }
    for k in m.len()..BITS {
        let mut next = m[k - degree];
        for j in 1..=degree {
            if polynomial >> (degree - j) & 1 == 1 {
                next ^= m[k - j] << j;
            }
        }
        m.push(next);
    }
    m
}

/// Owen's nested uniform scrambling of the first `2^depth` points of a sequence, by hashing.
///
/// # Formula
/// A point's digit is flipped by a random bit that depends on the dimension and on all digits before it. The first `depth`
/// digits tell the points apart, so all further ones are independent random digits, taken from one hash. Each
/// scrambled point is uniform, and together they stay a net.
///
/// # References
/// Owen, *Randomly permuted (t,m,s)-nets and (t,s)-sequences* (1995); the mixing function is the finaliser of Steele, Lea
/// and Flood, *Fast splittable pseudorandom number generators* (2014), OOPSLA.
#[derive(Debug, Clone, Copy)]
pub struct Scrambling {
    seed: u64,
    depth: u32,
}

impl Scrambling {
    /// The scrambling of number `seed`, for `2^depth` points, `depth` at most 32.
    pub fn new(seed: u64, depth: u32) -> Self {
        Self { seed: mix(seed), depth }
    }

    /// The coordinate `x` of dimension `dimension`, scrambled: a number between 0 and 1, neither of them.
    pub fn apply(&self, dimension: usize, x: u32) -> f64 {
        let seed = mix(self.seed.wrapping_add((dimension as u64 + 1).wrapping_mul(GOLDEN)));
        let digits = u64::from(x) << 32;
        // A node of the tree of digits: a leading 1, then the digits so far.
        let mut node = 1_u64;
        let mut scrambled = 0_u64;
        for place in 0..self.depth {
            let digit = digits >> (63 - place) & 1;
            let flip = mix(seed.wrapping_add(node.wrapping_mul(GOLDEN))) >> 63;
            scrambled = scrambled << 1 | (digit ^ flip);
            node = node << 1 | digit;
        }
        let rest = mix(seed.wrapping_add(node.wrapping_mul(GOLDEN)));
        let first = scrambled.checked_shl(64 - self.depth).unwrap_or(0);
        middle((first | rest >> self.depth) >> 12)
    }
}

const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// A bijection of 64 bits after which every bit depends on every bit.
fn mix(mut x: u64) -> u64 {
    x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}
