//! Binary classification: which of two classes an item is of.
//!
//! The same engine as for comparisons. A class label is an answer about one utility instead of the difference of two,
//! `P(positive) = Phi(f / noise)` with `noise = 1`, so a latent value of 0 means even odds: unlike with comparisons the
//! level of `f` is identified, and nothing is centred.
//!
//! Source: Rasmussen and Williams, *Gaussian Processes for Machine Learning* (2006), chapter 3.

use crate::evidence::Problem;
use crate::features::{Column, Encoder, FeatureNotice};
use crate::inference::observations::Observations;
use crate::inference::prior::Space;
use crate::inference::{Method, Outcome, Settings};
use crate::learn::choice::{KernelChoice, Options, Selected, Tried, choose};
use crate::learn::{Hyperparameters, Units};
use crate::points::Points;
use crate::posterior::{Moments, Posterior};
use crate::{Error, Label};

/// Which of two classes every item is of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Labels {
    classes: [String; 2],
    positive: Vec<bool>,
}

impl Labels {
    /// Classes `false` and `true`.
    pub fn new(positive: Vec<bool>) -> Self {
        Self { classes: ["false".into(), "true".into()], positive }
    }

    /// The class of every item by its name. The positive class is the one whose name comes later in the order of text.
    ///
    /// # Errors
    /// [`Error::NoLabels`], [`Error::OneClass`] and [`Error::ThirdClass`].
    ///
    /// # Examples
    /// ```
    /// use rather::classify::Labels;
    ///
    /// let labels = Labels::from_names(&["spam", "ham", "spam"])?;
    /// assert_eq!(labels.classes(), ["ham", "spam"]);
    /// assert_eq!(labels.positive(), [true, false, true]);
    /// # Ok::<(), rather::Error>(())
    /// ```
    pub fn from_names<S: AsRef<str>>(names: &[S]) -> Result<Self, Error> {
        let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
        let &first = names.first().ok_or(Error::NoLabels)?;
        let &second = names
            .iter()
            .find(|&&name| name != first)
            .ok_or_else(|| Error::OneClass { class: first.into(), labels: names.len() })?;
        if let Some(row) = names.iter().position(|&name| name != first && name != second) {
            let class = names[row].into();
            return Err(Error::ThirdClass { row, class, first: first.into(), second: second.into() });
        }
        let [negative, positive] = if first < second { [first, second] } else { [second, first] };
        Ok(Self {
            classes: [negative.into(), positive.into()],
            positive: names.iter().map(|&name| name == positive).collect(),
        })
    }

    /// The names of the negative and of the positive class.
    pub fn classes(&self) -> [&str; 2] {
        [&self.classes[0], &self.classes[1]]
    }

    /// Whether each item is of the positive class.
    pub fn positive(&self) -> &[bool] {
        &self.positive
    }

    /// That there are two classes.
    fn check(&self) -> Result<(), Error> {
        let &first = self.positive.first().ok_or(Error::NoLabels)?;
        if self.positive.iter().all(|&p| p == first) {
            let class = self.classes[usize::from(first)].clone();
            return Err(Error::OneClass { class, labels: self.positive.len() });
        }
        Ok(())
    }
}

/// How to fit a classifier.
#[derive(Debug, Clone, PartialEq)]
pub struct ClassifierSettings {
    /// Which kernel.
    pub kernel: KernelChoice,
    /// How the posterior is approximated: [`Method::Ep`] or [`Method::Laplace`].
    pub method: Method,
    /// Over what; the cheaper space if `None`.
    pub space: Option<Space>,
    /// Hyperparameters that are not learned: names and values, in the units of the columns.
    pub fixed: Vec<(String, f64)>,
    /// Weak priors on the hyperparameters.
    pub priors: bool,
    /// Use numbers as they are, not standardised.
    pub raw_features: bool,
    /// How far inference goes.
    pub inference: Settings,
}

impl Default for ClassifierSettings {
    fn default() -> Self {
        Self {
            kernel: KernelChoice::Auto { ard: false },
            method: Method::Ep,
            space: None,
            fixed: Vec::new(),
            priors: true,
            raw_features: false,
            inference: Settings::default(),
        }
    }
}

