//! Segments: groups of users whose utilities are alike.

use super::Population;
use crate::Error;
use crate::posterior::Joint;
use rand_chacha::ChaCha8Rng;
use rather_numerics::linalg::{Matrix, axpy, dot};
use rather_numerics::order::descending;
use rather_numerics::random::{stream, uniform};
use rather_numerics::{parallel, watch};

/// The users of a model in groups, by their utilities of its items.
#[derive(Debug, Clone, PartialEq)]
pub struct Segments {
    /// The segments, the largest first.
    pub segments: Vec<Segment>,
    /// Those who said something, in the order of users.
    pub members: Vec<Member>,
    /// How clearly the segments stand apart, up to 1: the mean over users of $(b-a)/b$, with the distances $a$ of their utilities to the centre of their segment
    /// and $b$ to that of the next one, root mean squares over the posterior.
    pub silhouette: f64,
}

/// A group of users.
#[derive(Debug, Clone, PartialEq)]
pub struct Segment {
    /// The share of users in it.
    pub share: f64,
    /// The mean utility of each item to them, relative to the average over the items that were compared.
    pub mean: Vec<f64>,
}

/// To which segment a user belongs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Member {
    /// The user.
    pub user: usize,
    /// The segment.
    pub segment: usize,
    /// The posterior probability that the centre of this segment is the nearest one.
    pub probability: f64,
}

/// Random starts of which the best is kept, and the most steps of one.
const STARTS: u64 = 20;
const STEPS: usize = 100;
/// Segments that are tried, at most, if their number is to be found.
const MOST: usize = 6;
/// Draws of a user's utilities.
const DRAWS: usize = 400;

impl Segments {
    /// Below this [silhouette](Segments::silhouette) users differ by degrees rather than in kind (Kaufman and Rousseeuw, *Finding groups in data*, 1990).
    pub const CLEAR: f64 = 0.25;

    /// The items, those first whose utilities differ most between segments.
    pub fn most_different(&self) -> Vec<usize> {
        let variance = |item: usize| {
            let of = |segment: &Segment| segment.share * (segment.mean[item] - self.everyone(item)).powi(2);
            self.segments.iter().map(of).sum::<f64>()
        };
        let items = self.segments.first().map_or(0, |segment| segment.mean.len());
        descending(&(0..items).map(variance).collect::<Vec<f64>>())
    }

    /// The mean utility of an item to everyone.
    pub fn everyone(&self, item: usize) -> f64 {
        self.segments.iter().map(|segment| segment.share * segment.mean[item]).sum()
    }

    /// So many segments, or as many as stand apart most clearly (2 to 6).
    ///
    /// # Formula
    /// $k$-means on everybody's posterior mean utilities, the best of 20 starts. The probability of a user's segment is that of
    /// $\lVert u-c\rVert\le\lVert u-c'\rVert$ for all centres $c'$, by draws of the utilities $u$ from the posterior.
    ///
    /// # References
    /// Arthur and Vassilvitskii, *k-means++: the advantages of careful seeding* (2007), SODA. Vendramin, Campello and Hruschka, *Relative clustering validity
    /// criteria* (2010), Statistical Analysis and Data Mining 3, for the silhouette by distances to centres.
    ///
    /// # Errors
    /// [`Error::Parameter`] for fewer than two segments, or fewer users than segments; [`Error::Covariance`] if a covariance is not a finite number;
    /// [`Error::Cancelled`].
    pub fn of(population: &Population, number: Option<usize>, seed: u64) -> Result<Self, Error> {
        let known = 0..population.users().keys().len();
        let users: Vec<usize> =
            known.filter(|&user| !population.answers().of_user(user).is_empty()).collect();
        let least = number.unwrap_or(2);
        if !(2..=users.len()).contains(&least) {
            let requirement = "there are two segments at least, and as many users with answers";
            return Err(Error::Parameter { name: "segments".into(), value: least as f64, requirement });
        }
        let (items, compared) = (population.model().items().known(), population.compared());
        let of_user = |k: usize| -> Result<(Vec<f64>, f64), Error> {
            let found = population.model().user(users[k])?.relative_utilities(&items, &compared);
            Ok((found.mean, found.variance.iter().sum()))
        };
        let found: Vec<_> =
            parallel::map(users.len(), 1, of_user).into_iter().collect::<Result<_, Error>>()?;
        let (means, variances): (Vec<Vec<f64>>, Vec<f64>) = found.into_iter().unzip();
        let numbers = number.map_or(2..=MOST.min(users.len()), |n| n..=n);
        let mut found = Vec::new();
        for n in numbers {
            watch::check()?;
            found.push(Clusters::best(&means, n, seed));
        }
        let clarity = |clusters: &Clusters| clusters.silhouette(&means, &variances);
        let clearer = |a: &Clusters, b: &Clusters| clarity(a).total_cmp(&clarity(b));
        // Of equally clear ones the fewest.
        let clusters = found.into_iter().rev().max_by(clearer).unwrap_or_default().largest_first();
        let weights: Vec<Vec<f64>> = clusters.centres.iter().map(|c| contrast(c, &compared)).collect();
        let probability = |k: usize| {
            let (mean, covariance) = population.model().user(users[k])?.utilities(&items);
            let near = clusters.centres.iter().zip(&weights);
            clusters.probability(k, near, (&mean, &covariance), &mut stream(seed, 100 + k as u64))
        };
        let probabilities: Vec<f64> =
            parallel::map(users.len(), 1, probability).into_iter().collect::<Result<_, Error>>()?;
        let member = |(k, &user): (usize, &usize)| Member {
            user,
            segment: clusters.of[k],
            probability: probabilities[k],
        };
        let silhouette = clarity(&clusters);
        let share = |segment: usize| clusters.size(segment) as f64 / users.len() as f64;
        Ok(Self {
            members: users.iter().enumerate().map(member).collect(),
            silhouette,
            segments: (0..clusters.centres.len())
                .map(|k| Segment { share: share(k), mean: clusters.centres[k].clone() })
                .collect(),
        })
    }
}

