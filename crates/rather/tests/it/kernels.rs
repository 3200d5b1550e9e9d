//! Every kernel against the properties of a covariance function. A new atom adds one line to `kernels!`.

use proptest::prelude::*;
use rather::Error;
use rather::kernel::{Kernel, Parameter, Role, Schema, parse};
use rather::linalg::Matrix;
use rather::points::Points;

/// Central differences of fourth order with a step of 1e-4 in log parameters: rounding costs 1e-11 of the magnitude, truncation
/// at most 1e-7 (the period's, whose derivatives grow by the number of turns).
const GRADIENT: f64 = 1e-6;
/// Rounding in a sum of products of the size of the entries.
const DEFINITE: f64 = 1e-10;

/// Three columns of numbers and two of categories.
fn schema() -> Schema {
    Schema {
        names: ["price", "size", "my, \"odd\" weight", "brand", "colour"].map(String::from).to_vec(),
        categorical: vec![false, false, false, true, true],
    }
}

fn items() -> impl Strategy<Value = Points> {
    let number = || prop_oneof![3 => -3.0..3.0, 1 => Just(0.5)];
    let row = (number(), number(), number(), 0u8..3, 0u8..2)
        .prop_map(|(a, b, c, d, e)| [a, b, c, f64::from(d), f64::from(e)]);
    prop::collection::vec(row, 2..9).prop_map(|mut rows| {
        rows.push(rows[0]); // two identical items
        Points::from_rows(&rows)
    })
}

fn set_logs(kernel: &mut Kernel, logs: &[f64]) {
    let values: Vec<f64> = logs.iter().map(|log| log.exp()).collect();
    kernel.set_parameters(&values).unwrap();
}

/// Items, and log parameters for `kernel`.
fn cases(kernel: &Kernel) -> impl Strategy<Value = (Points, Vec<f64>)> + use<> {
    (items(), prop::collection::vec(-1.2..1.2, kernel.parameters().len()))
}

fn check_kernel(text: &str, ard: bool) {
    let kernel = parse(text, &schema(), ard).unwrap();
    let config = ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() };
    let mut runner = proptest::test_runner::TestRunner::new_with_rng(
        config,
        proptest::test_runner::TestRng::deterministic_rng(proptest::test_runner::RngAlgorithm::ChaCha),
    );
    let outcome = runner.run(&cases(&kernel), |(points, logs)| {
        let mut kernel = kernel.clone();
        set_logs(&mut kernel, &logs);
        check_matrix(&kernel, &points)?;
        check_gradient(&kernel, &points, &logs)?;
        check_input_gradient(&kernel, &points)
    });
    outcome.unwrap_or_else(|error| panic!("{text}, ard {ard}: {error}"));
    check_extremes(&kernel);
    check_names(&kernel);
    assert_eq!(kernel.check(5), Ok(()));
    let json = serde_json::to_string(&kernel).unwrap();
    assert_eq!(serde_json::from_str::<Kernel>(&json).unwrap(), kernel, "{json}");
    assert_eq!(parse(&kernel.describe(&schema()), &schema(), ard).unwrap(), kernel, "{text}");
}

fn check_matrix(kernel: &Kernel, points: &Points) -> Result<(), TestCaseError> {
    let n = points.len();
    let matrix = kernel.matrix(points);
    prop_assert_eq!(&matrix, &kernel.cross(points, points));
    let diagonal = kernel.diagonal(points);
    for j in 0..n {
        prop_assert_eq!(matrix[(j, j)], diagonal[j]);
        for i in 0..n {
            prop_assert_eq!(matrix[(i, j)], matrix[(j, i)]);
        }
    }
    let largest = diagonal.iter().copied().fold(0.0, f64::max);
    let pivot = smallest_pivot(matrix, DEFINITE * largest.max(1e-300));
    prop_assert!(pivot > 0.0, "the smallest pivot is {pivot:e}, the largest variance {largest:e}");
    Ok(())
}

