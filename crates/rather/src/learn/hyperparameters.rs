//! Hyperparameters: a kernel's parameters and the noise, which of them are learned, within what bounds, and the
//! weak priors that keep them from wandering off.

use serde::{Deserialize, Serialize};

use super::choice::Options;
use crate::Error;
use crate::kernel::{Kernel, Parameter, Role};
use crate::likelihood::{Responses, Values};
use crate::parameter::REACH;
pub use crate::parameter::{Hyperparameter, LogNormal, Scale};
use crate::points::Points;
use rather_numerics::special::normal;

/// A kernel and a noise, with what learning may do to them.
#[derive(Debug, Clone, PartialEq)]
pub struct Hyperparameters {
    /// The kernel; its parameters are the first entries.
    pub kernel: Kernel,
    /// The parameters of the kernel in its order, then the noise, then the other parameters of the likelihoods.
    pub entries: Vec<Hyperparameter>,
}

/// Which scale utilities are measured in: only the ratio of variance to noise shows in the answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Units {
    /// The noise of an item has standard deviation 1, so a difference has `s = sqrt(2)` (Wang and McKenna).
    #[default]
    ItemNoise,
    /// The noise of a difference has standard deviation `s = 1` (Houlsby et al.).
    #[serde(rename = "duel-noise")]
    ComparisonNoise,
}

impl Units {
    /// The noise per item that defines the scale.
    pub fn noise(self) -> f64 {
        match self {
            Self::ItemNoise => 1.0,
            Self::ComparisonNoise => std::f64::consts::FRAC_1_SQRT_2,
        }
    }
}

/// The ratio of variance to squared noise at which learning starts.
const START: f64 = 10.0;
/// The median of that ratio's prior: utilities vary as much as the noise of an item, so that the better of two random items is chosen in
/// $\tfrac12+\tfrac1\pi\arctan 1=75$ % of answers. On sixteen tables of real answers (`experiments tables`) the learned ratio is from 0.02 (a crowd of
/// farmers) to 110 (comparisons of a known number), with a median of about 1 and a standard deviation of the logarithm between 2 and 2.5.
const RATIO: f64 = 1.0;
/// The median of a lengthscale's prior, in spreads of its feature times the root of the number of features: utilities are mostly smooth, and nearly
/// linear where nothing else is known.
///
/// Hvarfner, Hellsten and Nardi, *Vanilla Bayesian optimization performs great in high dimensions* (2024), ICML, have a longer one yet.
const SMOOTH: f64 = 3.0;
/// Two standard deviations of this are a factor of about 20 for a lengthscale and about 400 for a variance.
const LENGTHSCALE_SD: f64 = 1.5;
const VARIANCE_SD: f64 = 3.0;
const SHAPE_SD: f64 = 1.0;
/// The correlation, before any answer, of the logarithms of lengthscales that one atom has for several features: each is within a factor of
/// `exp(2 * 1.5 * sqrt(1 - 0.5)) = 8` of the common one.
const ALIKE: f64 = 0.5;
/// The largest ratio of variance to squared noise; beyond it perfectly consistent answers look all the same.
const LARGEST_RATIO: f64 = 1e6;
/// The share of its variance that the term `white` keeps where a smooth term is to take it over.
const OF_OWN: f64 = 0.1;

impl Hyperparameters {
    /// The hyperparameters of `kernel` for the items `points`, at their starting values: lengthscales at three times the
    /// spread of their features (times the square root of the number of features they serve), the variance at
    /// ten times the squared noise. `options.fixed` lists `name = value` pairs by full name, by the name without
    /// the feature or without the atom (`lengthscale` is all lengthscales).
    ///
    /// Without a fixed variance the noise is fixed by `options.units`; with one it is learned.
    ///
    /// # Errors
    /// [`Error::UnknownParameter`], and [`Error::Parameter`] for a value that is not positive and finite.
    pub fn new(kernel: Kernel, points: &Points, options: &Options<'_>) -> Result<Self, Error> {
        Self::for_answers(kernel, points, &Responses::default(), options)
    }

