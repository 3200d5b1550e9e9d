//! Moments by quadrature, for likelihoods without closed ones and for products of several.

use super::few_points;
use super::probits::{self, Between};
use super::sigmoids::Sigmoids;
use super::{Curvatures, Likelihood, NO_SLOPES, Slopes, Tilted, two_probits};
use rather_numerics::special::hermite::GaussHermite;
use rather_numerics::special::legendre::panel;
use rather_numerics::special::probit::log_cdf_derivatives;

/// The log of the tilted density below its top at which nothing is left of it.
const DEPTH: f64 = 36.0;
/// Local standard deviations that a panel covers where it begins,
const HERE: f64 = 5.0;
/// and where it ends.
const THERE: f64 = 9.0;
/// The most that the log of the density may fall within a panel.
const FALL: f64 = 30.0;
/// How much wider than the last a panel may be.
const GROWTH: f64 = 3.0;
/// Panels on either side: a likelihood whose bends are absurdly narrow is integrated roughly rather than for ever.
const MOST_PANELS: usize = 200;
/// Halvings of one panel.
const HALVINGS: usize = 60;

/// The site of moments with the derivative $a$ of $\log Z$ in the mean and minus the second one $b$, where $v_t=v-v^2b$ loses no digits.
pub(super) fn site(log_z: f64, a: f64, b: f64, mean: f64, variance: f64) -> Tilted {
    let left = 1.0 - variance * b;
    Tilted { log_z, tau: b / left, nu: (a + mean * b) / left, d: NO_SLOPES }
}

/// Left of this the derivatives of a log probit are not in closed form.
const LEAST_CLOSED: f64 = -6.0;
/// Points that moments of the orders up to 6 take at least.
const FEWEST: usize = 10;

/// Steps of the trapezoidal rule, before the points between are added, in local standard deviations at the mode,
const STEP: f64 = 0.9;
/// and at most so much of the distance of the nearest singularity, where that is known.
const OF_DISTANCE: f64 = 0.38;
/// How nearly alike the mass, mean and second moment by the points and by those between them must be. They differ by twice the error of the wider
/// step, a moment by about 6 times as much as that before it; that of both together is at most the square of it (Trefethen and Weideman 2014, theorem
/// 5.1): 1e-14 of the mass.
const ALIKE: [f64; 3] = [1e-7, 1e-6, 1e-5];
/// The most points before those between are added: panels take fewer where a density is that much wider than its mode.
const MOST_POINTS: usize = 40;

/// What was said `count` times about `sign` times a projection.
#[derive(Debug)]
pub struct Part<'a, L: ?Sized> {
    /// The likelihood of saying it once.
    pub likelihood: &'a L,
    /// 1 or -1.
    pub sign: f64,
    /// How often, which need not be a whole number.
    pub count: f64,
}

/// The log of a density with its first derivative and minus the second.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct Height {
    pub value: f64,
    pub first: f64,
    pub precision: f64,
}

impl<L: ?Sized> Clone for Part<'_, L> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<L: ?Sized> Copy for Part<'_, L> {}

impl<L: Likelihood + ?Sized> Part<'_, L> {
    /// Adds this part's log density at `z` to what others make of it; returns the derivatives in its slots.
    fn add(&self, z: f64, to: &mut Height) -> Slopes {
        let (at, slopes) = self.likelihood.height(self.sign * z);
        to.value += self.count * at.value;
        to.first += self.count * self.sign * at.first;
        to.precision += self.count * at.precision;
        slopes
    }
}

/// The moments of $t(z) \mathcal N(z;m,v)$ as a site, for any likelihood that tells its log density: [`tilt_together`] of this one alone.
pub fn tilt<L: Likelihood + ?Sized>(likelihood: &L, mean: f64, variance: f64) -> Tilted {
    let alone = [Part { likelihood, sign: 1.0, count: 1.0 }];
    let (tilted, slopes) = tilt_together(&alone, mean, variance);
    Tilted { d: slopes[0], ..tilted }
}