/// The smallest pivot of the LDL' factorisation of `a + jitter I`: positive if and only if `a + jitter I` is definite.
fn smallest_pivot(mut a: Matrix, jitter: f64) -> f64 {
    let n = a.rows();
    let mut smallest = f64::INFINITY;
    for k in 0..n {
        let pivot = a[(k, k)] + jitter;
        smallest = smallest.min(pivot);
        for i in k + 1..n {
            let factor = a[(i, k)] / pivot;
            for j in k + 1..n {
                a[(i, j)] -= factor * a[(k, j)];
            }
        }
    }
    smallest
}

fn contraction(kernel: &Kernel, points: &Points, weights: &Matrix) -> f64 {
    kernel.matrix(points).data().iter().zip(weights.data()).map(|(k, w)| k * w).sum()
}

fn check_gradient(kernel: &Kernel, points: &Points, logs: &[f64]) -> Result<(), TestCaseError> {
    const STEP: f64 = 1e-4;
    let n = points.len();
    let weights = Matrix::from_fn(n, n, |i, j| ((i + 1) as f64 * (j + 1) as f64 * 0.7).sin());
    let gradient = kernel.gradient(points, &weights);
    prop_assert_eq!(gradient.len(), logs.len());
    let magnitude: f64 = kernel.matrix(points).data().iter().map(|k| k.abs()).sum();
    for (k, analytic) in gradient.iter().enumerate() {
        let at = |shift: f64| {
            let mut moved = logs.to_vec();
            moved[k] += shift;
            let mut kernel = kernel.clone();
            set_logs(&mut kernel, &moved);
            contraction(&kernel, points, &weights)
        };
        let numeric = (8.0 * (at(STEP) - at(-STEP)) - (at(2.0 * STEP) - at(-2.0 * STEP))) / (12.0 * STEP);
        let difference = (analytic - numeric).abs();
        prop_assert!(
            difference <= GRADIENT * magnitude,
            "parameter {k}: {analytic} but by differences {numeric}"
        );
    }
    Ok(())
}

/// The gradient by one item's features, wherever the kernel is smooth: `matern12` has a kink where two features agree.
fn check_input_gradient(kernel: &Kernel, points: &Points) -> Result<(), TestCaseError> {
    const STEP: f64 = 1e-4;
    let kinks = kernel.describe(&schema()).contains("matern12");
    let x = points.select(&[0]);
    let gradient = kernel.gradient_in_inputs(&x, points);
    prop_assert_eq!((gradient.rows(), gradient.cols()), (5, points.len()));
    let magnitude = kernel.diagonal(points).iter().copied().fold(1.0, f64::max);
    for j in 0..points.len() {
        let apart = |c: usize| (x.row(0)[c] - points.row(j)[c]).abs() > 1e-2;
        for c in 0..5 {
            if c >= 3 {
                prop_assert_eq!(gradient[(c, j)], 0.0, "categories have no slope");
            } else if !kinks || (0..3).all(apart) {
                let at = |shift: f64| {
                    let mut row = x.row(0).to_vec();
                    row[c] += shift;
                    kernel.cross(&Points::new(vec![x.id(0)], 5, row), &points.select(&[j]))[(0, 0)]
                };
                let numeric =
                    (8.0 * (at(STEP) - at(-STEP)) - (at(2.0 * STEP) - at(-2.0 * STEP))) / (12.0 * STEP);
                let analytic = gradient[(c, j)];
                prop_assert!(
                    (analytic - numeric).abs() <= GRADIENT * magnitude,
                    "column {c} to item {j}: {analytic} but by differences {numeric}"
                );
            }
        }
    }
    let same = kernel.gradient_in_inputs(&x, &x);
    prop_assert!(!kinks || same.data().iter().all(|g| g.is_finite()));
    Ok(())
}

