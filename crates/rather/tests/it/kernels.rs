//! Every kernel against the properties of a covariance function: every atom of the table, and sums and products of them.

use proptest::prelude::*;
use rather::Error;
use rather::kernel::{ATOMS, Domain, Kernel, Parameter, Role, Schema, check_covariance, parse};
use rather::points::Points;
use rather_numerics::linalg::Matrix;

/// Three columns of numbers and two of categories.
fn schema() -> Schema {
    Schema {
        names: ["price", "size", "my, \"odd\" weight", "brand", "colour"].map(String::from).to_vec(),
        categorical: vec![false, false, false, true, true],
        context: 0,
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
        check_covariance(&kernel, &points, &schema()).map_err(TestCaseError::fail)
    });
    outcome.unwrap_or_else(|error| panic!("{text}, ard {ard}: {error}"));
    check_names(&kernel);
    assert_eq!(kernel.check(5), Ok(()));
    let json = serde_json::to_string(&kernel).unwrap();
    assert_eq!(serde_json::from_str::<Kernel>(&json).unwrap(), kernel, "{json}");
    assert_eq!(parse(&kernel.describe(&schema()), &schema(), ard).unwrap(), kernel, "{text}");
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
    multiscale: "multiscale[price, size]";
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

/// Every atom of the table is tested, alone and with a lengthscale each, and every name gives it.
#[test]
fn every_atom_of_the_table() {
    for kind in ATOMS {
        if kind.domain == Domain::Time {
            kind.names().for_each(check_process);
            continue;
        }
        for name in kind.names() {
            check_kernel(name, false);
            check_kernel(name, true);
            let kernel = parse(name, &schema(), false).unwrap();
            let said = kernel.describe(&schema());
            assert!(said.starts_with(kind.name), "{name}: {said}");
        }
        assert!(!kind.meaning.is_empty());
    }
}

/// A process from the first time of each item, over a column of comparisons.
fn check_process(name: &str) {
    let names = ["price", "day", ""].map(String::from).to_vec();
    let schema = Schema { names, categorical: vec![false; 3], context: 2 };
    let kernel = parse(&format!("{name}[day]"), &schema, false).unwrap();
    let rows = [[0.1, 1.0, 0.5], [0.2, 2.0, 0.5], [0.4, 1.5, 1.5], [0.3, 3.0, 1.5], [0.1, 1.0, 0.5]];
    check_covariance(&kernel, &Points::from_rows(&rows), &schema).unwrap();
    assert_eq!(kernel.columns(), [1, 2]);
    assert_eq!(parse(&kernel.describe(&schema), &schema, false).unwrap(), kernel);
    let json = serde_json::to_string(&kernel).unwrap();
    assert_eq!(serde_json::from_str::<Kernel>(&json).unwrap(), kernel, "{json}");
    for wrong in ["price", "day, price"] {
        let error = parse(&format!("{name}[{wrong}]"), &schema, false).unwrap_err().to_string();
        assert!(
            error.ends_with("acts on one column of numbers or dates of the comparisons, as in wiener[date]")
        );
    }
}

#[test]
fn columns_of_comparisons_are_named_or_left_alone() {
    let names = ["price", "home", "day", "", "court"].map(String::from).to_vec();
    let schema = Schema { names, categorical: vec![false, false, false, false, true], context: 4 };
    for (text, columns, again) in [
        ("se", vec![0], "se"),
        ("white[item] + linear[home]", vec![1], "white + linear[home]"),
        ("white[item] * white[court]", vec![4], "white * white[court]"),
        ("matern12[day]", vec![2], "matern12[day]"),
    ] {
        let kernel = parse(text, &schema, false).unwrap();
        assert_eq!(kernel.columns(), columns, "{text}");
        assert_eq!(kernel.describe(&schema), again);
    }
    let unknown = parse("linear[tokens]", &schema, false).unwrap_err().to_string();
    assert_eq!(unknown, "there is no feature called \"tokens\"; the features are price, home, day, court");
}