    /// As [`Hyperparameters::new`], with the parameters that the likelihoods of answers have besides the noise.
    ///
    /// # Errors
    /// As [`Hyperparameters::new`].
    pub fn for_answers(
        kernel: Kernel,
        points: &Points,
        responses: &Responses,
        options: &Options<'_>,
    ) -> Result<Self, Error> {
        let Options { units, fixed, feature_units, priors: with_priors, .. } = *options;
        let spread = spreads(points);
        let roles = kernel.parameters();
        let mut entries: Vec<Hyperparameter> = kernel
            .parameter_names(options.schema)
            .into_iter()
            .zip(&roles)
            .map(|(name, parameter)| {
                let (median, sd) = match parameter.role {
                    Role::Variance => (START * units.noise().powi(2), VARIANCE_SD),
                    // The parser starts a lengthscale at the root of the number of features that it serves.
                    Role::Lengthscale | Role::Period => {
                        let typical = parameter.dim.map_or_else(|| mean(&spread), |d| spread[d]);
                        let smooth = if parameter.role == Role::Lengthscale { SMOOTH } else { 1.0 };
                        let typical = if typical > 0.0 { typical } else { 1.0 };
                        (smooth * parameter.value * typical, LENGTHSCALE_SD)
                    }
                    Role::Shape => (parameter.value, SHAPE_SD),
                };
                Hyperparameter::positive(&name, median, sd)
            })
            .collect();
        entries.push(Hyperparameter::positive("noise", units.noise(), VARIANCE_SD / 2.0));
        entries.extend(responses.parameters(units.noise()));
        let mut out = Self { kernel, entries };
        let units_of = |i: usize| {
            let dim = roles.get(i).and_then(|p: &Parameter| p.dim);
            dim.and_then(|d| feature_units.get(d)).copied().unwrap_or(1.0)
        };
        out.fix(fixed, units_of)?;
        out.settle_scale(&roles, &out.kernel.typical_variances(&spread));
        if !with_priors {
            out.entries.iter_mut().for_each(|e| e.prior = None);
        }
        let values: Vec<f64> = out.entries.iter().map(|e| e.value).collect();
        out.set(&values)?;
        Ok(out)
    }

    fn fix(&mut self, fixed: &[(String, f64)], units_of: impl Fn(usize) -> f64) -> Result<(), Error> {
        for (name, value) in fixed {
            let mut found = false;
            for (i, e) in self.entries.iter_mut().enumerate().filter(|(_, e)| is_called(&e.name, name)) {
                let requirement = match e.scale {
                    _ if !value.is_finite() => "a fixed value must be finite",
                    Scale::Log if *value <= 0.0 => "a fixed value must be positive and finite",
                    Scale::Logit if !(*value > 0.0 && *value < 1.0) => {
                        "a fixed share must be between 0 and 1"
                    }
                    _ => "",
                };
                if !requirement.is_empty() {
                    return Err(Error::Parameter { name: name.clone(), value: *value, requirement });
                }
                (e.value, e.fixed, found) = (*value / units_of(i), true, true);
            }
            if !found {
                let known: Vec<&str> = self.entries.iter().map(|e| e.name.as_str()).collect();
                return Err(Error::UnknownParameter { name: name.clone(), known: known.join(", ") });
            }
        }
        Ok(())
    }