/// The moments of $t(z) \mathcal N(z;m,v)$ as a site, where $t(z)=\prod_kt_k(\pm z)^{n_k}$ is what all `parts` say, and the averages of the
/// derivatives of each $\log t_k$ in its slots.
///
/// # Formula
/// Those of two plain answers are closed, by Owen's function. Averages $\langle\cdot\rangle$ under the tilted density of others: by Gauss and Hermite's rule of few points where $t$ is smooth and nearly the same
/// over the whole belief, as it is of an answer among thousands; by the trapezoidal rule about its mode, until nothing is left, where that density is
/// log-concave and about as wide as its mode (Trefethen and Weideman 2014, *The exponentially convergent trapezoidal rule*, SIAM Review 56; the points
/// and those between them must agree); else by Gauss-Legendre panels, laid from its mode outwards, each
/// a few local standard deviations $(1/v+|\ell''|)^{-1/2}$ wide at both of its ends and narrow where a likelihood bends
/// ([`Likelihood::bends`]). With $\ell=\log t$: $a=\partial_m\log Z=\langle\ell'\rangle$, the variance $v_t$ of $z$,
/// $$ b=-\partial_m^2\log Z=\langle-\ell''\rangle-\operatorname{var}\ell',\qquad \tau=b \frac v{v_t},\qquad
///    \nu=(a+mb) \frac v{v_t},\qquad \partial_\theta\log Z=\langle\partial_\theta\ell\rangle . $$
/// Where the answers tell more than was known before, the same without their large numbers that cancel:
/// $\tau=1/v_t-1/v$, $\nu=\langle z\rangle/v_t-m/v$.
pub fn tilt_together<L: Likelihood + ?Sized>(
    parts: &[Part<'_, L>],
    mean: f64,
    variance: f64,
) -> (Tilted, Vec<Slopes>) {
    if variance <= 0.0 {
        let mut at = Height { value: 0.0, first: 0.0, precision: 0.0 };
        let slopes = parts.iter().map(|part| part.add(mean, &mut at)).collect();
        let nu = at.first + at.precision * mean;
        return (Tilted { log_z: at.value, tau: at.precision, nu, d: NO_SLOPES }, slopes);
    }
    let closed = || two_probits::tilt(parts, mean, variance);
    if let Some(found) = probits::tilt(parts, mean, variance).or_else(closed) {
        return found;
    }
    let tilting = Tilting::new(parts, mean, variance);
    if let Some(rule) = tilting.few(0) {
        return tilting.by_few(rule);
    }
    let Points { nodes, numbers, top } = tilting.points();
    if !top.is_finite() {
        return (Tilted { log_z: top, tau: 0.0, nu: 0.0, d: NO_SLOPES }, vec![NO_SLOPES; parts.len()]);
    }
    let mass: f64 = nodes.iter().map(|n| n.mass).sum();
    let average = |f: &dyn Fn(&Node) -> f64| nodes.iter().map(|n| n.mass * f(n)).sum::<f64>() / mass;
    let centre = average(&|n| n.z);
    let left = average(&|n| (n.z - centre).powi(2));
    let share = left / variance;
    let (tau, nu) = if share < 0.5 {
        ((1.0 - share) / left, centre / left - mean / variance)
    } else {
        let a = average(&|n| n.at.first);
        let b = average(&|n| n.at.precision) - average(&|n| (n.at.first - a).powi(2));
        (b / share, (a + mean * b) / share)
    };
    let mut averages = vec![0.0; tilting.said.numbers()];
    for (node, numbers) in nodes.iter().zip(numbers.chunks(averages.len().max(1))) {
        averages.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += node.mass / mass * number);
    }
    let log_z = top + mass.ln() - 0.5 * (std::f64::consts::TAU * variance).ln();
    (Tilted { log_z, tau, nu, d: NO_SLOPES }, tilting.said.slopes(&averages))
}

