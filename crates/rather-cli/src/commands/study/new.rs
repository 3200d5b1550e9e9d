//! `rather study new`.

use super::shell;
use crate::args::NewArgs;
use crate::failure::Failure;
use crate::output::Output;
use crate::table::counted;
use rather::design::Policy;
use rather_study::Study;
use rather_study::definition::{Answers, Definition, Items, Subject, parse_parameter, read_toml};
use rather_study::space::Space;
use serde_json::json;

/// Runs the command.
pub(super) fn run(args: &NewArgs, seed: u64, mut out: Output) -> Result<(), Failure> {
    let mut definition = define(args)?;
    if seed != 0 {
        definition.seed = seed;
    }
    change(&mut definition, args);
    let name = match &args.study {
        Some(name) => name.clone(),
        None => args.file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default(),
    };
    let study = Study::create(&args.file, &name, &definition)?;
    for note in study.notes() {
        out.warn(note);
    }
    let file = args.file.display().to_string();
    let (key, count, noun) = match &definition.subject {
        Subject::Items(items) => ("items", items.keys.len(), "item"),
        Subject::Parameters(space) => ("parameters", space.parameters.len(), "parameter"),
    };
    if out.json {
        let notes = out.warnings().to_vec();
        let mut value = json!({"file": file, "study": name, "question": definition.question, "seed": definition.seed, "takes": definition.takes(), "notes": notes});
        value[key] = json!(count);
        return out.json(&value);
    }
    let counted = counted(count as u64, noun);
    let file = shell(&file);
    out.text(&format!(
        "made the study \"{name}\" with {counted}\n\nnext: rather study run {file}    answer here\n      rather study ask {file}    one comparison for another program\n"
    ))
}

/// What flags say comes before what the definition's file says.
fn change(definition: &mut Definition, args: &NewArgs) {
    if args.options.is_some() || args.take.is_some() {
        let options = args.options.map_or(definition.options, usize::from);
        // Of a set the best is asked, unless the file or a flag says something else.
        let usual = if args.options.is_some() && options > 2 && args.from.is_none() {
            Answers::Best
        } else {
            definition.answers
        };
        *definition = definition.clone().asking(options, args.take.unwrap_or(usual));
    }
    for (text, to) in [(&args.title, &mut definition.title), (&args.question, &mut definition.question)] {
        if let Some(text) = text {
            to.clone_from(text);
        }
    }
    let policy = definition.policy.with_opponent(args.opponent.unwrap_or(definition.policy.opponent));
    let acquisition = args.acquisition.unwrap_or(policy.acquisition);
    let initial = args.initial.map(|initial| initial as usize).or(policy.initial);
    definition.policy = Policy { acquisition, initial, ..policy };
    definition.half_life = args.half_life.or(definition.half_life);
    definition.within = args.within.clone().or(definition.within.take());
    definition.stop.answers = args.answers.or(definition.stop.answers);
    if !args.participant.is_empty() {
        definition.participants.names.clone_from(&args.participant);
    }
}

fn define(args: &NewArgs) -> Result<Definition, Failure> {
    if let Some(path) = &args.from {
        return Ok(read_toml(path)?);
    }
    if let Some(path) = &args.items {
        let table =
            rather_io::read_items(path, &rather_io::ItemOptions { complete: true, ..Default::default() })?;
        return Ok(Definition::new(Subject::Items(Items { keys: table.keys, columns: table.columns })));
    }
    if args.parameter.is_empty() {
        let problem = "name what is compared: --items ITEMS.csv, --parameter 'NAME=float(LOW,HIGH)', or --from DEFINITION.toml";
        return Err(Failure::User(problem.to_owned()));
    }
    let parameters = args.parameter.iter().map(|text| parse_parameter(text)).collect::<Result<_, _>>();
    let parameters = parameters.map_err(|sentence| Failure::User(format!("--parameter: {sentence}")))?;
    Ok(Definition::new(Subject::Parameters(Space { parameters })))
}