/// A Gaussian-process classifier for two classes.
///
/// # Examples
/// ```
/// use rather::classify::{Classifier, ClassifierSettings, Labels};
/// use rather::features::{Column, ColumnValues};
///
/// let length = |values: &[f64]| [Column { name: "length".into(), values: ColumnValues::Numeric(values.to_vec()) }];
/// let labels = Labels::from_names(&["short", "short", "short", "tall", "tall", "tall"])?;
/// let settings = ClassifierSettings::default();
/// let classifier = Classifier::fit(&length(&[1.0, 1.2, 1.4, 1.8, 2.0, 2.2]), &labels, &settings)?;
///
/// let new = classifier.encode(&length(&[1.1, 1.6, 2.1]))?;
/// let tall = classifier.probabilities(&new);
/// assert!(tall[0] < 0.3 && (tall[1] - 0.5).abs() < 1e-6 && tall[2] > 0.7);
/// # Ok::<(), rather::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Classifier {
    classes: [String; 2],
    encoder: Encoder,
    notices: Vec<FeatureNotice>,
    points: Points,
    hyperparameters: Hyperparameters,
    tried: Vec<Tried>,
    posterior: Posterior,
}

impl Classifier {
    /// Learns hyperparameters by evidence and the posterior from one label an item; `columns` are the items' features.
    ///
    /// # Errors
    /// [`Error::NoLabels`] and [`Error::OneClass`]; [`Error::Length`] if a column has not one value a label;
    /// [`Error::ExactLabels`] for [`Method::Exact`]; and those of [`Encoder::encode`] and [`choose`].
    pub fn fit(columns: &[Column], labels: &Labels, settings: &ClassifierSettings) -> Result<Self, Error> {
        labels.check()?;
        if settings.method == Method::Exact {
            return Err(Error::ExactLabels);
        }
        let (encoder, notices) = Encoder::fit(columns, settings.raw_features);
        let points = encoder.encode(columns, (0..labels.positive.len() as u64).collect())?;
        let answers = labels.positive.iter().enumerate();
        let answers: Vec<Label> =
            answers.map(|(item, &positive)| Label { item, positive, count: 1 }).collect();
        let observations = Observations::labels(&answers);
        let problem = Problem {
            points: &points,
            observations: &observations,
            method: settings.method,
            space: settings.space,
            inducing: None,
        };
        let schema = encoder.schema();
        let options = Options {
            schema: &schema,
            units: Units::ItemNoise,
            fixed: &settings.fixed,
            feature_units: &encoder.units(),
            priors: settings.priors,
            inference: settings.inference,
        };
        let Selected { learned, tried, .. } = choose(&problem, &settings.kernel, &options, &|_| ())?;
        let hyperparameters = learned.hyperparameters;
        let (kernel, noise) = (hyperparameters.kernel.clone(), hyperparameters.noise());
        let evidence = problem.evaluate(&kernel, noise, Some(&learned.sites), &settings.inference)?;
        let posterior = Posterior::new(&problem, kernel, noise, evidence);
        Ok(Self {
            classes: labels.classes.clone(),
            encoder,
            notices,
            points,
            hyperparameters,
            tried,
            posterior,
        })
    }

    /// Encodes new items; columns are found by name.
    ///
    /// # Errors
    /// Those of [`Encoder::encode`].
    pub fn encode(&self, columns: &[Column]) -> Result<Points, Error> {
        let known = self.points.len() as u64;
        let new = columns.first().map_or(0, |c| c.values.len()) as u64;
        self.encoder.encode(columns, (known..known + new).collect())
    }

    /// The items learned from, encoded.
    pub fn points(&self) -> &Points {
        &self.points
    }

    /// The probability that each of `points` is of the positive class.
    pub fn probabilities(&self, points: &Points) -> Vec<f64> {
        self.posterior.label_probabilities(points)
    }

    /// Means and variances of the latent function at `points`, in units of the noise; above 0 the positive class is the
    /// likelier one.
    pub fn latent(&self, points: &Points) -> Moments {
        self.posterior.utilities(points)
    }

    /// The log evidence of the labels, in nats.
    pub fn log_evidence(&self) -> f64 {
        self.outcome().log_evidence
    }

    /// How inference went.
    pub fn outcome(&self) -> &Outcome {
        self.posterior.outcome()
    }

    /// The names of the negative and of the positive class.
    pub fn classes(&self) -> [&str; 2] {
        [&self.classes[0], &self.classes[1]]
    }

    /// The kernel and the noise.
    pub fn hyperparameters(&self) -> &Hyperparameters {
        &self.hyperparameters
    }

    /// The kernels that were tried.
    pub fn tried(&self) -> &[Tried] {
        &self.tried
    }

    /// What is worth knowing about the features.
    pub fn notices(&self) -> &[FeatureNotice] {
        &self.notices
    }

    /// The posterior over the latent function.
    pub fn posterior(&self) -> &Posterior {
        &self.posterior
    }
}
