//! What a fit was estimated to take against the allocations that it makes. In a file of its own: it counts with an allocator of its own.

use rather::answers::{Answer, Answers};
use rather::context::{ContextColumn, Sides};
use rather::exact::ExactSettings;
use rather::features::{Column, ColumnValues};
use rather::inference::Method;
use rather::learn::choice::{KernelChoice, KernelSpec};
use rather::model::{Ep, Exact, FitSettings, Inference, Items, Model, SparseFit};
use rather::representation::Representation;
use rather::{Comparison, Error};
use rather_numerics::random::{stream, uniform};

/// Items with so many features, of which the first is their utility.
fn items(count: usize, features: usize) -> Items {
    let column = |d: usize| {
        let mut rng = stream(d as u64, 1);
        let values = (0..count).map(|_| uniform(&mut rng)).collect();
        Column { name: format!("x{d}"), values: ColumnValues::Numeric(values) }
    };
    Items {
        keys: (0..count).map(|i| format!("item {i}")).collect(),
        columns: (0..features).map(column).collect(),
    }
}

/// Pairs drawn at random; one answer in nine is wrong.
fn answers(items: usize, count: usize) -> Vec<Comparison> {
    answers_of(items, count, 9)
}

/// The same with every second answer wrong: nobody knows how large the variance of the utilities is, and predictions average over it.
fn answers_by_chance(items: usize, count: usize) -> Vec<Comparison> {
    answers_of(items, count, 2)
}

/// One answer in so many is wrong.
fn answers_of(items: usize, count: usize, wrong: usize) -> Vec<Comparison> {
    let mut rng = stream(3, 1);
    let mut below = |n: usize| (uniform(&mut rng) * n as f64) as usize;
    let mut answer = || {
        let a = below(items);
        let b = (a + 1 + below(items - 1)) % items;
        let (winner, loser) = if (a < b) == (below(wrong) > 0) { (a, b) } else { (b, a) };
        Comparison { winner, loser, count: 1.0 }
    };
    (0..count).map(|_| answer()).collect()
}

/// What a thread multiplies matrices in: the program's own, whatever is fitted.
const OF_A_THREAD: u64 = 9 << 19;

/// The largest number of bytes that a fit holds at a time, and the model. On one thread, for only the caller's allocations are counted.
fn measured(items: &Items, answers: &[Comparison], settings: &FitSettings) -> (u64, Model) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| {
        let mut model = None;
        let counted = allocation_counter::measure(|| {
            model = Some(Model::fit(items, answers, settings, &|_| ()).unwrap());
        });
        (counted.bytes_max.saturating_sub(OF_A_THREAD), model.unwrap())
    })
}

/// A fit keeps to its estimate, and the estimate is not far above what it takes: at most four times as much, for tables that are read
/// from files, and the largest features that a kernel may have, are counted, too.
fn keeps(name: &str, items: &Items, answers: &[Comparison], settings: &FitSettings) -> Model {
    let (bytes, model) = measured(items, answers, settings);
    let held = model.report().representation.unwrap();
    let share = bytes as f64 / held.estimated as f64;
    println!(
        "{name}, {} items: {bytes} of {} bytes estimated ({share:.2})",
        items.keys.len(),
        held.estimated
    );
    assert!(share <= 1.0 && share > 0.25, "{name}: {share:.2} of the estimate");
    model
}

fn given(expression: &str) -> KernelChoice {
    KernelChoice::Given(KernelSpec { expression: expression.into(), ard: false })
}

