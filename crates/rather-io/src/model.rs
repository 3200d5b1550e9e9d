//! Learned models as files.
//!
//! The header is [`ModelHeader`] as JSON; the arrays of [`ModelParts`] are the tensors `features` (one row an
//! item), `winners`, `losers`, `counts`, `tau` and `nu` (one entry a merged comparison, for every kernel that
//! predictions average over); and `draws`, if inference is exact
//! (one row a draw, one column a pair of items that were compared); and `answers`, if there are others than plain comparisons (see
//! [`ModelParts::answers`]); and `weights`, if answers have a half-life; and `sides` and `columns`, if comparisons have columns or are between teams, with `team_sizes` and `team_weights`. A streaming model has its state in the header, and sites of 0.

use crate::error::{Action, Error};
use crate::limits;
use crate::model_file::{self, ModelFile, Tensor};
use crate::population;
use rather::features::{Encoder, Encoding};
use rather::model::{Model, ModelHeader, ModelParts};
use std::collections::{BTreeMap, HashSet};
use std::path::Path;

/// The part of a header that tells a model of a cluster, which the Python package writes and reads.
pub const OF_CLUSTER: &str = "of_cluster";

/// Writes `model` to the file at `path`: the old file or the new one is there, whole, at any moment.
///
/// # Errors
/// If the file cannot be written.
///
/// # Examples
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("tea.rather");
/// use rather::Comparison;
/// use rather::model::{FitSettings, Items, Model};
///
/// let items = Items { keys: vec!["Assam".into(), "Oolong".into()], columns: vec![] };
/// let duels = [Comparison { winner: 1, loser: 0, count: 3.0 }];
/// let model = Model::fit(&items, &duels, &FitSettings::default(), &|_| ())?;
/// rather_io::save_model(&path, &model)?;
///
/// let again = rather_io::load_model(&path)?;
/// assert_eq!(again.rank(again.points())[0].item, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn save_model(path: &Path, model: &Model) -> Result<(), Error> {
    let ModelParts {
        header,
        features,
        sides,
        columns,
        team_sizes,
        team_weights,
        winners,
        losers,
        counts,
        weights,
        tau,
        nu,
        answers,
        draws,
    } = model.to_parts();
    let shape = vec![header.keys.len(), header.encoder.features.len()];
    let header = serde_json::to_value(&header).map_err(|source| Error::Io {
        action: Action::Write,
        path: path.to_path_buf(),
        source: source.into(),
    })?;
    let floats = |data: Vec<f64>| Tensor::F64 { shape: vec![data.len()], data };
    let whole = |data: Vec<u64>| Tensor::U64 { shape: vec![data.len()], data };
    let tensors = [
        ("features", Tensor::F64 { shape, data: features }),
        ("winners", whole(winners)),
        ("losers", whole(losers)),
        ("counts", whole(counts)),
        ("tau", floats(tau)),
        ("nu", floats(nu)),
    ];
    let mut tensors: BTreeMap<String, Tensor> =
        tensors.map(|(name, tensor)| (name.to_owned(), tensor)).into();
    if header.get("context").is_some() {
        tensors.insert("sides".to_owned(), whole(sides));
        tensors.insert("columns".to_owned(), floats(columns));
        if !team_sizes.is_empty() {
            tensors.insert("team_sizes".to_owned(), whole(team_sizes));
            tensors.insert("team_weights".to_owned(), floats(team_weights));
        }
    }
    if !weights.is_empty() {
        tensors.insert(model_file::WEIGHTS.to_owned(), floats(weights));
    }
    if !answers.is_empty() {
        tensors.insert("answers".to_owned(), whole(answers));
    }
    if let Some(exact) = model.belief().exact() {
        let rows = exact.report().draws;
        let shape = vec![rows, draws.len() / rows.max(1)];
        tensors.insert("draws".to_owned(), Tensor::F64 { shape, data: draws });
    }
    model_file::write(path, &ModelFile { header, tensors })
}

/// Reads the model in the file at `path`, which may come from a stranger.
///
/// # Errors
/// If the file cannot be read, is no model file, is damaged, or its parts do not fit together.
pub fn load_model(path: &Path) -> Result<Model, Error> {
    load_single(path, model_file::read(path)?)
}