/// The weights of utilities $u$ in $c^\top(u-\bar u)$, with the average over the items compared.
fn contrast(centre: &[f64], compared: &[usize]) -> Vec<f64> {
    let share = centre.iter().sum::<f64>() / compared.len().max(1) as f64;
    let mut out = centre.to_vec();
    compared.iter().for_each(|&i| out[i] -= share);
    out
}

/// Points, each in the cluster of the nearest centre.
#[derive(Debug, Clone, Default)]
struct Clusters {
    centres: Vec<Vec<f64>>,
    of: Vec<usize>,
    /// The sum of squared distances to the centres.
    spread: f64,
}

impl Clusters {
    /// The best of several random starts.
    fn best(points: &[Vec<f64>], number: usize, seed: u64) -> Self {
        let start = |k: usize| Self::from(points, seeds(points, number, &mut stream(seed, k as u64)));
        let all = parallel::map(STARTS as usize, 1, start);
        all.into_iter().min_by(|a, b| a.spread.total_cmp(&b.spread)).unwrap_or_default()
    }

    /// Lloyd's algorithm from these centres.
    fn from(points: &[Vec<f64>], centres: Vec<Vec<f64>>) -> Self {
        let mut out = Self { of: vec![0; points.len()], centres, spread: f64::INFINITY };
        for _ in 0..STEPS {
            let nearest: Vec<(usize, f64)> = points.iter().map(|point| out.nearest(point)).collect();
            let spread = nearest.iter().map(|(_, distance)| distance).sum();
            if spread >= out.spread {
                break;
            }
            out.spread = spread;
            out.of = nearest.into_iter().map(|(k, _)| k).collect();
            out.move_centres(points);
        }
        out
    }

    /// Puts each centre at the mean of its points; one without any stays.
    fn move_centres(&mut self, points: &[Vec<f64>]) {
        for k in 0..self.centres.len() {
            let share = 1.0 / self.size(k) as f64;
            if share.is_finite() {
                let centre = &mut self.centres[k];
                centre.fill(0.0);
                let own = points.iter().zip(&self.of).filter(|(_, of)| **of == k);
                own.for_each(|(point, _)| axpy(share, point, centre));
            }
        }
    }

    fn size(&self, cluster: usize) -> usize {
        self.of.iter().filter(|&&of| of == cluster).count()
    }

    /// The nearest centre, and its squared distance.
    fn nearest(&self, point: &[f64]) -> (usize, f64) {
        let distances = self.centres.iter().map(|centre| squared_distance(point, centre)).enumerate();
        distances.min_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or_default()
    }

    /// The mean over points of $(b-a)/b$; 0 where all points are the same. A point is the mean of a distribution of this variance, all dimensions together.
    fn silhouette(&self, points: &[Vec<f64>], variances: &[f64]) -> f64 {
        let of_point = |((point, variance), &own): ((&Vec<f64>, &f64), &usize)| {
            let distance = |k: usize| (squared_distance(point, &self.centres[k]) + variance).sqrt();
            let others = (0..self.centres.len()).filter(|&k| k != own);
            let (a, b) = (distance(own), others.map(distance).fold(f64::INFINITY, f64::min));
            if b > 0.0 { (b - a) / b } else { 0.0 }
        };
        points.iter().zip(variances).zip(&self.of).map(of_point).sum::<f64>() / points.len().max(1) as f64
    }

