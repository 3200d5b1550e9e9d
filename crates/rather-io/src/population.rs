//! Models of many users as files.
//!
//! The header is `{"many_users": ...}` with a [`PopulationHeader`] as JSON; the arrays of [`PopulationParts`] are the tensors, one
//! axis each.

use crate::error::{Action, Error};
use crate::limits;
use crate::model::{check_encoder, load_single, save_model};
use crate::model_file::{self, ModelFile, Tensor};
use rather::many::Population;
use rather::many::population::{PopulationHeader, PopulationParts};
use rather::model::Model;
use std::collections::BTreeMap;
use std::path::Path;

/// The part of a header that tells a model of many users.
const MARK: &str = "many_users";

/// A model of one person, or of many.
#[derive(Debug)]
pub enum Saved {
    /// One person's utilities, or everybody's as one.
    Single(Box<Model>),
    /// Many users.
    Many(Box<Population>),
}

/// Writes a model of many users to the file at `path`, as [`crate::save_model`] does.
///
/// # Errors
/// If the file cannot be written.
pub fn save_population(path: &Path, model: &Population) -> Result<(), Error> {
    let PopulationParts { header, floats, integers } = model.to_parts();
    let header = serde_json::to_value(&header).map_err(|source| Error::Io {
        action: Action::Write,
        path: path.to_path_buf(),
        source: source.into(),
    })?;
    let header = serde_json::json!({ MARK: header });
    let floats = floats
        .into_iter()
        .map(|(name, data)| (name.to_owned(), Tensor::F64 { shape: vec![data.len()], data }));
    let integers = integers
        .into_iter()
        .map(|(name, data)| (name.to_owned(), Tensor::U64 { shape: vec![data.len()], data }));
    model_file::write(path, &ModelFile { header, tensors: floats.chain(integers).collect() })
}

/// Writes a model to the file at `path`, as [`crate::save_model`] and [`save_population`] do.
///
/// # Errors
/// If the file cannot be written.
pub fn save(path: &Path, model: &Saved) -> Result<(), Error> {
    match model {
        Saved::Single(model) => save_model(path, model),
        Saved::Many(model) => save_population(path, model),
    }
}

/// Reads the model in the file at `path`, of one person or of many; it may come from a stranger.
///
/// # Errors
/// As [`crate::load_model`].
pub fn load_saved(path: &Path) -> Result<Saved, Error> {
    saved_of(path, model_file::read(path)?)
}

/// As [`load_saved`], for the contents of a file that would be called `path`.
///
/// # Errors
/// As [`load_saved`].
pub fn saved_of(path: &Path, file: ModelFile) -> Result<Saved, Error> {
    if file.header.get(MARK).is_some() {
        return decode(path, file).map(|model| Saved::Many(Box::new(model)));
    }
    load_single(path, file).map(|model| Saved::Single(Box::new(model)))
}

/// Whether a header is that of a model of many users.
pub(crate) fn is_many(header: &serde_json::Value) -> bool {
    header.get(MARK).is_some()
}

fn decode(path: &Path, ModelFile { mut header, mut tensors }: ModelFile) -> Result<Population, Error> {
    let damaged = |detail: String| Error::DamagedHeader { path: path.to_path_buf(), detail };
    let marked = header.get_mut(MARK).map(serde_json::Value::take).unwrap_or_default();
    let header: PopulationHeader =
        serde_json::from_value(marked).map_err(|error| damaged(error.to_string()))?;
    for encoder in [&header.item_encoder, &header.user_encoder] {
        check_encoder(encoder).map_err(damaged)?;
    }
    let (mut floats, mut integers) = (BTreeMap::new(), BTreeMap::new());
    for name in PopulationParts::FLOATS {
        match tensors.remove(name) {
            Some(Tensor::F64 { data, .. }) => drop(floats.insert(name, data)),
            Some(Tensor::U64 { .. }) => {
                return Err(damaged(format!("the tensor {name:?} has U64 instead of F64")));
            }
            None => {}
        }
    }
    for name in PopulationParts::INTEGERS {
        match tensors.remove(name) {
            Some(Tensor::U64 { data, .. }) => drop(integers.insert(name, data)),
            Some(Tensor::F64 { .. }) => {
                return Err(damaged(format!("the tensor {name:?} has F64 instead of U64")));
            }
            None => {}
        }
    }
    let parts = PopulationParts { header, floats, integers };
    limits::check_memory(path, parts.bytes_needed())?;
    Population::from_parts(parts).map_err(|error| damaged(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spoil::{Dice, spoil, spoil_tensor};
    use rather::answers::{Answer, Answers};
    use rather::many::Kind;
    use rather::many::population::{PopulationData, PopulationSettings};
    use rather::model::Items;

    fn population(kind: Kind) -> Population {
        let table = |prefix: &str, n: usize| Items {
            keys: (0..n).map(|i| format!("{prefix}{i}")).collect(),
            columns: Vec::new(),
        };
        let ask = |n: usize| {
            let (winner, loser) = (n * n % 5, (n * n + 1 + n % 3) % 5);
            Answer::rather(winner, loser).by(n % 3).times(1 + n as u32 % 2)
        };
        let answers: Answers = (0..18).map(ask).collect();
        let data = PopulationData { items: &table("i", 5), users: &table("u", 4), answers: &answers };
        Population::fit(&data, &PopulationSettings::new(kind), &|_| ()).unwrap()
    }

    fn saved(model: &Population) -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.rather");
        save_population(&path, model).unwrap();
        (folder, path)
    }

    #[test]
    fn every_kind_is_read_as_it_was_written() {
        for kind in Kind::ALL {
            let model = population(kind);
            let (_folder, path) = saved(&model);
            let Saved::Many(again) = load_saved(&path).unwrap() else { panic!("{kind:?}") };
            assert_eq!(again.to_parts(), model.to_parts());
            let error = crate::load_model(&path).err().unwrap().to_string();
            let shown = path.display().to_string();
            assert_eq!(
                error.replace(&shown, "m"),
                "m is a model of many users, and a model of one person is needed here; make one with rather fit --model single"
            );
        }
    }

    #[test]
    fn no_spoilt_file_brings_the_program_down() {
        let mut dice = Dice(1);
        for kind in Kind::ALL {
            let (_folder, path) = saved(&population(kind));
            let sound = model_file::read(&path).unwrap();
            for _ in 0..300 {
                let mut file = sound.clone();
                if dice.roll(2) == 0 {
                    spoil(&mut file.header, &mut dice);
                } else {
                    let at = dice.roll(file.tensors.len());
                    file.tensors.values_mut().skip(at).take(1).for_each(|t| spoil_tensor(t, &mut dice));
                }
                if let Ok(model) = decode(&path, file) {
                    drop(model.model().predict(0, &[(0, 1)]));
                    drop(model.average_user());
                    drop((model.reported_hyperparameters(), model.kernel_expression()));
                }
            }
        }
    }
}
