//! The kernel that is chosen if none is named: never worse than names alone, nor than features alone.

use crate::common::{close, schema};
use rather::evidence::Problem;
use rather::features::{Column, ColumnValues};
use rather::inference::observations::Observations;
use rather::inference::{Method, Settings};
use rather::kernel::parse;
use rather::learn::choice::{KernelChoice, KernelSpec, Options};
use rather::learn::uncertainty::log_volume;
use rather::learn::{Hyperparameter, Hyperparameters, LogNormal, Units, maximise};
use rather::model::{FitSettings, Items, Model, Notice};
use rather::points::Points;
use rather::{Comparison, Error};
use rather_numerics::lbfgs;
use rather_numerics::random::{normals, stream, uniform};
use rather_numerics::special::normal;

fn numeric(name: &str, values: Vec<f64>) -> Column {
    Column { name: name.into(), values: ColumnValues::Numeric(values) }
}

fn text(name: &str, values: Vec<&str>) -> Column {
    Column { name: name.into(), values: ColumnValues::Text(values.into_iter().map(String::from).collect()) }
}

fn items(n: usize, columns: Vec<Column>) -> Items {
    Items { keys: (0..n).map(|i| format!("i{i}")).collect(), columns }
}

fn times(winner: usize, loser: usize, count: u32) -> Comparison {
    Comparison { winner, loser, count: count.into() }
}

fn given(expression: &str, ard: bool) -> FitSettings {
    let kernel = KernelChoice::Given(KernelSpec { expression: expression.into(), ard });
    FitSettings { kernel, ..FitSettings::default() }
}

/// A and B have the same features, and C and D: 20 of 24 is 0.83, shrunk a little towards one half.
#[test]
fn items_of_equal_features_are_not_equal() -> Result<(), Error> {
    let table = items(4, vec![text("group", vec!["x", "x", "y", "y"])]);
    let said = [times(0, 1, 20), times(1, 0, 4), times(2, 3, 20), times(3, 2, 4)];
    let model = Model::fit(&table, &said, &FitSettings::default(), &|_| ())?;
    let p = model.probabilities(model.points(), &[(0, 1), (2, 3)]);
    // By less than four more answers, two to each side, would.
    assert!(p.iter().all(|&p| p > 22.0 / 28.0 && p < 20.0 / 24.0 + 1e-3), "{p:?}");
    assert!(model.explained().unwrap() < 0.5, "{:?}", model.explained());

    // Forced by hand, it is said.
    let forced = Model::fit(&table, &said, &given("categorical", false), &|_| ())?;
    assert!(forced.report().notices.contains(&Notice::ForcedEqual { items: 4 }), "{:?}", forced.report());
    let own = Model::fit(&table, &said, &given("categorical + white", false), &|_| ())?;
    let warned = |n: &Notice| matches!(n, Notice::ForcedEqual { .. });
    assert!(!own.report().notices.iter().any(warned) && !model.report().notices.iter().any(warned));
    Ok(())
}

/// A kernel of one feature says which others it leaves out; one of all, and one of none, have nothing to say.
#[test]
fn features_that_a_kernel_leaves_out_are_named() -> Result<(), Error> {
    let table =
        items(4, vec![numeric("price", vec![1.0, 2.0, 3.0, 5.0]), text("kind", vec!["x", "y", "x", "z"])]);
    let said = [times(0, 1, 3), times(1, 2, 2), times(3, 0, 4)];
    let left_out = |expression: &str| {
        let model = Model::fit(&table, &said, &given(expression, false), &|_| ())?;
        let named = |n: &Notice| match n {
            Notice::UnusedFeatures { names } => Some(names.join(", ")),
            _ => None,
        };
        Ok::<_, Error>(model.report().notices.iter().find_map(named))
    };
    assert_eq!(left_out("se[price] + linear")?.as_deref(), Some("kind"));
    assert_eq!(left_out("se")?, None);
    assert_eq!(left_out("white")?, None);
    Ok(())
}

/// Of categories alone, every smooth kernel is the same function: it is fitted, and shown, once.
#[test]
fn kernels_that_are_the_same_model_are_tried_once() -> Result<(), Error> {
    let table = items(
        6,
        vec![text("a", vec!["x", "y", "z", "x", "y", "z"]), text("b", vec!["u", "u", "u", "v", "v", "v"])],
    );
    let said: Vec<Comparison> =
        (0..6).flat_map(|i| (0..i).map(move |j| times(i, j, 1 + (i + j) as u32 % 3))).collect();
    let model = Model::fit(&table, &said, &FitSettings::default(), &|_| ())?;
    let kernels: Vec<(String, bool)> =
        model.report().tried.iter().map(|t| (t.kernel.expression.clone(), t.kernel.ard)).collect();
    let plain: Vec<&str> = kernels.iter().filter(|k| !k.1).map(|k| k.0.as_str()).collect();
    assert_eq!(plain, ["white", "categorical + white", "categorical"]);
    assert!(kernels.iter().filter(|k| k.1).count() <= 1);
    Ok(())
}

