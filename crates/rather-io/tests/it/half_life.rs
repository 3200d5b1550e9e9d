//! Models of answers with a half-life come back from their files with the same weights.

use crate::folder::Folder;
use rather::answers::Answer;
use rather::model::{FitSettings, Inference, Items, Method, Model};
use rather_io::{load_model, save_model};

fn answers() -> Vec<Answer> {
    let pairs = [(0, 1), (1, 2), (2, 3), (3, 0), (1, 3)];
    let one = |n: usize| {
        let (a, b) = pairs[n % 5];
        match n % 6 {
            0 | 1 => Answer::rather(b, a),
            2 => Answer::tie(a, b),
            _ => Answer::rather(a, b).times(1 + n as u32 % 2),
        }
    };
    (0..40).map(one).collect()
}

fn version(bytes: &[u8]) -> String {
    let (_, metadata) = safetensors::SafeTensors::read_metadata(bytes).unwrap();
    metadata.metadata().as_ref().unwrap()["version"].clone()
}

#[test]
fn weights_are_saved() {
    let folder = Folder::new();
    let path = folder.path("m.rather");
    let items = Items { keys: ["a", "b", "c", "d"].map(str::to_owned).to_vec(), columns: vec![] };
    let pairs = [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)];
    for method in [Method::Ep, Method::Laplace, Method::Exact, Method::Streaming] {
        for half_life in [Some(7.0), None] {
            let settings =
                FitSettings { inference: Inference::from(method), half_life, ..FitSettings::default() };
            let model = Model::fit_answers(&items, &answers(), &[], &settings, &|_| ()).unwrap();
            save_model(&path, &model).unwrap();
            // Earlier programs would take the answers for as many as there are.
            let expected = if half_life.is_some() { "3" } else { "2" };
            assert_eq!(version(&std::fs::read(&path).unwrap()), expected, "{method:?}");
            let again = load_model(&path).unwrap();
            let said = |model: &Model| {
                let (p, u) = (model.probabilities(model.points(), &pairs), model.utilities(model.points()));
                (p, u, model.outcomes(model.points(), &pairs), model.report().half_life)
            };
            assert_eq!(said(&model), said(&again), "{method:?}");
            assert_eq!(model.observations().merged, again.observations().merged, "{method:?}");
        }
    }
}

/// A stranger's weights.
#[test]
fn weights_that_cannot_be_are_refused() {
    let items = Items { keys: ["a", "b", "c", "d"].map(str::to_owned).to_vec(), columns: vec![] };
    let settings = FitSettings { half_life: Some(7.0), ..FitSettings::default() };
    let model = Model::fit_answers(&items, &answers(), &[], &settings, &|_| ()).unwrap();
    for wrong in [0.0, -1.0, 1e9] {
        let mut parts = model.to_parts();
        parts.weights[0] = wrong;
        assert!(Model::from_parts(parts).unwrap_err().to_string().contains("weights"));
    }
    let mut parts = model.to_parts();
    parts.weights.pop();
    assert!(Model::from_parts(parts).is_err());
}
