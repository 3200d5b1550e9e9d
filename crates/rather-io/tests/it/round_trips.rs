//! Whatever can be fitted can be saved, read again and asked, with the same bits; whatever cannot is refused in a sentence.

use rather::answers::{Answer, Answers};
use rather::features::{Column, ColumnValues};
use rather::inference::Method;
use rather::learn::choice::{KernelChoice, KernelSpec};
use rather::likelihood::{Lapses, Link, Reply, ResponseModel};
use rather::many::population::{PopulationData, PopulationSettings};
use rather::many::{Kind, Population};
use rather::model::{Ep, Exact, FitSettings, Inference, Items, Model, Naming};
use rather::representation::Representation;
use rather_io::{Saved, load_model, load_saved, save_model, save_population};

const N: usize = 8;

/// Items called by whole numbers, with two features.
fn items() -> Items {
    let numbers = (0..N).map(|i| (2.3 * i as f64).sin() * 4.0 + i as f64).collect();
    let kinds = (0..N).map(|i| ["black", "green"][i % 2].to_owned()).collect();
    let column = |name: &str, values| Column { name: name.into(), values };
    Items {
        keys: (0..N).map(|i| (10 * i).to_string()).collect(),
        columns: vec![
            column("price", ColumnValues::Numeric(numbers)),
            column("kind", ColumnValues::Text(kinds)),
        ],
    }
}

/// A preference for the larger number, not without contradiction.
fn duels() -> Vec<Answer> {
    let pair = |i: usize| (i % N, (i + 1 + i / N) % N);
    (0..3 * N)
        .map(pair)
        .filter(|(a, b)| a != b)
        .enumerate()
        .map(|(at, (a, b))| {
            let (low, high) = (a.min(b), a.max(b));
            if at.is_multiple_of(5) { Answer::rather(low, high) } else { Answer::rather(high, low) }
        })
        .collect()
}

/// Somebody's answers and how they answer, by name.
struct Case {
    name: &'static str,
    answers: Vec<Answer>,
    response_model: ResponseModel,
    naming: Naming,
}

impl Case {
    fn of(name: &'static str, answers: Vec<Answer>) -> Self {
        Self { name, answers, response_model: ResponseModel::default(), naming: Naming::default() }
    }
}

fn cases() -> Vec<Case> {
    let shown =
        |o: Answer| o.shown_left(if o.plus.is_multiple_of(2) { o.plus } else { o.minus.unwrap_or(o.plus) });
    let by = |(at, o): (usize, Answer)| o.by(at % 2);
    let graded: Vec<Answer> = duels()
        .into_iter()
        .enumerate()
        .map(|(at, o)| match (at % 4, o.minus) {
            (0, Some(minus)) => Answer::tie(o.plus, minus),
            (grade, _) => Answer { reply: Reply::better(grade as u8), ..o },
        })
        .collect();
    let labels: Vec<Answer> = (0..N).map(|i| Answer::labelled(i, i > 3 || i == 1)).collect();
    let ratings: Vec<Answer> =
        (0..2 * N).map(|at| Answer::rated(at % N, (at % N / 3) as u16).by(at % 2)).collect();
    let values: Vec<Answer> = (0..N)
        .map(|i| match i {
            0 => Answer::at_most(i, 0.5),
            7 => Answer::at_least(i, 6.0),
            i => Answer::measured(i, i as f64 + 0.1),
        })
        .collect();
    let all = [duels(), graded.clone(), labels.clone(), ratings.clone(), values.clone()].concat();
    let lapses = |lapses| ResponseModel { lapses, ..ResponseModel::default() };
    let words = ["a little", "", "much"].map(str::to_owned).to_vec();
    vec![
        Case::of("duels", duels()),
        Case {
            naming: Naming { integer_items: true, grades: words, ..Naming::default() },
            ..Case::of("grades", graded.clone())
        },
        Case {
            response_model: ResponseModel { bias: true, ..ResponseModel::default() },
            ..Case::of("bias", duels().into_iter().map(shown).collect())
        },
        Case {
            response_model: ResponseModel { bias: true, link: Link::Logistic, ..ResponseModel::default() },
            ..Case::of("graded bias", graded.into_iter().map(shown).collect())
        },
        Case::of("labels", labels),
        Case {
            naming: Naming { levels: vec![1.0, 2.5, 4.0], integer_items: true, ..Naming::default() },
            ..Case::of("ratings", ratings)
        },
        Case {
            response_model: ResponseModel { robust: true, ..ResponseModel::default() },
            ..Case::of("robust values", values.clone())
        },
        Case::of("values", values),
        Case::of("noise", duels().into_iter().map(|o| o.with_noise(1.0 + (o.plus % 3) as f64)).collect()),
        Case {
            response_model: ResponseModel { user_noise: true, ..ResponseModel::default() },
            ..Case::of("users' noise", duels().into_iter().enumerate().map(by).collect())
        },
        Case { response_model: lapses(Lapses::Rate(0.1)), ..Case::of("lapses", duels()) },
        Case { response_model: lapses(Lapses::Learned), ..Case::of("learned lapses", duels()) },
        Case {
            response_model: ResponseModel { link: Link::Logistic, ..ResponseModel::default() },
            ..Case::of("logistic", duels())
        },
        Case::of("everything", all),
    ]
}

