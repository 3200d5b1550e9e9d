//! Rules of Gauss and Hermite of few points, for likelihoods that are nearly the same over the whole belief.

use std::sync::OnceLock;

use rather_numerics::special::hermite::GaussHermite;

/// A rule of `points` about a belief, and the likelihoods that it is for.
#[derive(Clone, Copy)]
struct Limits {
    points: usize,
    /// The largest slope of the log of the likelihood, in standard deviations of the belief,
    slope: f64,
    /// its largest curvature, in variances,
    curvature: f64,
    /// and how far its nearest singularity is at least, in standard deviations.
    distance: f64,
}

/// The error of $n$ points, relative to the density, is about $n!/(2n)! c^{2n}$ by the slope $c$ (at most 1e-16 here), $(q/(2+q))^n$ by the curvature
/// $q$ (at most 1e-15; the variance loses some hundred times that), and $n! r^{-2n}$ by the distance $r$ (1e-15).
const FEW: [Limits; 6] = [
    Limits { points: 5, slope: 0.07, curvature: 0.002, distance: 51.0 },
    Limits { points: 7, slope: 0.23, curvature: 0.014, distance: 22.0 },
    Limits { points: 10, slope: 0.5, curvature: 0.05, distance: 21.0 },
    Limits { points: 12, slope: 0.75, curvature: 0.09, distance: 15.5 },
    Limits { points: 14, slope: 0.95, curvature: 0.15, distance: 12.5 },
    Limits { points: 20, slope: 1.5, curvature: 0.3, distance: 9.0 },
];

/// The rule of fewest points, but `least`, for a likelihood whose log has this slope and curvature and no singularity within this distance, in standard
/// deviations and variances of the belief.
pub(super) fn rule(distance: f64, slope: f64, curvature: f64, least: usize) -> Option<&'static GaussHermite> {
    let which =
        FEW.iter().position(|limits| limits.points >= least && limits.hold(distance, slope, curvature))?;
    Some(&rules()[which])
}

/// The rule of seven points,
pub(super) fn seven() -> &'static GaussHermite {
    &rules()[SEVEN]
}

/// and whether it is for such a likelihood.
pub(super) fn seven_serve(distance: f64, slope: f64, curvature: f64) -> bool {
    FEW[SEVEN].hold(distance, slope, curvature)
}

const SEVEN: usize = 1;

impl Limits {
    fn hold(self, distance: f64, slope: f64, curvature: f64) -> bool {
        distance > self.distance && slope <= self.slope && curvature <= self.curvature
    }
}

fn rules() -> &'static [GaussHermite; FEW.len()] {
    static RULES: OnceLock<[GaussHermite; FEW.len()]> = OnceLock::new();
    RULES.get_or_init(|| FEW.map(|limits| GaussHermite::new(limits.points)))
}