/// The cumulants of the orders 3 to 6 of $z$ under $t(z) \mathcal N(z;m,v)$, where $t$ is what all `parts` say; by the same rule as
/// [`tilt_together`]. All are 0 where the density cannot be integrated.
///
/// # Formula
/// Of a single probit $\Phi((z-l)/s)$ they are closed: the cumulant generating function is that of the belief plus
/// $\log\Phi\big((m+xv-l)/\sqrt{s^2+v}\big)$, so with $\beta=(m-l)/\sqrt{s^2+v}$
/// $$ \kappa_n=\Big(\frac v{\sqrt{s^2+v}}\Big)^n \frac{d^n\log\Phi(\beta)}{d\beta^n},\qquad n\ge3. $$
pub fn cumulants<L: Likelihood + ?Sized>(parts: &[Part<'_, L>], mean: f64, variance: f64) -> [f64; 4] {
    if variance <= 0.0 {
        return [0.0; 4];
    }
    if let Some(closed) = cumulants_of_probit(parts, mean, variance) {
        return closed;
    }
    let Points { nodes, .. } = Tilting::new(parts, mean, variance).points();
    let mass: f64 = nodes.iter().map(|n| n.mass).sum();
    if !(mass > 0.0 && mass.is_finite()) {
        return [0.0; 4];
    }
    let average = |f: &dyn Fn(f64) -> f64| nodes.iter().map(|n| n.mass * f(n.z)).sum::<f64>() / mass;
    let centre = average(&|z| z);
    let [m2, m3, m4, m5, m6] = [2, 3, 4, 5, 6].map(|l| average(&|z| (z - centre).powi(l)));
    [m3, m4 - 3.0 * m2 * m2, m5 - 10.0 * m3 * m2, m6 - 15.0 * m4 * m2 - 10.0 * m3 * m3 + 30.0 * m2.powi(3)]
}

/// The cumulants of the orders 3 to 6 where a single probit beyond one threshold was said, once.
fn cumulants_of_probit<L: Likelihood + ?Sized>(
    parts: &[Part<'_, L>],
    mean: f64,
    variance: f64,
) -> Option<[f64; 4]> {
    let [Part { likelihood, sign, count: 1.0 }] = parts else { return None };
    let Between { s, thresholds: [lower, upper], .. } = likelihood.between()?;
    // The side of the threshold that was said, as a function of z.
    let (side, threshold) = match (lower.is_finite(), upper.is_finite()) {
        (true, false) => (*sign, sign * lower),
        (false, true) => (-sign, sign * upper),
        _ => return None,
    };
    let scale = (s * s + variance).sqrt();
    let beta = side * (mean - threshold) / scale;
    let along = side * variance / scale;
    let derivatives = log_cdf_derivatives(beta);
    (beta >= LEAST_CLOSED).then(|| std::array::from_fn(|k| derivatives[k] * along.powi(k as i32 + 3)))
}

/// A point of the rule.
struct Node {
    z: f64,
    weight: f64,
    /// The log of the tilted density, up to the belief's constant.
    log_density: f64,
    /// The weight times the density, relative to the highest.
    mass: f64,
    /// The log of the likelihood.
    at: Height,
}

/// The points of a rule.
struct Points {
    nodes: Vec<Node>,
    /// At each what slopes are made of ([`Said::numbers`]).
    numbers: Vec<f64>,
    /// The highest log of the density at any.
    top: f64,
}

impl Points {
    fn with_capacity(points: usize, numbers: usize) -> Self {
        Self {
            nodes: Vec::with_capacity(points),
            numbers: Vec::with_capacity(points * numbers),
            top: f64::NEG_INFINITY,
        }
    }

    /// With their masses.
    fn weighed(mut self) -> Self {
        let top = self.nodes.iter().map(|n| n.log_density).fold(f64::NEG_INFINITY, f64::max);
        self.nodes.iter_mut().for_each(|n| n.mass = n.weight * (n.log_density - top).exp());
        Self { top, ..self }
    }
}

/// What is said, as one function.
enum Said<'a, L: ?Sized> {
    /// Logistic functions of one scale, each threshold once.
    Logistic(Sigmoids, &'a [Part<'a, L>]),
    Parts(&'a [Part<'a, L>]),
}

impl<L: Likelihood + ?Sized> Said<'_, L> {
    fn parts(&self) -> &[Part<'_, L>] {
        match self {
            Self::Logistic(_, parts) | Self::Parts(parts) => parts,
        }
    }

    /// How many numbers each point has, of whose averages slopes are made.
    fn numbers(&self) -> usize {
        match self {
            Self::Logistic(sigmoids, _) => sigmoids.numbers(),
            Self::Parts(parts) => NO_SLOPES.len() * parts.len(),
        }
    }

    /// The log of the likelihood; the numbers of this point are added to `numbers`.
    fn at(&self, z: f64, numbers: &mut Vec<f64>) -> Height {
        match self {
            Self::Logistic(sigmoids, _) => sigmoids.height(z, |of| numbers.extend(of)),
            Self::Parts(parts) => {
                let mut at = Height { value: 0.0, first: 0.0, precision: 0.0 };
                parts.iter().for_each(|part| numbers.extend(part.add(z, &mut at)));
                at
            }
        }
    }

    /// The log of the likelihood alone.
    fn height(&self, z: f64) -> Height {
        match self {
            Self::Logistic(sigmoids, _) => sigmoids.height(z, |_| ()),
            Self::Parts(parts) => {
                let mut at = Height { value: 0.0, first: 0.0, precision: 0.0 };
                parts.iter().for_each(|part| {
                    part.add(z, &mut at);
                });
                at
            }
        }
    }

    /// The averages of the derivatives in the slots of every part, from those of the numbers.
    fn slopes(&self, averages: &[f64]) -> Vec<Slopes> {
        match self {
            Self::Logistic(sigmoids, parts) => sigmoids.slopes(parts, averages),
            Self::Parts(_) => averages.as_chunks().0.to_vec(),
        }
    }
}

