//! Model files, of one person and of many.

use rather::many::Population;
use rather::model::Model;
use rather_io::{Saved, model_file, saved_of};
use std::path::Path;

/// Of so many items and users the predictions are asked for.
const ASKED: usize = 8;

/// Reads a model. What is accepted predicts numbers.
pub(super) fn models(bytes: &[u8]) {
    let path = Path::new("m.rather");
    let Ok(file) = model_file::from_bytes(path, bytes) else { return };
    match saved_of(path, file) {
        Ok(Saved::Single(model)) => ask_one(&model),
        Ok(Saved::Many(population)) => ask_many(&population),
        Err(_) => {}
    }
}

fn pairs(items: usize) -> Vec<(usize, usize)> {
    (1..items.min(ASKED)).map(|i| (i - 1, i)).collect()
}

fn check<'a>(probabilities: impl IntoIterator<Item = &'a f64>) {
    for p in probabilities {
        assert!((0.0..=1.0).contains(p), "{p} is no probability");
    }
}

fn ask_one(model: &Model) {
    let points = model.points();
    let pairs = pairs(points.len());
    check(&model.probabilities(points, &pairs));
    for outcomes in model.outcomes(points, &pairs) {
        check(outcomes.iter().map(|(_, p)| p));
    }
    model.ratings(points).iter().for_each(check);
    for ranked in model.rank(points) {
        assert!(ranked.mean.is_finite() && ranked.sd.is_finite(), "a utility is not a number");
    }
    drop((model.reported_hyperparameters(), model.kernel_expression(), model.to_parts()));
    assert!((0..points.len()).all(|i| model.label(i).is_none_or(|label| label.len() < 1 << 20)));
}

fn ask_many(population: &Population) {
    let pairs = pairs(population.items().keys().len());
    for user in 0..population.users().keys().len().min(ASKED) {
        if let Ok(found) = population.model().predict(user, &pairs) {
            check(&found.probability);
        }
    }
    drop(population.average_user());
    drop(population.newcomer(None, &rather::answers::Answers::default()));
    drop((population.reported_hyperparameters(), population.kernel_expression(), population.to_parts()));
}