#[test]
fn the_whole_covariance_takes_what_was_estimated() {
    for n in [300, 600] {
        let settings = FitSettings { kernel: given("se"), ..FitSettings::default() };
        keeps("whole", &items(n, 2), &answers(n, 6 * n), &settings);
        let by_chance = answers_by_chance(n, 6 * n);
        let model = keeps("whole by name", &items(n, 0), &by_chance, &FitSettings::default());
        assert!(
            model.belief().mixture().is_some(),
            "{n} names: what an average takes is part of the estimate"
        );
        // Where answers tell the variance, there is no average, of which the estimate cannot know.
        let (bytes, model) = measured(&items(n, 0), &answers(n, 6 * n), &FitSettings::default());
        assert!(bytes <= model.report().representation.unwrap().estimated, "{n} names");
        let settings = FitSettings { inference: Method::Laplace.into(), ..settings };
        keeps("laplace", &items(n, 2), &answers(n, 6 * n), &settings);
    }
}

/// Kernels that answers cannot tell apart, and settings around each: as many as predictions may average over.
#[test]
fn an_average_over_kernels_takes_what_was_estimated() {
    let n = 300;
    keeps("average", &items(n, 3), &answers_by_chance(n, 2 * n), &FitSettings::default());
}

#[test]
fn features_of_low_rank_take_what_was_estimated() {
    for n in [1000, 2000] {
        let settings = FitSettings {
            inference: Inference::Ep(Ep { representation: Representation::LowRank(64), ..Ep::default() }),
            kernel: given("se"),
            ..FitSettings::default()
        };
        keeps("low rank", &items(n, 2), &answers(n, 10 * n), &settings);
    }
}

#[test]
fn a_sparse_precision_takes_what_was_estimated() {
    for n in [2000, 4000] {
        let sparse = FitSettings {
            inference: Inference::Ep(Ep { representation: Representation::Sparse, ..Ep::default() }),
            ..FitSettings::default()
        };
        // A chain multiplies no matrices, so that it has to be long beside what the thread is said to take for that.
        let long = 10 * n;
        let chain: Vec<Comparison> =
            (1..long).map(|i| Comparison { winner: i - 1, loser: i, count: 1.0 }).collect();
        let model = keeps("sparse, by factor", &items(long, 0), &chain, &sparse);
        assert!(matches!(model.report().sparse, Some(SparseFit::Factor { .. })));
        // As much as messages need, and nothing for a factor.
        let (items, answers) = (items(n, 0), answers(n, 20 * n));
        let Err(Error::Memory { needed, .. }) =
            Model::fit(&items, &answers, &FitSettings { memory: 1, ..sparse.clone() }, &|_| ())
        else {
            panic!("one byte is not enough")
        };
        let model = keeps("sparse, by messages", &items, &answers, &FitSettings { memory: needed, ..sparse });
        assert!(matches!(model.report().sparse, Some(SparseFit::Messages { entries: 0, .. })));
    }
}

/// Votes about 100 names, with a date and two style columns of each side.
fn votes(count: usize) -> (Items, Sides, Vec<Answer>) {
    let items = items(100, 0);
    let pairs = answers(100, count);
    let mut rng = stream(4, 1);
    let mut column = |name: &str, shared: bool| {
        let mut values: Vec<f64> = (0..2 * count).map(|_| uniform(&mut rng)).collect();
        if shared {
            values = (0..2 * count).map(|side| 20.0 * (side / 2) as f64 / count as f64).collect();
        }
        let column = Column { name: name.into(), values: ColumnValues::Numeric(values) };
        ContextColumn { column, shared, date: false }
    };
    let columns = vec![column("tokens", false), column("bold", false), column("date", true)];
    let of = pairs.iter().flat_map(|pair| [pair.winner as u32, pair.loser as u32]).collect();
    let given = (0..count).map(|vote| Answer::rather(2 * vote, 2 * vote + 1)).collect();
    (items, Sides { items: of, columns, ..Sides::default() }, given)
}

