//! Test functions of global optimisation, with the domains and optima of the literature.

use std::f64::consts::PI;

/// Points a side of the grid that a function is standardised over: the middles of equal cells, about 50,000 in all. An even
/// number, so that no point is on an axis of symmetry: there the cross-in-tray has a thin trough that would count too much.
fn side(dims: usize) -> usize {
    2 * (50_000_f64.powf(1.0 / dims as f64) / 2.0).floor() as usize
}

/// A function of the literature.
#[derive(Debug)]
pub(super) struct Function {
    pub(super) name: &'static str,
    pub(super) reference: &'static str,
    /// The lowest and highest value of each coordinate.
    pub(super) domain: &'static [(f64, f64)],
    /// The value at the optimum, and whether it is the largest.
    optimum: f64,
    maximised: bool,
    /// Where the optimum is; one of several places in some.
    #[cfg(test)]
    optimiser: &'static [f64],
    formula: fn(&[f64]) -> f64,
}

impl Function {
    /// Larger is better.
    fn utility(&self, x: &[f64]) -> f64 {
        self.signed((self.formula)(x))
    }

    /// The utility at the optimum.
    pub(super) fn best(&self) -> f64 {
        self.signed(self.optimum)
    }

    fn signed(&self, value: f64) -> f64 {
        if self.maximised { value } else { 0.0 - value }
    }

    /// A setting of the unit cube as a point of the domain.
    fn scaled(&self, setting: &[f64]) -> Vec<f64> {
        setting.iter().zip(self.domain).map(|(u, (low, high))| low + u * (high - low)).collect()
    }
}

/// A function over the unit cube: larger is better, mean 0 and standard deviation 1 over a grid.
pub(super) struct Standardised {
    pub(super) function: &'static Function,
    pub(super) mean: f64,
    pub(super) sd: f64,
}

impl Standardised {
    pub(super) fn new(function: &'static Function) -> Self {
        let dims = function.domain.len();
        let side = side(dims);
        let middle = |i: usize| (i as f64 + 0.5) / side as f64;
        let cell =
            |i: usize| -> Vec<f64> { (0..dims as u32).map(|d| middle(i / side.pow(d) % side)).collect() };
        let cells = side.pow(dims as u32);
        let values: Vec<f64> = (0..cells).map(|i| function.utility(&function.scaled(&cell(i)))).collect();
        let mean = values.iter().sum::<f64>() / cells as f64;
        let sd = (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / cells as f64).sqrt();
        Self { function, mean, sd }
    }

    pub(super) fn dims(&self) -> usize {
        self.function.domain.len()
    }

    pub(super) fn at(&self, setting: &[f64]) -> f64 {
        (self.function.utility(&self.function.scaled(setting)) - self.mean) / self.sd
    }

    /// What is lost by a setting, in units of the function's standard deviation.
    pub(super) fn regret(&self, setting: &[f64]) -> f64 {
        (self.function.best() - self.mean) / self.sd - self.at(setting)
    }
}