/// Parameters and features of extreme sizes give finite numbers.
fn check_extremes(kernel: &Kernel) {
    let ordinary = Points::from_rows(&[
        [0.1, 1.0, -2.0, 0.0, 1.0],
        [0.1, 1.0, -2.0, 0.0, 1.0],
        [1.0, 0.0, 3.0, 2.0, 0.0],
    ]);
    let huge = Points::from_rows(&[[1e150, 1.0, 0.0, 0.0, 1.0], [-1e150, 1e-300, 0.0, 1.0, 1.0]]);
    for points in [&ordinary, &huge] {
        for value in [1e-6, 1.0, 1e6] {
            let mut kernel = kernel.clone();
            kernel.set_parameters(&vec![value; kernel.parameters().len()]).unwrap();
            let grows = kernel.describe(&schema()).contains("linear");
            if grows && std::ptr::eq(points, &raw const huge) {
                continue; // a product of numbers of size 1e150 is not finite
            }
            let weights = Matrix::from_fn(points.len(), points.len(), |_, _| 1.0);
            let slopes = kernel.gradient_in_inputs(&points.select(&[0]), points);
            let numbers = [
                kernel.matrix(points).data().to_vec(),
                kernel.gradient(points, &weights),
                slopes.data().to_vec(),
            ]
            .concat();
            assert!(numbers.iter().all(|x| x.is_finite()), "{kernel:?} at {value}: {numbers:?}");
        }
    }
}

/// Names are distinct, one for each parameter.
fn check_names(kernel: &Kernel) {
    let mut names = kernel.parameter_names(&schema());
    assert_eq!(names.len(), kernel.parameters().len());
    names.sort();
    let count = names.len();
    names.dedup();
    assert_eq!(names.len(), count, "{names:?}");
}

macro_rules! kernels {
    ($($name:ident: $text:expr;)*) => {$(
        #[test]
        fn $name() {
            check_kernel($text, false);
            check_kernel($text, true);
        }
    )*};
}

kernels! {
    squared_exponential: "se[price, size]";
    matern12: "matern12[price, size]";
    matern32: "matern32[price, size]";
    matern52: "matern52[size, price]";
    rational_quadratic: "rq[price, size]";
    periodic: "periodic[price, size]";
    linear: "linear";
    constant: "constant";
    white: "independent";
    categorical: "categorical";
    one_category: "categorical[colour]";
    mixed: "matern32";
    odd_name: r#"se["my, ""odd"" weight"]"#;
    sum: "se[price] + linear[size] + white";
    product: "se[price] * matern32[size] * categorical";
    sum_of_products: "se * linear + matern12[price] * matern12[size] + rq";
    product_of_sums: "(se[price] + linear) * (constant + rq[size] + white) * periodic[price]";
    nested: "se * (linear + matern52[price] * (constant + (categorical + periodic[size]) * se)) + white";
}

#[test]
fn values_by_hand() {
    let schema = Schema { names: vec!["x".into()], categorical: vec![false] };
    let points = Points::from_rows(&[[0.0], [2.0]]);
    let value = |text: &str, parameters: &[f64]| {
        let mut kernel = parse(text, &schema, false).unwrap();
        kernel.set_parameters(parameters).unwrap();
        kernel.matrix(&points)[(1, 0)]
    };
    let (s3, s5) = (3f64.sqrt(), 5f64.sqrt());
    // r = 1 with lengthscale 2, variance 3.
    let cases = [
        (value("se", &[3.0, 2.0]), 3.0 * (-0.5f64).exp()),
        (value("matern12", &[3.0, 2.0]), 3.0 * (-1f64).exp()),
        (value("matern32", &[3.0, 2.0]), 3.0 * (1.0 + s3) * (-s3).exp()),
        (value("matern52", &[3.0, 2.0]), 3.0 * (1.0 + s5 + 5.0 / 3.0) * (-s5).exp()),
        (value("rq", &[3.0, 2.0, 0.5]), 3.0 / 2f64.sqrt()),
        (value("periodic", &[3.0, 2.0, 8.0]), 3.0 * (-2.0 * 0.5f64 / 4.0).exp()),
        (value("linear + constant", &[3.0, 5.0]), 5.0),
        (value("white", &[3.0]), 0.0),
    ];
    for (found, expected) in cases {
        assert!((found - expected).abs() <= 1e-15 * 3.0, "{found} and {expected}");
    }
}