    /// Only the ratio of variance to noise is identified: one of them must give the scale, and the other's
    /// prior and bounds are relative to it. `typical` is the variance of utilities that a variance of 1 stands for.
    ///
    /// # Formula
    /// Of $K$ terms with variances of their own, the largest variance has the median that a single one has: each has the median
    /// $\exp\!\left(-s\,\Phi^{-1}(2^{-1/K})\right)$ times that for the standard deviation $s$ of the logarithms. Otherwise the more terms were tried, the larger
    /// utilities would be expected to be (Fuglstad, Hem, Knight, Rue and Riebler 2020, "Intuitive joint priors for variance parameters",
    /// Bayesian Analysis 15(4), place the prior on the total variance for the same reason).
    fn settle_scale(&mut self, roles: &[Parameter], typical: &[f64]) {
        let variances = || (0..roles.len()).filter(|&i| roles[i].role == Role::Variance);
        let noise = roles.len();
        let given: Vec<f64> = variances()
            .filter(|&i| self.entries[i].fixed)
            .map(|i| self.entries[i].value * typical[i])
            .collect();
        if !given.is_empty() && !self.entries[noise].fixed {
            let scale = given.iter().sum::<f64>().sqrt();
            let e = &mut self.entries[noise];
            e.value = scale / START.sqrt();
            e.prior = Some(LogNormal { median: scale / RATIO.sqrt(), sd: VARIANCE_SD / 2.0 });
            e.bounds = (scale / LARGEST_RATIO.sqrt(), scale * 100.0);
        } else {
            self.entries[noise].fixed = true;
        }
        let squared = self.entries[noise].value.powi(2);
        let terms = variances().count() as f64;
        let median = RATIO * (-VARIANCE_SD * normal::quantile(0.5_f64.powf(terms.recip()))).exp();
        for i in variances() {
            let unit = squared / typical[i];
            let e = &mut self.entries[i];
            e.bounds = (unit / REACH, unit * LARGEST_RATIO);
            e.prior = Some(LogNormal { median: median * unit, sd: VARIANCE_SD });
            if !e.fixed {
                e.value = START * unit;
            }
        }
    }

    /// The noise per item.
    pub fn noise(&self) -> f64 {
        self.entries.get(self.noise_index()).map_or(1.0, |e| e.value)
    }

    /// The place of the noise among the entries.
    pub fn noise_index(&self) -> usize {
        self.kernel.parameters().len()
    }

    /// The values of the likelihoods' parameters: the noise, then the others.
    pub fn values(&self) -> Values {
        Values(self.entries[self.noise_index()..].iter().map(|e| e.value).collect())
    }

    /// The ratio of the kernel's variances, added up, to the squared noise.
    pub fn ratio(&self) -> f64 {
        let roles = self.kernel.parameters();
        let variances = roles.iter().filter(|p| p.role == Role::Variance).map(|p| p.value);
        variances.sum::<f64>() / self.noise().powi(2)
    }

    /// Sets all values.
    ///
    /// # Errors
    /// As [`Kernel::set_parameters`].
    pub fn set(&mut self, values: &[f64]) -> Result<(), Error> {
        let kernel = &values[..values.len().min(self.noise_index())];
        self.kernel.set_parameters(kernel)?;
        self.entries.iter_mut().zip(values).for_each(|(e, &v)| e.value = v);
        Ok(())
    }

    /// The largest difference between the coordinates of the same hyperparameters here and there.
    pub(super) fn distance(&self, other: &Self) -> f64 {
        let difference = |(a, b): (&Hyperparameter, &Hyperparameter)| (a.coordinate() - b.coordinate()).abs();
        self.entries.iter().zip(&other.entries).map(difference).fold(0.0, f64::max)
    }

    /// The gradient of the log evidence as [`Problem::gradient`](crate::evidence::Problem::gradient) has it, in the coordinates of
    /// the learned entries.
    pub fn in_coordinates(&self, gradient: &[f64]) -> Vec<f64> {
        let noise = self.noise_index();
        let one = |i: usize| {
            let e = &self.entries[i];
            // Of the kernel and the noise it is in the logarithm already.
            if i > noise { gradient[i] * e.scale.slope(e.value) } else { gradient[i] }
        };
        self.free().into_iter().map(one).collect()
    }

    /// The positions of the learned entries.
    pub fn free(&self) -> Vec<usize> {
        (0..self.entries.len()).filter(|&i| !self.entries[i].fixed).collect()
    }

    /// The positions of the entries that `name` means: `se.lengthscale[price]` is also called `se.lengthscale`,
    /// `lengthscale[price]` and `lengthscale`, whatever the case of the letters.
    pub fn named(&self, name: &str) -> Vec<usize> {
        (0..self.entries.len()).filter(|&i| is_called(&self.entries[i].name, name)).collect()
    }