/// All of them, in the order of the table.
pub(super) const FUNCTIONS: [Function; 12] = [
    Function {
        name: "branin",
        reference: "Dixon and Szegö (1978)",
        domain: &[(-5.0, 10.0), (0.0, 15.0)],
        optimum: 0.397_887_357_729_738,
        maximised: false,
        #[cfg(test)]
        optimiser: &[PI, 2.275],
        formula: branin,
    },
    Function {
        name: "currin",
        reference: "Currin et al. (1991)",
        domain: &[(0.0, 1.0); 2],
        optimum: 13.798_722_044_728_43,
        maximised: true,
        #[cfg(test)]
        optimiser: &[0.216_666_67, 0.0],
        formula: currin,
    },
    Function {
        name: "beale",
        reference: "Beale (1958)",
        domain: &[(-4.5, 4.5); 2],
        optimum: 0.0,
        maximised: false,
        #[cfg(test)]
        optimiser: &[3.0, 0.5],
        formula: beale,
    },
    Function {
        name: "styblinski-tang",
        reference: "Styblinski and Tang (1990)",
        domain: &[(-5.0, 5.0); 2],
        optimum: -78.332_331_407_542_8,
        maximised: false,
        #[cfg(test)]
        optimiser: &[-2.903_534; 2],
        formula: styblinski_tang,
    },
    Function {
        name: "bukin",
        reference: "Bukin's sixth; Jamil and Yang (2013), 28",
        domain: &[(-15.0, -5.0), (-3.0, 3.0)],
        optimum: 0.0,
        maximised: false,
        #[cfg(test)]
        optimiser: &[-10.0, 1.0],
        formula: bukin,
    },
    Function {
        name: "cross-in-tray",
        reference: "Mishra (2006)",
        domain: &[(-10.0, 10.0); 2],
        optimum: -2.062_611_870_822_74,
        maximised: false,
        #[cfg(test)]
        optimiser: &[1.349_406_61; 2],
        formula: cross_in_tray,
    },
    Function {
        name: "eggholder",
        reference: "Whitley et al. (1996)",
        domain: &[(-512.0, 512.0); 2],
        optimum: -959.640_662_720_851,
        maximised: false,
        #[cfg(test)]
        optimiser: &[512.0, 404.231_805_1],
        formula: eggholder,
    },
    Function {
        name: "hoelder-table",
        reference: "Mishra (2006)",
        domain: &[(-10.0, 10.0); 2],
        optimum: -19.208_502_567_767_6,
        maximised: false,
        #[cfg(test)]
        optimiser: &[8.055_023_47, 9.664_590_03],
        formula: hoelder_table,
    },
    Function {
        name: "langermann",
        reference: "Bersini et al. (1996), m = 5",
        domain: &[(0.0, 10.0); 2],
        optimum: 5.162_126_159_963_98,
        maximised: true,
        #[cfg(test)]
        optimiser: &[2.002_992_12, 1.006_095_94],
        formula: langermann,
    },
    Function {
        name: "levy",
        reference: "Levy and Montalvo (1985)",
        domain: &[(-10.0, 10.0); 2],
        optimum: 0.0,
        maximised: false,
        #[cfg(test)]
        optimiser: &[1.0, 1.0],
        formula: levy,
    },
    Function {
        name: "shubert",
        reference: "Shubert (1972); Jamil and Yang (2013), 133",
        domain: &[(-10.0, 10.0); 2],
        optimum: -186.730_908_831_024,
        maximised: false,
        #[cfg(test)]
        optimiser: &[-1.425_128_43, -0.800_321_1],
        formula: shubert,
    },
    Function {
        name: "hartmann",
        reference: "Dixon and Szegö (1978), six dimensions",
        domain: &[(0.0, 1.0); 6],
        optimum: -3.322_368_011_415_51,
        maximised: false,
        #[cfg(test)]
        optimiser: &[0.201_690, 0.150_011, 0.476_874, 0.275_332, 0.311_652, 0.657_300],
        formula: hartmann,
    },
];

fn branin(x: &[f64]) -> f64 {
    let valley = x[1] - 5.1 / (4.0 * PI * PI) * x[0] * x[0] + 5.0 / PI * x[0] - 6.0;
    valley * valley + 10.0 * (1.0 - 1.0 / (8.0 * PI)) * x[0].cos() + 10.0
}

/// At `x[1] = 0` the exponential is 0.
fn currin(x: &[f64]) -> f64 {
    let cubic = |c: [f64; 4]| c.iter().fold(0.0, |sum, c| sum * x[0] + c);
    (1.0 - (-0.5 / x[1]).exp()) * cubic([2300.0, 1900.0, 2092.0, 60.0]) / cubic([100.0, 500.0, 4.0, 20.0])
}

fn beale(x: &[f64]) -> f64 {
    let term = |constant: f64, power: i32| (constant - x[0] + x[0] * x[1].powi(power)).powi(2);
    term(1.5, 1) + term(2.25, 2) + term(2.625, 3)
}

fn styblinski_tang(x: &[f64]) -> f64 {
    x.iter().map(|x| x.powi(4) - 16.0 * x * x + 5.0 * x).sum::<f64>() / 2.0
}

fn bukin(x: &[f64]) -> f64 {
    100.0 * (x[1] - 0.01 * x[0] * x[0]).abs().sqrt() + 0.01 * (x[0] + 10.0).abs()
}

fn cross_in_tray(x: &[f64]) -> f64 {
    let far = (100.0 - x[0].hypot(x[1]) / PI).abs().exp();
    -1e-4 * ((x[0].sin() * x[1].sin() * far).abs() + 1.0).powf(0.1)
}

fn eggholder(x: &[f64]) -> f64 {
    let y = x[1] + 47.0;
    -y * (y + x[0] / 2.0).abs().sqrt().sin() - x[0] * (x[0] - y).abs().sqrt().sin()
}

fn hoelder_table(x: &[f64]) -> f64 {
    let far = (1.0 - x[0].hypot(x[1]) / PI).abs().exp();
    -(x[0].sin() * x[1].cos() * far).abs()
}