/// A rule of few points, in standard deviations from the mean, and the log of the likelihood there.
struct Few<'a> {
    at_mean: Height,
    rule: &'a GaussHermite,
}

/// A belief, and what is said.
struct Tilting<'a, L: ?Sized> {
    said: Said<'a, L>,
    mean: f64,
    variance: f64,
}

impl<'a, L: Likelihood + ?Sized> Tilting<'a, L> {
    fn new(parts: &'a [Part<'a, L>], mean: f64, variance: f64) -> Self {
        let said = match Sigmoids::of(parts, mean) {
            Some(sigmoids) => Said::Logistic(sigmoids, parts),
            None => Said::Parts(parts),
        };
        Self { said, mean, variance }
    }

    fn parts(&self) -> &[Part<'_, L>] {
        self.said.parts()
    }

    /// The log of the tilted density, up to the belief's constant.
    fn height(&self, z: f64) -> Height {
        let at = self.said.height(z);
        let off = z - self.mean;
        Height {
            value: at.value - 0.5 * off * off / self.variance,
            first: at.first - off / self.variance,
            precision: at.precision + 1.0 / self.variance,
        }
    }

    /// The least curvature by which a step is measured: a thousandth of the belief's.
    fn flattest(&self) -> f64 {
        1e-3 / self.variance
    }

    /// The moments by a rule of few points, none of which is to be kept.
    fn by_few(&self, Few { at_mean, rule }: Few<'_>) -> (Tilted, Vec<Slopes>) {
        let (mean, variance) = (self.mean, self.variance);
        let sd = variance.sqrt();
        let mut numbers = Vec::new();
        let mut averages = vec![0.0; self.said.numbers()];
        let (mut mass, mut first, mut square, mut precision) = (0.0, 0.0, 0.0, 0.0);
        for (x, weight) in rule.iter() {
            numbers.clear();
            let at = self.said.at(mean + sd * x, &mut numbers);
            let share = weight * (at.value - at_mean.value).exp();
            mass += share;
            first += share * at.first;
            square += share * at.first * at.first;
            precision += share * at.precision;
            averages.iter_mut().zip(&numbers).for_each(|(sum, number)| *sum += share * number);
        }
        averages.iter_mut().for_each(|sum| *sum /= mass);
        let a = first / mass;
        let b = precision / mass - (square / mass - a * a);
        (site(at_mean.value + mass.ln(), a, b, mean, variance), self.said.slopes(&averages))
    }

    fn points(&self) -> Points {
        if let Some(Few { rule, .. }) = self.few(FEWEST) {
            let sd = self.variance.sqrt();
            let density = |x: f64| (-0.5 * x * x).exp() / std::f64::consts::TAU.sqrt();
            let points = rule.iter().map(|(x, weight)| (self.mean + sd * x, sd * weight / density(x)));
            return self.at(rule.nodes.len(), points);
        }
        let bends = self.bends();
        let modes = self.modes(&bends);
        let top = modes.first().copied().unwrap_or(self.mean);
        self.evenly(top).unwrap_or_else(|| {
            let ends = self.panels(top, &modes, &bends);
            let points = 20 * ends.len().saturating_sub(1);
            self.at(points, ends.windows(2).flat_map(|w| panel(w[0], w[1])))
        })
    }

    /// The points of the trapezoidal rule about the mode, with those between them; `None` unless both halves give the same moments.
    fn evenly(&self, top: f64) -> Option<Points> {
        if !self.parts().iter().all(|part| part.likelihood.is_log_concave()) {
            return None;
        }
        let peak = self.height(top);
        let step = match self.analytic_within() {
            unknown if unknown <= 0.0 => STEP * peak.precision.recip().sqrt(),
            distance => (STEP * peak.precision.recip().sqrt()).min(OF_DISTANCE * distance),
        };
        let lowest = peak.value - DEPTH;
        let mut points = Points::with_capacity(2 * MOST_POINTS, self.said.numbers());
        let mut march = |first: f64, by: f64| {
            let mut z = first;
            for _ in 0..MOST_POINTS {
                let node = self.node(z, 0.5 * step, &mut points.numbers);
                let is_over = node.log_density <= lowest || node.log_density.is_nan();
                points.nodes.push(node);
                if is_over {
                    break;
                }
                z += by;
            }
            points.nodes.len()
        };
        march(top, step);
        let between = march(top - step, -step);
        if between > MOST_POINTS {
            return None;
        }
        march(top + 0.5 * step, step);
        march(top - 0.5 * step, -step);
        let points = points.weighed();
        let halves = points.nodes.split_at(between);
        let moments = |nodes: &[Node]| {
            nodes.iter().fold([0.0; 3], |[mass, first, second], node| {
                let off = (node.z - top) / step;
                [mass + node.mass, first + off * node.mass, second + off * off * node.mass]
            })
        };
        let (half, other) = (moments(halves.0), moments(halves.1));
        let near = |((a, b), alike): ((&f64, &f64), &f64)| (a - b).abs() <= alike * half[0];
        let alike = half.iter().zip(&other).zip(&ALIKE).all(near);
        alike.then_some(points)
    }

    /// The rule of fewest points, but `least`, that is exact for this likelihood, if it is nearly the same over the whole belief, and smooth.
    fn few(&self, least: usize) -> Option<Few<'static>> {
        let sd = self.variance.sqrt();
        let distance = self.analytic_within() / sd;
        few_points::rule(distance, 0.0, 0.0, least)?;
        let at_mean = self.said.height(self.mean);
        let (slope, curvature) = (at_mean.first.abs() * sd, at_mean.precision.abs() * self.variance);
        few_points::rule(distance, slope, curvature, least).map(|rule| Few { at_mean, rule })
    }

    /// The distance from the real line within which no part has a singularity.
    fn analytic_within(&self) -> f64 {
        self.parts().iter().map(|part| part.likelihood.analytic_within()).fold(f64::INFINITY, f64::min)
    }

    /// The tilted density at some points with weights, `points` of them.
    fn at(&self, points: usize, rule: impl Iterator<Item = (f64, f64)>) -> Points {
        let mut out = Points::with_capacity(points, self.said.numbers());
        for (z, weight) in rule {
            out.nodes.push(self.node(z, weight, &mut out.numbers));
        }
        out.weighed()
    }

    /// The tilted density at one point, whose mass is not known yet; adds its numbers to `numbers`.
    fn node(&self, z: f64, weight: f64, numbers: &mut Vec<f64>) -> Node {
        let at = self.said.at(z, numbers);
        let off = z - self.mean;
        Node { z, weight, log_density: at.value - 0.5 * off * off / self.variance, mass: 0.0, at }
    }

    /// Where the likelihoods bend, and how wide.
    fn bends(&self) -> Vec<(f64, f64)> {
        let of = |part: &Part<'_, L>| {
            let Curvatures { at, width } = part.likelihood.bends();
            at.map(|z| (part.sign * z, width))
        };
        self.parts().iter().flat_map(of).filter(|(z, _)| z.is_finite()).collect()
    }

    /// The modes that are found from the mean and, of a product that may have several, from every bend; the highest first.
    fn modes(&self, bends: &[(f64, f64)]) -> Vec<f64> {
        let single = self.parts().iter().all(|part| part.likelihood.is_log_concave());
        let starts = bends.iter().map(|b| b.0).filter(|_| !single);
        let near = |step: f64, precision: f64, _: f64| step.abs() * precision.abs().sqrt() <= 1e-2;
        let climb = |start: f64| climb(start, self.flattest(), |z| self.height(z), near);
        let mut out: Vec<f64> = std::iter::once(self.mean).chain(starts).filter_map(climb).collect();
        let height = |z: &f64| self.height(*z).value;
        out.sort_by(|a, b| height(b).total_cmp(&height(a)));
        out
    }

    /// The ends of the panels.
    fn panels(&self, top: f64, modes: &[f64], bends: &[(f64, f64)]) -> Vec<f64> {
        let peak = self.height(top).value;
        let mut left = self.march(top, peak, -1.0, modes, bends);
        left.reverse();
        left.push(top);
        left.extend(self.march(top, peak, 1.0, modes, bends));
        left
    }

    /// The ends of the panels on one side of the highest mode, where the log of the density is `peak`: on to the last of the modes there, and
    /// until nothing is left.
    fn march(&self, top: f64, peak: f64, side: f64, modes: &[f64], bends: &[(f64, f64)]) -> Vec<f64> {
        let local = |at: &Height| (1.0 / self.variance).max(at.precision.abs()).recip().sqrt();
        let last = modes.iter().map(|mode| side * (mode - top)).fold(0.0, f64::max);
        let mut out = Vec::new();
        let (mut z, mut drop, mut width) = (top, 0.0, f64::INFINITY);
        let mut scale = local(&self.height(top));
        while out.len() < MOST_PANELS && (drop < DEPTH || side * (z - top) < last) {
            let by_bend = |&(bend, wide): &(f64, f64)| {
                let ahead = side * (bend - z);
                wide.max(if ahead > 0.0 { 0.5 * ahead } else { -ahead })
            };
            let nearest = bends.iter().map(by_bend).fold(f64::INFINITY, f64::min);
            let mut step = (HERE * scale).min(GROWTH * width).min(nearest);
            let mut next = self.height(z + side * step);
            for _ in 0..HALVINGS {
                if ((peak - next.value) - drop).abs() <= FALL && step <= THERE * local(&next) {
                    break;
                }
                step *= 0.5;
                next = self.height(z + side * step);
            }
            if z + side * step == z || !next.value.is_finite() {
                break;
            }
            z += side * step;
            (drop, scale, width) = (peak - next.value, local(&next), step);
            out.push(z);
        }
        out
    }
}