/// The model of one person that a file holds.
pub(crate) fn load_single(path: &Path, file: ModelFile) -> Result<Model, Error> {
    if population::is_many(&file.header) {
        return Err(Error::ManyUsers { path: path.to_path_buf() });
    }
    if file.header.get(OF_CLUSTER).is_some() {
        return Err(Error::OfCluster { path: path.to_path_buf() });
    }
    decode(path, file)
}

fn decode(path: &Path, ModelFile { header, mut tensors }: ModelFile) -> Result<Model, Error> {
    let damaged = |detail: String| Error::DamagedHeader { path: path.to_path_buf(), detail };
    let header: ModelHeader = serde_json::from_value(header).map_err(|error| damaged(error.to_string()))?;
    check_header(&header).map_err(damaged)?;
    let mut take = |name: &str, shape: &[usize]| take(&mut tensors, path, name, shape);
    let features = take("features", &[header.keys.len(), header.encoder.features.len()])?;
    let winners = take("winners", &[])?;
    let n = [winners.len()];
    let [losers, counts] = ["losers", "counts"].map(|name| take(name, &n));
    // A site of every kernel that predictions average over.
    let n = [winners.len().saturating_mul(1 + header.rivals.len())];
    let [tau, nu] = ["tau", "nu"].map(|name| take(name, &n));
    // Files of approximate models have none; whether there are as many as needed is for the model to say.
    let draws = tensors.remove("draws").map_or(Ok(Vec::new()), |draws| floats(path, "draws", draws))?;
    // Files of plain comparisons have none.
    let answers =
        tensors.remove("answers").map_or(Ok(Vec::new()), |answers| self::whole(path, "answers", answers))?;
    // Only files of models that forget have them.
    let weights = tensors
        .remove(model_file::WEIGHTS)
        .map_or(Ok(Vec::new()), |weights| floats(path, model_file::WEIGHTS, weights))?;
    // Only files of comparisons with columns have them.
    let sides = tensors.remove("sides").map_or(Ok(Vec::new()), |sides| self::whole(path, "sides", sides))?;
    let columns =
        tensors.remove("columns").map_or(Ok(Vec::new()), |columns| floats(path, "columns", columns))?;
    // Only files of teams have them.
    let team_sizes = tensors
        .remove("team_sizes")
        .map_or(Ok(Vec::new()), |sizes| self::whole(path, "team_sizes", sizes))?;
    let team_weights = tensors
        .remove("team_weights")
        .map_or(Ok(Vec::new()), |weights| floats(path, "team_weights", weights))?;
    let parts = ModelParts {
        header,
        features: floats(path, "features", features)?,
        sides,
        columns,
        team_sizes,
        team_weights,
        winners: whole(path, "winners", winners)?,
        losers: whole(path, "losers", losers?)?,
        counts: whole(path, "counts", counts?)?,
        weights,
        tau: floats(path, "tau", tau?)?,
        nu: floats(path, "nu", nu?)?,
        answers,
        draws,
    };
    limits::check_memory(path, parts.bytes_needed())?;
    Model::from_parts(parts).map_err(|error| damaged(error.to_string()))
}

/// What the library takes for granted because its own types cannot have it otherwise.
fn check_header(header: &ModelHeader) -> Result<(), String> {
    let mut seen = HashSet::new();
    if let Some(key) = header.keys.iter().find(|key| !seen.insert(key.as_str())) {
        return Err(format!("the key {key:?} appears twice"));
    }
    header.context.as_ref().map_or(Ok(()), |context| check_encoder(&context.encoder))?;
    check_encoder(&header.encoder)
}

pub(crate) fn check_encoder(encoder: &Encoder) -> Result<(), String> {
    for (name, encoding) in &encoder.features {
        let sound = match encoding {
            Encoding::Numeric { center, scale } => center.is_finite() && scale.is_finite() && *scale > 0.0,
            Encoding::Categorical { levels } => levels.is_sorted(),
            Encoding::Missing { .. } => true,
        };
        if !sound {
            return Err(format!("the encoding of the feature {name:?} is none"));
        }
    }
    Ok(())
}

