//! Figures of learned models.

use rather::Comparison;
use rather::features::{Column, ColumnValues};
use rather::model::{FitSettings, Items, Model};
use rather_plot::from_model::{self, EvidenceGrid};
use rather_plot::{Along, Error, Look};

fn items() -> Items {
    let numbers = |name: &str, values: &[f64]| Column {
        name: name.into(),
        values: ColumnValues::Numeric(values.to_vec()),
    };
    let kinds = ["black", "black", "green", "green", "black", "white"];
    Items {
        keys: (1..=6).map(|i| format!("tea {i}")).collect(),
        columns: vec![
            numbers("price", &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]),
            numbers("organic", &[0.0, 1.0, 0.0, 0.0, 1.0, 0.0]),
            Column { name: "kind".into(), values: ColumnValues::Text(kinds.map(Into::into).to_vec()) },
        ],
    }
}

fn model(items: &Items) -> Model {
    let duel = |(winner, loser)| Comparison { winner, loser, count: 1.0 };
    let duels: Vec<Comparison> = [(1, 0), (2, 1), (2, 4), (3, 4), (2, 0), (0, 4)].map(duel).to_vec();
    Model::fit(items, &duels, &FitSettings::default(), &|_| ()).unwrap()
}

#[test]
fn a_model_has_all_figures() {
    let model = model(&items());
    let look = Look::default();
    let utility = from_model::utility(&model, " Price").unwrap();
    assert!(utility.held.contains("organic: 0") && utility.held.contains("kind: black"), "{}", utility.held);
    let Along::Numbers(x) = &utility.along else { panic!("a price is a number") };
    assert!(x[0] < 1.0 && x[0] > 0.5 && x[x.len() - 1] > 6.0);
    assert_eq!(utility.duels.len(), 6);
    utility.draw(&look).unwrap();
    for feature in ["kind", "organic"] {
        let utility = from_model::utility(&model, feature).unwrap();
        assert!(matches!(&utility.along, Along::Levels(levels) if levels.len() == utility.mean.len()));
        utility.draw(&look).unwrap();
    }
    for feature in ["price", "kind", "organic"] {
        let effect = from_model::effect(&rather::Person::Single(&model), feature).unwrap();
        assert!(effect.sd.contains(&0.0) && effect.mean.contains(&0.0), "{effect:?}");
        assert!(effect.draw(&look).unwrap().as_svg().contains(&format!("Effect of {feature}")));
    }
    from_model::map(&model, "price", "organic").unwrap().draw(&look).unwrap();
    let matrix = from_model::choices(&model, 4);
    assert_eq!((matrix.names.len(), matrix.left_out), (4, 2));
    assert!(matrix.probabilities[1] >= 0.5);
    matrix.draw(&look).unwrap();
    let map = from_model::choice_map(&model, "price").unwrap();
    let n = map.values.len();
    assert!(
        (0..n * n).all(|k| (map.probabilities[k] + map.probabilities[k % n * n + k / n] - 1.0).abs() < 1e-12)
    );
    map.draw(&look).unwrap();
    let ranking = from_model::ranking(&rather::Person::Single(&model), 100);
    assert_eq!(ranking.items.iter().filter(|i| !i.compared).count(), 1);
    ranking.draw(&look).unwrap();
    let held_out = [Comparison { winner: 2, loser: 5, count: 3.0 }];
    from_model::reliability(&model, model.points(), &held_out).draw(&look).unwrap();
}

#[test]
fn the_evidence_at_the_learned_point_is_that_of_the_fit() {
    let model = model(&items());
    let grid = EvidenceGrid { size: Some(5), ..EvidenceGrid::default() };
    let surface = from_model::evidence(&model, &grid).unwrap();
    // The grid's middle is the learned point.
    let middle = surface.log_evidence[2 * 5 + 2].unwrap();
    assert!((middle - model.report().log_evidence).abs() < 1e-4, "{middle}");
    assert!((surface.x[2] / surface.marks[0].x - 1.0).abs() < 1e-9);
    surface.draw(&Look::default()).unwrap();
}