/// A world of utilities with a part by features and a part by name, and duels with standard normal noise of each item.
struct World {
    table: Items,
    utility: Vec<f64>,
    said: Vec<Comparison>,
}

fn world(n: usize, duels: usize, (by_feature, by_name): (f64, f64), seed: u64) -> World {
    let x = normals(2 * n, &mut stream(seed, 0));
    let own = normals(n, &mut stream(seed, 1));
    let table = items(n, vec![numeric("a", x[..n].to_vec()), numeric("b", x[n..].to_vec())]);
    let utility: Vec<f64> = (0..n).map(|i| by_feature * (x[i] + 0.5 * x[n + i]) + by_name * own[i]).collect();
    let (rng, noise) = (&mut stream(seed, 2), normals(duels, &mut stream(seed, 3)));
    let said = noise.iter().map(|e| {
        let i = (uniform(rng) * n as f64) as usize % n;
        let j = (i + 1 + (uniform(rng) * (n - 1) as f64) as usize % (n - 1)) % n;
        let first = utility[i] - utility[j] + std::f64::consts::SQRT_2 * e > 0.0;
        if first { times(i, j, 1) } else { times(j, i, 1) }
    });
    let said = said.collect();
    World { table, utility, said }
}

/// The mean of minus the log of the probability of the truth, over all pairs: what a new answer costs.
fn log_loss(model: &Model, utility: &[f64]) -> f64 {
    let n = utility.len();
    let pairs: Vec<(usize, usize)> = (0..n).flat_map(|i| (0..i).map(move |j| (i, j))).collect();
    let p = model.probabilities(model.points(), &pairs);
    let one = |(&(i, j), p): (&(usize, usize), &f64)| {
        let truth =
            rather_numerics::special::normal::cdf((utility[i] - utility[j]) / std::f64::consts::SQRT_2);
        -truth * p.ln() - (1.0 - truth) * (1.0 - p).ln()
    };
    pairs.iter().zip(&p).map(one).sum::<f64>() / pairs.len() as f64
}

/// Whatever carries the utilities, the default is about as good as the kernel that knows it. 0.005 nats is what 300 duels may cost an
/// unneeded term.
#[test]
fn the_default_is_as_good_as_names_and_as_features() -> Result<(), Error> {
    for (by, seed) in [((0.0, 1.0), 1), ((1.0, 0.0), 2), ((0.8, 0.8), 3)] {
        let World { table, utility, said } = world(30, 300, by, seed);
        let loss = |settings: &FitSettings| {
            Ok::<_, Error>(log_loss(&Model::fit(&table, &said, settings, &|_| ())?, &utility))
        };
        let default = loss(&FitSettings::default())?;
        for expression in ["white", "linear", "se", "se + white", "linear + white"] {
            let other = loss(&given(expression, false))?;
            assert!(default < other + 0.005, "{by:?}: {default} against {other} of {expression}");
        }
    }
    Ok(())
}

/// The share that features explain is about the truth: a part of variance 1.25 * 0.64 by features, and 0.64 by name.
#[test]
fn what_features_explain() -> Result<(), Error> {
    let World { table, said, .. } = world(60, 3000, (0.8, 0.8), 5);
    let explained = Model::fit(&table, &said, &FitSettings::default(), &|_| ())?.explained().unwrap();
    // Of 60 items, both variances are known to about a quarter.
    assert!((explained - 1.25 / 2.25).abs() < 0.15, "{explained}");
    let names = Items { columns: vec![], ..table };
    assert_eq!(Model::fit(&names, &said, &FitSettings::default(), &|_| ())?.explained(), None);
    Ok(())
}

fn options(schema: &rather::kernel::Schema) -> Options<'_> {
    Options {
        schema,
        units: Units::default(),
        fixed: &[],
        feature_units: &[],
        priors: true,
        inference: Settings { tolerance: 1e-9, ..Settings::default() },
    }
}

/// Lengthscales of one atom share a prior; its gradient is that of its value.
#[test]
fn the_shared_prior_of_lengthscales_has_the_gradient_of_its_value() {
    let schema = schema(3);
    let points = Points::new((0..7).collect(), 3, normals(21, &mut stream(4, 0)));
    let kernel = parse("se + linear + white", &schema, true).unwrap();
    let mut at = Hyperparameters::new(kernel, &points, &options(&schema)).unwrap();
    let away = normals(at.entries.len(), &mut stream(4, 1));
    let values: Vec<f64> = at.entries.iter().zip(&away).map(|(e, z)| e.value * (0.7 * z).exp()).collect();
    at.set(&values).unwrap();
    let (_, gradient) = at.log_prior();
    for (k, &i) in at.free().iter().enumerate() {
        let moved = |step: f64| {
            let mut there = at.clone();
            let mut values = values.clone();
            values[i] *= step.exp();
            there.set(&values).unwrap();
            there.log_prior().0
        };
        // A quadratic form: central differences are exact but for rounding.
        let difference = (moved(1e-3) - moved(-1e-3)) / 2e-3;
        close(gradient[k], difference, 1e-8, &at.entries[i].name);
    }
}