#[test]
fn categories_by_hand() {
    let schema = Schema { names: vec!["a".into(), "b".into()], categorical: vec![true, true] };
    let points = Points::from_rows(&[[0.0, 0.0], [2.0, 0.0], [1.0, 1.0]]);
    let mut kernel = parse("se", &schema, true).unwrap();
    assert_eq!(kernel.describe(&schema), "categorical");
    assert_eq!(kernel.parameter_names(&schema), ["variance", "lengthscale[a]", "lengthscale[b]"]);
    kernel.set_parameters(&[1.0, 2.0, 4.0]).unwrap();
    let matrix = kernel.matrix(&points);
    assert_eq!((matrix[(1, 0)], matrix[(2, 0)]), ((-0.5f64).exp(), (-0.75f64).exp()));
}

#[test]
fn identical_items_differ_only_in_white() {
    let points = Points::new(vec![7, 8, 7], 5, [[1.0, 2.0, 3.0, 0.0, 1.0]; 3].concat());
    let kernel = parse("se + white", &schema(), false).unwrap();
    let matrix = kernel.matrix(&points);
    assert_eq!((matrix[(0, 0)], matrix[(1, 0)], matrix[(2, 0)]), (2.0, 1.0, 2.0));
}

#[test]
fn many_items_give_the_same_as_few() {
    let rows: Vec<_> = (0..300).map(|i| [f64::from(i).sin(), f64::from(i).cos(), 0.0, 0.0, 0.0]).collect();
    let all = Points::from_rows(&rows);
    let some = all.select(&(0..100).collect::<Vec<_>>());
    let kernel = parse("se[price, size] * (linear + matern32[price])", &schema(), true).unwrap();
    let (large, small) = (kernel.matrix(&all), kernel.matrix(&some));
    for j in 0..100 {
        assert_eq!(&large.col(j)[..100], small.col(j));
    }
    assert_eq!(large, kernel.cross(&all, &all));
    // Weights that see the first hundred items only: in parallel and in sequence, the same bits.
    let within = |n: usize| {
        Matrix::from_fn(n, n, |i, j| if i < 100 && j < 100 { ((i * j) as f64).cos() } else { 0.0 })
    };
    let (wide, narrow) = (kernel.gradient(&all, &within(300)), kernel.gradient(&some, &within(100)));
    assert!(wide.iter().zip(&narrow).all(|(a, b)| (a - b).abs() <= 1e-12 * a.abs()), "{wide:?} {narrow:?}");
    assert_eq!(wide, kernel.gradient(&all, &within(300)));
}

#[test]
fn no_items() {
    let (none, kernel) = (Points::new(Vec::new(), 5, Vec::new()), parse("se", &schema(), true).unwrap());
    assert_eq!(kernel.matrix(&none), Matrix::zeros(0, 0));
    assert_eq!(kernel.diagonal(&none), Vec::<f64>::new());
    assert_eq!(kernel.gradient(&none, &Matrix::zeros(0, 0)), vec![0.0; kernel.parameters().len()]);
    let one = Points::from_rows(&[[0.0; 5]]);
    assert_eq!(kernel.cross(&none, &one).cols(), 1);
    assert_eq!(kernel.cross(&one, &none).rows(), 1);
}

