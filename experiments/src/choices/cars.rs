//! Conjoint choices of cars: three of fifteen tasks of everybody are held out.

use std::collections::HashMap;
use std::path::Path;

use anyhow::{Context, Result};
use flate2::read::GzDecoder;
use rather::answers::Answer;
use rather::features::{Column, ColumnValues};
use rather::many::Kind;
use rather::model::Items;

use super::{fit, named, predicted, scores};

const TASKS: u32 = 15;
const HELD_OUT: usize = 3;

/// A task: who was asked, its number, and the options, the chosen one first.
struct Task {
    user: usize,
    number: u32,
    options: Vec<usize>,
}

pub(super) fn run(data: &Path, splits: u32) -> Result<()> {
    let (items, users, tasks) = read(&data.join("conjoint_cars_us/choices.csv.gz"))?;
    println!("cars: {users} people, {} tasks, {} different cars", tasks.len(), items.keys.len());
    let kinds = [Kind::Hierarchical, Kind::Pooled];
    let mut sums = vec![[0.0; 3]; kinds.len()];
    for split in 0..splits {
        let is_held_out = |task: &&Task| held_out(task.user as u32, split).contains(&task.number);
        let (test, training): (Vec<&Task>, Vec<&Task>) = tasks.iter().partition(is_held_out);
        let answers = |tasks: &[&Task]| -> Result<Vec<Answer>> {
            tasks.iter().map(|task| Ok(Answer::ordered(&task.options, 1, 0)?.by(task.user))).collect()
        };
        for (kind, sums) in kinds.iter().zip(&mut sums) {
            let (model, seconds) =
                fit(*kind, ("linear", &[]), (&items, &named(users)), &answers(&training)?)?;
            let (loss, hits) = scores(&predicted(&model, &answers(&test)?)?);
            println!(
                "split {split}, {}: log loss {loss:.4}, hit rate {hits:.4}, {seconds:.1} CPU s",
                kind.name()
            );
            [loss, hits, seconds].iter().zip(sums).for_each(|(x, sum)| *sum += x / f64::from(splits));
        }
    }
    for (kind, [loss, hits, seconds]) in kinds.iter().zip(sums) {
        println!("{}: log loss {loss:.4}, hit rate {hits:.4}, {seconds:.1} CPU s a split", kind.name());
    }
    Ok(())
}

/// The tasks of a person that are held out: those of the smallest hashes, which another program computes alike.
fn held_out(user: u32, split: u32) -> Vec<u32> {
    let hash = |task: &u32| {
        let mut h = (user * TASKS + task).wrapping_mul(2_654_435_761).wrapping_add(split * 40_503);
        h ^= h >> 16;
        h = h.wrapping_mul(2_246_822_519);
        h ^ (h >> 13)
    };
    let mut tasks: Vec<u32> = (0..TASKS).collect();
    tasks.sort_by_key(|task| (hash(task), *task));
    tasks.truncate(HELD_OUT);
    tasks
}

/// The different cars with their attributes, the number of people, and the tasks. What has the same attributes is the same car, but in one task.
fn read(path: &Path) -> Result<(Items, usize, Vec<Task>)> {
    let file = std::fs::File::open(path).with_context(|| path.display().to_string())?;
    let mut reader = csv::Reader::from_reader(GzDecoder::new(file));
    // Between the columns of people, tasks and choices and that of weights.
    let header: Vec<String> = reader.headers()?.iter().map(str::to_owned).collect();
    let attributes = 3..header.len() - 1;
    let (mut cars, mut people) = (HashMap::new(), HashMap::new());
    let mut columns: Vec<Vec<f64>> = vec![Vec::new(); attributes.len()];
    let mut tasks: Vec<Task> = Vec::new();
    let mut last = None;
    for row in reader.records() {
        let row = row?;
        let next = cars.len();
        let person = people.len();
        let user = *people.entry(row[0].to_owned()).or_insert(person);
        let here = (user, row[1].to_owned());
        if last.as_ref() != Some(&here) {
            let number = tasks.last().filter(|task| task.user == user).map_or(0, |task| task.number + 1);
            tasks.push(Task { user, number, options: Vec::new() });
            last = Some(here);
        }
        let Some(task) = tasks.last_mut() else { continue };
        let cells: Vec<String> = attributes.clone().map(|at| row[at].to_owned()).collect();
        let values: Vec<f64> = cells.iter().map(|cell| cell.parse()).collect::<Result<_, _>>()?;
        let mut car = *cars.entry((cells.clone(), 0)).or_insert(next);
        // In two tasks two cars are the same.
        if task.options.contains(&car) {
            car = *cars.entry((cells, 1)).or_insert(next);
        }
        if car == next {
            columns.iter_mut().zip(values).for_each(|(column, value)| column.push(value));
        }
        let place = if &row[2] == "1" { 0 } else { task.options.len() };
        task.options.insert(place, car);
    }
    let named = |(name, values): (&String, Vec<f64>)| Column {
        name: name.clone(),
        values: ColumnValues::Numeric(values),
    };
    let items = Items {
        keys: (0..cars.len()).map(|car| car.to_string()).collect(),
        columns: header[attributes].iter().zip(columns).map(named).collect(),
    };
    Ok((items, people.len(), tasks))
}