#[test]
fn columns_of_comparisons_take_what_was_estimated() {
    for count in [500, 20_000] {
        for kernel in ["white[item] + linear[tokens,bold]", "white[item] + white[item]*wiener[date]"] {
            let settings = FitSettings { kernel: given(kernel), ..FitSettings::default() };
            let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
            let (mut model, mut bytes) = (None, 0);
            pool.install(|| {
                let counted = allocation_counter::measure(|| {
                    let (items, sides, given) = votes(count);
                    let fitted = Model::fit_in_context(&items, &sides, &given, &[], &settings, &|_| ());
                    model = Some(fitted.unwrap());
                });
                bytes = counted.bytes_max.saturating_sub(OF_A_THREAD);
            });
            let held = model.unwrap().report().representation.unwrap();
            let share = bytes as f64 / held.estimated as f64;
            println!("{kernel}, {count} votes: {bytes} of {} bytes estimated ({share:.2})", held.estimated);
            assert!(share <= 1.0 && share > 0.25, "{kernel}, {count}: {share:.2} of the estimate");
        }
    }
}

#[test]
fn exact_draws_take_what_was_estimated() {
    for samples in [2000, 8000] {
        let exact = ExactSettings { samples, ..ExactSettings::default() };
        let settings = FitSettings {
            inference: Inference::Exact(Exact { sampling: exact, ..Exact::default() }),
            kernel: given("se"),
            ..FitSettings::default()
        };
        keeps("exact", &items(40, 2), &answers(40, 120), &settings);
        let refused = Model::fit(
            &items(40, 2),
            &answers(40, 120),
            &FitSettings { memory: 1 << 20, ..settings },
            &|_| (),
        );
        assert!(matches!(refused, Err(Error::Memory { .. })), "{refused:?}");
    }
}

#[test]
fn streaming_takes_no_more_than_was_estimated() {
    use rather::memory::{Size, streaming};

    for (n, keep) in [(100, 128), (400, 512)] {
        // So short a lengthscale that the basis grows as large as it may.
        let fixed = vec![("lengthscale".to_owned(), 0.1)];
        let settings = FitSettings {
            inference: Method::Streaming.into(),
            kernel: given("se"),
            fixed,
            ..FitSettings::default()
        };
        let streams = rather::model::StreamingSettings { memory: Some(keep), ..Default::default() };
        let settings = FitSettings { inference: Inference::Streaming(streams), ..settings };
        let answers = answers(n, 4 * n);
        let (bytes, _) = measured(&items(n, 2), &answers, &settings);
        let estimated = streaming(
            &Size { columns: 2, ..Size::new(n, answers.len()) },
            streams.largest_basis(false),
            keep,
        );
        println!("streaming, {n} items: {bytes} of {estimated} bytes estimated");
        assert!(bytes <= estimated && 4 * bytes > estimated, "{bytes} of {estimated}");
    }
}

#[test]
fn a_model_of_many_users_takes_no_more_than_was_estimated() {
    use rather::many::population::{PopulationData, PopulationSettings};
    use rather::many::{Kind, Population};

    for (users, n) in [(20, 30), (60, 60)] {
        let said = answers(n, users * 20);
        let of = |(k, c): (usize, &Comparison)| Answer::rather(c.winner, c.loser).by(k % users);
        let said: Answers = said.iter().enumerate().map(of).collect();
        let (items, users) = (items(n, 2), items(users, 0));
        for kind in Kind::ALL {
            let data = PopulationData { items: &items, users: &users, answers: &said };
            let fit = |memory| {
                let settings =
                    PopulationSettings { kernel: given("se"), memory, ..PopulationSettings::new(kind) };
                Population::fit(&data, &settings, &|_| ())
            };
            let Err(Error::Memory { needed, .. }) = fit(1) else { panic!("one byte is not enough") };
            let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
            let counted = pool.install(|| allocation_counter::measure(|| drop(fit(needed).unwrap())));
            // The smallest models take next to nothing beside that.
            let bytes = counted.bytes_max.saturating_sub(OF_A_THREAD);
            println!("{}, {n} items: {bytes} of {needed} bytes estimated", kind.name());
            assert!(bytes <= needed, "{}: {bytes} of {needed}", kind.name());
        }
    }
}
