//! Teams: the same as items whose utilities are weights of columns that say who plays.

use rather::Error;
use rather::answers::Answer;
use rather::context::{ContextColumn, Sides};
use rather::features::{Column, ColumnValues};
use rather::inference::Method;
use rather::learn::choice::{KernelChoice, KernelSpec};
use rather::model::{Ep, FitSettings, Inference, Items, Model};
use rather::representation::Representation;

use crate::common::close;

const PLAYERS: usize = 6;

fn players() -> Items {
    Items { keys: (0..PLAYERS).map(|i| format!("p{i}")).collect(), columns: vec![] }
}

/// Teams of one to three, some in part.
fn teams() -> Vec<Vec<(u32, f64)>> {
    vec![
        vec![(0, 1.0)],
        vec![(0, 1.0), (1, 1.0)],
        vec![(2, 1.0), (3, 0.5)],
        vec![(1, 0.25), (4, 1.0), (5, 1.0)],
        vec![(3, 1.0)],
        vec![(0, 1.0), (5, 1.0)],
    ]
}

fn answers() -> Vec<Answer> {
    let won = [(1, 0), (1, 2), (3, 1), (2, 4), (5, 3), (0, 4), (5, 2), (3, 0), (2, 1)];
    won.iter().enumerate().map(|(i, &(a, b))| Answer::rather(a, b).times(1 + i as u32 % 2)).collect()
}

/// A column a player with how much of a team the player is, for this many sides.
fn shares() -> Vec<ContextColumn> {
    let share = |player: usize| {
        let of = |team: &Vec<(u32, f64)>| {
            team.iter().find(|(item, _)| *item as usize == player).map_or(0.0, |(_, share)| *share)
        };
        let values = ColumnValues::Numeric(teams().iter().map(of).collect());
        let column = Column { name: format!("plays{player}"), values };
        ContextColumn { column, shared: false, date: false }
    };
    (0..PLAYERS).map(share).collect()
}

fn settings(kernel: &str, fixed: &[(&str, f64)]) -> FitSettings {
    FitSettings {
        kernel: KernelChoice::Given(KernelSpec { expression: kernel.into(), ard: false }),
        raw_features: true,
        fixed: fixed.iter().map(|&(name, value)| (name.to_owned(), value)).collect(),
        ..FitSettings::default()
    }
}

fn of_teams() -> Sides {
    Sides { items: (0..6).collect(), columns: vec![], teams: teams() }
}

#[test]
fn a_team_is_the_weighted_sum_of_its_members() {
    let sharp = |mut settings: FitSettings, representation| {
        let Inference::Ep(ep) = &mut settings.inference else { unreachable!() };
        (ep.representation, ep.convergence.tolerance) = (representation, 1e-11);
        settings
    };
    let fixed = [("variance", 1.7), ("noise", 0.8)];
    let fit = |sides: &Sides, settings: &FitSettings| {
        Model::fit_in_context(&players(), sides, &answers(), &[], settings, &|_| ()).unwrap()
    };
    let model = fit(&of_teams(), &sharp(settings("white", &fixed), Representation::Auto));
    // One item of no account plays for everybody, with weights of the columns.
    let weights = Sides { items: vec![0; 6], columns: shares(), teams: vec![] };
    let columns = "linear[plays0,plays1,plays2,plays3,plays4,plays5]";
    let other = fit(&weights, &sharp(settings(columns, &fixed), Representation::Full));
    let (a, b) = (model.report().log_evidence, other.report().log_evidence);
    close(a, b, 1e-8 * b.abs(), "evidence");
    let pairs = [(0, 1), (2, 3), (4, 5), (1, 5)];
    let found = model.probabilities(&model.encode_sides(&of_teams()).unwrap(), &pairs);
    let expected = other.probabilities(&other.encode_sides(&weights).unwrap(), &pairs);
    for (found, expected) in found.iter().zip(&expected) {
        close(*found, *expected, 1e-8, "probability");
    }
    // A file holds the teams.
    let again = Model::from_parts(model.to_parts()).unwrap();
    let same = again.probabilities(&again.encode_sides(&of_teams()).unwrap(), &pairs);
    for (found, same) in found.iter().zip(&same) {
        close(*same, *found, 1e-9, "probability after a file");
    }
    // Players are ranked by themselves.
    assert_eq!(model.compared(), [0, 1, 2, 3, 4, 5]);
    assert!(model.rank(model.points()).windows(2).all(|two| two[0].mean >= two[1].mean));
}

/// Two planted classes of players are told apart from results of teams alone.
#[test]
fn players_are_known_from_their_teams() {
    let strong = |player: u32| player < 10;
    let mut state = 7_u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 16) % 20
    };
    let mut teams: Vec<Vec<(u32, f64)>> = Vec::new();
    for _ in 0..400 {
        let mut team: Vec<u32> = Vec::new();
        while team.len() < 3 {
            let player = next();
            if !team.contains(&player) {
                team.push(player);
            }
        }
        teams.push(team.into_iter().map(|player| (player, 1.0)).collect());
    }
    let strength = |team: &Vec<(u32, f64)>| team.iter().filter(|(player, _)| strong(*player)).count();
    let played = (0..200).filter(|k| strength(&teams[2 * k]) != strength(&teams[2 * k + 1])).map(|k| {
        let first = strength(&teams[2 * k]) > strength(&teams[2 * k + 1]);
        if first { Answer::rather(2 * k, 2 * k + 1) } else { Answer::rather(2 * k + 1, 2 * k) }
    });
    let answers: Vec<Answer> = played.collect();
    let items = Items { keys: (0..20).map(|i| format!("p{i}")).collect(), columns: vec![] };
    let sides = Sides { items: (0..400).collect(), columns: vec![], teams };
    let model =
        Model::fit_in_context(&items, &sides, &answers, &[], &FitSettings::default(), &|_| ()).unwrap();
    let ranked: Vec<usize> = model.rank(model.points()).iter().map(|ranked| ranked.item).collect();
    assert!(ranked[..10].iter().all(|&player| strong(player as u32)), "{ranked:?}");
}

#[test]
fn what_teams_cannot_do_is_refused() {
    let fit = |sides: &Sides, settings: &FitSettings| {
        Model::fit_in_context(&players(), sides, &answers(), &[], settings, &|_| ()).map(|_| ()).unwrap_err()
    };
    let laplace = FitSettings { inference: Method::Laplace.into(), ..settings("white", &[]) };
    let full = Ep { representation: Representation::Full, ..Ep::default() };
    let full = FitSettings { inference: Inference::Ep(full), ..settings("white", &[]) };
    for settings in [laplace, full, settings("se[item]", &[])] {
        let _refused = fit(&of_teams(), &settings);
    }
    let refused =
        fit(&of_teams(), &FitSettings { inference: Method::Laplace.into(), ..settings("white", &[]) });
    assert!(refused.to_string().contains("comparisons of teams need"), "{refused}");
    let stranger = Sides { teams: vec![vec![(9, 1.0)]; 6], ..of_teams() };
    assert!(matches!(fit(&stranger, &settings("white", &[])), Error::UnknownItem { item: 9, .. }));
    let endless = Sides { teams: vec![vec![(1, f64::INFINITY)]; 6], ..of_teams() };
    assert!(matches!(fit(&endless, &settings("white", &[])), Error::Parameter { .. }));
    // A model that knows no teams cannot be asked about them.
    let plain =
        Model::fit_answers(&players(), &[Answer::rather(0, 1)], &[], &settings("white", &[]), &|_| ());
    assert!(plain.unwrap().encode_sides(&of_teams()).unwrap_err().to_string().contains("teams"));
}