    fn largest_first(self) -> Self {
        let order = descending(&(0..self.centres.len()).map(|k| self.size(k) as f64).collect::<Vec<f64>>());
        let mut place = vec![0; order.len()];
        order.iter().enumerate().for_each(|(new, &old)| place[old] = new);
        Self {
            centres: order.iter().map(|&k| self.centres[k].clone()).collect(),
            of: self.of.iter().map(|&k| place[k]).collect(),
            spread: self.spread,
        }
    }

    /// The probability that the centre of the cluster of point `k` is the nearest one to a Gaussian of this mean and covariance: `near` has each centre, and
    /// its weights.
    fn probability<'a>(
        &self,
        k: usize,
        near: impl Iterator<Item = (&'a Vec<f64>, &'a Vec<f64>)> + Clone,
        (mean, covariance): (&[f64], &Matrix),
        rng: &mut ChaCha8Rng,
    ) -> Result<f64, Error> {
        // Of |u - c|^2 only |c|^2 - 2 c'u differs between centres.
        let moved: Vec<Vec<f64>> = near.clone().map(|(_, w)| covariance.times(w)).collect();
        let weights: Vec<&Vec<f64>> = near.clone().map(|(_, w)| w).collect();
        let n = moved.len();
        let joint = Joint {
            mean: weights.iter().map(|w| dot(w, mean)).collect(),
            covariance: Matrix::from_fn(n, n, |i, j| dot(weights[i.max(j)], &moved[i.min(j)])),
        };
        let draws = joint.draws(DRAWS, rng)?;
        let norms: Vec<f64> = near.map(|(c, _)| dot(c, c)).collect();
        let is_own = |draw: &usize| {
            let of = |k: usize| norms[k] - 2.0 * draws[(k, *draw)];
            (0..n).min_by(|&a, &b| of(a).total_cmp(&of(b))) == Some(self.of[k])
        };
        Ok((0..DRAWS).filter(is_own).count() as f64 / DRAWS as f64)
    }
}

fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum()
}

/// So many of the points to begin with, each the next one with a probability in proportion to its squared distance from those before it.
fn seeds(points: &[Vec<f64>], number: usize, rng: &mut ChaCha8Rng) -> Vec<Vec<f64>> {
    let mut left = vec![1.0_f64; points.len()];
    let mut out: Vec<Vec<f64>> = Vec::with_capacity(number);
    while out.len() < number {
        let mut mark = uniform(rng) * left.iter().sum::<f64>();
        let next = left.iter().position(|weight| {
            mark -= weight;
            mark < 0.0
        });
        // Fewer different points than centres: any will do.
        let chosen = points[next.unwrap_or(out.len() % points.len())].clone();
        for (left, point) in left.iter_mut().zip(points) {
            let distance = squared_distance(point, &chosen);
            *left = if out.is_empty() { distance } else { left.min(distance) };
        }
        out.push(chosen);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn groups(of_each: usize) -> Vec<Vec<f64>> {
        let centre = [[3.0, 0.0], [0.0, 3.0], [-3.0, -3.0]];
        let at = |k: usize| (0..of_each + k).map(move |i| (k, 0.1 * i as f64));
        (0..3).flat_map(at).map(|(k, off)| vec![centre[k][0] + off, centre[k][1] - off]).collect()
    }

    #[test]
    fn groups_are_found_the_largest_first() {
        let points = groups(4);
        let found = Clusters::best(&points, 3, 1).largest_first();
        assert_eq!(found.of, [vec![2; 4], vec![1; 5], vec![0; 6]].concat());
        let clarity = |n: usize, variance: f64| {
            Clusters::best(&points, n, 1).silhouette(&points, &vec![variance; points.len()])
        };
        assert!((2..=5).all(|n| n == 3 || clarity(n, 0.0) < clarity(3, 0.0)));
        // What is hardly known stands apart from nothing.
        assert!(clarity(3, 0.0) > 0.9 && clarity(3, 400.0) < 0.1);
    }

    #[test]
    fn points_that_are_the_same_are_no_fault() {
        let found = Clusters::best(&vec![vec![1.0, 2.0]; 5], 2, 1);
        assert_eq!((found.silhouette(&vec![vec![1.0, 2.0]; 5], &[0.0; 5]), found.spread), (0.0, 0.0));
    }

    proptest! {
        /// Points are with the nearest centre, and each centre is the mean of its points: neither step lowers the spread.
        #[test]
        fn nothing_is_left_to_improve(points in prop::collection::vec(prop::collection::vec(-3.0..3.0_f64, 2), 4..20), n in 2_usize..4) {
            let found = Clusters::best(&points, n, 0);
            let spread: f64 = points.iter().map(|point| found.nearest(point).1).sum();
            prop_assert!((found.spread - spread).abs() < 1e-9 * (1.0 + spread));
            let mut moved = found.clone();
            moved.move_centres(&points);
            for (a, b) in found.centres.iter().zip(&moved.centres) {
                prop_assert!(squared_distance(a, b) < 1e-18);
            }
        }
    }
}