/// The tensor called `name`, which must have this shape (an empty one stands for one axis of any length).
fn take(
    tensors: &mut BTreeMap<String, Tensor>,
    path: &Path,
    name: &str,
    shape: &[usize],
) -> Result<Tensor, Error> {
    let tensor = tensors.remove(name).ok_or_else(|| Error::DamagedHeader {
        path: path.to_path_buf(),
        detail: format!("the tensor {name:?} is missing"),
    })?;
    let fits = if shape.is_empty() { tensor.shape().len() == 1 } else { tensor.shape() == shape };
    if fits {
        return Ok(tensor);
    }
    let detail = format!("the tensor {name:?} has the shape {:?} instead of {shape:?}", tensor.shape());
    Err(Error::DamagedHeader { path: path.to_path_buf(), detail })
}

fn floats(path: &Path, name: &str, tensor: Tensor) -> Result<Vec<f64>, Error> {
    match tensor {
        Tensor::F64 { data, .. } => Ok(data),
        Tensor::U64 { .. } => Err(wrong_type(path, name, "U64 instead of F64")),
    }
}

fn whole(path: &Path, name: &str, tensor: Tensor) -> Result<Vec<u64>, Error> {
    match tensor {
        Tensor::U64 { data, .. } => Ok(data),
        Tensor::F64 { .. } => Err(wrong_type(path, name, "F64 instead of U64")),
    }
}