#[test]
fn what_a_model_lacks_is_said() {
    let known = model(&items());
    let error = from_model::utility(&known, "colour").unwrap_err();
    assert_eq!(
        error.to_string(),
        "there is no feature called \"colour\"; the model's features are \"price\", \"organic\", \"kind\""
    );
    assert!(matches!(from_model::map(&known, "price", "kind"), Err(Error::Categories { .. })));
    assert!(matches!(from_model::map(&known, "price", "Price"), Err(Error::SameFeature { .. })));
    let grid = |x: &str, y: &str| EvidenceGrid { x: Some(x.into()), y: Some(y.into()), size: Some(3) };
    let error = from_model::evidence(&known, &grid("noise", "noise")).unwrap_err();
    assert!(matches!(error, Error::SameHyperparameter { .. }));
    let error = from_model::evidence(&known, &grid("noise", "width")).unwrap_err();
    assert!(matches!(error, Error::UnknownHyperparameter { .. }));
    let plain = model(&Items { columns: vec![], ..items() });
    assert!(matches!(from_model::utility(&plain, "price"), Err(Error::NoFeatures)));
    from_model::choices(&plain, 10).draw(&Look::default()).unwrap();
}

#[test]
fn careers_are_utilities_at_each_time() {
    use rather::answers::Answer;
    use rather::context::{ContextColumn, Sides};
    use rather::learn::choice::{KernelChoice, KernelSpec};

    let items = Items { keys: ["ann", "bob", "cid"].map(Into::into).to_vec(), columns: vec![] };
    // Ann loses to Bob until day 50 and wins from then on; Cid comes on day 40.
    let days: Vec<f64> = (0..100).map(f64::from).collect();
    let sides = |day: f64| if day >= 40.0 && day % 2.0 == 0.0 { [2, 1] } else { [0, 1] };
    let column = Column {
        name: "date".into(),
        values: ColumnValues::Numeric(days.iter().flat_map(|&day| [day; 2]).collect()),
    };
    let sides = Sides {
        items: days.iter().flat_map(|&day| sides(day)).collect(),
        columns: vec![ContextColumn { column, shared: true, date: true }],
        teams: vec![],
    };
    let answers: Vec<Answer> = (0..100)
        .map(|m| if m < 50 { Answer::rather(2 * m + 1, 2 * m) } else { Answer::rather(2 * m, 2 * m + 1) })
        .collect();
    let kernel = KernelSpec { expression: "white[item] + white[item]*wiener[date]".into(), ard: false };
    let settings = FitSettings { kernel: KernelChoice::Given(kernel), ..FitSettings::default() };
    let mut model = Model::fit_in_context(&items, &sides, &answers, &[], &settings, &|_| ()).unwrap();

    let careers = from_model::careers(&model, 2).unwrap();
    assert!(careers.dates && careers.time == "date" && careers.note == "One item is not shown.");
    careers.draw(&Look::default()).unwrap();
    let all = from_model::careers(&model, 3).unwrap().careers;
    let of = |name: &str| all.iter().find(|career| career.name == name).unwrap();
    assert_eq!((of("ann").times[0], of("ann").times[80]), (0.0, 99.0));
    let begins = of("cid").times[0];
    assert!(begins > 38.0 && begins <= 40.0, "{begins}");
    for k in [0, 40, 80] {
        let time = of("ann").times[k];
        model.look_at("date", &ColumnValues::Numeric(vec![time])).unwrap();
        let known = model.utilities(model.points());
        assert!((known.mean[0] - of("ann").mean[k]).abs() < 1e-12);
        assert!((known.variance[0].sqrt() - of("ann").sd[k]).abs() < 1e-12);
    }
    assert!(of("ann").mean[20] < of("bob").mean[20] && of("ann").mean[80] > of("bob").mean[80]);
}