/// What files hold does not change: names of variants, columns, lengthscales, then the other parameters.
#[test]
fn kernels_in_files_stay_as_they_are() {
    let columns = r#""dims":[0,1],"lengthscales""#;
    let expected = [
        ("se[price, size]", format!(r#"{{"squared_exponential":{{{columns}:[1.5]}}}}"#)),
        ("matern12[price, size]", format!(r#"{{"matern12":{{{columns}:[1.5]}}}}"#)),
        ("matern32[price, size]", format!(r#"{{"matern32":{{{columns}:[1.5]}}}}"#)),
        ("matern52[price, size]", format!(r#"{{"matern52":{{{columns}:[1.5]}}}}"#)),
        ("rq[price, size]", format!(r#"{{"rational_quadratic":{{{columns}:[1.5],"alpha":2.5}}}}"#)),
        ("multiscale[price, size]", format!(r#"{{"multiscale":{{{columns}:[1.5]}}}}"#)),
        ("periodic[price, size]", format!(r#"{{"periodic":{{{columns}:[1.5],"period":2.5}}}}"#)),
        ("linear[price, size]", format!(r#"{{"linear":{{{columns}:[]}}}}"#)),
        ("constant", r#""constant""#.into()),
        ("white", r#""white""#.into()),
        ("categorical[brand]", r#"{"categorical":{"dims":[3],"lengthscales":[1.5]}}"#.into()),
    ];
    for (text, inside) in expected {
        let mut kernel = parse(text, &schema(), false).unwrap();
        let values: Vec<f64> = (0..kernel.parameters().len()).map(|k| 0.5 + k as f64).collect();
        kernel.set_parameters(&values).unwrap();
        let json = format!(r#"{{"scaled":{{"variance":0.5,"kernel":{inside}}}}}"#);
        assert_eq!(serde_json::to_string(&kernel).unwrap(), json);
        assert_eq!(serde_json::from_str::<Kernel>(&json).unwrap(), kernel);
    }
    let tree = parse("se[price] * white + linear[size]", &schema(), false).unwrap();
    let json = r#"{"sum":[{"scaled":{"variance":1.0,"kernel":{"product":[{"squared_exponential":{"dims":[0],"lengthscales":[1.0]}},"white"]}}},{"scaled":{"variance":1.0,"kernel":{"linear":{"dims":[1],"lengthscales":[]}}}}]}"#;
    assert_eq!(serde_json::to_string(&tree).unwrap(), json);
    let wrong = |json: &str| serde_json::from_str::<Kernel>(json).unwrap_err().to_string();
    assert!(wrong(r#""wendland""#).contains("no kernel is called wendland"));
    assert!(wrong(r#"{"rational_quadratic":{"dims":[0],"lengthscales":[1.0]}}"#).contains("has no alpha"));
}

/// A kernel of a user's own: known to expressions and files once it is registered, under a name that nothing else has.
#[test]
fn own_kernels_join_the_language() {
    use rather::kernel::{AtomKind, Domain, Profile, Stationary, register};

    /// $1/(1+r^2)$, the rational quadratic with a shape of 1 and another lengthscale.
    #[derive(Debug, Clone)]
    struct Cauchy;

    impl Profile for Cauchy {
        const NAME: &'static str = "cauchy";

        fn evaluate(&self, r2: f64) -> (f64, f64) {
            let value = 1.0 / (1.0 + r2);
            (value, -value * value)
        }
    }

    static CAUCHY: AtomKind = AtomKind {
        name: "cauchy",
        aliases: &["lorentz"],
        key: "cauchy",
        domain: Domain::Differences,
        meaning: "smooth functions with long correlations",
        make: |active| Box::new(Stationary::new(active, Cauchy)),
    };
    static TAKEN: AtomKind = AtomKind { name: "other", aliases: &["white"], ..CAUCHY };

    assert!(matches!(parse("cauchy", &schema(), false), Err(Error::UnknownKernel { .. })));
    register(&CAUCHY).unwrap();
    register(&CAUCHY).unwrap();
    assert_eq!(register(&TAKEN).unwrap_err(), Error::KernelName { name: "white" });
    check_kernel("cauchy[price, size]", false);
    check_kernel("lorentz[price] * matern32[size] + white", true);
    // Another way to the same numbers.
    let points = Points::from_rows(&[[0.3, 1.0, 0.0, 0.0, 0.0], [1.1, -0.4, 0.0, 0.0, 0.0]]);
    let mut own = parse("cauchy[price, size]", &schema(), false).unwrap();
    own.set_parameters(&[2.0, 1.3]).unwrap();
    let mut known = parse("rq[price, size]", &schema(), false).unwrap();
    known.set_parameters(&[2.0, 1.3 / 2f64.sqrt(), 1.0]).unwrap();
    let difference = own.matrix(&points)[(1, 0)] - known.matrix(&points)[(1, 0)];
    assert!(difference.abs() < 1e-15, "{difference}");
}

#[test]
fn values_by_hand() {
    let schema = Schema { names: vec!["x".into()], categorical: vec![false], context: 0 };
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
        (value("multiscale", &[3.0, 2.0]), 3.0 * (0.97 * (-0.5f64).exp() + 0.03 * (-50f64).exp())),
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
    let schema = Schema { names: vec!["a".into(), "b".into()], categorical: vec![true, true], context: 0 };
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
    let numbers = Schema { names: vec!["a".into(), "b".into()], categorical: vec![false, false], context: 0 };
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
    let categories = Schema { names: vec!["a".into()], categorical: vec![true], context: 0 };
    let numbers = Schema { names: vec!["a".into()], categorical: vec![false], context: 0 };
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
        ("constant[a]", &numbers, "is expected at character 9, not \"[\""),
        ("white[a]", &numbers, "the kernel white acts on categories, but the feature \"a\" has numbers"),
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
    let numbers = Schema { names: vec!["a".into()], categorical: vec![false], context: 0 };
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