fn wrong_type(path: &Path, name: &str, found: &str) -> Error {
    let detail = format!("the tensor {name:?} has {found}");
    Error::DamagedHeader { path: path.to_path_buf(), detail }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spoil::{Dice, spoil, spoil_tensor};
    use rather::Comparison;
    use rather::features::{Column, ColumnValues};
    use rather::inference::prior::Space;
    use rather::learn::choice::{KernelChoice, KernelSpec};
    use rather::likelihood::{Lapses, ResponseModel};
    use rather::model::{Ep, Inference};
    use rather::model::{FitSettings, Items, Naming};
    use serde_json::json;
    use std::fs;
    use std::path::PathBuf;

    /// Ten items with numbers, categories and a label, and comparisons with repeats and contradictions.
    fn model(expression: &str, space: Option<Space>) -> Model {
        let numbers = |f: fn(f64) -> f64| ColumnValues::Numeric((0..10).map(|i| f(f64::from(i))).collect());
        let texts = |f: fn(i32) -> String| ColumnValues::Text((0..10).map(f).collect());
        let column = |name: &str, values| Column { name: name.into(), values };
        let columns = vec![
            column("price", numbers(|i| (3.7 * i).sin() * 10.0 + 50.0)),
            column("kind", texts(|i| ["black", "green"][(i % 2) as usize].into())),
            column("name", texts(|i| format!("tea {i}"))),
        ];
        let items = Items { keys: (0..10).map(|i| format!("t{i}")).collect(), columns };
        let comparisons: Vec<Comparison> = (0..20)
            .map(|i| {
                let (winner, loser) = ((i * i + 1) % 10, i * 3 % 9);
                Comparison {
                    winner,
                    loser: if winner == loser { 9 - loser } else { loser },
                    count: (1 + i % 3) as f64,
                }
            })
            .collect();
        let kernel = KernelChoice::Given(KernelSpec { expression: expression.into(), ard: true });
        let settings = FitSettings {
            inference: Inference::Ep(Ep { space, ..Ep::default() }),
            kernel,
            ..FitSettings::default()
        };
        Model::fit(&items, &comparisons, &settings, &|_| ()).unwrap()
    }

    fn saved(model: &Model) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.rather");
        save_model(&path, model).unwrap();
        (folder, path)
    }

    /// The message of loading the model with its file changed.
    fn broken(change: impl FnOnce(&mut ModelFile)) -> String {
        let (_folder, path) = saved(&model("se", None));
        let mut file = model_file::read(&path).unwrap();
        change(&mut file);
        model_file::write(&path, &file).unwrap();
        // Not `unwrap_err`, which would print the model.
        let error = load_model(&path).err().unwrap().to_string();
        error.replace(&path.display().to_string(), "m")
    }

    #[test]
    fn a_loaded_model_predicts_the_same() {
        for space in [None, Some(Space::Items), Some(Space::Pairs)] {
            for kernel in ["se", "matern32[price] + categorical[kind] + white", "linear", "white"] {
                let model = model(kernel, space);
                let (_folder, path) = saved(&model);
                let again = load_model(&path).unwrap();
                let pairs: Vec<(usize, usize)> =
                    (0..10).flat_map(|i| (0..10).map(move |j| (i, j))).filter(|(i, j)| i != j).collect();
                let [old, new] = [&model, &again].map(|m| m.probabilities(m.points(), &pairs));
                for (old, new) in old.iter().zip(&new) {
                    assert!((old - new).abs() <= 1e-12, "{kernel} {space:?}: {old} {new}");
                }
                let [old, new] = [&model, &again].map(|m| m.utilities(m.points()));
                for (old, new) in
                    old.mean.iter().chain(&old.variance).zip(new.mean.iter().chain(&new.variance))
                {
                    assert!(
                        (old - new).abs() <= 1e-12 * (1.0 + old.abs()),
                        "{kernel} {space:?}: {old} {new}"
                    );
                }
                assert_eq!(again.to_parts(), model.to_parts());
                assert_eq!(again.label(3), Some("tea 3"));
            }
        }
    }

    #[test]
    fn a_model_of_a_cluster_says_who_opens_it() {
        let sentence = broken(|file| file.header = json!({ OF_CLUSTER: {} }));
        assert_eq!(
            sentence,
            "m is a model that a cluster learned; open it in Python, by rather.distributed.BlocksGP.load"
        );
    }

    #[test]
    fn a_model_of_low_rank_keeps_its_inducing_items() {
        let x = Column {
            name: "x".into(),
            values: ColumnValues::Numeric((0..40).map(|i| (1.7 * f64::from(i)).sin()).collect()),
        };
        let items = Items { keys: (0..40).map(|i| format!("t{i}")).collect(), columns: vec![x] };
        let duels: Vec<Comparison> = (0..90)
            .map(|i| Comparison { winner: 7 * i % 39, loser: (7 * i + 1 + i % 30) % 39, count: 1.0 })
            .filter(|c| c.winner != c.loser)
            .collect();
        let representation = rather::representation::Representation::LowRank(6);
        let settings = FitSettings {
            inference: Inference::Ep(Ep { representation, ..Ep::default() }),
            ..FitSettings::default()
        };
        let model = Model::fit(&items, &duels, &settings, &|_| ()).unwrap();
        let (_folder, path) = saved(&model);
        let again = load_model(&path).unwrap();
        assert_eq!(again.to_parts(), model.to_parts());
        let inducing = model.to_parts().header.inducing.unwrap();
        assert!((2..=6).contains(&inducing.len()), "{inducing:?}");
        let pairs = [(0, 1), (1, 39), (39, 2)];
        let [old, new] = [&model, &again].map(|m| m.probabilities(m.points(), &pairs));
        assert_eq!(old, new);
        // Whoever wrote it.
        for wrong in [vec![], vec![0, 0], vec![39]] {
            let mut parts = model.to_parts();
            parts.header.inducing = Some(wrong);
            let error = Model::from_parts(parts).err().unwrap().to_string();
            assert!(error.contains("the inducing points are not compared items"), "{error}");
        }
    }

    fn exact_model() -> Model {
        let items = Items { keys: (0..4).map(|i| format!("t{i}")).collect(), columns: Vec::new() };
        let duels =
            [(0, 1), (1, 2), (2, 3), (3, 1)].map(|(winner, loser)| Comparison { winner, loser, count: 2.0 });
        let exact = rather::exact::ExactSettings { samples: 100, ..Default::default() };
        let settings = FitSettings {
            inference: rather::model::Inference::Exact(rather::model::Exact {
                sampling: exact,
                ..Default::default()
            }),
            ..FitSettings::default()
        };
        Model::fit(&items, &duels, &settings, &|_| ()).unwrap()
    }

    fn streaming_model() -> Model {
        let of = model("se", None);
        let price = Column {
            name: "price".into(),
            values: ColumnValues::Numeric((0..10).map(|i| f64::from(i) * 1.5).collect()),
        };
        let items = Items { keys: of.keys().to_vec(), columns: vec![price] };
        let duels: Vec<Comparison> = (0..30)
            .map(|i| Comparison { winner: (3 * i + 1) % 10, loser: (3 * i + 4) % 10, count: 1.0 })
            .collect();
        let streaming = rather::model::StreamingSettings { memory: Some(20), ..Default::default() };
        let settings = FitSettings {
            inference: rather::model::Inference::Streaming(streaming),
            response_model: ResponseModel { lapses: Lapses::Rate(0.02), ..ResponseModel::default() },
            ..FitSettings::default()
        };
        Model::fit(&items, &duels, &settings, &|_| ()).unwrap()
    }

    #[test]
    fn a_streaming_model_goes_on_from_its_file() {
        let model = streaming_model();
        let (_folder, path) = saved(&model);
        let again = load_model(&path).unwrap();
        assert_eq!(again.to_parts(), model.to_parts());
        let pairs = [(0, 1), (1, 3), (2, 0)];
        let [old, new] = [&model, &again].map(|m| m.probabilities(m.points(), &pairs));
        assert_eq!(old, new);
        let [mut old, mut new] = [&model, &again].map(|m| m.belief().streaming().unwrap().model().clone());
        let [old, new] = [&mut old, &mut new].map(|m| m.answer(model.points(), 3, 4).unwrap());
        assert_eq!(old, new);
    }

    fn sparse_model() -> Model {
        let items = Items { keys: (0..6).map(|i| format!("t{i}")).collect(), columns: Vec::new() };
        let duels = [(0, 1), (1, 2), (2, 0), (3, 4), (0, 3)].map(|(winner, loser)| Comparison {
            winner,
            loser,
            count: 2.0,
        });
        let representation = rather::representation::Representation::Sparse;
        let settings = FitSettings {
            inference: Inference::Ep(Ep { representation, ..Ep::default() }),
            ..FitSettings::default()
        };
        Model::fit(&items, &duels, &settings, &|_| ()).unwrap()
    }

    #[test]
    fn a_sparse_model_is_rebuilt_from_its_sites() {
        let model = sparse_model();
        let (_folder, path) = saved(&model);
        let again = load_model(&path).unwrap();
        assert_eq!(again.to_parts(), model.to_parts());
        let pairs = [(0, 1), (1, 4), (2, 5)];
        let [old, new] = [&model, &again].map(|m| m.probabilities(m.points(), &pairs));
        assert_eq!(old, new);
        assert!(again.posterior().is_err());
    }

    /// What is drawn is in the file, so that a later version, or another machine, predicts the same.
    #[test]
    fn an_exact_model_keeps_its_draws() {
        let model = exact_model();
        let (_folder, path) = saved(&model);
        let file = model_file::read(&path).unwrap();
        assert_eq!(file.tensors["draws"].shape(), [100, 4]);
        let again = load_model(&path).unwrap();
        assert_eq!(again.to_parts(), model.to_parts());
        let pairs = [(0, 1), (1, 3), (2, 0)];
        let [old, new] = [&model, &again].map(|m| m.probabilities(m.points(), &pairs));
        assert_eq!(old, new);
    }

    #[test]
    fn a_header_without_the_new_parts_is_read() {
        let (_folder, path) = saved(&model("se", None));
        let file = model_file::read(&path).unwrap();
        assert!(file.header.get("exact").is_none() && file.header["report"].get("exact").is_none());
        assert!(!file.tensors.contains_key("draws"));
        load_model(&path).unwrap();
    }

    #[test]
    fn the_same_model_gives_the_same_bytes() {
        let (_folder, path) = saved(&model("se", None));
        let (_other, again) = saved(&load_model(&path).unwrap());
        assert_eq!(fs::read(path).unwrap(), fs::read(again).unwrap());
    }

    #[test]
    fn damage_has_its_sentence() {
        let sentence = |detail: &str| format!("the header of m is damaged ({detail}); make the model again");
        assert_eq!(
            broken(|file| drop(file.tensors.remove("tau"))),
            sentence("the tensor \"tau\" is missing")
        );
        let short = broken(|file| {
            file.tensors.insert("nu".into(), Tensor::F64 { shape: vec![1], data: vec![0.0] });
        });
        assert!(short.contains("(the tensor \"nu\" has the shape [1] instead of ["), "{short}");
        assert_eq!(
            broken(|file| file.header["keys"][1] = json!("t0")),
            sentence("the key \"t0\" appears twice")
        );
        assert_eq!(
            broken(|file| file.header["encoder"]["features"][0][1]["scale"] = json!(0.0)),
            sentence("the encoding of the feature \"price\" is none")
        );
        assert!(broken(|file| file.header = json!({})).contains("missing field"));
    }

    /// Numbers whose squares overflow would make predictions that are not numbers.
    #[test]
    fn numbers_beyond_their_bounds_are_refused() {
        for (tensor, sentence) in [
            ("tau", "the precision or the shift of a site is beyond 1e100"),
            ("nu", "the precision or the shift of a site is beyond 1e100"),
            ("features", "a feature is beyond 1e150"),
        ] {
            for value in [1e308, -1e308] {
                let message = broken(|file| match file.tensors.get_mut(tensor) {
                    Some(Tensor::F64 { data, .. }) => data[0] = value,
                    _ => panic!("no {tensor}"),
                });
                assert!(message.contains(sentence), "{message}");
            }
        }
    }

    #[test]
    fn names_and_ratings_stay_what_they_were() {
        let keys = (0..4).map(|i| (10 * i).to_string()).collect();
        let items = Items { keys, columns: Vec::new() };
        let rated = |item, level| rather::answers::Answer::rated(item, level);
        let answers = [rated(0, 0), rated(1, 1), rated(2, 2), rated(3, 1)];
        let model = Model::fit_answers(&items, &answers, &[], &FitSettings::default(), &|_| ()).unwrap();
        let naming = Naming { integer_items: true, levels: vec![1.0, 2.5, 4.0], ..Naming::default() };
        let model = model.with_naming(naming.clone()).unwrap();
        let (_folder, path) = saved(&model);
        assert_eq!(*load_model(&path).unwrap().naming(), naming);
        // A name that is no whole number, and another number of ratings than levels.
        for wrong in [json!({"integer_items": true, "levels": [1.0]}), json!({"levels": [3.0, 2.0, 1.0]})] {
            let mut file = model_file::read(&path).unwrap();
            file.header["naming"] = wrong;
            model_file::write(&path, &file).unwrap();
            let message = load_model(&path).err().unwrap().to_string();
            assert!(message.contains("the ratings are not those of its levels"), "{message}");
        }
    }

    #[test]
    fn a_small_file_does_not_ask_for_gigabytes() {
        let n = 32_000;
        let message = broken(|file| {
            file.header["rivals"] = json!([]);
            file.header["keys"] = (0..n).map(|i| i.to_string()).collect::<Vec<_>>().into();
            let features = Tensor::F64 { shape: vec![n, 2], data: vec![0.0; 2 * n] };
            file.tensors.insert("features".into(), features);
            let whole = |f: fn(u64) -> u64| Tensor::U64 {
                shape: vec![n / 2],
                data: (0..n as u64 / 2).map(f).collect(),
            };
            file.tensors.insert("winners".into(), whole(|i| 2 * i));
            file.tensors.insert("losers".into(), whole(|i| 2 * i + 1));
            file.tensors.insert("counts".into(), whole(|_| 1));
            for name in ["tau", "nu"] {
                let sites = Tensor::F64 { shape: vec![n / 2], data: vec![0.1; n / 2] };
                file.tensors.insert(name.into(), sites);
            }
        });
        assert_eq!(
            message,
            "the model in m needs about 30.5 GiB of memory, and 2.0 GiB are allowed; if you trust the file, allow more with the \
             environment variable RATHER_MEMORY, such as RATHER_MEMORY=16G"
        );
    }

    #[test]
    fn no_spoilt_file_brings_the_program_down() {
        let kernels = ["se", "rq[price] * categorical[kind] + linear + periodic[price] + constant"];
        let mut dice = Dice(1);
        let models = kernels
            .into_iter()
            .flat_map(|kernel| [Space::Items, Space::Pairs].map(|space| model(kernel, Some(space))));
        for model in models.chain([exact_model(), streaming_model(), sparse_model()]) {
            let (_folder, path) = saved(&model);
            let sound = model_file::read(&path).unwrap();
            for _ in 0..400 {
                let mut file = sound.clone();
                for _ in 0..=dice.roll(2) {
                    if dice.roll(2) == 0 {
                        spoil(&mut file.header, &mut dice);
                    } else {
                        let at = dice.roll(file.tensors.len());
                        file.tensors.values_mut().skip(at).take(1).for_each(|t| spoil_tensor(t, &mut dice));
                    }
                }
                if let Ok(model) = decode(&path, file) {
                    let points = model.points();
                    model.rank(points);
                    model.probabilities(points, &[(0, 1)]);
                    (0..points.len()).for_each(|i| assert!(model.label(i).is_none_or(|l| l.len() < 100)));
                    drop((model.reported_hyperparameters(), model.kernel_expression()));
                }
            }
        }
    }
}