/// Newton steps allowed; from the mean of a log-concave factor a dozen is much.
const STEPS: usize = 100;

/// The mode $\hat z=\arg\max_z\log t(z)-(z-m)^2/2v$ of a likelihood times $\mathcal N(m,v)$: the centre of Laplace's approximation.
///
/// By Newton's method from $m$; a step that would not go up is halved. `None` if that is not finite.
///
/// # References
/// Rasmussen and Williams, *Gaussian Processes for Machine Learning* (2006), section 3.4.1, for one value.
///
/// # Examples
/// ```
/// use rather::likelihood::quadrature::mode;
/// use rather::likelihood::{Likelihood, Probit};
///
/// let probit = Probit::label(1.0);
/// let z = mode(&probit, 0.3, 2.0).expect("a finite mode");
/// assert!((probit.log_density(z).first - (z - 0.3) / 2.0).abs() < 1e-12);
/// ```
pub fn mode<L: Likelihood + ?Sized>(likelihood: &L, mean: f64, variance: f64) -> Option<f64> {
    if variance == 0.0 {
        return Some(mean);
    }
    let alone = [Part { likelihood, sign: 1.0, count: 1.0 }];
    let tilting = Tilting::new(&alone, mean, variance);
    let near = |step: f64, _: f64, z: f64| step.abs() <= 1e-14 * (z.abs() + variance.sqrt());
    climb(mean, tilting.flattest(), |z| tilting.height(z), near)
}

