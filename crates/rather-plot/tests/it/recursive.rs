//! A factor graph, a regression and a classification, from data made up by formulas.

use rather_plot::{Classification, DrawnEdge, Example, FactorGraph, Regression};

/// Something between 0 and 1 that looks random.
fn jumble(i: usize) -> f64 {
    (i * 7919 % 1009) as f64 / 1009.0
}

/// A chain of `sections` equality nodes with a branch each, a half-edge at its end.
pub(crate) fn factor_graph(sections: usize) -> FactorGraph {
    let mut graph = FactorGraph {
        title: "A chain with <branches>".into(),
        nodes: vec![("N".into(), "prior".into())],
        ..FactorGraph::default()
    };
    let edge = |name: String, tail, head, number: usize| DrawnEdge {
        name,
        tail,
        head,
        forward: vec![number],
        backward: if number.is_multiple_of(3) {
            vec![number + 1, number + 5, number + 9]
        } else {
            Vec::new()
        },
    };
    for k in 0..sections {
        let (before, node) = (if k == 0 { 0 } else { 2 * k - 1 }, 2 * k + 1);
        graph.nodes.push(("= J".into(), format!("section {k}")));
        graph.nodes.push(("a long symbol".into(), format!("answer {k}, which has a long name")));
        graph.edges.push(edge(format!("g{k}"), Some(before), Some(node), 2 * k + 1));
        graph.edges.push(edge(format!("f{k}"), Some(node), Some(node + 1), 2 * k + 2));
    }
    graph.edges.push(edge("g".into(), Some(2 * sections - 1), None, 2 * sections + 1));
    graph
}

pub(crate) fn regression() -> Regression {
    let x: Vec<f64> = (0..61).map(|i| f64::from(i) / 60.0).collect();
    let curve = |x: f64| (7.0 * x).sin() * (1.0 - 0.4 * x);
    Regression {
        title: "A function from noisy samples".into(),
        x_name: "x".into(),
        y_name: "f(x)".into(),
        mean: x.iter().map(|&x| 0.9 * curve(x)).collect(),
        sd: x.iter().map(|&x| 0.08 + 0.3 * (x - 0.4).abs()).collect(),
        band: 2.0,
        truth: x.iter().map(|&x| curve(x)).collect(),
        samples: (1..8).map(|i| (jumble(i), curve(jumble(i)) + 0.2 * (jumble(3 * i) - 0.5))).collect(),
        note: "Seven samples.".into(),
        x,
    }
}

pub(crate) fn classification() -> Classification {
    let side: Vec<f64> = (0..31).map(|i| f64::from(i) / 30.0).collect();
    let p =
        |x: f64, y: f64| 1.0 / (1.0 + (12.0 * ((x - 0.4).powi(2) + (y - 0.6).powi(2)).sqrt() - 4.0).exp());
    Classification {
        title: "Which class".into(),
        x_name: "width".into(),
        y_name: "height".into(),
        class: "inside".into(),
        other: "outside".into(),
        probabilities: side.iter().flat_map(|&y| side.iter().map(move |&x| p(x, y))).collect(),
        examples: (0..40)
            .map(|i| {
                let (x, y) = (jumble(i + 3), jumble(11 * i + 7));
                Example { x, y, positive: p(x, y) > jumble(5 * i + 1) }
            })
            .collect(),
        x: side.clone(),
        y: side,
        note: String::new(),
    }
}

#[test]
fn what_cannot_be_drawn_is_an_error() {
    use rather_plot::{Error, Look};
    let look = Look::default();
    let nothing = FactorGraph::default().draw(&look).unwrap_err();
    assert!(matches!(nothing, Error::Empty { .. }));
    let mut graph = factor_graph(2);
    graph.edges[0].head = Some(99);
    assert!(matches!(graph.draw(&look), Err(Error::Range { value: 99.0, .. })));
    let short = Regression { sd: vec![1.0], ..regression() };
    assert!(matches!(short.draw(&look), Err(Error::Length { .. })));
    let mut wrong = classification();
    wrong.probabilities[3] = 1.5;
    assert!(matches!(wrong.draw(&look), Err(Error::Range { .. })));
    wrong.probabilities.pop();
    assert!(matches!(wrong.draw(&look), Err(Error::Length { .. })));
}

#[test]
fn any_size_and_little_data_will_do() {
    let single = FactorGraph { nodes: vec![("1".into(), "alone".into())], ..FactorGraph::default() };
    let mut odd = factor_graph(1);
    // A loop, and an edge without ends.
    odd.edges.push(DrawnEdge { name: "loop".into(), tail: Some(1), head: Some(1), ..DrawnEdge::default() });
    odd.edges.push(DrawnEdge::default());
    let sizes = [(None, None), (Some(1.0), Some(1.0)), (Some(320.0), Some(200.0)), (Some(3000.0), None)];
    for (width, height) in sizes {
        let look = rather_plot::Look { width, height, title: None };
        let drawn = [
            single.draw(&look),
            odd.draw(&look),
            factor_graph(40).draw(&look),
            regression().draw(&look),
            classification().draw(&look),
            Regression { samples: Vec::new(), truth: Vec::new(), ..regression() }.draw(&look),
            Classification { examples: Vec::new(), ..classification() }.draw(&look),
        ];
        for figure in drawn {
            let figure = figure.unwrap();
            assert!(!figure.as_svg().contains("NaN") && !figure.as_svg().contains("inf"), "{look:?}");
        }
    }
}
