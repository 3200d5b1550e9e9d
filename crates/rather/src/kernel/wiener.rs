//! Brownian motion and its integral, which start where an item first occurs.

use super::atom::{Covariance, Pairs};
use super::process::Process;
use super::{Active, AtomKind, Domain, Latent, Parameter};

/// `wiener`: $k(t,t')=\min(t,t')-t_0$, and `iwiener`, its integral: $k=a^3/3+a^2(b-a)/2$ for $a=\min(t,t')-t_0$, $b=\max(t,t')-t_0$. Both are 0
/// before $t_0$, the first time of the item in the comparisons; of two items, the later one: what they share are the increments since then.
///
/// Skill that wanders without returning; its variance grows by `variance` a unit of time.
///
/// # References
/// Rasmussen and Williams (2006), appendix B.2.1 (Wiener); 6.3.1, equation 6.28 (integrated).
#[derive(Debug, Clone)]
struct Wiener {
    /// The column of times, and that of the item's first time.
    active: Active,
    integrated: bool,
}

impl Wiener {
    fn value(&self, t: f64, other: f64, start: f64) -> f64 {
        let a = (t.min(other) - start).max(0.0);
        let b = (t.max(other) - start).max(0.0);
        if self.integrated { a * a * (a / 3.0 + 0.5 * (b - a)) } else { a }
    }
}

impl Covariance for Wiener {
    fn name(&self) -> &'static str {
        if self.integrated { "iwiener" } else { "wiener" }
    }

    fn boxed(&self) -> Box<dyn Covariance> {
        Box::new(self.clone())
    }

    fn active(&self) -> Option<&Active> {
        Some(&self.active)
    }

    fn parameters(&self) -> Vec<Parameter> {
        Vec::new()
    }

    fn parameters_mut(&mut self) -> Vec<&mut f64> {
        Vec::new()
    }

    fn latent(&self) -> Option<Latent> {
        let process = if self.integrated { Process::IntegratedWiener } else { Process::Wiener };
        let [column, start] = self.active.dims[..] else { return None };
        Some(Latent::Process { process, column, start: Some(start) })
    }

    fn values(&self, pairs: &Pairs<'_>, out: &mut [f64]) {
        let (times, other) = pairs.feature(self.active.dims[0]);
        let (starts, other_start) = pairs.feature(self.active.dims[1]);
        for ((value, &t), &start) in out.iter_mut().zip(times).zip(starts) {
            *value = self.value(t, other, start.max(other_start));
        }
    }

    fn contract(&self, pairs: &Pairs<'_>, weights: &[f64], _gradient: &mut [f64]) -> f64 {
        let mut values = vec![0.0; weights.len()];
        self.values(pairs, &mut values);
        weights.iter().zip(values).map(|(w, v)| w * v).sum()
    }
}

pub(super) static WIENER: AtomKind = AtomKind {
    name: "wiener",
    aliases: &["brownian"],
    key: "wiener",
    domain: Domain::Time,
    meaning: "a random walk in time, from where an item first occurs",
    make: |active| {
        Box::new(Wiener { active: Active { lengthscales: Vec::new(), ..active }, integrated: false })
    },
};

pub(super) static INTEGRATED_WIENER: AtomKind = AtomKind {
    name: "iwiener",
    aliases: &["integrated_wiener"],
    key: "integrated_wiener",
    domain: Domain::Time,
    meaning: "a random walk of the slope in time, from where an item first occurs",
    make: |active| {
        Box::new(Wiener { active: Active { lengthscales: Vec::new(), ..active }, integrated: true })
    },
};
