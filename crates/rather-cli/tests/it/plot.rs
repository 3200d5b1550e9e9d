//! `rather plot`.

use crate::lab::Lab;

#[test]
fn every_figure_is_drawn() {
    let lab = Lab::new().with_model();
    for flags in [
        "ranking --top 3",
        "utility --feature PRICE",
        "utility --feature region --width 400 --height 300 --title <tea>",
        "effect --feature price",
        "effect --feature region",
        "choices",
        "choices --feature price",
        "evidence --grid 3",
        "reliability --pairs duels.csv",
    ] {
        let report = lab.json(&format!("plot model.rather {flags} -o figure.svg"));
        assert!(
            report["width"].as_f64() >= Some(320.0) && report["caption"].is_string(),
            "{flags}: {report}"
        );
    }
    assert!(lab.text("plot model.rather ranking -o figure.png").contains("saved as figure.png"));
}

#[test]
fn what_cannot_be_drawn_is_said() {
    let lab = Lab::new().with_model();
    let cases = [
        ("utility -o f.svg", "the figure \"utility\" needs one feature: --feature F"),
        (
            "ranking -o f.pdf",
            "f.pdf is neither an .svg nor a .png file; end the name of the figure in one of them",
        ),
        (
            "ranking --pairs duels.csv -o f.svg",
            "--pairs means nothing to the figure \"ranking\"; it is for reliability",
        ),
        (
            "map --feature price --feature price -o f.svg",
            "a map needs two different features, and both are \"price\"",
        ),
        (
            "reliability -o f.svg",
            "a reliability diagram needs comparisons that the model was not learned from; give --pairs PAIRS",
        ),
    ];
    for (flags, sentence) in cases {
        assert_eq!(lab.error(&format!("plot model.rather {flags}")).to_lowercase(), sentence.to_lowercase());
    }
    assert!(
        lab.error("plot model.rather utility --feature colour -o f.svg")
            .contains("no feature called \"colour\"")
    );
    assert!(lab.error("plot model.rather ranking -o none/f.svg").contains("make the folder first"));
}