/// With the sign of Surjanovic and Bingham's library, under which the published optimum is the largest value.
fn langermann(x: &[f64]) -> f64 {
    const CENTERS: [([f64; 2], f64); 5] =
        [([3.0, 5.0], 1.0), ([5.0, 2.0], 2.0), ([2.0, 1.0], 5.0), ([1.0, 4.0], 2.0), ([7.0, 9.0], 3.0)];
    let term = |(center, weight): ([f64; 2], f64)| {
        let squared = (x[0] - center[0]).powi(2) + (x[1] - center[1]).powi(2);
        weight * (-squared / PI).exp() * (PI * squared).cos()
    };
    CENTERS.into_iter().map(term).sum()
}

fn levy(x: &[f64]) -> f64 {
    let w = [1.0 + (x[0] - 1.0) / 4.0, 1.0 + (x[1] - 1.0) / 4.0];
    let first = (PI * w[0]).sin().powi(2);
    let middle = (w[0] - 1.0).powi(2) * (1.0 + 10.0 * (PI * w[0] + 1.0).sin().powi(2));
    let last = (w[1] - 1.0).powi(2) * (1.0 + (2.0 * PI * w[1]).sin().powi(2));
    first + middle + last
}

fn shubert(x: &[f64]) -> f64 {
    let sum = |x: f64| (1..=5).map(f64::from).map(|i| i * ((i + 1.0) * x + i).cos()).sum::<f64>();
    sum(x[0]) * sum(x[1])
}

fn hartmann(x: &[f64]) -> f64 {
    const WEIGHTS: [f64; 4] = [1.0, 1.2, 3.0, 3.2];
    const A: [[f64; 6]; 4] = [
        [10.0, 3.0, 17.0, 3.5, 1.7, 8.0],
        [0.05, 10.0, 17.0, 0.1, 8.0, 14.0],
        [3.0, 3.5, 1.7, 10.0, 17.0, 8.0],
        [17.0, 8.0, 0.05, 10.0, 0.1, 14.0],
    ];
    const P: [[f64; 6]; 4] = [
        [0.1312, 0.1696, 0.5569, 0.0124, 0.8283, 0.5886],
        [0.2329, 0.4135, 0.8307, 0.3736, 0.1004, 0.9991],
        [0.2348, 0.1451, 0.3522, 0.2883, 0.3047, 0.6650],
        [0.4047, 0.8828, 0.8732, 0.5743, 0.1091, 0.0381],
    ];
    let bump = |i: usize| {
        let distance: f64 = (0..6).map(|d| A[i][d] * (x[d] - P[i][d]).powi(2)).sum();
        WEIGHTS[i] * (-distance).exp()
    };
    -(0..4).map(bump).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rather::search::Domain;

    /// The published optimisers have six digits or more; where the optimum is 0 the function is 0 there to rounding.
    #[test]
    fn the_optimiser_has_the_published_optimum() {
        for f in &FUNCTIONS {
            let found = (f.formula)(f.optimiser);
            let tolerance = 1e-3 * f.optimum.abs() + 1e-9;
            assert!((found - f.optimum).abs() < tolerance, "{}: {found} is not {}", f.name, f.optimum);
            let inside = f.optimiser.iter().zip(f.domain).all(|(x, (low, high))| (low..=high).contains(&x));
            assert!(inside && f.optimiser.len() == f.domain.len(), "{}", f.name);
        }
    }

    #[test]
    fn nothing_in_the_domain_is_better_than_the_optimum() {
        for f in &FUNCTIONS {
            let function = Standardised::new(f);
            let settings = Domain::unit_box(function.dims()).fill(20_000, 7);
            let least = settings.iter().map(|s| function.regret(s)).fold(f64::INFINITY, f64::min);
            assert!(least > -1e-9, "{}: regret {least}", f.name);
        }
    }

    /// Against scattered points instead of the grid; the tolerance is that of 20,000 points where tails are heavy.
    #[test]
    fn a_standardised_function_has_mean_0_and_standard_deviation_1() {
        for f in &FUNCTIONS {
            let function = Standardised::new(f);
            let settings = Domain::unit_box(function.dims()).fill(20_000, 3);
            let values: Vec<f64> = settings.iter().map(|s| function.at(s)).collect();
            let n = values.len() as f64;
            let mean = values.iter().sum::<f64>() / n;
            let sd = (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n).sqrt();
            assert!(mean.abs() < 0.03 && (sd - 1.0).abs() < 0.03, "{}: {mean}, {sd}", f.name);
        }
    }
}