/// However many terms a kernel has, the largest of their variances is beyond the median of a single one as often as not.
#[test]
fn more_terms_expect_no_larger_utilities() {
    let schema = schema(1);
    let points = Points::new((0..7).collect(), 1, normals(7, &mut stream(5, 0)));
    let variances = |expression: &str| -> Vec<LogNormal> {
        let kernel = parse(expression, &schema, false).unwrap();
        let at = Hyperparameters::new(kernel, &points, &options(&schema)).unwrap();
        let of = |e: &&Hyperparameter| e.name.ends_with("variance");
        at.entries.iter().filter(of).filter_map(|e| e.prior).collect()
    };
    let alone = variances("white")[0];
    for (expression, terms) in [("se", 1), ("se + white", 2), ("se + matern12 + white", 3)] {
        let all = variances(expression);
        assert_eq!(all.len(), terms);
        let below: f64 =
            all.iter().map(|prior| normal::cdf((alone.median / prior.median).ln() / prior.sd)).product();
        close(below, 0.5, 1e-9, expression);
    }
}

/// The price of the one hyperparameter of names: Laplace's approximation of the integral over it, against the integral itself.
#[test]
fn the_price_of_a_hyperparameter_is_what_integrating_it_costs() -> Result<(), Error> {
    let schema = schema(0);
    let World { said, .. } = world(20, 300, (0.0, 2.0), 6);
    let observations = Observations::new(&said);
    let points = Points::new((0..observations.items.len() as u64).collect(), 0, vec![]);
    let problem = Problem {
        points: &points,
        observations: &observations,
        method: Method::Ep,
        space: None,
        inducing: None,
    };
    let options = options(&schema);
    let start = Hyperparameters::new(parse("white", &schema, false)?, &points, &options)?;
    let best = maximise(&problem, &start, &options.inference, lbfgs::Stop::default(), None, &|| true)?;
    let price = log_volume(&problem, &best.hyperparameters, &best.sites, &options.inference)?;

    let prior = best.hyperparameters.entries[0].prior.unwrap();
    let (steps, width) = (400, 0.05);
    let mut integral = 0.0;
    for k in 0..steps {
        let z = width * (f64::from(k) - f64::from(steps) / 2.0) / prior.sd;
        let mut there = best.hyperparameters.clone();
        there.set(&[prior.median * (z * prior.sd).exp(), there.noise()])?;
        let Ok(found) = problem.evaluate(&there.kernel, there.noise(), None, &options.inference) else {
            continue;
        };
        let log_density = -0.5 * z * z - 0.5 * std::f64::consts::TAU.ln() - prior.sd.ln();
        integral += width * (found.outcome.log_evidence - best.log_evidence + log_density).exp();
    }
    let exact = best.log_evidence + integral.ln();
    // Laplace's approximation of a bump that is a little skewed: the answers leave no mass where names make no difference.
    assert!((best.objective - price - exact).abs() < 0.1, "{} against {exact}", best.objective - price);
    assert!(price > 0.5);
    Ok(())
}

/// Forty features, of which few comparisons tell nothing: their lengthscales do not cost a nat each.
#[test]
fn lengthscales_that_answers_say_nothing_about_are_free() -> Result<(), Error> {
    let (n, dims) = (8, 40);
    let schema = schema(dims);
    let points = Points::new((0..n as u64).collect(), dims, normals(n * dims, &mut stream(7, 0)));
    let said: Vec<Comparison> = (1..n).map(|i| times(i, i - 1, 1)).collect();
    let observations = Observations::new(&said);
    let problem = Problem {
        points: &points,
        observations: &observations,
        method: Method::Ep,
        space: None,
        inducing: None,
    };
    let options = options(&schema);
    let price = |ard| {
        let start = Hyperparameters::new(parse("se", &schema, ard)?, &points, &options)?;
        let best = maximise(&problem, &start, &options.inference, lbfgs::Stop::default(), None, &|| true)?;
        log_volume(&problem, &best.hyperparameters, &best.sites, &options.inference)
    };
    let (shared, each) = (price(false)?, price(true)?);
    assert!(each < shared + 1.0, "{each} for forty, {shared} for one");
    Ok(())
}