fn settings(
    kernel: &str,
    method: Method,
    representation: Representation,
    response_model: ResponseModel,
) -> FitSettings {
    let exact = rather::exact::ExactSettings { samples: 40, burn_in: 10, thinning: 1, ..Default::default() };
    let kernel = KernelChoice::Given(KernelSpec { expression: kernel.into(), ard: false });
    let inference = match method {
        Method::Ep => Inference::Ep(Ep { representation, ..Ep::default() }),
        Method::Exact => Inference::Exact(Exact { sampling: exact, ..Exact::default() }),
        other => other.into(),
    };
    FitSettings { kernel, inference, response_model, ..FitSettings::default() }
}

fn fit(case: &Case, settings: &FitSettings) -> Result<Model, rather::Error> {
    let users = ["ann", "bob"].map(str::to_owned);
    let model = Model::fit_given(&items(), Answers::from(&case.answers), &users, settings, &|_| ())?;
    model.with_naming(case.naming.clone())
}

/// All that a model says, to the bit.
fn said(model: &Model) -> Vec<u64> {
    let pairs: Vec<(usize, usize)> = (0..N).map(|i| (i, (3 * i + 1) % N)).filter(|(a, b)| a != b).collect();
    let (points, mut out) = (model.points(), Vec::new());
    out.extend(model.probabilities(points, &pairs));
    out.extend(model.shown_probabilities(points, &pairs));
    out.extend(model.outcomes(points, &pairs).concat().into_iter().map(|(_, p)| p));
    out.extend(model.ratings(points).concat());
    let utilities = model.utilities(points);
    out.extend(utilities.mean.into_iter().chain(utilities.variance));
    out.extend(model.reported_hyperparameters().into_iter().map(|(_, value)| value));
    out.into_iter().map(f64::to_bits).collect()
}

fn names(model: &Model) -> Vec<String> {
    model.outcomes(model.points(), &[(0, 1)]).concat().into_iter().map(|(name, _)| name).collect()
}

/// The same from its file, and the same file again.
fn comes_back(what: &str, model: &Model) {
    let folder = tempfile::tempdir().unwrap();
    let [path, other] = ["m.rather", "n.rather"].map(|name| folder.path().join(name));
    save_model(&path, model).unwrap();
    let again = load_model(&path).unwrap_or_else(|error| panic!("{what}: {error}"));
    assert_eq!(said(model), said(&again), "{what}");
    assert_eq!((names(model), model.naming()), (names(&again), again.naming()), "{what}");
    save_model(&other, &again).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), std::fs::read(&other).unwrap(), "{what}");
}

/// Why a representation is refused.
fn refusal(case: &Case, kernel: &str, representation: Representation) -> Option<&'static str> {
    let ResponseModel { lapses, robust, pair_effect, .. } = case.response_model;
    let has_sparse = lapses == Lapses::Never && !robust && !pair_effect;
    match (kernel, representation) {
        (_, Representation::Full) | ("se + white", Representation::LowRank(_)) => None,
        ("white", _) if !has_sparse => Some("need the full covariance"),
        ("white", Representation::Sparse) => None,
        _ => Some(
            "a low-rank covariance is for items with features, and a sparse precision for kernels of effects",
        ),
    }
}

#[test]
fn every_model_that_can_be_fitted_comes_back() {
    let mut fitted = 0;
    for case in cases() {
        for kernel in ["se + white", "white"] {
            for method in [Method::Laplace, Method::Exact, Method::Streaming] {
                let what = format!("{}, {kernel}, {method:?}", case.name);
                let asked = settings(kernel, method, Representation::Full, case.response_model);
                comes_back(&what, &fit(&case, &asked).unwrap_or_else(|error| panic!("{what}: {error}")));
                fitted += 1;
            }
            for representation in [Representation::Full, Representation::LowRank(4), Representation::Sparse] {
                let what = format!("{}, {kernel}, {representation:?}", case.name);
                let model = fit(&case, &settings(kernel, Method::Ep, representation, case.response_model));
                match (model, refusal(&case, kernel, representation)) {
                    (Ok(model), None) => comes_back(&what, &model),
                    (Err(error), Some(why)) => {
                        assert!(error.to_string().contains(why), "{what}: {error}")
                    }
                    (Ok(_), Some(_)) => panic!("{what} was to be refused"),
                    (Err(error), None) => panic!("{what}: {error}"),
                }
                fitted += 1;
            }
        }
    }
    assert_eq!(fitted, 14 * 2 * 6);
}