    /// Takes over the values of `other`, a kernel of the same form in which features may share a lengthscale.
    ///
    /// # Errors
    /// As [`Hyperparameters::set`].
    pub fn start_from(&mut self, other: &Self) -> Result<(), Error> {
        let head = |name: &str| name.split('[').next().unwrap_or(name).to_string();
        let called = |is: &dyn Fn(&str) -> bool| other.entries.iter().find(|o| is(&o.name));
        let same = |name: &str| called(&|o| o == name).or_else(|| called(&|o| head(o) == head(name)));
        let values: Vec<f64> = self
            .entries
            .iter()
            .map(|e| match same(&e.name) {
                Some(o) if !e.fixed => o.value.clamp(e.bounds.0, e.bounds.1),
                _ => e.value,
            })
            .collect();
        self.set(&values)
    }

    /// Starts the one of this name at a value, within its bounds, unless it is fixed.
    ///
    /// # Errors
    /// As [`Hyperparameters::set`].
    pub(crate) fn start_at(&mut self, name: &str, value: f64) -> Result<(), Error> {
        let at = |e: &Hyperparameter| {
            if e.name == name && !e.fixed { value.clamp(e.bounds.0, e.bounds.1) } else { e.value }
        };
        let values: Vec<f64> = self.entries.iter().map(at).collect();
        self.set(&values)
    }

    /// The positions of the kernel's variances.
    pub(crate) fn variances(&self) -> Vec<usize> {
        let roles = self.kernel.parameters();
        (0..roles.len()).filter(|&i| roles[i].role == Role::Variance).collect()
    }

    /// Multiplies the kernel's variances.
    ///
    /// # Errors
    /// As [`Hyperparameters::set`].
    pub(crate) fn multiply_variance(&mut self, multiple: f64) -> Result<(), Error> {
        let mut values: Vec<f64> = self.entries.iter().map(|e| e.value).collect();
        self.variances().into_iter().for_each(|i| values[i] *= multiple);
        self.set(&values)
    }

    /// The positions of the learned lengthscales.
    pub fn free_lengthscales(&self) -> Vec<usize> {
        let roles = self.kernel.parameters();
        self.free()
            .into_iter()
            .filter(|&i| roles.get(i).is_some_and(|p| p.role == Role::Lengthscale))
            .collect()
    }

    /// These hyperparameters with every learned lengthscale `factor` times as long, within its bounds.
    ///
    /// # Errors
    /// As [`Hyperparameters::set`].
    pub fn with_lengthscales_times(&self, factor: f64) -> Result<Self, Error> {
        let mut values: Vec<f64> = self.entries.iter().map(|e| e.value).collect();
        for i in self.free_lengthscales() {
            let (low, high) = self.entries[i].bounds;
            values[i] = (values[i] * factor).clamp(low, high);
        }
        let mut out = self.clone();
        out.set(&values)?;
        Ok(out)
    }

    /// These hyperparameters with most of the variance of the term `white` in the first term with a learned lengthscale, if both variances are learned.
    ///
    /// # Errors
    /// As [`Hyperparameters::set`].
    pub(super) fn with_little_of_own(&self) -> Result<Self, Error> {
        let mut out = self.clone();
        let parameters = self.kernel.parameters();
        let is_learned = |&i: &usize| parameters[i].role == Role::Variance && !self.entries[i].fixed;
        let smooth = self.free_lengthscales().first().and_then(|&first| (0..first).rev().find(is_learned));
        let own = self.kernel.without_white().map(|(_, place)| place).filter(is_learned);
        if let (Some(smooth), Some(own)) = (smooth, own)
            && smooth != own
        {
            let mut values: Vec<f64> = self.entries.iter().map(|e| e.value).collect();
            let moved = (1.0 - OF_OWN) * values[own];
            for (i, by) in [(own, -moved), (smooth, moved)] {
                let (low, high) = self.entries[i].bounds;
                values[i] = (values[i] + by).clamp(low, high);
            }
            out.set(&values)?;
        }
        Ok(out)
    }