/// A maximum of `height` by Newton's method from `start`, until a step is `near` enough to none (told the step, the curvature, and where); no
/// curvature counts for less than `flattest`.
fn climb(
    start: f64,
    flattest: f64,
    height: impl Fn(f64) -> Height,
    near: impl Fn(f64, f64, f64) -> bool,
) -> Option<f64> {
    let (mut z, mut here) = (start, height(start));
    for _ in 0..STEPS {
        // Where the curvature is the wrong way round its size still tells how far to look.
        let curvature = here.precision.abs().max(flattest);
        let mut step = here.first / curvature;
        let mut next = height(z + step);
        for _ in 0..HALVINGS {
            if next.value >= here.value - 1e-12 * here.value.abs().max(1.0) {
                break;
            }
            step *= 0.5;
            next = height(z + step);
        }
        z += step;
        here = next;
        if near(step, curvature, z) || !z.is_finite() {
            break;
        }
    }
    Some(z).filter(|z| z.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::likelihood::{Interval, Logistic, Probit};
    use proptest::prelude::*;

    /// The log of the mass, mean and variance of the tilted density by a rule.
    fn moments(Points { nodes, top, .. }: &Points) -> [f64; 3] {
        let mass: f64 = nodes.iter().map(|n| n.mass).sum();
        let average = |f: &dyn Fn(f64) -> f64| nodes.iter().map(|n| n.mass * f(n.z)).sum::<f64>() / mass;
        let centre = average(&|z| z);
        [mass.ln() + top, centre, average(&|z| (z - centre).powi(2))]
    }

    proptest! {
        /// The rules have nothing in common but the density. Their sums of up to a hundred terms are rounded, and panels cut what is 36 below.
        #[test]
        fn every_rule_gives_the_moments_that_panels_give(
            mean in -6.0..6.0_f64,
            log_sd in -3.0..1.5_f64,
            log_noise in -1.5..1.0_f64,
            tie in 0.0..2.0_f64,
            counts in prop::array::uniform3(0_u8..60),
            is_logistic in any::<bool>(),
        ) {
            let s = log_noise.exp();
            let between = |low: f64, high: f64| -> Box<dyn Likelihood> {
                if is_logistic { Box::new(Logistic::new(low, high, s)) } else { Box::new(Interval::new(low, high, s)) }
            };
            let (win, tied) = (between(tie, f64::INFINITY), between(-tie - 0.1, tie + 0.1));
            let of = |likelihood, sign, count| Part { likelihood, sign, count: f64::from(count) };
            let said = [of(&*win, 1.0, counts[0] + 1), of(&*tied, 1.0, counts[1]), of(&*win, -1.0, counts[2])];
            let tilting = Tilting::new(&said, mean, (2.0 * log_sd).exp());
            let bends = tilting.bends();
            let modes = tilting.modes(&bends);
            let ends = tilting.panels(modes[0], &modes, &bends);
            // Panels by the parts' own densities.
            let own = Tilting { said: Said::Parts(&said), ..tilting };
            let panels = own.at(0, ends.windows(2).flat_map(|w| panel(w[0], w[1])));
            let top = tilting.height(modes[0]).value;
            let (found, reference) = (moments(&tilting.points()), moments(&panels));
            let sd = reference[2].sqrt();
            prop_assert!((found[0] - reference[0]).abs() < 1e-12 * top.abs().max(1.0), "{found:?} {reference:?}");
            prop_assert!((found[1] - reference[1]).abs() < 1e-12 * sd.max(mean.abs()), "{found:?} {reference:?}");
            prop_assert!((found[2] / reference[2] - 1.0).abs() < 1e-11, "{found:?} {reference:?}");
        }
    }

    proptest! {
        /// Rounding of moments of the order 6 about the mean is 1e-11 of the belief's.
        #[test]
        fn cumulants_of_a_probit_are_those_of_quadrature(
            mean in -6.0..6.0_f64,
            log_sd in -3.0..1.5_f64,
            log_noise in -1.5..1.0_f64,
            threshold in -1.0..1.0_f64,
            is_above in any::<bool>(),
            is_negative in any::<bool>(),
        ) {
            let (s, sd) = (log_noise.exp(), log_sd.exp());
            let ends = if is_above { (threshold, f64::INFINITY) } else { (f64::NEG_INFINITY, threshold) };
            let probit = Interval::new(ends.0, ends.1, s);
            let sign = if is_negative { -1.0 } else { 1.0 };
            // Said half a time twice it is no single probit.
            let [once, half] = [1.0, 0.5].map(|count| Part { likelihood: &probit, sign, count });
            let closed = cumulants(&[once], mean, sd * sd);
            let expected = cumulants(&[half, half], mean, sd * sd);
            for (k, (a, b)) in closed.iter().zip(&expected).enumerate() {
                prop_assert!((a - b).abs() <= 1e-8 * sd.powi(k as i32 + 3), "{closed:?} {expected:?}");
            }
        }
    }

    #[test]
    fn what_is_about_as_wide_as_its_mode_takes_few_points() {
        let probit = Probit::comparison(1.0);
        let said = [
            Part { likelihood: &probit, sign: 1.0, count: 7.0 },
            Part { likelihood: &probit, sign: -1.0, count: 3.0 },
        ];
        let tilting = Tilting::new(&said, 0.4, 2.0);
        let Points { nodes, numbers, .. } = tilting.points();
        assert!(nodes.len() < 50, "{}", nodes.len());
        assert_eq!(numbers.len(), tilting.said.numbers() * nodes.len());
    }
}