/// Rows of a table may say the same so often that their sum is beyond the count of one row.
#[test]
fn counts_beyond_those_of_a_row_come_back() {
    let case = Case {
        answers: [duels(), vec![Answer::rather(3, 2).times(u32::MAX); 3]].concat(),
        ..Case::of("counts", Vec::new())
    };
    let fixed = [("noise", 1.0), ("variance", 1.0), ("lengthscale", 2.0)];
    let fixed = fixed.map(|(name, value)| (name.to_owned(), value)).to_vec();
    let model = fit(
        &case,
        &FitSettings { fixed, ..settings("se", Method::Ep, Representation::Full, case.response_model) },
    );
    let model = model.unwrap();
    assert!(
        model.to_parts().counts.contains(&(3 * u64::from(u32::MAX)))
            || model.to_parts().counts.iter().any(|&c| c > 1 << 33)
    );
    comes_back("counts", &model);
}

/// Inference that broke down has numbers in its report that JSON does not know.
#[test]
fn a_report_with_no_number_in_it_comes_back() {
    let model = fit(&cases()[0], &settings("se", Method::Ep, Representation::Full, ResponseModel::default()))
        .unwrap();
    for broken in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut parts = model.to_parts();
        parts.header.report.residual = broken;
        parts.header.report.log_evidence = broken;
        let notice = rather::model::Notice::NotConverged { residual: broken, sweeps: 3 };
        parts.header.report.notices.push(notice);
        let model = Model::from_parts(parts).unwrap();
        comes_back("a broken report", &model);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.rather");
        save_model(&path, &model).unwrap();
        assert_eq!(load_model(&path).unwrap().report().residual.to_bits(), broken.to_bits());
    }
}

#[test]
fn every_model_of_many_users_comes_back() {
    let users = Items { keys: ["7", "8", "9"].map(str::to_owned).to_vec(), columns: vec![] };
    // Together beyond what one row counts.
    let often = [Answer::rather(5, 4).by(1).times(3_000_000_000_u32); 2];
    let many = Case::of("often", duels().into_iter().chain(often).collect());
    let kernel = KernelChoice::Given(KernelSpec { expression: "se[price] + white".into(), ard: false });
    for case in cases().into_iter().chain([many]) {
        let answers: Answers =
            case.answers.iter().enumerate().map(|(at, o)| o.by(o.user().unwrap_or(at % 3))).collect();
        for kind in Kind::ALL {
            let what = format!("{}, {kind:?}", case.name);
            let data = PopulationData { items: &items(), users: &users, answers: &answers };
            let settings = PopulationSettings {
                functions: 3,
                kernel: kernel.clone(),
                response_model: case.response_model,
                ..PopulationSettings::new(kind)
            };
            let model = match Population::fit(&data, &settings, &|_| ()) {
                Err(error) if kind == Kind::Collaborative && is_not_log_concave(&case.response_model) => {
                    assert!(error.to_string().contains("log-concave"), "{what}: {error}");
                    continue;
                }
                fitted => fitted.unwrap_or_else(|error| panic!("{what}: {error}")),
            };
            let naming = Naming { integer_items: true, integer_users: true, ..case.naming.clone() };
            let model = model.with_naming(naming).unwrap();
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("m.rather");
            save_population(&path, &model).unwrap();
            let again = match load_saved(&path).unwrap_or_else(|error| panic!("{what}: {error}")) {
                Saved::Many(again) => again,
                Saved::Single(_) => panic!("{what}: one person's"),
            };
            for user in 0..3 {
                assert_eq!(said_of(&model, user), said_of(&again, user), "{what}");
            }
            assert_eq!(again.naming(), model.naming());
            assert_eq!(again.to_parts().integers, model.to_parts().integers, "{what}");
        }
    }
}

fn is_not_log_concave(response_model: &ResponseModel) -> bool {
    response_model.robust || response_model.lapses != Lapses::Never
}

/// All that a model of many users says of one, to the bit.
fn said_of(model: &Population, user: usize) -> Vec<u64> {
    let pairs: Vec<(usize, usize)> = (1..N).map(|i| (i - 1, i)).collect();
    let (items, likelihoods) = (model.model().items().known(), model.model().responses().likelihoods());
    let posterior = model.model().user(user).unwrap();
    let found = model.model().predict(user, &pairs).unwrap();
    let mut out = [found.mean, found.variance, found.probability].concat();
    let outcomes = posterior.outcomes(&items, &pairs, likelihoods);
    out.extend(outcomes.into_iter().flatten().map(|(_, p)| p));
    out.extend(posterior.ratings(&items, likelihoods).into_iter().flatten());
    assert!(out.iter().all(|x| x.is_finite()));
    out.into_iter().map(f64::to_bits).collect()
}