#[test]
fn parameters_say_what_they_are() {
    let kernel = parse("rq[price, size] + periodic[size]", &schema(), true).unwrap();
    let parameter = |name: &str, value, role, dim| Parameter { name: name.into(), value, role, dim };
    let root = 2f64.sqrt();
    let expected = vec![
        parameter("variance", 1.0, Role::Variance, None),
        parameter("lengthscale", root, Role::Lengthscale, Some(0)),
        parameter("lengthscale", root, Role::Lengthscale, Some(1)),
        parameter("alpha", 1.0, Role::Shape, None),
        parameter("variance", 1.0, Role::Variance, None),
        parameter("lengthscale", 1.0, Role::Lengthscale, Some(1)),
        parameter("period", 1.0, Role::Period, Some(1)),
    ];
    assert_eq!(kernel.parameters(), expected);
    let names = [
        "rq.variance",
        "rq.lengthscale[price]",
        "rq.lengthscale[size]",
        "alpha",
        "periodic.variance",
        "periodic.lengthscale",
        "period",
    ];
    assert_eq!(kernel.parameter_names(&schema()), names);
}

#[test]
fn bad_parameters_change_nothing() {
    let mut kernel = parse("se[price]", &schema(), false).unwrap();
    let before = kernel.clone();
    assert!(matches!(kernel.set_parameters(&[1.0]), Err(Error::Length { expected: 2, found: 1, .. })));
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(kernel.set_parameters(&[2.0, bad]), Err(Error::Parameter { .. })));
    }
    assert_eq!(kernel, before);
}

#[test]
fn names_stay_distinct_in_kernels_made_by_hand() {
    let twice = parse("matern32[price] + matern32[size]", &schema(), false).unwrap().scaled(2.0).scaled(3.0);
    let names = twice.parameter_names(&schema());
    assert_eq!(names[..3], ["matern32.variance", "matern32.variance#2", "matern32.variance#3"]);
    assert_eq!(names[5], "matern32_2.lengthscale");
    check_names(&twice);
}