    /// The log density of the priors of the learned entries, up to a constant, and its gradient in their coordinates.
    ///
    /// # Formula
    /// $-\tfrac12 z'R^{-1}z$ for the standardised coordinates $z$. $R$ is the identity, but the lengthscales that one atom has for several
    /// features have correlations $\rho$: their common part is as weakly known as a single lengthscale, and each shrinks towards it,
    /// $R^{-1}=\left(I-\frac{\rho}{1-\rho+K\rho}11'\right)/(1-\rho)$ for $K$ of them.
    pub fn log_prior(&self) -> (f64, Vec<f64>) {
        let free = self.free();
        let standardised: Vec<f64> = free.iter().map(|&i| self.entries[i].standardised()).collect();
        let mut weighted = standardised.clone();
        for siblings in self.siblings(&free) {
            let k = siblings.len() as f64;
            let sum: f64 = siblings.iter().map(|&s| standardised[s]).sum();
            let common = ALIKE / (1.0 - ALIKE + k * ALIKE) * sum;
            siblings.iter().for_each(|&s| weighted[s] = (standardised[s] - common) / (1.0 - ALIKE));
        }
        let value = -0.5 * standardised.iter().zip(&weighted).map(|(z, w)| z * w).sum::<f64>();
        let slope = |(w, &i): (&f64, &usize)| self.entries[i].prior.map_or(0.0, |prior| -w / prior.sd);
        (value, weighted.iter().zip(&free).map(slope).collect())
    }

    /// The log determinant of the precision of the learned entries' prior in their coordinates; `None` if one of them has no prior.
    pub(super) fn log_det_prior(&self) -> Option<f64> {
        let free = self.free();
        let sds: Option<Vec<f64>> =
            free.iter().map(|&i| self.entries[i].prior.map(|prior| prior.sd)).collect();
        let alone: f64 = sds?.iter().map(|sd| -2.0 * sd.ln()).sum();
        let shared = |siblings: &Vec<usize>| {
            let k = siblings.len() as f64;
            (k - 1.0) * (1.0 - ALIKE).ln() + (1.0 - ALIKE + k * ALIKE).ln()
        };
        Some(alone - self.siblings(&free).iter().map(shared).sum::<f64>())
    }

    /// The places in `free` of lengthscales of the same atom for different features, which have priors.
    fn siblings(&self, free: &[usize]) -> Vec<Vec<usize>> {
        let atom = |i: usize| {
            let e = &self.entries[i];
            let lengthscale = i < self.noise_index() && e.prior.is_some();
            e.name.split_once('[').filter(|_| lengthscale).map(|(atom, _)| atom)
        };
        let mut groups: Vec<(&str, Vec<usize>)> = Vec::new();
        for (place, &i) in free.iter().enumerate() {
            let Some(atom) = atom(i) else { continue };
            match groups.iter_mut().find(|(name, _)| *name == atom) {
                Some((_, places)) => places.push(place),
                None => groups.push((atom, vec![place])),
            }
        }
        groups.into_iter().map(|(_, places)| places).filter(|places| places.len() > 1).collect()
    }
}

/// Whether a parameter with the full name `full` is meant by `short`: `se.lengthscale[price]` is also called
/// `se.lengthscale`, `lengthscale[price]` and `lengthscale`.
fn is_called(full: &str, short: &str) -> bool {
    let (head, feature) = full.find('[').map_or((full, ""), |at| full.split_at(at));
    let base = head.rsplit('.').next().unwrap_or(head);
    [full.to_string(), head.to_string(), format!("{base}{feature}"), base.to_string()]
        .iter()
        .any(|n| n.eq_ignore_ascii_case(short))
}

/// The standard deviation of each column.
fn spreads(points: &Points) -> Vec<f64> {
    let n = points.len().max(1) as f64;
    (0..points.dims())
        .map(|d| {
            let column = || (0..points.len()).map(|i| points.row(i)[d]);
            let center = column().sum::<f64>() / n;
            (column().map(|x| (x - center).powi(2)).sum::<f64>() / n).sqrt()
        })
        .collect()
}

fn mean(x: &[f64]) -> f64 {
    x.iter().sum::<f64>() / x.len().max(1) as f64
}
