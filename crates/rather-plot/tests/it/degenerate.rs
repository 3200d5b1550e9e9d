//! Little data, equal data, wrong data: a figure or an error, never a panic or a NaN.

use crate::gallery;
use rather_plot::{
    Acquisition, Along, Bin, ChoiceMatrix, Error, LearningCurve, Look, Map, MapItem, RankedItem, Ranking,
    Reliability, Series, Surface, Utility,
};

fn sound(figure: Result<rather_plot::Figure, Error>) {
    let figure = figure.unwrap();
    for bad in ["NaN", "inf"] {
        assert!(!figure.as_svg().contains(bad), "{}", figure.as_svg());
    }
}

fn all_looks() -> Vec<Look> {
    let look =
        |width, height| Look { width: Some(width), height: Some(height), title: Some("t".repeat(500)) };
    vec![
        Look::default(),
        look(1.0, 1.0),
        look(320.0, 200.0),
        look(f64::NAN, f64::INFINITY),
        look(3000.0, 2000.0),
    ]
}

#[test]
fn any_size_will_do() {
    for look in all_looks() {
        sound(gallery::utility(40).draw(&look));
        sound(gallery::levels().draw(&look));
        sound(gallery::map(60).draw(&look));
        sound(gallery::surface().draw(&look));
        sound(gallery::choices(60).draw(&look));
        sound(gallery::choice_map().draw(&look));
        sound(gallery::ranking(200).draw(&look));
        sound(gallery::learning_curve(5).draw(&look));
        sound(gallery::careers(4).draw(&look));
        sound(gallery::reliability().draw(&look));
    }
}

#[test]
fn one_of_everything_will_do() {
    for look in all_looks() {
        sound(gallery::choices(1).draw(&look));
        sound(gallery::ranking(1).draw(&look));
        let one = Utility {
            along: Along::Numbers(vec![3.0]),
            mean: vec![0.0],
            sd: vec![0.0],
            ..gallery::utility(0)
        };
        sound(one.draw(&look));
        let one = Utility {
            along: Along::Levels(vec!["a".into()]),
            mean: vec![0.0],
            sd: vec![0.0],
            ..gallery::levels()
        };
        sound(one.draw(&look));
        let one = Acquisition {
            along: Along::Levels(vec!["a".into()]),
            scores: vec![0.0],
            asked: Some(0.0),
            against: None,
            ..gallery::acquisition()
        };
        sound(one.draw(&look));
        let bin = Bin { low: 0.0, high: 1.0, predicted: 0.5, observed: 0.5, count: 1.0 };
        sound(Reliability { bins: vec![bin], note: String::new() }.draw(&look));
        let series = Series { x: vec![1.0], mean: vec![0.0], ..Series::default() };
        sound(
            LearningCurve { series: vec![series], logarithmic: true, ..LearningCurve::default() }.draw(&look),
        );
    }
}

#[test]
fn equal_values_will_do() {
    for value in [0.0, 1e-300, -7.5, 1e12] {
        let item = |i: usize| RankedItem { name: i.to_string(), mean: value, sd: 0.0, compared: true };
        let items = (0..5).map(item).collect();
        sound(Ranking { items, ..Ranking::default() }.draw(&Look::default()));
        let flat = Map { mean: vec![value; 41 * 41], sd: vec![0.0; 41 * 41], ..gallery::map(5) };
        sound(flat.draw(&Look::default()));
        let same = MapItem { name: "a".into(), x: 5.0, y: 0.0, compared: true };
        sound(Map { items: vec![same; 4], ..gallery::map(0) }.draw(&Look::default()));
        let flat = Surface { log_evidence: vec![Some(value); 41 * 41], ..gallery::surface() };
        sound(flat.draw(&Look::default()));
        let mut utility = gallery::utility(3);
        utility.mean.fill(value);
        utility.sd.fill(0.0);
        sound(utility.draw(&Look::default()));
        let series = Series { x: vec![1.0, 1.0], mean: vec![value; 2], ..Series::default() };
        sound(LearningCurve { series: vec![series], ..LearningCurve::default() }.draw(&Look::default()));
    }
}

#[test]
fn what_is_no_data_is_an_error() {
    let look = Look::default();
    assert!(matches!(Ranking::default().draw(&look), Err(Error::Empty { .. })));
    assert!(matches!(LearningCurve::default().draw(&look), Err(Error::Empty { .. })));
    assert!(matches!(
        Reliability { bins: vec![], note: String::new() }.draw(&look),
        Err(Error::Empty { .. })
    ));
    let mut utility = gallery::utility(3);
    utility.mean[4] = f64::NAN;
    assert!(matches!(utility.draw(&look), Err(Error::NotFinite { index: 4, .. })));
    let short = Map { sd: vec![1.0], ..gallery::map(3) };
    assert!(matches!(short.draw(&look), Err(Error::Length { expected: 1681, found: 1, .. })));
    let wrong = ChoiceMatrix { probabilities: vec![1.5; 9], ..gallery::choices(3) };
    assert!(matches!(wrong.draw(&look), Err(Error::Range { .. })));
    let nothing = Surface { log_evidence: vec![None; 41 * 41], ..gallery::surface() };
    assert!(matches!(nothing.draw(&look), Err(Error::NoEvidence)));
    let mut negative = gallery::surface();
    negative.x[0] = 0.0;
    assert!(matches!(negative.draw(&look), Err(Error::Range { .. })));
    let bin = Bin { low: 0.0, high: 1.0, predicted: 1.5, observed: 0.5, count: 1.0 };
    let wrong = Reliability { bins: vec![bin], note: String::new() };
    assert!(matches!(wrong.draw(&look), Err(Error::Range { .. })));
}