#[test]
fn kernels_from_a_file_are_checked() {
    let kernel = |json: &str| serde_json::from_str::<Kernel>(json).unwrap();
    let bad = [
        (r#"{"matern32": {"dims": [5], "lengthscales": [1.0]}}"#, "a feature that the items do not have"),
        (r#"{"matern32": {"dims": [], "lengthscales": [1.0]}}"#, "acts on no feature"),
        (r#"{"linear": {"dims": [0, 1, 2], "lengthscales": [1.0, 1.0]}}"#, "one for each"),
        (r#"{"sum": []}"#, "no terms"),
        (r#"{"scaled": {"variance": 0.0, "kernel": "white"}}"#, "variance = 0 is not allowed"),
    ];
    for (json, part) in bad {
        let message = kernel(json).check(5).unwrap_err().to_string();
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn expressions_mean_what_they_say() {
    let numbers = Schema { names: vec!["a".into(), "b".into()], categorical: vec![false, false] };
    let describe = |text: &str, schema: &Schema| parse(text, schema, false).unwrap().describe(schema);
    assert_eq!(describe(" SE*( linear+white ) ", &numbers), "se * (linear + white)");
    assert_eq!(describe("((se)) + (rq + white)", &numbers), "se + rq + white");
    assert_eq!(describe("se[b]", &numbers), "se[b]");
    assert_eq!(describe("se[a, b]", &numbers), "se");
    assert_eq!(describe("se + linear", &schema()), "se * categorical + linear");
    assert_eq!(describe("se + categorical", &schema()), "se + categorical");
    let alone = "se[price, size, \"my, \"\"odd\"\" weight\"]";
    assert_eq!(describe(alone, &schema()), alone);
    let names = parse("se * (linear + rq)", &numbers, false).unwrap().parameter_names(&numbers);
    assert_eq!(names, ["se.variance", "se.lengthscale", "rq.variance", "rq.lengthscale", "alpha"]);
}

#[test]
fn wrong_expressions_say_why() {
    let none = Schema::default();
    let categories = Schema { names: vec!["a".into()], categorical: vec![true] };
    let numbers = Schema { names: vec!["a".into()], categorical: vec![false] };
    let here = "in the kernel expression, ";
    let cases: &[(&str, &Schema, &str)] = &[
        ("", &numbers, "the name of a kernel or \"(\" is expected at character 1, not the end"),
        ("se + ", &numbers, "the name of a kernel or \"(\" is expected at character 6, not the end"),
        ("se se", &numbers, "\"+\", \"*\" or the end is expected at character 4, not \"s\""),
        ("é(", &numbers, "there is no kernel called \"é\"; the kernels are se, matern12,"),
        ("(se", &numbers, "\"+\", \"*\" or \")\" is expected at character 4, not the end"),
        ("se)", &numbers, "\"+\", \"*\" or the end is expected at character 3, not \")\""),
        ("se[a", &numbers, "\",\" or \"]\" is expected at character 5, not the end"),
        ("se[]", &numbers, "the name of a feature is expected at character 4, not \"]\""),
        ("se[\"a]", &numbers, "a closing quote is expected at character 7, not the end"),
        (
            "se[a, a]",
            &numbers,
            "a feature that is not in the brackets yet is expected at character 7, not \"a\"",
        ),
        ("white[a]", &numbers, "is expected at character 6, not \"[\""),
        ("se[b]", &numbers, "there is no feature called \"b\"; the features are a"),
        ("se[a]", &categories, "the kernel se acts on numbers, but the feature \"a\" has categories"),
        (
            "categorical[a]",
            &numbers,
            "the kernel categorical acts on categories, but the feature \"a\" has numbers",
        ),
        ("linear", &categories, "the kernel linear needs numeric features, and the items have none"),
        (
            "categorical",
            &numbers,
            "the kernel categorical needs categorical features, and the items have none",
        ),
        ("constant + se", &none, "the kernel se needs features, and the items have none; `white` needs none"),
    ];
    for (text, schema, expected) in cases {
        let message = parse(text, schema, false).unwrap_err().to_string();
        assert!(
            message.trim_start_matches(here).starts_with(expected) || message.ends_with(expected),
            "{message}"
        );
    }
}

#[test]
fn deep_nesting_is_an_error() {
    let numbers = Schema { names: vec!["a".into()], categorical: vec![false] };
    let nested = |depth: usize| format!("{}se{}", "(".repeat(depth), ")".repeat(depth));
    assert!(parse(&nested(32), &numbers, false).is_ok());
    let error = Error::KernelDepth { position: 33, limit: 32 };
    assert_eq!(parse(&nested(33), &numbers, false), Err(error.clone()));
    assert_eq!(parse(&"(".repeat(1_000_000), &numbers, false), Err(error));
}

/// Expressions over [`schema`].
fn expressions() -> impl Strategy<Value = String> {
    let atoms = ["se", "matern12[size]", "rq[price, size]", "periodic", "linear", "constant", "white"];
    let more = ["categorical", "categorical[brand]", "matern52[\"my, \"\"odd\"\" weight\"]", "linear[size]"];
    let leaf = prop::sample::select([atoms.as_slice(), more.as_slice()].concat()).prop_map(String::from);
    leaf.prop_recursive(4, 16, 4, |inner| {
        let parts = prop::collection::vec(inner, 1..4);
        prop_oneof![
            parts.clone().prop_map(|parts| format!("({})", parts.join(" + "))),
            parts.prop_map(|parts| parts.join("*")),
        ]
    })
}

proptest! {
    #[test]
    fn description_is_read_back(text in expressions(), ard: bool) {
        let kernel = parse(&text, &schema(), ard).unwrap();
        let description = kernel.describe(&schema());
        prop_assert_eq!(&parse(&description, &schema(), ard).unwrap(), &kernel, "{}", description);
        check_names(&kernel);
    }

    #[test]
    fn any_text_is_read_or_refused(text in "[a-z0-9_+*()\\[\\]\", ]{0,40}") {
        if let Ok(kernel) = parse(&text, &schema(), false) {
            prop_assert_eq!(kernel.check(5), Ok(()));
        }
    }
}
